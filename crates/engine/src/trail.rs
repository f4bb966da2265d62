//! The decisions of a path, from the root.
//!
//! A state is what the program does, plus these: whoever takes the same decisions at the same points comes to the same state. Paths
//! share their beginnings: a fork adds one cell to each side.

use mneme_program::FunctionId;
use mneme_term::BaseId;
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
    /// The object that a pointer means from here on, if that was part of what was decided.
    pub object: Option<BaseId>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Which of the outcomes given to `commit`.
    Outcome(u32),
    /// A term had to be a number: this one.
    Value(u64),
    /// Only inputs for which nothing depends on uninitialised bytes.
    Defined,
    /// Several paths became one: the how-manieth of those that came out of their context.
    Merged(u32),
    /// It has come out of contexts that began where its path had taken `since` decisions, and when `covered` blocks had been reached: the
    /// how-manieth.
    Came { number: u32, since: u32, covered: u32 },
}

#[derive(Clone, Default)]
pub struct Trail {
    last: Option<Rc<Cell>>,
}

/// A decision that leads to a place.
pub(crate) struct Waypoint<'a> {
    /// A number that equal beginnings of living trails share.
    pub identity: usize,
    pub decision: &'a Decision,
    /// Names the path before it.
    pub before: u64,
}

struct Cell {
    before: Trail,
    decision: Decision,
    len: usize,
    digest: u64,
}

impl Cell {
    fn waypoint_before(&self) -> Option<&Rc<Cell>> {
        let mut before = std::iter::successors(self.before.last.as_ref(), |cell| cell.before.last.as_ref());
        match self.decision.choice {
            Choice::Came { since, .. } => before.find(|cell| cell.len <= since as usize),
            _ => before.next(),
        }
    }
}

impl Trail {
    pub fn push(&mut self, decision: Decision) {
        let len = self.len() + 1;
        let choice = match decision.choice {
            Choice::Outcome(index) => u64::from(index) << 2,
            Choice::Value(value) => value << 2 | 1,
            Choice::Defined => 2,
            Choice::Merged(number) => u64::from(number) << 2 | 3,
            Choice::Came { number, .. } => (1 << 40 | u64::from(number)) << 2 | 3,
        };
        let digest = mix(mix(self.digest() ^ decision.point) ^ choice);
        let before = std::mem::take(self);
        self.last = Some(Rc::new(Cell {
            before,
            decision,
            len,
            digest,
        }));
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

    /// What leads here, newest first; what was decided inside contexts that it has come out of is left out.
    pub(crate) fn waypoints(&self) -> impl Iterator<Item = Waypoint<'_>> {
        std::iter::successors(self.last.as_ref(), |cell| cell.waypoint_before()).map(|cell| Waypoint {
            identity: Rc::as_ptr(cell) as usize,
            decision: &cell.decision,
            before: cell.before.digest(),
        })
    }


    /// Names the path: equal decisions give equal digests, in every run.
    pub fn digest(&self) -> u64 {
        self.last.as_ref().map_or(0, |cell| cell.digest)
    }

    /// In the order of the path.
    pub fn to_vec(&self) -> Vec<Decision> {
        let mut decisions: Vec<Decision> = self.backwards().copied().collect();
        decisions.reverse();
        decisions
    }
}

/// SplitMix64: every bit of the result depends on every bit of `n`.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
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
            object: None,
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
        assert_ne!(one.digest(), other.digest());
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
