//! The shrinker: what is left still fails, is valid, and is small.

use fencewright_generator::tree::Program;
use fencewright_generator::{Language, Shape, generate, is_valid, shrink, weight};

#[test]
fn a_program_shrinks_to_the_statement_that_is_wanted() {
    let mut n_tried = 0;
    for seed in 0..200 {
        let program = generate(seed, &Shape::default());
        let mut fails = |candidate: &Program| candidate.render(Language::C).contains("atomic_fetch_add");
        if !fails(&program) {
            continue;
        }
        let small = shrink(&program, &mut fails);
        assert!(is_valid(&small) && fails(&small), "seed {seed}");
        assert!(weight(&small) <= weight(&program), "seed {seed}");
        assert_eq!(small.n_threads(), 1, "seed {seed}");
        assert_eq!(small.out.len(), 1, "seed {seed}");
        let text = small.render(Language::C);
        // The prelude has 21 lines, one thread and `main` some 20.
        assert!(text.lines().count() < 60, "seed {seed}:\n{text}");
        assert_eq!(text.matches("atomic_").count(), 1, "seed {seed}:\n{text}");
        n_tried += 1;
    }
    assert!(n_tried >= 10, "{n_tried} of 200 programs add atomically");
}

#[test]
fn threads_that_are_left_keep_their_results() {
    let wanted = |program: &Program| {
        let text = program.render(Language::C);
        text.contains("joined[1] =") || text.contains("joined[k] =")
    };
    let mut n_tried = 0;
    for seed in 0..300 {
        let program = generate(seed, &Shape::default());
        if program.n_threads() < 3 || !wanted(&program) {
            continue;
        }
        let small = shrink(&program, &mut |candidate| wanted(candidate));
        assert!(small.n_threads() <= 2, "seed {seed} has {} threads", small.n_threads());
        n_tried += 1;
        if n_tried == 5 {
            break;
        }
    }
    assert_eq!(n_tried, 5);
}

#[test]
fn whoever_says_no_keeps_the_program() {
    let program = generate(7, &Shape::default());
    assert_eq!(shrink(&program, &mut |_| false), program);
}
