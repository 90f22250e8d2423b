//! LLVM IR as data, after the LLVM language reference. Omitted are what pointers point to, attributes that do not change
//! meaning, and names of registers. Functions are parsed when they are first requested.

use std::sync::Arc;

use crate::assembly::Assembly;
use crate::parse::Range;

/// A type. Named types are resolved in the module when their layout is needed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    /// An integer of so many bits.
    Int(u32),
    Ptr,
    /// A floating-point type.
    Float(FloatKind),
    Array(u64, Arc<Type>),
    Vector(u64, Arc<Type>),
    Struct {
        packed: bool,
        fields: Arc<[Type]>,
    },
    Named(Arc<str>),
    /// A function, a label, a token, metadata: types without a size.
    Sizeless,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum FloatKind {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Quad,
}

/// A constant. Its type is known from its context.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// An integer as written, not yet reduced to the range of its type.
    Int(i128),
    /// `null`, `zeroinitializer`, `false`: all bits zero.
    Zero,
    /// `undef`, `poison`: any value.
    Undef,
    /// The address of a global variable, function or alias.
    Global(Arc<str>),
    /// An array or struct, element by element.
    Aggregate(Vec<(Type, Constant)>),
    /// `c"…"`.
    Bytes(Arc<[u8]>),
    Gep {
        element: Type,
        base: Box<Constant>,
        indices: Vec<Constant>,
    },
    Cast {
        op: CastOp,
        from: Type,
        value: Box<Constant>,
        to: Type,
    },
    Binary {
        op: BinOp,
        ty: Type,
        a: Box<Constant>,
        b: Box<Constant>,
    },
    /// A comparison of integers or pointers.
    Compare {
        predicate: Predicate,
        ty: Type,
        a: Box<Constant>,
        b: Box<Constant>,
    },
    Select {
        condition: Box<Constant>,
        yes: Box<Constant>,
        no: Box<Constant>,
    },
    /// A `half`, `bfloat`, `float` or `double`: the bits of its own format, in the low bits. Other formats are `Unknown`.
    Float(u64),
    /// `blockaddress(@f, %b)`: function and block by name.
    BlockAddress(Arc<str>, Arc<str>),
    /// `splat (i32 1)`: a vector of equal elements.
    Splat(Box<(Type, Constant)>),
    /// A constant without a known value: a number of an unusual format, an unknown expression.
    Unknown(Arc<str>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A value of the function, numbered densely.
    Local(LocalId),
    Const(Constant),
}

