//! An execution resolved for showing: names instead of numbers, lines of the text, and for every read where its value
//! came from.

use fencewright_base::{Int, SourceMap, Span};
use fencewright_ir::liveness::live_registers;
use fencewright_ir::{
    CellId, Edge, EdgeId, Holder, Init, LocationSet, Program, Property, RegId, StateAtom, ThreadId,
};
use fencewright_memory::{Action, Event, Execution, Performed, ReadFrom, State, Trace, Violation, WriteTo};

use crate::cause::{Cause, cause};
use crate::wording::{bookkeeping, failing, flush_text, short_name, value_text};
use crate::words::{atom_name, fault_text, outcome_order};

/// How the phrase of a write that waits ends.
pub(crate) const TO_ITS_BUFFER: &str = " to its buffer";
/// The same for what is no write of the user's.
pub(crate) const IN_ITS_BUFFER: &str = ", which its buffer holds back";

/// An execution, resolved.
#[derive(Debug, Clone)]
pub struct Story {
    /// The open initial values that were chosen.
    pub initial: Vec<Chosen>,
    /// What happened, in order; positions are those of the trace.
    pub rows: Vec<Row>,
    /// For an execution that never ends: the position from which the rows repeat for ever; behind the last if it comes
    /// to rest.
    pub repeats_from: Option<usize>,
    /// Why it could happen.
    pub cause: Cause,
    /// What the violated condition on final states looks at, with its values in the end.
    pub outcome: Vec<(String, Int)>,
}

/// An initial value that was left open and chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Whose.
    pub open: Open,
    /// Its name.
    pub name: String,
    /// The value.
    pub value: Int,
    /// Whether anything can read it: a register that is always written first does not matter.
    pub matters: bool,
}

/// What an initial value was left open for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// A cell.
    Cell(CellId),
    /// A register.
    Register(ThreadId, RegId),
}

/// One action.
#[derive(Debug, Clone)]
pub struct Row {
    /// The thread that acts.
    pub thread: ThreadId,
    /// Where its statement stands; for a flush, the statement that wrote.
    pub place: Option<Place>,
    /// The statement's text; for a flush, `x=1 reaches memory`; for what comes late, `reads x: 1`.
    pub text: String,
    /// What it did.
    pub done: Done,
    /// The pending writes of each thread that has any, after it.
    pub buffers: Vec<Buffers>,
    /// Whether the acting thread's pending writes are others than before.
    pub changes_buffers: bool,
    /// The label of the location that a step leads to, if the user gave it one that a property names.
    pub arrives_at: Option<String>,
    /// What is wrong with it, if it is the step that fails.
    pub failure: Option<String>,
    /// Where the check that fails stands, and its statement, if that is another than the one of the step.
    pub failure_at: Option<(Place, String)>,
}

/// A place in the user's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// All of it.
    pub span: Span,
}

/// What an action did.
#[derive(Debug, Clone)]
pub enum Done {
    /// A step.
    Step {
        /// The edge.
        edge: EdgeId,
        /// The values its `Havoc`s gave.
        choices: Vec<Int>,
        /// What it did, in order.
        effects: Vec<Effect>,
        /// In a rendezvous: the thread that received, and by which edge. The step itself is the sender's.
        partner: Option<(ThreadId, EdgeId)>,
        /// If the step is made ahead of what it reads: the values it will have got.
        guesses: Option<Vec<Int>>,
    },
    /// What a step that was made ahead reads, or all that it does, is performed.
    Late {
        /// The step, by its number among its thread's.
        step: u32,
        /// Its position.
        made_at: usize,
        /// What was performed, in order.
        effects: Vec<Effect>,
    },
    /// A write that reached memory.
    Flush {
        /// The cell.
        cell: CellId,
        /// Its name.
        location: String,
        /// The value.
        value: Int,
        /// The position of the step that wrote.
        written_by: Option<usize>,
    },
}

/// Part of what a step did.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Loaded a value.
    Read {
        /// From this cell.
        cell: CellId,
        /// From this location.
        location: String,
        /// This value.
        value: Int,
        /// From memory or the thread's own buffer.
        from: ReadFrom,
        /// The position of the step that wrote it; `None` for the initial value.
        written_by: Option<usize>,
    },
    /// Stored a value.
    Write {
        /// To this cell.
        cell: CellId,
        /// To this location.
        location: String,
        /// This value.
        value: Int,
        /// How far it got.
        to: WriteTo,
    },
    /// Gave a register a value.
    Assign {
        /// The register.
        register: String,
        /// The value.
        value: Int,
        /// The value as it is shown.
        shown: String,
    },
}

/// A pending write: to what, the value as it is shown, the value.
pub type PendingWrite = (String, String, Int);

