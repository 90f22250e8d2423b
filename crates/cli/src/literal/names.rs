//! What the literal machine's memory is called: variables and their fields as the user writes them, allocated blocks by
//! the line that allocates them, with what is known of their types.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use fencewright_base::Index;
use fencewright_engine_literal::replay::Execution;
use fencewright_literal::event::{Bytes, What};
use fencewright_literal::object::ObjectKind;
use fencewright_literal::refusal::Place;
use fencewright_literal::state::State;
use fencewright_literal::value::{ObjectId, Scalar, sign_extend};
use fencewright_llvm::debug::LibraryPart;
use fencewright_llvm::module::{InstKind, Operand};
use fencewright_llvm::names::readable;

use super::story::Teller;

/// A type, by its module and its number in that module's debug information.
type TypeId = (usize, u32);

/// An allocated block.
struct Block {
    name: String,
    /// The line that allocates it, and the thread.
    line: Option<usize>,
    thread: usize,
    size: u64,
    ty: Option<(TypeId, String)>,
}

/// Names for one execution.
pub(super) struct Names<'t> {
    teller: &'t Teller<'t>,
    /// The threads' names, by number.
    pub(super) threads: Vec<String>,
    blocks: HashMap<ObjectId, Block>,
    /// Blocks that were named.
    mentioned: RefCell<BTreeSet<ObjectId>>,
    /// Local variables by the instruction that makes room for them: the module, and the number of the variable.
    locals: RefCell<HashMap<u32, Option<(usize, u32)>>>,
    /// Whether unset values are results of operations that have none.
    is_spoiled: bool,
}

impl<'t> Names<'t> {
    pub(super) fn new(
        teller: &'t Teller<'t>,
        execution: &Execution,
        threads: Vec<String>,
        is_spoiled: bool,
    ) -> Self {
        let mut names = Self {
            teller,
            threads,
            blocks: HashMap::new(),
            mentioned: RefCell::new(BTreeSet::new()),
            locals: RefCell::new(HashMap::new()),
            is_spoiled,
        };
        names.find_blocks(execution);
        for done in &execution.performed {
            while names.learn_types(&done.after) {}
        }
        names
    }

    /// Blocks get their names from the lines that allocate them, and a number if a line allocates several.
    fn find_blocks(&mut self, execution: &Execution) {
        let mut found: Vec<(ObjectId, Option<usize>, usize, u64)> = Vec::new();
        for done in &execution.performed {
            for event in &done.events {
                let What::Allocates(id, _) = event.what else { continue };
                let line = self.teller.find(&event.places).map(|found| found.place.line);
                let size = done.after.object(id).map_or(0, |object| object.size);
                found.push((id, line, event.thread, size));
            }
        }
        let mut count: HashMap<Option<usize>, usize> = HashMap::new();
        found.iter().for_each(|(_, line, ..)| *count.entry(*line).or_default() += 1);
        let mut number: HashMap<Option<usize>, usize> = HashMap::new();
        for (id, line, thread, size) in found {
            let number = number.entry(line).or_default();
            *number += 1;
            let base = line.map_or_else(|| "block".to_owned(), |line| format!("block@{line}"));
            let name = if count[&line] > 1 { format!("{base}#{number}") } else { base };
            self.blocks.insert(id, Block { name, line, thread, size, ty: None });
        }
    }

    /// A pointer with a type says what the block that it points to is. Whether something new came out.
    fn learn_types(&mut self, state: &State) -> bool {
        let mut learnt = Vec::new();
        for (id, object) in state.objects.iter() {
            let unknown = |target: &ObjectId| self.blocks.get(target).is_some_and(|block| block.ty.is_none());
            if !object.pointers.iter().any(|(_, target)| unknown(target)) {
                continue;
            }
            let Some((module, ty)) = self.type_of(state, *id) else { continue };
            for (offset, target) in object.pointers.iter().filter(|(_, target)| unknown(target)) {
                let starts = state.object(*target).is_some_and(|block| {
                    object.contains(u64::from(*offset), 8)
                        && object.read(u64::from(*offset), 8).bits == block.address
                });
                if let Some((name, pointee)) =
                    self.teller.debug[module].pointee(ty, u64::from(*offset)).filter(|_| starts)
                {
                    learnt.push((*target, (module, pointee), name));
                }
            }
        }
        let is_new = !learnt.is_empty();
        for (target, ty, name) in learnt {
            if let Some(block) = self.blocks.get_mut(&target) {
                block.ty.get_or_insert((ty, name));
            }
        }
        is_new
    }

