//! Positive Boolean formulae as decision diagrams that share their nodes, and their cheapest and minimal models.
//!
//! Only conjunction and disjunction of variables can be built, so every formula is monotone: a model stays one when
//! more variables are true. A model is written as the sorted list of the variables that are true in it.
//!
//! The diagrams are reduced and ordered, so equal formulae have the same number and comparing them costs nothing. The
//! order is that of the variables' numbers; the caller chooses it. Nothing is given back before all is: a caller keeps
//! labels of many states that share most of what they say.
#![allow(clippy::mutable_key_type, reason = "a formula is hashed by its node, which stays what it is")]

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::util::OutOfMemory;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, ManagerRef, Node, VarNo};

/// A formula of some [`Diagrams`]. Equal formulae are equal here.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Diagram(u32);

impl Diagram {
    /// Has no model.
    pub const FALSE: Diagram = Diagram(0);
    /// Everything is a model.
    pub const TRUE: Diagram = Diagram(1);
}

/// There is no room for more nodes.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Full;

impl From<OutOfMemory> for Full {
    fn from(_: OutOfMemory) -> Self {
        Full
    }
}

/// Formulae over a fixed number of variables.
pub struct Diagrams {
    manager: BDDManagerRef,
    formulae: Vec<BDDFunction>,
    numbers: HashMap<BDDFunction, u32, FixedState>,
    /// Results of conjunctions and disjunctions of formulae, the smaller number first. Beside the nodes' own cache,
    /// because the same two labels meet at many transitions.
    conjunctions: HashMap<(Diagram, Diagram), Diagram, FixedState>,
    disjunctions: HashMap<(Diagram, Diagram), Diagram, FixedState>,
}

/// Results of operations on nodes that are remembered.
const OPERATIONS: usize = 1 << 18;

/// What a formula, its number and its results in the tables take, roughly.
const BYTES_OF_A_FORMULA: u64 = 48;
const BYTES_OF_A_RESULT: u64 = 24;
/// What a node takes, with its place in the table that finds it.
const BYTES_OF_A_NODE: u64 = 24;

impl std::fmt::Debug for Diagrams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Diagrams").field("formulae", &self.formulae.len()).finish_non_exhaustive()
    }
}

impl Diagrams {
    /// Variables `0..variables`, and room for so many nodes.
    pub fn new(variables: usize, nodes: usize) -> Self {
        let manager = new_manager(nodes, OPERATIONS, 1);
        let (no, yes) = manager.with_manager_exclusive(|manager| {
            manager.add_vars(VarNo::try_from(variables).expect("a program has fewer variables"));
            (BDDFunction::f(manager), BDDFunction::t(manager))
        });
        let mut diagrams = Self {
            manager,
            formulae: Vec::new(),
            numbers: HashMap::default(),
            conjunctions: HashMap::default(),
            disjunctions: HashMap::default(),
        };
        let constants = [diagrams.number(no), diagrams.number(yes)];
        assert_eq!(constants, [Diagram::FALSE, Diagram::TRUE]);
        diagrams
    }

    /// The formula that says that the variable is true.
    pub fn variable(&mut self, variable: usize) -> Result<Diagram, Full> {
        let number = VarNo::try_from(variable).expect("a program has fewer variables");
        let formula = self.manager.with_manager_shared(|manager| BDDFunction::var(manager, number))?;
        Ok(self.number(formula))
    }

    /// Both.
    pub fn and(&mut self, one: Diagram, other: Diagram) -> Result<Diagram, Full> {
        match (one.min(other), one.max(other)) {
            (Diagram::FALSE, _) => Ok(Diagram::FALSE),
            (Diagram::TRUE, other) => Ok(other),
            (one, other) if one == other => Ok(one),
            pair => {
                if let Some(&known) = self.conjunctions.get(&pair) {
                    return Ok(known);
                }
                let result = self.formula(pair.0).and(self.formula(pair.1))?;
                let result = self.number(result);
                self.conjunctions.insert(pair, result);
                Ok(result)
            }
        }
    }

