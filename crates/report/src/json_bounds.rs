//! How far an answer reaches that is no proof, for scripts.

use fencewright_engine::Bounds;
use serde::Serialize;

/// What was bounded.
#[derive(Serialize)]
pub(crate) struct WireBounds {
    buffer: Option<usize>,
    unroll: Option<usize>,
    objects: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    #[serde(skip_serializing_if = "is_false")]
    values: bool,
    #[serde(skip_serializing_if = "is_false")]
    copies: bool,
    #[serde(skip_serializing_if = "is_false")]
    deadlocks: bool,
    #[serde(skip_serializing_if = "is_false")]
    output: bool,
    no_reuse: bool,
    unset: bool,
}

impl WireBounds {
    pub(crate) fn new(bounds: &Bounds) -> Self {
        let &Bounds { buffer, unroll, objects, no_reuse, unset, output, deadlocks, values, copies, threads } =
            bounds;
        WireBounds { buffer, unroll, objects, threads, values, copies, deadlocks, output, no_reuse, unset }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}
