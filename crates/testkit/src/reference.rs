//! The oracle: plain exploration of the reference semantics, breadth first, without reductions, packing or threads.
//!
//! Store buffers are bounded by a cap: a step that would leave more than `buffer` writes pending in one queue is not
//! taken, and [`Exploration::met_cap`] says that this happened. If it did not, the exploration is exact. Models that
//! keep at most one write pending for each cell need no cap and never meet it.
//!
//! The whole graph is built, past violating states too, because outcomes and counts are those of the whole graph.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use fencewright_base::{Int, Meter, Stop};
use fencewright_engine::{
    Bounds, Context, Engine, Feature, Guarantee, OutcomeEngine, OutcomeQuery, Task, Unknown, Verdict,
};
use fencewright_ir::{CellId, Init, Op, Program};
use fencewright_memory::{
    Action, Event, InitialChoices, Machine, NotEnumerable, Outcome, Pending, State, Trace, WriteTo, by_thread,
};

/// How far an exploration goes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most writes that may be pending in one queue.
    pub buffer: usize,
    /// The most initial states, and the most values one `Havoc` may try.
    pub values: usize,
}

impl Limits {
    /// Buffers up to `buffer`; 4096 values for what is open.
    pub fn buffer(buffer: usize) -> Self {
        Self { buffer, values: 4096 }
    }
}

/// Why an exploration did not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halted {
    /// An open value has too many possibilities.
    NotEnumerable,
    /// A budget was spent.
    Stopped(Stop),
}

impl From<NotEnumerable> for Halted {
    fn from(NotEnumerable: NotEnumerable) -> Self {
        Halted::NotEnumerable
    }
}

impl From<Stop> for Halted {
    fn from(stop: Stop) -> Self {
        Halted::Stopped(stop)
    }
}

/// The reachable graph.
#[derive(Debug)]
pub struct Exploration {
    /// All reachable states.
    pub states: Vec<Rc<State>>,
    /// Actions enabled in them within the cap, those that violate a property at once among them.
    pub transitions: u64,
    /// Whether the cap kept a step from being taken: if so, there may be more.
    pub met_cap: bool,
    /// The most writes pending in one queue.
    pub longest_buffer: usize,
    /// A violating execution. None takes fewer steps; flushes are not counted.
    pub violation: Option<Trace>,
    links: Vec<Link>,
}

/// How a state is reached with the fewest steps.
#[derive(Debug)]
struct Link {
    steps: usize,
    from: Origin,
}

#[derive(Debug)]
enum Origin {
    Initial(InitialChoices),
    After(usize, Action),
}

/// Explores everything within the limits.
///
/// States are expanded in layers of equal numbers of steps: a flush leads to a state of the same layer, a step to one of
/// the next.
pub fn explore(machine: &Machine<'_>, limits: &Limits, meter: &Meter) -> Result<Exploration, Halted> {
    let mut search = Search {
        machine,
        meter,
        numbers: HashMap::new(),
        expanded: Vec::new(),
        layer: Vec::new(),
        next_layer: Vec::new(),
        best: None,
        graph: Exploration {
            states: Vec::new(),
            transitions: 0,
            met_cap: false,
            longest_buffer: 0,
            violation: None,
            links: Vec::new(),
        },
    };
    for (choices, state) in machine.initial_states(limits.values)? {
        search.reach(state, Link { steps: 0, from: Origin::Initial(choices) })?;
    }
    std::mem::swap(&mut search.layer, &mut search.next_layer);
    loop {
        while let Some(number) = search.layer.pop() {
            if !std::mem::replace(&mut search.expanded[number], true) {
                search.expand(number, limits)?;
            }
        }
        if search.next_layer.is_empty() {
            return Ok(search.graph);
        }
        std::mem::swap(&mut search.layer, &mut search.next_layer);
    }
}

struct Search<'m, 'p> {
    machine: &'m Machine<'p>,
    meter: &'m Meter,
    numbers: HashMap<Rc<State>, usize>,
    expanded: Vec<bool>,
    layer: Vec<usize>,
    next_layer: Vec<usize>,
    /// The steps of the violation found.
    best: Option<usize>,
    graph: Exploration,
}

