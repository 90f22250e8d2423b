//! Proofs without conditions that they do not need.
//!
//! Which conditions a state needs depends on what its own moves lead to only: what leads into it has less to show when one
//! is left out. So conditions are left out one by one, as long as the simplex shows that the moves of their state still lead into
//! states, over and over until none can be. What it cannot show stays as it is.

use std::collections::BTreeMap;

use fencewright_base::{Int, Meter, Stop};

use crate::known::{Known, atom_of};
use crate::linear::{Atom, Var, decided};
use crate::simplex::Simplex;
use crate::sums::tightened;
use crate::system::{ControlId, Move, System};

/// Proofs of more conditions are left as they are.
const MOST_CONDITIONS: usize = 4_000;

/// For each state the conditions it is written down with.
pub(crate) fn minimal(
    system: &mut System<'_>,
    states: &[(ControlId, Known)],
    meter: &Meter,
) -> Result<Vec<(ControlId, Vec<Atom>)>, Stop> {
    let of =
        |known: &Known| known.zone.reduced().into_iter().map(atom_of).chain(known.facts.clone()).collect();
    let mut states: Vec<(ControlId, Vec<Atom>)> = states.iter().map(|(id, known)| (*id, of(known))).collect();
    if states.iter().map(|(_, conditions)| conditions.len()).sum::<usize>() > MOST_CONDITIONS {
        return Ok(states);
    }
    let moves: Vec<_> = states.iter().map(|(id, _)| system.moves(*id)).collect::<Result<_, _>>()?;
    let mut of_skeleton: BTreeMap<ControlId, Vec<usize>> = BTreeMap::new();
    for (nth, (id, _)) in states.iter().enumerate() {
        of_skeleton.entry(system.skeleton(*id)).or_default().push(nth);
    }
    loop {
        let mut fewer = false;
        for nth in 0..states.len() {
            let mut place = 0;
            while place < states[nth].1.len() {
                meter.tick()?;
                let left_out = states[nth].1.remove(place);
                let proof = Proof { system, states: &states, of_skeleton: &of_skeleton };
                if moves[nth].iter().all(|made| proof.leads_into_a_state(made, &states[nth].1)) {
                    fewer = true;
                } else {
                    states[nth].1.insert(place, left_out);
                    place += 1;
                }
            }
        }
        if !fewer {
            break;
        }
    }
    // With fewer conditions a state may lie within another.
    let mut needed = vec![true; states.len()];
    for nth in 0..states.len() {
        meter.tick()?;
        let (id, conditions) = &states[nth];
        let Ok(Ok(mut simplex)) = Simplex::new(system.control(*id).n_vars(), conditions) else { continue };
        needed[nth] = !of_skeleton[&system.skeleton(*id)].iter().any(|&other| {
            let (control, theirs) = &states[other];
            let is_within = other != nth && needed[other] && system.is_within(*id, *control);
            is_within && theirs.iter().all(|atom| follows(&mut simplex, atom))
        });
    }
    Ok(states.into_iter().zip(needed).filter(|(_, needed)| *needed).map(|(state, _)| state).collect())
}

/// Whether the condition follows, as far as the simplex tells.
fn follows(simplex: &mut Simplex, atom: &Atom) -> bool {
    decided(atom)
        .unwrap_or_else(|| matches!(simplex.greatest(atom), Ok(Some(greatest)) if greatest <= Int::ZERO))
}

struct Proof<'a, 'p> {
    system: &'a System<'p>,
    states: &'a [(ControlId, Vec<Atom>)],
    of_skeleton: &'a BTreeMap<ControlId, Vec<usize>>,
}

impl Proof<'_, '_> {
    fn leads_into_a_state(&self, made: &Move, conditions: &[Atom]) -> bool {
        let before: Vec<Atom> = conditions.iter().cloned().chain(made.guard.iter().map(tightened)).collect();
        let mut simplex = match Simplex::new(made.n_all, &before) {
            Ok(Ok(simplex)) => simplex,
            Ok(Err(_)) => return true,
            Err(_) => return false,
        };
        let Some(target) = made.target else { return false };
        let over = |var: Var| made.after[var as usize].clone();
        let known = self.of_skeleton.get(&self.system.skeleton(target));
        known.into_iter().flatten().any(|&nth| {
            let (control, conditions) = &self.states[nth];
            let mut follows = |atom: &Atom| {
                let atom = atom.substitute(&over);
                decided(&atom).unwrap_or_else(
                    || matches!(simplex.greatest(&atom), Ok(Some(greatest)) if greatest <= Int::ZERO),
                )
            };
            self.system.is_within(target, *control) && conditions.iter().all(&mut follows)
        })
    }
}
