//! From the graph of a thread to the edges of its automaton. An edge is a way through the graph with at most one access
//! of shared memory: what is computed on the way is substituted into what follows, conditions become guards, and only
//! registers that are still needed at its end are assigned.
//!
//! Register operations commute with everything other threads do, so putting them into one step with a neighbouring
//! access changes no outcome. Ways end at loops (once round is one or more edges), at the second access, and at places
//! where a fence can be written.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{IndexVec, Meter, Stop};
use fencewright_ir::{BinaryOp, FenceKind, Lock, RegId};

use super::analysis::{Graph, NodeKey};
use super::expr::{self, Atom, RExpr};
use super::liveness::{Liveness, Set};
use super::machine::{Address, ROp, RegInfo, RegKey, Residual};
use super::paths::{Access, Next, Path, loop_heads};
use super::state::{Point, ThreadNumber};
use super::value::Known;

/// A place in the graph: an operation of a block, or the end.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    At(usize, usize),
    End,
}

/// An edge of the automaton.
#[derive(Debug, Clone)]
pub(crate) struct StepEdge {
    pub(crate) from: Spot,
    pub(crate) to: Spot,
    pub(crate) ops: Vec<ROp>,
    pub(crate) lock: Option<Lock>,
    /// The instruction it is shown as.
    pub(crate) at: Point,
    /// The place before it where a fence can be written.
    pub(crate) site: Option<u32>,
}

/// A block: operations, then ways on.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) ops: Vec<Residual>,
    pub(crate) next: Vec<(RExpr, usize)>,
    pub(crate) at: Point,
}

/// What is needed of other threads: which wait for a start, and whose end is waited for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    pub(crate) started: BTreeMap<ThreadNumber, super::state::Cell>,
    pub(crate) ended: BTreeMap<ThreadNumber, super::state::Cell>,
    pub(crate) n_threads: usize,
}

/// The graph as blocks; the first is the entry.
pub(crate) fn flatten(graph: &Graph) -> Vec<Block> {
    let mut number: BTreeMap<NodeKey, usize> = BTreeMap::new();
    let Some(entry) = graph.entry else { return Vec::new() };
    number.insert(entry, 0);
    for &key in graph.nodes.keys() {
        let next = number.len();
        number.entry(key).or_insert(next);
    }
    let mut blocks = vec![Block { ops: Vec::new(), next: Vec::new(), at: entry.0 }; number.len()];
    for (key, node) in &graph.nodes {
        let mut next = Vec::new();
        for way in &node.ways {
            let target = number[&way.target];
            if way.ops.is_empty() {
                next.push((way.guard.clone(), target));
            } else {
                next.push((way.guard.clone(), blocks.len()));
                blocks.push(Block { ops: way.ops.clone(), next: vec![(expr::int(1), target)], at: key.0 });
            }
        }
        blocks[number[key]] = Block { ops: node.ops.clone(), next, at: key.0 };
    }
    blocks
}

/// Steps that leave one location before the ways are cut where they meet, to keep their number linear.
const MAX_WAYS: usize = 48;
/// Steps that leave one location before the program counts as too large.
const MAX_CUT_WAYS: usize = 4_096;
/// Operators and atoms of an expression before it gets a register of its own.
const MAX_SIZE: usize = 60;

/// Operations of an atomic section.
const MAX_ATOMIC: usize = 200;

pub(crate) struct Steps<'a> {
    pub(crate) blocks: &'a [Block],
    pub(crate) regs: &'a mut IndexVec<RegId, RegInfo>,
    pub(crate) thread: ThreadNumber,
    pub(crate) waiting: &'a Waiting,
    heads: BTreeSet<usize>,
    meets: BTreeSet<usize>,
    liveness: Liveness,
    meter: &'a Meter,
}

/// Why a thread has no steps.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum NoSteps {
    /// An atomic section with too long a way through it, and where it begins.
    Endless(Point),
    /// Too many ways lead away from one place.
    TooMany(Point),
    /// The time is over, or somebody asked to stop.
    Stopped(Stop),
}

