//! Handshakes as LLVM IR.

use std::fmt::Write as _;

use super::{GLOBALS, HALVES, Handshake, Op, Order, Place};

impl Handshake {
    /// The program as LLVM IR. `@out` has what each thread read, and what memory holds in the end.
    pub fn render(&self) -> String {
        let mut text = String::from(
            "@x = global i32 0, align 8\n@y = global i32 0, align 8\n@halves = global i64 0, align 8\n\
             @f = global i32 0, align 8\n@g = global i32 0, align 8\n@p = global ptr null, align 8\n\
             @m0 = global [40 x i8] zeroinitializer, align 8\n@m1 = global [40 x i8] zeroinitializer, align 8\n\
             @out = global [12 x i64] zeroinitializer, align 8\n\
             declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n\
             declare i32 @pthread_mutex_lock(ptr)\ndeclare i32 @pthread_mutex_unlock(ptr)\n\
             @c = global [48 x i8] zeroinitializer, align 8\n@s = global [32 x i8] zeroinitializer, align 8\n\
             declare i32 @pthread_mutex_trylock(ptr)\ndeclare i32 @pthread_cond_wait(ptr, ptr)\n\
             declare i32 @pthread_cond_signal(ptr)\ndeclare i32 @pthread_cond_broadcast(ptr)\n\
             declare i32 @sem_wait(ptr)\ndeclare i32 @sem_post(ptr)\ndeclare void @free(ptr)\n\
             declare ptr @malloc(i64)\ndeclare void @__VERIFIER_atomic_begin()\n\
             declare void @__VERIFIER_atomic_end()\n",
        );
        for (number, ops) in self.threads.iter().enumerate() {
            let mut writer = Writer::begin(&mut text, &format!("define ptr @t{number}(ptr %arg) {{"));
            writer.ops(ops);
            let sum = writer.name();
            writer.line(&format!("{sum} = load i64, ptr %sum"));
            let pointer = writer.name();
            writer.line(&format!("{pointer} = inttoptr i64 {sum} to ptr"));
            writer.line(&format!("ret ptr {pointer}"));
            text += "}\n";
        }
        let mut writer = Writer::begin(&mut text, "define i32 @main() {");
        for number in 0..self.threads.len() {
            writer.line(&format!("%h{number} = alloca i64"));
            writer.line(&format!("%r{number} = alloca ptr"));
        }
        for (number, ops) in self.main.iter().enumerate() {
            writer.ops(ops);
            if number < self.threads.len() {
                let unused = writer.name();
                writer.line(&format!(
                    "{unused} = call i32 @pthread_create(ptr %h{number}, ptr null, ptr @t{number}, ptr null)"
                ));
            }
        }
        for number in 0..self.threads.len() {
            let (handle, unused, result) = (writer.name(), writer.name(), writer.name());
            writer.line(&format!("{handle} = load i64, ptr %h{number}"));
            writer.line(&format!("{unused} = call i32 @pthread_join(i64 {handle}, ptr %r{number})"));
            writer.line(&format!("{result} = load i64, ptr %r{number}"));
            writer.out(number + 1, &result);
            if number == 0 {
                writer.ops(&self.after_join);
            }
        }
        let sum = writer.name();
        writer.line(&format!("{sum} = load i64, ptr %sum"));
        writer.out(0, &sum);
        for (number, global) in GLOBALS.iter().enumerate() {
            let bits = if number == usize::from(HALVES) { 64 } else { 32 };
            let value = writer.load(&format!("i{bits}"), global, Order::Plain, bits / 8);
            let wide = writer.widened(&value, bits);
            writer.out(5 + number, &wide);
        }
        writer.line("ret i32 0");
        text += "}\n";
        text
    }
}

struct Writer<'t> {
    text: &'t mut String,
    n_names: usize,
}

