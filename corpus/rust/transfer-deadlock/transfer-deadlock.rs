//! Two transfers in opposite directions; the lock of the account that pays is taken first.
use std::sync::Mutex;
use std::thread;

static ACCOUNTS: [Mutex<i32>; 2] = [Mutex::new(5), Mutex::new(5)];

fn transfer(from: usize, amount: i32) {
    let mut payer = ACCOUNTS[from].lock().unwrap();
    let mut payee = ACCOUNTS[1 - from].lock().unwrap();
    *payer -= amount;
    *payee += amount;
}

fn main() {
    let other = thread::spawn(|| transfer(0, 3));
    transfer(1, 1);
    other.join().unwrap();
    assert_eq!(*ACCOUNTS[0].lock().unwrap(), 3);
}
