//! Looking up names, and near names for those that mean nothing.

use std::collections::BTreeSet;

use fencewright_base::{Diagnostic, Index};
use fencewright_ir::{Addr, CellId, Domain, Expr, Outside, RegExpr};

use super::statements::ThreadLowering;
use crate::rmm::ast::{self, ExprKind, Location, Name};
use crate::rmm::codes;
use crate::rmm::frames::Place;

/// How many names are looked at for a near one; in larger programs some near names are missed.
const MAX_CANDIDATES: usize = 500;

/// `did you mean …`, if one of the names is near.
pub(super) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let limit = if name.len() <= 3 { 1 } else { 2 };
    known
        .take(MAX_CANDIDATES)
        .map(|candidate| (distance(name, candidate, limit + 1), candidate))
        .filter(|&(distance, candidate)| distance <= limit || candidate.eq_ignore_ascii_case(name))
        .min()
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// How many characters must be inserted, removed, changed or swapped with their neighbour, if it is less than `cap`.
fn distance(a: &str, b: &str, cap: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) >= cap {
        return cap;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut best =
                (last[j - 1] + usize::from(a[i - 1] != b[j - 1])).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()].min(cap)
}

/// What an expression is if it cannot be known: the error has been reported, and the program will not be built.
fn unknown() -> RegExpr {
    Expr::constant(0)
}

impl<'a> ThreadLowering<'_, 'a> {
    /// An expression over the registers of this thread.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> RegExpr {
        match &expr.kind {
            ExprKind::Number(value) => Expr::Const(value.clone()),
            ExprKind::Register(name) => self.register(name).map_or_else(unknown, Expr::Atom),
            ExprKind::Me => Expr::constant(self.number as i64),
            ExprKind::Other(k, place) => match self.lowering.other(self.number, k) {
                Some(number) => Expr::constant(number as i64),
                None => {
                    self.no_process(*place, format!("there is no other process {k} for P{}", self.number))
                }
            },
            ExprKind::At(k, place) => {
                let known = k.to_i64().is_some_and(|k| (k as usize) < self.lowering.processes.len());
                if known {
                    Expr::Const(k.clone())
                } else {
                    self.no_process(*place, format!("there is no process {k}"))
                }
            }
            ExprKind::Negative(inner) => match self.expr(inner) {
                Expr::Const(value) => Expr::Const(value.neg()),
                inner => Expr::Unary(fencewright_ir::UnaryOp::Neg, Box::new(inner)),
            },
            ExprKind::Not(inner) => self.expr(inner).not(),
            ExprKind::Binary(op, left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                left.binary(*op, right)
            }
        }
    }

    fn no_process(&mut self, place: Place, message: String) -> RegExpr {
        let n_processes = self.lowering.processes.len();
        let problem = self.lowering.problem(&codes::NO_SUCH_PROCESS, place, message);
        self.lowering.report(problem.help(process_numbers(n_processes)));
        unknown()
    }

    /// A register of this thread.
    pub(super) fn register(&mut self, name: &Name) -> Option<fencewright_ir::RegId> {
        if let Some(&register) = self.registers.get(name.text.as_str()) {
            return Some(register);
        }
        let message = format!("this process has no register `{}`", name.text);
        let problem = self.lowering.problem(&codes::UNKNOWN_REGISTER, name.place, message);
        let help = suggestion(&name.text, self.registers.keys().copied())
            .unwrap_or_else(|| format!("declare it: `registers {} = *`", name.text));
        self.lowering.report(problem.help(help));
        None
    }

    /// The cells of a location, and a domain that holds what can be read there.
    pub(super) fn location(&mut self, location: &Location) -> (Addr, Domain) {
        let found = match location {
            Location::Pointer(index, place) => return self.pointer(index, *place),
            Location::Global(name) => self.global(name),
            Location::Own(name) => self.of_process(name, self.number),
            Location::Other(name, k, place) => match self.lowering.other(self.number, k) {
                Some(owner) => self.of_process(name, owner),
                None => {
                    let message = format!("there is no other process {k} for P{}", self.number);
                    self.no_process(*place, message);
                    None
                }
            },
        };
        found.unwrap_or((Addr::Cell(CellId(0)), Domain::Integers))
    }

    fn pointer(&mut self, index: &ast::Expr, place: Place) -> (Addr, Domain) {
        let index = self.expr(index);
        let globals = &self.lowering.globals;
        let len = u32::try_from(globals.len()).unwrap_or(u32::MAX);
        if globals.is_empty() {
            let message = "there is no global variable to point to";
            let problem = self.lowering.problem(&codes::NO_POINTEE, place, message);
            self.lowering
                .report(problem.help("a pointer `[e]` is the e-th variable of the first `data` section"));
        }
        (
            Addr::Indexed { first: CellId::new(0), len, index, outside: Outside::Blocks },
            self.lowering.pointee.clone(),
        )
    }

    fn global(&mut self, name: &Name) -> Option<(Addr, Domain)> {
        if let Some(variable) = self.lowering.globals.get(name.text.as_str()) {
            return Some((Addr::Cell(variable.cell), variable.domain.clone()));
        }
        let own = self.lowering.locals[self.number].contains_key(name.text.as_str());
        let elsewhere = self.lowering.locals.iter().any(|locals| locals.contains_key(name.text.as_str()));
        let problem = if own || elsewhere {
            let message =
                format!("`{}` is no global variable: every process that declares it has its own", name.text);
            let whose = if own { "my" } else { "k" };
            self.lowering.problem(&codes::OWNERSHIP, name.place, message).help(format!(
                "write `{}[{whose}]`, or declare it in the `data` section before the first process",
                name.text
            ))
        } else {
            self.unknown_variable(name, format!("there is no variable `{}`", name.text))
        };
        self.lowering.report(problem);
        None
    }

    fn of_process(&mut self, name: &Name, owner: usize) -> Option<(Addr, Domain)> {
        if let Some(variable) = self.lowering.locals[owner].get(name.text.as_str()) {
            return Some((Addr::Cell(variable.cell), variable.domain.clone()));
        }
        let problem = if self.lowering.globals.contains_key(name.text.as_str()) {
            let message = format!("`{}` is a global variable, not one of a process", name.text);
            self.lowering
                .problem(&codes::OWNERSHIP, name.place, message)
                .help(format!("write `{}`, or declare it in the `data` section of the process", name.text))
        } else {
            self.unknown_variable(name, format!("process P{owner} has no variable `{}`", name.text))
        };
        self.lowering.report(problem);
        None
    }

    fn unknown_variable(&self, name: &Name, message: String) -> Diagnostic {
        let lowering = &self.lowering;
        let known: BTreeSet<&str> = lowering
            .globals
            .keys()
            .chain(lowering.locals.iter().flat_map(|locals| locals.keys()))
            .copied()
            .collect();
        let help = suggestion(&name.text, known.into_iter())
            .unwrap_or_else(|| format!("declare it: `data {} = 0`", name.text));
        lowering.problem(&codes::UNKNOWN_VARIABLE, name.place, message).help(help)
    }
}

