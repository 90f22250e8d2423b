//! Bodies of functions. An instruction is what stands on a line, with the lines that continue it; one that is not
//! understood becomes [`InstKind::Unsupported`] and matters only if the program can get there.

use std::collections::HashMap;
use std::sync::Arc;

use fencewright_base::{Index, IndexVec};

use super::cursor::{Cursor, Parsed};
use super::lexer::{Kind, name_of};
use super::toplevel::Module;
use super::types::{bin_op, cast_op};
use crate::module::{
    Block, BlockId, Function, FunctionId, Inst, InstKind, LocalId, Operand, Order, Predicate, RmwOp, Type,
};

/// Names of one function.
pub(super) struct Names {
    locals: HashMap<Arc<str>, LocalId>,
    blocks: HashMap<Arc<str>, BlockId>,
}

impl Names {
    fn local(&mut self, name: Arc<str>) -> LocalId {
        let next = LocalId::new(self.locals.len());
        *self.locals.entry(name).or_insert(next)
    }
}

impl Module<'_> {
    /// The body of a function.
    pub fn body(&self, id: FunctionId) -> Parsed<Function> {
        let head = &self.functions[id];
        let mut names = Names { locals: HashMap::new(), blocks: HashMap::new() };
        let params = (head.params.iter().zip(&head.param_names))
            .map(|(ty, name)| (ty.clone(), names.local(name.clone())))
            .collect();
        let lines = self.lines(head.body.clone());
        // The first block may have no label; it then has the next number.
        let unnamed = head.param_names.iter().filter(|name| name.parse::<u32>().is_ok()).count();
        let mut blocks: IndexVec<BlockId, Block> = IndexVec::new();
        let label = |line: &super::Range| {
            let token = self.tokens[line.start];
            (token.kind == Kind::Label).then(|| name_of(token.text(self.text).trim_end_matches(':')))
        };
        if lines.first().is_none_or(|line| label(line).is_none()) {
            names.blocks.insert(unnamed.to_string().into(), BlockId(0));
            blocks.push(Block { insts: Vec::new() });
        }
        for line in &lines {
            if let Some(name) = label(line) {
                names.blocks.insert(name.into(), blocks.push(Block { insts: Vec::new() }));
            }
        }
        let mut current = BlockId(0);
        let mut n_seen = 0;
        for line in lines {
            let mut cursor = Cursor::new(self.text, &self.tokens, line.clone());
            if let Some(name) = label(&line) {
                current = names.blocks[name.as_str()];
                cursor.at += 1;
                if cursor.peek().is_none() {
                    continue;
                }
            }
            let insts = &mut blocks[current].insts;
            instruction(&mut cursor, &mut names, insts)?;
            n_seen += 1;
        }
        if n_seen == 0 {
            let at = head.at;
            return Err(super::Malformed { at, message: "the function has no instruction".to_owned() });
        }
        Ok(Function { params, blocks })
    }

    /// The token ranges of the lines of a body, each with the lines that continue it.
    fn lines(&self, body: super::Range) -> Vec<super::Range> {
        let mut lines: Vec<super::Range> = Vec::new();
        let mut depth = 0usize;
        let mut start = body.start;
        for at in body.clone() {
            let token = self.tokens[at];
            let text = token.text(self.text);
            let continues = matches!(text, "to" | "unwind" | "catch" | "cleanup" | "filter" | "]");
            if token.starts_line && depth == 0 && !continues && at > start {
                lines.push(start..at);
                start = at;
            }
            match text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            // A label is a line of its own, whatever stands behind it.
            if depth == 0 && at == start && token.kind == Kind::Label {
                lines.push(start..at + 1);
                start = at + 1;
            }
        }
        if start < body.end {
            lines.push(start..body.end);
        }
        lines
    }
}

