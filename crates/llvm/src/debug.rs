//! Debug information: which line an instruction stands in, and what variables and fields are called there.

use std::collections::HashMap;
use std::sync::RwLock;

use crate::module::{FunctionId, Type};
use crate::parse::{MetaValue, Module};

/// A line of a source file, as the compiler wrote it down.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// The file as the compiler was given it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
}

/// How long chains of metadata may be.
const MAX_CHAIN: usize = 64;

/// The debug information of a module, with what was looked up before.
pub struct DebugInfo<'a> {
    module: &'a Module<'a>,
    lines: RwLock<HashMap<u32, Vec<Line>>>,
}

impl<'a> DebugInfo<'a> {
    /// That of a module.
    pub fn new(module: &'a Module<'a>) -> Self {
        Self { module, lines: RwLock::new(HashMap::new()) }
    }

    /// The lines of a debug location: its own, then those it was inlined at.
    pub fn lines(&self, debug: u32) -> Vec<Line> {
        if let Ok(known) = self.lines.read()
            && let Some(known) = known.get(&debug)
        {
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
        if let Ok(mut known) = self.lines.write() {
            known.insert(debug, lines.clone());
        }
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
    pub fn variable(&self, number: u32) -> Option<(String, Option<u32>)> {
        let node = self.module.node(number)?;
        Some((node.text("name")?.to_owned(), node.reference("type")))
    }

    /// Name, type and place of declaration of a global variable.
    pub fn global(&self, number: u32) -> Option<(String, Option<u32>)> {
        let mut node = self.module.node(number)?;
        if let Some(inner) = node.reference("var") {
            node = self.module.node(inner)?;
        }
        Some((node.text("name")?.to_owned(), node.reference("type")))
    }

    /// The number of the first type argument of a generic function.
    pub fn first_type_argument(&self, function: FunctionId) -> Option<u32> {
        let subprogram = self.module.node(self.module.functions[function].debug?)?;
        let arguments = self.module.node(subprogram.reference("templateParams")?)?;
        let first = arguments.elements().next()?;
        match first {
            MetaValue::Reference(number) => self.module.node(*number)?.reference("type"),
            _ => None,
        }
    }

    /// How the user writes the scalar at an offset of a variable: `[1]`, `.head`, `[2].next`; empty for the whole.
    pub fn path(&self, debug_type: Option<u32>, ty: Option<&Type>, offset: u64, size: u32) -> String {
        let by_debug =
            debug_type.and_then(|number| self.debug_path(number, offset, size)).map(|(path, _)| path);
        by_debug.or_else(|| ty.and_then(|ty| self.type_path(ty, offset))).unwrap_or_else(|| match offset {
            0 => String::new(),
            _ => format!("+{offset}"),
        })
    }

    /// Name and number of the type that the pointer at an offset of a variable points to.
    pub fn pointee(&self, debug_type: u32, offset: u64) -> Option<(String, u32)> {
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
