//! Errors of the analysed program and their names; what is reported about them is in `explain`.

use mneme_finding::{Location, Rule};
use mneme_memory::{AccessKind, Fault, FaultKind};
use mneme_term::{BaseId, TermId, Tracer, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Memory(Fault),
    /// What happens next depends on this term, which depends on unwritten memory.
    Uninitialised(TermId),
    DivisionByZero,
    SignedOverflow,
    /// What is shifted to the left, and by how much: the result does not fit its signed type.
    ShiftOverflow(Value, Value),
    /// A floating-point number does not fit an integer of that many bits.
    InvalidConversion {
        width: u32,
    },
    /// Source and target of a copy overlap.
    OverlappingCopy,
    /// An index, and the type of the array that it leaves, if known.
    Subobject(Value, Option<String>),
    /// The length of a variable-length array, which is not positive.
    ArraySize(Value),
    /// A state comes back exactly as it was.
    Endless,
    /// The address of an access is not a multiple of this.
    Misaligned {
        align: u64,
    },
    /// An offset is added to a null pointer.
    NullOffset,
    /// The byte of a `_Bool` is neither 0 nor 1.
    InvalidBool(Value),
    /// The leading or trailing zeros of zero are counted.
    BitCount,
    /// What is converted to a narrower type implicitly, what it becomes, and the name of that type, if known.
    LossyConversion(Value, Value, Option<String>),
    FloatDivisionByZero,
    /// Unsigned arithmetic wraps, where that is asked about.
    UnsignedOverflow,
    /// This many bytes are asked for.
    ExcessiveAllocation(Value),
    /// Nothing refers to this heap object any more.
    Leak(BaseId),
    /// A function returns while this object, or what it returns, refers to one of its local variables.
    Escape {
        local: BaseId,
        holder: Option<BaseId>,
    },
    InvalidShift {
        width: u32,
    },
    /// An operation had no result, for this reason, and the result was used somewhere.
    NoResult(Box<Error>, Option<Location>),
    Assertion(String),
    Abort,
    /// The error location of a harness.
    Reached,
    InvalidCall(String),
    StackExhaustion(Exhausted),
    Unreachable,
    /// Something that the harness reports itself.
    Reported(String),
    /// Two functions that should do the same differ in this.
    Differs(String),
    /// What a handler reports under the name of a rule.
    OfHandler(Rule, String),
}

/// What was too large for the stack.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Exhausted {
    Calls,
    /// Bytes: of a call or a local variable, and of what was there before.
    Bytes {
        needed: Value,
        taken: u64,
    },
}

impl Error {
    pub fn trace(&self, tracer: &mut Tracer) {
        match self {
            Error::Memory(fault) => {
                tracer.term(fault.offset);
                fault.len.iter().for_each(|&len| tracer.term(len));
            }
            Error::Uninitialised(term) => tracer.term(*term),
            Error::ShiftOverflow(one, other) | Error::LossyConversion(one, other, _) => {
                tracer.value(*one);
                tracer.value(*other);
            }
            Error::Subobject(value, _)
            | Error::ArraySize(value)
            | Error::InvalidBool(value)
            | Error::ExcessiveAllocation(value) => tracer.value(*value),
            Error::StackExhaustion(Exhausted::Bytes { needed, .. }) => tracer.value(*needed),
            Error::NoResult(error, _) => error.trace(tracer),
            Error::StackExhaustion(Exhausted::Calls)
            | Error::DivisionByZero
            | Error::FloatDivisionByZero
            | Error::UnsignedOverflow
            | Error::BitCount
            | Error::SignedOverflow
            | Error::InvalidConversion { .. }
            | Error::OverlappingCopy
            | Error::Leak(_)
            | Error::Escape { .. }
            | Error::InvalidShift { .. }
            | Error::Assertion(_)
            | Error::Abort
            | Error::Reached
            | Error::InvalidCall(_)
            | Error::Unreachable
            | Error::Reported(_)
            | Error::Endless
            | Error::Misaligned { .. }
            | Error::NullOffset
            | Error::Differs(_)
            | Error::OfHandler(..) => {}
        }
    }

    /// The program itself says that it must not come to this.
    pub fn is_of_assertions(&self) -> bool {
        matches!(
            self,
            Error::Assertion(_) | Error::Reported(_) | Error::Abort | Error::Unreachable
        )
    }

    /// Found by a check that clang has added: the instruction there is not one of the program's.
    pub fn is_seen_by_clang(&self) -> bool {
        matches!(
            self,
            Error::ShiftOverflow(..)
                | Error::Subobject(..)
                | Error::ArraySize(_)
                | Error::LossyConversion(..)
                | Error::FloatDivisionByZero
                | Error::UnsignedOverflow
        )
    }

    pub fn rule(&self) -> Rule {
        use AccessKind::{Read, Write};
        match self {
            Error::Memory(fault) => match fault.kind {
                FaultKind::OutOfBounds(Read) => Rule::OutOfBoundsRead,
                FaultKind::OutOfBounds(Write) => Rule::OutOfBoundsWrite,
                FaultKind::Null(_) => Rule::NullDereference,
                FaultKind::Wild(_) => Rule::WildDereference,
                FaultKind::UseAfterFree(_) => Rule::UseAfterFree,
                FaultKind::UseAfterReturn(_) => Rule::UseAfterReturn,
                FaultKind::UseAfterScope(_) => Rule::UseAfterScope,
                FaultKind::Poisoned(_) => Rule::UseOfPoisoned,
                FaultKind::WriteToConstant => Rule::WriteToConstant,
                FaultKind::DoubleFree => Rule::DoubleFree,
                FaultKind::InvalidFree => Rule::InvalidFree,
            },
            Error::Uninitialised(_) => Rule::UninitializedRead,
            Error::DivisionByZero => Rule::DivisionByZero,
            Error::SignedOverflow | Error::ShiftOverflow(..) => Rule::SignedOverflow,
            Error::InvalidConversion { .. } => Rule::InvalidConversion,
            Error::OverlappingCopy => Rule::OverlappingCopy,
            Error::Subobject(..) => Rule::SubobjectOverrun,
            Error::ArraySize(_) => Rule::InvalidArraySize,
            Error::Misaligned { .. } => Rule::MisalignedAccess,
            Error::NullOffset => Rule::NullOffset,
            Error::Endless => Rule::EndlessLoop,
            Error::InvalidBool(_) => Rule::InvalidBool,
            Error::BitCount => Rule::InvalidBitCount,
            Error::LossyConversion(..) => Rule::LossyConversion,
            Error::FloatDivisionByZero => Rule::FloatDivisionByZero,
            Error::UnsignedOverflow => Rule::UnsignedOverflow,
            Error::ExcessiveAllocation(_) => Rule::ExcessiveAllocation,
            Error::Leak(_) => Rule::MemoryLeak,
            Error::Escape { .. } => Rule::StackEscape,
            Error::InvalidShift { .. } => Rule::InvalidShift,
            Error::NoResult(error, _) => error.rule(),
            Error::Differs(_) => Rule::BehaviourDiffers,
            Error::Assertion(_) | Error::Reported(_) => Rule::AssertionFailure,
            Error::OfHandler(rule, _) => *rule,
            Error::Abort => Rule::Abort,
            Error::Reached => Rule::ReachError,
            Error::InvalidCall(_) => Rule::InvalidCall,
            Error::StackExhaustion(_) => Rule::StackExhaustion,
            Error::Unreachable => Rule::Unreachable,
        }
    }
}
