//! Configurations: where the threads stand, what registers, memory and store buffers hold. With terms as values a
//! configuration is a symbolic state; with slots it is the control part of an abstract state.
//!
//! A value from a small domain is part of the control: in SAS 2012's words, for such a variable the predicates `x = c` are
//! there from the start. Every other value is a variable that predicates speak of. The variables of a control are its
//! unknown slots in the order of [`Config::for_each`].

use std::hash::{Hash, Hasher};

use fencewright_base::{Index, Int};
use fencewright_ir::{CellId, LocId, RegId, ThreadId};

use crate::buffer::{Buffer, Earlier, Rest, Value};
use crate::linear::{Linear, Var};
use crate::sums::Place;

/// A configuration with values of type `V`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Config<V> {
    /// For each thread where it stands.
    pub(crate) locations: Vec<LocId>,
    /// For each cell what memory holds.
    pub(crate) memory: Vec<V>,
    /// For each thread its registers.
    pub(crate) registers: Vec<Vec<V>>,
    /// For each thread its pending writes.
    pub(crate) buffers: Vec<Buffer<V>>,
}

/// What the control says of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// It is this number.
    Known(Int),
    /// It is a variable.
    Variable,
}

impl Value for Slot {
    fn number(&self) -> Option<&Int> {
        match self {
            Slot::Known(number) => Some(number),
            Slot::Variable => None,
        }
    }
}

impl Value for Linear {
    fn number(&self) -> Option<&Int> {
        self.known()
    }
}

/// The control part of an abstract state.
pub(crate) type Control = Config<Slot>;

impl<V> Config<V> {
    /// What it takes, in bytes, about: numbers are small and terms short.
    pub(crate) fn bytes(&self) -> u64 {
        let mut values = 0;
        self.for_each(&mut |_| values += 1);
        (values * 2 * size_of::<V>()) as u64
    }

    /// Calls `visit` for every value: memory, registers, kept writes, rests.
    pub(crate) fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a V)) {
        self.memory.iter().for_each(&mut *visit);
        self.registers.iter().flatten().for_each(&mut *visit);
        for buffer in &self.buffers {
            buffer.epochs.iter().flatten().for_each(|(_, value)| visit(value));
            for Rest { last, earlier, .. } in buffer.rest.values() {
                visit(last);
                if let Earlier::Ascending(least, most) = earlier {
                    visit(least);
                    visit(most);
                }
            }
        }
    }

    /// The same configuration with other values, made in the order of [`Config::for_each`].
    pub(crate) fn map<W>(&self, f: &mut dyn FnMut(&V) -> W) -> Config<W> {
        let memory = self.memory.iter().map(&mut *f).collect();
        let registers =
            self.registers.iter().map(|registers| registers.iter().map(&mut *f).collect()).collect();
        let mut buffers = Vec::new();
        for Buffer { epochs, rest, fenced } in &self.buffers {
            let mut mapped = Vec::new();
            for epoch in epochs {
                mapped.push(epoch.iter().map(|(cell, value)| (*cell, f(value))).collect());
            }
            let mut of = |Rest { last, earlier, bounded_by }: &Rest<V>| {
                let last = f(last);
                let earlier = match earlier {
                    Earlier::Values(values) => Earlier::Values(values.clone()),
                    Earlier::Ascending(least, most) => Earlier::Ascending(f(least), f(most)),
                    Earlier::Anything => Earlier::Anything,
                };
                Rest { last, earlier, bounded_by: bounded_by.clone() }
            };
            let rest = rest.iter().map(|(cell, rest)| (cell, of(rest))).collect();
            buffers.push(Buffer { epochs: mapped, rest, fenced: fenced.clone() });
        }
        Config { locations: self.locations.clone(), memory, registers, buffers }
    }
}

