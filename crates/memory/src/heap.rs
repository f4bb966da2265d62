//! The heap: everything the engine sees of memory, the same for every model.
//!
//! It owns, in one place, what models share: which objects exist, their sizes and lives, bounds, poison, exposure,
//! `free`, and the faults that follow from them. Bytes belong to the model. Operations that may branch consume the heap
//! and return one heap per branch.

use crate::branch::{AccessKind, Branch, Branches, End, Reason};
use crate::directory::{Alloc, Death, Directory, Free, Header, Life, push};
use crate::family::{self, Freed, Many};
use crate::model::{Access, Group, Model, Spread};
use crate::places::{Place, Places};
use crate::resolve::{Resolution, Resolved, Target};
use crate::{Apart, Cx, Join, ObjectInfo, Shade, Source};
use mneme_solver::BaseTable;
use mneme_term::{BaseId, BaseKind, SymbolId, TermId, Terms, Tracer, Value};
use smallvec::smallvec;

/// Objects of more room are written up to their size only.
const WHOLE_ROOM: u64 = 1 << 16;

#[derive(Clone, Debug)]
pub struct Heap<M: Model> {
    pub directory: Directory<M::Payload>,
    pub model: M,
}

impl<M: Model> Default for Heap<M> {
    fn default() -> Self {
        Heap {
            directory: Directory::default(),
            model: M::default(),
        }
    }
}

impl<M: Model> Heap<M> {
    pub fn new(pointer_width: u32, options: &M::Options) -> Self {
        Heap {
            directory: Directory::new(pointer_width),
            model: M::new(options),
        }
    }

    // ---- concrete accesses

    /// The value at a concrete place, if that needs no branch and builds no term.
    #[inline(always)]
    pub fn fast_load(&self, base: BaseId, offset: u64, n: u32) -> Option<Value> {
        let entry = self.directory.get(base)?;
        if !entry.header.reaches(offset, n.into()) {
            return None;
        }
        self.model.fast_load(&entry.payload, offset, n)
    }

    /// Stores at a concrete place if that needs no branch and builds no term; false: nothing happened.
    #[inline(always)]
    pub fn fast_store(&mut self, base: BaseId, offset: u64, n: u32, value: Value) -> bool {
        let Some(entry) = self.directory.get_mut(base) else {
            return false;
        };
        let in_order = !entry.header.constant && entry.header.reaches(offset, n.into());
        in_order && self.model.fast_store(&mut entry.payload, offset, n, value)
    }

    // ---- life

    fn add(&mut self, terms: &mut Terms, what: Alloc, room: u64) -> Option<BaseId> {
        let width = self.directory.pointer_width();
        let payload = |base, header: &Header| self.model.payload(base, header, width);
        self.directory.add(terms, what, room, payload)
    }

    /// Like `alloc`, if there is only one outcome: no branch is built. `None`: use `alloc`.
    pub fn fast_alloc(&mut self, terms: &mut Terms, what: Alloc) -> Option<BaseId> {
        match what.size {
            Value::Int(len) if self.model.births().is_none() => self.add(terms, what, len),
            _ => None,
        }
    }

    pub fn alloc(mut self, cx: &mut Cx, what: Alloc) -> Branches<M, Value> {
        let room = self.directory.room(cx, what.size);
        let Some(base) = self.add(cx.terms, what, room) else {
            let full = End::Stop(Reason::Limit("the address space is full"));
            return Branches::only(cx.terms, self, full);
        };
        if let Some(born) = self.model.births() {
            born(&mut self, cx, base);
        }
        Branches::only(cx.terms, self, End::Done(Value::Ptr { base, offset: 0 }))
    }

    /// Like `free` of a pointer to the start of `base`, at `site`. False: nothing was done, use `free`.
    pub fn fast_free(&mut self, base: BaseId, site: u32) -> bool {
        self.directory.free_now(base, site)
    }

    /// `free(p)`.
    pub fn free(self, cx: &mut Cx, p: Value) -> Branches<M, ()> {
        M::free(self, cx, p)
    }

