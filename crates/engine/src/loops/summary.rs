//! All iterations of a loop, and how it is left, from one of them.

use super::PATIENCE;
use super::first::{Affine, COUNT, First, stays_in_range};
use super::iteration::{Access, Carried, Exit, Home, Iteration, Plan, Why};
use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::Error;
use crate::seeds;
use crate::state::{Rounds, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Fault, Many, Memory, Progression, Truth};
use mneme_program::{FunctionId, Scalar};
use mneme_term::{
    Assignment, BaseId, Bits, Op, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Value, sign_extend, truncate,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Duration;

/// A quantified condition with at most this many instances is written out.
const WRITTEN_OUT: u64 = 256;
/// Searches over no more places are executed: a path for each costs less than all that follows costs with the place left open.
const FEW_PLACES: u64 = 64;
/// Searches that may go farther are executed: who evaluates a quantified condition counts.
const FARTHEST: u64 = 1 << 12;
/// Nodes of all instances of a search's condition.
const LARGEST_SEARCH: u64 = 1 << 13;
/// How long the solver may think about one way out of a search with a quantified condition.
const PROBE: Duration = Duration::from_millis(500);
/// How much of the address space of 64-bit pointers the blocks that one loop allocates may take.
const ROOM_FOR_BLOCKS: u64 = 1 << 44;
/// How often an iteration is executed to find the variables in memory that it changes.
const ROUNDS: usize = 4;

/// What the loop does for all inputs.
pub struct Summary<M> {
    /// The inputs that it speaks of.
    valid: TermId,
    ways: Vec<Way<M>>,
    /// How often the body is executed completely.
    counts: Vec<TermId>,
    visited: Vec<u32>,
    /// The last instruction of the header.
    header_end: u32,
    /// A counter that has no closed form: its symbol and what defines it.
    counter: Option<Counter>,
}

struct Counter {
    symbol: SymbolId,
    /// Of at most so many.
    limit: TermId,
    /// The search goes on in iteration τ.
    goes_on: TermId,
    tau: SymbolId,
    definition: TermId,
}

/// One way to leave.
struct Way<M> {
    guard: TermId,
    memory: Option<M>,
    slots: Vec<Value>,
    pc: u32,
    error: Option<Error>,
}

/// How a carried variable depends on the number of iterations.
enum Course {
    /// The value before, plus this times their number.
    Steps(TermId),
    /// As the last iteration computed it, whatever it was before.
    Anew(Value),
}

/// A store whose place moves.
struct Moving {
    /// Its place among the accesses.
    at: usize,
    base: BaseId,
    offset: Affine,
    ty: Scalar,
    value: TermId,
}

/// What the loop does to memory beside variables.
struct Effects {
    stores: Vec<Moving>,
    /// How many blocks an allocation makes at most.
    blocks: u64,
}

/// Where an access goes.
struct Place {
    kind: AccessKind,
    ty: Scalar,
    base: BaseId,
    /// In iteration τ, if that is regular.
    offset: Option<Affine>,
}

/// The number of an iteration.
fn tau(terms: &mut Terms) -> SymbolId {
    terms.symbol_id(Symbol {
        name: "tau".into(),
        kind: SymbolKind::Bound,
        sort: Sort::Bits(COUNT),
    })
}

/// Extensions of values that must not wrap around.
type Extended = Vec<(Affine, bool)>;

/// The terms of an iteration as functions of its number.
struct Courses<'a> {
    carried: &'a [Carried],
    courses: Vec<Course>,
}

