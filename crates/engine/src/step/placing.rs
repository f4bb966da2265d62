//! Addresses for which a condition holds: in line with the alignment of the objects, with all that the path has decided of them, and
//! away from other objects.
//!
//! Places near by are tried before a solver is asked, so that the one that is taken does not depend on what the solver remembers.

use super::address::Asked;
use crate::concrete;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{GAP, Memory, Truth};
use mneme_program::Pred;
use mneme_solver::Unknown;
use mneme_term::{BaseId, Sort, Symbol, SymbolKind, TermId, address_range};
use rustc_hash::FxHashMap;

/// Offsets that no sum with an address wraps around.
const NEAR: u64 = 1 << 30;
/// How many places are tried.
const TRIES: usize = 256;
/// How many objects in the way a solver is told of, one after the other.
const OBSTACLES: usize = 64;

/// New addresses of some objects.
type Moves = Vec<(BaseId, u64)>;

impl<M: Memory> Worker<'_, M> {
    /// Addresses of some of the `open` objects for which `wanted` holds; `None`: there are none.
    pub(super) fn place(
        &mut self,
        state: &State<M>,
        wanted: TermId,
        open: &[BaseId],
        asked: Asked,
    ) -> Result<Option<Moves>, Unknown> {
        let Some((lowest, highest)) = address_range(self.pointer_width()) else {
            return Ok(None);
        };
        for &base in open {
            let here = state.memory.bases().concrete_address(base);
            let ranges = match asked {
                Asked::Number(side) => vec![side],
                Asked::Bits => vec![[here, highest], [lowest, here]],
            };
            for range in ranges {
                if let Some(address) = self.try_places(state, wanted, base, range) {
                    return Ok(Some(vec![(base, address)]));
                }
            }
        }
        match asked {
            Asked::Number([low, high]) if low >= high => Ok(None),
            _ => self.ask_for_places(state, wanted, open),
        }
    }

    fn try_places(&self, state: &State<M>, wanted: TermId, base: BaseId, [low, high]: [u64; 2]) -> Option<u64> {
        let memory = &state.memory;
        let room = memory.header(base)?.room;
        let (_, highest) = address_range(self.pointer_width())?;
        let high = high.min(highest.checked_sub(room)?);
        let align = self.terms.base_info(base).align.max(1);
        let mut at = low.checked_next_multiple_of(align)?;
        for _ in 0..TRIES {
            if at > high {
                return None;
            }
            let next = match self.holds_at(state, wanted, base, at) {
                true => match memory.obstacle(base, at) {
                    Some([_, last]) => last.checked_add(1)?,
                    None => return Some(at),
                },
                false => at.checked_add(1)?,
            };
            at = next.checked_next_multiple_of(align)?;
        }
        None
    }

    /// Do `wanted` and all that was decided hold with the object there?
    fn holds_at(&self, state: &State<M>, wanted: TermId, base: BaseId, at: u64) -> bool {
        let address = |other: BaseId| match other == base {
            true => at,
            false => state.memory.bases().concrete_address(other),
        };
        let model = state.path.assignment().with_addresses(&address);
        let decided = state.placed.iter().map(|placed| placed.clause);
        let about_it = decided.filter(|&clause| self.terms.bases(clause).contains(&base));
        std::iter::once(wanted)
            .chain(about_it)
            .all(|clause| self.terms.eval_u64(clause, &model) == 1)
    }

    /// The same by a solver, with a symbol for the address of each open object.
    fn ask_for_places(&mut self, state: &State<M>, wanted: TermId, open: &[BaseId]) -> Result<Option<Moves>, Unknown> {
        let mut clauses = vec![wanted];
        let mut bases = open.to_vec();
        // What was decided of these together with others moves the others, too.
        for placed in state.placed.iter().rev() {
            let speaks_of = self.terms.bases(placed.clause).to_vec();
            if speaks_of.iter().any(|base| bases.contains(base)) {
                clauses.push(placed.clause);
                let others = speaks_of.into_iter().filter(|&base| self.is_open(state, base));
                bases.extend(others.filter(|base| !bases.contains(base)).collect::<Vec<_>>());
            }
        }
        let mut symbols = FxHashMap::default();
        for (number, &base) in bases.iter().enumerate() {
            let symbol = self.terms.symbol_id(Symbol {
                name: format!("place!{number}"),
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(self.pointer_width()),
            });
            symbols.insert(self.terms.base(base), self.terms.symbol(symbol));
        }
        let mut goal = self.apart(state, &bases, &symbols);
        for clause in clauses {
            let clause = self.terms.substitute_map(clause, &symbols);
            goal = self.terms.and(goal, clause);
        }
        for _ in 0..OBSTACLES {
            let witness = match self.may(state, goal) {
                Truth::Never => return Ok(None),
                Truth::Unknown(why) => return Err(why),
                Truth::Sometimes(witness) => witness,
            };
            let mut moves = Moves::new();
            let mut in_the_way = None;
            for &base in &bases {
                let symbol = symbols[&self.terms.base(base)];
                let anywhere = |_: BaseId| 0;
                let address = self.terms.eval_u64(symbol, &witness.with_addresses(&anywhere));
                moves.push((base, address));
                if let Some(range) = state.memory.obstacle(base, address)
                    && address != state.memory.bases().concrete_address(base)
                {
                    in_the_way = Some((symbol, range));
                }
            }
            let Some((symbol, [first, last])) = in_the_way else {
                return Ok(Some(moves));
            };
            let width = self.pointer_width();
            let (first, last) = (self.terms.constant(width, first), self.terms.constant(width, last));
            let (before, behind) = (self.terms.ult(symbol, first), self.terms.ugt(symbol, last));
            let elsewhere = self.terms.or(before, behind);
            goal = self.terms.and(goal, elsewhere);
        }
        Err(Unknown::GaveUp)
    }

    /// Objects are aligned, inside the address space and away from one another.
    fn apart(&mut self, state: &State<M>, bases: &[BaseId], symbols: &FxHashMap<TermId, TermId>) -> TermId {
        let width = self.pointer_width();
        let (lowest, highest) = address_range(width).expect("pointers have a range");
        let room = |base: BaseId| state.memory.header(base).map_or(0, |header| header.room);
        let mut all = self.terms.tru();
        for (number, &base) in bases.iter().enumerate() {
            let at = symbols[&self.terms.base(base)];
            let align = self.terms.base_info(base).align.max(1);
            let (low_bits, zero) = (self.terms.constant(width, align - 1), self.terms.constant(width, 0));
            let low_bits = self.terms.and(at, low_bits);
            let aligned = self.terms.eq(low_bits, zero);
            let (low, high) = (lowest, highest.saturating_sub(room(base)));
            let (low, high) = (self.terms.constant(width, low), self.terms.constant(width, high));
            let (from, to) = (self.terms.uge(at, low), self.terms.ule(at, high));
            for clause in [aligned, from, to] {
                all = self.terms.and(all, clause);
            }
            for &other in &bases[..number] {
                let there = symbols[&self.terms.base(other)];
                let (size, others) = (room(base) + GAP, room(other) + GAP);
                let (size, others) = (self.terms.constant(width, size), self.terms.constant(width, others));
                let (end, others_end) = (self.terms.add(at, size), self.terms.add(there, others));
                let (before, behind) = (self.terms.ule(end, there), self.terms.ule(others_end, at));
                let apart = self.terms.or(before, behind);
                all = self.terms.and(all, apart);
            }
        }
        all
    }

    /// Addresses of an object for which a pointer into it compares the other way with a number.
    pub(super) fn other_side(&self, state: &State<M>, pred: Pred, base: BaseId, offset: u64, number: u64) -> Asked {
        let address = state.memory.bases().concrete_address(base);
        self.range_of_other_side(pred, address, offset, number)
            .map_or(Asked::Bits, Asked::Number)
    }

    fn range_of_other_side(&self, pred: Pred, address: u64, offset: u64, number: u64) -> Option<[u64; 2]> {
        let (lowest, highest) = address_range(self.pointer_width())?;
        let now = concrete::cmp(pred, self.pointer_width(), address.wrapping_add(offset), number);
        // The first address for which the pointer is not below the number.
        let from = match number.checked_sub(offset) {
            Some(from) if offset < NEAR => from,
            _ => return None,
        };
        let below = |from: u64| [lowest, from.saturating_sub(1)];
        let above = |from: u64| [from, highest];
        let side = match (pred, now) {
            (Pred::Eq, false) | (Pred::Ne, true) => [from, from],
            (Pred::Eq, true) | (Pred::Ne, false) => above(from.checked_add(1)?),
            (Pred::Ult, true) | (Pred::Uge, false) => above(from),
            (Pred::Ult, false) | (Pred::Uge, true) => below(from),
            (Pred::Ule, true) | (Pred::Ugt, false) => above(from.checked_add(1)?),
            (Pred::Ule, false) | (Pred::Ugt, true) => below(from.checked_add(1)?),
            _ => return None,
        };
        Some([side[0].max(lowest), side[1].min(highest)])
    }
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(pred: Pred) -> Pred {
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
