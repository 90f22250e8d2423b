//! The arguments of `main`: at least the name of the program. If the program looks only at the count, the count is open. If it
//! looks at the words, some are tried, and a pass is bounded.

use std::rc::Rc;

use fencewright_llvm::module::{Callee, InstKind};

use crate::control::pointer_shape;
use crate::layout::{Kind, Shape};
use crate::machine::Run;
use crate::program::Program;
use crate::value::{Scalar, Value};
use crate::violation::Halt;

/// The site of the list of words. Rust's library keeps its address; a reader of the list looks at the words.
pub(crate) const WORDS: u32 = u32::MAX - 1;
/// The most words tried, with the name of the program.
const MOST: u32 = 3;

/// Which parts of its command line a program looks at.
#[derive(Debug, Copy, Clone, Default)]
pub(crate) struct CommandLine {
    count: bool,
    words: bool,
}

impl CommandLine {
    /// What the function `main` looks at.
    pub(crate) fn of(program: &Program<'_>, main: u32) -> Self {
        let Some((module, function)) = program.function_body(main) else { return Self::default() };
        let Ok(body) = program.modules()[module].body(function) else {
            return Self { count: true, words: true };
        };
        // Rust's `main` only passes both on, to be stored.
        let is_of_rust = body.blocks.iter().flat_map(|block| &block.insts).any(|inst| {
            matches!(&inst.kind, InstKind::Call { callee: Callee::Named(name), .. }
                if name.contains("lang_start"))
        });
        let looks_at = |place: usize| {
            !is_of_rust && body.params.get(place).is_some_and(|(_, param)| body.looks_at(*param))
        };
        Self { count: looks_at(0), words: looks_at(1) || looks_at(2) }
    }
}

impl Run<'_, '_, '_> {
    /// The arguments of `main`: the count, the words, and an empty environment.
    pub(crate) fn command_line(&mut self) -> Result<Vec<(Value, Rc<Shape>)>, Halt> {
        let CommandLine { count, words } = self.machine.command_line;
        let n = if words { 1 + self.choices.choose(MOST) } else { 1 };
        self.notes.partly.values |= words;
        let list = self.allocate(8 * (u64::from(n) + 2), 16, WORDS)?;
        for number in 0..n {
            // The words after the name are numbers, which most programs expect.
            let text = if number == 0 { *b"program\0" } else { [b'0' + number as u8, 0, 0, 0, 0, 0, 0, 0] };
            let word = self.allocate(8, 16, WORDS - 16 - number)?;
            self.set_memory(word.of, 0, 8, Scalar::int(u64::from_le_bytes(text)))?;
            self.set_memory(list.of, 8 * u64::from(number), 8, word)?;
        }
        for number in n..n + 2 {
            self.set_memory(list.of, 8 * u64::from(number), 8, Scalar::int(0))?;
        }
        let argc = match count && !words {
            true => self.any_between(1, i32::MAX.into(), 32),
            false => Scalar::int(n.into()),
        };
        let environment = Scalar { bits: list.bits + 8 * (u64::from(n) + 1), ..list };
        Ok(vec![
            (argc.into(), Rc::new(Shape::Scalar(Kind::Int(32), 4))),
            (list.into(), pointer_shape()),
            (environment.into(), pointer_shape()),
        ])
    }
}
