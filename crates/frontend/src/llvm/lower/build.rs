//! The program: cells, registers and statements from the edges of the threads.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_base::{Diagnostic, IndexVec, Int, Span};
use fencewright_ir::{
    Domain, Holder, Init, LocId, Op, ProgramBuilder, RegId, Side, Site, Statement, StatementId, Step,
    ThreadBuilder,
};

use super::analysis::Graph;
use super::expr;
use super::machine::{Machine, ObjectKey, ROp, RegInfo, Run, to_int};
use super::names::{block_names, thread_names};
use super::numbering::Numbering;
use super::state::{Cell, ThreadNumber};
use super::steps::{Block, NoSteps, Spot, StepEdge, Steps, Waiting, flatten};
use super::tidy::{Automaton, tidy};
use super::value::{Known, ObjectId, Value};
use super::words::Words;
use crate::Loaded;
use crate::llvm::{Lowered, codes};

pub(super) struct Lane {
    pub(super) thread: ThreadNumber,
    automaton: Automaton,
    regs: IndexVec<RegId, RegInfo>,
}

pub(crate) fn build(machine: &mut Machine<'_>, graphs: Vec<Graph>) -> Run<Lowered> {
    let mut blocks: Vec<Vec<Block>> = graphs.iter().map(flatten).collect();
    let main_matters = blocks[0].iter().flat_map(|block| &block.ops).any(|residual| is_visible(&residual.op));
    if !main_matters && blocks.len() > 1 {
        blocks[0].clear();
    }
    let waiting = waiting(machine, &mut blocks);
    let mut lanes = Vec::new();
    for (n, blocks) in blocks.iter().enumerate() {
        if blocks.is_empty() {
            continue;
        }
        let thread = ThreadNumber(n as u32);
        let mut regs = machine.regs.get(thread).map(|(infos, _)| infos.clone()).unwrap_or_default();
        let meter = &machine.unit.meter;
        let steps =
            Steps::new(blocks, &mut regs, thread, &waiting, meter).and_then(|mut steps| steps.edges());
        let (entry, edges) = match steps {
            Ok(steps) => steps,
            Err(NoSteps::Endless(at)) => {
                return machine.unsupported(at, "an atomic section without a bound");
            }
            Err(NoSteps::TooMany(at)) => {
                return machine.error(
                    &codes::TOO_LARGE,
                    at,
                    "the program is too large: too many ways lead on from here in one step",
                    "split the computation, or check a smaller program",
                );
            }
            Err(NoSteps::Stopped(stop)) => return Err(machine.stopped(stop, blocks[0].at)),
        };
        let automaton = match tidy(entry, edges, &mut regs, meter) {
            Ok(automaton) => automaton,
            Err(stop) => return Err(machine.stopped(stop, blocks[0].at)),
        };
        lanes.push(Lane { thread, automaton, regs });
    }
    for lane in &mut lanes {
        super::tidy::forget_unset(&lane.automaton, &mut lane.regs, &|cell| {
            machine.cells.get(cell).is_some_and(|cell| cell.known.may_be_unset())
        });
    }
    let mut values: Vec<(Known, u32)> = Vec::new();
    for lane in &lanes {
        values.extend(used_registers(lane).into_iter().map(|reg| {
            let info = &lane.regs[reg];
            (info.known.clone(), info.bits)
        }));
    }
    values.extend(machine.cells.values().map(|cell| (cell.known.clone(), cell.size * 8)));
    values.extend(machine.beside_unset.iter().cloned());
    let edges = lanes.iter().flat_map(|lane| &lane.automaton.edges);
    let numbering = Numbering::new(machine, edges, &values);
    if numbering.has_conflict(&values) {
        return Err(Box::new(
            Diagnostic::error(
                &codes::POINTER,
                Span::new(machine.unit.ir, 0, 0),
                "the program mixes addresses with integers that cannot be told from them",
            )
            .help("keep addresses and other numbers apart"),
        ));
    }
    let builder = Builder {
        machine,
        numbering,
        program: ProgramBuilder::new(String::new()),
        statements: BTreeMap::new(),
        sites: BTreeMap::new(),
        places: BTreeMap::new(),
        words: Words::default(),
        thread_names: BTreeMap::new(),
        block_names: BTreeMap::new(),
    };
    builder.run(lanes)
}

