//! The states of an engine as a graph that says, at each transition, which orders between operations of one thread
//! would forbid it. An ability of engines whose states know where pending writes came from; what a repair needs to
//! choose orders that leave no way to a violation.
//!
//! The graph can be had as a whole, or be searched under orders that are enforced: for a way to a violation on which
//! nothing is forbidden. The second is cheaper by far, because what is forbidden is never seen.
//!
//! What is made of either is a candidate, never a verdict: whoever changes a program because of it asks the gate
//! about the changed one.

use fencewright_ir::{EdgeId, FenceKind, ThreadId};

use crate::{Context, Engine, Task, Unknown, takes};

/// An engine that has such a graph.
pub trait OrderEngine: Engine {
    /// The graph of the task. Unless `store_store` is set, only orders of full fences are told.
    fn order_graph(
        &self,
        task: &Task<'_>,
        store_store: bool,
        context: &mut Context<'_>,
    ) -> Result<OrderGraph, Unknown>;

    /// What would forbid each transition of a way to a violation on which the enforced orders forbid none; `None` if there
    /// is no such way. Every execution of the program that keeps these orders has its path among the ways that were
    /// searched. Unless `store_store` is set, only orders of full fences are told.
    fn open_way(
        &self,
        task: &Task<'_>,
        store_store: bool,
        enforced: &mut dyn FnMut(Order) -> bool,
        context: &mut Context<'_>,
    ) -> Result<Option<Vec<Prevention>>, Unknown>;

    /// The edges of the program's threads that put what is before and behind them in this order already.
    fn barriers(&self, task: &Task<'_>) -> Vec<(ThreadId, EdgeId, FenceKind)>;

    /// How its states abstract from those of the machine, as the user names it.
    fn abstraction(&self) -> String;

    /// The name of an abstraction that keeps more.
    fn finer_abstraction(&self) -> String;
}

/// The order [write ≺ then] between two steps of a thread.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order {
    /// The thread.
    pub thread: ThreadId,
    /// An edge that writes.
    pub write: EdgeId,
    /// An edge that the thread may take later.
    pub then: EdgeId,
    /// With `Full` the write is in memory before `then` is taken, with `StoreStore` before what `then` writes is. A fence
    /// of that kind, or a full one, on every way from `write` to `then` enforces it.
    pub kind: FenceKind,
}

/// What forbids a transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prevention {
    /// Any one of these orders; none: nothing forbids it.
    AnyOf(Vec<Order>),
    /// All of these orders together.
    AllOf(Vec<Order>),
}

impl Prevention {
    /// Whether the transition is forbidden where these orders are enforced.
    pub fn forbids(&self, enforced: &mut dyn FnMut(Order) -> bool) -> bool {
        match self {
            Prevention::AnyOf(orders) => orders.iter().any(|&order| enforced(order)),
            Prevention::AllOf(orders) => orders.iter().all(|&order| enforced(order)),
        }
    }
}

/// A transition between states.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// From this state.
    pub from: u32,
    /// To this state.
    pub to: u32,
    /// What forbids it: a position in [`OrderGraph::preventions`].
    pub prevention: u32,
}

/// The graph. Every execution of the program has its path here. If an order is enforced that forbids a transition, no
/// execution of the changed program takes that transition.
#[derive(Debug, Clone, Default)]
pub struct OrderGraph {
    /// How many states there are, `0..states`.
    pub states: u32,
    /// The initial states.
    pub initial: Vec<u32>,
    /// The state that stands for all violations. It has no transitions.
    pub bad: u32,
    /// The transitions, sorted.
    pub transitions: Vec<Transition>,
    /// What may forbid a transition.
    pub preventions: Vec<Prevention>,
}

/// Asks the engine for the edges of the program that put things in order already, if it takes the task.
pub fn run_barriers(
    engine: &dyn OrderEngine,
    task: &Task<'_>,
) -> Result<Vec<(ThreadId, EdgeId, FenceKind)>, Unknown> {
    takes(engine, task)?;
    Ok(engine.barriers(task))
}

/// Asks the engine for its graph, if it takes the task.
pub fn run_orders(
    engine: &dyn OrderEngine,
    task: &Task<'_>,
    store_store: bool,
    context: &mut Context<'_>,
) -> Result<OrderGraph, Unknown> {
    takes(engine, task)?;
    let graph = engine.order_graph(task, store_store, context);
    context.statistics.seconds = context.meter.elapsed().as_secs_f64();
    if let Ok(OrderGraph { states, initial, bad, transitions, preventions }) = &graph {
        let is_state = |state: &u32| state < states;
        let known = |t: &Transition| {
            is_state(&t.from) && is_state(&t.to) && (t.prevention as usize) < preventions.len()
        };
        assert!(
            is_state(bad)
                && initial.iter().all(is_state)
                && transitions.iter().all(known)
                && transitions.is_sorted(),
            "internal error: the graph of engine {} is no graph",
            engine.name()
        );
    }
    graph
}

/// Asks the engine for a way that the enforced orders leave open, if it takes the task.
pub fn run_open_way(
    engine: &dyn OrderEngine,
    task: &Task<'_>,
    store_store: bool,
    enforced: &mut dyn FnMut(Order) -> bool,
    context: &mut Context<'_>,
) -> Result<Option<Vec<Prevention>>, Unknown> {
    takes(engine, task)?;
    let way = engine.open_way(task, store_store, enforced, context);
    context.statistics.seconds = context.meter.elapsed().as_secs_f64();
    if let Ok(Some(way)) = &way {
        assert!(
            !way.iter().any(|prevention| prevention.forbids(enforced)),
            "internal error: a way of engine {} is forbidden",
            engine.name()
        );
    }
    way
}
