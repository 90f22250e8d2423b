//! Boolean circuits over an incremental SAT solver. Constants are folded and equal gates shared, so that a circuit whose
//! inputs are known costs no variable.

use std::collections::HashMap;
use std::ops::Not;
use std::sync::Arc;

use foldhash::fast::FixedState;
use rustsat::encodings::card::{BoundUpper, BoundUpperIncremental, Totalizer};
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal, Var};
use rustsat_batsat::Solver;

use crate::lemma::{Lemma, Literal};
use crate::refutation::{Event, refutation};

/// A truth value: a constant, or a variable of the solver or its negation.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bit(u32);

impl Bit {
    /// The constant 0.
    pub const FALSE: Bit = Bit(0);
    /// The constant 1.
    pub const TRUE: Bit = Bit(1);

    /// The value, if it is a constant.
    pub fn constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == Bit::TRUE)
    }

    fn of(lit: Lit) -> Bit {
        Bit(2 + 2 * lit.vidx32() + u32::from(lit.is_neg()))
    }

    /// As a number: that of the variable, from 1 on, negative for its negation. None for a constant.
    pub fn literal(self) -> Option<Literal> {
        let variable = (self.0 / 2).try_into().ok().filter(|&variable: &Literal| variable > 0)?;
        Some(if self.0.is_multiple_of(2) { variable } else { -variable })
    }

    /// The bit of that number; none for 0.
    pub fn of_literal(literal: Literal) -> Option<Bit> {
        let variable = literal.unsigned_abs();
        (variable > 0 && variable <= u32::MAX / 2).then(|| Bit(2 * variable + u32::from(literal < 0)))
    }

    /// Panics for a constant.
    fn lit(self) -> Lit {
        assert!(self.0 >= 2, "internal error: a constant is no literal");
        let var = Var::new((self.0 - 2) / 2);
        if self.0.is_multiple_of(2) { var.pos_lit() } else { var.neg_lit() }
    }
}

impl From<bool> for Bit {
    fn from(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }
}

impl Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// What the solver said.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Answer {
    /// There is a solution; [`Circuit::value`] tells it.
    Satisfiable,
    /// There is none under the assumptions; [`Circuit::core`] tells which of them were needed.
    Unsatisfiable,
    /// The solver was asked to stop.
    Stopped,
    /// It has met as many conflicts as it was allowed.
    GaveUp,
}

/// Whoever builds the circuit was asked to stop.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Halted;

/// Asks, from inside the solver, whether to stop, and listens to what it learns.
#[derive(Default)]
struct Interrupt {
    stop: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// Conflicts met since the limit was set.
    conflicts: u64,
    /// How many there may be.
    limit: Option<u64>,
    /// What the solver was given and has learnt, if that is asked for.
    record: Option<Vec<Event>>,
}

impl Interrupt {
    fn is_at_limit(&self) -> bool {
        self.limit.is_some_and(|limit| self.conflicts >= limit)
    }
}

impl batsat::Callbacks for Interrupt {
    fn on_new_clause(&mut self, clause: &[batsat::Lit], _: batsat::ClauseKind) {
        self.conflicts += 1;
        if let Some(record) = &mut self.record {
            let literal = |lit: &batsat::Lit| {
                let variable = lit.var().idx() as Literal + 1;
                if lit.sign() { variable } else { -variable }
            };
            record.push(Event::Learnt(clause.iter().map(literal).collect()));
        }
    }

    fn stop(&self) -> bool {
        self.is_at_limit() || self.stop.as_ref().is_some_and(|stop| stop())
    }
}

/// A gate with two inputs.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Bit, Bit),
    Xor(Bit, Bit),
    /// The second if the first is true, else the third.
    Choose(Bit, Bit, Bit),
}

/// A growing circuit with its solver.
#[derive(Default)]
pub struct Circuit {
    solver: Solver<Interrupt>,
    variables: BasicVarManager,
    gates: HashMap<Gate, Bit, FixedState>,
    contradiction: bool,
    clauses: u64,
    core: Vec<Bit>,
}

impl std::fmt::Debug for Circuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Circuit")
            .field("variables", &self.variables())
            .field("clauses", &self.clauses)
            .finish()
    }
}

impl Circuit {
    /// An empty circuit. The solver asks `stop` from time to time.
    pub fn new(stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let mut circuit = Self::default();
        circuit.solver.batsat_mut().cb_mut().stop = Some(Arc::new(stop));
        circuit
    }

    /// Fails when the solver would be told to stop: for whoever builds a large circuit, which can take longer than solving it.
    pub fn go_on(&self) -> Result<(), Halted> {
        let stop = &self.solver.batsat_ref().cb().stop;
        if stop.as_ref().is_some_and(|stop| stop()) { Err(Halted) } else { Ok(()) }
    }

