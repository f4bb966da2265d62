//! Which objects exist: address, size, kind and life of every base, with a payload that belongs to the model.
//!
//! Headers are never removed: a dead object keeps only its header, so that a stale pointer is recognised as such.
//! Faults of bounds, life and `free` are decided here and in `resolve`.
//!
//! An object may be dead for some inputs only ([`Gone`]): freed through a pointer to one of several objects, or on one
//! of the paths that were merged. Such an object is kept, and every access to it asks for which inputs it still exists.

mod free;
mod header;
mod join;
mod whole;

use crate::branch::{AccessKind, Branch, Branches, End, Fault, FaultKind, Reason};
use crate::cx::NO_SITE;
use crate::family::{Family, Many};
use crate::shadow::{Shade, TooManyMarks};
use crate::{Cx, Heap, Layout, Model, ObjectInfo, Pages, Truth, largest_symbolic};
use mneme_solver::{BaseTable, Extent};
use mneme_term::{BaseId, BaseInfo, BaseKind, TermId, Terms, Value};
use smallvec::SmallVec;
use std::rc::Rc;

pub use free::Free;
pub use header::{Alloc, Death, Gone, Header, Init, Life};

/// A live object.
#[derive(Clone, Debug)]
pub struct Entry<T> {
    pub header: Header,
    pub payload: T,
}

#[derive(Clone, Debug)]
enum Object<T> {
    Live(Rc<Entry<T>>),
    Dead(Rc<Header>),
}

#[derive(Clone, Debug)]
pub struct Directory<T> {
    objects: Pages<Object<T>>,
    /// How many objects each site has made on this path.
    counts: Pages<u32>,
    layout: Layout,
    pointer_width: u32,
}

impl<T: Clone> Default for Directory<T> {
    fn default() -> Self {
        Directory::new(64)
    }
}

impl<T: Clone> Directory<T> {
    pub fn new(pointer_width: u32) -> Self {
        Directory {
            objects: Pages::default(),
            counts: Pages::default(),
            layout: Layout::new(pointer_width),
            pointer_width,
        }
    }

    pub fn pointer_width(&self) -> u32 {
        self.pointer_width
    }

    /// A bound of a size on the path: the object gets this much of the address space, and no access may go beyond.
    pub fn room(&self, cx: &mut Cx, size: Value) -> u64 {
        const STEPS: [u64; 7] = [1 << 4, 1 << 6, 1 << 9, 1 << 12, 1 << 16, 1 << 20, 1 << 24];
        let size = match size {
            Value::Int(n) => return n,
            _ => cx.word(size),
        };
        let (_, most) = cx.terms.range(size);
        for step in STEPS.into_iter().filter(|&step| step < most) {
            let limit = cx.word_const(step);
            let above = cx.terms.ult(limit, size);
            if matches!(cx.may(self, above), Truth::Never) {
                return step;
            }
        }
        most.min(largest_symbolic(cx.terms.pointer_width()))
    }

