//! Concurrent programs as trees, before they are text of a language.
//!
//! One tree serves C, C++ and Rust: what a language lacks is written in it by what is nearest (a bit-field of Rust is an
//! integer, a `match` that falls through repeats the arm below). A tree of [`valid`](crate::valid) form compiles in each
//! language, its executions end, and none of them is undefined but by an intended [`Fault`]: operands are masked, indices
//! too, pointers always point to something that lives.

/// An integer type.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntType {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Whether it has negative values.
    pub signed: bool,
}

impl IntType {
    /// `uint32_t`, `u32`.
    pub const U32: IntType = IntType { bits: 32, signed: false };
    /// `int64_t`, `i64`: what outcomes are.
    pub const I64: IntType = IntType { bits: 64, signed: true };
}

/// A type of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Int(IntType),
    /// A number that is accessed by atomic operations only.
    Atomic(IntType),
    /// Equal elements; their number is a power of two, so that an index can be masked.
    Array(Box<Type>, usize),
    /// A struct or union: the number of a [`Record`].
    Record(usize),
    /// A pointer that always points to such a thing.
    Pointer(Box<Type>),
    /// The same, accessed by atomic operations only.
    AtomicPointer(Box<Type>),
}

/// A struct or union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Whether its fields lie upon each other.
    pub is_union: bool,
    /// At least one. Records within it have lower numbers.
    pub fields: Vec<Field>,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// What it holds.
    pub ty: Type,
    /// How many bits, of a bit-field.
    pub bit_field: Option<u8>,
}

/// What a variable holds at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initial {
    /// The scalars within it, in order; 0 where there is none.
    Numbers(Vec<i64>),
    /// Of a pointer: where it points to.
    Address(Place),
}

/// A variable of all threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    /// What it holds.
    pub ty: Type,
    /// Whether it is declared `volatile` in C and C++.
    pub is_volatile: bool,
    /// Its first value.
    pub initial: Initial,
}

/// A variable of one routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// What it holds.
    pub ty: Type,
    /// Its first value; of a parameter it has no meaning.
    pub initial: Initial,
}

/// Where a place starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// A variable of all threads.
    Global(usize),
    /// A variable or parameter of the routine.
    Local(usize),
    /// A variable that each thread has for itself.
    ThreadLocal(usize),
    /// What the mutex protects; only while it is held.
    Guarded(usize),
    /// The object of the [`Statement::Heap`] around it that has this number.
    Heap(usize, Type),
}

/// A way into a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A field of a record.
    Field(usize),
    /// An element, the index masked.
    Index(Box<Expr>),
    /// What a pointer points to.
    Deref,
}

/// Something that can be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where it starts.
    pub root: Root,
    /// The way from there.
    pub path: Vec<Step>,
}

/// The order of an atomic operation. One that the operation does not have stands for the nearest that it has.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "these are the names of the languages")]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// A read-modify-write.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "these are the names of the languages")]
pub enum Modification {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// An operation on two numbers.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "these are the usual ones")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// The divisor is masked and not 0.
    Div,
    /// As `Div`.
    Rem,
    And,
    Or,
    Xor,
    /// The distance is masked.
    Shl,
    /// As `Shl`.
    Shr,
}

/// How `Add`, `Sub` and `Mul` avoid an overflow.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Style {
    /// They wrap.
    Wrapping,
    /// Their operands are masked, so that there is none; the compiler may assume, or checks, that.
    Masked,
}

/// A comparison.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "these are the usual ones")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Constant(IntType, i64),
    /// A plain read of a number, pointer or record.
    Load(Place),
    /// An atomic read of a number or pointer.
    AtomicLoad(Place, Order),
    /// An atomic read-modify-write; its value is the old one.
    Modify {
        /// An atomic number.
        place: Place,
        /// What is done.
        op: Modification,
        /// The other operand.
        value: Box<Expr>,
        /// Its order.
        order: Order,
    },
    /// A plain read of some bytes of a variable as another type.
    Bytes {
        /// A plain variable in memory.
        place: Place,
        /// The first byte.
        offset: usize,
        /// The type of what is read.
        ty: IntType,
    },
    /// The address of a plain place.
    Address(Place),
    /// The negative number.
    Negative(Box<Expr>),
    /// All bits flipped.
    Complement(Box<Expr>),
    /// In the type of the first operand.
    Binary(BinaryOp, Style, Box<Expr>, Box<Expr>),
    /// Another integer type.
    Cast(IntType, Box<Expr>),
    /// 1 or 0.
    Truth(IntType, Box<Condition>),
    /// `?:`, in the type of the first value.
    Choose(Box<Condition>, Box<Expr>, Box<Expr>),
    /// How often the loop around it that has this number has gone round; a `U32`.
    Counter(usize),
    /// A call of a function with a result.
    Call(Box<Call>),
    /// Only in `main`: what the thread of this number gave back, 0 if nothing; an `I64`.
    Joined(usize),
    /// Only in `main`'s outcome: what was left in the slot of this number, -1 if nothing; an `I64`.
    Left(usize),
}

