//! Two scoped threads count on the stack of main.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn main() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| count.fetch_add(1, Ordering::Relaxed));
        }
    });
    assert_eq!(count.load(Ordering::Relaxed), 2);
}
