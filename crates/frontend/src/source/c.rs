//! The outline of a C or C++ text.
//!
//! Places are before each statement of a block, of a `case` and of a branch of `#if`, at the end of a block or `case`, and
//! around a statement that is a body without braces. There are none where a call could not stand or would never be
//! reached: in `constexpr` functions, behind jumps, before declarations of types, between a piece the parser did not
//! understand and what follows it. A body without braces that looks like a macro's use gets no places either: were the
//! macro several statements, braces would change what the program does.

use std::collections::BTreeSet;
use std::ops::Range;

use fencewright_ir::Side;
use tree_sitter::Node;

use super::orders::order_call;
use super::outline::{Outline, Place, Room};

/// The outline of a text.
pub(super) fn outline(text: &str, root: Node<'_>) -> Outline {
    let mut walk = Walk {
        text,
        macros: macros(text, root),
        outline: Outline::default(),
        stack: Vec::new(),
        functions: 0,
    };
    walk.stack.push((root, Around::function(0)));
    while let Some((node, around)) = walk.stack.pop() {
        walk.visit(node, around);
    }
    walk.outline.finish()
}

/// The macros that the text defines.
fn macros<'a>(text: &'a str, root: Node<'_>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "preproc_function_def" | "preproc_def" => {
                found.extend(node.child_by_field_name("name").map(|name| &text[name.byte_range()]));
            }
            "translation_unit" | "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" => {
                stack.extend(node.named_children(&mut node.walk()));
            }
            _ => {}
        }
    }
    found
}

/// What is around a node.
#[derive(Debug, Clone)]
struct Around {
    /// The body without braces that this is a part of, and the head of its construct.
    lone: Option<(Range<usize>, Range<usize>)>,
    loop_depth: u32,
    function: u32,
    in_block: bool,
    /// Behind a head whose body may be what comes next: `if (c)` at the end of a branch of `#if`.
    is_awaited: bool,
    /// Directly in parentheses: a block there is GNU C's statement expression, whose last statement is its value.
    is_value: bool,
}

impl Around {
    /// A function of its own.
    fn function(number: u32) -> Self {
        Self {
            lone: None,
            loop_depth: 0,
            function: number,
            in_block: false,
            is_awaited: false,
            is_value: false,
        }
    }

    fn room(&self) -> Room {
        match self.lone.clone() {
            Some((head, body)) => Room::Braces { head, body },
            None => Room::List,
        }
    }
}

struct Walk<'t, 's> {
    text: &'s str,
    macros: BTreeSet<&'s str>,
    outline: Outline,
    /// What is still to be visited: texts can nest deeper than our stack goes.
    stack: Vec<(Node<'t>, Around)>,
    functions: u32,
}

impl<'t> Walk<'t, '_> {
    fn visit(&mut self, node: Node<'t>, around: Around) {
        match node.kind() {
            "compound_statement" => {
                let brace =
                    node.child(node.child_count().saturating_sub(1)).filter(|last| last.kind() == "}");
                self.outline.pieces.extend(brace.map(|brace| brace.byte_range()));
                let end = if around.is_value { None } else { brace.map(|brace| brace.start_byte()) };
                let around =
                    Around { lone: None, in_block: true, is_awaited: false, is_value: false, ..around };
                self.list(node, around, end);
            }
            "case_statement" => {
                let last = last_statement(node);
                self.list(
                    node,
                    Around { lone: None, in_block: true, ..around },
                    last.map(|last| last.end_byte()),
                );
            }
            kind if is_conditional(kind) && around.in_block => self.list(node, around, None),
            "function_definition" => self.function(node, around),
            "lambda_expression" => {
                self.functions += 1;
                self.children(node, Around::function(self.functions));
            }
            "if_statement" | "while_statement" | "for_statement" | "for_range_loop" | "do_statement"
            | "switch_statement" => self.construct(node, around),
            "else_clause" => {
                let body =
                    node.named_children(&mut node.walk()).filter(|child| child.kind() != "comment").last();
                if let Some(body) = body {
                    let head = head_before(node, body);
                    self.body(body, head, around);
                }
            }
            "labeled_statement" => {
                let inner = last_statement(node).filter(|inner| inner.kind() != "statement_identifier");
                let Some(inner) = inner else { return };
                if inner.kind() != "declaration" && !is_empty_statement(inner) {
                    self.before(inner, &around);
                }
                self.statement(inner, around);
            }
            kind => {
                if kind == "call_expression" {
                    self.outline.orders.extend(order_call(self.text, node, around.loop_depth));
                }
                let is_value = kind == "parenthesized_expression";
                self.children(node, Around { lone: None, is_value, ..around });
            }
        }
    }

