//! Parses the top level of a module: types, globals, heads of functions, and the positions of bodies and metadata.

use std::collections::HashMap;
use std::sync::Arc;

use fencewright_base::IndexVec;

use super::constants::starts_constant;
use super::cursor::{Cursor, Malformed, Parsed};
use super::lexer::{Kind, Lexer, lex, name_of};
use super::outline::{closing_brace, entity_end, function_head, skip_blank};
use crate::module::{Constant, Declaration, FunctionHead, FunctionId, Global, GlobalId, Linkage, Type};

/// A module whose bodies and metadata are still text. It is immutable, so threads can share it.
#[derive(Debug)]
pub struct Module<'a> {
    pub(super) text: &'a str,
    pub types: HashMap<Arc<str>, Type>,
    pub globals: IndexVec<GlobalId, Global>,
    pub global_names: HashMap<Arc<str>, GlobalId>,
    pub functions: IndexVec<FunctionId, FunctionHead>,
    pub function_names: HashMap<Arc<str>, FunctionId>,
    /// Functions of other modules.
    pub declared: HashMap<Arc<str>, Declaration>,
    /// Other names of globals and functions. The target of an `ifunc` is determined at run time: it is [`Constant::Unknown`].
    pub aliases: HashMap<Arc<str>, Constant>,
    /// The linkage of the aliases.
    pub alias_linkage: HashMap<Arc<str>, Linkage>,
    /// The byte range after the `=` of each numbered metadata node.
    pub(super) metadata: HashMap<u32, super::Range>,
    /// The layout string of the target.
    pub data_layout: String,
}

impl<'a> Module<'a> {
    /// Reads the top level. The first malformed entity is the error.
    pub fn parse(text: &'a str) -> Parsed<Module<'a>> {
        if u32::try_from(text.len()).is_err() {
            return Err(Malformed { at: (0, 0), message: "the module is larger than 4 GiB".to_owned() });
        }
        let mut module = Module {
            text,
            types: HashMap::new(),
            globals: IndexVec::new(),
            global_names: HashMap::new(),
            functions: IndexVec::new(),
            function_names: HashMap::new(),
            declared: HashMap::new(),
            aliases: HashMap::new(),
            alias_linkage: HashMap::new(),
            metadata: HashMap::new(),
            data_layout: String::new(),
        };
        let bytes = text.as_bytes();
        let mut at = skip_blank(bytes, 0);
        if at == bytes.len() {
            return Err(Cursor::new(text, &[], 0..0).malformed("expected a module"));
        }
        while at < bytes.len() {
            at = skip_blank(bytes, module.entity(at)?);
        }
        Ok(module)
    }

    /// Reads the entity that starts at a byte; returns its end.
    fn entity(&mut self, start: usize) -> Parsed<usize> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        if bytes[start] == b'!' {
            let end = entity_end(bytes, start);
            return self.metadata_node(start..end).map(|()| end);
        }
        if Lexer::new(text, start..text.len()).next().is_some_and(|token| token.text(text) == "define") {
            return self.definition(start);
        }
        let end = entity_end(bytes, start);
        let tokens = lex(text, start..end);
        let cursor = &mut Cursor::new(text, &tokens, 0..tokens.len());
        let word = cursor.word();
        let is_definition = cursor.peek_at(1).is_some_and(|next| next.text(text) == "=");
        match cursor.kind() {
            Some(Kind::Local) if is_definition => {
                let name = cursor.sigil_name(Kind::Local, "a type name")?;
                cursor.expect("=")?;
                cursor.expect("type")?;
                let ty = cursor.ty(0)?;
                self.types.insert(name, ty);
            }
            Some(Kind::Global) if is_definition => self.global(cursor)?,
            Some(Kind::Word) if word == "declare" => {
                let signature = signature(cursor)?;
                let Signature { name, linkage, ret, params, at, .. } = signature;
                let declaration =
                    Declaration { linkage, ret, params: params.types, variadic: params.variadic, at };
                self.declared.insert(name, declaration);
            }
            Some(Kind::Word) if word == "target" => {
                if cursor.peek_at(1).is_some_and(|next| next.text(text) == "datalayout")
                    && let Some(layout) = cursor.peek_at(3)
                {
                    self.data_layout = name_of(layout.text(text));
                }
            }
            Some(Kind::Word)
                if matches!(
                    word,
                    "source_filename" | "attributes" | "module" | "uselistorder" | "uselistorder_bb"
                ) => {}
            _ => return Err(cursor.malformed("expected a definition of a module")),
        }
        Ok(end)
    }

