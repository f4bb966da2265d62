//! Confinement of native runs: what foreign code may do to the machine it runs on.
//!
//! A test is not started directly. Our own binary is started anew (`fork` without `exec` is not safe beside other
//! threads), as a helper that gives up what the test must not have and then becomes the test's guard ([`guard`]): a
//! user namespace with its own network, processes and read-only mounts ([`namespaces`]), Landlock and limits
//! ([`restrict`]). The guard ends the test at its limits, together with every process that it has started, and writes
//! down how it ended in a file that the test cannot reach.
//!
//! What the kernel allows is tried out once, by the same helper ([`Kernel`]).

mod guard;
mod namespaces;
mod restrict;

use crate::process::{self, Ending, Finished};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The largest file that a test may write.
const FILE_BYTES: u64 = 256 << 20;
/// How much a test may write altogether.
const FOLDER_BYTES: u64 = 1 << 30;
/// How many files and folders it may make.
const FOLDER_ENTRIES: u64 = 10_000;
/// How deep its folders may be nested, so that they can be removed again.
const FOLDER_DEPTH: usize = 64;
/// How many processes it may have at a time.
const PROCESSES: usize = 128;
/// How much memory all its processes may have together.
const MEMORY_BYTES: u64 = 6 << 30;
/// How long a guard may take to end a test after its time.
const GUARD_GRACE: Duration = Duration::from_secs(10);

/// The namespaces that a test gets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Namespaces {
    /// Its own users, network, processes and mounts.
    Full,
    /// Its own users and network.
    Network,
    None,
}

impl Namespaces {
    const ALL: [(Namespaces, &str); 3] = [
        (Namespaces::Full, "full"),
        (Namespaces::Network, "network"),
        (Namespaces::None, "none"),
    ];

    fn name(self) -> &'static str {
        let named = Namespaces::ALL.iter().find(|(namespaces, _)| *namespaces == self);
        named.map_or("none", |(_, name)| name)
    }

    fn named(name: &OsStr) -> Option<Namespaces> {
        let named = Namespaces::ALL.iter().find(|(_, known)| name == *known);
        named.map(|(namespaces, _)| *namespaces)
    }
}

/// What the kernel allows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Kernel {
    namespaces: Namespaces,
    /// The version of Landlock's interface, 0 if there is none.
    landlock: u32,
}

impl Kernel {
    /// One line, for the process that asked.
    fn line(self) -> String {
        format!("{} {}", self.namespaces.name(), self.landlock)
    }

    fn read(line: &str) -> Option<Kernel> {
        let (namespaces, landlock) = line.trim().split_once(' ')?;
        Some(Kernel {
            namespaces: Namespaces::named(namespaces.as_ref())?,
            landlock: landlock.parse().ok()?,
        })
    }

    /// What a test can do although it should not, in sentences.
    fn shortfalls(self) -> Vec<String> {
        let mut shortfalls = Vec::new();
        match (self.landlock, self.namespaces) {
            (3.., _) => {}
            (0, Namespaces::Full) => shortfalls
                .push("the kernel has no Landlock: only read-only mounts keep a test from writing outside its folder"),
            (0, _) => shortfalls.push("the kernel has no Landlock: a test can write outside its folder"),
            (_, Namespaces::Full) => {}
            (1.., _) => shortfalls.push("the kernel's Landlock is old: a test can truncate files outside its folder"),
        }
        match (self.landlock, self.namespaces) {
            (_, Namespaces::Full) => {}
            (4.., Namespaces::None) => shortfalls
                .push("user namespaces are not allowed: of the network, a test is kept from TCP only, and it can change modes and times of files"),
            (_, Namespaces::None) => shortfalls.push(
                "user namespaces are not allowed: a test can use the network, and change modes and times of files",
            ),
            (_, Namespaces::Network) => {
                shortfalls.push("mounts of its own are not allowed: a test can change modes and times of files")
            }
        }
        shortfalls.into_iter().map(String::from).collect()
    }
}

/// A test to be run by the helper.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Order {
    namespaces: Namespaces,
    /// The only folder that the test may write to.
    folder: PathBuf,
    /// Where the guard writes down how the test ended.
    record: PathBuf,
    timeout: Duration,
    /// The name under which the program is started; its path if empty.
    name: OsString,
    environment: Vec<(OsString, OsString)>,
    program: OsString,
    args: Vec<OsString>,
}

impl Order {
    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![
            RUN.into(),
            self.namespaces.name().into(),
            self.folder.clone().into(),
            self.record.clone().into(),
            self.timeout.as_millis().to_string().into(),
            self.name.clone(),
            self.environment.len().to_string().into(),
        ];
        for (name, value) in &self.environment {
            words.push([name.as_bytes(), b"=", value.as_bytes()].concat().into_os_string());
        }
        words.push(self.program.clone());
        words.extend(self.args.iter().cloned());
        words
    }

    /// The opposite of [`Order::words`], without the first.
    fn read(words: &[OsString]) -> Option<Order> {
        let [namespaces, folder, record, timeout, name, count, rest @ ..] = words else {
            return None;
        };
        let (environment, rest) = rest.split_at_checked(count.to_str()?.parse().ok()?)?;
        let (program, args) = rest.split_first()?;
        let variable = |word: &OsString| {
            let at = word.as_bytes().iter().position(|&byte| byte == b'=')?;
            let (name, value) = (&word.as_bytes()[..at], &word.as_bytes()[at + 1..]);
            Some((name.to_vec().into_os_string(), value.to_vec().into_os_string()))
        };
        Some(Order {
            namespaces: Namespaces::named(namespaces)?,
            folder: folder.into(),
            record: record.into(),
            timeout: Duration::from_millis(timeout.to_str()?.parse().ok()?),
            name: name.clone(),
            environment: environment.iter().map(variable).collect::<Option<_>>()?,
            program: program.clone(),
            args: args.to_vec(),
        })
    }
}

