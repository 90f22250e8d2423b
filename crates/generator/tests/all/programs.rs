//! What generated programs are: valid, the same for the same seed, and compiled in every language.

use std::collections::BTreeSet;

use fencewright_generator::{FEATURES, Feature, Language, Shape, generate, is_valid};

use crate::compilers;

#[test]
fn every_tree_is_valid_and_the_same_again() {
    for seed in 0..3000 {
        let program = generate(seed, &Shape::default());
        assert!(is_valid(&program), "seed {seed}");
        assert_eq!(program, generate(seed, &Shape::default()), "seed {seed}");
        let threads = program.n_threads();
        assert!((2..=3).contains(&threads), "seed {seed} has {threads} threads");
    }
}

#[test]
fn the_same_tree_gives_the_same_text() {
    for seed in 0..200 {
        let program = generate(seed, &Shape::default());
        for language in Language::ALL {
            assert_eq!(program.render(language), program.clone().render(language), "seed {seed}");
        }
    }
}

#[test]
fn seeds_give_different_programs() {
    let texts: BTreeSet<String> =
        (0..500).map(|seed| generate(seed, &Shape::default()).render(Language::C)).collect();
    assert!(texts.len() > 490, "{} of 500 are different", texts.len());
}

/// A sample of each language goes through its compiler.
fn sample_compiles(language: Language, from: u64, n_programs: u64) {
    let Some(compilers) = compilers(language) else { return };
    let texts: Vec<String> =
        (from..from + n_programs).map(|seed| generate(seed, &Shape::default()).render(language)).collect();
    for (seed, ir) in (from..).zip(compilers.ir(language, &texts)) {
        let ir = ir.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(ir.contains("define"), "seed {seed}");
    }
}

#[test]
fn c_compiles() {
    sample_compiles(Language::C, 0, 60);
}

#[test]
fn cxx_compiles() {
    sample_compiles(Language::Cpp, 1000, 30);
}

#[test]
fn rust_compiles() {
    sample_compiles(Language::Rust, 2000, 30);
}

/// What is in the C text of some programs that have all features, and of none that has none.
const WORDS: [(Feature, &str); 26] = [
    (Feature::Widths, "int8_t"),
    (Feature::Arrays, " l3[4]"),
    (Feature::Records, "typedef struct"),
    (Feature::Unions, "typedef union"),
    (Feature::Bytes, "unsigned char *"),
    (Feature::BitFields, " : "),
    (Feature::Pointers, " *l"),
    (Feature::SharedPointers, "*_Atomic"),
    (Feature::ShortCircuits, "&&"),
    (Feature::Choices, " ? "),
    (Feature::Switches, "switch"),
    (Feature::Loops, "for (uint32_t"),
    (Feature::Jumps, ") break;"),
    (Feature::Calls, "f0("),
    (Feature::FunctionTables, "table0["),
    (Feature::VirtualCalls, "->call("),
    (Feature::FunctionSlots, "slot0("),
    (Feature::Recursion, "(l0 - 1"),
    (Feature::Heap, "free(h0)"),
    (Feature::Handing, "free(taken)"),
    (Feature::Mutexes, "pthread_mutex_lock"),
    (Feature::ReadModifyWrites, "atomic_fetch_"),
    (Feature::CompareExchanges, "atomic_compare_exchange_strong"),
    (Feature::Fences, "atomic_thread_fence"),
    (Feature::Constructors, "constructor"),
    (Feature::ThreadLocals, "_Thread_local"),
];

#[test]
fn features_are_there_when_they_are_asked_for_and_only_then() {
    for (feature, word) in WORDS {
        let all_on = FEATURES.iter().fold(Shape::default(), |shape, (one, _)| shape.set(*one, 100));
        let n_with =
            (0..300).filter(|seed| generate(*seed, &all_on).render(Language::C).contains(word)).count();
        assert!(n_with > 5, "{feature:?}: {n_with} of 300 programs have `{word}`");
        for seed in 0..100 {
            let text = generate(seed, &Shape::bare()).render(Language::C);
            let (_, own) = text.split_once("long long out").expect("there is an outcome");
            assert!(!own.contains(word), "{feature:?} is off, and seed {seed} has `{word}`");
        }
    }
}
