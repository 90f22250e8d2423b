//! The world outside: functions without a body in the program, one rule each. Complicated functions that need nothing from the
//! machine are written in LLVM IR instead, in `prelude.ll` and `library.ll`.
//!
//! *Limit:* a function that is neither defined nor listed here is refused by name.

mod bytes;
mod checkers;
mod conditions;
mod cprover;
mod cxx;
mod environment;
pub(crate) mod external;
mod format;
mod havoc;
mod heap;
mod input;
mod intrinsics;
mod locks;
mod output;
pub(crate) mod owned;
mod pieces;
mod print;
mod signals;
mod strings;
mod system;
mod threads;
mod wide;

use std::rc::Rc;

use fencewright_llvm::module::Predicate;

pub(crate) use locks::BARRIER;

use crate::layout::{Kind, Shape};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::step::scalar_of;
use crate::value::{Scalar, Value};
use crate::violation::{Fault, Halt, Use};

/// Functions built on those of the table, written in LLVM IR and in C (`library.c`). The user's own definitions replace them.
pub const PRELUDE: &str = concat!(include_str!("prelude.ll"), include_str!("library.ll"));

/// The call of an outside function.
pub(crate) struct Arguments<'a> {
    /// The arguments and their shapes.
    pub(crate) args: &'a [(Value, Rc<Shape>)],
    /// The shape of what it returns.
    pub(crate) ret: Option<&'a Rc<Shape>>,
    /// Its name.
    pub(crate) name: &'a str,
}

impl Arguments<'_> {
    /// An argument as it is; poison if there is none.
    fn scalar(&self, number: usize) -> Scalar {
        self.args.get(number).map_or(Scalar::poison(64), |(value, _)| scalar_of(value))
    }

    /// Whether an argument is not zero.
    fn truth(&self, run: &mut Run<'_, '_, '_>, number: usize) -> Result<bool, Halt> {
        match (self.args.get(number), self.scalar(number)) {
            (Some((value, shape)), scalar) if scalar.open.is_some() => {
                let width = 8 * shape.size() as u32;
                Ok(run.open_compare(Predicate::Ne, width, value, &Value::int(0)).bits == 1)
            }
            _ => Ok(self.int(run, number)? != 0),
        }
    }

    /// An argument whose value matters; it must be set.
    fn int(&self, run: &Run<'_, '_, '_>, number: usize) -> Result<u64, Halt> {
        let scalar = self.scalar(number);
        if scalar.is_set() { Ok(scalar.bits) } else { Err(run.fault(Fault::Unset(Use::Argument))) }
    }
}

/// What an outside function did.
pub(crate) enum Done {
    /// Returns this.
    Returns(Option<Value>),
    /// Returns a number, in whatever width is declared.
    ReturnsInt(u64),
    /// Has to wait; it must not have changed anything.
    Waits,
    /// Has changed where the thread stands.
    Entered,
    /// The thread waits to be woken, or has ended.
    Parked,
}

/// The rule of an outside function.
pub(crate) type Outside = fn(&mut Run<'_, '_, '_>, &Arguments<'_>) -> Result<Done, Halt>;

/// The rule for a function name. A function with a body in the program has a rule here only if its name fixes its meaning.
pub(crate) fn look_up(name: &str, has_body: bool) -> Option<Outside> {
    if has_body {
        return checkers::in_spite_of_body(name);
    }
    intrinsics::look_up(name)
        .or_else(|| havoc::look_up(name))
        .or_else(|| cprover::look_up(name))
        .or_else(|| checkers::look_up(name))
        .or_else(|| threads::look_up(name))
        .or_else(|| locks::look_up(name))
        .or_else(|| conditions::look_up(name))
        .or_else(|| heap::look_up(name))
        .or_else(|| bytes::look_up(name))
        .or_else(|| strings::look_up(name))
        .or_else(|| system::look_up(name))
        .or_else(|| environment::look_up(name))
        .or_else(|| signals::look_up(name))
        .or_else(|| cxx::look_up(name))
        .or_else(|| input::look_up(name))
        .or_else(|| format::look_up(name))
        .or_else(|| wide::look_up(name))
        .or_else(|| output::look_up(name))
}

/// Whether an argument may be passed as an open value: the function only checks whether it is zero, keeps it, or drops it.
pub(crate) fn keeps_open(name: &str, place: usize) -> bool {
    checkers::is_condition(name, place)
        || output::drops(name, place)
        || name.starts_with("llvm.expect.")
        || name.starts_with("llvm.abs.") && place == 0
        || name.starts_with("llvm.ucmp.")
        || name.starts_with("llvm.scmp.")
        || name == "pthread_create" && place == 3
}

/// Whether the program uses the result of the call.
fn is_used(run: &Run<'_, '_, '_>) -> bool {
    let frame = run.top();
    let dst = frame.function.code[frame.pc as usize].dst;
    dst.is_some_and(|dst| frame.function.live_before(frame.pc + 1)[dst as usize])
}

/// Any number between the two, if the program uses it.
fn any_of(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, low: i128, high: i128) -> Done {
    let bits = match a.ret.map(|shape| &**shape) {
        Some(Shape::Scalar(Kind::Int(bits), _)) if *bits <= 64 => *bits,
        _ => return Done::Returns(None),
    };
    if low == high || !is_used(run) {
        return Done::ReturnsInt(low as u64);
    }
    Done::Returns(Some(run.any_between(low, high, bits).into()))
}

/// One of the values that a system function may return; a pass is bounded if the program uses it.
fn one_of_many(run: &mut Run<'_, '_, '_>, value: u64) -> Done {
    run.notes.partly.values |= is_used(run);
    Done::ReturnsInt(value)
}

/// Refuses a function, and names the way out.
fn refuse(run: &Run<'_, '_, '_>, a: &Arguments<'_>, what: &str) -> Halt {
    let refusal = Refusal::new(format!("`{}`: {what}", a.name));
    run.refuse(
        refusal.help(format!("say what it does with --stub {0}=any, {0}=nothing or {0}=abort", a.name)),
    )
}

/// Returns zero and does nothing else.
fn zero(_: &mut Run<'_, '_, '_>, arguments: &Arguments<'_>) -> Result<Done, Halt> {
    Ok(match arguments.ret {
        Some(shape) => Done::Returns(Some(crate::object::zero(shape))),
        None => Done::Returns(None),
    })
}
