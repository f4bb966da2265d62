//! A smaller input that shows the same difference: shorter buffers, simpler bytes, numbers near zero.
//!
//! A candidate counts only if the source that the tests were made from does nothing wrong with it, which the sanitizers
//! say: libraries may differ as they like where a caller breaks the rules.

use super::Plan;
use super::compare::Built;
use super::explore::Test;
use super::side::Shown;
use crate::cli::CONFINED_RUN;
use mneme_finding::{Call, Given, Home, Passed};
use mneme_replay::{Confirmation, Outcome, Prediction, Replayer, Source};
use mneme_report::{Unit, fixture, input_literal, test_files};
use std::time::Duration;

/// How often an input is made smaller; each time, fixtures are compiled.
const ROUNDS: usize = 5;
/// Inputs that are tried at a time.
const CANDIDATES: usize = 64;

/// How large an input is: bytes of buffers, what is in them, and arguments.
pub fn measure(call: &Call) -> (usize, u64, u64) {
    let bytes = call.objects.iter().map(|given| given.bytes.len()).sum();
    let contents = call.objects.iter().flat_map(|given| &given.bytes);
    let numbers = call.arguments.iter().map(|argument| match &argument.value {
        Passed::Number(bytes) | Passed::Float(bytes) => bytes.iter().map(|&byte| effort(byte)).sum(),
        Passed::Pointer(_) | Passed::Structure(_) => 0,
    });
    (bytes, contents.map(|&byte| effort(byte)).sum(), numbers.sum())
}

/// How hard a byte is to read.
fn effort(byte: u8) -> u64 {
    match byte {
        0 => 0,
        b'0' | b'a' => 1,
        b'1'..=b'9' | b'b'..=b'z' => 2,
        b' '..=b'~' => 3,
        _ => 4,
    }
}

/// Makes a call that shows a difference smaller, as long as that works.
pub fn smaller(plan: &Plan, test: &Test, shown: [Shown; 2]) -> (Call, [Shown; 2]) {
    let mut best = (test.call.clone(), shown);
    for _ in 0..ROUNDS {
        let mut candidates: Vec<Call> = candidates(&best.0);
        candidates.sort_by_key(measure);
        candidates.truncate(CANDIDATES);
        match first_that_differs(plan, test, &candidates) {
            Some(next) => best = next,
            None => break,
        }
    }
    best
}

fn first_that_differs(plan: &Plan, test: &Test, candidates: &[Call]) -> Option<(Call, [Shown; 2])> {
    let numbered: Vec<(u64, &Call)> = (1..).zip(candidates).collect();
    let built = Built::new(plan, &numbered).ok()?;
    let mut witness: Option<Witness> = None;
    for &(number, call) in &numbered {
        let Some(shown) = built.show(plan, number).ok().filter(|shown| shown[0] != shown[1]) else {
            continue;
        };
        if witness.is_none() {
            witness = Some(Witness::new(test, &numbered)?);
        }
        if witness.as_mut().is_some_and(|witness| witness.accepts(number))
            && built.show(plan, number) == Ok(shown.clone())
        {
            return Some((call.clone(), shown));
        }
    }
    None
}

/// The source that the tests were made from, under the sanitizers.
struct Witness {
    replayer: Replayer,
    /// Any test: fixtures bring their own inputs.
    test: std::path::PathBuf,
}

impl Witness {
    fn new(test: &Test, calls: &[(u64, &Call)]) -> Option<Witness> {
        let origin = &test.origin;
        let file = origin.files.first()?.canonicalize().ok()?;
        let source = Source {
            files: origin.files[1..].to_vec(),
            fixture: Some(fixture(calls, &Unit::Source(file.display().to_string()))),
            flags: origin.flags.iter().map(Into::into).collect(),
            ..Source::default()
        };
        let helper = ["/proc/self/exe".into(), CONFINED_RUN.into()];
        Some(Witness {
            replayer: Replayer::new(source, Duration::from_secs(10), &helper).ok()?,
            test: test_files(&test.dir).ok()?.into_iter().next()?,
        })
    }

    fn accepts(&mut self, number: u64) -> bool {
        let ends_well = Prediction::from(Outcome::Exit(0));
        let seen = self.replayer.check(&self.test, &ends_well, Some(&[number.to_string()]));
        matches!(seen, Ok(Confirmation::Confirmed(_)))
    }
}

