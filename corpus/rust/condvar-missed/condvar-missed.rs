//! Main waits for a notification that may have been given already.
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(()), Condvar::new()));
    let theirs = Arc::clone(&pair);
    let worker = thread::spawn(move || theirs.1.notify_one());
    let (mutex, changed) = &*pair;
    let guard = mutex.lock().unwrap();
    drop(changed.wait(guard).unwrap());
    worker.join().unwrap();
}
