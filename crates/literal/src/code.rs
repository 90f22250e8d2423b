//! Functions ready for execution: types measured, constants evaluated, labels resolved to program counters. Nothing is folded,
//! moved or left out: one instruction of the text is one instruction here.
//!
//! One exception: a local variable whose address is never taken (every use is a load or store of the same type) is a
//! [`Slot`](Op::SlotLoad) of its frame instead of an object in memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use fencewright_llvm::assembly::Assembly;
use fencewright_llvm::module::{BinOp, Flags, FloatOp, FloatPredicate, Order, Predicate, RmwOp};

use crate::floats::Format;
use crate::layout::{Kind, Shape};
use crate::step::scalar_of;
use crate::value::{Scalar, Value};

/// Where an instruction finds a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A register or slot of the frame.
    Local(u32),
    /// A constant.
    Const(Value),
    /// The address of a thread-local variable, by the number of its global, and an offset into it.
    ThreadLocal(u32, u64),
}

/// The target of a jump, and the values its phis get.
#[derive(Debug, Clone)]
pub struct Target {
    /// The first instruction after the phis.
    pub pc: u32,
    /// Registers and their values; all values are read before any register is written.
    pub moves: Rc<[(u32, Operand)]>,
}

/// A cast.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Cast {
    /// An integer of another width.
    Resize {
        /// From this width.
        from: u32,
        /// To this one.
        to: u32,
        /// Sign-extended.
        signed: bool,
    },
    /// The same bits as another type; for pointers, a number of this many bits and back.
    Bits,
    /// A pointer to a number of so many bits.
    PointerToInt(u32),
    /// A number of so many bits to a pointer.
    IntToPointer(u32),
    /// A floating-point number to an integer.
    FloatToInt(Format, u32, bool),
    /// An integer to a floating-point number.
    IntToFloat(Format, u32, bool),
    /// From one format to another.
    FloatResize(Format, Format),
    /// A vector of bits to a number.
    Gather,
}

/// What is called.
#[derive(Debug, Clone)]
pub enum Callee {
    /// A function of the program, by number.
    Direct(u32),
    /// Through a pointer.
    Indirect(Operand),
    /// Inline assembly: text and constraints.
    Asm(Arc<str>, Arc<Result<Assembly, String>>),
}

/// The ordering and alignment of an access.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Access {
    /// Its ordering; plain if it is not atomic.
    pub order: Order,
    /// The alignment that an atomic access needs.
    pub align: u64,
}

