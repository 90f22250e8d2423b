// rustc declares the variable as an array of bytes. Racing copies are still made member by member.
use std::ptr::{addr_of, addr_of_mut};
use std::thread;

#[derive(Clone, Copy)]
struct Four {
    first: u32,
    second: u32,
    third: u64,
}

static mut SHARED: Four = Four { first: 0, second: 0, third: 0 };

fn main() {
    let writer = thread::spawn(|| {
        let mine = Four { first: 1, second: 1, third: 1 };
        unsafe { addr_of_mut!(SHARED).write(mine) };
    });
    let mine = unsafe { addr_of!(SHARED).read() };
    assert!(mine.first == mine.second);
    writer.join().unwrap();
    assert!(mine.third < 2);
}
