//! Conditions on where objects lie.
//!
//! A layout gives every object one address, and `if (p == (char *)0x80000000)` or `if ((uintptr_t)p & 16)` would have one side only (thesis,
//! chapter 9). So an address is open until something takes it for a number. What a program computes from the bits of open addresses
//! alone stays a term over their bases. A condition on such a term of one object goes both ways if near by there is a place for which it
//! comes out otherwise (`placing.rs`): on that way the object is moved. A symbol of its own stands for the choice, as nothing the program
//! reads decides it, and the path remembers what came true, so that the same question is answered the same later, and whoever moves the
//! object again keeps to it. The order of different objects is the layout's.
//!
//! Whatever needs the number itself (an index, a pointer made of bits, a library function, a value mixed with inputs) fixes the address
//! where the object lies by then. So do Mneme's own library code, and paths that have chosen often enough. What that may lose, `fixing.rs`
//! counts.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fast;
use crate::state::{Placed, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{Life, Memory};
use mneme_program::{Callee, Function, Inst, Operand, OperandKind, Pred, Slot, Switch};
use mneme_term::{BaseId, Sort, Symbol, SymbolKind, TermId, Value, truncate};
use std::rc::Rc;

/// How often a path chooses an address: a program that decides by hashes of addresses would have a path for every bit otherwise.
const CHOICES: usize = 4;

/// What becomes of a condition on addresses.
pub(super) enum Settled {
    /// It is none, or the addresses in it are fixed.
    Fixed,
    Known(bool),
    /// The path has forked, and the instruction is executed again, or has ended.
    Again(Flow),
}

/// What is compared.
#[derive(Copy, Clone, PartialEq)]
pub(super) enum Asked {
    /// A pointer with a number: addresses of the object, from the first to the last, that give the other result. Where an object usually
    /// lies needs no choice.
    Number([u64; 2]),
    Bits,
}

impl<M: Memory> Worker<'_, M> {
    pub(super) fn settle_comparison(
        &mut self,
        state: &mut State<M>,
        pred: Pred,
        width: u32,
        [a, b]: [Operand; 2],
    ) -> Settled {
        let (a, b) = (self.get(state, a), self.get(state, b));
        if fast::cmp(pred, width, a, b).is_some() {
            return Settled::Fixed;
        }
        let asked = match (a, b) {
            (Value::Ptr { base, offset }, Value::Int(n)) => self.other_side(state, pred, base, offset, n),
            (Value::Int(n), Value::Ptr { base, offset }) => {
                self.other_side(state, super::placing::mirrored(pred), base, offset, n)
            }
            // Pointers into different objects differ wherever these lie, and are in the order that the layout gives them.
            (Value::Ptr { .. }, Value::Ptr { .. }) => return Settled::Fixed,
            _ if self.of_addresses(a).is_some() || self.of_addresses(b).is_some() => Asked::Bits,
            _ => return Settled::Fixed,
        };
        let (x, y) = (self.term(a, width), self.term(b, width));
        let condition = self.comparison(pred, x, y);
        self.settle_condition(state, condition, asked)
    }

    /// The edge of a switch over bits of addresses.
    pub(super) fn settle_switch(&mut self, state: &mut State<M>, switch: &Switch, value: TermId) -> Settled {
        for &(case, _) in &switch.cases {
            let case = self.terms.constant(switch.width as u32, case);
            let condition = self.terms.eq(value, case);
            match self.settle_condition(state, condition, Asked::Bits) {
                Settled::Known(false) => {}
                settled => return settled,
            }
        }
        Settled::Known(false)
    }

    fn settle_condition(&mut self, state: &mut State<M>, condition: TermId, asked: Asked) -> Settled {
        if let Some(known) = self.terms.as_const(condition) {
            return Settled::Known(known != 0);
        }
        if !self.terms.has_base(condition) || !self.terms.symbols(condition).is_empty() {
            return Settled::Fixed;
        }
        let negation = self.terms.not(condition);
        let about_it = |placed: &&Placed| [condition, negation].contains(&placed.clause);
        if let Some(placed) = state.placed.iter().find(about_it) {
            return Settled::Known(placed.clause == condition);
        }
        let &[base] = self.terms.bases(condition) else {
            return Settled::Fixed;
        };
        if !self.is_open(state, base) {
            return Settled::Fixed;
        }
        self.counters.address_dependent += 1;
        let here = self.evaluate(state, condition).low_u64() == 1;
        let (holds, wanted) = if here {
            (condition, negation)
        } else {
            (negation, condition)
        };
        let Some(address) = self.place(state, wanted, base, asked) else {
            Rc::make_mut(&mut state.placed).push(Placed::of_necessity(holds));
            return Settled::Known(here);
        };
        Settled::Again(self.fork_addresses(state, [holds, wanted], here, asked, (base, address)))
    }

    /// Goes on where the object lies, and where it is moved to.
    fn fork_addresses(
        &mut self,
        state: &mut State<M>,
        [holds, wanted]: [TermId; 2],
        here: bool,
        asked: Asked,
        (base, address): (BaseId, u64),
    ) -> Flow {
        let mut moved = state.memory.clone();
        moved.relocate(base, address);
        // There is no other address for which it is so.
        if matches!(asked, Asked::Number([low, high]) if low == high) {
            moved.pin(base);
        }
        let chosen = self.placement(state, (base, address));
        let stays = self.terms.not(chosen);
        let natural = match asked {
            Asked::Number(_) => Placed::of_necessity(holds),
            Asked::Bits => Placed::by_choice(holds),
        };
        let with = |placed: Placed| {
            let mut all = Vec::clone(&state.placed);
            all.push(placed);
            Rc::new(all)
        };
        let mut ways = [
            (stays, state.memory.clone(), with(natural)),
            (chosen, moved, with(Placed::by_choice(wanted))),
        ];
        // As a branch does, the way on which the condition holds first.
        if !here {
            ways.reverse();
        }
        let mut outcomes: Outcomes<M, Rc<Vec<Placed>>> = Outcomes::new();
        for (guard, memory, placed) in ways {
            outcomes.push(Outcome {
                guard,
                memory: Some(memory),
                end: Ending::Go(placed),
            });
        }
        self.commit(state, outcomes, |state, placed| state.placed = placed)
    }

    /// Does nothing on the path need to know where the object lies, and may it still choose?
    fn is_open(&self, state: &State<M>, base: BaseId) -> bool {
        let chosen = state.placed.iter().filter(|placed| placed.by_choice);
        chosen.count() < CHOICES && self.is_movable(state, base)
    }

    /// A choice of its own for every time that a path chooses.
    fn placement(&mut self, state: &State<M>, (base, address): (BaseId, u64)) -> TermId {
        let info = self.terms.base_info(base);
        let time = state.placed.len();
        let symbol = self.terms.symbol_id(Symbol {
            name: format!("address!{:?}!{}!{}!{time}!{address:#x}", info.kind, info.site, info.n),
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(1),
        });
        self.terms.symbol(symbol)
    }

    /// Objects that have to lie at certain addresses for the path to be taken, which no native run can be told.
    pub(crate) fn placement_needs(&self, state: &State<M>) -> Vec<String> {
        let chosen = state.placed.iter().filter(|placed| placed.by_choice);
        let mut bases: Vec<BaseId> = chosen
            .flat_map(|placed| self.terms.bases(placed.clause))
            .copied()
            .collect();
        bases.sort_unstable();
        bases.dedup();
        let place = |base: BaseId| {
            let address = state.memory.bases().concrete_address(base);
            format!("{} at {address:#x}", self.site_name(self.terms.base_info(base).site))
        };
        bases.into_iter().map(place).collect()
    }

    // ---- numbers

    /// A value that bits of addresses and nothing else decide.
    fn of_addresses(&self, value: Value) -> Option<TermId> {
        match value {
            Value::Term(term) if self.terms.has_base(term) && self.terms.symbols(term).is_empty() => Some(term),
            _ => None,
        }
    }

    /// The number that a value of bits of addresses is, for whoever needs one: the addresses are fixed.
    pub(super) fn fixed(&mut self, state: &mut State<M>, value: Value) -> Value {
        match self.of_addresses(value) {
            Some(term) if self.terms.width(term) <= 64 => {
                self.settle_for(state, term);
                self.expose_all(state, term);
                Value::Int(self.evaluate(state, term).low_u64())
            }
            _ => value,
        }
    }

    /// A value whose bits the program computes with: a term while the addresses in it are open.
    pub(super) fn open_numeric(&mut self, state: &mut State<M>, value: Value) -> Value {
        let term = match value {
            Value::Ptr { .. } => self.term(value, self.pointer_width()),
            _ => match self.of_addresses(value) {
                Some(term) => term,
                None => return self.numeric(state, value),
            },
        };
        let bases = self.terms.bases(term).to_vec();
        if bases.iter().any(|&base| self.is_movable(state, base)) {
            self.counters.address_dependent += 1;
            return Value::Term(term);
        }
        self.numeric(state, value)
    }

    /// Operands of one operation: bits of open addresses are not mixed with what inputs decide.
    pub(super) fn unmixed<const N: usize>(&mut self, state: &mut State<M>, values: [Value; N]) -> [Value; N] {
        let symbolic = |value: &Value| match *value {
            Value::Term(term) => !self.terms.symbols(term).is_empty(),
            _ => false,
        };
        match values.iter().any(symbolic) {
            true => values.map(|value| self.fixed(state, value)),
            false => values,
        }
    }

    /// Instructions that do more with a value than compute, keep or compare it get a number.
    pub(super) fn fix_operands(&mut self, state: &mut State<M>, function: &Function, inst: Inst) {
        let mut slots: smallvec::SmallVec<[Slot; 4]> = smallvec::SmallVec::new();
        match inst {
            Inst::Move { .. }
            | Inst::Bin { .. }
            | Inst::Cmp { .. }
            | Inst::Cast { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::SlotInit { .. }
            | Inst::SlotLoad { .. }
            | Inst::SlotStore { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::CmpBranch { .. }
            | Inst::Switch { .. }
            | Inst::Return { .. } => return,
            Inst::Call { call } => match function.calls[call.index()].callee {
                Callee::Direct(id) if !self.program.function(id).code.is_empty() => return,
                _ => inst.for_each_use(function, &mut |slot| slots.push(slot)),
            },
            Inst::Store { ptr, .. } => match ptr.kind() {
                OperandKind::Slot(slot) => slots.push(slot),
                _ => return,
            },
            _ => inst.for_each_use(function, &mut |slot| slots.push(slot)),
        }
        for slot in slots {
            let value = state.frame().slots[slot as usize];
            if self.of_addresses(value).is_some() {
                let value = self.fixed(state, value);
                state.set(slot, value);
            }
        }
    }

    pub(super) fn expose_all(&self, state: &mut State<M>, term: TermId) {
        for &base in self.terms.bases(term) {
            state.memory.expose(base);
        }
    }

    pub(super) fn pin_all(&self, state: &mut State<M>, term: TermId) {
        for &base in self.terms.bases(term) {
            state.memory.pin(base);
        }
    }

    /// Does it depend on where objects lie whether two pointers are equal? Not if both are inside live ones, or null.
    pub(super) fn equal_anywhere(&self, state: &State<M>, a: Value, b: Value) -> bool {
        let inside = |value: Value| match value {
            Value::Ptr { base, offset } => state.memory.header(base).is_some_and(|header| {
                header.life == Life::Alive && matches!(header.size, Value::Int(size) if offset <= size)
            }),
            Value::Int(n) => truncate(n, self.pointer_width()) == 0,
            _ => false,
        };
        inside(a) && inside(b)
    }
}
