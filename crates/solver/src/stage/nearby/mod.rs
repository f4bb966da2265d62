//! Searches for an assignment near the one that the state carries: it satisfies the assumptions, so that often only the
//! byte that the goal asks about has to change.
//!
//! A local search. Of the clauses that do not hold, the first says which unknown could have which value (`s[i] = 'a'`:
//! that byte, that value), and the change that leaves the fewest clauses false is made; a few such steps, then the
//! query goes on. If a clause could be mended in many ways, those after the first few count only if they leave nothing
//! false: among a hundred places that could hold a value, there is often one that nothing else needs, and searching for
//! it is what a SAT solver is bad at (pigeons and holes). Of a quantified clause, all instances that do not hold are
//! mended in one step, as the thesis' repair of models does (§6.4.2.3).
//!
//! Only clauses that depend on what has changed are evaluated. A disjunction depends on one part that holds, as long as
//! that part does not change (the watched literals of SAT solvers). Answers `Sat` only.

mod reading;
mod supports;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use mneme_term::{Assignment, BaseId, Bits, Evaluator, Op, SymbolId, TermId, Terms, Tracer};
use smallvec::SmallVec;

use super::Next;
use crate::footprint::{Atom, Footprints};
use crate::ground::Ground;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};
use reading::Reading;
use supports::Supports;

/// How many changes are made, and how many are considered for each.
const STEPS: usize = 6;
const CHOICES: usize = 8;
/// How many more are considered, altogether, if they leave nothing false.
const LAST_CHOICES: usize = 1 << 10;
/// A quantified clause with more instances than this is not mended.
const INSTANCES: u64 = 1 << 12;

pub struct Nearby {
    next: Next,
    footprints: Footprints,
    tally: Tally,
}

/// New values of some unknowns, together.
type Change = SmallVec<[(Place, Bits); 1]>;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    Scalar(SymbolId),
    Element(SymbolId, u64),
}

impl Place {
    /// Whether a clause with these atoms may depend on it.
    fn is_in(self, atoms: &[Atom]) -> bool {
        let (Place::Scalar(symbol) | Place::Element(symbol, _)) = self;
        let part = |at: u64| atoms.binary_search(&Atom::Part(symbol, at)).is_ok();
        let some_part = || {
            atoms
                .iter()
                .any(|atom| matches!(atom, Atom::Part(other, _) if *other == symbol))
        };
        atoms.binary_search(&Atom::Whole(symbol)).is_ok()
            || match self {
                Place::Scalar(_) => some_part(),
                Place::Element(_, at) => part(at),
            }
    }
}

fn put(assignment: &mut Assignment, change: &Change) {
    for (place, value) in change {
        match *place {
            Place::Scalar(symbol) => _ = assignment.values.insert(symbol, value.clone()),
            Place::Element(symbol, at) => {
                let array = assignment.arrays.entry(symbol).or_default();
                array.entries.insert(at, value.clone());
            }
        }
    }
}

impl Nearby {
    pub fn new(next: Next) -> Self {
        Nearby {
            next,
            footprints: Footprints::default(),
            tally: Tally::new("nearby assignments"),
        }
    }

    fn find(&self, terms: &Terms, query: &Query, hint: &Rc<Assignment>) -> Option<Assignment> {
        let mut current = Assignment::clone(hint);
        let mut broken = vec![query.goal];
        let mut supports = Supports::new(&self.footprints, terms, query);
        let mut more = LAST_CHOICES;
        for _ in 0..STEPS {
            let Some(&first) = broken.first() else {
                return Some(current);
            };
            let mut best: Option<(Vec<TermId>, Assignment, Change)> = None;
            for (number, change) in changes(terms, query, &current, first).into_iter().enumerate() {
                let enough = match &best {
                    _ if number >= CHOICES => 1,
                    Some((fewest, ..)) => fewest.len(),
                    None => usize::MAX,
                };
                if number >= CHOICES {
                    match more.checked_sub(1) {
                        Some(left) => more = left,
                        None => break,
                    }
                }
                let mut next = current.clone();
                put(&mut next, &change);
                let Some(left) = supports.left(&current, &next, &broken, &change, enough) else {
                    continue;
                };
                let done = left.is_empty();
                best = Some((left, next, change));
                if done {
                    break;
                }
            }
            let change;
            (broken, current, change) = best?;
            supports.forget(&change);
        }
        None
    }
}

/// What could make a clause true that does not hold.
fn changes(terms: &Terms, query: &Query, current: &Assignment, clause: TermId) -> Vec<Change> {
    let address = |b: BaseId| query.bases.concrete_address(b);
    let mut out = Vec::new();
    let Op::Forall(bound) = terms.op(clause) else {
        return changes_of_instance(terms, current, &address, None, clause);
    };
    let &[limit, body] = terms.children(clause) else {
        return out;
    };
    let number = terms.eval_u64(limit, &current.with_addresses(&address));
    let mut instance = current.clone();
    let mut mended = Change::new();
    for index in 0..number.min(INSTANCES) {
        instance.values.insert(bound, Bits::new(terms.width(limit), index));
        let found = changes_of_instance(terms, &instance, &address, Some(bound), body);
        if let Some(change) = found.into_iter().next() {
            put(&mut instance, &change);
            mended.extend(change);
        }
    }
    out.push(mended);
    // Or fewer instances.
    let model = current.with_addresses(&address);
    let values = Evaluator::new(terms, &model);
    let mut reading = Reading::new(clause, terms, values, Some(bound));
    let fewer = Bits::zero(terms.width(limit));
    out.extend(reading.set(limit, fewer));
    out
}

fn changes_of_instance(
    terms: &Terms,
    current: &Assignment,
    address: &dyn Fn(BaseId) -> u64,
    bound: Option<SymbolId>,
    clause: TermId,
) -> Vec<Change> {
    let model = current.with_addresses(address);
    let values = Evaluator::new(terms, &model);
    let mut reading = Reading::new(clause, terms, values, bound);
    let mut out = Vec::new();
    if !reading.holds(clause) {
        reading.changes(clause, true, &mut out);
    }
    out
}

impl Solver for Nearby {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if let Some(hint) = query.hint
            && Ground::of(terms, query.clauses(), query.bases).is_flat(terms)
            && let Some(found) = self.find(terms, query, hint)
        {
            return self.tally.answer(Answer::Sat(Rc::new(found)));
        }
        self.tally.below();
        self.next.check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.footprints.forget();
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
