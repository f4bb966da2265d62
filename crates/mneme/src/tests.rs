//! `mneme tests`: lists the tests of a run, for people and for scripts. KLEE's tests are read, too.

use crate::cli::{Format, TestsArgs};
use crate::progress::count;
use crate::{corpus, exit};
use mneme_replay::Calls;
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

/// Writes tests as C files; returns how many.
fn as_c(listed: &[Listed], dir: &Path) -> std::io::Result<u64> {
    std::fs::create_dir_all(dir)?;
    let call = |test: &'_ Listed| test.record.as_ref().and_then(|record| record.call.clone());
    let flags = match listed.iter().all(|test| call(test).is_some()) {
        true => None,
        false => Some(mneme_runtime::write_beside_tests(dir)?),
    };
    for test in listed {
        let file = dir.join(test.path.file_stem().unwrap_or_default()).with_extension("c");
        let text = match (call(test), flags) {
            (Some(call), _) => fixture(&[(1, &call)], &Unit::Source(call.file.clone())),
            (None, flags) => program_test(test, &file, flags.expect("not all are of functions"))?,
        };
        std::fs::write(file, text)?;
    }
    Ok(listed.len() as u64)
}

/// A test of a whole program: its inputs, for the library that a native run is linked with.
fn program_test(listed: &Listed, file: &Path, [flags, with_layer]: [&str; 2]) -> std::io::Result<String> {
    let flags = match Calls::of(&listed.test) {
        Calls::Real => flags,
        Calls::AsTested => with_layer,
    };
    let record = listed.record.as_ref();
    let failing = record.map_or(&[][..], |record| &record.failing_allocations);
    let failing: Vec<String> = failing.iter().map(u32::to_string).collect();
    let bytes = listed.test.to_bytes().map_err(std::io::Error::other)?;
    let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
    let words: Vec<String> = { listed.test.args.iter() }
        .map(|word| format!("{}, ", quoted(word)))
        .collect();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "/* A test of a program, made by Mneme: it {}.\n \
         * In this folder: cc {} PROGRAM.c @{flags} -o test && ./test */\n\
         const unsigned char __mneme_test[] = {{{}}};\n\
         const __SIZE_TYPE__ __mneme_test_size = sizeof __mneme_test;\n\
         /* Allocations that fail, counted from 0. */\n\
         const char __mneme_test_failing[] = \"{}\";\n\
         char *__mneme_test_words[] = {{{}(char *)0}};\n",
        comment(&outcome(record)),
        comment(&name),
        bytes.join(", "),
        failing.join(","),
        words.concat(),
    ))
}

/// Nothing in it ends a comment.
fn comment(text: &str) -> String {
    plain(text).replace("*/", "* /")
}

/// A string of C.
fn quoted(text: &str) -> String {
    let byte = |&byte: &u8| match byte {
        b' '..=b'~' if !br#""\?"#.contains(&byte) => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    let inside: String = text.as_bytes().iter().map(byte).collect();
    format!("\"{inside}\"")
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
