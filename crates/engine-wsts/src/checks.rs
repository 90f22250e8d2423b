//! The order and the predecessors against the late machine, state by state, on generated programs: for configurations
//! that searches find and all reachable states of small late machines,
//! - if `a` is below `b`, every state that `b` stands for is one that `a` stands for;
//! - a state from which a move leads into a configuration is stood for by it or by one of its predecessors;
//! - from every state that a predecessor stands for, moves lead into the configuration.

use fencewright_base::Meter;
use fencewright_memory::Model;
use fencewright_testkit::generate::{Config as Shape, program};

use crate::config::{ANY, Config, Entry};
use crate::label::{Cell, Label, Value};
use crate::late::{LateState, Past, reachable, successors};
use crate::order::below;
use crate::pre::Move;
use crate::system::{ANYWHERE, System};

/// Queues and buffers in the states that are looked at.
const LONGEST: usize = 2;
/// Configurations of one program, and states of its late machine, that are looked at.
const CONFIGS: usize = 60;
const STATES: usize = 4_000;

fn shape() -> Shape {
    Shape { threads: 2, cells: 2, statements: 3, relaxed: 60 }
}

/// Looks at a machine, configurations and states of it; the last says which they are.
type Look<'a> = dyn FnMut(&System<'_>, &[Config], &[LateState], &str) + 'a;

/// Calls the function for small programs under TSO and PSO, with the first configurations of a search from their bad
/// states and their reachable late states. Says how many programs there were.
fn for_small_programs(seeds: std::ops::Range<u64>, look: &mut Look<'_>) -> usize {
    let mut looked_at = 0;
    for seed in seeds {
        let program = program(seed, &shape());
        for model in [Model::Tso, Model::Pso] {
            let Ok(mut system) = System::new(&program, model, false, &Meter::unlimited()) else { continue };
            let Ok(bad) = system.bad() else { continue };
            let Some(states) = reachable(&system, LONGEST, STATES) else { continue };
            let states: Vec<LateState> = states.into_iter().collect();
            let mut configs: Vec<Config> = bad.into_iter().take(CONFIGS / 4).collect();
            let mut at = 0;
            while at < configs.len() && configs.len() < CONFIGS {
                let mut before = Vec::new();
                system.predecessors(&configs[at], &mut before);
                for (_, config) in before {
                    if !configs.contains(&config) {
                        configs.push(config);
                    }
                }
                at += 1;
            }
            looked_at += 1;
            look(&system, &configs, &states, &format!("seed {seed} under {}", model.name()));
        }
    }
    looked_at
}

fn packed(system: &System<'_>, config: &Config) -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    let marks = config.pack(system, &mut bytes);
    (bytes, marks)
}

#[test]
fn what_is_above_stands_for_less() {
    let (mut pairs, mut strict) = (0, 0);
    let programs = for_small_programs(9_000..9_060, &mut |system, configs, states, place| {
        for a in configs {
            let (bytes_a, marks_a) = packed(system, a);
            assert_eq!(Config::unpack(system, &a.nodes, &bytes_a), *a, "{place}: bytes come back");
            assert!(below(system, &bytes_a, &bytes_a), "{place}: reflexive");
            for b in configs.iter().filter(|b| b.nodes == a.nodes && *b != a) {
                let (bytes_b, marks_b) = packed(system, b);
                pairs += 1;
                if !below(system, &bytes_a, &bytes_b) {
                    continue;
                }
                strict += 1;
                assert_eq!(marks_a & !marks_b, 0, "{place}: what demands more has all the marks");
                for state in states.iter().filter(|state| stands_for(system, b, state)) {
                    assert!(stands_for(system, a, state), "{place}: {a:?} below {b:?}, but not {state:?}");
                }
            }
        }
    });
    assert!(programs > 60 && pairs > 1_000 && strict > 100, "{programs} {pairs} {strict}");
}

#[test]
fn every_move_into_a_configuration_comes_from_a_predecessor() {
    let mut moves = 0;
    let programs = for_small_programs(9_100..9_160, &mut |system, configs, states, place| {
        for config in configs.iter().filter(|config| !has_moment(config)).take(CONFIGS / 3) {
            let before = with_shared_snapshots(system, config);
            for state in states {
                // A local step of a thread is contracted into the step before it.
                let leads =
                    |next: &LateState| stands_for(system, config, next) && !is_local(system, state, next);
                if stands_for(system, config, state)
                    || !successors(system, state, LONGEST + 2).iter().any(leads)
                {
                    continue;
                }
                moves += 1;
                let known = before.iter().any(|before| stands_for(system, before, state));
                assert!(known, "{place}: {state:?} leads into {config:?}");
            }
        }
    });
    assert!(programs > 60 && moves > 2_000, "{programs} {moves}");
}

