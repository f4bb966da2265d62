//! Fingerprints the sources of terms and solvers, so that answers kept by one build are not used by another that may
//! simplify or decide differently.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    let mut hasher = DefaultHasher::new();
    for root in ["src", "../term/src"] {
        println!("cargo::rerun-if-changed={root}");
        let mut files = Vec::new();
        collect(Path::new(root), &mut files);
        files.sort();
        for file in files {
            file.hash(&mut hasher);
            fs::read(&file).unwrap_or_default().hash(&mut hasher);
        }
    }
    println!("cargo::rustc-env=MNEME_SOLVER_SOURCES={:016x}", hasher.finish());
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}
