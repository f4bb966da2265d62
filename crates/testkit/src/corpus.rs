//! Locates the corpus and the binary.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::spec::{Spec, SpecError};

/// One program of the corpus.
#[derive(Clone, Debug)]
pub struct Program {
    /// Path below the corpus, such as `memory/double_free_bad.c`.
    pub name: String,
    pub path: PathBuf,
    pub spec: Spec,
}

/// Why the corpus cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error("cannot read `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{name}, {source}")]
    Spec { name: String, source: SpecError },
    #[error("{0}")]
    Mneme(String),
}

/// All programs below `root`, in the order of their names.
pub fn programs(root: &Path, models: &[String]) -> Result<Vec<Program>, CorpusError> {
    let mut paths = Vec::new();
    collect(root, &mut paths)?;
    paths.sort();
    let program = |path: PathBuf| {
        let source = fs::read_to_string(&path).map_err(|source| CorpusError::Io {
            path: path.clone(),
            source,
        })?;
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let spec = Spec::parse(&source, models).map_err(|source| CorpusError::Spec {
            name: name.clone(),
            source,
        })?;
        Ok(Program { name, path, spec })
    };
    paths.into_iter().map(program).collect()
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) -> Result<(), CorpusError> {
    let failed = |source| CorpusError::Io {
        path: dir.to_owned(),
        source,
    };
    for entry in fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "c") {
            paths.push(path);
        }
    }
    Ok(())
}

/// The binary under test: `MNEME_BIN`, otherwise the one of the profile that the calling test was built with, rebuilt
/// first, because a test of yesterday's binary proves nothing.
pub fn locate_mneme() -> Result<PathBuf, CorpusError> {
    if let Some(path) = env::var_os("MNEME_BIN").map(PathBuf::from) {
        let absolute = path.canonicalize();
        return absolute.map_err(|error| CorpusError::Mneme(format!("MNEME_BIN is `{}`: {error}", path.display())));
    }
    let fail = |what: &str| CorpusError::Mneme(format!("cannot find the mneme binary: {what}; set MNEME_BIN"));
    let test = env::current_exe().map_err(|error| fail(&error.to_string()))?;
    // target/<profile>/deps/corpus-…
    let profile = test
        .ancestors()
        .nth(2)
        .ok_or_else(|| fail("the test is not in a target directory"))?;
    let target = profile
        .parent()
        .ok_or_else(|| fail("the test is not in a target directory"))?;
    let name = match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(name) => name,
        None => return Err(fail("the test is not in a target directory")),
    };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--package",
            "mneme",
            "--profile",
            name,
            "--target-dir",
        ])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    match build {
        Ok(status) if status.success() => Ok(profile.join("mneme")),
        Ok(status) => Err(fail(&format!("building it ended with {status}"))),
        Err(error) => Err(fail(&format!("cargo does not run: {error}"))),
    }
}

/// The names of the models that the binary has.
pub fn models(mneme: &Path) -> Result<Vec<String>, CorpusError> {
    let fail = |what: String| CorpusError::Mneme(format!("`mneme run --list-models` fails: {what}"));
    let output = Command::new(mneme)
        .args(["run", "--list-models"])
        .output()
        .map_err(|error| fail(error.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let names: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        Err(fail("it names none".to_owned()))
    } else {
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corpus is readable without the binary, so that a misspelt directive fails early and cheaply.
    #[test]
    fn every_program_of_the_corpus_has_a_valid_spec() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
        let models = ["objects", "planes", "planes-naive", "heaplets", "regions"].map(str::to_owned);
        let programs = programs(&root, &models).unwrap();
        assert!(programs.len() >= 80, "only {} programs", programs.len());
        let models_named = |name: &str| programs.iter().filter(|p| p.name.starts_with(name)).count();
        assert_eq!(models_named("papers/"), 40);
    }

    #[test]
    fn a_broken_program_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/a.c"), "// PATHS: x\n").unwrap();
        fs::write(dir.path().join("note.txt"), "// PATHS: x\n").unwrap();
        let error = programs(dir.path(), &[]).unwrap_err();
        assert_eq!(error.to_string(), "sub/a.c, line 1: `x` is not a number of paths");
    }
}
