//! What a model with planes does, counted as in Tables 2 and 3 of Trtík and Strejček: operations by the structure that
//! answers them, and questions about collisions by whether they reached the solver.
//!
//! Operations of the fast loop are counted but not timed: reading a clock takes longer than they do.

use crate::Counters;
use std::time::{Duration, Instant};

/// What answered an operation.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Structure {
    /// The layer of concrete offsets alone: the *boostMap*.
    Map,
    /// The list of records as well: the *iteList*.
    List,
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Direction {
    Read,
    Write,
}

pub fn read(counters: &mut Counters, structure: Structure, since: Instant) {
    let (count, sum) = match structure {
        Structure::Map => ("map_reads", "map_read_ns"),
        Structure::List => ("list_reads", "list_read_ns"),
    };
    done(counters, count, sum, since.elapsed());
}

pub fn write(counters: &mut Counters, structure: Structure, since: Instant) {
    let (count, sum) = match structure {
        Structure::Map => ("map_writes", "map_write_ns"),
        Structure::List => ("list_writes", "list_write_ns"),
    };
    done(counters, count, sum, since.elapsed());
}

/// Counts a question, and whether it reached the backend.
pub fn asked(counters: &mut Counters, direction: Direction, reached_backend: bool, time: Duration) {
    let (count, sum) = match (direction, reached_backend) {
        (Direction::Read, false) => ("read_hits", "read_hit_ns"),
        (Direction::Read, true) => ("read_misses", "read_miss_ns"),
        (Direction::Write, false) => ("write_hits", "write_hit_ns"),
        (Direction::Write, true) => ("write_misses", "write_miss_ns"),
    };
    done(counters, count, sum, time);
}

fn done(counters: &mut Counters, count: &'static str, sum: &'static str, time: Duration) {
    counters.operations.add(count, 1);
    counters.operations.add(sum, time.as_nanos() as u64);
}