/// A truth value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Of two numbers, in the type of the first.
    Compare(Comparison, Expr, Expr),
    /// Whether two pointers of one type point to the same.
    Same(Expr, Expr),
    /// Not 0.
    Nonzero(Expr),
    /// Not.
    Not(Box<Condition>),
    /// The second only if the first holds.
    And(Box<Condition>, Box<Condition>),
    /// The second only if the first does not hold.
    Or(Box<Condition>, Box<Condition>),
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// One for each parameter.
    pub arguments: Vec<Expr>,
}

/// How a function is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// By itself.
    Direct(usize),
    /// The one that calls, once less deep. Only in a recursive function, whose first parameter it does not give.
    Itself,
    /// By a table and a masked index.
    Table(usize, Box<Expr>),
    /// By a function pointer that all threads share.
    Slot(usize),
}

/// Functions of one signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// A power of two of them.
    pub functions: Vec<usize>,
    /// Whether it is a table of objects with a virtual function, where the language has that.
    pub is_virtual: bool,
}

/// A loop's form.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "these are the words of the languages")]
pub enum LoopKind {
    For,
    While,
    Do,
}

/// An arm of a [`Statement::Switch`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// What is done.
    pub body: Vec<Statement>,
    /// Whether the next arm, or the default one, is done as well.
    pub falls: bool,
}

/// What a routine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// A plain write of a number, pointer or record.
    Store(Place, Expr),
    /// An atomic write of a number or pointer.
    AtomicStore(Place, Expr, Order),
    /// A value that is forgotten.
    Evaluate(Expr),
    /// A compare-and-exchange that never fails without reason.
    CompareExchange {
        /// An atomic number.
        place: Place,
        /// A local number of the same type: what is expected, and behind it what was found.
        expected: Place,
        /// What is written.
        new: Expr,
        /// The order if it was as expected.
        success: Order,
        /// The order if not.
        failure: Order,
        /// A local `U32` for whether it was.
        done: Option<Place>,
    },
    /// A plain write of some bytes of a variable.
    StoreBytes {
        /// A plain variable in memory.
        place: Place,
        /// The first byte.
        offset: usize,
        /// What is written, as wide as its type.
        value: Expr,
    },
    /// A fence; `Relaxed` is none.
    Fence(Order),
    /// A condition.
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// By a value that is masked: the arms are 0, 1, 2, …
    Switch {
        /// The value.
        on: Expr,
        /// At most four.
        arms: Vec<Arm>,
        /// What is done for every other value.
        default: Vec<Statement>,
    },
    /// A loop with a bound.
    Loop {
        /// Its form.
        kind: LoopKind,
        /// The number that its counter goes by; higher than those of the loops around it.
        number: usize,
        /// How often.
        times: u32,
        /// What is done.
        body: Vec<Statement>,
    },
    /// Leaves the loop around it.
    BreakIf(Condition),
    /// Goes on with the loop's next round.
    ContinueIf(Condition),
    /// Takes the mutex, and gives it back. Mutexes within have higher numbers.
    Lock(usize, Vec<Statement>),
    /// Allocates an object, and frees it.
    Heap {
        /// Its number; higher than those of the ones around it.
        number: usize,
        /// The integer type of the object.
        ty: IntType,
        /// Its first value.
        value: Expr,
        /// What is done while it is there.
        body: Vec<Statement>,
    },
    /// Allocates an object, exchanges its address for the one in the slot, and reads and frees that one's object.
    Hand {
        /// The number of the slot.
        slot: usize,
        /// The new object's value.
        value: Expr,
        /// A local `I64` for the old object's value; as it was if there is none.
        received: Place,
    },
    /// Sets a function pointer that all threads share.
    SetSlot(usize, usize),
    /// Creates a thread that runs the helper of this number, and waits for it.
    Helper(usize),
    /// What may go wrong.
    Fault(Fault),
}

