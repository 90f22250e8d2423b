//! Types and constants.

use std::sync::Arc;

use super::cursor::{Cursor, MAX_DEPTH, Parsed};
use super::lexer::{Kind, unescape};
use crate::module::{BinOp, CastOp, Constant, FloatKind, Type};

impl Cursor<'_> {
    /// A type, with the `*`s of typed pointers and the parameters of function types behind it.
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

    /// A type, but a function type only up to what it returns: `i32` of `i32 (ptr, ...)`.
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
                if self.eat("vscale") {
                    self.expect("x")?;
                }
                let length = self.unsigned()?;
                self.expect("x")?;
                let element = self.ty(depth + 1)?;
                self.expect(">")?;
                return Ok(self.stars(Type::Vector(length, Arc::new(element))));
            }
            (_, "{") => {
                let fields = self.fields(depth)?;
                return Ok(self.stars(Type::Struct { packed: false, fields }));
            }
            (Kind::Word, "void") => Type::Void,
            (Kind::Word, "ptr") => Type::Ptr,
            (Kind::Word, "half" | "bfloat") => Type::Float(FloatKind::Half),
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

    /// A constant of the type.
    pub(super) fn constant(&mut self, ty: &Type, depth: u32) -> Parsed<Constant> {
        if depth > MAX_DEPTH {
            return Err(self.malformed("constants nest too deeply"));
        }
        let Some(token) = self.peek() else { return Err(self.malformed("expected a constant")) };
        let text = token.text(self.text);
        match token.kind {
            Kind::Number => {
                self.at += 1;
                let integer = matches!(ty, Type::Int(_)).then(|| text.parse::<i128>().ok()).flatten();
                Ok(integer.map_or_else(|| Constant::Unknown(text.into()), Constant::Int))
            }
            Kind::Global => Ok(Constant::Global(self.sigil_name(Kind::Global, "a global name")?)),
            Kind::Bytes => {
                self.at += 1;
                Ok(Constant::Bytes(unescape(&text[2..text.len() - 1]).into()))
            }
            Kind::Punct => self.aggregate(text, depth),
            Kind::Word => self.constant_word(text, depth),
            Kind::Meta => Ok(Constant::Unknown("metadata".into())),
            _ => Err(self.malformed("expected a constant")),
        }
    }

    fn aggregate(&mut self, open: &str, depth: u32) -> Parsed<Constant> {
        let close = match open {
            "[" => "]",
            "{" => "}",
            "<" => ">",
            _ => return Err(self.malformed("expected a constant")),
        };
        self.at += 1;
        let inner_brace = open == "<" && self.eat("{");
        let close = if inner_brace { "}" } else { close };
        let mut elements = Vec::new();
        while !self.eat(close) {
            if !elements.is_empty() {
                self.expect(",")?;
            }
            let ty = self.ty(depth + 1)?;
            let value = self.constant(&ty, depth + 1)?;
            elements.push((ty, value));
        }
        if inner_brace {
            self.expect(">")?;
        }
        Ok(Constant::Aggregate(elements))
    }

    fn constant_word(&mut self, word: &str, depth: u32) -> Parsed<Constant> {
        self.at += 1;
        let simple = match word {
            "true" => Some(Constant::Int(1)),
            "null" | "false" | "zeroinitializer" | "none" => Some(Constant::Zero),
            "undef" | "poison" => Some(Constant::Undef),
            _ => None,
        };
        if let Some(simple) = simple {
            return Ok(simple);
        }
        if matches!(word, "dso_local_equivalent" | "no_cfi") {
            return Ok(Constant::Global(self.sigil_name(Kind::Global, "a global name")?));
        }
        if word == "getelementptr" {
            return self.constant_gep(depth);
        }
        if let Some(op) = cast_op(word) {
            while self.kind() == Some(Kind::Word) {
                self.at += 1;
            }
            self.expect("(")?;
            let from = self.ty(depth + 1)?;
            let value = Box::new(self.constant(&from, depth + 1)?);
            self.expect("to")?;
            let to = self.ty(depth + 1)?;
            self.expect(")")?;
            return Ok(match op {
                Some(op) => Constant::Cast { op, from, value, to },
                None => Constant::Unknown(word.into()),
            });
        }
        if let Some(op) = bin_op(word) {
            while self.kind() == Some(Kind::Word) {
                self.at += 1;
            }
            self.expect("(")?;
            let ty = self.ty(depth + 1)?;
            let a = Box::new(self.constant(&ty, depth + 1)?);
            self.expect(",")?;
            let second = self.ty(depth + 1)?;
            let b = Box::new(self.constant(&second, depth + 1)?);
            self.expect(")")?;
            return Ok(Constant::Binary { op, ty, a, b });
        }
        if self.word() == "(" {
            self.skip_group();
            return Ok(Constant::Unknown(word.into()));
        }
        self.at -= 1;
        Err(self.malformed("expected a constant"))
    }

    fn constant_gep(&mut self, depth: u32) -> Parsed<Constant> {
        while self.kind() == Some(Kind::Word) {
            self.at += 1;
            if self.word() == "(" && self.peek_at(1).is_some_and(|t| t.kind == Kind::Number) {
                self.skip_group(); // inrange(-16, 24)
            }
        }
        self.expect("(")?;
        let element = self.ty(depth + 1)?;
        self.expect(",")?;
        let base_ty = self.ty(depth + 1)?;
        let base = Box::new(self.constant(&base_ty, depth + 1)?);
        let mut indices = Vec::new();
        while self.eat(",") {
            self.eat("inrange");
            let ty = self.ty(depth + 1)?;
            indices.push(self.constant(&ty, depth + 1)?);
        }
        self.expect(")")?;
        Ok(Constant::Gep { element, base, indices })
    }
}

/// Some(Some) for a cast that is understood, Some(None) for one on floating-point numbers.
pub(super) fn cast_op(word: &str) -> Option<Option<CastOp>> {
    Some(match word {
        "trunc" => Some(CastOp::Trunc),
        "zext" => Some(CastOp::ZExt),
        "sext" => Some(CastOp::SExt),
        "ptrtoint" | "ptrtoaddr" | "inttoptr" | "bitcast" | "addrspacecast" => Some(CastOp::Reinterpret),
        "fptoui" | "fptosi" | "uitofp" | "sitofp" | "fptrunc" | "fpext" => None,
        _ => return None,
    })
}

pub(super) fn bin_op(word: &str) -> Option<BinOp> {
    Some(match word {
        "add" => BinOp::Add,
        "sub" => BinOp::Sub,
        "mul" => BinOp::Mul,
        "udiv" => BinOp::UDiv,
        "sdiv" => BinOp::SDiv,
        "urem" => BinOp::URem,
        "srem" => BinOp::SRem,
        "shl" => BinOp::Shl,
        "lshr" => BinOp::LShr,
        "ashr" => BinOp::AShr,
        "and" => BinOp::And,
        "or" => BinOp::Or,
        "xor" => BinOp::Xor,
        _ => return None,
    })
}
