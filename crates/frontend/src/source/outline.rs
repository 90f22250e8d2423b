//! What a parse of the user's text is boiled down to: places at which a fence can be written, and the pieces of text
//! that a trace quotes. [`c`](super::c) and [`rust`](super::rust) fill it, everything else only reads it.
//!
//! *Contract:*
//! - Places are in the order of [`Place::at`], and no two have the same span and side: these two name a place.
//! - A call put at every place, with the braces and semicolons the places ask for, leaves the text a program that does
//!   the same as before, up to macros that the parser cannot see through.

use std::ops::Range;

use fencewright_ir::Side;

use super::orders::OrderCall;

/// A place at which a fence can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The statement beside which the fence stands. A fence in an empty body stands behind the head of its construct.
    pub span: Range<usize>,
    /// On which side of it.
    pub side: Side,
    /// The part of the statement that is shown: without its body.
    pub head: Range<usize>,
    /// Where a call is put.
    pub at: usize,
    /// What has to be written around it.
    pub room: Room,
    /// How many loops of the text are around it.
    pub loop_depth: u32,
    /// The function it is in, counted from 0 in no particular order.
    pub function: u32,
}

/// What stands around a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Room {
    /// Other statements of a list: nothing else is needed.
    List,
    /// An empty block: this one, with its braces.
    EmptyBlock(Range<usize>),
    /// A statement that is a whole body by itself: it gets braces.
    Braces {
        /// The head of the construct whose body it is.
        head: Range<usize>,
        /// The statement.
        body: Range<usize>,
    },
    /// A body that is only `;`, in this range: it becomes a block.
    Semicolon(Range<usize>),
    /// An expression at the end of a Rust block: it becomes a statement.
    Tail,
}

/// The places and statements of a text.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// In the order of the text.
    pub places: Vec<Place>,
    /// Simple statements, heads of compound ones, and closing braces, by where they start. They nest or are disjoint.
    pub pieces: Vec<Range<usize>>,
    /// Calls that are given an order, by where they stand in debug information.
    pub orders: Vec<OrderCall>,
}

impl Outline {
    /// Brings everything in order.
    pub(super) fn finish(mut self) -> Self {
        let side = |place: &Place| place.side == Side::Before;
        // At one position what ends there comes before what starts there, the innermost first.
        self.places.sort_by_key(|place| {
            let start = place.span.start;
            (place.at, side(place), if side(place) { start } else { usize::MAX - start }, place.span.end)
        });
        self.pieces.sort_by_key(|piece| (piece.start, usize::MAX - piece.end));
        self.orders.sort_by_key(|order| order.anchor);
        self
    }

    /// The smallest piece that holds the byte.
    pub fn piece_at(&self, offset: usize) -> Option<Range<usize>> {
        let behind = self.pieces.partition_point(|piece| piece.start <= offset);
        self.pieces[..behind].iter().rev().find(|piece| offset < piece.end).cloned()
    }

    /// The call that stands there in debug information.
    pub fn order_at(&self, offset: usize) -> Option<&OrderCall> {
        let found = self.orders.binary_search_by_key(&offset, |order| order.anchor).ok()?;
        Some(&self.orders[found])
    }

    /// The first piece that starts in the range.
    pub fn first_piece_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        let first = self.pieces.partition_point(|piece| piece.start < range.start);
        self.pieces.get(first).filter(|piece| piece.start < range.end).cloned()
    }
}

/// The text on one line.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
