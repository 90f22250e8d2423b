//! What goes beyond the core of the representation: memory, threads that move one at a time, at any time. An engine that
//! does not know an extension must not take a program that uses it.

use fencewright_base::Span;

use crate::Program;

/// A part of the representation that not every engine takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extension {
    /// A variable whose accesses act at once under every model.
    Direct(String),
    /// Two threads that move together.
    Rendezvous(String),
    /// A location whose thread goes before the others.
    Committed(String),
}

impl std::fmt::Display for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Extension::Direct(name) => write!(f, "`{name}`, which is shared but never buffered"),
            Extension::Rendezvous(name) => write!(f, "the rendezvous channel `{name}`"),
            Extension::Committed(name) => write!(f, "the committed state `{name}`"),
        }
    }
}

/// The first extension that the program uses, and where it stands.
pub fn first_extension(program: &Program) -> Option<(Extension, Option<Span>)> {
    if let Some(channel) = program.channels.iter().next() {
        return Some((Extension::Rendezvous(channel.name.clone()), channel.span));
    }
    if let Some(var) = program.vars.iter().find(|var| var.direct) {
        return Some((Extension::Direct(var.name.clone()), var.span));
    }
    program.threads.iter().find_map(|thread| {
        let location = thread.locations.iter().find(|location| location.committed)?;
        let label = location.labels.first().map_or("?", String::as_str);
        Some((Extension::Committed(format!("{}.{label}", thread.name)), None))
    })
}
