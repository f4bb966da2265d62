//! A function: its code, and the tables that instructions refer to.

use super::*;

#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Instructions `start..end`.
    pub start: u32,
    pub end: u32,
    pub successors: Vec<BlockId>,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Loc {
    /// u32::MAX: unknown.
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// How a function extends a result that is narrower than its register; a caller that expects a wider result sees it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Extension {
    #[default]
    Zero,
    Sign,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The name before a `static` was renamed by linking, if debug information knows it.
    pub source_name: Option<String>,
    pub signature: Signature,
    /// The C type of its result.
    pub returns: Option<CTypeId>,
    /// Its parameters as C declares them, if debug information has them.
    pub params: Vec<Param>,
    pub extension: Extension,
    /// Parameters occupy slots `0..signature.params.len()`.
    pub slots: u32,
    /// Empty for a function that is only declared.
    pub code: Vec<Inst>,
    /// One for each instruction.
    pub locs: Vec<Loc>,
    pub blocks: Vec<Block>,
    /// The constant pool.
    pub constants: Vec<Constant>,
    pub operands: Vec<Operand>,
    pub edges: Vec<Edge>,
    pub calls: Vec<Call>,
    pub switches: Vec<Switch>,
    pub geps: Vec<Gep>,
    pub intrinsics: Vec<Intrinsic>,
    pub unsupported: Vec<String>,
    /// Variables that are values, as in optimised code.
    pub values: Vec<NamedValue>,
    pub site: SiteId,
    pub loc: Loc,
    /// Number of the first instruction in the whole program: instruction `pc` is `first_inst + pc` for coverage.
    pub first_inst: u32,
    /// Number of its first edge for coverage; edges are numbered behind all instructions.
    pub first_edge: u32,
    /// Roughly how many bytes of stack a call takes: its locals, and what every call needs.
    pub frame: u64,
    /// It was translated from C and not optimised: a selected value is one that the program has computed.
    pub own: bool,
    /// It comes from Mneme's runtime, not from the user's program.
    pub runtime: bool,
}

/// A parameter as C declares it.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub name: Option<String>,
    pub c_type: CTypeId,
    /// The source says that it is not null.
    pub nonnull: bool,
    /// It says that nothing else refers to what it points to.
    pub restrict: bool,
    /// Bytes that the source says it points to, at least (`int a[static 4]`).
    pub least: u64,
}

/// What debug information calls a value.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedValue {
    pub slot: Slot,
    /// The instruction that computes it; `None` for a parameter.
    pub pc: Option<u32>,
    pub name: String,
    pub c_type: Option<CTypeId>,
}

impl Function {
    /// The block that an instruction is in.
    pub fn block_of(&self, pc: u32) -> BlockId {
        BlockId(self.blocks.partition_point(|block| block.end <= pc) as u32)
    }

    pub fn is_declaration(&self) -> bool {
        self.code.is_empty()
    }
}
