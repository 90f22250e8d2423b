//! An oracle for RMO: the outcomes of a straight line by trying all orders of its accesses to memory.
//!
//! A plain, separate reading of rules RMO-1 to RMO-6 of `docs/semantics.md`. One access after the other is performed, of any
//! thread, and of a thread in any order that the rules allow; values are computed from what has been read so far. Whether two
//! accesses of a thread touch the same cell may not be known yet when the later one is performed: then the earlier one
//! must turn out to touch another.
//!
//! Limits: one path through each thread; integers without bound; nothing blocks but guards and nothing fails; fixed initial
//! values; no fence in a step that does something else.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fencewright_base::{Index, Int};
use fencewright_ir::{
    Addr, CellId, Domain, Expr, FenceKind, Init, Lock, Op, Program, Property, RegExpr, RegId, StateAtom,
    Step, Thread,
};

/// What an access is.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Locked,
    FullyLocked,
}

/// An access of a thread: the operations of a step that are performed together.
#[derive(Debug)]
struct Access {
    kind: Kind,
    /// The step, and which of its operations.
    step: usize,
    ops: Vec<usize>,
    /// The accesses of the thread that it depends on.
    depends: BTreeSet<usize>,
    /// The accesses that fences put before it, and those that do so whatever the cells.
    after: BTreeSet<usize>,
}

/// The cells and values of an access, by its operations.
type Values = Vec<(CellId, Int)>;

/// How far an execution is. For each thread, by access: the cells and values it had, if it was performed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Vec<Int>,
    done: Vec<Vec<Option<Values>>>,
    /// Cells that an access, by thread and number, must not touch.
    avoid: BTreeSet<(usize, usize, CellId)>,
}

/// The outcomes of the program's condition on final states: the values of what it observes, where its filter holds. Panics if
/// the program is not within the limits.
pub fn outcomes(program: &Program) -> BTreeSet<Vec<Int>> {
    let Some(Property::Final { filter, observed, .. }) = program.properties.first() else {
        panic!("the program has no condition on final states")
    };
    let threads: Vec<Vec<&Step>> = program.threads.iter().map(line).collect();
    let accesses: Vec<Vec<Access>> = threads.iter().map(|steps| accesses(steps)).collect();
    let memory = program.cells().map(|(_, domain, init)| match (domain, init) {
        (Domain::Integers, Init::Value(value)) => value.clone(),
        _ => panic!("cells are integers with an initial value"),
    });
    let first = State {
        memory: memory.collect(),
        done: accesses.iter().map(|list| vec![None; list.len()]).collect(),
        avoid: BTreeSet::new(),
    };
    let mut found = BTreeSet::new();
    let mut seen: HashSet<State> = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        let mut is_final = true;
        for (t, list) in accesses.iter().enumerate() {
            for a in 0..list.len() {
                if state.done[t][a].is_none() {
                    is_final = false;
                    let next = perform(program, &threads[t], list, &state, (t, a));
                    open.extend(next.filter(|next| seen.insert(next.clone())));
                }
            }
        }
        let registers = || -> Option<Vec<Vec<Int>>> {
            let all = (0..threads.len()).map(|t| {
                let (registers, passes) =
                    run_to(program, t, &threads[t], &accesses[t], &state.done[t], (usize::MAX, 0));
                passes.then(|| registers.into_iter().map(|value| value.expect("all is read")).collect())
            });
            all.collect()
        };
        if is_final && let Some(registers) = registers() {
            let value = |atom: &StateAtom| match *atom {
                StateAtom::Register(thread, reg) => registers[thread.index()][reg.index()].clone(),
                StateAtom::Cell(cell) => state.memory[cell.index()].clone(),
                // All threads have ended; the last location is the one without edges.
                StateAtom::At(thread, loc) => {
                    Int::from(program.threads[thread].edges.iter().all(|edge| edge.from != loc))
                }
            };
            let holds = |expr: &Expr<StateAtom>| {
                expr.eval(&mut |atom: &StateAtom| value(atom)).is_ok_and(|value| value.is_true())
            };
            if filter.as_ref().is_none_or(|filter| holds(&filter.expr)) {
                found.insert(observed.iter().map(value).collect());
            }
        }
    }
    found
}

/// The steps of a thread without branches.
fn line(thread: &Thread) -> Vec<&Step> {
    let mut here = thread.entry;
    let mut steps = Vec::new();
    loop {
        let mut edges = thread.edges.iter().filter(|edge| edge.from == here);
        let Some(edge) = edges.next() else { return steps };
        assert!(edges.next().is_none(), "the thread has branches");
        steps.push(&edge.step);
        here = edge.to;
    }
}

