//! The corpus says how many fences a repair needs; the numbers come from brute force and from papers.

mod common;

use std::path::Path;

use common::{ask, fences, repaired, request};
use fencewright_testkit::corpus;
use fencewright_synth::Repair;

#[test]
fn probe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let only = std::env::var("ONLY").unwrap_or_default();
    for entry in corpus::load(&root).expect("the corpus is well-formed") {
        if !entry.name.contains(&only) { continue; }
        for (model, e) in &entry.expected {
            let Some(f) = &e.fences else { continue };
            let t = std::time::Instant::now();
            let got = match ask(&request(&entry.program, *model)) {
                Repair::Repaired(r) => format!("{} rounds {} min {} unneeded {:?}", fences(r.remedies.iter().map(|c| c.remedy)), r.rounds, r.minimum, r.unneeded),
                Repair::NotFound(n) => format!("notfound cand {} rounds {}", fences(n.candidate), n.rounds),
                Repair::AlreadySafe(_) => "safe".into(),
                Repair::WrongUnderSc(_) => "wrong sc".into(),
            };
            eprintln!("{} {} expect [{f}] got [{got}] {:?} sites {}", entry.name, model.name(), t.elapsed(), fencewright_ir::sites(&entry.program).len());
        }
    }
}
