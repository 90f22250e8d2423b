//! The oracle for temporal properties: does a fair execution violate the formula? By the plain graph of the reference
//! semantics and the classical tableau of elementary formulae (E. Clarke, O. Grumberg, K. Hamaguchi, *Another look at
//! LTL model checking*, 1994, section 4), which shares nothing with the engine's automata: the formula is taken as it
//! stands, every operator `X`, `U` and `R` is a guess about the next moment, and every combination of guesses is a node.
//!
//! A node is a state with a guess for each operator. A guess must be right: the successor must make it true. `U` must
//! not be put off for ever, `R` must not be denied for ever without a reason. There is a violation if, from an initial
//! node at which the formula is false, a strongly connected component can be reached that has, for each of these
//! conditions and each condition of fairness, a node or a transition that meets it.
//!
//! For an automaton that the program gives, a node is a state with a state of the automaton, and the condition is that an
//! accepting one is passed.

use std::collections::{BTreeSet, HashMap};

use fencewright_ir::{CellId, Claim, Formula, Never, Temporal, ThreadId};
use fencewright_memory::{Action, Machine, Outcome, State};

use crate::reference::{Halted, Limits, exceeds};

/// What the oracle says.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether a finite execution violates something.
    pub ends_badly: bool,
    /// Whether a fair execution that never ends violates the formula.
    pub violated: bool,
    /// Whether the cap kept a step from being taken.
    pub met_cap: bool,
}

/// The graph of a program.
struct Graph {
    states: Vec<State>,
    initial: Vec<usize>,
    /// For each state the actions within the cap and where they lead. A state in which nothing is enabled is followed by
    /// itself.
    successors: Vec<Vec<(Option<Action>, usize)>>,
    /// For each state the threads that can make a step, whether the cap allows it or not.
    able: Vec<Vec<bool>>,
    met_cap: bool,
    ends_badly: bool,
}

/// Judges the property of a program with at most `most_states` states.
pub fn judge(
    machine: &Machine<'_>,
    property: &Temporal,
    limits: &Limits,
    most_states: usize,
) -> Result<Option<Judgement>, Halted> {
    let Some(graph) = graph(machine, limits, most_states)? else { return Ok(None) };
    let violated = violated(machine, &graph, property);
    Ok(Some(Judgement { ends_badly: graph.ends_badly, violated, met_cap: graph.met_cap }))
}

