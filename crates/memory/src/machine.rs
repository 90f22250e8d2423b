//! The machine: what is common to all models. Rules G-1 to G-12 of `docs/semantics.md`.

use fencewright_base::{Index, IndexVec, Int};
use fencewright_ir::{
    Addr, CellId, ChannelId, Domain, Edge, EdgeId, Expr, Init, LocId, Op, Outside, Program, Property,
    Quantifier, RegExpr, RegId, StateAtom, Sync, Target, ThreadId,
};

use crate::models::Made;
use crate::{Action, Event, Fault, InitialChoices, Model, ReadFrom, State, Violation, WriteTo};

/// A program under a memory model. The program must be valid ([`fencewright_ir::validate`]).
#[derive(Debug, Clone)]
pub struct Machine<'p> {
    program: &'p Program,
    model: Model,
    outgoing: IndexVec<ThreadId, IndexVec<LocId, Vec<EdgeId>>>,
}

/// What becomes of an action in a state.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It is not enabled.
    Blocked,
    /// It leads to this state, and did this on the way.
    Next(Box<State>, Vec<Event>),
    /// It violates the properties at once, having done this on the way.
    Violates(Violation, Vec<Event>),
}

/// There are too many initial states or successors to list: an open value has no bound, or its range is past the
/// limit asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a value is chosen from a domain too large to enumerate")]
pub struct NotEnumerable;

/// Why a step went no further.
enum Halt {
    Blocked,
    Violates(Violation),
}

