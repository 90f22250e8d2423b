//! Conditions on whole states, in the syntax of this language, for any program: `x == 1 && !(P.CS && Q.CS)`.
//!
//! A name is a variable of the program, `a[i]` an element, `P.l` whether thread P stands at a location with label `l`, and
//! `P->r` a register of thread P. An index outside its array gives the condition no value, so it does not hold.

use fencewright_base::{Diagnostic, FileId, Severity, SourceMap};
use fencewright_ir::{
    BinaryOp, CellId, Condition, Expr, Program, RegId, StateAtom, ThreadId, UnaryOp, VarId,
};

use super::ast::{self, ExprKind, Name, Unary};
use super::{codes, lexer, parser};

/// The condition that the file's text says about the program.
pub fn parse_condition(
    sources: &SourceMap,
    file: FileId,
    program: &Program,
) -> Result<Condition, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let text = sources.file(file).text();
    let tokens = lexer::lex(file, text, &mut problems);
    let tree = parser::parse_expression(text, &tokens, &mut problems);
    let expr = tree.and_then(|tree| {
        let mut resolver = Resolver { program, scope: None, constant: &|_| None, problems: &mut problems };
        Some((resolver.expr(&tree)?, tree.span))
    });
    match expr {
        Some((expr, span)) if !problems.iter().any(|problem| problem.severity == Severity::Error) => {
            Ok(Condition { expr, text: super::lower::one_line(sources.text(span)), span: Some(span) })
        }
        _ => Err(problems),
    }
}

/// Whether a process of a model in lock step is at the state: the one thread of such a model has labels `P.s`.
pub(crate) fn at_together(program: &Program, process: &str, state: &str) -> Option<Expr<StateAtom>> {
    let label = format!("{process}.{state}");
    let threads = program.threads.iter_enumerated();
    let at = threads.flat_map(|(id, thread)| {
        let locations = thread.locations.iter_enumerated();
        let named = locations.filter(|(_, location)| location.labels.contains(&label));
        named.map(move |(loc, _)| Expr::Atom(StateAtom::At(id, loc))).collect::<Vec<_>>()
    });
    at.reduce(Expr::or)
}

type StateExpr = Expr<StateAtom>;

/// Gives names of a program their meaning.
pub(super) struct Resolver<'a> {
    pub(super) program: &'a Program,
    /// The thread whose own names come first.
    pub(super) scope: Option<&'a str>,
    /// The value of a name that is a constant of the model: the program does not have those.
    pub(super) constant: &'a dyn Fn(&ast::Expr) -> Option<i64>,
    pub(super) problems: &'a mut Vec<Diagnostic>,
}

/// What a name stands for.
enum Meaning {
    Register(ThreadId, RegId),
    Variable(VarId),
}

