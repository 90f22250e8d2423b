//! A thread has a weak reference to a value that main drops, and takes it to be there.
use std::sync::Arc;
use std::thread;

fn main() {
    let owner = Arc::new(7);
    let weak = Arc::downgrade(&owner);
    let reader = thread::spawn(move || *weak.upgrade().unwrap());
    drop(owner);
    assert_eq!(reader.join().unwrap(), 7);
}
