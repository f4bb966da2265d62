//! `llvm.*` intrinsics: what each is, and how it is lowered.

use super::constrained::Constrained;
use super::function::FunctionLowering;
use super::masked::Masked;
use super::reduce::Reduction;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::Value;

/// What an intrinsic means to Mneme.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Known {
    /// Debug information: describes, computes nothing.
    Debug,
    Nothing,
    /// The result is the first argument.
    First,
    /// An operation on scalars; applied to vectors lane by lane.
    Lanes(IntrinsicOp),
    /// An operation on exactly the arguments it has.
    Whole(IntrinsicOp),
    MulAdd,
    IsConstant,
    ObjectSize,
    MemCopy {
        overlap: bool,
    },
    MemSet,
    Lifetime {
        start: bool,
    },
    StackSave,
    StackRestore,
    /// The current rounding mode: to nearest.
    Rounding,
    /// Reduces all elements of a vector to one.
    Reduce(Reduction),
    /// Some elements of a vector in memory.
    Masked(Masked),
    /// Arithmetic that specifies how it rounds and traps.
    Constrained(Constrained),
    /// Between floating-point numbers, where the 16 bits of a `half` are an integer.
    Half,
    /// -1, 0 or 1.
    ThreeWay {
        less: Pred,
    },
    Unknown,
}

const TABLE: &[(&str, Known)] = {
    use IntrinsicOp::*;
    use Known::*;
    &[
        ("dbg", Debug),
        ("annotation", First),
        ("ptr.annotation", First),
        ("var.annotation", Nothing),
        ("codeview.annotation", Nothing),
        ("invariant.start", Nothing),
        ("invariant.end", Nothing),
        ("prefetch", Nothing),
        ("donothing", Nothing),
        ("clear_cache", Nothing),
        ("sideeffect", Nothing),
        ("pseudoprobe", Nothing),
        ("fake.use", Nothing),
        ("experimental.noalias.scope.decl", Nothing),
        ("experimental.noalias", Nothing),
        ("expect", First),
        ("expect.with.probability", First),
        ("ssa.copy", First),
        ("arithmetic.fence", First),
        ("canonicalize", First),
        ("launder.invariant.group", First),
        ("strip.invariant.group", First),
        ("threadlocal.address", First),
        ("is.constant", IsConstant),
        ("objectsize", Known::ObjectSize),
        ("memcpy", MemCopy { overlap: false }),
        ("memcpy.inline", MemCopy { overlap: false }),
        ("memmove", MemCopy { overlap: true }),
        ("memset", MemSet),
        ("memset.inline", MemSet),
        ("lifetime.start", Lifetime { start: true }),
        ("lifetime.end", Lifetime { start: false }),
        ("stacksave", StackSave),
        ("stackrestore", StackRestore),
        ("get.rounding", Rounding),
        ("fmuladd", MulAdd),
        ("assume", Whole(Assume)),
        ("trap", Whole(Trap)),
        ("debugtrap", Whole(Trap)),
        ("ubsantrap", Whole(Trap)),
        ("va_start", Whole(VaStart)),
        ("va_end", Whole(VaEnd)),
        ("va_copy", Whole(VaCopy)),
        ("ptrmask", Whole(PtrMask)),
        ("eh.sjlj.setjmp", Whole(SetJump)),
        ("eh.sjlj.longjmp", Whole(LongJump)),
        ("returnaddress", Whole(ReturnAddress)),
        ("frameaddress", Whole(FrameAddress)),
        ("convert.from.fp16", Half),
        ("convert.to.fp16", Half),
        ("scmp", ThreeWay { less: Pred::Slt }),
        ("ucmp", ThreeWay { less: Pred::Ult }),
        ("sadd.with.overflow", Whole(SAddOverflow)),
        ("uadd.with.overflow", Whole(UAddOverflow)),
        ("ssub.with.overflow", Whole(SSubOverflow)),
        ("usub.with.overflow", Whole(USubOverflow)),
        ("smul.with.overflow", Whole(SMulOverflow)),
        ("umul.with.overflow", Whole(UMulOverflow)),
        ("abs", Lanes(Abs)),
        ("smin", Lanes(SMin)),
        ("smax", Lanes(SMax)),
        ("umin", Lanes(UMin)),
        ("umax", Lanes(UMax)),
        ("ctpop", Lanes(CtPop)),
        ("ctlz", Lanes(Ctlz)),
        ("cttz", Lanes(Cttz)),
        ("bswap", Lanes(BSwap)),
        ("bitreverse", Lanes(BitReverse)),
        ("fshl", Lanes(FShl)),
        ("fshr", Lanes(FShr)),
        ("sadd.sat", Lanes(SAddSat)),
        ("uadd.sat", Lanes(UAddSat)),
        ("ssub.sat", Lanes(SSubSat)),
        ("usub.sat", Lanes(USubSat)),
        ("fabs", Lanes(FAbs)),
        ("sqrt", Lanes(Sqrt)),
        ("floor", Lanes(Floor)),
        ("ceil", Lanes(Ceil)),
        ("trunc", Lanes(FTrunc)),
        ("rint", Lanes(Rint)),
        ("nearbyint", Lanes(NearbyInt)),
        ("round", Lanes(Round)),
        ("roundeven", Lanes(RoundEven)),
        ("copysign", Lanes(CopySign)),
        ("minnum", Lanes(MinNum)),
        ("maxnum", Lanes(MaxNum)),
        ("minimum", Lanes(Minimum)),
        ("maximum", Lanes(Maximum)),
        ("fma", Lanes(Fma)),
        ("is.fpclass", Lanes(IsFpClass)),
        ("powi", Lanes(Powi)),
        ("pow", Lanes(Math("pow"))),
        ("exp", Lanes(Math("exp"))),
        ("exp2", Lanes(Math("exp2"))),
        ("exp10", Lanes(Math("exp10"))),
        ("log", Lanes(Math("log"))),
        ("log2", Lanes(Math("log2"))),
        ("log10", Lanes(Math("log10"))),
        ("sin", Lanes(Math("sin"))),
        ("cos", Lanes(Math("cos"))),
        ("tan", Lanes(Math("tan"))),
        ("asin", Lanes(Math("asin"))),
        ("acos", Lanes(Math("acos"))),
        ("atan", Lanes(Math("atan"))),
        ("sinh", Lanes(Math("sinh"))),
        ("cosh", Lanes(Math("cosh"))),
        ("tanh", Lanes(Math("tanh"))),
        ("lrint", Lanes(LRint)),
        ("llrint", Lanes(LRint)),
        ("lround", Lanes(LRound)),
        ("llround", Lanes(LRound)),
        ("ldexp", Lanes(LdExp)),
        ("frexp", Whole(FrExp)),
        ("fptosi.sat", Lanes(FToSISat)),
        ("fptoui.sat", Lanes(FToUISat)),
    ]
};

