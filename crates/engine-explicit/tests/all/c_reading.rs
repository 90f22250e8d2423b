//! C programs that were read wrongly, or nearly: a test for each cause. What is expected is argued beside the program.
//! Every program is lowered twice, with narrow domains and with those of the machine, and both must say the same.
//!
//! Where clang is missing the tests say so and pass.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Int, Meter, SourceMap};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_frontend::{Loaded, llvm};
use fencewright_ir::{Op, RegExpr};
use fencewright_memory::Model;

use Answer::{Holds, Violated};

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Answer {
    Holds,
    Violated,
}

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
                       #include <string.h>\n";

/// The IR of a text; `None`, with a message, if there is no clang.
fn compile(text: &str) -> Option<String> {
    let flags =
        ["-x", "c", "-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-", "-o", "-"];
    let mut command = Command::new("clang");
    command.args(flags).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let message = format!("not tested: clang cannot be run: {error}\n");
            std::io::stderr().write_all(message.as_bytes()).expect("a message can be written");
            return None;
        }
    };
    let mut input = child.stdin.take().expect("it was asked for");
    input.write_all(format!("#define _GNU_SOURCE\n{HEADERS}{text}").as_bytes()).expect("clang reads it");
    drop(input);
    let output = child.wait_with_output().expect("clang ends");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("IR is UTF-8"))
}

/// Two threads with these bodies, and what main does before and behind them.
struct Two<'a> {
    globals: &'a str,
    before: &'a str,
    first: &'a str,
    second: &'a str,
    behind: &'a str,
}

impl Two<'_> {
    fn text(&self) -> String {
        let Two { globals, before, first, second, behind } = self;
        format!(
            "{globals}
             static void *first(void *unused) {{ {first} return 0; }}
             static void *second(void *unused) {{ {second} return 0; }}
             int main(void) {{
               pthread_t a, b;
               {before}
               pthread_create(&a, 0, first, 0);
               pthread_create(&b, 0, second, 0);
               pthread_join(a, 0);
               pthread_join(b, 0);
               {behind}
               return 0;
             }}"
        )
    }
}

/// Two threads that share these variables; main checks the condition when both have ended.
fn two(globals: &str, first: &str, second: &str, condition: &str) -> String {
    Two { globals, before: "", first, second, behind: &format!("assert({condition});") }.text()
}

fn load(ir: &str, narrow: bool, meter: Meter) -> Result<Loaded, String> {
    let mut sources = SourceMap::new();
    let ir = sources.add("program.ll", ir);
    let options = llvm::Options { narrow, ..llvm::Options::default() };
    let unit = llvm::Unit { sources: &sources, ir, places: None, options: &options, meter };
    llvm::load(&unit).map_err(|problems| format!("{} {}", problems[0].code.name, problems[0].message))
}

fn answer(loaded: &Loaded, model: Model) -> Answer {
    let task = Task { program: &loaded.program, model, options: Options::default() };
    match run(&Explicit, &task, &mut Context::quiet(Meter::unlimited())).expect("the trace replays").verdict {
        Verdict::Holds(Guarantee::Unbounded) => Holds,
        Verdict::Violated(_) => Violated,
        other => panic!("{other:?}"),
    }
}

/// The answers under SC, TSO and PSO, and what the reading left out.
fn check(text: &str, expected: [Answer; 3]) -> Option<Loaded> {
    let ir = compile(text)?;
    let mut last = None;
    for narrow in [false, true] {
        let loaded =
            load(&ir, narrow, Meter::unlimited()).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let found = [Model::Sc, Model::Tso, Model::Pso].map(|model| answer(&loaded, model));
        assert_eq!(found, expected, "narrow: {narrow}\n{text}");
        last = Some(loaded);
    }
    last
}

/// The same under all models, and a proof is one for all executions.
fn always(text: &str, expected: Answer) {
    if let Some(loaded) = check(text, [expected; 3]) {
        let left_out = loaded.no_reuse || loaded.may_read_unset || loaded.cut_at_objects.is_some();
        assert!(expected == Violated || !left_out, "the proof is not one\n{text}");
    }
}

