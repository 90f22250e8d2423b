//! Tree to program: declares variables and threads, and turns `forbidden` into properties. The automaton of a thread
//! is built in [`statements`], what is atomic in [`locked`], names are looked up in [`names`].
//!
//! *Contract:*
//! - Global variables are the first cells, in order, so that a pointer is an index from cell 0. Then come the variables
//!   of the processes, `flag[p]` being the one of process p.
//! - Processes are numbered through the file, copies included, and are the threads `P0`, `P1`, ….
//! - There is one statement per piece of text, however many threads execute it: copies of a process and expansions of
//!   a macro share theirs. Its loop depth is the greatest over its edges (see [`loops`]).
//! - Nothing is built from a text with errors; each error is reported once, even if it is in many copies.

mod locked;
mod loops;
mod names;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Code, Diagnostic, FileId, Int, SourceMap, Span};
use fencewright_ir::{
    CellId, Domain, Forbidden, Init, LocationSet, Program, ProgramBuilder, Property, Statement, StatementId,
    ThreadBuilder,
};

use self::statements::Labels;
use super::ast::{self, Declaration, Name, Process};
use super::codes;
use super::frames::{Frames, Place};

/// How many processes a program may have.
const MAX_PROCESSES: usize = 128;

/// The program of a tree, or nothing if `problems` were found.
pub(super) fn lower(
    source: &SourceMap,
    file: FileId,
    tree: &ast::File,
    frames: &Frames,
    problems: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let mut lowering = Lowering {
        source,
        frames,
        builder: ProgramBuilder::new(program_name(source.file(file).name())),
        processes: Vec::new(),
        globals: BTreeMap::new(),
        pointee: Domain::Integers,
        locals: Vec::new(),
        statements: BTreeMap::new(),
        in_locked: BTreeSet::new(),
        problems: Vec::new(),
        reported: BTreeSet::new(),
    };
    lowering.file(tree);
    let Lowering { builder, problems: found, .. } = lowering;
    if !found.is_empty() {
        problems.extend(found);
        return None;
    }
    match builder.finish() {
        Ok(program) => Some(program),
        Err(errors) => {
            let message =
                format!("internal error: the program that was built is not well-formed: {}", errors[0]);
            problems.push(
                Diagnostic::error(&codes::INTERNAL, Span::new(file, 0, 0), message)
                    .help("please report this"),
            );
            None
        }
    }
}

/// The name of a file without folders and without its ending.
fn program_name(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".rmm").unwrap_or(name)
}

/// A shared variable.
struct Variable {
    cell: CellId,
    domain: Domain,
}

struct Lowering<'a> {
    source: &'a SourceMap,
    frames: &'a Frames,
    builder: ProgramBuilder,
    /// The text of every process, copies counted each.
    processes: Vec<&'a Process>,
    globals: BTreeMap<&'a str, Variable>,
    /// The smallest domain that holds those of all global variables: what a pointer can read.
    pointee: Domain,
    /// The variables of each process.
    locals: Vec<BTreeMap<&'a str, Variable>>,
    statements: BTreeMap<Span, StatementId>,
    /// Statements that stand in a `locked` block somewhere: no fence can be written beside them.
    in_locked: BTreeSet<Span>,
    problems: Vec<Diagnostic>,
    reported: BTreeSet<(&'static str, Span)>,
}

impl<'a> Lowering<'a> {
    fn file(&mut self, tree: &'a ast::File) {
        self.declared_once(&tree.globals);
        for process in &tree.processes {
            let copies = self.copies(process);
            self.processes.extend(std::iter::repeat_n(process, copies));
            self.declared_once(&process.data);
            self.declared_once(&process.registers);
        }
        if self.problems.iter().any(|problem| problem.code == &codes::COPIES) {
            return; // Whatever depends on the number of processes would be reported for no reason.
        }
        for declaration in &tree.globals {
            let variable = self.variable(declaration, declaration.name.text.clone());
            self.globals.insert(&declaration.name.text, variable);
        }
        if let Some(domain) =
            self.globals.values().map(|variable| variable.domain.clone()).reduce(names::hull)
        {
            self.pointee = domain;
        }
        for (number, process) in self.processes.clone().into_iter().enumerate() {
            let mut locals = BTreeMap::new();
            for declaration in &process.data {
                let variable = self.variable(declaration, format!("{}[{number}]", declaration.name.text));
                locals.insert(declaration.name.text.as_str(), variable);
            }
            self.locals.push(locals);
        }
        let mut labels = Vec::new();
        for (number, process) in self.processes.clone().into_iter().enumerate() {
            let (thread, thread_labels) = statements::thread(self, process, number);
            self.count_loops(&thread);
            self.builder.add_thread(thread);
            labels.push(thread_labels);
        }
        for span in &self.in_locked {
            if let Some(&id) = self.statements.get(span) {
                let statement = self.builder.statement_mut(id);
                (statement.fence_before, statement.fence_after) = (false, false);
            }
        }
        for alternative in &tree.forbidden {
            self.forbidden(alternative, &labels);
        }
    }

    /// A diagnostic at a place, with the way it got there through macros.
    fn problem(&self, code: &'static Code, place: Place, message: impl Into<String>) -> Diagnostic {
        self.frames.explain(Diagnostic::error(code, place.span, message), place)
    }

    /// Keeps a diagnostic, unless there is one of its kind at its place.
    fn report(&mut self, problem: Diagnostic) {
        if self.reported.insert((problem.code.name, problem.primary.span)) {
            self.problems.push(problem);
        }
    }

