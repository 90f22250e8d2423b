//! What cells, registers and threads are called in reports.

use std::collections::BTreeMap;

use fencewright_base::Int;
use fencewright_ir::Role;
use fencewright_llvm::names::readable;

use super::build::{Builder, Lane};
use super::machine::{Machine, ObjectKey, RegInfo, RegKey, to_int};
use super::state::{Cell, MAIN, Point, ThreadNumber};
use super::value::{Known, ObjectId, Value};

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
                let (mut name, debug) = found.unwrap_or_else(|| (readable(&global.name), None));
                if let Some(thread) = thread {
                    name = format!("{}'s {name}", self.thread_name(*thread));
                }
                path(name, debug, Some(&global.ty))
            }
            ObjectKey::Local(context, ..) => {
                let (name, debug) = object.variable.clone().unwrap_or_else(|| ("local".to_owned(), None));
                let thread = self.machine.contexts[*context].thread;
                let name =
                    if thread == MAIN { name } else { format!("{}'s {name}", self.thread_name(thread)) };
                path(name, debug, object.ty.as_ref())
            }
            ObjectKey::Heap(..) => {
                let debug = object.variable.as_ref().and_then(|(_, debug)| *debug);
                path(self.block_name(cell.0), debug, None)
            }
            ObjectKey::Counter(..) => "allocations".to_owned(),
            ObjectKey::Freed(object) => format!("whether {} is gone", self.gone_name(*object)),
            ObjectKey::NeverFreed(_) | ObjectKey::Null => "nothing".to_owned(),
            ObjectKey::Function(name) => readable(name),
            ObjectKey::Started(thread) => format!("start of {}", self.thread_name(*thread)),
            ObjectKey::Ended(thread) => format!("end of {}", self.thread_name(*thread)),
            ObjectKey::Returned(thread) => format!("result of {}", self.thread_name(*thread)),
        }
    }

    /// What reports say of a cell that is no variable of the user's.
    pub(super) fn role(&self, cell: Cell) -> Option<Role> {
        if let Some(counts) = self.machine.locks.get(&cell) {
            let name = self.cell_name(cell);
            return Some(if *counts { Role::Semaphore(name) } else { Role::Lock(name) });
        }
        Some(match &self.machine.objects[cell.0].key {
            ObjectKey::Started(thread) => Role::Started(self.thread_name(*thread)),
            ObjectKey::Ended(thread) => Role::Ended(self.thread_name(*thread)),
            ObjectKey::Returned(thread) => Role::Returned(self.thread_name(*thread)),
            ObjectKey::Freed(object) => Role::Freed(self.gone_name(*object)),
            ObjectKey::Counter(..) | ObjectKey::NeverFreed(_) | ObjectKey::Null => Role::Bookkeeping,
            ObjectKey::Global(..) | ObjectKey::Local(..) | ObjectKey::Heap(..) | ObjectKey::Function(_) => {
                return None;
            }
        })
    }

    /// The addresses among the values that something can hold, by their numbers. Null is one where there are others.
    pub(super) fn addresses(&self, known: &Known) -> BTreeMap<Int, String> {
        let mut names = BTreeMap::new();
        for value in known.values().into_iter().flatten() {
            if let Value::Pointer(object, offset) = *value {
                let number = to_int(self.numbering.value(*value));
                names.insert(number, format!("&{}", self.address_name((object, offset))));
            }
        }
        if !names.is_empty() {
            names.entry(Int::ZERO).or_insert_with(|| "null".to_owned());
        }
        names
    }

    /// What an address is the address of.
    fn address_name(&self, cell: Cell) -> String {
        let object = &self.machine.objects[cell.0];
        let offset = cell.1.max(0) as u64;
        let (name, debug) = match &object.key {
            ObjectKey::Global(id, None) => {
                let global = &self.machine.module.globals[*id];
                let found = global.debug.and_then(|debug| self.machine.positions.global(debug));
                found.unwrap_or_else(|| (readable(&global.name), None))
            }
            ObjectKey::Heap(..) => {
                (self.block_name(cell.0), object.variable.as_ref().and_then(|(_, debug)| *debug))
            }
            ObjectKey::Local(context, ..) => {
                let (name, debug) = object.variable.clone().unwrap_or_else(|| ("local".to_owned(), None));
                let thread = self.machine.contexts[*context].thread;
                (if thread == MAIN { name } else { format!("{}'s {name}", self.thread_name(thread)) }, debug)
            }
            _ => return self.cell_name(cell),
        };
        format!("{name}{}", self.machine.positions.address_path(debug, object.ty.as_ref(), offset))
    }

    fn thread_name(&self, thread: ThreadNumber) -> String {
        self.thread_names.get(&thread).cloned().unwrap_or_else(|| self.machine.threads[thread].name.clone())
    }

    fn gone_name(&self, object: ObjectId) -> String {
        match self.machine.objects[object].key {
            ObjectKey::Heap(..) => self.block_name(object),
            _ => self.address_name((object, 0)),
        }
    }

    fn block_name(&self, object: ObjectId) -> String {
        self.block_names.get(&object).cloned().unwrap_or_else(|| "block".to_owned())
    }

    /// What a register is called: what it stands for in the text, if that has a name.
    pub(super) fn register_name(&self, info: &RegInfo) -> Option<String> {
        match info.key {
            RegKey::Cell(cell, size) => {
                let object = &self.machine.objects[cell.0];
                let (name, debug) = match &object.key {
                    ObjectKey::Global(id, _) => {
                        let global = &self.machine.module.globals[*id];
                        let found = global.debug.and_then(|debug| self.machine.positions.global(debug));
                        found.unwrap_or_else(|| (readable(&global.name), None))
                    }
                    _ => object.variable.clone()?,
                };
                let path = self.machine.positions.path(debug, object.ty.as_ref(), cell.1.max(0) as u64, size);
                Some(format!("{name}{path}"))
            }
            RegKey::Temp(_) | RegKey::Scratch(_) => None,
        }
    }
}

/// The names of allocated blocks: by the line that allocates, with a number if that allocates several.
pub(super) fn block_names(machine: &Machine<'_>) -> BTreeMap<ObjectId, String> {
    let mut by_line: BTreeMap<usize, Vec<ObjectId>> = BTreeMap::new();
    for (id, object) in machine.objects.iter_enumerated() {
        if let ObjectKey::Heap(context, block, index, _) = object.key {
            let position = machine.position(Point { context, block, index });
            by_line.entry(machine.unit.sources.line_column(position.span).line).or_default().push(id);
        }
    }
    let mut names = BTreeMap::new();
    for (line, blocks) in by_line {
        let several = blocks.len() > 1;
        for (number, block) in blocks.into_iter().enumerate() {
            let number = if several { format!("#{}", number + 1) } else { String::new() };
            names.insert(block, format!("block@{line}{number}"));
        }
    }
    names
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
