//! A program as a DVE model that carries its store buffers: the transformation of the DVE thesis (section 3.1), so that any
//! tool for DVE explores it as the model Slot does. For each location `x` that process `P` writes there are `sb_x_P`, the
//! pending value, and `i_x_P`, whether there is one; process `MM` moves pending values to memory. Every transition becomes
//! one for each way its reads can be answered: from memory or from the process's own buffer.
//!
//! Deviations: an array becomes a variable for each element, and a transition with a computed index becomes one for each
//! value (the thesis did that by hand); a transition that reads what it has itself written before reads that (the thesis's
//! rule would read memory); pairs of a location and a process that never writes it are left out.
//!
//! Not taken: rendezvous, open initial values, values that fit neither in a byte nor in an int, assertions inside steps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fencewright_base::Int;
use fencewright_ir::{
    Addr, CellId, Domain, Expr, FenceKind, Init, Lock, Op, Program, RegExpr, RegId, Step, Thread, ThreadId,
    UnaryOp,
};

/// The most transitions that one may become. Past it the text would be of no use to anyone.
const MOST_VARIANTS: usize = 4096;

/// The model's text, or why there is none.
pub fn with_store_buffers(program: &Program) -> Result<String, String> {
    let export = Export::new(program)?;
    let mut text = String::new();
    export.model(&mut text)?;
    Ok(text)
}

/// `byte` or `int`.
fn type_of(domain: &Domain, name: &str) -> Result<&'static str, String> {
    let within = |lo: i64, hi: i64| {
        domain.bounds().is_some_and(|(least, greatest)| Int::from(lo) <= least && greatest <= Int::from(hi))
    };
    if within(0, 255) {
        Ok("byte")
    } else if within(-32768, 32767) {
        Ok("int")
    } else {
        Err(format!("the values of `{name}` fit neither in a byte nor in an int"))
    }
}

fn initial(init: &Init, name: &str) -> Result<Int, String> {
    match init {
        Init::Value(value) => Ok(value.clone()),
        Init::Any => Err(format!("the initial value of `{name}` is open")),
    }
}

/// A name as the language allows it.
fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_digit()) { format!("_{plain}") } else { plain }
}

struct Export<'p> {
    program: &'p Program,
    cells: Vec<String>,
    threads: Vec<String>,
    /// For each thread the cells it can have a value pending for.
    buffered: Vec<Vec<CellId>>,
}

impl<'p> Export<'p> {
    fn new(program: &'p Program) -> Result<Self, String> {
        if let Some(channel) = program.channels.iter().next() {
            return Err(format!(
                "processes meet on channel `{}`, which this form does not carry",
                channel.name
            ));
        }
        let cell = |(cell, _, _): (CellId, _, _)| identifier(program.cell_name(cell).trim_end_matches(']'));
        let cells: Vec<String> = program.cells().map(cell).collect();
        let threads: Vec<String> = program.threads.iter().map(|thread| identifier(&thread.name)).collect();
        let names: BTreeSet<&String> = cells.iter().chain(&threads).collect();
        if names.len() < cells.len() + threads.len() || names.contains(&"MM".to_owned()) {
            return Err("two variables or processes would get the same name".to_owned());
        }
        let written = |thread: &Thread| {
            let mut written = BTreeSet::new();
            for op in thread.edges.iter().flat_map(|edge| &edge.step.ops) {
                if let Op::Write { addr, .. } = op {
                    let (first, len) = match addr {
                        Addr::Cell(cell) => (*cell, 1),
                        Addr::Indexed { first, len, .. } => (*first, *len),
                    };
                    written.extend(
                        (first.0..first.0 + len).map(CellId).filter(|cell| !program.is_direct(*cell)),
                    );
                }
            }
            written.into_iter().collect()
        };
        let buffered = program.threads.iter().map(written).collect();
        Ok(Self { program, cells, threads, buffered })
    }

    fn cell(&self, cell: CellId) -> &str {
        &self.cells[cell.0 as usize]
    }

