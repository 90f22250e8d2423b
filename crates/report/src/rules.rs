//! The rules that results in SARIF name. Their pages are shown by `explain`, as those of diagnostics are; the numbers keep
//! their meaning.

use fencewright_base::Code;

/// The properties of the program hold under the memory model.
pub(crate) static PROPERTY: Code = Code {
    name: "R0001",
    title: "the program's properties hold under the memory model",
    explanation: "\
What: every execution of the program under the memory model keeps its properties and assertions. A result of kind `pass` is
a proof for store buffers of any length. `fail` comes with the execution that breaks a property. `open` means that neither
was found within the limits, or that no violation was found within bounds only, which is no proof.

Why: processors let writes wait in store buffers, so code that is right when instructions take effect in the order of the
text can be wrong.

Fix: `fencewright fix` finds the fewest fences that repair the program. If it is violated under sequential consistency
too, no fence can help: the program itself must be changed.",
};

/// A fence is missing.
pub(crate) static MISSING_FENCE: Code = Code {
    name: "R0002",
    title: "a fence is needed here",
    explanation: "\
What: the program breaks a property under the memory model, and a fence (or an atomic write) at this place is part of its
cheapest repair. The execution shown is one that is possible if all other parts of the repair are in place and this one is
not.

Why: a write of the thread can wait in its store buffer past what comes later in the text.

Fix: the result carries the change of the file. All results of one file and model make one repair: each of them is needed,
and together they are proved.",
};

/// A fence that is there is not needed.
pub(crate) static UNNEEDED_FENCE: Code = Code {
    name: "R0003",
    title: "a fence is not needed",
    explanation: "\
What: without this fence the (repaired) program is still proved.

Why: a fence costs time whenever it is passed.

Fix: the result carries a change that removes the fence where that can be written. Each fence was tried alone: if two are
reported, they may stand in for each other. Remove one and ask again.",
};

/// All rules, in the order of their numbers.
pub static RULES: &[&Code] = &[&PROPERTY, &MISSING_FENCE, &UNNEEDED_FENCE];
