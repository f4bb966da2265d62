//! The guard of a test: starts it, ends it at its limits, and leaves none of its processes behind.
//!
//! With a namespace of processes the guard is its first process, and what it contains ends with it. Without one, the
//! guard adopts orphans, so that all that the test has started stay its descendants. Should the process that asked for
//! the run die, so does the guard, and with it the test.

use super::namespaces::{checked, enter, prepare_mounts};
use super::restrict;
use super::{FILE_BYTES, FOLDER_BYTES, FOLDER_DEPTH, FOLDER_ENTRIES, MEMORY_BYTES, Namespaces, Order, PROCESSES};
use crate::process::Ending;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::ptr;
use std::time::{Duration, Instant};

/// How often a test's processes are looked at.
const PULSE: Duration = Duration::from_millis(20);
/// Looking may take at most this part of the time.
const SHARE: u32 = 10;
/// How long to try to end processes that keep starting others.
const CLEARING: Duration = Duration::from_secs(8);
/// Exit code of a process whose program cannot be started.
const NOT_STARTED: i32 = 127;

/// How a test ended.
enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    /// A limit that it exceeded, in words.
    Limit(String),
    /// The process that asked for the run is gone, or wants it to end.
    Unwanted,
}

impl End {
    fn record(&self) -> String {
        match self {
            End::Exited(code) => format!("exited {code}\n"),
            End::Signalled(signal) => format!("signalled {signal}\n"),
            End::TimedOut => "timed-out\n".into(),
            End::Limit(limit) => format!("limit {limit}\n"),
            End::Unwanted => "limit it was interrupted\n".into(),
        }
    }
}

/// What a guard has written down; `None` if nothing that can be understood.
pub fn read_record(record: &str, timeout: Duration) -> Option<Result<Ending, String>> {
    let line = record.lines().next()?;
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Some(match word {
        "exited" => Ok(Ending::Exited(rest.parse().ok()?)),
        "signalled" => Ok(Ending::Signalled(rest.parse().ok()?)),
        "timed-out" => Ok(Ending::TimedOut(timeout)),
        "limit" => Err(rest.to_owned()),
        _ => return None,
    })
}

/// Runs a test. The exit code says only whether a record was written.
pub fn serve(order: &Order) -> u8 {
    match try_serve(order) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

fn try_serve(order: &Order) -> io::Result<()> {
    // It stays writable when everything else becomes read-only, and is closed where the program starts.
    let record = File::create(&order.record)?;
    let signals = Signals::block()?;
    enter(order.namespaces)?;
    // The parent's end is noticed in the order of events, so that there is time to clear up.
    die_with_parent(libc::SIGTERM);
    match order.namespaces {
        Namespaces::Full => {
            // SAFETY: this process has a single thread.
            match unsafe { libc::fork() } {
                -1 => Err(io::Error::last_os_error()),
                0 => {
                    die_with_parent(libc::SIGKILL);
                    let watched = prepare_mounts(&order.folder).and_then(|()| watch(order, record, &signals));
                    if let Err(error) = &watched {
                        eprintln!("{error}");
                    }
                    // SAFETY: ends the process; all other processes of its namespace end with it.
                    unsafe { libc::_exit(i32::from(watched.is_err())) }
                }
                first => wait_for_first(first, &signals),
            }
        }
        Namespaces::Network | Namespaces::None => {
            // SAFETY: a system call without pointers.
            checked(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })?;
            watch(order, record, &signals)
        }
    }
}

fn die_with_parent(signal: libc::c_int) {
    // SAFETY: a system call without pointers.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong, 0, 0, 0) };
}

/// Waits for the first process of a namespace, which does everything.
fn wait_for_first(first: libc::pid_t, signals: &Signals) -> io::Result<()> {
    loop {
        if signals.wait(Duration::from_secs(1)) == Some(libc::SIGTERM) {
            // SAFETY: our child, which has not been waited for.
            unsafe { libc::kill(first, libc::SIGKILL) };
        }
        let mut status = 0;
        // SAFETY: `status` is valid for the call.
        match unsafe { libc::waitpid(first, &mut status, libc::WNOHANG) } {
            0 => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(()),
        }
    }
}

