//! What the names of a model stand for, and where it is stored.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Diagnostic, Int};
use fencewright_ir::{CellId, ChannelId, Domain, Init, ProgramBuilder, RegId};

use super::super::ast::{
    Binary, ChannelDeclaration, Declaration, Expr, ExprKind, Model, Name, Place, Process, SyncKind, Type,
    Unary,
};
use super::super::codes;
use super::{MOST_PROCESSES, domain};

/// The most elements of an array, and of all arrays together.
const MOST_ELEMENTS: usize = 65_536;

/// The most messages of a channel.
const MOST_MESSAGES: i64 = 1024;

/// A variable or constant.
#[derive(Debug, Clone)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) ty: Type,
    /// Its initial values, wrapped to the type; one for a scalar.
    pub(super) init: Vec<i64>,
    pub(super) is_array: bool,
    pub(super) is_const: bool,
    pub(super) storage: Storage,
}

/// Where a variable is stored.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum Storage {
    /// Nowhere: a constant scalar.
    Nowhere,
    /// In a register of its process.
    Register(RegId),
    /// In memory, from this cell on.
    Memory(CellId),
}

/// A channel.
#[derive(Debug, Clone)]
pub(super) enum Channel {
    /// Sender and receiver move together, and this many values pass. There is a way of its own for receivers that
    /// take values of other types, because what does not fit is an error of the sender's for that receiver alone.
    Rendezvous { arity: usize, declared: Option<Vec<Type>>, ways: Vec<(ChannelId, Vec<Type>)> },
    /// It holds messages: their number, and for each value of a message the cells.
    Fifo { len: CellId, capacity: u32, values: Vec<CellId>, types: Vec<Type> },
}

/// What the names stand for.
pub(super) struct Names<'a> {
    pub(super) globals: BTreeMap<&'a str, Symbol>,
    /// For each process that behaves.
    pub(super) locals: Vec<BTreeMap<&'a str, Symbol>>,
    pub(super) channels: BTreeMap<&'a str, Channel>,
    pub(super) processes: Vec<&'a Process>,
    /// For processes whose state others test: where the copy of it is.
    pub(super) mirrors: BTreeMap<usize, CellId>,
}

impl<'a> Names<'a> {
    /// Declares all variables. `None` if something is wrong that would lead to further complaints.
    pub(super) fn new(
        model: &'a Model,
        builder: &mut ProgramBuilder,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let before = problems.len();
        let processes: Vec<&Process> = model.behaving().collect();
        let mut names = Names {
            globals: BTreeMap::new(),
            locals: Vec::new(),
            channels: BTreeMap::new(),
            processes,
            mirrors: BTreeMap::new(),
        };
        names.check_processes(model, problems);
        // In lock step nothing can be pending, and there is one thread: what a process has is memory as well.
        let together = model.system.as_ref().is_some_and(|system| system.synchronous);
        let seen = Seen::of(&names.processes);
        let mut elements = 0;
        for declaration in &model.variables {
            let Some(mut symbol) = names.symbol(declaration, None, &mut elements, problems) else { continue };
            if let Some(known) = names.globals.get(declaration.name.text.as_str()) {
                problems.push(twice("variable", &declaration.name, &known.name));
                continue;
            }
            if !symbol.is_const || symbol.is_array {
                symbol.storage = Storage::Memory(declare(builder, &symbol, together, declaration));
            }
            names.globals.insert(&declaration.name.text, symbol);
        }
        for (number, process) in names.processes.clone().into_iter().enumerate() {
            names.locals.push(BTreeMap::new());
            let mut next_register = 0;
            for declaration in &process.variables {
                let symbol = names.symbol(declaration, Some(number), &mut elements, problems);
                let Some(mut symbol) = symbol else { continue };
                if let Some(known) = names.locals[number].get(declaration.name.text.as_str()) {
                    problems.push(twice("variable", &declaration.name, &known.name));
                    continue;
                }
                let foreign = seen.variables.contains(&(&process.name.text, &declaration.name.text));
                if symbol.is_array || ((foreign || together) && !symbol.is_const) {
                    symbol.name = format!("{}.{}", process.name.text, symbol.name);
                    symbol.storage = Storage::Memory(declare(builder, &symbol, true, declaration));
                } else if !symbol.is_const {
                    symbol.storage = Storage::Register(RegId(next_register));
                    next_register += 1;
                }
                names.locals[number].insert(&declaration.name.text, symbol);
            }
            if seen.states.contains(process.name.text.as_str()) && !process.states.is_empty() && !together {
                let first = process
                    .init
                    .as_ref()
                    .and_then(|init| process.states.iter().position(|state| state.text == init.text));
                let states = Domain::range(0, process.states.len() as i64 - 1);
                let init = Init::Value(Int::from(first.unwrap_or(0) as i64));
                let name = format!("{}.state", process.name.text);
                let mirror = builder.array(name, states, vec![init], Some(process.name.span));
                builder.variable_mut(mirror).direct = true;
                builder.variable_mut(mirror).is_array = false;
                names.mirrors.insert(number, builder.program().vars[mirror].first_cell);
            }
        }
        for declaration in &model.channels {
            names.channel(declaration, builder, problems);
        }
        (problems.len() == before).then_some(names)
    }

