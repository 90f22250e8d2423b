//! Builds programs piece by piece. [`ProgramBuilder::finish`] validates, so a program that was built is well-formed.

use fencewright_base::{Index, IndexVec, Span};

use crate::{
    CellId, Channel, ChannelId, Domain, Edge, EdgeId, Init, LocId, Location, Op, OrderId, OrderWord, Program,
    Property, RegId, Register, Statement, StatementId, Step, Thread, ThreadId, ValidationError, VarId,
    Variable, Wording, validate,
};

/// A program being built.
#[derive(Debug, Clone)]
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    /// An empty program.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            program: Program {
                name: name.into(),
                vars: IndexVec::new(),
                channels: IndexVec::new(),
                threads: IndexVec::new(),
                statements: IndexVec::new(),
                orders: IndexVec::new(),
                properties: Vec::new(),
                wording: Wording::default(),
            },
        }
    }

    /// A scalar variable; gives its cell.
    pub fn scalar(
        &mut self,
        name: impl Into<String>,
        domain: Domain,
        init: Init,
        span: Option<Span>,
    ) -> CellId {
        let var = self.variable(name.into(), domain, vec![init], false, span);
        self.program.vars[var].first_cell
    }

    /// An array with the initial values of its elements.
    pub fn array(
        &mut self,
        name: impl Into<String>,
        domain: Domain,
        init: Vec<Init>,
        span: Option<Span>,
    ) -> VarId {
        self.variable(name.into(), domain, init, true, span)
    }

    fn variable(
        &mut self,
        name: String,
        domain: Domain,
        init: Vec<Init>,
        is_array: bool,
        span: Option<Span>,
    ) -> VarId {
        let first_cell = CellId::new(self.program.n_cells());
        self.program.vars.push(Variable { name, domain, init, is_array, first_cell, direct: false, span })
    }

    /// The variable, to be changed.
    pub fn variable_mut(&mut self, var: VarId) -> &mut Variable {
        &mut self.program.vars[var]
    }

    /// A rendezvous channel for `arity` values at a time.
    pub fn channel(&mut self, name: impl Into<String>, arity: usize, span: Option<Span>) -> ChannelId {
        self.program.channels.push(Channel { name: name.into(), arity, span })
    }

    /// A statement of the text, outside any loop, with room for a fence on both sides. The steps made from one
    /// statement, in whichever thread, share it.
    pub fn statement(&mut self, text: impl Into<String>, span: Option<Span>) -> StatementId {
        self.add_statement(Statement {
            text: text.into(),
            span,
            loop_depth: 0,
            fence_before: true,
            fence_after: true,
        })
    }

    /// A statement given whole.
    pub fn add_statement(&mut self, statement: Statement) -> StatementId {
        self.program.statements.push(statement)
    }

    /// The statement, to be changed.
    pub fn statement_mut(&mut self, id: StatementId) -> &mut Statement {
        &mut self.program.statements[id]
    }

    /// A word that orders accesses.
    pub fn add_order(&mut self, order: OrderWord) -> OrderId {
        self.program.orders.push(order)
    }

    /// A finished thread.
    pub fn add_thread(&mut self, thread: ThreadBuilder) -> ThreadId {
        self.program.threads.push(thread.thread)
    }

    /// The words of reports, to be changed.
    pub fn wording_mut(&mut self) -> &mut Wording {
        &mut self.program.wording
    }

    /// A property.
    pub fn property(&mut self, property: Property) {
        self.program.properties.push(property);
    }

    /// What has been built up to here.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program, if it is well-formed.
    pub fn finish(self) -> Result<Program, Vec<ValidationError>> {
        let errors = validate(&self.program);
        if errors.is_empty() { Ok(self.program) } else { Err(errors) }
    }
}

/// A thread being built. It has its entry location from the start.
#[derive(Debug, Clone)]
pub struct ThreadBuilder {
    thread: Thread,
}

impl ThreadBuilder {
    /// A thread with one location, its entry.
    pub fn new(name: impl Into<String>) -> Self {
        let mut locations = IndexVec::new();
        let entry = locations.push(Location::default());
        Self {
            thread: Thread {
                name: name.into(),
                regs: IndexVec::new(),
                locations,
                edges: IndexVec::new(),
                entry,
            },
        }
    }

    /// Where the thread starts.
    pub fn entry(&self) -> LocId {
        self.thread.entry
    }

    /// A register.
    pub fn register(&mut self, name: impl Into<String>, domain: Domain, init: Init) -> RegId {
        self.thread.regs.push(Register { name: name.into(), domain, init, scratch: false })
    }

    /// A register that lasts for one step only; between steps it is 0, or the least value of its domain.
    pub fn scratch(&mut self, name: impl Into<String>, domain: Domain) -> RegId {
        let init = Init::Value(domain.default_value());
        self.thread.regs.push(Register { name: name.into(), domain, init, scratch: true })
    }

    /// A new location.
    pub fn location(&mut self) -> LocId {
        self.thread.locations.push(Location::default())
    }

    /// Makes a location a committed one.
    pub fn commit(&mut self, loc: LocId) {
        self.thread.locations[loc].committed = true;
    }

    /// Makes another location the entry.
    pub fn start_at(&mut self, loc: LocId) {
        self.thread.entry = loc;
    }

    /// Gives a location a label.
    pub fn label(&mut self, loc: LocId, label: impl Into<String>) {
        self.thread.locations[loc].labels.push(label.into());
    }

    /// An edge.
    pub fn edge(&mut self, from: LocId, to: LocId, step: Step) -> EdgeId {
        self.thread.edges.push(Edge { from, to, step })
    }

    /// An edge of one micro-operation to a new location; gives that location.
    pub fn then(&mut self, from: LocId, op: Op, statement: StatementId) -> LocId {
        let to = self.location();
        self.edge(from, to, Step::of(op, statement));
        to
    }

    /// What has been built up to here.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}
