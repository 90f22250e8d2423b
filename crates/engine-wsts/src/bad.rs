//! The configurations a search begins with: together they stand for exactly the states that violate a property.
//!
//! A state of the late machine is not a state of the concrete one: a thread may look at an old memory, or have its writes
//! in memory earlier. What the two machines agree on is where the threads can stand together, and what memory can hold
//! when nothing is pending. An invariant that looks at threads and at memory needs more: all its threads must come to one
//! moment, and memory is looked at then ([`Entry::Moment`]).

use fencewright_base::{Index, Int};
use fencewright_ir::{CellId, Condition, Expr, LocationSet, Property, Quantifier, StateAtom, ThreadId};

use crate::config::{Config, Entry};
use crate::graph::NodeId;
use crate::label::{Cell, Value};
use crate::system::{ANYWHERE, System};

/// The most combinations of nodes and values that are tried to list the bad states of one property.
const MOST_COMBINATIONS: usize = 2_000_000;

/// Whether threads that stand there, with memory like that, violate a property.
type Judge<'a> = dyn Fn(&[NodeId], &[(Cell, Value)]) -> bool + 'a;

/// A property has too many bad states to list; its number.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) struct TooManyBadStates(pub(crate) usize);

impl System<'_> {
    /// All bad configurations. May make all threads read late, if a property needs that.
    pub(crate) fn bad(&mut self) -> Result<Vec<Config>, TooManyBadStates> {
        if self.late.contains(&true) && self.program.properties.iter().any(needs_a_moment) {
            self.late.fill(true);
        }
        let mut found = Vec::new();
        for (thread, graph) in self.graphs.iter().enumerate() {
            if let Some(violating) = graph.nodes.iter().position(|node| node.location.is_none()) {
                let mut config = Config::free(self);
                config.nodes[thread] = violating as NodeId;
                found.push(config);
            }
        }
        for (number, property) in self.program.properties.iter().enumerate() {
            let listed = match property {
                Property::Forbidden(forbidden) => {
                    let nodes = (forbidden.at.iter_enumerated())
                        .map(|(thread, set)| self.nodes_at(thread.index(), set))
                        .collect();
                    self.combine(nodes, Vec::new(), &|_, _| true, &mut |config| found.push(config))
                }
                Property::Invariant(condition) => self.violations(condition, &mut found),
                Property::Final { quantifier, condition, filter, observed: _ } => {
                    self.final_states(*quantifier, condition, filter.as_ref(), &mut found)
                }
                // The engine does not take these; no state is bad by itself.
                Property::Temporal(_) => Some(()),
            };
            listed.ok_or(TooManyBadStates(number))?;
        }
        Ok(found)
    }

    fn nodes_at(&self, thread: usize, set: &LocationSet) -> Vec<NodeId> {
        let graph = &self.graphs[thread];
        match set {
            LocationSet::Any => vec![ANYWHERE],
            LocationSet::OneOf(_) => (0..graph.nodes.len() as NodeId)
                .filter(|&node| graph.location(node).is_some_and(|location| set.contains(location)))
                .collect(),
        }
    }

    fn violations(&self, condition: &Condition, found: &mut Vec<Config>) -> Option<()> {
        let (threads, cells) = mentioned(&[condition]);
        let nodes = (0..self.n_threads())
            .map(|thread| match threads.contains(&thread) {
                false => vec![ANYWHERE],
                true => (0..self.graphs[thread].nodes.len() as NodeId)
                    .filter(|&node| self.graphs[thread].location(node).is_some())
                    .collect(),
            })
            .collect();
        let moment = self.late.contains(&true) && needs_a_moment_for(&threads, &cells);
        let violated =
            |nodes: &[NodeId], memory: &[(Cell, Value)]| !self.holds(&condition.expr, nodes, memory);
        self.combine(nodes, cells, &violated, &mut |mut config| {
            if moment {
                let mut pairs: Vec<(Cell, Value)> = Vec::new();
                for (cell, value) in config.memory.iter_mut().enumerate() {
                    if *value != crate::config::ANY {
                        pairs.push((cell as Cell, *value));
                        *value = crate::config::ANY;
                    }
                }
                for &thread in &threads {
                    config.queues[thread].push(Entry::Moment(std::mem::take(&mut pairs)));
                }
            }
            found.push(config);
        })
    }

    fn final_states(
        &self,
        quantifier: Quantifier,
        condition: &Condition,
        filter: Option<&Condition>,
        found: &mut Vec<Config>,
    ) -> Option<()> {
        let conditions: Vec<&Condition> = [condition].into_iter().chain(filter).collect();
        let (_, cells) = mentioned(&conditions);
        let nodes = (0..self.n_threads())
            .map(|thread| {
                let nodes = 0..self.graphs[thread].nodes.len() as NodeId;
                nodes.filter(|&node| self.is_end(thread, node)).collect()
            })
            .collect();
        let bad = |nodes: &[NodeId], memory: &[(Cell, Value)]| {
            let wanted = match quantifier {
                Quantifier::Exists | Quantifier::NotExists => true,
                Quantifier::Forall => false,
            };
            filter.is_none_or(|filter| self.holds(&filter.expr, nodes, memory))
                && self.holds(&condition.expr, nodes, memory) == wanted
        };
        self.combine(nodes, cells, &bad, &mut |mut config| {
            if self.buffered {
                config.buffers.iter_mut().for_each(|word| word.exact = true);
            }
            found.push(config);
        })
    }

    /// Gives a configuration for each combination of nodes and of values of the cells that is bad. `None` if there are
    /// too many to try.
    fn combine(
        &self,
        nodes: Vec<Vec<NodeId>>,
        cells: Vec<Cell>,
        bad: &Judge<'_>,
        give: &mut dyn FnMut(Config),
    ) -> Option<()> {
        let sizes = nodes.iter().map(Vec::len).chain(cells.iter().map(|&cell| self.values.of(cell).len()));
        let mut total: usize = 1;
        for size in sizes {
            total = total.checked_mul(size).filter(|total| *total <= MOST_COMBINATIONS)?;
        }
        for number in 0..total {
            let mut rest = number;
            let mut pick = |size: usize| {
                let picked = rest % size;
                rest /= size;
                picked
            };
            let standing: Vec<NodeId> = nodes.iter().map(|nodes| nodes[pick(nodes.len())]).collect();
            let memory: Vec<(Cell, Value)> =
                cells.iter().map(|&cell| (cell, pick(self.values.of(cell).len()) as Value)).collect();
            if bad(&standing, &memory) {
                let mut config = Config::free(self);
                config.nodes = standing;
                config.demand(&memory);
                give(config);
            }
        }
        Some(())
    }

    /// Whether the condition holds; one without a value does not.
    fn holds(&self, expr: &Expr<StateAtom>, nodes: &[NodeId], memory: &[(Cell, Value)]) -> bool {
        let node = |thread: ThreadId| &self.graphs[thread.index()].nodes[nodes[thread.index()] as usize];
        let value = |cell: CellId| {
            let (cell, value) =
                memory.iter().find(|(known, _)| *known as usize == cell.index()).expect("the cell is tried");
            self.values.of(*cell)[*value as usize].clone()
        };
        let value = expr.eval(&mut |atom| match *atom {
            StateAtom::Register(thread, reg) => node(thread).registers[reg].clone(),
            StateAtom::Cell(cell) => value(cell),
            StateAtom::At(thread, location) => Int::from(node(thread).location == Some(location)),
        });
        value.is_ok_and(|value| value.is_true())
    }
}

fn needs_a_moment(property: &Property) -> bool {
    match property {
        Property::Invariant(condition) => {
            let (threads, cells) = mentioned(&[condition]);
            needs_a_moment_for(&threads, &cells)
        }
        Property::Forbidden(_) | Property::Final { .. } | Property::Temporal(_) => false,
    }
}

fn needs_a_moment_for(threads: &[usize], cells: &[Cell]) -> bool {
    !threads.is_empty() && !cells.is_empty()
}

/// The threads and cells that conditions look at, sorted.
fn mentioned(conditions: &[&Condition]) -> (Vec<usize>, Vec<Cell>) {
    let (mut threads, mut cells) = (Vec::new(), Vec::new());
    for condition in conditions {
        condition.expr.for_each_atom(&mut |atom| match atom {
            StateAtom::Register(thread, _) | StateAtom::At(thread, _) => threads.push(thread.index()),
            StateAtom::Cell(cell) => cells.push(cell.index() as Cell),
        });
    }
    threads.sort_unstable();
    threads.dedup();
    cells.sort_unstable();
    cells.dedup();
    (threads, cells)
}
