//! What is noted of accesses, on states made by hand.

use std::rc::Rc;

use super::*;
use crate::buffer::Buffer;
use crate::state::{Own, Part, Process, Task, Thread};

const LOCK: ObjectId = ObjectId(3);
const DATA: ObjectId = ObjectId(4);

fn two_threads() -> State {
    let thread = || Thread {
        frames: Vec::new(),
        buffer: Part::new(Buffer::default()),
        status: Status::Ready,
        task: Task::Start(0),
        joined: false,
        detached: false,
        own: Part::new(Own::default()),
    };
    State { threads: vec![thread(), thread()], objects: Vec::new(), process: Part::new(Process::default()) }
}

/// An action that touches these objects and leaves the thread at its task with this number.
fn act(notes: &mut Footprints, state: &mut State, thread: usize, to: u32, touches: &[(ObjectId, Touch)]) {
    notes.begin(state, thread, true);
    for (object, touch) in touches {
        notes.touch(state, thread, (*object, 0, 8), *touch, false);
    }
    state.threads[thread].task = Task::Start(to);
    notes.end(state, thread, true, true, false);
}

/// The same with store buffers. `waits`: the thread waits for its writes, before others can come in or after.
fn act_buffered(
    notes: &mut Footprints,
    state: &mut State,
    thread: usize,
    to: u32,
    touches: &[(ObjectId, Touch)],
    waits: Option<bool>,
) {
    notes.begin(state, thread, true);
    if let Some(first) = waits {
        notes.settled(first);
    }
    for (object, touch) in touches {
        notes.touch(state, thread, (*object, 0, 8), *touch, false);
    }
    state.threads[thread].task = Task::Start(to);
    notes.end(state, thread, true, true, true);
}

/// The granules that conflict.
fn found(notes: &Footprints) -> Vec<Granule> {
    notes.new_ones().iter().map(|(granule, _)| *granule).collect()
}

#[test]
fn readers_alone_are_no_conflict() {
    let (mut notes, mut state) = (Footprints::default(), two_threads());
    act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::READ)]);
    act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
    assert!(notes.new_ones().is_empty());
}

#[test]
fn what_another_thread_touches_beside_an_open_access_is_contested() {
    let (mut notes, mut state) = (Footprints::default(), two_threads());
    act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
    act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
    assert_eq!(found(&notes), [(DATA, 0)]);
}

#[test]
fn a_visible_action_between_two_accesses_keeps_them_apart() {
    let (mut notes, mut state) = (Footprints::default(), two_threads());
    act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
    act(&mut notes, &mut state, 0, 2, &[]);
    act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
    assert!(notes.new_ones().is_empty());
}

#[test]
fn bytes_of_atomic_instructions_come_first() {
    let (mut notes, mut state) = (Footprints::default(), two_threads());
    act(&mut notes, &mut state, 0, 1, &[(LOCK, Touch::ATOMIC), (DATA, Touch::WRITE)]);
    act(&mut notes, &mut state, 1, 1, &[(LOCK, Touch::ATOMIC), (DATA, Touch::WRITE)]);
    assert_eq!(found(&notes), [(LOCK, 0)]);
}

#[test]
fn with_store_buffers_an_access_stays_open_until_the_thread_has_waited_for_its_writes() {
    for waits in [false, true] {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        act_buffered(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)], None);
        act_buffered(&mut notes, &mut state, 0, 2, &[], waits.then_some(true));
        act_buffered(&mut notes, &mut state, 1, 1, &[(DATA, Touch::WRITE)], None);
        assert_eq!(notes.new_ones().is_empty(), waits);
    }
}

/// A thread writes and goes on by a visible step; in the step after that, what waits for its writes is the visible
/// instruction itself, or comes after it. Then the other thread touches what was written.
#[test]
fn a_wait_after_a_visible_step_comes_too_late_for_what_was_pending_at_it() {
    for first in [false, true] {
        let (mut notes, mut state) = (Footprints::default(), two_threads());
        act_buffered(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)], None);
        act_buffered(&mut notes, &mut state, 0, 2, &[], None);
        act_buffered(&mut notes, &mut state, 0, 3, &[], Some(first));
        act_buffered(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)], None);
        assert_eq!(notes.new_ones().is_empty(), first);
    }
}

#[test]
fn joining_a_thread_keeps_open_what_another_has_touched() {
    let (mut notes, mut state) = (Footprints::default(), two_threads());
    let third = state.threads[1].clone();
    state.threads.push(third);
    act(&mut notes, &mut state, 2, 1, &[(DATA, Touch::WRITE)]);
    state.threads[1].status = Status::Ended;
    notes.begin(&state, 0, true);
    state.threads[1].joined = true;
    notes.see_others(&state, 0, true);
    notes.end(&state, 0, true, true, false);
    act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
    assert_eq!(found(&notes), [(DATA, 0)]);
}

#[test]
fn an_access_across_a_border_joins_both_sides() {
    let contested: Contested = [(DATA, 0)].into_iter().collect();
    let mut notes = Footprints::new(Rc::new(contested));
    let state = two_threads();
    assert!(notes.touch(&state, 0, (DATA, 6, 4), Touch::WRITE, false));
    assert_eq!(found(&notes), [(DATA, 1)]);
    assert!(!notes.touch(&state, 0, (DATA, 16, 8), Touch::WRITE, false));
}

/// Thread 0 writes where nothing conflicts, goes on by a visible action, and writes again; now thread 1 writes.
#[test]
fn a_refined_search_tells_accesses_apart_by_place() {
    let contested: Contested = [(DATA, 0)].into_iter().collect();
    let mut state = two_threads();
    let mut notes = Footprints::new(Rc::new(contested.refined()));
    act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
    act(&mut notes, &mut state, 0, 2, &[]);
    assert!(notes.new_ones().is_empty());
    act(&mut notes, &mut state, 0, 3, &[(DATA, Touch::WRITE)]);
    act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::WRITE)]);
    let contested = contested.refined().with(notes.new_ones());

    let mut notes = Footprints::new(Rc::new(contested));
    let mut state = two_threads();
    let mut is_visible = |state: &State, thread| {
        notes.begin(state, thread, true);
        notes.touch(state, thread, (DATA, 0, 8), Touch::WRITE, false)
    };
    assert!(!is_visible(&state, 0), "the first write is ordered");
    assert!(is_visible(&state, 1));
    state.threads[0].task = Task::Start(2);
    assert!(is_visible(&state, 0));
}

#[test]
fn a_visible_access_conflicts_with_an_open_one_that_is_not() {
    let contested: Contested = [(DATA, 0)].into_iter().collect();
    let mut state = two_threads();
    let here = access(&state, 1);
    let contested = contested.refined().with(&[((DATA, 0), here)].into_iter().collect());
    let mut notes = Footprints::new(Rc::new(contested));
    act(&mut notes, &mut state, 0, 1, &[(DATA, Touch::WRITE)]);
    assert!(notes.new_ones().is_empty());
    act(&mut notes, &mut state, 1, 1, &[(DATA, Touch::READ)]);
    assert_eq!(found(&notes), [(DATA, 0)]);
}
