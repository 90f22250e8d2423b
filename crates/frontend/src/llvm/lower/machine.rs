//! The abstract machine: objects of memory, calls, threads, and what is known of the memory that threads share.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use fencewright_base::{Diagnostic, IndexVec, Int, Stop};
use fencewright_ir::{FenceKind, Lock, RegId};

use super::expr::{self, RExpr};
use super::memory::Accessors;
use super::reasons::Reason;
use super::state::{Cell, ContextId, Env, Point, Temp, ThreadNumber};
use super::value::{Known, NULL, ObjectId, Value};
use crate::llvm::codes;
use crate::llvm::debug::Position;
use crate::llvm::{OrderInfo, Unit, debug};
use fencewright_llvm::module::{BlockId, Function, FunctionId, GlobalId, InstKind, LocalId, Operand, Type};
use fencewright_llvm::parse::Module;

/// Lowering goes on, or ends with what is wrong.
pub(crate) type Run<T> = Result<T, Box<Diagnostic>>;

/// What an object is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKey {
    /// What null is moved away from.
    Null,
    /// A global variable; of a thread if it is thread-local.
    Global(GlobalId, Option<ThreadNumber>),
    /// A local variable of a call.
    Local(ContextId, BlockId, u32),
    /// The n-th allocation at a place of a call.
    Heap(ContextId, BlockId, u32, u32),
    /// How many allocations there have been at a place of a call.
    Counter(ContextId, BlockId, u32),
    /// A function, as the target of an address.
    Function(Arc<str>),
    /// Whether a thread may start.
    Started(ThreadNumber),
    /// Whether a thread has ended.
    Ended(ThreadNumber),
    /// What a thread gives back.
    Returned(ThreadNumber),
    /// Whether an allocated object was freed.
    Freed(ObjectId),
    /// Says for a thread that what is no such object was not freed.
    NeverFreed(ThreadNumber),
}

#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) key: ObjectKey,
    /// Bytes; `None` for functions.
    pub(crate) size: Option<u64>,
    pub(crate) ty: Option<Type>,
    /// Whether its bytes are 0 before they are written, if it is allocated.
    pub(crate) zeroed: bool,
    /// The variable for debugging: its name, and the number of its type.
    pub(crate) variable: Option<(String, Option<u32>)>,
}

/// A call being executed.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) function: FunctionId,
    pub(crate) body: Arc<Body>,
    /// The call instruction; `None` for the function a thread starts with.
    pub(crate) caller: Option<Point>,
    pub(crate) thread: ThreadNumber,
}

/// A parsed function, with the place where each of its values is defined.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) function: Function,
    pub(crate) definitions: HashMap<LocalId, (BlockId, u32)>,
    /// Values that are used in another block than their own.
    pub(crate) lasting: HashSet<LocalId>,
}

/// A thread of the program.
#[derive(Debug, Clone)]
pub(crate) struct ThreadInfo {
    pub(crate) name: String,
    /// The call it starts with; `None` for a `main` that does nothing.
    pub(crate) root: Option<ContextId>,
    pub(crate) start: Env,
    /// The creating instruction with the round it was executed in; `None` for threads that are there from the start.
    pub(crate) created_at: Option<(Point, u32)>,
}

/// What is known of a cell that threads share.
#[derive(Debug, Clone)]
pub(crate) struct SharedCell {
    pub(crate) size: u32,
    pub(crate) known: Known,
    pub(crate) init: Value,
}

/// What a register holds.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum RegKey {
    /// A value of a call.
    Temp(Temp),
    /// A scalar of memory that no other thread touches.
    Cell(Cell, u32),
    /// Something between: a copy that is needed for a moment.
    Scratch(u32),
}

#[derive(Debug, Clone)]
pub(crate) struct RegInfo {
    pub(crate) key: RegKey,
    pub(crate) known: Known,
    pub(crate) bits: u32,
}

/// The registers of a thread, and which is which.
pub(crate) type Registers = (IndexVec<RegId, RegInfo>, HashMap<RegKey, RegId>);

