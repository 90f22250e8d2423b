//! What follows from a conjunction of linear conditions: an exact simplex over the rationals.
//!
//! `v = c + Σ a · w` for each basic variable `v` and the others `w`: variables of the conditions, which have either sign, and one
//! slack for each condition, which is no less than 0. Variables of either sign enter the basis first and stay, so that what is left is
//! a system over slacks. Bland's rule (R. G. Bland, 1977) ends every search; fractions of 128 bits that overflow, and systems that are
//! too large, end it without an answer.
//!
//! *Contract:* an answer is right over the rationals, so what has no solution here has none in integers, and no integer
//! solution exceeds a maximum. The converse does not hold: `2x = 2y + 1` has a solution here.

use fencewright_base::Int;

use crate::linear::{Atom, Linear};

/// Pivots of one search at most.
const PIVOTS: usize = 500;

/// Entries of a table at most.
const ENTRIES: usize = 40_000;

/// There is no answer: a number does not fit, or it takes too long.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct NoAnswer;

/// A fraction in lowest terms, with a denominator above 0.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
struct Fraction {
    over: i128,
    under: i128,
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Fraction {
    const ZERO: Fraction = Fraction { over: 0, under: 1 };
    const ONE: Fraction = Fraction { over: 1, under: 1 };

    fn of(number: &Int) -> Result<Fraction, NoAnswer> {
        number.to_i64().map(|over| Fraction { over: over.into(), under: 1 }).ok_or(NoAnswer)
    }

    fn new(over: Option<i128>, under: Option<i128>) -> Result<Fraction, NoAnswer> {
        let (over, under) = over.zip(under).ok_or(NoAnswer)?;
        // No part is the least number of its type, so none of what follows overflows.
        if over == i128::MIN || under == i128::MIN {
            return Err(NoAnswer);
        }
        if under == 1 {
            return Ok(Fraction { over, under });
        }
        let by = gcd(over, under) * under.signum();
        Ok(Fraction { over: over / by, under: under / by })
    }

    fn add(self, other: Fraction) -> Result<Fraction, NoAnswer> {
        if self.under == 1 && other.under == 1 {
            return Fraction::new(self.over.checked_add(other.over), Some(1));
        }
        let left = self.over.checked_mul(other.under).ok_or(NoAnswer)?;
        let right = other.over.checked_mul(self.under).ok_or(NoAnswer)?;
        Fraction::new(left.checked_add(right), self.under.checked_mul(other.under))
    }

    fn mul(self, other: Fraction) -> Result<Fraction, NoAnswer> {
        Fraction::new(self.over.checked_mul(other.over), self.under.checked_mul(other.under))
    }

    /// The other must not be 0.
    fn div(self, other: Fraction) -> Result<Fraction, NoAnswer> {
        Fraction::new(self.over.checked_mul(other.under), self.under.checked_mul(other.over))
    }

    fn neg(self) -> Fraction {
        Fraction { over: -self.over, under: self.under }
    }

    fn is_below(self, other: Fraction) -> Result<bool, NoAnswer> {
        Ok(self.add(other.neg())?.over < 0)
    }
}

/// A basic variable in terms of the others.
#[derive(Debug, Clone)]
struct Row {
    /// Below `n_vars`: a variable; else a slack.
    basic: usize,
    constant: Fraction,
    factors: Vec<Fraction>,
}

/// The solutions of a conjunction; there is at least one, over the rationals.
#[derive(Debug, Clone)]
pub(crate) struct Simplex {
    n_vars: usize,
    rows: Vec<Row>,
    /// The variables that are not basic.
    columns: Vec<usize>,
}

/// How a conjunction was found to have no solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refutation {
    /// Conditions, by position, with factors above 0: their sum is `c ≤ 0` for a number `c` above 0.
    pub(crate) sum: Vec<(usize, Int)>,
}

impl Simplex {
    /// The conjunction of the conditions over the variables `0..n_vars`, or why there is no solution.
    pub(crate) fn new(n_vars: usize, atoms: &[Atom]) -> Result<Result<Simplex, Refutation>, NoAnswer> {
        if n_vars.saturating_mul(atoms.len()) > ENTRIES {
            return Err(NoAnswer);
        }
        let mut rows = Vec::with_capacity(atoms.len());
        for (place, Linear { terms, constant }) in atoms.iter().enumerate() {
            // slack = -(Σ factor · variable + constant)
            let mut factors = vec![Fraction::ZERO; n_vars];
            for (var, factor) in terms {
                factors[*var as usize] = Fraction::of(factor)?.neg();
            }
            rows.push(Row { basic: n_vars + place, constant: Fraction::of(constant)?.neg(), factors });
        }
        let mut simplex = Simplex { n_vars, rows, columns: (0..n_vars).collect() };
        for column in 0..n_vars {
            let row = (0..simplex.rows.len()).find(|&row| {
                let Row { basic, factors, .. } = &simplex.rows[row];
                *basic >= n_vars && factors[column].over != 0
            });
            if let Some(row) = row {
                simplex.pivot(row, column)?;
            }
        }
        simplex.make_feasible()
    }

