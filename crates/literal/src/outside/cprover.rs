//! CBMC's fence, and its questions about objects.

use super::bytes::text;
use super::{Arguments, Done, Outside, refuse};
use crate::buffer::Model;
use crate::machine::Run;
use crate::value::ObjectId;
use crate::violation::Halt;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "__CPROVER_fence" => fence,
        "__CPROVER_same_object" => |run, a| {
            let (x, y) = (object(run, a, 0)?, object(run, a, 1)?);
            Ok(Done::ReturnsInt((x == y).into()))
        },
        "__CPROVER_OBJECT_SIZE" => |run, a| {
            let id = object(run, a, 0)?;
            Ok(Done::ReturnsInt(if id.is_some() { run.size_of(id) } else { 0 }))
        },
        _ => return None,
    })
}

/// The object of an address; none for null.
fn object(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, place: usize) -> Result<ObjectId, Halt> {
    let (address, bits) = (a.scalar(place), a.int(run, place)?);
    if bits == 0 || address.of.is_some() && run.state.object(address.of).is_none_or(|object| !object.ended) {
        return Ok(if bits == 0 { ObjectId::NONE } else { address.of });
    }
    Err(refuse(run, a, "an address of no object"))
}

/// What a fence orders is said by texts: of two kinds of accesses, earlier ones of the first kind come before later ones of the
/// second.
fn fence(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let (mut store_load, mut store_store) = (false, false);
    for place in 0..a.args.len() {
        let from = a.scalar(place);
        if !from.is_set() || !run.is_constant(from.of) {
            return Err(refuse(run, a, "a fence whose kind is not a text in the program"));
        }
        let Some(kind) = text(run, from)? else { return Ok(Done::Waits) };
        match &kind[..] {
            b"WRfence" => store_load = true,
            b"WWfence" => store_store = true,
            // Loads are in order, and a write that one other thread sees all of them see.
            b"RRfence" | b"RWfence" | b"WWcumul" | b"WRcumul" | b"RWcumul" | b"RRcumul" => {}
            _ => return Err(refuse(run, a, "a fence of a kind that is not known")),
        }
    }
    match (store_load, store_store) {
        // Later stores could still pass earlier ones; to wait for all of them would order too much.
        (true, false) if run.machine.settings.model == Model::Pso => {
            Err(refuse(run, a, "a fence between stores and loads that does not order stores"))
        }
        (true, _) => Ok(if run.waits_for_writes()? { Done::Returns(None) } else { Done::Waits }),
        (false, true) => {
            run.mark()?;
            Ok(Done::Returns(None))
        }
        (false, false) => Ok(Done::Returns(None)),
    }
}
