//! Questions about reordered pairs, on the paper's own example.

use fencewright_base::Meter;
use fencewright_engine::{Context, Guarantee, Options, PairAnswer, PairEngine, PairQueries, Task, Taste};
use fencewright_engine_bmc::Bmc;
use fencewright_ir::{Program, StatementId};
use fencewright_memory::{Model, replay};
use fencewright_testkit::toy::{Toy, eq, reg};

/// Fig. 1c of Joshi and Kroening: z, w are innocent, x, y are not. Statements are numbered in the order of the text: 0 to
/// 3 in the first thread, 4 to 7 in the second.
fn innocent_and_culprit() -> Program {
    let mut toy = Toy::new("fig_1c");
    let [x, y, z, w] = toy.vars(["x", "y", "z", "w"]);
    let mut thread = |mine, other, my_first, other_first| {
        toy.thread(|t| {
            let (p, r) = (t.reg("p"), t.reg("r"));
            t.write(my_first, 1);
            t.read(p, other_first);
            t.write(mine, 1);
            t.read(r, other);
            r
        })
    };
    let (first, r1) = thread(x, y, z, w);
    let (second, r2) = thread(y, x, w, z);
    toy.never(eq(reg(first, r1), 0).and(eq(reg(second, r2), 0)));
    toy.finish()
}

fn open(program: &Program, model: Model) -> Box<dyn PairQueries> {
    open_to(Taste::Few, program, model)
}

fn open_to(taste: Taste, program: &Program, model: Model) -> Box<dyn PairQueries> {
    let task = Task { program, model, options: Options::default() };
    Bmc.open(&task, taste, &mut Context::quiet(Meter::unlimited())).expect("the program can be opened")
}

fn names(queries: &dyn PairQueries, pairs: &[usize]) -> Vec<(u32, u32)> {
    pairs.iter().map(|&i| (queries.pairs()[i].first.0, queries.pairs()[i].second.0)).collect()
}

#[test]
fn the_pairs_of_the_example() {
    let program = innocent_and_culprit();
    let queries = open(&program, Model::Tso);
    assert_eq!(queries.guarantee(), Guarantee::Unbounded);
    let all: Vec<usize> = (0..queries.pairs().len()).collect();
    // A write and every later read of its thread: all go to different variables.
    assert_eq!(names(&*queries, &all), [(0, 1), (0, 3), (2, 3), (4, 5), (4, 7), (6, 7)]);
    let queries = open(&program, Model::Pso);
    let all: Vec<usize> = (0..queries.pairs().len()).collect();
    // And under PSO the later write, too.
    let expected = [(0, 1), (0, 2), (0, 3), (2, 3), (4, 5), (4, 6), (4, 7), (6, 7)];
    assert_eq!(names(&*queries, &all), expected);
}

#[test]
fn one_reordering_is_enough_and_the_culprits_are_found() {
    let program = innocent_and_culprit();
    let mut queries = open(&program, Model::Tso);
    let mut context = Context::quiet(Meter::unlimited());
    let pair = |queries: &dyn PairQueries, first, second| {
        let wanted = |pair: &fencewright_engine::Pair| {
            (pair.first, pair.second) == (StatementId(first), StatementId(second))
        };
        queries.pairs().iter().position(wanted).expect("the pair is one of them")
    };
    let culprits = [pair(&*queries, 2, 3), pair(&*queries, 6, 7)];
    // Without any reordering there is no violation: the bound is why.
    let none = queries.violation(&[], Some(0), &mut context).expect("an answer");
    assert_eq!(none, PairAnswer::Safe { whatever_the_bound: false });
    // With one, there is: the trace is an execution, and it reorders a culprit and nothing else.
    let mut kept = Vec::new();
    for _ in 0..2 {
        match queries.violation(&kept, Some(1), &mut context).expect("an answer") {
            PairAnswer::Violated { trace, reordered } => {
                let execution = replay(&program, &trace).expect("it is an execution");
                assert!(execution.violation.is_some());
                assert!(matches!(reordered[..], [one] if culprits.contains(&one)), "{reordered:?}");
                kept.extend(reordered);
            }
            PairAnswer::Safe { .. } => panic!("a culprit is left"),
        }
    }
    // Keeping both in order is enough, whatever else changes places.
    let safe = queries.violation(&kept, Some(1), &mut context).expect("an answer");
    assert_eq!(safe, PairAnswer::Safe { whatever_the_bound: true });
    // As trace enumeration says it: one of each reordered set is kept.
    let mut again = open(&program, Model::Tso);
    again.keep_one_of(&[culprits[0]]);
    again.keep_one_of(&[culprits[1]]);
    let safe = again.violation(&[], None, &mut context).expect("an answer");
    assert_eq!(safe, PairAnswer::Safe { whatever_the_bound: true });
}

/// Counterexamples as they come reorder the innocent, too: every one has a culprit, and enumeration sees more of them.
#[test]
fn by_lot_the_innocent_change_places_too() {
    let program = innocent_and_culprit();
    let enumerate = |taste| -> Vec<Vec<(u32, u32)>> {
        let mut queries = open_to(taste, &program, Model::Pso);
        let mut found = Vec::new();
        let mut context = Context::quiet(Meter::unlimited());
        while let PairAnswer::Violated { trace, reordered } =
            queries.violation(&[], None, &mut context).expect("an answer")
        {
            let execution = replay(&program, &trace).expect("it is an execution");
            assert!(execution.violation.is_some());
            found.push(names(&*queries, &reordered));
            queries.keep_one_of(&reordered);
        }
        found
    };
    let is_culprit = |pair: &(u32, u32)| [(2, 3), (6, 7)].contains(pair);
    let (few, any) = (enumerate(Taste::Few), enumerate(Taste::Any));
    for set in few.iter().chain(&any) {
        assert!(set.iter().any(is_culprit), "{set:?}");
    }
    assert!(few.iter().all(|set| set.iter().all(is_culprit)), "{few:?}");
    assert!(any.iter().any(|set| !set.iter().all(is_culprit)), "{any:?}");
    assert!(any.len() > few.len(), "{any:?}");
}