    /// From now on the solver gives up after so many conflicts, over all that it is asked; without a limit never.
    pub fn limit_conflicts(&mut self, limit: Option<u64>) {
        let interrupt = self.solver.batsat_mut().cb_mut();
        interrupt.limit = limit;
        interrupt.conflicts = 0;
    }

    /// From now on what the solver is given and learns is written down, for [`Circuit::refutation`] and [`Circuit::given`]. To be
    /// called before anything is required; [`Totals`] are not recorded.
    pub fn record(&mut self) {
        assert!(self.clauses == 0 && !self.contradiction, "internal error: a record without a beginning");
        self.solver.batsat_mut().cb_mut().record = Some(Vec::new());
    }

    /// Whether a record is kept.
    pub fn is_recording(&self) -> bool {
        self.solver.batsat_ref().cb().record.is_some()
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        self.solver.batsat_ref().cb().record.iter().flatten()
    }

    /// The clauses that were required since the record began.
    pub fn given(&self) -> impl Iterator<Item = &[Literal]> {
        self.events().filter_map(|event| match event {
            Event::Given(clause) => Some(&clause[..]),
            Event::Learnt(_) => None,
        })
    }

    /// Why the solver has refused everything, without assumptions: lemmas about the clauses of [`Circuit::given`], which are
    /// called 1, 2, … there. None if it has not.
    pub fn refutation(&self) -> Option<Vec<Lemma>> {
        let events: Vec<Event> = self.events().cloned().collect();
        refutation(&events)
    }

    /// How many variables the solver has.
    pub fn variables(&self) -> u64 {
        u64::from(self.variables.n_used())
    }

    /// How many clauses it was given.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// A variable of its own.
    pub fn fresh(&mut self) -> Bit {
        Bit::of(self.variables.new_var().pos_lit())
    }

    /// At least one of them is true, in every solution.
    pub fn require(&mut self, clause: &[Bit]) {
        let mut literals: Vec<Lit> = Vec::with_capacity(clause.len());
        for &bit in clause {
            match bit.constant() {
                Some(true) => return,
                Some(false) => {}
                None => literals.push(bit.lit()),
            }
        }
        if let Some(record) = &mut self.solver.batsat_mut().cb_mut().record {
            let literals = literals.iter().filter_map(|&lit| Bit::of(lit).literal());
            record.push(Event::Given(literals.collect()));
        }
        if literals.is_empty() {
            self.contradiction = true;
            return;
        }
        self.clauses += 1;
        let clause: Clause = literals.into_iter().collect();
        self.solver.add_clause(clause).expect("the solver has room for a clause");
    }

    /// In every solution in which `condition` is true, one of the others is.
    pub fn imply(&mut self, condition: Bit, clause: &[Bit]) {
        let all: Vec<Bit> = std::iter::once(!condition).chain(clause.iter().copied()).collect();
        self.require(&all);
    }

