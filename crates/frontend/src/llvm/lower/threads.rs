//! Threads: their creation, waiting for their end, and how they are found in the runtime libraries of C++ and Rust.

use smallvec::smallvec;

use super::calls::Effect;
use super::library::first;
use super::machine::{Machine, ObjectKey, ROp, RegKey, Run, Scalar, ThreadInfo, Work};
use super::operands::Scalars;
use super::reasons::{Mistake, failure};
use super::state::{Env, MAIN, PieceFault, Point, Temp, ThreadNumber};
use super::value::{Known, ObjectId, Value};
use crate::llvm::codes;
use fencewright_llvm::layout::ScalarKind;
use fencewright_llvm::module::{CastOp, FunctionId, Order, Type};
use fencewright_llvm::names::readable;

/// How many threads a program may have.
const MAX_THREADS: usize = 16;
/// How the paths of functions begin that Rust calls when the execution has gone wrong.
const PANICS: &[&str] = &[
    "core::panicking::",
    "std::panicking::",
    "core::option::unwrap_failed",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "core::cell::panic_already",
    "core::slice::index::slice_",
    "alloc::alloc::handle_alloc_error",
    "std::process::abort",
    "core::intrinsics::abort",
];
/// What main is called by; no other thread is.
const MAIN_HANDLE: i128 = 64;

