//! The corpus: `corpus/<family>/<name>/` holds one program and its `expect.toml`.
//!
//! ```toml
//! source = "where the program and its verdicts come from"
//! level = "core"               # thorough: slow; known-bug: an expectation that must fail
//! engine = "literal"           # optional, compiled programs: only the literal machine can answer (and `auto` with it)
//! refused = "setjmp"           # optional, compiled programs: refused with a diagnostic that has this text; no verdicts
//!
//! [tso]                        # a table a model: sc, tso, pso, slot
//! verdict = "violated"         # or "holds"
//! explicit = "bounded"         # engine `explicit` can say no more than this; or "unknown"
//! fences = "2m 2s"             # the fewest that repair it: m full, s store-store
//! states = ["0:EAX=0;"]        # litmus tests: all outcomes
//! observation = "Sometimes"    # litmus tests: Always, Sometimes or Never
//! why = "the reason"
//!
//! [[ltl]]                      # for each formula
//! formula = "G (P0.Wait -> F P0.Crit)"
//! fairness = "flush process"   # flush, process, both, or none
//! tso = "violated"             # a verdict a model: "holds" or "violated"
//! why = "the reason"
//! ```
//!
//! A program without expectations, an expectation without a source and a key that is not known are errors: a forgotten
//! row must not look like a passed test. `fences` is recorded for the repair and only read here.
//! `corpus/invalid` has a form of its own and is left out.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use fencewright_base::{Budget, CancelToken, Int, Meter, SourceMap};
use fencewright_engine::{
    Context, Engine, Guarantee, Options, OutcomeEngine, Outcomes, Task, Unknown, Verdict, run, run_outcomes,
};
use fencewright_ir::{Claim, Fairness, Program, Property, StateAtom, Temporal};
use fencewright_memory::Model;
use serde::Deserialize;

/// A program of the corpus with what is expected of it.
#[derive(Debug)]
pub struct Entry {
    /// `family/name`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The program.
    pub program: Program,
    /// Whether it always runs, and whether it must pass.
    pub level: Level,
    /// What is expected, model by model.
    pub expected: Vec<(Model, Expectation)>,
    /// What is expected of formulae.
    pub temporal: Vec<TemporalExpectation>,
}

/// What is expected of a formula.
#[derive(Debug, Clone)]
pub struct TemporalExpectation {
    /// The property.
    pub property: Temporal,
    /// The verdicts, model by model.
    pub expected: Vec<(Model, ExpectedVerdict)>,
}

/// A program of the corpus that needs a compiler, with what is expected of it.
#[derive(Debug)]
pub struct CompiledEntry {
    /// `family/name`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Whether it always runs, and whether it must pass.
    pub level: Level,
    /// What is expected, model by model.
    pub expected: Vec<(Model, Expectation)>,
    /// The only engine that can answer; `None`: every engine that reads compiled programs.
    pub engine: Option<OnlyEngine>,
    /// The program is refused, with a diagnostic that contains this text.
    pub refused: Option<String>,
    /// What is expected of formulae.
    formulae: Vec<ExpectFormula>,
}

impl CompiledEntry {
    /// Whether engines that read the lowered program are expected to answer.
    pub fn is_for_lowered(&self) -> bool {
        self.engine.is_none()
    }
}

/// An engine that alone can answer an entry.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnlyEngine {
    /// The literal machine, which executes the compiled text as it stands.
    Literal,
}

/// When an entry runs, and what counts as success.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Always.
    Core,
    /// In full runs only.
    Thorough,
    /// Always, and some expectation must fail: whoever mends it hears of it.
    KnownBug,
}

/// What is expected under one model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Option<ExpectedVerdict>,
    /// How little the engine `explicit` can say.
    pub explicit: Option<Precision>,
    /// The fewest fences that repair it.
    pub fences: Option<String>,
    /// All outcomes.
    pub states: Option<Vec<String>>,
    /// In how many outcomes the condition holds.
    pub observation: Option<Observation>,
    /// The reason.
    pub why: Option<String>,
}

/// A verdict.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum ExpectedVerdict {
    Holds,
    Violated,
}

/// An answer short of the verdict.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// No violation within bounds.
    Bounded,
    /// No answer within the limits of the test.
    Unknown,
}

