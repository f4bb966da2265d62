//! `// mneme: ignore RULE`: findings that the source says not to report.
//!
//! The comment stands on the line of the finding, or on a line of its own above it. It names the rules, separated by
//! commas, or none, which means all.

use mneme_finding::{Finding, Location};
use std::path::Path;

const MARK: &str = "mneme: ignore";

/// Does the source say not to report it?
pub fn is_ignored(finding: &Finding) -> bool {
    is_ignored_at(finding.rule.as_str(), &finding.location, &|path| {
        std::fs::read(path).ok()
    })
}

fn is_ignored_at(rule: &str, place: &Location, source: &dyn Fn(&Path) -> Option<Vec<u8>>) -> bool {
    let Some(text) = source(Path::new(&place.file)).filter(|_| place.line > 0) else {
        return false;
    };
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().skip((place.line as usize).saturating_sub(2));
    let above = match place.line {
        1 => None,
        _ => lines.next().filter(|line| line.trim_start().starts_with("//")),
    };
    above.into_iter().chain(lines.next()).any(|line| names(line, rule))
}

/// Does the comment on this line name the rule?
fn names(line: &str, rule: &str) -> bool {
    let comment = line.split_once("//").map(|(_, comment)| comment);
    let Some((_, rules)) = comment.and_then(|comment| comment.split_once(MARK)) else {
        return false;
    };
    let mut rules = rules.split([',', ' ']).filter(|word| !word.is_empty()).peekable();
    rules.peek().is_none() || rules.any(|known| known == rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_hides_what_it_names() {
        let text = "int *p;\n*p; // mneme: ignore null-dereference, abort\n*p;\n// mneme: ignore\n*p;\n*p;\n";
        let source = |_: &Path| Some(text.as_bytes().to_vec());
        let hidden = |line, rule| {
            let place = Location {
                file: "a.c".into(),
                line,
                ..Location::default()
            };
            is_ignored_at(rule, &place, &source)
        };
        let seen: Vec<bool> = (1..=7).map(|line| hidden(line, "abort")).collect();
        // The comment behind line 2 says nothing of line 3.
        assert_eq!(seen, [false, true, false, true, true, false, false]);
        assert!(!hidden(2, "memory-leak") && hidden(5, "memory-leak"));
    }
}