    fn pending(&self, cell: CellId, thread: ThreadId) -> String {
        format!("sb_{}_{}", self.cell(cell), self.threads[thread.0 as usize])
    }

    fn is_pending(&self, cell: CellId, thread: ThreadId) -> String {
        format!("i_{}_{}", self.cell(cell), self.threads[thread.0 as usize])
    }

    fn domain(&self, cell: CellId) -> &'p Domain {
        &self.program.vars[self.program.variable_of(cell).0].domain
    }

    fn model(&self, out: &mut String) -> Result<(), String> {
        for (cell, domain, init) in self.program.cells() {
            let name = self.cell(cell);
            line(out, &format!("{} {name} = {};", type_of(domain, name)?, initial(init, name)?));
        }
        for thread in self.program.threads.indices() {
            for &cell in &self.buffered[thread.0 as usize] {
                let ty = type_of(self.domain(cell), self.cell(cell))?;
                let (value, there) = (self.pending(cell, thread), self.is_pending(cell, thread));
                line(out, &format!("{ty} {value} = 0;\nbyte {there} = 0;"));
            }
        }
        for (id, thread) in self.program.threads.iter_enumerated() {
            self.process(out, id, thread)?;
        }
        self.memory(out);
        line(out, "\nsystem async;");
        Ok(())
    }

    fn process(&self, out: &mut String, id: ThreadId, thread: &Thread) -> Result<(), String> {
        line(out, &format!("\nprocess {} {{", self.threads[id.0 as usize]));
        for reg in thread.regs.iter().filter(|reg| !reg.scratch) {
            let ty = type_of(&reg.domain, &reg.name)?;
            line(out, &format!("  {ty} {} = {};", identifier(&reg.name), initial(&reg.init, &reg.name)?));
        }
        let state = |loc: usize| {
            let label = thread.locations.as_slice()[loc].labels.first();
            label.map_or_else(|| format!("at_{loc}"), |label| identifier(label))
        };
        let states: Vec<String> = (0..thread.locations.len()).map(state).collect();
        line(out, &format!("  state {};", states.join(", ")));
        line(out, &format!("  init {};", states[thread.entry.0 as usize]));
        let committed = thread.locations.iter().zip(&states).filter(|(location, _)| location.committed);
        let committed: Vec<&str> = committed.map(|(_, state)| state.as_str()).collect();
        if !committed.is_empty() {
            line(out, &format!("  commit {};", committed.join(", ")));
        }
        let mut transitions = Vec::new();
        for edge in &thread.edges {
            let (from, to) = (&states[edge.from.0 as usize], &states[edge.to.0 as usize]);
            for variant in self.variants(id, thread, &edge.step)? {
                let mut transition = format!("    {from} -> {to} {{");
                if !variant.guards.is_empty() {
                    let _ = write!(transition, " guard {};", variant.guards.join(" && "));
                }
                let effects = variant.effects(self, id)?;
                if !effects.is_empty() {
                    let _ = write!(transition, " effect {};", effects.join(", "));
                }
                transition.push_str(" }");
                transitions.push(transition);
            }
        }
        if !transitions.is_empty() {
            line(out, &format!("  trans\n{};", transitions.join(",\n")));
        }
        line(out, "}");
        Ok(())
    }

    /// The process that moves pending values to memory.
    fn memory(&self, out: &mut String) {
        let mut transitions = Vec::new();
        for thread in self.program.threads.indices() {
            for &cell in &self.buffered[thread.0 as usize] {
                let (x, value, there) =
                    (self.cell(cell), self.pending(cell, thread), self.is_pending(cell, thread));
                transitions.push(format!(
                    "    q -> q {{ guard {there} == 1; effect {x} = {value}, {there} = 0, {value} = 0; }}"
                ));
            }
        }
        line(out, "\nprocess MM {\n  state q;\n  init q;");
        if !transitions.is_empty() {
            line(out, &format!("  trans\n{};", transitions.join(",\n")));
        }
        line(out, "}");
    }

    /// All ways in which the step can go.
    fn variants(&self, id: ThreadId, thread: &Thread, step: &Step) -> Result<Vec<Variant>, String> {
        let mut variants = vec![Variant::new(thread)];
        if step.lock == Some(Lock::Full) {
            variants[0].guards.extend(self.nothing_pending(id));
        }
        for op in &step.ops {
            let mut next = Vec::new();
            for mut variant in variants {
                match op {
                    Op::Read { dst, addr } => {
                        for (mut variant, cell) in self.cells_of(variant, addr)? {
                            if let Some(value) = variant.cells.get(&cell) {
                                let value = value.clone();
                                variant.registers.insert(*dst, value);
                                next.push(variant);
                            } else if self.buffered[id.0 as usize].contains(&cell) {
                                let there = self.is_pending(cell, id);
                                for (guard, value) in [
                                    (format!("{there} == 0"), self.cell(cell).to_owned()),
                                    (format!("{there} == 1"), self.pending(cell, id)),
                                ] {
                                    let opposite = format!("{there} == {}", i32::from(guard.ends_with('0')));
                                    if variant.guards.contains(&opposite) {
                                        continue;
                                    }
                                    let mut way = variant.clone();
                                    way.require(guard);
                                    way.registers.insert(*dst, value);
                                    next.push(way);
                                }
                            } else {
                                variant.registers.insert(*dst, self.cell(cell).to_owned());
                                next.push(variant);
                            }
                        }
                    }
                    Op::Write { addr, value } => {
                        for (mut variant, cell) in self.cells_of(variant, addr)? {
                            let value = variant.text(value)?;
                            if let Domain::Range { lo, hi } = self.domain(cell) {
                                variant.require(format!("({lo} <= ({value}) && ({value}) <= {hi})"));
                            }
                            variant.cells.insert(cell, value);
                            let at_once = step.lock.is_some() || self.program.is_direct(cell);
                            variant.at_once.insert(cell, at_once);
                            next.push(variant);
                        }
                    }
                    Op::Assign { dst, value } => {
                        let value = variant.text(value)?;
                        if let Domain::Range { lo, hi } = &thread.regs[*dst].domain {
                            variant.require(format!("({lo} <= ({value}) && ({value}) <= {hi})"));
                        }
                        variant.registers.insert(*dst, value);
                        next.push(variant);
                    }
                    Op::Guard(condition) => {
                        let condition = variant.text(condition)?;
                        variant.require(format!("({condition})"));
                        next.push(variant);
                    }
                    Op::Fence(FenceKind::Full | FenceKind::StoreStore) => {
                        self.nothing_pending(id).into_iter().for_each(|guard| variant.require(guard));
                        next.push(variant);
                    }
                    Op::Assert(_) | Op::Havoc { .. } | Op::Send { .. } | Op::Receive { .. } => {
                        return Err("a step asserts, chooses or meets another process".to_owned());
                    }
                }
            }
            if next.len() > MOST_VARIANTS {
                return Err(format!("a transition would become more than {MOST_VARIANTS}"));
            }
            variants = next;
        }
        Ok(variants)
    }

    fn nothing_pending(&self, id: ThreadId) -> Vec<String> {
        let none = |&cell: &CellId| format!("{} == 0", self.is_pending(cell, id));
        self.buffered[id.0 as usize].iter().map(none).collect()
    }

    /// The cells that an address can stand for, each with the variant in which it does.
    fn cells_of(&self, variant: Variant, addr: &Addr) -> Result<Vec<(Variant, CellId)>, String> {
        match addr {
            Addr::Cell(cell) => Ok(vec![(variant, *cell)]),
            Addr::Indexed { first, len, index, outside: _ } => {
                let index = variant.text(index)?;
                let at = |i: u32| {
                    let mut variant = variant.clone();
                    variant.require(format!("({index}) == {i}"));
                    (variant, CellId(first.0 + i))
                };
                Ok((0..*len).map(at).collect())
            }
        }
    }
}

