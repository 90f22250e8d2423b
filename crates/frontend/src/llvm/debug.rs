//! Debug information: where instructions stand in the user's text, and what variables and fields are called there.

use std::cell::RefCell;
use std::collections::HashMap;

use fencewright_base::{Diagnostic, Span};

use super::module::{FunctionId, Type};
use super::parse::{Malformed, MetaValue, Module};
use super::{OrderInfo, Unit, codes};

/// Where an instruction stands, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// A line of a source file, as the compiler wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    file: String,
    line: u32,
    column: u32,
}

/// How long chains of metadata may be.
const MAX_CHAIN: usize = 64;

pub(crate) struct Positions<'a> {
    unit: &'a Unit<'a>,
    module: &'a Module<'a>,
    lines: RefCell<HashMap<u32, Vec<Line>>>,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(unit: &'a Unit<'a>, module: &'a Module<'a>) -> Self {
        Self { unit, module, lines: RefCell::new(HashMap::new()) }
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

    /// The lines of a debug location: its own, then those it was inlined at.
    fn lines(&self, debug: u32) -> Vec<Line> {
        if let Some(known) = self.lines.borrow().get(&debug) {
            return known.clone();
        }
        let mut lines = Vec::new();
        let mut next = Some(debug);
        for _ in 0..MAX_CHAIN {
            let Some(node) = next.and_then(|number| self.module.node(number)) else { break };
            let number = |name: &str| node.int(name).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
            if let Some(file) = node.reference("scope").and_then(|scope| self.file(scope))
                && number("line") > 0
            {
                lines.push(Line { file, line: number("line"), column: number("column") });
            }
            next = node.reference("inlinedAt");
        }
        self.lines.borrow_mut().insert(debug, lines.clone());
        lines
    }

    /// The name of the file a scope is in.
    fn file(&self, scope: u32) -> Option<String> {
        let mut next = scope;
        for _ in 0..MAX_CHAIN {
            let node = self.module.node(next)?;
            match node.reference("file") {
                Some(file) => return self.module.node(file)?.text("filename").map(str::to_owned),
                None => next = node.reference("scope")?,
            }
        }
        None
    }

    /// Name and type of a local variable.
    pub(crate) fn variable(&self, number: u32) -> Option<(String, Option<u32>)> {
        let node = self.module.node(number)?;
        Some((node.text("name")?.to_owned(), node.reference("type")))
    }

    /// Name, type and place of declaration of a global variable.
    pub(crate) fn global(&self, number: u32) -> Option<(String, Option<u32>)> {
        let mut node = self.module.node(number)?;
        if let Some(inner) = node.reference("var") {
            node = self.module.node(inner)?;
        }
        Some((node.text("name")?.to_owned(), node.reference("type")))
    }

    /// The number of the first type argument of a generic function.
    pub(crate) fn first_type_argument(&self, function: FunctionId) -> Option<u32> {
        let subprogram = self.module.node(self.module.functions[function].debug?)?;
        let arguments = self.module.node(subprogram.reference("templateParams")?)?;
        let first = arguments.elements().next()?;
        match first {
            MetaValue::Reference(number) => self.module.node(*number)?.reference("type"),
            _ => None,
        }
    }

    /// How the user writes the scalar at an offset of a variable: `[1]`, `.head`, `[2].next`; empty for the whole.
    pub(crate) fn path(&self, debug_type: Option<u32>, ty: Option<&Type>, offset: u64, size: u32) -> String {
        let by_debug =
            debug_type.and_then(|number| self.debug_path(number, offset, size)).map(|(path, _)| path);
        by_debug.or_else(|| ty.and_then(|ty| self.type_path(ty, offset))).unwrap_or_else(|| match offset {
            0 => String::new(),
            _ => format!("+{offset}"),
        })
    }

    /// Name and number of the type that the pointer at an offset of a variable points to.
    pub(crate) fn pointee(&self, debug_type: u32, offset: u64) -> Option<(String, u32)> {
        let (_, scalar) = self.debug_path(debug_type, offset, 8)?;
        let mut next = self.module.node(scalar)?.reference("baseType")?;
        for _ in 0..MAX_CHAIN {
            let node = self.module.node(next)?;
            match (node.kind.as_str(), node.text("name")) {
                ("DICompositeType", Some(name)) => return Some((name.to_owned(), next)),
                _ => next = node.reference("baseType")?,
            }
        }
        None
    }

    /// How the scalar at an offset is written, and the number of its own type.
    fn debug_path(&self, number: u32, mut offset: u64, size: u32) -> Option<(String, u32)> {
        let mut path = String::new();
        let mut next = number;
        for _ in 0..MAX_CHAIN {
            let node = self.module.node(next)?;
            match (node.kind.as_str(), node.word("tag")) {
                ("DIBasicType", _) => break,
                ("DIDerivedType", Some("DW_TAG_pointer_type" | "DW_TAG_reference_type")) => break,
                ("DIDerivedType", Some("DW_TAG_member" | "DW_TAG_inheritance")) => {
                    next = node.reference("baseType")?;
                }
                ("DIDerivedType", _) => next = node.reference("baseType")?,
                ("DICompositeType", Some("DW_TAG_array_type")) => {
                    let element = node.reference("baseType")?;
                    let width = self.debug_size(element)?.max(1);
                    path.push_str(&format!("[{}]", offset / width));
                    offset %= width;
                    next = element;
                }
                ("DICompositeType", Some("DW_TAG_enumeration_type")) => break,
                ("DICompositeType", _) => {
                    let members = self.module.node(node.reference("elements")?)?;
                    let mut found = None;
                    for member in members.elements() {
                        let MetaValue::Reference(member) = member else { continue };
                        let member = self.module.node(*member)?;
                        // Functions and static members are listed too; only what is stored has a size.
                        let is_stored = match member.word("tag") {
                            Some("DW_TAG_member") => member.int("size").is_some(),
                            Some("DW_TAG_inheritance") => true,
                            _ => false,
                        };
                        if !is_stored {
                            continue;
                        }
                        let start = member.int("offset").unwrap_or(0).max(0) as u64 / 8;
                        let base = member.reference("baseType");
                        let width = base.and_then(|base| self.debug_size(base)).unwrap_or(0);
                        let inside = start <= offset && offset < start + width.max(1);
                        if inside && offset - start + u64::from(size) <= width.max(u64::from(size)) {
                            found = Some((member.text("name").unwrap_or("").to_owned(), base?, start));
                            break;
                        }
                    }
                    let (name, base, start) = found?;
                    // Wrappers of one field, such as the cells inside Rust's atomics, only say the same again.
                    let wrapper = matches!(
                        name.as_str(),
                        "v" | "value" | "__0" | "" | "_M_base" | "_M_i" | "_M_b" | "_M_p"
                    );
                    if !wrapper {
                        path.push('.');
                        path.push_str(&name);
                    }
                    offset -= start;
                    next = base;
                }
                _ => return None,
            }
        }
        Some((path, next))
    }

    fn debug_size(&self, number: u32) -> Option<u64> {
        let mut next = number;
        for _ in 0..MAX_CHAIN {
            let node = self.module.node(next)?;
            if let Some(bits) = node.int("size") {
                return u64::try_from(bits).ok().map(|bits| bits / 8);
            }
            next = node.reference("baseType")?;
        }
        None
    }

    /// The same from the type alone: fields have numbers.
    fn type_path(&self, ty: &Type, mut offset: u64) -> Option<String> {
        let mut path = String::new();
        let mut ty = ty;
        for _ in 0..MAX_CHAIN {
            if self.module.scalar(ty).is_some() {
                return Some(path);
            }
            if let Some(element) = self.module.array_element(ty) {
                let width = self.module.size_align(element)?.0.max(1);
                path.push_str(&format!("[{}]", offset / width));
                offset %= width;
                ty = element;
                continue;
            }
            let mut found = None;
            for index in 0.. {
                let Some((start, field)) = self.module.element(ty, index) else { break };
                if start > offset {
                    break;
                }
                found = Some((index, start, field));
            }
            let (index, start, field) = found?;
            path.push_str(&format!(".{index}"));
            offset -= start;
            ty = field;
        }
        None
    }
}

