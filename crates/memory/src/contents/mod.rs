//! The contents of one object: a default; above it a list of records; on top a layer of what was written at concrete
//! offsets.
//!
//! The layer on top is the *boostMap* of Trtík and Strejček (*Symbolic Memory with Pointers*, section 3): nothing newer
//! collides with what is in it. So a concrete access looks only there, regardless of earlier writes at symbolic
//! offsets, unless it misses. The list is their *iteList*, newest last: a write at a symbolic offset first moves what
//! it may collide with from the layer to the end of the list, and is then appended. Their planes keep values of one
//! type apart; here records have widths, and a value is cut only for a reader that really cuts it.
//!
//! [`Ask`] decides whether a collision is possible. It may always say yes: terms grow, but stay right.

mod cells;
mod chunk;
mod join;
mod layer;
mod record;
mod write;

use crate::directory::{Header, Init};
pub use cells::{Cells, Progression};
pub(crate) use layer::Window;
use layer::{CHUNK, Fresh, Layer, Piece, Presence, Shape, parts};
use mneme_term::{BaseId, SymbolId, TermId, Terms, Tracer, Value};
use record::{Found, Hit, Over, Record, Span};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::rc::Rc;

/// Whether a condition can hold. Asked where a yes only costs a longer term.
pub type Ask<'a> = dyn FnMut(&mut Terms, TermId) -> bool + 'a;

/// Asks nothing: whatever the terms do not exclude is possible.
pub fn maybe(_: &mut Terms, _: TermId) -> bool {
    true
}

#[derive(Clone, Debug)]
pub struct Contents {
    shape: Shape,
    default: Default,
    top: Layer,
    records: Option<Rc<Vec<Record>>>,
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Default {
    Zero,
    /// Unwritten: byte i is element i of an array of *uninit* symbols, which is named when it is first read.
    Undefined {
        base: BaseId,
        round: u32,
    },
    /// Byte i is `symbol[i]`.
    Symbol(SymbolId),
}

impl Contents {
    /// `len` is the object's length, or a bound of it.
    pub fn new(len: u64, pointer_width: u32, default: Default) -> Contents {
        Contents {
            shape: Shape {
                len,
                word: pointer_width / 8,
            },
            default,
            top: Layer::default(),
            records: None,
        }
    }

    /// The contents of an object whose life begins.
    pub fn of_object(base: BaseId, header: &Header, pointer_width: u32) -> Contents {
        let default = match header.init {
            Init::Zero if header.round == 0 => Default::Zero,
            _ => Default::Undefined {
                base,
                round: header.round,
            },
        };
        Contents::new(header.room, pointer_width, default)
    }

    /// `len` bytes, of which byte i is `symbol[i]`.
    pub fn of_symbol(terms: &Terms, symbol: SymbolId, len: Value) -> Rc<Contents> {
        let most = match len {
            Value::Term(len) => terms.range(len).1,
            Value::Int(len) => len,
            _ => unreachable!("a length is a number"),
        };
        Rc::new(Contents::new(most, terms.pointer_width(), Default::Symbol(symbol)))
    }

    #[inline(always)]
    pub fn fast_load(&self, offset: u64, n: u32) -> Option<Value> {
        match self.top.chunk(offset) {
            Some((chunk, at)) => chunk.load(at, n),
            None if self.fresh() == Fresh::Zeros && n <= 8 && offset % CHUNK + n as u64 <= CHUNK => Some(Value::Int(0)),
            None => None,
        }
    }

    #[inline(always)]
    pub fn fast_store(&mut self, offset: u64, n: u32, value: Value) -> bool {
        if offset % CHUNK + n as u64 > CHUNK {
            return false;
        }
        let (shape, fresh) = (self.shape, self.fresh());
        let (chunk, at) = self.top.chunk_mut(offset, shape, fresh);
        chunk.store(at, n, value)
    }

    /// What a new chunk holds: zeros may be in the layer as long as no record lies between it and the default.
    #[inline(always)]
    fn fresh(&self) -> Fresh {
        if self.default == Default::Zero && self.records.is_none() {
            Fresh::Zeros
        } else {
            Fresh::Nothing
        }
    }

    /// Concrete bytes of a fresh object.
    pub fn init(&mut self, offset: u64, bytes: &[u8]) {
        let (shape, fresh) = (self.shape, self.fresh());
        parts(offset..offset + bytes.len() as u64, |start, n| {
            let from = (start - offset) as usize;
            let (chunk, at) = self.top.chunk_mut(start, shape, fresh);
            chunk.put_bytes(at, &bytes[from..from + n as usize]);
        });
    }

    fn records(&self) -> &[Record] {
        self.records.as_ref().map_or(&[], |records| records)
    }

