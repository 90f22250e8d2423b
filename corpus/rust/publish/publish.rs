//! A value and a flag that says it is there; the flag is stored with Relaxed.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

static VALUE: AtomicU32 = AtomicU32::new(0);
static READY: AtomicBool = AtomicBool::new(false);

fn sender() {
    VALUE.store(42, Ordering::Relaxed);
    READY.store(true, Ordering::Relaxed);
}

fn receiver() {
    while !READY.load(Ordering::Acquire) {}
    assert_eq!(VALUE.load(Ordering::Relaxed), 42);
}

fn main() {
    let first = thread::spawn(|| sender());
    let second = thread::spawn(|| receiver());
    first.join().unwrap();
    second.join().unwrap();
}
