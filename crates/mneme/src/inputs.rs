//! What the program reads from outside: which of it is symbolic, and what the rest is.
//!
//! Symbolic inputs are asked for by words among the program's arguments, as KLEE does it; the options of `mneme run`
//! become such words. The runtime takes them out again (`runtime/src/inputs.c`), both in an exploration and in a
//! native run of a test, which keeps them with its arguments.

use crate::cli::{InputArgs, RunArgs};
use mneme_engine::{Outside, SeedTest, Stats};
use mneme_program::{BlockId, Function, Inst, Liveness, Loc, OperandKind, Program};
use mneme_report::OutDir;
use std::path::Path;

/// What `--sym all` means for arguments: between none and two, of up to this many characters.
const MODEST_ARGUMENT: u32 = 8;
/// The arguments of the program, with the words that say what is symbolic.
pub fn words(args: &RunArgs, takes_arguments: bool) -> Vec<String> {
    let inputs = &args.inputs;
    let mut words = args.args.clone();
    let mut say = |option: &str, values: &[String]| {
        words.push(option.to_owned());
        words.extend(values.iter().cloned());
    };
    if inputs.sym_args_no_dash {
        say("--sym-args-no-dash", &[]);
    }
    let texts = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>();
    inputs.sym_arg.iter().for_each(|n| say("--sym-arg", &texts(&[*n])));
    inputs
        .sym_args
        .chunks(3)
        .for_each(|three| say("--sym-args", &texts(three)));
    inputs.sym_stdin.iter().for_each(|n| say("--sym-stdin", &texts(&[*n])));
    inputs.sym_file.chunks(2).for_each(|two| say("--sym-file", two));
    inputs
        .sym_bytes
        .iter()
        .for_each(|part| say("--sym-bytes", std::slice::from_ref(part)));
    inputs.sym_env.chunks(2).for_each(|two| say("--sym-env", two));
    inputs
        .sym_socket
        .iter()
        .for_each(|n| say("--sym-socket", &texts(&[*n])));
    inputs
        .sym_failures
        .iter()
        .for_each(|n| say("--sym-failures", &texts(&[*n])));
    if inputs.sym_rand {
        say("--sym-rand", &[]);
    }
    if inputs.sym_time {
        say("--sym-time", &[]);
    }
    if inputs.all.is_some() {
        say("--sym", &["all".into()]);
        let none_asked = inputs.sym_arg.is_empty() && inputs.sym_args.is_empty();
        if none_asked && takes_arguments {
            say("--sym-args", &texts(&[0, 2, MODEST_ARGUMENT]));
        }
    }
    words
}

/// Do the words ask for something symbolic?
pub fn are_symbolic(words: &[String]) -> bool {
    let asks = |word: &String| {
        let word = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        word.is_some_and(|word| word == "sym" || word.starts_with("sym-") || word == "max-fail")
    };
    words.iter().any(asks)
}

/// Values that should be numbers, or pairs that are not.
pub fn complaint(inputs: &InputArgs) -> Option<String> {
    let bad = |(option, values): (&str, &[String])| {
        let wrong = values
            .chunks(2)
            .find(|two| !two[1].parse::<u32>().is_ok_and(|n| (1..=1 << 20).contains(&n)))?;
        Some(format!(
            "{option} {} takes a number of bytes, from 1 on, not `{}`",
            wrong[0], wrong[1]
        ))
    };
    let pairs = [("--sym-file", &inputs.sym_file[..]), ("--sym-env", &inputs.sym_env)];
    let range = inputs.sym_args.chunks(3).find(|three| three[0] > three[1]);
    let range = range.map(|three| {
        format!(
            "--sym-args takes at least {} and at most {} arguments",
            three[0], three[1]
        )
    });
    pairs
        .into_iter()
        .find_map(bad)
        .or(range)
        .or_else(|| overlap(&inputs.sym_bytes))
}

/// A part of a file that is not there. A resumed run has copies of what it has read.
pub fn missing(inputs: &InputArgs) -> Option<String> {
    let root = inputs.root.as_deref().unwrap_or(Path::new("."));
    let file = |part: &String| part.rsplitn(3, ':').nth(2).map(str::to_owned);
    let mut files = inputs.sym_bytes.iter().filter_map(file);
    let absent = files.find(|file| !root.join(file).is_file())?;
    Some(format!(
        "--sym-bytes names {absent}, and there is no such file under --root: check the path"
    ))
}

