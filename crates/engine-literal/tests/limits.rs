//! A search that meets a limit of the literal machine is no proof: each limit ends in a refusal, in `Limited`, in a bounded
//! pass, or in a note of what was tried only in part. None of these programs has a violation that the search could find within
//! the limit.

use fencewright_base::{Budget, CancelToken, Meter, Stop};
use fencewright_engine_literal::search::{Found, Question, Verdict, search};
use fencewright_literal::PRELUDE;
use fencewright_literal::buffer::Model;
use fencewright_literal::machine::Settings;
use fencewright_literal::program::Program;
use fencewright_literal::violation::Limit;
use fencewright_llvm::parse::Module;

const OUTSIDE: &str = "declare i32 @pthread_create(i64*, i8*, i8* (i8*)*, i8*)\ndeclare i32 @pthread_join(i64, i8**)\n\
    declare i8* @malloc(i64)\ndeclare void @free(i8*)\ndeclare i32 @__VERIFIER_nondet_int()\n\
    declare i8* @memset(i8*, i32, i64)\ndeclare i8* @memcpy(i8*, i8*, i64)\ndeclare i32 @memcmp(i8*, i8*, i64)\n\
    declare i8* @strncpy(i8*, i8*, i64)\n";

fn found_within(ir: &str, model: Model, budget: Budget) -> Found {
    found_with(ir, model, budget, None)
}

fn found_with(ir: &str, model: Model, budget: Budget, fixed_buffer: Option<usize>) -> Found {
    let ir = format!("{OUTSIDE}{ir}");
    let modules: Vec<Module<'_>> = [&ir[..], PRELUDE]
        .iter()
        .map(|text| Module::parse(text).unwrap_or_else(|e| panic!("{e:?}\n{ir}")))
        .collect();
    let program = Program::new(&modules).unwrap_or_else(|error| panic!("{error}\n{ir}"));
    let question = Question {
        settings: Settings::new(model),
        fixed_buffer,
        observed: None,
        dives: true,
        progress: &|_| (),
    };
    search(&program, &question, &Meter::start(budget, CancelToken::new()))
}

fn found(ir: &str) -> Found {
    found_within(ir, Model::Tso, Budget::default())
}

fn is_limited(ir: &str, by: Limit) {
    let found = found(ir);
    assert!(matches!(found.verdict, Verdict::Limited(limit) if limit == by), "{:?}\n{ir}", found.verdict);
}

/// A loop of so many rounds around these instructions; `%i` counts.
fn rounds(n: u64, body: &str) -> String {
    format!(
        "define i32 @main() {{\nentry:\n %t = alloca i64\n br label %head\nhead:\n %i = phi i64 [ 0, %entry ], [ %k, %tail ]\n \
         {body}\n br label %tail\ntail:\n %k = add i64 %i, 1\n %more = icmp ult i64 %k, {n}\n \
         br i1 %more, label %head, label %end\nend:\n ret i32 0\n}}\n"
    )
}

#[test]
fn threads() {
    let create = "%c = call i32 @pthread_create(i64* %t, i8* null, i8* (i8*)* @w, i8* null)\n \
                  %h = load i64, i64* %t\n %j = call i32 @pthread_join(i64 %h, i8** null)";
    let worker = "define i8* @w(i8* %a) {\n ret i8* null\n}\n";
    is_limited(&format!("{worker}{}", rounds(300, create)), Limit::Threads);
    let few = found(&format!("{worker}{}", rounds(20, create)));
    assert!(matches!(few.verdict, Verdict::Holds), "{:?}", few.verdict);
}

#[test]
fn calls_and_stacks() {
    let deep = "define i32 @f(i32 %n) {\n %z = icmp eq i32 %n, 0\n br i1 %z, label %end, label %on\non:\n \
                %m = sub i32 %n, 1\n %r = call i32 @f(i32 %m)\n ret i32 %r\nend:\n ret i32 0\n}\n\
                define i32 @main() {\n %r = call i32 @f(i32 5000)\n ret i32 %r\n}\n";
    is_limited(deep, Limit::Stack);
    is_limited("define i32 @main() {\n %p = alloca [80000000 x i8]\n ret i32 0\n}\n", Limit::Stack);
}

#[test]
fn allocated_memory() {
    is_limited("define i32 @main() {\n %p = call i8* @malloc(i64 100000000)\n ret i32 0\n}\n", Limit::Memory);
    // None of them is freed.
    is_limited(&rounds(5_000, "%p = call i8* @malloc(i64 8)"), Limit::Memory);
}

