//! Values inside packed states. A value of a small domain is stored as its distance from the least value; one of a wide
//! domain as the number it was given when it was first seen, so an `int` costs the bits of the values it really takes.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use fencewright_base::Int;
use fencewright_explore::pack::{Field, bits_for};
use fencewright_ir::Domain;
use foldhash::fast::RandomState;

/// Domains of at most this many bits are stored as distances; wider ones are interned.
const NARROW_BITS: u32 = 10;

/// A number: small if it fits, and exact always.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Small(i64),
    Big(Int),
}

impl Number {
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Number::Small(value) => *value != 0,
            Number::Big(_) => true, // Zero is small.
        }
    }

    pub(crate) fn to_int(&self) -> Int {
        match self {
            Number::Small(value) => Int::from(*value),
            Number::Big(value) => value.clone(),
        }
    }
}

impl From<Int> for Number {
    fn from(value: Int) -> Self {
        value.to_i64().map_or(Number::Big(value), Number::Small)
    }
}

/// How the values of a domain are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As the distance from `lo`. `wraps` if it is a machine integer.
    Narrow { lo: i64, hi: i64, wraps: Option<(u32, bool)> },
    /// As its place among the values it can have, a machine integer's. `places` are those of `values[0]`, the value
    /// after it, and so on.
    Table { values: Box<[i64]>, places: Box<[u16]>, wraps: (u32, bool) },
    /// As the number it was interned under.
    Interned { domain: Box<Domain> },
}

/// Why a value is not stored.
pub(crate) enum StoreError {
    /// It lies outside a range: the step is not enabled.
    Outside,
    /// It is new, and there are no numbers left for the interned values at this width.
    Widen,
}

impl Coding {
    pub(crate) fn of(domain: &Domain) -> Coding {
        if let Some((lo, hi)) = domain.bounds()
            && let (Some(lo), Some(hi)) = (lo.to_i64(), hi.to_i64())
            && hi.checked_sub(lo).is_some_and(|width| width < 1 << NARROW_BITS)
        {
            let wraps = match *domain {
                Domain::Machine { bits, signed } => Some((bits, signed)),
                Domain::Range { .. } | Domain::Integers => None,
            };
            return Coding::Narrow { lo, hi, wraps };
        }
        Coding::Interned { domain: Box::new(domain.clone()) }
    }

    /// As `of`, when the values that really occur are known.
    pub(crate) fn of_values(domain: &Domain, possible: Option<&BTreeSet<Int>>) -> Coding {
        let (Domain::Machine { bits, signed }, Some(possible)) = (domain, possible) else {
            return Coding::of(domain);
        };
        let values: Option<Vec<i64>> = possible.iter().map(Int::to_i64).collect();
        let Some(values) = values.filter(|values| !values.is_empty() && *bits <= 32) else {
            return Coding::of(domain);
        };
        let wraps = (*bits, *signed);
        let (lo, hi) = (values[0], values[values.len() - 1]);
        let width = (hi - lo) as u64 + 1;
        // Looking a value up costs more than adding: it must save something.
        if width > 1 << NARROW_BITS || bits_for(values.len() as u64) + 2 <= bits_for(width) {
            if width > 1 << 16 {
                return Coding::of(domain);
            }
            let mut places = vec![u16::MAX; width as usize].into_boxed_slice();
            for (place, value) in values.iter().enumerate() {
                places[(value - lo) as usize] = place as u16;
            }
            return Coding::Table { values: values.into_boxed_slice(), places, wraps };
        }
        Coding::Narrow { lo, hi, wraps: Some(wraps) }
    }

    /// A single value, which needs no bits at all.
    pub(crate) fn constant(value: i64) -> Coding {
        Coding::Narrow { lo: value, hi: value, wraps: None }
    }

    pub(crate) fn bits(&self, interned_bits: u32) -> u32 {
        match self {
            Coding::Narrow { lo, hi, .. } => bits_for((hi - lo) as u64 + 1),
            Coding::Table { values, .. } => bits_for(values.len() as u64),
            Coding::Interned { .. } => interned_bits,
        }
    }

