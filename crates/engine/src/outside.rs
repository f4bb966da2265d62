//! The world outside the program where it is not symbolic: standard input, and files under a root, which are only read.
//!
//! Everything that was read is kept in the output directory, so that a resumed run and a replay see the same. A name
//! never leads out of the root, by no `..` and no link.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Larger files are not read.
const LARGEST_FILE: u64 = 1 << 24;

/// Why a file cannot be had.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// An error that the program sees.
    Number(i32),
    /// The file is not under the root, or is too large.
    Beyond(&'static str),
}

#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Standard input, once the program has looked at it.
    read: Arc<OnceLock<Vec<u8>>>,
    /// Where it is kept.
    pub stdin: Option<PathBuf>,
    /// The only directory that files are read from, by its canonical name; without one there are no files.
    pub root: Option<PathBuf>,
    /// Where copies of what was read are kept.
    pub kept: Option<PathBuf>,
}

impl Outside {
    /// Standard input: what an earlier session has read, or else what is piped to this process.
    pub(crate) fn standard_input(&self) -> &[u8] {
        self.read.get_or_init(|| {
            let kept = self.stdin.as_ref().and_then(|place| fs::read(place).ok());
            kept.unwrap_or_else(|| self.read_standard_input())
        })
    }

    fn read_standard_input(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let input = io::stdin().lock();
        if !input.is_terminal()
            && let Err(error) = input.take(LARGEST_FILE).read_to_end(&mut bytes)
        {
            tracing::warn!("standard input cannot be read to its end: {error}");
        }
        if let Some(place) = &self.stdin {
            keep(place, &bytes);
        }
        bytes
    }

    /// The current directory of the program.
    pub(crate) fn directory(&self) -> String {
        let root = self.root.as_deref().unwrap_or(Path::new("/"));
        root.to_string_lossy().into_owned()
    }

    /// The size of a regular file.
    pub(crate) fn size(&self, name: &str) -> Result<u64, Refusal> {
        self.file(name).map(|(_, size)| size)
    }

    /// The contents of a file, which are kept from now on.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        let (place, size) = self.file(name)?;
        let mut bytes = Vec::new();
        let open = fs::File::open(&place).map_err(|error| refusal(&error))?;
        open.take(size)
            .read_to_end(&mut bytes)
            .map_err(|error| refusal(&error))?;
        // What another program has cut off meanwhile.
        bytes.resize(size as usize, 0);
        if let Some(copy) = self.copy(name).filter(|copy| *copy != place) {
            keep(&copy, &bytes);
        }
        Ok(bytes)
    }

    /// What is in a directory, in order of the names, and whether it is a directory, too; Mneme's own results are left
    /// out.
    pub(crate) fn entries(&self, directory: &str) -> Result<Vec<(String, bool)>, Refusal> {
        let place = self.place(directory)?;
        let own = |path: &Path| self.kept.as_ref().is_some_and(|kept| kept.starts_with(path));
        let entries = fs::read_dir(place).map_err(|error| refusal(&error))?.flatten();
        let entries = entries.filter(|entry| !own(&entry.path()));
        let entry = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path().is_dir()));
        let mut names: Vec<_> = entries.filter_map(entry).collect();
        names.sort();
        self.keep_names(directory, &names);
        Ok(names)
    }

    /// Keeps what a directory lists, beside the copies of files: empty files, and directories. A replay finds them.
    fn keep_names(&self, directory: &str, names: &[(String, bool)]) {
        let Some(copy) = self.copy(directory) else {
            return;
        };
        let (Some(kept), Some((last, _))) = (&self.kept, names.last()) else {
            return;
        };
        let Ok(within) = copy.strip_prefix(kept) else {
            return;
        };
        let list = kept.with_file_name("names").join(within);
        if list.join(last).exists() {
            return;
        }
        for (name, is_directory) in names {
            match is_directory {
                true => drop(fs::create_dir_all(list.join(name))),
                false => keep(&list.join(name), &[]),
            }
        }
    }

    fn copy(&self, name: &str) -> Option<PathBuf> {
        Some(self.kept.as_ref()?.join(relative(name, self.root.as_deref()?)?))
    }

    /// Where a regular file is, and its size: a copy if there is one.
    fn file(&self, name: &str) -> Result<(PathBuf, u64), Refusal> {
        let copy = self.copy(name).filter(|copy| copy.is_file());
        let place = copy.map_or_else(|| self.place(name), Ok)?;
        let about = fs::metadata(&place).map_err(|error| refusal(&error))?;
        match () {
            () if about.is_dir() => Err(Refusal::Number(libc::EISDIR)),
            () if !about.is_file() => Err(Refusal::Beyond("is no regular file")),
            () if about.len() > LARGEST_FILE => Err(Refusal::Beyond("is larger than 16 MiB")),
            () => Ok((place, about.len())),
        }
    }

    /// Where a name leads, which must be under the root.
    fn place(&self, name: &str) -> Result<PathBuf, Refusal> {
        const BEYOND: Refusal = Refusal::Beyond("lies outside --root");
        let root = self.root.as_deref().ok_or(BEYOND)?;
        let place = root.join(relative(name, root).ok_or(BEYOND)?);
        let real = place.canonicalize().map_err(|error| refusal(&error))?;
        match real.starts_with(root) {
            true => Ok(real),
            false => Err(BEYOND),
        }
    }
}

