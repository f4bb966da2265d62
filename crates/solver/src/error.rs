//! What can go wrong while a chain is set up. Once it runs, any trouble is an `Unknown` answer.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    #[error("the solver command is empty")]
    EmptyCommand,
    #[error("the solver `{command}` cannot be started: {source}")]
    Start { command: String, source: std::io::Error },
    #[error("queries cannot be logged to `{}`: {source}", directory.display())]
    LogDirectory { directory: PathBuf, source: std::io::Error },
    #[error("answers cannot be kept in `{}`: {source}; give another directory", directory.display())]
    CacheDirectory { directory: PathBuf, source: std::io::Error },
}
