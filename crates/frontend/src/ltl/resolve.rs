//! A tree to a formula: names become parts of the program's state.

use fencewright_base::{Diagnostic, Index, Int, Span};
use fencewright_ir::{CellId, Expr, Formula, LocId, Program, StateAtom, ThreadId};

use super::codes;
use super::parser::{Binary, Node, Tree, Unary};

/// The formula that the tree says of the program.
pub(super) fn formula(tree: &Tree, program: &Program) -> Result<Formula, Vec<Diagnostic>> {
    let mut resolver = Resolver { program, errors: Vec::new() };
    let formula = resolver.formula(tree);
    if resolver.errors.is_empty() && formula.depth() > Formula::MAX_DEPTH {
        let message = "this formula is nested too deeply";
        resolver
            .errors
            .push(Diagnostic::error(&codes::DEPTH, tree.span, message).help("write a smaller formula"));
    }
    if resolver.errors.is_empty() { Ok(formula) } else { Err(resolver.errors) }
}

/// Operators of the largest formula that is taken.
const MAX_SIZE: usize = 5_000;

fn size(formula: &Formula) -> usize {
    match formula {
        Formula::Const(_) | Formula::Now(_) => 1,
        Formula::Not(a) | Formula::Next(a) => 1 + size(a),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
            1 + size(a) + size(b)
        }
    }
}

struct Resolver<'p> {
    program: &'p Program,
    errors: Vec<Diagnostic>,
}

type Value = Expr<StateAtom>;

