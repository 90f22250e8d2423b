//! Sizes, alignments and offsets of types, and the scalars that a type consists of, by LLVM's rules.
//!
//! *Limit:* only targets with 64-bit addresses and natural alignment; of the layout string only the alignment of 64-bit
//! integers is used.

use crate::module::{FloatKind, Type};
use crate::parse::Module;

/// A scalar inside a type: its offset, its size in bytes, and its kind.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Scalar {
    pub offset: u64,
    pub size: u32,
    pub kind: ScalarKind,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum ScalarKind {
    Int(u32),
    Pointer,
    Float,
}

impl ScalarKind {
    /// The width of its value in a register.
    pub fn bits(self) -> u32 {
        match self {
            ScalarKind::Int(bits) => bits,
            ScalarKind::Pointer | ScalarKind::Float => 64,
        }
    }
}

/// Why this module's layouts would be wrong for a layout string; `None` if they are right.
pub fn other_target(data_layout: &str) -> Option<&'static str> {
    data_layout.split('-').find_map(|part| match part {
        "E" => Some("numbers with their highest byte first"),
        "p:64:64" | "p:64" | "p0:64:64" => None,
        _ if part.starts_with("p:") || part.starts_with("p0:") => Some("addresses that have not 64 bits"),
        _ => None,
    })
}

/// The most scalars of one type that are listed.
const MAX_SCALARS: usize = 4_096;
/// The most named types inside each other, to detect a type that contains itself.
const MAX_DEPTH: u32 = 64;

impl Module<'_> {
    /// The type itself, with names resolved.
    fn resolve<'t>(&'t self, mut ty: &'t Type) -> Option<&'t Type> {
        for _ in 0..MAX_DEPTH {
            match ty {
                Type::Named(name) => ty = self.types.get(name)?,
                _ => return Some(ty),
            }
        }
        None
    }

    /// Size in bytes and alignment; `None` if the type has no size.
    pub fn size_align(&self, ty: &Type) -> Option<(u64, u64)> {
        self.size_align_at(ty, 0)
    }

    fn size_align_at(&self, ty: &Type, depth: u32) -> Option<(u64, u64)> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match self.resolve(ty)? {
            Type::Int(bits) => {
                let size = u64::from(bits.div_ceil(8)).next_power_of_two();
                (size, size.min(16))
            }
            Type::Ptr => (8, 8),
            Type::Float(kind) => match kind {
                FloatKind::Half | FloatKind::BFloat => (2, 2),
                FloatKind::Float => (4, 4),
                FloatKind::Double => (8, 8),
                FloatKind::X86Fp80 | FloatKind::Quad => (16, 16),
            },
            Type::Array(length, element) => {
                let (size, align) = self.size_align_at(element, depth + 1)?;
                (size.checked_mul(*length)?, align)
            }
            Type::Vector(length, element) => {
                let size = self.size_align_at(element, depth + 1)?.0.checked_mul(*length)?;
                (size, size.checked_next_power_of_two()?)
            }
            Type::Struct { packed, fields } => {
                let (mut end, mut align) = (0u64, 1);
                for field in fields.iter() {
                    let (size, field_align) = self.size_align_at(field, depth + 1)?;
                    let field_align = if *packed { 1 } else { field_align };
                    end = end.checked_next_multiple_of(field_align)?.checked_add(size)?;
                    align = align.max(field_align);
                }
                (end.checked_next_multiple_of(align)?, align)
            }
            Type::Void | Type::Named(_) | Type::Sizeless => return None,
        })
    }

    /// Offset and type of an element of a struct, array or vector.
    pub fn element<'t>(&'t self, ty: &'t Type, index: u64) -> Option<(u64, &'t Type)> {
        match self.resolve(ty)? {
            Type::Array(_, element) | Type::Vector(_, element) => {
                Some((self.size_align(element)?.0.checked_mul(index)?, element))
            }
            Type::Struct { packed, fields } => {
                let mut end = 0u64;
                for (i, field) in fields.iter().enumerate() {
                    let (size, align) = self.size_align(field)?;
                    let start = end.checked_next_multiple_of(if *packed { 1 } else { align })?;
                    if i as u64 == index {
                        return Some((start, field));
                    }
                    end = start.checked_add(size)?;
                }
                None
            }
            _ => None,
        }
    }

    /// The element type of an array or vector.
    pub fn array_element<'t>(&'t self, ty: &'t Type) -> Option<&'t Type> {
        match self.resolve(ty)? {
            Type::Array(_, element) | Type::Vector(_, element) => Some(element),
            _ => None,
        }
    }

    /// Whether it is a struct.
    pub fn is_struct(&self, ty: &Type) -> bool {
        matches!(self.resolve(ty), Some(Type::Struct { .. }))
    }

    /// The scalar kind of a type, if it is a scalar.
    pub fn scalar(&self, ty: &Type) -> Option<ScalarKind> {
        Some(match self.resolve(ty)? {
            Type::Int(bits) if *bits <= 128 => ScalarKind::Int(*bits),
            Type::Ptr => ScalarKind::Pointer,
            Type::Float(_) => ScalarKind::Float,
            _ => return None,
        })
    }

    /// The scalars of a type in order; `None` if they are too many, or one is unsupported.
    pub fn scalars(&self, ty: &Type) -> Option<Vec<Scalar>> {
        let mut scalars = Vec::new();
        let mut fuel = MAX_SCALARS;
        self.collect(ty, 0, 0, &mut fuel, &mut scalars).then_some(scalars)
    }

    fn collect(&self, ty: &Type, offset: u64, depth: u32, fuel: &mut usize, into: &mut Vec<Scalar>) -> bool {
        if depth > MAX_DEPTH || *fuel == 0 {
            return false;
        }
        *fuel -= 1; // Elements without scalars count too: there can be any number of them.
        if let Some(kind) = self.scalar(ty) {
            let Some((size, _)) = self.size_align(ty) else { return false };
            into.push(Scalar { offset, size: size as u32, kind });
            return true;
        }
        let length = match self.resolve(ty) {
            Some(Type::Array(length, _) | Type::Vector(length, _)) => *length,
            Some(Type::Struct { fields, .. }) => fields.len() as u64,
            Some(Type::Void) => return true,
            _ => return false,
        };
        for index in 0..length {
            let Some((inner, element)) = self.element(ty, index) else { return false };
            let Some(at) = offset.checked_add(inner) else { return false };
            if !self.collect(element, at, depth + 1, fuel, into) {
                return false;
            }
        }
        true
    }
}
