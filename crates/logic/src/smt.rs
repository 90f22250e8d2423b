//! Linear arithmetic over the integers, by an SMT solver that runs as a process: `z3`, or another that speaks SMT-LIB 2 on
//! its standard input when called with `-smt2 -in`.
//!
//! The solver is looked for on the path unless one is named. It may be missing: then the error says which package brings it,
//! and whoever asked goes without. A model is checked against the formula before it is given out; an `unsat` is taken on
//! trust. A process that dies is started again once for each question. One that does not answer in time is killed, and so is
//! one that somebody waits for who was told to stop.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use easy_smt::{Context, ContextBuilder, SExpr};
use fencewright_base::Int;

use crate::solver_process::{Process, read};

/// `Σ factor · variable + constant ≤ 0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtMost {
    /// Variables with their factors.
    pub terms: Vec<(u32, Int)>,
    /// The constant.
    pub constant: Int,
}

/// A formula over integer variables that are called by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// A linear condition.
    AtMost(AtMost),
    /// Not so.
    Not(Box<Formula>),
    /// All of them.
    All(Vec<Formula>),
    /// At least one of them.
    Any(Vec<Formula>),
}

impl Formula {
    /// Whether it is true of these values. Panics if a variable has none.
    pub fn holds(&self, values: &[Int]) -> bool {
        match self {
            Formula::AtMost(AtMost { terms, constant }) => {
                let add = |sum: Int, (var, factor): &(u32, Int)| sum.add(&factor.mul(&values[*var as usize]));
                terms.iter().fold(constant.clone(), add) <= Int::ZERO
            }
            Formula::Not(formula) => !formula.holds(values),
            Formula::All(all) => all.iter().all(|formula| formula.holds(values)),
            Formula::Any(any) => any.iter().any(|formula| formula.holds(values)),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SmtError {
    /// There is no such program.
    #[error("the solver `{0}` cannot be started: install the Debian package `z3`, or name one with --solver")]
    Missing(PathBuf),
    /// It did not decide in time, or at all.
    #[error("the solver gave no answer within its time")]
    Undecided,
    /// It said something that cannot be understood, or that is wrong.
    #[error("the solver failed: {0}")]
    Failed(String),
}

/// Asked by whoever waits for the solver.
pub(crate) type Stopping = Arc<dyn Fn() -> bool + Send + Sync>;

/// A solver that does not keep to the time it was given is killed so much later.
pub(crate) const LATE: Duration = Duration::from_secs(1);

/// A solver.
pub struct Smt {
    program: PathBuf,
    timeout: Duration,
    stop: Stopping,
    /// Where expressions are made.
    terms: Context,
    process: Option<Process>,
    /// The variables that the running process knows: declared once, because each declaration is a question of its own.
    names: Vec<SExpr>,
}

impl std::fmt::Debug for Smt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?} a question)", self.program.display(), self.timeout)
    }
}

/// Expressions without a solver.
pub(crate) fn terms() -> Result<Context, SmtError> {
    ContextBuilder::new().without_solver().build().map_err(|error| SmtError::Failed(error.to_string()))
}

impl Smt {
    /// The solver that is named, or `z3`, with so much time for each question.
    pub fn start(program: Option<&Path>, timeout: Duration) -> Result<Smt, SmtError> {
        let program = program.map_or_else(|| PathBuf::from("z3"), Path::to_owned);
        let stop: Stopping = Arc::new(|| false);
        let mut smt = Smt { program, timeout, stop, terms: terms()?, process: None, names: Vec::new() };
        smt.restart()?;
        Ok(smt)
    }

    /// From now on questions end undecided, and the process is killed, when this says so.
    pub fn stop_when(&mut self, stop: impl Fn() -> bool + Send + Sync + 'static) {
        self.stop = Arc::new(stop);
    }

    /// A process that acknowledges commands and has so much time for each.
    pub(crate) fn new_process(&self) -> Result<Process, SmtError> {
        let missing = || SmtError::Missing(self.program.clone());
        let mut process = Process::start(&self.program).map_err(|_| missing())?;
        let milliseconds = u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX);
        for option in [
            ":print-success true".to_owned(),
            ":produce-models true".to_owned(),
            format!(":timeout {milliseconds}"),
        ] {
            let option = format!("(set-option {option})");
            process.order(&option, LATE, &*self.stop).map_err(|error| match error {
                SmtError::Undecided if (self.stop)() => error,
                _ => missing(),
            })?;
        }
        Ok(process)
    }

    pub(crate) fn stop(&self) -> &Stopping {
        &self.stop
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    fn restart(&mut self) -> Result<(), SmtError> {
        self.process = None;
        self.names.clear();
        self.process = Some(self.new_process()?);
        Ok(())
    }

    /// Values of the variables `0..n_vars` that satisfy the formula; `None`: there are none.
    pub fn solve(&mut self, n_vars: usize, formula: &Formula) -> Result<Option<Vec<Int>>, SmtError> {
        let first = self.ask(n_vars, formula);
        let answer = match first {
            Err(SmtError::Failed(_)) => {
                self.process = None;
                self.ask(n_vars, formula)
            }
            answer => answer,
        };
        if answer.is_err() {
            // What it was in the middle of is not known.
            self.process = None;
        }
        match answer? {
            Some(values) if !formula.holds(&values) => {
                Err(SmtError::Failed("its model is no solution".to_owned()))
            }
            answer => Ok(answer),
        }
    }

    fn ask(&mut self, n_vars: usize, formula: &Formula) -> Result<Option<Vec<Int>>, SmtError> {
        if self.process.is_none() {
            self.restart()?;
        }
        let limit = self.timeout + LATE;
        let Smt { process: Some(process), names, terms, stop, .. } = self else {
            return Err(SmtError::Failed("it is not running".to_owned()));
        };
        while names.len() < n_vars {
            let name = format!("v{}", names.len());
            process.order(&format!("(declare-const {name} Int)"), limit, &**stop)?;
            names.push(terms.atom(name));
        }
        let names = &names[..n_vars];
        process.order("(push 1)", limit, &**stop)?;
        let asserted = expression(terms, names, formula);
        process.order(&format!("(assert {})", terms.display(asserted)), limit, &**stop)?;
        let said = process.ask("(check-sat)", limit, &**stop)?;
        let answer = match said.trim() {
            "unsat" => Ok(None),
            "sat" if names.is_empty() => Ok(Some(Vec::new())),
            "sat" => {
                let wanted: Vec<String> = names.iter().map(|name| terms.display(*name).to_string()).collect();
                let said = process.ask(&format!("(get-value ({}))", wanted.join(" ")), limit, &**stop)?;
                values(terms, &said)
                    .map(Some)
                    .ok_or_else(|| SmtError::Failed("a value is no number".to_owned()))
            }
            "unknown" | "timeout" => Err(SmtError::Undecided),
            other => Err(SmtError::Failed(other.to_owned())),
        };
        process.order("(pop 1)", limit, &**stop)?;
        answer
    }
}

