//! What a model may use while it answers: terms, the solver, the path condition.

use mneme_finding::Rows;
use mneme_solver::{Answer, BaseTable, Budget, PathCondition, Query, Solver, Unknown};
use mneme_term::{Assignment, BaseId, SymbolId, TermId, Terms, Value};
use std::rc::Rc;

pub struct Cx<'a> {
    pub terms: &'a mut Terms,
    pub solver: &'a mut dyn Solver,
    pub path: &'a PathCondition,
    pub budget: Budget,
    pub counters: &'a mut Counters,
    /// The site of the program's call; `NO_SITE` where it does not matter.
    pub site: u32,
    /// A number that identifies the instruction.
    pub at: u64,
    /// The calls around it.
    pub calls: &'a dyn Calls,
    /// Objects whose addresses the program has looked at.
    pub seen: &'a [Seen],
}

/// An object whose address the program has looked at.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Seen {
    pub base: BaseId,
    /// By how many multiples of its alignment it lies above where the layout puts it. No input determines it.
    pub shift: SymbolId,
    /// The number that the program sees.
    pub address: TermId,
}

/// The active calls.
pub trait Calls {
    /// Numbers of their instructions, as [`Cx::at`]; the innermost comes first.
    fn innermost(&self, count: usize) -> Vec<u64>;
}

/// No calls.
pub struct NoCalls;

impl Calls for NoCalls {
    fn innermost(&self, _: usize) -> Vec<u64> {
        Vec::new()
    }
}

/// No site of the program.
pub const NO_SITE: u32 = u32::MAX;

/// Events that are compared between models, by names that `stats.json` shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Comparisons and computations on the bits of addresses.
    pub address_dependent: u64,
    /// How pointers to several objects were treated: `multiple` accesses through such pointers, `queries` about which
    /// objects they can refer to, and what the model did, on all paths together.
    pub resolution: Rows,
    /// What was done by which structure of the model.
    pub operations: Rows,
}

/// Whether a condition can hold on the path.
#[derive(Clone, Debug)]
pub enum Truth {
    Never,
    /// With these inputs.
    Sometimes(Rc<Assignment>),
    Unknown(Unknown),
}

/// The largest object whose size is a term: each takes that much of the address space.
pub fn largest_symbolic(pointer_width: u32) -> u64 {
    if pointer_width == 64 { u32::MAX as u64 } else { 1 << 27 }
}

/// The most steps for a question that need not be answered: some hundred conflicts of a SAT solver.
const BRIEF: u64 = 30_000;

impl Cx<'_> {
    pub fn may(&mut self, bases: &dyn BaseTable, condition: TermId) -> Truth {
        let hint = self.path.assignment().clone();
        let query = Query {
            assumptions: self.path.clauses(),
            goal: condition,
            bases,
            hint: Some(&hint),
        };
        match self.solver.check(self.terms, &query, self.budget) {
            Answer::Sat(assignment) => Truth::Sometimes(assignment),
            Answer::Unsat => Truth::Never,
            Answer::Unknown(why) => Truth::Unknown(why),
        }
    }

    /// The same with little effort: for questions where not knowing only costs a larger term.
    pub fn may_briefly(&mut self, bases: &dyn BaseTable, condition: TermId) -> Truth {
        let budget = self.budget;
        let steps = budget.steps.map_or(BRIEF, |steps| steps.min(BRIEF));
        self.budget.steps = Some(steps);
        let truth = self.may(bases, condition);
        self.budget = budget;
        truth
    }

    /// Whether a condition holds for the inputs that the path carries.
    pub fn holds_now(&self, bases: &dyn BaseTable, condition: TermId) -> bool {
        let address = |base| bases.concrete_address(base);
        self.terms
            .eval_u64(condition, &self.path.assignment().with_addresses(&address))
            == 1
    }

    /// The term of a pointer-wide value.
    pub fn word(&mut self, v: Value) -> TermId {
        let width = self.terms.pointer_width();
        self.terms.of_value(v, width)
    }

    /// The address at which the program sees an object that the layout puts at `address`.
    pub fn number(&mut self, base: BaseId, address: u64) -> TermId {
        match self.seen.iter().find(|seen| seen.base == base) {
            Some(seen) => seen.address,
            None => self.word_const(address),
        }
    }

    pub fn word_const(&mut self, n: u64) -> TermId {
        let width = self.terms.pointer_width();
        self.terms.constant(width, n)
    }
}
