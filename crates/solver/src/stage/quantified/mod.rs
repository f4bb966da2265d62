//! The solving procedure for quantified queries (thesis §6.4, Algorithm 7).
//!
//! Merging by patterns makes queries of plain clauses and of clauses `for all i < k: ψ`. A generic solver is slow on
//! them, and their form allows better. *Stripping* weakens the query: ψ for the first i only, and what the plain
//! clauses contradict; a goal that reads no array is first tried on the clauses that read none. If that is
//! unsatisfiable, so is the query; if its assignment satisfies the query by chance, that is the answer. Otherwise
//! *duplication* gives all elements that ψ reads the value that the first one has; *instantiation* asks whether
//! instances at the indices of other reads refute the query, and *repair* asks once more, with the instances of the
//! clauses that still fail. Whatever is left goes to the stage below. Answers are checked by evaluation, so none of
//! this can be wrong, only in vain.
//!
//! Sits below the lowering of bases: everything is evaluated without addresses.

mod clauses;
mod instances;

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use mneme_finding::Rows;
use mneme_term::{Assignment, Bits, Evaluator, Sort, SymbolId, TermId, Terms, Tracer};

use rustc_hash::FxHashSet;

use super::Next;
use crate::solver::Tally;
use crate::{Answer, Budget, Patience, Query, Solver, Stage, Unknown};
use clauses::{Clauses, Element, With, reads};
pub use instances::Instances;

/// With more instances than this, a clause is not treated here.
const MOST: u64 = 1 << 12;

/// How many of the last plain clauses are tried first, and how many refuted goals are remembered.
const LAST: usize = 6;
const LEMMAS: usize = 12;

/// A clause that follows from others.
struct Lemma {
    under: FxHashSet<TermId>,
    says: TermId,
}

pub struct Quantified {
    next: Next,
    /// The latest first.
    lemmas: VecDeque<Lemma>,
    /// Set when terms are collected: lemmas name terms that may be gone.
    stale: Cell<bool>,
    /// Answers by the step that found them.
    steps: Rows,
    tally: Tally,
}

impl Quantified {
    pub fn new(next: Next) -> Self {
        Quantified {
            next,
            lemmas: VecDeque::new(),
            stale: Cell::new(false),
            steps: Rows::default(),
            tally: Tally::new("quantified"),
        }
    }

    fn ask(&mut self, terms: &mut Terms, query: &Query, clauses: &[TermId], budget: Budget) -> Answer {
        ask(&mut self.next, &mut self.tally, terms, query, clauses, budget)
    }

    /// *compute-model*, without the fallback.
    fn solve(&mut self, terms: &mut Terms, query: &Query, clauses: &Clauses, budget: Budget) -> Option<Answer> {
        if !terms.has_array(query.goal) && self.is_refuted_without_arrays(terms, query, clauses, budget) {
            return Some(self.found("without arrays, unsat", Answer::Unsat));
        }
        let stripped = strip(terms, clauses);
        let all = clauses.all(terms);
        let found = match self.ask(terms, query, &stripped, budget) {
            Answer::Unsat => return Some(self.found("stripping, unsat", Answer::Unsat)),
            Answer::Unknown(_) => return None,
            Answer::Sat(found) => found,
        };
        if is_satisfied(terms, &all, &found) {
            return Some(self.found("stripping, sat", Answer::Sat(found)));
        }
        if !is_small(terms, clauses, &found) {
            return None;
        }
        let duplicated = duplicate(terms, clauses, &found, &BTreeSet::new());
        if is_satisfied(terms, &all, &duplicated) {
            return Some(self.found("duplication", Answer::Sat(Rc::new(duplicated))));
        }
        let instantiated = clauses.instantiated(terms);
        if self.ask(terms, query, &instantiated, budget).is_unsat() {
            return Some(self.found("instantiation, unsat", Answer::Unsat));
        }
        let (conflicts, repaired) = repair(terms, clauses, &stripped, &duplicated);
        let Answer::Sat(found) = self.ask(terms, query, &repaired, budget) else {
            return None;
        };
        if !is_small(terms, clauses, &found) {
            return None;
        }
        let duplicated = duplicate(terms, clauses, &found, &conflicts);
        is_satisfied(terms, &all, &duplicated).then(|| self.found("repair", Answer::Sat(Rc::new(duplicated))))
    }

