//! Shadow memory: which bytes of a live object the program has declared out of bounds for now.
//!
//! A custom allocator poisons memory that it has not handed out (`mneme_poison`, `ASAN_POISON_MEMORY_REGION`). The
//! shadow of an object is a set of ranges while everything is concrete, followed by the list of marks from the first
//! symbolic one on. It is exact to the byte. Models share it: it is part of the object's header, and `resolve` consults
//! it. An object without poison has none.

use crate::Cx;
use mneme_term::{TermId, Tracer, Value};

/// What a mark does to its bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shade {
    Poisoned,
    Clean,
}

/// The most marks at symbolic places: each clean one doubles the conditions of an access.
const MOST_MARKS: usize = 10;

#[derive(Clone, PartialEq, Debug)]
struct Mark {
    shade: Shade,
    /// Both pointer-wide.
    start: Value,
    end: Value,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Shadow {
    /// Poisoned bytes, as disjoint half-open ranges in order.
    ranges: Vec<(u64, u64)>,
    /// Newer than the ranges, oldest first; begins with a symbolic one.
    marks: Vec<Mark>,
}

/// There are too many marks at symbolic places.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TooManyMarks;

impl Shadow {
    /// Marks `len` bytes at `offset`, which lie in the object.
    pub fn mark(&mut self, cx: &mut Cx, shade: Shade, offset: Value, len: Value) -> Result<(), TooManyMarks> {
        if let (Value::Int(start), Value::Int(len), true) = (offset, len, self.marks.is_empty()) {
            self.mark_range(shade, start, start + len);
            return Ok(());
        }
        if self.marks.len() >= MOST_MARKS {
            return Err(TooManyMarks);
        }
        let (start, len) = (cx.word(offset), cx.word(len));
        let end = cx.terms.add(start, len);
        self.marks.push(Mark {
            shade,
            start: cx.terms.to_value(start),
            end: cx.terms.to_value(end),
        });
        Ok(())
    }

    fn mark_range(&mut self, shade: Shade, start: u64, end: u64) {
        if start == end {
            return;
        }
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut grown = (start, end);
        for &(from, to) in &self.ranges {
            match shade {
                // Ranges that touch are joined.
                Shade::Poisoned if from <= end && start <= to => grown = (grown.0.min(from), grown.1.max(to)),
                Shade::Poisoned => ranges.push((from, to)),
                Shade::Clean => {
                    ranges.extend((from < start.min(to)).then_some((from, start.min(to))));
                    ranges.extend((end.max(from) < to).then_some((end.max(from), to)));
                }
            }
        }
        if shade == Shade::Poisoned {
            ranges.push(grown);
            ranges.sort_unstable();
        }
        self.ranges = ranges;
    }

    pub fn is_clean(&self) -> bool {
        self.ranges.is_empty() && self.marks.is_empty()
    }

    /// Whether one of the `len` bytes at `offset` is poisoned. They lie in the object.
    pub fn touches(&self, cx: &mut Cx, offset: TermId, len: TermId) -> TermId {
        let end = cx.terms.add(offset, len);
        self.any(cx, offset, end, self.marks.len())
    }

