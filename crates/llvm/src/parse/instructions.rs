//! Parses function bodies. An instruction is a line with its continuation lines. An unsupported one becomes
//! [`InstKind::Unsupported`] and matters only if it is reachable.

use std::collections::HashMap;
use std::sync::Arc;

use fencewright_base::{Index, IndexVec};

use super::cursor::{Cursor, Parsed};
use super::lexer::{Kind, Token, lex, name_of};
use super::toplevel::Module;
use super::values::{bin_op, cast_op, float_op};
use crate::module::{Block, BlockId, Function, FunctionId, Inst, InstKind, LocalId, Operand, Type};

/// The names of one function.
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
    /// Parses the body of a function, anew at each call.
    pub fn body(&self, id: FunctionId) -> Parsed<Function> {
        let head = &self.functions[id];
        let mut names = Names { locals: HashMap::new(), blocks: HashMap::new() };
        let params = (head.params.iter().zip(&head.param_names))
            .map(|(ty, name)| (ty.clone(), names.local(name.clone())))
            .collect();
        let tokens = lex(self.text, head.body.clone());
        let lines = lines(self.text, &tokens);
        // The first block may have no label; then it has the next number.
        let unnamed = head.param_names.iter().filter(|name| name.parse::<u32>().is_ok()).count();
        let mut blocks: IndexVec<BlockId, Block> = IndexVec::new();
        let label = |line: &super::Range| {
            let token = tokens[line.start];
            (token.kind == Kind::Label).then(|| name_of(token.text(self.text).trim_end_matches(':')))
        };
        if lines.first().is_none_or(|line| label(line).is_none()) {
            let name: Arc<str> = unnamed.to_string().into();
            let id = blocks.push(Block { name: name.clone(), insts: Vec::new() });
            names.blocks.insert(name, id);
        }
        for line in &lines {
            if let Some(name) = label(line) {
                let name: Arc<str> = name.into();
                let id = blocks.push(Block { name: name.clone(), insts: Vec::new() });
                names.blocks.insert(name, id);
            }
        }
        let mut current = BlockId(0);
        let mut n_seen = 0;
        for line in lines {
            let mut cursor = Cursor::new(self.text, &tokens, line.clone());
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
}

/// The token ranges of the lines of a body, each with its continuation lines.
fn lines(text: &str, tokens: &[Token]) -> Vec<super::Range> {
    let mut lines: Vec<super::Range> = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        let word = token.text(text);
        let continues = matches!(word, "to" | "unwind" | "catch" | "cleanup" | "filter" | "]");
        if token.starts_line && depth == 0 && !continues && at > start {
            lines.push(start..at);
            start = at;
        }
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        // A label is a line of its own, whatever follows it.
        if depth == 0 && at == start && token.kind == Kind::Label {
            lines.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < tokens.len() {
        lines.push(start..tokens.len());
    }
    lines
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

/// An instruction being parsed.
pub(super) struct Line<'c, 'a> {
    pub(super) c: &'c mut Cursor<'a>,
    pub(super) names: &'c mut Names,
}

pub(super) type Kinds = smallvec::SmallVec<[InstKind; 1]>;

impl Line<'_, '_> {
    /// The rest of the line: `, align 4, !dbg !12`. Anything else is an error, because it would be lost.
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
        let kind = if let Some(op) = bin_op(&opcode) {
            self.binary(op)?
        } else if let Some(op) = cast_op(&opcode) {
            self.cast(op)?
        } else if let Some(op) = float_op(&opcode) {
            self.float_binary(op)?
        } else {
            match opcode.as_str() {
                "alloca" => self.alloca()?,
                "load" => self.load()?,
                "store" => self.store()?,
                "atomicrmw" => self.read_modify_write()?,
                "cmpxchg" => self.compare_exchange()?,
                "fence" => self.fence()?,
                "getelementptr" => self.element_pointer()?,
                "va_arg" => self.variable_argument()?,
                "icmp" => self.compare()?,
                "fcmp" => self.float_compare()?,
                "fneg" => self.float_negate()?,
                "select" => self.select()?,
                "freeze" => self.freeze()?,
                "extractvalue" => self.extract_value()?,
                "insertvalue" => self.insert_value()?,
                "extractelement" => self.extract_element()?,
                "insertelement" => self.insert_element()?,
                "shufflevector" => self.shuffle_vector()?,
                "phi" => self.phi()?,
                "call" => self.call()?,
                "invoke" => return self.invoke(),
                "landingpad" => self.landing_pad()?,
                "resume" => self.resume()?,
                "br" => self.branch()?,
                "switch" => self.switch()?,
                "indirectbr" => self.indirect_branch()?,
                "ret" => self.ret()?,
                "unreachable" => InstKind::Unreachable,
                "cleanupret" | "catchret" | "catchpad" | "cleanuppad" | "catchswitch" => {
                    self.unsupported("the handling of an exception")
                }
                "callbr" => self.unsupported("a computed jump"),
                _ => {
                    self.c.at -= 1;
                    return Err(self.c.malformed("expected an instruction"));
                }
            }
        };
        Ok(smallvec::smallvec![kind])
    }

    fn unsupported(&mut self, what: &str) -> InstKind {
        // The debug location is kept, so that a message can name the source line.
        while self.c.peek().is_some() && self.c.word() != "!dbg" {
            self.c.at += 1;
        }
        InstKind::Unsupported(what.into())
    }

    /// `#dbg_declare(ptr %x, !12, …)` and similar records.
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

    /// `(metadata ptr %x, metadata !12, …)`, with or without the word `metadata`.
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

    pub(super) fn block(&mut self) -> Parsed<BlockId> {
        let before = self.c.clone();
        let name = self.c.sigil_name(Kind::Local, "a label")?;
        let known = self.names.blocks.get(&name).copied();
        known.ok_or_else(|| before.malformed("expected a label of this function"))
    }

    /// Skips any of these words.
    pub(super) fn skip_words(&mut self, known: &[&str]) {
        while known.contains(&self.c.word()) {
            self.c.at += 1;
        }
    }
}
