//! Which values a cell or register can ever hold: a cheap forward analysis, without control flow and without a memory
//! model (a write that is delayed was written with the same value). What is found holds under every model.
//!
//! Sets grow from the initial values until no micro-operation adds anything. An expression is evaluated for all
//! combinations of the values of its registers that pass the guards of the same step about the same registers; so
//! `guard j < 3; j = j + 1` keeps `j` within 0 to 3. A set that grows past [`MOST_VALUES`] becomes the whole domain.

use std::collections::BTreeSet;

use fencewright_base::{Index, IndexVec, Int};

use crate::{
    Addr, BinaryOp, CellId, ChannelId, Domain, Expr, Init, Op, Program, RegExpr, RegId, Step, Target,
    ThreadId,
};

/// The most values a set may have. Each can cost a round of the analysis.
const MOST_VALUES: usize = 64;

/// The most combinations of values for which an expression is evaluated.
const MOST_COMBINATIONS: usize = 512;

/// Some values, or `None` for all of the domain.
pub type Values = Option<BTreeSet<Int>>;

/// The values that the parts of a state can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleValues {
    /// Those of each cell, in memory and pending.
    pub cells: IndexVec<CellId, Values>,
    /// Those of each thread's registers.
    pub registers: IndexVec<ThreadId, IndexVec<RegId, Values>>,
}

/// The values that cells and registers can ever hold, under any model.
pub fn possible_values(program: &Program) -> PossibleValues {
    let initial = |init: &Init| match init {
        Init::Value(value) => Some(BTreeSet::from([value.clone()])),
        Init::Any => None,
    };
    let mut analysis = Analysis {
        program,
        found: PossibleValues {
            cells: program.cells().map(|(_, _, init)| initial(init)).collect(),
            registers: (program.threads.iter())
                .map(|thread| thread.regs.iter().map(|reg| initial(&reg.init)).collect())
                .collect(),
        },
        sent: program.channels.iter().map(|channel| vec![Some(BTreeSet::new()); channel.arity]).collect(),
        now: 1,
        grown: Grown {
            cells: program.cells().map(|_| 0).collect(),
            registers: (program.threads.iter())
                .map(|thread| thread.regs.iter().map(|_| 0).collect())
                .collect(),
            channels: program.channels.iter().map(|_| 0).collect(),
        },
    };
    // When each step was looked at. It gives nothing new until something that it looks at has grown.
    let mut seen: Vec<Vec<Option<u64>>> =
        program.threads.iter().map(|thread| vec![None; thread.edges.len()]).collect();
    let mut at_rest = false;
    while !at_rest {
        at_rest = true;
        for ((thread, automaton), seen) in program.threads.iter_enumerated().zip(&mut seen) {
            for (edge, seen) in automaton.edges.iter().zip(seen) {
                if seen.is_none_or(|seen| analysis.has_grown(thread, &edge.step, seen)) {
                    *seen = Some(analysis.now);
                    analysis.step(thread, &edge.step);
                    at_rest = false;
                }
            }
        }
    }
    analysis.found
}

/// When the values of something became more, by the clock of the analysis.
struct Grown {
    cells: IndexVec<CellId, u64>,
    registers: IndexVec<ThreadId, IndexVec<RegId, u64>>,
    channels: IndexVec<ChannelId, u64>,
}

struct Analysis<'p> {
    program: &'p Program,
    found: PossibleValues,
    /// What goes over each channel.
    sent: IndexVec<ChannelId, Vec<Values>>,
    /// A clock that goes on with every growth.
    now: u64,
    grown: Grown,
}

impl<'p> Analysis<'p> {
    /// Whether anything that the step looks at has grown since.
    fn has_grown(&self, thread: ThreadId, step: &Step, since: u64) -> bool {
        let registers = &self.grown.registers[thread];
        let of_expr = |expr: &RegExpr| {
            let mut grown = false;
            expr.for_each_atom(&mut |reg| grown |= registers[*reg] > since);
            grown
        };
        let of_addr = |addr: &Addr| match addr {
            Addr::Cell(_) => false,
            Addr::Indexed { index, .. } => of_expr(index),
        };
        let of_memory = |addr: &Addr| match addr {
            Addr::Cell(cell) => self.grown.cells[*cell] > since,
            Addr::Indexed { first, len, .. } => {
                (0..*len as usize).any(|i| self.grown.cells[CellId::new(first.index() + i)] > since)
            }
        };
        step.ops.iter().any(|op| match op {
            Op::Read { dst: _, addr } => of_addr(addr) || of_memory(addr),
            Op::Write { addr, value } => of_addr(addr) || of_expr(value),
            Op::Assign { dst: _, value } => of_expr(value),
            Op::Guard(condition) | Op::Assert(condition) => of_expr(condition),
            Op::Havoc { .. } | Op::Fence(_) => false,
            Op::Send { channel: _, values } => values.iter().any(of_expr),
            Op::Receive { channel, targets } => {
                let of_target = |target: &Target| match target {
                    Target::Register(_) => false,
                    Target::Memory(addr) => of_addr(addr),
                };
                self.grown.channels[*channel] > since || targets.iter().any(of_target)
            }
        })
    }

