//! The words for programs that were read from compiled code: what a failing check is about, what bookkeeping means
//! (locks, starts and ends of threads, freed memory), which numbers are addresses, and in which file a line is.

use fencewright_base::{FileId, Int, SourceMap, Span};
use fencewright_ir::{CellId, Failure, Holder, Op, Program, Role};
use fencewright_memory::{Event, Execution, Performed, Violation, WriteTo};

use crate::literal::LiteralPlace;
use crate::story::{Effect, IN_ITS_BUFFER};

/// What the check that an execution ends in is about, if the program says so.
pub fn failing<'p>(program: &'p Program, execution: &Execution) -> Option<&'p Failure> {
    let Some(Violation::Assertion { thread, edge }) = execution.violation else { return None };
    let failures = program.wording.failures.get(&(thread, edge))?;
    let is_it = |done: &Performed| done.action.edges().any(|taken| taken == (thread, edge));
    let position = execution.performed.iter().rposition(is_it)?;
    let before =
        position.checked_sub(1).map_or(&execution.initial, |before| &execution.performed[before].after);
    let mut registers = before.registers[thread].clone();
    let mut events =
        execution.performed[position].events.iter().filter(|event| !matches!(event, Event::By(_)));
    let mut checks = failures.iter();
    for op in &program.edge(thread, edge).step.ops {
        match op {
            Op::Read { dst, .. } | Op::Assign { dst, .. } | Op::Havoc { dst } => match events.next()? {
                Event::Read { value, .. } | Event::Assign { value, .. } => registers[*dst] = value.clone(),
                Event::Write { .. } | Event::By(_) => return None,
            },
            Op::Write { .. } => _ = events.next()?,
            Op::Assert(condition) => {
                let failure = checks.next()?;
                let holds = condition.eval(&mut |reg| registers[*reg].clone());
                if !holds.is_ok_and(|value| value.is_true()) {
                    return Some(failure);
                }
            }
            Op::Guard(_) | Op::Fence(_) | Op::Send { .. } | Op::Receive { .. } => {}
        }
    }
    None
}

/// Where that check stands.
pub fn failing_place(program: &Program, sources: &SourceMap, execution: &Execution) -> Option<LiteralPlace> {
    let span = failing(program, execution)?.span?;
    let at = sources.line_column(span);
    let file = sources.file(span.file).name().to_owned();
    Some(LiteralPlace { file, line: at.line, column: at.column })
}

/// A value; an address by what it is the address of.
pub(crate) fn value_text(program: &Program, holder: Holder, value: &Int) -> String {
    let address = program.wording.addresses.get(&holder).and_then(|names| names.get(value));
    address.cloned().unwrap_or_else(|| value.to_string())
}

/// Whether what happens in an execution stands in several files, so that a line alone does not say where. Its table is asked
/// the same.
fn in_several_files(program: &Program, execution: &Execution) -> bool {
    let edges = execution.performed.iter().flat_map(|done| done.action.edges());
    let steps = edges.filter_map(|(thread, edge)| program.statement(thread, edge).span);
    let check = failing(program, execution).and_then(|check| check.span);
    let mut files: Vec<FileId> = steps.chain(check).map(|span| span.file).collect();
    files.sort_unstable();
    files.dedup();
    files.len() > 1
}

/// ` at line 12`, or ` at lock.h:12` where there are several files.
pub(crate) fn at_line(
    program: &Program,
    sources: &SourceMap,
    execution: &Execution,
    span: Option<Span>,
) -> String {
    let Some(span) = span else { return String::new() };
    let line = sources.line_column(span).line;
    if in_several_files(program, execution) {
        format!(" at {}:{line}", short_name(sources.file(span.file).name()))
    } else {
        format!(" at line {line}")
    }
}

/// The last part of a path.
pub(crate) fn short_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// What a write that reaches memory means, if it is not one of the user's.
pub(crate) fn flush_text(program: &Program, cell: CellId) -> Option<String> {
    Some(match program.wording.roles.get(&cell)? {
        Role::Freed(block) => format!("freeing {block} reaches memory"),
        Role::Lock(name) | Role::Semaphore(name) => format!("what was done to {name} reaches memory"),
        Role::Started(thread) => format!("starting {thread} reaches memory"),
        Role::Ended(_) | Role::Returned(_) | Role::Bookkeeping => return None,
    })
}

/// What accesses of bookkeeping mean: the phrase, if there is anything to say, and how many effects it is about. `None` for
/// an access of the user's own.
pub(crate) fn bookkeeping(program: &Program, effects: &[Effect]) -> Option<(Option<String>, usize)> {
    let (cell, value, written) = match effects.first()? {
        Effect::Read { cell, value, .. } => (*cell, value, None),
        Effect::Write { cell, value, to, .. } => (*cell, value, Some(*to)),
        Effect::Assign { .. } => return None,
    };
    let role = program.wording.roles.get(&cell)?;
    // A step that reads and writes the same.
    let then = match (written, effects.get(1)) {
        (None, Some(Effect::Write { cell: other, value, .. })) if *other == cell => Some(value),
        _ => None,
    };
    let used = 1 + usize::from(then.is_some());
    let is_zero = *value == Int::ZERO;
    let phrase = match (role, written, then) {
        (Role::Lock(name), None, Some(_)) if is_zero => format!("takes {name}"),
        (Role::Lock(name), None, _) => {
            format!("finds {name} {}", if is_zero { "free" } else { "taken" })
        }
        (Role::Lock(name), Some(_), _) if is_zero => format!("gives back {name}"),
        (Role::Lock(name), Some(_), _) => format!("takes {name}"),
        (Role::Semaphore(name), None, Some(left)) if left < value => {
            format!("takes one of {name}, which leaves {left}")
        }
        (Role::Semaphore(name), None, Some(left)) => format!("adds one to {name}, which makes {left}"),
        (Role::Semaphore(name), None, None) => format!("finds {value} left of {name}"),
        (Role::Semaphore(name), Some(_), _) => format!("sets {name} to {value}"),
        (Role::Started(_), None, _) => "starts".to_owned(),
        (Role::Started(thread), Some(_), _) => format!("creates {thread}"),
        (Role::Ended(thread), None, _) => format!("joins {thread}"),
        (Role::Ended(_), Some(_), _) => "ends".to_owned(),
        (Role::Returned(thread), None, _) => {
            format!("gets {} from {thread}", value_text(program, Holder::Cell(cell), value))
        }
        (Role::Returned(_), Some(_), _) => {
            format!("returns {}", value_text(program, Holder::Cell(cell), value))
        }
        (Role::Freed(_), None, _) if is_zero => return Some((None, used)),
        (Role::Freed(block), None, _) => format!("{block} was freed"),
        (Role::Freed(block), Some(_), _) => format!("frees {block}"),
        (Role::Bookkeeping, ..) => return Some((None, used)),
    };
    let is_pending = written == Some(WriteTo::Pending);
    Some((Some(if is_pending { format!("{phrase}{IN_ITS_BUFFER}") } else { phrase }), used))
}