    /// How many records there are.
    pub fn list_length(&self) -> usize {
        self.records().len()
    }

    // ---- reading

    /// The value of `n` bytes at `offset`, which lies inside the object.
    pub fn read(&self, terms: &mut Terms, ask: &mut Ask, offset: Value, n: u32) -> Value {
        if let Value::Int(at) = offset
            && let Some(value) = self.fast_load(at, n)
        {
            return value;
        }
        let width = terms.pointer_width();
        let offset = terms.of_value(offset, width);
        let term = self.read_term(terms, ask, offset, n);
        terms.to_value(term)
    }

    /// Whether a place is surely outside. A copy of unknown length may seem to reach it, but copies stay inside.
    fn is_outside(&self, terms: &Terms, place: TermId, n: u32) -> bool {
        let end = |at: u64| at.checked_add(n as u64);
        let outside = |at| end(at).is_none_or(|end| end > self.shape.len);
        terms.as_const(place).is_some_and(outside)
    }

    /// From the newest to the oldest: collects what may matter, until something surely decides.
    fn read_term(&self, terms: &mut Terms, ask: &mut Ask, offset: TermId, n: u32) -> TermId {
        let len = self.shape.len;
        let mut found = Found::new(offset, Window::of(terms, offset, n, len));
        let top = self.top.hit(terms, offset, n, len);
        let mut hit = Some(top);
        let mut records = self.records().iter().rev();
        loop {
            match hit.take() {
                None | Some(Hit::Never) => {}
                Some(Hit::Always(value)) => return found.or(terms, value),
                Some(Hit::Table(entries)) => {
                    found.push(Over::Table(entries));
                    if found.is_complete() {
                        return found.complete(terms);
                    }
                }
                Some(Hit::Partly) => return self.read_cut(terms, ask, offset, n),
                Some(Hit::When(condition, value)) => {
                    if ask(terms, condition) {
                        let otherwise = terms.not(condition);
                        if !ask(terms, otherwise) {
                            return found.or(terms, value);
                        }
                        found.push(Over::When(condition, value));
                    }
                }
            }
            match records.next() {
                Some(record) => hit = Some(record.hit(terms, ask, offset, n, len)),
                None => break,
            }
        }
        let default = self.default(terms, offset, n);
        found.or(terms, default)
    }

    /// Bytes of one read come from different writes: they are read one by one.
    fn read_cut(&self, terms: &mut Terms, ask: &mut Ask, offset: TermId, n: u32) -> TermId {
        let mut whole = None;
        for k in 0..n {
            let k = terms.constant(terms.pointer_width(), k as u64);
            let at = terms.add(offset, k);
            let byte = self.read_term(terms, ask, at, 1);
            whole = Some(match whole {
                Some(low) => terms.concat(byte, low),
                None => byte,
            });
        }
        let whole = whole.expect("a read has at least one byte");
        let cut =
            n == self.shape.word && terms.has_base(whole) && terms.cases(whole).iter().any(|case| case.base.is_none());
        if cut {
            self.read_pointer(terms, ask, offset, whole)
        } else {
            whole
        }
    }

    /// A word at `offset`, equal to `pieces`, in a form that keeps the pointers in it whole: a word that one write
    /// covers, or that none touches, is read as a whole. `pieces` is left for words that are cut by writes.
    fn read_pointer(&self, terms: &mut Terms, ask: &mut Ask, offset: TermId, pieces: TermId) -> TermId {
        let (n, len) = (self.shape.word, self.shape.len);
        let mut found = Found::new(offset, Window::of(terms, offset, n, len));
        let top = self.top.pointers(terms, offset, n, len, pieces);
        top.into_iter().for_each(|over| found.push(over));
        for record in self.records().iter().rev() {
            if found.is_complete() {
                return found.complete(terms);
            }
            match record.hit(terms, ask, offset, n, len) {
                Hit::Never => {}
                Hit::Always(value) => return found.or(terms, value),
                Hit::When(condition, value) => found.push(Over::When(condition, value)),
                Hit::Table(entries) => found.push(Over::Table(entries)),
                Hit::Partly => {
                    let parts = record.pointer(terms, ask, offset, n, len, pieces);
                    parts.into_iter().for_each(|over| found.push(over));
                }
            }
        }
        if found.is_complete() {
            return found.complete(terms);
        }
        let default = self.default(terms, offset, n);
        found.or(terms, default)
    }