/// Keeps a copy, without which a replay lacks it.
fn keep(copy: &Path, bytes: &[u8]) {
    let parent = copy.parent().map_or(Ok(()), fs::create_dir_all);
    if let Err(error) = parent.and_then(|()| fs::write(copy, bytes)) {
        tracing::warn!("{} cannot be written: {error}", copy.display());
    }
}

/// A name as it is relative to the root; `None` if it leads elsewhere.
fn relative<'a>(name: &'a str, root: &Path) -> Option<&'a Path> {
    let path = Path::new(name);
    let path = match path.is_absolute() {
        true => path.strip_prefix(root).ok()?,
        false => path,
    };
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    plain.then_some(path)
}

fn refusal(error: &io::Error) -> Refusal {
    Refusal::Number(error.raw_os_error().unwrap_or(libc::EIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let root = base.join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(base.join("secret"), "no").unwrap();
        fs::write(root.join("sub/data"), "yes").unwrap();
        std::os::unix::fs::symlink(base.join("secret"), root.join("link")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
        let outside = Outside {
            root: Some(root.clone()),
            kept: Some(base.join("kept")),
            ..Outside::default()
        };
        assert_eq!(outside.bytes("sub/data").unwrap(), b"yes");
        assert_eq!(outside.size(root.join("sub/data").to_str().unwrap()), Ok(3));
        for name in ["../secret", "link", "up/secret", "sub/../../secret", "/etc/passwd"] {
            assert_eq!(
                outside.size(name),
                Err(Refusal::Beyond("lies outside --root")),
                "{name}"
            );
        }
        assert_eq!(outside.size("absent"), Err(Refusal::Number(libc::ENOENT)));
        assert_eq!(outside.size("sub"), Err(Refusal::Number(libc::EISDIR)));
        let names = ["link", "sub", "up"].map(|name| (name.to_owned(), name != "link"));
        assert_eq!(outside.entries("").as_deref(), Ok(&names[..]));
        assert!(base.join("names/sub").is_dir() && base.join("names/link").is_file());
        for name in ["..", "/", "up"] {
            assert_eq!(
                outside.entries(name),
                Err(Refusal::Beyond("lies outside --root")),
                "{name}"
            );
        }
        // What was read once stays as it was.
        fs::write(root.join("sub/data"), "changed").unwrap();
        assert_eq!(outside.bytes("sub/data").unwrap(), b"yes");
    }
}
