//! Questions and answers: what a solver is asked, and what it may answer.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use mneme_term::{Assignment, BaseId, TermId, Terms};

/// The size of an object: `size` bytes, never more than `capacity`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    pub size: TermId,
    pub capacity: u64,
}

/// What a solver may know of bases; a memory model provides it.
pub trait BaseTable {
    /// The lowering of a base: a term of pointer width without bases, a constant in flat layouts.
    fn address(&self, terms: &mut Terms, b: BaseId) -> TermId;
    /// Its address in the layout that evaluation uses. Agrees with `address` where that is a constant.
    fn concrete_address(&self, b: BaseId) -> u64;
    fn extent(&self, terms: &mut Terms, b: BaseId) -> Extent;
    /// Live objects are disjoint, wherever they lie, and one past the end of an object is not the beginning of another.
    fn is_alive(&self, b: BaseId) -> bool;
    /// Side constraints between these bases. None for layouts whose addresses are constants.
    fn layout(&self, terms: &mut Terms, bases: &[BaseId]) -> Vec<TermId>;
}

/// The table for queries without bases.
pub struct NoBases;

impl BaseTable for NoBases {
    fn address(&self, _: &mut Terms, b: BaseId) -> TermId {
        panic!("base {b:?} in a query that was said to have none")
    }

    fn concrete_address(&self, b: BaseId) -> u64 {
        panic!("base {b:?} in a query that was said to have none")
    }

    fn extent(&self, _: &mut Terms, b: BaseId) -> Extent {
        panic!("base {b:?} in a query that was said to have none")
    }

    fn is_alive(&self, b: BaseId) -> bool {
        panic!("base {b:?} in a query that was said to have none")
    }

    fn layout(&self, _: &mut Terms, _: &[BaseId]) -> Vec<TermId> {
        Vec::new()
    }
}

/// "Is `assumptions ∧ goal` satisfiable?"
///
/// The caller guarantees that the assumptions are satisfiable together (they are a path condition). The chain relies on
/// this only where it drops assumptions that share nothing with the goal.
#[derive(Copy, Clone)]
pub struct Query<'a> {
    pub assumptions: &'a [TermId],
    pub goal: TermId,
    pub bases: &'a dyn BaseTable,
    /// Satisfies the assumptions, if given. Shared, because it is often the answer.
    pub hint: Option<&'a Rc<Assignment>>,
}

impl<'a> Query<'a> {
    /// Everything that must hold, the goal first.
    pub fn clauses(&self) -> impl Iterator<Item = TermId> + Clone + use<'a> {
        std::iter::once(self.goal).chain(self.assumptions.iter().copied())
    }
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// Satisfies the assumptions and the goal.
    Sat(Rc<Assignment>),
    Unsat,
    Unknown(Unknown),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }
}

/// Why there is no answer. Each is a reason for a `Stop`, never for a wrong verdict.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Unknown {
    /// The time or the steps of the budget ran out.
    Timeout,
    /// The solver has no method for this query.
    GaveUp,
    /// An [`Interrupt`](crate::Interrupt) was fired.
    Interrupted,
    /// It would have taken longer than the budget's [`Patience`].
    Postponed,
    /// The solver crashed, sent malformed output, or gave an assignment that does not satisfy the query.
    Failed,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unknown::Timeout => "the solver ran out of its budget",
            Unknown::GaveUp => "the solver gave up",
            Unknown::Interrupted => "the solver was interrupted",
            Unknown::Postponed => "the solver was not asked",
            Unknown::Failed => "the solver failed",
        })
    }
}

/// The budget of a query. Steps are the solver's own count and the same on every machine; time is the safety net.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub time: Option<Duration>,
    pub steps: Option<u64>,
    pub patience: Patience,
}

/// Whether a backend may be asked, and for how long; the same on every machine.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    /// For the whole budget.
    #[default]
    Full,
    /// If the query is small, until it turns out to be hard.
    Brief,
    /// Not at all.
    None,
}

impl Budget {
    pub const UNLIMITED: Budget = Budget {
        time: None,
        steps: None,
        patience: Patience::Full,
    };

    pub fn time(time: Duration) -> Budget {
        Budget {
            time: Some(time),
            ..Budget::UNLIMITED
        }
    }
}
