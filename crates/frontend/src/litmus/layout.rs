//! Widths and domains: which registers and locations there are, how wide each is, and with what it starts.
//!
//! Every location has one width: that of its accesses. An access whose instruction says no width takes the location's.
//! A register of the thread is as wide as it is used: 32-bit and 64-bit uses of one register can be mixed, because a
//! 32-bit write clears the upper half; no other mixture is supported. Values are signed unless a type in the initial
//! state says otherwise, so they are shown as herd shows them. A register that starts with an address and is never
//! written holds that address for good; nothing else holds addresses.

use std::collections::BTreeMap;

use fencewright_base::{Diagnostic, Int, Span};
use fencewright_ir::Domain;

use super::ast::*;
use super::codes;
use super::registers::{ACCUMULATOR, Family, Register};

/// All places of a test.
#[derive(Debug)]
pub(super) struct Layout {
    dialect: Dialect,
    /// By name; the order is that of the cells.
    pub(super) locations: BTreeMap<String, LocationLayout>,
    /// For each thread its registers.
    pub(super) threads: Vec<BTreeMap<Family, RegisterLayout>>,
}

/// A location.
#[derive(Debug, Default)]
pub(super) struct LocationLayout {
    /// Its width; 0 until it is known.
    pub(super) bits: u32,
    /// Its initial value, of its own domain.
    pub(super) init: Int,
    /// Where it is first named.
    pub(super) span: Option<Span>,
    ty: Option<Type>,
    given: Option<(Int, Span)>,
    uses: BTreeMap<u32, Span>,
    /// Whether anything but the condition names it.
    real: bool,
}

/// A register of a thread.
#[derive(Debug, Default)]
pub(super) struct RegisterLayout {
    /// Its name as the condition writes it, else the initial state, else the first instruction.
    pub(super) name: String,
    /// Its width; 0 until it is known.
    pub(super) bits: u32,
    /// Its initial value, of its own domain.
    pub(super) init: Int,
    /// The location whose address it holds.
    pub(super) address: Option<String>,
    ty: Option<Type>,
    given: Option<Span>,
    uses: BTreeMap<u32, Span>,
    shown: Option<(u32, Span)>,
    real: bool,
}

impl LocationLayout {
    /// The values it can hold.
    pub(super) fn domain(&self) -> Domain {
        Domain::Machine { bits: self.bits, signed: self.is_signed() }
    }

    /// Whether its values are signed.
    pub(super) fn is_signed(&self) -> bool {
        self.ty.is_none_or(|ty| ty.signed)
    }
}

impl RegisterLayout {
    /// The values it can hold.
    pub(super) fn domain(&self) -> Domain {
        Domain::Machine { bits: self.bits, signed: self.is_signed() }
    }

    /// Whether its values are signed.
    pub(super) fn is_signed(&self) -> bool {
        self.ty.is_none_or(|ty| ty.signed)
    }
}

impl Layout {
    /// The layout of a test; what is wrong with it is reported.
    pub(super) fn of(test: &Test, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut layout = Layout {
            dialect: test.dialect,
            locations: BTreeMap::new(),
            threads: test.threads.iter().map(|_| BTreeMap::new()).collect(),
        };
        for entry in &test.init {
            layout.init_entry(entry, diagnostics);
        }
        for (thread, cells) in test.threads.iter().enumerate() {
            for instruction in cells.iter().filter_map(|cell| cell.instruction.as_ref()) {
                layout.instruction(thread, instruction, diagnostics);
            }
        }
        for place in &test.locations {
            layout.shown(place, diagnostics);
        }
        for proposition in
            test.filter.iter().chain(test.condition.as_ref().map(|(_, proposition)| proposition))
        {
            for_each_place(&proposition.tree, &mut |place| layout.shown(place, diagnostics));
        }
        layout.settle(diagnostics);
        layout
    }