impl<'p> Machine<'p> {
    /// The program under the model.
    pub fn new(program: &'p Program, model: Model) -> Self {
        let outgoing = program.threads.iter().map(|thread| thread.outgoing()).collect();
        Self { program, model, outgoing }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// G-1: an initial state. Threads stand at their entries, nothing is pending, cells and registers have their
    /// initial values, or those chosen where any is allowed. `None` if a choice lies outside its domain.
    pub fn initial(&self, choices: &InitialChoices) -> Option<State> {
        fn value(domain: &Domain, init: &Init, chosen: Option<&Int>) -> Option<Int> {
            match (init, chosen) {
                (Init::Value(value), _) => Some(value.clone()),
                (Init::Any, None) => Some(domain.default_value()),
                (Init::Any, Some(value)) => domain.contains(value).then(|| value.clone()),
            }
        }
        let memory: Option<Vec<Int>> = self
            .program
            .cells()
            .map(|(cell, domain, init)| value(domain, init, choices.cells.get(&cell)))
            .collect();
        let registers: Option<Vec<IndexVec<RegId, Int>>> = (self.program.threads.iter_enumerated())
            .map(|(t, thread)| {
                let of = |(r, reg): (RegId, &fencewright_ir::Register)| {
                    value(&reg.domain, &reg.init, choices.registers.get(&(t, r)))
                };
                thread.regs.iter_enumerated().map(of).collect()
            })
            .collect();
        Some(State {
            locations: self.program.threads.iter().map(|thread| thread.entry).collect(),
            registers: registers?.into(),
            memory: memory?.into(),
            pending: self.program.threads.iter().map(|_| self.model.nothing_pending()).collect(),
        })
    }

    /// All initial states with the choices that give them, if they are at most `limit`.
    pub fn initial_states(&self, limit: usize) -> Result<Vec<(InitialChoices, State)>, NotEnumerable> {
        let mut all = vec![InitialChoices::default()];
        let mut extend = |domain: &Domain, set: &dyn Fn(&mut InitialChoices, Int)| {
            let values = values(domain, limit)?;
            if all.len().saturating_mul(values.len()) > limit {
                return Err(NotEnumerable);
            }
            let with = |choices: &InitialChoices, value: &Int| {
                let mut choices = choices.clone();
                set(&mut choices, value.clone());
                choices
            };
            all =
                all.iter().flat_map(|choices| values.iter().map(move |value| with(choices, value))).collect();
            Ok(())
        };
        for (cell, domain, init) in self.program.cells() {
            if *init == Init::Any {
                extend(domain, &|choices, value| {
                    choices.cells.insert(cell, value);
                })?;
            }
        }
        for (t, thread) in self.program.threads.iter_enumerated() {
            for (r, reg) in thread.regs.iter_enumerated() {
                if reg.init == Init::Any {
                    extend(&reg.domain, &|choices, value| {
                        choices.registers.insert((t, r), value);
                    })?;
                }
            }
        }
        let state = |choices: InitialChoices| {
            let state = self.initial(&choices).expect("every choice was taken from its domain");
            (choices, state)
        };
        Ok(all.into_iter().map(state).collect())
    }

    /// All enabled actions: steps by thread and edge, each rendezvous where its sender stands, then flushes. Actions that
    /// violate a property are among them. `limit` bounds the values one `Havoc` may try.
    pub fn actions(&self, state: &State, limit: usize) -> Result<Vec<Action>, NotEnumerable> {
        if !self.model.is_operational() {
            return Err(NotEnumerable);
        }
        let mut actions = Vec::new();
        for (thread, &loc) in state.locations.iter_enumerated() {
            for &edge in &self.outgoing[thread][loc] {
                match self.program.edge(thread, edge).step.sync() {
                    None => {
                        for choices in self.havoc_choices(thread, edge, limit)? {
                            actions.push(Action::Step { thread, edge, choices });
                        }
                    }
                    Some(Sync::Sends(channel)) => {
                        actions.extend(self.receivers(state, channel).map(|(receiver, receive)| {
                            Action::Rendezvous { sender: thread, send: edge, receiver, receive }
                        }));
                    }
                    Some(Sync::Receives(_)) => {}
                }
            }
        }
        for (thread, pending) in state.pending.iter_enumerated() {
            actions
                .extend(pending.rules().flushable().into_iter().map(|cell| Action::Flush { thread, cell }));
        }
        actions.retain(|action| self.perform(state, action) != Outcome::Blocked);
        Ok(actions)
    }

    /// The edges that receive from the channel, out of where their threads stand.
    fn receivers(&self, state: &State, channel: ChannelId) -> impl Iterator<Item = (ThreadId, EdgeId)> {
        let edges = state
            .locations
            .iter_enumerated()
            .flat_map(|(thread, &loc)| self.outgoing[thread][loc].iter().map(move |&edge| (thread, edge)));
        edges.filter(move |&(thread, edge)| {
            self.program.edge(thread, edge).step.sync() == Some(Sync::Receives(channel))
        })
    }

    fn havoc_choices(
        &self,
        thread: ThreadId,
        edge: EdgeId,
        limit: usize,
    ) -> Result<Vec<Vec<Int>>, NotEnumerable> {
        let mut all = vec![Vec::new()];
        for op in &self.program.edge(thread, edge).step.ops {
            if let Op::Havoc { dst } = op {
                let values = values(&self.program.threads[thread].regs[*dst].domain, limit)?;
                all = all
                    .iter()
                    .flat_map(|prefix| {
                        values.iter().map(move |value| [&prefix[..], std::slice::from_ref(value)].concat())
                    })
                    .collect();
            }
        }
        Ok(all)
    }

    /// What becomes of the action in the state. An action that names a thread, edge or choice that does not exist is
    /// not enabled.
    pub fn perform(&self, state: &State, action: &Action) -> Outcome {
        if self.must_wait(state, action) {
            return Outcome::Blocked;
        }
        match action {
            Action::Flush { thread, cell } => self.flush(state, *thread, *cell),
            Action::Step { thread, edge, choices } => self.step(state, *thread, *edge, (choices, None)),
            Action::Ahead { thread, edge, choices, guesses } => {
                self.step(state, *thread, *edge, (choices, Some(guesses)))
            }
            Action::Late { thread, step } => self.late(state, *thread, *step),
            Action::Rendezvous { sender, send, receiver, receive } => {
                self.rendezvous(state, (*sender, *send), (*receiver, *receive))
            }
        }
    }

    /// G-12: while a thread stands at a committed location, nothing happens but what such a thread takes part in.
    fn must_wait(&self, state: &State, action: &Action) -> bool {
        let committed = |thread: ThreadId| {
            let locations = self.program.threads.get(thread).map(|thread| &thread.locations);
            locations.is_some_and(|locations| locations[state.locations[thread]].committed)
        };
        state.locations.indices().any(committed) && !action.edges().any(|(thread, _)| committed(thread))
    }

    /// Rule *-3: a pending write goes to memory.
    fn flush(&self, state: &State, thread: ThreadId, cell: CellId) -> Outcome {
        let may =
            state.pending.get(thread).is_some_and(|pending| pending.rules().flushable().contains(&cell));
        if !may {
            return Outcome::Blocked;
        }
        let mut next = state.clone();
        next.pending[thread].rules_mut().flush(&mut next.memory, cell);
        Outcome::Next(Box::new(next), Vec::new())
    }

    /// Rule RMO-3: what a step made ahead reads is performed.
    fn late(&self, state: &State, thread: ThreadId, step: u32) -> Outcome {
        if state.pending.get(thread).is_none() {
            return Outcome::Blocked;
        }
        let mut next = state.clone();
        let State { memory, pending, .. } = &mut next;
        let events = pending[thread].rules_mut().late(memory, step);
        events.map_or(Outcome::Blocked, |events| Outcome::Next(Box::new(next), events))
    }

    /// The edge, if the thread stands at its source.
    fn edge_from(&self, state: &State, thread: ThreadId, edge: EdgeId) -> Option<&'p Edge> {
        let found = self.program.threads.get(thread)?.edges.get(edge)?;
        (state.locations[thread] == found.from).then_some(found)
    }

