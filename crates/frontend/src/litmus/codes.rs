//! The diagnostics of the litmus front end: one table. `explain CODE` shows a row, `docs` lists them all, and a test
//! sees to it that each is given by some file of `corpus/invalid/litmus`.

use fencewright_base::Code;

/// All of them, in order.
pub(super) const ALL: &[&Code] = &[
    &CHARACTER,
    &HEADER,
    &ARCHITECTURE,
    &INIT,
    &TABLE,
    &INSTRUCTION,
    &OPERANDS,
    &REGISTER,
    &LABEL,
    &CONDITION,
    &PLACE,
    &DEPTH,
    &MIXED,
    &ADDRESS,
    &WIDTH,
    &UNUSED,
    &THREAD,
    &UNSUPPORTED,
    &LOCK,
];

pub(super) static CHARACTER: Code = Code {
    name: "E0201",
    title: "a character or comment that cannot be read",
    explanation: r#"# What

A character that no litmus test is made of, or a comment `(*` without its `*)`.

# Why

Skipping it would change what the test says.

# Example

```text
 P0         ;
 MOV [x],#1 ;
```

# Fix

Remove the character; numbers are written `$1` or `1`. Close every comment: they nest.
"#,
};

pub(super) static HEADER: Code = Code {
    name: "E0202",
    title: "the first line is not `X86 name`",
    explanation: r#"# What

A test does not begin with its architecture and its name.

# Why

The architecture decides how operands are read, the name is what reports call the test.

# Example

```text
SB
{ }
```

# Fix

Begin with `X86 SB` (Intel operands) or `X86_64 SB` (AT&T operands).
"#,
};

pub(super) static ARCHITECTURE: Code = Code {
    name: "E0203",
    title: "an architecture that is not supported",
    explanation: r#"# What

The test is for another architecture than x86.

# Why

Its instructions and its memory model are not known here.

# Example

```text
AArch64 MP
```

# Fix

Use a test for `X86` or `X86_64`.
"#,
};

pub(super) static INIT: Code = Code {
    name: "E0204",
    title: "the initial state is wrong",
    explanation: r#"# What

An entry between `{` and `}` is not of the form `x=1`, `int x=1`, `0:EAX=1` or `0:RBX=x`; or a place
is given two values; or a brace is missing.

# Why

Every outcome depends on where the test starts.

# Example

```text
{ x 1; }
```

# Fix

Separate entries by `;` and write each place once. `{ }` means that everything starts at 0.
"#,
};

pub(super) static TABLE: Code = Code {
    name: "E0205",
    title: "the table of instructions is wrong",
    explanation: r#"# What

The head ` P0 | P1 ;` is missing or has a gap, a row has more cells than there are threads, or a row
is not ended by `;`.

# Why

A cell in the wrong column is an instruction of the wrong thread.

# Example

```text
 P0 | P2 ;
```

# Fix

Name the threads P0, P1, … once each, put `|` between cells and `;` behind each row.
"#,
};

pub(super) static INSTRUCTION: Code = Code {
    name: "E0206",
    title: "an unknown instruction",
    explanation: r#"# What

A cell begins with a word that is no instruction.

# Why

What is not understood cannot be left out without changing the outcomes.

# Example

```text
 MOVE [x],$1 ;
```

# Fix

Check the spelling; the instructions that are taken are listed in `docs/formats/litmus.md`.
"#,
};

pub(super) static OPERANDS: Code = Code {
    name: "E0207",
    title: "operands that do not fit the instruction",
    explanation: r#"# What

There are too many or too few operands, one cannot stand where it stands, or they cannot be read.

# Why

The two dialects have opposite orders, so guessing would turn loads into stores.

# Example

```text
X86 test
…
 MOV $1,[x] ;
```

# Fix

`X86` has the destination first, `MOV [x],$1`; `X86_64` the source, `movq $1,(x)`.
"#,
};

pub(super) static REGISTER: Code = Code {
    name: "E0208",
    title: "not a register, or one that is not supported",
    explanation: r#"# What

A name stands where a register is needed, and is none; or it is `AH`, `RIP` or a flag.

# Why

A bare name is neither a number nor a location; parts of a register above its low bits are not
modelled.

# Example

```text
 MOV EAX,x ;
```

# Fix

Write `[x]` for the location x. Use whole registers or their low parts.
"#,
};

pub(super) static LABEL: Code = Code {
    name: "E0209",
    title: "a label is missing or stands twice",
    explanation: r#"# What

A jump names a label that its thread does not have, or a thread has one label twice.

# Why

A jump goes to exactly one place of its own thread.

# Example

```text
 JMP L1 ;
 L0: NOP ;
```

# Fix

Write the label before an instruction of the same thread: `L1: NOP`.
"#,
};

