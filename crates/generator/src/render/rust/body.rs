//! Statements and values in Rust.

use super::super::common::{Values, enclosed, modification, operation, path, table_shape};
use super::super::{Text, of_failure, of_load, of_store};
use super::{Writer, constant, int};
use crate::tree::{
    Arm, BinaryOp, Call, Callee, Expr, Fault, IntType, Local, LoopKind, Order, Place, Root, Statement, Step,
    Style, Type,
};
use crate::types::Scope;

pub(super) struct Body<'a> {
    writer: &'a Writer<'a>,
    scope: Scope<'a>,
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "Ordering::Relaxed",
        Order::Acquire => "Ordering::Acquire",
        Order::Release => "Ordering::Release",
        Order::AcqRel => "Ordering::AcqRel",
        Order::SeqCst => "Ordering::SeqCst",
    }
}

impl<'a> Body<'a> {
    pub(super) fn new(writer: &'a Writer<'a>, locals: &'a [Local], function: Option<usize>) -> Self {
        Self { writer, scope: Scope { program: writer.program, locals, function } }
    }

    /// A value as one of the type: numbers are converted.
    pub(super) fn as_type(&self, expr: &Expr, ty: &Type) -> String {
        let text = self.expr(expr);
        match ty {
            Type::Int(ty) if self.scope.number(expr) != Some(*ty) => format!("({text} as {})", int(*ty)),
            _ => text,
        }
    }

    fn as_int(&self, expr: &Expr, ty: IntType) -> String {
        self.as_type(expr, &Type::Int(ty))
    }

    /// A statement that gives the place a value.
    fn assigned(&self, place: &Place, value: &str) -> String {
        match place.root {
            Root::ThreadLocal(number) => format!("T{number}.set({value});"),
            _ if self.is_volatile(place) => {
                format!("{{ let value = {value}; (&raw mut {}).write_volatile(value); }}", self.place(place))
            }
            _ => format!("{} = {value};", self.place(place)),
        }
    }

    fn is_volatile(&self, place: &Place) -> bool {
        let Root::Global(number) = place.root else { return false };
        let is_volatile = self.writer.program.globals.get(number).is_some_and(|global| global.is_volatile);
        is_volatile && !place.path.contains(&Step::Deref)
    }

