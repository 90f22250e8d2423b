//! Whether the calls that mark places leave the program what it was: the LLVM IR of the text with them against that of the
//! text as it stands.
//!
//! Functions are compared as graphs of instructions in which the calls, and jumps that only lead on, are not there.
//! Registers and blocks are numbered by where they are met first, constants without a name of their own stand for their
//! contents, and debug information is left out: lines and columns move when something is put into a text.
//!
//! *Limits.* The IR has to be the compiler's own, before it is optimized. Constants that rustc makes are not looked into:
//! positions for panics are among them. What this calls different may be the same; what it calls the same is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fencewright_frontend::source::instrument::SITE_FUNCTION;

/// Where two modules differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The functions; none if variables differ.
    pub(super) functions: Vec<String>,
    /// The places that are called in these.
    pub(super) near: BTreeSet<u32>,
}

/// Where two modules differ beside the calls; nothing if they do not.
pub(super) fn difference(plain: &str, with_calls: &str) -> Option<Difference> {
    let (plain, with_calls) = (Module::of(plain), Module::of(with_calls));
    let (mut functions, mut near) = (Vec::new(), BTreeSet::new());
    let differs = plain.variables() != with_calls.variables();
    let names: BTreeSet<&str> = plain.functions.keys().chain(with_calls.functions.keys()).copied().collect();
    for name in names {
        let (a, b) = (plain.functions.get(name), with_calls.functions.get(name));
        let is_same = match (a, b) {
            (Some(a), Some(b)) => plain.shape(a) == with_calls.shape(b),
            // The marking function itself, where it has a body.
            _ => name.contains(SITE_FUNCTION),
        };
        if !is_same {
            functions.push(name.to_owned());
            let insts = b.into_iter().flat_map(|function| function.blocks.values().flatten());
            near.extend(insts.filter_map(|inst| site_of(inst)));
        }
    }
    (differs || !functions.is_empty()).then_some(Difference { functions, near })
}

/// A module, as text in pieces.
#[derive(Default)]
struct Module<'a> {
    functions: BTreeMap<&'a str, Function<'a>>,
    /// Constants that nobody else can name, by name.
    constants: BTreeMap<&'a str, &'a str>,
    /// Other global variables.
    globals: BTreeMap<&'a str, &'a str>,
    types: BTreeSet<&'a str>,
}

