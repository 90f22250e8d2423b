//! A state of the machine: threads with their frames and store buffers, and the objects of memory.
//!
//! States share the parts in which they agree ([`Part`]). So a copy is cheap, and a store can keep a state as a list of
//! numbers.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::buffer::Buffer;
use crate::code::Function;
use crate::layout::Shape;
use crate::object::Object;
use crate::open::Symbols;
use crate::value::{ObjectId, Scalar, Value};

/// A part of a state that several states may share. A store of states can number it.
#[derive(Debug)]
pub struct Part<T> {
    number: Cell<u32>,
    value: T,
}

impl<T> Part<T> {
    /// A part without a number.
    pub fn new(value: T) -> Rc<Self> {
        Rc::new(Self { number: Cell::new(0), value })
    }

    /// Its number, if it has been given one.
    pub fn number(&self) -> Option<u32> {
        self.number.get().checked_sub(1)
    }

    /// Gives it a number.
    pub fn set_number(&self, number: u32) {
        self.number.set(number + 1);
    }
}

impl<T: Clone> Part<T> {
    /// Mutable access: makes an own, unnumbered copy if the part is shared.
    pub fn edit(part: &mut Rc<Self>) -> &mut T {
        let own = Rc::make_mut(part);
        own.number.set(0);
        &mut own.value
    }
}

impl<T: Clone> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self { number: Cell::new(0), value: self.value.clone() }
    }
}

impl<T> std::ops::Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A call that has not returned.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The function.
    pub function: Rc<Function>,
    /// The next instruction, or the call that has not returned.
    pub pc: u32,
    /// Registers and slots.
    pub locals: Vec<Value>,
    /// Objects that end with the frame.
    pub objects: SmallVec<[ObjectId; 4]>,
    /// The variadic arguments.
    pub extra: Rc<[(Value, Rc<Shape>)]>,
    /// How far the thread's stack reaches.
    pub stack_top: u64,
    /// How many parts of the current instruction are done.
    pub done: u32,
    /// What those parts have read.
    pub read: Vec<crate::value::Scalar>,
    /// The bytes of texts that the instruction has read so far, in the order of reading.
    pub text: Vec<u8>,
    /// What happens when it returns.
    pub then: Then,
}

/// What happens when a frame returns.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Then {
    /// The caller continues with the result.
    Result,
    /// The caller continues with the result, and an atomic section ends.
    Atomic,
    /// The thread continues with its next task: another constructor, `main`, another destructor, its end.
    Task,
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        let Self { function, pc, locals, objects, extra, stack_top, done, read, text, then } = self;
        function.number == other.function.number
            && *pc == other.pc
            && *locals == other.locals
            && *objects == other.objects
            && *extra == other.extra
            && *stack_top == other.stack_top
            && *done == other.done
            && *read == other.read
            && *text == other.text
            && *then == other.then
    }
}

impl Eq for Frame {}

impl Hash for Frame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { function, pc, locals, objects, extra, stack_top, done, read, text, then } = self;
        function.number.hash(state);
        pc.hash(state);
        locals.hash(state);
        objects.hash(state);
        for (value, _) in extra.iter() {
            value.hash(state);
        }
        stack_top.hash(state);
        done.hash(state);
        read.hash(state);
        text.hash(state);
        then.hash(state);
    }
}

/// Whether a thread can continue.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Status {
    /// It executes; its next instruction may have to wait.
    Ready,
    /// It waits at this address to be woken. With `timed`, it may stop waiting at any time.
    Waiting {
        /// The condition variable or futex word.
        at: u64,
        /// Whether the wait has a time limit.
        timed: bool,
    },
    /// It has been woken.
    Woken,
    /// It has stopped waiting because its time limit passed.
    TimedOut,
    /// It has ended.
    Ended,
}

/// What a thread does next when it has no frames.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Task {
    /// The constructor with this number, or `main` after the last one.
    Start(u32),
    /// The function it was created for.
    Run,
    /// The destructors of thread-specific values, then its end.
    End,
    /// The functions registered for the end of the process, then that end.
    Exit,
}

