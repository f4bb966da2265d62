//! A trial reading of bitcode that we did not compile.
//!
//! LLVM's reader ends the process on some damaged files (broken debug information, absurd sizes), and nothing in its
//! interface prevents that. So a copy of this process reads such a file first; if the copy dies, the file is bad and we
//! say so. Output of our own clang needs no trial.

use super::Context;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};

/// Seconds after which the copy is considered lost: LLVM reads several megabytes a second.
fn time_limit(size: usize) -> u32 {
    10 + (size / 100_000) as u32
}

/// LLVM's last message if it does not survive reading the module.
pub fn trial(name: &str, bytes: &[u8]) -> Result<(), String> {
    let mut ends = [0; 2];
    // SAFETY: the descriptors are written before they are used; both ends are ours.
    let (mut read_end, write_end) = unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Ok(());
        }
        (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
    };
    // SAFETY: the child touches only its own copy of memory, LLVM and the pipe, and leaves by `_exit`, so no destructor
    // or exit handler of the parent runs twice. glibc keeps its allocator usable in the child.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Ok(()),
        0 => {
            // SAFETY: as above.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::dup2(write_end.as_raw_fd(), libc::STDERR_FILENO);
                let none = libc::rlimit {
                    rlim_cur: 0,
                    rlim_max: 0,
                };
                libc::setrlimit(libc::RLIMIT_CORE, &none);
                libc::alarm(time_limit(bytes.len()));
                std::mem::forget(Context::new().read(name, bytes));
                libc::_exit(0)
            }
        }
        _ => {
            drop(write_end);
            let mut words = Vec::new();
            let _ = read_end.read_to_end(&mut words);
            let mut status = 0;
            // SAFETY: our child, waited for once.
            unsafe { libc::waitpid(child, &mut status, 0) };
            if status == 0 { Ok(()) } else { Err(last_words(&words)) }
        }
    }
}

fn last_words(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let line = text
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("the file is damaged");
    line.rsplit("input: ").next().unwrap_or(line).trim().to_owned()
}