/// RMO-2, RMO-4, RMO-5: the accesses of a thread, what each depends on, and what fences put before it.
fn accesses(steps: &[&Step]) -> Vec<Access> {
    let mut list: Vec<Access> = Vec::new();
    let mut from: BTreeMap<RegId, BTreeSet<usize>> = BTreeMap::new();
    let mut branches: BTreeSet<usize> = BTreeSet::new();
    // What the next accesses come after: all of them, and those that write.
    let (mut all_after, mut writes_after) = (BTreeSet::new(), BTreeSet::new());
    for (s, step) in steps.iter().enumerate() {
        let sources = |from: &BTreeMap<RegId, BTreeSet<usize>>, expr: &RegExpr| {
            let mut found = BTreeSet::new();
            expr.for_each_atom(&mut |reg| found.extend(from.get(reg).into_iter().flatten().copied()));
            found
        };
        let at = |from: &BTreeMap<RegId, BTreeSet<usize>>, addr: &Addr| match addr {
            Addr::Cell(_) => BTreeSet::new(),
            Addr::Indexed { index, .. } => sources(from, index),
        };
        if let [Op::Fence(kind)] = step.ops[..] {
            match kind {
                FenceKind::Full => all_after.extend(0..list.len()),
                FenceKind::StoreStore => {
                    writes_after.extend((0..list.len()).filter(|&a| list[a].kind != Kind::Read));
                }
            }
            continue;
        }
        let is_read = |op: &Op| matches!(op, Op::Read { .. });
        let is_write = |op: &Op| matches!(op, Op::Write { .. });
        let pick = |is: &dyn Fn(&Op) -> bool| -> Vec<usize> {
            (0..step.ops.len()).filter(|&o| is(&step.ops[o])).collect()
        };
        let first = list.len();
        let kinds: Vec<(Kind, Vec<usize>)> = match step.lock {
            Some(lock) => {
                let kind = if lock == Lock::Full { Kind::FullyLocked } else { Kind::Locked };
                vec![(kind, pick(&|op| is_read(op) || is_write(op)))]
            }
            None => {
                let writes = pick(&is_write).into_iter().map(|o| (Kind::Write, vec![o]));
                [(Kind::Read, pick(&is_read))].into_iter().chain(writes).collect()
            }
        };
        let kinds: Vec<(Kind, Vec<usize>)> = kinds.into_iter().filter(|(_, ops)| !ops.is_empty()).collect();
        // What each operation uses; in their order, for registers change on the way.
        let mut uses: Vec<BTreeSet<usize>> = Vec::new();
        for op in &step.ops {
            uses.push(match op {
                Op::Read { dst, addr } => {
                    let used = at(&from, addr);
                    from.insert(*dst, BTreeSet::from([first]));
                    used
                }
                Op::Write { addr, value } => &at(&from, addr) | &sources(&from, value),
                Op::Assign { dst, value } => {
                    let used = sources(&from, value);
                    from.insert(*dst, used.clone());
                    used
                }
                Op::Guard(condition) => {
                    let used = sources(&from, condition);
                    branches.extend(&used);
                    used
                }
                _ => panic!("the oracle does not know {op:?}"),
            });
        }
        for (kind, ops) in kinds {
            let me = list.len();
            let mut depends: BTreeSet<usize> = ops.iter().flat_map(|&o| uses[o].clone()).collect();
            if kind != Kind::Read {
                depends.extend(&branches);
                // The writes of a step come after its reads.
                depends.extend((first..me).filter(|&a| list[a].kind == Kind::Read));
            }
            depends.retain(|&a| a < me);
            let mut after = all_after.clone();
            if kind != Kind::Read {
                after.extend(&writes_after);
            }
            if kind == Kind::FullyLocked {
                after.extend(0..me);
            }
            after.extend((0..me).filter(|&a| list[a].kind == Kind::FullyLocked));
            list.push(Access { kind, step: s, ops, depends, after });
        }
    }
    list
}