    fn check_processes(&mut self, model: &'a Model, problems: &mut Vec<Diagnostic>) {
        let mut known: BTreeMap<&str, &Name> = BTreeMap::new();
        for process in &model.processes {
            if let Some(first) = known.insert(&process.name.text, &process.name) {
                problems.push(twice("process", &process.name, &first.text));
            }
            let mut states: BTreeSet<&str> = BTreeSet::new();
            for state in &process.states {
                if !states.insert(&state.text) {
                    problems.push(twice("state", state, &state.text));
                }
            }
            let lacks = match (&process.init, process.states.is_empty()) {
                (_, true) => "has no states",
                (None, false) => "has no `init`",
                (Some(_), false) => continue,
            };
            let message = format!("process `{}` {lacks}", process.name.text);
            problems.push(
                Diagnostic::error(&codes::MISSING, process.name.span, message)
                    .help("declare its states with `state a, b;` and where it starts with `init a;`"),
            );
        }
        let span = model.system.as_ref().map(|system| system.span);
        if let (true, Some(span)) = (self.processes.is_empty(), span) {
            problems.push(
                Diagnostic::error(&codes::MISSING, span, "there is no process")
                    .help("a model needs at least one process that is not the property"),
            );
        }
        if let Some(process) = self.processes.get(MOST_PROCESSES) {
            let message = format!("there are more than {MOST_PROCESSES} processes");
            problems.push(Diagnostic::error(&codes::SIZE, process.name.span, message).help("leave some out"));
        }
    }

