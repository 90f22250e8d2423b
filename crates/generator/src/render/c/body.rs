//! Statements and values in C and C++.

use super::super::common::{Values, enclosed, modification, operation, path, table_shape};
use super::super::{Text, of_failure, of_load, of_store};
use super::{Writer, constant, int, root};
use crate::tree::{
    BinaryOp, Call, Callee, Expr, Fault, IntType, Local, LoopKind, Order, Place, Statement, Style, Type,
};
use crate::types::Scope;

pub(super) struct Body<'a> {
    writer: &'a Writer<'a>,
    scope: Scope<'a>,
}

impl<'a> Body<'a> {
    pub(super) fn new(writer: &'a Writer<'a>, locals: &'a [Local], function: Option<usize>) -> Self {
        Self { writer, scope: Scope { program: writer.program, locals, function } }
    }

    fn order(&self, order: Order) -> String {
        let name = match order {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        };
        format!("{}memory_order_{name}", if self.writer.is_cpp { "std::" } else { "" })
    }

    /// An atomic operation; `name` and arguments as in C.
    fn atomic(&self, name: &str, place: &str, arguments: &[String]) -> String {
        if self.writer.is_cpp {
            format!("{place}.{name}({})", arguments.join(", "))
        } else {
            let all: Vec<String> =
                std::iter::once(format!("&{place}")).chain(arguments.iter().cloned()).collect();
            format!("atomic_{name}_explicit({})", all.join(", "))
        }
    }

    pub(super) fn exchange_slot(&self, slot: usize, new: &str) -> String {
        self.atomic("exchange", &format!("s{slot}"), &[new.to_owned(), self.order(Order::AcqRel)])
    }

    pub(super) fn free(&self, pointer: &str) -> String {
        if self.writer.is_cpp { format!("delete {pointer};") } else { format!("free({pointer});") }
    }

    /// The declaration of a pointer to a new object.
    fn allocated(&mut self, text: &mut Text, name: &str, ty: IntType, value: &Expr) {
        let value = self.expr(value);
        let ty = int(ty);
        if self.writer.is_cpp {
            text.line(format!("{ty} *{name} = new {ty}(({ty}){value});"));
        } else {
            text.line(format!("{ty} *{name} = malloc(sizeof({ty}));"));
            text.line(format!("*{name} = {value};"));
        }
    }

