//! Is E allocated, and which heaplet is it? (Slides "Memory Access" and "Dereferencing with model generation".)
//!
//! `Allocated(E)` is decided under Π, and the answer is every heaplet k that E *may* equal, with the guard E = k, plus
//! the fault where it equals none. (The slides' SMT and model variants ignore Π, say "allocated" where E may be, and
//! return one heaplet.) An access of n bytes is at E, …, E + n − 1; since the bytes of a segment are neighbours, the
//! heaplet of the first says which the others are.
//!
//! Which segments come into question is read off the term E: an address with another base is another heaplet. Unknown
//! answers mean "may".

use super::{AllocCheck, Heaplets};
use crate::contents::Window;
use crate::directory::Header;
use crate::resolve::{Resolution, Resolved, Target};
use crate::{Access, Cx, FaultKind, Heap, Truth};
use mneme_solver::{Query, Spatial};
use mneme_term::{Assignment, BaseId, TermId, Value};
use smallvec::SmallVec;

/// An object is left whole if its heaplets at which an access may begin are more than this, as far as its term says.
const MANY: u64 = 64;
/// And if more than this many models have each named another one.
const SEVERAL: usize = 8;

/// What an access may meet: heaplets, and faults that Π does not exclude.
pub(super) fn resolve(heap: &mut Heap<Heaplets>, cx: &mut Cx, access: &Access) -> Resolution {
    let Resolution { targets, facts } = heap.directory.resolve(cx, access.p, access.len, access.kind);
    if matches!(
        &targets[..],
        [Resolved {
            target: Target::Object {
                offset: Value::Int(_),
                ..
            },
            ..
        }]
    ) {
        // The look-up of the very same expression.
        return Resolution { targets, facts };
    }
    let check = Check {
        heap,
        len: match access.len {
            Value::Int(n) => u32::try_from(n).ok(),
            _ => None,
        },
    };
    let mut out = SmallVec::new();
    for resolved in &targets {
        match &resolved.target {
            Target::Nothing => out.push(resolved.clone()),
            Target::Object {
                offset: Value::Int(_), ..
            } => {
                if check.may(cx, resolved.guard) {
                    out.push(resolved.clone());
                }
            }
            Target::Object { base, offset } => check.heaplets(cx, resolved.guard, *base, *offset, &mut out),
            Target::Fault(fault) => {
                let segment = fault.base.filter(|_| matches!(fault.kind, FaultKind::OutOfBounds(_)));
                let possible = match segment.and_then(|base| check.segment(base)) {
                    Some(bytes) if check.is(AllocCheck::Sl) => {
                        let base = fault.base.expect("it has a segment");
                        let here = whole_case(cx, &targets, base);
                        check.leaves(cx, here, base, fault.offset, bytes)
                    }
                    _ => check.may(cx, resolved.guard),
                };
                if possible {
                    out.push(resolved.clone());
                }
            }
        }
    }
    if out.is_empty() {
        // Π itself is impossible, or the solver contradicts itself: nothing is left out.
        out = targets;
    }
    Resolution { targets: out, facts }
}

/// Where an access is about this base, in bounds or not.
fn whole_case(cx: &mut Cx, targets: &[Resolved], base: BaseId) -> TermId {
    let mut any = cx.terms.fls();
    for resolved in targets {
        let about = match &resolved.target {
            Target::Object { base, .. } => Some(*base),
            Target::Fault(fault) => fault.base,
            Target::Nothing => None,
        };
        if about == Some(base) {
            any = cx.terms.or(any, resolved.guard);
        }
    }
    any
}

struct Check<'a> {
    heap: &'a Heap<Heaplets>,
    /// Bytes of the access, if that is a number.
    len: Option<u32>,
}

