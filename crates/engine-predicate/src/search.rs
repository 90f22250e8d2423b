//! Reachability on the abstract machine (SAS 2012, algorithm 1) over controls with what is known: first what is nearest to a
//! violation as far as the text tells, and of that what was found first.
//!
//! What has been visited is, for each control, a disjunction of conjunctions; a new one that lies within one of them says nothing
//! new, nor does one whose control differs only in that fewer values may be pending. (That it might lie within several of them together is not noticed: then more is visited than need be.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use fencewright_base::{Progress, Stop};
use fencewright_engine::Context;

use crate::distance::Distances;
use crate::known::{Known, after};
use crate::precision::Precision;
use crate::sums::Instance;
use crate::system::{ControlId, Move, System};

/// How a search ended.
pub(crate) enum Found {
    /// No violation: these are all abstract states, and every move from one of them leads into one of them.
    Nothing(Vec<(ControlId, Known)>),
    /// A path of the abstract machine to a violation.
    Path {
        /// Its moves.
        moves: Vec<Move>,
        /// Whether on the way more was taken to be pending than the moves before had left there.
        joined: bool,
    },
}

/// What a search goes by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Precise {
    /// The predicates.
    pub(crate) precision: Precision,
    /// Whether states that differ only in the values that may be pending are told apart.
    pub(crate) apart: bool,
}

struct Node {
    control: ControlId,
    known: Known,
    /// The node it was reached from, and by which of that one's moves.
    from: Option<usize>,
    by: usize,
    /// How many moves led here.
    depth: u32,
    /// Whether its control stands for more than the move that led here did.
    joined: bool,
    /// Whether it lies within another that was visited later.
    covered: bool,
}

/// Searches with these predicates.
pub(crate) fn search(
    system: &mut System<'_>,
    Precise { precision, apart }: &Precise,
    context: &mut Context<'_>,
    phase: &str,
) -> Result<Found, Stop> {
    let mut search = Search {
        nodes: Vec::new(),
        visited: Vec::new(),
        next: BinaryHeap::new(),
        distances: Distances::new(system.program()),
        instances: Instances { of: Vec::new(), none: Rc::new([]) },
        bytes: 0,
        apart: *apart,
    };
    let start = system.start()?;
    let nowhere = Known::nothing(0);
    for (by, made) in start.iter().enumerate() {
        let instances = search.instances.of(system, made, precision);
        if let Ok(known) = after(made, &nowhere, precision, &instances) {
            search.visit(system, made, known, None, by);
        }
    }
    context.statistics.transitions = 0;
    while let Some(Reverse((_, number))) = search.next.pop() {
        if search.nodes[number].covered {
            continue;
        }
        context.meter.tick()?;
        context.meter.store(search.nodes.len() as u64)?;
        context.meter.hold(search.bytes)?;
        context.statistics.states = search.nodes.len() as u64;
        context.statistics.peak_bytes = context.statistics.peak_bytes.max(search.bytes);
        if number % 1024 == 0 {
            let (states, frontier) = (search.nodes.len() as u64, search.next.len() as u64);
            (context.progress)(Progress { phase, states, frontier, bytes: search.bytes });
        }
        let (control, known) = (search.nodes[number].control, search.nodes[number].known.clone());
        let moves = system.moves(control)?;
        for (by, made) in moves.iter().enumerate() {
            context.meter.tick()?;
            let instances = search.instances.of(system, made, precision);
            let Ok(known) = after(made, &known, precision, &instances) else { continue };
            context.statistics.transitions += 1;
            if made.target.is_none() {
                return search.path(system, number, made);
            }
            search.visit(system, made, known, Some(number), by);
        }
    }
    let kept = search.nodes.into_iter().filter(|node| !node.covered);
    Ok(Found::Nothing(kept.map(|node| (node.control, node.known)).collect()))
}

/// For each control the predicates on its variables that are no zones.
struct Instances {
    of: Vec<Option<Rc<[Instance]>>>,
    none: Rc<[Instance]>,
}

impl Instances {
    /// For what a move leads to.
    fn of(&mut self, system: &System<'_>, made: &Move, precision: &Precision) -> Rc<[Instance]> {
        let Some(target) = made.target.filter(|_| precision.follows_sums()) else { return self.none.clone() };
        let index = target as usize;
        if self.of.len() <= index {
            self.of.resize(index + 1, None);
        }
        let found = || precision.instances(&system.control(target).places());
        self.of[index].get_or_insert_with(found).clone()
    }
}

struct Search {
    nodes: Vec<Node>,
    /// For each skeleton its nodes that are not covered.
    visited: Vec<Vec<usize>>,
    /// Those to be expanded: by moves made and moves to come, then by number.
    next: BinaryHeap<Reverse<(u32, usize)>>,
    distances: Distances,
    instances: Instances,
    bytes: u64,
    apart: bool,
}

impl Search {
    /// Notes what a move leads to, unless that is known. Where only the values that may be pending differ from what is
    /// known, the two are joined, so that for each skeleton and zone there is one node in the end.
    fn visit(&mut self, system: &mut System<'_>, made: &Move, known: Known, from: Option<usize>, by: usize) {
        let mut control = made.target.expect("what violates is not visited");
        let index = system.skeleton(control) as usize;
        if self.visited.len() <= index {
            self.visited.resize_with(index + 1, Vec::new);
        }
        let Search { nodes, visited, apart, .. } = self;
        let covers = |node: &Node| system.is_within(control, node.control) && known.is_within(&node.known);
        if visited[index].iter().any(|&number| covers(&nodes[number])) {
            return;
        }
        let like = visited[index].iter().find(|&&number| !*apart && nodes[number].known == known);
        if let Some(&like) = like {
            control = system.joined(control, nodes[like].control);
        }
        let joined = Some(control) != made.target;
        visited[index].retain(|&number| {
            let node = &nodes[number];
            let covered = system.is_within(node.control, control) && node.known.is_within(&known);
            nodes[number].covered = covered;
            !covered
        });
        let number = self.nodes.len();
        self.bytes += size_of::<Node>() as u64 + known.bytes() + 16;
        self.visited[index].push(number);
        let depth = from.map_or(0, |from| self.nodes[from].depth + 1);
        let to_come = self.distances.from(&system.control(control).locations);
        self.nodes.push(Node { control, known, from, by, depth, joined, covered: false });
        self.next.push(Reverse((depth + to_come, number)));
    }

    fn path(&self, system: &mut System<'_>, mut number: usize, last: &Move) -> Result<Found, Stop> {
        let mut moves = vec![last.clone()];
        let mut any_joined = false;
        loop {
            let Node { from, by, joined, .. } = self.nodes[number];
            any_joined |= joined;
            match from {
                Some(from) => {
                    moves.push(system.moves(self.nodes[from].control)?[by].clone());
                    number = from;
                }
                None => {
                    moves.push(system.start()?[by].clone());
                    moves.reverse();
                    return Ok(Found::Path { moves, joined: any_joined });
                }
            }
        }
    }
}
