//! The tests of a function: a run of it alone, in a process of its own.

use super::{Origin, Plan, Task};
use mneme_finding::Call;
use mneme_report::read_records;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is known of a function.
pub struct Explored {
    /// Tests that end without an error.
    pub tests: Vec<Test>,
    /// All inputs have been explored.
    pub complete: bool,
}

/// A test, and where it comes from.
#[derive(Clone)]
pub struct Test {
    pub call: Call,
    /// The directory with the tests of its origin.
    pub dir: PathBuf,
    pub origin: Origin,
}

/// Makes the tests from all origins. The error says why the function is left out.
pub fn explore(plan: &Plan, task: &Task) -> Result<Explored, String> {
    let mut all = Explored {
        tests: Vec::new(),
        complete: true,
    };
    for (index, origin) in task.origins.iter().enumerate() {
        let dir = plan.args.out.join("tests").join(format!("{}-{index}", task.function));
        let explored = explore_one(plan, &task.function, origin, &dir)?;
        let is_new = |test: &Test| {
            let given = (&test.call.arguments, &test.call.objects);
            !all.tests
                .iter()
                .any(|known| (&known.call.arguments, &known.call.objects) == given)
        };
        let new: Vec<Test> = explored.tests.into_iter().filter(is_new).collect();
        all.tests.extend(new);
        all.complete &= explored.complete;
    }
    Ok(all)
}

fn explore_one(plan: &Plan, function: &str, origin: &Origin, dir: &Path) -> Result<Explored, String> {
    let ours = ["run", "--quiet", "--globals", "initial", "--merge", "none"];
    let mut words: Vec<OsString> = ours.map(OsString::from).to_vec();
    words.extend(["--tests", "completed", "--max-memory", "3000", "--function"].map(OsString::from));
    words.push(function.into());
    words.extend(["--max-time".into(), plan.args.max_time.to_string().into()]);
    words.extend(["--out".into(), dir.into()]);
    words.extend(origin.files.iter().map(OsString::from));
    words.extend(origin.flags.iter().map(OsString::from));
    words.extend(plan.args.options.iter().map(OsString::from));
    // The binary that is running, whatever happened to its file.
    let output = Command::new("/proc/self/exe")
        .args(&words)
        .output()
        .map_err(|error| format!("its exploration cannot be started: {error}"))?;
    if output
        .status
        .code()
        .is_none_or(|code| code == i32::from(crate::exit::USAGE))
    {
        let message = String::from_utf8_lossy(&output.stderr);
        let line = message.lines().next().unwrap_or("its exploration failed");
        return Err(line.trim_start_matches("mneme: ").into());
    }
    let reasons = reasons(dir);
    if let Some(what) = reasons.iter().find_map(|reason| reason.split_once(" stayed concrete")) {
        return Err(format!("it depends on the state of the system: {}", what.0));
    }
    let records = read_records(dir).map_err(|error| format!("its tests cannot be read: {error}"))?;
    let faulted = records.iter().any(|record| record.finding.is_some());
    let completed = records.into_iter().filter(|record| record.exit_code.is_some());
    let test = |call: Call| Test {
        // Not that of an alias, which only this library may have.
        call: Call {
            function: function.into(),
            ..call
        },
        dir: dir.to_owned(),
        origin: origin.clone(),
    };
    let tests: Vec<Test> = completed.filter_map(|record| Some(test(record.call?))).collect();
    let tests = spread(tests, plan.args.max_tests);
    match (tests.is_empty(), faulted) {
        (true, true) => Err("it always goes wrong".into()),
        (true, false) => Err(match reasons.first() {
            Some(reason) => format!("no path ends ({reason})"),
            None => "no path ends".into(),
        }),
        (false, _) => Ok(Explored {
            tests,
            complete: reasons.is_empty(),
        }),
    }
}

/// Some of these, at equal distances: paths that were found one after another are alike.
fn spread<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let count = all.len();
    let chosen = |index: usize| count <= most || index * most / count != (index + 1) * most / count;
    let numbered = all.into_iter().enumerate();
    numbered
        .filter(|&(index, _)| chosen(index))
        .map(|(_, one)| one)
        .collect()
}

/// Why a run was less than exact.
fn reasons(dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("stats.json")).unwrap_or_default();
    let stats: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let reasons = stats["exact_reasons"].as_object().into_iter().flatten();
    reasons.map(|(reason, _)| reason.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn tests_are_taken_at_equal_distances() {
        assert_eq!(spread((0..10).collect(), 4), [2, 4, 7, 9]);
        assert_eq!(spread((0..3).collect(), 4), [0, 1, 2]);
        assert_eq!(spread((0..1000).collect::<Vec<_>>(), 200).len(), 200);
    }
}
