//! An object of memory: its bytes, which of their bits are unset, and which eight bytes are addresses of which object.
//!
//! An address is stored as its number, so that programs can look at its bits. The object it points into is recorded beside it.
//! A copy of part of an address is a plain number.

use smallvec::SmallVec;

use crate::floats::Format;
use crate::layout::{Kind, Shape};
use crate::open::TermId;
use crate::value::{ObjectId, Scalar, Value, Wide, mask, wide_mask};

/// The kind of an object.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A variable of the program.
    Global,
    /// A local variable; it ends when its function returns.
    Stack,
    /// Memory from `malloc` and its like; `free` ends it.
    Heap,
    /// A thread's own copy of a thread-local variable.
    ThreadLocal,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Where it begins.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
    /// The instruction that made it, as numbered by [`Program::site`](crate::program::Program::site); for a global its number.
    pub site: u32,
    /// Whether it has ended. Its place is kept, so that an access through an old address is recognised.
    pub ended: bool,
    /// Whether another thread may know its address.
    pub shared: bool,
    /// Whether its address has been stored anywhere except in registers of the calls it was passed to.
    pub escaped: bool,
    /// Its bytes; empty once it has ended.
    pub bytes: Vec<u8>,
    /// A one for each unset bit; empty if there is none.
    pub unset: Vec<u8>,
    /// Where addresses are stored, by offset, and the objects they point into.
    pub pointers: SmallVec<[(u32, ObjectId); 2]>,
    /// Where open values are stored, ascending. The bytes hold the offset that is added to the term.
    pub open: Vec<OpenBytes>,
}

/// Parts of a range of bytes: offset, size, value.
pub type Parts = Vec<(u64, u32, Scalar)>;

/// Bytes that hold an open value.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct OpenBytes {
    /// The first one.
    pub offset: u32,
    /// How many.
    pub size: u32,
    /// The term of the value.
    pub term: TermId,
}

impl OpenBytes {
    /// Whether it overlaps these bytes.
    pub fn overlaps(&self, offset: u64, size: u64) -> bool {
        u64::from(self.offset) < offset + size && offset < u64::from(self.offset + self.size)
    }

    /// Whether it is exactly these bytes.
    pub fn is_at(&self, offset: u64, size: u32) -> bool {
        u64::from(self.offset) == offset && self.size == size
    }
}

impl Object {
    /// A new object with all bits unset.
    pub fn unset(kind: ObjectKind, address: u64, size: u64, site: u32) -> Self {
        let bytes = vec![0; size as usize];
        let unset = vec![0xff; size as usize];
        Self {
            kind,
            address,
            size,
            site,
            ended: false,
            shared: false,
            escaped: false,
            bytes,
            unset,
            pointers: SmallVec::new(),
            open: Vec::new(),
        }
    }

