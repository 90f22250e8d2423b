//! The one small program representation of Fencewright. Every front end produces a [`Program`]; every engine, the
//! reference semantics and the repair read nothing else.
//!
//! A program has shared variables, threads and properties. A thread is a control-flow automaton with registers; an
//! edge is one [`Step`]: a short list of micro-operations executed without interleaving. Every step belongs to a
//! [`Statement`] of the user's text, and that survives every transformation: threads made from one text share their
//! statements, so a fence put there is put into all of them and costs once.
//!
//! *Invariant:* nothing here knows a memory model, an input language or an engine.
#![forbid(unsafe_code)]

mod builder;
mod decide;
pub mod edit;
mod expr;
mod extension;
pub mod liveness;
mod program;
mod property;
mod sites;
mod temporal;
pub mod text;
mod validate;
pub mod values;
mod wording;

pub use builder::{ProgramBuilder, ThreadBuilder};
pub use decide::{Decides, decides};
pub use expr::{BinaryOp, Expr, UnaryOp};
pub use extension::{Extension, first_extension};
pub use program::{
    Addr, CellId, Channel, ChannelId, Domain, Edge, EdgeId, FenceKind, Init, LocId, Location, Lock, Op,
    OrderId, OrderWord, Outside, Program, RegExpr, RegId, Register, Statement, StatementId, Step, Sync,
    Target, Thread, ThreadId, VarId, Variable,
};
pub use property::{Condition, Forbidden, LocationSet, Property, Quantifier, StateAtom};
pub use sites::{Place, Side, Site, sites};
pub use temporal::{Claim, Fairness, Formula, Never, NeverMove, NeverState, Temporal};
pub use validate::{ValidationError, validate};
pub use wording::{Failure, Holder, Role, Wording};
