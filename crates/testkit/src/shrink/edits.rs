//! The edits the shrinker tries, the most drastic first.

use fencewright_base::Int;
use fencewright_ir::{
    Addr, CellId, Claim, Domain, EdgeId, Expr, Formula, Init, LocId, LocationSet, Lock, Op, Program,
    Property, StateAtom, ThreadId,
};

use super::restrict::{Keep, restrict};

/// All programs one edit away. Some are not valid, some are not smaller: the caller looks.
pub(super) fn edits(program: &Program) -> impl Iterator<Item = Program> {
    let keep = Keep::all(program);
    let threads = program.threads.indices().map({
        let keep = keep.clone();
        move |t| without(program, &keep, |keep| keep.threads[t] = false)
    });
    let useful = std::iter::once_with(|| restrict(program, &Keep::useful(program)));
    let properties = (0..program.properties.len()).map(|i| {
        changed(program, |p| {
            p.properties.remove(i);
        })
    });
    let vars = program.vars.indices().map({
        let keep = keep.clone();
        move |v| without(program, &keep, |keep| keep.vars[v] = false)
    });
    let edges = all_edges(program).map({
        let keep = keep.clone();
        move |(t, e)| without(program, &keep, |keep| keep.edges[t][e] = false)
    });
    let regs =
        program.threads.iter_enumerated().flat_map(|(t, thread)| thread.regs.indices().map(move |r| (t, r)));
    let regs = regs.map(move |(t, r)| without(program, &keep, |keep| keep.regs[t][r] = false));
    let contractions = all_edges(program).filter_map(|(t, e)| contract(program, t, e));
    threads
        .chain(useful)
        .chain(properties)
        .chain(vars)
        .chain(edges)
        .chain(contractions)
        .chain(all_edges(program).flat_map(|(t, e)| step_edits(program, t, e)))
        .chain(regs)
        .chain(value_edits(program))
        .chain((0..program.properties.len()).flat_map(|i| property_edits(program, i)))
}

fn changed(program: &Program, change: impl FnOnce(&mut Program)) -> Program {
    let mut result = program.clone();
    change(&mut result);
    result
}

fn without(program: &Program, all: &Keep, drop: impl FnOnce(&mut Keep)) -> Program {
    let mut keep = all.clone();
    drop(&mut keep);
    restrict(program, &keep)
}

fn all_edges(program: &Program) -> impl Iterator<Item = (ThreadId, EdgeId)> {
    program.threads.iter_enumerated().flat_map(|(t, thread)| thread.edges.indices().map(move |e| (t, e)))
}

/// Makes the two ends of an edge one location and drops the edge.
fn contract(program: &Program, t: ThreadId, e: EdgeId) -> Option<Program> {
    let edge = program.edge(t, e);
    let (from, to) = (edge.from, edge.to);
    if from == to {
        return None;
    }
    let merge = |loc: LocId| if loc == to { from } else { loc };
    let merged = changed(program, |p| {
        let thread = &mut p.threads[t];
        thread.entry = merge(thread.entry);
        for edge in thread.edges.iter_mut() {
            edge.from = merge(edge.from);
            edge.to = merge(edge.to);
        }
        let labels = thread.locations[to].labels.clone();
        thread.locations[from].labels.extend(labels);
        for property in &mut p.properties {
            match property {
                Property::Forbidden(forbidden) => {
                    if let LocationSet::OneOf(set) = &mut forbidden.at[t] {
                        *set = set.iter().map(|&loc| merge(loc)).collect();
                    }
                }
                Property::Invariant(condition) => merge_atoms(&mut condition.expr, t, &merge),
                Property::Final { quantifier: _, condition, filter, observed } => {
                    merge_atoms(&mut condition.expr, t, &merge);
                    filter.iter_mut().for_each(|filter| merge_atoms(&mut filter.expr, t, &merge));
                    observed.iter_mut().for_each(|atom| *atom = merge_atom(atom, t, &merge));
                }
                Property::Temporal(temporal) => {
                    temporal.claim = temporal.claim.map_conditions(&mut |condition| {
                        let mut condition = condition.clone();
                        merge_atoms(&mut condition, t, &merge);
                        condition
                    });
                }
            }
        }
    });
    let mut keep = Keep::all(&merged);
    keep.edges[t][e] = false;
    keep.locs[t][to] = false;
    Some(restrict(&merged, &keep))
}

