//! Memory models, behind one interface.
//!
//! The engine sees a [`Heap`], which answers every operation with the list of *what can happen*: [`Branch`]es whose
//! guards are disjoint and cover the path, each with its own heap and its end. A [`Model`] says where accesses go and
//! how bytes are kept. It never sees the executor, and no model knows another. What they share belongs to the heap:
//! [`Layout`] (addresses), [`Directory`] (which bases exist, their sizes and lives), `resolve` (what a pointer may
//! refer to), [`Fault`].
//!
//! A model is one folder here and one line in the command line's registry; see `docs/adding-a-model.md`.

mod branch;
mod contents;
mod cx;
mod directory;
mod family;
mod heap;
pub mod heaplets;
mod layout;
mod model;
pub mod objects;
mod pages;
mod pick;
mod places;
pub mod planes;
pub mod planes_naive;
pub mod regions;
mod resolve;
mod shadow;
#[cfg(test)]
mod testing;

pub use branch::{AccessKind, Branch, Branches, End, Fault, FaultKind, Reason};
pub use contents::{Cells, Contents, Progression, maybe};
pub use cx::{Calls, Counters, Cx, NO_SITE, NoCalls, Seen, Truth, largest_symbolic};
pub use directory::{Alloc, Death, Directory, Free, Gone, Header, Init, Life};
pub use family::{Family, Freed, Many};
pub use heap::Heap;
pub use layout::{GAP, Layout};
pub use model::{Access, Birth, Group, Loops, Model, Name, Names, Notation, Pointee, Spread, Variable};
pub use pages::Pages;
pub use pick::{Apart, Join, Pick, References};
pub use places::{Part, Place, Places, Taken, choose, spread};
pub use resolve::{Resolution, Resolved, Target};
pub use shadow::Shade;

use mneme_term::{BaseId, Origin, Sort, Symbol, SymbolId, SymbolKind, Terms, Value};

/// The contents of a symbolic buffer: one symbol of the buffer's width, or an array of bytes.
#[derive(Copy, Clone, Debug)]
pub enum Source {
    /// A bit-vector symbol of eight times the length, which is concrete.
    Bits(SymbolId),
    /// An array symbol from pointer-wide indices to bytes.
    Bytes(SymbolId),
}

/// The object that a pointer belongs to, and the pointer's offset in it (in bounds or not). Both values have pointer
/// width.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ObjectInfo {
    pub base: BaseId,
    /// A pointer to its first byte.
    pub start: Value,
    pub offset: Value,
    pub size: Value,
}

/// The array of *uninit* symbols that stands for the bytes of `base` that are unwritten since its lifetime began for
/// the `round`-th time.
pub fn uninitialised(terms: &mut Terms, base: BaseId, round: u32) -> SymbolId {
    let info = terms.base_info(base);
    let name = format!("uninit!{:?}!{}!{}!{round}", info.kind, info.site, info.n);
    let index = terms.pointer_width();
    terms.symbol_id(Symbol {
        name,
        kind: SymbolKind::Uninit(Origin::Site(info.site)),
        sort: Sort::Array { index, element: 8 },
    })
}
