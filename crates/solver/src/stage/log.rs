//! The queries that reach the backend, as files: `000001.smt2` and so on, each a script that any solver can replay,
//! with the answer as a comment.

use std::fs;
use std::path::{Path, PathBuf};

use mneme_term::{TermId, Terms, Tracer};

use super::Next;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, SolverError, Stage};

pub struct Log {
    next: Next,
    directory: PathBuf,
    written: u64,
    tally: Tally,
}

impl Log {
    /// Makes the directory if necessary. Files of an earlier run are overwritten.
    pub fn new(next: Next, directory: &Path) -> Result<Self, SolverError> {
        fs::create_dir_all(directory).map_err(|source| SolverError::LogDirectory {
            directory: directory.to_path_buf(),
            source,
        })?;
        Ok(Log {
            next,
            directory: directory.to_path_buf(),
            written: 0,
            tally: Tally::new("log"),
        })
    }

    fn write(&mut self, script: &str, answer: &Answer) {
        let (status, expected) = match answer {
            Answer::Sat(_) => ("sat", "sat".to_string()),
            Answer::Unsat => ("unsat", "unsat".to_string()),
            Answer::Unknown(why) => ("unknown", format!("unknown ({why})")),
        };
        self.written += 1;
        let path = self.directory.join(format!("{:06}.smt2", self.written));
        let text = format!("; expected: {expected}\n(set-info :status {status})\n{script}");
        if let Err(error) = fs::write(&path, text) {
            tracing::warn!(path = %path.display(), %error, "a query was not logged");
        }
    }
}

impl Solver for Log {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let clauses: Vec<TermId> = query.clauses().collect();
        let script = terms.smtlib(&clauses);
        self.tally.below();
        let answer = self.next.check(terms, query, budget);
        self.tally.back();
        self.write(&script, &answer);
        self.tally.hand_up(answer)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
