//! What the engine tells of an error, in the words of the reports.

use mneme_engine::{Access, BaseKind, CodePlace, Finding, Object, Outside, PathStep, Place, Printed, TestCase, Verb};
use mneme_report as report;
use mneme_report::{AccessKind, FindingRecord, Location, ObjectKind, OutputRecord, Side};
use std::str::FromStr;

pub fn location(place: &CodePlace) -> Location {
    Location {
        file: place.file.clone().unwrap_or_default(),
        line: place.line,
        column: place.column,
        function: place.function.clone(),
    }
}

pub fn output_record(printed: &Printed) -> OutputRecord {
    OutputRecord::new(&printed.bytes, printed.complete)
}

/// What the path of a test needs and a native run cannot be told.
pub fn beyond_inputs(test: &TestCase) -> Option<String> {
    let mut needs = Vec::new();
    if !test.uninitialised.is_empty() {
        let memory = test.uninitialised.join(", ");
        needs.push(format!(
            "the path needs certain values in memory that was never written: {memory}"
        ));
    }
    if !test.placed.is_empty() {
        let objects = test.placed.join(", ");
        needs.push(format!("the path needs objects at certain addresses: {objects}"));
    }
    if test.failing_allocations.contains(&None) {
        needs.push("an allocation inside the C library has to fail".into());
    }
    (!needs.is_empty()).then(|| needs.join("; "))
}

/// What a native run of the finding's test has to show.
pub fn record(finding: &Finding) -> FindingRecord {
    let place = &finding.stack[finding.place];
    let related = finding.notes.iter().filter_map(|(_, place)| place.as_ref());
    FindingRecord {
        rule: finding.rule.into(),
        message: finding.message.clone(),
        file: place.file.clone().unwrap_or_default(),
        line: place.line,
        related: related
            .filter_map(|place| Some((place.file.clone()?, place.line)))
            .collect(),
        object: finding.object.as_ref().map(object),
        access: finding.access.as_ref().map(access),
    }
}

pub fn report_of(finding: &Finding, test: Option<String>) -> report::Finding {
    let frame = |place: &CodePlace| report::Frame {
        function: place.function.clone(),
        location: location(place),
    };
    let note = |(message, place): &(String, Option<CodePlace>)| report::Note {
        message: message.clone(),
        location: place.as_ref().map(location),
    };
    let step = |step: &PathStep| report::Step {
        message: step.message.clone(),
        location: location(&step.place),
        times: step.times,
    };
    report::Finding {
        rule: report::Rule::from_str(finding.rule).expect("the engine and the reports share their rules"),
        message: finding.message.clone(),
        location: location(&finding.stack[finding.place]),
        expression: finding.expression.clone(),
        object: finding.object.as_ref().map(object),
        access: finding.access.as_ref().map(access),
        stack: finding.stack.iter().map(frame).collect(),
        notes: finding.notes.iter().map(note).collect(),
        test,
        inputs: inputs(finding),
        path: finding.path.iter().map(step).collect(),
        confirmation: None,
        identity: None,
        baseline: None,
    }
}

fn inputs(finding: &Finding) -> Vec<report::Input> {
    let inputs = finding.test.inputs.iter().zip(&finding.literals);
    inputs
        .map(|((name, bytes), literal)| report::Input {
            name: name.clone(),
            bytes: bytes.clone(),
            literal: literal.clone(),
        })
        .collect()
}

fn object(object: &Object) -> report::Object {
    report::Object {
        kind: match object.kind {
            BaseKind::Heap => ObjectKind::Heap,
            BaseKind::Stack => ObjectKind::Stack,
            BaseKind::Global => ObjectKind::Global,
            BaseKind::Function => ObjectKind::Function,
        },
        text: object.text.clone(),
        name: object.name.clone(),
        c_type: object.c_type.clone(),
        size: object.size,
        made: object.made.as_ref().map(location),
        ended: object.ended.as_ref().map(location),
    }
}

fn access(access: &Access) -> report::Access {
    let (offset, address) = match access.place {
        Place::Offset(offset) => (Some(offset), None),
        Place::Address(address) => (None, Some(address)),
    };
    let outside = |outside: Outside| {
        let (side, bytes) = match outside {
            Outside::Before(bytes) => (Side::Before, bytes),
            Outside::Past(bytes) => (Side::Past, bytes),
            Outside::Across(bytes) => (Side::Across, bytes),
        };
        report::Outside { side, bytes }
    };
    report::Access {
        kind: match access.verb {
            Verb::Read => AccessKind::Read,
            Verb::Write => AccessKind::Write,
            Verb::Free => AccessKind::Free,
        },
        length: access.length,
        offset,
        address,
        outside: access.outside.map(outside),
    }
}