/// A value while a node is executed: what is known of it, and the expression that computes it.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    pub(crate) known: Known,
    pub(crate) expr: RExpr,
    pub(crate) bits: u32,
}

impl Scalar {
    pub(crate) fn constant(value: Value, bits: u32) -> Self {
        Self { known: Known::one(value), expr: expr::constant(value), bits }
    }

    pub(crate) fn int(value: i128, bits: u32) -> Self {
        Self::constant(Value::Int(value), bits)
    }

    /// A value with its expression; a constant if only one value is possible.
    pub(crate) fn new(known: Known, expr: RExpr, bits: u32) -> Self {
        match known.single() {
            Some(value) => Self::constant(value, bits),
            None => Self { known, expr, bits },
        }
    }
}

/// A scalar in shared memory, by address.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Address {
    pub(crate) pointer: RExpr,
    /// The cells it can be.
    pub(crate) targets: Vec<Cell>,
}

/// An operation of the residual program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ROp {
    Assign {
        dst: RegId,
        value: RExpr,
    },
    Havoc {
        dst: RegId,
    },
    Guard(RExpr),
    Assert(RExpr, Reason),
    Read {
        dst: RegId,
        addr: Address,
    },
    Write {
        addr: Address,
        value: RExpr,
    },
    Fence(FenceKind),
    /// Together, on memory itself.
    Locked(Lock, Vec<ROp>),
    /// Together, on memory itself: reads, and writes if what was read is what was expected.
    Exchange {
        lock: Lock,
        dst: RegId,
        addr: Address,
        expected: RExpr,
        new: RExpr,
    },
    /// A place where a fence can be written.
    Site(u32),
    /// What follows up to the end happens together, on memory itself.
    AtomicBegin,
    AtomicEnd,
    /// A thread may start.
    Start(ThreadNumber),
    /// Waits for a thread to end.
    Join(ThreadNumber),
    /// Waits until a cell holds 1.
    Await(Address),
    /// The thread ends.
    End,
}

/// An operation with the instruction it came from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Residual {
    pub(crate) op: ROp,
    pub(crate) at: Point,
}

/// Where a node leads.
#[derive(Debug, Clone)]
pub(crate) struct Successor {
    pub(crate) guard: RExpr,
    pub(crate) ops: Vec<Residual>,
    pub(crate) env: Env,
    pub(crate) target: Point,
}

/// A node being executed: where, what is known there, and what has come out so far.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) at: Point,
    pub(crate) env: Env,
    pub(crate) ops: Vec<Residual>,
    pub(crate) successors: Vec<Successor>,
    /// A check has certainly failed: nothing comes behind it.
    pub(crate) ended: bool,
}

impl Work {
    pub(crate) fn new(at: Point, env: Env) -> Self {
        Self { at, env, ops: Vec::new(), successors: Vec::new(), ended: false }
    }

    /// Adds an operation of the instruction that is being executed.
    pub(crate) fn emit(&mut self, op: ROp) {
        self.ops.push(Residual { op, at: self.at });
    }
}