/// Whether other threads, or the property, can notice the operation.
fn is_visible(op: &ROp) -> bool {
    match op {
        // It only waits.
        ROp::Locked(_, ops) if ops.is_empty() => false,
        ROp::Read { .. }
        | ROp::Write { .. }
        | ROp::Locked(..)
        | ROp::Exchange { .. }
        | ROp::Assert(..)
        | ROp::Guard(_)
        | ROp::AtomicBegin => true,
        ROp::Assign { .. }
        | ROp::Havoc { .. }
        | ROp::Fence(_)
        | ROp::Site(_)
        | ROp::AtomicEnd
        | ROp::Start(_)
        | ROp::Join(_)
        | ROp::Await(_)
        | ROp::End => false,
    }
}

/// Which threads must wait for their start, and whose end is waited for. A thread that must wait gets a first step.
fn waiting(machine: &mut Machine<'_>, blocks: &mut [Vec<Block>]) -> Waiting {
    let mut waiting = Waiting {
        n_threads: blocks.iter().filter(|blocks| !blocks.is_empty()).count(),
        ..Waiting::default()
    };
    if blocks[0].is_empty() {
        return waiting;
    }
    // Forward through main: does anything happen before a thread is started?
    let mut seen: BTreeMap<usize, bool> = BTreeMap::from([(0, false)]);
    let mut stack = vec![0];
    let mut late = BTreeSet::new();
    let mut joined = BTreeSet::new();
    while let Some(n) = stack.pop() {
        let mut something = seen[&n];
        for residual in &blocks[0][n].ops {
            match residual.op {
                ROp::Start(thread) if something => {
                    late.insert(thread);
                }
                ROp::Join(thread) => {
                    joined.insert(thread);
                    something = true;
                }
                _ => something |= is_visible(&residual.op),
            }
        }
        for (_, target) in &blocks[0][n].next {
            let known = seen.get(target).copied();
            if known.is_none() || (something && known == Some(false)) {
                seen.insert(*target, something);
                stack.push(*target);
            }
        }
    }
    let mut flag = |key: ObjectKey| -> Cell {
        let object = machine.object(key, Some(1), None);
        let cell = (object, 0);
        let shared = super::machine::SharedCell { size: 1, known: Known::truth(), init: Value::Int(0) };
        machine.cells.insert(cell, shared);
        cell
    };
    for &thread in &late {
        waiting.started.insert(thread, flag(ObjectKey::Started(thread)));
    }
    for &thread in &joined {
        waiting.ended.insert(thread, flag(ObjectKey::Ended(thread)));
    }
    for (&thread, &cell) in &waiting.started {
        let own = &mut blocks[thread.0 as usize];
        let Some(at) = own.first().map(|block| block.at) else { continue };
        let moved = own.len();
        let entry = own[0].clone();
        own.push(entry);
        for block in own.iter_mut() {
            for (_, target) in &mut block.next {
                if *target == 0 {
                    *target = moved;
                }
            }
        }
        own[0] = Block { ops: vec![super::steps::wait_for(cell, at)], next: vec![(expr::int(1), moved)], at };
    }
    waiting
}

fn used_registers(lane: &Lane) -> BTreeSet<RegId> {
    let mut used = BTreeSet::new();
    for op in lane.automaton.edges.iter().flat_map(|edge| &edge.ops) {
        super::tidy::each_register(op, &mut |reg| {
            used.insert(reg);
        });
    }
    used
}

/// How a statement is known: by its place, or by where it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Place(u32),
    Text(Span, String),
}

pub(super) struct Builder<'m, 'a> {
    pub(super) machine: &'m mut Machine<'a>,
    pub(super) numbering: Numbering,
    program: ProgramBuilder,
    statements: BTreeMap<Key, StatementId>,
    sites: BTreeMap<StatementId, u32>,
    places: BTreeMap<Site, u32>,
    words: Words,
    pub(super) thread_names: BTreeMap<ThreadNumber, String>,
    pub(super) block_names: BTreeMap<ObjectId, String>,
}