fn instruction(c: &mut Cursor<'_>, names: &mut Names, insts: &mut Vec<Inst>) -> Parsed<()> {
    let from = c.here().0;
    let end = c.tokens[c.end - 1].end;
    let mut result = None;
    if c.kind() == Some(Kind::Local) && c.peek_at(1).is_some_and(|t| t.text(c.text) == "=") {
        result = Some(names.local(c.sigil_name(Kind::Local, "a name")?));
        c.at += 1;
    }
    let mut parser = Line { c, names };
    let kinds = parser.kind()?;
    let debug = parser.debug()?;
    for (i, kind) in kinds.into_iter().enumerate() {
        insts.push(Inst { result: result.filter(|_| i == 0), kind, debug, at: (from, end) });
    }
    Ok(())
}

/// An instruction being read.
pub(super) struct Line<'c, 'a> {
    pub(super) c: &'c mut Cursor<'a>,
    pub(super) names: &'c mut Names,
}

type Kinds = smallvec::SmallVec<[InstKind; 1]>;

impl Line<'_, '_> {
    /// The rest of the line: `, align 4, !dbg !12`. Anything else there would be lost, so it is an error.
    fn debug(&mut self) -> Parsed<Option<u32>> {
        let mut debug = None;
        while let Some(token) = self.c.peek() {
            match (token.kind, token.text(self.c.text)) {
                (Kind::Meta, "!dbg") => {
                    self.c.at += 1;
                    debug = self.c.meta_reference();
                }
                (Kind::Punct, "(") => {
                    self.c.skip_group();
                    continue;
                }
                (Kind::Punct, "," | "!" | "{" | "}" | "[" | "]")
                | (Kind::Meta | Kind::Hash | Kind::Number | Kind::Str, _)
                | (Kind::Word, "align" | "distinct") => {}
                _ => return Err(self.c.malformed("expected the end of the instruction")),
            }
            self.c.at += 1;
        }
        Ok(debug)
    }

    fn rest_is_skipped(&mut self) {
        // The debug location is kept, so that a message can name the line of the source.
        while self.c.peek().is_some() && self.c.word() != "!dbg" {
            self.c.at += 1;
        }
    }