    /// How many bits the instruction of the thread works on.
    pub(super) fn bits_of(&self, thread: usize, instruction: &Instruction) -> u32 {
        self.said_bits(instruction).unwrap_or_else(|| {
            let location =
                instruction.operation.operands().into_iter().find_map(|operand| match &operand.kind {
                    OperandKind::Location(name) => Some(name),
                    OperandKind::Pointer(family) => self.threads[thread].get(family)?.address.as_ref(),
                    OperandKind::Immediate(_) | OperandKind::Register(..) => None,
                });
            location
                .and_then(|name| self.locations.get(name))
                .map_or(self.dialect.default_bits(), |at| at.bits)
        })
    }

    /// How many bits the instruction itself says it works on: by a suffix, or by a register.
    fn said_bits(&self, instruction: &Instruction) -> Option<u32> {
        instruction.bits.or_else(|| {
            instruction.operation.operands().into_iter().find_map(|operand| match &operand.kind {
                OperandKind::Register(register, _) => Some(self.register_bits(register)),
                _ => None,
            })
        })
    }

    fn register_bits(&self, register: &Register) -> u32 {
        register.bits.unwrap_or(self.dialect.default_bits())
    }

    fn init_entry(&mut self, entry: &InitEntry, diagnostics: &mut Vec<Diagnostic>) {
        let span = entry.place.span;
        let twice = |first: Span| {
            Diagnostic::error(&codes::INIT, span, "this place is given a value twice")
                .label("expected each register and location once")
                .also(first, "the first time")
        };
        match &entry.place.kind {
            PlaceKind::Location(name) => {
                if let Some(InitValue::Address(target)) = &entry.value {
                    diagnostics.push(
                        Diagnostic::error(
                            &codes::ADDRESS,
                            span,
                            format!("`{name}` starts with the address of `{target}`"),
                        )
                        .label("expected a number: locations cannot hold addresses here"),
                    );
                }
                let at = self.location(name, span);
                at.ty = at.ty.or(entry.ty);
                if let Some(InitValue::Number(value)) = &entry.value {
                    match &at.given {
                        Some((earlier, first)) if earlier != value => diagnostics.push(twice(*first)),
                        _ => at.given = Some((value.clone(), span)),
                    }
                }
            }
            PlaceKind::Register { thread, register, name } => {
                let Some(registers) = self.threads.get_mut(*thread) else {
                    diagnostics.push(no_thread(*thread, self.threads.len(), span));
                    return;
                };
                let at = registers.entry(register.family.clone()).or_default();
                at.real = true;
                at.ty = at.ty.or(entry.ty);
                if at.name.is_empty() {
                    at.name.clone_from(name);
                }
                if let (Some(_), Some(first)) = (&entry.value, at.given) {
                    diagnostics.push(twice(first));
                    return;
                }
                match &entry.value {
                    None => {}
                    Some(InitValue::Number(value)) => at.init = value.clone(),
                    Some(InitValue::Address(target)) => at.address = Some(target.clone()),
                }
                at.given = entry.value.as_ref().map(|_| span);
                if let Some(InitValue::Address(target)) = &entry.value {
                    self.location(target, span);
                }
            }
        }
    }

    fn location(&mut self, name: &str, span: Span) -> &mut LocationLayout {
        let at = self.locations.entry(name.to_owned()).or_default();
        at.span = at.span.or(Some(span));
        at.real = true;
        at
    }

    /// Notes what the instruction uses.
    fn instruction(&mut self, thread: usize, instruction: &Instruction, diagnostics: &mut Vec<Diagnostic>) {
        let said = self.said_bits(instruction);
        for operand in instruction.operation.operands() {
            let name = match &operand.kind {
                OperandKind::Immediate(_) => continue,
                OperandKind::Register(register, name) => {
                    let own = self.register_bits(register);
                    let bits = said.unwrap_or(own);
                    if own != bits {
                        diagnostics.push(differing(instruction, operand.span, name, own, bits));
                    }
                    self.use_register(thread, &register.family, name, bits, operand.span);
                    continue;
                }
                OperandKind::Location(name) => name.clone(),
                OperandKind::Pointer(family) => {
                    match self.threads[thread].get(family).and_then(|at| at.address.clone()) {
                        Some(name) => name,
                        None => {
                            diagnostics.push(
                                Diagnostic::error(
                                    &codes::ADDRESS,
                                    operand.span,
                                    "this register holds no address",
                                )
                                .label("expected a register that starts with an address")
                                .help(format!("give it one in the initial state: `{thread}:{family}=x;`")),
                            );
                            continue;
                        }
                    }
                }
            };
            let at = self.location(&name, operand.span);
            if let Some(bits) = said {
                at.uses.entry(bits).or_insert(operand.span);
            }
        }
        if let Operation::CompareExchange { .. } = instruction.operation {
            let bits = said.unwrap_or(self.dialect.default_bits());
            let name = match self.dialect {
                Dialect::Intel32 => "EAX",
                Dialect::Att64 => "rax",
            };
            self.use_register(thread, &ACCUMULATOR, name, bits, instruction.span);
        }
        self.check_addresses(thread, instruction, diagnostics);
    }