    fn symbol(
        &self,
        declaration: &Declaration,
        process: Option<usize>,
        elements: &mut usize,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Symbol> {
        let Declaration { name, ty, is_const, size, init, init_is_list } = declaration;
        let mut constant = |expr: &Expr| self.constant(expr, process, problems);
        let mut values = Vec::new();
        for expr in init {
            values.push(wrap(constant(expr)?, *ty));
        }
        let count = match size {
            None => 1,
            Some(expr) => {
                let count = constant(expr)?;
                if !(1..=MOST_ELEMENTS as i64).contains(&count) {
                    let message = format!("an array cannot have {count} elements");
                    problems.push(
                        Diagnostic::error(&codes::SIZE, expr.span, message)
                            .help(format!("give it 1 to {MOST_ELEMENTS}")),
                    );
                    return None;
                }
                count as usize
            }
        };
        *elements += count;
        if *elements > MOST_ELEMENTS {
            let message = format!("the variables have more than {MOST_ELEMENTS} elements altogether");
            problems.push(Diagnostic::error(&codes::SIZE, name.span, message).help("make arrays smaller"));
            return None;
        }
        if *init_is_list != size.is_some() && !init.is_empty() {
            let message = if *init_is_list {
                format!("`{}` is no array; its initial value is one number", name.text)
            } else {
                format!("`{}` is an array; its initial values stand in braces", name.text)
            };
            problems.push(Diagnostic::error(&codes::SHAPE, init[0].span, message).help(if *init_is_list {
                "leave the braces out"
            } else {
                "write `{ … }`"
            }));
            return None;
        }
        // Lists that are longer than their array occur in the BEEM models: the rest means nothing.
        values.truncate(count);
        values.resize(count, 0);
        Some(Symbol {
            name: name.text.clone(),
            ty: *ty,
            init: values,
            is_array: size.is_some(),
            is_const: *is_const,
            storage: Storage::Nowhere,
        })
    }

    /// The value of an expression of numbers and constants.
    pub(super) fn constant(
        &self,
        expr: &Expr,
        process: Option<usize>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<i64> {
        match self.fold(expr, process) {
            Some(value) => Some(value),
            None => {
                problems
                    .push(Diagnostic::error(&codes::CONSTANT, expr.span, "this is not a constant").help(
                        "use numbers and names declared with `const`; a division by zero has no value",
                    ));
                None
            }
        }
    }

    /// The value of an expression, if it is constant and has one.
    pub(super) fn fold(&self, expr: &Expr, process: Option<usize>) -> Option<i64> {
        let value = match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Variable(name) => {
                let symbol = self.lookup(&name.text, process)?;
                (symbol.is_const && !symbol.is_array).then(|| symbol.init[0])?
            }
            ExprKind::Element(..) | ExprKind::At(..) | ExprKind::Foreign(..) => return None,
            ExprKind::Unary(op, e) => {
                let e = self.fold(e, process)?;
                match op {
                    Unary::Neg => e.wrapping_neg(),
                    Unary::Not => i64::from(e == 0),
                    Unary::BitNot => !e,
                }
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.fold(a, process)?;
                match (op, a) {
                    (Binary::And, 0) => return Some(0),
                    (Binary::Or, a) if a != 0 => return Some(1),
                    (Binary::Imply, 0) => return Some(1),
                    _ => {}
                }
                binary(*op, a, self.fold(b, process)?)?
            }
        };
        // DiVinE computes in 32 bits.
        Some(i64::from(value as i32))
    }

    /// What a name stands for in a process.
    pub(super) fn lookup(&self, name: &str, process: Option<usize>) -> Option<&Symbol> {
        let local = process.and_then(|process| self.locals.get(process)?.get(name));
        local.or_else(|| self.globals.get(name))
    }

    /// The variables of a process that are registers, in order.
    pub(super) fn registers(&self, process: usize) -> Vec<Symbol> {
        let mut registers: Vec<Symbol> = (self.locals[process].values())
            .filter(|symbol| matches!(symbol.storage, Storage::Register(_)))
            .cloned()
            .collect();
        registers.sort_by_key(|symbol| match symbol.storage {
            Storage::Register(RegId(number)) => number,
            Storage::Nowhere | Storage::Memory(_) => u32::MAX,
        });
        registers
    }

    fn channel(
        &mut self,
        declaration: &'a ChannelDeclaration,
        builder: &mut ProgramBuilder,
        problems: &mut Vec<Diagnostic>,
    ) {
        let name = &declaration.name;
        if self.channels.contains_key(name.text.as_str()) || self.globals.contains_key(name.text.as_str()) {
            problems.push(twice("channel", name, &name.text));
            return;
        }
        let capacity = match &declaration.capacity {
            None => 0,
            Some(expr) => match self.constant(expr, None, problems) {
                Some(capacity) if (0..=MOST_MESSAGES).contains(&capacity) => capacity,
                Some(capacity) => {
                    let message = format!("a channel cannot hold {capacity} messages");
                    problems.push(
                        Diagnostic::error(&codes::SIZE, expr.span, message)
                            .help(format!("give it a capacity from 0 to {MOST_MESSAGES}")),
                    );
                    return;
                }
                None => return,
            },
        };
        if capacity == 0 {
            let arity = match &declaration.types {
                Some(types) => types.len(),
                None => self.first_use(&name.text),
            };
            let way = |types| (builder.channel(&name.text, arity, Some(name.span)), types);
            let ways = self.receivers(&name.text, arity).into_iter().map(way).collect();
            self.channels
                .insert(&name.text, Channel::Rendezvous { arity, declared: declaration.types.clone(), ways });
            return;
        }
        let Some(types) = &declaration.types else {
            let message = format!("channel `{}` holds messages, but not said of which types", name.text);
            problems.push(
                Diagnostic::error(&codes::CHANNEL, name.span, message)
                    .help(format!("write `channel {{byte}} {}[{capacity}];`", name.text)),
            );
            return;
        };
        let none = || Init::Value(Int::ZERO);
        let len = builder.array(
            format!("{}.length", name.text),
            Domain::range(0, capacity),
            vec![none()],
            Some(name.span),
        );
        builder.variable_mut(len).direct = true;
        builder.variable_mut(len).is_array = false;
        let len = builder.program().vars[len].first_cell;
        let mut values = Vec::new();
        for (i, ty) in types.iter().enumerate() {
            let label = if types.len() == 1 { name.text.clone() } else { format!("{}.{i}", name.text) };
            let init = vec![none(); capacity as usize];
            let var = builder.array(label, domain(*ty), init, Some(name.span));
            builder.variable_mut(var).direct = true;
            values.push(builder.program().vars[var].first_cell);
        }
        let fifo = Channel::Fifo { len, capacity: capacity as u32, values, types: types.clone() };
        self.channels.insert(&name.text, fifo);
    }

    /// What receivers of the channel take, each list of types once. Bytes where nobody receives: the sender waits for
    /// ever, but what it says is still read.
    fn receivers(&self, channel: &str, arity: usize) -> BTreeSet<Vec<Type>> {
        let mut found = BTreeSet::new();
        for (number, process) in self.processes.iter().enumerate() {
            let syncs = process.transitions.iter().filter_map(|transition| transition.sync.as_ref());
            for sync in syncs.filter(|sync| sync.channel.text == channel) {
                let SyncKind::Receive(places) = &sync.kind else { continue };
                found.insert(self.taken(places, number));
            }
        }
        if found.is_empty() {
            found.insert(vec![Type::Byte; arity]);
        }
        found
    }

    /// The types of the variables that a process receives into; an unknown one is complained about elsewhere.
    pub(super) fn taken(&self, places: &[Place], process: usize) -> Vec<Type> {
        let ty = |place: &Place| {
            self.lookup(&place.name.text, Some(process)).map_or(Type::Byte, |symbol| symbol.ty)
        };
        places.iter().map(ty).collect()
    }

    /// How many values go over a channel that does not say it, by its first use.
    fn first_use(&self, channel: &str) -> usize {
        let transitions = self.processes.iter().flat_map(|process| &process.transitions);
        let mut syncs = transitions.filter_map(|transition| transition.sync.as_ref());
        let found = syncs.find(|sync| sync.channel.text == channel);
        found.map_or(0, |sync| match &sync.kind {
            SyncKind::Send(values) => values.len(),
            SyncKind::Receive(places) => places.len(),
        })
    }
}

fn declare(builder: &mut ProgramBuilder, symbol: &Symbol, direct: bool, from: &Declaration) -> CellId {
    let init = symbol.init.iter().map(|&value| Init::Value(Int::from(value))).collect();
    let var = builder.array(&symbol.name, domain(symbol.ty), init, Some(from.name.span));
    let variable = builder.variable_mut(var);
    variable.direct = direct;
    variable.is_array = symbol.is_array;
    variable.first_cell
}

fn twice(what: &str, name: &Name, known: &str) -> Diagnostic {
    Diagnostic::error(&codes::TWICE, name.span, format!("there is a {what} `{known}` already"))
        .help("give it another name")
}

/// The value of the type that is congruent.
pub(super) fn wrap(value: i64, ty: Type) -> i64 {
    match ty {
        Type::Byte => value & 0xff,
        Type::Int => i64::from(value as i16),
    }
}

/// The value in 64 bits; `None` for a division by zero or an impossible shift.
fn binary(op: Binary, a: i64, b: i64) -> Option<i64> {
    let shift = || u32::try_from(b).ok().filter(|by| *by < 32);
    Some(match op {
        Binary::Imply => i64::from(a == 0 || b != 0),
        Binary::Or => i64::from(a != 0 || b != 0),
        Binary::And => i64::from(a != 0 && b != 0),
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::Eq => i64::from(a == b),
        Binary::Ne => i64::from(a != b),
        Binary::Lt => i64::from(a < b),
        Binary::Le => i64::from(a <= b),
        Binary::Gt => i64::from(a > b),
        Binary::Ge => i64::from(a >= b),
        Binary::Shl => a << shift()?,
        Binary::Shr => a >> shift()?,
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
    })
}

/// What processes look at of each other.
#[derive(Default)]
struct Seen<'a> {
    /// Processes whose state another one tests.
    states: BTreeSet<&'a str>,
    /// Variables that another process looks at, with their process.
    variables: BTreeSet<(&'a String, &'a String)>,
}

