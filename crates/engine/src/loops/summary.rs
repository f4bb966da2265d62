//! From one iteration of a loop: all of them, and how it is left.

use super::MAX_ATTEMPTS;
use super::courses::{Course, Courses, Turn, tau};
use super::effects::{Effects, Reach};
use super::first::{COUNT, First, stays_in_range};
use super::iteration::{Access, Care, Cell, Exit, Home, Iteration, Plan, Why};
use super::leaving::Leaving;
use super::search::{Counter, FEW_PLACES};
use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::Error;
use crate::state::{Rounds, State, Witness};
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Fault, Heap, Model, Truth};
use mneme_program::{FunctionId, Inst, Slot};
use mneme_term::{Assignment, Origin, SymbolId, TermId, Tracer, Value};
use std::rc::Rc;

/// How often an iteration is executed to find the variables in memory that it changes.
const ROUNDS: usize = 4;

/// What the loop does for all inputs.
pub struct Summary<M: Model> {
    /// The inputs that it applies to.
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

/// An iteration as a function of its number.
struct Bounds {
    courses: Vec<Course>,
    turn: Turn,
    leavings: Vec<Leaving>,
    /// The first exit that has a closed form.
    limit: First,
    /// The inputs for which all this holds.
    valid: TermId,
    /// What holds in iteration τ, as a statement about how the variables have changed.
    known: TermId,
}

/// How a path continues after a loop.
pub struct Departure {
    slots: Vec<Value>,
    pc: u32,
    rounds: Rounds,
}

impl Departure {
    pub fn trace(&self, tracer: &mut Tracer) {
        self.slots.iter().for_each(|&value| tracer.value(value));
        tracer.term(self.rounds.count);
    }
}

/// One exit.
struct Way<M: Model> {
    guard: TermId,
    memory: Option<Heap<M>>,
    slots: Vec<Value>,
    pc: u32,
    error: Option<Error>,
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn summarise(&mut self, state: &State<M>, plan: &Plan) -> Result<Summary<M>, Why> {
        if self.is_short_search(state, plan) {
            return Err("a search over few places");
        }
        let always = self.terms.tru();
        let mut iteration = self.iterate_with_cells(state, plan, always, Care::Full)?;
        let mut bounds = self.bounds(&iteration)?;
        let errors = iteration.exits.iter().zip(&bounds.leavings);
        let searches = { errors }.any(|(exit, leaving)| exit.error.is_some() && leaving.goes_on.is_some());
        if iteration.doubtful || searches {
            // Once more, with what the number of the iteration implies.
            let known = bounds.known;
            let (valid, limit) = (bounds.valid, bounds.limit.index);
            if [valid, limit].iter().any(|&t| self.terms.has_uninit(t)) {
                return Err("what it does depends on values that were never set");
            }
            iteration = self.iterate_with_cells(state, plan, known, Care::Full)?;
            bounds = self.bounds(&iteration)?;
            let within = self.terms.ule(bounds.limit.index, limit);
            bounds.valid = self.terms.and(bounds.valid, within);
            bounds.valid = self.terms.and(bounds.valid, valid);
        }
        if iteration.doubtful {
            return Err("what it does depends on values that were never set");
        }
        let Bounds {
            courses,
            mut turn,
            leavings,
            limit,
            mut valid,
            ..
        } = bounds;
        let courses = Courses {
            carried: &iteration.carried,
            courses,
        };
        let tau = turn.tau;
        let stores = self.moving_stores(&iteration, &mut turn)?;
        let places = match stores.is_empty() {
            true => Vec::new(),
            false => self.places(&iteration, &mut turn)?,
        };
        let releases = self.releases(&iteration, &mut turn)?;
        let reached = match releases.is_empty() {
            true => Vec::new(),
            false => self.reached(&iteration, &mut turn),
        };
        let stay = self.extensions_stay(&turn, &leavings, limit.index);
        valid = self.terms.and(valid, stay);
        let blocks = self.most_blocks(state, &iteration, &turn.changes, &mut valid, limit.index)?;
        if matches!(self.may(state, valid), Truth::Never | Truth::Unknown(_)) {
            return Err("it may never end");
        }
        let reach = Reach {
            exits: &iteration.exits,
            leavings: &leavings,
            valid,
            limit: limit.index,
            tau,
        };
        self.check_independence(state, &places, &stores, &reach)?;
        self.check_releases(state, &reached, &releases, valid, limit.index, tau)?;

        let counter = self.counter(state, &leavings, valid, limit, tau)?;
        let mut summary = Summary {
            valid,
            ways: Vec::new(),
            counts: Vec::new(),
            visited: iteration.visited.clone(),
            header_end: plan.header.end - 1,
            counter,
        };
        let effects = Effects {
            stores,
            blocks,
            releases,
        };
        for index in 0..leavings.len() {
            let (guard, count) = self.way_out(&leavings, index, summary.counter.as_ref(), tau);
            let guard = self.terms.and(guard, valid);
            // An exit that is never taken may lead to a state where nothing can be stored.
            if self.terms.is_false(guard) || matches!(self.may(state, guard), Truth::Never) {
                continue;
            }
            let way = self.way(state, plan, &iteration, &courses, &effects, index, guard, count)?;
            summary.ways.push(way);
            summary.counts.push(count);
        }
        let guards: Vec<TermId> = summary.ways.iter().map(|way| way.guard).collect();
        if !self.is_decidable(state, summary.counter.as_ref(), &guards) {
            return Err("a search that is too hard for the solver");
        }
        Ok(summary)
    }

