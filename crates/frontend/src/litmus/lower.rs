//! The tree of a test to a program: one variable for each location, in the order of their names, one thread for each
//! column, and the condition as a property of final states. Instructions are lowered in `thread`, widths and domains
//! are settled in `layout`.

use std::collections::BTreeSet;

use fencewright_base::{Diagnostic, Index, Int, SourceMap, Span};
use fencewright_ir::{
    BinaryOp, CellId, Condition, Expr, Init, Program, ProgramBuilder, Property, Quantifier as IrQuantifier,
    RegId, StateAtom, ThreadId,
};

use super::ast::*;
use super::layout::{Layout, for_each_place};
use super::lexer::collapse;
use super::registers::Register;
use super::thread;

/// The program. Nothing if an error was found, which has been reported.
pub(super) fn lower(sources: &SourceMap, test: &Test, diagnostics: &mut Vec<Diagnostic>) -> Option<Program> {
    let layout = Layout::of(test, diagnostics);
    thread::check_labels(test, diagnostics);
    if super::has_errors(diagnostics) {
        return None;
    }
    let mut builder = ProgramBuilder::new(test.name.clone());
    for (name, at) in &layout.locations {
        builder.scalar(name.clone(), at.domain(), Init::Value(at.init.clone()), at.span);
    }
    for (number, cells) in test.threads.iter().enumerate() {
        thread::lower(sources, &layout, number, cells, &mut builder);
    }
    let properties = Properties { sources, layout: &layout };
    builder.property(properties.last(test));
    let program = builder.finish();
    debug_assert!(program.is_ok(), "internal error: {program:?}");
    program.ok()
}

struct Properties<'a> {
    sources: &'a SourceMap,
    layout: &'a Layout,
}

impl Properties<'_> {
    fn last(&self, test: &Test) -> Property {
        let mut places: Vec<&Place> = test.locations.iter().collect();
        let filter = test.filter.as_ref();
        let mut observed: BTreeSet<(Option<usize>, String, StateAtom)> = BTreeSet::new();
        let mut observe = |place: &Place| {
            let key = match &place.kind {
                PlaceKind::Register { thread, register, .. } => {
                    (Some(*thread), self.layout.threads[*thread][&register.family].name.clone())
                }
                PlaceKind::Location(name) => (None, name.clone()),
            };
            observed.insert((key.0, key.1, self.atom(place).0));
        };
        places.drain(..).for_each(&mut observe);
        let (quantifier, condition) = match &test.condition {
            Some((quantifier, proposition)) => {
                for_each_place(&proposition.tree, &mut observe);
                (*quantifier, self.condition(proposition))
            }
            // As in herd: without a condition every outcome is right.
            None => (
                Quantifier::Forall,
                Condition { expr: Expr::constant(1), text: "true".to_owned(), span: None },
            ),
        };
        let quantifier = match quantifier {
            Quantifier::Exists => IrQuantifier::Exists,
            Quantifier::NotExists => IrQuantifier::NotExists,
            Quantifier::Forall => IrQuantifier::Forall,
        };
        // Registers come before locations.
        let (locations, registers): (Vec<_>, Vec<_>) =
            observed.into_iter().partition(|(thread, ..)| thread.is_none());
        let observed = registers.into_iter().chain(locations).map(|(_, _, atom)| atom).collect();
        Property::Final {
            quantifier,
            condition,
            filter: filter.map(|filter| self.condition(filter)),
            observed,
        }
    }

    fn condition(&self, proposition: &Proposition) -> Condition {
        let Proposition { tree, span } = proposition;
        Condition { expr: self.expr(tree), text: self.text(*span), span: Some(*span) }
    }

    fn text(&self, span: Span) -> String {
        collapse(self.sources.text(span))
    }

    fn expr(&self, tree: &Tree) -> Expr<StateAtom> {
        match tree {
            Tree::Constant(value) => Expr::constant(*value),
            Tree::Number(place, value) => {
                let (atom, bits, signed) = self.atom(place);
                Expr::Atom(atom).eq(Expr::Const(value.wrap(bits, signed)))
            }
            Tree::Same(left, right) => {
                let ((left, left_bits, _), (right, right_bits, _)) = (self.atom(left), self.atom(right));
                let bits = left_bits.min(right_bits);
                let wrap = |atom| Expr::Wrap { bits, signed: true, value: Box::new(Expr::Atom(atom)) };
                wrap(left).eq(wrap(right))
            }
            Tree::Not(tree) => self.expr(tree).not(),
            Tree::All(trees) => self.balanced(BinaryOp::And, trees),
            Tree::Any(trees) => self.balanced(BinaryOp::Or, trees),
        }
    }

    /// A tree of the operator whose depth is the logarithm of the number of operands, so that a condition of many
    /// thousand parts does not become a chain too deep to walk.
    fn balanced(&self, op: BinaryOp, trees: &[Tree]) -> Expr<StateAtom> {
        match trees {
            [] => Expr::Const(Int::from(op == BinaryOp::And)),
            [tree] => self.expr(tree),
            _ => {
                let (left, right) = trees.split_at(trees.len() / 2);
                self.balanced(op, left).binary(op, self.balanced(op, right))
            }
        }
    }

    /// The place in the program, its width and whether it is signed. The layout knows every place of the test.
    fn atom(&self, place: &Place) -> (StateAtom, u32, bool) {
        match &place.kind {
            PlaceKind::Register { thread, register: Register { family, .. }, .. } => {
                let registers = &self.layout.threads[*thread];
                let index = registers.keys().position(|known| known == family).unwrap_or(0);
                let at = &registers[family];
                (StateAtom::Register(ThreadId::new(*thread), RegId::new(index)), at.bits, at.is_signed())
            }
            PlaceKind::Location(name) => {
                let index = self.layout.locations.keys().position(|known| known == name).unwrap_or(0);
                let at = &self.layout.locations[name];
                (StateAtom::Cell(CellId::new(index)), at.bits, at.is_signed())
            }
        }
    }
}
