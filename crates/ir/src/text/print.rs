//! Program to text.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};

use fencewright_base::{Index, IndexVec, Span};

use super::is_plain;
use crate::{
    Addr, CellId, Channel, ChannelId, Claim, Condition, Domain, Edge, Expr, Fairness, FenceKind, Formula,
    Init, LocationSet, Lock, NeverMove, NeverState, Op, OrderWord, Outside, Program, Property, Quantifier,
    RegId, StateAtom, Statement, Step, Target, Temporal, Thread, ThreadId, UnaryOp, Variable,
};

/// The program as text. [`parse`](super::parse) gives it back.
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    let printer = Printer::new(program);
    printer.program(&mut text).expect("writing to a string does not fail");
    text
}

struct Printer<'p> {
    program: &'p Program,
    /// How each cell, each channel, each thread, and each thread's registers are called.
    cells: Vec<String>,
    channels: IndexVec<ChannelId, String>,
    threads: IndexVec<ThreadId, String>,
    registers: IndexVec<ThreadId, IndexVec<RegId, String>>,
}

/// Names where they are unique, numbers where not.
fn call<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names.clone() {
        *count.entry(name).or_default() += 1;
    }
    names.enumerate().map(|(i, name)| if count[name] == 1 { quote(name) } else { format!("#{i}") }).collect()
}

