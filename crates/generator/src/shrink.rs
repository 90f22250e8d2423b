//! Smaller programs that still fail.
//!
//! Greedy: an edit is kept if its result is valid, weighs less and still fails, and the next is tried on it; when a round of all
//! edits keeps none, no single edit is left. Edits go from the large to the small: threads, statements, what is around
//! statements, values, flags. Nothing is numbered again: what is not reached any more is not written.

use crate::render::Language;
use crate::tree::{Callee, Condition, Expr, IntType, LoopKind, Program, Routine, Statement, Table};
use crate::valid::is_valid;
use crate::walk::{self, Visitor};

/// The smallest program reached from `program` for which `fails` still says so. `fails(program)` must hold. Whoever wants an end
/// in time lets `fails` say no from then on.
pub fn shrink(program: &Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    let mut least = weight(&smallest);
    loop {
        let before = least;
        for edits in EDITS {
            let mut at = 0;
            let mut candidates = edits(&smallest);
            while let Some(candidate) = candidates.get(at) {
                let weighs = weight(candidate);
                if weighs < least && is_valid(candidate) && fails(candidate) {
                    smallest = candidate.clone();
                    least = weighs;
                    candidates = edits(&smallest);
                } else {
                    at += 1;
                }
            }
        }
        if least == before {
            return smallest;
        }
    }
}

/// How large a program is to a reader: its text, and what of it is odd.
pub fn weight(program: &Program) -> usize {
    let flags = program.groups.iter().map(|group| usize::from(group.in_loop) + usize::from(group.by_address));
    let volatile = program.globals.iter().filter(|global| global.is_volatile).count();
    let virtual_tables = program.tables.iter().filter(|table| table.is_virtual).count();
    let odd = flags.sum::<usize>() + volatile + virtual_tables + usize::from(program.uses_posix);
    program.render(Language::C).len() + 50 * (odd + program.n_threads())
}

/// Programs that differ from one by a single edit of a kind.
type Edits = fn(&Program) -> Vec<Program>;

const EDITS: [Edits; 6] =
    [without_threads, without_parts, other_blocks, other_conditions, other_values, plainer];

/// Fewer threads.
fn without_threads(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    let mut first = 0;
    for (number, group) in program.groups.iter().enumerate() {
        if program.n_threads() > group.count {
            let mut candidate = program.clone();
            candidate.groups.remove(number);
            walk::program(&mut candidate, &mut FewerThreads { first, gone: group.count });
            candidates.push(candidate);
        }
        if group.count > 1 {
            let mut candidate = program.clone();
            candidate.groups[number].count -= 1;
            walk::program(&mut candidate, &mut FewerThreads { first: first + group.count - 1, gone: 1 });
            candidates.push(candidate);
        }
        first += group.count;
    }
    candidates
}

/// Numbers the results of the threads that are left.
struct FewerThreads {
    first: usize,
    gone: usize,
}

impl Visitor for FewerThreads {
    fn expr(&mut self, expr: &mut Expr) {
        let Expr::Joined(number) = expr else { return };
        if *number >= self.first + self.gone {
            *number -= self.gone;
        } else if *number >= self.first {
            *expr = Expr::Constant(IntType::I64, 0);
        }
    }
}

/// Without the constructor, a part of `main`, a value of the outcome, a result.
fn without_parts(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    let mut edit = |f: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        f(&mut candidate);
        candidates.push(candidate);
    };
    edit(&|program| program.constructor = None);
    edit(&|program| program.meanwhile.clear());
    edit(&|program| program.afterwards.clear());
    edit(&|program| program.main.body.clear());
    for number in 0..program.out.len() {
        edit(&|program| {
            program.out.remove(number);
        });
    }
    for number in 0..program.groups.len() {
        edit(&|program| program.groups[number].routine.result = None);
    }
    candidates
}

struct Collected {
    blocks: Vec<Vec<Statement>>,
    exprs: Vec<Expr>,
    conditions: Vec<Condition>,
}

impl Collected {
    fn of(program: &Program) -> Self {
        let mut collected = Self { blocks: Vec::new(), exprs: Vec::new(), conditions: Vec::new() };
        walk::program(&mut program.clone(), &mut collected);
        collected
    }
}

