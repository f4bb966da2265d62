//! Z3 in process: one context, one solver with a scope per query, answers checked by evaluation.
//!
//! `Z3_mk_simple_solver` skips the portfolio, which costs more than a small query itself. A query over bit-vectors
//! alone that it does not decide within some steps goes to Z3's preprocessing and SAT solver.

mod context;
mod ffi;
mod model;
mod simplify;
mod translate;

pub use self::simplify::{Atom, Choice, Simplifier};

use std::rc::Rc;
use std::time::{Duration, Instant};

use mneme_term::{Terms, Tracer};

use self::context::{Context, Verdict};
use self::translate::Translation;
use super::{stopped, verified};
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Query, Solver, Stage, Unknown};

pub struct Z3 {
    solver: context::Solver,
    translation: Translation,
    interrupt: Interrupt,
    tally: Tally,
}

impl Z3 {
    /// A fraction of a second.
    const QUICK_STEPS: u64 = 100_000;
    /// The first of the attempts with a SAT solver.
    const FIRST_TRY: Duration = Duration::from_secs(1);
    /// Ten times what the quick attempt may take.
    const QUICK_TIME: Duration = Duration::from_secs(2);

    /// The version of the library that is linked in.
    pub fn version() -> String {
        // SAFETY: a static string that the library owns.
        let version = unsafe { std::ffi::CStr::from_ptr(ffi::Z3_get_full_version()) };
        version.to_string_lossy().into_owned()
    }

    pub fn new(interrupt: Interrupt) -> Self {
        let context = Context::new();
        let solver = context::Solver::simple(context.clone());
        Z3 {
            solver,
            translation: Translation::new(context),
            interrupt,
            tally: Tally::new("z3"),
        }
    }

    fn ask(&mut self, terms: &Terms, query: &Query, budget: Budget) -> Answer {
        if let Some(why) = stopped(terms, query, budget, &self.interrupt) {
            return Answer::Unknown(why);
        }
        if self.solver.is_spoiled() {
            self.renew(context::Solver::simple);
        }
        let scope = self.solver.scope(budget);
        if let Err(message) = self.translation.assert(terms, query.clauses(), &scope) {
            tracing::error!(message, "Z3 refused a term");
            return Answer::Unknown(Unknown::Failed);
        }
        match scope.check(&self.interrupt) {
            Verdict::Unsat => Answer::Unsat,
            Verdict::Sat => match model::read(&self.translation, &scope, terms, query.clauses()) {
                Some(found) => verified(terms, query, found),
                None => Answer::Unknown(Unknown::Failed),
            },
            Verdict::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// A first attempt that counts only steps: Z3's clock costs a quarter of a small query. `None` if the budget is too
    /// small for it.
    fn quick(budget: Budget) -> Option<Budget> {
        let enough = budget.time.is_none_or(|time| time >= Self::QUICK_TIME);
        let fewer = budget.steps.is_none_or(|steps| steps > Self::QUICK_STEPS);
        (budget.time.is_some() && enough && fewer).then_some(Budget {
            steps: Some(Self::QUICK_STEPS),
            ..Budget::UNLIMITED
        })
    }

    /// Starts from scratch. A context may stay cancelled after an interrupt, and may be in any state after a failure.
    fn renew(&mut self, make: impl FnOnce(Rc<Context>) -> context::Solver) {
        let context = Context::new();
        self.solver = make(context.clone());
        self.translation = Translation::new(context);
    }

    /// After the quick attempt failed: with the clock on, and preprocessed if the query is over bit-vectors alone.
    fn ask_at_length(&mut self, terms: &Terms, query: &Query, budget: Budget) -> Answer {
        let beyond_bits = |t| terms.has_array(t) || terms.has_forall(t) || terms.has_apply(t);
        if query.clauses().any(beyond_bits) {
            self.renew(context::Solver::simple);
            return self.ask(terms, query, budget);
        }
        // How long a SAT solver takes is a matter of luck: several attempts with different seeds, each longer than the
        // last.
        let begin = Instant::now();
        let mut patience = Self::FIRST_TRY;
        for seed in 1.. {
            let left = budget.time.map(|time| time.saturating_sub(begin.elapsed()));
            let time = left.map_or(patience, |left| left.min(patience));
            self.renew(|context| context::Solver::for_bits(context, seed));
            let answer = self.ask(
                terms,
                query,
                Budget {
                    time: Some(time),
                    ..budget
                },
            );
            let again = matches!(answer, Answer::Unknown(Unknown::Timeout)) && left.is_none_or(|left| left > patience);
            if !again || budget.steps.is_some() {
                self.renew(context::Solver::simple);
                return answer;
            }
            patience *= 2;
        }
        unreachable!("there are seeds enough")
    }

    /// Like `check`, but makes no terms.
    pub(super) fn decide(&mut self, terms: &Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let answer = match Self::quick(budget) {
            Some(quick) => match self.ask(terms, query, quick) {
                Answer::Unknown(Unknown::Timeout) => self.ask_at_length(terms, query, budget),
                answer => answer,
            },
            None => self.ask(terms, query, budget),
        };
        if let Answer::Unknown(Unknown::Timeout | Unknown::Interrupted | Unknown::Failed) = answer {
            self.renew(context::Solver::simple);
        }
        self.tally.answer(answer)
    }
}

impl Solver for Z3 {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.decide(terms, query, budget)
    }

    fn trace(&self, _: &mut Tracer) {
        self.translation.terms_are_collected();
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
    }
}