    fn kind(&mut self) -> Parsed<Kinds> {
        let c = &mut *self.c;
        if c.kind() == Some(Kind::Hash) {
            return self.record();
        }
        while matches!(c.word(), "tail" | "musttail" | "notail") {
            c.at += 1;
        }
        let opcode = c.word().to_owned();
        c.at += 1;
        let one = |kind: InstKind| -> Parsed<Kinds> { Ok(smallvec::smallvec![kind]) };
        if let Some(op) = bin_op(&opcode) {
            self.flags(&["nuw", "nsw", "exact", "disjoint"]);
            let ty = self.c.ty(0)?;
            let a = self.operand(&ty)?;
            self.c.expect(",")?;
            let b = self.operand(&ty)?;
            return one(InstKind::Binary { op, ty, a, b });
        }
        if let Some(Some(op)) = cast_op(&opcode) {
            self.flags(&["nuw", "nsw", "nneg"]);
            let (from, value) = self.typed_operand()?;
            self.c.expect("to")?;
            let to = self.c.ty(0)?;
            return one(InstKind::Cast { op, from, value, to });
        }
        match opcode.as_str() {
            "alloca" => {
                self.flags(&["inalloca", "swifterror"]);
                let ty = self.c.ty(0)?;
                let mut count = Operand::Const(crate::module::Constant::Int(1));
                if self.c.word() == ","
                    && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text).starts_with('i'))
                {
                    self.c.at += 1;
                    count = self.typed_operand()?.1;
                }
                self.addrspace();
                one(InstKind::Alloca { ty, count })
            }
            "load" => {
                let atomic = self.access_flags();
                let ty = self.c.ty(0)?;
                self.c.expect(",")?;
                let (_, ptr) = self.typed_operand()?;
                // No model lets a load pass another, so its order does not matter.
                self.order(atomic)?;
                one(InstKind::Load { ty, ptr })
            }
            "store" => {
                let atomic = self.access_flags();
                let (ty, value) = self.typed_operand()?;
                self.c.expect(",")?;
                let (_, ptr) = self.typed_operand()?;
                let order = self.order(atomic)?;
                one(InstKind::Store { ty, value, ptr, order })
            }
            "atomicrmw" => {
                self.access_flags();
                let op = rmw_op(self.c.word());
                self.c.at += 1;
                let (_, ptr) = self.typed_operand()?;
                self.c.expect(",")?;
                let (ty, value) = self.typed_operand()?;
                let order = self.order(true)?;
                one(match op {
                    Some(op) => InstKind::Rmw { op, ty, ptr, value, order },
                    None => InstKind::Unsupported("an atomic operation on floating-point numbers".into()),
                })
            }
            "cmpxchg" => {
                self.flags(&["weak", "volatile"]);
                let (_, ptr) = self.typed_operand()?;
                self.c.expect(",")?;
                let (ty, expected) = self.typed_operand()?;
                self.c.expect(",")?;
                let (_, new) = self.typed_operand()?;
                let order = self.order(true)?;
                let failure = self.order(true)?;
                // On failure it writes nothing, so what it waits for on success is never too weak.
                one(InstKind::CmpXchg { ty, ptr, expected, new, order: order.max(failure) })
            }
            "fence" => {
                let single = self.single_thread();
                let order = self.order(true)?;
                one(if single { InstKind::Nothing } else { InstKind::Fence(order) })
            }
            "getelementptr" => {
                self.flags(&["inbounds", "nuw", "nusw"]);
                let element = self.c.ty(0)?;
                self.c.expect(",")?;
                let (base_ty, base) = self.typed_operand()?;
                let mut indices = Vec::new();
                while self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.kind != Kind::Meta) {
                    self.c.at += 1;
                    indices.push(self.typed_operand()?);
                }
                one(if matches!(base_ty, Type::Vector(..)) {
                    InstKind::Unsupported("a vector of pointers".into())
                } else {
                    InstKind::Gep { element, base, indices }
                })
            }
            "icmp" => {
                self.flags(&["samesign"]);
                let Some(predicate) = predicate(self.c.word()) else {
                    return Err(self.c.malformed("expected a comparison"));
                };
                self.c.at += 1;
                let ty = self.c.ty(0)?;
                let a = self.operand(&ty)?;
                self.c.expect(",")?;
                let b = self.operand(&ty)?;
                one(InstKind::Compare { predicate, ty, a, b })
            }
            "select" => {
                self.flags(&["fast", "nnan", "ninf", "nsz"]);
                let (_, condition) = self.typed_operand()?;
                self.c.expect(",")?;
                let (ty, yes) = self.typed_operand()?;
                self.c.expect(",")?;
                let (_, no) = self.typed_operand()?;
                one(InstKind::Select { condition, ty, yes, no })
            }
            "phi" => {
                self.flags(&["fast"]);
                let ty = self.c.ty(0)?;
                let mut incoming = Vec::new();
                while self.c.eat("[") {
                    let value = self.operand(&ty)?;
                    self.c.expect(",")?;
                    let block = self.block()?;
                    self.c.expect("]")?;
                    incoming.push((value, block));
                    if self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "[") {
                        self.c.at += 1;
                    }
                }
                one(InstKind::Phi { ty, incoming })
            }
            "freeze" => {
                let (ty, value) = self.typed_operand()?;
                one(InstKind::Freeze { ty, value })
            }
            "extractvalue" => {
                let (ty, aggregate) = self.typed_operand()?;
                let path = self.path()?;
                one(InstKind::ExtractValue { ty, aggregate, path })
            }
            "insertvalue" => {
                let (ty, aggregate) = self.typed_operand()?;
                self.c.expect(",")?;
                let (element_ty, element) = self.typed_operand()?;
                let path = self.path()?;
                one(InstKind::InsertValue { ty, aggregate, element_ty, element, path })
            }
            "call" => self.call().map(|call| smallvec::smallvec![call]),
            "invoke" => {
                let call = self.call()?;
                while self.c.peek().is_some() && self.c.word() != "to" {
                    self.c.at += 1;
                }
                self.c.expect("to")?;
                self.c.expect("label")?;
                let normal = self.block()?;
                self.c.expect("unwind")?;
                self.c.expect("label")?;
                self.block()?;
                Ok(smallvec::smallvec![call, InstKind::Goto(normal)])
            }
            "br" => {
                if self.c.eat("label") {
                    return one(InstKind::Goto(self.block()?));
                }
                let (_, condition) = self.typed_operand()?;
                self.c.expect(",")?;
                self.c.expect("label")?;
                let yes = self.block()?;
                self.c.expect(",")?;
                self.c.expect("label")?;
                let no = self.block()?;
                one(InstKind::Branch { condition, yes, no })
            }
            "switch" => {
                let (ty, value) = self.typed_operand()?;
                self.c.expect(",")?;
                self.c.expect("label")?;
                let default = self.block()?;
                self.c.expect("[")?;
                let mut cases = Vec::new();
                while !self.c.eat("]") {
                    let case_ty = self.c.ty(0)?;
                    let case = self.c.constant(&case_ty, 0)?;
                    self.c.expect(",")?;
                    self.c.expect("label")?;
                    cases.push((case, self.block()?));
                }
                one(InstKind::Switch { ty, value, default, cases })
            }
            "ret" => {
                if self.c.word() == "void" && self.c.peek_at(1).is_none_or(|t| t.text(self.c.text) != "(") {
                    self.c.at += 1;
                    return one(InstKind::Return(None));
                }
                let operand = self.typed_operand()?;
                one(InstKind::Return(Some(operand)))
            }
            "unreachable" => one(InstKind::Unreachable),
            "landingpad" | "resume" | "cleanupret" | "catchret" | "catchpad" | "cleanuppad"
            | "catchswitch" => {
                self.rest_is_skipped();
                one(InstKind::Unsupported("the handling of an exception".into()))
            }
            "fadd" | "fsub" | "fmul" | "fdiv" | "frem" | "fneg" | "fcmp" | "fptoui" | "fptosi" | "uitofp"
            | "sitofp" | "fptrunc" | "fpext" => {
                self.rest_is_skipped();
                one(InstKind::Unsupported("floating-point arithmetic".into()))
            }
            "va_arg" => {
                self.rest_is_skipped();
                one(InstKind::Unsupported("a variable argument list".into()))
            }
            "extractelement" | "insertelement" | "shufflevector" => {
                self.rest_is_skipped();
                one(InstKind::Unsupported("a vector operation".into()))
            }
            "indirectbr" | "callbr" => {
                self.rest_is_skipped();
                one(InstKind::Unsupported("a computed jump".into()))
            }
            _ => {
                self.c.at -= 1;
                Err(self.c.malformed("expected an instruction"))
            }
        }
    }

    /// `#dbg_declare(ptr %x, !12, …)` and its kin.
    fn record(&mut self) -> Parsed<Kinds> {
        let declares = self.c.word() == "#dbg_declare";
        self.c.at += 1;
        let mut kind = InstKind::Nothing;
        if declares {
            let mut probe = self.c.clone();
            if let Ok(found) = (Line { c: &mut probe, names: &mut *self.names }).declare_arguments() {
                kind = found;
            }
        }
        if self.c.word() == "(" {
            self.c.skip_group();
        }
        Ok(smallvec::smallvec![kind])
    }

    /// `(metadata ptr %x, metadata !12, …)` with or without the word `metadata`.
    pub(super) fn declare_arguments(&mut self) -> Parsed<InstKind> {
        self.c.expect("(")?;
        self.c.eat("metadata");
        let (_, address) = self.typed_operand()?;
        self.c.expect(",")?;
        self.c.eat("metadata");
        let variable = self.c.meta_reference().ok_or_else(|| self.c.malformed("expected a variable"))?;
        Ok(InstKind::Declare { address, variable })
    }

    pub(super) fn typed_operand(&mut self) -> Parsed<(Type, Operand)> {
        let ty = self.c.ty(0)?;
        let value = self.operand(&ty)?;
        Ok((ty, value))
    }

    pub(super) fn operand(&mut self, ty: &Type) -> Parsed<Operand> {
        if self.c.kind() == Some(Kind::Local) {
            let name = self.c.sigil_name(Kind::Local, "a value")?;
            return Ok(Operand::Local(self.names.local(name)));
        }
        Ok(Operand::Const(self.c.constant(ty, 0)?))
    }

    fn block(&mut self) -> Parsed<BlockId> {
        let before = self.c.clone();
        let name = self.c.sigil_name(Kind::Local, "a label")?;
        let known = self.names.blocks.get(&name).copied();
        known.ok_or_else(|| before.malformed("expected a label of this function"))
    }

    fn path(&mut self) -> Parsed<Vec<u64>> {
        let mut path = Vec::new();
        while self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.kind == Kind::Number) {
            self.c.at += 1;
            path.push(self.c.unsigned()?);
        }
        Ok(path)
    }

    fn flags(&mut self, known: &[&str]) {
        while known.contains(&self.c.word()) {
            self.c.at += 1;
            if self.c.word() == "(" && self.c.peek_at(1).is_some_and(|t| t.kind == Kind::Number) {
                self.c.skip_group();
            }
        }
    }

    /// `atomic`, `volatile`; whether it is atomic.
    fn access_flags(&mut self) -> bool {
        let mut atomic = false;
        while matches!(self.c.word(), "atomic" | "volatile") {
            atomic |= self.c.word() == "atomic";
            self.c.at += 1;
        }
        atomic
    }

    fn addrspace(&mut self) {
        if self.c.word() == "," && self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "addrspace") {
            self.c.at += 2;
            self.c.skip_group();
        }
    }

    /// `syncscope("…")`; whether it orders a thread against its own signal handlers only.
    fn single_thread(&mut self) -> bool {
        if !self.c.eat("syncscope") {
            return false;
        }
        let single = self.c.peek_at(1).is_some_and(|t| t.text(self.c.text) == "\"singlethread\"");
        self.c.skip_group();
        single
    }

    fn order(&mut self, atomic: bool) -> Parsed<Order> {
        if !atomic {
            return Ok(Order::Plain);
        }
        self.single_thread();
        let order = match self.c.word() {
            "unordered" | "monotonic" => Order::Relaxed,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcqRel,
            "seq_cst" => Order::SeqCst,
            _ => return Err(self.c.malformed("expected a memory order")),
        };
        self.c.at += 1;
        Ok(order)
    }
}

fn rmw_op(word: &str) -> Option<RmwOp> {
    Some(match word {
        "xchg" => RmwOp::Xchg,
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "nand" => RmwOp::Nand,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "max" => RmwOp::Max,
        "min" => RmwOp::Min,
        "umax" => RmwOp::UMax,
        "umin" => RmwOp::UMin,
        _ => return None,
    })
}

fn predicate(word: &str) -> Option<Predicate> {
    Some(match word {
        "eq" => Predicate::Eq,
        "ne" => Predicate::Ne,
        "ugt" => Predicate::Ugt,
        "uge" => Predicate::Uge,
        "ult" => Predicate::Ult,
        "ule" => Predicate::Ule,
        "sgt" => Predicate::Sgt,
        "sge" => Predicate::Sge,
        "slt" => Predicate::Slt,
        "sle" => Predicate::Sle,
        _ => return None,
    })
}