impl<'t> Writer<'t> {
    fn begin(text: &'t mut String, head: &str) -> Self {
        let _ = writeln!(text, "{head}\nentry:");
        let mut writer = Self { text, n_names: 0 };
        writer.line("%sum = alloca i64");
        writer.line("store i64 0, ptr %sum");
        writer
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("%v{}", self.n_names)
    }

    fn label(&mut self, name: &str) {
        let _ = writeln!(self.text, "{name}:");
    }

    /// A word of the outcome.
    fn out(&mut self, word: usize, value: &str) {
        let place = self.name();
        self.line(&format!("{place} = getelementptr i64, ptr @out, i64 {word}"));
        self.line(&format!("store i64 {value}, ptr {place}"));
    }

    fn widened(&mut self, value: &str, bits: u8) -> String {
        if bits == 64 {
            return value.to_owned();
        }
        let wide = self.name();
        self.line(&format!("{wide} = zext i{bits} {value} to i64"));
        wide
    }

    /// Adds what was read to the outcome of the thread.
    fn note(&mut self, value: &str, bits: u8) {
        let value = self.widened(value, bits);
        let (old, scaled, more, new) = (self.name(), self.name(), self.name(), self.name());
        self.line(&format!("{old} = load i64, ptr %sum"));
        self.line(&format!("{scaled} = mul i64 {old}, 1000003"));
        self.line(&format!("{more} = add i64 {scaled}, {value}"));
        self.line(&format!("{new} = add i64 {more}, 1"));
        self.line(&format!("store i64 {new}, ptr %sum"));
    }

    fn address(&mut self, place: Place) -> String {
        let global = GLOBALS[place.global as usize];
        if place.offset == 0 {
            return global.to_owned();
        }
        let name = self.name();
        self.line(&format!("{name} = getelementptr i8, ptr {global}, i64 {}", place.offset));
        name
    }

    fn load(&mut self, what: &str, at: &str, order: Order, align: u8) -> String {
        let name = self.name();
        self.line(&if order.is_atomic() {
            format!("{name} = load atomic {what}, ptr {at} {}, align {align}", order.name())
        } else {
            format!("{name} = load {what}, ptr {at}, align {align}")
        });
        name
    }

    fn store(&mut self, what: &str, at: &str, order: Order, align: u8) {
        self.line(&if order.is_atomic() {
            format!("store atomic {what}, ptr {at} {}, align {align}", order.name())
        } else {
            format!("store {what}, ptr {at}, align {align}")
        });
    }

