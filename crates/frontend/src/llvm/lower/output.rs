//! Output functions. What they print is dropped, but they read their arguments: a number must be set, and memory must exist.
//!
//! *Limits:* of memory only constant texts are printed here; everything else is refused and left to the literal machine. In Rust
//! the values that `println!` prints are read by the library, which is not followed: a proof says so. A program whose own code
//! says how a value is printed is refused.

use fencewright_llvm::module::{Constant, FunctionId, Inst, Operand, Type};
use fencewright_llvm::names::readable;

use super::library::first;
use super::machine::{Machine, ObjectKey, Run, Scalar, Work};
use super::operands::Scalars;
use super::state::Point;
use super::value::Value;

/// Functions that print or prepare to. The user is told that they are left out.
pub(super) const OUTPUT: &[&str] = &[
    "printf", "puts", "putchar", "fprintf", "fputs", "fputc", "fflush", "perror", "write", "fwrite",
    "dprintf", "srand", "setbuf", "setvbuf",
];

impl Machine<'_> {
    /// A call of a function that prints.
    pub(super) fn print(
        &mut self,
        w: &mut Work,
        (name, inst): (&str, &Inst),
        args: &mut [Scalars],
        types: &[(Type, Operand)],
    ) -> Run<()> {
        let at = w.at;
        let position = self.position(at);
        self.ignored.entry(name.to_owned()).or_insert(position);
        if self.is_used(inst, at) {
            return self.unsupported(at, &format!("what `{name}` gives back"));
        }
        let stream = match name {
            "fprintf" | "fflush" | "setbuf" | "setvbuf" => Some(0),
            "fputs" | "fputc" => Some(1),
            "fwrite" => Some(3),
            _ => None,
        };
        for (number, values) in args.iter_mut().enumerate() {
            if Some(number) == stream {
                // The variables `stdout` and `stderr` hold nothing that could be computed with.
                let is_standard = values.iter().all(|value| value.known.single() == Some(Value::Unset));
                let is_all = name == "fflush" && first(std::slice::from_ref(values), 0).is_some_and(is_null);
                if !is_standard && !is_all {
                    return self.unsupported(at, "output to a stream that may be none");
                }
                continue;
            }
            for value in values.iter_mut() {
                *value = self.need_set(w, value.clone());
            }
        }
        // What is printed raw has a length of its own.
        let length = match name {
            "write" => first(args, 2).and_then(number_of),
            "fwrite" => first(args, 1)
                .and_then(number_of)
                .zip(first(args, 2).and_then(number_of))
                .map(|(size, count)| size.saturating_mul(count)),
            _ => None,
        };
        let length = matches!(name, "write" | "fwrite").then_some(length);
        for (number, values) in args.iter().enumerate().filter(|(number, _)| Some(*number) != stream) {
            let is_pointer = types.get(number).is_none_or(|(ty, _)| *ty == Type::Ptr);
            let may_be_null = matches!(name, "setbuf" | "setvbuf");
            let is_readable = |value: &Value| match *value {
                Value::Pointer(object, offset) => self.is_constant_text(object, offset, length),
                Value::Int(0) => may_be_null || !is_pointer,
                Value::Int(_) => !is_pointer,
                _ => false,
            };
            for value in values {
                // Of an integer that is not listed nothing is read.
                let is_known = value.known.values().map_or(!is_pointer, |all| all.iter().all(is_readable));
                if !is_known {
                    return self.unsupported(at, "output of memory that is no constant text");
                }
            }
        }
        Ok(())
    }

    /// Whether there is a constant text at an address: up to a zero, or `length` bytes of it.
    fn is_constant_text(
        &self,
        object: super::value::ObjectId,
        offset: i64,
        length: Option<Option<i128>>,
    ) -> bool {
        let ObjectKey::Global(id, _) = self.objects[object].key else { return false };
        let global = &self.module.globals[id];
        let (true, Some(Constant::Bytes(bytes)), Ok(offset)) =
            (global.constant, &global.init, usize::try_from(offset))
        else {
            return false;
        };
        let Some(rest) = bytes.get(offset..) else { return false };
        match length {
            None => rest.contains(&0),
            Some(length) => length.is_some_and(|length| (0..=rest.len() as i128).contains(&length)),
        }
    }

    /// A call of Rust's `println!` or its like.
    pub(super) fn rust_print(&mut self, at: Point) -> Run<()> {
        let position = self.position(at);
        self.ignored.entry("println!".to_owned()).or_insert(position);
        let is_argument = |id: FunctionId| {
            let path = readable(&self.module.functions[id].name).replace(['<', '>'], "");
            path.starts_with("core::fmt::rt::Argument")
        };
        let bodies: Vec<_> = self.bodies.iter().filter(|(id, _)| is_argument(**id)).collect();
        let mut is_own = false;
        for (_, body) in &bodies {
            for inst in body.function.blocks.iter().flat_map(|block| &block.insts) {
                inst.kind.for_each_operand(&mut |operand| {
                    if let Operand::Const(Constant::Global(name)) = operand {
                        is_own |= self.module.function_names.contains_key(name);
                    }
                });
            }
        }
        self.prints_values |= !bodies.is_empty();
        if is_own {
            return self.unsupported(at, "output of a value for which the program says how it is printed");
        }
        Ok(())
    }
}

fn is_null(value: Scalar) -> bool {
    value.known.single() == Some(Value::Int(0))
}

fn number_of(value: Scalar) -> Option<i128> {
    match value.known.single() {
        Some(Value::Int(number)) => Some(number),
        _ => None,
    }
}
