//! The last lines of a run.

use crate::incomplete;
use crate::progress::count;
use crate::writer::Writer;
use mneme_engine::Stats;
use mneme_finding::{Assumption, Proof};
use std::collections::BTreeMap;

/// How many loops of a proof are told, and how much of each.
const MOST: usize = 8;

pub fn say(report: &mneme_finding::Stats, stats: &Stats, writer: &Writer, unbounded: Option<&str>) {
    let found = writer.findings.len();
    let known = match writer.known() {
        0 => String::new(),
        known => format!(" ({known} known)"),
    };
    say!(
        "{} completed, {} ended in an error, {} stopped; {}{known}; {} in {}",
        count(stats.paths.completed, "path"),
        stats.paths.faulted,
        stats.paths.stopped,
        count(found as u64, "finding"),
        count(writer.tests(), "test"),
        writer.out().path().display(),
    );
    say_ignored(writer);
    if let Some(left) = report.still_reachable.as_ref().filter(|left| left.blocks > 0) {
        let (blocks, bytes) = (count(left.blocks, "block"), count(left.bytes, "byte"));
        say!("still reachable at the end of a path: up to {blocks}, {bytes} (no leaks)");
    }
    if stats.inputs == 0 && stats.concrete.is_empty() {
        say!("nothing was symbolic: the program reads no inputs");
    }
    let ended = stats.paths.completed + stats.paths.faulted + stats.paths.stopped;
    if ended == 0 && report.proof.is_none() {
        say!("no path is left: what the program, its harness or a contract assumes excludes every input");
    }
    if let Some(line) = by_assumption(writer) {
        say!("{line}");
    }
    match stats.exact() {
        true => match &report.proof {
            Some(proof) => proved(proof).iter().for_each(|line| say!("{line}")),
            None => say!("all paths explored"),
        },
        false => {
            let dir = writer.out().path().display().to_string();
            let told = incomplete::told(&report.exact_reasons, &writer.stops, &dir, unbounded);
            told.iter().for_each(|line| say!("{line}"));
        }
    }
}

/// How many findings rest on what, the plainest first.
fn by_assumption(writer: &Writer) -> Option<String> {
    let mut counts: BTreeMap<Assumption, u64> = BTreeMap::new();
    for assumption in writer.findings.iter().filter_map(|finding| finding.assumption) {
        *counts.entry(assumption).or_default() += 1;
    }
    let parts = counts
        .iter()
        .map(|(assumption, count)| format!("{count} on {}", assumption.describe()));
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| format!("findings rest: {}", parts.join(", ")))
}

/// What proves that all paths are explored.
fn proved(proof: &Proof) -> Vec<String> {
    let mut out = vec!["all paths explored: loops were proved by what always holds at their heads".into()];
    for invariant in proof.loops.iter().take(MOST) {
        let holds = &invariant.holds;
        let mut told = match &holds[..] {
            [] => "nothing is needed".into(),
            holds => holds[..holds.len().min(MOST)].join(", "),
        };
        if holds.len() > MOST {
            told += &format!(" and {} more", holds.len() - MOST);
        }
        out.push(format!("  {}: {told}", invariant.place.brief()));
    }
    if proof.loops.len() > MOST {
        out.push(format!("  and {} more, which stats.json has", proof.loops.len() - MOST));
    }
    out
}

/// Findings that the source says not to report are counted.
pub fn say_ignored(writer: &Writer) {
    if !writer.ignored.is_empty() {
        let ignored = count(writer.ignored.len() as u64, "finding");
        say!("{ignored} left out because of comments in the source");
    }
}
