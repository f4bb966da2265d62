//! One answer for all queries with one canonical form; assignments are carried back through the renaming.
//!
//! Bases are not renamed: a form contains their addresses. Queries whose bases have no constant addresses are not kept.

use std::rc::Rc;

use mneme_term::{ArrayValue, Assignment, Bits, SymbolId, Terms, Tracer};
use rustc_hash::FxHashMap;

use super::Next;
use super::canonical::Canonizer;
use crate::ground::Ground;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, StageStats};

pub struct CanonicalCache {
    next: Next,
    canonizer: Canonizer,
    /// Two generations: what was not asked for while one filled up is forgotten with the other.
    young: FxHashMap<u128, Entry>,
    old: FxHashMap<u128, Entry>,
    tally: Tally,
}

#[derive(Clone)]
enum Entry {
    Unsat,
    /// Values by the number of their symbol; what is missing is 0.
    Sat(Rc<[(u32, Value)]>),
}

enum Value {
    Bits(Bits),
    Array(ArrayValue),
}

impl CanonicalCache {
    const GENERATION: usize = 1 << 15;

    pub fn new(next: Next) -> Self {
        CanonicalCache {
            next,
            canonizer: Canonizer::default(),
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            tally: Tally::new("canonical cache"),
        }
    }

    fn find(&mut self, key: u128) -> Option<Entry> {
        if let Some(entry) = self.young.get(&key) {
            return Some(entry.clone());
        }
        let entry = self.old.remove(&key)?;
        self.insert(key, entry.clone());
        Some(entry)
    }

    fn insert(&mut self, key: u128, entry: Entry) {
        if self.young.len() >= Self::GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, entry);
    }
}

fn pack(symbols: &[SymbolId], found: &Assignment) -> Rc<[(u32, Value)]> {
    let value = |s: &SymbolId| {
        let bits = found.values.get(s).map(|bits| Value::Bits(bits.clone()));
        bits.or_else(|| found.arrays.get(s).map(|array| Value::Array(array.clone())))
    };
    symbols
        .iter()
        .zip(0..)
        .filter_map(|(s, number)| Some((number, value(s)?)))
        .collect()
}

fn unpack(symbols: &[SymbolId], packed: &[(u32, Value)]) -> Assignment {
    let mut found = Assignment::default();
    for (number, value) in packed {
        let s = symbols[*number as usize];
        match value {
            Value::Bits(bits) => _ = found.values.insert(s, bits.clone()),
            Value::Array(array) => _ = found.arrays.insert(s, array.clone()),
        }
    }
    found
}

impl Solver for CanonicalCache {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let Some(addresses) = Ground::of(terms, query.clauses(), query.bases).flat(terms) else {
            self.tally.below();
            return self.next.check(terms, query, budget);
        };
        let form = self.canonizer.canonical(terms, query.clauses(), &addresses);
        match self.find(form.key) {
            Some(Entry::Unsat) => return self.tally.answer(Answer::Unsat),
            Some(Entry::Sat(packed)) => {
                let found = unpack(&form.symbols, &packed);
                // A collision of digests would show here. For `Unsat` nothing shows it, hence the 128 bits.
                if addresses.satisfied(terms, query.clauses(), &found) {
                    return self.tally.answer(Answer::Sat(Rc::new(found)));
                }
            }
            None => {}
        }
        self.tally.below();
        let answer = self.next.check(terms, query, budget);
        match &answer {
            Answer::Sat(found) => self.insert(form.key, Entry::Sat(pack(&form.symbols, found))),
            Answer::Unsat => self.insert(form.key, Entry::Unsat),
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.canonizer.terms_are_collected();
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<StageStats>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
