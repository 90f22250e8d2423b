//! Two threads ask for a value that is made once.
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static CONFIG: OnceLock<u32> = OnceLock::new();
static CALLS: AtomicU32 = AtomicU32::new(0);

fn config() -> u32 {
    *CONFIG.get_or_init(|| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        42
    })
}

fn main() {
    let other = thread::spawn(|| assert_eq!(config(), 42));
    assert_eq!(config(), 42);
    other.join().unwrap();
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
}
