//! Small improvements of a thread's edges: values that are read where they are needed, constants a thread starts with,
//! and no assignments that nobody reads.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{IndexVec, Int, Meter, Stop};
use fencewright_ir::{Expr, RegId};

use super::expr::{self, Atom, RExpr};
use super::machine::{Address, ROp, RegInfo};
use super::state::Cell;
use super::steps::{Spot, StepEdge};

/// A thread's edges with where it starts and what its registers hold then.
#[derive(Debug)]
pub(crate) struct Automaton {
    pub(crate) entry: Spot,
    pub(crate) edges: Vec<StepEdge>,
    pub(crate) init: BTreeMap<RegId, Int>,
}

pub(crate) fn tidy(
    entry: Spot,
    edges: Vec<StepEdge>,
    regs: &mut IndexVec<RegId, RegInfo>,
    meter: &Meter,
) -> Result<Automaton, Stop> {
    let mut automaton = Automaton { entry, edges, init: BTreeMap::new() };
    automaton.drop_dead(meter)?;
    automaton.start_with_constants();
    automaton.read_into_place(regs, meter)?;
    automaton.drop_dead(meter)?;
    Ok(automaton)
}

impl Automaton {
    /// Constants assigned before anything else are what the registers start with.
    fn start_with_constants(&mut self) {
        loop {
            let mut leaving = self.edges.iter().enumerate().filter(|(_, edge)| edge.from == self.entry);
            let (Some((i, edge)), None) = (leaving.next(), leaving.next()) else { return };
            let constant = |op: &ROp| matches!(op, ROp::Assign { value: Expr::Const(_), .. });
            let comes_back = self.edges.iter().any(|edge| edge.to == self.entry);
            if comes_back || edge.lock.is_some() || edge.site.is_some() || !edge.ops.iter().all(constant) {
                return;
            }
            let edge = self.edges.remove(i);
            for op in edge.ops {
                if let ROp::Assign { dst, value: Expr::Const(value) } = op {
                    self.init.insert(dst, value);
                }
            }
            self.entry = edge.to;
        }
    }

