//! An execution of the literal machine in the words of the user's text: statements, lines, names of variables. What a
//! library does on its own account is left out; what it does for a statement of the user's is told as that.

use std::collections::{BTreeMap, HashMap};

use fencewright_base::SourceMap;
use fencewright_engine_literal::replay::Execution;
use fencewright_frontend::llvm::Places;
use fencewright_literal::event::{Bytes, Event, What};
use fencewright_literal::machine::FenceKind;
use fencewright_literal::program::Program;
use fencewright_literal::refusal::Place;
use fencewright_literal::state::State;
use fencewright_literal::value::{ObjectId, Scalar, sign_extend};
use fencewright_literal::violation::{Fault, Violation};
use fencewright_llvm::debug::DebugInfo;
use fencewright_llvm::names::readable;
use fencewright_report::literal::{LiteralExecution, LiteralPlace, LiteralRow};

use super::cause::Overtakings;
use super::message::spoiled_text;
use super::names::{Names, innermost};

/// Where instructions stand in the user's text, and what things are called there.
pub(super) struct Teller<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) sources: &'a SourceMap,
    pub(super) places: Option<&'a dyn Places>,
    pub(super) debug: Vec<DebugInfo<'a>>,
}

/// A statement of the user's text.
pub(super) struct Found {
    pub(super) place: LiteralPlace,
    pub(super) text: String,
}

