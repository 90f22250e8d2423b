//! `replay`: an execution from a file, run on the reference semantics.

use fencewright_memory::{ReplayError, replay};
use fencewright_report::{terminal, trace_file};

use crate::args::ReplayArgs;
use crate::beside::add_beside;
use crate::load::{Input, load};
use crate::properties::ask_instead;
use crate::{Exit, World};

pub(crate) fn run(args: &ReplayArgs, world: &mut World<'_>) -> Exit {
    let ReplayArgs { file, trace, model, beside, load: load_args, properties } = args;
    let loaded = load(world, file, load_args, None);
    let loaded = loaded
        .and_then(|input| ask_instead(input, properties, world))
        .and_then(|input| add_beside(input, beside, world.style_err()));
    let Input { file, program, sources, warnings, .. } = match loaded {
        Ok(input) => input,
        Err(complaints) => {
            world.say(&complaints.text);
            return Exit::BadInput;
        }
    };
    world.say(&warnings.text);
    let name = trace.display();
    let text = match std::fs::read_to_string(trace) {
        Ok(text) => text,
        Err(error) => {
            world.complain(&format!("{name}: cannot be read: {error}"));
            return Exit::BadInput;
        }
    };
    let trace = match trace_file::parse(&text, &program, *model) {
        Ok(trace) => trace,
        Err(error) => {
            world.complain(&format!("{name}: {error}"));
            return Exit::BadInput;
        }
    };
    match replay(&program, &trace) {
        Ok(execution) => {
            let text = terminal::replayed(&file, &program, &sources, &trace, &execution, world.style_out());
            world.print(&text);
            if execution.violation.is_some() { Exit::Violated } else { Exit::Proved }
        }
        Err(error) => {
            let at = match error {
                ReplayError::Blocked(position) | ReplayError::Continues(position) => Some(position),
                ReplayError::Initial | ReplayError::NoReturn(_) | ReplayError::NotAtRest => None,
            };
            let what = at.and_then(|at| trace.actions.get(at)).map(|action| match action {
                fencewright_memory::Action::Step { thread, edge, .. }
                | fencewright_memory::Action::Ahead { thread, edge, .. } => {
                    format!(
                        ": {} takes `{}`",
                        program.threads[*thread].name,
                        program.statement(*thread, *edge).text
                    )
                }
                fencewright_memory::Action::Rendezvous { sender, send, receiver, .. } => {
                    format!(
                        ": {} takes `{}` with {}",
                        program.threads[*sender].name,
                        program.statement(*sender, *send).text,
                        program.threads[*receiver].name
                    )
                }
                fencewright_memory::Action::Late { thread, step } => {
                    format!(": {} performs what its step {step} reads", program.threads[*thread].name)
                }
                fencewright_memory::Action::Flush { thread, cell } => {
                    format!(
                        ": {}'s write to {} reaches memory",
                        program.threads[*thread].name,
                        program.cell_name(*cell)
                    )
                }
            });
            world.complain(&format!(
                "{name}: this is no execution of {file} under {}: {error}{}",
                trace.model.name().to_uppercase(),
                what.unwrap_or_default()
            ));
            Exit::BadInput
        }
    }
}
