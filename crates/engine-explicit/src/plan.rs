//! What is searched in which order: caps that grow, and interned values that get more bits when they need them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Int, Progress};
use fencewright_engine::{
    Bounds, Context, Engine, Guarantee, OutcomeEngine, OutcomeQuery, Task, Unknown, Verdict,
};
use fencewright_explore::{End, Found, Search, SearchConfig, search};
use fencewright_ir::Program;
use fencewright_memory::{Action, Model, Trace};
use fencewright_packed::{
    Checked, CompileOptions, Compiled, Ended, Interrupt, Job, PackedSystem, StateCode, at_width, capacities,
    first_options, trace_along, unsupported, with_growing_buffers, write_bound,
};

use crate::shortest::shortest;

/// Forward search with store buffers up to a cap.
#[derive(Debug, Copy, Clone, Default)]
pub struct Explicit;

/// States of the plain graph that the search for a shortest counterexample may store, at least; at most six times as
/// many. Some tens of milliseconds and up to about 50 MB, which do not count against the memory limit; a violation in a
/// program of ordinary size is within it.
const SHORTEST_STATES: usize = 50_000;

/// In the search for a shortest counterexample, buffers hold as many writes as the first one found has steps, so that it
/// is shortest among all executions, not only among those within the cap at which a violation was found; but no more
/// than this many, which a counterexample that a person can read does not need.
const SHORTEST_CAPACITY: u32 = 16;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn about(&self) -> &'static str {
        "forward search over the reachable states, with store buffers up to a cap"
    }

    fn knows_extensions(&self) -> bool {
        true
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        fencewright_packed::supports(task)
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        with_growing_buffers(task, &mut |capacity| check_at(task, capacity, context))
    }
}

impl OutcomeEngine for Explicit {
    fn outcomes(
        &self,
        task: &Task<'_>,
        query: &OutcomeQuery<'_>,
        context: &mut Context<'_>,
    ) -> Result<(BTreeMap<Vec<Int>, Trace>, Guarantee), Unknown> {
        // Every outcome is wanted, so there is nothing to gain from small caps if the largest buffer is known.
        let capacities: Vec<u32> = match write_bound(task.program) {
            Some(bound) if task.options.buffer.is_none() => vec![bound.max(1)],
            _ => capacities(task).collect(),
        };
        let mut explored = None;
        for capacity in capacities {
            let bounds = || Bounds { buffer: Some(capacity as usize), ..Bounds::default() };
            match outcomes_at(task, capacity, query, context) {
                Ok((outcomes, true)) => return Ok((outcomes, Guarantee::Unbounded)),
                Ok((outcomes, false)) => explored = Some((outcomes, Guarantee::UpTo(bounds()))),
                Err(Ended::Stopped(stop)) => {
                    let explored =
                        explored.map(|(_, guarantee)| guarantee).and_then(|guarantee| match guarantee {
                            Guarantee::UpTo(bounds) => Some(bounds),
                            Guarantee::Unbounded => None,
                        });
                    return Err(Unknown::Stopped { stop, explored });
                }
                Err(Ended::Unsupported(feature)) => {
                    return explored.ok_or_else(|| unsupported(feature));
                }
            }
        }
        Ok(explored.expect("at least one cap was tried"))
    }
}

