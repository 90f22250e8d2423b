//! A plain access of sixteen bytes is made in two: the reader sees one half of the number.
static mut WIDE: u128 = 0;

fn main() {
    let writer = std::thread::spawn(|| unsafe { WIDE = u128::MAX });
    let seen = unsafe { WIDE };
    assert!(seen == 0 || seen == u128::MAX);
    writer.join().unwrap();
}