pub(super) static CONDITION: Code = Code {
    name: "E0210",
    title: "the condition cannot be read",
    explanation: r#"# What

What stands behind the table is not `locations […]`, `filter …` or a condition `exists`, `~exists`
or `forall`, or its parts are not joined properly.

# Why

The condition is what the test asks.

# Example

```text
exists (0:EAX=1 1:EAX=0)
```

# Fix

Join the parts by `/\` and `\/`; each part is `0:EAX=1`, `x=1` or `[x]=1`.
"#,
};

pub(super) static PLACE: Code = Code {
    name: "E0211",
    title: "a register or location is needed",
    explanation: r#"# What

Something else stands where a register of a thread or a location is needed.

# Why

Only those have values in a final state.

# Example

```text
exists (1=x)
```

# Fix

Write the place first: `x=1`, `[x]=1`, `0:EAX=1` or `P0:EAX=1`.
"#,
};

pub(super) static DEPTH: Code = Code {
    name: "E0212",
    title: "a condition nested too deeply",
    explanation: r#"# What

More than 200 parentheses or negations are open at once.

# Why

There is a limit so that no input can exhaust the stack.

# Example

```text
exists ((((… x=1 …))))
```

# Fix

Remove parentheses; chains of `/\` and `\/` need none.
"#,
};

pub(super) static MIXED: Code = Code {
    name: "E0213",
    title: "accesses of different sizes",
    explanation: r#"# What

One location is accessed with different widths, or one register is used with widths other than 32
and 64 bits together, or two registers of one instruction differ in width.

# Why

The models here move whole values between threads. Accesses that overlap in part have outcomes they
cannot describe.

# Example

```text
 movq $1,(x) | movb (x),%al ;
```

# Fix

Use one size for each location.
"#,
};

pub(super) static ADDRESS: Code = Code {
    name: "E0214",
    title: "an address that is computed or used as a value",
    explanation: r#"# What

An address is added to, stored, compared or shown; or a register is used as an address that does not
start with one.

# Why

Which location an access touches must be known from the text.

# Example

```text
 MOV EAX,[EBX+4] ;
```

# Fix

Name the location, `[x]`, or let a register start with its address, `0:EBX=x;`, and use it in
brackets only.
"#,
};

pub(super) static WIDTH: Code = Code {
    name: "E0215",
    title: "a width that differs from the declared one",
    explanation: r#"# What

A location is declared with another width than it is accessed with, or a register has another width
than the suffix of its instruction says. This is a warning.

# Why

The test is taken with the width of the access, which may not be what was meant.

# Example

```text
{ uint64_t x; }
 …
 movl $1,(x) ;
```

# Fix

Declare the width that is used.
"#,
};

pub(super) static UNUSED: Code = Code {
    name: "E0216",
    title: "a place that only the condition names",
    explanation: r#"# What

The condition, the filter or `locations` names a register or location that no instruction and no
initial value mentions. This is a warning.

# Why

It is 0 in every final state; often it is a slip of the pen.

# Example

```text
exists (1:EBX=0)
```

# Fix

Name the place that the instructions use.
"#,
};

pub(super) static THREAD: Code = Code {
    name: "E0217",
    title: "there is no such thread",
    explanation: r#"# What

A register belongs to a thread that the table does not have.

# Why

It can have no value.

# Example

```text
X86 test
{ }
 P0 ;
 NOP ;
exists (1:EAX=0)
```

# Fix

Threads are numbered from 0, as in the head of the table.
"#,
};

pub(super) static UNSUPPORTED: Code = Code {
    name: "E0218",
    title: "a part of the language that is not supported",
    explanation: r#"# What

Arrays, faults, `observed`, and instructions such as `MOVNTI` and `CLFLUSH` are known and not
supported.

# Why

They are outside what the models here describe, or outside what a program here can hold.

# Example

```text
{ int t[2]={0,1}; }
```

# Fix

Use one location for each element of an array; write outcomes as `exists (… \/ …)`.
"#,
};

pub(super) static LOCK: Code = Code {
    name: "E0219",
    title: "a lock prefix where none can be",
    explanation: r#"# What

`LOCK` stands before an instruction that does not read and write memory.

# Why

The processor refuses it, and no instruction without a read and a write can be made atomic by it.

# Example

```text
 LOCK MOV [x],EAX ;
```

# Fix

Use `XCHG [x],EAX` for an atomic store; it is locked without a prefix.
"#,
};
