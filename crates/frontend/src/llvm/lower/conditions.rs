//! Condition variables of POSIX, C11, C++ and Rust.
//!
//! All of them may wake a waiter for no reason, and all of them say so. So waiting gives back the mutex and takes it again,
//! whenever it is free, and signals do nothing: every execution with its signals is one of these. What is proved holds
//! with any implementation; a violation that needs a wake-up for no reason is one that the standards allow. That somebody
//! is never woken is not seen, because nothing that is checked here speaks of waiting for ever.

use fencewright_ir::BinaryOp;
use smallvec::smallvec;

use super::calls::Effect;
use super::expr;
use super::interpret::temp_key;
use super::library::first;
use super::machine::{Machine, ROp, RegKey, Run, Scalar, Work};
use super::operands::Scalars;
use super::value::{Known, Value};
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{Inst, Order, Type};

/// What a function does with a condition variable.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Operation {
    /// Waits with the mutex whose address is the second argument.
    Wait,
    /// Waits with the mutex whose address stands in the lock that is the second argument.
    WaitWithLock,
    /// Waits like the first, and gives this if it has taken too long, else 0.
    WaitAtMost(i128),
    /// Makes one, wakes somebody, or cleans up.
    Nothing,
}

fn operation(name: &str) -> Option<Operation> {
    // `ETIMEDOUT` of Linux, and `thrd_timedout` of its C library.
    const TIMED_OUT: i128 = 110;
    const THREAD_TIMED_OUT: i128 = 4;
    Some(match name {
        "pthread_cond_wait" | "cnd_wait" => Operation::Wait,
        "pthread_cond_timedwait" | "pthread_cond_clockwait" => Operation::WaitAtMost(TIMED_OUT),
        "cnd_timedwait" => Operation::WaitAtMost(THREAD_TIMED_OUT),
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE" => Operation::WaitWithLock,
        "pthread_cond_init"
        | "pthread_cond_destroy"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_condattr_setclock"
        | "pthread_condattr_setpshared"
        | "cnd_init"
        | "cnd_destroy"
        | "cnd_signal"
        | "cnd_broadcast" => Operation::Nothing,
        _ if name.starts_with("_ZNSt18condition_variable") => {
            let known = ["10notify_oneEv", "10notify_allEv", "C1Ev", "C2Ev", "D1Ev", "D2Ev"];
            return known.iter().any(|end| name.ends_with(end)).then_some(Operation::Nothing);
        }
        _ if name.contains("7condvar") && (name.starts_with("_R") || name.starts_with("_ZN")) => {
            // The part of the library that has no body here; what is generic around it is in the module.
            let has = |function: &str| name.contains(function);
            if has("10notify_one") || has("10notify_all") {
                Operation::Nothing
            } else if has("5futex") && has("7Condvar4wait") {
                Operation::Wait
            } else {
                return None;
            }
        }
        _ => return None,
    })
}

impl Machine<'_> {
    /// A call that is about a condition variable.
    pub(super) fn condition(
        &mut self,
        w: &mut Work,
        name: &str,
        inst: &Inst,
        args: &[Scalars],
        ret: &Type,
    ) -> Run<Option<Effect>> {
        let Some(operation) = operation(name) else { return Ok(None) };
        let second = first(args, 1).unwrap_or_else(|| Scalar::int(0, 64));
        let mutex = match operation {
            Operation::Nothing => return Ok(Some(Effect::Value(self.zeros(ret)))),
            Operation::Wait | Operation::WaitAtMost(_) => Some(second),
            Operation::WaitWithLock => {
                self.load(w, &second, ScalarKind::Pointer, 8, RegKey::Scratch(4_000_003))?
            }
        };
        let Some(mutex) = mutex else { return Ok(Some(Effect::Fails)) };
        if !self.store(w, &mutex, &Scalar::int(0, 32), 4, Order::SeqCst)? {
            return Ok(Some(Effect::Fails));
        }
        self.acquire(w, &mutex, false)?;
        let Operation::WaitAtMost(late) = operation else {
            return Ok(Some(Effect::Value(self.zeros(ret))));
        };
        let known = Known::truth();
        let is_late = self.reg(temp_key(inst, w.at, 0), &known, 1);
        w.emit(ROp::Havoc { dst: is_late });
        let chosen = expr::choose(
            expr::binary(BinaryOp::Ne, expr::reg(is_late), expr::int(0)),
            expr::int(late),
            expr::int(0),
        );
        let result = known.map(&|value| Some(if value == Value::Int(0) { value } else { Value::Int(late) }));
        Ok(Some(Effect::Value(smallvec![Scalar::new(result.unwrap_or(Known::ANY), chosen, 32)])))
    }
}
