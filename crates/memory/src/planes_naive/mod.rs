//! The `planes-naive` model: segment-offset-plane memory as a plain list of write records
//! (Trtík, Strejček: *Symbolic Memory with Pointers*, sections 2 and 5). Small, slow, right.
//!
//! A segment is a base, an address is segment:offset, both possibly symbolic; no load or store forks because a pointer is symbolic. A
//! read compares its address with every record from the newest to the oldest, asks the solver which collisions are possible, and
//! nests what is left in an if-then-else over the default value δ(σ, ω); or, as the paper measures it, gives the solver one expression over all
//! records to simplify ([`NaiveReads`]). Multi-writes (memset, memcpy, initialisers, symbolic buffers, summarised loops) are records with a
//! λ-address: all offsets in a range, or at equal distances, with a value that is a function of the distance from its start.
//!
//! Section 4's fallback holds: every write is visible to readers of every type. One list of records with their widths does that,
//! where a list for each plane would have to repeat each write in all of them. `Sizes` is the directory that models share.

mod merge;
mod records;
mod simplified;
#[cfg(test)]
mod tests;

use crate::branch::{AccessKind, Branch, Branches, End};
use crate::directory::{Alloc, Directory, Init, answered_by_directory, only, out_of_addresses, push};
use crate::resolve::{Resolved, Target};
use crate::{Apart, Config, Cx, Join, Memory, NaiveReads, Progression, Source};
use mneme_program::Scalar;
use mneme_solver::Simplifier;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use records::{Place, Places, Reader, Record, Span, Spread};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Default, Debug)]
pub struct PlanesNaive {
    sizes: Directory<()>,
    /// Oldest first. Only ever appended to, so that a prefix of it is the memory at an earlier time.
    records: Rc<Vec<Record>>,
    /// With [`NaiveReads::Solver`], shared by all states.
    simplifier: Option<Rc<RefCell<Simplifier>>>,
}

impl PlanesNaive {
    fn reader(&self) -> Reader<'_> {
        Reader {
            sizes: &self.sizes,
            simplifier: self.simplifier.as_deref(),
        }
    }

    fn record(&mut self, record: Record) {
        Rc::make_mut(&mut self.records).push(record);
    }

    /// One branch for all the places where the access is in order, one for each fault.
    fn all<T>(
        self,
        cx: &mut Cx,
        targets: SmallVec<[Resolved; 2]>,
        nothing: impl Fn() -> T,
        act: impl FnOnce(&mut Cx, &mut PlanesNaive, Places) -> T,
    ) -> Branches<Self, T> {
        let mut out = Branches::new();
        let mut places = Places::new();
        let mut good = cx.terms.fls();
        for resolved in targets {
            match resolved.target {
                Target::Object { base, offset } => {
                    good = cx.terms.or(good, resolved.guard);
                    let offset = cx.word(offset);
                    places.push(Place {
                        guard: resolved.guard,
                        base,
                        offset,
                    });
                }
                Target::Fault(fault) => push(cx.terms, &mut out, resolved.guard, || (self.clone(), End::Fault(fault))),
                Target::Nothing => push(cx.terms, &mut out, resolved.guard, || {
                    (self.clone(), End::Done(nothing()))
                }),
            }
        }
        // Where only one place is in order, the branch's guard says so for all that follows.
        if let [place] = &mut places[..] {
            place.guard = cx.terms.tru();
        }
        if !cx.terms.is_false(good) {
            let mut memory = self;
            if let [place] = &places[..] {
                memory.sizes.settle(place.base);
            }
            let value = act(cx, &mut memory, places);
            out.push(Branch {
                guard: good,
                memory,
                end: End::Done(value),
            });
        }
        out
    }

    fn spread(self, cx: &mut Cx, p: Value, len: Value, spread: Spread) -> Branches<Self, ()> {
        let targets = self.sizes.resolve(cx, p, len, AccessKind::Write);
        self.all(
            cx,
            targets,
            || (),
            |cx, memory, places| {
                let len = cx.word(len);
                memory.record(Record {
                    places,
                    span: Span::Range { len, spread },
                });
            },
        )
    }
}

impl Memory for PlanesNaive {
    answered_by_directory!(sizes, free_any);

    const PROGRESSIONS: bool = true;

    fn new(pointer_width: u32, config: &Config) -> Self {
        PlanesNaive {
            sizes: Directory::new(pointer_width),
            records: Rc::default(),
            simplifier: (config.naive_reads == NaiveReads::Solver).then(Rc::default),
        }
    }

    // Every read compares with every record: there is no fast path.
    fn fast_load(&self, _: BaseId, _: u64, _: Scalar) -> Option<Value> {
        None
    }

    fn fast_store(&mut self, _: BaseId, _: u64, _: Scalar, _: Value) -> bool {
        false
    }

    fn fast_alloc(&mut self, terms: &mut Terms, what: Alloc) -> Option<BaseId> {
        match what.size {
            Value::Int(len) => self.sizes.add(terms, what, len, |_| ()),
            _ => None,
        }
    }

    fn alloc(mut self, cx: &mut Cx, what: Alloc) -> Branches<Self, Value> {
        let room = self.sizes.room(cx, what.size);
        match self.sizes.add(cx.terms, what, room, |_| ()) {
            Some(base) => only(cx.terms, self, End::Done(Value::Ptr { base, offset: 0 })),
            None => out_of_addresses(cx.terms, self),
        }
    }

