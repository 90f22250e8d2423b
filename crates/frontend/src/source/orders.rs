//! Words for orders: which they are, what stronger ones are called in their place, and the calls that have them.
//!
//! An access is known by where its call stands for a compiler: clang and rustc give the position of the method's name
//! (`x.store` at `store`), or of the function's if it is called by itself.

use std::ops::Range;

use tree_sitter::Node;

use crate::llvm::StrongerWords;

/// A call that is given an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderCall {
    /// Where the call stands in debug information.
    pub anchor: usize,
    /// The call.
    pub call: Range<usize>,
    /// The word for the order; of several the first, which is that of success.
    pub word: Range<usize>,
    /// How many loops of the text are around it.
    pub loop_depth: u32,
}

/// The call that a node is, if one of its arguments is a word for an order.
pub(super) fn order_call(text: &str, node: Node<'_>, loop_depth: u32) -> Option<OrderCall> {
    let (function, arguments) =
        (node.child_by_field_name("function")?, node.child_by_field_name("arguments")?);
    let mut cursor = arguments.walk();
    let word = arguments
        .named_children(&mut cursor)
        .find(|argument| order_of(&text[argument.byte_range()]).is_some())?;
    let name = function.child_by_field_name("field").unwrap_or(function);
    Some(OrderCall {
        anchor: name.start_byte(),
        call: node.byte_range(),
        word: word.byte_range(),
        loop_depth,
    })
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    const ALL: [Order; 5] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    /// Its name in C and C++, for GCC's built-in functions, and in Rust.
    fn names(self) -> [&'static str; 3] {
        match self {
            Order::Relaxed => ["relaxed", "__ATOMIC_RELAXED", "Relaxed"],
            Order::Acquire => ["acquire", "__ATOMIC_ACQUIRE", "Acquire"],
            Order::Release => ["release", "__ATOMIC_RELEASE", "Release"],
            Order::AcqRel => ["acq_rel", "__ATOMIC_ACQ_REL", "AcqRel"],
            Order::SeqCst => ["seq_cst", "__ATOMIC_SEQ_CST", "SeqCst"],
        }
    }
}

/// The order that a word means, and how it is written: what stands before the name, and which of the names it is.
fn order_of(word: &str) -> Option<(Order, &str, usize)> {
    let (prefixes, name) = match word.rfind("::") {
        Some(at) => word.split_at(at + 2),
        None => ("", word),
    };
    let (prefix, name) = match name.strip_prefix("memory_order_") {
        Some(name) => (&word[..word.len() - name.len()], name),
        None => (prefixes, name),
    };
    // A bare `relaxed` could be any variable.
    let is_c = prefix.ends_with("memory_order_") || prefix.ends_with("memory_order::");
    Order::ALL.into_iter().find_map(|order| {
        let spelling = order.names().iter().position(|&known| known == name)?;
        let fits = match spelling {
            0 => is_c,
            1 => prefix.is_empty(),
            _ => prefix.is_empty() || prefix.ends_with("::"),
        };
        fits.then_some((order, prefix, spelling))
    })
}

/// What stronger orders are called in the place of the word. `named` gives the name that a variant of Rust's `Ordering` has
/// where the word stands, for a word that is the variant's name alone.
pub(super) fn stronger_words(word: &str, named: &dyn Fn(&str) -> String) -> StrongerWords {
    let Some((order, prefix, spelling)) = order_of(word) else { return StrongerWords::default() };
    let write = |order: Order| {
        let name = order.names()[spelling];
        if spelling == 2 && prefix.is_empty() { named(name) } else { format!("{prefix}{name}") }
    };
    let release = (order == Order::Relaxed).then(|| write(Order::Release));
    let releasing = match order {
        Order::Relaxed => Some(write(Order::Release)),
        Order::Acquire => Some(write(Order::AcqRel)),
        Order::Release | Order::AcqRel | Order::SeqCst => None,
    };
    let seq_cst = (order != Order::SeqCst).then(|| write(Order::SeqCst));
    StrongerWords { release, releasing, seq_cst }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_stronger_ones_of_their_kind() {
        let named = |name: &str| format!("Ordering::{name}");
        let words = |word: &str| {
            let StrongerWords { release, releasing, seq_cst } = stronger_words(word, &named);
            [release, releasing, seq_cst].map(Option::unwrap_or_default)
        };
        assert_eq!(
            words("memory_order_relaxed"),
            ["memory_order_release", "memory_order_release", "memory_order_seq_cst"]
        );
        assert_eq!(
            words("std::memory_order_acquire"),
            ["", "std::memory_order_acq_rel", "std::memory_order_seq_cst"]
        );
        assert_eq!(words("std::memory_order::release"), ["", "", "std::memory_order::seq_cst"]);
        assert_eq!(words("__ATOMIC_RELAXED"), ["__ATOMIC_RELEASE", "__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST"]);
        assert_eq!(words("Ordering::Acquire"), ["", "Ordering::AcqRel", "Ordering::SeqCst"]);
        assert_eq!(words("Relaxed"), ["Ordering::Release", "Ordering::Release", "Ordering::SeqCst"]);
        for other in ["relaxed", "order", "memory_order_seq_cst", "SeqCst", "my::__ATOMIC_RELAXED", ""] {
            assert_eq!(words(other), ["", "", ""], "{other}");
        }
    }
}
