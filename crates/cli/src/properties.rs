//! Properties from the command line, asked instead of the file's own.

use fencewright_frontend::ltl;
use fencewright_ir::{Claim, Fairness, Property, Temporal};
use fencewright_report::diagnostics;
use fencewright_report::json::WireDiagnostic;

use crate::World;
use crate::args::{PropertyArgs, ThreadFairness};
use crate::load::{Complaints, Input};

/// The program with the formulae of the command line instead of its own properties, if there are such. Assertions and
/// faults are checked all the same.
pub(crate) fn ask_instead(
    mut input: Input,
    args: &PropertyArgs,
    world: &World<'_>,
) -> Result<Input, Complaints> {
    let PropertyArgs { ltl: formulae, no_flush_fairness, fairness } = args;
    if formulae.is_empty() {
        return Ok(input);
    }
    if let Some(refused) = input.refused.take() {
        return Err(refused);
    }
    let fairness = Fairness { flush: !no_flush_fairness, process: *fairness == ThreadFairness::Process };
    let style = world.style_err();
    let mut properties = Vec::new();
    let mut complaints = Complaints::default();
    for text in formulae {
        let file = input.sources.add("--ltl", text.as_str());
        match ltl::formula(&input.sources, file, &input.program) {
            Ok(formula) => {
                let temporal =
                    Temporal { claim: Claim::Formula(formula), fairness, text: text.clone(), span: None };
                properties.push(Property::Temporal(temporal));
            }
            Err(errors) => {
                for error in &errors {
                    complaints.text += &(diagnostics::render(error, &input.sources, style) + "\n");
                    complaints.wire.push(WireDiagnostic::new(error, &input.sources));
                }
            }
        }
    }
    if properties.len() < formulae.len() {
        return Err(complaints);
    }
    input.program.properties = properties;
    Ok(input)
}
