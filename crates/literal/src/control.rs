//! Calls and returns, and the start and end of threads and of the process.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::event::What;
use crate::footprint::Touch;
use crate::layout::{Kind, Shape};
use crate::machine::{Flow, Run, Stub};
use crate::object::{Parts, zero};
use crate::outside::{Arguments, Done, owned};
use crate::refusal::Refusal;
use crate::state::{Frame, Part, Status, Task, Then};
use crate::step::scalar_of;
use crate::value::Value;
use crate::violation::{Fault, Halt, Limit, Use};
use crate::visible::Order;

/// The most nested calls of one thread.
const MOST_FRAMES: usize = 4_000;

pub(crate) fn pointer_shape() -> Rc<Shape> {
    Rc::new(Shape::Scalar(Kind::Pointer, 8))
}

impl Run<'_, '_, '_> {
    /// Calls a function.
    pub(crate) fn call(
        &mut self,
        callee: u32,
        args: Vec<(Value, Rc<Shape>)>,
        ret: Option<&Rc<Shape>>,
    ) -> Result<Flow, Halt> {
        let program = self.machine.program;
        let name = program.function_name(callee);
        if let Some(stub) = self.machine.settings.stubs.get(&*name) {
            return match stub {
                Stub::Abort => Err(self.fault(Fault::Abort(name.to_string()))),
                Stub::Nothing => self.back(ret.map(|shape| zero(shape))),
                Stub::Any => {
                    let value = ret.map(|shape| self.any_value(shape)).transpose()?;
                    self.back(value)
                }
            };
        }
        if let Some(outside) = program.outside(callee) {
            let args: Vec<_> = args
                .into_iter()
                .enumerate()
                .map(|(place, (value, shape))| {
                    match value.is_open() && !crate::outside::keeps_open(&name, place) {
                        true => (self.known_value(&value), shape),
                        false => (value, shape),
                    }
                })
                .collect();
            self.look_at_arguments(&name, &args)?;
            let arguments = Arguments { args: &args, ret, name: &name };
            if let Some(size) = program.owned(callee) {
                owned::check(self, &arguments, size)?;
            }
            return match outside(self, &arguments)? {
                Done::Returns(value) => self.back(value),
                Done::ReturnsInt(value) => self.back(Some(int_like(ret, value))),
                Done::Waits => Ok(Flow::Stop),
                Done::Entered => Ok(Flow::Jumped),
                Done::Parked => Ok(Flow::Parked),
            };
        }
        if program.function_body(callee).is_none() {
            return Err(self.refuse(Refusal::unknown_function(&name)));
        }
        let structs = program.code(callee).map_err(|refusal| self.refuse(refusal))?.by_value(&args);
        let Some(structs) = self.read_structs(&structs)? else { return Ok(Flow::Stop) };
        if self.top().done != 0 {
            let caller = self.frame();
            (caller.done, caller.read) = (0, Vec::new());
        }
        self.push_with(callee, args, structs, Then::Result)?;
        Ok(Flow::Jumped)
    }

    /// Reports arguments of arithmetic intrinsics that look at the numbers of addresses: some compare, others compute.
    fn look_at_arguments(&self, name: &str, args: &[(Value, Rc<Shape>)]) -> Result<(), Halt> {
        let Some(operation) = name.strip_prefix("llvm.") else { return Ok(()) };
        let is_any = |starts: &[&str]| starts.iter().any(|start| operation.starts_with(start));
        match args {
            [(a, _), (b, _), ..] if is_any(&["ucmp", "scmp", "umax", "umin", "smax", "smin"]) => {
                self.meet(a, b)
            }
            _ if is_any(&[
                "uadd",
                "sadd",
                "usub",
                "ssub",
                "umul",
                "smul",
                "ct",
                "bswap",
                "bitreverse",
                "fsh",
                "abs",
            ]) =>
            {
                let nothing = Value::int(0);
                args.iter().try_for_each(|(value, _)| self.lose_address(value, &nothing, &nothing))
            }
            _ => Ok(()),
        }
    }

    /// Pushes a frame for a function. Structs that are passed by value are read in one step.
    pub(crate) fn push(
        &mut self,
        function: u32,
        args: Vec<(Value, Rc<Shape>)>,
        then: Then,
    ) -> Result<(), Halt> {
        let code = self.machine.program.code(function).map_err(|refusal| self.refuse(refusal))?;
        for ((value, _), byval) in args.iter().zip(&code.byval) {
            if let Some((size, _)) = byval {
                let (from, offset) = self.resolve(scalar_of(value), *size)?;
                self.claim(from, offset, *size, Touch::READ)?;
            }
        }
        self.push_with(function, args, Vec::new(), then)
    }

    /// Pushes a frame for a function. `structs` are the parts of the structs that are passed by value, as far as they were read.
    fn push_with(
        &mut self,
        function: u32,
        args: Vec<(Value, Rc<Shape>)>,
        structs: Vec<Parts>,
        then: Then,
    ) -> Result<(), Halt> {
        let code = self.machine.program.code(function).map_err(|refusal| self.refuse(refusal))?;
        if self.state.threads[self.thread].frames.len() >= MOST_FRAMES {
            return Err(Halt::Limit(Limit::Stack));
        }
        let mut structs = structs.into_iter();
        let stack_top = self.state.threads[self.thread].frames.last().map_or(0, |frame| frame.stack_top);
        let mut locals = vec![Value::Dead; code.n_locals as usize];
        let mut objects = SmallVec::new();
        let mut top = stack_top;
        for (number, param) in code.params.iter().enumerate() {
            let Some((value, _)) = args.get(number) else { break };
            locals[*param as usize] = match code.byval.get(number).copied().flatten() {
                Some((size, align)) => {
                    let (copy, address) =
                        self.copy_argument(value, (size, align), structs.next(), &mut top)?;
                    objects.push(copy);
                    crate::value::Scalar::pointer(address, copy).into()
                }
                None => value.clone(),
            };
        }
        let n_registers = locals.len() - code.slots.len();
        locals[n_registers..].clone_from_slice(&code.slots);
        let extra =
            if code.variadic { args.into_iter().skip(code.params.len()).collect() } else { Rc::from([]) };
        let frame = Frame {
            function: code,
            pc: 0,
            locals,
            objects,
            extra,
            stack_top: top,
            done: 0,
            read: Vec::new(),
            text: Vec::new(),
            then,
        };
        self.state.threads[self.thread].frames.push(Part::new(frame));
        Ok(())
    }

    /// The call at which the thread stands returns a value.
    pub(crate) fn back(&mut self, value: Option<Value>) -> Result<Flow, Halt> {
        let frame = self.frame();
        let dst = frame.function.code[frame.pc as usize].dst;
        if let Some(dst) = dst {
            frame.locals[dst as usize] = value.unwrap_or(Value::Dead);
        }
        frame.done = 0;
        frame.read.clear();
        frame.text.clear();
        Ok(Flow::Next)
    }

    /// Any value of a shape. Integers and pointers are open; of other shapes only zero is tried.
    pub(crate) fn any_value(&mut self, shape: &Rc<Shape>) -> Result<Value, Halt> {
        Ok(match &**shape {
            Shape::Scalar(Kind::Int(bits), _) if *bits <= 64 => self.any_int(*bits, true).into(),
            Shape::Scalar(Kind::Pointer, _) => self.any_pointer()?.into(),
            _ => {
                self.notes.partly.values = true;
                zero(shape)
            }
        })
    }

    /// Whether the thread is in `main`, and in nothing that `main` has called.
    fn is_in_main(&self) -> bool {
        let thread = &self.state.threads[self.thread];
        thread.frames.last().is_some_and(|frame| {
            frame.then == Then::Task
                && frame.function.number == self.machine.main
                && matches!(thread.task, Task::Start(_))
        })
    }

    /// Whether the process ends as soon as the innermost function returns, with nothing called in between. Then the variables
    /// of `main` stay for the threads that still run: no library reuses their memory.
    fn ends_process(&self) -> bool {
        let program = self.machine.program;
        let has_body = |(function, _): &(u32, Value)| program.function_body(*function).is_some();
        self.is_in_main() && !self.state.process.at_exit.iter().any(has_body)
    }

    /// Whether the innermost function may return now: the end of its variables is visible if other threads know them.
    pub(crate) fn may_leave(&mut self) -> bool {
        if !self.watched || self.top().objects.is_empty() || self.ends_process() {
            return true;
        }
        let objects = self.top().objects.clone();
        let mut visible = false;
        for id in objects {
            visible |= self.is_end_visible(id);
        }
        !visible || self.act()
    }

    /// Returns from the innermost function.
    pub(crate) fn leave(&mut self, value: Option<Value>) -> Result<Flow, Halt> {
        let thread = self.thread;
        // What `main` returns is the status of the process, which is output.
        if self.is_in_main() && value.as_ref().is_some_and(|value| !scalar_of(value).is_set()) {
            return Err(self.fault(Fault::Unset(Use::Argument)));
        }
        let ends_process = self.ends_process();
        let Some(frame) = self.state.threads[thread].frames.pop() else { return Ok(Flow::Parked) };
        if !ends_process {
            self.end_variables(&frame.objects, value.as_ref());
        }
        match frame.then {
            Then::Result | Then::Atomic => {
                if frame.then == Then::Atomic {
                    self.leave_atomic();
                }
                let dst = self.top().function.code[self.top().pc as usize].dst;
                let caller = self.frame();
                if let Some(dst) = dst {
                    caller.locals[dst as usize] = value.unwrap_or(Value::Dead);
                }
                caller.done = 0;
                caller.read.clear();
                caller.text.clear();
                Ok(Flow::Next)
            }
            Then::Task => {
                let own = &self.state.threads[thread];
                let is_result = own.task == Task::End && own.own.result.is_none()
                    || matches!(own.task, Task::Start(_)) && frame.function.number == self.machine.main;
                if is_result {
                    Part::edit(&mut self.state.threads[thread].own).result = value;
                }
                Ok(Flow::Jumped)
            }
        }
    }

    /// Starts the next task of a thread without frames.
    pub(crate) fn next_task(&mut self) -> Result<Flow, Halt> {
        let thread = self.thread;
        match self.state.threads[thread].task {
            Task::Start(number) => {
                let constructors = &self.machine.constructors;
                let number = number as usize;
                if number > constructors.len() {
                    self.state.threads[thread].task = Task::Exit;
                    return Ok(Flow::Jumped);
                }
                self.state.threads[thread].task = Task::Start(number as u32 + 1);
                match constructors.get(number) {
                    Some(constructor) => self.push(*constructor, Vec::new(), Then::Task)?,
                    None => self.start_main()?,
                }
                Ok(Flow::Jumped)
            }
            Task::Run => {
                let Some((function, argument)) = self.state.threads[thread].own.start.clone() else {
                    return Err(self.fault(Fault::Null));
                };
                self.state.threads[thread].task = Task::End;
                Part::edit(&mut self.state.threads[thread].own).start = None;
                let address = scalar_of(&function).bits;
                let Some(function) = self.machine.program.function_at(address) else {
                    return Err(self.fault(Fault::NotAFunction(address)));
                };
                self.push(function, vec![(argument, pointer_shape())], Then::Task)?;
                Ok(Flow::Jumped)
            }
            Task::End => {
                // Which destructors run depends on the keys that other threads make and delete.
                let keys = !self.state.threads[thread].own.keys.is_empty();
                if keys && self.is_order_visible(Order::Key) && !self.act() {
                    return Ok(Flow::Stop);
                }
                if let Some((function, argument)) = self.next_destructor() {
                    return self.finish_with(function, argument);
                }
                self.end_thread()
            }
            Task::Exit => {
                if let Some((function, argument)) = Part::edit(&mut self.state.process).at_exit.pop() {
                    return self.finish_with(function, argument);
                }
                // Pending writes do not matter: the process is gone.
                if self.concurrent && !self.may_act {
                    return Ok(Flow::Stop);
                }
                self.act();
                self.tell(What::Exits);
                self.end_process();
                Ok(Flow::Parked)
            }
        }
    }

    /// Calls a registered destructor. A destructor of the library itself, for an object that goes with the process or the
    /// thread, has nothing to do here.
    fn finish_with(&mut self, function: u32, argument: Value) -> Result<Flow, Halt> {
        let program = self.machine.program;
        if program.function_body(function).is_some() {
            self.push(function, vec![(argument, pointer_shape())], Then::Task)?;
        } else if program.outside(function).is_none() {
            return Err(self.refuse(Refusal::unknown_function(&program.function_name(function))));
        }
        Ok(Flow::Jumped)
    }

    fn start_main(&mut self) -> Result<(), Halt> {
        let main = self.machine.main;
        let code = self.machine.program.code(main).map_err(|refusal| self.refuse(refusal))?;
        let args = if code.params.is_empty() { Vec::new() } else { self.command_line()? };
        self.push(main, args, Then::Task)
    }

    /// The next function to call before the thread ends.
    fn next_destructor(&mut self) -> Option<(u32, Value)> {
        let thread = self.thread;
        if !self.state.threads[thread].own.at_end.is_empty() {
            return Part::edit(&mut self.state.threads[thread].own).at_end.pop();
        }
        // In any order, and not forever: glibc stops after so many rounds.
        const ROUNDS: usize = 4;
        let own = &self.state.threads[thread].own;
        let found: SmallVec<[usize; 4]> = (own.keys.iter().enumerate())
            .filter(|(_, (key, value))| {
                let destructor = self.state.process.keys.get(*key as usize).and_then(Option::as_ref);
                scalar_of(value).bits != 0
                    && destructor.is_some_and(|destructor| scalar_of(destructor).bits != 0)
                    && own.destroyed.iter().filter(|known| *known == key).count() < ROUNDS
            })
            .map(|(place, _)| place)
            .collect();
        let found = match found[..] {
            [] => return None,
            [only] => only,
            _ => found[self.choices.choose(found.len() as u32) as usize],
        };
        let own = Part::edit(&mut self.state.threads[thread].own);
        let (key, value) = own.keys.remove(found);
        own.destroyed.push(key);
        own.destroyed.sort_unstable();
        let destructor = self.state.process.keys[key as usize].as_ref().map(scalar_of)?;
        let function = self.machine.program.function_at(destructor.bits)?;
        Some((function, value))
    }

    fn end_thread(&mut self) -> Result<Flow, Halt> {
        // Only a join can notice the end, and the check for a deadlock.
        let thread = self.thread;
        let locals: Vec<_> = self.state.threads[thread].own.thread_locals.iter().map(|(_, id)| *id).collect();
        let mut visible = false;
        for id in &locals {
            visible |= self.is_end_visible(*id);
        }
        if visible && !self.act() {
            return Ok(Flow::Stop);
        }
        self.tell(What::Ends);
        self.state.threads[thread].status = Status::Ended;
        for id in locals {
            self.end_object(id);
        }
        let own = Part::edit(&mut self.state.threads[thread].own);
        let result = own.result.take();
        *own = crate::state::Own { result, ..Default::default() };
        Ok(Flow::Parked)
    }

    /// Ends the process: no thread acts any more.
    pub(crate) fn end_process(&mut self) {
        Part::edit(&mut self.state.process).ended = true;
        for thread in &mut self.state.threads {
            thread.status = Status::Ended;
            thread.frames.clear();
            thread.buffer = Part::new(crate::buffer::Buffer::default());
        }
    }
}

/// A number as a result of the declared type.
pub(crate) fn int_like(ret: Option<&Rc<Shape>>, value: u64) -> Value {
    match ret.map(|shape| &**shape) {
        Some(Shape::Scalar(Kind::Int(bits), _)) if *bits < 64 => {
            Value::int(value & crate::value::mask(*bits))
        }
        _ => Value::int(value),
    }
}