    pub(super) fn block(&mut self, text: &mut Text, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(text, statement));
    }

    fn statement(&mut self, text: &mut Text, statement: &Statement) {
        text.line("DELAY");
        match statement {
            Statement::Store(place, value) => {
                text.line(format!("{} = {};", self.place(place), self.expr(value)));
            }
            Statement::AtomicStore(place, value, order) => {
                let arguments = [self.expr(value), self.order(of_store(*order))];
                text.line(self.atomic("store", &self.place(place), &arguments) + ";");
            }
            Statement::Evaluate(value) => text.line(format!("(void){};", self.expr(value))),
            Statement::CompareExchange { place, expected, new, success, failure, done } => {
                let expected = self.place(expected);
                let arguments = [
                    if self.writer.is_cpp { expected } else { format!("&{expected}") },
                    self.expr(new),
                    self.order(*success),
                    self.order(of_failure(*success, *failure)),
                ];
                let call = self.atomic("compare_exchange_strong", &self.place(place), &arguments);
                match done {
                    Some(done) => text.line(format!("{} = {call};", self.place(done))),
                    None => text.line(format!("(void){call};")),
                }
            }
            Statement::StoreBytes { place, offset, value } => {
                let Some(ty) = self.scope.number(value) else { return };
                let (place, value) = (self.place(place), self.expr(value));
                if ty.bits == 8 {
                    text.line(format!("((unsigned char *)&{place})[{offset}] = {value};"));
                } else {
                    text.line(format!("store_{}((char *)&{place} + {offset}, {value});", ty.bits));
                }
            }
            Statement::Fence(Order::Relaxed) => text.line(";"),
            Statement::Fence(order) => {
                let name =
                    if self.writer.is_cpp { "std::atomic_thread_fence" } else { "atomic_thread_fence" };
                text.line(format!("{name}({});", self.order(*order)));
            }
            Statement::If(condition, then, otherwise) => {
                text.line(format!("if ({}) {{", self.condition(condition)));
                self.block(text, then);
                if !otherwise.is_empty() {
                    text.line("} else {");
                    self.block(text, otherwise);
                }
                text.line("}");
            }
            Statement::Switch { on, arms, default } => {
                text.line(format!("switch ((unsigned){} & 3u) {{", self.expr(on)));
                for (number, arm) in arms.iter().enumerate() {
                    text.line(format!("case {number}: {{"));
                    self.block(text, &arm.body);
                    text.line("}");
                    if !arm.falls {
                        text.line("break;");
                    }
                }
                text.line("default: {");
                self.block(text, default);
                text.line("}");
                text.line("}");
            }
            Statement::Loop { kind, number, times, body } => {
                let counter = format!("i{number}");
                match kind {
                    LoopKind::For => {
                        text.line(format!(
                            "for (uint32_t {counter} = 0; {counter} < {times}; {counter}++) {{"
                        ));
                        self.block(text, body);
                        text.line("}");
                    }
                    LoopKind::While => {
                        // The counter goes up at the top, so that `continue` cannot leave that out.
                        text.line("{");
                        text.line(format!("uint32_t {counter} = (uint32_t)-1;"));
                        text.line(format!("while (++{counter} < {times}) {{"));
                        self.block(text, body);
                        text.line("}");
                        text.line("}");
                    }
                    LoopKind::Do => {
                        text.line("{");
                        text.line(format!("uint32_t {counter} = 0;"));
                        text.line("do {");
                        self.block(text, body);
                        text.line(format!("}} while (++{counter} < {times});"));
                        text.line("}");
                    }
                }
            }
            Statement::BreakIf(condition) => text.line(format!("if ({}) break;", self.condition(condition))),
            Statement::ContinueIf(condition) => {
                text.line(format!("if ({}) continue;", self.condition(condition)));
            }
            Statement::Lock(mutex, body) => {
                let (take, give) = match self.writer.is_posix() {
                    true => (
                        format!("pthread_mutex_lock(&m{mutex});"),
                        Some(format!("pthread_mutex_unlock(&m{mutex});")),
                    ),
                    false => (format!("std::lock_guard<std::mutex> guard{mutex}(m{mutex});"), None),
                };
                enclosed(text, &take, give.as_deref(), &mut |text| self.block(text, body));
            }
            Statement::Heap { number, ty, value, body } => {
                text.line("{");
                self.allocated(text, &format!("h{number}"), *ty, value);
                self.block(text, body);
                text.line(self.free(&format!("h{number}")));
                text.line("}");
            }
            Statement::Hand { slot, value, received } => {
                let Some(&ty) = self.writer.program.slots.get(*slot) else { return };
                text.line("{");
                self.allocated(text, "given", ty, value);
                let taken = self.exchange_slot(*slot, "given");
                text.line(format!("{} *taken = {taken};", int(ty)));
                text.line("if (taken) {");
                text.line(format!("{} = *taken;", self.place(received)));
                text.line(self.free("taken"));
                text.line("}");
                text.line("}");
            }
            Statement::SetSlot(slot, function) => text.line(format!("slot{slot} = f{function};")),
            Statement::Helper(number) => {
                text.line("{");
                if self.writer.is_posix() {
                    text.line("pthread_t helper;");
                    text.line(format!("pthread_create(&helper, 0, helper{number}, 0);"));
                    text.line("pthread_join(helper, 0);");
                } else {
                    text.line(format!("std::thread helper(helper{number});"));
                    text.line("helper.join();");
                }
                text.line("}");
            }
            Statement::Fault(fault) => self.fault(text, fault),
        }
    }

    fn fault(&mut self, text: &mut Text, fault: &Fault) {
        match fault {
            Fault::Assert(condition) => text.line(format!("assert({});", self.condition(condition))),
            Fault::Null { unless, place, result } => {
                let Some(Type::Int(ty)) = self.scope.place(place) else { return };
                let ty = int(ty);
                text.line("{");
                let (unless, place) = (self.condition(unless), self.place(place));
                text.line(format!("{ty} *pointer = {unless} ? ({ty} *)&{place} : ({ty} *)0;"));
                text.line(format!("{} = *pointer;", self.place(result)));
                text.line("}");
            }
            Fault::Index { array, index, result } => {
                let Some(Type::Array(_, length)) = self.scope.place(array) else { return };
                let (array, index) = (self.place(array), self.expr(index));
                text.line(format!(
                    "{} = {array}[(unsigned){index} & {}u];",
                    self.place(result),
                    2 * length - 1
                ));
            }
            Fault::Division { value, by, result } => {
                let (value, by) = (self.expr(value), self.expr(by));
                text.line(format!(
                    "{} = ((int64_t){value} & 255) / ((int64_t){by} & 7);",
                    self.place(result)
                ));
            }
            Fault::FreeTwice { slot, result } => {
                let Some(&ty) = self.writer.program.slots.get(*slot) else { return };
                let name = format!("s{slot}");
                text.line("{");
                let loaded = self.atomic("load", &name, &[self.order(Order::Acquire)]);
                text.line(format!("{} *taken = {loaded};", int(ty)));
                text.line("DELAY");
                text.line("if (taken) {");
                text.line(format!("{} = *taken;", self.place(result)));
                text.line("DELAY");
                let none = format!("({} *)0", int(ty));
                text.line(self.atomic("store", &name, &[none, self.order(Order::Relaxed)]) + ";");
                text.line(self.free("taken"));
                text.line("}");
                text.line("}");
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        path(&self.scope, root(&place.root), place, &|index, length| {
            format!("(unsigned){} & {}u", self.expr(index), length.saturating_sub(1))
        })
    }

    fn call(&self, call: &Call) -> String {
        let mut arguments: Vec<String> = call.arguments.iter().map(|argument| self.expr(argument)).collect();
        let callee = match &call.callee {
            Callee::Direct(number) => format!("f{number}"),
            Callee::Itself => {
                arguments.insert(0, "l0 - 1".to_owned());
                format!("f{}", self.scope.function.unwrap_or_default())
            }
            Callee::Table(number, index) => {
                let (mask, is_virtual) = table_shape(self.writer.program, *number);
                let method = if is_virtual { "->call" } else { "" };
                format!("table{number}[(unsigned){} & {mask}u]{method}", self.expr(index))
            }
            Callee::Slot(number) => format!("slot{number}"),
        };
        format!("{callee}({})", arguments.join(", "))
    }
}

impl Values for Body<'_> {
    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Constant(ty, value) => format!("({})", constant(*ty, *value)),
            Expr::Load(place) => self.place(place),
            Expr::AtomicLoad(place, order) => {
                self.atomic("load", &self.place(place), &[self.order(of_load(*order))])
            }
            Expr::Modify { place, op, value, order } => {
                let name = modification(*op, "exchange");
                let Some(Type::Atomic(ty)) = self.scope.place(place) else { return "0".to_owned() };
                let value = format!("({}){}", int(ty), self.expr(value));
                self.atomic(name, &self.place(place), &[value, self.order(*order)])
            }
            Expr::Bytes { place, offset, ty } if ty.bits == 8 => {
                format!("(({})((unsigned char *)&{})[{offset}])", int(*ty), self.place(place))
            }
            Expr::Bytes { place, offset, ty } => {
                format!("(({})load_{}((char *)&{} + {offset}))", int(*ty), ty.bits, self.place(place))
            }
            Expr::Address(place) => match self.scope.place(place) {
                Some(ty) => format!("(({})&{})", self.writer.declared(&ty, "*"), self.place(place)),
                None => "0".to_owned(),
            },
            Expr::Negative(value) => match self.scope.number(value) {
                Some(ty) => format!("(({})(0u - ({}){}))", int(ty), wide(ty), self.expr(value)),
                None => "0".to_owned(),
            },
            Expr::Complement(value) => match self.scope.number(value) {
                Some(ty) => format!("(({})~{})", int(ty), self.expr(value)),
                None => "0".to_owned(),
            },
            Expr::Binary(op, style, a, b) => match self.scope.number(a) {
                Some(ty) => {
                    let (a, b) = (self.expr(a), format!("(({}){})", int(ty), self.expr(b)));
                    format!("(({})({}))", int(ty), binary(*op, *style, ty, &a, &b))
                }
                None => "0".to_owned(),
            },
            Expr::Cast(ty, value) => format!("(({}){})", int(*ty), self.expr(value)),
            Expr::Truth(ty, condition) => format!("(({}){})", int(*ty), self.condition(condition)),
            Expr::Choose(condition, a, b) => {
                let (a_text, b_text) = (self.expr(a), self.expr(b));
                let condition = self.condition(condition);
                match self.scope.number(a) {
                    Some(ty) => format!("({condition} ? {a_text} : ({}){b_text})", int(ty)),
                    None => format!("({condition} ? {a_text} : {b_text})"),
                }
            }
            Expr::Counter(number) => format!("i{number}"),
            Expr::Call(call) => self.call(call),
            Expr::Joined(number) => format!("joined[{number}]"),
            Expr::Left(slot) => format!("left{slot}"),
        }
    }

    fn comparison(&self, sign: &str, a: &Expr, b: &Expr) -> String {
        let ty = self.scope.number(a).map_or(String::new(), |ty| format!("({})", int(ty)));
        format!("({} {sign} {ty}{})", self.expr(a), self.expr(b))
    }
}

/// An unsigned type that is not promoted to a signed one.
fn wide(ty: IntType) -> &'static str {
    if ty.bits == 64 { "uint64_t" } else { "uint32_t" }
}

fn binary(op: BinaryOp, style: Style, ty: IntType, a: &str, b: &str) -> String {
    let wide = |operand: &str| format!("({}){operand}", wide(ty));
    match (op, style) {
        (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, Style::Wrapping) => {
            operation(op, style, ty, &wide(a), &wide(b))
        }
        (BinaryOp::Shl, _) => operation(op, style, ty, &wide(a), b),
        _ => operation(op, style, ty, a, b),
    }
}
