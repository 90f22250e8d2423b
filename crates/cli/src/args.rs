//! What can be typed. Meaning is given to it in `settings` and in the commands.

mod compile;
mod parse;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use fencewright_engine_coherence::Abstraction;
use fencewright_frontend::patch::Wording;
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs};

use self::parse::{
    parse_abstraction, parse_costs, parse_engine, parse_model, parse_one_model, parse_size, parse_time,
    parse_with, parse_wording,
};
use crate::engines::{ENGINES, EngineRow};

pub use compile::{CompileArgs, LoadArgs};

const EXIT_CODES: &str = "\
Exit codes:
  0  proved for every file and model asked
  1  violated somewhere
  2  bad input or usage
  3  unknown, or no violation within bounds only
  (with several answers: 2 before 1 before 3 before 0)";

const TOP_EXAMPLES: &str = "\
Examples:
  fencewright check examples/peterson.rmm                    is it right on x86 (TSO)?
  fencewright check examples/dekker.rmm --model sc,tso,pso   where is it right?
  fencewright litmus examples/sb.litmus                      all outcomes of a litmus test
  fencewright explain                                        the codes of error messages";

const CHECK_EXAMPLES: &str = "\
Examples:
  fencewright check examples/peterson.rmm
  fencewright check examples/peterson.rmm examples/dekker.rmm --model sc,tso,pso
  fencewright check examples/peterson.rmm --format json
  fencewright check examples/peterson.rmm --trace peterson.json
  fencewright check - --language rmm < examples/peterson.rmm";

const FIX_EXAMPLES: &str = "\
Examples:
  fencewright fix examples/peterson.rmm
  fencewright fix examples/peterson.rmm --model pso --diff
  fencewright fix examples/dekker.rmm --all
  fencewright fix examples/dekker.rmm --format sarif
  fencewright fix mine.rmm --model tso --write
  fencewright fix mine.c --with order --diff
  fencewright fix examples/peterson.rmm --strategy avoid-formula --abstraction pd:1

Exit codes:
  0  repaired and proved, or proved as it is
  1  violated under sequential consistency, or with every fence in place
  2  bad input or usage
  3  no repair could be proved within the limits";

const REPLAY_EXAMPLES: &str = "\
Examples:
  fencewright check examples/peterson.rmm --trace peterson.json
  fencewright replay examples/peterson.rmm peterson.json

Exit codes:
  0  the execution is possible and violates nothing
  1  the execution is possible and violates a property
  2  bad input, or the execution is not possible";

const CERTIFICATE_EXAMPLES: &str = "\
Examples:
  fencewright check examples/dekker.rmm --model sc --certificate dekker.json
  fencewright verify-certificate dekker.json

Exit codes:
  0  the certificate proves what it says
  1  it does not
  2  it cannot be read
  3  the solver gave no answer";

const LITMUS_EXAMPLES: &str = "\
Examples:
  fencewright litmus examples/sb.litmus
  fencewright litmus examples --model sc,tso,pso
  fencewright litmus tests/ --model tso --against expected.json

Exit codes:
  0  all outcomes of every test are known
  1  with --against: some test has other outcomes than expected
  2  bad input or usage
  3  the outcomes of some test are unknown, or known within bounds only";

const EXPORT_EXAMPLES: &str = "\
Examples:
  fencewright export examples/peterson.rmm --to ir
  fencewright export examples/peterson.rmm --to dot | dot -Tsvg > peterson.svg";

/// Checks concurrent programs under relaxed memory models.
///
/// Proves that a program keeps its property under sequential consistency, TSO (x86) or PSO, or shows the execution that
/// breaks it, with the store buffers and the reordering that did it.
#[derive(Debug, Parser)]
#[command(name = "fencewright", version, after_help = format!("{TOP_EXAMPLES}\n\n{EXIT_CODES}"), max_term_width = 110)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When to colour the text.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check that programs keep their properties, or show an execution that breaks one.
    #[command(after_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}"))]
    Check(CheckArgs),
    /// Repair a program with the fewest fences, proved to be the fewest, as a change of its own file.
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Run an execution that `check` found again on the reference semantics, and show it.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// List all outcomes of litmus tests, as herd does.
    #[command(after_help = LITMUS_EXAMPLES)]
    Litmus(LitmusArgs),
    /// Write a program in another form: as the engines see it, or as a graph.
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArgs),
    /// Check a proof that `check --certificate` wrote, by a checker that shares nothing with the search that found it.
    #[command(after_help = CERTIFICATE_EXAMPLES)]
    VerifyCertificate(VerifyArgs),
    /// Explain the code of an error message, such as E0103; without a code, list them all.
    Explain(ExplainArgs),
    /// List the memory models.
    Models,
    /// List the engines.
    Engines,
}

/// When to colour the text.
#[derive(Debug, Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to write.
#[derive(Debug, Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Text,
    /// One JSON object, for a script (docs/json-schema).
    Json,
    /// SARIF 2.1.0, for editors and code scanners.
    Sarif,
}

