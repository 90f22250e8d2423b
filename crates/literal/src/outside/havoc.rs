//! Memory whose contents the program leaves open. It is written piece by piece as by a copy, and each piece holds any number.

use super::pieces::fill_with;
use super::{Done, Outside};
use crate::machine::Run;
use crate::value::{ObjectId, Scalar};
use crate::violation::Halt;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "__VERIFIER_nondet_memory" | "__CPROVER_havoc_slice" => |run, a| {
            let length = a.int(run, 1)?;
            open(run, a.scalar(0), length)
        },
        "__CPROVER_havoc_object" => |run, a| {
            let within = a.scalar(0);
            let (id, offset) = run.resolve(within, 1)?;
            let length = run.size_of(id);
            open(run, Scalar { bits: within.bits - offset, of: id, ..within }, length)
        },
        _ => return None,
    })
}

fn open(run: &mut Run<'_, '_, '_>, to: Scalar, length: u64) -> Result<Done, Halt> {
    let done = fill_with(run, to, length, &mut |run, size| run.any_int(8 * size, true))?;
    Ok(if done { Done::Returns(None) } else { Done::Waits })
}

impl Run<'_, '_, '_> {
    /// How many bytes an object has.
    pub(super) fn size_of(&self, id: ObjectId) -> u64 {
        let program = self.machine.program;
        let of_global = || program.global_of_object(id).map(|global| program.globals()[global as usize].size);
        self.state.object(id).map(|object| object.size).or_else(of_global).unwrap_or(0)
    }
}