    /// The value stored as `raw`.
    #[inline(always)]
    pub(crate) fn decode(&self, raw: u64, values: &mut Values<'_>) -> Number {
        match self {
            Coding::Narrow { lo, .. } => Number::Small(lo + raw as i64),
            Coding::Table { values, .. } => Number::Small(values[raw as usize]),
            Coding::Interned { .. } => values.get(raw),
        }
    }

    /// The value stored as `raw`, if it is small.
    #[inline(always)]
    pub(crate) fn decode_small(&self, raw: u64, values: &mut Values<'_>) -> Option<i64> {
        match self {
            Coding::Narrow { lo, .. } => Some(lo + raw as i64),
            Coding::Table { values, .. } => Some(values[raw as usize]),
            Coding::Interned { .. } => match values.get(raw) {
                Number::Small(value) => Some(value),
                Number::Big(_) => None,
            },
        }
    }

    /// How a small value is stored.
    #[inline(always)]
    pub(crate) fn encode_small(&self, value: i64, values: &mut Values<'_>) -> Result<u64, StoreError> {
        match self {
            Coding::Narrow { lo, hi, wraps } => {
                if *lo <= value && value <= *hi {
                    return Ok((value - lo) as u64);
                }
                match wraps {
                    None => Err(StoreError::Outside),
                    Some((bits, signed)) => Ok((wrap_small(value, *bits, *signed) - lo) as u64),
                }
            }
            Coding::Table { values, places, wraps: (bits, signed) } => {
                let place = |value: i64| places.get(usize::try_from(value - values[0]).ok()?).copied();
                match place(value) {
                    Some(found) if found != u16::MAX => Ok(u64::from(found)),
                    _ => {
                        let found = place(wrap_small(value, *bits, *signed));
                        Ok(u64::from(found.expect("internal error: a value outside the values found")))
                    }
                }
            }
            Coding::Interned { .. } => self.encode(Number::Small(value), values),
        }
    }

    /// How `value` is stored.
    #[inline]
    pub(crate) fn encode(&self, value: Number, values: &mut Values<'_>) -> Result<u64, StoreError> {
        match self {
            Coding::Narrow { wraps: None, .. } => match value {
                Number::Small(value) => self.encode_small(value, values),
                Number::Big(_) => Err(StoreError::Outside),
            },
            Coding::Narrow { wraps: Some((bits, signed)), .. }
            | Coding::Table { wraps: (bits, signed), .. } => {
                let value = match value {
                    Number::Small(value) => value,
                    Number::Big(value) => {
                        value.wrap(*bits, *signed).to_i64().expect("a narrow machine integer is small")
                    }
                };
                self.encode_small(value, values)
            }
            Coding::Interned { domain } => {
                let fits = match (&value, &**domain) {
                    (_, Domain::Integers) => true,
                    // The common case, without making an `Int`: the value is inside the machine type already.
                    (Number::Small(value), Domain::Machine { bits, signed: true }) => {
                        *bits >= 64 || *value == *value << (64 - bits) >> (64 - bits)
                    }
                    (Number::Small(value), Domain::Machine { bits, signed: false }) => {
                        *value >= 0 && (*bits >= 63 || *value >> bits == 0)
                    }
                    (Number::Big(_), Domain::Machine { .. }) | (_, Domain::Range { .. }) => false,
                };
                if fits {
                    return values.intern(&value).ok_or(StoreError::Widen);
                }
                let admitted = domain.admit(value.to_int()).ok_or(StoreError::Outside)?;
                values.intern(&Number::from(admitted)).ok_or(StoreError::Widen)
            }
        }
    }
}

/// The value of a machine integer of at most 32 bits that is congruent.
fn wrap_small(value: i64, bits: u32, signed: bool) -> i64 {
    if signed { value << (64 - bits) >> (64 - bits) } else { value & ((1 << bits) - 1) }
}

/// A register or memory cell: where it is stored and how.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) field: Field,
    pub(crate) coding: Coding,
    /// Slots with the same coding have the same number: raw values can be copied between them.
    pub(crate) coding_id: u16,
}

impl Slot {
    /// Whether it is stored in the same place in the same way.
    pub(crate) fn is_same_as(&self, other: &Slot) -> bool {
        self.field == other.field && self.coding_id == other.coding_id
    }
}

