//! Expressions of few values as tables. A condition or an effect looks at one or two parts of the state most of the
//! time, and each has a handful of values: its own value is then read out of a table by their bits, whatever the
//! expression, instead of being worked out for every transition.

use fencewright_explore::pack::Field;

use crate::values::{Coding, Slot};

/// The most bits the parts of the state that a table is read by may have together: it stays in the first-level cache.
const MAX_BITS: u32 = 8;

/// A table's entry for which the expression itself must be asked: it has no value there, or not a small one.
const ASK: i64 = i64::MIN;

/// The values of an expression.
#[derive(Debug, Clone)]
pub(crate) struct Lookup {
    low: Field,
    /// No bits if there is only one.
    high: Field,
    high_shift: u32,
    values: Box<[i64]>,
}

/// Gives an atom's value by its number.
pub(crate) type Values<'v> = &'v dyn Fn(u16) -> i64;

impl Lookup {
    /// The table of an expression over these atoms, which may repeat. `value` is the expression's value where each of the
    /// atoms, by number, has the value given. `None` if there are too many atoms or values.
    pub(crate) fn new<'s>(
        atoms: &[u16],
        slot: &dyn Fn(u16) -> Option<&'s Slot>,
        value: &dyn Fn(Values<'_>) -> Option<i64>,
    ) -> Option<Lookup> {
        let mut atoms = atoms.to_vec();
        atoms.sort_unstable();
        atoms.dedup();
        let slots: Vec<&Slot> = atoms.iter().map(|&atom| slot(atom)).collect::<Option<_>>()?;
        let (first, second) = match slots[..] {
            [only] => (only, None),
            [first, second] => (first, Some(second)),
            _ => return None,
        };
        let low = first.field;
        let high = second.map_or(Field::EMPTY, |second| second.field);
        if low.bits() + high.bits() > MAX_BITS {
            return None;
        }
        let known = |slot: &Slot| match &slot.coding {
            Coding::Narrow { lo, hi, .. } => Some((*lo..=*hi).collect::<Vec<i64>>()),
            Coding::Table { values, .. } => Some(values.to_vec()),
            Coding::Interned { .. } => None,
        };
        let lows = known(first)?;
        let highs = second.map_or(Some(vec![0]), known)?;
        let high_shift = low.bits();
        let mut values = vec![ASK; 1 << (low.bits() + high.bits())].into_boxed_slice();
        for (h, &high_value) in highs.iter().enumerate() {
            for (l, &low_value) in lows.iter().enumerate() {
                let of = |atom: u16| if atom == atoms[0] { low_value } else { high_value };
                values[h << high_shift | l] = value(&of).unwrap_or(ASK);
            }
        }
        Some(Lookup { low, high, high_shift, values })
    }

    /// The value in a state, if it is in the table.
    #[inline(always)]
    pub(crate) fn get<const W: usize>(&self, state: &[u64; W]) -> Option<i64> {
        let place = self.low.get(state) | self.high.get(state) << self.high_shift;
        let value = self.values[place as usize];
        (value != ASK).then_some(value)
    }
}
