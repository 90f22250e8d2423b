// A hash table is asked whether it has a key, and filled under another guard: both threads may fill it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

fn fill(table: &Mutex<HashMap<u32, u32>>) {
    if !table.lock().unwrap().contains_key(&1) {
        *table.lock().unwrap().entry(1).or_insert(0) += 1;
    }
}

fn main() {
    let table = Arc::new(Mutex::new(HashMap::new()));
    let theirs = Arc::clone(&table);
    let thread = thread::spawn(move || fill(&theirs));
    fill(&table);
    thread.join().unwrap();
    assert_eq!(table.lock().unwrap()[&1], 1);
}
