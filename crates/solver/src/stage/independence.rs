//! Constraint independence: only the assumptions that share an unknown with the goal, directly or through others, are
//! asked.
//!
//! Needs a hint: the rest of the path condition is satisfied by the hint, which supplies the unknowns that the answer
//! does not mention. Without one, everything is asked. Below this stage queries have no hint.
//!
//! Bases are constants under a flat layout and connect nothing. Where a layout has something to choose, everything is
//! asked.

use std::cell::Cell;
use std::rc::Rc;

use mneme_term::{Assignment, Bits, Sort, SymbolId, TermId, Terms, Tracer};
use rustc_hash::FxHashMap;

use super::Next;
use crate::footprint::{Atom, Footprints};
use crate::ground::{Ground, satisfies};
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage, Unknown};

pub struct Independence {
    next: Next,
    footprints: Footprints,
    keys: Keys,
    connections: FxHashMap<TermId, Rc<Connection>>,
    /// Set when terms are collected: `connections` names clauses that may be gone.
    stale: Cell<bool>,
    tally: Tally,
}

/// Dense numbers for atoms, so that a set of them is a bitmap. Atoms name symbols, which are never collected.
#[derive(Default)]
struct Keys {
    numbers: FxHashMap<Key, u32>,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Key {
    Atom(Atom),
    /// Some part of the symbol.
    Parts(SymbolId),
}

fn symbol(atom: Atom) -> SymbolId {
    let (Atom::Part(symbol, _) | Atom::Whole(symbol)) = atom;
    symbol
}

/// How a clause is connected with others: it is connected if one of `reached_by` is in the set, and then adds `reaches`
/// to it. A part of a symbol is reached by that part or by the whole symbol, the whole symbol by itself or by any part.
struct Connection {
    reached_by: Box<[u32]>,
    reaches: Box<[u32]>,
}

impl Keys {
    fn number(&mut self, key: Key) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }

    fn connection(&mut self, atoms: &[Atom]) -> Connection {
        let mut reached_by = Vec::with_capacity(atoms.len());
        let mut reaches = Vec::with_capacity(atoms.len());
        for &atom in atoms {
            let own = self.number(Key::Atom(atom));
            reached_by.push(own);
            reaches.push(own);
            match atom {
                Atom::Part(symbol, _) => {
                    reached_by.push(self.number(Key::Atom(Atom::Whole(symbol))));
                    reaches.push(self.number(Key::Parts(symbol)));
                }
                Atom::Whole(symbol) => {
                    let parts = self.number(Key::Parts(symbol));
                    reached_by.push(parts);
                    reaches.push(parts);
                }
            }
        }
        Connection {
            reached_by: reached_by.into(),
            reaches: reaches.into(),
        }
    }
}

/// A set of keys that grows.
#[derive(Default)]
struct Reach {
    words: Vec<u64>,
}

impl Reach {
    fn insert(&mut self, key: u32) {
        let word = key as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (key % 64);
    }

    fn contains(&self, key: u32) -> bool {
        self.words
            .get(key as usize / 64)
            .is_some_and(|word| word >> (key % 64) & 1 == 1)
    }
}

impl Independence {
    const BOUND: usize = 1 << 17;

    pub fn new(next: Next) -> Self {
        Independence {
            next,
            footprints: Footprints::default(),
            keys: Keys::default(),
            connections: FxHashMap::default(),
            stale: Cell::new(false),
            tally: Tally::new("independence"),
        }
    }

    fn connection(&mut self, terms: &Terms, t: TermId) -> Rc<Connection> {
        if let Some(known) = self.connections.get(&t) {
            return known.clone();
        }
        let connection = Rc::new(self.keys.connection(&self.footprints.of(terms, t)));
        self.connections.insert(t, connection.clone());
        connection
    }