pub(crate) struct Machine<'a> {
    pub(crate) unit: &'a Unit<'a>,
    pub(crate) module: &'a Module<'a>,
    pub(crate) bodies: HashMap<FunctionId, Arc<Body>>,
    pub(crate) objects: IndexVec<ObjectId, Object>,
    pub(crate) object_of: HashMap<ObjectKey, ObjectId>,
    pub(crate) contexts: IndexVec<ContextId, Context>,
    pub(crate) context_of: HashMap<(Option<Point>, ThreadNumber, FunctionId), ContextId>,
    pub(crate) threads: IndexVec<ThreadNumber, ThreadInfo>,
    /// The thread whose node is executed.
    pub(crate) thread: ThreadNumber,
    /// Cells that more than one thread touches. Grows; when it does, the analysis starts again.
    pub(crate) shared: BTreeSet<Cell>,
    pub(crate) cells: BTreeMap<Cell, SharedCell>,
    /// Whether a shared cell came to hold more since this was last cleared.
    pub(crate) grown: bool,
    pub(crate) accessors: BTreeMap<Cell, Accessors>,
    /// Initial values of shared cells, as they are when the first thread is created.
    pub(crate) published: Option<Env>,
    /// Threads of which somebody wants to know what they give back. Grows; then the analysis goes on.
    pub(crate) asked: BTreeSet<ThreadNumber>,
    pub(crate) regs: IndexVec<ThreadNumber, Registers>,
    /// Calls that were left out, each once.
    pub(crate) ignored: BTreeMap<String, Position>,
    /// Allocation places whose objects ran out.
    pub(crate) heap_bound_hit: Option<Position>,
    /// Allocated objects that somebody may free, and local variables of calls that may return while other threads can
    /// still reach them. Grows; then the analysis goes on.
    pub(crate) freed: BTreeSet<ObjectId>,
    /// Threads that may free memory while others run.
    pub(crate) frees_early: BTreeSet<ThreadNumber>,
    /// Objects that threads write to by writes that may stay pending.
    pub(crate) writers: BTreeSet<(ObjectId, ThreadNumber)>,
    /// What `std::thread` keeps for threads. Nobody compares addresses in it with others, so that it may be given out again
    /// is not noticed.
    pub(crate) thread_states: BTreeSet<ObjectId>,
    /// Whether memory may be allocated when some was freed: a real program may get the same memory again.
    pub(crate) reuses: bool,
    /// Whether a scalar was put together of bytes some of which were never written.
    pub(crate) partly_unset: bool,
    /// Whether values are printed by a library that is not followed.
    pub(crate) prints_values: bool,
    /// Whether several shared scalars are copied or filled by one call: that is done in the order of their addresses.
    pub(crate) copies_in_order: bool,
    /// Threads that are detached, with where and in which round, and threads that are waited for.
    pub(crate) detached: BTreeMap<ThreadNumber, (Point, u32)>,
    pub(crate) waited_for: BTreeSet<ThreadNumber>,
    /// Whether a thread may have to wait for another, other than main for the end of one.
    pub(crate) may_block: bool,
    /// What was told from the unset value, with its width, whether or not a register holds it.
    pub(crate) beside_unset: Vec<(Known, u32)>,
    /// Cells that are locks, and whether they count: those are semaphores. Only reports ask.
    pub(crate) locks: BTreeMap<Cell, bool>,
    /// Addresses that were computed, whether or not a register holds them.
    pub(crate) computed: BTreeSet<Value>,
    /// What runs when a function of the start of the program returns.
    pub(crate) behind: HashMap<ContextId, ContextId>,
    /// Node executions left.
    pub(crate) fuel: u64,
    pub(crate) positions: debug::Positions<'a>,
}

/// Node executions before lowering gives up: half a minute's worth at most.
const FUEL: u64 = 300_000;
/// How deep calls may nest; each level is a copy of a function.
const MAX_CALL_DEPTH: u32 = 60;
/// How many copies of functions are made.
const MAX_CONTEXTS: usize = 20_000;

impl<'a> Machine<'a> {
    pub(crate) fn new(unit: &'a Unit<'a>, module: &'a Module<'a>) -> Self {
        let mut machine = Self {
            unit,
            module,
            bodies: HashMap::new(),
            objects: IndexVec::new(),
            object_of: HashMap::new(),
            contexts: IndexVec::new(),
            context_of: HashMap::new(),
            threads: IndexVec::new(),
            thread: ThreadNumber(0),
            shared: BTreeSet::new(),
            cells: BTreeMap::new(),
            grown: false,
            accessors: BTreeMap::new(),
            published: None,
            asked: BTreeSet::new(),
            regs: IndexVec::new(),
            ignored: BTreeMap::new(),
            heap_bound_hit: None,
            freed: BTreeSet::new(),
            frees_early: BTreeSet::new(),
            writers: BTreeSet::new(),
            thread_states: BTreeSet::new(),
            reuses: false,
            partly_unset: false,
            prints_values: false,
            copies_in_order: false,
            detached: BTreeMap::new(),
            waited_for: BTreeSet::new(),
            may_block: false,
            beside_unset: Vec::new(),
            locks: BTreeMap::new(),
            computed: BTreeSet::new(),
            behind: HashMap::new(),
            fuel: FUEL,
            positions: debug::Positions::new(unit, module),
        };
        let null = machine.object(ObjectKey::Null, None, None);
        debug_assert_eq!(null, NULL);
        machine
    }

