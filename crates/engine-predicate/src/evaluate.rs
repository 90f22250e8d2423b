//! Expressions over terms: the cases in which an expression has a value, each with what it demands of the variables.
//!
//! A comparison of terms splits into the case in which it is true and that in which it is false, so truth values are
//! numbers in every case. What is not linear (a product of two unknowns, a quotient, bits of an unknown) becomes a fresh
//! variable of which nothing is known: more than the program can do, never less. So does an expression of too many cases, which
//! then may also fail if anything in it can.

use fencewright_base::{ArithmeticError, Int};
use fencewright_ir::{BinaryOp, Domain, Expr, UnaryOp};

use crate::linear::{Atom, Linear, Var, decided, equal, le, lt};

/// Where new variables come from.
#[derive(Debug, Clone)]
pub(crate) struct Fresh {
    /// The next one.
    pub(crate) next: Var,
    /// Whether cases of the expression at hand were left out.
    cut: bool,
}

/// Cases of one expression that are told apart. Cases of parts multiply: a sum of eight conjunctions has millions.
const MOST_CASES: usize = 256;

impl Fresh {
    /// From this one on.
    pub(crate) fn from(next: Var) -> Self {
        Self { next, cut: false }
    }

    pub(crate) fn var(&mut self) -> Linear {
        let var = Linear::var(self.next);
        self.next += 1;
        var
    }
}

/// A case: what it demands, and the value then, if there is one.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) guard: Vec<Atom>,
    pub(crate) value: Result<Linear, ArithmeticError>,
}

/// Adds a demand; says whether the demands can still be met as far as constants tell.
pub(crate) fn demand(guard: &mut Vec<Atom>, atom: Atom) -> bool {
    match decided(&atom) {
        Some(truth) => truth,
        None => {
            if !guard.contains(&atom) {
                guard.push(atom);
            }
            true
        }
    }
}

/// The cases of an expression. Together they are all there is.
pub(crate) fn cases<A>(expr: &Expr<A>, atom: &dyn Fn(&A) -> Linear, fresh: &mut Fresh) -> Vec<Case> {
    let (first, outer) = (fresh.next, std::mem::take(&mut fresh.cut));
    let all = all_cases(expr, atom, fresh);
    if !std::mem::replace(&mut fresh.cut, outer) {
        return all;
    }
    // Nobody has seen the variables of the cases that are given up.
    fresh.next = first;
    let mut all = vec![Case { guard: Vec::new(), value: Ok(fresh.var()) }];
    if let Some(error) = may_fail(expr) {
        all.push(Case { guard: Vec::new(), value: Err(error) });
    }
    all
}

/// How the expression may fail, if it may.
fn may_fail<A>(expr: &Expr<A>) -> Option<ArithmeticError> {
    match expr {
        Expr::Const(_) | Expr::Atom(_) => None,
        Expr::Unary(_, e) | Expr::Wrap { value: e, .. } => may_fail(e),
        Expr::Checked { .. } => Some(ArithmeticError::Overflow),
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => Some(ArithmeticError::DivisionByZero),
        Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => Some(ArithmeticError::ShiftOutOfRange),
        Expr::Binary(_, a, b) => may_fail(a).or_else(|| may_fail(b)),
        Expr::Choose(a, b, c) => [a, b, c].into_iter().find_map(|e| may_fail(e)),
    }
}

