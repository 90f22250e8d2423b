//! The late machine of a program: the machine whose states the configurations speak of.
//!
//! One machine with two kinds of delay serves all models. `docs/engines/wsts.md` has the whole story.
//!
//! - *Late reads.* A thread may look at a memory of the past: it has a queue of memory snapshots and of its own writes
//!   that are in memory already, and reads at the head. Under TSO this replaces the store buffer (the dual machine):
//!   writes reach memory when they are made, in order, and what a store buffer would have delayed, the write, becomes a
//!   read of older memory.
//! - *Store buffers.* One queue a cell, under PSO (the hierarchical single-buffer machine). A store-store fence waits
//!   until they are empty; the thread then goes on in memory's past. A thread without such fences needs no late reads.
//!
//! In the single-buffer machine all threads look at one sequence of memories, each at its own place. It has the same
//! runs; its configurations also say in which order the threads see what they see. The search is larger for it, and the
//! answers must be the same: it is kept as a check on the other.

use fencewright_base::Meter;
use fencewright_ir::{Program, ThreadId};
use fencewright_memory::Model;

use crate::config::Config;
use crate::graph::{Graph, NodeId, TooLarge, graphs};
use crate::label::{Cell, Label};
use crate::may::May;
use crate::values::{Mask, Values};

/// The most cells: a cell's number is a byte in a configuration.
pub(crate) const MOST_CELLS: usize = 250;

/// A program's late machine.
#[derive(Debug)]
pub(crate) struct System<'p> {
    pub(crate) program: &'p Program,
    pub(crate) model: Model,
    pub(crate) graphs: Vec<Graph>,
    pub(crate) values: Values,
    pub(crate) may: Vec<May>,
    /// For each cell the thread that writes it, if only one does.
    pub(crate) writer: Vec<Option<usize>>,
    /// Which threads may read late.
    pub(crate) late: Vec<bool>,
    /// Whether writes go through store buffers.
    pub(crate) buffered: bool,
    /// Whether configurations keep the order in which threads see memories: the single-buffer machine.
    pub(crate) single: bool,
}

impl<'p> System<'p> {
    /// The machine of the program under SC, TSO or PSO.
    pub(crate) fn new(
        program: &'p Program,
        model: Model,
        single: bool,
        meter: &Meter,
    ) -> Result<Self, TooLarge> {
        let (graphs, values) = graphs(program, model, meter)?;
        let buffered = model == Model::Pso;
        let fenced = |graph: &Graph| graph.links.iter().any(|link| link.label == Label::StoreFence);
        let late = (graphs.iter())
            .map(|graph| match model {
                Model::Tso => true,
                Model::Pso => fenced(graph),
                Model::Sc | Model::Slot | Model::Rmo => false,
            })
            .collect();
        let may = graphs.iter().map(|graph| May::analyse(graph, &values, buffered)).collect();
        let writer = (0..values.n_cells() as Cell).map(|cell| only_writer(&graphs, cell)).collect();
        Ok(Self { program, model, graphs, values, may, writer, late, buffered, single })
    }

    pub(crate) fn n_threads(&self) -> usize {
        self.graphs.len()
    }

    pub(crate) fn n_cells(&self) -> usize {
        self.values.n_cells()
    }

    /// What memory may hold when the thread that alone writes the cell stands there.
    pub(crate) fn holds_now(&self, config: &Config, cell: Cell) -> Mask {
        let Some(writer) = self.writer[cell as usize] else { return Mask::MAX };
        let node = config.nodes[writer];
        let may = self.may[writer].sets((node != ANYWHERE).then_some(node), cell);
        let word = config.buffer(writer, cell);
        if self.buffered && word.exact && word.values.is_empty() { may.last } else { may.memory }
    }

    /// What the cell may ever have held when the threads stand there.
    pub(crate) fn held(&self, nodes: &[NodeId], cell: Cell) -> Mask {
        let written = |(thread, &node): (usize, &NodeId)| {
            self.may[thread].sets((node != ANYWHERE).then_some(node), cell).written
        };
        nodes.iter().enumerate().map(written).fold(self.values.initially(cell), |all, some| all | some)
    }

    /// The locations without edges.
    pub(crate) fn is_end(&self, thread: usize, node: NodeId) -> bool {
        let node = &self.graphs[thread].nodes[node as usize];
        let text = &self.program.threads[ThreadId(thread as u32)];
        node.rest.is_empty()
            && node.location.is_some_and(|location| !text.edges.iter().any(|edge| edge.from == location))
    }
}

fn only_writer(graphs: &[Graph], cell: Cell) -> Option<usize> {
    let writes = |label: &Label| match label {
        Label::Store(written, _) => *written == cell,
        Label::Locked(locked) => locked.writes.iter().any(|(written, _)| *written == cell),
        Label::Local | Label::Look(_) | Label::StoreFence => false,
    };
    let mut writers = (graphs.iter().enumerate())
        .filter(|(_, graph)| graph.links.iter().any(|link| writes(&link.label)))
        .map(|(thread, _)| thread);
    writers.next().filter(|_| writers.next().is_none())
}

/// In place of a node: the thread stands anywhere.
pub(crate) const ANYWHERE: NodeId = NodeId::MAX;
