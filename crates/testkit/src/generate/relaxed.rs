//! Straight lines for models in which reads wait: two cells that are met by name and by computed address, values and
//! branches that come from what was read, fences, and locked steps of both strengths.

use fencewright_base::Int;
use fencewright_ir::{
    Addr, BinaryOp, CellId, Domain, Expr, FenceKind, Init, Lock, Op, Outside, Program, ProgramBuilder,
    RegExpr, RegId, Step, ThreadBuilder,
};

use super::{Rng, property};

/// The program of this seed. Nothing in it can block but guards, and nothing can fail.
pub fn relaxed_program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut builder = ProgramBuilder::new(format!("relaxed_{seed}"));
    builder.array("a", Domain::Integers, vec![Init::Value(Int::ZERO); 2], None);
    let n_threads = if rng.percent(80) { 2 } else { 3 };
    for t in 0..n_threads {
        let mut thread = ThreadBuilder::new(format!("P{t}"));
        let registers: Vec<RegId> = (0..2)
            .map(|r| thread.register(format!("r{r}"), Domain::Integers, Init::Value(Int::ZERO)))
            .collect();
        let mut here = thread.entry();
        for n in 0..(9 - 2 * n_threads) {
            let (ops, lock) = step(&mut rng, &registers);
            let statement = builder.statement(format!("P{t}:{n}"), None);
            let to = thread.location();
            thread.edge(here, to, Step { ops: ops.into(), lock, statement });
            here = to;
        }
        builder.add_thread(thread);
    }
    let property = property::last(&mut rng, builder.program());
    builder.property(property);
    builder.finish().expect("a generated program is well-formed")
}

fn step(rng: &mut Rng, registers: &[RegId]) -> (Vec<Op>, Option<Lock>) {
    let dst = *rng.pick(registers);
    let from = *rng.pick(registers);
    let read = |rng: &mut Rng| Op::Read { dst, addr: address(rng, registers) };
    let write = |rng: &mut Rng, value: RegExpr| Op::Write { addr: address(rng, registers), value };
    let small = |rng: &mut Rng| Expr::constant(rng.between(1, 2));
    match rng.below(20) {
        0..=5 => (vec![read(rng)], None),
        6..=10 => {
            let value =
                if rng.percent(60) { small(rng) } else { Expr::Atom(from).binary(BinaryOp::Add, small(rng)) };
            (vec![write(rng, value)], None)
        }
        // The value does not depend on the register, but the text does.
        11 => {
            (vec![Op::Assign { dst, value: Expr::Atom(from).binary(BinaryOp::Mul, Expr::constant(0)) }], None)
        }
        12 => (vec![Op::Assign { dst, value: small(rng) }], None),
        13 | 14 => {
            (vec![Op::Guard(Expr::Atom(from).binary(BinaryOp::Ge, Expr::constant(rng.between(0, 1))))], None)
        }
        15 => (vec![read(rng), Op::Guard(Expr::Atom(dst).binary(BinaryOp::Ne, Expr::constant(2)))], None),
        16 => (vec![read(rng), write(rng, Expr::constant(2))], None),
        17 => {
            let kind = if rng.percent(40) { FenceKind::Full } else { FenceKind::StoreStore };
            (vec![Op::Fence(kind)], None)
        }
        _ => {
            let lock = if rng.percent(75) { Lock::Location } else { Lock::Full };
            let ops = match rng.below(4) {
                0 => vec![write(rng, Expr::constant(1))],
                1 => vec![read(rng)],
                _ => {
                    let addr = address(rng, registers);
                    let value = Expr::Atom(dst).binary(BinaryOp::Add, Expr::constant(1));
                    // The register that is read into must not be in the address, which is used twice.
                    let addr = match addr {
                        Addr::Indexed { .. } => Addr::Cell(CellId(0)),
                        Addr::Cell(cell) => Addr::Cell(cell),
                    };
                    vec![Op::Read { dst, addr: addr.clone() }, Op::Write { addr, value }]
                }
            };
            (ops, Some(lock))
        }
    }
}

/// One of the two cells, by name or by a register.
fn address(rng: &mut Rng, registers: &[RegId]) -> Addr {
    if rng.percent(75) {
        return Addr::Cell(CellId(rng.below(2) as u32));
    }
    let index = Expr::Atom(*rng.pick(registers)).binary(BinaryOp::Eq, Expr::constant(rng.between(0, 1)));
    Addr::Indexed { first: CellId(0), len: 2, index, outside: Outside::Faults }
}