/// The cases, or some of them if they are too many: then `cut` is set.
fn all_cases<A>(expr: &Expr<A>, atom: &dyn Fn(&A) -> Linear, fresh: &mut Fresh) -> Vec<Case> {
    let value = |value: Linear| vec![Case { guard: Vec::new(), value: Ok(value) }];
    match expr {
        Expr::Const(number) => value(Linear::constant(number.clone())),
        Expr::Atom(a) => value(atom(a)),
        Expr::Unary(op, e) => map(cases(e, atom, fresh), fresh, |e, fresh| match op {
            UnaryOp::Neg => value(e.neg()),
            UnaryOp::BitNot => value(e.neg().plus(&Int::from(-1))),
            UnaryOp::Not => truth_cases(&e, fresh, |truth, _| value(Linear::constant(Int::from(!truth)))),
        }),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let decides = *op == BinaryOp::Or;
            map(cases(a, atom, fresh), fresh, |a, fresh| {
                truth_cases(&a, fresh, |truth, fresh| {
                    if truth == decides {
                        return value(Linear::constant(Int::from(decides)));
                    }
                    map(cases(b, atom, fresh), fresh, |b, fresh| {
                        truth_cases(&b, fresh, |truth, _| value(Linear::constant(Int::from(truth))))
                    })
                })
            })
        }
        Expr::Binary(op, a, b) => map(cases(a, atom, fresh), fresh, |a, fresh| {
            map(cases(b, atom, fresh), fresh, |b, fresh| binary(*op, &a, &b, fresh))
        }),
        Expr::Wrap { bits, signed, value } => {
            let domain = Domain::Machine { bits: *bits, signed: *signed };
            map(cases(value, atom, fresh), fresh, |value, fresh| admit(&domain, &value, fresh))
        }
        Expr::Checked { bits, signed, value } => {
            let domain = Domain::Machine { bits: *bits, signed: *signed };
            map(cases(value, atom, fresh), fresh, |value, _| checked(&domain, value))
        }
        Expr::Choose(condition, yes, no) => map(cases(condition, atom, fresh), fresh, |condition, fresh| {
            truth_cases(&condition, fresh, |truth, fresh| cases(if truth { yes } else { no }, atom, fresh))
        }),
    }
}

/// The cases in which a condition is true.
pub(crate) fn truths<A>(
    expr: &Expr<A>,
    atom: &dyn Fn(&A) -> Linear,
    fresh: &mut Fresh,
) -> Vec<(Vec<Atom>, Result<bool, ArithmeticError>)> {
    let mut found = Vec::new();
    for Case { guard, value } in cases(expr, atom, fresh) {
        match value {
            Err(error) => found.push((guard, Err(error))),
            Ok(value) => {
                for (more, truth) in truth_of(&value) {
                    let mut guard = guard.clone();
                    if more.into_iter().all(|atom| demand(&mut guard, atom)) {
                        found.push((guard, Ok(truth)));
                    }
                }
            }
        }
    }
    found
}

/// What storing a value into the domain leaves: cases with the value stored; none if storing blocks.
pub(crate) fn admit(domain: &Domain, value: &Linear, fresh: &mut Fresh) -> Vec<Case> {
    let case = |guard, value| Case { guard, value: Ok(value) };
    let Some((lo, hi)) = domain.bounds() else { return vec![case(Vec::new(), value.clone())] };
    if let Some(known) = value.known() {
        return domain
            .admit(known.clone())
            .map(|kept| case(Vec::new(), Linear::constant(kept)))
            .into_iter()
            .collect();
    }
    let (lo, hi) = (Linear::constant(lo), Linear::constant(hi));
    let inside = case(within(value, &lo, &hi), value.clone());
    match domain {
        Domain::Range { .. } | Domain::Integers => vec![inside],
        Domain::Machine { .. } => {
            // Past its range a machine integer wraps; where to is not followed.
            let mut all = vec![inside];
            for past in [lt(value, &lo), lt(&hi, value)] {
                let wrapped = fresh.var();
                let mut guard = within(&wrapped, &lo, &hi);
                guard.push(past);
                all.push(case(guard, wrapped));
            }
            all
        }
    }
}

/// The value where it is in the domain; elsewhere it is an error.
fn checked(domain: &Domain, value: Linear) -> Vec<Case> {
    let Some((lo, hi)) = domain.bounds() else { return vec![Case { guard: Vec::new(), value: Ok(value) }] };
    if let Some(known) = value.known() {
        let fits = lo <= *known && *known <= hi;
        let value = if fits { Ok(value) } else { Err(ArithmeticError::Overflow) };
        return vec![Case { guard: Vec::new(), value }];
    }
    let (lo, hi) = (Linear::constant(lo), Linear::constant(hi));
    let mut all: Vec<Case> = [lt(&value, &lo), lt(&hi, &value)]
        .map(|past| Case { guard: vec![past], value: Err(ArithmeticError::Overflow) })
        .into();
    all.push(Case { guard: within(&value, &lo, &hi), value: Ok(value) });
    all
}