fencewright_base::define_index! {
    /// A value of a function: a parameter or the result of an instruction.
    pub struct LocalId = "%";
    /// A basic block of a function.
    pub struct BlockId = "b";
    /// A function with a body.
    pub struct FunctionId = "f";
    /// A global variable.
    pub struct GlobalId = "g";
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// The promises that flags make about an operation. If a promise is broken, the result is poison.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Flags {
    pub nsw: bool,
    pub nuw: bool,
    /// For divisions and right shifts: no remainder or bit is lost.
    pub exact: bool,
    /// For `or`: no bit is set in both.
    pub disjoint: bool,
    /// For `zext` and `uitofp`: the operand is not negative.
    pub nneg: bool,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum FloatOp {
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// A comparison of floating-point numbers: the set of the four relations that make it true.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct FloatPredicate {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    /// `fptrunc` and `fpext`.
    FpResize,
    /// `ptrtoint`, `inttoptr`, `bitcast`, `addrspacecast`: the same bits, truncated or zero-extended.
    Reinterpret,
}

impl CastOp {
    /// Whether it computes with floating-point numbers.
    pub fn computes_floats(self) -> bool {
        match self {
            CastOp::FpToUi | CastOp::FpToSi | CastOp::UiToFp | CastOp::SiToFp | CastOp::FpResize => true,
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Reinterpret => false,
        }
    }
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// The memory ordering of an access; `Plain` if it is not atomic.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// The operation of an `atomicrmw`.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

/// A clause of a landing pad.
#[derive(Debug, Clone)]
pub enum Clause {
    /// Catches exceptions of this type; null catches all.
    Catch(Constant),
    /// Lets only exceptions of these types through.
    Filter(Vec<Constant>),
}

#[derive(Debug, Clone)]
pub enum Callee {
    Named(Arc<str>),
    Value(Operand),
    /// Inline assembly: its text, and its instructions or the reason why they cannot be read.
    Asm {
        text: Arc<str>,
        read: Arc<Result<Assembly, String>>,
    },
}

#[derive(Debug, Clone)]
pub enum InstKind {
    Alloca {
        ty: Type,
        count: Operand,
        /// As written; `None` means the type's.
        align: Option<u64>,
    },
    Load {
        ty: Type,
        ptr: Operand,
        order: Order,
        volatile: bool,
        align: Option<u64>,
    },
    Store {
        ty: Type,
        value: Operand,
        ptr: Operand,
        order: Order,
        volatile: bool,
        align: Option<u64>,
    },
    Rmw {
        op: RmwOp,
        ty: Type,
        ptr: Operand,
        value: Operand,
        order: Order,
    },
    CmpXchg {
        ty: Type,
        ptr: Operand,
        expected: Operand,
        new: Operand,
        /// The ordering on success.
        order: Order,
        /// The ordering on failure.
        failure: Order,
        /// Whether it may fail spuriously.
        weak: bool,
    },
    Fence(Order),
    Gep {
        element: Type,
        base: Operand,
        indices: Vec<(Type, Operand)>,
    },
    Binary {
        op: BinOp,
        ty: Type,
        a: Operand,
        b: Operand,
        flags: Flags,
    },
    FloatBinary {
        op: FloatOp,
        ty: Type,
        a: Operand,
        b: Operand,
    },
    FloatNegate {
        ty: Type,
        value: Operand,
    },
    Compare {
        predicate: Predicate,
        ty: Type,
        a: Operand,
        b: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        ty: Type,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: Type,
        value: Operand,
        to: Type,
        flags: Flags,
    },
    Select {
        condition: Operand,
        ty: Type,
        yes: Operand,
        no: Operand,
    },
    Phi {
        ty: Type,
        incoming: Vec<(Operand, BlockId)>,
    },
    /// A call. One with `unwind` comes from an `invoke`; the jump to its normal successor follows as a `Goto`.
    Call {
        callee: Callee,
        args: Vec<(Type, Operand)>,
        ret: Type,
        unwind: Option<BlockId>,
    },
    LandingPad {
        ty: Type,
        cleanup: bool,
        clauses: Vec<Clause>,
    },
    Resume {
        ty: Type,
        value: Operand,
    },
    VaArg {
        list: Operand,
        ty: Type,
    },
    ExtractElement {
        /// The type of the vector.
        ty: Type,
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        /// The type of the vector.
        ty: Type,
        vector: Operand,
        element: Operand,
        index: Operand,
    },
    ShuffleVector {
        /// The type of the shuffled vectors.
        ty: Type,
        a: Operand,
        b: Operand,
        /// For each element of the result, its index in `a` followed by `b`; `None` for poison.
        mask: Vec<Option<u32>>,
    },
    IndirectBranch {
        address: Operand,
        targets: Vec<BlockId>,
    },
    ExtractValue {
        ty: Type,
        aggregate: Operand,
        path: Vec<u64>,
    },
    InsertValue {
        ty: Type,
        aggregate: Operand,
        element_ty: Type,
        element: Operand,
        path: Vec<u64>,
    },
    Freeze {
        ty: Type,
        value: Operand,
    },
    /// The debug name of a local variable: its address and its metadata.
    Declare {
        address: Operand,
        variable: u32,
    },
    Goto(BlockId),
    Branch {
        condition: Operand,
        yes: BlockId,
        no: BlockId,
    },
    Switch {
        ty: Type,
        value: Operand,
        default: BlockId,
        cases: Vec<(Constant, BlockId)>,
    },
    Return(Option<(Type, Operand)>),
    Unreachable,
    /// Does nothing.
    Nothing,
    /// An unsupported instruction, by name. It matters only if it is reachable.
    Unsupported(Arc<str>),
}

#[derive(Debug, Clone)]
pub struct Inst {
    pub result: Option<LocalId>,
    pub kind: InstKind,
    /// The number of its debug location.
    pub debug: Option<u32>,
    /// Its byte range in the IR text.
    pub at: (u32, u32),
}

impl InstKind {
    /// Calls `visit` for every local that it uses, except in phis, whose values are used at the end of their predecessors.
    pub fn for_each_local(&self, visit: &mut dyn FnMut(LocalId)) {
        self.for_each_operand(&mut |operand| {
            if let Operand::Local(local) = operand {
                visit(*local);
            }
        });
    }

    /// Calls a function with each operand.
    pub fn for_each_operand(&self, operand: &mut dyn FnMut(&Operand)) {
        match self {
            InstKind::Alloca { count, .. } => operand(count),
            InstKind::Load { ptr, .. } => operand(ptr),
            InstKind::Store { value, ptr, .. } | InstKind::Rmw { value, ptr, .. } => {
                operand(value);
                operand(ptr);
            }
            InstKind::CmpXchg { ptr, expected, new, .. } => {
                [ptr, expected, new].into_iter().for_each(operand)
            }
            InstKind::Gep { base, indices, .. } => {
                operand(base);
                indices.iter().for_each(|(_, index)| operand(index));
            }
            InstKind::Binary { a, b, .. } | InstKind::Compare { a, b, .. } => {
                [a, b].into_iter().for_each(operand)
            }
            InstKind::Cast { value, .. } | InstKind::Freeze { value, .. } => operand(value),
            InstKind::Select { condition, yes, no, .. } => [condition, yes, no].into_iter().for_each(operand),
            InstKind::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| operand(value)),
            InstKind::Call { callee, args, .. } => {
                if let Callee::Value(value) = callee {
                    operand(value);
                }
                args.iter().for_each(|(_, arg)| operand(arg));
            }
            InstKind::ExtractValue { aggregate, .. } => operand(aggregate),
            InstKind::InsertValue { aggregate, element, .. } => {
                [aggregate, element].into_iter().for_each(operand)
            }
            InstKind::Declare { address, .. } => operand(address),
            InstKind::FloatBinary { a, b, .. } | InstKind::FloatCompare { a, b, .. } => {
                [a, b].into_iter().for_each(operand)
            }
            InstKind::FloatNegate { value, .. } | InstKind::Resume { value, .. } => operand(value),
            InstKind::VaArg { list, .. } => operand(list),
            InstKind::ExtractElement { vector, index, .. } => [vector, index].into_iter().for_each(operand),
            InstKind::InsertElement { vector, element, index, .. } => {
                [vector, element, index].into_iter().for_each(operand)
            }
            InstKind::ShuffleVector { a, b, .. } => [a, b].into_iter().for_each(operand),
            InstKind::IndirectBranch { address, .. } => operand(address),
            InstKind::Branch { condition, .. } => operand(condition),
            InstKind::Switch { value, .. } => operand(value),
            InstKind::Return(value) => value.iter().for_each(|(_, value)| operand(value)),
            InstKind::Fence(_)
            | InstKind::Goto(_)
            | InstKind::Unreachable
            | InstKind::LandingPad { .. }
            | InstKind::Nothing
            | InstKind::Unsupported(_) => {}
        }
    }
}

#[derive(Debug, Clone)]
pub struct Block {
    /// Its label, as a `blockaddress` names it.
    pub name: Arc<str>,
    pub insts: Vec<Inst>,
}

/// How a linker treats the same name in several modules.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// One definition for all modules.
    External,
    /// Visible in this module only: `private`, `internal`.
    Internal,
    /// A strong definition replaces it: `weak`, `weak_odr`, `linkonce`, `linkonce_odr`, `common`.
    Weak,
    /// A declaration that may stay undefined: `extern_weak`.
    ExternWeak,
    /// A copy for optimisers of a definition elsewhere: `available_externally`.
    AvailableExternally,
    /// Arrays of several modules are joined: `appending`.
    Appending,
}