    /// Both are true.
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Bit::FALSE || a == !b {
            return Bit::FALSE;
        }
        if a == Bit::TRUE || a == b {
            return b;
        }
        if let Some(&known) = self.gates.get(&Gate::And(a, b)) {
            return known;
        }
        let gate = self.fresh();
        self.require(&[!gate, a]);
        self.require(&[!gate, b]);
        self.require(&[gate, !a, !b]);
        self.gates.insert(Gate::And(a, b), gate);
        gate
    }

    /// One of the two is true.
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    /// Exactly one of the two is true.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let negated = (a.0 ^ b.0) & 1 == 1;
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let plain = if a == b {
            Bit::FALSE
        } else if a == Bit::FALSE {
            b
        } else if let Some(&known) = self.gates.get(&Gate::Xor(a, b)) {
            known
        } else {
            let gate = self.fresh();
            self.require(&[!gate, a, b]);
            self.require(&[!gate, !a, !b]);
            self.require(&[gate, !a, b]);
            self.require(&[gate, a, !b]);
            self.gates.insert(Gate::Xor(a, b), gate);
            gate
        };
        if negated { !plain } else { plain }
    }

    /// `yes` if the condition is true, else `no`.
    pub fn choose(&mut self, condition: Bit, yes: Bit, no: Bit) -> Bit {
        if yes == no {
            return yes;
        }
        match (condition.constant(), yes.constant(), no.constant()) {
            (Some(known), ..) => return if known { yes } else { no },
            (None, Some(true), _) => return self.or(condition, no),
            (None, Some(false), _) => return self.and(!condition, no),
            (None, None, Some(true)) => return self.or(!condition, yes),
            (None, None, Some(false)) => return self.and(condition, yes),
            (None, None, None) => {}
        }
        if yes == !no {
            return !self.xor(condition, yes);
        }
        let key = Gate::Choose(condition, yes, no);
        if let Some(&known) = self.gates.get(&key) {
            return known;
        }
        let gate = self.fresh();
        self.require(&[!condition, !yes, gate]);
        self.require(&[!condition, yes, !gate]);
        self.require(&[condition, !no, gate]);
        self.require(&[condition, no, !gate]);
        // Not needed, but they let the solver conclude before the condition is known.
        self.require(&[!yes, !no, gate]);
        self.require(&[yes, no, !gate]);
        self.gates.insert(key, gate);
        gate
    }

    /// All of them are true.
    pub fn all(&mut self, bits: &[Bit]) -> Bit {
        let mut inputs: Vec<Bit> = bits.iter().copied().filter(|&bit| bit != Bit::TRUE).collect();
        inputs.sort();
        inputs.dedup();
        if inputs.contains(&Bit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bit::FALSE;
        }
        match inputs[..] {
            [] => Bit::TRUE,
            [one] => one,
            [a, b] => self.and(a, b),
            _ => {
                let gate = self.fresh();
                for &input in &inputs {
                    self.require(&[!gate, input]);
                }
                let mut back: Vec<Bit> = inputs.iter().map(|&input| !input).collect();
                back.push(gate);
                self.require(&back);
                gate
            }
        }
    }

    /// One of them is true.
    pub fn any(&mut self, bits: &[Bit]) -> Bit {
        let negated: Vec<Bit> = bits.iter().map(|&bit| !bit).collect();
        !self.all(&negated)
    }

    /// No two of them are true.
    pub fn at_most_one(&mut self, bits: &[Bit]) {
        for (i, &a) in bits.iter().enumerate() {
            for &b in &bits[i + 1..] {
                self.require(&[!a, !b]);
            }
        }
    }

    /// Looks for a solution in which the assumptions are true.
    pub fn solve(&mut self, assumptions: &[Bit]) -> Answer {
        self.core.clear();
        if self.contradiction {
            return Answer::Unsatisfiable;
        }
        if let Some(&never) = assumptions.iter().find(|&&bit| bit == Bit::FALSE) {
            self.core.push(never);
            return Answer::Unsatisfiable;
        }
        let literals: Vec<Lit> =
            assumptions.iter().filter(|bit| bit.constant().is_none()).map(|bit| bit.lit()).collect();
        if let Some(last) = self.variables.max_var() {
            self.solver.reserve(last).expect("the solver has room for its variables");
        }
        match self.solver.solve_assumps(&literals).expect("the solver can be asked") {
            SolverResult::Sat => Answer::Satisfiable,
            SolverResult::Interrupted if self.solver.batsat_ref().cb().is_at_limit() => Answer::GaveUp,
            SolverResult::Interrupted => Answer::Stopped,
            SolverResult::Unsat => {
                // The core is a clause: the negations of the assumptions that were needed.
                let core = self.solver.core().expect("the solver has just refused");
                self.core = core.into_iter().map(|lit| !Bit::of(lit)).collect();
                Answer::Unsatisfiable
            }
        }
    }

    /// The assumptions that the last refusal needed.
    pub fn core(&self) -> &[Bit] {
        &self.core
    }

    /// The value in the last solution. What the solver left open is 0.
    pub fn value(&self, bit: Bit) -> bool {
        bit.constant().unwrap_or_else(|| matches!(self.solver.lit_val(bit.lit()), Ok(TernaryVal::True)))
    }
}

/// How many of some bits are true, bounded by assumptions. Bits and bounds can be added between questions.
#[derive(Debug, Default)]
pub struct Totals {
    totalizer: Totalizer,
}

impl Totals {
    /// Of these. Constants are not counted.
    pub fn of(bits: impl IntoIterator<Item = Bit>) -> Self {
        let bits = bits.into_iter().filter(|bit| bit.constant().is_none()).map(Bit::lit);
        Self { totalizer: bits.collect() }
    }

