//! The data of a program. What makes it well-formed is checked by [`validate`](crate::validate); what it means is
//! defined in the crate `memory`.

use fencewright_base::{IndexVec, Int, Span, define_index};
use smallvec::SmallVec;

use crate::{Expr, Property, Wording};

define_index! {
    /// A shared variable (scalar or array).
    pub struct VarId = "v";
    /// A memory cell: a scalar, or one element of an array. Cells are numbered through all variables in order.
    pub struct CellId = "c";
    /// A thread.
    pub struct ThreadId = "t";
    /// A register of one thread.
    pub struct RegId = "r";
    /// A control location of one thread.
    pub struct LocId = "L";
    /// An edge of one thread.
    pub struct EdgeId = "e";
    /// A statement of the user's text.
    pub struct StatementId = "s";
    /// A rendezvous channel.
    pub struct ChannelId = "ch";
    /// A word of the user's text that says how an access is ordered.
    pub struct OrderId = "o";
}

/// An expression inside a thread: it mentions registers only.
pub type RegExpr = Expr<RegId>;

/// A concurrent program: shared memory, threads, and what must not happen.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// What the user calls it: the name in the file, or the file's.
    pub name: String,
    /// Shared variables in the order of declaration.
    pub vars: IndexVec<VarId, Variable>,
    /// Rendezvous channels. A channel that holds values is not one: it is variables with [`Variable::direct`].
    pub channels: IndexVec<ChannelId, Channel>,
    /// The threads. All start at once.
    pub threads: IndexVec<ThreadId, Thread>,
    /// The statements of the text that the threads' steps came from.
    pub statements: IndexVec<StatementId, Statement>,
    /// The words of the text that could order an access more than they do.
    pub orders: IndexVec<OrderId, OrderWord>,
    /// What must not happen. A failing [`Op::Assert`] or a fault is a violation even if this is empty.
    pub properties: Vec<Property>,
    /// What reports say where the program's own names do not say it.
    pub wording: Wording,
}

/// A shared variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name for the user.
    pub name: String,
    /// The values it can hold.
    pub domain: Domain,
    /// The initial value of each cell; one for a scalar.
    pub init: Vec<Init>,
    /// Whether it is an array (an array of one element is not a scalar).
    pub is_array: bool,
    /// Its first cell: the sum of the sizes of all variables before it.
    pub first_cell: CellId,
    /// Whether every access acts on memory at once, under every model: nothing of it is ever pending. For what a
    /// language shares between threads by other means than memory.
    pub direct: bool,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// A rendezvous channel: a step that sends and a step of another thread that receives are made together.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Its name for the user.
    pub name: String,
    /// How many values go over it at a time.
    pub arity: usize,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// The values a variable or register can hold, and what becomes of others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Domain {
    /// `lo..=hi`. A step that would store another value is not enabled.
    Range {
        /// The least value.
        lo: Int,
        /// The greatest value; not below `lo`.
        hi: Int,
    },
    /// A machine integer: every value wraps.
    Machine {
        /// Width, at least 1.
        bits: u32,
        /// Two's complement if set.
        signed: bool,
    },
    /// All of ℤ.
    Integers,
}

/// An initial value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Init {
    /// This one.
    Value(Int),
    /// Any value of the domain.
    Any,
}

/// A thread: a control-flow automaton with registers.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// Its name for the user, such as `P0`.
    pub name: String,
    /// Its registers.
    pub regs: IndexVec<RegId, Register>,
    /// Its control locations. A location without outgoing edges is an end of the thread.
    pub locations: IndexVec<LocId, Location>,
    /// Its edges, in the order of the text.
    pub edges: IndexVec<EdgeId, Edge>,
    /// Where it starts.
    pub entry: LocId,
}

/// A register.
#[derive(Debug, Clone, PartialEq)]
pub struct Register {
    /// Its name for the user.
    pub name: String,
    /// The values it can hold.
    pub domain: Domain,
    /// Its initial value.
    pub init: Init,
    /// Whether it lasts for one step only: between steps it has its initial value, so it is no part of a state that
    /// could differ.
    pub scratch: bool,
}

/// A control location.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Location {
    /// The labels the user gave it.
    pub labels: Vec<String>,
    /// Whether a thread that stands here goes before all threads that stand elsewhere, and before every flush.
    pub committed: bool,
}

/// An edge of a thread's automaton.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// From here.
    pub from: LocId,
    /// To here.
    pub to: LocId,
    /// By this.
    pub step: Step,
}

