//! Certificates: the abstract states that a proof rests on, as sets of states of the machine, and their checker.
//!
//! The writer gives for each state kept by a search what its buffers stand for, in the words of [`language`]. The checker
//! takes a step of a thread on the reference semantics, from the state whose buffers hold the fewest writes: what a step
//! does depends on a thread's own pending writes only in their newest values and in whether there are any, and that is the
//! same in all states of the set. What the step wrote goes behind all of them. A flush takes a write that may be the first. So
//! it shares no rule of the abstract machine with the search; of the engine it knows nothing at all.
//!
//! Exact sets (FD, Set) are not written in this form; such a proof is made again with sets that stand for their subsets.

use std::collections::{BTreeSet, HashMap};

use fencewright_base::{IndexVec, Int};
use fencewright_engine::{CERTIFICATE_VERSION, NotAProof, Proof, read_certificate, write_certificate};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{LocId, Program, Property, RegId, ThreadId};
use fencewright_memory::{Action, Machine, Model, Outcome, State};
use serde::{Deserialize, Serialize};

use crate::language::{Pattern, extended, fits, flushes, is_contained, shortest};
use crate::store::Store;
use crate::system::System;

/// Values that one open choice may have: more are not tried.
const CHOICES: usize = 1 << 16;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    certificate: u32,
    engine: String,
    model: String,
    /// How the search kept buffers; for whoever reads it.
    abstraction: String,
    /// The program, in the text form of `ir`.
    program: String,
    states: Vec<WireState>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireState {
    locations: Vec<u32>,
    memory: Vec<String>,
    /// Those that can still be read; `null`: any value.
    registers: Vec<Vec<Option<String>>>,
    buffers: Vec<Pattern>,
}

/// Writes the states that a finished search keeps.
pub(crate) fn write(system: &System<'_>, store: &Store, abstraction: crate::Abstraction) -> String {
    let text = |value: u32| (**system.values.thing(value)).to_string();
    let state = |words: &[u32]| WireState {
        locations: system.program.threads.indices().map(|t| system.location(words, t).0).collect(),
        memory: system.program.cells().map(|(cell, ..)| text(system.memory(words, cell))).collect(),
        registers: (system.program.threads.iter_enumerated())
            .map(|(t, thread)| {
                let live = &system.live[t][system.location(words, t)];
                let value = |reg: RegId| live[reg].then(|| system.register(words, t, reg).to_string());
                thread.regs.indices().map(value).collect()
            })
            .collect(),
        buffers: (system.program.threads.indices())
            .map(|t| system.buffer(words, t).pattern(&|cell, value| (cell.0, text(value))))
            .collect(),
    };
    let kept = (0..store.len() as u32).filter(|&number| !store.is_covered(number));
    let wire = Wire {
        certificate: CERTIFICATE_VERSION,
        engine: "coherence".to_owned(),
        model: system.model.name().to_owned(),
        abstraction: abstraction.to_string(),
        program: fencewright_ir::text::print(system.program),
        states: without_contained(kept.map(|number| state(store.words(number)))),
    };
    write_certificate(&wire)
}

/// All of a state but its buffers.
type Key = (Vec<u32>, Vec<String>, Vec<Vec<Option<String>>>);

/// The states without those that lie within another: the search looks for such only among states of one shape.
fn without_contained(states: impl Iterator<Item = WireState>) -> Vec<WireState> {
    let mut kept: Vec<WireState> = Vec::new();
    let mut alike: HashMap<Key, Vec<usize>> = HashMap::new();
    let within = |own: &WireState, other: &WireState| {
        own.buffers.iter().zip(&other.buffers).all(|(own, theirs)| is_contained(own, theirs))
    };
    let mut dropped = BTreeSet::new();
    for state in states {
        let key = (state.locations.clone(), state.memory.clone(), state.registers.clone());
        let peers = alike.entry(key).or_default();
        if peers.iter().any(|&peer| within(&state, &kept[peer])) {
            continue;
        }
        peers.retain(|&peer| {
            let is_within = within(&kept[peer], &state);
            if is_within {
                dropped.insert(peer);
            }
            !is_within
        });
        peers.push(kept.len());
        kept.push(state);
    }
    let mut number = 0..;
    kept.retain(|_| !dropped.contains(&number.next().expect("without end")));
    kept
}

