//! For tests: random expressions that can be built as terms and, independently, evaluated and written without any
//! simplification.
//!
//! An [`Expr`] is a plain tree. `build` goes through the simplifying constructors; `eval` and `smtlib` do not know
//! them. If the two differ, a rule is wrong. The generator is biased to what rules look for: corner constants, repeated
//! and related subterms.

mod env;
mod expr;
mod generator;
mod text;

pub use env::{BASES, Env, test_base};
pub use expr::{Expr, Operator};
pub use generator::Gen;

use crate::{Bits, Sort, Symbol, SymbolKind, TermId, Terms};

/// A scalar that a program reads.
pub fn input(terms: &mut Terms, name: &str, width: u32) -> TermId {
    let id = terms.symbol_id(Symbol {
        name: name.into(),
        kind: SymbolKind::Input,
        sort: Sort::Bits(width),
    });
    terms.symbol(id)
}

/// A small deterministic generator of numbers (SplitMix64).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    #[expect(clippy::should_implement_trait, reason = "an endless source, not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// A constant, often a special one.
    pub fn bits(&mut self, width: u32) -> Bits {
        let one = Bits::one(width);
        match self.below(12) {
            0 | 1 => Bits::zero(width),
            2 => one,
            3 => Bits::ones(width),
            4 => Bits::power(width, width - 1),
            5 => Bits::power(width, width - 1).not(),
            6 => Bits::power(width, self.below(width as u64) as u32),
            7 => Bits::power(width, self.below(width as u64) as u32).sub(&one),
            8 => Bits::power(width, self.below(width as u64) as u32).neg(),
            9 | 10 => Bits::new(width, self.below(20)),
            _ => {
                let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.next()).collect();
                Bits::from_words(width, &words)
            }
        }
    }
}
