//! Functions that the process runs by itself, before and after `main`: constructors and destructors, which the text lists in an
//! array of LLVM or puts into a section of the object file.
//!
//! *Order:* as on Linux. Functions of smaller priority run earlier before `main` and later after it. Destructors run after the
//! functions registered with `atexit`.
//!
//! *Limits:* the functions are called without arguments. The linker's order of functions with equal priority in different
//! modules is that of the modules.

use fencewright_llvm::module::{Constant, Global, Type};
use fencewright_llvm::names::readable;

use crate::program::Program;
use crate::refusal::Refusal;

/// When the process runs a function by itself.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum When {
    BeforeMain,
    AfterMain,
}

/// The priority of functions that have none.
const LAST: i128 = 65_535;

impl Program<'_> {
    /// The functions that run before `main`, in order.
    pub(crate) fn constructors(&self) -> Result<Vec<u32>, Refusal> {
        self.run_by_themselves(When::BeforeMain)
    }

    /// The functions that run when the process ends, after those registered with `atexit`. The last of the list runs first.
    pub(crate) fn destructors(&self) -> Result<Vec<u32>, Refusal> {
        self.run_by_themselves(When::AfterMain)
    }

    fn run_by_themselves(&self, when: When) -> Result<Vec<u32>, Refusal> {
        let array = match when {
            When::BeforeMain => "llvm.global_ctors",
            When::AfterMain => "llvm.global_dtors",
        };
        let mut found = Vec::new();
        for (number, module) in self.modules().iter().enumerate() {
            for global in module.globals.iter() {
                let Some(init) = &global.init else { continue };
                if &*global.name == array {
                    for (priority, function) in listed(init).ok_or_else(|| unreadable(global))? {
                        self.add(number, global, priority, function, &mut found)?;
                    }
                } else if let Some((_, priority)) =
                    global.section.as_deref().and_then(section).filter(|(found, _)| *found == when)
                {
                    let mut functions = Vec::new();
                    addresses(init, &mut functions).ok_or_else(|| unreadable(global))?;
                    for function in functions {
                        self.add(number, global, priority, function, &mut found)?;
                    }
                }
            }
        }
        // A stable sort: the place in the text decides between equal priorities.
        found.sort_by_key(|(priority, _)| *priority);
        Ok(found.into_iter().map(|(_, function)| function).collect())
    }

    fn add(
        &self,
        module: usize,
        global: &Global,
        priority: i128,
        function: &Constant,
        found: &mut Vec<(i128, u32)>,
    ) -> Result<(), Refusal> {
        let address = self.evaluator(module).value(&Type::Ptr, function).map_err(Refusal::new)?;
        let address = address.as_scalar().filter(|address| address.is_set());
        let bits = address.ok_or_else(|| unreadable(global))?.bits;
        if bits == 0 {
            return Ok(());
        }
        let function = self.function_at(bits).ok_or_else(|| unreadable(global))?;
        if !keeps_arguments_of_main(&self.function_name(function)) {
            found.push((priority, function));
        }
        Ok(())
    }
}

/// The priorities and functions of an array of LLVM.
fn listed(init: &Constant) -> Option<Vec<(i128, &Constant)>> {
    let Constant::Aggregate(entries) = init else { return is_empty(init).then(Vec::new) };
    entries.iter().map(|(_, entry)| priority_and_function(entry)).collect()
}

fn priority_and_function(entry: &Constant) -> Option<(i128, &Constant)> {
    let Constant::Aggregate(fields) = entry else { return None };
    let [(_, priority), (_, function), ..] = &fields[..] else { return None };
    match priority {
        Constant::Int(priority) => Some((*priority, function)),
        Constant::Zero => Some((0, function)),
        _ => None,
    }
}

/// The addresses that stand in a constant.
fn addresses<'c>(init: &'c Constant, found: &mut Vec<&'c Constant>) -> Option<()> {
    match init {
        Constant::Aggregate(parts) => parts.iter().try_for_each(|(_, part)| addresses(part, found)),
        Constant::Int(_) => None,
        _ if is_empty(init) => Some(()),
        address => {
            found.push(address);
            Some(())
        }
    }
}

fn is_empty(init: &Constant) -> bool {
    matches!(init, Constant::Zero)
}

/// When the functions in a section run, and their priority.
fn section(name: &str) -> Option<(When, i128)> {
    let (kind, suffix) = match name.strip_prefix('.')?.split_once('.') {
        Some((kind, suffix)) => (kind, Some(suffix)),
        None => (&name[1..], None),
    };
    let number: Option<i128> = suffix.and_then(|suffix| suffix.parse().ok());
    let priority = number.unwrap_or(LAST);
    // The numbers of the older sections count downwards.
    let downwards = LAST - number.unwrap_or(0);
    match kind {
        "preinit_array" => Some((When::BeforeMain, -1)),
        "init_array" => Some((When::BeforeMain, priority)),
        "ctors" => Some((When::BeforeMain, downwards)),
        "fini_array" => Some((When::AfterMain, priority)),
        "dtors" => Some((When::AfterMain, downwards)),
        _ => None,
    }
}

/// Whether it is the function with which Rust's library keeps the command line. `main` hands that to the library once more.
fn keeps_arguments_of_main(name: &str) -> bool {
    let path = readable(name).replace(['<', '>'], "");
    path.starts_with("std::sys::args::") && path.contains("::ARGV_INIT_ARRAY::")
}

fn unreadable(global: &Global) -> Refusal {
    let section =
        global.section.as_deref().map(|name| format!(" in the section `{name}`")).unwrap_or_default();
    Refusal::new(format!("the list `{}`{section} of functions to run before or after `main`", global.name))
}
