//! Memory models, behind one interface.
//!
//! A model answers every operation with the list of *what can happen*: [`Branch`]es whose guards are disjoint and cover the path,
//! each with its own memory and its end. It never sees the executor, and no model knows another. What they share lives beside the
//! trait: [`Layout`] (addresses), [`Directory`] (which bases exist, how large and how alive they are), `resolve` (what a
//! pointer may refer to), [`Fault`].
//!
//! A model is one folder here and one line in the command line's registry; see `docs/adding-a-model.md`.

mod branch;
mod config;
mod contents;
mod cx;
mod directory;
mod family;
mod layout;
mod merge;
pub mod objects;
mod operations;
mod pages;
mod pick;
pub mod planes;
pub mod planes_naive;
mod resolve;
mod shadow;
#[cfg(test)]
mod testing;

pub use branch::{AccessKind, Branch, Branches, End, Fault, FaultKind, Reason};
pub use config::{Addresses, Config, NaiveReads, PieceSize, Resolve, Sizes, Split, Tables};
pub use contents::Progression;
pub use cx::{Calls, Counters, Cx, NO_SITE, NoCalls, Seen, Truth, largest_symbolic};
pub use directory::{Alloc, Death, Directory, Free, Gone, Header, Init, Life};
pub use family::{Family, Freed, Many};
pub use layout::{GAP, Layout};
pub use operations::{Asked, Done, Operations};
pub use pages::Pages;
pub use pick::{Apart, Join, Pick, References};
pub use resolve::{Resolved, Target};
pub use shadow::Shade;

use mneme_program::Scalar;
use mneme_solver::BaseTable;
use mneme_term::{BaseId, BaseKind, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Tracer, Value};

/// What the contents of a symbolic buffer are: one symbol of the buffer's width, or an array of bytes.
#[derive(Copy, Clone, Debug)]
pub enum Source {
    /// A bit-vector symbol of eight times the length, which is a number.
    Bits(SymbolId),
    /// An array symbol from pointer-wide indices to bytes.
    Bytes(SymbolId),
}

/// The object that a pointer belongs to, and where in it the pointer points (in bounds or not). Both values have pointer width.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ObjectInfo {
    pub base: BaseId,
    /// A pointer to its first byte.
    pub start: Value,
    pub offset: Value,
    pub size: Value,
}

/// The array of *uninit* symbols that stands for the bytes of `base` that nobody has written since its lifetime began for the
/// `round`-th time.
fn uninitialised(terms: &mut Terms, base: BaseId, round: u32) -> SymbolId {
    let info = terms.base_info(base);
    let name = format!("uninit!{:?}!{}!{}!{round}", info.kind, info.site, info.n);
    let index = terms.pointer_width();
    terms.symbol_id(Symbol {
        name,
        kind: SymbolKind::Uninit,
        sort: Sort::Array { index, element: 8 },
    })
}

/// A memory model. Operations that may branch consume the memory and return one for each branch.
///
/// Laws (checked for every model in `crates/testkit`): guards are disjoint and cover the path; a load returns what was stored last;
/// a clone is isolated from its origin; on concrete programs the model is a plain array of bytes; merging agrees with every member.
pub trait Memory: Clone + Default {
    /// Whether [`Config::capacity`] bounds sizes that are terms; otherwise only [`largest_symbolic`] does.
    const BOUNDED_SIZES: bool = true;

    /// Whether it makes many objects at once.
    const FAMILIES: bool = false;

    /// Whether it makes the writes of `progress`.
    const PROGRESSIONS: bool = false;

    fn new(pointer_width: u32, config: &Config) -> Self;

    /// The value at a concrete place when that needs no branch and builds no term.
    fn fast_load(&self, base: BaseId, offset: u64, ty: Scalar) -> Option<Value>;
    /// Stores at a concrete place if that needs no branch and builds no term; false: nothing happened.
    fn fast_store(&mut self, base: BaseId, offset: u64, ty: Scalar, value: Value) -> bool;

