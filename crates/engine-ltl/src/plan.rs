//! What is searched in which order. For each cap on the store buffers: first, if anything can be violated by a finite
//! execution (an assertion, a fault, a property of states), the reachable states, as far as they are near; then the product
//! for each temporal property; then the rest of the reachable states.

use fencewright_base::{Budget, Progress, Stop};
use fencewright_engine::{Context, Engine, Feature, Task, Unknown, Verdict};
use fencewright_explore::{End, SearchConfig, Unfinished, accepting_path, search};
use fencewright_ir::{
    Addr, BinaryOp, Claim, Expr, Op, Outside, Program, Property, RegExpr, Target, Temporal,
};
use fencewright_packed::{
    Checked, CompileOptions, Compiled, Ended, Interrupt, Job, PackedSystem, at_width, first_options,
    supports, trace_along, unsupported, with_growing_buffers,
};

use crate::automaton::Automaton;
use crate::lasso;
use crate::product::{Product, ProductWorker};
use crate::quiet::quiet_locations;
use crate::tableau::automaton;

/// States among which a finite violation is looked for before all else.
const NEAR: u64 = 100_000;

/// Threads whose steps can be told apart where threads are fair.
const MOST_THREADS: usize = 128;

/// Temporal properties by automata, with store buffers up to a cap.
#[derive(Debug, Copy, Clone, Default)]
pub struct Ltl;

impl Engine for Ltl {
    fn name(&self) -> &'static str {
        "ltl"
    }

    fn about(&self) -> &'static str {
        "properties of whole executions: automata, search for accepting cycles, fair flushing"
    }

    fn decides_temporal(&self) -> bool {
        true
    }

    fn knows_extensions(&self) -> bool {
        true
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        if !task.program.properties.iter().any(Property::is_temporal) {
            return Err(unsupported(Feature::NothingTemporal));
        }
        if task.program.threads.len() > MOST_THREADS {
            return Err(unsupported(Feature::Threads(task.program.threads.len())));
        }
        supports(task)?;
        asked(task.program).map(drop)
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        let asked = match asked(task.program) {
            Ok(asked) => asked,
            Err(unknown) => return Verdict::Unknown(unknown),
        };
        with_growing_buffers(task, &mut |capacity| {
            let mut plan = Plan { task, capacity, context };
            plan.context.statistics.states = 0;
            plan.context.statistics.transitions = 0;
            plan.check(&asked)
        })
    }
}

/// A temporal property, and the automaton of the executions that violate it.
struct Asked<'p> {
    temporal: &'p Temporal,
    violations: Automaton,
}

fn asked(program: &Program) -> Result<Vec<Asked<'_>>, Unknown> {
    let temporal = program.properties.iter().filter_map(|property| match property {
        Property::Temporal(temporal) => Some(temporal),
        Property::Forbidden(_) | Property::Invariant(_) | Property::Final { .. } => None,
    });
    temporal
        .map(|temporal| {
            let violations = match &temporal.claim {
                Claim::Formula(formula) => automaton(formula, true),
                Claim::Never(never) => Automaton::of(never),
            };
            match violations {
                Ok(violations) => Ok(Asked { temporal, violations }),
                Err(_) => Err(Unknown::Unsupported { feature: Feature::LargeFormula, span: temporal.span }),
            }
        })
        .collect()
}

struct Plan<'a, 'c> {
    task: &'a Task<'a>,
    capacity: u32,
    context: &'a mut Context<'c>,
}

