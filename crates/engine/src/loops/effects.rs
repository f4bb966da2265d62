//! What a loop does to memory besides its variables: stores at moving places, and blocks that it allocates. What it
//! frees is in `releases`.

use super::courses::{Turn, put, tau};
use super::first::{Affine, COUNT};
use super::iteration::{Exit, Iteration, Why};
use super::leaving::Leaving;
use super::releases::Release;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{AccessKind, Cells, Many, Model, Progression, Truth};
use mneme_program::Scalar;
use mneme_term::{BaseId, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Value, sign_extend};

/// How much of the 64-bit address space the blocks allocated by one loop may take.
const ROOM_FOR_BLOCKS: u64 = 1 << 44;

/// A store whose place moves.
pub(super) struct Moving {
    /// Its index among the accesses.
    pub at: usize,
    pub base: BaseId,
    pub offset: Affine,
    pub ty: Scalar,
    pub value: TermId,
}

/// What the loop does to memory besides its variables.
pub(super) struct Effects {
    pub stores: Vec<Moving>,
    /// How many blocks an allocation makes at most.
    pub blocks: u64,
    pub releases: Vec<Release>,
}

/// Where an access goes.
pub(super) struct Reached {
    pub kind: AccessKind,
    pub ty: Scalar,
    pub base: BaseId,
    /// In iteration τ, if that is regular.
    pub offset: Option<Affine>,
}

/// How far the iterations go.
pub(super) struct Reach<'a> {
    pub exits: &'a [Exit],
    pub leavings: &'a [Leaving],
    /// The inputs for which this holds.
    pub valid: TermId,
    /// No iteration has a greater number.
    pub limit: TermId,
    pub tau: SymbolId,
}

impl Reach<'_> {
    /// The condition that access `at` of the body may be made in iteration `count`: none of the exits before it has
    /// been taken.
    fn is_made(&self, terms: &mut Terms, at: usize, count: TermId) -> TermId {
        let mut made = terms.ule(count, self.limit);
        for (exit, leaving) in self.exits.iter().zip(self.leavings) {
            if exit.accesses <= at {
                let (stays, sooner) = (terms.not(leaving.first.exists), terms.ult(count, leaving.first.index));
                let here = terms.or(stays, sooner);
                made = terms.and(made, here);
            }
        }
        made
    }
}