    /// `free(p)` with one branch per object.
    pub fn free_each(mut self, cx: &mut Cx, p: Value) -> Branches<M, ()> {
        if let Value::Ptr { base, offset: 0 } = p
            && self.fast_free(base, cx.site)
        {
            return Branches::only(cx.terms, self, End::Done(()));
        }
        let mut out = Branches::new();
        for (guard, way) in self.directory.frees(cx, p) {
            let mut heap = self.clone();
            let end = match way {
                Free::Nothing => End::Done(()),
                Free::Fault(fault) => End::Fault(fault),
                Free::Object(base) => {
                    heap.directory.free_surely(base, cx.site);
                    End::Done(())
                }
                Free::Member(base, member) => {
                    let always = cx.terms.tru();
                    heap.directory.free_member(cx.terms, base, always, member);
                    End::Done(())
                }
            };
            push(cx.terms, &mut out, guard, || (heap, end));
        }
        out
    }

    /// `free(p)` with one branch for everything that is valid: which object is gone depends on the inputs.
    pub fn free_any(mut self, cx: &mut Cx, p: Value) -> Branches<M, ()> {
        if let Value::Ptr { base, offset: 0 } = p
            && self.fast_free(base, cx.site)
        {
            return Branches::only(cx.terms, self, End::Done(()));
        }
        let mut out = Branches::new();
        let ways = self.directory.frees(cx, p);
        let orderly = |way: &Free| !matches!(way, Free::Fault(_));
        let alone = ways.iter().filter(|(_, way)| orderly(way)).count() == 1;
        let mut freed = self.clone();
        let mut good = cx.terms.fls();
        for (guard, way) in ways {
            match way {
                Free::Fault(fault) => {
                    push(cx.terms, &mut out, guard, || (self.clone(), End::Fault(fault)));
                    continue;
                }
                Free::Nothing => {}
                // The branch's guard implies it.
                Free::Object(base) if alone => freed.directory.free_surely(base, cx.site),
                Free::Object(base) => freed.directory.free_where(base, guard, cx.site),
                Free::Member(base, member) => freed.directory.free_member(cx.terms, base, guard, member),
            }
            good = cx.terms.or(good, guard);
        }
        push(cx.terms, &mut out, good, || (freed, End::Done(())));
        out
    }

    /// A stack object dies: its function returned, or its scope ended.
    pub fn end(&mut self, base: BaseId, death: Death) {
        self.directory.end(base, death);
    }

    /// An object that was just made is not there until [`Heap::begin`]: it has a base, an address and a size, so that
    /// pointers to it can be made and compared, and no bytes.
    pub fn postpone(&mut self, base: BaseId) {
        self.directory.postpone(base);
    }

    /// The lifetime of a stack object, or of one that was postponed, begins (again): it is alive and uninitialised.
    pub fn begin(&mut self, base: BaseId) {
        let width = self.directory.pointer_width();
        let payload = |header: &Header| self.model.payload(base, header, width);
        self.directory.begin(base, payload);
    }

    // ---- accesses

    /// The outcomes of an access: `act` does the work at places that share a branch, where the access is valid.
    fn access<T>(
        mut self,
        cx: &mut Cx,
        access: Access,
        nothing: impl Fn() -> T,
        mut act: impl FnMut(&mut Cx, &mut Heap<M>, &Places) -> T,
    ) -> Branches<M, T> {
        let Resolution { targets, facts } = M::resolve(&mut self, cx, &access);
        let (mut places, mut out) = (Places::new(), Branches::new());
        for Resolved { guard, target } in targets {
            match target {
                Target::Object { base, offset } => places.push(Place {
                    guard,
                    base,
                    offset,
                    piece: None,
                }),
                Target::Fault(fault) => push(cx.terms, &mut out, guard, || (self.clone(), End::Fault(fault))),
                Target::Nothing => push(cx.terms, &mut out, guard, || (self.clone(), End::Done(nothing()))),
            }
        }
        if places.is_empty() {
            return out.with_facts(cx.terms, facts);
        }
        let mut groups = M::gather(&mut self, cx, &access, places);
        let last = groups.pop();
        let mut follow = |cx: &mut Cx, mut heap: Heap<M>, group: Group| {
            if cx.terms.is_false(group.guard) {
                return;
            }
            if let Some(base) = group.sole {
                heap.directory.settle(base);
            }
            let value = act(cx, &mut heap, &group.places);
            push(cx.terms, &mut out, group.guard, || (heap, End::Done(value)));
        };
        for group in groups {
            follow(cx, self.clone(), group);
        }
        if let Some(group) = last {
            follow(cx, self, group);
        }
        out.with_facts(cx.terms, facts)
    }

