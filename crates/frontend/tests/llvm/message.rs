//! Data, and a flag that says that it is there.
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

static DATA: [AtomicI32; 2] = [AtomicI32::new(0), AtomicI32::new(0)];
static READY: AtomicBool = AtomicBool::new(false);

pub fn writer() {
    DATA[1].store(7, Ordering::Relaxed);
    READY.store(true, if cfg!(released) { Ordering::Release } else { Ordering::Relaxed });
}

pub fn reader() {
    if READY.load(Ordering::Acquire) {
        assert!(DATA[1].load(Ordering::Relaxed) == 7);
    }
}
