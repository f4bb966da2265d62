//! What a pointer may refer to.
//!
//! Candidates come from the term, not from the address space: the leaves of the pointer's if-then-else and table nodes.
//! A leaf without a base is a plain integer: it refers to what an equality of the path condition says (`p == &a`), then
//! to an object whose address the program has seen or that the integer is made of; otherwise it is null or wild.

use crate::branch::{AccessKind, Fault, FaultKind};
use crate::directory::{Directory, Header, Life};
use crate::{Cx, Truth};
use mneme_solver::BaseTable;
use mneme_term::{BaseId, Case, Op, TermId, Value};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// One possibility; guards are disjoint and cover the path.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub guard: TermId,
    pub target: Target,
}

/// What an access may meet.
#[derive(Debug, Clone, Default)]
pub struct Resolution {
    pub targets: SmallVec<[Resolved; 2]>,
    /// As of [`crate::Branch`].
    pub facts: Option<TermId>,
}

#[derive(Debug, Clone)]
pub enum Target {
    /// The access lies inside this live object.
    Object {
        base: BaseId,
        offset: Value,
    },
    Fault(Fault),
    /// No byte is accessed.
    Nothing,
}

/// What an access checks in addition to bounds and life.
#[derive(Copy, Clone, PartialEq)]
enum Heed {
    Poison,
    Nothing,
}

/// Accesses below this address are reported as null dereferences (a field of a structure at null).
const NULL_PAGE: u64 = 4096;

impl<T: Clone> Directory<T> {
    pub(crate) fn cases(&self, cx: &mut Cx, p: Value) -> SmallVec<[Case; 2]> {
        let tru = cx.terms.tru();
        let leaves: SmallVec<[Case; 2]> = match p {
            Value::Ptr { base, offset } => {
                return smallvec![Case {
                    guard: tru,
                    base: Some(base),
                    offset: cx.word_const(offset)
                }];
            }
            Value::Int(n) => smallvec![Case {
                guard: tru,
                base: None,
                offset: cx.word_const(n)
            }],
            Value::Term(t) => cx.terms.cases(t).iter().cloned().collect(),
            Value::Undef => unreachable!("the engine names undefined values before they reach memory"),
        };
        let mut out = SmallVec::new();
        for leaf in leaves {
            match leaf.base {
                Some(_) => out.push(leaf),
                None => self.integer(cx, leaf, &mut out),
            }
        }
        if out.len() > 1 {
            cx.counters.resolution.add("multiple", 1);
        }
        out
    }

    /// A leaf that is a plain integer.
    fn integer(&self, cx: &mut Cx, leaf: Case, out: &mut SmallVec<[Case; 2]>) {
        let mut push = |cx: &mut Cx, guard: TermId, base: Option<BaseId>, offset: TermId| {
            if !cx.terms.is_false(guard) {
                out.push(Case { guard, base, offset });
            }
        };
        if let Some(equal) = equal_pointer(cx, leaf.offset) {
            for case in cx.terms.cases(equal).iter() {
                let guard = cx.terms.and(leaf.guard, case.guard);
                push(cx, guard, case.base, case.offset);
            }
            return;
        }
        // Bytes of pointers, combined so that no pointer is visible any more, may still make the address of the objects
        // they come from.
        let mut named: SmallVec<[BaseId; 2]> = match cx.terms.has_base(leaf.offset) {
            true => cx.terms.bases(leaf.offset).iter().copied().collect(),
            false => SmallVec::new(),
        };
        let symbols = cx.terms.symbols(leaf.offset);
        let computed_from = cx.seen.iter().filter(|seen| symbols.contains(&seen.shift));
        named.extend(computed_from.map(|seen| seen.base));
        let address = self.lower(cx, leaf.offset);
        let mut rest = leaf.guard;
        for (base, header) in self
            .headers()
            .filter(|(base, header)| header.exposed || named.contains(base))
        {
            let start = cx.number(base, header.address);
            let mut offset = cx.terms.sub(address, start);
            // One past the end belongs to the object: the gap keeps it from belonging to another.
            let size = match &header.family {
                Some(_) => cx.word_const(header.room),
                None => cx.word(header.size),
            };
            let here = cx.terms.ule(offset, size);
            if let Some(family) = &header.family {
                offset = family.point(cx.terms, offset);
            }
            let guard = cx.terms.and(rest, here);
            push(cx, guard, Some(base), offset);
            let elsewhere = cx.terms.not(here);
            rest = cx.terms.and(rest, elsewhere);
            if cx.terms.is_false(rest) {
                return;
            }
        }
        push(cx, rest, None, address);
    }

    /// `t` with every base replaced by its address.
    fn lower(&self, cx: &mut Cx, t: TermId) -> TermId {
        if !cx.terms.has_base(t) {
            return t;
        }
        let bases = cx.terms.bases(t).to_vec();
        let mut map = FxHashMap::default();
        for base in bases {
            let from = cx.terms.base(base);
            let to = cx.number(base, self.concrete_address(base));
            map.insert(from, to);
        }
        cx.terms.substitute_map(t, &map)
    }

