//! The literal machine's side of a question: modules, search, words.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fencewright_base::{Budget, FileId, Meter, SourceMap, Stop};
use fencewright_engine_literal::guided::{Followed, follow};
use fencewright_engine_literal::replay::replay;
use fencewright_engine_literal::search::{Question, Statistics, Trace, Verdict, search};
use fencewright_frontend::llvm::Places;
use fencewright_frontend::source::instrument::Instrumented;
use fencewright_frontend::source::outline::Outline;
use fencewright_frontend::source::{Annotated, Dialect};
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer;
use fencewright_literal::machine::{Partly, Settings, Stub};
use fencewright_literal::program::Program;
use fencewright_literal::refusal::Refusal;
use fencewright_literal::violation::{Check, Fault, Limit, Violation};
use fencewright_llvm::debug::DebugInfo;
use fencewright_llvm::layout::other_target;
use fencewright_llvm::names::readable;
use fencewright_llvm::parse::Module;
use fencewright_memory::Model;
use fencewright_report::literal::LiteralExecution;

use super::story::Teller;
use super::under_sc::{NEEDS_NO_REORDERING, without_buffers};
use crate::args::CompileArgs;
use crate::compile::whole_program;

/// How long the engines' execution is looked for.
pub(super) const FOLLOWING: Duration = Duration::from_secs(5);

/// What is known of a compiled text, for its second reading.
pub(crate) struct Reading {
    /// The IR of the file.
    pub(crate) ir: FileId,
    /// The file itself.
    pub(crate) file: FileId,
    pub(crate) path: PathBuf,
    /// None for IR on its own.
    pub(crate) text: Option<(Dialect, Outline, Instrumented, Vec<FileId>)>,
    pub(crate) args: CompileArgs,
    /// What the user does not want looked for.
    pub(crate) left_out: Vec<Check>,
    /// The IR of the whole program, standard library included, made when it is first needed.
    pub(crate) whole: OnceLock<Result<String, String>>,
}

impl Reading {
    /// Whether the literal machine reads the standard library as well.
    pub(crate) fn is_whole_program(&self) -> bool {
        matches!(self.text, Some((Dialect::Rust, ..))) && self.args.entry.is_empty()
    }

    /// Whether the literal machine has to wait for the compiler before it can begin.
    pub(crate) fn is_being_compiled(&self) -> bool {
        self.is_whole_program() && self.whole.get().is_none()
    }
}

/// What the literal machine says.
pub(super) enum Said {
    /// All executions were seen, none is bad; what was tried only in part.
    Holds { partly: Partly },
    /// None is bad with so many writes pending.
    HoldsUpTo(usize),
    /// This one is.
    Violated { execution: Box<LiteralExecution>, check: Check },
    /// The engines' execution is none here.
    DoesNotFollow,
    /// A limit was reached.
    Stopped(Stop),
    /// What it found is wrong: an internal error.
    Wrong(String),
    /// It cannot be executed, and why.
    Refused(String),
}

/// The same with what it cost.
pub(super) struct Spoken {
    pub(super) said: Said,
    pub(super) statistics: Statistics,
}

impl Spoken {
    pub(super) fn silent(why: &str) -> Self {
        Self { said: Said::Refused(why.to_owned()), statistics: Statistics::default() }
    }

    pub(super) fn stopped(stop: Stop) -> Self {
        Self { said: Said::Stopped(stop), statistics: Statistics::default() }
    }
}

/// A question to the literal machine.
pub(super) struct Side {
    pub(super) reading: Arc<Reading>,
    pub(super) sources: SourceMap,
    pub(super) model: Model,
    pub(super) buffer: Option<usize>,
    pub(super) reduction: bool,
}