/// Runs a thread up to an operation of a step, as far as its reads are known: its registers, and whether no guard is false.
fn run_to(
    program: &Program,
    t: usize,
    steps: &[&Step],
    list: &[Access],
    done: &[Option<Values>],
    (last_step, last_op): (usize, usize),
) -> (Vec<Option<Int>>, bool) {
    let thread = program.threads.iter().nth(t).expect("there is such a thread");
    let mut registers: Vec<Option<Int>> = thread
        .regs
        .iter()
        .map(|reg| match &reg.init {
            Init::Value(value) => Some(value.clone()),
            Init::Any => panic!("registers have an initial value"),
        })
        .collect();
    let mut passes = true;
    for (s, step) in steps.iter().enumerate() {
        for (o, op) in step.ops.iter().enumerate() {
            if (s, o) >= (last_step, last_op) {
                return (registers, passes);
            }
            match op {
                Op::Read { dst, .. } => {
                    let a = list.iter().position(|access| access.step == s && access.ops.contains(&o));
                    let a = a.expect("the read is part of an access");
                    let at = list[a].ops.iter().position(|&mine| mine == o).expect("it is part of it");
                    registers[dst.index()] = done[a].as_ref().map(|values| values[at].1.clone());
                }
                Op::Assign { dst, value } => registers[dst.index()] = eval(value, &registers),
                Op::Guard(condition) => {
                    passes &= eval(condition, &registers).is_none_or(|value| value.is_true());
                }
                _ => {}
            }
        }
    }
    (registers, passes)
}

/// The value, if all that it needs is known.
fn eval(expr: &RegExpr, registers: &[Option<Int>]) -> Option<Int> {
    let mut known = true;
    expr.for_each_atom(&mut |reg| known &= registers[reg.index()].is_some());
    known.then(|| {
        let value = expr.eval(&mut |reg: &RegId| registers[reg.index()].clone().expect("it is known"));
        value.expect("nothing fails")
    })
}

fn cell_of(addr: &Addr, registers: &[Option<Int>]) -> Option<CellId> {
    match addr {
        Addr::Cell(cell) => Some(*cell),
        Addr::Indexed { first, len, index, .. } => {
            let index = eval(index, registers)?.to_i64().expect("an index is small");
            assert!((0..i64::from(*len)).contains(&index), "an index lies in its window");
            Some(CellId(first.0 + index as u32))
        }
    }
}

/// The state after an access, if it may be performed now.
fn perform(
    program: &Program,
    steps: &[&Step],
    list: &[Access],
    state: &State,
    (t, a): (usize, usize),
) -> Option<State> {
    let access = &list[a];
    let is_done = |other: &usize| state.done[t][*other].is_some();
    if !access.depends.iter().chain(&access.after).all(&is_done) {
        return None;
    }
    let mut next = state.clone();
    let mut values: Vec<(CellId, Int)> = Vec::new();
    for &o in &access.ops {
        // A locked step's own reads are known to its writes.
        let mut so_far = state.done[t].clone();
        let mut part = values.clone();
        part.resize(access.ops.len(), (CellId(0), Int::ZERO));
        if access.kind != Kind::Write {
            so_far[a] = Some(part);
        }
        let (registers, _) = run_to(program, t, steps, list, &so_far, (access.step, o));
        let (addr, write) = match &steps[access.step].ops[o] {
            Op::Read { addr, .. } => (addr, None),
            Op::Write { addr, value } => (addr, Some(value)),
            _ => unreachable!("only reads and writes are accesses"),
        };
        let cell = cell_of(addr, &registers).expect("what the address depends on is known");
        let mut own = None;
        for earlier in (0..a).filter(|earlier| !is_done(earlier)) {
            let other = &list[earlier];
            let ordered = access.kind != Kind::Read || other.kind != Kind::Read;
            // RMO-1: a plain read may read from an own plain write whose value is known.
            let forwards = access.kind == Kind::Read && other.kind == Kind::Write;
            if forwards && other.depends.iter().all(&is_done) {
                let (registers, _) =
                    run_to(program, t, steps, list, &state.done[t], (other.step, other.ops[0]));
                let Op::Write { addr, value } = &steps[other.step].ops[other.ops[0]] else { continue };
                if cell_of(addr, &registers) == Some(cell) {
                    own = Some(eval(value, &registers).expect("what the value depends on is known"));
                }
            } else if ordered {
                next.avoid.insert((t, earlier, cell));
            }
        }
        let value = match write {
            None => own.unwrap_or_else(|| next.memory[cell.index()].clone()),
            Some(value) => {
                let value = eval(value, &registers).expect("what the value depends on is known");
                next.memory[cell.index()] = value.clone();
                value
            }
        };
        if state.avoid.contains(&(t, a, cell)) {
            return None;
        }
        values.push((cell, value));
    }
    next.avoid.retain(|(thread, number, _)| (*thread, *number) != (t, a));
    next.done[t][a] = Some(values);
    Some(next)
}