    /// Lets slacks below 0 grow until there are none.
    fn make_feasible(mut self) -> Result<Result<Simplex, Refutation>, NoAnswer> {
        for _ in 0..PIVOTS {
            let below = (0..self.rows.len())
                .filter(|&row| self.rows[row].basic >= self.n_vars && self.rows[row].constant.over < 0);
            let Some(row) = below.min_by_key(|&row| self.rows[row].basic) else { return Ok(Ok(self)) };
            // A variable of either sign outside the basis has no factor here: it would have entered.
            let raising = (0..self.columns.len()).filter(|&column| self.rows[row].factors[column].over > 0);
            match raising.min_by_key(|&column| self.columns[column]) {
                Some(column) => self.pivot(row, column)?,
                None => return self.refutation(row).map(Err),
            }
        }
        Err(NoAnswer)
    }

    /// From a slack that is a number below 0 plus what cannot be above 0.
    fn refutation(&self, row: usize) -> Result<Refutation, NoAnswer> {
        let Row { basic, factors, .. } = &self.rows[row];
        let others = self.columns.iter().zip(factors).filter(|(_, factor)| factor.over != 0);
        let mut sum = vec![(basic - self.n_vars, Fraction::ONE)];
        sum.extend(others.map(|(column, factor)| (column - self.n_vars, factor.neg())));
        let mut whole = 1i128;
        for (_, Fraction { under, .. }) in &sum {
            whole = (whole / gcd(whole, *under)).checked_mul(*under).ok_or(NoAnswer)?;
        }
        let factor = |(place, Fraction { over, under }): (usize, Fraction)| {
            let factor = over.checked_mul(whole / under).and_then(|factor| i64::try_from(factor).ok());
            factor.map(|factor| (place, Int::from(factor))).ok_or(NoAnswer)
        };
        Ok(Refutation { sum: sum.into_iter().map(factor).collect::<Result<_, _>>()? })
    }

    /// Exchanges a basic variable with one that is not.
    fn pivot(&mut self, row: usize, column: usize) -> Result<(), NoAnswer> {
        let by = self.rows[row].factors[column];
        let leaving = self.rows[row].basic;
        // leaving = c + by · entering + rest, so entering = (leaving - c - rest) / by.
        let mut solved = self.rows[row].clone();
        solved.basic = self.columns[column];
        solved.constant = solved.constant.div(by)?.neg();
        for (place, factor) in solved.factors.iter_mut().enumerate() {
            *factor = if place == column { Fraction::ONE.div(by)? } else { factor.div(by)?.neg() };
        }
        for (place, other) in self.rows.iter_mut().enumerate() {
            if place != row {
                replace(&mut other.constant, &mut other.factors, column, &solved)?;
            }
        }
        self.rows[row] = solved;
        self.columns[column] = leaving;
        Ok(())
    }

    /// The greatest integer that the term can be, if there is one.
    pub(crate) fn greatest(&mut self, term: &Linear) -> Result<Option<Int>, NoAnswer> {
        let mut constant = Fraction::of(&term.constant)?;
        let mut factors = vec![Fraction::ZERO; self.columns.len()];
        for (var, factor) in &term.terms {
            let (var, factor) = (*var as usize, Fraction::of(factor)?);
            match self.rows.iter().find(|row| row.basic == var) {
                Some(row) => {
                    constant = constant.add(factor.mul(row.constant)?)?;
                    for (sum, own) in factors.iter_mut().zip(&row.factors) {
                        *sum = sum.add(factor.mul(*own)?)?;
                    }
                }
                None => {
                    let column = self.columns.iter().position(|&column| column == var);
                    let column = column.expect("a variable is basic or not");
                    factors[column] = factors[column].add(factor)?;
                }
            }
        }
        for _ in 0..PIVOTS {
            let free = |column: usize| self.columns[column] < self.n_vars;
            if (0..factors.len()).any(|column| free(column) && factors[column].over != 0) {
                return Ok(None);
            }
            let raising = (0..factors.len()).filter(|&column| factors[column].over > 0);
            let Some(column) = raising.min_by_key(|&column| self.columns[column]) else {
                let whole = constant.over.div_euclid(constant.under);
                return i64::try_from(whole).map(|whole| Some(Int::from(whole))).map_err(|_| NoAnswer);
            };
            let Some(row) = self.limiting(column)? else { return Ok(None) };
            self.pivot(row, column)?;
            let solved = &self.rows[row];
            replace(&mut constant, &mut factors, column, solved)?;
        }
        Err(NoAnswer)
    }

    /// The slack that falls to 0 first as the variable of the column grows.
    fn limiting(&self, column: usize) -> Result<Option<usize>, NoAnswer> {
        let mut found: Option<(usize, Fraction)> = None;
        for (place, row) in self.rows.iter().enumerate() {
            if row.basic < self.n_vars || row.factors[column].over >= 0 {
                continue;
            }
            let room = row.constant.div(row.factors[column].neg())?;
            let nearer = match found {
                None => true,
                Some((best, least)) => {
                    room.is_below(least)? || (room == least && row.basic < self.rows[best].basic)
                }
            };
            if nearer {
                found = Some((place, room));
            }
        }
        Ok(found.map(|(place, _)| place))
    }
}