fn check_at(task: &Task<'_>, capacity: u32, context: &mut Context<'_>) -> Result<Checked, Ended> {
    let mut job = CheckJob { task, capacity, context };
    let found = at_width(task.program, first_options(task, capacity), &[], &mut job)?;
    let Checked::Violated(trace) = found else { return Ok(found) };
    if task.model == Model::Sc && !task.options.reduction {
        // The plain graph was searched in breadth, and no write is delayed: nothing is shorter.
        context.statistics.shortest = true;
        return Ok(Checked::Violated(trace));
    }
    let steps = trace.actions.iter().filter(|action| !matches!(action, Action::Flush { .. })).count() as u32;
    // The statistics are those of the search that decided; this one only makes its answer shorter.
    let states = usize::try_from(context.statistics.states).unwrap_or(usize::MAX);
    let mut job = ShortestJob {
        max_states: states.saturating_mul(4).clamp(SHORTEST_STATES, 6 * SHORTEST_STATES),
        context,
    };
    let options = CompileOptions {
        // Whoever bounds the buffers wants no execution past the bound.
        capacity: if task.options.buffer.is_some() {
            capacity
        } else {
            capacity.max(steps.min(SHORTEST_CAPACITY))
        },
        forget: false,
        reduction: false,
        ..first_options(task, capacity)
    };
    // Open values that do not matter are not left out of the plain graph, so it may be unsupported where the reduced
    // one was not; then the first trace must do.
    match at_width(task.program, options, &[], &mut job) {
        Ok(Some((shorter, is_shortest))) => {
            context.statistics.shortest = is_shortest;
            Ok(Checked::Violated(shorter))
        }
        Ok(None) | Err(_) => Ok(Checked::Violated(trace)),
    }
}

struct CheckJob<'a, 'c> {
    task: &'a Task<'a>,
    capacity: u32,
    context: &'a mut Context<'c>,
}

impl Job for CheckJob<'_, '_> {
    type Output = Checked;

    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Checked, Ended>, Interrupt> {
        let system = PackedSystem::new(compiled);
        let system = &system;
        // The plain graph is walked to its end, so that its size is known.
        let stop_at_goal = self.task.options.reduction;
        let jobs = self.task.options.jobs.get();
        let mut found = explore::<W>(system, self.task, self.capacity, jobs, stop_at_goal, self.context);
        if found.goals.is_empty() {
            let exact = !found.workers.iter().any(|worker| worker.met_capacity);
            return match found.end {
                End::Complete | End::Goal => Ok(Ok(Checked::Holds { exact })),
                End::Stopped(stop) => Ok(Err(Ended::Stopped(stop))),
                End::Interrupted(interrupt) => Err(interrupt),
            };
        }
        if let End::Interrupted(interrupt) = found.end {
            return Err(interrupt);
        }
        if jobs > 1 {
            // Which parent a state has depends on who came first; one thread always finds the same. The statistics are
            // those of the whole walk.
            let statistics = self.context.statistics.clone();
            found = explore::<W>(system, self.task, self.capacity, 1, true, self.context);
            self.context.statistics = statistics;
            if let End::Interrupted(interrupt) = found.end {
                return Err(interrupt);
            }
        }
        let Some(Found { state, by_transition }) = found.nearest_goal() else {
            // Alone it took longer than the budget allows; the violation stands, but there is no trace of it.
            let End::Stopped(stop) = found.end else {
                unreachable!("a search by one thread finds what two found")
            };
            return Ok(Err(Ended::Stopped(stop)));
        };
        let mut worker = system.new_worker();
        let trace = trace_along(system, &mut worker, &found.path_to(state), by_transition)?;
        Ok(Ok(Checked::Violated(trace)))
    }
}

struct ShortestJob<'a, 'c> {
    max_states: usize,
    context: &'a Context<'c>,
}

impl Job for ShortestJob<'_, '_> {
    type Output = Option<(Trace, bool)>;

    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Self::Output, Ended>, Interrupt> {
        let system = PackedSystem::new(compiled);
        shortest::<W>(&system, self.max_states, &self.context.meter).map(Ok)
    }
}

fn outcomes_at(
    task: &Task<'_>,
    capacity: u32,
    query: &OutcomeQuery<'_>,
    context: &mut Context<'_>,
) -> Result<(BTreeMap<Vec<Int>, Trace>, bool), Ended> {
    // The property itself must not end the search: all its outcomes are wanted.
    let program = Program { properties: Vec::new(), ..task.program.clone() };
    let task = Task { program: &program, ..task.clone() };
    let mut observed = query.observed.to_vec();
    if let Some(filter) = query.filter {
        filter.expr.for_each_atom(&mut |atom| observed.push(atom.clone()));
    }
    let mut job = OutcomeJob { task: &task, capacity, query, context };
    at_width(&program, first_options(&task, capacity), &observed, &mut job)
}

