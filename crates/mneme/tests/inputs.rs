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
        &["imag:0:4"],
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

#[test]
fn calls_that_fail_are_replayed() {
    let folder = folder(
        r#"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char block[4] = "";
  struct stat about;
  int fd = open("data", O_RDONLY), code = 0;
  if (fd < 0 || fstat(fd, &about) != 0)
    return 1;
  long count = read(fd, block, 2), more = count < 0 ? 0 : read(fd, block + count, 2);
  code = (int)(count + 2 * more);
  if (close(fd) != 0)
    return 10 + code;
  FILE *out = fopen("copy", "w");
  if (out == NULL)
    return 20 + code;
  if (fwrite(block, 1, 2, out) != 2)
    code += 30 + (ferror(out) != 0);
  if (fclose(out) != 0)
    return 40 + code;
  FILE *in = fopen("copy", "r");
  if (in == NULL || fgetc(in) == EOF)
    return 50 + code;
  printf("%c\n", block[1]);
  if (mkdir("made", 0755) != 0 || rename("copy", "made/copy") != 0 || opendir("made") == NULL)
    return 60 + code;
  if (write(1, "end\n", 4) != 4)
    return 70 + code;
  return unlink("made/copy") == 0 ? code : 80 + code;
}
"#,
    );
    let words = "run a.c --sym-file data 4 --sym-failures 2";
    let words: Vec<&str> = words.split(' ').collect();
    let (text, code) = mneme(folder.path(), &words, "");
    assert!(text.ends_with("all paths explored\n"), "{text}");
    assert_eq!(code, 0, "{text}");
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
    assert_eq!(code, 0);
}

#[test]
fn what_a_connection_sends_is_replayed() {
    let folder = folder(
        r#"
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(7)};
  there.sin_addr.s_addr = inet_addr("127.0.0.1");
  char answer[8] = "";
  int fd = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);
  if (recv(fd, answer, 1, 0) >= 0 || connect(fd, (struct sockaddr *)&there, sizeof there) != 0)
    return 1;
  if (send(fd, "hello", 5, 0) != 5)
    return 2;
  long count = recv(fd, answer, 7, 0);
  if (connect(other, (struct sockaddr *)&there, sizeof there) != 0 || read(other, answer + 7, 1) != 1)
    return 3;
  if (count == 2 && memcmp(answer, "no", 2) == 0)
    return 100 / (answer[7] - '!');
  return 4 + (int)count;
}
"#,
    );
    let words = ["run", "a.c", "--sym-socket", "3", "--confirm"];
    let (text, code) = mneme(folder.path(), &words, "");
    assert!(text.contains("division-by-zero at a.c:19:16: confirmed"), "{text}");
    assert!(text.ends_with("all paths explored\n"), "{text}");
    assert_eq!(code, 1);
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
    assert_eq!(code, 0);
}

/// What a program does to the world outside while it is explored stays in its path.
const ELSEWHERE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
int main(void) {
  wchar_t line[8];
  FILE *f = fopen("/nowhere/numbers", "r");
  if (f == NULL || fgetws(line, 8, f) == NULL)
    return 1;
  return 10 / (int)(wcstol(line, NULL, 10) - 3);
}
"#;

#[test]
fn files_outside_of_the_root_are_symbolic_with_all_inputs_and_replayed() {
    let folder = folder(ELSEWHERE);
    let words = [
        "run",
        "a.c",
        "--sym",
        "all",
        "--sym-file",
        "/nowhere/numbers",
        "1",
        "--confirm",
    ];
    let (text, code) = mneme(folder.path(), &words, "");
    assert!(text.contains("division-by-zero at a.c:10:13: confirmed"), "{text}");
    assert_eq!(code, 1, "{text}");
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
    assert_eq!(code, 0, "{text}");
    // Without a size for it, it may also be missing.
    let (text, _) = mneme(
        folder.path(),
        &["run", "a.c", "--sym", "all", "--max-instructions", "200000"],
        "",
    );
    assert!(!text.contains("outside --root"), "{text}");
}

