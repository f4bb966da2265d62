//! A run as one JSON document, for programs. Its keys are documented in `docs/json.md` and do not change.

use crate::input::{hex, input_text};
use crate::place::relative;
use mneme_finding::{Access, BaselineState, Finding, Frame, Input, Location, Note, Object, Stats, Step, Way};
use serde_json::{Value, json};
use std::path::Path;

/// The findings and the figures of a run; files under `cwd` are named relative to it.
pub fn json(findings: &[Finding], stats: &Stats, cwd: &Path) -> Value {
    json!({
        "version": 1,
        "findings": self::findings(findings, cwd),
        "stats": stats,
    })
}

/// The findings alone.
pub fn findings(findings: &[Finding], cwd: &Path) -> Value {
    findings.iter().map(|finding| one(finding, cwd)).collect()
}

fn one(finding: &Finding, cwd: &Path) -> Value {
    let frame = |frame: &Frame| json!({ "function": frame.function, "location": place(&frame.location, cwd) });
    let note = |note: &Note| {
        let location = note.location.as_ref().map(|location| place(location, cwd));
        json!({ "message": note.message, "location": location })
    };
    let step = |step: &Step| {
        let location = place(&step.location, cwd);
        json!({ "message": step.message, "location": location, "times": step.times })
    };
    let input = |input: &Input| {
        json!({
            "name": input.name,
            "literal": input.literal,
            "text": input_text(input),
            "bytes": hex(&input.bytes),
        })
    };
    let way = |way: &Way| json!({ "stack": way.stack.iter().map(frame).collect::<Vec<_>>(), "test": way.test });
    let confirmation = finding.confirmation.as_ref();
    json!({
        "rule": finding.rule.as_str(),
        "level": finding.rule.level().as_str(),
        "message": finding.message,
        "location": place(&finding.location, cwd),
        "expression": finding.expression,
        "object": finding.object.as_ref().map(|at| object(at, cwd)),
        "access": finding.access.as_ref().map(access),
        "notes": finding.notes.iter().map(note).collect::<Vec<_>>(),
        "stack": finding.stack.iter().map(frame).collect::<Vec<_>>(),
        "ways": finding.ways.iter().map(way).collect::<Vec<_>>(),
        "path": finding.path.iter().map(step).collect::<Vec<_>>(),
        "inputs": finding.inputs.iter().map(input).collect::<Vec<_>>(),
        "assumption": finding.assumption,
        "test": finding.test,
        "confirmation": confirmation.map(|c| json!({ "verdict": c.verdict(), "reason": c.reason() })),
        "known": finding.baseline == Some(BaselineState::Unchanged),
    })
}

/// What is unknown is null.
pub(crate) fn place(location: &Location, cwd: &Path) -> Value {
    let known = |n: u32| (n > 0).then_some(n);
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    json!({
        "file": text(relative(&location.file, cwd)),
        "line": known(location.line),
        "column": known(location.column),
        "function": text(&location.function),
    })
}

pub(crate) fn object(object: &Object, cwd: &Path) -> Value {
    json!({
        "kind": object.kind,
        "text": object.text,
        "name": object.name,
        "type": object.c_type,
        "size": object.size,
        "made": object.made.as_ref().map(|at| place(at, cwd)),
        "ended": object.ended.as_ref().map(|at| place(at, cwd)),
    })
}

pub(crate) fn access(access: &Access) -> Value {
    json!({
        "kind": access.kind,
        "length": access.length,
        "offset": access.offset,
        "address": access.address,
        "outside": access.outside,
        "symbolic": access.symbolic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_finding::{ObjectKind, Rule};

    #[test]
    fn an_object_has_every_key() {
        let object = Object {
            kind: ObjectKind::Heap,
            text: "a heap object of 16 bytes".into(),
            name: None,
            c_type: None,
            size: Some(16),
            made: Some(Location {
                file: "/home/me/a.c".into(),
                line: 3,
                ..Location::default()
            }),
            ended: None,
        };
        let shown = super::object(&object, Path::new("/home/me"));
        assert_eq!(
            (&shown["kind"], &shown["made"]["file"]),
            (&json!("heap"), &json!("a.c"))
        );
        assert_eq!(shown["type"], Value::Null);
    }

    #[test]
    fn a_finding_has_every_key() {
        let location = Location {
            file: "/home/me/a.c".into(),
            line: 3,
            column: 0,
            function: "main".into(),
            ..Location::default()
        };
        let mut finding = Finding::new(Rule::Abort, location.clone());
        finding.path = vec![Step {
            message: "`n > 4` is true".into(),
            location,
            times: 2,
        }];
        finding.inputs = vec![Input {
            name: "n".into(),
            bytes: vec![5],
            literal: Some("5".into()),
        }];
        let document = json(&[finding], &Stats::default(), Path::new("/home/me"));
        let place = json!({ "file": "a.c", "line": 3, "column": null, "function": "main" });
        assert_eq!(document["version"], 1);
        assert_eq!(document["stats"]["exact"], false);
        assert_eq!(
            document["findings"][0],
            json!({
                "rule": "abort",
                "level": "error",
                "message": "program aborted",
                "location": place,
                "expression": null,
                "object": null,
                "access": null,
                "notes": [],
                "stack": [],
                "ways": [],
                "path": [{ "message": "`n > 4` is true", "location": place, "times": 2 }],
                "inputs": [{ "name": "n", "literal": "5", "text": "5 (bytes 05)", "bytes": "05" }],
                "assumption": null,
                "test": null,
                "confirmation": null,
                "known": false,
            })
        );
    }
}