/// One way in which a step can go: everything is said about the state before it.
#[derive(Clone)]
struct Variant {
    guards: Vec<String>,
    /// What registers hold, in terms of the state before.
    registers: BTreeMap<RegId, String>,
    /// What was written.
    cells: BTreeMap<CellId, String>,
    /// Whether it goes to memory at once.
    at_once: BTreeMap<CellId, bool>,
    /// The names of the registers that last.
    names: BTreeMap<RegId, String>,
}

impl Variant {
    fn new(thread: &Thread) -> Self {
        let lasting = thread.regs.iter_enumerated().filter(|(_, reg)| !reg.scratch);
        let names: BTreeMap<RegId, String> = lasting.map(|(id, reg)| (id, identifier(&reg.name))).collect();
        Self {
            guards: Vec::new(),
            registers: names.clone(),
            cells: BTreeMap::new(),
            at_once: BTreeMap::new(),
            names,
        }
    }

    fn require(&mut self, guard: String) {
        if !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
    }

    /// The assignments, in an order in which none destroys what a later one needs.
    fn effects(&self, export: &Export<'_>, id: ThreadId) -> Result<Vec<String>, String> {
        let mut left: Vec<(String, String)> = Vec::new();
        for (reg, name) in &self.names {
            if self.registers[reg] != *name {
                left.push((name.clone(), self.registers[reg].clone()));
            }
        }
        for (&cell, value) in &self.cells {
            let buffered = export.buffered[id.0 as usize].contains(&cell);
            match (self.at_once[&cell], buffered) {
                (true, false) => left.push((export.cell(cell).to_owned(), value.clone())),
                (true, true) => {
                    left.push((export.cell(cell).to_owned(), value.clone()));
                    left.push((export.pending(cell, id), "0".to_owned()));
                    left.push((export.is_pending(cell, id), "0".to_owned()));
                }
                (false, _) => {
                    left.push((export.pending(cell, id), value.clone()));
                    left.push((export.is_pending(cell, id), "1".to_owned()));
                }
            }
        }
        let mut effects = Vec::new();
        while !left.is_empty() {
            let free = |i: &usize| {
                let (target, _) = &left[*i];
                !left.iter().enumerate().any(|(j, (_, value))| j != *i && mentions(value, target))
            };
            let Some(next) = (0..left.len()).find(free) else {
                return Err("a transition exchanges values, which needs a variable more".to_owned());
            };
            let (target, value) = left.remove(next);
            effects.push(format!("{target} = {value}"));
        }
        Ok(effects)
    }

