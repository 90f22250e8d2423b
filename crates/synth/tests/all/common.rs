//! What the tests of the repair share.

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Engine, Guarantee, Options, Verdict};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Program};
use fencewright_memory::Model;
use fencewright_synth::{Beside, Costs, Repair, Repaired, Request, Strategy, Want, repair};

/// A request with the defaults.
pub(crate) fn request(program: &Program, model: Model) -> Request<'_> {
    let options = Options::default();
    Request {
        program,
        model,
        options,
        costs: Costs::default(),
        beside: Beside::default(),
        want: Want::One,
        strategy: Strategy::HittingSets,
    }
}

/// The repair by explicit search. The limit on states makes a program that it cannot prove end soon.
pub(crate) fn ask(request: &Request<'_>) -> Repair {
    ask_within(request, 2_000_000)
}

/// The repair by another engine.
pub(crate) fn ask_engine(engine: &dyn Engine, request: &Request<'_>) -> Repair {
    let mut context = || Context::quiet(Meter::start(Budget::default(), CancelToken::new()));
    repair(engine, request, &mut context).expect("the engine's traces replay")
}

/// The repair by explicit search of at most so many states a question.
pub(crate) fn ask_within(request: &Request<'_>, states: u64) -> Repair {
    let budget = Budget { time: None, memory: None, states: Some(states) };
    let mut context = || Context::quiet(Meter::start(budget.clone(), CancelToken::new()));
    repair(&Explicit, request, &mut context).expect("the engine's traces replay")
}

/// Checks what every minimum repair must have.
pub(crate) fn check(name: &str, found: &Repaired) {
    assert!(found.minimum, "{name}: the repair is a minimum");
    assert_eq!(found.proof.verdict, Verdict::Holds(Guarantee::Unbounded), "{name}");
    assert_eq!(found.cost, found.remedies.iter().map(|chosen| chosen.cost).sum::<u64>(), "{name}");
    for chosen in &found.remedies {
        let evidence = chosen.evidence.as_ref().expect("a minimum repair has evidence for each remedy");
        let replayed = fencewright_memory::replay(&evidence.program, &evidence.trace).expect("it replays");
        assert!(replayed.violation.is_some(), "{name}: without {:?} it is violated", chosen.remedy);
    }
}

/// How many full and how many store-store fences, as the corpus writes it.
pub(crate) fn fences(remedies: impl IntoIterator<Item = Remedy>) -> String {
    let (mut full, mut store) = (0, 0);
    for remedy in remedies {
        match remedy {
            Remedy::Fence(_, FenceKind::Full) => full += 1,
            Remedy::Fence(_, FenceKind::StoreStore) => store += 1,
            Remedy::Atomic(_) | Remedy::Order(..) => panic!("only fences were allowed"),
        }
    }
    let parts = [(full, 'm'), (store, 's')];
    parts.iter().filter(|(n, _)| *n > 0).map(|(n, c)| format!("{n}{c}")).collect::<Vec<_>>().join(" ")
}