#[test]
fn exploring_a_hostile_program_changes_nothing() {
    let folder = folder(
        r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void write_to(const char *name) {
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0) {
    write(fd, "hostile", 7);
    close(fd);
  }
}
int main(int argc, char **argv) {
  int way = getchar();
  write_to("here");
  write_to(argv[1]);
  switch (way) {
  case 'x':
    write_to("../x");
    return 0;
  case 'y':
    write_to("sub/../../x");
    return 0;
  case 'u':
    return unlink("precious");
  case 'r':
    return rename("precious", "../gone");
  case 'l':
    write_to("link/x");
    write_to("to-file");
    return 0;
  case 't': {
    FILE *f = fopen("precious", "w");
    return f == NULL || fputs("hostile", f) < 0;
  }
  case 'h': {
    int fd = open("huge", O_RDWR | O_CREAT, 0644);
    return ftruncate(fd, 10l << 30);
  }
  case 'd':
    return mkdir("../made", 0777) + rmdir("sub");
  case 's':
    return symlink("/", "root");
  case 'b':
    return system(":(){ :|:& };:; touch ../x");
  case 'f':
    return fork();
  case 'e':
    return execl("/bin/touch", "touch", "../x", NULL);
  }
  return 0;
}
"#,
    );
    let root = folder.path().join("root");
    let outside = folder.path().join("outside");
    for dir in [&root, &outside] {
        std::fs::create_dir(dir).unwrap();
    }
    std::fs::create_dir(root.join("sub")).unwrap();
    std::fs::rename(folder.path().join("a.c"), root.join("a.c")).unwrap();
    std::fs::write(root.join("precious"), "as it was").unwrap();
    std::fs::write(outside.join("file"), "as it was").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.join("file"), root.join("to-file")).unwrap();
    let there = outside.join("absolute");
    let out = folder.path().join("out");
    let words = [
        "run",
        "a.c",
        "--sym-stdin",
        "1",
        "--max-time",
        "60",
        "--out",
        out.to_str().unwrap(),
        "--",
    ];
    let words = [&words[..], &[there.to_str().unwrap()]].concat();
    let (text, _) = mneme(&root, &words, "");
    assert!(!text.contains("0 paths completed,"), "{text}");
    let names = |dir: &Path| {
        let entries = std::fs::read_dir(dir).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names(folder.path()), "out outside root");
    assert_eq!(names(&root), "a.c link precious sub to-file");
    assert_eq!(names(&outside), "file");
    for file in [root.join("precious"), outside.join("file")] {
        assert_eq!(std::fs::read_to_string(file).unwrap(), "as it was");
    }
}

#[test]
fn files_that_a_program_makes_elsewhere_are_there_in_replays() {
    let folder = folder(
        r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char name[] = "/var/tmp/mneme-XXXXXX";
  int fd = mkstemp(name);
  if (fd < 0 || write(fd, "x", 1) != 1 || lseek(fd, 0, SEEK_SET) != 0)
    return 1;
  FILE *f = fopen(name, "r");
  if (f == NULL || fgetc(f) != 'x' || unlink(name) != 0 || access(name, F_OK) == 0)
    return 2;
  const char *path = "/tmp/mneme-log";
  f = fopen(path, "w");
  struct stat about;
  if (f == NULL || fputs("line\n", f) < 0 || fclose(f) != 0 || stat(path, &about) != 0)
    return 4;
  return about.st_size == 5 && tmpfile() != NULL ? 7 : 5;
}
"#,
    );
    let (text, code) = mneme(folder.path(), &["run", "a.c"], "");
    assert_eq!(code, 0, "{text}");
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    let first = text.lines().next();
    assert_eq!(first, Some("test000001.ktest: confirmed: it exits with 7"));
    assert_eq!(code, 0);
}

#[test]
fn what_inputs_name_is_told_once() {
    let folder = folder(
        r#"
#include <stdio.h>
#include <fcntl.h>
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  int there = fopen(argv[1], "r") != NULL;
  return there ? 1 : open(argv[1], O_WRONLY | O_CREAT, 0600) < 0 ? 2 : 3;
}
"#,
    );
    let (text, code) = mneme(folder.path(), &["run", "a.c", "--sym-args", "0", "1", "2"], "");
    assert!(
        text.contains("every file that inputs name stayed concrete (--sym-file A 16)"),
        "{text}"
    );
    assert_eq!(text.matches("stayed concrete").count(), 1, "{text}");
    assert!(!text.contains("outside --root"), "{text}");
    assert_eq!(code, 3);
    // An empty name is that of no file, and none can be made by it, or by one that ends with a slash.
    let (text, _) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
    let (text, _) = mneme(
        folder.path(),
        &["run", "a.c", "--sym", "all", "--sym-args", "1", "1", "1"],
        "",
    );
    assert!(!text.contains("every file"), "{text}");
    let (text, _) = mneme(folder.path(), &["tests", "mneme-out"], "");
    assert!(text.contains("A-data"), "{text}");
    let (text, _) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
}

#[test]
fn what_a_directory_lists_is_there_in_replays() {
    let folder = folder(
        r#"
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
int main(void) {
  int count = 0, directories = 0;
  DIR *dir = opendir(".");
  for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL; count++) {
    struct stat about;
    if (stat(entry->d_name, &about) != 0 || S_ISDIR(about.st_mode) != (entry->d_type == DT_DIR))
      return 100;
    directories += S_ISDIR(about.st_mode) != 0;
  }
  return closedir(dir) == 0 ? 10 * directories + count : 101;
}
"#,
    );
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/x"), "x").unwrap();
    let (text, _) = mneme(folder.path(), &["run", "a.c"], "");
    assert!(text.contains("the file `a.c` stayed concrete"), "{text}");
    let (text, code) = mneme(folder.path(), &["replay", "mneme-out", "a.c"], "");
    let first = text.lines().next();
    assert_eq!(first, Some("test000001.ktest: confirmed: it exits with 34"));
    assert_eq!(code, 0);
    let (text, _) = mneme(folder.path(), &["run", "a.c", "--root", "sub"], "");
    assert!(text.contains("1 path completed"), "{text}");
}
