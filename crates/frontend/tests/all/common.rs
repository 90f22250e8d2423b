//! What several tests share: loading, and comparing the threads of two programs.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{FileId, SourceMap};
use fencewright_frontend::Language;
use fencewright_ir::{LocId, Program, Thread};

/// A text in a source map, and its program. Panics if it does not load.
pub(crate) fn load(language: &Language, text: &str) -> (SourceMap, FileId, Program) {
    let mut map = SourceMap::new();
    let file = map.add(format!("test.{}", language.extensions[0]), text);
    match (language.load)(&map, file) {
        Ok(loaded) => (map, file, loaded.program),
        Err(problems) => {
            let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            panic!("{said:#?}\nin\n{text}")
        }
    }
}

/// Where a location leads by itself: a jump behind a fence takes no step in the text, and an empty one in the edit.
fn settled(thread: &Thread, mut location: LocId) -> LocId {
    let outgoing = thread.outgoing();
    for _ in 0..thread.locations.len() {
        let [edge] = outgoing[location][..] else { break };
        let edge = &thread.edges[edge];
        if !thread.locations[location].labels.is_empty() || !edge.step.ops.is_empty() {
            break;
        }
        location = edge.to;
    }
    location
}

/// Whether the threads are bisimilar: whatever the one does from its entry the other does, through the same labels.
pub(crate) fn same(threads: [&Thread; 2]) -> bool {
    // The class of every location; classes are split until locations of one class have the same steps to the same
    // classes.
    let mut classes: [Vec<usize>; 2] = threads.map(|thread| vec![0; thread.locations.len()]);
    let mut n_classes = 0;
    loop {
        let mut signatures = BTreeMap::new();
        let next = [0, 1].map(|i| {
            let thread = threads[i];
            let outgoing = thread.outgoing();
            let class_of = |location: LocId| {
                let labels: BTreeSet<&String> = thread.locations[location].labels.iter().collect();
                let steps: BTreeSet<(String, usize)> = outgoing[location]
                    .iter()
                    .map(|&edge| &thread.edges[edge])
                    .map(|edge| {
                        let to = settled(thread, edge.to).0 as usize;
                        (format!("{:?} {:?}", edge.step.lock, edge.step.ops), classes[i][to])
                    })
                    .collect();
                let next = signatures.len();
                *signatures.entry((labels, steps)).or_insert(next)
            };
            thread.locations.indices().map(class_of).collect::<Vec<usize>>()
        });
        let n_next = signatures.len();
        classes = next;
        if n_next == n_classes {
            break;
        }
        n_classes = n_next;
    }
    let entry = |i: usize| classes[i][settled(threads[i], threads[i].entry).0 as usize];
    entry(0) == entry(1)
}