/// A new value of the domain, with what is known of it.
pub(crate) fn any_of(domain: &Domain, fresh: &mut Fresh) -> (Linear, Vec<Atom>) {
    let value = fresh.var();
    let guard = domain.bounds().map(|(lo, hi)| within(&value, &Linear::constant(lo), &Linear::constant(hi)));
    (value, guard.unwrap_or_default())
}

fn within(value: &Linear, lo: &Linear, hi: &Linear) -> Vec<Atom> {
    vec![le(lo, value), le(value, hi)]
}

fn map(
    all: Vec<Case>,
    fresh: &mut Fresh,
    mut then: impl FnMut(Linear, &mut Fresh) -> Vec<Case>,
) -> Vec<Case> {
    let mut found = Vec::new();
    for Case { guard, value } in all {
        if fresh.cut || found.len() > MOST_CASES {
            fresh.cut = true;
            break;
        }
        match value {
            Err(error) => found.push(Case { guard, value: Err(error) }),
            Ok(value) => {
                for case in then(value, fresh) {
                    let mut guard = guard.clone();
                    if case.guard.into_iter().all(|atom| demand(&mut guard, atom)) {
                        found.push(Case { guard, value: case.value });
                    }
                }
            }
        }
    }
    fresh.cut |= found.len() > MOST_CASES;
    found
}

/// The ways in which a term is zero or not.
fn truth_of(value: &Linear) -> Vec<(Vec<Atom>, bool)> {
    if let Some(known) = value.known() {
        return vec![(Vec::new(), known.is_true())];
    }
    let zero = Linear::constant(0);
    vec![
        (equal(value, &zero).to_vec(), false),
        (vec![lt(value, &zero)], true),
        (vec![lt(&zero, value)], true),
    ]
}

fn truth_cases(
    value: &Linear,
    fresh: &mut Fresh,
    mut then: impl FnMut(bool, &mut Fresh) -> Vec<Case>,
) -> Vec<Case> {
    let mut found = Vec::new();
    for (more, truth) in truth_of(value) {
        for Case { guard, value } in then(truth, fresh) {
            let mut all = more.clone();
            if guard.into_iter().all(|atom| demand(&mut all, atom)) {
                found.push(Case { guard: all, value });
            }
        }
    }
    found
}

fn binary(op: BinaryOp, a: &Linear, b: &Linear, fresh: &mut Fresh) -> Vec<Case> {
    let value = |value: Linear| vec![Case { guard: Vec::new(), value: Ok(value) }];
    let truth = |guard: Vec<Atom>, truth: bool| Case { guard, value: Ok(Linear::constant(Int::from(truth))) };
    let compare = |yes: Vec<Vec<Atom>>, no: Vec<Vec<Atom>>| {
        let meets = |guard: Vec<Atom>| {
            let mut kept = Vec::new();
            guard.into_iter().all(|atom| demand(&mut kept, atom)).then_some(kept)
        };
        let yes = yes.into_iter().filter_map(meets).map(|guard| truth(guard, true));
        let no = no.into_iter().filter_map(meets).map(|guard| truth(guard, false));
        yes.chain(no).collect()
    };
    let same = || vec![equal(a, b).to_vec()];
    let different = || vec![vec![lt(a, b)], vec![lt(b, a)]];
    match op {
        BinaryOp::Add => value(a.add(b)),
        BinaryOp::Sub => value(a.sub(b)),
        BinaryOp::Eq => compare(same(), different()),
        BinaryOp::Ne => compare(different(), same()),
        BinaryOp::Lt => compare(vec![vec![lt(a, b)]], vec![vec![le(b, a)]]),
        BinaryOp::Le => compare(vec![vec![le(a, b)]], vec![vec![lt(b, a)]]),
        BinaryOp::Gt => compare(vec![vec![lt(b, a)]], vec![vec![le(a, b)]]),
        BinaryOp::Ge => compare(vec![vec![le(b, a)]], vec![vec![lt(a, b)]]),
        BinaryOp::And | BinaryOp::Or => unreachable!("handled where the second operand may not be evaluated"),
        BinaryOp::Mul => match (a.known(), b.known()) {
            (Some(a), _) => value(b.scale(a)),
            (_, Some(b)) => value(a.scale(b)),
            (None, None) => value(fresh.var()),
        },
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => other(op, a, b, fresh),
    }
}

