//! The order of configurations: `a` is below `b` if `b` demands at least what `a` demands, so that every state `b` stands
//! for is one that `a` stands for. Given equal nodes (or [`ANYWHERE`](crate::system::ANYWHERE) in `a`):
//!
//! - what `a` knows of memory, `b` knows too;
//! - the `See` entries of each queue go, in order, to entries of `b` that show as much; two may go to the same one,
//!   because a memory can be looked at twice. An `Own` entry of `a` is in `b`, behind where the `See` entries before it go;
//! - each store buffer's values are a sub-word of those of `b`. If `a` knows the newest, so does `b`, and it is the same.
//!
//! It is a well-quasi-order: nodes, memory and the newest values are finite, the rest are words over finite alphabets
//! (Higman's lemma; that two entries may share a place only adds pairs to the order).

use crate::config::{ANY, Config, Entry, MOMENT, OWN, SEE, take_entry, take_u16, take_word};
use crate::system::System;

/// Whether the first is below the second. Both packed, their nodes equal or anywhere in the first.
pub(crate) fn below(system: &System<'_>, a: &[u8], b: &[u8]) -> bool {
    let cells = system.n_cells();
    let (memory_a, mut a) = a.split_at(cells);
    let (memory_b, mut b) = b.split_at(cells);
    if !memory_a.iter().zip(memory_b).all(|(x, y)| *x == ANY || x == y) {
        return false;
    }
    if system.single {
        // A check, not a fast path: the nodes do not matter here.
        let nodes = vec![0; system.n_threads()];
        let unpack = |memory: &[u8], rest: &[u8]| Config::unpack(system, &nodes, &[memory, rest].concat());
        return queues_below_in_turn(&unpack(memory_a, a), &unpack(memory_b, b));
    }
    for _ in system.late.iter().filter(|late| **late) {
        let (n_a, n_b) = (take_u16(&mut a), take_u16(&mut b));
        if !queue_below(&mut a, n_a, &mut b, n_b) {
            return false;
        }
    }
    buffers_below(a, b)
}

/// Both cursors stand behind their queues afterwards if the answer is yes.
fn queue_below(a: &mut &[u8], n_a: u16, b: &mut &[u8], n_b: u16) -> bool {
    // `at`: the entry of `b` that the last `See` went to, and those behind it.
    let (mut at, mut left) = (*b, n_b);
    for _ in 0..n_a {
        let (kind, pairs) = take_entry(a);
        match kind {
            SEE | MOMENT => {
                // Leftmost is best: it leaves most room behind.
                loop {
                    if left == 0 {
                        return false;
                    }
                    let mut next = at;
                    let (other, shown) = take_entry(&mut next);
                    if other == kind && shows(shown, pairs) {
                        break;
                    }
                    (at, left) = (next, left - 1);
                }
            }
            OWN => {
                let (mut next, mut found) = (at, false);
                for _ in 0..left {
                    let (other, shown) = take_entry(&mut next);
                    found |= other == OWN && shown == pairs;
                }
                if !found {
                    return false;
                }
            }
            _ => return false,
        }
    }
    for _ in 0..n_b {
        take_entry(b);
    }
    true
}

/// Whether the pairs, sorted by cell, contain all of the others.
fn shows(all: &[u8], some: &[u8]) -> bool {
    let mut all = all.chunks_exact(2);
    some.chunks_exact(2).all(|pair| all.any(|shown| shown == pair))
}

fn buffers_below(mut a: &[u8], mut b: &[u8]) -> bool {
    while !a.is_empty() {
        let place = take_u16(&mut a);
        let (exact, values) = take_word(&mut a);
        loop {
            if b.is_empty() {
                return false;
            }
            let other = take_u16(&mut b);
            let (other_exact, other_values) = take_word(&mut b);
            if other < place {
                continue;
            }
            let newest = !exact || other_exact && values.last() == other_values.last();
            if other > place || !newest || !is_subword(values, other_values) {
                return false;
            }
            break;
        }
    }
    true
}

fn is_subword(some: &[u8], all: &[u8]) -> bool {
    let mut all = all.iter();
    some.iter().all(|value| all.any(|other| other == value))
}

/// The order of queues in the single-buffer machine: as above for each thread, and the places that `See` entries go to
/// come in the same order for all threads together.
fn queues_below_in_turn(a: &Config, b: &Config) -> bool {
    let in_turn = |config: &Config| -> Vec<(u8, usize)> {
        let sees = |queue: &Vec<Entry>| -> Vec<usize> {
            let places = queue.iter().enumerate();
            places.filter(|(_, entry)| matches!(entry, Entry::See(_))).map(|(place, _)| place).collect()
        };
        let mut left: Vec<_> = config.queues.iter().map(|queue| sees(queue).into_iter()).collect();
        let next = |&thread: &u8| (thread, left[thread as usize].next().expect("a turn for each entry"));
        config.turns.iter().map(next).collect()
    };
    let (turns_a, turns_b) = (in_turn(a), in_turn(b));
    // Where each entry of `a` goes.
    let mut goes: Vec<Vec<Option<usize>>> = a.queues.iter().map(|queue| vec![None; queue.len()]).collect();
    let mut at = 0;
    for &(thread, place) in &turns_a {
        let Entry::See(wanted) = &a.queues[thread as usize][place] else { return false };
        loop {
            let Some(&(other, other_place)) = turns_b.get(at) else { return false };
            if other == thread
                && let Entry::See(shown) = &b.queues[other as usize][other_place]
                && wanted.iter().all(|pair| shown.contains(pair))
            {
                goes[thread as usize][place] = Some(other_place);
                break;
            }
            at += 1;
        }
    }
    (0..a.queues.len()).all(|thread| {
        let mut least = 0;
        a.queues[thread].iter().enumerate().all(|(place, entry)| {
            least = goes[thread][place].unwrap_or(least);
            match entry {
                Entry::See(_) => true,
                Entry::Own(..) | Entry::Moment(_) => b.queues[thread][least..].contains(entry),
            }
        })
    })
}