impl Search<'_, '_> {
    fn expand(&mut self, number: usize, limits: &Limits) -> Result<(), Halted> {
        self.meter.tick()?;
        let state = Rc::clone(&self.graph.states[number]);
        let steps = self.graph.links[number].steps;
        for action in self.machine.actions(&state, limits.values)? {
            let outcome = self.machine.perform(&state, &action);
            if exceeds(self.machine, &state, &action, &outcome, limits.buffer) {
                self.graph.met_cap = true;
                continue;
            }
            self.graph.transitions += 1;
            let steps = steps + usize::from(!matches!(action, Action::Flush { .. }));
            match outcome {
                Outcome::Next(next, _) => {
                    self.reach(*next, Link { steps, from: Origin::After(number, action) })?;
                }
                Outcome::Violates(..) => {
                    if self.best.is_none_or(|best| steps < best) {
                        let mut trace = self.graph.trace_to(self.machine, number);
                        trace.actions.push(action);
                        (self.best, self.graph.violation) = (Some(steps), Some(trace));
                    }
                }
                Outcome::Blocked => {
                    panic!("internal error: the machine lists {action:?} and does not perform it")
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, state: State, link: Link) -> Result<(), Halted> {
        let steps = link.steps;
        let number = match self.numbers.get(&state) {
            Some(&known) if self.graph.links[known].steps <= steps => return Ok(()),
            Some(&known) => {
                self.graph.links[known] = link;
                known
            }
            None => {
                let number = self.graph.states.len();
                self.meter.store(number as u64 + 1)?;
                self.meter.hold((number as u64 + 1) * size_of::<State>() as u64)?;
                self.graph.longest_buffer = self.graph.longest_buffer.max(state.longest_buffer());
                let state = Rc::new(state);
                self.numbers.insert(Rc::clone(&state), number);
                self.graph.states.push(state);
                self.graph.links.push(link);
                self.expanded.push(false);
                number
            }
        };
        let from_this_layer = match self.graph.links[number].from {
            Origin::Initial(_) => false,
            Origin::After(before, _) => self.graph.links[before].steps == steps,
        };
        if from_this_layer {
            self.layer.push(number)
        } else {
            self.next_layer.push(number)
        }
        let violates = self.machine.violation(&self.graph.states[number]).is_some();
        if violates && self.best.is_none_or(|best| steps < best) {
            let trace = self.graph.trace_to(self.machine, number);
            (self.best, self.graph.violation) = (Some(steps), Some(trace));
        }
        Ok(())
    }
}

/// Whether the step leaves more writes pending in one queue than the cap allows.
pub(crate) fn exceeds(
    machine: &Machine<'_>,
    state: &State,
    action: &Action,
    outcome: &Outcome,
    cap: usize,
) -> bool {
    if !machine.model().queues_writes() {
        return false;
    }
    match outcome {
        Outcome::Blocked => false,
        Outcome::Next(next, _) => action.threads().any(|thread| next.pending[thread].rules().longest() > cap),
        // There is no state after the step to look at: with one queue for all cells every write it made counts, with
        // one for each cell those to the cell.
        Outcome::Violates(_, events) => action.threads().any(|thread| {
            let own = by_thread(action, events).filter(|(by, _)| *by == thread);
            let written: Vec<CellId> = own.filter_map(|(_, event)| pending_write(event)).collect();
            let rules = state.pending[thread].rules();
            let count = |cell| rules.count(cell) + written.iter().filter(|&&other| other == cell).count();
            match state.pending[thread] {
                Pending::Tso(_) => !written.is_empty() && rules.longest() + written.len() > cap,
                Pending::Sc(_) | Pending::Pso(_) | Pending::Slot(_) | Pending::Rmo(_) => {
                    written.iter().any(|&cell| count(cell) > cap)
                }
            }
        }),
    }
}

fn pending_write(event: &Event) -> Option<CellId> {
    match event {
        Event::Write { cell, to: WriteTo::Pending, .. } => Some(*cell),
        Event::Write { to: WriteTo::Memory, .. }
        | Event::Read { .. }
        | Event::Assign { .. }
        | Event::By(_) => None,
    }
}

impl Exploration {
    /// An execution that ends in the state of this number; none takes fewer steps.
    pub fn trace_to(&self, machine: &Machine<'_>, number: usize) -> Trace {
        let mut actions = Vec::new();
        let mut at = number;
        let initial = loop {
            match &self.links[at].from {
                Origin::Initial(choices) => break choices.clone(),
                Origin::After(before, action) => {
                    actions.push(action.clone());
                    at = *before;
                }
            }
        };
        actions.reverse();
        Trace { model: machine.model(), initial, actions, repeats_from: None }
    }

    /// The outcomes: for each the number of a final state that shows it.
    pub fn outcomes(&self, machine: &Machine<'_>, query: &OutcomeQuery<'_>) -> BTreeMap<Vec<Int>, usize> {
        let mut outcomes = BTreeMap::new();
        for (number, state) in self.states.iter().enumerate() {
            let counts = machine.is_final(state)
                && query.filter.is_none_or(|filter| {
                    let value = filter.expr.eval(&mut |atom| machine.value_of(state, atom));
                    value.is_ok_and(|value| value.is_true())
                });
            if counts {
                let values = query.observed.iter().map(|atom| machine.value_of(state, atom)).collect();
                outcomes.entry(values).or_insert(number);
            }
        }
        outcomes
    }

    /// How far an answer from this graph reaches.
    pub fn guarantee(&self, limits: &Limits) -> Guarantee {
        if self.met_cap {
            Guarantee::UpTo(Bounds { buffer: Some(limits.buffer), ..Bounds::default() })
        } else {
            Guarantee::Unbounded
        }
    }
}

/// The oracle as an engine, so that suites written for engines run on it.
#[derive(Debug, Copy, Clone)]
pub struct ReferenceEngine;

impl ReferenceEngine {
    /// The longest buffers it tries when the task does not say: past it the answer is bounded. Every program of the
    /// suites that has bounded buffers stays below.
    pub const LONGEST_BUFFER: usize = 6;

    /// Explores with growing caps until one is not met or the graph is `enough`.
    fn search(
        task: &Task<'_>,
        context: &mut Context<'_>,
        enough: impl Fn(&Exploration) -> bool,
    ) -> Result<(Exploration, Limits), Unknown> {
        let machine = Machine::new(task.program, task.model);
        let mut buffer = task.options.buffer.unwrap_or(1);
        let last = task.options.buffer.unwrap_or(Self::LONGEST_BUFFER);
        let mut explored = None;
        loop {
            let limits = Limits::buffer(buffer);
            let graph = explore(&machine, &limits, &context.meter).map_err(|halted| match halted {
                Halted::NotEnumerable => open_value(task.program),
                Halted::Stopped(stop) => Unknown::Stopped { stop, explored: explored.clone() },
            })?;
            context.statistics.states = graph.states.len() as u64;
            context.statistics.transitions = graph.transitions;
            context.statistics.longest_buffer = graph.longest_buffer;
            context.statistics.buffer_bound = task.model.queues_writes().then_some(buffer);
            context.statistics.shortest = !graph.met_cap;
            if !graph.met_cap || buffer == last || enough(&graph) {
                return Ok((graph, limits));
            }
            explored = Some(Bounds { buffer: Some(buffer), ..Bounds::default() });
            buffer += 1;
        }
    }
}

impl Engine for ReferenceEngine {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn about(&self) -> &'static str {
        "breadth-first exploration of the reference semantics, for tests"
    }

    fn knows_extensions(&self) -> bool {
        true
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unknown> {
        match Machine::new(task.program, task.model).initial_states(Limits::buffer(0).values) {
            Ok(_) => Ok(()),
            Err(NotEnumerable) => Err(open_value(task.program)),
        }
    }

    fn check(&self, task: &Task<'_>, context: &mut Context<'_>) -> Verdict {
        match Self::search(task, context, |graph| graph.violation.is_some()) {
            Err(unknown) => Verdict::Unknown(unknown),
            Ok((graph, limits)) => match graph.violation {
                Some(trace) => Verdict::Violated(trace),
                None => Verdict::Holds(graph.guarantee(&limits)),
            },
        }
    }
}

impl OutcomeEngine for ReferenceEngine {
    fn outcomes(
        &self,
        task: &Task<'_>,
        query: &OutcomeQuery<'_>,
        context: &mut Context<'_>,
    ) -> Result<(BTreeMap<Vec<Int>, Trace>, Guarantee), Unknown> {
        let (graph, limits) = Self::search(task, context, |_| false)?;
        let machine = Machine::new(task.program, task.model);
        let outcomes = graph.outcomes(&machine, query);
        let traces = outcomes.into_iter().map(|(values, number)| (values, graph.trace_to(&machine, number)));
        Ok((traces.collect(), graph.guarantee(&limits)))
    }
}

/// The first open value with too many possibilities, for the message.
fn open_value(program: &Program) -> Unknown {
    let values = Limits::buffer(0).values as u64;
    let small = |domain: &fencewright_ir::Domain| {
        domain.bounds().is_some_and(|(lo, hi)| hi.sub(&lo) < Int::from(values))
    };
    let var = program.vars.iter().find(|var| var.init.contains(&Init::Any) && !small(&var.domain));
    let reg = program.threads.iter().find_map(|thread| {
        let havoc = |reg| {
            let mut ops = thread.edges.iter().flat_map(|edge| &edge.step.ops);
            ops.any(|op| matches!(op, Op::Havoc { dst } if *dst == reg))
        };
        thread
            .regs
            .iter_enumerated()
            .find(|(id, reg)| (reg.init == Init::Any || havoc(*id)) && !small(&reg.domain))
    });
    let name = var.map(|var| var.name.clone()).or(reg.map(|(_, reg)| reg.name.clone()));
    // Several small open values can be too many together.
    let name = name.unwrap_or_else(|| "several variables together".to_owned());
    Unknown::Unsupported { feature: Feature::OpenValue(name), span: None }
}
