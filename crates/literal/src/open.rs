//! Integers that the program leaves open: symbols, each with the set of numbers it can still be.
//!
//! A scalar is *open* if it is `scale * symbol + offset` modulo two to its width. The scalar carries the offset and the number
//! of a [`Term`], which has the rest. A state with symbols covers all states in which each symbol is one of its numbers. An
//! operation that depends on which one it is splits the set, and both parts are tried ([`follow`](crate::follow)). Copies of a
//! value share its symbol, so they are narrowed together.

use std::rc::Rc;

use crate::range::Ranges;
use crate::value::{ObjectId, Scalar, mask};

/// How integers that the program leaves open are treated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OpenInts {
    /// As symbols: exact for the supported operations.
    #[default]
    Followed,
    /// The same, and symbols are never renamed or forgotten, so that the origin of each is known in the end.
    Recorded,
    /// All values of integers of at most eight bits, some values of others, in turn.
    Tried,
    /// These values, in the order in which the execution asks for them.
    Given(Rc<[u64]>),
}

/// The number of a term; none if the scalar is a number.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct TermId(u32);

impl TermId {
    /// For a scalar that is a number.
    pub const NONE: TermId = TermId(0);

    fn new(place: usize) -> Self {
        Self(place as u32 + 1)
    }

    /// Whether the scalar is open.
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    fn place(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// `scale * symbol`, of `width` bits.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
struct Term {
    symbol: u32,
    scale: i64,
    width: u32,
}

/// What is known of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Symbol {
    /// One of these numbers, more than one. An address also has a place of its own that it may be, besides null.
    Free(Ranges, Option<u64>),
    /// This number.
    Is(i128),
    /// `scale * of + offset`.
    Linear { of: u32, scale: i128, offset: i128 },
}

/// The largest scale. It keeps products with symbols of 64 bits far from the limits of `i128`.
pub(crate) const MOST_SCALE: i128 = 1 << 31;

/// An open scalar: `scale * symbol + offset` modulo two to the width.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) symbol: u32,
    pub(crate) scale: i128,
    pub(crate) offset: i128,
    pub(crate) width: u32,
}

/// The symbols of a state, and the terms that its scalars refer to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Symbols {
    symbols: Vec<Symbol>,
    terms: Vec<Term>,
    /// The symbols in the order in which the execution asked for them, if that is recorded.
    births: Vec<u32>,
    /// How many of the given values have been used.
    given: u32,
}

impl Symbols {
    /// Whether there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// A new symbol, as a scalar of `width` bits. `ranges` holds more than one number.
    pub(crate) fn born(
        &mut self,
        ranges: Ranges,
        place: Option<u64>,
        width: u32,
        is_recorded: bool,
    ) -> Scalar {
        let symbol = self.symbols.len() as u32;
        self.symbols.push(Symbol::Free(ranges, place));
        if is_recorded {
            self.births.push(symbol);
        }
        self.term(symbol, 1, 0, width)
    }

    /// The index of the next given value.
    pub(crate) fn next_given(&mut self) -> usize {
        self.given += 1;
        self.given as usize - 1
    }

    fn term(&mut self, symbol: u32, scale: i64, bits: u64, width: u32) -> Scalar {
        let term = Term { symbol, scale, width };
        let place = self.terms.iter().position(|known| *known == term).unwrap_or_else(|| {
            self.terms.push(term);
            self.terms.len() - 1
        });
        Scalar { bits, unset: 0, of: ObjectId::NONE, open: TermId::new(place) }
    }

    /// `scale * symbol + offset`, of `width` bits; `None` if the scale is too large.
    pub(crate) fn scalar(&mut self, symbol: u32, scale: i128, offset: i128, width: u32) -> Option<Scalar> {
        let modulus = 1i128 << width;
        let bits = offset.rem_euclid(modulus) as u64;
        let scale = scale.rem_euclid(modulus);
        // The equivalent scale closest to zero.
        let scale = if scale > modulus / 2 { scale - modulus } else { scale };
        if scale == 0 {
            return Some(Scalar::int(bits));
        }
        (scale.abs() <= MOST_SCALE).then(|| self.term(symbol, scale as i64, bits, width))
    }

    /// The numbers that a symbol can be, and the place of an address.
    pub(crate) fn ranges(&self, symbol: u32) -> (Ranges, Option<u64>) {
        match &self.symbols[symbol as usize] {
            Symbol::Free(ranges, place) => (ranges.clone(), *place),
            Symbol::Is(number) => (Ranges::between(*number, *number), None),
            Symbol::Linear { .. } => (Ranges::default(), None),
        }
    }

