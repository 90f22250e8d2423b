//! Programs as state spaces of packed states: the rules of `memory` in a fast encoding, for every engine that walks the
//! reachable states.
//!
//! - [`compile`](mod@compile), [`edges`], [`goals`]: the program as tables over packed states; [`values`], [`code`], [`queue`]: their parts.
//! - [`step`], [`meet`], [`buffer`], [`inspect`], [`trail`]: the rules of `memory` on packed states.
//! - [`scratch`]: registers that last for one step, most of which need not be stored.
//! - [`reduce`], [`settle`]: which steps may go first, so that the states between need not be stored.
//! - [`counterexample`]: from a path of packed states to a trace of the concrete machine.
//! - [`width`]: words of a state, bits of interned values and caps of buffers that grow when they must.
//! - [`unpack`](mod@unpack): packed states as the reference semantics writes them.
//!
//! *Invariant:* nothing here searches. Compiled without reduction, the states and transitions are those that the
//! reference semantics defines, one for one (the agreement tests of `engine-explicit` compare them).
#![forbid(unsafe_code)]

mod buffer;
mod code;
mod compile;
mod counterexample;
mod edges;
mod goals;
mod inspect;
mod lookup;
mod meet;
mod queue;
mod reduce;
mod scratch;
mod settle;
mod step;
mod trail;
mod unpack;
mod values;
mod width;

pub use compile::{CompileOptions, Compiled, CompiledEdge, OpenPart, StateCode, compile};
pub use counterexample::{initial_choices, trace_along};
pub use step::{Interrupt, OpenChoices, PackedSystem, Worker};
pub use trail::{Gather, Sink, Trail};
pub use unpack::unpack;
pub use width::{
    Checked, Ended, Job, at_width, capacities, first_options, supports, unsupported, with_growing_buffers,
    write_bound,
};
