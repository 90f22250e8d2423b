//! DVE directly from its tree, under SC: the oracle of these tests. It shares the parser with the tool and nothing else,
//! and is written to be compared with `docs/formats/dve.md` line by line.

use std::collections::{BTreeMap, BTreeSet};

use fencewright_frontend::dve::ast::{
    Assignment, Binary, Declaration, Expr, ExprKind, Model, Place, Process, SyncKind, Transition, Type, Unary,
};

/// The values of variables by name; one for a scalar.
type Variables = BTreeMap<String, (Type, Vec<i64>)>;

/// A state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    globals: BTreeMap<String, Vec<i64>>,
    locals: Vec<BTreeMap<String, Vec<i64>>>,
    at: Vec<String>,
    /// The messages of channels that hold them, oldest first.
    messages: BTreeMap<String, Vec<Vec<i64>>>,
}

/// A transition that has no meaning.
#[derive(Debug)]
struct Error;

type Valued<T> = Result<T, Error>;

/// What there is to count.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// States, and for each set of processes that fail together one error state.
    pub(crate) states: u64,
    /// Transitions, those that fail among them.
    pub(crate) transitions: u64,
    /// Whether an assertion fails or a transition has no meaning.
    pub(crate) violated: bool,
}

pub(crate) struct Interpreter<'m> {
    model: &'m Model,
    processes: Vec<&'m Process>,
    globals: Variables,
    locals: Vec<Variables>,
    /// Capacities of the channels that hold messages.
    capacities: BTreeMap<String, usize>,
}

