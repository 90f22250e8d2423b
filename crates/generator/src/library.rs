//! The standard library of Rust as LLVM IR, for the literal machine: compiled once for all programs of a campaign.
//!
//! The IR of a generated program has only the crate's own functions, and to have the compiler write the rest takes seconds for
//! each program. Names of one library by one compiler are the same in every program, though. So one program that uses what
//! generated programs use ([`TEXT`]) is compiled as a whole, and what it has of the library is offered by name to all others.
//!
//! *Limits:* what [`TEXT`] does not reach is missing; a program that calls it is refused by the literal machine, with the name.

use fencewright_llvm::module::Linkage;
use fencewright_llvm::parse::Module;

use crate::compile::Compilers;

/// Uses of the library as generated programs make them.
const TEXT: &str = include_str!("library_use.rs");

/// The library, read. It is kept for as long as the process runs: every thread of a campaign uses it to the end.
#[derive(Debug, Copy, Clone)]
pub struct Library {
    module: &'static Module<'static>,
}

impl Library {
    /// Compiles and reads it: some seconds, and about as much memory again as its text has, which is some 40 MB.
    pub fn new(compilers: &Compilers) -> Result<Self, String> {
        let text: &'static str = Box::leak(compilers.whole_rust(TEXT)?.into_boxed_str());
        let mut module = Module::parse(text).map_err(|malformed| malformed.message)?;
        offer(&mut module);
        Ok(Self { module: Box::leak(Box::new(module)) })
    }

    /// The module. All its definitions give way to those of others.
    pub fn module(self) -> &'static Module<'static> {
        self.module
    }
}

/// In a whole program all names but `main` are its own. Here they are for others, too; the constants that have no name in the
/// source are not: every module brings its own.
fn offer(module: &mut Module<'_>) {
    for id in module.functions.indices().collect::<Vec<_>>() {
        module.functions[id].linkage = Linkage::Weak;
    }
    for id in module.globals.indices().collect::<Vec<_>>() {
        let global = &mut module.globals[id];
        if global.init.is_some() && global.name.starts_with('_') {
            global.linkage = Linkage::Weak;
        }
    }
}