/// Signals that are waited for rather than delivered.
struct Signals(libc::sigset_t);

impl Signals {
    fn block() -> io::Result<Signals> {
        // SAFETY: the set is initialised before use, and lives through the calls.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, libc::SIGCHLD);
            libc::sigaddset(&mut set, libc::SIGTERM);
            checked(libc::sigprocmask(libc::SIG_BLOCK, &set, ptr::null_mut()))?;
            Ok(Signals(set))
        }
    }

    fn wait(&self, limit: Duration) -> Option<libc::c_int> {
        let limit = libc::timespec {
            tv_sec: limit.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(limit.subsec_nanos()),
        };
        // SAFETY: set and limit are valid for the call.
        let signal = unsafe { libc::sigtimedwait(&self.0, ptr::null_mut(), &limit) };
        (signal > 0).then_some(signal)
    }
}

/// Starts the program and stays until nothing is left of it.
fn watch(order: &Order, mut record: File, signals: &Signals) -> io::Result<()> {
    let deadline = Instant::now() + order.timeout;
    // SAFETY: this process has a single thread.
    let program = match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => become_program(order, record),
        program => program,
    };
    let mut look = Instant::now() + PULSE;
    let end = loop {
        let signal = signals.wait(look.saturating_duration_since(Instant::now()));
        if let Some(end) = reap(program) {
            break end;
        }
        let now = Instant::now();
        if signal == Some(libc::SIGTERM) {
            break End::Unwanted;
        }
        if now >= deadline {
            break End::TimedOut;
        }
        if now >= look {
            if let Some(limit) = exceeded(order) {
                break End::Limit(limit);
            }
            look = Instant::now() + PULSE.max(now.elapsed() * SHARE);
        }
    };
    clear(order.namespaces, program);
    record.write_all(end.record().as_bytes())
}

/// Replaces this process by the program.
fn become_program(order: &Order, mut record: File) -> ! {
    // Neither a terminal nor the guard's group of processes is the test's.
    // SAFETY: a system call without arguments.
    unsafe { libc::setsid() };
    restrict::resources();
    let mut command = Command::new(&order.program);
    command
        .args(&order.args)
        .env_clear()
        .envs(order.environment.iter().map(|(name, value)| (name, value)));
    if !order.name.is_empty() {
        command.arg0(&order.name);
    }
    // The folder is entered by its path, through the mount that is writable.
    let ready = std::env::set_current_dir(&order.folder).map_err(|error| error.to_string());
    let restricted = ready.and_then(|()| {
        restrict::rights();
        restrict::files(&order.folder, order.namespaces).map_err(|error| error.to_string())
    });
    let reason = match restricted {
        Ok(()) => command.exec().to_string(),
        Err(error) => error,
    };
    let _ = writeln!(record, "limit the native program cannot be started: {reason}");
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(NOT_STARTED) }
}

/// Waits for all processes that have ended; says how the program did, if it is among them.
fn reap(program: libc::pid_t) -> Option<End> {
    let mut end = None;
    loop {
        let mut status = 0;
        // SAFETY: `status` is valid for the call.
        match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) } {
            0 | -1 => return end,
            ended if ended == program => {
                end = Some(match libc::WIFSIGNALED(status) {
                    false => End::Exited(libc::WEXITSTATUS(status)),
                    true if libc::WTERMSIG(status) == libc::SIGXFSZ => {
                        End::Limit(format!("it writes a file of more than {}", size(FILE_BYTES)))
                    }
                    true => End::Signalled(libc::WTERMSIG(status)),
                });
            }
            _ => {}
        }
    }
}