impl Plan<'_, '_> {
    fn check(&mut self, asked: &[Asked<'_>]) -> Result<Checked, Ended> {
        let program = self.task.program;
        let mut exact = true;
        let mut states_left = can_end_badly(program);
        if states_left {
            // A shortest violation if one is near. A finite one that is far away, such as a counter that overflows, must
            // not keep the others waiting.
            match self.states(Some(NEAR)) {
                Ok(Checked::Holds { exact: no_cap_met }) => {
                    exact &= no_cap_met;
                    states_left = false;
                }
                Ok(violated @ Checked::Violated(_)) => return Ok(violated),
                Err(Ended::Stopped(Stop::States)) => {}
                Err(ended) => return Err(ended),
            }
        }
        for asked in asked.iter().filter(|asked| !asked.violations.states.is_empty()) {
            let n_states = asked.violations.states.len() as u64;
            let options = CompileOptions {
                reduction: false,
                tag_bits: u64::BITS - (n_states - 1).leading_zeros(),
                ..first_options(self.task, self.capacity)
            };
            match at_width(program, options, &[], &mut Cycles { plan: self, asked })? {
                Checked::Holds { exact: no_cap_met } => exact &= no_cap_met,
                violated @ Checked::Violated(_) => return Ok(violated),
            }
        }
        if states_left {
            match self.states(None)? {
                Checked::Holds { exact: no_cap_met } => exact &= no_cap_met,
                violated @ Checked::Violated(_) => return Ok(violated),
            }
        }
        Ok(Checked::Holds { exact })
    }

    /// Searches for a finite execution that violates, among so many states at most.
    fn states(&mut self, most: Option<u64>) -> Result<Checked, Ended> {
        let options = first_options(self.task, self.capacity);
        at_width(self.task.program, options, &[], &mut States { plan: self, most })
    }

    fn phase(&self) -> String {
        let model = self.task.model;
        if model.queues_writes() {
            format!("{}, buffers up to {}", model.name(), self.capacity)
        } else {
            model.name().to_owned()
        }
    }

    /// Adds up what the searches within one cap cost.
    fn note<const W: usize>(
        &mut self,
        compiled: &Compiled,
        states: u64,
        transitions: u64,
        peak: u64,
        longest: u32,
    ) {
        let statistics = &mut self.context.statistics;
        statistics.states += states;
        statistics.transitions += transitions;
        statistics.peak_bytes = statistics.peak_bytes.max(peak);
        statistics.state_bits = statistics.state_bits.max(compiled.bits);
        statistics.state_bytes = statistics.state_bytes.max(W * size_of::<u64>());
        statistics.buffer_bound = self.task.model.queues_writes().then_some(self.capacity as usize);
        statistics.longest_buffer = statistics.longest_buffer.max(longest as usize);
    }
}

/// The search for a finite execution that violates.
struct States<'a, 'b, 'c> {
    plan: &'a mut Plan<'b, 'c>,
    most: Option<u64>,
}

impl Job for States<'_, '_, '_> {
    type Output = Checked;

    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Checked, Ended>, Interrupt> {
        let system = PackedSystem::new(compiled);
        let States { plan, most } = self;
        let budget = plan.context.meter.budget().clone();
        let states = budget.states.into_iter().chain(*most).min();
        let cancel = plan.context.meter.cancel_token().clone();
        let meter = plan.context.meter.part(Budget { states, ..budget }, cancel);
        let phase = plan.phase();
        let progress = plan.context.progress;
        let report = |states, frontier, bytes| progress(Progress { phase: &phase, states, frontier, bytes });
        // One thread: which parent a state has must not depend on who came first.
        let config = SearchConfig { jobs: 1, stop_at_goal: true, meter: &meter, progress: &report };
        let found = search::<W, &PackedSystem<'_>>(&&system, &config);
        let worker = &found.workers[0];
        let exact = !worker.met_capacity;
        plan.note::<W>(compiled, found.n_states(), found.transitions, found.peak_bytes, worker.longest);
        match found.end {
            End::Complete => Ok(Ok(Checked::Holds { exact })),
            End::Goal => {
                let goal = found.goals.first().expect("the search ended with a goal");
                let mut worker = system.new_worker();
                let path = found.path_to(goal.state);
                trace_along(&system, &mut worker, &path, goal.by_transition)
                    .map(|trace| Ok(Checked::Violated(trace)))
            }
            End::Stopped(stop) => Ok(Err(Ended::Stopped(stop))),
            End::Interrupted(interrupt) => Err(interrupt),
        }
    }
}