    fn change(
        self,
        cx: &mut Cx,
        p: Value,
        len: Value,
        act: impl FnMut(&mut Cx, &mut Heap<M>, &Places),
    ) -> Branches<M, ()> {
        let kind = AccessKind::Write;
        self.access(cx, Access { p, len, kind }, || (), act)
    }

    pub fn load(self, cx: &mut Cx, p: Value, n: u32) -> Branches<M, Value> {
        let (len, kind) = (Value::Int(n.into()), AccessKind::Read);
        let nothing = || unreachable!("a load has at least one byte");
        self.access(cx, Access { p, len, kind }, nothing, |cx, heap, places| {
            M::read(heap, cx, places, n)
        })
    }

    pub fn store(self, cx: &mut Cx, p: Value, n: u32, value: Value) -> Branches<M, ()> {
        let act = |cx: &mut Cx, heap: &mut Heap<M>, places: &Places| M::write(heap, cx, places, n, value);
        self.change(cx, p, Value::Int(n.into()), act)
    }

    fn spread(self, cx: &mut Cx, p: Value, len: Value, what: &Spread<M::Snapshot>) -> Branches<M, ()> {
        self.change(cx, p, len, |cx, heap, places| {
            let len = heap.spread_length(places, len, what);
            M::spread(heap, cx, places, len, what);
        })
    }

    /// Writing all bytes of an object may as well write its whole room: what is beyond its size is never read, and no
    /// byte then depends on the size.
    fn spread_length(&self, places: &Places, len: Value, what: &Spread<M::Snapshot>) -> Value {
        let [place] = &places[..] else { return len };
        match (what, place.offset, self.directory.header(place.base)) {
            (Spread::Symbol(_) | Spread::Byte(_), Value::Int(0), Some(header))
                if matches!(len, Value::Term(_))
                    && place.piece.is_none()
                    && header.family.is_none()
                    && header.size == len
                    && header.room <= WHOLE_ROOM =>
            {
                Value::Int(header.room)
            }
            _ => len,
        }
    }

    /// memmove: the ranges may overlap. `len` has pointer width.
    pub fn copy(self, cx: &mut Cx, dst: Value, src: Value, len: Value) -> Branches<M, ()> {
        let mut out = Branches::new();
        let mut read = Vec::new();
        let kind = AccessKind::Read;
        let take = |cx: &mut Cx, heap: &mut Heap<M>, places: &Places| {
            read.push(M::snapshot(heap, cx, places));
            Some(read.len() - 1)
        };
        for source in self.access(cx, Access { p: src, len, kind }, || None, take) {
            let end = match source.end {
                End::Done(Some(number)) => {
                    let copied = source.memory.spread(cx, dst, len, &Spread::Copy(&read[number]));
                    out.extend_under(cx.terms, source.guard, source.facts, copied);
                    continue;
                }
                End::Done(None) => End::Done(()),
                End::Fault(fault) => End::Fault(fault),
                End::Stop(reason) => End::Stop(reason),
            };
            out.push(Branch {
                guard: source.guard,
                facts: source.facts,
                memory: source.memory,
                end,
            });
        }
        out
    }

    /// memset. `byte` has width 8.
    pub fn fill(self, cx: &mut Cx, dst: Value, byte: Value, len: Value) -> Branches<M, ()> {
        self.spread(cx, dst, len, &Spread::Byte(byte))
    }

