//! Bounded spin loops: a lock spins a hundred rounds before its thread sleeps.
//!
//! Such a loop is one block. It reads, computes, and leaves for the same place whether it has seen what it waits for or the last
//! round is over; nothing else depends on the number of rounds. A round that does not leave changes nothing. So an execution
//! that leaves in any round equals one that enters the loop later and runs only the last round: the loop starts with it.
//! Otherwise every round would be a set of states of its own.
//!
//! Limits: only a single block with a pause instruction and a counter that starts and ends with constants is recognised.

use std::collections::HashMap;

use fencewright_llvm::module::{
    BinOp, BlockId, Callee, Constant, Function, Inst, InstKind, LocalId, Operand, Predicate,
};

/// The intrinsics that tell a processor that it spins. A loop without one is left as it is.
const PAUSES: [&str; 2] = ["llvm.x86.sse2.pause", "llvm.aarch64.hint"];

/// For each block that is such a loop, the register that counts and its value in the last round.
pub(crate) fn last_rounds(text: &Function) -> HashMap<BlockId, (LocalId, i128)> {
    let blocks = text.blocks.iter_enumerated();
    let loops = blocks.filter(|(_, block)| block.insts.iter().any(is_pause));
    loops.filter_map(|(id, block)| Some((id, last_round(text, id, &block.insts)?))).collect()
}

fn last_round(text: &Function, id: BlockId, insts: &[Inst]) -> Option<(LocalId, i128)> {
    let defined =
        |local: LocalId| insts.iter().find(|inst| inst.result == Some(local)).map(|inst| &inst.kind);
    let (body, end) = insts.split_last().map(|(end, body)| (body, &end.kind))?;
    let InstKind::Branch { condition: Operand::Local(leaves), yes, no } = end else { return None };
    if *no != id || *yes == id || !body.iter().all(only_looks) {
        return None;
    }
    // The test for the last round: the whole condition, or one of two reasons to leave.
    let is_last = match defined(*leaves)? {
        InstKind::Compare { .. } => *leaves,
        InstKind::Select { yes: Operand::Const(Constant::Int(yes)), no: Operand::Local(no), .. }
            if yes & 1 == 1 =>
        {
            *no
        }
        InstKind::Binary { op: BinOp::Or, a: Operand::Local(a), b: Operand::Local(b), .. } => {
            let compares_count = |local: LocalId| count_in(defined(local)?, &defined).map(|_| local);
            compares_count(*a).or_else(|| compares_count(*b))?
        }
        _ => return None,
    };
    let (next, end) = count_in(defined(is_last)?, &defined)?;
    let InstKind::Binary { op: BinOp::Add, a: Operand::Local(count), b: Operand::Const(step), .. } =
        defined(next)?
    else {
        return None;
    };
    let Constant::Int(step) = step else { return None };
    let mut phis = insts.iter().filter(|inst| matches!(inst.kind, InstKind::Phi { .. }));
    let (Some(phi), None) = (phis.next(), phis.next()) else { return None };
    let InstKind::Phi { incoming, .. } = &phi.kind else { return None };
    if phi.result != Some(*count) {
        return None;
    }
    for (value, from) in incoming {
        match value {
            Operand::Local(local) if *from == id && *local == next => {}
            Operand::Const(Constant::Int(first)) if *from != id => {
                let (way, step) = (end - first, *step);
                // The count reaches its end after at least one round.
                if step == 0 || way % step != 0 || way / step < 1 {
                    return None;
                }
            }
            _ => return None,
        }
    }
    // Nothing else uses the count.
    let uses = |local: LocalId| {
        let mut uses = 0;
        for inst in text.blocks.iter().flat_map(|block| &block.insts) {
            inst.kind.for_each_local(&mut |used| uses += usize::from(used == local));
        }
        uses
    };
    let is_own = uses(*count) == 1 && uses(next) == 2 && uses(is_last) == 1;
    is_own.then_some((*count, end - step))
}

