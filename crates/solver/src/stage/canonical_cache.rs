//! One answer for all queries with the same canonical form; assignments are mapped back through the renaming, and
//! checked by evaluation.
//!
//! This is the address-aware cache of the thesis (§4.3): a form leaves out addresses that do not matter. Queries whose
//! bases have no constant addresses are not cached.

use std::rc::Rc;

use mneme_finding::Rows;
use mneme_term::{ArrayValue, Assignment, Bits, Sort, SymbolId, Terms, Tracer};
use rustc_hash::FxHashMap;

use super::Next;
use super::canonical::{Bases, Cache, Canonizer};
use super::kept::Kept;
use crate::ground::{Addresses, Ground};
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct CanonicalCache {
    next: Next,
    canonizer: Canonizer,
    /// Two generations: what was not asked for while one filled up is forgotten with the other.
    young: FxHashMap<u128, Entry>,
    old: FxHashMap<u128, Entry>,
    /// Answers of other runs.
    kept: Option<Kept>,
    counts: Counts,
    tally: Tally,
}

#[derive(Clone)]
struct Entry {
    verdict: Verdict,
    bases: Bases,
}

#[derive(Clone)]
pub(super) enum Verdict {
    Unsat,
    /// Values by the number of their symbol; what is missing is 0.
    Sat(Rc<[(u32, Value)]>),
}

/// The classes of Table 4.2 (*asked* is C1), and hits by kind.
#[derive(Default)]
struct Counts {
    /// C2: the answer does not depend on addresses.
    agnostic: u64,
    /// C3: of these, the queries that mention addresses.
    agnostic_with_bases: u64,
    hits_without_bases: u64,
    hits_same_addresses: u64,
    hits_other_addresses: u64,
    hits_address_in_key: u64,
    hits_of_other_runs: u64,
}

impl Counts {
    fn asked(&mut self, bases: Bases) {
        self.agnostic += u64::from(bases != Bases::Pinned);
        self.agnostic_with_bases += u64::from(matches!(bases, Bases::Renamed(_)));
    }

    fn hit(&mut self, now: Bases, before: Bases) {
        *match now {
            Bases::None => &mut self.hits_without_bases,
            Bases::Pinned => &mut self.hits_address_in_key,
            Bases::Renamed(_) if now == before => &mut self.hits_same_addresses,
            Bases::Renamed(_) => &mut self.hits_other_addresses,
        } += 1;
    }

    fn details(&self) -> Rows {
        Rows::from([
            ("address-agnostic", self.agnostic),
            ("address-agnostic with bases", self.agnostic_with_bases),
            ("hits without bases", self.hits_without_bases),
            ("hits at the same addresses", self.hits_same_addresses),
            ("hits at other addresses", self.hits_other_addresses),
            ("hits with an address in the key", self.hits_address_in_key),
            ("hits of other runs", self.hits_of_other_runs),
        ])
    }
}

pub(super) enum Value {
    Bits(Bits),
    Array(ArrayValue),
}

impl CanonicalCache {
    const GENERATION: usize = 1 << 15;

    pub fn new(next: Next, kind: Cache) -> Self {
        CanonicalCache {
            next,
            canonizer: Canonizer::new(kind),
            kept: None,
            counts: Counts::default(),
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            tally: Tally::new("canonical cache"),
        }
    }

    /// The same with answers that outlive the run.
    pub fn keeping(next: Next, kind: Cache, kept: Kept) -> Self {
        let mut cache = CanonicalCache::new(next, kind);
        cache.canonizer.keep_forms = true;
        cache.kept = Some(kept);
        cache
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

/// `None` if the values do not fit the symbols, which can happen with those of a file.
fn unpack(terms: &Terms, symbols: &[SymbolId], packed: &[(u32, Value)]) -> Option<Assignment> {
    let mut found = Assignment::default();
    for (number, value) in packed {
        let &s = symbols.get(*number as usize)?;
        match (value, terms.symbol_info(s).sort) {
            (Value::Bits(bits), Sort::Bits(width)) if bits.width() == width => {
                found.values.insert(s, bits.clone());
            }
            (Value::Array(array), Sort::Array { element, .. })
                if array
                    .entries
                    .values()
                    .chain(&array.default)
                    .all(|bits| bits.width() == element) =>
            {
                found.arrays.insert(s, array.clone());
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The answer to a query, given the verdict on its form; `None` if the assignment does not satisfy the query, which
/// would reveal a collision of digests. For `Unsat` nothing reveals one, hence the 128 bits.
fn revive(
    terms: &Terms,
    query: &Query,
    addresses: &Addresses,
    symbols: &[SymbolId],
    verdict: &Verdict,
) -> Option<Answer> {
    let Verdict::Sat(packed) = verdict else {
        return Some(Answer::Unsat);
    };
    let found = unpack(terms, symbols, packed)?;
    let holds = addresses.satisfied(terms, query.clauses(), &found);
    holds.then(|| Answer::Sat(Rc::new(found)))
}

impl Solver for CanonicalCache {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let Some(addresses) = Ground::of(terms, query.clauses(), query.bases).flat(terms) else {
            self.tally.below();
            return self.next.check(terms, query, budget);
        };
        let form = self
            .canonizer
            .canonical(terms, query.clauses(), &addresses, query.bases);
        self.counts.asked(form.bases);
        if let Some(entry) = self.find(form.key)
            && let Some(answer) = revive(terms, query, &addresses, &form.symbols, &entry.verdict)
        {
            self.counts.hit(form.bases, entry.bases);
            return self.tally.answer(answer);
        }
        let bases = form.bases;
        if let (Some(kept), Some(text)) = (&self.kept, &form.form)
            && let Some(verdict) = kept.find(form.key, text)
            && let Some(answer) = revive(terms, query, &addresses, &form.symbols, &verdict)
        {
            self.counts.hits_of_other_runs += 1;
            self.insert(form.key, Entry { verdict, bases });
            return self.tally.answer(answer);
        }
        self.tally.below();
        let answer = self.next.check(terms, query, budget);
        let verdict = match &answer {
            Answer::Sat(found) => Verdict::Sat(pack(&form.symbols, found)),
            Answer::Unsat => Verdict::Unsat,
            Answer::Unknown(_) => return answer,
        };
        if let (Some(kept), Some(text)) = (&mut self.kept, form.form) {
            kept.add(form.key, text, verdict.clone());
        }
        self.insert(form.key, Entry { verdict, bases });
        answer
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.canonizer.terms_are_collected();
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(Stage {
            details: self.counts.details(),
            ..self.tally.row()
        });
        self.next.stats(out);
    }
}
