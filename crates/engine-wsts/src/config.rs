//! Configurations: what must be so for a violation to follow. A configuration says only what matters, and stands for
//! all states of the late machine that agree with it.

use crate::graph::NodeId;
use crate::label::{Cell, Pairs, Value};
use crate::system::{ANYWHERE, System};

/// In place of a value: any.
pub(crate) const ANY: Value = Value::MAX;

/// A configuration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Config {
    /// Where each thread stands, or [`ANYWHERE`].
    pub(crate) nodes: Vec<NodeId>,
    /// What each cell of memory holds, or [`ANY`].
    pub(crate) memory: Vec<Value>,
    /// For each thread what it will see, next first. Empty for a thread that does not read late.
    pub(crate) queues: Vec<Vec<Entry>>,
    /// In the single-buffer machine: whose turn it is to see something, next first; one for each [`Entry::See`].
    pub(crate) turns: Vec<u8>,
    /// For each thread and cell the store buffer, at `thread * cells + cell`. No constraint without store buffers.
    pub(crate) buffers: Vec<Word>,
}

/// Something in the future of a thread that reads late.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Entry {
    /// It will see this in a memory, one moment for all of it; no write of its own to these cells lies behind it.
    See(Pairs),
    /// It will read its own write of this value: its newest to the cell, in memory, but behind everything before this.
    Own(Cell, Value),
    /// The moment at which the state is bad, the same for all threads that have it, and what memory holds then.
    Moment(Pairs),
}

/// What is demanded of a store buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word {
    /// Values that it holds in this order, oldest first, among others.
    pub(crate) values: Vec<Value>,
    /// Whether the last of them is its newest; for no values, whether it is empty.
    pub(crate) exact: bool,
}

impl Config {
    /// No demands at all.
    pub(crate) fn free(system: &System<'_>) -> Self {
        Self {
            nodes: vec![ANYWHERE; system.n_threads()],
            memory: vec![ANY; system.n_cells()],
            queues: vec![Vec::new(); system.n_threads()],
            turns: Vec::new(),
            buffers: vec![Word::default(); system.n_threads() * system.n_cells()],
        }
    }

    /// Demands that memory holds these values; `false` if it is known to hold others.
    pub(crate) fn demand(&mut self, pairs: &[(Cell, Value)]) -> bool {
        for &(cell, value) in pairs {
            match &mut self.memory[cell as usize] {
                known if *known == ANY => *known = value,
                known if *known == value => {}
                _ => return false,
            }
        }
        true
    }

    /// Before a write of the value reaches memory; `false` if memory is known to hold another afterwards.
    pub(crate) fn undo_write(&mut self, cell: Cell, value: Value) -> bool {
        let known = &mut self.memory[cell as usize];
        let agrees = *known == ANY || *known == value;
        *known = ANY;
        agrees
    }

    pub(crate) fn buffer(&self, thread: usize, cell: Cell) -> &Word {
        &self.buffers[thread * self.memory.len() + cell as usize]
    }

    pub(crate) fn buffer_mut(&mut self, thread: usize, cell: Cell) -> &mut Word {
        &mut self.buffers[thread * self.memory.len() + cell as usize]
    }

    /// Demands that the store buffer is empty; `false` if it is known not to be.
    pub(crate) fn demand_empty(&mut self, thread: usize, cell: Cell) -> bool {
        let word = self.buffer_mut(thread, cell);
        word.exact = true;
        word.values.is_empty()
    }

