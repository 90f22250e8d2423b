//! `litmus`: all outcomes of litmus tests, written as herd writes them. Tests run in parallel, and their logs come in
//! the order of their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use fencewright_base::{CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, OutcomeEngine, Outcomes, Task, Unknown, run_outcomes};
use fencewright_ir::Property;
use fencewright_memory::Model;
use fencewright_report::json::{self, WireTest};
use fencewright_report::litmus_log::Log;
use fencewright_report::terminal::{self, Style};

use crate::args::{CompileArgs, LitmusArgs, LitmusFormat};
use crate::commands::against::Expected;
use crate::compile::Compiling;
use crate::load::{Complaints, Input, Reader};
use crate::settings::Search;
use crate::{Exit, World};

pub(crate) fn run(args: &LitmusArgs, world: &mut World<'_>) -> Exit {
    let LitmusArgs { paths, models, format, against, search } = args;
    let search = Search::new(search);
    let models = models.models();
    let Some(engine) = search.engine.outcomes else {
        let name = search.engine.engine.name();
        world.complain(&format!("the engine {name} cannot list the outcomes of a test"));
        return Exit::BadInput;
    };
    let mut expected = match against {
        None => None,
        Some(_) if models.len() > 1 => {
            world.complain("--against compares with the outcomes under one model: give one --model");
            return Exit::BadInput;
        }
        Some(path) => match Expected::read(path) {
            Ok(expected) => Some(expected),
            Err(message) => {
                world.complain(&message);
                return Exit::BadInput;
            }
        },
    };
    let mut exit = Exit::Proved;
    let mut files = Vec::new();
    for path in paths {
        if let Err(error) = collect(path, &mut files) {
            world.complain(&format!("{}: cannot be read: {error}", path.display()));
            exit = exit.and(Exit::BadInput);
        }
    }
    if files.is_empty() && exit == Exit::Proved {
        world.complain("there is no file named *.litmus");
        return Exit::BadInput;
    }

    let job = Job {
        engine,
        search: &search,
        models: &models,
        cancel: &world.cancel.clone(),
        style: world.style_err(),
    };
    let mut wire = (Vec::new(), Vec::new());
    in_order(&files, search.options.jobs.get(), &|path| job.test(path), &mut |tested| {
        world.say(&tested.complaints.text);
        wire.1.extend(tested.complaints.wire);
        exit = exit.and(tested.exit);
        for run in tested.runs {
            exit = exit.and(run.exit());
            match (&mut expected, format) {
                (Some(expected), _) => {
                    let text = expected.compare(&run);
                    if *format == LitmusFormat::Text { world.print(&text) } else { world.say(&text) }
                }
                (None, LitmusFormat::Text) => {
                    if models.len() > 1 {
                        world.print(&format!("Model {}\n", run.model.name()));
                    }
                    world.print(&run.text());
                }
                (None, LitmusFormat::Json) => {}
            }
            if let Some(warning) = run.warning() {
                world.say(&warning);
            }
            wire.0.push(run.wire());
        }
    });
    if let Some(expected) = expected {
        let (summary, differs) = expected.summary();
        if *format == LitmusFormat::Text {
            world.print(&summary)
        } else {
            world.say(&summary)
        }
        exit = exit.and(if differs { Exit::Violated } else { Exit::Proved });
    }
    if *format == LitmusFormat::Json {
        world.print(&json::litmus(wire.0, wire.1));
    }
    exit
}

/// The files named, and the litmus tests in the folders named, each folder's sorted by name.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        // A link to a folder is not followed: it may lead back.
        if entry.is_dir() && !entry.is_symlink() {
            collect(&entry, files)?;
        } else if entry.extension().is_some_and(|ending| ending == "litmus") {
            files.push(entry);
        }
    }
    Ok(())
}

/// Runs `work` on the items, several at once, and hands the results to `done` in the order of the items.
fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: &(dyn Fn(&T) -> R + Sync),
    done: &mut dyn FnMut(R),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((i, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
                {
                    // The receiver goes away only when this whole function does.
                    let _ = sender.send((i, work(item)));
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut expected = 0;
        for (i, result) in receiver {
            early.insert(i, result);
            while let Some(result) = early.remove(&expected) {
                done(result);
                expected += 1;
            }
        }
    });
}

/// What every test is run with.
struct Job<'a> {
    engine: &'static dyn OutcomeEngine,
    search: &'a Search,
    models: &'a [Model],
    cancel: &'a CancelToken,
    style: Style,
}

