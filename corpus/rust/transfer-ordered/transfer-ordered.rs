//! Two transfers in opposite directions; locks are taken in the order of the accounts.
use std::sync::Mutex;
use std::thread;

static ACCOUNTS: [Mutex<i32>; 2] = [Mutex::new(5), Mutex::new(5)];

fn transfer(from: usize, amount: i32) {
    let mut first = ACCOUNTS[0].lock().unwrap();
    let mut second = ACCOUNTS[1].lock().unwrap();
    let amount = if from == 0 { amount } else { -amount };
    *first -= amount;
    *second += amount;
}

fn main() {
    let other = thread::spawn(|| transfer(0, 3));
    transfer(1, 1);
    other.join().unwrap();
    assert_eq!(*ACCOUNTS[0].lock().unwrap(), 3);
    assert_eq!(*ACCOUNTS[1].lock().unwrap(), 7);
}
