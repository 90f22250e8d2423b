//! `locked { … }`: every way through the block becomes one step.
//!
//! *Contract:* the result is never empty, and each way is the list of its operations with the conditions on the way
//! as guards. More than [`MAX_OPS`] operations in all are reported and cut.

use fencewright_ir::{Expr, Op, RegExpr};

use super::statements::ThreadLowering;
use crate::rmm::ast::{Statement, StatementKind, Strength};
use crate::rmm::codes;

/// How many operations all ways through one block may have together.
const MAX_OPS: usize = 1 << 16;

/// A way through the block.
type Way = Vec<Op>;

impl ThreadLowering<'_, '_> {
    /// The ways through the alternatives of the block `outer`.
    pub(super) fn ways(&mut self, outer: &Statement, alternatives: &[Vec<Statement>]) -> Vec<Way> {
        alternatives.iter().flat_map(|list| self.ways_of_list(outer, list)).collect()
    }

    fn ways_of_list(&mut self, outer: &Statement, list: &[Statement]) -> Vec<Way> {
        let mut ways = vec![Vec::new()];
        for statement in list {
            let next = self.ways_of(outer, statement);
            let n_ops = |ways: &[Way]| ways.iter().map(|way| way.len() + 1).sum::<usize>();
            let size = n_ops(&ways).saturating_mul(next.len()) + n_ops(&next).saturating_mul(ways.len());
            if size > MAX_OPS {
                let message = format!("the ways through this block have more than {MAX_OPS} operations");
                let problem = self.lowering.problem(&codes::LOCKED_SIZE, outer.head, message);
                self.lowering
                    .report(problem.help("every way becomes a step of its own; use fewer choices in a row"));
                return ways;
            }
            ways = ways.iter().flat_map(|way| next.iter().map(|tail| [&way[..], tail].concat())).collect();
        }
        ways
    }

    fn ways_of(&mut self, outer: &Statement, statement: &Statement) -> Vec<Way> {
        self.lowering.in_locked.insert(statement.place.span);
        if let Some(label) = statement.labels.first() {
            self.not_in_locked(label.place, "a label");
        }
        match &statement.kind {
            StatementKind::Locked(alternatives) | StatementKind::Either(alternatives) => {
                self.ways(outer, alternatives)
            }
            StatementKind::Block(list) => self.ways_of_list(outer, list),
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.expr(condition);
                let mut yes = self.ways_of(outer, then);
                guard(&mut yes, &condition);
                let mut no = match otherwise {
                    Some(otherwise) => self.ways_of(outer, otherwise),
                    None => vec![Vec::new()],
                };
                guard(&mut no, &condition.not());
                yes.append(&mut no);
                yes
            }
            StatementKind::While { .. } => self.not_in_locked(statement.head, "`while`"),
            StatementKind::Goto(_) => self.not_in_locked(statement.place, "`goto`"),
            StatementKind::Fence | StatementKind::StoreFence => {
                self.not_in_locked(statement.place, "a fence")
            }
            StatementKind::Write { strength: Strength::StoreOrdered, .. } => {
                self.not_in_locked(statement.place, "`slocked write`, which ends with a fence,")
            }
            StatementKind::End => vec![Vec::new()],
            StatementKind::Nop => vec![Vec::new()],
            StatementKind::Assign { .. }
            | StatementKind::Assume(_)
            | StatementKind::Read { .. }
            | StatementKind::ReadEqual { .. }
            | StatementKind::Write { .. }
            | StatementKind::Cas { .. } => vec![self.operations(&statement.kind)],
        }
    }

    fn not_in_locked(&mut self, place: crate::rmm::frames::Place, what: &str) -> Vec<Way> {
        let problem =
            self.lowering.problem(&codes::IN_LOCKED, place, format!("{what} cannot stand inside `locked`"));
        self.lowering
            .report(problem.help("a `locked` block is one step that nothing enters or leaves in between"));
        vec![Vec::new()]
    }
}

fn guard(ways: &mut [Way], condition: &Expr<fencewright_ir::RegId>) {
    let condition: &RegExpr = condition;
    for way in ways {
        way.insert(0, Op::Guard(condition.clone()));
    }
}
