//! The order that dependencies keep in a solution: for the path that each thread takes, which moments come after a read
//! because they use what it gave, or are there because of it.
//!
//! What depends on what follows from the path alone, so an order is due to the bits that say that the path leads this way.
//! Only a dependency through an own write to the same cell is due to the cells, too.

use std::collections::BTreeSet;

use fencewright_base::IndexVec;
use fencewright_ir::{Addr, Op, Program, RegExpr, RegId, ThreadId, decides};
use fencewright_logic::{Bit, Circuit};

use crate::axioms::Dependencies;
use crate::events::{Kind, Point, ThreadRun};
use crate::order::shared_cell;

/// An order between two points of one thread, with the bits that make it so.
pub(crate) type Due = (usize, usize, Vec<Bit>);

/// The copies of edges that a thread takes in the solution, and the one in which it fails behind them.
pub(crate) fn path(run: &ThreadRun, circuit: &Circuit) -> (Vec<usize>, Option<usize>) {
    let (mut copies, mut failing) = (Vec::new(), None);
    let mut node = Some(0);
    while let Some(at) = node {
        let leaving = &run.unrolled.nodes[at].leaving;
        failing = leaving.iter().copied().find(|&copy| circuit.value(run.copies[copy].fails));
        let taken = leaving.iter().copied().find(|&copy| circuit.value(run.copies[copy].taken));
        copies.extend(taken);
        node = taken.and_then(|copy| run.unrolled.copies[copy].to);
    }
    (copies, failing)
}

/// The orders of a thread that goes through these copies of edges, one behind the other, with the points that the bits say are
/// done. Of a part of its way, the orders that come from there.
pub(crate) fn dependencies(
    rules: &Dependencies,
    program: &Program,
    thread: ThreadId,
    points: &[Point],
    run: &ThreadRun,
    way: &[usize],
    value: &dyn Fn(Bit) -> bool,
) -> Vec<Due> {
    let mut of_copy: Vec<Vec<usize>> = vec![Vec::new(); run.copies.len()];
    for (p, point) in points.iter().enumerate() {
        if point.thread == thread {
            of_copy[point.copy].push(p);
        }
    }
    let registers = program.threads[thread].regs.iter().map(|_| BTreeSet::new()).collect();
    let mut walk = Walk { registers, branches: BTreeSet::new(), places: vec![usize::MAX; points.len()] };
    let mut own_writes: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    let mut found: Vec<(usize, usize, Vec<Bit>)> = Vec::new();
    for (place, &copy) in way.iter().enumerate() {
        let all = &of_copy[copy];
        all.iter().for_each(|&p| walk.places[p] = place);
        let access = all.iter().copied().find(|&p| {
            value(points[p].done)
                && match points[p].kind {
                    Kind::Plain => points[p].writes.is_empty(),
                    Kind::Locked(_) => true,
                    Kind::Fence(_) => false,
                }
        });
        let step = walk.step(program, thread, run.unrolled.copies[copy].edge, access);
        let mut writes = step.writes.iter();
        for &p in all {
            let mut sources = BTreeSet::new();
            let is_locked = matches!(points[p].kind, Kind::Locked(_));
            let is_write = !points[p].writes.is_empty() || is_locked;
            if !value(points[p].done) {
                // A write that is still pending is one of the step's writes all the same.
                if is_write && !is_locked {
                    writes.next();
                }
                continue;
            }
            match points[p].kind {
                Kind::Fence(_) => continue,
                Kind::Plain if !is_write => {
                    extend_if(rules.address.reads, &mut sources, &step.read_sources);
                    extend_if(rules.control.reads, &mut sources, &walk.branches);
                    if rules.through_own_writes {
                        for (write, depends) in &own_writes {
                            if let Some(mut due) = shared_cell(&points[*write], &points[p], value) {
                                due.push(points[*write].done);
                                found.extend(depends.iter().map(|&from| (from, p, due.clone())));
                            }
                        }
                    }
                }
                Kind::Plain | Kind::Locked(_) => {
                    // What the step reads, its writes come after; its addresses come before that.
                    let own = if is_locked { None } else { access };
                    sources.extend(own);
                    extend_if(rules.address.writes, &mut sources, &step.read_sources);
                    let count = if is_locked { step.writes.len() } else { 1 };
                    for written in writes.by_ref().take(count) {
                        extend_if(rules.address.writes, &mut sources, &written.address);
                        extend_if(rules.data, &mut sources, &written.value);
                    }
                    extend_if(rules.control.writes, &mut sources, &walk.branches);
                }
            }
            // A step's reads are one access, whatever they use of each other.
            sources.remove(&p);
            found.extend(sources.iter().map(|&from| (from, p, Vec::new())));
            if is_write && !is_locked {
                own_writes.push((p, sources));
            }
        }
    }
    for (from, to, why) in &mut found {
        why.extend([points[*from].done, points[*to].done]);
        // Of a node that can be entered in several ways it must be said in which.
        for &copy in &way[walk.places[*from]..walk.places[*to]] {
            let next = run.unrolled.copies[copy].to;
            if next.is_some_and(|node| run.unrolled.nodes[node].entering.len() > 1) {
                why.push(run.copies[copy].taken);
            }
        }
        why.retain(|bit| bit.constant().is_none());
    }
    found
}

