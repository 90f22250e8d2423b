//! From a module to a program.
//!
//! 1. [`analysis`]: an abstract execution of all threads ([`interpret`] on what [`state`] and [`machine`] hold), with
//!    small sets of [`value`]s, until nothing new becomes known. Which memory is shared comes out of it.
//! 2. A last round gives a graph of residual operations for each thread: what was constant is gone, what one thread alone
//!    touches is in registers.
//! 3. [`steps`]: the graph becomes the edges of an automaton, as few as the accesses allow.
//! 4. [`build`]: cells, domains, names and statements; [`words`]: the words for orders.

mod analysis;
mod assembly;
mod atomics;
mod branches;
mod build;
mod bulk;
mod calls;
mod checks;
mod conditions;
mod expr;
mod heap;
mod interpret;
mod intrinsics;
mod library;
mod lifetimes;
mod liveness;
mod machine;
mod memory;
mod mutexes;
mod names;
mod numbering;
mod operands;
mod output;
mod owned;
mod paths;
mod pointers;
mod poison;
mod private;
mod reasons;
mod startup;
mod state;
mod steps;
mod threads;
mod tidy;
mod value;
mod words;

pub use self::reasons::UNSET;

use fencewright_base::{Diagnostic, Span};

use self::machine::{Machine, Run, ThreadInfo};
use self::state::{Env, MAIN, ThreadNumber};
use super::{Lowered, Unit, codes};
use fencewright_llvm::module::FunctionId;
use fencewright_llvm::names::readable;
use fencewright_llvm::parse::Module;

/// Lowers a module.
pub(super) fn lower(unit: &Unit<'_>, module: &Module<'_>) -> Run<Lowered> {
    let mut machine = Machine::new(unit, module);
    machine.number_globals();
    find_threads(&mut machine)?;
    let graphs = machine.analyse()?;
    build::build(&mut machine, graphs)
}

/// Main, or the functions that are named.
fn find_threads(machine: &mut Machine<'_>) -> Run<()> {
    machine.refuse_hidden_calls()?;
    let entries = &machine.unit.options.entries;
    if entries.is_empty() {
        let Some(&main) = machine.module.function_names.get("main") else {
            return Err(no_entry(machine, "there is no function `main`"));
        };
        return machine.start_with_main(main);
    }
    if !machine.constructors()?.is_empty() {
        return Err(no_entry(machine, "some global variables are set up before `main`, which is not run"));
    }
    machine.threads.push(ThreadInfo {
        name: "main".to_owned(),
        root: None,
        start: Env::default(),
        created_at: None,
    });
    for entry in entries {
        let function = find_entry(machine, entry)?;
        machine.thread = ThreadNumber(machine.threads.len() as u32);
        let root = machine.context(function, None)?;
        if machine.contexts[root]
            .body
            .function
            .params
            .iter()
            .any(|(ty, _)| *ty != fencewright_llvm::module::Type::Ptr)
        {
            return Err(no_entry(machine, &format!("`{entry}` takes arguments: what they are is not known")));
        }
        let start = Env::default();
        machine.threads.push(ThreadInfo { name: entry.clone(), root: Some(root), start, created_at: None });
    }
    machine.thread = MAIN;
    Ok(())
}

/// The function that a name on the command line means.
fn find_entry(machine: &Machine<'_>, entry: &str) -> Run<FunctionId> {
    if let Some(&function) = machine.module.function_names.get(entry) {
        return Ok(function);
    }
    let suffix = format!("::{entry}");
    let matching: Vec<FunctionId> = (machine.module.functions.iter_enumerated())
        .filter(|(_, head)| {
            let path = readable(&head.name);
            path == entry || path.ends_with(&suffix)
        })
        .map(|(id, _)| id)
        .collect();
    match matching[..] {
        [function] => Ok(function),
        [] => Err(no_entry(machine, &format!("there is no function `{entry}`"))),
        _ => Err(no_entry(machine, &format!("several functions are called `{entry}`"))),
    }
}

fn no_entry(machine: &Machine<'_>, message: &str) -> Box<Diagnostic> {
    let defined: Vec<String> =
        (machine.module.functions.iter().take(8)).map(|head| readable(&head.name)).collect();
    let help = if defined.is_empty() {
        "the module defines no function".to_owned()
    } else {
        format!("name the functions that are the threads with --entry; there are {}", defined.join(", "))
    };
    Box::new(Diagnostic::error(&codes::ENTRY, Span::new(machine.unit.ir, 0, 0), message).help(help))
}
