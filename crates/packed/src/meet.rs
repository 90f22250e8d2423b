//! Rendezvous on packed states: two threads move together (rule G-11).

use smallvec::SmallVec;

use crate::compile::{CompiledHalf, CompiledTarget, CompiledThread};
use crate::step::{Halt, Interrupt, PackedSystem, Worker, arrive};
use crate::trail::{Sink, Trail};
use crate::values::Number;

type Sent = SmallVec<[Number; 2]>;

impl PackedSystem<'_> {
    /// Gives every state that the sender's edge leads to with some receiver. If a thread is committed, one of the two
    /// must be (G-12).
    pub(crate) fn meet<const W: usize, T: Trail>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        send: &CompiledHalf,
        committed: bool,
        state: &[u64; W],
        sink: &mut impl Sink<W, T>,
    ) -> Result<(), Interrupt> {
        let threads = &self.compiled.threads;
        let here = |thread: &CompiledThread| thread.location.get(state) as usize;
        let sender_is_committed = threads[t].locations[here(&threads[t])].committed;
        // What the sender sees is the same whoever receives.
        let mut looked = *state;
        let mut sent: Option<Result<Sent, Halt>> = None;
        let mut sender_has_no_room = false;
        for &r in self.compiled.receivers[send.channel].iter().filter(|r| **r != t) {
            let receiver = &threads[r];
            let location = &receiver.locations[here(receiver)];
            if committed && !sender_is_committed && !location.committed {
                continue;
            }
            for receive in location.receives.iter().filter(|receive| receive.channel == send.channel) {
                let met_capacity_before = std::mem::take(&mut worker.met_capacity_in);
                let sent = sent.get_or_insert_with(|| self.sent(worker, t, send, &mut looked));
                sender_has_no_room |= worker.met_capacity_in != 0;
                let mut next = looked;
                let met = match sent {
                    Ok(values) => self.hand_over(worker, (t, send), (r, receive), values, &mut next),
                    Err(Halt::Interrupt(interrupt)) => return Err(*interrupt),
                    Err(Halt::Violates) => Err(Halt::Violates),
                    Err(Halt::Faults) => Err(Halt::Faults),
                    Err(Halt::Blocked | Halt::Waits) => Err(Halt::Blocked),
                };
                if sender_has_no_room || worker.met_capacity_in != 0 {
                    // Whoever has no room keeps both from what they could do together.
                    let bit = |t: usize| 1u128.checked_shl(t as u32).unwrap_or(0);
                    worker.met_capacity_in |= bit(t) | bit(r);
                }
                worker.met_capacity_in |= met_capacity_before;
                let trail = || {
                    let mut trail = T::default();
                    trail.rendezvous((t, send.edge.id), (r, receive.edge.id));
                    trail
                };
                match met {
                    Ok(()) => sink.state(&next, trail()),
                    Err(Halt::Violates) => sink.violation(trail()),
                    Err(Halt::Faults) => {
                        worker.failing |= 1 << (t % 128) | 1 << (r % 128);
                        sink.violation(trail());
                    }
                    Err(Halt::Blocked | Halt::Waits) => {}
                    Err(Halt::Interrupt(interrupt)) => return Err(interrupt),
                }
            }
        }
        Ok(())
    }

    /// What the sender does before the values pass, and the values.
    fn sent<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        t: usize,
        send: &CompiledHalf,
        state: &mut [u64; W],
    ) -> Result<Sent, Halt> {
        let thread = &self.compiled.threads[t];
        self.operate(worker, t, thread, &send.edge, &send.edge.ops[..send.before], 0, state)?;
        send.values.iter().map(|value| self.eval(worker, thread, value, state)).collect()
    }

    fn hand_over<const W: usize>(
        &self,
        worker: &mut Worker<'_>,
        (t, send): (usize, &CompiledHalf),
        (r, receive): (usize, &CompiledHalf),
        values: &Sent,
        state: &mut [u64; W],
    ) -> Result<(), Halt> {
        let (sender, receiver) = (&self.compiled.threads[t], &self.compiled.threads[r]);
        let before = &receive.edge.ops[..receive.before];
        let mut longest = self.operate(worker, r, receiver, &receive.edge, before, 0, state)?;
        for (target, value) in receive.targets.iter().zip(values) {
            match target {
                CompiledTarget::Register(reg) => {
                    let slot = &receiver.regs[*reg as usize];
                    let raw = self.encode_number(worker, value.clone(), slot)?;
                    slot.field.set(state, raw);
                }
                CompiledTarget::Memory(addr) => {
                    let cell = self.cell(worker, receiver, &receive.edge, addr, state)?;
                    let raw = self.encode_number(worker, value.clone(), &self.compiled.cells[cell])?;
                    longest = longest.max(self.write(worker, r, None, cell, raw, state)?);
                }
            }
        }
        let behind = &send.edge.ops[send.before..];
        longest = longest.max(self.operate(worker, t, sender, &send.edge, behind, 0, state)?);
        arrive(sender, &send.edge, state);
        let behind = &receive.edge.ops[receive.before..];
        longest = longest.max(self.operate(worker, r, receiver, &receive.edge, behind, 0, state)?);
        arrive(receiver, &receive.edge, state);
        worker.longest = worker.longest.max(longest);
        Ok(())
    }
}
