//! `#include` lines: whether a header is there already, and where it goes if not.

use tree_sitter::Node;

use crate::patch::newline_near;

/// Where to put the header into the text and what to write there; nothing if it is included already.
///
/// It goes among the first lines that include system headers next to each other: at its place in the alphabet if they
/// are in order, else behind them. Without such lines it goes before the first line that is not a comment.
pub(super) fn missing_include(text: &str, root: Node<'_>, header: &str) -> Option<(usize, String)> {
    let wanted = format!("<{header}>");
    let mut cursor = root.walk();
    let items: Vec<Node<'_>> = root.named_children(&mut cursor).collect();
    let path = |item: &Node<'_>| item.child_by_field_name("path").map(|path| &text[path.byte_range()]);
    let includes = items.iter().filter(|item| item.kind() == "preproc_include");
    if includes.clone().any(|item| path(item) == Some(&wanted)) {
        return None;
    }
    let mut group: Vec<(Node<'_>, &str)> = Vec::new();
    for item in includes {
        let Some(path) = path(item).filter(|path| path.starts_with('<')) else { continue };
        let follows =
            group.last().is_none_or(|(last, _)| item.start_position().row <= last.start_position().row + 1);
        if !follows {
            break;
        }
        group.push((*item, path));
    }
    let newline = newline_near(text, 0);
    let line = format!("#include {wanted}{newline}");
    let Some((first, _)) = group.first() else {
        let item = items.iter().find(|item| item.kind() != "comment")?;
        return Some((item.start_byte(), format!("{line}{newline}")));
    };
    let in_order = group.is_sorted_by_key(|(_, path)| *path);
    let before = group.iter().find(|(_, path)| in_order && *path > wanted.as_str());
    Some(match (before, group.last()) {
        (Some((item, _)), _) => (item.start_byte(), line),
        // The node of a directive goes to the start of the next line.
        (None, Some((last, _))) if text[..last.end_byte()].ends_with('\n') => (last.end_byte(), line),
        (None, Some((last, _))) => (last.end_byte(), format!("{newline}#include {wanted}")),
        (None, None) => (first.start_byte(), line),
    })
}
