//! The diagnostics of formulae: one table. `explain CODE` shows a row; a test sees to it that each is given by some
//! formula.

use fencewright_base::Code;

/// All of them, in order.
pub(super) const ALL: &[&Code] = &[&CHARACTER, &SYNTAX, &NAME, &KIND, &DEPTH];

pub(super) static CHARACTER: Code = Code {
    name: "E0801",
    title: "a character that no formula is made of",
    explanation: r#"# What

A character, or a quote without its end, that means nothing in a formula.

# Why

Skipping it would change what the formula says.

# Example

```text
G (x == 1; y == 1)
```

# Fix

Remove it. Operators are `G F X U R W M`, `[] <>`, `! && || -> <->`, `not and or`, comparisons and `+ - * / %`; a name
with other characters stands in double quotes.
"#,
};

pub(super) static SYNTAX: Code = Code {
    name: "E0802",
    title: "something else is expected here",
    explanation: r#"# What

The formula ends too early, goes on after its end, or has a word where another kind of word must stand.

# Why

There is more than one way to mend it, and they mean different things.

# Example

```text
G (P0.wait -> F)
```

# Fix

Write what is expected at the place shown. `G`, `F` and `X` stand before what they speak of; `U`, `R`, `W` and `M` between
two formulae.
"#,
};

pub(super) static NAME: Code = Code {
    name: "E0803",
    title: "the program has no such name",
    explanation: r#"# What

A formula names a variable, thread, register or label that the program does not have, or an element outside its array.

# Why

A condition about nothing would be true or false for no reason.

# Example

```text
G (P0.Critical -> flag == 1)
```

# Fix

Variables are written `x` or `a[2]`, registers `P0:$r`, and `P0.CS` says that thread P0 stands at the label CS; `P0.end`
says that it has ended. `fencewright export --to ir FILE` shows all names of a program.
"#,
};

pub(super) static KIND: Code = Code {
    name: "E0804",
    title: "a formula where a number is needed",
    explanation: r#"# What

An operand of a comparison or of arithmetic is a formula: it has a temporal operator or a connective in it.

# Why

A formula is true or false of a whole execution; it is no number.

# Example

```text
(F x) == 1
```

# Fix

Put the comparison inside: `F (x == 1)`.
"#,
};

pub(super) static DEPTH: Code = Code {
    name: "E0805",
    title: "a formula nested too deeply",
    explanation: r#"# What

Operators or parentheses are nested more than 100 deep.

# Why

Nobody means such a formula, and reading it takes memory without bound.

# Example

A hundred and one times `X`.

# Fix

Write a smaller formula; several properties are given with several `--ltl`.
"#,
};
