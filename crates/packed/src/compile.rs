//! Compiles a program under a model into tables for packed states: where every part of a state is stored, and for every
//! edge what it does to it.

use std::collections::BTreeSet;

use fencewright_base::{Index, IndexVec, Int};
use fencewright_engine::Feature;
use fencewright_explore::pack::{Field, Packer, bits_for};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::values::possible_values;
use fencewright_ir::{
    Addr, CellId, ChannelId, Domain, EdgeId, Expr, FenceKind, Init, LocId, Lock, Op, Program, RegExpr, RegId,
    Register, StateAtom, Target, Thread, ThreadId, UnaryOp,
};
use fencewright_memory::Model;

use crate::code::Code;
use crate::goals::{ForbiddenTable, Goal, forbidden_tables, goal};
use crate::queue::Queue;
use crate::reduce::may_go_first;
use crate::scratch::{Pool, looks, needs_bits, stored};
use crate::values::{Coding, Slot};

/// The most values one open initial value or one step's choices may have. Past it the program is not supported.
pub(crate) const MAX_CHOICES: u64 = 1 << 16;

/// The most initial states. Past it the program is not supported.
const MAX_INITIAL: u64 = 1 << 20;

/// How to compile.
#[derive(Debug, Copy, Clone)]
pub struct CompileOptions {
    /// The memory model.
    pub model: Model,
    /// Most writes pending in one buffer.
    pub capacity: u32,
    /// Bits for interned values.
    pub interned_bits: u32,
    /// Whether dead registers are forgotten.
    pub forget: bool,
    /// Whether invisible steps go first.
    pub reduction: bool,
    /// Bits of [`Compiled::tag`].
    pub tag_bits: u32,
}

/// A compiled program.
#[derive(Debug)]
pub struct Compiled {
    /// How it was compiled.
    pub options: CompileOptions,
    /// A part of the state that means nothing to the program, 0 at the start and left alone by every step: for whoever
    /// searches a product of the program with something else.
    pub tag: Field,
    pub(crate) threads: Vec<CompiledThread>,
    /// The memory cells.
    pub(crate) cells: Vec<Slot>,
    /// For each cell whether it is never buffered.
    pub(crate) direct: Vec<bool>,
    /// Whether there are committed locations.
    pub(crate) commits: bool,
    /// For each channel the threads that receive from it somewhere.
    pub(crate) receivers: IndexVec<ChannelId, Vec<usize>>,
    /// Cells and registers with an open initial value that matters.
    pub(crate) open: Vec<OpenValue>,
    /// What every part starts with otherwise.
    pub(crate) start: Vec<(Slot, Int)>,
    /// What must not happen, but for forbidden locations.
    pub(crate) goals: Vec<Goal>,
    /// The forbidden combinations of locations, up to 64 in a table.
    pub(crate) forbidden: Vec<ForbiddenTable>,
    /// Words a state takes.
    pub words: usize,
    /// Bits of a state that mean something.
    pub bits: usize,
}

/// A cell or register whose initial value is any of its domain.
#[derive(Debug, Clone)]
pub(crate) struct OpenValue {
    name: String,
    pub(crate) slot: Slot,
    pub(crate) part: OpenPart,
    pub(crate) lo: Int,
    pub(crate) count: u64,
}

/// What is open.
#[derive(Debug, Copy, Clone)]
pub enum OpenPart {
    /// A cell.
    Cell(CellId),
    /// A register.
    Register(ThreadId, RegId),
}

#[derive(Debug)]
pub(crate) struct CompiledThread {
    pub(crate) location: Field,
    /// The registers, and behind them the cells that expressions look at as if they were registers.
    pub(crate) regs: Vec<Slot>,
    /// How many of them are registers.
    pub(crate) n_regs: usize,
    pub(crate) locations: Vec<CompiledLocation>,
    pub(crate) buffer: Buffer,
    /// The cells this thread can have writes pending for; its queues and tags are in this order.
    pub(crate) buffered: Vec<CellId>,
    /// For each cell its place in `buffered`.
    pub(crate) place_of: Vec<Option<u16>>,
}

/// One thread's pending writes.
#[derive(Debug)]
pub(crate) enum Buffer {
    /// SC: there are none.
    None,
    /// TSO: one queue; the tag is one more than the cell's place.
    Single(Queue),
    /// PSO: a queue for each cell; the tag is one more than the epoch. `epoch` is the newest epoch, counted from the
    /// oldest that has a write pending, 0 if nothing is pending.
    PerCell { queues: Vec<Queue>, epoch: Field },
    /// Slot: a queue of at most one for each cell.
    Slots(Vec<Queue>),
}

