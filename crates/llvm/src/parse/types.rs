//! Parses types. Scalable vectors (`vscale`) have no size here.

use std::sync::Arc;

use super::cursor::{Cursor, MAX_DEPTH, Parsed};
use super::lexer::Kind;
use crate::module::{FloatKind, Type};

impl Cursor<'_> {
    /// A type, with the `*`s of typed pointers and the parameters of function types after it.
    pub(super) fn ty(&mut self, depth: u32) -> Parsed<Type> {
        let mut ty = self.ty_without_parameters(depth)?;
        while self.word() == "(" {
            self.skip_group();
            ty = self.stars(Type::Sizeless);
        }
        Ok(ty)
    }

    fn stars(&mut self, mut ty: Type) -> Type {
        loop {
            if self.eat("*") {
                ty = Type::Ptr;
            } else if self.word() == "addrspace" {
                self.at += 1;
                self.skip_group();
            } else {
                return ty;
            }
        }
    }

    /// A type; of a function type only the result type: `i32` of `i32 (ptr, ...)`.
    pub(super) fn ty_without_parameters(&mut self, depth: u32) -> Parsed<Type> {
        if depth > MAX_DEPTH {
            return Err(self.malformed("types nest too deeply"));
        }
        let Some(token) = self.peek() else { return Err(self.malformed("expected a type")) };
        let text = token.text(self.text);
        let base = match (token.kind, text) {
            (Kind::Local, _) => {
                let name = self.sigil_name(Kind::Local, "a type")?;
                return Ok(self.stars(Type::Named(name)));
            }
            (_, "[") => {
                self.at += 1;
                let length = self.unsigned()?;
                self.expect("x")?;
                let element = self.ty(depth + 1)?;
                self.expect("]")?;
                return Ok(self.stars(Type::Array(length, Arc::new(element))));
            }
            (_, "<") if self.peek_at(1).is_some_and(|next| next.text(self.text) == "{") => {
                self.at += 1;
                let fields = self.fields(depth)?;
                self.expect(">")?;
                return Ok(self.stars(Type::Struct { packed: true, fields }));
            }
            (_, "<") => {
                self.at += 1;
                let scalable = self.eat("vscale");
                if scalable {
                    self.expect("x")?;
                }
                let length = self.unsigned()?;
                self.expect("x")?;
                let element = self.ty(depth + 1)?;
                self.expect(">")?;
                let ty = if scalable { Type::Sizeless } else { Type::Vector(length, Arc::new(element)) };
                return Ok(self.stars(ty));
            }
            (_, "{") => {
                let fields = self.fields(depth)?;
                return Ok(self.stars(Type::Struct { packed: false, fields }));
            }
            (Kind::Word, "void") => Type::Void,
            (Kind::Word, "ptr") => Type::Ptr,
            (Kind::Word, "half") => Type::Float(FloatKind::Half),
            (Kind::Word, "bfloat") => Type::Float(FloatKind::BFloat),
            (Kind::Word, "float") => Type::Float(FloatKind::Float),
            (Kind::Word, "double") => Type::Float(FloatKind::Double),
            (Kind::Word, "x86_fp80") => Type::Float(FloatKind::X86Fp80),
            (Kind::Word, "fp128" | "ppc_fp128") => Type::Float(FloatKind::Quad),
            (Kind::Word, "label" | "metadata" | "token" | "opaque" | "x86_mmx" | "x86_amx" | "target") => {
                Type::Sizeless
            }
            (Kind::Word, word) => match word.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok()) {
                Some(bits) if (1..=1 << 23).contains(&bits) => Type::Int(bits),
                _ => return Err(self.malformed("expected a type")),
            },
            _ => return Err(self.malformed("expected a type")),
        };
        self.at += 1;
        if text == "target" {
            self.skip_group();
        }
        Ok(self.stars(base))
    }

    /// `{ T, T }`.
    fn fields(&mut self, depth: u32) -> Parsed<Arc<[Type]>> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.eat("}") {
            if !fields.is_empty() {
                self.expect(",")?;
            }
            fields.push(self.ty(depth + 1)?);
        }
        Ok(fields.into())
    }
}
