//! Compilation databases (`compile_commands.json`): which files a project has, and the flags of each.

use crate::flags::{Flags, is_level};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is no compilation database: {source}", path.display())]
    Malformed { path: PathBuf, source: serde_json::Error },
    #[error("`{}` is not in {}: add it there, or leave -p out", file.display(), path.display())]
    Unknown { file: PathBuf, path: PathBuf },
    #[error("there is no C file in {}", .0.display())]
    Empty(PathBuf),
}

/// One compilation.
#[derive(Deserialize)]
struct Compilation {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// The files to be checked, with their flags: those that the user names, or else all C files of the database.
pub fn read(path: &Path, wanted: &[PathBuf]) -> Result<Vec<(PathBuf, Flags)>, DatabaseError> {
    let path = match path.is_dir() {
        true => path.join("compile_commands.json"),
        false => path.to_owned(),
    };
    let text = std::fs::read_to_string(&path).map_err(|source| DatabaseError::Unreadable {
        path: path.clone(),
        source,
    })?;
    let entries: Vec<Compilation> = serde_json::from_str(&text).map_err(|source| DatabaseError::Malformed {
        path: path.clone(),
        source,
    })?;
    let is_c = |file: &Path| file.extension().is_some_and(|extension| extension == "c");
    let mut all: BTreeMap<PathBuf, Flags> = BTreeMap::new();
    let mut order = Vec::new();
    for entry in entries.iter().filter(|entry| is_c(&entry.file)) {
        let file = real(&entry.directory.join(&entry.file));
        // A file that is compiled several times is checked as it is compiled first.
        if let Entry::Vacant(place) = all.entry(file.clone()) {
            order.push(file);
            place.insert(entry.flags());
        }
    }
    let files = match wanted.is_empty() {
        true => order,
        false => wanted.to_vec(),
    };
    if files.is_empty() {
        return Err(DatabaseError::Empty(path));
    }
    let with_flags = |file: PathBuf| match all.get(&real(&file)) {
        Some(flags) => Ok((file, flags.clone())),
        None => Err(DatabaseError::Unknown {
            file,
            path: path.clone(),
        }),
    };
    files.into_iter().map(with_flags).collect()
}

/// The file itself, whatever leads to it.
fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

impl Compilation {
    /// What its compiler is told of the meaning of the program. How far it optimises is left out: a program is checked
    /// as it was written.
    fn flags(&self) -> Flags {
        let words = match (&self.arguments, &self.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => split(command),
            (None, None) => Vec::new(),
        };
        let own = self.directory.join(&self.file);
        let is_own = |word: &str| self.directory.join(word) == own;
        // In front there is the compiler, perhaps behind a wrapper (`ccache cc`).
        let mut words = words.into_iter().skip_while(|word| !word.starts_with('-'));
        let mut flags = Vec::new();
        while let Some(word) = words.next() {
            if is_own(&word) || is_level(&word) || word == "--" {
                continue;
            }
            // The value may stand in the same word or be the next.
            let joined = ["-D", "-U", "-I"].contains(&&*word);
            let word = match joined {
                true => format!("{word}{}", words.next().unwrap_or_default()),
                false => word,
            };
            flags.push(self.absolute(&word, flags.last().map(String::as_str)));
        }
        Flags::new(&flags)
    }

    /// Paths are relative to the directory in which the compiler runs.
    fn absolute(&self, word: &str, before: Option<&str>) -> String {
        if let Some(dir) = word.strip_prefix("-I") {
            return format!("-I{}", self.directory.join(dir).display());
        }
        let there = self.directory.join(word);
        let names_path = match before {
            Some("-isystem" | "-iquote" | "-idirafter" | "-isysroot") => true,
            // Such a file may also be in a directory for headers.
            Some("-include" | "-imacros") => there.exists(),
            _ => false,
        };
        match names_path {
            true => there.display().to_string(),
            false => word.to_owned(),
        }
    }
}

/// The words of a command, as a shell takes them apart.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), _) if c == open => quote = None,
            // Between double quotes, only these lose their meaning.
            (Some('"'), '\\') if !matches!(rest.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().push(c);
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(rest.next()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_taken_apart_as_by_a_shell() {
        let words = split(r#"cc  -DA=\"x\" '-DB=a b' "-DC=\"q\" \n" -I'x y'/z "" a.c"#);
        assert_eq!(
            words,
            ["cc", r#"-DA="x""#, "-DB=a b", r#"-DC="q" \n"#, "-Ix y/z", "", "a.c"]
        );
    }

    #[test]
    fn each_file_has_the_flags_that_matter() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["a.c", "b.c", "config.h"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        let at = root.display();
        let text = format!(
            r#"[{{"directory": "{at}", "file": "a.c",
                 "command": "ccache gcc -O2 -g -Iinc -isystem sys -I . -D X=1 -include config.h -o a.o -c a.c"}},
                {{"directory": "{at}", "file": "{at}/b.c", "arguments": ["cc", "-std=c99", "-c", "{at}/b.c"]}},
                {{"directory": "{at}", "file": "c.cc", "arguments": ["c++", "-c", "c.cc"]}},
                {{"directory": "{at}", "file": "a.c", "arguments": ["cc", "-DAGAIN", "a.c"]}}]"#
        );
        std::fs::write(root.join("compile_commands.json"), text).unwrap();
        let all = read(&root, &[]).unwrap();
        let shown: Vec<_> = all
            .iter()
            .map(|(file, flags)| (file.clone(), flags.compile.join(" ")))
            .collect();
        let first = format!("-I{at}/inc -isystem {at}/sys -I{at}/. -DX=1 -include {at}/config.h");
        assert_eq!(
            shown,
            [(root.join("a.c"), first), (root.join("b.c"), "-std=c99".to_owned())]
        );
        assert!(!all[0].1.optimised);
        let one = read(&root.join("compile_commands.json"), &[root.join("b.c")]).unwrap();
        assert_eq!(one.len(), 1);
        let unknown = read(&root, &[root.join("d.c")]).unwrap_err().to_string();
        assert!(unknown.ends_with("add it there, or leave -p out"), "{unknown}");
    }
}