#[test]
fn from_every_predecessor_moves_lead_into_the_configuration() {
    let mut looked_at = 0;
    let programs = for_small_programs(9_200..9_260, &mut |system, configs, states, place| {
        for config in configs.iter().filter(|config| !has_moment(config)).take(CONFIGS / 3) {
            let mut before = Vec::new();
            system.predecessors(config, &mut before);
            for (made, before) in &before {
                for state in states.iter().filter(|state| stands_for(system, before, state)).take(8) {
                    looked_at += 1;
                    let arrives = arrives(system, config, state, made);
                    assert!(
                        arrives,
                        "{place}: {state:?}, {before:?} by {made:?} does not come to {config:?}"
                    );
                }
            }
        }
    });
    assert!(programs > 60 && looked_at > 2_000, "{programs} {looked_at}");
}

/// The predecessors, and those of a snapshot that several entries share: one move there, several here.
fn with_shared_snapshots(system: &System<'_>, config: &Config) -> Vec<Config> {
    let mut before = Vec::new();
    system.predecessors(config, &mut before);
    let mut at = 0;
    while at < before.len() {
        let (made, config) = before[at].clone();
        at += 1;
        if matches!(made, Move::Snapshot { .. }) {
            let mut further = Vec::new();
            system.predecessors(&config, &mut further);
            before.extend(further.into_iter().filter(|(next, _)| *next == made));
        }
    }
    before.into_iter().map(|(_, config)| config).collect()
}

fn has_moment(config: &Config) -> bool {
    config.queues.iter().flatten().any(|entry| matches!(entry, Entry::Moment(_)))
}

/// Whether only a thread's node differs and no memory was touched: a local step.
fn is_local(system: &System<'_>, state: &LateState, next: &LateState) -> bool {
    let moved = (0..system.n_threads()).find(|&thread| state.nodes[thread] != next.nodes[thread]);
    moved.is_some_and(|thread| {
        system.graphs[thread].links.iter().any(|link| {
            link.from == state.nodes[thread] && link.to == next.nodes[thread] && link.label == Label::Local
        })
    })
}

/// Whether few moves of the thread that made the move, and local steps of it, lead into the configuration.
fn arrives(system: &System<'_>, config: &Config, state: &LateState, made: &Move) -> bool {
    let thread = match *made {
        Move::Step { thread, .. } | Move::Serialise { thread, .. } | Move::Snapshot { thread } => {
            thread as usize
        }
        Move::Moment => return true,
    };
    let others = |next: &LateState| {
        (0..system.n_threads()).all(|other| {
            other == thread
                || next.nodes[other] == state.nodes[other] && next.queues[other] == state.queues[other]
        })
    };
    let mut seen = vec![state.clone()];
    let mut at = 0;
    // Dropping, flushing what is before, the move, and a local step or two.
    while at < seen.len() && at < 3_000 {
        if stands_for(system, config, &seen[at]) {
            return true;
        }
        for next in successors(system, &seen[at], LONGEST + 2) {
            if others(&next) && !seen.contains(&next) {
                seen.push(next);
            }
        }
        at += 1;
    }
    false
}

/// Whether the configuration stands for the state: by trying all places for its entries. `Moment` entries excepted.
fn stands_for(system: &System<'_>, config: &Config, state: &LateState) -> bool {
    let nodes = config.nodes.iter().zip(&state.nodes);
    let memory = config.memory.iter().zip(&state.memory);
    nodes.into_iter().all(|(wanted, node)| *wanted == ANYWHERE || wanted == node)
        && memory.into_iter().all(|(wanted, value)| *wanted == ANY || wanted == value)
        && (0..system.n_threads()).all(|thread| {
            let queue: Vec<&Past> = state.queues[thread].iter().collect();
            queue_has(&config.queues[thread], &queue, 0)
        })
        && config.buffers.iter().zip(&state.buffers).all(|(word, buffer)| {
            let newest = !word.exact || word.values.last() == buffer.back();
            let mut rest = buffer.iter();
            newest && word.values.iter().all(|value| rest.any(|other| other == value))
        })
}

/// Whether the entries fit the queue, nothing they look at being before `from`.
fn queue_has(entries: &[Entry], queue: &[&Past], from: usize) -> bool {
    let Some((first, rest)) = entries.split_first() else { return true };
    let newest_own =
        |cell: Cell| queue.iter().rposition(|past| matches!(past, Past::Own(of, _) if *of == cell));
    match first {
        Entry::Moment(_) => false,
        Entry::Own(cell, value) => {
            newest_own(*cell).is_some_and(|place| place >= from && *queue[place] == Past::Own(*cell, *value))
                && queue_has(rest, queue, from)
        }
        Entry::See(pairs) => (from..queue.len()).any(|place| {
            let Past::Snapshot(memory) = queue[place] else { return false };
            let fits = |&(cell, value): &(Cell, Value)| {
                memory[cell as usize] == value && newest_own(cell).is_none_or(|own| own < place)
            };
            pairs.iter().all(fits) && queue_has(rest, queue, place)
        }),
    }
}
