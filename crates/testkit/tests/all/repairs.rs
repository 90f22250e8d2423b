//! Repairs of the corpus, checked from the text: the patched file is loaded again and proved, and without any one of its
//! fences the execution that was shown as evidence is one of what the text then says.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fencewright_base::{Budget, CancelToken, FileId, Meter, SourceMap};
use fencewright_cli::ENGINES;
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_frontend::patch::apply_edits;
use fencewright_frontend::{Language, language_of};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{EdgeId, Program, ThreadId};
use fencewright_memory::{Action, Machine, Model, Outcome, State, Trace};
use fencewright_synth::{Beside, Costs, Evidence, Repair, Repaired, Request, Strategy, Want, repair};
use fencewright_testkit::corpus::{self, Entry, Level};

/// A program with its text.
struct File {
    language: &'static Language,
    sources: SourceMap,
    id: FileId,
    program: Program,
}

impl File {
    fn new(language: &'static Language, name: &str, text: &str) -> Self {
        let mut sources = SourceMap::new();
        let id = sources.add(name, text);
        let loaded = (language.load)(&sources, id);
        let program = loaded.unwrap_or_else(|errors| panic!("{name}: {errors:?}\n{text}")).program;
        File { language, sources, id, program }
    }

    /// What its text with the remedies says.
    fn with(&self, name: &str, remedies: &[Remedy]) -> File {
        let edits = (self.language.patch)(&self.sources, self.id, &self.program, remedies);
        let edits = edits.unwrap_or_else(|error| panic!("{name}: {error}"));
        File::new(self.language, name, &apply_edits(self.sources.file(self.id).text(), &edits))
    }
}

fn context() -> Context<'static> {
    // A program that cannot be proved soon is one that cannot be proved; none of them is repaired.
    let budget = Budget { states: Some(200_000), ..Budget::default() };
    Context::quiet(Meter::start(budget, CancelToken::new()))
}

fn fix(program: &Program, model: Model) -> Repair {
    let options = Options::default();
    let request = Request {
        program,
        model,
        options,
        costs: Costs::default(),
        beside: Beside::default(),
        want: Want::One,
        strategy: Strategy::HittingSets,
    };
    repair(ENGINES[0].engine, &request, &mut context).expect("the engine's traces replay")
}

/// Whether the steps that the trace takes in the one program can be taken in the other, in the same order and with the
/// same flushes, and end in a violation. Edges are told by what they do, because the two number them differently.
fn also_in(program: &Program, evidence: &Evidence) -> bool {
    let machine = Machine::new(program, evidence.trace.model);
    let Some(initial) = machine.initial(&evidence.trace.initial) else { return false };
    follow(&machine, &initial, evidence, &evidence.trace)
}

fn follow(machine: &Machine<'_>, from: &State, evidence: &Evidence, trace: &Trace) -> bool {
    let mut stack = vec![(from.clone(), 0)];
    while let Some((state, position)) = stack.pop() {
        let Some(action) = trace.actions.get(position) else {
            if machine.violation(&state).is_some() {
                return true;
            }
            continue;
        };
        let alike = |thread: ThreadId, edge: EdgeId| {
            let step = &evidence.program.edge(thread, edge).step;
            let edges = machine.program().threads[thread].edges.iter_enumerated();
            let alike = edges.filter(|(_, other)| {
                other.from == state.locations[thread]
                    && other.step.ops == step.ops
                    && other.step.lock == step.lock
            });
            alike.map(|(edge, _)| edge).collect::<Vec<EdgeId>>()
        };
        let ways: Vec<Action> = match action {
            Action::Flush { .. } => vec![action.clone()],
            // There is no repair under a model with guesses.
            Action::Ahead { .. } | Action::Late { .. } => Vec::new(),
            Action::Step { thread, edge, choices } => (alike(*thread, *edge).into_iter())
                .map(|edge| Action::Step { thread: *thread, edge, choices: choices.clone() })
                .collect(),
            Action::Rendezvous { sender, send, receiver, receive } => {
                let receives = alike(*receiver, *receive);
                let together = |send: EdgeId| {
                    let (sender, receiver) = (*sender, *receiver);
                    receives.iter().map(move |&receive| Action::Rendezvous {
                        sender,
                        send,
                        receiver,
                        receive,
                    })
                };
                alike(*sender, *send).into_iter().flat_map(together).collect()
            }
        };
        for way in ways {
            match machine.perform(&state, &way) {
                Outcome::Blocked => {}
                Outcome::Next(next, _) => stack.push((*next, position + 1)),
                Outcome::Violates(..) if position + 1 == trace.actions.len() => return true,
                Outcome::Violates(..) => {}
            }
        }
    }
    false
}

/// How many fences were checked.
fn check(entry: &Entry, model: Model) -> usize {
    let name = format!("{} under {}", entry.name, model.name());
    let file_name = entry.path.to_string_lossy();
    let language = language_of(&file_name).expect("the language is known");
    let text = std::fs::read_to_string(&entry.path).expect("the file is there");
    let file = File::new(language, &file_name, &text);
    let Repair::Repaired(repaired) = fix(&file.program, model) else { return 0 };
    let Repaired { remedies, .. } = &*repaired;
    let all: Vec<Remedy> = remedies.iter().map(|chosen| chosen.remedy).collect();
    let patched = file.with(&name, &all);
    let task = Task { program: &patched.program, model, options: Options::default() };
    let answer = run(ENGINES[0].engine, &task, &mut context()).expect("the engine's traces replay");
    assert_eq!(answer.verdict, Verdict::Holds(Guarantee::Unbounded), "{name}: the patched text");
    for chosen in remedies {
        let others: Vec<Remedy> = all.iter().copied().filter(|other| *other != chosen.remedy).collect();
        let without = file.with(&name, &others);
        let evidence =
            chosen.evidence.as_ref().unwrap_or_else(|| panic!("{name}: {:?} has no evidence", chosen.remedy));
        assert!(
            also_in(&without.program, evidence),
            "{name}: without {:?} the text does not allow what was shown\n{}",
            chosen.remedy,
            without.sources.file(without.id).text()
        );
        assert!(!also_in(&patched.program, evidence), "{name}: {:?} does not forbid it", chosen.remedy);
    }
    remedies.len()
}

/// Thorough entries run when `FENCEWRIGHT_THOROUGH` is set, as `cargo xtask test` does.
#[test]
fn every_repaired_text_is_proved_and_every_fence_of_it_is_needed() {
    let thorough = std::env::var_os("FENCEWRIGHT_THOROUGH").is_some();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = corpus::load(&root).unwrap_or_else(|errors| panic!("{}", errors.join("\n")));
    let questions: Vec<(&Entry, Model)> = (entries.iter())
        .filter(|entry| entry.path.extension().is_none_or(|extension| extension != "ir"))
        .filter(|entry| thorough || entry.level != Level::Thorough)
        .filter(|entry| !entry.name.starts_with("integers/")) // No search of their states ends.
        .flat_map(|entry| [(entry, Model::Tso), (entry, Model::Pso)])
        .collect();
    let next = AtomicUsize::new(0);
    let repaired = Mutex::new((0, 0));
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((entry, model)) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let fences = check(entry, *model);
                    let mut repaired = repaired.lock().expect("no other worker panics with it");
                    repaired.0 += usize::from(fences > 0);
                    repaired.1 += fences;
                }
            });
        }
    });
    let (programs, fences) = repaired.into_inner().expect("no worker panics");
    assert!(programs >= 100 && fences >= 170, "{programs} repairs with {fences} fences");
}
