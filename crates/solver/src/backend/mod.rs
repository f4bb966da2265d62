//! What decides a query in the end. Both backends see terms without bases, and check their assignments by evaluation.

mod process;
mod z3;

pub use process::Process;
pub use z3::Z3;

use mneme_term::{Assignment, Evaluator, TermId, Terms};

use crate::{Answer, Query, Unknown};

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
        // Assignments say nothing about functions (they evaluate to 0), so that this answer cannot be told.
        return Answer::Unknown(Unknown::GaveUp);
    }
    tracing::error!(clause = %terms.display(wrong), "the solver's assignment does not satisfy the query");
    Answer::Unknown(Unknown::Failed)
}

/// A base that was not lowered is a mistake in the chain; the query is refused.
fn has_bases(terms: &Terms, mut clauses: impl Iterator<Item = TermId>) -> bool {
    let found = clauses.any(|clause| terms.has_base(clause));
    if found {
        tracing::error!("a query with bases reached a backend");
    }
    found
}