    /// Is it a search over few places, which is executed? That is visible without asking what is feasible in an
    /// iteration: where an exit is infeasible, another one was taken before, and the loop ends no later.
    fn is_short_search(&mut self, state: &State<M>, plan: &Plan) -> bool {
        let always = self.terms.tru();
        let rough = self.iterate_with_cells(state, plan, always, Care::Rough);
        let Ok((iteration, bounds)) =
            rough.and_then(|iteration| self.bounds(&iteration).map(|bounds| (iteration, bounds)))
        else {
            return false;
        };
        let mut ways = iteration.exits.iter().zip(&bounds.leavings);
        ways.any(|(exit, leaving)| exit.error.is_none() && leaving.goes_on.is_some())
            && !matches!(self.may(state, bounds.valid), Truth::Never)
            && self
                .at_most(state, bounds.valid, bounds.limit.index, &[FEW_PLACES])
                .is_some()
    }

    /// When each exit is taken, and what that implies for every iteration.
    fn bounds(&mut self, iteration: &Iteration) -> Result<Bounds, Why> {
        let changes: Vec<SymbolId> = iteration.carried.iter().map(|variable| variable.change).collect();
        let courses = Courses {
            carried: &iteration.carried,
            courses: self.courses(iteration, &changes)?,
        };
        let tau = tau(&mut self.terms);
        let variable = self.terms.symbol(tau);
        let mut turn = Turn {
            now: courses.at(&mut self.terms, variable),
            changes,
            tau,
            extended: Vec::new(),
            exits: 0,
        };
        let mut limit = First::never(&mut self.terms);
        let mut leavings = Vec::new();
        for (index, exit) in iteration.exits.iter().enumerate() {
            turn.exits = index;
            let guard = self.regular(exit.guard, &mut turn);
            let leaving = Leaving::of(&mut self.terms, guard, tau);
            limit = limit.earlier(&mut self.terms, leaving.first);
            leavings.push(leaving);
        }
        let mut valid = self.terms.and(limit.valid, limit.exists);
        let stay = self.extensions_stay(&turn, &leavings, limit.index);
        valid = self.terms.and(valid, stay);
        let reached = self.terms.ule(variable, limit.index);
        let mut known = self.terms.and(valid, reached);
        for &change in &turn.changes {
            let change = self.terms.symbol(change);
            if let Some(&way) = turn.now.get(&change) {
                let same = self.terms.eq(change, way);
                known = self.terms.and(known, same);
            }
        }
        Ok(Bounds {
            courses: courses.courses,
            turn,
            leavings,
            limit,
            valid,
            known,
        })
    }

