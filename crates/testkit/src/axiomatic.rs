//! An oracle that knows no buffers: the outcomes of a program by axioms on candidate executions.
//!
//! A candidate execution of one control path per thread says for each read which write it reads from (`rf`) and for
//! each cell in which order its writes reach memory (`co`, initial value first). A read comes before (`fr`) every write
//! that is `co`-after the one it reads from. A candidate is an execution if
//!
//! 1. **uniproc**: on each cell, program order ∪ `rf` ∪ `co` ∪ `fr` has no cycle;
//! 2. **atomicity**: between the write a locked step reads from and its own write no other write comes in `co`;
//! 3. **global order**: preserved program order ∪ external `rf` ∪ `co` ∪ `fr` has no cycle.
//!
//! Preserved program order is all of it for SC. For TSO it lacks a write before a read, unless a full fence stands
//! between them or one of them belongs to a locked step. For PSO it lacks as well a write before a write to another
//! cell, unless a full or store-store fence stands between them or one of them belongs to a locked step. A locked step
//! of strength `Location` waits, under PSO, for the thread's writes to its own cell only.
//!
//! Every read of these models is ordered before what follows it, so values can be computed once a candidate has passed:
//! no value depends on itself.
//!
//! Limits: fixed addresses, fixed initial values; a path visits each location at most `visits` times, so for a program
//! with loops the answer is exact only if no execution needs more. Time grows with the product of the candidates of all
//! cells: this is for litmus tests.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Index, Int};
use fencewright_ir::{
    Addr, CellId, EdgeId, FenceKind, Init, Lock, Op, Program, Property, RegId, StateAtom, Thread, ThreadId,
};

/// The models the axioms are for.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
}

impl Model {
    /// All of them, with their names in `expect.toml`.
    pub const ALL: [(&'static str, Model); 3] = [("sc", Model::Sc), ("tso", Model::Tso), ("pso", Model::Pso)];
}

/// In how many outcomes the condition holds.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Observation {
    /// In all, and there is one.
    Always,
    /// In some and not in all.
    Sometimes,
    /// In none.
    Never,
}

/// What the oracle finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcomes {
    /// The outcomes, sorted: `0:EAX=0; 1:EAX=1; [x]=1;`.
    pub states: Vec<String>,
    /// Whether the condition holds in them.
    pub observation: Observation,
}

/// Why the oracle has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported(pub &'static str);

/// The outcomes of the program's property of final states. Paths visit each location at most `visits` times.
pub fn outcomes(program: &Program, model: Model, visits: usize) -> Result<Outcomes, Unsupported> {
    let Some(Property::Final { condition, filter, observed, .. }) = program.properties.first() else {
        return Err(Unsupported("the program has no property of final states"));
    };
    let paths: Vec<Vec<Vec<EdgeId>>> = program.threads.iter().map(|thread| paths(thread, visits)).collect();
    let mut states: BTreeMap<String, bool> = BTreeMap::new();
    let mut failed = None;
    product(&paths, &mut |chosen| {
        let result = Execution::new(program, chosen).and_then(|execution| {
            execution.candidates(model, &mut |values| {
                let holds = |expr: &fencewright_ir::Expr<StateAtom>| {
                    expr.eval(&mut |atom| values.get(atom)).is_ok_and(|value| value.is_true())
                };
                if filter.as_ref().is_none_or(|filter| holds(&filter.expr)) {
                    let shown: Vec<String> = observed.iter().map(|atom| values.show(program, atom)).collect();
                    states.insert(shown.join(" "), holds(&condition.expr));
                }
            })
        });
        if let Err(unsupported) = result {
            failed = Some(unsupported);
        }
    });
    if let Some(unsupported) = failed {
        return Err(unsupported);
    }
    let n_true = states.values().filter(|&&holds| holds).count();
    let observation = match n_true {
        0 => Observation::Never,
        n if n == states.len() => Observation::Always,
        _ => Observation::Sometimes,
    };
    Ok(Outcomes { states: states.into_keys().collect(), observation })
}