    fn use_register(&mut self, thread: usize, family: &Family, name: &str, bits: u32, span: Span) {
        let at = self.threads[thread].entry(family.clone()).or_default();
        at.real = true;
        if at.name.is_empty() {
            at.name = name.to_owned();
        }
        at.uses.entry(bits).or_insert(span);
    }

    /// A register that holds an address is for addressing only.
    fn check_addresses(&self, thread: usize, instruction: &Instruction, diagnostics: &mut Vec<Diagnostic>) {
        let mut check = |family: &Family, span: Span| {
            let Some(target) = self.threads[thread].get(family).and_then(|at| at.address.as_ref()) else {
                return;
            };
            diagnostics.push(
                Diagnostic::error(
                    &codes::ADDRESS,
                    span,
                    format!("register `{family}` holds the address of `{target}`"),
                )
                .label("expected it in brackets only: addresses are not values here"),
            );
        };
        for operand in instruction.operation.operands() {
            if let OperandKind::Register(register, _) = &operand.kind {
                check(&register.family, operand.span);
            }
        }
        if let Operation::CompareExchange { .. } = instruction.operation {
            check(&ACCUMULATOR, instruction.span);
        }
    }

    /// Notes that the condition, the filter or `locations` names the place.
    fn shown(&mut self, place: &Place, diagnostics: &mut Vec<Diagnostic>) {
        let unused = |what: String| {
            Diagnostic::warning(&codes::UNUSED, place.span, format!("{what} is used nowhere else"))
                .label("it is 0 in every final state")
        };
        match &place.kind {
            PlaceKind::Location(name) => {
                let at = self.locations.entry(name.clone()).or_default();
                if !at.real && at.span.is_none() {
                    diagnostics.push(unused(format!("location `{name}`")));
                }
                at.span = at.span.or(Some(place.span));
            }
            PlaceKind::Register { thread, register, name } => {
                let bits = self.register_bits(register);
                let Some(registers) = self.threads.get_mut(*thread) else {
                    diagnostics.push(no_thread(*thread, self.threads.len(), place.span));
                    return;
                };
                let at = registers.entry(register.family.clone()).or_default();
                if let Some(target) = &at.address {
                    diagnostics.push(
                        Diagnostic::error(
                            &codes::ADDRESS,
                            place.span,
                            format!("`{name}` holds the address of `{target}`"),
                        )
                        .label("expected a register that holds a number"),
                    );
                }
                if !at.real && at.shown.is_none() {
                    diagnostics.push(unused(format!("register `{thread}:{name}`")));
                }
                if at.shown.is_none() {
                    at.name.clone_from(name);
                    at.shown = Some((bits, place.span));
                }
            }
        }
    }

