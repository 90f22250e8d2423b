//! What an engine is asked, what it may answer, and the gate every answer passes.
//!
//! [`run`] is the only caller of an engine, and each ability beyond it has one caller of its own (`run_…`). All of them ask
//! [`takes`] first, so no engine is given a program that it would misread. [`run`] replays every violating trace on the reference semantics before anyone
//! sees it, so the trusted base is `ir::validate`, `memory` and `run`, not the engines.
//!
//! *Invariant:* no engine is named here, and nothing here searches.
#![forbid(unsafe_code)]

mod certificate;
mod closed;
mod executions;
mod orders;
mod outcomes;
mod pairs;
mod race;
mod run;
mod states;
mod task;
mod verdict;

pub use certificate::{
    CERTIFICATE_VERSION, CertifyingEngine, NotAProof, Proof, fingerprint, read_certificate, run_certificate,
    seal, unsealed, write_certificate,
};
pub use closed::{verify_states, write_states};
pub use executions::{ExecutionGraph, TooManyOperators, violated_by_execution};
pub use orders::{
    Order, OrderEngine, OrderGraph, Prevention, Transition, run_barriers, run_open_way, run_orders,
};
pub use outcomes::{Outcome, OutcomeEngine, OutcomeQuery, Outcomes, run_outcomes};
pub use pairs::{OpenPairs, Pair, PairAnswer, PairEngine, PairQueries, Taste, run_pairs};
pub use race::{Part, Race};
pub use run::{Answer, Context, Engine, Rejected, run, takes};
pub use states::{StateEngine, run_states};
pub use task::{Options, Task};
pub use verdict::{Bounds, Feature, Guarantee, Statistics, Unknown, Verdict};
