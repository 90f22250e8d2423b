// Uses what generated Rust programs use of the standard library, so that it is compiled with this one. Compiled as a text of
// its own; what it computes is of no interest.
#![allow(warnings)]
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::*;
use std::thread;

static M: Mutex<u32> = Mutex::new(0);
static A: AtomicU64 = AtomicU64::new(0);
thread_local! { static T: Cell<u32> = const { Cell::new(0) }; }

fn main() {
    let mut threads = Vec::new();
    for k in 0..2u32 {
        threads.push(thread::spawn(move || {
            *M.lock().unwrap() += k;
            T.set(T.get() + k);
            A.fetch_add(1, Ordering::AcqRel);
            i64::from(k)
        }));
    }
    let values: Vec<i64> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let object = Box::into_raw(Box::new(values[0] as u64));
    drop(unsafe { Box::from_raw(object) });
    let divisor = values[1];
    assert!(7 / divisor != 3, "{}", 7 % divisor);
    assert_eq!(values[(divisor & 1) as usize], divisor.wrapping_mul(2) << divisor);
    if divisor == 5 {
        unreachable!();
    }
    std::process::abort();
}
