//! The diagnostics of this language: one table. Every page has the headings What, Why, Example and Fix; the tests load
//! the program under Example, which must give the code, and the one under Fix, which must load.

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
                    "\n\n## Example\n\n```rmm\n", $example, "\n```\n\n## Fix\n\n", $fix, "\n\n```rmm\n", $fixed, "\n```\n"
                ),
            };
        )*
        /// All of them, in order.
        pub static ALL: &[&Code] = &[$(&$id),*];
    };
}

codes! {
    /// Characters that begin no token.
    STRAY = "E0101", "characters that are no part of the language",
        what: "Some characters begin no name, number, operator or keyword.",
        why: "The text cannot be divided into words there, so nothing about that place can be understood.",
        example: "forbidden A\ndata x = 0\nprocess registers $r = 0 text A: read: $r := x; assume: $r = 1 & $r = 2",
        fix: "Remove them or write what was meant: `&&`, `||`, `not`, `!=`; registers are `$` and a name.",
        fixed: "forbidden A\ndata x = 0\nprocess registers $r = 0 text A: read: $r := x; assume: $r = 1 && $r = 2";
    /// `/*` without `*/`.
    OPEN_COMMENT = "E0102", "a comment without its end",
        what: "A comment was begun with `/*`, and there is no `*/` behind it.",
        why: "The whole rest of the file would be comment. Comments do not nest: the first `*/` ends one.",
        example: "forbidden A\nprocess text A: nop /* the end",
        fix: "Close the comment, or begin it with `//` if it ends with its line.",
        fixed: "forbidden A\nprocess text A: nop /* the end */";
    /// Something else was expected.
    SYNTAX = "E0103", "something else was expected here",
        what: "The text does not have the shape of a program at this place.",
        why: "The message says which words could stand here and which was found. The reader goes on behind the \
              statement, so several such places are reported at once.",
        example: "forbidden A\ndata x = 0\nprocess text A: write: x = 1",
        fix: "Write what is expected. Often it is a missing `;` between statements, `=` where a value is given (`:=`), \
              or a variable in an expression, which must be read into a register first.",
        fixed: "forbidden A\ndata x = 0\nprocess text A: write: x := 1";
    /// A limit on nesting.
    NESTING = "E0104", "nested too deeply",
        what: "Statements or expressions are nested more than 200 levels deep. The operands of one long sum count, too.",
        why: "A limit keeps the checker from running out of stack on texts that no person writes.",
        example: "forbidden A\nprocess registers $r = 0 text A: $r := ----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------1",
        fix: "Compute parts of the expression into registers, or take inner statements out and reach them with `goto`.",
        fixed: "forbidden A\nprocess registers $r = 0 text A: $r := 1";
    /// Sections missing or in the wrong order.
    SECTION = "E0105", "a section is missing or misplaced",
        what: "A file is `forbidden`, then `predicates` if there are any, then `data` if there are global variables, then \
               the processes; in a process `data` and `registers` come at most once each, before `text`.",
        why: "`forbidden` says what must not happen; without it there is nothing to check. The fixed order tells global \
              `data` from that of a process.",
        example: "data x = 0\nprocess text A: write: x := 1",
        fix: "Bring the sections into order, and begin with `forbidden` and one label (or `*`) per process.",
        fixed: "forbidden A\ndata x = 0\nprocess text A: write: x := 1";
    /// A process without `text`.
    NO_TEXT = "E0106", "a process has no `text`",
        what: "The statements of a process follow the word `text`, and it is missing.",
        why: "The word ends the declarations of the process.",
        example: "forbidden A\nprocess registers $r = 0\n$r := 1",
        fix: "Write `text` before the first statement.",
        fixed: "forbidden A\nprocess registers $r = 0 text\nA: $r := 1";
    /// An impossible number of processes.
    COPIES = "E0107", "an impossible number of processes",
        what: "`process(0)` makes no process, and a program has at most 128.",
        why: "Every process adds its locations, registers and store buffers to every state.",
        example: "forbidden A\nprocess(0) text A: nop",
        fix: "Give a number from 1 to 128, or remove the process.",
        fixed: "forbidden A A\nprocess(2) text A: nop";
    /// `macro` and `endmacro` do not fit.
    MACRO_SHAPE = "E0110", "a macro is not defined properly",
        what: "A definition is `macro name(p, q) … endmacro`, with parentheses even if there is no parameter. Definitions \
               do not nest.",
        why: "Without its `endmacro` a macro would swallow the rest of the file.",
        example: "forbidden A\nmacro step(a) write: x := a\ndata x = 0\nprocess text A: nop",
        fix: "Add what is missing.",
        fixed: "forbidden A\nmacro step(a) write: x := a endmacro\ndata x = 0\nprocess text A: step(1)";
    /// Call of a macro that is not defined above.
    UNKNOWN_MACRO = "E0111", "a call of an unknown macro",
        what: "A name followed by `(` is the call of a macro, and no macro of that name is defined above it.",
        why: "Macros are replaced by their text from the top of the file to its end.",
        example: "forbidden A\nprocess text A: lock(1)",
        fix: "Define the macro, or move its definition above the first use.",
        fixed: "forbidden A\ndata x = 0\nmacro lock(a) cas(x, 0, a) endmacro\nprocess text A: lock(1)";
    /// Wrong number of arguments.
    MACRO_ARGUMENTS = "E0112", "a macro with the wrong number of arguments",
        what: "A macro is called with more or fewer arguments than it has parameters.",
        why: "Every parameter is replaced by one argument. Commas inside brackets of any kind do not separate arguments.",
        example: "forbidden A\ndata x = 0\nmacro set(v) write: x := v endmacro\nprocess text A: set(1, 2)",
        fix: "Give one argument for each parameter.",
        fixed: "forbidden A\ndata x = 0\nmacro set(v) write: x := v endmacro\nprocess text A: set(1)";
    /// Two macros of one name.
    MACRO_TWICE = "E0113", "a macro is defined twice",
        what: "Two macros have one name.",
        why: "A call could mean either.",
        example: "forbidden A\nmacro f() nop endmacro\nmacro f() fence endmacro\nprocess text A: f()",
        fix: "Rename or remove one.",
        fixed: "forbidden A\nmacro f() nop endmacro\nmacro g() fence endmacro\nprocess text A: f(); g()";
    /// A macro in its own expansion.
    MACRO_CYCLE = "E0114", "a macro expands to itself",
        what: "The text of a macro calls the macro again, directly or through others.",
        why: "Calls are replaced by text before the program is read; this replacement would never end.",
        example: "forbidden A\nmacro f() nop; f() endmacro\nprocess text A: f()",
        fix: "Repeat with `while` or `goto` in the program instead.",
        fixed: "forbidden A\nmacro f() nop endmacro\nprocess text A: f(); goto A";
    /// A limit on expansion.
    MACRO_SIZE = "E0115", "macros expand to too much text",
        what: "The calls nest more than 64 deep or produce more than 524288 tokens in all.",
        why: "A few lines of macros that call each other twice can stand for more text than any machine holds.",
        example: "forbidden A\nmacro a(x) x x x x x x x x endmacro\nmacro b(x) a(a(a(x))) endmacro\nprocess text A: b(b(b(b(nop;))))",
        fix: "Write part of the program without macros, or call them less often.",
        fixed: "forbidden A\nmacro a(x) x x x x x x x x endmacro\nprocess text A: a(nop;)";
    /// Declared twice.
    DUPLICATE = "E0120", "a name is declared twice",
        what: "Two global variables, two variables or registers of one process, or two parameters of a macro have one name.",
        why: "Uses of the name could mean either.",
        example: "forbidden A\ndata x = 0 x = 1\nprocess text A: write: x := 1",
        fix: "Rename or remove one. Different processes may use one name.",
        fixed: "forbidden A\ndata x = 0 y = 1\nprocess text A: write: x := 1";
    /// Domain without values.
    EMPTY_RANGE = "E0121", "a domain without values",
        what: "In `[lowest:highest]` the lowest value is above the highest.",
        why: "Nothing could ever be stored there.",
        example: "forbidden A\ndata x = * : [1:0]\nprocess text A: write: x := 1",
        fix: "Swap the bounds.",
        fixed: "forbidden A\ndata x = * : [0:1]\nprocess text A: write: x := 1";
    /// Initial value outside the domain.
    INITIAL = "E0122", "an initial value outside the domain",
        what: "The initial value of a variable or register is not in its domain.",
        why: "A variable holds values of its domain at all times.",
        example: "forbidden A\ndata x = 2 : [0:1]\nprocess text A: write: x := 1",
        fix: "Widen the domain, or start with another value; `*` starts with any value of the domain.",
        fixed: "forbidden A\ndata x = 2 : [0:2]\nprocess text A: write: x := 1";
    /// Unknown variable.
    UNKNOWN_VARIABLE = "E0130", "an unknown variable",
        what: "A location names a variable that is not declared.",
        why: "Variables are declared with their initial value, under `data`.",
        example: "forbidden A\ndata turn = 0\nprocess text A: write: trun := 1",
        fix: "Mend the name, or declare the variable.",
        fixed: "forbidden A\ndata turn = 0\nprocess text A: write: turn := 1";
    /// Unknown register.
    UNKNOWN_REGISTER = "E0131", "an unknown register",
        what: "A register is used that its process does not declare.",
        why: "Registers are declared with their initial value, under `registers` of the process.",
        example: "forbidden A\nprocess registers $r0 = 0 text A: $r1 := 1",
        fix: "Mend the name, or declare the register.",
        fixed: "forbidden A\nprocess registers $r0 = 0 text A: $r0 := 1";
    /// `goto` to a label that does not exist.
    UNKNOWN_LABEL = "E0132", "`goto` to an unknown label",
        what: "No statement of this process has the label.",
        why: "A jump stays inside its process.",
        example: "forbidden A\nprocess text A: nop; goto B",
        fix: "Mend the name, or write the label before the statement that is meant.",
        fixed: "forbidden A\nprocess text A: nop; goto A";
    /// `goto` to a label of several statements.
    AMBIGUOUS_LABEL = "E0133", "`goto` to a label that several statements have",
        what: "The label stands at more than one statement of this process.",
        why: "For `forbidden` that is fine: any of them counts. A jump needs one target.",
        example: "forbidden A\nprocess text A: nop; A: nop; goto A",
        fix: "Give the target a second label of its own and jump to that.",
        fixed: "forbidden A\nprocess text A: B: nop; A: nop; goto B";
    /// Global and per-process variables confused.
    OWNERSHIP = "E0134", "a global variable used as one of a process, or the other way round",
        what: "A variable under the first `data` is global and written `x`. One under the `data` of a process exists once \
               per process and is written `x[my]`, or `x[k]` for the k-th other process.",
        why: "The two are told apart by how they are written.",
        example: "forbidden A\nprocess data flag = 0 text A: write: flag := 1",
        fix: "Write it the way it is declared, or declare it where it belongs.",
        fixed: "forbidden A\nprocess data flag = 0 text A: write: flag[my] := 1";
    /// No such other process.
    NO_SUCH_PROCESS = "E0135", "there is no such process",
        what: "`x[k]` and `other k` mean the k-th *other* process, counted from 0 without this one; `@k` is process k, \
               counted from 0. There are not that many.",
        why: "The number is fixed by the text, so this statement could never be executed.",
        example: "forbidden A A\nprocess(2) data flag = 0 text A: read: flag[1] = 0",
        fix: "Count from 0 and leave the process itself out: with two processes the other one is always 0.",
        fixed: "forbidden A A\nprocess(2) data flag = 0 text A: read: flag[0] = 0";
    /// A pointer in a program without global variables.
    NO_POINTEE = "E0136", "a pointer where there is nothing to point to",
        what: "`[e]` is the e-th global variable, and there is none.",
        why: "The statement would block for ever.",
        example: "forbidden A\nprocess text A: write: [0] := 1",
        fix: "Declare global variables under the first `data`. Those of a process cannot be pointed to.",
        fixed: "forbidden A\ndata x = 0\nprocess text A: write: [0] := 1";
    /// `forbidden` does not fit the processes.
    FORBIDDEN_COUNT = "E0140", "`forbidden` has the wrong number of labels",
        what: "Every alternative of `forbidden` has one label or `*` per process; copies made by `process(n)` count each.",
        why: "The n-th label is a place in the n-th process.",
        example: "forbidden A\nprocess(2) text A: nop",
        fix: "Name one label per process, with `*` for those that do not matter.",
        fixed: "forbidden A *\nprocess(2) text A: nop";
    /// `forbidden` names a label the process does not have.
    FORBIDDEN_LABEL = "E0141", "`forbidden` names a label that the process does not have",
        what: "The label stands at no statement of the process it is meant for.",
        why: "The alternative could never be reached, and the check would say nothing.",
        example: "forbidden CS A\nprocess text CS: nop\nprocess text CS: nop",
        fix: "Mend the name, or label the statement.",
        fixed: "forbidden CS CS\nprocess text CS: nop\nprocess text CS: nop";
    /// What cannot be in `locked`.
    IN_LOCKED = "E0150", "not possible inside `locked`",
        what: "`while`, `goto`, labels and fences cannot stand inside `locked { … }`.",
        why: "The block is one step: nothing can jump into or out of it, it must end, and a fence inside would order \
              nothing, since the block acts on memory directly.",
        example: "forbidden A\ndata x = 0\nprocess text A: locked { read: x = 0; goto A }",
        fix: "Take the statement out of the block.",
        fixed: "forbidden A\ndata x = 0\nprocess text A: locked { read: x = 0 }; goto A";
    /// Too many ways through a `locked` block.
    LOCKED_SIZE = "E0151", "too many ways through a `locked` block",
        what: "Every way through the choices of a `locked` block becomes a step of its own, and together they have more \
               than 65536 operations.",
        why: "Choices one after another multiply.",
        example: "forbidden A\nmacro two(s) s s endmacro\nmacro all(s) two(two(two(two(s)))) endmacro\nprocess text A: locked { all(either { nop or assume: 0 = 1 };) }",
        fix: "Compute with expressions instead of choices, or use several blocks.",
        fixed: "forbidden A\nprocess text A: locked { either { nop or assume: 0 = 1 }; nop }";
    /// Not the user's mistake.
    INTERNAL = "E0199", "internal error",
        what: "The front end built a program that is not well-formed. This is a mistake of the tool, not of the text.",
        why: "Every program is checked before it is used, so that no wrong answer comes of it.",
        example: "forbidden A\nprocess text A: nop",
        fix: "Please report it, with the text. Nothing is known to give this code, so the example does not.",
        fixed: "forbidden A\nprocess text A: nop";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rmm::testing::load;

    #[test]
    fn names_are_in_order_and_of_this_language() {
        let names: Vec<&str> = ALL.iter().map(|code| code.name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        assert!(names.iter().all(|name| name.starts_with("E01") && name.len() == 5), "{names:?}");
    }

    #[test]
    fn examples_give_their_code_and_fixes_load() {
        for code in ALL {
            let blocks: Vec<&str> = code.explanation.split("```").collect();
            let [_, example, _, fixed, _] = blocks[..] else { panic!("{}: not two blocks", code.name) };
            let [example, fixed] = [example, fixed].map(|block| block.strip_prefix("rmm\n").unwrap());
            if code != &&INTERNAL {
                let problems = load(example).map(|_| ()).expect_err(code.name);
                assert!(
                    problems.iter().all(|problem| problem.starts_with(code.name)),
                    "{}: {problems:?}",
                    code.name
                );
            }
            assert_eq!(load(fixed).map(|_| ()), Ok(()), "{}", code.name);
        }
    }
}