impl Builder<'_, '_> {
    fn run(mut self, mut lanes: Vec<Lane>) -> Run<Lowered> {
        let file = self.machine.unit.sources.file(self.machine.unit.ir).name();
        let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let name = stem.split('.').next().unwrap_or(stem).to_owned();
        self.program = ProgramBuilder::new(name);
        let names = thread_names(self.machine, &lanes);
        self.thread_names = lanes.iter().map(|lane| lane.thread).zip(names.iter().cloned()).collect();
        self.block_names = block_names(self.machine);
        self.cells();
        let mut statements: Vec<Vec<StatementId>> = Vec::new();
        for lane in &lanes {
            statements.push(lane.automaton.edges.iter().map(|edge| self.statement(edge)).collect());
        }
        self.contract(&mut lanes, &mut statements);
        for ((lane, name), statements) in lanes.iter().zip(names).zip(&statements) {
            self.thread(lane, name, statements);
        }
        let used: BTreeSet<StatementId> = statements.iter().flatten().copied().collect();
        for (&statement, &number) in self.sites.iter().filter(|(statement, _)| used.contains(statement)) {
            self.places.insert(Site { statement, side: Side::Before }, number);
        }
        for word in std::mem::take(&mut self.words).finish() {
            self.program.add_order(word);
        }
        let warnings = self.warnings();
        match self.program.finish() {
            Ok(program) => {
                let bound = self.machine.unit.options.heap_bound;
                let cut_at_objects = self.machine.heap_bound_hit.is_some().then_some(bound);
                let machine = &*self.machine;
                let loaded = Loaded {
                    program,
                    warnings,
                    cut_at_objects,
                    no_reuse: machine.reuses,
                    late_writes: machine.writes_late(),
                    may_read_unset: machine.partly_unset,
                    prints_values: machine.prints_values,
                    copies_in_order: machine.copies_in_order,
                    may_block: machine.may_block,
                    stated: machine.stated(),
                };
                Ok(Lowered { loaded, places: self.places })
            }
            Err(errors) => {
                let text = errors.first().map(ToString::to_string).unwrap_or_default();
                let span = Span::new(self.machine.unit.ir, 0, 0);
                Err(Box::new(
                    Diagnostic::error(
                        &codes::UNSUPPORTED,
                        span,
                        format!("internal error: the lowered program is not valid: {text}"),
                    )
                    .help("please report it, with the file"),
                ))
            }
        }
    }

    /// The shared cells, in order, each a variable of its own.
    fn cells(&mut self) {
        let cells: Vec<Cell> = self.numbering.cells.keys().copied().collect();
        let mut names = BTreeSet::new();
        for cell in cells {
            let mut name = self.cell_name(cell);
            // Parts of a library's type have no names.
            if cell.1 > 0 && names.contains(&name) {
                name = format!("{name}, byte {}", cell.1);
            }
            while !names.insert(name.clone()) {
                name.push('\'');
            }
            let (known, size, init) = match self.machine.cells.get(&cell) {
                Some(shared) => (shared.known.clone(), shared.size, shared.init),
                None => (Known::int(0), 1, Value::Int(0)),
            };
            let init = to_int(self.numbering.value(init));
            let domain = self.domain(&known, size * 8, Some(&init));
            let id = self.program.scalar(name, domain, Init::Value(init), None);
            let (role, addresses) = (self.role(cell), self.addresses(&known));
            let wording = self.program.wording_mut();
            wording.roles.extend(role.map(|role| (id, role)));
            if !addresses.is_empty() {
                wording.addresses.insert(Holder::Cell(id), addresses);
            }
        }
    }

    /// The values something can hold: as few as the analysis found, if they lie close together. Whatever is put there must
    /// be among them, because a step that would put something else there could not be made.
    fn domain(&self, known: &Known, bits: u32, also: Option<&Int>) -> Domain {
        // What was never written has a number of its own, perhaps outside what the width can hold.
        let unset = known.may_be_unset().then(|| to_int(self.numbering.value(Value::Unset)));
        let mut bits = bits.clamp(1, 128);
        let mut machine = Domain::Machine { bits, signed: bits > 1 };
        while bits < 128 && unset.iter().chain(also).any(|value| !machine.contains(value)) {
            bits += 1;
            machine = Domain::Machine { bits, signed: true };
        }
        let Some(set) = known.values().filter(|set| !set.is_empty() && self.machine.unit.options.narrow)
        else {
            return machine;
        };
        let mut numbers: Vec<Int> = set.iter().map(|&value| to_int(self.numbering.value(value))).collect();
        numbers.extend(also.cloned());
        let lo = numbers.iter().min().cloned().unwrap_or(Int::ZERO);
        let hi = numbers.iter().max().cloned().unwrap_or(Int::ZERO);
        match hi.sub(&lo).to_i64() {
            Some(width) if width < 8 * numbers.len() as i64 + 16 => Domain::Range { lo, hi },
            _ => machine,
        }
    }

