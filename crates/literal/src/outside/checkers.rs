//! Functions that programs for verification tools call: assertions, assumptions, open values, atomic sections. The names are
//! those of SV-COMP, CBMC, ESBMC, GenMC, Nidhugg and similar tools.

use super::{Arguments, Done, Outside, is_used, refuse, zero};
use crate::control::int_like;
use crate::event::What;
use crate::layout::{Kind, Shape};
use crate::machine::{Flow, Run};
use crate::open::OpenInts;
use crate::state::{Part, Then};
use crate::value::{Scalar, Value, mask, sign_extend};
use crate::violation::{Fault, Halt, Use};

/// If open integers are tried in turn, ranges up to this size are tried completely.
const SMALL: i128 = 256;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    if let Some(known) = in_spite_of_body(name) {
        return Some(known);
    }
    Some(match name {
        "_ZSt21__glibcxx_assert_failPKciS0_S0_" => |run, a| {
            let text = super::bytes::text(run, a.scalar(3)).ok().flatten();
            let text = text.map(|text| String::from_utf8_lossy(&text).into_owned());
            Err(run.fault(Fault::Assertion(text)))
        },
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => |run, a| {
            let argument = if a.name == "__assert_rtn" { 3 } else { 0 };
            let text = super::bytes::text(run, a.scalar(argument)).ok().flatten();
            let text = text.map(|text| String::from_utf8_lossy(&text).into_owned());
            Err(run.fault(Fault::Assertion(text)))
        },
        "abort"
        | "__builtin_trap"
        | "llvm.trap"
        | "__cxa_pure_virtual"
        | "_ZSt9terminatev"
        | "__stack_chk_fail"
        | "__chk_fail"
        | "llvm.ubsantrap"
        | "__clang_call_terminate" => fail,
        // A function declared but never defined: its header is missing.
        "assert"
        | "__VERIFIER_assert"
        | "__CPROVER_assert"
        | "__CPROVER_precondition"
        | "__CPROVER_postcondition"
        | "__ESBMC_assert"
        | "nidhugg_assert"
        | "assert_" => |run, a| {
            let holds = a.truth(run, 0)?;
            if holds { Ok(Done::ReturnsInt(0)) } else { Err(run.fault(Fault::Assertion(None))) }
        },
        "__CPROVER_assume"
        | "__ESBMC_assume"
        | "assume"
        | "__VERIFIER_assume_abort_if_not"
        | "__builtin_assume" => assume,
        "__CPROVER_atomic_begin" | "__ESBMC_atomic_begin" | "__ESBMC_really_atomic_begin" => atomic_begin,
        "__CPROVER_atomic_end" | "__ESBMC_atomic_end" | "__ESBMC_really_atomic_end" => atomic_end,
        "__ESBMC_yield" => zero,
        // Hints for a search, and values to show. They have no effect; the program has already computed their arguments.
        "__CPROVER_input"
        | "__CPROVER_output"
        | "__CPROVER_cover"
        | "__VERIFIER_spin_start"
        | "__VERIFIER_spin_end"
        | "__VERIFIER_loop_begin"
        | "__VERIFIER_loop_bound"
        | "__VERIFIER_local_write"
        | "__VERIFIER_final_write"
        | "__VERIFIER_helping_CAS"
        | "__VERIFIER_helped_CAS"
        | "__VERIFIER_optional" => annotation,
        _ if is_open(name) => open_value,
        _ => return None,
    })
}

/// Functions whose name fixes their meaning, whatever body the program gives them.
pub(super) fn in_spite_of_body(name: &str) -> Option<Outside> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" | "__VERIFIER_fail" => fail,
        "__VERIFIER_assume" | "assume_abort_if_not" => assume,
        "__VERIFIER_atomic_begin" => atomic_begin,
        "__VERIFIER_atomic_end" => atomic_end,
        // In Rust it is a function of the crate, so its mangled name contains the crate's.
        _ if name.contains("__fencewright_site") => |run, a| {
            let number = a.int(run, 0)? as u32;
            Ok(match run.place(number)? {
                Flow::Stop => Done::Waits,
                _ => Done::Returns(None),
            })
        },
        _ if name.starts_with("__VERIFIER_atomic_") => atomic_function,
        _ if is_panic(name) => panic,
        _ if is_without_effect(name) => super::zero,
        _ => return None,
    })
}

