//! Parses calls: the callee and the arguments. Attributes of the call are skipped.

use std::sync::Arc;

use super::cursor::Parsed;
use super::instructions::Line;
use super::lexer::{Kind, name_of};
use super::toplevel::skip_attributes;
use crate::assembly::Assembly;
use crate::module::{Callee, Constant, InstKind, Operand, Type};

impl Line<'_, '_> {
    /// The rest of a `call` or `invoke`.
    pub(super) fn call(&mut self) -> Parsed<InstKind> {
        // Calling convention, fast-math flags and attributes of the result precede its type.
        let ret = loop {
            let mut probe = self.c.clone();
            if let Ok(ty) = probe.ty_without_parameters(0) {
                let mut ty = ty;
                while probe.word() == "(" {
                    probe.skip_group();
                    while probe.eat("*") {
                        ty = Type::Ptr;
                    }
                }
                if matches!(probe.kind(), Some(Kind::Local | Kind::Global)) || starts_callee(probe.word()) {
                    self.c.at = probe.at;
                    break ty;
                }
            }
            match self.c.kind() {
                Some(Kind::Word | Kind::Number) => {
                    self.c.at += 1;
                    if self.c.word() == "(" {
                        self.c.skip_group();
                    }
                }
                _ => return Err(self.c.malformed("expected what the call returns")),
            }
        };
        if self.c.eat("asm") {
            let mut intel = false;
            while self.c.kind() == Some(Kind::Word) {
                intel |= self.c.word() == "inteldialect";
                self.c.at += 1;
            }
            let text = self.string()?;
            self.c.expect(",")?;
            let constraints = self.string()?;
            let args = self.arguments()?;
            self.skip_call_attributes();
            let read = Arc::new(Assembly::parse(&text, &constraints, intel));
            let callee = Callee::Asm { text, read };
            return Ok(InstKind::Call { callee, args, ret, unwind: None });
        }
        let callee = if self.c.kind() == Some(Kind::Global) {
            Callee::Named(self.c.sigil_name(Kind::Global, "a function")?)
        } else {
            Callee::Value(self.operand(&Type::Ptr)?)
        };
        if let Callee::Named(name) = &callee
            && name.starts_with("llvm.dbg.")
        {
            let mut kind = InstKind::Nothing;
            let mut probe = self.c.clone();
            if &**name == "llvm.dbg.declare"
                && let Ok(found) = (Line { c: &mut probe, names: &mut *self.names }).declare_arguments()
            {
                kind = found;
            }
            self.c.skip_group();
            return Ok(kind);
        }
        let args = self.arguments()?;
        self.skip_call_attributes();
        Ok(InstKind::Call { callee, args, ret, unwind: None })
    }

    fn string(&mut self) -> Parsed<Arc<str>> {
        if self.c.kind() != Some(Kind::Str) {
            return Err(self.c.malformed("expected a string"));
        }
        let text = name_of(self.c.word());
        self.c.at += 1;
        Ok(text.into())
    }

    /// Attributes and operand bundles after the arguments.
    fn skip_call_attributes(&mut self) {
        loop {
            match self.c.kind() {
                Some(Kind::Hash | Kind::Str) => self.c.at += 1,
                Some(Kind::Word) if self.c.word() != "to" => {
                    self.c.at += 1;
                    if self.c.word() == "(" {
                        self.c.skip_group();
                    }
                }
                Some(Kind::Punct) if self.c.word() == "[" => self.c.skip_group(),
                Some(Kind::Punct) if self.c.word() == "=" => self.c.at += 1,
                _ => return,
            }
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<(Type, Operand)>> {
        self.c.expect("(")?;
        let mut args = Vec::new();
        while !self.c.eat(")") {
            if !args.is_empty() {
                self.c.expect(",")?;
            }
            let is_metadata = self.c.word() == "metadata";
            let ty = self.c.ty(0)?;
            if is_metadata {
                // Metadata arguments are for optimisers and debuggers.
                while !matches!(self.c.word(), "," | ")" | "") {
                    if self.c.word() == "(" || self.c.word() == "{" {
                        self.c.skip_group();
                    } else {
                        self.c.at += 1;
                    }
                }
                args.push((ty, Operand::Const(Constant::Undef)));
                continue;
            }
            skip_attributes(self.c);
            let value = self.operand(&ty)?;
            args.push((ty, value));
        }
        Ok(args)
    }
}

fn starts_callee(word: &str) -> bool {
    matches!(
        word,
        "asm" | "bitcast" | "inttoptr" | "null" | "undef" | "poison" | "getelementptr" | "addrspacecast"
    )
}
