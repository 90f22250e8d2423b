//! How a value is printed is code of the program: another thread makes it fail.
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static LIMIT: AtomicU32 = AtomicU32::new(3);

struct Limited(u32);

impl fmt::Display for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(self.0 < LIMIT.load(Ordering::Relaxed));
        write!(f, "{}", self.0)
    }
}

fn main() {
    let other = thread::spawn(|| LIMIT.store(1, Ordering::Relaxed));
    println!("{}", Limited(2));
    other.join().unwrap();
}
