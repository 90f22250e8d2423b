//! An execution of the literal machine in the words of the user's text: statements, lines, names of variables.

use std::collections::HashMap;

use fencewright_base::{Index, SourceMap};
use fencewright_engine_literal::replay::Execution;
use fencewright_frontend::llvm::Places;
use fencewright_literal::event::{Bytes, Event, What};
use fencewright_literal::machine::{FenceKind, places};
use fencewright_literal::object::ObjectKind;
use fencewright_literal::program::Program;
use fencewright_literal::refusal::Place;
use fencewright_literal::state::State;
use fencewright_literal::value::{ObjectId, Scalar, sign_extend};
use fencewright_literal::violation::{Fault, Use, Violation};
use fencewright_llvm::debug::DebugInfo;
use fencewright_llvm::module::{InstKind, Operand};
use fencewright_llvm::names::readable;
use fencewright_report::literal::{LiteralExecution, LiteralPlace, LiteralRow};

/// Where instructions stand in the user's text, and what things are called there.
pub(super) struct Teller<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) sources: &'a SourceMap,
    pub(super) places: Option<&'a dyn Places>,
    pub(super) debug: Vec<DebugInfo<'a>>,
}

/// A statement of the user's text.
struct Found {
    place: LiteralPlace,
    text: String,
}

