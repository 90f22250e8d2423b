//! Sets of store buffers, as certificates write them: for each queue an expression for the writes it may hold. This is a
//! description of its own, with inclusion decided by automata; nothing here knows how the search keeps buffers.
//!
//! An expression is a row of pieces, each read as `any* last`: any number of writes out of a list, then one certain write.
//! `w` is a piece with an empty list, `w⁺` one with the list `w`. Under TSO a thread has one queue. Under PSO it has one
//! for each cell, divided into epochs by the marks of store-store fences; a set of buffers with so many marks contains
//! those with more marks at further places, too, for a mark only forbids.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Int;
use fencewright_ir::CellId;
use fencewright_memory::{Model, Pending};
use serde::{Deserialize, Serialize};

/// A write: the cell, and the value as text, for it has no bound.
pub(crate) type Write = (u32, String);

/// `any* last`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Piece {
    pub(crate) any: Vec<Write>,
    pub(crate) last: Write,
}

/// The writes of a queue, oldest first. Never empty.
pub(crate) type Queue = Vec<Piece>;

/// Queues that have something pending between two marks, by cell under PSO; under TSO the one queue has number 0.
pub(crate) type Epoch = BTreeMap<u32, Queue>;

/// What one thread may have pending. Only the last epoch can be empty, and is not the only one then.
pub(crate) type Pattern = Vec<Epoch>;

/// The number of the queue that a write of the cell goes to.
fn queue_of(model: Model, cell: u32) -> u32 {
    if model == Model::Pso { cell } else { 0 }
}

/// Whether this is a set of buffers of the model in which a thread sees of its own writes the same in all of them: for
/// each cell that occurs there is one newest value.
pub(crate) fn fits(pattern: &[Epoch], model: Model, n_cells: usize) -> bool {
    let last = pattern.len().saturating_sub(1);
    let number = |text: &str| text.parse::<Int>().is_ok_and(|value| value.to_string() == text);
    let in_place = |queue: u32, write: &Write| {
        (write.0 as usize) < n_cells && queue_of(model, write.0) == queue && number(&write.1)
    };
    // What may be repeated comes once more for certain, there or further on.
    let settled = |pieces: &[Piece]| {
        let comes = |cell: u32| pieces.iter().any(|piece| piece.last.0 == cell);
        pieces[0].any.iter().all(|write| comes(write.0))
    };
    let queue = |(&number, pieces): (&u32, &Queue)| {
        !pieces.is_empty()
            && pieces.iter().all(|piece| piece.any.iter().chain([&piece.last]).all(|w| in_place(number, w)))
            && (0..pieces.len()).all(|from| settled(&pieces[from..]))
    };
    (model == Model::Pso || pattern.len() <= 1)
        && pattern.iter().enumerate().all(|(i, epoch)| !epoch.is_empty() || (i == last && i > 0))
        && pattern.iter().flatten().all(queue)
}

/// The buffer of the set with the fewest writes.
pub(crate) fn shortest(pattern: &[Epoch], model: Model) -> Pending {
    let numbers: BTreeSet<u32> = pattern.iter().flat_map(|epoch| epoch.keys().copied()).collect();
    let mut queues = Vec::new();
    for number in numbers {
        let mut queue = Vec::new();
        for (i, epoch) in pattern.iter().enumerate() {
            queue.extend((i > 0).then_some(None));
            let pieces = epoch.get(&number).into_iter().flatten();
            let write = |piece: &Piece| {
                let value = piece.last.1.parse().expect("the form was checked");
                Some((CellId(piece.last.0), value))
            };
            queue.extend(pieces.map(write));
        }
        queues.push(queue);
    }
    Pending::from_queues(model, &queues)
}

