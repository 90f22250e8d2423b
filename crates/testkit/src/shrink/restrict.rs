//! Programs with parts left out: everything behind is numbered anew. What mentions a part that is gone goes too, or
//! becomes 0 where an expression needs something.

use fencewright_base::{Index, IndexVec};
use fencewright_ir::{
    Addr, CellId, Condition, Edge, EdgeId, Expr, Forbidden, LocId, LocationSet, Op, Program, Property,
    RegExpr, RegId, StateAtom, StatementId, Step, Target, Temporal, Thread, ThreadId, VarId, Wording,
};

/// Which parts stay.
#[derive(Debug, Clone)]
pub(super) struct Keep {
    pub(super) vars: IndexVec<VarId, bool>,
    pub(super) threads: IndexVec<ThreadId, bool>,
    pub(super) regs: IndexVec<ThreadId, IndexVec<RegId, bool>>,
    pub(super) locs: IndexVec<ThreadId, IndexVec<LocId, bool>>,
    pub(super) edges: IndexVec<ThreadId, IndexVec<EdgeId, bool>>,
}

impl Keep {
    /// All of them.
    pub(super) fn all(program: &Program) -> Self {
        let threads = &program.threads;
        Self {
            vars: program.vars.iter().map(|_| true).collect(),
            threads: threads.iter().map(|_| true).collect(),
            regs: threads.iter().map(|thread| thread.regs.iter().map(|_| true).collect()).collect(),
            locs: threads.iter().map(|thread| thread.locations.iter().map(|_| true).collect()).collect(),
            edges: threads.iter().map(|thread| thread.edges.iter().map(|_| true).collect()).collect(),
        }
    }

    /// Those that an execution or a property can touch.
    pub(super) fn useful(program: &Program) -> Self {
        let mut keep = Self::all(program);
        let mut cells = vec![false; program.n_cells()];
        for (t, thread) in program.threads.iter_enumerated() {
            keep.locs[t] = reachable(thread);
            let mut regs: IndexVec<RegId, bool> = thread.regs.iter().map(|_| false).collect();
            for (e, edge) in thread.edges.iter_enumerated() {
                keep.edges[t][e] = keep.locs[t][edge.from];
                if keep.edges[t][e] {
                    edge.step.ops.iter().for_each(|op| mark(op, &mut regs, &mut cells));
                }
            }
            keep.regs[t] = regs;
        }
        let mut atom = |atom: &StateAtom| match atom {
            StateAtom::Register(t, r) => keep.regs[*t][*r] = true,
            StateAtom::Cell(cell) => cells[cell.index()] = true,
            StateAtom::At(t, loc) => keep.locs[*t][*loc] = true,
        };
        for property in &program.properties {
            match property {
                Property::Forbidden(_) => {} // A location that is not reached drops out of the set.
                Property::Invariant(condition) => condition.expr.for_each_atom(&mut atom),
                Property::Final { quantifier: _, condition, filter, observed } => {
                    condition.expr.for_each_atom(&mut atom);
                    filter.iter().for_each(|filter| filter.expr.for_each_atom(&mut atom));
                    observed.iter().for_each(&mut atom);
                }
                Property::Temporal(temporal) => temporal.for_each_atom(&mut atom),
            }
        }
        for (v, var) in program.vars.iter_enumerated() {
            let first = var.first_cell.index();
            keep.vars[v] = cells[first..first + var.init.len()].contains(&true);
        }
        keep
    }
}

fn reachable(thread: &Thread) -> IndexVec<LocId, bool> {
    let mut reached: IndexVec<LocId, bool> = thread.locations.iter().map(|_| false).collect();
    reached[thread.entry] = true;
    let mut changed = true;
    while changed {
        changed = false;
        for edge in &thread.edges {
            if reached[edge.from] && !reached[edge.to] {
                reached[edge.to] = true;
                changed = true;
            }
        }
    }
    reached
}

