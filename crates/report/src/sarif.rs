//! Findings as SARIF 2.1.0, the format that editors and code hosts show beside the code.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::input::{hex, input_text};
use crate::json;
use crate::place::relative;
use mneme_finding::Rule;
use mneme_finding::{Finding, Frame, Location};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// One SARIF log with one run; files under `cwd` are named relative to it.
pub fn sarif(findings: &[Finding], cwd: &Path) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Mneme",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": Rule::ALL.iter().map(|rule| descriptor(*rule)).collect::<Vec<_>>(),
            }},
            "results": findings.iter().map(|finding| result(finding, cwd)).collect::<Vec<_>>(),
        }],
    })
}

fn descriptor(rule: Rule) -> Value {
    json!({
        "id": rule.as_str(),
        "shortDescription": { "text": rule.description() },
        "defaultConfiguration": { "level": rule.level().as_str() },
    })
}

fn result(finding: &Finding, cwd: &Path) -> Value {
    let mut result = Map::new();
    result.insert("ruleId".into(), json!(finding.rule.as_str()));
    if let Some(index) = Rule::ALL.iter().position(|rule| *rule == finding.rule) {
        result.insert("ruleIndex".into(), json!(index));
    }
    result.insert("level".into(), json!(finding.rule.level().as_str()));
    result.insert("message".into(), json!({ "text": finding.message }));
    result.insert("locations".into(), json!([place(&finding.location, cwd)]));
    if !finding.stack.is_empty() {
        let stack = |stack: &Vec<Frame>| {
            let frames: Vec<_> = stack.iter().map(|frame| stack_frame(frame, cwd)).collect();
            json!({ "message": { "text": "active calls" }, "frames": frames })
        };
        let ways = finding.ways.iter().map(|way| &way.stack);
        let stacks: Vec<_> = [&finding.stack].into_iter().chain(ways).map(stack).collect();
        result.insert("stacks".into(), json!(stacks));
    }
    let related: Vec<_> = finding
        .notes
        .iter()
        .enumerate()
        .map(|(id, note)| {
            let mut related = note.location.as_ref().map_or_else(|| json!({}), |at| place(at, cwd));
            related["id"] = json!(id);
            related["message"] = json!({ "text": note.message });
            related
        })
        .collect();
    if !related.is_empty() {
        result.insert("relatedLocations".into(), json!(related));
    }
    if let Some(identity) = &finding.identity {
        result.insert(
            "partialFingerprints".into(),
            json!({ "mneme/v1": identity.fingerprint() }),
        );
    }
    if let Some(state) = finding.baseline {
        result.insert("baselineState".into(), json!(state.as_str()));
    }
    if !finding.path.is_empty() {
        result.insert(
            "codeFlows".into(),
            json!([{ "threadFlows": [{ "locations": flow(finding, cwd) }] }]),
        );
    }
    let inputs: Map<String, Value> = finding
        .inputs
        .iter()
        .map(|input| {
            let text = json!({ "value": input_text(input), "bytes": hex(&input.bytes) });
            (input.name.clone(), text)
        })
        .collect();
    let mut properties = json!({ "test": finding.test, "inputs": inputs });
    if let Some(object) = &finding.object {
        properties["object"] = json::object(object, cwd);
    }
    if let Some(access) = &finding.access {
        properties["access"] = json::access(access);
    }
    if let Some(confirmation) = &finding.confirmation {
        properties["confirmation"] = json!({ "verdict": confirmation.verdict(), "reason": confirmation.reason() });
    }
    result.insert("properties".into(), properties);
    Value::Object(result)
}

/// The decisions of the path, and the error at its end.
fn flow(finding: &Finding, cwd: &Path) -> Vec<Value> {
    let step = |location: &Location, message: &str| {
        let mut location = place(location, cwd);
        location["message"] = json!({ "text": message });
        json!({ "location": location })
    };
    let mut flow = Vec::new();
    for decision in &finding.path {
        let mut entry = step(&decision.location, &decision.message);
        if decision.times > 1 {
            entry["properties"] = json!({ "times": decision.times });
        }
        flow.push(entry);
    }
    flow.push(step(&finding.location, &finding.message));
    flow
}

fn stack_frame(frame: &Frame, cwd: &Path) -> Value {
    let mut location = frame.location.clone();
    location.function.clone_from(&frame.function);
    json!({ "location": place(&location, cwd) })
}

/// A `location` object; what is unknown is left out, because SARIF has no line 0.
fn place(location: &Location, cwd: &Path) -> Value {
    let mut object = Map::new();
    if !location.file.is_empty() {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&location.file, cwd) } });
        if location.line > 0 {
            physical["region"] = json!({ "startLine": location.line });
            if location.column > 0 {
                physical["region"]["startColumn"] = json!(location.column);
            }
        }
        object.insert("physicalLocation".into(), physical);
    }
    if !location.function.is_empty() {
        object.insert(
            "logicalLocations".into(),
            json!([{ "name": location.function, "kind": "function" }]),
        );
    }
    Value::Object(object)
}

