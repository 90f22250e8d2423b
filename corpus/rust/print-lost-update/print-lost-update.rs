//! A shared counter is loaded, printed, and stored with one added.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn main() {
    let counter = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&counter);
    let other = thread::spawn(move || {
        let n = theirs.load(Ordering::SeqCst);
        println!("{n}");
        theirs.store(n + 1, Ordering::SeqCst);
    });
    counter.fetch_add(1, Ordering::SeqCst);
    other.join().unwrap();
    assert_eq!(counter.load(Ordering::SeqCst), 2);
}
