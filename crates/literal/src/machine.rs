//! The machine: what a thread can do next, and how it is done.
//!
//! An [`Action`] is a step of a thread, a write that reaches memory, or the end of a wait. A step executes one *visible*
//! instruction (one that another thread can notice, or that depends on other threads) and then everything up to the next
//! visible one. Invisible instructions commute with everything other threads do, so running them at once loses no execution;
//! [`footprint`](crate::footprint) has the argument.
//!
//! The rules of the models are those of `docs/semantics.md`, on bytes of objects.

use std::rc::Rc;

use fencewright_base::Meter;
use smallvec::SmallVec;

use crate::buffer::{Buffer, Entry, Model};
use crate::choice::Choices;
use crate::code::{Callee, Op};
use crate::command_line::CommandLine;
use crate::event::{Event, What};
use crate::footprint::Footprints;
use crate::outside::BARRIER;
use crate::program::Program;
use crate::refusal::{Place, Refusal};
use crate::scalars::Scalars;
pub use crate::settings::{FenceKind, Partly, Settings, Stub};
use crate::state::{Frame, Part, Process, State, Status, Task, Thread};
use crate::value::{ObjectId, Scalar};
use crate::violation::{Check, Fault, Halt, Violation};

/// Something that can happen next.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// A thread continues. The choices answer, in order, what the execution leaves open.
    Step {
        /// The thread.
        thread: usize,
        /// The choices.
        choices: SmallVec<[u32; 4]>,
    },
    /// The write at this position of a thread's buffer reaches memory; then the thread runs its invisible instructions.
    Flush {
        /// The thread.
        thread: usize,
        /// The position.
        place: usize,
        /// Answers what those instructions leave open.
        choices: SmallVec<[u32; 4]>,
    },
    /// A waiting thread wakes up, spuriously or because its time limit passed.
    Wake {
        /// The thread.
        thread: usize,
        /// Whether its time limit passed.
        late: bool,
    },
}

impl Action {
    /// The answers to what it leaves open.
    pub fn choices(&self) -> &[u32] {
        match self {
            Action::Step { choices, .. } | Action::Flush { choices, .. } => choices,
            Action::Wake { .. } => &[],
        }
    }

    /// The same action with other answers.
    #[must_use]
    pub fn with_choices(&self, answers: &[u32]) -> Action {
        let mut action = self.clone();
        if let Action::Step { choices, .. } | Action::Flush { choices, .. } = &mut action {
            *choices = answers.iter().copied().collect();
        }
        action
    }

    /// The thread that acts.
    pub fn thread(&self) -> usize {
        match self {
            Action::Step { thread, .. } | Action::Flush { thread, .. } | Action::Wake { thread, .. } => {
                *thread
            }
        }
    }
}

/// What an action showed besides the state it leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// Which threads accessed which bytes.
    pub footprints: Footprints,
    /// Whether a write found its buffer full.
    pub full: bool,
    /// Whether a thread was stopped in the middle of invisible instructions.
    pub cut: bool,
    /// Whether an action only split the values that an open number can have, because the thread has to wait for some of them.
    pub only_narrowed: bool,
    /// What was tried only in part: values of open numbers, times, threads beyond the bound.
    pub partly: Partly,
    /// Where the accesses show that scalars begin, if that is recorded.
    pub scalars: Option<Scalars>,
}

/// The most instructions of one action. Then the thread stops where it stands, so that an endless loop is a cycle of states and
/// does not hang the machine. With other threads the limit is lower, because the loop may be waiting for them.
const MOST_INSTRUCTIONS: u32 = 1_000_000;
const MOST_BESIDE_OTHERS: u32 = 10_000;
/// The most combinations of open values and choices in one action. All of them are tried in turn, and a loop with a choice in
/// each round must be a cycle of states, too.
const MOST_WAYS: u64 = 1_000;
/// Units of work between two checks of the meter; an instruction is one unit.
const BETWEEN_TICKS: u64 = 4_096;

