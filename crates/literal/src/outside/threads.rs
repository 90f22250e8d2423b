//! POSIX and C11 threads. A thread's handle is its number plus one.
//!
//! *Limit:* cancellation, signals to threads and `fork` are refused.

use super::{Arguments, Done, Outside, zero};
use crate::buffer::Buffer;
use crate::event::What;
use crate::footprint::Touch;
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::state::{Frame, Own, Part, Status, Task, Thread};
use crate::value::{ObjectId, Scalar, Value};
use crate::violation::{Fault, Halt, Limit, Use};
use crate::visible::Order;

const ESRCH: u64 = 3;
const EINVAL: u64 = 22;
const EDEADLK: u64 = 35;
const EBUSY: u64 = 16;
const ETIMEDOUT: u64 = 110;
/// What the functions of C11 give for all of these.
const THRD_ERROR: u64 = 2;

pub(super) fn look_up(name: &str) -> Option<Outside> {
    Some(match name {
        "pthread_create" => |run, a| create(run, a.scalar(0), a.scalar(1), a.scalar(2), a.scalar(3)),
        "thrd_create" => |run, a| create(run, a.scalar(0), Scalar::int(0), a.scalar(1), a.scalar(2)),
        "pthread_join" | "thrd_join" => join,
        "pthread_tryjoin_np" => |run, a| join_if_ended(run, a, EBUSY),
        "pthread_timedjoin_np" | "pthread_clockjoin_np" => |run, a| join_if_ended(run, a, ETIMEDOUT),
        "pthread_detach" | "thrd_detach" => detach,
        "pthread_exit" | "thrd_exit" => exit,
        "pthread_self" | "thrd_current" => |run, _| Ok(Done::ReturnsInt(run.thread as u64 + 1)),
        "pthread_equal" | "thrd_equal" => {
            |run, a| Ok(Done::ReturnsInt((a.int(run, 0)? == a.int(run, 1)?).into()))
        }
        "sched_yield"
        | "pthread_yield"
        | "thrd_yield"
        | "pthread_setname_np"
        | "pthread_testcancel"
        | "pthread_setaffinity_np"
        | "sched_setaffinity"
        | "pthread_setconcurrency"
        | "pthread_atfork"
        | "pthread_setschedparam" => zero,
        "pthread_setcancelstate" => |run, a| cancellation(run, a, 0),
        "pthread_setcanceltype" => |run, a| cancellation(run, a, 1),
        "pthread_attr_setdetachstate" => |run, a| attribute(run, a, 1),
        "pthread_attr_getdetachstate" => detach_state,
        "pthread_attr_init" => clear_attribute,
        "pthread_attr_destroy"
        | "pthread_attr_setstacksize"
        | "pthread_attr_setscope"
        | "pthread_attr_setschedpolicy"
        | "pthread_attr_setinheritsched"
        | "pthread_attr_setschedparam"
        | "pthread_attr_setguardsize" => zero,
        "pthread_getattr_np" => clear_attribute,
        "pthread_attr_getstack" => attribute_stack,
        "pthread_attr_getguardsize" | "pthread_attr_getstacksize" => |run, a| {
            let to = a.scalar(1);
            run.notes.partly.values |= a.name == "pthread_attr_getstacksize";
            put(run, to, 8, 4096)?;
            Ok(Done::ReturnsInt(0))
        },
        "pthread_key_create" | "tss_create" => key_create,
        "pthread_key_delete" | "tss_delete" => key_delete,
        "pthread_setspecific" | "tss_set" => set_specific,
        "pthread_getspecific" | "tss_get" => get_specific,
        "__cxa_thread_atexit_impl" | "__cxa_thread_atexit" => at_thread_exit,
        "pthread_cancel" | "pthread_kill" => {
            |run, _| Err(run.refuse(Refusal::new("the cancelling of a thread, or a signal to it")))
        }
        "fork" | "vfork" => |run, _| Err(run.refuse(Refusal::new("`fork`: there is one process"))),
        _ => return None,
    })
}

/// Writes a number to where an argument points.
pub(super) fn put(run: &mut Run<'_, '_, '_>, to: Scalar, size: u32, value: u64) -> Result<bool, Halt> {
    put_scalar(run, to, size, Scalar::int(value))
}

/// Records that the bytes an argument points to will be written, before anything changes.
pub(super) fn claim(run: &mut Run<'_, '_, '_>, to: Scalar, size: u64) -> Result<(), Halt> {
    let (id, offset) = run.resolve(to, size)?;
    run.claim(id, offset, size, Touch::WRITE)
}

