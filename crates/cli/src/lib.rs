//! The command line: flags, files, the table of engines, exit codes.
//!
//! - [`args`](mod@args): what was typed;
//! - `settings`: what it means;
//! - `commands`: one file a command;
//! - [`ENGINES`]: the engines a user can name.
//!
//! [`main`] is the program; [`main_with`] is the same with everything it touches handed in, so that tests can call it.
//!
//! *Invariant:* the only crate that reads files, prints, or asks the environment.
#![forbid(unsafe_code)]

mod advice;
pub mod args;
mod beside;
mod commands;
mod compile;
mod deadline;
mod engines;
mod exit;
mod literal;
mod load;
mod progress;
mod properties;
mod settings;
mod world;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use fencewright_base::CancelToken;

pub use engines::{ENGINES, EngineRow};
pub use exit::Exit;
pub use world::World;

use args::{Args, Command};

/// Runs the tool on the process's own arguments, streams and signals.
pub fn main() -> ExitCode {
    let cancel = CancelToken::new();
    let on_interrupt = cancel.clone();
    // Without a handler an interrupt simply ends the process, which is acceptable.
    let _ = ctrlc::set_handler(move || {
        if on_interrupt.is_cancelled() {
            // The second interrupt: whoever insists does not want to wait for a clean end.
            std::process::exit(130);
        }
        on_interrupt.cancel();
    });
    let (mut stdin, mut stdout, mut stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let (out_is_terminal, err_is_terminal) = (stdout.is_terminal(), stderr.is_terminal());
    let mut world = World::new(&mut stdin, &mut stdout, &mut stderr);
    world.out_is_terminal = out_is_terminal;
    world.err_is_terminal = err_is_terminal;
    world.no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    world.width = terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width));
    world.cancel = cancel;
    main_with(std::env::args_os(), world).into()
}

/// Runs the tool on these arguments, the first of which is the program's name, in this world.
pub fn main_with(args: impl IntoIterator<Item = OsString>, mut world: World<'_>) -> Exit {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            // `--help` and `--version` are errors to clap; they go to standard output and are no failure.
            let text = error.render();
            if error.use_stderr() {
                world.say(&if world.color_err() { text.ansi().to_string() } else { text.to_string() });
                return Exit::BadInput;
            }
            world.print(&if world.color_out() { text.ansi().to_string() } else { text.to_string() });
            return world.finish(Exit::Proved);
        }
    };
    world.color = args.color;
    let exit = match &args.command {
        Command::Check(args) => commands::check::run(args, &mut world),
        Command::Fix(args) => commands::fix::run(args, &mut world),
        Command::Replay(args) => commands::replay::run(args, &mut world),
        Command::VerifyCertificate(args) => commands::certificate::verify(args, &mut world),
        Command::Litmus(args) => commands::litmus::run(args, &mut world),
        Command::Export(args) => commands::export::run(args, &mut world),
        Command::Explain(args) => commands::explain::run(args, &mut world),
        Command::Models => commands::tables::models(&mut world),
        Command::Engines => commands::tables::engines(&mut world),
    };
    world.finish(exit)
}