fn merge_atom(atom: &StateAtom, t: ThreadId, merge: &dyn Fn(LocId) -> LocId) -> StateAtom {
    match atom {
        StateAtom::At(thread, loc) if *thread == t => StateAtom::At(t, merge(*loc)),
        StateAtom::At(..) | StateAtom::Register(..) | StateAtom::Cell(_) => atom.clone(),
    }
}

fn merge_atoms(expr: &mut Expr<StateAtom>, t: ThreadId, merge: &dyn Fn(LocId) -> LocId) {
    *expr = expr.map(&mut |atom| merge_atom(atom, t, merge));
}

/// Edits of one step: fewer micro-operations, a weaker lock, simpler expressions and addresses.
fn step_edits(program: &Program, t: ThreadId, e: EdgeId) -> Vec<Program> {
    let step = &program.edge(t, e).step;
    let mut results = Vec::new();
    let mut push = |change: &dyn Fn(&mut fencewright_ir::Step)| {
        results.push(changed(program, |p| change(&mut p.threads[t].edges[e].step)));
    };
    for i in 0..step.ops.len() {
        push(&|step| {
            step.ops.remove(i);
        });
    }
    for lock in [None, Some(Lock::Location)] {
        push(&|step| step.lock = lock);
    }
    for (i, op) in step.ops.iter().enumerate() {
        for simpler in simpler_ops(op) {
            push(&|step| step.ops[i] = simpler.clone());
        }
    }
    results
}

fn simpler_ops(op: &Op) -> Vec<Op> {
    match op {
        Op::Read { dst, addr } => {
            simpler_addrs(addr).into_iter().map(|addr| Op::Read { dst: *dst, addr }).collect()
        }
        Op::Write { addr, value } => {
            let addrs = simpler_addrs(addr).into_iter().map(|addr| Op::Write { addr, value: value.clone() });
            let values = simpler(value).into_iter().map(|value| Op::Write { addr: addr.clone(), value });
            addrs.chain(values).collect()
        }
        Op::Assign { dst, value } => {
            simpler(value).into_iter().map(|value| Op::Assign { dst: *dst, value }).collect()
        }
        Op::Guard(condition) => simpler(condition).into_iter().map(Op::Guard).collect(),
        Op::Assert(condition) => simpler(condition).into_iter().map(Op::Assert).collect(),
        Op::Havoc { dst } => {
            (0..2).map(|value| Op::Assign { dst: *dst, value: Expr::constant(value) }).collect()
        }
        Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => Vec::new(),
    }
}

fn simpler_addrs(addr: &Addr) -> Vec<Addr> {
    match addr {
        Addr::Cell(_) => Vec::new(),
        Addr::Indexed { first, len, index, outside } => {
            let cells = (0..*len).map(|i| Addr::Cell(CellId(first.0 + i)));
            let indices = simpler(index).into_iter().map(|index| Addr::Indexed {
                first: *first,
                len: *len,
                index,
                outside: *outside,
            });
            cells.chain(indices).collect()
        }
    }
}

/// Expressions with one node replaced by a number or by one of its operands.
fn simpler<A: Clone>(e: &Expr<A>) -> Vec<Expr<A>> {
    let mut results = vec![Expr::constant(0), Expr::constant(1)];
    match e {
        Expr::Const(_) | Expr::Atom(_) => {}
        Expr::Unary(op, a) => {
            results.push((**a).clone());
            results.extend(simpler(a).into_iter().map(|a| Expr::Unary(*op, Box::new(a))));
        }
        Expr::Wrap { bits, signed, value } => {
            results.push((**value).clone());
            let wrap = |value| Expr::Wrap { bits: *bits, signed: *signed, value: Box::new(value) };
            results.extend(simpler(value).into_iter().map(wrap));
        }
        Expr::Checked { bits, signed, value } => {
            results.push((**value).clone());
            let checked = |value| Expr::Checked { bits: *bits, signed: *signed, value: Box::new(value) };
            results.extend(simpler(value).into_iter().map(checked));
        }
        Expr::Binary(op, a, b) => {
            results.extend([(**a).clone(), (**b).clone()]);
            results.extend(simpler(a).into_iter().map(|a| Expr::Binary(*op, Box::new(a), b.clone())));
            results.extend(simpler(b).into_iter().map(|b| Expr::Binary(*op, a.clone(), Box::new(b))));
        }
        Expr::Choose(a, b, c) => {
            results.extend([(**a).clone(), (**b).clone(), (**c).clone()]);
            results.extend(simpler(a).into_iter().map(|a| Expr::Choose(Box::new(a), b.clone(), c.clone())));
            results.extend(simpler(b).into_iter().map(|b| Expr::Choose(a.clone(), Box::new(b), c.clone())));
            results.extend(simpler(c).into_iter().map(|c| Expr::Choose(a.clone(), b.clone(), Box::new(c))));
        }
    }
    results
}

