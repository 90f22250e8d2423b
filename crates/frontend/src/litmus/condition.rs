//! What stands behind the table: `locations [ … ]`, `filter …`, and the condition. `\/` binds least, then `/\`, then
//! `=>`, and `~` or `not` most, as in herd. After the condition a `;` and herd's `with` are taken and dropped.

use fencewright_base::{Diagnostic, Span};

use super::ast::*;
use super::codes;
use super::init::place;
use super::lexer::TokenKind;
use super::parser::Parser;

/// How deep parentheses and negations may be nested. Generated conditions reach a depth of 10 to 20; without a limit
/// the parser's own stack would be the limit.
const MAX_DEPTH: usize = 200;

/// What stands behind the table.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    pub(super) locations: Vec<Place>,
    pub(super) filter: Option<Proposition>,
    pub(super) condition: Option<(Quantifier, Proposition)>,
}

/// All of it, up to the end of the text. Nothing if there was an error, which has been reported.
pub(super) fn conditions(parser: &mut Parser<'_>) -> Option<Conditions> {
    let mut result = Conditions::default();
    if parser.is_word("locations") {
        parser.advance();
        result.locations = reported(locations(parser), parser)?;
    }
    if parser.is_word("filter") {
        parser.advance();
        result.filter = Some(reported(proposition(parser), parser)?);
    }
    let quantifier = reported(quantifier(parser), parser)?;
    if let Some(quantifier) = quantifier {
        result.condition = Some((quantifier, reported(proposition(parser), parser)?));
    }
    parser.take(";");
    if parser.is_word("with") {
        return Some(result);
    }
    if !matches!(parser.peek(), TokenKind::End) {
        let error = bad(parser.here(), "text behind the condition").label("expected the end of the test");
        parser.report(error.help("parts of a condition are joined by `/\\` and `\\/`"));
        return None;
    }
    Some(result)
}

fn reported<T>(result: Result<T, Diagnostic>, parser: &mut Parser<'_>) -> Option<T> {
    result.map_err(|diagnostic| parser.report(diagnostic)).ok()
}

fn bad(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(&codes::CONDITION, span, message)
}

/// `[x; 0:EAX; y int;]`; types have no meaning here.
fn locations(parser: &mut Parser<'_>) -> Result<Vec<Place>, Diagnostic> {
    if !parser.take("[") {
        return Err(bad(parser.here(), "`locations` needs a list").label("expected `[`"));
    }
    let mut places = Vec::new();
    while !parser.take("]") {
        if parser.take(";") {
            continue;
        }
        refuse_fault(parser)?;
        places.push(place(parser)?);
        refuse_array(parser)?;
        if matches!(parser.peek(), TokenKind::Name(_)) {
            parser.advance();
        }
        while parser.take("*") {}
        if !(parser.is(";") || parser.is("]")) {
            return Err(bad(parser.here(), "the list does not go on like this").label("expected `;` or `]`"));
        }
    }
    Ok(places)
}

fn refuse_fault(parser: &Parser<'_>) -> Result<(), Diagnostic> {
    if parser.is_word("fault") && matches!(parser.peek_at(1), TokenKind::Sign("(")) {
        return Err(Diagnostic::error(&codes::UNSUPPORTED, parser.here(), "faults are not supported"));
    }
    Ok(())
}

fn refuse_array(parser: &Parser<'_>) -> Result<(), Diagnostic> {
    if parser.is("[") {
        return Err(Diagnostic::error(&codes::UNSUPPORTED, parser.here(), "arrays are not supported"));
    }
    Ok(())
}

fn quantifier(parser: &mut Parser<'_>) -> Result<Option<Quantifier>, Diagnostic> {
    if matches!(parser.peek(), TokenKind::End) || parser.is(";") || parser.is_word("with") {
        return Ok(None);
    }
    if parser.is_word("observed") {
        return Err(Diagnostic::error(&codes::UNSUPPORTED, parser.here(), "`observed` is not supported")
            .help("write the outcomes as `exists (… \\/ …)`"));
    }
    if parser.is("(") {
        return Ok(Some(Quantifier::Exists));
    }
    let negated = parser.take("~");
    let quantifier = match negated {
        true if parser.is_word("exists") => Quantifier::NotExists,
        false if parser.is_word("exists") || parser.is_word("final") => Quantifier::Exists,
        false if parser.is_word("forall") => Quantifier::Forall,
        _ => {
            return Err(bad(parser.here(), "this is no condition").label(if negated {
                "expected `exists`"
            } else {
                "expected `exists`, `~exists` or `forall`"
            }));
        }
    };
    parser.advance();
    Ok(Some(quantifier))
}