impl<'a> Steps<'a> {
    pub(crate) fn new(
        blocks: &'a [Block],
        regs: &'a mut IndexVec<RegId, RegInfo>,
        thread: ThreadNumber,
        waiting: &'a Waiting,
        meter: &'a Meter,
    ) -> Result<Self, NoSteps> {
        let liveness = Liveness::new(blocks, regs.len(), meter).map_err(NoSteps::Stopped)?;
        let mut n_before = vec![0; blocks.len()];
        for (_, target) in blocks.iter().flat_map(|block| &block.next) {
            n_before[*target] += 1;
        }
        let meets = (0..blocks.len()).filter(|&block| n_before[block] > 1).collect();
        Ok(Self { heads: loop_heads(blocks), meets, blocks, regs, thread, waiting, liveness, meter })
    }

    /// All edges, from the entry on.
    pub(crate) fn edges(&mut self) -> Result<(Spot, Vec<StepEdge>), NoSteps> {
        let entry = self.normal(Spot::At(0, 0));
        let mut edges = Vec::new();
        let mut seen = BTreeSet::from([entry]);
        let mut stack = vec![entry];
        while let Some(from) = stack.pop() {
            let Spot::At(block, index) = from else { continue };
            let out = match self.ways(from, block, index, false)? {
                Some(out) => out,
                None => match self.ways(from, block, index, true)? {
                    Some(out) => out,
                    None => return Err(NoSteps::TooMany(self.blocks[block].at)),
                },
            };
            for edge in out {
                if seen.insert(edge.to) {
                    stack.push(edge.to);
                }
                edges.push(edge);
            }
        }
        Ok((entry, edges))
    }

    /// Past the ends of blocks that lead to one other.
    fn normal(&self, spot: Spot) -> Spot {
        let mut spot = spot;
        for _ in 0..self.blocks.len() {
            let Spot::At(block, index) = spot else { return spot };
            match &self.blocks[block].next[..] {
                [(guard, next)] if index >= self.blocks[block].ops.len() && *guard == expr::int(1) => {
                    spot = Spot::At(*next, 0);
                }
                _ => return spot,
            }
        }
        spot
    }

    /// All steps from a spot; `None` if they, and the ways that are not followed to their end yet, are too many.
    fn ways(
        &mut self,
        from: Spot,
        block: usize,
        index: usize,
        cut_where_they_meet: bool,
    ) -> Result<Option<Vec<StepEdge>>, NoSteps> {
        let blocks = self.blocks;
        let most = if cut_where_they_meet { MAX_CUT_WAYS } else { MAX_WAYS };
        let mut edges = Vec::new();
        let mut paths = vec![Path::new(block, index)];
        while let Some(mut path) = paths.pop() {
            if edges.len() + paths.len() > most {
                return Ok(None);
            }
            self.meter.tick().map_err(NoSteps::Stopped)?;
            loop {
                let Some(residual) = blocks[path.block].ops.get(path.index) else {
                    self.leave(from, path, &mut paths, &mut edges, cut_where_they_meet)?;
                    break;
                };
                path.first = path.first.or(Some(residual.at));
                match self.operation(&mut path, residual, &mut paths) {
                    Next::On => path.index += 1,
                    Next::Cut => {
                        let here = Spot::At(path.block, path.index);
                        self.finish(from, path, here, &mut edges);
                        break;
                    }
                    Next::End => {
                        self.finish(from, path, Spot::End, &mut edges);
                        break;
                    }
                    Next::Never => break,
                }
            }
        }
        Ok(Some(edges))
    }

    /// At the end of a block: on to the next ones.
    fn leave(
        &mut self,
        from: Spot,
        path: Path,
        paths: &mut Vec<Path>,
        edges: &mut Vec<StepEdge>,
        cut: bool,
    ) -> Result<(), NoSteps> {
        let blocks = self.blocks;
        let next = &blocks[path.block].next;
        if next.is_empty() && path.atomic > 0 {
            self.never_left(from, path, edges);
            return Ok(());
        }
        if next.is_empty() {
            // Stuck: unreachable code, or behind a failure. The thread stays there.
            let moves = !path.ops.is_empty() || path.accessed.is_some();
            if moves {
                let here = Spot::At(path.block, path.index);
                self.finish(from, path, here, edges);
            }
            return Ok(());
        }
        for (guard, target) in next.iter().rev() {
            let target = *target;
            let mut branch = path.clone();
            if !branch.assume(guard) {
                continue;
            }
            let idle = branch.ops.is_empty() && branch.values.is_empty() && branch.accessed.is_none();
            let stops = branch.visited.contains(&target)
                || (self.heads.contains(&target) && !(idle && branch.site.is_none()))
                || (cut && self.meets.contains(&target) && !idle);
            if stops && branch.atomic == 0 {
                let to = self.normal(Spot::At(target, 0));
                self.finish(from, branch, to, edges);
            } else if branch.visited.contains(&target) {
                // A loop inside an atomic section: followed as far as the way may be long.
                if branch.ops.len() < MAX_ATOMIC {
                    branch.block = target;
                    branch.index = 0;
                    paths.push(branch);
                } else {
                    return Err(NoSteps::Endless(branch.at.unwrap_or(blocks[target].at)));
                }
            } else {
                branch.visited.insert(target);
                branch.block = target;
                branch.index = 0;
                paths.push(branch);
            }
        }
        Ok(())
    }

