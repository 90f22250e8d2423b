//! The top level of a module: types, globals, heads of functions, where metadata stands.

use std::collections::HashMap;
use std::sync::Arc;

use fencewright_base::IndexVec;

use super::cursor::{Cursor, Parsed};
use super::lexer::{Kind, Token, lex, name_of};
use crate::module::{Constant, FunctionHead, FunctionId, Global, GlobalId, Type};

/// A module whose bodies and metadata are still tokens.
#[derive(Debug)]
pub struct Module<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub types: HashMap<Arc<str>, Type>,
    pub globals: IndexVec<GlobalId, Global>,
    pub global_names: HashMap<Arc<str>, GlobalId>,
    pub functions: IndexVec<FunctionId, FunctionHead>,
    pub function_names: HashMap<Arc<str>, FunctionId>,
    /// Functions of other modules.
    pub declared: HashMap<Arc<str>, (u32, u32)>,
    /// Other names of globals and functions.
    pub aliases: HashMap<Arc<str>, Constant>,
    /// The tokens behind the `=` of each numbered metadata node.
    pub(super) metadata: HashMap<u32, super::Range>,
    /// The layout string of the target.
    pub data_layout: String,
}

impl<'a> Module<'a> {
    /// Reads the top level. The first malformed entity is the error.
    pub fn parse(text: &'a str) -> Parsed<Module<'a>> {
        let tokens = lex(text);
        let mut module = Module {
            text,
            tokens: Vec::new(),
            types: HashMap::new(),
            globals: IndexVec::new(),
            global_names: HashMap::new(),
            functions: IndexVec::new(),
            function_names: HashMap::new(),
            declared: HashMap::new(),
            aliases: HashMap::new(),
            metadata: HashMap::new(),
            data_layout: String::new(),
        };
        let mut cursor = Cursor::new(text, &tokens, 0..tokens.len());
        if tokens.is_empty() {
            return Err(cursor.malformed("expected a module"));
        }
        while cursor.peek().is_some() {
            module.entity(&mut cursor)?;
        }
        module.tokens = tokens;
        Ok(module)
    }

    fn entity(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let start = cursor.at;
        let Some(token) = cursor.peek() else { return Ok(()) };
        let word = cursor.word();
        let is_definition = cursor.peek_at(1).is_some_and(|next| next.text(cursor.text) == "=");
        match token.kind {
            Kind::Local if is_definition => {
                let name = cursor.sigil_name(Kind::Local, "a type name")?;
                cursor.expect("=")?;
                cursor.expect("type")?;
                let ty = cursor.ty(0)?;
                self.types.insert(name, ty);
            }
            Kind::Global if is_definition => self.global(cursor)?,
            Kind::Meta if is_definition => {
                let number = cursor.meta_reference();
                cursor.at += 2;
                let from = cursor.at;
                skip_line(cursor);
                if let Some(number) = number {
                    self.metadata.insert(number, from..cursor.at);
                }
                return Ok(());
            }
            Kind::Word if word == "define" => return self.function(cursor, true),
            Kind::Word if word == "declare" => return self.function(cursor, false),
            Kind::Word if word == "target" => {
                if cursor.peek_at(1).is_some_and(|next| next.text(cursor.text) == "datalayout")
                    && let Some(layout) = cursor.peek_at(3)
                {
                    self.data_layout = name_of(layout.text(cursor.text));
                }
                cursor.at += 1;
            }
            Kind::Word
                if matches!(
                    word,
                    "source_filename" | "attributes" | "module" | "uselistorder" | "uselistorder_bb"
                ) =>
            {
                cursor.at += 1;
            }
            _ => return Err(cursor.malformed("expected a definition of a module")),
        }
        skip_line(cursor);
        debug_assert!(cursor.at > start);
        Ok(())
    }

    /// `@x = … global T init, …`, `@x = … alias T, ptr @y`.
    fn global(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.sigil_name(Kind::Global, "a global name")?;
        cursor.expect("=")?;
        let (mut external, mut thread_local) = (false, false);
        let kind = loop {
            match cursor.word() {
                word @ ("global" | "constant" | "alias" | "ifunc") => break word.to_owned(),
                "comdat" => return Ok(()), // `$x = comdat any`
                word => {
                    external |= matches!(word, "external" | "extern_weak");
                    thread_local |= word == "thread_local";
                    if cursor.kind() != Some(Kind::Word) {
                        return Err(cursor.malformed("expected `global`"));
                    }
                    cursor.at += 1;
                    if cursor.word() == "(" {
                        cursor.skip_group();
                    }
                }
            }
        };
        cursor.at += 1;
        let ty = cursor.ty(0)?;
        if kind == "alias" || kind == "ifunc" {
            cursor.expect(",")?;
            let target_ty = cursor.ty(0)?;
            let target = cursor.constant(&target_ty, 0)?;
            self.aliases.insert(name, target);
            return Ok(());
        }
        let init = if external { None } else { Some(cursor.constant(&ty, 0)?) };
        let debug = trailing_debug(cursor);
        let id = self.globals.push(Global { name: name.clone(), ty, init, thread_local, debug });
        self.global_names.insert(name, id);
        Ok(())
    }

    fn function(&mut self, cursor: &mut Cursor<'_>, has_body: bool) -> Parsed<()> {
        let at_start = cursor.here();
        cursor.at += 1;
        // Linkage, visibility, calling convention and attributes stand before the type.
        loop {
            let mut probe = cursor.clone();
            if probe.ty_without_parameters(0).is_ok()
                && (probe.kind() == Some(Kind::Global) || probe.word() == "(")
            {
                if probe.word() == "(" {
                    probe.skip_group();
                    if !probe.eat("*") {
                        return Err(cursor.malformed("expected what the function returns"));
                    }
                    while probe.eat("*") {}
                    cursor.at = probe.at;
                    break;
                }
                cursor.at = probe.at;
                break;
            }
            match cursor.kind() {
                Some(Kind::Word | Kind::Number | Kind::Meta) => cursor.at += 1,
                Some(Kind::Punct) if cursor.word() == "(" => cursor.skip_group(),
                _ => return Err(cursor.malformed("expected what the function returns")),
            }
        }
        let name = cursor.sigil_name(Kind::Global, "the name of the function")?;
        cursor.expect("(")?;
        let (params, param_names) = parameters(cursor)?;
        let at = (at_start.0, cursor.here().0.max(at_start.1));
        if !has_body {
            self.declared.insert(name, at);
            skip_line(cursor);
            return Ok(());
        }
        let mut debug = None;
        while cursor.peek().is_some() && cursor.word() != "{" {
            if cursor.word() == "!dbg" {
                cursor.at += 1;
                debug = cursor.meta_reference();
            }
            cursor.at += 1;
        }
        let open = cursor.at;
        if cursor.peek().is_none() {
            return Err(cursor.malformed("expected the body of the function"));
        }
        let mut depth = 0usize;
        loop {
            match cursor.peek().map(|_| cursor.word()) {
                None => return Err(cursor.malformed("expected `}`")),
                Some("{") => depth += 1,
                Some("}") => depth -= 1,
                Some(_) => {}
            }
            cursor.at += 1;
            if depth == 0 {
                break;
            }
        }
        let body = open + 1..cursor.at - 1;
        let head = FunctionHead { name: name.clone(), params, param_names, body, debug, at };
        let id = self.functions.push(head);
        self.function_names.insert(name, id);
        Ok(())
    }

    /// Whether the name is a function, of this module or another.
    pub fn is_function(&self, name: &str) -> bool {
        self.function_names.contains_key(name) || self.declared.contains_key(name)
    }
}

/// Parameters up to the closing parenthesis: types and names. A variadic function has fewer than its calls.
fn parameters(cursor: &mut Cursor<'_>) -> Parsed<(Vec<Type>, Vec<Arc<str>>)> {
    let (mut types, mut names) = (Vec::new(), Vec::new());
    let mut unnamed = 0u32;
    while !cursor.eat(")") {
        if !types.is_empty() {
            cursor.expect(",")?;
        }
        if cursor.eat("...") {
            continue;
        }
        types.push(cursor.ty(0)?);
        skip_attributes(cursor);
        if cursor.kind() == Some(Kind::Local) {
            names.push(cursor.sigil_name(Kind::Local, "a parameter")?);
        } else {
            names.push(unnamed.to_string().into());
            unnamed += 1;
        }
    }
    Ok((types, names))
}

/// Skips the attributes of a parameter or argument: words, numbers and strings, with groups in parentheses.
pub(super) fn skip_attributes(cursor: &mut Cursor<'_>) {
    loop {
        match cursor.kind() {
            Some(Kind::Word) if !starts_constant(cursor.word()) => {
                cursor.at += 1;
                if cursor.word() == "(" {
                    cursor.skip_group();
                } else if cursor.kind() == Some(Kind::Number) && previous(cursor) == "align" {
                    cursor.at += 1;
                }
            }
            Some(Kind::Str) => {
                cursor.at += 1;
                if cursor.eat("=") {
                    cursor.at += 1;
                }
            }
            _ => return,
        }
    }
}

fn previous<'a>(cursor: &Cursor<'a>) -> &'a str {
    cursor.at.checked_sub(1).and_then(|i| cursor.tokens.get(i)).map_or("", |token| token.text(cursor.text))
}

fn starts_constant(word: &str) -> bool {
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
            | "splat"
            | "icmp"
            | "select"
    ) || super::types::cast_op(word).is_some()
        || super::types::bin_op(word).is_some()
}

/// The number behind `!dbg` in the rest of the line.
fn trailing_debug(cursor: &mut Cursor<'_>) -> Option<u32> {
    while let Some(token) = cursor.peek() {
        if token.starts_line {
            return None;
        }
        cursor.at += 1;
        if token.text(cursor.text) == "!dbg" {
            return cursor.meta_reference();
        }
    }
    None
}

/// To the next line that starts outside brackets, from inside an entity.
fn skip_line(cursor: &mut Cursor<'_>) {
    let mut depth = 0usize;
    while let Some(token) = cursor.peek() {
        if token.starts_line && depth == 0 {
            return;
        }
        match token.text(cursor.text) {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        cursor.at += 1;
    }
}
