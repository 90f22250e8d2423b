//! A static in the section of start-up functions: it runs before `main`.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static LIMIT: AtomicU32 = AtomicU32::new(0);

extern "C" fn set_up() {
    LIMIT.store(2, Ordering::Relaxed);
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = set_up;

fn main() {
    let worker = thread::spawn(|| assert_ne!(LIMIT.load(Ordering::Relaxed), 2));
    worker.join().unwrap();
}