impl Known {
    /// The entry whose name is the longest prefix of `name` (types follow it, as in `llvm.abs.i32`).
    pub fn of(name: &str) -> Known {
        let name = name.strip_prefix("llvm.").unwrap_or(name);
        if let Some(reduction) = name.strip_prefix("vector.reduce.") {
            return Reduction::of(reduction).map_or(Known::Unknown, Known::Reduce);
        }
        if let Some(masked) = name.strip_prefix("masked.") {
            return Masked::of(masked).map_or(Known::Unknown, Known::Masked);
        }
        let name = match name.strip_prefix("experimental.constrained.") {
            Some(rest) => match Constrained::of(rest) {
                Some(constrained) => return Known::Constrained(constrained),
                None => rest,
            },
            None => name,
        };
        let matches = |entry: &str| {
            name.strip_prefix(entry)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let best = TABLE
            .iter()
            .filter(|(entry, _)| matches(entry))
            .max_by_key(|(e, _)| e.len());
        match best {
            // Forms that copy element by element or in another order are not the plain ones.
            _ if name.contains("element.unordered") => Known::Unknown,
            Some((entry, known)) if !has_other_stem(name, entry) => *known,
            _ => Known::Unknown,
        }
    }
}

/// Only types may follow the entry's name (`i32`, `f64`, `p0`, `v4i32` …), unless the entry is a family.
fn has_other_stem(name: &str, entry: &str) -> bool {
    if entry == "dbg" {
        return false;
    }
    let rest = name[entry.len()..].trim_start_matches('.');
    rest.split('.').filter(|part| !part.is_empty()).any(|part| {
        let known = part.starts_with("p0") || part.starts_with("bf16") || part.starts_with("ppcf");
        let letter = part.as_bytes()[0];
        let digit = part.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        !(known || matches!(letter, b'i' | b'f' | b'v' | b'p') && digit)
    })
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn intrinsic(&mut self, v: Value<'m>, callee: Value<'m>, known: Known, dst: Slot) -> Lowered<()> {
        // Constrained operations carry their rounding and trapping as metadata.
        let args: Vec<Value> = v.args().into_iter().filter(|arg| !arg.is_metadata()).collect();
        match known {
            Known::Debug | Known::Nothing => Ok(()),
            Known::First => {
                let source = self.flat(args[0])?;
                self.moves(dst, &source);
                Ok(())
            }
            Known::Lanes(op) => self.lanes(v, op, &args, dst),
            Known::Whole(op) => self.whole(v, op, &args, dst),
            Known::MulAdd => self.multiply_add(v, &args, dst),
            Known::IsConstant => {
                let src = self.int(1, args[0].is_constant().into());
                self.emit(Inst::Move { dst, src });
                Ok(())
            }
            Known::ObjectSize => {
                // pointer, minimum, (null is unknown,) dynamic
                self.whole(v, IntrinsicOp::ObjectSize, &[args[0], args[1], args[3]], dst)
            }
            Known::MemCopy { overlap } => {
                let width = self.scalar_type(args[2])?.bits;
                let (dst, src) = (self.scalar(args[0])?, self.scalar(args[1])?);
                let len = self.scalar(args[2])?;
                self.emit(Inst::MemCopy {
                    width,
                    overlap,
                    dst,
                    src,
                    len,
                });
                Ok(())
            }
            Known::MemSet => {
                let width = self.scalar_type(args[2])?.bits;
                let (dst, byte) = (self.scalar(args[0])?, self.scalar(args[1])?);
                let len = self.scalar(args[2])?;
                self.emit(Inst::MemSet { width, dst, byte, len });
                Ok(())
            }
            Known::Lifetime { start } => self.lifetime(start, args[0], args[1]),
            Known::StackSave => {
                self.emit(Inst::StackSave { dst });
                Ok(())
            }
            Known::StackRestore => {
                let ptr = self.scalar(args[0])?;
                self.emit(Inst::StackRestore { ptr });
                Ok(())
            }
            Known::Rounding => {
                let src = self.int(32, 1);
                self.emit(Inst::Move { dst, src });
                Ok(())
            }
            Known::Masked(masked) => self.masked(v, masked, &args, dst),
            Known::Reduce(reduction) => self.reduce(reduction, &args, dst),
            Known::Constrained(constrained) => self.constrained(v, constrained, &args, dst),
            Known::Half => {
                let (from, to) = (self.scalar_type(args[0])?.bits, self.scalar_type(v)?.bits);
                let src = self.scalar(args[0])?;
                let op = FloatCast::FToF;
                self.emit(Inst::FloatCast {
                    op,
                    from,
                    to,
                    undefined: Undefined::Poison,
                    dst,
                    src,
                });
                Ok(())
            }
            Known::ThreeWay { less } => self.three_way(v, less, &args, dst),
            Known::Unknown => unsupported(format!("the intrinsic {}", callee.name())),
        }
    }

    fn lifetime(&mut self, start: bool, size: Value<'m>, object: Value<'m>) -> Lowered<()> {
        if let Some(kept) = self.slots.kept.get(&object) {
            let slot = kept.slot;
            self.emit(Inst::SlotInit { slot });
            return Ok(());
        }
        let ptr = self.scalar(object)?;
        let size = size.int_value().and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
        self.emit(match start {
            true => Inst::LifetimeStart { ptr, size },
            false => Inst::LifetimeEnd { ptr, size },
        });
        Ok(())
    }

    /// One operation for each lane; arguments that are not vectors are the same in all lanes.
    fn lanes(&mut self, v: Value<'m>, op: IntrinsicOp, args: &[Value<'m>], dst: Slot) -> Lowered<()> {
        let results = self.cx.shapes.of(v.ty())?;
        if self
            .cx
            .shapes
            .of(args[0].ty())?
            .scalars()
            .any(|s| s.kind == ScalarKind::OtherFloat)
        {
            return unsupported(format!("arithmetic on {}", args[0].ty()));
        }
        let mut flat = Vec::new();
        for &arg in args {
            flat.push((arg.ty().is_vector(), self.flat(arg)?));
        }
        let width = self.cx.shapes.of(args[0].ty())?.leaves[0].scalar.bits;
        for (lane, result) in results.scalars().enumerate() {
            let args = flat
                .iter()
                .map(|(vector, f)| f[if *vector { lane } else { 0 }])
                .collect();
            let dst = Some(dst + lane as u32);
            self.push_intrinsic(Intrinsic {
                op,
                width,
                result_width: result.bits,
                undefined: self.undefined_of(v),
                dst,
                args,
            });
        }
        Ok(())
    }