    /// Is a goal that reads no array refuted by the clauses that read none? The last few of them, together with what
    /// was refuted earlier on the path, often suffice: a loop asks at every iteration whether it leaves an object.
    fn is_refuted_without_arrays(
        &mut self,
        terms: &mut Terms,
        query: &Query,
        clauses: &Clauses,
        budget: Budget,
    ) -> bool {
        let part = clauses.without_arrays(terms);
        let mut near = vec![query.goal];
        let many = part.plain.len().saturating_sub(LAST);
        for (at, &clause) in part.plain.iter().enumerate() {
            if at >= many || terms.symbols(clause).len() == 1 {
                near.push(clause);
            }
        }
        let known = self.lemmas(query);
        if !known.is_empty() {
            near.extend(known);
            if self.ask(terms, query, &near, budget).is_unsat() {
                return true;
            }
        }
        let part = part.instantiated(terms);
        self.ask(terms, query, &part, budget).is_unsat()
    }

    /// What was shown under some of the assumptions.
    fn lemmas(&mut self, query: &Query) -> Vec<TermId> {
        if self.stale.take() {
            self.lemmas.clear();
        }
        let all: FxHashSet<TermId> = query.assumptions.iter().copied().collect();
        let valid = |lemma: &&Lemma| lemma.under.len() <= all.len() && lemma.under.is_subset(&all);
        self.lemmas.iter().filter(valid).map(|lemma| lemma.says).collect()
    }

    /// Remembers that a goal is refuted.
    fn learn(&mut self, terms: &mut Terms, query: &Query) {
        if !terms.has_array(query.goal) && !terms.has_forall(query.goal) {
            let under = query.assumptions.iter().copied().collect();
            let says = terms.not(query.goal);
            self.lemmas.push_front(Lemma { under, says });
            self.lemmas.truncate(LEMMAS);
        }
    }

    fn found(&mut self, step: &'static str, answer: Answer) -> Answer {
        self.steps.add(step, 1);
        answer
    }
}

/// Asks the stage below about some clauses.
fn ask(
    next: &mut Next,
    tally: &mut Tally,
    terms: &mut Terms,
    query: &Query,
    clauses: &[TermId],
    budget: Budget,
) -> Answer {
    let goal = terms.tru();
    let query = Query {
        assumptions: clauses,
        goal,
        hint: None,
        ..*query
    };
    tally.below();
    let answer = next.check(terms, &query, budget);
    tally.back();
    answer
}

fn is_satisfied(terms: &Terms, clauses: &[TermId], found: &Assignment) -> bool {
    let model = found.with_addresses(&|_| 0);
    let mut values = Evaluator::new(terms, &model);
    clauses.iter().all(|&clause| values.eval_bool(clause))
}

/// Is the number of instances under an assignment manageable?
fn is_small(terms: &Terms, clauses: &Clauses, found: &Assignment) -> bool {
    let model = found.with_addresses(&|_| 0);
    clauses
        .universal
        .iter()
        .all(|u| terms.eval_u64(u.limit, &model) <= MOST)
}

/// The answer without values of symbols that are not in the query.
fn own(terms: &Terms, query: &Query, answer: Answer) -> Answer {
    let Answer::Sat(found) = answer else {
        return answer;
    };
    let mut found = Rc::unwrap_or_clone(found);
    let symbols: BTreeSet<SymbolId> = query
        .clauses()
        .flat_map(|clause| terms.symbols(clause).to_vec())
        .collect();
    found.values.retain(|symbol, _| symbols.contains(symbol));
    found.arrays.retain(|symbol, _| symbols.contains(symbol));
    Answer::Sat(Rc::new(found))
}

/// *strip*: the plain clauses, ψ for the first i if there is one, and `¬(t < k)` where a plain clause is `¬ψ[t/i]`.
fn strip(terms: &mut Terms, clauses: &Clauses) -> Vec<TermId> {
    let mut out = clauses.plain.clone();
    for u in &clauses.universal {
        let first = u.number(terms, 0);
        out.push(u.instance(terms, first));
        for t in u.places(terms, &clauses.plain) {
            let body = u.body_at(terms, t);
            let not = terms.not(body);
            if clauses.plain.contains(&not) {
                let within = u.within(terms, t);
                out.push(terms.not(within));
            }
        }
    }
    out
}