/// Two parts of a file that have bytes in common.
fn overlap(parts: &[String]) -> Option<String> {
    let split = |part: &String| {
        let mut words = part.rsplitn(3, ':');
        let length: u64 = words.next()?.parse().ok()?;
        let offset: u64 = words.next()?.parse().ok()?;
        Some((words.next()?.to_owned(), offset, offset + length))
    };
    let mut parts: Vec<_> = parts.iter().filter_map(split).collect();
    parts.sort();
    let shared = parts
        .windows(2)
        .find(|two| two[0].0 == two[1].0 && two[1].1 < two[0].2)?;
    Some(format!(
        "two --sym-bytes make the same bytes of {} symbolic, from {} on",
        shared[0].0, shared[1].1
    ))
}

/// What the program finds outside. What an earlier session has kept is used again.
pub fn outside(args: &RunArgs, out: &OutDir) -> std::io::Result<Outside> {
    let (stdin, files) = out.outside();
    let mut outside = Outside::default();
    outside.root = Some(args.inputs.root.as_deref().unwrap_or(Path::new(".")).canonicalize()?);
    outside.stdin = Some(std::path::absolute(stdin)?);
    outside.kept = Some(std::path::absolute(files)?);
    Ok(outside)
}

/// A test with the sizes of its standard input and files, which those of KLEE do not say.
pub fn with_sizes(mut test: SeedTest) -> SeedTest {
    let sized = |name: &str| name == "stdin" || name.ends_with("-data");
    let lacking = test.iter().filter(|(name, _)| sized(name));
    let sizes: Vec<_> = lacking
        .map(|(name, bytes)| (format!("{name}-size"), (bytes.len() as u64).to_le_bytes().to_vec()))
        .filter(|(size, _)| !test.iter().any(|(name, _)| name == size))
        .collect();
    test.extend(sizes);
    test
}

/// Where `main` reads its arguments.
pub fn reads_of_arguments(program: &Program) -> Vec<Loc> {
    let main = program
        .functions
        .iter()
        .find(|function| function.name == "main" && !function.runtime);
    main.map_or_else(Vec::new, reads_of_parameters)
}

fn reads_of_parameters(function: &Function) -> Vec<Loc> {
    let live = Liveness::of(function);
    let (Some(first), Some(live)) = (
        function.blocks.first(),
        function.blocks.first().map(|_| live.entering(BlockId(0))),
    ) else {
        return Vec::new();
    };
    let mut reads = Vec::new();
    for parameter in 0..function.signature.params.len() as u32 {
        let entry = &function.code[first.start as usize..first.end as usize];
        // As clang writes it, a parameter is put into a variable at once.
        let home = entry.iter().find_map(|inst| match *inst {
            Inst::SlotStore { slot, value, .. } if value.kind() == OperandKind::Slot(parameter) => Some(slot),
            _ => None,
        });
        match home {
            None if live[parameter as usize] => reads.push(function.loc),
            None => {}
            Some(home) => {
                let code = function.code.iter().zip(&function.locs);
                let of_home = |inst: &Inst| matches!(*inst, Inst::SlotLoad { slot, .. } if slot == home);
                reads.extend(code.filter(|(inst, _)| of_home(inst)).map(|(_, loc)| *loc));
            }
        }
    }
    reads
}

/// Notes that arguments were looked at and none is symbolic. Those that the user gave are meant as they are.
pub fn note_arguments(stats: &mut Stats, program: &Program, args: &RunArgs, words: &[String]) {
    let symbolic = |word: &String| word.trim_start_matches('-').starts_with("sym-arg");
    let reached = |loc: &Loc| stats.lines.get(&(loc.file, loc.line)) == Some(&true);
    if args.args.is_empty() && !words.iter().any(symbolic) && reads_of_arguments(program).iter().any(reached) {
        let source = ("the arguments".to_owned(), "--sym-args 0 2 8".to_owned());
        stats.concrete.insert(source, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_klee_ask_for_symbolic_inputs() {
        let ask = |words: &[&str]| are_symbolic(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert!(ask(&["x", "-sym-arg", "3"]) && ask(&["--sym-files", "1", "8"]) && ask(&["--sym", "all"]));
        assert!(!ask(&["--symbol", "sym-arg", "-s"]));
    }

    #[test]
    fn a_seed_of_klee_says_how_long_its_input_is() {
        let seed = with_sizes(vec![("stdin".into(), b"abc".to_vec()), ("x".into(), vec![1])]);
        assert_eq!(seed[2], ("stdin-size".into(), vec![3, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(with_sizes(seed.clone()), seed);
    }
}
