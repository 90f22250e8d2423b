//! One step of a thread on a symbolic state: rules G-2 to G-8 of `docs/semantics.md` with terms for values.
//!
//! A step splits into branches where it depends on what is not known. Each branch says what it demands of the variables.
//! Together the branches do all that the machine of `memory` can do from any state that the symbolic one stands for.

use fencewright_base::{Index, Int, Meter, Stop};
use fencewright_ir::{Addr, CellId, Domain, Edge, Op, Outside, Program, RegExpr, RegId, ThreadId};
use fencewright_memory::Model;

use crate::bounds::PossibleBounds;
use crate::buffer::{Keeping, MayBeBounded, Related};
use crate::config::Config;
use crate::evaluate::{Case, Fresh, admit, any_of, cases, demand, truths};
use crate::linear::{Atom, Linear, equal, le, lt};

/// A way through a step.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    /// What it demands.
    pub(crate) guard: Vec<Atom>,
    /// The state it leads to; nothing of use if it violates.
    pub(crate) config: Config<Linear>,
    pub(crate) fresh: Fresh,
    /// The values its `Havoc`s give.
    pub(crate) choices: Vec<Linear>,
    /// Whether an assertion fails, or the step has no meaning.
    pub(crate) violates: bool,
}

impl Branch {
    fn demands(mut self, atoms: impl IntoIterator<Item = Atom>) -> Option<Branch> {
        atoms.into_iter().all(|atom| demand(&mut self.guard, atom)).then_some(self)
    }

    fn violating(mut self) -> Branch {
        self.violates = true;
        self
    }
}

/// Goes on with the branch for each item. Copying a state costs more than most steps, so the last item gets the branch
/// itself.
fn split<T>(branch: Branch, items: Vec<T>, mut go: impl FnMut(Branch, T) -> Vec<Branch>) -> Vec<Branch> {
    let mut found = Vec::new();
    let mut left = items.len();
    let mut branch = Some(branch);
    for item in items {
        left -= 1;
        if let Some(own) = if left == 0 { branch.take() } else { branch.clone() } {
            found.extend(go(own, item));
        }
    }
    found
}

/// Each way in two: one in which the first condition holds, one in which the second does. What is known then differs.
fn either(
    ways: Vec<(Vec<Atom>, Related)>,
    first: &Atom,
    second: &Atom,
    know: impl Fn(&mut Related, bool),
) -> Vec<(Vec<Atom>, Related)> {
    let mut found = Vec::new();
    for (guard, known) in ways {
        for (condition, is_first) in [(first, true), (second, false)] {
            let (mut guard, mut known) = (guard.clone(), known.clone());
            if demand(&mut guard, condition.clone()) {
                know(&mut known, is_first);
                found.push((guard, known));
            }
        }
    }
    found
}

/// A step being made.
pub(crate) struct Stepper<'p> {
    pub(crate) program: &'p Program,
    pub(crate) keeping: Keeping,
    pub(crate) thread: ThreadId,
    /// Which cells may bound what the thread writes.
    pub(crate) bounds: &'p PossibleBounds,
    /// Asked for every way through every operation: together they can be too many to hold.
    pub(crate) meter: &'p Meter,
}

