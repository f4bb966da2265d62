//! `--confirm-sarif`: the warnings of another analyser, judged one by one.
//!
//! A warning names a place and, in its rule or message, a kind of error. The function that has the place is explored
//! alone, and so is the one in which the warning's path begins. If an error of that kind is found there and a native run
//! shows it, the warning is *confirmed*. If one of the functions was explored up to bounds that can be named (rounds of
//! loops, sizes and depths of what it is given) and has no such error, the warning is *refuted within bounds*. Otherwise
//! it is *unknown*, with the reason.

use super::one::{Explored, Found};
use super::pool::Ended;
use super::{Over, general, name};
use crate::cli::{CheckArgs, Format};
use crate::run::RunError;
use crate::writer::Writer;
use crate::{exit, replay};
use mneme_engine::{Novelty, Observer};
use mneme_finding::{Assumption, Confirmation, Finding, Location, Rule};
use mneme_program::Program;
use mneme_report::{OutDir, relative};
use mneme_solver::Interrupt;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum SarifError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is not SARIF: {why}", path.display())]
    Malformed { path: PathBuf, why: String },
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

/// A line of a file.
type Spot = (PathBuf, u32);

/// What another analyser warns of.
#[derive(Debug)]
struct Warning {
    /// Where it is: the file of the command line, the run and the result.
    position: (usize, usize, usize),
    tool: String,
    rule: String,
    message: String,
    spot: Option<Spot>,
    /// Its path.
    steps: Vec<Spot>,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Verdict {
    Confirmed,
    Refuted,
    Unknown,
}

impl Verdict {
    const ALL: [Verdict; 3] = [Verdict::Confirmed, Verdict::Unknown, Verdict::Refuted];

    fn text(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Refuted => "refuted within bounds",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A warning with what Mneme says of it.
struct Judged {
    verdict: Verdict,
    why: String,
    /// The test that shows it.
    test: Option<String>,
}

/// Words of rules and messages, without what separates them, and the errors that they stand for. The first that occurs
/// counts; words of the rule count before those of the message.
const MEANINGS: &[(&[&str], &[Rule])] = &[
    (&["fdleak", "fileleak", "resourceleak", "deadstore"], &[]),
    (&["leak"], &[Rule::MemoryLeak]),
    (
        &["doublefree", "freereleased", "freedtwice"],
        &[Rule::DoubleFree, Rule::UseAfterFree],
    ),
    (
        &["useafterfree", "afteritisfreed", "afterfree", "usereleased"],
        &[Rule::UseAfterFree, Rule::DoubleFree],
    ),
    (
        &[
            "badfree",
            "invalidfree",
            "freeofnonheap",
            "notallocatedby",
            "mismatchingdeallocation",
        ],
        &[Rule::InvalidFree],
    ),
    (
        &[
            "stackaddress",
            "addressescape",
            "returnedtocaller",
            "stackmemory",
            "danglinglifetime",
        ],
        &[Rule::StackEscape, Rule::UseAfterReturn, Rule::UseAfterScope],
    ),
    (
        &["uninit", "garbage", "undefinedbinary", "undefinedvalue", "isundefined"],
        &[Rule::UninitializedRead],
    ),
    (
        &["dividezero", "dividebyzero", "divisionbyzero", "zerodiv"],
        &[Rule::DivisionByZero],
    ),
    (&["shift"], &[Rule::InvalidShift]),
    (&["integeroverflow", "signedoverflow"], &[Rule::SignedOverflow]),
    (
        &[
            "outofbound",
            "arraybound",
            "overrun",
            "bufferoverflow",
            "pasttheend",
            "outofrange",
        ],
        &[Rule::OutOfBoundsRead, Rule::OutOfBoundsWrite],
    ),
    (&["null", "nil"], &[Rule::NullDereference]),
];

/// The errors that a warning may mean.
fn meaning(rule: &str, message: &str) -> &'static [Rule] {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let of = |text: String| {
        MEANINGS
            .iter()
            .find(|(words, _)| words.iter().any(|word| text.contains(word)))
    };
    let found = of(plain(rule)).or_else(|| of(plain(message)));
    found.map_or(&[], |(_, rules)| rules)
}

/// A document of another analyser.
pub struct Document {
    path: PathBuf,
    json: Value,
}

pub fn read(paths: &[PathBuf]) -> Result<Vec<Document>, SarifError> {
    let one = |path: &PathBuf| {
        let text = std::fs::read(path).map_err(|source| SarifError::Unreadable {
            path: path.clone(),
            source,
        })?;
        let malformed = |why: String| SarifError::Malformed {
            path: path.clone(),
            why,
        };
        let json: Value = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
        match json["runs"].is_array() {
            true => Ok(Document {
                path: path.clone(),
                json,
            }),
            false => Err(malformed("it has no runs".into())),
        }
    };
    paths.iter().map(one).collect()
}

fn warnings(documents: &[Document]) -> Vec<Warning> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for (document, one) in documents.iter().enumerate() {
        for (run_index, run) in list(&one.json["runs"]).iter().enumerate() {
            for (index, result) in list(&run["results"]).iter().enumerate() {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let flows = list(&result["codeFlows"]).into_iter().take(1);
                let threads = flows.flat_map(|flow| list(&flow["threadFlows"]).into_iter().take(1));
                let steps = threads.flat_map(|thread| list(&thread["locations"]));
                all.push(Warning {
                    position: (document, run_index, index),
                    tool: text(&run["tool"]["driver"]["name"]),
                    rule: match &result["ruleId"] {
                        Value::String(id) => id.clone(),
                        _ => text(&result["rule"]["id"]),
                    },
                    message: text(&result["message"]["text"]),
                    spot: spot(run, &result["locations"][0]),
                    steps: steps.filter_map(|step| spot(run, &step["location"])).collect(),
                });
            }
        }
    }
    all
}

