//! Predicates of any linear form that exclude a path: Craig interpolants from sums of its conditions.
//!
//! A path that has no solution over the rationals is refuted by a sum of its conditions, with factors above 0, that is `c ≤ 0`
//! for a number `c` above 0 (Farkas). Written over the variables of a state on the path, the part of the sum that comes later is a
//! term `Q`. What comes later demands `Q ≤ 0`; what came before implies `Q ≥ c`; so `Q ≥ 1` is an interpolant, and those of
//! all states follow from each other step by step. It is the weakest one of this sum: where a condition of the program
//! fails, its own negation, as it looks from further and further back.
//!
//! Where only integers exclude the path, or these predicates are known, an SMT solver is asked for interpolants
//! ([`fencewright_logic::Smt::interpolants`]), and the conditions they are made of become predicates. A conjunction cannot say of two
//! terms that they differ; so if these predicates are known, too, what the moves of the path demand is followed.

use fencewright_base::Int;
use fencewright_logic::{AtMost, Formula, Link};

use crate::linear::{Atom, Linear, Var, decided, lt};
use crate::simplex::{Refutation, Simplex};
use crate::sums::tightened;
use crate::system::Move;

/// For each move of the path what is enough, of the variables before it, to make the rest of the path impossible; `None`: there is no
/// such sum, or none was found.
pub(crate) fn interpolants(path: &[Move]) -> Option<Vec<Atom>> {
    let path: Vec<Move> = path.iter().map(on_integers).collect();
    let factors = refutation(&path)?;
    let mut found = Vec::new();
    // `Q`, over the variables behind the move at hand.
    let mut later = Linear::constant(0);
    for (made, factors) in path.iter().zip(&factors).rev() {
        let mut sum = later.substitute(&|var| made.after[var as usize].clone());
        for (atom, factor) in made.guard.iter().zip(factors) {
            sum = sum.add(&atom.scale(factor));
        }
        // What is new in this move is in no earlier condition, so it cancels out here.
        debug_assert!(sum.terms.iter().all(|(var, _)| (*var as usize) < made.n_before));
        if sum.terms.iter().any(|(var, _)| *var as usize >= made.n_before) {
            return None;
        }
        found.push(Linear::constant(1).sub(&sum));
        later = sum;
    }
    found.reverse();
    Some(found)
}

/// The move with its conditions as strong as they are on integers.
fn on_integers(made: &Move) -> Move {
    Move { guard: made.guard.iter().map(tightened).collect(), ..made.clone() }
}

/// The path as a solver is asked about it.
pub(crate) fn chain(path: &[Move]) -> Vec<Link> {
    let all = |terms: &[Linear]| {
        let term =
            |Linear { terms, constant }: &Linear| AtMost { terms: terms.clone(), constant: constant.clone() };
        terms.iter().map(term).collect()
    };
    let link = |made: &Move| Link {
        n_before: made.n_before,
        n_all: made.n_all,
        guard: all(&made.guard),
        after: all(&made.after),
    };
    path.iter().map(link).collect()
}

/// What a move demands, said of the variables behind it, as far as they are the same.
pub(crate) fn demands(made: &Move) -> Vec<Atom> {
    let same = |var: Var| made.after.iter().position(|term| *term == Linear::var(var));
    let behind = |atom: &Atom| {
        let known = atom.terms.iter().all(|(var, _)| same(*var).is_some());
        known.then(|| atom.substitute(&|var| Linear::var(same(var).unwrap_or_default() as Var)))
    };
    made.guard.iter().filter_map(behind).collect()
}

/// The conditions that a formula is made of, each as it stands there; where one of several is enough, their opposites as well: a
/// conjunction that says which it is says so.
pub(crate) fn conditions(formula: &Formula) -> Vec<Atom> {
    fn collect(formula: &Formula, positive: bool, either: bool, found: &mut Vec<Atom>) {
        match formula {
            Formula::AtMost(AtMost { terms, constant }) => {
                let atom = Linear { terms: terms.clone(), constant: constant.clone() };
                let opposite = lt(&Linear::constant(0), &atom);
                if positive || either {
                    found.push(atom);
                }
                if !positive || either {
                    found.push(opposite);
                }
            }
            Formula::Not(formula) => collect(formula, !positive, either, found),
            Formula::All(all) | Formula::Any(all) => {
                let any = matches!(formula, Formula::Any(_)) == positive;
                all.iter().for_each(|part| collect(part, positive, either || any, found));
            }
        }
    }
    let mut found = Vec::new();
    collect(formula, true, false, &mut found);
    found
}

/// For each condition of each move its factor in a sum that refutes the path.
fn refutation(path: &[Move]) -> Option<Vec<Vec<Int>>> {
    let mut factors: Vec<Vec<Int>> = path.iter().map(|made| vec![Int::ZERO; made.guard.len()]).collect();
    // Values as terms over all that was chosen on the way.
    let mut values: Vec<Linear> = Vec::new();
    let mut n_choices = 0;
    let mut atoms: Vec<Atom> = Vec::new();
    let mut origins = Vec::new();
    for (nth, made) in path.iter().enumerate() {
        let over = |var: Var| match values.get(var as usize) {
            Some(term) => term.clone(),
            None => Linear::var((n_choices + var as usize - made.n_before) as Var),
        };
        for (place, atom) in made.guard.iter().enumerate() {
            let atom = atom.substitute(&over);
            match decided(&atom) {
                Some(true) => {}
                Some(false) => {
                    factors[nth][place] = Int::ONE;
                    return Some(factors);
                }
                None => {
                    atoms.push(atom);
                    origins.push((nth, place));
                }
            }
        }
        values = made.after.iter().map(|term| term.substitute(&over)).collect();
        n_choices += made.n_all - made.n_before;
    }
    let Ok(Err(Refutation { sum })) = Simplex::new(n_choices, &atoms) else { return None };
    for (place, factor) in sum {
        let (nth, place) = origins[place];
        factors[nth][place] = factor;
    }
    Some(factors)
}