    /// Takes out assignments whose values nobody reads, until there are none.
    fn drop_dead(&mut self, meter: &Meter) -> Result<(), Stop> {
        loop {
            let live = self.live(meter)?;
            let mut changed = false;
            for edge in &mut self.edges {
                let mut here = live.get(&edge.to).cloned().unwrap_or_default();
                let mut kept = Vec::with_capacity(edge.ops.len());
                for op in std::mem::take(&mut edge.ops).into_iter().rev() {
                    if let ROp::Assign { dst, .. } = &op
                        && !here.contains(dst)
                    {
                        changed = true;
                        continue;
                    }
                    before(&mut here, &op);
                    kept.push(op);
                }
                kept.reverse();
                edge.ops = kept;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The registers that are read later, at each spot.
    fn live(&self, meter: &Meter) -> Result<BTreeMap<Spot, BTreeSet<RegId>>, Stop> {
        let mut live: BTreeMap<Spot, BTreeSet<RegId>> = BTreeMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for edge in self.edges.iter().rev() {
                meter.tick()?;
                let mut here = live.get(&edge.to).cloned().unwrap_or_default();
                for op in edge.ops.iter().rev() {
                    before(&mut here, op);
                }
                let known = live.entry(edge.from).or_default();
                let n = known.len();
                known.extend(here);
                changed |= known.len() != n;
            }
        }
        Ok(live)
    }

    /// `r = cell; x = r` with `r` read nowhere else becomes `x = cell`.
    fn read_into_place(&mut self, regs: &mut IndexVec<RegId, RegInfo>, meter: &Meter) -> Result<(), Stop> {
        let live = self.live(meter)?;
        for edge in &mut self.edges {
            let behind = live.get(&edge.to).cloned().unwrap_or_default();
            let reads: Vec<usize> =
                (0..edge.ops.len()).filter(|&i| matches!(edge.ops[i], ROp::Read { .. })).collect();
            let [read] = reads[..] else { continue };
            let ROp::Read { dst: r, .. } = edge.ops[read] else { continue };
            if behind.contains(&r) {
                continue;
            }
            let copy = edge.ops.iter().enumerate().skip(read + 1).find_map(|(i, op)| match op {
                ROp::Assign { dst, value } if *value == expr::reg(r) => Some((i, *dst)),
                _ => None,
            });
            let Some((copy, x)) = copy else { continue };
            let others = edge.ops.iter().enumerate().filter(|&(i, _)| i != copy);
            let used = others.clone().skip(read + 1).any(|(_, op)| mentions(op, x) || assigns(op, x));
            let also = others.clone().take(read + 1).any(|(_, op)| assigns(op, x));
            if used || also {
                continue;
            }
            edge.ops.remove(copy);
            for op in &mut edge.ops[read..] {
                rename(op, r, x);
            }
            let known = regs[r].known.clone();
            regs[x].known = regs[x].known.join(&known);
            regs[x].bits = regs[x].bits.max(regs[r].bits);
        }
        Ok(())
    }
}

fn each_expr(op: &ROp, visit: &mut dyn FnMut(&RExpr)) {
    match op {
        ROp::Assign { value, .. } => visit(value),
        ROp::Guard(condition) | ROp::Assert(condition, _) => visit(condition),
        ROp::Read { addr, .. } => visit(&addr.pointer),
        ROp::Write { addr, value } => {
            visit(&addr.pointer);
            visit(value);
        }
        _ => {}
    }
}

/// Every register an operation reads or sets.
pub(crate) fn each_register(op: &ROp, visit: &mut dyn FnMut(RegId)) {
    if let ROp::Assign { dst, .. } | ROp::Read { dst, .. } | ROp::Havoc { dst } = op {
        visit(*dst);
    }
    each_expr(op, &mut |e| {
        e.for_each_atom(&mut |atom| {
            if let Atom::Reg(reg) = atom {
                visit(*reg);
            }
        });
    });
}

fn mentions(op: &ROp, reg: RegId) -> bool {
    let mut found = false;
    each_expr(op, &mut |e| found |= expr::mentions(e, reg));
    found
}

fn assigns(op: &ROp, reg: RegId) -> bool {
    matches!(op, ROp::Assign { dst, .. } | ROp::Read { dst, .. } | ROp::Havoc { dst } if *dst == reg)
}

fn rename(op: &mut ROp, from: RegId, to: RegId) {
    let sub = |e: &RExpr| {
        expr::substitute(e, &mut |atom| match *atom {
            Atom::Reg(reg) if reg == from => expr::reg(to),
            other => Expr::Atom(other),
        })
    };
    let sub_addr = |addr: &Address| Address { pointer: sub(&addr.pointer), targets: addr.targets.clone() };
    *op = match &*op {
        ROp::Assign { dst, value } => ROp::Assign { dst: *dst, value: sub(value) },
        ROp::Guard(condition) => ROp::Guard(sub(condition)),
        ROp::Assert(condition, reason) => ROp::Assert(sub(condition), *reason),
        ROp::Read { dst, addr } => {
            ROp::Read { dst: if *dst == from { to } else { *dst }, addr: sub_addr(addr) }
        }
        ROp::Write { addr, value } => ROp::Write { addr: sub_addr(addr), value: sub(value) },
        other => other.clone(),
    };
}

/// Turns "read later" behind an operation into that before it. What nobody reads needs nothing.
fn before(live: &mut BTreeSet<RegId>, op: &ROp) {
    if let ROp::Assign { dst, .. } = op
        && !live.contains(dst)
    {
        return;
    }
    if let ROp::Assign { dst, .. } | ROp::Read { dst, .. } | ROp::Havoc { dst } = op {
        live.remove(dst);
    }
    each_expr(op, &mut |e| {
        e.for_each_atom(&mut |atom| {
            if let Atom::Reg(reg) = atom {
                live.insert(*reg);
            }
        });
    });
}

/// Takes the unset value from what registers can hold where nothing that is left puts it there: what was put there where
/// ways meet is often never read, and gone.
pub(crate) fn forget_unset(
    automaton: &Automaton,
    regs: &mut IndexVec<RegId, RegInfo>,
    cell_may_be_unset: &dyn Fn(&Cell) -> bool,
) {
    let mut unset: BTreeSet<RegId> = BTreeSet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for op in automaton.edges.iter().flat_map(|edge| &edge.ops) {
            let (dst, puts) = match op {
                ROp::Assign { dst, value } => {
                    let mut puts = false;
                    value.for_each_atom(&mut |atom| {
                        puts |= match atom {
                            Atom::Unset => true,
                            Atom::Reg(reg) => unset.contains(reg),
                            _ => false,
                        };
                    });
                    (*dst, puts)
                }
                ROp::Read { dst, addr } => (*dst, addr.targets.iter().any(cell_may_be_unset)),
                _ => continue,
            };
            changed |= puts && unset.insert(dst);
        }
    }
    for reg in regs.indices() {
        if !unset.contains(&reg) {
            regs[reg].known = regs[reg].known.set_only();
        }
    }
}