    /// Whether a byte in `[start, end)` is poisoned by the ranges and the first `marks` marks.
    fn any(&self, cx: &mut Cx, start: TermId, end: TermId, marks: usize) -> TermId {
        let empty = cx.terms.ule(end, start);
        if cx.terms.is_true(empty) {
            return cx.terms.fls();
        }
        let Some(mark) = marks.checked_sub(1).map(|last| &self.marks[last]) else {
            let mut found = cx.terms.fls();
            for &(from, to) in &self.ranges {
                let (from, to) = (cx.word_const(from), cx.word_const(to));
                let here = meets(cx, (start, end), (from, to));
                found = cx.terms.or(found, here);
            }
            return found;
        };
        let (from, to) = (cx.word(mark.start), cx.word(mark.end));
        match mark.shade {
            Shade::Poisoned => {
                let here = meets(cx, (start, end), (from, to));
                let before = self.any(cx, start, end, marks - 1);
                cx.terms.or(here, before)
            }
            // What remains on both sides.
            Shade::Clean => {
                let (left, right) = (least(cx, end, from), greatest(cx, start, to));
                let left = self.any(cx, start, left, marks - 1);
                let right = self.any(cx, right, end, marks - 1);
                cx.terms.or(left, right)
            }
        }
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        for mark in &self.marks {
            tracer.value(mark.start);
            tracer.value(mark.end);
        }
    }
}

/// Whether two half-open ranges have a byte in common; either may be empty.
fn meets(cx: &mut Cx, a: (TermId, TermId), b: (TermId, TermId)) -> TermId {
    let start = greatest(cx, a.0, b.0);
    let end = least(cx, a.1, b.1);
    cx.terms.ult(start, end)
}

fn least(cx: &mut Cx, a: TermId, b: TermId) -> TermId {
    let less = cx.terms.ule(a, b);
    cx.terms.ite(less, a, b)
}

fn greatest(cx: &mut Cx, a: TermId, b: TermId) -> TermId {
    let less = cx.terms.ule(a, b);
    cx.terms.ite(less, b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::Objects;
    use crate::planes_naive::PlanesNaive;
    use crate::testing::Bench;
    use crate::{End, FaultKind, Init, Model};
    use mneme_term::BaseKind;

    #[test]
    fn concrete_marks_are_a_set_of_ranges() {
        let mut shadow = Shadow::default();
        let mut set = [false; 32];
        // Every start and length in turn, alternately poisoned and clean: the ranges agree with a set of bytes.
        for step in 0..200u64 {
            let (start, len) = (step * 7 % 32, step * 5 % 11);
            let end = (start + len).min(32);
            let shade = if step % 3 == 0 { Shade::Clean } else { Shade::Poisoned };
            shadow.mark_range(shade, start, end);
            (start..end).for_each(|byte| set[byte as usize] = shade == Shade::Poisoned);
            let poisoned = |byte: u64| shadow.ranges.iter().any(|&(from, to)| (from..to).contains(&byte));
            for byte in 0..32 {
                assert_eq!(poisoned(byte), set[byte as usize], "byte {byte} after step {step}");
            }
            let apart = |pair: &[(u64, u64)]| pair[0].1 < pair[1].0;
            assert!(shadow.ranges.windows(2).all(apart), "{:?}", shadow.ranges);
        }
    }

    /// Poison at a symbolic place, a clean hole in it at another: each byte is poisoned exactly where it should be.
    fn symbolic_marks_are_exact<M: Model>() {
        let mut bench: Bench<M> = Bench::new(64);
        let a = bench.alloc(BaseKind::Heap, 16, Init::Zero);
        let (i, j) = (bench.symbol("i", 64), bench.symbol("j", 64));
        bench.below(i, 9);
        bench.below(j, 13);
        let (p, q) = (bench.at(a, i), bench.at(a, j));
        bench.done(|memory, cx| memory.mark(cx, p, Value::Int(8), Shade::Poisoned));
        bench.done(|memory, cx| memory.mark(cx, q, Value::Int(4), Shade::Clean));
        assert_eq!(bench.memory.fast_load(a, 0, 1), None, "no fast path past poison");
        for (at, i_is, j_is, bad) in [
            (0, 0, 8, true),
            (0, 0, 0, false),
            (3, 0, 0, false),
            (4, 0, 0, true),
            (9, 1, 5, false),
        ] {
            let wanted = |bench: &mut Bench<M>, t, n| {
                let n = bench.word(n);
                bench.terms.eq(t, n)
            };
            let (first, second) = (wanted(&mut bench, i, i_is), wanted(&mut bench, j, j_is));
            let case = bench.terms.and(first, second);
            let branches = bench.with(|memory, cx| memory.load(cx, Value::Ptr { base: a, offset: at }, 1));
            for branch in branches {
                let faulty = matches!(&branch.end, End::Fault(fault) if matches!(fault.kind, FaultKind::Poisoned(_)));
                let both = bench.terms.and(case, branch.guard);
                assert_eq!(bench.may(both), faulty == bad, "byte {at} with i = {i_is}, j = {j_is}");
            }
        }
    }

    #[test]
    fn symbolic_marks_are_exact_in_every_model() {
        symbolic_marks_are_exact::<Objects>();
        symbolic_marks_are_exact::<PlanesNaive>();
    }

    #[test]
    fn an_object_without_poison_is_as_before() {
        let mut bench: Bench<Objects> = Bench::new(64);
        let a = bench.alloc(BaseKind::Heap, 16, Init::Zero);
        let p = Value::Ptr { base: a, offset: 8 };
        bench.done(|memory, cx| memory.mark(cx, p, Value::Int(8), Shade::Poisoned));
        assert_eq!(bench.memory.fast_load(a, 0, 1), None);
        assert_eq!(bench.load_at(a, 0, 8), Value::Int(0), "the rest can be read");
        bench.done(|memory, cx| memory.mark(cx, p, Value::Int(8), Shade::Clean));
        assert_eq!(bench.memory.fast_load(a, 8, 1), Some(Value::Int(0)));
    }
}
