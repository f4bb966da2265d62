//! Limits that hold whatever the worker is doing: a thread that checks the clock and the memory.
//!
//! At a limit it asks the worker to end, which interrupts the solver and the compiler. If the worker is still busy a
//! second later (one long step checks no clock), the watchdog does not wait: it ends the process itself, after
//! `last_words` wrote the results.

use mneme_engine::{Cause, Halt, resident_bytes};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it checks.
const PULSE: Duration = Duration::from_millis(50);
/// How long a worker may take to end.
const GRACE: Duration = Duration::from_secs(1);

pub struct Watchdog {
    pub deadline: Option<Instant>,
    /// Bytes of resident memory.
    pub max_memory: Option<u64>,
    pub halt: Halt,
    /// Ends the loading of a program.
    pub cancel: Arc<AtomicBool>,
    /// Is the worker done? The holder of the lock writes the last results.
    done: Mutex<bool>,
    changed: Condvar,
}

impl Watchdog {
    pub fn new(deadline: Option<Instant>, max_memory: Option<u64>, halt: Halt) -> Watchdog {
        Watchdog {
            deadline,
            max_memory,
            halt,
            cancel: Arc::default(),
            done: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    /// Does the watched work. Does not return if the watchdog ends the process first.
    pub fn over<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Also when the worker panics.
        struct Dismiss<'a>(&'a Watchdog);
        impl Drop for Dismiss<'_> {
            fn drop(&mut self) {
                *self.0.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
                self.0.changed.notify_all();
            }
        }
        let _at_the_end = Dismiss(self);
        work()
    }

    /// Watches until the work is done; calls `tick` from time to time.
    pub fn watch(&self, tick: impl Fn(), last_words: impl FnOnce(Cause) -> u8) {
        let mut asked: Option<Instant> = None;
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        while !*done {
            if let Some(cause) = self.limit() {
                self.halt.because(cause);
                self.cancel.store(true, Ordering::Relaxed);
                let asked = *asked.get_or_insert_with(Instant::now);
                if asked.elapsed() >= GRACE || self.memory_beyond(5, 4) {
                    let code = last_words(cause);
                    leave(code);
                }
            }
            if asked.is_none() {
                tick();
            }
            let pause = match self.deadline {
                Some(deadline) if asked.is_none() => PULSE.min(deadline.saturating_duration_since(Instant::now())),
                _ => PULSE,
            };
            let waited = self.changed.wait_timeout(done, pause);
            done = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn limit(&self) -> Option<Cause> {
        self.halt.cause().or_else(|| match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Some(Cause::Time),
            _ => self.memory_beyond(1, 1).then_some(Cause::Memory),
        })
    }

    /// Is more than this fraction of the allowed memory in use?
    fn memory_beyond(&self, part: u64, of: u64) -> bool {
        let used = || resident_bytes().unwrap_or(0);
        self.max_memory.is_some_and(|most| used() > most / of * part)
    }
}

/// Ends the process while other threads are running.
pub fn leave(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    // SAFETY: ends the process at once. Exit handlers and destructors of the solvers' libraries must not run beside a
    // thread that is still inside them.
    unsafe { libc::_exit(code.into()) }
}
