//! LLVM's intrinsic functions, after the LLVM language reference.

use fencewright_llvm::module::{BinOp, Flags, Predicate};

use super::pieces::{copy, fill};
use super::{Arguments, Done, Outside, zero};
use crate::arithmetic::{binary, to_wide};
use crate::floats::Format;
use crate::footprint::Touch;
use crate::layout::{Kind, Shape};
use crate::machine::Run;
use crate::refusal::Refusal;
use crate::value::{Scalar, Value, Wide, mask, sign_extend, wide_mask, wide_sign_extend};
use crate::violation::{Fault, Halt, Use};

/// Functions of `<math.h>` whose result is exact or correctly rounded, and the intrinsics that compute it.
const MATH: [(&str, &str); 11] = [
    ("sqrt", "sqrt"),
    ("fabs", "fabs"),
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("trunc", "trunc"),
    ("round", "round"),
    ("rint", "rint"),
    ("copysign", "copysign"),
    ("fmax", "maxnum"),
    ("fmin", "minnum"),
    ("fmod", "fmod"),
];

/// The intrinsic of a function of `<math.h>`, for `double` or `float`.
fn math(name: &str) -> Option<&'static str> {
    let is_it = |function: &str| name == function || name.strip_suffix('f') == Some(function);
    MATH.iter().find(|(function, _)| is_it(function)).map(|(_, intrinsic)| *intrinsic)
}

