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

mod chunk;
mod join;
mod layer;
mod record;

use crate::directory::{Header, Init};
pub(crate) use layer::Window;
use layer::{CHUNK, Fresh, Layer, Piece, Presence, Shape, parts};
use mneme_term::{BaseId, SymbolId, TermId, Terms, Tracer, Value};
use record::{Found, Hit, Over, Record, Span};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::rc::Rc;

/// Cells of `bytes` bytes at equal distances of `stride`, which is at least `bytes`. Cell number i, for i below
/// `count`, gets `value` with i in place of the symbol `index`. `start` and `count` have pointer width; all cells lie
/// inside the object.
#[derive(Clone, Debug)]
pub struct Progression {
    pub start: TermId,
    pub stride: u64,
    pub bytes: u32,
    pub count: TermId,
    pub index: SymbolId,
    pub value: TermId,
}

/// Whether a condition can hold. Asked where a yes only costs a longer term.
pub type Ask<'a> = dyn FnMut(&mut Terms, TermId) -> bool + 'a;

/// Asks nothing: whatever the terms do not exclude is possible.
pub fn maybe(_: &mut Terms, _: TermId) -> bool {
    true
}

/// Up to this many possible collisions are examined one by one.
const FEW: usize = 16;
/// A longer write of the default is a record, not a cell for every few bytes.
const SHORT: u64 = 64;
/// From here on, concrete offsets get records as symbolic ones do: a layer is for dense contents.
const FAR: u64 = 1 << 36;
/// Up to this many cells of a progression at concrete places are written one by one.
const FEW_CELLS: u64 = 256;
/// How many of the newest records are searched for one that a new record makes useless.
const NEAR: usize = 8;

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

    /// Writes `n` bytes where `guard` holds.
    pub fn write(&mut self, terms: &mut Terms, ask: &mut Ask, guard: TermId, offset: Value, n: u32, value: Value) {
        let width = terms.pointer_width();
        if let Value::Int(at) = offset
            && at < FAR
            && let Some(value) = self.conditional(terms, guard, at, n, value)
        {
            let (shape, fresh) = (self.shape, self.fresh());
            self.top.write(terms, at, n, value, shape, fresh);
            return;
        }
        let offset = terms.of_value(offset, width);
        let value = terms.of_value(value, 8 * n);
        self.make_way(terms, ask, guard, offset, n);
        self.forget(terms, guard, offset, n);
        let span = Span::Cell { value, bytes: n };
        self.push(Record::At { guard, offset, span });
    }

    /// The value at a concrete place after a write under `guard`, if it is a single value: several pieces are better
    /// left alone, since pointers among them would be hard to recover.
    fn conditional(&self, terms: &mut Terms, guard: TermId, at: u64, n: u32, value: Value) -> Option<Value> {
        if terms.is_true(guard) {
            return Some(value);
        }
        let old = self.fast_load(at, n)?;
        let (new, old) = (terms.of_value(value, 8 * n), terms.of_value(old, 8 * n));
        let either = terms.ite(guard, new, old);
        Some(terms.to_value(either))
    }

    /// Moves from the layer to the list what a write of `n` bytes at `offset` may collide with.
    fn make_way(&mut self, terms: &mut Terms, ask: &mut Ask, guard: TermId, offset: TermId, n: u32) {
        let window = Window::of(terms, offset, n, self.shape.len);
        if window.low > window.high {
            return;
        }
        let range = window.low..window.high.saturating_add(n as u64);
        if !self.top.touches(range.clone()) {
            return;
        }
        if self.fresh() == Fresh::Zeros {
            self.top.erase_zeros(range.clone());
        }
        let mut places = Vec::new();
        self.top.places(window, n, |at| {
            places.push(at);
            places.len() <= FEW
        });
        if places.len() > FEW {
            return self.move_down(terms, range);
        }
        for at in places {
            if self.top.presence(at, n) == Presence::None {
                // It was moved with a value that begins earlier.
                continue;
            }
            let number = terms.constant(terms.pointer_width(), at);
            let same = terms.eq(offset, number);
            let collision = terms.and(guard, same);
            if !terms.is_false(collision) && ask(terms, collision) {
                let whole = self.top.whole(at..at + n as u64);
                self.move_cells(terms, whole);
            }
        }
    }

    /// Moves a range of the layer to the list, as one layer.
    fn move_down(&mut self, terms: &mut Terms, range: Range<u64>) {
        let taken = self.top.take(terms, range);
        if !taken.is_empty() {
            self.push(Record::Layer(taken));
        }
    }

    /// Moves a range of the layer to the list, as cells.
    fn move_cells(&mut self, terms: &mut Terms, range: Range<u64>) {
        let width = terms.pointer_width();
        let mut cells: Vec<(u64, TermId)> = Vec::new();
        self.top.pieces(range.clone(), |at, piece| {
            if !matches!(piece, Piece::Absent(_)) {
                cells.push((at, piece.term(terms)));
            }
        });
        self.top.erase(terms, range);
        for (at, value) in cells {
            let (guard, offset) = (terms.tru(), terms.constant(width, at));
            let bytes = terms.width(value) / 8;
            let span = Span::Cell { value, bytes };
            self.push(Record::At { guard, offset, span });
        }
    }

    /// Removes records of cells that a write of `n` bytes at `offset` covers, where that is easy to see.
    fn forget(&mut self, terms: &Terms, guard: TermId, offset: TermId, n: u32) {
        if !terms.is_true(guard) {
            return;
        }
        let useless = |record: &Record| match record {
            Record::At {
                offset: place,
                span: Span::Cell { bytes, .. },
                ..
            } => *place == offset && *bytes <= n,
            _ => false,
        };
        let records = self.records();
        let near = records.len().saturating_sub(NEAR);
        if records[near..].iter().any(useless) {
            let records = Rc::make_mut(self.records.as_mut().expect("just seen"));
            let mut index = 0;
            records.retain(|record| {
                index += 1;
                index <= near || !useless(record)
            });
        }
    }

    fn push(&mut self, record: Record) {
        Rc::make_mut(self.records.get_or_insert_with(Rc::default)).push(record);
    }

    pub fn fill(&mut self, terms: &mut Terms, guard: TermId, offset: Value, byte: Value, len: Value) {
        if let (Value::Int(at), Value::Int(n)) = (offset, len)
            && terms.is_true(guard)
            && at + n <= FAR
        {
            if at == 0 && n == self.shape.len && byte == Value::Int(0) {
                *self = Contents::new(n, 8 * self.shape.word, Default::Zero);
                return;
            }
            if byte == Value::Int(0) && self.fresh() == Fresh::Zeros && !self.top.touches(at..at + n) {
                return;
            }
            if let Value::Int(byte) = byte {
                let bytes = vec![byte as u8; n.min(CHUNK) as usize];
                let (shape, fresh) = (self.shape, self.fresh());
                parts(at..at + n, |at, n| {
                    self.top.write_bytes(terms, at, &bytes[..n as usize], shape, fresh);
                });
                return;
            }
            if n <= SHORT {
                let (shape, fresh) = (self.shape, self.fresh());
                for k in 0..n {
                    self.top.write(terms, at + k, 1, byte, shape, fresh);
                }
                return;
            }
        }
        let width = terms.pointer_width();
        let len = terms.of_value(len, width);
        let byte = terms.of_value(byte, 8);
        self.spread(terms, guard, offset, Span::Fill { len, byte }, len);
    }

    /// Copies `len` bytes from `at` of `from` (a snapshot, so overlap does not matter).
    pub fn copy(
        &mut self,
        terms: &mut Terms,
        guard: TermId,
        offset: Value,
        from: &Rc<Contents>,
        at: Value,
        len: Value,
    ) {
        if let (Value::Int(to), Value::Int(start), Value::Int(n)) = (offset, at, len)
            && terms.is_true(guard)
            && to + n <= FAR
            && start + n <= FAR
        {
            if to == 0 && start == 0 && n == self.shape.len && n == from.shape.len {
                *self = (**from).clone();
            } else {
                self.copy_at(terms, to, from, start, n);
            }
            return;
        }
        let width = terms.pointer_width();
        let at = terms.of_value(at, width);
        let len = terms.of_value(len, width);
        let from = from.clone();
        self.spread(terms, guard, offset, Span::Copy { len, from, at }, len);
    }

    /// A write of many bytes.
    fn spread(&mut self, terms: &mut Terms, guard: TermId, offset: Value, span: Span, len: TermId) {
        let width = terms.pointer_width();
        let offset = terms.of_value(offset, width);
        let (low, high) = terms.range(offset);
        let range = low..high.saturating_add(terms.range(len).1).min(self.shape.len);
        if low < range.end && self.top.touches(range.clone()) {
            let exact = low == high && terms.as_const(len).is_some() && terms.is_true(guard);
            if exact {
                self.top.erase(terms, range);
            } else {
                if self.fresh() == Fresh::Zeros {
                    self.top.erase_zeros(range.clone());
                }
                self.move_down(terms, range);
            }
        }
        self.push(Record::At { guard, offset, span });
    }

    /// Writes many cells at once.
    pub fn progress(&mut self, terms: &mut Terms, what: &Progression) {
        let width = terms.pointer_width();
        let varies = terms.symbols(what.value).contains(&what.index);
        let bytes = u64::from(what.bytes);
        if let (false, Some(byte), true) = (varies, splat(terms, what.value), what.stride == bytes) {
            let (guard, offset, byte) = (terms.tru(), terms.to_value(what.start), terms.to_value(byte));
            let size = terms.constant(width, bytes);
            let len = terms.mul(what.count, size);
            let len = terms.to_value(len);
            return self.fill(terms, guard, offset, byte, len);
        }
        if let (Some(start), Some(count)) = (terms.as_const(what.start), terms.as_const(what.count))
            && count <= FEW_CELLS
            && start < FAR
        {
            let variable = terms.symbol(what.index);
            for index in 0..count {
                let number = terms.constant(terms.width(variable), index);
                let value = terms.substitute(what.value, &mut |_, t| (t == variable).then_some(number));
                let value = terms.to_value(value);
                let (shape, fresh) = (self.shape, self.fresh());
                let at = start + index * what.stride;
                self.top.write(terms, at, what.bytes, value, shape, fresh);
            }
            return;
        }
        let (low, high) = terms.range(what.start);
        let end = high.saturating_add(terms.range(what.count).1.saturating_mul(what.stride));
        let range = low..end.min(self.shape.len);
        if low < range.end && self.top.touches(range.clone()) {
            if self.fresh() == Fresh::Zeros {
                self.top.erase_zeros(range.clone());
            }
            self.move_down(terms, range);
        }
        let span = Span::Cells {
            count: what.count,
            stride: what.stride,
            bytes: what.bytes,
            index: what.index,
            value: what.value,
        };
        let guard = terms.tru();
        self.push(Record::At {
            guard,
            offset: what.start,
            span,
        });
    }

    fn copy_at(&mut self, terms: &mut Terms, to: u64, from: &Rc<Contents>, start: u64, n: u64) {
        let (shape, fresh) = (self.shape, self.fresh());
        let mut deferred: Vec<(u64, u64)> = Vec::new();
        from.top.pieces(start..start + n, |at, piece| {
            let to = to + (at - start);
            match piece {
                Piece::Bytes(bytes) => self.top.write_bytes(terms, to, bytes, shape, fresh),
                Piece::Value { value, size, bytes, .. } if bytes == size => {
                    self.top.write(terms, to, bytes, value, shape, fresh);
                }
                Piece::Value { bytes, .. } => {
                    let part = piece.term(terms);
                    let part = terms.to_value(part);
                    self.top.write(terms, to, bytes, part, shape, fresh);
                }
                Piece::Absent(bytes) => deferred.push((at, bytes)),
            }
        });
        let width = terms.pointer_width();
        for (at, bytes) in deferred {
            let to = to + (at - start);
            if from.fresh() == Fresh::Zeros {
                let tru = terms.tru();
                self.fill(terms, tru, Value::Int(to), Value::Int(0), Value::Int(bytes));
            } else if from.records.is_none() && bytes <= SHORT {
                for done in (0..bytes).step_by(8) {
                    let n = (bytes - done).min(8) as u32;
                    let place = terms.constant(width, at + done);
                    let part = from.default(terms, place, n);
                    let (shape, fresh) = (self.shape, self.fresh());
                    self.top.write(terms, to + done, n, Value::Term(part), shape, fresh);
                }
            } else {
                let (guard, len) = (terms.tru(), terms.constant(width, bytes));
                let at = terms.constant(width, at);
                let from = from.clone();
                self.spread(terms, guard, Value::Int(to), Span::Copy { len, from, at }, len);
            }
        }
    }

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
                    Span::Cells { value, .. } => out.extend(terms.bases(*value)),
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

/// The byte that a value consists of, if all of its bytes are equal.
fn splat(terms: &mut Terms, value: TermId) -> Option<TermId> {
    let bytes = terms.width(value) / 8;
    let first = terms.extract(value, 0, 8);
    let same = (1..bytes).all(|k| terms.extract(value, 8 * k, 8) == first);
    same.then_some(first)
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