#[derive(Debug)]
pub(crate) struct CompiledLocation {
    /// The edges that the thread takes alone.
    pub(crate) edges: Vec<CompiledEdge>,
    /// The edges that it takes together with another thread's.
    pub(crate) sends: Vec<CompiledHalf>,
    pub(crate) receives: Vec<CompiledHalf>,
    /// The channels that it receives from, as [`CompiledHalf::bit`]s.
    pub(crate) ready: u64,
    pub(crate) committed: bool,
    /// If there are two edges and their guards exclude each other: the guard of the first. The edges are without their
    /// guards then.
    pub(crate) branch: Option<Code>,
    /// Whether the thread's steps from here may go before everything else.
    pub(crate) first: bool,
}

/// A compiled edge.
#[derive(Debug)]
pub struct CompiledEdge {
    pub(crate) id: EdgeId,
    pub(crate) to: u64,
    pub(crate) ops: Vec<CompiledOp>,
    pub(crate) lock: Option<Lock>,
    /// Registers that are dead at the target, with the value they are forgotten as.
    pub(crate) forget: Vec<(Field, u64)>,
    /// How many combinations of values its havocs have.
    pub(crate) choices: u64,
}

impl CompiledLocation {
    /// Whether no edge leaves it.
    pub(crate) fn is_end(&self) -> bool {
        self.edges.is_empty() && self.sends.is_empty() && self.receives.is_empty()
    }
}

/// An edge that sends or receives.
#[derive(Debug)]
pub(crate) struct CompiledHalf {
    pub(crate) channel: ChannelId,
    pub(crate) edge: CompiledEdge,
    /// How many of its micro-operations come before the values pass.
    pub(crate) before: usize,
    /// What is sent; nothing for one that receives.
    pub(crate) values: Vec<Code>,
    /// Where it goes; nothing for one that sends.
    pub(crate) targets: Vec<CompiledTarget>,
}

impl CompiledHalf {
    /// The channel as a bit of a word, which channels share if there are many.
    #[inline(always)]
    pub(crate) fn bit(&self) -> u64 {
        1 << (self.channel.0 % 64)
    }
}

#[derive(Debug)]
pub(crate) enum CompiledTarget {
    Register(u16),
    Memory(CompiledAddr),
}

#[derive(Debug)]
pub(crate) enum CompiledOp {
    Read { dst: u16, addr: CompiledAddr },
    Write { addr: CompiledAddr, value: Code },
    Assign { dst: u16, value: Code },
    Guard(Code),
    Assert(Code),
    Havoc { dst: u16, lo: i64, count: u64 },
    Fence(FenceKind),
}

#[derive(Debug)]
pub(crate) enum CompiledAddr {
    Cell(u32),
    Indexed { first: u32, len: u32, index: Code, faults: bool },
}

/// A compiled condition on a state.
#[derive(Debug)]
pub struct StateCode {
    pub(crate) code: Code,
    pub(crate) atoms: Vec<StateAtom>,
}

impl StateCode {
    /// The condition, compiled.
    pub fn new(expr: &Expr<StateAtom>) -> Self {
        let mut atoms: Vec<StateAtom> = Vec::new();
        let expr = expr.map(&mut |atom| {
            let place = atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
                atoms.push(atom.clone());
                atoms.len() - 1
            });
            place as u16
        });
        let code = Code::new(expr, &|_| None);
        Self { code, atoms }
    }
}

