//! How a value is printed is code of the program: it counts.
use std::cell::Cell;
use std::fmt;

struct Counted(Cell<u32>);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        write!(f, "{}", self.0.get())
    }
}

fn main() {
    let counted = Counted(Cell::new(0));
    println!("{counted}");
    eprintln!("{counted}");
    assert_eq!(counted.0.get(), 2);
}
