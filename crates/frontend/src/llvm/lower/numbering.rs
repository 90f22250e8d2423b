//! Numbers for addresses. Null is 0; an address is a number of units from there, the unit being the largest that divides
//! everything addresses are moved by. Cells are numbered by object and offset.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Index;
use fencewright_ir::{Addr, BinaryOp, CellId, Expr, Outside, RegExpr};

use super::expr::{self, Atom, RExpr};
use super::machine::{Address, Machine, ROp};
use super::state::Cell;
use super::steps::StepEdge;
use super::value::{Known, ObjectId, Value};

#[derive(Debug, Default)]
pub(crate) struct Numbering {
    unit: i64,
    base: BTreeMap<ObjectId, i64>,
    pub(crate) cells: BTreeMap<Cell, CellId>,
}

impl Numbering {
    /// Numbers for everything that the edges and the values mention.
    pub(crate) fn new<'e>(
        machine: &Machine<'_>,
        edges: impl Iterator<Item = &'e StepEdge>,
        values: impl Iterator<Item = Known>,
    ) -> Self {
        let mut cells: BTreeSet<Cell> = BTreeSet::new();
        let mut addresses: BTreeSet<(ObjectId, i64)> = BTreeSet::new();
        let mut strides: BTreeSet<i64> = BTreeSet::new();
        let expression = |e: &RExpr, strides: &mut BTreeSet<i64>, addresses: &mut BTreeSet<Cell>| {
            e.for_each_atom(&mut |atom| match *atom {
                Atom::Address(object, offset) => {
                    addresses.insert((object, offset));
                }
                Atom::Bytes(bytes) => {
                    strides.insert(bytes);
                }
                Atom::Reg(_) => {}
            });
        };
        for edge in edges {
            for op in &edge.ops {
                match op {
                    ROp::Read { addr, .. } | ROp::Write { addr, .. } => {
                        cells.extend(&addr.targets);
                        if addr.targets.len() > 1 {
                            addresses.extend(&addr.targets);
                            expression(&addr.pointer, &mut strides, &mut addresses);
                        }
                        if let ROp::Write { value, .. } = op {
                            expression(value, &mut strides, &mut addresses);
                        }
                    }
                    ROp::Assign { value, .. } => expression(value, &mut strides, &mut addresses),
                    ROp::Guard(condition) | ROp::Assert(condition) => {
                        expression(condition, &mut strides, &mut addresses);
                    }
                    _ => {}
                }
            }
        }
        for known in values {
            for value in known.values().into_iter().flatten() {
                if let Value::Pointer(object, offset) = value {
                    addresses.insert((*object, *offset));
                }
            }
        }
        for cell in &cells {
            if let Some(Value::Pointer(object, offset)) = machine.cells.get(cell).map(|cell| cell.init) {
                addresses.insert((object, offset));
            }
        }
        let offsets = addresses.iter().map(|&(_, offset)| offset).chain(strides.iter().copied());
        let unit = offsets.fold(0, gcd).max(1);
        let unit = if addresses.iter().all(|&(_, offset)| offset == 0) && strides.is_empty() {
            i64::MAX
        } else {
            unit
        };
        let mut ends: BTreeMap<ObjectId, i64> = BTreeMap::new();
        for &(object, offset) in &addresses {
            let size = machine.objects[object].size.and_then(|size| i64::try_from(size).ok()).unwrap_or(1);
            // One past the last byte is an address too; nothing else may have its number if it is used.
            let end = size.max(offset.saturating_add(1));
            let known = ends.entry(object).or_insert(end);
            *known = (*known).max(end);
        }
        let units = |bytes: i64| if unit == i64::MAX { 1 } else { (bytes - 1).div_euclid(unit) + 1 };
        // A small number is null moved by an offset, so it must not be an address.
        let far = if strides.is_empty() {
            1
        } else {
            strides.iter().map(|s| s.abs() / unit).max().unwrap_or(1).max(1)
        };
        let mut next = far;
        let mut base = BTreeMap::new();
        for (&object, &end) in &ends {
            base.insert(object, next);
            next += units(end).max(1);
        }
        let cells = cells.into_iter().enumerate().map(|(i, cell)| (cell, CellId::new(i))).collect();
        Self { unit, base, cells }
    }

    pub(crate) fn number(&self, object: ObjectId, offset: i64) -> i64 {
        let base = self.base.get(&object).copied().unwrap_or(0);
        if self.unit == i64::MAX { base } else { base + offset.div_euclid(self.unit) }
    }

    pub(crate) fn value(&self, value: Value) -> i128 {
        match value {
            Value::Int(value) => value,
            Value::Pointer(object, offset) => self.number(object, offset).into(),
        }
    }

    /// The expression with numbers for addresses.
    pub(crate) fn expr(&self, e: &RExpr) -> RegExpr {
        expr::substitute(e, &mut |atom| match *atom {
            Atom::Reg(reg) => Expr::Atom(reg),
            Atom::Address(object, offset) => Expr::constant(self.number(object, offset)),
            Atom::Bytes(bytes) => Expr::constant(if self.unit == i64::MAX { 0 } else { bytes / self.unit }),
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
