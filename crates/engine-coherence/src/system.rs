//! The abstract machine: states as numbers, initial states, flushes, and the properties. Rules G-1, *-3 and G-9 of
//! `docs/semantics.md` on abstract states; steps are in [`step`](crate::step).
//!
//! A state is a slice of numbers: where each thread stands, all registers, the memory, and the thread's buffers. Values
//! and buffers are interned. A dead register holds 0: it cannot change anything its thread does.

use fencewright_base::{Index, IndexVec, Int};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{
    CellId, Domain, EdgeId, Expr, LocId, Program, Property, Quantifier, RegId, StateAtom, ThreadId,
};
use fencewright_memory::{InitialChoices, Machine, Model, NotEnumerable};

use crate::Abstraction;
use crate::abstraction::Precision;
use crate::bag::Value;
use crate::buffer::{Buffer, Flush};
use crate::intern::Interner;
use crate::labels::Labels;

/// An abstract state.
pub(crate) type Words = Box<[u32]>;

/// What leads from a state to the next.
#[derive(Debug, Clone)]
pub(crate) enum Move {
    /// A thread takes an edge; its `Havoc`s give these values.
    Step { thread: ThreadId, edge: EdgeId, choices: Vec<Int> },
    /// A pending write of a thread reaches memory. `entry` is its number in the buffer.
    Flush { thread: ThreadId, entry: Value },
}

/// Where a move leads.
#[derive(Debug)]
pub(crate) enum Target {
    State(Words),
    /// To a violation at once: an assertion fails, or the step has no meaning.
    Violation,
}

/// The abstract machine of a program under a model.
#[derive(Debug)]
pub(crate) struct System<'p> {
    pub(crate) program: &'p Program,
    pub(crate) precision: Precision,
    pub(crate) outgoing: IndexVec<ThreadId, IndexVec<LocId, Vec<EdgeId>>>,
    pub(crate) cell_domains: IndexVec<CellId, &'p Domain>,
    pub(crate) values: Interner<Int>,
    pub(crate) model: Model,
    /// Where pending writes came from, if that is to be known.
    pub(crate) labels: Option<Labels>,
    pub(crate) live: IndexVec<ThreadId, IndexVec<LocId, IndexVec<RegId, bool>>>,
    buffers: Interner<Buffer>,
    shapes: Interner<Buffer>,
    /// For each buffer the number of its shape.
    shape_of: Vec<u32>,
    /// Where the registers of each thread, the memory and the buffers begin in a state.
    registers_at: IndexVec<ThreadId, usize>,
    memory_at: usize,
    buffers_at: usize,
}

impl<'p> System<'p> {
    /// The machine; `None` under a model that this engine does not know.
    pub(crate) fn new(program: &'p Program, model: Model, abstraction: Abstraction) -> Option<Self> {
        let empty = Buffer::empty(model)?;
        let watched = watched_registers(program, &[]);
        let live = program.threads.iter_enumerated().map(|(t, thread)| live_registers(thread, &watched[t]));
        let mut at = program.threads.len();
        let mut registers_at = IndexVec::new();
        for thread in &program.threads {
            registers_at.push(at);
            at += thread.regs.len();
        }
        let mut values = Interner::default();
        assert_eq!(values.number(Int::ZERO), DEAD);
        let mut system = Self {
            program,
            precision: abstraction.precision(),
            outgoing: program.threads.iter().map(|thread| thread.outgoing()).collect(),
            cell_domains: program.cells().map(|(_, domain, _)| domain).collect(),
            values,
            model,
            labels: None,
            live: live.collect(),
            buffers: Interner::default(),
            shapes: Interner::default(),
            shape_of: Vec::new(),
            registers_at,
            memory_at: at,
            buffers_at: at + program.n_cells(),
        };
        assert_eq!(system.buffer_number(empty), EMPTY);
        Some(system)
    }

    /// The numbers a state has.
    pub(crate) fn width(&self) -> usize {
        self.buffers_at + self.program.threads.len()
    }

    /// An estimate of what the values and buffers seen so far take.
    pub(crate) fn bytes(&self) -> u64 {
        let labels = self.labels.as_ref().map_or(0, Labels::bytes);
        (self.values.len() * 64 + self.buffers.len() * 256 + self.shapes.len() * 256) as u64 + labels
    }

    /// G-1: the initial states, if they are at most `limit`.
    pub(crate) fn initial_states(
        &mut self,
        limit: usize,
    ) -> Result<Vec<(InitialChoices, Words)>, NotEnumerable> {
        let machine = Machine::new(self.program, self.model);
        let mut all = Vec::new();
        for (choices, state) in machine.initial_states(limit)? {
            let locations = state.locations.iter().map(|loc| loc.0);
            let mut words: Vec<u32> = locations.collect();
            for value in state.registers.iter().flatten().chain(&state.memory) {
                words.push(self.values.number(value.clone()));
            }
            words.extend(self.program.threads.iter().map(|_| EMPTY));
            for thread in self.program.threads.indices() {
                self.forget_dead_registers(&mut words, thread);
            }
            all.push((choices, words.into_boxed_slice()));
        }
        Ok(all)
    }

    /// All moves from the state, with where they lead.
    pub(crate) fn successors(
        &mut self,
        state: &[u32],
        limit: usize,
    ) -> Result<Vec<(Move, Target)>, NotEnumerable> {
        let mut found = Vec::new();
        for thread in self.program.threads.indices() {
            let loc = self.location(state, thread);
            for edge in self.outgoing[thread][loc].clone() {
                self.steps(state, thread, edge, limit, &mut found)?;
            }
            self.flushes(state, thread, &mut found);
        }
        Ok(found)
    }