/// Whether it is a function of Rust's library whose effects no program can observe, but which would multiply the states.
fn is_without_effect(name: &str) -> bool {
    if !name.starts_with("_R") && !name.starts_with("_ZN3std") {
        return false;
    }
    let path = fencewright_llvm::names::readable(name).replace(['<', '>'], "");
    // These give each thread a stack for the handler that reports stack overflows, under a lock. No stack overflows here.
    path.strip_prefix("std::sys::pal::unix::stack_overflow::imp::")
        .is_some_and(|function| ["make_handler", "drop_handler"].contains(&function))
        // A channel that waits counts its attempts without bound, to spin longer each time.
        || path
            .strip_prefix("std::sync::mpmc::utils::Backoff::")
            .is_some_and(|function| ["spin_light", "spin_heavy"].contains(&function))
}

/// Whether a panic of Rust begins here. Printing the message and ending the process are skipped.
fn is_panic(name: &str) -> bool {
    if !name.starts_with("_ZN") && !name.starts_with("_R") {
        return false;
    }
    let path = fencewright_llvm::names::readable(name);
    path.starts_with("core::panicking::panic")
        || path.starts_with("core::panicking::assert_failed")
        || path.starts_with("std::panicking::begin_panic")
        || matches!(
            &path[..],
            "core::option::unwrap_failed" | "core::option::expect_failed" | "core::result::unwrap_failed"
        )
        || path.starts_with("core::cell::panic_already")
        || path.starts_with("core::slice::index::slice_") && path.ends_with("_fail")
}

fn panic(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let path = fencewright_llvm::names::readable(a.name);
    let is_text = matches!(
        &path[..],
        "core::panicking::panic" | "core::option::expect_failed" | "core::result::unwrap_failed"
    );
    let length = a.scalar(1);
    let mut text = None;
    if is_text && length.is_set() && length.bits < 1_000 {
        text = super::bytes::known_text(run, a.scalar(0), length.bits);
    }
    let text = text.or_else(|| fencewright_llvm::names::panic_reason(&path).map(str::to_owned));
    Err(run.fault(Fault::Panic(text)))
}

/// Whether the argument is the condition of an assertion or an assumption.
pub(super) fn is_condition(name: &str, place: usize) -> bool {
    let is_it = |word: &str| name.contains(word);
    let states = is_it("assume") || is_it("assert") || name.starts_with("__CPROVER_p") && is_it("condition");
    place == 0 && !name.ends_with("_fail") && states
}

