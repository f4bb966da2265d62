//! The decisions of a path, for people to read.
//!
//! Only what could have gone another way is reported, and only in the program's own code: what a library function
//! decides counts as its caller's decision. Repeated decisions of a loop are reported once, with their number.

use crate::state::{Meant, Rounds, State};
use crate::trail::{Choice, Decision};
use crate::worker::Worker;
use mneme_finding::{Location, Step};
use mneme_memory::Model;
use mneme_program::{Callee, EdgeId, Function, FunctionId, Inst, Switch, Test};

/// The longest sequence of decisions whose repetition is recognised.
const LONGEST_ROUND: usize = 6;
/// At most this many cases are listed.
const MOST_CASES: usize = 4;

impl<M: Model> Worker<'_, M> {
    pub(super) fn path_steps(&mut self, state: &State<M>) -> Vec<Step> {
        let holds = |condition| self.evaluate(state, condition).low_u64() == 1;
        let mut decisions = state.path.trail.told(&holds);
        // The last one may be the error itself.
        if let (Some(last), Some(frame)) = (decisions.last(), state.frames.last())
            && (last.function, last.pc, last.steps) == (frame.function, frame.pc, state.path.steps)
        {
            decisions.pop();
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut events = events(state).into_iter().peekable();
        for decision in &decisions {
            while let Some(before) = events.next_if(|event| event.steps() < decision.steps) {
                self.tell(state, before, &mut steps);
            }
            match events.peek() {
                // How a summarised loop was left is not visible at the branch in its header.
                Some(Event::Rounds(rounds)) if rounds.steps == decision.steps => continue,
                // The decision says it.
                Some(Event::Meant(meant)) if meant.steps == decision.steps && decision.object.is_some() => {
                    events.next();
                }
                _ => {}
            }
            if let Some(step) = self.path_step(state, decision) {
                steps.push(step);
                fold(&mut steps);
            }
        }
        for event in events {
            self.tell(state, event, &mut steps);
        }
        steps
    }

    fn tell(&mut self, state: &State<M>, event: Event, steps: &mut Vec<Step>) {
        let step = match event {
            Event::Rounds(rounds) => self.rounds_step(state, rounds),
            Event::Meant(meant) => self.meant_step(state, meant),
        };
        if let Some(step) = step {
            steps.push(step);
            fold(steps);
        }
    }

    /// The object that the inputs of this path select.
    fn meant_step(&mut self, state: &State<M>, meant: &Meant) -> Option<Step> {
        let base = self.chosen(state, meant.pointer)?;
        self.step_at(meant.function, meant.pc, || {
            let text = self.program.expression(meant.function, meant.pc)?.text;
            Some(format!("`{text}` is in {}", self.object_and_origin(state, base)))
        })
    }

    fn rounds_step(&self, state: &State<M>, rounds: &Rounds) -> Option<Step> {
        let message = match self.evaluate(state, rounds.count).low_u64() {
            0 => "the loop is not entered".into(),
            1 => "the loop runs once".into(),
            count => format!("the loop runs {count} times"),
        };
        self.step_at(rounds.function, rounds.pc, || Some(message))
    }

    fn path_step(&self, state: &State<M>, decision: &Decision) -> Option<Step> {
        let function = self.program.function(decision.function);
        self.step_at(decision.function, decision.pc, || {
            self.decision_text(state, function, decision)
        })
    }

    fn step_at(&self, function: FunctionId, pc: u32, message: impl FnOnce() -> Option<String>) -> Option<Step> {
        let function = self.program.function(function);
        let loc = *function.locs.get(pc as usize)?;
        if function.runtime || loc.line == 0 {
            return None;
        }
        Some(Step {
            message: message()?,
            location: Location {
                function: function.source_name.clone().unwrap_or_else(|| function.name.clone()),
                file: self.program.files.get(loc.file as usize).cloned().unwrap_or_default(),
                line: loc.line,
                column: loc.column,
                runtime: false,
            },
            times: 1,
        })
    }

    fn decision_text(&self, state: &State<M>, function: &Function, decision: &Decision) -> Option<String> {
        let test = || self.program.test(decision.function, decision.pc);
        let expression = || self.program.expression(decision.function, decision.pc);
        let choice = match decision.choice {
            Choice::Outcome(choice) | Choice::Unsolved(choice) => choice,
            Choice::Value(n) => {
                let what = expression().map_or("a value".into(), |e| format!("the size in `{}`", e.text));
                return Some(format!("{what} is {n}"));
            }
            Choice::Defined | Choice::Merged(_) | Choice::LeftContext { .. } => return None,
        };
        let object = decision.object.map(|base| self.object_and_origin(state, base));
        match function.code.get(decision.pc as usize)? {
            Inst::Branch { .. } | Inst::CmpBranch { .. } => {
                let truth = if choice == 0 { "true" } else { "false" };
                Some(match test() {
                    Some(Test::Condition(condition)) => format!("`{}` is {truth}", condition.text),
                    _ => format!("the condition is {truth}"),
                })
            }
            Inst::Switch { switch } => {
                let switch = &function.switches[switch.index()];
                let value = match test() {
                    Some(Test::Value(value)) => format!("`{}`", value.text),
                    _ => "the value".into(),
                };
                Some(format!("{value} is {}", cases(function, switch, choice)))
            }
            Inst::Load { .. } | Inst::Store { .. } => {
                let text = expression()?.text;
                Some(match object {
                    Some(object) => format!("`{text}` is in {object}"),
                    None => format!("`{text}` is a valid access"),
                })
            }
            Inst::MemCopy { .. } | Inst::MemSet { .. } => {
                let text = expression()?.text;
                Some(match object {
                    Some(object) => format!("`{text}` accesses {object}"),
                    None => format!("`{text}` is a valid access"),
                })
            }
            Inst::Call { call } => {
                let text = expression()?.text;
                let callee = &function.calls[call.index()].callee;
                Some(format!("`{text}` {}", self.call_text(callee, choice, object)))
            }
            _ => None,
        }
    }

    /// How a call went.
    fn call_text(&self, callee: &Callee, choice: u32, object: Option<String>) -> String {
        let name = match callee {
            Callee::Direct(id) => self.program.function(*id).name.as_str(),
            Callee::Indirect(_) => return object.map_or("calls a function".into(), |object| format!("calls {object}")),
        };
        match (name, object) {
            ("free" | "cfree", Some(object)) => format!("frees {object}"),
            (_, Some(object)) => format!("accesses {object}"),
            // As `allocate` and `ask_for_more` order their outcomes.
            ("malloc" | "calloc" | "aligned_alloc" | "memalign", None) if choice > 0 => "fails".into(),
            ("realloc", None) if choice == 0 => "fails".into(),
            _ => "succeeds".into(),
        }
    }
}

