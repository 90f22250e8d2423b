//! Automata that the program gives: the same verdicts as the formulae they stand for.

use fencewright_base::Meter;
use fencewright_engine::{Context, Options, Task, Verdict, run};
use fencewright_engine_ltl::Ltl;
use fencewright_ir::{
    CellId, Claim, Expr, Fairness, Formula, Never, NeverMove, NeverState, Program, Property, StateAtom,
    Temporal, ThreadId,
};
use fencewright_memory::Model;
use fencewright_testkit::generate::{Config, program};

fn violated(program: &Program, claim: Claim, fairness: Fairness, model: Model) -> bool {
    let property = Temporal { claim, fairness, text: "test".to_owned(), span: None };
    let program = Program { properties: vec![Property::Temporal(property)], ..program.clone() };
    let options = Options { buffer: Some(2), ..Options::default() };
    let task = Task { program: &program, model, options };
    let answer = run(&Ltl, &task, &mut Context::quiet(Meter::unlimited())).expect("the gate lets it through");
    match answer.verdict {
        Verdict::Violated(_) => true,
        Verdict::Holds(_) => false,
        Verdict::Unknown(unknown) => panic!("no answer: {unknown:?}"),
    }
}

/// `G (p -> F q)` and the automaton that waits for a `p` after which `q` never comes; `F G p` and the automaton that
/// waits for `!p` again and again.
#[test]
fn an_automaton_and_its_formula_have_the_same_violations() {
    let mut seen = [0, 0];
    for seed in 0..150 {
        let program = program(seed, &Config { relaxed: 0, ..Config::default() });
        let entry = program.threads[ThreadId(0)].entry;
        let p = || Expr::Atom(StateAtom::At(ThreadId(0), entry));
        let q = || Expr::Atom(StateAtom::Cell(CellId(0)));
        let any = || Expr::constant(1);
        let go = |when, to| NeverMove { when, to };
        let state = |accepting, moves| NeverState { accepting, moves };
        let no_response = Never {
            states: vec![
                state(false, vec![go(any(), 0), go(p().and(q().not()), 1)]),
                state(true, vec![go(q().not(), 1)]),
            ],
        };
        let response = Formula::Now(p()).implies(Formula::Now(q()).finally()).globally();
        let leaves_again = Never {
            states: vec![
                state(false, vec![go(p(), 0), go(p().not(), 1)]),
                state(true, vec![go(p(), 0), go(p().not(), 1)]),
            ],
        };
        let stays = Formula::Now(p()).globally().finally();
        for (never, formula) in [(no_response, response), (leaves_again, stays)] {
            for fairness in [Fairness::default(), Fairness { flush: true, process: true }] {
                for model in Model::OPERATIONAL {
                    let by_automaton = violated(&program, Claim::Never(never.clone()), fairness, model);
                    let by_formula = violated(&program, Claim::Formula(formula.clone()), fairness, model);
                    assert_eq!(by_automaton, by_formula, "seed {seed} {fairness:?} {model:?}");
                    seen[usize::from(by_formula)] += 1;
                }
            }
        }
    }
    assert!(seen[0] > 200 && seen[1] > 200, "{seen:?}");
}