    fn step(&mut self, thread: ThreadId, step: &Step) {
        // Conjuncts of the guards so far, about registers that have not changed since.
        let mut known: Vec<&RegExpr> = Vec::new();
        for op in &step.ops {
            match op {
                Op::Read { dst, addr } => {
                    known.retain(|guard| !mentions(guard, *dst));
                    for cell in self.window(thread, addr, &known) {
                        let values = self.found.cells[cell].clone();
                        self.add_to_register(thread, *dst, values);
                    }
                }
                Op::Write { addr, value } => {
                    let mut cells = self.window(thread, addr, &known);
                    cells.retain(|cell| self.found.cells[*cell].is_some());
                    // All of them are of one variable.
                    if let Some(first) = cells.first() {
                        let values = self.eval(thread, value, &known, Some(self.domain_of(*first)));
                        for cell in cells {
                            self.add_to_cell(cell, values.clone());
                        }
                    }
                }
                Op::Assign { dst, value } => {
                    if self.found.registers[thread][*dst].is_some() {
                        let domain = &self.program.threads[thread].regs[*dst].domain;
                        let values = self.eval(thread, value, &known, Some(domain));
                        self.add_to_register(thread, *dst, values);
                    }
                    known.retain(|guard| !mentions(guard, *dst));
                }
                Op::Guard(condition) | Op::Assert(condition) => conjuncts(condition, &mut known),
                Op::Havoc { dst } => {
                    known.retain(|guard| !mentions(guard, *dst));
                    self.add_to_register(thread, *dst, None);
                }
                Op::Fence(_) => {}
                Op::Send { channel, values } => {
                    for (i, value) in values.iter().enumerate() {
                        let values = self.eval(thread, value, &known, None);
                        if grow(&mut self.sent[*channel][i], values, &Domain::Integers) {
                            self.now += 1;
                            self.grown.channels[*channel] = self.now;
                        }
                    }
                }
                Op::Receive { channel, targets } => {
                    for (i, target) in targets.iter().enumerate() {
                        let values = self.sent[*channel][i].clone();
                        match target {
                            Target::Register(reg) => {
                                known.retain(|guard| !mentions(guard, *reg));
                                self.add_to_register(thread, *reg, values);
                            }
                            Target::Memory(addr) => {
                                for cell in self.window(thread, addr, &known) {
                                    self.add_to_cell(cell, values.clone());
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn domain_of(&self, cell: CellId) -> &'p Domain {
        &self.program.vars[self.program.variable_of(cell).0].domain
    }

    fn add_to_cell(&mut self, cell: CellId, values: Values) {
        let domain = self.domain_of(cell);
        if grow(&mut self.found.cells[cell], values, domain) {
            self.now += 1;
            self.grown.cells[cell] = self.now;
        }
    }

    fn add_to_register(&mut self, thread: ThreadId, reg: RegId, values: Values) {
        let domain = &self.program.threads[thread].regs[reg].domain;
        if grow(&mut self.found.registers[thread][reg], values, domain) {
            self.now += 1;
            self.grown.registers[thread][reg] = self.now;
        }
    }

    /// The cells an address may stand for.
    fn window(&self, thread: ThreadId, addr: &Addr, known: &[&RegExpr]) -> Vec<CellId> {
        match addr {
            Addr::Cell(cell) => vec![*cell],
            Addr::Indexed { first, len, index, outside: _ } => {
                let at = |i: usize| CellId::new(first.index() + i);
                match self.eval(thread, index, known, None) {
                    Some(values) => {
                        let inside = |value: &Int| usize::try_from(value.to_i64()?).ok();
                        let inside = values.iter().filter_map(inside);
                        inside.filter(|&i| i < *len as usize).map(at).collect()
                    }
                    None => (0..*len as usize).map(at).collect(),
                }
            }
        }
    }

    /// The values of an expression; with a domain, what becomes of them there, and no more than a set may have.
    fn eval(&self, thread: ThreadId, expr: &RegExpr, known: &[&RegExpr], domain: Option<&Domain>) -> Values {
        let registers = &self.found.registers[thread];
        let mut atoms: Vec<RegId> = Vec::new();
        expr.for_each_atom(&mut |&reg| {
            if !atoms.contains(&reg) {
                atoms.push(reg);
            }
        });
        let mut combinations = 1usize;
        let mut choices: Vec<Vec<&Int>> = Vec::new();
        for &reg in &atoms {
            let values = registers[reg].as_ref()?;
            combinations = combinations.saturating_mul(values.len());
            choices.push(values.iter().collect());
        }
        if combinations > MOST_COMBINATIONS {
            return None;
        }
        let guards: Vec<&RegExpr> = known.iter().copied().filter(|guard| all_atoms(guard, &atoms)).collect();
        let mut result = BTreeSet::new();
        for number in 0..combinations {
            let mut rest = number;
            let values: Vec<&Int> = choices
                .iter()
                .map(|choices| {
                    let value = choices[rest % choices.len()];
                    rest /= choices.len();
                    value
                })
                .collect();
            let mut atom = |reg: &RegId| {
                let place = atoms.iter().position(|atom| atom == reg).expect("it is one of the atoms");
                values[place].clone()
            };
            let passes = guards.iter().all(|guard| guard.eval(&mut atom).is_ok_and(|value| value.is_true()));
            if passes && let Ok(value) = expr.eval(&mut atom) {
                match domain {
                    None => result.extend([value]),
                    Some(domain) => result.extend(domain.admit(value)),
                }
                if domain.is_some() && result.len() > MOST_VALUES {
                    return None;
                }
            }
        }
        Some(result)
    }
}

/// Adds what the domain admits of `values`; says whether that was anything new.
fn grow(known: &mut Values, values: Values, domain: &Domain) -> bool {
    let Some(set) = known else { return false };
    let Some(values) = values else {
        *known = None;
        return true;
    };
    let before = set.len();
    set.extend(values.into_iter().filter_map(|value| domain.admit(value)));
    let grown = set.len() > before;
    // Numbers that do not fit in 64 bits could grow without bound before there are too many.
    if set.len() > MOST_VALUES || set.iter().any(|value| value.to_i64().is_none()) {
        *known = None;
    }
    grown
}

fn conjuncts<'e>(condition: &'e RegExpr, found: &mut Vec<&'e RegExpr>) {
    match condition {
        Expr::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        other => found.push(other),
    }
}

fn mentions(expr: &RegExpr, reg: RegId) -> bool {
    let mut mentioned = false;
    expr.for_each_atom(&mut |atom| mentioned |= *atom == reg);
    mentioned
}

fn all_atoms(expr: &RegExpr, among: &[RegId]) -> bool {
    let mut all = true;
    expr.for_each_atom(&mut |atom| all &= among.contains(atom));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProgramBuilder, ThreadBuilder};

    fn ints(values: &[i64]) -> Values {
        Some(values.iter().map(|&value| Int::from(value)).collect())
    }

    #[test]
    fn a_guard_of_the_same_step_bounds_what_it_counts() {
        let byte = || Domain::Machine { bits: 8, signed: false };
        let mut p = ProgramBuilder::new("p");
        let s = p.statement("s", None);
        let x = p.scalar("x", byte(), Init::Value(Int::from(255)), None);
        let mut t = ThreadBuilder::new("P");
        let j = t.register("j", byte(), Init::Value(Int::ZERO));
        let free = t.register("free", byte(), Init::Value(Int::ZERO));
        let count = |reg: RegId| Op::Assign { dst: reg, value: Expr::Atom(reg).add(Expr::constant(1)) };
        let l = t.entry();
        let below_three = Expr::Atom(j).binary(BinaryOp::Lt, Expr::constant(3));
        let ops = [Op::Guard(below_three), count(j)].into_iter().collect();
        t.edge(l, l, Step { ops, lock: None, statement: s });
        t.edge(l, l, Step::of(count(free), s));
        t.edge(l, l, Step::of(Op::Write { addr: Addr::Cell(x), value: Expr::Atom(j) }, s));
        p.add_thread(t);
        let found = possible_values(p.program());
        assert_eq!(found.registers[ThreadId(0)][j], ints(&[0, 1, 2, 3]));
        assert_eq!(found.registers[ThreadId(0)][free], None, "255 + 1 goes round, through all of the domain");
        assert_eq!(found.cells[x], ints(&[0, 1, 2, 3, 255]));
    }
}
