//! What can be typed. Meaning is given to it in `settings` and in the commands.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use fencewright_frontend::{LANGUAGES, Language};
use fencewright_memory::Model;
use fencewright_synth::Costs;

use crate::engines::{ENGINES, EngineRow};

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
  fencewright fix mine.rmm --model tso --write

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
    /// Memory models, separated by commas: sc, tso, pso, slot, or all (see `fencewright models`).
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
                Models::All => &Model::ALL[..],
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
    /// The language of the files, whatever their names.
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub language: Option<&'static Language>,
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
    /// What a repair may be made of beside fences: `atomic` lets it make writes atomic.
    #[arg(long = "with", value_name = "KIND", value_parser = parse_with, default_value = "fences", action = ArgAction::Set)]
    pub atomic: bool,
    /// What remedies cost: full=100,store=40,atomic=120,loop=1 (loop: added for each loop around the place).
    #[arg(long, value_name = "COSTS", value_parser = parse_costs, default_value = "", hide_default_value = true)]
    pub cost: Costs,
    /// List all cheapest repairs.
    #[arg(long)]
    pub all: bool,
    /// List all repairs that no part can be left out of.
    #[arg(long)]
    pub all_minimal: bool,
    /// The language of the program, whatever its name.
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub language: Option<&'static Language>,
    /// Only the result, in a line.
    #[arg(long, short)]
    pub quiet: bool,
    #[allow(missing_docs, reason = "flattened: documented at its type")]
    #[command(flatten)]
    pub search: SearchArgs,
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
    /// The language of the program, whatever its name.
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub language: Option<&'static Language>,
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
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
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
    /// The language of the program, whatever its name.
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub language: Option<&'static Language>,
}

/// Arguments of `explain`.
#[derive(Debug, ClapArgs)]
pub struct ExplainArgs {
    /// The code.
    pub code: Option<String>,
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn parse_one_model(text: &str) -> Result<Model, String> {
    let known = || names(Model::ALL.iter().map(|model| model.name()));
    Model::by_name(text.trim()).ok_or_else(|| format!("the models are {}", known()))
}

fn parse_with(word: &str) -> Result<bool, String> {
    match word {
        "fences" => Ok(false),
        "atomic" => Ok(true),
        _ => Err("fences or atomic".to_owned()),
    }
}

fn parse_costs(text: &str) -> Result<Costs, String> {
    let mut costs = Costs::default();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (name, value) =
            part.split_once('=').ok_or_else(|| format!("`{part}` is not of the form NAME=NUMBER"))?;
        let value: u64 = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
        match name {
            "full" => costs.full = value,
            "store" => costs.store_store = value,
            "atomic" => costs.atomic = value,
            "loop" => costs.per_loop = value,
            _ => return Err(format!("`{name}` has no cost; full, store, atomic and loop have")),
        }
    }
    Ok(costs)
}

fn parse_model(text: &str) -> Result<Models, String> {
    if text.trim().eq_ignore_ascii_case("all") {
        return Ok(Models::All);
    }
    parse_one_model(text).map(Models::One).map_err(|message| format!("{message}, and `all`"))
}

fn parse_engine(text: &str) -> Result<&'static EngineRow, String> {
    let known = || names(ENGINES.iter().map(|row| row.engine.name()));
    EngineRow::by_name(text).ok_or_else(|| {
        format!(
            "the engines are {}; coherence:set, coherence:fd:K and coherence:pd:K fix its abstraction",
            known()
        )
    })
}

fn parse_language(text: &str) -> Result<&'static Language, String> {
    let known = || names(LANGUAGES.iter().map(|language| language.name));
    let found = LANGUAGES.iter().find(|language| language.name.eq_ignore_ascii_case(text));
    found.ok_or_else(|| format!("the languages are {}", known()))
}

/// The number at the start, and the unit behind it.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number = text[..end].parse().ok()?;
    Some((number, text[end..].trim()))
}

fn parse_time(text: &str) -> Result<Limit<Duration>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wrong = || "expected a time such as 30s, 2m, 1h, a number of seconds, or none".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * seconds).map(|time| Limit(Some(time))).map_err(|_| wrong())
}

fn parse_size(text: &str) -> Result<Limit<u64>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wrong = || "expected a size such as 500M, 2G, a number of bytes, or none".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let power = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(wrong()),
    };
    // A size past what a float holds exactly is past what a machine holds too; the conversion saturates.
    Ok(Limit(Some((number * 1024f64.powi(power)) as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn times_and_sizes() {
        let seconds = |text| parse_time(text).map(|limit| limit.0.map(|time| time.as_secs_f64()));
        assert_eq!(seconds("30s"), Ok(Some(30.0)));
        assert_eq!(seconds("2m"), Ok(Some(120.0)));
        assert_eq!(seconds("1h"), Ok(Some(3600.0)));
        assert_eq!(seconds("0.5"), Ok(Some(0.5)));
        assert_eq!(seconds("250ms"), Ok(Some(0.25)));
        assert_eq!(seconds("none"), Ok(None));
        for wrong in ["", "s", "-1", "1d", "1e400", "1.2.3"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_size("500M"), Ok(Limit(Some(524_288_000))));
        assert_eq!(parse_size("2GiB"), Ok(Limit(Some(2_147_483_648))));
        assert_eq!(parse_size("1.5k"), Ok(Limit(Some(1536))));
        assert_eq!(parse_size("7"), Ok(Limit(Some(7))));
        for wrong in ["", "G", "2X", "-2G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_come_in_the_order_asked_and_once() {
        let models = |text: &str| {
            let args = ["fencewright", "check", "x.rmm", "--model", text];
            match Args::try_parse_from(args).map(|args| args.command) {
                Ok(Command::Check(args)) => Ok(args.models.models()),
                Ok(_) => unreachable!("`check` was typed"),
                Err(error) => Err(error.to_string()),
            }
        };
        assert_eq!(models("pso,SC,pso"), Ok(vec![Model::Pso, Model::Sc]));
        assert_eq!(models("tso,all"), Ok(vec![Model::Tso, Model::Sc, Model::Pso, Model::Slot]));
        assert!(
            models("arm").is_err_and(|text| text.contains("the models are sc, tso, pso, slot, and `all`"))
        );
    }
}
