//! The figures of a run, as `stats.json` shows them. Field names are the keys; scripts read them, so they stay.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::confirmation::Confirmation;
use crate::finding::Location;
use crate::rows::Rows;

/// Everything that `stats.json` contains.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// Name of the memory model.
    pub model: String,
    /// How often the run was begun or resumed. The figures are totals of all sessions, except `time.wall_s` and
    /// `memory`, which are those of the last.
    pub sessions: u64,
    /// Nothing was stopped, concretised or cut: everything was explored.
    pub exact: bool,
    /// Why the run is not exact, with counts. Empty when `exact`.
    pub exact_reasons: BTreeMap<String, u64>,
    pub paths: Paths,
    /// Completed paths by the exit code of the program as the operating system sees it, 0 to 255.
    pub exit_values: BTreeMap<i32, u64>,
    /// Executed instructions, over all paths.
    pub instructions: u64,
    /// States made from another one.
    pub forks: u64,
    pub states: States,
    pub loops: Loops,
    /// What proves that nothing is left to find, if the run did not explore all paths one by one; with `--prove`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    pub queries: Queries,
    /// Pointers that may refer to several objects, and how they were treated. Over all paths.
    pub resolution: Rows,
    /// Comparisons and computations that depend on where objects lie.
    pub address_dependent: u64,
    /// Reads and writes of memory, and the queries they make about collisions of addresses. Over all paths. Loads and
    /// stores are counted with every model, the rest by models that have several structures and make such queries.
    pub operations: Rows,
    pub accesses: Accesses,
    /// Merging of paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merging: Option<Merging>,
    pub time: Time,
    pub memory: Memory,
    pub coverage: Coverage,
    /// The most that a completed path left on the heap and still referred to; only with `--check leaks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_reachable: Option<StillReachable>,
    /// For findings that were replayed natively.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmations: Option<Confirmations>,
    /// The options in force, defaults included.
    pub options: BTreeMap<String, String>,
}

/// How paths ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Paths {
    /// Reached the end of the program.
    pub completed: u64,
    /// Ended in an error of the program.
    pub faulted: u64,
    /// Could not continue; the sum of `stop_reasons`.
    pub stopped: u64,
    pub stop_reasons: BTreeMap<String, u64>,
    /// Ended at an assumption of the harness that does not hold: not a path of the program.
    pub excluded: u64,
}

/// Heap blocks left at the end of the program that are not leaks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StillReachable {
    pub blocks: u64,
    pub bytes: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct States {
    /// Most states alive at once.
    pub peak: u64,
}

/// Loops whose number of iterations depends on inputs, with `--loops compact`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Loops {
    /// Summarised into one step for all numbers of iterations.
    pub summarised: u64,
    /// Executed, by the reason why they were not summarised.
    pub executed: BTreeMap<String, u64>,
}

/// A proof that every path is covered: what holds whenever the program is at the head of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Proof {
    /// In the order in which they were found. A loop that is entered in several ways has several.
    pub loops: Vec<Invariant>,
}

/// What holds at the head of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Invariant {
    pub place: Location,
    /// All of these.
    pub holds: Vec<String>,
}

/// Queries to the solver chain.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Queries {
    /// Asked by the engine and the memory model.
    pub asked: u64,
    /// Passed on to the backend.
    pub backend: u64,
    /// The stages of the chain, outermost first.
    pub stages: Vec<Stage>,
}

/// Accesses through symbolic pointers that the built-in resolution has answered, by what can happen (symMMU §2.2), and
/// what handlers did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Accesses {
    /// None faults.
    pub valid: u64,
    /// All fault.
    pub invalid: u64,
    /// Some fault.
    pub contingent: u64,
    /// Accesses of the program that a handler served.
    pub served: u64,
    /// How often a handler left out some of what was possible.
    pub narrowed: u64,
    /// How often a handler made up a value that the program does not have.
    pub invented: u64,
}

/// Merged paths.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Merging {
    /// Loops and other stretches of the program whose paths waited for each other.
    pub contexts: u64,
    /// Those of them in which there were too many.
    pub given_up: u64,
    /// How often states were merged, and how many.
    pub merges: u64,
    pub states: u64,
    /// How many of the merges were made by a pattern of paths.
    pub patterns: u64,
    /// How often states stayed apart, and why.
    pub kept_apart: BTreeMap<String, u64>,
    /// Sizes of the resulting path conditions and values, as trees of operations.
    pub constraints: u64,
    pub values: u64,
}

