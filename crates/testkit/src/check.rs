//! Compares the outcome of a run with its expectations.

use std::collections::BTreeSet;

use mneme_finding::Rule;

use crate::outcome::Outcome;
use crate::spec::{Bound, Expected};

/// All differences, one per line; `Ok` if there are none.
pub fn check(expected: &Expected, outcome: &Outcome) -> Result<(), String> {
    let mut wrong = Vec::new();
    faults(expected, outcome, &mut wrong);
    bounds(
        "completed paths",
        &expected.completed,
        outcome.stats.paths.completed,
        &mut wrong,
    );
    bounds(
        "faulted paths",
        &expected.faulted,
        outcome.stats.paths.faulted,
        &mut wrong,
    );
    if !outcome.paranoid {
        bounds(
            "queries to the backend",
            &expected.queries,
            outcome.stats.queries.backend,
            &mut wrong,
        );
    }
    stops(expected, outcome, &mut wrong);
    values(expected, outcome, &mut wrong);
    if let Some(exact) = expected.exact.filter(|exact| *exact != outcome.stats.exact) {
        wrong.push(format!(
            "exact: expected {exact}; reasons: {:?}",
            outcome.stats.exact_reasons
        ));
    }
    if outcome.exit != Some(expected.exit) {
        let shown = outcome.exit.map_or("a signal".to_owned(), |code| code.to_string());
        wrong.push(format!("exit code: expected {}, got {shown}", expected.exit));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    if !outcome.stderr.trim().is_empty() {
        wrong.push(format!("--- standard error\n{}", outcome.stderr.trim_end()));
    }
    Err(wrong.join("\n"))
}

fn faults(expected: &Expected, outcome: &Outcome, wrong: &mut Vec<String>) {
    let found: BTreeSet<(u32, Rule)> = outcome.findings.iter().map(|found| (found.line, found.rule)).collect();
    for (line, rule) in expected.faults.difference(&found) {
        wrong.push(format!("missing: {rule} on line {line}"));
    }
    for (line, rule) in found.difference(&expected.faults) {
        let texts = outcome
            .findings
            .iter()
            .filter(|f| (f.line, f.rule) == (*line, *rule))
            .map(|f| f.text.as_str());
        wrong.push(format!(
            "unexpected: {rule} on line {line} ({})",
            texts.take(1).collect::<String>()
        ));
    }
}

fn bounds(what: &str, bounds: &[Bound], figure: u64, wrong: &mut Vec<String>) {
    for bound in bounds.iter().filter(|bound| !bound.holds(figure)) {
        wrong.push(format!("{what}: expected {bound}, got {figure}"));
    }
}

/// A stop is never silent: it is either expected or a failure.
fn stops(expected: &Expected, outcome: &Outcome, wrong: &mut Vec<String>) {
    let paths = &outcome.stats.paths;
    if expected.stops.is_empty() && paths.stopped > 0 {
        wrong.push(format!("{} paths stopped: {:?}", paths.stopped, paths.stop_reasons));
    }
    for word in &expected.stops {
        if !paths.stop_reasons.keys().any(|reason| reason.contains(word)) {
            wrong.push(format!(
                "no path stopped because of `{word}`; reasons: {:?}",
                paths.stop_reasons
            ));
        }
    }
}

fn values(expected: &Expected, outcome: &Outcome, wrong: &mut Vec<String>) {
    let Some(values) = &expected.values else { return };
    let seen = &outcome.stats.exit_values;
    let same_codes = values.keys().eq(seen.keys());
    let same_counts = values
        .iter()
        .all(|(code, count)| count.is_none_or(|count| seen.get(code) == Some(&count)));
    if !(same_codes && same_counts) {
        wrong.push(format!("exit values of the program: expected {values:?}, got {seen:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Found;
    use crate::spec::Spec;
    use mneme_finding::Stats;

    fn outcome(findings: &[(Rule, u32)], completed: u64, exit: i32) -> Outcome {
        let mut stats = Stats {
            exact: true,
            ..Stats::default()
        };
        stats.paths.completed = completed;
        stats.exit_values.insert(0, completed);
        let found = |(rule, line): &(Rule, u32)| Found {
            rule: *rule,
            line: *line,
            text: "a.c: text".into(),
        };
        Outcome {
            exit: Some(exit),
            findings: findings.iter().map(found).collect(),
            stats,
            stderr: String::new(),
            paranoid: false,
        }
    }

    fn differences(spec: &str, outcome: &Outcome) -> String {
        let spec = Spec::parse(spec, &["objects".to_owned()]).unwrap();
        check(&spec.expected(1, "objects"), outcome).err().unwrap_or_default()
    }

    #[test]
    fn the_same_finding_on_several_paths_counts_once() {
        let twice = outcome(&[(Rule::Abort, 1), (Rule::Abort, 1)], 0, 1);
        assert_eq!(differences("// FAULT: abort", &twice), "");
    }

    #[test]
    fn missing_and_unexpected_findings_are_distinguished() {
        let wrong_line = outcome(&[(Rule::Abort, 2)], 0, 1);
        let expected = "missing: abort on line 1\nunexpected: abort on line 2 (a.c: text)";
        assert_eq!(differences("// FAULT: abort", &wrong_line), expected);
    }

    #[test]
    fn an_unexpected_stop_is_a_failure() {
        let mut stopped = outcome(&[], 1, 0);
        stopped.stats.paths.stopped = 1;
        stopped.stats.paths.stop_reasons.insert("unsupported: fadd".into(), 1);
        assert!(differences("", &stopped).starts_with("1 paths stopped"));
        stopped.exit = Some(3);
        assert_eq!(differences("// STOPS: unsupported", &stopped), "");
        assert!(differences("// STOPS: solver", &stopped).starts_with("no path stopped because of `solver`"));
    }

    #[test]
    fn figures_values_exactness_and_exit_codes_are_compared() {
        let ran = outcome(&[], 3, 0);
        assert_eq!(differences("// PATHS: 3 // EXACT: true // VALUES: 0*3", &ran), "");
        assert_eq!(
            differences("// PATHS: <=2", &ran),
            "completed paths: expected at most 2, got 3"
        );
        assert!(differences("// VALUES: 0 1", &ran).starts_with("exit values of the program"));
        assert!(differences("// VALUES: 0*2", &ran).starts_with("exit values of the program"));
        assert!(differences("// EXACT: false // EXIT: 0", &ran).starts_with("exact: expected false"));
        let crashed = Outcome {
            exit: None,
            stderr: "boom\n".into(),
            ..ran
        };
        assert_eq!(
            differences("", &crashed),
            "exit code: expected 0, got a signal\n--- standard error\nboom"
        );
    }
}