/// Calls that are a little smaller.
fn candidates(call: &Call) -> Vec<Call> {
    let mut out = Vec::new();
    for (index, given) in call.objects.iter().enumerate() {
        // Pointers into it, and structures, have their places.
        let plain = given.pointers.is_empty() && given.home == Home::Heap && !is_structure(call, index);
        for at in 0..given.bytes.len() {
            if plain && given.bytes.len() > 1 {
                out.push(changed(call, index, |bytes| _ = bytes.remove(at)));
                out.push(changed(call, index, |bytes| _ = bytes.drain(..at)));
                out.push(changed(call, index, |bytes| bytes.truncate(at + 1)));
                out.push(changed(call, index, |bytes| {
                    bytes.truncate(at + 1);
                    bytes[at] = 0;
                }));
            }
            for byte in [0, b'0', b'a', b'1', b' '] {
                if !in_pointer(given, at) {
                    out.push(changed(call, index, |bytes| bytes[at] = byte));
                }
            }
        }
        if given.address.is_some() {
            let mut next = call.clone();
            next.objects[index].address = None;
            out.push(next);
        }
    }
    for (index, argument) in call.arguments.iter().enumerate() {
        if let Passed::Number(bytes) = &argument.value {
            for value in [0u64, 1, 2, 10] {
                let mut next = call.clone();
                let bytes = value.to_le_bytes()[..bytes.len()].to_vec();
                next.arguments[index].text = value.to_string();
                next.arguments[index].value = Passed::Number(bytes);
                out.push(next);
            }
        }
    }
    let before = measure(call);
    out.retain(|next| measure(next) < before && points_inside(next));
    out.dedup();
    out
}

fn is_structure(call: &Call, index: usize) -> bool {
    let leads = |value: &Passed| match value {
        Passed::Pointer(mneme_finding::Target::Object(to, _)) => *to == index,
        Passed::Structure(to) => *to == index,
        _ => false,
    };
    let arguments = call.arguments.iter();
    let mut leading = arguments.filter(|argument| leads(&argument.value)).peekable();
    leading.peek().is_none() || leading.any(|argument| argument.structure.is_some())
}

fn in_pointer(given: &Given, at: usize) -> bool {
    let holds = |offset: u64| (offset..offset + 8).contains(&(at as u64));
    given.pointers.iter().any(|&(offset, _)| holds(offset))
}

/// A call with other bytes in one object. What people read is made anew.
fn changed(call: &Call, index: usize, change: impl Fn(&mut Vec<u8>)) -> Call {
    let mut next = call.clone();
    let given = &mut next.objects[index];
    change(&mut given.bytes);
    given.text = input_literal(&given.bytes);
    let size = given.bytes.len();
    for argument in &mut next.arguments {
        if argument.value == Passed::Pointer(mneme_finding::Target::Object(index, 0))
            && argument.text.starts_with("pointer to")
        {
            argument.text = format!("pointer to {}", crate::progress::count(size as u64, "byte"));
        }
    }
    next
}

/// No pointer leaves the object that it refers to.
fn points_inside(call: &Call) -> bool {
    let inside = |target: &mneme_finding::Target| match *target {
        mneme_finding::Target::Object(to, offset) => {
            usize::try_from(offset).is_ok_and(|offset| offset <= call.objects[to].bytes.len())
        }
        _ => true,
    };
    let arguments = call.arguments.iter().all(|argument| match &argument.value {
        Passed::Pointer(target) => inside(target),
        _ => true,
    });
    let objects = call.objects.iter().flat_map(|given| &given.pointers);
    arguments && objects.into_iter().all(|(_, target)| inside(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_finding::{Argument, Kind, Target};

    fn call(text: &[u8]) -> Call {
        Call {
            function: "f".into(),
            arguments: vec![Argument {
                name: "s".into(),
                c_type: "char *".into(),
                value: Passed::Pointer(Target::Object(0, 0)),
                structure: None,
                signed: false,
                text: "pointer to 4 bytes".into(),
            }],
            objects: vec![Given {
                name: "s".into(),
                home: Home::Heap,
                bytes: text.to_vec(),
                pointers: Vec::new(),
                address: None,
                text: String::new(),
                remains: true,
            }],
            result: Kind::Number { bytes: 4 },
            ..Call::default()
        }
    }

    /// Candidates are smaller, and every shorter text is among them.
    #[test]
    fn candidates_are_smaller() {
        let given = call(b"1.\x9f\0");
        let all = candidates(&given);
        assert!(all.iter().all(|next| measure(next) < measure(&given)));
        let has = |text: &[u8]| all.iter().any(|next| next.objects[0].bytes == text);
        assert!(has(b"1.\0") && has(b"1\0") && has(b".\x9f\0") && has(b"1.a\0"));
        let shorter = all.iter().find(|next| next.objects[0].bytes == b"1.\0").unwrap();
        assert_eq!(shorter.arguments[0].text, "pointer to 3 bytes");
    }
}