    /// At least one of them.
    pub fn or(&mut self, one: Diagram, other: Diagram) -> Result<Diagram, Full> {
        match (one.min(other), one.max(other)) {
            (Diagram::FALSE, other) => Ok(other),
            (Diagram::TRUE, _) => Ok(Diagram::TRUE),
            (one, other) if one == other => Ok(one),
            pair => {
                if let Some(&known) = self.disjunctions.get(&pair) {
                    return Ok(known);
                }
                let result = self.formula(pair.0).or(self.formula(pair.1))?;
                let result = self.number(result);
                self.disjunctions.insert(pair, result);
                Ok(result)
            }
        }
    }

    /// A model of least cost, and the cost. Among models of that cost it is the one that has the smallest variables,
    /// compared from the first on. `None` if there is no model. Every variable has a cost above 0.
    pub fn cheapest(&self, formula: Diagram, costs: &[u64]) -> Option<(Vec<usize>, u64)> {
        let least = self.least_costs(formula, costs);
        let mut at = self.formula(formula).clone();
        let cost = *least.get(&at)?;
        let mut model = Vec::new();
        while let Some((variable, with, without)) = self.branch(&at) {
            let dearer = least.get(&with).map(|least| least + costs[variable]);
            let taken = dearer.is_some_and(|dearer| least.get(&without).is_none_or(|&other| dearer <= other));
            if taken {
                model.push(variable);
            }
            at = if taken { with } else { without };
        }
        Some((model, cost))
    }

    /// The models of least cost, sorted, at most `limit` of them.
    pub fn all_cheapest(&self, formula: Diagram, costs: &[u64], limit: usize) -> Vec<Vec<usize>> {
        let least = self.least_costs(formula, costs);
        let mut models = Vec::new();
        let mut open = vec![(Vec::new(), self.formula(formula).clone())];
        while let Some((model, at)) = open.pop() {
            let Some(&cost) = least.get(&at) else { continue };
            let Some((variable, with, without)) = self.branch(&at) else {
                models.push(model);
                if models.len() == limit {
                    break;
                }
                continue;
            };
            // What is pushed last comes first: models with the variable come before those without it.
            if least.get(&without) == Some(&cost) {
                open.push((model.clone(), without));
            }
            if least.get(&with).is_some_and(|least| least + costs[variable] == cost) {
                let mut model = model;
                model.push(variable);
                open.push((model, with));
            }
        }
        models
    }

    /// The models of which nothing can be left out, at most `limit` of them; and whether these are all. It looks at
    /// no more than a thousand times as many models.
    pub fn minimal(&self, formula: Diagram, limit: usize) -> (Vec<Vec<usize>>, bool) {
        let (mut models, mut seen) = (Vec::new(), 0);
        let mut open = vec![(Vec::new(), self.formula(formula).clone())];
        while let Some((model, at)) = open.pop() {
            match self.branch(&at) {
                None if at == *self.formula(Diagram::FALSE) => {}
                None => {
                    let spare = |one: &usize| {
                        let others: Vec<usize> = model.iter().copied().filter(|other| other != one).collect();
                        self.is_model(formula, &others)
                    };
                    seen += 1;
                    if models.len() == limit || seen > limit.saturating_mul(1000) {
                        return (models, false);
                    }
                    if !model.iter().any(spare) {
                        models.push(model);
                    }
                }
                Some((variable, with, without)) => {
                    open.push((model.clone(), without));
                    let mut model = model;
                    model.push(variable);
                    open.push((model, with));
                }
            }
        }
        (models, true)
    }

    /// Whether the formula is true where these variables are, and no others.
    pub fn is_model(&self, formula: Diagram, variables: &[usize]) -> bool {
        let mut at = self.formula(formula).clone();
        while let Some((variable, with, without)) = self.branch(&at) {
            at = if variables.contains(&variable) { with } else { without };
        }
        at == *self.formula(Diagram::TRUE)
    }

