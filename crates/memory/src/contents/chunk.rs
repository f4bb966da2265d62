//! A piece of an object's contents at concrete offsets: bytes, with a tag for each that says what it is.
//!
//! Invariants: `CONCRETE` means that the byte is the value; `ABSENT` that there is nothing here; `CELL` that an entry
//! of `cells` covers the byte; `POINTER + k` that this is byte k of an aligned pointer whose offset is in `bytes` and
//! whose base is in `bases`. Cells are disjoint and lie inside the chunk.

use mneme_term::{BaseId, Terms, Value};
use std::collections::BTreeMap;

pub const CONCRETE: u8 = 0;
pub const ABSENT: u8 = 1;
pub const CELL: u8 = 2;
pub const POINTER: u8 = 0x10;

#[derive(Clone, Debug)]
pub struct Chunk {
    /// The bytes, followed by as many tags: one allocation, because most objects are small.
    data: Box<[u8]>,
    len: usize,
    /// The base of the pointer that begins at each word; empty until a pointer is stored.
    bases: Box<[u32]>,
    pub cells: BTreeMap<u32, Cell>,
    /// Bytes of a pointer: 4 or 8.
    word: u32,
}

/// A value that is not plain bytes: a term, or an unaligned pointer.
#[derive(Copy, Clone, Debug)]
pub struct Cell {
    pub value: Value,
    pub bytes: u32,
}

/// What is at some place of a chunk, and how many bytes of it from there on.
pub enum Run {
    Concrete(u32),
    Absent(u32),
    /// `bytes` bytes of a cell from its byte `from`.
    Cell {
        cell: Cell,
        from: u32,
        bytes: u32,
    },
    Pointer {
        base: BaseId,
        offset: u64,
        from: u32,
        bytes: u32,
    },
}

/// Zeros are erased in groups of this many bytes, so that no aligned value is cut.
const GROUP: usize = 8;

fn pattern(word: u32) -> u64 {
    if word == 8 { 0x1716_1514_1312_1110 } else { 0x1312_1110 }
}

/// The little-endian number in 1, 2, 4 or 8 bytes.
#[inline(always)]
fn number(bytes: &[u8], at: usize, n: u32) -> u64 {
    match n {
        1 => bytes[at] as u64,
        2 => u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes")) as u64,
        4 => u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as u64,
        _ => u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")),
    }
}

#[inline(always)]
fn put(bytes: &mut [u8], at: usize, n: u32, value: u64) {
    match n {
        1 => bytes[at] = value as u8,
        2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
    }
}

/// True for the sizes that have a machine type.
#[inline(always)]
pub fn is_machine(n: u32) -> bool {
    matches!(n, 1 | 2 | 4 | 8)
}

