//! Sizes, alignments and offsets, from the module's layout string, by LLVM's rules. The lowering computes them on its own;
//! nothing is shared, so that a mistake in one of them shows.

use fencewright_llvm::module::{FloatKind, Type};
use fencewright_llvm::parse::Module;

use crate::floats::Format;

/// The most named types inside each other; a type that contains itself has no size.
const MAX_DEPTH: u32 = 64;
/// The most scalars of one type that are listed; one more is listed if there are more.
pub(crate) const MOST_BORDERS: usize = 4_096;

/// The contents of the layout string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The size of a pointer in bytes.
    pub pointer: u64,
    /// The alignment of integers by width, ascending.
    integers: Vec<(u32, u64)>,
    /// Alignment of `x86_fp80`.
    long_double: u64,
}

/// The kind of a scalar in memory.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An integer of so many bits.
    Int(u32),
    /// An address.
    Pointer,
    /// A supported floating-point number.
    Float(Format),
    /// Another floating-point number, of so many bytes.
    OtherFloat(u32),
}

/// The shape of a value: what a load gives and a store takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A scalar and its size in bytes.
    Scalar(Kind, u32),
    /// Elements with their offsets, and the size of the whole.
    Aggregate(Vec<(u64, Shape)>, u64),
}

impl Shape {
    /// The size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Shape::Scalar(_, size) => (*size).into(),
            Shape::Aggregate(_, size) => *size,
        }
    }
}

fn is_untyped(ty: &Type) -> bool {
    matches!(ty, Type::Array(_, element) if **element == Type::Int(8))
}