/// Compiles the program. `observed` are further parts of the state whose values matter at the end.
pub fn compile(
    program: &Program,
    options: CompileOptions,
    observed: &[StateAtom],
) -> Result<Compiled, Feature> {
    let mut compiler = Compiler { program, options, packer: Packer::new(), codings: Vec::new() };
    let tag = compiler.packer.place(options.tag_bits);
    let n_cells = program.n_cells();
    let direct: Vec<bool> =
        (program.vars.iter()).flat_map(|var| var.init.iter().map(|_| var.direct)).collect();
    let written: IndexVec<ThreadId, Vec<bool>> =
        program.threads.indices().map(|thread| written_cells(program, thread, n_cells)).collect();
    let possible = possible_values(program);
    let locations: Vec<Field> = (program.threads.iter())
        .map(|thread| compiler.packer.place(bits_for(thread.locations.len() as u64)))
        .collect();
    let mut start = Vec::new();
    for (&field, thread) in locations.iter().zip(&program.threads) {
        let coding = Coding::Narrow { lo: 0, hi: thread.locations.len() as i64 - 1, wraps: None };
        start.push((compiler.slot_at(field, coding), Int::from(u64::from(thread.entry.0))));
    }
    let mut open = Vec::new();
    let mut cells = Vec::new();
    for (cell, domain, init) in program.cells() {
        let is_constant = !written.iter().any(|written| written[cell.0 as usize]);
        let coding = compiler.coding(domain, init, is_constant, possible.cells[cell].as_ref());
        let slot = compiler.slot(coding);
        compiler.initial(
            &slot,
            domain,
            init,
            OpenPart::Cell(cell),
            program.cell_name(cell),
            &mut start,
            &mut open,
        )?;
        cells.push(slot);
    }
    let watched = watched_registers(program, observed);
    let mut pool = Pool::new(program.channels.is_empty());
    let mut threads = Vec::new();
    for (t, thread) in program.threads.iter_enumerated() {
        let buffered: Vec<CellId> = match options.model.delays_writes() {
            true => {
                let may_wait = |cell: &CellId| written[t][cell.0 as usize] && !direct[cell.0 as usize];
                (0..n_cells as u32).map(CellId).filter(may_wait).collect()
            }
            false => Vec::new(),
        };
        let mut place_of = vec![None; n_cells];
        for (place, cell) in buffered.iter().enumerate() {
            place_of[cell.0 as usize] = Some(place as u16);
        }
        let looks = looks(program, t, &|cell| place_of[cell.0 as usize].is_some());
        let assigned = assigned_registers(program, t);
        let live = live_registers(thread, &watched[t]);
        let is_live = |loc: LocId, reg: RegId| !options.forget || live[loc][reg];
        let mut regs = Vec::new();
        for (r, reg) in thread.regs.iter_enumerated() {
            // A register that is dead at the start may as well start with a fixed value.
            let init = match &reg.init {
                Init::Any if !is_live(thread.entry, r) => Init::Value(reg.domain.default_value()),
                init => init.clone(),
            };
            let is_constant = !assigned[r] || (reg.scratch && !needs_bits(thread, &looks, r));
            let coding = compiler.coding(&reg.domain, &init, is_constant, possible.registers[t][r].as_ref());
            let shares = reg.scratch && forgotten(reg, &coding) == Some(0);
            let slot = if shares {
                let field = pool.place(&mut compiler.packer, t, coding.bits(options.interned_bits));
                compiler.slot_at(field, coding)
            } else {
                compiler.slot(coding)
            };
            let name = format!("{}:{}", thread.name, reg.name);
            compiler.initial(
                &slot,
                &reg.domain,
                &init,
                OpenPart::Register(t, r),
                name,
                &mut start,
                &mut open,
            )?;
            regs.push(slot);
        }
        let n_regs = regs.len();
        let buffer = compiler.buffer(t, &buffered, &cells)?;
        let first = may_go_first(program, t, options);
        let outgoing = thread.outgoing();
        let mut compiled_locations = Vec::new();
        for (loc, edges) in outgoing.iter_enumerated() {
            let mut location = CompiledLocation {
                edges: Vec::new(),
                sends: Vec::new(),
                receives: Vec::new(),
                ready: 0,
                committed: thread.locations[loc].committed,
                branch: None,
                first: first[loc],
            };
            for &edge in edges {
                let to = thread.edges[edge].to;
                let scratch: Vec<RegId> = stored(thread, &looks, edge).collect();
                let dead = |r: RegId| {
                    if thread.regs[r].scratch { scratch.contains(&r) } else { !is_live(to, r) }
                };
                let forget = (thread.regs.iter_enumerated())
                    .filter(|(r, _)| dead(*r))
                    .filter_map(|(r, reg)| {
                        let slot: &Slot = &regs[r.index()];
                        let raw = forgotten(reg, &slot.coding).filter(|_| slot.field.bits() > 0)?;
                        Some((slot.field, raw))
                    })
                    .collect();
                compiler.edge(t, edge, &looks[edge], &cells, &mut regs, forget, &mut location)?;
            }
            location.ready = location.receives.iter().fold(0, |bits, receive| bits | receive.bit());
            if options.reduction && location.edges.len() == edges.len() {
                location.branch = branch(thread, edges, &regs);
            }
            if location.branch.is_some() {
                location.edges.iter_mut().for_each(|edge| drop(edge.ops.remove(0)));
            }
            compiled_locations.push(location);
        }
        threads.push(CompiledThread {
            location: locations[t.0 as usize],
            regs,
            n_regs,
            locations: compiled_locations,
            buffer,
            buffered,
            place_of,
        });
    }
    let initial_states = open.iter().fold(1u64, |product, value| product.saturating_mul(value.count));
    if initial_states > MAX_INITIAL {
        let largest = open.iter().max_by_key(|value| value.count).expect("a product past 1 has a factor");
        return Err(Feature::OpenValue(largest.name.clone()));
    }
    let receives = |thread: &CompiledThread, channel: ChannelId| {
        (thread.locations.iter().flat_map(|location| &location.receives))
            .any(|receive| receive.channel == channel)
    };
    let receivers = (program.channels.indices())
        .map(|channel| (0..threads.len()).filter(|&t| receives(&threads[t], channel)).collect())
        .collect();
    Ok(Compiled {
        options,
        tag,
        receivers,
        threads,
        cells,
        direct,
        commits: program.threads.iter().any(|thread| thread.locations.iter().any(|loc| loc.committed)),
        open,
        start,
        goals: program.properties.iter().filter_map(goal).collect(),
        forbidden: forbidden_tables(program),
        words: compiler.packer.words(),
        bits: compiler.packer.bits(),
    })
}