fn extend_if(counts: bool, sources: &mut BTreeSet<usize>, more: &BTreeSet<usize>) {
    if counts {
        sources.extend(more);
    }
}

/// What registers and branches come from, on the way along a path.
struct Walk {
    registers: IndexVec<RegId, BTreeSet<usize>>,
    branches: BTreeSet<usize>,
    /// For each point its step's place on the path.
    places: Vec<usize>,
}

/// What a step's accesses come from.
#[derive(Default)]
struct StepSources {
    /// The addresses of its reads, and what it wrote before them.
    read_sources: BTreeSet<usize>,
    writes: Vec<WriteSources>,
}

struct WriteSources {
    address: BTreeSet<usize>,
    value: BTreeSet<usize>,
}

impl Walk {
    fn sources(&self, expr: &RegExpr) -> BTreeSet<usize> {
        let mut sources = BTreeSet::new();
        expr.for_each_atom(&mut |&reg| sources.extend(&self.registers[reg]));
        sources
    }

    fn address(&self, addr: &Addr) -> BTreeSet<usize> {
        match addr {
            Addr::Cell(_) => BTreeSet::new(),
            Addr::Indexed { index, .. } => self.sources(index),
        }
    }

    /// Follows a step whose reads are this point.
    fn step(
        &mut self,
        program: &Program,
        thread: ThreadId,
        edge: fencewright_ir::EdgeId,
        access: Option<usize>,
    ) -> StepSources {
        let automaton = &program.threads[thread];
        let mut step = StepSources::default();
        for op in &automaton.edges[edge].step.ops {
            let decides = decides(program, automaton, op);
            for reg in decides.registers {
                self.branches.extend(&self.registers[reg]);
            }
            if decides.value_read {
                self.branches.extend(access);
            }
            match op {
                Op::Read { dst, addr } => {
                    step.read_sources.extend(self.address(addr));
                    let written =
                        step.writes.iter().flat_map(|write| write.address.iter().chain(&write.value));
                    step.read_sources.extend(written);
                    self.registers[*dst] = step.read_sources.iter().copied().chain(access).collect();
                }
                Op::Write { addr, value } => {
                    let (address, value) = (self.address(addr), self.sources(value));
                    step.writes.push(WriteSources { address, value });
                }
                Op::Assign { dst, value } => self.registers[*dst] = self.sources(value),
                Op::Havoc { dst } => self.registers[*dst].clear(),
                Op::Guard(_) | Op::Assert(_) | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => {}
            }
        }
        for (reg, declared) in automaton.regs.iter_enumerated() {
            if declared.scratch {
                self.registers[reg].clear();
            }
        }
        step
    }
}
