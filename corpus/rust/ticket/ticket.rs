//! A ticket lock in a module of its own, twice each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

mod ticket {
    use std::sync::atomic::{AtomicU32, Ordering::*};

    pub struct Lock {
        next: AtomicU32,
        serving: AtomicU32,
    }

    impl Lock {
        pub const fn new() -> Self {
            Lock { next: AtomicU32::new(0), serving: AtomicU32::new(0) }
        }

        pub fn lock(&self) {
            let ticket = self.next.fetch_add(1, Relaxed);
            while self.serving.load(Acquire) != ticket {}
        }

        pub fn unlock(&self) {
            let now = self.serving.load(Relaxed);
            self.serving.store(now.wrapping_add(1), Release);
        }
    }
}

static LOCK: ticket::Lock = ticket::Lock::new();

static INSIDE: AtomicUsize = AtomicUsize::new(0);

fn critical_section() {
    assert!(INSIDE.fetch_add(1, Ordering::SeqCst) == 0);
    INSIDE.fetch_sub(1, Ordering::SeqCst);
}

fn worker() {
    for _ in 0..2 {
        LOCK.lock();
        critical_section();
        LOCK.unlock();
    }
}

fn main() {
    let first = thread::spawn(|| worker());
    let second = thread::spawn(|| worker());
    first.join().unwrap();
    second.join().unwrap();
}
