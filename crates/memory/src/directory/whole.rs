//! What models share that keep all bytes of an object in its entry.

use super::Directory;
use crate::contents::Contents;
use crate::pick::{Apart, Join};
use crate::places::{Place, Places, Taken};
use mneme_term::{BaseId, Terms, Tracer};
use std::rc::Rc;

impl Directory<Contents> {
    /// Those of a live object, as resolution names it.
    pub fn contents(&self, base: BaseId) -> &Contents {
        &self.get(base).expect("resolution names live objects").payload
    }

    pub fn contents_mut(&mut self, base: BaseId) -> &mut Contents {
        &mut self.get_mut(base).expect("resolution names live objects").payload
    }

    /// The bytes at `places` and after them, as they are now.
    pub fn take(&self, places: &Places) -> Vec<Taken> {
        let taken = |place: &Place| Taken {
            guard: place.guard,
            from: Rc::new(self.contents(place.base).clone()),
            at: place.offset,
        };
        places.iter().map(taken).collect()
    }

    /// The directory that is `members[i]` where the tree of `join` chooses i, with the bytes of its objects.
    pub fn merge_contents(join: &mut Join, members: &[&Self]) -> Result<Self, Apart> {
        Directory::merge(join, members, &mut |join, entries| {
            let contents: Vec<_> = entries.iter().map(|&(index, entry)| (index, &entry.payload)).collect();
            Contents::merge(join, &contents)
        })
    }

    /// The bases that an object may refer to.
    pub fn references(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        let entry = self.get(base);
        entry.map_or(Vec::new(), |entry| entry.payload.references(terms))
    }

    pub fn trace_contents(&self, tracer: &mut Tracer) {
        self.live().for_each(|entry| entry.payload.trace(tracer));
    }
}
