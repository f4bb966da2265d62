//! Completions and manual pages: what shells and `man` make of them.

use std::io::Write;
use std::process::{Command, Stdio};

fn mneme(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_mneme")).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    output.stdout
}

#[test]
fn bash_completes_options() {
    let script = String::from_utf8(mneme(&["completions", "bash"])).unwrap();
    let ask = "COMP_WORDS=(mneme run --max-t) COMP_CWORD=2; _mneme mneme --max-t run; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["-c", &format!("{script}\n{ask}")])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--max-time\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn the_other_shells_have_their_scripts() {
    assert!(
        String::from_utf8(mneme(&["completions", "zsh"]))
            .unwrap()
            .starts_with("#compdef mneme")
    );
    assert!(
        String::from_utf8(mneme(&["completions", "fish"]))
            .unwrap()
            .contains("complete -c mneme")
    );
}

/// Also what the short help leaves out is explained; and where groff is installed, it has nothing to complain about.
#[test]
fn manual_pages_are_complete_and_well_formed() {
    for page in [
        &["man"][..],
        &["man", "run"],
        &["man", "replay"],
        &["man", "tests"],
        &["man", "models"],
    ] {
        let text = mneme(page);
        assert!(text.windows(3).any(|word| word == b".TH"), "{page:?}");
        assert!(text.is_ascii(), "{page:?}");
        if page == ["man", "run"] {
            let text = String::from_utf8_lossy(&text);
            assert!(text.contains("Forks along one path"), "{text}");
        }
        let groff = Command::new("groff")
            .args(["-ww", "-man", "-Tutf8", "-z"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut groff) = groff else { continue };
        groff.stdin.take().unwrap().write_all(&text).unwrap();
        let output = groff.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{page:?}");
    }
}
