//! Numbers for addresses. Null is 0; an address is a number of units from there, the unit being the largest that divides
//! everything addresses are moved by. Cells are numbered by object and offset.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Index;
use fencewright_ir::{Addr, BinaryOp, CellId, Expr, Outside, RegExpr};

use super::expr::{self, Atom, RExpr};
use super::machine::{Address, Machine, ROp, to_int};
use super::state::Cell;
use super::steps::StepEdge;
use super::value::{Known, NULL, ObjectId, Side, Value};

#[derive(Debug, Default)]
pub(crate) struct Numbering {
    unit: i64,
    /// The number of each object's first byte.
    base: BTreeMap<ObjectId, i64>,
    /// The numbers below and above those of an object.
    beyond: BTreeMap<ObjectId, (i64, i64)>,
    unset: i128,
    pub(crate) cells: BTreeMap<Cell, CellId>,
}

/// What is mentioned and needs a number.
#[derive(Debug, Default)]
struct Mentioned {
    addresses: BTreeSet<(ObjectId, i64)>,
    beyond: BTreeSet<ObjectId>,
    strides: BTreeSet<i64>,
}

impl Mentioned {
    fn expression(&mut self, e: &RExpr) {
        e.for_each_atom(&mut |atom| match *atom {
            Atom::Address(object, offset) => self.value(Value::Pointer(object, offset)),
            Atom::Beyond(object, side) => self.value(Value::Beyond(object, side)),
            Atom::Bytes(bytes) => {
                self.strides.insert(bytes);
            }
            Atom::Reg(_) | Atom::Unset => {}
        });
    }

    fn value(&mut self, value: Value) {
        match value {
            Value::Pointer(object, offset) => {
                self.addresses.insert((object, offset));
            }
            Value::Beyond(object, _) => {
                self.beyond.insert(object);
            }
            Value::Int(_) | Value::Unset => {}
        }
    }
}

