//! Flags of a compiler on Mneme's command line, as they stand in a makefile.
//!
//! Options of Mneme have two dashes, those of a compiler have one. [`marked`] finds the latter before clap sees the
//! words, and [`Flags`] says what becomes of each: most go to clang as they are, for exploration and for native runs;
//! some concern only the linker; some say what to write, or ask for instrumentation, which is Mneme's own business.

use crate::cli::CompileArgs;
use std::ffi::{OsStr, OsString};

/// The hidden option that a compiler's word is passed to clap with.
pub const WORD: &str = "--compiler-word";

/// Flags whose value may be the next word.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-F",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-dependency-file",
    "-e",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-mllvm",
    "-o",
    "-resource-dir",
    "-serialize-diagnostics",
    "-target",
    "-u",
    "-working-directory",
    "-x",
    "-z",
];

/// What a flag is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Use {
    /// It belongs to the meaning of the program.
    Both,
    /// It says how bitcode is made.
    Exploration,
    /// Libraries, and what the linker does with them.
    Link,
    /// How far to optimise.
    Level,
    /// Mneme decides this.
    Nothing,
}

/// Flags that have no effect: what is written and where, and instrumentation. Debug information and sanitizers are
/// added where they are needed; warnings are no errors, since nobody is shown them.
const NOTHING: &[&str] = &[
    "--coverage",
    "-E",
    "-M",
    "-MD",
    "-MG",
    "-MM",
    "-MMD",
    "-MP",
    "-MV",
    "-S",
    "-Werror",
    "-c",
    "-coverage",
    "-emit-llvm",
    "-fcoverage-mapping",
    "-fsyntax-only",
    "-ftest-coverage",
    "-nodefaultlibs",
    "-no-pie",
    "-nopie",
    "-nostartfiles",
    "-nostdlib",
    "-pedantic-errors",
    "-pg",
    "-pie",
    "-pipe",
    "-rdynamic",
    "-s",
    "-save-temps",
    "-shared",
    "-static",
    "-static-libgcc",
    "-static-pie",
];

/// The same for every flag that begins like this.
const NOTHING_LIKE: &[&str] = &[
    "-Werror=",
    "-dependency-file",
    "-flto",
    "-fno-lto",
    "-fno-sanitize",
    "-fprofile-",
    "-fsanitize",
    "-fstack-clash-protection",
    "-fstack-protector",
    "-fuse-ld=",
    "-save-temps=",
    "-serialize-diagnostics",
];

/// Flags of one letter or two that take a value, also in the same word.
const NOTHING_WITH: &[&str] = &["-MF", "-MJ", "-MQ", "-MT", "-o"];
const LINK_WITH: &[&str] = &["-L", "-T", "-e", "-l", "-u", "-z"];

fn purpose(flag: &str, value: Option<&str>) -> Use {
    let begins = |list: &[&str]| list.iter().any(|known| flag.starts_with(known));
    // Words of LLVM's own, such as `-emit-llvm` and `-target`, begin like flags of one letter.
    let whole = |list: &[&str]| list.contains(&flag);
    let language = value.or(flag.strip_prefix("-x"));
    match flag {
        "-x" | "-xc" | "-xnone" | "-xir" if matches!(language, Some("c" | "none" | "ir")) => Use::Nothing,
        _ if whole(NOTHING) || begins(NOTHING_LIKE) => Use::Nothing,
        "-Xlinker" => Use::Link,
        "-Xclang" | "-mllvm" | "-Xassembler" | "-Xanalyzer" => Use::Exploration,
        _ if flag.starts_with("-Wl,") => Use::Link,
        _ if is_level(flag) => Use::Level,
        _ if is_debug(flag) => Use::Nothing,
        _ if whole(WITH_VALUE) && !whole(NOTHING_WITH) && !whole(LINK_WITH) => Use::Both,
        _ if begins(NOTHING_WITH) => Use::Nothing,
        _ if begins(LINK_WITH) => Use::Link,
        _ => Use::Both,
    }
}

/// `-O2`, but not `-ObjC`.
pub fn is_level(flag: &str) -> bool {
    let level = flag.strip_prefix("-O");
    level.is_some_and(|level| matches!(level, "" | "s" | "z" | "g" | "fast") || level.parse::<u32>().is_ok())
}

/// `-g`, `-g0`, `-ggdb3`, `-gdwarf-4` and the like.
fn is_debug(flag: &str) -> bool {
    let level = flag.strip_prefix("-g");
    level.is_some_and(|level| !level.starts_with("cc-"))
}

