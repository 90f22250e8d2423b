//! Rust: declarations, threads and `main`. Plain variables that threads share are cells with a promise in their type, and every
//! access is unsafe; what the library has for threads, mutexes and variables of threads is used unless the program wants POSIX.

mod body;

use self::body::Body;
use super::Text;
use super::common::{constant_index, path};
use super::used::Used;
use crate::tree::{Function, Initial, IntType, Local, Place, Program, Root, Routine, Table, Type};
use crate::types::{Scope, has_atomics};

pub(super) fn render(program: &Program) -> String {
    let writer = Writer { program, used: Used::by(program) };
    let mut text = Text::default();
    writer.prelude(&mut text);
    writer.declarations(&mut text);
    for &number in &writer.used.functions {
        if let Some(function) = program.functions.get(number) {
            writer.function(&mut text, number, function);
        }
    }
    for &number in &writer.used.tables {
        if let Some(table) = program.tables.get(number) {
            writer.table(&mut text, number, table);
        }
    }
    for &number in &writer.used.function_slots {
        if let Some(function) = program.function_slots.get(number) {
            let ty = writer.function_type(*function);
            text.line(format!("static SLOT{number}: Shared<{ty}> = Shared::new(f{function});"));
        }
    }
    for &number in &writer.used.helpers {
        if let Some(helper) = program.helpers.get(number) {
            writer.helper(&mut text, number, helper);
        }
    }
    if let Some(constructor) = &program.constructor {
        text.line("");
        text.line("unsafe fn constructor() {");
        writer.routine(&mut text, constructor, None);
        text.line("}");
    }
    for (number, group) in program.groups.iter().enumerate() {
        writer.thread(&mut text, number, group.by_address, &group.routine);
    }
    writer.main(&mut text);
    text.text
}

/// The name of an integer type.
fn int(ty: IntType) -> String {
    format!("{}{}", if ty.signed { "i" } else { "u" }, ty.bits)
}

fn atomic(ty: IntType) -> String {
    format!("Atomic{}{}", if ty.signed { "I" } else { "U" }, ty.bits)
}

/// A number of a type, whatever the number.
fn constant(ty: IntType, value: i64) -> String {
    let fits = match (ty.signed, ty.bits) {
        (true, 64) => value > i64::MIN,
        (true, bits) => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&value),
        (false, 64) => value >= 0,
        (false, bits) => (0..1i64 << bits).contains(&value),
    };
    if fits { format!("({value}{})", int(ty)) } else { format!("(({value}i64) as {})", int(ty)) }
}

struct Writer<'a> {
    program: &'a Program,
    used: Used,
}

