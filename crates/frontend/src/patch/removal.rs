//! A fence taken out of the text again.
//!
//! Which texts a language takes is not known here: ways to write the text without the fence are tried, neatest first,
//! and the first one that loads as the same statements without this one is taken. So a fence in a macro that is used
//! twice, or one that is the whole body of a loop, stays: there is no way to take it out alone.

use fencewright_base::{FileId, SourceMap, Span};
use fencewright_ir::{Op, Program, StatementId};

use super::{Edit, apply_edits, blank, line_end, line_start};
use crate::Language;

/// The edits that take the statement, which is nothing but a fence, out of the text. `None` if that cannot be written.
pub fn without_fence(
    language: &Language,
    sources: &SourceMap,
    file: FileId,
    program: &Program,
    statement: StatementId,
) -> Option<Vec<Edit>> {
    let span = program.statements[statement].span.filter(|span| span.file == file)?;
    let mut steps = program.threads.iter().flat_map(|thread| &thread.edges).map(|edge| &edge.step);
    if !steps.all(|step| step.statement != statement || matches!(&step.ops[..], [Op::Fence(_)])) {
        return None;
    }
    let text = sources.file(file).text();
    let all = program.statements.iter_enumerated();
    let expected: Vec<&str> =
        all.filter(|(id, _)| *id != statement).map(|(_, other)| other.text.as_str()).collect();
    let reads_so = |edit: &Edit| {
        let mut sources = SourceMap::new();
        let file = sources.add("without the fence", apply_edits(text, std::slice::from_ref(edit)));
        (language.load)(&sources, file).is_ok_and(|loaded| {
            loaded.program.statements.iter().map(|other| other.text.as_str()).eq(expected.iter().copied())
        })
    };
    ways(text, span).into_iter().find(reads_so).map(|edit| vec![edit])
}

/// Edits that may take the text under the span out.
fn ways(text: &str, span: Span) -> Vec<Edit> {
    let (start, end) = (span.start as usize, span.end as usize);
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let cut = |start: usize, end: usize| Edit { range: start..end, text: String::new() };
    let empty = Edit { range: start..end, text: blank(&text[start..end]) };
    if text[line_start(text, start)..line_end(text, end)].contains('|') {
        // A cell of a table: the others of its row must stay in their columns.
        return vec![empty];
    }
    let mut ways = Vec::new();
    let semicolon = end + blanks(&text[end..]);
    if text[semicolon..].starts_with(';') {
        let behind = semicolon + 1;
        let (line, line_end) = (line_start(text, start), line_end(text, behind));
        if text[line..start].trim().is_empty() && text[behind..line_end].trim().is_empty() {
            let next = text[line_end..].find('\n').map_or(text.len(), |newline| line_end + newline + 1);
            ways.push(cut(line, next));
        }
        ways.push(cut(start, behind + blanks(&text[behind..])));
    }
    // The last of a list: the semicolon before it goes with it.
    let before = text[..start].trim_end();
    if before.ends_with(';') {
        ways.push(cut(before.len() - 1, end));
    }
    ways.push(empty);
    ways
}
