//! Reading the files that the user names, whatever they contain.
//!
//! Devices and absurd sizes are refused before anything is read: a mistyped name must not fill the memory. Pipes are
//! fine.

use crate::ProgramError;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 30;

/// The kind of a file.
#[derive(Copy, Clone, PartialEq)]
pub(crate) enum SourceKind {
    C,
    Module,
}

/// Checks whether a file can be a part of a program at all, without reading it.
pub fn admit(file: &Path) -> Result<(), ProgramError> {
    let about = fs::metadata(file).map_err(|source| unreadable(file, source))?;
    if about.is_dir() {
        return Err(unreadable(file, ErrorKind::IsADirectory.into()));
    }
    let pipe = about.file_type().is_fifo() && by_extension(file) != Some(SourceKind::C);
    if !about.is_file() && !pipe {
        return Err(ProgramError::UnknownKind { path: file.to_owned() });
    }
    match about.len() > MOST_BYTES {
        true => Err(ProgramError::TooLarge { path: file.to_owned() }),
        false => Ok(()),
    }
}

/// A file's kind, by its extension or else by its first bytes. The bytes of C files are left to the compiler.
pub(crate) fn read(file: &Path) -> Result<(SourceKind, Vec<u8>), ProgramError> {
    admit(file)?;
    let contents = File::open(file).map_err(|source| unreadable(file, source))?;
    let kind = by_extension(file);
    if kind == Some(SourceKind::C) {
        return Ok((SourceKind::C, Vec::new()));
    }
    let mut bytes = Vec::new();
    let read = contents.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|source| unreadable(file, source))?;
    match kind.or_else(|| by_contents(&bytes)) {
        _ if bytes.len() as u64 > MOST_BYTES => Err(ProgramError::TooLarge { path: file.to_owned() }),
        None => Err(neither(file, &bytes)),
        Some(kind) => Ok((kind, bytes)),
    }
}

fn unreadable(file: &Path, source: io::Error) -> ProgramError {
    let path = file.to_owned();
    match source.kind() {
        ErrorKind::NotFound => ProgramError::NoSuchFile { path },
        _ => ProgramError::Unreadable { path, source },
    }
}

/// What to do about a file that is no program, by what it is instead.
fn neither(file: &Path, bytes: &[u8]) -> ProgramError {
    let path = file.to_owned();
    match bytes {
        [b'\x7f', b'E', b'L', b'F', ..] => ProgramError::MachineCode { path },
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => ProgramError::Archive { path },
        _ => ProgramError::UnknownKind { path },
    }
}

fn by_extension(file: &Path) -> Option<SourceKind> {
    match file.extension()?.to_str()? {
        "c" | "i" => Some(SourceKind::C),
        "bc" | "ll" => Some(SourceKind::Module),
        _ => None,
    }
}

fn by_contents(bytes: &[u8]) -> Option<SourceKind> {
    const BITCODE: &[u8] = b"BC\xC0\xDE";
    const WRAPPED_BITCODE: &[u8] = b"\xDE\xC0\x17\x0B";
    (bytes.starts_with(BITCODE) || bytes.starts_with(WRAPPED_BITCODE)).then_some(SourceKind::Module)
}
