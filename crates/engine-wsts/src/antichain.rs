//! The configurations found, none above another: packed, in one piece of memory, indexed by where the threads stand.
//!
//! Whether a new one is above a known one is asked millions of times. Only those with the same nodes, or with a thread
//! that stands anywhere, are looked at; of these only those whose marks are all among the new one's; then the order itself.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::config::Config;
use crate::graph::NodeId;
use crate::order::below;
use crate::pre::Move;
use crate::system::{ANYWHERE, System};

/// A configuration of the antichain, or one that was in it.
#[derive(Debug)]
pub(crate) struct Element {
    /// Where its bytes begin: the nodes, four bytes each, and the packed configuration.
    start: usize,
    end: usize,
    /// Where it came from; `None` for a bad one.
    pub(crate) origin: Option<Origin>,
    /// Below it another one was found, which covers it.
    covered: bool,
}

/// Where a configuration came from.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Origin {
    /// The one it is a predecessor of.
    pub(crate) of: u32,
    /// The move that leads there.
    pub(crate) made: Move,
    /// The number of the way in which its threads changed places since; 0: they did not.
    pub(crate) places: u16,
}

/// The antichain.
#[derive(Debug, Default)]
pub(crate) struct Antichain {
    elements: Vec<Element>,
    bytes: Vec<u8>,
    buckets: HashMap<Box<[NodeId]>, Vec<(u64, u32)>, FixedState>,
    /// Which threads stand anywhere, as a set, in some configuration.
    anywhere: Vec<u64>,
    n_covered: usize,
    scratch: Vec<u8>,
}

impl Antichain {
    /// Adds the configuration unless it is above a known one. Those that are above it are covered from now on.
    pub(crate) fn insert(
        &mut self,
        system: &System<'_>,
        config: &Config,
        origin: Option<Origin>,
    ) -> Option<u32> {
        self.scratch.clear();
        let mut packed = std::mem::take(&mut self.scratch);
        let marks = config.pack(system, &mut packed);
        let inserted = if self.is_above_known(system, &config.nodes, &packed, marks) {
            None
        } else {
            Some(self.add(system, config, &packed, marks, origin))
        };
        self.scratch = packed;
        inserted
    }

    fn is_above_known(&self, system: &System<'_>, nodes: &[NodeId], packed: &[u8], marks: u64) -> bool {
        let own = anywhere(nodes);
        let mut key: Vec<NodeId> = Vec::new();
        for pattern in self.anywhere.iter().filter(|pattern| *pattern & own == own) {
            key.clear();
            let standing = nodes.iter().enumerate();
            key.extend(standing.map(|(i, &node)| if pattern >> i & 1 == 1 { ANYWHERE } else { node }));
            let Some(bucket) = self.buckets.get(&key[..]) else { continue };
            let is_below = |&(known, number): &(u64, u32)| {
                known & !marks == 0 && below(system, self.packed(nodes.len(), number), packed)
            };
            if bucket.iter().any(is_below) {
                return true;
            }
        }
        false
    }

    fn add(
        &mut self,
        system: &System<'_>,
        config: &Config,
        packed: &[u8],
        marks: u64,
        origin: Option<Origin>,
    ) -> u32 {
        let number = self.elements.len() as u32;
        let start = self.bytes.len();
        for node in &config.nodes {
            self.bytes.extend_from_slice(&node.to_le_bytes());
        }
        self.bytes.extend_from_slice(packed);
        self.elements.push(Element { start, end: self.bytes.len(), origin, covered: false });
        let pattern = anywhere(&config.nodes);
        if !self.anywhere.contains(&pattern) {
            self.anywhere.push(pattern);
        }
        let mut bucket = match self.buckets.get_mut(&config.nodes[..]) {
            Some(bucket) => std::mem::take(bucket),
            None => Vec::new(),
        };
        bucket.retain(|&(known, other)| {
            let covered =
                marks & !known == 0 && below(system, packed, self.packed(config.nodes.len(), other));
            if covered {
                self.elements[other as usize].covered = true;
                self.n_covered += 1;
            }
            !covered
        });
        bucket.push((marks, number));
        match self.buckets.get_mut(&config.nodes[..]) {
            Some(empty) => *empty = bucket,
            None => {
                self.buckets.insert(config.nodes.clone().into_boxed_slice(), bucket);
            }
        }
        number
    }

    fn packed(&self, n_threads: usize, number: u32) -> &[u8] {
        let element = &self.elements[number as usize];
        &self.bytes[element.start + 4 * n_threads..element.end]
    }

    /// The configuration of that number.
    pub(crate) fn config(&self, system: &System<'_>, number: u32) -> Config {
        let element = &self.elements[number as usize];
        let (nodes, packed) = self.bytes[element.start..element.end].split_at(4 * system.n_threads());
        let node = |bytes: &[u8]| NodeId::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let nodes: Vec<NodeId> = nodes.chunks_exact(4).map(node).collect();
        Config::unpack(system, &nodes, packed)
    }

    pub(crate) fn element(&self, number: u32) -> &Element {
        &self.elements[number as usize]
    }

    /// How many were ever added.
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// How many are not covered.
    pub(crate) fn kept(&self) -> usize {
        self.elements.len() - self.n_covered
    }

    pub(crate) fn is_covered(&self, number: u32) -> bool {
        self.elements[number as usize].covered
    }

    /// Bytes held: what the vectors have reserved, and an estimate of the table.
    pub(crate) fn held(&self) -> u64 {
        let elements = self.elements.capacity() * size_of::<Element>();
        let entries = self.elements.len() * size_of::<(u64, u32)>() * 3 / 2;
        let keys = self.buckets.len() * 96;
        (elements + self.bytes.capacity() + entries + keys) as u64
    }
}

fn anywhere(nodes: &[NodeId]) -> u64 {
    nodes.iter().enumerate().filter(|(_, node)| **node == ANYWHERE).map(|(i, _)| 1 << i).sum()
}
