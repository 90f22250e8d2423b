//! From a run of the late machine to a trace of the concrete one.
//!
//! The late machine's memory has the same history. What differs is when a thread acts: it read late, so here its looks
//! are moved to the moments they looked at; and its other steps follow at once on the one before them. A write is flushed
//! when it reached the late machine's memory; one that the run does not follow is flushed just before the next one to the
//! cell that it does follow, or never.

use std::collections::VecDeque;

use fencewright_base::{Index, Int};
use fencewright_ir::{CellId, EdgeId, Init, ThreadId};
use fencewright_memory::{Action, InitialChoices, Machine, Outcome, State, Trace};

use crate::config::ANY;
use crate::label::{Cell, Label};
use crate::pre::{Move, Role};
use crate::search::Run;
use crate::system::{ANYWHERE, System};

/// The trace. It ends with the first violation; if the concrete machine cannot follow, with the action that it does not
/// allow, so that the gate rejects it: that would be a mistake of this engine.
pub(crate) fn realise(system: &System<'_>, run: &Run) -> Trace {
    let machine = Machine::new(system.program, system.model);
    let initial = initial_choices(system, run);
    let mut trace = Trace { model: system.model, initial, actions: Vec::new(), repeats_from: None };
    let Some(state) = machine.initial(&trace.initial) else { return trace };
    if machine.violation(&state).is_some() {
        return trace;
    }
    let threads = (0..system.n_threads()).map(|thread| Itinerary::new(system, run, thread)).collect();
    let mut replay = Replay { machine, state, actions: Vec::new(), threads };
    let _ended_early = replay.follow(system, run);
    trace.actions = replay.actions;
    trace
}

fn initial_choices(system: &System<'_>, run: &Run) -> InitialChoices {
    let mut choices = InitialChoices::default();
    for (cell, _, init) in system.program.cells() {
        let value = run.initial().memory[cell.index()];
        if *init == Init::Any && value != ANY {
            choices.cells.insert(cell, system.values.of(cell.index() as Cell)[value as usize].clone());
        }
    }
    for (thread, &node) in run.initial().nodes.iter().enumerate() {
        if node == ANYWHERE {
            continue;
        }
        let graph = &system.graphs[thread];
        let (entry, _) = graph.from_entry[node as usize].as_ref().expect("the run starts at an entry");
        for (reg, value) in &graph.entries[*entry as usize].1 {
            choices.registers.insert((ThreadId::new(thread), *reg), value.clone());
        }
    }
    choices
}

/// A part of a thread's way.
#[derive(Debug)]
struct Item {
    /// The steps of the program that begin here.
    steps: Vec<(EdgeId, Vec<Int>)>,
    /// When they are made: with the move of this number; `None`: at once.
    when: Option<usize>,
    /// The cell, if a write is made here, and the move by which it reaches memory if the run has it.
    write: Option<(Cell, Option<usize>)>,
}

/// What a thread does in a run.
#[derive(Debug)]
struct Itinerary {
    items: VecDeque<Item>,
    /// Writes that are pending, for each cell, oldest first: the moves by which they reach memory.
    pending: Vec<VecDeque<Option<usize>>>,
    /// Whether it comes to the moment that is bad.
    waits_for_moment: bool,
}

impl Itinerary {
    fn new(system: &System<'_>, run: &Run, thread: usize) -> Self {
        let graph = &system.graphs[thread];
        let step = |link: &u32| graph.links[*link as usize].step.clone();
        let mut items: Vec<Item> = Vec::new();
        let start = run.initial().nodes[thread];
        if start != ANYWHERE
            && let Some((_, path)) = &graph.from_entry[start as usize]
        {
            let steps = path.iter().filter_map(step).collect();
            items.push(Item { steps, when: None, write: None });
        }
        let arrivals = arrivals(system, run, thread);
        let mut snapshots = Vec::new();
        // The looks: their items, and whether each shares its moment with the next.
        let mut looks: Vec<(usize, bool)> = Vec::new();
        for (number, made) in run.moves.iter().enumerate() {
            match *made {
                Move::Step { thread: mover, link, to, role } if mover as usize == thread => {
                    let local = graph.into[to as usize].iter().find(|way| way.link == link);
                    let local = local.map_or(&[][..], |way| &way.local);
                    let when = match role {
                        Role::Free | Role::Followed => None,
                        Role::Acts => Some(number),
                        Role::Looks { shared } => {
                            looks.push((items.len(), shared));
                            None
                        }
                    };
                    let write = match &graph.links[link as usize].label {
                        Label::Store(cell, _) => Some((*cell, arrivals[number])),
                        _ => None,
                    };
                    let steps = step(&link).into_iter().chain(local.iter().filter_map(step)).collect();
                    items.push(Item { steps, when, write });
                }
                Move::Snapshot { thread: mover } if mover as usize == thread => snapshots.push(number),
                _ => {}
            }
        }
        let mut moment = None;
        for (item, shared) in looks.into_iter().rev() {
            if !shared {
                moment = snapshots.pop();
            }
            items[item].when = moment;
        }
        let pending = vec![VecDeque::new(); system.n_cells()];
        Self { items: items.into(), pending, waits_for_moment: run.bad().nodes[thread] != ANYWHERE }
    }
}