fn refused(text: &str, problem: &str) {
    if let Some(ir) = compile(text) {
        let found = load(&ir, true, Meter::unlimited()).map(|_| ()).expect_err(text);
        assert!(found.contains(problem), "{found}\n{text}");
    }
}

#[test]
fn many_ways_through_one_step() {
    // Ten decisions on two values that were read: 1,024 ways through one step. With both values there, n is 682.
    let tests: String =
        (0..10).map(|i| format!("if ((v >> {i} & 1) && (w >> {i} & 1)) n += {};", 1 << i)).collect();
    let first = format!("int v = x, w = y, n = 0; {tests} r = n;");
    always(&two("int x, y, r;", &first, "x = 682; y = 1023;", "r != 682"), Violated);
    always(&two("int x, y, r;", &first, "x = 682; y = 1023;", "r != 341"), Holds);
}

#[test]
fn an_address_one_past_the_end() {
    // The counter reaches 2 before the first thread looks: its pointer is then one past the end, which is legal.
    let globals = "atomic_int a[2], i; int r;";
    let first = "atomic_int *p = a + i; r = p == a + 2; if (!r) *p = 1;";
    always(&two(globals, first, "i++; i++;", "!r"), Violated);
    always(&two(globals, first, "i++; i++;", "r == 0 || r == 1"), Holds);
}

#[test]
fn an_address_past_every_object() {
    // 3 is past the end of one array; what stands behind it in the numbering of addresses must not be taken for it.
    let globals = "int a[2] = {1, 1}, b[2] = {1, 1}, i, r; int *volatile p = a;";
    always(&two(globals, "int *q = p; r = q[i];", "p = b; i = 1; i = 3;", "r <= 1"), Violated);
    always(&two("int a[3], i;", "a[i] = 2;", "i = -1;", "1"), Violated);
}

#[test]
fn numbers_that_stand_where_addresses_stand() {
    // A mark that is no address: it equals itself and nothing else, and must not be used.
    let globals = "int x, r; _Atomic(int *) p;";
    let first = "int *q = p; r = q == (int *)1 ? 1 : q == 0 ? 2 : q == &x ? 3 : 4;";
    let second = "p = (int *)1; p = &x;";
    always(&two(globals, first, second, "r != 4"), Holds);
    for value in 1..=3 {
        always(&two(globals, first, second, &format!("r != {value}")), Violated);
    }
    always(&two(globals, "int *q = p; if (q) *q = 1;", second, "1"), Violated);
}

#[test]
fn checks_of_values_that_are_constant_unused_or_ones_own() {
    // The pointer is null until the second thread has set it: each of these accesses can come first.
    always(&two("int x = 7; int *p; int r = 7;", "r = *p;", "p = &x;", "r == 7"), Violated);
    always(&two("int x; int *p;", "*p = 1;", "p = &x;", "x == 1"), Violated);
    always(&two("int x = 7; int *p;", "(void)*(volatile int *)p;", "p = &x;", "1"), Violated);
    always(&two("struct s { int a, b; } x, *p; int r;", "r = p->b;", "p = &x;", "r == 0"), Violated);
    // The index is outside an array that one thread alone knows.
    always(&two("int i, r;", "int a[4] = {1, 1, 1, 1}; r = a[i];", "i = 4;", "r == 1"), Violated);
    // A division whose result nobody uses; a call of nothing.
    always(&two("int d, r;", "int q = 10 / d; if (q > 20) r = 1;", "d = 1; d = 2;", "r == 0"), Violated);
    always(&two("int one(void) { return 1; } int (*f)(void); int r;", "r = f();", "f = one;", "1"), Violated);
    always(&two("int x;", "if (x) __builtin_unreachable();", "x = 1;", "1"), Violated);
}