    pub(super) fn block(&self, text: &mut Text, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(text, statement));
    }

    fn statement(&self, text: &mut Text, statement: &Statement) {
        text.line("delay!();");
        match statement {
            Statement::Store(place, value) => {
                let Some(ty) = self.scope.place(place) else { return };
                text.line(self.assigned(place, &self.as_type(value, &ty)));
            }
            Statement::AtomicStore(place, value, at) => {
                let value = match self.scope.place(place) {
                    Some(Type::Atomic(ty)) => self.as_int(value, ty),
                    _ => self.expr(value),
                };
                text.line(format!("{}.store({value}, {});", self.place(place), order(of_store(*at))));
            }
            Statement::Evaluate(value) => text.line(format!("let _ = {};", self.expr(value))),
            Statement::CompareExchange { place, expected, new, success, failure, done } => {
                let Some(Type::Atomic(ty)) = self.scope.place(place) else { return };
                let expected = self.place(expected);
                text.line(format!(
                    "match {}.compare_exchange({expected}, {}, {}, {}) {{",
                    self.place(place),
                    self.as_int(new, ty),
                    order(*success),
                    order(of_failure(*success, *failure))
                ));
                let done = |value: u32| match done {
                    Some(done) => format!("{} = {value};", self.place(done)),
                    None => String::new(),
                };
                text.line(format!("Ok(_) => {{ {} }}", done(1)));
                text.line(format!("Err(found) => {{ {expected} = found; {} }}", done(0)));
                text.line("}");
            }
            Statement::StoreBytes { place, offset, value } => {
                let Some(ty) = self.scope.number(value) else { return };
                text.line(format!(
                    "{{ let value = {}; (&raw mut {}).cast::<u8>().add({offset}).cast::<{}>().write_unaligned(value); }}",
                    self.expr(value),
                    self.place(place),
                    int(ty)
                ));
            }
            Statement::Fence(Order::Relaxed) => {}
            Statement::Fence(at) => text.line(format!("fence({});", order(*at))),
            Statement::If(condition, then, otherwise) => {
                text.line(format!("if {} {{", self.condition(condition)));
                self.block(text, then);
                if !otherwise.is_empty() {
                    text.line("} else {");
                    self.block(text, otherwise);
                }
                text.line("}");
            }
            Statement::Switch { on, arms, default } => self.switch(text, on, arms, default),
            Statement::Loop { kind, number, times, body } => {
                let counter = format!("i{number}");
                match kind {
                    LoopKind::For => {
                        text.line(format!("for {counter} in 0..{times}u32 {{"));
                        self.block(text, body);
                        text.line("}");
                    }
                    LoopKind::While => {
                        text.line("{");
                        text.line(format!("let mut {counter} = u32::MAX;"));
                        text.line(format!(
                            "while {{ {counter} = {counter}.wrapping_add(1); {counter} < {times} }} {{"
                        ));
                        self.block(text, body);
                        text.line("}");
                        text.line("}");
                    }
                    LoopKind::Do => {
                        text.line("{");
                        text.line(format!("let mut {counter} = u32::MAX;"));
                        text.line("loop {");
                        text.line(format!("{counter} = {counter}.wrapping_add(1);"));
                        text.line(format!("if {counter} == {times} {{ break; }}"));
                        self.block(text, body);
                        text.line("}");
                        text.line("}");
                    }
                }
            }
            Statement::BreakIf(condition) => {
                text.line(format!("if {} {{ break; }}", self.condition(condition)));
            }
            Statement::ContinueIf(condition) => {
                text.line(format!("if {} {{ continue; }}", self.condition(condition)));
            }
            Statement::Lock(mutex, body) => {
                let (take, give) = match self.writer.is_posix() {
                    true => (
                        format!("pthread_mutex_lock(M{mutex}.get());"),
                        Some(format!("pthread_mutex_unlock(M{mutex}.get());")),
                    ),
                    false => (format!("let mut guard{mutex} = M{mutex}.lock().unwrap();"), None),
                };
                enclosed(text, &take, give.as_deref(), &mut |text| self.block(text, body));
            }
            Statement::Heap { number, ty, value, body } => {
                text.line("{");
                let value = self.as_int(value, *ty);
                text.line(format!("let h{number}: *mut {} = Box::into_raw(Box::new({value}));", int(*ty)));
                self.block(text, body);
                text.line(format!("drop(Box::from_raw(h{number}));"));
                text.line("}");
            }
            Statement::Hand { slot, value, received } => {
                let Some(&ty) = self.writer.program.slots.get(*slot) else { return };
                text.line("{");
                text.line(format!("let given = Box::into_raw(Box::new({}));", self.as_int(value, ty)));
                text.line(format!("let taken = S{slot}.swap(given, Ordering::AcqRel);"));
                text.line("if !taken.is_null() {");
                text.line(self.assigned(received, "(*taken as i64)"));
                text.line("drop(Box::from_raw(taken));");
                text.line("}");
                text.line("}");
            }
            Statement::SetSlot(slot, function) => text.line(format!("*SLOT{slot}.get() = f{function};")),
            Statement::Helper(number) => {
                if self.writer.is_posix() {
                    text.line("{");
                    text.line("let mut helper = 0usize;");
                    text.line(format!(
                        "pthread_create(&raw mut helper, std::ptr::null(), helper{number}, std::ptr::null_mut());"
                    ));
                    text.line("pthread_join(helper, std::ptr::null_mut());");
                    text.line("}");
                } else {
                    text.line(format!("thread::spawn(|| unsafe {{ helper{number}() }}).join().unwrap();"));
                }
            }
            Statement::Fault(fault) => self.fault(text, fault),
        }
    }

    /// An arm that falls through does what the next one does as well.
    fn switch(&self, text: &mut Text, on: &Expr, arms: &[Arm], default: &[Statement]) {
        text.line(format!("match {} & 3 {{", self.as_int(on, IntType::U32)));
        for first in 0..arms.len() {
            text.line(format!("{first} => {{"));
            let mut number = first;
            loop {
                match arms.get(number) {
                    Some(arm) => {
                        self.block(text, &arm.body);
                        if !arm.falls {
                            break;
                        }
                    }
                    None => {
                        self.block(text, default);
                        break;
                    }
                }
                number += 1;
            }
            text.line("}");
        }
        text.line("_ => {");
        self.block(text, default);
        text.line("}");
        text.line("}");
    }

    fn fault(&self, text: &mut Text, fault: &Fault) {
        match fault {
            Fault::Assert(condition) => text.line(format!("assert!({});", self.condition(condition))),
            Fault::Null { unless, place, result } => {
                let (unless, place) = (self.condition(unless), self.place(place));
                text.line("{");
                text.line(format!(
                    "let pointer = if {unless} {{ &raw mut {place} }} else {{ std::ptr::null_mut() }};"
                ));
                text.line(self.assigned(result, "(*pointer as i64)"));
                text.line("}");
            }
            Fault::Index { array, index, result } => {
                let Some(Type::Array(_, length)) = self.scope.place(array) else { return };
                let (array, index) = (self.place(array), self.as_int(index, IntType::U32));
                let read = format!("({array}[({index} & {}) as usize] as i64)", 2 * length - 1);
                text.line(self.assigned(result, &read));
            }
            Fault::Division { value, by, result } => {
                let (value, by) = (self.as_int(value, IntType::I64), self.as_int(by, IntType::I64));
                text.line(self.assigned(result, &format!("({value} & 255) / ({by} & 7)")));
            }
            Fault::FreeTwice { slot, result } => {
                text.line("{");
                text.line(format!("let taken = S{slot}.load(Ordering::Acquire);"));
                text.line("delay!();");
                text.line("if !taken.is_null() {");
                text.line(self.assigned(result, "(*taken as i64)"));
                text.line("delay!();");
                text.line(format!("S{slot}.store(std::ptr::null_mut(), Ordering::Relaxed);"));
                text.line("drop(Box::from_raw(taken));");
                text.line("}");
                text.line("}");
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        path(&self.scope, self.writer.root(&place.root), place, &|index, length| {
            let index = self.as_int(index, IntType::U32);
            format!("({index} & {}) as usize", length.saturating_sub(1))
        })
    }

    fn call(&self, call: &Call) -> String {
        let Some(function) = self.writer.program.callee(&call.callee, self.scope.function) else {
            return "0".to_owned();
        };
        let skipped = usize::from(call.callee == Callee::Itself);
        let mut arguments: Vec<String> = function
            .parameters()
            .skip(skipped)
            .zip(&call.arguments)
            .map(|(ty, argument)| self.as_type(argument, ty))
            .collect();
        let callee = match &call.callee {
            Callee::Direct(number) => format!("f{number}"),
            Callee::Itself => {
                arguments.insert(0, "l0 - 1".to_owned());
                format!("f{}", self.scope.function.unwrap_or_default())
            }
            Callee::Table(number, index) => {
                let (mask, is_virtual) = table_shape(self.writer.program, *number);
                let method = if is_virtual { ".call" } else { "" };
                let index = self.as_int(index, IntType::U32);
                format!("TABLE{number}[({index} & {mask}) as usize]{method}")
            }
            Callee::Slot(number) => format!("(*SLOT{number}.get())"),
        };
        format!("{callee}({})", arguments.join(", "))
    }
}

impl Values for Body<'_> {
    /// A method can be called on it, too.
    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Constant(ty, value) => constant(*ty, *value),
            Expr::Load(place) => match place.root {
                Root::ThreadLocal(number) => format!("T{number}.get()"),
                _ if self.is_volatile(place) => format!("(&raw const {}).read_volatile()", self.place(place)),
                _ => self.place(place),
            },
            Expr::AtomicLoad(place, at) => format!("{}.load({})", self.place(place), order(of_load(*at))),
            Expr::Modify { place, op, value, order: at } => {
                let name = modification(*op, "swap");
                let Some(Type::Atomic(ty)) = self.scope.place(place) else { return "0".to_owned() };
                format!("{}.{name}({}, {})", self.place(place), self.as_int(value, ty), order(*at))
            }
            Expr::Bytes { place, offset, ty } => format!(
                "(&raw const {}).cast::<u8>().add({offset}).cast::<{}>().read_unaligned()",
                self.place(place),
                int(*ty)
            ),
            Expr::Address(place) => format!("(&raw mut {})", self.place(place)),
            Expr::Negative(value) => format!("{}.wrapping_neg()", self.expr(value)),
            Expr::Complement(value) => format!("(!{})", self.expr(value)),
            Expr::Binary(op, style, a, b) => match self.scope.number(a) {
                Some(ty) => binary(*op, *style, ty, &self.expr(a), &self.as_int(b, ty)),
                None => "0".to_owned(),
            },
            Expr::Cast(ty, value) => format!("({} as {})", self.expr(value), int(*ty)),
            Expr::Truth(ty, condition) => format!("({} as {})", self.condition(condition), int(*ty)),
            Expr::Choose(condition, a, b) => {
                let Some(ty) = self.scope.value(a) else { return "0".to_owned() };
                format!(
                    "(if {} {{ {} }} else {{ {} }})",
                    self.condition(condition),
                    self.expr(a),
                    self.as_type(b, &ty)
                )
            }
            Expr::Counter(number) => format!("i{number}"),
            Expr::Call(call) => self.call(call),
            Expr::Joined(number) => format!("joined[{number}]"),
            Expr::Left(slot) => format!("left{slot}"),
        }
    }

    fn comparison(&self, sign: &str, a: &Expr, b: &Expr) -> String {
        let Some(ty) = self.scope.number(a) else { return "false".to_owned() };
        format!("({} {sign} {})", self.expr(a), self.as_int(b, ty))
    }
}

fn binary(op: BinaryOp, style: Style, ty: IntType, a: &str, b: &str) -> String {
    match (op, style) {
        (BinaryOp::Add, Style::Wrapping) => format!("{a}.wrapping_add({b})"),
        (BinaryOp::Sub, Style::Wrapping) => format!("{a}.wrapping_sub({b})"),
        (BinaryOp::Mul, Style::Wrapping) => format!("{a}.wrapping_mul({b})"),
        _ => format!("({})", operation(op, style, ty, a, b)),
    }
}
