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
    /// The `k` oldest runs of equal writes in order, the rest as in PD. Not in the paper.
    Runs(usize),
}

impl std::fmt::Display for Abstraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Abstraction::Set => f.write_str("set"),
            Abstraction::Fd(k) => write!(f, "fd:{k}"),
            Abstraction::Pd(k) => write!(f, "pd:{k}"),
            Abstraction::Runs(k) => write!(f, "runs:{k}"),
        }
    }
}

impl std::str::FromStr for Abstraction {
    type Err = UnknownAbstraction;

    /// `set`, `fd:K`, `pd:K` or `runs:K`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.parse().map_err(|_| UnknownAbstraction);
        match text.split_once(':') {
            None if text == "set" => Ok(Abstraction::Set),
            Some(("fd", k)) => number(k).map(Abstraction::Fd),
            Some(("pd", k)) => number(k).map(Abstraction::Pd),
            Some(("runs", k)) => number(k).map(Abstraction::Runs),
            _ => Err(UnknownAbstraction),
        }
    }
}

/// The text names no abstraction.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct UnknownAbstraction;

impl std::fmt::Display for UnknownAbstraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the abstractions are set, fd:K, pd:K and runs:K, where K is a number")
    }
}

impl std::error::Error for UnknownAbstraction {}

/// What is kept of a buffer, and what its sets mean.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Precision {
    /// How many of the oldest writes are kept in order.
    pub(crate) head: usize,
    /// Whether equal writes that follow one another count as one of them.
    pub(crate) runs: bool,
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
        let fd = |k| Precision { head: k, runs: false, recency: true, exact_sets: true, epochs: EPOCHS + k };
        match self {
            Abstraction::Set => Precision { recency: false, ..fd(0) },
            Abstraction::Fd(k) => fd(k),
            Abstraction::Pd(k) => Precision { exact_sets: false, ..fd(k) },
            Abstraction::Runs(k) => Precision { runs: true, exact_sets: false, ..fd(k) },
        }
    }
}
