//! One function, explored in a process of its own: what it reports, line by line.

use mneme_engine::{Frontier, Future, Novelty, Observer, Stats, TestCase};
use mneme_finding::{Finding, Location, Paths};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;

/// A line that a child writes.
#[derive(Serialize, Deserialize)]
enum Line {
    Found(Box<Found>),
    Over(Figures),
    /// It cannot be explored alone.
    Refused(String),
}

/// A finding, with a test that shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    pub finding: Finding,
    pub test: TestCase,
}

/// What the exploration of a function came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    pub exact: bool,
    /// Why not, with counts.
    pub reasons: BTreeMap<String, u64>,
    pub paths: Paths,
    pub instructions: u64,
    pub seconds: f64,
}

/// The result of one function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Explored {
    pub found: Vec<Found>,
    /// `None`: it did not get to the end.
    pub figures: Option<Figures>,
    /// Why it cannot be explored alone.
    pub refused: Option<String>,
}

impl Explored {
    /// What a child has written; a line that was cut off is left out.
    pub fn read(text: &[u8]) -> Explored {
        let mut all = Explored::default();
        for line in text.split(|&byte| byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(Line::Found(found)) => all.add(*found),
                Ok(Line::Over(figures)) => all.figures = Some(figures),
                Ok(Line::Refused(why)) => all.refused = Some(why),
                Err(_) => {}
            }
        }
        all
    }

    /// A later finding of the same error is on a shorter path.
    fn add(&mut self, found: Found) {
        let same = |known: &&mut Found| known.finding.is_same_error(&found.finding);
        match self.found.iter_mut().find(same) {
            Some(known) => *known = found,
            None => self.found.push(found),
        }
    }
}

/// Writes what the engine finds.
pub struct Reporter<'a>(pub &'a mut dyn Write);

impl Reporter<'_> {
    fn line(&mut self, line: &Line) {
        let mut text = serde_json::to_vec(line).expect("plain data");
        text.push(b'\n');
        // Without a reader there is nobody to tell.
        let _ = self.0.write_all(&text);
    }

    pub fn over(&mut self, stats: &Stats) {
        self.line(&Line::Over(Figures {
            exact: stats.exact(),
            reasons: stats.inexact(),
            paths: stats.paths.clone(),
            instructions: stats.instructions,
            seconds: stats.explore.as_secs_f64(),
        }));
    }

    pub fn refused(&mut self, why: &dyn std::fmt::Display) {
        self.line(&Line::Refused(why.to_string()));
    }
}

impl Observer for Reporter<'_> {
    fn wants_tests(&self) -> bool {
        false
    }

    fn found(&mut self, finding: &Finding, test: &TestCase, novelty: Novelty) {
        if novelty != Novelty::OtherWay {
            let (finding, test) = (finding.clone(), test.clone());
            self.line(&Line::Found(Box::new(Found { finding, test })));
        }
    }

    fn completed(&mut self, _: &TestCase) {}
    fn unfinished(&mut self, _: &TestCase, _: &str, _: Future) {}
    fn caught_up(&mut self) {}
    fn stopped(&mut self, _: &str, _: Option<&Location>) {}
    fn save(&mut self, _: &Frontier) {}
    fn output(&mut self, _: u64, _: &[u8]) {}
}