impl Control {
    /// What it says of the writes that are not kept in order, the last to each cell apart.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &Earlier<Slot>> {
        self.buffers.iter().flat_map(|buffer| buffer.rest.values()).map(|rest| &rest.earlier)
    }

    /// The same with other values there.
    pub(crate) fn with_earlier(&self, earlier: impl IntoIterator<Item = Earlier<Slot>>) -> Control {
        let mut control = self.clone();
        let rests = control.buffers.iter_mut().flat_map(|buffer| buffer.rest.values_mut());
        rests.zip(earlier).for_each(|(rest, earlier)| rest.earlier = earlier);
        control
    }

    /// How many variables it has.
    pub(crate) fn n_vars(&self) -> usize {
        let mut n = 0;
        self.for_each(&mut |slot| n += usize::from(*slot == Slot::Variable));
        n
    }

    /// For each variable what it stands for.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> =
            (0..self.memory.len()).map(|cell| Place::Cell(CellId::new(cell))).collect();
        for (t, registers) in self.registers.iter().enumerate() {
            places.extend((0..registers.len()).map(|r| Place::Register(ThreadId::new(t), RegId::new(r))));
        }
        for buffer in &self.buffers {
            places.extend(buffer.epochs.iter().flatten().map(|(cell, _)| Place::Cell(*cell)));
            for (cell, rest) in buffer.rest.iter() {
                let values = if matches!(rest.earlier, Earlier::Ascending(..)) { 3 } else { 1 };
                places.extend(std::iter::repeat_n(Place::Cell(cell), values));
            }
        }
        let mut places = places.into_iter();
        let mut found = Vec::new();
        self.for_each(&mut |slot| {
            let place = places.next().expect("a place for each value");
            if *slot == Slot::Variable {
                found.push(place);
            }
        });
        found
    }

    /// The symbolic state in which every unknown is a variable of its own.
    pub(crate) fn symbolic(&self) -> Config<Linear> {
        let mut next: Var = 0;
        self.map(&mut |slot| match slot {
            Slot::Known(value) => Linear::constant(value.clone()),
            Slot::Variable => {
                next += 1;
                Linear::var(next - 1)
            }
        })
    }
}

/// A control without what it says of the writes before the last ones, as far as that is no variable.
#[derive(Debug, Copy, Clone)]
pub(crate) struct Skeleton<'c>(pub(crate) &'c Control);

/// The part of `earlier` that belongs to the skeleton.
fn kept(earlier: &Earlier<Slot>) -> Option<&Earlier<Slot>> {
    match earlier {
        Earlier::Values(_) | Earlier::Anything => None,
        Earlier::Ascending(..) => Some(earlier),
    }
}

impl PartialEq for Skeleton<'_> {
    fn eq(&self, Skeleton(other): &Self) -> bool {
        let own = self.0;
        type OfRest<'c> = (CellId, (&'c Slot, Option<&'c Earlier<Slot>>, &'c [CellId]));
        fn rests(buffer: &Buffer<Slot>) -> impl Iterator<Item = OfRest<'_>> {
            let of = |rest| {
                let Rest { last, earlier, bounded_by }: &Rest<Slot> = rest;
                (last, kept(earlier), &bounded_by[..])
            };
            buffer.rest.iter().map(move |(cell, rest)| (cell, of(rest)))
        }
        own.locations == other.locations
            && own.memory == other.memory
            && own.registers == other.registers
            && own.buffers.len() == other.buffers.len()
            && own.buffers.iter().zip(&other.buffers).all(|(own, other)| {
                own.epochs == other.epochs && own.fenced == other.fenced && rests(own).eq(rests(other))
            })
    }
}

impl Hash for Skeleton<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Config { locations, memory, registers, buffers } = self.0;
        (locations, memory, registers).hash(state);
        for Buffer { epochs, rest, fenced } in buffers {
            (epochs, fenced).hash(state);
            for (cell, Rest { last, earlier, bounded_by }) in rest.iter() {
                (cell, last, kept(earlier), bounded_by).hash(state);
            }
        }
    }
}