pub(super) fn put_scalar(
    run: &mut Run<'_, '_, '_>,
    to: Scalar,
    size: u32,
    value: Scalar,
) -> Result<bool, Halt> {
    claim(run, to, size.into())?;
    let (id, offset) = run.resolve(to, size.into())?;
    run.set_memory(id, offset, size, value)?;
    Ok(true)
}

/// The detach state is the first word of the attributes.
fn attribute(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, argument: usize) -> Result<Done, Halt> {
    let value = a.int(run, argument)?;
    put(run, a.scalar(0), 4, value)?;
    Ok(Done::ReturnsInt(0))
}

fn detach_state(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let (id, offset) = run.resolve(a.scalar(0), 4)?;
    let state = run.memory(id, offset, 4)?;
    if !state.is_set() {
        return Err(run.fault(Fault::Unset(Use::Argument)));
    }
    put(run, a.scalar(1), 4, state.bits)?;
    Ok(Done::ReturnsInt(0))
}

fn clear_attribute(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let at = if a.name == "pthread_getattr_np" { 1 } else { 0 };
    put(run, a.scalar(at), 4, 0)?;
    Ok(Done::ReturnsInt(0))
}

fn attribute_stack(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    put(run, a.scalar(1), 8, 0x7000_0000_0000)?;
    put(run, a.scalar(2), 8, 1 << 20)?;
    Ok(Done::ReturnsInt(0))
}

/// Creates a thread. All writes of its creator have reached memory, so it sees them.
fn create(
    run: &mut Run<'_, '_, '_>,
    handle: Scalar,
    attributes: Scalar,
    function: Scalar,
    argument: Scalar,
) -> Result<Done, Halt> {
    // A visible step: threads are numbered, and what came before is ordered with what the new thread does.
    if !run.waits_for_writes()? || run.watched && !run.may_act {
        return Ok(Done::Waits);
    }
    if !function.is_set() {
        return Err(run.fault(Fault::Unset(Use::Address)));
    }
    let number = run.state.threads.len();
    if run.machine.settings.threads.is_some_and(|most| number > most) {
        // The user's bound is reached: the execution ends here, and the verdict says so.
        run.notes.partly.threads = true;
        return Err(Halt::Infeasible);
    }
    if number >= ObjectId::MAX_THREADS {
        return Err(Halt::Limit(Limit::Threads));
    }
    let mut detached = false;
    if attributes.bits != 0 {
        let (id, offset) = run.resolve(attributes, 4)?;
        detached = run.memory(id, offset, 4)?.bits == 1;
    }
    let (id, offset) = run.resolve(handle, 8)?;
    run.claim(id, offset, 8, Touch::WRITE)?;
    if argument.of.is_some() {
        run.publish(argument.of);
    }
    if run.watched {
        run.act();
    }
    run.tell(What::Creates(number));
    run.set_memory(id, offset, 8, Scalar::int(number as u64 + 1))?;
    let own = Own { start: Some((function.into(), argument.into())), ..Own::default() };
    run.state.threads.push(Thread {
        frames: Vec::new(),
        buffer: Part::new(Buffer::default()),
        status: Status::Ready,
        task: Task::Run,
        joined: false,
        detached,
        own: Part::new(own),
    });
    run.see_others();
    Ok(Done::ReturnsInt(0))
}

