//! The term language of Mneme: hash-consed bit-vector terms, in which a pointer is a term with a base.
//!
//! A [`TermId`] is a number; what it means is in its [`Terms`], one per worker. Building a term simplifies it. Booleans
//! are bit-vectors of width 1.
//!
//! # Normal forms
//!
//! Code that walks over terms (`op`, `children`) meets these:
//!
//! - `Add`, `And`, `Or`, `Xor` and `Concat` are n-ary (two or more operands); every other operation has the arity it
//!   has in SMT-LIB.
//! - There is no subtraction and no negation: `a - b` is `a + b * -1`. A left shift by a constant is a `Mul` by a power
//!   of two, right shifts by constants are extensions of extracts, division by a power of two likewise, and a mask of
//!   one run of ones is a `Concat`.
//! - A sum is flat, its constant last; a pointer is `Base` or an `Add` with a `Base` among its operands.
//! - `a > b` is `b < a`. Comparisons with constants are strict. Equality of booleans is `Not(Xor)`.
//! - `c ? 1 : 0` is `ZExt(c)`, `c ? -1 : 0` is `SExt(c)`.
//! - The entries of a `Lookup` are not children: use [`Terms::table`] or [`Terms::for_each_child`].
//!
//! # Deliberately absent
//!
//! Solvers, program states, addresses. What a term says about bases holds for every layout within [`address_range`].

mod arena;
mod assignment;
mod base;
mod bits;
mod build;
mod collect;
mod eval;
mod facts;
mod flags;
mod hash;
mod index;
mod numbers;
mod op;
mod pointer;
mod print;
mod smtlib;
mod strided;
mod substitute;
mod support;
mod symbol;
pub mod testing;
mod value;

pub use arena::{TableId, TermId, Terms};
pub use assignment::{ArrayValue, Assignment, Model};
pub use base::{BaseId, BaseInfo, BaseKind, address_range};
pub use bits::Bits;
pub use collect::Tracer;
pub use eval::Evaluator;
pub use op::Op;
pub use pointer::Case;
pub use strided::Strided;
pub use symbol::{FunId, Function, Origin, Sort, Symbol, SymbolId, SymbolKind};
pub use value::*;
