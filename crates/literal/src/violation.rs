//! What can be wrong with an execution.

use fencewright_base::Stop;

use crate::object::ObjectKind;
use crate::refusal::{Place, Refusal};
use crate::value::ObjectId;

/// A kind of error that can be looked for, or not.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// Assertions, panics, `abort`, uncaught exceptions, `unreachable`.
    Assertions,
    /// Null, wild, outside an object, freed memory, double and foreign frees, misaligned atomics.
    Memory,
    /// Unset bits that reach a branch, an address, a property or output.
    Unset,
    /// Division by zero.
    Division,
    /// Nobody can go on, and somebody has not ended.
    Deadlock,
}

impl Check {
    /// All of them.
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
    /// An assertion fails; its text, if it is known.
    Assertion(Option<String>),
    /// A panic, with its message if it is known.
    Panic(Option<String>),
    /// `abort`, `reach_error` and their like, by name.
    Abort(String),
    /// An exception that nobody catches.
    UncaughtException,
    /// An instruction that must not be reached.
    Unreachable,
    /// An access through a null pointer.
    Null,
    /// An access to an address at which there is nothing.
    Wild(u64),
    /// An access outside the object that the address was made from.
    OutOfBounds {
        /// The object.
        object: ObjectId,
        /// Bytes from its start.
        offset: i64,
        /// Bytes that are accessed.
        size: u64,
        /// Bytes that it has.
        of: u64,
    },
    /// An access to memory that was freed.
    Freed(ObjectId),
    /// An access to a local variable of a function that has returned.
    Gone(ObjectId),
    /// Memory is freed a second time.
    DoubleFree(ObjectId),
    /// What is freed was not allocated.
    BadFree(u64),
    /// A write to a constant.
    Constant(ObjectId),
    /// An atomic access at an address that is not a multiple of its size.
    Misaligned(u64),
    /// A call of something that is no function.
    NotAFunction(u64),
    /// Unset bits matter: where they do.
    Unset(Use),
    /// Division by zero.
    DivisionByZero,
    /// The smallest number divided by minus one.
    DivisionOverflow,
    /// Nobody can go on.
    Deadlock,
    /// A lock is used against its rules; how.
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
    /// The use of an object that has ended.
    pub(crate) fn of_ended(kind: ObjectKind, object: ObjectId) -> Self {
        if kind == ObjectKind::Heap { Fault::Freed(object) } else { Fault::Gone(object) }
    }

    /// The check that it belongs to.
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

/// A violation: what is wrong, in which thread, and where it stands, the innermost call first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
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

/// Why an execution does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// It violates something.
    Violation(Box<Violation>),
    /// It does something that cannot be executed.
    Refused(Box<Refusal>),
    /// It needs more than there is.
    Limit(Limit),
    /// The budget ended in the middle of it: nothing is known of the state.
    Stopped(Stop),
    /// The step cannot be made now.
    Blocked,
    /// An assumption of the program does not hold: it is no execution.
    Infeasible,
    /// The instruction is visible, and another action has to do it; it has changed nothing.
    Late,
    /// An object was reached by a thread that could not know of it: nothing may be taken to be private.
    NothingIsPrivate,
    /// Whether a new object got the address of a freed one could make a difference here, and it is not tried.
    ReuseMatters,
}
