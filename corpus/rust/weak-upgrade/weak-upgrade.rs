//! A thread has a weak reference to a value that main drops; it is ready for both.
use std::sync::Arc;
use std::thread;

fn main() {
    let owner = Arc::new(7);
    let weak = Arc::downgrade(&owner);
    let reader = thread::spawn(move || weak.upgrade().map_or(0, |value| *value));
    drop(owner);
    let seen = reader.join().unwrap();
    assert!(seen == 0 || seen == 7);
}
