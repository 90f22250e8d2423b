//! Refutations that can be checked without a solver: clauses, each of which follows from earlier ones by unit propagation in
//! an order that is written down, up to the empty one. The form is that of L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann,
//! P. Schneider-Kamp, *Efficient certified RAT verification*, CADE 2017, without deletion and without resolution asymmetric
//! tautologies: what a solver learns needs neither.
//!
//! [`check`] is the whole checker; the crate's `refutation` makes what it accepts.

use std::collections::{BTreeMap, BTreeSet};

/// A literal: a variable's number, from 1 on, negative if the variable is false.
pub type Literal = i32;

/// A clause that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lemma {
    /// What others call it by.
    pub id: u32,
    /// At least one of these is true.
    pub clause: Vec<Literal>,
    /// The clauses from which it follows: if all its literals are false, each of them but the last makes one more literal true,
    /// and the last has none left.
    pub by: Vec<u32>,
}

/// Why lemmas are no refutation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRefuted {
    /// A lemma names a clause that is not there.
    #[error("lemma {lemma} follows from clause {clause}, which is not there before it")]
    Missing {
        /// The lemma.
        lemma: u32,
        /// What it names.
        clause: u32,
    },
    /// There are two clauses of one name.
    #[error("there are two clauses {0}")]
    Twice(u32),
    /// A lemma does not follow.
    #[error("lemma {0} does not follow from the clauses it names")]
    Open(u32),
    /// The last clause is not the empty one.
    #[error("the last lemma is not the empty clause")]
    NoEnd,
}

/// Checks that no assignment satisfies the clauses, which are known by these names.
pub fn check(mut clauses: BTreeMap<u32, Vec<Literal>>, lemmas: &[Lemma]) -> Result<(), NotRefuted> {
    for lemma in lemmas {
        follows(&clauses, lemma)?;
        if clauses.insert(lemma.id, lemma.clause.clone()).is_some() {
            return Err(NotRefuted::Twice(lemma.id));
        }
    }
    match lemmas.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err(NotRefuted::NoEnd),
    }
}

fn follows(clauses: &BTreeMap<u32, Vec<Literal>>, lemma: &Lemma) -> Result<(), NotRefuted> {
    let mut is_true: BTreeSet<Literal> = lemma.clause.iter().map(|literal| -literal).collect();
    for (i, name) in lemma.by.iter().enumerate() {
        let clause = clauses.get(name).ok_or(NotRefuted::Missing { lemma: lemma.id, clause: *name })?;
        let mut left: Vec<Literal> =
            clause.iter().copied().filter(|literal| !is_true.contains(&-literal)).collect();
        left.sort_unstable();
        left.dedup();
        match left[..] {
            [] if i + 1 == lemma.by.len() => return Ok(()),
            [one] if i + 1 < lemma.by.len() && is_true.insert(one) => {}
            _ => break,
        }
    }
    Err(NotRefuted::Open(lemma.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two variables in all four combinations.
    fn square() -> BTreeMap<u32, Vec<Literal>> {
        BTreeMap::from([(1, vec![1, 2]), (2, vec![1, -2]), (3, vec![-1, 2]), (4, vec![-1, -2])])
    }

    fn lemma(id: u32, clause: &[Literal], by: &[u32]) -> Lemma {
        Lemma { id, clause: clause.to_vec(), by: by.to_vec() }
    }

    #[test]
    fn a_refutation_is_accepted() {
        let lemmas = [lemma(5, &[1], &[1, 2]), lemma(6, &[], &[5, 3, 4])];
        assert_eq!(check(square(), &lemmas), Ok(()));
    }

    #[test]
    fn what_does_not_follow_is_not() {
        let last = lemma(6, &[], &[5, 3, 4]);
        let first = |clause: &[Literal], by: &[u32]| [lemma(5, clause, by), last.clone()];
        assert_eq!(check(square(), &first(&[1], &[1])), Err(NotRefuted::Open(5)), "it stops too early");
        assert_eq!(check(square(), &first(&[1], &[3, 4])), Err(NotRefuted::Open(5)), "from others");
        assert_eq!(
            check(square(), &first(&[1], &[1, 2, 3])),
            Err(NotRefuted::Open(5)),
            "it goes on behind the end"
        );
        assert_eq!(check(square(), &first(&[-1], &[3, 4])), Err(NotRefuted::Open(6)), "not what is needed");
        let missing = NotRefuted::Missing { lemma: 6, clause: 5 };
        assert_eq!(check(square(), std::slice::from_ref(&last)), Err(missing));
        assert_eq!(check(square(), &[lemma(4, &[1], &[1, 2])]), Err(NotRefuted::Twice(4)));
        assert_eq!(check(square(), &first(&[1], &[1, 2])[..1]), Err(NotRefuted::NoEnd));
        assert_eq!(check(square(), &[]), Err(NotRefuted::NoEnd));
    }
}
