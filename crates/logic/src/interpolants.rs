//! Sequence interpolants: for a chain of steps that cannot all be made, what is known between them.
//!
//! The chain is put to the solver as Horn clauses, `I₁(x) ∧ step(x, x') → I₂(x')` and so on, the last with `false` (K. L. McMillan, A.
//! Rybalchenko, *Solving constrained Horn clauses using interpolation*, 2013; z3's engine for them is Spacer). A solution is a
//! formula for each place between two steps. *Contract:* every formula that is given out was checked with plain
//! questions: each step leads from the one before it to the one behind it, and the last step from its formula to nothing.
//! Without quantifiers, division or remainders: an answer that has them fails.

use easy_smt::{Context, SExpr, SExprData};
use fencewright_base::Int;

use crate::smt::{AtMost, Formula, LATE, Smt, SmtError, expression, sum, terms};
use crate::solver_process::read;

/// A step. Variables below `n_before` are given; those from there to `n_all` are any that satisfy the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How many variables it starts from: as many as the link before has terms.
    pub n_before: usize,
    /// With those that are new.
    pub n_all: usize,
    /// What it demands: `term ≤ 0` for each.
    pub guard: Vec<AtMost>,
    /// Terms for the variables behind it.
    pub after: Vec<AtMost>,
}

impl AtMost {
    /// The same with a term for each variable.
    fn substitute(&self, of: &[AtMost]) -> AtMost {
        let mut all = AtMost { terms: Vec::new(), constant: self.constant.clone() };
        for (var, factor) in &self.terms {
            all.add(&of[*var as usize], factor);
        }
        all
    }

    /// Adds a multiple of another term.
    fn add(&mut self, other: &AtMost, factor: &Int) {
        self.constant = self.constant.add(&other.constant.mul(factor));
        for (var, own) in &other.terms {
            let more = own.mul(factor);
            match self.terms.binary_search_by_key(var, |(var, _)| *var) {
                Ok(place) => {
                    self.terms[place].1 = self.terms[place].1.add(&more);
                    if self.terms[place].1.is_zero() {
                        self.terms.remove(place);
                    }
                }
                Err(_) if more.is_zero() => {}
                Err(place) => self.terms.insert(place, (*var, more)),
            }
        }
    }
}

impl Formula {
    /// The same with a term for each variable.
    fn substitute(&self, of: &[AtMost]) -> Formula {
        let each = |all: &[Formula]| all.iter().map(|formula| formula.substitute(of)).collect();
        match self {
            Formula::AtMost(term) => Formula::AtMost(term.substitute(of)),
            Formula::Not(formula) => Formula::Not(Box::new(formula.substitute(of))),
            Formula::All(all) => Formula::All(each(all)),
            Formula::Any(any) => Formula::Any(each(any)),
        }
    }
}

impl Smt {
    /// What is known before each link but the first, so that the links follow from each other and the last is impossible.
    /// `None`: all of them can be made. The first link starts from no variables.
    pub fn interpolants(&mut self, chain: &[Link]) -> Result<Option<Vec<Formula>>, SmtError> {
        let Some(found) = self.horn(chain)? else { return Ok(None) };
        let wrong = || SmtError::Failed("its interpolants are none".to_owned());
        let truth = Formula::All(Vec::new());
        for (nth, link) in chain.iter().enumerate() {
            let mut counterexample = vec![if nth == 0 { truth.clone() } else { found[nth - 1].clone() }];
            counterexample.extend(link.guard.iter().cloned().map(Formula::AtMost));
            if let Some(next) = found.get(nth) {
                counterexample.push(Formula::Not(Box::new(next.substitute(&link.after))));
            }
            if self.solve(link.n_all, &Formula::All(counterexample))?.is_some() {
                return Err(wrong());
            }
        }
        Ok(Some(found))
    }

