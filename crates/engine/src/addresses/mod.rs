//! Addresses that the program looks at.
//!
//! A layout gives every object one address, so `if (p == (char *)0x80000000)` or `if ((uintptr_t)p & 16)` would have
//! only one side (thesis, chapter 9). Therefore, what a program computes from the bits of addresses, with or without
//! inputs, stays a term over bases. As soon as something depends on it (a condition, an index, a pointer made of bits),
//! the objects in it are *seen*: a symbol stands for the address of each, as for an input, with alignment and
//! disjointness as clauses of the path, and the solver finds out which sides are feasible. Memory is not affected:
//! objects keep their identity and their places in the layout, which the program has not looked at.
//!
//! Objects keep the order of the layout, except for those that the caller of a function run alone has made: they may
//! lie in any order. A test of bits sees the object at one of the next places after its place in the layout: what holds
//! at none of them would be a coincidence, such as the low half of an address being zero. A comparison with a number may
//! see it anywhere. The number of choices on a path is limited; after that, addresses keep their current values, and the
//! run is not complete. Mneme's own library code also sees the layout's addresses: its caller has already looked at what
//! it decides by.
//!
//! All answers have to agree. So a comparison that depends on where objects lie (with an input, or of pointers that
//! leave their objects) looks at addresses as well, and dead objects keep their places: a number never refers to two
//! objects.

mod places;
mod recompose;

use crate::commit::Outcomes;
use crate::handlers;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{Header, Model, Reason, Seen, Truth};
use mneme_program::{Callee, Function, Inst, Operand, OperandKind, Pred, Slot};
use mneme_solver::{Looks, looks, ordered};
use mneme_term::{BaseId, BaseKind, TermId, Terms, Tracer, Value};
use places::Reach;
use std::rc::Rc;

/// How often a path chooses by addresses: otherwise a program that decides by hashes of them would have a path for
/// every bit.
const CHOICES: u32 = 4;
/// How many objects a path sees: each has to keep clear of the others.
const SEEN: usize = 8;

/// What a path has seen of addresses.
#[derive(Clone, Default)]
pub struct Addresses {
    /// Objects whose addresses the program has looked at.
    pub seen: Rc<Vec<Seen>>,
    /// Another object had to be seen, and there was no place for it among these.
    pub crammed: bool,
    /// How often a choice depended on these.
    pub choices: u32,
}

impl Addresses {
    pub fn trace(&self, tracer: &mut Tracer) {
        self.seen.iter().for_each(|seen| tracer.term(seen.address));
    }

    /// For members that have seen the same.
    pub fn merge(members: &[&Addresses]) -> Addresses {
        Addresses {
            seen: members[0].seen.clone(),
            crammed: members.iter().any(|member| member.crammed),
            choices: members.iter().map(|member| member.choices).max().unwrap_or(0),
        }
    }
}

/// Can it be at places other than that of the layout? A function cannot.
fn is_object(header: &Header) -> bool {
    header.kind != BaseKind::Function
}