    fn whole(&mut self, v: Value<'m>, op: IntrinsicOp, args: &[Value<'m>], dst: Slot) -> Lowered<()> {
        if args.iter().any(|a| a.ty().is_vector()) {
            return unsupported(format!("the intrinsic {} on vectors", v.called_value().name()));
        }
        let results = self.cx.shapes.of(v.ty())?;
        let width = match args.first() {
            Some(&arg) => self.scalar_type(arg)?.bits,
            None => 0,
        };
        let args = args.iter().map(|&a| self.scalar(a)).collect::<Lowered<_>>()?;
        let result_width = results.leaves.first().map_or(0, |leaf| leaf.scalar.bits);
        let dst = (results.len() > 0).then_some(dst);
        self.push_intrinsic(Intrinsic {
            op,
            width,
            result_width,
            undefined: self.undefined_of(v),
            dst,
            args,
        });
        Ok(())
    }

    /// `(a > b) - (a < b)`
    fn three_way(&mut self, v: Value<'m>, less: Pred, args: &[Value<'m>], dst: Slot) -> Lowered<()> {
        let (from, to) = (
            self.cx.shapes.of(args[0].ty())?.leaves[0].scalar.bits,
            self.cx.shapes.of(v.ty())?.leaves[0].scalar.bits,
        );
        let (a, b) = (self.flat(args[0])?, self.flat(args[1])?);
        for i in 0..a.len() {
            let bits = self.temporary(4);
            for (k, (a, b)) in [(b[i], a[i]), (a[i], b[i])].into_iter().enumerate() {
                let (dst, width) = (bits + k as u32, from);
                self.emit(Inst::Cmp {
                    pred: less,
                    width,
                    dst,
                    a,
                    b,
                });
                self.resize(Operand::slot(dst), 1, to, dst + 2);
            }
            self.emit(Inst::Bin {
                op: BinOp::Sub,
                width: to,
                nsw: false,
                undefined: Undefined::Poison,
                dst: dst + i as u32,
                a: Operand::slot(bits + 2),
                b: Operand::slot(bits + 3),
            });
        }
        Ok(())
    }

    pub(super) fn push_intrinsic(&mut self, intrinsic: Intrinsic) {
        self.out.intrinsics.push(intrinsic);
        self.emit(Inst::Intrinsic {
            id: IntrinsicId(self.out.intrinsics.len() as u32 - 1),
        });
    }

    /// `a * b + c`, rounded twice: x86 without extensions has no fused form.
    pub(super) fn multiply_add(&mut self, v: Value<'m>, args: &[Value<'m>], dst: Slot) -> Lowered<()> {
        let width = self.float_width(v, "arithmetic on")?;
        let (a, b, c) = (self.flat(args[0])?, self.flat(args[1])?, self.flat(args[2])?);
        for i in 0..a.len() {
            let dst = dst + i as u32;
            let product = self.temporary(1);
            let mul = FloatOp::Mul;
            self.emit(Inst::FloatBin {
                op: mul,
                width,
                dst: product,
                a: a[i],
                b: b[i],
            });
            let a = Operand::slot(product);
            self.emit(Inst::FloatBin {
                op: FloatOp::Add,
                width,
                dst,
                a,
                b: c[i],
            });
        }
        Ok(())
    }
}