    /// An estimate of what all formulae take.
    pub fn bytes(&self) -> u64 {
        let nodes = self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes());
        let results = self.conjunctions.len() + self.disjunctions.len();
        nodes as u64 * BYTES_OF_A_NODE
            + self.formulae.len() as u64 * BYTES_OF_A_FORMULA
            + results as u64 * BYTES_OF_A_RESULT
    }

    fn number(&mut self, formula: BDDFunction) -> Diagram {
        if let Some(&number) = self.numbers.get(&formula) {
            return Diagram(number);
        }
        let number = u32::try_from(self.formulae.len()).expect("the memory ends before the numbers do");
        self.formulae.push(formula.clone());
        self.numbers.insert(formula, number);
        Diagram(number)
    }

    fn formula(&self, diagram: Diagram) -> &BDDFunction {
        &self.formulae[diagram.0 as usize]
    }

    /// The first variable the formula depends on, and what is left of the formula if it is true and if it is not.
    fn branch(&self, formula: &BDDFunction) -> Option<(usize, BDDFunction, BDDFunction)> {
        let variable = formula.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => Some(manager.level_to_var(node.level())),
            Node::Terminal(_) => None,
        })?;
        let (with, without) = formula.cofactors().expect("only a constant has no cofactors");
        Some((variable as usize, with, without))
    }

    /// What a cheapest model costs, for every part of the formula that has one.
    fn least_costs(&self, formula: Diagram, costs: &[u64]) -> HashMap<BDDFunction, u64, FixedState> {
        let mut least: HashMap<BDDFunction, u64, FixedState> = HashMap::default();
        least.insert(self.formula(Diagram::TRUE).clone(), 0);
        let mut open = vec![(self.formula(formula).clone(), false)];
        let mut seen: HashSet<BDDFunction, FixedState> = HashSet::default();
        while let Some((at, parts_are_done)) = open.pop() {
            let Some((variable, with, without)) = self.branch(&at) else { continue };
            if parts_are_done {
                let with = least.get(&with).map(|least| least + costs[variable]);
                let cost = with.into_iter().chain(least.get(&without).copied()).min();
                if let Some(cost) = cost {
                    least.insert(at, cost);
                }
            } else if seen.insert(at.clone()) {
                open.push((at, true));
                open.extend([(with, false), (without, false)]);
            }
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// A formula as the set of its models, by trying: bit `m` says whether the mask `m` is one.
    type Table = Vec<bool>;

    /// A random formula, built twice.
    fn random(numbers: &mut Numbers, n: usize, depth: u32, diagrams: &mut Diagrams) -> (Diagram, Table) {
        let masks = 0..1_usize << n;
        if depth == 0 {
            let variable = numbers.below(n as u64) as usize;
            let table = masks.map(|mask| mask >> variable & 1 == 1).collect();
            return (diagrams.variable(variable).unwrap(), table);
        }
        let (one, left) = random(numbers, n, depth - 1, diagrams);
        let below = numbers.below(u64::from(depth)) as u32;
        let (other, right) = random(numbers, n, below, diagrams);
        match numbers.below(2) {
            0 => (diagrams.and(one, other).unwrap(), masks.map(|m| left[m] && right[m]).collect()),
            _ => (diagrams.or(one, other).unwrap(), masks.map(|m| left[m] || right[m]).collect()),
        }
    }

    fn variables(mask: usize, n: usize) -> Vec<usize> {
        (0..n).filter(|variable| mask >> variable & 1 == 1).collect()
    }

    #[test]
    fn models_are_those_found_by_trying_all() {
        for seed in 1..=300 {
            let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
            let n = 1 + numbers.below(7) as usize;
            let mut diagrams = Diagrams::new(n, 1 << 12);
            let (formula, table) = random(&mut numbers, n, 6, &mut diagrams);
            for (mask, &expected) in table.iter().enumerate() {
                assert_eq!(diagrams.is_model(formula, &variables(mask, n)), expected, "seed {seed}");
            }
            let top = [1, 3, 100][numbers.below(3) as usize];
            let costs: Vec<u64> = (0..n).map(|_| 1 + numbers.below(top)).collect();
            let cost = |mask: usize| -> u64 { variables(mask, n).iter().map(|&v| costs[v]).sum() };
            let models: Vec<usize> = (0..table.len()).filter(|&mask| table[mask]).collect();
            let least = models.iter().map(|&mask| cost(mask)).min().expect("a positive formula has a model");
            let mut cheapest: Vec<Vec<usize>> =
                models.iter().filter(|&&m| cost(m) == least).map(|&m| variables(m, n)).collect();
            cheapest.sort();
            assert_eq!(diagrams.cheapest(formula, &costs), Some((cheapest[0].clone(), least)), "seed {seed}");
            assert_eq!(diagrams.all_cheapest(formula, &costs, 1000), cheapest, "seed {seed}");
            let is_minimal = |&mask: &usize| (0..n).all(|v| mask >> v & 1 == 0 || !table[mask & !(1 << v)]);
            let mut minimal: Vec<Vec<usize>> =
                models.iter().copied().filter(is_minimal).map(|mask| variables(mask, n)).collect();
            let (mut found, all) = diagrams.minimal(formula, 1000);
            found.sort();
            minimal.sort();
            assert_eq!((found, all), (minimal, true), "seed {seed}");
        }
    }

    #[test]
    fn equal_formulae_are_one() {
        let mut diagrams = Diagrams::new(3, 1 << 10);
        let [a, b, c] = [0, 1, 2].map(|variable| diagrams.variable(variable).unwrap());
        let (ab, ac) = (diagrams.and(a, b).unwrap(), diagrams.and(a, c).unwrap());
        let (sum, either) = (diagrams.or(ab, ac).unwrap(), diagrams.or(b, c).unwrap());
        assert_eq!(sum, diagrams.and(a, either).unwrap());
        assert_eq!(diagrams.and(a, Diagram::FALSE), Ok(Diagram::FALSE));
        assert_eq!(diagrams.or(a, Diagram::FALSE), Ok(a));
        assert_eq!(diagrams.and(a, Diagram::TRUE), Ok(a));
        assert_eq!(diagrams.or(a, Diagram::TRUE), Ok(Diagram::TRUE));
    }

    #[test]
    fn constants_have_no_model_or_the_empty_one() {
        let diagrams = Diagrams::new(2, 1 << 10);
        assert_eq!(diagrams.cheapest(Diagram::FALSE, &[1, 1]), None);
        assert_eq!(diagrams.all_cheapest(Diagram::FALSE, &[1, 1], 9), Vec::<Vec<usize>>::new());
        assert_eq!(diagrams.minimal(Diagram::FALSE, 9), (vec![], true));
        assert_eq!(diagrams.cheapest(Diagram::TRUE, &[1, 1]), Some((vec![], 0)));
        assert_eq!(diagrams.minimal(Diagram::TRUE, 9), (vec![vec![]], true));
    }

    #[test]
    fn without_room_it_says_so() {
        let mut diagrams = Diagrams::new(64, 70);
        let mut formula = Ok(Diagram::FALSE);
        for i in 0..32 {
            formula = formula.and_then(|sum| {
                let (one, other) = (diagrams.variable(i)?, diagrams.variable(63 - i)?);
                let both = diagrams.and(one, other)?;
                diagrams.or(sum, both)
            });
        }
        assert_eq!(formula, Err(Full));
    }

    #[test]
    fn a_limit_on_minimal_models_is_told() {
        let mut diagrams = Diagrams::new(4, 1 << 10);
        let mut any = Diagram::FALSE;
        for variable in 0..4 {
            let one = diagrams.variable(variable).unwrap();
            any = diagrams.or(any, one).unwrap();
        }
        let (models, all) = diagrams.minimal(any, 2);
        assert_eq!((models.len(), all), (2, false));
    }
}