/// *duplicate*: what ψ reads for other i becomes what it reads for the first, except at `conflicts`.
fn duplicate(terms: &Terms, clauses: &Clauses, found: &Assignment, conflicts: &BTreeSet<Element>) -> Assignment {
    let mut with = With {
        terms,
        values: found.clone(),
    };
    for u in &clauses.universal {
        let count = with.number(u.limit);
        let mut arrays = BTreeSet::new();
        for (array, index) in u.reads(terms) {
            // One read of each array.
            if !arrays.insert(array) {
                continue;
            }
            with.bind(u, 0);
            let Sort::Array { element, .. } = terms.symbol_info(array).sort else {
                continue;
            };
            let at = with.number(index);
            let value = with.values.arrays.entry(array).or_default().element(at, element);
            for n in 1..count {
                with.bind(u, n);
                let at = with.number(index);
                if !conflicts.contains(&(array, at)) {
                    let array = with.values.arrays.entry(array).or_default();
                    array.entries.insert(at, value.clone());
                }
            }
        }
        with.values.values.remove(&u.bound);
    }
    with.values
}

/// *repair*, without asking: the elements in conflict, and the strengthened query.
fn repair(
    terms: &mut Terms,
    clauses: &Clauses,
    stripped: &[TermId],
    found: &Assignment,
) -> (BTreeSet<Element>, Vec<TermId>) {
    let mut conflicts = BTreeSet::new();
    let mut with = With {
        terms,
        values: found.clone(),
    };
    for u in &clauses.universal {
        let own = u.reads(with.terms);
        for n in 0..with.number(u.limit) {
            with.bind(u, n);
            if !with.holds(u.body) {
                conflicts.extend(with.cells(&own).collect::<Vec<_>>());
            }
        }
    }
    for &clause in &clauses.plain {
        if !with.holds(clause) {
            conflicts.extend(with.cells(&reads(with.terms, clause)).collect::<Vec<_>>());
        }
    }
    let mut instances = Vec::new();
    for u in &clauses.universal {
        let own = u.reads(with.terms);
        for n in 0..with.number(u.limit) {
            with.bind(u, n);
            let hit = with.cells(&own).any(|cell| conflicts.contains(&cell));
            if hit {
                instances.push((*u, n));
            }
        }
    }
    let arrays = clauses.arrays(with.terms);
    let mut fixed = Vec::new();
    for &clause in &clauses.plain {
        for &symbol in with.terms.symbols(clause) {
            if let Sort::Bits(_) = with.terms.symbol_info(symbol).sort {
                fixed.push(symbol);
            }
        }
    }
    fixed.extend(
        clauses
            .universal
            .iter()
            .flat_map(|u| with.terms.symbols(u.limit).to_vec()),
    );
    fixed.sort_unstable();
    fixed.dedup();
    let scalars: Vec<_> = { fixed.iter() }
        .filter_map(|&symbol| match with.terms.symbol_info(symbol).sort {
            Sort::Bits(width) => {
                let value = found.values.get(&symbol).cloned();
                Some((symbol, value.unwrap_or(Bits::zero(width))))
            }
            Sort::Array { .. } => None,
        })
        .collect();
    let mut others = Vec::new();
    for &clause in &clauses.plain {
        for (array, index) in reads(with.terms, clause) {
            if !arrays.contains(&array) {
                others.push((array, index, with.number(index)));
            }
        }
    }
    let mut out = stripped.to_vec();
    for (u, n) in instances {
        let n = u.number(terms, n);
        out.push(u.body_at(terms, n));
    }
    for (symbol, value) in scalars {
        let (symbol, value) = (terms.symbol(symbol), terms.constant_bits(&value));
        out.push(terms.eq(symbol, value));
    }
    for (array, index, at) in others {
        let Sort::Array { element, .. } = terms.symbol_info(array).sort else {
            continue;
        };
        let value = found.arrays.get(&array).map(|array| array.element(at, element));
        let value = terms.constant_bits(&value.unwrap_or(Bits::zero(element)));
        let array = terms.symbol(array);
        let read = terms.select(array, index);
        out.push(terms.eq(read, value));
    }
    (conflicts, out)
}

impl Solver for Quantified {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        if !query.clauses().any(|clause| terms.has_forall(clause)) {
            return self.next.check(terms, query, budget);
        }
        self.tally.enter();
        if let Some(clauses) = Clauses::of(terms, query.clauses())
            && let Some(answer) = self.solve(terms, query, &clauses, budget)
        {
            if answer.is_unsat() {
                self.learn(terms, query);
            }
            return self.tally.answer(own(terms, query, answer));
        }
        if budget.patience != Patience::Full {
            // What is left takes long: an instance of it, or Z3.
            return self.tally.answer(Answer::Unknown(Unknown::Postponed));
        }
        self.tally.below();
        self.next.check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.stale.set(true);
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(Stage {
            details: self.steps.clone(),
            ..self.tally.row()
        });
        self.next.stats(out);
    }
}

#[cfg(test)]
mod tests;