    /// The solver's answer, not checked.
    fn horn(&self, chain: &[Link]) -> Result<Option<Vec<Formula>>, SmtError> {
        // The logic cannot be changed later, so this is a process of its own.
        let mut process = self.new_process()?;
        let context = terms()?;
        let limit = self.timeout() + LATE;
        let stop = self.stop().clone();
        // Each of these would take away the formulae that are asked for.
        for kept in ["inline_eager", "inline_linear", "slice"] {
            process.order(&format!("(set-option :fp.xform.{kept} false)"), limit, &*stop)?;
        }
        process.order("(set-logic HORN)", limit, &*stop)?;
        let int = context.int_sort();
        for (nth, link) in chain.iter().enumerate().skip(1) {
            let sorts = vec!["Int"; link.n_before].join(" ");
            process.order(&format!("(declare-fun I{nth} ({sorts}) Bool)"), limit, &*stop)?;
        }
        for (nth, link) in chain.iter().enumerate() {
            let names: Vec<SExpr> = (0..link.n_all).map(|var| context.atom(format!("v{var}"))).collect();
            let applied = |nth: usize, arguments: Vec<SExpr>| {
                let name = context.atom(format!("I{nth}"));
                if arguments.is_empty() { name } else { context.list([vec![name], arguments].concat()) }
            };
            let mut all = vec![context.true_()];
            if nth > 0 {
                all.push(applied(nth, names[..link.n_before].to_vec()));
            }
            let guard = link.guard.iter().cloned().map(Formula::AtMost);
            all.extend(guard.map(|atom| expression(&context, &names, &atom)));
            let then = if nth + 1 == chain.len() {
                context.false_()
            } else {
                let values = link.after.iter().map(|term| sum(&context, &names, term));
                applied(nth + 1, values.collect())
            };
            let mut clause = context.imp(context.and_many(all), then);
            if link.n_all > 0 {
                clause = context.forall((0..link.n_all).map(|var| (format!("v{var}"), int)), clause);
            }
            process.order(&format!("(assert {})", context.display(clause)), limit, &*stop)?;
        }
        match process.ask("(check-sat)", limit, &*stop)?.trim() {
            "unsat" => return Ok(None),
            "sat" => {}
            "unknown" | "timeout" => return Err(SmtError::Undecided),
            other => return Err(SmtError::Failed(other.to_owned())),
        }
        let said = process.ask("(get-model)", limit, &*stop)?;
        let mut found = vec![None; chain.len().saturating_sub(1)];
        let wrong = || SmtError::Failed("an interpolant cannot be read".to_owned());
        let model = read(&context, &said).ok_or_else(wrong)?;
        for &definition in context.get_list(model).ok_or_else(wrong)? {
            // (define-fun I3 ((x!0 Int) …) Bool body); other functions are of no interest.
            let Some(&[_, name, parameters, _, body]) = context.get_list(definition) else { continue };
            let place = context.get_atom(name).and_then(|name| name.strip_prefix('I')?.parse::<usize>().ok());
            let Some(slot) = place.and_then(|place| found.get_mut(place.wrapping_sub(1))) else { continue };
            *slot = Reader::of(&context, parameters).and_then(|reader| reader.formula(body));
            if slot.is_none() {
                return Err(wrong());
            }
        }
        // What the model does not mention may be anything.
        Ok(Some(found.into_iter().map(|formula| formula.unwrap_or(Formula::All(Vec::new()))).collect()))
    }
}

/// Reads formulae of the solver.
struct Reader<'c> {
    context: &'c Context,
    /// Names and what they stand for; later ones hide earlier ones.
    names: Vec<(String, Meaning)>,
}

#[derive(Debug, Clone)]
enum Meaning {
    Term(AtMost),
    Formula(Formula),
}

impl<'c> Reader<'c> {
    fn of(context: &'c Context, parameters: SExpr) -> Option<Self> {
        let mut names = Vec::new();
        // An empty list reads as an atom or a list, as the solver likes.
        for (var, &parameter) in context.get_list(parameters).unwrap_or(&[]).iter().enumerate() {
            let name = context.get_atom(*context.get_list(parameter)?.first()?)?;
            let term = AtMost { terms: vec![(u32::try_from(var).ok()?, Int::ONE)], constant: Int::ZERO };
            names.push((name.to_owned(), Meaning::Term(term)));
        }
        Some(Reader { context, names })
    }

    fn named(&self, name: &str) -> Option<&Meaning> {
        self.names.iter().rev().find(|(other, _)| other == name).map(|(_, meaning)| meaning)
    }