impl Numbering {
    /// Numbers for everything that the edges and the values mention. The values are those of registers and cells, with
    /// their widths.
    pub(crate) fn new<'e>(
        machine: &Machine<'_>,
        edges: impl Iterator<Item = &'e StepEdge>,
        values: &[(Known, u32)],
    ) -> Self {
        let mut cells: BTreeSet<Cell> = BTreeSet::new();
        let mut mentioned = Mentioned::default();
        for edge in edges {
            for op in &edge.ops {
                match op {
                    ROp::Read { addr, .. } | ROp::Write { addr, .. } => {
                        cells.extend(&addr.targets);
                        if addr.targets.len() > 1 {
                            mentioned.addresses.extend(&addr.targets);
                            mentioned.expression(&addr.pointer);
                        }
                        if let ROp::Write { value, .. } = op {
                            mentioned.expression(value);
                        }
                    }
                    ROp::Assign { value, .. } => mentioned.expression(value),
                    ROp::Guard(condition) | ROp::Assert(condition, _) => mentioned.expression(condition),
                    _ => {}
                }
            }
        }
        for value in values.iter().filter_map(|(known, _)| known.values()).flatten() {
            mentioned.value(*value);
        }
        for cell in &cells {
            if let Some(cell) = machine.cells.get(cell) {
                mentioned.value(cell.init);
            }
        }
        // Of objects that matter, also what is computed and never kept.
        let objects: BTreeSet<ObjectId> = (mentioned.addresses.iter().map(|(object, _)| *object))
            .chain(mentioned.beyond.iter().copied())
            .collect();
        for &value in &machine.computed {
            if matches!(value, Value::Pointer(object, _) | Value::Beyond(object, _) if objects.contains(&object))
            {
                mentioned.value(value);
            }
        }
        let mut numbering = Self::place(machine, &mentioned, values);
        numbering.unset = numbering.unset_number(machine, values);
        numbering.cells = cells.into_iter().enumerate().map(|(i, cell)| (cell, CellId::new(i))).collect();
        numbering
    }

    /// Gives each object its numbers.
    fn place(machine: &Machine<'_>, mentioned: &Mentioned, values: &[(Known, u32)]) -> Self {
        let Mentioned { addresses, beyond, strides } = mentioned;
        let offsets = addresses.iter().map(|&(_, offset)| offset).chain(strides.iter().copied());
        let unit = offsets.fold(0, gcd).max(1);
        let one_each = addresses.iter().all(|&(_, offset)| offset == 0) && strides.is_empty();
        let unit = if one_each && beyond.is_empty() { i64::MAX } else { unit };
        let mut extents: BTreeMap<ObjectId, (i64, i64)> = BTreeMap::new();
        for (object, offset) in addresses.iter().copied().chain(beyond.iter().map(|&object| (object, 0))) {
            let size = machine.objects[object].size.and_then(|size| i64::try_from(size).ok()).unwrap_or(1);
            // One past the last byte is an address too; nothing else may have its number if it is used.
            let (lo, hi) = extents.entry(object).or_insert((0, size));
            *lo = (*lo).min(offset);
            *hi = (*hi).max(offset.saturating_add(1));
        }
        let below = |bytes: i64| if unit == i64::MAX { 0 } else { bytes.div_euclid(unit) };
        let above = |bytes: i64| if unit == i64::MAX { 1 } else { (bytes - 1).div_euclid(unit) + 1 };
        // Integers that stand where addresses stand keep their numbers.
        let taken: BTreeSet<i64> = (values.iter().map(|(known, _)| known))
            .filter(|known| known.has_pointer())
            .filter_map(|known| known.values())
            .flatten()
            .filter_map(|value| match value {
                Value::Int(value) => i64::try_from(*value).ok(),
                _ => None,
            })
            .collect();
        // A small number is null moved by an offset, so it must not be an address.
        let far = strides.iter().map(|s| s.abs() / unit).max().unwrap_or(1).max(1);
        let mut result = Self { unit, ..Self::default() };
        let mut next = far;
        for (&object, &(lo, hi)) in &extents {
            let (lo, hi) = (below(lo), above(hi).max(1));
            let room = i64::from(beyond.contains(&object));
            if object == NULL {
                result.base.insert(object, 0);
                result.beyond.insert(object, (lo - 1, hi));
                next = next.max(hi + room);
                continue;
            }
            let length = hi - lo + 2 * room;
            while let Some(hit) = taken.range(next..next.saturating_add(length)).next_back() {
                next = hit.saturating_add(1);
            }
            let base = next + room - lo;
            result.base.insert(object, base);
            result.beyond.insert(object, (base + lo - 1, base + hi));
            next = next.saturating_add(length);
        }
        result
    }

    /// A number for what was never written that no value has which can stand beside it.
    fn unset_number(&self, machine: &Machine<'_>, values: &[(Known, u32)]) -> i128 {
        let with_unset = || values.iter().filter(|(known, _)| known.may_be_unset());
        let taken: BTreeSet<i128> = with_unset()
            .filter_map(|(known, _)| known.values())
            .flatten()
            .filter(|value| **value != Value::Unset)
            .map(|value| self.value(*value))
            .collect();
        // Beside any integer of a width it is one of a larger width.
        let narrow = machine.unit.options.narrow;
        let open = with_unset().filter(|(known, _)| known.values().is_none() || !narrow);
        match open.map(|(_, bits)| (*bits).clamp(2, 126)).max() {
            Some(bits) => (1i128 << (bits - 1)..).find(|number| !taken.contains(number)).unwrap_or(i128::MAX),
            None => (1..).map(|n: i128| -n).find(|number| !taken.contains(number)).unwrap_or(i128::MIN),
        }
    }

    /// Whether two different values that can be compared with each other have the same number.
    pub(crate) fn has_conflict(&self, values: &[(Known, u32)]) -> bool {
        let mut owner: BTreeMap<i128, Value> = BTreeMap::new();
        let pointing = values.iter().map(|(known, _)| known).filter(|known| known.has_pointer());
        pointing
            .filter_map(|known| known.values())
            .flatten()
            .any(|&value| *owner.entry(self.value(value)).or_insert(value) != value)
    }

    pub(crate) fn number(&self, object: ObjectId, offset: i64) -> i64 {
        let base = self.base.get(&object).copied().unwrap_or(0);
        if self.unit == i64::MAX { base } else { base + offset.div_euclid(self.unit) }
    }

    pub(crate) fn value(&self, value: Value) -> i128 {
        match value {
            Value::Int(value) => value,
            Value::Pointer(object, offset) => self.number(object, offset).into(),
            Value::Beyond(object, side) => {
                let (below, above) = self.beyond.get(&object).copied().unwrap_or((-1, -1));
                (if side == Side::Below { below } else { above }).into()
            }
            Value::Unset => self.unset,
        }
    }

    /// The expression with numbers for addresses.
    pub(crate) fn expr(&self, e: &RExpr) -> RegExpr {
        expr::substitute(e, &mut |atom| match *atom {
            Atom::Reg(reg) => Expr::Atom(reg),
            Atom::Address(object, offset) => Expr::constant(self.number(object, offset)),
            Atom::Bytes(bytes) => Expr::constant(if self.unit == i64::MAX { 0 } else { bytes / self.unit }),
            Atom::Beyond(object, side) => Expr::Const(to_int(self.value(Value::Beyond(object, side)))),
            Atom::Unset => Expr::Const(to_int(self.unset)),
        })
    }

    /// The address in terms of cells.
    pub(crate) fn addr(&self, addr: &Address) -> Addr {
        if let [cell] = addr.targets[..] {
            return Addr::Cell(self.cells[&cell]);
        }
        let mut pairs: Vec<(i64, i64)> = (addr.targets.iter())
            .map(|cell| (self.number(cell.0, cell.1), self.cells[cell].index() as i64))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let pointer = self.expr(&addr.pointer);
        let first = pairs.iter().map(|pair| pair.1).min().unwrap_or(0);
        let last = pairs.iter().map(|pair| pair.1).max().unwrap_or(0);
        let index = match even(&pairs) {
            Some((step, cells)) => {
                let distance = expr::binary(BinaryOp::Sub, pointer, Expr::constant(pairs[0].0));
                let steps = expr::binary(BinaryOp::Div, distance, Expr::constant(step));
                expr::binary(BinaryOp::Mul, steps, Expr::constant(cells))
            }
            None => pairs.iter().rev().fold(Expr::constant(-1), |rest, &(number, cell)| {
                let here = expr::binary(BinaryOp::Eq, pointer.clone(), Expr::constant(number));
                expr::choose(here, Expr::constant(cell - first), rest)
            }),
        };
        Addr::Indexed {
            first: CellId::new(first as usize),
            len: (last - first + 1) as u32,
            index,
            outside: Outside::Faults,
        }
    }
}

/// Whether cells follow numbers evenly: so many cells for each step of numbers. What is below the first number must not
/// be taken for it, so the first is at least a step away from null.
fn even(pairs: &[(i64, i64)]) -> Option<(i64, i64)> {
    let [first, second, ..] = pairs else { return None };
    let (step, cells) = (second.0 - first.0, second.1 - first.1);
    let fits = |pair: &(i64, i64)| {
        (pair.0 - first.0) % step == 0 && (pair.0 - first.0) / step * cells == pair.1 - first.1
    };
    (step > 0 && cells > 0 && first.0 >= step && pairs.iter().all(fits)).then_some((step, cells))
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_follow_numbers_evenly_or_by_table() {
        assert_eq!(even(&[(2, 5), (4, 6), (6, 7)]), Some((2, 1)));
        assert_eq!(even(&[(2, 5), (4, 6), (5, 7)]), None);
        assert_eq!(even(&[(1, 5), (4, 6)]), None, "0 would be taken for the first");
        assert_eq!(gcd(12, -8), 4);
    }
}
