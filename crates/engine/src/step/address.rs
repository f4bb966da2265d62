//! Addresses that the program looks at.
//!
//! A layout gives every object one address, and `if (p == (char *)0x80000000)` or `if ((uintptr_t)p & 16)` would have one side only (thesis,
//! chapter 9). So what a program computes from the bits of addresses stays a term over bases, together with inputs or without. As soon as
//! something depends on it (a condition, an index, a pointer made of bits), the objects in it are *seen*: a symbol stands for the address
//! of each, as for an input, with alignment and disjointness as clauses of the path, and the solver finds out which sides there are.
//! Memory is not concerned: objects have their identity, and their places in the layout, which nobody has looked at.
//!
//! Objects keep the order of the layout. Whoever looks at bits sees the object at one of the next places behind the one that the
//! layout gives it: what holds at none of them would be a coincidence, that the low half of an address is zero, say. Who compares it with a number
//! may see it anywhere. A path chooses some times; then addresses are what they are by then, and the run is not complete. Mneme's own
//! library code, too, sees the layout's addresses: what it decides by, its caller has looked at.
//!
//! All answers have to agree. So a comparison that depends on where objects lie (with an input, of pointers that leave their objects) looks
//! as well, and dead objects keep their places: a number never means two objects.

use crate::commit::Outcomes;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{GAP, Header, Life, Memory, Seen, Truth};
use mneme_program::{Callee, Function, Inst, Operand, OperandKind, Pred, Slot};
use mneme_solver::{Looks, looks};
use mneme_term::{
    Assignment, BaseId, BaseKind, Bits, Op, Sort, Symbol, SymbolId, SymbolKind, TermId, Value, address_range,
};
use std::cmp::Ordering;
use std::rc::Rc;

/// How often a path chooses by addresses: a program that decides by hashes of them would have a path for every bit otherwise.
const CHOICES: u32 = 4;
/// How many objects a path sees: each has to keep clear of the others.
const SEEN: usize = 8;
/// Whoever looks at bits may see an object at one of 2^NEAR places.
const NEAR: u32 = 12;

/// Where an object may be seen.
#[derive(Copy, Clone, PartialEq)]
enum Reach {
    Near,
    Anywhere,
}

