//! Two threads push to one vector behind `Arc<Mutex<_>>`.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let numbers = Arc::new(Mutex::new(Vec::new()));
    let other = Arc::clone(&numbers);
    let pusher = thread::spawn(move || other.lock().unwrap().push(1));
    numbers.lock().unwrap().push(2);
    pusher.join().unwrap();
    let numbers = numbers.lock().unwrap();
    assert_eq!(numbers.len(), 2);
    assert_eq!(numbers.iter().sum::<i32>(), 3);
}
