//! The help as people see it. `MNEME_UPDATE=1 cargo test -p mneme --test help` writes the expected texts anew.

use std::path::Path;
use std::process::Command;

#[test]
fn the_help_reads_as_written_down() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    for command in ["", "run", "check", "replay", "tests"] {
        for option in ["--help", "--help-all"] {
            let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
                .args(command.split_whitespace())
                .arg(option)
                .env_remove("COLUMNS")
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0));
            let shown = String::from_utf8(output.stdout).unwrap();
            let name = format!(
                "mneme{}{command}{}.txt",
                if command.is_empty() { "" } else { "-" },
                &option[1..]
            );
            let path = dir.join(&name);
            if std::env::var_os("MNEME_UPDATE").is_some() {
                std::fs::write(&path, &shown).unwrap();
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(shown, expected, "{name} differs");
        }
    }
}

/// The short help of every command fits on a screen.
#[test]
fn the_short_help_is_short() {
    for command in ["run", "check", "replay", "tests"] {
        let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
            .args([command, "-h"])
            .output()
            .unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.lines().count() <= 56, "{shown}");
        assert!(shown.lines().all(|line| line.len() <= 100), "{shown}");
    }
}