    /// Restricts a symbol to these numbers.
    pub(crate) fn narrow(&mut self, symbol: u32, to: Ranges) {
        let place = self.ranges(symbol).1;
        self.symbols[symbol as usize] = match to.single() {
            Some(number) => Symbol::Is(number),
            None => Symbol::Free(to, place),
        };
    }

    /// Defines a symbol as `by * other + rest` and returns the other. `None` if terms would become too large.
    pub(crate) fn split_off(&mut self, symbol: u32, by: i128, rest: i128) -> Option<u32> {
        // Terms may refer to it through other symbols defined by it.
        let fits = |term: &Term| {
            let (mut at, mut scale) = (term.symbol, i128::from(term.scale).abs() * by);
            while let Symbol::Linear { of, scale: next, .. } = &self.symbols[at as usize] {
                (at, scale) = (*of, scale * next.abs());
            }
            at != symbol || scale <= MOST_SCALE
        };
        if !self.terms.iter().all(fits) {
            return None;
        }
        let quotients = self.ranges(symbol).0.divided(by, rest);
        let other = self.symbols.len() as u32;
        self.symbols.push(match quotients.single() {
            Some(number) => Symbol::Is(number),
            None => Symbol::Free(quotients, None),
        });
        self.symbols[symbol as usize] = Symbol::Linear { of: other, scale: by, offset: rest };
        Some(other)
    }

    /// Resolves an open scalar with what is known of its symbol: a number, or a form over a free symbol.
    pub(crate) fn form(&self, scalar: Scalar) -> Result<Form, Scalar> {
        let Some(term) = scalar.open.place().and_then(|place| self.terms.get(place)) else {
            return Err(scalar);
        };
        let (mut symbol, mut scale) = (term.symbol, i128::from(term.scale));
        let mut offset = i128::from(scalar.bits);
        loop {
            match &self.symbols[symbol as usize] {
                Symbol::Free(..) => return Ok(Form { symbol, scale, offset, width: term.width }),
                Symbol::Is(number) => {
                    let bits = (scale * number + offset) as u64 & mask(term.width);
                    return Err(Scalar::int(bits));
                }
                Symbol::Linear { of, scale: by, offset: rest } => {
                    offset += scale * rest;
                    scale *= by;
                    symbol = *of;
                }
            }
        }
    }

    /// Values that the execution could have been given, in the order in which it asked for them.
    pub fn witness(&self) -> Rc<[u64]> {
        self.births.iter().map(|symbol| self.number(*symbol) as u64).collect()
    }

    fn number(&self, symbol: u32) -> i128 {
        match &self.symbols[symbol as usize] {
            Symbol::Is(number) => *number,
            Symbol::Linear { of, scale, offset } => scale * self.number(*of) + offset,
            Symbol::Free(ranges, Some(place)) if ranges.contains((*place).into()) && !ranges.contains(0) => {
                (*place).into()
            }
            // The one closest to zero is the easiest to read.
            Symbol::Free(ranges, _) => (ranges.pieces().iter())
                .map(|(low, high)| 0.clamp(*low, *high))
                .min_by_key(|number| (number.unsigned_abs(), *number < 0))
                .unwrap_or(0),
        }
    }
}

/// Renumbers the symbols of a state in the order in which they are met, and forgets those that nothing refers to.
pub(crate) struct Renaming<'s> {
    old: &'s Symbols,
    new: Symbols,
    /// The new number of each old symbol.
    known: Vec<Option<u32>>,
}

impl<'s> Renaming<'s> {
    pub(crate) fn new(old: &'s Symbols) -> Self {
        Self { old, new: Symbols::default(), known: vec![None; old.symbols.len()] }
    }

    /// The scalar in terms of the new symbols.
    pub(crate) fn rename(&mut self, scalar: Scalar) -> Scalar {
        let form = match self.old.form(scalar) {
            Ok(form) => form,
            Err(number) => return number,
        };
        let symbol = *self.known[form.symbol as usize].get_or_insert_with(|| {
            self.new.symbols.push(self.old.symbols[form.symbol as usize].clone());
            self.new.symbols.len() as u32 - 1
        });
        // `split_off` keeps the scales of terms in use small.
        let scalar = self.new.scalar(symbol, form.scale, form.offset, form.width);
        scalar.unwrap_or(Scalar::poison(form.width))
    }

    /// The new symbols.
    pub(crate) fn finish(self) -> Symbols {
        Symbols { births: Vec::new(), given: self.old.given, ..self.new }
    }
}