    /// Adds an object of at most `room` bytes; `payload` makes the model's part of it. `None`: the address space is
    /// full.
    pub fn add(
        &mut self,
        terms: &mut Terms,
        what: Alloc,
        room: u64,
        payload: impl FnOnce(BaseId, &Header) -> T,
    ) -> Option<BaseId> {
        let address = match self.layout.place(what.kind, room, what.align) {
            Some(address) => address,
            None => {
                self.recycle(what.kind);
                self.layout.place(what.kind, room, what.align)?
            }
        };
        let n = match self.counts.get_mut(what.site) {
            Some(count) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.insert(what.site, 0);
                0
            }
        };
        let base = terms.base_id(BaseInfo {
            kind: what.kind,
            site: what.site,
            align: what.align,
            n,
        });
        let header = Header {
            address,
            size: what.size,
            kind: what.kind,
            site: what.site,
            init: what.init,
            life: Life::Alive,
            freed: NO_SITE,
            constant: what.kind == BaseKind::Function,
            exposed: false,
            pinned: false,
            round: 0,
            room,
            reach: if let Value::Int(size) = what.size { size } else { 0 },
            shadow: None,
            gone: None,
            family: None,
        };
        let payload = payload(base, &header);
        let live = Object::Live(Rc::new(Entry { header, payload }));
        self.objects.insert(base.0, live);
        Some(base)
    }

    /// Releases the addresses of dead objects. Pointers to them stay stale, since a pointer names its base.
    #[cold]
    fn recycle(&mut self, kind: BaseKind) {
        let keeps =
            |header: &&Header| header.kind == kind && (header.life == Life::Alive || header.exposed || header.pinned);
        let range = |header: &Header| (header.address, header.address + header.room);
        let kept = self
            .headers()
            .map(|(_, header)| header)
            .filter(keeps)
            .map(range)
            .collect();
        self.layout.recycle(kind, self.pointer_width, kept);
    }

    /// A live object.
    #[inline]
    pub fn get(&self, base: BaseId) -> Option<&Entry<T>> {
        match self.objects.get(base.0)? {
            Object::Live(entry) => Some(entry),
            Object::Dead(_) => None,
        }
    }

    #[inline]
    pub fn get_mut(&mut self, base: BaseId) -> Option<&mut Entry<T>> {
        match self.objects.get_mut(base.0)? {
            Object::Live(entry) => Some(Rc::make_mut(entry)),
            Object::Dead(_) => None,
        }
    }

    /// Does an object share its entry with the same object of another directory? Then neither was changed since.
    pub fn shares(&self, other: &Self, base: BaseId) -> bool {
        match (self.objects.get(base.0), other.objects.get(base.0)) {
            (Some(Object::Live(one)), Some(Object::Live(other))) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }

    pub fn header(&self, base: BaseId) -> Option<&Header> {
        self.objects.get(base.0).map(Object::header)
    }

    fn header_mut(&mut self, base: BaseId) -> Option<&mut Header> {
        self.objects.get_mut(base.0).map(|object| match object {
            Object::Live(entry) => &mut Rc::make_mut(entry).header,
            Object::Dead(header) => Rc::make_mut(header),
        })
    }

    /// Objects dead and alive.
    pub fn headers(&self) -> impl Iterator<Item = (BaseId, &Header)> {
        self.objects
            .iter()
            .map(|(base, object)| (BaseId(base), object.header()))
    }

    pub fn live(&self) -> impl Iterator<Item = &Entry<T>> {
        self.objects.iter().filter_map(|(_, object)| match object {
            Object::Live(entry) => Some(&**entry),
            Object::Dead(_) => None,
        })
    }

    pub fn alive(&self, kind: BaseKind) -> Vec<BaseId> {
        let live = |header: &Header| header.kind == kind && header.life == Life::Alive;
        let objects = self.headers().filter(|(_, header)| live(header));
        objects.map(|(base, _)| base).collect()
    }

    pub fn expose(&mut self, base: BaseId) -> u64 {
        match self.header(base) {
            Some(header) if header.exposed => header.address,
            Some(_) => {
                let header = self.header_mut(base).expect("just seen");
                header.exposed = true;
                header.address
            }
            None => 0,
        }
    }

    pub fn pin(&mut self, base: BaseId) {
        if self.header(base).is_some_and(|header| !header.pinned) {
            self.header_mut(base).expect("just seen").pinned = true;
        }
    }

    pub fn protect(&mut self, base: BaseId) {
        if let Some(header) = self.header_mut(base) {
            header.constant = true;
        }
    }

    /// An object dies: only its header is left.
    fn bury(&mut self, base: BaseId, change: impl FnOnce(&mut Header)) {
        let Some(object) = self.objects.get_mut(base.0) else {
            return;
        };
        let mut header = object.header().clone();
        change(&mut header);
        *object = Object::Dead(Rc::new(header));
    }

    /// A stack object dies.
    pub fn end(&mut self, base: BaseId, death: Death) {
        self.bury(base, |header| header.live(Life::Ended(death)));
    }

    /// Makes a new base stand for many objects.
    pub fn make_family(&mut self, base: BaseId, many: Many, shift: u32) {
        let header = &mut self.get_mut(base).expect("just made").header;
        header.family = Some(Rc::new(Family::new(many.count, shift)));
        header.measure();
    }

    /// The path implies that the object exists.
    pub fn settle(&mut self, base: BaseId) {
        let guarded = |entry: &Entry<T>| entry.header.gone.is_some();
        if self.get(base).is_some_and(guarded) {
            let header = &mut self.get_mut(base).expect("just seen").header;
            header.gone = None;
            header.measure();
        }
    }

    /// The life of an object that nothing has accessed begins later.
    pub fn postpone(&mut self, base: BaseId) {
        self.bury(base, |header| header.live(Life::Unborn));
    }

    /// The lifetime of an object begins (again), with a new payload.
    pub fn begin(&mut self, base: BaseId, payload: impl FnOnce(&Header) -> T) -> Option<&Header> {
        let object = self.objects.get_mut(base.0)?;
        let mut header = object.header().clone();
        header.live(Life::Alive);
        header.round += 1;
        let payload = payload(&header);
        *object = Object::Live(Rc::new(Entry { header, payload }));
        Some(object.header())
    }

    /// The live objects that `p` may belong to.
    pub fn object(&self, cx: &mut Cx, p: Value) -> SmallVec<[(TermId, End<ObjectInfo>); 1]> {
        let mut out = SmallVec::new();
        for case in self.cases(cx, p) {
            let header = case.base.and_then(|base| self.header(base));
            let fault = |kind| {
                End::Fault(Fault {
                    kind,
                    base: case.base,
                    offset: case.offset,
                    len: None,
                })
            };
            let mut push = |cx: &Cx, guard: TermId, end| {
                if !cx.terms.is_false(guard) {
                    out.push((guard, end));
                }
            };
            match (case.base, header) {
                (Some(base), Some(header)) if header.life == Life::Alive => {
                    for gone in header.gone() {
                        let stale = cx.terms.and(case.guard, gone.when);
                        push(cx, stale, fault(gone.life.stale(AccessKind::Read)));
                    }
                    let there = header.there(cx.terms);
                    let mut there = cx.terms.and(case.guard, there);
                    let (mut offset, mut start) = (case.offset, Value::Ptr { base, offset: 0 });
                    if let Some(family) = &header.family {
                        let (member, inner) = family.split(cx.terms, case.offset);
                        let (known, freed) = (family.has(cx.terms, member), family.is_freed(cx.terms, member));
                        let unknown = cx.terms.not(known);
                        let nowhere = cx.terms.and(there, unknown);
                        push(cx, nowhere, fault(FaultKind::Wild(AccessKind::Read)));
                        there = cx.terms.and(there, known);
                        let stale = cx.terms.and(there, freed);
                        push(cx, stale, fault(FaultKind::UseAfterFree(AccessKind::Read)));
                        let alive = cx.terms.not(freed);
                        there = cx.terms.and(there, alive);
                        let distance = cx.terms.member(member, family.shift);
                        let member = cx.terms.pointer(base, distance);
                        (offset, start) = (inner, cx.terms.to_value(member));
                    }
                    let info = ObjectInfo {
                        base,
                        start,
                        offset: cx.terms.to_value(offset),
                        size: header.size,
                    };
                    push(cx, there, End::Done(info));
                }
                (_, header) => {
                    let kind = header.map_or(FaultKind::Null(AccessKind::Read), |header| {
                        header.life.stale(AccessKind::Read)
                    });
                    push(cx, case.guard, fault(kind));
                }
            };
        }
        out
    }

    pub fn clean(&mut self, base: BaseId) {
        if self.header(base).is_some_and(|header| header.shadow.is_some()) {
            self.get_mut(base).expect("just seen").header.shade(None);
        }
    }

    /// Marks bytes of a live object.
    pub(crate) fn mark(
        &mut self,
        cx: &mut Cx,
        base: BaseId,
        offset: Value,
        len: Value,
        shade: Shade,
    ) -> Result<(), Reason> {
        let header = &mut self.get_mut(base).expect("resolution names objects that exist").header;
        let mut shadow = header.shadow.as_deref().cloned().unwrap_or_default();
        let marked = shadow.mark(cx, shade, offset, len);
        marked.map_err(|TooManyMarks| {
            Reason::Unsupported("many poisoned places of one object at symbolic offsets".into())
        })?;
        header.shade((!shadow.is_clean()).then(|| Rc::new(shadow)));
        Ok(())
    }
}