struct OutcomeJob<'a, 'c> {
    task: &'a Task<'a>,
    capacity: u32,
    query: &'a OutcomeQuery<'a>,
    context: &'a mut Context<'c>,
}

impl Job for OutcomeJob<'_, '_> {
    type Output = (BTreeMap<Vec<Int>, Trace>, bool);

    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Self::Output, Ended>, Interrupt> {
        let system = PackedSystem::new(compiled);
        let system = &system;
        // A step that violates at once must not hide the outcomes of other executions.
        let found = match explore_all::<W>(system, self.task, self.capacity, self.context)? {
            Ok(found) => found,
            Err(ended) => return Ok(Err(ended)),
        };
        let mut worker = system.new_worker();
        let filter = self.query.filter.map(|filter| StateCode::new(&filter.expr));
        let mut outcomes = BTreeMap::new();
        for at in found.states() {
            let state = found.state(at);
            if !system.is_final(state) {
                continue;
            }
            if filter.as_ref().is_some_and(|filter| !system.holds(&mut worker, state, filter)) {
                continue;
            }
            let values: Vec<Int> =
                (self.query.observed.iter()).map(|atom| system.value(&mut worker, state, atom)).collect();
            if let Entry::Vacant(new) = outcomes.entry(values) {
                new.insert(trace_along(system, &mut worker, &found.path_to(at), false)?);
            }
        }
        let exact = !found.workers.iter().any(|worker| worker.met_capacity);
        Ok(Ok((outcomes, exact)))
    }
}

/// Searches to the end, whatever violates a property on the way.
pub(crate) fn explore_all<'s, const W: usize>(
    system: &'s PackedSystem<'_>,
    task: &Task<'_>,
    capacity: u32,
    context: &mut Context<'_>,
) -> Result<Result<Search<W, &'s PackedSystem<'s>>, Ended>, Interrupt> {
    let found = explore::<W>(system, task, capacity, task.options.jobs.get(), false, context);
    match found.end {
        End::Complete | End::Goal => Ok(Ok(found)),
        End::Stopped(stop) => Ok(Err(Ended::Stopped(stop))),
        End::Interrupted(interrupt) => Err(interrupt),
    }
}

/// Searches, and keeps the statistics.
fn explore<'s, const W: usize>(
    system: &'s PackedSystem<'_>,
    task: &Task<'_>,
    capacity: u32,
    jobs: usize,
    stop_at_goal: bool,
    context: &mut Context<'_>,
) -> Search<W, &'s PackedSystem<'s>> {
    let phase = if task.model.queues_writes() {
        format!("{}, buffers up to {capacity}", task.model.name())
    } else {
        task.model.name().to_owned()
    };
    let progress = context.progress;
    let report = |states: u64, frontier: u64, bytes: u64| {
        progress(Progress { phase: &phase, states, frontier, bytes })
    };
    let config = SearchConfig { jobs, stop_at_goal, meter: &context.meter, progress: &report };
    let found = search::<W, &PackedSystem<'_>>(&system, &config);
    let statistics = &mut context.statistics;
    statistics.states = found.n_states();
    if !task.options.reduction {
        let errors: BTreeSet<u128> =
            found.workers.iter().flat_map(|worker| worker.error_states.iter().copied()).collect();
        statistics.error_states = Some(errors.len() as u64);
        statistics.states += errors.len() as u64;
        statistics.deadlocks = Some(found.workers.iter().map(|worker| worker.deadlocks).sum());
    }
    statistics.transitions = found.transitions;
    statistics.peak_bytes = statistics.peak_bytes.max(found.peak_bytes);
    statistics.state_bits = system.compiled.bits;
    statistics.state_bytes = W * size_of::<u64>();
    statistics.buffer_bound = task.model.queues_writes().then_some(capacity as usize);
    let longest = found.workers.iter().map(|worker| worker.longest as usize).max().unwrap_or(0);
    statistics.longest_buffer = statistics.longest_buffer.max(longest);
    found
}