    /// G-2: a thread that stands at the source of an edge executes the edge's micro-operations in order, without
    /// interleaving, and stands at its target then. If one of them is not enabled, the step is not.
    fn step(
        &self,
        state: &State,
        thread: ThreadId,
        edge: EdgeId,
        (choices, guesses): (&[Int], Option<&Vec<Int>>),
    ) -> Outcome {
        let Some(found) = self.edge_from(state, thread, edge) else { return Outcome::Blocked };
        if found.step.sync().is_some() {
            return Outcome::Blocked;
        }
        let mut run = StepRun::new(self.program, state.clone(), (thread, edge, found), choices);
        if let Some(guesses) = guesses {
            if !run.next.pending[thread].rules_mut().look_ahead() {
                return Outcome::Blocked;
            }
            run.guesses = Some(guesses.iter());
        }
        let failed = match run.run() {
            Err(Halt::Blocked) => return Outcome::Blocked,
            Ok(()) if run.choices.len() > 0 => return Outcome::Blocked,
            Ok(()) => None,
            Err(Halt::Violates(violation)) => Some(violation),
        };
        if run.guesses.is_some_and(|guesses| guesses.len() > 0) {
            return Outcome::Blocked;
        }
        let (mut next, events) = (run.next, run.events);
        let made = Made {
            program: self.program,
            thread,
            step: &found.step,
            events: &events,
            failed: failed.as_ref(),
        };
        if !next.pending[thread].rules_mut().made(made) {
            return Outcome::Blocked;
        }
        let Some(violation) = failed else { return Outcome::Next(Box::new(next), events) };
        if !next.pending.iter().any(|pending| pending.rules().guesses()) {
            return Outcome::Violates(violation, events);
        }
        // Rule RMO-7: it counts when all guesses have come true. Of the step only its reads have happened.
        let pending = next.pending;
        Outcome::Next(Box::new(State { pending, ..state.clone() }), events)
    }

    /// G-11: two threads move together. Both look at the state before; then the values pass; then the sender does what
    /// is left of its step, and the receiver what is left of its own.
    fn rendezvous(&self, state: &State, sends: (ThreadId, EdgeId), receives: (ThreadId, EdgeId)) -> Outcome {
        let found = (self.edge_from(state, sends.0, sends.1), self.edge_from(state, receives.0, receives.1));
        let (Some(send), Some(receive)) = found else { return Outcome::Blocked };
        let fit = matches!((send.step.sync(), receive.step.sync()),
            (Some(Sync::Sends(channel)), Some(Sync::Receives(same))) if channel == same);
        if !fit || sends.0 == receives.0 || !self.model.is_operational() {
            return Outcome::Blocked;
        }
        let mut run = StepRun::new(self.program, state.clone(), (sends.0, sends.1, send), &[]);
        match run.run_with((receives.0, receives.1, receive)) {
            Ok(()) => Outcome::Next(Box::new(run.next), run.events),
            Err(Halt::Blocked) => Outcome::Blocked,
            Err(Halt::Violates(violation)) => Outcome::Violates(violation, run.events),
        }
    }

