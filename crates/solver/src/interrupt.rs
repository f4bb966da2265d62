//! Stopping a query from another thread.
//!
//! A backend that can be stopped registers a callback while it is busy; [`Interrupt::fire`] runs the registered ones.
//! Firing is sticky: until [`Interrupt::clear`], every query is answered `Unknown::Interrupted` before it starts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Stop = Box<dyn Fn() + Send>;

/// From any thread: makes the backend give up soon. Clones share one switch.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    fired: AtomicBool,
    next: AtomicU64,
    busy: Mutex<Vec<(u64, Stop)>>,
}

impl Interrupt {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fire(&self) {
        self.shared.fired.store(true, Ordering::SeqCst);
        for (_, stop) in self.busy().iter() {
            stop();
        }
    }

    pub fn clear(&self) {
        self.shared.fired.store(false, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.shared.fired.load(Ordering::SeqCst)
    }

    /// `stop` may be called, from any thread, until the guard is dropped, and never after: dropping the guard waits for
    /// a running `stop`.
    pub(crate) fn while_busy(&self, stop: Stop) -> Busy<'_> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.busy().push((id, stop));
        Busy { interrupt: self, id }
    }

    fn busy(&self) -> MutexGuard<'_, Vec<(u64, Stop)>> {
        self.shared.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt")
            .field("fired", &self.is_set())
            .finish_non_exhaustive()
    }
}

pub(crate) struct Busy<'a> {
    interrupt: &'a Interrupt,
    id: u64,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.interrupt.busy().retain(|(id, _)| *id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fires_what_is_busy_and_nothing_else() {
        let interrupt = Interrupt::new();
        let count = Arc::new(AtomicU64::new(0));
        let stop = |count: &Arc<AtomicU64>| -> Stop {
            let count = count.clone();
            Box::new(move || {
                count.fetch_add(1, Ordering::SeqCst);
            })
        };
        let first = interrupt.while_busy(stop(&count));
        drop(interrupt.while_busy(stop(&count)));
        interrupt.clone().fire();
        assert!(interrupt.is_set());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        drop(first);
        interrupt.fire();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        interrupt.clear();
        assert!(!interrupt.is_set());
    }
}
