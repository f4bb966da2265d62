//! The decisions of a path, from the root.
//!
//! The decisions determine the state: equal decisions at equal points lead to equal states. Paths share their
//! beginnings; a fork adds one cell to each side.

use mneme_program::FunctionId;
use mneme_solver::PathCondition;
use mneme_term::{BaseId, TermId, Tracer};
use std::rc::Rc;

/// A point where the path could have gone another way, and how it went.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The ordinal of the point on its path. Points with only one feasible outcome count too.
    pub point: u64,
    pub function: FunctionId,
    /// Index of the instruction in its function.
    pub pc: u32,
    /// Instructions that the path had executed, including this one.
    pub steps: u64,
    pub choice: Choice,
    /// The object that a pointer refers to from here on, if that was part of the decision.
    pub object: Option<BaseId>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Which of the outcomes given to `commit`.
    Outcome(u32),
    /// The same, not known to be possible: where a saved path waits to be solved.
    Unsolved(u32),
    /// A term had to be concrete: this value.
    Value(u64),
    /// Only inputs for which nothing depends on uninitialised bytes.
    Defined,
    /// Several paths were merged: the ordinal of the result among the states that left their context.
    Merged(u32),
    /// The path has left contexts: the ordinal among the states that left them, how many decisions the path had taken
    /// when they began, and how many places had been reached by then.
    LeftContext { number: u32, since: u32, covered: u32 },
}

#[derive(Clone, Default)]
pub struct Trail {
    last: Option<Rc<Cell>>,
    digest: u64,
}

/// A decision on the way to a state.
pub(crate) struct Waypoint<'a> {
    /// A number shared by equal beginnings of live trails.
    pub identity: usize,
    pub decision: &'a Decision,
    /// Digest of the path before it.
    pub before: u64,
}

struct Cell {
    before: Trail,
    decision: Decision,
    len: usize,
    /// If several paths were merged here.
    members: Option<Rc<Members>>,
}

/// Paths that were merged, kept so that a report can say how each got there.
pub(crate) struct Members {
    /// How many clauses their conditions share.
    pub common: usize,
    pub all: Vec<(PathCondition, Trail)>,
}

impl Members {
    pub fn trace(&self, tracer: &mut Tracer) {
        self.all.iter().for_each(|(path, _)| path.trace(tracer));
    }

    /// The trail of the member whose conditions hold.
    fn selected(&self, holds: &dyn Fn(TermId) -> bool) -> Option<&Trail> {
        // The newest clauses tell the members apart.
        let is_it = |path: &PathCondition| path.clauses()[self.common..].iter().rev().all(|&clause| holds(clause));
        self.all.iter().find(|(path, _)| is_it(path)).map(|(_, trail)| trail)
    }
}

impl Cell {
    fn waypoint_before(&self) -> Option<&Rc<Cell>> {
        let mut before = std::iter::successors(self.before.last.as_ref(), |cell| cell.before.last.as_ref());
        match self.decision.choice {
            Choice::LeftContext { since, .. } => before.find(|cell| cell.len <= since as usize),
            _ => before.next(),
        }
    }
}

impl Trail {
    pub fn push(&mut self, decision: Decision) {
        self.push_merged(decision, None);
    }

    /// A decision that stands for those of several paths.
    pub(crate) fn push_merged(&mut self, decision: Decision, members: Option<Rc<Members>>) {
        let len = self.len() + 1;
        let before = self.clone();
        self.pass(decision.point, decision.choice);
        self.last = Some(Rc::new(Cell {
            before,
            decision,
            len,
            members,
        }));
    }

    /// The path comes through a point where it cannot go another way, as far as is known: it is identified by that, so
    /// that it does not matter when the other ways are found to be impossible.
    pub fn pass(&mut self, point: u64, choice: Choice) {
        let choice = match choice {
            Choice::Outcome(index) | Choice::Unsolved(index) => u64::from(index) << 2,
            Choice::Value(value) => value << 2 | 1,
            Choice::Defined => 2,
            Choice::Merged(number) => u64::from(number) << 2 | 3,
            Choice::LeftContext { number, .. } => (1 << 40 | u64::from(number)) << 2 | 3,
        };
        self.digest = mix(mix(self.digest ^ point) ^ choice);
    }

    pub fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |cell| cell.len)
    }

    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The decisions that lead here, newest first, without those made inside contexts that the path has left.
    pub(crate) fn waypoints(&self) -> impl Iterator<Item = Waypoint<'_>> {
        std::iter::successors(self.last.as_ref(), |cell| cell.waypoint_before()).map(|cell| Waypoint {
            identity: Rc::as_ptr(cell) as usize,
            decision: &cell.decision,
            before: cell.before.digest(),
        })
    }

    /// Identifies the path: equal decisions give equal digests, in every run.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// In path order; `holds` selects the member of each merge.
    pub fn told(&self, holds: &dyn Fn(TermId) -> bool) -> Vec<Decision> {
        let mut decisions = Vec::new();
        self.tell(0, holds, &mut decisions);
        decisions.reverse();
        decisions
    }

    /// The decisions after the first `from`, newest first.
    fn tell(&self, from: usize, holds: &dyn Fn(TermId) -> bool, decisions: &mut Vec<Decision>) {
        let cells = std::iter::successors(self.last.as_ref(), |cell| cell.before.last.as_ref());
        for cell in cells.take_while(|cell| cell.len > from) {
            match cell.members.as_ref().and_then(|members| members.selected(holds)) {
                Some(member) => member.tell(cell.before.len(), holds, decisions),
                None => decisions.push(cell.decision),
            }
        }
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
    /// Cell by cell: a trail is as long as its path, too long for recursion.
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
    use mneme_term::Terms;
    use mneme_term::testing::input;

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
        assert_eq!(one.told(&|_| false), [decision(1, 0), decision(2, 0)]);
        assert_eq!(other.told(&|_| false), [decision(1, 0), decision(2, 1)]);
        assert_ne!(one.digest(), other.digest());
        drop(one);
        assert_eq!(other.len(), 2);
    }

    #[test]
    fn paths_that_became_one_are_told_by_the_inputs() {
        let mut terms = Terms::new(64);
        let mut condition = |name: &str| {
            let clause = input(&mut terms, name, 1);
            let mut path = PathCondition::new();
            path.assume(&mut terms, clause, Rc::default());
            path
        };
        let (one, other) = (condition("one"), condition("other"));
        let holds = other.clauses()[0];
        let mut root = Trail::default();
        root.push(decision(1, 0));
        let member = |choice| {
            let mut trail = root.clone();
            trail.push(decision(2, choice));
            trail
        };
        let members = Members {
            common: 0,
            all: vec![(one, member(0)), (other, member(1))],
        };
        let mut merged = root.clone();
        merged.push_merged(decision(2, 9), Some(Rc::new(members)));
        merged.push(decision(3, 0));
        let told = merged.told(&|condition| condition == holds);
        assert_eq!(told, [decision(1, 0), decision(2, 1), decision(3, 0)]);
        assert_eq!(merged.told(&|_| false)[1], decision(2, 9));
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
