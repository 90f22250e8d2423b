//! How wide a state is, how long buffers may grow, and what is done when either was not enough.

use fencewright_base::Stop;
use fencewright_engine::{Bounds, Feature, Guarantee, Task, Unknown, Verdict};
use fencewright_ir::{Op, Program, StateAtom, Thread};
use fencewright_memory::Trace;

use crate::compile::{CompileOptions, Compiled, compile};
use crate::step::Interrupt;

/// Most words of a packed state. A wider one would be a program far past what explicit search can finish.
const MAX_WORDS: usize = 32;

/// Bits for interned values at first, and how many more each time they run out.
const INTERNED_BITS: u32 = 4;

/// Whether such tasks can be packed at all; if not, why.
pub fn supports(task: &Task<'_>) -> Result<(), Unknown> {
    if !task.model.is_operational() {
        return Err(unsupported(Feature::Model(task.model)));
    }
    match compile(task.program, first_options(task, 1), &[]) {
        Ok(compiled) if compiled.words > MAX_WORDS => Err(unsupported(too_wide(&compiled))),
        Ok(_) => Ok(()),
        Err(feature) => Err(unsupported(feature)),
    }
}

/// What a search of the states within one cap found.
pub enum Checked {
    /// No violation; `exact` if no write found its buffer full.
    Holds {
        /// Whether that is so for buffers of any length.
        exact: bool,
    },
    /// A violation.
    Violated(Trace),
}

/// Searches with caps that grow, until one was never met or the search finds a violation.
pub fn with_growing_buffers(
    task: &Task<'_>,
    search: &mut dyn FnMut(u32) -> Result<Checked, Ended>,
) -> Verdict {
    let mut explored = None;
    for capacity in capacities(task) {
        match search(capacity) {
            Ok(Checked::Holds { exact: true }) => return Verdict::Holds(Guarantee::Unbounded),
            Ok(Checked::Holds { exact: false }) => {
                explored = Some(Bounds { buffer: Some(capacity as usize), ..Bounds::default() });
            }
            Ok(Checked::Violated(trace)) => return Verdict::Violated(trace),
            Err(Ended::Stopped(stop)) => return Verdict::Unknown(Unknown::Stopped { stop, explored }),
            Err(Ended::Unsupported(feature)) => {
                // A larger cap would need wider states; what was explored below it stands.
                return match explored {
                    Some(bounds) => Verdict::Holds(Guarantee::UpTo(bounds)),
                    None => Verdict::Unknown(unsupported(feature)),
                };
            }
        }
    }
    Verdict::Holds(Guarantee::UpTo(explored.expect("at least one cap was tried")))
}

/// A task that is not taken because of this.
pub fn unsupported(feature: Feature) -> Unknown {
    Unknown::Unsupported { feature, span: None }
}

fn too_wide(compiled: &Compiled) -> Feature {
    Feature::WideState { bits: compiled.bits, limit: MAX_WORDS * 64 }
}

/// The caps to try: the one asked for; else 1, 2, 4, …, up to one that no program can meet if there is such.
pub fn capacities(task: &Task<'_>) -> impl Iterator<Item = u32> + use<> {
    let fixed = match task.options.buffer {
        Some(capacity) => Some(u32::try_from(capacity).unwrap_or(u32::MAX).max(1)),
        None if !task.model.queues_writes() => Some(1),
        None => None,
    };
    let most = write_bound(task.program).map(|bound| bound.max(1));
    let mut next = Some(fixed.unwrap_or(1));
    std::iter::from_fn(move || {
        let capacity = next?;
        next = match (fixed, most) {
            (Some(_), _) => None,
            (None, Some(most)) if capacity >= most => None,
            (None, Some(most)) => Some(capacity.saturating_mul(2).min(most)),
            (None, None) => capacity.checked_mul(2),
        };
        Some(capacity)
    })
}

/// The most writes that one thread can make, if no thread writes in a loop.
pub fn write_bound(program: &Program) -> Option<u32> {
    program.threads.iter().map(longest_write_path).try_fold(0, |most, bound| Some(most.max(bound?)))
}

/// The most writes on a path of the thread, unless a cycle of its automaton has a write on it.
fn longest_write_path(thread: &Thread) -> Option<u32> {
    // Longest paths by relaxation: without a cycle that writes, they settle after as many rounds as there are locations.
    let mut most = vec![None; thread.locations.len()];
    most[thread.entry.0 as usize] = Some(0u32);
    for _ in 0..=thread.locations.len() {
        let mut changed = false;
        for edge in &thread.edges {
            let writes = edge.step.ops.iter().map(writes).sum::<u32>();
            if let Some(before) = most[edge.from.0 as usize] {
                let after = &mut most[edge.to.0 as usize];
                if after.is_none_or(|after| after < before + writes) {
                    *after = Some(before + writes);
                    changed = true;
                }
            }
        }
        if !changed {
            return most.into_iter().flatten().max();
        }
    }
    None
}

/// The most writes that the micro-operation makes.
fn writes(op: &Op) -> u32 {
    match op {
        Op::Write { .. } => 1,
        Op::Receive { targets, .. } => targets.len() as u32,
        Op::Read { .. }
        | Op::Assign { .. }
        | Op::Guard(_)
        | Op::Assert(_)
        | Op::Havoc { .. }
        | Op::Fence(_)
        | Op::Send { .. } => 0,
    }
}

/// Why a search gave nothing.
pub enum Ended {
    /// A limit was reached, or somebody asked to stop.
    Stopped(Stop),
    /// The states cannot be packed.
    Unsupported(Feature),
}

/// How to compile for a first try.
pub fn first_options(task: &Task<'_>, capacity: u32) -> CompileOptions {
    CompileOptions {
        model: task.model,
        capacity,
        interned_bits: INTERNED_BITS,
        forget: task.options.reduction,
        reduction: task.options.reduction,
        tag_bits: 0,
    }
}

/// Compiles, and runs `job` at the width of the states; again with more bits for interned values when it asks for them.
pub fn at_width<J: Job>(
    program: &Program,
    mut options: CompileOptions,
    observed: &[StateAtom],
    job: &mut J,
) -> Result<J::Output, Ended> {
    loop {
        let compiled = compile(program, options, observed).map_err(Ended::Unsupported)?;
        let result = match compiled.words {
            1 => job.run::<1>(&compiled),
            2 => job.run::<2>(&compiled),
            3 => job.run::<3>(&compiled),
            4 => job.run::<4>(&compiled),
            5..=6 => job.run::<6>(&compiled),
            7..=8 => job.run::<8>(&compiled),
            9..=16 => job.run::<16>(&compiled),
            17..=MAX_WORDS => job.run::<MAX_WORDS>(&compiled),
            _ => return Err(Ended::Unsupported(too_wide(&compiled))),
        };
        match result {
            Ok(output) => return output,
            Err(Interrupt::Widen) => options.interned_bits += INTERNED_BITS,
        }
    }
}

/// Something done with a compiled program, at the width of its states.
pub trait Job {
    /// What comes of it.
    type Output;

    /// Does it, for states of `W` words.
    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Self::Output, Ended>, Interrupt>;
}