    /// The value of unwritten bytes: δ(σ, ω) of the paper.
    fn default(&self, terms: &mut Terms, at: TermId, n: u32) -> TermId {
        let symbol = match self.default {
            Default::Zero => return terms.constant(8 * n, 0),
            Default::Undefined { base, round } => crate::uninitialised(terms, base, round),
            Default::Symbol(symbol) => symbol,
        };
        let array = terms.symbol(symbol);
        let mut whole = terms.select(array, at);
        for k in 1..n {
            let k = terms.constant(terms.pointer_width(), k as u64);
            let index = terms.add(at, k);
            let byte = terms.select(array, index);
            whole = terms.concat(byte, whole);
        }
        whole
    }

    // ---- writing

    // ---- looking

    /// The bases that it may refer to.
    pub fn references(&self, terms: &mut Terms) -> Vec<BaseId> {
        self.references_in(terms, 0..self.shape.len)
    }

    /// The bases that the bytes of a range may refer to.
    pub fn references_in(&self, terms: &mut Terms, range: Range<u64>) -> Vec<BaseId> {
        let mut out = Vec::new();
        layer_references(&self.top, terms, range.clone(), &mut out);
        for record in self.records() {
            if let Some((at, len)) = record.certain(terms)
                && (at >= range.end || at + len <= range.start || self.hides(at, len))
            {
                continue;
            }
            match record {
                Record::Layer(layer) => layer_references(layer, terms, range.clone(), &mut out),
                Record::At { span, .. } => match span {
                    Span::Cell { value, .. } => out.extend(terms.bases(*value)),
                    Span::Copy { from, at, len } => {
                        let from_range = match (terms.as_const(*at), terms.as_const(*len)) {
                            (Some(at), Some(len)) => at..at.saturating_add(len),
                            _ => 0..from.shape.len,
                        };
                        out.extend(from.references_in(terms, from_range));
                    }
                    Span::Cells(cells) => out.extend(terms.bases(cells.value)),
                    Span::Fill { .. } => {}
                },
            }
        }
        out
    }

    /// Whether the layer on top covers all of a range.
    fn hides(&self, at: u64, len: u64) -> bool {
        u32::try_from(len).is_ok_and(|len| self.top.presence(at, len) == Presence::All)
    }

    /// The condition under which the byte at a place has been written: the test for initialisation of section 3.
    #[cfg(test)]
    pub fn initialised(&self, terms: &mut Terms, place: TermId) -> TermId {
        let mut written = terms.boolean(self.default == Default::Zero);
        let one = terms.constant(8, 0);
        let hits = self
            .records()
            .iter()
            .map(|record| record.hit(terms, &mut maybe, place, 1, self.shape.len));
        let hits: Vec<Hit> = hits.collect();
        for hit in hits.into_iter().chain([self.top.hit(terms, place, 1, self.shape.len)]) {
            let here = match hit {
                Hit::Never => terms.fls(),
                Hit::Always(_) => terms.tru(),
                Hit::When(condition, _) => condition,
                Hit::Table(entries) => {
                    let entries: Vec<(u64, TermId)> = entries.into_keys().map(|at| (at, one)).collect();
                    let none = terms.not(one);
                    let found = terms.lookup(place, &entries, none);
                    terms.eq(found, one)
                }
                Hit::Partly => unreachable!("one byte is written or not"),
            };
            written = terms.or(written, here);
        }
        written
    }

    /// The ranges in the layer on top, as start and end.
    pub fn in_layer(&self) -> Vec<(u64, u64)> {
        let mut out: Vec<(u64, u64)> = Vec::new();
        self.top.present(0..self.shape.len, |at, piece| {
            let bytes = match piece {
                Piece::Absent(_) => return,
                Piece::Bytes(bytes) => bytes.len() as u64,
                Piece::Value { bytes, .. } => bytes as u64,
            };
            match out.last_mut() {
                Some((_, end)) if *end == at => *end += bytes,
                _ => out.push((at, at + bytes)),
            }
        });
        out
    }

    /// Place and length, if known, of the records in the list, oldest first.
    #[cfg(test)]
    pub fn in_list(&self, terms: &Terms) -> Vec<Option<(u64, u64)>> {
        self.records().iter().map(|record| record.certain(terms)).collect()
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.trace_new(tracer, &mut FxHashSet::default());
    }

    /// Traces what is not among the snapshots `seen`: copies of copies share them.
    fn trace_new(&self, tracer: &mut Tracer, seen: &mut FxHashSet<*const Contents>) {
        self.top.trace(tracer);
        for record in self.records() {
            record.trace(tracer, seen);
        }
    }
}

fn layer_references(layer: &Layer, terms: &mut Terms, range: Range<u64>, out: &mut Vec<BaseId>) {
    layer.present(range, |_, piece| match piece {
        Piece::Value {
            value: Value::Ptr { base, .. },
            ..
        } => out.push(base),
        Piece::Value {
            value: Value::Term(term),
            ..
        } => out.extend(terms.bases(term)),
        _ => {}
    });
}