    /// Whether all threads have ended and nothing is pending.
    pub fn is_final(&self, state: &State) -> bool {
        let ended = |(thread, &loc): (ThreadId, &LocId)| self.outgoing[thread][loc].is_empty();
        state.locations.iter_enumerated().all(ended)
            && state.pending.iter().all(|pending| pending.rules().is_empty())
    }

    /// G-9: the first property that the state violates.
    pub fn violation(&self, state: &State) -> Option<Violation> {
        // Rule RMO-7.
        if state.pending.iter().any(|pending| pending.rules().guesses()) {
            return None;
        }
        if let Some(failed) = state.pending.iter().find_map(|pending| pending.rules().failed()) {
            return Some(failed.clone());
        }
        let holds = |expr: &Expr<StateAtom>| {
            // A condition without a value (a division by zero) does not hold.
            expr.eval(&mut |atom| self.value_of(state, atom)).is_ok_and(|value| value.is_true())
        };
        let violated = |property: &Property| match property {
            Property::Forbidden(forbidden) => {
                state.locations.iter_enumerated().all(|(thread, &loc)| forbidden.at[thread].contains(loc))
            }
            Property::Invariant(condition) => !holds(&condition.expr),
            Property::Final { quantifier, condition, filter, observed: _ } => {
                self.is_final(state)
                    && filter.as_ref().is_none_or(|filter| holds(&filter.expr))
                    && match quantifier {
                        Quantifier::Exists | Quantifier::NotExists => holds(&condition.expr),
                        Quantifier::Forall => !holds(&condition.expr),
                    }
            }
            // No state violates it; an execution that never ends may.
            Property::Temporal(_) => false,
        };
        self.program.properties.iter().position(violated).map(Violation::Property)
    }

    /// The value of a part of a state.
    pub fn value_of(&self, state: &State, atom: &StateAtom) -> Int {
        match *atom {
            StateAtom::Register(thread, reg) => state.registers[thread][reg].clone(),
            StateAtom::Cell(cell) => state.memory[cell].clone(),
            StateAtom::At(thread, loc) => Int::from(state.locations[thread] == loc),
        }
    }
}

/// An edge with its thread and number.
type Taken<'a> = (ThreadId, EdgeId, &'a Edge);

/// A step being made, or two that are made together.
struct StepRun<'a> {
    program: &'a Program,
    next: State,
    /// Who is at it.
    thread: ThreadId,
    edge_id: EdgeId,
    edge: &'a Edge,
    choices: std::slice::Iter<'a, Int>,
    /// The values of its reads, if it is made ahead of them.
    guesses: Option<std::slice::Iter<'a, Int>>,
    events: Vec<Event>,
}

impl<'a> StepRun<'a> {
    fn new(program: &'a Program, next: State, taken: Taken<'a>, choices: &'a [Int]) -> Self {
        let (thread, edge_id, edge) = taken;
        Self {
            program,
            next,
            thread,
            edge_id,
            edge,
            choices: choices.iter(),
            guesses: None,
            events: Vec::new(),
        }
    }

    fn run(&mut self) -> Result<(), Halt> {
        // Rule *-6: a locked step begins only when its thread's pending writes allow it.
        if let Some(lock) = self.edge.step.lock
            && !self.next.pending[self.thread].rules().may_lock(lock)
        {
            return Err(Halt::Blocked);
        }
        for op in &self.edge.step.ops {
            self.op(op)?;
        }
        self.arrive();
        Ok(())
    }

