//! Whether a fair execution of a graph of states violates a temporal property. By the classical tableau of elementary formulae
//! (E. Clarke, O. Grumberg, K. Hamaguchi, *Another look at LTL model checking*, 1994, section 4): the formula is taken as it
//! stands, every operator `X`, `U` and `R` is a guess about the next moment, and every combination of guesses is a node.
//!
//! A node is a state with a guess for each operator. A guess must be right: the successor must make it true. `U` must
//! not be put off for ever, `R` must not be denied for ever without a reason. There is a violation if, from an initial
//! node at which the formula is false, a strongly connected component can be reached that has, for each of these
//! conditions and each condition of fairness, a node or a transition that meets it.
//!
//! For an automaton that the program gives, a node is a state with a state of the automaton, and the condition is that an
//! accepting one is passed.
//!
//! This is for checkers of certificates and for oracles: simple, with the whole graph in hand, and it shares nothing with an
//! engine's automata.

use std::collections::BTreeSet;

use fencewright_ir::{CellId, Claim, Expr, Formula, Never, StateAtom, Temporal, ThreadId};
use fencewright_memory::{Action, Machine, State};

/// More operators have more combinations than anybody can try.
const MOST_OPERATORS: usize = 16;

/// States and how they follow each other.
#[derive(Debug, Default)]
pub struct ExecutionGraph {
    /// The states.
    pub states: Vec<State>,
    /// Where executions begin.
    pub initial: Vec<usize>,
    /// For each state the actions and where they lead. A state in which nothing is enabled is followed by itself, without an
    /// action.
    pub successors: Vec<Vec<(Option<Action>, usize)>>,
    /// For each state whether each thread can make a step there.
    pub able: Vec<Vec<bool>>,
}

/// The formula has too many operators for this.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct TooManyOperators;

/// Whether a fair execution, one that goes on for ever or comes to rest, violates the property.
pub fn violated_by_execution(
    machine: &Machine<'_>,
    graph: &ExecutionGraph,
    property: &Temporal,
) -> Result<bool, TooManyOperators> {
    let nodes = match &property.claim {
        Claim::Formula(formula) => with_guesses(machine, graph, formula)?,
        Claim::Never(never) => with_automaton(machine, graph, never),
    };
    let mut found = false;
    nodes.for_each_component(&mut |component| found |= nodes.is_violation(machine, property, component));
    Ok(found)
}

/// The operators about which a guess is made, each once.
fn operators<'f>(formula: &'f Formula, found: &mut Vec<&'f Formula>) {
    match formula {
        Formula::Const(_) | Formula::Now(_) => {}
        Formula::Not(a) => operators(a, found),
        Formula::Next(a) => {
            operators(a, found);
            found.push(formula);
        }
        Formula::And(a, b) | Formula::Or(a, b) => {
            operators(a, found);
            operators(b, found);
        }
        Formula::Until(a, b) | Formula::Release(a, b) => {
            operators(a, found);
            operators(b, found);
            found.push(formula);
        }
    }
}

/// Whether the formula is true in the state under the guesses, which bit by bit say whether the operand of a `X`, or the
/// `U` or `R` itself, is true at the next moment. Operators are told apart by where they stand, not by what they say.
fn truth(
    machine: &Machine<'_>,
    state: &State,
    operators: &[&Formula],
    guesses: u32,
    formula: &Formula,
) -> bool {
    let of = |formula: &Formula| truth(machine, state, operators, guesses, formula);
    let guess = || {
        let at = operators.iter().position(|operator| std::ptr::eq(*operator, formula));
        guesses >> at.expect("every operator is listed") & 1 == 1
    };
    match formula {
        Formula::Const(value) => *value,
        Formula::Now(condition) => {
            condition.eval(&mut |atom| machine.value_of(state, atom)).is_ok_and(|value| value.is_true())
        }
        Formula::Not(a) => !of(a),
        Formula::And(a, b) => of(a) && of(b),
        Formula::Or(a, b) => of(a) || of(b),
        Formula::Next(_) => guess(),
        Formula::Until(a, b) => of(b) || (of(a) && guess()),
        Formula::Release(a, b) => of(b) && (of(a) || guess()),
    }
}

/// A graph whose nodes are the states, each with one of `per_state` numbers.
struct Nodes<'g> {
    graph: &'g ExecutionGraph,
    per_state: usize,
    /// For each node the numbers that a successor's state may go with.
    next: Next,
    starts: Vec<usize>,
    /// The conditions: each is met by these nodes, and a component must meet all.
    conditions: Vec<Vec<bool>>,
}

enum Next {
    /// For each node the moves of the automaton, whatever the successor is.
    Moves(Vec<Vec<usize>>),
    /// For each state and each combination of guesses one moment earlier the combinations that prove them right.
    Guesses(Vec<Vec<usize>>),
}

fn with_automaton<'g>(machine: &Machine<'_>, graph: &'g ExecutionGraph, never: &Never) -> Nodes<'g> {
    let n = never.states.len();
    let holds = |state: &State, condition: &Expr<StateAtom>| {
        condition.eval(&mut |atom| machine.value_of(state, atom)).is_ok_and(|value| value.is_true())
    };
    let n_nodes = graph.states.len() * n;
    let moves = (0..n_nodes).map(|at| {
        let moves = never.states[at % n].moves.iter();
        moves.filter(|step| holds(&graph.states[at / n], &step.when)).map(|step| step.to as usize).collect()
    });
    Nodes {
        graph,
        per_state: n,
        next: Next::Moves(moves.collect()),
        starts: graph.initial.iter().filter(|_| n > 0).map(|state| state * n).collect(),
        conditions: vec![(0..n_nodes).map(|at| never.states[at % n].accepting).collect()],
    }
}

