//! The engine `predicate`: programs whose variables range over ℤ.
//!
//! P. A. Abdulla, M. F. Atig, Y.-F. Chen, C. Leonardsson, A. Rezine, *Automatic fence insertion in integer programs via
//! predicate abstraction*, SAS 2012.
#![forbid(unsafe_code)]

mod buffer;
mod certificate;
mod config;
mod evaluate;
mod linear;
mod plan;
mod precision;
mod realise;
mod refine;
mod search;
mod step;
mod system;
mod zone;

pub use buffer::Part;
pub use certificate::{Proved, Refused, verify};
pub use plan::{Predicate, UnknownPart};
