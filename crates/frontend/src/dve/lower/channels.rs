//! Channels that hold messages. They are direct variables: the number of messages, and an array for each value of a
//! message, the oldest message first; what is not in use is 0.

use fencewright_ir::{Addr, BinaryOp, CellId, Domain, Op, Outside, RegExpr};

use super::super::ast::{SyncKind, Type};
use super::domain;
use super::steps::StepBuilder;

impl<'a> StepBuilder<'_, 'a> {
    /// Sends if there is room, or receives if there is a message.
    pub(super) fn buffered(
        &mut self,
        kind: &'a SyncKind,
        len: CellId,
        capacity: u32,
        values: &[CellId],
        types: &[Type],
    ) -> Option<()> {
        let length = self.read(Addr::Cell(len), Domain::range(0, i64::from(capacity)));
        match kind {
            SyncKind::Send(messages) => {
                let room = length.clone().binary(BinaryOp::Lt, RegExpr::constant(i64::from(capacity)));
                self.ops.push(Op::Guard(room));
                let sent =
                    messages.iter().map(|message| self.expr(message, None)).collect::<Option<Vec<_>>>()?;
                for ((&first, ty), value) in values.iter().zip(types).zip(sent) {
                    let value = self.checked(value, *ty);
                    let index = length.clone();
                    self.write(
                        Addr::Indexed { first, len: capacity, index, outside: Outside::Faults },
                        value,
                    );
                }
                self.write(Addr::Cell(len), length.add(RegExpr::constant(1)));
            }
            SyncKind::Receive(places) => {
                self.ops.push(Op::Guard(length.clone().binary(BinaryOp::Gt, RegExpr::constant(0))));
                let targets = places.iter().map(|place| self.target(place)).collect::<Option<Vec<_>>>()?;
                for (((&first, ty), target), place) in values.iter().zip(types).zip(targets).zip(places) {
                    let oldest = self.read(Addr::Cell(first), domain(*ty));
                    let into = self.symbol(&place.name)?.ty;
                    let oldest = self.checked(oldest, into);
                    self.store(target, oldest);
                    for i in 1..capacity {
                        let next = self.read(Addr::Cell(CellId(first.0 + i)), domain(*ty));
                        self.write(Addr::Cell(CellId(first.0 + i - 1)), next);
                    }
                    self.write(Addr::Cell(CellId(first.0 + capacity - 1)), RegExpr::constant(0));
                }
                self.write(Addr::Cell(len), length.sub(RegExpr::constant(1)));
            }
        }
        Some(())
    }
}
