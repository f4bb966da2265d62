//! One run of the `mneme` binary, and what it left behind.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mneme_finding::{Rule, Stats};
use serde_json::Value;

use crate::spec::Run;

/// Seconds that a run may explore, unless its `RUN` line says otherwise.
const MAX_TIME: u64 = 60;
/// Extra seconds after which a process counts as hanging.
const GRACE: u64 = 60;

/// One finding of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub rule: Rule,
    /// The innermost location on the stack that lies in the program's own file; 0 if there is none.
    pub line: u32,
    /// For people: the finding's own location and its message.
    pub text: String,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `None` when a signal ended the process.
    pub exit: Option<i32>,
    pub findings: Vec<Found>,
    pub stats: Stats,
    pub stderr: String,
    /// With `--paranoid` the backend is asked more than the exploration needs.
    pub paranoid: bool,
}

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("cannot run mneme: {0}")]
    Io(#[from] io::Error),
    #[error("mneme did not end within {0} seconds\n{1}")]
    Hang(u64, String),
    #[error("mneme panicked:\n{0}")]
    Panic(String),
    #[error("{file} is missing or broken ({why}); mneme ended with {status}\n{stderr}")]
    Output {
        file: &'static str,
        why: String,
        status: ExitStatus,
        stderr: String,
    },
}

/// The variable with options that every run gets in addition to its own.
const OPTIONS: &str = "MNEME_RUN_OPTIONS";

/// Explores `program` with the model as `run` says.
pub fn run(mneme: &Path, program: &Path, run: &Run, model: &str) -> Result<Outcome, RunError> {
    let scratch = tempfile::tempdir()?;
    let out = scratch.path().join("out");
    let log = scratch.path().join("stderr");
    let limit = option_value(&run.options, "--max-time").and_then(|text| text.parse().ok());
    let added = std::env::var(OPTIONS).unwrap_or_default();
    let is_new = |option: &&str| run.options.iter().all(|own| own != option);
    let own = run.options.iter().map(String::as_str);
    let paranoid = own.chain(added.split_whitespace()).any(|option| option == "--paranoid");
    let mut command = Command::new(mneme);
    command
        .arg("run")
        .arg(program)
        .args(&run.options)
        .args(added.split_whitespace().filter(is_new))
        .arg("--model")
        .arg(model)
        .arg("--out")
        .arg(&out);
    if limit.is_none() {
        command.args(["--max-time", &MAX_TIME.to_string()]);
    }
    if !run.args.is_empty() {
        command.arg("--").args(&run.args);
    }
    // Standard output is discarded, because the analysed program may print without end.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log)?);
    let status = wait(command, limit.unwrap_or(MAX_TIME) + GRACE)?;
    let stderr = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let Some(status) = status else {
        return Err(RunError::Hang(limit.unwrap_or(MAX_TIME) + GRACE, stderr));
    };
    if stderr.contains("panicked at") {
        return Err(RunError::Panic(stderr));
    }
    // Code 2 is a usage or input error: there is nothing to read.
    if status.code() == Some(2) {
        return Ok(Outcome {
            exit: Some(2),
            findings: Vec::new(),
            stats: Stats::default(),
            stderr,
            paranoid,
        });
    }
    let broken = |file, why: String| RunError::Output {
        file,
        why,
        status,
        stderr: stderr.clone(),
    };
    let text = read(&out, "stats.json").map_err(|why| broken("stats.json", why))?;
    let stats = Stats::from_json(&text).map_err(|error| broken("stats.json", error.to_string()))?;
    let text = read(&out, "findings.sarif").map_err(|why| broken("findings.sarif", why))?;
    let findings = parse_sarif(&text, program).map_err(|why| broken("findings.sarif", why))?;
    Ok(Outcome {
        exit: status.code(),
        findings,
        stats,
        stderr,
        paranoid,
    })
}

fn option_value<'a>(options: &'a [String], name: &str) -> Option<&'a str> {
    let at = options.iter().position(|option| option.starts_with(name))?;
    match options[at].strip_prefix(name)? {
        "" => options.get(at + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    }
}

