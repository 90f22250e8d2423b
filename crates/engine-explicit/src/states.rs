//! The reachable states, as the reference semantics writes them.

use fencewright_engine::{
    CertifyingEngine, Context, Engine, Guarantee, Options, StateEngine, Task, Unknown, Verdict, write_states,
};
use fencewright_memory::State;
use fencewright_packed::{
    Compiled, Ended, Interrupt, Job, PackedSystem, at_width, capacities, first_options, unpack,
};

use crate::Explicit;
use crate::plan::explore_all;

impl StateEngine for Explicit {
    fn states(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<Vec<State>, Unknown> {
        let task = Task { options: Options { reduction: false, ..task.options.clone() }, ..task.clone() };
        let capacity = capacities(&task).next().expect("there is a first cap");
        let mut job = StatesJob { task: &task, capacity, context };
        at_width(task.program, first_options(&task, capacity), &[], &mut job).map_err(|ended| match ended {
            Ended::Stopped(stop) => Unknown::Stopped { stop, explored: None },
            Ended::Unsupported(feature) => Unknown::Unsupported { feature, span: None },
        })
    }
}

impl CertifyingEngine for Explicit {
    fn certificate(&self, task: &Task<'_>, context: &mut Context<'_>) -> Result<String, Unknown> {
        match self.check(task, context) {
            Verdict::Holds(Guarantee::Unbounded) => {}
            Verdict::Unknown(unknown) => return Err(unknown),
            Verdict::Holds(_) | Verdict::Violated(_) => return Err(Unknown::Imprecise),
        }
        // No buffer was ever full. With room for one write more than was ever pending, without reductions too, none is.
        let buffer = Some(context.statistics.longest_buffer + 1);
        let task = Task { options: Options { buffer, ..task.options.clone() }, ..task.clone() };
        let states = self.states(&task, context)?;
        Ok(write_states(task.program, task.model, &states))
    }
}

struct StatesJob<'a, 'c> {
    task: &'a Task<'a>,
    capacity: u32,
    context: &'a mut Context<'c>,
}

impl Job for StatesJob<'_, '_> {
    type Output = Vec<State>;

    fn run<const W: usize>(&mut self, compiled: &Compiled) -> Result<Result<Vec<State>, Ended>, Interrupt> {
        let system = PackedSystem::new(compiled);
        let system = &system;
        let found = match explore_all::<W>(system, self.task, self.capacity, self.context)? {
            Ok(found) => found,
            Err(ended) => return Ok(Err(ended)),
        };
        let mut worker = system.new_worker();
        Ok(Ok(found.states().map(|at| unpack(system, &mut worker, found.state(at))).collect()))
    }
}