impl Resolver<'_> {
    fn unknown<T>(&mut self, name: &Name, message: String, help: String) -> Option<T> {
        self.problems.push(Diagnostic::error(&codes::UNKNOWN, name.span, message).help(help));
        None
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Option<StateExpr> {
        match &expr.kind {
            ExprKind::Number(value) => Some(Expr::constant(*value)),
            ExprKind::Variable(name) => {
                if let Some(value) = (self.constant)(expr) {
                    return Some(Expr::constant(value));
                }
                let meaning = self.variable(self.scope.map(str::to_owned).as_deref(), name)?;
                self.value(&meaning, None, name)
            }
            ExprKind::Element(name, index) => {
                let meaning = self.variable(self.scope.map(str::to_owned).as_deref(), name)?;
                let index = self.expr(index)?;
                self.value(&meaning, Some(index), name)
            }
            ExprKind::At(thread, label) => self.at(thread, label),
            ExprKind::Foreign(thread, name, index) => {
                if self.by_name(&format!("{}.{}", thread.text, name.text)).is_none() {
                    self.thread(thread)?;
                }
                let Some(meaning) = self.own(&thread.text, &name.text) else {
                    let message = format!("`{}` has no variable `{}`", thread.text, name.text);
                    return self.unknown(name, message, "name one of its registers or variables".to_owned());
                };
                let index = match index {
                    None => None,
                    Some(index) => Some(self.expr(index)?),
                };
                self.value(&meaning, index, name)
            }
            ExprKind::Unary(op, operand) => {
                let operand = Box::new(self.expr(operand)?);
                let op = match op {
                    Unary::Neg => UnaryOp::Neg,
                    Unary::Not => UnaryOp::Not,
                    Unary::BitNot => UnaryOp::BitNot,
                };
                Some(Expr::Unary(op, operand))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                let Some(op) = op.in_programs() else { return Some(left.not().or(right)) };
                Some(left.binary(op, right))
            }
        }
    }

    fn thread(&mut self, name: &Name) -> Option<ThreadId> {
        let mut threads = self.program.threads.iter_enumerated();
        let found = threads.find(|(_, thread)| thread.name == name.text).map(|(id, _)| id);
        if found.is_none() {
            let known: Vec<&str> = self.program.threads.iter().map(|thread| thread.name.as_str()).collect();
            let message = format!("there is no thread `{}`", name.text);
            return self.unknown(name, message, format!("the threads are {}", known.join(", ")));
        }
        found
    }

    /// 1 if the thread stands at a location with the label.
    pub(super) fn at(&mut self, thread: &Name, label: &Name) -> Option<StateExpr> {
        if let Some(at) = crate::dve::at_together(self.program, &thread.text, &label.text) {
            return Some(at);
        }
        let id = self.thread(thread)?;
        let locations = self.program.threads[id].locations.iter_enumerated();
        let named = locations.filter(|(_, location)| location.labels.contains(&label.text));
        let at = |loc| Expr::Atom(StateAtom::At(id, loc));
        let found = named.map(|(loc, _)| at(loc)).reduce(Expr::or);
        if found.is_none() {
            let message = format!("`{}` has no state `{}`", thread.text, label.text);
            return self.unknown(label, message, "name one of its states or labels".to_owned());
        }
        found
    }

    /// A register of the thread, or a variable that belongs to it.
    fn own(&self, thread: &str, name: &str) -> Option<Meaning> {
        if let Some((id, automaton)) = self.program.threads.iter_enumerated().find(|(_, t)| t.name == thread)
        {
            let mut regs = automaton.regs.iter_enumerated();
            if let Some((reg, _)) = regs.find(|(_, reg)| reg.name == name && !reg.scratch) {
                return Some(Meaning::Register(id, reg));
            }
        }
        self.by_name(&format!("{thread}.{name}")).map(Meaning::Variable)
    }

    fn by_name(&self, name: &str) -> Option<VarId> {
        self.program.vars.iter_enumerated().find(|(_, var)| var.name == name).map(|(id, _)| id)
    }

    fn variable(&mut self, scope: Option<&str>, name: &Name) -> Option<Meaning> {
        let own = scope.and_then(|scope| self.own(scope, &name.text));
        let found = own.or_else(|| self.by_name(&name.text).map(Meaning::Variable));
        if found.is_none() {
            let message = format!("there is no variable `{}`", name.text);
            let help = "a register is written `thread->register`, a location `thread.label`".to_owned();
            return self.unknown(name, message, help);
        }
        found
    }

    fn value(&mut self, meaning: &Meaning, index: Option<StateExpr>, name: &Name) -> Option<StateExpr> {
        let var = match *meaning {
            Meaning::Register(thread, reg) if index.is_none() => {
                return Some(Expr::Atom(StateAtom::Register(thread, reg)));
            }
            Meaning::Register(..) => None,
            Meaning::Variable(var) => Some(&self.program.vars[var]),
        };
        let is_array = var.is_some_and(|var| var.is_array);
        let Some(var) = var.filter(|_| is_array == index.is_some()) else {
            let (message, help) = match is_array {
                true => (format!("`{}` is an array", name.text), "say which element"),
                false => (format!("`{}` is no array", name.text), "leave the index out"),
            };
            self.problems.push(Diagnostic::error(&codes::SHAPE, name.span, message).help(help));
            return None;
        };
        let cell = |i: usize| Expr::Atom(StateAtom::Cell(CellId(var.first_cell.0 + i as u32)));
        let Some(index) = index else { return Some(cell(0)) };
        if let Expr::Const(value) = &index
            && let Some(i) = value.to_i64().and_then(|i| usize::try_from(i).ok())
            && i < var.init.len()
        {
            return Some(cell(i));
        }
        // Outside there is no value.
        let nothing = Expr::constant(0).binary(BinaryOp::Div, Expr::constant(0));
        let pick = |rest: StateExpr, i: usize| {
            let here = index.clone().eq(Expr::constant(i as i64));
            Expr::Choose(Box::new(here), Box::new(cell(i)), Box::new(rest))
        };
        Some((0..var.init.len()).rev().fold(nothing, pick))
    }
}
