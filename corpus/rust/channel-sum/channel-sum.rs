//! A thread sends two numbers; main adds up what comes until the channel is closed.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let worker = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    let numbers: Vec<i32> = receiver.iter().collect();
    worker.join().unwrap();
    assert_eq!(numbers, [1, 2]);
}