/// The pending writes of one thread: queues, oldest write first; `None` is the mark of a store-store fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffers {
    /// The thread.
    pub thread: ThreadId,
    /// Its queues.
    pub queues: Vec<Vec<Option<PendingWrite>>>,
}

impl Story {
    /// Resolves an execution, which `trace` gave when it was replayed.
    pub fn new(program: &Program, sources: &SourceMap, trace: &Trace, execution: &Execution) -> Self {
        let mut before = &execution.initial;
        let mut rows = Vec::new();
        let last = execution.performed.len().saturating_sub(1);
        for (position, done) in execution.performed.iter().enumerate() {
            let thread = done.action.thread();
            let statement_of = |position: usize| {
                let (thread, edge) = execution.performed[position].action.edges().next()?;
                Some(program.statement(thread, edge))
            };
            let fails = match &execution.violation {
                Some(
                    Violation::Assertion { thread: by, edge } | Violation::Fault { thread: by, edge, .. },
                ) => {
                    // Under a model with guesses something may follow; the thread that failed makes no more steps.
                    let is_it = |done: &Performed| done.action.edges().any(|taken| taken == (*by, *edge));
                    execution.performed.iter().rposition(is_it) == Some(position)
                }
                Some(Violation::Property(_)) | None => position == last,
            };
            let failure = if fails { failure(program, execution) } else { None };
            let (text, span, what) = match &done.action {
                Action::Step { edge, choices, .. } => {
                    let statement = program.statement(thread, *edge);
                    let effects = effects(program, thread, &done.events, &done.sources);
                    let (choices, guesses) = (choices.clone(), None);
                    let what = Done::Step { edge: *edge, choices, effects, partner: None, guesses };
                    (statement.text.clone(), statement.span, what)
                }
                Action::Ahead { edge, choices, guesses, .. } => {
                    let statement = program.statement(thread, *edge);
                    let effects = effects(program, thread, &done.events, &done.sources);
                    let (choices, guesses) = (choices.clone(), Some(guesses.clone()));
                    let what = Done::Step { edge: *edge, choices, effects, partner: None, guesses };
                    (statement.text.clone(), statement.span, what)
                }
                Action::Late { step, .. } => {
                    let made_at = done.flushed.expect("replay says which step it belongs to");
                    let effects = effects(program, thread, &done.events, &done.sources);
                    let told = effects.iter().filter_map(|effect| match effect {
                        Effect::Read { cell, location, value, .. } => {
                            let value = value_text(program, Holder::Cell(*cell), value);
                            Some(format!("reads {location}: {value}"))
                        }
                        Effect::Write { cell, location, value, .. } => {
                            let value = value_text(program, Holder::Cell(*cell), value);
                            Some(format!("{location}={value}"))
                        }
                        Effect::Assign { .. } => None,
                    });
                    let text = format!("{} now", told.collect::<Vec<_>>().join(", "));
                    let span = statement_of(made_at).and_then(|statement| statement.span);
                    (text, span, Done::Late { step: *step, made_at, effects })
                }
                Action::Rendezvous { send, receiver, receive, .. } => {
                    let statement = program.statement(thread, *send);
                    let effects = effects(program, thread, &done.events, &done.sources);
                    let partner = Some((*receiver, *receive));
                    let (choices, guesses) = (Vec::new(), None);
                    let what = Done::Step { edge: *send, choices, effects, partner, guesses };
                    let other = &program.statement(*receiver, *receive).text;
                    let name = &program.threads[*receiver].name;
                    (format!("{}, with {name}: {other}", statement.text), statement.span, what)
                }
                Action::Flush { cell, .. } => {
                    let location = program.cell_name(*cell);
                    let value = done.after.memory[*cell].clone();
                    let span = done.flushed.and_then(statement_of).and_then(|statement| statement.span);
                    let shown = value_text(program, Holder::Cell(*cell), &value);
                    let text = flush_text(program, *cell)
                        .unwrap_or_else(|| format!("{location}={shown} reaches memory"));
                    (text, span, Done::Flush { cell: *cell, location, value, written_by: done.flushed })
                }
            };
            let failure_at = failing(program, execution).filter(|_| failure.is_some()).and_then(|check| {
                let at = check.span.filter(|at| Some(*at) != span)?;
                Some((place(sources, at), check.text.clone()))
            });
            rows.push(Row {
                thread,
                place: span.map(|span| place(sources, span)),
                text,
                done: what,
                buffers: buffers(program, &done.after),
                changes_buffers: before.pending[thread] != done.after.pending[thread],
                arrives_at: match &done.action {
                    Action::Step { edge, .. } | Action::Ahead { edge, .. } if failure.is_none() => {
                        arrival(program, thread, *edge)
                    }
                    _ => None,
                },
                failure,
                failure_at,
            });
            before = &done.after;
        }
        Story {
            initial: initial(program, execution),
            rows,
            repeats_from: execution.repeats_from,
            cause: cause(program, trace, execution),
            outcome: outcome(program, trace, execution),
        }
    }

