//! How the program starts: constructors of global objects, by their priority, then `main`.

use super::machine::{Machine, Run, ThreadInfo};
use super::no_entry;
use super::state::{self, ContextId, Env, Point};
use super::value::Known;
use fencewright_llvm::module::{BlockId, Callee, Constant, FunctionId, InstKind};
use fencewright_llvm::names::readable;

impl Machine<'_> {
    /// The thread that runs the constructors and then `main`.
    pub(super) fn start_with_main(&mut self, main: FunctionId) -> Run<()> {
        let mut calls: Vec<ContextId> = Vec::new();
        for constructor in self.constructors()? {
            calls.push(self.context(constructor, None)?);
        }
        let root = self.context(main, None)?;
        calls.push(root);
        for pair in calls.windows(2) {
            if self.behind.insert(pair[0], pair[1]).is_some() {
                return Err(no_entry(self, "a function runs twice before `main`"));
            }
        }
        let mut start = Env { exact: 1, ..Env::default() };
        self.refuse_arguments(root)?;
        // The name of the program, which nobody looks at, and nothing else.
        let params = self.contexts[root].body.function.params.clone();
        for (i, (_, local)) in params.iter().enumerate() {
            let temp = state::Temp { context: root, local: *local, leaf: 0 };
            start.temps.insert(temp, Known::int(i128::from(i == 0)));
        }
        let first = calls.first().copied();
        self.threads.push(ThreadInfo { name: "main".to_owned(), root: first, start, created_at: None });
        Ok(())
    }

    /// What a program is started with is not known. Rust's `main` hands it to its library, which is not followed.
    fn refuse_arguments(&self, main: ContextId) -> Run<()> {
        let function = &self.contexts[main].body.function;
        let is_of_rust = function.blocks.iter().flat_map(|block| &block.insts).any(|inst| {
            matches!(&inst.kind, InstKind::Call { callee: Callee::Named(name), .. }
                if name.contains("lang_start"))
        });
        let looked_at = function.params.iter().any(|(_, param)| function.looks_at(*param));
        if is_of_rust || !looked_at {
            return Ok(());
        }
        let at = Point { context: main, block: BlockId(0), index: 0 };
        self.unsupported(at, "a `main` that looks at its arguments")
    }

    /// Functions that run before or after `main` for another reason than a place in `@llvm.global_ctors` are not followed. What
    /// Rust's library puts there keeps the command line, which `main` is given as well.
    pub(super) fn refuse_hidden_calls(&self) -> Run<()> {
        const SECTIONS: [&str; 5] = [".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"];
        for global in self.module.globals.iter().filter(|global| global.init.is_some()) {
            let section = global.section.as_deref().unwrap_or("");
            let is_listed = SECTIONS.iter().any(|name| section.starts_with(name))
                && !readable(&global.name).starts_with("std::sys::");
            if is_listed || &*global.name == "llvm.global_dtors" {
                return Err(no_entry(self, "a function runs before or after `main` and is called nowhere"));
            }
        }
        Ok(())
    }

    /// The functions of `@llvm.global_ctors`, in the order in which they run: by priority, then as they are listed.
    pub(super) fn constructors(&mut self) -> Run<Vec<FunctionId>> {
        let module = self.module;
        let Some(&list) = module.global_names.get("llvm.global_ctors") else { return Ok(Vec::new()) };
        let elements = match &module.globals[list].init {
            Some(Constant::Aggregate(elements)) => &elements[..],
            Some(Constant::Zero) => &[],
            _ => return Err(no_entry(self, "what runs before `main` cannot be read")),
        };
        let mut found: Vec<(i128, FunctionId)> = Vec::new();
        for (_, element) in elements {
            let Constant::Aggregate(fields) = element else {
                return Err(no_entry(self, "what runs before `main` cannot be read"));
            };
            let priority = match fields.first() {
                Some((_, Constant::Int(priority))) => *priority,
                Some((_, Constant::Zero)) => 0,
                _ => return Err(no_entry(self, "when a function runs before `main` cannot be read")),
            };
            match fields.get(1) {
                Some((_, Constant::Global(name))) => match module.function_names.get(name) {
                    Some(&function) => found.push((priority, function)),
                    None => {
                        return Err(no_entry(self, &format!("`{name}` runs before `main` and has no body")));
                    }
                },
                Some((_, Constant::Zero)) => {}
                _ => return Err(no_entry(self, "which function runs before `main` cannot be read")),
            }
        }
        found.sort_by_key(|(priority, _)| *priority);
        Ok(found.into_iter().map(|(_, function)| function).collect())
    }
}
