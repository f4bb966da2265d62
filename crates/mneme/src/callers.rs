//! `--from-callers`: what the callers in the same program say about the findings of a function that was run alone.
//!
//! Each caller is run alone, and goes into the function like into any other. A finding that none of these runs finds
//! again, although they explored all their paths, cannot be brought about by a known caller: it is refuted. A function
//! whose address is taken may have callers that nobody knows, and nothing is refuted.

use crate::cli::{Format, RunArgs};
use crate::writer::Writer;
use mneme_finding::{Finding, Note};
use mneme_program::{Callee, Constant, FunctionId, InitData, Program};
use mneme_report::{OutDir, spot};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// What a caller's run has shown.
struct Caller {
    name: String,
    findings: Vec<Finding>,
    /// All its paths were explored.
    complete: bool,
}

/// Adds to each finding what the callers say of it.
pub fn ask(args: &RunArgs, program: &Program, writer: &mut Writer) {
    let Some(function) = program
        .main
        .filter(|_| args.from_callers && !writer.findings.is_empty())
    else {
        return;
    };
    if is_taken(program, function) {
        return annotate(writer, |_| {
            Some("its address is taken: not all callers are known".into())
        });
    }
    let names = callers(program, function);
    let folder = tempfile::Builder::new().prefix("mneme-callers-").tempdir();
    let Ok(folder) = folder else { return };
    let run = |(index, name): (usize, String)| explore(&name, &folder.path().join(index.to_string()));
    let callers: Vec<Caller> = names.into_iter().enumerate().map(run).collect();
    annotate(writer, |finding| verdict(finding, &callers));
}

fn annotate(writer: &mut Writer, say: impl Fn(&Finding) -> Option<String>) {
    let said: Vec<Option<String>> = writer.findings.iter().map(say).collect();
    let cwd = writer.cwd().to_owned();
    for (finding, said) in writer.findings.iter_mut().zip(said) {
        if let (Some(message), Format::Text) = (&said, writer.format) {
            say!("{} at {}: {message}", finding.rule, spot(&finding.location, &cwd));
        }
        finding.notes.extend(said.map(|message| Note::new(message, None)));
    }
    writer.outdated();
}

fn verdict(finding: &Finding, callers: &[Caller]) -> Option<String> {
    let finds = |caller: &&Caller| caller.findings.iter().any(|other| other.is_same_error(finding));
    let list = |callers: &[&Caller]| {
        let names: Vec<String> = callers.iter().map(|caller| format!("`{}`", caller.name)).collect();
        names.join(", ")
    };
    let brought: Vec<&Caller> = callers.iter().filter(finds).collect();
    let open: Vec<&Caller> = callers.iter().filter(|caller| !caller.complete).collect();
    let all: Vec<&Caller> = callers.iter().collect();
    Some(match (brought.is_empty(), open.is_empty()) {
        _ if callers.is_empty() => "no caller of it is known".into(),
        (false, _) => format!("brought about by {}", list(&brought)),
        (true, true) => format!("refuted: no known caller brings it about ({})", list(&all)),
        (true, false) => format!(
            "not all paths of {} were explored, and none brings it about",
            list(&open)
        ),
    })
}

/// Is a function known other than by its name?
fn is_taken(program: &Program, function: FunctionId) -> bool {
    let is_it = |constant: &Constant| *constant == Constant::Function(function);
    let in_data = |data: &InitData| match data {
        InitData::Bytes(_) => false,
        InitData::Address(constant) => is_it(constant),
        InitData::Difference { a, b, .. } => is_it(a) || is_it(b),
    };
    let in_code = program.functions.iter().any(|other| other.constants.iter().any(is_it));
    in_code
        || program
            .globals
            .iter()
            .any(|global| global.init.iter().any(|(_, data)| in_data(data)))
}

/// The functions of the program that call it by name, without itself.
fn callers(program: &Program, function: FunctionId) -> Vec<String> {
    let calls = |id: usize| {
        let calls = &program.functions[id].calls;
        calls
            .iter()
            .any(|call| matches!(call.callee, Callee::Direct(callee) if callee == function))
    };
    let others = (0..program.functions.len()).filter(|&id| id != function.index() && calls(id));
    others.map(|id| program.functions[id].name.clone()).collect()
}

/// Runs a caller alone, with the options of this run, in a process of its own.
fn explore(name: &str, dir: &Path) -> Caller {
    let (mut words, mut rest): (Vec<OsString>, Vec<OsString>) = (std::env::args_os().skip(1).collect(), Vec::new());
    if let Some(end) = words.iter().position(|word| word == "--") {
        rest = words.split_off(end);
    }
    // The last of an option given twice counts.
    words.retain(|word| !["--from-callers", "--confirm"].iter().any(|option| word == option));
    words.extend([
        "--quiet".into(),
        "--function".into(),
        name.into(),
        "--out".into(),
        dir.into(),
    ]);
    let done = Command::new("/proc/self/exe")
        .args(words.into_iter().chain(rest))
        .output();
    let findings = OutDir::reopen(dir)
        .and_then(|out| out.known_findings())
        .unwrap_or_default();
    let exact = || {
        let text = std::fs::read_to_string(dir.join("stats.json")).ok()?;
        let stats: serde_json::Value = serde_json::from_str(&text).ok()?;
        stats["exact"].as_bool()
    };
    Caller {
        name: name.into(),
        findings,
        complete: done.is_ok_and(|done| done.status.code() != Some(i32::from(crate::exit::USAGE)))
            && exact() == Some(true),
    }
}