/// Simpler domains and initial values.
fn value_edits(program: &Program) -> Vec<Program> {
    let domains = [Domain::range(0, 1), Domain::range(0, 2), Domain::Integers];
    let inits = [0, 1].map(|value| Init::Value(Int::from(value)));
    let mut results = Vec::new();
    for v in program.vars.indices() {
        for domain in &domains {
            results.push(changed(program, |p| p.vars[v].domain = domain.clone()));
        }
        for (i, _) in program.vars[v].init.iter().enumerate() {
            for init in &inits {
                results.push(changed(program, |p| p.vars[v].init[i] = init.clone()));
            }
        }
    }
    for (t, thread) in program.threads.iter_enumerated() {
        for r in thread.regs.indices() {
            for domain in &domains {
                results.push(changed(program, |p| p.threads[t].regs[r].domain = domain.clone()));
            }
            for init in &inits {
                results.push(changed(program, |p| p.threads[t].regs[r].init = init.clone()));
            }
        }
    }
    results
}

/// Simpler conditions, fewer observed parts, larger sets of locations.
fn property_edits(program: &Program, i: usize) -> Vec<Program> {
    let mut results = Vec::new();
    let mut push = |change: &dyn Fn(&mut Property)| {
        results.push(changed(program, |p| change(&mut p.properties[i])));
    };
    match &program.properties[i] {
        Property::Forbidden(forbidden) => {
            for (t, set) in forbidden.at.iter_enumerated() {
                let mut replace = |with: LocationSet| {
                    push(&|property| {
                        if let Property::Forbidden(forbidden) = property {
                            forbidden.at[t] = with.clone();
                        }
                    });
                };
                replace(LocationSet::Any);
                if let LocationSet::OneOf(locs) = set {
                    for loc in locs {
                        replace(LocationSet::OneOf(
                            locs.iter().filter(|other| *other != loc).copied().collect(),
                        ));
                    }
                }
            }
        }
        Property::Invariant(condition) => {
            for expr in simpler(&condition.expr) {
                push(&|property| {
                    if let Property::Invariant(condition) = property {
                        condition.expr = expr.clone();
                    }
                });
            }
        }
        Property::Final { quantifier: _, condition, filter: _, observed } => {
            for expr in simpler(&condition.expr) {
                push(&|property| {
                    if let Property::Final { condition, .. } = property {
                        condition.expr = expr.clone();
                    }
                });
            }
            push(&|property| {
                if let Property::Final { filter, .. } = property {
                    *filter = None;
                }
            });
            for k in 0..observed.len() {
                push(&|property| {
                    if let Property::Final { observed, .. } = property {
                        observed.remove(k);
                    }
                });
            }
        }
        Property::Temporal(temporal) => {
            let Claim::Formula(formula) = &temporal.claim else { return results };
            for formula in simpler_formulae(formula) {
                push(&|property| {
                    if let Property::Temporal(temporal) = property {
                        temporal.claim = Claim::Formula(formula.clone());
                    }
                });
            }
        }
    }
    results
}

/// The formula with an operator replaced by one of its operands, and its conditions made simpler.
fn simpler_formulae(formula: &Formula) -> Vec<Formula> {
    let mut results = Vec::new();
    match formula {
        Formula::Const(_) => {}
        Formula::Now(condition) => {
            results.extend([Formula::Const(true), Formula::Const(false)]);
            results.extend(simpler(condition).into_iter().map(Formula::Now));
        }
        Formula::Not(a) | Formula::Next(a) => {
            results.push((**a).clone());
            let again = |a| if matches!(formula, Formula::Not(_)) { Formula::not(a) } else { a.next() };
            results.extend(simpler_formulae(a).into_iter().map(again));
        }
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
            results.extend([(**a).clone(), (**b).clone()]);
            let again: fn(Formula, Formula) -> Formula = match formula {
                Formula::And(..) => Formula::and,
                Formula::Or(..) => Formula::or,
                Formula::Until(..) => Formula::until,
                _ => Formula::release,
            };
            results.extend(simpler_formulae(a).into_iter().map(|a| again(a, (**b).clone())));
            results.extend(simpler_formulae(b).into_iter().map(|b| again((**a).clone(), b)));
        }
    }
    results
}
