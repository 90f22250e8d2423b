//! Linear terms over the variables of a configuration, and conditions `term ≤ 0`.
//!
//! Everything the engine knows of data is said with these: what a step computes, what it demands, and the predicates.

use fencewright_base::Int;

/// A variable, by its number. What it stands for depends on the place: see [`crate::system::Move`].
pub(crate) type Var = u32;

/// `Σ coefficient · variable + constant`. Variables ascend, no coefficient is 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Linear {
    pub(crate) terms: Vec<(Var, Int)>,
    pub(crate) constant: Int,
}

impl Linear {
    pub(crate) fn constant(value: impl Into<Int>) -> Self {
        Self { terms: Vec::new(), constant: value.into() }
    }

    pub(crate) fn var(var: Var) -> Self {
        Self { terms: vec![(var, Int::ONE)], constant: Int::ZERO }
    }

    /// Its value if it has no variable.
    pub(crate) fn known(&self) -> Option<&Int> {
        self.terms.is_empty().then_some(&self.constant)
    }

    pub(crate) fn add(&self, other: &Linear) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some((x, _)), Some((y, _))) if x == y => {
                    let ((x, left), (_, right)) = (a.next().expect("peeked"), b.next().expect("peeked"));
                    (*x, left.add(right))
                }
                (Some((x, _)), Some((y, _))) if x < y => a.next().expect("peeked").clone(),
                (_, Some(_)) => b.next().expect("peeked").clone(),
                (Some(_), None) => a.next().expect("peeked").clone(),
                (None, None) => break,
            };
            if !next.1.is_zero() {
                terms.push(next);
            }
        }
        Linear { terms, constant: self.constant.add(&other.constant) }
    }

    pub(crate) fn scale(&self, by: &Int) -> Linear {
        if by.is_zero() {
            return Linear::constant(0);
        }
        let terms = self.terms.iter().map(|(var, factor)| (*var, factor.mul(by))).collect();
        Linear { terms, constant: self.constant.mul(by) }
    }

    pub(crate) fn neg(&self) -> Linear {
        self.scale(&Int::from(-1))
    }

    pub(crate) fn sub(&self, other: &Linear) -> Linear {
        self.add(&other.neg())
    }

    pub(crate) fn plus(&self, constant: &Int) -> Linear {
        Linear { terms: self.terms.clone(), constant: self.constant.add(constant) }
    }

    /// The same term with a term for each variable.
    pub(crate) fn substitute(&self, of: &dyn Fn(Var) -> Linear) -> Linear {
        let start = Linear::constant(self.constant.clone());
        self.terms.iter().fold(start, |sum, (var, factor)| sum.add(&of(*var).scale(factor)))
    }
}

/// The condition `term ≤ 0`.
pub(crate) type Atom = Linear;

/// `a ≤ b`.
pub(crate) fn le(a: &Linear, b: &Linear) -> Atom {
    a.sub(b)
}

/// `a < b`.
pub(crate) fn lt(a: &Linear, b: &Linear) -> Atom {
    a.sub(b).plus(&Int::ONE)
}

/// `a = b`.
pub(crate) fn equal(a: &Linear, b: &Linear) -> [Atom; 2] {
    [le(a, b), le(b, a)]
}

/// What a condition without variables says.
pub(crate) fn decided(atom: &Atom) -> Option<bool> {
    atom.known().map(|value| *value <= Int::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_cancel_leave() {
        let (x, y) = (Linear::var(0), Linear::var(3));
        let sum = x.add(&y).plus(&Int::from(2));
        assert_eq!(sum.sub(&y), x.plus(&Int::from(2)));
        assert_eq!(sum.sub(&sum), Linear::constant(0));
        assert_eq!(decided(&lt(&x, &x)), Some(false));
        assert_eq!(decided(&le(&x, &x)), Some(true));
        assert_eq!(decided(&le(&x, &y)), None);
        let swapped = sum.substitute(&|var| if var == 0 { y.clone() } else { x.clone() });
        assert_eq!(swapped, sum);
    }
}