/// The values in `((v0 5) (v1 (- 3)))`.
fn values(terms: &Context, answer: &str) -> Option<Vec<Int>> {
    let pairs = read(terms, answer)?;
    let value = |pair: &SExpr| match terms.get_list(*pair)? {
        [_, value] => number(&terms.display(*value).to_string()),
        _ => None,
    };
    terms.get_list(pairs)?.iter().map(value).collect()
}

pub(crate) fn expression(context: &Context, names: &[SExpr], formula: &Formula) -> SExpr {
    match formula {
        Formula::AtMost(term) => context.lte(sum(context, names, term), context.numeral(0)),
        Formula::Not(formula) => context.not(expression(context, names, formula)),
        Formula::All(all) if all.is_empty() => context.true_(),
        Formula::Any(any) if any.is_empty() => context.false_(),
        Formula::All(all) => context.and_many(all.iter().map(|formula| expression(context, names, formula))),
        Formula::Any(any) => context.or_many(any.iter().map(|formula| expression(context, names, formula))),
    }
}

/// The sum, whatever it is held against.
pub(crate) fn sum(context: &Context, names: &[SExpr], AtMost { terms, constant: rest }: &AtMost) -> SExpr {
    let constant = |value: &Int| {
        let magnitude =
            context.atom(if *value < Int::ZERO { value.neg() } else { value.clone() }.to_string());
        if *value < Int::ZERO { context.negate(magnitude) } else { magnitude }
    };
    let mut sum = vec![context.atom("+"), constant(rest), constant(&Int::ZERO)];
    for (var, factor) in terms {
        sum.push(context.times(constant(factor), names[*var as usize]));
    }
    context.list(sum)
}

/// `5` or `(- 5)`.
fn number(text: &str) -> Option<Int> {
    match text.strip_prefix("(-").and_then(|rest| rest.strip_suffix(')')) {
        Some(magnitude) => magnitude.trim().parse::<Int>().ok().map(|value| value.neg()),
        None => text.trim().parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_most(terms: &[(u32, i64)], constant: i64) -> Formula {
        let terms = terms.iter().map(|(var, factor)| (*var, Int::from(*factor))).collect();
        Formula::AtMost(AtMost { terms, constant: Int::from(constant) })
    }

    fn z3() -> Smt {
        Smt::start(None, Duration::from_secs(10)).expect("`cargo xtask setup` installs z3")
    }

    #[test]
    fn models_are_solutions_and_refutations_are_found() {
        let mut smt = z3();
        // 2x = 3y + 1 and x > 10^30: past every machine integer.
        let large: Int = "1000000000000000000000000000000".parse().expect("a number");
        let equal = [at_most(&[(0, 2), (1, -3)], -1), at_most(&[(0, -2), (1, 3)], 1)];
        let past = AtMost { terms: vec![(0, Int::from(-1))], constant: large.clone() };
        let formula = Formula::All([&equal[..], &[Formula::AtMost(past)]].concat());
        let values = smt.solve(2, &formula).expect("an answer").expect("a solution");
        assert!(values[0] >= large && formula.holds(&values), "{values:?}");
        // 2x = 2y + 1 has no solution in integers.
        let odd = Formula::All(vec![at_most(&[(0, 2), (1, -2)], -1), at_most(&[(0, -2), (1, 2)], 1)]);
        assert_eq!(smt.solve(2, &odd), Ok(None));
        let either = Formula::Any(vec![odd, Formula::Not(Box::new(at_most(&[(1, 1)], 7)))]);
        let values = smt.solve(2, &either).expect("an answer").expect("a solution");
        assert!(values[1] > Int::from(-7));
        assert_eq!(smt.solve(0, &Formula::Any(Vec::new())), Ok(None));
    }

    #[test]
    fn a_solver_that_is_missing_is_named_with_its_package() {
        let error =
            Smt::start(Some(Path::new("/nowhere/z3")), Duration::from_secs(1)).expect_err("none there");
        assert_eq!(error, SmtError::Missing(PathBuf::from("/nowhere/z3")));
        assert!(error.to_string().contains("Debian package `z3`"), "{error}");
    }

    #[test]
    fn a_solver_that_is_none_fails() {
        let Err(error) = Smt::start(Some(Path::new("true")), Duration::from_secs(1)) else {
            panic!("`true` is no solver")
        };
        assert!(matches!(error, SmtError::Missing(_) | SmtError::Failed(_)), "{error}");
    }
}