fn mark(op: &Op, regs: &mut IndexVec<RegId, bool>, cells: &mut [bool]) {
    fn expr(regs: &mut IndexVec<RegId, bool>, e: &RegExpr) {
        e.for_each_atom(&mut |&reg| regs[reg] = true);
    }
    let mut addr = |regs: &mut IndexVec<RegId, bool>, addr: &Addr| match addr {
        Addr::Cell(cell) => cells[cell.index()] = true,
        Addr::Indexed { first, len, index, outside: _ } => {
            cells[first.index()..first.index() + *len as usize].fill(true);
            expr(regs, index);
        }
    };
    match op {
        Op::Read { dst, addr: a } => {
            addr(regs, a);
            regs[*dst] = true;
        }
        Op::Write { addr: a, value } => {
            addr(regs, a);
            expr(regs, value);
        }
        Op::Assign { dst, value } => {
            regs[*dst] = true;
            expr(regs, value);
        }
        Op::Guard(condition) | Op::Assert(condition) => expr(regs, condition),
        Op::Havoc { dst } => regs[*dst] = true,
        Op::Fence(_) => {}
        Op::Send { channel: _, values } => values.iter().for_each(|value| expr(regs, value)),
        Op::Receive { channel: _, targets } => {
            for target in targets {
                match target {
                    Target::Register(reg) => regs[*reg] = true,
                    Target::Memory(a) => addr(regs, a),
                }
            }
        }
    }
}

/// New numbers of the parts that stay.
struct Renumbering<I>(IndexVec<I, Option<I>>);

impl<I: Index> Renumbering<I> {
    fn new(keep: &IndexVec<I, bool>) -> Self {
        let mut next = 0;
        Self(
            keep.iter()
                .map(|&keep| {
                    keep.then(|| {
                        I::new({
                            next += 1;
                            next - 1
                        })
                    })
                })
                .collect(),
        )
    }

    fn of(&self, old: I) -> Option<I> {
        self.0[old]
    }
}

/// The program with only these parts. An entry location that does not stay makes the result invalid.
pub(super) fn restrict(program: &Program, keep: &Keep) -> Program {
    let kept_cells: IndexVec<CellId, bool> = program
        .vars
        .iter_enumerated()
        .flat_map(|(v, var)| var.init.iter().map(move |_| v))
        .map(|v| keep.vars[v])
        .collect();
    let cells = Renumbering::new(&kept_cells);
    let threads = Renumbering::new(&keep.threads);
    let locs: Vec<_> = keep.locs.iter().map(Renumbering::new).collect();
    let regs: Vec<_> = keep.regs.iter().map(Renumbering::new).collect();
    let mut result = Program {
        name: program.name.clone(),
        vars: IndexVec::new(),
        channels: program.channels.clone(),
        threads: IndexVec::new(),
        statements: program.statements.clone(),
        orders: IndexVec::new(),
        properties: Vec::new(),
        wording: Wording::default(),
    };
    for (v, var) in program.vars.iter_enumerated().filter(|(v, _)| keep.vars[*v]) {
        let first_cell = cells.of(program.vars[v].first_cell).expect("the variable stays");
        let mut var = var.clone();
        var.first_cell = first_cell;
        result.vars.push(var);
    }
    for (t, thread) in program.threads.iter_enumerated().filter(|(t, _)| keep.threads[*t]) {
        let (locs, regs) = (&locs[t.index()], &regs[t.index()]);
        let edge = |(e, edge): (EdgeId, &Edge)| {
            let (from, to) = (locs.of(edge.from)?, locs.of(edge.to)?);
            let ops = edge.step.ops.iter().filter_map(|op| self::op(op, &cells, regs)).collect();
            let step = Step { ops, lock: edge.step.lock, statement: edge.step.statement };
            keep.edges[t][e].then_some(Edge { from, to, step })
        };
        let stays = |kept: &IndexVec<LocId, bool>, loc: LocId| kept[loc];
        result.threads.push(Thread {
            name: thread.name.clone(),
            regs: thread
                .regs
                .iter_enumerated()
                .filter(|(r, _)| keep.regs[t][*r])
                .map(|(_, r)| r.clone())
                .collect(),
            locations: (thread.locations.iter_enumerated())
                .filter(|(loc, _)| stays(&keep.locs[t], *loc))
                .map(|(_, loc)| loc.clone())
                .collect(),
            edges: thread.edges.iter_enumerated().filter_map(edge).collect(),
            entry: locs.of(thread.entry).unwrap_or(LocId(u32::MAX)),
        });
    }
    let atom = |atom: &StateAtom| {
        Some(match atom {
            StateAtom::Register(t, r) => StateAtom::Register(threads.of(*t)?, regs[t.index()].of(*r)?),
            StateAtom::Cell(cell) => StateAtom::Cell(cells.of(*cell)?),
            StateAtom::At(t, loc) => StateAtom::At(threads.of(*t)?, locs[t.index()].of(*loc)?),
        })
    };
    let condition = |condition: &Condition| Condition {
        expr: substitute(&condition.expr, &atom),
        text: condition.text.clone(),
        span: condition.span,
    };
    for property in &program.properties {
        result.properties.push(match property {
            Property::Forbidden(forbidden) => {
                let at = forbidden.at.iter_enumerated().filter(|(t, _)| keep.threads[*t]);
                let at = at.map(|(t, set)| match set {
                    LocationSet::Any => LocationSet::Any,
                    LocationSet::OneOf(set) => {
                        LocationSet::OneOf(set.iter().filter_map(|&loc| locs[t.index()].of(loc)).collect())
                    }
                });
                Property::Forbidden(Forbidden {
                    at: at.collect(),
                    text: forbidden.text.clone(),
                    span: forbidden.span,
                })
            }
            Property::Invariant(invariant) => Property::Invariant(condition(invariant)),
            Property::Final { quantifier, condition: of, filter, observed } => Property::Final {
                quantifier: *quantifier,
                condition: condition(of),
                filter: filter.as_ref().map(condition),
                observed: observed.iter().filter_map(atom).collect(),
            },
            Property::Temporal(temporal) => {
                let claim = temporal.claim.map_conditions(&mut |expr| {
                    let of = Condition { expr: expr.clone(), text: String::new(), span: None };
                    condition(&of).expr
                });
                Property::Temporal(Temporal { claim, ..temporal.clone() })
            }
        });
    }
    drop_unused_statements(&mut result);
    result
}