pub(super) fn look_up(name: &str) -> Option<Outside> {
    if math(name).is_some() {
        return Some(floating);
    }
    let rest = name.strip_prefix("llvm.")?;
    let starts = |prefix: &str| rest.starts_with(prefix);
    Some(match rest {
        _ if starts("dbg.") || starts("assume") || starts("prefetch") || starts("donothing") => zero,
        _ if starts("lifetime.start") || starts("lifetime.end") => lifetime,
        _ if starts("invariant.")
            || starts("experimental.noalias")
            || starts("var.annotation")
            || starts("sideeffect") =>
        {
            zero
        }
        _ if starts("memcpy") || starts("memmove") => |run, a| {
            let done = copy(run, a.scalar(0), a.scalar(1), a.int(run, 2)?)?;
            Ok(if done { Done::Returns(None) } else { Done::Waits })
        },
        _ if starts("memset") => |run, a| {
            let done = fill(run, a.scalar(0), a.scalar(1), a.int(run, 2)?)?;
            Ok(if done { Done::Returns(None) } else { Done::Waits })
        },
        _ if starts("expect")
            || starts("launder.")
            || starts("strip.")
            || starts("ssa.copy")
            || starts("annotation")
            || starts("ptr.annotation")
            || starts("threadlocal.address") =>
        {
            |_, a| Ok(Done::Returns(a.args.first().map(|(value, _)| value.clone())))
        }
        _ if starts("sadd.with.overflow") => |run, a| overflowing(run, a, BinOp::Add, true),
        _ if starts("uadd.with.overflow") => |run, a| overflowing(run, a, BinOp::Add, false),
        _ if starts("ssub.with.overflow") => |run, a| overflowing(run, a, BinOp::Sub, true),
        _ if starts("usub.with.overflow") => |run, a| overflowing(run, a, BinOp::Sub, false),
        _ if starts("smul.with.overflow") => |run, a| overflowing(run, a, BinOp::Mul, true),
        _ if starts("umul.with.overflow") => |run, a| overflowing(run, a, BinOp::Mul, false),
        _ if starts("uadd.sat") => |run, a| saturating(run, a, BinOp::Add, false),
        _ if starts("usub.sat") => |run, a| saturating(run, a, BinOp::Sub, false),
        _ if starts("sadd.sat") => |run, a| saturating(run, a, BinOp::Add, true),
        _ if starts("ssub.sat") => |run, a| saturating(run, a, BinOp::Sub, true),
        _ if starts("ctpop") => |run, a| count(run, a, |bits, _| bits.count_ones()),
        _ if starts("ctlz") => |run, a| count(run, a, |bits, width| bits.leading_zeros() - (128 - width)),
        _ if starts("cttz") => |run, a| count(run, a, |bits, width| bits.trailing_zeros().min(width)),
        _ if starts("bswap") => |run, a| rearranged(run, a, |bits, width| bits.swap_bytes() >> (128 - width)),
        _ if starts("bitreverse") => {
            |run, a| rearranged(run, a, |bits, width| bits.reverse_bits() >> (128 - width))
        }
        _ if starts("abs.") => absolute,
        _ if starts("umax") || starts("umin") || starts("smax") || starts("smin") => extreme,
        _ if starts("fshl") || starts("fshr") => funnel,
        _ if starts("ucmp") || starts("scmp") => three_way,
        _ if starts("is.constant") => zero,
        _ if starts("objectsize") => |run, a| {
            let smallest = a.int(run, 1)? != 0;
            Ok(Done::ReturnsInt(if smallest { 0 } else { u64::MAX }))
        },
        _ if starts("stacksave")
            || starts("stackrestore")
            || starts("frameaddress")
            || starts("returnaddress") =>
        {
            zero
        }
        _ if starts("va_start") => va_start,
        _ if starts("va_end") => zero,
        _ if starts("va_copy") => |run, a| {
            let done = copy(run, a.scalar(0), a.scalar(1), 24)?;
            Ok(if done { Done::Returns(None) } else { Done::Waits })
        },
        _ if starts("fabs")
            || starts("sqrt")
            || starts("floor")
            || starts("ceil")
            || starts("trunc.")
            || starts("round.")
            || starts("rint")
            || starts("fmuladd")
            || starts("fma.")
            || starts("copysign")
            || starts("maxnum")
            || starts("minnum") =>
        {
            floating
        }
        _ if starts("fptoui.sat") || starts("fptosi.sat") => saturating_float,
        _ if starts("eh.typeid.for") => {
            |run, a| Ok(Done::ReturnsInt(crate::exceptions::selector_of(a.int(run, 0)?)))
        }
        "x86.sse2.pause" | "x86.sse2.lfence" | "aarch64.hint" => zero,
        "x86.sse2.mfence" => {
            |run, _| Ok(if run.waits_for_writes()? { Done::Returns(None) } else { Done::Waits })
        }
        "x86.sse.sfence" => |run, _| {
            run.mark()?;
            Ok(Done::Returns(None))
        },
        "readcyclecounter" | "x86.rdtsc" => |run, _| {
            run.notes.partly.times = true;
            Ok(Done::ReturnsInt(0))
        },
        "debugtrap" | "trap" | "ubsantrap" => |run, a| Err(run.fault(Fault::Abort(a.name.to_owned()))),
        _ => return None,
    })
}

/// At the start and end of its lifetime, a variable becomes unset.
fn lifetime(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let address = a.args.last().and_then(|(value, _)| value.as_scalar());
    if let Some(address) = address
        && address.is_set()
        && let Some(object) = run.state.object(address.of)
        && object.address == address.bits
        && object.kind == crate::object::ObjectKind::Stack
        && !object.ended
    {
        let size = object.size;
        if run.is_visible(address.of, 0, size, Touch::WRITE) && !run.act() {
            return Ok(Done::Waits);
        }
        // Only memory: a pending write to the variable stays pending.
        if let Some(object) = run.state.edit(address.of) {
            object.forget(0, size);
        }
    }
    Ok(Done::Returns(None))
}

/// The width of an argument.
fn width(a: &Arguments<'_>, argument: usize) -> Option<u32> {
    fn of(shape: &Shape) -> Option<u32> {
        match shape {
            Shape::Scalar(Kind::Int(bits), _) => Some(*bits),
            Shape::Scalar(Kind::Pointer, _) => Some(64),
            Shape::Scalar(..) => None,
            Shape::Aggregate(elements, _) => elements.first().and_then(|(_, shape)| of(shape)),
        }
    }
    of(&a.args.get(argument)?.1)
}

