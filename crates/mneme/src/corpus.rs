//! Inputs of a fuzzer: plain files, each of which is one input of `LLVMFuzzerTestOneInput`.
//!
//! In a test such an input is two objects, as the runtime's `fuzz.c` names them: `data`, and `size` with its length.

use mneme_engine::SeedTest;
use mneme_report::KTest;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const DATA: &str = "data";
const SIZE: &str = "size";
/// A longer file is no input that can be explored.
const MOST_BYTES: u64 = 1 << 20;

/// The tests of a directory, or, if there are none, all its files as inputs of a fuzzer.
pub fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let tests = mneme_report::test_files(dir)?;
    if !tests.is_empty() || dir.join("stats.json").exists() {
        return Ok(tests);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Is this an input of a fuzzer, and not a test?
pub fn is_raw(file: &Path) -> bool {
    let mut magic = [0; 5];
    let named = file.extension().is_some_and(|extension| extension == "ktest");
    let mut begins = || File::open(file).and_then(|mut file| file.read_exact(&mut magic));
    !named && file.is_file() && (begins().is_err() || !matches!(&magic, b"KTEST" | b"BOUT\n"))
}

/// What an input of a fuzzer is as a test.
pub fn seed(file: &Path) -> io::Result<SeedTest> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let size = (bytes.len() as u64).to_le_bytes().to_vec();
    Ok(vec![(SIZE.into(), size), (DATA.into(), bytes)])
}

/// The input of a fuzzer's target in a test.
pub fn input(test: &KTest) -> Option<&[u8]> {
    let object = |name: &str| test.objects.iter().find(|object| object.name == name);
    object(SIZE)?;
    object(DATA).map(|object| &*object.bytes)
}

/// Writes inputs as files with the names of their tests; returns how many.
pub fn write<'a>(inputs: impl Iterator<Item = (&'a Path, &'a [u8])>, dir: &Path) -> io::Result<u64> {
    fs::create_dir_all(dir)?;
    let mut written = 0;
    for (test, bytes) in inputs {
        fs::write(dir.join(test.file_stem().unwrap_or_default()), bytes)?;
        written += 1;
    }
    Ok(written)
}