fn op(op: &Op, cells: &Renumbering<CellId>, regs: &Renumbering<RegId>) -> Option<Op> {
    let expr = |e: &RegExpr| substitute(e, &|&reg| regs.of(reg));
    let addr = |addr: &Addr| {
        Some(match addr {
            Addr::Cell(cell) => Addr::Cell(cells.of(*cell)?),
            Addr::Indexed { first, len, index, outside } => {
                // A window is kept only whole: its cells stay neighbours then.
                for i in 0..*len {
                    cells.of(CellId(first.0 + i))?;
                }
                let first = if *len == 0 { CellId(0) } else { cells.of(*first)? };
                Addr::Indexed { first, len: *len, index: expr(index), outside: *outside }
            }
        })
    };
    Some(match op {
        Op::Read { dst, addr: a } => Op::Read { dst: regs.of(*dst)?, addr: addr(a)? },
        Op::Write { addr: a, value } => Op::Write { addr: addr(a)?, value: expr(value) },
        Op::Assign { dst, value } => Op::Assign { dst: regs.of(*dst)?, value: expr(value) },
        Op::Guard(condition) => Op::Guard(expr(condition)),
        Op::Assert(condition) => Op::Assert(expr(condition)),
        Op::Havoc { dst } => Op::Havoc { dst: regs.of(*dst)? },
        Op::Fence(kind) => Op::Fence(*kind),
        Op::Send { channel, values } => {
            Op::Send { channel: *channel, values: values.iter().map(expr).collect() }
        }
        Op::Receive { channel, targets } => {
            let target = |target: &Target| {
                Some(match target {
                    Target::Register(reg) => Target::Register(regs.of(*reg)?),
                    Target::Memory(a) => Target::Memory(addr(a)?),
                })
            };
            Op::Receive { channel: *channel, targets: targets.iter().map(target).collect::<Option<_>>()? }
        }
    })
}

/// The expression over the atoms that stay, with 0 for the others.
fn substitute<A, B>(e: &Expr<A>, atom: &dyn Fn(&A) -> Option<B>) -> Expr<B> {
    let of = |e: &Expr<A>| Box::new(substitute(e, atom));
    match e {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Atom(a) => atom(a).map_or(Expr::constant(0), Expr::Atom),
        Expr::Unary(op, e) => Expr::Unary(*op, of(e)),
        Expr::Binary(op, a, b) => Expr::Binary(*op, of(a), of(b)),
        Expr::Wrap { bits, signed, value } => Expr::Wrap { bits: *bits, signed: *signed, value: of(value) },
        Expr::Checked { bits, signed, value } => {
            Expr::Checked { bits: *bits, signed: *signed, value: of(value) }
        }
        Expr::Choose(a, b, c) => Expr::Choose(of(a), of(b), of(c)),
    }
}

fn drop_unused_statements(program: &mut Program) {
    let mut used: IndexVec<StatementId, bool> = program.statements.iter().map(|_| false).collect();
    for edge in program.threads.iter().flat_map(|thread| &thread.edges) {
        used[edge.step.statement] = true;
    }
    let numbers = Renumbering::new(&used);
    for edge in program.threads.iter_mut().flat_map(|thread| thread.edges.iter_mut()) {
        edge.step.statement = numbers.of(edge.step.statement).expect("it is used");
    }
    program.statements =
        program.statements.iter_enumerated().filter(|(s, _)| used[*s]).map(|(_, s)| s.clone()).collect();
}
