//! Is there a path that goes through every acceptance set again and again? Emptiness of a generalised Büchi automaton
//! whose sets are sets of transitions, on the fly.
//!
//! J.-M. Couvreur, *On-the-fly verification of linear temporal logic* (FM 1999): depth-first search that keeps the
//! strongly connected components of the path it is on, each with the union of its transitions' sets. As soon as one
//! component has them all there is an accepting cycle in it; a component that is left for good without having them is
//! forgotten. Every state is expanded once, whatever the number of sets.
//!
//! The cycle is made afterwards, inside the component only: to the nearest transition with a set that is still missing,
//! until none is, and back. The stem is a shortest path to the component through the states that were seen.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};

use fencewright_base::{Meter, Stop};

use crate::visited::NO_PARENT;
use crate::{Candidate, Visited};

/// Some acceptance sets, a bit each.
pub type Marks = u128;

/// A state space with acceptance sets of transitions.
pub trait MarkedSystem<const W: usize> {
    /// What a search keeps between calls.
    type Worker;

    /// Why an expansion could not be finished, so that the whole search is void.
    type Interrupt;

    /// All acceptance sets there are.
    fn all_marks(&self) -> Marks;

    /// Gives every initial state to `emit`, in a fixed order.
    fn initial(
        &self,
        worker: &mut Self::Worker,
        emit: &mut impl FnMut(&[u64; W]),
    ) -> Result<(), Self::Interrupt>;

    /// Gives every transition from `state` to `emit`: where it leads, and the sets it is in; in a fixed order.
    fn transitions(
        &self,
        worker: &mut Self::Worker,
        state: &[u64; W],
        emit: &mut impl FnMut(&[u64; W], Marks),
    ) -> Result<(), Self::Interrupt>;
}

/// A finished search.
pub struct Emptiness<const W: usize> {
    /// An accepting path, if there is one.
    pub path: Option<AcceptingPath<W>>,
    /// States stored.
    pub states: u64,
    /// Transitions followed.
    pub transitions: u64,
    /// Most bytes held.
    pub peak_bytes: u64,
}

/// A path that never ends and goes through every acceptance set again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptingPath<const W: usize> {
    /// The transitions before the cycle, each by the state it leaves and its sets.
    pub stem: Vec<([u64; W], Marks)>,
    /// The transitions of the cycle; at least one. The last leads to the state that the first leaves.
    pub cycle: Vec<([u64; W], Marks)>,
}

/// Why a search was not finished.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Unfinished<I> {
    /// A limit was reached, or somebody asked to stop.
    Stopped(Stop),
    /// The system could not go on.
    Interrupted(I),
}

impl<I> From<Stop> for Unfinished<I> {
    fn from(stop: Stop) -> Self {
        Unfinished::Stopped(stop)
    }
}

/// Expansions between two questions to the meter.
const EXPANSIONS_PER_TICK: u64 = 512;

/// Looks for an accepting path. `progress` is told the states stored, those on the path, and the bytes held.
pub fn accepting_path<const W: usize, S: MarkedSystem<W>>(
    system: &S,
    worker: &mut S::Worker,
    meter: &Meter,
    progress: &dyn Fn(u64, u64, u64),
) -> Result<Emptiness<W>, Unfinished<S::Interrupt>> {
    let mut search = Search {
        system,
        worker,
        meter,
        progress,
        visited: Visited::new(),
        numbers: Vec::new(),
        marks: Vec::new(),
        marks_at: HashMap::new(),
        live: Vec::new(),
        roots: Vec::new(),
        frames: Vec::new(),
        waiting: Vec::new(),
        found: Vec::new(),
        expanded: 0,
        transitions: 0,
        peak_bytes: 0,
    };
    let found = search.run()?;
    let path = if found { Some(search.accepting_path()?) } else { None };
    search.peak_bytes = search.peak_bytes.max(search.bytes());
    Ok(Emptiness {
        path,
        states: search.visited.len() as u64,
        transitions: search.transitions,
        peak_bytes: search.peak_bytes,
    })
}

/// The number of a state that was not expanded yet.
const NEW: u32 = 0;

/// The number of a state whose component was left for good.
const DEAD: u32 = u32::MAX;