    /// Makes the objects of the globals, so that cells come in the order of the text.
    pub(crate) fn number_globals(&mut self) {
        let module = self.module;
        for (id, global) in module.globals.iter_enumerated() {
            if !global.thread_local {
                let size = super::operands::global_size(module, id);
                self.object(ObjectKey::Global(id, None), size, Some(global.ty.clone()));
            }
        }
    }

    /// Where an instruction of a call stands for the user.
    pub(crate) fn position(&self, at: Point) -> Position {
        self.positions.locate(&self.calls(at))
    }

    /// The word of the user's text for the order of an instruction.
    pub(crate) fn order(&self, at: Point) -> Option<OrderInfo> {
        self.positions.order(&self.calls(at))
    }

    /// The debug location and the place in the IR of an instruction and of the calls that lead to it.
    fn calls(&self, at: Point) -> Vec<(Option<u32>, (u32, u32))> {
        let mut chain = Vec::new();
        let mut next = Some(at);
        while let Some(point) = next {
            let context = &self.contexts[point.context];
            let block = context.body.function.blocks.get(point.block);
            if let Some(inst) = block.and_then(|block| block.insts.get(point.index as usize)) {
                chain.push((inst.debug, inst.at));
            }
            next = context.caller;
        }
        chain
    }

    /// What is wrong at an instruction.
    pub(crate) fn error<T>(
        &self,
        code: &'static fencewright_base::Code,
        at: Point,
        message: impl Into<String>,
        help: &str,
    ) -> Run<T> {
        let position = self.position(at);
        let mut diagnostic = Diagnostic::error(code, position.span, message).help(help);
        if let Some(caller) = self.contexts[at.context].caller {
            let from = self.position(caller);
            if from.span != position.span {
                diagnostic = diagnostic.also(from.span, "called from here");
            }
        }
        Err(Box::new(diagnostic))
    }