/// Checks a certificate.
pub fn verify(text: &str) -> Result<Proof, NotAProof> {
    let form = |text: &str| NotAProof::Form(text.to_owned());
    let (wire, sealed) = read_certificate::<Wire>(text)?;
    if wire.certificate != CERTIFICATE_VERSION || wire.engine != "coherence" {
        return Err(form("another version or engine"));
    }
    let model = Model::by_name(&wire.model).filter(|model| model.queues_writes());
    let model = model.ok_or_else(|| form("a model without queues of writes"))?;
    let program =
        fencewright_ir::text::parse(&wire.program).map_err(|_| form("its program cannot be read"))?;
    if program.properties.iter().any(Property::is_temporal) {
        return Err(form("states say nothing of a property of whole executions"));
    }
    let watched = watched_registers(&program, &[]);
    let mut checker = Checker {
        machine: Machine::new(&program, model),
        model,
        live: (program.threads.iter_enumerated())
            .map(|(t, thread)| live_registers(thread, &watched[t]))
            .collect(),
        patterns: Vec::new(),
        numbers: HashMap::new(),
        contained: HashMap::new(),
        states: HashMap::new(),
    };
    let mut all = Vec::new();
    for state in &wire.states {
        let (plain, buffers) =
            checker.read(&program, state).ok_or_else(|| form("a state is not of the program"))?;
        checker.states.entry(plain.clone()).or_default().push(buffers.clone());
        all.push((plain, buffers));
    }
    let nothing = checker.number(Pattern::new());
    for (_, initial) in checker.machine.initial_states(CHOICES).map_err(|_| NotAProof::Open)? {
        let plain = checker.plain(&initial);
        checker.expect(plain, &vec![nothing; program.threads.len()], "a start")?;
    }
    for (plain, buffers) in &all {
        checker.moves(plain, buffers)?;
    }
    let states = all.len();
    drop(checker);
    if sealed { Ok(Proof { program, model, size: states, unit: "states" }) } else { Err(NotAProof::Changed) }
}

/// A state with nothing pending, and 0 in every register that nobody can read any more.
type Plain = State;

struct Checker<'p> {
    machine: Machine<'p>,
    model: Model,
    live: IndexVec<ThreadId, IndexVec<LocId, IndexVec<RegId, bool>>>,
    patterns: Vec<Pattern>,
    numbers: HashMap<Pattern, u32>,
    /// Whether a pattern is contained in another, by their numbers, where that was asked.
    contained: HashMap<(u32, u32), bool>,
    /// For each plain state the patterns of its threads, one way or another.
    states: HashMap<Plain, Vec<Vec<u32>>>,
}