    /// With the names of a `let`.
    fn inside(&self, bindings: SExpr) -> Option<Reader<'c>> {
        let mut names = self.names.clone();
        for &binding in self.context.get_list(bindings)? {
            let &[name, value] = self.context.get_list(binding)? else { return None };
            let meaning = match self.term(value) {
                Some(term) => Meaning::Term(term),
                None => Meaning::Formula(self.formula(value)?),
            };
            names.push((self.context.get_atom(name)?.to_owned(), meaning));
        }
        Some(Reader { context: self.context, names })
    }

    fn formula(&self, expr: SExpr) -> Option<Formula> {
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        let (head, rest) = match self.context.get(expr) {
            SExprData::Atom("true") => return Some(Formula::All(Vec::new())),
            SExprData::Atom("false") => return Some(Formula::Any(Vec::new())),
            SExprData::Atom(name) => match self.named(name)? {
                Meaning::Formula(formula) => return Some(formula.clone()),
                Meaning::Term(_) => return None,
            },
            SExprData::String(_) => return None,
            SExprData::List(list) => list.split_first()?,
        };
        let each = || rest.iter().map(|&part| self.formula(part)).collect::<Option<Vec<Formula>>>();
        // a + constant ≤ b
        let le = |a: SExpr, b: SExpr, constant: i64| {
            let mut term = self.term(a)?;
            term.add(&self.term(b)?, &Int::from(-1));
            term.constant = term.constant.add(&Int::from(constant));
            Some(Formula::AtMost(term))
        };
        match (self.context.get_atom(*head)?, rest) {
            ("let", &[bindings, body]) => self.inside(bindings)?.formula(body),
            ("and", _) => Some(Formula::All(each()?)),
            ("or", _) => Some(Formula::Any(each()?)),
            ("not", &[part]) => Some(not(self.formula(part)?)),
            ("=>", &[a, b]) => Some(Formula::Any(vec![not(self.formula(a)?), self.formula(b)?])),
            ("<=", &[a, b]) => le(a, b, 0),
            (">=", &[a, b]) => le(b, a, 0),
            ("<", &[a, b]) => le(a, b, 1),
            (">", &[a, b]) => le(b, a, 1),
            ("=", &[a, b]) => Some(Formula::All(vec![le(a, b, 0)?, le(b, a, 0)?])),
            _ => None,
        }
    }

    fn term(&self, expr: SExpr) -> Option<AtMost> {
        let constant = |constant: Int| AtMost { terms: Vec::new(), constant };
        let (head, rest) = match self.context.get(expr) {
            SExprData::Atom(name) => {
                return match self.named(name) {
                    Some(Meaning::Term(term)) => Some(term.clone()),
                    Some(Meaning::Formula(_)) => None,
                    None => name.parse().ok().map(constant),
                };
            }
            SExprData::String(_) => return None,
            SExprData::List(list) => list.split_first()?,
        };
        let head = self.context.get_atom(*head)?;
        if let ("let", &[bindings, body]) = (head, rest) {
            return self.inside(bindings)?.term(body);
        }
        let terms = rest.iter().map(|&part| self.term(part)).collect::<Option<Vec<AtMost>>>()?;
        let mut all = constant(Int::ZERO);
        match (head, terms.as_slice()) {
            ("+", _) => terms.iter().for_each(|term| all.add(term, &Int::ONE)),
            ("-", [term]) => all.add(term, &Int::from(-1)),
            ("-", [first, rest @ ..]) => {
                all.add(first, &Int::ONE);
                rest.iter().for_each(|term| all.add(term, &Int::from(-1)));
            }
            ("*", [a, b]) if a.terms.is_empty() => all.add(b, &a.constant),
            ("*", [a, b]) if b.terms.is_empty() => all.add(a, &b.constant),
            _ => return None,
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn term(terms: &[(u32, i64)], constant: i64) -> AtMost {
        let terms = terms.iter().map(|(var, factor)| (*var, Int::from(*factor))).collect();
        AtMost { terms, constant: Int::from(constant) }
    }

    fn z3() -> Smt {
        Smt::start(None, Duration::from_secs(10)).expect("`cargo xtask setup` installs z3")
    }

    /// x + y = 10; one is moved from x to y; then x + y > 10, which cannot be, or y > 10, which can.
    #[test]
    fn a_chain_that_cannot_be_made_has_interpolants() {
        let sum = term(&[(0, 1), (1, 1)], -10);
        let start = Link {
            n_before: 0,
            n_all: 2,
            guard: vec![sum.clone(), term(&[(0, -1), (1, -1)], 10)],
            after: vec![term(&[(0, 1)], 0), term(&[(1, 1)], 0)],
        };
        let moved = Link {
            n_before: 2,
            n_all: 2,
            guard: Vec::new(),
            after: vec![term(&[(0, 1)], -1), term(&[(1, 1)], 1)],
        };
        let end = |guard| Link { n_before: 2, n_all: 2, guard: vec![guard], after: Vec::new() };
        let past = end(term(&[(0, -1), (1, -1)], 11));
        let chain = [start.clone(), moved.clone(), past];
        let found = z3().interpolants(&chain).expect("an answer").expect("it cannot be made");
        assert_eq!(found.len(), 2);
        // Interpolants: true of what can be, false of what would go on.
        for (x, y) in [(10, 0), (3, 7)] {
            let values = [Int::from(x), Int::from(y)];
            assert!(found.iter().all(|formula| formula.holds(&values)), "{found:?}");
            let values = [Int::from(x), Int::from(y + 1)];
            assert!(found.iter().all(|formula| !formula.holds(&values)), "{found:?}");
        }
        let possible = [start, moved, end(term(&[(1, -1)], 11))];
        assert_eq!(z3().interpolants(&possible), Ok(None));
    }

    /// Only integers exclude it: 2x + 2y = 2z + 1; and 2x = 2w + 1 in two steps.
    #[test]
    fn what_cannot_be_said_is_not_said() {
        let odd = [term(&[(0, 2), (1, 2), (2, -2)], -1), term(&[(0, -2), (1, -2), (2, 2)], 1)];
        let one = Link { n_before: 0, n_all: 3, guard: odd.to_vec(), after: Vec::new() };
        let last = Link { n_before: 0, n_all: 0, guard: Vec::new(), after: Vec::new() };
        let found = z3().interpolants(&[one, last]).expect("an answer").expect("it cannot be made");
        assert!(!found[0].holds(&[]), "{found:?}");
        // Between the two steps a remainder would have to be known.
        let double = Link { n_before: 0, n_all: 1, guard: Vec::new(), after: vec![term(&[(0, 2)], 0)] };
        let half = [term(&[(0, 1), (1, -2)], -1), term(&[(0, -1), (1, 2)], 1)];
        let half = Link { n_before: 1, n_all: 2, guard: half.to_vec(), after: Vec::new() };
        let answer = z3().interpolants(&[double, half]);
        assert!(answer.is_err(), "{answer:?}");
    }
}