fn needs(run: &Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<u32, Halt> {
    width(a, 0).ok_or_else(|| run.refuse(Refusal::new(format!("`{}` on what is no integer", a.name))))
}

fn narrow(bits: u128, unset: u128, width: u32) -> Value {
    if width <= 64 {
        Scalar { bits: bits as u64, unset: unset as u64, ..Scalar::default() }.into()
    } else {
        Value::Wide(Box::new(Wide::new(bits, unset)))
    }
}

/// Applies an operation element by element to vectors.
fn lanes(a: &Arguments<'_>, apply: &mut dyn FnMut(&[&Value]) -> Result<Value, Halt>) -> Result<Value, Halt> {
    let values: Vec<&Value> = a.args.iter().map(|(value, _)| value).collect();
    let Some(Value::Aggregate(first)) = values.first() else { return apply(&values) };
    let mut parts = Vec::with_capacity(first.len());
    for lane in 0..first.len() {
        let of_lane: Vec<&Value> = (values.iter())
            .map(|value| match value {
                Value::Aggregate(parts) => parts.get(lane).unwrap_or(&Value::Dead),
                other => other,
            })
            .collect();
        parts.push(apply(&of_lane)?);
    }
    Ok(Value::Aggregate(parts.into()))
}

fn wraps(op: BinOp, width: u32, signed: bool, a: &Value, b: &Value) -> bool {
    let flags = Flags { nsw: signed, nuw: !signed, ..Flags::default() };
    let checked = binary(op, width, a, b, flags);
    let plain = binary(op, width, a, b, Flags::default());
    checked != plain
}

fn overflowing(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, op: BinOp, signed: bool) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let (x, y) = (&a.args[0].0, &a.args[1].0);
    let result = binary(op, width, x, y, Flags::default()).unwrap_or(Value::Dead);
    let unset = to_wide(x).unset | to_wide(y).unset != 0;
    let bit = if unset { Scalar::poison(1) } else { Scalar::int(wraps(op, width, signed, x, y).into()) };
    Ok(Done::Returns(Some(Value::Aggregate([result, bit.into()].into()))))
}

fn saturating(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, op: BinOp, signed: bool) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let value = lanes(a, &mut |values| {
        let (x, y) = (values[0], values[1]);
        if !wraps(op, width, signed, x, y) {
            return Ok(binary(op, width, x, y, Flags::default()).unwrap_or(Value::Dead));
        }
        let all = wide_mask(width);
        let bits = match (signed, op) {
            (false, BinOp::Add) => all,
            (false, _) => 0,
            (true, _) if wide_sign_extend(to_wide(x).bits, width) < 0 => all ^ all >> 1,
            (true, _) => all >> 1,
        };
        Ok(narrow(bits, 0, width))
    })?;
    Ok(Done::Returns(Some(value)))
}

/// Counts bits. With a second argument that is not zero, the leading or trailing zeros of 0 are poison.
fn count(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, of: fn(u128, u32) -> u32) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let value = lanes(a, &mut |values| {
        let wide = to_wide(values[0]);
        let without_zero = values.get(1).is_some_and(|flag| to_wide(flag).bits != 0);
        Ok(match wide.unset != 0 || without_zero && wide.bits == 0 {
            true => Value::poison(width),
            false => narrow(of(wide.bits, width).into(), 0, width),
        })
    })?;
    Ok(Done::Returns(Some(value)))
}

/// Operations that move bits; unset bits move along.
fn rearranged(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, of: fn(u128, u32) -> u128) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let value = lanes(a, &mut |values| {
        let wide = to_wide(values[0]);
        let unset = if wide.unset == 0 { 0 } else { wide_mask(width) };
        Ok(narrow(of(wide.bits, width) & !unset, unset, width))
    })?;
    Ok(Done::Returns(Some(value)))
}

