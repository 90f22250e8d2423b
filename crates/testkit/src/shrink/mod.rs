//! Delta debugging: the smallest program that still fails.
//!
//! [`shrink`] tries every edit of [`edits`](mod@edits): dropping threads, variables, edges, micro-operations and
//! properties, contracting empty edges, simplifying expressions, domains and initial values. It keeps an edit when the
//! result is valid, weighs less, and still fails, and ends when none is left: the result is minimal in the sense that no
//! single edit can be made any more. The weight goes down with each kept edit, so it ends.

mod edits;
mod restrict;

use fencewright_ir::{
    Claim, Domain, Expr, Formula, Init, LocationSet, Lock, NeverMove, Op, Program, Property, validate,
};

/// The smallest program reached from `program` for which `fails` still says so. `fails(program)` must hold.
pub fn shrink(program: &Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    loop {
        let before = weight(&smallest);
        let better = |candidate: &Program| {
            weight(candidate) < before && validate(candidate).is_empty() && fails(candidate)
        };
        let found = edits::edits(&smallest).find(better);
        match found {
            Some(candidate) => smallest = candidate,
            None => return smallest,
        }
    }
}

/// How large a program is to a reader. Every edit is meant to make it less.
pub fn weight(program: &Program) -> u64 {
    let Program { name: _, vars, channels, threads, statements, orders: _, properties, wording: _ } = program;
    let mut total = 50 * channels.len() as u64;
    for var in vars {
        total += 50 + domain(&var.domain) + var.init.iter().map(|value| 10 + init(value)).sum::<u64>();
    }
    for thread in threads {
        total += 1000 + 5 * thread.locations.len() as u64;
        total += thread.regs.iter().map(|reg| 20 + domain(&reg.domain) + init(&reg.init)).sum::<u64>();
        for edge in &thread.edges {
            total += 100;
            total += edge.step.ops.iter().map(op).sum::<u64>();
            total += match edge.step.lock {
                None => 0,
                Some(Lock::Location) => 5,
                Some(Lock::Full) => 6,
            };
        }
    }
    total + statements.len() as u64 + properties.iter().map(property).sum::<u64>()
}

fn op(op: &Op) -> u64 {
    50 + match op {
        Op::Read { dst: _, addr } => self::addr(addr),
        Op::Write { addr, value } => self::addr(addr) + expr(value),
        Op::Assign { dst: _, value } => expr(value),
        Op::Guard(condition) | Op::Assert(condition) => expr(condition),
        Op::Havoc { dst: _ } | Op::Fence(_) => 0,
        Op::Send { channel: _, values } => values.iter().map(expr).sum(),
        Op::Receive { channel: _, targets } => 5 * targets.len() as u64,
    }
}

fn addr(addr: &fencewright_ir::Addr) -> u64 {
    match addr {
        fencewright_ir::Addr::Cell(_) => 0,
        fencewright_ir::Addr::Indexed { first: _, len, index, outside: _ } => {
            10 + u64::from(*len) + expr(index)
        }
    }
}

fn expr<A>(e: &Expr<A>) -> u64 {
    match e {
        Expr::Const(value) => 3 + number(value),
        Expr::Atom(_) => 5,
        Expr::Unary(_, e) => 6 + expr(e),
        Expr::Wrap { bits: _, signed: _, value } | Expr::Checked { bits: _, signed: _, value } => {
            6 + expr(value)
        }
        Expr::Binary(_, a, b) => 6 + expr(a) + expr(b),
        Expr::Choose(a, b, c) => 6 + expr(a) + expr(b) + expr(c),
    }
}

/// 0 for 0, 1 for 1, 2 for everything else.
fn number(value: &fencewright_base::Int) -> u64 {
    match value.to_i64() {
        Some(0) => 0,
        Some(1) => 1,
        Some(_) | None => 2,
    }
}

fn domain(domain: &Domain) -> u64 {
    match domain {
        Domain::Range { lo, hi } => 1 + number(lo) + number(hi),
        Domain::Machine { bits: _, signed: _ } => 7,
        Domain::Integers => 6,
    }
}

fn init(init: &Init) -> u64 {
    match init {
        Init::Value(value) => number(value),
        Init::Any => 5,
    }
}

fn formula(of: &Formula) -> u64 {
    match of {
        Formula::Const(_) => 1,
        Formula::Now(condition) => 2 + expr(condition),
        Formula::Not(a) | Formula::Next(a) => 3 + formula(a),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
            3 + formula(a) + formula(b)
        }
    }
}

fn property(property: &Property) -> u64 {
    200 + match property {
        Property::Forbidden(forbidden) => {
            let set = |set: &LocationSet| match set {
                LocationSet::Any => 0,
                LocationSet::OneOf(locs) => 3 + locs.len() as u64,
            };
            forbidden.at.iter().map(set).sum()
        }
        Property::Invariant(condition) => expr(&condition.expr),
        Property::Final { quantifier: _, condition, filter, observed } => {
            let filter = filter.as_ref().map_or(0, |filter| 10 + expr(&filter.expr));
            expr(&condition.expr) + filter + 2 * observed.len() as u64
        }
        Property::Temporal(temporal) => match &temporal.claim {
            Claim::Formula(of) => formula(of),
            Claim::Never(never) => {
                let step = |step: &NeverMove| 3 + expr(&step.when);
                never.states.iter().map(|state| 5 + state.moves.iter().map(step).sum::<u64>()).sum()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use fencewright_base::Meter;
    use fencewright_memory::{Machine, Model};

    use super::*;
    use crate::generate::{self, Config};
    use crate::reference::{Limits, explore};

    fn violated(program: &Program, model: Model) -> bool {
        let machine = Machine::new(program, model);
        explore(&machine, &Limits::buffer(2), &Meter::unlimited())
            .is_ok_and(|graph| graph.violation.is_some())
    }

    /// What is violated under TSO and not under SC needs a write that is overtaken: two threads, each with a write and
    /// a read, or one that sees its own write early.
    #[test]
    fn a_relaxed_violation_shrinks_to_a_core_that_still_shows_it() {
        let mut fails = |program: &Program| violated(program, Model::Tso) && !violated(program, Model::Sc);
        let found: Vec<Program> = (0..400)
            .map(|seed| generate::program(seed, &Config::default()))
            .filter(|program| fails(program))
            .take(5)
            .collect();
        assert_eq!(found.len(), 5, "400 seeds give at least five such programs");
        for program in found {
            let small = shrink(&program, &mut fails);
            assert!(fails(&small), "{} still shows it", program.name);
            assert!(weight(&small) <= weight(&program));
            for candidate in edits::edits(&small) {
                let better = weight(&candidate) < weight(&small)
                    && validate(&candidate).is_empty()
                    && fails(&candidate);
                assert!(!better, "{} is not minimal", program.name);
            }
            let ops: usize =
                small.threads.iter().flat_map(|thread| &thread.edges).map(|edge| edge.step.ops.len()).sum();
            assert!(ops <= 6, "{}: {ops} operations are left:\n{small:#?}", program.name);
        }
    }
}
