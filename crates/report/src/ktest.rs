//! KLEE's `.ktest` files: the arguments of a program and the bytes of its symbolic objects.
//!
//! The format, version 3, every number a big-endian `u32` and every text a length with its bytes: magic `KTEST`,
//! version, arguments, number and length of symbolic arguments (from version 2 on), objects (name, bytes). KLEE's
//! `ktest-tool` decodes arguments as ASCII and newer ones names as UTF-8, so they are `String`s here, and it takes the
//! program's name from the first argument, so there has to be one.
//!
//! The reader trusts nothing: no length is believed until the bytes have been read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 5] = b"KTEST";
/// The magic of the format's predecessor; KLEE's tools still read it.
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";
const VERSION: u32 = 3;
/// No test case is larger than this; a larger file is something else and is not read into memory.
const MOST_BYTES: u64 = 1 << 28;

/// One test case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KTest {
    /// The program's arguments, its name first.
    pub args: Vec<String>,
    /// Number of symbolic arguments (POSIX runtime); 0 when there are none.
    pub sym_argvs: u32,
    /// Length of each symbolic argument.
    pub sym_argv_len: u32,
    /// The symbolic objects in the order in which the path made them.
    pub objects: Vec<KTestObject>,
}

/// One symbolic object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KTestObject {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Why a test case could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KTestError {
    #[error("this is not a .ktest file: it does not begin with `KTEST`")]
    Magic,
    #[error("version {0} of the .ktest format is newer than {VERSION}, the newest one known")]
    Version(u32),
    #[error("the .ktest file ends at byte {at}, in the middle of {what}")]
    Truncated { what: &'static str, at: usize },
    #[error("{0} bytes follow the last object of the .ktest file")]
    Trailing(usize),
    #[error("{0} in the .ktest file is not text in UTF-8")]
    NotText(&'static str),
    #[error("a .ktest file needs the program's name as its first argument")]
    NoProgram,
    #[error("{0} is too long for a .ktest file")]
    TooLong(&'static str),
    #[error("this is not a file; give a .ktest file")]
    NotAFile,
    #[error("this is larger than any .ktest file, which have at most {} MiB", MOST_BYTES >> 20)]
    Huge,
    #[error("cannot access the .ktest file: {0}")]
    Io(#[from] std::io::Error),
}

impl KTest {
    /// A test case without arguments and objects.
    pub fn new(program: &str) -> KTest {
        KTest {
            args: vec![program.to_owned()],
            ..KTest::default()
        }
    }

    /// Reads a test case from the contents of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<KTest, KTestError> {
        let mut input = Input { bytes, at: 0 };
        let magic = input
            .take(MAGIC.len(), "the magic word")
            .map_err(|_| KTestError::Magic)?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(KTestError::Magic);
        }
        let version = input.number("the version")?;
        if version > VERSION {
            return Err(KTestError::Version(version));
        }
        let mut test = KTest::default();
        for _ in 0..input.number("the number of arguments")? {
            test.args.push(input.text("an argument")?);
        }
        if version >= 2 {
            test.sym_argvs = input.number("the number of symbolic arguments")?;
            test.sym_argv_len = input.number("the length of symbolic arguments")?;
        }
        for _ in 0..input.number("the number of objects")? {
            let name = input.text("an object's name")?;
            let bytes = input.counted("an object's bytes")?.to_vec();
            test.objects.push(KTestObject { name, bytes });
        }
        match bytes.len() - input.at {
            0 => Ok(test),
            rest => Err(KTestError::Trailing(rest)),
        }
    }

    /// The contents of the file that KLEE's tools read.
    pub fn to_bytes(&self) -> Result<Vec<u8>, KTestError> {
        if self.args.is_empty() {
            return Err(KTestError::NoProgram);
        }
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_be_bytes());
        put_length(&mut out, self.args.len(), "the list of arguments")?;
        for arg in &self.args {
            put_counted(&mut out, arg.as_bytes(), "an argument")?;
        }
        out.extend(self.sym_argvs.to_be_bytes());
        out.extend(self.sym_argv_len.to_be_bytes());
        put_length(&mut out, self.objects.len(), "the list of objects")?;
        for object in &self.objects {
            put_counted(&mut out, object.name.as_bytes(), "an object's name")?;
            put_counted(&mut out, &object.bytes, "an object")?;
        }
        Ok(out)
    }

    pub fn read(path: &Path) -> Result<KTest, KTestError> {
        // Opening a pipe or a device may block for ever, and reading it may never end.
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Err(KTestError::NotAFile);
        }
        match about.len() > MOST_BYTES {
            true => Err(KTestError::Huge),
            false => KTest::from_bytes(&fs::read(path)?),
        }
    }

    pub fn write(&self, path: &Path) -> Result<(), KTestError> {
        Ok(fs::write(path, self.to_bytes()?)?)
    }
}

/// The test cases of a directory, by name.
pub fn test_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ktest"));
    paths.sort();
    Ok(paths)
}

