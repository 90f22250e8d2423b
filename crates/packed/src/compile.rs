//! Compiles a program under a model into tables for packed states: where every part of a state is stored, and for every
//! edge what it does to it.

use fencewright_base::{IndexVec, Int};
use fencewright_engine::Feature;
use fencewright_explore::pack::{Field, Packer, bits_for};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{
    Addr, CellId, Domain, EdgeId, Expr, FenceKind, Forbidden, Init, LocId, Lock, Op, Outside, Program,
    Property, Quantifier, RegExpr, RegId, StateAtom, Thread, ThreadId, UnaryOp,
};
use fencewright_memory::Model;

use crate::code::Code;
use crate::queue::Queue;
use crate::reduce::may_go_first;
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
    pub(crate) regs: Vec<Slot>,
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
    pub(crate) edges: Vec<CompiledEdge>,
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

/// Some forbidden combinations of locations: for each thread and location a set of bits, one for each combination that
/// allows the thread to be there. A state is bad if some combination has its bit in all threads' sets.
#[derive(Debug)]
pub(crate) struct ForbiddenTable {
    pub(crate) sets: Vec<Vec<u64>>,
}

/// A state that violates a property.
#[derive(Debug)]
pub(crate) enum Goal {
    /// The condition does not hold.
    Not(StateCode),
    /// The state is final, satisfies the filter, and the condition has this value.
    Final { condition: StateCode, filter: Option<StateCode>, bad: bool },
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
    let written: IndexVec<ThreadId, Vec<bool>> =
        program.threads.indices().map(|thread| written_cells(program, thread, n_cells)).collect();
    let locations: Vec<Field> = (program.threads.iter())
        .map(|thread| compiler.packer.place(bits_for(thread.locations.len() as u64)))
        .collect();
    let mut start = Vec::new();
    let mut open = Vec::new();
    let mut cells = Vec::new();
    for (cell, domain, init) in program.cells() {
        let is_constant = !written.iter().any(|written| written[cell.0 as usize]);
        let slot = compiler.slot(domain, init, is_constant);
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
    let mut threads = Vec::new();
    for (t, thread) in program.threads.iter_enumerated() {
        let assigned = assigned_registers(program, t);
        let live = live_registers(thread, &watched[t]);
        let is_live = |loc: LocId, reg: RegId| !options.forget || live[loc][reg];
        let mut regs = Vec::new();
        for (r, reg) in thread.regs.iter_enumerated() {
            // A register that is dead at the start may as well start with a fixed value.
            let init = if is_live(thread.entry, r) {
                reg.init.clone()
            } else {
                Init::Value(reg.domain.default_value())
            };
            let slot = compiler.slot(&reg.domain, &init, !assigned[r]);
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
        let buffered: Vec<CellId> =
            (0..n_cells as u32).map(CellId).filter(|cell| written[t][cell.0 as usize]).collect();
        let mut place_of = vec![None; n_cells];
        for (place, cell) in buffered.iter().enumerate() {
            place_of[cell.0 as usize] = Some(place as u16);
        }
        let buffer = compiler.buffer(t, &buffered, &cells)?;
        let first = may_go_first(program, t, options);
        let outgoing = thread.outgoing();
        let mut compiled_locations = Vec::new();
        for (loc, edges) in outgoing.iter_enumerated() {
            let mut compiled_edges = Vec::new();
            for &edge in edges {
                let forget = |(r, reg): (RegId, &Slot)| {
                    let default = thread.regs[r].domain.default_value();
                    // Interned zero is number 0; other defaults are of ranges far from zero, and stay as they are.
                    let raw = match &reg.coding {
                        Coding::Narrow { lo, .. } => default.to_i64().map(|value| (value - lo) as u64),
                        Coding::Interned { .. } => default.is_zero().then_some(0),
                    };
                    raw.filter(|_| reg.field.bits() > 0).map(|raw| (reg.field, raw))
                };
                let to = thread.edges[edge].to;
                let dead = regs.iter().enumerate().map(|(r, slot)| (RegId(r as u32), slot));
                let forget = dead.filter(|(r, _)| !is_live(to, *r)).filter_map(forget).collect();
                compiled_edges.push(compiler.edge(t, edge, &regs, forget)?);
            }
            let branch = if options.reduction { branch(thread, edges, &regs) } else { None };
            if branch.is_some() {
                compiled_edges.iter_mut().for_each(|edge| drop(edge.ops.remove(0)));
            }
            compiled_locations.push(CompiledLocation { edges: compiled_edges, branch, first: first[loc] });
        }
        threads.push(CompiledThread {
            location: locations[t.0 as usize],
            regs,
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
    Ok(Compiled {
        options,
        tag,
        threads,
        cells,
        open,
        start,
        goals: program.properties.iter().filter_map(goal).collect(),
        forbidden: forbidden_tables(program),
        words: compiler.packer.words(),
        bits: compiler.packer.bits(),
    })
}

struct Compiler<'p> {
    program: &'p Program,
    options: CompileOptions,
    packer: Packer,
    codings: Vec<Coding>,
}

impl Compiler<'_> {
    fn slot(&mut self, domain: &Domain, init: &Init, is_constant: bool) -> Slot {
        let constant = match init {
            Init::Value(value) if is_constant => value.to_i64().map(Coding::constant),
            _ => None,
        };
        let coding = constant.unwrap_or_else(|| Coding::of(domain));
        let coding_id = self.codings.iter().position(|known| *known == coding).unwrap_or_else(|| {
            self.codings.push(coding.clone());
            self.codings.len() - 1
        });
        let field = self.packer.place(coding.bits(self.options.interned_bits));
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
        })
    }

    fn edge(
        &self,
        t: ThreadId,
        id: EdgeId,
        regs: &[Slot],
        forget: Vec<(Field, u64)>,
    ) -> Result<CompiledEdge, Feature> {
        let thread = &self.program.threads[t];
        let edge = &thread.edges[id];
        let mut choices = 1u64;
        let mut ops = Vec::new();
        for op in &edge.step.ops {
            ops.push(match op {
                Op::Read { dst, addr } => CompiledOp::Read { dst: dst.0 as u16, addr: address(addr, regs) },
                Op::Write { addr, value } => {
                    CompiledOp::Write { addr: address(addr, regs), value: code(value, regs) }
                }
                Op::Assign { dst, value } => {
                    CompiledOp::Assign { dst: dst.0 as u16, value: code(value, regs) }
                }
                Op::Guard(condition) => CompiledOp::Guard(code(condition, regs)),
                Op::Assert(condition) => CompiledOp::Assert(code(condition, regs)),
                Op::Havoc { dst } => {
                    let too_many =
                        || Feature::OpenValue(format!("{}:{}", thread.name, thread.regs[*dst].name));
                    let (lo, count) = enumerable(&thread.regs[*dst].domain).ok_or_else(too_many)?;
                    choices = choices.saturating_mul(count);
                    if choices > MAX_CHOICES {
                        return Err(too_many());
                    }
                    let lo = lo.to_i64().ok_or_else(too_many)?;
                    CompiledOp::Havoc { dst: dst.0 as u16, lo, count }
                }
                Op::Fence(kind) => CompiledOp::Fence(*kind),
            });
        }
        Ok(CompiledEdge { id, to: u64::from(edge.to.0), ops, lock: edge.step.lock, forget, choices })
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

fn address(addr: &Addr, regs: &[Slot]) -> CompiledAddr {
    match addr {
        Addr::Cell(cell) => CompiledAddr::Cell(cell.0),
        Addr::Indexed { first, len, index, outside } => {
            let index = code(index, regs);
            match index.as_constant() {
                Some(i) if (0..i64::from(*len)).contains(&i) => CompiledAddr::Cell(first.0 + i as u32),
                _ => CompiledAddr::Indexed {
                    first: first.0,
                    len: *len,
                    index,
                    faults: *outside == Outside::Faults,
                },
            }
        }
    }
}

/// The least value and the number of values of a domain, if they can be tried one by one.
fn enumerable(domain: &Domain) -> Option<(Int, u64)> {
    let (lo, hi) = domain.bounds()?;
    let count = u64::try_from(hi.sub(&lo).add(&Int::ONE).to_i64()?).ok()?;
    (count <= MAX_CHOICES).then_some((lo, count))
}

/// The cells a thread can write to.
fn written_cells(program: &Program, thread: ThreadId, n_cells: usize) -> Vec<bool> {
    let mut written = vec![false; n_cells];
    for op in program.threads[thread].edges.iter().flat_map(|edge| &edge.step.ops) {
        if let Op::Write { addr, .. } = op {
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
            Op::Write { .. } | Op::Guard(_) | Op::Assert(_) | Op::Fence(_) => {}
        }
    }
    assigned
}

fn has_store_store_fence(program: &Program, thread: ThreadId) -> bool {
    let ops = program.threads[thread].edges.iter().flat_map(|edge| &edge.step.ops);
    ops.into_iter().any(|op| matches!(op, Op::Fence(FenceKind::StoreStore)))
}

fn forbidden_tables(program: &Program) -> Vec<ForbiddenTable> {
    let combinations: Vec<&Forbidden> = (program.properties.iter())
        .filter_map(|property| match property {
            Property::Forbidden(forbidden) => Some(forbidden),
            Property::Invariant(_) | Property::Final { .. } | Property::Temporal(_) => None,
        })
        .collect();
    let table = |some: &[&Forbidden]| {
        let set = |thread: ThreadId, loc: LocId| {
            let allows =
                |(bit, forbidden): (usize, &&Forbidden)| u64::from(forbidden.at[thread].contains(loc)) << bit;
            some.iter().enumerate().map(allows).sum()
        };
        let sets = (program.threads.iter_enumerated())
            .map(|(t, thread)| thread.locations.indices().map(|loc| set(t, loc)).collect())
            .collect();
        ForbiddenTable { sets }
    };
    combinations.chunks(64).map(table).collect()
}

fn goal(property: &Property) -> Option<Goal> {
    match property {
        Property::Forbidden(_) | Property::Temporal(_) => None,
        Property::Invariant(condition) => Some(Goal::Not(StateCode::new(&condition.expr))),
        Property::Final { quantifier, condition, filter, observed: _ } => Some(Goal::Final {
            condition: StateCode::new(&condition.expr),
            filter: filter.as_ref().map(|filter| StateCode::new(&filter.expr)),
            bad: match quantifier {
                Quantifier::Exists | Quantifier::NotExists => true,
                Quantifier::Forall => false,
            },
        }),
    }
}