#[test]
fn memory_that_was_never_written() {
    // With the branch taken the variable has a value, without it none.
    let computed = "int v; if (x) v = 1; y = v + 1;";
    always(&two("int x, y;", computed, "x = 1;", "y < 3"), Violated);
    // A sum that nobody looks at does no harm.
    always(&two("int x, y;", computed, "x = 1;", "1"), Holds);
    let guarded = "int v, k = x; if (k) v = 1; if (k) y = v + 1;";
    always(&two("int x, y;", guarded, "x = 1;", "y == 0 || y == 2"), Holds);
    // -1 is a value like any other beside one that was never written.
    let minus_one = "int v, k = x; if (k) v = -1; y = k ? v : 3;";
    always(&two("int x, y;", minus_one, "x = 1;", "y == -1 || y == 3"), Holds);
    // Of two words one is written before the block is handed over; under PSO, and relaxed, not even that one is there.
    let second = "int *q = atomic_load_explicit(&p, memory_order_acquire); if (q) r = q[WORD];";
    let first = |order: &str| format!("int *q = malloc(8); q[0] = 1; atomic_store_explicit(&p, q, {order});");
    let program = |word: &str, order: &str| {
        two("_Atomic(int *) p; int r = 1;", &first(order), &second.replace("WORD", word), "r == 1")
    };
    always(&program("1", "memory_order_release"), Violated);
    always(&program("0", "memory_order_release"), Holds);
    check(&program("0", "memory_order_relaxed"), [Holds, Holds, Violated]);
    // Zeroed memory is written.
    for block in ["calloc(2, 4)", "memset(malloc(8), 0, 8)"] {
        let first = format!("int *q = {block}; q[0] = 1; p = q;");
        always(&two("_Atomic(int *) p; int r;", &first, "int *q = p; if (q) r = q[1];", "r == 0"), Holds);
    }
    let one_way = "struct { int a, b; } *q = malloc(8); memset(q, 0, 8); if (x) q->b = 5; y = q->a + q->b;";
    always(&two("int x, y;", one_way, "x = 1;", "y == 0 || y == 5"), Holds);
    always(&two("int x, y;", one_way, "x = 1;", "y == 0"), Violated);
}

#[test]
fn a_value_that_is_partly_unwritten_is_no_proof() {
    // The struct is handed over in one register, its padding with it.
    let globals = "struct s { char c; int x; }; int r; static void set(struct s v) { r = v.x; }";
    let text = two(globals, "struct s v; v.c = 1; v.x = 2; set(v);", "", "r == 2");
    if let Some(loaded) = check(&text, [Holds; 3]) {
        assert!(loaded.may_read_unset);
    }
}

fn with_block(first: &str, second: &str, behind: &str) -> String {
    Two {
        globals: "_Atomic(int *) p;",
        before: "int *q0 = malloc(4); *q0 = 0; p = q0;",
        first,
        second,
        behind,
    }
    .text()
}

#[test]
fn freed_memory() {
    always(&with_block("int *q = p; if (q) *q = 1;", "int *q = p; p = 0; free(q);", ""), Violated);
    always(&with_block("free(p);", "free(p);", ""), Violated);
    always(&with_block("free(p + 1);", "", ""), Violated);
    always(&with_block("int x; free(&x);", "", ""), Violated);
    // When both have ended nobody uses it any more.
    always(&with_block("*p = 1;", "*p = 2;", "assert(*p == 1 || *p == 2); free(p); free(0);"), Holds);
    // Each its own, and never another: nothing can be given out again.
    let own = "int *q = malloc(4); *q = 3; r = *q; free(q);";
    always(&two("int r;", own, "", "r == 3"), Holds);
    always(&two("int r;", "int *q = malloc(4); *q = 3; free(q); r = *q;", "", "1"), Violated);
}

#[test]
fn memory_that_could_be_given_out_again_is_no_proof() {
    let again = "for (int i = 0; i < 2; i++) { int *q = malloc(4); *q = i; r = *q; free(q); }";
    if let Some(loaded) = check(&two("int r;", again, "", "r == 1"), [Holds; 3]) {
        assert!(loaded.no_reuse);
    }
}