/// All paths from the entry to an end.
fn paths(thread: &Thread, visits: usize) -> Vec<Vec<EdgeId>> {
    let outgoing = thread.outgoing();
    let mut done = Vec::new();
    let mut open = vec![(thread.entry, Vec::new(), BTreeMap::from([(thread.entry, 1)]))];
    while let Some((at, path, seen)) = open.pop() {
        if outgoing[at].is_empty() {
            done.push(path.clone());
        }
        for &edge in &outgoing[at] {
            let to = thread.edges[edge].to;
            let mut seen: BTreeMap<_, usize> = seen.clone();
            let count = seen.entry(to).or_insert(0);
            *count += 1;
            if *count <= visits {
                let mut path: Vec<EdgeId> = path.clone();
                path.push(edge);
                open.push((to, path, seen));
            }
        }
    }
    done
}

/// Calls `visit` with every choice of one item from each list.
fn product<T>(lists: &[Vec<T>], visit: &mut dyn FnMut(&[&T])) {
    fn go<'a, T>(lists: &'a [Vec<T>], chosen: &mut Vec<&'a T>, visit: &mut dyn FnMut(&[&T])) {
        let Some((first, rest)) = lists.split_first() else { return visit(chosen) };
        for item in first {
            chosen.push(item);
            go(rest, chosen, visit);
            chosen.pop();
        }
    }
    go(lists, &mut Vec::new(), visit);
}

/// A relation between events, by their numbers.
type Pairs = Vec<(usize, usize)>;

/// A read or a write.
#[derive(Debug)]
struct Event {
    thread: usize,
    /// Position in the thread's path: of the step, and of the operation among all of the thread's.
    step: usize,
    position: usize,
    cell: CellId,
    is_write: bool,
    lock: Option<Lock>,
}

/// One control path for each thread, and its events.
struct Execution<'a> {
    program: &'a Program,
    paths: Vec<&'a Vec<EdgeId>>,
    events: Vec<Event>,
    /// Thread, position and kind of each fence.
    fences: Vec<(usize, usize, FenceKind)>,
}

/// What one cell's events do: the order of its writes, and for each read the write it reads from (none: the initial
/// value).
#[derive(Debug)]
struct CellCandidate {
    order: Vec<usize>,
    reads: Vec<(usize, Option<usize>)>,
}

impl CellCandidate {
    /// `co` and `fr`, and the pairs of `rf`.
    fn relations(&self) -> (Pairs, Pairs) {
        let mut before: Pairs = self.order.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut from = Vec::new();
        for &(read, source) in &self.reads {
            let next = match source {
                Some(write) => {
                    from.push((write, read));
                    self.order.iter().position(|&w| w == write).map_or(0, |at| at + 1)
                }
                None => 0,
            };
            before.extend(self.order.get(next).map(|&write| (read, write)));
        }
        (before, from)
    }
}

