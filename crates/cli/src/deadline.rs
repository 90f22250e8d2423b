//! Work that ends when its budget does, whatever it is doing.
//!
//! Engines and front ends ask their meter, and stop by themselves with an answer that says how far they came. The work runs on a
//! thread of its own all the same: if it has not come back a moment after the budget ended, it is abandoned and the answer is
//! that it was stopped. So a loop that asks too rarely costs the user a moment, never minutes. An abandoned thread ends
//! with the process.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fencewright_base::{Meter, Progress, Stop};
use fencewright_engine::{
    Answer, Context, Engine, Options, Rejected, Statistics, Task, Unknown, Verdict, run as ask,
};
use fencewright_ir::Program;
use fencewright_memory::Model;

/// How long work may take to notice by itself that its budget has ended.
pub(crate) const GRACE: Duration = Duration::from_millis(300);

/// How often it is looked whether the budget has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// As much as the main thread has, and more: paths are followed by recursion. Pages that nobody touches cost nothing.
pub(crate) const STACK: usize = 256 << 20;

/// What the work says, or what stopped it.
pub(crate) fn within<T: Send + 'static>(
    meter: &Meter,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    within_showing(meter, &|_| (), move |_| work())
}

/// The same for work that says how far it is. `show` is called from this thread.
pub(crate) fn within_showing<T: Send + 'static>(
    meter: &Meter,
    show: &dyn Fn(Progress<'_>),
    work: impl FnOnce(&Relay) -> T + Send + 'static,
) -> Result<T, Stop> {
    let relay = Arc::new(Relay::default());
    let (sender, receiver) = channel();
    let theirs = relay.clone();
    let spawned = thread::Builder::new().stack_size(STACK).spawn(move || {
        // Nobody is there to take the result of work that was abandoned.
        let _ = sender.send(work(&theirs));
    });
    let worker = spawned.expect("a thread can be started");
    let mut ended: Option<(Stop, Instant)> = None;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("internal error: the work ended without a result"),
            },
        }
        relay.show(show);
        if let Err(stop) = meter.tick() {
            let (stop, since) = *ended.get_or_insert_with(|| (stop, Instant::now()));
            if since.elapsed() >= GRACE {
                return Err(stop);
            }
        }
    }
}

/// The last thing that the work said about itself.
#[derive(Default)]
pub(crate) struct Relay(Mutex<Option<(String, [u64; 3])>>);

impl Relay {
    /// Called by the work.
    pub(crate) fn note(&self, Progress { phase, states, frontier, bytes }: Progress<'_>) {
        // Whoever finds another thread here has nothing newer to say.
        if let Ok(mut last) = self.0.try_lock() {
            *last = Some((phase.to_owned(), [states, frontier, bytes]));
        }
    }

    fn show(&self, show: &dyn Fn(Progress<'_>)) {
        let last = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some((phase, [states, frontier, bytes])) = last {
            show(Progress { phase: &phase, states, frontier, bytes });
        }
    }
}

/// A question to an engine.
pub(crate) struct Question<'a> {
    pub(crate) engine: &'static dyn Engine,
    pub(crate) program: &'a Program,
    pub(crate) model: Model,
    pub(crate) options: Options,
}

impl Question<'_> {
    /// The answer, through the gate.
    pub(crate) fn ask(self, meter: Meter, show: &dyn Fn(Progress<'_>)) -> Result<Answer, Rejected> {
        let Question { engine, program, model, options } = self;
        let (owned, own) = (program.clone(), meter.clone());
        let answer = within_showing(&meter, show, move |relay| {
            let task = Task { program: &owned, model, options };
            ask(engine, &task, &mut Context::new(own, &|progress| relay.note(progress)))
        });
        answer.unwrap_or_else(|stop| Ok(stopped(engine.name(), stop, &meter)))
    }
}

/// The answer of one that was stopped and had nothing to say.
pub(crate) fn stopped(engine: &'static str, stop: Stop, meter: &Meter) -> Answer {
    let statistics = Statistics { seconds: meter.elapsed().as_secs_f64(), ..Statistics::default() };
    let verdict = Verdict::Unknown(Unknown::Stopped { stop, explored: None });
    Answer { engine, verdict, execution: None, statistics, parts: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencewright_base::{Budget, CancelToken};

    #[test]
    fn work_that_never_asks_is_abandoned() {
        let budget = Budget { time: Some(Duration::from_millis(1)), ..Budget::default() };
        let never = || loop {
            thread::sleep(PAUSE);
        };
        let answer: Result<(), Stop> = within(&Meter::start(budget, CancelToken::new()), never);
        assert_eq!(answer, Err(Stop::Time));
        let cancel = CancelToken::new();
        let from_inside = cancel.clone();
        let answer: Result<(), Stop> = within(&Meter::start(Budget::default(), cancel), move || {
            from_inside.cancel();
            never()
        });
        assert_eq!(answer, Err(Stop::Cancelled));
    }

    #[test]
    fn work_that_ends_gives_its_result_even_just_past_the_end() {
        let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
        assert_eq!(within(&Meter::start(budget, CancelToken::new()), || 7), Ok(7));
    }
}