/// Executes a program under a model.
pub struct Machine<'p, 'm> {
    /// The program.
    pub program: &'p Program<'m>,
    /// The settings.
    pub settings: Settings,
    pub(crate) constructors: Vec<u32>,
    /// The functions that run when the process ends, after the registered ones. The last one runs first.
    destructors: Vec<u32>,
    pub(crate) main: u32,
    pub(crate) command_line: CommandLine,
    /// Numbers worth trying where the program leaves one open.
    pub(crate) telling: Vec<i64>,
    /// The budget: an action that would exceed it is stopped in the middle.
    meter: Meter,
}

/// An action being carried out.
pub(crate) struct Run<'r, 'p, 'm> {
    pub(crate) machine: &'r Machine<'p, 'm>,
    pub(crate) state: &'r mut State,
    pub(crate) thread: usize,
    pub(crate) choices: &'r mut Choices,
    pub(crate) notes: &'r mut Notes,
    pub(crate) events: Option<&'r mut Vec<Event>>,
    /// Whether a visible instruction may still be executed.
    pub(crate) may_act: bool,
    /// Whether one was.
    pub(crate) acted: bool,
    /// Whether another thread can act; refreshed when this one creates or joins a thread.
    pub(crate) concurrent: bool,
    /// Whether another thread has not been waited for. Its uncontested writes may be pending in the modelled machine.
    pub(crate) watched: bool,
    /// Whether the set of values of an open number was split.
    pub(crate) narrowed: bool,
    /// The bytes of texts that the current instruction has read.
    pub(crate) text: Vec<u8>,
    /// Whether the next byte of a text has to wait for another action.
    pub(crate) text_waits: bool,
    /// The ranges of bytes that the current instruction may access as its one visible step.
    pub(crate) claimed: SmallVec<[(ObjectId, u64, u64); 2]>,
    /// Work since the last check of the meter.
    pub(crate) work: u64,
}

/// What an instruction did.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next instruction follows.
    Next,
    /// It has set the program counter itself.
    Jumped,
    /// It is visible and was not executed: another action does it.
    Stop,
    /// The thread does nothing more in this action.
    Parked,
}

impl<'p, 'm> Machine<'p, 'm> {
    /// A machine for a program that has a `main`.
    pub fn new(program: &'p Program<'m>, settings: Settings) -> Result<Self, Refusal> {
        let main = (0..program.modules().len())
            .find(|module| program.modules()[*module].function_names.contains_key("main"))
            .ok_or_else(|| Refusal::new("a program without a function `main`"))?;
        let main = program.function_number(main, "main").map_err(Refusal::new)?;
        let constructors = program.constructors()?;
        let destructors = program.destructors()?;
        let telling = crate::choice::telling_numbers(program.modules());
        let command_line = CommandLine::of(program, main);
        let meter = Meter::unlimited();
        Ok(Self { program, settings, constructors, destructors, main, command_line, telling, meter })
    }

    /// The same machine, with actions that end when this budget does.
    #[must_use]
    pub fn within(self, meter: &Meter) -> Self {
        Self { meter: meter.clone(), ..self }
    }

    /// The initial state: nothing has been executed.
    pub fn initial(&self) -> State {
        let main = Thread {
            frames: Vec::new(),
            buffer: Part::new(Buffer::default()),
            status: Status::Ready,
            task: Task::Start(0),
            joined: false,
            detached: false,
            own: Part::new(crate::state::Own::default()),
        };
        let at_exit = self.destructors.iter().map(|number| (*number, Scalar::int(0).into())).collect();
        let process = Part::new(Process { at_exit, ..Process::default() });
        State { threads: vec![main], objects: Vec::new(), process }
    }

