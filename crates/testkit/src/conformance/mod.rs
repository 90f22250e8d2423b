//! The suite that every engine inherits: toy programs with literal expectations, asked through the gate.
//!
//! An engine's crate writes `fencewright_testkit::conformance!(Explicit);` in its tests and gets one test for each
//! function below. Each expectation has its reason beside it; none was taken from an engine's output.

mod budgets;
mod buffers;
mod counts;
mod language;
mod litmus;
mod properties;

pub use budgets::*;
pub use buffers::*;
pub use counts::*;
pub use language::*;
pub use litmus::*;
pub use properties::*;

use fencewright_base::Meter;
use fencewright_engine::{Answer, Context, Engine, Guarantee, Options, Task, Verdict, run};
use fencewright_ir::Program;
use fencewright_memory::Model;

/// A test for each program of the suite, for this engine.
#[macro_export]
macro_rules! conformance {
    ($engine:expr) => {
        $crate::conformance_tests! { $engine;
            store_buffering message_passing load_buffering coherence two_plus_two_writes
            dekker_needs_its_fences independent_reads
            full_fences_restore_store_buffering store_store_fences_restore_message_passing_only
            locked_writes_of_both_strengths
            blocking_read_is_one_step ranges_block machine_integers_wrap pointers_block indices_fault
            division_faults assertions_fail havoc_tries_every_value open_values_are_all_tried
            integers_past_64_bits several_operations_in_one_step local_loops_do_not_hide_others
            invariants_see_every_state final_conditions filters forbidden_locations_and_labels
            no_property_holds
            slot_destroys_older_writes unbounded_buffers_are_never_proved long_buffers_are_followed
            early_reads_of_own_writes
            one_writer_counts two_writers_counts fences_counts
            a_state_budget_ends_in_unknown a_memory_budget_ends_in_unknown a_time_budget_ends_in_unknown
            cancelling_ends_in_unknown an_endless_domain_is_unsupported
        }
    };
}

/// The tests of [`conformance!`](crate::conformance), one a name.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($engine:expr; $($name:ident)*) => { $(
        #[test]
        fn $name() {
            $crate::conformance::$name(&$engine);
        }
    )* };
}

/// What is expected of a program under SC, TSO, PSO and Slot, in that order: `h` holds, with buffers of any length;
/// `v` is violated.
fn expect(engine: &dyn Engine, program: &Program, expected: &str) {
    let found: String =
        Model::OPERATIONAL.iter().map(|&model| letter(&ask(engine, program, model, None).verdict)).collect();
    assert_eq!(found, expected, "{} under sc, tso, pso, slot", program.name);
}

/// `h`: holds, proved; `b`: holds up to a bound; `v`: violated; `?`: unknown.
fn letter(verdict: &Verdict) -> char {
    match verdict {
        Verdict::Holds(Guarantee::Unbounded) => 'h',
        Verdict::Holds(Guarantee::UpTo(_)) => 'b',
        Verdict::Violated(_) => 'v',
        Verdict::Unknown(_) => '?',
    }
}

/// The answer, through the gate: a violation has been replayed.
fn ask(engine: &dyn Engine, program: &Program, model: Model, buffer: Option<usize>) -> Answer {
    ask_with(engine, program, model, Options { buffer, ..Options::default() }, Meter::unlimited())
}

fn ask_with(engine: &dyn Engine, program: &Program, model: Model, options: Options, meter: Meter) -> Answer {
    let task = Task { program, model, options };
    run(engine, &task, &mut Context::quiet(meter)).unwrap_or_else(|rejected| panic!("{rejected}"))
}

#[cfg(test)]
mod tests {
    /// The list in the macro and the functions of the suite are the same names.
    #[test]
    fn every_program_of_the_suite_is_in_the_macro() {
        let listed = include_str!("mod.rs").split("$engine;").nth(1).and_then(|rest| rest.split('}').next());
        let mut listed: Vec<&str> = listed.expect("the macro has a list").split_whitespace().collect();
        let files = [
            include_str!("litmus.rs"),
            include_str!("language.rs"),
            include_str!("properties.rs"),
            include_str!("buffers.rs"),
            include_str!("counts.rs"),
            include_str!("budgets.rs"),
        ];
        let name = |line: &'static str| line.strip_prefix("pub fn ")?.split('(').next();
        let mut written: Vec<&str> = files.iter().flat_map(|file| file.lines()).filter_map(name).collect();
        listed.sort_unstable();
        written.sort_unstable();
        assert_eq!(listed, written);
    }
}
