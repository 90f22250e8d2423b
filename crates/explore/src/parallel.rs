//! Several threads search together: each expands the states it owns, inserts the successors that belong to it, and
//! sends the others to their owners in parcels. A layer ends when everybody has expanded its part and all parcels are
//! opened.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use fencewright_base::Stop;

use crate::search::{End, Halt, Search, SearchConfig, Shard, finish};
use crate::{Candidate, System};

/// Candidates in a parcel: large enough to make sending cheap, small enough to stay in a cache until it is opened
/// (measured: 1,024 costs a tenth of the speed of two threads, 16,384 gains nothing).
const PARCEL: usize = 4096;

/// Candidates of a parcel that are inserted together.
const SLICE: usize = 64;

/// Expansions between two looks at the mail.
const EXPANSIONS_PER_LOOK: usize = 256;

/// How often to look for the end of a layer before leaving the processor to others.
const PATIENCE: u32 = 2_000;

type Parcel<const W: usize> = Vec<Candidate<W>>;

/// What the threads share.
struct Shared<const W: usize> {
    inboxes: Vec<Mutex<Vec<Parcel<W>>>>,
    /// Threads that may still send something in this layer.
    expanding: AtomicUsize,
    barrier: Barrier,
    /// Somebody cannot go on.
    halted: AtomicBool,
    /// Somebody found a goal.
    goal: AtomicBool,
    /// States of the next layer, over all threads.
    next_layer: AtomicU64,
    /// Bytes held by each thread's table.
    bytes: Vec<AtomicU64>,
    /// Bytes of the parcels that were begun and not yet opened.
    mail: AtomicU64,
    /// The most of them at any time: an allocator keeps for later what was given back.
    most_mail: AtomicU64,
    /// States of each thread.
    states: Vec<AtomicU64>,
    peak: AtomicU64,
}

impl<const W: usize> Shared<W> {
    /// What all threads hold.
    fn held(&self) -> u64 {
        let tables: u64 = self.bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        tables + self.most_mail.load(Ordering::Relaxed)
    }
}

