//! A fence written into the text at a site gives the same program as the edit of the program at that site. This ties
//! `Statement::span`, the labels and the room for fences that lowering gives to what they mean.

mod rmm_valid;

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::SourceMap;
use fencewright_frontend::rmm::LANGUAGE;
use fencewright_ir::{FenceKind, LocId, Program, Side, Thread, edit, sites};
use rmm_valid::VALID;

fn load(text: &str) -> Program {
    let mut map = SourceMap::new();
    let file = map.add("valid.rmm", text);
    match (LANGUAGE.load)(&map, file) {
        Ok(loaded) => loaded.program,
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
fn same(threads: [&Thread; 2]) -> bool {
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

#[test]
fn a_fence_in_the_text_is_the_fence_of_the_edit() {
    let mut n_sites = 0;
    for text in VALID {
        let program = load(text);
        for site in sites(&program) {
            let statement = &program.statements[site.statement];
            if statement.text.starts_with("slocked") {
                continue; // Two steps, so the edit puts a fence between them, too. It adds nothing to the one behind.
            }
            let span = statement.span.unwrap();
            let (start, end) = (span.start as usize, span.end as usize);
            // Braces, because the statement may be the whole branch of an `if`.
            let inside = match site.side {
                Side::Before => format!("fence; {}", &text[start..end]),
                Side::After => format!("{}; fence", &text[start..end]),
            };
            let patched = load(&format!("{}{{ {inside} }}{}", &text[..start], &text[end..]));
            let edited = edit::insert_fence(&program, site, FenceKind::Full);
            for (patched, edited) in patched.threads.iter().zip(&edited.threads) {
                assert!(same([patched, edited]), "{site:?} at `{}` of\n{text}", statement.text);
            }
            let other = edit::insert_fence(&program, site, FenceKind::StoreStore);
            let told_apart = other.threads.iter().zip(&edited.threads).any(|(a, b)| !same([a, b]));
            assert!(told_apart, "the comparison sees no fence at `{}`", statement.text);
            n_sites += 1;
        }
    }
    assert!(n_sites >= 50, "{n_sites} sites");
}
