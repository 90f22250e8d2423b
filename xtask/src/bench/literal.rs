//! The speed of `literal` on the programs of `corpus/c` under TSO, on one core: states a second and bytes a state, beside
//! `explicit` on the lowered programs of the same texts. Searches past a limit are cut off and count as far as they got.

use std::time::Duration;

use anyhow::{Context as _, Result};
use fencewright_base::{Budget, CancelToken, Meter, SourceMap};
use fencewright_engine::{Context, Options, Task, run as ask};
use fencewright_engine_explicit::Explicit;
use fencewright_engine_literal::search::{Question, search};
use fencewright_frontend::llvm;
use fencewright_generator::Language;
use fencewright_generator::compile::Compilers;
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_llvm::parse::Module;
use fencewright_memory::Model;

/// States a search may store.
const STATES: u64 = 300_000;
/// Seconds a search may take.
const TIME: Duration = Duration::from_secs(20);
/// Programs with fewer states are over before they have begun: they are not in the rate.
const WORTH: u64 = 300;

#[derive(Default)]
struct Sum {
    states: u64,
    seconds: f64,
    bytes: u64,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    crate::shell::only(arguments, &[])?;
    if cfg!(debug_assertions) {
        return crate::shell::again_in_release("bench", &["literal".to_owned()]);
    }
    let compilers = Compilers::new(&[Language::C]).map_err(anyhow::Error::msg)?;
    let mut folders: Vec<_> = std::fs::read_dir(crate::shell::root().join("corpus/c"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    folders.sort();
    let (mut literal, mut explicit) = (Sum::default(), Sum::default());
    println!(
        "{:<28} {:>10} {:>10} {:>7}   {:>10} {:>10}",
        "program", "literal", "states/s", "B/state", "explicit", "states/s"
    );
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}.c"))) else { continue };
        let ir = compilers.ir(Language::C, &[text]).pop().context("a result for each text")?;
        let Ok(ir) = ir else { continue };
        let (states, seconds, bytes) = by_literal(&ir)?;
        if states < WORTH {
            continue;
        }
        literal.add(states, seconds, bytes);
        let beside = by_explicit(&ir);
        if let Some((states, seconds)) = beside {
            explicit.add(states, seconds, 0);
        }
        let (n, rate) = beside.map_or(("-".to_owned(), "-".to_owned()), |(n, s)| {
            (n.to_string(), format!("{:.0}", n as f64 / s))
        });
        println!(
            "{name:<28} {states:>10} {:>10.0} {:>7}   {n:>10} {rate:>10}",
            states as f64 / seconds,
            bytes / states
        );
    }
    println!(
        "literal: {} states, {:.0} a second, {} bytes a state; explicit: {} states, {:.0} a second",
        literal.states,
        literal.states as f64 / literal.seconds,
        literal.bytes / literal.states.max(1),
        explicit.states,
        explicit.states as f64 / explicit.seconds
    );
    Ok(())
}

impl Sum {
    fn add(&mut self, states: u64, seconds: f64, bytes: u64) {
        self.states += states;
        self.seconds += seconds;
        self.bytes += bytes;
    }
}

fn meter() -> Meter {
    Meter::start(Budget { time: Some(TIME), memory: None, states: Some(STATES) }, CancelToken::new())
}

fn by_literal(ir: &str) -> Result<(u64, f64, u64)> {
    let modules: Result<Vec<Module<'_>>, _> = [ir, PRELUDE].into_iter().map(Module::parse).collect();
    let modules = modules.map_err(|malformed| anyhow::anyhow!(malformed.message))?;
    let program = Program::new(&modules)?;
    let settings = Settings::new(buffer::Model::Tso);
    let question = Question { settings, fixed_buffer: None, observed: None, dives: false, progress: &|_| () };
    let found = search(&program, &question, &meter());
    Ok((found.statistics.states, found.statistics.last_seconds, found.statistics.bytes))
}

fn by_explicit(ir: &str) -> Option<(u64, f64)> {
    let mut sources = SourceMap::new();
    let file = sources.add("program.ll", ir);
    let options = llvm::Options::default();
    let unit = llvm::Unit { sources: &sources, ir: file, places: None, options: &options, meter: meter() };
    let program = llvm::load(&unit).ok()?.program;
    let task = Task { program: &program, model: Model::Tso, options: Options::default() };
    let answer = ask(&Explicit, &task, &mut Context::quiet(meter())).ok()?;
    Some((answer.statistics.states, answer.statistics.seconds.max(1e-6)))
}
