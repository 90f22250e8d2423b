//! The outline of a Rust text.
//!
//! Places are before each statement and the last expression of a block, at the end of a block whose value is `()`, and
//! before the expression of a match arm, which gets braces. There are none in constants and `const fn`, where a call
//! could not stand, behind jumps, and in the arguments of macros, which are not parsed.

use std::ops::Range;

use fencewright_ir::Side;
use tree_sitter::Node;

use super::orders::order_call;
use super::outline::{Outline, Place, Room};

/// The outline of a text.
pub(super) fn outline(text: &str, root: Node<'_>) -> Outline {
    let mut walk = Walk { text, outline: Outline::default(), stack: Vec::new(), functions: 0 };
    walk.stack.push((root, Around { is_unit: false, loop_depth: 0, function: 0, head: None }));
    while let Some((node, around)) = walk.stack.pop() {
        walk.visit(node, around);
    }
    walk.outline.finish()
}

/// What is around a node.
#[derive(Debug, Clone)]
struct Around {
    /// Whether the node's value is surely `()`.
    is_unit: bool,
    loop_depth: u32,
    function: u32,
    /// For a block: the head of its construct.
    head: Option<Range<usize>>,
}

struct Walk<'t, 's> {
    text: &'s str,
    outline: Outline,
    /// What is still to be visited: texts can nest deeper than our stack goes.
    stack: Vec<(Node<'t>, Around)>,
    functions: u32,
}

impl<'t> Walk<'t, '_> {
    fn visit(&mut self, node: Node<'t>, around: Around) {
        match node.kind() {
            "const_item"
            | "static_item"
            | "const_block"
            | "macro_definition"
            | "token_tree"
            | "attribute_item"
            | "inner_attribute_item"
            | "enum_variant"
            | "array_type" => {}
            "function_item" => self.function(node),
            "closure_expression" => {
                self.functions += 1;
                let around = Around { is_unit: false, loop_depth: 0, function: self.functions, head: None };
                self.children(node, around);
            }
            "block" => self.block(node, around),
            "if_expression" | "while_expression" | "for_expression" | "loop_expression" => {
                self.construct(node, around);
            }
            "unsafe_block" | "else_clause" | "expression_statement" | "match_block" => {
                // Where the value goes, that of the last part goes too.
                let has_semicolon = self.text[..node.end_byte()].ends_with(';');
                let is_unit = around.is_unit && !has_semicolon;
                let head = (node.kind() == "else_clause").then(|| node.start_byte()..node.start_byte() + 4);
                self.children(node, Around { is_unit, head, ..around });
            }
            "match_expression" => {
                let head = head(node);
                self.outline.pieces.push(head);
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    let is_unit = around.is_unit && child.kind() == "match_block";
                    self.stack.push((child, Around { is_unit, head: None, ..around.clone() }));
                }
            }
            "match_arm" => self.arm(node, around),
            "call_expression" => {
                self.outline.orders.extend(order_call(self.text, node, around.loop_depth));
                self.children(node, Around { is_unit: false, head: None, ..around });
            }
            _ => self.children(node, Around { is_unit: false, head: None, ..around }),
        }
    }

    fn children(&mut self, node: Node<'t>, around: Around) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.stack.push((child, around.clone()));
        }
    }

    fn function(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let modifiers = node.named_children(&mut cursor).find(|child| child.kind() == "function_modifiers");
        let is_constant = modifiers.is_some_and(|modifiers| {
            self.text[modifiers.byte_range()].split_whitespace().any(|word| word == "const")
        });
        let Some(body) = node.child_by_field_name("body").filter(|_| !is_constant) else { return };
        let head = head_before(node, body);
        self.outline.pieces.push(head.clone());
        self.functions += 1;
        let is_unit = node.child_by_field_name("return_type").is_none();
        self.stack
            .push((body, Around { is_unit, loop_depth: 0, function: self.functions, head: Some(head) }));
    }

    fn construct(&mut self, node: Node<'t>, around: Around) {
        let is_if = node.kind() == "if_expression";
        let body = node.child_by_field_name("consequence").or_else(|| node.child_by_field_name("body"));
        let head = head(node);
        self.outline.pieces.push(head.clone());
        let is_unit = !is_if || around.is_unit || node.child_by_field_name("alternative").is_none();
        let loop_depth = around.loop_depth + u32::from(!is_if);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let around = if Some(child) == body {
                Around { is_unit, loop_depth, head: Some(head.clone()), ..around.clone() }
            } else if child.kind() == "else_clause" {
                Around { is_unit, head: None, ..around.clone() }
            } else {
                Around { is_unit: false, loop_depth, head: None, ..around.clone() }
            };
            self.stack.push((child, around));
        }
    }

    fn arm(&mut self, node: Node<'t>, around: Around) {
        let value = node.child_by_field_name("value");
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let is_value = Some(child) == value;
            let is_unit = around.is_unit && is_value;
            self.stack.push((child, Around { is_unit, head: None, ..around.clone() }));
        }
        if let Some(value) = value.filter(|value| !matches!(value.kind(), "block" | "unit_expression"))
            && !node.has_error()
        {
            self.piece(value);
            let room = Room::Braces { head: head_before(node, value), body: value.byte_range() };
            self.place(value.byte_range(), head(value), Side::Before, value.start_byte(), room, &around);
        }
    }

    fn block(&mut self, node: Node<'t>, around: Around) {
        let mut cursor = node.walk();
        let is_comment = |child: &Node<'_>| child.kind().ends_with("_comment");
        let children: Vec<Node<'t>> =
            node.named_children(&mut cursor).filter(|child| !is_comment(child)).collect();
        let brace = node.end_byte() - 1;
        if !self.text[..node.end_byte()].ends_with('}') {
            return; // The parser lost its way.
        }
        self.outline.pieces.push(brace..brace + 1);
        if children.is_empty() {
            if let Some(head) = around.head.clone().filter(|_| around.is_unit && !node.has_error()) {
                let room = Room::EmptyBlock(node.byte_range());
                self.place(head.clone(), head, Side::After, brace, room, &around);
            }
            return;
        }
        let mut is_open = true; // Whether a call can stand before the next statement.
        let mut is_ended = false; // Whether the value of the block may have been given already.
        let mut attributes: Option<usize> = None;
        for (i, &child) in children.iter().enumerate() {
            let kind = child.kind();
            if kind == "empty_statement" {
                continue;
            }
            // A `;` behind a construct with a body is a statement of its own to the parser.
            let is_closed = children.get(i + 1).is_some_and(|next| next.kind() == "empty_statement");
            let is_last = children[i + 1..].iter().all(|next| next.kind() == "empty_statement");
            if child.is_error() {
                is_open = false;
                continue;
            }
            if kind == "attribute_item" {
                attributes.get_or_insert(child.start_byte());
                continue;
            }
            // With `#[cfg]` there may be several last expressions, of which the compiler sees one.
            let may_be_last =
                attributes.is_some() && !is_closed && !self.text[..child.end_byte()].ends_with(';');
            let at = attributes.take().unwrap_or(child.start_byte());
            let is_unit = !is_closed && (around.is_unit || !(is_last || may_be_last));
            let inner = Around { is_unit, head: None, ..around.clone() };
            self.stack.push((child, inner));
            if !is_code(kind) {
                continue;
            }
            self.piece(child);
            let span = at..child.end_byte();
            let head = head(child);
            if is_open {
                self.place(span.clone(), head.clone(), Side::Before, at, Room::List, &around);
            }
            is_ended |= may_be_last && !around.is_unit;
            is_open = !child.has_error() && !is_ended;
            let has_semicolon = is_closed || self.text[..span.end].ends_with(';');
            if is_last && is_open && !is_jump(child) && (has_semicolon || around.is_unit) {
                if has_semicolon || kind == "expression_statement" {
                    self.place(span, head, Side::After, brace, Room::List, &around);
                } else {
                    let end = span.end;
                    self.place(span, head, Side::After, end, Room::Tail, &around);
                }
            }
        }
    }

    /// Shows a statement, unless it is one with a body, whose parts show themselves.
    fn piece(&mut self, node: Node<'t>) {
        if !has_body(inner(node).kind()) {
            self.outline.pieces.push(node.byte_range());
        }
    }

    fn place(
        &mut self,
        span: Range<usize>,
        head: Range<usize>,
        side: Side,
        at: usize,
        room: Room,
        around: &Around,
    ) {
        let Around { loop_depth, function, .. } = *around;
        self.outline.places.push(Place { span, side, head, at, room, loop_depth, function });
    }
}