/// What an instruction does.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "operands are called as in the LLVM language reference")]
pub enum Op {
    /// A new object of the frame, and the offsets at which the scalars of its type begin.
    Alloca { size: u64, align: u64, count: Operand, borders: Rc<[u64]> },
    /// Reads memory.
    Load { shape: Rc<Shape>, ptr: Operand, access: Access },
    /// Writes memory.
    Store { shape: Rc<Shape>, value: Operand, ptr: Operand, access: Access },
    /// Reads a local variable that is a slot.
    SlotLoad(u32),
    /// Writes one.
    SlotStore(u32, Operand),
    /// Atomic read-modify-write of an integer or pointer.
    Rmw { op: RmwOp, kind: Kind, size: u32, ptr: Operand, value: Operand, order: Order },
    /// Atomic compare-and-exchange; gives the old value and whether it matched.
    CompareExchange { kind: Kind, size: u32, ptr: Operand, expected: Operand, new: Operand, order: Order },
    /// A fence.
    Fence(Order),
    /// An address: base, constant offset, and indices with their widths and scales.
    Gep { base: Operand, offset: i64, terms: Rc<[(Operand, u32, i64)]> },
    /// Integer arithmetic.
    Binary { op: BinOp, width: u32, a: Operand, b: Operand, flags: Flags },
    /// Comparison of integers or pointers.
    Compare { predicate: Predicate, width: u32, a: Operand, b: Operand },
    /// Floating-point arithmetic.
    FloatBinary { op: FloatOp, format: Format, a: Operand, b: Operand },
    /// The value with the opposite sign.
    FloatNegate(Format, Operand),
    /// Comparison of floating-point numbers.
    FloatCompare { predicate: FloatPredicate, format: Format, a: Operand, b: Operand },
    /// A cast.
    Cast { cast: Cast, value: Operand, nneg: bool, nsw: bool, nuw: bool },
    /// One of two values.
    Select { condition: Operand, yes: Operand, no: Operand },
    /// Part of an aggregate.
    Extract { aggregate: Operand, path: Rc<[u32]> },
    /// An aggregate with one part changed.
    Insert { aggregate: Operand, element: Operand, path: Rc<[u32]> },
    /// An element of a vector.
    ExtractElement { vector: Operand, index: Operand },
    /// A vector with one element changed.
    InsertElement { vector: Operand, element: Operand, index: Operand },
    /// Elements of two vectors in another order; `None` is poison of `width` bits.
    Shuffle { a: Operand, b: Operand, mask: Rc<[Option<u32>]>, width: u32 },
    /// Unset bits get a value.
    Freeze(Operand),
    /// A call. `unwind` is where an exception leaves it to.
    Call { callee: Callee, args: Rc<[(Operand, Rc<Shape>)]>, ret: Option<Rc<Shape>>, unwind: Option<Target> },
    /// Jumps.
    Jump(Target),
    /// Jumps on a truth value.
    Branch { condition: Operand, yes: Target, no: Target },
    /// Jumps on a number.
    Switch { value: Operand, cases: Rc<[(Value, Target)]>, default: Target },
    /// Jumps to a block by its address.
    IndirectJump { address: Operand, targets: Rc<[(u64, Target)]> },
    /// Returns from the function.
    Return(Option<Operand>),
    /// Must not be reached.
    Unreachable,
    /// Receives the exception that arrives here.
    LandingPad,
    /// Resumes unwinding.
    Resume(Operand),
    /// The next of the variable arguments.
    VaArg { list: Operand, shape: Rc<Shape> },
    /// Does nothing.
    Nothing,
    /// Cannot be executed; says why.
    Unsupported(Rc<str>),
}

/// An instruction.
#[derive(Debug, Clone)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// The register that receives its result.
    pub dst: Option<u32>,
    /// The number of its debug location.
    pub debug: Option<u32>,
    /// Its byte range in the IR text.
    pub at: (u32, u32),
}

/// A clause of a landing pad: the type information it names; zero catches everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// Catches exceptions of the type at this address.
    Catch(u64),
    /// Lets only these types through.
    Filter(Vec<u64>),
}

/// A landing pad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pad {
    /// Whether it is entered for clean-up even if no clause matches.
    pub cleanup: bool,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
}

/// A function that can be executed.
#[derive(Debug)]
pub struct Function {
    /// Its number in the program.
    pub number: u32,
    /// The module it is from.
    pub module: usize,
    /// Parameters, by register.
    pub params: Vec<u32>,
    /// For each parameter passed as a copy in memory: size and alignment.
    pub byval: Vec<Option<(u64, u64)>>,
    /// Whether it is variadic.
    pub variadic: bool,
    /// Registers and slots.
    pub n_locals: u32,
    /// The initial, unset values of the slots. Slots are numbered after the registers.
    pub slots: Vec<Value>,
    /// All instructions, block by block.
    pub code: Vec<Inst>,
    /// The landing pads by instruction.
    pub pads: HashMap<u32, Pad>,
    /// Which registers and slots are live before an instruction, computed on demand.
    pub(crate) live: RefCell<HashMap<u32, Rc<[bool]>>>,
    /// Where each block begins, and which registers are live there.
    pub(crate) block_starts: Vec<u32>,
    pub(crate) block_live: Vec<Rc<[bool]>>,
}

