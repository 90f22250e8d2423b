//! A thread as a finite graph: a node is a location with a valuation of the registers that are live there, or a place
//! between the parts of a step. Built forward, from the values that cells can hold; the fixpoint of both is the forward
//! abstraction that narrows the search (each thread alone, memory as one set of values a cell).

use std::collections::HashMap;

use fencewright_base::{IndexVec, Int, Meter, Stop};
use fencewright_ir::liveness::{live_registers, watched_registers};
use fencewright_ir::{EdgeId, Init, LocId, Program, RegId, ThreadId};
use fencewright_memory::Model;
use foldhash::fast::FixedState;

use crate::label::Label;
use crate::values::{Values, enumerate, is_huge};
use crate::ways::{Endless, Frame, OPEN_VALUES, Way, ways};

/// A node of a thread's graph.
pub(crate) type NodeId = u32;

/// Where a thread can stand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    /// Its location; between the parts of a step, the location the step leads to. `None` behind a violation.
    pub(crate) location: Option<LocId>,
    /// Its registers, those that are dead 0.
    pub(crate) registers: IndexVec<RegId, Int>,
    /// Parts of a step that are still to be made, in order.
    pub(crate) rest: Vec<Label>,
}

/// An edge of a thread's graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Link {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) label: Label,
    /// The step it begins, with what its `Havoc`s give; `None` for the later parts of a step.
    pub(crate) step: Option<(EdgeId, Vec<Int>)>,
}

/// A way into a node: an edge that touches memory, and edges behind it that do not.
#[derive(Debug, Clone)]
pub(crate) struct Into {
    pub(crate) link: u32,
    pub(crate) local: Box<[u32]>,
}

/// The values of a thread's registers.
type Registers = IndexVec<RegId, Int>;

/// Values chosen for open registers.
pub(crate) type Chosen = Vec<(RegId, Int)>;

/// A thread's graph.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) links: Vec<Link>,
    /// For each node the ways into it.
    pub(crate) into: Vec<Vec<Into>>,
    /// The nodes the thread can start at, with the values chosen for its open registers.
    pub(crate) entries: Vec<(NodeId, Chosen)>,
    /// For each node, if it is reached from an entry without touching memory: the entry and the edges to it.
    pub(crate) from_entry: Vec<Option<(u32, Box<[u32]>)>>,
}

/// Why the graphs cannot be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TooLarge {
    /// Values without end, or too many.
    Values(Endless),
    /// The graph of this thread has too many nodes.
    Nodes(ThreadId),
    /// The budget ended first.
    Stopped(Stop),
}

impl From<Stop> for TooLarge {
    fn from(stop: Stop) -> Self {
        TooLarge::Stopped(stop)
    }
}

impl From<Endless> for TooLarge {
    fn from(endless: Endless) -> Self {
        TooLarge::Values(endless)
    }
}

/// The most nodes of one thread. A node costs some hundred bytes; unbounded counters reach this in well under a second.
const MOST_NODES: usize = 100_000;

/// The graphs of all threads and the values of the cells.
pub(crate) fn graphs(
    program: &Program,
    model: Model,
    meter: &Meter,
) -> Result<(Vec<Graph>, Values), TooLarge> {
    let watched = watched_registers(program, &[]);
    let mut values = Values::initial(program).map_err(Endless::from)?;
    loop {
        let before = values.total();
        let mut all = Vec::with_capacity(program.threads.len());
        for (thread, text) in program.threads.iter_enumerated() {
            let live = live_registers(text, &watched[thread]);
            all.push(Builder::build(program, model, thread, &live, &mut values, meter)?);
        }
        if values.total() == before {
            let mut graphs = Vec::with_capacity(all.len());
            for (mut graph, entries) in all {
                graph.contract(entries, meter)?;
                graphs.push(graph);
            }
            return Ok((graphs, values));
        }
    }
}

type Live = IndexVec<LocId, IndexVec<RegId, bool>>;

struct Builder<'p> {
    live: &'p Live,
    nodes: Vec<Node>,
    numbers: HashMap<Node, NodeId, FixedState>,
    links: Vec<Link>,
    thread: ThreadId,
}

impl<'p> Builder<'p> {
    fn build(
        program: &'p Program,
        model: Model,
        thread: ThreadId,
        live: &'p Live,
        values: &mut Values,
        meter: &Meter,
    ) -> Result<(Graph, Vec<(NodeId, Chosen)>), TooLarge> {
        let text = &program.threads[thread];
        let outgoing = text.outgoing();
        let mut builder =
            Builder { live, nodes: Vec::new(), numbers: HashMap::default(), links: Vec::new(), thread };
        let mut entries = Vec::new();
        for (registers, chosen) in open_registers(program, thread, &live[text.entry])? {
            let node = builder.node(Some(text.entry), registers, Vec::new())?;
            entries.push((node, chosen));
        }
        let mut at = 0;
        while at < builder.nodes.len() {
            meter.tick()?;
            let node = builder.nodes[at].clone();
            let from = at as NodeId;
            at += 1;
            let Some(location) = node.location else { continue };
            if let Some((label, rest)) = node.rest.split_first() {
                let to = builder.node(Some(location), node.registers.clone(), rest.to_vec())?;
                builder.links.push(Link { from, to, label: label.clone(), step: None });
                continue;
            }
            for &edge in &outgoing[location] {
                let frame = Frame { program, model, thread, edge: &text.edges[edge] };
                for Way { choices, mut labels, registers } in ways(&frame, &node.registers, values)? {
                    let label = labels.remove(0);
                    let to = match registers {
                        Some(registers) => builder.node(Some(frame.edge.to), registers, labels)?,
                        None => builder.node(None, IndexVec::new(), Vec::new())?,
                    };
                    builder.links.push(Link { from, to, label, step: Some((edge, choices)) });
                }
            }
        }
        let Builder { nodes, links, .. } = builder;
        let into = Vec::new();
        let graph = Graph { nodes, links, into, entries: Vec::new(), from_entry: Vec::new() };
        Ok((graph, entries))
    }