impl Checker<'_> {
    fn number(&mut self, pattern: Pattern) -> u32 {
        if let Some(&number) = self.numbers.get(&pattern) {
            return number;
        }
        let number = u32::try_from(self.patterns.len()).expect("the memory ends before the numbers do");
        self.patterns.push(pattern.clone());
        self.numbers.insert(pattern, number);
        number
    }

    fn read(&mut self, program: &Program, state: &WireState) -> Option<(Plain, Vec<u32>)> {
        let threads = program.threads.as_slice();
        let fit = state.memory.len() == program.n_cells()
            && [state.locations.len(), state.registers.len(), state.buffers.len()] == [threads.len(); 3]
            && threads.iter().zip(&state.locations).all(|(t, loc)| (*loc as usize) < t.locations.len())
            && threads.iter().zip(&state.registers).all(|(t, regs)| t.regs.len() == regs.len())
            && state.buffers.iter().all(|pattern| fits(pattern, self.model, program.n_cells()));
        if !fit {
            return None;
        }
        let number = |text: &String| text.parse::<Int>().ok();
        let mut registers = IndexVec::new();
        for ((t, texts), &loc) in (program.threads.indices()).zip(&state.registers).zip(&state.locations) {
            let mut values = IndexVec::new();
            for (text, live) in texts.iter().zip(&self.live[t][LocId(loc)]) {
                // Of a register that matters the value must be told.
                values.push(if *live { number(text.as_ref()?)? } else { Int::ZERO });
            }
            registers.push(values);
        }
        let memory = state.memory.iter().map(number).collect::<Option<Vec<Int>>>()?;
        let locations = state.locations.iter().map(|&loc| LocId(loc)).collect();
        let pending = threads.iter().map(|_| shortest(&[], self.model)).collect();
        let plain = State { locations, registers, memory: memory.into(), pending };
        let buffers = state.buffers.iter().map(|pattern| self.number(pattern.clone())).collect();
        Some((plain, buffers))
    }

    fn plain(&self, state: &State) -> Plain {
        let mut plain = state.clone();
        for (t, &loc) in state.locations.iter_enumerated() {
            plain.pending[t] = shortest(&[], self.model);
            for (value, live) in plain.registers[t].iter_mut().zip(&self.live[t][loc]) {
                if !live {
                    *value = Int::ZERO;
                }
            }
        }
        plain
    }

    /// Every move from the set of states.
    fn moves(&mut self, plain: &Plain, buffers: &[u32]) -> Result<(), NotAProof> {
        let mut fewest = plain.clone();
        for (pending, &buffer) in fewest.pending.iter_mut().zip(buffers) {
            *pending = shortest(&self.patterns[buffer as usize], self.model);
        }
        if let Some(violation) = self.machine.violation(&fewest) {
            return Err(NotAProof::Violation(format!("{violation:?} in {fewest:?}")));
        }
        let actions = self.machine.actions(&fewest, CHOICES).map_err(|_| NotAProof::Open)?;
        for action in actions.iter().filter(|action| !matches!(action, Action::Flush { .. })) {
            match self.machine.perform(&fewest, action) {
                Outcome::Blocked => {}
                Outcome::Violates(violation, _) => {
                    return Err(NotAProof::Violation(format!("{violation:?} by {action:?} in {fewest:?}")));
                }
                Outcome::Next(next, _) => {
                    let mut after = buffers.to_vec();
                    for (number, (pending, before)) in
                        after.iter_mut().zip(next.pending.iter().zip(&fewest.pending))
                    {
                        if pending != before {
                            let own = &self.patterns[*number as usize];
                            *number = self.number(extended(own, pending, self.model));
                        }
                    }
                    self.expect(self.plain(&next), &after, &format!("{action:?} from {fewest:?}"))?;
                }
            }
        }
        for (t, &buffer) in buffers.iter().enumerate() {
            for ((cell, value), left) in flushes(&self.patterns[buffer as usize]) {
                let mut next = plain.clone();
                next.memory[fencewright_ir::CellId(cell)] = value.parse().expect("the form was checked");
                let mut after = buffers.to_vec();
                after[t] = self.number(left);
                self.expect(next, &after, &format!("a flush of thread {t} from {fewest:?}"))?;
            }
        }
        Ok(())
    }

    /// The set must lie within one that is there.
    fn expect(&mut self, plain: Plain, buffers: &[u32], from: &str) -> Result<(), NotAProof> {
        let Checker { states, contained, patterns, .. } = self;
        let mut is_in = |own: u32, theirs: u32| {
            own == theirs
                || *contained
                    .entry((own, theirs))
                    .or_insert_with(|| is_contained(&patterns[own as usize], &patterns[theirs as usize]))
        };
        let mut known = states.get(&plain).into_iter().flatten();
        if known.any(|other| buffers.iter().zip(other).all(|(&own, &theirs)| is_in(own, theirs))) {
            return Ok(());
        }
        Err(NotAProof::Missing(format!("{from} leads to a state that is not there")))
    }
}