/// The flags of a compiler, by what they are for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// For exploration.
    pub compile: Vec<String>,
    /// Whether they include an optimisation of the program; it is then analysed as clang leaves it.
    pub optimised: bool,
    /// For native runs.
    pub native: Vec<String>,
    /// For native runs, behind the files.
    pub link: Vec<String>,
}

impl Flags {
    pub fn new(words: &[String]) -> Flags {
        let mut flags = Flags::default();
        let mut level: Option<&String> = None;
        let mut words = words.iter();
        while let Some(flag) = words.next() {
            let value = if takes_value(flag) { words.next() } else { None };
            let both = || [Some(flag), value].into_iter().flatten().cloned();
            match purpose(flag, value.map(String::as_str)) {
                Use::Both => {
                    flags.compile.extend(both());
                    flags.native.extend(both());
                }
                Use::Exploration => flags.compile.extend(both()),
                Use::Link => flags.link.extend(both()),
                Use::Level => level = Some(flag),
                Use::Nothing => {}
            }
        }
        // Without optimisation a program is analysed as it is without any flag.
        if let Some(level) = level.filter(|level| *level != "-O0") {
            flags.optimised = true;
            flags.compile.push(level.clone());
        }
        flags
    }

    pub fn of(compile: &CompileArgs) -> Flags {
        Flags::new(&compile.words)
    }
}

fn takes_value(flag: &str) -> bool {
    WITH_VALUE.contains(&flag)
}

/// What the options of Mneme's own are called, and whether the next word may be a value that begins with a dash.
pub trait Options {
    fn takes_any_value(&self, option: &str) -> bool;
    fn is_option(&self, name: &str) -> bool;
    /// Whether it is one letter that names an option.
    fn is_letter(&self, name: &str) -> bool;
}

impl Options for clap::Command {
    fn takes_any_value(&self, option: &str) -> bool {
        let known = self
            .get_arguments()
            .find(|argument| argument.get_long() == Some(option));
        known.is_some_and(clap::Arg::is_allow_hyphen_values_set)
    }

    fn is_option(&self, name: &str) -> bool {
        self.get_arguments().any(|argument| argument.get_long() == Some(name))
    }

    fn is_letter(&self, name: &str) -> bool {
        let short = |letter: char| {
            self.get_arguments()
                .any(|argument| argument.get_short() == Some(letter))
        };
        let mut letters = name.chars();
        letters.next().is_some_and(short) && letters.next().is_none()
    }
}

/// The words behind `mneme run` with those of a compiler marked. What follows `--` belongs to the program.
pub fn marked(words: impl Iterator<Item = OsString>, options: &impl Options) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else {
            out.push(word);
            continue;
        };
        if text == "--" {
            out.push(word);
            out.extend(words);
            break;
        }
        if let Some(option) = text.strip_prefix("--") {
            let value = options.takes_any_value(option).then(|| words.next()).flatten();
            out.extend([Some(word), value].into_iter().flatten());
            continue;
        }
        if let Some(name) = defined(text, words.peek()) {
            // Of `-U` and `-D` the last counts; clang is given those of `-D` first.
            forget(&mut out, &name);
        }
        if !is_compilers(text, options) {
            out.push(word);
            continue;
        }
        let value = if takes_value(text) { words.next() } else { None };
        for word in [Some(word), value].into_iter().flatten() {
            let mut marked = OsString::from(format!("{WORD}="));
            marked.push(word);
            out.push(marked);
        }
    }
    out
}

/// Is this word a compiler's? `-h`, `-V`, `-D` and `-I` are options of Mneme, and so is `-max-time` but for a dash.
fn is_compilers(word: &str, options: &impl Options) -> bool {
    let Some(name) = word.strip_prefix('-').filter(|name| !name.is_empty()) else {
        return false;
    };
    let meant = name.split('=').next().unwrap_or(name);
    let ours = matches!(name, "h" | "V" | "m32") || name.starts_with(['D', 'I']) || options.is_option(meant);
    !ours && !options.is_letter(name)
}

/// An option of some command that is written with one dash among these words, as it should be.
pub fn one_dash_too_few(words: &[OsString], cli: &clap::Command) -> Option<String> {
    let ours = words.iter().take_while(|word| *word != "--");
    let names = ours.filter_map(|word| word.to_str()?.strip_prefix('-')?.split('=').next());
    let known = |name: &&str| cli.get_subcommands().any(|command| command.is_option(name));
    names
        .filter(|name| !name.starts_with('-'))
        .find(known)
        .map(|name| format!("--{name}"))
}

