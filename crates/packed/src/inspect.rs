//! What can be said of one packed state: its values, whether it is final, whether it violates a property.

use fencewright_base::Int;
use fencewright_ir::{CellId, StateAtom};

use crate::buffer::is_empty;
use crate::code::Escape;
use crate::compile::{Buffer, CompiledThread, StateCode};
use crate::goals::Goal;
use crate::step::{PackedSystem, Worker};
use crate::values::{Number, Slot};

impl PackedSystem<'_> {
    /// Whether all threads have ended and nothing is pending.
    pub fn is_final<const W: usize>(&self, state: &[u64; W]) -> bool {
        self.compiled.threads.iter().all(|thread| {
            thread.locations[thread.location.get(state) as usize].is_end() && is_empty(&thread.buffer, state)
        })
    }

    /// The value stored as `raw` in the slot.
    pub(crate) fn decode(&self, worker: &mut Worker<'_>, slot: &Slot, raw: u64) -> Int {
        slot.coding.decode(raw, &mut worker.values).to_int()
    }

    /// The value of a part of the state.
    pub fn value<const W: usize>(&self, worker: &mut Worker<'_>, state: &[u64; W], atom: &StateAtom) -> Int {
        self.value_of(worker, state, atom).to_int()
    }

    /// As `value`, without making an integer of any size of it.
    pub(crate) fn value_of<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        state: &[u64; W],
        atom: &StateAtom,
    ) -> Number {
        match *atom {
            StateAtom::Register(thread, reg) => {
                let slot = &self.compiled.threads[thread.0 as usize].regs[reg.0 as usize];
                slot.coding.decode(slot.field.get(state), &mut worker.values)
            }
            StateAtom::Cell(cell) => {
                let slot = &self.compiled.cells[cell.0 as usize];
                slot.coding.decode(slot.field.get(state), &mut worker.values)
            }
            StateAtom::At(thread, loc) => {
                let here = self.compiled.threads[thread.0 as usize].location.get(state);
                Number::Small(i64::from(here == u64::from(loc.0)))
            }
        }
    }

    /// Whether the condition holds. One without a value, such as a division by zero, does not.
    pub fn holds<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        state: &[u64; W],
        condition: &StateCode,
    ) -> bool {
        let StateCode { code, atoms } = condition;
        let mut value = |atom: u16| self.value_of(worker, state, &atoms[atom as usize]);
        let small = code.eval(state, &mut |atom| match value(atom) {
            Number::Small(value) => Some(value),
            Number::Big(_) => None,
        });
        match small {
            Ok(value) => value != 0,
            Err(Escape::Fault) => false,
            Err(Escape::Wide) => {
                code.eval_exact(&mut |atom| value(atom).to_int()).is_ok_and(|value| value.is_true())
            }
        }
    }

    /// G-9: whether the state violates a property.
    #[inline]
    pub fn violates<const W: usize>(&self, worker: &mut Worker<'_>, state: &[u64; W]) -> bool {
        let forbidden = self.compiled.forbidden.iter().any(|table| {
            let here = |(set, thread): (&Vec<u64>, &CompiledThread)| set[thread.location.get(state) as usize];
            table.sets.iter().zip(&self.compiled.threads).map(here).fold(u64::MAX, |all, set| all & set) != 0
        });
        forbidden
            || self.compiled.goals.iter().any(|goal| match goal {
                Goal::Not(condition) => !self.holds(worker, state, condition),
                Goal::Final { condition, filter, bad } => {
                    self.is_final(state)
                        && filter.as_ref().is_none_or(|filter| self.holds(worker, state, filter))
                        && self.holds(worker, state, condition) == *bad
                }
            })
    }

    /// How many writes the thread has pending for the cell.
    pub fn pending_for<const W: usize>(&self, t: usize, cell: CellId, state: &[u64; W]) -> u32 {
        let thread = &self.compiled.threads[t];
        let Some(place) = thread.place_of[cell.0 as usize].map(usize::from) else { return 0 };
        match &thread.buffer {
            Buffer::None => 0,
            Buffer::Single(queue) => {
                (0..queue.len(state)).filter(|&i| queue.get(state, i).tag == place as u64 + 1).count() as u32
            }
            Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => queues[place].len(state),
        }
    }

    /// How many writes the thread has pending.
    pub fn pending<const W: usize>(&self, t: usize, state: &[u64; W]) -> u32 {
        match &self.compiled.threads[t].buffer {
            Buffer::None => 0,
            Buffer::Single(queue) => queue.len(state),
            Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => {
                queues.iter().map(|queue| queue.len(state)).sum()
            }
        }
    }

    /// How many store buffers the thread has that can ever hold a write: one, one for each cell it writes to, or none,
    /// as the model says.
    pub fn n_buffers(&self, t: usize) -> usize {
        match &self.compiled.threads[t].buffer {
            Buffer::None => 0,
            Buffer::Single(_) => usize::from(!self.compiled.threads[t].buffered.is_empty()),
            Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => queues.len(),
        }
    }

    /// Which of the thread's buffers a write to the cell waits in. Panics if the thread writes to no such cell.
    pub fn buffer_of(&self, t: usize, cell: CellId) -> usize {
        let thread = &self.compiled.threads[t];
        match &thread.buffer {
            Buffer::None | Buffer::Single(_) => 0,
            Buffer::PerCell { .. } | Buffer::Slots(_) => {
                usize::from(thread.place_of[cell.0 as usize].expect("the thread writes to the cell"))
            }
        }
    }

    /// The number of the location where the thread stands.
    pub fn location<const W: usize>(&self, t: usize, state: &[u64; W]) -> usize {
        self.compiled.threads[t].location.get(state) as usize
    }

    /// Whether the thread has nothing pending in that buffer.
    pub fn buffer_is_empty<const W: usize>(&self, t: usize, buffer: usize, state: &[u64; W]) -> bool {
        match &self.compiled.threads[t].buffer {
            Buffer::None => true,
            Buffer::Single(queue) => queue.is_empty(state),
            Buffer::PerCell { queues, .. } | Buffer::Slots(queues) => queues[buffer].is_empty(state),
        }
    }
}
