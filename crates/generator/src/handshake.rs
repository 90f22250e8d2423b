//! Small concurrent programs straight in LLVM IR, in which most accesses are kept in order by others: flags that are waited
//! for, locks, creation and joining, blocks that are handed over, fences of every kind.
//!
//! Programs of [`generate`](crate::generate()) race nearly everywhere, so they say little about a search that looks for what
//! is *not* ordered. These are made for that question, need no compiler, and have few hundred states: thousands are searched
//! in a minute.

use std::fmt::Write as _;

use fencewright_testkit::generate::Rng;

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// What `main` does before it creates anybody, and after each creation.
    pub main: Vec<Vec<Op>>,
    /// The threads.
    pub threads: Vec<Vec<Op>>,
    /// Whether `main` acts after it has joined the first thread, too.
    pub after_join: Vec<Op>,
}

/// What a thread does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Writes a number.
    Store(Place, u8, Order),
    /// Reads; what was read is part of the outcome.
    Load(Place, Order),
    /// Adds.
    Add(Place, u8, Order),
    /// Writes the second number if the first is there.
    CompareExchange(Place, u8, u8, Order),
    /// A fence.
    Fence(Order),
    /// Goes on with this if the place holds the number.
    When(Place, u8, Order, Vec<Op>),
    /// Does this with a lock of this number held.
    Locked(u8, Vec<Op>),
    /// Writes a number to new memory and hands its address over: by a store, else by an exchange.
    Give(u8, Order, bool),
    /// Reads what was handed over, if anything was; writes to it then, if a number is given.
    Take(Order, Option<u8>),
    /// Does this in an atomic section.
    Atomic(Vec<Op>),
    /// Does this if the lock of this number is free, with it held.
    TryLocked(u8, Vec<Op>),
    /// Hands the address of a variable of the function over, as [`Op::Give`] does that of new memory.
    Lend(u8, Order),
    /// Frees what was handed over, if anything was.
    Free(Order),
    /// Posts the semaphore.
    Post,
    /// Waits for the semaphore.
    Wait,
    /// Waits for the condition variable, with the lock of this number held, until woken or for no reason.
    WaitCondition(u8),
    /// Wakes one or all who wait for the condition variable.
    Wake(bool),
}

/// How an access is ordered.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Order {
    /// It is not atomic.
    Plain,
    /// `monotonic`.
    Relaxed,
    /// `acquire`.
    Acquire,
    /// `release`.
    Release,
    /// `seq_cst`.
    SeqCst,
}

impl Order {
    fn is_atomic(self) -> bool {
        self != Order::Plain
    }

    fn name(self) -> &'static str {
        match self {
            Order::Plain => "",
            Order::Relaxed => "monotonic",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::SeqCst => "seq_cst",
        }
    }
}

/// Bytes of a global.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which one.
    pub global: u8,
    /// The first byte.
    pub offset: u8,
    /// How many bits.
    pub bits: u8,
}

/// The globals: data, two halves of a word, flags.
const GLOBALS: [&str; 5] = ["@x", "@y", "@halves", "@f", "@g"];
const HALVES: u8 = 2;
const FLAGS: [u8; 2] = [3, 4];
/// The flag of a handover, and another.
const FLAG: Place = Place { global: FLAGS[0], offset: 0, bits: 32 };
const OTHER: Place = Place { global: FLAGS[1], offset: 0, bits: 32 };

impl Handshake {
    /// The program of a seed.
    pub fn generate(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        if rng.percent(50) {
            return Maker { data: 1, flags: 1, rng }.handover();
        }
        let n_threads = if rng.percent(20) { 3 } else { 2 };
        let main_acts = n_threads == 2 && rng.percent(50);
        let mut make = Maker { data: 1 + rng.below(3), flags: 1 + rng.below(2), rng };
        let mut main = Vec::new();
        for _ in 0..n_threads {
            let most = if main_acts { 2 } else { 1 };
            let n = make.rng.below(most + 1);
            main.push(make.ops(n, 0));
        }
        let n_last = if main_acts { make.rng.below(3) } else { 0 };
        main.push(make.ops(n_last, 2));
        let threads = (0..n_threads)
            .map(|_| {
                let n = 1 + make.rng.below(if n_threads == 2 { 3 } else { 2 });
                make.ops(n, 2)
            })
            .collect();
        let n_after = if make.rng.percent(30) { 1 + make.rng.below(2) } else { 0 };
        let after_join = make.ops(n_after, 0);
        Self { main, threads, after_join }
    }

