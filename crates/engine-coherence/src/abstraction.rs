//! The abstractions of section 6 of the paper, and what each keeps of a store buffer.

/// How store buffers are abstracted.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Abstraction {
    /// The set of pending values, without order and without knowing which is the newest.
    Set,
    /// Fully disjunctive (section 4.2): the `k` oldest writes in order, the set of the others, the newest value.
    Fd(usize),
    /// Partially disjunctive (section 4.3): the same, where a larger set stands for its subsets too.
    Pd(usize),
}

impl std::fmt::Display for Abstraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Abstraction::Set => f.write_str("set"),
            Abstraction::Fd(k) => write!(f, "fd:{k}"),
            Abstraction::Pd(k) => write!(f, "pd:{k}"),
        }
    }
}

/// What is kept of a buffer, and what its sets mean.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Precision {
    /// How many of the oldest writes are kept in order.
    pub(crate) head: usize,
    /// Whether the newest value is kept.
    pub(crate) recency: bool,
    /// Whether a set stands for exactly its values (else for any of its subsets, except the empty one).
    pub(crate) exact_sets: bool,
    /// The most epochs, the parts between the marks of store-store fences, that are kept apart.
    pub(crate) epochs: usize,
}

/// Epochs that are kept apart beyond the writes that are kept in order. A thread that announces, then publishes, then
/// takes back has three.
const EPOCHS: usize = 3;

impl Abstraction {
    pub(crate) fn precision(self) -> Precision {
        match self {
            Abstraction::Set => Precision { head: 0, recency: false, exact_sets: true, epochs: EPOCHS },
            Abstraction::Fd(k) => Precision { head: k, recency: true, exact_sets: true, epochs: EPOCHS + k },
            Abstraction::Pd(k) => Precision { head: k, recency: true, exact_sets: false, epochs: EPOCHS + k },
        }
    }
}
