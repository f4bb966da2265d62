//! Where an object lies, when a comparison with an integer asks for the first time.
//!
//! A layout gives every object one address, and `if (p == (char *)0x80000000)` would have one side only (thesis, chapter 9). So an address is
//! free until something on the path depends on it. A comparison of a pointer with an integer then goes both ways if an address in line
//! with the object's alignment, and away from all other objects, gives the other result: there the object is moved. A symbol of its own
//! stands for the choice, as nothing the program reads decides it. From then on the address is pinned on both paths, and all that comes
//! later sees the same number. Whatever else looks at the bits of a pointer pins it where it lies.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::concrete;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{Branches, End, Life, Memory};
use mneme_program::{Operand, Pred};
use mneme_term::{BaseId, BaseKind, Op, Sort, Symbol, SymbolKind, TermId, Value, address_range};

/// Names of the symbols that stand for a choice: `address!KIND!SITE!N!ADDRESS`.
const PREFIX: &str = "address!";
/// Offsets that no sum with an address wraps around.
const NEAR: u64 = 1 << 30;

impl<M: Memory> Worker<'_, M> {
    /// Decides where the object lies that a comparison with an integer speaks of, if that is open: the path may fork, and the comparison
    /// is then executed again. `None`: nothing is open.
    pub(super) fn settle_address(&mut self, state: &mut State<M>, pred: Pred, a: Operand, b: Operand) -> Option<Flow> {
        let (pred, base, offset, number) = match (self.get(state, a), self.get(state, b)) {
            (Value::Ptr { base, offset }, Value::Int(n)) if n != 0 => (pred, base, offset, n),
            (Value::Int(n), Value::Ptr { base, offset }) if n != 0 => (mirrored(pred), base, offset, n),
            _ => return None,
        };
        if !self.is_open(state, base) {
            return None;
        }
        self.counters.address_dependent += 1;
        state.memory.pin(base);
        let address = state.memory.bases().concrete_address(base);
        let [low, high] = self.other_side(pred, address, offset, number)?;
        let align = self.terms.base_info(base).align;
        let there = state.memory.room_for(base, align, low, high)?;
        let mut moved = state.memory.clone();
        moved.relocate(base, there);
        let chosen = self.placement(base, there);
        let stays = self.terms.not(chosen);
        let mut outcomes: Outcomes<M, ()> = Outcomes::new();
        let mut ways = [(stays, state.memory.clone()), (chosen, moved)];
        // As a branch does, the way on which the comparison holds first.
        if !concrete::cmp(pred, self.pointer_width(), address.wrapping_add(offset), number) {
            ways.reverse();
        }
        for (guard, memory) in ways {
            outcomes.push(Outcome {
                guard,
                memory: Some(memory),
                end: Ending::Go(()),
            });
        }
        Some(self.commit(state, outcomes, |_, ()| ()))
    }

    /// Nothing on the path depends on where the object lies.
    fn is_open(&self, state: &State<M>, base: BaseId) -> bool {
        let open = state.memory.header(base).is_some_and(|header| {
            header.life == Life::Alive && header.kind != BaseKind::Function && !header.pinned && !header.exposed
        });
        let speaks_of_it = |&clause: &TermId| self.terms.has_base(clause) && self.terms.bases(clause).contains(&base);
        open && !state.path.clauses().iter().any(speaks_of_it)
    }

    /// Addresses of an object for which a pointer into it compares the other way.
    fn other_side(&self, pred: Pred, address: u64, offset: u64, number: u64) -> Option<[u64; 2]> {
        let (lowest, highest) = address_range(self.pointer_width())?;
        // The first address for which the pointer is not below the number.
        let from = number.checked_sub(offset).filter(|_| offset < NEAR)?;
        let same = address == from;
        let (below, above) = (|from: u64| [lowest, from.wrapping_sub(1)], |from: u64| [from, highest]);
        let side = match pred {
            Pred::Eq | Pred::Ne if same => above(from.checked_add(1)?),
            Pred::Eq | Pred::Ne => [from, from],
            Pred::Ult | Pred::Uge if address < from => above(from),
            Pred::Ult | Pred::Uge => below(from),
            Pred::Ule | Pred::Ugt if address <= from => above(from.checked_add(1)?),
            Pred::Ule | Pred::Ugt => below(from.checked_add(1)?),
            _ => return None,
        };
        (lowest <= side[0] && side[0] <= side[1] && side[1] <= highest).then_some(side)
    }

    fn placement(&mut self, base: BaseId, address: u64) -> TermId {
        let info = self.terms.base_info(base);
        let symbol = self.terms.symbol_id(Symbol {
            name: format!("{PREFIX}{:?}!{}!{}!{address:#x}", info.kind, info.site, info.n),
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(1),
        });
        self.terms.symbol(symbol)
    }

    /// Objects that have to lie at certain addresses for the path to be taken, which no native run can be told.
    pub(crate) fn placement_needs(&self, state: &State<M>) -> Vec<String> {
        let place = |&clause: &TermId| {
            let Op::Symbol(symbol) = self.terms.op(clause) else {
                return None;
            };
            let name = self.terms.symbol_info(symbol).name.strip_prefix(PREFIX)?;
            let mut parts = name.split('!').skip(1);
            let (site, address) = (parts.next()?.parse().ok()?, parts.nth(1)?);
            Some(format!("{} at {address}", self.site_name(site)))
        };
        state.path.clauses().iter().filter_map(place).collect()
    }

    /// The program has parts of pointers: where these point is no longer open.
    pub(super) fn pin_parts(&mut self, branches: &mut Branches<M, Value>) {
        for branch in branches {
            let End::Done(Value::Term(term)) = branch.end else {
                continue;
            };
            if self.terms.has_base(term) && !self.terms.is_pointer(term) {
                for base in self.terms.bases(term).to_vec() {
                    branch.memory.pin(base);
                }
            }
        }
    }

    pub(super) fn pin_all(&self, state: &mut State<M>, term: TermId) {
        for &base in self.terms.bases(term) {
            state.memory.pin(base);
        }
    }
}

/// The comparison with its sides exchanged.
fn mirrored(pred: Pred) -> Pred {
    match pred {
        Pred::Ult => Pred::Ugt,
        Pred::Ule => Pred::Uge,
        Pred::Ugt => Pred::Ult,
        Pred::Uge => Pred::Ule,
        Pred::Slt => Pred::Sgt,
        Pred::Sle => Pred::Sge,
        Pred::Sgt => Pred::Slt,
        Pred::Sge => Pred::Sle,
        Pred::Eq | Pred::Ne => pred,
    }
}
