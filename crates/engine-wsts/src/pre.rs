//! Predecessors: for a configuration, configurations that stand for every state from which one move of the late machine
//! leads into it. `docs/engines/wsts.md` derives each rule.
//!
//! Moves that could only give configurations above the given one are left out: dropping the head of a queue, a snapshot
//! that nobody looks at, a flush of a write that nothing is known of.

use crate::config::{ANY, Config, Entry};
use crate::graph::NodeId;
use crate::label::{Cell, Label, Locked, Pairs, Value, Wait};
use crate::system::{ANYWHERE, System};

/// A move of the late machine.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Move {
    /// A thread goes over an edge that touches memory, and then over local edges to `to`.
    Step {
        thread: u8,
        /// The edge.
        link: u32,
        /// Where it arrives.
        to: NodeId,
        /// What the way back must know of it.
        role: Role,
    },
    /// The oldest write in a store buffer reaches memory.
    Serialise { thread: u8, cell: Cell },
    /// A thread gets a snapshot of memory to look at.
    Snapshot { thread: u8 },
    /// The moment at which the state is bad.
    Moment,
}

/// What part a step plays, for the way back to the concrete machine.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// It can be made as soon as the thread's step before it has been made.
    Free,
    /// It looks at a memory.
    Looks {
        /// At the same moment as the thread's next look; else at one of its own.
        shared: bool,
    },
    /// A write whose way to memory is followed. Free otherwise.
    Followed,
    /// It acts on memory at the moment it is made.
    Acts,
}