#[test]
fn variables_of_calls_that_have_returned() {
    // The call that made the thread returns at once, and its variable is gone.
    let handed_over = "static pthread_t t;
        static void *look(void *at) { assert(*(int *)at == 5); return 0; }
        static void start(void) { int five = 5; pthread_create(&t, 0, look, &five); }
        int main(void) { start(); pthread_join(t, 0); return 0; }";
    always(handed_over, Violated);
    // Handed over by a call that waits.
    always(
        &handed_over
            .replace("&five);", "&five); pthread_join(t, 0);")
            .replace("start(); pthread_join(t, 0);", "start();"),
        Holds,
    );
    always(&two("int *p, r;", "int x = 5; p = &x;", "int *q = p; if (q) r = *q + 1;", "1"), Violated);
    let own = "static int *leak(void) { int x = 5; int *p = &x; return p; } int r;";
    always(&two(own, "r = *leak();", "", "1"), Violated);
    // So is what a thread has of its own, when it has ended.
    let of_thread = "static _Thread_local int n;
        static void *count(void *unused) { n = 3; return &n; }
        int main(void) { pthread_t t; void *at; pthread_create(&t, 0, count, 0); pthread_join(t, &at);
          assert(*(int *)at == 3); return 0; }";
    always(of_thread, Violated);
}

#[test]
fn constructors_run_before_main_by_priority() {
    let globals = "int c;
        __attribute__((constructor(102))) void late(void) { c = c * 10 + 2; }
        __attribute__((constructor(101))) void early(void) { c = c * 10 + 1; }";
    always(&two(globals, "", "", "c == 12"), Holds);
}

#[test]
fn mutexes_that_know_their_owner_are_refused() {
    let lock = "pthread_mutex_lock(&m); r = 1; pthread_mutex_unlock(&m);";
    let by_initialiser = "pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; int r;";
    refused(&two(by_initialiser, lock, lock, "r == 1"), "knows its owner");
    for kind in ["PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK"] {
        let before = format!(
            "pthread_mutexattr_t k; pthread_mutexattr_init(&k); pthread_mutexattr_settype(&k, {kind}); \
             pthread_mutex_init(&m, &k);"
        );
        let globals = "pthread_mutex_t m; int r;";
        let text = Two { globals, before: &before, first: lock, second: lock, behind: "" }.text();
        refused(&text, "knows its owner");
    }
    // Taken twice by the only thread that uses it: it waits for ever, and what stands behind is not reached.
    let twice = "pthread_mutex_lock(&m); pthread_mutex_lock(&m); assert(0);";
    refused(&two("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", twice, "", "1"), "taken already");
}

#[test]
fn a_structure_passed_by_value_in_memory_is_refused() {
    // The callee changes its own copy, which this reading does not make.
    let globals = "typedef struct { long a, b, c; } S; S s = {1, 2, 3}; int r; \
                   static int f(S own) { own.c = 0; return own.c; }";
    refused(&two(globals, "r = f(s);", "", "s.c == 3"), "passed by value");
}

#[test]
fn bit_fields_in_units_of_five_bytes_are_refused() {
    let globals = "typedef struct { char a; unsigned long b : 28; short c : 5; } S; S s; int r;";
    refused(&two(globals, "r = s.b;", "", "r == 0"), "units of 3, 5, 6 or 7 bytes");
    refused(&two(globals, "s.b = 1;", "", "r == 0"), "units of 3, 5, 6 or 7 bytes");
}

#[test]
fn a_copy_of_a_number_of_which_one_byte_is_read_elsewhere_is_refused() {
    // The byte is a cell of its own then; a copy of that cell alone is not a copy of the number.
    let byte = "((unsigned char *)&g)[2]";
    let first = format!("r = {byte}; unsigned v; __builtin_memcpy(&v, &g, 4); a = v;");
    let second = format!("s = {byte};");
    refused(&two("unsigned g = 2; atomic_int a; int r, s;", &first, &second, "a == 2"), "different widths");
}

#[test]
fn a_function_for_errors_is_one_whatever_its_body() {
    always(&two("void reach_error(void) {} int x;", "if (x) reach_error();", "x = 1;", "1"), Violated);
}

#[test]
fn the_end_of_the_process_is_not_the_end_of_a_thread() {
    // Whoever waits for a thread that ends the process waits for ever.
    always(&two("int x, y;", "if (x) exit(0); y = 1;", "x = 1;", "y == 1"), Holds);
    always(&two("int x, y;", "if (x) pthread_exit(0); y = 1;", "x = 1;", "y == 1"), Violated);
}

