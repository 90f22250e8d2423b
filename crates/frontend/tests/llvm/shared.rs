//! A number behind a mutex that main and a thread both count up.
use std::sync::{Arc, Mutex};

fn main() {
    let number = Arc::new(Mutex::new(0));
    let theirs = number.clone();
    let thread = std::thread::spawn(move || {
        *theirs.lock().unwrap() += 1;
    });
    *number.lock().unwrap() += 1;
    thread.join().unwrap();
    assert_eq!(*number.lock().unwrap(), 2);
}
