//! A tree as text. The same tree gives the same text; what no execution reaches is left out of it.
//!
//! The text has two readings. As it is, it is what the tool checks: `main` leaves the outcome in the array `out` (in Rust
//! `OUT`). With `NATIVE` defined (in Rust `--cfg native`) there are calls of the functions of [`RUNTIME`] between its
//! statements, and `main` is called `program_main`: see [`native`](crate::native).

mod c;
mod common;
mod rust;
mod used;

use crate::tree::{Order, Program};

/// A language that programs are written in.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "these are their names")]
pub enum Language {
    C,
    Cpp,
    Rust,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::C, Language::Cpp, Language::Rust];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Rust => "rust",
        }
    }

    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Rust => "rs",
        }
    }

    /// The global that holds the outcome.
    pub fn out(self) -> &'static str {
        match self {
            Language::C | Language::Cpp => "out",
            Language::Rust => "OUT",
        }
    }
}

impl Program {
    /// The text in a language.
    pub fn render(&self, language: Language) -> String {
        match language {
            Language::C | Language::Cpp => c::render(self, language == Language::Cpp),
            Language::Rust => rust::render(self),
        }
    }
}

/// The functions that native programs are linked with, in C.
pub const RUNTIME: &str = include_str!("runtime.c");

/// Lines with indentation.
#[derive(Debug, Default)]
struct Text {
    text: String,
    depth: usize,
}

impl Text {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if line.is_empty() {
            self.text.push('\n');
            return;
        }
        if line.starts_with('}') {
            self.depth = self.depth.saturating_sub(1);
        }
        // Lines for the preprocessor stand at the margin.
        let depth = if line.starts_with('#') && !line.starts_with("#[") { 0 } else { self.depth };
        self.text.extend(std::iter::repeat_n("    ", depth));
        self.text.push_str(line);
        self.text.push('\n');
        if line.ends_with('{') {
            self.depth += 1;
        }
    }
}

/// The nearest order that a load has.
fn of_load(order: Order) -> Order {
    match order {
        Order::Relaxed => Order::Relaxed,
        Order::Acquire | Order::Release | Order::AcqRel => Order::Acquire,
        Order::SeqCst => Order::SeqCst,
    }
}

/// The nearest order that a store has.
fn of_store(order: Order) -> Order {
    match order {
        Order::Relaxed => Order::Relaxed,
        Order::Acquire | Order::Release | Order::AcqRel => Order::Release,
        Order::SeqCst => Order::SeqCst,
    }
}

/// The nearest order that a compare-and-exchange of the order has if it fails: one that is no stronger.
fn of_failure(success: Order, failure: Order) -> Order {
    match (success, failure) {
        (Order::SeqCst, Order::SeqCst) => Order::SeqCst,
        (Order::Relaxed | Order::Release, _) | (_, Order::Relaxed | Order::Release) => Order::Relaxed,
        (Order::Acquire | Order::AcqRel | Order::SeqCst, Order::Acquire | Order::AcqRel | Order::SeqCst) => {
            Order::Acquire
        }
    }
}
