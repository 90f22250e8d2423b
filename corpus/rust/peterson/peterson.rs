//! Peterson's lock for two threads, for ever.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

static FLAG: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static TURN: AtomicUsize = AtomicUsize::new(0);

static INSIDE: AtomicUsize = AtomicUsize::new(0);

fn critical_section() {
    assert!(INSIDE.fetch_add(1, Ordering::SeqCst) == 0);
    INSIDE.fetch_sub(1, Ordering::SeqCst);
}

fn lock(me: usize) {
    let other = 1 - me;
    FLAG[me].store(true, Ordering::Relaxed);
    TURN.store(other, Ordering::Relaxed);
    while FLAG[other].load(Ordering::Relaxed) && TURN.load(Ordering::Relaxed) == other {}
}

fn unlock(me: usize) {
    FLAG[me].store(false, Ordering::Relaxed);
}

fn worker(me: usize) {
    loop {
        lock(me);
        critical_section();
        unlock(me);
    }
}

fn main() {
    let first = thread::spawn(|| worker(0));
    let second = thread::spawn(|| worker(1));
    first.join().unwrap();
    second.join().unwrap();
}