/// The smallest number has no absolute value, or itself.
fn absolute(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let flags = Flags { nsw: a.int(run, 1)? != 0, ..Flags::default() };
    if let Some((value, _)) = a.args.first()
        && value.as_scalar().is_some_and(|scalar| scalar.open.is_some())
    {
        let is_negative = run.open_compare(Predicate::Slt, width, value, &Value::int(0)).bits == 1;
        let result = match is_negative {
            true => run.open_binary(BinOp::Sub, width, &Value::int(0), value, flags).unwrap_or(Value::Dead),
            false => value.clone(),
        };
        return Ok(Done::Returns(Some(result)));
    }
    let value = lanes(a, &mut |values| {
        let wide = to_wide(values[0]);
        if wide.unset != 0 {
            return Ok(Value::poison(width));
        }
        if wide_sign_extend(wide.bits, width) >= 0 {
            return Ok(values[0].clone());
        }
        Ok(binary(BinOp::Sub, width, &narrow(0, 0, width), values[0], flags).unwrap_or(Value::Dead))
    })?;
    Ok(Done::Returns(Some(value)))
}

fn extreme(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let name = a.name.strip_prefix("llvm.").unwrap_or(a.name);
    let value = lanes(a, &mut |values| {
        let (x, y) = (to_wide(values[0]), to_wide(values[1]));
        if x.unset | y.unset != 0 {
            return Ok(narrow(0, wide_mask(width), width));
        }
        let (sx, sy) = (wide_sign_extend(x.bits, width), wide_sign_extend(y.bits, width));
        let first = match &name[..4] {
            "umax" => x.bits >= y.bits,
            "umin" => x.bits <= y.bits,
            "smax" => sx >= sy,
            _ => sx <= sy,
        };
        Ok(if first { values[0].clone() } else { values[1].clone() })
    })?;
    Ok(Done::Returns(Some(value)))
}

fn three_way(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    if a.args.iter().any(|(value, _)| value.is_open()) {
        return Ok(open_three_way(run, a, width));
    }
    let (x, y) = (to_wide(&a.args[0].0), to_wide(&a.args[1].0));
    if x.unset | y.unset != 0 {
        return Err(run.fault(Fault::Unset(Use::Argument)));
    }
    let order = if a.name.contains("ucmp") {
        x.bits.cmp(&y.bits)
    } else {
        wide_sign_extend(x.bits, width).cmp(&wide_sign_extend(y.bits, width))
    };
    Ok(Done::ReturnsInt(order as i64 as u64))
}

/// Only the order of an open value matters.
fn open_three_way(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>, width: u32) -> Done {
    let less = if a.name.contains("ucmp") { Predicate::Ult } else { Predicate::Slt };
    let (x, y) = (&a.args[0].0, &a.args[1].0);
    let mut is = |predicate| run.open_compare(predicate, width, x, y).bits == 1;
    let order = if is(less) { -1i64 } else { i64::from(!is(Predicate::Eq)) };
    Done::ReturnsInt(order as u64)
}

fn funnel(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let width = needs(run, a)?;
    let left = a.name.contains("fshl");
    let value = lanes(a, &mut |values| {
        let [x, y, by] = [values[0], values[1], values[2]].map(to_wide);
        if x.unset | y.unset | by.unset != 0 || width > 64 {
            return Ok(narrow(0, wide_mask(width), width));
        }
        let by = (by.bits % u128::from(width)) as u32;
        let both = x.bits << width | y.bits;
        let bits = if left { both << by >> width } else { both >> by };
        Ok(narrow(bits & wide_mask(width), 0, width))
    })?;
    Ok(Done::Returns(Some(value)))
}