struct Function<'a> {
    head: &'a str,
    entry: &'a str,
    /// The instructions of each block.
    blocks: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Module<'a> {
    fn of(text: &'a str) -> Self {
        let mut module = Module::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("define ") {
                let body = lines.by_ref().take_while(|line| *line != "}");
                let (name, function) = function(line, body);
                module.functions.insert(name, function);
            } else if let Some((name, rest)) = line.split_once(" = ") {
                match line.as_bytes().first() {
                    Some(b'%') => {
                        module.types.insert(name);
                    }
                    Some(b'@') if rest.starts_with("private unnamed_addr constant") => {
                        module.constants.insert(name, rest);
                    }
                    Some(b'@') => {
                        module.globals.insert(name, rest);
                    }
                    _ => {}
                }
            }
        }
        module
    }

    fn variables(&self) -> BTreeMap<&str, String> {
        let mut names = Names::default();
        self.globals.iter().map(|(name, text)| (*name, self.plain(text, &mut names))).collect()
    }

    /// A text that is the same for two functions if they do the same.
    fn shape(&self, function: &Function<'_>) -> String {
        let mut names = Names::default();
        let mut shape = self.plain(function.head, &mut names);
        let mut numbers: BTreeMap<(&str, usize), usize> = BTreeMap::new();
        let mut points = Vec::new();
        let mut at = 0;
        let mut reach = |block: &str, index: usize, points: &mut Vec<_>| match function.resolve(block, index)
        {
            None => "nowhere".to_owned(),
            Some(point) => {
                let next = numbers.len();
                let number = *numbers.entry(point).or_insert(next);
                if number == next {
                    points.push(point);
                }
                number.to_string()
            }
        };
        let first = reach(function.entry, 0, &mut points);
        let _ = write!(shape, "\n{first}");
        while let Some(&(block, index)) = points.get(at) {
            let inst = &function.blocks[block][index];
            let _ = write!(shape, "\n{at}: {} ->", self.plain(inst, &mut names));
            at += 1;
            let mut leads = false;
            for target in targets(inst) {
                leads = true;
                let _ = write!(shape, " {}", reach(target, 0, &mut points));
            }
            if !leads && index + 1 < function.blocks[block].len() {
                let _ = write!(shape, " {}", reach(block, index + 1, &mut points));
            }
        }
        shape
    }

    /// A piece of text without what moves when calls are put in: the targets of jumps (who goes along them writes them
    /// down), debug information, and numbers of attributes.
    fn plain(&self, text: &str, names: &mut Names) -> String {
        let mut plain = String::with_capacity(text.len());
        let mut is_label = false;
        for token in Tokens(text) {
            let sigil = token.as_bytes().first().copied();
            match sigil {
                // What is attached to an instruction; others are arguments.
                Some(b'!') if token.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) => break,
                Some(b'!') => plain.push('!'),
                Some(b'%') if is_label => {}
                Some(b'%') if !self.types.contains(token) => {
                    let _ = write!(plain, "%{}", names.number(token));
                }
                Some(b'#') => {}
                Some(b'@') if token.starts_with("@alloc_") => plain.push_str("@alloc"),
                Some(b'@') => match self.constants.get(token) {
                    Some(contents) => plain.push_str(contents),
                    None => plain.push_str(token),
                },
                _ => plain.push_str(token),
            }
            if !token.trim().is_empty() {
                is_label = token == "label";
            }
        }
        plain.truncate(plain.trim_end_matches([' ', ',']).len());
        plain
    }
}

impl<'a> Function<'a> {
    /// The first instruction from there on that does something; nothing if there is only a circle.
    fn resolve(&self, block: &str, index: usize) -> Option<(&str, usize)> {
        let (mut block, mut index) = (self.blocks.get_key_value(block)?.0, index);
        let mut seen = BTreeSet::new();
        loop {
            let inst = self.blocks[block].get(index)?;
            let is_site = site_of(inst).is_some();
            let only = if is_site || inst.starts_with("br label ") { targets(inst).next() } else { None };
            match only {
                Some(target) => {
                    if !seen.insert(*block) {
                        return None;
                    }
                    (block, index) = (self.blocks.get_key_value(target)?.0, 0);
                }
                None if is_site => index += 1,
                None => return Some((block, index)),
            }
        }
    }
}

/// A function from its first line and its body.
fn function<'a>(head: &'a str, body: impl Iterator<Item = &'a str>) -> (&'a str, Function<'a>) {
    let name = Tokens(head).find(|token| token.starts_with('@')).unwrap_or_default();
    let mut blocks: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut entry, mut block) = (None, "");
    for line in body {
        let text = line.trim_start();
        if text.is_empty() || text.starts_with([';', '#']) || text.contains("@llvm.dbg.") {
            continue;
        }
        if !line.starts_with(' ') {
            // A name, and who comes here.
            let end = line.find("; preds").map_or(line, |end| &line[..end]).trim_end();
            block = end.strip_suffix(':').unwrap_or(end);
            entry.get_or_insert(block);
            blocks.entry(block).or_default();
            continue;
        }
        entry.get_or_insert(block);
        let insts = blocks.entry(block).or_default();
        match insts.last_mut().filter(|_| line.starts_with("   ") || text == "]") {
            Some(last) => {
                last.push(' ');
                last.push_str(text);
            }
            None => insts.push(text.to_owned()),
        }
    }
    (name, Function { head, entry: entry.unwrap_or_default(), blocks })
}

