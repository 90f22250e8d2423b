//! The initial state `{ … }`: entries `x=1`, `[x]=1`, `0:EAX=1`, `P0:EAX=1`, `0:RBX=x`, each with a type before it or
//! without, separated by `;`. An entry without a value gives 0.

use fencewright_base::{Diagnostic, Span};

use super::ast::*;
use super::lexer::TokenKind;
use super::parser::Parser;
use super::registers::{self, Family, Meaning, Register};
use super::{codes, instructions};

/// The entries; the parser stands at the `{` and is left behind the `}`. Nothing if there is no `}`.
pub(super) fn entries(parser: &mut Parser<'_>) -> Option<Vec<InitEntry>> {
    let open = parser.here();
    parser.take("{");
    let mut entries = Vec::new();
    loop {
        if parser.take("}") {
            return Some(entries);
        }
        if matches!(parser.peek(), TokenKind::End) {
            let error = Diagnostic::error(&codes::INIT, parser.here(), "the initial state is not closed")
                .label("expected `}`")
                .also(open, "it begins here");
            parser.report(error);
            return None;
        }
        if parser.take(";") {
            continue;
        }
        match entry(parser) {
            Ok(entry) => entries.push(entry),
            Err(diagnostic) => {
                parser.report(diagnostic);
                skip(parser);
            }
        }
        if !(parser.is(";") || parser.is("}") || matches!(parser.peek(), TokenKind::End)) {
            let error = bad(parser.here(), "this entry does not end").label("expected `;` or `}`");
            parser.report(error);
            skip(parser);
        }
    }
}

/// Leaves a broken entry, past any braces inside it.
fn skip(parser: &mut Parser<'_>) {
    let mut depth = 0usize;
    loop {
        match parser.peek() {
            TokenKind::End => return,
            TokenKind::Sign(";") if depth == 0 => return,
            TokenKind::Sign("{") => depth += 1,
            TokenKind::Sign("}") if depth == 0 => return,
            TokenKind::Sign("}") => depth -= 1,
            _ => {}
        }
        parser.advance();
    }
}

fn bad(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(&codes::INIT, span, message)
}

fn entry(parser: &mut Parser<'_>) -> Result<InitEntry, Diagnostic> {
    let ty = ty(parser)?;
    while parser.take("*") {}
    let place = place(parser)?;
    if parser.is("[") {
        return Err(Diagnostic::error(&codes::UNSUPPORTED, parser.here(), "arrays are not supported")
            .label("expected `=` or `;`")
            .help("use one location for each element"));
    }
    let value = if parser.take("=") { Some(value(parser)?) } else { None };
    Ok(InitEntry { place, ty, value })
}

/// The words of a type: names that another name or a place follows.
fn ty(parser: &mut Parser<'_>) -> Result<Option<Type>, Diagnostic> {
    let start = parser.here();
    let mut words = Vec::new();
    while let TokenKind::Name(word) = parser.peek() {
        let is_type = match parser.peek_at(1) {
            TokenKind::Name(_) | TokenKind::Sign("*") | TokenKind::Percent(_) => true,
            TokenKind::Number(_) => matches!(parser.peek_at(2), TokenKind::Sign(":")),
            // `int [x]` is a type and a location, `x[2]` an array.
            TokenKind::Sign("[") => {
                matches!(parser.peek_at(2), TokenKind::Name(_))
                    && matches!(parser.peek_at(3), TokenKind::Sign("]"))
            }
            _ => false,
        };
        if !is_type {
            break;
        }
        words.push(word.to_ascii_lowercase());
        parser.advance();
    }
    if parser.is("*") {
        // Pointers are as wide as registers, and what they hold is checked elsewhere.
        return Ok(None);
    }
    let span = start.to(parser.before());
    words.retain(|word| !matches!(word.as_str(), "_atomic" | "volatile" | "const"));
    if words.is_empty() {
        return Ok(None);
    }
    let text = words.join(" ");
    match c_type(&text) {
        Some(ty) => Ok(Some(ty)),
        None => Err(bad(span, &format!("unknown type `{text}`"))
            .label("expected an integer type such as `int` or `uint64_t`")),
    }
}

