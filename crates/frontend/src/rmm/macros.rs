//! Macros on tokens: `macro name(p, …) … endmacro` defines, `name(a, …)` further down the file expands.
//!
//! *Contract:* the result holds no definition and no call. Arguments are balanced token sequences; they are expanded
//! before they replace parameters, and the body is looked through for calls after that, so a call may be put together
//! from a parameter and the parentheses behind it. A body may call macros that are defined below it, if they are
//! defined above the call that starts it all. Every token keeps the span of its own text; its frame tells how it got
//! where it is (see [`frames`](super::frames)).
//!
//! A call that cannot be expanded is reported and leaves one [`Kind::Bad`] token. Expansion that would not end or
//! would not fit is cut off at [`MAX_DEPTH`] and [`MAX_WORK`]: then there is no result.

use std::collections::BTreeMap;
use std::ops::Range;

use fencewright_base::{Diagnostic, Span};

use super::codes;
use super::frames::{FrameId, Frames, Place};
use super::lexer::{Kind, Token};

/// How deep calls may nest, in bodies and in arguments together.
const MAX_DEPTH: usize = 64;

/// How many tokens and calls expansion may produce in all. Costs some tens of megabytes when it is used up.
const MAX_WORK: usize = 1 << 19;

/// The tokens with all macros expanded; nothing if a limit was met.
pub(super) fn expand(
    text: &str,
    tokens: &[Token],
    frames: &mut Frames,
    problems: &mut Vec<Diagnostic>,
) -> Option<Vec<Token>> {
    let mut expander = Expander {
        text,
        tokens,
        frames,
        problems,
        macros: Vec::new(),
        by_name: BTreeMap::new(),
        everywhere: BTreeMap::new(),
        active: Vec::new(),
        depth: 0,
        work: 0,
    };
    for pair in tokens.windows(2) {
        if pair[0].kind == Kind::Macro && pair[1].kind == Kind::Name {
            expander.everywhere.entry(expander.text_of(pair[1])).or_insert(pair[1].place.span);
        }
    }
    let mut result = Vec::with_capacity(tokens.len());
    let mut rest = 0..tokens.len();
    while let Some(definition) =
        rest.clone().find(|&i| matches!(tokens[i].kind, Kind::Macro | Kind::EndMacro))
    {
        expander.expand(&tokens[rest.start..definition], &mut result).ok()?;
        rest.start = expander.definition(definition);
        if tokens[rest.start - 1].kind != Kind::EndMacro {
            // The macro had no end: what it has swallowed is missing from here on.
            result.push(Token { kind: Kind::Bad, ..tokens[definition] });
        }
    }
    expander.expand(&tokens[rest], &mut result).ok()?;
    Some(result)
}

struct Macro<'a> {
    name_span: Span,
    parameters: Vec<&'a str>,
    /// The body among the tokens of the file.
    body: Range<usize>,
}

struct Expander<'a> {
    text: &'a str,
    tokens: &'a [Token],
    frames: &'a mut Frames,
    problems: &'a mut Vec<Diagnostic>,
    macros: Vec<Macro<'a>>,
    /// The macros defined up to here.
    by_name: BTreeMap<&'a str, usize>,
    /// All macros of the file, for messages.
    everywhere: BTreeMap<&'a str, Span>,
    /// The macros whose bodies are being expanded.
    active: Vec<usize>,
    depth: usize,
    work: usize,
}

/// A limit was met; it has been reported.
struct Cut;

