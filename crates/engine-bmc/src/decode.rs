//! From a solution to a trace of the concrete machine.
//!
//! The points are in an order that fits; a read, fence or locked step is made when its point comes, a pending write
//! reaches memory when its point comes, and the step that wrote it is made when the thread has to get past it. Where reads may
//! wait, too, a step is made just before the first point that is its own or comes behind it in the text; what it reads then, or
//! guesses, is what the solution says.

use fencewright_base::IndexVec;
use fencewright_ir::{FenceKind, Program, ThreadId};
use fencewright_memory::{Action, InitialChoices, Model, Trace};

use crate::depend::path;
use crate::encode::Encoding;
use crate::events::{Kind, ThreadRun};

/// The trace of the circuit's last solution, whose points have this order. It ends with the observer if that sees a
/// violation, unless it must be `complete`.
pub(crate) fn trace(
    program: &Program,
    model: Model,
    encoding: &Encoding,
    order: &[usize],
    complete: bool,
) -> Trace {
    let circuit = &encoding.circuit;
    let mut initial = InitialChoices::default();
    for ((cell, _, init), number) in program.cells().zip(encoding.initial.iter()) {
        if *init == fencewright_ir::Init::Any {
            initial.cells.insert(cell, number.value(circuit));
        }
    }
    for thread in program.threads.indices() {
        for (reg, number) in &encoding.runs[thread].chosen {
            initial.registers.insert((thread, *reg), number.value(circuit));
        }
    }
    let mut paths: IndexVec<ThreadId, Path> =
        program.threads.indices().map(|id| Path::new(&encoding.runs[id], encoding)).collect();
    if encoding.axioms.delays_reads() {
        let actions = Ahead::new(encoding, paths).actions(order, complete);
        return Trace { model, initial, actions, repeats_from: None };
    }
    let mut actions = Vec::new();
    let mut failing = None;
    for &p in order {
        if encoding.observer == Some(p) {
            if !complete && circuit.value(encoding.seen_by_observer) {
                break;
            }
            continue;
        }
        let point = &encoding.points[p];
        let path = &mut paths[point.thread];
        if is_moment_of_its_step(encoding, p) {
            if path.failing == Some(point.copy) {
                failing = Some(point.thread);
                break;
            }
            path.go_past(point.copy, point.thread, encoding, &mut actions);
        }
        if point.kind == Kind::Plain
            && let Some(write) = point.writes.first()
        {
            let cell = write.cells.iter().find(|(_, bit)| circuit.value(*bit));
            let (cell, _) = *cell.expect("a write that happens has a cell");
            path.go_past(point.copy, point.thread, encoding, &mut actions);
            actions.push(Action::Flush { thread: point.thread, cell });
        }
    }
    // A step that fails without looking at memory, or what is left of the threads.
    let failing = failing.or_else(|| paths.indices().find(|&id| paths[id].failing.is_some()));
    match failing {
        Some(thread) => {
            paths[thread].go_to_the_end(thread, encoding, &mut actions);
            let copy = paths[thread].failing.expect("the thread fails");
            actions.push(step(thread, copy, encoding));
        }
        None => {
            for thread in program.threads.indices() {
                paths[thread].go_to_the_end(thread, encoding, &mut actions);
            }
        }
    }
    Trace { model, initial, actions, repeats_from: None }
}

/// Whether a step is made at this of its points: the last that is no pending write and no store-store fence, which wait
/// for nothing.
fn is_moment_of_its_step(encoding: &Encoding, p: usize) -> bool {
    let waits = |q: usize| match encoding.points[q].kind {
        Kind::Plain => encoding.points[q].writes.is_empty(),
        Kind::Fence(kind) => kind == FenceKind::Full,
        Kind::Locked(_) => true,
    };
    let point = &encoding.points[p];
    // The points of a step follow each other.
    let rest =
        encoding.points[p + 1..].iter().take_while(|q| q.thread == point.thread && q.copy == point.copy);
    waits(p) && !(p + 1..=p + rest.count()).any(waits)
}

/// The steps of one thread.
struct Path {
    copies: Vec<usize>,
    next: usize,
    failing: Option<usize>,
}

impl Path {
    fn new(run: &ThreadRun, encoding: &Encoding) -> Self {
        let (copies, failing) = path(run, &encoding.circuit);
        Path { copies, next: 0, failing }
    }

    fn go_past(&mut self, copy: usize, thread: ThreadId, encoding: &Encoding, actions: &mut Vec<Action>) {
        if let Some(last) = self.copies.iter().position(|&c| c == copy) {
            while self.next <= last {
                actions.push(step(thread, self.copies[self.next], encoding));
                self.next += 1;
            }
        }
    }

    fn go_to_the_end(&mut self, thread: ThreadId, encoding: &Encoding, actions: &mut Vec<Action>) {
        if let Some(&last) = self.copies.last() {
            self.go_past(last, thread, encoding, actions);
        }
    }
}

