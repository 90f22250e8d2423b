//! Forgets what no thread will read, so that indistinguishable states are equal.

use std::rc::Rc;

use crate::buffer::Entry;
use crate::open::Renaming;
use crate::state::{Frame, Part, State};
use crate::value::{Scalar, Value};

/// The live registers and slots of a frame: before its next instruction, or after its call.
pub(crate) fn live(frame: &Frame, is_top: bool) -> Rc<[bool]> {
    if is_top { frame.function.live_before(frame.pc) } else { frame.function.live_behind_call(frame.pc) }
}

impl State {
    /// Forgets what cannot be read, and renumbers the symbols of open values in the order in which they occur in the state.
    pub fn trim(&mut self) {
        self.forget_locals();
        self.rename_symbols();
    }

    /// Forgets registers and slots that cannot be read.
    pub fn forget_locals(&mut self) {
        for thread in &mut self.threads {
            let top = thread.frames.len().saturating_sub(1);
            for (depth, frame) in thread.frames.iter_mut().enumerate() {
                // A numbered part has already been trimmed.
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

    fn rename_symbols(&mut self) {
        if self.process.open.is_empty() {
            return;
        }
        let old = self.process.open.clone();
        let mut renaming = Renaming::new(&old);
        for thread in &mut self.threads {
            for frame in &mut thread.frames {
                let is_open = frame.locals.iter().any(Value::is_open)
                    || frame.read.iter().any(|scalar| scalar.open.is_some())
                    || frame.extra.iter().any(|(value, _)| value.is_open());
                if !is_open {
                    continue;
                }
                let frame = Part::edit(frame);
                frame.locals.iter_mut().for_each(|value| rename(value, &mut renaming));
                frame.read.iter_mut().for_each(|scalar| rename_scalar(scalar, &mut renaming));
                if frame.extra.iter().any(|(value, _)| value.is_open()) {
                    let mut extra = frame.extra.to_vec();
                    extra.iter_mut().for_each(|(value, _)| rename(value, &mut renaming));
                    frame.extra = extra.into();
                }
            }
            if thread.buffer.writes().any(|(_, write)| write.value.open.is_some()) {
                for entry in &mut Part::edit(&mut thread.buffer).entries {
                    if let Entry::Write(write) = entry {
                        rename_scalar(&mut write.value, &mut renaming);
                    }
                }
            }
            let own = &thread.own;
            let is_open = own.result.iter().any(Value::is_open)
                || own.start.iter().any(|(_, argument)| argument.is_open())
                || own.keys.iter().chain(&own.at_end).any(|(_, value)| value.is_open());
            if is_open {
                let own = Part::edit(&mut thread.own);
                own.result.iter_mut().for_each(|value| rename(value, &mut renaming));
                own.start.iter_mut().for_each(|(_, argument)| rename(argument, &mut renaming));
                let pairs = own.keys.iter_mut().chain(&mut own.at_end);
                pairs.for_each(|(_, value)| rename(value, &mut renaming));
            }
        }
        for (_, object) in &mut self.objects {
            if object.open.is_empty() {
                continue;
            }
            let object = Part::edit(object);
            for bytes in object.open.clone() {
                let (offset, size) = (bytes.offset.into(), bytes.size);
                let value = renaming.rename(object.read(offset, size));
                object.write(offset, size, value);
            }
        }
        let new = renaming.finish();
        if new != self.process.open {
            Part::edit(&mut self.process).open = new;
        }
    }
}

fn rename_scalar(scalar: &mut Scalar, renaming: &mut Renaming<'_>) {
    if scalar.open.is_some() {
        *scalar = renaming.rename(*scalar);
    }
}

fn rename(value: &mut Value, renaming: &mut Renaming<'_>) {
    match value {
        Value::Scalar(scalar) => rename_scalar(scalar, renaming),
        Value::Aggregate(parts) if parts.iter().any(Value::is_open) => {
            let mut own = parts.to_vec();
            own.iter_mut().for_each(|part| rename(part, renaming));
            *parts = own.into();
        }
        _ => {}
    }
}