impl<T> Object<T> {
    fn header(&self) -> &Header {
        match self {
            Object::Live(entry) => &entry.header,
            Object::Dead(header) => header,
        }
    }
}

/// Adds a branch unless its guard is literally false.
pub(crate) fn push<M: Model, T>(
    terms: &Terms,
    out: &mut Branches<M, T>,
    guard: TermId,
    make: impl FnOnce() -> (Heap<M>, End<T>),
) {
    if !terms.is_false(guard) {
        let (memory, end) = make();
        out.push(Branch {
            guard,
            facts: None,
            memory,
            end,
        });
    }
}

impl<T: Clone> BaseTable for Directory<T> {
    fn address(&self, terms: &mut Terms, b: BaseId) -> TermId {
        let width = terms.pointer_width();
        terms.constant(width, self.concrete_address(b))
    }

    fn concrete_address(&self, b: BaseId) -> u64 {
        self.header(b).map_or(0, |header| header.address)
    }

    fn extent(&self, terms: &mut Terms, b: BaseId) -> Extent {
        let size = self.header(b).map_or(Value::ZERO, |header| header.size);
        let width = terms.pointer_width();
        Extent {
            size: terms.of_value(size, width),
            capacity: self.header(b).map_or(0, |header| header.room),
        }
    }

    fn is_alive(&self, b: BaseId) -> bool {
        self.header(b).is_some_and(|header| header.life == Life::Alive)
    }

    fn layout(&self, _terms: &mut Terms, _bases: &[BaseId]) -> Vec<TermId> {
        Vec::new()
    }
}
