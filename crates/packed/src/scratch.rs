//! Registers that last for one step. A language whose steps compute on shared variables reads them into scratch
//! registers first; where nothing can come between the read and the uses, the uses look at the cell itself and the read
//! is left out. What is left shares its bits between threads, because between steps all of it is 0.

use fencewright_base::{Index, IndexVec};
use fencewright_explore::pack::{Field, Packer};
use fencewright_ir::{Addr, CellId, EdgeId, Op, Program, RegId, Step, Target, Thread, ThreadId};

/// For each edge and micro-operation: the cell, if it is a read that need not be made.
pub(crate) type Looks = IndexVec<EdgeId, Vec<Option<CellId>>>;

/// The reads that need not be made. `may_be_pending` tells for which cells the thread itself may have a newer value.
pub(crate) fn looks(program: &Program, thread: ThreadId, may_be_pending: &dyn Fn(CellId) -> bool) -> Looks {
    let automaton = &program.threads[thread];
    let of_edge = |step: &Step| {
        let of_op = |(at, op): (usize, &Op)| match op {
            Op::Read { dst, addr: Addr::Cell(cell) } => {
                let reg = &automaton.regs[*dst];
                let same = reg.domain == program.vars[program.variable_of(*cell).0].domain;
                (reg.scratch && same && !may_be_pending(*cell) && stays(step, at, *dst, *cell))
                    .then_some(*cell)
            }
            _ => None,
        };
        step.ops.iter().enumerate().map(of_op).collect()
    };
    automaton.edges.iter().map(|edge| of_edge(&edge.step)).collect()
}

/// Whether the cell keeps, up to the last use of `reg`, the value that the read at `at` gives it.
fn stays(step: &Step, at: usize, reg: RegId, cell: CellId) -> bool {
    let behind = &step.ops[at + 1..];
    let defined_again = behind.iter().position(|op| defines(op, reg));
    let until = defined_again.map_or(behind.len(), |again| again + 1);
    let Some(last_use) = behind[..until].iter().rposition(|op| uses(op, reg)) else { return true };
    !behind[..last_use].iter().any(|op| match op {
        Op::Write { addr, .. } => touches(addr, cell),
        // From here on the other thread acts as well.
        Op::Send { .. } | Op::Receive { .. } => true,
        Op::Read { .. }
        | Op::Assign { .. }
        | Op::Guard(_)
        | Op::Assert(_)
        | Op::Havoc { .. }
        | Op::Fence(_) => false,
    })
}

fn touches(addr: &Addr, cell: CellId) -> bool {
    match addr {
        Addr::Cell(written) => *written == cell,
        Addr::Indexed { first, len, .. } => (first.0..first.0 + len).contains(&cell.0),
    }
}

fn defines(op: &Op, reg: RegId) -> bool {
    match op {
        Op::Read { dst, .. } | Op::Assign { dst, .. } | Op::Havoc { dst } => *dst == reg,
        Op::Receive { targets, .. } => targets.contains(&Target::Register(reg)),
        Op::Write { .. } | Op::Guard(_) | Op::Assert(_) | Op::Fence(_) | Op::Send { .. } => false,
    }
}

fn uses(op: &Op, reg: RegId) -> bool {
    let mut used = false;
    let mut note = |atom: &RegId| used |= *atom == reg;
    match op {
        Op::Read { addr, .. } => addr_atoms(addr, &mut note),
        Op::Write { addr, value } => {
            addr_atoms(addr, &mut note);
            value.for_each_atom(&mut note);
        }
        Op::Assign { value: expr, .. } | Op::Guard(expr) | Op::Assert(expr) => expr.for_each_atom(&mut note),
        Op::Havoc { .. } | Op::Fence(_) => {}
        Op::Send { values, .. } => values.iter().for_each(|value| value.for_each_atom(&mut note)),
        Op::Receive { targets, .. } => {
            for target in targets {
                if let Target::Memory(addr) = target {
                    addr_atoms(addr, &mut note);
                }
            }
        }
    }
    used
}

fn addr_atoms(addr: &Addr, note: &mut dyn FnMut(&RegId)) {
    match addr {
        Addr::Cell(_) => {}
        Addr::Indexed { index, .. } => index.for_each_atom(note),
    }
}

/// The scratch registers that a step gives a value which must be stored.
pub(crate) fn stored<'t>(
    thread: &'t Thread,
    looks: &'t Looks,
    edge: EdgeId,
) -> impl Iterator<Item = RegId> + 't {
    let ops = thread.edges[edge].step.ops.iter().zip(&looks[edge]);
    let made = ops.filter(|(_, look)| look.is_none()).map(|(op, _)| op);
    thread
        .regs
        .iter_enumerated()
        .filter_map(move |(id, reg)| (reg.scratch && made.clone().any(|op| defines(op, id))).then_some(id))
}

/// Places for scratch registers. Threads share them unless two threads can move at once.
pub(crate) struct Pool {
    fields: Vec<(Field, Option<ThreadId>)>,
    shared: bool,
}

impl Pool {
    pub(crate) fn new(shared: bool) -> Self {
        Self { fields: Vec::new(), shared }
    }

    /// A place for a scratch register of the thread that is 0 between steps.
    pub(crate) fn place(&mut self, packer: &mut Packer, thread: ThreadId, bits: u32) -> Field {
        let free =
            |(field, user): &&mut (Field, Option<ThreadId>)| *user != Some(thread) && field.bits() >= bits;
        if self.shared
            && let Some((field, user)) = self.fields.iter_mut().find(free)
        {
            *user = Some(thread);
            return *field;
        }
        let field = packer.place(bits);
        self.fields.push((field, Some(thread)));
        field
    }
}

/// Whether some edge stores a value in the scratch register.
pub(crate) fn needs_bits(thread: &Thread, looks: &Looks, reg: RegId) -> bool {
    thread.edges.indices().any(|edge| stored(thread, looks, EdgeId::new(edge.index())).any(|id| id == reg))
}