/// In how many outcomes a condition holds, as herd says it.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Observation {
    Always,
    Sometimes,
    Never,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectFile {
    source: String,
    level: Level,
    engine: Option<OnlyEngine>,
    refused: Option<String>,
    sc: Option<Expectation>,
    tso: Option<Expectation>,
    pso: Option<Expectation>,
    slot: Option<Expectation>,
    rmo: Option<Expectation>,
    #[serde(default)]
    ltl: Vec<ExpectFormula>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectFormula {
    formula: String,
    fairness: String,
    sc: Option<ExpectedVerdict>,
    tso: Option<ExpectedVerdict>,
    pso: Option<ExpectedVerdict>,
    slot: Option<ExpectedVerdict>,
    why: String,
}

/// All entries below `root` that are read without a compiler, sorted by name; or everything that is wrong with them.
pub fn load(root: &Path) -> Result<Vec<Entry>, Vec<String>> {
    each_folder(root, |folder| {
        let CompiledEntry { name, path, level, expected, engine, refused, formulae } =
            load_expectations(folder)?;
        if is_compiled(&path) {
            return Ok(None);
        }
        if engine.is_some() || refused.is_some() {
            return Err("expect.toml: `engine` and `refused` are for compiled programs".to_owned());
        }
        let program = load_program(&path)?;
        let temporal =
            formulae.into_iter().map(|formula| temporal(formula, &program)).collect::<Result<_, _>>()?;
        Ok(Some(Entry { name, path, program, level, expected, temporal }))
    })
}

/// All entries below `root` that need a compiler, sorted by name; or everything that is wrong with them.
pub fn load_compiled(root: &Path) -> Result<Vec<CompiledEntry>, Vec<String>> {
    each_folder(root, |folder| {
        load_expectations(folder).map(|entry| is_compiled(&entry.path).then_some(entry))
    })
}

fn each_folder<T>(
    root: &Path,
    load: impl Fn(&Path) -> Result<Option<T>, String>,
) -> Result<Vec<T>, Vec<String>> {
    let mut entries = Vec::new();
    let mut errors = Vec::new();
    for family in folders(root) {
        if family.ends_with("invalid") {
            continue;
        }
        for folder in folders(&family) {
            match load(&folder) {
                Ok(entry) => entries.extend(entry),
                Err(error) => errors.push(format!("{}: {error}", folder.display())),
            }
        }
    }
    if errors.is_empty() { Ok(entries) } else { Err(errors) }
}

fn is_compiled(path: &Path) -> bool {
    let name = path.to_string_lossy();
    fencewright_frontend::language_of(&name).is_some_and(|language| language.dialect.is_some())
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(root).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
    let paths = entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir());
    paths.collect::<BTreeSet<_>>().into_iter().collect()
}

fn load_expectations(folder: &Path) -> Result<CompiledEntry, String> {
    let text = std::fs::read_to_string(folder.join("expect.toml"))
        .map_err(|_| "there is no expect.toml: say what is expected of the program".to_owned())?;
    let Expectations { level, engine, refused, expected, formulae } = parse_expectations(&text)?;
    let files = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut programs: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    programs.retain(|path| !path.ends_with("expect.toml"));
    let [path] = &programs[..] else {
        return Err(format!("there are {} files beside expect.toml, not one program", programs.len()));
    };
    let name = folder.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
    let name = name.into_iter().rev().collect::<Vec<_>>().join("/");
    Ok(CompiledEntry { name, path: path.clone(), level, expected, engine, refused, formulae })
}

fn temporal(expected: ExpectFormula, program: &Program) -> Result<TemporalExpectation, String> {
    let ExpectFormula { formula: text, fairness, sc, tso, pso, slot, why } = expected;
    let says = |what: &str| Err(format!("expect.toml: formula `{text}` {what}"));
    let fairness = match fairness.as_str() {
        "none" => Fairness { flush: false, process: false },
        "flush" => Fairness { flush: true, process: false },
        "process" => Fairness { flush: false, process: true },
        "flush process" => Fairness { flush: true, process: true },
        _ => return says("has a `fairness` other than none, flush, process, flush process"),
    };
    if why.trim().is_empty() {
        return says("has an empty `why`");
    }
    let mut sources = SourceMap::new();
    let file = sources.add("formula", text.as_str());
    let formula = match fencewright_frontend::ltl::formula(&sources, file, program) {
        Ok(formula) => formula,
        Err(errors) => return says(&format!("is wrong: {}", errors[0].message)),
    };
    let verdicts = [(Model::Sc, sc), (Model::Tso, tso), (Model::Pso, pso), (Model::Slot, slot)];
    let expected: Vec<_> =
        verdicts.into_iter().filter_map(|(model, verdict)| Some((model, verdict?))).collect();
    if expected.is_empty() {
        return says("is expected to do nothing under any model");
    }
    Ok(TemporalExpectation {
        property: Temporal { claim: Claim::Formula(formula), fairness, text, span: None },
        expected,
    })
}