impl<'a> Execution<'a> {
    fn new(program: &'a Program, paths: &[&'a Vec<EdgeId>]) -> Result<Self, Unsupported> {
        let mut events = Vec::new();
        let mut fences = Vec::new();
        for (thread, path) in paths.iter().enumerate() {
            let mut position = 0;
            for (step, &edge) in path.iter().enumerate() {
                let body = &program.edge(ThreadId::new(thread), edge).step;
                for op in &body.ops {
                    let access = match op {
                        Op::Read { addr, .. } => Some((addr, false)),
                        Op::Write { addr, .. } => Some((addr, true)),
                        Op::Fence(kind) => {
                            fences.push((thread, position, *kind));
                            None
                        }
                        Op::Havoc { .. } => return Err(Unsupported("a register gets any value")),
                        Op::Assign { .. } | Op::Guard(_) | Op::Assert(_) => None,
                        Op::Send { .. } | Op::Receive { .. } => {
                            return Err(Unsupported("threads that move together"));
                        }
                    };
                    match access {
                        Some((&Addr::Cell(cell), is_write)) => {
                            events.push(Event { thread, step, position, cell, is_write, lock: body.lock });
                        }
                        Some((Addr::Indexed { .. }, _)) => return Err(Unsupported("an address is computed")),
                        None => {}
                    }
                    position += 1;
                }
            }
        }
        Ok(Execution { program, paths: paths.to_vec(), events, fences })
    }

    /// Calls `visit` with the final values of every candidate that satisfies the axioms.
    fn candidates(&self, model: Model, visit: &mut dyn FnMut(&Values)) -> Result<(), Unsupported> {
        let cells: BTreeSet<CellId> = self.events.iter().map(|event| event.cell).collect();
        let per_cell: Vec<Vec<CellCandidate>> =
            cells.into_iter().map(|cell| self.cell_candidates(cell)).collect();
        let mut preserved = Vec::new();
        for (a, first) in self.events.iter().enumerate() {
            for (b, second) in self.events.iter().enumerate() {
                let in_order = first.thread == second.thread && first.position < second.position;
                if in_order && self.is_preserved(model, first, second) {
                    preserved.push((a, b));
                }
            }
        }
        let mut failed = None;
        product(&per_cell, &mut |chosen| {
            let mut edges = preserved.clone();
            for candidate in chosen {
                let (before, from) = candidate.relations();
                edges.extend(before);
                let is_external = |&(w, r): &(usize, usize)| self.events[w].thread != self.events[r].thread;
                edges.extend(from.into_iter().filter(is_external));
            }
            if is_acyclic(self.events.len(), &edges) {
                match self.values(chosen) {
                    Ok(Some(values)) => visit(&values),
                    Ok(None) => {}
                    Err(unsupported) => failed = Some(unsupported),
                }
            }
        });
        failed.map_or(Ok(()), Err)
    }

    /// Everything one cell's events can do by axioms 1 and 2. What one read alone would break is left out before
    /// reads are combined: a read lies between the own writes around it, and the read of a locked step just before its
    /// write.
    fn cell_candidates(&self, cell: CellId) -> Vec<CellCandidate> {
        let of_kind = |is_write: bool| -> Vec<usize> {
            let fits = |&i: &usize| self.events[i].cell == cell && self.events[i].is_write == is_write;
            (0..self.events.len()).filter(fits).collect()
        };
        let (writes, reads) = (of_kind(true), of_kind(false));
        let in_po = |a: usize, b: usize| {
            let (first, second) = (&self.events[a], &self.events[b]);
            first.thread == second.thread && first.position < second.position
        };
        let members = || writes.iter().chain(&reads).copied();
        let po: Vec<(usize, usize)> =
            members().flat_map(|a| members().map(move |b| (a, b))).filter(|&(a, b)| in_po(a, b)).collect();
        let mut result = Vec::new();
        for order in extensions(&writes, &in_po) {
            let sources: Vec<Vec<Option<usize>>> =
                reads.iter().map(|&read| self.sources(&order, read, &in_po)).collect();
            product(&sources, &mut |chosen| {
                let reads = reads.iter().copied().zip(chosen.iter().map(|source| **source)).collect();
                let candidate = CellCandidate { order: order.clone(), reads };
                let (before, from) = candidate.relations();
                let edges: Vec<(usize, usize)> = po.iter().copied().chain(before).chain(from).collect();
                if is_acyclic(self.events.len(), &edges) && self.is_atomic(&candidate) {
                    result.push(candidate);
                }
            });
        }
        result
    }

    /// The writes, or the initial value, that the read can read from when the cell's writes have this order.
    fn sources(
        &self,
        order: &[usize],
        read: usize,
        in_po: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Option<usize>> {
        let event = &self.events[read];
        let own_write = |&write: &usize| {
            let other = &self.events[write];
            other.lock.is_some()
                && (other.thread, other.step) == (event.thread, event.step)
                && in_po(read, write)
        };
        // Positions count from 1; 0 is the initial value.
        let low = order.iter().rposition(|&write| in_po(write, read)).map_or(0, |at| at + 1);
        let high = order.iter().position(|&write| in_po(read, write)).unwrap_or(order.len());
        let at = order.iter().position(own_write).map_or(low..=high, |at| at..=at);
        at.map(|at| at.checked_sub(1).map(|at| order[at])).collect()
    }

    /// Axiom 2.
    fn is_atomic(&self, candidate: &CellCandidate) -> bool {
        candidate.order.iter().enumerate().all(|(at, &write)| {
            let own = &self.events[write];
            candidate.reads.iter().all(|&(read, source)| {
                let event = &self.events[read];
                let pair = own.lock.is_some() && event.thread == own.thread && event.step == own.step;
                let previous = at.checked_sub(1).map(|before| candidate.order[before]);
                !pair || event.position > own.position || source == previous
            })
        })
    }

    /// Preserved program order, for events of one thread in that order.
    fn is_preserved(&self, model: Model, first: &Event, second: &Event) -> bool {
        if model == Model::Sc || !first.is_write {
            return true;
        }
        let fenced = |kind: FenceKind| {
            let between = |at: usize| first.position < at && at < second.position;
            self.fences.iter().any(|&(thread, at, k)| thread == first.thread && between(at) && k == kind)
        };
        let waited_for = match second.lock {
            Some(Lock::Full) => true,
            Some(Lock::Location) => model == Model::Tso || first.cell == second.cell,
            None => false,
        };
        if first.lock.is_some() || waited_for || fenced(FenceKind::Full) {
            return true;
        }
        second.is_write && (model == Model::Tso || first.cell == second.cell || fenced(FenceKind::StoreStore))
    }

    /// The final values, or nothing if a guard fails or a value is refused. Each round runs every thread as far as the
    /// values it reads are known; a passed candidate has no cyclic dependence, so some thread gets further each time.
    fn values(&self, cells: &[&CellCandidate]) -> Result<Option<Values>, Unsupported> {
        let source_of: BTreeMap<usize, Option<usize>> =
            cells.iter().flat_map(|candidate| candidate.reads.iter().copied()).collect();
        let mut initial = Vec::new();
        for (_, _, init) in self.program.cells() {
            let Init::Value(value) = init else { return Err(Unsupported("an initial value is not fixed")) };
            initial.push(value.clone());
        }
        let mut written: BTreeMap<usize, Int> = BTreeMap::new();
        let index_of: BTreeMap<(usize, usize), usize> =
            self.events.iter().enumerate().map(|(i, event)| ((event.thread, event.position), i)).collect();
        let mut registers = Vec::new();
        for _ in 0..=self.events.len() {
            registers.clear();
            let mut is_complete = true;
            for (thread, path) in self.paths.iter().enumerate() {
                let (regs, run) = self.run(thread, path, &index_of, &source_of, &initial, &mut written)?;
                registers.push(regs);
                match run {
                    Run::Done => {}
                    Run::Blocked => return Ok(None),
                    Run::Waiting => is_complete = false,
                }
            }
            if is_complete {
                break;
            }
        }
        let mut memory = initial;
        for candidate in cells {
            if let Some(&last) = candidate.order.last() {
                memory[self.events[last].cell.index()] = written[&last].clone();
            }
        }
        Ok(Some(Values { registers, memory }))
    }

    fn run(
        &self,
        thread: usize,
        path: &[EdgeId],
        index_of: &BTreeMap<(usize, usize), usize>,
        source_of: &BTreeMap<usize, Option<usize>>,
        initial: &[Int],
        written: &mut BTreeMap<usize, Int>,
    ) -> Result<(Vec<Int>, Run), Unsupported> {
        let text = &self.program.threads[ThreadId::new(thread)];
        let mut regs = Vec::new();
        for reg in &text.regs {
            let Init::Value(value) = &reg.init else {
                return Err(Unsupported("an initial value is not fixed"));
            };
            regs.push(value.clone());
        }
        for (position, op) in path.iter().flat_map(|&edge| &text.edges[edge].step.ops).enumerate() {
            let eval = |regs: &[Int], e: &fencewright_ir::RegExpr| {
                e.eval(&mut |r: &RegId| regs[r.index()].clone()).map_err(|_| Unsupported("arithmetic fails"))
            };
            let set = |regs: &mut Vec<Int>, dst: RegId, value: Int| match text.regs[dst].domain.admit(value) {
                Some(value) => {
                    regs[dst.index()] = value;
                    true
                }
                None => false,
            };
            let fits = match op {
                Op::Read { dst, .. } => {
                    let read = index_of[&(thread, position)];
                    let value = match source_of[&read] {
                        None => Some(&initial[self.events[read].cell.index()]),
                        Some(write) => written.get(&write),
                    };
                    let Some(value) = value.cloned() else { return Ok((regs, Run::Waiting)) };
                    set(&mut regs, *dst, value)
                }
                Op::Write { value, .. } => {
                    let write = index_of[&(thread, position)];
                    let (variable, _) = self.program.variable_of(self.events[write].cell);
                    match self.program.vars[variable].domain.admit(eval(&regs, value)?) {
                        Some(value) => {
                            written.insert(write, value);
                            true
                        }
                        None => false,
                    }
                }
                Op::Assign { dst, value } => {
                    let value = eval(&regs, value)?;
                    set(&mut regs, *dst, value)
                }
                Op::Guard(condition) => eval(&regs, condition)?.is_true(),
                Op::Assert(_) | Op::Fence(_) | Op::Havoc { .. } => true,
                Op::Send { .. } | Op::Receive { .. } => false,
            };
            if !fits {
                return Ok((regs, Run::Blocked));
            }
        }
        Ok((regs, Run::Done))
    }
}