/// The interned values, shared by all searching threads.
#[derive(Debug)]
pub(crate) struct Interner {
    table: Mutex<Table>,
    limit: u64,
}

#[derive(Debug, Default)]
struct Table {
    numbers: HashMap<Int, u64>,
    values: Vec<Int>,
}

impl Interner {
    /// Room for the values that `bits` bits can tell apart. Zero is number 0.
    pub(crate) fn new(bits: u32) -> Self {
        let interner = Self { table: Mutex::default(), limit: 1 << bits };
        interner.intern(Int::ZERO);
        interner
    }

    fn intern(&self, value: Int) -> Option<u64> {
        // A poisoned lock only means that another thread panicked; the table is consistent after every statement.
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = table.numbers.get(&value) {
            return Some(number);
        }
        let number = table.values.len() as u64;
        if number >= self.limit {
            return None;
        }
        table.values.push(value.clone());
        table.numbers.insert(value, number);
        Some(number)
    }
}

/// One thread's view of the interned values: it asks the shared table only for what it has not seen.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    interner: &'a Interner,
    numbers: HashMap<i64, u64, RandomState>,
    values: Vec<Number>,
}

impl<'a> Values<'a> {
    pub(crate) fn new(interner: &'a Interner) -> Self {
        Self { interner, numbers: HashMap::default(), values: Vec::new() }
    }

    #[inline]
    fn get(&mut self, number: u64) -> Number {
        if number as usize >= self.values.len() {
            let table = self.interner.table.lock().unwrap_or_else(PoisonError::into_inner);
            let new = table.values[self.values.len()..].iter().cloned().map(Number::from);
            self.values.extend(new);
        }
        self.values[number as usize].clone()
    }

    #[inline]
    fn intern(&mut self, value: &Number) -> Option<u64> {
        if let Number::Small(small) = value
            && let Some(&number) = self.numbers.get(small)
        {
            return Some(number);
        }
        let number = self.interner.intern(value.to_int())?;
        if let Number::Small(small) = value {
            self.numbers.insert(*small, number);
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(domain: &Domain, value: Int, bits: u32) -> Option<Int> {
        let interner = Interner::new(bits);
        let mut values = Values::new(&interner);
        let coding = Coding::of(domain);
        match coding.encode(Number::from(value), &mut values) {
            Ok(raw) => {
                assert!(raw < 1 << coding.bits(bits));
                Some(coding.decode(raw, &mut values).to_int())
            }
            Err(StoreError::Outside) => None,
            Err(StoreError::Widen) => panic!("there is room"),
        }
    }

    #[test]
    fn storing_a_value_is_what_the_domain_admits() {
        let domains = [
            Domain::range(-2, 3),
            Domain::range(5, 5),
            Domain::range(0, 1_000_000),
            Domain::range(i64::MIN, i64::MAX),
            Domain::Machine { bits: 1, signed: false },
            Domain::Machine { bits: 8, signed: true },
            Domain::Machine { bits: 16, signed: false },
            Domain::Machine { bits: 32, signed: true },
            Domain::Machine { bits: 63, signed: false },
            Domain::Machine { bits: 64, signed: true },
            Domain::Machine { bits: 64, signed: false },
            Domain::Machine { bits: 128, signed: false },
            Domain::Integers,
        ];
        let huge = Int::power_of_two(70);
        let edges =
            [0, 1, -1, 127, 128, -128, -129, 255, 65_536, i64::MAX, i64::MIN, 1 << 31, (1 << 31) - 1, 3, 5];
        let numbers =
            edges.into_iter().map(Int::from).chain([huge.clone(), huge.neg(), Int::power_of_two(63)]);
        for value in numbers {
            for domain in &domains {
                assert_eq!(
                    round_trip(domain, value.clone(), 4),
                    domain.admit(value.clone()),
                    "{value} in {domain:?}"
                );
            }
        }
    }

    #[test]
    fn interned_values_run_out_of_numbers_at_their_width() {
        let interner = Interner::new(2);
        let mut values = Values::new(&interner);
        let numbers: Vec<Option<u64>> = (0..5).map(|i| values.intern(&Number::Small(i * 1000))).collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3), None]);
        assert_eq!(values.intern(&Number::Small(2000)), Some(2));
    }
}
