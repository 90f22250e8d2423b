//! The abstract machine as a graph of controls, made as far as it is asked for. A move from a control to another says
//! what it demands of the variables and what becomes of them; which values they have is left to whoever walks the graph.

use std::hash::BuildHasher;
use std::rc::Rc;

use fencewright_base::{Index, IndexVec, Int, Meter, Stop};
use fencewright_ir::{
    CellId, Condition, Domain, EdgeId, Init, LocId, Program, Property, Quantifier, RegId, StateAtom,
    ThreadId,
    liveness::{live_registers, watched_registers},
};
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::bounds::{PossibleBounds, possible_bounds};
use crate::buffer::{Carried, Earlier, Flush, Keeping};
use crate::config::{Config, Control, Skeleton, Slot};
use crate::eager::eager;
use crate::evaluate::{Fresh, any_of, demand, truths};
use crate::linear::{Atom, Linear, equal, le};
use crate::step::Stepper;

/// A control, by its number.
pub(crate) type ControlId = u32;

/// Domains of at most so many values are followed value by value.
const SMALL: i64 = 64;

/// What a move is on the concrete machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// The start, with the values chosen where the program leaves them open.
    Start { cells: Vec<(CellId, Linear)>, registers: Vec<(ThreadId, RegId, Linear)> },
    /// A step, with the values its `Havoc`s give.
    Step { thread: ThreadId, edge: EdgeId, choices: Vec<Linear> },
    /// A pending write reaches memory.
    Flush { thread: ThreadId, cell: CellId, how: Flush },
    /// Nothing: the state violates a property.
    Look,
}

/// A move. Variables below `n_before` are those of the control it starts from; those from there to `n_all` are new and have
/// any value that the guard allows.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) act: Act,
    /// Where it leads; `None`: to a violation.
    pub(crate) target: Option<ControlId>,
    pub(crate) guard: Vec<Atom>,
    /// For each variable of the target its value.
    pub(crate) after: Vec<Linear>,
    pub(crate) n_before: usize,
    pub(crate) n_all: usize,
}

/// What the domain of a value makes of it.
#[derive(Debug, Clone)]
enum Kind {
    /// Nobody can see it any more.
    Dead,
    /// It is followed value by value, from the least to the greatest.
    Small(Int, Int),
    Variable,
}

impl Kind {
    fn of(domain: &Domain) -> Kind {
        match domain.bounds() {
            Some((lo, hi)) if hi.sub(&lo) < Int::from(SMALL) => Kind::Small(lo, hi),
            _ => Kind::Variable,
        }
    }
}

/// The abstract machine of a program.
pub(crate) struct System<'p> {
    program: &'p Program,
    keeping: Keeping,
    outgoing: IndexVec<ThreadId, IndexVec<LocId, Vec<EdgeId>>>,
    live: IndexVec<ThreadId, IndexVec<LocId, IndexVec<RegId, bool>>>,
    /// Where a thread's steps need not wait, if that is made use of.
    eager: Option<IndexVec<ThreadId, IndexVec<LocId, bool>>>,
    domains: Vec<&'p Domain>,
    cell_kinds: Vec<Kind>,
    register_kinds: Vec<Vec<Kind>>,
    /// For each thread which cells may bound what it writes to a cell.
    bounds: Rc<[PossibleBounds]>,
    controls: Vec<Rc<Control>>,
    /// For each control the first one of the same skeleton.
    skeletons: Vec<ControlId>,
    numbers: Numbers,
    /// One control of each skeleton.
    skeleton_numbers: Numbers,
    hasher: FixedState,
    moves: Vec<Option<Rc<[Move]>>>,
    start: Option<Rc<[Move]>>,
    /// The budget of making moves: one step can have more ways than there is time for.
    meter: Meter,
}

