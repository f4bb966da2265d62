//! What a model with planes does, counted as in Tables 2 and 3 of Trtík and Strejček: operations by the structure that
//! answers them, and questions about collisions by whether they reached the solver.
//!
//! Operations of the fast loop are counted but not timed: reading a clock takes longer than they do.

use std::time::{Duration, Instant};

/// Operations that one structure answered, and the time of those that are timed.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Done {
    pub reads: u64,
    pub read_time: Duration,
    pub writes: u64,
    pub write_time: Duration,
}

/// Questions about collisions.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Answered by a stage above the backend.
    pub hits: u64,
    pub hit_time: Duration,
    /// Answered by the backend.
    pub misses: u64,
    pub miss_time: Duration,
}

#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Operations {
    /// The layer of concrete offsets alone: the *boostMap*.
    pub map: Done,
    /// The list of records as well: the *iteList*.
    pub list: Done,
    /// Among the writes, those whose length is a term.
    pub multi_writes: u64,
    pub asked_by_reads: Asked,
    pub asked_by_writes: Asked,
}

/// What answered an operation.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Structure {
    Map,
    List,
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Direction {
    Read,
    Write,
}

impl Operations {
    fn of(&mut self, structure: Structure) -> &mut Done {
        match structure {
            Structure::Map => &mut self.map,
            Structure::List => &mut self.list,
        }
    }

    pub fn read(&mut self, structure: Structure, since: Instant) {
        let done = self.of(structure);
        done.reads += 1;
        done.read_time += since.elapsed();
    }

    pub fn write(&mut self, structure: Structure, since: Instant) {
        let done = self.of(structure);
        done.writes += 1;
        done.write_time += since.elapsed();
    }

    /// Counts a question, and whether it reached the backend.
    pub fn asked(&mut self, direction: Direction, reached_backend: bool, time: Duration) {
        let asked = match direction {
            Direction::Read => &mut self.asked_by_reads,
            Direction::Write => &mut self.asked_by_writes,
        };
        let (count, sum) = match reached_backend {
            false => (&mut asked.hits, &mut asked.hit_time),
            true => (&mut asked.misses, &mut asked.miss_time),
        };
        *count += 1;
        *sum += time;
    }
}
