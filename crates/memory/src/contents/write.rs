//! Writing into contents: into the layer on top at concrete places, otherwise by a record.

use super::*;

/// A longer write of the default is a record, not a cell for every few bytes.
const SHORT: u64 = 64;
/// From here on, concrete offsets get records as symbolic ones do: a layer is for dense contents.
const FAR: u64 = 1 << 36;
/// Up to this many cells of a progression at concrete places are written one by one.
const FEW_CELLS: u64 = 256;
/// How many of the newest records are searched for one that a new record makes useless.
const NEAR: usize = 8;
/// Up to this many possible collisions are examined one by one.
const FEW: usize = 16;

impl Contents {
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
        let Progression { start, cells } = *what;
        let width = terms.pointer_width();
        let varies = terms.symbols(cells.value).contains(&cells.index);
        let bytes = u64::from(cells.bytes);
        if let (false, Some(byte), true) = (varies, splat(terms, cells.value), cells.stride == bytes) {
            let (guard, offset, byte) = (terms.tru(), terms.to_value(start), terms.to_value(byte));
            let len = cells.len(terms);
            let len = terms.to_value(len);
            return self.fill(terms, guard, offset, byte, len);
        }
        if let (Some(first), Some(count)) = (terms.as_const(start), terms.as_const(cells.count))
            && count <= FEW_CELLS
            && first < FAR
        {
            for index in 0..count {
                let number = terms.constant(width, index);
                let value = cells.nth(terms, number);
                let value = terms.to_value(value);
                let (shape, fresh) = (self.shape, self.fresh());
                let at = first + index * cells.stride;
                self.top.write(terms, at, cells.bytes, value, shape, fresh);
            }
            return;
        }
        let (low, high) = terms.range(start);
        let end = high.saturating_add(cells.longest(terms));
        let range = low..end.min(self.shape.len);
        if low < range.end && self.top.touches(range.clone()) {
            if self.fresh() == Fresh::Zeros {
                self.top.erase_zeros(range.clone());
            }
            self.move_down(terms, range);
        }
        let span = Span::Cells(cells);
        let guard = terms.tru();
        self.push(Record::At {
            guard,
            offset: start,
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
}

/// The byte that a value consists of, if all of its bytes are equal.
fn splat(terms: &mut Terms, value: TermId) -> Option<TermId> {
    let bytes = terms.width(value) / 8;
    let first = terms.extract(value, 0, 8);
    let same = (1..bytes).all(|k| terms.extract(value, 8 * k, 8) == first);
    same.then_some(first)
}