struct Search<'s, const W: usize, S: MarkedSystem<W>> {
    system: &'s S,
    worker: &'s mut S::Worker,
    meter: &'s Meter,
    progress: &'s dyn Fn(u64, u64, u64),
    visited: Visited<W>,
    /// For every stored state: `NEW`, `DEAD`, or one more than its place in `live`.
    numbers: Vec<u32>,
    /// The sets of marks seen, so that a waiting transition is two small numbers.
    marks: Vec<Marks>,
    marks_at: HashMap<Marks, u32>,
    /// The states whose components are not left yet, in the order of their expansion.
    live: Vec<u32>,
    /// The components of the path, the oldest first.
    roots: Vec<Root>,
    frames: Vec<Frame>,
    /// The transitions that are still to be followed, of all frames: each frame's stand above those of the one below.
    waiting: Vec<Waiting>,
    /// Scratch space for the transitions of one state.
    found: Vec<([u64; W], Marks)>,
    expanded: u64,
    transitions: u64,
    peak_bytes: u64,
}

/// A component of the path.
struct Root {
    /// The number of its first state.
    number: u32,
    /// The sets of the transitions inside it.
    inside: Marks,
    /// The sets of the transition that led to its first state.
    entry: Marks,
}

/// A state on the path.
struct Frame {
    position: u32,
    /// Where its waiting transitions begin.
    first: usize,
}

#[derive(Clone, Copy)]
struct Waiting {
    to: u32,
    marks: u32,
}

