//! `--memory` bounds what the process really holds, not only what its tables say.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const LIMIT_MIB: u64 = 40;

/// The most that a search that never ends had resident before it stopped, in KiB.
fn peak(jobs: &str) -> u64 {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/mutex/bakery-unbounded-pso");
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .arg("check")
        .arg(corpus.join("bakery-unbounded-pso.rmm"))
        .args(["--model", "pso", "--engine", "explicit", "--quiet", "--timeout", "none"])
        .args(["--memory", &format!("{LIMIT_MIB}M"), "--jobs", jobs])
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        // The kernel keeps the maximum; the last look before the end is what counts.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
        peak = kib.unwrap_or(0).max(peak);
        if let Some(ended) = child.try_wait().expect("the child can be waited for") {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(ended.code(), Some(3), "it stops because of the memory");
    peak
}

/// The tickets of the bakery grow for ever. The table of an explicit search grows by half each time, so it may stop with
/// a third of what it was given unused.
#[test]
fn a_search_stays_within_its_memory() {
    for jobs in ["1", "2"] {
        let peak = peak(jobs);
        let limit = LIMIT_MIB * 1024;
        assert!((limit / 2..=limit).contains(&peak), "{jobs} jobs: {peak} KiB of {limit}");
    }
}