    /// How many operations there are.
    pub fn weight(&self) -> usize {
        fn of(ops: &[Op]) -> usize {
            ops.iter()
                .map(|op| match op {
                    Op::When(_, _, _, inner)
                    | Op::Locked(_, inner)
                    | Op::TryLocked(_, inner)
                    | Op::Atomic(inner) => 1 + of(inner),
                    _ => 1,
                })
                .sum()
        }
        let lists = self.main.iter().chain(&self.threads).chain([&self.after_join]);
        lists.map(|ops| of(ops)).sum::<usize>() + self.threads.len()
    }

    /// The same with something left out, in all ways.
    pub fn smaller(&self) -> Vec<Handshake> {
        let mut found = Vec::new();
        for at in 0..self.threads.len() {
            if self.threads.len() > 1 {
                let mut next = self.clone();
                next.threads.remove(at);
                let moved = next.main.remove(at + 1);
                next.main[at].extend(moved);
                found.push(next);
            }
            for ops in smaller(&self.threads[at]) {
                let mut next = self.clone();
                next.threads[at] = ops;
                found.push(next);
            }
        }
        for at in 0..self.main.len() {
            for ops in smaller(&self.main[at]) {
                let mut next = self.clone();
                next.main[at] = ops;
                found.push(next);
            }
        }
        for ops in smaller(&self.after_join) {
            found.push(Handshake { after_join: ops, ..self.clone() });
        }
        found
    }

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

/// The same list with something left out, or with a block replaced by what is in it, in all ways.
fn smaller(ops: &[Op]) -> Vec<Vec<Op>> {
    let mut found = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let with = |replaced: Vec<Op>| {
            let mut next = ops[..at].to_vec();
            next.extend(replaced);
            next.extend_from_slice(&ops[at + 1..]);
            next
        };
        found.push(with(Vec::new()));
        let (inner, again): (&[Op], &dyn Fn(Vec<Op>) -> Op) = match op {
            Op::When(place, number, order, inner) => {
                (inner, &|inner| Op::When(*place, *number, *order, inner))
            }
            Op::Locked(lock, inner) => (inner, &|inner| Op::Locked(*lock, inner)),
            Op::TryLocked(lock, inner) => (inner, &|inner| Op::TryLocked(*lock, inner)),
            Op::Atomic(inner) => (inner, &Op::Atomic),
            _ => continue,
        };
        found.push(with(inner.to_vec()));
        found.extend(smaller(inner).into_iter().map(|inner| with(vec![again(inner)])));
    }
    found
}

struct Maker {
    rng: Rng,
    /// How many places for data there are, and how many flags: with few, threads meet more often.
    data: usize,
    flags: usize,
}

impl Maker {
    /// One thread writes and then sets a flag, another reads behind the flag; between the two each does things that the others
    /// can notice. What a search takes to be in order across these is what it may be wrong about.
    fn handover(mut self) -> Handshake {
        let mut giver = self.between(1);
        giver.push(Op::Store(self.data(), 1, Order::Plain));
        giver.extend(self.between(2));
        giver.push(match self.rng.below(4) {
            0 => Op::Add(FLAG, 1, self.any_order()),
            1 => Op::CompareExchange(FLAG, 0, 1, self.any_order()),
            _ => Op::Store(FLAG, 1, self.store_order()),
        });
        giver.extend(self.between(2));
        let mut inner = self.between(1);
        inner.push(if self.rng.percent(50) {
            Op::Load(self.data(), Order::Plain)
        } else {
            Op::Store(self.data(), 2, Order::Plain)
        });
        inner.extend(self.between(1));
        let mut taker = self.between(1);
        taker.push(Op::When(FLAG, 1, self.load_order(), inner));
        let main = vec![Vec::new(), Vec::new(), self.between(2)];
        let threads = if self.rng.percent(50) { vec![giver, taker] } else { vec![taker, giver] };
        let after_join = if self.rng.percent(20) { self.ops(1, 0) } else { Vec::new() };
        Handshake { main, threads, after_join }
    }