/// Puts what the variable of a column is in terms of others in its place.
fn replace(
    constant: &mut Fraction,
    factors: &mut [Fraction],
    column: usize,
    solved: &Row,
) -> Result<(), NoAnswer> {
    let by = factors[column];
    if by.over == 0 {
        return Ok(());
    }
    *constant = constant.add(by.mul(solved.constant)?)?;
    factors[column] = Fraction::ZERO;
    for (own, other) in factors.iter_mut().zip(&solved.factors) {
        if other.over != 0 {
            *own = own.add(by.mul(*other)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::{Random, points, value};
    use crate::linear::{equal, le, lt};

    const SIDE: i64 = 3;

    /// On boxes of small numbers, against all points: what is refuted has no solution, and its refutation adds up to one;
    /// no point exceeds a greatest value, and most greatest values are reached by a point.
    #[test]
    fn answers_are_right_at_every_point_of_a_box() {
        let mut random = Random(2_024);
        let limits: Vec<Atom> = (0..3)
            .flat_map(|var| {
                let (var, end) = (Linear::var(var), Linear::constant(SIDE));
                [le(&var, &end), le(&end.neg(), &var)]
            })
            .collect();
        let (mut refuted, mut reached, mut asked, mut only_integers) = (0, 0, 0, 0);
        for _ in 0..600 {
            let mut atoms = limits.clone();
            for _ in 0..1 + random.below(5) {
                atoms.push(random.term(3, &(-5..=5), &(-2..=2)));
            }
            let inside: Vec<Vec<i64>> = points(3, SIDE)
                .into_iter()
                .filter(|p| atoms.iter().all(|atom| value(atom, p) <= 0))
                .collect();
            match Simplex::new(3, &atoms).expect("small numbers") {
                Err(Refutation { sum }) => {
                    assert!(inside.is_empty(), "{atoms:?}");
                    assert!(sum.iter().all(|(_, factor)| *factor > Int::ZERO));
                    let add =
                        |all: Linear, (place, factor): &(usize, Int)| all.add(&atoms[*place].scale(factor));
                    let all = sum.iter().fold(Linear::constant(0), add);
                    assert!(all.known().is_some_and(|sum| *sum > Int::ZERO), "{atoms:?} by {sum:?}");
                    refuted += 1;
                }
                Ok(_) if inside.is_empty() => only_integers += 1,
                Ok(mut simplex) => {
                    for _ in 0..4 {
                        let term = random.term(3, &(-5..=5), &(-2..=2));
                        let found = simplex.greatest(&term).expect("small numbers").expect("a box");
                        let most = inside.iter().map(|p| value(&term, p)).max().expect("a point");
                        assert!(Int::from(most) <= found, "{term:?} in {atoms:?}: {most} > {found}");
                        asked += 1;
                        reached += usize::from(Int::from(most) == found);
                    }
                }
            }
        }
        assert!(refuted > 60 && asked > 800 && reached * 10 > asked * 8, "{refuted} {asked} {reached}");
        assert!(only_integers < 60, "{only_integers}");
    }

    #[test]
    fn what_has_no_bound_has_no_greatest_value() {
        let [x, y, z] = [0, 1, 2].map(Linear::var);
        let ten = Linear::constant(10);
        let sum = equal(&x.add(&y), &ten);
        let mut simplex = Simplex::new(3, &sum).expect("small").expect("a solution");
        assert_eq!(simplex.greatest(&x), Ok(None));
        assert_eq!(simplex.greatest(&z), Ok(None));
        assert_eq!(simplex.greatest(&x.add(&y)), Ok(Some(Int::from(10))));
        assert_eq!(simplex.greatest(&x.add(&y).neg()), Ok(Some(Int::from(-10))));
        // x + y = 10 and z + y = 10, so x = z.
        let both = [sum, equal(&z.add(&y), &ten)].concat();
        let mut simplex = Simplex::new(3, &both).expect("small").expect("a solution");
        assert_eq!(simplex.greatest(&x.sub(&z)), Ok(Some(Int::ZERO)));
        // Rounded down: 2x ≤ 5.
        let half = [le(&x.scale(&Int::from(2)), &Linear::constant(5))];
        let mut simplex = Simplex::new(1, &half).expect("small").expect("a solution");
        assert_eq!(simplex.greatest(&x), Ok(Some(Int::from(2))));
        let less = [both, vec![lt(&x, &z)]].concat();
        assert!(Simplex::new(3, &less).expect("small").is_err());
        let large: Int = "100000000000000000000".parse().expect("a number");
        assert_eq!(Simplex::new(1, &[x.plus(&large)]).err(), Some(NoAnswer));
    }
}
