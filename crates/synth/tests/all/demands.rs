//! What open ways demand, against the avoid formula over the whole graph, on generated programs.
//!
//! With FD both are the same formula: the minimal sets of orders are equal. With PD the graph is coarser, because a state that
//! covers another takes its place even where the orders chosen do not let the machine reach it: what satisfies the
//! formula of the graph satisfies the demands, and now and then less does.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Options, Order, Task, run_orders};
use fencewright_engine_coherence::{Abstraction, Coherence};
use fencewright_ir::Program;
use fencewright_logic::Diagrams;
use fencewright_memory::Model;
use fencewright_synth::{Demands, avoid};
use fencewright_testkit::generate::{Config, program};

/// More orders than a program of this size has.
const ORDERS: usize = 200;

/// Minimal sets that are compared; programs with more are left out.
const SETS: usize = 100;

type Sets = BTreeSet<Vec<usize>>;

fn context<'c>() -> Context<'c> {
    let budget = Budget { time: None, memory: None, states: Some(20_000) };
    Context::quiet(Meter::start(budget, CancelToken::new()))
}

/// The minimal sets of orders that satisfy the formula of the graph, and those that satisfy all demands.
fn both(
    program: &Program,
    model: Model,
    abstraction: Abstraction,
    store_store: bool,
) -> Option<(Sets, Sets)> {
    let engine = Coherence::new(abstraction);
    let task = Task { program, model, options: Options::default() };
    let graph = run_orders(&engine, &task, store_store, &mut context()).ok()?;
    let variables: RefCell<BTreeMap<Order, usize>> = RefCell::default();
    let mut enforced = |diagrams: &mut Diagrams, order: Order| {
        let mut variables = variables.borrow_mut();
        let next = variables.len();
        diagrams.variable(*variables.entry(order).or_insert(next))
    };
    let mut diagrams = Diagrams::new(ORDERS, 1 << 18);
    let root = avoid(&graph, &mut diagrams, &mut enforced, &Meter::unlimited()).ok()?;
    let (of_graph, all) = diagrams.minimal(root, SETS);
    if !all {
        return None;
    }
    let mut demands = Demands::new(&engine, task, store_store, ORDERS, Box::new(enforced));
    let (demanded, all) = demands.minimal(SETS, &mut context).ok()?;
    all.then(|| (of_graph.into_iter().collect(), demanded.into_iter().collect()))
}

fn compare(model: Model, abstraction: Abstraction, check: &mut dyn FnMut(u64, Sets, Sets)) {
    let config = Config { threads: 2, cells: 2, statements: 3, relaxed: 100 };
    for seed in 0..150 {
        for store_store in [false, true] {
            if let Some((of_graph, demanded)) = both(&program(seed, &config), model, abstraction, store_store)
            {
                check(seed, of_graph, demanded);
            }
        }
    }
}

#[test]
fn with_fd_the_demands_are_the_formula() {
    let mut real = 0;
    for model in [Model::Tso, Model::Pso] {
        for abstraction in [Abstraction::Fd(0), Abstraction::Fd(1)] {
            compare(model, abstraction, &mut |seed, of_graph, demanded| {
                assert_eq!(of_graph, demanded, "seed {seed} under {model:?} with {abstraction}");
                real += usize::from(of_graph.iter().any(|set| !set.is_empty()));
            });
        }
    }
    assert!(real > 300, "only {real} formulae say something");
}

#[test]
fn with_pd_the_formula_of_the_graph_implies_the_demands() {
    let mut real = 0;
    for model in [Model::Tso, Model::Pso] {
        for abstraction in [Abstraction::Pd(0), Abstraction::Pd(1)] {
            compare(model, abstraction, &mut |seed, of_graph, demanded| {
                for set in &of_graph {
                    let covers = |less: &Vec<usize>| less.iter().all(|order| set.contains(order));
                    let name = format!("seed {seed} under {model:?} with {abstraction}");
                    assert!(demanded.iter().any(covers), "{name}: {set:?} is too little");
                }
                real += usize::from(of_graph.iter().any(|set| !set.is_empty()));
            });
        }
    }
    assert!(real > 300, "only {real} formulae say something");
}