impl Chunk {
    pub fn new(len: usize, tag: u8, word: u32) -> Chunk {
        let mut data = vec![0; 2 * len];
        if tag != 0 {
            data[len..].fill(tag);
        }
        Chunk {
            data: data.into(),
            len,
            bases: Box::new([]),
            cells: BTreeMap::new(),
            word,
        }
    }

    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.data[..self.len]
    }

    #[inline(always)]
    fn tags(&self) -> &[u8] {
        &self.data[self.len..]
    }

    #[inline(always)]
    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.data[..self.len]
    }

    #[inline(always)]
    fn tags_mut(&mut self) -> &mut [u8] {
        &mut self.data[self.len..]
    }

    /// The value of `n` bytes at `at`, if it is stored there in one piece.
    #[inline(always)]
    pub fn load(&self, at: u32, n: u32) -> Option<Value> {
        let i = at as usize;
        if i + n as usize > self.len {
            return None;
        }
        if is_machine(n) {
            let tags = number(self.tags(), i, n);
            if tags == 0 {
                return Some(Value::Int(number(self.bytes(), i, n)));
            }
            if n == self.word && tags == pattern(self.word) {
                let base = BaseId(self.bases[i / n as usize]);
                return Some(Value::Ptr {
                    base,
                    offset: number(self.bytes(), i, n),
                });
            }
        }
        if self.tags()[i] == CELL
            && let Some(cell) = self.cells.get(&at)
            && cell.bytes == n
        {
            return Some(cell.value);
        }
        None
    }

    /// Stores without splitting anything: false if a cell or pointer would be cut.
    #[inline(always)]
    pub fn store(&mut self, at: u32, n: u32, value: Value) -> bool {
        let i = at as usize;
        if !is_machine(n) || i + n as usize > self.len {
            return false;
        }
        let tags = number(self.tags(), i, n);
        let plain = tags & 0xfefe_fefe_fefe_fefe == 0 || (n == self.word && tags == pattern(self.word));
        match value {
            Value::Int(v) if plain => {
                put(self.bytes_mut(), i, n, v);
                put(self.tags_mut(), i, n, 0);
                true
            }
            Value::Ptr { base, offset } if plain && n == self.word && at.is_multiple_of(n) => {
                self.put_pointer(at, base, offset);
                true
            }
            Value::Term(_) => {
                if !plain {
                    match self.cells.get(&at) {
                        Some(cell) if cell.bytes == n => {}
                        _ => return false,
                    }
                }
                self.put_cell(at, n, value);
                true
            }
            Value::Int(v) => match self.cells.get(&at) {
                Some(cell) if cell.bytes == n => {
                    self.cells.remove(&at);
                    put(self.bytes_mut(), i, n, v);
                    put(self.tags_mut(), i, n, 0);
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn put_pointer(&mut self, at: u32, base: BaseId, offset: u64) {
        let words = self.len.div_ceil(self.word as usize);
        if self.bases.is_empty() {
            self.bases = vec![0; words].into();
        }
        let i = at as usize;
        self.bases[i / self.word as usize] = base.0;
        let word = self.word;
        put(self.bytes_mut(), i, word, offset);
        put(self.tags_mut(), i, word, pattern(word));
    }

    fn put_cell(&mut self, at: u32, n: u32, value: Value) {
        self.tags_mut()[at as usize..(at + n) as usize].fill(CELL);
        self.cells.insert(at, Cell { value, bytes: n });
    }

    /// Stores anything that lies inside the chunk.
    pub fn store_any(&mut self, terms: &mut Terms, at: u32, n: u32, value: Value) {
        self.clear(terms, at, n);
        self.put(terms, at, n, value);
    }

    /// Puts a value where nothing is left to cut.
    fn put(&mut self, terms: &Terms, at: u32, n: u32, value: Value) {
        match value {
            Value::Int(v) => self.put_bytes(at, &v.to_le_bytes()[..n as usize]),
            Value::Ptr { base, offset } if n == self.word && at.is_multiple_of(n) => self.put_pointer(at, base, offset),
            Value::Term(term) => match terms.as_bits(term) {
                Some(bits) => self.put_bytes(at, &bits.to_bytes_le()[..n as usize]),
                None => self.put_cell(at, n, value),
            },
            _ => self.put_cell(at, n, value),
        }
    }

    pub fn store_bytes(&mut self, terms: &mut Terms, at: u32, bytes: &[u8]) {
        self.clear(terms, at, bytes.len() as u32);
        self.put_bytes(at, bytes);
    }

    pub fn put_bytes(&mut self, at: u32, bytes: &[u8]) {
        let range = at as usize..at as usize + bytes.len();
        self.bytes_mut()[range.clone()].copy_from_slice(bytes);
        self.tags_mut()[range].fill(CONCRETE);
    }

    /// Makes `[at, at + n)` concrete bytes of arbitrary value: what reaches into the range from outside is cut at its
    /// borders.
    pub fn clear(&mut self, terms: &mut Terms, at: u32, n: u32) {
        for border in [at, at + n] {
            self.cut(terms, border);
        }
        let range = at as usize..(at + n) as usize;
        if self.tags()[range.clone()].contains(&CELL) {
            let inside: Vec<u32> = self.cells.range(at..at + n).map(|(&start, _)| start).collect();
            for start in inside {
                self.cells.remove(&start);
            }
        }
        self.tags_mut()[range].fill(CONCRETE);
    }

    /// Makes `[at, at + n)` absent.
    pub fn erase(&mut self, terms: &mut Terms, at: u32, n: u32) {
        self.clear(terms, at, n);
        self.tags_mut()[at as usize..(at + n) as usize].fill(ABSENT);
    }

    /// The first place in `[at, end)` that is not absent.
    pub fn next_present(&self, at: u32, end: u32) -> Option<u32> {
        let end = end.min(self.len as u32);
        let tags = self.tags().get(at as usize..end as usize)?;
        Some(at + tags.iter().position(|&tag| tag != ABSENT)? as u32)
    }

    /// Erases aligned groups of zero bytes in `[at, end)`.
    pub fn erase_zeros(&mut self, at: u32, end: u32) {
        let end = (end as usize).min(self.len);
        for start in (at as usize..end).filter(|start| start.is_multiple_of(GROUP)) {
            let group = start..start + GROUP;
            if group.end <= end
                && self.tags()[group.clone()].iter().all(|&tag| tag == CONCRETE)
                && self.bytes()[group.clone()].iter().all(|&byte| byte == 0)
            {
                self.tags_mut()[group].fill(ABSENT);
            }
        }
    }

    pub fn word(&self) -> u32 {
        self.word
    }

    pub fn len(&self) -> u32 {
        self.len as u32
    }

    /// Splits the cell or pointer that reaches across `border`, if one does.
    fn cut(&mut self, terms: &mut Terms, border: u32) {
        if border == 0 || border as usize >= self.len {
            return;
        }
        let tag = self.tags()[border as usize];
        if tag == CELL {
            let Some((&start, &cell)) = self.cells.range(..border).next_back() else {
                return;
            };
            if start + cell.bytes <= border {
                return;
            }
            self.split(terms, start, cell.value, cell.bytes, border);
        } else if tag > POINTER {
            let start = border - (tag - POINTER) as u32;
            let Some(value) = self.load(start, self.word) else {
                return;
            };
            self.split(terms, start, value, self.word, border);
        }
    }

    fn split(&mut self, terms: &mut Terms, start: u32, value: Value, bytes: u32, border: u32) {
        self.cells.remove(&start);
        let term = terms.of_value(value, 8 * bytes);
        for (from, to) in [(start, border), (border, start + bytes)] {
            let part = terms.extract(term, 8 * (from - start), 8 * (to - from));
            self.put(terms, from, to - from, terms.to_value(part));
        }
    }

    /// What is at `at`, up to `limit` bytes of it.
    pub fn run(&self, at: u32, limit: u32) -> Run {
        let tags = &self.tags()[at as usize..(at + limit) as usize];
        match tags[0] {
            CONCRETE => Run::Concrete(tags.iter().take_while(|&&t| t == CONCRETE).count() as u32),
            ABSENT => Run::Absent(tags.iter().take_while(|&&t| t == ABSENT).count() as u32),
            CELL => {
                let (&start, cell) = self
                    .cells
                    .range(..=at)
                    .next_back()
                    .expect("a cell covers every byte tagged so");
                Run::Cell {
                    cell: *cell,
                    from: at - start,
                    bytes: (start + cell.bytes - at).min(limit),
                }
            }
            tag => {
                let from = (tag - POINTER) as u32;
                let start = at - from;
                let base = BaseId(self.bases[(start / self.word) as usize]);
                let offset = number(self.bytes(), start as usize, self.word);
                Run::Pointer {
                    base,
                    offset,
                    from,
                    bytes: (self.word - from).min(limit),
                }
            }
        }
    }
}
