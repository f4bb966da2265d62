//! Words that are put together from bits of addresses and yet are pointers: what a program copied byte by byte.
//!
//! Building terms recognises most of them (`term/src/build/parts.rs`). Where it does not, for example because the bytes
//! are chosen by conditions that are equal but written differently, the word is tested: replace a base by one address,
//! then by another, and see whether the word moves along. If it does, the word presumably points to that object. The
//! solver proves that for all addresses, or the guess is dropped.

use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Model, Truth};
use mneme_term::{BaseId, Sort, Symbol, SymbolKind, TermId};
use rustc_hash::FxHashMap;

/// Words of more objects than this, or of larger terms, are not tried.
const MAX_BASES: usize = 64;
const MAX_SIZE: u32 = 1 << 14;

impl<M: Model> Worker<'_, M> {
    /// The same word as a choice between pointers and numbers, if it is one.
    pub(super) fn recompose(&mut self, state: &State<M>, word: TermId) -> Option<TermId> {
        let bases = self.terms.bases(word).to_vec();
        let is_tried = self.terms.width(word) == self.pointer_width() && self.terms.depth_or_size(word) <= MAX_SIZE;
        if !is_tried || bases.len() > MAX_BASES {
            return None;
        }
        let mut here: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (n, &base) in bases.iter().enumerate() {
            let address = self.trial_address(base, 2 * n as u64);
            here.insert(self.terms.base(base), address);
        }
        let still = self.terms.substitute_map(word, &here);
        let mut guess = still;
        for (n, &base) in bases.iter().enumerate().rev() {
            let (term, moved) = (self.terms.base(base), self.trial_address(base, 2 * n as u64 + 1));
            let address = here.insert(term, moved).expect("every base has an address");
            let other = self.terms.substitute_map(word, &here);
            here.insert(term, address);
            let (way, distance) = (self.terms.sub(other, still), self.terms.sub(moved, address));
            let follows = self.terms.eq(way, distance);
            if self.terms.is_false(follows) || matches!(self.may(state, follows), Truth::Never) {
                continue;
            }
            let offset = self.terms.sub(still, address);
            let pointer = self.terms.add(term, offset);
            guess = self.terms.ite(follows, pointer, guess);
        }
        let is_right = self.terms.is_pointer(guess) && self.is_same_word(state, guess, word, &bases);
        is_right.then_some(guess)
    }

    /// Are two words equal wherever the objects lie?
    fn is_same_word(&mut self, state: &State<M>, one: TermId, other: TermId, bases: &[BaseId]) -> bool {
        let mut anywhere: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (n, &base) in bases.iter().enumerate() {
            let (bits, zeros) = self.open_bits(base);
            let open = self.terms.symbol_id(Symbol {
                name: format!("some address!{n}!{bits}"),
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(bits),
            });
            let open = self.terms.symbol(open);
            let address = self.terms.zext(open, self.pointer_width());
            let zeros = self.terms.constant(self.pointer_width(), zeros.into());
            anywhere.insert(self.terms.base(base), self.terms.shl(address, zeros));
        }
        let differ = self.terms.ne(one, other);
        let differ = self.terms.substitute_map(differ, &anywhere);
        matches!(self.may(state, differ), Truth::Never)
    }

    /// How many bits of an address are free, and how many zero bits are below them.
    fn open_bits(&mut self, base: BaseId) -> (u32, u32) {
        let term = self.terms.base(base);
        let (zeros, (_, most)) = (self.terms.known_zero_low_bits(term), self.terms.range(term));
        ((most >> zeros).max(1).ilog2() + 1, zeros)
    }

    /// An address that is not a simple function of another one.
    fn trial_address(&mut self, base: BaseId, n: u64) -> TermId {
        let (bits, zeros) = self.open_bits(base);
        let mixed = (n + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(31)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let address = mixed >> (64 - bits) << zeros;
        self.terms.constant(self.pointer_width(), address)
    }
}
