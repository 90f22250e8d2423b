//! Unified diffs of two texts that differ little.
//!
//! *Contract:* `patch -p0` and `git apply -p0` turn the old text into the new one, byte for byte. The diff is a
//! shortest one by lines if no more than [`MAX_CHANGES`] lines differ; otherwise everything between the first and the
//! last difference is replaced. A line keeps its carriage return as a part of it. Equal texts have an empty diff.

use std::fmt::Write;
use std::ops::Range;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// How many lines may differ for a shortest diff. Finding one takes memory in the square of this.
const MAX_CHANGES: usize = 1000;

/// Lines `old` of the one text became lines `new` of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// The unified diff that turns `old` into `new`, with `name`, which must be one line, as the file on both sides.
pub fn unified_diff(name: &str, old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let changes = changes(&old, &new);
    let mut diff = String::new();
    if changes.is_empty() {
        return diff;
    }
    // A tab ends a name with blanks in it.
    let end = if name.contains(char::is_whitespace) { "\t" } else { "" };
    let _ = writeln!(diff, "--- {name}{end}\n+++ {name}{end}");
    let mut rest = &changes[..];
    while let Some(first) = rest.first() {
        let near = |pair: &[Change]| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT;
        let length = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (hunk, behind) = rest.split_at(length);
        let before = first.old.start.min(CONTEXT);
        let last = &hunk[hunk.len() - 1];
        let after = (old.len() - last.old.end).min(CONTEXT);
        let old_range = first.old.start - before..last.old.end + after;
        let new_range = first.new.start - before..last.new.end + after;
        let _ = writeln!(diff, "@@ -{} +{} @@", header(&old_range), header(&new_range));
        let mut at = old_range.start;
        for change in hunk {
            old[at..change.old.start].iter().for_each(|text| line(&mut diff, ' ', text));
            old[change.old.clone()].iter().for_each(|text| line(&mut diff, '-', text));
            new[change.new.clone()].iter().for_each(|text| line(&mut diff, '+', text));
            at = change.old.end;
        }
        old[at..old_range.end].iter().for_each(|text| line(&mut diff, ' ', text));
        rest = behind;
    }
    diff
}

/// Start from 1 and length; an empty range is named by the line before it, and a length of 1 is left out.
fn header(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    }
}

fn line(diff: &mut String, sign: char, text: &str) {
    diff.push(sign);
    diff.push_str(text);
    if !text.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

/// What must be changed, in order, with at least one equal line between any two.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let same_start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[same_start..], &new[same_start..]);
    let same_end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - same_end];
    let new_middle = &new_rest[..new_rest.len() - same_end];
    if old_middle.is_empty() && new_middle.is_empty() {
        return Vec::new();
    }
    let whole = Change { old: 0..old_middle.len(), new: 0..new_middle.len() };
    let mut changes = shortest(old_middle, new_middle).unwrap_or_else(|| vec![whole]);
    for change in &mut changes {
        change.old = change.old.start + same_start..change.old.end + same_start;
        change.new = change.new.start + same_start..change.new.end + same_start;
    }
    changes
}

/// Myers' greedy algorithm: the furthest reach on every diagonal for 0, 1, … changed lines, and then the way back.
fn shortest(old: &[&str], new: &[&str]) -> Option<Vec<Change>> {
    let limit = (old.len() + new.len()).min(MAX_CHANGES);
    // Diagonal k = x - y is at index k + limit + 1.
    let index = |k: isize| (k + limit as isize + 1) as usize;
    let mut reach = vec![0usize; 2 * limit + 3];
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for n_changes in 0..=limit as isize {
        rounds.push(reach[index(-n_changes - 1)..=index(n_changes + 1)].to_vec());
        for k in (-n_changes..=n_changes).step_by(2) {
            let down = k == -n_changes || (k != n_changes && reach[index(k - 1)] < reach[index(k + 1)]);
            let mut x = if down { reach[index(k + 1)] } else { reach[index(k - 1)] + 1 };
            let mut y = (x as isize - k) as usize;
            while x < old.len() && y < new.len() && old[x] == new[y] {
                x += 1;
                y += 1;
            }
            reach[index(k)] = x;
            if x >= old.len() && y >= new.len() {
                return Some(way_back(&rounds, old.len(), new.len()));
            }
        }
    }
    None
}

/// The changes on the way to the end; round n holds the reaches of n - 1 changes, from diagonal -n - 1 on.
fn way_back(rounds: &[Vec<usize>], mut x: usize, mut y: usize) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (n_changes, reach) in rounds.iter().enumerate().skip(1).rev() {
        let n_changes = n_changes as isize;
        let at = |k: isize| reach[(k + n_changes + 1) as usize];
        let k = x as isize - y as isize;
        let down = k == -n_changes || (k != n_changes && at(k - 1) < at(k + 1));
        let from = if down { k + 1 } else { k - 1 };
        let from_x = at(from);
        let from_y = (from_x as isize - from) as usize;
        let change = if down {
            Change { old: from_x..from_x, new: from_y..from_y + 1 }
        } else {
            Change { old: from_x..from_x + 1, new: from_y..from_y }
        };
        match changes.last_mut() {
            // No equal line between this one and the one behind it.
            Some(next) if change.old.end == next.old.start && change.new.end == next.new.start => {
                next.old.start = change.old.start;
                next.new.start = change.new.start;
            }
            _ => changes.push(change),
        }
        (x, y) = (from_x, from_y);
    }
    changes.reverse();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_context_and_correct_headers() {
        assert_eq!(unified_diff("f", "a\nb\n", "a\nb\n"), "");
        assert_eq!(unified_diff("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(
            unified_diff("a b.rmm", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nx\n5\n"),
            "--- a b.rmm\t\n+++ a b.rmm\t\n@@ -2,4 +2,5 @@\n 2\n 3\n 4\n+x\n 5\n"
        );
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old: String = (0..30).map(|i| format!("{i}\n")).collect();
        let new = old.replace("\n5\n6\n", "\n5\nx\n6\n").replace("20\n", "");
        let diff = unified_diff("f", &old, &new);
        let headers: Vec<&str> = diff.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(headers, ["@@ -4,6 +4,7 @@", "@@ -18,7 +19,6 @@"]);
    }

    #[test]
    fn line_ends_are_parts_of_lines() {
        assert_eq!(
            unified_diff("f", "a\r\nb", "a\r\nb;\r\nc"),
            "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\r\n-b\n\\ No newline at end of file\n+b;\r\n+c\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn texts_that_differ_much_are_replaced() {
        let old: String = (0..2000).map(|i| format!("{i}\n")).collect();
        let new: String = (0..2000).map(|i| format!("-{i}\n")).collect();
        let diff = unified_diff("f", &old, &new);
        assert_eq!(diff.lines().count(), 4003);
    }
}