/// A relative reference for files under `cwd`, else a `file:` URI.
fn uri(file: &str, cwd: &Path) -> String {
    let file = relative(file, cwd);
    let mut uri = String::from(if Path::new(file).is_absolute() { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::identify;
    use mneme_finding::BaselineState;
    use mneme_finding::Confirmation;
    use mneme_finding::{Input, Note, Step};

    /// The log reads as the types made from SARIF's schema and loses nothing: no key is missing or unknown.
    #[track_caller]
    fn sarif(findings: &[Finding], cwd: &str) -> Value {
        let log = super::sarif(findings, Path::new(cwd));
        let read: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).expect("a log");
        assert_eq!(serde_json::to_value(read).expect("plain data"), log);
        log
    }

    fn at(file: &str, line: u32, column: u32, function: &str) -> Location {
        Location {
            file: file.into(),
            line,
            column,
            function: function.into(),
            ..Location::default()
        }
    }

    #[test]
    fn no_findings_make_a_valid_log() {
        let log = sarif(&[], "/home/me");
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(),
            Rule::ALL.len()
        );
    }

    #[test]
    fn a_finding_is_one_result() {
        let mut finding = Finding::new(Rule::OutOfBoundsRead, at("/home/me/my lib/a.c", 25, 11, "find"));
        finding.stack = vec![
            Frame {
                function: "find".into(),
                location: at("/home/me/my lib/a.c", 25, 11, "find"),
            },
            Frame {
                function: "main".into(),
                location: at("/home/me/my lib/a.c", 57, 3, "main"),
            },
        ];
        finding.notes = vec![Note {
            message: "allocated here".into(),
            location: Some(at("/opt/b.c", 3, 0, "")),
        }];
        finding.test = Some("test000007.ktest".into());
        finding.inputs = vec![Input {
            name: "n".into(),
            bytes: vec![5, 0, 0, 0],
            literal: Some("5".into()),
        }];
        let log = sarif(&[finding], "/home/me");
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "out-of-bounds-read");
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "out-of-bounds-read");
        assert_eq!(result["ruleIndex"], 0);
        assert_eq!(
            result["locations"],
            json!([{
                "physicalLocation": {
                    "artifactLocation": { "uri": "my%20lib/a.c" },
                    "region": { "startLine": 25, "startColumn": 11 },
                },
                "logicalLocations": [{ "name": "find", "kind": "function" }],
            }])
        );
        let frames = &result["stacks"][0]["frames"];
        assert_eq!(frames[1]["location"]["physicalLocation"]["region"]["startLine"], 57);
        assert_eq!(frames[1]["location"]["logicalLocations"][0]["name"], "main");
        assert_eq!(
            result["relatedLocations"][0]["physicalLocation"],
            json!({ "artifactLocation": { "uri": "file:///opt/b.c" }, "region": { "startLine": 3 } })
        );
        assert_eq!(result["relatedLocations"][0]["message"]["text"], "allocated here");
        assert_eq!(
            result["properties"],
            json!({
                "test": "test000007.ktest",
                "inputs": { "n": { "value": "5 (bytes 05 00 00 00)", "bytes": "05 00 00 00" } },
            })
        );
    }

    #[test]
    fn the_path_is_a_code_flow_that_ends_at_the_error() {
        let mut finding = Finding::new(Rule::Abort, at("a.c", 9, 3, "main"));
        finding.path = vec![Step {
            message: "`n > 4` is true".into(),
            location: at("a.c", 5, 7, "main"),
            times: 3,
        }];
        let log = sarif(&[finding], "/");
        let flow = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(flow[0]["location"]["message"]["text"], "`n > 4` is true");
        assert_eq!(flow[0]["location"]["physicalLocation"]["region"]["startLine"], 5);
        assert_eq!(flow[0]["properties"], json!({ "times": 3 }));
        assert_eq!(flow[1]["location"]["message"]["text"], "program aborted");
        assert_eq!(flow.as_array().unwrap().len(), 2);
    }

    #[test]
    fn verdicts_and_baselines_are_told() {
        let mut finding = Finding::new(Rule::Abort, Location::default());
        finding.confirmation = Some(Confirmation::Unconfirmed("it exits with 0".into()));
        finding.identity = Some(identify(&finding, Path::new("/")));
        finding.baseline = Some(BaselineState::New);
        let log = sarif(&[finding], "/");
        assert_eq!(
            log["runs"][0]["results"][0]["properties"]["confirmation"],
            json!({ "verdict": "unconfirmed", "reason": "it exits with 0" })
        );
        assert_eq!(log["runs"][0]["results"][0]["baselineState"], "new");
    }

    #[test]
    fn unknown_places_are_left_out() {
        let log = sarif(&[Finding::new(Rule::Abort, Location::default())], "/");
        assert_eq!(log["runs"][0]["results"][0]["locations"], json!([{}]));
        assert_eq!(log["runs"][0]["results"][0]["properties"]["test"], Value::Null);
    }
}
