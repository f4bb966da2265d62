//! What instructions compute.

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// What it means if an operation has no result in C (a shift past the width, signed overflow, a conversion out of
/// range).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Undefined {
    /// The program itself does it: an error.
    Error,
    /// A compiler may have moved it to where the program would not do it: an error once something depends on the
    /// result.
    Poison,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pred {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Ordered (O…) and unordered (U…) comparisons, as LLVM names them.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatPred {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatCast {
    FToF,
    FToUI,
    FToSI,
    UIToF,
    SIToF,
}

/// Operations of `llvm.*` intrinsics that compute on scalars. `width` is the operands' width.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum IntrinsicOp {
    Abs,
    SMin,
    SMax,
    UMin,
    UMax,
    CtPop,
    Ctlz,
    Cttz,
    BSwap,
    BitReverse,
    FShl,
    FShr,
    /// Two results: value, overflow bit.
    SAddOverflow,
    UAddOverflow,
    SSubOverflow,
    USubOverflow,
    SMulOverflow,
    UMulOverflow,
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    /// Size of the object that a pointer points into, from there to its end; args: pointer, min (i1), (dynamic: i1).
    ObjectSize,
    Assume,
    Trap,
    VaStart,
    VaEnd,
    VaCopy,
    /// `pointer & mask`.
    PtrMask,
    /// The byte of a `_Bool`, which is 0 or 1, or the program is wrong.
    Bool,
    /// `__builtin_setjmp`, `__builtin_longjmp`; arg: the buffer.
    SetJump,
    LongJump,
    /// Arg: how many callers up (i32).
    ReturnAddress,
    FrameAddress,
    // on floating point
    FAbs,
    Sqrt,
    Floor,
    Ceil,
    FTrunc,
    Rint,
    NearbyInt,
    Round,
    RoundEven,
    CopySign,
    MinNum,
    MaxNum,
    /// Like `MinNum` and `MaxNum`, but NaN wins and -0 is less than 0.
    Minimum,
    Maximum,
    Fma,
    IsFpClass,
    /// A function of `math.h` from floating-point numbers to one, by its name for `double`.
    Math(&'static str),
    Powi,
    LRint,
    LRound,
    LdExp,
    /// Two results: fraction, exponent (i32).
    FrExp,
    FToSISat,
    FToUISat,
}

impl IntrinsicOp {
    /// Whether it counts zeros, which zero itself may have no number of.
    pub fn counts_zeros(self) -> bool {
        matches!(self, IntrinsicOp::Ctlz | IntrinsicOp::Cttz)
    }

    /// Whether it computes with floating-point numbers.
    pub fn is_on_floats(self) -> bool {
        use IntrinsicOp::*;
        matches!(
            self,
            FAbs | Sqrt
                | Floor
                | Ceil
                | FTrunc
                | Rint
                | NearbyInt
                | Round
                | RoundEven
                | CopySign
                | MinNum
                | MaxNum
                | Minimum
                | Maximum
                | Fma
                | IsFpClass
                | Math(_)
                | Powi
                | LRint
                | LRound
                | LdExp
                | FrExp
                | FToSISat
                | FToUISat
        )
    }
}