/// What to write of litmus tests.
#[derive(Debug, Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum LitmusFormat {
    /// The log as herd writes it.
    Text,
    /// One JSON object, for a script (docs/json-schema).
    Json,
}

/// What a locked step waits for.
#[derive(Debug, Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Locks {
    /// As the language says: in RMM, under PSO, the pending writes to the locations the step touches (SPARC).
    Language,
    /// All pending writes of its thread, as the locked instructions of x86 do.
    Full,
}

/// A form to export to.
#[derive(Debug, Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The program as the engines see it, as text.
    Ir,
    /// The threads' automata, for Graphviz.
    Dot,
    /// A DVE model with the store buffers of the model slot in it, for any tool that takes DVE.
    DveSb,
}

/// The models asked for.
#[derive(Debug, Clone, ClapArgs)]
pub struct ModelArgs {
    /// Memory models, separated by commas: sc, tso, pso, slot, rmo, or all, which is the first four (see `fencewright models`).
    #[arg(long = "model", value_name = "MODELS", value_delimiter = ',', default_value = "tso", value_parser = parse_model)]
    models: Vec<Models>,
}

/// A word for models.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Models {
    One(Model),
    All,
}

impl ModelArgs {
    /// The models in the order asked, each once.
    pub fn models(&self) -> Vec<Model> {
        let mut models = Vec::new();
        for word in &self.models {
            let meant = match word {
                Models::One(model) => std::slice::from_ref(model),
                Models::All => &Model::OPERATIONAL[..],
            };
            for model in meant {
                if !models.contains(model) {
                    models.push(*model);
                }
            }
        }
        models
    }
}

/// How to search, for every command that does.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// The engine (see `fencewright engines`).
    #[arg(long, value_name = "NAME", default_value = ENGINES[0].engine.name(), value_parser = parse_engine)]
    pub engine: &'static EngineRow,
    /// Let at most N writes wait in a store buffer; without it the engine chooses.
    #[arg(long, value_name = "N")]
    pub buffer: Option<usize>,

    /// Follow loops back at most N times on a path (engine bmc); without it the engine grows it.
    #[arg(long, value_name = "N")]
    pub unroll: Option<usize>,
    /// Stop after this time for each file and model: 30s, 2m, 1h, a number of seconds, or none.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub timeout: Limit<Duration>,
    /// Hold at most this much in memory: 500M, 2G, or none [default: half of the machine's, at least 1G].
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<Limit<u64>>,
    /// Store at most N states.
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Use N processor cores [default: all].
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Walk the plain graph of the reference semantics: slower, but the counts are its exact size.
    #[arg(long)]
    pub no_reduction: bool,
}

/// A limit, or none.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Limit<T>(pub Option<T>);

/// What to check instead of the file's own properties.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Properties")]
pub struct PropertyArgs {
    /// Check this formula instead of the file's own properties: 'G (P0.wait -> F P0.CS)'. May be given several times.
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// With --ltl, look at executions too in which a write stays in its store buffer for ever.
    #[arg(long, requires = "ltl")]
    pub no_flush_fairness: bool,
    /// With --ltl, which threads go on: with `process`, none that can go on waits for ever.
    #[arg(long, value_enum, default_value_t = ThreadFairness::None, requires = "ltl", value_name = "WHICH")]
    pub fairness: ThreadFairness,
}

/// Which threads are sure to go on.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Default, ValueEnum)]
pub enum ThreadFairness {
    /// None: a thread may wait for ever while others go on.
    #[default]
    None,
    /// Every thread that can go on from some point on (weak fairness).
    Process,
}

/// Arguments of `check`.
#[derive(Debug, ClapArgs)]
pub struct CheckArgs {
    /// Programs; `-` is standard input, which needs --language.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub models: ModelArgs,
    /// What to write on standard output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the execution that breaks a property to this file as JSON, for `replay`.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write what the proof of one file under one model rests on to this file, for `verify-certificate`. If the
    /// engine that proved it writes none, one that does is asked for a proof of its own.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub load: LoadArgs,
    /// What a locked step (cas, locked write) waits for: as the language says, or all pending writes of its thread.
    #[arg(long, value_enum, default_value_t = Locks::Language, value_name = "WHICH")]
    pub locks: Locks,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub beside: BesideArgs,
    /// Only the verdicts, a line each.
    #[arg(long, short)]
    pub quiet: bool,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub properties: PropertyArgs,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub search: SearchArgs,
}

/// What is said about a program beside its text.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct BesideArgs {
    /// Demand that this holds in every state: variables, P.label (thread P stands there), P->register; C operators.
    #[arg(long, value_name = "CONDITION")]
    pub invariant: Vec<String>,
    /// Make the writes atomic, and put the barriers, that this file lists: (x, P.2), (*, P.2), barrier P.2.
    #[arg(long, value_name = "FILE")]
    pub atomic: Option<PathBuf>,
}