/// The C integer type of that name; `long` and pointers have 64 bits.
fn c_type(text: &str) -> Option<Type> {
    let unsigned = text.strip_prefix("unsigned").map(str::trim_start);
    let signed = unsigned.is_none() && !text.starts_with("uint") && !text.starts_with("u_int");
    let base = unsigned.or_else(|| text.strip_prefix("signed ")).unwrap_or(text);
    let bits = match base {
        "char" | "int8_t" | "uint8_t" => 8,
        "short" | "short int" | "int16_t" | "uint16_t" => 16,
        "" | "int" | "int32_t" | "uint32_t" => 32,
        "long" | "long int" | "long long" | "long long int" | "int64_t" | "uint64_t" | "intptr_t"
        | "uintptr_t" => 64,
        _ => return None,
    };
    Some(Type { bits, signed })
}

/// A number or an address.
fn value(parser: &mut Parser<'_>) -> Result<InitValue, Diagnostic> {
    let span = parser.here();
    parser.take("&");
    let value = match parser.peek().clone() {
        TokenKind::Number(value) if !matches!(parser.peek_at(1), TokenKind::Sign(":")) => {
            InitValue::Number(value)
        }
        TokenKind::Name(name) => InitValue::Address(name),
        TokenKind::Sign("{") => {
            return Err(Diagnostic::error(&codes::UNSUPPORTED, span, "arrays are not supported")
                .label("expected a number")
                .help("use one location for each element"));
        }
        _ => return Err(bad(span, "this is no initial value").label("expected a number or a location")),
    };
    parser.advance();
    Ok(value)
}

/// `0:EAX`, `P0:EAX`, `x` or `[x]`.
pub(super) fn place(parser: &mut Parser<'_>) -> Result<Place, Diagnostic> {
    let span = parser.here();
    let thread = match (parser.peek(), parser.peek_at(1)) {
        (TokenKind::Number(number), TokenKind::Sign(":")) => {
            number.to_i64().and_then(|n| usize::try_from(n).ok())
        }
        (TokenKind::Name(name), TokenKind::Sign(":")) => {
            name.strip_prefix(['P', 'p']).and_then(|digits| digits.parse().ok())
        }
        _ => None,
    };
    if let Some(thread) = thread {
        parser.advance();
        parser.advance();
        let (register, name) = register(parser)?;
        return Ok(Place {
            kind: PlaceKind::Register { thread, register, name },
            span: span.to(parser.before()),
        });
    }
    let brackets = parser.take("[");
    let name = match parser.peek() {
        TokenKind::Name(name) => name.clone(),
        TokenKind::Number(number) if brackets => number.to_string(),
        _ => {
            return Err(Diagnostic::error(
                &codes::PLACE,
                parser.here(),
                "a register or a location is needed here",
            )
            .label("expected a place such as `0:EAX`, `x` or `[x]`"));
        }
    };
    parser.advance();
    if brackets && !parser.take("]") {
        return Err(Diagnostic::error(&codes::PLACE, parser.here(), "the bracket is not closed")
            .label("expected `]`"));
    }
    if parser.is(":") {
        return Err(Diagnostic::error(&codes::PLACE, span, format!("`{name}` is no thread"))
            .label("expected a thread such as `0` or `P0` before `:`"));
    }
    Ok(Place { kind: PlaceKind::Location(name), span: span.to(parser.before()) })
}

fn register(parser: &mut Parser<'_>) -> Result<(Register, String), Diagnostic> {
    let span = parser.here();
    let (name, symbolic) = match parser.peek() {
        TokenKind::Name(name) => (name.clone(), false),
        TokenKind::Percent(name) => (name.clone(), true),
        _ => {
            return Err(Diagnostic::error(&codes::PLACE, span, "a register is needed here")
                .label("expected a register such as `EAX`"));
        }
    };
    parser.advance();
    match registers::meaning(&name) {
        Meaning::Register(register) => Ok((register, name)),
        Meaning::Unsupported => Err(instructions::register_part(&name, span)),
        Meaning::Other if symbolic => {
            Ok((Register { family: Family::Symbolic(name.clone()), bits: None }, format!("%{name}")))
        }
        Meaning::Other => {
            Err(Diagnostic::error(&codes::REGISTER, span, format!("`{name}` is not a register"))
                .label("expected a register such as `EAX` or `rax`"))
        }
    }
}