/// Bytes as a word of a command line.
trait IntoOsString {
    fn into_os_string(self) -> OsString;
}

impl IntoOsString for Vec<u8> {
    fn into_os_string(self) -> OsString {
        OsString::from_vec(self)
    }
}

const RUN: &str = "run";
const PROBE: &str = "probe";

/// How native runs are confined.
#[derive(Clone, Debug)]
pub struct Confinement {
    helper: Vec<OsString>,
    kernel: Option<Kernel>,
    shortfalls: Vec<String>,
}

impl Confinement {
    /// `helper` starts a process that calls [`confined_run`] with the words that follow; `folder` serves for a trial.
    pub fn new(helper: &[OsString], folder: &Path) -> Confinement {
        let kernel = probe(helper, folder);
        let shortfalls = match &kernel {
            Ok(kernel) => kernel.shortfalls(),
            Err(error) => vec![format!("the helper that confines them cannot be started ({error})")],
        };
        Confinement {
            helper: helper.to_vec(),
            kernel: kernel.ok(),
            shortfalls,
        }
    }

    /// What a test can do although it should not, in sentences; empty if the kernel allows everything that is needed.
    pub fn shortfalls(&self) -> &[String] {
        &self.shortfalls
    }

    /// Runs a command in its current folder, which is all that it may write to. The inner error says which limit ended
    /// the run.
    pub fn run(
        &self,
        mut command: Command,
        name: Option<&str>,
        room: &Room,
        timeout: Duration,
    ) -> io::Result<Result<Finished, String>> {
        let Some((kernel, (helper, first))) = self.kernel.zip(self.helper.split_first()) else {
            if let Some(name) = name {
                command.arg0(name);
            }
            return process::run(command, timeout).map(Ok);
        };
        let set = |(name, value): (&OsStr, Option<&OsStr>)| Some((name.to_owned(), value?.to_owned()));
        let order = Order {
            namespaces: kernel.namespaces,
            folder: room.folder(),
            record: room.record(),
            timeout,
            name: name.unwrap_or_default().into(),
            environment: command.get_envs().filter_map(set).collect(),
            program: command.get_program().to_owned(),
            args: command.get_args().map(OsStr::to_owned).collect(),
        };
        let mut guard = Command::new(helper);
        guard.args(first).args(order.words());
        let mut finished = process::run(guard, timeout + GUARD_GRACE)?;
        let record = fs::read_to_string(room.record()).unwrap_or_default();
        Ok(match guard::read_record(&record, timeout) {
            Some(ending) => ending.map(|ending| {
                finished.ending = ending;
                finished
            }),
            None if matches!(finished.ending, Ending::TimedOut(_)) => Err("it could not be ended in time".into()),
            None => Err(format!("its guard failed: {}", finished.stderr.trim())),
        })
    }
}

fn probe(helper: &[OsString], folder: &Path) -> io::Result<Kernel> {
    let (program, first) = helper.split_first().ok_or(io::ErrorKind::NotFound)?;
    let output = Command::new(program)
        .args(first)
        .arg(PROBE)
        .arg(folder)
        .stdin(Stdio::null())
        .output()?;
    let line = String::from_utf8_lossy(&output.stdout);
    Kernel::read(&line).ok_or_else(|| io::Error::other("it does not say what the kernel allows"))
}

/// The folder of one run, and beside it the record of its end; removed when dropped.
pub struct Room {
    dir: TempDir,
}

impl Room {
    pub fn new(parent: &Path) -> io::Result<Room> {
        let dir = tempfile::Builder::new().prefix("run-").tempdir_in(parent)?;
        let room = Room { dir };
        fs::create_dir(room.folder())?;
        Ok(room)
    }

    /// The current folder of the run.
    pub fn folder(&self) -> PathBuf {
        self.dir.path().join("run")
    }

    fn record(&self) -> PathBuf {
        self.dir.path().join("record")
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if fs::remove_dir_all(self.dir.path()).is_err() {
            // A program may take away its own right to change a folder.
            allow(self.dir.path());
            let _ = fs::remove_dir_all(self.dir.path());
        }
    }
}

/// Lets us read and change a folder and those in it. No process of the run is left that could exchange them for links.
fn allow(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            allow(&entry.path());
        }
    }
}

/// The helper process: `words` are what [`Confinement`] has added to its command line. Returns its exit code.
pub fn confined_run(words: &[OsString]) -> u8 {
    match words.split_first() {
        Some((first, [folder])) if first == PROBE => {
            let kernel = Kernel {
                namespaces: namespaces::allowed(Path::new(folder)),
                landlock: restrict::landlock_version(),
            };
            println!("{}", kernel.line());
            0
        }
        Some((first, rest)) if first == RUN => match Order::read(rest) {
            Some(order) => guard::serve(&order),
            None => misused(),
        },
        _ => misused(),
    }
}

fn misused() -> u8 {
    eprintln!("this is started by `mneme replay`, not by people");
    2
}

#[cfg(test)]
mod tests;