/// Waits for the process, or ends it after `seconds`.
fn wait(mut command: Command, seconds: u64) -> io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn read(dir: &Path, name: &str) -> Result<String, String> {
    fs::read_to_string(dir.join(name)).map_err(|error| error.to_string())
}

/// The findings of a SARIF log.
fn parse_sarif(text: &str, program: &Path) -> Result<Vec<Found>, String> {
    let log: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let results = log
        .pointer("/runs/0/results")
        .and_then(Value::as_array)
        .ok_or("there are no results")?;
    results.iter().map(|result| parse_result(result, program)).collect()
}

fn parse_result(result: &Value, program: &Path) -> Result<Found, String> {
    let id = result["ruleId"].as_str().ok_or("a result has no rule")?;
    let rule = id.parse::<Rule>().map_err(|error| error.to_string())?;
    let frames = result.pointer("/stacks/0/frames").and_then(Value::as_array);
    let frames = frames.into_iter().flatten().map(|frame| &frame["location"]);
    let line = [&result["locations"][0]]
        .into_iter()
        .chain(frames)
        .find_map(|place| line_in(place, program));
    let physical = &result["locations"][0]["physicalLocation"];
    let file = physical["artifactLocation"]["uri"].as_str().unwrap_or("<unknown>");
    let text = format!(
        "{file}:{}: {}",
        physical["region"]["startLine"], result["message"]["text"]
    );
    Ok(Found {
        rule,
        line: line.unwrap_or(0),
        text,
    })
}

/// The line of a location in the program's own file.
fn line_in(place: &Value, program: &Path) -> Option<u32> {
    let physical = &place["physicalLocation"];
    let uri = physical["artifactLocation"]["uri"].as_str()?;
    let file = PathBuf::from(uri.strip_prefix("file://").unwrap_or(uri));
    (file.file_name() == program.file_name()).then_some(())?;
    u32::try_from(physical["region"]["startLine"].as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_finding::{Finding, Frame, Location};
    use mneme_report::sarif;

    fn at(file: &str, line: u32) -> Location {
        Location {
            file: file.into(),
            line,
            column: 1,
            function: "f".into(),
            ..Location::default()
        }
    }

    #[test]
    fn a_finding_in_the_runtime_belongs_to_the_line_that_called_it() {
        let mut finding = Finding::new(Rule::OutOfBoundsRead, at("/runtime/string.c", 7));
        finding.stack = vec![
            Frame {
                function: "strlen".into(),
                location: at("/runtime/string.c", 7),
            },
            Frame {
                function: "main".into(),
                location: at("/tests/c/a.c", 12),
            },
        ];
        let text = sarif(&[finding], Path::new("/")).to_string();
        let found = parse_sarif(&text, Path::new("/tests/c/a.c")).unwrap();
        assert_eq!((found[0].rule, found[0].line), (Rule::OutOfBoundsRead, 12));
        assert!(found[0].text.starts_with("runtime/string.c:7: "), "{}", found[0].text);
    }

    #[test]
    fn a_finding_elsewhere_has_no_line() {
        let text = sarif(&[Finding::new(Rule::Abort, at("/b.c", 7))], Path::new("/")).to_string();
        assert_eq!(parse_sarif(&text, Path::new("/a.c")).unwrap()[0].line, 0);
        assert!(parse_sarif("{}", Path::new("/a.c")).is_err());
    }

    #[test]
    fn the_time_limit_of_a_run_is_found() {
        let options = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(option_value(&options("-DX --max-time 5"), "--max-time"), Some("5"));
        assert_eq!(option_value(&options("--max-time=7 -DX"), "--max-time"), Some("7"));
        assert_eq!(option_value(&options("-DX"), "--max-time"), None);
    }

    #[test]
    fn a_hanging_process_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("30");
        assert!(wait(command, 0).unwrap().is_none());
    }
}
