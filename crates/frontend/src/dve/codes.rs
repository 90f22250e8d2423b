//! The diagnostics of this language: one table. Every page has the headings What, Why, Example and Fix; the tests load
//! the model under Example, which must give the code, and the one under Fix, which must load.

use fencewright_base::Code;

macro_rules! codes {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $title:literal,
        what: $what:literal, why: $why:literal, example: $example:literal, fix: $fix:literal, fixed: $fixed:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $id: Code = Code {
                name: $name,
                title: $title,
                explanation: concat!(
                    "## What\n\n", $what, "\n\n## Why\n\n", $why,
                    "\n\n## Example\n\n```dve\n", $example, "\n```\n\n## Fix\n\n", $fix, "\n\n```dve\n", $fixed, "\n```\n"
                ),
            };
        )*
        /// All of them, in order.
        pub static ALL: &[&Code] = &[$(&$id),*];
    };
}

codes! {
    /// Characters that begin no token.
    STRAY = "E0701", "characters that are no part of the language",
        what: "Some characters begin no name, number, operator or keyword, or a comment is never closed.",
        why: "The text cannot be divided into words there. Templates (`.mdve`) must be expanded first.",
        example: "byte x = 0;\nprocess P { state a; init a; trans a -> a { effect x = $1; }; }\nsystem async;",
        fix: "Remove them, or write what was meant.",
        fixed: "byte x = 0;\nprocess P { state a; init a; trans a -> a { effect x = 1; }; }\nsystem async;";
    /// Something else was expected.
    SYNTAX = "E0702", "something else was expected here",
        what: "The text does not have the shape of a model at this place.",
        why: "The message says what could stand here. The reader goes on behind the transition or declaration, so \
              several such places are reported at once.",
        example: "byte x;\nprocess P { state a; init a; trans a -> a { effect x = 1; guard x == 0; }; }\nsystem async;",
        fix: "Write what is expected. `guard`, `sync` and `effect` stand in this order, each ends with `;`, and \
              transitions are separated by `,`.",
        fixed: "byte x;\nprocess P { state a; init a; trans a -> a { guard x == 0; effect x = 1; }; }\nsystem async;";
    /// A limit on nesting.
    NESTING = "E0703", "nested too deeply",
        what: "An expression is nested more than 200 levels deep.",
        why: "A limit keeps the checker from running out of stack on texts that no person writes.",
        example: "byte x;\nprocess P { state a; init a; trans a -> a { effect x = ----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------1; }; }\nsystem async;",
        fix: "Compute parts of the expression in effects of their own.",
        fixed: "byte x;\nprocess P { state a; init a; trans a -> a { effect x = 1; }; }\nsystem async;";
    /// A number past 32 bits.
    NUMBER = "E0704", "a number is too large",
        what: "A number does not fit in 32 bits.",
        why: "DiVinE computes in 32 bits.",
        example: "byte x;\nprocess P { state a; init a; trans a -> a { effect x = 4294967296; }; }\nsystem async;",
        fix: "Write a smaller number; a `byte` holds 0 to 255, an `int` -32768 to 32767.",
        fixed: "byte x;\nprocess P { state a; init a; trans a -> a { effect x = 1; }; }\nsystem async;";
    /// A name that stands for nothing.
    UNKNOWN = "E0705", "a name that stands for nothing here",
        what: "A variable, state, process or channel is used that is not declared, or a name stands for something else \
               than this place needs.",
        why: "Names are those of the process first, then the global ones; `P.s` needs a process and one of its states, \
              `P->x` a process and one of its variables.",
        example: "process P { state a; init a; trans a -> b { }; }\nsystem async;",
        fix: "Declare it, or write the name that was meant.",
        fixed: "process P { state a, b; init a; trans a -> b { }; }\nsystem async;";
    /// A name declared twice.
    TWICE = "E0706", "a name is declared twice",
        what: "Two variables or channels, two states of a process, or two processes have the same name.",
        why: "It would not be clear which one is meant.",
        example: "byte x;\nint x;\nprocess P { state a; init a; }\nsystem async;",
        fix: "Give one of them another name. A variable of a process may have the name of a global one and hides it.",
        fixed: "byte x;\nint y;\nprocess P { state a; init a; }\nsystem async;";
    /// A part is missing.
    MISSING = "E0707", "a process without states or start, or a model without processes",
        what: "A process needs at least one `state` and an `init`; a model needs at least one process that is not the \
               property.",
        why: "There would be nowhere to be, or nobody.",
        example: "process P { state a; }\nsystem async;",
        fix: "Say where the process starts.",
        fixed: "process P { state a; init a; }\nsystem async;";
    /// Something must be constant.
    CONSTANT = "E0708", "a constant is needed, or must not be changed",
        what: "The size of an array, the capacity of a channel and initial values are computed before the model starts, \
               from numbers and constants; a constant cannot be assigned to.",
        why: "The state must have a fixed size.",
        example: "byte n = 2;\nbyte a[n];\nprocess P { state a; init a; }\nsystem async;",
        fix: "Declare what it is computed from as `const`.",
        fixed: "const byte n = 2;\nbyte a[n];\nprocess P { state a; init a; }\nsystem async;";
    /// A size out of bounds.
    SIZE = "E0709", "an impossible size",
        what: "An array has 1 to 65536 elements, a channel holds at most 1024 messages, a model has at most 128 \
               processes and 65536 elements altogether, and the processes of `system sync` at most 50000 combinations of \
               transitions.",
        why: "Every element is part of every state.",
        example: "byte a[0];\nprocess P { state a; init a; }\nsystem async;",
        fix: "Give it a size within the limits.",
        fixed: "byte a[1];\nprocess P { state a; init a; }\nsystem async;";
    /// An array where a number is needed, or the reverse.
    SHAPE = "E0710", "an array is used as a number, or a number as an array",
        what: "An array must be used with an index, and only an array can have one.",
        why: "There are no values that are arrays.",
        example: "byte a[2];\nprocess P { state s; init s; trans s -> s { guard a == 0; }; }\nsystem async;",
        fix: "Write the index, or leave it out.",
        fixed: "byte a[2];\nprocess P { state s; init s; trans s -> s { guard a[0] == 0; }; }\nsystem async;";
    /// A channel used in different ways.
    CHANNEL = "E0711", "a channel is used in a way that does not fit it",
        what: "All uses of a channel send or receive as many values as it was declared for; a channel without types \
               carries what its first use says. A channel that holds messages must say their types.",
        why: "Sender and receiver move together and pass the values one by one.",
        example: "channel c;\nbyte x;\nprocess P { state a; init a; trans a -> a { sync c!1; }; }\n\
                  process Q { state a; init a; trans a -> a { sync c?; }; }\nsystem async;",
        fix: "Send and receive the same number of values.",
        fixed: "channel c;\nbyte x;\nprocess P { state a; init a; trans a -> a { sync c!1; }; }\n\
                process Q { state a; init a; trans a -> a { sync c?x; }; }\nsystem async;";
    /// A channel in `system sync`.
    SYNCHRONOUS = "E0712", "a channel between processes that move at once",
        what: "`system sync` makes all processes move at once, in lock step; a transition of it uses a channel.",
        why: "DiVinE makes such a transition as if the channel were not there and passes no value, which is hardly what \
              was meant.",
        example: "channel c;\nprocess P { state a; init a; trans a -> a { sync c!; }; }\n\
                  process Q { state a; init a; trans a -> a { sync c?; }; }\nsystem sync;",
        fix: "Leave the channel out, since all processes move together anyway, or write `system async`.",
        fixed: "process P { state a; init a; trans a -> a { }; }\n\
                process Q { state a; init a; trans a -> a { }; }\nsystem sync;";
    /// A property process that changes something.
    PROPERTY = "E0713", "the property process does more than look",
        what: "`system async property P` makes the process P a Büchi automaton that watches the others. It has states and \
               guards; it has no variables, takes part in no rendezvous and assigns nothing.",
        why: "An automaton that changed what it watches would not be a property of the model.",
        example: "byte x;\nprocess P { state a; init a; trans a -> a { }; }\n\
                  process N { state q; init q; accept q; trans q -> q { effect x = 1; }; }\n\
                  system async property N;",
        fix: "Leave it states, `init`, `accept` and guards.",
        fixed: "byte x;\nprocess P { state a; init a; trans a -> a { }; }\n\
                process N { state q; init q; accept q; trans q -> q { guard x == 1; }; }\n\
                system async property N;";
}