    fn statement(&mut self, edge: &StepEdge) -> StatementId {
        let place = edge.site.and_then(|number| {
            self.machine.unit.places.and_then(|places| places.place(number)).map(|info| (number, info))
        });
        if let Some((number, info)) = place {
            let key = Key::Place(number);
            if let Some(&known) = self.statements.get(&key) {
                return known;
            }
            let id = self.program.add_statement(Statement {
                text: info.text,
                span: Some(info.span),
                loop_depth: info.loop_depth,
                fence_before: true,
                fence_after: false,
            });
            self.statements.insert(key, id);
            self.sites.insert(id, number);
            return id;
        }
        let position = self.machine.position(edge.at);
        let key = Key::Text(position.span, position.text.clone());
        if let Some(&known) = self.statements.get(&key) {
            return known;
        }
        let id = self.program.add_statement(Statement {
            text: position.text,
            span: Some(position.span),
            loop_depth: 0,
            fence_before: false,
            fence_after: false,
        });
        self.statements.insert(key, id);
        id
    }

    /// A step that does nothing but mark a place for a fence is taken out where the step before it can carry the place:
    /// all steps of that statement, in all threads, must lead to such a mark of the same place.
    fn contract(&mut self, lanes: &mut [Lane], statements: &mut [Vec<StatementId>]) {
        let is_mark = |edge: &StepEdge| edge.site.is_some() && edge.ops.is_empty() && edge.lock.is_none();
        // For each spot the mark that is its only way on.
        let marks: Vec<BTreeMap<Spot, usize>> = lanes
            .iter()
            .map(|lane| {
                let edges = &lane.automaton.edges;
                let mut out: BTreeMap<Spot, Vec<usize>> = BTreeMap::new();
                for (i, edge) in edges.iter().enumerate() {
                    out.entry(edge.from).or_default().push(i);
                }
                out.into_iter()
                    .filter_map(|(spot, list)| match list[..] {
                        [only] if is_mark(&edges[only]) && edges[only].to != spot => Some((spot, only)),
                        _ => None,
                    })
                    .collect()
            })
            .collect();
        let mut carries: BTreeMap<StatementId, Option<StatementId>> = BTreeMap::new();
        for (n, lane) in lanes.iter().enumerate() {
            for (i, edge) in lane.automaton.edges.iter().enumerate() {
                let mark = marks[n].get(&edge.to).map(|&mark| statements[n][mark]);
                let own = statements[n][i];
                let found = carries.entry(own).or_insert(mark);
                if *found != mark || mark == Some(own) {
                    *found = None;
                }
            }
        }
        let mut carried: BTreeMap<StatementId, StatementId> = BTreeMap::new();
        for (n, lane) in lanes.iter_mut().enumerate() {
            let marks = &marks[n];
            // A mark goes only if all steps to it can carry it, and the thread does not start there.
            let mut goes: BTreeSet<usize> = marks.values().copied().collect();
            for (i, edge) in lane.automaton.edges.iter().enumerate() {
                if let Some(mark) = marks.get(&edge.to)
                    && carries[&statements[n][i]] != Some(statements[n][*mark])
                {
                    goes.remove(mark);
                }
            }
            if let Some(mark) = marks.get(&lane.automaton.entry) {
                goes.remove(mark);
            }
            // Marks may lead to marks; those that lead round to themselves stay.
            let behind = |mark: usize, goes: &BTreeSet<usize>| {
                let mut to = lane.automaton.edges[mark].to;
                for _ in 0..=goes.len() {
                    match marks.get(&to).filter(|next| goes.contains(next)) {
                        Some(&next) => to = lane.automaton.edges[next].to,
                        None => return Some(to),
                    }
                }
                None
            };
            let round: Vec<usize> =
                goes.iter().copied().filter(|&mark| behind(mark, &goes).is_none()).collect();
            round.iter().for_each(|mark| _ = goes.remove(mark));
            let targets: BTreeMap<Spot, (Spot, usize)> = (marks.iter())
                .filter(|(_, mark)| goes.contains(mark))
                .filter_map(|(&spot, &mark)| Some((spot, (behind(mark, &goes)?, mark))))
                .collect();
            for (i, edge) in lane.automaton.edges.iter_mut().enumerate() {
                if let Some(&(to, mark)) = targets.get(&edge.to)
                    && !goes.contains(&i)
                {
                    edge.to = to;
                    carried.insert(statements[n][i], statements[n][mark]);
                }
            }
            let keep: Vec<bool> = (0..lane.automaton.edges.len()).map(|i| !goes.contains(&i)).collect();
            let mut flags = keep.iter();
            lane.automaton.edges.retain(|_| *flags.next().unwrap_or(&true));
            let mut flags = keep.iter();
            statements[n].retain(|_| *flags.next().unwrap_or(&true));
        }
        for (statement, mark) in carried {
            self.program.statement_mut(statement).fence_after = true;
            if let Some(&number) = self.sites.get(&mark) {
                self.places.insert(Site { statement, side: Side::After }, number);
            }
        }
    }

