//! Parses constants and constant expressions. An unknown expression, such as `ptrauth (…)`, becomes [`Constant::Unknown`]: it
//! matters only if its value is needed.

use super::cursor::{Cursor, MAX_DEPTH, Parsed};
use super::floats::float_bits;
use super::lexer::{Kind, unescape};
use super::values::{bin_op, cast_op, predicate};
use crate::module::{Constant, Type};

impl Cursor<'_> {
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
                let number = match ty {
                    Type::Int(_) => text.parse().ok().map(Constant::Int),
                    Type::Float(kind) => float_bits(*kind, text).map(Constant::Float),
                    _ => None,
                };
                Ok(number.unwrap_or_else(|| Constant::Unknown(text.into())))
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

    /// A type and a constant of it, one level deeper.
    pub(super) fn typed_constant(&mut self, depth: u32) -> Parsed<(Type, Constant)> {
        let ty = self.ty(depth + 1)?;
        let value = self.constant(&ty, depth + 1)?;
        Ok((ty, value))
    }

    /// `(T a, T b)`.
    fn two_constants(&mut self, depth: u32) -> Parsed<(Type, Box<Constant>, Box<Constant>)> {
        self.expect("(")?;
        let (ty, a) = self.typed_constant(depth)?;
        self.expect(",")?;
        let (_, b) = self.typed_constant(depth)?;
        self.expect(")")?;
        Ok((ty, Box::new(a), Box::new(b)))
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
            elements.push(self.typed_constant(depth)?);
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
            let (from, value) = self.typed_constant(depth)?;
            self.expect("to")?;
            let to = self.ty(depth + 1)?;
            self.expect(")")?;
            let value = Box::new(value);
            return Ok(Constant::Cast { op, from, value, to });
        }
        if let Some(op) = bin_op(word) {
            while self.kind() == Some(Kind::Word) {
                self.at += 1;
            }
            let (ty, a, b) = self.two_constants(depth)?;
            return Ok(Constant::Binary { op, ty, a, b });
        }
        match word {
            "icmp" => {
                let Some(predicate) = predicate(self.word()) else {
                    return Err(self.malformed("expected a comparison"));
                };
                self.at += 1;
                let (ty, a, b) = self.two_constants(depth)?;
                return Ok(Constant::Compare { predicate, ty, a, b });
            }
            "select" => {
                self.expect("(")?;
                let condition = Box::new(self.typed_constant(depth)?.1);
                self.expect(",")?;
                let yes = Box::new(self.typed_constant(depth)?.1);
                self.expect(",")?;
                let no = Box::new(self.typed_constant(depth)?.1);
                self.expect(")")?;
                return Ok(Constant::Select { condition, yes, no });
            }
            "splat" => {
                self.expect("(")?;
                let element = self.typed_constant(depth)?;
                self.expect(")")?;
                return Ok(Constant::Splat(Box::new(element)));
            }
            "blockaddress" => {
                self.expect("(")?;
                let function = self.sigil_name(Kind::Global, "a function")?;
                self.expect(",")?;
                let block = self.sigil_name(Kind::Local, "a label")?;
                self.expect(")")?;
                return Ok(Constant::BlockAddress(function, block));
            }
            "fcmp" => self.at += 1,
            _ => {}
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
        let base = Box::new(self.typed_constant(depth)?.1);
        let mut indices = Vec::new();
        while self.eat(",") {
            self.eat("inrange");
            indices.push(self.typed_constant(depth)?.1);
        }
        self.expect(")")?;
        Ok(Constant::Gep { element, base, indices })
    }
}

/// Whether a word starts a constant, and not an attribute before one.
pub(super) fn starts_constant(word: &str) -> bool {
    matches!(
        word,
        "null"
            | "undef"
            | "poison"
            | "true"
            | "false"
            | "zeroinitializer"
            | "none"
            | "getelementptr"
            | "asm"
            | "blockaddress"
            | "dso_local_equivalent"
            | "no_cfi"
            | "ptrauth"
            | "splat"
            | "icmp"
            | "fcmp"
            | "select"
            | "extractelement"
            | "insertelement"
            | "shufflevector"
    ) || cast_op(word).is_some()
        || bin_op(word).is_some()
}