/// The line of a location.
fn spot(run: &Value, location: &Value) -> Option<Spot> {
    let physical = &location["physicalLocation"];
    let line = physical["region"]["startLine"].as_u64()?;
    let artifact = match &physical["artifactLocation"]["uri"] {
        Value::String(_) => &physical["artifactLocation"],
        _ => {
            let index = physical["artifactLocation"]["index"].as_u64()?;
            &run["artifacts"][index as usize]["location"]
        }
    };
    let path = decoded(artifact["uri"].as_str()?);
    let base = artifact["uriBaseId"].as_str();
    let base = base
        .and_then(|id| run["originalUriBaseIds"][id]["uri"].as_str())
        .map(decoded);
    let path = base.map_or_else(PathBuf::new, PathBuf::from).join(path);
    Some((real(&path), line as u32))
}

/// The path of a URI.
fn decoded(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let (mut out, mut rest) = (Vec::new(), path.as_bytes());
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        (rest, _) = match (byte, code) {
            (b'%', Some(code)) => (&behind[2..], out.push(code)),
            _ => (behind, out.push(byte)),
        };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn spot_of(location: &Location) -> Spot {
    (real(Path::new(&location.file)), location.line)
}

/// Where functions begin.
struct Functions {
    of_file: BTreeMap<PathBuf, BTreeMap<u32, usize>>,
}

impl Functions {
    fn new(program: &Program) -> Functions {
        let mut of_file: BTreeMap<PathBuf, BTreeMap<u32, usize>> = BTreeMap::new();
        for (id, function) in program.functions.iter().enumerate() {
            let file = program.files.get(function.loc.file as usize);
            if let Some(file) = file.filter(|_| !function.runtime && !function.is_declaration()) {
                let lines = of_file.entry(real(Path::new(&**file))).or_default();
                lines.insert(function.loc.line, id);
            }
        }
        Functions { of_file }
    }

    /// The function that has a line: the last that begins before it.
    fn at(&self, (file, line): &Spot) -> Option<usize> {
        let before = self.of_file.get(file)?.range(..=line);
        before.last().map(|(_, &id)| id)
    }

    /// The functions that are explored for a warning: that with the place, and that in which the path to it begins.
    fn of(&self, warning: &Warning) -> BTreeSet<usize> {
        let places = warning.spot.iter().chain(warning.steps.first());
        places.filter_map(|place| self.at(place)).collect()
    }
}

/// The functions to be explored.
pub fn tasks(documents: &[Document], program: &Program) -> Vec<usize> {
    let functions = Functions::new(program);
    let meant = warnings(documents)
        .into_iter()
        .filter(|w| !meaning(&w.rule, &w.message).is_empty());
    let all: BTreeSet<usize> = meant.flat_map(|warning| functions.of(&warning)).collect();
    all.into_iter().collect()
}

/// Is it the error that the warning means?
fn is_meant(warning: &Warning, finding: &Finding) -> bool {
    let Some(place) = &warning.spot else { return false };
    if !meaning(&warning.rule, &warning.message).contains(&finding.rule) {
        return false;
    }
    let own = finding.stack.iter().map(|frame| &frame.location);
    let mut places = own.chain([&finding.location]).map(spot_of);
    // Of a leak some tools show where the block is lost, others where it is allocated.
    let block = finding.lost_block().map(spot_of);
    places.any(|other| other == *place) || block.is_some_and(|block| block == *place || warning.steps.contains(&block))
}

/// What is only for bounds that can be named. What calls do that are not executed is known but for what they free.
fn is_bound(why: &str, rules: &[Rule]) -> bool {
    let frees = |rule: &Rule| matches!(rule, Rule::UseAfterFree | Rule::DoubleFree | Rule::MemoryLeak);
    match general(why).as_str() {
        "limit: rounds of a loop"
        | "limit: the size of objects made on demand"
        | "limit: the depth of structures made on demand"
        | "limit: instructions of one path"
        | "an allocation larger than the capacity"
        | "loops of more rounds do anything" => true,
        "calls of functions that are not there may do anything" | "calls that are too deep may do anything" => {
            !rules.iter().any(frees)
        }
        _ => false,
    }
}

/// Judges all warnings of the documents.
pub fn judge(args: &CheckArgs, program: &Program, mut documents: Vec<Document>, over: Over) -> Result<u8, RunError> {
    let functions = Functions::new(program);
    let warnings = warnings(&documents);
    let results = over.results;
    let out = OutDir::create(args.out.as_deref())?;
    let mut writer = Writer::new(out, args.files[0].display().to_string(), Vec::new(), false);
    writer.format = Format::Json;
    for found in meant(&warnings, &results) {
        writer.found(&found.finding, &found.test, Novelty::First);
    }
    let what = (&args.files[..], &args.compile);
    replay::confirm(what, Format::Json, &mut writer, &Interrupt::new())?;
    let judged: Vec<Judged> = warnings
        .iter()
        .map(|warning| verdict(program, warning, &functions.of(warning), &results, &writer.findings))
        .collect();
    let cwd = writer.cwd().to_owned();
    let mut order: Vec<usize> = (0..warnings.len()).collect();
    let rank = |index: &usize| {
        Verdict::ALL
            .iter()
            .position(|&verdict| verdict == judged[*index].verdict)
    };
    order.sort_by_key(rank);
    let count = |verdict| judged.iter().filter(|one| one.verdict == verdict).count();
    let list: Vec<Value> = order
        .iter()
        .map(|&index| row(&warnings[index], &judged[index], &cwd))
        .collect();
    let document = json!({
        "version": 1,
        "warnings": list,
        "totals": {
            "confirmed": count(Verdict::Confirmed),
            "refuted": count(Verdict::Refuted),
            "unknown": count(Verdict::Unknown),
        },
        "wall_s": over.begin.elapsed().as_secs_f64(),
    });
    for (warning, judged) in warnings.iter().zip(&judged) {
        let (document, run, result) = warning.position;
        let result = &mut documents[document].json["runs"][run]["results"][result];
        result["properties"]["mneme"] = json!({ "verdict": judged.verdict.text(), "reason": judged.why });
    }
    let folder = writer.out().path();
    write(&folder.join("verdicts.json"), &document)?;
    for (index, document) in documents.iter().enumerate() {
        let name = document.path.file_name().unwrap_or_default().to_string_lossy();
        // Two documents may have the same name.
        let name = match documents.len() {
            1 => format!("judged-{name}"),
            _ => format!("judged-{}-{name}", index + 1),
        };
        write(&folder.join(name), &document.json)?;
    }
    match args.format {
        Format::Json => say!("{document:#}"),
        Format::Text => {
            order
                .iter()
                .for_each(|&index| print(&warnings[index], &judged[index], &cwd));
            if !args.quiet {
                say!(
                    "{} in {:.1} s: {} confirmed, {} refuted within bounds, {} unknown; results in {}",
                    crate::progress::count(warnings.len() as u64, "warning"),
                    over.begin.elapsed().as_secs_f64(),
                    count(Verdict::Confirmed),
                    count(Verdict::Refuted),
                    count(Verdict::Unknown),
                    folder.display(),
                );
            }
        }
    }
    if let Some(trouble) = writer.trouble.take() {
        return Err(trouble.into());
    }
    Ok(match (count(Verdict::Confirmed), count(Verdict::Unknown)) {
        (1.., _) => exit::FINDINGS,
        (0, 1..) => exit::INCOMPLETE,
        (0, 0) => exit::CLEAN,
    })
}

fn write(path: &Path, json: &Value) -> Result<(), RunError> {
    let written = std::fs::write(path, format!("{json:#}\n"));
    Ok(written.map_err(|source| SarifError::Unwritable {
        path: path.to_owned(),
        source,
    })?)
}

/// What was found that some warning means; of one error, that which assumes least.
fn meant(warnings: &[Warning], results: &BTreeMap<usize, (Explored, Ended)>) -> Vec<Found> {
    let all = results.values().flat_map(|(explored, _)| &explored.found);
    let wanted = all.filter(|found| warnings.iter().any(|warning| is_meant(warning, &found.finding)));
    super::ranking::distinct(wanted.cloned().collect())
}

fn verdict(
    program: &Program,
    warning: &Warning,
    functions: &BTreeSet<usize>,
    results: &BTreeMap<usize, (Explored, Ended)>,
    findings: &[Finding],
) -> Judged {
    let unknown = |why: String| Judged {
        verdict: Verdict::Unknown,
        why,
        test: None,
    };
    let rules = meaning(&warning.rule, &warning.message);
    if rules.is_empty() {
        return unknown("this is no error that a run can show".into());
    }
    let matching = findings.iter().filter(|finding| is_meant(warning, finding));
    let strength = |finding: &&Finding| {
        let confirmed = matches!(finding.confirmation, Some(Confirmation::Confirmed(_)));
        (!confirmed, finding.assumption)
    };
    if let Some(finding) = matching.min_by_key(strength) {
        let odd = finding.assumption.filter(|assumption| assumption.is_odd());
        let rests = odd.map_or(String::new(), |odd: Assumption| {
            format!("; it needs {}", odd.describe())
        });
        let (verdict, seen) = match &finding.confirmation {
            Some(confirmation @ Confirmation::Confirmed(_)) => (Verdict::Confirmed, confirmation.reason().to_owned()),
            Some(other) => (
                Verdict::Unknown,
                format!("found, but {}: {}", other.verdict(), other.reason()),
            ),
            None => (Verdict::Unknown, "found, but not run natively".into()),
        };
        return Judged {
            verdict,
            why: format!("{seen}{rests}"),
            test: finding.test.clone(),
        };
    }
    if functions.is_empty() {
        return unknown("no function of the files has this line".into());
    }
    let mut open = Vec::new();
    for &function in functions {
        let name = name(program, function);
        match results.get(&function).map(|(explored, ended)| (explored, *ended)) {
            Some((Explored { refused: Some(why), .. }, _)) => open.push(why.clone()),
            Some((
                Explored {
                    figures: Some(figures), ..
                },
                _,
            )) => {
                let others: Vec<String> = figures
                    .reasons
                    .keys()
                    .filter(|why| !is_bound(why, rules))
                    .map(|why| general(why))
                    .collect();
                if others.is_empty() {
                    let bounds: BTreeSet<String> = figures.reasons.keys().map(|why| general(why)).collect();
                    let bounds: Vec<String> = bounds.into_iter().collect();
                    let why = match bounds.is_empty() {
                        true => format!("no path of `{name}` comes to it"),
                        false => format!("no path of `{name}` comes to it but for: {}", bounds.join(", ")),
                    };
                    return Judged {
                        verdict: Verdict::Refuted,
                        why,
                        test: None,
                    };
                }
                open.push(format!(
                    "not found in `{name}`, which was not explored completely: {}",
                    others.join(", ")
                ));
            }
            Some((_, Ended::Late)) => open.push(format!("`{name}` takes too long")),
            _ => open.push(format!("the exploration of `{name}` ended unexpectedly")),
        }
    }
    unknown(open.join("; "))
}

fn row(warning: &Warning, judged: &Judged, cwd: &Path) -> Value {
    let (file, line) = warning.spot.clone().unwrap_or_default();
    json!({
        "tool": warning.tool,
        "rule": warning.rule,
        "message": warning.message,
        "file": relative(&file.display().to_string(), cwd),
        "line": line,
        "verdict": judged.verdict.text(),
        "reason": judged.why,
        "test": judged.test,
    })
}

fn print(warning: &Warning, judged: &Judged, cwd: &Path) {
    let place = match &warning.spot {
        Some((file, line)) => format!("{}:{line}", relative(&file.display().to_string(), cwd)),
        None => "somewhere".into(),
    };
    say!("{place}: {} [{}]", warning.message, warning.rule);
    let test = judged.test.as_ref().map_or(String::new(), |test| format!(" ({test})"));
    say!("  {}: {}{test}", judged.verdict.text(), judged.why);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules and messages of clang, gcc and Infer.
    #[test]
    fn the_words_of_other_tools_are_understood() {
        for (rule, message, first) in [
            (
                "core.NullDereference",
                "Access to field 'v' results in …",
                Some(Rule::NullDereference),
            ),
            (
                "unix.Malloc",
                "Potential leak of memory pointed to by 'b'",
                Some(Rule::MemoryLeak),
            ),
            ("unix.Malloc", "Attempt to free released memory", Some(Rule::DoubleFree)),
            (
                "unix.Malloc",
                "Use of memory after it is freed",
                Some(Rule::UseAfterFree),
            ),
            (
                "core.uninitialized.Assign",
                "Assigned value is garbage",
                Some(Rule::UninitializedRead),
            ),
            ("core.DivideZero", "Division by zero", Some(Rule::DivisionByZero)),
            (
                "core.StackAddressEscape",
                "Address of stack memory …",
                Some(Rule::StackEscape),
            ),
            ("deadcode.DeadStores", "Value stored to 'x' is never read", None),
            ("-Wanalyzer-possible-null-dereference", "", Some(Rule::NullDereference)),
            (
                "-Wanalyzer-use-of-uninitialized-value",
                "",
                Some(Rule::UninitializedRead),
            ),
            ("-Wanalyzer-shift-count-overflow", "", Some(Rule::InvalidShift)),
            ("-Wanalyzer-fd-leak", "leak of file descriptor", None),
            ("NULLPTR_DEREFERENCE", "", Some(Rule::NullDereference)),
            ("MEMORY_LEAK_C", "", Some(Rule::MemoryLeak)),
            ("BUFFER_OVERRUN_L2", "", Some(Rule::OutOfBoundsRead)),
        ] {
            assert_eq!(meaning(rule, message).first().copied(), first, "{rule}: {message}");
        }
    }

    #[test]
    fn uris_are_paths() {
        assert_eq!(decoded("file:///a/b%20c.c"), "/a/b c.c");
        assert_eq!(decoded("src/100%.c"), "src/100%.c");
        let run = json!({ "originalUriBaseIds": { "PWD": { "uri": "file:///nowhere/" } } });
        let location = json!({ "physicalLocation": {
            "artifactLocation": { "uri": "a.c", "uriBaseId": "PWD" }, "region": { "startLine": 7 } } });
        assert_eq!(spot(&run, &location), Some(("/nowhere/a.c".into(), 7)));
    }
}