impl<const W: usize, S: MarkedSystem<W>> Search<'_, W, S> {
    /// Whether there is an accepting component; if so, it is the last of `roots`.
    fn run(&mut self) -> Result<bool, Unfinished<S::Interrupt>> {
        let mut initial = Vec::new();
        self.system
            .initial(self.worker, &mut |state| initial.push(*state))
            .map_err(Unfinished::Interrupted)?;
        for state in initial {
            let position = self.store(&state)?;
            if self.numbers[position as usize] == NEW && self.search_from(position)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn search_from(&mut self, start: u32) -> Result<bool, Unfinished<S::Interrupt>> {
        let all = self.system.all_marks();
        self.enter(start, 0)?;
        while let Some(frame) = self.frames.last() {
            if self.waiting.len() == frame.first {
                self.leave();
                continue;
            }
            let Waiting { to, marks } = self.waiting.pop().expect("the frame has a waiting transition");
            let marks = self.marks[marks as usize];
            match self.numbers[to as usize] {
                DEAD => {}
                NEW => self.enter(to, marks)?,
                number => {
                    // Everything on the path since that state is one component.
                    let mut inside = marks;
                    while self.roots.last().expect("a live state is in a component").number > number {
                        let root = self.roots.pop().expect("there is one, just seen");
                        inside |= root.inside | root.entry;
                    }
                    let root = self.roots.last_mut().expect("a live state is in a component");
                    root.inside |= inside;
                    if root.inside == all {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Goes on to a state that is new.
    fn enter(&mut self, position: u32, entry: Marks) -> Result<(), Unfinished<S::Interrupt>> {
        self.live.push(position);
        let number = self.live.len() as u32;
        self.numbers[position as usize] = number;
        self.roots.push(Root { number, inside: 0, entry });
        let first = self.waiting.len();
        let state = *self.visited.state(position as usize);
        let mut found = std::mem::take(&mut self.found);
        self.system
            .transitions(self.worker, &state, &mut |to, marks| found.push((*to, marks)))
            .map_err(Unfinished::Interrupted)?;
        self.transitions += found.len() as u64;
        // The last to be pushed is followed first.
        for (to, marks) in found.drain(..).rev() {
            let to = self.store(&to)?;
            let marks = self.intern(marks);
            self.waiting.push(Waiting { to, marks });
        }
        self.found = found;
        self.frames.push(Frame { position, first });
        self.expanded += 1;
        if self.expanded.is_multiple_of(EXPANSIONS_PER_TICK) {
            self.meter.tick()?;
            self.meter.store(self.visited.len() as u64)?;
            let bytes = self.bytes();
            self.meter.hold(bytes)?;
            self.peak_bytes = self.peak_bytes.max(bytes);
            (self.progress)(self.visited.len() as u64, self.frames.len() as u64, bytes);
        }
        Ok(())
    }

    /// Goes back from a state all of whose transitions were followed.
    fn leave(&mut self) {
        let Frame { position, .. } = self.frames.pop().expect("somebody looked at it");
        let number = self.numbers[position as usize];
        if self.roots.last().is_some_and(|root| root.number == number) {
            self.roots.pop();
            for dead in self.live.drain(number as usize - 1..) {
                self.numbers[dead as usize] = DEAD;
            }
        }
    }

    fn store(&mut self, state: &[u64; W]) -> Result<u32, Stop> {
        if let Some(position) = self.visited.find(state) {
            return Ok(position as u32);
        }
        let candidate = Candidate { state: *state, hash: Visited::hash(state), parent: NO_PARENT };
        self.visited.insert(&candidate)?;
        self.numbers.push(NEW);
        Ok(self.visited.len() as u32 - 1)
    }

    fn intern(&mut self, marks: Marks) -> u32 {
        *self.marks_at.entry(marks).or_insert_with(|| {
            self.marks.push(marks);
            self.marks.len() as u32 - 1
        })
    }

    fn bytes(&self) -> u64 {
        let vectors = self.numbers.capacity() * size_of::<u32>()
            + self.live.capacity() * size_of::<u32>()
            + self.roots.capacity() * size_of::<Root>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.waiting.capacity() * size_of::<Waiting>();
        self.visited.bytes() + vectors as u64
    }

    fn accepting_path(&mut self) -> Result<AcceptingPath<W>, Unfinished<S::Interrupt>> {
        let root = self.roots.last().expect("the search ended in a component").number;
        let inside = |numbers: &[u32], position: u32| {
            let number = numbers[position as usize];
            number != DEAD && number >= root
        };
        let mut initial = Vec::new();
        self.system
            .initial(self.worker, &mut |state| initial.push(*state))
            .map_err(Unfinished::Interrupted)?;
        let initial: Vec<u32> =
            initial.iter().filter_map(|state| self.visited.find(state)).map(|at| at as u32).collect();
        let start = initial.iter().copied().find(|&at| inside(&self.numbers, at));
        let (stem, start) = match start {
            Some(start) => (Vec::new(), start),
            None => self.walk(&initial, |_, _| true, |numbers, to, _| inside(numbers, to))?,
        };
        let mut cycle: Vec<(u32, Marks)> = Vec::new();
        let mut here = start;
        let mut missing = self.system.all_marks();
        while missing != 0 {
            let (part, end) = self.walk(&[here], inside, |_, _, marks| marks & missing != 0)?;
            for &(_, marks) in &part {
                missing &= !marks;
            }
            cycle.extend(part);
            here = end;
        }
        if here != start || cycle.is_empty() {
            let (part, _) = self.walk(&[here], inside, |_, to, _| to == start)?;
            cycle.extend(part);
        }
        let states = |path: Vec<(u32, Marks)>| {
            path.into_iter().map(|(at, marks)| (*self.visited.state(at as usize), marks)).collect()
        };
        Ok(AcceptingPath { stem: states(stem), cycle: states(cycle) })
    }

    /// A shortest path of at least one transition, through states that were stored and that `within` allows, whose last
    /// transition, by where it leads and its sets, is the one sought; and where it leads.
    #[allow(clippy::type_complexity, reason = "a path and its end; a name would say no more")]
    fn walk(
        &mut self,
        from: &[u32],
        within: impl Fn(&[u32], u32) -> bool,
        sought: impl Fn(&[u32], u32, Marks) -> bool,
    ) -> Result<(Vec<(u32, Marks)>, u32), Unfinished<S::Interrupt>> {
        /// How a state was reached: from where, by which sets. `None` for a first one.
        type Link = Option<(u32, Marks)>;
        let mut links: BTreeMap<u32, Link> = from.iter().map(|&at| (at, None)).collect();
        let mut queue: VecDeque<u32> = from.iter().copied().collect();
        while let Some(at) = queue.pop_front() {
            let state = *self.visited.state(at as usize);
            let mut found = Vec::new();
            self.system
                .transitions(self.worker, &state, &mut |to, marks| found.push((*to, marks)))
                .map_err(Unfinished::Interrupted)?;
            for (to, marks) in found {
                let Some(to) = self.visited.find(&to).map(|to| to as u32) else { continue };
                if !within(&self.numbers, to) {
                    continue;
                }
                if sought(&self.numbers, to, marks) {
                    let mut path = vec![(at, marks)];
                    let mut back = at;
                    while let Some((before, marks)) = links[&back] {
                        path.push((before, marks));
                        back = before;
                    }
                    path.reverse();
                    return Ok((path, to));
                }
                if let Entry::Vacant(new) = links.entry(to) {
                    new.insert(Some((at, marks)));
                    queue.push_back(to);
                }
            }
        }
        unreachable!("internal error: an accepting component has a path to each of its transitions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph given by its transitions; it starts in state 0.
    struct Graph {
        transitions: Vec<(u64, u64, Marks)>,
        sets: u32,
    }

    impl MarkedSystem<1> for Graph {
        type Worker = ();
        type Interrupt = ();

        fn all_marks(&self) -> Marks {
            (1 << self.sets) - 1
        }

        fn initial(&self, (): &mut (), emit: &mut impl FnMut(&[u64; 1])) -> Result<(), ()> {
            emit(&[0]);
            Ok(())
        }

        fn transitions(
            &self,
            (): &mut (),
            state: &[u64; 1],
            emit: &mut impl FnMut(&[u64; 1], Marks),
        ) -> Result<(), ()> {
            for (_, to, marks) in self.transitions.iter().filter(|(from, ..)| *from == state[0]) {
                emit(&[*to], *marks);
            }
            Ok(())
        }
    }

    fn search(graph: &Graph) -> Emptiness<1> {
        accepting_path(graph, &mut (), &Meter::unlimited(), &|_, _, _| {}).expect("nothing stops it")
    }

    /// By definition: the transitive closure, and a state on a cycle from which, for every set, a transition of the set
    /// can be reached that leads back to it.
    #[allow(clippy::needless_range_loop, reason = "a matrix: the indices are what is meant")]
    fn accepts(graph: &Graph, n: usize) -> bool {
        let mut reaches = vec![vec![false; n]; n];
        for (from, to, _) in &graph.transitions {
            reaches[*from as usize][*to as usize] = true;
        }
        for via in 0..n {
            for from in 0..n {
                for to in 0..n {
                    reaches[from][to] |= reaches[from][via] && reaches[via][to];
                }
            }
        }
        let on_cycle_with = |state: usize, set: u32| {
            graph.transitions.iter().any(|&(from, to, marks)| {
                let (from, to) = (from as usize, to as usize);
                marks >> set & 1 == 1
                    && (from == state || reaches[state][from])
                    && (to == state || reaches[to][state])
            })
        };
        (0..n).any(|state| {
            (state == 0 || reaches[0][state])
                && reaches[state][state]
                && (0..graph.sets).all(|set| on_cycle_with(state, set))
        })
    }

    /// A path is one of the graph, begins where it should, and its cycle has all sets.
    fn is_right(graph: &Graph, path: &AcceptingPath<1>) -> bool {
        let whole: Vec<_> = path.stem.iter().chain(&path.cycle).collect();
        let follows = |(i, (from, marks)): (usize, &&([u64; 1], Marks))| {
            let to = whole.get(i + 1).map_or(path.cycle[0].0, |next| next.0);
            graph.transitions.contains(&(from[0], to[0], *marks))
        };
        whole[0].0 == [0]
            && whole.iter().enumerate().all(follows)
            && path.cycle.iter().fold(0, |all, (_, marks)| all | marks) == graph.all_marks()
    }

    #[test]
    fn random_graphs_are_judged_as_by_definition() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut found = [0, 0];
        for _ in 0..4_000 {
            let n = 1 + random(6);
            let sets = random(4) as u32;
            let transitions = (0..random(3 * n))
                .map(|_| (random(n), random(n), Marks::from(random(8)) & ((1 << sets) - 1)))
                .collect();
            let graph = Graph { transitions, sets };
            let path = search(&graph).path;
            assert_eq!(path.is_some(), accepts(&graph, n as usize), "{:?}", graph.transitions);
            if let Some(path) = &path {
                assert!(is_right(&graph, path), "{path:?} in {:?}", graph.transitions);
            }
            found[usize::from(path.is_some())] += 1;
        }
        assert!(found[0] > 1000 && found[1] > 1000, "{found:?}");
    }

    #[test]
    fn every_state_is_expanded_once_whatever_the_number_of_sets() {
        // A ring of 100 states; set i has the transition out of state i; one set has none.
        let ring = |sets: u32| Graph {
            transitions: (0..100).map(|i| (i, (i + 1) % 100, (1 << i) & ((1 << sets) - 1))).collect(),
            sets,
        };
        let whole = search(&ring(90));
        assert_eq!((whole.states, whole.transitions), (100, 100));
        assert_eq!(whole.path.map(|path| (path.stem.len(), path.cycle.len())), Some((0, 100)));
        let mut one_missing = ring(90);
        one_missing.transitions[5].2 = 0;
        let empty = search(&one_missing);
        assert_eq!((empty.path, empty.states, empty.transitions), (None, 100, 100));
    }

    #[test]
    fn limits_stop_the_search() {
        let chain = Graph { transitions: (0..5_000).map(|i| (i, i + 1, 0)).collect(), sets: 1 };
        let budget = fencewright_base::Budget { states: Some(2_000), ..Default::default() };
        let meter = Meter::start(budget, fencewright_base::CancelToken::new());
        let end = accepting_path(&chain, &mut (), &meter, &|_, _, _| {});
        assert_eq!(end.err(), Some(Unfinished::Stopped(Stop::States)));
    }
}