pub(crate) struct Compiler<'p> {
    pub(crate) program: &'p Program,
    options: CompileOptions,
    packer: Packer,
    codings: Vec<Coding>,
}

impl Compiler<'_> {
    /// How the values of a domain are stored, when these are the only ones that occur.
    fn coding(
        &self,
        domain: &Domain,
        init: &Init,
        is_constant: bool,
        possible: Option<&BTreeSet<Int>>,
    ) -> Coding {
        let constant = match init {
            Init::Value(value) if is_constant => value.to_i64().map(Coding::constant),
            _ => None,
        };
        constant.unwrap_or_else(|| Coding::of_values(domain, possible))
    }

    fn slot(&mut self, coding: Coding) -> Slot {
        let field = self.packer.place(coding.bits(self.options.interned_bits));
        self.slot_at(field, coding)
    }

    fn slot_at(&mut self, field: Field, coding: Coding) -> Slot {
        let coding_id = self.codings.iter().position(|known| *known == coding).unwrap_or_else(|| {
            self.codings.push(coding.clone());
            self.codings.len() - 1
        });
        Slot { field, coding, coding_id: coding_id as u16 }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one call for cells and one for registers; a struct would say less"
    )]
    fn initial(
        &self,
        slot: &Slot,
        domain: &Domain,
        init: &Init,
        part: OpenPart,
        name: String,
        start: &mut Vec<(Slot, Int)>,
        open: &mut Vec<OpenValue>,
    ) -> Result<(), Feature> {
        match init {
            Init::Value(value) => start.push((slot.clone(), value.clone())),
            Init::Any => {
                let (lo, count) = enumerable(domain).ok_or_else(|| Feature::OpenValue(name.clone()))?;
                open.push(OpenValue { name, slot: slot.clone(), part, lo, count });
            }
        }
        Ok(())
    }

    fn buffer(&mut self, t: ThreadId, buffered: &[CellId], cells: &[Slot]) -> Result<Buffer, Feature> {
        let capacity = self.options.capacity;
        let bits_of = |cell: &CellId| cells[cell.0 as usize].coding.bits(self.options.interned_bits);
        let too_wide = || Feature::WideState { bits: 65, limit: 64 };
        let per_cell = |packer: &mut Packer, capacity, max_tag| {
            buffered
                .iter()
                .map(|cell| Queue::place(packer, capacity, max_tag, bits_of(cell)).ok_or_else(too_wide))
                .collect::<Result<Vec<Queue>, Feature>>()
        };
        Ok(match self.options.model {
            Model::Sc => Buffer::None,
            Model::Tso => {
                let value_bits = buffered.iter().map(bits_of).max().unwrap_or(0);
                let queue = Queue::place(&mut self.packer, capacity, buffered.len() as u64, value_bits);
                Buffer::Single(queue.ok_or_else(too_wide)?)
            }
            Model::Pso => {
                // Between two marks there is a write, so there are no more marks than pending writes.
                let marks = if has_store_store_fence(self.program, t) {
                    u64::from(capacity) * buffered.len() as u64
                } else {
                    0
                };
                let epoch = self.packer.place(bits_for(marks + 1));
                Buffer::PerCell { queues: per_cell(&mut self.packer, capacity, marks + 1)?, epoch }
            }
            Model::Slot => Buffer::Slots(per_cell(&mut self.packer, 1, 1)?),
            Model::Rmo => return Err(Feature::Model(Model::Rmo)),
        })
    }
}

