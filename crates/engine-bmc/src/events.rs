//! A thread executed on circuits: every copy of an edge is taken or not, registers are numbers that depend on the path,
//! and every access to memory becomes a *point*, a moment of the execution that the orders are about.
//!
//! - A thread may stop anywhere: a violation needs no execution to its end.
//! - A step that fails (an assertion, a fault) is not taken; it reads, but it writes nothing.
//! - A plain step reads at one moment; each of its writes has a moment of its own, when it reaches memory.
//! - A round of a loop that writes nothing and comes back with the same live registers changes nothing that any thread
//!   can see, so executions without it are enough. Waiting loops need no unrolling for that reason.

use std::collections::BTreeMap;

use fencewright_base::{Index, IndexVec, Int};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{
    CellId, Expr, FenceKind, Init, LocId, Lock, Op, Program, RegExpr, RegId, StateAtom, ThreadId, Variable,
};
use fencewright_logic::{Bit, Circuit, Halted, Number, TooWide};

use crate::axioms::Axioms;
use crate::step::StepRun;
use crate::symbolic::{admit, any_of, bits_for};
use crate::unroll::Unrolled;

/// How far a program is followed. An execution that goes further is cut: it counts for nothing, but it is known to be there.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The most edges of a path that go back.
    pub(crate) bound: usize,
    /// The bits of an unbounded variable in memory beyond what the program's constants need.
    pub(crate) spare_bits: usize,
}

impl Extent {
    /// With so many edges back, and room for small sums.
    pub(crate) fn with_bound(bound: usize) -> Self {
        Self { bound, spare_bits: 4 }
    }

    /// How far to go next, where there are executions that go back more often, or numbers that need more bits.
    pub(crate) fn beyond(self, goes_back: bool, is_wide: bool) -> Extent {
        Extent {
            bound: if goes_back { self.bound + 1 + self.bound / 2 } else { self.bound },
            spare_bits: if is_wide { 2 * self.spare_bits } else { self.spare_bits },
        }
    }
}

/// A moment of a thread's execution.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) thread: ThreadId,
    /// The copy of an edge it belongs to.
    pub(crate) copy: usize,
    pub(crate) kind: Kind,
    /// Whether it happens.
    pub(crate) done: Bit,
    pub(crate) reads: Vec<Touch>,
    pub(crate) writes: Vec<Touch>,
}

/// What happens at a point.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Fence(FenceKind),
    Plain,
    Locked(Lock),
}

/// An access: which cell, by the bit that is true, and the value.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    pub(crate) cells: Vec<(CellId, Bit)>,
    pub(crate) value: Number,
    /// Whether it happens.
    pub(crate) done: Bit,
}

/// A thread on circuits.
#[derive(Debug)]
pub(crate) struct ThreadRun {
    pub(crate) unrolled: Unrolled,
    /// For each node whether the thread ends its run there.
    pub(crate) stands: Vec<Bit>,
    /// For each node the registers when the thread stands there.
    pub(crate) registers: Vec<Vec<Number>>,
    pub(crate) copies: Vec<CopyRun>,
    /// The values chosen for registers whose initial value is open.
    pub(crate) chosen: Vec<(RegId, Number)>,
    /// Whether the run leaves what was unrolled.
    pub(crate) cut: Vec<Bit>,
    /// Whether a number does not fit into memory. Such a run means nothing.
    pub(crate) overflows: Vec<Bit>,
}

/// How a program is laid out in bits, and how far it is followed.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Shape {
    /// The most edges of a path that go back.
    pub(crate) bound: usize,
    /// Whether writes act on memory at once.
    pub(crate) at_once: bool,
    /// Whether every locked step waits for all pending writes of its thread.
    pub(crate) locks_wait_for_all: bool,
    /// Whether a read may be performed later than what follows it.
    pub(crate) delays_reads: bool,
    /// Whether it matters where a register's value comes from.
    depends: bool,
    /// The bits of an unbounded variable.
    integer_bits: usize,
}

impl Shape {
    pub(crate) fn new(program: &Program, axioms: &Axioms, extent: Extent) -> Result<Self, Refused> {
        let mut widest = 0;
        let mut note = |value: &Int| -> Result<(), Refused> {
            widest = widest.max(Number::constant(value)?.width());
            Ok(())
        };
        for (_, _, init) in program.cells() {
            if let Init::Value(value) = init {
                note(value)?;
            }
        }
        for op in program.threads.iter().flat_map(|thread| &thread.edges).flat_map(|edge| &edge.step.ops) {
            if let Op::Write { value, .. } | Op::Assign { value, .. } = op {
                for_each_constant(value, &mut note)?;
            }
        }
        Ok(Self {
            bound: extent.bound,
            at_once: !axioms.delays_writes,
            locks_wait_for_all: axioms.locks_wait_for_all(),
            delays_reads: axioms.delays_reads(),
            depends: axioms.dependencies.is_some(),
            integer_bits: widest + extent.spare_bits,
        })
    }

