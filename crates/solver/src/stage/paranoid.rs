//! `--paranoid`: every answer of the stages below, caches included, is compared with the backend's answer to the same
//! query.
//!
//! Sits below independence, so the backend gets only the relevant part of the path. An answer that the backend does not
//! find within a few seconds is counted but not compared. At the first difference the chain is interrupted and answers
//! no more.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mneme_term::{TermId, Terms, Tracer};

use super::Next;
use crate::ground::{Ground, satisfies};
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Patience, Query, Solver, Stage, Unknown};

/// The most time for one comparison.
const COMPARISON_TIME: Duration = Duration::from_secs(2);

/// An answer that is wrong, and the query.
#[derive(Clone, Debug)]
pub struct Difference {
    pub said: &'static str,
    pub expected: &'static str,
    /// With bases at their addresses, as SMT-LIB 2.
    pub script: String,
}

/// Where the first difference is reported. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Alarm(Arc<OnceLock<Difference>>);

impl Alarm {
    pub fn difference(&self) -> Option<&Difference> {
        self.0.get()
    }
}

pub struct Paranoid {
    next: Next,
    reference: Next,
    alarm: Alarm,
    interrupt: Interrupt,
    compared: u64,
    not_compared: u64,
    tally: Tally,
}

impl Paranoid {
    /// `reference` takes queries with bases.
    pub fn new(next: Next, reference: Next, alarm: Alarm, interrupt: Interrupt) -> Self {
        Paranoid {
            next,
            reference,
            alarm,
            interrupt,
            compared: 0,
            not_compared: 0,
            tally: Tally::new("paranoid"),
        }
    }

    fn judge(&mut self, terms: &mut Terms, query: &Query, answer: &Answer, budget: Budget) -> Option<Difference> {
        let said = match answer {
            Answer::Sat(found) if !satisfies(terms, query.clauses(), query.bases, found) => {
                return Some(difference(
                    terms,
                    query,
                    "satisfiable, with an assignment that is none",
                    "an assignment",
                ));
            }
            Answer::Sat(_) => "satisfiable",
            Answer::Unsat => "unsatisfiable",
            Answer::Unknown(_) => return None,
        };
        let budget = Budget {
            time: Some(budget.time.map_or(COMPARISON_TIME, |time| time.min(COMPARISON_TIME))),
            patience: Patience::Full,
            ..budget
        };
        let expected = match self.reference.check(terms, query, budget) {
            Answer::Sat(_) => "satisfiable",
            Answer::Unsat => "unsatisfiable",
            Answer::Unknown(_) => {
                self.not_compared += 1;
                return None;
            }
        };
        self.compared += 1;
        (said != expected).then(|| difference(terms, query, said, expected))
    }
}

fn difference(terms: &mut Terms, query: &Query, said: &'static str, expected: &'static str) -> Difference {
    let ground = Ground::of(terms, query.clauses(), query.bases);
    let mut clauses: Vec<TermId> = Vec::new();
    for clause in query.clauses() {
        clauses.push(super::lowering::lower(terms, &ground, clause));
    }
    clauses.extend_from_slice(ground.side());
    Difference {
        said,
        expected,
        script: terms.smtlib(&clauses),
    }
}

impl Solver for Paranoid {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        self.tally.below();
        let answer = self.next.check(terms, query, budget);
        self.tally.back();
        if let Some(difference) = self.judge(terms, query, &answer, budget) {
            tracing::error!(
                said = difference.said,
                expected = difference.expected,
                "the solver chain is wrong"
            );
            let _ = self.alarm.0.set(difference);
            self.interrupt.fire();
            return self.tally.hand_up(Answer::Unknown(Unknown::Failed));
        }
        self.tally.hand_up(answer)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
        self.reference.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(Stage {
            details: [("compared", self.compared), ("not compared", self.not_compared)].into(),
            ..self.tally.row()
        });
        self.next.stats(out);
    }
}