/// What a thread keeps besides its frames.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Own {
    /// Values of thread-specific keys.
    pub keys: Vec<(u32, Value)>,
    /// Keys whose destructor has been called, once per call.
    pub destroyed: Vec<u32>,
    /// Its cancellation state and type. They can only be queried: no thread is ever cancelled.
    pub cancellation: [u32; 2],
    /// Functions to call with an argument when it ends, the last one first.
    pub at_end: Vec<(u32, Value)>,
    /// Exceptions in flight and exceptions being handled; of each kind the innermost is last.
    pub exceptions: Vec<Exception>,
    /// Its copies of thread-local variables.
    pub thread_locals: Vec<(u32, ObjectId)>,
    /// What it returned.
    pub result: Option<Value>,
    /// The object of `errno`, once it has been asked for.
    pub errno: ObjectId,
    /// The function it was created for and its argument, until it starts.
    pub start: Option<(Value, Value)>,
}

/// An exception.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Exception {
    /// The address of the thrown object.
    pub object: Scalar,
    /// The part of it that the landing pad receives: a base class, or what it points to.
    pub adjusted: Scalar,
    /// The address of its type information.
    pub type_info: u64,
    /// How many handlers have begun with it and not ended.
    pub handlers: u32,
    /// Whether it is in flight again while its handlers have not ended.
    pub rethrown: bool,
}

/// A thread.
#[derive(Debug, Clone)]
pub struct Thread {
    /// The innermost frame last.
    pub frames: Vec<Rc<Part<Frame>>>,
    /// Writes that have not reached memory.
    pub buffer: Rc<Part<Buffer>>,
    /// Whether it can continue.
    pub status: Status,
    /// What it does when it has no frames.
    pub task: Task,
    /// Whether a thread has joined it.
    pub joined: bool,
    /// Whether it is detached.
    pub detached: bool,
    /// What else it keeps.
    pub own: Rc<Part<Own>>,
}

/// What the process keeps.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Process {
    /// Whether it has ended.
    pub ended: bool,
    /// The thread in an atomic section, and how many nested sections it has begun.
    pub atomic: Option<(usize, u32)>,
    /// The destructor of each thread-specific key; `None` for one that was deleted.
    pub keys: Vec<Option<Value>>,
    /// What is called at exit, the last one first.
    pub at_exit: Vec<(u32, Value)>,
    /// The time at the last look at a clock, in nanoseconds; 0 before the first.
    pub time: u64,
    /// For how long threads have slept since then.
    pub slept: u64,
    /// How often they have.
    pub sleeps: u32,
    /// How often the time was later by the length of sleeps only.
    pub steps: u32,
    /// How many files have been opened.
    pub descriptors: u32,
    /// The environment variables that the program has asked for, and whether they are set.
    pub environment: Vec<(Box<[u8]>, bool)>,
    /// What is known of the values that the program leaves open.
    pub open: Symbols,
}

/// A state.
#[derive(Debug, Clone)]
pub struct State {
    /// Threads by number; 0 runs `main`.
    pub threads: Vec<Thread>,
    /// Objects by number: the globals written so far, and everything that threads made.
    pub objects: Vec<(ObjectId, Rc<Part<Object>>)>,
    /// What the process keeps.
    pub process: Rc<Part<Process>>,
}

impl State {
    /// The object, if it is in the table.
    pub fn object(&self, id: ObjectId) -> Option<&Rc<Part<Object>>> {
        let found = self.objects.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        Some(&self.objects[found].1)
    }

    /// Puts an object into the table.
    pub fn put(&mut self, id: ObjectId, object: Object) {
        match self.objects.binary_search_by_key(&id, |(known, _)| *known) {
            Ok(found) => self.objects[found].1 = Part::new(object),
            Err(place) => self.objects.insert(place, (id, Part::new(object))),
        }
    }

    /// Takes an object out of the table.
    pub fn remove(&mut self, id: ObjectId) {
        if let Ok(found) = self.objects.binary_search_by_key(&id, |(known, _)| *known) {
            self.objects.remove(found);
        }
    }

    /// The object, to be changed.
    pub fn edit(&mut self, id: ObjectId) -> Option<&mut Object> {
        let found = self.objects.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        Some(Part::edit(&mut self.objects[found].1))
    }

    /// Whether another thread exists that has not ended, been joined and emptied its buffer.
    pub fn is_watched(&self, thread: usize) -> bool {
        let waited_for =
            |other: &Thread| other.status == Status::Ended && other.joined && other.buffer.is_empty();
        self.threads.iter().enumerate().any(|(number, other)| number != thread && !waited_for(other))
    }

    /// Whether another thread can still act.
    pub fn is_concurrent(&self, thread: usize) -> bool {
        let lives = |other: &Thread| other.status != Status::Ended || !other.buffer.is_empty();
        self.threads.iter().enumerate().any(|(number, other)| number != thread && lives(other))
    }
}