    fn copies(&mut self, process: &Process) -> usize {
        let (number, place) = match &process.copies {
            None => (1, process.keyword),
            Some((number, place)) => {
                (number.to_i64().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX), *place)
            }
        };
        if number == 0 {
            let problem = self.problem(&codes::COPIES, place, "`process(0)` makes no process");
            self.report(problem.help("remove the process, or give it at least one copy"));
        } else if number > MAX_PROCESSES - self.processes.len() {
            let problem = self.problem(&codes::COPIES, place, format!("more than {MAX_PROCESSES} processes"));
            self.report(problem.help("a model with fewer processes usually shows the same behaviour"));
            return 0;
        }
        number
    }

    fn declared_once(&mut self, declarations: &[Declaration]) {
        let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
        for Declaration { name, .. } in declarations {
            if let Some(first) = seen.insert(&name.text, name.place) {
                let problem =
                    self.problem(&codes::DUPLICATE, name.place, format!("`{}` is declared twice", name.text));
                self.report(
                    problem.also(first.span, "first declared here").help("rename or remove one of them"),
                );
            }
        }
    }

    fn variable(&mut self, declaration: &'a Declaration, name: String) -> Variable {
        let (domain, init) = self.domain(declaration);
        let cell = self.builder.scalar(name, domain.clone(), init, Some(declaration.place.span));
        Variable { cell, domain }
    }

    /// Domain and initial value of a declaration.
    fn domain(&mut self, declaration: &Declaration) -> (Domain, Init) {
        let domain = match &declaration.range {
            None => Domain::Integers,
            Some((low, high, _)) if low <= high => Domain::range(low.clone(), high.clone()),
            Some((low, high, place)) => {
                let problem =
                    self.problem(&codes::EMPTY_RANGE, *place, format!("the range {low} to {high} is empty"));
                self.report(problem.help(format!("write `[{high}:{low}]`")));
                Domain::Integers
            }
        };
        let init = match &declaration.init {
            None => Init::Any,
            Some(value) => {
                if let Domain::Range { lo, hi } = &domain
                    && !domain.contains(value)
                {
                    let message = format!(
                        "the initial value {value} of `{}` is not in [{lo}:{hi}]",
                        declaration.name.text
                    );
                    let problem = self.problem(&codes::INITIAL, declaration.init_place, message);
                    self.report(
                        problem.help("widen the domain, or write `*` to start with any of its values"),
                    );
                }
                Init::Value(value.clone())
            }
        };
        (domain, init)
    }

    /// The statement of a piece of text, made when it is first met.
    fn statement(
        &mut self,
        statement: &ast::Statement,
        fence_before: bool,
        fence_after: bool,
    ) -> StatementId {
        let fence_before = fence_before && statement.open_before;
        let fence_after = fence_after && statement.open_after;
        if let Some(&id) = self.statements.get(&statement.place.span) {
            let known = self.builder.statement_mut(id);
            known.fence_before &= fence_before;
            known.fence_after &= fence_after;
            return id;
        }
        let id = self.builder.add_statement(Statement {
            text: one_line(self.source.text(statement.head.span)),
            span: Some(statement.place.span),
            loop_depth: 0,
            fence_before,
            fence_after,
        });
        self.statements.insert(statement.place.span, id);
        id
    }

    fn count_loops(&mut self, thread: &ThreadBuilder) {
        let depths = loops::depths(thread.thread());
        for (edge, depth) in thread.thread().edges.iter().zip(depths) {
            let statement = self.builder.statement_mut(edge.step.statement);
            statement.loop_depth = statement.loop_depth.max(depth);
        }
    }

    fn forbidden(&mut self, alternative: &ast::Alternative, labels: &[Labels<'_>]) {
        let (n_labels, n_processes) = (alternative.labels.len(), labels.len());
        if n_labels != n_processes {
            let message = format!("`forbidden` names {n_labels} labels for {n_processes} processes");
            let problem = self.problem(&codes::FORBIDDEN_COUNT, alternative.place, message);
            self.report(
                problem
                    .label(format!("expected {n_processes} labels"))
                    .help("name one label per process, in their order; `*` stands for any place"),
            );
            return;
        }
        let mut at = Vec::new();
        for (number, label) in alternative.labels.iter().enumerate() {
            at.push(match label {
                None => LocationSet::Any,
                Some(label) => match labels[number].get(label.text.as_str()) {
                    Some(places) => {
                        LocationSet::OneOf(places.iter().map(|&(_, location)| location).collect())
                    }
                    None => {
                        self.forbidden_label(label, number, &labels[number]);
                        LocationSet::Any
                    }
                },
            });
        }
        self.builder.property(Property::Forbidden(Forbidden {
            at: at.into(),
            text: one_line(self.source.text(alternative.place.span)),
            span: Some(alternative.place.span),
        }));
    }

    fn forbidden_label(&mut self, label: &Name, number: usize, labels: &Labels<'_>) {
        let message = format!("process P{number} has no label `{}`", label.text);
        let mut problem = self.problem(&codes::FORBIDDEN_LABEL, label.place, message);
        problem = problem.also(self.processes[number].keyword.span, format!("P{number} is here"));
        let help = names::suggestion(&label.text, labels.keys().copied());
        self.report(
            problem.help(help.unwrap_or_else(|| "write it before the statement that is meant".to_owned())),
        );
    }

    /// The number of the k-th other process, seen from process `me`.
    fn other(&self, me: usize, k: &Int) -> Option<usize> {
        let k = usize::try_from(k.to_i64()?).ok()?;
        let number = if k < me { k } else { k.checked_add(1)? };
        (number < self.processes.len()).then_some(number)
    }
}

/// The text on one line: comments dropped, every run of white space one space.
fn one_line(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let comment_end = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else {
            rest.strip_prefix("/*").map(|inside| inside.find("*/").map_or(rest.len(), |end| end + 4))
        };
        match comment_end {
            Some(end) => {
                words.push(' ');
                rest = &rest[end..];
            }
            None => {
                words.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