impl<'p> System<'p> {
    pub(crate) fn new(program: &'p Program, keeping: Keeping) -> Self {
        let watched = watched_registers(program, &[]);
        let live = (program.threads.iter_enumerated())
            .map(|(t, thread)| live_registers(thread, &watched[t]))
            .collect();
        let cell_kinds: Vec<Kind> = program.cells().map(|(_, domain, _)| Kind::of(domain)).collect();
        let is_of_numbers = |cell: CellId| matches!(cell_kinds[cell.index()], Kind::Variable);
        let bounds = possible_bounds(program, keeping.model, &is_of_numbers).into();
        Self {
            program,
            keeping,
            bounds,
            outgoing: program.threads.iter().map(|thread| thread.outgoing()).collect(),
            live,
            eager: None,
            domains: program.cells().map(|(_, domain, _)| domain).collect(),
            cell_kinds,
            register_kinds: (program.threads.iter())
                .map(|thread| thread.regs.iter().map(|reg| Kind::of(&reg.domain)).collect())
                .collect(),
            controls: Vec::new(),
            skeletons: Vec::new(),
            numbers: Numbers::default(),
            skeleton_numbers: Numbers::default(),
            hasher: FixedState::default(),
            moves: Vec::new(),
            start: None,
            meter: Meter::unlimited(),
        }
    }

    /// From now on moves are made within this budget.
    pub(crate) fn limit(&mut self, meter: &Meter) {
        self.meter = meter.clone();
    }

    /// The same with fewer moves, for the same violations: see [`crate::eager`].
    pub(crate) fn reduced(self) -> Self {
        Self { eager: Some(eager(self.program, self.keeping.model)), ..self }
    }

    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    pub(crate) fn keeping(&self) -> Keeping {
        self.keeping
    }

    /// Whether the cell's values are variables.
    pub(crate) fn is_of_numbers(&self, cell: CellId) -> bool {
        matches!(self.cell_kinds[cell.index()], Kind::Variable)
    }

    pub(crate) fn control(&self, id: ControlId) -> &Control {
        &self.controls[id as usize]
    }

    /// Controls of the same skeleton differ only in which values may be pending behind what is kept. It is told by the
    /// first control that has it.
    pub(crate) fn skeleton(&self, id: ControlId) -> ControlId {
        self.skeletons[id as usize]
    }

    /// A control of the same skeleton that stands for all that the two do.
    pub(crate) fn joined(&mut self, id: ControlId, other: ControlId) -> ControlId {
        if id == other {
            return id;
        }
        let (own, theirs) = (self.control(id), self.control(other));
        let both = own.earlier().zip(theirs.earlier()).map(|(own, theirs)| own.joined(theirs));
        let joined = own.with_earlier(both);
        self.number(joined)
    }

    /// Whether the second control, of the same skeleton, stands for all that the first does.
    pub(crate) fn is_within(&self, id: ControlId, other: ControlId) -> bool {
        let (own, theirs) = (self.control(id), self.control(other));
        id == other || own.earlier().zip(theirs.earlier()).all(|(own, theirs)| own.is_within(theirs))
    }

    /// The moves that lead to an initial state. They start from no variables.
    pub(crate) fn start(&mut self) -> Result<Rc<[Move]>, Stop> {
        if let Some(start) = &self.start {
            return Ok(start.clone());
        }
        let mut fresh = Fresh::from(0);
        let mut guard = Vec::new();
        let mut open = |domain: &Domain, init: &Init| match init {
            Init::Value(value) => Linear::constant(value.clone()),
            Init::Any => {
                let (value, more) = any_of(domain, &mut fresh);
                guard.extend(more);
                value
            }
        };
        let memory: Vec<Linear> = self.program.cells().map(|(_, domain, init)| open(domain, init)).collect();
        let registers: Vec<Vec<Linear>> = (self.program.threads.iter())
            .map(|thread| thread.regs.iter().map(|reg| open(&reg.domain, &reg.init)).collect())
            .collect();
        let is_open = |value: &&Linear| value.known().is_none();
        let cells = (memory.iter().enumerate())
            .filter(|(_, value)| is_open(value))
            .map(|(cell, value)| (CellId::new(cell), value.clone()))
            .collect();
        let mut named = Vec::new();
        for (t, registers) in registers.iter().enumerate() {
            for (r, value) in registers.iter().enumerate().filter(|(_, value)| is_open(value)) {
                named.push((ThreadId::new(t), RegId::new(r), value.clone()));
            }
        }
        let config = Config {
            locations: self.program.threads.iter().map(|thread| thread.entry).collect(),
            memory,
            buffers: registers.iter().map(|_| Default::default()).collect(),
            registers,
        };
        let act = Act::Start { cells, registers: named };
        let start: Rc<[Move]> = self.settle(&act, guard, &config, &fresh, 0)?.into();
        self.start = Some(start.clone());
        Ok(start)
    }

