//! What the typed search options mean.

use std::num::NonZeroUsize;
use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::Options;

use crate::EngineRow;
use crate::args::{Limit, SearchArgs};
use crate::engines::WALKER;

/// How to search.
pub(crate) struct Search {
    pub(crate) engine: &'static EngineRow,
    pub(crate) options: Options,
    /// For each question: one file under one model.
    pub(crate) budget: Budget,
}

impl Search {
    pub(crate) fn new(args: &SearchArgs) -> Self {
        let SearchArgs { engine, buffer, unroll, timeout, memory, max_states, jobs, no_reduction } = args;
        let jobs = jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        let Limit(memory) = memory.unwrap_or_else(|| Limit(Some(default_memory())));
        // Whoever wants the plain graph walked wants the engine that walks it, and its counts.
        let engine = if *no_reduction && engine.engine.name() == "auto" { &WALKER } else { engine };
        Search {
            engine,
            options: Options { buffer: *buffer, unroll: *unroll, reduction: !no_reduction, jobs },
            budget: Budget {
                time: timeout.0,
                memory: memory.map(|memory| for_tables(memory, jobs)),
                states: *max_states,
            },
        }
    }
}

impl Search {
    /// The budget of a question, of which so much time is spent already.
    pub(crate) fn meter(&self, spent: Duration, cancel: &CancelToken) -> Meter {
        let time = self.budget.time.map(|time| time.saturating_sub(spent));
        Meter::start(Budget { time, ..self.budget.clone() }, cancel.clone())
    }
}

const GIB: u64 = 1 << 30;

/// What the process takes beside the tables of an engine: its code, the program, what the allocator rounds up.
/// (Measured: 8 MB at the end of a check of a thousand states.)
const BESIDE_TABLES: u64 = 10 << 20;

/// What a searching thread takes beside its table: its stack, and parcels that are on their way while nobody asks.
/// (Measured: 1 MB.)
const OF_A_THREAD: u64 = 2 << 20;

/// What tables may hold if the process is to stay within so many bytes.
fn for_tables(memory: u64, jobs: NonZeroUsize) -> u64 {
    let beside = BESIDE_TABLES + OF_A_THREAD * jobs.get() as u64;
    memory.saturating_sub(beside).max(memory / 2)
}

/// Half of the machine's memory, at least 1 GiB; 2 GiB where the machine does not say.
fn default_memory() -> u64 {
    let kib = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| mem_total(&text));
    // A container may be allowed less than the machine has.
    let allowed = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let allowed = allowed.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    kib.map_or(2 * GIB, |kib| ((kib * 1024).min(allowed) / 2).max(GIB))
}

fn mem_total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_says_its_memory_in_kib() {
        assert_eq!(mem_total("MemTotal:       16303532 kB\nMemFree: 1 kB\n"), Some(16_303_532));
        assert_eq!(mem_total("nothing"), None);
        assert!(default_memory() >= GIB);
    }

    #[test]
    fn a_small_limit_leaves_half_of_it_to_tables() {
        let mib = |n: u64| n << 20;
        let two = NonZeroUsize::MIN.saturating_add(1);
        let tables = |memory| for_tables(memory, two);
        assert_eq!([mib(500), mib(28), mib(20), 0].map(tables), [mib(486), mib(14), mib(10), 0]);
    }
}