impl Courses<'_> {
    /// What each change is in iteration `count`.
    fn at(&self, terms: &mut Terms, count: TermId) -> FxHashMap<TermId, TermId> {
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

    /// The same for values after `count` iterations, those that are computed anew included.
    fn after(&self, terms: &mut Terms, count: TermId) -> FxHashMap<TermId, TermId> {
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

impl<M: Memory> Worker<'_, M> {
    pub(super) fn summarise(&mut self, state: &State<M>, plan: &Plan) -> Result<Summary<M>, Why> {
        let iteration = self.iterate_with_cells(state, plan)?;
        let changes: Vec<SymbolId> = iteration.carried.iter().map(|variable| variable.change).collect();
        let courses = self.courses(&iteration, &changes)?;
        let courses = Courses {
            carried: &iteration.carried,
            courses,
        };
        let tau = tau(&mut self.terms);
        let variable = self.terms.symbol(tau);
        let now = courses.at(&mut self.terms, variable);
        let mut extended = Extended::new();

        // When each way out is taken.
        let mut limit = First::never(&mut self.terms);
        let mut leavings = Vec::new();
        for exit in &iteration.exits {
            let guard = self.regular(exit.guard, &now, &changes, tau, &mut extended);
            let leaving = Leaving::of(&mut self.terms, guard, tau);
            limit = limit.earlier(&mut self.terms, leaving.first);
            leavings.push(leaving);
        }
        let stores = self.moving_stores(&iteration, &now, &changes, tau, &mut extended)?;
        let places = match stores.is_empty() {
            true => Vec::new(),
            false => self.places(&iteration, &now, &changes, tau, &mut extended)?,
        };
        let mut valid = self.terms.and(limit.valid, limit.exists);
        for &(value, signed) in &extended {
            let stays = stays_in_range(&mut self.terms, value, signed, limit.index);
            valid = self.terms.and(valid, stays);
        }
        let blocks = self.most_blocks(state, &iteration, &changes, &mut valid, limit.index)?;
        if matches!(self.may(state, valid), Truth::Never | Truth::Unknown(_)) {
            return Err("it may never end");
        }
        self.check_independence(state, &places, &stores, valid, limit.index, tau)?;

        let counter = self.counter(state, &leavings, valid, limit, tau)?;
        let mut summary = Summary {
            valid,
            ways: Vec::new(),
            counts: Vec::new(),
            visited: iteration.visited.clone(),
            header_end: plan.header.end - 1,
            counter,
        };
        let effects = Effects { stores, blocks };
        for index in 0..leavings.len() {
            let (guard, count) = self.way_out(&leavings, index, summary.counter.as_ref(), tau);
            let guard = self.terms.and(guard, valid);
            if self.terms.is_false(guard) {
                continue;
            }
            let way = self.way(state, plan, &iteration, &courses, &effects, index, guard, count)?;
            summary.ways.push(way);
            summary.counts.push(count);
        }
        if !self.is_decidable(state, &summary) {
            return Err("a search that is too hard for the solver");
        }
        Ok(summary)
    }

    /// An iteration in which all places in memory with a fixed address that it writes are left open, too.
    fn iterate_with_cells(&mut self, state: &State<M>, plan: &Plan) -> Result<Iteration, Why> {
        let mut cells: Vec<(Value, Scalar)> = Vec::new();
        for _ in 0..ROUNDS {
            let iteration = self.iterate(state, plan, &cells)?;
            let known = cells.len();
            for access in iteration
                .accesses
                .iter()
                .filter(|access| access.kind == AccessKind::Write)
            {
                let cell = (access.place, access.ty);
                if matches!(access.place, Value::Ptr { .. }) && !cells.contains(&cell) {
                    if cells.iter().any(|other| overlap(*other, cell)) {
                        return Err("it stores in one place with several types");
                    }
                    cells.push(cell);
                }
            }
            if cells.len() == known {
                return Ok(iteration);
            }
        }
        Err("it stores in ever more places")
    }

    fn mentions_any(&self, term: TermId, symbols: &[SymbolId]) -> bool {
        let all = self.terms.symbols(term);
        symbols.iter().any(|symbol| all.contains(symbol))
    }

    fn value_mentions(&self, value: Value, symbols: &[SymbolId]) -> bool {
        matches!(value, Value::Term(term) if self.mentions_any(term, symbols))
    }

    /// How the carried variables change.
    fn courses(&mut self, iteration: &Iteration, changes: &[SymbolId]) -> Result<Vec<Course>, Why> {
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
        // What is computed anew must not be read before.
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

    /// A term of the body as a function of τ. Extensions of values that change regularly are taken to change regularly, too: who uses
    /// the result makes sure that those in `extended` do.
    fn regular(
        &mut self,
        term: TermId,
        now: &FxHashMap<TermId, TermId>,
        changes: &[SymbolId],
        tau: SymbolId,
        extended: &mut Extended,
    ) -> TermId {
        self.terms.substitute(term, &mut |terms, part| {
            if let Some(&course) = now.get(&part) {
                return Some(course);
            }
            let signed = match terms.op(part) {
                Op::SExt => true,
                Op::ZExt => false,
                _ => return None,
            };
            if !terms.symbols(part).iter().any(|symbol| changes.contains(symbol)) {
                return None;
            }
            let (inner, wide) = (terms.children(part)[0], terms.width(part));
            let inner = terms.substitute_map(inner, now);
            let value = Affine::of(terms, inner, tau)?;
            let width = terms.width(inner);
            if value.step == 0 || wide > COUNT {
                return None;
            }
            if !extended
                .iter()
                .any(|(other, how)| other.start == value.start && other.step == value.step && *how == signed)
            {
                extended.push((value, signed));
            }
            let start = match signed {
                true => terms.sext(value.start, wide),
                false => terms.zext(value.start, wide),
            };
            let step = truncate(sign_extend(value.step, width) as u64, wide);
            let variable = terms.symbol(tau);
            Some(Affine { start, step }.at(terms, variable))
        })
    }

    /// The stores whose place changes.
    fn moving_stores(
        &mut self,
        iteration: &Iteration,
        now: &FxHashMap<TermId, TermId>,
        changes: &[SymbolId],
        tau: SymbolId,
        extended: &mut Extended,
    ) -> Result<Vec<Moving>, Why> {
        let mut stores = Vec::new();
        for (at, access) in iteration.accesses.iter().enumerate() {
            let (AccessKind::Write, Value::Term(place), Some(value)) = (access.kind, access.place, access.value) else {
                continue;
            };
            let place = self.regular(place, now, changes, tau, extended);
            let (base, offset) = self
                .terms
                .split_pointer(place)
                .ok_or("a store through a symbolic pointer")?;
            let offset = self.terms.flatten_members(offset);
            let offset = Affine::of(&mut self.terms, offset, tau).ok_or("a store at irregular places")?;
            let width = self.pointer_width();
            let bytes = access.ty.bytes();
            if sign_extend(offset.step, width).unsigned_abs() < bytes.into() {
                return Err("stores that overlap");
            }
            if value == Value::Undef {
                return Err("it stores what has no value");
            }
            let value = self.term(value, access.ty.width());
            let value = self.terms.zext(value, 8 * bytes);
            let value = self.terms.substitute_map(value, now);
            stores.push(Moving {
                at,
                base,
                offset,
                ty: access.ty,
                value,
            });
        }
        if !stores.is_empty() && !M::PROGRESSIONS {
            return Err("stores that the memory model does not make at once");
        }
        Ok(stores)
    }

    /// Where the accesses of the body go.
    fn places(
        &mut self,
        iteration: &Iteration,
        now: &FxHashMap<TermId, TermId>,
        changes: &[SymbolId],
        tau: SymbolId,
        extended: &mut Extended,
    ) -> Result<Vec<Place>, Why> {
        let mut places = Vec::new();
        for access in &iteration.accesses {
            let place = match access.place {
                Value::Term(place) => self.regular(place, now, changes, tau, extended),
                place => self.term(place, self.program.target.pointer_width),
            };
            let (base, offset) = self
                .terms
                .split_pointer(place)
                .ok_or("a load through a symbolic pointer beside stores")?;
            let offset = self.terms.flatten_members(offset);
            places.push(Place {
                kind: access.kind,
                ty: access.ty,
                base,
                offset: Affine::of(&mut self.terms, offset, tau),
            });
        }
        Ok(places)
    }

    /// No iteration reads what another one has stored at a moving place, and the order of iterations does not matter for what is stored.
    fn check_independence(
        &mut self,
        state: &State<M>,
        places: &[Place],
        stores: &[Moving],
        valid: TermId,
        limit: TermId,
        tau: SymbolId,
    ) -> Result<(), Why> {
        for (at, access) in places.iter().enumerate() {
            for store in stores.iter().filter(|store| store.base == access.base) {
                let offset = access.offset.ok_or("a load at irregular places beside stores")?;
                let moves = offset.step != 0;
                // Of two stores the later one in the body wins, in each iteration and in all: only what an earlier one does in a
                // later iteration matters.
                let matters = access.kind == AccessKind::Read || !moves || at < store.at;
                if matters && self.may_meet(state, (offset, access.ty), (store, moves), valid, limit, tau) {
                    return Err("iterations that depend on each other");
                }
            }
        }
        Ok(())
    }

    /// Can an access touch what a store of an earlier iteration wrote (of any, if the access itself is a store that does not move)?
    fn may_meet(
        &mut self,
        state: &State<M>,
        (place, ty): (Affine, Scalar),
        (store, moves): (&Moving, bool),
        valid: TermId,
        limit: TermId,
        tau: SymbolId,
    ) -> bool {
        let width = self.pointer_width();
        let (read, written) = (u64::from(ty.bytes()), u64::from(store.ty.bytes()));
        let terms = &mut self.terms;
        let gap = terms.sub(place.start, store.offset.start);
        // Both lie inside the object whenever they are made, so that distances are those of integers.
        if moves
            && place.step == store.offset.step
            && let Some(gap) = terms.as_const(gap)
        {
            let (gap, step) = (sign_extend(gap, width) as i128, sign_extend(place.step, width) as i128);
            let apart = match step > 0 {
                true => gap + step >= written.into(),
                false => gap + step <= -i128::from(read),
            };
            if apart {
                return false;
            }
        }
        let other = terms.symbol_id(Symbol {
            name: "tau!earlier".into(),
            kind: SymbolKind::Bound,
            sort: Sort::Bits(COUNT),
        });
        let (later, earlier) = (terms.symbol(tau), terms.symbol(other));
        let (a, b) = (place.at(terms, later), store.offset.at(terms, earlier));
        let (forth, back) = (terms.sub(a, b), terms.sub(b, a));
        let (read, written) = (terms.constant(width, read), terms.constant(width, written));
        let (inside, around) = (terms.ult(forth, written), terms.ult(back, read));
        let meets = terms.or(inside, around);
        let order = match moves {
            true => terms.ult(earlier, later),
            false => terms.ule(earlier, limit),
        };
        let reached = terms.ule(later, limit);
        let mut goal = terms.and(meets, order);
        goal = terms.and(goal, reached);
        goal = terms.and(goal, valid);
        !matches!(self.may(state, goal), Truth::Never)
    }

    /// A counter for the ways out that have no closed form.
    fn counter(
        &mut self,
        state: &State<M>,
        leavings: &[Leaving],
        valid: TermId,
        limit: First,
        tau: SymbolId,
    ) -> Result<Option<Counter>, Why> {
        let searched: Vec<TermId> = leavings.iter().filter_map(|leaving| leaving.goes_on).collect();
        if searched.is_empty() {
            return Ok(None);
        }
        let most = self
            .most(state, leavings, valid, limit.index)
            .ok_or("a search without a small bound")?;
        if most <= FEW_PLACES {
            return Err("a search over few places");
        }
        let terms = &mut self.terms;
        let goes_on = searched.into_iter().fold(terms.tru(), |all, one| terms.and(all, one));
        if u64::from(terms.depth_or_size(goes_on)).saturating_mul(most) > LARGEST_SEARCH {
            return Err("a search that is too hard for the solver");
        }
        let symbol = terms.symbol_id(Symbol {
            name: format!("iterations!{}", state.summaries),
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(COUNT),
        });
        let count = terms.symbol(symbol);
        let within = terms.ule(count, limit.index);
        let before = match most {
            most if most <= WRITTEN_OUT => {
                let mut all = terms.tru();
                for index in 0..most {
                    let index = terms.constant(COUNT, index);
                    let here = put(terms, goes_on, tau, index);
                    let counted = terms.ult(index, count);
                    let holds = terms.implies(counted, here);
                    all = terms.and(all, holds);
                }
                all
            }
            _ => terms.forall(tau, count, goes_on),
        };
        let ends = terms.eq(count, limit.index);
        let here = put(terms, goes_on, tau, count);
        let found = terms.not(here);
        let stops = terms.or(ends, found);
        let mut definition = terms.and(within, before);
        definition = terms.and(definition, stops);
        Ok(Some(Counter {
            symbol,
            limit: limit.index,
            goes_on,
            tau,
            definition: terms.implies(valid, definition),
        }))
    }

    /// A bound of the number of iterations for the sake of what they allocate. Where there are more than the address space has room for,
    /// the summary says nothing.
    fn most_blocks(
        &mut self,
        state: &State<M>,
        iteration: &Iteration,
        changes: &[SymbolId],
        valid: &mut TermId,
        limit: TermId,
    ) -> Result<u64, Why> {
        let Some(shift) = iteration.blocks.iter().map(|blocks| blocks.shift).max() else {
            return Ok(0);
        };
        if iteration
            .blocks
            .iter()
            .any(|blocks| self.value_mentions(blocks.what.size, changes))
        {
            return Err("it allocates blocks of different sizes");
        }
        let room = match self.pointer_width() {
            64 => ROOM_FOR_BLOCKS,
            _ => ROOM_FOR_BLOCKS >> 16,
        };
        let most = room >> shift;
        let steps = [1 << 6, 1 << 10, 1 << 20].map(|step: u64| step.min(most));
        Ok(match self.at_most(state, *valid, limit, &steps) {
            Some(bound) => bound,
            None => {
                let bound = self.terms.constant(COUNT, most);
                let within = self.terms.ule(limit, bound);
                *valid = self.terms.and(*valid, within);
                most
            }
        })
    }

    /// How many iterations there are at most, if that is not many.
    fn most(&mut self, state: &State<M>, leavings: &[Leaving], valid: TermId, limit: TermId) -> Option<u64> {
        let sure = leavings
            .iter()
            .filter(|leaving| self.terms.is_true(leaving.first.exists))
            .map(|leaving| self.terms.range(leaving.first.index).1)
            .min();
        if sure.is_some_and(|most| most <= WRITTEN_OUT) {
            return sure;
        }
        let steps = [FEW_PLACES, WRITTEN_OUT, FARTHEST];
        self.at_most(state, valid, limit, &steps)
    }

    /// The first of some numbers that the number of iterations cannot exceed.
    fn at_most(&mut self, state: &State<M>, valid: TermId, limit: TermId, steps: &[u64]) -> Option<u64> {
        steps.iter().copied().find(|&most| {
            let most = self.terms.constant(COUNT, most);
            let more = self.terms.ult(most, limit);
            let more = self.terms.and(valid, more);
            matches!(self.may(state, more), Truth::Never)
        })
    }

    /// Whether the solver can tell which ways out there are, in a short time: a quantified condition may be too much for it.
    fn is_decidable(&mut self, state: &State<M>, summary: &Summary<M>) -> bool {
        let Some(counter) = summary
            .counter
            .as_ref()
            .filter(|counter| self.terms.has_forall(counter.definition))
        else {
            return true;
        };
        let mut defined = state.clone();
        let assignment = self.with_count(state, counter, state.path.assignment());
        defined.path.assume(&mut self.terms, counter.definition, assignment);
        summary
            .ways
            .iter()
            .all(|way| !matches!(self.may_within(&defined, way.guard, PROBE), Truth::Unknown(_)))
    }

    /// When a way out is taken before all others, and after how many iterations.
    fn way_out(
        &mut self,
        leavings: &[Leaving],
        index: usize,
        counter: Option<&Counter>,
        tau: SymbolId,
    ) -> (TermId, TermId) {
        let terms = &mut self.terms;
        let this = leavings[index].first;
        if let Some(counter) = counter {
            let count = terms.symbol(counter.symbol);
            let taken = |terms: &mut Terms, leaving: &Leaving| {
                let same = terms.eq(leaving.first.index, count);
                let ends = terms.and(leaving.first.exists, same);
                match leaving.goes_on {
                    Some(goes_on) => {
                        let here = put(terms, goes_on, tau, count);
                        let found = terms.not(here);
                        terms.or(ends, found)
                    }
                    None => ends,
                }
            };
            let mut guard = taken(terms, &leavings[index]);
            for earlier in &leavings[..index] {
                let other = taken(terms, earlier);
                let not = terms.not(other);
                guard = terms.and(guard, not);
            }
            return (guard, count);
        }
        let mut guard = this.exists;
        for (other, leaving) in leavings.iter().enumerate() {
            // Of two in the same iteration the body comes to the first one first.
            let beaten = match other {
                _ if other == index => continue,
                _ if other < index => {
                    let later = terms.ult(this.index, leaving.first.index);
                    let not = terms.not(later);
                    terms.and(leaving.first.exists, not)
                }
                _ => {
                    let earlier = terms.ult(leaving.first.index, this.index);
                    terms.and(leaving.first.exists, earlier)
                }
            };
            let first = terms.not(beaten);
            guard = terms.and(guard, first);
        }
        (guard, this.index)
    }

    /// What the state is where it leaves the loop after `count` iterations.
    #[expect(clippy::too_many_arguments, reason = "all of it is one iteration")]
    fn way(
        &mut self,
        state: &State<M>,
        plan: &Plan,
        iteration: &Iteration,
        courses: &Courses,
        effects: &Effects,
        index: usize,
        guard: TermId,
        count: TermId,
    ) -> Result<Way<M>, Why> {
        let exit: &Exit = &iteration.exits[index];
        let after = courses.after(&mut self.terms, count);
        let mut slots = exit.slots.clone();
        for slot in &mut slots {
            *slot = self.put_all(*slot, &after);
        }
        let mut next = state.clone();
        self.name_undefined(&mut next, plan, courses, &mut slots, count);
        self.allocate_all(&mut next, iteration, effects, index, count)?;
        if iteration.accesses.iter().any(|access| access.kind == AccessKind::Write) {
            for store in &effects.stores {
                self.store_all(&mut next, store, count, store.at < exit.accesses);
            }
            for variable in &iteration.carried {
                let Home::Cell { place, ty } = variable.home else {
                    continue;
                };
                let mut value = {
                    let (before, change) = (
                        self.term(variable.before, variable.width),
                        self.terms.symbol(variable.change),
                    );
                    Value::Term(self.terms.add(before, change))
                };
                let made = iteration.accesses[..exit.accesses].iter().rev();
                if let Some(Access { value: Some(last), .. }) =
                    { made }.find(|access| access.kind == AccessKind::Write && access.place == place)
                {
                    value = *last;
                }
                let value = self.put_all(value, &after);
                self.poke(&mut next, place, ty, value)?;
            }
        }
        let error = exit.error.clone().map(|error| match error {
            Error::Memory(fault) => Error::Memory(Fault {
                offset: self.terms.substitute_map(fault.offset, &after),
                len: fault.len.map(|len| self.terms.substitute_map(len, &after)),
                ..fault
            }),
            error => error,
        });
        Ok(Way {
            guard,
            memory: Some(next.memory),
            slots,
            pc: exit.pc,
            error,
        })
    }

    /// What the loop has allocated.
    fn allocate_all(
        &mut self,
        state: &mut State<M>,
        iteration: &Iteration,
        effects: &Effects,
        index: usize,
        count: TermId,
    ) -> Result<(), Why> {
        let width = self.pointer_width();
        let (count, one) = (self.terms.resize_zext(count, width), self.terms.constant(width, 1));
        let more = self.terms.add(count, one);
        for blocks in &iteration.blocks {
            let many = Many {
                count: if blocks.exits <= index { more } else { count },
                most: effects.blocks + 1,
            };
            let (memory, base) = self.with_memory(state, |mut memory, cx| {
                let base = memory.alloc_many(cx, blocks.what, many);
                (memory, base)
            });
            state.memory = memory;
            if base != Some(blocks.base) {
                return Err("there is no room for what it allocates");
            }
        }
        Ok(())
    }

    fn put_all(&mut self, value: Value, map: &FxHashMap<TermId, TermId>) -> Value {
        match value {
            Value::Term(term) => {
                let term = self.terms.substitute_map(term, map);
                self.terms.to_value(term)
            }
            value => value,
        }
    }

    /// Variables that had no value before the loop have one only if an iteration was made.
    fn name_undefined(
        &mut self,
        state: &mut State<M>,
        plan: &Plan,
        courses: &Courses,
        slots: &mut [Value],
        count: TermId,
    ) {
        debug_assert!(plan.slots.len() <= courses.carried.len());
        let (zero, one) = (self.terms.constant(COUNT, 0), self.terms.constant(COUNT, 1));
        let none = self.terms.eq(count, zero);
        let last = self.terms.sub(count, one);
        let before_last = courses.at(&mut self.terms, last);
        for (variable, course) in courses.carried.iter().zip(&courses.courses) {
            let (Home::Slot(slot), Course::Anew(value), Value::Undef) = (variable.home, course, variable.before) else {
                continue;
            };
            if slots[slot as usize] != Value::Undef || self.terms.is_true(none) {
                continue;
            }
            let value = self.put_all(*value, &before_last);
            let value = self.term(value, variable.width);
            let name = format!("uninit!loop!{slot}!{}", state.summaries);
            let unwritten = self.fresh_undefined(state, name, variable.width);
            let unwritten = self.term(unwritten, variable.width);
            let either = self.terms.ite(none, unwritten, value);
            slots[slot as usize] = self.terms.to_value(either);
        }
    }

    /// What a store wrote in all iterations.
    fn store_all(&mut self, state: &mut State<M>, store: &Moving, count: TermId, once_more: bool) {
        let width = self.pointer_width();
        let tau = tau(&mut self.terms);
        let mut count = self.terms.resize_zext(count, width);
        if once_more {
            let one = self.terms.constant(width, 1);
            count = self.terms.add(count, one);
        }
        let mut what = Progression {
            start: store.offset.start,
            stride: store.offset.step,
            bytes: store.ty.bytes(),
            count,
            index: tau,
            value: store.value,
        };
        let step = sign_extend(store.offset.step, width);
        if step < 0 {
            // The same from its lowest place on.
            let one = self.terms.constant(width, 1);
            let last = self.terms.sub(count, one);
            what.start = store.offset.at(&mut self.terms, last);
            what.stride = step.unsigned_abs();
            let (last, variable) = (self.terms.resize_zext(last, COUNT), self.terms.symbol(tau));
            let mirrored = self.terms.sub(last, variable);
            what.value = put(&mut self.terms, store.value, tau, mirrored);
        }
        let memory = self.with_memory(state, |mut memory, cx| {
            memory.progress(cx, store.base, &what);
            memory
        });
        state.memory = memory;
    }

    /// Goes all ways out of a loop.
    pub(super) fn leave(&mut self, state: &mut State<M>, key: (FunctionId, u32), summary: Summary<M>) -> Flow {
        let header_end = summary.header_end;
        if let Some(counter) = &summary.counter {
            let assignment = self.with_count(state, counter, state.path.assignment());
            state.path.assume(&mut self.terms, counter.definition, assignment);
            let counted = |values: &Assignment| self.with_count(state, counter, values);
            state.seeds = seeds::extended(&state.seeds, counted);
        }
        state.summaries += 1;
        let Summary {
            valid,
            ways,
            counts,
            visited,
            ..
        } = summary;
        let mut outcomes: Outcomes<M, usize> = Outcomes::new();
        let mut ways = ways;
        for (index, way) in ways.iter_mut().enumerate() {
            outcomes.push(Outcome {
                guard: way.guard,
                memory: way.memory.take(),
                end: match way.error.take() {
                    Some(error) => Ending::Fail(index, error),
                    None => Ending::Go(index),
                },
            });
        }
        let beyond = self.terms.not(valid);
        if !self.terms.is_false(beyond) {
            outcomes.push(Outcome {
                guard: beyond,
                memory: Some(state.memory.clone()),
                end: Ending::Go(usize::MAX),
            });
        }
        let flow = self.commit(state, outcomes, |state, index| match ways.get(index) {
            Some(way) => {
                let rounds = Rounds {
                    steps: state.steps,
                    function: key.0,
                    pc: header_end,
                    count: counts[index],
                };
                Rc::make_mut(&mut state.rounds).push(rounds);
                let frame = state.frame_mut();
                frame.slots.clone_from(&way.slots);
                frame.pc = way.pc;
            }
            None => _ = Rc::make_mut(&mut state.tried).insert(key, PATIENCE),
        });
        self.mark(state, flow);
        self.cover(state, flow, &counts, &visited);
        flow
    }

    /// The body is covered if some way out comes after an iteration.
    fn cover(&mut self, state: &State<M>, flow: Flow, counts: &[TermId], visited: &[u32]) {
        let first = self.program.function(match state.frames.last() {
            Some(frame) => frame.function,
            None => return,
        });
        let first = first.first_inst;
        let states = (flow != Flow::End).then_some(state).into_iter().chain(&self.spawned);
        let entered = states
            .into_iter()
            .any(|state| counts.iter().any(|&count| !self.evaluate(state, count).is_zero()));
        if entered {
            visited.iter().for_each(|pc| _ = self.coverage.reach(first + pc));
        }
    }

    /// Values of inputs with that of a counter, which they determine.
    fn with_count(&self, state: &State<M>, counter: &Counter, values: &Assignment) -> Rc<Assignment> {
        let bases = state.memory.bases();
        let address = |b| bases.concrete_address(b);
        let mut values = values.clone();
        let limit = self.terms.eval_u64(counter.limit, &values.with_addresses(&address));
        // Beyond what the summary speaks of, any number will do.
        let limit = limit.min(FARTHEST);
        let mut goes_on = |count: &u64| {
            values.values.insert(counter.tau, Bits::new(COUNT, *count));
            self.terms.eval_bool(counter.goes_on, &values.with_addresses(&address))
        };
        let count = (0..limit).find(|count| !goes_on(count)).unwrap_or(limit);
        values.values.remove(&counter.tau);
        values.values.insert(counter.symbol, Bits::new(COUNT, count));
        Rc::new(values)
    }
}

/// `t` with `count` for the number of the iteration.
fn put(terms: &mut Terms, t: TermId, tau: SymbolId, count: TermId) -> TermId {
    let variable = terms.symbol(tau);
    terms.substitute(t, &mut |_, part| (part == variable).then_some(count))
}

fn overlap((a, a_ty): (Value, Scalar), (b, b_ty): (Value, Scalar)) -> bool {
    match (a, b) {
        (Value::Ptr { base: x, offset: i }, Value::Ptr { base: y, offset: j }) => {
            x == y && i < j.saturating_add(b_ty.bytes().into()) && j < i.saturating_add(a_ty.bytes().into())
        }
        _ => true,
    }
}

/// When a way out is taken, by itself.
struct Leaving {
    /// By the parts of its condition that have a closed form.
    first: First,
    /// The other parts do not leave in iteration τ.
    goes_on: Option<TermId>,
}

impl Leaving {
    fn of(terms: &mut Terms, guard: TermId, tau: SymbolId) -> Leaving {
        let mut leaving = Leaving {
            first: First::never(terms),
            goes_on: None,
        };
        for part in disjuncts(terms, guard) {
            match First::of(terms, part, tau) {
                Some(first) => leaving.first = leaving.first.earlier(terms, first),
                None => {
                    let not = terms.not(part);
                    leaving.goes_on = Some(match leaving.goes_on {
                        Some(others) => terms.and(others, not),
                        None => not,
                    });
                }
            }
        }
        leaving
    }
}

fn disjuncts(terms: &mut Terms, guard: TermId) -> Vec<TermId> {
    match (terms.op(guard), terms.children(guard).to_vec()) {
        (Op::Or, parts) => parts,
        (Op::Not, inner) if terms.op(inner[0]) == Op::And => {
            let parts = terms.children(inner[0]).to_vec();
            parts.into_iter().map(|part| terms.not(part)).collect()
        }
        _ => vec![guard],
    }
}
