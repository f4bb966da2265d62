//! A whole program: functions, global data, places where objects are made, C types.

use super::*;

#[derive(Clone, PartialEq, Debug)]
pub enum InitData {
    Bytes(Vec<u8>),
    /// A pointer-sized address.
    Address(Constant),
    /// The difference `a - b` of two addresses, plus an addend, in `bytes` bytes (jump tables, offsets).
    Difference {
        a: Constant,
        b: Constant,
        addend: i64,
        bytes: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u64,
    pub constant: bool,
    /// A `static` variable that is read and nothing else: it is as it was initialised.
    pub only_read: bool,
    /// Declared but not defined in the linked program.
    pub external: bool,
    /// Sorted by offset, disjoint; bytes not mentioned are zero.
    pub init: Vec<(u64, InitData)>,
    pub site: SiteId,
    pub runtime: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SiteKind {
    Stack,
    Heap,
    Global,
    Function,
}

/// A place where objects are made: what diagnostics say of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    pub kind: SiteKind,
    /// C name of the variable, global or function.
    pub name: Option<String>,
    pub align: u64,
    pub loc: Loc,
    pub function: Option<FunctionId>,
    pub c_type: Option<CTypeId>,
    /// A stack object that every call has, so [`Function::frame`] counts it.
    pub fixed: bool,
}

/// A C type from debug information; enough to print places (`t->buckets[h]`).
#[derive(Clone, Debug, PartialEq)]
pub enum CType {
    Void,
    Base {
        name: String,
        bytes: u64,
        encoding: u32,
    },
    Pointer {
        to: CTypeId,
    },
    Array {
        of: CTypeId,
        counts: Vec<Option<u64>>,
    },
    Struct {
        name: Option<String>,
        bytes: u64,
        fields: Vec<CField>,
        union: bool,
    },
    Typedef {
        name: String,
        of: CTypeId,
    },
    Qualified {
        of: CTypeId,
        /// `const`, and not `volatile` or another.
        constant: bool,
    },
    Function,
    Enum {
        name: Option<String>,
        bytes: u64,
    },
    Unknown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CField {
    pub name: Option<String>,
    pub offset_bits: u64,
    pub size_bits: u64,
    pub c_type: CTypeId,
}

#[derive(Clone, Debug)]
pub struct Target {
    /// 32 or 64.
    pub pointer_width: u32,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub target: Target,
    pub functions: Vec<Function>,
    pub globals: Vec<Global>,
    pub sites: Vec<Site>,
    /// Absolute paths where debug information has them.
    pub files: Vec<String>,
    pub types: Vec<CType>,
    /// Of elements, where the source says how many there are.
    pub counts: crate::Counts,
    pub main: Option<FunctionId>,
    /// The function of the runtime that makes symbolic inputs and then names the arguments of `main`.
    pub inputs: Option<FunctionId>,
    /// In order of execution.
    pub constructors: Vec<FunctionId>,
    pub destructors: Vec<FunctionId>,
    /// Number of instructions in all functions.
    pub instructions: u32,
    /// Number of instructions and edges in all functions.
    pub places: u32,
}

impl Program {
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }
    pub fn find_function(&self, name: &str) -> Option<FunctionId> {
        self.functions
            .iter()
            .position(|f| f.name == name)
            .map(|i| FunctionId(i as u32))
    }
}
