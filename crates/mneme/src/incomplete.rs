//! What made a run incomplete, for people: reasons of one kind together, the lines where paths stood, and what to try.

use crate::progress::count;
use mneme_finding::Location;
use std::collections::BTreeMap;

/// Groups that are told; the others are counted.
const SHOWN_GROUPS: usize = 6;
/// Lines of a group that are told.
const SHOWN_LINES: usize = 3;

/// Where paths stood when they were given up, by reason.
#[derive(Default)]
pub struct Stops(BTreeMap<String, BTreeMap<String, u64>>);

impl Stops {
    pub fn add(&mut self, reason: &str, place: Option<&Location>) {
        let place = place.filter(|place| place.line > 0).map(Location::brief);
        let lines = self.0.entry(kind(reason).into()).or_default();
        if let Some(place) = place {
            *lines.entry(place).or_default() += 1;
        }
    }

    /// The lines of a group, those of most paths first.
    fn lines(&self, kind: &str) -> Vec<&str> {
        let mut lines: Vec<(&str, u64)> = self
            .0
            .get(kind)
            .into_iter()
            .flatten()
            .map(|(l, n)| (&**l, *n))
            .collect();
        lines.sort_by_key(|&(_, paths)| std::cmp::Reverse(paths));
        lines.into_iter().map(|(line, _)| line).collect()
    }
}

/// What a reason has in common with others: all but the place that it names.
fn kind(reason: &str) -> &str {
    match reason.rsplit_once(" (") {
        Some((kind, place)) if is_place(place) => kind,
        _ => reason,
    }
}

/// `a.c:12)`.
fn is_place(text: &str) -> bool {
    let line = text.strip_suffix(')').and_then(|text| text.rsplit_once(':'));
    line.is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The lines that say why a run is incomplete. `reasons` are those of `stats.json`; `dir` has the results, and
/// `unbounded` is a model that needs no capacity.
pub fn told(reasons: &BTreeMap<String, u64>, stops: &Stops, dir: &str, unbounded: Option<&str>) -> Vec<String> {
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    for (reason, paths) in reasons {
        *groups.entry(kind(reason)).or_default() += paths;
    }
    let mut groups: Vec<(&str, u64)> = groups.into_iter().collect();
    groups.sort_by_key(|&(_, paths)| std::cmp::Reverse(paths));
    let (shown, others) = groups.split_at(groups.len().min(SHOWN_GROUPS));
    let mut told: Vec<String> = shown
        .iter()
        .map(|(kind, times)| format!("incomplete because: {kind} ({times}{})", at(&stops.lines(kind))))
        .collect();
    if !others.is_empty() {
        let times: u64 = others.iter().map(|(_, times)| times).sum();
        let others = count(others.len() as u64, "other reason");
        told.push(format!("incomplete because: {others} ({times}), in {dir}/stats.json"));
    }
    let mut hints: Vec<String> = groups
        .iter()
        .filter_map(|(kind, times)| hint(kind, *times, dir, unbounded))
        .collect();
    hints.dedup();
    told.extend(hints.into_iter().map(|hint| format!("try: {hint}")));
    told
}

/// `, at a.c:3, a.c:7 and 2 other lines`.
fn at(lines: &[&str]) -> String {
    let (shown, others) = lines.split_at(lines.len().min(SHOWN_LINES));
    match (shown, others.len() as u64) {
        ([], _) => String::new(),
        (shown, 0) => format!(", at {}", shown.join(", ")),
        (shown, more) => format!(", at {} and {}", shown.join(", "), count(more, "other line")),
    }
}

/// What may help, if the user can do anything.
fn hint(kind: &str, paths: u64, dir: &str, unbounded: Option<&str>) -> Option<String> {
    let resume = format!("`mneme run --resume {dir}` goes on");
    Some(match kind {
        "limit: interrupted" => resume,
        // Many paths at once are often the iterations of a few loops.
        "limit: time" if paths >= 100 => {
            format!("{resume}, with `--max-time SECONDS`; `--merge tree` merges paths that leave a loop")
        }
        "limit: time" => format!("{resume}, with `--max-time SECONDS`"),
        "limit: memory" => format!("{resume}, with a larger `--max-memory`"),
        "limit: instructions" => format!("{resume}, with a larger `--max-instructions`"),
        "limit: states" => format!("{resume}, with a larger `--max-states`, or with `--search dfs`"),
        "limit: depth" => format!("{resume}, with a larger `--max-depth`"),
        "solver: the solver ran out of its budget" => "a larger `--solver-timeout`".into(),
        "an allocation larger than the capacity" => match unbounded {
            Some(model) => format!("a larger `--capacity`, or `--model {model}`"),
            None => "a larger `--capacity`".into(),
        },
        "a symbolic size was given its greatest value" => "`--sizes symbolic`".into(),
        "a loop comes back to where it was and never ends" => "`--check termination` makes it a finding".into(),
        kind if kind.starts_with("unsupported: the undefined function ") => {
            "add the file that defines it, or let it do anything with `--unknown-calls havoc`".into()
        }
        "a saved path does not run as it did" => "run again without `--resume`: the program has changed".into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> Location {
        Location {
            file: "/home/me/a.c".into(),
            line,
            ..Location::default()
        }
    }

    #[test]
    fn reasons_of_one_kind_are_told_together() {
        let mut stops = Stops::default();
        let mut reasons = BTreeMap::new();
        for line in 1..=9 {
            let reason = format!("unsupported: inline assembly (a.c:{line})");
            stops.add(&reason, Some(&place(line)));
            reasons.insert(reason, 1);
        }
        stops.add("unsupported: inline assembly (a.c:9)", Some(&place(9)));
        stops.add("limit: time", Some(&place(4)));
        reasons.insert("limit: time".into(), 1);
        let expected = [
            "incomplete because: unsupported: inline assembly (9, at a.c:9, a.c:1, a.c:2 and 6 other lines)",
            "incomplete because: limit: time (1, at a.c:4)",
            "try: `mneme run --resume out` goes on, with `--max-time SECONDS`",
        ];
        assert_eq!(told(&reasons, &stops, "out", None), expected);
    }

    #[test]
    fn many_kinds_are_counted() {
        let reasons: BTreeMap<_, _> = (0..9).map(|n| (format!("unsupported: f{n}"), 9 - n)).collect();
        let told = told(&reasons, &Stops::default(), "out", None);
        assert_eq!(told[0], "incomplete because: unsupported: f0 (9)");
        assert_eq!(
            told.last().unwrap(),
            "incomplete because: 3 other reasons (6), in out/stats.json"
        );
    }
}
