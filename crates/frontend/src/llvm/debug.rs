//! Where instructions stand in the user's text.

use std::ops::Deref;

use fencewright_base::{Diagnostic, Span};
use fencewright_llvm::debug::{DebugInfo, Line};
use fencewright_llvm::parse::{Malformed, Module};

use super::{OrderInfo, Unit, codes};

/// Where an instruction stands, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// Names and lines of the module, and where those lines are in the user's files.
pub(crate) struct Positions<'a> {
    unit: &'a Unit<'a>,
    debug: DebugInfo<'a>,
}

impl<'a> Deref for Positions<'a> {
    type Target = DebugInfo<'a>;

    fn deref(&self) -> &DebugInfo<'a> {
        &self.debug
    }
}

impl<'a> Positions<'a> {
    pub(crate) fn new(unit: &'a Unit<'a>, module: &'a Module<'a>) -> Self {
        Self { unit, debug: DebugInfo::new(module) }
    }

    fn ir_span(&self, at: (u32, u32)) -> Span {
        Span { file: self.unit.ir, start: at.0, end: at.1 }
    }

    pub(crate) fn malformed(&self, malformed: Malformed) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(&codes::MALFORMED, self.ir_span(malformed.at), malformed.message).help(
                "give the module as the compiler wrote it (`clang -S -emit-llvm`, `rustc --emit=llvm-ir`)",
            ),
        )
    }

    /// The position of an instruction, given with the calls that lead to it, the innermost first. It is the innermost
    /// one that stands in the user's own text.
    pub(crate) fn locate(&self, chain: &[(Option<u32>, (u32, u32))]) -> Position {
        let lines: Vec<Line> =
            chain.iter().filter_map(|(debug, _)| *debug).flat_map(|debug| self.lines(debug)).collect();
        for line in &lines {
            if let Some(position) = self.in_user_text(line) {
                return position;
            }
        }
        let at = chain.first().map_or((0, 0), |(_, at)| *at);
        let span = self.ir_span(at);
        let text = self.unit.sources.text(span);
        let text = text.split(", align ").next().unwrap_or(text);
        let text = text.split(", !dbg ").next().unwrap_or(text).trim();
        Position { span, text: text.lines().next().unwrap_or("").to_owned() }
    }

    /// The word for the order of an instruction, given in the same way: that of the innermost call in the user's text.
    pub(crate) fn order(&self, chain: &[(Option<u32>, (u32, u32))]) -> Option<OrderInfo> {
        let places = self.unit.places?;
        let mut lines = chain.iter().filter_map(|(debug, _)| *debug).flat_map(|debug| self.lines(debug));
        let line = lines.find(|line| self.in_user_text(line).is_some())?;
        places.order_at(&line.file, line.line, line.column)
    }

    fn in_user_text(&self, line: &Line) -> Option<Position> {
        if let Some(places) = self.unit.places {
            let (span, text) = places.statement_at(&line.file, line.line, line.column)?;
            return Some(Position { span, text });
        }
        let (id, file) =
            self.unit.sources.files().find(|(id, file)| *id != self.unit.ir && file.name() == line.file)?;
        let start = file
            .text()
            .split_inclusive('\n')
            .take(line.line.checked_sub(1)? as usize)
            .map(str::len)
            .sum::<usize>();
        let text = file.text().get(start..)?.lines().next()?;
        let indent = text.len() - text.trim_start().len();
        let shown = text.trim();
        Some(Position {
            span: Span::new(id, start + indent, start + indent + shown.len()),
            text: shown.to_owned(),
        })
    }
}
