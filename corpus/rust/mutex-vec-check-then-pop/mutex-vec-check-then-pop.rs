//! Looking whether the vector is empty and popping take the lock twice.
use std::sync::{Arc, Mutex};
use std::thread;

fn take(items: &Mutex<Vec<i32>>) {
    if !items.lock().unwrap().is_empty() {
        let item = items.lock().unwrap().pop();
        assert_eq!(item.unwrap(), 7);
    }
}

fn main() {
    let items = Arc::new(Mutex::new(vec![7]));
    let other = Arc::clone(&items);
    let taker = thread::spawn(move || take(&other));
    take(&items);
    taker.join().unwrap();
}
