//! Bytes of memory and pending writes that hold open values. A read may take such a value whole, or its low bytes. A read or
//! write of any other part makes it a number first.

use crate::buffer::{Entry, Found};
use crate::machine::Run;
use crate::object::OpenBytes;
use crate::state::Part;
use crate::value::{ObjectId, Scalar};
use crate::violation::Halt;

impl Run<'_, '_, '_> {
    fn open_bytes(&self, id: ObjectId, offset: u64, size: u64) -> Vec<OpenBytes> {
        if self.state.process.open.is_empty() {
            return Vec::new();
        }
        let Some(object) = self.state.object(id) else { return Vec::new() };
        object.open.iter().filter(|open| open.overlaps(offset, size)).copied().collect()
    }

    fn make_known(&mut self, id: ObjectId, bytes: OpenBytes) {
        let Some(object) = self.state.object(id) else { return };
        let value = object.read(bytes.offset.into(), bytes.size);
        let value = self.known(value);
        if let Some(object) = self.state.edit(id) {
            object.write(bytes.offset.into(), bytes.size, value);
        }
    }

    /// Makes numbers of all open values in an object.
    pub(crate) fn make_all_known(&mut self, id: ObjectId, size: u64) {
        for bytes in self.open_bytes(id, 0, size) {
            self.make_known(id, bytes);
        }
    }

    /// The contents of memory, as a number.
    pub(crate) fn memory(&mut self, id: ObjectId, offset: u64, size: u32) -> Result<Scalar, Halt> {
        let value = self.open_memory(id, offset, size)?;
        Ok(if value.open.is_some() { self.known(value) } else { value })
    }

    /// The contents of memory, which may be open.
    pub(crate) fn open_memory(&mut self, id: ObjectId, offset: u64, size: u32) -> Result<Scalar, Halt> {
        let open = self.open_bytes(id, offset, size.into());
        match open[..] {
            [] => return self.bare_memory(id, offset, size),
            [bytes] if bytes.is_at(offset, size) => return self.bare_memory(id, offset, size),
            // The low bytes of a value are the value truncated.
            [bytes] if u64::from(bytes.offset) == offset && size < bytes.size => {
                let whole = self.bare_memory(id, offset, bytes.size)?;
                let widths = (8 * bytes.size, 8 * size);
                if let Some(low) = self.open_resize(whole, widths, false, Default::default()) {
                    return Ok(low);
                }
            }
            _ => {}
        }
        for bytes in open {
            self.make_known(id, bytes);
        }
        self.bare_memory(id, offset, size)
    }

    /// Before a write: an open value of which it covers only a part becomes a number.
    pub(crate) fn before_write(&mut self, id: ObjectId, offset: u64, size: u32) {
        for bytes in self.open_bytes(id, offset, size.into()) {
            let start = u64::from(bytes.offset);
            if start < offset || start + u64::from(bytes.size) > offset + u64::from(size) {
                self.make_known(id, bytes);
            }
        }
    }

    /// A value that `size` bytes of memory can hold: an open one must have their width.
    pub(crate) fn fitting(&mut self, value: Scalar, size: u32) -> Scalar {
        let fits = !value.open.is_some() || self.open_width(value) == Some(8 * size);
        if fits { value } else { self.known(value) }
    }

    /// What the thread finds in its own buffer.
    pub(crate) fn own(&mut self, id: ObjectId, offset: u64, size: u32) -> Found {
        if !self.state.process.open.is_empty() {
            let cut: Vec<(usize, Scalar)> = (self.state.threads[self.thread].buffer.writes())
                .filter(|(_, write)| write.value.open.is_some() && write.overlaps(id, offset, size))
                .filter(|(_, write)| write.offset != offset || write.size != size)
                .map(|(place, write)| (place, write.value))
                .collect();
            for (place, value) in cut {
                let value = self.known(value);
                let buffer = Part::edit(&mut self.state.threads[self.thread].buffer);
                if let Some(Entry::Write(write)) = buffer.entries.get_mut(place) {
                    write.value = value;
                }
            }
        }
        self.state.threads[self.thread].buffer.read(id, offset, size)
    }

    /// How many of the bytes can be copied at once without cutting an open value.
    pub(crate) fn uncut(&self, id: ObjectId, offset: u64, size: u32) -> u32 {
        let open = self.open_bytes(id, offset, size.into());
        let first = open.iter().find(|bytes| u64::from(bytes.offset) >= offset);
        match first {
            Some(bytes) if u64::from(bytes.offset) == offset => bytes.size.min(size),
            Some(bytes) => bytes.offset - offset as u32,
            None => size,
        }
    }
}
