//! The fixpoint: every thread is executed on what is known until nothing new becomes known. Main is followed step by step
//! while its way is certain, so that loops which create or join threads, or set up data, are run through.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::expr;
use super::machine::{Machine, ROp, RegKey, Residual, Run, Work};
use super::state::{Env, MAIN, Point, ThreadNumber};
use fencewright_llvm::module::BlockId;

/// A point, and the round in which main came there while it was followed step by step; 0 otherwise.
pub(crate) type NodeKey = (Point, u32);

/// A node of a residual thread: operations, then the ways on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    pub(crate) ops: Vec<Residual>,
    pub(crate) ways: Vec<Way>,
}

#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) guard: expr::RExpr,
    pub(crate) ops: Vec<Residual>,
    pub(crate) target: NodeKey,
}

/// A thread as a graph of residual operations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    pub(crate) entry: Option<NodeKey>,
    pub(crate) nodes: BTreeMap<NodeKey, Node>,
}

/// Rounds main is followed step by step.
const MAX_EXACT: u32 = 5_000;

#[derive(Default)]
struct States {
    of: BTreeMap<NodeKey, Env>,
}

impl Machine<'_> {
    /// Analyses the program and gives each thread's graph.
    pub(crate) fn analyse(&mut self) -> Run<Vec<Graph>> {
        let fixed = self.threads.len();
        loop {
            // What follows depends on which cells are shared, so it starts afresh when there are new ones.
            self.cells.clear();
            self.published = None;
            self.accessors.clear();
            self.partly_unset = false;
            self.copies_in_order = false;
            self.regs = Default::default();
            self.threads = self.threads.iter().take(fixed).cloned().collect::<Vec<_>>().into();
            let before = self.shared.len();
            let states = self.fixpoint()?;
            if !self.find_shared() && self.shared.len() == before {
                return self.graphs(&states);
            }
        }
    }

    fn fixpoint(&mut self) -> Run<Vec<States>> {
        let mut all: Vec<States> = Vec::new();
        loop {
            self.grown = false;
            let mut n = 0;
            // Main may create threads while it is analysed; they come behind it.
            while n < self.threads.len() {
                if all.len() <= n {
                    all.push(States::default());
                }
                let mut states = std::mem::take(&mut all[n]);
                self.thread_fixpoint(ThreadNumber(n as u32), &mut states)?;
                all[n] = states;
                n += 1;
            }
            if !self.grown {
                return Ok(all);
            }
            // Which way main goes may depend on what became known: it is followed from its start again.
            all[0] = States::default();
        }
    }

    fn entry(&self, thread: ThreadNumber) -> Option<(NodeKey, Env)> {
        let info = &self.threads[thread];
        let point = Point { context: info.root?, block: BlockId(0), index: 0 };
        Some(((point, info.start.exact), info.start.clone()))
    }

    /// One thread, from its entry and from everything that was reached before: shared memory may hold more now.
    fn thread_fixpoint(&mut self, thread: ThreadNumber, states: &mut States) -> Run<()> {
        self.thread = thread;
        let Some((entry, start)) = self.entry(thread) else { return Ok(()) };
        let mut queue: VecDeque<NodeKey> = states.of.keys().copied().collect();
        let mut queued: BTreeSet<NodeKey> = queue.iter().copied().collect();
        if self.enter_state(states, entry, start) && queued.insert(entry) {
            queue.push_back(entry);
        }
        while let Some(key) = queue.pop_front() {
            queued.remove(&key);
            self.thread = thread;
            let executed = self.execute(key.0, states.of[&key].clone())?;
            for (target, env) in self.transitions(key, executed).1 {
                if self.enter_state(states, target, env) && queued.insert(target) {
                    queue.push_back(target);
                }
            }
        }
        Ok(())
    }

    /// Joins a state into a node; whether that changed it.
    fn enter_state(&mut self, states: &mut States, key: NodeKey, env: Env) -> bool {
        match states.of.remove(&key) {
            None => {
                states.of.insert(key, env);
                true
            }
            Some(mut known) => {
                let shared = std::mem::take(&mut self.shared);
                let alone = self.thread == MAIN && known.created == 0;
                let changed = known.join(&env, &mut |cell, size| {
                    let own = alone || !shared.contains(&cell);
                    own.then(|| self.unwritten(cell, size))
                });
                self.shared = shared;
                states.of.insert(key, known);
                changed
            }
        }
    }

    /// The ways out of a node, with their targets.
    fn transitions(&self, key: NodeKey, executed: Work) -> (Vec<Residual>, Vec<(NodeKey, Env)>, Vec<Way>) {
        let certain = executed.successors.len() <= 1;
        let mut states = Vec::new();
        let mut ways = Vec::new();
        let event = |residual: &Residual| matches!(residual.op, ROp::Start(_) | ROp::Join(_));
        let happened = executed.ops.iter().any(event);
        for mut successor in executed.successors {
            let env = &mut successor.env;
            if happened {
                env.trail.clear();
            }
            // With other threads about, a loop of main that neither creates nor joins one may wait for something.
            let again = env.created > 0 && env.trail.contains(&successor.target);
            let follow = certain && !again && key.1 != 0 && key.1 < MAX_EXACT;
            let exact = if follow { key.1 + 1 } else { 0 };
            if follow && env.created > 0 {
                env.trail.push(successor.target);
            } else {
                env.trail.clear();
            }
            env.exact = exact;
            let target = (successor.target, exact);
            states.push((target, successor.env));
            ways.push(Way { guard: successor.guard, ops: successor.ops, target });
        }
        (executed.ops, states, ways)
    }

    /// The final pass: executes every node that is reached once more and keeps the operations.
    fn graphs(&mut self, all: &[States]) -> Run<Vec<Graph>> {
        self.regs = Default::default();
        self.computed.clear();
        self.beside_unset.clear();
        self.reuses = false;
        self.may_block = false;
        let mut graphs = Vec::new();
        for (n, states) in all.iter().enumerate() {
            let thread = ThreadNumber(n as u32);
            self.thread = thread;
            let mut graph = Graph::default();
            if let Some((entry, _)) = self.entry(thread) {
                graph.entry = Some(entry);
                let mut stack = vec![entry];
                while let Some(key) = stack.pop() {
                    if graph.nodes.contains_key(&key) {
                        continue;
                    }
                    let executed = self.execute(key.0, states.of[&key].clone())?;
                    let (ops, reached, mut ways) = self.transitions(key, executed);
                    for ((target, env), way) in reached.iter().zip(&mut ways) {
                        self.materialise(env, &states.of[target], &mut way.ops, key.0)?;
                        stack.push(*target);
                    }
                    graph.nodes.insert(key, Node { ops, ways });
                }
            }
            graphs.push(graph);
        }
        Ok(graphs)
    }

    /// Where states meet, a constant on one way may be a register on another: it is put there.
    fn materialise(&mut self, from: &Env, to: &Env, ops: &mut Vec<Residual>, at: Point) -> Run<()> {
        let mut assign = |machine: &mut Self, key: RegKey, bits: u32, value, known: &_| {
            let dst = machine.reg(key, known, bits);
            if value != expr::reg(dst) {
                ops.push(Residual { op: ROp::Assign { dst, value }, at });
            }
        };
        for (&temp, known) in &to.temps {
            if known.single().is_none()
                && let Some(before) = from.temps.get(&temp)
                && let Some(value) = before.single()
            {
                let bits = self
                    .regs
                    .get(self.thread)
                    .and_then(|(infos, keys)| keys.get(&RegKey::Temp(temp)).map(|&reg| infos[reg].bits));
                assign(self, RegKey::Temp(temp), bits.unwrap_or(1), expr::constant(value), before);
            }
        }
        let alone = self.thread == MAIN && to.created == 0;
        for (&cell, piece) in &to.memory {
            // A piece with a fault is never read.
            if piece.known.single().is_some() || piece.fault.is_some() {
                continue;
            }
            let whole = from.memory.get(&cell).is_some_and(|before| before.size == piece.size);
            // A cell that threads share is in memory, whatever stands here.
            if !whole && !alone && self.shared.contains(&cell) {
                continue;
            }
            let before = self.read_private(from, cell, piece.size, at)?;
            assign(self, RegKey::Cell(cell, piece.size), piece.size * 8, before.expr, &before.known);
        }
        Ok(())
    }
}
