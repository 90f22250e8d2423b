//! What is wrong with an execution of the literal machine, in a sentence: who does what, where, to what.

use fencewright_engine_literal::replay::Execution;
use fencewright_literal::event::{Event, What};
use fencewright_literal::machine::places;
use fencewright_literal::object::ObjectKind;
use fencewright_literal::refusal::Place;
use fencewright_literal::state::{State, Status};
use fencewright_literal::value::ObjectId;
use fencewright_literal::violation::{Fault, Use, Violation};
use fencewright_llvm::module::BinOp;
use fencewright_report::literal::LiteralPlace;

use super::names::Names;
use super::story::{Teller, freed_by, short};

/// A violation in words.
pub(super) struct Told {
    /// All of it.
    pub(super) sentence: String,
    /// What is not said by the row that it stands in.
    pub(super) in_row: String,
    /// Where it is.
    pub(super) place: Option<LiteralPlace>,
}

impl Teller<'_> {
    /// The violation in a sentence.
    pub(super) fn message(
        &self,
        names: &Names<'_>,
        execution: &Execution,
        violation: &Violation,
        is_spoiled: bool,
        several_files: bool,
    ) -> Told {
        let Some(state) = execution.performed.last().map(|done| &done.after) else {
            let sentence = "the program fails before it does anything".to_owned();
            return Told { in_row: sentence.clone(), sentence, place: None };
        };
        let at = |chain: &[Place]| match self.find(chain) {
            Some(found) if several_files => format!(" at {}", short(&found.place)),
            Some(found) => format!(" at line {}", found.place.line),
            None => String::new(),
        };
        let quoted = |chain: &[Place]| match self.find(chain) {
            Some(found) if !found.text.is_empty() => format!(" ({})", found.text),
            _ => String::new(),
        };
        let here = format!("{}{}", at(&violation.places), quoted(&violation.places));
        let place = self.find(&violation.places).map(|found| found.place);
        let who = names.thread(violation.thread);
        let whole = |id: ObjectId| names.whole(state, id);
        let freed = |id: ObjectId| match freed_by(execution, id) {
            Some(event) => format!("; {} freed it{}", names.thread(event.thread), at(&event.places)),
            None => String::new(),
        };
        let (what, more) = match &violation.fault {
            Fault::Assertion(text) => {
                let at = at(&violation.places);
                let shown = text.as_ref().map(|text| format!(" ({text})"));
                let shown = shown.unwrap_or_else(|| quoted(&violation.places));
                let in_row = text.as_ref().map(|text| format!("the assertion fails: {text}"));
                let in_row = in_row.unwrap_or_else(|| "the assertion fails".to_owned());
                return Told { sentence: format!("{who}'s assertion fails{at}{shown}"), in_row, place };
            }
            Fault::Panic(Some(text)) => ("panics".to_owned(), format!(": {text}")),
            Fault::Panic(None) => ("panics".to_owned(), String::new()),
            Fault::Abort(name) => (format!("calls `{name}`"), String::new()),
            Fault::UncaughtException => ("throws an exception that nobody catches".to_owned(), String::new()),
            Fault::Unreachable => {
                let what = "reaches code that the compiler was promised is never reached";
                (what.to_owned(), String::new())
            }
            Fault::Null => ("uses a null pointer".to_owned(), String::new()),
            Fault::Wild(address) => {
                (format!("uses the address {address:#x}, at which there is nothing"), String::new())
            }
            Fault::OutOfBounds { object, offset, size, of } => {
                let unit = |n: u64| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
                let more = format!(": {} at offset {offset}, but it has {}", unit(*size), unit(*of));
                (format!("accesses {} outside its bounds", whole(*object)), more)
            }
            Fault::Freed(id) => (format!("uses {} after it was freed", whole(*id)), freed(*id)),
            Fault::Gone(id) => {
                let is_of_thread =
                    state.object(*id).is_some_and(|object| object.kind == ObjectKind::ThreadLocal);
                let why = if is_of_thread { "that thread has ended" } else { "its function has returned" };
                (format!("uses {} after {why}", whole(*id)), String::new())
            }
            Fault::DoubleFree(id) => (format!("frees {} a second time", whole(*id)), freed(*id)),
            Fault::BadFree(_) => ("frees what was not allocated".to_owned(), String::new()),
            Fault::Constant(id) => (format!("writes to {}, which is constant", whole(*id)), String::new()),
            Fault::Misaligned(_) => {
                ("makes an atomic access at an address that is not aligned".to_owned(), String::new())
            }
            Fault::NotAFunction(_) => ("calls what is no function".to_owned(), String::new()),
            Fault::Unset(used) => {
                let how = match used {
                    Use::Branch => "decides by",
                    Use::Address => "uses as an address",
                    Use::Argument => "passes on",
                    Use::Divisor => "divides by",
                };
                if let Some((event, (kind, detail))) = spoiling(execution).filter(|_| is_spoiled) {
                    let there = format!("{}{}", at(&event.places), quoted(&event.places));
                    let sentence = format!(
                        "{kind} in {}{there}: {detail}; {who} {how} the result{here}",
                        names.thread(event.thread)
                    );
                    let place = self.find(&event.places).map(|found| found.place);
                    let in_row = format!("{how} the result of the {kind}{}", at(&event.places));
                    return Told { sentence, in_row, place };
                }
                (format!("{how} a value that was never set"), String::new())
            }
            Fault::DivisionByZero => ("divides by zero".to_owned(), String::new()),
            Fault::DivisionOverflow => {
                ("divides the smallest number by -1, which overflows".to_owned(), String::new())
            }
            Fault::Lock(what) => ((*what).to_owned(), String::new()),
            Fault::Deadlock => {
                let waiting = self.waiting(state, names, &at, &quoted);
                let sentence = format!("deadlock: nobody can go on; waiting: {waiting}");
                return Told { in_row: sentence.clone(), sentence, place: None };
            }
        };
        Told { sentence: format!("{who} {what}{here}{more}"), in_row: format!("{what}{more}"), place }
    }

    /// Who has not ended, and where they stand.
    fn waiting(
        &self,
        state: &State,
        names: &Names<'_>,
        at: &dyn Fn(&[Place]) -> String,
        quoted: &dyn Fn(&[Place]) -> String,
    ) -> String {
        let stands = |number: usize| {
            let chain = places(state, number);
            format!("{}{}{}", names.thread(number), at(&chain), quoted(&chain))
        };
        let left = (state.threads.iter().enumerate()).filter(|(_, thread)| thread.status != Status::Ended);
        fencewright_report::listing(left.map(|(number, _)| stands(number)))
    }
}