    /// The assumptions that the goal depends on, in order. Sweeps back and forth, so a chain of clauses in either
    /// direction is found in one sweep.
    fn slice(&mut self, terms: &Terms, query: &Query) -> Vec<TermId> {
        if self.stale.take() || self.connections.len() > Self::BOUND {
            self.connections.clear();
        }
        let mut reach = Reach::default();
        for &key in self.connection(terms, query.goal).reaches.iter() {
            reach.insert(key);
        }
        let mut open: Vec<(usize, Rc<Connection>)> = Vec::with_capacity(query.assumptions.len());
        for (at, &clause) in query.assumptions.iter().enumerate() {
            open.push((at, self.connection(terms, clause)));
        }
        let mut taken = vec![false; query.assumptions.len()];
        loop {
            let before = open.len();
            open.reverse();
            open.retain(|(at, connection)| {
                let connected = connection.reached_by.iter().any(|&key| reach.contains(key));
                if connected {
                    taken[*at] = true;
                    connection.reaches.iter().for_each(|&key| reach.insert(key));
                }
                !connected
            });
            if open.len() == before || open.is_empty() {
                break;
            }
        }
        query
            .assumptions
            .iter()
            .zip(taken)
            .filter_map(|(&clause, taken)| taken.then_some(clause))
            .collect()
    }

    /// The hint, updated with the answer's values for the unknowns of the slice.
    fn merge(
        &self,
        terms: &Terms,
        hint: &Assignment,
        answer: &Assignment,
        clauses: impl Iterator<Item = TermId>,
    ) -> Assignment {
        let mut merged = hint.clone();
        for clause in clauses {
            for &atom in self.footprints.of(terms, clause).iter() {
                match (atom, terms.symbol_info(symbol(atom)).sort) {
                    (Atom::Whole(s), Sort::Bits(_)) => match answer.values.get(&s) {
                        Some(value) => _ = merged.values.insert(s, value.clone()),
                        None => _ = merged.values.remove(&s),
                    },
                    (Atom::Whole(s), Sort::Array { .. }) => match answer.arrays.get(&s) {
                        Some(value) => _ = merged.arrays.insert(s, value.clone()),
                        None => _ = merged.arrays.remove(&s),
                    },
                    (Atom::Part(s, byte), Sort::Bits(width)) => {
                        let found = answer.values.get(&s);
                        let byte_of = |value: &Bits| value.extract(8 * byte as u32, 8).low_u64() as u8;
                        let value = merged.values.entry(s).or_insert_with(|| Bits::zero(width));
                        *value = value.with_byte(byte as u32, found.map_or(0, byte_of));
                    }
                    // If the answer lacks the array, the element is 0; the hint's array may have another default.
                    (Atom::Part(s, index), Sort::Array { element, .. }) => {
                        let found = answer.arrays.get(&s);
                        let value = found.map_or_else(|| Bits::zero(element), |array| array.element(index, element));
                        merged.arrays.entry(s).or_default().entries.insert(index, value);
                    }
                }
            }
        }
        merged
    }
}

impl Solver for Independence {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let Some(hint) = query.hint else {
            self.tally.below();
            return self.next.check(terms, query, budget);
        };
        let free = !Ground::of(terms, query.clauses(), query.bases).is_flat(terms);
        let slice = if free {
            query.assumptions.to_vec()
        } else {
            self.slice(terms, query)
        };
        let sliced = Query {
            assumptions: &slice,
            hint: None,
            ..*query
        };
        self.tally.below();
        let answer = self.next.check(terms, &sliced, budget);
        self.tally.back();
        let Answer::Sat(found) = answer else {
            return self.tally.hand_up(answer);
        };
        let mut merged = self.merge(terms, hint, &found, sliced.clauses());
        if free {
            // The symbols of addresses are in no clause.
            merged
                .values
                .extend(found.values.iter().map(|(&s, value)| (s, value.clone())));
        }
        if !satisfies(terms, sliced.clauses(), query.bases, &merged) {
            tracing::error!("an assignment from the solver chain does not satisfy its query");
            return self.tally.hand_up(Answer::Unknown(Unknown::Failed));
        }
        self.tally.hand_up(Answer::Sat(Rc::new(merged)))
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.stale.set(true);
        self.footprints.forget();
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
