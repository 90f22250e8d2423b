//! Signals. No signal is ever sent. So a handler may be set only for signals that an error of the program itself raises, and
//! such an error is already a violation. Any other handler could run at any time, and is refused by name.

use super::threads::claim;
use super::{Arguments, Done, Outside, refuse, zero};
use crate::machine::Run;
use crate::state::Part;
use crate::value::Scalar;
use crate::violation::Halt;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "signal" => |run, a| {
            let (signal, handler) = (a.int(run, 0)?, a.int(run, 1)?);
            if !is_harmless(signal, handler) {
                return Err(refuse(run, a, "a function that a signal calls"));
            }
            // The first time, the previous handler is the default.
            let key = format!("signal {signal}").into_bytes().into_boxed_slice();
            if run.state.process.environment.iter().any(|(known, _)| *known == key) {
                return Ok(super::one_of_many(run, 0));
            }
            Part::edit(&mut run.state.process).environment.push((key, true));
            Ok(Done::ReturnsInt(0))
        },
        "sigaction" => action,
        "sigaltstack" | "sigemptyset" | "sigaddset" | "sigfillset" | "sigdelset" | "sigprocmask"
        | "pthread_sigmask" => zero,
        _ => return None,
    })
}

/// Whether the handler can only run in a program that is already in error.
fn is_harmless(signal: u64, handler: u64) -> bool {
    const DEFAULT: u64 = 0;
    const IGNORED: u64 = 1;
    const ILLEGAL: u64 = 4;
    const TRAP: u64 = 5;
    const ABORT: u64 = 6;
    const BUS: u64 = 7;
    const ARITHMETIC: u64 = 8;
    const SEGMENT: u64 = 11;
    let is_of_error = [ILLEGAL, TRAP, ABORT, BUS, ARITHMETIC, SEGMENT].contains(&signal);
    is_of_error || handler == DEFAULT || handler == IGNORED
}

/// The first word of the structure is the handler.
fn action(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const SIZE: u64 = 152;
    let (signal, new, old) = (a.int(run, 0)?, a.scalar(1), a.scalar(2));
    if new.bits != 0 {
        let (id, offset) = run.resolve(new, 8)?;
        let handler = run.memory(id, offset, 8)?;
        if !handler.is_set() || !is_harmless(signal, handler.bits) {
            return Err(refuse(run, a, "a function that a signal calls"));
        }
    }
    if old.bits != 0 {
        claim(run, old, SIZE)?;
        let (id, offset) = run.resolve(old, SIZE)?;
        for at in 0..SIZE / 8 {
            run.set_memory(id, offset + 8 * at, 8, Scalar::int(0))?;
        }
    }
    Ok(Done::ReturnsInt(0))
}
