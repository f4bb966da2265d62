//! The expectations of one program of the corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mneme_finding::Rule;

use crate::directive::{Directive, Malformed, directives};
use crate::scope::{Scope, Setting};

/// One way to run the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// Options of `mneme run`.
    pub options: Vec<String>,
    /// Arguments of the program: what followed `--`.
    pub args: Vec<String>,
    pub tags: Vec<String>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.options.clone();
        if !self.args.is_empty() {
            words.push("--".to_owned());
            words.extend(self.args.iter().cloned());
        }
        f.write_str(&words.join(" "))
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Relation {
    Equal,
    AtMost,
    AtLeast,
}

/// A number that a figure is compared with: `11`, `== 11`, `<= 11`, `>= 2`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    relation: Relation,
    number: u64,
}

impl Bound {
    pub fn parse(text: &str) -> Option<Bound> {
        let prefixes = [
            ("==", Relation::Equal),
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
        ];
        let found = prefixes
            .iter()
            .find_map(|(sign, relation)| Some((text.strip_prefix(sign)?, *relation)));
        let (digits, relation) = found.unwrap_or((text, Relation::Equal));
        Some(Bound {
            relation,
            number: digits.trim().parse().ok()?,
        })
    }

    pub fn holds(self, figure: u64) -> bool {
        match self.relation {
            Relation::Equal => figure == self.number,
            Relation::AtMost => figure <= self.number,
            Relation::AtLeast => figure >= self.number,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.relation {
            Relation::Equal => "",
            Relation::AtMost => "at most ",
            Relation::AtLeast => "at least ",
        };
        write!(f, "{sign}{}", self.number)
    }
}

/// What one run must show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// Rule and line of every finding.
    pub faults: BTreeSet<(u32, Rule)>,
    pub completed: Vec<Bound>,
    pub faulted: Vec<Bound>,
    /// Queries that reach the backend.
    pub queries: Vec<Bound>,
    /// Words that occur in the reasons of stopped paths; none: no path stops.
    pub stops: Vec<String>,
    /// Exit code of `mneme`; unless given, it follows from the faults and stops.
    pub exit: i32,
    pub exact: Option<bool>,
    /// Exit codes of the program with the number of paths where given.
    pub values: Option<BTreeMap<i32, Option<u64>>>,
    /// Why the run waits for a missing feature.
    pub pending: Option<String>,
}

/// A program's expectations for all its runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    runs: Vec<Run>,
    directives: Vec<Directive>,
}

/// A directive that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SpecError {
    pub line: u32,
    pub what: String,
}

impl From<Malformed> for SpecError {
    fn from(error: Malformed) -> SpecError {
        SpecError {
            line: error.line,
            what: error.what,
        }
    }
}

const KEYS: [&str; 11] = [
    "RUN", "MODELS", "FAULT", "PATHS", "FAULTED", "QUERIES", "STOPS", "EXIT", "EXACT", "VALUES", "PENDING",
];

impl Spec {
    /// Reads the expectations of a C source text; `models` are the names that scopes and `MODELS` may use.
    pub fn parse(source: &str, models: &[String]) -> Result<Spec, SpecError> {
        let all = directives(source)?;
        let mut spec = Spec {
            runs: Vec::new(),
            directives: Vec::new(),
        };
        for directive in all {
            let fail = |what: String| SpecError {
                line: directive.line,
                what,
            };
            if !KEYS.contains(&directive.key.as_str()) {
                return Err(fail(format!("there is no directive `{}`", directive.key)));
            }
            if directive.key == "RUN" {
                spec.runs.push(parse_run(&directive.value).map_err(fail)?);
            } else {
                spec.directives.push(directive);
            }
        }
        if spec.runs.is_empty() {
            spec.runs.push(Run::default());
        }
        spec.validate(source, models)?;
        Ok(spec)
    }

