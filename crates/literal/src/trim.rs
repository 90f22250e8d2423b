//! Forgetting what nobody will look at, so that states that cannot be told apart are one.

use std::rc::Rc;

use crate::state::{Frame, Part, State};
use crate::value::Value;

/// Which registers and slots of a frame matter: before its next instruction, or when its call comes back.
pub(crate) fn live(frame: &Frame, is_top: bool) -> Rc<[bool]> {
    if is_top { frame.function.live_before(frame.pc) } else { frame.function.live_behind_call(frame.pc) }
}

impl State {
    /// Forgets registers and slots that cannot be read any more.
    pub fn trim(&mut self) {
        for thread in &mut self.threads {
            let top = thread.frames.len().saturating_sub(1);
            for (depth, frame) in thread.frames.iter_mut().enumerate() {
                // A part with a number has been trimmed before.
                if frame.number().is_some() {
                    continue;
                }
                let live = live(frame, depth == top);
                let is_dead = |local: usize, value: &Value| !live[local] && *value != Value::Dead;
                if frame.locals.iter().enumerate().any(|(local, value)| is_dead(local, value)) {
                    for (local, value) in Part::edit(frame).locals.iter_mut().enumerate() {
                        if !live[local] {
                            *value = Value::Dead;
                        }
                    }
                }
            }
        }
    }
}