/// Ends every process of the test.
fn clear(namespaces: Namespaces, program: libc::pid_t) {
    let last = Instant::now() + CLEARING;
    // SAFETY: a system call without pointers. The group has the id of the program's process, which is given to nobody
    // else as long as the group has members; without members nothing happens.
    unsafe { libc::kill(-program, libc::SIGKILL) };
    loop {
        match namespaces {
            // SAFETY: as above; the first process of a namespace reaches all others of it, and nothing else.
            Namespaces::Full => unsafe {
                libc::kill(-1, libc::SIGKILL);
            },
            Namespaces::Network | Namespaces::None => descendants().iter().for_each(|process| {
                // SAFETY: as above; a process keeps its id until we, or one of the test's processes, wait for it.
                unsafe { libc::kill(process.id, libc::SIGKILL) };
            }),
        }
        let _ = reap(0);
        // SAFETY: the information is valid for the call, which waits for nothing and changes nothing.
        let children = unsafe {
            let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_ALL, 0, &mut std::mem::zeroed(), how)
        };
        if children == -1 || Instant::now() >= last {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

struct Process {
    id: libc::pid_t,
    /// Bytes of memory that are its own.
    memory: u64,
}

/// The processes of the test: all that descend from this one.
fn descendants() -> Vec<Process> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<libc::pid_t>().ok());
        let stat = id.and_then(|id| Some((id, fs::read_to_string(format!("/proc/{id}/stat")).ok()?)));
        let Some((id, stat)) = stat else { continue };
        // The name of a process may contain anything; behind its last parenthesis are the state and the parent.
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        if let Some(parent) = parent {
            parents.insert(id, parent);
        }
    }
    // SAFETY: a system call without arguments.
    let own = unsafe { libc::getpid() };
    let is_ours = |id: libc::pid_t| {
        let mut at = id;
        for _ in 0..parents.len() {
            match parents.get(&at) {
                Some(&parent) if parent == own => return true,
                Some(&parent) => at = parent,
                None => return false,
            }
        }
        false
    };
    let ours = parents.keys().copied().filter(|&id| is_ours(id));
    ours.map(|id| Process { id, memory: memory(id) }).collect()
}

fn memory(id: libc::pid_t) -> u64 {
    let pages = fs::read_to_string(format!("/proc/{id}/statm")).unwrap_or_default();
    let mut pages = pages
        .split(' ')
        .skip(1)
        .map(|number| number.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    // SAFETY: a call without pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    resident.saturating_sub(shared) * u64::try_from(page).unwrap_or(4096)
}

/// The limit that a test exceeds, in words.
fn exceeded(order: &Order) -> Option<String> {
    let processes = descendants();
    if processes.len() > PROCESSES {
        return Some(format!("it has more than {PROCESSES} processes"));
    }
    if processes.iter().map(|process| process.memory).sum::<u64>() > MEMORY_BYTES {
        return Some(format!("its processes have more than {} of memory", size(MEMORY_BYTES)));
    }
    let mut usage = Usage::default();
    usage.add(&order.folder, 0);
    if usage.bytes > FOLDER_BYTES {
        return Some(format!("its files have more than {}", size(FOLDER_BYTES)));
    }
    if usage.entries > FOLDER_ENTRIES {
        return Some(format!("it makes more than {FOLDER_ENTRIES} files"));
    }
    (usage.depth > FOLDER_DEPTH).then(|| format!("its folders are nested more than {FOLDER_DEPTH} deep"))
}

/// What is in a folder.
#[derive(Default)]
struct Usage {
    bytes: u64,
    entries: u64,
    depth: usize,
}

impl Usage {
    /// Looks no further once a limit is exceeded.
    fn add(&mut self, folder: &Path, depth: usize) {
        self.depth = self.depth.max(depth);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            self.entries += 1;
            if self.entries > FOLDER_ENTRIES || depth > FOLDER_DEPTH {
                return;
            }
            // Of the entry itself, not of what a link refers to; and of what it takes on the disk, holes excluded.
            let Ok(about) = entry.metadata() else { continue };
            self.bytes += std::os::unix::fs::MetadataExt::blocks(&about) * 512;
            if about.is_dir() {
                self.add(&entry.path(), depth + 1);
            }
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes >> 30 {
        0 => format!("{} MiB", bytes >> 20),
        gibibytes => format!("{gibibytes} GiB"),
    }
}
