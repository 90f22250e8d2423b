//! C and C++: declarations, threads and `main`. C++ has atomics, threads, mutexes and virtual functions of its own.

mod body;

use self::body::Body;
use super::Text;
use super::common::{Values as _, constant_index, path};
use super::used::Used;
use crate::tree::{Function, Initial, IntType, Place, Program, Root, Routine, Table, Type};
use crate::types::Scope;

pub(super) fn render(program: &Program, is_cpp: bool) -> String {
    let writer = Writer { program, is_cpp, used: Used::by(program) };
    let mut text = Text::default();
    writer.prelude(&mut text);
    writer.declarations(&mut text);
    for &number in &writer.used.functions {
        if let Some(function) = program.functions.get(number) {
            writer.function(&mut text, number, function);
            // A table is there as soon as its functions are: functions behind them may use it.
            for &table_number in &writer.used.tables {
                let table = program.tables.get(table_number);
                if let Some(table) = table.filter(|table| table.functions.iter().max() == Some(&number)) {
                    writer.table(&mut text, table_number, table);
                }
            }
        }
    }
    for &number in &writer.used.function_slots {
        if let Some(function) = program.function_slots.get(number) {
            let declared = writer.function_pointer(*function, &format!("slot{number}"));
            text.line(format!("{declared} = f{function};"));
        }
    }
    for &number in &writer.used.helpers {
        if let Some(helper) = program.helpers.get(number) {
            writer.helper(&mut text, number, helper);
        }
    }
    if let Some(constructor) = &program.constructor {
        writer.constructor(&mut text, constructor);
    }
    for (number, group) in program.groups.iter().enumerate() {
        writer.thread(&mut text, number, group.by_address, &group.routine);
    }
    writer.main(&mut text);
    text.text
}

/// The name of an integer type.
fn int(ty: IntType) -> String {
    format!("{}int{}_t", if ty.signed { "" } else { "u" }, ty.bits)
}

struct Writer<'a> {
    program: &'a Program,
    is_cpp: bool,
    used: Used,
}