impl<'a> Seen<'a> {
    fn of(processes: &[&'a Process]) -> Self {
        let mut seen = Seen::default();
        for process in processes {
            for transition in &process.transitions {
                let indices = |place: &'a super::super::ast::Place| place.index.iter();
                transition.guard.iter().for_each(|guard| seen.expr(process, guard));
                for effect in &transition.effects {
                    indices(&effect.place).for_each(|index| seen.expr(process, index));
                    seen.expr(process, &effect.value);
                }
                match transition.sync.as_ref().map(|sync| &sync.kind) {
                    Some(SyncKind::Send(values)) => {
                        values.iter().for_each(|value| seen.expr(process, value));
                    }
                    Some(SyncKind::Receive(places)) => {
                        places.iter().flat_map(indices).for_each(|index| seen.expr(process, index));
                    }
                    None => {}
                }
            }
        }
        seen
    }

    fn expr(&mut self, process: &Process, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Variable(_) => {}
            ExprKind::Element(_, e) | ExprKind::Unary(_, e) => self.expr(process, e),
            ExprKind::At(of, _) => {
                if of.text != process.name.text {
                    self.states.insert(&of.text);
                }
            }
            ExprKind::Foreign(of, variable, index) => {
                if of.text != process.name.text {
                    self.variables.insert((&of.text, &variable.text));
                }
                index.iter().for_each(|index| self.expr(process, index));
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(process, a);
                self.expr(process, b);
            }
        }
    }
}
