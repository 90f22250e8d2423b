//! The automaton of one thread.
//!
//! A statement runs from the location it starts at to the location behind it. Which location it starts at depends on
//! it alone if it is labelled (its own, so that jumps reach it and nothing else), or if it is a `goto` (the target:
//! jumps take no step). All others start where the statement before them put them.
//!
//! Where the start is given from outside, as for the alternatives of `either`, which all start at one location, a
//! statement with a location of its own is reached by an empty step. A labelled `goto` is such a statement, so
//! `L: goto L` is one empty step from L to L.

use std::collections::{BTreeMap, HashMap};

use fencewright_ir::{Domain, FenceKind, Init, LocId, Lock, Op, RegId, StatementId, Step, ThreadBuilder};

use super::{Lowering, names};
use crate::rmm::ast::{self, Process, Statement, StatementKey, StatementKind, Strength};
use crate::rmm::codes;

/// For every label of a thread the statements that carry it, and their locations.
pub(super) type Labels<'a> = BTreeMap<&'a str, Vec<(StatementKey, LocId)>>;

/// The thread of process `number`.
pub(super) fn thread<'a>(
    lowering: &mut Lowering<'a>,
    process: &'a Process,
    number: usize,
) -> (ThreadBuilder, Labels<'a>) {
    let thread = ThreadBuilder::new(format!("P{number}"));
    let mut this = ThreadLowering {
        lowering,
        number,
        thread,
        registers: BTreeMap::new(),
        hidden: HashMap::new(),
        labels: BTreeMap::new(),
        own: BTreeMap::new(),
        end: None,
    };
    for declaration in &process.registers {
        let (domain, init) = this.lowering.domain(declaration);
        let register = this.thread.register(&declaration.name.text, domain, init);
        this.registers.insert(&declaration.name.text, register);
    }
    let mut targets = BTreeMap::new();
    find_labels(&process.text, &mut targets);
    // The entry is the location of the first statement, if that has one of its own.
    let entry = this.thread.entry();
    if let Some(key) = this.own_key(&targets, first(&process.text)) {
        this.own.insert(key, entry);
    }
    for (label, statements) in &targets {
        let places = statements.iter().map(|&key| (key, this.own_location(key))).collect();
        this.labels.insert(label, places);
    }
    // In the order of the text.
    let mut written: Vec<(StatementKey, &str)> =
        targets.iter().flat_map(|(&label, keys)| keys.iter().map(move |&key| (key, label))).collect();
    written.sort();
    for (key, label) in written {
        let location = this.own_location(key);
        this.thread.label(location, label);
    }
    this.list(&process.text, entry, Target::End);
    (this.thread, this.labels)
}

/// The first statement that is no block.
fn first(list: &[Statement]) -> Option<&Statement> {
    match list.first() {
        Some(Statement { kind: StatementKind::Block(inside), .. }) => first(inside),
        other => other,
    }
}

/// The labels of all statements, each with the statements that carry it, in the order of the text.
fn find_labels<'a>(list: &'a [Statement], labels: &mut BTreeMap<&'a str, Vec<StatementKey>>) {
    for statement in list {
        for label in &statement.labels {
            let keys = labels.entry(&label.text).or_default();
            if keys.last() != Some(&statement.key) {
                keys.push(statement.key);
            }
        }
        match &statement.kind {
            StatementKind::Either(alternatives) => {
                alternatives.iter().for_each(|alternative| find_labels(alternative, labels));
            }
            StatementKind::Block(inside) => find_labels(inside, labels),
            StatementKind::If { condition: _, then, otherwise } => {
                find_labels(std::slice::from_ref(then), labels);
                if let Some(otherwise) = otherwise {
                    find_labels(std::slice::from_ref(otherwise), labels);
                }
            }
            StatementKind::While { condition: _, body } => find_labels(std::slice::from_ref(body), labels),
            // Labels in `locked` are reported where it is lowered.
            StatementKind::Locked(_)
            | StatementKind::Nop
            | StatementKind::Assign { .. }
            | StatementKind::Assume(_)
            | StatementKind::Read { .. }
            | StatementKind::ReadEqual { .. }
            | StatementKind::Write { .. }
            | StatementKind::Cas { .. }
            | StatementKind::Fence
            | StatementKind::StoreFence
            | StatementKind::Goto(_)
            | StatementKind::End => {}
        }
    }
}

/// Where a statement leads.
#[derive(Debug, Copy, Clone)]
enum Target {
    /// To this location.
    Location(LocId),
    /// To the end of the thread; its location is made when something leads there.
    End,
}

/// A thread being built.
pub(super) struct ThreadLowering<'l, 'a> {
    pub(super) lowering: &'l mut Lowering<'a>,
    /// The number of the process.
    pub(super) number: usize,
    thread: ThreadBuilder,
    pub(super) registers: BTreeMap<&'a str, RegId>,
    /// Registers for values that are read only to be compared, one for each domain.
    hidden: HashMap<Domain, RegId>,
    labels: Labels<'a>,
    /// The locations of labelled statements.
    own: BTreeMap<StatementKey, LocId>,
    end: Option<LocId>,
}