impl System<'_> {
    /// The predecessors.
    pub(crate) fn predecessors(&self, config: &Config, found: &mut Vec<(Move, Config)>) {
        for thread in 0..self.n_threads() {
            match config.nodes[thread] {
                ANYWHERE => self.helpers(config, thread, found),
                node => {
                    for way in &self.graphs[thread].into[node as usize] {
                        self.step(config, thread, way.link, node, found);
                    }
                }
            }
            self.snapshot(config, thread, found);
            if self.buffered {
                for cell in 0..self.n_cells() as Cell {
                    self.serialise(config, thread, cell, found);
                }
            }
        }
        self.moment(config, found);
    }

    /// Of a thread that stands anywhere only what satisfies a demand can help.
    fn helpers(&self, config: &Config, thread: usize, found: &mut Vec<(Move, Config)>) {
        for (number, link) in self.graphs[thread].links.iter().enumerate() {
            let demanded = |cell: Cell, value: Value| config.memory[cell as usize] == value;
            let helps = match &link.label {
                Label::Local | Label::Look(_) | Label::StoreFence => false,
                Label::Store(cell, value) if self.buffered => {
                    config.buffer(thread, *cell).values.last() == Some(value)
                }
                Label::Store(cell, value) => demanded(*cell, *value),
                Label::Locked(locked) => locked.writes.iter().any(|&(cell, value)| demanded(cell, value)),
            };
            if helps {
                self.step(config, thread, number as u32, link.to, found);
            }
        }
    }

    fn step(&self, config: &Config, thread: usize, number: u32, to: NodeId, found: &mut Vec<(Move, Config)>) {
        let link = &self.graphs[thread].links[number as usize];
        let mut before = config.clone();
        before.nodes[thread] = link.from;
        let mut add = |role: Role, before: Config| {
            if self.is_plausible(&before, thread) {
                found.push((Move::Step { thread: thread as u8, link: number, to, role }, before));
            }
        };
        match &link.label {
            Label::Local => {}
            Label::Store(cell, value) if self.buffered => {
                if let Some(role) = before.unstore(thread, *cell, *value) {
                    add(role, before);
                }
            }
            Label::Store(cell, value) => {
                if self.unwrite(&mut before, thread, *cell, *value) {
                    add(Role::Followed, before);
                }
            }
            Label::StoreFence => {
                if (0..self.n_cells() as Cell).all(|cell| before.demand_empty(thread, cell)) {
                    add(Role::Free, before);
                }
            }
            Label::Locked(locked) => {
                if self.unlock(&mut before, thread, locked) {
                    add(Role::Acts, before);
                }
            }
            Label::Look(reads) => self.look(before, thread, reads, &mut add),
        }
    }

    /// Before the write reached memory from a thread that may read late: no look at the cell in an older memory can
    /// come behind it, and a read of the thread's own write finds it.
    fn unwrite(&self, before: &mut Config, thread: usize, cell: Cell, value: Value) -> bool {
        let queue = &mut before.queues[thread];
        let sees = |entry: &Entry| match entry {
            Entry::See(pairs) => pairs.iter().any(|(seen, _)| *seen == cell),
            Entry::Own(own, wanted) => *own == cell && *wanted != value,
            Entry::Moment(_) => false,
        };
        if queue.iter().any(sees) {
            return false;
        }
        queue.retain(|entry| !matches!(entry, Entry::Own(own, _) if *own == cell));
        before.undo_write(cell, value)
    }

    fn unlock(&self, before: &mut Config, thread: usize, locked: &Locked) -> bool {
        if self.late[thread] && !before.queues[thread].is_empty() {
            return false;
        }
        if self.buffered {
            let mut empty = |cell: Cell| before.demand_empty(thread, cell);
            let may = match &locked.wait {
                Wait::All => (0..self.n_cells() as Cell).all(&mut empty),
                Wait::Cells(cells) => cells.iter().all(|&cell| empty(cell)),
            };
            if !may {
                return false;
            }
        }
        let undone = locked.writes.iter().all(|&(cell, value)| before.undo_write(cell, value));
        undone && before.demand(&locked.reads)
    }

    /// Each read found its value in the thread's store buffer, among its writes that memory has and the thread has not
    /// reached, or in the memory it looks at.
    fn look(
        &self,
        before: Config,
        thread: usize,
        reads: &[(Cell, Value)],
        add: &mut dyn FnMut(Role, Config),
    ) {
        struct Part {
            before: Config,
            seen: Pairs,
            own: Pairs,
        }
        let node = before.nodes[thread];
        let mut parts = vec![Part { before, seen: Vec::new(), own: Vec::new() }];
        for &(cell, value) in reads {
            let may = self.may[thread].sets(Some(node), cell);
            if self.writer[cell as usize] == Some(thread) && may.last >> value & 1 == 0 {
                return; // Nobody else writes the cell, so the thread reads what it wrote last.
            }
            let mut next = Vec::new();
            for mut part in parts {
                if self.buffered {
                    let word = part.before.buffer(thread, cell);
                    let newest = if word.values.last() == Some(&value) {
                        Some(word.values.clone())
                    } else if !word.exact && may.newest >> value & 1 == 1 {
                        Some([&word.values[..], &[value]].concat())
                    } else {
                        None
                    };
                    if let Some(values) = newest {
                        let mut before = part.before.clone();
                        *before.buffer_mut(thread, cell) = crate::config::Word { values, exact: true };
                        next.push(Part { before, seen: part.seen.clone(), own: part.own.clone() });
                    }
                    if !part.before.demand_empty(thread, cell) {
                        continue;
                    }
                }
                let known = part.before.queues[thread].iter().find_map(|entry| match entry {
                    Entry::Own(own, known) if *own == cell => Some(*known),
                    _ => None,
                });
                let mut own = part.own.clone();
                let may_be_own = match known {
                    Some(known) => known == value,
                    None => {
                        own.push((cell, value));
                        self.late[thread] && may.ahead >> value & 1 == 1
                    }
                };
                if may_be_own {
                    next.push(Part { before: part.before.clone(), seen: part.seen.clone(), own });
                }
                if known.is_none() {
                    part.seen.push((cell, value));
                    next.push(part);
                }
            }
            parts = next;
        }
        for Part { mut before, seen, own } in parts {
            if !self.late[thread] {
                if before.demand(&seen) {
                    add(if seen.is_empty() { Role::Free } else { Role::Acts }, before);
                }
                continue;
            }
            if seen.is_empty() {
                before.look_first(thread, seen, own);
                add(Role::Free, before);
            } else if self.single {
                before.look_in_turn(thread, &seen, &own, add);
            } else {
                let shared = before.look_first(thread, seen, own);
                add(Role::Looks { shared }, before);
            }
        }
    }

    /// The thread got the snapshot it will look at last: memory was like that.
    fn snapshot(&self, config: &Config, thread: usize, found: &mut Vec<(Move, Config)>) {
        let Some(Entry::See(seen)) = config.queues[thread].last() else { return };
        let mut before = config.clone();
        before.queues[thread].pop();
        if self.single && before.turns.pop() != Some(thread as u8) {
            return;
        }
        if before.demand(seen) && self.is_plausible(&before, thread) {
            found.push((Move::Snapshot { thread: thread as u8 }, before));
        }
    }

    /// A write of the thread reached memory: one that memory, or the thread itself, is known to have afterwards, or one
    /// that has to go because the buffer is empty afterwards.
    fn serialise(&self, config: &Config, thread: usize, cell: Cell, found: &mut Vec<(Move, Config)>) {
        let word = config.buffer(thread, cell);
        let node = config.nodes[thread];
        let may = self.may[thread].sets((node != ANYWHERE).then_some(node), cell).buffered;
        if may == 0 {
            return;
        }
        let must_go = word.exact && word.values.is_empty();
        let is_own = |entry: &Entry| matches!(entry, Entry::Own(own, _) if *own == cell);
        let wanted = config.memory[cell as usize] != ANY || config.queues[thread].iter().any(is_own);
        if !must_go && !wanted {
            return;
        }
        for value in 0..self.values.of(cell).len() as Value {
            if may >> value & 1 == 0 {
                continue;
            }
            let mut before = config.clone();
            if !self.unwrite(&mut before, thread, cell, value) {
                continue;
            }
            before.buffer_mut(thread, cell).values.insert(0, value);
            if self.is_plausible(&before, thread) {
                found.push((Move::Serialise { thread: thread as u8, cell }, before));
            }
        }
    }

    /// All threads that have it have come to the moment at which the state is bad.
    fn moment(&self, config: &Config, found: &mut Vec<(Move, Config)>) {
        let mut before = config.clone();
        let mut any = false;
        for queue in &mut before.queues {
            if !queue.iter().any(|entry| matches!(entry, Entry::Moment(_))) {
                continue;
            }
            any = true;
            let Some(Entry::Moment(pairs)) = queue.pop() else { return };
            for (cell, value) in pairs {
                match &mut before.memory[cell as usize] {
                    known if *known == ANY || *known == value => *known = value,
                    _ => return,
                }
            }
        }
        if any {
            found.push((Move::Moment, before));
        }
    }

    /// Whether the forward analysis leaves a chance that the thread has pending, and memory holds, what is demanded.
    fn is_plausible(&self, config: &Config, thread: usize) -> bool {
        let node = config.nodes[thread];
        let node = (node != ANYWHERE).then_some(node);
        let queue = &config.queues[thread];
        for entry in queue {
            if let Entry::Own(cell, value) = entry
                && self.may[thread].sets(node, *cell).ahead >> value & 1 == 0
            {
                return false;
            }
        }
        if self.buffered {
            for cell in 0..self.n_cells() as Cell {
                let word = config.buffer(thread, cell);
                let may = self.may[thread].sets(node, cell);
                if word.values.iter().any(|value| may.buffered >> value & 1 == 0)
                    || word.exact && word.values.last().is_some_and(|newest| may.newest >> newest & 1 == 0)
                {
                    return false;
                }
            }
        }
        let held = |cell: Cell, value: Value| self.held(&config.nodes, cell) >> value & 1 == 1;
        let memory = config.memory.iter().enumerate();
        let mut known = memory.filter(|(_, value)| **value != ANY);
        known.all(|(cell, &value)| {
            held(cell as Cell, value) && self.holds_now(config, cell as Cell) >> value & 1 == 1
        }) && config.queues.iter().flatten().all(|entry| match entry {
            Entry::See(pairs) | Entry::Moment(pairs) => pairs.iter().all(|&(cell, value)| held(cell, value)),
            Entry::Own(..) => true,
        })
    }

    /// Whether the configuration stands for an initial state.
    pub(crate) fn is_initial(&self, config: &Config) -> bool {
        let starts = |(thread, &node): (usize, &NodeId)| {
            node == ANYWHERE || self.graphs[thread].from_entry[node as usize].is_some()
        };
        let holds = |(cell, &value): (usize, &Value)| {
            value == ANY || self.values.initially(cell as Cell) >> value & 1 == 1
        };
        config.queues.iter().all(Vec::is_empty)
            && config.buffers.iter().all(|word| word.values.is_empty())
            && config.nodes.iter().enumerate().all(starts)
            && config.memory.iter().enumerate().all(holds)
    }
}

