//! What positions of the compiled text are in the user's files.

use std::ops::Range;
use std::path::Path;

use fencewright_base::{FileId, SourceMap, Span};
use fencewright_ir::Side;

use super::instrument::Instrumented;
use super::orders::stronger_words;
use super::outline::{Outline, on_one_line};
use super::uses::order_name;
use super::{Dialect, outline_of, tree_of};
use crate::llvm::{OrderInfo, PlaceInfo, Places};

/// A text with the calls that were put into it, and the other files its debug information names.
#[derive(Debug)]
pub struct Annotated<'a> {
    sources: &'a SourceMap,
    dialect: Dialect,
    main: FileId,
    outline: Outline,
    instrumented: Instrumented,
    others: Vec<(FileId, Outline)>,
}

impl<'a> Annotated<'a> {
    /// A file, its outline, and what the compiler was given for it. The other files are those a trace may quote.
    pub fn new(
        sources: &'a SourceMap,
        dialect: Dialect,
        main: FileId,
        outline: Outline,
        instrumented: Instrumented,
        others: &[FileId],
    ) -> Self {
        let others = others.iter().map(|&id| (id, outline_of(dialect, sources.file(id).text()))).collect();
        Self { sources, dialect, main, outline, instrumented, others }
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
        // Clang writes a file below its own folder relative to that.
        (!file.is_empty() && Path::new(name).ends_with(file)) || matches!(file, "<stdin>" | "<anon>" | "-")
    }
}

impl Annotated<'_> {
    /// The byte of the user's own text that a position of the compiled one stands for.
    fn offset(&self, file: &str, line: u32, column: u32) -> Option<usize> {
        let is_here = column > 0 && self.is_main(file);
        if is_here { self.instrumented.original(line as usize, column as usize) } else { None }
    }
}

impl Places for Annotated<'_> {
    fn place(&self, number: u32) -> Option<PlaceInfo> {
        let place = self.outline.places.get(number as usize).filter(|_| self.instrumented.has(number))?;
        let text = self.sources.file(self.main).text();
        // Before the end of a block there is no statement to name, but its brace.
        let (span, shown) = match place.side {
            Side::Before => (place.span.clone(), on_one_line(&text[place.head.clone()])),
            Side::After => {
                let end = if text[place.at..].starts_with('}') { place.at + 1 } else { place.at };
                let shown = format!("}} after {}", on_one_line(&text[place.head.clone()]));
                (place.at..end, shown)
            }
        };
        let span = Span::new(self.main, span.start, span.end);
        Some(PlaceInfo { span, loop_depth: place.loop_depth, text: shown })
    }

    fn statement_at(&self, file: &str, line: u32, column: u32) -> Option<(Span, String)> {
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

    fn order_at(&self, file: &str, line: u32, column: u32) -> Option<OrderInfo> {
        let order = self.outline.order_at(self.offset(file, line, column)?)?;
        let text = self.sources.file(self.main).text();
        let word = &text[order.word.clone()];
        let named = |variant: &str| {
            let tree = (self.dialect == Dialect::Rust).then(|| tree_of(self.dialect, text)).flatten();
            tree.map_or_else(
                || variant.to_owned(),
                |tree| order_name(text, tree.root_node(), order.word.start, variant),
            )
        };
        Some(OrderInfo {
            span: Span::new(self.main, order.word.start, order.word.end),
            text: on_one_line(&text[order.call.clone()]),
            loop_depth: order.loop_depth,
            word: word.to_owned(),
            stronger: stronger_words(word, &named),
        })
    }
}

fn line_start(text: &str, line: usize) -> Option<usize> {
    match line {
        0 => None,
        1 => Some(0),
        _ => text.match_indices('\n').nth(line - 2).map(|(at, _)| at + 1),
    }
}
