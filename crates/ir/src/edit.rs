//! Pure edits: each gives a new program and leaves the old one as it was. Threads made from one text are changed
//! together, because a [`Site`] stands for all its places.

use fencewright_base::Span;

use crate::{
    Edge, EdgeId, FenceKind, Location, Lock, Op, OrderId, OrderWord, Program, Side, Site, Statement,
    StatementId, Step,
};

/// The program with a fence at the site, in every thread that runs through it. The fence is a statement of its own,
/// the last one of the result.
///
/// Labels stay where they were: a fence before a labelled statement stands behind the label, so the location the
/// label names is reached by the same steps as before.
pub fn insert_fence(program: &Program, site: Site, kind: FenceKind) -> Program {
    let mut result = program.clone();
    let near = &program.statements[site.statement];
    let fence = result.statements.push(Statement {
        text: match kind {
            FenceKind::Full => "fence".to_owned(),
            FenceKind::StoreStore => "ssfence".to_owned(),
        },
        span: near.span.map(|span| match site.side {
            Side::Before => Span { end: span.start, ..span },
            Side::After => span.after(),
        }),
        loop_depth: near.loop_depth,
        fence_before: false,
        fence_after: false,
    });
    for thread in result.threads.iter_mut() {
        let touched: Vec<EdgeId> =
            thread.edges.indices().filter(|&e| thread.edges[e].step.statement == site.statement).collect();
        match site.side {
            Side::After => {
                for edge in touched {
                    let middle = thread.locations.push(Location::default());
                    let to = std::mem::replace(&mut thread.edges[edge].to, middle);
                    thread.edges.push(Edge { from: middle, to, step: Step::of(Op::Fence(kind), fence) });
                }
            }
            Side::Before => {
                let mut sources: Vec<_> = touched.iter().map(|&edge| thread.edges[edge].from).collect();
                sources.sort();
                sources.dedup();
                for source in sources {
                    let behind = thread.locations.push(Location::default());
                    for &edge in touched.iter() {
                        if thread.edges[edge].from == source {
                            thread.edges[edge].from = behind;
                        }
                    }
                    thread.edges.push(Edge {
                        from: source,
                        to: behind,
                        step: Step::of(Op::Fence(kind), fence),
                    });
                }
            }
        }
    }
    result
}

/// The program with the statement's writes made atomic: each of its steps that writes becomes a locked step.
pub fn make_atomic(program: &Program, statement: StatementId, lock: Lock) -> Program {
    let mut result = program.clone();
    for edge in result.threads.iter_mut().flat_map(|thread| thread.edges.iter_mut()) {
        let writes = edge.step.ops.iter().any(|op| matches!(op, Op::Write { .. }));
        // A step that sends or receives waits for another thread already; it is never locked.
        if edge.step.statement == statement && writes && edge.step.sync().is_none() {
            edge.step.lock = edge.step.lock.max(Some(lock));
        }
    }
    result
}

/// The program with every locked step waiting for all of its thread's pending writes, not only for those to the
/// locations it touches.
pub fn lock_fully(program: &Program) -> Program {
    let mut result = program.clone();
    for edge in result.threads.iter_mut().flat_map(|thread| thread.edges.iter_mut()) {
        edge.step.lock = edge.step.lock.map(|_| Lock::Full);
    }
    result
}

/// The program with the statement's fences taken out: its steps keep everything but the fence.
pub fn remove_fence(program: &Program, statement: StatementId) -> Program {
    let mut result = program.clone();
    for edge in result.threads.iter_mut().flat_map(|thread| thread.edges.iter_mut()) {
        if edge.step.statement == statement {
            edge.step.ops.retain(|op| !matches!(op, Op::Fence(_)));
        }
    }
    result
}