    /// G-11, for the sender's edge, which this was made for, and the receiver's.
    fn run_with(&mut self, receiver: Taken<'a>) -> Result<(), Halt> {
        let sender = (self.thread, self.edge_id, self.edge);
        self.turn_to(sender);
        let (before_send, sent, after_send) = split_at_sync(sender.2);
        before_send.iter().try_for_each(|op| self.op(op))?;
        let Op::Send { values, .. } = sent else { return Err(Halt::Blocked) };
        let values = values.iter().map(|value| self.eval(value)).collect::<Result<Vec<Int>, Halt>>()?;
        self.turn_to(receiver);
        let (before_receive, received, after_receive) = split_at_sync(receiver.2);
        before_receive.iter().try_for_each(|op| self.op(op))?;
        let Op::Receive { targets, .. } = received else { return Err(Halt::Blocked) };
        for (target, value) in targets.iter().zip(values) {
            match target {
                Target::Register(reg) => self.assign(*reg, value)?,
                Target::Memory(addr) => {
                    let cell = self.cell(addr)?;
                    self.write(cell, value)?;
                }
            }
        }
        self.turn_to(sender);
        after_send.iter().try_for_each(|op| self.op(op))?;
        self.arrive();
        self.turn_to(receiver);
        after_receive.iter().try_for_each(|op| self.op(op))?;
        self.arrive();
        Ok(())
    }

    fn turn_to(&mut self, (thread, edge_id, edge): Taken<'a>) {
        (self.thread, self.edge_id, self.edge) = (thread, edge_id, edge);
        self.events.push(Event::By(thread));
    }

    /// The thread stands at the edge's target; G-10: its scratch registers have their initial values again.
    fn arrive(&mut self) {
        self.next.locations[self.thread] = self.edge.to;
        for (id, reg) in self.program.threads[self.thread].regs.iter_enumerated() {
            if reg.scratch
                && let Init::Value(value) = &reg.init
            {
                self.next.registers[self.thread][id] = value.clone();
            }
        }
    }

    fn op(&mut self, op: &Op) -> Result<(), Halt> {
        match op {
            // G-3: a read loads what the model's rule *-1 shows the thread.
            Op::Read { dst, addr } => {
                let cell = self.cell(addr)?;
                let own = self.next.pending[self.thread].rules().newest(cell);
                let (value, from) = match (own, &mut self.guesses) {
                    (Some(own), _) => (own.clone(), ReadFrom::OwnPending),
                    (None, None) => (self.next.memory[cell].clone(), ReadFrom::Memory),
                    (None, Some(guesses)) => (guesses.next().ok_or(Halt::Blocked)?.clone(), ReadFrom::Later),
                };
                self.events.push(Event::Read { cell, value: value.clone(), from });
                self.set_register(*dst, value)
            }
            // G-4: a write stores by the model's rule *-2, or *-6 in a locked step.
            Op::Write { addr, value } => {
                let cell = self.cell(addr)?;
                let value = self.eval(value)?;
                self.write(cell, value)
            }
            // G-5: an assignment computes on registers.
            Op::Assign { dst, value } => {
                let value = self.eval(value)?;
                self.assign(*dst, value)
            }
            // G-6: a guard is enabled when it is true; an assertion that is false violates.
            Op::Guard(condition) => {
                if self.eval(condition)?.is_true() {
                    Ok(())
                } else {
                    Err(Halt::Blocked)
                }
            }
            Op::Assert(condition) => {
                if self.eval(condition)?.is_true() {
                    Ok(())
                } else {
                    Err(Halt::Violates(Violation::Assertion { thread: self.thread, edge: self.edge_id }))
                }
            }
            // G-7: a havoc gives any value of the register's domain.
            Op::Havoc { dst } => {
                let value = self.choices.next().ok_or(Halt::Blocked)?.clone();
                if !self.program.threads[self.thread].regs[*dst].domain.contains(&value) {
                    return Err(Halt::Blocked);
                }
                self.events.push(Event::Assign { reg: *dst, value: value.clone() });
                self.set_register(*dst, value)
            }
            // Rules *-4 and *-5.
            Op::Fence(kind) => {
                let passed = self.next.pending[self.thread].rules_mut().fence(*kind);
                if passed { Ok(()) } else { Err(Halt::Blocked) }
            }
            // G-11: only together with its counterpart, which `run_with` does.
            Op::Send { .. } | Op::Receive { .. } => Err(Halt::Blocked),
        }
    }