    /// *-3.
    pub(crate) fn flushes(&mut self, state: &[u32], thread: ThreadId, found: &mut Vec<(Move, Target)>) {
        let number = state[self.buffers_at + thread.index()];
        if number == EMPTY {
            return;
        }
        for Flush { cell, value: entry, after } in self.buffers.thing(number).flushes(&self.precision) {
            let mut next = state.to_vec();
            next[self.memory_at + cell.index()] = self.value_of_entry(entry);
            let after = self.without_older(after, entry);
            self.set_buffer(&mut next, thread, after);
            let made = Move::Flush { thread, entry };
            found.push((made, Target::State(next.into_boxed_slice())));
        }
    }

    /// G-9: whether the state violates a property.
    pub(crate) fn is_bad(&self, state: &[u32]) -> bool {
        let holds = |expr: &Expr<StateAtom>| {
            // A condition without a value (a division by zero) does not hold.
            expr.eval(&mut |atom| self.value_of(state, atom)).is_ok_and(|value| value.is_true())
        };
        self.program.properties.iter().any(|property| match property {
            Property::Forbidden(forbidden) => (self.program.threads.indices())
                .all(|thread| forbidden.at[thread].contains(self.location(state, thread))),
            Property::Invariant(condition) => !holds(&condition.expr),
            Property::Final { quantifier, condition, filter, observed: _ } => {
                self.is_final(state)
                    && filter.as_ref().is_none_or(|filter| holds(&filter.expr))
                    && match quantifier {
                        Quantifier::Exists | Quantifier::NotExists => holds(&condition.expr),
                        Quantifier::Forall => !holds(&condition.expr),
                    }
            }
            Property::Temporal(_) => false,
        })
    }

    fn is_final(&self, state: &[u32]) -> bool {
        let ended = |thread| self.outgoing[thread][self.location(state, thread)].is_empty();
        self.program.threads.indices().all(ended)
            && state[self.buffers_at..].iter().all(|&buffer| buffer == EMPTY)
    }

    fn value_of(&self, state: &[u32], atom: &StateAtom) -> Int {
        match *atom {
            StateAtom::Register(thread, reg) => self.register(state, thread, reg),
            StateAtom::Cell(cell) => (**self.values.thing(self.memory(state, cell))).clone(),
            StateAtom::At(thread, loc) => Int::from(self.location(state, thread) == loc),
        }
    }

    /// The state with the shapes of its buffers in their place: states with the same key differ in their bags only.
    pub(crate) fn key(&self, state: &[u32]) -> Words {
        let mut key = state.to_vec();
        for buffer in &mut key[self.buffers_at..] {
            *buffer = self.shape_of[*buffer as usize];
        }
        key.into_boxed_slice()
    }

    /// Whether `state` stands for all that `other` stands for, given that their keys are the same.
    pub(crate) fn covers(&self, state: &[u32], other: &[u32]) -> bool {
        let covers = |(&a, &b): (&u32, &u32)| a == b || self.buffers.thing(a).covers(self.buffers.thing(b));
        state[self.buffers_at..].iter().zip(&other[self.buffers_at..]).all(covers)
    }

    pub(crate) fn location(&self, state: &[u32], thread: ThreadId) -> LocId {
        LocId(state[thread.index()])
    }

    pub(crate) fn register(&self, state: &[u32], thread: ThreadId, reg: RegId) -> Int {
        (**self.values.thing(state[self.registers_at[thread] + reg.index()])).clone()
    }

    pub(crate) fn set_register(&mut self, state: &mut [u32], thread: ThreadId, reg: RegId, value: Int) {
        state[self.registers_at[thread] + reg.index()] = self.values.number(value);
    }

    pub(crate) fn memory(&self, state: &[u32], cell: CellId) -> u32 {
        state[self.memory_at + cell.index()]
    }

    pub(crate) fn set_memory(&self, state: &mut [u32], cell: CellId, value: u32) {
        state[self.memory_at + cell.index()] = value;
    }

    pub(crate) fn buffer(&self, state: &[u32], thread: ThreadId) -> &Buffer {
        self.buffers.thing(state[self.buffers_at + thread.index()])
    }

    /// The number of the buffer: equal buffers have the same.
    pub(crate) fn buffer_at(&self, state: &[u32], thread: ThreadId) -> u32 {
        state[self.buffers_at + thread.index()]
    }

    pub(crate) fn set_buffer(&mut self, state: &mut [u32], thread: ThreadId, buffer: Buffer) {
        state[self.buffers_at + thread.index()] = self.buffer_number(buffer);
    }

    fn buffer_number(&mut self, buffer: Buffer) -> u32 {
        let number = self.buffers.number(buffer);
        if number as usize == self.shape_of.len() {
            self.shape_of.push(self.shapes.number(self.buffers.thing(number).shape()));
        }
        number
    }

    pub(crate) fn forget_dead_registers(&self, state: &mut [u32], thread: ThreadId) {
        let loc = self.location(state, thread);
        let registers = &mut state[self.registers_at[thread]..];
        for (value, &live) in registers.iter_mut().zip(&self.live[thread][loc]) {
            if !live {
                *value = DEAD;
            }
        }
    }
}

/// The number of the value that dead registers hold: 0.
const DEAD: u32 = 0;

/// The number of the buffer with nothing pending.
const EMPTY: u32 = 0;