    /// A way that ends inside an atomic section: the process ends there, and nobody sees what the section has done. What it
    /// checks on the way can fail all the same.
    fn never_left(&mut self, from: Spot, path: Path, edges: &mut Vec<StepEdge>) {
        for (i, op) in path.ops.iter().enumerate() {
            let ROp::Assert(condition, reason) = op else { continue };
            let mut failing = path.clone();
            failing.ops.truncate(i);
            failing.ops.push(ROp::Guard(expr::not(condition.clone())));
            failing.ops.push(ROp::Assert(expr::int(0), *reason));
            failing.values.clear();
            self.finish(from, failing, Spot::End, edges);
        }
    }

    fn operation(&mut self, path: &mut Path, residual: &Residual, paths: &mut Vec<Path>) -> Next {
        let at = residual.at;
        match &residual.op {
            ROp::Assign { dst, value } => {
                let mut computed = path.sub(value);
                if expr::size(&computed) > MAX_SIZE {
                    self.settle(path);
                    computed = path.sub(value);
                }
                path.values.insert(*dst, computed);
                Next::On
            }
            ROp::Havoc { dst } => {
                self.settle_for(path, *dst);
                path.ops.push(ROp::Havoc { dst: *dst });
                Next::On
            }
            ROp::Guard(condition) => {
                if path.assume(condition) {
                    Next::On
                } else {
                    Next::Never
                }
            }
            ROp::Assert(condition, reason) => {
                let reason = reason.at(at);
                let condition = path.sub(condition);
                match path.decided(&condition) {
                    Some(true) => Next::On,
                    Some(false) => {
                        path.at = path.at.or(Some(at));
                        path.at = if path.accessed.is_some() { path.at } else { Some(at) };
                        path.ops.push(ROp::Assert(expr::int(0), reason));
                        Next::End
                    }
                    None => {
                        // Behind it the condition is certain.
                        path.facts.push(condition.clone());
                        path.ops.push(ROp::Assert(condition, reason));
                        Next::On
                    }
                }
            }
            ROp::Site(number) => {
                if path.accessed.is_some() || !path.ops.is_empty() {
                    return if path.atomic > 0 { Next::On } else { Next::Cut };
                }
                // Of several places before one access the last is nearest to it, and names it best.
                path.site = Some(*number);
                Next::On
            }
            ROp::AtomicBegin => {
                if !self.may_access(path, at) {
                    return Next::Cut;
                }
                path.atomic += 1;
                path.lock = Some(Lock::Full);
                path.at = Some(at);
                Next::On
            }
            ROp::AtomicEnd => {
                // Sections nest: the outermost end lets the others go on.
                path.atomic = path.atomic.saturating_sub(1);
                path.accessed = Some(Access::Done);
                Next::On
            }
            ROp::Start(thread) => match self.waiting.started.get(thread) {
                None => Next::On,
                Some(&cell) => self.flag(path, cell, at),
            },
            ROp::Await(addr) => {
                let dst = self.scratch(&Known::truth(), 8);
                path.ops.push(ROp::Read { dst, addr: addr.clone() });
                path.ops.push(ROp::Guard(expr::binary(BinaryOp::Eq, expr::reg(dst), expr::int(1))));
                path.accessed = Some(Access::Done);
                path.at = Some(at);
                Next::On
            }
            ROp::Join(thread) => {
                let Some(&cell) = self.waiting.ended.get(thread) else { return Next::On };
                if path.atomic == 0 && !matches!(path.accessed, None | Some(Access::Joining)) {
                    return Next::Cut;
                }
                let dst = self.scratch(&Known::truth(), 8);
                path.ops.push(ROp::Read { dst, addr: constant_address(cell) });
                path.ops.push(ROp::Guard(expr::binary(BinaryOp::Eq, expr::reg(dst), expr::int(1))));
                path.accessed = Some(Access::Joining);
                path.at = path.at.or(Some(at));
                path.joined.insert(*thread);
                Next::On
            }
            ROp::End => {
                if let Some(&cell) = self.waiting.ended.get(&self.thread) {
                    if !self.may_access(path, at) {
                        return Next::Cut;
                    }
                    self.flag(path, cell, at);
                }
                Next::End
            }
            ROp::Fence(kind) => {
                if !self.may_access(path, at) {
                    return Next::Cut;
                }
                path.ops.push(ROp::Fence(*kind));
                path.accessed =
                    Some(if *kind == FenceKind::StoreStore { Access::Ordering(at) } else { Access::Done });
                path.at = Some(at);
                Next::On
            }
            ROp::Read { .. } | ROp::Write { .. } => {
                if !self.may_access(path, at) {
                    return Next::Cut;
                }
                self.access(path, &residual.op);
                path.accessed = Some(Access::Done);
                path.at = Some(at);
                Next::On
            }
            ROp::Locked(lock, ops) => {
                if !self.may_access(path, at) {
                    return Next::Cut;
                }
                for op in ops {
                    match op {
                        ROp::Guard(condition) => {
                            if !path.assume(condition) {
                                return Next::Never;
                            }
                        }
                        ROp::Assert(condition, reason) => {
                            let condition = path.sub(condition);
                            path.ops.push(ROp::Assert(condition, reason.at(at)));
                        }
                        _ => self.access(path, op),
                    }
                }
                path.lock = path.lock.max(Some(*lock));
                path.accessed = Some(Access::Done);
                path.at = Some(at);
                Next::On
            }
            ROp::Exchange { lock, dst, addr, expected, new } => {
                if !self.may_access(path, at) {
                    return Next::Cut;
                }
                // The operands must not depend on the register that is read into.
                let depends = |path: &Path, e: &RExpr| expr::mentions(&path.sub(e), *dst);
                if depends(path, expected) || depends(path, new) {
                    self.settle(path);
                }
                let (expected, new) = (path.sub(expected), path.sub(new));
                self.access(path, &ROp::Read { dst: *dst, addr: addr.clone() });
                // Both sides are in terms of the registers before the step, and of the one that is read.
                let hit = expr::binary(BinaryOp::Eq, expr::reg(*dst), expected);
                path.lock = path.lock.max(Some(*lock));
                path.accessed = Some(Access::Done);
                path.at = Some(at);
                let mut failed = path.clone();
                if failed.assume_computed(expr::not(hit.clone())) {
                    failed.index += 1;
                    paths.push(failed);
                }
                if !path.assume_computed(hit) {
                    return Next::Never;
                }
                let addr = path.address(addr);
                path.ops.push(ROp::Write { addr, value: new });
                Next::On
            }
        }
    }

