//! Translates the body of a function in the text to [`code`](crate::code).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use fencewright_base::Index as _;
use fencewright_llvm::module::{
    self, BlockId, Callee as TextCallee, CastOp, Clause as TextClause, FunctionId, InstKind, LocalId,
    Operand as TextOperand, Order, Type,
};

use crate::code::{Access, Callee, Cast, Clause, Function, Inst, Op, Operand, Pad, Target};
use crate::constants::{Evaluated, Evaluator, is_array};
use crate::layout::{Kind, Shape};
use crate::liveness;
use crate::program::Program;
use crate::promote::{Slots, slots};
use crate::refusal::{Place, Refusal};
use crate::spin::last_rounds;
use crate::value::Value;

struct Compiler<'a> {
    program: &'a Program<'a>,
    evaluator: Evaluator<'a>,
    number: u32,
    text: &'a module::Function,
    slots: Slots,
    /// Where the instructions of each block begin.
    starts: Vec<u32>,
    /// Loops that begin with their last round: the register that counts, and its value.
    rounds: HashMap<BlockId, (LocalId, i128)>,
    pads: HashMap<u32, Pad>,
    shapes: RefCell<HashMap<Type, Rc<Shape>>>,
}

type Made<T> = Result<T, String>;

/// Makes a function ready for execution.
pub(crate) fn compile(
    program: &Program<'_>,
    number: u32,
    module: usize,
    id: FunctionId,
) -> Result<Function, Refusal> {
    let head = &program.modules()[module].functions[id];
    let text = program.modules()[module].body(id).map_err(|malformed| {
        Refusal::new(format!("a part of the text: {}", malformed.message)).at(Place {
            module,
            debug: None,
            at: malformed.at,
        })
    })?;
    let n_registers = n_registers(&text);
    let evaluator = program.evaluator(module);
    let slots = slots(&text, &evaluator, n_registers);
    let mut starts = Vec::with_capacity(text.blocks.len());
    let mut next = 0;
    for block in text.blocks.iter() {
        starts.push(next);
        next += block.insts.iter().filter(|inst| !matches!(inst.kind, InstKind::Phi { .. })).count() as u32;
    }
    let n_locals = n_registers + slots.values.len() as u32;
    let mut compiler = Compiler {
        program,
        evaluator,
        number,
        text: &text,
        slots,
        starts,
        rounds: last_rounds(&text),
        pads: HashMap::new(),
        shapes: RefCell::default(),
    };
    let mut code = Vec::with_capacity(next as usize);
    for (block_id, block) in text.blocks.iter_enumerated() {
        for inst in &block.insts {
            if matches!(inst.kind, InstKind::Phi { .. }) {
                continue;
            }
            let op = compiler.op(inst, block_id, code.len() as u32);
            // An instruction that cannot be translated matters only if it is reached.
            let op = op.unwrap_or_else(|what| Op::Unsupported(what.into()));
            let dst = inst.result.map(|local| local.index() as u32);
            code.push(Inst { op, dst, debug: inst.debug, at: inst.at });
        }
    }
    let params = text.params.iter().map(|(_, local)| local.index() as u32).collect();
    let layout = program.layout(module);
    let byval = head
        .byval
        .iter()
        .map(|ty| ty.as_ref().and_then(|ty| layout.size_align(program.modules()[module], ty)))
        .collect();
    let block_live = liveness::at_block_starts(&code, &compiler.starts, n_locals);
    Ok(Function {
        number,
        module,
        params,
        byval,
        variadic: head.variadic,
        n_locals,
        slots: compiler.slots.values,
        code,
        pads: compiler.pads,
        live: RefCell::default(),
        block_starts: compiler.starts,
        block_live,
    })
}

fn n_registers(text: &module::Function) -> u32 {
    let mut most = 0;
    let mut see = |local: LocalId| most = most.max(local.index() as u32 + 1);
    text.params.iter().for_each(|(_, local)| see(*local));
    for inst in text.blocks.iter().flat_map(|block| &block.insts) {
        inst.result.into_iter().for_each(&mut see);
        inst.kind.for_each_local(&mut see);
    }
    most
}

