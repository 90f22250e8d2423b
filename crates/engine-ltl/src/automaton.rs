//! Generalised Büchi automata whose acceptance sets are sets of edges, over conditions on states.
//!
//! A run reads one state a moment: an edge may be taken if its conditions have the values it wants in the state of that
//! moment. It accepts if it takes edges of every set again and again. The automaton may be nondeterministic; a moment at
//! which no edge can be taken ends a run.

use fencewright_ir::{Expr, Never, NeverMove, NeverState, StateAtom};

use crate::tableau::TooLarge;

/// An automaton. States are numbered from 0, the initial one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    /// What the edges speak of: at most 64 conditions.
    pub conditions: Vec<Expr<StateAtom>>,
    /// How many acceptance sets there are; at most 64.
    pub sets: u32,
    /// The edges that leave each state. An automaton without states accepts nothing.
    pub states: Vec<Vec<Edge>>,
}

/// An edge.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The state it leads to.
    pub to: u32,
    /// The conditions that must hold, a bit each.
    pub when: u64,
    /// The conditions that must not hold.
    pub unless: u64,
    /// The acceptance sets it is in, a bit each.
    pub marks: u64,
}

impl Edge {
    /// Whether it may be taken where these conditions hold and no others.
    #[inline]
    pub fn fits(&self, holding: u64) -> bool {
        self.when & !holding == 0 && self.unless & holding == 0
    }
}

impl Automaton {
    /// The automaton that the program gives: one acceptance set, with the moves from accepting states.
    pub fn of(never: &Never) -> Result<Automaton, TooLarge> {
        let mut conditions: Vec<Expr<StateAtom>> = Vec::new();
        let mut states = Vec::new();
        for NeverState { accepting, moves } in &never.states {
            let mut edges = Vec::new();
            for NeverMove { when, to } in moves {
                // The condition that is always true needs no bit.
                let when = if *when == Expr::constant(1) {
                    0
                } else {
                    let known = conditions.iter().position(|known| known == when).unwrap_or_else(|| {
                        conditions.push(when.clone());
                        conditions.len() - 1
                    });
                    1u64.checked_shl(known as u32).ok_or(TooLarge)?
                };
                edges.push(Edge { to: *to, when, unless: 0, marks: u64::from(*accepting) });
            }
            states.push(edges);
        }
        Ok(simplify(Automaton { conditions, sets: 1, states }))
    }

    /// The edges of all acceptance sets.
    pub fn all_marks(&self) -> u64 {
        bits(self.sets)
    }
}

/// The lowest `n` bits.
fn bits(n: u32) -> u64 {
    if n == 64 { u64::MAX } else { (1 << n) - 1 }
}

/// An automaton for the same words that is no larger: states that no accepting run passes are gone, marks that decide
/// nothing too, and states that cannot be told apart are one.
pub(crate) fn simplify(mut automaton: Automaton) -> Automaton {
    loop {
        let before = automaton.clone();
        trim(&mut automaton);
        drop_needless_marks(&mut automaton);
        merge_alike(&mut automaton);
        if automaton == before {
            return automaton;
        }
    }
}

/// Keeps the states on accepting runs, and marks only where they count: inside components that have all of them.
fn trim(automaton: &mut Automaton) {
    let all = automaton.all_marks();
    let components = components(automaton);
    let n = automaton.states.len();
    let mut inside = vec![0; n];
    let mut has_cycle = vec![false; n];
    for (from, edges) in automaton.states.iter().enumerate() {
        for edge in edges.iter().filter(|edge| components[from] == components[edge.to as usize]) {
            inside[components[from]] |= edge.marks;
            has_cycle[components[from]] = true;
        }
    }
    let accepts = |component: usize| has_cycle[component] && inside[component] == all;
    let mut useful: Vec<bool> = (0..n).map(|state| accepts(components[state])).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (from, edges) in automaton.states.iter().enumerate() {
            if !useful[from] && edges.iter().any(|edge| useful[edge.to as usize]) {
                useful[from] = true;
                changed = true;
            }
        }
    }
    for (from, edges) in automaton.states.iter_mut().enumerate() {
        edges.retain(|edge| useful[edge.to as usize]);
        for edge in edges {
            if components[from] != components[edge.to as usize] || !accepts(components[from]) {
                edge.marks = 0;
            }
        }
    }
    keep_reachable(automaton, &useful);
}