fn thread_of(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Option<usize>, Halt> {
    let handle = a.int(run, 0)?;
    let number = (handle as usize).wrapping_sub(1);
    Ok((number < run.state.threads.len()).then_some(number))
}

/// Waits until a thread has ended and all its writes have reached memory.
fn join(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let denied = |error: u64| Ok(Done::ReturnsInt(if a.name == "thrd_join" { THRD_ERROR } else { error }));
    let Some(target) = thread_of(run, a)? else { return denied(ESRCH) };
    if target == run.thread {
        return denied(EDEADLK);
    }
    let thread = &run.state.threads[target];
    if thread.detached || thread.joined {
        return denied(EINVAL);
    }
    if thread.status != Status::Ended || !thread.buffer.is_empty() {
        return Ok(Done::Waits);
    }
    // What the thread did is ordered before what follows.
    if !run.may_act {
        return Ok(Done::Waits);
    }
    let thread = &run.state.threads[target];
    let result = thread.own.result.clone().unwrap_or(Value::int(0));
    let to = a.scalar(1);
    if to.is_set() && to.bits != 0 {
        let is_c11 = a.name == "thrd_join";
        let size = if is_c11 { 4 } else { 8 };
        let value = crate::step::scalar_of(&result);
        put_scalar(run, to, size, value)?;
    }
    run.act();
    run.tell(What::Joins(target));
    run.state.threads[target].joined = true;
    Part::edit(&mut run.state.threads[target].own).result = None;
    run.see_others();
    Ok(Done::ReturnsInt(0))
}

/// Joins a thread, or reports that it has not ended. That is possible even if it has done everything that others can notice,
/// because ending takes time.
fn join_if_ended(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, late: u64) -> Result<Done, Halt> {
    if !run.may_act {
        return Ok(Done::Waits);
    }
    if run.choices.choose(2) == 0
        && let done @ (Done::Returns(_) | Done::ReturnsInt(_)) = join(run, a)?
    {
        return Ok(done);
    }
    if late == ETIMEDOUT {
        run.pass_limit();
    }
    run.act();
    Ok(Done::ReturnsInt(late))
}

fn detach(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let denied = |error: u64| Ok(Done::ReturnsInt(if a.name == "thrd_detach" { THRD_ERROR } else { error }));
    let Some(target) = thread_of(run, a)? else { return denied(ESRCH) };
    let thread = &run.state.threads[target];
    if thread.detached || thread.joined {
        return denied(EINVAL);
    }
    run.state.threads[target].detached = true;
    Ok(Done::ReturnsInt(0))
}

/// Ends the thread inside any calls. If the first thread ends this way, the others continue.
fn exit(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let result = a.scalar(0);
    let thread = run.thread;
    let own = |frame: &std::rc::Rc<Part<Frame>>| frame.objects.iter().copied().collect::<Vec<_>>();
    let objects: Vec<ObjectId> = run.state.threads[thread].frames.iter().flat_map(own).collect();
    for id in objects {
        let size = run.state.object(id).map_or(0, |object| object.size);
        run.claim(id, 0, size, Touch::WRITE)?;
    }
    let frames = std::mem::take(&mut run.state.threads[thread].frames);
    for id in frames.iter().flat_map(|frame| frame.objects.iter()) {
        run.end_object(*id);
    }
    run.state.threads[thread].task = Task::End;
    Part::edit(&mut run.state.threads[thread].own).result = Some(result.into());
    Ok(Done::Entered)
}

/// No thread is cancelled, so only the old setting can be noticed.
fn cancellation(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, which: usize) -> Result<Done, Halt> {
    let new = a.int(run, 0)? as u32;
    let old = run.state.threads[run.thread].own.cancellation[which];
    if a.scalar(1).bits != 0 {
        put(run, a.scalar(1), 4, old.into())?;
    }
    Part::edit(&mut run.state.threads[run.thread].own).cancellation[which] = new;
    Ok(Done::ReturnsInt(0))
}

fn key_create(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    claim(run, a.scalar(0), 4)?;
    if run.is_order_visible(Order::Key) && !run.act() {
        return Ok(Done::Waits);
    }
    let keys = &mut Part::edit(&mut run.state.process).keys;
    keys.push(Some(a.scalar(1).into()));
    let key = keys.len() as u64 - 1;
    put(run, a.scalar(0), 4, key)?;
    Ok(Done::ReturnsInt(0))
}

fn key_delete(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let key = a.int(run, 0)? as usize;
    if run.is_order_visible(Order::Key) && !run.act() {
        return Ok(Done::Waits);
    }
    match Part::edit(&mut run.state.process).keys.get_mut(key) {
        Some(known) if known.is_some() => *known = None,
        _ => return Ok(Done::ReturnsInt(EINVAL)),
    }
    Ok(Done::ReturnsInt(0))
}

fn set_specific(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let key = a.int(run, 0)? as u32;
    run.note_escape(a.scalar(1).of);
    let own = Part::edit(&mut run.state.threads[run.thread].own);
    own.keys.retain(|(known, _)| *known != key);
    own.keys.push((key, a.scalar(1).into()));
    own.keys.sort_unstable_by_key(|(key, _)| *key);
    Ok(Done::ReturnsInt(0))
}

fn get_specific(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let key = a.int(run, 0)? as u32;
    let own = &run.state.threads[run.thread].own;
    let value = own.keys.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone());
    Ok(Done::Returns(Some(value.unwrap_or(Value::int(0)))))
}

fn at_thread_exit(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let function = a.int(run, 0)?;
    let Some(function) = run.machine.program.function_at(function) else {
        return Err(run.fault(Fault::NotAFunction(function)));
    };
    run.note_escape(a.scalar(1).of);
    let argument: Value = a.scalar(1).into();
    Part::edit(&mut run.state.threads[run.thread].own).at_end.push((function, argument));
    Ok(Done::ReturnsInt(0))
}