impl Layout {
    /// Reads the layout string of a module (`e-m:e-p270:32:32-…-i64:64-…`). Everything it omits has LLVM's defaults.
    pub fn of(module: &Module<'_>) -> Layout {
        let mut layout =
            Layout { pointer: 8, integers: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)], long_double: 16 };
        for part in module.data_layout.split('-') {
            let mut fields = part.split(':');
            let Some(head) = fields.next() else { continue };
            let numbers: Vec<u64> = fields.map(|field| field.parse().unwrap_or(0)).collect();
            match head {
                "p" | "p0" => layout.pointer = numbers.first().map_or(8, |bits| bits / 8),
                "f80" => layout.long_double = numbers.first().map_or(16, |bits| bits / 8),
                _ => {
                    if let Some(bits) = head.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok())
                        && let Some(&align) = numbers.first()
                    {
                        layout.integers.retain(|(known, _)| *known != bits);
                        layout.integers.push((bits, (align / 8).max(1)));
                        layout.integers.sort_unstable();
                    }
                }
            }
        }
        layout
    }

    /// The alignment of an integer: that of its width, of the next wider listed one, or of the widest.
    fn integer_align(&self, bits: u32) -> u64 {
        let listed = self.integers.iter().find(|(known, _)| *known >= bits);
        listed.or(self.integers.last()).map_or(1, |(_, align)| *align)
    }

    /// Size and alignment; `None` if the type has none.
    pub fn size_align(&self, module: &Module<'_>, ty: &Type) -> Option<(u64, u64)> {
        self.measure(module, ty, 0)
    }

    /// The size in an array or variable.
    pub fn size(&self, module: &Module<'_>, ty: &Type) -> Option<u64> {
        self.size_align(module, ty).map(|(size, _)| size)
    }

    fn measure(&self, module: &Module<'_>, ty: &Type, depth: u32) -> Option<(u64, u64)> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match ty {
            Type::Int(bits) => {
                let align = self.integer_align(*bits);
                (u64::from(bits.div_ceil(8)).checked_next_multiple_of(align)?, align)
            }
            Type::Ptr => (self.pointer, self.pointer),
            Type::Float(FloatKind::Half | FloatKind::BFloat) => (2, 2),
            Type::Float(FloatKind::Float) => (4, 4),
            Type::Float(FloatKind::Double) => (8, 8),
            Type::Float(FloatKind::X86Fp80) => (10u64.next_multiple_of(self.long_double), self.long_double),
            Type::Float(FloatKind::Quad) => (16, 16),
            Type::Array(length, element) => {
                let (size, align) = self.measure(module, element, depth + 1)?;
                (size.checked_mul(*length)?, align)
            }
            Type::Vector(length, element) => {
                let bits = self.vector_bits(module, element, depth)?;
                let size = bits.checked_mul(*length)?.div_ceil(8);
                let align = size.checked_next_power_of_two()?.max(1);
                (size.checked_next_multiple_of(align)?, align)
            }
            Type::Struct { packed, fields } => {
                let (mut end, mut widest) = (0u64, 1u64);
                for field in fields.iter() {
                    let (size, align) = self.measure(module, field, depth + 1)?;
                    let align = if *packed { 1 } else { align };
                    end = end.checked_next_multiple_of(align)?.checked_add(size)?;
                    widest = widest.max(align);
                }
                (end.checked_next_multiple_of(widest)?, widest)
            }
            Type::Named(name) => self.measure(module, module.types.get(name)?, depth + 1)?,
            Type::Void | Type::Sizeless => return None,
        })
    }

    fn vector_bits(&self, module: &Module<'_>, element: &Type, depth: u32) -> Option<u64> {
        match element {
            Type::Int(bits) => Some((*bits).into()),
            other => self.measure(module, other, depth + 1)?.0.checked_mul(8),
        }
    }

    /// Offset and type of an element of an aggregate.
    pub fn element<'t>(&self, module: &'t Module<'_>, ty: &'t Type, index: u64) -> Option<(u64, &'t Type)> {
        match ty {
            Type::Array(_, element) | Type::Vector(_, element) => {
                Some((self.size(module, element)?.checked_mul(index)?, element))
            }
            Type::Struct { packed, fields } => {
                let mut end = 0u64;
                for (number, field) in fields.iter().enumerate() {
                    let (size, align) = self.size_align(module, field)?;
                    let start = if *packed { end } else { end.checked_next_multiple_of(align)? };
                    if number as u64 == index {
                        return Some((start, field));
                    }
                    end = start.checked_add(size)?;
                }
                None
            }
            Type::Named(name) => self.element(module, module.types.get(name)?, index),
            _ => None,
        }
    }

    /// The offsets at which the scalars of a type begin. If they are too many, the list stops after more than [`MOST_BORDERS`].
    /// An array of bytes has members only within a named struct. Elsewhere, compilers use one for contents that they do not
    /// type, as in the initial value of a union.
    pub fn borders(&self, module: &Module<'_>, ty: &Type) -> Vec<u64> {
        let mut found = Vec::new();
        if !is_untyped(ty) {
            self.borders_at(module, ty, 0, 0, &mut found);
        }
        found
    }

    fn borders_at(&self, module: &Module<'_>, ty: &Type, offset: u64, depth: u32, found: &mut Vec<u64>) {
        let whole = self.size(module, ty).unwrap_or(0);
        if whole == 0 || found.len() > MOST_BORDERS {
            return;
        }
        let first = self.element(module, ty, 0).filter(|_| depth <= MAX_DEPTH);
        let has_no_name = matches!(ty, Type::Struct { .. });
        if first.is_none() {
            found.push(offset);
            return;
        }
        for index in 0..=MOST_BORDERS as u64 {
            let Some((start, element)) = self.element(module, ty, index).filter(|(start, _)| *start < whole)
            else {
                return;
            };
            if has_no_name && is_untyped(element) {
                found.push(offset + start);
            } else {
                self.borders_at(module, element, offset + start, depth + 1, found);
            }
        }
    }

    /// The shape of a type with a size. Vectors of integers that do not fill bytes have none.
    pub fn shape(&self, module: &Module<'_>, ty: &Type) -> Option<Shape> {
        self.shape_at(module, ty, 0)
    }

    fn shape_at(&self, module: &Module<'_>, ty: &Type, depth: u32) -> Option<Shape> {
        if depth > MAX_DEPTH {
            return None;
        }
        let scalar = |kind: Kind, size: u64| Some(Shape::Scalar(kind, size as u32));
        match ty {
            Type::Int(bits) if *bits <= 128 => scalar(Kind::Int(*bits), bits.div_ceil(8).into()),
            Type::Ptr => scalar(Kind::Pointer, self.pointer),
            Type::Float(kind) => match Format::of(*kind) {
                Some(format) => scalar(Kind::Float(format), self.size(module, ty)?),
                None => {
                    let bytes = match kind {
                        FloatKind::Half | FloatKind::BFloat => 2,
                        FloatKind::X86Fp80 => 10,
                        _ => 16,
                    };
                    scalar(Kind::OtherFloat(bytes), bytes.into())
                }
            },
            Type::Array(length, _) | Type::Vector(length, _) => {
                if let Type::Vector(_, element) = ty
                    && let Type::Int(bits) = **element
                    && bits % 8 != 0
                {
                    return None;
                }
                self.aggregate(module, ty, *length, depth)
            }
            Type::Struct { fields, .. } => self.aggregate(module, ty, fields.len() as u64, depth),
            Type::Named(name) => self.shape_at(module, module.types.get(name)?, depth + 1),
            Type::Int(_) | Type::Void | Type::Sizeless => None,
        }
    }

    fn aggregate(&self, module: &Module<'_>, ty: &Type, length: u64, depth: u32) -> Option<Shape> {
        /// No program handles a value of more elements as one value.
        const MAX_ELEMENTS: u64 = 65_536;
        if length > MAX_ELEMENTS {
            return None;
        }
        let mut elements = Vec::with_capacity(length as usize);
        for index in 0..length {
            let (offset, element) = self.element(module, ty, index)?;
            elements.push((offset, self.shape_at(module, element, depth + 1)?));
        }
        Some(Shape::Aggregate(elements, self.size(module, ty)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_begin_where_members_do() {
        let text = "target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"\n\
                    %mixed = type { i32, i32, [2 x i8], i64 }\n\
                    %untyped = type <{ [4 x i8], [4 x i8] }>\n";
        let module = Module::parse(text).expect("two types");
        let layout = Layout::of(&module);
        let borders = |name: &str| layout.borders(&module, &Type::Named(name.into()));
        assert_eq!(borders("mixed"), [0, 4, 8, 9, 16]);
        let without_a_name = |name: &str| layout.borders(&module, &module.types[name]);
        assert_eq!(
            without_a_name("mixed"),
            [0, 4, 8, 16],
            "bytes that have no meaning of their own stay together"
        );
        assert_eq!(without_a_name("untyped"), [0, 4]);
        let array = |length, bits| Type::Array(length, std::sync::Arc::new(Type::Int(bits)));
        assert_eq!(layout.borders(&module, &array(24, 8)), [0u64; 0]);
        assert_eq!(layout.borders(&module, &array(3, 16)), [0, 2, 4]);
    }
}