    fn alloc(self, cx: &mut Cx, what: Alloc) -> Branches<Self, Value>;
    /// As `alloc`, where only one thing can happen: no branch is built. `None`: ask `alloc`.
    fn fast_alloc(&mut self, terms: &mut Terms, what: Alloc) -> Option<BaseId>;
    /// As `free` of a pointer to the start of `base`, at `site`. False: nothing was done, ask `free`.
    fn fast_free(&mut self, base: BaseId, site: u32) -> bool;
    /// `free(p)`.
    fn free(self, cx: &mut Cx, p: Value) -> Branches<Self, ()>;
    /// A stack object dies: its function returned, or its scope ended.
    fn end(&mut self, base: BaseId, death: Death);
    /// The lifetime of a stack object starts (again): it is alive and uninitialised.
    fn begin(&mut self, base: BaseId);

    fn load(self, cx: &mut Cx, p: Value, ty: Scalar) -> Branches<Self, Value>;
    fn store(self, cx: &mut Cx, p: Value, ty: Scalar, value: Value) -> Branches<Self, ()>;
    /// memmove: the ranges may overlap. `len` has pointer width.
    fn copy(self, cx: &mut Cx, dst: Value, src: Value, len: Value) -> Branches<Self, ()>;
    /// memset. `byte` has width 8.
    fn fill(self, cx: &mut Cx, dst: Value, byte: Value, len: Value) -> Branches<Self, ()>;
    /// The `len` bytes at `p` become `source`.
    fn make_symbolic(self, cx: &mut Cx, p: Value, len: Value, source: Source) -> Branches<Self, ()>;
    /// Writes many cells of a live object at once, which are all inside it. Asked only if the model says that it can.
    fn progress(&mut self, _cx: &mut Cx, _base: BaseId, _what: &Progression) {
        unreachable!("a model that makes no progressions is not asked for them")
    }
    /// Makes many objects at once, all as `what` says. They have one base, whose header says how far they are apart. `None`: the address space
    /// is full. Asked only if the model says that it can.
    fn alloc_many(&mut self, _cx: &mut Cx, _what: Alloc, _many: Many) -> Option<BaseId> {
        unreachable!("a model that makes one object at a time is not asked for many")
    }
    /// What `free(p)` can meet. Asked, as the next two, only of a model that makes many objects at once.
    fn frees(&self, _cx: &mut Cx, _p: Value) -> Vec<(TermId, Free)> {
        unreachable!("a model that makes one object at a time is not asked to free many")
    }
    /// Frees members of a family that are there.
    fn free_members(&mut self, _base: BaseId, _freed: Freed) {
        unreachable!("a model that makes one object at a time is not asked to free many")
    }
    /// Frees an object, which is there, where `when` holds.
    fn free_where(&mut self, _base: BaseId, _when: TermId, _site: u32) {
        unreachable!("a model that makes one object at a time is not asked to free many")
    }
    /// Is an access of `len` bytes at `p` in order? Changes nothing.
    fn check(self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Branches<Self, ()>;
    /// The `len` bytes at `p`, which must be in a live object, may not be accessed any more, or may be again.
    fn mark(self, cx: &mut Cx, p: Value, len: Value, shade: Shade) -> Branches<Self, ()>;
    /// No byte of the object is poisoned any more.
    fn clean(&mut self, base: BaseId);
    /// The live object that `p` belongs to.
    fn object(self, cx: &mut Cx, p: Value) -> Branches<Self, ObjectInfo>;

    /// Concrete bytes of an object just made (initialisers of globals, arguments); no checks.
    fn init_bytes(&mut self, base: BaseId, offset: u64, bytes: &[u8]);
    /// A value in an object just made; no checks.
    fn init_value(&mut self, terms: &mut Terms, base: BaseId, offset: u64, ty: Scalar, value: Value);
    /// From now on the object may not be written.
    fn protect(&mut self, base: BaseId);
    /// The program looks at the address of `base`: it may come back as a plain integer.
    fn expose(&mut self, base: BaseId) -> u64;

    /// The memory that is `members[i]` where the tree of `join` chooses i.
    fn merge(join: &mut Join, members: &[&Self]) -> Result<Self, Apart>;

    /// Something depends on the address of `base` now.
    fn pin(&mut self, base: BaseId);

    fn header(&self, base: BaseId) -> Option<&Header>;
    /// The live objects of a kind.
    fn alive(&self, kind: BaseKind) -> Vec<BaseId>;
    /// The bases that the contents of an object may refer to.
    fn references(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId>;
    fn bases(&self) -> &dyn BaseTable;
    /// Which terms it holds.
    fn trace(&self, tracer: &mut Tracer);
}
