//! Campaigns: readings that agree find nothing, and a bug that is planted in one is found and shrunk.

use std::time::Duration;

use fencewright_generator::allowed::{Allowed, Answer, Subject};
use fencewright_generator::campaign::{Plan, Runs, against_processor, compare};
use fencewright_generator::lowered::Lowered;
use fencewright_generator::{Language, Shape};
use fencewright_memory::Model;

use crate::compilers;

fn plan(language: Language, programs: u64) -> Plan {
    let shrinking = Duration::from_secs(20);
    Plan {
        programs,
        seed: 0,
        language,
        shape: Shape::default(),
        jobs: 1,
        shrinking,
        hurried: false,
        time: None,
        enough: usize::MAX,
    }
}

/// A reading that loses an outcome of each program that has several and compares-and-exchanges.
struct Forgetful(Lowered);

impl Allowed for Forgetful {
    fn name(&self) -> &str {
        "forgetful"
    }

    fn ends(&mut self, subject: &Subject<'_>, model: Model) -> Answer {
        let answer = self.0.ends(subject, model);
        match answer {
            Answer::Ends(mut ends) if subject.ir.contains("cmpxchg") && ends.outcomes.len() > 1 => {
                ends.outcomes.pop_last();
                Answer::Ends(ends)
            }
            other => other,
        }
    }
}

/// A reading that fails.
struct Panicking;

impl Allowed for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    fn ends(&mut self, _: &Subject<'_>, _: Model) -> Answer {
        panic!("planted")
    }
}

#[test]
fn narrowing_changes_no_outcome_of_a_sample() {
    let Some(compilers) = compilers(Language::C) else { return };
    let models = [Model::Sc, Model::Tso, Model::Pso];
    let narrow = || Box::new(Lowered::new(true)) as Box<dyn Allowed>;
    let wide = || Box::new(Lowered::new(false)) as Box<dyn Allowed>;
    let summary = compare(&plan(Language::C, 40), &compilers, &models, (&narrow, &wide), &|_| {});
    assert_eq!(summary.seeds, Vec::<u64>::new(), "{:?}", summary.finding);
    let n_same: u64 = summary
        .counts
        .iter()
        .filter(|(what, _)| what.contains("same outcomes"))
        .map(|(_, times)| times)
        .sum();
    assert!(n_same > 60, "most programs are understood: {:?}", summary.counts);
}

#[test]
fn a_planted_bug_is_found_and_shrunk() {
    let Some(compilers) = compilers(Language::C) else { return };
    let lowered = || Box::new(Lowered::new(true)) as Box<dyn Allowed>;
    let forgetful = || Box::new(Forgetful(Lowered::new(true))) as Box<dyn Allowed>;
    let plan = plan(Language::C, 48);
    let summary = compare(&plan, &compilers, &[Model::Tso], (&lowered, &forgetful), &|_| {});
    let finding = summary.finding.expect("it is found");
    assert!(summary.seeds.contains(&finding.seed));
    assert!(finding.text.contains("only here"), "{}", finding.text);
    let text = finding.program.render(Language::C);
    assert!(text.contains("atomic_compare_exchange_strong"), "{text}");
    let before = fencewright_generator::generate(finding.seed, &plan.shape).render(Language::C);
    assert!(text.len() < before.len(), "{text}");
}

#[test]
fn a_panic_is_a_finding() {
    let Some(compilers) = compilers(Language::C) else { return };
    let lowered = || Box::new(Lowered::new(true)) as Box<dyn Allowed>;
    let panicking = || Box::new(Panicking) as Box<dyn Allowed>;
    let plan = Plan { shrinking: Duration::ZERO, ..plan(Language::C, 1) };
    let summary = compare(&plan, &compilers, &[Model::Sc], (&lowered, &panicking), &|_| {});
    assert_eq!(summary.seeds, [0]);
    assert!(summary.finding.is_some_and(|finding| finding.text.contains("it panics")));
}

#[test]
fn the_processor_stays_within_what_is_allowed() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let Some(compilers) = compilers(Language::C) else { return };
    let lowered = || Box::new(Lowered::new(true)) as Box<dyn Allowed>;
    let runs = Runs { times: 20, limit: Duration::from_secs(30) };
    let summary =
        against_processor(&plan(Language::C, 16), &compilers, (Model::Tso, &lowered), runs, &|_| {})
            .expect("the runtime compiles");
    assert_eq!(summary.seeds, Vec::<u64>::new(), "{:?}", summary.finding);
    assert!(summary.counts.get("within").is_some_and(|times| *times >= 8), "{:?}", summary.counts);
}