/// What is reported about a path besides its decisions.
enum Event<'a> {
    Rounds(&'a Rounds),
    Meant(&'a Meant),
}

impl Event<'_> {
    fn steps(&self) -> u64 {
        match self {
            Event::Rounds(rounds) => rounds.steps,
            Event::Meant(meant) => meant.steps,
        }
    }
}

/// In the order in which they happened; the end of the path is reported as its error.
fn events<M: Model>(state: &State<M>) -> Vec<Event<'_>> {
    let at_the_end = |meant: &&Meant| {
        let frame = state.frames.last();
        meant.steps == state.path.steps
            && frame.is_some_and(|frame| (frame.function, frame.pc) == (meant.function, meant.pc))
    };
    let rounds = state.notes.rounds.iter().map(Event::Rounds);
    let meant = state
        .notes
        .meant
        .iter()
        .filter(|meant| !at_the_end(meant))
        .map(Event::Meant);
    let mut all: Vec<Event> = rounds.chain(meant).collect();
    all.sort_by_key(Event::steps);
    all
}

/// The cases of one of a switch's outcomes, numbered as in `step_switch`.
fn cases(function: &Function, switch: &Switch, way: u32) -> String {
    let same = |a: EdgeId, b: EdgeId| {
        let (a, b) = (&function.edges[a.index()], &function.edges[b.index()]);
        a.pc == b.pc && a.moves == b.moves
    };
    let mut ways: Vec<(EdgeId, Vec<String>)> = Vec::new();
    for &(case, edge) in &switch.cases {
        if same(edge, switch.default) {
            continue;
        }
        let unused = 64 - u32::from(switch.width.clamp(1, 64));
        let case = (((case << unused) as i64) >> unused).to_string();
        match ways.iter_mut().find(|(other, _)| same(*other, edge)) {
            Some((_, cases)) => cases.push(case),
            None => ways.push((edge, vec![case])),
        }
    }
    match ways.get(way as usize) {
        Some((_, cases)) if cases.len() <= MOST_CASES => cases.join(" or "),
        Some((_, cases)) => format!("one of {} cases", cases.len()),
        None => "none of the other cases".into(),
    }
}

/// Drops the last steps if they repeat those before them.
fn fold(steps: &mut Vec<Step>) {
    let same = |a: &Step, b: &Step| a.message == b.message && a.location == b.location;
    for round in 1..=LONGEST_ROUND.min(steps.len() / 2) {
        let (before, last) = steps.split_at(steps.len() - round);
        let first = before.len() - round;
        if before[first..].iter().zip(last).all(|(a, b)| same(a, b)) {
            let times: Vec<u32> = last.iter().map(|step| step.times).collect();
            let keep = before.len();
            steps.truncate(keep);
            for (step, more) in steps[first..].iter_mut().zip(times) {
                step.times += more;
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(message: &str) -> Step {
        Step {
            message: message.into(),
            location: Location {
                function: "f".into(),
                ..Location::default()
            },
            times: 1,
        }
    }

    #[test]
    fn the_rounds_of_a_loop_are_told_once() {
        let mut steps = Vec::new();
        for message in ["start", "more", "odd", "more", "odd", "more", "odd", "end"] {
            steps.push(step(message));
            fold(&mut steps);
        }
        let told: Vec<_> = steps.iter().map(|step| (step.message.as_str(), step.times)).collect();
        assert_eq!(told, [("start", 1), ("more", 3), ("odd", 3), ("end", 1)]);
    }
}