/// The search for an execution that never ends and violates a temporal property.
struct Cycles<'a, 'b, 'c> {
    plan: &'a mut Plan<'b, 'c>,
    asked: &'a Asked<'a>,
}

impl Job for Cycles<'_, '_, '_> {
    type Output = Checked;

    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Checked, Ended>, Interrupt> {
        let Cycles { plan, asked } = self;
        let system = PackedSystem::new(compiled);
        let n_threads = plan.task.program.threads.len();
        let quiet = match plan.task.options.reduction {
            true => quiet_locations(plan.task.program, asked.temporal, plan.task.model),
            false => Vec::new(),
        };
        let fairness = asked.temporal.fairness;
        let product = match Product::new(&system, n_threads, &asked.violations, fairness, quiet) {
            Ok(product) => product,
            Err(feature) => return Ok(Err(Ended::Unsupported(feature))),
        };
        let product = &product;
        let mut worker = ProductWorker::<W>::new(system.new_worker());
        let phase = plan.phase();
        let progress = plan.context.progress;
        let report = |states, frontier, bytes| progress(Progress { phase: &phase, states, frontier, bytes });
        let found = match accepting_path(&product, &mut worker, &plan.context.meter, &report) {
            Ok(found) => found,
            Err(Unfinished::Stopped(stop)) => return Ok(Err(Ended::Stopped(stop))),
            Err(Unfinished::Interrupted(interrupt)) => return Err(interrupt),
        };
        let (exact, longest) = (!worker.packed.met_capacity, worker.packed.longest);
        plan.note::<W>(compiled, found.states, found.transitions, found.peak_bytes, longest);
        match &found.path {
            None => Ok(Ok(Checked::Holds { exact })),
            Some(path) => lasso::trace(plan.task.program, product, &mut worker, path)
                .map(|trace| Ok(Checked::Violated(trace))),
        }
    }
}

/// Whether a finite execution could violate anything: a property of states, an assertion, a fault.
fn can_end_badly(program: &Program) -> bool {
    !program.properties.iter().all(Property::is_temporal)
        || program
            .threads
            .iter()
            .flat_map(|thread| &thread.edges)
            .any(|edge| edge.step.ops.iter().any(can_fail))
}

/// Whether the operation can be a violation by itself.
fn can_fail(op: &Op) -> bool {
    let faults = |expr: &RegExpr| has_partial_operator(expr);
    let addr = |addr: &Addr| match addr {
        Addr::Cell(_) => false,
        Addr::Indexed { index, outside, .. } => *outside == Outside::Faults || faults(index),
    };
    match op {
        Op::Assert(_) => true,
        Op::Read { addr: of, .. } => addr(of),
        Op::Write { addr: of, value } => addr(of) || faults(value),
        Op::Assign { value, .. } => faults(value),
        Op::Guard(condition) => faults(condition),
        Op::Havoc { .. } | Op::Fence(_) => false,
        Op::Send { values, .. } => values.iter().any(faults),
        Op::Receive { targets, .. } => targets.iter().any(|target| match target {
            Target::Register(_) => false,
            Target::Memory(of) => addr(of),
        }),
    }
}

/// Whether the expression has an operator that is not defined on all numbers.
fn has_partial_operator(expr: &RegExpr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Atom(_) => false,
        Expr::Checked { .. } => true,
        Expr::Unary(_, a) | Expr::Wrap { value: a, .. } => has_partial_operator(a),
        Expr::Binary(op, a, b) => {
            matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr)
                || has_partial_operator(a)
                || has_partial_operator(b)
        }
        Expr::Choose(a, b, c) => [a, b, c].iter().any(|part| has_partial_operator(part)),
    }
}
