//! Context-based resolution (thesis §3.2.3.3). The context of an object is the instruction that allocated it and the k
//! calls around it. An instruction remembers the contexts of the objects that it was found to refer to; the next time,
//! only objects of these contexts are queried one by one, and one more query asks whether there are others. If there
//! are, all of them are queried.

use super::Objects;
use super::options::{Options, Resolve};
use crate::places::{Place, Places};
use crate::{Cx, Heap, Pages, Truth};
use mneme_term::{BaseId, TermId};
use rustc_hash::FxHasher;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub(super) struct Contexts {
    /// How many calls are part of a context.
    calls: usize,
    /// The contexts of objects, if calls matter; otherwise an object's context is its allocation site. A hash collision
    /// only costs a query.
    of: Pages<u64>,
    /// The contexts that each instruction was found to refer to, on any path of the run.
    learned: Rc<RefCell<BTreeMap<u64, BTreeSet<u64>>>>,
}

impl Contexts {
    pub(super) fn new(options: &Options) -> Contexts {
        let calls = match options.resolve {
            Resolve::DynamicSegments => options.contexts as usize,
            _ => 0,
        };
        Contexts {
            calls,
            ..Contexts::default()
        }
    }

    /// Whether allocations must record their callers.
    pub(super) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    pub(super) fn enter(&mut self, cx: &Cx, base: BaseId, site: u32) {
        if self.has_calls() {
            let mut hasher = FxHasher::default();
            (site, cx.calls.innermost(self.calls)).hash(&mut hasher);
            self.of.insert(base.0, hasher.finish());
        }
    }
}

impl Heap<Objects> {
    fn context(&self, place: &Place) -> Option<u64> {
        let site = || Some(self.directory.header(place.base)?.site as u64);
        self.model.contexts.of.get(place.base.0).copied().or_else(site)
    }

    fn learn(&self, at: u64, found: &Places) {
        let contexts = found.iter().filter_map(|place| self.context(place));
        let mut learned = self.model.contexts.learned.borrow_mut();
        learned.entry(at).or_default().extend(contexts);
    }

    /// The places that the path allows, as far as that is easy to determine.
    pub(super) fn possible(&self, cx: &mut Cx, places: Places) -> Places {
        let places = match self.by_context(cx, places) {
            Ok(found) => return found,
            Err(places) => places,
        };
        let found: Places = places.into_iter().filter(|place| self.may(cx, place.guard)).collect();
        self.learn(cx.at, &found);
        found
    }

    fn by_context(&self, cx: &mut Cx, places: Places) -> Result<Places, Places> {
        let learned = self.model.contexts.learned.borrow();
        let Some(learned) = learned.get(&cx.at) else {
            return Err(places);
        };
        let met = |place: &Place| self.context(place).is_some_and(|context| learned.contains(&context));
        if !places.iter().any(met) {
            return Err(places);
        }
        cx.counters.resolution.add("by_context", 1);
        let mut another = cx.terms.fls();
        for place in places.iter().filter(|place| !met(place)) {
            another = cx.terms.or(another, place.guard);
        }
        if !cx.terms.is_false(another) && self.may(cx, another) {
            cx.counters.resolution.add("context_misses", 1);
            return Err(places);
        }
        let found = places
            .into_iter()
            .filter(|place| met(place) && self.may(cx, place.guard));
        Ok(found.collect())
    }

    fn may(&self, cx: &mut Cx, guard: TermId) -> bool {
        cx.counters.resolution.add("queries", 1);
        !matches!(cx.may_briefly(&self.directory, guard), Truth::Never)
    }
}