/// Functions that return an open value, by their name.
fn is_open(name: &str) -> bool {
    [
        "__VERIFIER_nondet_",
        "__VERIFIER_nondet",
        "nondet_",
        "__nondet_",
        "__CPROVER_nondet_",
        "__ESBMC_nondet_",
        "unknown_",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || matches!(
            name,
            "nondet"
                | "unknown"
                | "__nondet"
                | "klee_int"
                | "klee_range"
                | "__VERIFIER_choose"
                | "random_int"
        )
}

fn fail(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    Err(run.fault(Fault::Abort(fencewright_llvm::names::readable(a.name))))
}

/// It does nothing and gives nothing.
fn annotation(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    match is_used(run) {
        true => Err(refuse(run, a, "the value of an annotation")),
        false => zero(run, a),
    }
}

fn assume(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    if a.truth(run, 0)? { Ok(Done::Returns(None)) } else { Err(Halt::Infeasible) }
}

/// No other thread acts between the beginning and the end. The thread's earlier writes have reached memory.
fn atomic_begin(run: &mut Run<'_, '_, '_>, _: &Arguments<'_>) -> Result<Done, Halt> {
    if !enter(run)? {
        return Ok(Done::Waits);
    }
    Ok(Done::Returns(None))
}

fn enter(run: &mut Run<'_, '_, '_>) -> Result<bool, Halt> {
    match run.state.process.atomic {
        Some((holder, depth)) if holder == run.thread => {
            Part::edit(&mut run.state.process).atomic = Some((holder, depth + 1));
        }
        _ => {
            if !run.waits_for_writes()? || run.concurrent && !run.may_act {
                return Ok(false);
            }
            run.act();
            Part::edit(&mut run.state.process).atomic = Some((run.thread, 1));
        }
    }
    Ok(true)
}

fn atomic_end(run: &mut Run<'_, '_, '_>, _: &Arguments<'_>) -> Result<Done, Halt> {
    run.leave_atomic();
    Ok(Done::Returns(None))
}

/// A function that is atomic by its name: its body is an atomic section.
fn atomic_function(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let program = run.machine.program;
    let function = (0..program.modules().len())
        .filter_map(|module| program.function_number(module, a.name).ok())
        .find(|number| program.function_body(*number).is_some())
        .ok_or_else(|| run.refuse(crate::refusal::Refusal::unknown_function(a.name)))?;
    if !enter(run)? {
        return Ok(Done::Waits);
    }
    run.push(function, a.args.to_vec(), Then::Atomic)?;
    Ok(Done::Entered)
}

impl Run<'_, '_, '_> {
    /// The innermost atomic section ends.
    pub(crate) fn leave_atomic(&mut self) {
        let process = Part::edit(&mut self.state.process);
        process.atomic = match process.atomic {
            Some((holder, depth)) if depth > 1 => Some((holder, depth - 1)),
            _ => None,
        };
    }

    /// Any integer of `bits` bits.
    pub(crate) fn any_int(&mut self, bits: u32, signed: bool) -> Scalar {
        let modulus = 1i128 << bits;
        let (low, high) = if signed { (-modulus / 2, modulus / 2 - 1) } else { (0, modulus - 1) };
        self.any_between(low, high, bits)
    }

    /// Any integer between the two, of `bits` bits.
    pub(crate) fn any_between(&mut self, low: i128, high: i128, bits: u32) -> Scalar {
        let value = match self.machine.settings.open.clone() {
            OpenInts::Followed | OpenInts::Recorded if low < high => {
                return self.open_between(low, high, None, bits);
            }
            OpenInts::Given(values) if low < high => {
                self.given(&values, u64::try_from(high - low + 1).unwrap_or(u64::MAX))
            }
            _ if high - low < SMALL => {
                (low + i128::from(self.choices.choose((high - low + 1) as u32))) as u64
            }
            _ => {
                self.notes.partly.values = true;
                let telling: Vec<i64> = (self.machine.telling.iter().copied())
                    .filter(|number| (low..=high).contains(&i128::from(*number)))
                    .collect();
                match telling.get(self.choices.choose(telling.len().max(1) as u32) as usize) {
                    Some(number) => *number as u64,
                    None => low as u64,
                }
            }
        };
        let value = value & mask(bits);
        self.tell(What::Chooses(value, bits));
        Scalar::int(value)
    }

    /// Any address. It stays open until it is used; then it is null or the address of an object of its own. Other addresses are
    /// not tried.
    pub(crate) fn any_pointer(&mut self) -> Result<Scalar, Halt> {
        const SIZE: u64 = 256;
        let tried = self.machine.settings.open == OpenInts::Tried;
        self.notes.partly.values |= tried;
        if tried && self.choices.choose(2) == 0 {
            return Ok(Scalar::int(0));
        }
        let address = self.allocate(SIZE, 16, u32::MAX - 3)?;
        if let Some(object) = self.state.edit(address.of) {
            object.unset = Vec::new();
        }
        Ok(match self.machine.settings.open.clone() {
            OpenInts::Tried => address,
            OpenInts::Followed | OpenInts::Recorded => {
                self.open_between(0, u64::MAX.into(), Some(address.bits), 64)
            }
            OpenInts::Given(values) => Scalar::int(self.given(&values, u64::MAX)),
        })
    }
}

/// Whether an argument is the address of memory that can be written.
fn may_be_written(run: &Run<'_, '_, '_>, value: &Value, shape: &Shape) -> bool {
    let is_address = matches!(shape, Shape::Scalar(Kind::Pointer, _));
    is_address && value.as_scalar().is_none_or(|scalar| scalar.of.is_some() && !run.is_constant(scalar.of))
}

/// An open value. A truth value is 0 or 1.
fn open_value(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let name = a.name.to_ascii_lowercase();
    if a.args.iter().any(|(value, shape)| may_be_written(run, value, shape)) {
        return Err(refuse(run, a, "an open value that may be meant for memory"));
    }
    let Some(shape) = a.ret else { return Ok(Done::Returns(None)) };
    if name.ends_with("bool") {
        let value = run.choices.choose(2);
        run.tell(What::Chooses(value.into(), 1));
        return Ok(Done::Returns(Some(int_like(a.ret, value.into()))));
    }
    if a.name == "klee_range" {
        let (low, high) = (a.int(run, 0)?, a.int(run, 1)?);
        let (low, high) = (sign_extend(low, 32), sign_extend(high, 32));
        if high <= low {
            return Err(run.fault(Fault::Unset(Use::Argument)));
        }
        return Ok(Done::Returns(Some(run.any_between(low.into(), i128::from(high) - 1, 32).into())));
    }
    Ok(Done::Returns(Some(match &**shape {
        Shape::Scalar(Kind::Int(bits), _) if *bits <= 64 => {
            let unsigned =
                ["uint", "uchar", "ushort", "ulong", "unsigned", "size", "u8", "u16", "u32", "u64"];
            Value::Scalar(run.any_int(*bits, !unsigned.iter().any(|word| name.contains(word))))
        }
        _ => run.any_value(shape)?,
    })))
}
