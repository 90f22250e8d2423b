//! An execution as a table: a row an action, a column a thread, and what happens.

use std::fmt::{self, Write};

use fencewright_base::Index;
use fencewright_ir::{Program, ThreadId};

use crate::cause::Cause;
use crate::story::{Buffers, Done, Effect, IN_ITS_BUFFER, PendingWrite, Place, Row, Story, TO_ITS_BUFFER};
use crate::table::{cut, pad, share, wrap};
use crate::terminal::Style;
use crate::wording::short_name;

/// Past this many threads a column each would leave no room for what they do: a list names the thread in each row.
const MOST_COLUMNS: usize = 6;
/// A column narrower than this tells nothing.
const LEAST_COLUMN: usize = 10;
/// What a thread column may take at most, so that the table does not grow wider than it is read.
const WIDEST_COLUMN: usize = 40;
/// What the last column, which says what happened, has at least.
const LEAST_ROOM: usize = 30;
/// More rows than this do not fit on a screen: then those that only test what the thread knows are left out.
const SCREEN: usize = 24;
/// More parts of one step than this have a line each.
const MOST_IN_A_LINE: usize = 3;
const GAP: &str = "  ";
/// How an execution that comes to rest goes on.
pub(crate) const AT_REST: &str = "  then nothing can happen any more";

/// The rows of an execution: where, who, which statement, what happens.
pub(crate) fn write_table(out: &mut String, program: &Program, story: &Story, style: Style) -> fmt::Result {
    let guilty = match &story.cause {
        Cause::Overtaken(pair) => vec![pair.write, pair.overtaken_by],
        _ => Vec::new(),
    };
    let several_files = story.in_several_files();
    let number = |place: Option<&Place>| match place {
        Some(place) if several_files => format!("{}:{}", short_name(&place.file), place.line),
        Some(place) => place.line.to_string(),
        None => String::new(),
    };
    let heading = if several_files { "place" } else { "line" };
    let lines = story.places().map(|place| number(Some(place)).len()).max().unwrap_or(0).max(heading.len());
    // The mark, a space, the line number.
    let margin = 2 + lines + GAP.len();

    let n_threads = program.threads.len();
    let beside = |last: usize| style.width.saturating_sub(margin + last);
    let fits = |room: usize| n_threads <= MOST_COLUMNS && room / n_threads.max(1) >= LEAST_COLUMN + GAP.len();
    // Where the threads leave room, one line is enough to say where a value comes from.
    let wide = beside(LEAST_ROOM.max(style.width * 3 / 8));
    let room = if fits(wide) { wide } else { beside(LEAST_ROOM) };
    let in_columns = fits(room);
    let column_of = |thread: ThreadId| if in_columns { thread.index() } else { 0 };
    let cell_text = |thread: ThreadId, text: &str| {
        if in_columns { text.to_owned() } else { format!("{}: {text}", program.threads[thread].name) }
    };
    let heads: Vec<String> = if in_columns {
        program.threads.iter().map(|thread| thread.name.clone()).collect()
    } else {
        vec!["thread: statement".to_owned()]
    };
    let mut wants: Vec<usize> = heads.iter().map(|head| head.chars().count()).collect();
    for row in &story.rows {
        let want = &mut wants[column_of(row.thread)];
        let texts = [Some(&row.text), row.failure_at.as_ref().map(|(_, text)| text)];
        for text in texts.into_iter().flatten() {
            *want = cell_text(row.thread, text).chars().count().max(*want).min(WIDEST_COLUMN);
        }
    }
    let widths = share(&wants, room.saturating_sub(heads.len() * GAP.len()).max(heads.len()));
    let left = margin + widths.iter().map(|width| width + GAP.len()).sum::<usize>();
    let room = style.width.saturating_sub(left).max(LEAST_ROOM);

    let mut heading = format!("  {heading:>lines$}{GAP}");
    for (head, width) in heads.iter().zip(&widths) {
        heading.push_str(&pad(&cut(head, *width), *width));
        heading.push_str(GAP);
    }
    heading.push_str("what happens");
    writeln!(out, "{heading}")?;
    let is_shown = |position: usize, tests: bool| {
        let row = &story.rows[position];
        guilty.contains(&position)
            || !is_silent(program, row)
                && !is_bookkeeping(program, story, row)
                && !position.checked_sub(1).is_some_and(|before| passes_at_once(story, before))
                && (tests || row.changes_buffers || !story.phrases(program, row).is_empty())
    };
    let tests = (0..story.rows.len()).filter(|&position| is_shown(position, true)).count() <= SCREEN;
    let mut left_out = false;
    for (position, row) in story.rows.iter().enumerate() {
        if story.repeats_from == Some(position) {
            writeln!(out, "{}", style.paint("  then for ever:", "1"))?;
        }
        let is_guilty = guilty.contains(&position);
        if !is_shown(position, tests) {
            left_out |= is_shown(position, true);
            continue;
        }
        let mark = if is_guilty { '►' } else { ' ' };
        let left_part = |place: Option<&Place>, text: &str| {
            let mut line = format!("{mark} {:>lines$}{GAP}", number(place));
            for (i, width) in widths.iter().enumerate() {
                let here = i == column_of(row.thread);
                let text = if here { cut(&cell_text(row.thread, text), *width) } else { String::new() };
                line.push_str(&pad(&text, *width));
                line.push_str(GAP);
            }
            line
        };
        let mut line = left_part(row.place.as_ref(), &row.text);
        let was_cut = cell_text(row.thread, &row.text).chars().count() > widths[column_of(row.thread)];
        for (i, part) in happened(program, story, position, was_cut, room).into_iter().enumerate() {
            if i > 0 {
                line = " ".repeat(left);
            }
            line.push_str(&part);
            let line = line.trim_end();
            writeln!(out, "{}", if is_guilty { style.paint(line, "1;31") } else { line.to_owned() })?;
        }
        if let (Some((place, text)), Some(failure)) = (&row.failure_at, &row.failure) {
            writeln!(out, "{}{failure}", left_part(Some(place), text))?;
        }
    }
    if story.repeats_from == Some(story.rows.len()) {
        writeln!(out, "{AT_REST}")?;
    }
    if left_out {
        writeln!(out, "  (tests of what a thread has read before are left out)")?;
    }
    Ok(())
}

