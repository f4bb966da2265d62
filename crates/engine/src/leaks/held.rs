//! What is known to be referred to. A program that walks along a list loses a node at every step, and the list would be
//! searched from its head each time.

use mneme_term::BaseId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Variables that are overwritten while others keep what they refer to, by frame and slot.
type Cursor = (usize, u32);

/// A variable is a cursor if it was overwritten this recently.
const LATELY: u64 = 16;

/// A hint, valid as long as only references of cursors are lost. It is not used at the end of the program.
#[derive(Clone, Default, Debug)]
pub struct Held {
    /// Each with the time when it was last overwritten.
    cursors: Vec<(Cursor, u64)>,
    /// How often variables were overwritten.
    now: u64,
    /// What anything but the cursors refers to, directly or indirectly, if that was worked out.
    objects: Option<Rc<FxHashSet<BaseId>>>,
}

impl Held {
    pub fn contains(&self, base: BaseId) -> bool {
        self.objects.as_ref().is_some_and(|objects| objects.contains(&base))
    }

    pub fn is_known(&self) -> bool {
        self.objects.is_some()
    }

    /// Which variables are cursors from now on.
    pub fn choose_cursors(&mut self) {
        let now = self.now;
        self.cursors.retain(|(_, last)| now - last < LATELY);
    }

    pub fn set(&mut self, objects: FxHashSet<BaseId>) {
        self.objects = Some(Rc::new(objects));
    }

    /// Any reference may have been lost.
    pub fn forget(&mut self) {
        self.objects = None;
    }

    pub fn is_cursor(&self, cursor: Cursor) -> bool {
        self.cursors.iter().any(|(other, _)| *other == cursor)
    }

    /// A variable that referred to something is overwritten.
    pub fn overwrite(&mut self, cursor: Cursor) {
        self.now += 1;
        match self.cursors.iter_mut().find(|(other, _)| *other == cursor) {
            Some((_, last)) => *last = self.now,
            None => {
                self.cursors.push((cursor, self.now));
                self.forget();
            }
        }
    }

    /// The frames from this one on are gone.
    pub fn pop(&mut self, frame: usize) {
        self.cursors.retain(|((other, _), _)| *other < frame);
        self.forget();
    }
}
