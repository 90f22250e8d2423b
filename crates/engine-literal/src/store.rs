//! The states seen so far, as short lists of numbers. A state is the numbers of its process, its memory and its threads. A
//! memory is a list of objects, a thread a list of frames with its buffer. Each is stored once, however many states share it.

use std::mem::size_of;

use fencewright_literal::buffer::Buffer;
use fencewright_literal::object::Object;
use fencewright_literal::state::{Frame, Own, Process, State, Status, Task, Thread};
use fencewright_literal::value::{ObjectId, Value};

use crate::intern::{Lists, Parts};

/// The states seen so far.
pub(crate) struct Store {
    frames: Parts<Frame>,
    buffers: Parts<Buffer>,
    owns: Parts<Own>,
    objects: Parts<Object>,
    processes: Parts<Process>,
    memories: Lists,
    threads: Lists,
    states: Lists,
    scratch: Vec<u32>,
    list: Vec<u32>,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self {
            frames: Parts::new(),
            buffers: Parts::new(),
            owns: Parts::new(),
            objects: Parts::new(),
            processes: Parts::new(),
            memories: Lists::new(),
            threads: Lists::new(),
            states: Lists::new(),
            scratch: Vec::new(),
            list: Vec::new(),
        }
    }

    /// The number of a state, and whether it is new. Its parts are replaced by equal stored ones.
    pub(crate) fn number(&mut self, state: &mut State) -> (u32, bool) {
        self.list.clear();
        self.list.push(self.processes.number(&mut state.process, |_| size_of::<Process>()));
        self.scratch.clear();
        for (id, object) in &mut state.objects {
            self.scratch.push(id.0);
            self.scratch.push(
                self.objects
                    .number(object, |object| size_of::<Object>() + object.bytes.len() + object.unset.len()),
            );
        }
        self.list.push(self.memories.number(&self.scratch).0);
        for thread in &mut state.threads {
            let Thread { frames, buffer, status, task, joined, detached, own } = thread;
            self.scratch.clear();
            let (kind, at) = match status {
                Status::Ready => (0, 0),
                Status::Waiting { at, timed } => (if *timed { 2 } else { 1 }, *at),
                Status::Woken => (3, 0),
                Status::TimedOut => (4, 0),
                Status::Ended => (5, 0),
            };
            let (task, number) = match task {
                Task::Start(number) => (0, *number),
                Task::Run => (1, 0),
                Task::End => (2, 0),
                Task::Exit => (3, 0),
            };
            let flags = kind | task << 4 | u32::from(*joined) << 8 | u32::from(*detached) << 9 | number << 10;
            let buffer = self
                .buffers
                .number(buffer, |buffer| size_of::<Buffer>() + buffer.entries.len().saturating_sub(2) * 48);
            let own = self.owns.number(own, |_| size_of::<Own>());
            self.scratch.extend([flags, at as u32, (at >> 32) as u32, buffer, own]);
            for frame in frames {
                self.scratch.push(self.frames.number(frame, |frame| {
                    size_of::<Frame>() + frame.locals.len() * size_of::<Value>() + frame.read.len() * 24
                }));
            }
            self.list.push(self.threads.number(&self.scratch).0);
        }
        self.states.number(&self.list)
    }

    /// The state with a number.
    pub(crate) fn get(&self, number: u32) -> State {
        let list = self.states.get(number);
        let process = self.processes.get(list[0]);
        let memory = self.memories.get(list[1]);
        let objects =
            memory.chunks_exact(2).map(|pair| (ObjectId(pair[0]), self.objects.get(pair[1]))).collect();
        let threads = list[2..].iter().map(|thread| self.thread(*thread)).collect();
        State { threads, objects, process }
    }

    fn thread(&self, number: u32) -> Thread {
        let list = self.threads.get(number);
        let flags = list[0];
        let at = u64::from(list[1]) | u64::from(list[2]) << 32;
        Thread {
            status: match flags & 15 {
                0 => Status::Ready,
                1 => Status::Waiting { at, timed: false },
                2 => Status::Waiting { at, timed: true },
                3 => Status::Woken,
                4 => Status::TimedOut,
                _ => Status::Ended,
            },
            task: match flags >> 4 & 15 {
                0 => Task::Start(flags >> 10),
                1 => Task::Run,
                2 => Task::End,
                _ => Task::Exit,
            },
            joined: flags >> 8 & 1 == 1,
            detached: flags >> 9 & 1 == 1,
            buffer: self.buffers.get(list[3]),
            own: self.owns.get(list[4]),
            frames: list[5..].iter().map(|frame| self.frames.get(*frame)).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.states.is_full() || self.memories.is_full() || self.threads.is_full()
    }

    /// Memory use in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.frames.bytes()
            + self.buffers.bytes()
            + self.owns.bytes()
            + self.objects.bytes()
            + self.processes.bytes()
            + self.memories.bytes()
            + self.threads.bytes()
            + self.states.bytes()
    }
}