impl<'a> Expander<'a> {
    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.place.span.start as usize..token.place.span.end as usize]
    }

    fn report(&mut self, problem: Diagnostic, place: Place) {
        let problem = self.frames.explain(problem, place);
        self.problems.push(problem);
    }

    /// Takes the definition at `start`; gives the position behind it.
    fn definition(&mut self, start: usize) -> usize {
        let tokens = self.tokens;
        let keyword = tokens[start].place.span;
        let malformed =
            |at: Token, message: &str| Diagnostic::error(&codes::MACRO_SHAPE, at.place.span, message);
        if tokens[start].kind == Kind::EndMacro {
            let problem = malformed(tokens[start], "`endmacro` without `macro`");
            self.problems.push(problem.help("remove it, or begin the macro with `macro name(parameters)`"));
            return start + 1;
        }
        // Another definition or the end of the text: the `endmacro` is missing.
        let stop = (start + 1..tokens.len())
            .find(|&i| matches!(tokens[i].kind, Kind::Macro | Kind::EndMacro | Kind::End))
            .unwrap_or(tokens.len() - 1);
        let closed = tokens[stop].kind == Kind::EndMacro;
        let behind = if closed { stop + 1 } else { stop };
        if !closed {
            self.problems.push(
                Diagnostic::error(&codes::MACRO_SHAPE, keyword, "this macro has no `endmacro`")
                    .label("the macro begins here")
                    .also(tokens[stop].place.span, "expected `endmacro` before this")
                    .help("end every macro with `endmacro`; a macro cannot be defined inside another"),
            );
        }
        let shape = "a macro is defined as `macro name(p, q) … endmacro`";
        let name = tokens[start + 1];
        if name.kind != Kind::Name || tokens[start + 2..].first().map(|t| t.kind) != Some(Kind::OpenParen) {
            let at = if name.kind == Kind::Name { tokens[start + 2] } else { name };
            let wanted =
                if name.kind == Kind::Name { "expected `(`" } else { "expected the name of the macro" };
            self.problems.push(malformed(at, wanted).help(shape));
            return behind;
        }
        let mut parameters: Vec<&str> = Vec::new();
        let mut i = start + 3;
        while tokens[i].kind == Kind::Name {
            let parameter = self.text_of(tokens[i]);
            if parameters.contains(&parameter) {
                let message = format!("the parameter `{parameter}` stands here twice");
                self.problems.push(Diagnostic::error(&codes::DUPLICATE, tokens[i].place.span, message));
            }
            parameters.push(parameter);
            i += 1;
            if tokens[i].kind != Kind::Comma {
                break;
            }
            i += 1;
        }
        if tokens[i].kind != Kind::CloseParen || i >= stop {
            self.problems.push(malformed(tokens[i.min(stop)], "expected a parameter or `)`").help(shape));
            return behind;
        }
        let text = self.text_of(name);
        if let Some(&first) = self.by_name.get(text) {
            let first = &self.macros[first];
            self.problems.push(
                Diagnostic::error(
                    &codes::MACRO_TWICE,
                    name.place.span,
                    format!("the macro `{text}` is defined twice"),
                )
                .also(first.name_span, "first defined here")
                .help("rename one of them"),
            );
        } else {
            self.by_name.insert(text, self.macros.len());
            self.macros.push(Macro { name_span: name.place.span, parameters, body: i + 1..stop });
        }
        behind
    }

    /// Appends the tokens with all calls expanded.
    fn expand(&mut self, tokens: &[Token], result: &mut Vec<Token>) -> Result<(), Cut> {
        let mut i = 0;
        while i < tokens.len() {
            let is_call =
                tokens[i].kind == Kind::Name && tokens.get(i + 1).map(|t| t.kind) == Some(Kind::OpenParen);
            if is_call {
                i = self.call(tokens, i, result)?;
            } else {
                result.push(tokens[i]);
                i += 1;
            }
        }
        Ok(())
    }

    /// Expands the call at `start`; gives the position behind it.
    fn call(&mut self, tokens: &[Token], start: usize, result: &mut Vec<Token>) -> Result<usize, Cut> {
        let name = tokens[start];
        let text = self.text_of(name);
        let Some((arguments, behind)) = split_arguments(tokens, start + 1) else {
            let problem = Diagnostic::error(
                &codes::SYNTAX,
                tokens[start + 1].place.span,
                format!("the arguments of `{text}` have no end"),
            );
            self.report(problem.label("expected a matching `)`"), name.place);
            result.push(Token { kind: Kind::Bad, place: name.place });
            let goes_on = |token: &Token| token.kind.begins_section() || token.kind == Kind::End;
            let section = tokens[start..].iter().position(goes_on);
            return Ok(section.map_or(tokens.len(), |section| start + section));
        };
        let call = tokens[start..behind]
            .iter()
            .fold(name.place, |place, token| self.frames.join(place, token.place));
        self.work(1, call)?;
        match self.check_call(name, &arguments) {
            Ok(index) => {
                if self.depth == MAX_DEPTH {
                    return Err(self.cut(call, format!("macro calls nest deeper than {MAX_DEPTH}")));
                }
                self.depth += 1;
                let done = self.replace(tokens, call, index, &arguments, result);
                self.depth -= 1;
                done?;
            }
            Err(problem) => {
                self.report(*problem, name.place);
                result.push(Token { kind: Kind::Bad, place: call });
            }
        }
        Ok(behind)
    }

    fn check_call(&self, name: Token, arguments: &[Range<usize>]) -> Result<usize, Box<Diagnostic>> {
        let (text, span) = (self.text_of(name), name.place.span);
        let Some(&index) = self.by_name.get(text) else {
            let problem =
                Diagnostic::error(&codes::UNKNOWN_MACRO, span, format!("there is no macro `{text}` yet"));
            return Err(Box::new(match self.everywhere.get(text) {
                Some(&span) => {
                    problem.also(span, "defined only here").help("move the definition above the first use")
                }
                None => problem.help("a name and `(` is the call of a macro, which must be defined above"),
            }));
        };
        let definition = &self.macros[index];
        if self.active.contains(&index) {
            let message = format!("the macro `{text}` expands to itself");
            let problem = Diagnostic::error(&codes::MACRO_CYCLE, span, message)
                .also(definition.name_span, "defined here")
                .help("macros are replaced by their text; one that contains itself would never end");
            return Err(Box::new(problem));
        }
        // `f()` has no argument; a single empty one cannot be written.
        let n_arguments = if arguments.len() == 1 && arguments[0].is_empty() { 0 } else { arguments.len() };
        let n_parameters = definition.parameters.len();
        if n_arguments != n_parameters {
            let message = format!("the macro `{text}` takes {n_parameters} arguments, not {n_arguments}");
            let problem = Diagnostic::error(&codes::MACRO_ARGUMENTS, span, message)
                .also(definition.name_span, "defined here")
                .help("arguments are separated by commas; a comma inside brackets does not count");
            return Err(Box::new(problem));
        }
        Ok(index)
    }

    /// Appends the body of a macro with its parameters replaced and its calls expanded.
    fn replace(
        &mut self,
        tokens: &[Token],
        call: Place,
        index: usize,
        arguments: &[Range<usize>],
        result: &mut Vec<Token>,
    ) -> Result<(), Cut> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let mut value = Vec::new();
            self.expand(&tokens[argument.clone()], &mut value)?;
            values.push(value);
        }
        let frame = self.frames.body(call);
        let mut body = Vec::new();
        for i in self.macros[index].body.clone() {
            let place = Place { frame, ..self.tokens[i].place };
            let name = self.text_of(self.tokens[i]);
            let parameter = self.macros[index].parameters.iter().position(|&parameter| parameter == name);
            match parameter {
                Some(parameter) if self.tokens[i].kind == Kind::Name => {
                    self.work(values[parameter].len(), call)?;
                    let at = self.frames.argument(place);
                    self.put_argument(&values[parameter], call.frame, at, &mut body);
                }
                _ => body.push(Token { place, ..self.tokens[i] }),
            }
            self.work(1, call)?;
        }
        self.active.push(index);
        let done = self.expand(&body, result);
        self.active.pop();
        done
    }

    fn put_argument(&mut self, value: &[Token], from: FrameId, to: FrameId, body: &mut Vec<Token>) {
        let mut moved = BTreeMap::new();
        for token in value {
            let frame = self.frames.moved(token.place.frame, from, to, &mut moved);
            body.push(Token { place: Place { frame, ..token.place }, ..*token });
        }
    }

    fn work(&mut self, amount: usize, at: Place) -> Result<(), Cut> {
        self.work += amount;
        if self.work <= MAX_WORK {
            return Ok(());
        }
        Err(self.cut(at, format!("macros expand to more than {MAX_WORK} tokens")))
    }

    fn cut(&mut self, at: Place, message: String) -> Cut {
        let problem = Diagnostic::error(&codes::MACRO_SIZE, at.span, message)
            .label("the limit was met while this was expanded")
            .help("write part of the program without macros");
        self.report(problem, at);
        Cut
    }
}

