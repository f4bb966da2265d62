//! One function of two libraries.

use super::explore::{Explored, Test, explore};
use super::side::{self, Shown};
use super::smaller;
use super::{Plan, Task};
use mneme_finding::{Call, Home, Kind, Passed};
use mneme_report::{Unit, fixture};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is known of a function.
pub struct Compared {
    pub function: String,
    pub outcome: Outcome,
    /// How many tests were run.
    pub tests: usize,
    /// All inputs have been explored.
    pub complete: bool,
}

pub enum Outcome {
    Same,
    Differs(Box<Difference>),
    /// It was not compared, for this reason.
    LeftOut(String),
}

/// How two libraries differ.
pub struct Difference {
    /// On how many tests.
    pub tests: usize,
    /// The smallest input that shows it.
    pub call: Call,
    pub shown: [Shown; 2],
    /// The fixture of each library; the same twice if they are built from one file.
    pub fixtures: [PathBuf; 2],
}

pub fn compare(plan: &Plan, task: &Task) -> Compared {
    let mut compared = Compared {
        function: task.function.clone(),
        outcome: Outcome::Same,
        tests: 0,
        complete: false,
    };
    compared.outcome = match explore(plan, task) {
        Err(reason) => Outcome::LeftOut(reason),
        Ok(explored) => {
            compared.tests = explored.tests.len();
            compared.complete = explored.complete;
            match differences(plan, &explored) {
                Err(reason) => Outcome::LeftOut(reason),
                Ok(None) => Outcome::Same,
                Ok(Some(difference)) => Outcome::Differs(Box::new(difference)),
            }
        }
    };
    compared
}

/// The fixtures of some calls, built for both libraries.
pub struct Built {
    _dir: tempfile::TempDir,
    binaries: [PathBuf; 2],
}

impl Built {
    pub fn new(plan: &Plan, tests: &[(u64, &Call)]) -> Result<Built, String> {
        let dir = tempfile::Builder::new().prefix("mneme-diff-").tempdir();
        let dir = dir.map_err(|error| format!("a temporary folder cannot be made: {error}"))?;
        let binaries = [0, 1].map(|side| dir.path().join(format!("side{side}")));
        for (side, unit) in plan.units().iter().enumerate() {
            let file = dir.path().join(format!("side{side}.c"));
            std::fs::write(&file, fixture(tests, unit)).map_err(|error| error.to_string())?;
            plan.sides[side].build(&file, &binaries[side])?;
        }
        Ok(Built { _dir: dir, binaries })
    }

    /// What a test shows with each library.
    pub fn show(&self, plan: &Plan, test: u64) -> Result<[Shown; 2], String> {
        let timeout = Duration::from_secs_f64(plan.args.timeout);
        let show = |binary: &Path| side::show(&plan.confinement, binary, test, timeout);
        Ok([show(&self.binaries[0])?, show(&self.binaries[1])?])
    }
}

/// Runs all tests with both libraries. The error says why the function is left out.
fn differences(plan: &Plan, explored: &Explored) -> Result<Option<Difference>, String> {
    if let Some(reason) = cannot_compare(plan, &explored.tests) {
        return Err(reason);
    }
    let calls: Vec<(u64, &Call)> = (1..).zip(explored.tests.iter().map(|test| &test.call)).collect();
    let built = Built::new(plan, &calls)?;
    let (mut differing, mut crashes) = (Vec::new(), 0);
    for (&(number, _), test) in calls.iter().zip(&explored.tests) {
        let shown = built.show(plan, number)?;
        crashes += usize::from(shown.iter().all(|shown| shown.end.is_some()));
        if shown[0] == shown[1] {
            continue;
        }
        // What changes from run to run depends on more than what the function is given.
        if built.show(plan, number)? != shown {
            return Err("it depends on the state of the system: two runs of one test differ".into());
        }
        differing.push((test, shown));
    }
    if crashes == calls.len() {
        return Err("it always crashes".into());
    }
    let tests = differing.len();
    let Some((test, shown)) = differing
        .into_iter()
        .min_by_key(|(test, _)| smaller::measure(&test.call))
    else {
        return Ok(None);
    };
    let (call, shown) = smaller::smaller(plan, test, shown);
    let fixtures = write_fixtures(plan, &call)?;
    Ok(Some(Difference {
        tests,
        call,
        shown,
        fixtures,
    }))
}

/// Why outputs of tests would mean nothing (section 5.7.3).
fn cannot_compare(plan: &Plan, tests: &[Test]) -> Option<String> {
    let first = &tests[0].call;
    let is_pointer = |value: &Passed| matches!(value, Passed::Pointer(_));
    let pointers = first.arguments.iter().any(|argument| is_pointer(&argument.value));
    if first.result == Kind::Nothing && !pointers {
        return Some("it returns nothing".into());
    }
    if let Some(argument) = first.arguments.iter().find(|argument| argument.structure == Some(0)) {
        return Some(format!("`{}` is a structure of unknown width", argument.c_type));
    }
    let own_types = |unit: &Unit| matches!(unit, Unit::Library { headers } if headers.is_empty());
    if !plan.units().iter().any(own_types) {
        return None;
    }
    if let Some(argument) = first.arguments.iter().find(|argument| argument.structure.is_some()) {
        let c_type = &argument.c_type;
        return Some(format!(
            "`{c_type}` is a structure of unknown width without a header (--header)"
        ));
    }
    let variables = |call: &Call| {
        let variable = call.objects.iter().find(|object| object.home == Home::Variable);
        variable.map(|object| object.name.clone())
    };
    let variable = tests.iter().find_map(|test| variables(&test.call));
    variable.map(|name| format!("it depends on `{name}`, a variable of the library"))
}

/// Writes what shows a difference where it stays.
fn write_fixtures(plan: &Plan, call: &Call) -> Result<[PathBuf; 2], String> {
    let units = plan.units();
    let one = units[0] == units[1];
    let mut paths = [PathBuf::new(), PathBuf::new()];
    for (side, unit) in units.iter().enumerate() {
        let end = match (one, side) {
            (true, _) => "",
            (false, 0) => "-a",
            (false, _) => "-b",
        };
        paths[side] = plan.args.out.join(format!("{}{end}.c", call.function));
        let text = fixture(&[(1, call)], unit);
        std::fs::write(&paths[side], text).map_err(|error| format!("{}: {error}", paths[side].display()))?;
    }
    Ok(paths)
}
