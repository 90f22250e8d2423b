//! From a solution to a trace of the concrete machine.
//!
//! The points are in an order that fits; a read, fence or locked step is made when its point comes, a pending write
//! reaches memory when its point comes, and the step that wrote it is made when the thread has to get past it.

use fencewright_base::IndexVec;
use fencewright_ir::{FenceKind, Program, ThreadId};
use fencewright_memory::{Action, InitialChoices, Model, Trace};

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
        let circuit = &encoding.circuit;
        let mut path = Path { copies: Vec::new(), next: 0, failing: None };
        let mut node = Some(0);
        while let Some(at) = node {
            let leaving = &run.unrolled.nodes[at].leaving;
            path.failing = leaving.iter().copied().find(|&copy| circuit.value(run.copies[copy].fails));
            let taken = leaving.iter().copied().find(|&copy| circuit.value(run.copies[copy].taken));
            path.copies.extend(taken);
            node = taken.and_then(|copy| run.unrolled.copies[copy].to);
        }
        path
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