/// Whether the action writes, and the write reaches memory before anything else happens: that is shown as one. Those
/// that the cause is about are shown as they are.
fn passes_at_once(story: &Story, position: usize) -> bool {
    let next = position + 1;
    let Some(Done::Flush { written_by: Some(writer), .. }) = story.rows.get(next).map(|row| &row.done) else {
        return false;
    };
    let is_guilty = matches!(&story.cause, Cause::Overtaken(pair) if pair.write == position || pair.overtaken_by == position);
    let Done::Step { effects, .. } = &story.rows[position].done else { return false };
    let writes = effects.iter().filter(|effect| matches!(effect, Effect::Write { .. })).count();
    *writer == position && writes == 1 && !is_guilty && story.repeats_from != Some(next)
}

/// Whether it is a step that does nothing and arrives nowhere: a jump, or a place that only a fence would fill.
fn is_silent(program: &Program, row: &Row) -> bool {
    let Done::Step { edge, .. } = &row.done else { return false };
    let step = &program.edge(row.thread, *edge).step;
    step.ops.is_empty() && step.lock.is_none() && row.arrives_at.is_none() && row.failure.is_none()
}

/// Whether it is a step whose accesses are nothing that a reader needs to know of.
fn is_bookkeeping(program: &Program, story: &Story, row: &Row) -> bool {
    let Done::Step { effects, .. } = &row.done else { return false };
    let accesses = effects.iter().any(|effect| !matches!(effect, Effect::Assign { .. }));
    accesses && !row.changes_buffers && row.failure.is_none() && story.phrases(program, row).is_empty()
}

/// What an action did, and its thread's buffers if they changed, in lines of at most `room` characters. `was_cut`: the
/// thread's column does not show its text whole.
fn happened(program: &Program, story: &Story, position: usize, was_cut: bool, room: usize) -> Vec<String> {
    let row = &story.rows[position];
    let mut parts = story.phrases(program, row);
    if passes_at_once(story, position) {
        for part in &mut parts {
            if let Some(write) = part.strip_suffix(TO_ITS_BUFFER) {
                *part = format!("{write} to memory, at once");
            } else if let Some(done) = part.strip_suffix(IN_ITS_BUFFER) {
                *part = done.to_owned();
            }
        }
        return wrap(&parts.join("; "), room);
    }
    if was_cut && matches!(row.done, Done::Flush { .. }) {
        parts.push(row.text.clone());
    }
    // What happens together, as in an atomic section, is told in lines of its own, not in one long sentence.
    let mut lines: Vec<String> = if parts.len() > MOST_IN_A_LINE {
        parts.iter().flat_map(|part| wrap(part, room)).collect()
    } else {
        wrap(&parts.join("; "), room)
    };
    if row.changes_buffers {
        let name = &program.threads[row.thread].name;
        let buffers =
            format!("{name}: {}", buffers_text(row.buffers.iter().find(|b| b.thread == row.thread)));
        let last = lines.last_mut().expect("wrapping gives at least a line");
        if last.is_empty() {
            *last = buffers;
        } else if last.chars().count() + 3 + buffers.chars().count() <= room {
            last.push_str("   ");
            last.push_str(&buffers);
        } else {
            lines.extend(wrap(&buffers, room));
        }
    }
    lines
}

/// `[x=1, y=2]`, a pair of brackets for each queue; `|` is the mark of a store-store fence.
pub(crate) fn buffers_text(buffers: Option<&Buffers>) -> String {
    let Some(Buffers { queues, .. }) = buffers else { return "[]".to_owned() };
    let entry = |entry: &Option<PendingWrite>| match entry {
        Some((name, value, _)) => format!("{name}={value}"),
        None => "|".to_owned(),
    };
    let queue =
        |queue: &Vec<Option<_>>| format!("[{}]", queue.iter().map(entry).collect::<Vec<_>>().join(", "));
    queues.iter().map(queue).collect::<Vec<_>>().join(" ")
}