    /// The candidate actions of a state. A listed step may still be blocked.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = Vec::new();
        if state.process.ended {
            return actions;
        }
        let only = state.process.atomic.map(|(thread, _)| thread);
        for (number, thread) in state.threads.iter().enumerate() {
            let may_step = only.is_none_or(|only| only == number);
            match thread.status {
                Status::Ready | Status::Woken | Status::TimedOut if may_step => {
                    actions.push(Action::Step { thread: number, choices: SmallVec::new() });
                }
                Status::Waiting { at, timed } if may_step && at & BARRIER == 0 => {
                    actions.push(Action::Wake { thread: number, late: false });
                    if timed {
                        actions.push(Action::Wake { thread: number, late: true });
                    }
                }
                _ => {}
            }
            // Other threads cannot act within an atomic section, and its own thread has nothing pending there.
            let ready = if may_step { thread.buffer.ready(self.settings.model) } else { SmallVec::new() };
            for place in ready {
                let Entry::Write(write) = thread.buffer.entries[place] else { continue };
                // No thread can tell when a write to an object that no other thread knows reaches memory.
                let is_private =
                    state.object(write.object).is_some_and(|object| !object.shared && !object.ended);
                if !is_private {
                    actions.push(Action::Flush { thread: number, place, choices: SmallVec::new() });
                }
            }
        }
        actions
    }

    /// Whether an action is a spurious wake-up. A state in which nothing else can happen is a deadlock.
    pub fn is_spurious(&self, action: &Action) -> bool {
        matches!(action, Action::Wake { late: false, .. })
    }

    /// Carries out an action. After an error the state serves only to show where the threads stand.
    pub fn apply(
        &self,
        state: &mut State,
        action: &Action,
        choices: &mut Choices,
        notes: &mut Notes,
        events: Option<&mut Vec<Event>>,
    ) -> Result<(), Halt> {
        let thread = action.thread();
        let (concurrent, watched) = (state.is_concurrent(thread), state.is_watched(thread));
        let may_act = matches!(action, Action::Step { .. });
        let Settings { ordered, reduction, model, .. } = self.settings;
        let mut run = Run {
            machine: self,
            state,
            thread,
            choices,
            notes,
            events,
            may_act,
            acted: false,
            concurrent,
            watched,
            narrowed: false,
            text: Vec::new(),
            text_waits: false,
            claimed: SmallVec::new(),
            work: 0,
        };
        let n_threads = run.state.threads.len();
        if reduction {
            run.notes.footprints.begin(run.state, thread, ordered);
        }
        let result = match action {
            Action::Step { .. } => run.step(),
            Action::Flush { place, .. } => run.flush(*place).and_then(|()| run.go_on()),
            Action::Wake { late, .. } => {
                run.state.threads[thread].status = if *late { Status::TimedOut } else { Status::Woken };
                if *late {
                    run.pass_limit();
                }
                run.tell(if *late { What::TimesOut } else { What::WakesForNoReason });
                Ok(())
            }
        };
        if reduction {
            // Where the execution ends, the thread is left before the instruction and the others continue: what the action did
            // before counts for them, and in another order of uncontested accesses the execution might not end. Nobody sees
            // what was done in an atomic section that has not ended.
            let has_acted =
                (run.acted || matches!(action, Action::Flush { .. }) || run.state.threads.len() > n_threads)
                    && run.state.process.atomic.is_none();
            let is_left = has_acted || run.notes.footprints.has_touched();
            let goes_on = match &result {
                Ok(()) => true,
                Err(Halt::Infeasible) => is_left,
                Err(Halt::Violation(violation)) => {
                    !self.settings.checks.contains(&violation.fault.check()) && is_left
                }
                Err(_) => false,
            };
            let (acted, buffered) = (run.acted, model != Model::Sc);
            if goes_on {
                // What a thread does while it is alone is ordered with everything later.
                if run.concurrent {
                    run.notes.footprints.end(run.state, thread, ordered, acted, buffered);
                } else {
                    run.notes.footprints.tell_others();
                }
                run.forget_the_dead();
                return Ok(());
            }
            run.notes.footprints.tell_others();
        }
        result?;
        run.forget_the_dead();
        Ok(())
    }

    /// Replaces all open values that an object holds by numbers.
    pub fn make_known(&self, state: &mut State, object: ObjectId, choices: &mut Choices, notes: &mut Notes) {
        let mut run = Run {
            machine: self,
            state,
            thread: 0,
            choices,
            notes,
            events: None,
            may_act: false,
            acted: false,
            concurrent: false,
            watched: false,
            narrowed: false,
            text: Vec::new(),
            text_waits: false,
            claimed: SmallVec::new(),
            work: 0,
        };
        let size = run.state.object(object).map_or(0, |object| object.size);
        run.make_all_known(object, size);
    }

    /// Whether every thread has ended, or the process has.
    pub fn is_over(&self, state: &State) -> bool {
        state.process.ended || state.threads.iter().all(|thread| thread.status == Status::Ended)
    }

    /// Whether a thread is about to synchronise with others: to update memory atomically, or to call a function that threads
    /// use for that.
    pub fn synchronises(&self, state: &State, thread: usize) -> bool {
        const FUNCTIONS: [&str; 4] = ["pthread_", "mtx_", "cnd_", "sem_"];
        let Some(frame) = state.threads[thread].frames.last() else { return false };
        match frame.function.code.get(frame.pc as usize).map(|inst| &inst.op) {
            Some(Op::Rmw { .. } | Op::CompareExchange { .. }) => true,
            Some(Op::Call { callee: Callee::Direct(number), .. }) => {
                let name = self.program.function_name(*number);
                FUNCTIONS.iter().any(|prefix| name.starts_with(prefix))
            }
            _ => false,
        }
    }

    /// The violation in a state in which nothing can happen, if any.
    pub fn deadlock(&self, state: &State) -> Option<Violation> {
        // An atomic section that would have to wait is no execution: a section begins only if it can end.
        let is_section =
            state.process.atomic.is_some_and(|(holder, _)| state.threads[holder].status != Status::Ended);
        if is_section || self.is_over(state) || !self.settings.checks.contains(&Check::Deadlock) {
            return None;
        }
        let thread = state.threads.iter().position(|thread| thread.status != Status::Ended)?;
        Some(Violation { fault: Fault::Deadlock, thread, places: places(state, thread) })
    }
}

