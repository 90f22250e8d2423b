//! Which registers can still be read: a register is live at a location if some path from there reads it before it is
//! overwritten. The value of a dead register cannot change anything the thread does.

use fencewright_base::IndexVec;

use crate::{Addr, LocId, Op, Program, Property, RegExpr, RegId, StateAtom, Step, Target, Thread, ThreadId};

/// For every location and register, whether the register is live there. Registers in `observed` (those a property
/// looks at) are live everywhere.
pub fn live_registers(thread: &Thread, observed: &[RegId]) -> IndexVec<LocId, IndexVec<RegId, bool>> {
    let none: IndexVec<RegId, bool> = thread.regs.indices().map(|reg| observed.contains(&reg)).collect();
    let mut live: IndexVec<LocId, IndexVec<RegId, bool>> =
        thread.locations.iter().map(|_| none.clone()).collect();
    // Backward to the least fixpoint. Sweeping the edges from last to first settles loop-free text in one round.
    let mut changed = true;
    while changed {
        changed = false;
        for edge in thread.edges.iter().rev() {
            let mut here = live[edge.to].clone();
            before(&edge.step, &mut here, observed);
            for reg in thread.regs.indices() {
                if here[reg] && !live[edge.from][reg] {
                    live[edge.from][reg] = true;
                    changed = true;
                }
            }
        }
    }
    live
}

/// The registers of each thread whose values a property, or the user, looks at.
pub fn watched_registers(program: &Program, observed: &[StateAtom]) -> IndexVec<ThreadId, Vec<RegId>> {
    let mut watched: IndexVec<ThreadId, Vec<RegId>> = program.threads.iter().map(|_| Vec::new()).collect();
    let mut note = |atom: &StateAtom| {
        if let StateAtom::Register(thread, reg) = *atom {
            watched[thread].push(reg);
        }
    };
    for property in &program.properties {
        match property {
            Property::Forbidden(_) => {}
            Property::Invariant(condition) => condition.expr.for_each_atom(&mut note),
            Property::Final { quantifier: _, condition, filter, observed: _ } => {
                condition.expr.for_each_atom(&mut note);
                if let Some(filter) = filter {
                    filter.expr.for_each_atom(&mut note);
                }
            }
            Property::Temporal(temporal) => temporal.for_each_atom(&mut note),
        }
    }
    observed.iter().for_each(note);
    watched
}

/// Turns "live after the step" into "live before it".
fn before(step: &Step, live: &mut IndexVec<RegId, bool>, observed: &[RegId]) {
    let kill = |live: &mut IndexVec<RegId, bool>, reg: RegId| live[reg] = observed.contains(&reg);
    fn uses(live: &mut IndexVec<RegId, bool>, expr: &RegExpr) {
        expr.for_each_atom(&mut |&reg| live[reg] = true);
    }
    fn uses_addr(live: &mut IndexVec<RegId, bool>, addr: &Addr) {
        match addr {
            Addr::Cell(_) => {}
            Addr::Indexed { index, .. } => uses(live, index),
        }
    }
    for op in step.ops.iter().rev() {
        match op {
            Op::Read { dst, addr } => {
                kill(live, *dst);
                uses_addr(live, addr);
            }
            Op::Write { addr, value } => {
                uses(live, value);
                uses_addr(live, addr);
            }
            Op::Assign { dst, value } => {
                kill(live, *dst);
                uses(live, value);
            }
            Op::Guard(condition) | Op::Assert(condition) => uses(live, condition),
            Op::Havoc { dst } => kill(live, *dst),
            Op::Fence(_) => {}
            Op::Send { values, .. } => values.iter().for_each(|value| uses(live, value)),
            Op::Receive { targets, .. } => {
                for target in targets {
                    if let Target::Register(reg) = target {
                        kill(live, *reg);
                    }
                }
                for target in targets {
                    if let Target::Memory(addr) = target {
                        uses_addr(live, addr);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellId, Domain, Expr, Init, ProgramBuilder, ThreadBuilder};

    #[test]
    fn a_register_lives_from_its_definition_to_its_last_use() {
        let mut p = ProgramBuilder::new("p");
        let s = p.statement("s", None);
        let x = p.scalar("x", Domain::Integers, Init::Any, None);
        assert_eq!(x, CellId(0));
        let mut t = ThreadBuilder::new("P");
        let r = t.register("r", Domain::Integers, Init::Any);
        let q = t.register("q", Domain::Integers, Init::Any);
        let l0 = t.entry();
        let l1 = t.then(l0, Op::Read { dst: r, addr: Addr::Cell(x) }, s);
        let l2 = t.then(l1, Op::Guard(Expr::Atom(r)), s);
        let l3 = t.then(l2, Op::Assign { dst: r, value: Expr::Atom(q) }, s);
        let live = live_registers(t.thread(), &[]);
        let at = |loc, reg| live[loc][reg];
        assert_eq!([at(l0, r), at(l1, r), at(l2, r), at(l3, r)], [false, true, false, false]);
        assert_eq!([at(l0, q), at(l1, q), at(l2, q), at(l3, q)], [true, true, true, false]);
        let observed = live_registers(t.thread(), &[r]);
        assert!(observed.iter().all(|here| here[r]), "an observed register is live everywhere");
    }

    #[test]
    fn liveness_goes_round_a_loop() {
        let mut p = ProgramBuilder::new("p");
        let s = p.statement("s", None);
        let mut t = ThreadBuilder::new("P");
        let r = t.register("r", Domain::Integers, Init::Any);
        let l0 = t.entry();
        let l1 = t.then(l0, Op::Guard(Expr::Atom(r)), s);
        t.edge(l1, l0, Step { ops: Default::default(), lock: None, statement: s });
        let live = live_registers(t.thread(), &[]);
        assert!(live[l0][r] && live[l1][r]);
    }
}