/// Micro-operations executed in order, without interleaving. The step is enabled only if none of them blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The micro-operations; none means that only the location changes.
    pub ops: SmallVec<[Op; 1]>,
    /// If set, the step acts on memory directly: an atomic write or read-modify-write.
    pub lock: Option<Lock>,
    /// The statement of the text it came from.
    pub statement: StatementId,
}

/// How much of the thread's own pending writes a locked step waits for.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    /// Those to the locations it touches (SPARC's and RMM's `cas`); all of them where the machine has one buffer.
    Location,
    /// All of them (x86 `lock`, a sequentially consistent read-modify-write of C).
    Full,
}

/// A micro-operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// Loads a cell into a register.
    Read {
        /// The register that gets the value.
        dst: RegId,
        /// The cell.
        addr: Addr,
    },
    /// Stores the value of an expression.
    Write {
        /// The cell.
        addr: Addr,
        /// The value.
        value: RegExpr,
    },
    /// Computes a register.
    Assign {
        /// The register that gets the value.
        dst: RegId,
        /// The value.
        value: RegExpr,
    },
    /// Blocks unless the expression is true.
    Guard(RegExpr),
    /// The execution is a violation if the expression is false.
    Assert(RegExpr),
    /// Gives a register any value of its domain.
    Havoc {
        /// The register.
        dst: RegId,
    },
    /// Orders the thread's writes.
    Fence(FenceKind),
    /// Hands values to the step of another thread that receives them: the two are made together or not at all.
    Send {
        /// Over this channel.
        channel: ChannelId,
        /// As many as the channel carries.
        values: Vec<RegExpr>,
    },
    /// Takes values from the step of another thread that sends them.
    Receive {
        /// Over this channel.
        channel: ChannelId,
        /// Where they go, as many as the channel carries.
        targets: Vec<Target>,
    },
}

/// Where a received value goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// To a register.
    Register(RegId),
    /// To memory, as a write of the thread that receives.
    Memory(Addr),
}

/// What a step does on a channel: it can only be made together with its counterpart.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Sync {
    /// It sends.
    Sends(ChannelId),
    /// It receives.
    Receives(ChannelId),
}

/// What a fence orders.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceKind {
    /// Nothing passes: all earlier writes are in memory before anything after it.
    Full,
    /// Earlier writes reach memory before later writes do.
    StoreStore,
}

/// Which cell a read or write touches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Addr {
    /// This one.
    Cell(CellId),
    /// The cell `first + index`, for an index from 0 up to but not including `len`.
    Indexed {
        /// The cell of index 0.
        first: CellId,
        /// How many cells can be reached.
        len: u32,
        /// The index.
        index: RegExpr,
        /// What any other index does.
        outside: Outside,
    },
}

/// What an index outside its window does.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Outside {
    /// The step is not enabled (RMM's pointers).
    Blocks,
    /// The execution is a violation (arrays of C and DVE).
    Faults,
}

/// A statement of the user's text: what a fence is put before or behind, and what a trace shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// How it is shown: its own text, on one line.
    pub text: String,
    /// Where it stands, if it stands anywhere.
    pub span: Option<Span>,
    /// How many loops of the text it is inside.
    pub loop_depth: u32,
    /// Whether a fence can be written just before it in the text.
    pub fence_before: bool,
    /// Whether a fence can be written just behind it in the text.
    pub fence_after: bool,
}

/// A word of the user's text that says how strongly an access is ordered, such as `memory_order_relaxed`. A stronger word
/// in its place costs once, however many threads run through it.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderWord {
    /// The access as it is shown: its own text, on one line.
    pub text: String,
    /// The word.
    pub word: String,
    /// Where the word stands, if it stands anywhere.
    pub span: Option<Span>,
    /// The words that could stand there instead, each with the fence that the access would be as strong as.
    pub stronger: Vec<(FenceKind, String)>,
    /// How many loops of the text it is inside.
    pub loop_depth: u32,
    /// The steps that it orders.
    pub steps: Vec<(ThreadId, EdgeId)>,
}

