//! What the typed search options mean.

use std::num::NonZeroUsize;

use fencewright_base::Budget;
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
            budget: Budget { time: timeout.0, memory, states: *max_states },
        }
    }
}

const GIB: u64 = 1 << 30;

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
}