/// Renumbers: the states that are useful and can be reached, in the order in which a search finds them.
fn keep_reachable(automaton: &mut Automaton, useful: &[bool]) {
    let mut number = vec![None; automaton.states.len()];
    let mut order = Vec::new();
    if useful.first() == Some(&true) {
        number[0] = Some(0);
        order.push(0);
    }
    let mut next = 0;
    while next < order.len() {
        let from: usize = order[next];
        next += 1;
        for edge in &automaton.states[from] {
            let to = edge.to as usize;
            if number[to].is_none() {
                number[to] = Some(order.len() as u32);
                order.push(to);
            }
        }
    }
    let renumbered = |edge: &Edge| Edge { to: number[edge.to as usize].expect("it was reached"), ..*edge };
    automaton.states =
        order.iter().map(|&state| automaton.states[state].iter().map(renumbered).collect()).collect();
}

/// For every state the number of its strongly connected component: states that reach each other.
fn components(automaton: &Automaton) -> Vec<usize> {
    // Automata of formulae are small: reachability from every state is simple and fast enough.
    let n = automaton.states.len();
    let reachable: Vec<Vec<bool>> = (0..n)
        .map(|start| {
            let mut seen = vec![false; n];
            let mut stack = vec![start];
            while let Some(state) = stack.pop() {
                for edge in &automaton.states[state] {
                    if !std::mem::replace(&mut seen[edge.to as usize], true) {
                        stack.push(edge.to as usize);
                    }
                }
            }
            seen
        })
        .collect();
    (0..n)
        .map(|state| {
            let together = |other: &usize| reachable[state][*other] && reachable[*other][state];
            (0..n).find(|other| *other == state || together(other)).expect("the state itself")
        })
        .collect()
}

/// A set that every marked edge is in, wherever another set's edges are, decides nothing.
fn drop_needless_marks(automaton: &mut Automaton) {
    let components = components(automaton);
    let inner: Vec<u64> = (automaton.states.iter().enumerate())
        .flat_map(|(from, edges)| edges.iter().map(move |edge| (from, edge)))
        .filter(|(from, edge)| components[*from] == components[edge.to as usize])
        .map(|(_, edge)| edge.marks)
        .collect();
    // Components that do not accept have no marks at all after trimming; they accept nothing whatever is left out, as
    // long as a set is left.
    let mut kept: Vec<u32> = (0..automaton.sets).collect();
    for set in (0..automaton.sets).rev() {
        let implied = |other: u32| inner.iter().all(|marks| marks >> other & 1 <= marks >> set & 1);
        if kept.len() > 1 && kept.iter().any(|&other| other != set && implied(other)) {
            kept.retain(|&other| other != set);
        }
    }
    if let [only] = kept[..]
        && inner.iter().all(|marks| marks >> only & 1 == 1)
    {
        kept.clear();
    }
    if kept.len() == automaton.sets as usize {
        return;
    }
    for edge in automaton.states.iter_mut().flatten() {
        edge.marks = kept.iter().enumerate().map(|(i, &set)| (edge.marks >> set & 1) << i).sum();
    }
    automaton.sets = kept.len() as u32;
}

/// Merges states whose edges are the same, up to states that are merged themselves, and leaves out edges that another
/// one to the same state makes needless.
fn merge_alike(automaton: &mut Automaton) {
    // The coarsest partition that the edges respect, refined from one class.
    let mut class = vec![0u32; automaton.states.len()];
    loop {
        let mut known: Vec<(u32, Vec<Edge>)> = Vec::new();
        let mut refined = Vec::with_capacity(class.len());
        for (state, edges) in automaton.states.iter().enumerate() {
            let signature = (class[state], essential(edges, &class));
            let at = known.iter().position(|other| *other == signature).unwrap_or_else(|| {
                known.push(signature);
                known.len() - 1
            });
            refined.push(at as u32);
        }
        let n_before = class.iter().max().map_or(0, |most| most + 1);
        class = refined;
        if known.len() as u32 == n_before || known.is_empty() {
            automaton.states = known.into_iter().map(|(_, edges)| edges).collect();
            break;
        }
    }
    // Classes are numbered by their first states, so the last round, which refined nothing, changed no number.
    let n = automaton.states.len();
    keep_reachable(automaton, &vec![true; n]);
}

/// The edges with their targets' classes, sorted, without those that another one makes needless: it may be taken
/// whenever they may, leads to the same class, and has all their marks.
fn essential(edges: &[Edge], class: &[u32]) -> Vec<Edge> {
    let mut edges: Vec<Edge> =
        edges.iter().map(|edge| Edge { to: class[edge.to as usize], ..*edge }).collect();
    edges.sort_unstable();
    edges.dedup();
    let covers = |a: &Edge, b: &Edge| {
        a.to == b.to && a.when & !b.when == 0 && a.unless & !b.unless == 0 && b.marks & !a.marks == 0
    };
    let needless = |edge: &Edge| edges.iter().any(|other| other != edge && covers(other, edge));
    edges.iter().filter(|edge| !needless(edge)).copied().collect()
}
