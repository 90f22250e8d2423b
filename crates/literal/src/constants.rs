//! Evaluates constants of the text to values.

use std::rc::Rc;

use fencewright_llvm::module::{BinOp, CastOp, Constant, Flags, Type};
use fencewright_llvm::parse::Module;

use crate::arithmetic;
use crate::layout::{Kind, Layout, Shape};
use crate::object::{poison, zero};
use crate::value::{Scalar, Value, Wide, mask, wide_mask};

/// What a name means where an address is expected.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Named {
    /// This address.
    Address(Scalar),
    /// The running thread's copy of the global with this number.
    ThreadLocal(u32),
}

/// Looks names up.
pub trait Names {
    /// What the name means in the module.
    fn address(&self, module: usize, name: &str) -> Result<Named, String>;
    /// The address of a block.
    fn block_address(&self, module: usize, function: &str, block: &str) -> Result<u64, String>;
}

/// Evaluates constants of a module.
pub struct Evaluator<'a> {
    /// The module of the constants, and its number.
    pub module: (&'a Module<'a>, usize),
    /// Its layout.
    pub layout: &'a Layout,
    /// Looks names up.
    pub names: &'a dyn Names,
}

/// A constant: a value, or an offset into a variable of which each thread has its own copy.
#[derive(Debug, Clone, PartialEq)]
pub enum Evaluated {
    /// The value.
    Value(Value),
    /// An address within the running thread's copy of a global.
    ThreadLocal(u32, u64),
}