impl<M: Memory> Worker<'_, M> {
    // ---- conditions

    /// Guards that look at addresses become conditions on symbols.
    pub(crate) fn see_guards<T>(&mut self, state: &mut State<M>, outcomes: &mut Outcomes<M, T>) {
        let mut bases: Vec<BaseId> = Vec::new();
        for outcome in outcomes.iter_mut() {
            let seen = self.see_condition(state, outcome.guard);
            if seen != outcome.guard {
                bases.extend(self.terms.bases(outcome.guard));
                outcome.guard = seen;
            }
        }
        for memory in outcomes.iter_mut().filter_map(|outcome| outcome.memory.as_mut()) {
            let is_exposed = |base: &&BaseId| state.memory.header(**base).is_some_and(|header| header.exposed);
            bases
                .iter()
                .filter(is_exposed)
                .for_each(|&base| _ = memory.expose(base));
        }
        if state.choices >= CHOICES && self.recording.is_none() {
            for outcome in outcomes.iter() {
                self.fix_addresses(state, outcome.guard);
            }
        }
    }

    pub(crate) fn see_condition(&mut self, state: &mut State<M>, condition: TermId) -> TermId {
        match self.looks(state, condition) {
            Looks::No => condition,
            Looks::AtNumbers => {
                let seen = self.see(state, condition, Reach::Anywhere);
                // The number may come back as a pointer.
                self.expose_seen(state, seen);
                seen
            }
            Looks::AtBits => self.see(state, condition, Reach::Near),
        }
    }

    pub(super) fn looks(&mut self, state: &State<M>, condition: TermId) -> Looks {
        looks(&mut self.terms, condition, state.path.clauses(), state.memory.bases())
    }

    /// The path goes one of several ways.
    pub(crate) fn count_choice(&self, state: &mut State<M>, guard: TermId) {
        let by_address = self.seen_in(state, guard).next().is_some();
        state.choices += u32::from(by_address);
    }

    fn seen_in<'a>(&'a self, state: &'a State<M>, term: TermId) -> impl Iterator<Item = Seen> + 'a {
        let of_it = move |seen: &&Seen| self.terms.symbols(term).contains(&seen.shift);
        state.seen.iter().filter(of_it).copied()
    }

    /// What has become a number may come back as a pointer.
    pub(crate) fn expose_seen(&self, state: &mut State<M>, term: TermId) {
        for seen in self.seen_in(state, term).collect::<Vec<_>>() {
            state.memory.expose(seen.base);
        }
    }

    /// The addresses in a term are what they are now.
    fn fix_addresses(&mut self, state: &mut State<M>, term: TermId) {
        let all: Vec<Seen> = self.seen_in(state, term).collect();
        for seen in all {
            let now = self.evaluate(state, seen.address);
            let now = self.terms.constant_bits(&now);
            let fixed = self.terms.eq(seen.address, now);
            if !state.path.clauses().contains(&fixed) {
                self.concretise(state, Value::Term(seen.address), self.pointer_width());
            }
        }
    }

    // ---- values

    /// An operand whose bits are computed with. A number, if they are not to be chosen any more.
    pub(super) fn bits(&mut self, state: &mut State<M>, value: Value) -> Value {
        let term = match value {
            Value::Ptr { .. } => self.term(value, self.pointer_width()),
            Value::Term(term) if self.terms.has_base(term) => term,
            _ => return value,
        };
        self.counters.address_dependent += 1;
        let bases = self.terms.bases(term).to_vec();
        if !self.terms.symbols(term).is_empty() || bases.iter().any(|&base| self.may_lie_elsewhere(state, base)) {
            return Value::Term(term);
        }
        bases.iter().for_each(|&base| _ = state.memory.expose(base));
        let number = self.evaluate(state, term);
        let number = self.terms.constant_bits(&number);
        self.terms.to_value(number)
    }

    /// Instructions that do more with a value than compute, keep or compare it see addresses in it.
    pub(super) fn see_operands(&mut self, state: &mut State<M>, function: &Function, inst: Inst) {
        let mut slots: smallvec::SmallVec<[Slot; 4]> = smallvec::SmallVec::new();
        let slot = |operand: Operand| match operand.kind() {
            OperandKind::Slot(slot) => Some(slot),
            _ => None,
        };
        match inst {
            Inst::Move { .. }
            | Inst::Bin { .. }
            | Inst::Cmp { .. }
            | Inst::Cast { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Field { .. }
            | Inst::SlotInit { .. }
            | Inst::SlotLoad { .. }
            | Inst::SlotStore { .. }
            | Inst::Intrinsic { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::CmpBranch { .. }
            | Inst::Switch { .. }
            | Inst::Return { .. } => return,
            Inst::Call { call } => match function.calls[call.index()].callee {
                Callee::Direct(id) if self.keeps_terms(state, self.program.function(id)) => return,
                _ => inst.for_each_use(function, &mut |slot| slots.push(slot)),
            },
            Inst::Store { ptr, .. } => slots.extend(slot(ptr)),
            Inst::Index { index, .. } => slots.extend(slot(index)),
            Inst::Gep { gep, .. } => {
                let indices = &function.geps[gep.index()].indices;
                slots.extend(indices.iter().filter_map(|&(index, ..)| slot(index)));
            }
            _ => inst.for_each_use(function, &mut |slot| slots.push(slot)),
        }
        for slot in slots {
            let Value::Term(term) = state.frame().slots[slot as usize] else {
                continue;
            };
            if !self.terms.has_base(term) || self.terms.is_pointer(term) {
                continue;
            }
            let seen = self.see_condition(state, term);
            if seen == term {
                continue;
            }
            if state.choices >= CHOICES && self.recording.is_none() {
                self.fix_addresses(state, seen);
            }
            if matches!(inst, Inst::Index { .. } | Inst::Gep { .. }) {
                self.count_choice(state, seen);
            }
            // It may come back as a pointer from anywhere.
            self.expose_seen(state, seen);
            let value = self.terms.to_value(seen);
            state.set(slot, value);
        }
    }

    /// Does a function compute with what it is given as the program does? The library sees places of the layout, and so the caller looks
    /// on its behalf, except for what is only printed.
    fn keeps_terms(&self, state: &State<M>, callee: &Function) -> bool {
        let by_library = self.program.function(state.frame().function).runtime;
        !callee.code.is_empty() && (!callee.runtime || callee.signature.variadic || by_library)
    }

    /// A term with the addresses that the program sees in place of bases.
    fn see(&mut self, state: &mut State<M>, term: TermId, reach: Reach) -> TermId {
        self.counters.address_dependent += 1;
        let mut map = rustc_hash::FxHashMap::default();
        for base in self.terms.bases(term).to_vec() {
            let from = self.terms.base(base);
            let to = self.number(state, base, reach);
            map.insert(from, to);
        }
        self.terms.substitute_map(term, &map)
    }

    fn number(&mut self, state: &mut State<M>, base: BaseId, reach: Reach) -> TermId {
        if let Some(&seen) = state.seen.iter().find(|seen| seen.base == base) {
            match (reach, self.is_near(&seen)) {
                (Reach::Anywhere, true) => self.lost_address(),
                (Reach::Near, false) => self.bring_near(state, &seen),
                _ => {}
            }
            return seen.address;
        }
        if self.is_open(state, base)
            && state.seen.len() < SEEN
            && state.choices < CHOICES
            && let Some(address) = self.look_at(state, base, reach)
        {
            return address;
        }
        if self.may_lie_elsewhere(state, base) {
            self.lost_address();
        }
        let is_known = state.memory.header(base).is_some_and(|header| header.exposed);
        let place = state.memory.expose(base);
        if is_known {
            return self.terms.constant(self.pointer_width(), place);
        }
        let free = self.free_place(state, base).unwrap_or(place);
        let address = self.terms.constant(self.pointer_width(), free);
        for clause in self.apart(state, base, address, Reach::Anywhere) {
            self.demand(state, clause);
        }
        if free != place {
            let shift = self.shift(base, Reach::Near);
            Rc::make_mut(&mut state.seen).push(Seen { base, shift, address });
        }
        address
    }

    /// The place of the layout, or the nearest one that is clear of what the program has seen and keeps the order.
    fn free_place(&self, state: &State<M>, base: BaseId) -> Option<u64> {
        let own = state.memory.header(base)?;
        let align = self.terms.base_info(base).align.max(1);
        let (mut low, high) = address_range(self.pointer_width())?;
        let mut high = high.checked_sub(own.room)?;
        let seen = state.seen.iter().filter_map(|seen| {
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

    /// The other addresses of an object are not explored. A loop that is tried on a copy is executed in the usual way if it looks at addresses.
    fn lost_address(&mut self) {
        self.stats.concretised += u64::from(self.recording.is_none());
    }

    /// May the program see the object where it likes?
    fn is_open(&self, state: &State<M>, base: BaseId) -> bool {
        let is_seen = state.seen.iter().any(|seen| seen.base == base);
        let open = |header: &Header| header.family.is_none() && !header.exposed;
        is_seen || state.memory.header(base).is_some_and(open) && self.may_lie_elsewhere(state, base)
    }

    /// Is the place of the layout one of many to whoever looks now?
    fn may_lie_elsewhere(&self, state: &State<M>, base: BaseId) -> bool {
        let is_object = |header: &Header| header.life != Life::Unborn && header.kind != BaseKind::Function;
        let is_seen = state.seen.iter().any(|seen| seen.base == base);
        let by_library = self.program.function(state.frame().function).runtime;
        is_seen || !by_library && state.memory.header(base).is_some_and(is_object)
    }

    /// Does a comparison depend on where objects lie, which the program may see where it likes?
    pub(super) fn asks_for_place(&mut self, state: &State<M>, pred: Pred, width: u32, [a, b]: [Value; 2]) -> bool {
        let is_open = |value| match value {
            Value::Ptr { base, .. } => self.is_open(state, base),
            _ => false,
        };
        let inside = self.is_inside(state, a) && self.is_inside(state, b);
        if inside || !is_open(a) && !is_open(b) {
            return false;
        }
        let (x, y) = (self.term(a, width), self.term(b, width));
        let comparison = self.comparison(pred, x, y);
        self.looks(state, comparison) != Looks::No
    }

    // ---- places

    fn look_at(&mut self, state: &mut State<M>, base: BaseId, reach: Reach) -> Option<TermId> {
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
        Rc::make_mut(&mut state.seen).push(Seen { base, shift, address });
        Some(address)
    }

    fn shift(&mut self, base: BaseId, reach: Reach) -> SymbolId {
        let info = self.terms.base_info(base);
        let (width, name) = match reach {
            Reach::Near => (NEAR, "address"),
            Reach::Anywhere => (self.pointer_width(), "any address"),
        };
        let name = format!("{name}!{:?}!{}!{}", info.kind, info.site, info.n);
        self.terms.symbol_id(Symbol {
            name,
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(width),
        })
    }

    /// It keeps clear of the other objects whose addresses the program knows, also of dead ones: a number means one object.
    fn apart(&mut self, state: &State<M>, base: BaseId, address: TermId, reach: Reach) -> Vec<TermId> {
        let mut clauses = Vec::new();
        let Some(own) = state.memory.header(base) else {
            return clauses;
        };
        for seen in state.seen.iter() {
            let Some(other) = state.memory.header(seen.base).filter(|_| seen.base != base) else {
                continue;
            };
            clauses.push(match other.address < own.address {
                true => self.behind(seen.address, other.room, address),
                false => self.behind(address, own.room, seen.address),
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
        let is_seen = |base: &BaseId| state.seen.iter().any(|seen| seen.base == *base);
        [BaseKind::Global, BaseKind::Function, BaseKind::Heap, BaseKind::Stack]
            .into_iter()
            .flat_map(|kind| state.memory.alive(kind))
            .filter(move |base| !is_seen(base))
            .filter_map(|base| state.memory.header(base))
            .filter(|header| header.exposed)
    }

    /// An object begins behind the end of another.
    fn behind(&mut self, first: TermId, room: u64, second: TermId) -> TermId {
        let length = self.terms.constant(self.pointer_width(), room.saturating_add(GAP));
        let end = self.terms.add(first, length);
        self.terms.ule(end, second)
    }

    fn is_near(&self, seen: &Seen) -> bool {
        self.terms.symbol_info(seen.shift).sort == Sort::Bits(NEAR)
    }

    /// The program looks at bits of an object that may be anywhere.
    fn bring_near(&mut self, state: &mut State<M>, seen: &Seen) {
        let shift = self.terms.symbol(seen.shift);
        let places = self.terms.constant(self.pointer_width(), 1 << NEAR);
        let near = self.terms.ult(shift, places);
        if !state.path.clauses().contains(&near) {
            self.demand(state, near);
        }
    }

    /// Adds to the path what can be so on it.
    fn demand(&mut self, state: &mut State<M>, clause: TermId) -> bool {
        if self.terms.is_true(clause) {
            return true;
        }
        let witness = match self.evaluate(state, clause).low_u64() {
            1 => state.path.assignment().clone(),
            _ => match self.may(state, clause) {
                Truth::Sometimes(witness) => witness,
                _ => return false,
            },
        };
        let (seeds, known) = self.seeds_with(state, clause);
        state.seeds = seeds;
        state.path.assume(&mut self.terms, clause, known.unwrap_or(witness));
        true
    }

    /// Objects that have to lie at certain addresses for the path to be taken, which no native run can be told.
    pub(crate) fn placement_needs(&self, state: &State<M>) -> Vec<String> {
        let needed = state.seen.iter().filter(|seen| self.is_needed(state, seen));
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

    /// Would the path not be taken if the object lay elsewhere? That it is not at a certain place, or before or behind one, is so for the place that the
    /// layout gives it, and so for most.
    fn is_needed(&self, state: &State<M>, seen: &Seen) -> bool {
        let mut elsewhere = Assignment::clone(state.path.assignment());
        let Sort::Bits(width) = self.terms.symbol_info(seen.shift).sort else {
            unreachable!("a shift is a number")
        };
        (0..8).any(|steps| {
            elsewhere.values.insert(seen.shift, Bits::new(width, steps));
            let fails = |clause: TermId| self.evaluate_with(state, clause, &elsewhere).low_u64() == 0;
            let clauses = state.path.clauses().iter().copied();
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
                        .seen
                        .iter()
                        .any(|seen| self.terms.children(seen.address).contains(&part))
            })
        };
        matches!(self.terms.op(clause), Op::Eq | Op::Ult | Op::Ule) && self.terms.children(clause).iter().all(is_place)
    }
}