/// How far a thread came.
enum Run {
    Done,
    /// A guard failed: the path is not taken.
    Blocked,
    /// A value it reads is not known yet.
    Waiting,
}

/// The values of a final state.
struct Values {
    registers: Vec<Vec<Int>>,
    memory: Vec<Int>,
}

impl Values {
    fn get(&self, atom: &StateAtom) -> Int {
        match *atom {
            StateAtom::Register(thread, reg) => self.registers[thread.index()][reg.index()].clone(),
            StateAtom::Cell(cell) => self.memory[cell.index()].clone(),
            StateAtom::At(..) => Int::ZERO,
        }
    }

    fn show(&self, program: &Program, atom: &StateAtom) -> String {
        let value = self.get(atom);
        match *atom {
            StateAtom::Register(thread, reg) => {
                format!("{}:{}={value};", thread.index(), program.threads[thread].regs[reg].name)
            }
            StateAtom::Cell(cell) => format!("[{}]={value};", program.cell_name(cell)),
            StateAtom::At(thread, loc) => format!("{}@{loc:?}={value};", thread.index()),
        }
    }
}

/// All orders of the items that respect the given one.
fn extensions(items: &[usize], before: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for &first in items.iter().filter(|&&item| !items.iter().any(|&other| before(other, item))) {
        let rest: Vec<usize> = items.iter().copied().filter(|&item| item != first).collect();
        for mut tail in extensions(&rest, before) {
            tail.insert(0, first);
            all.push(tail);
        }
    }
    all
}

/// Whether the edges over `n` nodes have no cycle: nodes without a predecessor are taken away until none is left.
fn is_acyclic(n: usize, edges: &[(usize, usize)]) -> bool {
    let mut n_before = vec![0usize; n];
    for &(_, to) in edges {
        n_before[to] += 1;
    }
    let mut free: Vec<usize> = (0..n).filter(|&i| n_before[i] == 0).collect();
    let mut n_taken = 0;
    while let Some(node) = free.pop() {
        n_taken += 1;
        for &(from, to) in edges {
            if from == node {
                n_before[to] -= 1;
                if n_before[to] == 0 {
                    free.push(to);
                }
            }
        }
    }
    n_taken == n
}
