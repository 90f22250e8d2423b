//! Resolves names in a program of several modules, by a linker's rules. A name of linkage `internal` or `private` is visible
//! only in its own module. Among the definitions visible to all modules, a strong one precedes a weak one, and a weak one
//! precedes an `available_externally` copy; among equals, the first module's is taken. Of weak variables without a value, such
//! as `common` ones, the largest is taken.
//!
//! *Limits:* a name of `appending` linkage, such as `llvm.global_ctors`, means the array of its own module; a user of the whole
//! program's array goes through the modules. Visibility is ignored, because the modules form one program.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;

use crate::module::{Constant, FunctionId, GlobalId, Linkage};
use crate::parse::Module;

/// The meaning of a name. Modules are numbered from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Symbol {
    /// A function with a body.
    Function(usize, FunctionId),
    /// A variable with an initial value.
    Global(usize, GlobalId),
    /// Another name; its target must be resolved in that module.
    Alias(usize, Constant),
    /// Defined by no module.
    Declared,
}

/// Two modules define a name, and neither definition is weak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkError {
    /// The name, as in the modules.
    pub name: Arc<str>,
    /// The modules that define it.
    pub modules: (usize, usize),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is defined twice", self.name)
    }
}

impl std::error::Error for LinkError {}

/// The modules of a program and their shared names.
#[derive(Debug)]
pub struct Linked<'a> {
    modules: Vec<&'a Module<'a>>,
    shared: HashMap<Arc<str>, Definition>,
}

#[derive(Debug)]
struct Definition {
    strength: Strength,
    module: usize,
    place: Place,
    /// The size of a variable without a value.
    common_size: Option<u64>,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Copy,
    Weak,
    Strong,
}

#[derive(Debug, Copy, Clone)]
enum Place {
    Function(FunctionId),
    Global(GlobalId),
    Alias,
}

impl<'a> Linked<'a> {
    /// Links the modules.
    pub fn new(modules: &'a [Module<'a>]) -> Result<Linked<'a>, LinkError> {
        Self::of(modules.iter().collect())
    }

    /// Links modules that are not stored together: some of them may also be part of other programs.
    pub fn of(modules: Vec<&'a Module<'a>>) -> Result<Linked<'a>, LinkError> {
        let mut linked = Linked { modules: modules.clone(), shared: HashMap::new() };
        for (number, module) in modules.into_iter().enumerate() {
            for (id, head) in module.functions.iter_enumerated() {
                linked.define(&head.name, head.linkage, number, Place::Function(id), None)?;
            }
            for (id, global) in module.globals.iter_enumerated() {
                let Some(init) = &global.init else { continue };
                let size = module.size_align(&global.ty).map(|(size, _)| size);
                let is_zero = matches!(init, Constant::Zero | Constant::Int(0) | Constant::Float(0));
                let common_size = size.filter(|_| is_zero);
                linked.define(&global.name, global.linkage, number, Place::Global(id), common_size)?;
            }
            // In a fixed order, so that the same modules always give the same error.
            let mut aliases: Vec<_> = module.alias_linkage.iter().collect();
            aliases.sort_unstable_by_key(|(name, _)| *name);
            for (name, linkage) in aliases {
                linked.define(name, *linkage, number, Place::Alias, None)?;
            }
        }
        Ok(linked)
    }

    fn define(
        &mut self,
        name: &Arc<str>,
        linkage: Linkage,
        module: usize,
        place: Place,
        common_size: Option<u64>,
    ) -> Result<(), LinkError> {
        let strength = match linkage {
            Linkage::External => Strength::Strong,
            Linkage::Weak => Strength::Weak,
            Linkage::AvailableExternally => Strength::Copy,
            Linkage::Internal | Linkage::Appending | Linkage::ExternWeak => return Ok(()),
        };
        let new = Definition { strength, module, place, common_size };
        match self.shared.entry(name.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(new);
            }
            Entry::Occupied(mut entry) => {
                let old = entry.get();
                if strength == Strength::Strong && old.strength == Strength::Strong {
                    return Err(LinkError { name: name.clone(), modules: (old.module, module) });
                }
                let larger = matches!((old.common_size, common_size), (Some(old), Some(new)) if old < new);
                if strength > old.strength || (strength == old.strength && larger) {
                    entry.insert(new);
                }
            }
        }
        Ok(())
    }

    /// The modules.
    pub fn modules(&self) -> &[&'a Module<'a>] {
        &self.modules
    }

    /// The meaning of a name used in a module; `None` if the module does not know the name.
    pub fn resolve(&self, module: usize, name: &str) -> Option<Symbol> {
        let own = self.modules.get(module)?;
        let (place, linkage) = if let Some(&id) = own.function_names.get(name) {
            (Some(Place::Function(id)), own.functions[id].linkage)
        } else if let Some(&id) = own.global_names.get(name) {
            (own.globals[id].init.is_some().then_some(Place::Global(id)), own.globals[id].linkage)
        } else if let Some(&linkage) = own.alias_linkage.get(name) {
            (Some(Place::Alias), linkage)
        } else {
            (None, own.declared.get(name)?.linkage)
        };
        if let Some(place) = place
            && matches!(linkage, Linkage::Internal | Linkage::Appending)
        {
            return self.symbol(module, place, name);
        }
        match self.shared.get(name) {
            Some(definition) => self.symbol(definition.module, definition.place, name),
            None => Some(Symbol::Declared),
        }
    }

    fn symbol(&self, module: usize, place: Place, name: &str) -> Option<Symbol> {
        Some(match place {
            Place::Function(id) => Symbol::Function(module, id),
            Place::Global(id) => Symbol::Global(module, id),
            Place::Alias => Symbol::Alias(module, self.modules[module].aliases.get(name)?.clone()),
        })
    }
}
