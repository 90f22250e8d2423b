//! A shared counter is printed when both threads have counted.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn main() {
    let counter = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&counter);
    let other = thread::spawn(move || {
        theirs.fetch_add(1, Ordering::Relaxed);
    });
    counter.fetch_add(1, Ordering::Relaxed);
    other.join().unwrap();
    let n = counter.load(Ordering::Relaxed);
    println!("{n}");
    assert_eq!(n, 2);
}
