//! The findings of many functions as one list: each error once, the plainest first.

use super::one::Found;
use mneme_finding::{Confirmation, Finding, Level};
use std::cmp::Reverse;

/// How much a reader has to believe in order to believe the finding; less is better.
fn doubt(finding: &Finding) -> (u8, bool, usize, usize) {
    let verdict = match finding.confirmation {
        Some(Confirmation::Confirmed(_)) => 0,
        None | Some(Confirmation::NotCheckable(_)) => 1,
        Some(Confirmation::Unconfirmed(_)) => 2,
    };
    let warning = finding.rule.level() == Level::Warning;
    let assumed = finding.assumption.map_or(0, |assumption| 1 + assumption as usize);
    (verdict, warning, assumed, finding.path.len())
}

/// Sorts findings, the plainest first.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| doubt(a).cmp(&doubt(b)).then_with(|| a.location.cmp(&b.location)));
}

/// Of the findings of one error, that which assumes least; of these, that with the fewest calls around it.
pub fn distinct(all: Vec<Found>) -> Vec<Found> {
    let cost = |found: &Found| {
        let finding = &found.finding;
        (finding.assumption, finding.stack.len(), finding.path.len())
    };
    let mut kept: Vec<Found> = Vec::new();
    for found in all {
        match kept
            .iter_mut()
            .find(|known| known.finding.is_same_error(&found.finding))
        {
            Some(known) if cost(&found) < cost(known) => *known = found,
            Some(_) => {}
            None => kept.push(found),
        }
    }
    kept.sort_by_key(|found| Reverse(found.finding.rule.level() == Level::Error));
    kept
}