/// The arguments of the call whose `(` is at `open`, and the position behind its `)`.
fn split_arguments(tokens: &[Token], open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let mut closing = vec![Kind::CloseParen];
    let mut arguments = Vec::new();
    let mut start = open + 1;
    for (i, token) in tokens.iter().enumerate().skip(open + 1) {
        match token.kind {
            Kind::OpenParen => closing.push(Kind::CloseParen),
            Kind::OpenBracket => closing.push(Kind::CloseBracket),
            Kind::OpenBrace => closing.push(Kind::CloseBrace),
            Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => {
                if closing.pop() != Some(token.kind) {
                    return None;
                }
                if closing.is_empty() {
                    arguments.push(start..i);
                    return Some((arguments, i + 1));
                }
            }
            Kind::Comma if closing.len() == 1 => {
                arguments.push(start..i);
                start = i + 1;
            }
            Kind::End => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use fencewright_base::FileId;

    use super::*;
    use crate::rmm::lexer::lex;

    /// The expanded text, and the codes of what is wrong.
    fn expanded(text: &str) -> (String, Vec<&'static str>) {
        let (mut frames, mut problems) = (Frames::new(), Vec::new());
        let tokens = lex(FileId(0), text, &mut problems);
        let tokens = expand(text, &tokens, &mut frames, &mut problems).unwrap_or_default();
        let shown = tokens.iter().filter(|token| token.kind != Kind::End).map(|token| match token.kind {
            Kind::Bad => "?",
            _ => &text[token.place.span.start as usize..token.place.span.end as usize],
        });
        (shown.collect::<Vec<_>>().join(" "), problems.iter().map(|problem| problem.code.name).collect())
    }

    #[test]
    fn calls_are_replaced() {
        for (text, result) in [
            ("macro f(a, b) a + b endmacro x f(1, (2, 3)) y", "x 1 + ( 2 , 3 ) y"),
            ("macro f() 1 endmacro f() f", "1 f"),
            ("macro f(a) a a endmacro f(f(f(1)))", "1 1 1 1 1 1 1 1"),
            ("macro g(x) f(x, 2) endmacro macro f(x, y) x y endmacro g(1)", "1 2"),
            ("macro f(g) g(1) endmacro macro h(x) x h endmacro f(h)", "1 h"),
            ("macro f(a, b) [b|a] endmacro", ""),
            ("macro f(a,b) a:b endmacro f({ x, y }, [p, q])", "{ x , y } : [ p , q ]"),
            ("macro f(a,b) <a b> endmacro f(,)", "< >"),
        ] {
            let problems = if text.contains('|') { vec!["E0101"] } else { vec![] };
            assert_eq!(expanded(text), (result.to_owned(), problems), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_expanded_is_said() {
        for (text, result, codes) in [
            ("f(1) x", "? x", vec!["E0111"]),
            ("f(1) macro f(a) a endmacro f(2)", "? 2", vec!["E0111"]),
            ("macro f(a) a endmacro f(1, 2) f()", "? ?", vec!["E0112", "E0112"]),
            ("macro f() 1 endmacro macro f() 2 endmacro f()", "1", vec!["E0113"]),
            ("macro f() g() endmacro macro g() f() endmacro g()", "?", vec!["E0114"]),
            ("macro f(a) a endmacro f((1) text x", "? text x", vec!["E0103"]),
            ("macro f(a) a", "?", vec!["E0110"]),
            ("macro f(a) macro g() 1 endmacro g()", "? 1", vec!["E0110"]),
            ("endmacro x", "x", vec!["E0110"]),
            ("macro (a) endmacro x", "x", vec!["E0110"]),
            ("macro f endmacro x", "x", vec!["E0110"]),
            ("macro f(a", "?", vec!["E0110", "E0110"]),
            ("macro f(1) endmacro x", "x", vec!["E0110"]),
            ("macro", "?", vec!["E0110", "E0110"]),
        ] {
            assert_eq!(expanded(text), (result.to_owned(), codes), "{text}");
        }
    }

    #[test]
    fn expansion_is_bounded() {
        // Doubling, with and without tokens; a chain; nested arguments.
        for unit in ["1", ""] {
            let mut text = format!("macro m0() {unit} endmacro ");
            for i in 1..60 {
                text += &format!("macro m{i}() m{}() m{}() endmacro ", i - 1, i - 1);
            }
            assert_eq!(expanded(&(text + "m59()")), (String::new(), vec!["E0115"]));
        }
        let mut chain = "macro m0() endmacro ".to_owned();
        for i in 1..10_000 {
            chain += &format!("macro m{i}() m{}() endmacro ", i - 1);
        }
        assert_eq!(expanded(&(chain + "m9999()")).1, ["E0115"]);
        let nested = format!("macro f(a) a endmacro {}{}", "f(".repeat(50_000), ")".repeat(50_000));
        assert_eq!(expanded(&nested).1, ["E0115"]);
    }
}
