//! A library that takes part in a comparison: how a fixture is built for it, and what it then does.

use mneme_replay::{Confinement, Ending, Room};
use mneme_report::{OTHER_WIDTH, Unit};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The compiler of C files and archives.
const CLANG: &str = "clang-19";
/// What a fixture exits with that cannot rebuild its objects.
const CANNOT_REBUILD: i32 = 125;

/// One of the two libraries.
pub struct Side {
    /// As the user wrote it.
    pub words: String,
    compiler: String,
    /// C files, of which the first defines the functions; none for a library that is there already.
    pub files: Vec<PathBuf>,
    /// Flags and archives.
    pub flags: Vec<String>,
}

/// What a test shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    pub stdout: String,
    /// How it ended, if not by itself.
    pub end: Option<String>,
}

impl Shown {
    /// What readers compare: its lines, and how it ended.
    pub fn lines(&self) -> Vec<&str> {
        self.stdout.lines().chain(self.end.as_deref()).collect()
    }
}

/// The C files among words, and the others.
pub fn sources(words: &str) -> (Vec<PathBuf>, Vec<String>) {
    let is_source = |word: &&str| !word.starts_with('-') && (word.ends_with(".c") || word.ends_with(".i"));
    let (files, flags): (Vec<&str>, Vec<&str>) = words.split_whitespace().partition(is_source);
    (
        files.into_iter().map(PathBuf::from).collect(),
        flags.into_iter().map(String::from).collect(),
    )
}

impl Side {
    /// C files, archives, or a compiler.
    pub fn new(words: &str) -> Side {
        let (files, mut flags) = sources(words);
        let is_part =
            |word: &String| word.starts_with('-') || [".a", ".so", ".o"].iter().any(|end| word.ends_with(end));
        let compiler = match flags.first() {
            Some(first) if files.is_empty() && !is_part(first) => flags.remove(0),
            _ => CLANG.into(),
        };
        Side {
            words: words.into(),
            compiler,
            files,
            flags,
        }
    }

    /// How a test gets at its functions.
    pub fn unit(&self, headers: &[String]) -> Unit {
        match self.files.first() {
            Some(file) => {
                let file = file.canonicalize().unwrap_or_else(|_| file.clone());
                Unit::OtherSource(file.display().to_string())
            }
            None => Unit::Library {
                headers: headers.to_vec(),
            },
        }
    }

    /// The words that compile a fixture, for people.
    pub fn command(&self, fixture: &Path) -> String {
        let mut words = vec![self.compiler.clone(), fixture.display().to_string()];
        words.extend(self.files.iter().skip(1).map(|file| file.display().to_string()));
        words.extend(self.flags.iter().cloned());
        words.join(" ")
    }

    /// Builds a fixture; or a sentence that says why it cannot be built.
    pub fn build(&self, fixture: &Path, binary: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.compiler);
        command
            .args(["-w", "-fno-builtin"])
            .arg(fixture)
            .args(self.files.iter().skip(1))
            .args(&self.flags)
            .args(["-lm", "-o"])
            .arg(binary);
        tracing::debug!(?command, "fixture");
        let output = command
            .output()
            .map_err(|error| format!("`{}` cannot be run ({error})", self.compiler))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(self.complaint(&String::from_utf8_lossy(&output.stderr))),
        }
    }

    fn complaint(&self, message: &str) -> String {
        if message.contains(OTHER_WIDTH) {
            return format!("it takes a structure that has another width in `{}`", self.words);
        }
        let telling = |line: &&str| line.contains("error") || line.contains("undefined reference");
        let line = message.lines().find(telling).or(message.lines().next());
        let line = line.unwrap_or("no reason is given").trim();
        match line.split_once("undefined reference to ") {
            Some((_, name)) => format!("`{}` does not have {name}", self.words),
            None => format!("its fixture does not compile with `{}`: {line}", self.words),
        }
    }
}

/// Runs a test of a fixture where it can do no harm. The error says why that means nothing.
pub fn show(confinement: &Confinement, binary: &Path, test: u64, timeout: Duration) -> Result<Shown, String> {
    let folder = binary.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| format!("a test cannot be started: {error}");
    let room = Room::new(folder).map_err(failed)?;
    let mut command = Command::new(binary);
    command.arg(test.to_string()).current_dir(room.folder()).env_clear();
    let finished = confinement.run(command, None, &room, timeout).map_err(failed)??;
    let end = match finished.ending {
        Ending::Exited(0) => None,
        Ending::Exited(CANNOT_REBUILD) => return Err("the objects of a test cannot be rebuilt".into()),
        Ending::Exited(code) => Some(format!("exits with {code}")),
        Ending::Signalled(signal) => Some(format!("is ended by signal {signal}")),
        Ending::TimedOut(time) => Some(format!("does not end within {} s", time.as_secs_f64())),
    };
    Ok(Shown {
        stdout: String::from_utf8_lossy(&finished.stdout).into_owned(),
        end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_files_archives_or_compilers() {
        let files = Side::new("b.c util.c -DNEW -Iinclude");
        assert_eq!(
            (files.compiler.as_str(), files.files.len(), files.flags.len()),
            (CLANG, 2, 2)
        );
        let archive = Side::new("lib/libb.a -lz");
        assert_eq!((archive.compiler.as_str(), archive.flags.len()), (CLANG, 2));
        let compiler = Side::new("musl-gcc -static");
        assert_eq!((compiler.compiler.as_str(), compiler.flags.len()), ("musl-gcc", 1));
        assert_eq!(compiler.command(Path::new("f.c")), "musl-gcc f.c -static");
    }

    #[test]
    fn complaints_say_which_library_lacks_what() {
        let side = Side::new("musl-gcc");
        let missing = "/usr/bin/ld: /tmp/x.o: in function `test_1': a.c:(.text+0x5): undefined reference to `strfry'";
        assert_eq!(side.complaint(missing), "`musl-gcc` does not have `strfry'");
        let width = "a.c:9: error: static assertion failed: \"mneme: another width\"";
        assert!(side.complaint(width).contains("another width in `musl-gcc`"));
    }
}