    /// The bits that a value of the variable has in memory, the sign included, and whether they are enough for all its values.
    /// Few values of a machine's integers occur in most programs, so at first they have no more bits than integers without
    /// bound. A variable that may have any value at first has bits for all.
    pub(crate) fn width(&self, variable: &Variable) -> (usize, bool) {
        let Some((lo, hi)) = variable.domain.bounds() else { return (self.integer_bits, false) };
        let all = bits_for(&lo, &hi) + 1;
        if all <= self.integer_bits || variable.init.contains(&Init::Any) {
            (all, true)
        } else {
            (self.integer_bits, false)
        }
    }
}

fn for_each_constant(
    expr: &RegExpr,
    visit: &mut dyn FnMut(&Int) -> Result<(), Refused>,
) -> Result<(), Refused> {
    match expr {
        Expr::Const(value) => visit(value),
        Expr::Atom(_) => Ok(()),
        Expr::Unary(_, e) | Expr::Wrap { value: e, .. } | Expr::Checked { value: e, .. } => {
            for_each_constant(e, visit)
        }
        Expr::Binary(_, a, b) => for_each_constant(a, visit).and_then(|()| for_each_constant(b, visit)),
        Expr::Choose(a, b, c) => [a, b, c].into_iter().try_for_each(|e| for_each_constant(e, visit)),
    }
}

/// A copy of an edge on circuits.
#[derive(Debug)]
pub(crate) struct CopyRun {
    pub(crate) taken: Bit,
    /// Whether the run ends with a failure in this step.
    pub(crate) fails: Bit,
    /// The values of its havocs.
    pub(crate) choices: Vec<Number>,
}

/// What a program cannot have here.
#[derive(Debug)]
pub(crate) enum Refused {
    TooWide,
    OpenValue(String),
    /// Nothing is wrong with the program: the budget ended.
    Stopped,
}

impl From<TooWide> for Refused {
    fn from(_: TooWide) -> Self {
        Refused::TooWide
    }
}

impl From<Halted> for Refused {
    fn from(_: Halted) -> Self {
        Refused::Stopped
    }
}

/// What is known about a loop when its head is entered again.
#[derive(Debug, Clone)]
pub(crate) struct Visit {
    /// Whether the head was entered before.
    was: Bit,
    /// Whether something was written since.
    pub(crate) wrote: Bit,
    registers: Vec<Number>,
    /// For each register whether it was given a value since, if that matters.
    pub(crate) assigned: Vec<Bit>,
}

/// A thread's state at a node.
#[derive(Debug, Clone)]
pub(crate) struct Here {
    pub(crate) registers: Vec<Number>,
    pub(crate) visits: BTreeMap<LocId, Visit>,
}