    /// The configuration as bytes, and a set of marks of what it demands: what demands more has all its marks.
    pub(crate) fn pack(&self, system: &System<'_>, bytes: &mut Vec<u8>) -> u64 {
        let mut marks = 0;
        let mut mark = |kind: usize, a: usize, b: usize, c: usize| {
            marks |= 1 << ((kind * 7 + a * 11 + b * 29 + c * 3) % 64);
        };
        bytes.extend_from_slice(&self.memory);
        for (cell, &value) in self.memory.iter().enumerate() {
            if value != ANY {
                mark(0, 0, cell, value as usize);
            }
        }
        for (thread, queue) in self.queues.iter().enumerate() {
            if !system.late[thread] {
                continue;
            }
            bytes.extend_from_slice(&(queue.len() as u16).to_le_bytes());
            for entry in queue {
                let (kind, pairs) = match entry {
                    Entry::See(pairs) => (SEE, &pairs[..]),
                    Entry::Own(cell, value) => (OWN, &[(*cell, *value)][..]),
                    Entry::Moment(pairs) => (MOMENT, &pairs[..]),
                };
                bytes.extend_from_slice(&[kind, pairs.len() as u8]);
                for &(cell, value) in pairs {
                    bytes.extend_from_slice(&[cell, value]);
                    mark(1 + kind as usize, thread, cell as usize, value as usize);
                }
            }
        }
        if system.single {
            bytes.extend_from_slice(&(self.turns.len() as u16).to_le_bytes());
            bytes.extend_from_slice(&self.turns);
        }
        for (place, word) in self.buffers.iter().enumerate() {
            if *word == Word::default() {
                continue;
            }
            bytes.extend_from_slice(&(place as u16).to_le_bytes());
            let head = (word.values.len() as u16) << 1 | u16::from(word.exact);
            bytes.extend_from_slice(&head.to_le_bytes());
            bytes.extend_from_slice(&word.values);
            if word.exact {
                mark(4, 0, place, word.values.last().map_or(9, |&last| last as usize));
            }
            for &value in &word.values {
                mark(5, 0, place, value as usize);
            }
        }
        marks
    }

    /// Back from bytes.
    pub(crate) fn unpack(system: &System<'_>, nodes: &[NodeId], mut bytes: &[u8]) -> Self {
        let mut config = Self::free(system);
        config.nodes.copy_from_slice(nodes);
        let (memory, rest) = bytes.split_at(system.n_cells());
        config.memory.copy_from_slice(memory);
        bytes = rest;
        for thread in 0..system.n_threads() {
            if !system.late[thread] {
                continue;
            }
            for _ in 0..take_u16(&mut bytes) {
                let (kind, pairs) = take_entry(&mut bytes);
                let list = || pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
                config.queues[thread].push(match kind {
                    SEE => Entry::See(list()),
                    OWN => Entry::Own(pairs[0], pairs[1]),
                    _ => Entry::Moment(list()),
                });
            }
        }
        if system.single {
            let (turns, rest) = {
                let n = take_u16(&mut bytes);
                bytes.split_at(n as usize)
            };
            config.turns.extend_from_slice(turns);
            bytes = rest;
        }
        while !bytes.is_empty() {
            let place = take_u16(&mut bytes);
            let (exact, values) = take_word(&mut bytes);
            config.buffers[place as usize] = Word { values: values.to_vec(), exact };
        }
        config
    }
}

pub(crate) const SEE: u8 = 0;
pub(crate) const OWN: u8 = 1;
pub(crate) const MOMENT: u8 = 2;

pub(crate) fn take_u16(bytes: &mut &[u8]) -> u16 {
    let (head, rest) = bytes.split_at(2);
    *bytes = rest;
    u16::from_le_bytes([head[0], head[1]])
}

/// The kind of an entry and its pairs.
pub(crate) fn take_entry<'b>(bytes: &mut &'b [u8]) -> (u8, &'b [u8]) {
    let (head, rest) = bytes.split_at(2);
    let (pairs, rest) = rest.split_at(2 * head[1] as usize);
    *bytes = rest;
    (head[0], pairs)
}

/// Whether a word is exact, and its values.
pub(crate) fn take_word<'b>(bytes: &mut &'b [u8]) -> (bool, &'b [u8]) {
    let head = take_u16(bytes);
    let (values, rest) = bytes.split_at((head >> 1) as usize);
    *bytes = rest;
    (head & 1 == 1, values)
}
