//! Where a token came from when macros are involved.
//!
//! Every token has a [`Place`]: the span of its own text, and the *frame* that text is read in. The text of the file
//! is read in the root frame. A macro call opens a frame for the macro's body, and every use of a parameter in that
//! body opens a frame for the text of the argument. A frame knows its parent and which span of the parent's text it
//! stands for: the call for a body, the parameter for an argument.
//!
//! *Contract:* [`Frames::join`] gives the smallest piece of text that stands for both its arguments: it climbs to the
//! innermost frame they share. So a statement written in a macro's body whose operand is a parameter has a span
//! inside the body that covers the parameter's name, and a statement that is an argument has its span at the call.

use std::collections::BTreeMap;

use fencewright_base::{Diagnostic, IndexVec, Span, define_index};

define_index! {
    /// A frame.
    pub(super) struct FrameId = "frame";
}

impl FrameId {
    /// The text of the file itself.
    pub(super) const ROOT: FrameId = FrameId(0);
}

/// A piece of text, and the frame it is read in.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The text.
    pub(super) span: Span,
    /// The frame.
    pub(super) frame: FrameId,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Role {
    /// The body of a macro, in place of a call.
    Body,
    /// An argument, in place of a parameter.
    Argument,
}

#[derive(Debug, Copy, Clone)]
struct Frame {
    parent: FrameId,
    /// What of the parent's text it stands for. Of no meaning for the root.
    at: Option<Span>,
    depth: u32,
    role: Role,
}

/// How many places of expansion a diagnostic names, from the inside out.
const MAX_NOTES: usize = 6;

/// All frames of a text.
#[derive(Debug)]
pub(super) struct Frames {
    frames: IndexVec<FrameId, Frame>,
}

impl Frames {
    /// Only the root.
    pub(super) fn new() -> Self {
        let root = Frame { parent: FrameId::ROOT, at: None, depth: 0, role: Role::Body };
        Self { frames: vec![root].into() }
    }

    fn push(&mut self, parent: FrameId, at: Option<Span>, role: Role) -> FrameId {
        let depth = self.frames[parent].depth + 1;
        self.frames.push(Frame { parent, at, depth, role })
    }

    /// A frame for the body of the macro called here.
    pub(super) fn body(&mut self, call: Place) -> FrameId {
        self.push(call.frame, Some(call.span), Role::Body)
    }

    /// A frame for the argument that replaces the parameter here.
    pub(super) fn argument(&mut self, parameter: Place) -> FrameId {
        self.push(parameter.frame, Some(parameter.span), Role::Argument)
    }

    /// The frame `frame`, which is `from` or lies below it, moved below `to`. `moved` remembers what has been moved
    /// already.
    pub(super) fn moved(
        &mut self,
        frame: FrameId,
        from: FrameId,
        to: FrameId,
        moved: &mut BTreeMap<FrameId, FrameId>,
    ) -> FrameId {
        if frame == from || frame == FrameId::ROOT {
            return to;
        }
        if let Some(&done) = moved.get(&frame) {
            return done;
        }
        let Frame { parent, at, depth: _, role } = self.frames[frame];
        let parent = self.moved(parent, from, to, moved);
        let new = self.push(parent, at, role);
        moved.insert(frame, new);
        new
    }

    fn climb(&self, place: Place) -> Place {
        let frame = &self.frames[place.frame];
        Place { span: frame.at.unwrap_or(place.span), frame: frame.parent }
    }

    /// The smallest piece of text that stands for both.
    pub(super) fn join(&self, mut a: Place, mut b: Place) -> Place {
        while a.frame != b.frame {
            if self.frames[a.frame].depth >= self.frames[b.frame].depth {
                a = self.climb(a);
            } else {
                b = self.climb(b);
            }
        }
        Place { span: a.span.to(b.span), frame: a.frame }
    }

    /// The frame just below `ancestor` on the way to `frame`; nothing if `frame` is not below it.
    pub(super) fn child_toward(&self, ancestor: FrameId, mut frame: FrameId) -> Option<FrameId> {
        let target = self.frames[ancestor].depth + 1;
        while self.frames[frame].depth > target {
            frame = self.frames[frame].parent;
        }
        (self.frames[frame].depth == target && self.frames[frame].parent == ancestor).then_some(frame)
    }

    /// The diagnostic with the places through which the text at `place` got where it is.
    pub(super) fn explain(&self, mut problem: Diagnostic, place: Place) -> Diagnostic {
        let mut frame = place.frame;
        for _ in 0..MAX_NOTES {
            let Frame { parent, at, depth: _, role } = self.frames[frame];
            let Some(at) = at else { break };
            problem = problem.also(
                at,
                match role {
                    Role::Body => "expanded here",
                    Role::Argument => "put in here",
                },
            );
            frame = parent;
        }
        problem
    }
}

#[cfg(test)]
mod tests {
    use fencewright_base::FileId;

    use super::*;

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start, end)
    }

    fn at(frame: FrameId, start: usize, end: usize) -> Place {
        Place { span: span(start, end), frame }
    }

    #[test]
    fn a_join_stands_in_the_innermost_common_text() {
        let mut frames = Frames::new();
        let body = frames.body(at(FrameId::ROOT, 100, 110));
        let argument = frames.argument(at(body, 20, 21));
        // `write: x := p` in the body, the argument's `1` at the call.
        assert_eq!(frames.join(at(body, 5, 10), at(argument, 105, 106)), at(body, 5, 21));
        // A statement that is wholly an argument.
        assert_eq!(frames.join(at(argument, 102, 103), at(argument, 105, 106)), at(argument, 102, 106));
        // A statement that begins in the body and ends behind the call.
        assert_eq!(frames.join(at(body, 5, 10), at(FrameId::ROOT, 120, 121)), at(FrameId::ROOT, 100, 121));
        // Two calls.
        let second = frames.body(at(FrameId::ROOT, 130, 140));
        assert_eq!(frames.join(at(body, 5, 10), at(second, 5, 10)), at(FrameId::ROOT, 100, 140));
        assert_eq!(frames.child_toward(FrameId::ROOT, argument), Some(body));
        assert_eq!(frames.child_toward(body, argument), Some(argument));
        assert_eq!(frames.child_toward(argument, body), None);
        assert_eq!(frames.child_toward(body, second), None);
    }
}