fn graph(machine: &Machine<'_>, limits: &Limits, most_states: usize) -> Result<Option<Graph>, Halted> {
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut graph = Graph {
        states: Vec::new(),
        initial: Vec::new(),
        successors: Vec::new(),
        able: Vec::new(),
        met_cap: false,
        ends_badly: false,
    };
    let mut number = |states: &mut Vec<State>, state: State| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for (_, state) in machine.initial_states(limits.values)? {
        let at = number(&mut graph.states, state);
        graph.initial.push(at);
    }
    while graph.successors.len() < graph.states.len() {
        if graph.states.len() > most_states {
            return Ok(None);
        }
        let here = graph.successors.len();
        let state = graph.states[here].clone();
        graph.ends_badly |= machine.violation(&state).is_some();
        let mut able = vec![false; machine.program().threads.len()];
        let mut successors = Vec::new();
        for action in machine.actions(&state, limits.values)? {
            action.edges().for_each(|(thread, _)| able[thread.0 as usize] = true);
            let outcome = machine.perform(&state, &action);
            if exceeds(machine, &state, &action, &outcome, limits.buffer) {
                graph.met_cap = true;
                continue;
            }
            match outcome {
                Outcome::Next(next, _) => {
                    successors.push((Some(action), number(&mut graph.states, *next)));
                }
                Outcome::Violates(..) => graph.ends_badly = true,
                Outcome::Blocked => unreachable!("the machine lists enabled actions only"),
            }
        }
        if successors.is_empty() && !able.contains(&true) {
            successors.push((None, here));
        }
        graph.successors.push(successors);
        graph.able.push(able);
    }
    Ok(Some(graph))
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
struct Nodes {
    per_state: usize,
    /// For each node the numbers of the actions of its state, with the nodes they lead to.
    edges: Vec<Vec<(usize, usize)>>,
    starts: Vec<usize>,
    /// The conditions: each is met by these nodes, and a component must meet all.
    conditions: Vec<Vec<bool>>,
}

fn with_automaton(machine: &Machine<'_>, graph: &Graph, never: &Never) -> Nodes {
    let n = never.states.len();
    let holds = |state: &State, condition: &fencewright_ir::Expr<fencewright_ir::StateAtom>| {
        condition.eval(&mut |atom| machine.value_of(state, atom)).is_ok_and(|value| value.is_true())
    };
    let edges = (0..graph.states.len() * n).map(|at| {
        let (state, own) = (at / n, &never.states[at % n]);
        let moves = own.moves.iter().filter(|step| holds(&graph.states[state], &step.when));
        let to = moves.flat_map(|step| {
            let successors = graph.successors[state].iter().enumerate();
            successors.map(move |(i, (_, to))| (i, to * n + step.to as usize))
        });
        to.collect()
    });
    let accepting = (0..graph.states.len() * n).map(|at| never.states[at % n].accepting).collect();
    Nodes {
        per_state: n,
        edges: edges.collect(),
        starts: graph.initial.iter().filter(|_| n > 0).map(|state| state * n).collect(),
        conditions: vec![accepting],
    }
}

fn with_guesses(machine: &Machine<'_>, graph: &Graph, formula: &Formula) -> Nodes {
    let mut found = Vec::new();
    operators(formula, &mut found);
    let operators = &found[..];
    let n_guesses = 1usize << operators.len();
    let node = |state: usize, guesses: usize| state * n_guesses + guesses;
    let n_nodes = graph.states.len() * n_guesses;
    let is_true = |at: usize, formula: &Formula| {
        let (state, guesses) = (&graph.states[at / n_guesses], (at % n_guesses) as u32);
        truth(machine, state, operators, guesses, formula)
    };
    // What the guesses must have been, one moment earlier, for this node to follow.
    let guessed: Vec<usize> = (0..n_nodes)
        .map(|at| {
            let said = |operator: &&Formula| match operator {
                Formula::Next(a) => is_true(at, a),
                whole => is_true(at, whole),
            };
            operators.iter().enumerate().map(|(i, operator)| usize::from(said(operator)) << i).sum()
        })
        .collect();
    let edges: Vec<Vec<(usize, usize)>> = (0..n_nodes)
        .map(|at| {
            let (state, guesses) = (at / n_guesses, at % n_guesses);
            (graph.successors[state].iter().enumerate())
                .flat_map(|(i, (_, to))| (0..n_guesses).map(move |next| (i, node(*to, next))))
                .filter(|(_, to)| guessed[*to] == guesses)
                .collect()
        })
        .collect();
    let kept = |at: usize, operator: &Formula| match operator {
        Formula::Until(_, b) => !is_true(at, operator) || is_true(at, b),
        Formula::Release(_, b) => is_true(at, operator) || !is_true(at, b),
        _ => true,
    };
    let starts = (graph.initial.iter()).flat_map(|&state| (0..n_guesses).map(move |g| node(state, g)));
    let starts: Vec<usize> = starts.filter(|&at| !is_true(at, formula)).collect();
    let conditions =
        operators.iter().map(|operator| (0..n_nodes).map(|at| kept(at, operator)).collect()).collect();
    Nodes { per_state: n_guesses, edges, starts, conditions }
}

fn violated(machine: &Machine<'_>, graph: &Graph, property: &Temporal) -> bool {
    let nodes = match &property.claim {
        Claim::Formula(formula) => with_guesses(machine, graph, formula),
        Claim::Never(never) => with_automaton(machine, graph, never),
    };
    let Nodes { per_state, edges, starts, conditions } = &nodes;
    components(edges, starts).iter().any(|component| {
        let members: BTreeSet<usize> = component.iter().copied().collect();
        let inside = || {
            component.iter().flat_map(|&at| {
                let stays = edges[at].iter().filter(|(_, to)| members.contains(to));
                stays.map(move |(action, _)| &graph.successors[at / per_state][*action].0)
            })
        };
        let states = || component.iter().map(|&at| at / per_state);
        inside().next().is_some()
            && conditions.iter().all(|met| component.iter().any(|&at| met[at]))
            && (!property.fairness.flush || {
                let program = machine.program();
                let cells = || (0..program.n_cells() as u32).map(CellId);
                program.threads.indices().all(|thread| {
                    cells().all(|cell| {
                        let flush = Some(Action::Flush { thread, cell });
                        states().any(|at| graph.states[at].pending[thread].rules().count(cell) == 0)
                            || inside().any(|action| *action == flush)
                    })
                })
            })
            && (!property.fairness.process || {
                let steps = |thread: ThreadId| {
                    inside().flatten().any(|action| action.edges().any(|(of, _)| of == thread))
                };
                let stuck = |thread: ThreadId| states().any(|at| !graph.able[at][thread.0 as usize]);
                machine.program().threads.indices().all(|thread| steps(thread) || stuck(thread))
            })
    })
}

/// The strongly connected components that can be reached from `starts`: S. R. Kosaraju's two passes.
fn components(edges: &[Vec<(usize, usize)>], starts: &[usize]) -> Vec<Vec<usize>> {
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    for &start in starts {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            match edges[*at].get(*next) {
                Some(&(_, to)) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
    }
    let mut back = vec![Vec::new(); edges.len()];
    for (from, out) in edges.iter().enumerate().filter(|(from, _)| seen[*from]) {
        out.iter().for_each(|(_, to)| back[*to].push(from));
    }
    let mut components = Vec::new();
    let mut done = vec![false; edges.len()];
    for &root in order.iter().rev() {
        if done[root] {
            continue;
        }
        done[root] = true;
        let mut component = vec![root];
        let mut next = 0;
        while next < component.len() {
            for &from in &back[component[next]] {
                if !std::mem::replace(&mut done[from], true) {
                    component.push(from);
                }
            }
            next += 1;
        }
        components.push(component);
    }
    components
}
