//! Two scoped threads count with a load and a store.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn main() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let seen = count.load(Ordering::SeqCst);
                count.store(seen + 1, Ordering::SeqCst);
            });
        }
    });
    assert_eq!(count.load(Ordering::SeqCst), 2);
}