    /// Whether the bytes lie within the object.
    pub fn contains(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.size)
    }

    /// Up to eight bytes as a number. The bytes must lie within the object, and contain all of an open value or no part of one.
    pub fn read(&self, offset: u64, size: u32) -> Scalar {
        let at = offset as usize;
        let gather = |bytes: &[u8]| {
            let mut buffer = [0u8; 8];
            buffer[..size as usize].copy_from_slice(&bytes[at..at + size as usize]);
            u64::from_le_bytes(buffer)
        };
        let unset = if self.unset.is_empty() { 0 } else { gather(&self.unset) };
        let of = if size == 8 { self.pointer_at(offset) } else { ObjectId::NONE };
        let open =
            self.open.iter().find(|open| open.is_at(offset, size)).map_or(TermId::NONE, |open| open.term);
        Scalar { bits: gather(&self.bytes) & !unset, unset, of, open }
    }

    fn pointer_at(&self, offset: u64) -> ObjectId {
        let found = self.pointers.binary_search_by_key(&offset, |(at, _)| u64::from(*at));
        found.map_or(ObjectId::NONE, |place| self.pointers[place].1)
    }

    /// Writes up to eight bytes. The bytes must lie within the object, and cover all of an open value or no part of one.
    pub fn write(&mut self, offset: u64, size: u32, value: Scalar) {
        let at = offset as usize;
        let end = at + size as usize;
        self.bytes[at..end].copy_from_slice(&(value.bits & !value.unset).to_le_bytes()[..size as usize]);
        if value.unset != 0 && self.unset.is_empty() {
            self.unset = vec![0; self.bytes.len()];
        }
        if !self.unset.is_empty() {
            self.unset[at..end].copy_from_slice(&value.unset.to_le_bytes()[..size as usize]);
            // Filling an object from one end to the other must not scan it at each write.
            let next_to_it = [at.wrapping_sub(1), end].into_iter().filter_map(|at| self.unset.get(at));
            let goes_on = next_to_it.into_iter().any(|byte| *byte != 0);
            if value.unset == 0 && !goes_on && self.unset.iter().all(|byte| *byte == 0) {
                self.unset = Vec::new();
            }
        }
        let first = self.pointers.partition_point(|(start, _)| u64::from(*start) + 8 <= offset);
        let last = first
            + self.pointers[first..]
                .partition_point(|(start, _)| u64::from(*start) < offset + u64::from(size));
        if value.of.is_some() && size == 8 && last - first == 1 {
            self.pointers[first] = (offset as u32, value.of);
        } else {
            self.pointers.drain(first..last);
            if value.of.is_some() && size == 8 {
                self.pointers.insert(first, (offset as u32, value.of));
            }
        }
        if !self.open.is_empty() || value.open.is_some() {
            self.open.retain(|open| !open.overlaps(offset, size.into()));
            if value.open.is_some() {
                let place = self.open.partition_point(|open| u64::from(open.offset) < offset);
                self.open.insert(place, OpenBytes { offset: offset as u32, size, term: value.open });
            }
        }
    }

    /// Makes bytes unset again.
    pub fn forget(&mut self, offset: u64, size: u64) {
        let (mut at, end) = (offset, offset + size);
        while at < end {
            let step = (end - at).min(8) as u32;
            self.write(at, step, Scalar::poison(8 * step));
            at += u64::from(step);
        }
    }

    /// Ends the object: its place stays, its bytes go.
    pub fn end(&mut self) {
        self.ended = true;
        self.bytes = Vec::new();
        self.unset = Vec::new();
        self.pointers = SmallVec::new();
        self.open = Vec::new();
    }

    /// A value of the shape. The bytes must lie within the object.
    pub fn load(&self, offset: u64, shape: &Shape) -> Value {
        match shape {
            Shape::Scalar(kind, size) if *size <= 8 => from_memory(*kind, self.read(offset, *size)).into(),
            Shape::Scalar(kind, size) => {
                let low = self.read(offset, 8);
                let high = self.read(offset + 8, size - 8);
                let join = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
                let all = wide_mask(width_of(*kind, *size));
                let bits = join(low.bits, high.bits) & all;
                Value::Wide(Box::new(Wide {
                    of: [low.of, high.of],
                    ..Wide::new(bits, join(low.unset, high.unset) & all)
                }))
            }
            Shape::Aggregate(elements, _) => Value::Aggregate(
                elements.iter().map(|(inner, shape)| self.load(offset + inner, shape)).collect(),
            ),
        }
    }

    /// Stores a value of the shape. The bytes must lie within the object.
    pub fn store(&mut self, offset: u64, shape: &Shape, value: &Value) {
        for_each_part(shape, value, offset, &mut |at, size, scalar| self.write(at, size, scalar));
    }
}

fn width_of(kind: Kind, size: u32) -> u32 {
    match kind {
        Kind::Int(bits) => bits,
        Kind::Pointer => 64,
        Kind::Float(Format::Single) => 32,
        Kind::Float(Format::Double) => 64,
        Kind::OtherFloat(_) => 8 * size,
    }
}

/// The register value of bytes that were read: an `i1` is the lowest bit of its byte.
pub fn from_memory(kind: Kind, scalar: Scalar) -> Scalar {
    match kind {
        Kind::Int(bits) if bits % 8 != 0 => {
            Scalar { bits: scalar.bits & mask(bits), unset: scalar.unset & mask(bits), ..Scalar::default() }
        }
        _ => scalar,
    }
}