    fn node(
        &mut self,
        location: Option<LocId>,
        mut registers: IndexVec<RegId, Int>,
        rest: Vec<Label>,
    ) -> Result<NodeId, TooLarge> {
        if let Some(location) = location {
            for (reg, &live) in self.live[location].iter_enumerated() {
                if !live {
                    registers[reg] = Int::ZERO;
                }
            }
        }
        let node = Node { location, registers, rest };
        if let Some(&known) = self.numbers.get(&node) {
            return Ok(known);
        }
        if self.nodes.len() == MOST_NODES || node.registers.iter().any(is_huge) {
            return Err(TooLarge::Nodes(self.thread));
        }
        let number = self.nodes.len() as NodeId;
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        Ok(number)
    }
}

/// The valuations a thread can start with, and what was chosen for each. A dead register has no say.
fn open_registers(
    program: &Program,
    thread: ThreadId,
    live: &IndexVec<RegId, bool>,
) -> Result<Vec<(Registers, Chosen)>, TooLarge> {
    let regs = &program.threads[thread].regs;
    let first = regs.iter().map(|reg| match &reg.init {
        Init::Value(value) => value.clone(),
        Init::Any => reg.domain.default_value(),
    });
    let mut all = vec![(first.collect::<IndexVec<RegId, Int>>(), Vec::new())];
    for (id, reg) in regs.iter_enumerated() {
        if reg.init != Init::Any || !live[id] {
            continue;
        }
        let endless = || Endless::Register(thread, id);
        let values = enumerate(&reg.domain, OPEN_VALUES).ok_or_else(endless)?;
        if all.len() * values.len() > OPEN_VALUES {
            return Err(endless().into());
        }
        let with = |(registers, chosen): &(Registers, Chosen), value: &Int| {
            let (mut registers, mut chosen) = (registers.clone(), chosen.clone());
            registers[id] = value.clone();
            chosen.push((id, value.clone()));
            (registers, chosen)
        };
        all = all.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect();
    }
    Ok(all)
}

impl Graph {
    /// Finds the ways into each node, and those from an entry, chains of edges that do not touch memory taken together.
    fn contract(&mut self, entries: Vec<(NodeId, Chosen)>, meter: &Meter) -> Result<(), Stop> {
        self.entries = entries;
        let mut arriving: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (number, link) in self.links.iter().enumerate() {
            arriving[link.to as usize].push(number as u32);
        }
        let mut entry_of: Vec<Option<u32>> = vec![None; self.nodes.len()];
        for (number, (node, _)) in self.entries.iter().enumerate() {
            entry_of[*node as usize].get_or_insert(number as u32);
        }
        for node in 0..self.nodes.len() as NodeId {
            meter.tick()?;
            let mut into: Vec<Into> = Vec::new();
            let mut from_entry = None;
            let mut known: std::collections::HashSet<(NodeId, &Label), FixedState> = Default::default();
            // Backward over local edges, breadth first: each place with the edges from it to the node.
            let mut places: Vec<(NodeId, Vec<u32>)> = vec![(node, Vec::new())];
            let mut seen: std::collections::HashSet<NodeId, FixedState> = [node].into_iter().collect();
            let mut at = 0;
            while at < places.len() {
                let (place, path) = places[at].clone();
                at += 1;
                if from_entry.is_none() {
                    from_entry =
                        entry_of[place as usize].map(|entry| (entry, path.clone().into_boxed_slice()));
                }
                for &number in &arriving[place as usize] {
                    let link = &self.links[number as usize];
                    if link.label == Label::Local {
                        if seen.insert(link.from) {
                            places.push((link.from, [&[number], &path[..]].concat()));
                        }
                    } else if known.insert((link.from, &link.label)) {
                        into.push(Into { link: number, local: path.clone().into_boxed_slice() });
                    }
                }
            }
            self.into.push(into);
            self.from_entry.push(from_entry);
        }
        Ok(())
    }

    /// Whether the other is the same graph: the same nodes, edges and entries under the same numbers.
    pub(crate) fn is_same(&self, other: &Graph) -> bool {
        self.nodes == other.nodes && self.links == other.links && self.entries == other.entries
    }

    /// Its location, if it is not behind a violation.
    pub(crate) fn location(&self, node: NodeId) -> Option<LocId> {
        self.nodes[node as usize].location
    }
}