/// What became of a file.
struct Tested {
    runs: Vec<Run>,
    complaints: Complaints,
    exit: Exit,
}

/// A test under one model.
pub(super) struct Run {
    pub(super) name: String,
    file: String,
    pub(super) model: Model,
    pub(super) outcome: Result<(Log, Guarantee), Unknown>,
    seconds: f64,
}

impl Job<'_> {
    fn test(&self, path: &Path) -> Tested {
        let compile = CompileArgs::default();
        let compiling =
            Compiling { args: &compile, cancel: self.cancel, meter: Meter::unlimited(), say: &|_| () };
        let input = match (Reader { language: None, compiling, style: self.style }).file(path) {
            Ok(input) => input,
            Err(complaints) => return Tested { runs: Vec::new(), complaints, exit: Exit::BadInput },
        };
        let Input { file, program, warnings, .. } = input;
        let asks = program.properties.iter().find(|property| matches!(property, Property::Final { .. }));
        let Some(property) = asks else {
            let message = "is no litmus test: it says nothing about final states".to_owned();
            let complaints = Complaints::about_file(self.style, &file, message);
            return Tested { runs: Vec::new(), complaints, exit: Exit::BadInput };
        };
        let mut tested = Tested { runs: Vec::new(), complaints: warnings, exit: Exit::Proved };
        for &model in self.models {
            // Tests run side by side; each searches with one thread.
            let options = fencewright_engine::Options {
                jobs: std::num::NonZeroUsize::MIN,
                ..self.search.options.clone()
            };
            let task = Task { program: &program, model, options };
            let meter = Meter::start(self.search.budget.clone(), self.cancel.clone());
            let mut context = Context::quiet(meter);
            let engine = self.search.engine.outcomes_under(model).unwrap_or(self.engine);
            match run_outcomes(engine, &task, property, &mut context) {
                Ok(found) => {
                    let seconds = context.statistics.seconds;
                    let log = |outcomes: Outcomes| {
                        let log = Log::new(&program, property, &outcomes)
                            .expect("the property is about final states");
                        (log, outcomes.guarantee)
                    };
                    let (name, file) = (program.name.clone(), file.clone());
                    tested.runs.push(Run { name, file, model, outcome: found.map(log), seconds });
                }
                Err(rejected) => {
                    let complaints = Complaints::about_file(self.style, &file, rejected.to_string());
                    tested.complaints.text.push_str(&complaints.text);
                    tested.complaints.wire.extend(complaints.wire);
                    tested.exit = tested.exit.and(Exit::Unknown);
                }
            }
        }
        tested
    }
}

impl Run {
    fn exit(&self) -> Exit {
        match self.outcome {
            Ok((_, Guarantee::Unbounded)) => Exit::Proved,
            Ok((_, Guarantee::UpTo(_))) | Err(_) => Exit::Unknown,
        }
    }

    fn text(&self) -> String {
        match &self.outcome {
            Ok((log, _)) => log.to_string(),
            Err(_) => String::new(),
        }
    }

    /// That the outcomes are not all known. Not part of the log: herd has no words for it.
    fn warning(&self) -> Option<String> {
        let name = format!("{} ({}) under {}", self.name, self.file, self.model.name().to_uppercase());
        match &self.outcome {
            Ok((_, Guarantee::Unbounded)) => None,
            Ok((_, guarantee @ Guarantee::UpTo(_))) => {
                Some(format!("{name}: outcomes {} only\n", terminal::reach(guarantee)))
            }
            Err(unknown) => Some(format!("{name}: outcomes unknown: {}\n", terminal::why(unknown))),
        }
    }

    fn wire(&self) -> WireTest {
        let model = self.model.name();
        match &self.outcome {
            Ok((log, guarantee)) => WireTest::ran(&self.file, model, log, guarantee, self.seconds),
            Err(unknown) => WireTest::stopped(&self.name, &self.file, model, unknown, self.seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whoever_is_first() {
        let items: Vec<u64> = (0..40).collect();
        for jobs in [1, 3, 64] {
            let mut seen = Vec::new();
            let work = |item: &u64| {
                std::thread::sleep(std::time::Duration::from_micros(40 * (40 - item)));
                *item
            };
            in_order(&items, jobs, &work, &mut |item| seen.push(item));
            assert_eq!(seen, items);
        }
    }
}