    /// Checks every directive, whether or not a run uses it.
    fn validate(&self, source: &str, models: &[String]) -> Result<(), SpecError> {
        let tags: Vec<String> = self.runs.iter().flat_map(|run| run.tags.clone()).collect();
        let lines = source.lines().count() as u32;
        for directive in &self.directives {
            let fail = |what: String| SpecError {
                line: directive.line,
                what,
            };
            if let [word, ..] = directive.scope.unknown(self.runs.len(), &tags, models)[..] {
                return Err(fail(format!("`{word}` is neither a run, a tag nor a model")));
            }
            if directive.line == 0 || directive.line > lines {
                return Err(fail("the file has no such line".to_owned()));
            }
            if directive.key == "MODELS" {
                let unknown = directive
                    .value
                    .split_whitespace()
                    .find(|name| !models.iter().any(|m| m == name));
                if let Some(name) = unknown {
                    return Err(fail(format!("there is no model `{name}`")));
                }
            } else {
                apply(directive, &mut Expected::default()).map_err(fail)?;
            }
        }
        Ok(())
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The models that run `number` (from 1) uses. A `MODELS` with a scope overrides one without.
    pub fn models(&self, number: usize, all: &[String]) -> Vec<String> {
        let setting = Setting {
            run: number,
            tags: &self.runs[number - 1].tags,
            model: "",
        };
        let fitting = self
            .directives
            .iter()
            .filter(|d| d.key == "MODELS" && d.scope.holds(setting));
        match fitting.max_by_key(|d| !d.scope.is_everywhere()) {
            Some(directive) => directive.value.split_whitespace().map(str::to_owned).collect(),
            None => all.to_vec(),
        }
    }

    /// What run `number` (from 1) must show with `model`.
    pub fn expected(&self, number: usize, model: &str) -> Expected {
        let setting = Setting {
            run: number,
            tags: &self.runs[number - 1].tags,
            model,
        };
        let mut expected = Expected {
            exit: -1,
            ..Expected::default()
        };
        for directive in self
            .directives
            .iter()
            .filter(|d| d.key != "MODELS" && d.scope.holds(setting))
        {
            apply(directive, &mut expected).expect("directives were validated");
        }
        if expected.exit < 0 {
            expected.exit = match (expected.faults.is_empty(), expected.stops.is_empty()) {
                (false, _) => 1,
                (true, false) => 3,
                (true, true) if expected.exact == Some(false) => 3,
                (true, true) => 0,
            };
        }
        expected
    }
}

fn apply(directive: &Directive, expected: &mut Expected) -> Result<(), String> {
    let value = directive.value.as_str();
    let bad = |what: &str| format!("`{value}` is not {what}");
    match directive.key.as_str() {
        "FAULT" => {
            for rule in value.split(',') {
                let rule = rule.trim().parse::<Rule>().map_err(|error| error.to_string())?;
                expected.faults.insert((directive.line, rule));
            }
        }
        "PATHS" => expected
            .completed
            .push(Bound::parse(value).ok_or_else(|| bad("a number of paths"))?),
        "FAULTED" => expected
            .faulted
            .push(Bound::parse(value).ok_or_else(|| bad("a number of paths"))?),
        "QUERIES" => expected
            .queries
            .push(Bound::parse(value).ok_or_else(|| bad("a number of queries"))?),
        "STOPS" if value.is_empty() => return Err("a reason is missing".to_owned()),
        "STOPS" => expected.stops.push(value.to_owned()),
        "EXIT" => expected.exit = value.parse().map_err(|_| bad("an exit code"))?,
        "EXACT" => expected.exact = Some(value.parse().map_err(|_| bad("`true` or `false`"))?),
        "VALUES" => expected.values = Some(parse_values(value).ok_or_else(|| bad("a list of exit codes"))?),
        "PENDING" if value.is_empty() => return Err("a reason is missing".to_owned()),
        "PENDING" => expected.pending = Some(value.to_owned()),
        key => return Err(format!("there is no directive `{key}`")),
    }
    Ok(())
}

/// `0*2 1`: two paths exit with 0, and at least one with 1.
fn parse_values(text: &str) -> Option<BTreeMap<i32, Option<u64>>> {
    let mut values = BTreeMap::new();
    for word in text.split_whitespace() {
        let (code, count) = match word.split_once('*') {
            Some((code, count)) => (code, Some(count.parse().ok()?)),
            None => (word, None),
        };
        values.insert(code.parse().ok()?, count);
    }
    Some(values)
}

/// Splits words as a shell does, with single or double quotes around words that contain blanks; `#word` is a tag.
fn parse_run(text: &str) -> Result<Run, String> {
    let mut run = Run::default();
    let mut separated = false;
    for (word, quoted) in words(text)? {
        match word.strip_prefix('#') {
            Some(tag) if !quoted && Scope::parse(tag).is_some() && tag.parse::<usize>().is_err() => {
                run.tags.push(tag.to_owned());
            }
            Some(tag) if !quoted => return Err(format!("`{tag}` cannot be a tag")),
            _ if separated => run.args.push(word),
            _ if word == "--" => separated = true,
            _ => run.options.push(word),
        }
    }
    Ok(run)
}

fn words(text: &str) -> Result<Vec<(String, bool)>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (mut word, mut quoted) = (String::new(), false);
        while let Some(c) = rest.chars().next().filter(|c| !c.is_whitespace()) {
            rest = &rest[c.len_utf8()..];
            if c == '"' || c == '\'' {
                let (inside, after) = rest.split_once(c).ok_or("a quotation mark is not closed")?;
                word.push_str(inside);
                quoted = true;
                rest = after;
            } else {
                word.push(c);
            }
        }
        words.push((word, quoted));
        rest = rest.trim_start();
    }
    Ok(words)
}

#[cfg(test)]
mod tests;