/// The sum that is compared for equality with a constant, and the constant.
fn count_in<'t>(
    kind: &InstKind,
    defined: &impl Fn(LocalId) -> Option<&'t InstKind>,
) -> Option<(LocalId, i128)> {
    let InstKind::Compare { predicate: Predicate::Eq, a: Operand::Local(a), b: Operand::Const(b), .. } = kind
    else {
        return None;
    };
    let is_sum = matches!(defined(*a)?, InstKind::Binary { op: BinOp::Add, .. });
    match b {
        Constant::Int(b) if is_sum => Some((*a, *b)),
        Constant::Zero if is_sum => Some((*a, 0)),
        _ => None,
    }
}

fn is_pause(inst: &Inst) -> bool {
    matches!(&inst.kind, InstKind::Call { callee: Callee::Named(name), .. } if PAUSES.contains(&&**name))
}

/// Whether an instruction has no effect outside the block.
fn only_looks(inst: &Inst) -> bool {
    match &inst.kind {
        InstKind::Load { volatile, .. } => !volatile,
        InstKind::Binary { op, .. } => {
            matches!(op, BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor)
        }
        InstKind::Gep { .. }
        | InstKind::Compare { .. }
        | InstKind::Cast { .. }
        | InstKind::Select { .. }
        | InstKind::Phi { .. }
        | InstKind::Declare { .. }
        | InstKind::Nothing => true,
        InstKind::Call { .. } => is_pause(inst),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use fencewright_llvm::parse::Module;

    use super::*;

    /// Reads until it sees something else than 1, a hundred times at most.
    const SPIN: &str = "
define i32 @f(ptr %p) {
entry:
  br label %spin
spin:
  %n = phi i32 [ %m, %spin ], [ 100, %entry ]
  call void @llvm.x86.sse2.pause()
  %m = add nsw i32 %n, -1
  %v = load atomic i32, ptr %p monotonic, align 4
  %seen = icmp ne i32 %v, 1
  %last = icmp eq i32 %m, 0
  %leave = select i1 %seen, i1 true, i1 %last
  br i1 %leave, label %end, label %spin
end:
  ret i32 %v
}
declare void @llvm.x86.sse2.pause()
declare void @g(i32)
";

    fn rounds(text: &str) -> Vec<i128> {
        let module = Module::parse(text).expect("the text is IR");
        let (id, _) = module.functions.iter_enumerated().next().expect("there is a function");
        let body = module.body(id).expect("it has a body");
        last_rounds(&body).into_values().map(|(_, value)| value).collect()
    }

    #[test]
    fn a_loop_that_only_looks_begins_with_its_last_round() {
        assert_eq!(rounds(SPIN), [1]);
        assert_eq!(
            rounds(
                &SPIN
                    .replace("100, %entry", "0, %entry")
                    .replace("%n, -1", "%n, 2")
                    .replace("%m, 0", "%m, 10")
            ),
            [8]
        );
        assert_eq!(rounds(&SPIN.replace("select i1 %seen, i1 true, i1 %last", "or i1 %seen, %last")), [1]);
    }

    #[test]
    fn a_loop_in_which_rounds_differ_is_left_as_it_is() {
        for (from, to) in [
            // The rounds are asked for.
            ("ret i32 %v", "ret i32 %m"),
            ("ret i32 %v", "ret i32 %n"),
            // They change something.
            ("%seen = icmp", "store i32 3, ptr %p\n  %seen = icmp"),
            ("%seen = icmp", "call void @g(i32 3)\n  %seen = icmp"),
            ("load atomic i32, ptr %p monotonic, align 4", "load volatile i32, ptr %p, align 4"),
            // It leaves only when both are so.
            ("select i1 %seen, i1 true, i1 %last", "and i1 %seen, %last"),
            ("select i1 %seen, i1 true, i1 %last", "select i1 %seen, i1 %last, i1 false"),
            // The last round never comes.
            ("%m, 0", "%m, 101"),
            // Nobody says that it is a loop that waits.
            ("  call void @llvm.x86.sse2.pause()\n", ""),
        ] {
            let text = SPIN.replacen(from, to, 1);
            assert_ne!(text, SPIN, "{from}");
            assert!(rounds(&text).is_empty(), "{to}");
        }
    }
}