    fn ops(&mut self, ops: &[Op]) {
        for op in ops {
            self.op(op);
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Store(place, number, order) => {
                let at = self.address(*place);
                self.store(&format!("i{} {number}", place.bits), &at, *order, place.bits / 8);
            }
            Op::Load(place, order) => {
                let at = self.address(*place);
                let value = self.load(&format!("i{}", place.bits), &at, *order, place.bits / 8);
                self.note(&value, place.bits);
            }
            Op::Add(place, number, order) => {
                let (at, name) = (self.address(*place), self.name());
                let order = order.name();
                self.line(&format!("{name} = atomicrmw add ptr {at}, i{} {number} {order}", place.bits));
                self.note(&name, place.bits);
            }
            Op::CompareExchange(place, from, to, order) => {
                let (at, pair, name) = (self.address(*place), self.name(), self.name());
                let (bits, order) = (place.bits, order.name());
                let failed = if order == "seq_cst" { order } else { "monotonic" };
                self.line(&format!(
                    "{pair} = cmpxchg ptr {at}, i{bits} {from}, i{bits} {to} {order} {failed}"
                ));
                self.line(&format!("{name} = extractvalue {{ i{bits}, i1 }} {pair}, 0"));
                self.note(&name, bits);
            }
            Op::Fence(order) => self.line(&format!("fence {}", order.name())),
            Op::When(place, number, order, inner) => {
                let at = self.address(*place);
                let value = self.load(&format!("i{}", place.bits), &at, *order, place.bits / 8);
                let test = self.name();
                self.line(&format!("{test} = icmp eq i{} {value}, {number}", place.bits));
                self.guarded(&test, |writer| {
                    writer.note("7", 64);
                    writer.ops(inner);
                });
            }
            Op::Locked(lock, inner) => {
                self.call("pthread_mutex_lock", &format!("ptr @m{lock}"));
                self.ops(inner);
                self.call("pthread_mutex_unlock", &format!("ptr @m{lock}"));
            }
            Op::Give(number, order, by_store) => {
                let block = self.name();
                self.line(&format!("{block} = call ptr @malloc(i64 8)"));
                self.line(&format!("store i64 {number}, ptr {block}"));
                if *by_store {
                    let order = if *order == Order::Acquire { Order::Plain } else { *order };
                    self.store(&format!("ptr {block}"), "@p", order, 8);
                } else {
                    let old = self.name();
                    self.line(&format!("{old} = atomicrmw xchg ptr @p, ptr {block} {}", order.name()));
                }
            }
            Op::Take(order, number) => {
                let block = self.load("ptr", "@p", *order, 8);
                let test = self.name();
                self.line(&format!("{test} = icmp ne ptr {block}, null"));
                self.guarded(&test, |writer| {
                    let value = writer.load("i64", &block, Order::Plain, 8);
                    writer.note(&value, 64);
                    if let Some(number) = number {
                        writer.store(&format!("i64 {number}"), &block, Order::Plain, 8);
                    }
                });
            }
            Op::Atomic(inner) => {
                self.line("call void @__VERIFIER_atomic_begin()");
                self.ops(inner);
                self.line("call void @__VERIFIER_atomic_end()");
            }
            Op::TryLocked(lock, inner) => {
                let (denied, test) = (self.name(), self.name());
                self.line(&format!("{denied} = call i32 @pthread_mutex_trylock(ptr @m{lock})"));
                self.line(&format!("{test} = icmp eq i32 {denied}, 0"));
                self.guarded(&test, |writer| {
                    writer.note("7", 64);
                    writer.ops(inner);
                    writer.call("pthread_mutex_unlock", &format!("ptr @m{lock}"));
                });
            }
            Op::Lend(number, order) => {
                let variable = self.name();
                self.line(&format!("{variable} = alloca i64"));
                self.line(&format!("store i64 {number}, ptr {variable}"));
                self.store(&format!("ptr {variable}"), "@p", *order, 8);
            }
            Op::Free(order) => {
                let block = self.load("ptr", "@p", *order, 8);
                let test = self.name();
                self.line(&format!("{test} = icmp ne ptr {block}, null"));
                self.guarded(&test, |writer| writer.line(&format!("call void @free(ptr {block})")));
            }
            Op::Post => self.call("sem_post", "ptr @s"),
            Op::Wait => self.call("sem_wait", "ptr @s"),
            Op::WaitCondition(lock) => {
                self.call("pthread_mutex_lock", &format!("ptr @m{lock}"));
                self.call("pthread_cond_wait", &format!("ptr @c, ptr @m{lock}"));
                self.call("pthread_mutex_unlock", &format!("ptr @m{lock}"));
            }
            Op::Wake(all) => {
                self.call(if *all { "pthread_cond_broadcast" } else { "pthread_cond_signal" }, "ptr @c");
            }
        }
    }

    /// A call whose result nobody asks for.
    fn call(&mut self, function: &str, arguments: &str) {
        let unused = self.name();
        self.line(&format!("{unused} = call i32 @{function}({arguments})"));
    }

    fn guarded(&mut self, test: &str, body: impl FnOnce(&mut Self)) {
        let number = self.n_names;
        self.line(&format!("br i1 {test}, label %yes{number}, label %on{number}"));
        self.label(&format!("yes{number}"));
        body(self);
        self.line(&format!("br label %on{number}"));
        self.label(&format!("on{number}"));
    }
}
