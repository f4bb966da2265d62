//! Mneme's own instruction set: what a module is lowered to, once, before anything runs.
//!
//! Invariants:
//! - A function's code is one flat vector; control flow names *edges*, and an edge carries the parallel moves that phi
//!   nodes become.
//! - Every scalar lives in one slot of the frame. First-class structs, arrays and vectors are flattened into
//!   consecutive slots, so that `extractvalue`, `insertvalue` and constant-index `extractelement` are moves and have no
//!   instruction.
//! - Operands are slots or entries of the function's constant pool; constant expressions have been lowered to
//!   instructions.
//! - A construct that is not supported is an `Unsupported` instruction: only the path that reaches it stops.
//!
//! Deliberately absent: LLVM types and values. Nothing of LLVM leaves this crate.

mod function;
mod operation;
mod program;

pub use function::*;
pub use operation::*;
pub use program::*;

pub type Slot = u32;

macro_rules! ids { ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
    $(#[$doc])* #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)] pub struct $name(pub u32);
    impl $name { pub fn index(self) -> usize { self.0 as usize } }
)* } }

ids! {
    /// Index into [`Program::functions`].
    FunctionId,
    /// Index into [`Program::globals`].
    GlobalId,
    /// Index into [`Function::edges`].
    EdgeId,
    /// Index into [`Function::calls`].
    CallId,
    /// Index into [`Function::switches`].
    SwitchId,
    /// Index into [`Function::geps`].
    GepId,
    /// Index into [`Function::intrinsics`].
    IntrinsicId,
    /// Index into [`Program::sites`]: a place where objects are made (alloca, call of an allocator, global, function).
    SiteId,
    /// Index into [`Program::files`].
    FileId,
    /// Index into [`Program::types`]: a C type from debug information.
    CTypeId,
}

/// A slot of the frame, or an entry of the function's constant pool (high bit set).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operand(u32);

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OperandKind {
    Slot(Slot),
    Constant(u32),
}

