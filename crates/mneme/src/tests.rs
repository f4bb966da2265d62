//! `mneme tests`: lists the tests of a run, for people and for scripts. KLEE's tests are read, too.

use crate::cli::{Format, TestsArgs};
use crate::progress::count;
use crate::{corpus, exit};
use mneme_report::{
    FindingRecord, KTest, TestRecord, Unit, fixture, input_literal, read_records, relative, test_files,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes of an input that are listed; JSON has all.
const SHOWN_BYTES: usize = 32;

/// A test, and what the run that wrote it predicted.
struct Listed {
    path: PathBuf,
    test: KTest,
    record: Option<TestRecord>,
}

/// Lists every test that can be read; the exit code says whether all could.
pub fn tests(args: &TestsArgs) -> u8 {
    let mut listed = Vec::new();
    let mut damaged = Vec::new();
    for path in &args.paths {
        gather(path, &mut listed, &mut damaged);
    }
    if let Some(dir) = &args.as_corpus {
        let inputs = listed
            .iter()
            .filter_map(|listed| Some((&*listed.path, corpus::input(&listed.test)?)));
        match corpus::write(inputs, dir) {
            Ok(written) => say!("{} in {}", count(written, "input"), dir.display()),
            Err(error) => damaged.push((dir.clone(), error.to_string())),
        }
        listed.clear();
    }
    if let Some(dir) = &args.as_c {
        match as_c(&listed, dir) {
            Ok(written) => say!("{} in {}", count(written, "file"), dir.display()),
            Err(error) => damaged.push((dir.clone(), error.to_string())),
        }
    }
    match args.format {
        _ if args.as_corpus.is_some() || args.as_c.is_some() => {}
        Format::Text => listed.iter().for_each(|test| say!("{}", text(test))),
        Format::Json => say!("{:#}", document(&listed, &damaged)),
    }
    for (path, error) in &damaged {
        eprintln!("mneme: {}: {error}", path.display());
    }
    match damaged.is_empty() {
        true => exit::CLEAN,
        false => exit::USAGE,
    }
}

/// Writes the tests of a function as C files; returns how many.
fn as_c(listed: &[Listed], dir: &Path) -> std::io::Result<u64> {
    std::fs::create_dir_all(dir)?;
    let mut written = 0;
    for test in listed {
        let Some(call) = test.record.as_ref().and_then(|record| record.call.as_ref()) else {
            continue;
        };
        let name = test.path.file_stem().unwrap_or_default();
        let text = fixture(&[(1, call)], &Unit::Source(call.file.clone()));
        std::fs::write(dir.join(name).with_extension("c"), text)?;
        written += 1;
    }
    Ok(written)
}

/// The tests of a directory, or a single one; and what is not a test, with the reason.
fn gather(path: &Path, listed: &mut Vec<Listed>, damaged: &mut Vec<(PathBuf, String)>) {
    let (dir, files) = match path.is_dir() {
        true => (path, test_files(path)),
        false => (path.parent().unwrap_or(Path::new("")), Ok(vec![path.to_owned()])),
    };
    let files = match files {
        Ok(files) if files.is_empty() => {
            return damaged.push((path.to_owned(), "there is no test in this directory".into()));
        }
        Ok(files) => files,
        Err(error) => return damaged.push((path.to_owned(), format!("the directory cannot be read: {error}"))),
    };
    // Predictions are optional: a directory may have none, or a file that is not text.
    let records = read_records(dir).unwrap_or_default();
    let mut records: BTreeMap<_, _> = records
        .into_iter()
        .map(|record| (record.test.clone(), record))
        .collect();
    for path in files {
        match KTest::read(&path) {
            Ok(test) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let record = records.remove(name.as_ref());
                listed.push(Listed { path, test, record });
            }
            Err(error) => damaged.push((path, error.to_string())),
        }
    }
}

fn text(listed: &Listed) -> String {
    let mut lines = vec![format!(
        "{}: {}",
        listed.path.display(),
        outcome(listed.record.as_ref())
    )];
    if let [_, args @ ..] = &listed.test.args[..]
        && !args.is_empty()
    {
        lines.push(format!(
            "  arguments: {}",
            args.iter().map(|arg| plain(arg)).collect::<Vec<_>>().join(" ")
        ));
    }
    let names: Vec<String> = listed.test.objects.iter().map(|object| plain(&object.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, object) in names.iter().zip(&listed.test.objects) {
        lines.push(format!(
            "  {name:width$} = {}  [{}]",
            input_literal(&object.bytes),
            hex(&object.bytes)
        ));
    }
    lines.join("\n")
}

/// What the program does on the test.
fn outcome(record: Option<&TestRecord>) -> String {
    match record {
        None => "nothing is predicted".into(),
        Some(TestRecord {
            finding: Some(finding), ..
        }) => plain(&described(finding)),
        Some(TestRecord {
            exit_code: Some(code), ..
        }) => format!("exits with {code}"),
        Some(TestRecord {
            unfinished: Some(reason),
            ..
        }) => format!("its path was left unfinished ({})", plain(reason)),
        Some(_) => "ends without an exit code".into(),
    }
}

fn described(finding: &FindingRecord) -> String {
    let FindingRecord {
        rule,
        message,
        file,
        line,
        ..
    } = finding;
    let cwd = std::env::current_dir().unwrap_or_default();
    let file = relative(file, &cwd);
    match (file.is_empty(), line) {
        (true, _) => format!("{rule}: {message}"),
        (false, 0) => format!("{rule} in {file}: {message}"),
        (false, line) => format!("{rule} at {file}:{line}: {message}"),
    }
}

/// Names come from untrusted files: nothing in them may move the cursor.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn hex(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let mut words: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    if shown.len() < bytes.len() {
        words.push(format!("… {} bytes", bytes.len()));
    }
    words.join(" ")
}

fn document(listed: &[Listed], damaged: &[(PathBuf, String)]) -> Value {
    let damaged = damaged
        .iter()
        .map(|(path, error)| json!({ "file": path.to_string_lossy(), "error": error }));
    json!({
        "tests": listed.iter().map(object).collect::<Vec<_>>(),
        "damaged": damaged.collect::<Vec<_>>(),
    })
}

fn object(listed: &Listed) -> Value {
    let inputs = listed.test.objects.iter().map(|object| {
        json!({
            "name": object.name,
            "literal": input_literal(&object.bytes),
            "bytes": object.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        })
    });
    let record = listed.record.as_ref();
    json!({
        "file": listed.path.to_string_lossy(),
        "program": listed.test.args.first(),
        "arguments": listed.test.args.get(1..).unwrap_or_default(),
        "exit_code": record.and_then(|record| record.exit_code),
        "finding": record.and_then(|record| record.finding.as_ref()),
        "unfinished": record.and_then(|record| record.unfinished.as_ref()),
        "beyond_inputs": record.and_then(|record| record.beyond_inputs.as_ref()),
        "inputs": inputs.collect::<Vec<_>>(),
    })
}
