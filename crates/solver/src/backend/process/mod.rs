//! Any solver that speaks SMT-LIB 2 on its standard input and output.
//!
//! The process is kept; every query begins with `(reset)`, so nothing carries over and solvers need no incremental
//! mode. It is not trusted: its output is parsed strictly and checked by evaluation, and a process that is late, dead
//! or talks nonsense is replaced. The steps of a budget are not enforced here, since SMT-LIB has no command for them.

mod session;
mod sexp;
mod value;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use mneme_term::{Assignment, Sort, SymbolId, TermId, Terms, Tracer};

pub(super) use self::session::{Session, Silence};
use self::sexp::Sexp;
use super::{has_bases, verified};
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Query, Solver, SolverError, Stage, Unknown};

pub struct Process {
    command: Vec<String>,
    /// `None` after trouble: the next query starts another.
    session: Option<Session>,
    interrupt: Interrupt,
    tally: Tally,
}

impl Process {
    /// `command` is a program and its arguments, separated by blanks.
    pub fn start(command: &str, interrupt: Interrupt) -> Result<Self, SolverError> {
        let words: Vec<String> = command.split_whitespace().map(str::to_string).collect();
        if words.is_empty() {
            return Err(SolverError::EmptyCommand);
        }
        let session = Session::start(&words).map_err(|source| SolverError::Start {
            command: command.to_string(),
            source,
        })?;
        Ok(Process {
            command: words,
            session: Some(session),
            interrupt,
            tally: Tally::new("process"),
        })
    }

    fn ask(&mut self, terms: &Terms, query: &Query, budget: Budget) -> Result<Answer, Unknown> {
        if self.interrupt.is_set() {
            return Err(Unknown::Interrupted);
        }
        if has_bases(terms, query.clauses()) {
            return Err(Unknown::Failed);
        }
        let session = match &self.session {
            Some(session) => session,
            None => self.session.insert(Session::start(&self.command).map_err(|error| {
                tracing::error!(%error, "the solver cannot be started again");
                Unknown::Failed
            })?),
        };
        let talk = Talk {
            session,
            interrupt: &self.interrupt,
            deadline: budget
                .time
                .map(|time| Instant::now() + time.max(Duration::from_millis(1))),
        };
        let clauses: Vec<TermId> = query.clauses().collect();
        talk.session.send(format!(
            "(reset)\n(set-option :produce-models true)\n{}",
            terms.smtlib(&clauses)
        ));
        match talk.receive()?.atom() {
            Some("unsat") => Ok(Answer::Unsat),
            Some("unknown") => Ok(Answer::Unknown(Unknown::GaveUp)),
            Some("sat") => {
                let found = talk.assignment(terms, &clauses)?;
                Ok(verified(terms, query, found))
            }
            _ => {
                tracing::error!("the solver's verdict is not understood");
                Err(Unknown::Failed)
            }
        }
    }
}

/// One query's conversation.
struct Talk<'a> {
    session: &'a Session,
    interrupt: &'a Interrupt,
    deadline: Option<Instant>,
}

impl Talk<'_> {
    fn receive(&self) -> Result<Sexp, Unknown> {
        self.session
            .receive(self.deadline, self.interrupt)
            .map_err(|silence| match silence {
                Silence::Deadline => Unknown::Timeout,
                Silence::Interrupted => Unknown::Interrupted,
                Silence::Ended => {
                    tracing::error!("the solver ended, or talks no SMT-LIB");
                    Unknown::Failed
                }
            })
    }

    /// Asks for the values of all symbols.
    fn assignment(&self, terms: &Terms, clauses: &[TermId]) -> Result<Assignment, Unknown> {
        let symbols: BTreeSet<SymbolId> = clauses.iter().flat_map(|&c| terms.symbols(c).iter().copied()).collect();
        if symbols.is_empty() {
            return Ok(Assignment::default());
        }
        let mut text = String::from("(get-value (");
        for &s in &symbols {
            write!(text, "{} ", terms.smtlib_name(s)).expect("strings grow");
        }
        text.push_str("))\n");
        self.session.send(text);
        let values = self.receive()?;
        assignment_of(terms, &symbols, &values).ok_or_else(|| {
            tracing::error!("the solver's values are not understood");
            Unknown::Failed
        })
    }
}

/// `((name value) …)`, in the order asked for.
fn assignment_of(terms: &Terms, symbols: &BTreeSet<SymbolId>, values: &Sexp) -> Option<Assignment> {
    let values = values.list()?;
    if values.len() != symbols.len() {
        return None;
    }
    let mut found = Assignment::default();
    for (&s, pair) in symbols.iter().zip(values) {
        let [_, value] = pair.list()? else { return None };
        match terms.symbol_info(s).sort {
            Sort::Bits(width) => _ = found.values.insert(s, value::bits(value, width)?),
            Sort::Array { index, element } => _ = found.arrays.insert(s, value::array(value, index, element)?),
        }
    }
    Some(found)
}

/// The assignment in a solver's answer to `(get-value …)`: the boundary where foreign bytes enter.
pub fn parse_values(terms: &Terms, symbols: &[SymbolId], answer: &[u8]) -> Option<Assignment> {
    let mut reader = sexp::Reader::default();
    let mut parts = answer.iter().map(|&byte| reader.push(byte));
    let values = parts.find_map(Result::transpose)?.ok()?;
    assignment_of(terms, &symbols.iter().copied().collect(), &values)
}

impl Solver for Process {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let answer = self.ask(terms, query, budget).unwrap_or_else(Answer::Unknown);
        if let Answer::Unknown(Unknown::Timeout | Unknown::Interrupted | Unknown::Failed) = answer {
            self.session = None;
        }
        self.tally.answer(answer)
    }

    fn trace(&self, _: &mut Tracer) {}

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
    }
}