/// A name of a function as its user writes it: `_ZN3std6thread5spawn17h0123456789abcdefE` is `std::thread::spawn`.
pub(crate) fn readable(name: &str) -> String {
    if name.starts_with("_R") {
        return rust_path(name).unwrap_or_else(|| name.to_owned());
    }
    let Some(mut rest) = name.strip_prefix("_ZN").or_else(|| name.strip_prefix("_Z")) else {
        return name.to_owned();
    };
    let mut parts: Vec<String> = Vec::new();
    // Qualifiers of a member function, and the mark of internal linkage.
    rest = rest.trim_start_matches(['K', 'V', 'L']);
    if let Some(inner) = rest.strip_prefix("St") {
        parts.push("std".to_owned());
        rest = inner;
    }
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|&digits| digits > 0) {
        let Some(length) = rest[..digits].parse::<usize>().ok() else { break };
        let Some(part) = rest.get(digits..digits.saturating_add(length)) else { break };
        rest = &rest[digits + length..];
        let is_hash =
            part.len() == 17 && part.starts_with('h') && part[1..].bytes().all(|b| b.is_ascii_hexdigit());
        if !is_hash {
            parts.push(unescaped(part));
        }
    }
    if parts.is_empty() { name.to_owned() } else { parts.join("::") }
}

