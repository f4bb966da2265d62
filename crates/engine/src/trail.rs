//! The decisions of a path, from the root.
//!
//! A state is what the program does, plus these: whoever takes the same decisions at the same points comes to the same state. Paths
//! share their beginnings: a fork adds one cell to each side.

use mneme_program::FunctionId;
use std::rc::Rc;

/// A point where the path could have gone another way, and how it went.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Counts the places on this path where something was to be decided, those with one possible way included: it names the
    /// place among those of the path.
    pub point: u64,
    pub function: FunctionId,
    /// Of the instruction in its function.
    pub pc: u32,
    /// Instructions that the path had executed, this one included.
    pub steps: u64,
    pub choice: Choice,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Which of the outcomes given to `commit`.
    Outcome(u32),
    /// A term had to be a number: this one.
    Value(u64),
    /// Only inputs for which nothing depends on uninitialised bytes.
    Defined,
}

#[derive(Clone, Default)]
pub struct Trail {
    last: Option<Rc<Cell>>,
}

struct Cell {
    before: Trail,
    decision: Decision,
    len: usize,
}

impl Trail {
    pub fn push(&mut self, decision: Decision) {
        let len = self.len() + 1;
        let before = std::mem::take(self);
        self.last = Some(Rc::new(Cell { before, decision, len }));
    }

    pub fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |cell| cell.len)
    }

    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Newest first.
    pub fn backwards(&self) -> impl Iterator<Item = &Decision> {
        std::iter::successors(self.last.as_deref(), |cell| cell.before.last.as_deref()).map(|cell| &cell.decision)
    }

    /// In the order of the path.
    pub fn to_vec(&self) -> Vec<Decision> {
        let mut decisions: Vec<Decision> = self.backwards().copied().collect();
        decisions.reverse();
        decisions
    }
}

impl Drop for Trail {
    /// Cell by cell: a trail is as long as its path, and the stack is not.
    fn drop(&mut self) {
        let mut last = self.last.take();
        while let Some(mut cell) = last.and_then(Rc::into_inner) {
            last = cell.before.last.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(point: u64, choice: u32) -> Decision {
        Decision {
            point,
            function: FunctionId(0),
            pc: 0,
            steps: point,
            choice: Choice::Outcome(choice),
        }
    }

    #[test]
    fn a_fork_shares_the_beginning_and_sees_nothing_of_the_other_side() {
        let mut one = Trail::default();
        one.push(decision(1, 0));
        let mut other = one.clone();
        one.push(decision(2, 0));
        other.push(decision(2, 1));
        assert_eq!(one.to_vec(), [decision(1, 0), decision(2, 0)]);
        assert_eq!(other.to_vec(), [decision(1, 0), decision(2, 1)]);
        drop(one);
        assert_eq!(other.len(), 2);
    }

    #[test]
    fn a_trail_of_a_million_decisions_goes_away() {
        let mut trail = Trail::default();
        (0..1_000_000).for_each(|point| trail.push(decision(point, 0)));
        let kept = trail.clone();
        drop(trail);
        assert_eq!(kept.len(), 1_000_000);
    }
}