impl<M: Model> Worker<'_, M> {
    // ---- hooks

    /// Before an instruction is executed: its operands may look at addresses. `Some`: the path ends here.
    pub(crate) fn look_before_step(&mut self, state: &mut State<M>, function: &Function, inst: Inst) -> Option<Flow> {
        self.see_operands(state, function, inst);
        self.end_if_crammed(state)
    }

    /// Before one of several outcomes is chosen: their guards may look at addresses. `Some`: the path ends here.
    pub(crate) fn look_before_choice(&mut self, state: &mut State<M>, outcomes: &mut Outcomes<M>) -> Option<Flow> {
        self.see_guards(state, outcomes);
        self.end_if_crammed(state)
    }

    /// The path takes one of several outcomes.
    pub(crate) fn count_choice(&self, state: &mut State<M>, guard: TermId) {
        state.addresses.choices += u32::from(self.is_by_address(state, guard));
    }

    /// Does a condition depend on where objects lie?
    pub(crate) fn is_by_address(&self, state: &State<M>, guard: TermId) -> bool {
        self.seen_in(state, guard).next().is_some()
    }

    // ---- conditions

    /// Turns guards that look at addresses into conditions on symbols.
    fn see_guards(&mut self, state: &mut State<M>, outcomes: &mut Outcomes<M>) {
        let mut bases: Vec<BaseId> = Vec::new();
        for outcome in outcomes.iter_mut() {
            let seen = self.see_condition(state, outcome.guard);
            if seen != outcome.guard {
                bases.extend(self.terms.bases(outcome.guard));
                outcome.guard = seen;
            }
        }
        for memory in outcomes.iter_mut().filter_map(|outcome| outcome.memory.as_mut()) {
            let is_exposed = |base: &&BaseId| state.memory.is_exposed(**base);
            bases
                .iter()
                .filter(is_exposed)
                .for_each(|&base| _ = memory.expose(base));
        }
        if state.addresses.choices >= CHOICES && !self.is_trial() {
            for outcome in outcomes.iter() {
                self.fix_addresses(state, outcome.guard);
            }
        }
    }

    fn see_condition(&mut self, state: &mut State<M>, condition: TermId) -> TermId {
        match self.looks(state, condition) {
            Looks::No if self.asks_for_order(state, condition) => self.see(state, condition, Reach::Anywhere),
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

    pub(crate) fn looks(&mut self, state: &State<M>, condition: TermId) -> Looks {
        looks(
            &mut self.terms,
            condition,
            state.path.condition.clauses(),
            state.memory.bases(),
        )
    }

    /// Does it compare the order of blocks that the caller has made, and whose order is not known?
    pub(crate) fn asks_for_order(&mut self, state: &State<M>, condition: TermId) -> bool {
        if self.options.on_demand.is_none() {
            return false;
        }
        let bases = ordered(&mut self.terms, condition);
        bases
            .into_iter()
            .filter(|&base| self.is_given_block(state, base))
            .count()
            > 1
    }

    fn seen_in<'a>(&'a self, state: &'a State<M>, term: TermId) -> impl Iterator<Item = Seen> + 'a {
        let of_it = move |seen: &&Seen| self.terms.symbols(term).contains(&seen.shift);
        state.addresses.seen.iter().filter(of_it).copied()
    }

    /// A value that was made a number may come back as a pointer.
    pub(crate) fn expose_seen(&self, state: &mut State<M>, term: TermId) {
        for seen in self.seen_in(state, term).collect::<Vec<_>>() {
            state.memory.expose(seen.base);
        }
    }

    /// Fixes the addresses in a term to their current values.
    fn fix_addresses(&mut self, state: &mut State<M>, term: TermId) {
        let all: Vec<Seen> = self.seen_in(state, term).collect();
        for seen in all {
            let now = self.evaluate(state, seen.address);
            let now = self.terms.constant_bits(&now);
            let fixed = self.terms.eq(seen.address, now);
            if !state.path.condition.clauses().contains(&fixed) {
                self.concretise(state, Value::Term(seen.address), self.pointer_width());
            }
        }
    }

    // ---- values

    /// An operand whose bits are computed with: a number, if the objects in it can lie nowhere else.
    pub(crate) fn bits(&mut self, state: &mut State<M>, value: Value) -> Value {
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

    /// Instructions that do more with a value than compute, keep or compare it see the addresses in it.
    fn see_operands(&mut self, state: &mut State<M>, function: &Function, inst: Inst) {
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
                Callee::Direct(id) if let Some(count) = handlers::places(&self.program.function(id).name) => {
                    let args = function.calls[call.index()].args.iter().take(count);
                    slots.extend(args.filter_map(|arg| slot(arg.value)));
                }
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
            if let Some(pointer) = self.recompose(state, term) {
                let value = self.terms.to_value(pointer);
                state.set(slot, value);
                continue;
            }
            let seen = self.see_cases(state, term);
            if seen == term {
                continue;
            }
            if state.addresses.choices >= CHOICES && !self.is_trial() {
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

    /// A word that something depends on, some of whose cases are put together from bits of addresses: for example from
    /// a table of unions whose pointers were partly overwritten. These cases are seen, if the path allows them; where
    /// the word is a pointer, it stays one.
    fn see_cases(&mut self, state: &mut State<M>, term: TermId) -> TermId {
        let mut leaves: Vec<TermId> = Vec::new();
        self.terms.map_pointer(term, &mut |terms, base, offset| {
            let leaf = with_base(terms, base, offset);
            leaves.push(leaf);
            leaf
        });
        let cases = self.terms.cases(term);
        let (mut seen, mut spare) = (rustc_hash::FxHashMap::default(), None);
        for leaf in leaves {
            if self.terms.is_pointer(leaf) {
                spare.get_or_insert(leaf);
                continue;
            }
            let case = cases.iter().find(|case| case.base.is_none() && case.offset == leaf);
            let is_possible = case.is_none_or(|case| !matches!(self.may(state, case.guard), Truth::Never));
            seen.insert(leaf, is_possible.then(|| self.see_condition(state, leaf)));
        }
        let spare = spare.or_else(|| seen.values().find_map(|&seen| seen));
        self.terms.map_pointer(term, &mut |terms, base, offset| {
            let leaf = with_base(terms, base, offset);
            match seen.get(&leaf) {
                Some(&Some(number)) => number,
                // What is never read may have any value.
                Some(None) => spare.unwrap_or(leaf),
                None => leaf,
            }
        })
    }

    /// Does a function compute with its arguments as the program does? The library sees the layout's places, so the
    /// caller looks on its behalf, except for what is only printed.
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
        if let Some(&seen) = state.addresses.seen.iter().find(|seen| seen.base == base) {
            match (reach, self.is_near(&seen)) {
                (Reach::Anywhere, true) => self.lose_address(state),
                (Reach::Near, false) => self.bring_near(state, &seen),
                _ => {}
            }
            return seen.address;
        }
        if self.is_open(state, base)
            && state.addresses.seen.len() < SEEN
            && state.addresses.choices < CHOICES
            && let Some(address) = self.look_at(state, base, reach)
        {
            return address;
        }
        if self.may_lie_elsewhere(state, base) {
            self.lose_address(state);
        }
        let is_known = state.memory.is_exposed(base);
        let place = state.memory.expose(base);
        if is_known {
            return self.terms.constant(self.pointer_width(), place);
        }
        let free = self.free_place(state, base);
        // No answer about its address would agree with the earlier ones.
        state.addresses.crammed |= free.is_none();
        let free = free.unwrap_or(place);
        let address = self.terms.constant(self.pointer_width(), free);
        for clause in self.apart(state, base, address, Reach::Anywhere) {
            self.demand(state, clause);
        }
        if free != place {
            let shift = self.shift(base, Reach::Near);
            Rc::make_mut(&mut state.addresses.seen).push(Seen { base, shift, address });
        }
        address
    }

    /// Ends a path on which an object had to be seen but had no place among those seen before.
    fn end_if_crammed(&mut self, state: &State<M>) -> Option<Flow> {
        if !state.addresses.crammed {
            return None;
        }
        if self.is_trial() {
            return Some(self.irregular("objects without a place"));
        }
        self.abandon(
            state,
            &Reason::Limit("places for objects among those whose addresses are known"),
        );
        Some(Flow::End)
    }

    /// The other addresses of an object are not explored. If a loop that is tried on a copy looks at addresses, it is
    /// executed as usual.
    fn lose_address(&mut self, state: &State<M>) {
        if !self.is_trial() {
            self.lose_values(state);
        }
    }

    /// An address that becomes a number is one of many, for any caller.
    pub(crate) fn lose_other_addresses(&mut self, state: &State<M>, base: BaseId) {
        let header = state.memory.header(base);
        if header.is_some_and(|header| is_object(header) && !header.exposed) {
            self.lose_address(state);
        }
    }

    /// May the program see the object anywhere?
    fn is_open(&self, state: &State<M>, base: BaseId) -> bool {
        let is_seen = state.addresses.seen.iter().any(|seen| seen.base == base);
        let open = |header: &Header| header.family.is_none() && !header.exposed;
        is_seen || state.memory.header(base).is_some_and(open) && self.may_lie_elsewhere(state, base)
    }

    /// Is the place of the layout only one of many at this point?
    fn may_lie_elsewhere(&self, state: &State<M>, base: BaseId) -> bool {
        let is_seen = state.addresses.seen.iter().any(|seen| seen.base == base);
        let by_library = self.program.function(state.frame().function).runtime;
        is_seen || !by_library && state.memory.header(base).is_some_and(is_object)
    }

    /// Does a comparison depend on where objects lie, for objects that the program may see anywhere?
    pub(crate) fn asks_for_place(&mut self, state: &State<M>, pred: Pred, width: u32, [a, b]: [Value; 2]) -> bool {
        // Also for an object that library code has looked at: the layout's place is not the only possible one.
        let is_one_of_many = |value| match value {
            Value::Ptr { base, .. } => self.may_lie_elsewhere(state, base),
            _ => false,
        };
        let inside = self.is_inside(state, a) && self.is_inside(state, b);
        let given = self.options.on_demand.is_some();
        if inside && !given || !is_one_of_many(a) && !is_one_of_many(b) {
            return false;
        }
        let (x, y) = (self.term(a, width), self.term(b, width));
        let comparison = self.comparison(pred, x, y);
        self.asks_for_order(state, comparison) || !inside && self.looks(state, comparison) != Looks::No
    }
}

fn with_base(terms: &mut Terms, base: Option<BaseId>, offset: TermId) -> TermId {
    base.map_or(offset, |base| terms.pointer(base, offset))
}
