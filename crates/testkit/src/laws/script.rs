//! A script: a sequence of memory operations as plain data, so that a model and the array of bytes can both run it, it
//! can be printed, and steps can be removed.
//!
//! A step that mentions a missing object or register (because the step that makes it was removed) does nothing.

use mneme_memory::{AccessKind, Death};
use mneme_term::BaseKind;
use std::fmt;

/// Widths of accesses in bytes: the machine's, odd ones, and wider than a word.
pub const WIDTHS: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 16];

/// How many data symbols there are of each width, and how many arrays.
pub const SYMBOLS: usize = 3;

/// The symbols that offsets, lengths and choices are made of; each has its width (0: the pointer's) and is extended to
/// the pointer's width with its sign or with zeros.
pub const INDICES: [(u32, Extension); 6] = [
    (8, Extension::Zero),
    (8, Extension::Sign),
    (32, Extension::Sign),
    (0, Extension::Zero),
    (4, Extension::Zero),
    (16, Extension::Zero),
];

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extension {
    Zero,
    Sign,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub pointer_width: u32,
    /// The inputs under which the script is run: the values of the index symbols, and the seed of the data symbols.
    pub inputs: [u64; INDICES.len()],
    pub data: u64,
    /// Assumed at the beginning: index symbol k is below the bound.
    pub bounds: Vec<(usize, u64)>,
    pub steps: Vec<Step>,
}

/// `scale * symbol + plus`, pointer width.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Linear {
    pub symbol: usize,
    pub scale: u64,
    pub plus: u64,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Number {
    Const(u64),
    Linear(Linear),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Pointer {
    At {
        object: usize,
        at: Number,
    },
    /// A plain integer.
    Number(Number),
    /// The number that is the object's address, plus something.
    Address {
        object: usize,
        at: Number,
    },
    /// What was loaded into a register, plus a constant.
    Register {
        register: usize,
        plus: u64,
    },
    /// `symbol < below ? yes : no`.
    Choice {
        symbol: usize,
        below: u64,
        yes: Box<Pointer>,
        no: Box<Pointer>,
    },
    /// Entry k if the low two bits of the symbol are k.
    Table {
        symbol: usize,
        entries: Box<[Pointer; 4]>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    Bytes(Vec<u8>),
    /// Data symbol k of the access's width.
    Symbol(usize),
    /// Some constant bytes, then a symbol.
    Mixed {
        low: Vec<u8>,
        symbol: usize,
        width: u32,
    },
    Pointer(Pointer),
    Register(usize),
}

#[derive(Clone, Debug)]
pub enum Step {
    Alloc {
        object: usize,
        kind: BaseKind,
        size: Number,
        align: u64,
        zero: bool,
    },
    InitBytes {
        object: usize,
        at: u64,
        bytes: Vec<u8>,
    },
    InitValue {
        object: usize,
        at: u64,
        bytes: u32,
        value: Input,
    },
    Protect {
        object: usize,
    },
    Expose {
        object: usize,
    },
    Free {
        p: Pointer,
    },
    End {
        object: usize,
        death: Death,
    },
    Begin {
        object: usize,
    },
    Load {
        p: Pointer,
        bytes: u32,
        register: usize,
    },
    Store {
        p: Pointer,
        bytes: u32,
        value: Input,
    },
    Copy {
        to: Pointer,
        from: Pointer,
        len: Number,
    },
    Fill {
        p: Pointer,
        byte: Input,
        len: Number,
    },
    MakeBits {
        p: Pointer,
        bytes: u32,
        symbol: usize,
    },
    MakeBytes {
        p: Pointer,
        len: Number,
        array: usize,
    },
    Check {
        p: Pointer,
        len: Number,
        kind: AccessKind,
    },
    Object {
        p: Pointer,
    },
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Number::Const(n) => write!(f, "{}", n as i64),
            Number::Linear(Linear { symbol, scale, plus }) => write!(f, "({scale}*i{symbol} + {})", plus as i64),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Pointer::At { object, at } => write!(f, "&o{object}[{at}]"),
            Pointer::Number(n) => write!(f, "(void*){n}"),
            Pointer::Address { object, at } => write!(f, "(void*)((word)o{object} + {at})"),
            Pointer::Register { register, plus } => write!(f, "r{register} + {}", *plus as i64),
            Pointer::Choice { symbol, below, yes, no } => write!(f, "(i{symbol} < {below} ? {yes} : {no})"),
            Pointer::Table { symbol, entries } => {
                let [a, b, c, d] = &**entries;
                write!(f, "[{a}, {b}, {c}, {d}][i{symbol} & 3]")
            }
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Input::Bytes(bytes) => write!(f, "{bytes:02x?}"),
            Input::Symbol(symbol) => write!(f, "d{symbol}"),
            Input::Mixed { low, symbol, width } => write!(f, "{low:02x?} ++ d{symbol}:{width}"),
            Input::Pointer(p) => write!(f, "{p}"),
            Input::Register(register) => write!(f, "r{register}"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Step::Alloc {
                object,
                kind,
                size,
                align,
                zero,
            } => {
                let init = if *zero { "zero" } else { "undefined" };
                write!(
                    f,
                    "o{object} = alloc {kind:?} of {size} bytes, {init}, aligned to {align}"
                )
            }
            Step::InitBytes { object, at, bytes } => write!(f, "init o{object}[{at}] = {bytes:02x?}"),
            Step::InitValue {
                object,
                at,
                bytes,
                value,
            } => write!(f, "init o{object}[{at}] = {value} ({bytes} bytes)"),
            Step::Protect { object } => write!(f, "protect o{object}"),
            Step::Expose { object } => write!(f, "expose o{object}"),
            Step::Free { p } => write!(f, "free {p}"),
            Step::End { object, death } => write!(f, "end o{object} by {death:?}"),
            Step::Begin { object } => write!(f, "begin o{object}"),
            Step::Load { p, bytes, register } => write!(f, "r{register} = load {bytes} bytes at {p}"),
            Step::Store { p, bytes, value } => write!(f, "store {value} ({bytes} bytes) at {p}"),
            Step::Copy { to, from, len } => write!(f, "copy {len} bytes to {to} from {from}"),
            Step::Fill { p, byte, len } => write!(f, "fill {len} bytes at {p} with {byte}"),
            Step::MakeBits { p, bytes, symbol } => write!(f, "make {bytes} bytes at {p} the symbol d{symbol}"),
            Step::MakeBytes { p, len, array } => write!(f, "make {len} bytes at {p} the array a{array}"),
            Step::Check { p, len, kind } => write!(f, "check {kind:?} of {len} bytes at {p}"),
            Step::Object { p } => write!(f, "object of {p}"),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "  {}-bit pointers, inputs {:?}, data {:#x}",
            self.pointer_width, self.inputs, self.data
        )?;
        for (symbol, bound) in &self.bounds {
            writeln!(f, "  assume i{symbol} < {bound}")?;
        }
        for (n, step) in self.steps.iter().enumerate() {
            writeln!(f, "  {n:3}: {step}")?;
        }
        Ok(())
    }
}
