//! Answers that outlive a run (`--cache-dir`).
//!
//! One file, `answers`, of 64-bit words in little-endian order: a header that names the format and the writer, the
//! entries, and a checksum of it all. An entry is the whole canonical form of a query, not a digest, and the verdict;
//! an assignment is checked by evaluation before it is used. A file that is damaged, of another format or of another
//! build is ignored with one warning and replaced.
//!
//! Runs may share a directory: a file is written beside the old one and renamed, including what others have added
//! since.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use mneme_term::{ArrayValue, Bits};
use rustc_hash::{FxHashMap, FxHashSet};

use super::canonical::digest;
use super::canonical_cache::{Value, Verdict};

const MAGIC: u64 = u64::from_le_bytes(*b"mneme-an");
const FORMAT: u64 = 1;
/// The most words of a file; the oldest entries make room.
const MOST: usize = 1 << 23;
/// A run that is killed loses no more than this.
const PERIOD: Duration = Duration::from_secs(20);

pub struct Kept {
    path: PathBuf,
    writer: u64,
    known: FxHashMap<u128, Rc<Entry>>,
    /// Answers of this run that are not on disk yet.
    fresh: Vec<Rc<Entry>>,
    saved: Instant,
    /// One warning is enough.
    warned: bool,
}

struct Entry {
    form: Box<[u64]>,
    verdict: Verdict,
}

impl Kept {
    /// Makes the directory if necessary. `backend` names the backend that decides.
    pub fn open(directory: &Path, backend: &str) -> io::Result<Kept> {
        fs::create_dir_all(directory)?;
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), env!("MNEME_SOLVER_SOURCES"), backend).hash(&mut hasher);
        let mut kept = Kept {
            path: directory.join("answers"),
            writer: hasher.finish(),
            known: FxHashMap::default(),
            fresh: Vec::new(),
            saved: Instant::now(),
            warned: false,
        };
        for entry in kept.read() {
            kept.known.insert(digest(&entry.form), entry);
        }
        Ok(kept)
    }

    /// The verdict on exactly this form.
    pub(super) fn find(&self, key: u128, form: &[u64]) -> Option<Verdict> {
        let entry = self.known.get(&key)?;
        (*entry.form == *form).then(|| entry.verdict.clone())
    }

    pub(super) fn add(&mut self, key: u128, form: Box<[u64]>, verdict: Verdict) {
        let entry = Rc::new(Entry { form, verdict });
        self.known.insert(key, entry.clone());
        self.fresh.push(entry);
        if self.saved.elapsed() > PERIOD {
            self.save();
        }
    }

    fn warn(&mut self, what: &str) {
        if !std::mem::replace(&mut self.warned, true) {
            tracing::warn!(file = %self.path.display(), "{what}");
        }
    }

    /// What is on disk, oldest first.
    fn read(&mut self) -> Vec<Rc<Entry>> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                self.warn(&format!("kept answers cannot be read and are not used: {error}"));
                return Vec::new();
            }
        };
        match decode(&bytes, self.writer) {
            Ok(entries) => entries.into_iter().map(Rc::new).collect(),
            Err(Unusable::Foreign) => {
                self.warn("kept answers are of another version and are not used");
                Vec::new()
            }
            Err(Unusable::Damaged) => {
                self.warn("kept answers are damaged and are not used");
                Vec::new()
            }
        }
    }

    fn save(&mut self) {
        self.saved = Instant::now();
        if self.fresh.is_empty() {
            return;
        }
        let mut entries = self.read();
        let on_disk: FxHashSet<u128> = entries.iter().map(|entry| digest(&entry.form)).collect();
        let fresh = std::mem::take(&mut self.fresh).into_iter();
        entries.extend(fresh.filter(|entry| !on_disk.contains(&digest(&entry.form))));
        let bytes = encode(&entries, self.writer);
        let beside = self.path.with_extension(format!("{}.new", std::process::id()));
        let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, &self.path));
        if let Err(error) = written {
            let _ = fs::remove_file(&beside);
            self.warn(&format!("answers cannot be kept: {error}"));
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.save();
    }
}

#[derive(Debug, PartialEq)]
enum Unusable {
    Foreign,
    Damaged,
}

fn checksum(words: &[u64]) -> u64 {
    digest(words) as u64
}

