//! `export`: a program in another form.

use fencewright_frontend::dve::with_store_buffers;
use fencewright_ir::text;
use fencewright_report::dot;

use crate::args::{ExportArgs, Form};
use crate::beside::add_beside;
use crate::commands::write_file;
use crate::load::load;
use crate::{Exit, World};

pub(crate) fn run(args: &ExportArgs, world: &mut World<'_>) -> Exit {
    let ExportArgs { file, to, beside, output, load: load_args } = args;
    let style = world.style_err();
    let input = match load(world, file, load_args, None).and_then(|input| add_beside(input, beside, style)) {
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
        Form::DveSb => match with_store_buffers(&input.program) {
            Ok(text) => text,
            Err(reason) => {
                world.complain(&format!("{}: cannot be written as a DVE model: {reason}", input.file));
                return Exit::BadInput;
            }
        },
    };
    match output {
        Some(path) => write_file(world, path, &text),
        None => {
            world.print(&text);
            Exit::Proved
        }
    }
}