#[test]
fn the_memory_of_the_user_within_one_action() {
    let text = rounds(2_000, "%p = call i8* @malloc(i64 10000000)");
    let budget = Budget { memory: Some(200 << 20), ..Budget::default() };
    let found = found_within(&text, Model::Sc, budget);
    assert!(matches!(found.verdict, Verdict::Stopped(Stop::Memory)), "{:?}", found.verdict);
}

#[test]
fn the_size_of_a_variable() {
    let text = "@g = global [100000000 x i8] zeroinitializer\ndefine i32 @main() {\n \
                %p = getelementptr [100000000 x i8], [100000000 x i8]* @g, i64 0, i64 5\n store i8 1, i8* %p\n ret i32 0\n}\n";
    let found = found(text);
    assert!(matches!(found.verdict, Verdict::Refused(_)), "{:?}", found.verdict);
}

/// Five million bytes that are equal except for the last: comparing only the beginning would call them equal.
#[test]
fn bytes_of_one_call() {
    let compared = "%p = call i8* @malloc(i64 5000000)\n %q = call i8* @malloc(i64 5000000)\n \
                    %r = call i32 @memcmp(i8* %p, i8* %q, i64 5000000)";
    let main = |body: &str| format!("define i32 @main() {{\n {body}\n ret i32 0\n}}\n");
    is_limited(&main(compared), Limit::Memory);
    is_limited(
        &main("%p = call i8* @malloc(i64 5000000)\n %r = call i8* @memset(i8* %p, i32 0, i64 5000000)"),
        Limit::Memory,
    );
    // So many zeros would be written after the text.
    let copied = "%p = call i8* @malloc(i64 8)\n %q = call i8* @malloc(i64 8)\n %z = call i8* @memset(i8* %q, i32 0, i64 8)\n \
                  %r = call i8* @strncpy(i8* %p, i8* %q, i64 -1)";
    is_limited(&main(copied), Limit::Memory);
}

/// Eight bytes hold two of these numbers, and a copy must not write both at once. If a variable has too many numbers to be
/// listed, no other thread may look.
#[test]
fn scalars_of_one_variable() {
    let text = |size: u64, at: u64| {
        let ty = format!("[{size} x i32]");
        format!(
            "@a = global {ty} zeroinitializer\n@b = global {ty} zeroinitializer\n\
             define i8* @w(i8* %x) {{\n %r = call i8* @memcpy(i8* bitcast ({ty}* @a to i8*), i8* bitcast ({ty}* @b to i8*), \
             i64 {bytes})\n ret i8* null\n}}\n\
             define i32 @main() {{\n %t = alloca i64\n \
             %c = call i32 @pthread_create(i64* %t, i8* null, i8* (i8*)* @w, i8* null)\n \
             %p = getelementptr {ty}, {ty}* @a, i64 0, i64 {at}\n %o = load i32, i32* %p\n %h = load i64, i64* %t\n \
             %j = call i32 @pthread_join(i64 %h, i8** null)\n ret i32 0\n}}\n",
            bytes = 4 * size
        )
    };
    is_limited(&text(6_000, 5_999), Limit::Memory);
    let few = found_within(&text(8, 7), Model::Sc, Budget::default());
    assert!(matches!(few.verdict, Verdict::Holds), "{:?}", few.verdict);
}

#[test]
fn values_and_places_that_are_not_all_tried() {
    // An index becomes a number, and not all numbers are tried.
    let index = "@g = global [1000 x i8] zeroinitializer\ndefine i32 @main() {\n %n = call i32 @__VERIFIER_nondet_int()\n \
                 %low = icmp ult i32 %n, 1000\n br i1 %low, label %in, label %out\nin:\n %e = zext i32 %n to i64\n \
                 %p = getelementptr [1000 x i8], [1000 x i8]* @g, i64 0, i64 %e\n store i8 1, i8* %p\n ret i32 0\n\
                 out:\n ret i32 0\n}\n";
    let found = found(index);
    assert!(matches!(found.verdict, Verdict::Holds) && found.partly.values, "{:?}", found.verdict);
}

/// A thread that writes forever fills any buffer.
#[test]
fn pending_writes() {
    let text = "@x = global i32 0\ndefine i8* @w(i8* %a) {\nentry:\n br label %head\nhead:\n store i32 1, i32* @x\n \
                store i32 2, i32* @x\n br label %head\n}\n\
                define i32 @main() {\n %t = alloca i64\n \
                %c = call i32 @pthread_create(i64* %t, i8* null, i8* (i8*)* @w, i8* null)\n %o = load i32, i32* @x\n ret i32 0\n}\n";
    let found = found_with(text, Model::Tso, Budget::default(), Some(3));
    assert!(matches!(found.verdict, Verdict::HoldsUpTo(3)), "{:?}", found.verdict);
}