    /// The condition that extensions change as regularly as their values, in all iterations that use them.
    fn extensions_stay(&mut self, turn: &Turn, leavings: &[Leaving], limit: TermId) -> TermId {
        let terms = &mut self.terms;
        let mut all = terms.tru();
        for extension in &turn.extended {
            let (value, signed) = (extension.value, extension.signed);
            let mut stays = stays_in_range(terms, value, signed, limit);
            // What counts down to 0 is less than that at the end, but the loop may be left by then.
            if value.falls(terms) {
                let before = leavings[..extension.exits].iter();
                let before = before.fold(First::never(terms), |first, leaving| {
                    first.earlier(terms, leaving.first)
                });
                let (zero, one) = (terms.constant(COUNT, 0), terms.constant(COUNT, 1));
                let (last, same) = (terms.sub(limit, one), terms.eq(before.index, limit));
                let left = terms.and(before.exists, same);
                let at_once = terms.eq(limit, zero);
                let sooner = stays_in_range(terms, value, signed, last);
                let sooner = terms.or(at_once, sooner);
                stays = terms.ite(left, sooner, stays);
            }
            all = terms.and(all, stays);
        }
        all
    }

    /// An iteration in which all places in memory with a fixed address that it writes are symbolic, too.
    ///
    /// What it reads and writes is found first: while a counter in memory has its concrete value, a store at a moving
    /// place seems to have a fixed address. Places that turn out to move are no longer symbolic.
    fn iterate_with_cells(
        &mut self,
        state: &State<M>,
        plan: &Plan,
        known: TermId,
        care: Care,
    ) -> Result<Iteration, Why> {
        let mut cells: Vec<Cell> = Vec::new();
        for _ in 0..ROUNDS {
            let iteration = self.iterate(state, plan, &cells, known, care)?;
            let written = fixed(&iteration, AccessKind::Write);
            let read = fixed(&iteration, AccessKind::Read);
            let mut next = cells.clone();
            next.retain(|cell| written.contains(cell));
            let carries = |cell: &Cell| read.iter().any(|other| overlap(*other, *cell));
            let carried = written.iter().filter(|cell| !next.contains(cell) && carries(cell));
            let mut new: Vec<Cell> = carried.copied().collect();
            if new.is_empty() {
                new = { written.iter() }
                    .filter(|cell| !next.contains(cell))
                    .copied()
                    .collect();
            }
            for cell in new {
                if next.iter().any(|other| overlap(*other, cell)) {
                    return Err("it stores in one place with several types");
                }
                next.push(cell);
            }
            if next == cells {
                return Ok(iteration);
            }
            cells = next;
        }
        Err("it stores in ever more places")
    }

    /// The state when it leaves the loop after `count` iterations.
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
        self.release_all(&mut next, effects, index, count);
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

    /// The variable that a slot of the current function holds.
    fn variable_of(&self, state: &State<M>, wanted: Slot) -> Origin {
        let code = &self.program.function(state.frame().function).code;
        let site = code.iter().find_map(|inst| match inst {
            Inst::SlotLoad { slot, site, .. } if *slot == wanted => Some(site.0),
            _ => None,
        });
        site.map_or(Origin::Value, Origin::Site)
    }