impl Check<'_> {
    fn is(&self, check: AllocCheck) -> bool {
        self.heap.model.options.check == check
    }

    /// Whether a condition is possible under Π.
    fn model(&self, cx: &mut Cx, condition: TermId) -> Truth {
        cx.counters.resolution.add("queries", 1);
        cx.may(&self.heap.directory, condition)
    }

    fn may(&self, cx: &mut Cx, condition: TermId) -> bool {
        cx.terms.is_true(condition) || !matches!(self.model(cx, condition), Truth::Never)
    }

    /// The number of bytes of a live segment, if it is one.
    fn segment(&self, base: BaseId) -> Option<u64> {
        let known = |header: &&Header| header.gone().is_empty() && header.family.is_none();
        match self
            .heap
            .directory
            .get(base)
            .map(|entry| &entry.header)
            .filter(known)?
            .size
        {
            Value::Int(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The heaplets at which the access may begin, each under its own guard; or the segment as a whole.
    fn heaplets(&self, cx: &mut Cx, guard: TermId, base: BaseId, offset: Value, out: &mut SmallVec<[Resolved; 2]>) {
        let at = cx.word(offset);
        let room = self.heap.directory.header(base).map_or(0, |header| header.room);
        let window = self.len.map(|n| Window::of(cx.terms, at, n, room));
        let window = window.filter(|window| window.low <= window.high && window.steps() < MANY);
        let found = match window {
            None => None,
            Some(window) if self.is(AllocCheck::Model) => self.by_models(cx, guard, at, window),
            Some(window) => Some(self.one_by_one(cx, guard, base, at, window)),
        };
        let mut push = |guard, offset| {
            let target = Target::Object { base, offset };
            out.push(Resolved { guard, target });
        };
        match found {
            Some(found) => {
                for k in found {
                    let is_k = equals(cx, at, k);
                    push(cx.terms.and(guard, is_k), Value::Int(k));
                }
            }
            None if self.may(cx, guard) => push(guard, offset),
            None => {}
        }
    }

    /// A query for each heaplet: SAT(Π ∧ E = k), or SAT(Π ∧ (k ↦ − ∧ E ↦ −)).
    fn one_by_one(&self, cx: &mut Cx, guard: TermId, base: BaseId, at: TermId, window: Window) -> Vec<u64> {
        let all = (window.low..=window.high).filter(|&k| window.contains(k));
        let mut found = Vec::new();
        for k in all {
            let is_k = equals(cx, at, k);
            let is_k = cx.terms.and(guard, is_k);
            if cx.terms.is_false(is_k) {
                continue;
            }
            let possible = match self.is(AllocCheck::Sl) {
                true => {
                    let address = self.heap.bases().concrete_address(base).wrapping_add(k);
                    self.separation(cx, guard, base, at, Spatial::Same(address))
                }
                false => self.may(cx, is_k),
            };
            if possible {
                found.push(k);
            }
        }
        found
    }

    /// Each model names a heaplet, until none is left. `None`: there are several, or the solver does not know.
    fn by_models(&self, cx: &mut Cx, guard: TermId, at: TermId, window: Window) -> Option<Vec<u64>> {
        let mut found = Vec::new();
        let mut rest = guard;
        while !cx.terms.is_false(rest) {
            let model = match self.model(cx, rest) {
                Truth::Never => break,
                Truth::Unknown(_) => return None,
                Truth::Sometimes(model) => model,
            };
            let k = self.value(cx, at, &model);
            debug_assert!(window.contains(k), "the guard keeps the access inside of the segment");
            if found.len() == SEVERAL {
                return None;
            }
            found.push(k);
            let is_k = equals(cx, at, k);
            let other = cx.terms.not(is_k);
            rest = cx.terms.and(rest, other);
        }
        found.sort_unstable();
        Some(found)
    }

    fn value(&self, cx: &Cx, term: TermId, model: &Assignment) -> u64 {
        let address = |base| self.heap.bases().concrete_address(base);
        cx.terms.eval_u64(term, &model.with_addresses(&address))
    }

    /// SAT(Π ∧ Σ * E ↦ −) for the first or the last byte of the access.
    fn leaves(&self, cx: &mut Cx, guard: TermId, base: BaseId, at: TermId, bytes: u64) -> bool {
        let start = self.heap.bases().concrete_address(base);
        let segment: Vec<u64> = (0..bytes).map(|k| start.wrapping_add(k)).collect();
        let last = self.len.map_or(0, |n| u64::from(n.saturating_sub(1)));
        let ends = if last == 0 { vec![0] } else { vec![0, last] };
        ends.into_iter().any(|byte| {
            let byte = cx.word_const(byte);
            let e = cx.terms.add(at, byte);
            self.separation(cx, guard, base, e, Spatial::Apart(&segment))
        })
    }

    /// Asks the solver of separation logic about E = base + offset.
    fn separation(&self, cx: &mut Cx, guard: TermId, base: BaseId, offset: TermId, spatial: Spatial) -> bool {
        cx.counters.resolution.add("queries", 1);
        let query = Query {
            assumptions: cx.path.clauses(),
            goal: guard,
            bases: &self.heap.directory,
            hint: None,
        };
        let e = cx.terms.pointer(base, offset);
        let separation = &self.heap.model.separation;
        separation.may(cx.terms, &query, e, spatial, cx.budget).unwrap_or(true)
    }
}

fn equals(cx: &mut Cx, at: TermId, k: u64) -> TermId {
    let k = cx.word_const(k);
    cx.terms.eq(at, k)
}
