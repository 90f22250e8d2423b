//! Edges compiled for packed states.

use std::collections::BTreeMap;

use fencewright_engine::Feature;
use fencewright_explore::pack::Field;
use fencewright_ir::{Addr, CellId, EdgeId, Op, Outside, RegExpr, RegId, Sync, Target, ThreadId};

use crate::code::Code;
use crate::compile::{
    CompiledAddr, CompiledEdge, CompiledHalf, CompiledLocation, CompiledOp, CompiledTarget, Compiler,
    MAX_CHOICES, enumerable,
};
use crate::values::Slot;

impl Compiler<'_> {
    /// Adds an edge to its location.
    #[allow(clippy::too_many_arguments, reason = "called once, with all that is known of the thread")]
    pub(crate) fn edge(
        &self,
        t: ThreadId,
        id: EdgeId,
        looks: &[Option<CellId>],
        cells: &[Slot],
        regs: &mut Vec<Slot>,
        forget: Vec<(Field, u64)>,
        location: &mut CompiledLocation,
    ) -> Result<(), Feature> {
        let thread = &self.program.threads[t];
        let edge = &thread.edges[id];
        let n_regs = thread.regs.len();
        let mut names = Names { alias: BTreeMap::new(), cells: BTreeMap::new() };
        let mut choices = 1u64;
        let mut ops = Vec::new();
        let mut sync = None;
        for (op, look) in edge.step.ops.iter().zip(looks) {
            if let (Op::Read { dst, .. }, Some(cell)) = (op, look) {
                names.look(*dst, *cell, cells, regs, n_regs);
                continue;
            }
            ops.push(match op {
                Op::Read { dst, addr } => {
                    let addr = names.address(addr, regs);
                    names.alias.remove(dst);
                    CompiledOp::Read { dst: dst.0 as u16, addr }
                }
                Op::Write { addr, value } => {
                    CompiledOp::Write { addr: names.address(addr, regs), value: names.code(value, regs) }
                }
                Op::Assign { dst, value } => {
                    let value = names.code(value, regs);
                    names.alias.remove(dst);
                    CompiledOp::Assign { dst: dst.0 as u16, value }
                }
                Op::Guard(condition) => CompiledOp::Guard(names.code(condition, regs)),
                Op::Assert(condition) => CompiledOp::Assert(names.code(condition, regs)),
                Op::Havoc { dst } => {
                    let too_many =
                        || Feature::OpenValue(format!("{}:{}", thread.name, thread.regs[*dst].name));
                    let (lo, count) = enumerable(&thread.regs[*dst].domain).ok_or_else(too_many)?;
                    choices = choices.saturating_mul(count);
                    if choices > MAX_CHOICES {
                        return Err(too_many());
                    }
                    let lo = lo.to_i64().ok_or_else(too_many)?;
                    names.alias.remove(dst);
                    CompiledOp::Havoc { dst: dst.0 as u16, lo, count }
                }
                Op::Fence(kind) => CompiledOp::Fence(*kind),
                Op::Send { channel, values } => {
                    let values = values.iter().map(|value| names.code(value, regs)).collect();
                    sync = Some((*channel, ops.len(), values, Vec::new()));
                    continue;
                }
                Op::Receive { channel, targets } => {
                    let mut compiled = Vec::new();
                    for target in targets {
                        compiled.push(match target {
                            Target::Register(reg) => CompiledTarget::Register(reg.0 as u16),
                            Target::Memory(addr) => CompiledTarget::Memory(names.address(addr, regs)),
                        });
                    }
                    sync = Some((*channel, ops.len(), Vec::new(), compiled));
                    continue;
                }
            });
        }
        let compiled =
            CompiledEdge { id, to: u64::from(edge.to.0), ops, lock: edge.step.lock, forget, choices };
        match sync {
            None => location.edges.push(compiled),
            Some((channel, before, values, targets)) => {
                let half = CompiledHalf { channel, edge: compiled, before, values, targets };
                match edge.step.sync() {
                    Some(Sync::Sends(_)) => location.sends.push(half),
                    _ => location.receives.push(half),
                }
            }
        }
        Ok(())
    }
}

/// What the registers of an edge stand for.
struct Names {
    /// Scratch registers that stand for a cell, by the cell's place behind the thread's registers.
    alias: BTreeMap<RegId, u16>,
    cells: BTreeMap<CellId, u16>,
}

impl Names {
    /// From here on the register stands for the cell.
    fn look(&mut self, reg: RegId, cell: CellId, cells: &[Slot], regs: &mut Vec<Slot>, n_regs: usize) {
        let slot = &cells[cell.0 as usize];
        let known = self.cells.get(&cell).copied();
        let place = known.unwrap_or_else(|| {
            // Another edge of the thread may have put it there.
            let found = regs[n_regs..].iter().position(|other| other.is_same_as(slot));
            let place = found.map_or(regs.len(), |i| n_regs + i);
            if found.is_none() {
                regs.push(slot.clone());
            }
            place as u16
        });
        self.cells.insert(cell, place);
        self.alias.insert(reg, place);
    }

    fn code(&self, expr: &RegExpr, regs: &[Slot]) -> Code {
        let atom = |reg: &RegId| self.alias.get(reg).copied().unwrap_or(reg.0 as u16);
        Code::new(expr.map(&mut |reg| atom(reg)), &|reg| regs.get(reg as usize))
    }

    fn address(&self, addr: &Addr, regs: &[Slot]) -> CompiledAddr {
        match addr {
            Addr::Cell(cell) => CompiledAddr::Cell(cell.0),
            Addr::Indexed { first, len, index, outside } => {
                let index = self.code(index, regs);
                match index.as_constant() {
                    Some(i) if (0..i64::from(*len)).contains(&i) => CompiledAddr::Cell(first.0 + i as u32),
                    _ => CompiledAddr::Indexed {
                        first: first.0,
                        len: *len,
                        index,
                        faults: *outside == Outside::Faults,
                    },
                }
            }
        }
    }
}