    /// Up to so many operations that touch neither the data nor the flag of a handover, or hardly.
    fn between(&mut self, most: usize) -> Vec<Op> {
        let n = self.rng.below(most + 1);
        (0..n)
            .map(|_| match self.rng.below(10) {
                0 | 1 => Op::Load(OTHER, self.load_order()),
                2 => Op::Store(OTHER, 1, self.store_order()),
                3 => Op::Add(OTHER, 1, self.any_order()),
                4 | 5 => Op::Fence(*self.rng.pick(&[Order::SeqCst, Order::Release])),
                6 | 7 => Op::Locked(0, Vec::new()),
                8 => Op::Locked(0, self.ops(1, 0)),
                _ => self.op(0),
            })
            .collect()
    }

    fn ops(&mut self, n: usize, depth: usize) -> Vec<Op> {
        (0..n).map(|_| self.op(depth)).collect()
    }

    /// An operation. Outside of blocks, blocks and flags are more frequent than data.
    fn op(&mut self, depth: usize) -> Op {
        let number = 1 + self.rng.below(5) as u8 / 3;
        let n_inner = 1 + self.rng.below(3);
        let blocks = if depth > 0 { 16 } else { 0 };
        match self.rng.below(17 + blocks) {
            0..=2 => Op::Store(self.data(), number, Order::Plain),
            3..=5 => Op::Load(self.data(), Order::Plain),
            6..=8 => Op::Store(self.flag(), number, self.store_order()),
            9 => Op::Load(self.flag(), self.load_order()),
            10 if self.rng.percent(50) => Op::Add(self.flag(), 1, self.any_order()),
            10 => {
                let expected = self.rng.below(2) as u8;
                Op::CompareExchange(self.flag(), expected, number, self.any_order())
            }
            11 | 12 => {
                Op::Fence(*self.rng.pick(&[Order::SeqCst, Order::SeqCst, Order::Release, Order::Acquire]))
            }
            13 if self.rng.percent(50) => Op::Give(number, self.any_order(), self.rng.percent(50)),
            13 => Op::Take(self.load_order(), self.rng.percent(50).then_some(number)),
            14 if self.rng.percent(50) => Op::Lend(number, self.store_order()),
            14 => Op::Free(self.load_order()),
            15 if self.rng.percent(50) => Op::Post,
            15 => Op::Wait,
            16 if self.rng.percent(50) => Op::WaitCondition(u8::from(self.rng.percent(25))),
            16 => Op::Wake(self.rng.percent(50)),
            17..=24 => {
                let (place, order) = (self.flag(), self.load_order());
                Op::When(place, number, order, self.ops(n_inner, depth - 1))
            }
            25..=31 => {
                let (lock, tries) = (u8::from(self.rng.percent(25)), self.rng.percent(20));
                let inner = self.ops(n_inner, depth - 1);
                if tries { Op::TryLocked(lock, inner) } else { Op::Locked(lock, inner) }
            }
            // What is in an atomic section must not wait.
            _ => Op::Atomic(without_waiting(self.ops(n_inner, depth - 1))),
        }
    }

    fn data(&mut self) -> Place {
        match self.rng.below(self.data) {
            0 => Place { global: 0, offset: 0, bits: 32 },
            1 => Place { global: 1, offset: 0, bits: 32 },
            _ => {
                let halves = [(0, 64), (1, 8), (0, 32), (0, 32), (4, 32)];
                let (offset, bits) = *self.rng.pick(&halves);
                Place { global: HALVES, offset, bits }
            }
        }
    }

    fn flag(&mut self) -> Place {
        let global = if self.rng.percent(8) { 0 } else { FLAGS[self.rng.below(self.flags)] };
        Place { global, offset: 0, bits: 32 }
    }

    fn load_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Acquire, Order::Acquire, Order::SeqCst])
    }

    fn store_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Release, Order::Release, Order::SeqCst])
    }

    fn any_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::Release, Order::SeqCst])
    }
}

/// The same without what waits, and without atomic sections inside.
fn without_waiting(ops: Vec<Op>) -> Vec<Op> {
    ops.into_iter()
        .flat_map(|op| match op {
            Op::Locked(_, inner) | Op::TryLocked(_, inner) | Op::Atomic(inner) => without_waiting(inner),
            Op::When(place, number, order, inner) => {
                vec![Op::When(place, number, order, without_waiting(inner))]
            }
            Op::Wait | Op::WaitCondition(_) | Op::Post | Op::Wake(_) => Vec::new(),
            other => vec![other],
        })
        .collect()
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
