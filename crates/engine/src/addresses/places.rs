//! Places where the program may see an object: aligned, clear of the other objects whose addresses it has looked at, in
//! the order of the layout if the program itself has made them.

use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{GAP, Header, Model, Seen, Truth};
use mneme_term::{Assignment, BaseId, BaseKind, Bits, Op, Sort, Symbol, SymbolId, SymbolKind, TermId, address_range};
use std::cmp::Ordering;
use std::rc::Rc;

/// Where an object may be seen.
#[derive(Copy, Clone, PartialEq)]
pub(super) enum Reach {
    /// For a test of bits.
    Near,
    Anywhere,
}

/// A test of bits may see an object in the next 64 KiB, or at the next 4,096 places if that is farther: the number of
/// places, as a power of two.
fn near_bits(align: u64) -> u32 {
    (16 - align.max(1).ilog2().min(16)).max(12)
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn look_at(&mut self, state: &mut State<M>, base: BaseId, reach: Reach) -> Option<TermId> {
        let pointer_width = self.pointer_width();
        let (lowest, highest) = address_range(pointer_width)?;
        let header = state.memory.header(base)?;
        let (place, room) = (header.address, header.room);
        let align = self.terms.base_info(base).align.max(1);
        let shift = self.shift(base, reach);
        let symbol = self.terms.symbol(shift);
        let steps = self.terms.zext(symbol, pointer_width);
        let align = self.terms.constant(pointer_width, align);
        let distance = self.terms.mul(steps, align);
        let from = self.terms.constant(pointer_width, place);
        let address = self.terms.add(from, distance);
        let [lowest, highest] = [lowest, highest.checked_sub(room)?].map(|n| self.terms.constant(pointer_width, n));
        let inside = [self.terms.ule(lowest, address), self.terms.ule(address, highest)];
        let apart = self.apart(state, base, address, reach);
        for clause in inside.into_iter().chain(apart) {
            if !self.demand(state, clause) {
                return None;
            }
        }
        Rc::make_mut(&mut state.addresses.seen).push(Seen { base, shift, address });
        Some(address)
    }

    /// The place of the layout, or the nearest one that is clear of the objects already seen and keeps the order.
    pub(super) fn free_place(&self, state: &State<M>, base: BaseId) -> Option<u64> {
        let own = state.memory.header(base)?;
        let align = self.terms.base_info(base).align.max(1);
        let (mut low, high) = address_range(self.pointer_width())?;
        let mut high = high.checked_sub(own.room)?;
        let seen = state.addresses.seen.iter().filter_map(|seen| {
            let place = self.evaluate(state, seen.address).low_u64();
            Some((place, state.memory.header(seen.base)?))
        });
        let exposed = self.exposed(state).map(|header| (header.address, header));
        for (place, other) in seen.chain(exposed) {
            match other.address.cmp(&own.address) {
                Ordering::Less => low = low.max(place.saturating_add(other.room + GAP)),
                Ordering::Equal => {}
                Ordering::Greater => high = high.min(place.checked_sub(own.room + GAP)?),
            }
        }
        let up = low.saturating_sub(own.address).div_ceil(align) * align;
        let down = own.address.saturating_sub(high).div_ceil(align) * align;
        let place = (own.address + up).checked_sub(down)?;
        (low..=high).contains(&place).then_some(place)
    }

    pub(super) fn shift(&mut self, base: BaseId, reach: Reach) -> SymbolId {
        let info = self.terms.base_info(base);
        let (width, name) = match reach {
            Reach::Near => (near_bits(info.align), "address"),
            Reach::Anywhere => (self.pointer_width(), "any address"),
        };
        let name = format!("{name}!{:?}!{}!{}", info.kind, info.site, info.n);
        self.terms.symbol_id(Symbol {
            name,
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(width),
        })
    }

    /// It keeps clear of the other objects whose addresses the program knows, including dead ones: a number refers to
    /// one object.
    pub(super) fn apart(&mut self, state: &State<M>, base: BaseId, address: TermId, reach: Reach) -> Vec<TermId> {
        let mut clauses = Vec::new();
        let Some(own) = state.memory.header(base) else {
            return clauses;
        };
        for seen in state.addresses.seen.iter() {
            let Some(other) = state.memory.header(seen.base).filter(|_| seen.base != base) else {
                continue;
            };
            let above = other.address < own.address;
            let is_free = self.is_given_block(state, base) && self.is_given_block(state, seen.base);
            let (own, other) = (own.room, other.room);
            clauses.push(match () {
                () if is_free => {
                    let above = self.behind(seen.address, other, address);
                    let below = self.behind(address, own, seen.address);
                    self.terms.or(above, below)
                }
                () if above => self.behind(seen.address, other, address),
                () => self.behind(address, own, seen.address),
            });
        }
        let others = self.exposed(state).filter(|other| other.address != own.address);
        for (place, room) in others.map(|other| (other.address, other.room)).collect::<Vec<_>>() {
            let at = self.terms.constant(self.pointer_width(), place);
            let above = self.behind(at, room, address);
            let below = self.behind(address, own.room, at);
            clauses.push(match reach {
                Reach::Near if place < own.address => above,
                Reach::Near => below,
                Reach::Anywhere => self.terms.or(above, below),
            });
        }
        clauses
    }

    /// Objects that the program knows to be where the layout puts them.
    fn exposed<'a>(&self, state: &'a State<M>) -> impl Iterator<Item = &'a Header> {
        let is_seen = |base: &BaseId| state.addresses.seen.iter().any(|seen| seen.base == *base);
        [BaseKind::Global, BaseKind::Function, BaseKind::Heap, BaseKind::Stack]
            .into_iter()
            .flat_map(|kind| state.memory.alive(kind))
            .filter(move |base| !is_seen(base))
            .filter_map(|base| state.memory.header(base))
            .filter(|header| header.exposed)
    }

    /// An object begins after the end of another.
    fn behind(&mut self, first: TermId, room: u64, second: TermId) -> TermId {
        let length = self.terms.constant(self.pointer_width(), room.saturating_add(GAP));
        let end = self.terms.add(first, length);
        self.terms.ule(end, second)
    }

    pub(super) fn is_near(&self, seen: &Seen) -> bool {
        self.terms.symbol_info(seen.shift).sort != Sort::Bits(self.pointer_width())
    }

    /// The program looks at bits of an object that may be anywhere.
    pub(super) fn bring_near(&mut self, state: &mut State<M>, seen: &Seen) {
        let shift = self.terms.symbol(seen.shift);
        let align = self.terms.base_info(seen.base).align;
        let places = self.terms.constant(self.pointer_width(), 1 << near_bits(align));
        let near = self.terms.ult(shift, places);
        if !state.path.condition.clauses().contains(&near) {
            self.demand(state, near);
        }
    }

    /// Adds a clause to the path if it is feasible there. Was it?
    pub(crate) fn demand(&mut self, state: &mut State<M>, clause: TermId) -> bool {
        if self.terms.is_true(clause) {
            return true;
        }
        let witness = match self.evaluate(state, clause).low_u64() {
            1 => state.path.condition.assignment().clone(),
            _ => match self.may(state, clause) {
                Truth::Sometimes(witness) => witness,
                _ => return false,
            },
        };
        self.narrow_to(state, clause, witness);
        true
    }

    /// Objects that have to lie at certain addresses for the path to be taken, which a native run cannot be made to do:
    /// a test of a function places only the blocks that it makes.
    pub(crate) fn placement_needs(&self, state: &State<M>) -> Vec<String> {
        let seen = state.addresses.seen.iter();
        let elsewhere = seen.filter(|seen| !self.is_given_block(state, seen.base));
        let needed = elsewhere.filter(|seen| self.is_needed(state, seen));
        let mut needs: Vec<(BaseId, String)> = needed
            .map(|seen| {
                let address = self.evaluate(state, seen.address).low_u64();
                let name = self.site_name(self.terms.base_info(seen.base).site);
                (seen.base, format!("{name} at {address:#x}"))
            })
            .collect();
        needs.sort_unstable();
        needs.into_iter().map(|(_, need)| need).collect()
    }

    /// Would the path not be taken if the object lay elsewhere? That an object is not at a certain place, or is before
    /// or after one, holds for its place in the layout, and so for most places.
    fn is_needed(&self, state: &State<M>, seen: &Seen) -> bool {
        let mut elsewhere = Assignment::clone(state.path.condition.assignment());
        let Sort::Bits(width) = self.terms.symbol_info(seen.shift).sort else {
            unreachable!("a shift is a number")
        };
        (0..8).any(|steps| {
            elsewhere.values.insert(seen.shift, Bits::new(width, steps));
            let fails = |clause: TermId| self.evaluate_with(state, clause, &elsewhere).low_u64() == 0;
            let clauses = state.path.condition.clauses().iter().copied();
            let mut about_it = clauses.filter(|&clause| self.terms.symbols(clause).contains(&seen.shift));
            about_it.any(|clause| (steps == 0 || !self.compares_places(state, clause)) && fails(clause))
        })
    }

    /// Is it a comparison of whole addresses?
    fn compares_places(&self, state: &State<M>, clause: TermId) -> bool {
        let clause = match self.terms.op(clause) {
            Op::Not => self.terms.children(clause)[0],
            _ => clause,
        };
        let is_place = |side: &TermId| {
            let number = |t: TermId| self.terms.as_const(t).is_some();
            let parts = match self.terms.op(*side) {
                Op::Add => self.terms.children(*side),
                _ => std::slice::from_ref(side),
            };
            parts.iter().all(|&part| {
                number(part)
                    || state
                        .addresses
                        .seen
                        .iter()
                        .any(|seen| self.terms.children(seen.address).contains(&part))
            })
        };
        matches!(self.terms.op(clause), Op::Eq | Op::Ult | Op::Ule) && self.terms.children(clause).iter().all(is_place)
    }
}