    fn children(&mut self, node: Node<'t>, around: Around) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.stack.push((child, around.clone()));
        }
    }

    fn function(&mut self, node: Node<'t>, around: Around) {
        let mut cursor = node.walk();
        let is_constant = node
            .named_children(&mut cursor)
            .filter(|child| matches!(child.kind(), "type_qualifier" | "storage_class_specifier"))
            .any(|child| matches!(&self.text[child.byte_range()], "constexpr" | "consteval"));
        let Some(body) = node.child_by_field_name("body").filter(|_| !is_constant) else { return };
        let head = head_before(node, body);
        self.outline.pieces.push(head.clone());
        let around = if around.in_block {
            // A macro followed by a block looks like a function in a function; it is likely a loop.
            Around { lone: None, loop_depth: around.loop_depth + 1, ..around }
        } else {
            self.functions += 1;
            Around::function(self.functions)
        };
        self.body(body, head, around.clone());
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| *child != body) {
            self.stack.push((child, around.clone()));
        }
    }

    /// A statement with a body, whose head is shown.
    fn construct(&mut self, node: Node<'t>, around: Around) {
        let is_loop =
            matches!(node.kind(), "while_statement" | "for_statement" | "for_range_loop" | "do_statement");
        let inside =
            Around { lone: None, loop_depth: around.loop_depth + u32::from(is_loop), ..around.clone() };
        let body = node.child_by_field_name("consequence").or_else(|| node.child_by_field_name("body"));
        let head = head(node);
        self.outline.pieces.push(head.clone());
        let Some(body) = body else { return };
        if node.kind() == "do_statement" {
            let tail = self.text[body.end_byte()..node.end_byte()].trim_start().len();
            self.outline.pieces.push(node.end_byte() - tail..node.end_byte());
        }
        if node.kind() == "switch_statement" && body.kind() != "compound_statement" {
            return; // Nothing can stand between the head and the only `case`.
        }
        self.body(body, head, inside.clone());
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| *child != body) {
            // The condition may hold a lambda; the other branch has its own body.
            let around = if child.kind() == "else_clause" { around.clone() } else { inside.clone() };
            self.stack.push((child, Around { lone: None, ..around }));
        }
    }

    /// The body of a construct with this head.
    fn body(&mut self, body: Node<'t>, head: Range<usize>, around: Around) {
        let range = body.byte_range();
        let place = |at, room| Place {
            span: head.clone(),
            side: Side::After,
            head: head.clone(),
            at,
            room,
            loop_depth: around.loop_depth,
            function: around.function,
        };
        if body.kind() == "compound_statement" {
            let empty = body.named_children(&mut body.walk()).all(|child| child.kind() == "comment");
            if empty && !body.has_error() {
                self.outline.places.push(place(range.end - 1, Room::EmptyBlock(range)));
            }
            self.stack.push((body, around));
        } else if range.is_empty() {
            // The body stands elsewhere: behind `#endif`.
        } else if is_empty_statement(body) {
            self.outline.places.push(place(range.start, Room::Semicolon(range)));
        } else if self.may_be_macro(body) || body.has_error() {
            self.statement(body, around);
        } else {
            let around = Around { lone: Some((head, range.clone())), ..around };
            self.before(body, &around);
            if !is_jump(body) {
                self.after(body, range.end, &around);
            }
            self.statement(body, around);
        }
    }

    /// Whether it is the use of a macro, as far as one can tell.
    fn may_be_macro(&self, node: Node<'t>) -> bool {
        let inner = if node.kind() == "expression_statement" { node.named_child(0) } else { None };
        let name = match inner {
            Some(call) if call.kind() == "call_expression" => call.child_by_field_name("function"),
            Some(name) if name.kind() == "identifier" => Some(name),
            _ => None,
        };
        name.map(|name| &self.text[name.byte_range()]).is_some_and(|name| {
            self.macros.contains(name) || !name.contains(|c: char| c.is_ascii_lowercase())
        })
    }

    /// The statements of a list; `end` is where a call behind the last one is put, if there can be one.
    fn list(&mut self, node: Node<'t>, around: Around, end: Option<usize>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        let mut is_open = !around.is_awaited; // Whether a call can stand before the next statement.
        let around = Around { is_awaited: false, ..around };
        let starts_awaited = !is_open;
        let mut last = None;
        for &child in &children {
            let kind = child.kind();
            if kind == "comment" {
                continue;
            }
            last = Some(child);
            if child.is_error() {
                is_open = false;
                continue;
            }
            if !is_statement(kind) {
                // A directive, or the value of a `case`. Each branch of `#if` follows what stands before the first.
                let is_branch = matches!(kind, "preproc_else" | "preproc_elif" | "preproc_elifdef");
                let is_awaited = if is_branch { starts_awaited } else { !is_open };
                self.stack.push((child, Around { is_awaited, ..around.clone() }));
                if is_conditional(kind) {
                    is_open &= !child.has_error();
                }
                continue;
            }
            if is_open && !is_empty_statement(child) && kind != "case_statement" && !declares_no_object(kind)
            {
                self.before(child, &around);
            }
            // Behind `switch (c)` without braces nothing may stand before the only `case`, or behind its label.
            self.statement(
                child,
                Around { is_awaited: kind == "case_statement" && !is_open, ..around.clone() },
            );
            is_open = !child.has_error();
        }
        let (Some(at), Some(last)) = (end, last) else { return };
        if is_open && is_statement(last.kind()) && !is_jump(last) && last.kind() != "case_statement" {
            self.after(last, at, &around);
        }
    }

    /// A statement of a list or body: it is shown, and looked into.
    fn statement(&mut self, node: Node<'t>, around: Around) {
        match node.kind() {
            "compound_statement"
            | "case_statement"
            | "labeled_statement"
            | "function_definition"
            | "if_statement"
            | "while_statement"
            | "for_statement"
            | "for_range_loop"
            | "do_statement"
            | "switch_statement"
            | "try_statement" => {}
            _ => self.outline.pieces.push(node.byte_range()),
        }
        self.stack.push((node, around));
    }

    fn before(&mut self, node: Node<'t>, around: &Around) {
        let place = self.place_before(node, around);
        self.outline.places.push(place);
    }

    fn after(&mut self, node: Node<'t>, at: usize, around: &Around) {
        let place = Place { side: Side::After, at, ..self.place_before(node, around) };
        self.outline.places.push(place);
    }

    fn place_before(&self, node: Node<'t>, around: &Around) -> Place {
        Place {
            span: node.byte_range(),
            side: Side::Before,
            head: head(node),
            at: node.start_byte(),
            room: around.room(),
            loop_depth: around.loop_depth,
            function: around.function,
        }
    }
}

