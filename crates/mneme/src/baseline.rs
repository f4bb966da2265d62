//! `--baseline` and `--write-baseline`: what a run does with known findings.

use crate::cli::{Format, RunArgs};
use crate::writer::Writer;
use mneme_report::{Baseline, BaselineError};

/// The known findings; read before anything else, so that a wrong file is noticed at once.
pub fn read(args: &RunArgs) -> Result<Option<Baseline>, BaselineError> {
    args.baseline.as_deref().map(Baseline::read).transpose()
}

/// Writes the baseline for the next run, and reports known findings that did not occur.
pub fn close(args: &RunArgs, writer: &Writer, complete: bool) -> Result<(), BaselineError> {
    if let Some(path) = &args.write_baseline {
        writer.next_baseline().write(path)?;
    }
    let left = writer.baseline.as_ref().map_or(0, Baseline::left);
    if left > 0 && !args.quiet && args.format == Format::Text {
        let (findings, occur) = match left {
            1 => ("finding", "occurs"),
            _ => ("findings", "occur"),
        };
        match complete {
            true => say!("{left} {findings} of the baseline no longer {occur}; `--write-baseline` forgets them"),
            false => say!("{left} {findings} of the baseline did not occur in what was explored"),
        }
    }
    Ok(())
}
