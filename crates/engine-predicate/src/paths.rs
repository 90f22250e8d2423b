//! What follows from conditions by adding some of them up: enough for most implications that a certificate rests on, so that
//! a solver is asked about the others only. Sound by inspection: every entry of the table is a sum of given conditions.

use fencewright_base::Int;

use crate::linear::{Atom, Var};

/// Sums past this are forgotten.
const LARGEST: i64 = i64::MAX / 4;

/// Conditions `x - y ≤ c`, where `x` or `y` may be the number 0, and their sums along paths.
pub(super) struct Paths {
    /// Position 0 is the number 0, position `v + 1` variable `v`.
    size: usize,
    least: Vec<Option<i64>>,
}

impl Paths {
    /// Of the conditions those of this form. `None`: a sum of them is impossible, `0 ≤ c` with `c < 0`.
    pub(super) fn new<'a>(n_vars: usize, atoms: impl IntoIterator<Item = &'a Atom>) -> Option<Paths> {
        let size = n_vars + 1;
        let mut least = vec![None; size * size];
        for atom in atoms {
            match read(atom) {
                Some((left, right, bound)) if left == right && bound < 0 => return None,
                Some((left, right, bound)) => lower(&mut least[left * size + right], bound),
                None => {}
            }
        }
        for through in 0..size {
            for left in 0..size {
                let Some(first) = least[left * size + through] else { continue };
                for right in 0..size {
                    if let Some(second) = least[through * size + right] {
                        lower(&mut least[left * size + right], first + second);
                    }
                }
            }
        }
        let impossible = (0..size).any(|i| least[i * size + i].is_some_and(|bound| bound < 0));
        (!impossible).then_some(Paths { size, least })
    }

    /// Whether the condition is weaker than one of the sums. `false` says nothing.
    pub(super) fn imply(&self, atom: &Atom) -> bool {
        read(atom).is_some_and(|(left, right, bound)| {
            let known = self.least[left * self.size + right];
            (left == right && bound >= 0) || known.is_some_and(|known| known <= bound)
        })
    }
}

fn lower(known: &mut Option<i64>, bound: i64) {
    if bound.abs() <= LARGEST && known.is_none_or(|known| bound < known) {
        *known = Some(bound);
    }
}

/// `left - right ≤ bound`, if the condition has that form, by positions.
fn read(atom: &Atom) -> Option<(usize, usize, i64)> {
    let bound = atom.constant.to_i64().filter(|c| c.abs() <= LARGEST)?.checked_neg()?;
    let one = |factor: &Int| *factor == Int::ONE;
    let minus = |factor: &Int| *factor == Int::from(-1);
    let at = |var: &Var| *var as usize + 1;
    match &atom.terms[..] {
        [] => Some((0, 0, bound)),
        [(x, a)] if one(a) => Some((at(x), 0, bound)),
        [(x, a)] if minus(a) => Some((0, at(x), bound)),
        [(x, a), (y, b)] if one(a) && minus(b) => Some((at(x), at(y), bound)),
        [(x, a), (y, b)] if minus(a) && one(b) => Some((at(y), at(x), bound)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{Linear, le, lt};

    #[test]
    fn sums_are_found_and_nothing_else() {
        let [x, y, z] = [0, 1, 2].map(Linear::var);
        let given = [lt(&x, &y), le(&y, &z), le(&z, &Linear::constant(5))];
        let paths = Paths::new(3, &given).expect("x = 0, y = 1, z = 1 is a solution");
        assert!(paths.imply(&lt(&x, &z)) && paths.imply(&le(&x, &Linear::constant(4))));
        assert!(!paths.imply(&lt(&y, &z)) && !paths.imply(&le(&x, &Linear::constant(3))));
        assert!(paths.imply(&le(&x, &x)) && !paths.imply(&lt(&x, &x)));
        // Not of the form: nothing is said.
        assert!(!paths.imply(&le(&x.add(&y), &z.add(&z))));
        let round = [lt(&x, &y), le(&y, &z), le(&z, &x)];
        assert!(Paths::new(3, &round).is_none());
        assert!(Paths::new(0, &[Linear::constant(1)]).is_none(), "1 ≤ 0");
    }
}