/// What is shown of a statement.
fn head(node: Node<'_>) -> Range<usize> {
    let body = node.child_by_field_name("consequence").or_else(|| node.child_by_field_name("body"));
    body.map_or(node.byte_range(), |body| head_before(node, body))
}

/// What stands before the body, without comments.
fn head_before(node: Node<'_>, body: Node<'_>) -> Range<usize> {
    let mut cursor = node.walk();
    let parts = node.children(&mut cursor).take_while(|child| *child != body);
    let last = parts.filter(|child| child.kind() != "comment").last();
    node.start_byte()..last.map_or(body.start_byte(), |last| last.end_byte())
}

fn last_statement<'t>(node: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let last = node.named_children(&mut cursor).filter(|child| child.kind() != "comment").last();
    last.filter(|last| is_statement(last.kind()))
}

fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || kind.ends_with("declaration")
        || matches!(kind, "for_range_loop" | "function_definition" | "type_definition")
}

/// Whether it is a directive that leaves text out.
fn is_conditional(kind: &str) -> bool {
    matches!(kind, "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" | "preproc_elifdef")
}

fn declares_no_object(kind: &str) -> bool {
    matches!(
        kind,
        "type_definition" | "static_assert_declaration" | "using_declaration" | "alias_declaration"
    )
}

fn is_empty_statement(node: Node<'_>) -> bool {
    node.kind() == "expression_statement" && node.named_child_count() == 0
}

/// Whether nothing can be reached behind it. An attribute such as `fallthrough` has to stay next to what it is about.
fn is_jump(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "return_statement"
            | "break_statement"
            | "continue_statement"
            | "goto_statement"
            | "throw_statement"
            | "co_return_statement"
            | "attributed_statement"
    )
}