/// The number of the place that an instruction marks.
fn site_of(inst: &str) -> Option<u32> {
    let call = inst.strip_prefix("tail ").unwrap_or(inst);
    if !call.starts_with("call ") && !call.starts_with("invoke ") {
        return None;
    }
    let (_, behind) = call.split_once(SITE_FUNCTION)?;
    let (arguments, _) = behind.split_once('(')?.1.split_once(')')?;
    arguments.rsplit(' ').next()?.parse().ok()
}

/// The blocks that an instruction can lead to, by name.
fn targets(inst: &str) -> impl Iterator<Item = &str> {
    let mut words = Tokens(inst).filter(|token| !token.trim().is_empty());
    std::iter::from_fn(move || {
        words.by_ref().find(|token| *token == "label")?;
        words.next()?.strip_prefix('%')
    })
}

/// Names by the order in which they are met.
#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn number(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

/// A line in pieces: names with their sigils, words, quoted text, single other characters.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "-._$".contains(c);
        let first = self.0.chars().next()?;
        let sigil = if "%@#!".contains(first) { 1 } else { 0 };
        let rest = &self.0[sigil..];
        let length = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        };
        let length = (sigil + length).max(first.len_utf8());
        let (token, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "\
@x = global i32 0, align 4, !dbg !0
@.str = private unnamed_addr constant [2 x i8] c\"a\\00\", align 1
define i32 @f(i32 noundef %0) #0 !dbg !7 {
  %2 = alloca i32, align 4
  %3 = icmp eq i32 %0, 0, !dbg !9
  br i1 %3, label %4, label %5, !dbg !10

4:                                                ; preds = %1
  call void @g(ptr noundef @.str), !dbg !11
  br label %5, !dbg !12

5:                                                ; preds = %4, %1
  ret i32 %0, !dbg !13
}
";

    #[test]
    fn calls_and_what_they_move_make_no_difference() {
        let marked = "\
@x = global i32 0, align 4, !dbg !3
@.str.1 = private unnamed_addr constant [2 x i8] c\"a\\00\", align 1
declare void @__fencewright_site(i32 noundef) #1
define i32 @f(i32 noundef %0) #4 !dbg !17 {
  %2 = alloca i32, align 4
  call void @__fencewright_site(i32 noundef 7), !dbg !8
  %3 = icmp eq i32 %0, 0, !dbg !19
  br i1 %3, label %9, label %5, !dbg !20

9:                                                ; preds = %1
  call void @__fencewright_site(i32 noundef 8), !dbg !8
  br label %10

10:
  call void @g(ptr noundef @.str.1), !dbg !21
  br label %5, !dbg !22

5:                                                ; preds = %10, %1
  ret i32 %0, !dbg !23
}
";
        assert_eq!(difference(PLAIN, marked), None);
    }

    #[test]
    fn another_jump_constant_or_text_is_a_difference() {
        for (from, to) in [
            ("label %4, label %5", "label %5, label %4"),
            ("icmp eq", "icmp ne"),
            ("c\"a\\00\"", "c\"b\\00\""),
            ("@x = global i32 0", "@x = global i32 1"),
            ("ret i32 %0", "ret i32 %3"),
        ] {
            let changed = PLAIN.replace(from, to);
            assert!(difference(PLAIN, &changed).is_some(), "{from}");
        }
        assert_eq!(difference(PLAIN, PLAIN), None);
    }

    #[test]
    fn a_call_that_becomes_the_body_is_named() {
        // The call of `g` is no more the body of the branch.
        let marked = "\
@x = global i32 0, align 4, !dbg !3
define i32 @f(i32 noundef %0) #4 {
  %2 = alloca i32, align 4
  %3 = icmp eq i32 %0, 0
  br i1 %3, label %9, label %5

9:                                                ; preds = %1
  call void @__fencewright_site(i32 noundef 8)
  br label %5

5:                                                ; preds = %9, %1
  call void @g(ptr noundef @.str)
  ret i32 %0
}
";
        let difference = difference(PLAIN, marked).expect("they differ");
        assert_eq!((difference.functions, difference.near), (vec!["@f".to_owned()], BTreeSet::from([8])));
    }
}