impl Side {
    /// Reads the modules, and does the work on the program that they make. An error says why there is none.
    pub(super) fn with_program<T>(
        &self,
        whole: &Meter,
        work: impl FnOnce(&Program<'_>, Settings) -> T,
    ) -> Result<T, String> {
        let model = match self.model {
            Model::Sc => buffer::Model::Sc,
            Model::Tso => buffer::Model::Tso,
            Model::Pso => buffer::Model::Pso,
            other => return Err(format!("it does not know the memory model {}", other.name())),
        };
        if !self.reading.args.entry.is_empty() {
            return Err("it starts with `main`, not with --entry".to_owned());
        }
        let ir = match &self.reading.text {
            Some((Dialect::Rust, _, instrumented, _)) => {
                let made = self.reading.whole.get_or_init(|| {
                    whole_program(&self.reading.args, &self.reading.path, &instrumented.text, whole)
                });
                &made.as_ref().map_err(String::clone)?[..]
            }
            _ => self.sources.file(self.reading.ir).text(),
        };
        let modules: Result<Vec<Module<'_>>, _> = [ir, PRELUDE].into_iter().map(Module::parse).collect();
        let modules = modules.map_err(|malformed| malformed.message)?;
        if let Some(what) = modules.iter().find_map(|module| other_target(&module.data_layout)) {
            return Err(format!("it cannot execute a program for a machine with {what}"));
        }
        let program = Program::new(&modules).map_err(|error| error.to_string())?;
        Ok(work(&program, self.settings(model)))
    }

    /// Searches within `meter`; then, if the engines have found a violation, follows it within `whole`.
    pub(super) fn speak(&self, meter: &Meter, whole: &Meter, order: &Receiver<Option<Vec<usize>>>) -> Spoken {
        let spoken = self.with_program(whole, |program, settings| {
            let question = Question {
                settings: settings.clone(),
                fixed_buffer: self.buffer,
                observed: None,
                dives: true,
                progress: &|_| (),
            };
            let found = search(program, &question, meter);
            let mut statistics = found.statistics;
            // Of one violation, found with `meter`.
            let mut violated = |trace: &Trace, meter: &Meter| {
                let (said, is_as_short) = self.violated(program, &settings, trace, (meter, whole));
                statistics.shortest &= is_as_short;
                said
            };
            // What has not been seen may be what the engines have found.
            let or_followed = |said: Said, violated: &mut dyn FnMut(&Trace, &Meter) -> Said| {
                let order = if whole.tick().is_ok() { order.recv().ok().flatten() } else { None };
                let budget = Budget { time: Some(FOLLOWING), ..whole.budget().clone() };
                let meter = whole.part(budget, whole.cancel_token().clone());
                match (order.map(|order| follow(program, &settings, &order, &meter)), said) {
                    (Some(Followed::Violated(trace)), _) => violated(&trace, &meter),
                    (Some(Followed::Nothing), Said::Stopped(_)) => Said::DoesNotFollow,
                    (_, said) => said,
                }
            };
            let said = match found.verdict {
                Verdict::Holds if found.partly.any() => {
                    or_followed(Said::Holds { partly: found.partly }, &mut violated)
                }
                Verdict::Holds => Said::Holds { partly: found.partly },
                Verdict::HoldsUpTo(buffer) => or_followed(Said::HoldsUpTo(buffer), &mut violated),
                Verdict::Violated(trace) => violated(&trace, meter),
                Verdict::Refused(refusal) => Said::Refused(self.refusal(program, &refusal)),
                Verdict::Limited(limit) => Said::Refused(limited(limit)),
                Verdict::Stopped(stop) => or_followed(Said::Stopped(stop), &mut violated),
            };
            Spoken { said, statistics }
        });
        // What the end of the budget has stopped is no refusal.
        spoken.unwrap_or_else(|why| match whole.tick() {
            Err(stop) => Spoken::stopped(stop),
            Ok(()) => Spoken::silent(&why),
        })
    }

    fn settings(&self, model: buffer::Model) -> Settings {
        let CompileArgs { stub, threads, .. } = &self.reading.args;
        let mut settings = Settings::new(model);
        settings.stubs = stub.iter().cloned().collect::<BTreeMap<String, Stub>>();
        settings.threads = *threads;
        settings.reduction = self.reduction;
        settings.checks.retain(|check| !self.reading.left_out.contains(check));
        settings
    }

    /// The user's text; none for IR on its own.
    pub(super) fn annotated(&self) -> Option<Annotated<'_>> {
        let Reading { text, file, .. } = &*self.reading;
        let (dialect, outline, instrumented, others) = text.as_ref()?;
        Some(Annotated::new(&self.sources, *dialect, *file, outline.clone(), instrumented.clone(), others))
    }