/// The set of the same buffers with what a step has added to the shortest of them.
pub(crate) fn extended(pattern: &[Epoch], after: &Pending, model: Model) -> Pattern {
    let mut epochs: Vec<BTreeMap<u32, Vec<Write>>> = Vec::new();
    for queue in after.rules().queues() {
        let mut epoch = 0;
        for entry in queue {
            match entry {
                None => epoch += 1,
                Some((cell, value)) => {
                    epochs.resize_with(epochs.len().max(epoch + 1), BTreeMap::new);
                    let queue = epochs[epoch].entry(queue_of(model, cell.0)).or_default();
                    queue.push((cell.0, value.to_string()));
                }
            }
            epochs.resize_with(epochs.len().max(epoch + 1), BTreeMap::new);
        }
    }
    let mut pattern = pattern.to_vec();
    pattern.resize_with(epochs.len(), Epoch::new);
    for (own, after) in pattern.iter_mut().zip(epochs) {
        for (number, writes) in after {
            let queue = own.entry(number).or_default();
            let known = queue.len();
            queue.extend(writes.into_iter().skip(known).map(|last| Piece { any: Vec::new(), last }));
        }
    }
    pattern
}

/// The writes that may reach memory first, each with what may be left then.
pub(crate) fn flushes(pattern: &[Epoch]) -> Vec<(Write, Pattern)> {
    let mut found = Vec::new();
    for (number, queue) in pattern.first().into_iter().flatten() {
        let first = &queue[0];
        found.extend(first.any.iter().map(|write| (write.clone(), pattern.to_vec())));
        let mut left = pattern.to_vec();
        if queue.len() > 1 {
            left[0].get_mut(number).expect("it is there").remove(0);
        } else {
            left[0].remove(number);
            // A mark with nothing before it leaves; so does the last one if nothing is behind it.
            if left[0].is_empty() {
                left.remove(0);
            }
            if left.len() == 1 && left[0].is_empty() {
                left.clear();
            }
        }
        found.push((first.last.clone(), left));
    }
    found
}

/// Whether the second set of buffers contains the first. Each of its epochs stands for one epoch of the first or for
/// several that follow one another.
pub(crate) fn is_contained(own: &[Epoch], theirs: &[Epoch]) -> bool {
    let Some((first, others)) = theirs.split_first() else { return own.is_empty() };
    let mut joined = Epoch::new();
    for (i, epoch) in own.iter().enumerate() {
        for (&number, queue) in epoch {
            joined.entry(number).or_default().extend(queue.iter().cloned());
        }
        let same = joined.keys().eq(first.keys())
            && joined.values().zip(first.values()).all(|(own, theirs)| is_within(own, theirs));
        if same && is_contained(&own[i + 1..], others) {
            return true;
        }
    }
    false
}

