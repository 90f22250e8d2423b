//! The diagnostics of C, C++ and Rust as texts: one table. What is wrong with the program itself the compiler says, or
//! the folder `llvm`.

use fencewright_base::Code;

/// Read without a compiler.
pub static UNCOMPILED: Code = Code {
    name: "E0501",
    title: "the language needs a compiler",
    explanation: "## What\n\nA C, C++ or Rust text was given to the reader of texts.\n\n## Why\n\nWhat such a program \
        does is decided by its compiler: the tool reads the LLVM IR that clang or rustc makes of the text.\n\n## \
        Example\n\nUsing the library's `load` on `peterson.c`.\n\n## Fix\n\nRun the command line, which runs the \
        compiler; or compile with `clang -S -emit-llvm -O0 -g` or `rustc --emit=llvm-ir -g` and load the `.ll` file.\n",
};

/// Too much text.
pub static TOO_LARGE: Code = Code {
    name: "E0502",
    title: "the text is too large",
    explanation: "## What\n\nThe file has more than 8 MiB.\n\n## Why\n\nThe text is parsed to find where fences can be \
        written, and the tree takes a hundred times the room of the text.\n\n## Example\n\nA file that a program \
        wrote, or one with its headers already included.\n\n## Fix\n\nGive the file a person wrote, or compile it \
        and give the `.ll` file.\n",
};

/// The compiler does not take the text with calls in it.
pub static NO_PLACES: Code = Code {
    name: "E0503",
    title: "no fence will be proposed in a part of the file",
    explanation: "## What\n\nA warning: in some lines or functions no place for a fence is known.\n\n## Why\n\nPlaces \
        for fences are found by compiling the text with a call at each of them. The compiler takes the text as it is, \
        but not with calls there, or makes another program of it: most often a macro or a directive hides what a statement \
        is. `fix` says so; what is checked is the text as it stands, and a repair has to do without fences in those parts.\n\n## Example\n\n```c\n#define BEGIN {\n#define END \
        }\n```\n\n## Fix\n\nWrite the part without the macro, or put fences there by hand.\n",
};

/// All of them, in order.
pub static ALL: &[&Code] = &[&UNCOMPILED, &TOO_LARGE, &NO_PLACES];