/// Operators that are followed on known numbers only.
fn other(op: BinaryOp, a: &Linear, b: &Linear, fresh: &mut Fresh) -> Vec<Case> {
    if let (Some(a), Some(b)) = (a.known(), b.known()) {
        let known = Expr::<()>::Const(a.clone()).binary(op, Expr::Const(b.clone()));
        let value = known.eval(&mut |()| Int::ZERO).map(Linear::constant);
        return vec![Case { guard: Vec::new(), value }];
    }
    let zero = Linear::constant(0);
    let last = Linear::constant(Int::MAX_SHIFT);
    // What the second operand must be for there to be a value, and what it is where there is none.
    let (fine, wrong): (Vec<Vec<Atom>>, Vec<Vec<Atom>>) = match op {
        BinaryOp::Div | BinaryOp::Rem => {
            (vec![vec![lt(b, &zero)], vec![lt(&zero, b)]], vec![equal(b, &zero).to_vec()])
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            (vec![within(b, &zero, &last)], vec![vec![lt(b, &zero)], vec![lt(&last, b)]])
        }
        _ => (vec![Vec::new()], Vec::new()),
    };
    let error = match op {
        BinaryOp::Div | BinaryOp::Rem => ArithmeticError::DivisionByZero,
        _ => ArithmeticError::ShiftOutOfRange,
    };
    let mut found = Vec::new();
    for (guards, wrong) in [(fine, false), (wrong, true)] {
        for guard in guards {
            let mut kept = Vec::new();
            if guard.into_iter().all(|atom| demand(&mut kept, atom)) {
                let value = if wrong { Err(error) } else { Ok(fresh.var()) };
                found.push(Case { guard: kept, value });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(v & 1 && v & 1) + (v & 2 && v & 2) + …`: nine ways for each summand.
    fn sum_of_conjunctions(n: i64, last: Expr<()>) -> Expr<()> {
        let bit = |i: i64| Expr::Atom(()).binary(BinaryOp::BitAnd, Expr::constant(1 << i));
        (0..n).map(|i| bit(i).and(bit(i))).fold(last, |sum, one| sum.add(one))
    }

    fn cases_of(expr: &Expr<()>) -> (Vec<Case>, Fresh) {
        let mut fresh = Fresh::from(1);
        (cases(expr, &|()| Linear::var(0), &mut fresh), fresh)
    }

    /// What has too many cases may be anything, and may fail if a part of it can.
    #[test]
    fn an_expression_of_too_many_cases_may_be_anything() {
        let (few, _) = cases_of(&sum_of_conjunctions(2, Expr::constant(0)));
        assert!(few.len() > 2 && few.iter().all(|case| case.value.is_ok()));
        let (all, fresh) = cases_of(&sum_of_conjunctions(9, Expr::constant(0)));
        assert_eq!((all.len(), fresh.next), (1, 2), "one case with a new variable");
        assert!(all[0].guard.is_empty() && all[0].value == Ok(Linear::var(1)));
        let division = Expr::constant(1).binary(BinaryOp::Div, Expr::Atom(()));
        let (all, _) = cases_of(&sum_of_conjunctions(9, division));
        let values: Vec<_> = all.into_iter().map(|case| (case.guard.len(), case.value)).collect();
        let expected = vec![(0, Ok(Linear::var(1))), (0, Err(ArithmeticError::DivisionByZero))];
        assert_eq!(values, expected);
        // The part of too many cases is anything; the rest is followed.
        let (all, _) =
            cases_of(&sum_of_conjunctions(9, Expr::constant(0)).binary(BinaryOp::Lt, Expr::constant(3)));
        assert_eq!(all.len(), 2, "true or false");
    }
}