fn with_guesses<'g>(
    machine: &Machine<'_>,
    graph: &'g ExecutionGraph,
    formula: &Formula,
) -> Result<Nodes<'g>, TooManyOperators> {
    let mut found = Vec::new();
    operators(formula, &mut found);
    if found.len() > MOST_OPERATORS {
        return Err(TooManyOperators);
    }
    let operators = &found[..];
    let n_guesses = 1usize << operators.len();
    let node = |state: usize, guesses: usize| state * n_guesses + guesses;
    let n_nodes = graph.states.len() * n_guesses;
    let is_true = |at: usize, formula: &Formula| {
        let (state, guesses) = (&graph.states[at / n_guesses], (at % n_guesses) as u32);
        truth(machine, state, operators, guesses, formula)
    };
    let mut right: Vec<Vec<usize>> = vec![Vec::new(); n_nodes];
    for at in 0..n_nodes {
        let said = |operator: &&Formula| match operator {
            Formula::Next(a) => is_true(at, a),
            whole => is_true(at, whole),
        };
        // What the guesses must have been, one moment earlier, for this node to follow.
        let earlier = operators.iter().enumerate().map(|(i, operator)| usize::from(said(operator)) << i);
        right[node(at / n_guesses, earlier.sum())].push(at % n_guesses);
    }
    let kept = |at: usize, operator: &Formula| match operator {
        Formula::Until(_, b) => !is_true(at, operator) || is_true(at, b),
        Formula::Release(_, b) => is_true(at, operator) || !is_true(at, b),
        _ => true,
    };
    let starts = (graph.initial.iter()).flat_map(|&state| (0..n_guesses).map(move |g| node(state, g)));
    let starts: Vec<usize> = starts.filter(|&at| !is_true(at, formula)).collect();
    let conditions =
        operators.iter().map(|operator| (0..n_nodes).map(|at| kept(at, operator)).collect()).collect();
    Ok(Nodes { graph, per_state: n_guesses, next: Next::Guesses(right), starts, conditions })
}

impl Nodes<'_> {
    /// The actions of the node's state, by number, with the nodes they lead to.
    fn edges(&self, at: usize) -> impl Iterator<Item = (usize, usize)> {
        let (state, own) = (at / self.per_state, at % self.per_state);
        self.graph.successors[state].iter().enumerate().flat_map(move |(action, (_, to))| {
            let numbers = match &self.next {
                Next::Moves(moves) => &moves[at],
                Next::Guesses(right) => &right[to * self.per_state + own],
            };
            numbers.iter().map(move |number| (action, to * self.per_state + number))
        })
    }

    /// Whether an execution that goes round in the component violates the property and is fair.
    fn is_violation(&self, machine: &Machine<'_>, property: &Temporal, component: &[usize]) -> bool {
        let members: BTreeSet<usize> = component.iter().copied().collect();
        let inside = || {
            component.iter().flat_map(|&at| {
                let stays = self.edges(at).filter(|(_, to)| members.contains(to));
                stays.map(move |(action, _)| &self.graph.successors[at / self.per_state][action].0)
            })
        };
        let states = || component.iter().map(|&at| at / self.per_state);
        let program = machine.program();
        inside().next().is_some()
            && self.conditions.iter().all(|met| component.iter().any(|&at| met[at]))
            && (!property.fairness.flush || {
                let cells = || (0..program.n_cells() as u32).map(CellId);
                program.threads.indices().all(|thread| {
                    cells().all(|cell| {
                        let flush = Some(Action::Flush { thread, cell });
                        states().any(|at| self.graph.states[at].pending[thread].rules().count(cell) == 0)
                            || inside().any(|action| *action == flush)
                    })
                })
            })
            && (!property.fairness.process || {
                let steps = |thread: ThreadId| {
                    inside().flatten().any(|action| action.edges().any(|(of, _)| of == thread))
                };
                let stuck = |thread: ThreadId| states().any(|at| !self.graph.able[at][thread.0 as usize]);
                program.threads.indices().all(|thread| steps(thread) || stuck(thread))
            })
    }

    /// Calls `visit` for the strongly connected components that can be reached from the starts: R. Tarjan's search.
    fn for_each_component(&self, visit: &mut dyn FnMut(&[usize])) {
        const NEW: usize = usize::MAX;
        const DONE: usize = usize::MAX - 1;
        // For each node the earliest on the stack that it is known to reach.
        let mut low = vec![NEW; self.graph.states.len() * self.per_state];
        let mut stack: Vec<usize> = Vec::new();
        for &start in &self.starts {
            if low[start] != NEW {
                continue;
            }
            let enter = |at: usize, low: &mut Vec<usize>, stack: &mut Vec<usize>| {
                low[at] = stack.len();
                stack.push(at);
                (at, stack.len() - 1, self.edges(at))
            };
            let mut path = vec![enter(start, &mut low, &mut stack)];
            while let Some((at, own, edges)) = path.last_mut() {
                let (at, own) = (*at, *own);
                match edges.next() {
                    Some((_, to)) if low[to] == NEW => {
                        let next = enter(to, &mut low, &mut stack);
                        path.push(next);
                    }
                    Some((_, to)) if low[to] != DONE => low[at] = low[at].min(low[to]),
                    Some(_) => {}
                    None => {
                        path.pop();
                        if let Some((before, ..)) = path.last() {
                            low[*before] = low[*before].min(low[at]);
                        }
                        if low[at] == own {
                            let component = stack.split_off(own);
                            component.iter().for_each(|&member| low[member] = DONE);
                            visit(&component);
                        }
                    }
                }
            }
        }
    }
}