    /// Assumptions under which at most `bound` of them are true.
    pub fn at_most(&mut self, bound: usize, circuit: &mut Circuit) -> Vec<Bit> {
        let Circuit { solver, variables, .. } = circuit;
        self.totalizer
            .encode_ub_change(bound..=bound, solver, variables)
            .expect("the solver has room for clauses");
        let assumptions = self.totalizer.enforce_ub(bound).expect("the bound has just been encoded");
        assumptions.into_iter().map(Bit::of).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::lemma::check;

    #[test]
    fn gates_are_what_they_are_called() {
        // Every combination of two constants and two variables, against the truth table.
        let mut circuit = Circuit::default();
        let (x, y) = (circuit.fresh(), circuit.fresh());
        let inputs = [Bit::FALSE, Bit::TRUE, x, !x, y, !y];
        let mut gates = Vec::new();
        for &a in &inputs {
            for &b in &inputs {
                gates.push((a, b, circuit.and(a, b), circuit.or(a, b), circuit.xor(a, b)));
            }
        }
        let mut chosen = Vec::new();
        for &a in &inputs {
            for &b in &inputs {
                for &c in &inputs {
                    chosen.push((a, b, c, circuit.choose(a, b, c)));
                }
            }
        }
        for case in 0..4 {
            let assume = [if case & 1 == 1 { x } else { !x }, if case & 2 == 2 { y } else { !y }];
            assert_eq!(circuit.solve(&assume), Answer::Satisfiable);
            for &(a, b, and, or, xor) in &gates {
                let (a, b) = (circuit.value(a), circuit.value(b));
                assert_eq!(
                    (circuit.value(and), circuit.value(or), circuit.value(xor)),
                    (a && b, a || b, a != b)
                );
            }
            for &(a, b, c, choose) in &chosen {
                let expected = if circuit.value(a) { circuit.value(b) } else { circuit.value(c) };
                assert_eq!(circuit.value(choose), expected);
            }
        }
    }

    #[test]
    fn totals_bound_and_the_core_names_the_bound() {
        let mut circuit = Circuit::default();
        let bits: Vec<Bit> = (0..5).map(|_| circuit.fresh()).collect();
        circuit.require(&[bits[0], bits[1]]);
        circuit.require(&[bits[2], bits[3]]);
        let mut totals = Totals::of(bits.iter().copied());
        let one = totals.at_most(1, &mut circuit);
        assert_eq!(circuit.solve(&one), Answer::Unsatisfiable);
        assert!(!circuit.core().is_empty() && circuit.core().iter().all(|bit| one.contains(bit)));
        let two = totals.at_most(2, &mut circuit);
        assert_eq!(circuit.solve(&two), Answer::Satisfiable);
        assert_eq!(bits.iter().filter(|&&bit| circuit.value(bit)).count(), 2);
        circuit.require(&[!bits[0]]);
        circuit.require(&[!bits[1]]);
        assert_eq!(circuit.solve(&two), Answer::Unsatisfiable);
        assert!(circuit.core().is_empty(), "it is refused without any assumption");
    }

    /// One pigeon more than holes.
    fn pigeons(circuit: &mut Circuit, holes: usize) {
        let at: Vec<Vec<Bit>> = (0..=holes).map(|_| (0..holes).map(|_| circuit.fresh()).collect()).collect();
        for pigeon in &at {
            circuit.require(pigeon);
        }
        for hole in 0..holes {
            let here: Vec<Bit> = at.iter().map(|pigeon| pigeon[hole]).collect();
            circuit.at_most_one(&here);
        }
    }

    #[test]
    fn what_the_solver_refuses_can_be_checked() {
        for holes in 2..6 {
            let mut circuit = Circuit::default();
            circuit.record();
            pigeons(&mut circuit, holes);
            assert_eq!(circuit.refutation(), None, "nobody has asked the solver");
            assert_eq!(circuit.solve(&[]), Answer::Unsatisfiable);
            let lemmas = circuit.refutation().expect("the solver has refused");
            let clauses: BTreeMap<u32, Vec<Literal>> =
                (1..).zip(circuit.given().map(<[_]>::to_vec)).collect();
            assert_eq!(check(clauses, &lemmas), Ok(()), "{holes} holes");
        }
        let mut circuit = Circuit::default();
        circuit.record();
        circuit.require(&[Bit::FALSE]);
        assert_eq!(circuit.solve(&[]), Answer::Unsatisfiable);
        assert_eq!(circuit.refutation().map(|lemmas| lemmas.len()), Some(1));
    }

    #[test]
    fn the_solver_stops_when_asked() {
        // Nine pigeons in eight holes takes a while; the answer is immediate.
        let mut circuit = Circuit::new(|| true);
        pigeons(&mut circuit, 8);
        assert_eq!(circuit.solve(&[]), Answer::Stopped);
    }

    #[test]
    fn the_solver_gives_up_at_its_limit_and_goes_on_without_one() {
        let mut circuit = Circuit::default();
        pigeons(&mut circuit, 5);
        circuit.limit_conflicts(Some(3));
        assert_eq!(circuit.solve(&[]), Answer::GaveUp);
        circuit.limit_conflicts(None);
        assert_eq!(circuit.solve(&[]), Answer::Unsatisfiable);
    }
}
