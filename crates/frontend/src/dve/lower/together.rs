//! `system sync`: all processes at once, as one thread.
//!
//! A step of the model is one transition of every process. The rules are those of DiVinE's interpreter
//! (`docs/formats/dve.md` has them for users): all guards are looked at in the state before; each process makes its
//! assignments on that state and sees its own only; then all are there together. Two processes that assign to the same
//! variable make the step an error. If one process has no transition, there is no step.
//!
//! The thread stands at the vector of the processes' states, so its edges are the combinations of their transitions.
//! Every variable is direct: in lock step there is nothing that a store buffer could reorder. Writes are kept in
//! scratch registers until all processes have read ([`Delayed`]).
//!
//! *Limits:* [`MOST_COMBINATIONS`] edges; channels are refused, since DiVinE would make such transitions alone and pass
//! no values.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::Diagnostic;
use fencewright_ir::{Addr, CellId, LocId, Op, Outside, RegExpr, Statement, Step, ThreadBuilder};

use super::super::ast::{Process, Transition};
use super::super::codes;
use super::steps::StepBuilder;
use super::{Lowering, one_line};

/// The most combinations of transitions.
const MOST_COMBINATIONS: usize = 50_000;

/// A write that is made when every process has read.
pub(super) struct Delayed {
    process: usize,
    /// The variable: its first cell, and how many there are behind it.
    first: CellId,
    len: u32,
    /// The element, a number or a scratch register.
    index: RegExpr,
    /// The value, a number or a scratch register.
    value: RegExpr,
}

/// What a step of all processes keeps while it is built.
pub(super) struct Together {
    /// Where the processes stand before.
    pub(super) at: Vec<usize>,
    writes: Vec<Delayed>,
}