    /// Where an access of `len` bytes through `p` goes.
    pub fn resolve(&self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Resolution {
        Resolution {
            targets: self.resolve_heeding(cx, p, len, kind, Heed::Poison),
            facts: None,
        }
    }

    /// The same for code that only asks where `p` points.
    pub(crate) fn resolve_through_poison(&self, cx: &mut Cx, p: Value, len: Value) -> SmallVec<[Resolved; 2]> {
        self.resolve_heeding(cx, p, len, AccessKind::Read, Heed::Nothing)
    }

    fn resolve_heeding(
        &self,
        cx: &mut Cx,
        p: Value,
        len: Value,
        kind: AccessKind,
        heed: Heed,
    ) -> SmallVec<[Resolved; 2]> {
        let tru = cx.terms.tru();
        if len == Value::Int(0) {
            return smallvec![Resolved {
                guard: tru,
                target: Target::Nothing
            }];
        }
        if let (Value::Ptr { base, offset }, Value::Int(n)) = (p, len)
            && let Some(header) = self.header(base)
            && header.reaches(offset, n)
            && !(header.constant && kind == AccessKind::Write)
        {
            return smallvec![Resolved {
                guard: tru,
                target: Target::Object {
                    base,
                    offset: Value::Int(offset)
                }
            }];
        }
        let mut resolving = Resolving::new(cx, len, kind, heed);
        for case in self.cases(cx, p) {
            let object = case.base.and_then(|base| Some((base, self.header(base)?)));
            match object {
                None => resolving.number(cx, &case),
                Some((_, header)) if header.life != Life::Alive => {
                    resolving.fail(cx, &case, case.guard, header.life.stale(kind), case.offset);
                }
                Some((base, header)) => resolving.live(cx, self, &case, base, header),
            }
        }
        resolving.finish(cx)
    }
}

/// What an access was found to meet so far.
struct Resolving {
    len: Value,
    len_term: TermId,
    kind: AccessKind,
    heed: Heed,
    /// No byte is accessed, or some are.
    empty: TermId,
    some: TermId,
    /// Where it is in order because no byte is accessed.
    nothing: TermId,
    out: SmallVec<[Resolved; 2]>,
}

impl Resolving {
    fn new(cx: &mut Cx, len: Value, kind: AccessKind, heed: Heed) -> Resolving {
        let (len_term, zero) = (cx.word(len), cx.word_const(0));
        let empty = cx.terms.eq(len_term, zero);
        Resolving {
            len,
            len_term,
            kind,
            heed,
            empty,
            some: cx.terms.not(empty),
            nothing: cx.terms.fls(),
            out: SmallVec::new(),
        }
    }

    fn finish(mut self, cx: &mut Cx) -> SmallVec<[Resolved; 2]> {
        self.push(cx, self.nothing, Target::Nothing);
        self.out
    }

    fn push(&mut self, cx: &mut Cx, guard: TermId, target: Target) {
        if !cx.terms.is_false(guard) {
            self.out.push(Resolved { guard, target });
        }
    }

    fn fault(&mut self, cx: &mut Cx, case: &Case, guard: TermId, kind: FaultKind, offset: TermId) {
        let fault = Fault {
            kind,
            base: case.base,
            offset,
            len: Some(self.len_term),
        };
        self.push(cx, guard, Target::Fault(fault));
    }

    /// Nothing is wrong where `guard` holds and no byte is accessed.
    fn skip(&mut self, cx: &mut Cx, guard: TermId) {
        let skipped = cx.terms.and(guard, self.empty);
        self.nothing = cx.terms.or(self.nothing, skipped);
    }

    /// Any byte that is accessed where `guard` holds is a fault.
    fn fail(&mut self, cx: &mut Cx, case: &Case, guard: TermId, kind: FaultKind, offset: TermId) {
        let accessed = cx.terms.and(guard, self.some);
        self.fault(cx, case, accessed, kind, offset);
        self.skip(cx, guard);
    }

    /// A number that is the address of no object.
    fn number(&mut self, cx: &mut Cx, case: &Case) {
        let limit = cx.word_const(NULL_PAGE);
        let null = cx.terms.ult(case.offset, limit);
        let accessed = cx.terms.and(case.guard, self.some);
        let at_null = cx.terms.and(accessed, null);
        self.fault(cx, case, at_null, FaultKind::Null(self.kind), case.offset);
        let not_null = cx.terms.not(null);
        let wild = cx.terms.and(accessed, not_null);
        self.fault(cx, case, wild, FaultKind::Wild(self.kind), case.offset);
        self.skip(cx, case.guard);
    }