    fn write(&mut self, cell: CellId, value: Int) -> Result<(), Halt> {
        let var = &self.program.vars[self.program.variable_of(cell).0];
        let value = var.domain.admit(value).ok_or(Halt::Blocked)?;
        let State { memory, pending, .. } = &mut self.next;
        let rules = pending[self.thread].rules_mut();
        match self.edge.step.lock {
            // G-10: a direct variable is never pending.
            _ if var.direct => memory[cell] = value.clone(),
            None => rules.write(memory, cell, value.clone()),
            Some(_) => rules.locked_write(memory, cell, value.clone()),
        }
        let to = if rules.newest(cell).is_some() { WriteTo::Pending } else { WriteTo::Memory };
        self.events.push(Event::Write { cell, value, to });
        Ok(())
    }

    fn assign(&mut self, reg: RegId, value: Int) -> Result<(), Halt> {
        self.set_register(reg, value)?;
        let value = self.next.registers[self.thread][reg].clone();
        self.events.push(Event::Assign { reg, value });
        Ok(())
    }

    /// G-8: the cell an address stands for. In a locked step the model may still make it wait (rule *-6).
    fn cell(&self, addr: &Addr) -> Result<CellId, Halt> {
        let cell = match addr {
            Addr::Cell(cell) => *cell,
            Addr::Indexed { first, len, index, outside } => {
                let index = self.eval(index)?;
                match index.to_i64() {
                    Some(i) if (0..i64::from(*len)).contains(&i) => CellId::new(first.index() + i as usize),
                    _ => {
                        return Err(match outside {
                            Outside::Blocks => Halt::Blocked,
                            Outside::Faults => self.fault(Fault::Index(index)),
                        });
                    }
                }
            }
        };
        let waits = self.edge.step.lock.is_some()
            && !self.program.is_direct(cell)
            && !self.next.pending[self.thread].rules().may_touch_locked(cell);
        if waits { Err(Halt::Blocked) } else { Ok(cell) }
    }

    fn eval(&self, expr: &RegExpr) -> Result<Int, Halt> {
        let registers = &self.next.registers[self.thread];
        expr.eval(&mut |reg: &RegId| registers[*reg].clone())
            .map_err(|error| self.fault(Fault::Arithmetic(error)))
    }

    /// A value outside a range blocks the step; a machine integer wraps.
    fn set_register(&mut self, reg: RegId, value: Int) -> Result<(), Halt> {
        let domain = &self.program.threads[self.thread].regs[reg].domain;
        self.next.registers[self.thread][reg] = domain.admit(value).ok_or(Halt::Blocked)?;
        Ok(())
    }

    fn fault(&self, fault: Fault) -> Halt {
        Halt::Violates(Violation::Fault { thread: self.thread, edge: self.edge_id, fault })
    }
}

/// The micro-operations before the one that sends or receives, that one, and those behind it. The edge must have one.
fn split_at_sync(edge: &Edge) -> (&[Op], &Op, &[Op]) {
    let is_sync = |op: &Op| matches!(op, Op::Send { .. } | Op::Receive { .. });
    let at = edge.step.ops.iter().position(is_sync).expect("internal error: the edge sends or receives");
    (&edge.step.ops[..at], &edge.step.ops[at], &edge.step.ops[at + 1..])
}

/// The values of a domain, if they are at most `limit`.
fn values(domain: &Domain, limit: usize) -> Result<Vec<Int>, NotEnumerable> {
    let (lo, hi) = domain.bounds().ok_or(NotEnumerable)?;
    let count = hi.sub(&lo).add(&Int::ONE).to_i64().ok_or(NotEnumerable)?;
    if usize::try_from(count).map_err(|_| NotEnumerable)? > limit {
        return Err(NotEnumerable);
    }
    Ok((0..count).map(|i| lo.add(&Int::from(i))).collect())
}
