//! The reading by the literal machine: every execution of the compiled text as it stands.

use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine_literal::search::{Question, Verdict, search};
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_literal::violation::Check;
use fencewright_llvm::parse::Module;
use fencewright_memory::Model;

use crate::allowed::{Allowed, Answer, Ends, Subject};
use crate::library::Library;

/// How many states a search may store.
const STATES: u64 = 1_000_000;

/// The reading by the literal machine.
#[derive(Debug, Clone)]
pub struct Literal {
    library: Option<Library>,
    time: Duration,
    copies_in_order: bool,
}

impl Literal {
    /// For programs that have all they use, or with a library for those that do not, which Rust programs are. A search may take
    /// so long.
    pub fn new(library: Option<Library>, time: Duration) -> Self {
        Self { library, time, copies_in_order: false }
    }

    /// The same with copies made in the order of addresses only, as the front end reads them.
    #[must_use]
    pub fn copying_in_order(self) -> Self {
        Self { copies_in_order: true, ..self }
    }
}

impl Allowed for Literal {
    fn name(&self) -> &str {
        "literal"
    }

    fn ends(&mut self, subject: &Subject<'_>, model: Model) -> Answer {
        let model = match model {
            Model::Sc => buffer::Model::Sc,
            Model::Tso => buffer::Model::Tso,
            Model::Pso => buffer::Model::Pso,
            other => return Answer::Refused(format!("the model {}", other.name())),
        };
        let modules: Result<Vec<Module<'_>>, _> =
            [subject.ir, PRELUDE].into_iter().map(Module::parse).collect();
        let modules = match modules {
            Ok(modules) => modules,
            Err(malformed) => return Answer::Broken(malformed.message),
        };
        let [own, prelude] = &modules[..] else { return Answer::Broken("modules are missing".to_owned()) };
        let library = self.library.map(Library::module);
        let program = match Program::of([Some(own), library, Some(prelude)].into_iter().flatten().collect()) {
            Ok(program) => program,
            Err(error) => return Answer::Broken(error.to_string()),
        };
        let out = subject.language.out();
        let is_out = |name: &str| {
            name == out || fencewright_llvm::names::readable(name).ends_with(&format!("::{out}"))
        };
        let observed =
            program.globals().iter().position(|global| is_out(&global.name)).map(|number| number as u32);
        let mut settings = Settings::new(model);
        // A generated program never waits for ever; the other reading does not look for it.
        settings.checks.remove(&Check::Deadlock);
        settings.copies_in_order = self.copies_in_order;
        let question = Question { settings, fixed_buffer: None, observed, dives: false, progress: &|_| () };
        let budget = Budget { time: Some(self.time), memory: None, states: Some(STATES) };
        let found = search(&program, &question, &Meter::start(budget, CancelToken::new()));
        let outcome = |words: &Vec<u64>| words.iter().take(subject.n_out).map(|word| *word as i64).collect();
        match found.verdict {
            Verdict::Holds if !found.partly.any() && !found.unset_outcome => {
                Answer::Ends(Ends { outcomes: found.outcomes.iter().map(outcome).collect(), faults: false })
            }
            // What is printed must be set.
            Verdict::Holds if found.unset_outcome => {
                Answer::Ends(Ends { outcomes: Default::default(), faults: true })
            }
            Verdict::Violated(_) => Answer::Ends(Ends { outcomes: Default::default(), faults: true }),
            Verdict::Refused(refusal) => Answer::Refused(refusal.to_string()),
            Verdict::Limited(limit) => Answer::Unknown(format!("{limit:?}")),
            Verdict::Stopped(stop) => Answer::Unknown(format!("{stop:?}")),
            Verdict::Holds | Verdict::HoldsUpTo(_) => Answer::Unknown("tried in part".to_owned()),
        }
    }
}
