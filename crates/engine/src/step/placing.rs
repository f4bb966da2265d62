//! Addresses for which a condition holds: in line with the alignment of the object, with all that the path has decided of it, and
//! away from other objects.

use super::address::Asked;
use crate::concrete;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::Memory;
use mneme_program::Pred;
use mneme_term::{BaseId, TermId, address_range};

/// Offsets that no sum with an address wraps around.
const NEAR: u64 = 1 << 30;
/// How many places are tried. What holds at none of them would be a coincidence: that the low half of an address is zero, say.
const TRIES: usize = 256;

impl<M: Memory> Worker<'_, M> {
    /// An address of the object for which `wanted` holds, if there is one near by.
    pub(super) fn place(&self, state: &State<M>, wanted: TermId, base: BaseId, asked: Asked) -> Option<u64> {
        let (lowest, highest) = address_range(self.pointer_width())?;
        let here = state.memory.bases().concrete_address(base);
        let ranges = match asked {
            Asked::Number(side) => vec![side],
            Asked::Bits => vec![[here, highest], [lowest, here]],
        };
        ranges
            .into_iter()
            .find_map(|range| self.try_places(state, wanted, base, range))
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
