//! The engine `bmc`: bounded model checking with partial orders.
//!
//! Loops are unrolled; every access to memory is a moment; which write a read sees, and which of two conflicting moments
//! comes first, are bits of one SAT instance. A solution whose orders form no circle is an execution. When no path leaves
//! what was unrolled, the answer is for good.
//!
//! The axiomatic view of TSO and PSO follows J. Alglave, D. Kroening, M. Tautschnig, *Partial orders for efficient bounded
//! model checking of concurrent software*, CAV 2013; S. Joshi, D. Kroening, *Property-driven fence insertion using reorder
//! bounded model checking*, builds on it.
//!
//! - [`unroll`]: a thread without cycles.
//! - [`symbolic`]: expressions as circuits; [`step`]: a step; [`events`]: a thread as
//!   circuits, and its moments.
//! - [`axioms`]: the memory models as a table; [`depend`]: what depends on what.
//! - [`relations`]: reads-from and the order of conflicts; [`order`]: that all orders fit together, and
//!   [`moments`]: the same by numbers.
//! - [`encode`]: the program as one circuit; [`decode`]: a solution as a trace.
//! - [`certificate`]: proofs written down, and their checker.
//! - [`plan`]: the engine; [`pairs`]: questions about reordered pairs of statements.
//!
//! *Invariant:* an unbounded `Holds` only if no execution leaves what was unrolled.
#![forbid(unsafe_code)]

mod axioms;
mod certificate;
mod decode;
mod depend;
mod encode;
mod events;
mod moments;
mod order;
mod pairs;
mod plan;
mod relations;
mod step;
mod symbolic;
mod unroll;

pub use certificate::verify;
pub use plan::{Bmc, BmcWithMoments};
