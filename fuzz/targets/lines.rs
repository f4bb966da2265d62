//! Files with a JSON object a line that a run reads back: baselines, predictions, and findings, which are shown again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mneme_report::{Baseline, Detail, OutDir, Style, read_records, render_with, sarif};
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    if let Ok(baseline) = Baseline::from_bytes(data) {
        baseline.left();
    }
    let dir = tempfile::tempdir().unwrap();
    OutDir::create(Some(dir.path())).unwrap();
    for name in ["tests.jsonl", "findings.jsonl"] {
        std::fs::write(dir.path().join(name), data).unwrap();
    }
    let out = OutDir::reopen(dir.path()).unwrap();
    let _ = read_records(dir.path());
    let findings = out.known_findings().unwrap_or_default();
    // Where a finding points to is as foreign as the rest: here it points into its own file.
    let source = |_: &Path| Some(data.to_vec());
    for finding in &findings {
        for detail in [Detail::Short, Detail::Whole] {
            render_with(finding, dir.path(), Style::Colour, detail, &source);
        }
    }
    sarif(&findings, Path::new("/nowhere"));
});
