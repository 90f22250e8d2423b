//! `cargo xtask fuzz`: generated programs, the explicit engine against the oracle. A program on which they disagree is
//! shrunk and written to `corpus/regressions/`. With `--engine bmc` the programs are straight lines whose whole final state is
//! observed: orders of events against store buffers; with `--models rmo` as well, straight lines with dependencies, against the
//! trial of all orders. With `--engine ltl` the programs have temporal properties, and that engine is held against the oracle
//! for those, every other program being a DVE model; what is shrunk is only shown. With `--engine predicate` that engine's proofs
//! and violations are held against a search with a bound, and against what `explicit` and `wsts` decide. With `--engine literal` the
//! programs are C, C++ and Rust: `xtask/src/readings.rs`; so they are with `--engine reduction`.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use fencewright_base::Meter;
use fencewright_engine::Engine;
use fencewright_engine_bmc::Bmc;
use fencewright_engine_explicit::Explicit;
use fencewright_engine_ltl::Ltl;
use fencewright_engine_predicate::Predicate;
use fencewright_engine_wsts::Wsts;
use fencewright_ir::Program;
use fencewright_memory::{Machine, Model};
use fencewright_testkit::agreement::{
    Agreed, Disagreement, Kind, Scope, agree_on_everything, agree_on_proofs, agree_on_relaxed,
    agree_on_results, agree_on_temporal,
};
use fencewright_testkit::generate::{
    Config, program, relaxed_program, straight_line_program, temporal_model, temporal_program,
};
use fencewright_testkit::reference::{Limits, explore};
use fencewright_testkit::shrink::shrink;

use crate::shell::{again_in_release, only, option, root};

/// More writes than a straight line has.
const LONGEST_LINE: usize = 32;

/// What is held against what.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Sides {
    /// The engine `explicit` and the plain search.
    Explicit,
    /// The engine `bmc` and the plain search.
    Bmc,
    /// The engine `bmc` and the trial of all orders, under RMO.
    Relaxed,
    /// The engine `ltl` and the oracle for temporal properties.
    Ltl,
    /// The engine `predicate` and the plain search, with a bound; and the engines `explicit` and `wsts`.
    Predicate,
}

impl Sides {
    fn program(self, seed: u64) -> Program {
        match self {
            Sides::Explicit | Sides::Predicate => program(seed, &Config::default()),
            Sides::Bmc => straight_line_program(seed),
            Sides::Relaxed => relaxed_program(seed),
            Sides::Ltl if seed % 2 == 1 => temporal_model(seed),
            Sides::Ltl => temporal_program(seed),
        }
    }

    fn compare(self, program: &Program, model: Model) -> Result<Agreed, Disagreement> {
        match self {
            Sides::Explicit => {
                let scope = Scope { states: 100_000, ..Scope::default() };
                agree_on_everything(&Explicit, program, model, &scope)
            }
            Sides::Bmc => {
                // No buffer is longer than a thread's text, so the oracle meets no bound.
                let limits = Limits::buffer(LONGEST_LINE);
                agree_on_results(&Bmc, program, model, &Scope { limits, states: 5_000, counts: false })
            }
            Sides::Relaxed => agree_on_relaxed(&Bmc, program),
            Sides::Ltl => {
                // The oracle makes up to eight nodes of a state.
                let scope = Scope { states: 2_000, ..Scope::default() };
                agree_on_temporal(&Ltl, program, model, &scope)
            }
            Sides::Predicate => {
                let scope = Scope { states: 10_000, ..Scope::default() };
                let own = agree_on_proofs(&Predicate::new(), program, model, &scope)?;
                let others: [&dyn Engine; 2] = [&Explicit, &Wsts::new()];
                for other in others {
                    let theirs = agree_on_proofs(other, program, model, &scope)?;
                    if matches!(
                        (own, theirs),
                        (Agreed::Holds, Agreed::Violated) | (Agreed::Violated, Agreed::Holds)
                    ) {
                        let text = format!("predicate says {own:?}, {} {theirs:?}", other.name());
                        return Err(Disagreement { kind: Kind::Verdict, model, text });
                    }
                }
                Ok(own)
            }
        }
    }
}

/// What the run is asked to do.
struct Plan {
    sides: Sides,
    programs: u64,
    seed: u64,
    models: Vec<Model>,
}