    /// Variables without a value before the loop have one only if there was an iteration.
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
            let name = format!("uninit!loop!{slot}!{}", state.loops.summaries);
            let origin = self.variable_of(state, slot);
            let unwritten = self.fresh_undefined(state, name, origin, variable.width);
            let unwritten = self.term(unwritten, variable.width);
            let either = self.terms.ite(none, unwritten, value);
            slots[slot as usize] = self.terms.to_value(either);
        }
    }

    /// Follows all exits of a loop.
    pub(super) fn leave(&mut self, state: &mut State<M>, key: (FunctionId, u32), summary: Summary<M>) -> Flow {
        let header_end = summary.header_end;
        if let Some(counter) = &summary.counter {
            let assignment = self.with_count(state, counter, state.path.condition.assignment());
            state
                .path
                .condition
                .assume(&mut self.terms, counter.definition, assignment);
            let mut seeds = std::mem::take(&mut state.path.seeds);
            let counted = |values: &Assignment| self.with_count(state, counter, values);
            seeds.extend(counted);
            state.path.seeds = seeds;
        }
        state.loops.summaries += 1;
        let Summary {
            valid,
            ways,
            counts,
            visited,
            ..
        } = summary;
        let mut outcomes: Outcomes<M> = Outcomes::new();
        for (way, count) in ways.into_iter().zip(counts) {
            let then = Then::Leave(Rc::new(Departure {
                slots: way.slots,
                pc: way.pc,
                rounds: Rounds {
                    steps: state.path.steps,
                    function: key.0,
                    pc: header_end,
                    count,
                },
            }));
            let end = match way.error {
                Some(error) => Ending::Fail(then, error),
                None => Ending::Go(then),
            };
            outcomes.push(Outcome {
                memory: way.memory,
                ..Outcome::new(way.guard, end)
            });
        }
        let beyond = self.terms.not(valid);
        if !self.terms.is_false(beyond) {
            outcomes.push(Outcome {
                memory: Some(state.memory.clone()),
                ..Outcome::new(beyond, Ending::Go(Then::Forgo(key.0, key.1)))
            });
        }
        let flow = self.commit(state, outcomes);
        self.cover(state, flow, &visited);
        flow
    }

    /// Continues after a loop, or where an error in it ends the path.
    pub(crate) fn leave_loop(&mut self, state: &mut State<M>, departure: &Departure) {
        Rc::make_mut(&mut state.notes.rounds).push(departure.rounds);
        let frame = state.frame_mut();
        frame.slots.clone_from(&departure.slots);
        frame.pc = departure.pc;
        let function = self.program.function(frame.function);
        if function.blocks[function.block_of(departure.pc).0 as usize].start == departure.pc {
            self.reach_block(state);
        }
    }

    /// Does not try a loop again on this path.
    pub(crate) fn forgo_loop(&mut self, state: &mut State<M>, key: (FunctionId, u32)) {
        Rc::make_mut(&mut state.loops.tried).insert(key, MAX_ATTEMPTS);
    }

    /// The body is covered if some exit comes after an iteration. If that is not so for the state's own assignment,
    /// other inputs for which it is so are kept, and get a test of their own.
    fn cover(&mut self, state: &mut State<M>, flow: Flow, visited: &[u32]) {
        let Some(frame) = state.frames.last() else { return };
        let function = self.program.function(frame.function);
        let block = |pc: u32| &function.blocks[function.block_of(pc).0 as usize];
        let is_new = |&pc: &u32| !self.coverage.is_reached(function, block(pc));
        if !visited.iter().any(is_new) {
            return;
        }
        let mut spawned = std::mem::take(&mut self.spawned);
        let mut left: Vec<(&mut State<M>, TermId)> = (flow != Flow::End)
            .then_some(state)
            .into_iter()
            .chain(&mut spawned)
            .filter_map(|state| {
                let rounds = { state.notes.rounds.last() }.filter(|rounds| rounds.steps == state.path.steps)?;
                let zero = self.terms.constant(COUNT, 0);
                let some = self.terms.ne(rounds.count, zero);
                Some((state, some))
            })
            .collect();
        let mut entered = { left.iter() }.any(|(state, some)| !self.evaluate(state, *some).is_zero());
        for (state, some) in &mut left {
            if entered {
                break;
            }
            if let Truth::Sometimes(inputs) = self.may(state, *some) {
                let reached = state.path.steps;
                Rc::make_mut(&mut state.notes.witnesses).push(Witness { reached, inputs });
                entered = true;
            }
        }
        self.spawned = spawned;
        if entered {
            visited
                .iter()
                .for_each(|pc| _ = self.coverage.reach(function.first_inst + pc));
        }
    }
}

/// The places with a fixed address that an iteration reads or writes, each once.
fn fixed(iteration: &Iteration, kind: AccessKind) -> Vec<Cell> {
    let mut cells = Vec::new();
    for access in iteration.accesses.iter().filter(|access| access.kind == kind) {
        let cell = (access.place, access.ty);
        if matches!(access.place, Value::Ptr { .. }) && !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells
}

fn overlap((a, a_ty): Cell, (b, b_ty): Cell) -> bool {
    match (a, b) {
        (Value::Ptr { base: x, offset: i }, Value::Ptr { base: y, offset: j }) => {
            x == y && i < j.saturating_add(b_ty.bytes().into()) && j < i.saturating_add(a_ty.bytes().into())
        }
        _ => true,
    }
}
