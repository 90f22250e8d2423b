//! The words of the user's text that order accesses, with the steps they order and the stronger words for them.
//!
//! What a stronger word makes of a step is what lowering the changed text would make of it: the rows of the table in
//! `docs/formats/c-and-rust.md` for a store that releases, a sequentially consistent store, a read-modify-write that
//! releases, and a sequentially consistent fence. The order of a load changes nothing there, so loads have no words.

use std::collections::BTreeMap;

use fencewright_base::Span;
use fencewright_ir::{EdgeId, FenceKind, Lock, Op, OrderWord, Step, ThreadId};

use crate::llvm::{OrderInfo, StrongerWords};

/// The words found so far, by where they stand.
#[derive(Debug, Default)]
pub(crate) struct Words {
    known: BTreeMap<Span, Word>,
}

#[derive(Debug)]
struct Word {
    info: OrderInfo,
    kind: Kind,
    steps: Vec<(ThreadId, EdgeId)>,
}

/// What the order of a word is about.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Kind {
    Store,
    ReadModifyWrite,
    Fence,
    /// Of several kinds, as a macro or a wrapper can make it: no stronger word is right for all.
    Mixed,
}

impl Words {
    /// A step that the word orders, if it orders anything.
    pub(crate) fn add(&mut self, info: OrderInfo, at: (ThreadId, EdgeId), step: &Step) {
        let Some(kind) = kind_of(step) else { return };
        let word = self.known.entry(info.span).or_insert_with(|| Word { info, kind, steps: Vec::new() });
        if word.kind != kind {
            word.kind = Kind::Mixed;
        }
        word.steps.push(at);
    }

    /// Those that could be stronger, in the order of the text.
    pub(crate) fn finish(self) -> impl Iterator<Item = OrderWord> {
        self.known.into_values().filter_map(|Word { info, kind, steps }| {
            let OrderInfo { span, text, loop_depth, word, stronger } = info;
            let StrongerWords { release, releasing, seq_cst } = stronger;
            let stronger: Vec<(FenceKind, String)> = match kind {
                Kind::Store => {
                    let full = seq_cst.map(|word| (FenceKind::Full, word));
                    full.into_iter().chain(release.map(|word| (FenceKind::StoreStore, word))).collect()
                }
                Kind::ReadModifyWrite => releasing.into_iter().map(|word| (FenceKind::Full, word)).collect(),
                Kind::Fence => seq_cst.into_iter().map(|word| (FenceKind::Full, word)).collect(),
                Kind::Mixed => Vec::new(),
            };
            let span = Some(span);
            (!stronger.is_empty()).then_some(OrderWord { text, word, span, stronger, loop_depth, steps })
        })
    }
}

/// What a step is, if it is one access or fence whose order matters.
fn kind_of(step: &Step) -> Option<Kind> {
    let writes = step.ops.iter().filter(|op| matches!(op, Op::Write { .. })).count();
    let fences = step.ops.iter().any(|op| matches!(op, Op::Fence(_)));
    match (step.lock, writes) {
        (Some(Lock::Location), _) => Some(Kind::ReadModifyWrite),
        (None, 1) => Some(Kind::Store),
        (None, 0) if fences => Some(Kind::Fence),
        (None | Some(Lock::Full), _) => None,
    }
}