/// Whether every word of the first expression is one of the second: the automaton of the first, with the sets of places
/// where that of the second can be.
fn is_within(own: &[Piece], theirs: &[Piece]) -> bool {
    if theirs.len() >= 64 {
        return own == theirs;
    }
    let mut seen = BTreeSet::from([(0, 1u64)]);
    let mut open = vec![(0, 1u64)];
    while let Some((place, set)) = open.pop() {
        let Some(piece) = own.get(place) else {
            if set & (1 << theirs.len()) == 0 {
                return false;
            }
            continue;
        };
        let staying = piece.any.iter().map(|write| (place, write));
        for (next, write) in staying.chain([(place + 1, &piece.last)]) {
            let mut after = 0;
            for (at, other) in theirs.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0) {
                after |= u64::from(other.any.contains(write)) << at;
                after |= u64::from(other.last == *write) << (at + 1);
            }
            if after == 0 {
                return false;
            }
            if seen.insert((next, after)) {
                open.push((next, after));
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str) -> Write {
        let (cell, value) = text.split_at(1);
        (u32::from(cell == "y"), value.to_owned())
    }

    fn queue(pieces: &[(&[&str], &str)]) -> Queue {
        let piece = |(any, last): &(&[&str], &str)| Piece {
            any: any.iter().map(|text| write(text)).collect(),
            last: write(last),
        };
        pieces.iter().map(piece).collect()
    }

    /// All words of at most four letters.
    fn words(letters: &[&str]) -> Vec<Vec<Write>> {
        let longer = |words: Vec<Vec<Write>>| -> Vec<Vec<Write>> {
            let with = |word: &Vec<Write>| -> Vec<Vec<Write>> {
                letters.iter().map(|letter| [&word[..], &[write(letter)]].concat()).collect()
            };
            words.iter().flat_map(with).chain([Vec::new()]).collect()
        };
        (0..4).fold(vec![Vec::new()], |words, _| longer(words))
    }

    fn accepts(pieces: &[Piece], word: &[Write]) -> bool {
        match (pieces.split_first(), word.split_first()) {
            (None, first) => first.is_none(),
            (Some(_), None) => false,
            (Some((piece, rest)), Some((first, left))) => {
                (piece.last == *first && accepts(rest, left))
                    || (piece.any.contains(first) && accepts(pieces, left))
            }
        }
    }

    /// Words of four letters tell these apart: none has more than three pieces.
    #[test]
    fn inclusion_is_that_of_the_words() {
        let expressions = [
            queue(&[(&[], "x1")]),
            queue(&[(&["x1"], "x1")]),
            queue(&[(&["x1", "x2"], "x1")]),
            queue(&[(&[], "x1"), (&[], "x1")]),
            queue(&[(&[], "x2"), (&["x1"], "x1")]),
            queue(&[(&["x1", "x2", "y1"], "x1"), (&["y1"], "y1")]),
            queue(&[(&["x1", "y1"], "y1"), (&["x1"], "x1")]),
            queue(&[(&["x1", "y1"], "x1"), (&[], "y1")]),
            queue(&[(&[], "x1"), (&["y1"], "y1"), (&[], "y1")]),
        ];
        let words = words(&["x1", "x2", "y1"]);
        let (mut within, mut not) = (0, 0);
        for own in &expressions {
            for theirs in &expressions {
                let expected = words.iter().all(|word| !accepts(own, word) || accepts(theirs, word));
                assert_eq!(is_within(own, theirs), expected, "{own:?} in {theirs:?}");
                *(if expected { &mut within } else { &mut not }) += 1;
            }
        }
        assert!(within > expressions.len() + 5 && not > 30, "{within} {not}");
    }

    #[test]
    fn a_set_with_two_newest_values_is_none() {
        let tso = |pieces| fits(&[Epoch::from([(0, queue(pieces))])], Model::Tso, 2);
        assert!(tso(&[(&["x1", "y1"], "x2"), (&[], "y1")]));
        assert!(!tso(&[(&["x1", "y1"], "x2")]), "y may be pending or not");
        assert!(!tso(&[(&[], "y1"), (&["y2"], "x2")]), "the newest of y is 1 or 2");
        assert!(!tso(&[]));
        assert!(fits(&[], Model::Tso, 2));
        let pso = |number| fits(&[Epoch::from([(number, queue(&[(&[], "y1")]))])], Model::Pso, 2);
        assert!(pso(1) && !pso(0));
    }

    #[test]
    fn fewer_marks_contain_more() {
        let x = || Epoch::from([(0, queue(&[(&[], "x1")]))]);
        let marked = [x(), x(), Epoch::new()];
        let joined = Epoch::from([(0, queue(&[(&["x1"], "x1")]))]);
        assert!(is_contained(&marked, std::slice::from_ref(&joined)));
        assert!(is_contained(&marked, &[x(), x()]));
        assert!(!is_contained(std::slice::from_ref(&joined), &marked));
        assert!(!is_contained(&marked, &[x()]));
        assert!(is_contained(&marked, &[joined, Epoch::new()]));
        // The mark leaves with the last write before it.
        let [(_, left)] = &flushes(&[x(), Epoch::new()])[..] else { panic!("one write may leave") };
        assert!(left.is_empty());
    }
}