/// A name in Rust's newer mangling, told as the older one tells it: without the arguments of a generic function, but for
/// `drop_in_place`, of which nothing else says what is dropped.
fn rust_path(mangled: &str) -> Option<String> {
    let path = format!("{:#}", rustc_demangle::try_demangle(mangled).ok()?).replace("::<", "<");
    // Closures are numbered.
    let mut named = String::new();
    for (i, part) in path.split("{closure#").enumerate() {
        let rest = if i == 0 { part } else { part.split_once('}').map_or("", |(_, rest)| rest) };
        named.push_str(if i == 0 { "" } else { "{{closure}}" });
        named.push_str(rest);
    }
    if named.ends_with('>') && !named.starts_with("core::ptr::drop_in_place<") {
        named.truncate(start_of_arguments(&named)?);
    }
    Some(named)
}

/// Where the last pair of angle brackets opens, which stand at the end.
fn start_of_arguments(path: &str) -> Option<usize> {
    let mut open = 0;
    for (i, c) in path.char_indices().rev() {
        let is_arrow = path[..i].ends_with('-');
        match c {
            '>' if !is_arrow => open += 1,
            '<' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(i).filter(|&i| i > 0);
        }
    }
    None
}

/// Rust writes characters that names cannot have as `$LT$` and so on.
fn unescaped(part: &str) -> String {
    let part = part.strip_prefix('_').filter(|rest| rest.starts_with('$')).unwrap_or(part);
    let replaced = [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$RF$", "&"),
        ("$BP$", "*"),
        ("$LP$", "("),
        ("$RP$", ")"),
        ("$C$", ","),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$u20$", " "),
        ("$u5b$", "["),
        ("$u5d$", "]"),
        ("$u27$", "'"),
        ("..", "::"),
    ];
    replaced.iter().fold(part.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_become_paths() {
        for (mangled, plain) in [
            ("main", "main"),
            ("_ZN3std6thread5spawn17h91aa04c681d070e9E", "std::thread::spawn"),
            ("_ZN3pet4main28_$u7b$$u7b$closure$u7d$$u7d$17hb0fe3258c06b8aa1E", "pet::main::{{closure}}"),
            ("_ZNSt6thread4joinEv", "std::thread::join"),
            ("_Z4procv", "proc"),
            ("_Z99x", "_Z99x"),
            ("_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedjjEB4_", "core::panicking::assert_failed"),
            ("_RNvCs1_7___rustc12___rust_alloc", "__rustc::__rust_alloc"),
            // From the specification: a method, a generic function, a closure.
            (
                "_RNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB5_6Thread4join",
                "<std::sys::thread::unix::Thread>::join",
            ),
            ("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of"),
            ("_RNCNvC3pet4main0B3_", "pet::main::{{closure}}"),
            (
                "_RINvNtC4core3ptr13drop_in_placeNtNtC3std6thread6HandleE",
                "core::ptr::drop_in_place<std::thread::Handle>",
            ),
            ("_Rnonsense", "_Rnonsense"),
        ] {
            assert_eq!(readable(mangled), plain);
        }
    }
}
