//! Threads draw numbers; who was started first is taken to be first.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static NEXT: AtomicU32 = AtomicU32::new(0);

fn main() {
    let handles: Vec<_> = (0..2).map(|_| thread::spawn(|| NEXT.fetch_add(1, Ordering::SeqCst))).collect();
    let numbers: Vec<u32> = handles.into_iter().map(|handle| handle.join().unwrap()).collect();
    assert_eq!(numbers, [0, 1]);
}
