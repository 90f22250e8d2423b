//! What makes the engine sound, tested state by state: every reachable state of the concrete machine is stood for by
//! an abstract state that the search keeps.

use std::collections::{BTreeMap, HashMap};

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_ir::{CellId, Expr, FenceKind, Op, Program, ThreadId};
use fencewright_memory::{Machine, Model, Pending, State};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};
use fencewright_testkit::toy::Toy;

use crate::Abstraction;
use crate::bag::Value;
use crate::buffer::Buffer;
use crate::store::Store;
use crate::system::{System, Target, Words};

const FIRST_SEED: u64 = 3_000_000;
const PROGRAMS: u64 = 250;

/// Past this many abstract states a program is left out.
const ABSTRACT_STATES: usize = 10_000;

/// All that the search would keep, bad states or not; nothing if it is too much.
fn everything(system: &mut System<'_>) -> Option<Store> {
    let mut store = Store::default();
    for (_, words) in system.initial_states(4096).ok()? {
        let (Ok(_) | Err(_)) = store.insert(system, words, None);
    }
    let mut number = 0;
    while (number as usize) < store.len() {
        if store.len() > ABSTRACT_STATES {
            return None;
        }
        if !store.is_covered(number) {
            let words = store.words(number).clone();
            for (_, target) in system.successors(&words, 4096).ok()? {
                if let Target::State(next) = target {
                    let (Ok(_) | Err(_)) = store.insert(system, next, Some(number));
                }
            }
        }
        number += 1;
    }
    Some(store)
}

impl System<'_> {
    /// The locations, live registers and memory of a concrete state, as an abstract one with empty buffers.
    fn without_buffers(&mut self, state: &State) -> Words {
        let mut words: Vec<u32> = state.locations.iter().map(|loc| loc.0).collect();
        for value in state.registers.iter().flatten().chain(&state.memory) {
            words.push(self.values.number(value.clone()));
        }
        for thread in self.program.threads.indices() {
            self.forget_dead_registers(&mut words, thread);
        }
        words.into_boxed_slice()
    }

    fn buffer_represents(&mut self, words: &[u32], thread: ThreadId, pending: &Pending) -> bool {
        let buffer = self.buffer(words, thread).clone();
        let mut epochs: Vec<BTreeMap<CellId, Vec<Value>>> = Vec::new();
        let mut writes = Vec::new();
        for queue in pending.rules().queues() {
            let mut epoch = 0;
            epochs.resize_with(epochs.len().max(1), BTreeMap::new);
            for entry in queue {
                match entry {
                    None => epoch += 1,
                    Some((cell, value)) => {
                        let value = self.values.number(value);
                        writes.push((cell, value));
                        epochs.resize_with(epochs.len().max(epoch + 1), BTreeMap::new);
                        epochs[epoch].entry(cell).or_default().push(value);
                    }
                }
                epochs.resize_with(epochs.len().max(epoch + 1), BTreeMap::new);
            }
        }
        match buffer {
            Buffer::Tso(buffer) => buffer.represents(&writes, &self.precision),
            Buffer::Pso(buffer) => buffer.represents(&epochs, &self.precision),
        }
    }
}

/// How many states were found to be represented; none if the program is left out.
fn check(program: &Program, model: Model, abstraction: Abstraction) -> u64 {
    let machine = Machine::new(program, model);
    let budget = Budget { states: Some(2_000), ..Budget::default() };
    let meter = Meter::start(budget, CancelToken::new());
    let Ok(graph) = explore(&machine, &Limits::buffer(3), &meter) else { return 0 };
    let mut system = System::new(program, model, abstraction).expect("a model it knows");
    let Some(store) = everything(&mut system) else { return 0 };
    let plain = system.width() - program.threads.len();
    let mut by_plain: HashMap<Words, Vec<u32>> = HashMap::new();
    for number in (0..store.len() as u32).filter(|&number| !store.is_covered(number)) {
        by_plain.entry(store.words(number)[..plain].into()).or_default().push(number);
    }
    for state in &graph.states {
        let key = system.without_buffers(state);
        let represented = by_plain.get(&key).into_iter().flatten().any(|&number| {
            let mut threads = state.pending.iter_enumerated();
            threads.all(|(thread, pending)| system.buffer_represents(store.words(number), thread, pending))
        });
        let place = format!("{} under {} with {abstraction}", program.name, model.name());
        assert!(represented, "{place}: {state:?}");
    }
    graph.states.len() as u64
}

const ABSTRACTIONS: [Abstraction; 7] = [
    Abstraction::Set,
    Abstraction::Fd(0),
    Abstraction::Fd(1),
    Abstraction::Pd(0),
    Abstraction::Pd(1),
    Abstraction::Runs(1),
    Abstraction::Runs(2),
];

#[test]
fn every_reachable_state_of_generated_programs_is_represented() {
    let mut states = 0;
    for seed in FIRST_SEED..FIRST_SEED + PROGRAMS {
        let program = program(seed, &Config::default());
        for model in [Model::Tso, Model::Pso] {
            states += ABSTRACTIONS.map(|abstraction| check(&program, model, abstraction)).iter().sum::<u64>();
        }
    }
    assert!(states > 100_000, "only {states} states were compared");
}

/// (x = r; ssfence; r = 1 - r; y = r; ssfence) for ever: more epochs than are kept apart.
#[test]
fn every_reachable_state_is_represented_where_epochs_are_joined() {
    let mut p = Toy::new("epochs");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        let r = t.reg("r");
        let other = Expr::constant(1).sub(Expr::Atom(r));
        let head = t.here();
        t.write(x, r);
        t.fence(FenceKind::StoreStore);
        t.assign(r, other);
        t.write(y, r);
        t.step_to(head, None, [Op::Fence(FenceKind::StoreStore)]);
    });
    let program = p.finish();
    // Two runs in order are more abstract states than are searched here.
    for abstraction in ABSTRACTIONS.into_iter().filter(|&abstraction| abstraction != Abstraction::Runs(2)) {
        let states = check(&program, Model::Pso, abstraction);
        assert!(states > 50, "{abstraction}: only {states} states were compared");
    }
}

/// x = r, again and again, now and then r = 1 - r: runs of equal writes.
#[test]
fn every_reachable_state_is_represented_where_writes_are_repeated() {
    let mut p = Toy::new("runs");
    let [x] = p.vars(["x"]);
    p.thread(|t| {
        let r = t.reg("r");
        let other = Expr::constant(1).sub(Expr::Atom(r));
        let head = t.here();
        t.write(x, r);
        let behind = t.here();
        t.step_to(head, None, []);
        t.go_on_from(behind);
        t.step_to(head, None, [Op::Assign { dst: r, value: other }]);
    });
    let program = p.finish();
    for abstraction in ABSTRACTIONS {
        for model in [Model::Tso, Model::Pso] {
            let states = check(&program, model, abstraction);
            assert!(states > 30, "{abstraction}: only {states} states were compared");
        }
    }
}