    fn text(&self, expr: &RegExpr) -> Result<String, String> {
        Ok(match expr {
            Expr::Const(value) if *value < Int::ZERO => format!("({value})"),
            Expr::Const(value) => value.to_string(),
            Expr::Atom(reg) => self.registers.get(reg).cloned().unwrap_or_else(|| "0".to_owned()),
            Expr::Unary(op, e) => {
                let symbol = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "not ",
                    UnaryOp::BitNot => "~",
                };
                format!("{symbol}({})", self.text(e)?)
            }
            Expr::Binary(op, a, b) => format!("({} {} {})", self.text(a)?, op.symbol(), self.text(b)?),
            // The language wraps to 32 bits and checks what is assigned by itself.
            Expr::Wrap { bits: 32, signed: true, value } | Expr::Checked { value, .. } => self.text(value)?,
            Expr::Wrap { .. } => {
                return Err("a step computes in a type the language does not have".to_owned());
            }
            Expr::Choose(condition, yes, no) => {
                // There is no choice in the language; the branches are numbers, so it can be computed.
                let (condition, yes, no) = (self.text(condition)?, self.text(yes)?, self.text(no)?);
                format!("((not (not ({condition}))) * ({yes}) + (not ({condition})) * ({no}))")
            }
        })
    }
}

/// Whether the name stands in the text.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
