//! Results that are kept for later runs: a function that has not changed, nor anything that it calls, is not explored
//! again.

use super::fingerprint;
use super::one::Explored;
use crate::cli::CheckArgs;
use mneme_program::Program;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

pub struct Kept {
    dir: Option<PathBuf>,
    /// For each function what its results depend on.
    keys: Vec<String>,
}

impl Kept {
    pub fn new(args: &CheckArgs, program: &Program) -> Kept {
        let keys = match args.cache_dir {
            None => Vec::new(),
            Some(_) => {
                let run = of_run(args);
                let all = fingerprint::fingerprints(program).into_iter();
                all.map(|function| format!("{function:016x}{run:016x}")).collect()
            }
        };
        let dir = args.cache_dir.as_ref().map(|dir| dir.join("check"));
        Kept { dir, keys }
    }

    fn path(&self, function: usize) -> Option<PathBuf> {
        Some(self.dir.as_ref()?.join(format!("{}.json", self.keys[function])))
    }

    /// The results of a function that an earlier run has explored.
    pub fn find(&self, function: usize) -> Option<Explored> {
        let text = std::fs::read(self.path(function)?).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps the results of a function. That is for speed only: what cannot be written is not kept.
    pub fn keep(&self, function: usize, explored: &Explored) {
        let Some((path, dir)) = self.path(function).zip(self.dir.as_ref()) else {
            return;
        };
        let text = serde_json::to_vec(explored).expect("plain data");
        let written = std::fs::create_dir_all(dir)
            .and_then(|()| tempfile::NamedTempFile::new_in(dir))
            .and_then(|mut file| std::io::Write::write_all(&mut file, &text).map(|()| file))
            .map(|file| file.persist(path));
        if let Err(error) = written {
            tracing::warn!(%error, "the results of a function cannot be kept");
        }
    }
}

/// What all results of a run depend on: the options, and Mneme itself.
fn of_run(args: &CheckArgs) -> u64 {
    let mut hash = DefaultHasher::new();
    let binary = std::fs::metadata("/proc/self/exe").ok();
    let changed = binary.and_then(|file| Some((file.len(), file.modified().ok()?)));
    (
        env!("CARGO_PKG_VERSION"),
        changed,
        &args.model,
        args.chosen().in_force(),
    )
        .hash(&mut hash);
    (
        args.structure_depth,
        args.elements,
        args.odd_callers,
        &args.unknown_calls,
        args.confirm_sarif.is_empty(),
    )
        .hash(&mut hash);
    (args.inline_depth, args.loop_rounds, args.max_memory).hash(&mut hash);
    (args.function_time.to_bits(), args.solver_timeout.to_bits()).hash(&mut hash);
    hash.finish()
}