impl<'m> Interpreter<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let processes: Vec<&Process> = model.behaving().collect();
        let mut interpreter = Self {
            model,
            processes,
            globals: Variables::new(),
            locals: Vec::new(),
            capacities: BTreeMap::new(),
        };
        for declaration in &model.variables {
            let value = interpreter.initial(declaration, None);
            interpreter.globals.insert(declaration.name.text.clone(), (declaration.ty, value));
        }
        for (number, process) in interpreter.processes.clone().into_iter().enumerate() {
            interpreter.locals.push(Variables::new());
            for declaration in &process.variables {
                let value = interpreter.initial(declaration, Some(number));
                interpreter.locals[number].insert(declaration.name.text.clone(), (declaration.ty, value));
            }
        }
        for channel in &model.channels {
            let capacity = channel.capacity.as_ref().map_or(0, |expr| interpreter.constant(expr, None));
            if capacity > 0 {
                interpreter.capacities.insert(channel.name.text.clone(), capacity as usize);
            }
        }
        interpreter
    }

    fn initial(&self, declaration: &Declaration, process: Option<usize>) -> Vec<i64> {
        let size = declaration.size.as_ref().map_or(1, |size| self.constant(size, process)) as usize;
        let mut values: Vec<i64> = declaration.init.iter().map(|expr| self.constant(expr, process)).collect();
        values.resize(size, 0);
        values
    }

    fn constant(&self, expr: &Expr, process: Option<usize>) -> i64 {
        let start = self.start();
        self.eval(expr, process, &start).unwrap_or_else(|Error| panic!("a constant has no value"))
    }

    fn start(&self) -> State {
        let values = |variables: &Variables| {
            variables.iter().map(|(name, (_, values))| (name.clone(), values.clone())).collect()
        };
        let at = |process: &&Process| process.init.as_ref().map(|init| init.text.clone()).unwrap_or_default();
        State {
            globals: values(&self.globals),
            locals: self.locals.iter().map(values).collect(),
            at: self.processes.iter().map(at).collect(),
            messages: self.capacities.keys().map(|name| (name.clone(), Vec::new())).collect(),
        }
    }

    /// Explores everything.
    /// Nothing when there are more than `limit` states.
    pub(crate) fn explore(&self, limit: usize) -> Option<Counts> {
        let start = self.start();
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        let mut transitions = 0;
        let mut errors: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        let mut violated = false;
        while let Some(state) = open.pop() {
            if seen.len() > limit {
                return None;
            }
            violated |= !self.asserts_hold(&state);
            let mut failing = BTreeSet::new();
            for (who, next) in self.successors(&state) {
                transitions += 1;
                match next {
                    Err(Error) => failing.extend(who),
                    Ok(next) => {
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
            if !failing.is_empty() {
                violated = true;
                errors.insert(failing);
            }
        }
        Some(Counts { states: (seen.len() + errors.len()) as u64, transitions, violated })
    }

    fn asserts_hold(&self, state: &State) -> bool {
        self.processes.iter().enumerate().all(|(number, process)| {
            process.asserts.iter().all(|(at, expr)| {
                state.at[number] != at.text
                    || self.eval(expr, Some(number), state).is_ok_and(|value| value != 0)
            })
        })
    }

    /// Every transition that is enabled, with the processes that take part.
    fn successors(&self, state: &State) -> Vec<(Vec<usize>, Valued<State>)> {
        if self.model.system.as_ref().is_some_and(|system| system.synchronous) {
            return self.in_lock_step(state);
        }
        let committed = |number: usize| {
            self.processes[number].commit.iter().any(|commit| commit.text == state.at[number])
        };
        let someone = (0..self.processes.len()).any(committed);
        let may = |numbers: &[usize]| !someone || numbers.iter().any(|&number| committed(number));
        let mut found = Vec::new();
        let standing = |number: usize| {
            let transitions = self.processes[number].transitions.iter();
            transitions.filter(move |transition| transition.from.text == state.at[number])
        };
        for number in 0..self.processes.len() {
            for transition in standing(number) {
                let Some(sync) = &transition.sync else {
                    if may(&[number])
                        && let Some(next) = self.alone(number, transition, state)
                    {
                        found.push((vec![number], next));
                    }
                    continue;
                };
                if self.capacities.contains_key(&sync.channel.text) {
                    if may(&[number])
                        && let Some(next) = self.with_messages(number, transition, state)
                    {
                        found.push((vec![number], next));
                    }
                    continue;
                }
                let SyncKind::Send(_) = sync.kind else { continue };
                for other in (0..self.processes.len()).filter(|&other| other != number) {
                    for receiving in standing(other) {
                        let fits = receiving.sync.as_ref().is_some_and(|receive| {
                            receive.channel.text == sync.channel.text
                                && matches!(receive.kind, SyncKind::Receive(_))
                        });
                        if fits
                            && may(&[number, other])
                            && let Some(next) = self.together((number, transition), (other, receiving), state)
                        {
                            found.push((vec![number, other], next));
                        }
                    }
                }
            }
        }
        found
    }

    /// `system sync`: one transition of every process, each on the state before, put together. There is one error state.
    fn in_lock_step(&self, state: &State) -> Vec<(Vec<usize>, Valued<State>)> {
        // The guards come first, in the order of the processes: the first that is not true decides.
        let mut chosen: Vec<(Vec<&Transition>, Valued<()>)> = vec![(Vec::new(), Ok(()))];
        let mut found = Vec::new();
        for number in 0..self.processes.len() {
            let own = self.processes[number].transitions.iter();
            let own: Vec<&Transition> = own.filter(|t| t.from.text == state.at[number]).collect();
            chosen = chosen
                .iter()
                .flat_map(|(before, failed)| {
                    own.iter().filter_map(move |transition| {
                        let all = before.iter().copied().chain([*transition]).collect();
                        match (failed, self.guard(number, transition, state)) {
                            (Err(Error), _) | (Ok(()), Err(Error)) => Some((all, Err(Error))),
                            (Ok(()), Ok(true)) => Some((all, Ok(()))),
                            (Ok(()), Ok(false)) => None,
                        }
                    })
                })
                .collect();
        }
        for (transitions, failed) in chosen {
            let (mut next, mut assigned) = (state.clone(), BTreeSet::new());
            let mut result = failed;
            for (number, transition) in transitions.into_iter().enumerate() {
                let Ok(alone) = self.effects(number, transition, state.clone()) else {
                    result = Err(Error);
                    continue;
                };
                next.at[number] = alone.at[number].clone();
                next.locals[number] = alone.locals[number].clone();
                let names = transition.effects.iter().map(|effect| effect.place.name.text.clone());
                let globals: BTreeSet<String> =
                    names.filter(|name| !state.locals[number].contains_key(name)).collect();
                for name in globals {
                    next.globals.insert(name.clone(), alone.globals[&name].clone());
                    if !assigned.insert(name) {
                        result = Err(Error);
                    }
                }
            }
            found.push((vec![0], result.map(|()| next)));
        }
        found
    }

    /// Whether the guard is true; `None` if it has no value.
    fn guard(&self, number: usize, transition: &Transition, state: &State) -> Valued<bool> {
        for guard in &transition.guard {
            if self.eval(guard, Some(number), state)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn alone(&self, number: usize, transition: &Transition, state: &State) -> Option<Valued<State>> {
        match self.guard(number, transition, state) {
            Ok(false) => None,
            Err(Error) => Some(Err(Error)),
            Ok(true) => Some(self.effects(number, transition, state.clone())),
        }
    }

    fn effects(&self, number: usize, transition: &Transition, mut state: State) -> Valued<State> {
        state.at[number] = transition.to.text.clone();
        for Assignment { place, value } in &transition.effects {
            // The place is found first, as it is written first.
            let index = self.index(place, number, &state)?;
            let value = self.eval(value, Some(number), &state)?;
            self.assign(place, index, value, number, &mut state)?;
        }
        Ok(state)
    }

    fn index(&self, place: &Place, number: usize, state: &State) -> Valued<usize> {
        let index = match &place.index {
            None => 0,
            Some(index) => self.eval(index, Some(number), state)?,
        };
        let values =
            state.locals[number].get(&place.name.text).or_else(|| state.globals.get(&place.name.text));
        let size = values.expect("the variable is declared").len();
        usize::try_from(index).ok().filter(|&index| index < size).ok_or(Error)
    }

    fn assign(
        &self,
        place: &Place,
        index: usize,
        value: i64,
        number: usize,
        state: &mut State,
    ) -> Valued<()> {
        let name = &place.name.text;
        let (ty, values) = match self.locals[number].get(name) {
            Some((ty, _)) => (*ty, state.locals[number].get_mut(name)),
            None => (self.globals[name].0, state.globals.get_mut(name)),
        };
        values.expect("the variable is declared")[index] = fits(value, ty)?;
        Ok(())
    }

    fn together(
        &self,
        (sender, send): (usize, &Transition),
        (receiver, receive): (usize, &Transition),
        state: &State,
    ) -> Option<Valued<State>> {
        match self.guard(sender, send, state) {
            Ok(false) => return None,
            Err(Error) => return Some(Err(Error)),
            Ok(true) => {}
        }
        let (Some(sync), Some(into)) = (&send.sync, &receive.sync) else { return None };
        let (SyncKind::Send(values), SyncKind::Receive(places)) = (&sync.kind, &into.kind) else {
            return None;
        };
        let sent: Valued<Vec<i64>> =
            values.iter().map(|value| self.eval(value, Some(sender), state)).collect();
        let sent = match sent {
            Ok(sent) => sent,
            Err(Error) => return Some(Err(Error)),
        };
        // The types of the message are checked where it is sent.
        for (place, value) in places.iter().zip(&sent) {
            let ty = self.locals[receiver]
                .get(&place.name.text)
                .unwrap_or_else(|| &self.globals[&place.name.text])
                .0;
            if fits(*value, ty).is_err() {
                return Some(Err(Error));
            }
        }
        match self.guard(receiver, receive, state) {
            Ok(false) => return None,
            Err(Error) => return Some(Err(Error)),
            Ok(true) => {}
        }
        Some((|| {
            let mut next = state.clone();
            for (place, value) in places.iter().zip(sent) {
                let index = self.index(place, receiver, state)?;
                self.assign(place, index, value, receiver, &mut next)?;
            }
            let next = self.effects(sender, send, next)?;
            self.effects(receiver, receive, next)
        })())
    }

    /// A transition on a channel that holds messages.
    fn with_messages(&self, number: usize, transition: &Transition, state: &State) -> Option<Valued<State>> {
        match self.guard(number, transition, state) {
            Ok(false) => return None,
            Err(Error) => return Some(Err(Error)),
            Ok(true) => {}
        }
        let sync = transition.sync.as_ref()?;
        let name = &sync.channel.text;
        let declared = self.model.channels.iter().find(|channel| channel.name.text == *name)?;
        let mut next = state.clone();
        match &sync.kind {
            SyncKind::Send(values) => {
                if state.messages[name].len() == self.capacities[name] {
                    return None;
                }
                let types = declared.types.as_ref().expect("channels that hold messages have types");
                let sent: Valued<Vec<i64>> = (values.iter().zip(types))
                    .map(|(value, ty)| fits(self.eval(value, Some(number), state)?, *ty))
                    .collect();
                match sent {
                    Ok(sent) => next.messages.get_mut(name)?.push(sent),
                    Err(Error) => return Some(Err(Error)),
                }
            }
            SyncKind::Receive(places) => {
                if state.messages[name].is_empty() {
                    return None;
                }
                let message = next.messages.get_mut(name)?.remove(0);
                for (place, value) in places.iter().zip(message) {
                    let assigned = self
                        .index(place, number, state)
                        .and_then(|index| self.assign(place, index, value, number, &mut next));
                    if assigned.is_err() {
                        return Some(Err(Error));
                    }
                }
            }
        }
        Some(self.effects(number, transition, next))
    }

    fn eval(&self, expr: &Expr, process: Option<usize>, state: &State) -> Valued<i64> {
        let eval = |expr: &Expr| self.eval(expr, process, state);
        let variable = |name: &str| {
            let local = process.and_then(|process| state.locals.get(process)?.get(name));
            local.or_else(|| state.globals.get(name)).expect("the variable is declared")
        };
        let element = |values: &[i64], index: i64| {
            usize::try_from(index).ok().and_then(|index| values.get(index).copied()).ok_or(Error)
        };
        let number = |name: &str| {
            self.processes
                .iter()
                .position(|process| process.name.text == name)
                .expect("the process is declared")
        };
        let value = match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Variable(name) => variable(&name.text)[0],
            ExprKind::Element(name, index) => element(variable(&name.text), eval(index)?)?,
            ExprKind::At(process, at) => i64::from(state.at[number(&process.text)] == at.text),
            ExprKind::Foreign(process, name, index) => {
                let values = &state.locals[number(&process.text)][&name.text];
                element(values, index.as_ref().map_or(Ok(0), |index| eval(index))?)?
            }
            ExprKind::Unary(Unary::Neg, e) => -eval(e)?,
            ExprKind::Unary(Unary::Not, e) => i64::from(eval(e)? == 0),
            ExprKind::Unary(Unary::BitNot, e) => !eval(e)?,
            ExprKind::Binary(op, a, b) => {
                let a = eval(a)?;
                match (op, a) {
                    (Binary::And, 0) => 0,
                    (Binary::And, _) => i64::from(eval(b)? != 0),
                    (Binary::Or, 0) => i64::from(eval(b)? != 0),
                    (Binary::Or, _) => 1,
                    (Binary::Imply, 0) => 1,
                    (Binary::Imply, _) => i64::from(eval(b)? != 0),
                    (Binary::BitOr, a) => a | eval(b)?,
                    (Binary::BitXor, a) => a ^ eval(b)?,
                    (Binary::BitAnd, a) => a & eval(b)?,
                    (Binary::Eq, a) => i64::from(a == eval(b)?),
                    (Binary::Ne, a) => i64::from(a != eval(b)?),
                    (Binary::Lt, a) => i64::from(a < eval(b)?),
                    (Binary::Le, a) => i64::from(a <= eval(b)?),
                    (Binary::Gt, a) => i64::from(a > eval(b)?),
                    (Binary::Ge, a) => i64::from(a >= eval(b)?),
                    (Binary::Shl, a) => u32::try_from(eval(b)?)
                        .map_or(Err(Error), |by| Ok(if by < 32 { a << by } else { 0 }))?,
                    (Binary::Shr, a) => {
                        u32::try_from(eval(b)?).map_or(Err(Error), |by| Ok(a >> by.min(63)))?
                    }
                    (Binary::Add, a) => a + eval(b)?,
                    (Binary::Sub, a) => a - eval(b)?,
                    (Binary::Mul, a) => a * eval(b)?,
                    (Binary::Div, a) => a.checked_div(eval(b)?).ok_or(Error)?,
                    (Binary::Rem, a) => a.checked_rem(eval(b)?).ok_or(Error)?,
                }
            }
        };
        Ok(i64::from(value as i32))
    }
}

/// The value, if its type has it.
fn fits(value: i64, ty: Type) -> Valued<i64> {
    let range = match ty {
        Type::Byte => 0..=255,
        Type::Int => -32768..=32767,
    };
    if range.contains(&value) { Ok(value) } else { Err(Error) }
}
