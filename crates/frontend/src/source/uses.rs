//! The names by which a Rust text can call a fence, and the `use` it takes.

use std::ops::Range;

use tree_sitter::Node;

use crate::patch::{Edit, newline_near};

/// How a variant of `Ordering` is written at a byte of the text.
pub(super) fn order_name(text: &str, root: Node<'_>, at: usize, variant: &str) -> String {
    Imports::of(text, module_at(root, at)).order(text, variant)
}

/// The call of a fence of this order at a byte of the text, and the change of a `use` that makes its names good: what is
/// imported there is used, a list of imports from the same module is extended, and otherwise paths are written out.
pub(super) fn fence_call(text: &str, root: Node<'_>, at: usize, order: &str) -> (String, Option<Edit>) {
    let module = module_at(root, at);
    let imports = Imports::of(text, module);
    let atomic = imports.atomic_module(text);
    let module_name = imports.atomic_name("");
    let order = imports.order(text, order);
    if let Some(fence) = imports.atomic_name("::fence") {
        return (format!("{fence}({order});"), None);
    }
    let imported = format!("fence({order});");
    if !imports.defines_fence {
        if let Some(list) = &imports.list {
            let import = Edit { range: *list..*list, text: "fence, ".to_owned() };
            return (imported, Some(import));
        }
        if let (Some(single), None) = (&imports.single, &module_name) {
            let line = format!("use {atomic}::fence;{}", newline_near(text, single.start));
            let lead = &text[crate::patch::line_start(text, single.start)..single.start];
            if lead.trim().is_empty() {
                let import = Edit { range: single.start..single.start, text: format!("{line}{lead}") };
                return (imported, Some(import));
            }
        }
    }
    (format!("{}::fence({order});", module_name.as_deref().unwrap_or(atomic)), None)
}

/// The innermost module around the byte: the text itself or the body of a `mod`.
fn module_at(root: Node<'_>, at: usize) -> Node<'_> {
    let mut module = root;
    loop {
        let mut cursor = module.walk();
        let inner = module
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "mod_item")
            .filter_map(|child| child.child_by_field_name("body"))
            .find(|body| body.byte_range().contains(&at));
        match inner {
            Some(inner) => module = inner,
            None => return module,
        }
    }
}

/// What the `use` lines of a module bring in.
#[derive(Debug, Default)]
struct Imports {
    /// Path and name here.
    names: Vec<(String, String)>,
    /// Modules and types of which everything is brought in.
    globs: Vec<String>,
    /// Where the first element of a list `…::sync::atomic::{…}` begins.
    list: Option<usize>,
    /// A `use` of one thing of that module.
    single: Option<Range<usize>>,
    /// The module has its own `fence`.
    defines_fence: bool,
}

impl Imports {
    fn of(text: &str, module: Node<'_>) -> Self {
        let mut imports = Imports::default();
        let mut cursor = module.walk();
        for item in module.named_children(&mut cursor) {
            let name = item.child_by_field_name("name").map(|name| &text[name.byte_range()]);
            imports.defines_fence |= name == Some("fence");
            if item.kind() == "use_declaration"
                && let Some(argument) = item.child_by_field_name("argument")
            {
                imports.add(text, item, argument);
            }
        }
        imports
    }

    fn add(&mut self, text: &str, item: Node<'_>, argument: Node<'_>) {
        let mut stack = vec![(argument, String::new())];
        while let Some((node, prefix)) = stack.pop() {
            let written = |node: Node<'_>| text[node.byte_range()].split_whitespace().collect::<String>();
            let under = |prefix: &str, path: &str| match (prefix, path) {
                ("", path) => path.trim_start_matches("::").to_owned(),
                (prefix, "self") => prefix.to_owned(),
                (prefix, path) => format!("{prefix}::{path}"),
            };
            let path = |field| node.child_by_field_name(field).map(|path| under(&prefix, &written(path)));
            match node.kind() {
                "scoped_use_list" => {
                    let path = path("path").unwrap_or_default();
                    let Some(list) = node.child_by_field_name("list") else { continue };
                    if is_atomic_module(&path) {
                        self.list = self.list.or(first_behind_self(list));
                    }
                    stack.push((list, path));
                }
                "use_list" => {
                    let mut cursor = node.walk();
                    stack.extend(node.named_children(&mut cursor).map(|child| (child, prefix.clone())));
                }
                "use_wildcard" => {
                    self.globs.extend(node.named_child(0).map(|path| under(&prefix, &written(path))));
                }
                "use_as_clause" => {
                    let alias = node.child_by_field_name("alias").map(written);
                    self.names.extend(path("path").zip(alias));
                }
                "scoped_identifier" | "identifier" | "self" => {
                    let path = under(&prefix, &written(node));
                    if let Some((module, _)) = path.rsplit_once("::")
                        && prefix.is_empty()
                        && is_atomic_module(module)
                    {
                        self.single.get_or_insert(item.byte_range());
                    }
                    let name = path.rsplit("::").next().unwrap_or_default().to_owned();
                    self.names.push((path, name));
                }
                _ => {}
            }
        }
    }

    /// The module of atomics as this text calls it where nothing is imported.
    fn atomic_module(&self, text: &str) -> &'static str {
        let is_core = self.has_module("core::sync::atomic") || text.contains("#![no_std]");
        if is_core { "core::sync::atomic" } else { "std::sync::atomic" }
    }

    /// The name here of something in the module of atomics, or of the module itself.
    fn atomic_name(&self, path: &str) -> Option<String> {
        let roots = ["std::sync::atomic", "core::sync::atomic"];
        roots.iter().find_map(|root| self.name_of(&format!("{root}{path}")))
    }

    fn order(&self, text: &str, variant: &str) -> String {
        let known = [self.atomic_name("::Ordering"), self.atomic_name(&format!("::Ordering::{variant}"))];
        match (known, self.atomic_name("")) {
            ([Some(name), _], _) => format!("{name}::{variant}"),
            ([None, Some(name)], _) => name,
            ([None, None], Some(module)) => format!("{module}::Ordering::{variant}"),
            ([None, None], None) => format!("{}::Ordering::{variant}", self.atomic_module(text)),
        }
    }

    fn name_of(&self, path: &str) -> Option<String> {
        let named = self.names.iter().find(|(full, _)| full == path).map(|(_, name)| name.clone());
        named.or_else(|| {
            let (module, name) = path.rsplit_once("::")?;
            self.globs.iter().any(|glob| glob == module).then(|| name.to_owned())
        })
    }

    fn has_module(&self, module: &str) -> bool {
        self.names.iter().map(|(path, _)| path).chain(&self.globs).any(|path| path.starts_with(module))
    }
}

fn is_atomic_module(path: &str) -> bool {
    matches!(path, "std::sync::atomic" | "core::sync::atomic")
}

/// Where the first element of a list that is not `self` begins.
fn first_behind_self(list: Node<'_>) -> Option<usize> {
    let mut cursor = list.walk();
    let found = list.named_children(&mut cursor).find(|element| element.kind() != "self");
    found.map(|element| element.start_byte())
}