/// An expect.toml that was checked.
#[derive(Debug)]
struct Expectations {
    level: Level,
    engine: Option<OnlyEngine>,
    refused: Option<String>,
    expected: Vec<(Model, Expectation)>,
    formulae: Vec<ExpectFormula>,
}

fn parse_expectations(text: &str) -> Result<Expectations, String> {
    let ExpectFile { source, level, engine, refused, sc, tso, pso, slot, rmo, ltl } =
        toml::from_str(text).map_err(|error| format!("expect.toml: {error}"))?;
    if source.trim().is_empty() {
        return Err("expect.toml: `source` is empty: say where the expectations come from".to_owned());
    }
    let mut expected = Vec::new();
    let models =
        [(Model::Sc, sc), (Model::Tso, tso), (Model::Pso, pso), (Model::Slot, slot), (Model::Rmo, rmo)];
    for (model, expectation) in models {
        let Some(expectation) = expectation else { continue };
        let says = |what: &str| Err(format!("expect.toml: [{}] {what}", model.name()));
        if expectation.verdict.is_none() && expectation.states.is_none() {
            return says("expects nothing: give a `verdict` or `states`");
        }
        if expectation.why.as_ref().is_some_and(|why| why.trim().is_empty()) {
            return says("has an empty `why`");
        }
        if expectation.explicit.is_some() && expectation.verdict.is_none() {
            return says("has `explicit` without `verdict`");
        }
        expected.push((model, expectation));
    }
    match &refused {
        Some(text) if text.trim().is_empty() => return Err("expect.toml: `refused` is empty".to_owned()),
        Some(_) if !expected.is_empty() || !ltl.is_empty() => {
            return Err("expect.toml: a program that is refused has no verdicts".to_owned());
        }
        None if expected.is_empty() => {
            return Err("expect.toml: no model is expected to do anything".to_owned());
        }
        _ => {}
    }
    Ok(Expectations { level, engine, refused, expected, formulae: ltl })
}

/// Reads a program in an input language, or in the text form of the representation (`.ir`).
pub fn load_program(path: &Path) -> Result<Program, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.ends_with(".ir") {
        return fencewright_ir::text::parse(&text).map_err(|error| format!("{name}: {error:?}"));
    }
    let language = fencewright_frontend::language_of(&name)
        .ok_or_else(|| format!("{name} is not in a language that is known by its ending"))?;
    let mut sources = SourceMap::new();
    let file = sources.add(name.clone(), text);
    match (language.load)(&sources, file) {
        Ok(loaded) => Ok(loaded.program),
        Err(diagnostics) => {
            let all = diagnostics
                .iter()
                .map(|d| format!("{}: {}: {}", sources.location(d.primary.span), d.code.name, d.message));
            Err(all.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// An expectation that was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// `family/name` and the model.
    pub test: String,
    /// What was expected and what was found.
    pub text: String,
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.test, self.text)
    }
}

/// What the engine may spend on one answer of the corpus.
fn budget() -> Budget {
    Budget { time: None, memory: Some(1 << 30), states: Some(2_000_000) }
}

/// Checks the entry under all its models. For a known bug, success and failure change places.
pub fn check(engine: &dyn OutcomeEngine, entry: &Entry) -> Vec<Missed> {
    let missed: Vec<Missed> = entry
        .expected
        .iter()
        // What cannot be walked through is asked of those who can answer: `check_without_walking`.
        .filter(|(model, _)| model.is_operational())
        .filter_map(|(model, expectation)| {
            let text = check_model(engine, &entry.program, *model, expectation).err()?;
            Some(Missed { test: format!("{} under {}", entry.name, model.name()), text })
        })
        .collect();
    match entry.level {
        Level::Core | Level::Thorough => missed,
        Level::KnownBug if missed.is_empty() => {
            let text = "is a known bug, yet everything is as expected: make it `core`".to_owned();
            vec![Missed { test: entry.name.clone(), text }]
        }
        Level::KnownBug => Vec::new(),
    }
}

