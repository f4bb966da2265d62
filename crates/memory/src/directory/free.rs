//! `free`: what a pointer may meet, and how objects and members of families die.

use super::{Directory, Gone, Header, Life};
use crate::Cx;
use crate::branch::{Fault, FaultKind};
use crate::family::Freed;
use mneme_term::{BaseId, BaseKind, TermId, Terms, Value};
use smallvec::SmallVec;
use std::rc::Rc;

/// What `free` of a pointer meets.
#[derive(Clone, Debug)]
pub enum Free {
    /// A null pointer.
    Nothing,
    /// The start of an object that exists.
    Object(BaseId),
    /// The start of the member of a family with this number.
    Member(BaseId, TermId),
    Fault(Fault),
}

impl<T: Clone> Directory<T> {
    /// `free` of a pointer to the start of a live heap object. False: it is not one.
    pub fn free_now(&mut self, base: BaseId, site: u32) -> bool {
        let fits = |header: &Header| {
            header.kind == BaseKind::Heap
                && header.life == Life::Alive
                && header.gone.is_none()
                && header.family.is_none()
        };
        let fits = self.header(base).is_some_and(fits);
        if fits {
            self.free_surely(base, site);
        }
        fits
    }

    /// Frees the object for all inputs for which it exists.
    pub(crate) fn free_surely(&mut self, base: BaseId, site: u32) {
        self.bury(base, |header| {
            header.live(Life::Freed);
            header.freed = site;
        });
    }

    /// Frees the object where `when` holds; it exists there.
    pub fn free_where(&mut self, base: BaseId, when: TermId, site: u32) {
        let entry = self.get_mut(base).expect("a live object is freed");
        Rc::make_mut(entry.header.gone.get_or_insert_default()).push(Gone {
            when,
            life: Life::Freed,
            freed: site,
        });
        entry.header.measure();
    }

    /// Frees members, which exist.
    pub fn free_members(&mut self, base: BaseId, freed: Freed) {
        let header = &mut self.get_mut(base).expect("a live object is freed").header;
        let family = Rc::make_mut(header.family.as_mut().expect("it has members"));
        family.freed.push(freed);
    }

    /// Frees a member where `when` holds; it exists there.
    pub(crate) fn free_member(&mut self, terms: &mut Terms, base: BaseId, when: TermId, member: TermId) {
        let freed = Freed {
            when,
            index: None,
            start: member,
            step: 1,
            count: terms.constant(terms.pointer_width(), 1),
        };
        self.free_members(base, freed);
    }

    /// What `free(p)` can meet, without cases whose guard is literally false.
    pub fn frees(&self, cx: &mut Cx, p: Value) -> SmallVec<[(TermId, Free); 2]> {
        let mut out = SmallVec::new();
        let zero = cx.word_const(0);
        for case in self.cases(cx, p) {
            let fault_at = |kind, offset| {
                Free::Fault(Fault {
                    kind,
                    base: case.base,
                    offset,
                    len: None,
                })
            };
            let fault = |kind| fault_at(kind, case.offset);
            let mut push = |cx: &mut Cx, condition: TermId, way: Free| {
                let guard = cx.terms.and(case.guard, condition);
                if !cx.terms.is_false(guard) {
                    out.push((guard, way));
                }
            };
            let always = cx.terms.tru();
            let at_start = cx.terms.eq(case.offset, zero);
            let elsewhere = cx.terms.not(at_start);
            let Some(base) = case.base else {
                push(cx, at_start, Free::Nothing);
                push(cx, elsewhere, fault(FaultKind::InvalidFree));
                continue;
            };
            let Some(header) = self.header(base).filter(|header| header.kind == BaseKind::Heap) else {
                push(cx, always, fault(FaultKind::InvalidFree));
                continue;
            };
            if let (Life::Alive, Some(family)) = (header.life, &header.family) {
                let (member, inner) = family.split(cx.terms, case.offset);
                let start = cx.terms.eq(inner, zero);
                let known = family.has(cx.terms, member);
                let there = header.there(cx.terms);
                let known = cx.terms.and(known, there);
                let at_start = cx.terms.and(start, known);
                let dead = family.is_freed(cx.terms, member);
                let again = cx.terms.and(at_start, dead);
                push(cx, again, fault_at(FaultKind::DoubleFree, inner));
                let alive = cx.terms.not(dead);
                let right = cx.terms.and(at_start, alive);
                push(cx, right, Free::Member(base, member));
                let elsewhere = cx.terms.not(at_start);
                push(cx, elsewhere, fault_at(FaultKind::InvalidFree, inner));
                continue;
            }
            if header.life == Life::Alive {
                let there = header.there(cx.terms);
                let right = cx.terms.and(at_start, there);
                push(cx, right, Free::Object(base));
                for gone in header.gone() {
                    let again = cx.terms.and(at_start, gone.when);
                    let kind = match gone.life {
                        Life::Unborn => FaultKind::InvalidFree,
                        _ => FaultKind::DoubleFree,
                    };
                    push(cx, again, fault(kind));
                }
            } else {
                push(cx, at_start, fault(FaultKind::DoubleFree));
            }
            push(cx, elsewhere, fault(FaultKind::InvalidFree));
        }
        out
    }
}
