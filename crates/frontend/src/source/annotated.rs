//! What positions of the compiled text are in the user's files.

use std::collections::BTreeSet;
use std::ops::Range;

use fencewright_base::{FileId, SourceMap, Span};
use fencewright_ir::Side;

use super::instrument::{Instrumented, instrument};
use super::outline::{Outline, on_one_line};
use super::{Dialect, outline_of};

/// A place at which a fence can be written, as the lowering sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInfo {
    /// The statement beside which the fence stands. Span and side together name the place.
    pub span: Span,
    /// On which side.
    pub side: Side,
    /// How many loops of the text are around it.
    pub loop_depth: u32,
    /// The statement on one line, without its body.
    pub text: String,
}

/// A text with the calls that were put into it, and the other files its debug information names.
#[derive(Debug)]
pub struct Annotated<'a> {
    sources: &'a SourceMap,
    main: FileId,
    outline: Outline,
    instrumented: Instrumented,
    kept: BTreeSet<u32>,
    others: Vec<(FileId, Outline)>,
}

impl<'a> Annotated<'a> {
    /// Puts calls at the places of a file numbered in `kept`. The other files are those a trace may quote.
    pub fn new(
        sources: &'a SourceMap,
        dialect: Dialect,
        main: FileId,
        outline: Outline,
        kept: BTreeSet<u32>,
        others: &[FileId],
    ) -> Self {
        let file = sources.file(main);
        let instrumented = instrument(dialect, file.name(), file.text(), &outline, &kept);
        let others = others.iter().map(|&id| (id, outline_of(dialect, sources.file(id).text()))).collect();
        Self { sources, main, outline, instrumented, kept, others }
    }

    /// The place with this number, if a call was put there.
    pub fn place(&self, number: u32) -> Option<PlaceInfo> {
        let place = self.outline.places.get(number as usize).filter(|_| self.kept.contains(&number))?;
        let text = self.sources.file(self.main).text();
        Some(PlaceInfo {
            span: Span::new(self.main, place.span.start, place.span.end),
            side: place.side,
            loop_depth: place.loop_depth,
            text: on_one_line(&text[place.head.clone()]),
        })
    }

    /// The statement at a position of the compiled text: line and column from 1, the column in bytes, 0 if not known.
    pub fn statement_at(&self, file: &str, line: u32, column: u32) -> Option<(Span, String)> {
        let (line, column) = (line as usize, column as usize);
        if let Some((id, outline)) = self.others.iter().find(|(id, _)| self.sources.file(*id).name() == file)
        {
            let start = line_start(self.sources.file(*id).text(), line)?;
            return self.statement(*id, outline, start, column.checked_sub(1).map(|column| start + column));
        }
        if !self.is_main(file) {
            return None;
        }
        let start = self.instrumented.original(line, 1)?;
        let offset = if column > 0 { self.instrumented.original(line, column) } else { None };
        self.statement(self.main, &self.outline, start, offset)
    }

    /// The piece at the byte, or else the first one on the line that starts there.
    fn statement(
        &self,
        id: FileId,
        outline: &Outline,
        line_start: usize,
        offset: Option<usize>,
    ) -> Option<(Span, String)> {
        let text = self.sources.file(id).text();
        let line_end = text[line_start..].find('\n').map_or(text.len(), |length| line_start + length);
        let piece: Range<usize> = offset
            .and_then(|offset| outline.piece_at(offset))
            .or_else(|| outline.first_piece_in(line_start..line_end))
            .or_else(|| outline.piece_at(line_start))?;
        let shown = on_one_line(&text[piece.clone()]);
        Some((Span::new(id, piece.start, piece.end), shown))
    }

    /// Whether debug information means the user's own file. Compilers read it from standard input: C is told the name,
    /// Rust has one of its own for it.
    fn is_main(&self, file: &str) -> bool {
        let name = self.sources.file(self.main).name();
        file == name || matches!(file, "<stdin>" | "<anon>" | "-")
    }
}

fn line_start(text: &str, line: usize) -> Option<usize> {
    match line {
        0 => None,
        1 => Some(0),
        _ => text.match_indices('\n').nth(line - 2).map(|(at, _)| at + 1),
    }
}
