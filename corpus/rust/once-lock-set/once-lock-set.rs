//! "Set it if it is not set", in two steps.
use std::sync::OnceLock;
use std::thread;

static CONFIG: OnceLock<u32> = OnceLock::new();

fn configure() {
    if CONFIG.get().is_none() {
        CONFIG.set(42).unwrap();
    }
}

fn main() {
    let other = thread::spawn(configure);
    configure();
    other.join().unwrap();
    assert_eq!(CONFIG.get(), Some(&42));
}
