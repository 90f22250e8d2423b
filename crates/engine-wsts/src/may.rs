//! What a thread may have pending at a node: a forward analysis of each graph alone. A configuration that demands more
//! of a thread than that stands for no reachable state, and the search drops it.

use crate::graph::{Graph, NodeId};
use crate::label::{Cell, Label, Value, Wait};
use crate::values::{Mask, Values};

/// For every node and cell of one thread, sets of values.
#[derive(Debug)]
pub(crate) struct May {
    n_cells: usize,
    at: Vec<Sets>,
    /// All values the thread ever writes, for a thread of which nobody knows where it stands.
    anywhere: Vec<Sets>,
}

/// What may be at a node, for one cell.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sets {
    /// Values the thread has written.
    pub(crate) written: Mask,
    /// Values it may still have in its store buffer (PSO).
    pub(crate) buffered: Mask,
    /// Values that may be the newest in its store buffer (PSO).
    pub(crate) newest: Mask,
    /// Values of its writes that are in memory already while it still looks at an older memory.
    pub(crate) ahead: Mask,
    /// Values of its last write, whatever became of it; an initial value if it may have made none.
    pub(crate) last: Mask,
    /// What memory holds if nobody else writes the cell.
    pub(crate) memory: Mask,
}

impl Sets {
    fn join(&mut self, other: Sets) -> bool {
        let before = *self;
        self.written |= other.written;
        self.buffered |= other.buffered;
        self.newest |= other.newest;
        self.ahead |= other.ahead;
        self.last |= other.last;
        self.memory |= other.memory;
        *self != before
    }
}

impl May {
    /// The least fixpoint. `buffered`: writes go through a store buffer (PSO).
    pub(crate) fn analyse(graph: &Graph, values: &Values, buffered: bool) -> Self {
        let n_cells = values.n_cells();
        let mut at = vec![Sets::default(); graph.nodes.len() * n_cells];
        let mut reached = vec![false; graph.nodes.len()];
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
        for (number, link) in graph.links.iter().enumerate() {
            leaving[link.from as usize].push(number as u32);
        }
        let mut open: Vec<NodeId> = graph.entries.iter().map(|(node, _)| *node).collect();
        for &node in &open {
            reached[node as usize] = true;
            for cell in 0..n_cells {
                let first = values.initially(cell as Cell);
                at[node as usize * n_cells + cell].join(Sets {
                    last: first,
                    memory: first,
                    ..Sets::default()
                });
            }
        }
        while let Some(node) = open.pop() {
            let here = node as usize * n_cells;
            for &number in &leaving[node as usize] {
                let link = &graph.links[number as usize];
                let mut after = at[here..here + n_cells].to_vec();
                pass(&mut after, &link.label, buffered);
                let there = link.to as usize * n_cells;
                let mut changed = !reached[link.to as usize];
                reached[link.to as usize] = true;
                for (known, new) in at[there..there + n_cells].iter_mut().zip(after) {
                    changed |= known.join(new);
                }
                if changed {
                    open.push(link.to);
                }
            }
        }
        let mut anywhere = vec![Sets::default(); n_cells];
        for (i, sets) in at.iter().enumerate() {
            anywhere[i % n_cells.max(1)].join(*sets);
        }
        Self { n_cells, at, anywhere }
    }

    /// At a node, or anywhere.
    pub(crate) fn sets(&self, node: Option<NodeId>, cell: Cell) -> &Sets {
        match node {
            Some(node) => &self.at[node as usize * self.n_cells + cell as usize],
            None => &self.anywhere[cell as usize],
        }
    }
}

fn pass(sets: &mut [Sets], label: &Label, buffered: bool) {
    let bit = |value: Value| 1 << value;
    match label {
        Label::Local | Label::Look(_) => {}
        Label::Store(cell, value) => {
            let sets = &mut sets[*cell as usize];
            sets.written |= bit(*value);
            sets.last = bit(*value);
            if buffered {
                sets.memory |= bit(*value);
                sets.buffered |= bit(*value);
                sets.newest = bit(*value);
                sets.ahead |= bit(*value);
            } else {
                sets.memory = bit(*value);
                sets.ahead = bit(*value);
            }
        }
        Label::StoreFence => {
            sets.iter_mut().for_each(|sets| (sets.buffered, sets.newest, sets.memory) = (0, 0, sets.last));
        }
        Label::Locked(locked) => {
            for (cell, sets) in sets.iter_mut().enumerate() {
                let waits = match &locked.wait {
                    Wait::All => true,
                    Wait::Cells(cells) => cells.contains(&(cell as Cell)),
                };
                sets.ahead = 0;
                if waits {
                    (sets.buffered, sets.newest, sets.memory) = (0, 0, sets.last);
                }
            }
            for &(cell, value) in &locked.writes {
                let sets = &mut sets[cell as usize];
                sets.written |= bit(value);
                (sets.last, sets.memory) = (bit(value), bit(value));
            }
        }
    }
}