    /// An object that is alive, at least for some inputs.
    fn live<T: Clone>(&mut self, cx: &mut Cx, directory: &Directory<T>, case: &Case, base: BaseId, header: &Header) {
        let kind = self.kind;
        let mut here = case.guard;
        for gone in header.gone() {
            let stale = cx.terms.and(case.guard, gone.when);
            self.fail(cx, case, stale, gone.life.stale(kind), case.offset);
            let there = cx.terms.not(gone.when);
            here = cx.terms.and(here, there);
        }
        let size = cx.word(header.size);
        // Where in which member of a family; any other object is its own only member.
        let (at, is_member) = match &header.family {
            Some(family) => {
                let (member, inner) = family.split(cx.terms, case.offset);
                let is_member = family.has(cx.terms, member);
                let freed = family.is_freed(cx.terms, member);
                let freed = cx.terms.and(is_member, freed);
                let stale = cx.terms.and(here, freed);
                self.fail(cx, case, stale, FaultKind::UseAfterFree(kind), inner);
                let there = cx.terms.not(freed);
                here = cx.terms.and(here, there);
                (inner, cx.terms.or(self.empty, is_member))
            }
            None => (case.offset, cx.terms.tru()),
        };
        let inside = match (cx.terms.as_const(case.offset), self.len) {
            // No size that the object can have reaches so far.
            (Some(at), Value::Int(n)) if at.checked_add(n).is_none_or(|end| end > header.room) => cx.terms.fls(),
            _ => in_bounds(cx, at, self.len_term, size),
        };
        let inside = cx.terms.and(inside, is_member);
        let mut good = cx.terms.and(here, inside);
        let flat = cx.terms.flatten_members(case.offset);
        if let (Some(shadow), Heed::Poison) = (&header.shadow, self.heed) {
            let poisoned = shadow.touches(cx, flat, self.len_term);
            let touched = cx.terms.and(good, poisoned);
            self.fault(cx, case, touched, FaultKind::Poisoned(kind), at);
            let clean = cx.terms.not(poisoned);
            good = cx.terms.and(good, clean);
        }
        if header.constant && kind == AccessKind::Write {
            let written = cx.terms.and(good, self.some);
            self.fault(cx, case, written, FaultKind::WriteToConstant, at);
            self.skip(cx, here);
        } else {
            let bounded = directory.bounded(cx, case.guard, flat);
            let offset = cx.terms.to_value(bounded);
            self.push(cx, good, Target::Object { base, offset });
        }
        let outside = cx.terms.not(inside);
        let bad = cx.terms.and(here, outside);
        self.fault(cx, case, bad, FaultKind::OutOfBounds(kind), at);
    }
}

impl<T: Clone> Directory<T> {
    /// An offset that the terms know not to wrap, if the path implies that: an index of pointer width times the size of
    /// a record is a multiple of that size only if the product does not wrap (`mneme_term::Strided`).
    fn bounded(&self, cx: &mut Cx, guard: TermId, offset: TermId) -> TermId {
        let width = cx.terms.pointer_width();
        let mut map = FxHashMap::default();
        for index in cx.terms.wrapping_factors(offset) {
            let low = cx.terms.extract(index, 0, width / 2);
            let small = cx.terms.sext(low, width);
            let differs = cx.terms.ne(index, small);
            let condition = cx.terms.and(guard, differs);
            if matches!(cx.may_briefly(self, condition), Truth::Never) {
                map.insert(index, small);
            }
        }
        match map.is_empty() {
            true => offset,
            false => cx.terms.substitute_map(offset, &map),
        }
    }
}

/// `len == 0`, or all of `[offset, offset + len)` within `[0, size)`.
fn in_bounds(cx: &mut Cx, offset: TermId, len: TermId, size: TermId) -> TermId {
    let fits = cx.terms.ule(len, size);
    let last = cx.terms.sub(size, len);
    let starts = cx.terms.ule(offset, last);
    let inside = cx.terms.and(fits, starts);
    let zero = cx.word_const(0);
    let empty = cx.terms.eq(len, zero);
    cx.terms.or(empty, inside)
}

/// A pointer that the path condition makes equal to `t`: some clause is `t + c == pointer`, however the sum is written.
fn equal_pointer(cx: &mut Cx, t: TermId) -> Option<TermId> {
    if cx.terms.as_const(t).is_some() {
        return None;
    }
    for &clause in cx.path.clauses() {
        if cx.terms.op(clause) != Op::Eq || !cx.terms.has_base(clause) {
            continue;
        }
        let [a, b] = *cx.terms.children(clause) else { continue };
        if cx.terms.width(a) != cx.terms.pointer_width() {
            continue;
        }
        for (x, y) in [(a, b), (b, a)] {
            let distance = cx.terms.sub(t, x);
            if cx.terms.as_const(distance).is_some() && cx.terms.cases(y).iter().any(|case| case.base.is_some()) {
                return Some(cx.terms.add(y, distance));
            }
        }
    }
    None
}
