//! What a repair can be made of, and what each remedy costs.

use std::collections::BTreeSet;

use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{
    EdgeId, FenceKind, LocId, LocationSet, Op, OrderWord, Program, Property, Side, Site, StateAtom,
    StatementId, ThreadId, sites,
};

/// What remedies cost: the cost of the kind, and `per_loop` more for each loop of the text around the place.
///
/// With the defaults the loops only break ties: a full fence in fewer loops is cheaper than one in more, but two full
/// fences are always dearer than one. A full fence is worth two and a half store-store fences. A stronger order costs less
/// than the fence that does as much: it adds no instruction. A cost of 0 counts as 1, one above a million as a million.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Costs {
    /// A full fence.
    pub full: u64,
    /// A store-store fence.
    pub store_store: u64,
    /// A write made atomic.
    pub atomic: u64,
    /// A store or fence made as strong as a full fence: sequentially consistent.
    pub order: u64,
    /// An access that releases: a store ordered as by a store-store fence, or a read-modify-write that waits for all
    /// earlier writes and not only for those to its location.
    pub release: u64,
    /// Added for each loop around the place.
    pub per_loop: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self { full: 100, store_store: 40, atomic: 120, order: 80, release: 30, per_loop: 1 }
    }
}

impl Costs {
    /// What the remedy costs in the program.
    pub fn of(&self, program: &Program, remedy: Remedy) -> u64 {
        let around = |statement| program.statements[statement].loop_depth;
        let (base, loops) = match remedy {
            Remedy::Fence(site, FenceKind::Full) => (self.full, around(site.statement)),
            Remedy::Fence(site, FenceKind::StoreStore) => (self.store_store, around(site.statement)),
            Remedy::Atomic(statement) => (self.atomic, around(statement)),
            Remedy::Order(order, kind) => {
                let OrderWord { steps, loop_depth, .. } = &program.orders[order];
                let is_locked =
                    |&(thread, edge): &(ThreadId, EdgeId)| program.edge(thread, edge).step.lock.is_some();
                let releases = kind == FenceKind::StoreStore || steps.iter().all(is_locked);
                (if releases { self.release } else { self.order }, *loop_depth)
            }
        };
        base.saturating_add(self.per_loop.saturating_mul(u64::from(loops))).clamp(1, 1_000_000)
    }
}

/// What a repair may be made of beside fences.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// Writes made atomic.
    pub atomic: bool,
    /// Stronger words for orders.
    pub orders: bool,
}

/// The remedies for the program, in the order of its text. Of two sites that are the same place one is offered.
pub fn offers(program: &Program, beside: Beside) -> Vec<Remedy> {
    let fixed = named_locations(program);
    let mut remedies = Vec::new();
    for site in sites(program) {
        if !same_as_one_before(program, site, &fixed) {
            remedies.push(Remedy::Fence(site, FenceKind::Full));
            remedies.push(Remedy::Fence(site, FenceKind::StoreStore));
        }
    }
    if beside.orders {
        for order in program.orders.indices() {
            let kinds = [FenceKind::Full, FenceKind::StoreStore];
            let stronger = kinds.into_iter().filter(|&kind| edit::can_strengthen(program, order, kind));
            remedies.extend(stronger.map(|kind| Remedy::Order(order, kind)));
        }
    }
    if beside.atomic {
        let edges = program.threads.iter().flat_map(|thread| &thread.edges);
        let delayed = |op: &Op| match op {
            Op::Write { addr, .. } => !program.vars[program.variable_of(addr.first()).0].direct,
            _ => false,
        };
        let writes = edges.filter(|edge| {
            edge.step.lock.is_none() && edge.step.sync().is_none() && edge.step.ops.iter().any(delayed)
        });
        let statements: BTreeSet<StatementId> = writes.map(|edge| edge.step.statement).collect();
        remedies.extend(statements.into_iter().map(Remedy::Atomic));
    }
    remedies
}

/// Whether the place before a statement is the place behind the only statement that leads to it.
fn same_as_one_before(program: &Program, site: Site, fixed: &BTreeSet<(ThreadId, LocId)>) -> bool {
    if site.side == Side::After {
        return false;
    }
    let mut between = BTreeSet::new();
    let mut leading = BTreeSet::new();
    for (t, thread) in program.threads.iter_enumerated() {
        let own = thread.edges.iter().filter(|edge| edge.step.statement == site.statement);
        for from in own.map(|edge| edge.from) {
            between.insert((t, from));
            let other = |edge: &&fencewright_ir::Edge| edge.from == from;
            let alone = thread.edges.iter().filter(other).all(|edge| edge.step.statement == site.statement);
            if !alone || from == thread.entry || fixed.contains(&(t, from)) {
                return false;
            }
            leading
                .extend(thread.edges.iter().filter(|edge| edge.to == from).map(|edge| edge.step.statement));
        }
    }
    let mut leading = leading.into_iter();
    let (Some(before), None) = (leading.next(), leading.next()) else { return false };
    let (one, other) = (&program.statements[before], &program.statements[site.statement]);
    let leads_elsewhere = program.threads.iter_enumerated().any(|(t, thread)| {
        thread.edges.iter().any(|edge| edge.step.statement == before && !between.contains(&(t, edge.to)))
    });
    one.fence_after && one.loop_depth == other.loop_depth && !leads_elsewhere
}

/// The locations that a property names: it matters on which side of them a fence stands.
pub(crate) fn named_locations(program: &Program) -> BTreeSet<(ThreadId, LocId)> {
    let mut named = BTreeSet::new();
    for property in &program.properties {
        match property {
            Property::Forbidden(forbidden) => {
                for (t, set) in forbidden.at.iter_enumerated() {
                    if let LocationSet::OneOf(set) = set {
                        named.extend(set.iter().map(|&loc| (t, loc)));
                    }
                }
            }
            Property::Invariant(condition) => condition.expr.for_each_atom(&mut |atom| {
                if let StateAtom::At(t, loc) = *atom {
                    named.insert((t, loc));
                }
            }),
            Property::Temporal(temporal) => temporal.for_each_atom(&mut |atom| {
                if let StateAtom::At(t, loc) = *atom {
                    named.insert((t, loc));
                }
            }),
            Property::Final { condition, filter, .. } => {
                for condition in std::iter::once(condition).chain(filter) {
                    condition.expr.for_each_atom(&mut |atom| {
                        if let StateAtom::At(t, loc) = *atom {
                            named.insert((t, loc));
                        }
                    });
                }
            }
        }
    }
    named
}