fn encode(entries: &[Rc<Entry>], writer: u64) -> Vec<u8> {
    let mut blocks: Vec<Vec<u64>> = entries.iter().map(|entry| words_of(entry)).collect();
    let mut size: usize = blocks.iter().map(Vec::len).sum();
    let mut dropped = 0;
    while size > MOST {
        size -= blocks[dropped].len();
        dropped += 1;
    }
    blocks.drain(..dropped);
    let mut words = vec![MAGIC, FORMAT, writer, blocks.len() as u64];
    words.extend(blocks.into_iter().flatten());
    words.push(checksum(&words));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words_of(entry: &Entry) -> Vec<u64> {
    let mut words = vec![entry.form.len() as u64];
    words.extend_from_slice(&entry.form);
    let bits = |words: &mut Vec<u64>, bits: &Bits| {
        words.push(bits.width().into());
        words.extend_from_slice(bits.words());
    };
    let Verdict::Sat(values) = &entry.verdict else {
        words.push(0);
        return words;
    };
    words.extend([1, values.len() as u64]);
    for (number, value) in values.iter() {
        words.push((*number).into());
        match value {
            Value::Bits(value) => {
                words.push(0);
                bits(&mut words, value);
            }
            Value::Array(array) => {
                words.push(1 + u64::from(array.default.is_some()));
                array.default.iter().for_each(|value| bits(&mut words, value));
                words.push(array.entries.len() as u64);
                for (&index, value) in &array.entries {
                    words.push(index);
                    bits(&mut words, value);
                }
            }
        }
    }
    words
}

fn decode(bytes: &[u8], writer: u64) -> Result<Vec<Entry>, Unusable> {
    if !bytes.len().is_multiple_of(8) {
        return Err(Unusable::Damaged);
    }
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes")))
        .collect();
    let (&sum, words) = words.split_last().ok_or(Unusable::Damaged)?;
    if words.first() != Some(&MAGIC) || sum != checksum(words) {
        return Err(Unusable::Damaged);
    }
    let mut reader = Reader(&words[1..]);
    let own = |reader: &mut Reader| Some((reader.word()?, reader.word()?));
    match own(&mut reader) {
        None => return Err(Unusable::Damaged),
        Some(header) if header != (FORMAT, writer) => return Err(Unusable::Foreign),
        Some(_) => {}
    }
    let count = reader.word().ok_or(Unusable::Damaged)?;
    let entries: Option<Vec<Entry>> = (0..count).map(|_| reader.entry()).collect();
    match entries {
        Some(entries) if reader.0.is_empty() => Ok(entries),
        _ => Err(Unusable::Damaged),
    }
}

/// The rest of a file. `None`: it ends too early, or makes no sense.
struct Reader<'a>(&'a [u64]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u64> {
        let (&word, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(word)
    }

    fn words(&mut self, count: u64) -> Option<&[u64]> {
        let (words, rest) = self.0.split_at_checked(count.try_into().ok()?)?;
        self.0 = rest;
        Some(words)
    }

    fn entry(&mut self) -> Option<Entry> {
        let length = self.word()?;
        let form = self.words(length)?.into();
        let verdict = match self.word()? {
            0 => Verdict::Unsat,
            1 => {
                let count = self.word()?;
                let values: Option<Vec<(u32, Value)>> = (0..count).map(|_| self.value()).collect();
                Verdict::Sat(values?.into())
            }
            _ => return None,
        };
        Some(Entry { form, verdict })
    }

    fn value(&mut self) -> Option<(u32, Value)> {
        let number = self.word()?.try_into().ok()?;
        let value = match self.word()? {
            0 => Value::Bits(self.bits()?),
            default @ (1 | 2) => {
                let mut array = ArrayValue::default();
                if default == 2 {
                    array.default = Some(self.bits()?);
                }
                for _ in 0..self.word()? {
                    let index = self.word()?;
                    array.entries.insert(index, self.bits()?);
                }
                Value::Array(array)
            }
            _ => return None,
        };
        Some((number, value))
    }

    fn bits(&mut self) -> Option<Bits> {
        let width: u32 = self.word()?.try_into().ok()?;
        let words = self.words(u64::from(width.div_ceil(64)))?;
        (width > 0).then(|| Bits::from_words(width, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Rc<Entry>> {
        let array = ArrayValue {
            entries: [(3, Bits::new(8, 9))].into(),
            default: Some(Bits::new(8, 7)),
        };
        let values = [
            (0, Value::Bits(Bits::from_words(100, &[5, 6]))),
            (2, Value::Array(array)),
        ];
        vec![
            Rc::new(Entry {
                form: [1, 2, 3].into(),
                verdict: Verdict::Sat(values.into_iter().collect()),
            }),
            Rc::new(Entry {
                form: [4].into(),
                verdict: Verdict::Unsat,
            }),
        ]
    }

    #[test]
    fn written_answers_are_read_back() {
        let bytes = encode(&sample(), 42);
        let read = decode(&bytes, 42).unwrap();
        assert_eq!(read.len(), 2);
        for (read, written) in read.iter().zip(sample()) {
            assert_eq!(words_of(read), words_of(&written));
        }
        assert_eq!(decode(&bytes, 43).err(), Some(Unusable::Foreign));
    }

    /// Every changed byte and every truncation is detected; even with a matching checksum, nonsense causes no panic.
    #[test]
    fn damage_is_noticed() {
        let bytes = encode(&sample(), 42);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            assert!(decode(&damaged, 42).is_err(), "byte {at}");
            assert!(decode(&bytes[..at], 42).is_err(), "cut at {at}");
        }
        let words = bytes.len() / 8;
        for at in 4..words - 1 {
            for value in [0, 1, 2, 3, u64::MAX, 1 << 32] {
                let mut damaged: Vec<u64> = bytes
                    .chunks_exact(8)
                    .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()))
                    .collect();
                damaged[at] = value;
                damaged[words - 1] = checksum(&damaged[..words - 1]);
                let damaged: Vec<u8> = damaged.iter().flat_map(|word| word.to_le_bytes()).collect();
                let _ = decode(&damaged, 42);
            }
        }
    }

    #[test]
    fn runs_add_to_what_others_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut first = Kept::open(dir.path(), "test").unwrap();
        let mut second = Kept::open(dir.path(), "test").unwrap();
        first.add(digest(&[1]), [1].into(), Verdict::Unsat);
        second.add(digest(&[2]), [2].into(), Verdict::Unsat);
        drop(first);
        drop(second);
        let third = Kept::open(dir.path(), "test").unwrap();
        assert!(third.find(digest(&[1]), &[1]).is_some() && third.find(digest(&[2]), &[2]).is_some());
        assert!(
            third.find(digest(&[1]), &[2]).is_none(),
            "the form counts, not its digest"
        );
        assert!(
            Kept::open(dir.path(), "other").unwrap().known.is_empty(),
            "another solver asks anew"
        );
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            1,
            "nothing is left beside the file"
        );
    }
}
