//! Executions taken back from JSON: what `check --format json` or `check --trace` wrote, given to `replay`.
//!
//! Only what defines the execution is read (model, initial choices, actions). The statements' texts are compared with the
//! program's, so that an execution of an older text is noticed instead of replayed by accident.

use std::fmt;

use fencewright_base::Int;
use fencewright_ir::{CellId, EdgeId, Program, RegId, ThreadId};
use fencewright_memory::{Action, InitialChoices, Model, Trace};
use serde::Deserialize;

use crate::json::{WireAction, WireInitial, WireInt, WireKind};

/// Why there is no execution to be had from a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceError {
    /// It is not JSON, or not of the right shape.
    Shape(String),
    /// There is no execution in it, or none under the model asked for.
    NoTrace,
    /// It names a model that does not exist.
    Model(String),
    /// The action at this position says nothing usable.
    Action(usize, String),
    /// The action at this position is another statement in the program.
    OtherText {
        /// The position.
        position: usize,
        /// The statement in the file with the execution.
        recorded: String,
        /// The statement in the program.
        found: String,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Shape(message) => write!(f, "it is not the JSON that `check` writes: {message}"),
            TraceError::NoTrace => f.write_str("there is no execution in it"),
            TraceError::Model(name) => write!(f, "it names the memory model `{name}`, which does not exist"),
            TraceError::Action(position, message) => write!(f, "action {position}: {message}"),
            TraceError::OtherText { position, recorded, found } => write!(
                f,
                "it belongs to another text of the program: action {position} is `{recorded}`, but the program has \
                 `{found}` there"
            ),
        }
    }
}

impl std::error::Error for TraceError {}

#[derive(Deserialize)]
struct File {
    results: Vec<FileResult>,
}

#[derive(Deserialize)]
struct FileResult {
    model: String,
    #[serde(default)]
    initial: Vec<WireInitial>,
    #[serde(default)]
    trace: Option<Vec<WireAction>>,
    #[serde(default)]
    repeats_from: Option<usize>,
}

/// The first execution in the text, or the first under `model`.
pub fn parse(text: &str, program: &Program, model: Option<Model>) -> Result<Trace, TraceError> {
    let file: File = serde_json::from_str(text).map_err(|error| TraceError::Shape(error.to_string()))?;
    let wanted = |result: &FileResult| model.is_none_or(|model| Model::by_name(&result.model) == Some(model));
    let (name, initial, actions, repeats_from) = (file.results.into_iter())
        .filter(wanted)
        .find_map(|result| Some((result.model, result.initial, result.trace?, result.repeats_from)))
        .ok_or(TraceError::NoTrace)?;
    let model = Model::by_name(&name).ok_or(TraceError::Model(name))?;
    let actions: Result<Vec<Action>, TraceError> = (actions.iter().enumerate())
        .map(|(position, action)| self::action(position, action, program))
        .collect();
    Ok(Trace { model, initial: choices(&initial)?, actions: actions?, repeats_from })
}

fn integer(value: &WireInt) -> Result<Int, String> {
    value.value().ok_or_else(|| format!("{value:?} is no integer"))
}

fn choices(initial: &[WireInitial]) -> Result<InitialChoices, TraceError> {
    let mut choices = InitialChoices::default();
    for open in initial {
        let value = integer(&open.value).map_err(TraceError::Shape)?;
        match (open.cell, open.thread, open.register) {
            (Some(cell), None, None) => {
                choices.cells.insert(CellId(cell), value);
            }
            (None, Some(thread), Some(register)) => {
                choices.registers.insert((ThreadId(thread), RegId(register)), value);
            }
            _ => {
                let message =
                    format!("the initial value of `{}` is neither a cell's nor a register's", open.name);
                return Err(TraceError::Shape(message));
            }
        }
    }
    Ok(choices)
}

fn action(position: usize, action: &WireAction, program: &Program) -> Result<Action, TraceError> {
    let bad = |message: String| TraceError::Action(position, message);
    let thread = ThreadId(action.thread);
    let automaton =
        program.threads.get(thread).ok_or_else(|| bad(format!("there is no thread {}", action.thread)))?;
    match action.kind {
        WireKind::Flush => {
            let cell = action.what.cell.ok_or_else(|| bad("a flush must name its cell".to_owned()))?;
            if cell as usize >= program.n_cells() {
                return Err(bad(format!("there is no cell {cell}")));
            }
            Ok(Action::Flush { thread, cell: CellId(cell) })
        }
        WireKind::Late => {
            let step =
                action.what.step.ok_or_else(|| bad("what comes late must name its step".to_owned()))?;
            Ok(Action::Late { thread, step })
        }
        WireKind::Step => {
            let edge = action.what.edge.ok_or_else(|| bad("a step must name its edge".to_owned()))?;
            if automaton.edges.get(EdgeId(edge)).is_none() {
                return Err(bad(format!("thread {} has no edge {edge}", automaton.name)));
            }
            if let (Some(receiver), Some(receive)) = (action.what.receiver, action.what.receive) {
                let known =
                    program.threads.get(ThreadId(receiver)).and_then(|t| t.edges.get(EdgeId(receive)));
                if known.is_none() {
                    return Err(bad(format!("there is no edge {receive} of a thread {receiver}")));
                }
                return Ok(Action::Rendezvous {
                    sender: thread,
                    send: EdgeId(edge),
                    receiver: ThreadId(receiver),
                    receive: EdgeId(receive),
                });
            }
            let found = &program.statement(thread, EdgeId(edge)).text;
            if let Some(recorded) = &action.text
                && recorded != found
            {
                let (recorded, found) = (recorded.clone(), found.clone());
                return Err(TraceError::OtherText { position, recorded, found });
            }
            let choices = action.what.choices.iter().flatten().map(integer).collect::<Result<_, _>>();
            let (edge, choices) = (EdgeId(edge), choices.map_err(bad)?);
            Ok(match &action.what.guesses {
                None => Action::Step { thread, edge, choices },
                Some(guesses) => {
                    let guesses = guesses.iter().map(integer).collect::<Result<_, _>>().map_err(bad)?;
                    Action::Ahead { thread, edge, choices, guesses }
                }
            })
        }
    }
}