impl<M: Model> Worker<'_, M> {
    /// The stores whose place changes.
    pub(super) fn moving_stores(&mut self, iteration: &Iteration, turn: &mut Turn) -> Result<Vec<Moving>, Why> {
        let mut stores = Vec::new();
        for (at, access) in iteration.accesses.iter().enumerate() {
            let (AccessKind::Write, Value::Term(place), Some(value)) = (access.kind, access.place, access.value) else {
                continue;
            };
            turn.exits = iteration.exits_before(at);
            let place = self.regular(place, turn);
            let (base, offset) = self
                .terms
                .split_pointer(place)
                .ok_or("a store through a symbolic pointer")?;
            let offset = self.terms.flatten_members(offset);
            let offset = Affine::of(&mut self.terms, offset, turn.tau).ok_or("a store at irregular places")?;
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
            let value = self.terms.substitute_map(value, &turn.now);
            stores.push(Moving {
                at,
                base,
                offset,
                ty: access.ty,
                value,
            });
        }
        if !stores.is_empty() && M::LOOPS.is_none() {
            return Err("stores that the memory model does not make at once");
        }
        Ok(stores)
    }

    /// Where the accesses of the body go.
    pub(super) fn places(&mut self, iteration: &Iteration, turn: &mut Turn) -> Result<Vec<Reached>, Why> {
        let mut places = Vec::new();
        for (at, access) in iteration.accesses.iter().enumerate() {
            turn.exits = iteration.exits_before(at);
            let place = match access.place {
                Value::Term(place) => self.regular(place, turn),
                place => self.term(place, self.program.target.pointer_width),
            };
            let (base, offset) = self
                .terms
                .split_pointer(place)
                .ok_or("a load through a symbolic pointer beside stores")?;
            let offset = self.terms.flatten_members(offset);
            places.push(Reached {
                kind: access.kind,
                ty: access.ty,
                base,
                offset: Affine::of(&mut self.terms, offset, turn.tau),
            });
        }
        Ok(places)
    }

    /// No iteration reads what another one has stored at a moving place, and what is stored does not depend on the
    /// order of iterations.
    pub(super) fn check_independence(
        &mut self,
        state: &State<M>,
        places: &[Reached],
        stores: &[Moving],
        reach: &Reach,
    ) -> Result<(), Why> {
        for (at, access) in places.iter().enumerate() {
            for store in stores.iter().filter(|store| store.base == access.base) {
                let offset = access.offset.ok_or("a load at irregular places beside stores")?;
                let moves = offset.step != 0;
                // Of two stores, the later one in the body wins, in each iteration and overall: only what the earlier
                // one does in a later iteration matters.
                let matters = access.kind == AccessKind::Read || !moves || at < store.at;
                if matters && self.may_meet(state, (at, offset, access.ty), (store, moves), reach) {
                    return Err("iterations that depend on each other");
                }
            }
        }
        Ok(())
    }

    /// Can an access touch what a store of an earlier iteration wrote? If the access itself does not move, of any
    /// iteration: a variable of the loop is written when the loop is left, whether or not the last iteration has
    /// reached it.
    pub(super) fn may_meet(
        &mut self,
        state: &State<M>,
        (at, place, ty): (usize, Affine, Scalar),
        (store, moves): (&Moving, bool),
        reach: &Reach,
    ) -> bool {
        let width = self.pointer_width();
        let (read, written) = (u64::from(ty.bytes()), u64::from(store.ty.bytes()));
        let terms = &mut self.terms;
        let gap = terms.sub(place.start, store.offset.start);
        // Both lie inside the object whenever they are made, so distances are those of integers.
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
        let (later, earlier) = (terms.symbol(reach.tau), terms.symbol(other));
        let (a, b) = (place.at(terms, later), store.offset.at(terms, earlier));
        let (forth, back) = (terms.sub(a, b), terms.sub(b, a));
        let (read, written) = (terms.constant(width, read), terms.constant(width, written));
        let (inside, around) = (terms.ult(forth, written), terms.ult(back, read));
        let meets = terms.or(inside, around);
        let made = reach.is_made(terms, store.at, earlier);
        let mut goal = terms.and(meets, made);
        if moves {
            let (order, made) = (terms.ult(earlier, later), reach.is_made(terms, at, later));
            goal = terms.and(goal, order);
            goal = terms.and(goal, made);
        }
        goal = terms.and(goal, reach.valid);
        !matches!(self.may(state, goal), Truth::Never)
    }

    /// A bound on the number of iterations, for what they allocate. If there are more than fit into the address space,
    /// the summary does not apply.
    pub(super) fn most_blocks(
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

    /// What the loop has allocated.
    pub(super) fn allocate_all(
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

    /// What a store wrote in all iterations.
    pub(super) fn store_all(&mut self, state: &mut State<M>, store: &Moving, count: TermId, once_more: bool) {
        let width = self.pointer_width();
        let tau = tau(&mut self.terms);
        let mut count = self.terms.resize_zext(count, width);
        if once_more {
            let one = self.terms.constant(width, 1);
            count = self.terms.add(count, one);
        }
        let mut start = store.offset.start;
        let mut cells = Cells {
            count,
            stride: store.offset.step,
            bytes: store.ty.bytes(),
            index: tau,
            value: store.value,
        };
        let step = sign_extend(store.offset.step, width);
        if step < 0 {
            // The same, starting from its lowest place.
            let one = self.terms.constant(width, 1);
            let last = self.terms.sub(count, one);
            start = store.offset.at(&mut self.terms, last);
            cells.stride = step.unsigned_abs();
            let (last, variable) = (self.terms.resize_zext(last, COUNT), self.terms.symbol(tau));
            let mirrored = self.terms.sub(last, variable);
            cells.value = put(&mut self.terms, store.value, tau, mirrored);
        }
        if let Some(loops) = M::LOOPS {
            let what = Progression { start, cells };
            self.change_memory(state, |memory, cx| (loops.write_cells)(memory, cx, store.base, &what));
        }
    }
}