    /// The type of an object, as far as it is known.
    fn type_of(&self, state: &State, object: ObjectId) -> Option<TypeId> {
        let program = self.teller.program;
        if let Some(block) = self.blocks.get(&object) {
            return block.ty.as_ref().map(|(ty, _)| *ty);
        }
        let global = program.global_of_object(object).or_else(|| {
            let found = state.object(object)?;
            (found.kind == ObjectKind::ThreadLocal).then_some(found.site)
        });
        if let Some(global) = global {
            let (module, id) = program.globals()[global as usize].place;
            let number = program.modules()[module].globals[id].debug?;
            return Some((module, self.teller.debug[module].global(number)?.1?));
        }
        let (module, variable) = self.local(state.object(object)?.site)?;
        Some((module, self.teller.debug[module].variable(variable)?.1?))
    }

    /// The local variable that an instruction makes room for. Finding it reads the whole function, so it is kept.
    fn local(&self, site: u32) -> Option<(usize, u32)> {
        if let Some(known) = self.locals.borrow().get(&site) {
            return *known;
        }
        let found = self.find_local(site);
        self.locals.borrow_mut().insert(site, found);
        found
    }

    fn find_local(&self, site: u32) -> Option<(usize, u32)> {
        let program = self.teller.program;
        let (function, pc) = program.site_place(site)?;
        let code = program.code(function).ok()?;
        let register = code.code.get(pc as usize)?.dst?;
        let (module, id) = program.function_body(function)?;
        let body = program.modules()[module].body(id).ok()?;
        let variable =
            body.blocks.iter().flat_map(|block| &block.insts).find_map(|inst| match &inst.kind {
                InstKind::Declare { address: Operand::Local(local), variable }
                    if local.index() as u32 == register =>
                {
                    Some(*variable)
                }
                _ => None,
            })?;
        Some((module, variable))
    }

    /// What the whole object is called.
    pub(super) fn whole(&self, state: &State, object: ObjectId) -> String {
        let program = self.teller.program;
        if let Some(block) = self.blocks.get(&object) {
            self.mentioned.borrow_mut().insert(object);
            return block.name.clone();
        }
        if let Some(global) = program.global_of_object(object) {
            return self.global(global);
        }
        let Some(found) = state.object(object) else { return "memory".to_owned() };
        match found.kind {
            ObjectKind::ThreadLocal => {
                let owner = self.thread(object.thread());
                format!("{owner}'s {}", self.global(found.site))
            }
            ObjectKind::Stack => {
                let variable = self.local(found.site);
                let name = variable.and_then(|(module, number)| self.teller.debug[module].variable(number));
                name.map_or_else(|| "a local variable".to_owned(), |(name, _)| name)
            }
            ObjectKind::Heap => "a block".to_owned(),
            ObjectKind::Global => "memory".to_owned(),
        }
    }

    fn global(&self, global: u32) -> String {
        let info = &self.teller.program.globals()[global as usize];
        let (module, id) = info.place;
        let text = &self.teller.program.modules()[module].globals[id];
        let known = text.debug.and_then(|number| self.teller.debug[module].global(number));
        let name = known.map_or_else(|| readable(&info.name), |(name, _)| name);
        let is_made_up = ["_Z", "_R", ".", "__", "anon.", "alloc_", "vtable."];
        if name.contains("{vtable") {
            "a table of virtual functions".to_owned()
        } else if is_made_up.iter().any(|prefix| name.starts_with(prefix)) {
            let what = if text.constant { "a constant" } else { "a variable of a library" };
            what.to_owned()
        } else {
            name
        }
    }

    /// How the user calls bytes of an object.
    pub(super) fn part(&self, state: &State, bytes: Bytes) -> String {
        let Bytes { object, offset, size } = bytes;
        let whole = self.whole(state, object);
        let path = match self.type_of(state, object) {
            Some((module, ty)) => self.teller.debug[module].path(Some(ty), None, offset, size),
            None => self.untyped_path(object, offset),
        };
        format!("{whole}{path}")
    }

