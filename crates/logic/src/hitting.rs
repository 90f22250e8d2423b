//! The minimum-cost hitting set: some elements of least total cost, at least one of every set.
//!
//! A set is a clause, a blocked solution is a clause of negated elements, and the cost is bounded by assumptions over a
//! generalised totalizer. The bound comes down from a first model until the solver refuses; then the elements are
//! fixed in order, taken wherever that keeps the cost, so among equals the answer is always the same one.

use std::collections::BTreeSet;

use rustsat::encodings::pb::{BoundUpper, BoundUpperIncremental, GeneralizedTotalizer};
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal};
use rustsat_batsat::BasicSolver;

/// Sets to hit, with a cost for every element. Sets can be added and solutions blocked between questions.
pub struct HittingSet {
    costs: Vec<u64>,
    elements: Vec<Lit>,
    /// The elements that are in some set, and so in the sum of costs.
    used: BTreeSet<usize>,
    sets: Vec<Vec<usize>>,
    unhittable: bool,
    solver: BasicSolver,
    variables: BasicVarManager,
    sum: GeneralizedTotalizer,
}

impl std::fmt::Debug for HittingSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HittingSet").field("costs", &self.costs).field("sets", &self.sets).finish()
    }
}

impl HittingSet {
    /// Elements `0..costs.len()`, no sets yet. Panics if a cost is 0: what is free is not chosen, it is there.
    pub fn new(costs: Vec<u64>) -> Self {
        assert!(costs.iter().all(|&cost| cost > 0), "every element has a cost");
        let mut variables = BasicVarManager::default();
        let elements = costs.iter().map(|_| variables.new_var().pos_lit()).collect();
        Self {
            costs,
            elements,
            used: BTreeSet::new(),
            sets: Vec::new(),
            unhittable: false,
            solver: BasicSolver::default(),
            variables,
            sum: GeneralizedTotalizer::default(),
        }
    }

    /// A solution must have an element of this set. Without elements it cannot be hit.
    pub fn add_set(&mut self, set: &[usize]) {
        let set: BTreeSet<usize> = set.iter().copied().collect();
        self.unhittable |= set.is_empty();
        for &element in &set {
            if self.used.insert(element) {
                let cost = usize::try_from(self.costs[element]).expect("a cost fits into a word");
                self.sum.extend([(self.elements[element], cost)]);
            }
        }
        self.clause(set.iter().map(|&element| self.elements[element]).collect());
        self.sets.push(set.into_iter().collect());
    }

    /// No solution may contain all of these elements any more.
    pub fn block(&mut self, solution: &[usize]) {
        self.unhittable |= solution.is_empty();
        self.clause(solution.iter().map(|&element| !self.elements[element]).collect());
    }

    /// A solution of least cost, its elements in order, and the cost. `None` if there is no solution.
    ///
    /// Among solutions of that cost it is the one that has the smallest elements, compared from the first on.
    pub fn minimum(&mut self) -> Option<(Vec<usize>, u64)> {
        self.minimum_under(&[])
    }

    /// All solutions of least cost, in the order of [`minimum`](Self::minimum). What was blocked stays so; nothing
    /// new is.
    pub fn all_minimum(&mut self) -> Vec<Vec<usize>> {
        let here = self.variables.new_var().pos_lit();
        let mut all = Vec::new();
        let mut least = None;
        while let Some((solution, cost)) = self.minimum_under(&[here]) {
            if *least.get_or_insert(cost) != cost {
                break;
            }
            let other = solution.iter().map(|&element| !self.elements[element]);
            self.clause(other.chain([!here]).collect());
            let last = solution.is_empty();
            all.push(solution);
            if last {
                break;
            }
        }
        self.clause(vec![!here]);
        all
    }

    fn minimum_under(&mut self, assumptions: &[Lit]) -> Option<(Vec<usize>, u64)> {
        if self.unhittable {
            return None;
        }
        let first = self.solve(assumptions)?;
        let mut cost = self.cost(&first);
        while cost > 0 {
            let bounded = [assumptions, &self.at_most(cost - 1)].concat();
            let Some(better) = self.solve(&bounded) else { break };
            cost = self.cost(&better);
        }
        let mut fixed = [assumptions, &self.at_most(cost)].concat();
        let (mut chosen, mut spent) = (Vec::new(), 0);
        for element in self.used.clone() {
            if spent == cost {
                break;
            }
            fixed.push(self.elements[element]);
            if self.solve(&fixed).is_some() {
                chosen.push(element);
                spent += self.costs[element];
            } else {
                *fixed.last_mut().expect("just pushed") = !self.elements[element];
            }
        }
        assert_eq!(spent, cost, "internal error: the solution found has another cost than its bound");
        Some((chosen, cost))
    }

    /// Assumptions that bound the cost.
    fn at_most(&mut self, cost: u64) -> Vec<Lit> {
        let cost = usize::try_from(cost).expect("a sum of costs fits into a word");
        self.sum
            .encode_ub_change(cost..=cost, &mut self.solver, &mut self.variables)
            .expect("there is memory for the sum of costs");
        self.sum.enforce_ub(cost).expect("the bound was encoded just now")
    }

