//! Lowering of bases, the last stage above the backend: every base becomes its address, and the layout's constraints
//! join the query. Everything above works on terms with bases; everything below has none.

use mneme_term::{Op, TermId, Terms, Tracer};

use super::Next;
use crate::ground::Ground;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct Lowering {
    next: Next,
    tally: Tally,
}

impl Lowering {
    pub fn new(next: Next) -> Self {
        Lowering {
            next,
            tally: Tally::new("lowering"),
        }
    }
}

pub(crate) fn lower(terms: &mut Terms, ground: &Ground, clause: TermId) -> TermId {
    if !terms.has_base(clause) {
        return clause;
    }
    terms.substitute(clause, &mut |terms, t| match terms.op(t) {
        Op::Base(b) => Some(ground.address(b)),
        // Nothing to do below.
        _ => (!terms.has_base(t)).then_some(t),
    })
}

impl Solver for Lowering {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if !query.clauses().any(|clause| terms.has_base(clause)) {
            self.tally.below();
            return self.next.check(terms, query, budget);
        }
        let ground = Ground::of(terms, query.clauses(), query.bases);
        let goal = lower(terms, &ground, query.goal);
        let mut assumptions: Vec<TermId> = query.assumptions.iter().map(|&a| lower(terms, &ground, a)).collect();
        assumptions.extend_from_slice(ground.side());
        assumptions.retain(|&a| !terms.is_true(a));
        if terms.is_false(goal) || assumptions.iter().any(|&a| terms.is_false(a)) {
            return self.tally.answer(Answer::Unsat);
        }
        self.tally.below();
        self.next.check(
            terms,
            &Query {
                assumptions: &assumptions,
                goal,
                bases: query.bases,
                hint: None,
            },
            budget,
        )
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