impl Writer<'_> {
    fn is_posix(&self) -> bool {
        self.program.uses_posix
    }

    fn prelude(&self, text: &mut Text) {
        text.line("#![allow(warnings, unconditional_panic, arithmetic_overflow)]");
        text.line("#![cfg_attr(native, no_main)]");
        text.line("use std::cell::{Cell, UnsafeCell};");
        text.line("use std::ffi::c_void;");
        text.line("use std::sync::Mutex;");
        text.line("use std::sync::atomic::*;");
        text.line("use std::thread;");
        text.line("");
        text.line("#[cfg(native)]");
        text.line("extern \"C\" {");
        text.line("fn native_enter(thread: i32);");
        text.line("fn native_delay();");
        text.line("fn native_outcome(n: i32, values: *const i64);");
        text.line("}");
        text.line("macro_rules! enter { ($thread:expr) => { #[cfg(native)] native_enter($thread); } }");
        text.line("macro_rules! delay { () => { #[cfg(native)] native_delay(); } }");
        text.line("");
        if self.is_posix() {
            text.line("extern \"C\" {");
            text.line(
                "fn pthread_create(thread: *mut usize, attributes: *const c_void, \
                 start: unsafe extern \"C\" fn(*mut c_void) -> *mut c_void, argument: *mut c_void) -> i32;",
            );
            text.line("fn pthread_join(thread: usize, result: *mut *mut c_void) -> i32;");
            text.line("fn pthread_mutex_lock(mutex: *mut PosixMutex) -> i32;");
            text.line("fn pthread_mutex_unlock(mutex: *mut PosixMutex) -> i32;");
            text.line("}");
            text.line("#[repr(C, align(8))]");
            text.line("struct PosixMutex([u8; 40]);");
        }
        text.line("struct Shared<T>(UnsafeCell<T>);");
        text.line("unsafe impl<T> Sync for Shared<T> {}");
        text.line("impl<T> Shared<T> {");
        text.line("const fn new(value: T) -> Self { Shared(UnsafeCell::new(value)) }");
        text.line("const fn get(&self) -> *mut T { self.0.get() }");
        text.line("}");
        let n_out = self.program.out.len();
        text.line(format!("static OUT: [AtomicI64; {n_out}] = [const {{ AtomicI64::new(0) }}; {n_out}];"));
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Int(ty) => int(*ty),
            Type::Atomic(ty) => atomic(*ty),
            Type::Array(element, length) => format!("[{}; {length}]", self.ty(element)),
            Type::Record(number) => format!("R{number}"),
            Type::Pointer(target) => format!("*mut {}", self.ty(target)),
            Type::AtomicPointer(target) => format!("AtomicPtr<{}>", self.ty(target)),
        }
    }

    /// A first value, which takes its numbers from the list; pointers are null.
    fn value(&self, ty: &Type, numbers: &mut dyn Iterator<Item = i64>) -> String {
        match ty {
            Type::Int(ty) => constant(*ty, numbers.next().unwrap_or(0)),
            Type::Atomic(ty) => format!("{}::new{}", atomic(*ty), constant(*ty, numbers.next().unwrap_or(0))),
            Type::Array(element, length) => {
                let parts: Vec<String> = (0..*length).map(|_| self.value(element, numbers)).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Record(number) => {
                let Some(record) = self.program.records.get(*number) else { return String::new() };
                let n_fields = if record.is_union { 1 } else { record.fields.len() };
                let parts: Vec<String> = record.fields[..n_fields]
                    .iter()
                    .enumerate()
                    .map(|(n, field)| format!("f{n}: {}", self.value(&field.ty, numbers)))
                    .collect();
                format!("R{number} {{ {} }}", parts.join(", "))
            }
            Type::Pointer(_) => "std::ptr::null_mut()".to_owned(),
            Type::AtomicPointer(_) => "AtomicPtr::new(std::ptr::null_mut())".to_owned(),
        }
    }

    fn initial(&self, ty: &Type, initial: &Initial) -> String {
        match initial {
            Initial::Numbers(numbers) => self.value(ty, &mut numbers.iter().copied()),
            Initial::Address(_) => self.value(ty, &mut std::iter::empty()),
        }
    }

    /// Whether nothing but atomic operations can touch the variable, so that it needs no cell.
    fn is_atomic(&self, ty: &Type) -> bool {
        match ty {
            Type::Atomic(_) | Type::AtomicPointer(_) => true,
            Type::Array(element, _) => self.is_atomic(element),
            Type::Int(_) | Type::Record(_) | Type::Pointer(_) => false,
        }
    }

    fn declarations(&self, text: &mut Text) {
        for &number in &self.used.records {
            let Some(record) = self.program.records.get(number) else { continue };
            text.line("#[repr(C)]");
            if !has_atomics(self.program, &Type::Record(number)) {
                text.line("#[derive(Clone, Copy)]");
            }
            text.line(format!("{} R{number} {{", if record.is_union { "union" } else { "struct" }));
            for (n, field) in record.fields.iter().enumerate() {
                text.line(format!("f{n}: {},", self.ty(&field.ty)));
            }
            text.line("}");
        }
        for &number in &self.used.globals {
            let Some(global) = self.program.globals.get(number) else { continue };
            let (ty, initial) = (self.ty(&global.ty), self.initial(&global.ty, &global.initial));
            if self.is_atomic(&global.ty) {
                text.line(format!("static G{number}: {ty} = {initial};"));
            } else {
                text.line(format!("static G{number}: Shared<{ty}> = Shared::new({initial});"));
            }
        }
        for &number in &self.used.thread_locals {
            let Some((ty, initial)) = self.program.thread_locals.get(number) else { continue };
            text.line(format!(
                "thread_local! {{ static T{number}: Cell<{}> = const {{ Cell::new({}) }}; }}",
                int(*ty),
                constant(*ty, *initial)
            ));
        }
        for &number in &self.used.mutexes {
            let Some(mutex) = self.program.mutexes.get(number) else { continue };
            let (ty, initial) = (int(mutex.ty), constant(mutex.ty, mutex.initial));
            if self.is_posix() {
                text.line(format!(
                    "static M{number}: Shared<PosixMutex> = Shared::new(PosixMutex([0; 40]));"
                ));
                text.line(format!("static M{number}_VALUE: Shared<{ty}> = Shared::new({initial});"));
            } else {
                text.line(format!("static M{number}: Mutex<{ty}> = Mutex::new({initial});"));
            }
        }
        for &number in &self.used.slots {
            let Some(ty) = self.program.slots.get(number) else { continue };
            text.line(format!(
                "static S{number}: AtomicPtr<{}> = AtomicPtr::new(std::ptr::null_mut());",
                int(*ty)
            ));
        }
    }

    fn parameters(&self, function: &Function) -> String {
        let declared: Vec<String> =
            function.parameters().enumerate().map(|(n, ty)| format!("mut l{n}: {}", self.ty(ty))).collect();
        declared.join(", ")
    }

    fn function_type(&self, number: usize) -> String {
        let Some(function) = self.program.functions.get(number) else { return String::new() };
        let parameters: Vec<String> = function.parameters().map(|ty| self.ty(ty)).collect();
        format!("unsafe fn({}) -> {}", parameters.join(", "), self.ty(&function.result))
    }

    fn function(&self, text: &mut Text, number: usize, function: &Function) {
        text.line("");
        text.line(format!(
            "unsafe fn f{number}({}) -> {} {{",
            self.parameters(function),
            self.ty(&function.result)
        ));
        if function.is_recursive {
            let nothing = self.value(&function.result, &mut std::iter::empty());
            text.line(format!("if l0 == 0 || l0 > 2 {{ return {nothing}; }}"));
        }
        self.routine(text, &function.routine, Some(number));
        if let Some(result) = &function.routine.result {
            let body = Body::new(self, &function.routine.locals, Some(number));
            text.line(body.as_type(result, &function.result));
        }
        text.line("}");
    }

    fn table(&self, text: &mut Text, number: usize, table: &Table) {
        let Some(&first) = table.functions.first() else { return };
        let Some(function) = self.program.functions.get(first) else { return };
        let n_functions = table.functions.len();
        text.line("");
        if !table.is_virtual {
            let ty = self.function_type(first);
            let names: Vec<String> = table.functions.iter().map(|f| format!("f{f}")).collect();
            text.line(format!("static TABLE{number}: [{ty}; {n_functions}] = [{}];", names.join(", ")));
            return;
        }
        let parameters: Vec<String> =
            function.parameters().enumerate().map(|(n, ty)| format!("l{n}: {}", self.ty(ty))).collect();
        let head = format!(
            "unsafe fn call(&self{}{}) -> {}",
            if parameters.is_empty() { "" } else { ", " },
            parameters.join(", "),
            self.ty(&function.result)
        );
        let arguments: Vec<String> = (0..parameters.len()).map(|n| format!("l{n}")).collect();
        text.line(format!("trait V{number}: Sync {{ {head}; }}"));
        for (n, f) in table.functions.iter().enumerate() {
            text.line(format!("struct V{number}_{n};"));
            let call = format!("f{f}({})", arguments.join(", "));
            text.line(format!("impl V{number} for V{number}_{n} {{ {head} {{ {call} }} }}"));
        }
        let objects: Vec<String> = (0..n_functions).map(|n| format!("&V{number}_{n}")).collect();
        text.line(format!(
            "static TABLE{number}: [&dyn V{number}; {n_functions}] = [{}];",
            objects.join(", ")
        ));
    }

    /// Variables and body.
    fn routine(&self, text: &mut Text, routine: &Routine, function: Option<usize>) {
        self.locals(text, &routine.locals, routine.n_parameters);
        Body::new(self, &routine.locals, function).block(text, &routine.body);
    }

    fn locals(&self, text: &mut Text, locals: &[Local], n_parameters: usize) {
        for (number, local) in locals.iter().enumerate().skip(n_parameters) {
            let initial = match &local.initial {
                Initial::Address(place) => format!("&raw mut {}", self.constant_place(locals, place)),
                numbers @ Initial::Numbers(_) => self.initial(&local.ty, numbers),
            };
            text.line(format!("let mut l{number}: {} = {initial};", self.ty(&local.ty)));
        }
    }

    fn helper(&self, text: &mut Text, number: usize, routine: &Routine) {
        text.line("");
        if self.is_posix() {
            text.line(format!("unsafe extern \"C\" fn helper{number}(_: *mut c_void) -> *mut c_void {{"));
        } else {
            text.line(format!("unsafe fn helper{number}() {{"));
        }
        text.line(format!("enter!({});", 32 + number));
        self.routine(text, routine, None);
        if self.is_posix() {
            text.line("std::ptr::null_mut()");
        }
        text.line("}");
    }

    fn thread(&self, text: &mut Text, number: usize, by_address: bool, routine: &Routine) {
        text.line("");
        let from = if by_address { "*(argument as *const u32)" } else { "argument as usize as u32" };
        let result = if routine.result.is_some() { " -> i64" } else { "" };
        if self.is_posix() {
            text.line(format!(
                "unsafe extern \"C\" fn thread{number}(argument: *mut c_void) -> *mut c_void {{"
            ));
            text.line(format!("let mut l0: u32 = {from};"));
        } else if by_address {
            text.line(format!("unsafe fn thread{number}(argument: usize){result} {{"));
            text.line(format!("let mut l0: u32 = {from};"));
        } else {
            text.line(format!("unsafe fn thread{number}(mut l0: u32){result} {{"));
        }
        text.line("enter!(1 + l0 as i32);");
        self.routine(text, routine, None);
        let body = Body::new(self, &routine.locals, None);
        match &routine.result {
            Some(result) => {
                let value = body.as_type(result, &Type::Int(IntType::I64));
                text.line(if self.is_posix() { format!("({value}) as usize as *mut c_void") } else { value });
            }
            None if self.is_posix() => text.line("std::ptr::null_mut()"),
            None => {}
        }
        text.line("}");
    }

    fn main(&self, text: &mut Text) {
        let program = self.program;
        let body = Body::new(self, &program.main.locals, None);
        let n_threads = program.n_threads();
        text.line("");
        text.line("#[cfg(not(native))]");
        text.line("fn main() { unsafe { body() } }");
        text.line("");
        text.line("#[cfg(native)]");
        text.line("#[no_mangle]");
        text.line("pub extern \"C\" fn program_main() -> i32 { unsafe { body() }; 0 }");
        text.line("");
        text.line("unsafe fn body() {");
        for &number in &self.used.globals {
            let Some(global) = program.globals.get(number) else { continue };
            let Initial::Address(place) = &global.initial else { continue };
            let address = format!("&raw mut {}", self.constant_place(&[], place));
            if self.is_atomic(&global.ty) {
                text.line(format!("G{number}.store({address}, Ordering::Relaxed);"));
            } else {
                text.line(format!("*G{number}.get() = {address};"));
            }
        }
        if program.constructor.is_some() {
            text.line("constructor();");
        }
        self.locals(text, &program.main.locals, 0);
        if self.used.joins {
            text.line(format!("let mut joined = [0i64; {n_threads}];"));
        }
        if program.groups.iter().any(|group| group.by_address) {
            let numbers: Vec<String> = (0..n_threads).map(|number| format!("{number}u32")).collect();
            text.line(format!("let numbers = [{}];", numbers.join(", ")));
        }
        body.block(text, &program.main.body);
        self.create(text);
        body.block(text, &program.meanwhile);
        self.join(text);
        body.block(text, &program.afterwards);
        for &slot in &self.used.slots {
            text.line(format!("let mut left{slot} = -1i64;"));
            text.line(format!("let object = S{slot}.swap(std::ptr::null_mut(), Ordering::AcqRel);"));
            text.line(format!(
                "if !object.is_null() {{ left{slot} = *object as i64; drop(Box::from_raw(object)); }}"
            ));
        }
        for (number, out) in program.out.iter().enumerate() {
            let value = body.as_type(out, &Type::Int(IntType::I64));
            text.line(format!("OUT[{number}].store({value}, Ordering::Relaxed);"));
        }
        let n_out = program.out.len();
        text.line("#[cfg(native)]");
        text.line("{");
        text.line(format!("let mut values = [0i64; {n_out}];"));
        text.line(format!("for k in 0..{n_out} {{ values[k] = OUT[k].load(Ordering::Relaxed); }}"));
        text.line(format!("native_outcome({n_out}, values.as_ptr());"));
        text.line("}");
        text.line("}");
    }

    fn create(&self, text: &mut Text) {
        if self.is_posix() {
            text.line(format!("let mut threads = [0usize; {}];", self.program.n_threads()));
        }
        let mut first = 0;
        for (number, group) in self.program.groups.iter().enumerate() {
            let end = first + group.count;
            let argument = |thread: &str| match group.by_address {
                true => format!("&raw const numbers[{thread}] as usize"),
                false if self.is_posix() => format!("{thread} as usize"),
                false => format!("{thread} as u32"),
            };
            let create = |thread: &str| {
                let argument = argument(thread);
                if self.is_posix() {
                    format!(
                        "pthread_create(&raw mut threads[{thread}], std::ptr::null(), thread{number}, ({argument}) as *mut c_void);"
                    )
                } else {
                    format!(
                        "{{ let argument = {argument}; thread::spawn(move || unsafe {{ thread{number}(argument) }}) }}"
                    )
                }
            };
            match (group.in_loop, self.is_posix()) {
                (true, true) => text.line(format!("for k in {first}..{end} {{ {} }}", create("k"))),
                (true, false) => {
                    text.line(format!("let mut group{number} = Vec::new();"));
                    text.line(format!("for k in {first}..{end} {{ group{number}.push({}); }}", create("k")));
                }
                (false, true) => (first..end).for_each(|thread| text.line(create(&thread.to_string()))),
                (false, false) => (first..end).for_each(|thread| {
                    text.line(format!("let thread_{thread} = {};", create(&thread.to_string())));
                }),
            }
            first = end;
        }
    }

    fn join(&self, text: &mut Text) {
        let mut first = 0;
        for (number, group) in self.program.groups.iter().enumerate() {
            let end = first + group.count;
            let is_kept = self.used.joins && group.routine.result.is_some();
            let joined = |thread: &str, handle: &str| match (self.is_posix(), is_kept) {
                (true, true) => format!(
                    "let mut given = std::ptr::null_mut(); pthread_join(threads[{thread}], &raw mut given); joined[{thread}] = given as usize as i64;"
                ),
                (true, false) => format!("pthread_join(threads[{thread}], std::ptr::null_mut());"),
                (false, true) => format!("joined[{thread}] = {handle}.join().unwrap();"),
                (false, false) => format!("{handle}.join().unwrap();"),
            };
            match (group.in_loop, self.is_posix()) {
                (true, true) => text.line(format!("for k in {first}..{end} {{ {} }}", joined("k", ""))),
                (true, false) => text.line(format!(
                    "for (k, handle) in group{number}.into_iter().enumerate() {{ {} }}",
                    joined(&format!("k + {first}"), "handle")
                )),
                (false, _) => (first..end).for_each(|thread| {
                    text.line(joined(&thread.to_string(), &format!("thread_{thread}")));
                }),
            }
            first = end;
        }
    }

    /// A place whose indices are constants.
    fn constant_place(&self, locals: &[Local], place: &Place) -> String {
        let scope = Scope { program: self.program, locals, function: None };
        path(&scope, self.root(&place.root), place, &constant_index)
    }

    fn root(&self, root: &Root) -> String {
        match root {
            Root::Global(number) => {
                match self.program.globals.get(*number).is_some_and(|global| self.is_atomic(&global.ty)) {
                    true => format!("G{number}"),
                    false => format!("(*G{number}.get())"),
                }
            }
            Root::Local(number) => format!("l{number}"),
            Root::ThreadLocal(number) => format!("T{number}"),
            Root::Guarded(number) if self.is_posix() => format!("(*M{number}_VALUE.get())"),
            Root::Guarded(number) => format!("(*guard{number})"),
            Root::Heap(number, _) => format!("(*h{number})"),
        }
    }
}