    /// `!12 = …`; named nodes are not kept.
    fn metadata_node(&mut self, part: super::Range) -> Parsed<()> {
        let tokens: smallvec::SmallVec<[_; 2]> = Lexer::new(self.text, part.clone()).take(2).collect();
        let cursor = Cursor::new(self.text, &tokens, 0..2);
        match &tokens[..] {
            [first, second] if first.kind == Kind::Meta && second.text(self.text) == "=" => {
                if let Some(number) = cursor.meta_reference() {
                    self.metadata.insert(number, second.end as usize..part.end);
                }
                Ok(())
            }
            _ => Err(cursor.malformed("expected a definition of a module")),
        }
    }

    /// `@x = … global T init, …`, `@x = … alias T, ptr @y`.
    fn global(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let name = cursor.sigil_name(Kind::Global, "a global name")?;
        cursor.expect("=")?;
        let (mut linkage, mut declared, mut thread_local) = (Linkage::External, false, false);
        let kind = loop {
            match cursor.word() {
                word @ ("global" | "constant" | "alias" | "ifunc") => break word,
                "comdat" => return Ok(()), // `$x = comdat any`
                word => {
                    linkage = linkage_of(word).unwrap_or(linkage);
                    declared |= matches!(word, "external" | "extern_weak");
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
            // A constant expression has no type before it.
            let target_ty = if starts_constant(cursor.word()) { Type::Ptr } else { cursor.ty(0)? };
            let target = cursor.constant(&target_ty, 0)?;
            let target = if kind == "ifunc" { Constant::Unknown("ifunc".into()) } else { target };
            self.aliases.insert(name.clone(), target);
            self.alias_linkage.insert(name, linkage);
            return Ok(());
        }
        let init = if declared { None } else { Some(cursor.constant(&ty, 0)?) };
        let (mut align, mut section, mut debug) = (None, None, None);
        while cursor.peek().is_some() {
            match cursor.word() {
                "align" => {
                    cursor.at += 1;
                    align = Some(cursor.unsigned()?);
                }
                "section" => {
                    cursor.at += 1;
                    section = Some(name_of(cursor.word()).into());
                    cursor.at += 1;
                }
                "!dbg" => {
                    cursor.at += 1;
                    debug = cursor.meta_reference();
                }
                _ => cursor.at += 1,
            }
        }
        let constant = kind == "constant";
        let global =
            Global { name: name.clone(), ty, init, linkage, constant, thread_local, align, section, debug };
        let id = self.globals.push(global);
        self.global_names.insert(name, id);
        Ok(())
    }

    /// A function with a body, which starts at a byte; returns the byte after it.
    fn definition(&mut self, start: usize) -> Parsed<usize> {
        let (tokens, open) = function_head(self.text, start);
        let cursor = &mut Cursor::new(self.text, &tokens, 0..tokens.len());
        let Signature { name, linkage, ret, params, at } = signature(cursor)?;
        let mut debug = None;
        while cursor.peek().is_some() {
            if cursor.word() == "!dbg" {
                cursor.at += 1;
                debug = cursor.meta_reference();
            }
            cursor.at += 1;
        }
        let Some(open) = open else { return Err(cursor.malformed("expected the body of the function")) };
        let Some(close) = closing_brace(self.text.as_bytes(), open) else {
            return Err(cursor.malformed("expected `}`"));
        };
        let Parameters { types: params, byval, variadic, names: param_names } = params;
        let head = FunctionHead {
            name: name.clone(),
            linkage,
            ret,
            params,
            byval,
            variadic,
            param_names,
            body: open + 1..close,
            debug,
            at,
        };
        let id = self.functions.push(head);
        self.function_names.insert(name, id);
        Ok(close + 1)
    }

    /// Whether the name is a function, of this module or another.
    pub fn is_function(&self, name: &str) -> bool {
        self.function_names.contains_key(name) || self.declared.contains_key(name)
    }
}

/// The common part of `define` and `declare`.
struct Signature {
    name: Arc<str>,
    linkage: Linkage,
    ret: Type,
    params: Parameters,
    at: (u32, u32),
}

/// From `define` or `declare` to the end of the parameters.
fn signature(cursor: &mut Cursor<'_>) -> Parsed<Signature> {
    let first = cursor.here();
    cursor.at += 1;
    let mut linkage = Linkage::External;
    // Linkage, visibility, calling convention and attributes precede the type.
    let ret = loop {
        let mut probe = cursor.clone();
        if let Ok(ty) = probe.ty_without_parameters(0) {
            if probe.kind() == Some(Kind::Global) {
                cursor.at = probe.at;
                break ty;
            }
            if probe.word() == "(" {
                // A pointer to a function, in the syntax with typed pointers.
                probe.skip_group();
                if !probe.eat("*") {
                    return Err(cursor.malformed("expected what the function returns"));
                }
                while probe.eat("*") {}
                cursor.at = probe.at;
                break Type::Ptr;
            }
        }
        linkage = linkage_of(cursor.word()).unwrap_or(linkage);
        match cursor.kind() {
            Some(Kind::Word | Kind::Number | Kind::Meta | Kind::Str) => cursor.at += 1,
            Some(Kind::Punct) if cursor.word() == "(" => cursor.skip_group(),
            Some(Kind::Punct) if cursor.word() == "=" => cursor.at += 1,
            _ => return Err(cursor.malformed("expected what the function returns")),
        }
    };
    let name = cursor.sigil_name(Kind::Global, "the name of the function")?;
    cursor.expect("(")?;
    let params = parameters(cursor)?;
    let at = (first.0, cursor.here().0.max(first.1));
    Ok(Signature { name, linkage, ret, params, at })
}

fn linkage_of(word: &str) -> Option<Linkage> {
    Some(match word {
        "private" | "internal" => Linkage::Internal,
        "weak" | "weak_odr" | "linkonce" | "linkonce_odr" | "common" => Linkage::Weak,
        "extern_weak" => Linkage::ExternWeak,
        "available_externally" => Linkage::AvailableExternally,
        "appending" => Linkage::Appending,
        "external" => Linkage::External,
        _ => return None,
    })
}

/// The parameters of a function. A variadic function has fewer than its calls have arguments.
#[derive(Default)]
struct Parameters {
    types: Vec<Type>,
    byval: Vec<Option<Type>>,
    names: Vec<Arc<str>>,
    variadic: bool,
}

/// The parameters up to the closing parenthesis.
fn parameters(cursor: &mut Cursor<'_>) -> Parsed<Parameters> {
    let mut params = Parameters::default();
    let mut unnamed = 0u32;
    while !cursor.eat(")") {
        if !params.types.is_empty() {
            cursor.expect(",")?;
        }
        if cursor.eat("...") {
            params.variadic = true;
            continue;
        }
        params.types.push(cursor.ty(0)?);
        let mut byval = None;
        loop {
            if cursor.word() == "byval" && cursor.peek_at(1).is_some_and(|t| t.text(cursor.text) == "(") {
                cursor.at += 2;
                byval = Some(cursor.ty(0)?);
                cursor.expect(")")?;
            } else if !skip_attribute(cursor) {
                break;
            }
        }
        params.byval.push(byval);
        if cursor.kind() == Some(Kind::Local) {
            params.names.push(cursor.sigil_name(Kind::Local, "a parameter")?);
        } else {
            params.names.push(unnamed.to_string().into());
            unnamed += 1;
        }
    }
    Ok(params)
}

/// Skips the attributes of a parameter or argument.
pub(super) fn skip_attributes(cursor: &mut Cursor<'_>) {
    while skip_attribute(cursor) {}
}

/// Skips one attribute, a word or string with its number, value or group in parentheses; `false` if there is none.
fn skip_attribute(cursor: &mut Cursor<'_>) -> bool {
    match cursor.kind() {
        Some(Kind::Word) if !starts_constant(cursor.word()) => {
            let aligns = cursor.eat("align");
            cursor.at += usize::from(!aligns);
            if cursor.word() == "(" {
                cursor.skip_group();
            } else if aligns && cursor.kind() == Some(Kind::Number) {
                cursor.at += 1;
            }
            true
        }
        Some(Kind::Str) => {
            cursor.at += 1;
            if cursor.eat("=") {
                cursor.at += 1;
            }
            true
        }
        _ => false,
    }
}