impl Visitor for Collected {
    fn block(&mut self, block: &mut Vec<Statement>) {
        self.blocks.push(block.clone());
    }

    fn expr(&mut self, expr: &mut Expr) {
        self.exprs.push(expr.clone());
    }

    fn condition(&mut self, condition: &mut Condition) {
        self.conditions.push(condition.clone());
    }
}

/// What is put in the place of the part that is visited as the n-th of its kind.
struct Replace {
    left: usize,
    with: Option<Part>,
}

enum Part {
    Block(Vec<Statement>),
    Expr(Expr),
    Condition(Condition),
}

impl Replace {
    fn nth(program: &Program, number: usize, with: Part) -> Program {
        let mut candidate = program.clone();
        walk::program(&mut candidate, &mut Replace { left: number, with: Some(with) });
        candidate
    }

    /// Whether it is the turn of this one; counts it.
    fn is_turn(&mut self) -> bool {
        let is_turn = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        is_turn
    }
}

impl Visitor for Replace {
    fn block(&mut self, block: &mut Vec<Statement>) {
        if matches!(self.with, Some(Part::Block(_)))
            && self.is_turn()
            && let Some(Part::Block(new)) = self.with.take()
        {
            *block = new;
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if matches!(self.with, Some(Part::Expr(_)))
            && self.is_turn()
            && let Some(Part::Expr(new)) = self.with.take()
        {
            *expr = new;
        }
    }

    fn condition(&mut self, condition: &mut Condition) {
        if matches!(self.with, Some(Part::Condition(_)))
            && self.is_turn()
            && let Some(Part::Condition(new)) = self.with.take()
        {
            *condition = new;
        }
    }
}

/// Fewer statements in a block, or what is within one of them instead of it.
fn other_blocks(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    for (number, block) in Collected::of(program).blocks.into_iter().enumerate() {
        let mut variants = Vec::new();
        if block.len() > 1 {
            variants.push(Vec::new());
            let (first, second) = block.split_at(block.len() / 2);
            variants.extend([first.to_vec(), second.to_vec()]);
        }
        for at in 0..block.len() {
            let with = |inner: &[Statement]| {
                let mut variant = block.clone();
                variant.splice(at..=at, inner.iter().cloned());
                variant
            };
            variants.push(with(&[]));
            variants.extend(within(&block[at]).iter().map(|inner| with(inner)));
        }
        candidates
            .extend(variants.into_iter().map(|block| Replace::nth(program, number, Part::Block(block))));
    }
    candidates
}

/// What can stand for a statement: the blocks within it, or a simpler form.
fn within(statement: &Statement) -> Vec<Vec<Statement>> {
    match statement {
        Statement::If(_, then, otherwise) => vec![then.clone(), otherwise.clone()],
        Statement::Switch { on, arms, default } => {
            let mut variants: Vec<Vec<Statement>> = arms.iter().map(|arm| arm.body.clone()).collect();
            variants.push(default.clone());
            for number in 0..arms.len() {
                let mut fewer = arms.clone();
                fewer.remove(number);
                let (on, default) = (on.clone(), default.clone());
                variants.push(vec![Statement::Switch { on, arms: fewer, default }]);
            }
            variants
        }
        Statement::Loop { kind, number, times, body } => {
            let mut variants = vec![body.clone()];
            let mut form = |kind: LoopKind, times: u32| {
                variants.push(vec![Statement::Loop { kind, number: *number, times, body: body.clone() }]);
            };
            form(*kind, 1);
            form(LoopKind::For, *times);
            form(*kind, times.saturating_sub(1).max(1));
            variants
        }
        Statement::Lock(_, body) | Statement::Heap { body, .. } => vec![body.clone()],
        Statement::CompareExchange { place, expected, new, success, failure, done: Some(_) } => {
            vec![vec![Statement::CompareExchange {
                place: place.clone(),
                expected: expected.clone(),
                new: new.clone(),
                success: *success,
                failure: *failure,
                done: None,
            }]]
        }
        _ => Vec::new(),
    }
}

fn other_conditions(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    for (number, condition) in Collected::of(program).conditions.into_iter().enumerate() {
        let constant = |value| Condition::Nonzero(Expr::Constant(IntType::U32, value));
        let mut variants = vec![constant(0), constant(1)];
        match condition {
            Condition::Not(inner) => variants.push(*inner),
            Condition::And(a, b) | Condition::Or(a, b) => variants.extend([*a, *b]),
            Condition::Compare(_, a, b) => variants.extend([Condition::Nonzero(a), Condition::Nonzero(b)]),
            Condition::Same(..) | Condition::Nonzero(_) => {}
        }
        let variants = variants.into_iter();
        candidates.extend(variants.map(|one| Replace::nth(program, number, Part::Condition(one))));
    }
    candidates
}

fn other_values(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    for (number, expr) in Collected::of(program).exprs.into_iter().enumerate() {
        let mut variants = vec![Expr::Constant(IntType::U32, 0), Expr::Constant(IntType::U32, 1)];
        match expr {
            Expr::Constant(ty, _) => variants = vec![Expr::Constant(ty, 0), Expr::Constant(ty, 1)],
            Expr::Negative(inner) | Expr::Complement(inner) | Expr::Cast(_, inner) => variants.push(*inner),
            Expr::Binary(_, _, a, b) | Expr::Choose(_, a, b) => variants.extend([*a, *b]),
            Expr::Modify { place, op: _, value: _, order } => variants.push(Expr::AtomicLoad(place, order)),
            Expr::Truth(_, condition) => match *condition {
                Condition::Compare(_, a, b) => variants.extend([a, b]),
                Condition::Nonzero(value) => variants.push(value),
                Condition::Same(..) | Condition::Not(_) | Condition::And(..) | Condition::Or(..) => {}
            },
            Expr::Call(call) => {
                variants.extend(call.arguments.iter().cloned());
                let called = match call.callee {
                    Callee::Table(table, _) => {
                        program.tables.get(table).map_or(&[][..], |t| &t.functions[..])
                    }
                    Callee::Slot(slot) => program.function_slots.get(slot..=slot).unwrap_or_default(),
                    Callee::Direct(_) | Callee::Itself => &[],
                };
                for function in called {
                    let mut direct = call.clone();
                    direct.callee = Callee::Direct(*function);
                    variants.push(Expr::Call(direct));
                }
            }
            Expr::Load(_)
            | Expr::AtomicLoad(..)
            | Expr::Bytes { .. }
            | Expr::Address(_)
            | Expr::Counter(_)
            | Expr::Joined(_)
            | Expr::Left(_) => {}
        }
        candidates.extend(variants.into_iter().map(|one| Replace::nth(program, number, Part::Expr(one))));
    }
    candidates
}

/// The same program in a plainer form.
fn plainer(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    let mut edit = |f: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        f(&mut candidate);
        candidates.push(candidate);
    };
    edit(&|program| program.uses_posix = false);
    for number in 0..program.groups.len() {
        edit(&|program| program.groups[number].in_loop = false);
        edit(&|program| program.groups[number].by_address = false);
    }
    for number in 0..program.globals.len() {
        edit(&|program| program.globals[number].is_volatile = false);
        edit(&|program| {
            if let crate::tree::Initial::Numbers(numbers) = &mut program.globals[number].initial {
                numbers.clear();
            }
        });
    }
    for number in 0..program.tables.len() {
        edit(&|program| program.tables[number].is_virtual = false);
        edit(&|program| {
            let table: &mut Table = &mut program.tables[number];
            table.functions.truncate(1);
        });
    }
    for record in 0..program.records.len() {
        for field in 0..program.records[record].fields.len() {
            edit(&|program| program.records[record].fields[field].bit_field = None);
        }
    }
    for number in 0..program.functions.len() {
        edit(&|program| program.functions[number].is_recursive = false);
    }
    // Variables that nothing names are written all the same, and they are numbered: the last ones go.
    let mut n_routines = 0;
    walk::each_routine(&mut program.clone(), &mut |_| n_routines += 1);
    for number in 0..n_routines {
        edit(&|program| {
            nth_routine(program, number, &mut |routine| {
                if routine.locals.len() > routine.n_parameters {
                    routine.locals.pop();
                }
            });
        });
    }
    candidates
}

fn nth_routine(program: &mut Program, number: usize, f: &mut dyn FnMut(&mut Routine)) {
    let mut at = 0;
    walk::each_routine(program, &mut |routine| {
        if at == number {
            f(routine);
        }
        at += 1;
    });
}