    /// What an action did, a phrase for each part of it. A flush has none: its text says all of it.
    pub(crate) fn phrases(&self, program: &Program, row: &Row) -> Vec<String> {
        let writer = |position: usize| {
            let name = &program.threads[self.rows[position].thread].name;
            (name, self.at_line(position))
        };
        let phrase = |effect: &Effect| match effect {
            Effect::Read { cell, location, value, from, written_by } => {
                let value = value_text(program, Holder::Cell(*cell), value);
                let source = match (from, written_by) {
                    (ReadFrom::Memory, None) => "from memory (initial)".to_owned(),
                    (ReadFrom::Memory, Some(by)) => {
                        let (name, line) = writer(*by);
                        format!("written by {name}{line}")
                    }
                    (ReadFrom::OwnPending, by) => {
                        let line = by.map(|by| writer(by).1).unwrap_or_default();
                        format!("from own buffer, written{line}")
                    }
                    (ReadFrom::Later, _) => "to come, the read is performed later".to_owned(),
                };
                format!("reads {location}: {value} {source}")
            }
            Effect::Write { cell, location, value, to } => {
                let value = value_text(program, Holder::Cell(*cell), value);
                let to = if *to == WriteTo::Pending { TO_ITS_BUFFER } else { " to memory" };
                format!("{location}={value}{to}")
            }
            Effect::Assign { register, shown, .. } => format!("{register} = {shown}"),
        };
        let mut left: &[Effect] = match &row.done {
            Done::Step { effects, .. } | Done::Late { effects, .. } => effects,
            Done::Flush { .. } => &[],
        };
        let mut parts: Vec<String> = Vec::new();
        while let Some(effect) = left.first() {
            let (said, used) = bookkeeping(program, left).unwrap_or_else(|| (Some(phrase(effect)), 1));
            parts.extend(said);
            left = &left[used..];
        }
        // A check that stands elsewhere has a line of its own.
        parts.extend(row.failure.clone().filter(|_| row.failure_at.is_none()));
        parts.extend(row.arrives_at.as_ref().map(|label| format!("now at {label}")));
        parts
    }

    /// The places of the rows, and of checks that stand elsewhere.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        let own = self.rows.iter().filter_map(|row| row.place.as_ref());
        own.chain(self.rows.iter().filter_map(|row| row.failure_at.as_ref().map(|(place, _)| place)))
    }

    /// Whether these are in several files, so that a line alone does not say where.
    pub(crate) fn in_several_files(&self) -> bool {
        let first = self.places().next();
        first.is_some_and(|first| self.places().any(|place| place.file != first.file))
    }

    /// Where the statement of a row stands, for a sentence: ` at line 12`, ` at lock.h:12` where there are several files,
    /// or nothing.
    pub(crate) fn at_line(&self, position: usize) -> String {
        let several = self.in_several_files();
        match self.rows.get(position).and_then(|row| row.place.as_ref()) {
            Some(place) if several => format!(" at {}:{}", short_name(&place.file), place.line),
            Some(place) => format!(" at line {}", place.line),
            None => String::new(),
        }
    }

    /// The line of the statement behind a row, for a sentence: ` (line 12)`, or nothing.
    pub fn line_of(&self, position: usize) -> Option<usize> {
        self.rows.get(position)?.place.as_ref().map(|place| place.line)
    }
}

fn place(sources: &SourceMap, span: Span) -> Place {
    let at = sources.line_column(span);
    Place { file: sources.file(span.file).name().to_owned(), line: at.line, column: at.column, span }
}

fn effects(program: &Program, thread: ThreadId, events: &[Event], sources: &[Option<usize>]) -> Vec<Effect> {
    let mut sources = sources.iter();
    let mut thread = thread;
    let mut effect = |event: &Event| {
        Some(match event {
            Event::By(other) => {
                thread = *other;
                return None;
            }
            Event::Read { cell, value, from } => Effect::Read {
                cell: *cell,
                location: program.cell_name(*cell),
                value: value.clone(),
                from: *from,
                written_by: sources.next().copied().flatten(),
            },
            Event::Write { cell, value, to } => {
                let location = program.cell_name(*cell);
                Effect::Write { cell: *cell, location, value: value.clone(), to: *to }
            }
            // What lasts for the step only is no news to anyone.
            Event::Assign { reg, .. } if program.threads[thread].regs[*reg].scratch => return None,
            Event::Assign { reg, value } => {
                let register = match program.wording.registers.get(&(thread, *reg)) {
                    Some(None) => return None,
                    Some(Some(name)) => name.clone(),
                    None => program.threads[thread].regs[*reg].name.clone(),
                };
                let shown = value_text(program, Holder::Register(thread, *reg), value);
                Effect::Assign { register, value: value.clone(), shown }
            }
        })
    };
    events.iter().filter_map(&mut effect).collect()
}

