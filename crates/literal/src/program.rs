//! A compiled program: modules linked by name, globals with their addresses, and functions that are compiled on their first
//! call.
//!
//! Addresses come from a fixed layout with gaps, so that objects never touch and a pointer that leaves its object does not
//! reach the next one.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use fencewright_base::Index as _;
use fencewright_llvm::link::{LinkError, Linked, Symbol};
use fencewright_llvm::module::{Constant, FunctionId, GlobalId, Type};
use fencewright_llvm::parse::Module;

use crate::code::Function;
use crate::constants::{Evaluator, Named, Names};
use crate::layout::Layout;
use crate::object::{Object, ObjectKind};
use crate::outside::{self, Outside};
use crate::refusal::Refusal;
use crate::value::{ObjectId, Scalar};

/// Where globals begin.
const GLOBALS: u64 = 0x5555_0000_0000;
/// The least distance between two globals.
const GAP: u64 = 32;
/// Where functions begin.
const FUNCTIONS: u64 = 0x40_0000;
/// The size of a function in the address space.
const FUNCTION_SIZE: u64 = 16;
/// Where the addresses of blocks begin.
const BLOCKS: u64 = 0x10_0000_0000;
/// The largest size of a variable.
const MAX_GLOBAL: u64 = 64 << 20;
/// Marks the numbers of functions among those of objects.
const FUNCTION_BIT: u32 = 1 << 30;

/// A global variable.
#[derive(Debug)]
pub struct Global {
    /// Its name in the text.
    pub name: Rc<str>,
    /// Its module, and its number there.
    pub place: (usize, GlobalId),
    /// Its address; for a thread-local variable, the offset among a thread's own.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The alignment of its address.
    pub align: u64,
    /// Whether it is never written.
    pub constant: bool,
    /// Whether each thread has its own copy.
    pub thread_local: bool,
    /// Whether its initial value is unknown here.
    pub external: bool,
    initial: OnceCell<Result<Rc<Object>, Refusal>>,
}

/// A function, with or without a body.
struct FunctionInfo {
    name: Rc<str>,
    body: Option<(usize, FunctionId)>,
    code: OnceCell<Result<Rc<Function>, Refusal>>,
    outside: OnceCell<Option<Outside>>,
    /// How large the library's object is that the function is given.
    owned: OnceCell<Option<u64>>,
}

/// A program that can be executed.
pub struct Program<'m> {
    linked: Linked<'m>,
    layouts: Vec<Layout>,
    globals: Vec<Global>,
    global_numbers: HashMap<(usize, GlobalId), u32>,
    functions: RefCell<Vec<Rc<FunctionInfo>>>,
    function_numbers: RefCell<HashMap<Rc<str>, u32>>,
    body_numbers: RefCell<HashMap<(usize, FunctionId), u32>>,
    sites: RefCell<Sites>,
}

#[derive(Default)]
struct Sites {
    numbers: HashMap<(u32, u32), u32>,
    places: Vec<(u32, u32)>,
}