/// Where a thread stands, the innermost call first.
pub fn places(state: &State, thread: usize) -> Vec<Place> {
    let place = |frame: &Rc<Part<Frame>>| {
        let inst = frame.function.code.get(frame.pc as usize)?;
        Some(Place { module: frame.function.module, debug: inst.debug, at: inst.at })
    };
    state.threads[thread].frames.iter().rev().filter_map(place).collect()
}

impl Run<'_, '_, '_> {
    /// One visible instruction and everything invisible after it.
    fn step(&mut self) -> Result<(), Halt> {
        let before = self.progress();
        let (flow, executed) = self.execute()?;
        if flow == Flow::Stop && executed == 0 && self.progress() == before {
            if !self.may_act {
                // To repeat it for ever would hide everything after it.
                return Err(
                    self.refuse(Refusal::new("a call that makes several visible accesses in one step"))
                );
            }
            // It stands before something that has to wait, for its own writes or for other threads. If that depends on an open
            // value, other numbers may let it continue.
            if !self.narrowed {
                return Err(Halt::Blocked);
            }
            self.notes.only_narrowed = true;
        }
        Ok(())
    }

    /// How far the thread has come: in its calls, in its instruction, and with pending writes.
    fn progress(&self) -> (usize, u32, usize, usize, usize) {
        let thread = &self.state.threads[self.thread];
        let (done, read, text) =
            thread.frames.last().map_or((0, 0, 0), |top| (top.done, top.read.len(), top.text.len()));
        (thread.frames.len(), done, read, text, thread.buffer.entries.len())
    }

    /// What follows an action that was not a step: the thread may have been waiting for its own writes.
    fn go_on(&mut self) -> Result<(), Halt> {
        self.may_act = false;
        if self.state.threads[self.thread].status == Status::Ready && self.machine.settings.reduction {
            self.execute()?;
        }
        Ok(())
    }

    /// Executes up to the next visible instruction; returns how many were executed.
    fn execute(&mut self) -> Result<(Flow, u32), Halt> {
        for executed in 0..MOST_INSTRUCTIONS {
            if self.state.process.ended {
                return Ok((Flow::Parked, executed));
            }
            if self.concurrent && executed >= MOST_BESIDE_OTHERS {
                self.notes.cut = true;
                return Ok((Flow::Parked, executed));
            }
            let flow = if self.state.threads[self.thread].frames.is_empty() {
                self.next_task()?
            } else {
                let flow = match self.instruction() {
                    Err(Halt::Late) => Flow::Stop,
                    other => other?,
                };
                let text = std::mem::take(&mut self.text);
                self.text_waits = false;
                self.claimed.clear();
                if flow == Flow::Stop && text.len() > self.top().text.len() {
                    self.frame().text = text;
                }
                flow
            };
            match flow {
                Flow::Next => self.frame().pc += 1,
                Flow::Jumped => {}
                Flow::Stop => return Ok((flow, executed)),
                Flow::Parked => return Ok((flow, executed + 1)),
            }
            // Other threads may act before the next visible instruction, if only because they have just been created.
            self.may_act = false;
            self.spend(1)?;
            if self.choices.ways() >= MOST_WAYS {
                return Ok((Flow::Parked, executed + 1));
            }
            if !self.machine.settings.reduction && self.concurrent {
                return Ok((Flow::Parked, executed + 1));
            }
        }
        Ok((Flow::Parked, MOST_INSTRUCTIONS))
    }

    /// Counts work: an instruction is one unit, and so are some bytes.
    pub(crate) fn spend(&mut self, work: u64) -> Result<(), Halt> {
        self.work += work;
        if self.work < BETWEEN_TICKS {
            return Ok(());
        }
        self.work = 0;
        self.machine.meter.tick().map_err(Halt::Stopped)
    }

    /// Checks whether the objects of the state may take so many more bytes.
    pub(crate) fn hold(&self, more: u64) -> Result<(), Halt> {
        let held: usize =
            self.state.objects.iter().map(|(_, object)| object.bytes.len() + object.unset.len()).sum();
        self.machine.meter.hold(held as u64 + more).map_err(Halt::Stopped)
    }

    /// The innermost frame of the thread.
    pub(crate) fn frame(&mut self) -> &mut Frame {
        let frames = &mut self.state.threads[self.thread].frames;
        Part::edit(frames.last_mut().expect("a thread that executes has a frame"))
    }

    /// The same, read-only.
    pub(crate) fn top(&self) -> &Frame {
        self.state.threads[self.thread].frames.last().expect("a thread that executes has a frame")
    }

    /// A violation here. The search ignores it if its check is off.
    pub(crate) fn fault(&self, fault: Fault) -> Halt {
        let places = places(self.state, self.thread);
        Halt::Violation(Box::new(Violation { fault, thread: self.thread, places }))
    }

    /// A refusal here: something that cannot be executed.
    pub(crate) fn refuse(&self, refusal: Refusal) -> Halt {
        let place = places(self.state, self.thread).into_iter().find(|place| place.debug.is_some());
        Halt::Refused(Box::new(match place {
            Some(place) => refusal.at(place),
            None => refusal,
        }))
    }

    /// Records an event if there is a listener.
    pub(crate) fn tell(&mut self, what: What) {
        if self.events.is_none() {
            return;
        }
        let places = places(self.state, self.thread);
        let atomic = self.state.process.atomic.is_some();
        let event = Event { thread: self.thread, places, atomic, what };
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    /// Whether an access is worth an event: there is a listener, there are threads, and others may know the object.
    pub(crate) fn is_worth_telling(&self, object: ObjectId) -> bool {
        self.events.is_some() && self.state.threads.len() > 1 && self.is_shared(object)
    }
}
