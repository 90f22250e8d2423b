//! A thread parks until a flag is up.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn main() {
    let ready = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&ready);
    let waiter = thread::spawn(move || {
        while !theirs.load(Ordering::Acquire) {
            thread::park();
        }
    });
    ready.store(true, Ordering::Release);
    waiter.thread().unpark();
    waiter.join().unwrap();
}