/// For each move, if it is a write of the thread, the move by which that write reaches memory.
fn arrivals(system: &System<'_>, run: &Run, thread: usize) -> Vec<Option<usize>> {
    let mut arrivals = vec![None; run.moves.len()];
    // For each cell, the values that the configuration demands of the buffer: the moves by which they reach memory.
    // A value that was demanded because the thread reads it has none.
    let mut words: Vec<VecDeque<Option<usize>>> = vec![VecDeque::new(); system.n_cells()];
    for (number, made) in run.moves.iter().enumerate().rev() {
        match *made {
            Move::Serialise { thread: mover, cell } if mover as usize == thread => {
                words[cell as usize].push_front(Some(number));
            }
            Move::Step { thread: mover, link, role, .. } if mover as usize == thread => {
                match &system.graphs[thread].links[link as usize].label {
                    Label::Store(..) if !system.buffered => arrivals[number] = Some(number),
                    Label::Store(cell, _) if role == Role::Followed => {
                        arrivals[number] = words[*cell as usize].pop_back().flatten();
                    }
                    Label::Look(reads) => {
                        for &(cell, _) in reads {
                            let demanded = run.configs[number].buffer(thread, cell).values.len();
                            words[cell as usize].resize(demanded, None);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    arrivals
}

struct Replay<'p> {
    machine: Machine<'p>,
    state: State,
    actions: Vec<Action>,
    threads: Vec<Itinerary>,
}

/// The trace is complete: it has come to a violation, or it cannot go on.
struct Ended;

impl Replay<'_> {
    fn follow(&mut self, system: &System<'_>, run: &Run) -> Result<(), Ended> {
        for thread in 0..self.threads.len() {
            self.go_on(thread)?;
        }
        for (number, made) in run.moves.iter().enumerate() {
            match *made {
                Move::Step { thread, link, role, .. } => {
                    let thread = thread as usize;
                    if role == Role::Acts {
                        self.go_to(thread, number)?;
                    }
                    if let Label::Store(cell, _) = system.graphs[thread].links[link as usize].label
                        && !system.buffered
                    {
                        self.flush(thread, cell, number)?;
                    }
                }
                Move::Snapshot { thread } => self.go_to(thread as usize, number)?,
                Move::Serialise { thread, cell } => self.flush(thread as usize, cell, number)?,
                Move::Moment => {
                    for thread in 0..self.threads.len() {
                        if self.threads[thread].waits_for_moment {
                            self.go_to(thread, usize::MAX)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes the steps that need not wait.
    fn go_on(&mut self, thread: usize) -> Result<(), Ended> {
        while self.threads[thread].items.front().is_some_and(|item| item.when.is_none()) {
            self.next_item(thread)?;
        }
        Ok(())
    }

    /// Makes the steps that wait for the move of that number, and what follows on them.
    fn go_to(&mut self, thread: usize, number: usize) -> Result<(), Ended> {
        while self.threads[thread]
            .items
            .front()
            .is_some_and(|item| item.when.is_none_or(|when| when <= number))
        {
            self.next_item(thread)?;
        }
        Ok(())
    }

    fn next_item(&mut self, thread: usize) -> Result<(), Ended> {
        let Some(item) = self.threads[thread].items.pop_front() else { return Ok(()) };
        for (edge, choices) in item.steps {
            self.perform(Action::Step { thread: ThreadId::new(thread), edge, choices })?;
        }
        if let Some((cell, followed)) = item.write {
            self.threads[thread].pending[cell as usize].push_back(followed);
        }
        Ok(())
    }

    /// Flushes the write to the cell that reaches memory by this move, and those before it.
    fn flush(&mut self, thread: usize, cell: Cell, number: usize) -> Result<(), Ended> {
        loop {
            let arrives = self.threads[thread].pending[cell as usize].pop_front();
            self.perform(Action::Flush { thread: ThreadId::new(thread), cell: CellId::new(cell as usize) })?;
            if arrives == Some(Some(number)) {
                return Ok(());
            }
        }
    }

    fn perform(&mut self, action: Action) -> Result<(), Ended> {
        let outcome = self.machine.perform(&self.state, &action);
        self.actions.push(action);
        match outcome {
            Outcome::Next(state, _) => {
                self.state = *state;
                if self.machine.violation(&self.state).is_some() { Err(Ended) } else { Ok(()) }
            }
            Outcome::Blocked | Outcome::Violates(..) => Err(Ended),
        }
    }
}