/// Checks the entry under the models that are not operational, for an engine that knows them.
pub fn check_without_walking(engine: &dyn OutcomeEngine, entry: &Entry) -> Vec<Missed> {
    let theirs = entry.expected.iter().filter(|(model, _)| !model.is_operational());
    let missed = theirs.filter_map(|(model, expectation)| {
        let text = check_model(engine, &entry.program, *model, expectation).err()?;
        Some(Missed { test: format!("{} under {}", entry.name, model.name()), text })
    });
    missed.collect()
}

/// Checks what is expected of the entry's formulae.
pub fn check_temporal(engine: &dyn Engine, entry: &Entry) -> Vec<Missed> {
    let mut missed = Vec::new();
    for TemporalExpectation { property, expected } in &entry.temporal {
        let properties = vec![Property::Temporal(property.clone())];
        let program = Program { properties, ..entry.program.clone() };
        for (model, expected) in expected {
            let task = Task { program: &program, model: *model, options: Options::default() };
            let mut context = Context::quiet(Meter::start(budget(), CancelToken::new()));
            let text = match (run(engine, &task, &mut context).map(|answer| answer.verdict), expected) {
                (Ok(Verdict::Holds(Guarantee::Unbounded)), ExpectedVerdict::Holds)
                | (Ok(Verdict::Violated(_)), ExpectedVerdict::Violated) => continue,
                (Ok(verdict), _) => {
                    format!(
                        "expected {expected:?} of `{}`; {} says: {verdict:?}",
                        property.text,
                        engine.name()
                    )
                }
                (Err(rejected), _) => rejected.to_string(),
            };
            let fairness = property.fairness;
            missed.push(Missed {
                test: format!("{} under {} with {fairness:?}", entry.name, model.name()),
                text,
            });
        }
    }
    missed
}

/// Checks one program under one model.
pub fn check_model(
    engine: &dyn OutcomeEngine,
    program: &Program,
    model: Model,
    expectation: &Expectation,
) -> Result<(), String> {
    let Expectation { verdict, explicit, fences: _, states, observation, why: _ } = expectation;
    if let Some(verdict) = verdict {
        let less = explicit.filter(|_| engine.name() == "explicit");
        // Where only a bounded answer is expected, a bound is given: the engine would grow it until the budget ends.
        let buffer = (less == Some(Precision::Bounded)).then_some(2);
        let task = Task { program, model, options: Options { buffer, ..Options::default() } };
        let mut context = Context::quiet(Meter::start(budget(), CancelToken::new()));
        let answer = run(engine, &task, &mut context).map_err(|rejected| rejected.to_string())?;
        let expected = match (less, verdict) {
            (Some(Precision::Bounded), _) => "holds up to a bound",
            (Some(Precision::Unknown), _) => "unknown",
            (None, ExpectedVerdict::Holds) => "holds",
            (None, ExpectedVerdict::Violated) => "violated",
        };
        let found = match &answer.verdict {
            Verdict::Holds(Guarantee::Unbounded) => "holds",
            Verdict::Holds(Guarantee::UpTo(_)) => "holds up to a bound",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        };
        if expected != found {
            return Err(format!("expected: {expected}; {} says: {:?}", engine.name(), answer.verdict));
        }
    }
    if states.is_some() || observation.is_some() {
        let outcomes = outcomes(engine, program, model)?;
        if outcomes.guarantee != Guarantee::Unbounded {
            return Err("the outcomes are known within a bound only".to_owned());
        }
        let found = outcome_texts(program, &outcomes)?;
        let expected: Option<BTreeSet<String>> =
            states.as_ref().map(|states| states.iter().cloned().collect());
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(format!("expected the outcomes {expected:?}; {} finds {found:?}", engine.name()));
        }
        let seen = observed(&outcomes);
        if observation.is_some_and(|observation| observation != seen) {
            return Err(format!("expected {observation:?}; {} finds {seen:?}", engine.name()));
        }
    }
    Ok(())
}

