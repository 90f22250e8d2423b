//! Sleep and wake-up by two flags: the waiter must not sleep for ever, with its fences.

use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::thread;

static WORK: AtomicBool = AtomicBool::new(false);
static SLEEPING: AtomicBool = AtomicBool::new(false);
static SLEPT: AtomicBool = AtomicBool::new(false);
static WOKEN: AtomicBool = AtomicBool::new(false);

fn waiter() {
    SLEEPING.store(true, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    if !WORK.load(Ordering::Relaxed) {
        SLEPT.store(true, Ordering::SeqCst);
    }
}

fn waker() {
    WORK.store(true, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    if SLEEPING.load(Ordering::Relaxed) {
        WOKEN.store(true, Ordering::SeqCst);
    }
}

fn main() {
    let first = thread::spawn(|| waiter());
    let second = thread::spawn(|| waker());
    first.join().unwrap();
    second.join().unwrap();
    assert!(!SLEPT.load(Ordering::SeqCst) || WOKEN.load(Ordering::SeqCst));
}
