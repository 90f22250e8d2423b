//! Choices that an execution leaves open. The search tries the answers in turn.

use std::collections::BTreeSet;

use fencewright_llvm::module::{Constant, InstKind, Operand};
use fencewright_llvm::parse::Module;

/// Answers for the choices of one action. A choice without a given answer is answered by 0; all choices are recorded.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    given: Vec<u32>,
    /// For each choice made: the number of its answers, and whether it is about a value that the program leaves open.
    met: Vec<(u32, bool)>,
    /// An upper bound on the combinations of everything left open; 0 means one.
    ways: u64,
}

/// An open value made a number counts as at most so many ways.
const MOST_WAYS_OF_ONE: u64 = 256;

impl Choices {
    /// Answers in order.
    pub fn new(given: &[u32]) -> Self {
        Self { given: given.to_vec(), ..Self::default() }
    }

    /// A choice among `n` answers, `n` at least 1.
    pub fn choose(&mut self, n: u32) -> u32 {
        self.ask(n.into());
        self.answer(n, false)
    }

    /// The same among parts of the set of an open value.
    pub fn choose_value(&mut self, n: u32) -> u32 {
        self.answer(n, true)
    }

    fn answer(&mut self, n: u32, is_value: bool) -> u32 {
        let answer = self.given.get(self.met.len()).copied().unwrap_or(0);
        self.met.push((n, is_value));
        answer.min(n.saturating_sub(1))
    }

    /// Records that the program leaves something open that has `n` possibilities.
    pub fn ask(&mut self, n: u64) {
        self.ways = self.ways().saturating_mul(n.clamp(1, MOST_WAYS_OF_ONE));
    }

    /// An upper bound on the combinations, the same whether values are open or given.
    pub fn ways(&self) -> u64 {
        self.ways.max(1)
    }

    /// The answers used, without those about open values.
    pub fn without_values(&self) -> Vec<u32> {
        let is_other = |(answer, (_, is_value)): (u32, &(u32, bool))| (!is_value).then_some(answer);
        self.used().into_iter().zip(&self.met).filter_map(is_other).collect()
    }

    /// The answers that were used.
    pub fn used(&self) -> Vec<u32> {
        (0..self.met.len()).map(|at| self.given.get(at).copied().unwrap_or(0)).collect()
    }

    /// The next answers to try, if any are left.
    pub fn next(&self) -> Option<Choices> {
        let mut given = self.used();
        while let Some(last) = given.pop() {
            if last + 1 < self.met[given.len()].0 {
                given.push(last + 1);
                return Some(Choices { given, ..Choices::default() });
            }
        }
        None
    }
}

/// How many numbers are tried where a program leaves a number open that has more.
const MOST_NUMBERS: usize = 24;

/// The numbers that the program compares with, and their neighbours: they decide the branches.
pub(crate) fn telling_numbers(modules: &[&Module<'_>]) -> Vec<i64> {
    let mut numbers: BTreeSet<i64> = [0, 1, -1, 2].into_iter().collect();
    // The user's own functions are few; a library would swamp them.
    let Some(module) = modules.first() else { return numbers.into_iter().collect() };
    if module.functions.len() <= 200 {
        for id in module.functions.indices() {
            let Ok(body) = module.body(id) else { continue };
            for inst in body.blocks.iter().flat_map(|block| &block.insts) {
                let mut see = |constant: &Constant| {
                    if let Constant::Int(value) = constant
                        && let Ok(value) = i64::try_from(*value)
                    {
                        numbers.extend([value.wrapping_sub(1), value, value.wrapping_add(1)]);
                    }
                };
                match &inst.kind {
                    InstKind::Compare { a, b, .. } => {
                        for operand in [a, b] {
                            if let Operand::Const(constant) = operand {
                                see(constant);
                            }
                        }
                    }
                    InstKind::Switch { cases, .. } => cases.iter().for_each(|(constant, _)| see(constant)),
                    _ => {}
                }
            }
        }
    }
    let mut numbers: Vec<i64> = numbers.into_iter().collect();
    // Small numbers decide most.
    numbers.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
    numbers.truncate(MOST_NUMBERS);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_a_product_whether_values_are_chosen_or_not() {
        let mut choices = Choices::default();
        assert_eq!(choices.ways(), 1);
        choices.choose(3);
        choices.ask(u64::MAX);
        choices.choose_value(7);
        assert_eq!(choices.ways(), 3 * MOST_WAYS_OF_ONE);
        (0..40).for_each(|_| choices.ask(256));
        assert_eq!(choices.ways(), u64::MAX);
    }

    #[test]
    fn all_answers_are_tried_once() {
        let mut seen = Vec::new();
        let mut next = Some(Choices::default());
        while let Some(mut choices) = next {
            let first = choices.choose(2);
            // The second choice comes up only after one of the answers to the first.
            let second = if first == 1 { Some(choices.choose(3)) } else { None };
            seen.push((first, second));
            next = choices.next();
        }
        assert_eq!(seen, [(0, None), (1, Some(0)), (1, Some(1)), (1, Some(2))]);
    }
}