    /// How something is left out of a text for the check, in its language.
    pub(crate) fn way_around(&self) -> &'static str {
        match self.unit.sources.file(self.unit.ir).text().contains("language: DW_LANG_Rust") {
            true => "`#[cfg(not(check))]` and `--cflags '--cfg check'`",
            false => "`#ifndef` and a macro given with --cflags",
        }
    }

    pub(crate) fn unsupported<T>(&self, at: Point, what: &str) -> Run<T> {
        self.error(
            &codes::UNSUPPORTED,
            at,
            format!("{what} cannot be checked"),
            &format!("leave it out, for instance with {}", self.way_around()),
        )
    }

    /// Gave up because of the budget.
    pub(crate) fn stopped(&self, stop: Stop, at: Point) -> Box<Diagnostic> {
        let why = match stop {
            Stop::Cancelled => "reading the program was stopped".to_owned(),
            _ => format!(
                "reading the program was given up after {:.1} s: the time is over",
                self.unit.meter.elapsed().as_secs_f64()
            ),
        };
        let position = self.position(at);
        Box::new(
            Diagnostic::error(&codes::GAVE_UP, position.span, why)
                .help("allow more with --timeout, or check a smaller program"),
        )
    }

    pub(crate) fn tick(&mut self, at: Point) -> Run<()> {
        if let Err(stop) = self.unit.meter.tick() {
            return Err(self.stopped(stop, at));
        }
        match self.fuel.checked_sub(1) {
            Some(rest) => {
                self.fuel = rest;
                Ok(())
            }
            None => self.error(
                &codes::TOO_LARGE,
                at,
                "the program is too large: its analysis does not come to an end",
                "check a smaller program: fewer rounds, fewer threads, smaller data",
            ),
        }
    }

    pub(crate) fn object(&mut self, key: ObjectKey, size: Option<u64>, ty: Option<Type>) -> ObjectId {
        if let Some(&known) = self.object_of.get(&key) {
            return known;
        }
        let id = self.objects.push(Object { key: key.clone(), size, ty, zeroed: false, variable: None });
        self.object_of.insert(key, id);
        id
    }

    /// A copy of a function for a call, or for a thread to start with.
    pub(crate) fn context(&mut self, function: FunctionId, caller: Option<Point>) -> Run<ContextId> {
        let key = (caller, self.thread, function);
        if let Some(&known) = self.context_of.get(&key) {
            return Ok(known);
        }
        let mut depth = 0;
        let mut next = caller;
        while let Some(point) = next {
            let outer = &self.contexts[point.context];
            if outer.function == function {
                let name = fencewright_llvm::names::readable(&self.module.functions[function].name);
                return self.error(
                    &codes::RECURSION,
                    point,
                    format!("`{name}` calls itself"),
                    "write it as a loop: calls are copied into their callers, so they must end",
                );
            }
            depth += 1;
            next = outer.caller;
        }
        if let Some(caller) = caller
            && (depth > MAX_CALL_DEPTH || self.contexts.len() > MAX_CONTEXTS)
        {
            return self.error(
                &codes::TOO_LARGE,
                caller,
                "the program is too large: too many calls are copied into their callers",
                "check a smaller program",
            );
        }
        let body = self.body(function)?;
        let id = self.contexts.push(Context { function, body, caller, thread: self.thread });
        self.context_of.insert(key, id);
        Ok(id)
    }

    fn body(&mut self, function: FunctionId) -> Run<Arc<Body>> {
        if let Some(body) = self.bodies.get(&function) {
            return Ok(body.clone());
        }
        let parsed = self.module.body(function).map_err(|malformed| self.positions.malformed(malformed))?;
        let mut definitions = HashMap::new();
        for (block, data) in parsed.blocks.iter_enumerated() {
            for (index, inst) in data.insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    definitions.insert(result, (block, index as u32));
                }
            }
        }
        let mut lasting = HashSet::new();
        let mut used = |local: LocalId, block: BlockId| {
            if definitions.get(&local).is_none_or(|(home, _)| *home != block) {
                lasting.insert(local);
            }
        };
        for (block, data) in parsed.blocks.iter_enumerated() {
            for inst in &data.insts {
                match &inst.kind {
                    // An operand of a phi is used at the end of the block it comes from. That may be another block than the
                    // phi's even if its value is made in the phi's own: in a loop.
                    InstKind::Phi { incoming, .. } => {
                        for (value, from) in incoming {
                            if let Operand::Local(local) = value {
                                used(*local, *from);
                            }
                        }
                    }
                    kind => kind.for_each_local(&mut |local| used(local, block)),
                }
            }
        }
        let body = Arc::new(Body { function: parsed, definitions, lasting });
        self.bodies.insert(function, body.clone());
        Ok(body)
    }

    /// The register for something, of the thread being executed; it can come to hold what is known.
    pub(crate) fn reg(&mut self, key: RegKey, known: &Known, bits: u32) -> RegId {
        while self.regs.len() <= self.thread.0 as usize {
            self.regs.push((IndexVec::new(), HashMap::new()));
        }
        let (infos, keys) = &mut self.regs[self.thread];
        match keys.get(&key) {
            Some(&reg) => {
                let info = &mut infos[reg];
                info.known = info.known.join(known);
                info.bits = info.bits.max(bits);
                reg
            }
            None => {
                let reg = infos.push(RegInfo { key, known: known.clone(), bits });
                keys.insert(key, reg);
                reg
            }
        }
    }

    /// What a shared cell can hold comes to include something.
    pub(crate) fn grow(&mut self, cell: Cell, known: &Known) {
        if let Some(shared) = self.cells.get_mut(&cell)
            && !shared.known.includes(known)
        {
            shared.known = shared.known.join(known).widened();
            self.grown = true;
        }
    }
}

/// An integer of the IR's as one of the program's.
pub(crate) fn to_int(value: i128) -> Int {
    i64::try_from(value).map_or_else(|_| value.to_string().parse().unwrap_or(Int::ZERO), Int::from)
}