fn buffers(program: &Program, state: &State) -> Vec<Buffers> {
    let of = |(thread, pending): (ThreadId, &fencewright_memory::Pending)| {
        let named = |(cell, value): (CellId, Int)| {
            (program.cell_name(cell), value_text(program, Holder::Cell(cell), &value), value)
        };
        let queues = pending.rules().queues();
        let queues: Vec<Vec<_>> = queues
            .into_iter()
            .map(|queue| queue.into_iter().map(|entry| entry.map(named)).collect())
            .collect();
        (!queues.is_empty()).then_some(Buffers { thread, queues })
    };
    state.pending.iter_enumerated().filter_map(of).collect()
}

fn failure(program: &Program, execution: &Execution) -> Option<String> {
    match execution.violation.as_ref()? {
        Violation::Property(_) => None,
        Violation::Assertion { .. } => {
            let what = failing(program, execution).and_then(|check| check.what.clone());
            Some(what.unwrap_or_else(|| "the assertion fails".to_owned()))
        }
        Violation::Fault { fault, .. } => Some(fault_text(fault)),
    }
}

/// The label of an edge's target, if a property looks at who stands there: those are the places a reader waits for.
fn arrival(program: &Program, thread: ThreadId, edge: EdgeId) -> Option<String> {
    let Edge { from, to, .. } = program.edge(thread, edge);
    let named = program.properties.iter().any(|property| match property {
        Property::Forbidden(forbidden) => match &forbidden.at[thread] {
            LocationSet::Any => false,
            LocationSet::OneOf(locations) => locations.contains(to) && !locations.contains(from),
        },
        Property::Temporal(temporal) => {
            let mut arrives = false;
            temporal.for_each_atom(&mut |atom| arrives |= *atom == StateAtom::At(thread, *to));
            arrives && from != to
        }
        Property::Invariant(_) | Property::Final { .. } => false,
    });
    if named { program.threads[thread].locations[*to].labels.first().cloned() } else { None }
}

fn initial(program: &Program, execution: &Execution) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    for (cell, _, init) in program.cells() {
        if *init == Init::Any {
            let value = execution.initial.memory[cell].clone();
            chosen.push(Chosen {
                open: Open::Cell(cell),
                name: program.cell_name(cell),
                value,
                matters: true,
            });
        }
    }
    for (t, thread) in program.threads.iter_enumerated() {
        let observed = observed_registers(program, t);
        let live = live_registers(thread, &observed);
        for (r, reg) in thread.regs.iter_enumerated() {
            if reg.init == Init::Any {
                chosen.push(Chosen {
                    open: Open::Register(t, r),
                    name: format!("{}:{}", thread.name, reg.name),
                    value: execution.initial.registers[t][r].clone(),
                    matters: live[thread.entry][r],
                });
            }
        }
    }
    chosen
}

/// The registers of a thread that a property looks at.
fn observed_registers(program: &Program, thread: ThreadId) -> Vec<RegId> {
    let mut registers = Vec::new();
    let mut note = |atom: &StateAtom| {
        if let StateAtom::Register(of, reg) = *atom
            && of == thread
        {
            registers.push(reg);
        }
    };
    for property in &program.properties {
        match property {
            Property::Forbidden(_) => {}
            Property::Invariant(condition) => condition.expr.for_each_atom(&mut note),
            Property::Final { condition, filter, observed, quantifier: _ } => {
                condition.expr.for_each_atom(&mut note);
                if let Some(filter) = filter {
                    filter.expr.for_each_atom(&mut note);
                }
                observed.iter().for_each(&mut note);
            }
            Property::Temporal(temporal) => temporal.for_each_atom(&mut note),
        }
    }
    registers
}

fn outcome(program: &Program, trace: &Trace, execution: &Execution) -> Vec<(String, Int)> {
    let Some(Violation::Property(index)) = execution.violation else { return Vec::new() };
    let Property::Final { observed, .. } = &program.properties[index] else { return Vec::new() };
    let machine = fencewright_memory::Machine::new(program, trace.model);
    let value = |atom| (atom_name(program, atom), machine.value_of(execution.last(), atom));
    outcome_order(program, observed).into_iter().map(|i| value(&observed[i])).collect()
}
