//! Debug information (DWARF, as LLVM metadata): the source lines of an instruction, and the names of variables and fields.
//!
//! *Limit:* chains of metadata longer than `MAX_CHAIN` are not followed.

use std::collections::HashMap;
use std::sync::RwLock;

use crate::module::{FunctionId, Type};
use crate::parse::{MetaValue, Module, Node};

/// A line of a source file, as the compiler recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// The file name given to the compiler.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is unknown.
    pub column: u32,
}

/// The longest chain of metadata that is followed.
const MAX_CHAIN: usize = 64;

/// Fields of Rust's standard library types that hold the user's data.
const RUST_PAYLOADS: [&str; 8] = ["data", "value", "v", "p", "__0", "__1", "pointer", ""];

/// A part of a type of the standard library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryPart {
    /// The type, with its arguments: `Mutex<i32>`.
    pub ty: String,
    /// The field: `inner`.
    pub field: String,
}

/// A scalar of a variable.
struct Found {
    parts: Vec<PathPart>,
    library: Option<LibraryPart>,
    scalar: u32,
}

struct PathPart {
    text: String,
    /// Whether it is a field at offset 0 of its parent.
    is_first_field: bool,
}

struct Member {
    name: String,
    base: u32,
    start: u64,
}

impl Found {
    fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }
}

/// A field as users write it. `None` for fields that they do not write: names reserved for the implementation of the language
/// (`__data`, `_M_i`), and parts without a name.
fn shown_field(name: &str) -> Option<&str> {
    if let Some(number) = name.strip_prefix("__")
        && number.parse::<u32>().is_ok_and(|number| number > 0)
    {
        return Some(number);
    }
    let second = name.as_bytes().get(1);
    let is_reserved = name.starts_with('_') && second.is_some_and(|b| *b == b'_' || b.is_ascii_uppercase());
    (!is_reserved && !name.is_empty() && !name.starts_with("_vptr")).then_some(name)
}

/// The debug information of a module, with a cache of lines.
pub struct DebugInfo<'a> {
    module: &'a Module<'a>,
    lines: RwLock<HashMap<u32, Vec<Line>>>,
}

impl<'a> DebugInfo<'a> {
    /// The debug information of a module.
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

    /// The name of the file that contains a scope.
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

    /// Name and type of a global variable.
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

    /// How the user writes the scalar at an offset of a variable: `[1]`, `.head`, `[2].next`; empty for the whole variable.
    pub fn path(&self, debug_type: Option<u32>, ty: Option<&Type>, offset: u64, size: u32) -> String {
        let by_debug =
            debug_type.and_then(|number| self.debug_path(number, offset, size)).map(|found| found.text());
        self.or_by_type(by_debug, ty, offset)
    }

    /// How the user writes the largest part, except an array, that begins at an offset of a variable: `[1]` where
    /// [`path`](Self::path) gives `[1].first_field`.
    pub fn address_path(&self, debug_type: Option<u32>, ty: Option<&Type>, offset: u64) -> String {
        let by_debug = debug_type.and_then(|number| self.debug_path(number, offset, 1)).map(|mut found| {
            while found.parts.last().is_some_and(|part| part.is_first_field) {
                found.parts.pop();
            }
            found.text()
        });
        self.or_by_type(by_debug, ty, offset)
    }

    /// The part of a standard library type that contains an offset of a variable, if its users cannot name it: the type and the
    /// field.
    pub fn library_part(&self, debug_type: u32, offset: u64, size: u32) -> Option<LibraryPart> {
        self.debug_path(debug_type, offset, size)?.library
    }

    fn or_by_type(&self, by_debug: Option<String>, ty: Option<&Type>, offset: u64) -> String {
        by_debug.or_else(|| ty.and_then(|ty| self.type_path(ty, offset))).unwrap_or_else(|| match offset {
            0 => String::new(),
            _ => format!("+{offset}"),
        })
    }

    /// Name and number of the type that the pointer at an offset of a variable points to.
    pub fn pointee(&self, debug_type: u32, offset: u64) -> Option<(String, u32)> {
        let scalar = self.debug_path(debug_type, offset, 8)?.scalar;
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

    /// The path to the scalar at an offset, and the number of its type.
    fn debug_path(&self, number: u32, mut offset: u64, size: u32) -> Option<Found> {
        let mut found = Found { parts: Vec::new(), library: None, scalar: number };
        for _ in 0..MAX_CHAIN {
            let node = self.module.node(found.scalar)?;
            match (node.kind.as_str(), node.word("tag")) {
                ("DIBasicType", _) => break,
                ("DIDerivedType", Some("DW_TAG_pointer_type" | "DW_TAG_reference_type")) => break,
                ("DIDerivedType", _) => found.scalar = node.reference("baseType")?,
                ("DICompositeType", Some("DW_TAG_array_type")) => {
                    let element = node.reference("baseType")?;
                    let width = self.debug_size(element)?.max(1);
                    let text = format!("[{}]", offset / width);
                    found.parts.push(PathPart { text, is_first_field: false });
                    offset %= width;
                    found.scalar = element;
                }
                ("DICompositeType", Some("DW_TAG_enumeration_type")) => break,
                ("DICompositeType", _) => {
                    let Some(Member { name, base, start }) = self.member(&node, offset, size)? else { break };
                    if self.is_rust_library(&node) {
                        let is_payload = RUST_PAYLOADS.contains(&name.as_str());
                        if found.library.is_none() && !is_payload {
                            let ty = node.text("name").unwrap_or_default().to_owned();
                            found.library = Some(LibraryPart { ty, field: name });
                        }
                    } else if let Some(name) = shown_field(&name) {
                        let text = format!(".{name}");
                        found.parts.push(PathPart { text, is_first_field: start == 0 });
                    }
                    offset -= start;
                    found.scalar = base;
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// The member of a struct or union that contains the bytes. The inner `None`: no member, or bit-fields, which share bytes.
    fn member(&self, composite: &Node, offset: u64, size: u32) -> Option<Option<Member>> {
        let members = self.module.node(composite.reference("elements")?)?;
        for member in members.elements() {
            let MetaValue::Reference(member) = member else { continue };
            let member = self.module.node(*member)?;
            // Functions and static members are listed, too; only stored members have a size.
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
                let bits = member.int("size").and_then(|bits| u64::try_from(bits).ok());
                if bits.is_some_and(|bits| bits != 8 * width) && member.word("tag") == Some("DW_TAG_member") {
                    return Some(None);
                }
                let name = member.text("name").unwrap_or("").to_owned();
                return Some(Some(Member { name, base: base?, start }));
            }
        }
        Some(None)
    }

    /// Whether a type is one of Rust's standard library, whose fields users do not know.
    fn is_rust_library(&self, composite: &Node) -> bool {
        // C++ has a `std`, too; its types are identified by their mangled names.
        if composite.text("identifier").is_none_or(|identifier| identifier.starts_with("_ZT")) {
            return false;
        }
        let mut root = String::new();
        let mut next = composite.reference("scope");
        for _ in 0..MAX_CHAIN {
            let Some(node) = next.and_then(|number| self.module.node(number)) else { break };
            if node.kind == "DINamespace" {
                root = node.text("name").unwrap_or_default().to_owned();
            }
            next = node.reference("scope");
        }
        matches!(root.as_str(), "std" | "core" | "alloc")
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

    /// The path from the type alone, with numbers for fields.
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
