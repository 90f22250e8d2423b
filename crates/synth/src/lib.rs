//! The cheapest repair of a program under a memory model, with the proof that it is one.
//!
//! Implicit hitting sets over real executions: every violation an engine finds gives the set of remedies that would
//! forbid it; a repair must have one of each set; the cheapest choice is tried next. `docs/repair.md` tells it whole.
//!
//! - `offer`: what a repair can be made of, and what each costs.
//! - `order`: an execution in normal form, every write in memory as early as can be.
//! - `carry`: an execution of the program as one of the repaired program, and back.
//! - `endless`, `hasten`, `sight`: the same two for executions that never end, and what temporal properties see of remedies.
//! - `forbid`: the set of remedies that forbid an execution, with a certificate that none is missing.
//! - `narrow`: a smaller set, by asking the engine, where sets are large and many.
//! - `repair`: the loop.
//!
//! - `minimal`: another loop, which finds all repairs without a remedy to spare.
//!
//! - `hazard`: a loop that makes one write after the other atomic, the one that most others looked past first.
//!
//! Another strategy chooses remedies by the avoid formula of an abstraction:
//!
//! - `arrive`: arriving at a forbidden location as a step of its own.
//! - `cut`: which remedies enforce an order.
//! - `avoid`: the formula, a greatest fixpoint over a graph that an engine gives.
//! - `demand`: its cheapest models, without the graph.
//! - `formula`: the strategy.
//!
//! Four more keep pairs of statements in order:
//!
//! - `reorder`: trace enumeration, fence insertion, and both kinds of reorder bounding.
//!
//! *Invariant:* engines are asked through `engine::run` only, and nothing here looks at which model it is: whether a
//! remedy forbids an execution is found by running it on the reference semantics.
#![forbid(unsafe_code)]

mod answer;
mod arrive;
mod avoid;
mod carry;
mod cut;
mod demand;
mod endless;
mod forbid;
mod formula;
mod hasten;
mod hazard;
mod minimal;
mod narrow;
mod offer;
mod order;
mod reorder;
mod repair;
mod sight;

pub use answer::{
    AlreadySafe, Avoidance, Chosen, Evidence, NotFound, Reason, Repair, Repaired, Request, Strategy, Want,
    WrongUnderSc,
};
pub use avoid::avoid;
pub use demand::{Demands, Enforced, behind_writes};
pub use forbid::first_that_forbids;
pub use offer::{Beside, Costs, offers};
pub use reorder::Algorithm;
pub use repair::repair;
