//! A native run that always ends, whatever the program does.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How many bytes of a run's output to a pipe are kept; the rest is read and discarded.
const KEPT_BYTES: usize = 1 << 20;
/// How often a run is polled for its end.
const PULSE: Duration = Duration::from_millis(3);
/// How long to wait for a pipe that a stray child holds open.
const GRACE: Duration = Duration::from_millis(500);

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    Exited(i32),
    Signalled(i32),
    TimedOut(Duration),
}

#[derive(Clone, Debug)]
pub struct Finished {
    pub ending: Ending,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// The beginning of a run's output to one of its pipes, read by its own thread.
struct Kept {
    pieces: mpsc::Receiver<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Kept {
    fn new(mut pipe: impl Read + Send + 'static) -> Kept {
        let (sender, pieces) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 1 << 14];
            while let Ok(n @ 1..) = pipe.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let bytes = Vec::new();
        Kept { pieces, bytes }
    }

    fn keep(&mut self, piece: Vec<u8>) {
        let room = KEPT_BYTES - self.bytes.len();
        self.bytes.extend(piece.into_iter().take(room));
    }

    fn poll(&mut self) {
        while let Ok(piece) = self.pieces.try_recv() {
            self.keep(piece);
        }
    }

    fn finish(mut self, last: Instant) -> Vec<u8> {
        while let Ok(piece) = self.pieces.recv_timeout(last.saturating_duration_since(Instant::now())) {
            self.keep(piece);
        }
        self.bytes
    }
}

/// Runs a command in its own process group, without input, and kills the group at the end.
pub fn run(mut command: Command, timeout: Duration) -> std::io::Result<Finished> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = command.spawn()?;
    let mut stdout = Kept::new(child.stdout.take().expect("standard output is piped"));
    let mut stderr = Kept::new(child.stderr.take().expect("standard error is piped"));
    let deadline = Instant::now() + timeout;
    let ending = loop {
        stdout.poll();
        stderr.poll();
        match child.try_wait()? {
            Some(status) => break ended(status),
            None if Instant::now() >= deadline => break Ending::TimedOut(timeout),
            None => thread::sleep(PULSE),
        }
    };
    kill_group(&child);
    child.wait()?;
    let last = Instant::now() + GRACE;
    Ok(Finished {
        ending,
        stdout: stdout.finish(last),
        stderr: String::from_utf8_lossy(&stderr.finish(last)).into_owned(),
    })
}

fn ended(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or(0)),
    }
}

fn kill_group(child: &Child) {
    // SAFETY: kill has no preconditions. The group has the id of our child. If the child has been waited for, the
    // kernel does not give its id to another process as long as the group has members, and without members nothing
    // happens.
    unsafe {
        libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: Duration) -> Finished {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, timeout).unwrap()
    }

    #[test]
    fn the_end_of_a_run_is_reported() {
        let finished = shell("echo out; echo err >&2; exit 7", Duration::from_secs(10));
        assert_eq!(
            (finished.ending, finished.stderr.as_str()),
            (Ending::Exited(7), "err\n")
        );
        assert_eq!(
            shell("kill -ABRT $$", Duration::from_secs(10)).ending,
            Ending::Signalled(6)
        );
    }

    #[test]
    fn a_run_without_end_is_killed_with_its_children() {
        let begin = Instant::now();
        let limit = Duration::from_millis(200);
        let finished = shell("sleep 60 & echo $! >&2; while :; do :; done", limit);
        assert_eq!(finished.ending, Ending::TimedOut(limit));
        assert!(begin.elapsed() < Duration::from_secs(5));
        let gone = || {
            let state = std::fs::read_to_string(format!("/proc/{}/stat", finished.stderr.trim()));
            state.map_or(true, |state| state.contains(") Z "))
        };
        // A signal has been sent; the child dies when it is scheduled next.
        while !gone() {
            assert!(begin.elapsed() < Duration::from_secs(5), "the child lives");
            thread::sleep(PULSE);
        }
    }

    #[test]
    fn a_flood_of_output_is_cut() {
        let finished = shell("head -c 3000000 /dev/zero >&2", Duration::from_secs(10));
        assert_eq!(
            (finished.ending, finished.stderr.len()),
            (Ending::Exited(0), KEPT_BYTES)
        );
    }
}
