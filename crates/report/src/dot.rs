//! The threads' automata for Graphviz: a cluster a thread, a node a location, an edge a step.

use std::fmt::{self, Write};

use fencewright_base::SourceMap;
use fencewright_ir::{Lock, Program, Thread, ThreadId};

/// The program as a graph in the language of Graphviz.
pub fn render(program: &Program, sources: &SourceMap) -> String {
    let mut out = String::new();
    write_program(&mut out, program, sources).expect("writing to a string does not fail");
    out
}

fn write_program(out: &mut String, program: &Program, sources: &SourceMap) -> fmt::Result {
    writeln!(out, "digraph {} {{", quote(&program.name))?;
    writeln!(out, "  node [shape=circle, fontname=\"monospace\"];")?;
    writeln!(out, "  edge [fontname=\"monospace\"];")?;
    for (id, thread) in program.threads.iter_enumerated() {
        write_thread(out, program, sources, id, thread)?;
    }
    writeln!(out, "}}")
}

fn write_thread(
    out: &mut String,
    program: &Program,
    sources: &SourceMap,
    id: ThreadId,
    thread: &Thread,
) -> fmt::Result {
    let node = |loc| format!("t{}_{loc:?}", id.0);
    writeln!(out, "  subgraph cluster_{} {{", id.0)?;
    writeln!(out, "    label={};", quote(&thread.name))?;
    writeln!(out, "    start_{} [shape=point];", id.0)?;
    for ((loc, location), outgoing) in thread.locations.iter_enumerated().zip(&thread.outgoing()) {
        let label = if location.labels.is_empty() { format!("{loc:?}") } else { location.labels.join("\n") };
        let shape = if outgoing.is_empty() { ", shape=doublecircle" } else { "" };
        writeln!(out, "    {} [label={}{shape}];", node(loc), quote(&label))?;
    }
    writeln!(out, "    start_{} -> {};", id.0, node(thread.entry))?;
    for edge in &thread.edges {
        let statement = &program.statements[edge.step.statement];
        let line = statement.span.map(|span| format!("{}: ", sources.line_column(span).line));
        let lock = match edge.step.lock {
            None => "",
            Some(Lock::Location) => "\n(locked: its locations)",
            Some(Lock::Full) => "\n(locked)",
        };
        let label = format!("{}{}{lock}", line.unwrap_or_default(), statement.text);
        writeln!(out, "    {} -> {} [label={}];", node(edge.from), node(edge.to), quote(&label))?;
    }
    writeln!(out, "  }}")
}

/// In Graphviz's quotes, where `\n` breaks the line and a backslash must be doubled.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