impl<'m> Program<'m> {
    /// Links modules. Definitions of earlier modules replace those of libraries, which come last.
    pub fn new(modules: &'m [Module<'m>]) -> Result<Self, LinkError> {
        Self::of(modules.iter().collect())
    }

    /// The same for modules that are not stored together: a library is read once for many programs.
    pub fn of(modules: Vec<&'m Module<'m>>) -> Result<Self, LinkError> {
        let layouts: Vec<Layout> = modules.iter().map(|module| Layout::of(module)).collect();
        let linked = Linked::of(modules)?;
        let mut program = Self {
            linked,
            layouts,
            globals: Vec::new(),
            global_numbers: HashMap::new(),
            functions: RefCell::default(),
            function_numbers: RefCell::default(),
            body_numbers: RefCell::default(),
            sites: RefCell::default(),
        };
        program.place_globals();
        Ok(program)
    }

    fn place_globals(&mut self) {
        let (mut next, mut next_local) = (GLOBALS, 0);
        for (number, module) in self.linked.modules().iter().enumerate() {
            for (id, global) in module.globals.iter_enumerated() {
                let (size, natural) = self.layouts[number].size_align(module, &global.ty).unwrap_or((8, 8));
                let size =
                    if global.init.is_some() { size } else { outside::external::size(&global.name, size) };
                let align = global.align.unwrap_or(natural).max(1).next_power_of_two();
                let place = if global.thread_local { &mut next_local } else { &mut next };
                let address = place.next_multiple_of(align.max(16));
                // Of a variable with an unreasonable size, only the address can be used.
                *place = address.saturating_add(size.min(MAX_GLOBAL)) + GAP;
                let index = self.globals.len() as u32;
                self.globals.push(Global {
                    name: Rc::from(&*global.name),
                    place: (number, id),
                    address,
                    size,
                    align,
                    constant: global.constant,
                    thread_local: global.thread_local,
                    external: global.init.is_none(),
                    initial: OnceCell::new(),
                });
                self.global_numbers.insert((number, id), index);
            }
        }
    }

    /// The modules.
    pub fn modules(&self) -> &[&'m Module<'m>] {
        self.linked.modules()
    }

    /// The layout of a module.
    pub fn layout(&self, module: usize) -> &Layout {
        &self.layouts[module]
    }

    /// The globals, by number.
    pub fn globals(&self) -> &[Global] {
        &self.globals
    }

    /// The object of a global.
    pub fn object_of_global(global: u32) -> ObjectId {
        ObjectId(1 + global)
    }

    /// The global of an object, if it is one.
    pub fn global_of_object(&self, object: ObjectId) -> Option<u32> {
        let number = object.0.checked_sub(1)?;
        ((number as usize) < self.globals.len()).then_some(number)
    }

    /// The global of this name that the user's modules define.
    pub fn global_named(&self, name: &str) -> Option<u32> {
        self.globals.iter().position(|global| &*global.name == name && !global.external).map(|g| g as u32)
    }

    /// The number of the global at an address, if one is there.
    pub fn global_at(&self, address: u64) -> Option<u32> {
        let within = |global: &Global| {
            !global.thread_local && address >= global.address && address - global.address < global.size.max(1)
        };
        self.globals.iter().position(within).map(|number| number as u32)
    }

    /// The initial contents of a global.
    pub fn initial(&self, global: u32) -> Result<Rc<Object>, Refusal> {
        let info = &self.globals[global as usize];
        info.initial.get_or_init(|| self.make_initial(global)).clone()
    }

    fn make_initial(&self, number: u32) -> Result<Rc<Object>, Refusal> {
        let info = &self.globals[number as usize];
        let (module, id) = info.place;
        let global = &self.modules()[module].globals[id];
        if info.size > MAX_GLOBAL {
            return Err(Refusal::new(format!("the variable `{}` of {} bytes", info.name, info.size)));
        }
        let mut object = Object::unset(ObjectKind::Global, info.address, info.size, number);
        object.shared = true;
        match &global.init {
            Some(init) => self
                .write_constant(&mut object, module, 0, &global.ty, init)
                .map_err(|what| Refusal::new(format!("{what}, in the initial value of `{}`", info.name)))?,
            None => {
                if !outside::external::fill(&info.name, Self::object_of_global(number), &mut object) {
                    return Err(Refusal::unknown_variable(&info.name));
                }
            }
        }
        if object.unset.iter().all(|byte| *byte == 0) {
            object.unset = Vec::new();
        }
        Ok(Rc::new(object))
    }

    /// Writes a constant piece by piece, so that a large array of zeros never becomes a value.
    fn write_constant(
        &self,
        object: &mut Object,
        module: usize,
        offset: u64,
        ty: &Type,
        constant: &Constant,
    ) -> Result<(), String> {
        let layout = &self.layouts[module];
        let size = layout.size(self.modules()[module], ty).ok_or("a type that has no size")?;
        match constant {
            Constant::Zero => {
                let range = offset as usize..(offset + size) as usize;
                object.bytes[range.clone()].fill(0);
                if !object.unset.is_empty() {
                    object.unset[range].fill(0);
                }
            }
            Constant::Undef => {}
            Constant::Bytes(bytes) => {
                for (i, byte) in bytes.iter().enumerate() {
                    object.bytes[offset as usize + i] = *byte;
                }
                let range = offset as usize..offset as usize + bytes.len();
                if !object.unset.is_empty() {
                    object.unset[range].fill(0);
                }
            }
            Constant::Aggregate(elements) => {
                for (index, (element_ty, element)) in elements.iter().enumerate() {
                    let (inner, _) = (layout.element(self.modules()[module], ty, index as u64))
                        .ok_or("more elements than its type has")?;
                    self.write_constant(object, module, offset + inner, element_ty, element)?;
                }
                // The padding of a global is zero.
                if !object.unset.is_empty() && matches!(object.kind, ObjectKind::Global) {
                    self.clear_padding(object, module, offset, ty);
                }
            }
            _ => {
                let evaluator = self.evaluator(module);
                let shape = evaluator.shape(ty)?;
                let value = evaluator.value(ty, constant)?;
                object.store(offset, &shape, &value);
            }
        }
        Ok(())
    }

    fn clear_padding(&self, object: &mut Object, module: usize, offset: u64, ty: &Type) {
        let layout = &self.layouts[module];
        let whole = layout.size(self.modules()[module], ty).unwrap_or(0);
        let mut end = 0;
        for index in 0u64.. {
            let Some((start, element)) = layout.element(self.modules()[module], ty, index) else { break };
            if start >= whole {
                break;
            }
            let size = layout.size(self.modules()[module], element).unwrap_or(0);
            object.unset[(offset + end) as usize..(offset + start) as usize].fill(0);
            end = start + size;
        }
        if end <= whole {
            object.unset[(offset + end) as usize..(offset + whole) as usize].fill(0);
        }
    }

    /// Evaluates constants of a module.
    pub fn evaluator(&self, module: usize) -> Evaluator<'_> {
        Evaluator { module: (self.modules()[module], module), layout: &self.layouts[module], names: self }
    }

    /// The number of the function that this name refers to in the module.
    pub fn function_number(&self, module: usize, name: &str) -> Result<u32, String> {
        match self.linked.resolve(module, name) {
            Some(Symbol::Function(module, id)) => Ok(self.number_of_body(module, id)),
            Some(Symbol::Alias(module, target)) => {
                let address = self.evaluator(module).value(&Type::Ptr, &target)?;
                let address = address.as_scalar().ok_or("an alias that is no address")?;
                self.function_at(address.bits).ok_or_else(|| format!("`{name}` is no function"))
            }
            Some(Symbol::Global(..)) => Err(format!("`{name}` is no function")),
            Some(Symbol::Declared) | None => Ok(self.number_of_outside(name)),
        }
    }

    fn number_of_body(&self, module: usize, id: FunctionId) -> u32 {
        if let Some(number) = self.body_numbers.borrow().get(&(module, id)) {
            return *number;
        }
        let name: Rc<str> = Rc::from(&*self.modules()[module].functions[id].name);
        let number = self.add_function(name, Some((module, id)));
        self.body_numbers.borrow_mut().insert((module, id), number);
        number
    }

    fn number_of_outside(&self, name: &str) -> u32 {
        if let Some(number) = self.function_numbers.borrow().get(name) {
            return *number;
        }
        let name: Rc<str> = Rc::from(name);
        let number = self.add_function(name.clone(), None);
        self.function_numbers.borrow_mut().insert(name, number);
        number
    }

    fn add_function(&self, name: Rc<str>, body: Option<(usize, FunctionId)>) -> u32 {
        let mut functions = self.functions.borrow_mut();
        let (code, outside, owned) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        functions.push(Rc::new(FunctionInfo { name, body, code, outside, owned }));
        functions.len() as u32 - 1
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        let distance = address.checked_sub(FUNCTIONS)?;
        let number = distance / FUNCTION_SIZE;
        let known = (number as usize) < self.functions.borrow().len();
        (known && distance.is_multiple_of(FUNCTION_SIZE)).then_some(number as u32)
    }

    /// The address of a function.
    pub fn function_address(&self, number: u32) -> Scalar {
        let address = FUNCTIONS + FUNCTION_SIZE * u64::from(number);
        Scalar::pointer(address, ObjectId(FUNCTION_BIT | number))
    }

    /// Whether the object is a function.
    pub fn is_function(object: ObjectId) -> bool {
        !object.is_dynamic() && object.0 & FUNCTION_BIT != 0
    }

    fn info(&self, number: u32) -> Rc<FunctionInfo> {
        self.functions.borrow()[number as usize].clone()
    }

    /// The name of a function.
    pub fn function_name(&self, number: u32) -> Rc<str> {
        self.info(number).name.clone()
    }

    /// Module and number of a function with a body.
    pub fn function_body(&self, number: u32) -> Option<(usize, FunctionId)> {
        self.info(number).body
    }

    /// Whether a module has or calls a function of this name.
    fn names(&self, name: &str) -> bool {
        let has = |module: &&Module<'_>| {
            module.function_names.contains_key(name) || module.declared.contains_key(name)
        };
        self.modules().iter().any(has)
    }

    /// The rule for a function without a body, or for one whose name fixes its meaning whatever its body says.
    pub(crate) fn outside(&self, number: u32) -> Option<Outside> {
        let info = self.info(number);
        *info.outside.get_or_init(|| {
            // By the convention of SV-COMP, errors are calls of `reach_error`, and `abort` only ends an execution.
            let is_silent = &*info.name == "abort" && self.names("reach_error");
            let name = if is_silent { "_exit" } else { &*info.name };
            outside::look_up(name, info.body.is_some())
        })
    }

    /// The function, ready for execution.
    pub fn code(&self, number: u32) -> Result<Rc<Function>, Refusal> {
        let info = self.info(number);
        let made = info.code.get_or_init(|| match info.body {
            Some((module, id)) => crate::compile::compile(self, number, module, id).map(Rc::new),
            None => Err(Refusal::unknown_function(&info.name)),
        });
        made.clone()
    }

    /// The number of an instruction that makes objects.
    pub fn site(&self, function: u32, pc: u32) -> u32 {
        let mut sites = self.sites.borrow_mut();
        if let Some(number) = sites.numbers.get(&(function, pc)) {
            return *number;
        }
        let number = sites.places.len() as u32;
        sites.numbers.insert((function, pc), number);
        sites.places.push((function, pc));
        number
    }

    /// The instruction with such a number: its function and program counter.
    pub fn site_place(&self, site: u32) -> Option<(u32, u32)> {
        self.sites.borrow().places.get(site as usize).copied()
    }

    /// The size of the library's own object that a function without a body is given, if it is.
    pub(crate) fn owned(&self, number: u32) -> Option<u64> {
        let info = self.info(number);
        *info.owned.get_or_init(|| outside::owned::size(self, &info.name))
    }

    /// The size of a library's type, if a module declares it. The name comes without `struct.`, `union.` or `class.`.
    pub(crate) fn size_of_type(&self, name: &str) -> Option<u64> {
        let modules = self.modules().iter().zip(&self.layouts);
        let sizes = modules.filter_map(|(module, layout)| {
            let named = ["union.", "struct.", "class."].map(|kind| format!("{kind}{name}"));
            let ty = named.iter().find_map(|name| module.types.get(name.as_str()))?;
            layout.size(module, ty)
        });
        sizes.max()
    }

    /// Where the scalars of an object begin, by its declaration; empty if it has no type, like allocated memory.
    pub(crate) fn borders(&self, kind: ObjectKind, site: u32) -> Vec<u64> {
        match kind {
            ObjectKind::Global => {
                let Some(global) = self.globals.get(site as usize) else { return Vec::new() };
                let (module, id) = global.place;
                let ty = &self.modules()[module].globals[id].ty;
                self.layouts[module].borders(self.modules()[module], ty)
            }
            ObjectKind::Stack => {
                let code = self.site_place(site).and_then(|(function, pc)| {
                    let made = self.functions.borrow().get(function as usize)?.code.get()?.clone().ok()?;
                    Some((made, pc))
                });
                match code.as_ref().and_then(|(code, pc)| code.code.get(*pc as usize)).map(|inst| &inst.op) {
                    Some(crate::code::Op::Alloca { borders, .. }) => borders.to_vec(),
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }
}

impl Names for Program<'_> {
    fn address(&self, module: usize, name: &str) -> Result<Named, String> {
        match self.linked.resolve(module, name) {
            Some(Symbol::Global(module, id)) => {
                let number = self.global_numbers[&(module, id)];
                let global = &self.globals[number as usize];
                Ok(if global.thread_local {
                    Named::ThreadLocal(number)
                } else {
                    Named::Address(Scalar::pointer(global.address, Self::object_of_global(number)))
                })
            }
            Some(Symbol::Alias(module, target)) => {
                match self.evaluator(module).value(&Type::Ptr, &target)?.as_scalar() {
                    Some(address) => Ok(Named::Address(address)),
                    None => Err(format!("the alias `{name}`")),
                }
            }
            Some(Symbol::Function(..)) => {
                Ok(Named::Address(self.function_address(self.function_number(module, name)?)))
            }
            Some(Symbol::Declared) | None => {
                // A variable that is only declared has an address, too; an undefined weak function has none.
                let declared = self.modules()[module];
                if let Some(id) = declared.global_names.get(name) {
                    let number = self.global_numbers[&(module, *id)];
                    let global = &self.globals[number as usize];
                    return Ok(if global.thread_local {
                        Named::ThreadLocal(number)
                    } else {
                        Named::Address(Scalar::pointer(global.address, Self::object_of_global(number)))
                    });
                }
                let is_weak = declared.declared.get(name).is_some_and(|declaration| {
                    declaration.linkage == fencewright_llvm::module::Linkage::ExternWeak
                });
                if is_weak && outside::look_up(name, false).is_none() {
                    return Ok(Named::Address(Scalar::int(0)));
                }
                Ok(Named::Address(self.function_address(self.number_of_outside(name))))
            }
        }
    }

    fn block_address(&self, module: usize, function: &str, block: &str) -> Result<u64, String> {
        let Some(Symbol::Function(module, id)) = self.linked.resolve(module, function) else {
            return Err(format!("the address of a block of `{function}`"));
        };
        let body = self.modules()[module].body(id).map_err(|malformed| malformed.message)?;
        let found = body.blocks.iter_enumerated().find(|(_, known)| &*known.name == block);
        let (number, _) = found.ok_or_else(|| format!("the address of the block `{block}`"))?;
        Ok(Self::block_number(self.number_of_body(module, id), number.index() as u32))
    }
}

impl Program<'_> {
    /// The address of a block of a function.
    pub fn block_number(function: u32, block: u32) -> u64 {
        BLOCKS + (u64::from(function) << 20) + 16 * u64::from(block)
    }
}
