//! Main waits until the other thread has started.
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let theirs = Arc::clone(&pair);
    let worker = thread::spawn(move || {
        let (started, changed) = &*theirs;
        *started.lock().unwrap() = true;
        changed.notify_one();
    });
    let (started, changed) = &*pair;
    let mut guard = started.lock().unwrap();
    while !*guard {
        guard = changed.wait(guard).unwrap();
    }
    assert!(*guard);
    drop(guard);
    worker.join().unwrap();
}