    fn begin(&mut self, base: BaseId) {
        if let Some(header) = self.sizes.begin(base, |_| ()) {
            let (round, len) = (header.round, header.size);
            self.record(Record {
                places: Places::new(),
                span: Span::Reset { base, round, len },
            });
        }
    }

    fn load(self, cx: &mut Cx, p: Value, ty: Scalar) -> Branches<Self, Value> {
        let n = ty.bytes();
        let targets = self.sizes.resolve(cx, p, Value::Int(n as u64), AccessKind::Read);
        let undefined = || unreachable!("a load has at least one byte");
        self.all(cx, targets, undefined, |cx, memory, places| {
            let term = records::read(cx, memory.reader(), &memory.records, &places, n);
            cx.terms.to_value(term)
        })
    }

    fn store(self, cx: &mut Cx, p: Value, ty: Scalar, value: Value) -> Branches<Self, ()> {
        let bytes = ty.bytes();
        let targets = self.sizes.resolve(cx, p, Value::Int(bytes as u64), AccessKind::Write);
        self.all(
            cx,
            targets,
            || (),
            |_, memory, places| {
                memory.record(Record {
                    places,
                    span: Span::Cell { bytes, value },
                });
            },
        )
    }

    fn copy(self, cx: &mut Cx, dst: Value, src: Value, len: Value) -> Branches<Self, ()> {
        let mut out = Branches::new();
        let sources = self.sizes.resolve(cx, src, len, AccessKind::Read);
        let mut read = None;
        let branches = self.all(cx, sources, || (), |_, _, places| read = Some(places));
        for branch in branches {
            let (End::Done(()), Some(from)) = (&branch.end, &read) else {
                out.push(branch);
                continue;
            };
            let until = branch.memory.records.len();
            let spread = Spread::Copy {
                from: from.clone(),
                until,
            };
            for inner in branch.memory.spread(cx, dst, len, spread) {
                let guard = cx.terms.and(branch.guard, inner.guard);
                push(cx.terms, &mut out, guard, || (inner.memory, inner.end));
            }
        }
        out
    }

    fn fill(self, cx: &mut Cx, dst: Value, byte: Value, len: Value) -> Branches<Self, ()> {
        let byte = cx.terms.of_value(byte, 8);
        self.spread(cx, dst, len, Spread::Byte(byte))
    }

    fn make_symbolic(self, cx: &mut Cx, p: Value, len: Value, source: Source) -> Branches<Self, ()> {
        match source {
            Source::Bits(symbol) => {
                let value = cx.terms.symbol(symbol);
                let ty = Scalar::int(cx.terms.width(value) as u16);
                self.store(cx, p, ty, Value::Term(value))
            }
            Source::Bytes(symbol) => self.spread(cx, p, len, Spread::Symbol(symbol)),
        }
    }

    fn progress(&mut self, cx: &mut Cx, base: BaseId, what: &Progression) {
        let place = Place {
            guard: cx.terms.tru(),
            base,
            offset: what.start,
        };
        self.record(Record {
            places: smallvec![place],
            span: Span::Cells {
                count: what.count,
                stride: what.stride,
                bytes: what.bytes,
                index: what.index,
                value: what.value,
            },
        });
    }

    fn check(self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Branches<Self, ()> {
        let targets = self.sizes.resolve(cx, p, len, kind);
        self.all(cx, targets, || (), |_, _, _| ())
    }

    fn init_bytes(&mut self, base: BaseId, offset: u64, bytes: &[u8]) {
        self.record(Record {
            places: Places::new(),
            span: Span::Block {
                base,
                offset,
                bytes: bytes.into(),
            },
        });
    }

    fn init_value(&mut self, terms: &mut Terms, base: BaseId, offset: u64, ty: Scalar, value: Value) {
        let offset = terms.constant(terms.pointer_width(), offset);
        let places = smallvec![Place {
            guard: terms.tru(),
            base,
            offset
        }];
        self.record(Record {
            places,
            span: Span::Cell {
                bytes: ty.bytes(),
                value,
            },
        });
    }

    fn merge(join: &mut Join, members: &[&Self]) -> Result<Self, Apart> {
        let directories: Vec<&Directory<()>> = members.iter().map(|member| &member.sizes).collect();
        let sizes = Directory::merge(join, &directories, &mut |_, _| Ok(()))?;
        let lists: Vec<&Rc<Vec<Record>>> = members.iter().map(|member| &member.records).collect();
        let records = merge::records(join, &lists)?;
        let simplifier = members[0].simplifier.clone();
        Ok(PlanesNaive {
            sizes,
            records,
            simplifier,
        })
    }

    fn references(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        records::references(terms, &self.records, base)
    }

    fn trace(&self, tracer: &mut Tracer) {
        for (_, header) in self.sizes.headers() {
            header.trace(tracer);
        }
        for record in self.records.iter() {
            record.trace(tracer);
        }
        if let Some(simplifier) = &self.simplifier {
            simplifier.borrow().terms_are_collected();
        }
    }
}

/// The default value δ of `n` bytes of `base` at `offset`.
fn default(cx: &mut Cx, init: Init, round: u32, base: BaseId, offset: TermId, n: u32) -> TermId {
    if init == Init::Zero {
        return cx.terms.constant(8 * n, 0);
    }
    let symbol = crate::uninitialised(cx.terms, base, round);
    records::bytes_of_symbol(cx, symbol, offset, n)
}