impl Resolver<'_> {
    fn formula(&mut self, tree: &Tree) -> Formula {
        match &tree.node {
            Node::Constant(value) => Formula::Const(*value),
            Node::Unary(operator, a) => {
                let a = self.formula(a);
                match operator {
                    Unary::Not => a.not(),
                    Unary::Next => a.next(),
                    Unary::Finally => a.finally(),
                    Unary::Globally => a.globally(),
                }
            }
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.formula(a), self.formula(b));
                // Some operators are built from others and have an operand twice: a few dozen of them would be a formula
                // of any size.
                if size(&a) + size(&b) > MAX_SIZE {
                    let message = "this formula is too large once `<->`, `W` and `M` are written out";
                    let error = Diagnostic::error(&codes::DEPTH, tree.span, message);
                    self.errors.push(error.help("write a smaller formula"));
                    return Formula::Const(false);
                }
                match operator {
                    Binary::Equivalent => a.equivalent(b),
                    Binary::Implies => a.implies(b),
                    Binary::Or => a.or(b),
                    Binary::And => a.and(b),
                    Binary::Until => a.until(b),
                    Binary::Release => a.release(b),
                    Binary::WeakUntil => a.weak_until(b),
                    Binary::StrongRelease => a.strong_release(b),
                }
            }
            Node::Number(_)
            | Node::Variable { .. }
            | Node::Register { .. }
            | Node::Location { .. }
            | Node::Negative(_)
            | Node::Value(..) => Formula::Now(self.value(tree)),
        }
    }

    fn value(&mut self, tree: &Tree) -> Value {
        match &tree.node {
            Node::Constant(value) => Expr::constant(i64::from(*value)),
            Node::Number(number) => Expr::Const(number.clone()),
            Node::Negative(inner) => {
                let inner = self.value(inner);
                Expr::Unary(fencewright_ir::UnaryOp::Neg, Box::new(inner))
            }
            Node::Value(operator, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                a.binary(*operator, b)
            }
            Node::Variable { name, index } => self.variable(name, index.as_ref(), tree.span),
            Node::Register { thread, name } => self.register(thread, name, tree.span),
            Node::Location { thread, label } => self.location(thread, label, tree.span),
            Node::Unary(..) | Node::Binary(..) => {
                let message = "a formula cannot be compared or computed with";
                let error = Diagnostic::error(&codes::KIND, tree.span, message)
                    .label("this is true or false, not a number")
                    .help("put the comparison inside: `F (x == 1)`");
                self.errors.push(error);
                nothing()
            }
        }
    }

    fn unknown(&mut self, span: Span, message: String, known: impl Iterator<Item = String>) -> Value {
        let mut known: Vec<String> = known.collect();
        known.sort();
        known.dedup();
        let error = Diagnostic::error(&codes::NAME, span, message);
        self.errors.push(if known.is_empty() {
            error
        } else {
            error.help(format!("there are {}", some(&known)))
        });
        nothing()
    }

    fn variable(&mut self, name: &str, index: Option<&Int>, span: Span) -> Value {
        let program = self.program;
        // Some languages have variables whose names look like elements: RMM's own variables of the processes.
        let whole = index.map(|index| format!("{name}[{index}]"));
        if let Some(var) = program.vars.iter().find(|var| Some(&var.name) == whole.as_ref() && !var.is_array)
        {
            return Expr::Atom(StateAtom::Cell(var.first_cell));
        }
        let Some(var) = program.vars.iter().find(|var| var.name == name) else {
            let known = program.vars.iter().map(|var| format!("`{}`", var.name));
            return self.unknown(span, format!("there is no variable `{name}`"), known);
        };
        let offset = match (index, var.is_array) {
            (None, false) => Some(0),
            (Some(index), true) => {
                index.to_i64().and_then(|i| usize::try_from(i).ok()).filter(|i| *i < var.init.len())
            }
            (None, true) => {
                let known = (0..var.init.len()).map(|i| format!("`{name}[{i}]`"));
                return self.unknown(span, format!("`{name}` has several elements: say which"), known);
            }
            (Some(_), false) => {
                let message = format!("`{name}` is one variable, without elements");
                return self.unknown(span, message, std::iter::empty());
            }
        };
        match offset {
            Some(offset) => Expr::Atom(StateAtom::Cell(CellId(var.first_cell.0 + offset as u32))),
            None => {
                let message = format!("`{name}` has elements 0 to {}", var.init.len() - 1);
                self.unknown(span, message, std::iter::empty())
            }
        }
    }

    /// The thread of that name or number.
    fn thread(&mut self, name: &str, span: Span) -> Option<ThreadId> {
        let program = self.program;
        let by_name = program.threads.iter_enumerated().find(|(_, thread)| thread.name == name);
        let by_number = || name.parse().ok().filter(|number: &usize| *number < program.threads.len());
        let found = by_name.map(|(id, _)| id).or_else(|| by_number().map(ThreadId::new));
        if found.is_none() {
            let known = program.threads.iter().map(|thread| format!("`{}`", thread.name));
            self.unknown(span, format!("there is no thread `{name}`"), known);
        }
        found
    }

    fn register(&mut self, thread: &str, name: &str, span: Span) -> Value {
        let Some(id) = self.thread(thread, span) else { return nothing() };
        let registers = &self.program.threads[id].regs;
        match registers.iter_enumerated().find(|(_, reg)| reg.name == name) {
            Some((reg, _)) => Expr::Atom(StateAtom::Register(id, reg)),
            None => {
                let known = registers.iter().map(|reg| format!("`{thread}:{}`", reg.name));
                self.unknown(span, format!("thread `{thread}` has no register `{name}`"), known)
            }
        }
    }

    fn location(&mut self, thread: &str, label: &str, span: Span) -> Value {
        if let Some(at) = crate::dve::at_together(self.program, thread, label) {
            return at;
        }
        let Some(id) = self.thread(thread, span) else { return nothing() };
        let data = &self.program.threads[id];
        let labels = || data.locations.iter().flat_map(|location| &location.labels);
        let outgoing = data.outgoing();
        let here = |loc: &LocId| {
            if labels().any(|known| known == label) {
                data.locations[*loc].labels.iter().any(|known| known == label)
            } else {
                label == "end" && outgoing[*loc].is_empty()
            }
        };
        let at = |loc| Expr::Atom(StateAtom::At(id, loc));
        match data.locations.indices().filter(here).map(at).reduce(Expr::or) {
            Some(condition) => condition,
            None if label == "end" => Expr::constant(0),
            None => {
                let known = labels().map(|label| format!("`{thread}.{label}`"));
                let end = std::iter::once(format!("`{thread}.end`"));
                let known: Vec<String> = known.chain(end).collect();
                self.unknown(span, format!("thread `{thread}` has no label `{label}`"), known.into_iter())
            }
        }
    }
}

/// Stands for what could not be resolved; the errors keep it from being used.
fn nothing() -> Value {
    Expr::constant(0)
}

/// The first few of a list.
fn some(known: &[String]) -> String {
    const MOST: usize = 8;
    let shown = known.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if known.len() > MOST { format!("{shown} and {} more", known.len() - MOST) } else { shown }
}