fn proposition(parser: &mut Parser<'_>) -> Result<Proposition, Diagnostic> {
    let start = parser.here();
    let tree = any(parser, 0)?;
    Ok(Proposition { tree, span: start.to(parser.before()) })
}

fn any(parser: &mut Parser<'_>, depth: usize) -> Result<Tree, Diagnostic> {
    let mut parts = vec![all(parser, depth)?];
    while parser.take("\\/") {
        parts.push(all(parser, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Tree::Any(parts) })
}

fn all(parser: &mut Parser<'_>, depth: usize) -> Result<Tree, Diagnostic> {
    let mut parts = vec![implication(parser, depth)?];
    while parser.take("/\\") {
        parts.push(implication(parser, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Tree::All(parts) })
}

/// `a => b => c` is `a => (b => c)`: one of the premises fails, or the conclusion holds.
fn implication(parser: &mut Parser<'_>, depth: usize) -> Result<Tree, Diagnostic> {
    let mut last = unary(parser, depth)?;
    let mut parts = Vec::new();
    while parser.take("=>") {
        parts.push(Tree::Not(Box::new(last)));
        last = unary(parser, depth)?;
    }
    if parts.is_empty() {
        return Ok(last);
    }
    parts.push(last);
    Ok(Tree::Any(parts))
}

fn unary(parser: &mut Parser<'_>, depth: usize) -> Result<Tree, Diagnostic> {
    if depth > MAX_DEPTH {
        return Err(Diagnostic::error(&codes::DEPTH, parser.here(), "the condition is nested too deeply")
            .label(format!("more than {MAX_DEPTH} parentheses or negations are open here")));
    }
    let is_word = |word: &str| {
        parser.is_word(word) && !matches!(parser.peek_at(1), TokenKind::Sign("=" | "==" | "!=" | "<>"))
    };
    let (not, yes, no) = (is_word("not"), is_word("true"), is_word("false"));
    if not || parser.is("~") {
        parser.advance();
        return Ok(Tree::Not(Box::new(unary(parser, depth + 1)?)));
    }
    if yes || no {
        parser.advance();
        return Ok(Tree::Constant(yes));
    }
    if parser.take("(") {
        let tree = any(parser, depth + 1)?;
        if !parser.take(")") {
            return Err(
                bad(parser.here(), "a parenthesis is not closed").label("expected `)`, `/\\` or `\\/`")
            );
        }
        return Ok(tree);
    }
    atom(parser)
}

fn atom(parser: &mut Parser<'_>) -> Result<Tree, Diagnostic> {
    refuse_fault(parser)?;
    let left = place(parser)?;
    refuse_array(parser)?;
    let equal = parser.take("=") || parser.take("==");
    if !equal && !parser.take("!=") && !parser.take("<>") {
        return Err(bad(parser.here(), "nothing is said about this place").label("expected `=` or `!=`"));
    }
    let span = parser.here();
    let is_number = !matches!(parser.peek_at(1), TokenKind::Sign(":"));
    let tree = match parser.peek().clone() {
        TokenKind::Number(value) if is_number => {
            parser.advance();
            Tree::Number(left, value)
        }
        TokenKind::Sign("*") => {
            parser.advance();
            Tree::Same(left, place(parser)?)
        }
        TokenKind::Sign("{") => {
            return Err(Diagnostic::error(&codes::UNSUPPORTED, span, "arrays are not supported"));
        }
        TokenKind::Name(name) if is_number => {
            return Err(Diagnostic::error(
                &codes::ADDRESS,
                span,
                format!("the address of `{name}` as a value"),
            )
            .label("expected a number")
            .help(format!("write `[{name}]` for the value of that location")));
        }
        TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Sign("[") => Tree::Same(left, place(parser)?),
        _ => return Err(bad(span, "this is no value").label("expected a number")),
    };
    Ok(if equal { tree } else { Tree::Not(Box::new(tree)) })
}
