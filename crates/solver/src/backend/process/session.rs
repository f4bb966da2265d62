//! A solver process: text goes in, expressions come out, and nothing it does can make us wait longer than the deadline.
//!
//! Two threads sit between the worker and the pipes, so neither a full pipe nor an empty one blocks it. They end when
//! the process does; dropping a session kills it.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Instant;

use super::sexp::{Reader, Sexp};
use crate::Interrupt;

/// Expressions that were not asked for yet; a talkative process has to wait.
const QUEUE: usize = 64;

pub(in crate::backend) struct Session {
    child: Child,
    input: Sender<String>,
    events: Receiver<Event>,
    /// For interrupts.
    sender: SyncSender<Event>,
}

enum Event {
    Expression(Sexp),
    Ended,
    Interrupted,
}

/// Why no expression came. After any of these the session is unusable.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::backend) enum Silence {
    Deadline,
    Interrupted,
    Ended,
}

impl Session {
    pub fn start(command: &[String]) -> std::io::Result<Session> {
        let mut solver = Command::new(&command[0]);
        solver
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // SAFETY: prctl is a system call, which is allowed between fork and exec. The solver does not outlive the
        // thread that asks it.
        unsafe {
            solver.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let mut child = solver.spawn()?;
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (input, texts) = mpsc::channel::<String>();
        let (sender, events) = mpsc::sync_channel(QUEUE);
        thread::spawn(move || {
            for text in texts {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let to = sender.clone();
        thread::spawn(move || {
            read_all(stdout, &to);
            // The receiver may be gone already.
            _ = to.send(Event::Ended);
        });
        Ok(Session {
            child,
            input,
            events,
            sender,
        })
    }

    pub fn send(&self, text: String) {
        // If the writer is gone, so is the process, which `receive` will report.
        _ = self.input.send(text);
    }

    /// The next expression.
    pub fn receive(&self, deadline: Option<Instant>, interrupt: &Interrupt) -> Result<Sexp, Silence> {
        let sender = self.sender.clone();
        // If the queue is full, no one is waiting on it.
        let _busy = interrupt.while_busy(Box::new(move || _ = sender.try_send(Event::Interrupted)));
        loop {
            if interrupt.is_set() {
                return Err(Silence::Interrupted);
            }
            match self.event(deadline)? {
                Event::Expression(expression) => return Ok(expression),
                Event::Ended => return Err(Silence::Ended),
                // Meant for this query, or left over from an earlier one and cleared since: the loop checks which.
                Event::Interrupted => {}
            }
        }
    }

    fn event(&self, deadline: Option<Instant>) -> Result<Event, Silence> {
        let Some(deadline) = deadline else {
            return self.events.recv().map_err(|_| Silence::Ended);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        self.events.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Deadline,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })
    }
}

fn read_all(mut stdout: impl Read, to: &SyncSender<Event>) {
    let mut reader = Reader::default();
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = stdout.read(&mut buffer) {
        for &byte in &buffer[..count] {
            match reader.push(byte) {
                Ok(None) => {}
                Ok(Some(expression)) => {
                    if to.send(Event::Expression(expression)).is_err() {
                        return;
                    }
                }
                Err(_) => return,
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended on its own.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
