//! Which of several paths to one error is reported: the one with the fewest decisions, then the fewest instructions,
//! then the simplest inputs.

use crate::fault::Error;
use crate::observer::Novelty;
use crate::state::State;
use crate::worker::Worker;
use mneme_finding::Rule;
use mneme_memory::Model;
use mneme_program::Loc;
use mneme_term::Evaluator;

/// What tells an error from others: several paths may lead to it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ErrorId {
    pub rule: Rule,
    pub place: Loc,
    /// For a leak: where its block was allocated. Several may be lost at one place.
    pub block: Option<Loc>,
}

/// What is known of an error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Of the path that was reported.
    pub cost: Cost,
    /// Where the function that has it was called; `None` if it was not.
    pub callers: Vec<Option<Loc>>,
}

/// How long a path is, and how hard its inputs are to read; less is better.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Cost {
    decisions: usize,
    steps: u64,
    inputs: Weight,
}

/// For inputs: how many bytes there are, how many of them are not readable, and how many are not zero.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Weight {
    bytes: usize,
    unreadable: usize,
    set: usize,
}

impl Weight {
    fn add(&mut self, byte: u8) {
        let readable = byte == 0 || byte == b' ' || byte.is_ascii_graphic();
        self.bytes += 1;
        self.unreadable += usize::from(!readable);
        self.set += usize::from(byte != 0);
    }
}

/// Callers of one faulty function that are told apart.
const MOST_CALLERS: usize = 4;

impl<M: Model> Worker<'_, M> {
    /// What is new about an error that this path leads to; `None`: a better path is known.
    pub(crate) fn novelty(&mut self, state: &State<M>, error: &Error) -> Option<Novelty> {
        let key = ErrorId {
            rule: error.rule(),
            place: self.own_place(state),
            block: match error {
                Error::Leak(base) | Error::Escape { local: base, .. } => self.made_at(*base),
                _ => None,
            },
        };
        let caller = self.caller(state);
        let known = self.found.get(&key).map(|known| known.cost);
        let callers = &mut self.found.entry(key).or_default().callers;
        let other = callers.len() < MOST_CALLERS && !callers.contains(&caller);
        if other {
            callers.push(caller);
        }
        let otherwise = (other && known.is_some()).then_some(Novelty::OtherWay);
        let length = (state.path.trail.len(), state.path.steps);
        if known.is_some_and(|known| length > (known.decisions, known.steps)) {
            return otherwise;
        }
        let cost = Cost {
            decisions: length.0,
            steps: length.1,
            inputs: self.weight(state),
        };
        if known.is_some_and(|known| cost >= known) {
            return otherwise;
        }
        self.found.entry(key).or_default().cost = cost;
        Some(known.map_or(Novelty::First, |_| Novelty::Shorter))
    }

    fn weight(&self, state: &State<M>) -> Weight {
        let bases = state.memory.bases();
        let address = |base| bases.concrete_address(base);
        let model = state.path.condition.assignment().with_addresses(&address);
        let mut values = Evaluator::new(&self.terms, &model);
        let mut weight = Weight::default();
        for input in state.path.inputs.iter() {
            input
                .bytes
                .iter()
                .for_each(|&byte| weight.add(values.eval(byte).low_u64() as u8));
        }
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(bytes: &[u8]) -> Weight {
        let mut weight = Weight::default();
        bytes.iter().for_each(|&byte| weight.add(byte));
        weight
    }

    #[test]
    fn short_then_readable_then_empty_inputs_are_better() {
        let ordered = [&b""[..], b"\x80", b"\0\0", b"\0a", b"ab", b"\0\x01", b"\x01\xff"];
        assert!(ordered.windows(2).all(|pair| weight(pair[0]) < weight(pair[1])));
    }
}
