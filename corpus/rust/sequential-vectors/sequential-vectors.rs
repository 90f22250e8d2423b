// `main` and one other thread allocate and free ordinary data again and again.
use std::collections::{BTreeMap, VecDeque};
use std::thread;

fn work(rounds: usize) -> usize {
    let mut total = 0;
    for round in 0..rounds {
        let numbers: Vec<usize> = (0..round).collect();
        let text = format!("{round}");
        let mut queue: VecDeque<usize> = numbers.iter().copied().collect();
        queue.push_front(1);
        let squares: BTreeMap<usize, usize> = queue.iter().map(|&n| (n, n * n)).collect();
        total += numbers.len() + text.len() + squares.len();
    }
    total
}

fn main() {
    let other = thread::spawn(|| work(4));
    let join = other.join().unwrap();
    // 0 + 1 + 2 + 3 numbers, 4 digits, and 1, 2, 2, 3 different keys.
    assert_eq!(join, 6 + 4 + 8);
    assert!(work(12) > join);
}
