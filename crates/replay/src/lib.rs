//! Native replays of tests.