fn quote(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { format!("{name:?}") }
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        let vars = call(program.vars.iter().map(|var| var.name.as_str()));
        let mut cells = Vec::new();
        for (called, var) in vars.iter().zip(&program.vars) {
            for i in 0..var.init.len() {
                cells.push(match (called.starts_with('#'), var.is_array) {
                    (true, _) => format!("#{}", cells.len()),
                    (false, true) => format!("{called}[{i}]"),
                    (false, false) => called.clone(),
                });
            }
        }
        Self {
            program,
            cells,
            channels: call(program.channels.iter().map(|channel| channel.name.as_str())).into(),
            threads: call(program.threads.iter().map(|thread| thread.name.as_str())).into(),
            registers: program
                .threads
                .iter()
                .map(|thread| call(thread.regs.iter().map(|reg| reg.name.as_str())).into())
                .collect(),
        }
    }

    fn program(&self, out: &mut String) -> fmt::Result {
        let Program { name, vars, channels, threads, statements, orders, properties, wording: _ } =
            self.program;
        writeln!(out, "program {}", quote(name))?;
        if !vars.is_empty() {
            writeln!(out)?;
        }
        for Variable { name, domain, init, is_array, first_cell: _, direct, span } in vars {
            write!(out, "{} {}", if *direct { "direct" } else { "var" }, quote(name))?;
            if *is_array {
                write!(out, "[{}]", init.len())?;
            }
            let init: Vec<String> = init.iter().map(initial).collect();
            writeln!(out, ": {} = {}{}", domain_text(domain), init.join(", "), at(*span))?;
        }
        for Channel { name, arity, span } in channels {
            writeln!(out, "channel {} {arity}{}", quote(name), at(*span))?;
        }
        if !statements.is_empty() {
            writeln!(out)?;
        }
        for (id, statement) in statements.iter_enumerated() {
            let Statement { text, span, loop_depth, fence_before, fence_after } = statement;
            write!(out, "statement {id:?} {text:?}{}", at(*span))?;
            if *loop_depth > 0 {
                write!(out, " loop {loop_depth}")?;
            }
            match (fence_before, fence_after) {
                (true, true) => write!(out, " fence before after")?,
                (true, false) => write!(out, " fence before")?,
                (false, true) => write!(out, " fence after")?,
                (false, false) => {}
            }
            writeln!(out)?;
        }
        for (id, thread) in threads.iter_enumerated() {
            self.thread(out, id, thread)?;
        }
        if !orders.is_empty() {
            writeln!(out)?;
        }
        for (id, OrderWord { text, word, span, stronger, loop_depth, steps }) in orders.iter_enumerated() {
            write!(out, "order {id:?} {text:?} {word:?}{}", at(*span))?;
            if *loop_depth > 0 {
                write!(out, " loop {loop_depth}")?;
            }
            for (kind, word) in stronger {
                let kind = match kind {
                    FenceKind::Full => "full",
                    FenceKind::StoreStore => "store",
                };
                write!(out, " {kind} {word:?}")?;
            }
            let steps = steps.iter().map(|(thread, edge)| format!(" {thread:?} {edge:?}"));
            writeln!(out, ":{}", steps.collect::<Vec<_>>().join(","))?;
        }
        for property in properties {
            writeln!(out)?;
            self.property(out, property)?;
        }
        Ok(())
    }

    fn thread(&self, out: &mut String, id: ThreadId, thread: &Thread) -> fmt::Result {
        let Thread { name, regs, locations, edges, entry } = thread;
        writeln!(out, "\nthread {}", quote(name))?;
        for reg in regs {
            writeln!(
                out,
                "  {} {}: {} = {}",
                if reg.scratch { "scratch" } else { "register" },
                quote(&reg.name),
                domain_text(&reg.domain),
                initial(&reg.init)
            )?;
        }
        for (loc, location) in locations.iter_enumerated() {
            write!(out, "  {} {loc:?}", if location.committed { "committed" } else { "location" })?;
            for label in &location.labels {
                write!(out, " {}", quote(label))?;
            }
            writeln!(out)?;
        }
        writeln!(out, "  entry {entry:?}")?;
        for Edge { from, to, step } in edges {
            let Step { ops, lock, statement } = step;
            write!(out, "  edge {from:?} -> {to:?} {statement:?}")?;
            match lock {
                None => {}
                Some(Lock::Location) => write!(out, " locked location")?,
                Some(Lock::Full) => write!(out, " locked full")?,
            }
            let ops: Vec<String> = ops.iter().map(|op| self.op(id, op)).collect();
            writeln!(out, ": {}", if ops.is_empty() { "skip".to_owned() } else { ops.join("; ") })?;
        }
        Ok(())
    }

    fn op(&self, thread: ThreadId, op: &Op) -> String {
        let reg = |reg: RegId| &self.registers[thread][reg];
        match op {
            Op::Read { dst, addr } => format!("read {} <- {}", reg(*dst), self.addr(thread, addr)),
            Op::Write { addr, value } => {
                format!("write {} <- {}", self.addr(thread, addr), self.reg_expr(thread, value))
            }
            Op::Assign { dst, value } => format!("assign {} <- {}", reg(*dst), self.reg_expr(thread, value)),
            Op::Guard(condition) => format!("guard {}", self.reg_expr(thread, condition)),
            Op::Assert(condition) => format!("assert {}", self.reg_expr(thread, condition)),
            Op::Havoc { dst } => format!("havoc {}", reg(*dst)),
            Op::Fence(FenceKind::Full) => "fence full".to_owned(),
            Op::Fence(FenceKind::StoreStore) => "fence store".to_owned(),
            Op::Send { channel, values } => {
                let values: Vec<String> = values.iter().map(|value| self.reg_expr(thread, value)).collect();
                format!("send {} <- ({})", self.channels[*channel], values.join(", "))
            }
            Op::Receive { channel, targets } => {
                let target = |target: &Target| match target {
                    Target::Register(dst) => format!("register {}", reg(*dst)),
                    Target::Memory(addr) => format!("memory {}", self.addr(thread, addr)),
                };
                let targets: Vec<String> = targets.iter().map(target).collect();
                format!("receive ({}) <- {}", targets.join(", "), self.channels[*channel])
            }
        }
    }

    /// A window of no cells may begin past the last cell, which has no name.
    fn cell(&self, cell: CellId) -> String {
        self.cells.get(cell.index()).cloned().unwrap_or_else(|| format!("#{}", cell.0))
    }

    fn addr(&self, thread: ThreadId, addr: &Addr) -> String {
        match addr {
            Addr::Cell(cell) => self.cell(*cell),
            Addr::Indexed { first, len, index, outside } => {
                let outside = match outside {
                    Outside::Blocks => "blocks",
                    Outside::Faults => "faults",
                };
                let (first, index) = (self.cell(*first), self.reg_expr(thread, index));
                format!("{first}[{index} of {len}, {outside}]")
            }
        }
    }

    fn reg_expr(&self, thread: ThreadId, expr: &Expr<RegId>) -> String {
        expression(expr, &|reg: &RegId| self.registers[thread][*reg].clone())
    }

    fn atom(&self, atom: &StateAtom) -> String {
        match *atom {
            StateAtom::Register(thread, reg) => {
                format!("{}:{}", self.threads[thread], self.registers[thread][reg])
            }
            StateAtom::Cell(cell) => self.cell(cell),
            StateAtom::At(thread, loc) => format!("{}@{loc:?}", self.threads[thread]),
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let Condition { expr, text, span } = condition;
        format!("{text:?}{}: {}", at(*span), expression(expr, &|atom| self.atom(atom)))
    }

    fn formula(&self, formula: &Formula) -> String {
        let two = |a: &Formula, word: &str, b: &Formula| {
            format!("({} {word} {})", self.formula(a), self.formula(b))
        };
        match formula {
            Formula::Const(value) => value.to_string(),
            Formula::Now(condition) => format!("[{}]", expression(condition, &|atom| self.atom(atom))),
            Formula::Not(a) => format!("not {}", self.formula(a)),
            Formula::Next(a) => format!("next {}", self.formula(a)),
            Formula::And(a, b) => two(a, "and", b),
            Formula::Or(a, b) => two(a, "or", b),
            Formula::Until(a, b) => two(a, "until", b),
            Formula::Release(a, b) => two(a, "release", b),
        }
    }

    fn property(&self, out: &mut String, property: &Property) -> fmt::Result {
        match property {
            Property::Forbidden(forbidden) => {
                writeln!(out, "forbidden {:?}{}", forbidden.text, at(forbidden.span))?;
                for (thread, set) in forbidden.at.iter_enumerated() {
                    write!(out, "  {}", self.threads[thread])?;
                    match set {
                        LocationSet::Any => write!(out, " anywhere")?,
                        LocationSet::OneOf(locations) => {
                            write!(out, " at")?;
                            for loc in locations {
                                write!(out, " {loc:?}")?;
                            }
                        }
                    }
                    writeln!(out)?;
                }
                Ok(())
            }
            Property::Invariant(condition) => writeln!(out, "invariant {}", self.condition(condition)),
            Property::Final { quantifier, condition, filter, observed } => {
                let quantifier = match quantifier {
                    Quantifier::Exists => "exists",
                    Quantifier::NotExists => "never",
                    Quantifier::Forall => "forall",
                };
                writeln!(out, "final {quantifier} {}", self.condition(condition))?;
                if let Some(filter) = filter {
                    writeln!(out, "  filter {}", self.condition(filter))?;
                }
                if !observed.is_empty() {
                    let observed: Vec<String> = observed.iter().map(|atom| self.atom(atom)).collect();
                    writeln!(out, "  observed {}", observed.join(", "))?;
                }
                Ok(())
            }
            Property::Temporal(Temporal { claim, fairness, text, span }) => {
                let Fairness { flush, process } = *fairness;
                let fair = if flush { " fair_flush" } else { "" };
                let weak = if process { " fair_process" } else { "" };
                let head = format!("{text:?}{}{fair}{weak}", at(*span));
                match claim {
                    Claim::Formula(formula) => writeln!(out, "ltl {head}: {}", self.formula(formula)),
                    Claim::Never(never) => {
                        writeln!(out, "never {head}")?;
                        for NeverState { accepting, moves: _ } in &never.states {
                            writeln!(out, "  {}", if *accepting { "accept" } else { "reject" })?;
                        }
                        for (from, state) in never.states.iter().enumerate() {
                            for NeverMove { when, to } in &state.moves {
                                let when = expression(when, &|atom| self.atom(atom));
                                writeln!(out, "  move {from} -> {to}: {when}")?;
                            }
                        }
                        Ok(())
                    }
                }
            }
        }
    }
}

