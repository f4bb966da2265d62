//! Which objects exist: address, size, kind and life of every base, with a payload that is the model's own.
//!
//! Entries are never removed: a dead object keeps its header, so that a stale pointer is recognised for what it is. Faults of bounds,
//! life and `free` are decided here and in `resolve`, once for all models that keep one entry for each base.

use crate::branch::{AccessKind, Branch, Branches, End, Fault, FaultKind, Reason};
use crate::cx::NO_SITE;
use crate::resolve::Target;
use crate::shadow::{Shade, Shadow, TooManyMarks};
use crate::{Cx, Layout, ObjectInfo, Pages};
use mneme_solver::{BaseTable, Extent};
use mneme_term::{BaseId, BaseInfo, BaseKind, TermId, Terms, Tracer, Value};
use smallvec::SmallVec;
use std::rc::Rc;

/// A request for an object.
#[derive(Copy, Clone, Debug)]
pub struct Alloc {
    pub kind: BaseKind,
    /// Bytes, pointer width.
    pub size: Value,
    pub align: u64,
    /// Where in the program; the n-th object of a site on a path has the same base on every path.
    pub site: u32,
    pub init: Init,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Init {
    Zero,
    /// Every byte is a fresh symbol of kind *uninit*.
    Undefined,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Life {
    Alive,
    Freed,
    Ended(Death),
}

/// How a stack object died.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Death {
    Return,
    Scope,
}

#[derive(Clone, Debug)]
pub struct Header {
    pub address: u64,
    /// Bytes, pointer width.
    pub size: Value,
    pub kind: BaseKind,
    pub site: u32,
    pub life: Life,
    /// The site of the call that freed it.
    pub freed: u32,
    pub constant: bool,
    /// The program has seen its address as a number.
    pub exposed: bool,
    /// How often its lifetime has begun again.
    pub round: u32,
    /// How many bytes from its start can be accessed without looking any further: its size while it is alive and nothing is poisoned.
    pub(crate) reach: u64,
    pub(crate) shadow: Option<Rc<Shadow>>,
}

impl Header {
    fn live(&mut self, life: Life) {
        self.life = life;
        self.shade(None);
    }

    fn shade(&mut self, shadow: Option<Rc<Shadow>>) {
        self.shadow = shadow;
        self.reach = match (self.life, self.size, &self.shadow) {
            (Life::Alive, Value::Int(size), None) => size,
            _ => 0,
        };
    }

    /// Whether `n` bytes at `offset` are among those that need no further look.
    #[inline]
    pub(crate) fn reaches(&self, offset: u64, n: u64) -> bool {
        n <= self.reach && offset <= self.reach - n
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        tracer.value(self.size);
        if let Some(shadow) = &self.shadow {
            shadow.trace(tracer);
        }
    }

    /// What an access to a dead object is called.
    pub fn stale(&self, kind: AccessKind) -> FaultKind {
        match self.life {
            Life::Alive => FaultKind::OutOfBounds(kind),
            Life::Freed => FaultKind::UseAfterFree(kind),
            Life::Ended(Death::Return) => FaultKind::UseAfterReturn(kind),
            Life::Ended(Death::Scope) => FaultKind::UseAfterScope(kind),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Entry<T> {
    pub header: Header,
    pub payload: T,
}

#[derive(Clone, Debug)]
pub struct Directory<T> {
    entries: Pages<Rc<Entry<T>>>,
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
            entries: Pages::default(),
            counts: Pages::default(),
            layout: Layout::new(pointer_width),
            pointer_width,
        }
    }

    pub fn pointer_width(&self) -> u32 {
        self.pointer_width
    }

    /// Adds an object; `payload` makes the model's part of it. `None`: the address space is full.
    pub fn add(&mut self, terms: &mut Terms, what: Alloc, payload: impl FnOnce(BaseId) -> T) -> Option<BaseId> {
        let bytes = match what.size {
            Value::Int(n) => n,
            _ => return None,
        };
        let address = self.layout.place(what.kind, bytes, what.align)?;
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
            life: Life::Alive,
            freed: NO_SITE,
            constant: what.kind == BaseKind::Function,
            exposed: false,
            round: 0,
            reach: bytes,
            shadow: None,
        };
        self.entries.insert(
            base.0,
            Rc::new(Entry {
                header,
                payload: payload(base),
            }),
        );
        Some(base)
    }