fn step(thread: ThreadId, copy: usize, encoding: &Encoding) -> Action {
    let run = &encoding.runs[thread];
    let choices = run.copies[copy].choices.iter().map(|number| number.value(&encoding.circuit)).collect();
    Action::Step { thread, edge: run.unrolled.copies[copy].edge, choices }
}

/// Makes a trace in which steps may be made ahead of what they read.
struct Ahead<'e> {
    encoding: &'e Encoding,
    paths: IndexVec<ThreadId, Path>,
    /// Whether a point has come.
    came: Vec<bool>,
    /// The point of each copy's reads, if they are made at all.
    reads: IndexVec<ThreadId, Vec<Option<usize>>>,
    /// How many steps were made whose reads have not come.
    open: usize,
    has_failed: bool,
    actions: Vec<Action>,
}

impl<'e> Ahead<'e> {
    fn new(encoding: &'e Encoding, mut paths: IndexVec<ThreadId, Path>) -> Self {
        for path in paths.iter_mut() {
            path.copies.extend(path.failing);
        }
        let mut reads: IndexVec<ThreadId, Vec<Option<usize>>> =
            encoding.runs.iter().map(|run| vec![None; run.copies.len()]).collect();
        for (p, point) in encoding.points.iter().enumerate() {
            // A locked step that reads nothing has nothing to guess, but its moment is one as well.
            let is_access = match point.kind {
                Kind::Plain => point.writes.is_empty() && has_reads(encoding, p),
                Kind::Locked(_) => true,
                Kind::Fence(_) => false,
            };
            if is_access && encoding.circuit.value(point.done) {
                reads[point.thread][point.copy] = Some(p);
            }
        }
        let came = vec![false; encoding.points.len()];
        Self { encoding, paths, came, reads, open: 0, has_failed: false, actions: Vec::new() }
    }

    fn actions(mut self, order: &[usize], complete: bool) -> Vec<Action> {
        let circuit = &self.encoding.circuit;
        for &p in order {
            if self.has_failed && self.open == 0 {
                break;
            }
            if self.encoding.observer == Some(p) {
                if !complete && circuit.value(self.encoding.seen_by_observer) {
                    break;
                }
                continue;
            }
            let point = &self.encoding.points[p];
            let (thread, copy) = (point.thread, point.copy);
            let access = self.reads[thread][copy];
            self.came[p] = true;
            if access == Some(p) {
                let step = self.paths[thread].copies.iter().position(|&c| c == copy);
                let step = step.expect("a point that happens is on its thread's path");
                if step < self.paths[thread].next {
                    self.open -= 1;
                    self.actions.push(Action::Late { thread, step: step as u32 });
                } else {
                    self.go_past(thread, copy);
                }
            } else if point.kind == Kind::Plain
                && let Some(write) = point.writes.first()
            {
                let cell = write.cells.iter().find(|(_, bit)| circuit.value(*bit));
                let (cell, _) = *cell.expect("a write that happens has a cell");
                self.go_past(thread, copy);
                self.actions.push(Action::Flush { thread, cell });
            } else if point.kind == Kind::Fence(FenceKind::Full) && access.is_none() {
                self.go_past(thread, copy);
            }
        }
        if !(self.has_failed && self.open == 0) {
            // What is left looks at no memory. A thread that fails goes last, for it may end the execution.
            let mut threads: Vec<ThreadId> = self.paths.indices().collect();
            threads.sort_by_key(|&thread| self.paths[thread].failing.is_some());
            for thread in threads {
                if let Some(&last) = self.paths[thread].copies.last()
                    && !(self.has_failed && self.open == 0)
                {
                    self.go_past(thread, last);
                }
            }
        }
        self.actions
    }

    /// Makes the thread's steps up to this one.
    fn go_past(&mut self, thread: ThreadId, copy: usize) {
        let last = self.paths[thread].copies.iter().position(|&c| c == copy);
        let last = last.expect("a point that happens is on its thread's path");
        while self.paths[thread].next <= last {
            let copy = self.paths[thread].copies[self.paths[thread].next];
            self.paths[thread].next += 1;
            self.has_failed |= self.paths[thread].failing == Some(copy);
            let waiting = self.reads[thread][copy].filter(|&p| !self.came[p]);
            let Action::Step { edge, choices, .. } = step(thread, copy, self.encoding) else { continue };
            self.actions.push(match waiting {
                None => Action::Step { thread, edge, choices },
                Some(p) => {
                    self.open += 1;
                    let circuit = &self.encoding.circuit;
                    let reads = self.encoding.points[p].reads.iter().filter(|read| circuit.value(read.done));
                    let guesses = reads.map(|read| read.value.value(circuit)).collect();
                    Action::Ahead { thread, edge, choices, guesses }
                }
            });
        }
    }
}

fn has_reads(encoding: &Encoding, p: usize) -> bool {
    encoding.points[p].reads.iter().any(|read| encoding.circuit.value(read.done))
}