fn put_length(out: &mut Vec<u8>, length: usize, what: &'static str) -> Result<(), KTestError> {
    // The tools of KLEE read lengths as signed numbers.
    let length = i32::try_from(length).map_err(|_| KTestError::TooLong(what))?;
    out.extend(length.to_be_bytes());
    Ok(())
}

fn put_counted(out: &mut Vec<u8>, bytes: &[u8], what: &'static str) -> Result<(), KTestError> {
    put_length(out, bytes.len(), what)?;
    out.extend(bytes);
    Ok(())
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], KTestError> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..length) else {
            return Err(KTestError::Truncated {
                what,
                at: self.bytes.len(),
            });
        };
        self.at += length;
        Ok(taken)
    }

    fn number(&mut self, what: &'static str) -> Result<u32, KTestError> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn counted(&mut self, what: &'static str) -> Result<&'a [u8], KTestError> {
        let length = self.number(what)?;
        self.take(length as usize, what)
    }

    fn text(&mut self, what: &'static str) -> Result<String, KTestError> {
        let bytes = self.counted(what)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| KTestError::NotText(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> KTest {
        KTest {
            args: vec!["prog.bc".into(), "-x".into()],
            sym_argvs: 0,
            sym_argv_len: 0,
            objects: vec![
                KTestObject {
                    name: "n".into(),
                    bytes: vec![1, 0, 0, 0],
                },
                KTestObject {
                    name: "empty".into(),
                    bytes: vec![],
                },
            ],
        }
    }

    #[test]
    fn the_bytes_are_those_of_klee() {
        let mut test = KTest::new("a.bc");
        test.objects.push(KTestObject {
            name: "x".into(),
            bytes: vec![0xff, 0, 0, 0x80],
        });
        let mut expected = b"KTEST".to_vec();
        expected.extend([0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 4]);
        expected.extend(b"a.bc");
        expected.extend([0; 8]);
        expected.extend([0, 0, 0, 1, 0, 0, 0, 1]);
        expected.extend(b"x");
        expected.extend([0, 0, 0, 4, 0xff, 0, 0, 0x80]);
        assert_eq!(test.to_bytes().unwrap(), expected);
    }

    #[test]
    fn what_is_written_reads_back() {
        let bytes = sample().to_bytes().unwrap();
        assert_eq!(KTest::from_bytes(&bytes).unwrap(), sample());
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = sample().to_bytes().unwrap();
        for length in 0..bytes.len() {
            let error = KTest::from_bytes(&bytes[..length]).unwrap_err();
            let expected = if length < MAGIC.len() {
                "not a .ktest"
            } else {
                "in the middle of"
            };
            assert!(error.to_string().contains(expected), "{length}: {error}");
        }
    }

    #[test]
    fn no_corrupt_byte_panics_or_allocates_without_end() {
        let bytes = sample().to_bytes().unwrap();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut corrupt = bytes.clone();
                corrupt[at] = value;
                let _ = KTest::from_bytes(&corrupt);
            }
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert!(matches!(KTest::from_bytes(b"\x7fELF\0\0"), Err(KTestError::Magic)));
        let mut bytes = sample().to_bytes().unwrap();
        bytes[8] = 4;
        assert!(matches!(KTest::from_bytes(&bytes), Err(KTestError::Version(4))));
        let mut bytes = sample().to_bytes().unwrap();
        bytes.push(0);
        assert!(matches!(KTest::from_bytes(&bytes), Err(KTestError::Trailing(1))));
        let mut bytes = sample().to_bytes().unwrap();
        bytes[17] = 0xff;
        assert!(matches!(
            KTest::from_bytes(&bytes),
            Err(KTestError::NotText("an argument"))
        ));
    }

    #[test]
    fn version_1_has_no_symbolic_arguments() {
        let mut bytes = b"BOUT\n".to_vec();
        bytes.extend([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(KTest::from_bytes(&bytes).unwrap(), KTest::default());
    }

    #[test]
    fn a_test_without_a_program_is_not_written() {
        assert!(matches!(KTest::default().to_bytes(), Err(KTestError::NoProgram)));
    }

    #[test]
    fn files_go_through_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("test000001.ktest");
        sample().write(&path).unwrap();
        assert_eq!(KTest::read(&path).unwrap(), sample());
        assert!(matches!(KTest::read(&dir.path().join("none")), Err(KTestError::Io(_))));
        assert_eq!(test_files(dir.path()).unwrap(), [path]);
    }

    #[test]
    fn what_is_no_test_is_not_read_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(KTest::read(dir.path()), Err(KTestError::NotAFile)));
        assert!(matches!(KTest::read(Path::new("/dev/zero")), Err(KTestError::NotAFile)));
        let path = dir.path().join("huge.ktest");
        fs::write(&path, MAGIC).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        assert!(matches!(KTest::read(&path), Err(KTestError::Huge)));
    }
}