/// The program with a stronger word for an order, as strong as a fence of the kind at the access itself:
///
/// - of kind *store-store*, a write follows all earlier ones, as a store that releases does;
/// - of kind *full*, a write or read-modify-write is in memory, with all that came before it, before anything after it; a
///   fence becomes a full one.
///
/// Steps that are that strong already stay as they are.
pub fn strengthen(program: &Program, order: OrderId, kind: FenceKind) -> Program {
    let mut result = program.clone();
    for &(thread, edge) in &program.orders[order].steps {
        let step = &mut result.threads[thread].edges[edge].step;
        let write = step.ops.iter().position(|op| matches!(op, Op::Write { .. }));
        let touches = write.is_some() || step.ops.iter().any(|op| matches!(op, Op::Read { .. }));
        match kind {
            FenceKind::Full if touches => {
                // Waiting for all earlier writes is more than keeping them in order.
                step.ops.retain(|op| !matches!(op, Op::Fence(FenceKind::StoreStore)));
                step.lock = Some(Lock::Full);
            }
            FenceKind::Full => {
                for op in &mut step.ops {
                    if let Op::Fence(kind) = op {
                        *kind = FenceKind::Full;
                    }
                }
            }
            FenceKind::StoreStore => {
                if let Some(write) = write.filter(|_| is_weaker(step, kind)) {
                    step.ops.insert(write, Op::Fence(FenceKind::StoreStore));
                }
            }
        }
    }
    result
}

/// Whether the step is ordered less than a fence of the kind in it would do.
fn is_weaker(step: &Step, kind: FenceKind) -> bool {
    let fence = step.ops.iter().filter_map(|op| match op {
        Op::Fence(kind) => Some(*kind),
        _ => None,
    });
    let strongest = fence.min();
    let reads = step.ops.iter().any(|op| matches!(op, Op::Read { .. }));
    let writes = step.ops.iter().any(|op| matches!(op, Op::Write { .. }));
    match kind {
        FenceKind::Full => {
            let orders = reads || writes || strongest.is_some();
            orders && step.lock != Some(Lock::Full) && strongest != Some(FenceKind::Full)
        }
        FenceKind::StoreStore => writes && step.lock.is_none() && strongest.is_none(),
    }
}

/// Whether there is a word for it, and [`strengthen`] changes anything.
pub fn can_strengthen(program: &Program, order: OrderId, kind: FenceKind) -> bool {
    let OrderWord { steps, stronger, .. } = &program.orders[order];
    stronger.iter().any(|(has, _)| *has == kind)
        && steps.iter().any(|&(thread, edge)| is_weaker(&program.edge(thread, edge).step, kind))
}

/// A change that orders a thread's writes: what a repair is made of.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remedy {
    /// A fence at a site.
    Fence(Site, FenceKind),
    /// A statement's write made atomic.
    Atomic(StatementId),
    /// A stronger word for an order: as strong as a fence of the kind at the access.
    Order(OrderId, FenceKind),
}

impl Remedy {
    /// The statement that a fence stands beside or whose write is made atomic; none for a word.
    pub fn statement(self) -> Option<StatementId> {
        match self {
            Remedy::Fence(site, _) => Some(site.statement),
            Remedy::Atomic(statement) => Some(statement),
            Remedy::Order(..) => None,
        }
    }

    /// Where the user finds it: the statement, or the word.
    pub fn span(self, program: &Program) -> Option<Span> {
        match self {
            Remedy::Fence(Site { statement, .. }, _) | Remedy::Atomic(statement) => {
                program.statements.get(statement)?.span
            }
            Remedy::Order(order, _) => program.orders.get(order)?.span,
        }
    }
}

/// The program with all the remedies. Sites are those of the program given; the order does not matter.
pub fn apply(program: &Program, remedies: &[Remedy]) -> Program {
    // Fences do not renumber statements, so the sites stay good while fences are put in one after the other.
    remedies.iter().fold(program.clone(), |program, remedy| match *remedy {
        Remedy::Fence(site, kind) => insert_fence(&program, site, kind),
        Remedy::Atomic(statement) => make_atomic(&program, statement, Lock::Location),
        Remedy::Order(order, kind) => strengthen(&program, order, kind),
    })
}