/// A program on which the two sides disagree, and how.
struct Failure {
    seed: u64,
    program: Program,
    disagreement: Disagreement,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_in_release("fuzz", arguments);
    }
    if matches!(option(arguments, "--engine")?, Some("literal" | "reduction" | "footprints")) {
        return crate::readings::run(arguments);
    }
    only(arguments, &["--engine", "--programs", "--seed", "--models"])?;
    let number = |name: &str, default: u64| -> Result<u64> {
        option(arguments, name)?
            .map_or(Ok(default), |text| text.parse().with_context(|| format!("`{name} {text}`")))
    };
    let sides = match option(arguments, "--engine")? {
        None | Some("explicit") => Sides::Explicit,
        Some("bmc") => Sides::Bmc,
        Some("ltl") => Sides::Ltl,
        Some("predicate") => Sides::Predicate,
        Some(name) => {
            bail!(
                "engine `{name}` is not held against an oracle here; explicit, bmc, ltl, predicate, literal and reduction are"
            )
        }
    };
    let models = match option(arguments, "--models")? {
        None if sides == Sides::Bmc => vec![Model::Sc, Model::Tso, Model::Pso],
        None => Model::OPERATIONAL.to_vec(),
        Some(names) => names
            .split(',')
            .map(|name| Model::by_name(name).with_context(|| format!("there is no model `{name}`")))
            .collect::<Result<_>>()?,
    };
    let sides = match (sides, &models[..]) {
        (Sides::Bmc, [Model::Rmo]) => Sides::Relaxed,
        (_, models) if models.iter().any(|model| !model.is_operational()) => {
            bail!("rmo has an oracle of its own: --engine bmc --models rmo")
        }
        (sides, _) => sides,
    };
    let plan = Plan { sides, programs: number("--programs", 10_000)?, seed: number("--seed", 0)?, models };
    let names: Vec<&str> = plan.models.iter().map(|model| model.name()).collect();
    println!("fuzz: {} programs from seed {} under {}", plan.programs, plan.seed, names.join(", "));
    // A panic of the engine is a result here, and the shrinker may meet it many times.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let (counts, failures) = search(&plan);
    let seconds = start.elapsed().as_secs_f64();
    for (model, agreed) in counts {
        let agreed: Vec<String> = agreed.iter().map(|(what, times)| format!("{what:?} {times}")).collect();
        println!("{:>6}: {}", model.name(), agreed.join(", "));
    }
    println!("{seconds:.1} s, {:.0} programs a second", plan.programs as f64 / seconds);
    for failure in failures.values() {
        report(plan.sides, failure)?;
    }
    if failures.is_empty() { Ok(()) } else { bail!("the engine and the oracle disagree") }
}

/// For each kind of disagreement the first program that shows it.
type Failures = BTreeMap<Kind, Failure>;
type Counts = BTreeMap<Model, BTreeMap<Agreed, u64>>;

/// Goes through the seeds with all processors.
fn search(plan: &Plan) -> (Counts, Failures) {
    let next = AtomicU64::new(0);
    let counts = Mutex::new(Counts::new());
    let failures = Mutex::new(Failures::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut own = Counts::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.programs {
                        break;
                    }
                    let seed = plan.seed + number;
                    let program = plan.sides.program(seed);
                    for &model in &plan.models {
                        match both(plan.sides, &program, model) {
                            Ok(agreed) => *own.entry(model).or_default().entry(agreed).or_default() += 1,
                            Err(disagreement) => {
                                let failure = Failure { seed, program: program.clone(), disagreement };
                                let mut failures = failures.lock().expect("no worker panics");
                                let first = failures.get(&failure.disagreement.kind);
                                if first.is_none_or(|first| first.seed > seed) {
                                    failures.insert(failure.disagreement.kind, failure);
                                }
                            }
                        }
                    }
                }
                let mut counts = counts.lock().expect("no worker panics");
                for (model, agreed) in own {
                    for (what, times) in agreed {
                        *counts.entry(model).or_default().entry(what).or_default() += times;
                    }
                }
            });
        }
    });
    (counts.into_inner().expect("no worker panics"), failures.into_inner().expect("no worker panics"))
}

/// Verdicts, counts, states and outcomes under one model. An engine that panics disagrees.
fn both(sides: Sides, program: &Program, model: Model) -> Result<Agreed, Disagreement> {
    let caught = std::panic::catch_unwind(|| sides.compare(program, model));
    caught.unwrap_or_else(|_| {
        Err(Disagreement { kind: Kind::Panic, model, text: "the engine panics".to_owned() })
    })
}

/// Shrinks the program, writes it down as a corpus entry, and says what it shows.
fn report(sides: Sides, failure: &Failure) -> Result<()> {
    let Failure { seed, program, disagreement } = failure;
    let (kind, model) = (disagreement.kind, disagreement.model);
    println!("\nseed {seed}: {disagreement}\nshrinking ...");
    let same = |candidate: &Program| both(sides, candidate, model).err().filter(|found| found.kind == kind);
    let small = shrink(program, &mut |candidate| same(candidate).is_some());
    let found = same(&small).map_or_else(|| disagreement.to_string(), |found| found.to_string());
    if matches!(sides, Sides::Ltl | Sides::Relaxed) {
        println!("{found}\n\n{}", fencewright_ir::text::print(&small));
        return Ok(());
    }
    let name = format!("seed-{seed}-{}", format!("{kind:?}").to_lowercase());
    let folder = root().join("corpus/regressions").join(&name);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let text = fencewright_ir::text::print(&small);
    std::fs::write(folder.join("program.ir"), &text)?;
    std::fs::write(folder.join("expect.toml"), expectations(&small, *seed, &found))?;
    println!(
        "{found}\n\n{text}\nwritten to corpus/regressions/{name}: read the expectations before you keep it"
    );
    Ok(())
}

/// What the reference semantics says of the program, in the form of the corpus.
fn expectations(program: &Program, seed: u64, found: &str) -> String {
    let mut text = format!(
        "source = {:?}\nlevel = \"core\"\n",
        format!("cargo xtask fuzz --seed {seed}, shrunk. The engine once differed: {found}")
    );
    for model in Model::OPERATIONAL {
        let machine = Machine::new(program, model);
        let Ok(graph) = explore(&machine, &Limits::buffer(2), &Meter::unlimited()) else { continue };
        let verdict = if graph.violation.is_some() { "violated" } else { "holds" };
        text += &format!("\n[{}]\nverdict = \"{verdict}\"\n", model.name());
        if graph.met_cap && graph.violation.is_none() {
            text += "explicit = \"bounded\"\n";
        }
        text += "why = \"exploration of the reference semantics, buffers up to 2\"\n";
    }
    text
}