impl Compiler<'_> {
    fn shape(&self, ty: &Type) -> Made<Rc<Shape>> {
        if let Some(known) = self.shapes.borrow().get(ty) {
            return Ok(known.clone());
        }
        let shape = Rc::new(self.evaluator.shape(ty)?);
        self.shapes.borrow_mut().insert(ty.clone(), shape.clone());
        Ok(shape)
    }

    fn operand(&self, ty: &Type, operand: &TextOperand) -> Made<Operand> {
        Ok(match operand {
            TextOperand::Local(local) => Operand::Local(local.index() as u32),
            TextOperand::Const(constant) => match self.evaluator.evaluate(ty, constant)? {
                Evaluated::Value(value) => Operand::Const(value),
                Evaluated::ThreadLocal(global, offset) => Operand::ThreadLocal(global, offset),
            },
        })
    }

    fn target(&self, from: BlockId, to: BlockId) -> Made<Target> {
        let mut moves = Vec::new();
        for inst in &self.text.blocks[to].insts {
            let InstKind::Phi { ty, incoming } = &inst.kind else { continue };
            let Some(dst) = inst.result else { continue };
            let (value, _) =
                (incoming.iter().find(|(_, block)| *block == from)).ok_or("a phi without a value")?;
            let last = self.rounds.get(&to).filter(|(count, _)| *count == dst && from != to);
            let value = match last {
                Some((_, last)) => self.operand(ty, &TextOperand::Const(module::Constant::Int(*last)))?,
                None => self.operand(ty, value)?,
            };
            moves.push((dst.index() as u32, value));
        }
        Ok(Target { pc: self.starts[to.index()], moves: moves.into() })
    }

    fn scalar_kind(&self, ty: &Type) -> Made<(Kind, u32)> {
        match *self.shape(ty)? {
            Shape::Scalar(kind, size) if size <= 16 => Ok((kind, size)),
            _ => Err("an atomic access to more than one value".into()),
        }
    }

    fn access(&self, ty: &Type, order: Order, align: Option<u64>) -> Made<Access> {
        let (_, natural) =
            (self.evaluator.layout.size_align(self.evaluator.module.0, ty)).ok_or("no size")?;
        Ok(Access { order, align: align.unwrap_or(natural) })
    }

    fn format(&self, ty: &Type) -> Made<crate::floats::Format> {
        let element = match ty {
            Type::Vector(_, element) => element,
            other => other,
        };
        match element {
            Type::Float(kind) => crate::floats::Format::of(*kind)
                .ok_or_else(|| "arithmetic on floating-point numbers of an unusual format".to_owned()),
            _ => Err("floating-point arithmetic on something else".into()),
        }
    }

    fn op(&mut self, inst: &module::Inst, block: BlockId, pc: u32) -> Made<Op> {
        Ok(match &inst.kind {
            InstKind::Alloca { ty, count, align } => {
                if inst.result.is_some_and(|local| self.slots.of.contains_key(&local)) {
                    return Ok(Op::Nothing);
                }
                let (size, natural) = (self.evaluator.layout.size_align(self.evaluator.module.0, ty))
                    .ok_or("a variable of a type without a size")?;
                Op::Alloca {
                    size,
                    align: align.unwrap_or(natural),
                    count: self.operand(&Type::Int(64), count)?,
                    borders: self.evaluator.layout.borders(self.evaluator.module.0, ty).into(),
                }
            }
            InstKind::Load { ty, ptr, order, align, .. } => match self.slot(ptr) {
                Some(slot) => Op::SlotLoad(slot),
                None => Op::Load {
                    shape: self.shape(ty)?,
                    ptr: self.operand(&Type::Ptr, ptr)?,
                    access: self.access(ty, *order, *align)?,
                },
            },
            InstKind::Store { ty, value, ptr, order, align, .. } => match self.slot(ptr) {
                Some(slot) => Op::SlotStore(slot, self.operand(ty, value)?),
                None => Op::Store {
                    shape: self.shape(ty)?,
                    value: self.operand(ty, value)?,
                    ptr: self.operand(&Type::Ptr, ptr)?,
                    access: self.access(ty, *order, *align)?,
                },
            },
            InstKind::Rmw { op, ty, ptr, value, order } => {
                let (kind, size) = self.scalar_kind(ty)?;
                let (ptr, value) = (self.operand(&Type::Ptr, ptr)?, self.operand(ty, value)?);
                Op::Rmw { op: *op, kind, size, ptr, value, order: *order }
            }
            InstKind::CmpXchg { ty, ptr, expected, new, order, failure, .. } => {
                let (kind, size) = self.scalar_kind(ty)?;
                let (expected, new) = (self.operand(ty, expected)?, self.operand(ty, new)?);
                let ptr = self.operand(&Type::Ptr, ptr)?;
                // A failed exchange writes nothing. It waits as on success, which the stronger of the two orderings decides.
                Op::CompareExchange { kind, size, ptr, expected, new, order: (*order).max(*failure) }
            }
            InstKind::Fence(order) => Op::Fence(*order),
            InstKind::Gep { element, base, indices } => self.gep(element, base, indices)?,
            InstKind::Binary { op, ty, a, b, flags } => {
                let width = self.evaluator.int_width(ty)?;
                Op::Binary { op: *op, width, a: self.operand(ty, a)?, b: self.operand(ty, b)?, flags: *flags }
            }
            InstKind::Compare { predicate, ty, a, b } => {
                let width = self.evaluator.int_width(ty)?;
                Op::Compare { predicate: *predicate, width, a: self.operand(ty, a)?, b: self.operand(ty, b)? }
            }
            InstKind::FloatBinary { op, ty, a, b } => Op::FloatBinary {
                op: *op,
                format: self.format(ty)?,
                a: self.operand(ty, a)?,
                b: self.operand(ty, b)?,
            },
            InstKind::FloatNegate { ty, value } => {
                Op::FloatNegate(self.format(ty)?, self.operand(ty, value)?)
            }
            InstKind::FloatCompare { predicate, ty, a, b } => Op::FloatCompare {
                predicate: *predicate,
                format: self.format(ty)?,
                a: self.operand(ty, a)?,
                b: self.operand(ty, b)?,
            },
            InstKind::Cast { op, from, value, to, flags } => {
                let cast = self.cast(*op, from, to)?;
                let value = self.operand(from, value)?;
                Op::Cast { cast, value, nneg: flags.nneg, nsw: flags.nsw, nuw: flags.nuw }
            }
            InstKind::Select { condition, ty, yes, no } => Op::Select {
                condition: self.operand(&Type::Int(1), condition)?,
                yes: self.operand(ty, yes)?,
                no: self.operand(ty, no)?,
            },
            InstKind::Call { callee, args, ret, unwind } => self.call(callee, args, ret, *unwind, block)?,
            InstKind::ExtractValue { ty, aggregate, path } => Op::Extract {
                aggregate: self.operand(ty, aggregate)?,
                path: path.iter().map(|i| *i as u32).collect(),
            },
            InstKind::InsertValue { ty, aggregate, element_ty, element, path } => Op::Insert {
                aggregate: self.operand(ty, aggregate)?,
                element: self.operand(element_ty, element)?,
                path: path.iter().map(|i| *i as u32).collect(),
            },
            InstKind::ExtractElement { ty, vector, index } => Op::ExtractElement {
                vector: self.operand(ty, vector)?,
                index: self.operand(&Type::Int(64), index)?,
            },
            InstKind::InsertElement { ty, vector, element, index } => Op::InsertElement {
                vector: self.operand(ty, vector)?,
                element: self.operand(&element_of(ty)?, element)?,
                index: self.operand(&Type::Int(64), index)?,
            },
            InstKind::ShuffleVector { ty, a, b, mask } => {
                let width = match *self.shape(&element_of(ty)?)? {
                    Shape::Scalar(Kind::Int(bits), _) => bits,
                    ref other => 8 * other.size() as u32,
                };
                Op::Shuffle { a: self.operand(ty, a)?, b: self.operand(ty, b)?, mask: mask[..].into(), width }
            }
            InstKind::Freeze { ty, value } => Op::Freeze(self.operand(ty, value)?),
            InstKind::Goto(to) => Op::Jump(self.target(block, *to)?),
            InstKind::Branch { condition, yes, no } => Op::Branch {
                condition: self.operand(&Type::Int(1), condition)?,
                yes: self.target(block, *yes)?,
                no: self.target(block, *no)?,
            },
            InstKind::Switch { ty, value, default, cases } => {
                let mut made = Vec::with_capacity(cases.len());
                for (case, to) in cases {
                    made.push((self.evaluator.value(ty, case)?, self.target(block, *to)?));
                }
                let value = self.operand(ty, value)?;
                Op::Switch { value, cases: made.into(), default: self.target(block, *default)? }
            }
            InstKind::IndirectBranch { address, targets } => {
                let mut made = Vec::with_capacity(targets.len());
                for to in targets {
                    let number = Program::block_number(self.number, to.index() as u32);
                    made.push((number, self.target(block, *to)?));
                }
                Op::IndirectJump { address: self.operand(&Type::Ptr, address)?, targets: made.into() }
            }
            InstKind::Return(None) => Op::Return(None),
            InstKind::Return(Some((ty, value))) => Op::Return(Some(self.operand(ty, value)?)),
            InstKind::Unreachable => Op::Unreachable,
            InstKind::LandingPad { cleanup, clauses, .. } => {
                let clauses =
                    clauses.iter().map(|clause| self.clause(clause)).collect::<Made<Vec<Clause>>>()?;
                self.pads.insert(pc, Pad { cleanup: *cleanup, clauses });
                Op::LandingPad
            }
            InstKind::Resume { ty, value } => Op::Resume(self.operand(ty, value)?),
            InstKind::VaArg { list, ty } => {
                Op::VaArg { list: self.operand(&Type::Ptr, list)?, shape: self.shape(ty)? }
            }
            InstKind::Declare { .. } | InstKind::Nothing => Op::Nothing,
            InstKind::Phi { .. } => return Err("a phi among other instructions".into()),
            InstKind::Unsupported(what) => Op::Unsupported(Rc::from(&**what)),
        })
    }

    fn slot(&self, ptr: &TextOperand) -> Option<u32> {
        match ptr {
            TextOperand::Local(local) => self.slots.of.get(local).copied(),
            TextOperand::Const(_) => None,
        }
    }

    fn clause(&self, clause: &TextClause) -> Made<Clause> {
        let address = |constant: &module::Constant| -> Made<u64> {
            Ok(self.evaluator.value(&Type::Ptr, constant)?.as_scalar().map_or(0, |scalar| scalar.bits))
        };
        Ok(match clause {
            TextClause::Catch(constant) => Clause::Catch(address(constant)?),
            TextClause::Filter(constants) => {
                Clause::Filter(constants.iter().map(address).collect::<Made<_>>()?)
            }
        })
    }

    fn call(
        &self,
        callee: &TextCallee,
        args: &[(Type, TextOperand)],
        ret: &Type,
        unwind: Option<BlockId>,
        block: BlockId,
    ) -> Made<Op> {
        let callee = match callee {
            TextCallee::Named(name) => {
                Callee::Direct(self.program.function_number(self.evaluator.module.1, name)?)
            }
            TextCallee::Value(pointer) => Callee::Indirect(self.operand(&Type::Ptr, pointer)?),
            TextCallee::Asm { text, read } => Callee::Asm(text.clone(), read.clone()),
        };
        let mut made = Vec::with_capacity(args.len());
        for (ty, arg) in args {
            if *ty == Type::Sizeless {
                // Metadata arguments belong to intrinsics that do nothing here.
                made.push((Operand::Const(Value::int(0)), Rc::new(Shape::Scalar(Kind::Int(64), 8))));
                continue;
            }
            made.push((self.operand(ty, arg)?, self.shape(ty)?));
        }
        let ret = if *ret == Type::Void { None } else { Some(self.shape(ret)?) };
        let unwind = unwind.map(|to| self.target(block, to)).transpose()?;
        Ok(Op::Call { callee, args: made.into(), ret, unwind })
    }

    fn gep(&self, element: &Type, base: &TextOperand, indices: &[(Type, TextOperand)]) -> Made<Op> {
        let (module, layout) = (self.evaluator.module.0, self.evaluator.layout);
        let mut offset = 0i64;
        let mut terms = Vec::new();
        let mut ty = element.clone();
        for (number, (index_ty, index)) in indices.iter().enumerate() {
            let scale = if number == 0 {
                layout.size(module, &ty).ok_or("the address of what has no size")?
            } else if is_array(module, &ty) {
                let (_, element) = layout.element(module, &ty, 0).ok_or("an array without elements")?;
                let element = element.clone();
                let size = layout.size(module, &element).ok_or("an element without a size")?;
                ty = element;
                size
            } else {
                let TextOperand::Const(constant) = index else {
                    return Err("a field by a number that varies".into());
                };
                let field =
                    self.evaluator.value(index_ty, constant)?.as_scalar().ok_or("a field by no number")?;
                let (inner, element) =
                    layout.element(module, &ty, field.bits).ok_or("a field that is not there")?;
                offset = offset.wrapping_add(inner as i64);
                ty = element.clone();
                continue;
            } as i64;
            let width = self.evaluator.int_width(index_ty)?;
            match self.operand(index_ty, index)? {
                Operand::Const(Value::Scalar(scalar)) if scalar.is_set() => {
                    offset = offset.wrapping_add(scalar.signed(width).wrapping_mul(scale));
                }
                operand => terms.push((operand, width, scale)),
            }
        }
        Ok(Op::Gep { base: self.operand(&Type::Ptr, base)?, offset, terms: terms.into() })
    }

    fn cast(&self, op: CastOp, from: &Type, to: &Type) -> Made<Cast> {
        let width = |ty: &Type| self.evaluator.int_width(ty);
        Ok(match op {
            CastOp::Trunc | CastOp::ZExt => {
                Cast::Resize { from: width(from)?, to: width(to)?, signed: false }
            }
            CastOp::SExt => Cast::Resize { from: width(from)?, to: width(to)?, signed: true },
            CastOp::FpToUi => Cast::FloatToInt(self.format(from)?, width(to)?, false),
            CastOp::FpToSi => Cast::FloatToInt(self.format(from)?, width(to)?, true),
            CastOp::UiToFp => Cast::IntToFloat(self.format(to)?, width(from)?, false),
            CastOp::SiToFp => Cast::IntToFloat(self.format(to)?, width(from)?, true),
            CastOp::FpResize => Cast::FloatResize(self.format(from)?, self.format(to)?),
            CastOp::Reinterpret => match (from, to) {
                (Type::Ptr, Type::Int(bits)) => Cast::PointerToInt(*bits),
                (Type::Int(bits), Type::Ptr) => Cast::IntToPointer(*bits),
                (Type::Vector(length, element), Type::Int(bits))
                    if **element == Type::Int(1) && *length == u64::from(*bits) && *bits <= 64 =>
                {
                    Cast::Gather
                }
                _ => {
                    let (from, to) = (self.shape(from)?, self.shape(to)?);
                    let is_scalar = |shape: &Shape| matches!(shape, Shape::Scalar(..));
                    if !(is_scalar(&from) && is_scalar(&to) || from == to) {
                        return Err("a cast between vectors of other elements".into());
                    }
                    Cast::Bits
                }
            },
        })
    }
}

fn element_of(ty: &Type) -> Made<Type> {
    match ty {
        Type::Vector(_, element) => Ok((**element).clone()),
        _ => Err("an element of what is no vector".into()),
    }
}
