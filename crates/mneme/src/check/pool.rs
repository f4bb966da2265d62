//! Many tasks at the same time, each in a process of its own.
//!
//! A child is a copy of this process made by `fork`, without `exec`: it has the program that was compiled and lowered
//! once, its memory is gone when it ends, and whatever happens to it happens to no other. That is sound because this
//! process has a single thread. A child writes its results to a pipe, line by line; what it wrote before it was killed
//! counts.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How long the parent waits for news.
const PULSE: Duration = Duration::from_millis(100);

/// How a child ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Done,
    /// It took too long and was killed.
    Late,
    /// It failed by itself.
    Crashed,
}

struct Child {
    task: usize,
    process: libc::pid_t,
    pipe: File,
    text: Vec<u8>,
    begin: Instant,
    late: bool,
}

/// What the parent does while children work.
pub trait Overseer {
    /// A task is over; `text` is what its child wrote.
    fn over(&mut self, task: usize, text: &[u8], ended: Ended);
    /// From time to time. True: no more tasks, and those that run are killed.
    fn tick(&mut self, running: &[usize]) -> bool;
}

/// Does the tasks, at most `jobs` at the same time, each in at most `most` time.
pub fn run(
    tasks: &[usize],
    jobs: usize,
    most: Duration,
    work: &mut dyn FnMut(usize, &mut dyn Write),
    overseer: &mut dyn Overseer,
) -> io::Result<()> {
    let mut left = tasks.iter().copied();
    let mut children: Vec<Child> = Vec::new();
    let mut ending = false;
    loop {
        while !ending && children.len() < jobs {
            let Some(task) = left.next() else { break };
            children.push(start(task, work)?);
        }
        if children.is_empty() {
            return Ok(());
        }
        wait(&children)?;
        for child in &mut children {
            if (ending || child.begin.elapsed() > most) && !child.late {
                child.late = true;
                // SAFETY: it is a child that nobody has waited for yet.
                unsafe { libc::kill(child.process, libc::SIGKILL) };
            }
        }
        let mut index = 0;
        while index < children.len() {
            match read(&mut children[index])? {
                true => {
                    let child = children.swap_remove(index);
                    let ended = end(&child);
                    overseer.over(child.task, &child.text, ended);
                }
                false => index += 1,
            }
        }
        let running: Vec<usize> = children.iter().map(|child| child.task).collect();
        ending |= overseer.tick(&running);
    }
}

fn start(task: usize, work: &mut dyn FnMut(usize, &mut dyn Write)) -> io::Result<Child> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors; they are owned from here on.
    let (from, to) = unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
            return Err(io::Error::last_os_error());
        }
        (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    };
    // SAFETY: this process has one thread, so the child may do whatever the parent may.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(from);
            // SAFETY: plain system calls on what is this process's own.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                libc::fcntl(to.as_raw_fd(), libc::F_SETFL, 0);
            }
            let mut to = File::from(to);
            let done = catch_unwind(AssertUnwindSafe(|| work(task, &mut to)));
            // SAFETY: nothing of the parent's is to be flushed or removed here.
            unsafe { libc::_exit(i32::from(done.is_err())) }
        }
        process => Ok(Child {
            task,
            process,
            pipe: File::from(from),
            text: Vec::new(),
            begin: Instant::now(),
            late: false,
        }),
    }
}

/// Until some child has written something or has ended, or for a moment.
fn wait(children: &[Child]) -> io::Result<()> {
    let watch = |child: &Child| libc::pollfd {
        fd: child.pipe.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let mut watched: Vec<libc::pollfd> = children.iter().map(watch).collect();
    // SAFETY: the list is as long as it says.
    let news = unsafe {
        libc::poll(
            watched.as_mut_ptr(),
            watched.len() as libc::nfds_t,
            PULSE.as_millis() as i32,
        )
    };
    match io::Error::last_os_error() {
        error if news < 0 && error.kind() != io::ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}

/// Takes what a child has written; true if there will be no more.
fn read(child: &mut Child) -> io::Result<bool> {
    let mut buffer = [0; 1 << 16];
    loop {
        match child.pipe.read(&mut buffer) {
            Ok(0) => return Ok(true),
            Ok(n) => child.text.extend(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn end(child: &Child) -> Ended {
    let mut status = 0;
    // SAFETY: it is a child that nobody has waited for yet.
    unsafe { libc::waitpid(child.process, &mut status, 0) };
    match (child.late, libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0) {
        (true, _) => Ended::Late,
        (false, true) => Ended::Done,
        (false, false) => Ended::Crashed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<(usize, String, Ended)>);

    impl Overseer for Seen {
        fn over(&mut self, task: usize, text: &[u8], ended: Ended) {
            self.0.push((task, String::from_utf8(text.to_vec()).unwrap(), ended));
        }

        fn tick(&mut self, running: &[usize]) -> bool {
            assert!(running.len() <= 2);
            false
        }
    }

    /// One child is done, one writes something and fails, one writes something and never ends.
    #[test]
    fn what_happens_to_a_child_happens_to_no_other() {
        let mut seen = Seen::default();
        let mut work = |task: usize, to: &mut dyn Write| {
            write!(to, "{task}").unwrap();
            match task {
                1 => std::process::abort(),
                2 => std::thread::sleep(Duration::from_secs(60)),
                _ => {}
            }
        };
        run(&[0, 1, 2], 2, Duration::from_secs(2), &mut work, &mut seen).unwrap();
        seen.0.sort_by_key(|(task, ..)| *task);
        let expected = [(0, Ended::Done), (1, Ended::Crashed), (2, Ended::Late)];
        assert_eq!(seen.0, expected.map(|(task, ended)| (task, task.to_string(), ended)));
    }
}