    fn thread(&mut self, lane: &Lane, name: String, statements: &[StatementId]) {
        let mut thread = ThreadBuilder::new(name);
        let mut regs: BTreeMap<RegId, RegId> = BTreeMap::new();
        let (mut names, mut words) = (BTreeSet::new(), Vec::new());
        for reg in used_registers(lane) {
            let info = &lane.regs[reg];
            let init = lane.automaton.init.get(&reg);
            let domain = self.domain(&info.known, info.bits, init);
            let first = init.cloned().unwrap_or_else(|| domain.default_value());
            let shown = self.register_name(info);
            let mut name = shown.clone().unwrap_or_else(|| format!("r{}", regs.len()));
            while !names.insert(name.clone()) {
                name.push('\'');
            }
            let id = thread.register(name, domain, Init::Value(first));
            regs.insert(reg, id);
            words.push((id, shown, self.addresses(&info.known)));
        }
        let mut spots: BTreeMap<Spot, LocId> = BTreeMap::from([(lane.automaton.entry, thread.entry())]);
        let (mut ordered, mut failures) = (Vec::new(), Vec::new());
        for (edge, &statement) in lane.automaton.edges.iter().zip(statements) {
            let from = *spots.entry(edge.from).or_insert_with(|| thread.location());
            let to = *spots.entry(edge.to).or_insert_with(|| thread.location());
            let ops = edge.ops.iter().filter_map(|op| self.op(op, &regs)).collect();
            let step = Step { ops, lock: edge.lock, statement };
            let word = self.machine.order(edge.at);
            let id = thread.edge(from, to, step);
            ordered.extend(word.map(|word| (id, word)));
            failures.push((id, self.machine.failures(&edge.ops, edge.at)));
        }
        let id = self.program.add_thread(thread);
        let wording = self.program.wording_mut();
        for (reg, shown, addresses) in words {
            wording.registers.insert((id, reg), shown);
            if !addresses.is_empty() {
                wording.addresses.insert(Holder::Register(id, reg), addresses);
            }
        }
        let failures = failures.into_iter().filter(|(_, failures)| !failures.is_empty());
        wording.failures.extend(failures.map(|(edge, failures)| ((id, edge), failures)));
        for (edge, word) in ordered {
            let step = &self.program.program().edge(id, edge).step;
            self.words.add(word, (id, edge), step);
        }
    }

    fn op(&self, op: &ROp, regs: &BTreeMap<RegId, RegId>) -> Option<Op> {
        let rename = |e: fencewright_ir::RegExpr| e.map(&mut |reg| regs[reg]);
        let value = |e: &expr::RExpr| rename(self.numbering.expr(e));
        let addr = |a: &super::machine::Address| match self.numbering.addr(a) {
            fencewright_ir::Addr::Indexed { first, len, index, outside } => {
                fencewright_ir::Addr::Indexed { first, len, index: rename(index), outside }
            }
            cell => cell,
        };
        Some(match op {
            ROp::Assign { dst, value: e } => Op::Assign { dst: regs[dst], value: value(e) },
            ROp::Havoc { dst } => Op::Havoc { dst: regs[dst] },
            ROp::Guard(e) => Op::Guard(value(e)),
            ROp::Assert(e, _) => Op::Assert(value(e)),
            ROp::Read { dst, addr: a } => Op::Read { dst: regs[dst], addr: addr(a) },
            ROp::Write { addr: a, value: e } => Op::Write { addr: addr(a), value: value(e) },
            ROp::Fence(kind) => Op::Fence(*kind),
            ROp::Locked(..)
            | ROp::Exchange { .. }
            | ROp::Site(_)
            | ROp::AtomicBegin
            | ROp::AtomicEnd
            | ROp::Start(_)
            | ROp::Join(_)
            | ROp::Await(_)
            | ROp::End => return None,
        })
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings: Vec<Diagnostic> = (self.machine.ignored.iter())
            .map(|(name, position)| {
                Diagnostic::warning(&codes::IGNORED, position.span, format!("calls of `{name}` are left out"))
                    .help("they do nothing that a model of memory shows")
            })
            .collect();
        if let Some(position) = &self.machine.heap_bound_hit {
            let bound = self.machine.unit.options.heap_bound;
            warnings.push(
                Diagnostic::warning(
                    &codes::HEAP,
                    position.span,
                    format!(
                        "this place can allocate more than {bound} objects; executions that do are cut off"
                    ),
                )
                .help("raise it with --heap; no proof for all executions is given as it is"),
            );
        }
        warnings
    }
}