impl Evaluator<'_> {
    /// The constant, if it has the same value for all threads.
    pub fn value(&self, ty: &Type, constant: &Constant) -> Result<Value, String> {
        match self.evaluate(ty, constant)? {
            Evaluated::Value(value) => Ok(value),
            Evaluated::ThreadLocal(..) => {
                Err("a constant made of the address of a thread-local variable".into())
            }
        }
    }

    /// The constant.
    pub fn evaluate(&self, ty: &Type, constant: &Constant) -> Result<Evaluated, String> {
        let value = match constant {
            Constant::Global(name) => match self.names.address(self.module.1, name)? {
                Named::Address(address) => address.into(),
                Named::ThreadLocal(global) => return Ok(Evaluated::ThreadLocal(global, 0)),
            },
            Constant::Gep { element, base, indices } => {
                let offset = self.gep_offset(element, indices)?;
                match self.evaluate(&Type::Ptr, base)? {
                    Evaluated::ThreadLocal(global, inner) => {
                        return Ok(Evaluated::ThreadLocal(global, inner.wrapping_add(offset as u64)));
                    }
                    Evaluated::Value(Value::Scalar(base)) => {
                        Scalar { bits: base.bits.wrapping_add(offset as u64), ..base }.into()
                    }
                    Evaluated::Value(_) => return Err("an address that is no scalar".into()),
                }
            }
            Constant::Cast { op: CastOp::Reinterpret, from, value, to } => {
                return match self.evaluate(from, value)? {
                    Evaluated::Value(value) => self.reinterpret(from, to, value).map(Evaluated::Value),
                    local @ Evaluated::ThreadLocal(..) => Ok(local),
                };
            }
            _ => self.plain(ty, constant)?,
        };
        Ok(Evaluated::Value(value))
    }

    fn plain(&self, ty: &Type, constant: &Constant) -> Result<Value, String> {
        let shape = || self.shape(ty);
        Ok(match constant {
            Constant::Int(value) => match shape()? {
                Shape::Scalar(Kind::Int(bits), _) if bits <= 64 => Value::int(*value as u64 & mask(bits)),
                Shape::Scalar(Kind::Int(bits), _) => {
                    Value::Wide(Box::new(Wide::new(*value as u128 & wide_mask(bits), 0)))
                }
                _ => return Err("a number for a type that is no integer".into()),
            },
            Constant::Zero => zero(&shape()?),
            Constant::Undef => poison(&shape()?),
            Constant::Float(bits) => Value::int(*bits),
            Constant::Bytes(bytes) => {
                Value::Aggregate(bytes.iter().map(|byte| Value::int((*byte).into())).collect())
            }
            Constant::Aggregate(elements) => {
                let values: Result<Vec<Value>, String> =
                    elements.iter().map(|(ty, element)| self.value(ty, element)).collect();
                Value::Aggregate(values?.into())
            }
            Constant::Splat(element) => {
                let (element_ty, element) = &**element;
                let length = match ty {
                    Type::Vector(length, _) | Type::Array(length, _) => *length as usize,
                    _ => return Err("a splat that is no vector".into()),
                };
                let value = self.value(element_ty, element)?;
                Value::Aggregate(std::iter::repeat_n(value, length).collect::<Rc<[Value]>>())
            }
            Constant::Cast { op, from, value, to } => {
                let value = self.value(from, value)?;
                let (from, to) = (self.int_width(from)?, self.int_width(to)?);
                match op {
                    CastOp::Trunc | CastOp::ZExt => arithmetic::resize(&value, from, to, false),
                    CastOp::SExt => arithmetic::resize(&value, from, to, true),
                    _ => return Err("a floating-point expression among constants".into()),
                }
            }
            Constant::Binary { op, ty, a, b } => {
                let (x, y) = (self.value(ty, a)?, self.value(ty, b)?);
                self.binary(*op, ty, &x, &y)?
            }
            Constant::Compare { predicate, ty, a, b } => {
                let (x, y) = (self.value(ty, a)?, self.value(ty, b)?);
                arithmetic::compare(*predicate, self.int_width(ty)?, &x, &y).into()
            }
            Constant::Select { condition, yes, no } => {
                match self.value(&Type::Int(1), condition)?.as_scalar() {
                    Some(Scalar { bits: 1, unset: 0, .. }) => self.value(ty, yes)?,
                    Some(Scalar { bits: 0, unset: 0, .. }) => self.value(ty, no)?,
                    _ => return Err("a choice by a value that is not set".into()),
                }
            }
            Constant::BlockAddress(function, block) => {
                Value::int(self.names.block_address(self.module.1, function, block)?)
            }
            Constant::Global(_) | Constant::Gep { .. } => match self.evaluate(ty, constant)? {
                Evaluated::Value(value) => value,
                Evaluated::ThreadLocal(..) => return Err("a thread-local address inside a constant".into()),
            },
            Constant::Unknown(what) => return Err(format!("the constant `{what}`")),
        })
    }

    fn binary(&self, op: BinOp, ty: &Type, a: &Value, b: &Value) -> Result<Value, String> {
        let width = self.int_width(ty)?;
        arithmetic::binary(op, width, a, b, Flags::default())
            .map_err(|_| "a constant division by zero".to_owned())
    }

    fn reinterpret(&self, from: &Type, to: &Type, value: Value) -> Result<Value, String> {
        let (from_shape, to_shape) = (self.shape(from)?, self.shape(to)?);
        match (&from_shape, &to_shape) {
            (Shape::Scalar(..), Shape::Scalar(..)) => {
                let width = |shape: &Shape| match shape {
                    Shape::Scalar(Kind::Int(bits), _) => *bits,
                    other => 8 * other.size() as u32,
                };
                Ok(arithmetic::resize(&value, width(&from_shape), width(&to_shape), false))
            }
            _ if from_shape == to_shape => Ok(value),
            _ => Err("a cast of an aggregate among constants".into()),
        }
    }

    fn gep_offset(&self, element: &Type, indices: &[Constant]) -> Result<i64, String> {
        let (module, layout) = (self.module.0, self.layout);
        let mut offset = 0i64;
        let mut ty = element;
        for (number, index) in indices.iter().enumerate() {
            let index = match index {
                Constant::Int(value) => *value as i64,
                Constant::Zero => 0,
                other => match self.value(&Type::Int(64), other)?.as_scalar() {
                    Some(scalar) if scalar.is_set() => scalar.bits as i64,
                    _ => return Err("an index that is not set".into()),
                },
            };
            let inner = if number == 0 {
                let size = layout.size(module, ty).ok_or("the address of what has no size")?;
                (size as i64).wrapping_mul(index)
            } else if let Some((inner, element)) =
                layout.element(module, ty, if is_array(module, ty) { 0 } else { index as u64 })
            {
                let inner = if is_array(module, ty) {
                    let size = layout.size(module, element).ok_or("an element without a size")?;
                    (size as i64).wrapping_mul(index)
                } else {
                    inner as i64
                };
                ty = element;
                inner
            } else {
                return Err("an index into what has no elements".into());
            };
            offset = offset.wrapping_add(inner);
        }
        Ok(offset)
    }

    /// The shape of a type, or an error if it has none.
    pub fn shape(&self, ty: &Type) -> Result<Shape, String> {
        self.layout.shape(self.module.0, ty).ok_or_else(|| "a type that has no size here".to_owned())
    }

    /// Bits of an integer or pointer, or of the elements of a vector of them.
    pub fn int_width(&self, ty: &Type) -> Result<u32, String> {
        match ty {
            Type::Int(bits) if *bits >= 1 && *bits <= 128 => Ok(*bits),
            Type::Ptr => Ok(8 * self.layout.pointer as u32),
            Type::Vector(_, element) => self.int_width(element),
            Type::Named(name) => {
                let named = self.module.0.types.get(name).ok_or("a type without a definition")?;
                self.int_width(named)
            }
            _ => Err("an integer of more than 128 bits, or none".to_owned()),
        }
    }
}

/// Whether its indices multiply: an array or vector, directly or by name.
pub fn is_array(module: &Module<'_>, ty: &Type) -> bool {
    let mut ty = ty;
    for _ in 0..64 {
        match ty {
            Type::Array(..) | Type::Vector(..) => return true,
            Type::Named(name) => match module.types.get(name) {
                Some(named) => ty = named,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}
