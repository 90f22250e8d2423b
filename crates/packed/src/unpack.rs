//! Packed states as the reference semantics writes them.

use fencewright_base::{IndexVec, Int};
use fencewright_ir::{CellId, LocId, RegId};
use fencewright_memory::{Pending, State};

use crate::compile::{Buffer, Compiled};
use crate::step::{PackedSystem, Worker};
use crate::values::Slot;

/// The state, as the reference semantics writes it.
pub fn unpack<const W: usize>(system: &PackedSystem<'_>, worker: &mut Worker<'_>, state: &[u64; W]) -> State {
    let Compiled { options, threads, cells, .. } = system.compiled;
    let mut stored = |slot: &Slot| system.decode(worker, slot, slot.field.get(state));
    let registers: Vec<IndexVec<RegId, Int>> =
        threads.iter().map(|thread| thread.regs[..thread.n_regs].iter().map(&mut stored).collect()).collect();
    let memory: Vec<Int> = cells.iter().map(&mut stored).collect();
    let locations: Vec<LocId> =
        threads.iter().map(|thread| LocId(thread.location.get(state) as u32)).collect();
    let mut pending = Vec::new();
    for thread in threads {
        let mut write = |cell: CellId, raw: u64| (cell, system.decode(worker, &cells[cell.0 as usize], raw));
        let queues: Vec<Vec<Option<(CellId, Int)>>> = match &thread.buffer {
            Buffer::None => Vec::new(),
            Buffer::Single(queue) => {
                let entries = (0..queue.len(state)).map(|i| queue.get(state, i));
                vec![
                    entries
                        .map(|entry| Some(write(thread.buffered[entry.tag as usize - 1], entry.raw)))
                        .collect(),
                ]
            }
            Buffer::Slots(queues) => {
                let full = queues.iter().zip(&thread.buffered).filter(|(queue, _)| !queue.is_empty(state));
                full.map(|(queue, &cell)| vec![Some(write(cell, queue.get(state, 0).raw))]).collect()
            }
            Buffer::PerCell { queues, epoch } => {
                let full = queues.iter().zip(&thread.buffered).filter(|(queue, _)| !queue.is_empty(state));
                full.map(|(queue, &cell)| {
                    let mut shown = Vec::new();
                    for here in 0..=epoch.get(state) {
                        if here > 0 {
                            shown.push(None);
                        }
                        let entries = (0..queue.len(state)).map(|i| queue.get(state, i));
                        let of_epoch = entries.filter(|entry| entry.tag == here + 1);
                        shown.extend(of_epoch.map(|entry| Some(write(cell, entry.raw))));
                    }
                    shown
                })
                .collect()
            }
        };
        pending.push(Pending::from_queues(options.model, &queues));
    }
    State {
        locations: locations.into(),
        registers: registers.into(),
        memory: memory.into(),
        pending: pending.into(),
    }
}