    /// Fixes widths and initial values.
    fn settle(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let default = self.dialect.default_bits();
        for (name, at) in &mut self.locations {
            let mut uses = at.uses.iter();
            let (first, second) = (uses.next(), uses.next());
            if let (Some((a, span_a)), Some((b, span_b))) = (first, second) {
                diagnostics.push(mixed(&format!("location `{name}`"), (*a, *span_a), (*b, *span_b)));
            }
            let declared = at.ty.map(|ty| ty.bits);
            at.bits = first.map(|(bits, _)| *bits).or(declared).unwrap_or(default);
            if let (Some(declared), Some((bits, span))) = (declared, first)
                && declared != *bits
            {
                let message = format!("`{name}` is declared with {declared} bits and accessed with {bits}");
                diagnostics.push(
                    Diagnostic::warning(&codes::WIDTH, *span, message)
                        .label(format!("it is taken to have {bits} bits"))
                        .also(at.span.unwrap_or(*span), "declared here"),
                );
            }
            at.init = at.given.as_ref().map_or(Int::ZERO, |(value, _)| value.wrap(at.bits, at.is_signed()));
        }
        for (family, at) in self.threads.iter_mut().flatten() {
            let widest = at.uses.iter().next_back();
            let narrowest = at.uses.iter().next();
            if let (Some((a, span_a)), Some((b, span_b))) = (widest, narrowest)
                && a != b
                && *b < 32
            {
                diagnostics.push(mixed(&format!("register `{family}`"), (*a, *span_a), (*b, *span_b)));
            }
            let used = widest.map(|(bits, _)| *bits);
            let shown = at.shown.map(|(bits, _)| bits);
            at.bits = match (used, shown) {
                (Some(32), Some(64)) => 64,
                (Some(used), _) => used,
                (None, shown) => shown.unwrap_or(default),
            };
            if let (Some((bits, span)), Some((used, used_span))) = (at.shown, widest)
                && bits < *used
            {
                diagnostics.push(mixed(&format!("register `{family}`"), (*used, *used_span), (bits, span)));
            }
            at.init = at.init.wrap(at.bits, at.is_signed());
        }
    }
}

impl Operation {
    /// Its operands.
    pub(super) fn operands(&self) -> Vec<&Operand> {
        match self {
            Operation::Move { dst, src }
            | Operation::Binary { dst, src, .. }
            | Operation::ExchangeAdd { dst, src }
            | Operation::CompareExchange { dst, src }
            | Operation::ConditionalMove { dst, src, .. } => vec![dst, src],
            Operation::Compare { left, right, .. } | Operation::Exchange { left, right, .. } => {
                vec![left, right]
            }
            Operation::Unary { dst, .. } | Operation::Set { dst, .. } => vec![dst],
            Operation::Jump { .. }
            | Operation::FullFence
            | Operation::StoreFence
            | Operation::Nothing
            | Operation::Return => Vec::new(),
        }
    }
}

/// Calls `visit` for every place of the proposition, from left to right.
pub(super) fn for_each_place(tree: &Tree, visit: &mut dyn FnMut(&Place)) {
    match tree {
        Tree::Constant(_) => {}
        Tree::Number(place, _) => visit(place),
        Tree::Same(left, right) => {
            visit(left);
            visit(right);
        }
        Tree::Not(tree) => for_each_place(tree, visit),
        Tree::All(trees) | Tree::Any(trees) => trees.iter().for_each(|tree| for_each_place(tree, visit)),
    }
}

fn no_thread(thread: usize, n_threads: usize, span: Span) -> Diagnostic {
    Diagnostic::error(&codes::THREAD, span, format!("there is no thread {thread}"))
        .label(format!("expected a number below {n_threads}"))
}

fn mixed(what: &str, a: (u32, Span), b: (u32, Span)) -> Diagnostic {
    Diagnostic::error(&codes::MIXED, b.1, format!("{what} is used with {} and with {} bits", a.0, b.0))
        .label(format!("{} bits here", b.0))
        .also(a.1, format!("{} bits here", a.0))
        .help("accesses of different sizes to one place are not supported")
}

/// A register operand that is not as wide as the instruction: the suffix counts; two registers must agree.
fn differing(instruction: &Instruction, span: Span, name: &str, own: u32, bits: u32) -> Diagnostic {
    let message = format!("`{name}` has {own} bits in an instruction on {bits} bits");
    if instruction.bits.is_some() {
        Diagnostic::warning(&codes::WIDTH, span, message).label(format!("{bits} bits of it are used"))
    } else {
        Diagnostic::error(&codes::MIXED, span, message).label(format!("expected a register of {bits} bits"))
    }
}