/// The macro that this word, or it and the next, defines.
fn defined(word: &str, next: Option<&OsString>) -> Option<String> {
    let definition = match word.strip_prefix("-D")? {
        "" => next?.to_str()?,
        definition => definition,
    };
    definition.split(['=', '(']).next().map(String::from)
}

/// Takes back that a macro is undefined.
fn forget(words: &mut Vec<OsString>, name: &str) {
    let joined = OsString::from(format!("{WORD}=-U{name}"));
    words.retain(|word| *word != joined);
    let pair = [format!("{WORD}=-U"), format!("{WORD}={name}")];
    while let Some(at) = words.windows(2).position(|two| two == pair.each_ref().map(OsStr::new)) {
        words.drain(at..at + 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Options for Known {
        fn takes_any_value(&self, option: &str) -> bool {
            option == "cflags"
        }

        fn is_option(&self, name: &str) -> bool {
            ["cflags", "max-time"].contains(&name)
        }

        fn is_letter(&self, name: &str) -> bool {
            name == "p"
        }
    }

    /// The words that are left for clap, and those for the compiler.
    fn apart(line: &str) -> (String, Vec<String>) {
        let words = marked(line.split(' ').map(OsString::from), &Known);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for word in words {
            let word = word.into_string().unwrap();
            match word.strip_prefix(WORD) {
                Some(flag) => theirs.push(flag[1..].to_string()),
                None => ours.push(word),
            }
        }
        (ours.join(" "), theirs)
    }

    #[test]
    fn flags_with_one_dash_are_a_compilers() {
        let (ours, theirs) = apart("-O2 a.c --max-time 5 -include x.h -lm -DX -I inc -h -- -O3 --x");
        assert_eq!(ours, "a.c --max-time 5 -DX -I inc -h -- -O3 --x");
        assert_eq!(theirs, ["-O2", "-include", "x.h", "-lm"]);
        let (ours, theirs) = apart("a.c --cflags -O2 -isystem dir -m32 - -std=c99");
        assert_eq!(ours, "a.c --cflags -O2 -m32 -");
        assert_eq!(theirs, ["-isystem", "dir", "-std=c99"]);
        assert_eq!(apart("-p build a.c -pg"), ("-p build a.c".into(), vec!["-pg".into()]));
    }

    #[test]
    fn an_option_with_one_dash_too_few_is_no_flag() {
        assert_eq!(apart("a.c -max-time 5").0, "a.c -max-time 5");
    }

    #[test]
    fn of_definitions_and_their_opposites_the_last_counts() {
        assert_eq!(apart("a.c -UX -DX=1").1, Vec::<String>::new());
        assert_eq!(apart("a.c -U X -D X -UY").1, ["-UY"]);
        assert_eq!(apart("a.c -DX -UX").1, ["-UX"]);
    }

    fn flags(line: &str) -> Flags {
        Flags::new(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn each_flag_goes_where_it_means_something() {
        let all = flags("-Wall -g -std=c99 -lm -L dir -Wl,-z,now -pthread -Xclang -foo -o out -MF a.d -include x.h -c");
        assert_eq!(
            all.compile.join(" "),
            "-Wall -std=c99 -pthread -Xclang -foo -include x.h"
        );
        assert_eq!(all.native.join(" "), "-Wall -std=c99 -pthread -include x.h");
        assert_eq!(all.link.join(" "), "-lm -L dir -Wl,-z,now");
        assert!(!all.optimised);
        let fuzzer = flags("-g -O1 -fsanitize=fuzzer,address -fno-omit-frame-pointer -x c -fstack-protector-strong");
        assert_eq!(fuzzer.compile.join(" "), "-fno-omit-frame-pointer -O1");
        assert_eq!(
            flags("-target i386-linux -emit-llvm").compile.join(" "),
            "-target i386-linux"
        );
    }

    #[test]
    fn of_several_levels_the_last_counts() {
        assert!(flags("-O0 -O2").optimised);
        assert_eq!(flags("-O3 -O2").compile, ["-O2"]);
        assert_eq!(flags("-O2 -O0"), Flags::default());
        assert!(flags("-Ofast").optimised && flags("-O").optimised && !flags("-ObjC").optimised);
    }
}
