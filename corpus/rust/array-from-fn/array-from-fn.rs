// An array that is made element by element: its memory is filled with nothing first.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

fn main() {
    let slots: Arc<[AtomicUsize; 2]> = Arc::new(std::array::from_fn(AtomicUsize::new));
    let theirs = Arc::clone(&slots);
    let thread = thread::spawn(move || theirs[0].fetch_add(5, Ordering::Relaxed));
    slots[1].fetch_add(6, Ordering::Relaxed);
    assert_eq!(thread.join().unwrap(), 0);
    assert_eq!(slots[0].load(Ordering::Relaxed) + slots[1].load(Ordering::Relaxed), 12);
}
