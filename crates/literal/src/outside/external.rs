//! Variables that are defined elsewhere: run-time type information, and what programs know of the C library.

use crate::object::Object;
use crate::value::{ObjectId, Scalar};

/// The text of a type's name stands behind the two pointers that all type information begins with.
const NAME: u64 = 16;
/// The least size of what is not known: an access of it is refused, wherever it goes.
const UNKNOWN: u64 = 1024;

/// The size of such a variable. The declaration says a pointer of type information and of vtables, whatever they are, and nothing
/// of an array without a length.
pub(crate) fn size(name: &str, declared: u64) -> u64 {
    if let Some(text) = name.strip_prefix("_ZTI") {
        declared.max(NAME + text.len() as u64 + 1)
    } else if let Some(text) = name.strip_prefix("_ZTS") {
        declared.max(text.len() as u64 + 1)
    } else if first_bytes(name, 0).is_some() {
        declared
    } else {
        declared.max(UNKNOWN)
    }
}

/// Sets what is known of its contents; false if it is not known. `own` is the number of the object.
pub(crate) fn fill(name: &str, own: ObjectId, object: &mut Object) -> bool {
    object.unset = Vec::new();
    if let Some(text) = name.strip_prefix("_ZTI") {
        // Types are compared by their names. Of a base nothing is said.
        object.write(8, 8, Scalar::pointer(object.address + NAME, own));
        write_text(object, NAME, text);
        return true;
    }
    if let Some(text) = name.strip_prefix("_ZTS") {
        write_text(object, 0, text);
        return true;
    }
    let Some(first) = first_bytes(name, object.address) else { return false };
    if object.size >= 8 {
        object.write(0, 8, Scalar::pointer(first, own));
    }
    true
}

/// The first eight bytes of a variable of the C library, given its address.
fn first_bytes(name: &str, address: u64) -> Option<u64> {
    match name {
        // A program can use these only as non-null addresses.
        "stdout" | "stderr" | "stdin" => Some(address),
        "__libc_single_threaded" | "__dso_handle" => Some(0),
        _ => None,
    }
}

fn write_text(object: &mut Object, at: u64, text: &str) {
    let at = at as usize;
    object.bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
}
