//! Predicates of any linear form that exclude a path: Craig interpolants from sums of its conditions.
//!
//! A path that has no solution over the rationals is refuted by a sum of its conditions, with factors above 0, that is `c ≤ 0`
//! for a number `c` above 0 (Farkas). Written over the variables of a state on the path, the part of the sum that comes later is a
//! term `Q`. What comes later demands `Q ≤ 0`; what came before implies `Q ≥ c`; so `Q ≥ 1` is an interpolant, and those of
//! all states follow from each other step by step. It is the weakest one of this sum: where a condition of the program
//! fails, its own negation, as it looks from further and further back.

use fencewright_base::Int;

use crate::linear::{Atom, Linear, Var, decided};
use crate::simplex::{Refutation, Simplex};
use crate::system::Move;

/// For each move of the path what is enough, of the variables before it, to make the rest of the path impossible; `None`: there is no
/// such sum, or none was found.
pub(crate) fn interpolants(path: &[Move]) -> Option<Vec<Atom>> {
    let factors = refutation(path)?;
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