impl Function {
    /// The addresses and sizes of the arguments that are passed as a copy in memory.
    pub(crate) fn by_value(&self, args: &[(Value, Rc<Shape>)]) -> Vec<(Scalar, u64)> {
        let both = args.iter().zip(&self.byval);
        both.filter_map(|((value, _), size)| Some((scalar_of(value), (*size)?.0))).collect()
    }
}

impl Operand {
    /// Calls `visit` with its register or slot, if it is one.
    pub(crate) fn for_each_local(&self, visit: &mut dyn FnMut(u32)) {
        if let Operand::Local(local) = self {
            visit(*local);
        }
    }
}

impl Op {
    /// Calls `visit` for each register or slot that it reads, except in the moves of its targets.
    pub(crate) fn for_each_use(&self, visit: &mut dyn FnMut(u32)) {
        let mut all =
            |operands: &[&Operand]| operands.iter().for_each(|operand| operand.for_each_local(visit));
        match self {
            Op::Alloca { count, .. } => all(&[count]),
            Op::Load { ptr, .. } => all(&[ptr]),
            Op::Store { value, ptr, .. } | Op::Rmw { value, ptr, .. } => all(&[value, ptr]),
            Op::SlotLoad(slot) => visit(*slot),
            Op::SlotStore(_, value) => all(&[value]),
            Op::CompareExchange { ptr, expected, new, .. } => all(&[ptr, expected, new]),
            Op::Gep { base, terms, .. } => {
                all(&[base]);
                terms.iter().for_each(|(operand, _, _)| operand.for_each_local(visit));
            }
            Op::Binary { a, b, .. }
            | Op::Compare { a, b, .. }
            | Op::FloatBinary { a, b, .. }
            | Op::FloatCompare { a, b, .. }
            | Op::Shuffle { a, b, .. } => all(&[a, b]),
            Op::FloatNegate(_, value) | Op::Cast { value, .. } | Op::Freeze(value) => all(&[value]),
            Op::Select { condition, yes, no } => all(&[condition, yes, no]),
            Op::Extract { aggregate, .. } => all(&[aggregate]),
            Op::Insert { aggregate, element, .. } => all(&[aggregate, element]),
            Op::ExtractElement { vector, index } => all(&[vector, index]),
            Op::InsertElement { vector, element, index } => all(&[vector, element, index]),
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(pointer) = callee {
                    all(&[pointer]);
                }
                args.iter().for_each(|(operand, _)| operand.for_each_local(visit));
            }
            Op::Branch { condition, .. } => all(&[condition]),
            Op::Switch { value, .. } => all(&[value]),
            Op::IndirectJump { address, .. } => all(&[address]),
            Op::Return(Some(value)) | Op::Resume(value) => all(&[value]),
            Op::VaArg { list, .. } => all(&[list]),
            Op::Fence(_)
            | Op::Jump(_)
            | Op::Return(None)
            | Op::Unreachable
            | Op::LandingPad
            | Op::Nothing
            | Op::Unsupported(_) => {}
        }
    }

    /// Calls `visit` for each jump target.
    pub(crate) fn for_each_target(&self, visit: &mut dyn FnMut(&Target)) {
        match self {
            Op::Jump(target) => visit(target),
            Op::Branch { yes, no, .. } => [yes, no].into_iter().for_each(visit),
            Op::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| visit(target));
                visit(default);
            }
            Op::IndirectJump { targets, .. } => targets.iter().for_each(|(_, target)| visit(target)),
            Op::Call { unwind: Some(target), .. } => visit(target),
            _ => {}
        }
    }

    /// Whether it ends its block.
    pub(crate) fn ends_block(&self) -> bool {
        matches!(
            self,
            Op::Jump(_)
                | Op::Branch { .. }
                | Op::Switch { .. }
                | Op::IndirectJump { .. }
                | Op::Return(_)
                | Op::Unreachable
                | Op::Resume(_)
        )
    }
}