    /// The moves from a control.
    pub(crate) fn moves(&mut self, id: ControlId) -> Result<Rc<[Move]>, Stop> {
        if let Some(moves) = &self.moves[id as usize] {
            return Ok(moves.clone());
        }
        let control = self.controls[id as usize].clone();
        let config = control.symbolic();
        let n = control.n_vars();
        let mut moves = self.looks(&config, n);
        if !moves.iter().any(|made| made.guard.is_empty()) {
            match self.eager_steps(&config, n)? {
                Some(eager) => moves.extend(eager),
                None => {
                    for thread in self.program.threads.indices() {
                        self.steps(&config, n, thread, &mut moves)?;
                    }
                    self.flushes(&config, n, &mut moves)?;
                }
            }
        }
        let moves: Rc<[Move]> = moves.into();
        self.moves[id as usize] = Some(moves.clone());
        Ok(moves)
    }

    /// The steps of a thread that need not wait, one of which is possible whatever the values are.
    fn eager_steps(&mut self, config: &Config<Linear>, n: usize) -> Result<Option<Vec<Move>>, Stop> {
        for thread in self.program.threads.indices() {
            let here = config.locations[thread.index()];
            match &self.eager {
                None => return Ok(None),
                Some(eager) if !eager[thread][here] => continue,
                Some(_) => {}
            }
            let mut moves = Vec::new();
            self.steps(config, n, thread, &mut moves)?;
            if moves.iter().any(|made| made.guard.is_empty())
                && moves.iter().all(|made| made.target.is_some())
            {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    fn steps(
        &mut self,
        config: &Config<Linear>,
        n: usize,
        thread: ThreadId,
        moves: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        let location = config.locations[thread.index()];
        for place in 0..self.outgoing[thread][location].len() {
            let edge = self.outgoing[thread][location][place];
            let bounds = self.bounds.clone();
            let bounds = &bounds[thread.index()];
            let Self { program, keeping, meter, .. } = &*self;
            let stepper = Stepper { program, keeping: *keeping, thread, bounds, meter };
            let edge_of = &self.program.threads[thread].edges[edge];
            for branch in stepper.step(config, edge_of, n as u32)? {
                let act = Act::Step { thread, edge, choices: branch.choices };
                if branch.violates {
                    moves.push(to_violation(act, branch.guard, &branch.fresh, n));
                } else {
                    moves.extend(self.settle(&act, branch.guard, &branch.config, &branch.fresh, n)?);
                }
            }
        }
        Ok(())
    }

    fn flushes(&mut self, config: &Config<Linear>, n: usize, moves: &mut Vec<Move>) -> Result<(), Stop> {
        for thread in self.program.threads.indices() {
            let t = thread.index();
            for (cell, how) in config.buffers[t].flushes(self.keeping) {
                let mut next = config.clone();
                let mut fresh = Fresh::from(n as u32);
                let none = Vec::new;
                let bounds: Vec<Linear> = (config.buffers[t].bounds(cell, how).iter())
                    .map(|other| config.memory[other.index()].clone())
                    .collect();
                let values = match next.buffers[t].flush(self.keeping, cell, how) {
                    Carried::This(value) => vec![(value, none())],
                    Carried::OneOf(values) => {
                        values.into_iter().map(|value| (Linear::constant(value), none())).collect()
                    }
                    Carried::Between(least, most) => {
                        let (value, mut guard) = any_of(self.domains[cell.index()], &mut fresh);
                        let inside = [le(&least, &value), le(&value, &most)];
                        inside.into_iter().for_each(|atom| assert!(demand(&mut guard, atom)));
                        vec![(value, guard)]
                    }
                    Carried::Anything => vec![any_of(self.domains[cell.index()], &mut fresh)],
                };
                for (value, mut guard) in values {
                    if !bounds.iter().all(|bound| demand(&mut guard, le(&value, bound))) {
                        continue;
                    }
                    if how == Flush::Earlier && value == config.memory[cell.index()] {
                        continue; // Nothing changes.
                    }
                    if how == Flush::Earlier {
                        next.buffers[t].left_before_others(cell, value.clone());
                    }
                    next.memory[cell.index()] = value;
                    moves.extend(self.settle(&Act::Flush { thread, cell, how }, guard, &next, &fresh, n)?);
                }
            }
        }
        Ok(())
    }

    /// The ways in which a state of the control violates a property.
    fn looks(&self, config: &Config<Linear>, n: usize) -> Vec<Move> {
        let mut found = Vec::new();
        for property in &self.program.properties {
            let mut fresh = Fresh::from(n as u32);
            let guards = match property {
                Property::Forbidden(forbidden) => {
                    let bad = (config.locations.iter().enumerate())
                        .all(|(t, &loc)| forbidden.at[ThreadId::new(t)].contains(loc));
                    if bad { vec![Vec::new()] } else { Vec::new() }
                }
                Property::Invariant(condition) => self.guards(config, condition, false, &mut fresh),
                Property::Final { quantifier, condition, filter, observed: _ } if self.is_final(config) => {
                    let wanted = match quantifier {
                        Quantifier::Exists | Quantifier::NotExists => true,
                        Quantifier::Forall => false,
                    };
                    let filtered = filter.as_ref().map_or_else(
                        || vec![Vec::new()],
                        |filter| self.guards(config, filter, true, &mut fresh),
                    );
                    let guards = self.guards(config, condition, wanted, &mut fresh);
                    let both = |a: &Vec<Atom>, b: &Vec<Atom>| {
                        let mut all = a.clone();
                        b.iter().all(|atom| demand(&mut all, atom.clone())).then_some(all)
                    };
                    filtered.iter().flat_map(|a| guards.iter().filter_map(|b| both(a, b))).collect()
                }
                Property::Final { .. } | Property::Temporal(_) => Vec::new(),
            };
            found.extend(guards.into_iter().map(|guard| to_violation(Act::Look, guard, &fresh, n)));
        }
        found
    }

    /// The ways in which the condition holds, or does not; one without a value does not hold.
    fn guards(
        &self,
        config: &Config<Linear>,
        condition: &Condition,
        holds: bool,
        fresh: &mut Fresh,
    ) -> Vec<Vec<Atom>> {
        let value = |atom: &StateAtom| match *atom {
            StateAtom::Register(thread, reg) => config.registers[thread.index()][reg.index()].clone(),
            StateAtom::Cell(cell) => config.memory[cell.index()].clone(),
            StateAtom::At(thread, loc) => {
                Linear::constant(Int::from(config.locations[thread.index()] == loc))
            }
        };
        let all = truths(&condition.expr, &value, fresh);
        all.into_iter().filter(|(_, truth)| truth.unwrap_or(false) == holds).map(|(guard, _)| guard).collect()
    }

    fn is_final(&self, config: &Config<Linear>) -> bool {
        let ended = |(t, loc): (usize, &LocId)| self.outgoing[ThreadId::new(t)][*loc].is_empty();
        config.locations.iter().enumerate().all(ended)
            && config.buffers.iter().all(|buffer| buffer.is_empty())
    }

    /// The symbolic state as controls: values of small domains are told apart, dead registers forgotten.
    fn settle(
        &mut self,
        act: &Act,
        guard: Vec<Atom>,
        config: &Config<Linear>,
        fresh: &Fresh,
        n_before: usize,
    ) -> Result<Vec<Move>, Stop> {
        self.meter.tick()?;
        let kinds = self.kinds(config);
        if let Some(control) = settled(config, &kinds) {
            let target = Some(self.number(control));
            let n_all = fresh.next as usize;
            return Ok(vec![Move { act: act.clone(), target, guard, after: Vec::new(), n_before, n_all }]);
        }
        let meter = &self.meter;
        let mut values = Vec::with_capacity(kinds.len());
        config.for_each(&mut |value| values.push(value));
        let mut ways: Vec<(Vec<Atom>, Vec<Slot>, Vec<Linear>)> = vec![(guard, Vec::new(), Vec::new())];
        for (value, kind) in values.into_iter().zip(kinds) {
            match (kind, value.known()) {
                (Kind::Dead, _) => ways.iter_mut().for_each(|way| way.1.push(Slot::Known(Int::ZERO))),
                (Kind::Small(..), Some(known)) => {
                    ways.iter_mut().for_each(|way| way.1.push(Slot::Known(known.clone())));
                }
                (Kind::Small(lo, hi), None) => {
                    let mut more = Vec::new();
                    for (guard, slots, after) in ways {
                        meter.tick()?;
                        meter.hold(more.len() as u64 * config.bytes())?;
                        let mut number = lo.clone();
                        while number <= *hi {
                            let (mut guard, mut slots) = (guard.clone(), slots.clone());
                            let is_this = equal(value, &Linear::constant(number.clone()));
                            if is_this.into_iter().all(|atom| demand(&mut guard, atom)) {
                                slots.push(Slot::Known(number.clone()));
                                more.push((guard, slots, after.clone()));
                            }
                            number = number.add(&Int::ONE);
                        }
                    }
                    ways = more;
                }
                (Kind::Variable, _) => ways.iter_mut().for_each(|way| {
                    way.1.push(Slot::Variable);
                    way.2.push(value.clone());
                }),
            }
        }
        let mut moves = Vec::new();
        for (guard, slots, after) in ways {
            self.meter.tick()?;
            let mut slots = slots.into_iter();
            let control = config.map(&mut |_| slots.next().expect("a slot for each value"));
            let target = Some(self.number(control));
            let n_all = fresh.next as usize;
            moves.push(Move { act: act.clone(), target, guard, after, n_before, n_all });
        }
        Ok(moves)
    }

    /// For each value of the configuration what its domain makes of it.
    fn kinds(&self, config: &Config<Linear>) -> Vec<&Kind> {
        let mut kinds: Vec<&Kind> = self.cell_kinds.iter().collect();
        for (t, registers) in self.register_kinds.iter().enumerate() {
            let live = &self.live[ThreadId::new(t)][config.locations[t]];
            let alive = registers.iter().zip(live.iter());
            kinds.extend(alive.map(|(kind, live)| if *live { kind } else { &Kind::Dead }));
        }
        for buffer in &config.buffers {
            let kept = buffer.epochs.iter().flatten().map(|(cell, _)| *cell);
            let rest = buffer.rest.iter().flat_map(|(cell, rest)| {
                let values = if matches!(rest.earlier, Earlier::Ascending(..)) { 3 } else { 1 };
                std::iter::repeat_n(cell, values)
            });
            kinds.extend(kept.chain(rest).map(|cell| &self.cell_kinds[cell.index()]));
        }
        kinds
    }

    /// The number of a control.
    pub(crate) fn number(&mut self, control: Control) -> ControlId {
        let controls = &self.controls;
        let hash = self.hasher.hash_one(&control);
        if let Some(known) = self.numbers.find(hash, |id| *controls[id as usize] == control) {
            return known;
        }
        let id = ControlId::try_from(controls.len()).expect("controls fit in 32 bits");
        let skeleton_hash = self.hasher.hash_one(Skeleton(&control));
        let same = |id: ControlId| Skeleton(&controls[id as usize]) == Skeleton(&control);
        let first = self.skeleton_numbers.find(skeleton_hash, same).unwrap_or_else(|| {
            self.skeleton_numbers.insert(skeleton_hash, id);
            id
        });
        self.skeletons.push(first);
        self.controls.push(Rc::new(control));
        self.moves.push(None);
        self.numbers.insert(hash, id);
        id
    }
}

/// Controls by their hashes, which are kept: making one again costs as much as the rest of a step.
#[derive(Default)]
struct Numbers(HashTable<(u64, ControlId)>);

impl Numbers {
    fn find(&self, hash: u64, same: impl Fn(ControlId) -> bool) -> Option<ControlId> {
        self.0.find(hash, |&(other, id)| other == hash && same(id)).map(|&(_, id)| id)
    }

    /// It must not be there.
    fn insert(&mut self, hash: u64, id: ControlId) {
        self.0.insert_unique(hash, (hash, id), |&(hash, _)| hash);
    }
}

/// The control of a state in which every value is known and from a small domain.
fn settled(config: &Config<Linear>, kinds: &[&Kind]) -> Option<Control> {
    let mut place = 0;
    let mut all = true;
    config.for_each(&mut |value| {
        all &= match kinds[place] {
            Kind::Dead => true,
            Kind::Small(..) => value.known().is_some(),
            Kind::Variable => false,
        };
        place += 1;
    });
    if !all {
        return None;
    }
    let mut kinds = kinds.iter();
    Some(config.map(&mut |value| match kinds.next() {
        Some(Kind::Dead) => Slot::Known(Int::ZERO),
        _ => Slot::Known(value.constant.clone()),
    }))
}

fn to_violation(act: Act, guard: Vec<Atom>, fresh: &Fresh, n_before: usize) -> Move {
    let n_all = fresh.next as usize;
    Move { act, target: None, guard, after: Vec::new(), n_before, n_all }
}