    fn with_teller<T>(&self, program: &Program<'_>, tell: impl FnOnce(&Teller<'_>) -> T) -> T {
        let annotated = self.annotated();
        let places = annotated.as_ref().map(|annotated| annotated as &dyn Places);
        let debug = program.modules().iter().map(|module| DebugInfo::new(module)).collect();
        tell(&Teller { program, sources: &self.sources, places, debug })
    }

    /// The violation in words. Where an execution without store buffers is found soon, that is shown instead; and whether what
    /// is shown is as short.
    fn violated(
        &self,
        program: &Program<'_>,
        settings: &Settings,
        trace: &Trace,
        meters: (&Meter, &Meter),
    ) -> (Said, bool) {
        let (execution, check) = match self.told(program, trace) {
            Ok(told) => told,
            Err(error) => return (Said::Wrong(error), true),
        };
        let told = |sc: &Trace| self.told(program, sc).ok().map(|(execution, _)| execution);
        // A delayed write goes wrong where it reaches memory, which is later than where it stands: then it is the same if the same
        // thread does the same to the same object.
        let is_of_object =
            |fault: &Fault| matches!(fault, Fault::Freed(_) | Fault::Gone(_) | Fault::OutOfBounds { .. });
        let head = |message: &str| message.split(" at ").next().map(str::to_owned);
        let is_same = |sc: &Trace| {
            let fault = &trace.violation.fault;
            discriminant(&sc.violation.fault) == discriminant(fault)
                && told(sc).is_some_and(|sc| match &execution.place {
                    _ if is_of_object(fault) && head(&sc.message) == head(&execution.message) => true,
                    Some(_) => sc.place == execution.place,
                    None => sc.message == execution.message,
                })
        };
        let found = without_buffers(program, settings, trace, meters, &is_same);
        let is_as_short = found.as_ref().is_none_or(|found| found.actions.len() <= trace.actions.len());
        match found.as_ref().and_then(told) {
            Some(found) => {
                let cause = Some(NEEDS_NO_REORDERING.to_owned());
                let execution = Box::new(LiteralExecution { cause, ..found });
                (Said::Violated { execution, check }, is_as_short)
            }
            None => (Said::Violated { execution: Box::new(execution), check }, true),
        }
    }

    /// The execution in words. It is carried out again before anyone sees it.
    pub(super) fn told(
        &self,
        program: &Program<'_>,
        trace: &Trace,
    ) -> Result<(LiteralExecution, Check), String> {
        let execution = replay(program, trace).map_err(|error| format!("internal error: {error}"))?;
        let Some(violation) = &execution.violation else {
            return Err("internal error: the execution violates nothing when it is replayed".to_owned());
        };
        let is_spoiled = is_spoiled(program, trace, violation);
        let told = self.with_teller(program, |teller| teller.tell(&execution, violation, is_spoiled));
        Ok((told, violation.fault.check()))
    }

    pub(super) fn refusal(&self, program: &Program<'_>, refusal: &Refusal) -> String {
        let line = refusal.place.and_then(|place| self.with_teller(program, |teller| teller.line(place)));
        let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let help = refusal.help.as_ref().map(|help| format!("; {}", help_text(help))).unwrap_or_default();
        format!("it cannot execute {}{at}{help}", refusal.what)
    }
}

/// A way out, with what a stub does said once. Mangled names are nobody's to write, and a stub for one would rarely do.
fn help_text(help: &str) -> String {
    let stub = help.split_once("--stub ").and_then(|(_, rest)| rest.split_once('='));
    match stub {
        Some((name, _)) if readable(name) != name || name.starts_with("_Z") || name.starts_with("_R") => {
            "give its source, or leave the call out".to_owned()
        }
        Some((name, _)) => format!(
            "give its source, or say what it does with --stub {name}=any (it returns any value; `nothing`: zero; \
             `abort`: calling it is a violation)"
        ),
        None => help.to_owned(),
    }
}

/// What of the machine is not enough for a program.
pub(super) fn limited(limit: Limit) -> String {
    match limit {
        Limit::Threads => "the program creates more than 255 threads; give a bound with --threads",
        Limit::Memory => "the program allocates more than the machine holds",
        Limit::Stack => "calls nest too deeply",
    }
    .to_owned()
}

/// Whether an unset value is the result of an operation that has none, such as a signed sum that does not fit: the execution
/// does not end so if such operations give 0.
fn is_spoiled(program: &Program<'_>, trace: &Trace, violation: &Violation) -> bool {
    let is_unset = |violation: &Violation| matches!(violation.fault, Fault::Unset(_));
    let settings = Settings { defined: true, ..trace.settings.clone() };
    let defined = Trace { settings, ..trace.clone() };
    is_unset(violation)
        && !replay(program, &defined)
            .is_ok_and(|execution| execution.violation.as_ref().is_some_and(is_unset))
}