/// Executes a thread; its points are added to the others'.
pub(crate) fn execute(
    program: &Program,
    id: ThreadId,
    (shape, watched): (Shape, &[StateAtom]),
    circuit: &mut Circuit,
    points: &mut Vec<Point>,
) -> Result<ThreadRun, Refused> {
    let thread = &program.threads[id];
    let unrolled = Unrolled::new(thread, shape.bound);
    let watched = watched_registers(program, watched);
    let live = live_registers(thread, &watched[id]);
    // Whose source matters: what only a property looks at has no successors.
    let used = if shape.depends { Some(live_registers(thread, &[])) } else { None };
    let mut chosen = Vec::new();
    let mut registers = Vec::new();
    for (reg, declared) in thread.regs.iter_enumerated() {
        registers.push(match &declared.init {
            Init::Value(value) => Number::constant(value)?,
            Init::Any => {
                let number =
                    any_of(&declared.domain, circuit).ok_or(Refused::OpenValue(declared.name.clone()))??;
                let (_, fits) = admit(&declared.domain, number.clone(), circuit)?;
                circuit.require(&[fits]);
                chosen.push((reg, number.clone()));
                number
            }
        });
    }
    let mut run = ThreadRun {
        stands: Vec::new(),
        registers: Vec::new(),
        copies: unrolled.copies.iter().map(|_| CopyRun::never()).collect(),
        chosen,
        cut: Vec::new(),
        overflows: Vec::new(),
        unrolled,
    };
    let nothing = Number::constant(&Int::ZERO)?;
    let mut after: Vec<Option<Here>> = run.unrolled.copies.iter().map(|_| None).collect();
    for at in 0..run.unrolled.nodes.len() {
        let location = run.unrolled.nodes[at].location;
        let is_live = &live[location];
        let (reached, mut here) = if at == 0 {
            (Bit::TRUE, Here { registers: registers.clone(), visits: BTreeMap::new() })
        } else {
            let entering: Vec<(Bit, Here)> = run.unrolled.nodes[at]
                .entering
                .iter()
                .filter_map(|&copy| Some((run.copies[copy].taken, after[copy].take()?)))
                .collect();
            let taken: Vec<Bit> = entering.iter().map(|(taken, _)| *taken).collect();
            (circuit.any(&taken), join(entering, circuit))
        };
        for (reg, number) in here.registers.iter_mut().enumerate() {
            // The value of a dead register cannot matter; equal ones cost no circuit.
            if !is_live[RegId::new(reg)] {
                *number = nothing.clone();
            }
        }
        if run.unrolled.heads.contains(&location) {
            let assigned = vec![Bit::FALSE; if shape.depends { here.registers.len() } else { 0 }];
            let visit =
                Visit { was: Bit::TRUE, wrote: Bit::FALSE, registers: here.registers.clone(), assigned };
            here.visits.insert(location, visit);
        }
        let leaving = run.unrolled.nodes[at].leaving.clone();
        let mut ways = Vec::new();
        for copy in leaving {
            circuit.go_on()?;
            let mut step =
                StepRun::new(program, id, &run.unrolled, (copy, shape), here.clone(), circuit, points);
            step.run()?;
            let StepRun { taken, fails, choices, here: next, overflows, .. } = step;
            circuit.imply(taken, &[reached]);
            circuit.imply(fails, &[reached]);
            ways.extend([taken, fails]);
            let to = thread.edges[run.unrolled.copies[copy].edge].to;
            not_in_vain(&next, to, (&live[to], used.as_ref().map(|used| &used[to])), taken, circuit);
            run.overflows.extend(overflows);
            if run.unrolled.copies[copy].to.is_none() {
                run.cut.push(taken);
            }
            after[copy] = Some(next);
            run.copies[copy] = CopyRun { taken, fails, choices };
        }
        circuit.at_most_one(&ways);
        let goes: Vec<Bit> = ways.iter().map(|&way| !way).chain([reached]).collect();
        run.stands.push(circuit.all(&goes));
        run.registers.push(here.registers);
    }
    Ok(run)
}

impl CopyRun {
    fn never() -> Self {
        Self { taken: Bit::FALSE, fails: Bit::FALSE, choices: Vec::new() }
    }
}

/// A loop's head is not entered again with nothing written and the same live registers. Where dependencies keep order, a
/// register that is used must not have got its value anew either, even if it is the same: it would come from another read.
fn not_in_vain(
    next: &Here,
    to: LocId,
    (live, used): (&IndexVec<RegId, bool>, Option<&IndexVec<RegId, bool>>),
    taken: Bit,
    circuit: &mut Circuit,
) {
    let Some(visit) = next.visits.get(&to) else { return };
    let mut differs = vec![!visit.was, visit.wrote];
    for (reg, (now, then)) in next.registers.iter().zip(&visit.registers).enumerate() {
        if live[RegId::new(reg)] && now != then {
            differs.push(!now.equal(then, circuit));
        }
        if used.is_some_and(|used| used[RegId::new(reg)]) {
            differs.push(visit.assigned[reg]);
        }
    }
    circuit.imply(taken, &differs);
}

/// What is known where paths meet. At most one of them is taken.
fn join(entering: Vec<(Bit, Here)>, circuit: &mut Circuit) -> Here {
    let mut entering = entering.into_iter();
    let (_, mut joined) = entering.next().expect("a node that is not the first is entered");
    for (taken, other) in entering {
        for (mine, its) in joined.registers.iter_mut().zip(&other.registers) {
            *mine = Number::choose(taken, its, mine, circuit);
        }
        for (loc, its) in other.visits {
            match joined.visits.get_mut(&loc) {
                None => {
                    let was = circuit.and(taken, its.was);
                    joined.visits.insert(loc, Visit { was, ..its });
                }
                Some(mine) => {
                    mine.was = circuit.choose(taken, its.was, mine.was);
                    mine.wrote = circuit.choose(taken, its.wrote, mine.wrote);
                    for (mine, its) in mine.assigned.iter_mut().zip(&its.assigned) {
                        *mine = circuit.choose(taken, *its, *mine);
                    }
                    for (mine, its) in mine.registers.iter_mut().zip(&its.registers) {
                        *mine = Number::choose(taken, its, mine, circuit);
                    }
                }
            }
        }
    }
    joined
}
