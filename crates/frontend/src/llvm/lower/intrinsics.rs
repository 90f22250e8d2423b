//! Functions of LLVM's own: `llvm.…`.

use fencewright_ir::{BinaryOp, FenceKind};
use smallvec::smallvec;

use super::calls::Effect;
use super::expr;
use super::library::first;
use super::machine::{Machine, ROp, Run, Scalar, Work};
use super::operands::Scalars;
use super::value::{Known, Value};
use fencewright_llvm::module::Type;

impl Machine<'_> {
    /// What an intrinsic does, by its name without `llvm.`.
    pub(super) fn intrinsic(
        &mut self,
        w: &mut Work,
        name: &str,
        args: &[Scalars],
        ret: &Type,
    ) -> Run<Effect> {
        let at = w.at;
        use fencewright_llvm::module::{BinOp, CastOp, Predicate};
        // What is only passed on may be unset.
        let passed_on =
            ["lifetime", "dbg", "launder", "strip", "ptr", "annotation", "ssa", "expect", "fake", "var"];
        let mut set = Vec::new();
        let base = name.split('.').next().unwrap_or(name);
        let args = if passed_on.contains(&base) {
            args
        } else {
            for (place, values) in args.iter().enumerate() {
                // Rust fills memory with `undef`: its bytes are unset from then on.
                let is_kept = base == "memset" && place == 1;
                let kept =
                    |value: &Scalar| if is_kept { value.clone() } else { self.need_set(w, value.clone()) };
                set.push(values.iter().map(kept).collect::<Scalars>());
            }
            &set[..]
        };
        let arg = |i: usize| first(args, i).unwrap_or_else(|| Scalar::int(0, 64));
        let zero = Ok(Effect::Value(self.zeros(ret)));
        let value = |scalar: Scalar| Ok(Effect::Value(smallvec![scalar]));
        match base {
            "lifetime" | "assume" | "donothing" | "prefetch" | "var" | "stackrestore" | "invariant"
            | "dbg" | "sideeffect" | "pseudoprobe" | "stacksave" | "fake" => zero,
            "experimental" if name.starts_with("experimental.noalias") => zero,
            "expect" | "threadlocal" | "launder" | "strip" | "ptr" | "annotation" | "ssa" => value(arg(0)),
            "is" | "allow" => zero,
            "objectsize" => value(Scalar::int(-1, 64)),
            "trap" | "debugtrap" | "ubsantrap" => Ok(Effect::Fails),
            "memcpy" | "memmove" => match self.copy(w, &arg(0), &arg(1), &arg(2))? {
                true => zero,
                false => Ok(Effect::Fails),
            },
            "memset" => match self.fill(w, &arg(0), &arg(1), &arg(2))? {
                true => zero,
                false => Ok(Effect::Fails),
            },
            "x86" | "aarch64" => {
                let kind = match name {
                    "x86.sse2.mfence" => Some(FenceKind::Full),
                    "x86.sse.sfence" => Some(FenceKind::StoreStore),
                    "x86.sse2.lfence" | "x86.sse2.pause" | "aarch64.hint" => None,
                    _ => return self.unsupported(at, &format!("`llvm.{name}`")),
                };
                if let Some(kind) = kind {
                    w.emit(ROp::Fence(kind));
                }
                zero
            }
            "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" if name.contains("with.overflow") => {
                let op = match &base[1..] {
                    "add" => BinOp::Add,
                    "sub" => BinOp::Sub,
                    _ => BinOp::Mul,
                };
                let (a, b) = (arg(0), arg(1));
                let bits = a.bits;
                if bits > 64 {
                    return self.unsupported(at, &format!("`llvm.{name}`"));
                }
                let extend = if base.starts_with('s') { CastOp::SExt } else { CastOp::ZExt };
                let wide_bits = (bits * 2).min(128);
                let (wa, wb) = (self.cast(extend, &a, wide_bits, at)?, self.cast(extend, &b, wide_bits, at)?);
                let exact = self.arithmetic(op, &wa, &wb, at)?;
                let result = self.arithmetic(op, &a, &b, at)?;
                let back = self.cast(extend, &result, wide_bits, at)?;
                let overflow = self.compare(Predicate::Ne, &exact, &back, at)?;
                Ok(Effect::Value(smallvec![result, overflow]))
            }
            "uadd" | "usub" if name.contains("sat") => {
                let (a, b) = (arg(0), arg(1));
                let (op, limit) = if base == "uadd" { (BinOp::Add, -1) } else { (BinOp::Sub, 0) };
                let result = self.arithmetic(op, &a, &b, at)?;
                let over = self.compare(
                    if limit == 0 { Predicate::Ult } else { Predicate::Ugt },
                    &a,
                    if limit == 0 { &b } else { &result },
                    at,
                )?;
                let chosen = expr::choose(over.expr, expr::int(limit), result.expr.clone());
                value(Scalar::new(result.known.join(&Known::int(limit)), chosen, a.bits))
            }
            "smax" | "smin" | "umax" | "umin" => {
                let predicate = match base {
                    "smax" => Predicate::Sgt,
                    "smin" => Predicate::Slt,
                    "umax" => Predicate::Ugt,
                    _ => Predicate::Ult,
                };
                let (a, b) = (arg(0), arg(1));
                let first = self.compare(predicate, &a, &b, at)?;
                let pick = |x: Value, y: Value| {
                    self.compare_values(predicate, a.bits, x, y).map(|first| if first { x } else { y })
                };
                let known = a.known.map2(&b.known, &pick);
                value(Scalar::new(known, expr::choose(first.expr, a.expr.clone(), b.expr.clone()), a.bits))
            }
            "abs" => {
                let a = arg(0);
                let negative = self.compare(Predicate::Slt, &a, &Scalar::int(0, a.bits), at)?;
                let negated = self.arithmetic(BinOp::Sub, &Scalar::int(0, a.bits), &a, at)?;
                let known = a.known.map(&|v| match v {
                    Value::Int(v) => Some(Value::Int(super::value::canonical(a.bits, v.wrapping_abs()))),
                    _ => None,
                });
                let chosen = expr::choose(negative.expr, negated.expr, a.expr.clone());
                let result = Scalar::new(known.unwrap_or(Known::ANY), chosen, a.bits);
                // With this flag the smallest number has none.
                let lowest = super::value::bounds(a.bits).0;
                let without_lowest = arg(1).known.single() != Some(Value::Int(0))
                    && a.known.values().is_none_or(|set| set.contains(&Value::Int(lowest)));
                let is_lowest = expr::binary(BinaryOp::Eq, a.expr.clone(), expr::int(lowest));
                value(if without_lowest { self.unset_if(is_lowest, result) } else { result })
            }
            "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" => {
                let a = arg(0);
                // With this flag there is no result for 0.
                let without_zero = matches!(base, "ctlz" | "cttz")
                    && arg(1).known.single() != Some(Value::Int(0))
                    && a.known.values().is_none_or(|set| set.contains(&Value::Int(0)));
                let is_zero = expr::binary(BinaryOp::Eq, a.expr.clone(), expr::int(0));
                match self.table(&a, &|v| bits_of(base, a.bits, v)) {
                    Some(result) if without_zero => value(self.unset_if(is_zero, result)),
                    Some(result) => value(result),
                    None => self.unsupported(at, &format!("`llvm.{name}` of an arbitrary number")),
                }
            }
            _ => self.unsupported(at, &format!("`llvm.{name}`")),
        }
    }
}

/// What an operation on the bits of a number gives.
fn bits_of(operation: &str, bits: u32, value: i128) -> i128 {
    let raw = super::value::unsigned(bits, value);
    let unused = 128 - bits.min(128);
    super::value::canonical(
        bits,
        match operation {
            "ctpop" => raw.count_ones().into(),
            "ctlz" => (raw.leading_zeros() - unused).into(),
            "cttz" => raw.trailing_zeros().min(bits).into(),
            "bswap" => (raw.swap_bytes() >> unused) as i128,
            _ => (raw.reverse_bits() >> unused) as i128,
        },
    )
}