    #[inline]
    pub fn get(&self, base: BaseId) -> Option<&Entry<T>> {
        self.entries.get(base.0).map(|entry| &**entry)
    }

    #[inline]
    pub fn get_mut(&mut self, base: BaseId) -> Option<&mut Entry<T>> {
        self.entries.get_mut(base.0).map(Rc::make_mut)
    }

    pub fn header(&self, base: BaseId) -> Option<&Header> {
        self.get(base).map(|entry| &entry.header)
    }

    pub fn iter(&self) -> impl Iterator<Item = (BaseId, &Entry<T>)> {
        self.entries.iter().map(|(base, entry)| (BaseId(base), &**entry))
    }

    pub fn alive(&self, kind: BaseKind) -> Vec<BaseId> {
        let live = |header: &Header| header.kind == kind && header.life == Life::Alive;
        self.iter()
            .filter(|(_, entry)| live(&entry.header))
            .map(|(base, _)| base)
            .collect()
    }

    pub fn expose(&mut self, base: BaseId) -> u64 {
        match self.get(base) {
            Some(entry) if entry.header.exposed => entry.header.address,
            Some(_) => {
                let header = &mut self.get_mut(base).expect("just seen").header;
                header.exposed = true;
                header.address
            }
            None => 0,
        }
    }

    pub fn protect(&mut self, base: BaseId) {
        if let Some(entry) = self.get_mut(base) {
            entry.header.constant = true;
        }
    }

    /// A stack object dies; the caller may drop its payload.
    pub fn end(&mut self, base: BaseId, death: Death) -> Option<&mut Entry<T>> {
        let entry = self.get_mut(base)?;
        entry.header.live(Life::Ended(death));
        Some(entry)
    }

    /// A lifetime begins (again); the caller renews the payload.
    pub fn begin(&mut self, base: BaseId) -> Option<&mut Entry<T>> {
        let entry = self.get_mut(base)?;
        entry.header.live(Life::Alive);
        entry.header.round += 1;
        Some(entry)
    }

    /// The live objects that `p` may belong to.
    pub fn object(&self, cx: &mut Cx, p: Value) -> SmallVec<[(TermId, End<ObjectInfo>); 1]> {
        let mut out = SmallVec::new();
        for case in self.cases(cx, p) {
            let header = case.base.and_then(|base| self.header(base));
            let end = match (case.base, header) {
                (Some(base), Some(header)) if header.life == Life::Alive => End::Done(ObjectInfo {
                    base,
                    offset: cx.terms.to_value(case.offset),
                    size: header.size,
                }),
                (base, header) => {
                    let kind = header.map_or(FaultKind::Null(AccessKind::Read), |header| {
                        header.stale(AccessKind::Read)
                    });
                    End::Fault(Fault {
                        kind,
                        base,
                        offset: case.offset,
                        len: None,
                    })
                }
            };
            out.push((case.guard, end));
        }
        out
    }

    pub fn clean(&mut self, base: BaseId) {
        if self.header(base).is_some_and(|header| header.shadow.is_some()) {
            self.get_mut(base).expect("just seen").header.shade(None);
        }
    }

    /// What marking `len` bytes at `p` can do. `M` is built around the new directory by `wrap`.
    pub fn mark<M>(
        self,
        cx: &mut Cx,
        p: Value,
        len: Value,
        shade: Shade,
        wrap: impl Fn(Directory<T>) -> M,
    ) -> Branches<M, ()> {
        let mut out = Branches::new();
        for resolved in self.resolve_through_poison(cx, p, len) {
            let mut marked = self.clone();
            let end = match resolved.target {
                Target::Nothing => End::Done(()),
                Target::Fault(fault) => End::Fault(fault),
                Target::Object { base, offset } => {
                    let header = &mut marked
                        .get_mut(base)
                        .expect("resolution names objects that exist")
                        .header;
                    let mut shadow = header.shadow.as_deref().cloned().unwrap_or_default();
                    match shadow.mark(cx, shade, offset, len) {
                        Ok(()) => {
                            header.shade((!shadow.is_clean()).then(|| Rc::new(shadow)));
                            End::Done(())
                        }
                        Err(TooManyMarks) => {
                            let what = "many poisoned places of one object at symbolic offsets";
                            End::Stop(Reason::Unsupported(what.into()))
                        }
                    }
                }
            };
            push(cx.terms, &mut out, resolved.guard, || (wrap(marked), end));
        }
        out
    }