/// The pieces of at most eight bytes that storing a value writes, in order of their offsets.
pub fn for_each_part(shape: &Shape, value: &Value, offset: u64, write: &mut dyn FnMut(u64, u32, Scalar)) {
    match (shape, value) {
        (Shape::Scalar(_, size), Value::Scalar(scalar)) if *size <= 8 => write(offset, *size, *scalar),
        (Shape::Scalar(_, size), Value::Wide(wide)) => {
            let half = |shift: u32| Scalar {
                bits: (wide.bits >> shift) as u64,
                unset: (wide.unset >> shift) as u64,
                of: wide.of[(shift / 64) as usize],
                ..Scalar::default()
            };
            write(offset, 8.min(*size), half(0));
            if *size > 8 {
                write(offset + 8, size - 8, half(64));
            }
        }
        (Shape::Aggregate(elements, _), Value::Aggregate(values)) => {
            for ((inner, shape), value) in elements.iter().zip(values.iter()) {
                for_each_part(shape, value, offset + inner, write);
            }
        }
        // Only an ill-typed text has a value that does not fit its shape: all its bits are unset.
        _ => {
            let (mut at, end) = (offset, offset + shape.size());
            while at < end {
                let step = (end - at).min(8) as u32;
                write(at, step, Scalar::poison(8 * step));
                at += u64::from(step);
            }
        }
    }
}

/// The value of the shape with all bits unset.
pub fn poison(shape: &Shape) -> Value {
    fill(shape, &|kind, size| {
        let width = width_of(kind, size);
        if width <= 64 {
            Scalar::poison(width).into()
        } else {
            Value::Wide(Box::new(Wide::new(0, wide_mask(width))))
        }
    })
}

/// The value of the shape with all bits zero.
pub fn zero(shape: &Shape) -> Value {
    fill(shape, &|kind, size| {
        if width_of(kind, size) <= 64 { Value::int(0) } else { Value::Wide(Box::default()) }
    })
}

fn fill(shape: &Shape, scalar: &dyn Fn(Kind, u32) -> Value) -> Value {
    match shape {
        Shape::Scalar(kind, size) => scalar(*kind, *size),
        Shape::Aggregate(elements, _) => {
            Value::Aggregate(elements.iter().map(|(_, shape)| fill(shape, scalar)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_whole_and_in_parts_as_a_number() {
        let mut object = Object::unset(ObjectKind::Heap, 0x1000, 24, 0);
        let address = Scalar::pointer(0x1122_3344_5566_7788, ObjectId(5));
        object.write(8, 8, address);
        assert_eq!(object.read(8, 8), address);
        assert_eq!(object.read(8, 4), Scalar::int(0x5566_7788));
        assert_eq!(object.read(4, 8).unset, 0xffff_ffff);
        object.write(12, 1, Scalar::int(0));
        assert_eq!(object.read(8, 8).of, ObjectId::NONE);
    }

    #[test]
    fn a_write_replaces_every_address_that_it_covers_in_part() {
        let mut object = Object::unset(ObjectKind::Heap, 0x1000, 40, 0);
        let address = |number: u32| Scalar::pointer(0x2000 + u64::from(number), ObjectId(number));
        (0..5).for_each(|place| object.write(8 * place, 8, address(place as u32 + 1)));
        object.write(12, 8, address(9));
        assert_eq!(
            object.pointers[..],
            [(0, ObjectId(1)), (12, ObjectId(9)), (24, ObjectId(4)), (32, ObjectId(5))]
        );
        object.write(24, 8, address(8));
        object.write(39, 1, Scalar::int(0));
        assert_eq!(object.pointers[..], [(0, ObjectId(1)), (12, ObjectId(9)), (24, ObjectId(8))]);
    }

    #[test]
    fn filling_a_large_object_takes_time_in_proportion() {
        // Scanning the whole object at each write would touch 10^12 bytes: the test would not end.
        const SIZE: u64 = 8 << 20;
        let mut object = Object::unset(ObjectKind::Heap, 0x1000, SIZE, 0);
        (0..SIZE / 8).for_each(|word| object.write(8 * word, 8, Scalar::int(word)));
        assert!(object.unset.is_empty());
        (0..SIZE / 8).for_each(|word| object.write(8 * word, 8, Scalar::pointer(word, ObjectId(1))));
        (0..SIZE / 8).for_each(|word| object.write(8 * word, 8, Scalar::pointer(word, ObjectId(2))));
        assert_eq!(object.pointers.len() as u64, SIZE / 8);
    }

    #[test]
    fn what_is_set_everywhere_has_no_map_of_unset_bits() {
        let mut object = Object::unset(ObjectKind::Stack, 0, 8, 0);
        object.write(0, 4, Scalar::int(1));
        object.write(4, 4, Scalar::int(2));
        assert!(object.unset.is_empty());
        object.forget(0, 8);
        assert_eq!(object.read(0, 8).unset, u64::MAX);
    }
}
