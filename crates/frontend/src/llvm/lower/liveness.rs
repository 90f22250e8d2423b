//! Which registers a residual graph still reads, block by block.

use fencewright_base::{Index, Meter, Stop};
use fencewright_ir::RegId;

use super::expr::{Atom, RExpr};
use super::machine::{Address, ROp};
use super::steps::Block;

/// A set of registers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    pub(crate) fn contains(&self, reg: RegId) -> bool {
        self.words.get(reg.index() / 64).is_some_and(|word| word >> (reg.index() % 64) & 1 == 1)
    }

    fn insert(&mut self, reg: RegId) {
        let word = reg.index() / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (reg.index() % 64);
    }

    fn remove(&mut self, reg: RegId) {
        if let Some(word) = self.words.get_mut(reg.index() / 64) {
            *word &= !(1 << (reg.index() % 64));
        }
    }

    /// Takes in another set; whether that changed anything.
    fn union(&mut self, other: &Set) -> bool {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        let mut changed = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            changed |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        changed
    }
}

/// What is live at the start of each block.
#[derive(Debug)]
pub(crate) struct Liveness {
    before: Vec<Set>,
}

impl Liveness {
    pub(crate) fn new(blocks: &[Block], n_regs: usize, meter: &Meter) -> Result<Self, Stop> {
        let empty = Set { words: vec![0; n_regs.div_ceil(64)] };
        let mut result = Self { before: vec![empty; blocks.len()] };
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks.len()).rev() {
                meter.tick()?;
                let here = result.at(blocks, block, 0);
                changed |= result.before[block].union(&here);
            }
        }
        Ok(result)
    }

    /// What is live before an operation of a block.
    pub(crate) fn at(&self, blocks: &[Block], block: usize, index: usize) -> Set {
        let mut live = Set::default();
        let data = &blocks[block];
        for (guard, target) in &data.next {
            live.union(&self.before[*target]);
            uses(&mut live, guard);
        }
        for residual in data.ops.iter().skip(index).rev() {
            before(&mut live, &residual.op);
        }
        live
    }
}

fn uses(live: &mut Set, e: &RExpr) {
    e.for_each_atom(&mut |atom| {
        if let Atom::Reg(reg) = atom {
            live.insert(*reg);
        }
    });
}

/// Turns "live behind the operation" into "live before it".
fn before(live: &mut Set, op: &ROp) {
    let address = |live: &mut Set, addr: &Address| uses(live, &addr.pointer);
    match op {
        ROp::Assign { dst, value } => {
            // What nobody reads need not be computed, so it needs nothing.
            if live.contains(*dst) {
                live.remove(*dst);
                uses(live, value);
            }
        }
        ROp::Havoc { dst } => live.remove(*dst),
        ROp::Guard(condition) | ROp::Assert(condition, _) => uses(live, condition),
        ROp::Read { dst, addr } => {
            live.remove(*dst);
            address(live, addr);
        }
        ROp::Write { addr, value } => {
            uses(live, value);
            address(live, addr);
        }
        ROp::Locked(_, ops) => ops.iter().rev().for_each(|op| before(live, op)),
        ROp::Exchange { dst, addr, expected, new, .. } => {
            live.remove(*dst);
            uses(live, expected);
            uses(live, new);
            address(live, addr);
        }
        ROp::Fence(_)
        | ROp::Await(_)
        | ROp::Site(_)
        | ROp::AtomicBegin
        | ROp::AtomicEnd
        | ROp::Start(_)
        | ROp::Join(_)
        | ROp::End => {}
    }
}
