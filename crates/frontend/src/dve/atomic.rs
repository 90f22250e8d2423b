//! Atomic writes and barriers from beside the model, as in the DVE thesis (section 3.2): the language has none, so a file
//! says which writes go to memory at once and which transitions wait until everything is there.
//!
//! ```text
//! (x, P.2)        // the write to x of the second transition of process P
//! (*, P.3)        // all writes of the third
//! barrier Q.1     // the first transition of Q waits until nothing of Q is pending
//! ```
//!
//! Transitions are numbered in the order of the text, from 1. [`atomic_list`] writes such a file.

use std::collections::BTreeSet;

use fencewright_base::{Diagnostic, FileId, SourceMap, Span};
use fencewright_ir::{EdgeId, FenceKind, Lock, Op, Program, StatementId, Step, Thread, ThreadId};

use super::ast::Name;
use super::codes;
use super::lexer::{self, Kind, Token};

/// The program with the writes of the file atomic and its barriers in place; or what is wrong with the file.
pub fn apply_atomic(
    sources: &SourceMap,
    file: FileId,
    program: &Program,
) -> Result<Program, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let text = sources.file(file).text();
    let tokens = lexer::lex(file, text, &mut problems);
    let mut reader = Reader { text, tokens: &tokens, position: 0, program: program.clone(), problems };
    while reader.kind() != Kind::End {
        let line = sources.file(file).line_column(reader.token().span.start).line;
        if reader.line().is_none() {
            // One complaint a line.
            let later = |token: &Token| sources.file(file).line_column(token.span.start).line > line;
            let next = reader.tokens[reader.position..].iter().position(later);
            reader.position = next.map_or(reader.tokens.len() - 1, |next| reader.position + next);
        }
    }
    let Reader { mut program, problems, .. } = reader;
    if !problems.is_empty() {
        return Err(problems);
    }
    for edge in program.threads.iter_mut().flat_map(|thread| thread.edges.iter_mut()) {
        // A barrier stands before the guard: it was put behind the others while the file was read.
        edge.step.ops.sort_by_key(|op| !matches!(op, Op::Fence(_)));
    }
    Ok(program)
}

/// The list that makes the writes of these statements atomic.
pub fn atomic_list(program: &Program, statements: &BTreeSet<StatementId>) -> String {
    let mut list = String::new();
    for thread in &program.threads {
        for (number, edges) in transitions(thread).iter().enumerate() {
            let step = &thread.edges[edges[0]].step;
            if !statements.contains(&step.statement) {
                continue;
            }
            let mut names = written(program, step).into_iter();
            let what = match (names.next(), names.next()) {
                (None, _) => continue,
                (Some(name), None) => name,
                (Some(_), Some(_)) => "*",
            };
            list += &format!("({what}, {}.{})\n", thread.name, number + 1);
        }
    }
    list
}

/// The transitions of a process as the edges they have become: one for each way to send.
fn transitions(thread: &Thread) -> Vec<Vec<EdgeId>> {
    let mut transitions: Vec<(StatementId, Vec<EdgeId>)> = Vec::new();
    for (id, edge) in thread.edges.iter_enumerated() {
        match transitions.last_mut() {
            Some((statement, edges)) if *statement == edge.step.statement => edges.push(id),
            _ => transitions.push((edge.step.statement, vec![id])),
        }
    }
    transitions.into_iter().map(|(_, edges)| edges).collect()
}

