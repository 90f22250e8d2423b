//! Library calls for atomic accesses that the processor may lack: those of sixteen bytes, by address.
//!
//! *Limit:* other sizes are refused, because how the library protects them is not specified.

use super::{Arguments, Done, Outside, refuse};
use crate::footprint::Touch;
use crate::machine::Run;
use crate::value::{Scalar, Wide};
use crate::violation::Halt;
use crate::wide::{SIZE, halves, joined};

const RELEASE: u64 = 3;
const SEQ_CST: u64 = 5;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "__atomic_is_lock_free" => |run, a| Ok(super::one_of_many(run, (a.int(run, 0)? <= 16).into())),
        "__atomic_load" => |run, a| {
            check(run, a, &[2])?;
            let (id, offset) = run.resolve(a.scalar(1), SIZE.into())?;
            let Some(found) = run.wide_load(id, offset)? else { return Ok(Done::Waits) };
            put(run, a.scalar(2), found)?;
            Ok(Done::Returns(None))
        },
        "__atomic_store" => |run, a| {
            check(run, a, &[2])?;
            let value = take(run, a.scalar(2))?;
            let is_full = a.int(run, 3)? == SEQ_CST;
            let stored = run.wide_store(a.scalar(1), value, is_full)?;
            Ok(if stored { Done::Returns(None) } else { Done::Waits })
        },
        "__atomic_exchange" => |run, a| {
            check(run, a, &[2, 3])?;
            let value = take(run, a.scalar(2))?;
            let is_full = a.int(run, 4)? >= RELEASE;
            let Some(old) = run.wide_update(a.scalar(1), is_full, &mut |_, _| Ok(Some(value)))? else {
                return Ok(Done::Waits);
            };
            put(run, a.scalar(3), old)?;
            Ok(Done::Returns(None))
        },
        "__atomic_compare_exchange" => |run, a| {
            check(run, a, &[2, 3])?;
            let (expected, new) = (take(run, a.scalar(2))?, take(run, a.scalar(3))?);
            let is_full = a.int(run, 4)?.max(a.int(run, 5)?) >= RELEASE;
            let mut hit = false;
            let old = run.wide_update(a.scalar(1), is_full, &mut |run, old| {
                hit = run.wide_equal(old, expected)?;
                Ok(hit.then_some(new))
            })?;
            let Some(old) = old else { return Ok(Done::Waits) };
            if !hit {
                put(run, a.scalar(2), old)?;
            }
            Ok(Done::ReturnsInt(hit.into()))
        },
        _ => return None,
    })
}

/// Accepts only sixteen bytes. The other operands must be private to the thread, because they are accessed in the same step.
fn check(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, places: &[usize]) -> Result<(), Halt> {
    if a.int(run, 0)? != u64::from(SIZE) {
        return Err(refuse(run, a, "an atomic access of this size"));
    }
    for place in places {
        let (id, offset) = run.resolve(a.scalar(*place), SIZE.into())?;
        if run.is_visible(id, offset, SIZE.into(), Touch::WRITE) {
            return Err(refuse(run, a, "an atomic access from or to memory that others see"));
        }
    }
    Ok(())
}

fn take(run: &mut Run<'_, '_, '_>, from: Scalar) -> Result<Wide, Halt> {
    let (id, offset) = run.resolve(from, SIZE.into())?;
    let mut half = |at: u64| -> Result<Scalar, Halt> {
        Ok(match run.own(id, at, SIZE / 2) {
            crate::buffer::Found::Whole(value) => run.known(value),
            _ => run.memory(id, at, SIZE / 2)?,
        })
    };
    Ok(joined(half(offset)?, half(offset + 8)?))
}

fn put(run: &mut Run<'_, '_, '_>, to: Scalar, value: Wide) -> Result<(), Halt> {
    let (id, offset) = run.resolve(to, SIZE.into())?;
    for (half, at) in halves(value).into_iter().zip([offset, offset + 8]) {
        run.set_memory(id, at, SIZE / 2, half)?;
    }
    Ok(())
}
