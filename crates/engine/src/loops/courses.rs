//! How the variables of a loop depend on the number τ of the iteration.

use super::first::{Affine, COUNT};
use super::iteration::{Carried, Iteration, Why};
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_term::{Op, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Value, sign_extend, truncate};
use rustc_hash::FxHashMap;

/// How a carried variable depends on the number of iterations.
pub(super) enum Course {
    /// The value before, plus this times their number.
    Steps(TermId),
    /// As the last iteration computed it, independent of its value before.
    Anew(Value),
}

/// The number of an iteration.
pub(super) fn tau(terms: &mut Terms) -> SymbolId {
    terms.symbol_id(Symbol {
        name: "tau".into(),
        kind: SymbolKind::Bound,
        sort: Sort::Bits(COUNT),
    })
}

/// The extension of a value that must not wrap around as long as it is used.
pub(super) struct Extension {
    pub value: Affine,
    pub signed: bool,
    /// How many exits come before it.
    pub exits: usize,
}

/// Turns a term of the body into a function of τ.
pub(super) struct Turn {
    /// The value of each change in iteration τ.
    pub now: FxHashMap<TermId, TermId>,
    pub changes: Vec<SymbolId>,
    pub tau: SymbolId,
    pub extended: Vec<Extension>,
    /// How many exits come before what is being examined.
    pub exits: usize,
}

impl Turn {
    /// Records an extension that is used.
    fn extend(&mut self, value: Affine, signed: bool) {
        let same = |other: &&mut Extension| {
            other.value.start == value.start && other.value.step == value.step && other.signed == signed
        };
        match self.extended.iter_mut().find(same) {
            Some(extension) => extension.exits = extension.exits.min(self.exits),
            None => self.extended.push(Extension {
                value,
                signed,
                exits: self.exits,
            }),
        }
    }

    /// A term of the body as a function of τ. Extensions of values that change regularly are assumed to change
    /// regularly, too: the caller has to make sure that those in `extended` do.
    fn regular(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        terms.substitute(term, &mut |terms, part| {
            if let Some(&course) = self.now.get(&part) {
                return Some(course);
            }
            let signed = match terms.op(part) {
                Op::SExt => true,
                Op::ZExt => false,
                _ => return None,
            };
            if !terms.symbols(part).iter().any(|symbol| self.changes.contains(symbol)) {
                return None;
            }
            let (inner, wide) = (terms.children(part)[0], terms.width(part));
            let inner = self.regular(terms, inner);
            let value = Affine::of(terms, inner, self.tau)?;
            let width = terms.width(inner);
            if value.step == 0 || wide > COUNT {
                return None;
            }
            self.extend(value, signed);
            let start = match signed {
                true => terms.sext(value.start, wide),
                false => terms.zext(value.start, wide),
            };
            let step = truncate(sign_extend(value.step, width) as u64, wide);
            let variable = terms.symbol(self.tau);
            Some(Affine { start, step }.at(terms, variable))
        })
    }
}

/// The terms of an iteration as functions of its number.
pub(super) struct Courses<'a> {
    pub carried: &'a [Carried],
    pub courses: Vec<Course>,
}

impl Courses<'_> {
    /// The value of each change in iteration `count`.
    pub(super) fn at(&self, terms: &mut Terms, count: TermId) -> FxHashMap<TermId, TermId> {
        let mut map = FxHashMap::default();
        for (variable, course) in self.carried.iter().zip(&self.courses) {
            if let Course::Steps(step) = *course {
                let change = terms.symbol(variable.change);
                let count = terms.resize_zext(count, variable.width);
                let way = terms.mul(count, step);
                map.insert(change, way);
            }
        }
        map
    }

    /// The same for values after `count` iterations, including those that are computed anew.
    pub(super) fn after(&self, terms: &mut Terms, count: TermId) -> FxHashMap<TermId, TermId> {
        let mut map = self.at(terms, count);
        let (zero, one) = (terms.constant(COUNT, 0), terms.constant(COUNT, 1));
        let last = terms.sub(count, one);
        let before_last = self.at(terms, last);
        let none = terms.eq(count, zero);
        for (variable, course) in self.carried.iter().zip(&self.courses) {
            if let (Course::Anew(value), false) = (course, variable.before == Value::Undef) {
                let value = terms.of_value(*value, variable.width);
                let value = terms.substitute_map(value, &before_last);
                let before = terms.of_value(variable.before, variable.width);
                let change = terms.symbol(variable.change);
                let open = terms.add(before, change);
                let now = terms.ite(none, before, value);
                let changed = terms.sub(now, before);
                map.insert(open, now);
                map.insert(change, changed);
            }
        }
        map
    }
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn mentions_any(&self, term: TermId, symbols: &[SymbolId]) -> bool {
        let all = self.terms.symbols(term);
        symbols.iter().any(|symbol| all.contains(symbol))
    }

    pub(super) fn value_mentions(&self, value: Value, symbols: &[SymbolId]) -> bool {
        matches!(value, Value::Term(term) if self.mentions_any(term, symbols))
    }

    /// How the carried variables change.
    pub(super) fn courses(&mut self, iteration: &Iteration, changes: &[SymbolId]) -> Result<Vec<Course>, Why> {
        let mut courses = Vec::new();
        let mut anew = Vec::new();
        for variable in &iteration.carried {
            if variable.after == Value::Undef {
                return Err("a variable whose scope ends in it");
            }
            let mut course = Course::Anew(variable.after);
            if variable.before != Value::Undef {
                let before = self.term(variable.before, variable.width);
                let after = self.term(variable.after, variable.width);
                let change = self.terms.symbol(variable.change);
                let open = self.terms.add(before, change);
                let step = self.terms.sub(after, open);
                if !self.mentions_any(step, changes) {
                    course = Course::Steps(step);
                }
            }
            if matches!(course, Course::Anew(_)) {
                anew.push(variable.change);
            }
            courses.push(course);
        }
        // A value that is computed anew must not be read before.
        let computed = courses.iter().filter_map(|course| match course {
            Course::Anew(value) => Some(*value),
            Course::Steps(_) => None,
        });
        let accessed = iteration
            .accesses
            .iter()
            .flat_map(|access| [access.place, access.value.unwrap_or(Value::ZERO)]);
        let reads = computed.chain(accessed).any(|value| self.value_mentions(value, &anew))
            || iteration.exits.iter().any(|exit| self.mentions_any(exit.guard, &anew));
        if reads {
            return Err("a variable that changes irregularly");
        }
        Ok(courses)
    }

    /// See [`Turn::regular`].
    pub(super) fn regular(&mut self, term: TermId, turn: &mut Turn) -> TermId {
        turn.regular(&mut self.terms, term)
    }

    pub(super) fn put_all(&mut self, value: Value, map: &FxHashMap<TermId, TermId>) -> Value {
        match value {
            Value::Term(term) => {
                let term = self.terms.substitute_map(term, map);
                self.terms.to_value(term)
            }
            value => value,
        }
    }
}

/// `t` with `count` for the number of the iteration.
pub(super) fn put(terms: &mut Terms, t: TermId, tau: SymbolId, count: TermId) -> TermId {
    let variable = terms.symbol(tau);
    terms.substitute(t, &mut |_, part| (part == variable).then_some(count))
}