/// An intended error, which executions may reach or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// An assertion.
    Assert(Condition),
    /// A read of the place through a pointer that is null unless the condition holds.
    Null {
        /// When the pointer is not null.
        unless: Condition,
        /// A plain number in memory.
        place: Place,
        /// A local `I64` for what is read.
        result: Place,
    },
    /// A read of an element whose index is masked to twice the array's length.
    Index {
        /// An array of plain numbers.
        array: Place,
        /// The index.
        index: Expr,
        /// A local `I64` for what is read.
        result: Place,
    },
    /// A division whose divisor may be 0.
    Division {
        /// What is divided, as an `I64` that is not negative.
        value: Expr,
        /// The divisor, as one from 0 to 7.
        by: Expr,
        /// A local `I64` for the quotient.
        result: Place,
    },
    /// Frees what is in the slot, found by a load and taken out by a store: two threads may do so at once.
    FreeTwice {
        /// The number of the slot.
        slot: usize,
        /// A local `I64` for the object's value.
        result: Place,
    },
}

/// A body with its variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Routine {
    /// How many of the variables are parameters: the first.
    pub n_parameters: usize,
    /// The variables.
    pub locals: Vec<Local>,
    /// What it does.
    pub body: Vec<Statement>,
    /// What it gives back.
    pub result: Option<Expr>,
}

/// A function that threads call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its body; it calls functions with lower numbers, or itself if it is recursive. It gives something back.
    pub routine: Routine,
    /// The type of its result.
    pub result: Type,
    /// Whether its first parameter, a `U32`, says how deep it may go: at 0, or past 2, it gives back 0s at once.
    pub is_recursive: bool,
}

/// Threads of one routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The routine, with one parameter, a `U32`: the number of the thread. Its result is a number.
    pub routine: Routine,
    /// How many threads.
    pub count: usize,
    /// Whether they are created in a loop.
    pub in_loop: bool,
    /// Whether they get the address of their number.
    pub by_address: bool,
}

/// A mutex and the number it protects.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Mutex {
    /// The number's type.
    pub ty: IntType,
    /// Its first value.
    pub initial: i64,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Variables of all threads.
    pub globals: Vec<Global>,
    /// Variables of each thread.
    pub thread_locals: Vec<(IntType, i64)>,
    /// Mutexes.
    pub mutexes: Vec<Mutex>,
    /// Atomic pointers to allocated numbers of this type, null at first.
    pub slots: Vec<IntType>,
    /// Functions, and what calls them.
    pub functions: Vec<Function>,
    /// Tables of functions.
    pub tables: Vec<Table>,
    /// Function pointers that all threads share; each calls the function of this number at first.
    pub function_slots: Vec<usize>,
    /// Threads that live for one statement; they create none.
    pub helpers: Vec<Routine>,
    /// What runs before `main`. Rust has no such thing: there it is the first that `main` does.
    pub constructor: Option<Routine>,
    /// The threads.
    pub groups: Vec<Group>,
    /// `main`'s variables; its body is what it does before it creates the threads.
    pub main: Routine,
    /// What `main` does while the threads run.
    pub meanwhile: Vec<Statement>,
    /// What `main` does when they have ended.
    pub afterwards: Vec<Statement>,
    /// The outcome.
    pub out: Vec<Expr>,
    /// Whether C++ and Rust use POSIX threads and mutexes instead of those of their libraries.
    pub uses_posix: bool,
}

impl Program {
    /// How many threads the groups have.
    pub fn n_threads(&self) -> usize {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// The functions of a callee have one signature; this is one of them.
    pub fn callee(&self, callee: &Callee, within: Option<usize>) -> Option<&Function> {
        let number = match callee {
            Callee::Direct(number) => *number,
            Callee::Itself => within?,
            Callee::Table(table, _) => *self.tables.get(*table)?.functions.first()?,
            Callee::Slot(slot) => *self.function_slots.get(*slot)?,
        };
        self.functions.get(number)
    }
}

impl Function {
    /// The types of its parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &Type> {
        self.routine.locals.iter().take(self.routine.n_parameters).map(|local| &local.ty)
    }

    /// Whether calls of the one may be calls of the other.
    pub fn has_signature_of(&self, other: &Function) -> bool {
        self.result == other.result && self.parameters().eq(other.parameters())
    }
}
