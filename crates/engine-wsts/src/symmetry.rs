//! Threads that run the same text with the same registers can change places: of configurations that differ only in that,
//! one is kept.
//!
//! Threads are the same if their graphs are, and if changing their places makes bad configurations of bad ones. A
//! configuration is brought into a form in which the threads of a group stand in order; how they were changed is kept, so
//! that a run can be told in terms of the same threads from its beginning to its end.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::config::Config;
use crate::pre::Move;
use crate::system::System;

/// The most ways in which threads may change places; groups past that are left as they are.
const MOST_ARRANGEMENTS: usize = 720;

/// The groups of threads that can change places.
#[derive(Debug, Default)]
pub(crate) struct Symmetry {
    groups: Vec<Vec<usize>>,
}

/// Thread `i` stands where thread `places[i]` stood.
pub(crate) type Places = Box<[u8]>;

impl Symmetry {
    /// Those of the machine whose bad configurations these are. The single-buffer machine has none: it is a check.
    pub(crate) fn find(system: &System<'_>, bad: &[Config]) -> Self {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        if system.single {
            return Self { groups };
        }
        for thread in 0..system.n_threads() {
            let same = |group: &&mut Vec<usize>| {
                system.graphs[group[0]].is_same(&system.graphs[thread])
                    && system.late[group[0]] == system.late[thread]
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(thread),
                None => groups.push(vec![thread]),
            }
        }
        let known: HashSet<&Config, FixedState> = bad.iter().collect();
        groups.retain(|group| {
            let neighbours = group.windows(2).all(|pair| {
                let mut places: Places = (0..system.n_threads() as u8).collect();
                places.swap(pair[0], pair[1]);
                bad.iter().all(|config| known.contains(&rearranged(config, &places)))
            });
            group.len() > 1 && neighbours
        });
        let mut arrangements: usize = 1;
        groups.retain(|group| {
            let ways = (1..=group.len()).try_fold(arrangements, |ways, n| ways.checked_mul(n));
            let few = ways.filter(|ways| *ways <= MOST_ARRANGEMENTS);
            arrangements = few.unwrap_or(arrangements);
            few.is_some()
        });
        Self { groups }
    }

    /// The configuration with the threads of each group in order; `None` if they are.
    pub(crate) fn in_order(&self, config: &Config) -> Option<(Config, Places)> {
        let key = |&thread: &usize| {
            let cells = config.memory.len();
            let buffers = &config.buffers[thread * cells..(thread + 1) * cells];
            (config.nodes[thread], &config.queues[thread], buffers)
        };
        if self.groups.iter().all(|group| group.is_sorted_by_key(key)) {
            return None;
        }
        let mut places: Places = (0..config.nodes.len() as u8).collect();
        for group in &self.groups {
            let mut sorted = group.clone();
            sorted.sort_by_key(key);
            for (thread, from) in group.iter().zip(sorted) {
                places[*thread] = from as u8;
            }
        }
        Some((rearranged(config, &places), places))
    }
}

/// The configuration with thread `i` where thread `places[i]` was.
pub(crate) fn rearranged(config: &Config, places: &[u8]) -> Config {
    let cells = config.memory.len();
    let threads = || places.iter().map(|&place| place as usize);
    Config {
        nodes: threads().map(|thread| config.nodes[thread]).collect(),
        memory: config.memory.clone(),
        queues: threads().map(|thread| config.queues[thread].clone()).collect(),
        turns: config.turns.clone(),
        buffers: threads()
            .flat_map(|thread| config.buffers[thread * cells..(thread + 1) * cells].iter().cloned())
            .collect(),
    }
}

/// The move with the thread called `i` that was called `places[i]`.
pub(crate) fn renamed(made: Move, places: &[u8]) -> Move {
    let name = |thread: u8| {
        let found = places.iter().position(|&place| place == thread);
        found.expect("internal error: places are a permutation") as u8
    };
    match made {
        Move::Step { thread, link, to, role } => Move::Step { thread: name(thread), link, to, role },
        Move::Serialise { thread, cell } => Move::Serialise { thread: name(thread), cell },
        Move::Snapshot { thread } => Move::Snapshot { thread: name(thread) },
        Move::Moment => Move::Moment,
    }
}
