//! A structure in an `Arc`: an answer and a flag that says it is there, stored with Relaxed.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

#[derive(Default)]
struct Shared {
    answer: AtomicU32,
    ready: AtomicBool,
}

fn main() {
    let shared = Arc::new(Shared::default());
    let theirs = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        theirs.answer.store(42, Ordering::Relaxed);
        theirs.ready.store(true, Ordering::Relaxed);
    });
    if shared.ready.load(Ordering::Relaxed) {
        assert_eq!(shared.answer.load(Ordering::Relaxed), 42);
    }
    worker.join().unwrap();
}
