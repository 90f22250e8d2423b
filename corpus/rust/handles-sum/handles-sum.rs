//! Threads in a vector, joined in a loop; the results are added.
use std::thread::{self, JoinHandle};

fn main() {
    let mut handles: Vec<JoinHandle<u32>> = Vec::new();
    for number in 1..=2 {
        handles.push(thread::spawn(move || number * number));
    }
    let mut sum = 0;
    for handle in handles {
        sum += handle.join().unwrap();
    }
    assert_eq!(sum, 5);
}