impl Machine<'_> {
    /// Creates a thread that calls a function by address, and stores its handle.
    pub(super) fn create(
        &mut self,
        w: &mut Work,
        handle: Scalar,
        function: Scalar,
        args: Vec<Scalars>,
        ret: &Type,
    ) -> Run<Effect> {
        let Some(function) = self.function_of_thread(w, function)? else { return Ok(Effect::Stops) };
        let number = self.spawn(w, function, args)?;
        self.give_handle(w, &handle, number, ret)
    }

    fn give_handle(
        &mut self,
        w: &mut Work,
        handle: &Scalar,
        number: ThreadNumber,
        ret: &Type,
    ) -> Run<Effect> {
        let value = Scalar::int(handle_of(number), 64);
        if !self.store(w, handle, &value, 8, Order::Plain)? {
            return Ok(Effect::Fails);
        }
        Ok(Effect::Value(self.zeros(ret)))
    }

    /// The function with the address, which a thread runs. `None` if there is none on this path.
    fn function_of_thread(&mut self, w: &mut Work, function: Scalar) -> Run<Option<FunctionId>> {
        let at = w.at;
        let function = self.need_set(w, function);
        let targets = self.functions(w, &function)?;
        let [(_, name)] = &targets[..] else {
            if w.ended {
                return Ok(None);
            }
            return self.error(
                &codes::THREADS,
                at,
                "which function this thread runs is not constant",
                "create each thread with a function given by name",
            );
        };
        let Some(&function) = self.module.function_names.get(name) else {
            return self.unsupported(
                at,
                &format!("a thread that runs `{}`, which has no body here,", readable(name)),
            );
        };
        Ok(Some(function))
    }

    /// After the function that it runs, the thread calls another one with the same argument.
    fn then_call(&mut self, number: ThreadNumber, function: FunctionId, argument: &Scalar) -> Run<()> {
        let Some(root) = self.threads[number].root else { return Ok(()) };
        let main = std::mem::replace(&mut self.thread, number);
        let last = self.context(function, None);
        self.thread = main;
        let last = last?;
        self.behind.insert(root, last);
        if let Some((_, local)) = self.contexts[last].body.function.params.first() {
            let temp = Temp { context: last, local: *local, leaf: 0 };
            self.threads[number].start.temps.insert(temp, argument.known.clone());
        }
        Ok(())
    }

    /// A new thread that starts with a call. The same instruction in the same round always gives the same thread.
    pub(super) fn spawn(
        &mut self,
        w: &mut Work,
        function: FunctionId,
        args: Vec<Scalars>,
    ) -> Run<ThreadNumber> {
        let at = w.at;
        if self.thread != MAIN || w.env.exact == 0 {
            return self.error(
                &codes::THREADS,
                at,
                "a thread is created where it is not certain how often, or not by main",
                "create all threads in main, in a row or in a loop with a constant bound, before waiting for anything",
            );
        }
        let key = (at, w.env.exact);
        let known =
            self.threads.iter_enumerated().find(|(_, info)| info.created_at == Some(key)).map(|(n, _)| n);
        let number = match known {
            Some(number) => number,
            None if self.threads.len() > MAX_THREADS => {
                return self.error(
                    &codes::THREADS,
                    at,
                    format!("the program creates more than {MAX_THREADS} threads"),
                    "check it with fewer threads",
                );
            }
            None => {
                let name = self.thread_name(w, function, &args);
                let number = ThreadNumber(self.threads.len() as u32);
                self.threads.push(ThreadInfo {
                    name,
                    root: None,
                    start: Env::default(),
                    created_at: Some(key),
                });
                number
            }
        };
        if w.env.created == 0 {
            self.published = Some(w.env.clone());
            // What threads share is in memory from here on, no longer in what main knows.
            let shared = &self.shared;
            w.env.memory.retain(|cell, _| !shared.contains(cell));
            w.env.origins.retain(|_, cell| !shared.contains(cell));
        }
        // The thread starts with what its creator knew: constants, but not what is in its creator's registers.
        let mut start = Env { created: 0, exact: 0, ..Env::default() };
        for (&cell, piece) in &w.env.memory {
            let mut piece = piece.clone();
            if piece.known.single().is_none() {
                piece.fault = Some(PieceFault::Foreign);
            }
            start.memory.insert(cell, piece);
        }
        let main = std::mem::replace(&mut self.thread, number);
        let root = self.context(function, None);
        self.thread = main;
        let root = root?;
        let params: Vec<_> =
            self.contexts[root].body.function.params.iter().map(|(_, local)| *local).collect();
        for (local, values) in params.into_iter().zip(args) {
            for (leaf, value) in values.into_iter().enumerate() {
                if value.known.single().is_none() {
                    return self.error(
                        &codes::THREADS,
                        at,
                        "what this thread is given is not constant",
                        "pass a constant, or the address of a variable",
                    );
                }
                start.temps.insert(Temp { context: root, local, leaf: leaf as u32 }, value.known);
            }
        }
        self.threads[number].root = Some(root);
        self.threads[number].start = start;
        w.env.created = w.env.created.max(number.0);
        w.emit(ROp::Start(number));
        Ok(number)
    }

    /// What the user knows a new thread by: its function, or else the line that creates it. What a library starts threads
    /// with says nothing, but libstdc++ leaves a function given by name in the thread's state.
    fn thread_name(&self, w: &Work, function: FunctionId, args: &[Scalars]) -> String {
        let path = readable(&self.module.functions[function].name);
        if !path.starts_with("std::") {
            return path;
        }
        let states: Vec<ObjectId> = args.iter().flatten().filter_map(|value| target(&value.known)).collect();
        let own = w.env.memory.iter().map(|(cell, piece)| (cell.0, &piece.known));
        let shared = self.cells.iter().map(|(cell, shared)| (cell.0, &shared.known));
        let held = own.chain(shared).filter(|(object, _)| states.contains(object));
        let mut functions: Vec<String> = held
            .filter_map(|(_, known)| match &self.objects[target(known)?].key {
                ObjectKey::Function(name) => Some(readable(name)),
                _ => None,
            })
            .collect();
        functions.dedup();
        match functions.pop() {
            Some(name) if functions.is_empty() => name,
            _ => format!("thread@{}", self.unit.sources.line_column(self.position(w.at).span).line),
        }
    }

    /// Waits for the thread with the handle.
    pub(super) fn join(&mut self, w: &mut Work, handle: &Scalar) -> Run<ThreadNumber> {
        let at = w.at;
        let thread = self.thread_of(w, handle)?;
        if self.thread == thread {
            return self.unsupported(at, "a thread that waits for itself");
        }
        if self.thread != MAIN {
            self.may_block = true;
        }
        self.waited_for.insert(thread);
        self.refuse_joined_and_detached(thread, at)?;
        w.emit(ROp::Join(thread));
        w.env.joined.insert(thread);
        Ok(thread)
    }

    /// The thread that a handle means.
    pub(super) fn thread_of(&mut self, w: &mut Work, handle: &Scalar) -> Run<ThreadNumber> {
        let handle = self.need_set(w, handle.clone());
        match handle.known.single() {
            Some(Value::Int(number)) if number >= 1 && (number as usize) < self.threads.len() => {
                Ok(ThreadNumber(number as u32))
            }
            _ => self.error(
                &codes::THREADS,
                w.at,
                "which thread is meant here is not constant",
                "wait for threads in main, in a row or in a loop with a constant bound",
            ),
        }
    }

    /// Waiting for a detached thread is an error that returns at once, or anything at all.
    pub(super) fn refuse_joined_and_detached(&self, thread: ThreadNumber, at: Point) -> Run<()> {
        if self.detached.contains_key(&thread) && self.waited_for.contains(&thread) {
            return self.unsupported(at, "a thread that is detached and waited for");
        }
        Ok(())
    }

    /// Stores what a thread that was waited for gave back: it left it in memory before it ended.
    pub(super) fn returned(&mut self, w: &mut Work, thread: ThreadNumber, to: &Scalar, size: u32) -> Run<()> {
        self.grown |= self.asked.insert(thread);
        let cell = self.object(ObjectKey::Returned(thread), Some(8), None);
        let from = Scalar::constant(Value::Pointer(cell, 0), 64);
        let scratch = RegKey::Scratch(4_000_004);
        let Some(value) = self.load(w, &from, ScalarKind::Int(64), 8, scratch)? else { return Ok(()) };
        let value = self.keep(w, RegKey::Scratch(4_000_005), value);
        let value = if size < 8 {
            let value = self.need_set(w, value);
            self.cast(CastOp::Trunc, &value, size * 8, w.at)?
        } else {
            value
        };
        if !self.store(w, to, &value, size, Order::Plain)? {
            w.emit(failure(Mistake::Pointer));
            w.ended = true;
        }
        Ok(())
    }

    /// Leaves what the thread gives back for those who want to know.
    pub(super) fn give_back(&mut self, w: &mut Work, values: Option<&Scalars>) -> Run<()> {
        let Some(value) =
            values.and_then(|values| values.first()).filter(|_| self.asked.contains(&self.thread))
        else {
            return Ok(());
        };
        let cell = self.object(ObjectKey::Returned(self.thread), Some(8), None);
        let to = Scalar::constant(Value::Pointer(cell, 0), 64);
        let value = if value.bits < 64 {
            let value = self.need_set(w, value.clone());
            self.cast(CastOp::SExt, &value, 64, w.at)?
        } else {
            value.clone()
        };
        self.store(w, &to, &value, 8, Order::Plain)?;
        Ok(())
    }

    /// Functions of Rust's libraries that stand for something else here.
    pub(super) fn rust_runtime(
        &mut self,
        w: &mut Work,
        name: &str,
        args: &mut Vec<Scalars>,
        ret: &Type,
    ) -> Run<Option<Effect>> {
        let at = w.at;
        if !is_rust(name) {
            return Ok(None);
        }
        // The program has an allocator of its own.
        if is_allocator(name) && self.module.function_names.contains_key(name) {
            return Ok(None);
        }
        let path = readable(name);
        let zero = Some(Effect::Value(self.zeros(ret)));
        if is_panic(name) {
            return Ok(Some(Effect::Fails));
        }
        if path.starts_with("std::rt::lang_start") && !path.contains("closure") {
            let pointer = first(args, 0).unwrap_or_else(|| Scalar::int(0, 64));
            let targets = self.functions(w, &pointer)?;
            if let [(_, main)] = &targets[..]
                && let Some(&main) = self.module.function_names.get(main)
            {
                return Ok(Some(Effect::Calls(main, Vec::new())));
            }
        }
        if path.starts_with("std::thread::") && path.ends_with("::spawn") && !path.contains("Builder") {
            return self.rust_spawn(w, name, args, ret).map(Some);
        }
        if path.contains("JoinHandle<") && path.ends_with("::join") {
            return self.rust_join(w, args, ret).map(Some);
        }
        if path.starts_with("std::thread::") && (path.ends_with("yield_now") || path.ends_with("sleep")) {
            return Ok(zero);
        }
        if path.starts_with("core::ptr::drop_in_place<std::thread::") {
            return Ok(zero);
        }
        if path.starts_with("std::io::stdio::_print") || path.starts_with("std::io::stdio::_eprint") {
            self.rust_print(at)?;
            return Ok(zero);
        }
        if name.contains("__rust_no_alloc_shim_is_unstable") {
            return Ok(zero);
        }
        if name.contains("__rust_dealloc") {
            let pointer = first(args, 0).unwrap_or_else(|| Scalar::int(0, 64));
            return self.free(w, &pointer).map(Some);
        }
        if name.contains("__rust_alloc") && !name.contains("error_handler") {
            let size = first(args, 0).unwrap_or_else(|| Scalar::int(0, 64));
            return self.new_object(w, &size, name.contains("__rust_alloc_zeroed")).map(Some);
        }
        if name.contains("futex") && name.contains("14lock_contended") {
            let lock = first(args, 0).unwrap_or_else(|| Scalar::int(0, 64));
            self.acquire(w, &lock, false)?;
            return Ok(zero);
        }
        if name.contains("futex") && name.contains("4wake") {
            return Ok(zero);
        }
        Ok(None)
    }

    /// `std::thread::spawn(f)`: the thread runs `__rust_begin_short_backtrace(f)` of the same closure type.
    fn rust_spawn(&mut self, w: &mut Work, name: &str, args: &mut Vec<Scalars>, ret: &Type) -> Run<Effect> {
        let at = w.at;
        let closure =
            self.module.function_names.get(name).and_then(|&f| self.positions.first_type_argument(f));
        let runs: Vec<_> = (self.module.functions.indices())
            .filter(|&f| {
                self.module.functions[f].name.contains("__rust_begin_short_backtrace")
                    && closure.is_some()
                    && self.positions.first_type_argument(f) == closure
            })
            .collect();
        // Functions given by name have one type if they look alike, and then nothing says which is meant.
        let function = match runs[..] {
            [function] => function,
            [] => {
                return self
                    .unsupported(at, "a thread whose closure cannot be found in the debug information");
            }
            _ => {
                return self.unsupported(
                    at,
                    "a thread of a function that has the same type as another thread's (write `|| f()` for `f`)",
                );
            }
        };
        // The handle is given back in memory the caller provides.
        let handle = match ret {
            Type::Void if !args.is_empty() => Some(args.remove(0)),
            _ => None,
        };
        let number = self.spawn(w, function, std::mem::take(args))?;
        let value = Scalar::int(handle_of(number), 64);
        match handle.and_then(|handle| handle.first().cloned()) {
            Some(pointer) => {
                if !self.store(w, &pointer, &value, 8, Order::Plain)? {
                    return Ok(Effect::Fails);
                }
                Ok(Effect::Value(Scalars::new()))
            }
            None => {
                let mut values = self.zeros(ret);
                if let Some(slot) = values.first_mut() {
                    *slot = value;
                }
                Ok(Effect::Value(values))
            }
        }
    }

    /// `handle.join()`: always `Ok`, because a panic is a violation by itself.
    fn rust_join(&mut self, w: &mut Work, args: &[Scalars], ret: &Type) -> Run<Effect> {
        let at = w.at;
        // With a result in memory the handle is the second argument.
        let which = usize::from(*ret == Type::Void && args.len() > 1);
        let pointer = first(args, which).unwrap_or_else(|| Scalar::int(0, 64));
        let scratch = RegKey::Scratch(4_000_000);
        let handle = match pointer.known.single() {
            Some(Value::Pointer(..)) => self.load(w, &pointer, ScalarKind::Int(64), 8, scratch)?,
            _ => Some(pointer),
        };
        let Some(handle) = handle else { return Ok(Effect::Fails) };
        self.join(w, &handle)?;
        if which == 1 {
            return self.unsupported(at, "what a joined thread returns");
        }
        Ok(Effect::Value(self.zeros(ret)))
    }

    /// `std::thread` of libstdc++: the state of a thread is an object whose third virtual function is what it runs. Then the
    /// thread deletes the state, by the second one.
    pub(super) fn cxx_runtime(
        &mut self,
        w: &mut Work,
        name: &str,
        args: &[Scalars],
        ret: &Type,
    ) -> Run<Option<Effect>> {
        let at = w.at;
        let arg = |i: usize| first(args, i).unwrap_or_else(|| Scalar::int(0, 64));
        match name {
            "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE" => {
                let scratch = RegKey::Scratch(4_000_001);
                let mut pointer = |machine: &mut Self, from: &Scalar| {
                    machine.load(w, from, ScalarKind::Pointer, 8, scratch)
                };
                let Some(state) = pointer(self, &arg(1))? else { return Ok(Some(Effect::Fails)) };
                let Some(table) = pointer(self, &state)? else { return Ok(Some(Effect::Fails)) };
                let slot = self.indexed(&table, &Scalar::int(1, 64), 8, at)?;
                let Some(delete) = pointer(self, &slot)? else { return Ok(Some(Effect::Fails)) };
                let slot = self.indexed(&table, &Scalar::int(2, 64), 8, at)?;
                let Some(run) = pointer(self, &slot)? else { return Ok(Some(Effect::Fails)) };
                // The state belongs to the thread from here on.
                self.store(w, &arg(1), &Scalar::int(0, 64), 8, Order::Plain)?;
                self.thread_states.extend(target(&state.known));
                let (Some(run), Some(delete)) =
                    (self.function_of_thread(w, run)?, self.function_of_thread(w, delete)?)
                else {
                    return Ok(Some(Effect::Stops));
                };
                let number = self.spawn(w, run, vec![smallvec![state.clone()]])?;
                self.then_call(number, delete, &state)?;
                self.give_handle(w, &arg(0), number, ret).map(Some)
            }
            // The base class of thread states has nothing to clean up.
            "_ZNSt6thread6_StateD2Ev" => Ok(Some(Effect::Value(Scalars::new()))),
            "_ZNSt6thread4joinEv" => {
                let scratch = RegKey::Scratch(4_000_002);
                let Some(handle) = self.load(w, &arg(0), ScalarKind::Int(64), 8, scratch)? else {
                    return Ok(Some(Effect::Fails));
                };
                self.join(w, &handle)?;
                self.store(w, &arg(0), &Scalar::int(0, 64), 8, Order::Plain)?;
                Ok(Some(Effect::Value(Scalars::new())))
            }
            _ => Ok(None),
        }
    }
}

/// Whether a function of Rust's libraries is called when the execution has gone wrong.
pub(super) fn is_panic(name: &str) -> bool {
    if !is_rust(name) {
        return false;
    }
    let path = readable(name);
    PANICS.iter().any(|prefix| path.starts_with(prefix))
}

/// Whether a name may be one of Rust's libraries.
fn is_rust(name: &str) -> bool {
    name.starts_with("_ZN") || name.starts_with("_R") || name.starts_with("__rust")
}

/// Whether a name is one of Rust's allocator.
fn is_allocator(name: &str) -> bool {
    ["__rust_alloc", "__rust_dealloc", "__rust_realloc"].iter().any(|part| name.contains(part))
}

/// What `pthread_create` gives for a thread, and `pthread_self` inside it.
pub(super) fn handle_of(thread: ThreadNumber) -> i128 {
    if thread == MAIN { MAIN_HANDLE } else { thread.0.into() }
}

/// The object that a value is surely the address of.
fn target(known: &Known) -> Option<ObjectId> {
    match known.single() {
        Some(Value::Pointer(object, _)) => Some(object),
        _ => None,
    }
}
