//! How much an engine may spend, and why it stopped. Limits end in a value, never in a panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits for one run of an engine. `None` means no limit.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Bytes the engine may hold in its tables.
    pub memory: Option<u64>,
    /// States the engine may store.
    pub states: Option<u64>,
}

/// Why a run ended before it had an answer.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The time limit passed.
    Time,
    /// The memory limit would have been passed.
    Memory,
    /// The state limit, or the largest number of states the tables can address, was reached.
    States,
    /// Somebody asked to stop (Ctrl-C).
    Cancelled,
}

/// Shared flag that asks a run to stop. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    /// Whoever stops that one stops this one too.
    parent: Option<CancelToken>,
}

impl CancelToken {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag of its own that is set, too, when this one is.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Flag { set: AtomicBool::new(false), parent: Some(self.clone()) }))
    }

    /// Asks every holder to stop.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.set.load(Ordering::Relaxed) || self.0.parent.as_ref().is_some_and(CancelToken::is_cancelled)
    }
}

/// What a run can tell about itself while it goes on.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being done, such as `buffers up to 2`.
    pub phase: &'a str,
    /// States stored in this phase.
    pub states: u64,
    /// States whose successors are not yet known.
    pub frontier: u64,
    /// Bytes held.
    pub bytes: u64,
}

/// A budget being spent. Asking is cheap enough for an inner loop that does some hundred steps between questions.
#[derive(Debug, Clone)]
pub struct Meter {
    budget: Budget,
    cancel: CancelToken,
    start: Instant,
}

impl Meter {
    /// Starts the clock.
    pub fn start(budget: Budget, cancel: CancelToken) -> Self {
        Self { budget, cancel, start: Instant::now() }
    }

    /// A meter without limits.
    pub fn unlimited() -> Self {
        Self::start(Budget::default(), CancelToken::new())
    }

    /// A meter for a part of the run: within `budget` and what is left of the time here, stopped by `cancel`.
    #[must_use]
    pub fn part(&self, budget: Budget, cancel: CancelToken) -> Meter {
        let left = self.budget.time.map(|time| time.saturating_sub(self.start.elapsed()));
        let time = match (budget.time, left) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Meter::start(Budget { time, ..budget }, cancel)
    }

    /// The flag that stops this run.
    pub fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    /// The limits.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Fails when the time is over or the run was cancelled.
    pub fn tick(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        match self.budget.time {
            Some(limit) if self.start.elapsed() >= limit => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    /// Fails when holding `bytes` would pass the memory limit. Ask before allocating.
    pub fn hold(&self, bytes: u64) -> Result<(), Stop> {
        match self.budget.memory {
            Some(limit) if bytes > limit => Err(Stop::Memory),
            _ => Ok(()),
        }
    }

    /// Fails when storing `states` states would pass the state limit.
    pub fn store(&self, states: u64) -> Result<(), Stop> {
        match self.budget.states {
            Some(limit) if states > limit => Err(Stop::States),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_stops_for_each_limit_and_only_past_it() {
        let budget = Budget { time: None, memory: Some(100), states: Some(10) };
        let cancel = CancelToken::new();
        let meter = Meter::start(budget, cancel.clone());
        assert_eq!(meter.hold(100), Ok(()));
        assert_eq!(meter.hold(101), Err(Stop::Memory));
        assert_eq!(meter.store(10), Ok(()));
        assert_eq!(meter.store(11), Err(Stop::States));
        assert_eq!(meter.tick(), Ok(()));
        cancel.cancel();
        assert_eq!(meter.tick(), Err(Stop::Cancelled));
        let parent = CancelToken::new();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled() && !second.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(second.is_cancelled(), "a child stops with its parent");
        let over =
            Meter::start(Budget { time: Some(Duration::ZERO), ..Budget::default() }, CancelToken::new());
        assert_eq!(over.tick(), Err(Stop::Time));
    }
}