/// A parsed function body.
#[derive(Debug, Clone)]
pub struct Function {
    pub params: Vec<(Type, LocalId)>,
    /// Block 0 is the entry.
    pub blocks: fencewright_base::IndexVec<BlockId, Block>,
}

/// The head of a function with a body, from the top level of the module.
#[derive(Debug, Clone)]
pub struct FunctionHead {
    pub name: Arc<str>,
    pub linkage: Linkage,
    pub ret: Type,
    pub params: Vec<Type>,
    /// For each parameter passed by value in memory (`byval`): the type of the copy.
    pub byval: Vec<Option<Type>>,
    /// Whether it is variadic (`...`).
    pub variadic: bool,
    /// The names of the parameters as written, `%x`; empty for those without one.
    pub param_names: Vec<Arc<str>>,
    /// The byte range between the braces.
    pub body: Range,
    /// The number of its `DISubprogram`.
    pub debug: Option<u32>,
    /// The byte range of its head in the IR text.
    pub at: (u32, u32),
}

/// A function of another module.
#[derive(Debug, Clone)]
pub struct Declaration {
    pub linkage: Linkage,
    pub ret: Type,
    pub params: Vec<Type>,
    /// Whether it is variadic (`...`).
    pub variadic: bool,
    /// Its byte range in the IR text.
    pub at: (u32, u32),
}

#[derive(Debug, Clone)]
pub struct Global {
    pub name: Arc<str>,
    pub ty: Type,
    /// `None` for a variable of another module.
    pub init: Option<Constant>,
    pub linkage: Linkage,
    /// Whether it is never written.
    pub constant: bool,
    pub thread_local: bool,
    /// As written; `None` means the type's.
    pub align: Option<u64>,
    /// The section of the object file that it is put into, if the text names one.
    pub section: Option<Arc<str>>,
    /// The number of its `DIGlobalVariableExpression`.
    pub debug: Option<u32>,
}
