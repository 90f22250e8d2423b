//! Random temporal properties.

use fencewright_ir::{
    Claim, Expr, Fairness, Formula, LocId, Never, NeverMove, NeverState, Program, StateAtom, Temporal,
    ThreadId,
};

use super::{Rng, value};

/// A formula with at most `operators` temporal operators about parts of the program's state, and some fairness.
pub(super) fn temporal(rng: &mut Rng, program: &Program, operators: usize) -> Temporal {
    let mut left = operators;
    let formula = match rng.below(4) {
        // The shapes that people write; wholly random formulae are mostly true or false at once.
        0 => {
            let (p, q) = (now(rng, program), now(rng, program));
            p.implies(q.finally()).globally()
        }
        1 => {
            let p = now(rng, program);
            if rng.percent(50) { p.finally().globally() } else { p.globally().finally() }
        }
        _ => formula(rng, program, 4, &mut left),
    };
    let fairness = Fairness { flush: rng.percent(70), process: rng.percent(40) };
    Temporal { claim: Claim::Formula(formula), fairness, text: "generated".to_owned(), span: None }
}

fn formula(rng: &mut Rng, program: &Program, depth: usize, operators: &mut usize) -> Formula {
    if depth == 0 || rng.percent(15) {
        return if rng.percent(5) { Formula::Const(rng.percent(50)) } else { now(rng, program) };
    }
    let mut part = |rng: &mut Rng| formula(rng, program, depth - 1, operators);
    match rng.below(9) {
        0 => part(rng).not(),
        1 => {
            let a = part(rng);
            a.and(part(rng))
        }
        2 => {
            let a = part(rng);
            a.or(part(rng))
        }
        kind => {
            if *operators == 0 {
                return now(rng, program);
            }
            *operators -= 1;
            let mut part = |rng: &mut Rng| formula(rng, program, depth - 1, operators);
            let a = part(rng);
            match kind {
                3 => a.next(),
                4 | 5 => a.finally(),
                6 => a.globally(),
                7 => a.until(part(rng)),
                _ => a.release(part(rng)),
            }
        }
    }
}

/// An automaton of up to three states.
pub(super) fn automaton(rng: &mut Rng, program: &Program) -> Never {
    let n = 1 + rng.below(3);
    let condition = |rng: &mut Rng| match rng.below(4) {
        0 => Expr::constant(1),
        1 => part(rng, program).not(),
        _ => part(rng, program),
    };
    let step = |rng: &mut Rng| NeverMove { when: condition(rng), to: rng.below(n) as u32 };
    let state = |rng: &mut Rng| NeverState {
        accepting: rng.percent(50),
        moves: (0..1 + rng.below(3)).map(|_| step(rng)).collect(),
    };
    Never { states: (0..n).map(|_| state(rng)).collect() }
}

fn now(rng: &mut Rng, program: &Program) -> Formula {
    Formula::Now(part(rng, program))
}

/// A condition on one part of the state.
fn part(rng: &mut Rng, program: &Program) -> Expr<StateAtom> {
    let t = ThreadId(rng.below(program.threads.len()) as u32);
    let thread = &program.threads[t];
    let at = |rng: &mut Rng| {
        let loc = LocId(rng.below(thread.locations.len()) as u32);
        Expr::Atom(StateAtom::At(t, loc))
    };
    match rng.below(3) {
        0 => at(rng),
        1 if !thread.regs.is_empty() => {
            let (reg, data) =
                (thread.regs.iter_enumerated()).nth(rng.below(thread.regs.len())).expect("counted");
            let value = value(rng, &data.domain);
            Expr::Atom(StateAtom::Register(t, reg)).eq(Expr::Const(value))
        }
        _ => {
            let cells: Vec<_> = program.cells().collect();
            let (cell, domain, _) = cells[rng.below(cells.len())];
            Expr::Atom(StateAtom::Cell(cell)).eq(Expr::Const(value(rng, domain)))
        }
    }
}