impl Teller<'_> {
    /// The innermost of the places that stands in the user's own text.
    pub(super) fn find(&self, chain: &[Place]) -> Option<Found> {
        for place in chain {
            let Some(number) = place.debug else { continue };
            for line in self.debug[place.module].lines(number) {
                match self.places {
                    Some(places) => {
                        if let Some((span, text)) = places.statement_at(&line.file, line.line, line.column) {
                            let at = self.sources.line_column(span);
                            let file = self.sources.file(span.file).name().to_owned();
                            let line = (line.line as usize).max(at.line);
                            let place = LiteralPlace { file, line, column: at.column };
                            return Some(Found { place, text });
                        }
                    }
                    None => {
                        let place = LiteralPlace {
                            file: line.file.clone(),
                            line: line.line as usize,
                            column: line.column.max(1) as usize,
                        };
                        return Some(Found { place, text: String::new() });
                    }
                }
            }
        }
        None
    }

    /// The line of the user's text that a place is in.
    pub(super) fn line(&self, place: Place) -> Option<usize> {
        self.find(&[place]).map(|found| found.place.line)
    }

    /// The threads' names: by the function they run, or the line that creates them.
    fn thread_names(&self, execution: &Execution) -> Vec<String> {
        let mut names = vec!["main".to_owned()];
        for done in &execution.performed {
            for event in &done.events {
                let What::Creates(number) = event.what else { continue };
                let start = done.after.threads.get(number).and_then(|thread| thread.own.start.clone());
                let function = start
                    .and_then(|(function, _)| function.as_scalar())
                    .and_then(|address| self.program.function_at(address.bits));
                let own = function.and_then(|function| {
                    let (module, _) = self.program.function_body(function)?;
                    let name = readable(&self.program.function_name(function));
                    let is_own = module == 0 && !name.contains("::") && !name.starts_with("__fencewright");
                    is_own.then_some(name)
                });
                let name = own.unwrap_or_else(|| match self.find(&event.places) {
                    Some(found) => format!("thread@{}", found.place.line),
                    None => "thread".to_owned(),
                });
                if names.len() <= number {
                    names.resize(number + 1, String::new());
                }
                names[number] = name;
            }
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        names.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 1);
        let mut seen: HashMap<String, usize> = HashMap::new();
        for name in &mut names {
            if counts[name] > 1 {
                let number = seen.entry(name.clone()).or_default();
                *number += 1;
                *name = format!("{name}#{number}");
            }
        }
        names
    }

    /// Whether the statement itself does it, and not a library that it calls.
    fn is_own(&self, event: &Event) -> bool {
        innermost(&event.places).is_some_and(|place| self.find(&[place]).is_some())
    }

    /// The execution as rows. `is_spoiled`: its violation is owed to an operation without a result.
    pub(super) fn tell(
        &self,
        execution: &Execution,
        violation: &Violation,
        is_spoiled: bool,
    ) -> LiteralExecution {
        let names = Names::new(self, execution, self.thread_names(execution), is_spoiled);
        let mut rows: Vec<LiteralRow> = Vec::new();
        let mut overtakings = Overtakings::default();
        // Reads in a row that repeat the one in this row: a loop that waits.
        let mut repeats: BTreeMap<usize, usize> = BTreeMap::new();
        for done in &execution.performed {
            for event in &done.events {
                let (mut place, mut text) = match self.find(&event.places) {
                    Some(found) => (Some(found.place), found.text),
                    None => (None, String::new()),
                };
                match &event.what {
                    What::Flushes(write) => {
                        // Shown where it was written; nothing of the user's was, if that was not shown.
                        let Some(row) = overtakings.row_of(event.thread, write) else { continue };
                        (place, text) = (rows[row].place.clone(), "(store buffer)".to_owned());
                    }
                    What::Ends => text = "(end)".to_owned(),
                    What::Creates(_) | What::Joins(_) | What::Exits => {}
                    // What a library does for itself, as when a thread starts.
                    _ if place.is_none() => continue,
                    _ => {}
                }
                let Some((what, kind)) = self.words(&names, &done.after, event) else { continue };
                let what = if event.atomic { format!("atomic section: {what}") } else { what };
                let row = LiteralRow { thread: event.thread, place, text, what, kind, marked: false };
                // A library's way to do something is many steps.
                if matches!(kind, "library" | "read") && rows.last() == Some(&row) {
                    *repeats.entry(rows.len() - 1).or_default() += 1;
                    continue;
                }
                overtakings.note(event, rows.len());
                rows.push(row);
            }
        }
        for (row, times) in repeats {
            if rows[row].kind == "read" {
                rows[row].what += &format!(" ({} times)", times + 1);
            }
        }
        let several_files = {
            let failing = self.find(&violation.places).map(|found| found.place);
            let places = rows.iter().filter_map(|row| row.place.as_ref()).chain(&failing);
            let mut files = places.map(|place| &place.file);
            let first = files.next();
            files.any(|file| Some(file) != first)
        };
        let told = self.message(&names, execution, violation, is_spoiled, several_files);
        if violation.fault != Fault::Deadlock {
            let text = self.find(&violation.places).map(|found| found.text).unwrap_or_default();
            let place = self.find(&violation.places).map(|found| found.place);
            let (what, kind) = (told.in_row.clone(), "fails");
            rows.push(LiteralRow { thread: violation.thread, place, text, what, kind, marked: true });
        }
        let cause = overtakings.cause().map(|cause| {
            rows[cause.write.1].marked = true;
            rows[cause.by.1].marked = true;
            let part = |(bytes, row): (Bytes, usize)| {
                let state = execution.performed.last().map(|done| &done.after);
                let name = state.map(|state| names.part(state, bytes)).unwrap_or_default();
                let place = rows[row].place.as_ref();
                match place {
                    Some(place) if several_files => format!("{name} ({})", short(place)),
                    Some(place) => format!("{name} (line {})", place.line),
                    None => name,
                }
            };
            let who = names.thread(cause.thread);
            let write = part(cause.write);
            match cause.by_read {
                true => format!(
                    "{who}'s write to {write} was still in its store buffer when {who} read {}.",
                    part(cause.by)
                ),
                false => format!(
                    "{who}'s write to {write} was still in its store buffer when {who}'s later write to {} \
                     reached memory.",
                    part(cause.by)
                ),
            }
        });
        let check = violation.fault.check().name().to_owned();
        let notes = names.notes();
        LiteralExecution {
            message: told.sentence,
            check,
            place: told.place,
            threads: names.threads,
            rows,
            cause,
            notes,
        }
    }

    /// What happened, and its kind; `None` for what needs no row.
    fn words(&self, names: &Names<'_>, state: &State, event: &Event) -> Option<(String, &'static str)> {
        let name = |bytes: &Bytes| names.part(state, *bytes);
        // Of what locks are made of nobody wants to know.
        let lock = |bytes: &Bytes| names.part(state, Bytes { size: 1, ..*bytes });
        let who = |thread: usize| names.thread(thread);
        let value = |value: &Scalar, bytes: &Bytes| names.value(state, *value, bytes.size);
        let accessed = match &event.what {
            What::Reads { bytes, .. } | What::Writes { bytes, .. } | What::Updates { bytes, .. } => {
                Some(*bytes)
            }
            _ => None,
        };
        if let What::Frees(object) = event.what
            && names.is_of_library(object)
        {
            return None;
        }
        if let Some(bytes) = accessed
            && let Some(told) = self.library_words(names, state, event, bytes)
        {
            return told;
        }
        Some(match &event.what {
            What::Reads { bytes, value: read, own } => {
                let from = if *own { " from its own buffer" } else { "" };
                (format!("reads {}: {}{from}", name(bytes), value(read, bytes)), "read")
            }
            What::Writes { bytes, value: written, pending } => {
                let to = if *pending { "to its buffer" } else { "to memory" };
                (format!("{}={} {to}", name(bytes), value(written, bytes)), "write")
            }
            What::Updates { bytes, old, new } => {
                let old = value(old, bytes);
                let text = match new {
                    Some(new) => format!("reads {}: {old}, makes it {}", name(bytes), value(new, bytes)),
                    None => format!("reads {}: {old}", name(bytes)),
                };
                (text, "update")
            }
            What::Flushes(write) => {
                let bytes = Bytes { object: write.object, offset: write.offset, size: write.size };
                (format!("{}={} reaches memory", name(&bytes), value(&write.value, &bytes)), "flush")
            }
            What::Fences(FenceKind::Full) => ("a full fence".to_owned(), "fence"),
            What::Fences(FenceKind::StoreStore) => ("a store-store fence".to_owned(), "fence"),
            What::Locks { verb, bytes } => (lock_words(verb, &lock(bytes)), "lock"),
            What::Creates(thread) => (format!("creates {}", who(*thread)), "create"),
            What::Joins(thread) => (format!("joins {}", who(*thread)), "join"),
            What::Waits(bytes) => (format!("waits at {}", lock(bytes)), "wait"),
            What::Wakes(bytes, woken) if woken.is_empty() => {
                (format!("signals {}: nobody waits", lock(bytes)), "wake")
            }
            What::Wakes(bytes, woken) => {
                let names = fencewright_report::listing(woken.iter().map(|thread| who(*thread)));
                (format!("signals {}: wakes {names}", lock(bytes)), "wake")
            }
            What::WakesForNoReason => ("wakes up without a signal (a spurious wake-up)".to_owned(), "wake"),
            What::TimesOut => ("its time of waiting is over".to_owned(), "wake"),
            What::Chooses(value, bits) => {
                let value = if *bits == 1 { *value as i64 } else { sign_extend(*value, *bits) };
                (format!("gets {value}, one of the values that the program leaves open"), "choose")
            }
            What::Allocates(object, true) => {
                let name = names.whole(state, *object);
                (format!("allocates {name} at the address of a block that was freed"), "allocate")
            }
            What::Frees(object) => (format!("frees {}", names.whole(state, *object)), "free"),
            What::Ends => ("ends".to_owned(), "end"),
            What::Exits => ("the process ends".to_owned(), "exit"),
            What::Spoils { op, width, a, b } => {
                let (kind, detail) = spoiled_text(*op, *width, *a, *b);
                (format!("{kind}: {detail}"), "overflow")
            }
            What::Allocates(_, false) | What::Passes(_) => return None,
        })
    }

    /// The words for an access that a library makes to what is its own business: outside `Some` if it is one, inside `None`
    /// if there is nothing to say of it.
    fn library_words(
        &self,
        names: &Names<'_>,
        state: &State,
        event: &Event,
        bytes: Bytes,
    ) -> Option<Option<(String, &'static str)>> {
        let whole = || names.part(state, bytes);
        let is_of_library = names.is_of_library(bytes.object);
        let Some(part) = names.library_part(state, bytes) else {
            if is_of_library {
                return Some(None);
            }
            if !names.is_untyped_block(bytes.object) || self.is_own(event) {
                return None;
            }
            return Some(Some((format!("works on {}", names.whole(state, bytes.object)), "library")));
        };
        let ty = part.ty.split('<').next().unwrap_or_default();
        Some(match (ty, part.field.as_str(), &event.what) {
            ("Mutex", "inner", What::Updates { old, new: Some(new), .. }) => match (old.bits, new.bits) {
                (0, _) => Some((format!("takes {}", whole()), "lock")),
                (_, 0) => Some((format!("gives back {}", whole()), "lock")),
                _ => Some((format!("finds {} taken", whole()), "lock")),
            },
            ("Mutex" | "RwLock", "poison", _) | ("Mutex", "inner", _) => None,
            ("ArcInner" | "RcBox" | "RcInner", "strong" | "weak", _) => None,
            ("Inner", "parker", _) if is_of_library => {
                Some(("uses the parking token of a thread".to_owned(), "library"))
            }
            _ if is_of_library => None,
            _ => Some((format!("works on {}, inside {ty}", whole()), "library")),
        })
    }
}

/// What is done to a lock, a semaphore and so on.
fn lock_words(verb: &str, name: &str) -> String {
    match verb {
        "takes for reading" => format!("takes {name} for reading"),
        "takes for writing" => format!("takes {name} for writing"),
        "waits for" => format!("takes one of {name}"),
        "posts" => format!("adds one to {name}"),
        "waits, and gives back" => format!("gives back {name} and waits"),
        "has initialised" => format!("has initialised what {name} is for"),
        _ => format!("{verb} {name}"),
    }
}

/// `lock.h:12`.
pub(super) fn short(place: &LiteralPlace) -> String {
    format!("{}:{}", place.file.rsplit('/').next().unwrap_or(&place.file), place.line)
}

/// Where an object was freed: by whom, and the place.
pub(super) fn freed_by(execution: &Execution, object: ObjectId) -> Option<&Event> {
    let mut events = execution.performed.iter().flat_map(|done| &done.events);
    events.find(|event| event.what == What::Frees(object))
}