/// How the value is stored that a register has while nobody can tell: the one it starts with. `None` for a value that
/// has no number yet; then it stays as it is.
fn forgotten(reg: &Register, coding: &Coding) -> Option<u64> {
    let value = match &reg.init {
        Init::Value(value) => value.clone(),
        Init::Any => reg.domain.default_value(),
    };
    match coding {
        Coding::Narrow { lo, .. } => value.to_i64().map(|value| (value - lo) as u64),
        Coding::Table { values, .. } => {
            let value = value.to_i64()?;
            values.iter().position(|known| *known == value).map(|place| place as u64)
        }
        // Interned zero is number 0.
        Coding::Interned { .. } => value.is_zero().then_some(0),
    }
}

/// The guard of the first of two edges, if the other's is its negation.
fn branch(thread: &Thread, edges: &[EdgeId], regs: &[Slot]) -> Option<Code> {
    let [yes, no] = edges else { return None };
    let guard = |edge: EdgeId| match thread.edges[edge].step.ops.first() {
        Some(Op::Guard(condition)) if thread.edges[edge].step.lock.is_none() => Some(condition),
        _ => None,
    };
    let (yes, no) = (guard(*yes)?, guard(*no)?);
    match no {
        Expr::Unary(UnaryOp::Not, inner) if **inner == *yes => Some(code(yes, regs)),
        _ => None,
    }
}

fn code(expr: &RegExpr, regs: &[Slot]) -> Code {
    Code::new(expr.map(&mut |reg| reg.0 as u16), &|reg| regs.get(reg as usize))
}

/// The least value and the number of values of a domain, if they can be tried one by one.
pub(crate) fn enumerable(domain: &Domain) -> Option<(Int, u64)> {
    let (lo, hi) = domain.bounds()?;
    let count = u64::try_from(hi.sub(&lo).add(&Int::ONE).to_i64()?).ok()?;
    (count <= MAX_CHOICES).then_some((lo, count))
}

/// The cells a thread can write to.
fn written_cells(program: &Program, thread: ThreadId, n_cells: usize) -> Vec<bool> {
    let mut written = vec![false; n_cells];
    for op in program.threads[thread].edges.iter().flat_map(|edge| &edge.step.ops) {
        let addrs: Vec<&Addr> = match op {
            Op::Write { addr, .. } => vec![addr],
            Op::Receive { targets, .. } => (targets.iter())
                .filter_map(|target| match target {
                    Target::Memory(addr) => Some(addr),
                    Target::Register(_) => None,
                })
                .collect(),
            Op::Read { .. }
            | Op::Assign { .. }
            | Op::Guard(_)
            | Op::Assert(_)
            | Op::Havoc { .. }
            | Op::Fence(_)
            | Op::Send { .. } => Vec::new(),
        };
        for addr in addrs {
            match addr {
                Addr::Cell(cell) => written[cell.0 as usize] = true,
                Addr::Indexed { first, len, .. } => {
                    written[first.0 as usize..][..*len as usize].fill(true);
                }
            }
        }
    }
    written
}

fn assigned_registers(program: &Program, thread: ThreadId) -> IndexVec<RegId, bool> {
    let thread = &program.threads[thread];
    let mut assigned: IndexVec<RegId, bool> = thread.regs.iter().map(|_| false).collect();
    for op in thread.edges.iter().flat_map(|edge| &edge.step.ops) {
        match op {
            Op::Read { dst, .. } | Op::Assign { dst, .. } | Op::Havoc { dst } => assigned[*dst] = true,
            Op::Receive { targets, .. } => {
                for target in targets {
                    if let Target::Register(reg) = target {
                        assigned[*reg] = true;
                    }
                }
            }
            Op::Write { .. } | Op::Guard(_) | Op::Assert(_) | Op::Fence(_) | Op::Send { .. } => {}
        }
    }
    assigned
}

fn has_store_store_fence(program: &Program, thread: ThreadId) -> bool {
    let ops = program.threads[thread].edges.iter().flat_map(|edge| &edge.step.ops);
    ops.into_iter().any(|op| matches!(op, Op::Fence(FenceKind::StoreStore)))
}
