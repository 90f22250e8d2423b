//! What is said about a program beside its text: invariants, atomic writes and barriers.

use fencewright_frontend::dve::{apply_atomic, parse_condition};
use fencewright_ir::Property;
use fencewright_report::terminal::Style;

use crate::args::BesideArgs;
use crate::load::{Complaints, Input};

/// The program with what is said about it; its invariants are demanded beside the properties that it has. The second reading of
/// a compiled text knows nothing of them: it is not asked.
pub(crate) fn add_beside(mut input: Input, beside: &BesideArgs, style: Style) -> Result<Input, Complaints> {
    let BesideArgs { invariant, atomic } = beside;
    if invariant.is_empty() && atomic.is_none() {
        return Ok(input);
    }
    if let Some(refused) = input.refused.take() {
        return Err(refused);
    }
    input.reading = None;
    if let Some(path) = atomic {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Complaints::about_file(style, &name, format!("cannot be read: {error}")))?;
        let file = input.sources.add(name, text);
        input.program = apply_atomic(&input.sources, file, &input.program)
            .map_err(|problems| Complaints::render(&problems, &input.sources, style))?;
    }
    for text in invariant {
        let file = input.sources.add("--invariant", text.clone());
        let condition = parse_condition(&input.sources, file, &input.program)
            .map_err(|problems| Complaints::render(&problems, &input.sources, style))?;
        input.program.properties.push(Property::Invariant(condition));
    }
    Ok(input)
}