    /// What `free(p)` can do; `drop` is told the payload of the dead object. `M` is built around the new directory by `wrap`.
    pub fn free<M>(
        self,
        cx: &mut Cx,
        p: Value,
        drop: impl Fn(&mut T),
        wrap: impl Fn(Directory<T>) -> M,
    ) -> Branches<M, ()> {
        if let Value::Ptr { base, offset: 0 } = p
            && self
                .header(base)
                .is_some_and(|header| header.kind == BaseKind::Heap && header.life == Life::Alive)
        {
            let mut freed = self;
            let entry = freed.get_mut(base).expect("it has a header");
            entry.header.live(Life::Freed);
            entry.header.freed = cx.site;
            drop(&mut entry.payload);
            return only(cx.terms, wrap(freed), End::Done(()));
        }
        let mut out = Branches::new();
        for case in self.cases(cx, p) {
            let Some(base) = case.base else {
                let zero = cx.word_const(0);
                let null = cx.terms.eq(case.offset, zero);
                let is_null = cx.terms.and(case.guard, null);
                push(cx.terms, &mut out, is_null, || (wrap(self.clone()), End::Done(())));
                let not_null = cx.terms.not(null);
                let wild = cx.terms.and(case.guard, not_null);
                let fault = Fault {
                    kind: FaultKind::InvalidFree,
                    base: None,
                    offset: case.offset,
                    len: None,
                };
                push(cx.terms, &mut out, wild, || (wrap(self.clone()), End::Fault(fault)));
                continue;
            };
            let Some(header) = self.header(base) else {
                let fault = Fault {
                    kind: FaultKind::InvalidFree,
                    base: None,
                    offset: case.offset,
                    len: None,
                };
                push(cx.terms, &mut out, case.guard, || {
                    (wrap(self.clone()), End::Fault(fault))
                });
                continue;
            };
            let fault = |kind| {
                End::Fault(Fault {
                    kind,
                    base: Some(base),
                    offset: case.offset,
                    len: None,
                })
            };
            if header.kind != BaseKind::Heap {
                push(cx.terms, &mut out, case.guard, || {
                    (wrap(self.clone()), fault(FaultKind::InvalidFree))
                });
                continue;
            }
            let zero = cx.word_const(0);
            let at_start = cx.terms.eq(case.offset, zero);
            let right = cx.terms.and(case.guard, at_start);
            if header.life == Life::Alive {
                push(cx.terms, &mut out, right, || {
                    let mut freed = self.clone();
                    let entry = freed.get_mut(base).expect("it has a header");
                    entry.header.live(Life::Freed);
                    entry.header.freed = cx.site;
                    drop(&mut entry.payload);
                    (wrap(freed), End::Done(()))
                });
            } else {
                push(cx.terms, &mut out, right, || {
                    (wrap(self.clone()), fault(FaultKind::DoubleFree))
                });
            }
            let inside = cx.terms.not(at_start);
            let interior = cx.terms.and(case.guard, inside);
            push(cx.terms, &mut out, interior, || {
                (wrap(self.clone()), fault(FaultKind::InvalidFree))
            });
        }
        out
    }
}

/// Adds a branch unless its guard is literally false.
pub(crate) fn push<M, T>(terms: &Terms, out: &mut Branches<M, T>, guard: TermId, make: impl FnOnce() -> (M, End<T>)) {
    if !terms.is_false(guard) {
        let (memory, end) = make();
        out.push(Branch { guard, memory, end });
    }
}

/// The only thing that can happen.
pub(crate) fn only<M, T>(terms: &Terms, memory: M, end: End<T>) -> Branches<M, T> {
    let mut out = Branches::new();
    out.push(Branch {
        guard: terms.tru(),
        memory,
        end,
    });
    out
}

pub(crate) fn out_of_addresses<M, T>(terms: &Terms, memory: M) -> Branches<M, T> {
    only(terms, memory, End::Stop(Reason::Limit("the address space is full")))
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
            capacity: if let Value::Int(n) = size { n } else { u64::MAX },
        }
    }

    fn layout(&self, _terms: &mut Terms, _bases: &[BaseId]) -> Vec<TermId> {
        Vec::new()
    }
}