impl Program {
    /// A program of which nothing is known.
    pub fn nothing(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            vars: IndexVec::new(),
            channels: IndexVec::new(),
            threads: IndexVec::new(),
            statements: IndexVec::new(),
            orders: IndexVec::new(),
            properties: Vec::new(),
            wording: Wording::default(),
        }
    }
    /// How many cells the shared memory has.
    pub fn n_cells(&self) -> usize {
        self.vars.iter().map(|var| var.init.len()).sum()
    }

    /// The variable a cell belongs to, and the cell's index in it. Panics if there is no such cell.
    pub fn variable_of(&self, cell: CellId) -> (VarId, usize) {
        let mut rest = cell.0 as usize;
        for (id, var) in self.vars.iter_enumerated() {
            if rest < var.init.len() {
                return (id, rest);
            }
            rest -= var.init.len();
        }
        panic!("internal error: {cell:?} is not a cell of program {}", self.name)
    }

    /// The name of a cell for the user: `x`, or `a[2]`.
    pub fn cell_name(&self, cell: CellId) -> String {
        let (var, index) = self.variable_of(cell);
        let var = &self.vars[var];
        if var.is_array { format!("{}[{index}]", var.name) } else { var.name.clone() }
    }

    /// Whether accesses to the cell act on memory at once under every model.
    pub fn is_direct(&self, cell: CellId) -> bool {
        // A window of no cells may begin behind the last one.
        cell.0 as usize >= self.n_cells() || self.vars[self.variable_of(cell).0].direct
    }

    /// The domain and initial value of every cell in order.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, &Domain, &Init)> {
        self.vars
            .iter()
            .flat_map(|var| var.init.iter().map(move |init| (&var.domain, init)))
            .enumerate()
            .map(|(i, (domain, init))| (CellId(i as u32), domain, init))
    }

    /// The edge.
    pub fn edge(&self, thread: ThreadId, edge: EdgeId) -> &Edge {
        &self.threads[thread].edges[edge]
    }

    /// The statement an edge came from.
    pub fn statement(&self, thread: ThreadId, edge: EdgeId) -> &Statement {
        &self.statements[self.edge(thread, edge).step.statement]
    }
}

impl Thread {
    /// For every location its outgoing edges, in the order of the text.
    pub fn outgoing(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut outgoing: IndexVec<LocId, Vec<EdgeId>> = self.locations.iter().map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter_enumerated() {
            outgoing[edge.from].push(id);
        }
        outgoing
    }
}

impl Addr {
    /// The cell, or the first that can be reached.
    pub fn first(&self) -> CellId {
        match self {
            Addr::Cell(cell) | Addr::Indexed { first: cell, .. } => *cell,
        }
    }
}

impl Step {
    /// A step of one micro-operation.
    pub fn of(op: Op, statement: StatementId) -> Self {
        Self { ops: smallvec::smallvec![op], lock: None, statement }
    }

    /// What it does on a channel, if anything.
    pub fn sync(&self) -> Option<Sync> {
        self.ops.iter().find_map(|op| match op {
            Op::Send { channel, .. } => Some(Sync::Sends(*channel)),
            Op::Receive { channel, .. } => Some(Sync::Receives(*channel)),
            _ => None,
        })
    }

    /// Whether it reads or writes shared memory or waits for it, or for another thread: everything but register
    /// operations.
    pub fn touches_memory(&self) -> bool {
        self.lock.is_some()
            || self.ops.iter().any(|op| match op {
                Op::Read { .. } | Op::Write { .. } | Op::Fence(_) => true,
                Op::Send { .. } | Op::Receive { .. } => true,
                Op::Assign { .. } | Op::Guard(_) | Op::Assert(_) | Op::Havoc { .. } => false,
            })
    }
}

impl Domain {
    /// The range `lo..=hi`.
    pub fn range(lo: impl Into<Int>, hi: impl Into<Int>) -> Self {
        Domain::Range { lo: lo.into(), hi: hi.into() }
    }

    /// What storing `value` leaves: the value, the wrapped value, or nothing if storing blocks.
    pub fn admit(&self, value: Int) -> Option<Int> {
        match self {
            Domain::Range { lo, hi } => (*lo <= value && value <= *hi).then_some(value),
            Domain::Machine { bits, signed } => Some(value.wrap(*bits, *signed)),
            Domain::Integers => Some(value),
        }
    }

    /// Least and greatest value, if there are such.
    pub fn bounds(&self) -> Option<(Int, Int)> {
        match self {
            Domain::Range { lo, hi } => Some((lo.clone(), hi.clone())),
            Domain::Machine { bits, signed: true } => {
                let half = Int::power_of_two(bits - 1);
                Some((half.neg(), half.sub(&Int::ONE)))
            }
            Domain::Machine { bits, signed: false } => {
                Some((Int::ZERO, Int::power_of_two(*bits).sub(&Int::ONE)))
            }
            Domain::Integers => None,
        }
    }

    /// Whether the value is in the domain.
    pub fn contains(&self, value: &Int) -> bool {
        self.bounds().is_none_or(|(lo, hi)| lo <= *value && *value <= hi)
    }

    /// A value every domain has a use for: 0 if it is in the domain, else the least.
    pub fn default_value(&self) -> Int {
        match self.bounds() {
            Some((lo, _)) if !self.contains(&Int::ZERO) => lo,
            _ => Int::ZERO,
        }
    }
}