    /// Whether another access fits in the step.
    fn may_access(&self, path: &Path, at: Point) -> bool {
        // When all other threads have ended, nothing can come between.
        let alone = path.joined.len() + 1 >= self.waiting.n_threads
            && path.accessed.is_some()
            && !path.joined.is_empty();
        path.atomic > 0 || path.accessed.is_none() || path.accessed == Some(Access::Ordering(at)) || alone
    }

    /// A write of 1 that everything before it is ordered before.
    fn flag(&mut self, path: &mut Path, cell: super::state::Cell, at: Point) -> Next {
        if !self.may_access(path, at) {
            return Next::Cut;
        }
        path.ops.push(ROp::Write { addr: constant_address(cell), value: expr::int(1) });
        path.lock = Some(Lock::Full);
        path.accessed = Some(Access::Done);
        path.at = path.at.or(Some(at));
        Next::On
    }

    fn access(&mut self, path: &mut Path, op: &ROp) {
        match op {
            ROp::Read { dst, addr } => {
                let before = path.values.clone();
                if before.iter().any(|(reg, value)| reg != dst && expr::mentions(value, *dst))
                    || path.ops.iter().any(|op| matches!(op, ROp::Read { dst: other, .. } if other == dst))
                {
                    self.settle(path);
                }
                let addr = path.address(addr);
                path.ops.push(ROp::Read { dst: *dst, addr });
                path.values.remove(dst);
                path.facts.retain(|fact| !expr::mentions(fact, *dst));
            }
            ROp::Write { addr, value } => {
                let (addr, value) = (path.address(addr), path.sub(value));
                path.ops.push(ROp::Write { addr, value });
            }
            _ => unreachable!("an access is a read or a write"),
        }
    }