#[test]
fn a_thread_knows_itself_by_its_handle() {
    let text = "static pthread_t self;
        static void *look(void *unused) { self = pthread_self(); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, look, 0); pthread_join(t, 0);
          assert(pthread_equal(self, t)); assert(!pthread_equal(pthread_self(), t)); return 0; }";
    always(text, Holds);
}

#[test]
fn random_numbers_are_from_zero_to_rand_max() {
    let Some(ir) = compile(&two("int r;", "r = rand();", "r = 1;", "r >= 0")) else { return };
    let program = load(&ir, true, Meter::unlimited()).expect("it is read").program;
    let mut steps = program.threads.iter().flat_map(|thread| &thread.edges).map(|edge| &edge.step.ops);
    let ops =
        steps.find(|ops| ops.iter().any(|op| matches!(op, Op::Havoc { .. }))).expect("a number is chosen");
    let allowed = |number: i64| {
        let guards = ops.iter().filter_map(|op| match op {
            Op::Guard(condition) => Some(condition),
            _ => None,
        });
        let holds =
            |condition: &RegExpr| condition.eval(&mut |_| Int::from(number)).expect("no fault").is_true();
        guards.clone().count() > 0 && guards.clone().all(holds)
    };
    let found = [-1, 0, 7, 2_147_483_647].map(allowed);
    assert_eq!(found, [false, true, true, true]);
}

#[test]
fn a_release_store_to_memory_of_ones_own_orders_the_others() {
    let first = "atomic_store_explicit(&x, 1, memory_order_relaxed);
        atomic_store_explicit(&own, 1, ORDER); atomic_store_explicit(&y, 1, memory_order_relaxed);";
    let program = |order: &str| {
        two("atomic_int x, own, y; int r = 1;", &first.replace("ORDER", order), "if (y) r = x;", "r == 1")
    };
    always(&program("memory_order_release"), Holds);
    check(&program("memory_order_relaxed"), [Holds, Holds, Violated]);
}

#[test]
fn what_can_block_is_said() {
    let lock = "pthread_mutex_lock(&m); r++; pthread_mutex_unlock(&m);";
    let blocking = two("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int r;", lock, lock, "r == 2");
    for (text, expected) in [(blocking, true), (two("int r;", "r = 1;", "r = 2;", "r"), false)] {
        if let Some(loaded) = check(&text, [Holds; 3]) {
            assert_eq!(loaded.may_block, expected, "{text}");
        }
    }
}

#[test]
fn assertions_that_cannot_fail_are_stated_all_the_same() {
    // The assertion is decided when the program is read; the other text says nothing.
    for (text, expected) in
        [(two("int r;", "r = 1;", "r = 1;", "r == 1"), 1), (two("int r;", "", "", "1"), 0)]
    {
        let text = text.replace("assert(1);", "");
        if let Some(loaded) = check(&text, [Holds; 3]) {
            assert_eq!(loaded.stated, expected, "{text}");
        }
    }
}

#[test]
fn a_pointer_that_threads_advance_without_end_ends_soon() {
    // Every round finds one more address: it must end, by being refused or by the budget.
    let text = two("int a[2]; _Atomic(int *) p = a;", "while (1) p++;", "p++;", "1");
    let Some(ir) = compile(&text) else { return };
    let time = Some(Duration::from_secs(20));
    let meter = Meter::start(Budget { time, ..Budget::default() }, CancelToken::new());
    let problem = load(&ir, true, meter).map(|_| ()).expect_err("it cannot be followed");
    assert!(problem.starts_with("E04"), "{problem}");
}

#[test]
fn reading_stops_when_it_is_asked_to() {
    let Some(ir) = compile(&two("int r;", "r = 1;", "", "r == 1")) else { return };
    let cancel = CancelToken::new();
    cancel.cancel();
    let problem = load(&ir, true, Meter::start(Budget::default(), cancel)).map(|_| ()).expect_err("it stops");
    assert!(problem.starts_with("E0414"), "{problem}");
}