/// Arguments of `fix`.
#[derive(Debug, ClapArgs)]
pub struct FixArgs {
    /// The program; `-` is standard input, which needs --language.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub models: ModelArgs,
    /// What to write on standard output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Print only the change of the file, as a unified diff.
    #[arg(long, conflicts_with = "quiet")]
    pub diff: bool,
    /// Change the file.
    #[arg(long)]
    pub write: bool,
    /// What a repair may be made of beside fences: `atomic` lets it make writes atomic (DVE, which has no fences:
    /// always), `order` lets it give the atomic
    /// accesses of C, C++ and Rust stronger orders.
    #[arg(long, value_name = "KIND", value_parser = parse_with, default_value = "fences")]
    pub with: Beside,
    /// Write the atomic writes of the repair to this file, for --atomic: (x, P.2), (*, P.2).
    #[arg(long, value_name = "FILE")]
    pub write_atomic: Option<PathBuf>,
    /// How fences are written in C, C++ and Rust: full='smp_mb();',store='smp_wmb();'.
    #[arg(long, value_name = "TEXTS", value_parser = parse_wording, default_value = "", hide_default_value = true)]
    pub fence_text: Wording,
    /// What remedies cost: full=100,store=40,atomic=120,order=80,release=30,loop=1 (order: an access made seq_cst, release: a
    /// store made release, loop: added for each loop around the place).
    #[arg(long, value_name = "COSTS", value_parser = parse_costs, default_value = "", hide_default_value = true)]
    pub cost: Costs,
    /// How repairs are looked for (see docs/repair.md).
    #[arg(long, value_enum, default_value_t = Strategy::HittingSets, value_name = "NAME")]
    pub strategy: Strategy,
    /// For avoid-formula: how much of the store buffers the formula knows, fd:K or pd:K [default: fd:1].
    #[arg(long, value_name = "NAME", value_parser = parse_abstraction)]
    pub abstraction: Option<Abstraction>,
    /// For minimal-sets: one repair of least cost instead of all.
    #[arg(long, conflicts_with_all = ["all", "all_minimal"])]
    pub cheapest: bool,
    /// List all cheapest repairs.
    #[arg(long)]
    pub all: bool,
    /// List all repairs that no part can be left out of.
    #[arg(long)]
    pub all_minimal: bool,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub load: LoadArgs,
    /// Only the result, in a line.
    #[arg(long, short)]
    pub quiet: bool,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub beside: BesideArgs,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub properties: PropertyArgs,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub search: SearchArgs,
}

/// How repairs are looked for.
#[derive(Debug, Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Sets of fences that forbid real executions, and a cheapest choice: the minimum, proved.
    HittingSets,
    /// All sets of fences from which none can be left out, each proved; with --cheapest one of least cost.
    MinimalSets,
    /// Atomic writes, one after the other: the one that most others looked past in the last violation (DVE thesis).
    Hazard,
    /// The fences that exclude all violations of an abstraction of the store buffers: perhaps more than needed.
    AvoidFormula,
    /// Pairs of statements kept in order, by trace enumeration (engine bmc).
    Te,
    /// Pairs of statements kept in order, the fewest after every violation (engine bmc).
    Fi,
    /// The same with few reordered pairs at first (engine bmc).
    Robmc,
    /// The same, ended as soon as the bound on reordered pairs does not matter (engine bmc).
    RobmcEt,
}

/// Arguments of `replay`.
#[derive(Debug, ClapArgs)]
pub struct ReplayArgs {
    /// The program.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The execution: a file written by `check --trace` or `check --format json`.
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Which execution to take, if the file has one for each of several models.
    #[arg(long, value_name = "MODEL", value_parser = parse_one_model)]
    pub model: Option<Model>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub beside: BesideArgs,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub load: LoadArgs,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub properties: PropertyArgs,
}

/// Arguments of `verify-certificate`.
#[derive(Debug, ClapArgs)]
pub struct VerifyArgs {
    /// The certificate.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The SMT solver, asked about every implication between predicates [default: z3, asked about those that are not plain].
    #[arg(long, value_name = "PATH")]
    pub solver: Option<PathBuf>,
}

/// Arguments of `litmus`.
#[derive(Debug, ClapArgs)]
pub struct LitmusArgs {
    /// Litmus tests, and folders that are searched for files named *.litmus.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub models: ModelArgs,
    /// What to write on standard output.
    #[arg(long, value_enum, default_value_t = LitmusFormat::Text)]
    pub format: LitmusFormat,
    /// Compare with the outcomes in this file, {"NAME": {"states": ["0:EAX=0;", …]}, …}, and write the differences only.
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub search: SearchArgs,
}

/// Arguments of `export`.
#[derive(Debug, ClapArgs)]
pub struct ExportArgs {
    /// The program; `-` is standard input, which needs --language.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The form.
    #[arg(long, value_enum)]
    pub to: Form,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub beside: BesideArgs,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub load: LoadArgs,
}

/// Arguments of `explain`.
#[derive(Debug, ClapArgs)]
pub struct ExplainArgs {
    /// The code.
    pub code: Option<String>,
}