    /// Makes the assignments that are pending if one of them uses the register, which is about to change.
    fn settle_for(&mut self, path: &mut Path, dst: RegId) {
        path.values.remove(&dst);
        if path.values.values().any(|value| expr::mentions(value, dst)) {
            self.settle(path);
        }
        path.facts.retain(|fact| !expr::mentions(fact, dst));
    }

    /// Makes all assignments that are pending.
    fn settle(&mut self, path: &mut Path) {
        let values = std::mem::take(&mut path.values);
        let changed: Vec<RegId> = values.keys().copied().collect();
        self.assign_all(values, &mut path.ops);
        path.facts.retain(|fact| !changed.iter().any(|&reg| expr::mentions(fact, reg)));
    }

    /// Assignments that are meant to happen at once, one after the other.
    fn assign_all(&mut self, values: BTreeMap<RegId, RExpr>, ops: &mut Vec<ROp>) {
        let mut left: Vec<(RegId, RExpr)> =
            values.into_iter().filter(|(dst, value)| *value != expr::reg(*dst)).collect();
        while !left.is_empty() {
            let free = (0..left.len()).find(|&i| {
                left.iter().enumerate().all(|(j, (_, value))| i == j || !expr::mentions(value, left[i].0))
            });
            if let Some(i) = free {
                let (dst, value) = left.remove(i);
                ops.push(ROp::Assign { dst, value });
                continue;
            }
            // A cycle: one old value is kept aside.
            let old = left[0].0;
            let (known, bits) = (self.regs[old].known.clone(), self.regs[old].bits);
            let aside = self.scratch(&known, bits);
            ops.push(ROp::Assign { dst: aside, value: expr::reg(old) });
            for (_, value) in &mut left {
                *value = expr::substitute(value, &mut |atom| match *atom {
                    Atom::Reg(reg) if reg == old => expr::reg(aside),
                    other => fencewright_ir::Expr::Atom(other),
                });
            }
        }
    }

    fn scratch(&mut self, known: &Known, bits: u32) -> RegId {
        let key = RegKey::Scratch(10_000_000 + self.regs.len() as u32);
        self.regs.push(RegInfo { key, known: known.clone(), bits })
    }

    fn finish(&mut self, from: Spot, mut path: Path, to: Spot, edges: &mut Vec<StepEdge>) {
        let to = self.normal(to);
        let live: Set = match to {
            Spot::At(block, index) => self.liveness.at(self.blocks, block, index),
            Spot::End => Set::default(),
        };
        let values = std::mem::take(&mut path.values);
        let needed = values.into_iter().filter(|(reg, _)| live.contains(*reg)).collect();
        self.assign_all(needed, &mut path.ops);
        // The instruction shown is that of the access; without one, the first on the way.
        let at = path.at.or(path.first).unwrap_or(self.blocks[path.block].at);
        if to == from && path.ops.is_empty() && path.site.is_none() && path.accessed.is_none() {
            // Going round without doing anything: another thread can see no difference to standing still, but a thread
            // that stands still there has not ended.
            edges.push(StepEdge { from, to, ops: path.ops, lock: None, at, site: None });
            return;
        }
        edges.push(StepEdge { from, to, ops: path.ops, lock: path.lock, at, site: path.site });
    }
}

/// Waits until a flag is set. The wait has a register of its own key, which nothing else uses.
pub(crate) fn wait_for(cell: super::state::Cell, at: Point) -> Residual {
    Residual { op: ROp::Await(constant_address(cell)), at }
}

fn constant_address(cell: super::state::Cell) -> Address {
    Address { pointer: fencewright_ir::Expr::Atom(Atom::Address(cell.0, cell.1)), targets: vec![cell] }
}
