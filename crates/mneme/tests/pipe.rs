//! `mneme run … | head -1`: a reader that goes away changes nothing but what it sees.

use std::process::{Command, Stdio};

#[test]
fn a_closed_pipe_is_no_panic_and_keeps_the_exit_code() {
    let out = tempfile::tempdir().unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packet.c");
    let mut child = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["run", program, "--out"])
        .arg(out.path().join("out"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(out.path().join("out/stats.json").exists());
}
