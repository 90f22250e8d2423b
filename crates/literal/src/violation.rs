//! The ways an execution can violate a check or fail to continue.

use fencewright_base::Stop;

use crate::object::ObjectKind;
use crate::refusal::{Place, Refusal};
use crate::value::ObjectId;

/// A check that can be switched on and off.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// Assertions, panics, `abort`, uncaught exceptions, `unreachable`.
    Assertions,
    /// Null, wild, out-of-bounds and freed accesses, double and foreign frees, misaligned atomics.
    Memory,
    /// Unset bits that reach a branch, an address, a property or output.
    Unset,
    /// Division by zero.
    Division,
    /// No thread can continue, and one has not ended.
    Deadlock,
}

impl Check {
    /// All checks.
    pub const ALL: [Check; 5] =
        [Check::Assertions, Check::Memory, Check::Unset, Check::Division, Check::Deadlock];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Check::Assertions => "assertions",
            Check::Memory => "memory",
            Check::Unset => "unset",
            Check::Division => "division",
            Check::Deadlock => "deadlock",
        }
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A failed assertion, with its text if known.
    Assertion(Option<String>),
    /// A panic, with its message if known.
    Panic(Option<String>),
    /// A call of `abort`, `reach_error` and their like, by name.
    Abort(String),
    /// An uncaught exception.
    UncaughtException,
    /// An `unreachable` instruction was reached.
    Unreachable,
    /// An access through a null pointer.
    Null,
    /// An access to an address where no object is.
    Wild(u64),
    /// An access outside the object that the address points into.
    OutOfBounds {
        /// The object.
        object: ObjectId,
        /// Bytes from its start.
        offset: i64,
        /// The size of the access.
        size: u64,
        /// The size of the object.
        of: u64,
    },
    /// An access to memory that was freed.
    Freed(ObjectId),
    /// An access to a local variable after its function returned.
    Gone(ObjectId),
    /// Memory is freed a second time.
    DoubleFree(ObjectId),
    /// A free of something that was not allocated.
    BadFree(u64),
    /// A write to a constant.
    Constant(ObjectId),
    /// An atomic access at an address that is not a multiple of its size.
    Misaligned(u64),
    /// A call of something that is not a function.
    NotAFunction(u64),
    /// Unset bits matter; where.
    Unset(Use),
    /// Division by zero.
    DivisionByZero,
    /// The smallest number divided by minus one.
    DivisionOverflow,
    /// No thread can continue.
    Deadlock,
    /// A broken rule of a lock; which one.
    Lock(&'static str),
}

/// Where an unset value is used.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Use {
    /// In the condition of a branch or switch.
    Branch,
    /// As an address.
    Address,
    /// As an argument whose value the called function depends on.
    Argument,
    /// As a divisor.
    Divisor,
}

impl Fault {
    /// The use of an ended object.
    pub(crate) fn of_ended(kind: ObjectKind, object: ObjectId) -> Self {
        if kind == ObjectKind::Heap { Fault::Freed(object) } else { Fault::Gone(object) }
    }

    /// The check it belongs to.
    pub fn check(&self) -> Check {
        match self {
            Fault::Assertion(_)
            | Fault::Panic(_)
            | Fault::Abort(_)
            | Fault::UncaughtException
            | Fault::Unreachable => Check::Assertions,
            Fault::Null
            | Fault::Wild(_)
            | Fault::OutOfBounds { .. }
            | Fault::Freed(_)
            | Fault::Gone(_)
            | Fault::DoubleFree(_)
            | Fault::BadFree(_)
            | Fault::Constant(_)
            | Fault::Misaligned(_)
            | Fault::NotAFunction(_)
            | Fault::Lock(_) => Check::Memory,
            Fault::Unset(_) => Check::Unset,
            Fault::DivisionByZero | Fault::DivisionOverflow => Check::Division,
            Fault::Deadlock => Check::Deadlock,
        }
    }
}

/// A violation: the fault, the thread, and where it stands, the innermost call first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The fault.
    pub fault: Fault,
    /// The thread.
    pub thread: usize,
    /// The instruction and the calls that lead to it.
    pub places: Vec<Place>,
}

/// A limit of the machine.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Threads.
    Threads,
    /// Objects of one thread, or their size.
    Memory,
    /// Nested calls.
    Stack,
}

/// Why an execution does not continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// It violates something.
    Violation(Box<Violation>),
    /// It does something that cannot be executed.
    Refused(Box<Refusal>),
    /// It exceeds a limit of the machine.
    Limit(Limit),
    /// The budget ended in the middle of it: nothing is known of the state.
    Stopped(Stop),
    /// The step cannot be made now.
    Blocked,
    /// An assumption of the program fails: the execution ends here without a verdict.
    Infeasible,
    /// The instruction is visible, and another action must do it. It must not have changed anything.
    Late,
    /// A thread reached an object that it should not know: no object may count as private.
    NothingIsPrivate,
    /// The program could notice here whether a new object has the address of a freed one, and that is not tried.
    ReuseMatters,
    /// A copy needs to know where scalars begin, because other threads can access parts of the copied bytes.
    BordersMatter,
}
