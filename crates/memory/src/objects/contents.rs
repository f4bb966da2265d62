//! The contents of one object: concrete bytes and cells in lazily made chunks, over a default, under a list of updates.
//!
//! The *base layer* (default and chunks) holds everything written at concrete offsets as long as `updates` is empty. From the first
//! write at a symbolic offset on, every write is appended to `updates`, newest last; the base layer stays as it was. So the order of
//! writes is never lost, and fast paths need one test.

use super::chunk::{CONCRETE, Chunk, DEFAULT, Run};
use super::update::{Hit, Update, fold};
use mneme_term::{BaseId, Bits, SymbolId, TermId, Terms, Tracer, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// Bytes of a chunk of a large object; smaller objects are one chunk of their own size.
const CHUNK: u64 = 4096;

#[derive(Clone, Debug)]
pub struct Contents {
    len: u64,
    word: u32,
    default: Default,
    /// Most objects have one at most.
    chunks: SmallVec<[Option<Rc<Chunk>>; 1]>,
    updates: Option<Rc<Vec<Update>>>,
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Default {
    Zero,
    /// Nobody has written it: byte i is element i of an array of *uninit* symbols, which is named when it is first read.
    Undefined {
        base: BaseId,
        round: u32,
    },
    /// Byte i is `symbol[i]`.
    Symbol(SymbolId),
}

impl Contents {
    pub fn new(len: u64, pointer_width: u32, default: Default) -> Contents {
        Contents {
            len,
            word: pointer_width / 8,
            default,
            chunks: SmallVec::new(),
            updates: None,
        }
    }

    pub fn is_plain(&self) -> bool {
        self.updates.is_none()
    }

    #[inline(always)]
    pub fn fast_load(&self, offset: u64, n: u32) -> Option<Value> {
        if self.updates.is_some() {
            return None;
        }
        match self.chunks.get((offset / CHUNK) as usize) {
            Some(Some(chunk)) => chunk.load((offset % CHUNK) as u32, n),
            _ if self.default == Default::Zero && n <= 8 && offset % CHUNK + n as u64 <= CHUNK => Some(Value::Int(0)),
            _ => None,
        }
    }

    #[inline(always)]
    pub fn fast_store(&mut self, offset: u64, n: u32, value: Value) -> bool {
        if self.updates.is_some() || offset % CHUNK + n as u64 > CHUNK {
            return false;
        }
        self.chunk_mut(offset).store((offset % CHUNK) as u32, n, value)
    }

    #[inline(always)]
    fn chunk_mut(&mut self, offset: u64) -> &mut Chunk {
        let index = (offset / CHUNK) as usize;
        if index >= self.chunks.len() {
            self.chunks.resize(index + 1, None);
        }
        let slot = &mut self.chunks[index];
        if slot.is_none() {
            let len = (self.len - index as u64 * CHUNK).min(CHUNK) as usize;
            let tag = if self.default == Default::Zero {
                CONCRETE
            } else {
                DEFAULT
            };
            *slot = Some(Rc::new(Chunk::new(len, tag, self.word)));
        }
        Rc::make_mut(slot.as_mut().expect("just made"))
    }

    /// Calls `f(offset, bytes)` for the parts of a range that lie in one chunk each.
    fn parts(offset: u64, len: u64, mut f: impl FnMut(u64, u32)) {
        let mut at = offset;
        while at < offset + len {
            let bytes = (CHUNK - at % CHUNK).min(offset + len - at);
            f(at, bytes as u32);
            at += bytes;
        }
    }

    /// Concrete bytes into the base layer of a fresh object.
    pub fn init(&mut self, offset: u64, bytes: &[u8]) {
        debug_assert!(self.is_plain());
        Self::parts(offset, bytes.len() as u64, |at, n| {
            let from = (at - offset) as usize;
            self.chunk_mut(at)
                .put_bytes((at % CHUNK) as u32, &bytes[from..from + n as usize]);
        });
    }

    // ---- reading

    /// The value of `n` bytes at `offset`, which lies inside the object.
    pub fn read(&self, terms: &mut Terms, offset: Value, n: u32) -> Value {
        if let Value::Int(at) = offset
            && let Some(value) = self.fast_load(at, n)
        {
            return value;
        }
        let width = terms.pointer_width();
        let offset = terms.of_value(offset, width);
        let term = self.read_term(terms, offset, n);
        terms.to_value(term)
    }

    /// Is a place surely outside? A copy of unknown length may seem to reach it, but copies are made inside.
    pub fn is_outside(&self, terms: &Terms, place: TermId, n: u32) -> bool {
        terms
            .as_const(place)
            .is_some_and(|at| at.checked_add(n as u64).is_none_or(|end| end > self.len))
    }

    pub fn read_term(&self, terms: &mut Terms, offset: TermId, n: u32) -> TermId {
        match &self.updates {
            None => self.read_base(terms, offset, n),
            Some(updates) => self.read_updated(terms, updates, offset, n),
        }
    }

    fn read_base(&self, terms: &mut Terms, offset: TermId, n: u32) -> TermId {
        match terms.as_const(offset) {
            Some(at) => self.read_at(terms, at, n),
            None => self.read_anywhere(terms, offset, n),
        }
    }

    /// The base layer at a concrete offset.
    fn read_at(&self, terms: &mut Terms, offset: u64, n: u32) -> TermId {
        let mut whole: Option<TermId> = None;
        self.runs(offset, n as u64, |at, run| {
            let part = match run {
                BaseRun::Bytes(bytes) => terms.constant_bits(&Bits::from_bytes_le(8 * bytes.len() as u32, bytes)),
                BaseRun::Default(bytes) => self.default_at(terms, at, bytes as u32),
                BaseRun::Value {
                    value,
                    size,
                    from,
                    bytes,
                } => {
                    let term = terms.of_value(value, 8 * size);
                    terms.extract(term, 8 * from, 8 * bytes)
                }
            };
            whole = Some(match whole {
                Some(low) => terms.concat(part, low),
                None => part,
            });
        });
        whole.expect("a read has at least one byte")
    }

    /// The pieces of the base layer in a concrete range, in order.
    fn runs(&self, offset: u64, len: u64, mut f: impl FnMut(u64, BaseRun)) {
        Self::parts(offset, len, |start, n| {
            let Some(Some(chunk)) = self.chunks.get((start / CHUNK) as usize) else {
                return f(start, BaseRun::Default(n as u64));
            };
            let mut done = 0;
            while done < n {
                let at = (start % CHUNK) as u32 + done;
                let run = chunk.run(at, n - done);
                let bytes = match run {
                    Run::Concrete(k) => {
                        f(
                            start + done as u64,
                            BaseRun::Bytes(&chunk.bytes()[at as usize..(at + k) as usize]),
                        );
                        k
                    }
                    Run::Default(k) => {
                        f(start + done as u64, BaseRun::Default(k as u64));
                        k
                    }
                    Run::Cell { cell, from, bytes } => {
                        f(
                            start + done as u64,
                            BaseRun::Value {
                                value: cell.value,
                                size: cell.bytes,
                                from,
                                bytes,
                            },
                        );
                        bytes
                    }
                    Run::Pointer {
                        base,
                        offset,
                        from,
                        bytes,
                    } => {
                        let value = Value::Ptr { base, offset };
                        f(
                            start + done as u64,
                            BaseRun::Value {
                                value,
                                size: self.word,
                                from,
                                bytes,
                            },
                        );
                        bytes
                    }
                };
                done += bytes;
            }
        });
    }

    fn default_at(&self, terms: &mut Terms, at: u64, n: u32) -> TermId {
        let width = terms.pointer_width();
        let at = terms.constant(width, at);
        self.default_anywhere(terms, at, n)
    }

    fn default_anywhere(&self, terms: &mut Terms, at: TermId, n: u32) -> TermId {
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

    /// The base layer at a symbolic offset: one table over the offsets that are not all default.
    fn read_anywhere(&self, terms: &mut Terms, offset: TermId, n: u32) -> TermId {
        let default = self.default_anywhere(terms, offset, n);
        if self.len < n as u64 {
            return default;
        }
        let (low, high) = terms.range(offset);
        let high = high.min(self.len - n as u64);
        let (ones, zeros) = terms.known_bits(offset);
        let known = (ones | zeros).trailing_ones().min(32);
        let stride = 1u64 << known;
        let residue = ones & (stride - 1);
        let mut entries = Vec::new();
        for (index, chunk) in self.chunks.iter().enumerate() {
            if chunk.is_none() {
                continue;
            }
            // Reads that begin up to n - 1 bytes before the chunk reach into it.
            let start = (index as u64 * CHUNK).saturating_sub(n as u64 - 1).max(low);
            let end = ((index as u64 + 1) * CHUNK - 1).min(high);
            let first = start + (residue.wrapping_sub(start) & (stride - 1));
            let mut at = first;
            while at <= end {
                if entries.last().is_none_or(|&(last, _)| last < at) && !self.all_default(at, n) {
                    entries.push((at, self.read_at(terms, at, n)));
                }
                at += stride;
            }
        }
        terms.lookup(offset, &entries, default)
    }

    fn all_default(&self, at: u64, n: u32) -> bool {
        let mut all = true;
        let zero = self.default == Default::Zero;
        self.runs(at, n as u64, |_, run| {
            all &= match run {
                BaseRun::Default(_) => true,
                BaseRun::Bytes(bytes) => zero && bytes.iter().all(|&b| b == 0),
                _ => false,
            }
        });
        all
    }

    fn read_updated(&self, terms: &mut Terms, updates: &[Update], offset: TermId, n: u32) -> TermId {
        // From newest to oldest: which updates may matter, until one that surely decides.
        let mut relevant: Vec<(TermId, TermId)> = Vec::new();
        for update in updates.iter().rev() {
            match update.at(terms, offset, n) {
                Hit::Never => {}
                Hit::Always(value) => return fold(terms, value, &relevant),
                Hit::Maybe(condition, value) => relevant.push((condition, value)),
                Hit::Partly => {
                    // Bytes of one read come from different writes: read them one by one.
                    let mut whole = None;
                    for k in 0..n {
                        let k = terms.constant(terms.pointer_width(), k as u64);
                        let at = terms.add(offset, k);
                        let byte = self.read_updated(terms, updates, at, 1);
                        whole = Some(match whole {
                            Some(low) => terms.concat(byte, low),
                            None => byte,
                        });
                    }
                    let whole = whole.expect("a read has at least one byte");
                    let cut = n == self.word
                        && terms.has_base(whole)
                        && terms.cases(whole).iter().any(|case| case.base.is_none());
                    return if cut {
                        self.read_pointer(terms, updates, offset, whole)
                    } else {
                        whole
                    };
                }
            }
        }
        let base = self.read_base(terms, offset, n);
        fold(terms, base, &relevant)
    }

    /// A word at `offset`, equal to `pieces`, in a form that has the pointers in it in one piece: what one update covers, or none
    /// touches, is read as a whole. `pieces` is left for words that updates cut.
    fn read_pointer(&self, terms: &mut Terms, updates: &[Update], offset: TermId, pieces: TermId) -> TermId {
        let n = self.word;
        let mut layers: Vec<(TermId, TermId)> = Vec::new();
        let mut oldest = None;
        for update in updates.iter().rev() {
            match update.at(terms, offset, n) {
                Hit::Never => {}
                Hit::Always(value) => {
                    oldest = Some(value);
                    break;
                }
                Hit::Maybe(condition, value) => layers.push((condition, value)),
                Hit::Partly => {
                    layers.extend(update.covers(terms, offset, n));
                    layers.push((update.touches(terms, offset, n), pieces));
                }
            }
        }
        let oldest = oldest.unwrap_or_else(|| self.read_base(terms, offset, n));
        fold(terms, oldest, &layers)
    }

    // ---- writing

    pub fn write(&mut self, terms: &mut Terms, offset: Value, n: u32, value: Value) {
        let width = terms.pointer_width();
        match offset {
            Value::Int(at) if self.is_plain() => self.write_at(terms, at, n, value),
            _ => {
                let offset = terms.of_value(offset, width);
                let value = terms.of_value(value, 8 * n);
                self.update(Update::Write {
                    offset,
                    value,
                    bytes: n,
                });
            }
        }
    }

    fn write_at(&mut self, terms: &mut Terms, offset: u64, n: u32, value: Value) {
        if offset % CHUNK + n as u64 <= CHUNK {
            self.chunk_mut(offset)
                .store_any(terms, (offset % CHUNK) as u32, n, value);
            return;
        }
        let term = terms.of_value(value, 8 * n);
        Self::parts(offset, n as u64, |at, bytes| {
            let part = terms.extract(term, 8 * (at - offset) as u32, 8 * bytes);
            let part = terms.to_value(part);
            self.chunk_mut(at).store_any(terms, (at % CHUNK) as u32, bytes, part);
        });
    }

    pub fn fill(&mut self, terms: &mut Terms, offset: Value, byte: Value, len: Value) {
        if let (Value::Int(at), Value::Int(n)) = (offset, len)
            && self.is_plain()
        {
            if at == 0 && n == self.len && byte == Value::Int(0) {
                self.default = Default::Zero;
                self.chunks.clear();
            } else if let Value::Int(byte) = byte {
                let bytes = vec![byte as u8; n.min(CHUNK) as usize];
                Self::parts(at, n, |at, n| {
                    self.chunk_mut(at)
                        .store_bytes(terms, (at % CHUNK) as u32, &bytes[..n as usize]);
                });
            } else {
                for k in 0..n {
                    self.write_at(terms, at + k, 1, byte);
                }
            }
            return;
        }
        let width = terms.pointer_width();
        let offset = terms.of_value(offset, width);
        let len = terms.of_value(len, width);
        let byte = terms.of_value(byte, 8);
        self.update(Update::Fill { offset, len, byte });
    }

    /// Copies `len` bytes from `at` of `from` (a snapshot, so that overlapping is no question).
    pub fn copy(&mut self, terms: &mut Terms, offset: Value, from: &Rc<Contents>, at: Value, len: Value) {
        if let (Value::Int(to), Value::Int(start), Value::Int(n)) = (offset, at, len)
            && self.is_plain()
            && from.is_plain()
        {
            if to == 0 && start == 0 && n == self.len && n == from.len {
                *self = (**from).clone();
            } else {
                self.copy_at(terms, to, from, start, n);
            }
            return;
        }
        let width = terms.pointer_width();
        let offset = terms.of_value(offset, width);
        let at = terms.of_value(at, width);
        let len = terms.of_value(len, width);
        self.update(Update::Copy {
            offset,
            len,
            from: from.clone(),
            at,
        });
    }

    fn copy_at(&mut self, terms: &mut Terms, to: u64, from: &Contents, start: u64, n: u64) {
        from.runs(start, n, |at, run| {
            let to = to + (at - start);
            match run {
                BaseRun::Bytes(bytes) => Self::parts(to, bytes.len() as u64, |part, n| {
                    let skip = (part - to) as usize;
                    let bytes = &bytes[skip..skip + n as usize];
                    self.chunk_mut(part).store_bytes(terms, (part % CHUNK) as u32, bytes);
                }),
                BaseRun::Value { value, size, bytes, .. } if bytes == size => self.write_at(terms, to, bytes, value),
                BaseRun::Value {
                    value,
                    size,
                    from,
                    bytes,
                } => {
                    let term = terms.of_value(value, 8 * size);
                    let part = terms.extract(term, 8 * from, 8 * bytes);
                    let part = terms.to_value(part);
                    self.write_at(terms, to, bytes, part);
                }
                BaseRun::Default(bytes) if from.default == Default::Zero => {
                    self.fill(terms, Value::Int(to), Value::Int(0), Value::Int(bytes));
                }
                BaseRun::Default(bytes) => {
                    let mut done = 0;
                    while done < bytes {
                        let n = (bytes - done).min(8) as u32;
                        let part = from.default_at(terms, at + done, n);
                        self.write_at(terms, to + done, n, Value::Term(part));
                        done += n as u64;
                    }
                }
            }
        });
    }

    /// All bytes become `symbol[i]`.
    pub fn become_symbol(&mut self, symbol: SymbolId) {
        self.default = Default::Symbol(symbol);
        self.chunks.clear();
        self.updates = None;
    }

    fn update(&mut self, update: Update) {
        Rc::make_mut(self.updates.get_or_insert_with(Rc::default)).push(update);
    }

    /// The bases that it may refer to.
    pub fn references(&self, terms: &mut Terms) -> Vec<BaseId> {
        let mut out = Vec::new();
        self.runs(0, self.len, |_, run| match run {
            BaseRun::Value {
                value: Value::Ptr { base, .. },
                ..
            } => out.push(base),
            BaseRun::Value {
                value: Value::Term(term),
                ..
            } => out.extend(terms.bases(term)),
            _ => {}
        });
        for update in self.updates.iter().flat_map(|updates| updates.iter()) {
            match update {
                Update::Write { value, .. } => out.extend(terms.bases(*value)),
                Update::Copy { from, .. } => out.extend(from.references(terms)),
                Update::Fill { .. } => {}
            }
        }
        out
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.trace_new(tracer, &mut FxHashSet::default());
    }

    /// Traces what is not among the snapshots `seen`: copies of copies share them.
    pub fn trace_new(&self, tracer: &mut Tracer, seen: &mut FxHashSet<*const Contents>) {
        for chunk in self.chunks.iter().flatten() {
            for cell in chunk.cells.values() {
                tracer.value(cell.value);
            }
        }
        for update in self.updates.iter().flat_map(|updates| updates.iter()) {
            update.trace(tracer, seen);
        }
    }
}

/// A piece of the base layer.
enum BaseRun<'a> {
    Bytes(&'a [u8]),
    Default(u64),
    /// `bytes` bytes, from byte `from` on, of a value of `size` bytes.
    Value {
        value: Value,
        size: u32,
        from: u32,
        bytes: u32,
    },
}
