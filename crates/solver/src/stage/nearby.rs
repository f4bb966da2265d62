//! Searches for an assignment near the one that the state carries: it satisfies the assumptions, so that often only the
//! byte that the goal asks about has to change.
//!
//! A local search. Of the clauses that do not hold, the first says which unknown could have which value (`s[i] = 'a'`:
//! that byte, that value), and the change that leaves the fewest clauses false is made; a few such steps, then the
//! query goes on. Of a quantified clause, all instances that do not hold are mended in one step, as the thesis' repair
//! of models does (§6.4.2.3). Only clauses that depend on what has changed are evaluated. Answers `Sat` only.

use std::rc::Rc;

use mneme_term::{Assignment, BaseId, Bits, Evaluator, Op, SymbolId, SymbolKind, TermId, Terms, Tracer};
use smallvec::{SmallVec, smallvec};

use super::Next;
use crate::footprint::{Atom, Footprints};
use crate::ground::Ground;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

/// How many changes are made, and how many are considered for each.
const STEPS: usize = 6;
const CHOICES: usize = 8;
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

/// Reads clauses under an assignment, and with a value for the variable of a quantifier.
struct Reading<'a> {
    terms: &'a Terms,
    values: Evaluator<'a>,
    /// The variable must not change.
    bound: Option<SymbolId>,
}

impl Reading<'_> {
    fn holds(&mut self, t: TermId) -> bool {
        self.values.eval_bool(t)
    }

    /// Changes that may make a clause as wanted. They are not checked.
    fn changes(&mut self, t: TermId, wanted: bool, out: &mut Vec<Change>) {
        if out.len() >= CHOICES {
            return;
        }
        let terms = self.terms;
        let children = terms.children(t);
        match terms.op(t) {
            Op::Not => self.changes(children[0], !wanted, out),
            Op::And | Op::Or if terms.width(t) == 1 => {
                // One that holds is left alone.
                for &child in children {
                    if self.holds(child) != wanted {
                        self.changes(child, wanted, out);
                        if wanted == (terms.op(t) == Op::And) {
                            return;
                        }
                    }
                }
            }
            Op::Ite => {
                let arm = if self.holds(children[0]) { 1 } else { 2 };
                self.changes(children[arm], wanted, out);
            }
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                let (a, b) = (children[0], children[1]);
                let (x, y) = (self.values.eval(a), self.values.eval(b));
                let one = Bits::one(x.width());
                let (above, below) = (Bits::add, Bits::sub);
                let (least, most) = (Bits::zero(x.width()), Bits::ones(x.width()));
                let equal = (y.clone(), x.clone());
                let values = match (terms.op(t), wanted) {
                    (Op::Eq, true) => vec![equal],
                    (Op::Eq, false) => vec![(above(&y, &one), above(&x, &one)), (below(&y, &one), below(&x, &one))],
                    (Op::Ult | Op::Slt, true) => vec![(below(&y, &one), above(&x, &one)), (least, most)],
                    (Op::Ule | Op::Sle, false) => vec![(above(&y, &one), below(&x, &one)), (most, least)],
                    _ => vec![equal, (most, least)],
                };
                for (to_a, to_b) in values {
                    out.extend(self.set(a, to_a));
                    out.extend(self.set(b, to_b));
                }
            }
            Op::Symbol(_) | Op::Select | Op::Extract { .. } => out.extend(self.set(t, Bits::from_bool(wanted))),
            _ => {}
        }
    }

    /// What makes a term have a value, if one unknown alone can do it.
    fn set(&mut self, t: TermId, value: Bits) -> Option<Change> {
        let terms = self.terms;
        let children = terms.children(t);
        match terms.op(t) {
            Op::Symbol(symbol) => {
                let free = self.bound != Some(symbol) && terms.symbol_info(symbol).kind != SymbolKind::Bound;
                free.then(|| smallvec![(Place::Scalar(symbol), value)])
            }
            Op::Select => {
                let Op::Symbol(array) = terms.op(children[0]) else {
                    return None;
                };
                let at = self.values.eval(children[1]).low_u64();
                Some(smallvec![(Place::Element(array, at), value)])
            }
            Op::Ite => {
                let arm = if self.holds(children[0]) { 1 } else { 2 };
                self.set(children[arm], value)
            }
            Op::Not => self.set(children[0], value.not()),
            Op::ZExt => {
                let narrow = value.extract(0, terms.width(children[0]));
                (narrow.zext(value.width()) == value).then(|| self.set(children[0], narrow))?
            }
            Op::SExt => {
                let narrow = value.extract(0, terms.width(children[0]));
                (narrow.sext(value.width()) == value).then(|| self.set(children[0], narrow))?
            }
            Op::Extract { low, .. } => {
                let width = terms.width(children[0]);
                let mask = Bits::ones(value.width()).zext(width).shl_by(low);
                let rest = self.values.eval(children[0]).and(&mask.not());
                self.set(children[0], rest.or(&value.zext(width).shl_by(low)))
            }
            Op::Concat => {
                let mut all = Change::new();
                let mut low = 0;
                for &part in children.iter().rev() {
                    let width = terms.width(part);
                    let wanted = value.extract(low, width);
                    if self.values.eval(part) != wanted {
                        all.extend(self.set(part, wanted)?);
                    }
                    low += width;
                }
                Some(all)
            }
            Op::Add => {
                let sum = self.values.eval(t);
                let missing = value.sub(&sum);
                children.iter().find_map(|&part| {
                    let now = self.values.eval(part);
                    self.set(part, now.add(&missing))
                })
            }
            Op::Mul => {
                let factor = terms.as_bits(children[1])?;
                let quotient = match factor.bit(0) {
                    true => value.mul(&factor.odd_inverse()),
                    false => value.udiv(&factor),
                };
                (quotient.mul(&factor) == value).then(|| self.set(children[0], quotient))?
            }
            _ => None,
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
        let goal = [query.goal];
        let mut broken = self.left(terms, query, &goal, hint, &goal, &Change::new());
        for _ in 0..STEPS {
            let Some(&first) = broken.first() else {
                return Some(current);
            };
            let mut best: Option<(Vec<TermId>, Assignment)> = None;
            for change in changes(terms, query, &current, first) {
                let mut next = current.clone();
                put(&mut next, &change);
                let left = self.left(terms, query, &goal, &next, &broken, &change);
                let fewer = best.as_ref().is_none_or(|(fewest, _)| left.len() < fewest.len());
                if fewer {
                    let done = left.is_empty();
                    best = Some((left, next));
                    if done {
                        break;
                    }
                }
            }
            (broken, current) = best?;
        }
        None
    }

    /// The clauses that do not hold after a change: among those that did not before, and those that depend on it.
    fn left(
        &self,
        terms: &Terms,
        query: &Query,
        goal: &[TermId],
        after: &Assignment,
        broken: &[TermId],
        change: &Change,
    ) -> Vec<TermId> {
        let address = |b: BaseId| query.bases.concrete_address(b);
        let model = after.with_addresses(&address);
        let mut values = Evaluator::new(terms, &model);
        let mut left: Vec<TermId> = Vec::new();
        for &clause in broken.iter().chain(goal).chain(query.assumptions) {
            let concerned = broken.contains(&clause) || {
                let atoms = self.footprints.of(terms, clause);
                change.iter().any(|(place, _)| place.is_in(&atoms))
            };
            if concerned && !left.contains(&clause) && !values.eval_bool(clause) {
                left.push(clause);
            }
        }
        left
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
    let mut reading = Reading {
        terms,
        values,
        bound: Some(bound),
    };
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
    let mut reading = Reading { terms, values, bound };
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