    /// A solution under the assumptions, without elements it could do without.
    fn solve(&mut self, assumptions: &[Lit]) -> Option<BTreeSet<usize>> {
        match self.solver.solve_assumps(assumptions).expect("the solver has no limit") {
            SolverResult::Sat => {}
            SolverResult::Unsat => return None,
            SolverResult::Interrupted => unreachable!("internal error: nobody interrupts the solver"),
        }
        let is_true = |lit: Lit| matches!(self.solver.lit_val(lit), Ok(TernaryVal::True));
        let mut solution: BTreeSet<usize> =
            self.used.iter().copied().filter(|&element| is_true(self.elements[element])).collect();
        // Blocked solutions stay blocked when elements go, so only the sets have to be looked at.
        for element in solution.clone().into_iter().rev() {
            solution.remove(&element);
            if self.sets.iter().any(|set| !set.iter().any(|other| solution.contains(other))) {
                solution.insert(element);
            }
        }
        Some(solution)
    }

    fn cost(&self, solution: &BTreeSet<usize>) -> u64 {
        solution.iter().map(|&element| self.costs[element]).sum()
    }

    fn clause(&mut self, lits: Vec<Lit>) {
        self.solver.add_clause(lits.into_iter().collect::<Clause>()).expect("there is memory for a clause");
    }
}

#[cfg(test)]
mod tests {
    use super::HittingSet;

    /// Numbers that look random: the same ones every time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, n: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % n
        }
    }

    /// All solutions of least cost by trying every set of elements, in the order `minimum` promises.
    fn by_trying_all(costs: &[u64], sets: &[Vec<usize>], blocked: &[Vec<usize>]) -> (Vec<Vec<usize>>, u64) {
        let mut best: (Vec<Vec<usize>>, u64) = (Vec::new(), u64::MAX);
        for mask in 0u32..1 << costs.len() {
            let has = |element: &usize| mask >> element & 1 == 1;
            if !sets.iter().all(|set| set.iter().any(has)) || blocked.iter().any(|b| b.iter().all(has)) {
                continue;
            }
            let elements: Vec<usize> = (0..costs.len()).filter(has).collect();
            let cost = elements.iter().map(|&element| costs[element]).sum();
            if cost < best.1 {
                best = (Vec::new(), cost);
            }
            if cost == best.1 {
                best.0.push(elements);
            }
        }
        best.0.sort();
        best
    }

    #[test]
    fn it_agrees_with_trying_all_on_random_instances() {
        for seed in 1..=300 {
            let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
            let n = 1 + numbers.below(12) as usize;
            let top = [1, 3, 100][numbers.below(3) as usize];
            let costs: Vec<u64> = (0..n).map(|_| 1 + numbers.below(top)).collect();
            let mut hitting = HittingSet::new(costs.clone());
            let (mut sets, mut blocked) = (Vec::new(), Vec::new());
            for _ in 0..8 {
                let density = 1 + numbers.below(6);
                let set: Vec<usize> = (0..n).filter(|_| numbers.below(8) < density).collect();
                if set.is_empty() {
                    continue;
                }
                hitting.add_set(&set);
                sets.push(set);
                let (all, cost) = by_trying_all(&costs, &sets, &blocked);
                let found = hitting.minimum();
                assert_eq!(found, all.first().map(|first| (first.clone(), cost)), "seed {seed}");
                assert_eq!(hitting.all_minimum(), all, "seed {seed}");
                if numbers.below(3) == 0
                    && let Some((solution, _)) = found
                {
                    hitting.block(&solution);
                    blocked.push(solution);
                }
            }
        }
    }

    #[test]
    fn nothing_to_hit_costs_nothing_and_an_empty_set_cannot_be_hit() {
        let mut hitting = HittingSet::new(vec![1, 1]);
        assert_eq!(hitting.minimum(), Some((vec![], 0)));
        assert_eq!(hitting.all_minimum(), vec![Vec::<usize>::new()]);
        hitting.add_set(&[]);
        assert_eq!(hitting.minimum(), None);
        let mut hitting = HittingSet::new(vec![1]);
        hitting.block(&[]);
        assert_eq!(hitting.minimum(), None);
    }

    #[test]
    fn blocking_leads_through_all_solutions() {
        let mut hitting = HittingSet::new(vec![2, 1, 1]);
        hitting.add_set(&[0, 1]);
        hitting.add_set(&[0, 2]);
        assert_eq!(hitting.all_minimum(), [vec![0], vec![1, 2]]);
        assert_eq!(hitting.minimum(), Some((vec![0], 2)));
        hitting.block(&[0]);
        assert_eq!(hitting.minimum(), Some((vec![1, 2], 2)));
        hitting.block(&[1, 2]);
        assert_eq!(hitting.minimum(), None);
    }
}