impl Stepper<'_> {
    /// The ways to take the edge from the state, whose variables come before `first_fresh`.
    pub(crate) fn step(
        &self,
        config: &Config<Linear>,
        edge: &Edge,
        first_fresh: u32,
    ) -> Result<Vec<Branch>, Stop> {
        let pending = &config.buffers[self.thread.index()];
        if edge.step.lock.is_some_and(|lock| !pending.may_lock(self.keeping, lock)) {
            return Ok(Vec::new());
        }
        let fresh = Fresh::from(first_fresh);
        if let Some(Op::Guard(condition)) = edge.step.ops.first() {
            // Most steps that are not possible are seen here, before the state is copied.
            let registers = &config.registers[self.thread.index()];
            let all = truths(condition, &|reg: &RegId| registers[reg.index()].clone(), &mut fresh.clone());
            if all.iter().all(|(_, truth)| *truth == Ok(false)) {
                return Ok(Vec::new());
            }
        }
        let start =
            Branch { guard: Vec::new(), config: config.clone(), fresh, choices: Vec::new(), violates: false };
        let mut going = vec![start];
        let mut ended = Vec::new();
        let bytes = config.bytes();
        for op in &edge.step.ops {
            let before = std::mem::take(&mut going);
            let n_before = before.len();
            for branch in before {
                self.meter.tick()?;
                self.meter.hold((n_before + going.len() + ended.len()) as u64 * bytes)?;
                let (violating, on): (Vec<_>, Vec<_>) =
                    self.op(branch, op, edge).into_iter().partition(|branch| branch.violates);
                ended.extend(violating);
                going.extend(on);
            }
        }
        for branch in &mut going {
            branch.config.locations[self.thread.index()] = edge.to;
        }
        going.extend(ended);
        Ok(going)
    }

    fn op(&self, branch: Branch, op: &Op, edge: &Edge) -> Vec<Branch> {
        let t = self.thread.index();
        match op {
            Op::Read { dst, addr } => self.each_cell(branch, addr, edge, |branch, cell| {
                let own = branch.config.buffers[t].newest(self.keeping, cell);
                let value = own.unwrap_or(&branch.config.memory[cell.index()]).clone();
                self.set_register(branch, *dst, &value)
            }),
            Op::Write { addr, value } => self.each_cell(branch, addr, edge, |branch, cell| {
                self.each_value(branch, value, |branch, value| {
                    let (var, _) = self.program.variable_of(cell);
                    self.admitted(branch, &self.program.vars[var].domain, value, &|mut branch, value| {
                        let direct = edge.step.lock.is_some() || self.keeping.model == Model::Sc;
                        if direct {
                            branch.config.memory[cell.index()] = value;
                            return vec![branch];
                        }
                        self.written(branch, cell, &value)
                    })
                })
            }),
            Op::Assign { dst, value } => {
                self.each_value(branch, value, |branch, value| self.set_register(branch, *dst, value))
            }
            Op::Guard(condition) => {
                self.each_truth(branch, condition, |branch, truth| truth.then_some(branch))
            }
            Op::Assert(condition) => self.each_truth(branch, condition, |branch, truth| {
                Some(if truth { branch } else { branch.violating() })
            }),
            Op::Havoc { dst } => {
                let mut branch = branch;
                let domain = &self.program.threads[self.thread].regs[*dst].domain;
                let (value, guard) = any_of(domain, &mut branch.fresh);
                branch.guard.extend(guard);
                branch.choices.push(value.clone());
                branch.config.registers[t][dst.index()] = value;
                vec![branch]
            }
            Op::Fence(kind) => {
                let mut branch = branch;
                let passed = branch.config.buffers[t].fence(self.keeping, *kind);
                passed.then_some(branch).into_iter().collect()
            }
            // The gate gives no program that has them.
            Op::Send { .. } | Op::Receive { .. } => Vec::new(),
        }
    }

    /// Puts the write into the thread's buffer; a way for each order that matters there.
    fn written(&self, branch: Branch, cell: CellId, value: &Linear) -> Vec<Branch> {
        let Config { buffers, memory, .. } = &branch.config;
        let buffer = &buffers[self.thread.index()];
        let related = |ascends| Related { ascends, bounded_by: Vec::new(), falls: false };
        let mut ways: Vec<(Vec<Atom>, Related)> =
            match buffer.order_matters(self.keeping, cell, value.clone()) {
                None => vec![(Vec::new(), related(true))],
                Some((last, next)) => {
                    vec![(vec![le(&last, &next)], related(true)), (vec![lt(&next, &last)], related(false))]
                }
            };
        if buffer.bounds_others(self.keeping, cell) {
            let before = buffer.newest(self.keeping, cell).unwrap_or(&memory[cell.index()]);
            ways = either(ways, &le(before, value), &lt(value, before), |known, stays| known.falls = !stays);
        }
        let bounds = buffer.may_be_bounded(self.keeping, (cell, value.clone()), self.bounds);
        if let Some(MayBeBounded { value, by }) = bounds {
            for (other, pending) in &by {
                let bound = pending.as_ref().unwrap_or(&memory[other.index()]);
                ways = either(ways, &le(&value, bound), &lt(bound, &value), |known, is_bounded| {
                    known.bounded_by.extend(is_bounded.then_some(*other));
                });
            }
        }
        split(branch, ways, |branch, (guard, known)| {
            let branch = branch.demands(guard).map(|mut branch| {
                branch.config.buffers[self.thread.index()].write(self.keeping, cell, value.clone(), known);
                branch
            });
            branch.into_iter().collect()
        })
    }

    /// Goes on for each cell that the address may stand for.
    fn each_cell(
        &self,
        branch: Branch,
        addr: &Addr,
        edge: &Edge,
        then: impl Fn(Branch, CellId) -> Vec<Branch>,
    ) -> Vec<Branch> {
        let then = |branch: Branch, cell: CellId| {
            let buffer = &branch.config.buffers[self.thread.index()];
            let waits = edge.step.lock.is_some() && !buffer.may_touch_locked(self.keeping, cell);
            if waits { Vec::new() } else { then(branch, cell) }
        };
        match addr {
            Addr::Cell(cell) => then(branch, *cell),
            Addr::Indexed { first, len, index, outside } => {
                self.each_value(branch, index, |branch, index| {
                    let mut found = Vec::new();
                    for i in 0..*len {
                        let here = Linear::constant(i64::from(i));
                        let cell = CellId::new(first.index() + i as usize);
                        if let Some(branch) = branch.clone().demands(equal(index, &here)) {
                            found.extend(then(branch, cell));
                        }
                    }
                    if *outside == Outside::Faults {
                        let (zero, len) = (Linear::constant(0), Linear::constant(i64::from(*len)));
                        for past in [lt(index, &zero), lt(&len.plus(&Int::from(-1)), index)] {
                            found.extend(branch.clone().demands([past]).map(Branch::violating));
                        }
                    }
                    found
                })
            }
        }
    }

    /// Goes on for each case of the expression; one without a value is a fault.
    fn each_value(
        &self,
        mut branch: Branch,
        expr: &RegExpr,
        then: impl Fn(Branch, &Linear) -> Vec<Branch>,
    ) -> Vec<Branch> {
        let Branch { config, fresh, .. } = &mut branch;
        let registers = &config.registers[self.thread.index()];
        let all = cases(expr, &|reg: &RegId| registers[reg.index()].clone(), fresh);
        split(branch, all, |branch, Case { guard, value }| match (branch.demands(guard), value) {
            (None, _) => Vec::new(),
            (Some(branch), Ok(value)) => then(branch, &value),
            (Some(branch), Err(_)) => vec![branch.violating()],
        })
    }

    fn each_truth(
        &self,
        mut branch: Branch,
        expr: &RegExpr,
        then: impl Fn(Branch, bool) -> Option<Branch>,
    ) -> Vec<Branch> {
        let Branch { config, fresh, .. } = &mut branch;
        let registers = &config.registers[self.thread.index()];
        let all = truths(expr, &|reg: &RegId| registers[reg.index()].clone(), fresh);
        split(branch, all, |branch, (guard, truth)| match (branch.demands(guard), truth) {
            (None, _) => Vec::new(),
            (Some(branch), Ok(truth)) => then(branch, truth).into_iter().collect(),
            (Some(branch), Err(_)) => vec![branch.violating()],
        })
    }

    fn set_register(&self, branch: Branch, reg: RegId, value: &Linear) -> Vec<Branch> {
        let domain = &self.program.threads[self.thread].regs[reg].domain;
        let t = self.thread.index();
        self.admitted(branch, domain, value, &|mut branch, value| {
            branch.config.registers[t][reg.index()] = value;
            vec![branch]
        })
    }

    /// Stores what the domain leaves of the value.
    fn admitted(
        &self,
        mut branch: Branch,
        domain: &Domain,
        value: &Linear,
        store: &dyn Fn(Branch, Linear) -> Vec<Branch>,
    ) -> Vec<Branch> {
        let all = admit(domain, value, &mut branch.fresh);
        split(branch, all, |branch, Case { guard, value }| {
            let stored = branch.demands(guard).zip(value.ok());
            stored.map(|(branch, value)| store(branch, value)).unwrap_or_default()
        })
    }
}