/// The last operation without a result, what is wrong with it in a word, and in full.
fn spoiling(execution: &Execution) -> Option<(&Event, (&'static str, String))> {
    let events = execution.performed.iter().flat_map(|done| &done.events);
    let mut spoiling = events.filter_map(|event| match event.what {
        What::Spoils { op, width, a, b } => Some((event, spoiled_text(op, width, a, b))),
        _ => None,
    });
    spoiling.next_back()
}

/// Why an operation on two set values has no result, in a word, and in full.
pub(super) fn spoiled_text(op: BinOp, width: u32, a: i64, b: i64) -> (&'static str, String) {
    let signed = |name: &str, sign: &str| {
        ("signed overflow", format!("the {name} {a} {sign} {b} does not fit into {width} bits"))
    };
    match op {
        BinOp::Add => signed("sum", "+"),
        BinOp::Sub => signed("difference", "-"),
        BinOp::Mul => signed("product", "*"),
        BinOp::Shl | BinOp::LShr | BinOp::AShr if b < 0 || b >= i64::from(width) => {
            ("shift out of range", format!("{a} is shifted by {b}, where there are {width} bits"))
        }
        BinOp::Shl => ("overflow", format!("{a} shifted left by {b} does not fit into {width} bits")),
        // The compiler promises these of its own operations only.
        BinOp::LShr | BinOp::AShr => ("inexact shift", format!("{a} shifted right by {b} loses bits")),
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
            ("inexact division", format!("{a} divided by {b} leaves a rest"))
        }
        BinOp::And | BinOp::Or | BinOp::Xor => {
            ("overlapping bits", format!("{a} and {b} have bits in common"))
        }
    }
}
