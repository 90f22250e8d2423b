//! A thread parks twice and is unparked twice.
use std::thread;

fn main() {
    let worker = thread::spawn(|| {
        thread::park();
        thread::park();
    });
    worker.thread().unpark();
    worker.thread().unpark();
    worker.join().unwrap();
}