fn process_numbers(n_processes: usize) -> String {
    match n_processes {
        1 => "the program has one process, number 0, and no other".to_owned(),
        n => format!("processes are numbered 0 to {}, and others are counted from 0 to {}", n - 1, n - 2),
    }
}

/// The smallest domain that holds both.
pub(super) fn hull(a: Domain, b: Domain) -> Domain {
    match (a.bounds(), b.bounds()) {
        (Some((a_low, a_high)), Some((b_low, b_high))) => Domain::range(a_low.min(b_low), a_high.max(b_high)),
        _ => Domain::Integers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let known = ["turn", "flag", "x"];
        let suggest = |name| suggestion(name, known.into_iter());
        assert_eq!(suggest("trun"), Some("did you mean `turn`?".to_owned()));
        assert_eq!(suggest("FLAG"), Some("did you mean `flag`?".to_owned()));
        assert_eq!(suggest("y"), Some("did you mean `x`?".to_owned()));
        assert_eq!(suggest("counter"), None);
        assert_eq!(distance("", "abc", 9), 3);
        assert_eq!(distance("kitten", "sitting", 9), 3);
    }

    #[test]
    fn a_hull_holds_both() {
        assert_eq!(hull(Domain::range(0, 1), Domain::range(-2, 0)), Domain::range(-2, 1));
        assert_eq!(hull(Domain::range(0, 1), Domain::Integers), Domain::Integers);
    }
}
