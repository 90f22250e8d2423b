//! The number is read under one guard and written under another.
use std::sync::{Arc, RwLock};
use std::thread;

fn add_one(number: &RwLock<u32>) {
    let seen = *number.read().unwrap();
    *number.write().unwrap() = seen + 1;
}

fn main() {
    let number = Arc::new(RwLock::new(0));
    let theirs = Arc::clone(&number);
    let other = thread::spawn(move || add_one(&theirs));
    add_one(&number);
    other.join().unwrap();
    assert_eq!(*number.read().unwrap(), 2);
}