fn final_property(program: &Program) -> Result<&Property, String> {
    let is_final = |property: &&Property| matches!(property, Property::Final { .. });
    program.properties.iter().find(is_final).ok_or_else(|| "it has no condition on final states".to_owned())
}

fn outcomes(engine: &dyn OutcomeEngine, program: &Program, model: Model) -> Result<Outcomes, String> {
    let task = Task { program, model, options: Options::default() };
    let mut context = Context::quiet(Meter::start(budget(), CancelToken::new()));
    run_outcomes(engine, &task, final_property(program)?, &mut context)
        .map_err(|rejected| rejected.to_string())?
        .map_err(|unknown: Unknown| format!("no outcomes: {unknown:?}"))
}

/// The outcomes as herd writes them: `0:EAX=0; [x]=1;`.
fn outcome_texts(program: &Program, outcomes: &Outcomes) -> Result<BTreeSet<String>, String> {
    let Property::Final { observed, .. } = final_property(program)? else {
        unreachable!("it is a condition on final states")
    };
    let part = |(atom, value): (&StateAtom, &Int)| match atom {
        StateAtom::Register(t, r) => format!("{}:{}={value};", t.0, program.threads[*t].regs[*r].name),
        StateAtom::Cell(cell) => format!("[{}]={value};", program.cell_name(*cell)),
        StateAtom::At(t, loc) => format!("{}@{}={value};", t.0, loc.0),
    };
    let text = |values: &[Int]| observed.iter().zip(values).map(part).collect::<Vec<_>>().join(" ");
    Ok(outcomes.outcomes.iter().map(|outcome| text(&outcome.values)).collect())
}

fn observed(outcomes: &Outcomes) -> Observation {
    let satisfied = outcomes.outcomes.iter().filter(|outcome| outcome.satisfies).count();
    match satisfied {
        0 => Observation::Never,
        all if all == outcomes.outcomes.len() => Observation::Always,
        _ => Observation::Sometimes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        parse_expectations(text).map(|_| ()).unwrap_err()
    }

    #[test]
    fn an_expectation_that_expects_nothing_is_an_error() {
        let head = "source = \"s\"\nlevel = \"core\"\n";
        assert!(parse_expectations(&format!("{head}[sc]\nverdict = \"holds\"")).is_ok());
        assert!(wrong("level = \"core\"\n[sc]\nverdict = \"holds\"").contains("missing field `source`"));
        assert!(
            wrong("source = \" \"\nlevel = \"core\"\n[sc]\nverdict = \"holds\"")
                .contains("`source` is empty")
        );
        assert!(
            wrong("source = \"s\"\nlevel = \"later\"\n[sc]\nverdict = \"holds\"").contains("unknown variant")
        );
        assert!(wrong(head).contains("no model"));
        assert!(wrong(&format!("{head}[sc]\nwhy = \"w\"")).contains("[sc] expects nothing"));
        assert!(wrong(&format!("{head}[sc]\nverdict = \"maybe\"")).contains("unknown variant"));
        assert!(wrong(&format!("{head}[sc]\nverdict = \"holds\"\nverdcit = 1")).contains("unknown field"));
        assert!(wrong(&format!("{head}[arm]\nverdict = \"holds\"")).contains("unknown field"));
        assert!(wrong(&format!("{head}[sc]\nverdict = \"holds\"\nwhy = \"\"")).contains("empty `why`"));
        assert!(
            wrong(&format!("{head}[sc]\nstates = []\nexplicit = \"bounded\"")).contains("without `verdict`")
        );
        assert!(
            wrong(&format!("{head}engine = \"bmc\"\n[sc]\nverdict = \"holds\"")).contains("unknown variant")
        );
    }

    #[test]
    fn a_program_that_is_refused_has_no_verdicts() {
        let head = "source = \"s\"\nlevel = \"core\"\nengine = \"literal\"\n";
        let refused = parse_expectations(&format!("{head}refused = \"setjmp\"")).unwrap();
        assert_eq!((refused.engine, refused.refused.as_deref()), (Some(OnlyEngine::Literal), Some("setjmp")));
        assert!(refused.expected.is_empty());
        assert!(wrong(&format!("{head}refused = \" \"")).contains("`refused` is empty"));
        assert!(
            wrong(&format!("{head}refused = \"setjmp\"\n[sc]\nverdict = \"holds\"")).contains("no verdicts")
        );
    }
}
