//! `export`: a program in another form.

use fencewright_ir::text;
use fencewright_report::dot;

use crate::args::{ExportArgs, Form};
use crate::commands::write_file;
use crate::load::load;
use crate::{Exit, World};

pub(crate) fn run(args: &ExportArgs, world: &mut World<'_>) -> Exit {
    let ExportArgs { file, to, output, load: load_args } = args;
    let input = match load(world, file, load_args) {
        Ok(input) => input,
        Err(complaints) => {
            world.say(&complaints.text);
            return Exit::BadInput;
        }
    };
    world.say(&input.warnings.text);
    let text = match to {
        Form::Ir => text::print(&input.program),
        Form::Dot => dot::render(&input.program, &input.sources),
    };
    match output {
        Some(path) => write_file(world, path, &text),
        None => {
            world.print(&text);
            Exit::Proved
        }
    }
}
