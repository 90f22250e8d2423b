//! The part of LLVM IR that lowering needs, as data. Pointers have lost what they point to, attributes and names of
//! registers are gone, functions are parsed when they are first asked for.

use std::sync::Arc;

use crate::parse::Range;

/// A type. Named types are looked up in the module when their layout is needed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    /// An integer of so many bits.
    Int(u32),
    Ptr,
    /// A floating-point type, by name: never computed with, but it has a size.
    Float(FloatKind),
    Array(u64, Arc<Type>),
    Vector(u64, Arc<Type>),
    Struct {
        packed: bool,
        fields: Arc<[Type]>,
    },
    Named(Arc<str>),
    /// A function, a label, a token, metadata: has no size.
    Sizeless,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum FloatKind {
    Half,
    Float,
    Double,
    X86Fp80,
    Quad,
}

/// A constant. Its type is known where it stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// An integer, as written: not yet brought into the range of its type.
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
    /// Something that cannot be computed with: a floating-point number, inline assembly, an unknown expression.
    Unknown(Arc<str>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A value of the function, numbered densely.
    Local(LocalId),
    Const(Constant),
}

fencewright_base::define_index! {
    /// A value of a function: a parameter or what an instruction gives.
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

#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    /// `ptrtoint`, `inttoptr`, `bitcast`, `addrspacecast`: the same bits, cut or filled with zeros.
    Reinterpret,
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

/// The memory order of an access; `Plain` for those that are not atomic.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// What an `atomicrmw` computes.
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

#[derive(Debug, Clone)]
pub enum Callee {
    Named(Arc<str>),
    Value(Operand),
    /// Inline assembly, by its text.
    Asm(Arc<str>),
}

#[derive(Debug, Clone)]
pub enum InstKind {
    Alloca {
        ty: Type,
        count: Operand,
    },
    Load {
        ty: Type,
        ptr: Operand,
    },
    Store {
        ty: Type,
        value: Operand,
        ptr: Operand,
        order: Order,
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
        order: Order,
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
    },
    Compare {
        predicate: Predicate,
        ty: Type,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: Type,
        value: Operand,
        to: Type,
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
    Call {
        callee: Callee,
        args: Vec<(Type, Operand)>,
        ret: Type,
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
    /// The name of a local variable for debugging: where it lives, and its metadata.
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
    /// What cannot be lowered, by name. Matters only if it can be reached.
    Unsupported(Arc<str>),
}

#[derive(Debug, Clone)]
pub struct Inst {
    pub result: Option<LocalId>,
    pub kind: InstKind,
    /// The number of its debug location.
    pub debug: Option<u32>,
    /// Where it stands in the IR text, in bytes.
    pub at: (u32, u32),
}

impl InstKind {
    /// Calls `visit` for every value of the function that it uses; those of phis are used where they come from.
    pub fn for_each_local(&self, visit: &mut dyn FnMut(LocalId)) {
        let mut operand = |operand: &Operand| {
            if let Operand::Local(local) = operand {
                visit(*local);
            }
        };
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
            InstKind::Branch { condition, .. } => operand(condition),
            InstKind::Switch { value, .. } => operand(value),
            InstKind::Return(value) => value.iter().for_each(|(_, value)| operand(value)),
            InstKind::Fence(_)
            | InstKind::Goto(_)
            | InstKind::Unreachable
            | InstKind::Nothing
            | InstKind::Unsupported(_) => {}
        }
    }
}

#[derive(Debug, Clone)]
pub struct Block {
    pub insts: Vec<Inst>,
}

/// A parsed function body.
#[derive(Debug, Clone)]
pub struct Function {
    pub params: Vec<(Type, LocalId)>,
    /// Block 0 is the entry.
    pub blocks: fencewright_base::IndexVec<BlockId, Block>,
}

/// A function with a body, as the top level of the module shows it.
#[derive(Debug, Clone)]
pub struct FunctionHead {
    pub name: Arc<str>,
    pub params: Vec<Type>,
    /// The names of the parameters as written, `%x`; empty where there is none.
    pub param_names: Vec<Arc<str>>,
    /// The tokens between the braces.
    pub body: Range,
    /// The number of its `DISubprogram`.
    pub debug: Option<u32>,
    /// Where its head stands in the IR text, in bytes.
    pub at: (u32, u32),
}

#[derive(Debug, Clone)]
pub struct Global {
    pub name: Arc<str>,
    pub ty: Type,
    /// None for a variable of another module.
    pub init: Option<Constant>,
    pub thread_local: bool,
    /// The number of its `DIGlobalVariableExpression`.
    pub debug: Option<u32>,
}
