//! What decides a query in the end. All backends see terms without bases, and check their assignments by evaluation.

mod portfolio;
mod process;
mod sat;
mod separation;
mod z3;

pub use portfolio::Portfolio;
pub use process::{Process, parse_values};
pub use sat::Sat;
pub use separation::{Separation, Spatial};
pub use z3::{Atom, Choice, Simplifier, Z3};

use std::time::Duration;

use mneme_term::{Assignment, Evaluator, TermId, Terms};

use crate::{Answer, Budget, Interrupt, Patience, Query, Unknown};

/// The last check before an answer leaves a backend: a wrong assignment becomes `Unknown::Failed`.
fn verified(terms: &Terms, query: &Query, found: Assignment) -> Answer {
    let wrong = {
        let none = |_| 0;
        let model = found.with_addresses(&none);
        let mut evaluator = Evaluator::new(terms, &model);
        query.clauses().find(|&clause| !evaluator.eval_bool(clause))
    };
    let Some(wrong) = wrong else {
        return Answer::Sat(found.into());
    };
    if query.clauses().any(|clause| terms.has_apply(clause)) {
        // Assignments say nothing about functions (they evaluate to 0), so this answer cannot be expressed.
        return Answer::Unknown(Unknown::GaveUp);
    }
    tracing::error!(clause = %terms.display(wrong), "the solver's assignment does not satisfy the query");
    Answer::Unknown(Unknown::Failed)
}

/// Whether a base was not lowered: a bug in the chain; the query is refused.
fn has_bases(terms: &Terms, mut clauses: impl Iterator<Item = TermId>) -> bool {
    let found = clauses.any(|clause| terms.has_base(clause));
    if found {
        tracing::error!("a query with bases reached a backend");
    }
    found
}

/// Why a query is not started.
fn stopped(terms: &Terms, query: &Query, budget: Budget, interrupt: &Interrupt) -> Option<Unknown> {
    match () {
        _ if interrupt.is_set() => Some(Unknown::Interrupted),
        _ if budget.time == Some(Duration::ZERO) || budget.steps == Some(0) => Some(Unknown::Timeout),
        _ if budget.patience == Patience::None => Some(Unknown::Postponed),
        _ if has_bases(terms, query.clauses()) => Some(Unknown::Failed),
        _ => None,
    }
}
