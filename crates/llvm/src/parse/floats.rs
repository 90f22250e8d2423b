//! Parses floating-point numbers in LLVM's notation to the bits of their own format. Decimal numbers and `0x…` are doubles for
//! every type; a smaller type must represent the number exactly. `0xH…` and `0xR…` are the bits of a `half` and a `bfloat`.
//!
//! *Limit:* larger formats are not read.

use crate::module::FloatKind;

/// The bits of the number in its format; `None` if it cannot be read or the format cannot represent it.
pub(super) fn float_bits(kind: FloatKind, text: &str) -> Option<u64> {
    let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
    if let Some(digits) = text.strip_prefix("0xH") {
        return hex(digits).filter(|&bits| kind == FloatKind::Half && bits <= 0xffff);
    }
    if let Some(digits) = text.strip_prefix("0xR") {
        return hex(digits).filter(|&bits| kind == FloatKind::BFloat && bits <= 0xffff);
    }
    let double = match text.strip_prefix("0x") {
        Some(digits) => hex(digits)?,
        None => text.parse::<f64>().ok()?.to_bits(),
    };
    match kind {
        FloatKind::Double => Some(double),
        FloatKind::Float => narrowed(double, 8, 23),
        FloatKind::Half => narrowed(double, 5, 10),
        FloatKind::BFloat => narrowed(double, 8, 7),
        FloatKind::X86Fp80 | FloatKind::Quad => None,
    }
}

/// The double in a format with so many bits for exponent and fraction, if that represents it exactly.
fn narrowed(double: u64, exponent_bits: u32, fraction_bits: u32) -> Option<u64> {
    let exponent = ((double >> 52) & 0x7ff) as i32;
    let fraction = double & ((1 << 52) - 1);
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let dropped = 52 - fraction_bits;
    let shifted =
        |bits: u64, by: u32| (by < 64 && bits & ((1u64 << by) - 1) == 0).then(|| bits >> by.min(63));
    let power = exponent - 1023;
    let rest = if exponent == 0x7ff {
        ((1 << exponent_bits) - 1) << fraction_bits | shifted(fraction, dropped)?
    } else if exponent == 0 && fraction == 0 {
        0
    } else if exponent == 0 || power > bias {
        return None;
    } else if power >= 1 - bias {
        ((power + bias) as u64) << fraction_bits | shifted(fraction, dropped)?
    } else {
        // A subnormal number: its leading bit is explicit.
        shifted(1 << 52 | fraction, dropped + (1 - bias - power) as u32)?
    };
    Some((double >> 63) << (exponent_bits + fraction_bits) | rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_written_as_a_double_keeps_its_own_bits() {
        for bits in (0..=u32::MAX).step_by(65_521).chain([1, 0x7f_ffff, 0x80_0000, 0x7f80_0000, 0xff80_0000])
        {
            let number = f32::from_bits(bits);
            if !number.is_nan() {
                let text = format!("{:#X}", f64::from(number).to_bits()).replace("0X", "0x");
                assert_eq!(float_bits(FloatKind::Float, &text), Some(bits.into()), "{number:e}");
            }
        }
    }

    #[test]
    fn decimals_nans_and_halves() {
        assert_eq!(float_bits(FloatKind::Double, "1.500000e+00"), Some(1.5f64.to_bits()));
        assert_eq!(float_bits(FloatKind::Double, "-0.000000e+00"), Some(1 << 63));
        assert_eq!(float_bits(FloatKind::Float, "5.000000e-01"), Some(0.5f32.to_bits().into()));
        assert_eq!(float_bits(FloatKind::Float, "0x7FF8000000000000"), Some(0x7fc0_0000));
        assert_eq!(float_bits(FloatKind::Float, "0xFFF0000020000000"), Some(0xff80_0001));
        assert_eq!(float_bits(FloatKind::Half, "0xH3C00"), Some(0x3c00));
        assert_eq!(float_bits(FloatKind::BFloat, "0xR3F80"), Some(0x3f80));
        // The same numbers as doubles: one, and the smallest half, 2 to the power of -24.
        assert_eq!(float_bits(FloatKind::Half, "1.0"), Some(0x3c00));
        assert_eq!(float_bits(FloatKind::Half, "0x3E70000000000000"), Some(1));
    }

    #[test]
    fn what_a_type_does_not_have_is_not_rounded() {
        assert_eq!(float_bits(FloatKind::Float, "0.1"), None);
        assert_eq!(float_bits(FloatKind::Half, "65536.0"), None);
        assert_eq!(float_bits(FloatKind::Half, "0xR3F80"), None);
        assert_eq!(float_bits(FloatKind::X86Fp80, "0xK3FFF8000000000000000"), None);
        assert_eq!(float_bits(FloatKind::Double, "0x1FFFFFFFFFFFFFFFF"), None);
    }
}
