//! Results for people and for programs.

use super::Plan;
use super::compare::{Compared, Difference, Outcome};
use crate::progress::count;
use mneme_finding::Call;
use serde_json::{Value, json};

/// Longest line of output that is shown.
const LONGEST: usize = 160;

/// The line that shows the progress.
pub fn line(all: usize, done: usize, differing: usize) -> String {
    format!("{done} of {}, {differing} differ", count(all as u64, "function"))
}

pub fn text(compared: &Compared, plan: &Plan) -> String {
    let function = &compared.function;
    let tests = count(compared.tests as u64, "test");
    match &compared.outcome {
        Outcome::Same if compared.complete => format!("{function}: the same on {tests}, which reach all paths"),
        Outcome::Same => format!("{function}: the same on {tests}"),
        Outcome::LeftOut(reason) => format!("{function}: left out: {reason}"),
        Outcome::Differs(difference) => {
            let mut lines = vec![format!("{function}: differs on {} of {tests}", difference.tests)];
            lines.extend(input(&difference.call).into_iter().map(|line| format!("    {line}")));
            let (one, other) = (difference.shown[0].lines(), difference.shown[1].lines());
            for (name, mine, others) in [("A", &one, &other), ("B", &other, &one)] {
                let told = mine.iter().filter(|line| !others.contains(line));
                lines.extend(told.map(|line| format!("  {name}: {}", short(line))));
            }
            lines.extend(commands(difference, plan).into_iter().map(|line| format!("    {line}")));
            lines.join("\n")
        }
    }
}

/// How the fixture of each library is compiled.
fn commands(difference: &Difference, plan: &Plan) -> Vec<String> {
    let both = plan.sides.iter().zip(&difference.fixtures);
    both.map(|(side, fixture)| side.command(fixture)).collect()
}

/// What the function is given.
pub fn input(call: &Call) -> Vec<String> {
    let arguments = call.arguments.iter().map(|arg| format!("{} = {}", arg.name, arg.text));
    let objects = call
        .objects
        .iter()
        .map(|given| format!("{} = {}", given.shown(), given.text));
    arguments.chain(objects).map(|line| short(&line)).collect()
}

fn short(line: &str) -> String {
    let plain = line.chars().map(|c| if c.is_control() { '?' } else { c });
    match line.chars().count() > LONGEST {
        true => plain.take(LONGEST).chain(['…']).collect(),
        false => plain.collect(),
    }
}

pub fn totals(compared: &[Compared]) -> String {
    let of = |wanted: fn(&Outcome) -> bool| compared.iter().filter(|one| wanted(&one.outcome)).count();
    format!(
        "{}: {} the same, {} different, {} left out",
        count(compared.len() as u64, "function"),
        of(|outcome| matches!(outcome, Outcome::Same)),
        of(|outcome| matches!(outcome, Outcome::Differs(_))),
        of(|outcome| matches!(outcome, Outcome::LeftOut(_))),
    )
}

/// All results as one document; `docs/json.md` says what is in it.
pub fn document(sides: [&str; 2], compared: &[Compared]) -> Value {
    json!({
        "version": 1,
        "a": sides[0],
        "b": sides[1],
        "functions": compared.iter().map(object).collect::<Vec<_>>(),
    })
}

fn object(compared: &Compared) -> Value {
    let (verdict, reason, difference) = match &compared.outcome {
        Outcome::Same => ("same", None, None),
        Outcome::LeftOut(reason) => ("left-out", Some(reason), None),
        Outcome::Differs(difference) => ("differs", None, Some(difference)),
    };
    let difference = difference.map(|difference| {
        json!({
            "tests": difference.tests,
            "input": input(&difference.call),
            "a": difference.shown[0].lines(),
            "b": difference.shown[1].lines(),
            "fixtures": difference.fixtures.each_ref().map(|path| path.display().to_string()),
        })
    });
    json!({
        "function": compared.function,
        "verdict": verdict,
        "reason": reason,
        "tests": compared.tests,
        "complete": compared.complete,
        "difference": difference,
    })
}
