//! Small concurrent programs straight in LLVM IR, in which most accesses are kept in order by others: flags that are waited
//! for, locks, creation and joining, blocks that are handed over, fences of every kind.
//!
//! Programs of [`generate`](crate::generate()) race nearly everywhere, so they say little about a search that looks for what
//! is *not* ordered. These are made for that question, need no compiler, and have few hundred states: thousands are searched
//! in a minute.

mod make;
mod render;

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// What `main` does before it creates anybody, and after each creation.
    pub main: Vec<Vec<Op>>,
    /// The threads.
    pub threads: Vec<Vec<Op>>,
    /// Whether `main` acts after it has joined the first thread, too.
    pub after_join: Vec<Op>,
}

/// What a thread does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Writes a number.
    Store(Place, u8, Order),
    /// Reads; what was read is part of the outcome.
    Load(Place, Order),
    /// Adds.
    Add(Place, u8, Order),
    /// Writes the second number if the first is there.
    CompareExchange(Place, u8, u8, Order),
    /// A fence.
    Fence(Order),
    /// Goes on with this if the place holds the number.
    When(Place, u8, Order, Vec<Op>),
    /// Does this with a lock of this number held.
    Locked(u8, Vec<Op>),
    /// Writes a number to new memory and hands its address over: by a store, else by an exchange.
    Give(u8, Order, bool),
    /// Reads what was handed over, if anything was; writes to it then, if a number is given.
    Take(Order, Option<u8>),
    /// Does this in an atomic section.
    Atomic(Vec<Op>),
    /// Does this if the lock of this number is free, with it held.
    TryLocked(u8, Vec<Op>),
    /// Hands the address of a variable of the function over, as [`Op::Give`] does that of new memory.
    Lend(u8, Order),
    /// Frees what was handed over, if anything was.
    Free(Order),
    /// Posts the semaphore.
    Post,
    /// Waits for the semaphore.
    Wait,
    /// Waits for the condition variable, with the lock of this number held, until woken or for no reason.
    WaitCondition(u8),
    /// Wakes one or all who wait for the condition variable.
    Wake(bool),
}

/// How an access is ordered.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Order {
    /// It is not atomic.
    Plain,
    /// `monotonic`.
    Relaxed,
    /// `acquire`.
    Acquire,
    /// `release`.
    Release,
    /// `seq_cst`.
    SeqCst,
}

impl Order {
    fn is_atomic(self) -> bool {
        self != Order::Plain
    }

    fn name(self) -> &'static str {
        match self {
            Order::Plain => "",
            Order::Relaxed => "monotonic",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::SeqCst => "seq_cst",
        }
    }
}

/// Bytes of a global.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which one.
    pub global: u8,
    /// The first byte.
    pub offset: u8,
    /// How many bits.
    pub bits: u8,
}

/// The globals: data, two halves of a word, flags.
const GLOBALS: [&str; 5] = ["@x", "@y", "@halves", "@f", "@g"];
const HALVES: u8 = 2;
const FLAGS: [u8; 2] = [3, 4];
/// The flag of a handover, and another.
const FLAG: Place = Place { global: FLAGS[0], offset: 0, bits: 32 };
const OTHER: Place = Place { global: FLAGS[1], offset: 0, bits: 32 };

impl Handshake {
    /// The same with something left out, in all ways.
    pub fn smaller(&self) -> Vec<Handshake> {
        let mut found = Vec::new();
        for at in 0..self.threads.len() {
            if self.threads.len() > 1 {
                let mut next = self.clone();
                next.threads.remove(at);
                let moved = next.main.remove(at + 1);
                next.main[at].extend(moved);
                found.push(next);
            }
            for ops in smaller(&self.threads[at]) {
                let mut next = self.clone();
                next.threads[at] = ops;
                found.push(next);
            }
        }
        for at in 0..self.main.len() {
            for ops in smaller(&self.main[at]) {
                let mut next = self.clone();
                next.main[at] = ops;
                found.push(next);
            }
        }
        for ops in smaller(&self.after_join) {
            found.push(Handshake { after_join: ops, ..self.clone() });
        }
        found
    }
}

/// All lists that leave out one operation, or replace one block by its contents.
fn smaller(ops: &[Op]) -> Vec<Vec<Op>> {
    let mut found = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let with = |replaced: Vec<Op>| {
            let mut next = ops[..at].to_vec();
            next.extend(replaced);
            next.extend_from_slice(&ops[at + 1..]);
            next
        };
        found.push(with(Vec::new()));
        let (inner, again): (&[Op], &dyn Fn(Vec<Op>) -> Op) = match op {
            Op::When(place, number, order, inner) => {
                (inner, &|inner| Op::When(*place, *number, *order, inner))
            }
            Op::Locked(lock, inner) => (inner, &|inner| Op::Locked(*lock, inner)),
            Op::TryLocked(lock, inner) => (inner, &|inner| Op::TryLocked(*lock, inner)),
            Op::Atomic(inner) => (inner, &Op::Atomic),
            _ => continue,
        };
        found.push(with(inner.to_vec()));
        found.extend(smaller(inner).into_iter().map(|inner| with(vec![again(inner)])));
    }
    found
}
