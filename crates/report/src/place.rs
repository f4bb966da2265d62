//! Paths and places as people and tools see them: relative to the working directory where possible.

use std::fs;
use std::path::Path;

use mneme_finding::Location;

/// `file` relative to `cwd` when it lies under it, else as it is.
pub fn relative<'a>(file: &'a str, cwd: &Path) -> &'a str {
    let path = Path::new(file);
    path.strip_prefix(cwd)
        .ok()
        .and_then(Path::to_str)
        .filter(|rest| !rest.is_empty())
        .unwrap_or_else(|| file.strip_prefix("./").unwrap_or(file))
}

/// `file:line:column`, without what is unknown.
pub fn spot(location: &Location, cwd: &Path) -> String {
    let file = if location.file.is_empty() {
        "<unknown>"
    } else {
        relative(&location.file, cwd)
    };
    match (location.line, location.column) {
        (0, _) => file.to_owned(),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

/// The text of a source file. Debug information may name anything: pipes and devices are not read.
pub fn source(file: &Path) -> Option<Vec<u8>> {
    const MOST_BYTES: u64 = 1 << 26;
    let about = fs::metadata(file).ok()?;
    let readable = about.is_file() && about.len() <= MOST_BYTES;
    readable.then(|| fs::read(file).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_under_the_working_directory_are_relative() {
        let cwd = Path::new("/home/me/project");
        assert_eq!(relative("/home/me/project/src/a.c", cwd), "src/a.c");
        assert_eq!(relative("./src/a.c", cwd), "src/a.c");
        assert_eq!(relative("/usr/include/stdio.h", cwd), "/usr/include/stdio.h");
        assert_eq!(relative("/home/me/project2/a.c", cwd), "/home/me/project2/a.c");
    }

    #[test]
    fn only_files_of_a_reasonable_size_are_sources() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c");
        fs::write(&path, "int x;").unwrap();
        assert_eq!(source(&path).unwrap(), b"int x;");
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        assert_eq!(source(&path), None);
        assert_eq!(source(Path::new("/dev/zero")), None);
        assert_eq!(source(dir.path()), None);
    }

    #[test]
    fn unknown_parts_are_left_out() {
        let mut location = Location {
            file: "a.c".into(),
            line: 3,
            column: 0,
            function: String::new(),
            ..Location::default()
        };
        assert_eq!(spot(&location, Path::new("/")), "a.c:3");
        location.line = 0;
        assert_eq!(spot(&location, Path::new("/")), "a.c");
        assert_eq!(spot(&Location::default(), Path::new("/")), "<unknown>");
    }
}