/// One stage of the solver chain.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stage {
    pub name: Cow<'static, str>,
    /// Queries that reached the stage.
    pub asked: u64,
    /// Queries that it answered itself.
    pub answered: u64,
    /// Time spent in the stage itself; for the first, in all of them.
    pub time_s: f64,
    /// What else it counts, such as the hits of a cache by kind.
    #[serde(skip_serializing_if = "Rows::is_empty")]
    pub details: Rows,
}

/// Wall-clock times in seconds.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Time {
    /// From start to end of the last session, compilation included.
    pub wall_s: f64,
    /// Exploration alone, solver included.
    pub explore_s: f64,
    /// Spent in the solver chain.
    pub solver_s: f64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Largest resident size of the process, in the last session.
    pub peak_bytes: u64,
}

/// Instructions of the program, without the runtime.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    pub instructions_covered: u64,
    pub instructions_total: u64,
}

/// Findings by the verdicts of their native replays.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Confirmations {
    pub confirmed: u64,
    pub unconfirmed: u64,
    pub not_checkable: u64,
}

impl Queries {
    pub fn of(stages: &[Stage]) -> Queries {
        Queries {
            asked: stages.first().map_or(0, |stage| stage.asked),
            backend: stages.last().map_or(0, |stage| stage.asked),
            stages: stages.to_vec(),
        }
    }
}

impl Stage {
    /// Adds what the same stage did in an earlier session.
    pub fn add(&mut self, before: &Stage) {
        self.asked += before.asked;
        self.answered += before.answered;
        self.time_s += before.time_s;
        self.details.add_all(&before.details);
    }
}

impl Merging {
    /// Counts states that were not merged.
    pub fn kept_apart(&mut self, why: &str) {
        *self.kept_apart.entry(why.into()).or_default() += 1;
    }
}

impl Confirmations {
    pub fn add(&mut self, confirmation: &Confirmation) {
        *match confirmation {
            Confirmation::Confirmed(_) => &mut self.confirmed,
            Confirmation::Unconfirmed(_) => &mut self.unconfirmed,
            Confirmation::NotCheckable(_) => &mut self.not_checkable,
        } += 1;
    }
}

impl Stats {
    /// The text of `stats.json`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data has a JSON form");
        text.push('\n');
        text
    }

    pub fn from_json(text: &str) -> Result<Stats, serde_json::Error> {
        serde_json::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_nested_as_documented() {
        let mut stats = Stats {
            model: "objects".into(),
            exact: true,
            ..Stats::default()
        };
        stats.paths.completed = 3;
        stats.paths.stop_reasons.insert("limit: time".into(), 1);
        stats.exit_values.insert(255, 2);
        stats.queries.stages.push(Stage {
            name: "cache".into(),
            asked: 5,
            answered: 4,
            time_s: 0.5,
            details: Rows::default(),
        });
        let json: serde_json::Value = serde_json::from_str(&stats.to_json()).unwrap();
        assert_eq!(json["paths"]["completed"], 3);
        assert_eq!(json["paths"]["stop_reasons"]["limit: time"], 1);
        assert_eq!(json["exit_values"]["255"], 2);
        assert_eq!(json["queries"]["stages"][0]["name"], "cache");
        for key in [
            "/paths/faulted",
            "/paths/stopped",
            "/exact",
            "/exact_reasons",
            "/instructions",
            "/forks",
        ] {
            assert!(json.pointer(key).is_some(), "{key}");
        }
        for key in [
            "/queries/asked",
            "/queries/backend",
            "/time/wall_s",
            "/time/explore_s",
            "/time/solver_s",
        ] {
            assert!(json.pointer(key).is_some(), "{key}");
        }
        for key in [
            "/memory/peak_bytes",
            "/states/peak",
            "/model",
            "/options",
            "/coverage/instructions_total",
        ] {
            assert!(json.pointer(key).is_some(), "{key}");
        }
        assert_eq!(Stats::from_json(&stats.to_json()).unwrap(), stats);
    }

    #[test]
    fn missing_keys_are_zero() {
        let stats = Stats::from_json(r#"{"paths": {"completed": 2}}"#).unwrap();
        assert_eq!(stats.paths.completed, 2);
        assert_eq!(stats.queries.asked, 0);
    }
}