impl<'a> Lowering<'a> {
    /// The thread that all processes are together. `None` after a complaint.
    pub(super) fn together(&mut self) -> Option<ThreadBuilder> {
        let processes = self.names.processes.clone();
        let mut thread = ThreadBuilder::new("system");
        let ends = self.ends(&processes)?;
        self.try_each(&processes, &ends, &mut thread)?;
        let mut start = Vec::new();
        for process in &processes {
            start.push(self.state(process, process.init.as_ref()?)?);
        }
        let mut locations = BTreeMap::from([(start.clone(), thread.entry())]);
        let mut open = vec![start];
        let mut edges = 0;
        while let Some(at) = open.pop() {
            let from = locations[&at];
            for (process, &state) in processes.iter().zip(&at) {
                thread.label(from, format!("{}.{}", process.name.text, process.states[state].text));
            }
            let own = |number: usize| {
                let transitions = processes[number].transitions.iter().zip(&ends[number]);
                let state = at[number];
                let from_here = transitions.filter(move |(_, ends)| ends.0 == state);
                from_here.map(|(transition, ends)| (transition, ends.1)).collect::<Vec<_>>()
            };
            let choices: Vec<Vec<(&'a Transition, usize)>> = (0..processes.len()).map(own).collect();
            for chosen in combinations(&choices) {
                edges += 1;
                if edges > MOST_COMBINATIONS {
                    let span = self.model.system.as_ref()?.span;
                    let message = format!(
                        "the processes have more than {MOST_COMBINATIONS} combinations of transitions"
                    );
                    self.problems.push(
                        Diagnostic::error(&codes::SIZE, span, message)
                            .help("leave processes or transitions out, or write `system async`"),
                    );
                    return None;
                }
                let to: Vec<usize> = chosen.iter().map(|(_, to)| *to).collect();
                let target = *locations.entry(to.clone()).or_insert_with(|| {
                    open.push(to.clone());
                    thread.location()
                });
                self.all_at_once(&at, &chosen, (from, target), &mut thread)?;
            }
        }
        // A state that no process gets to in lock step can be named all the same: it is where nobody ever stands.
        let reached: BTreeSet<(usize, usize)> =
            locations.keys().flat_map(|at| at.iter().copied().enumerate()).collect();
        let mut nowhere = None;
        for (number, process) in processes.iter().enumerate() {
            for (state, name) in process.states.iter().enumerate() {
                if !reached.contains(&(number, state)) {
                    let location = *nowhere.get_or_insert_with(|| thread.location());
                    thread.label(location, format!("{}.{}", process.name.text, name.text));
                }
            }
        }
        Some(thread)
    }

    /// Source and target of every transition, and what is wrong with states and channels.
    fn ends(&mut self, processes: &[&'a Process]) -> Option<Vec<Vec<(usize, usize)>>> {
        let before = self.problems.len();
        let mut ends = Vec::new();
        for process in processes {
            let mut own = Vec::new();
            for name in process.commit.iter().chain(&process.accept).chain(&process.init) {
                self.state(process, name);
            }
            for transition in &process.transitions {
                if let Some(sync) = &transition.sync {
                    let message = "a channel in `system sync`";
                    self.problems.push(Diagnostic::error(&codes::SYNCHRONOUS, sync.span, message).help(
                        "leave `sync` out: all processes move together anyway; or write `system async`",
                    ));
                }
                let from = self.state(process, &transition.from);
                let to = self.state(process, &transition.to);
                if let (Some(from), Some(to)) = (from, to) {
                    own.push((from, to));
                }
            }
            ends.push(own);
        }
        (self.problems.len() == before).then_some(ends)
    }

    /// Builds every transition once by itself, so that a mistake is complained about once.
    fn try_each(
        &mut self,
        processes: &[&'a Process],
        ends: &[Vec<(usize, usize)>],
        thread: &mut ThreadBuilder,
    ) -> Option<()> {
        let before = self.problems.len();
        for (number, process) in processes.iter().enumerate() {
            for (transition, &(from, to)) in process.transitions.iter().zip(&ends[number]) {
                let at = vec![from; processes.len()];
                let mut step = StepBuilder::together(self, at, thread);
                _ = step.take_part_guard(number, from, transition);
                _ = step.take_part_effects(number, to, transition);
            }
        }
        (self.problems.len() == before).then_some(())
    }

    fn all_at_once(
        &mut self,
        at: &[usize],
        chosen: &[(&'a Transition, usize)],
        (from, to): (LocId, LocId),
        thread: &mut ThreadBuilder,
    ) -> Option<()> {
        let texts: Vec<String> =
            chosen.iter().map(|(transition, _)| one_line(self.sources.text(transition.span))).collect();
        let collide = self.collide(chosen);
        let mut text = texts.join(" || ");
        if let Some(name) = collide {
            text += &format!(" (two assign to `{name}`)");
        }
        let statement = self.builder.add_statement(Statement {
            text,
            span: chosen.first().map(|(transition, _)| transition.span),
            loop_depth: 0,
            fence_before: false,
            fence_after: false,
        });
        let mut step = StepBuilder::together(self, at.to_vec(), thread);
        for (number, (transition, _)) in chosen.iter().enumerate() {
            step.take_part_guard(number, at[number], transition)?;
        }
        if collide.is_some() {
            // Of two values only one has room: an error like every value that does not fit.
            let too_much = Box::new(RegExpr::constant(256));
            step.keep(RegExpr::Checked { bits: 8, signed: false, value: too_much });
        } else {
            for (number, (transition, to)) in chosen.iter().enumerate() {
                step.take_part_effects(number, *to, transition)?;
            }
            step.write_all();
        }
        let ops = step.ops;
        thread.edge(from, to, Step { ops, lock: None, statement });
        Some(())
    }

    /// A global variable that two of the transitions assign to.
    fn collide(&self, chosen: &[(&'a Transition, usize)]) -> Option<&'a str> {
        let mut written = BTreeSet::new();
        chosen.iter().enumerate().find_map(|(number, (transition, _))| {
            let global = |name: &&str| !self.names.locals[number].contains_key(*name);
            let transition: &'a Transition = transition;
            let names = transition.effects.iter().map(|effect| effect.place.name.text.as_str());
            let own: BTreeSet<&'a str> = names.filter(global).collect();
            own.into_iter().find(|name| !written.insert(*name))
        })
    }
}

/// One of each, in every way.
fn combinations<T: Copy>(choices: &[Vec<T>]) -> impl Iterator<Item = Vec<T>> + '_ {
    let some = choices.iter().all(|own| !own.is_empty());
    let mut next = some.then(|| vec![0; choices.len()]);
    std::iter::from_fn(move || {
        let now = next.take()?;
        let mut later = now.clone();
        for (place, own) in later.iter_mut().zip(choices) {
            *place += 1;
            if *place < own.len() {
                next = Some(later);
                break;
            }
            *place = 0;
        }
        Some(now.iter().zip(choices).map(|(&i, own)| own[i]).collect())
    })
}

impl<'s, 'a> StepBuilder<'s, 'a> {
    fn together(lowering: &'s mut Lowering<'a>, at: Vec<usize>, thread: &'s mut ThreadBuilder) -> Self {
        let mut step = StepBuilder::new(lowering, 0, thread, at[0]);
        step.together = Some(Together { at, writes: Vec::new() });
        step
    }

    fn take_part_guard(&mut self, process: usize, from: usize, transition: &'a Transition) -> Option<()> {
        (self.process, self.here) = (process, from);
        for guard in &transition.guard {
            let guard = self.expr(guard, None)?;
            self.ops.push(Op::Guard(guard));
        }
        Some(())
    }

    fn take_part_effects(&mut self, process: usize, to: usize, transition: &'a Transition) -> Option<()> {
        (self.process, self.here) = (process, to);
        self.effects(transition)
    }

    /// Keeps a write for later.
    pub(super) fn delay(&mut self, addr: Addr, value: RegExpr) {
        let value = self.keep(value);
        let (first, len, index) = match addr {
            Addr::Cell(cell) => (cell, 1, RegExpr::constant(0)),
            Addr::Indexed { first, len, index, .. } => (first, len, self.keep(index)),
        };
        let process = self.process;
        if let Some(together) = &mut self.together {
            together.writes.push(Delayed { process, first, len, index, value });
        }
    }

    /// What a process reads where memory has `value`: what it has itself written there in this step.
    pub(super) fn with_own_writes(&self, addr: &Addr, value: RegExpr) -> RegExpr {
        let Some(together) = &self.together else { return value };
        let own = together.writes.iter().filter(|write| write.process == self.process);
        own.fold(value, |value, write| {
            let (start, end) = (write.first.0, write.first.0 + write.len);
            // Where the cell that is read stands in the variable that was written.
            let place = match addr {
                Addr::Cell(cell) if (start..end).contains(&cell.0) => {
                    RegExpr::constant(i64::from(cell.0 - start))
                }
                Addr::Indexed { first, len, index, .. } if first.0 < end && start < first.0 + len => {
                    let offset = i64::from(first.0) - i64::from(start);
                    index.clone().add(RegExpr::constant(offset))
                }
                Addr::Cell(_) | Addr::Indexed { .. } => return value,
            };
            let same = place.eq(write.index.clone());
            RegExpr::Choose(Box::new(same), Box::new(write.value.clone()), Box::new(value))
        })
    }

    fn write_all(&mut self) {
        let writes = self.together.take().map(|together| together.writes).unwrap_or_default();
        for Delayed { first, len, index, value, .. } in writes {
            let addr = match len {
                1 if index == RegExpr::constant(0) => Addr::Cell(first),
                _ => Addr::Indexed { first, len, index, outside: Outside::Faults },
            };
            self.ops.push(Op::Write { addr, value });
        }
    }
}
