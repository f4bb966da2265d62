//! Inputs from outside through the binary: what is piped, files of the root, and replays of what was symbolic.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `mneme` in a folder, with this standard input; its standard output and exit code.
fn mneme(folder: &Path, words: &[&str], input: &str) -> (String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code().unwrap_or(-1))
}

fn folder(program: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), program).unwrap();
    folder
}

const COPY: &str = r#"
#include <stdio.h>
int main(void) {
  char line[32] = "";
  FILE *f = fopen("data/in.txt", "r"), *out = fopen("out.txt", "w");
  if (f == NULL || out == NULL || fgets(line, sizeof line, f) == NULL)
    return 3;
  fputs(line, stdout);
  fputs(line, out);
  while (fgets(line, sizeof line, stdin) != NULL)
    fputs(line, stdout);
  return 5;
}
"#;

#[test]
fn what_is_piped_and_files_of_the_root_are_read_and_replayed() {
    let folder = folder(COPY);
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/in.txt"), "from a file\n").unwrap();
    let (text, code) = mneme(folder.path(), &["run", "a.c", "--program-output"], "one\ntwo\n");
    assert!(text.starts_with("from a file\none\ntwo\n"), "{text}");
    for source in [
        "standard input stayed concrete (--sym-stdin 16)",
        "the file `data/in.txt` stayed concrete (--sym-file data/in.txt 16)",
    ] {
        assert!(text.contains(source), "{text}");
    }
    assert_eq!(code, 3);
    assert!(!folder.path().join("out.txt").exists());
    // A replay finds both where they were kept, whatever has become of them.
    std::fs::remove_dir_all(folder.path().join("data")).unwrap();
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert_eq!(
        text.lines().next(),
        Some("test000001.ktest: confirmed: it exits with 5")
    );
    assert_eq!(code, 0);
}

#[test]
fn a_part_of_a_real_file_is_symbolic() {
    let folder = folder(
        r#"
#include <stdio.h>
int main(void) {
  char head[8];
  FILE *f = fopen("image", "rb");
  if (f == NULL || fread(head, 1, 8, f) != 8 || head[0] != 'P' || head[7] != '!')
    return 1;
  return 100 / (head[4] - '7');
}
"#,
    );
    std::fs::write(folder.path().join("image"), "P......!").unwrap();
    let words = ["run", "a.c", "--sym-bytes", "./image:4:2", "--confirm"];
    let (text, code) = mneme(folder.path(), &words, "");
    assert!(text.contains("image:4 = \"7"), "{text}");
    assert!(text.contains("division-by-zero at a.c:8:14: confirmed"), "{text}");
    assert!(text.ends_with("all paths explored\n"), "{text}");
    assert_eq!(code, 1);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("image")).unwrap(),
        "P......!"
    );
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
    assert_eq!(code, 0);
    // Bytes that the file does not have are not symbolic, and the run says so.
    let (text, code) = mneme(folder.path(), &["run", "a.c", "--sym-bytes", "image:8:1"], "");
    assert!(text.contains("the file `image` stayed concrete"), "{text}");
    assert_eq!(code, 3);
    for wrong in [
        &["image"][..],
        &["image:4"],
        &[":4:2"],
        &["image:x:2"],
        &["image:4:-1"],
        &["image:0:4", "--sym-bytes", "image:3:1"],
    ] {
        let words = [&["run", "a.c", "--sym-bytes"], wrong].concat();
        assert_eq!(mneme(folder.path(), &words, ""), (String::new(), 2), "{wrong:?}");
    }
}

#[test]
fn symbolic_inputs_of_every_kind_are_replayed() {
    let folder = folder(
        r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv) {
  FILE *f = fopen("conf", "r");
  int c = f == NULL ? 'x' : fgetc(f);
  char *e = getenv("DEPTH");
  if (argc == 2 && strcmp(argv[1], "-") == 0 && getchar() == 'q' && e != NULL && *e == 'e')
    return 10 / (c - 'f') + (rand() == 5) + (time(NULL) % 60 == 7);
  return argc;
}
"#,
    );
    let words =
        "run a.c --confirm --sym-args 0 1 1 --sym-stdin 1 --sym-file conf 1 --sym-env DEPTH 1 --sym-rand --sym-time";
    let words: Vec<&str> = words.split(' ').collect();
    let (text, code) = mneme(folder.path(), &words, "ignored");
    assert!(text.contains("division-by-zero at a.c:11:15: confirmed"), "{text}");
    assert!(text.ends_with("all paths explored\n"), "{text}");
    assert_eq!(code, 1);
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
    assert_eq!(code, 0);
}