/// Builds the list of variable arguments of x86-64: all of them go to the area for arguments without a register.
fn va_start(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    const ALL_INTEGER_REGISTERS: u64 = 48;
    const ALL_FLOAT_REGISTERS: u64 = 176;
    let extra = run.top().extra.clone();
    let mut places = Vec::new();
    let mut size = 0u64;
    for (_, shape) in extra.iter() {
        let align = if shape.size() > 8 && matches!(**shape, Shape::Scalar(..)) { 16 } else { 8 };
        size = size.next_multiple_of(align);
        places.push(size);
        size += shape.size().next_multiple_of(8);
    }
    let site = run.machine.program.site(run.top().function.number, run.top().pc);
    let mut top = run.top().stack_top;
    let area = run.allocate_on_stack(size.max(8), 16, site, &mut top)?;
    let frame = run.frame();
    frame.stack_top = top;
    frame.objects.push(area);
    let mut address = 0;
    if let Some(object) = run.state.edit(area) {
        address = object.address;
        for ((value, shape), place) in extra.iter().zip(places) {
            object.store(place, shape, value);
        }
    }
    let list = a.scalar(0);
    let at = |offset: u64| super::locks::offset(list, offset);
    super::threads::put(run, at(0), 4, ALL_INTEGER_REGISTERS)?;
    super::threads::put(run, at(4), 4, ALL_FLOAT_REGISTERS)?;
    super::threads::put_scalar(run, at(8), 8, Scalar::pointer(address, area))?;
    super::threads::put(run, at(16), 8, 0)?;
    Ok(Done::Returns(None))
}

fn format(a: &Arguments<'_>) -> Option<Format> {
    match &*a.args.first()?.1 {
        Shape::Scalar(Kind::Float(format), _) => Some(*format),
        _ => None,
    }
}

fn number(format: Format, scalar: Scalar) -> f64 {
    match format {
        Format::Single => f64::from(f32::from_bits(scalar.bits as u32)),
        Format::Double => f64::from_bits(scalar.bits),
    }
}

fn floating(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let Some(format) = format(a) else {
        return Err(run.refuse(Refusal::new(format!("`{}` on this type", a.name))));
    };
    if a.args.iter().any(|(value, _)| value.as_scalar().is_none_or(|scalar| !scalar.is_set())) {
        return Ok(Done::Returns(Some(Scalar::poison(64).into())));
    }
    let x = |argument: usize| number(format, a.scalar(argument));
    let name = match a.name.strip_prefix("llvm.") {
        Some(rest) => rest.split('.').next().unwrap_or(""),
        None => math(a.name).unwrap_or(""),
    };
    if name == "sqrt" && x(0) < 0.0 && !a.name.starts_with("llvm.") {
        return Err(run.refuse(Refusal::new("`sqrt` of a negative number, which sets `errno`")));
    }
    if name == "fmod" && (x(0).is_infinite() || x(1) == 0.0) {
        return Err(run.refuse(Refusal::new("`fmod` without a result, which sets `errno`")));
    }
    let result = match name {
        "fabs" => x(0).abs(),
        "sqrt" => x(0).sqrt(),
        "floor" => x(0).floor(),
        "ceil" => x(0).ceil(),
        "trunc" => x(0).trunc(),
        "round" => x(0).round(),
        "rint" => x(0).round_ties_even(),
        // Without an instruction for both, each of the two operations rounds.
        "fmuladd" if format == Format::Single => f64::from((x(0) as f32) * (x(1) as f32) + x(2) as f32),
        "fmuladd" => x(0) * x(1) + x(2),
        "fma" => x(0).mul_add(x(1), x(2)),
        "copysign" => x(0).copysign(x(1)),
        "maxnum" => x(0).max(x(1)),
        "fmod" => x(0) % x(1),
        _ => x(0).min(x(1)),
    };
    Ok(Done::Returns(Some(format.write(result).into())))
}

fn saturating_float(run: &mut Run<'_, '_, '_>, a: &Arguments<'_>) -> Result<Done, Halt> {
    let (Some(format), Some(Shape::Scalar(Kind::Int(bits), _))) = (format(a), a.ret.map(|shape| &**shape))
    else {
        return Err(run.refuse(Refusal::new(format!("`{}` on this type", a.name))));
    };
    let value = number(format, a.scalar(0));
    if *bits > 64 || !a.scalar(0).is_set() {
        return Err(run.refuse(Refusal::new(format!("`{}` on this value", a.name))));
    }
    let result = if a.name.contains("fptoui") {
        (value as u64).min(mask(*bits))
    } else {
        let most = (mask(*bits) >> 1) as i64;
        let least = sign_extend(1 << (bits - 1), *bits);
        (value as i64).clamp(least, most) as u64 & mask(*bits)
    };
    Ok(Done::ReturnsInt(result))
}