pub(crate) fn search_together<const W: usize, S: System<W>>(
    system: &S,
    config: &SearchConfig<'_>,
) -> Search<W, S> {
    let jobs = config.jobs;
    let shared = Shared::<W> {
        inboxes: (0..jobs).map(|_| Mutex::new(Vec::new())).collect(),
        expanding: AtomicUsize::new(jobs),
        barrier: Barrier::new(jobs),
        halted: AtomicBool::new(false),
        goal: AtomicBool::new(false),
        next_layer: AtomicU64::new(0),
        bytes: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
        mail: AtomicU64::new(0),
        most_mail: AtomicU64::new(0),
        states: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
        peak: AtomicU64::new(0),
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|id| {
                let shared = &shared;
                scope.spawn(move || {
                    let mut shard = Shard::new(system, id as u32, jobs as u32);
                    let end = run(&mut shard, id, shared, config);
                    (shard, end)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a searching thread does not panic")).collect()
    });
    let mut shards = Vec::new();
    let mut end = End::Complete;
    for (shard, own_end) in results {
        shards.push(shard);
        // Everybody agrees, except that only those who could not go on know why. An interruption voids the search,
        // so it outranks a limit.
        end = match (end, own_end) {
            (End::Interrupted(interrupt), _) => End::Interrupted(interrupt),
            (_, Some(End::Interrupted(interrupt))) => End::Interrupted(interrupt),
            (End::Stopped(stop), _) => End::Stopped(stop),
            (_, Some(other)) => other,
            (end, None) => end,
        };
    }
    finish(end, shards, shared.peak.into_inner())
}

/// Searches this thread's part. `None` if somebody else could not go on.
fn run<const W: usize, S: System<W>>(
    shard: &mut Shard<'_, W, S>,
    id: usize,
    shared: &Shared<W>,
    config: &SearchConfig<'_>,
) -> Option<End<S::Interrupt>> {
    let mut halt = None;
    let note = |result: Result<(), Halt<S::Interrupt>>, halt: &mut Option<Halt<S::Interrupt>>| {
        if let Err(reason) = result {
            shared.halted.store(true, Ordering::SeqCst);
            halt.get_or_insert(reason);
        }
    };
    let mut hold = |bytes: u64| {
        shared.bytes[id].store(bytes, Ordering::Relaxed);
        let all = shared.held();
        shared.peak.fetch_max(all, Ordering::Relaxed);
        config.meter.hold(all)
    };
    note(shard.start(&mut hold), &mut halt);
    loop {
        // Here every inbox is empty and nobody is expanding. Agree on what comes next.
        let layer_end = shard.visited.len();
        shared.next_layer.fetch_add((layer_end - shard.next) as u64, Ordering::SeqCst);
        if !shard.goals.is_empty() {
            shared.goal.store(true, Ordering::SeqCst);
        }
        shared.barrier.wait();
        let layer = shared.next_layer.load(Ordering::SeqCst);
        let goal = shared.goal.load(Ordering::SeqCst);
        let halted = shared.halted.load(Ordering::SeqCst);
        if shared.barrier.wait().is_leader() {
            shared.next_layer.store(0, Ordering::SeqCst);
            shared.expanding.store(config.jobs, Ordering::SeqCst);
        }
        shared.barrier.wait();
        if halted {
            return halt.map(|halt| match halt {
                Halt::Stop(stop) => End::Stopped(stop),
                Halt::Interrupt(interrupt) => End::Interrupted(interrupt),
            });
        }
        if config.stop_at_goal && goal {
            return Some(End::Goal);
        }
        if layer == 0 {
            return Some(End::Complete);
        }
        let expanded = expand_layer(shard, id, layer_end, shared, config, &mut hold);
        note(expanded, &mut halt);
        shared.expanding.fetch_sub(1, Ordering::SeqCst);
        let mut patience = PATIENCE;
        loop {
            let all_sent = shared.expanding.load(Ordering::SeqCst) == 0;
            let opened = open_mail(shard, id, shared, &mut hold);
            note(opened.map_err(Halt::Stop), &mut halt);
            if all_sent {
                break;
            }
            // The others finish within microseconds, unless the machine has something else to do.
            patience = patience.saturating_sub(1);
            if patience > 0 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

fn expand_layer<const W: usize, S: System<W>>(
    shard: &mut Shard<'_, W, S>,
    id: usize,
    layer_end: usize,
    shared: &Shared<W>,
    config: &SearchConfig<'_>,
    hold: &mut dyn FnMut(u64) -> Result<(), Stop>,
) -> Result<(), Halt<S::Interrupt>> {
    while shard.next < layer_end {
        let some = layer_end.min(shard.next + EXPANSIONS_PER_LOOK);
        while shard.next < some {
            shard.expand_batch(some)?;
            shard.insert_batch(hold)?;
            send(shard, shared, PARCEL);
        }
        open_mail(shard, id, shared, hold)?;
        config.meter.tick()?;
        shared.states[id].store(shard.visited.len() as u64, Ordering::Relaxed);
        let states = shared.states.iter().map(|states| states.load(Ordering::Relaxed)).sum();
        config.meter.store(states)?;
        if shared.halted.load(Ordering::Relaxed) {
            break;
        }
        if id == 0 {
            let frontier = (shard.visited.len() - shard.next) as u64 * config.jobs as u64;
            (config.progress)(states, frontier, shared.held());
        }
    }
    send(shard, shared, 1);
    Ok(())
}

/// Sends the outboxes that hold at least `enough` candidates.
fn send<const W: usize, S: System<W>>(shard: &mut Shard<'_, W, S>, shared: &Shared<W>, enough: usize) {
    for (outbox, inbox) in shard.outboxes.iter_mut().zip(&shared.inboxes) {
        if outbox.len() >= enough {
            let parcel = std::mem::replace(outbox, Vec::with_capacity(PARCEL + PARCEL / 4));
            let begun = size::<W>(outbox);
            let mail = shared.mail.fetch_add(begun, Ordering::Relaxed) + begun;
            shared.most_mail.fetch_max(mail, Ordering::Relaxed);
            inbox.lock().expect("nobody panics holding an inbox").push(parcel);
        }
    }
}

fn open_mail<const W: usize, S: System<W>>(
    shard: &mut Shard<'_, W, S>,
    id: usize,
    shared: &Shared<W>,
    hold: &mut dyn FnMut(u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let parcels = std::mem::take(&mut *shared.inboxes[id].lock().expect("nobody panics holding an inbox"));
    for parcel in parcels {
        let mut slices = parcel.chunks(SLICE).peekable();
        if let Some(first) = slices.peek() {
            shard.expect_all(first);
        }
        while let Some(slice) = slices.next() {
            if let Some(following) = slices.peek() {
                shard.expect_all(following);
            }
            shard.insert_all(slice, hold)?;
        }
        // The first parcels of a thread were not counted when they were begun, and are smaller.
        let opened = size::<W>(&parcel);
        let _ = shared
            .mail
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |mail| Some(mail.saturating_sub(opened)));
    }
    Ok(())
}

/// Bytes of a parcel.
fn size<const W: usize>(parcel: &Parcel<W>) -> u64 {
    (parcel.capacity() * size_of::<Candidate<W>>()) as u64
}