    /// The `len` bytes at `p` become `source`.
    pub fn make_symbolic(self, cx: &mut Cx, p: Value, len: Value, source: Source) -> Branches<M, ()> {
        match source {
            Source::Bits(symbol) => {
                let value = cx.terms.symbol(symbol);
                let n = cx.terms.width(value) / 8;
                self.store(cx, p, n, Value::Term(value))
            }
            Source::Bytes(symbol) => self.spread(cx, p, len, &Spread::Symbol(symbol)),
        }
    }

    /// Whether an access of `len` bytes at `p` is valid. Changes nothing.
    pub fn check(self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Branches<M, ()> {
        self.access(cx, Access { p, len, kind }, || (), |_, _, _| ())
    }

    /// Poisons or unpoisons the `len` bytes at `p`, which must be in a live object.
    pub fn mark(self, cx: &mut Cx, p: Value, len: Value, shade: Shade) -> Branches<M, ()> {
        let mut out = Branches::new();
        for Resolved { guard, target } in self.directory.resolve_through_poison(cx, p, len) {
            let mut marked = self.clone();
            let end = match target {
                Target::Nothing => End::Done(()),
                Target::Fault(fault) => End::Fault(fault),
                Target::Object { base, offset } => match marked.directory.mark(cx, base, offset, len, shade) {
                    Ok(()) => End::Done(()),
                    Err(reason) => End::Stop(reason),
                },
            };
            push(cx.terms, &mut out, guard, || (marked, end));
        }
        out
    }

    /// Removes all poison of the object.
    pub fn clean(&mut self, base: BaseId) {
        self.directory.clean(base);
    }

    /// The live object that `p` belongs to.
    pub fn object(self, cx: &mut Cx, p: Value) -> Branches<M, ObjectInfo> {
        let mut out = Branches::new();
        for (guard, end) in self.directory.object(cx, p) {
            let mut memory = self.clone();
            if let End::Done(info) = &end {
                memory.directory.settle(info.base);
            }
            push(cx.terms, &mut out, guard, || (memory, end));
        }
        out
    }

    // ---- objects just made

    /// Concrete bytes of an object just made (initialisers of globals, arguments); no checks.
    pub fn init_bytes(&mut self, cx: &mut Cx, base: BaseId, offset: u64, bytes: &[u8]) {
        let (places, len) = (place(cx, base, offset), Value::Int(bytes.len() as u64));
        M::spread(self, cx, &places, len, &Spread::Bytes(bytes));
    }

    /// A value of `n` bytes in an object just made; no checks.
    pub fn init_value(&mut self, cx: &mut Cx, base: BaseId, offset: u64, n: u32, value: Value) {
        let places = place(cx, base, offset);
        M::write(self, cx, &places, n, value);
    }

    /// All `room` bytes of an object just made are those of an array; no checks.
    pub fn init_symbol(&mut self, cx: &mut Cx, base: BaseId, room: u64, symbol: SymbolId) {
        let (places, len) = (place(cx, base, 0), Value::Int(room));
        M::spread(self, cx, &places, len, &Spread::Symbol(symbol));
    }

    /// Makes the object read-only from now on.
    pub fn protect(&mut self, base: BaseId) {
        self.directory.protect(base);
    }

    // ---- addresses

    /// The program looks at the address of `base`: it may come back as a plain integer.
    pub fn expose(&mut self, base: BaseId) -> u64 {
        self.directory.expose(base)
    }

    /// Something on the path now depends on the address of `base`.
    pub fn pin(&mut self, base: BaseId) {
        self.directory.pin(base);
    }

    pub fn bases(&self) -> &dyn BaseTable {
        &self.directory
    }

    // ---- loops

    /// Makes many objects at once, all as `what` says. They have one base, whose header says how far apart they are.
    /// `None`: the address space is full. Only for models with families ([`crate::Loops::families`]), like the next
    /// three.
    pub fn alloc_many(&mut self, cx: &mut Cx, what: Alloc, many: Many) -> Option<BaseId> {
        let shift = family::shift(self.directory.room(cx, what.size))?;
        let base = self.add(cx.terms, what, many.most.checked_mul(1 << shift)?)?;
        self.directory.make_family(base, many, shift);
        Some(base)
    }

    /// What `free(p)` can meet.
    pub fn frees(&self, cx: &mut Cx, p: Value) -> Vec<(TermId, Free)> {
        self.directory.frees(cx, p).into_vec()
    }

    /// Frees members of a family, which exist.
    pub fn free_members(&mut self, base: BaseId, freed: Freed) {
        self.directory.free_members(base, freed);
    }

    /// Frees an object where `when` holds; it exists there.
    pub fn free_where(&mut self, base: BaseId, when: TermId, site: u32) {
        self.directory.free_where(base, when, site);
    }

    // ---- questions about one object

    /// Its size in bytes, of pointer width.
    pub fn size(&self, base: BaseId) -> Option<Value> {
        self.header(base).map(|header| header.size)
    }

    pub fn is_alive(&self, base: BaseId) -> bool {
        self.header(base).is_some_and(|header| header.life == Life::Alive)
    }

    /// Is it a variable whose scope has ended?
    pub fn is_out_of_scope(&self, base: BaseId) -> bool {
        self.header(base)
            .is_some_and(|header| header.kind == BaseKind::Stack && header.life == Life::Ended(Death::Scope))
    }

    /// Has the program seen its address as a number?
    pub fn is_exposed(&self, base: BaseId) -> bool {
        self.header(base).is_some_and(|header| header.exposed)
    }

    /// All that is known about it, in order to describe it.
    pub fn header(&self, base: BaseId) -> Option<&Header> {
        self.directory.header(base)
    }

    // ---- as a whole

    /// The live objects of a kind.
    pub fn alive(&self, kind: BaseKind) -> Vec<BaseId> {
        self.directory.alive(kind)
    }

    /// The bases that the contents of an object may refer to.
    pub fn references(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        M::references(self, terms, base)
    }

    /// Does a live object certainly hold what it holds in another heap? `false`: nothing is known.
    pub fn is_unchanged(&self, other: &Self, base: BaseId) -> bool {
        M::is_unchanged(self, other, base)
    }

    /// The heap that is `members[i]` where the tree of `join` chooses i.
    pub fn merge(join: &mut Join, members: &[&Self]) -> Result<Self, Apart> {
        M::merge(join, members)
    }

    /// Traces the terms it holds.
    pub fn trace(&self, tracer: &mut Tracer) {
        self.directory.headers().for_each(|(_, header)| header.trace(tracer));
        self.model.trace(&self.directory, tracer);
    }
}

/// A concrete place, without conditions.
fn place(cx: &Cx, base: BaseId, offset: u64) -> Places {
    smallvec![Place {
        guard: cx.terms.tru(),
        base,
        offset: Value::Int(offset),
        piece: None,
    }]
}

/// All that is known.
fn both(terms: &mut Terms, one: Option<TermId>, other: Option<TermId>) -> Option<TermId> {
    match (one, other) {
        (Some(one), Some(other)) => Some(terms.and(one, other)),
        (one, other) => one.or(other),
    }
}

impl<M: Model, T> Branches<M, T> {
    /// The only possible outcome.
    pub fn only(terms: &Terms, memory: Heap<M>, end: End<T>) -> Self {
        let mut out = Branches::new();
        push(terms, &mut out, terms.tru(), || (memory, end));
        out
    }

    fn with_facts(mut self, terms: &mut Terms, facts: Option<TermId>) -> Self {
        if facts.is_some() {
            self.iter_mut()
                .for_each(|branch| branch.facts = both(terms, branch.facts, facts));
        }
        self
    }

    /// Adds what can happen where `guard` holds, and `facts` are known.
    fn extend_under(&mut self, terms: &mut Terms, guard: TermId, facts: Option<TermId>, branches: Branches<M, T>) {
        for mut branch in branches {
            branch.guard = terms.and(guard, branch.guard);
            branch.facts = both(terms, facts, branch.facts);
            if !terms.is_false(branch.guard) {
                self.push(branch);
            }
        }
    }
}
