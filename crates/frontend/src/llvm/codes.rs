//! The diagnostics of the LLVM front end: one table. `explain CODE` shows a row.

use fencewright_base::Code;

/// All of them, in order.
pub(super) const ALL: &[&Code] = &[
    &MALFORMED,
    &ENTRY,
    &UNSUPPORTED,
    &LIBRARY,
    &INDIRECT,
    &RECURSION,
    &POINTER,
    &WIDTH,
    &THREADS,
    &START,
    &TOO_LARGE,
    &IGNORED,
    &HEAP,
    &GAVE_UP,
];

pub(super) static MALFORMED: Code = Code {
    name: "E0401",
    title: "text that is not LLVM IR",
    explanation: r#"# What

The text is not textual LLVM IR, or was cut or changed after the compiler wrote it.

# Why

A module that is read half would be another program.

# Example

```text
define void @f() {
  stroe i32 1, ptr @x
```

# Fix

Give the module as the compiler wrote it: `clang -S -emit-llvm`, `rustc --emit=llvm-ir`. Bitcode (`.bc`) becomes text
with `llvm-dis`.
"#,
};

pub(super) static ENTRY: Code = Code {
    name: "E0402",
    title: "no function to start with",
    explanation: r#"# What

There is no `main`, or no function with a name given by `--entry`.

# Why

The threads of the program are found by executing `main`, or are the functions named.

# Example

A library without `main`, checked without `--entry`.

# Fix

Name the functions that are the threads: `--entry producer,consumer`. They take no arguments.
"#,
};

pub(super) static UNSUPPORTED: Code = Code {
    name: "E0403",
    title: "a construct that cannot be checked",
    explanation: r#"# What

The program can reach something that has no counterpart here: floating-point arithmetic, vectors, variable argument
lists, exceptions, inline assembly beyond fences and locked instructions, an allocation of unknown size.

# Why

Leaving it out would check another program.

# Example

```text
double share = 0.5 * total;
```

# Fix

Leave it out for the check, for instance with `#ifndef` and a macro, in Rust with `#[cfg(not(check))]` and `--cfg check`, or
put an integer in its place.
"#,
};

pub(super) static LIBRARY: Code = Code {
    name: "E0404",
    title: "a function that is not known",
    explanation: r#"# What

The program calls a function without a body that is not among those known: threads, mutexes, condition variables,
semaphores, allocation, `memcpy` and `memset`, assertions, output, and what checkers are told with (`__VERIFIER_…`).
System calls and clocks are not.

# Why

What it does to memory is not known.

# Example

```text
int fd = open("/dev/null", O_RDONLY);
```

# Fix

Give the source of the function too, or leave the call out.
"#,
};

pub(super) static INDIRECT: Code = Code {
    name: "E0405",
    title: "a call whose function cannot be found out",
    explanation: r#"# What

A call through a pointer whose possible values are not known.

# Why

Calls are copied into their callers, so each must have its function.

# Example

```text
handler_t h = (handler_t)read_number();
h();
```

# Fix

Call the function by name, or let the pointer come from constants: a table, an argument, a field that is set once.
"#,
};

pub(super) static RECURSION: Code = Code {
    name: "E0406",
    title: "a function that calls itself",
    explanation: r#"# What

A function calls itself, directly or through others.

# Why

Calls are copied into their callers; with recursion that would not end.

# Example

```text
int f(int n) { return n == 0 ? 1 : n * f(n - 1); }
```

# Fix

Write it as a loop.
"#,
};

pub(super) static POINTER: Code = Code {
    name: "E0407",
    title: "an address that cannot be followed",
    explanation: r#"# What

An address is used whose objects cannot be found out, or an address is computed with in a way that cannot be followed.

# Why

An address is an object and an offset here, not a number.

# Example

```text
int *p = (int *)0x1000;
*p = 1;
```

# Fix

Let addresses come from variables, arrays and allocations of the program, and move them by indexing.
"#,
};

pub(super) static WIDTH: Code = Code {
    name: "E0408",
    title: "memory accessed with different widths",
    explanation: r#"# What

A piece of shared memory is accessed as a whole in one place and in part in another: through a union, by copying, or by a
cast.

# Why

A cell of shared memory is one scalar. Mixed widths have a meaning of their own on each machine.

# Example

```text
union { int word; char byte[4]; } u;
```

# Fix

Access each field with one type.
"#,
};

pub(super) static THREADS: Code = Code {
    name: "E0409",
    title: "threads that cannot be counted",
    explanation: r#"# What

A thread is created, or waited for, where it is not certain which and how often.

# Why

The number of threads must be known. Main is executed step by step as long as its way is certain.

# Example

```text
if (flag) pthread_create(&t, 0, f, 0);
```

# Fix

Create all threads in `main`, in a row or in a loop with a constant bound, with constant arguments or addresses.
"#,
};

pub(super) static START: Code = Code {
    name: "E0410",
    title: "an initial value that is not known",
    explanation: r#"# What

Memory that threads share has no constant value when the first thread starts.

# Why

The executions start from there.

# Example

```text
x = __VERIFIER_nondet_int();
pthread_create(&t, 0, f, 0);
```

# Fix

Give it a constant value before the first thread is created, or set it in a thread.
"#,
};

pub(super) static TOO_LARGE: Code = Code {
    name: "E0411",
    title: "a program that is too large",
    explanation: r#"# What

The analysis of the program, or the copying of calls into their callers, went past its limit.

# Why

What cannot be analysed cannot be checked either.

# Example

A loop that sets up a million elements before the threads start.

# Fix

Check a smaller program: fewer rounds, fewer threads, smaller data.
"#,
};

pub(super) static IGNORED: Code = Code {
    name: "E0412",
    title: "a call that is left out",
    explanation: r#"# What

A call of a function that only prints, or the like, is left out.

# Why

It does nothing that a model of memory shows. But the lock a real `printf` takes orders writes, so a program that works
only because it prints is judged as if it did not.

# Example

```text
printf("%d\n", x);
```

# Fix

Nothing needs to be done.
"#,
};

pub(super) static HEAP: Code = Code {
    name: "E0413",
    title: "allocations past the bound",
    explanation: r#"# What

An allocation can be reached more often than the bound on its objects allows. Executions that need more are cut off
there.

# Why

Memory is finite here: each place that allocates has a fixed number of objects, and freed ones are not used again.

# Example

```text
for (;;) push(malloc(sizeof(struct node)));
```

# Fix

Raise the bound, or check fewer rounds. A proof holds for executions within the bound.
"#,
};

pub(super) static GAVE_UP: Code = Code {
    name: "E0414",
    title: "reading a program took too long",
    explanation: r#"# What

The time allowed with `--timeout` was over, or somebody asked to stop, while the program was still being read.

# Why

Finding out which values and addresses are possible can take long: every value that threads hand to each other is one
more round through all of them.

# Example

A loop that sets up thousands of elements, by several threads.

# Fix

Allow more time with `--timeout`, or check a smaller program.
"#,
};