impl Writer<'_> {
    /// Whether threads and mutexes are those of POSIX.
    fn is_posix(&self) -> bool {
        !self.is_cpp || self.program.uses_posix
    }

    fn prelude(&self, text: &mut Text) {
        if self.is_cpp {
            for header in ["atomic", "cassert", "cstdint", "cstdlib", "cstring"] {
                text.line(format!("#include <{header}>"));
            }
            if self.is_posix() {
                text.line("#include <pthread.h>");
            } else {
                text.line("#include <mutex>");
                text.line("#include <thread>");
            }
        } else {
            for header in ["assert", "pthread", "stdatomic", "stdint", "stdlib", "string"] {
                text.line(format!("#include <{header}.h>"));
            }
        }
        text.line("");
        text.line("#ifdef NATIVE");
        if self.is_cpp {
            text.line("extern \"C\" {");
        }
        text.line("void native_enter(int thread);");
        text.line("void native_delay(void);");
        text.line("void native_outcome(int n, const long long *values);");
        text.line("int program_main(void);");
        if self.is_cpp {
            text.line("}");
        }
        text.line("#define ENTER(thread) native_enter(thread);");
        text.line("#define DELAY native_delay();");
        text.line("#else");
        text.line("#define ENTER(thread)");
        text.line("#define DELAY");
        text.line("#define program_main main");
        text.line("#endif");
        text.line("");
        text.line(format!("long long out[{}];", self.program.out.len()));
        if self.used.bytes {
            for bits in [8, 16, 32, 64] {
                let bytes = bits / 8;
                text.line(format!(
                    "static uint{bits}_t load_{bits}(const void *at) {{ uint{bits}_t v; memcpy(&v, at, {bytes}); return v; }}"
                ));
                text.line(format!(
                    "static void store_{bits}(void *at, uint{bits}_t v) {{ memcpy(at, &v, {bytes}); }}"
                ));
            }
        }
    }

    /// A declaration without its initialiser.
    fn declared(&self, ty: &Type, name: &str) -> String {
        match ty {
            Type::Int(ty) => format!("{} {name}", int(*ty)),
            Type::Atomic(ty) if self.is_cpp => format!("std::atomic<{}> {name}", int(*ty)),
            Type::Atomic(ty) => format!("_Atomic {} {name}", int(*ty)),
            Type::Array(element, length) => self.declared(element, &format!("{name}[{length}]")),
            Type::Record(number) => format!("R{number} {name}"),
            Type::Pointer(target) => self.declared(target, &format!("*{name}")),
            Type::AtomicPointer(target) if self.is_cpp => {
                format!("std::atomic<{}> {name}", self.declared(target, "*"))
            }
            Type::AtomicPointer(target) => self.declared(target, &format!("*_Atomic {name}")),
        }
    }

    /// An initialiser, which takes its numbers from the list.
    fn initialiser(&self, ty: &Type, numbers: &mut dyn Iterator<Item = i64>) -> String {
        match ty {
            Type::Int(ty) | Type::Atomic(ty) => constant(*ty, numbers.next().unwrap_or(0)),
            Type::Array(element, length) => {
                let parts: Vec<String> = (0..*length).map(|_| self.initialiser(element, numbers)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Type::Record(number) => {
                let Some(record) = self.program.records.get(*number) else { return "{}".to_owned() };
                let n_fields = if record.is_union { 1 } else { record.fields.len() };
                let parts: Vec<String> = record.fields[..n_fields]
                    .iter()
                    .map(|field| {
                        let part = self.initialiser(&field.ty, numbers);
                        match (field.bit_field, &field.ty) {
                            (Some(bits), Type::Int(ty)) => {
                                let mask = u64::MAX >> (64 - bits + u8::from(ty.signed && bits > 1));
                                format!("({})({part} & {mask})", int(*ty))
                            }
                            _ => part,
                        }
                    })
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Type::Pointer(_) | Type::AtomicPointer(_) => "0".to_owned(),
        }
    }

    fn initial(&self, scope: Scope<'_>, ty: &Type, initial: &Initial) -> String {
        match (initial, ty) {
            (Initial::Numbers(numbers), _) => self.initialiser(ty, &mut numbers.iter().copied()),
            (Initial::Address(place), Type::Pointer(target) | Type::AtomicPointer(target)) => {
                let place = constant_place(scope, place);
                format!("({})&{place}", self.declared(target, "*"))
            }
            (Initial::Address(_), _) => "0".to_owned(),
        }
    }

    fn declarations(&self, text: &mut Text) {
        for &number in &self.used.records {
            let Some(record) = self.program.records.get(number) else { continue };
            text.line(format!("typedef {} R{number} {{", if record.is_union { "union" } else { "struct" }));
            for (n, field) in record.fields.iter().enumerate() {
                let declared = self.declared(&field.ty, &format!("f{n}"));
                match field.bit_field {
                    Some(bits) => text.line(format!("{declared} : {bits};")),
                    None => text.line(format!("{declared};")),
                }
            }
            text.line(format!("}} R{number};"));
        }
        let scope = Scope { program: self.program, locals: &[], function: None };
        for &number in &self.used.globals {
            let Some(global) = self.program.globals.get(number) else { continue };
            let volatile = if global.is_volatile { "volatile " } else { "" };
            let declared = self.declared(&global.ty, &format!("g{number}"));
            let initial = self.initial(scope, &global.ty, &global.initial);
            text.line(format!("{volatile}{declared} = {initial};"));
        }
        for &number in &self.used.thread_locals {
            let Some((ty, initial)) = self.program.thread_locals.get(number) else { continue };
            let word = if self.is_cpp { "thread_local" } else { "_Thread_local" };
            text.line(format!("{word} {} t{number} = {};", int(*ty), constant(*ty, *initial)));
        }
        for &number in &self.used.mutexes {
            let Some(mutex) = self.program.mutexes.get(number) else { continue };
            if self.is_posix() {
                text.line(format!("pthread_mutex_t m{number} = PTHREAD_MUTEX_INITIALIZER;"));
            } else {
                text.line(format!("std::mutex m{number};"));
            }
            text.line(format!("{} m{number}_value = {};", int(mutex.ty), constant(mutex.ty, mutex.initial)));
        }
        for &number in &self.used.slots {
            let Some(ty) = self.program.slots.get(number) else { continue };
            let ty = Type::AtomicPointer(Box::new(Type::Int(*ty)));
            // Without an initialiser, which C++ 17 wants in braces and old C not at all: globals are null.
            text.line(format!("{};", self.declared(&ty, &format!("s{number}"))));
        }
    }

    /// The parameters' declarations.
    fn parameters(&self, function: &Function) -> String {
        let declared: Vec<String> =
            function.parameters().enumerate().map(|(n, ty)| self.declared(ty, &format!("l{n}"))).collect();
        if declared.is_empty() { "void".to_owned() } else { declared.join(", ") }
    }

    fn function_pointer(&self, number: usize, name: &str) -> String {
        let Some(function) = self.program.functions.get(number) else { return name.to_owned() };
        self.declared(&function.result, &format!("(*{name})({})", self.parameters(function)))
    }

    fn function(&self, text: &mut Text, number: usize, function: &Function) {
        let parameters = self.parameters(function);
        let head = self.declared(&function.result, &format!("f{number}({parameters})"));
        text.line("");
        text.line(format!("static {head} {{"));
        let mut body = Body::new(self, &function.routine.locals, Some(number));
        if function.is_recursive {
            match &function.result {
                Type::Record(record) => {
                    text.line("if (l0 == 0 || l0 > 2) {");
                    text.line(format!("R{record} nothing;"));
                    text.line("memset(&nothing, 0, sizeof nothing);");
                    text.line("return nothing;");
                    text.line("}");
                }
                _ => text.line("if (l0 == 0 || l0 > 2) return 0;"),
            }
        }
        self.locals(text, &function.routine);
        body.block(text, &function.routine.body);
        if let Some(result) = &function.routine.result {
            text.line(format!("return {};", body.expr(result)));
        }
        text.line("}");
    }

    fn locals(&self, text: &mut Text, routine: &Routine) {
        let scope = Scope { program: self.program, locals: &routine.locals, function: None };
        for (number, local) in routine.locals.iter().enumerate().skip(routine.n_parameters) {
            let declared = self.declared(&local.ty, &format!("l{number}"));
            text.line(format!("{declared} = {};", self.initial(scope, &local.ty, &local.initial)));
        }
    }

    fn table(&self, text: &mut Text, number: usize, table: &Table) {
        let Some(&first) = table.functions.first() else { return };
        let Some(function) = self.program.functions.get(first) else { return };
        text.line("");
        let n_functions = table.functions.len();
        if !table.is_virtual {
            let declared = self.function_pointer(first, &format!("table{number}[{n_functions}]"));
            let names: Vec<String> = table.functions.iter().map(|f| format!("f{f}")).collect();
            text.line(format!("static {declared} = {{{}}};", names.join(", ")));
            return;
        }
        let parameters = self.parameters(function);
        if self.is_cpp {
            text.line(format!("struct V{number} {{"));
            let head = self.declared(&function.result, &format!("call({parameters})"));
            text.line(format!("virtual {head} = 0;"));
            text.line("};");
            let arguments: Vec<String> =
                (0..function.parameters().count()).map(|n| format!("l{n}")).collect();
            for (n, f) in table.functions.iter().enumerate() {
                text.line(format!("struct V{number}_{n} : V{number} {{"));
                text.line(format!("{head} override {{ return f{f}({}); }}", arguments.join(", ")));
                text.line("};");
                text.line(format!("static V{number}_{n} v{number}_{n};"));
            }
            let objects: Vec<String> = (0..n_functions).map(|n| format!("&v{number}_{n}")).collect();
            text.line(format!(
                "static V{number} *table{number}[{n_functions}] = {{{}}};",
                objects.join(", ")
            ));
        } else {
            text.line(format!("struct V{number} {{"));
            text.line(format!("{};", self.function_pointer(first, "call")));
            text.line("};");
            for (n, f) in table.functions.iter().enumerate() {
                text.line(format!("static const struct V{number} v{number}_{n} = {{f{f}}};"));
            }
            let objects: Vec<String> = (0..n_functions).map(|n| format!("&v{number}_{n}")).collect();
            text.line(format!(
                "static const struct V{number} *table{number}[{n_functions}] = {{{}}};",
                objects.join(", ")
            ));
        }
    }

    fn helper(&self, text: &mut Text, number: usize, routine: &Routine) {
        text.line("");
        if self.is_posix() {
            text.line(format!("static void *helper{number}(void *argument) {{"));
            text.line("(void)argument;");
        } else {
            text.line(format!("static void helper{number}() {{"));
        }
        text.line(format!("ENTER({})", 32 + number));
        self.locals(text, routine);
        Body::new(self, &routine.locals, None).block(text, &routine.body);
        if self.is_posix() {
            text.line("return 0;");
        }
        text.line("}");
    }

    fn constructor(&self, text: &mut Text, routine: &Routine) {
        text.line("");
        if self.is_cpp {
            text.line("struct Constructor {");
            text.line("Constructor() {");
        } else {
            text.line("__attribute__((constructor)) static void constructor(void) {");
        }
        self.locals(text, routine);
        Body::new(self, &routine.locals, None).block(text, &routine.body);
        text.line("}");
        if self.is_cpp {
            text.line("};");
            text.line("static Constructor constructor;");
        }
    }

    fn thread(&self, text: &mut Text, number: usize, by_address: bool, routine: &Routine) {
        text.line("");
        if self.is_posix() {
            text.line(format!("static void *thread{number}(void *argument) {{"));
            if by_address {
                text.line("uint32_t l0 = *(uint32_t *)argument;");
            } else {
                text.line("uint32_t l0 = (uint32_t)(uintptr_t)argument;");
            }
        } else if by_address {
            text.line(format!("static void thread{number}(uint32_t *argument, long long *result) {{"));
            text.line("uint32_t l0 = *argument;");
        } else {
            text.line(format!("static void thread{number}(uint32_t l0, long long *result) {{"));
        }
        text.line("ENTER(1 + (int)l0)");
        self.locals(text, routine);
        let mut body = Body::new(self, &routine.locals, None);
        body.block(text, &routine.body);
        match &routine.result {
            Some(result) if self.is_posix() => {
                text.line(format!("return (void *)(intptr_t){};", body.expr(result)));
            }
            Some(result) => text.line(format!("*result = (long long){};", body.expr(result))),
            None if self.is_posix() => text.line("return 0;"),
            None => text.line("(void)result;"),
        }
        text.line("}");
    }

    fn main(&self, text: &mut Text) {
        let program = self.program;
        let mut body = Body::new(self, &program.main.locals, None);
        let n_threads = program.n_threads();
        text.line("");
        text.line("int program_main(void) {");
        self.locals(text, &program.main);
        if self.is_posix() {
            text.line(format!("pthread_t threads[{n_threads}];"));
        } else if program.groups.iter().any(|group| group.in_loop) {
            text.line(format!("std::thread threads[{n_threads}];"));
        }
        if self.used.joins || !self.is_posix() {
            text.line(format!("long long joined[{n_threads}] = {{0}};"));
        }
        if program.groups.iter().any(|group| group.by_address) {
            let numbers: Vec<String> = (0..n_threads).map(|number| number.to_string()).collect();
            text.line(format!("uint32_t numbers[{n_threads}] = {{{}}};", numbers.join(", ")));
        }
        body.block(text, &program.main.body);
        self.each_thread(text, &mut |group, thread| {
            let argument = match (program.groups[group].by_address, self.is_posix()) {
                (true, _) => format!("&numbers[{thread}]"),
                (false, true) => format!("(void *)(uintptr_t){thread}"),
                (false, false) => format!("(uint32_t){thread}"),
            };
            if self.is_posix() {
                vec![format!("pthread_create(&threads[{thread}], 0, thread{group}, {argument});")]
            } else if program.groups[group].in_loop {
                vec![format!(
                    "threads[{thread}] = std::thread(thread{group}, {argument}, &joined[{thread}]);"
                )]
            } else {
                vec![format!("std::thread thread_{thread}(thread{group}, {argument}, &joined[{thread}]);")]
            }
        });
        body.block(text, &program.meanwhile);
        self.each_thread(text, &mut |group, thread| {
            if !self.is_posix() && program.groups[group].in_loop {
                vec![format!("threads[{thread}].join();")]
            } else if !self.is_posix() {
                vec![format!("thread_{thread}.join();")]
            } else if self.used.joins && program.groups[group].routine.result.is_some() {
                vec![
                    "void *given;".to_owned(),
                    format!("pthread_join(threads[{thread}], &given);"),
                    format!("joined[{thread}] = (long long)(intptr_t)given;"),
                ]
            } else {
                vec![format!("pthread_join(threads[{thread}], 0);")]
            }
        });
        body.block(text, &program.afterwards);
        for &slot in &self.used.slots {
            text.line(format!("long long left{slot} = -1;"));
            text.line("{");
            let object = Type::Pointer(Box::new(Type::Int(program.slots[slot])));
            let none = format!("({})0", self.declared(&object, ""));
            let taken = body.exchange_slot(slot, &none);
            text.line(format!("{} = {taken};", self.declared(&object, "object")));
            text.line("if (object) {");
            text.line(format!("left{slot} = (long long)*object;"));
            text.line(body.free("object"));
            text.line("}");
            text.line("}");
        }
        for (number, out) in program.out.iter().enumerate() {
            text.line(format!("out[{number}] = (long long){};", body.expr(out)));
        }
        text.line("#ifdef NATIVE");
        text.line(format!("native_outcome({}, out);", program.out.len()));
        text.line("#endif");
        text.line("return 0;");
        text.line("}");
    }

    /// Statements for each thread, in a loop where its group says so.
    fn each_thread(&self, text: &mut Text, lines: &mut dyn FnMut(usize, &str) -> Vec<String>) {
        let mut first = 0;
        for (number, group) in self.program.groups.iter().enumerate() {
            let end = first + group.count;
            if group.in_loop {
                text.line(format!("for (unsigned k = {first}; k < {end}; k++) {{"));
                lines(number, "k").into_iter().for_each(|line| text.line(line));
                text.line("}");
            } else {
                for thread in first..end {
                    let lines = lines(number, &thread.to_string());
                    let is_block = lines.len() > 1;
                    if is_block {
                        text.line("{");
                    }
                    lines.into_iter().for_each(|line| text.line(line));
                    if is_block {
                        text.line("}");
                    }
                }
            }
            first = end;
        }
    }
}

/// A number of a type, whatever the number.
fn constant(ty: IntType, value: i64) -> String {
    match value {
        -0x8000_0000..=0x7fff_ffff => format!("({}){value}", int(ty)),
        i64::MIN => format!("({})(-{}LL - 1)", int(ty), i64::MAX),
        _ => format!("({}){value}LL", int(ty)),
    }
}

/// A place whose indices are constants.
fn constant_place(scope: Scope<'_>, place: &Place) -> String {
    path(&scope, root(&place.root), place, &constant_index)
}

fn root(root: &Root) -> String {
    match root {
        Root::Global(number) => format!("g{number}"),
        Root::Local(number) => format!("l{number}"),
        Root::ThreadLocal(number) => format!("t{number}"),
        Root::Guarded(number) => format!("m{number}_value"),
        Root::Heap(number, _) => format!("(*h{number})"),
    }
}
