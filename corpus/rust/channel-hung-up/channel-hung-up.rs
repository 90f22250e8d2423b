//! Main takes one message and hangs up; the sender does not expect that.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let worker = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    assert_eq!(receiver.recv().unwrap(), 1);
    drop(receiver);
    worker.join().unwrap();
}