    /// The same for what begins at an offset of an object: the largest such thing.
    fn at(&self, state: &State, object: ObjectId, offset: u64) -> String {
        let whole = self.whole(state, object);
        let path = match self.type_of(state, object) {
            Some((module, ty)) => self.teller.debug[module].address_path(Some(ty), None, offset),
            None => self.untyped_path(object, offset),
        };
        format!("{whole}{path}")
    }

    fn untyped_path(&self, object: ObjectId, offset: u64) -> String {
        let program = self.teller.program;
        if let Some(global) = program.global_of_object(object) {
            let (module, id) = program.globals()[global as usize].place;
            let text = &program.modules()[module].globals[id];
            if text.debug.is_none() && !text.name.starts_with('_') {
                return self.teller.debug[module].path(None, Some(&text.ty), offset, 1);
            }
        }
        if offset == 0 { String::new() } else { format!(", byte {offset}") }
    }

    /// The part of a library's type that bytes lie in, if its users cannot name it.
    pub(super) fn library_part(&self, state: &State, bytes: Bytes) -> Option<LibraryPart> {
        let (module, ty) = self.type_of(state, bytes.object)?;
        self.teller.debug[module].library_part(ty, bytes.offset, bytes.size)
    }

    /// Whether the object is a library's own: a variable of it, or a block that it keeps for a thread.
    pub(super) fn is_of_library(&self, object: ObjectId) -> bool {
        if let Some(block) = self.blocks.get(&object) {
            return block.ty.as_ref().is_some_and(|(_, name)| name.starts_with("ArcInner<std::thread::"));
        }
        let program = self.teller.program;
        program.global_of_object(object).is_some_and(|global| {
            let name = readable(&program.globals()[global as usize].name);
            ["std::", "core::", "alloc::", "__gnu_cxx::"].iter().any(|root| name.starts_with(root))
        })
    }

    /// Whether the object is a block of which no type is known.
    pub(super) fn is_untyped_block(&self, object: ObjectId) -> bool {
        self.blocks.get(&object).is_some_and(|block| block.ty.is_none())
    }

    /// A value; an address by what it is the address of.
    pub(super) fn value(&self, state: &State, value: Scalar, size: u32) -> String {
        if !value.is_set() {
            let what = if self.is_spoiled { "(undefined)" } else { "(never set)" };
            return what.to_owned();
        }
        if value.of.is_some() && size == 8 {
            let program = self.teller.program;
            let start = match state.object(value.of) {
                Some(object) => Some(object.address),
                None => program.global_of_object(value.of).map(|g| program.globals()[g as usize].address),
            };
            if let Some(start) = start {
                let name = self.at(state, value.of, value.bits.wrapping_sub(start));
                return format!("&{name}");
            }
            if let Some(function) = program.function_at(value.bits) {
                let name = readable(&program.function_name(function));
                let is_plain = !name.starts_with('_') && !name.contains(['{', '<']);
                return if is_plain { name } else { "a function".to_owned() };
            }
            if self.blocks.contains_key(&value.of) {
                return format!("&{}", self.whole(state, value.of));
            }
        }
        sign_extend(value.bits, 8 * size).to_string()
    }

    pub(super) fn thread(&self, number: usize) -> String {
        self.threads.get(number).cloned().unwrap_or_else(|| format!("thread {number}"))
    }

    /// A sentence for each block that was named.
    pub(super) fn notes(&self) -> Vec<String> {
        let mentioned = self.mentioned.borrow();
        let sentence = |block: &Block| {
            let line = block.line.map(|line| format!(" at line {line}")).unwrap_or_default();
            let ty = block.ty.as_ref().map(|(_, name)| format!(" for {name}")).unwrap_or_default();
            let unit = if block.size == 1 { "byte" } else { "bytes" };
            format!(
                "{}: {} {unit}{ty}, allocated by {}{line}",
                block.name,
                block.size,
                self.thread(block.thread)
            )
        };
        mentioned.iter().filter_map(|id| self.blocks.get(id)).map(sentence).collect()
    }
}

/// The innermost place of a chain that has a line, for those who ask whose text it is.
pub(super) fn innermost(chain: &[Place]) -> Option<Place> {
    chain.iter().copied().find(|place| place.debug.is_some())
}