impl Teller<'_> {
    /// The innermost of the places that stands in the user's own text.
    fn find(&self, chain: &[Place]) -> Option<Found> {
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

    /// How the user calls the bytes of an object.
    fn name(&self, state: &State, object: ObjectId, offset: u64, size: u32) -> String {
        if let Some(global) = self.program.global_of_object(object) {
            return self.global_name(global, offset, size);
        }
        let Some(found) = state.object(object) else { return "memory".to_owned() };
        match found.kind {
            ObjectKind::ThreadLocal => self.global_name(found.site, offset, size),
            ObjectKind::Global => "memory".to_owned(),
            ObjectKind::Stack => self
                .local_name(found.site, offset, size)
                .unwrap_or_else(|| within("a local variable", offset)),
            ObjectKind::Heap => {
                let line = self.site_line(found.site);
                let what = match line {
                    Some(line) => format!("the memory allocated in line {line}"),
                    None => "allocated memory".to_owned(),
                };
                within(&what, offset)
            }
        }
    }

    fn global_name(&self, global: u32, offset: u64, size: u32) -> String {
        let info = &self.program.globals()[global as usize];
        let (module, id) = info.place;
        let text = &self.program.modules()[module].globals[id];
        let known = text.debug.and_then(|number| self.debug[module].global(number));
        let (name, ty) = known.unwrap_or_else(|| (readable(&info.name), None));
        let path = self.debug[module].path(ty, Some(&text.ty), offset, size);
        format!("{name}{}", path.trim_end_matches(".__data.__lock"))
    }

    fn site_line(&self, site: u32) -> Option<usize> {
        let (function, pc) = self.program.site_place(site)?;
        let code = self.program.code(function).ok()?;
        let inst = code.code.get(pc as usize)?;
        let place = Place { module: code.module, debug: inst.debug, at: inst.at };
        Some(self.find(&[place])?.place.line)
    }

    fn local_name(&self, site: u32, offset: u64, size: u32) -> Option<String> {
        let (function, pc) = self.program.site_place(site)?;
        let code = self.program.code(function).ok()?;
        let register = code.code.get(pc as usize)?.dst?;
        let (module, id) = self.program.function_body(function)?;
        let body = self.program.modules()[module].body(id).ok()?;
        let variable =
            body.blocks.iter().flat_map(|block| &block.insts).find_map(|inst| match &inst.kind {
                InstKind::Declare { address: Operand::Local(local), variable }
                    if local.index() as u32 == register =>
                {
                    Some(*variable)
                }
                _ => None,
            })?;
        let (name, ty) = self.debug[module].variable(variable)?;
        Some(format!("{name}{}", self.debug[module].path(ty, None, offset, size)))
    }

    fn value(&self, state: &State, value: Scalar, size: u32) -> String {
        if !value.is_set() {
            return "an unset value".to_owned();
        }
        if value.of.is_some() && size == 8 {
            let start = match state.object(value.of) {
                Some(object) => Some(object.address),
                None => self
                    .program
                    .global_of_object(value.of)
                    .map(|g| self.program.globals()[g as usize].address),
            };
            if let Some(start) = start {
                return format!("&{}", self.name(state, value.of, value.bits.wrapping_sub(start), 1));
            }
            if let Some(function) = self.program.function_at(value.bits) {
                return readable(&self.program.function_name(function));
            }
        }
        sign_extend(value.bits, 8 * size).to_string()
    }

    /// The violation in a sentence.
    pub(super) fn message(
        &self,
        state: &State,
        threads: &[String],
        violation: &Violation,
    ) -> (String, Option<LiteralPlace>) {
        let found = self.find(&violation.places);
        let at = found.as_ref().map(|found| format!(" at line {}", found.place.line)).unwrap_or_default();
        let quoted = found
            .as_ref()
            .filter(|found| !found.text.is_empty())
            .map(|found| format!(" ({})", found.text))
            .unwrap_or_default();
        let who = threads.get(violation.thread).cloned().unwrap_or_default();
        let object = |id: ObjectId| self.name(state, id, 0, 1);
        let text = match &violation.fault {
            Fault::Assertion(Some(text)) => format!("{who}'s assertion fails{at} ({text})"),
            Fault::Assertion(None) => format!("{who}'s assertion fails{at}{quoted}"),
            Fault::Panic(Some(text)) => format!("{who} panics{at}: {text}{quoted}"),
            Fault::Panic(None) => format!("{who} panics{at}{quoted}"),
            Fault::Abort(name) => format!("{who} calls `{name}`{at}{quoted}"),
            Fault::UncaughtException => format!("an exception that {who} throws{at} is not caught{quoted}"),
            Fault::Unreachable => format!("{who} reaches what must not be reached{at}{quoted}"),
            Fault::Null => format!("{who} uses a null pointer{at}{quoted}"),
            Fault::Wild(address) => {
                format!("{who} uses the address {address:#x}, at which there is nothing{at}{quoted}")
            }
            Fault::OutOfBounds { object: id, offset, size, of } => {
                format!(
                    "{who} accesses {size} bytes at offset {offset} of {}, which has {of}{at}{quoted}",
                    object(*id)
                )
            }
            Fault::Freed(id) => format!("{who} uses {} after it was freed{at}{quoted}", object(*id)),
            Fault::Gone(id) => {
                format!("{who} uses {} after its function has returned{at}{quoted}", object(*id))
            }
            Fault::DoubleFree(id) => format!("{who} frees {} a second time{at}{quoted}", object(*id)),
            Fault::BadFree(_) => format!("{who} frees what was not allocated{at}{quoted}"),
            Fault::Constant(id) => format!("{who} writes to the constant {}{at}{quoted}", object(*id)),
            Fault::Misaligned(_) => {
                format!("{who} makes an atomic access at an address that is not aligned{at}{quoted}")
            }
            Fault::NotAFunction(_) => format!("{who} calls what is no function{at}{quoted}"),
            Fault::Unset(used) => {
                let how = match used {
                    Use::Branch => "decides by",
                    Use::Address => "uses as an address",
                    Use::Argument => "passes on",
                    Use::Divisor => "divides by",
                };
                format!("{who} {how} a value that was never set{at}{quoted}")
            }
            Fault::DivisionByZero => format!("{who} divides by zero{at}{quoted}"),
            Fault::DivisionOverflow => {
                format!("{who} makes a division whose result does not fit{at}{quoted}")
            }
            Fault::Lock(what) => format!("{who} {what}{at}{quoted}"),
            Fault::Deadlock => {
                let waiting: Vec<String> = (state.threads.iter().enumerate())
                    .filter(|(_, thread)| thread.status != fencewright_literal::state::Status::Ended)
                    .map(|(number, _)| {
                        let name = threads.get(number).cloned().unwrap_or_default();
                        match self.find(&places(state, number)) {
                            Some(found) => format!(
                                "{name} at line {}{}",
                                found.place.line,
                                if found.text.is_empty() {
                                    String::new()
                                } else {
                                    format!(" ({})", found.text)
                                }
                            ),
                            None => name,
                        }
                    })
                    .collect();
                format!("deadlock: nobody can go on; waiting: {}", fencewright_report::listing(waiting))
            }
        };
        (text, found.map(|found| found.place))
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

    /// The execution as rows.
    pub(super) fn tell(&self, execution: &Execution, violation: &Violation) -> LiteralExecution {
        let threads = self.thread_names(execution);
        let mut rows = Vec::new();
        let mut pending: Vec<(usize, usize, Bytes)> = Vec::new();
        let mut overtaken: Option<(usize, usize, String)> = None;
        for done in &execution.performed {
            for event in &done.events {
                let Some((what, kind)) = self.words(&done.after, &threads, event) else { continue };
                let found = self.find(&event.places);
                let number = rows.len();
                match &event.what {
                    What::Writes { bytes, pending: true, .. } => pending.push((event.thread, number, *bytes)),
                    What::Flushes(write) => {
                        pending.retain(|(thread, _, bytes)| {
                            !(*thread == event.thread
                                && bytes.object == write.object
                                && bytes.offset == write.offset)
                        });
                    }
                    What::Reads { bytes, own: false, .. } if overtaken.is_none() => {
                        let passed = pending.iter().find(|(thread, _, other)| {
                            *thread == event.thread
                                && (other.object, other.offset) != (bytes.object, bytes.offset)
                        });
                        if let Some((thread, write, other)) = passed {
                            let name = |bytes: &Bytes| {
                                self.name(&done.after, bytes.object, bytes.offset, bytes.size)
                            };
                            let who = &threads[*thread];
                            let sentence = format!(
                                "{who}'s write to {} was still in its store buffer when {who} read {}.",
                                name(other),
                                name(bytes)
                            );
                            overtaken = Some((*write, number, sentence));
                        }
                    }
                    _ => {}
                }
                let (place, text) = match found {
                    Some(found) => (Some(found.place), found.text),
                    None => (None, String::new()),
                };
                let text = if kind == "flush" { String::new() } else { text };
                rows.push(LiteralRow { thread: event.thread, place, text, what, kind, marked: false });
            }
        }
        let last = execution.performed.last().map(|done| &done.after);
        let (message, place) = match last {
            Some(state) => self.message(state, &threads, violation),
            None => ("the program fails".to_owned(), None),
        };
        if violation.fault != Fault::Deadlock {
            let found = self.find(&violation.places);
            let text = found.map(|found| found.text).unwrap_or_default();
            let row = LiteralRow {
                thread: violation.thread,
                place: place.clone(),
                text,
                what: message.clone(),
                kind: "fails",
                marked: true,
            };
            rows.push(row);
        }
        let mut cause = None;
        if let Some((write, read, sentence)) = overtaken {
            rows[write].marked = true;
            rows[read].marked = true;
            cause = Some(sentence);
        }
        let check = violation.fault.check().name().to_owned();
        LiteralExecution { message, check, place, threads, rows, cause }
    }

    fn words(&self, state: &State, threads: &[String], event: &Event) -> Option<(String, &'static str)> {
        let name = |bytes: &Bytes| self.name(state, bytes.object, bytes.offset, bytes.size);
        let whole = |bytes: &Bytes| {
            let text = self.name(state, bytes.object, bytes.offset, 1);
            text.split(".__").next().unwrap_or(&text).to_owned()
        };
        let who = |thread: usize| threads.get(thread).cloned().unwrap_or_default();
        Some(match &event.what {
            What::Reads { bytes, value, own } => {
                let from = if *own { " from its own buffer" } else { "" };
                (format!("reads {}: {}{from}", name(bytes), self.value(state, *value, bytes.size)), "read")
            }
            What::Writes { bytes, value, pending } => {
                let to = if *pending { "to its buffer" } else { "to memory" };
                (format!("{}={} {to}", name(bytes), self.value(state, *value, bytes.size)), "write")
            }
            What::Updates { bytes, old, new } => {
                let old = self.value(state, *old, bytes.size);
                let text = match new {
                    Some(new) => format!(
                        "reads {}: {old}, makes it {}",
                        name(bytes),
                        self.value(state, *new, bytes.size)
                    ),
                    None => format!("reads {}: {old}", name(bytes)),
                };
                (text, "update")
            }
            What::Flushes(write) => {
                let bytes = Bytes { object: write.object, offset: write.offset, size: write.size };
                (
                    format!("{}={} reaches memory", name(&bytes), self.value(state, write.value, write.size)),
                    "flush",
                )
            }
            What::Fences(FenceKind::Full) => ("a full fence".to_owned(), "fence"),
            What::Fences(FenceKind::StoreStore) => ("a store-store fence".to_owned(), "fence"),
            What::Locks { verb, bytes } => (format!("{verb} {}", whole(bytes)), "lock"),
            What::Creates(thread) => (format!("creates {}", who(*thread)), "create"),
            What::Joins(thread) => (format!("joins {}", who(*thread)), "join"),
            What::Waits(bytes) => (format!("waits at {}", whole(bytes)), "wait"),
            What::Wakes(bytes, woken) if woken.is_empty() => {
                (format!("signals {}: nobody waits", whole(bytes)), "wake")
            }
            What::Wakes(bytes, woken) => {
                let names = fencewright_report::listing(woken.iter().map(|thread| who(*thread)));
                (format!("signals {}: wakes {names}", whole(bytes)), "wake")
            }
            What::WakesForNoReason => ("wakes up for no reason".to_owned(), "wake"),
            What::TimesOut => ("its time of waiting is over".to_owned(), "wake"),
            What::Chooses(value, bits) => {
                (format!("an open value: {}", sign_extend(*value, *bits)), "choose")
            }
            What::Allocates(_, true) => {
                ("allocates memory at an address that was freed".to_owned(), "allocate")
            }
            What::Frees(object) => (format!("frees {}", self.name(state, *object, 0, 1)), "free"),
            What::Ends => ("ends".to_owned(), "end"),
            What::Exits => ("the process ends".to_owned(), "exit"),
            What::Overflows => ("a signed result does not fit its type".to_owned(), "overflow"),
            What::Allocates(_, false) | What::Passes(_) => return None,
        })
    }
}

fn within(what: &str, offset: u64) -> String {
    if offset == 0 { what.to_owned() } else { format!("{what}, byte {offset}") }
}