impl<'a> ThreadLowering<'_, 'a> {
    fn own_location(&mut self, key: StatementKey) -> LocId {
        *self.own.entry(key).or_insert_with(|| self.thread.location())
    }

    /// The labelled statement whose location this statement starts at, if there is one.
    fn own_key(
        &self,
        targets: &BTreeMap<&str, Vec<StatementKey>>,
        statement: Option<&Statement>,
    ) -> Option<StatementKey> {
        let statement = statement?;
        match &statement.kind {
            _ if !statement.labels.is_empty() => Some(statement.key),
            StatementKind::Goto(label) => targets.get(label.text.as_str())?.first().copied(),
            _ => None,
        }
    }

    /// The location a statement starts at, if that depends on the statement alone.
    fn own_start(&mut self, statement: Option<&Statement>) -> Option<LocId> {
        let statement = statement?;
        match &statement.kind {
            StatementKind::Block(list) => self.own_start(first(list)),
            _ if !statement.labels.is_empty() => Some(self.own_location(statement.key)),
            StatementKind::Goto(label) => Some(self.jump_target(label)),
            _ => None,
        }
    }

    fn jump_target(&mut self, label: &ast::Name) -> LocId {
        let places = self.labels.get(label.text.as_str()).map_or(&[][..], |places| places);
        match *places {
            [(_, location)] => location,
            [] => {
                let message = format!("this process has no label `{}`", label.text);
                let help = names::suggestion(&label.text, self.labels.keys().copied())
                    .unwrap_or_else(|| format!("write `{}:` before the statement to go to", label.text));
                let problem = self.lowering.problem(&codes::UNKNOWN_LABEL, label.place, message);
                self.lowering.report(problem.help(help));
                self.thread.entry()
            }
            [(_, location), ..] => {
                let message = format!("the label `{}` stands at {} statements", label.text, places.len());
                let problem = self.lowering.problem(&codes::AMBIGUOUS_LABEL, label.place, message);
                self.lowering.report(problem.help("give the statement to go to a second label of its own"));
                location
            }
        }
    }

    fn resolve(&mut self, target: Target) -> LocId {
        match target {
            Target::Location(location) => location,
            Target::End => *self.end.get_or_insert_with(|| self.thread.location()),
        }
    }

    /// Where to go so as to execute the statement next.
    fn start_of(&mut self, statement: &Statement) -> LocId {
        self.own_start(Some(statement)).unwrap_or_else(|| self.thread.location())
    }

    fn step(&mut self, from: LocId, to: Target, ops: Vec<Op>, lock: Option<Lock>, statement: StatementId) {
        let to = self.resolve(to);
        self.thread.edge(from, to, Step { ops: ops.into_iter().collect(), lock, statement });
    }

    /// Statements one after the other; the first starts at `from`, which is its own location if it has one.
    fn list(&mut self, list: &[Statement], from: LocId, to: Target) {
        let mut here = from;
        for (i, statement) in list.iter().enumerate() {
            match list.get(i + 1) {
                Some(next) => {
                    let next = self.start_of(next);
                    self.statement(statement, here, Target::Location(next), false);
                    here = next;
                }
                None => self.statement(statement, here, to, false),
            }
        }
    }

    /// Statements whose first must be executed from `from`, a location that other statements may start at, too. If
    /// the first has a location of its own, an empty step leads there. It belongs to `either`, the statement that
    /// offers the choice, or to the `goto` that jumps.
    fn list_from(&mut self, list: &[Statement], from: LocId, to: Target, either: &Statement) {
        let Some(head) = first(list) else { return };
        match self.own_start(Some(head)) {
            Some(start) => {
                let is_jump = head.labels.is_empty();
                let by = self.lowering.statement(if is_jump { head } else { either }, is_jump, false);
                self.step(from, Target::Location(start), Vec::new(), None, by);
                self.list(list, start, to);
            }
            None => {
                let Some((head, rest)) = list.split_first() else { return };
                let next = match rest.first() {
                    Some(next) => Target::Location(self.start_of(next)),
                    None => to,
                };
                match &head.kind {
                    StatementKind::Block(inside) => self.list_from(inside, from, next, either),
                    _ => self.statement(head, from, next, true),
                }
                if let Target::Location(next) = next
                    && !rest.is_empty()
                {
                    self.list(rest, next, to);
                }
            }
        }
    }

    /// One statement from `from` to `to`. `shared` says that other statements start at `from`, too.
    fn statement(&mut self, statement: &Statement, from: LocId, to: Target, shared: bool) {
        match &statement.kind {
            StatementKind::Block(list) => self.list(list, from, to),
            StatementKind::Goto(label) => {
                // Without a label it starts at its target already.
                if !statement.labels.is_empty() {
                    let target = self.jump_target(label);
                    let id = self.lowering.statement(statement, true, false);
                    self.step(from, Target::Location(target), Vec::new(), None, id);
                }
            }
            StatementKind::End => {
                // At the end of the thread the label is the end.
                if let Target::Location(_) = to {
                    let id = self.lowering.statement(statement, false, false);
                    self.step(from, to, Vec::new(), None, id);
                }
            }
            StatementKind::Either(alternatives) => {
                for alternative in alternatives {
                    self.list_from(alternative, from, to, statement);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let id = self.lowering.statement(statement, true, false);
                let condition = self.expr(condition);
                let yes = self.start_of(then);
                self.step(from, Target::Location(yes), vec![Op::Guard(condition.clone())], None, id);
                let no = match otherwise {
                    Some(otherwise) => Target::Location(self.start_of(otherwise)),
                    None => to,
                };
                self.step(from, no, vec![Op::Guard(condition.not())], None, id);
                self.statement(then, yes, to, false);
                if let (Some(otherwise), Target::Location(no)) = (otherwise, no) {
                    self.statement(otherwise, no, to, false);
                }
            }
            StatementKind::While { condition, body } => {
                // A fence before it in the text is passed once, the test in every round; behind it is where it ends.
                let id = self.lowering.statement(statement, false, false);
                let condition = self.expr(condition);
                let start = self.start_of(body);
                // The way back must not lead to the other statements that start here.
                let head = if shared { self.thread.location() } else { from };
                let sources = if shared { vec![from, head] } else { vec![head] };
                for source in sources {
                    self.step(source, Target::Location(start), vec![Op::Guard(condition.clone())], None, id);
                    self.step(source, to, vec![Op::Guard(condition.clone().not())], None, id);
                }
                self.statement(body, start, Target::Location(head), false);
            }
            StatementKind::Locked(alternatives) => {
                let id = self.lowering.statement(statement, true, true);
                for ops in self.ways(statement, alternatives) {
                    let writes = ops.iter().any(|op| matches!(op, Op::Write { .. }));
                    self.step(from, to, ops, writes.then_some(Lock::Location), id);
                }
            }
            StatementKind::Write { strength: Strength::StoreOrdered, .. } => {
                // The fence is part of the statement: one put before the statement would get before that as well.
                let id = self.lowering.statement(statement, false, true);
                let ops = self.operations(&statement.kind);
                let between = self.thread.location();
                self.step(from, Target::Location(between), ops, None, id);
                self.step(between, to, vec![Op::Fence(FenceKind::StoreStore)], None, id);
            }
            kind => {
                let id = self.lowering.statement(statement, true, true);
                let lock = match kind {
                    StatementKind::Cas { .. } | StatementKind::Write { strength: Strength::Locked, .. } => {
                        Some(Lock::Location)
                    }
                    _ => None,
                };
                let ops = self.operations(kind);
                self.step(from, to, ops, lock, id);
            }
        }
    }

    /// The operations of a statement that does not branch.
    pub(super) fn operations(&mut self, kind: &StatementKind) -> Vec<Op> {
        match kind {
            StatementKind::Assign { register, value } => {
                let value = self.expr(value);
                self.register(register).map(|dst| Op::Assign { dst, value }).into_iter().collect()
            }
            StatementKind::Assume(condition) => vec![Op::Guard(self.expr(condition))],
            StatementKind::Read { register, from } => {
                let (addr, _) = self.location(from);
                self.register(register).map(|dst| Op::Read { dst, addr }).into_iter().collect()
            }
            StatementKind::ReadEqual { from, value } => {
                let (addr, domain) = self.location(from);
                let value = self.expr(value);
                let dst = self.hidden(domain);
                vec![Op::Read { dst, addr }, Op::Guard(fencewright_ir::Expr::Atom(dst).eq(value))]
            }
            StatementKind::Write { strength: _, to, value } => {
                let (addr, _) = self.location(to);
                vec![Op::Write { addr, value: self.expr(value) }]
            }
            StatementKind::Cas { at, old, new } => {
                let (addr, domain) = self.location(at);
                let (old, new) = (self.expr(old), self.expr(new));
                let dst = self.hidden(domain);
                vec![
                    Op::Read { dst, addr: addr.clone() },
                    Op::Guard(fencewright_ir::Expr::Atom(dst).eq(old)),
                    Op::Write { addr, value: new },
                ]
            }
            StatementKind::Fence => vec![Op::Fence(FenceKind::Full)],
            StatementKind::StoreFence => vec![Op::Fence(FenceKind::StoreStore)],
            StatementKind::Nop
            | StatementKind::Locked(_)
            | StatementKind::Either(_)
            | StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Goto(_)
            | StatementKind::Block(_)
            | StatementKind::End => Vec::new(),
        }
    }

    /// A register of the domain that the user cannot name: theirs begin with `$`.
    fn hidden(&mut self, domain: Domain) -> RegId {
        if let Some(&register) = self.hidden.get(&domain) {
            return register;
        }
        let name = match domain.bounds() {
            Some((low, high)) => format!("<{low}:{high}>"),
            None => "<Z>".to_owned(),
        };
        let register = self.thread.register(name, domain.clone(), Init::Value(domain.default_value()));
        self.hidden.insert(domain, register);
        register
    }
}
