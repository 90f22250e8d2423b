//! Exact operations on values that the program leaves open ([`open`](crate::open)): sums, multiples, division by small
//! constants, masks of low bits, changes of width, comparisons. If a result depends on which number a symbol is, its set is
//! split and each part is tried. `None` means unsupported: the value then becomes a number ([`Run::known`]). If it has few
//! numbers, all are tried; otherwise some are, and that is noted.

use fencewright_llvm::module::{BinOp, Flags, Predicate};

use crate::arithmetic::{self, ArithmeticFault};
use crate::machine::Run;
use crate::open::{Form, MOST_SCALE, OpenInts, Symbols};
use crate::range::Ranges;
use crate::state::Part;
use crate::value::{Scalar, Value, mask, sign_extend};

/// Up to so many values are all tried where a number is needed.
const FEW: u128 = 256;
/// Up to so many quotients are tried before remainders are.
const FEW_QUOTIENTS: usize = 16;
/// More than any value.
const LARGE: i128 = 1 << 100;

/// An integer that is linear in a symbol.
#[derive(Debug, Copy, Clone)]
struct Linear {
    symbol: u32,
    scale: i128,
    offset: i128,
}

impl Linear {
    fn times(self, by: i128) -> Self {
        Self { scale: self.scale * by, offset: self.offset * by, ..self }
    }

    fn plus(self, other: Linear) -> Self {
        Self { scale: self.scale + other.scale, offset: self.offset + other.offset, ..self }
    }

    fn constant(self, offset: i128) -> Self {
        Self { scale: 0, offset, ..self }
    }
}

impl From<Form> for Linear {
    fn from(form: Form) -> Self {
        Self { symbol: form.symbol, scale: form.scale, offset: form.offset }
    }
}

/// An operand: a form, or a number.
type Side = Result<Form, u64>;

