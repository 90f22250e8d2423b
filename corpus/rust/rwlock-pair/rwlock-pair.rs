//! A pair with equal halves behind an `RwLock`.
use std::sync::{Arc, RwLock};
use std::thread;

fn main() {
    let pair = Arc::new(RwLock::new((0, 0)));
    let theirs = Arc::clone(&pair);
    let writer = thread::spawn(move || {
        let mut pair = theirs.write().unwrap();
        pair.0 += 1;
        pair.1 += 1;
    });
    {
        let pair = pair.read().unwrap();
        assert_eq!(pair.0, pair.1);
    }
    writer.join().unwrap();
    assert_eq!(*pair.read().unwrap(), (1, 1));
}
