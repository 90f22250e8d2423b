//! Tree to program.
//!
//! A process is a thread, a transition an edge whose step reads, tests and assigns in order. Global variables are
//! memory; variables of a process are registers, unless they are arrays or another process looks at them with `P->x`:
//! then they are direct variables, which no store buffer delays. So are channels that hold messages, and for each process
//! whose state another one tests (`P.s`) a copy of where it stands. Of `system sync` [`together`] makes one thread.

mod channels;
mod expressions;
mod names;
mod property;
mod steps;
mod together;

use fencewright_base::{Diagnostic, Int, SourceMap, Span};
use fencewright_ir::{Condition, Domain, Init, LocId, Program, ProgramBuilder, Property, ThreadBuilder};

use self::names::{Names, Storage, Symbol};
use super::ast::{Expr, Model, Process, Type};
use super::codes;
use super::condition::Resolver;

/// The most processes.
const MOST_PROCESSES: usize = 128;

/// The domain of a type.
pub(super) fn domain(ty: Type) -> Domain {
    match ty {
        Type::Byte => Domain::Machine { bits: 8, signed: false },
        Type::Int => Domain::Machine { bits: 16, signed: true },
    }
}

/// The program of a tree; what is wrong with it is added to `problems`. `None` if anything is.
pub(super) fn lower(sources: &SourceMap, model: &Model, problems: &mut Vec<Diagnostic>) -> Option<Program> {
    let system = model.system.as_ref()?;
    let file = sources.file(system.span.file);
    let stem = file.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let name = stem.strip_suffix(".dve").unwrap_or(stem);
    let mut builder = ProgramBuilder::new(name);
    let names = Names::new(model, &mut builder, problems)?;
    let mut lowering = Lowering { sources, model, names, builder, problems };
    let mut threads = Vec::new();
    if system.synchronous {
        threads.extend(lowering.together());
    } else {
        for (number, process) in model.behaving().enumerate() {
            threads.push(lowering.process(number, process));
        }
    }
    if let Some(property) = &system.property {
        lowering.property(property.span);
    }
    if lowering.problems.iter().any(|problem| problem.severity == fencewright_base::Severity::Error) {
        return None;
    }
    let Lowering { names, mut builder, problems, .. } = lowering;
    for thread in threads {
        builder.add_thread(thread);
    }
    for property in asserts(sources, model, &names, builder.program(), problems) {
        builder.property(property);
    }
    if let Some(process) = model.property()
        && let Some(property) = property::property(process, &names, builder.program(), problems)
    {
        builder.property(property);
    }
    if problems.iter().any(|problem| problem.severity == fencewright_base::Severity::Error) {
        return None;
    }
    match builder.finish() {
        Ok(program) => Some(program),
        Err(errors) => panic!("internal error: a model became a program that is not valid: {}", errors[0]),
    }
}

struct Lowering<'a> {
    sources: &'a SourceMap,
    model: &'a Model,
    names: Names<'a>,
    builder: ProgramBuilder,
    problems: &'a mut Vec<Diagnostic>,
}

impl<'a> Lowering<'a> {
    fn process(&mut self, number: usize, process: &'a Process) -> ThreadBuilder {
        let mut thread = ThreadBuilder::new(&process.name.text);
        for symbol in self.names.registers(number) {
            let Storage::Register(expected) = symbol.storage else { continue };
            let init = Init::Value(Int::from(symbol.init[0]));
            let reg = thread.register(&symbol.name, domain(symbol.ty), init);
            debug_assert_eq!(reg, expected);
        }
        // The entry of a new thread is location 0, which is the first state.
        let locations: Vec<LocId> = (0..process.states.len())
            .map(|i| if i == 0 { thread.entry() } else { thread.location() })
            .collect();
        for (state, &loc) in process.states.iter().zip(&locations) {
            thread.label(loc, &state.text);
        }
        if let Some(init) = &process.init
            && let Some(state) = self.state(process, init)
        {
            thread.start_at(locations[state]);
        }
        for commit in &process.commit {
            if let Some(state) = self.state(process, commit) {
                thread.commit(locations[state]);
            }
        }
        for accept in &process.accept {
            self.state(process, accept);
        }
        for transition in &process.transitions {
            let from = self.state(process, &transition.from);
            let to = self.state(process, &transition.to);
            if let (Some(from), Some(to)) = (from, to) {
                self.transition(number, process, transition, (from, to), &mut thread);
            }
        }
        thread
    }

    /// The number of a state of the process.
    fn state(&mut self, process: &Process, name: &super::ast::Name) -> Option<usize> {
        let found = process.states.iter().position(|state| state.text == name.text);
        if found.is_none() {
            let message = format!("process `{}` has no state `{}`", process.name.text, name.text);
            let known = process.states.iter().map(|state| format!("`{}`", state.text)).collect::<Vec<_>>();
            self.problems.push(
                Diagnostic::error(&codes::UNKNOWN, name.span, message)
                    .help(format!("its states are {}", known.join(", "))),
            );
        }
        found
    }

    fn property(&mut self, span: Span) {
        if self.model.property().is_none() {
            let name = self.sources.text(span);
            let message = format!("there is no process `{name}`");
            self.problems.push(
                Diagnostic::error(&codes::UNKNOWN, span, message)
                    .help("name the process that is the property, or leave `property` out"),
            );
        }
    }
}

/// `assert s: e` says that whenever the process is at `s`, `e` holds.
fn asserts(
    sources: &SourceMap,
    model: &Model,
    names: &Names<'_>,
    program: &Program,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let mut properties = Vec::new();
    for (number, process) in model.behaving().enumerate() {
        let constant = |expr: &Expr| names.fold(expr, Some(number));
        for (state, expr) in &process.asserts {
            let text = format!("{}.{}: {}", process.name.text, state.text, one_line(sources.text(expr.span)));
            let scope = Some(process.name.text.as_str());
            let mut resolver = Resolver { program, scope, constant: &constant, problems };
            let at = resolver.at(&process.name, state);
            let holds = resolver.expr(expr);
            if let (Some(at), Some(holds)) = (at, holds) {
                let expr = at.not().or(holds);
                properties.push(Property::Invariant(Condition { expr, text, span: Some(state.span) }));
            }
        }
    }
    properties
}

/// The text with its white space made single spaces.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The symbol's element by a constant index, or the complaint that there is none.
fn outside(symbol: &Symbol, index: i64, span: Span) -> Diagnostic {
    let size = symbol.init.len();
    let message = format!("`{}` has {size} elements; there is no element {index}", symbol.name);
    Diagnostic::error(&codes::SIZE, span, message).help(format!("use an index from 0 to {}", size - 1))
}