impl Operand {
    const CONSTANT: u32 = 1 << 31;
    pub fn slot(slot: Slot) -> Operand {
        debug_assert!(slot < Self::CONSTANT);
        Operand(slot)
    }
    pub fn constant(index: u32) -> Operand {
        debug_assert!(index < Self::CONSTANT);
        Operand(index | Self::CONSTANT)
    }
    #[inline(always)]
    pub fn kind(self) -> OperandKind {
        if self.0 & Self::CONSTANT == 0 {
            OperandKind::Slot(self.0)
        } else {
            OperandKind::Constant(self.0 & !Self::CONSTANT)
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ScalarKind {
    Int,
    /// IEEE's binary formats by their width (`half`, `float`, `double`, `fp128`): slots hold their bit pattern.
    Float,
    /// `x86_fp80`, the x87's 80 bits: computed with like the others, but passed in memory.
    Extended,
    /// `bfloat` and `ppc_fp128`: carried as bits, not computed with.
    OtherFloat,
    Pointer,
}

/// The type of one slot: kind and width in bits.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    pub kind: ScalarKind,
    pub bits: u16,
}

impl Scalar {
    pub const fn int(bits: u16) -> Scalar {
        Scalar {
            kind: ScalarKind::Int,
            bits,
        }
    }
    /// Whether it is passed in an integer register.
    pub fn is_integral(self) -> bool {
        matches!(self.kind, ScalarKind::Int | ScalarKind::Pointer)
    }
    /// The bytes that a load or store of it touches.
    pub fn bytes(self) -> u32 {
        (self.bits as u32).div_ceil(8)
    }
    pub fn width(self) -> u32 {
        self.bits as u32
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// Up to 64 bits, zero-extended. Floats as bit patterns, null pointers as 0.
    Int(u64),
    /// More than 64 bits, little-endian words.
    Wide {
        bits: u32,
        words: Vec<u64>,
    },
    Global {
        global: GlobalId,
        offset: i64,
    },
    Function(FunctionId),
    /// `undef` or `poison` of that width: any value.
    Undef {
        bits: u32,
    },
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Inst {
    Move {
        dst: Slot,
        src: Operand,
    },
    Bin {
        op: BinOp,
        width: u16,
        /** `nsw` was on the instruction: signed overflow is undefined */
        nsw: bool,
        undefined: Undefined,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// `width` is the operands' width; the result has width 1.
    Cmp {
        pred: Pred,
        width: u16,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: u16,
        to: u16,
        dst: Slot,
        src: Operand,
    },
    /// `width` is the width of the two values.
    Select {
        width: u16,
        dst: Slot,
        cond: Operand,
        yes: Operand,
        no: Operand,
    },
    /// `src`, with a fixed value for its undefined parts.
    Freeze {
        dst: Slot,
        src: Operand,
    },
    FloatBin {
        op: FloatOp,
        width: u16,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    FloatNeg {
        width: u16,
        dst: Slot,
        src: Operand,
    },
    FloatCmp {
        pred: FloatPred,
        width: u16,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    FloatCast {
        op: FloatCast,
        from: u16,
        to: u16,
        undefined: Undefined,
        dst: Slot,
        src: Operand,
    },
    /// `dst = base + offset` with a constant offset.
    Field {
        dst: Slot,
        base: Operand,
        offset: i64,
    },
    /// `dst = base + sext(index) * scale`; `width` is the index's width.
    Index {
        width: u16,
        dst: Slot,
        base: Operand,
        index: Operand,
        scale: u32,
    },
    /// The general form: constant offset and any number of scaled indices.
    Gep {
        dst: Slot,
        base: Operand,
        gep: GepId,
    },
    Load {
        ty: Scalar,
        /** the address is a multiple of 2 to this power, or the program is wrong */
        align: u8,
        dst: Slot,
        ptr: Operand,
    },
    Store {
        ty: Scalar,
        align: u8,
        ptr: Operand,
        value: Operand,
    },
    /// A stack object of `count` times `size` bytes (`count` has width `width`); dies when the function returns.
    Alloca {
        width: u16,
        dst: Slot,
        size: u32,
        count: Operand,
        site: SiteId,
    },
    /// A stack variable that is kept in a slot becomes uninitialised (its alloca, or its lifetime starts or ends).
    SlotInit {
        slot: Slot,
    },
    /// Reads a stack variable kept in a slot (a `Value::Undef` is named here).
    SlotLoad {
        ty: Scalar,
        dst: Slot,
        slot: Slot,
        site: SiteId,
    },
    SlotStore {
        ty: Scalar,
        slot: Slot,
        value: Operand,
    },
    /// llvm.lifetime markers of an object in memory.
    LifetimeStart {
        ptr: Operand,
        /** bytes; u32::MAX if unknown */
        size: u32,
    },
    LifetimeEnd {
        ptr: Operand,
        size: u32,
    },
    StackSave {
        dst: Slot,
    },
    StackRestore {
        ptr: Operand,
    },
    /// The parameter in `slot` is `byval`: make a stack copy of `size` bytes and put its address there.
    ByvalCopy {
        slot: Slot,
        size: u32,
        site: SiteId,
    },
    /// memcpy / memmove; `width` is that of `len`.
    MemCopy {
        width: u16,
        overlap: bool,
        dst: Operand,
        src: Operand,
        len: Operand,
    },
    MemSet {
        width: u16,
        dst: Operand,
        byte: Operand,
        len: Operand,
    },
    Intrinsic {
        id: IntrinsicId,
    },
    Call {
        call: CallId,
    },
    /// Returns the `count` consecutive operands that begin at `first` in [`Function::operands`].
    Return {
        first: u32,
        count: u32,
    },
    Jump {
        edge: EdgeId,
    },
    Branch {
        cond: Operand,
        yes: EdgeId,
        no: EdgeId,
    },
    /// Fused compare and branch.
    CmpBranch {
        pred: Pred,
        width: u16,
        a: Operand,
        b: Operand,
        yes: EdgeId,
        no: EdgeId,
    },
    Switch {
        switch: SwitchId,
    },
    Unreachable,
    /// A jump to itself: an endless loop without any effect.
    Spin,
    /// Index into [`Function::unsupported`], which names the construct.
    Unsupported {
        what: u32,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Intrinsic {
    pub op: IntrinsicOp,
    pub width: u16,
    /// Width of the first result (casts and object sizes differ from `width`).
    pub result_width: u16,
    pub undefined: Undefined,
    /// First of the consecutive result slots.
    pub dst: Option<Slot>,
    pub args: Vec<Operand>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Gep {
    pub offset: i64,
    /// index, its width, scale: added as `sext(index) * scale`.
    pub indices: Vec<(Operand, u16, u64)>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Direct(FunctionId),
    Indirect(Operand),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Arg {
    pub value: Operand,
    pub ty: Scalar,
    /// Bytes and alignment of a `byval` structure (the operand is its address).
    pub byval: Option<(u32, u32)>,
    /// First slot of its LLVM argument (false for the second and later slots of a flattened aggregate).
    pub leads: bool,
    /// Alignment that the ABI gives it in a variable argument area (8 or 16; 4 on 32 bits).
    pub align: u8,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<Arg>,
    /// First of the consecutive result slots, and their types (empty for void).
    pub dst: Slot,
    pub results: Vec<Scalar>,
    /// The signature of the callee according to the call site.
    pub signature: Signature,
    /// For calls of allocators: where the object comes from.
    pub site: SiteId,
    pub noreturn: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signature {
    pub params: Vec<Scalar>,
    pub results: Vec<Scalar>,
    pub variadic: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Switch {
    pub value: Operand,
    pub width: u16,
    /// Case values zero-extended (switches on more than 64 bits are unsupported), sorted by value.
    pub cases: Vec<(u64, EdgeId)>,
    pub default: EdgeId,
}

/// A control-flow edge: parallel moves, then a jump.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    pub target: BlockId,
    /// Index of the target's first instruction.
    pub pc: u32,
    /// All sources are read before any destination is written.
    pub moves: Vec<(Slot, Operand)>,
}
