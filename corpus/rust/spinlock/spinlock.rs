//! A spin lock around two words that must agree, for ever; the unlock is Release.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;

struct SpinLock {
    held: AtomicBool,
}

impl SpinLock {
    const fn new() -> Self {
        SpinLock { held: AtomicBool::new(false) }
    }

    fn lock(&self) {
        while self.held.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::hint::spin_loop();
        }
    }

    fn unlock(&self) {
        self.held.store(false, Ordering::Release);
    }
}

static MUTEX: SpinLock = SpinLock::new();
static ITEM: AtomicU8 = AtomicU8::new(0);

fn worker() {
    loop {
        MUTEX.lock();
        assert!(ITEM.load(Ordering::Relaxed) == 0);
        ITEM.store(1, Ordering::Relaxed);
        ITEM.store(0, Ordering::Relaxed);
        MUTEX.unlock();
    }
}

fn main() {
    let first = thread::spawn(|| worker());
    let second = thread::spawn(|| worker());
    first.join().unwrap();
    second.join().unwrap();
}
