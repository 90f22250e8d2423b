//! What generated programs may have in them, and how large they are.

/// Something that a program can have. Whether a program has it is decided once for each program, so that there are programs
/// with few of them, and what cannot be read of one does not hide the others.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Integers of all widths and signs; without it all are `U32` and `I64`.
    Widths,
    /// Conversions within values.
    Casts,
    /// Arrays, local and shared.
    Arrays,
    /// Structs, local and shared.
    Records,
    /// Structs within structs, and arrays within them.
    NestedRecords,
    /// Unions.
    Unions,
    /// Access to the bytes of variables as other types.
    Bytes,
    /// Bit-fields.
    BitFields,
    /// Pointers in local variables.
    Pointers,
    /// Pointers in shared variables.
    SharedPointers,
    /// `&&` and `||`.
    ShortCircuits,
    /// `?:`.
    Choices,
    /// `switch` with arms that fall through.
    Switches,
    /// Loops with a bound.
    Loops,
    /// `break` and `continue`.
    Jumps,
    /// Functions.
    Calls,
    /// Structs as arguments and results.
    RecordsByValue,
    /// Tables of functions.
    FunctionTables,
    /// Virtual functions, `dyn`.
    VirtualCalls,
    /// Function pointers in shared variables.
    FunctionSlots,
    /// Functions that call themselves.
    Recursion,
    /// Objects that are allocated, used and freed in one place.
    Heap,
    /// Objects that threads hand to each other.
    Handing,
    /// Mutexes.
    Mutexes,
    /// Atomic read-modify-writes.
    ReadModifyWrites,
    /// Compare-and-exchange.
    CompareExchanges,
    /// Orders other than sequentially consistent.
    Orders,
    /// Fences.
    Fences,
    /// Shared variables that are not atomic.
    PlainShared,
    /// `volatile` variables.
    Volatile,
    /// Threads that get an address.
    ArgumentsByAddress,
    /// Threads that give something back.
    Results,
    /// Threads that are created in a loop.
    LoopCreation,
    /// Code that runs before `main`.
    Constructors,
    /// Variables of threads.
    ThreadLocals,
    /// Threads that `main` creates and waits for at once.
    Helpers,
    /// The same by threads.
    NestedHelpers,
    /// Accesses of `main` while the threads run.
    Meanwhile,
    /// POSIX threads and mutexes in C++ and Rust.
    Posix,
    /// An error that executions may reach or not.
    Errors,
    /// Many branches in a row on a number that can be anything, as far as is known before the program runs.
    Forks,
    /// Comparisons of what was read with what was read.
    Relations,
    /// Numbers that are read, written elsewhere by a compare-and-exchange, and not looked at otherwise.
    Passing,
    /// Structs that threads share, copied as a whole.
    RecordCopies,
}

/// Every feature, with the per cent of programs that have it unless [`Shape::set`] says otherwise.
pub const FEATURES: [(Feature, u8); 44] = [
    (Feature::Widths, 70),
    (Feature::Casts, 60),
    (Feature::Arrays, 40),
    (Feature::Records, 40),
    (Feature::NestedRecords, 30),
    (Feature::Unions, 15),
    (Feature::Bytes, 15),
    (Feature::BitFields, 25),
    (Feature::Pointers, 40),
    (Feature::SharedPointers, 25),
    (Feature::ShortCircuits, 50),
    (Feature::Choices, 40),
    (Feature::Switches, 30),
    (Feature::Loops, 30),
    (Feature::Jumps, 50),
    (Feature::Calls, 45),
    (Feature::RecordsByValue, 40),
    (Feature::FunctionTables, 30),
    (Feature::VirtualCalls, 30),
    (Feature::FunctionSlots, 20),
    (Feature::Recursion, 15),
    (Feature::Heap, 20),
    (Feature::Handing, 20),
    (Feature::Mutexes, 30),
    (Feature::ReadModifyWrites, 50),
    (Feature::CompareExchanges, 35),
    (Feature::Orders, 80),
    (Feature::Fences, 35),
    (Feature::PlainShared, 60),
    (Feature::Volatile, 30),
    (Feature::ArgumentsByAddress, 25),
    (Feature::Results, 40),
    (Feature::LoopCreation, 25),
    (Feature::Constructors, 15),
    (Feature::ThreadLocals, 15),
    (Feature::Helpers, 12),
    (Feature::NestedHelpers, 4),
    (Feature::Meanwhile, 20),
    (Feature::Posix, 50),
    (Feature::Errors, 20),
    (Feature::Forks, 10),
    (Feature::Relations, 20),
    (Feature::Passing, 15),
    (Feature::RecordCopies, 40),
];

/// How programs are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// For each row of [`FEATURES`] the per cent of programs that have it.
    percents: [u8; FEATURES.len()],
    /// The fewest and most threads beside `main`.
    pub threads: (usize, usize),
    /// The fewest and most shared accesses that each thread makes, about.
    pub accesses: (usize, usize),
}

impl Default for Shape {
    fn default() -> Self {
        Self { percents: FEATURES.map(|(_, percent)| percent), threads: (2, 3), accesses: (2, 6) }
    }
}

impl Shape {
    /// Programs with two threads and atomic accesses only.
    pub fn bare() -> Self {
        Self { percents: [0; FEATURES.len()], ..Self::default() }
    }

    /// Sets the per cent of programs that have a feature.
    #[must_use]
    pub fn set(mut self, feature: Feature, percent: u8) -> Self {
        for (row, own) in FEATURES.iter().zip(&mut self.percents) {
            if row.0 == feature {
                *own = percent.min(100);
            }
        }
        self
    }

    /// The per cent of programs that have a feature.
    pub fn percent(&self, feature: Feature) -> u8 {
        FEATURES.iter().zip(&self.percents).find(|(row, _)| row.0 == feature).map_or(0, |(_, own)| *own)
    }
}