/// The smallest and the largest number of `width` bits.
fn window(width: u32, signed: bool) -> (i128, i128) {
    let modulus = 1i128 << width;
    if signed { (-modulus / 2, modulus / 2 - 1) } else { (0, modulus - 1) }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Run<'_, '_, '_> {
    fn symbols(&self) -> &Symbols {
        &self.state.process.open
    }

    fn edit_symbols(&mut self) -> &mut Symbols {
        &mut Part::edit(&mut self.state.process).open
    }

    /// A new open number between the two, of `width` bits. An address comes with the place that it may have.
    pub(crate) fn open_between(&mut self, low: i128, high: i128, place: Option<u64>, width: u32) -> Scalar {
        self.choices.ask(u64::try_from(high - low + 1).unwrap_or(u64::MAX));
        let is_recorded = self.machine.settings.open == OpenInts::Recorded;
        self.edit_symbols().born(Ranges::between(low, high), place, width, is_recorded)
    }

    /// The next given value, out of `of` possible ones.
    pub(crate) fn given(&mut self, values: &[u64], of: u64) -> u64 {
        self.choices.ask(of);
        let place = self.edit_symbols().next_given();
        values.get(place).copied().unwrap_or(0)
    }

    fn narrow(&mut self, symbol: u32, to: Ranges) {
        self.narrowed = true;
        self.edit_symbols().narrow(symbol, to);
    }

    /// Whether a symbol is in a part of its set; both answers are tried.
    fn is_in(&mut self, symbol: u32, part: Ranges) -> bool {
        let rest = self.symbols().ranges(symbol).0.minus(&part);
        if part.is_empty() || rest.is_empty() {
            return !part.is_empty();
        }
        let answer = self.choices.choose_value(2) == 0;
        self.narrow(symbol, if answer { part } else { rest });
        answer
    }

    fn is_between(&mut self, value: Linear, low: i128, high: i128) -> bool {
        let ranges = self.symbols().ranges(value.symbol).0;
        self.is_in(value.symbol, ranges.where_between(value.scale, value.offset, low, high))
    }

    /// The value of a form as an integer, signed or not. A set whose values wrap around is split where they do.
    fn exact(&mut self, form: Form, signed: bool) -> Option<Linear> {
        let (low, _) = window(form.width, signed);
        self.turn(form.into(), low, 1 << form.width).map(|(value, _)| value)
    }

    /// Subtracts the multiple of the modulus that puts a value into `base..base + modulus`; also returns the factor. Several
    /// factors are tried in turn.
    fn turn(&mut self, value: Linear, base: i128, modulus: i128) -> Option<(Linear, i128)> {
        let Linear { symbol, scale, offset } = value;
        let ranges = self.symbols().ranges(symbol).0;
        let turns = ranges.turns(scale, offset, base, modulus)?;
        let turn = match turns[..] {
            [only] => only,
            _ => {
                let turn = *turns.get(self.choices.choose_value(turns.len() as u32) as usize)?;
                let low = turn * modulus + base;
                self.narrow(symbol, ranges.where_between(scale, offset, low, low + modulus - 1));
                turn
            }
        };
        Some((Linear { offset: offset - turn * modulus, ..value }, turn))
    }

    /// The quotient, rounded down, and the non-negative remainder. The divisor is positive.
    fn divide(&mut self, value: Linear, by: i128, by_rest: bool) -> Option<(Linear, Linear)> {
        let Linear { symbol, scale, offset } = value;
        let ranges = self.symbols().ranges(symbol).0;
        let modulus = by / gcd(scale, by);
        let few = ranges.turns(scale, offset, 0, by).is_some_and(|turns| turns.len() <= FEW_QUOTIENTS);
        if few && modulus > 1 && !by_rest {
            let (rest, quotient) = self.turn(value, 0, by)?;
            return Some((value.constant(quotient), rest));
        }
        if modulus == 1 {
            let rest = offset.rem_euclid(by);
            let quotient = Linear { symbol, scale: scale / by, offset: (offset - rest) / by };
            return Some((quotient, value.constant(rest)));
        }
        if modulus > FEW as i128 {
            return None;
        }
        let rests: Vec<i128> =
            (0..modulus).filter(|rest| !ranges.divided(modulus, *rest).is_empty()).collect();
        let choice = if rests.len() > 1 { self.choices.choose_value(rests.len() as u32) } else { 0 };
        let rest = *rests.get(choice as usize)?;
        self.narrowed = true;
        let symbol = self.edit_symbols().split_off(symbol, modulus, rest)?;
        let offset = scale * rest + offset;
        let rest = offset.rem_euclid(by);
        let quotient = Linear { symbol, scale: scale * modulus / by, offset: (offset - rest) / by };
        Some((quotient, quotient.constant(rest)))
    }

    fn scalar_from(&mut self, value: Linear, width: u32) -> Option<Scalar> {
        if value.scale == 0 {
            return Some(Scalar::int(value.offset as u64 & mask(width)));
        }
        self.edit_symbols().scalar(value.symbol, value.scale, value.offset, width)
    }

    /// An operand of `width` bits. `None` if it has another width, is unset, or is an address.
    fn side(&self, scalar: Scalar, width: u32) -> Option<Side> {
        if !scalar.open.is_some() {
            return (scalar.is_set() && !scalar.of.is_some()).then_some(Err(scalar.bits));
        }
        match self.symbols().form(scalar) {
            Ok(form) => (form.width == width).then_some(Ok(form)),
            Err(number) => Some(Err(number.bits)),
        }
    }

    /// The width of an open value; `None` if it has become a number.
    pub(crate) fn open_width(&self, scalar: Scalar) -> Option<u32> {
        self.symbols().form(scalar).ok().map(|form| form.width)
    }

    /// A value as a number, for operations that need one: all its numbers are tried if they are few, otherwise some.
    pub(crate) fn known(&mut self, scalar: Scalar) -> Scalar {
        let form = match self.symbols().form(scalar) {
            Ok(form) => form,
            Err(number) => return number,
        };
        let (ranges, place) = self.symbols().ranges(form.symbol);
        // A value of few bits has few values, whatever its symbol is.
        if ranges.count() > FEW
            && form.width <= 8
            && let Some((_, rest)) = self.divide(form.into(), 1 << form.width, true)
        {
            return Scalar::int(rest.offset as u64 & mask(form.width));
        }
        let number = if ranges.count() <= FEW {
            ranges.nth(self.choices.choose_value(ranges.count() as u32).into())
        } else {
            self.notes.partly.values = true;
            let telling = self.machine.telling.iter().map(|number| i128::from(*number));
            let wanted: Vec<i128> = match place {
                Some(place) => vec![0, place.into()],
                None => telling.collect(),
            };
            let mut numbers: Vec<i128> =
                wanted.into_iter().filter(|number| ranges.contains(*number)).collect();
            if numbers.is_empty() {
                numbers.extend(ranges.pieces().iter().flat_map(|(low, high)| [*low, *high]));
            }
            numbers.get(self.choices.choose_value(numbers.len() as u32) as usize).copied()
        };
        let number = number.unwrap_or(0);
        self.narrow(form.symbol, Ranges::between(number, number));
        match self.symbols().form(scalar) {
            Ok(_) => Scalar::poison(form.width),
            Err(number) => number,
        }
    }

    /// The same for all parts of a value.
    pub(crate) fn known_value(&mut self, value: &Value) -> Value {
        match value {
            Value::Scalar(scalar) if scalar.open.is_some() => self.known(*scalar).into(),
            Value::Aggregate(parts) if value.is_open() => {
                Value::Aggregate(parts.iter().map(|part| self.known_value(part)).collect())
            }
            other => other.clone(),
        }
    }

    /// The result of an operation with an open operand.
    pub(crate) fn open_binary(
        &mut self,
        op: BinOp,
        width: u32,
        a: &Value,
        b: &Value,
        flags: Flags,
    ) -> Result<Value, ArithmeticFault> {
        // Only so many numbers shift by less than there are bits, so that each of them can be tried.
        if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr)
            && width <= 64
            && b.as_scalar().is_some_and(|by| by.open.is_some())
            && self.open_compare(Predicate::Ult, width, b, &Value::int(width.into())).bits == 0
        {
            return Ok(Value::poison(width));
        }
        if let (Some(x), Some(y)) = (a.as_scalar(), b.as_scalar())
            && width <= 64
        {
            if let Some(result) = self.binary_of(op, width, x, y, flags)? {
                return Ok(result.into());
            }
            // With two symbols, making a number of the one with fewer values may be enough.
            let (x, y) = self.one_known(x, y);
            if let Some(result) = self.binary_of(op, width, x, y, flags)? {
                return Ok(result.into());
            }
        }
        let (a, b) = (self.known_value(a), self.known_value(b));
        arithmetic::binary(op, width, &a, &b, flags)
    }

    fn one_known(&mut self, x: Scalar, y: Scalar) -> (Scalar, Scalar) {
        let count = |run: &Self, scalar: Scalar| match run.symbols().form(scalar) {
            Ok(form) => Some(run.symbols().ranges(form.symbol).0.count()),
            Err(_) => None,
        };
        match (count(self, x), count(self, y)) {
            (Some(of_x), Some(of_y)) if of_x <= of_y => (self.known(x), y),
            (Some(_), Some(_)) => (x, self.known(y)),
            _ => (x, y),
        }
    }

    fn binary_of(
        &mut self,
        op: BinOp,
        width: u32,
        x: Scalar,
        y: Scalar,
        flags: Flags,
    ) -> Result<Option<Scalar>, ArithmeticFault> {
        let (Some(a), Some(b)) = (self.side(x, width), self.side(y, width)) else { return Ok(None) };
        Ok(match (op, a, b) {
            (_, Err(a), Err(b)) => {
                let result = arithmetic::binary(op, width, &Value::int(a), &Value::int(b), flags)?;
                result.as_scalar()
            }
            (BinOp::Add | BinOp::Sub, a, b) => {
                let by = if op == BinOp::Add { 1 } else { -1 };
                self.combined([(a, 1), (b, by)], width, flags)
            }
            (BinOp::Mul, Ok(form), Err(number)) | (BinOp::Mul, Err(number), Ok(form)) => {
                self.multiple(form, number, flags)
            }
            (BinOp::Shl, Ok(form), Err(by)) if by < u64::from(width) - 1 => {
                self.multiple(form, 1 << by, flags)
            }
            (BinOp::UDiv | BinOp::URem, Ok(form), Err(by)) if by != 0 => {
                let Some(value) = self.exact(form, false) else { return Ok(None) };
                self.division(op == BinOp::UDiv, value, by.into(), width, flags)
            }
            (BinOp::SDiv | BinOp::SRem, Ok(form), Err(by)) if by != 0 => {
                let by = i128::from(sign_extend(by, width));
                let Some(value) = self.exact(form, true) else { return Ok(None) };
                let smallest = window(width, true).0;
                if by == -1 && self.is_between(value, smallest, smallest) {
                    return Err(ArithmeticFault::DivisionOverflow);
                }
                // Rounds towards zero: the quotient of the absolute value, with the sign.
                let sign = if self.is_between(value, 0, LARGE) { 1 } else { -1 };
                let is_quotient = op == BinOp::SDiv;
                let Some((quotient, rest)) = self.divide(value.times(sign), by.abs(), false) else {
                    return Ok(None);
                };
                if is_quotient && flags.exact && !self.is_between(rest, 0, 0) {
                    return Ok(Some(Scalar::poison(width)));
                }
                let result = if is_quotient { quotient.times(sign * by.signum()) } else { rest.times(sign) };
                self.scalar_from(result, width)
            }
            (BinOp::LShr | BinOp::AShr, Ok(form), Err(by)) if by < width.into() => {
                let Some(value) = self.exact(form, op == BinOp::AShr) else { return Ok(None) };
                self.division(true, value, 1 << by, width, flags)
            }
            (BinOp::And | BinOp::Or | BinOp::Xor, Ok(form), Err(bits))
            | (BinOp::And | BinOp::Or | BinOp::Xor, Err(bits), Ok(form)) => {
                self.masked(op, form, bits, flags)
            }
            _ => None,
        })
    }

    /// A sum of multiples. A flag of the IR splits the set into the numbers that keep its promise and the others.
    fn combined(&mut self, sides: [(Side, i128); 2], width: u32, flags: Flags) -> Option<Scalar> {
        let symbols: Vec<u32> =
            sides.iter().filter_map(|(side, _)| side.as_ref().ok()).map(|form| form.symbol).collect();
        let symbol = *symbols.first()?;
        if symbols.iter().any(|other| *other != symbol) {
            return None;
        }
        let nothing = Linear { symbol, scale: 0, offset: 0 };
        for (promised, signed) in [(flags.nsw, true), (flags.nuw, false)] {
            if !promised {
                continue;
            }
            let mut sum = nothing;
            for (side, by) in sides {
                let value = match side {
                    Ok(form) => self.exact(form, signed)?,
                    Err(bits) => nothing.constant(match signed {
                        true => sign_extend(bits, width).into(),
                        false => bits.into(),
                    }),
                };
                sum = sum.plus(value.times(by));
            }
            let (low, high) = window(width, signed);
            if !self.is_between(sum, low, high) {
                return Some(Scalar::poison(width));
            }
        }
        let part = |side: Side, by: i128| match side {
            Ok(form) => Linear::from(form).times(by),
            Err(bits) => nothing.constant(i128::from(bits) * by),
        };
        let [(a, by_a), (b, by_b)] = sides;
        self.scalar_from(part(a, by_a).plus(part(b, by_b)), width)
    }

    fn multiple(&mut self, form: Form, number: u64, flags: Flags) -> Option<Scalar> {
        let by = i128::from(sign_extend(number, form.width));
        let is_small = by.abs() <= MOST_SCALE && (form.scale * by).abs() <= MOST_SCALE;
        if !is_small || flags.nuw && by < 0 {
            return None;
        }
        self.combined([(Ok(form), by), (Err(0), 1)], form.width, flags)
    }

    fn division(
        &mut self,
        is_quotient: bool,
        value: Linear,
        by: i128,
        width: u32,
        flags: Flags,
    ) -> Option<Scalar> {
        let (quotient, rest) = self.divide(value, by, false)?;
        if is_quotient && flags.exact && !self.is_between(rest, 0, 0) {
            return Some(Scalar::poison(width));
        }
        self.scalar_from(if is_quotient { quotient } else { rest }, width)
    }

    /// A bitwise operation with a constant. The bits that it changes must be low ones.
    fn masked(&mut self, op: BinOp, form: Form, bits: u64, flags: Flags) -> Option<Scalar> {
        let width = form.width;
        let all = mask(width);
        let value = Linear::from(form);
        if op == BinOp::Xor && bits == all {
            return self.scalar_from(value.times(-1).plus(value.constant(-1)), width);
        }
        // The high bits stay as they are, or a mask clears them.
        let keeps_above = op != BinOp::And || bits >> (width - 1) & 1 == 1;
        let changed = if op == BinOp::And && keeps_above { !bits & all } else { bits };
        let low = 64 - changed.leading_zeros();
        if low == 0 {
            return match op {
                BinOp::And if !keeps_above => Some(Scalar::int(0)),
                _ => self.scalar_from(value, width),
            };
        }
        let low_bits = mask(low);
        let is_rest = op == BinOp::And && !keeps_above && bits == low_bits;
        let (_, rest) = self.divide(value, 1 << low, !is_rest)?;
        if is_rest {
            return self.scalar_from(rest, width);
        }
        if rest.scale != 0 {
            return None;
        }
        let old = rest.offset as u64;
        let new = match op {
            BinOp::And => old & bits & low_bits,
            BinOp::Or if flags.disjoint && old & bits != 0 => return Some(Scalar::poison(width)),
            BinOp::Or => old | bits & low_bits,
            _ => old ^ bits & low_bits,
        };
        if !keeps_above {
            return Some(Scalar::int(new));
        }
        // `divide` may have replaced the symbol.
        let whole = match self.again(form).and_then(|scalar| self.side(scalar, width))? {
            Ok(form) => form,
            Err(number) => return Some(Scalar::int(number & !low_bits & all | new)),
        };
        let whole = Linear::from(whole);
        self.scalar_from(whole.plus(whole.constant(i128::from(new) - i128::from(old))), width)
    }

    /// The scalar of a form that was taken before its symbol was split.
    fn again(&mut self, form: Form) -> Option<Scalar> {
        self.edit_symbols().scalar(form.symbol, form.scale, form.offset, form.width)
    }

    /// A comparison; both answers are tried if both are possible.
    pub(crate) fn open_compare(&mut self, predicate: Predicate, width: u32, a: &Value, b: &Value) -> Scalar {
        if let (Some(x), Some(y)) = (a.as_scalar(), b.as_scalar())
            && width <= 64
        {
            // Addresses compare by their bits.
            let plain = |scalar: Scalar| Scalar { of: crate::value::ObjectId::NONE, ..scalar };
            let (x, y) = (plain(x), plain(y));
            if let Some(result) = self.compare_of(predicate, width, x, y) {
                return Scalar::int(result.into());
            }
            let (x, y) = self.one_known(x, y);
            if let Some(result) = self.compare_of(predicate, width, x, y) {
                return Scalar::int(result.into());
            }
        }
        let (a, b) = (self.known_value(a), self.known_value(b));
        arithmetic::compare(predicate, width, &a, &b)
    }

    fn compare_of(&mut self, predicate: Predicate, width: u32, x: Scalar, y: Scalar) -> Option<bool> {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        // Each predicate is one of these or the negation of one.
        let (predicate, is_negated) = match predicate {
            Ne => (Eq, true),
            Uge => (Ult, true),
            Ule => (Ugt, true),
            Sge => (Slt, true),
            Sle => (Sgt, true),
            Eq | Ult | Ugt | Slt | Sgt => (predicate, false),
        };
        let signed = matches!(predicate, Slt | Sgt);
        let (least, most) = window(width, signed);
        let holds = match (self.side(x, width)?, self.side(y, width)?) {
            (Err(a), Err(b)) => {
                return Some(
                    arithmetic::compare(predicate, width, &Value::int(a), &Value::int(b)).bits
                        != u64::from(is_negated),
                );
            }
            (Ok(form), Err(number)) | (Err(number), Ok(form)) => {
                let is_first = self.symbols().form(x).is_ok();
                let number = if signed { sign_extend(number, width).into() } else { i128::from(number) };
                let (low, high) = match predicate {
                    Eq => (number, number),
                    // The form must be smaller than the number.
                    Ult | Slt if is_first => (least, number - 1),
                    Ugt | Sgt if !is_first => (least, number - 1),
                    _ => (number + 1, most),
                };
                let ranges = self.symbols().ranges(form.symbol).0;
                let part = match low <= high {
                    true => ranges.where_between_modulo(form.scale, form.offset, low, high, 1 << width)?,
                    false => Ranges::default(),
                };
                self.is_in(form.symbol, part)
            }
            (Ok(a), Ok(b)) if a.symbol == b.symbol && predicate == Eq => {
                let apart = Linear::from(a).plus(Linear::from(b).times(-1));
                let ranges = self.symbols().ranges(a.symbol).0;
                let part = ranges.where_between_modulo(apart.scale, apart.offset, 0, 0, 1 << width)?;
                self.is_in(a.symbol, part)
            }
            (Ok(a), Ok(b)) if a.symbol == b.symbol => {
                let (a, b) = (self.exact(a, signed)?, self.exact(b, signed)?);
                let apart = a.plus(b.times(-1));
                let (low, high) = if matches!(predicate, Ult | Slt) { (-LARGE, -1) } else { (1, LARGE) };
                self.is_between(apart, low, high)
            }
            (Ok(_), Ok(_)) => return None,
        };
        Some(holds != is_negated)
    }

    /// The first case that an open value equals; every possible case is tried. `Err` has the value as a number if it is
    /// unsupported.
    pub(crate) fn open_case(
        &mut self,
        value: Scalar,
        cases: &[(Value, crate::code::Target)],
    ) -> Result<Option<usize>, Scalar> {
        let Some(width) = self.open_width(value) else { return Err(self.known(value)) };
        for (place, (case, _)) in cases.iter().enumerate() {
            let Some(case) = case.as_scalar() else { return Err(self.known(value)) };
            match self.compare_of(Predicate::Eq, width, value, case) {
                Some(true) => return Ok(Some(place)),
                Some(false) => {}
                None => return Err(self.known(value)),
            }
        }
        Ok(None)
    }

    /// An integer of another width, with the promises of the IR. `None` if unsupported.
    pub(crate) fn open_resize(
        &mut self,
        scalar: Scalar,
        (from, to): (u32, u32),
        signed: bool,
        flags: Flags,
    ) -> Option<Scalar> {
        let Ok(form) = self.side(scalar, from)? else { return None };
        if to > 64 {
            return None;
        }
        if to <= from {
            for (promised, signed) in [(flags.nsw, true), (flags.nuw, false)] {
                let (low, high) = window(to, signed);
                if promised && {
                    let value = self.exact(form, signed)?;
                    !self.is_between(value, low, high)
                } {
                    return Some(Scalar::poison(to));
                }
            }
            return self.scalar_from(form.into(), to);
        }
        if flags.nneg && !signed {
            let value = self.exact(form, true)?;
            if !self.is_between(value, 0, LARGE) {
                return Some(Scalar::poison(to));
            }
        }
        let value = self.exact(form, signed)?;
        self.scalar_from(value, to)
    }
}
