//! The engine `literal`: exhaustive search over the states of the literal machine, replay of what it finds, and the cheapest
//! fences that repair a program.
//!
//! It answers for compiled programs, independently of the lowering: a violation is an execution of the very instructions that
//! the compiler wrote, and a proof shows that there is none.
//!
//! *Invariants:* an unbounded [`Verdict::Holds`](search::Verdict::Holds) only if every action of every reachable state was
//! carried out, no write found its buffer full, and nothing was refused or limited. What was tried only in part is reported.
#![forbid(unsafe_code)]

mod carry;
mod dive;
pub mod forbid;
pub mod guided;
mod intern;
pub mod repair;
pub mod replay;
pub mod search;
mod store;
mod witness;