/// The expression of a statement that is one.
fn inner(node: Node<'_>) -> Node<'_> {
    if node.kind() == "expression_statement" { node.named_child(0).unwrap_or(node) } else { node }
}

/// What is shown of a statement.
fn head(node: Node<'_>) -> Range<usize> {
    let inner = inner(node);
    let body = inner.child_by_field_name("consequence").or_else(|| inner.child_by_field_name("body"));
    match body {
        Some(body) if has_body(inner.kind()) => head_before(inner, body),
        _ => node.byte_range(),
    }
}

/// What stands before the body, without comments.
fn head_before(node: Node<'_>, body: Node<'_>) -> Range<usize> {
    let mut cursor = node.walk();
    let parts = node.children(&mut cursor).take_while(|child| *child != body);
    let last = parts.filter(|child| !child.kind().ends_with("_comment")).last();
    node.start_byte()..last.map_or(body.start_byte(), |last| last.end_byte())
}

/// Whether it is a statement or expression, and not an item.
fn is_code(kind: &str) -> bool {
    !kind.ends_with("_item")
        && !matches!(kind, "use_declaration" | "macro_definition" | "extern_crate_declaration" | "label")
}

fn has_body(kind: &str) -> bool {
    matches!(
        kind,
        "if_expression"
            | "while_expression"
            | "for_expression"
            | "loop_expression"
            | "match_expression"
            | "block"
            | "unsafe_block"
    )
}

/// Whether nothing can be reached behind it.
fn is_jump(node: Node<'_>) -> bool {
    matches!(inner(node).kind(), "return_expression" | "break_expression" | "continue_expression")
}