fn domain_text(domain: &Domain) -> String {
    match domain {
        Domain::Range { lo, hi } => format!("{lo}..{hi}"),
        Domain::Machine { bits, signed: true } => format!("i{bits}"),
        Domain::Machine { bits, signed: false } => format!("u{bits}"),
        Domain::Integers => "int".to_owned(),
    }
}

fn initial(init: &Init) -> String {
    match init {
        Init::Value(value) => value.to_string(),
        Init::Any => "any".to_owned(),
    }
}

fn at(span: Option<Span>) -> impl Display {
    span.map_or_else(String::new, |Span { file, start, end }| format!(" @{}:{start}-{end}", file.0))
}

/// An expression; what stands inside an operator is put in parentheses if it has an operator of its own.
fn expression<A>(expr: &Expr<A>, atom: &dyn Fn(&A) -> String) -> String {
    let mut out = String::new();
    write_expression(&mut out, expr, atom);
    out
}

fn write_expression<A>(out: &mut String, expr: &Expr<A>, atom: &dyn Fn(&A) -> String) {
    match expr {
        Expr::Const(value) => out.push_str(&value.to_string()),
        Expr::Atom(a) => out.push_str(&atom(a)),
        Expr::Unary(op, operand) => {
            out.push(match op {
                UnaryOp::Neg => '-',
                UnaryOp::Not => '!',
                UnaryOp::BitNot => '~',
            });
            // `-5` is a number; the negation of the number 5 is `-(5)`.
            if matches!(**operand, Expr::Const(_)) {
                parenthesised(out, operand, atom);
            } else {
                write_operand(out, operand, atom);
            }
        }
        Expr::Binary(op, left, right) => {
            if matches!(**left, Expr::Binary(inner, ..) if inner == *op) {
                write_expression(out, left, atom);
            } else {
                write_operand(out, left, atom);
            }
            out.push_str(&format!(" {} ", op.symbol()));
            write_operand(out, right, atom);
        }
        Expr::Wrap { bits, signed, value } => {
            out.push_str(&format!("wrap({}{bits}, ", if *signed { 'i' } else { 'u' }));
            write_expression(out, value, atom);
            out.push(')');
        }
        Expr::Checked { bits, signed, value } => {
            out.push_str(&format!("checked({}{bits}, ", if *signed { 'i' } else { 'u' }));
            write_expression(out, value, atom);
            out.push(')');
        }
        Expr::Choose(condition, yes, no) => {
            out.push_str("choose(");
            for (i, part) in [condition, yes, no].into_iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_expression(out, part, atom);
            }
            out.push(')');
        }
    }
}

fn write_operand<A>(out: &mut String, operand: &Expr<A>, atom: &dyn Fn(&A) -> String) {
    match operand {
        Expr::Binary(..) | Expr::Unary(..) => parenthesised(out, operand, atom),
        Expr::Const(_) | Expr::Atom(_) | Expr::Wrap { .. } | Expr::Checked { .. } | Expr::Choose(..) => {
            write_expression(out, operand, atom);
        }
    }
}

fn parenthesised<A>(out: &mut String, expr: &Expr<A>, atom: &dyn Fn(&A) -> String) {
    out.push('(');
    write_expression(out, expr, atom);
    out.push(')');
}