impl Config {
    /// Before the write was put into the store buffer; `None` if it cannot have been.
    fn unstore(&mut self, thread: usize, cell: Cell, value: Value) -> Option<Role> {
        let word = self.buffer_mut(thread, cell);
        if word.values.last() == Some(&value) {
            word.values.pop();
            word.exact = false;
            Some(Role::Followed)
        } else {
            // One that nothing is known of: it goes to memory just before a later one, or never.
            (!word.exact).then_some(Role::Free)
        }
    }

    /// Puts a look, and reads of own writes at the same moment, before everything else the thread will see. Says whether
    /// the look and the one that was first are one: what the one shows contains what the other shows.
    fn look_first(&mut self, thread: usize, seen: Pairs, mut own: Pairs) -> bool {
        let queue = &mut self.queues[thread];
        if own.is_empty()
            && !seen.is_empty()
            && let Some(Entry::See(first)) = queue.first_mut()
        {
            if seen.iter().all(|pair| first.contains(pair)) {
                return true;
            }
            if first.iter().all(|pair| seen.contains(pair)) {
                *first = seen;
                return true;
            }
        }
        own.sort_unstable();
        let own = own.into_iter().map(|(cell, value)| Entry::Own(cell, value));
        let seen = (!seen.is_empty()).then_some(Entry::See(seen));
        queue.splice(0..0, seen.into_iter().chain(own));
        false
    }

    /// The same in the single-buffer machine: the look has its turn anywhere before the thread's next one.
    fn look_in_turn(self, thread: usize, seen: &Pairs, own: &Pairs, add: &mut dyn FnMut(Role, Config)) {
        let next = self.turns.iter().position(|turn| *turn as usize == thread);
        for place in 0..=next.unwrap_or(self.turns.len()) {
            let mut before = self.clone();
            let is_next = next == Some(place);
            if is_next && before.look_first(thread, seen.clone(), own.clone()) {
                add(Role::Looks { shared: true }, before);
                continue;
            }
            if !is_next {
                let own = own.iter().map(|&(cell, value)| Entry::Own(cell, value));
                before.queues[thread].splice(0..0, [Entry::See(seen.clone())].into_iter().chain(own));
            }
            before.turns.insert(place, thread as u8);
            add(Role::Looks { shared: false }, before);
        }
    }
}
