//! Linear arithmetic over the integers, by an SMT solver that runs as a process: `z3`, or another that speaks SMT-LIB 2 on
//! its standard input when called with `-smt2 -in`.
//!
//! The solver is looked for on the path unless one is named. It may be missing: then the error says which package brings it,
//! and whoever asked goes without. A model is checked against the formula before it is given out; an `unsat` is taken on
//! trust. A process that dies is started again once for each question.

use std::path::{Path, PathBuf};
use std::time::Duration;

use easy_smt::{Context, ContextBuilder, Response, SExpr};
use fencewright_base::Int;

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

/// A solver.
pub struct Smt {
    program: PathBuf,
    timeout: Duration,
    context: Option<Context>,
    /// The variables that the running process knows: declared once, because each declaration is a question of its own.
    names: Vec<SExpr>,
}

impl std::fmt::Debug for Smt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?} a question)", self.program.display(), self.timeout)
    }
}

impl Smt {
    /// The solver that is named, or `z3`, with so much time for each question.
    pub fn start(program: Option<&Path>, timeout: Duration) -> Result<Smt, SmtError> {
        let program = program.map_or_else(|| PathBuf::from("z3"), Path::to_owned);
        let mut smt = Smt { program, timeout, context: None, names: Vec::new() };
        smt.restart()?;
        Ok(smt)
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    fn restart(&mut self) -> Result<(), SmtError> {
        let missing = |_| SmtError::Missing(self.program.clone());
        let mut context = ContextBuilder::new()
            .solver(&self.program)
            .solver_args(["-smt2", "-in"])
            .build()
            .map_err(missing)?;
        let milliseconds = context.numeral(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX));
        context.set_option(":timeout", milliseconds).map_err(missing)?;
        self.names.clear();
        self.context = Some(context);
        Ok(())
    }

    /// Values of the variables `0..n_vars` that satisfy the formula; `None`: there are none.
    pub fn solve(&mut self, n_vars: usize, formula: &Formula) -> Result<Option<Vec<Int>>, SmtError> {
        let first = self.ask(n_vars, formula);
        let answer = match first {
            Err(SmtError::Failed(_)) => {
                self.context = None;
                self.ask(n_vars, formula)
            }
            answer => answer,
        }?;
        match answer {
            Some(values) if !formula.holds(&values) => {
                Err(SmtError::Failed("its model is no solution".to_owned()))
            }
            answer => Ok(answer),
        }
    }

    fn ask(&mut self, n_vars: usize, formula: &Formula) -> Result<Option<Vec<Int>>, SmtError> {
        if self.context.is_none() {
            self.restart()?;
        }
        let Smt { context: Some(context), names, .. } = self else {
            return Err(SmtError::Failed("it is not running".to_owned()));
        };
        let failed = |error: std::io::Error| SmtError::Failed(error.to_string());
        let sort = context.int_sort();
        while names.len() < n_vars {
            let name = format!("v{}", names.len());
            names.push(context.declare_const(name, sort).map_err(failed)?);
        }
        let names = &names[..n_vars];
        context.push().map_err(failed)?;
        let asserted = expression(context, names, formula);
        context.assert(asserted).map_err(failed)?;
        let answer = match context.check().map_err(failed)? {
            Response::Unsat => Ok(None),
            Response::Unknown => Err(SmtError::Undecided),
            Response::Sat if names.is_empty() => Ok(Some(Vec::new())),
            Response::Sat => {
                let values = context.get_value(names.to_vec()).map_err(failed)?;
                let number = |(_, value): &(SExpr, SExpr)| number(&context.display(*value).to_string());
                let values: Option<Vec<Int>> = values.iter().map(number).collect();
                values.map(Some).ok_or_else(|| SmtError::Failed("a value is no number".to_owned()))
            }
        };
        context.pop().map_err(failed)?;
        answer
    }
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