/// The global variables that the step writes.
fn written<'p>(program: &'p Program, step: &Step) -> BTreeSet<&'p str> {
    let name = |op: &Op| match op {
        Op::Write { addr, .. } => {
            let var = &program.vars[program.variable_of(addr.first()).0];
            (!var.direct).then_some(var.name.as_str())
        }
        _ => None,
    };
    step.ops.iter().filter_map(name).collect()
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    position: usize,
    program: Program,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn complain<T>(&mut self, problem: Diagnostic) -> Option<T> {
        self.problems.push(problem);
        None
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Option<Token> {
        let token = self.token();
        if token.kind != kind {
            let problem = Diagnostic::error(&codes::SYNTAX, token.span, format!("expected {what}"))
                .help("write `(x, P.2)`, `(*, P.2)` or `barrier P.2`");
            return self.complain(problem);
        }
        if kind != Kind::End {
            self.position += 1;
        }
        Some(token)
    }

    fn name(&mut self, what: &str) -> Option<Name> {
        let token = self.expect(Kind::Name, what)?;
        let text = self.text[token.span.start as usize..token.span.end as usize].to_owned();
        Some(Name { text, span: token.span })
    }

    fn line(&mut self) -> Option<()> {
        if self.kind() != Kind::Open {
            let word = self.name("`(` or `barrier`")?;
            if word.text != "barrier" {
                let message = format!("`{}` means nothing here", word.text);
                return self.complain(
                    Diagnostic::error(&codes::SYNTAX, word.span, message)
                        .help("write `(x, P.2)`, `(*, P.2)` or `barrier P.2`"),
                );
            }
            let (thread, edges, _) = self.transition()?;
            for edge in edges {
                let ops = &mut self.program.threads[thread].edges[edge].step.ops;
                if !ops.contains(&Op::Fence(FenceKind::Full)) {
                    ops.push(Op::Fence(FenceKind::Full));
                }
            }
            return Some(());
        }
        self.expect(Kind::Open, "`(`")?;
        let variable = if self.kind() == Kind::Star {
            self.position += 1;
            None
        } else {
            Some(self.name("a variable or `*`")?)
        };
        self.expect(Kind::Comma, "`,`")?;
        let (thread, edges, span) = self.transition()?;
        self.expect(Kind::Close, "`)`")?;
        edges.into_iter().try_for_each(|edge| self.make_atomic(thread, edge, variable.as_ref(), span))
    }

    /// `P.3`: the thread, and the edges that the transition has become.
    fn transition(&mut self) -> Option<(ThreadId, Vec<EdgeId>, Span)> {
        let process = self.name("the name of a process")?;
        self.expect(Kind::Dot, "`.`")?;
        let token = self.expect(Kind::Number, "the number of a transition")?;
        let threads = self.program.threads.iter_enumerated();
        let found = threads.into_iter().find(|(_, thread)| thread.name == process.text);
        let Some((id, thread)) = found else {
            let message = format!("there is no process `{}`", process.text);
            return self.complain(
                Diagnostic::error(&codes::UNKNOWN, process.span, message).help("name a process of the model"),
            );
        };
        let mut transitions = transitions(thread);
        let count = transitions.len();
        let number: Option<usize> =
            self.text[token.span.start as usize..token.span.end as usize].parse().ok();
        match number.filter(|number| (1..=count).contains(number)) {
            Some(number) => Some((id, transitions.swap_remove(number - 1), process.span.to(token.span))),
            None => {
                let message = format!("process `{}` has {count} transitions", process.text);
                self.complain(
                    Diagnostic::error(&codes::UNKNOWN, token.span, message)
                        .help("they are numbered in the order of the text, from 1"),
                )
            }
        }
    }

    fn make_atomic(
        &mut self,
        thread: ThreadId,
        edge: EdgeId,
        variable: Option<&Name>,
        span: Span,
    ) -> Option<()> {
        let step = &self.program.threads[thread].edges[edge].step;
        let written = written(&self.program, step);
        let sync = step.sync().is_some();
        let complaint = match variable {
            _ if sync => {
                Some("this transition waits for another process; its writes cannot be atomic".to_owned())
            }
            _ if written.is_empty() => Some("this transition writes no global variable".to_owned()),
            Some(name) if !written.contains(name.text.as_str()) => {
                Some(format!("this transition does not write `{}`", name.text))
            }
            Some(name) if written.len() > 1 => Some(format!(
                "this transition writes more than `{}`: its writes are atomic together or not at all",
                name.text
            )),
            _ => None,
        };
        if let Some(message) = complaint {
            let help = match written.is_empty() || sync {
                true => "take the line out".to_owned(),
                false => "write `*` for all of them".to_owned(),
            };
            return self.complain(Diagnostic::error(&codes::UNKNOWN, span, message).help(help));
        }
        self.program.threads[thread].edges[edge].step.lock = Some(Lock::Location);
        Some(())
    }
}
