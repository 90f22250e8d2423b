//! A value handed over under a mutex; the reader waits for it with a condition variable, in a loop.
use std::sync::{Condvar, Mutex};
use std::thread;

static VALUE: Mutex<u32> = Mutex::new(0);
static FILLED: Condvar = Condvar::new();

fn main() {
    let reader = thread::spawn(|| {
        let mut value = VALUE.lock().unwrap();
        while *value == 0 {
            value = FILLED.wait(value).unwrap();
        }
        assert!(*value == 1);
    });
    let writer = thread::spawn(|| {
        *VALUE.lock().unwrap() = 1;
        FILLED.notify_one();
    });
    reader.join().unwrap();
    writer.join().unwrap();
}
