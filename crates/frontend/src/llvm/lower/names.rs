//! What cells, registers and threads are called in reports.

use std::collections::BTreeMap;

use super::build::{Builder, Lane};
use super::machine::{Machine, ObjectKey, RegInfo, RegKey};
use super::state::{Cell, MAIN};

impl Builder<'_, '_> {
    /// What a cell of shared memory is called.
    pub(super) fn cell_name(&self, cell: Cell) -> String {
        let size = self.machine.cells.get(&cell).map_or(1, |cell| cell.size);
        let path = |name: String, debug: Option<u32>, ty: Option<&fencewright_llvm::module::Type>| {
            let path = self.machine.positions.path(debug, ty, cell.1.max(0) as u64, size);
            format!("{name}{path}")
        };
        let object = &self.machine.objects[cell.0];
        match &object.key {
            ObjectKey::Global(id, thread) => {
                let global = &self.machine.module.globals[*id];
                let found = global.debug.and_then(|debug| self.machine.positions.global(debug));
                let (mut name, debug) =
                    found.unwrap_or_else(|| (fencewright_llvm::names::readable(&global.name), None));
                if let Some(thread) = thread {
                    name = format!("{name}@{}", thread.0);
                }
                path(name, debug, Some(&global.ty))
            }
            ObjectKey::Local(context, ..) => {
                let (name, debug) = object.variable.clone().unwrap_or_else(|| ("local".to_owned(), None));
                let thread = self.machine.contexts[*context].thread;
                let name = if thread == MAIN { name } else { format!("{name}@{}", thread.0) };
                path(name, debug, object.ty.as_ref())
            }
            ObjectKey::Heap(..) => {
                let (name, debug) = object.variable.clone().unwrap_or_else(|| ("object".to_owned(), None));
                path(format!("{name}{}", self.heap_number(cell.0)), debug, None)
            }
            ObjectKey::Counter(..) => "allocations".to_owned(),
            ObjectKey::Freed(object) => {
                let (name, _) = (self.machine.objects[*object].variable.clone())
                    .unwrap_or_else(|| ("object".to_owned(), None));
                format!("{name}{} freed", self.heap_number(*object))
            }
            ObjectKey::NeverFreed(_) | ObjectKey::Null => "nothing".to_owned(),
            ObjectKey::Function(name) => name.to_string(),
            ObjectKey::Started(thread) => format!("started[{}]", thread.0),
            ObjectKey::Ended(thread) => format!("ended[{}]", thread.0),
            ObjectKey::Returned(thread) => format!("returned[{}]", thread.0),
        }
    }

    /// The number of an allocated object among all that are in shared memory.
    fn heap_number(&self, object: super::value::ObjectId) -> usize {
        let mut heap: Vec<_> = (self.numbering.cells.keys())
            .map(|cell| cell.0)
            .filter(|&other| matches!(self.machine.objects[other].key, ObjectKey::Heap(..)))
            .collect();
        heap.dedup();
        heap.iter().position(|&other| other == object).unwrap_or(0)
    }

    /// What a register is called: what it stands for in the text, or a number.
    pub(super) fn register_name(&self, info: &RegInfo, number: usize) -> String {
        match info.key {
            RegKey::Cell(cell, size) => {
                let object = &self.machine.objects[cell.0];
                let (name, debug) = match &object.key {
                    ObjectKey::Global(id, _) => {
                        let global = &self.machine.module.globals[*id];
                        let found = global.debug.and_then(|debug| self.machine.positions.global(debug));
                        found.unwrap_or_else(|| (global.name.to_string(), None))
                    }
                    ObjectKey::Counter(..) => ("allocations".to_owned(), None),
                    _ => object.variable.clone().unwrap_or_else(|| (format!("r{number}"), None)),
                };
                let path = self.machine.positions.path(debug, object.ty.as_ref(), cell.1.max(0) as u64, size);
                format!("{name}{path}")
            }
            RegKey::Temp(_) | RegKey::Scratch(_) => format!("r{number}"),
        }
    }
}

/// The names of the threads: that of the function, with a number if several threads run it.
pub(super) fn thread_names(machine: &Machine<'_>, lanes: &[Lane]) -> Vec<String> {
    let name = |lane: &Lane| machine.threads[lane.thread].name.clone();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for lane in lanes {
        *count.entry(name(lane)).or_default() += 1;
    }
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    lanes
        .iter()
        .map(|lane| {
            let base = name(lane);
            if count[&base] == 1 {
                return base;
            }
            let number = next.entry(base.clone()).or_default();
            *number += 1;
            format!("{base}#{number}")
        })
        .collect()
}
