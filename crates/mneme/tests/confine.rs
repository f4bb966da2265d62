//! Hostile programs, replayed: whatever they do, nothing is left outside the folder of the run, and they end with it.

use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What every hostile program begins with. `path` names a place outside, which the test passes as an argument.
const HEAD: &str = "#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
static int writes(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return 0;
  int done = write(fd, \"hostile\", 7) == 7;
  close(fd);
  return done;
}
";

struct Replayed {
    document: Value,
    stderr: String,
    took: Duration,
}

impl Replayed {
    fn verdict(&self) -> &str {
        self.document["tests"][0]["verdict"].as_str().unwrap_or("")
    }

    fn reason(&self) -> &str {
        self.document["tests"][0]["reason"].as_str().unwrap_or("")
    }

    /// Whether the kernel could not do all that a test needs; then says so.
    fn is_unconfined(&self, test: &str) -> bool {
        let shortfalls = self.document["unconfined"].as_array().expect("what the kernel cannot");
        if !shortfalls.is_empty() {
            println!("{test}: skipped: {shortfalls:?}");
            assert!(self.stderr.contains("not fully confined"), "{}", self.stderr);
        }
        !shortfalls.is_empty()
    }
}

/// Replays an empty test of a program, whose temporary files go to a folder of their own.
fn replay(dir: &TempDir, body: &str, exit: &str, options: &[&str], args: &[&str]) -> Replayed {
    let (program, test, temporary) = (
        dir.path().join("p.c"),
        dir.path().join("t.ktest"),
        dir.path().join("tmp"),
    );
    fs::write(
        &program,
        format!("{HEAD}int main(int argc, char **argv) {{\n{body}\n}}\n"),
    )
    .unwrap();
    mneme_report::KTest::new("p").write(&test).unwrap();
    fs::create_dir_all(&temporary).unwrap();
    let begin = Instant::now();
    let Output { stdout, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["replay", "--format", "json", "--expect-exit", exit])
        .args(options)
        .args([&test, &program])
        .arg("--")
        .args(args)
        .env("TMPDIR", &temporary)
        .output()
        .expect("mneme runs");
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    let document = serde_json::from_slice(&stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let left: Vec<_> = fs::read_dir(&temporary)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    Replayed {
        document,
        stderr,
        took: begin.elapsed(),
    }
}

/// Whether a process runs that was given this word.
fn runs(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| line.split(|&byte| byte == 0).any(|part| part == word.as_bytes()))
}

/// A name that no other test has.
fn unique(dir: &TempDir, name: &str) -> String {
    let folder = dir.path().file_name().unwrap().to_string_lossy().into_owned();
    format!("{name}{folder}")
}

#[test]
fn a_program_writes_in_its_own_folder_only() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let victim = outside.join("victim");
    fs::write(&victim, "precious").unwrap();
    let (home, old) = (outside.to_str().unwrap(), victim.to_str().unwrap());
    let body = "  char path[4096];
  int bad = 0;
#define OUTSIDE(name) (snprintf(path, sizeof path, \"%s/%s\", argv[1], name), path)
  bad |= writes(OUTSIDE(\"absolute\"));
  bad |= writes(argv[2]) << 1;
  bad |= (truncate(argv[2], 0) == 0) << 2;
  bad |= (writes(\"../x\") || writes(\"../../x\") || writes(\"../record\")) << 3;
  if (symlink(argv[1], \"link\")) return 101;
  bad |= writes(\"link/by-link\") << 4;
  if (symlink(OUTSIDE(\"dangling\"), \"dangling\")) return 102;
  bad |= writes(\"dangling\") << 4;
  bad |= (rename(argv[2], \"stolen\") == 0 || unlink(argv[2]) == 0 || link(argv[2], \"hard\") == 0) << 5;
  bad |= (mkdir(OUTSIDE(\"folder\"), 0755) == 0 || mkfifo(OUTSIDE(\"fifo\"), 0644) == 0) << 5;
  bad |= (chmod(argv[2], 0777) == 0 || chmod(argv[1], 0777) == 0) << 6;
  snprintf(path, sizeof path, \"echo hostile > %s/by-shell\", argv[1]);
  if (!system(path)) bad |= 1;
  /* What is allowed. */
  if (!writes(\"own\") || !writes(\"/dev/null\") || mkdir(\"sub\", 0755) || !writes(\"sub/own\")) return 103;
  if (rename(\"sub/own\", \"moved\") || unlink(\"moved\") || truncate(\"own\", 3)) return 104;
  if (open(argv[2], O_RDONLY) < 0) return 105;
  return bad;";
    let replayed = replay(&dir, body, "0", &[], &[home, old]);
    if replayed.is_unconfined("a_program_writes_in_its_own_folder_only") {
        return;
    }
    assert_eq!(
        (replayed.verdict(), replayed.reason()),
        ("confirmed", "it exits with 0"),
        "{}",
        replayed.stderr
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_ne!(fs::metadata(&victim).unwrap().permissions().mode() & 0o777, 0o777);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

/// A file of 10 GB that takes space, one that is all hole, and many small ones.
#[test]
fn files_have_a_limit() {
    let full = "  static char block[1 << 20];
  memset(block, 'x', sizeof block);
  int fd = open(\"huge\", O_WRONLY | O_CREAT, 0644);
  for (long i = 0; i < 10240; i++)
    if (write(fd, block, sizeof block) < 0) return 1;
  return 0;";
    let hole = "  int fd = open(\"hole\", O_WRONLY | O_CREAT, 0644);
  return ftruncate(fd, 10L << 30) ? 0 : 1;";
    let ignoring = "  signal(SIGXFSZ, SIG_IGN);
  static char block[1 << 20];
  memset(block, 'x', sizeof block);
  for (int n = 0;; n++) {
    char name[32];
    snprintf(name, sizeof name, \"part%d\", n);
    int fd = open(name, O_WRONLY | O_CREAT, 0644);
    while (write(fd, block, sizeof block) > 0) { }
    close(fd);
  }";
    let many = "  for (int n = 0;; n++) {
    char name[32];
    snprintf(name, sizeof name, \"f%d\", n);
    close(open(name, O_WRONLY | O_CREAT, 0644));
  }";
    let deep = "  for (;;) { mkdir(\"d\", 0755); if (chdir(\"d\")) pause(); }";
    for (body, limit) in [
        (full, "a file of more than 256 MiB"),
        (hole, "a file of more than 256 MiB"),
        (ignoring, "more than 1 GiB"),
        (many, "more than 10000 files"),
        (deep, "nested more than 64 deep"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let replayed = replay(&dir, body, "0", &[], &[]);
        let limited = replayed.verdict() == "not checkable" && replayed.reason().contains(limit);
        assert!(limited, "{limit}: {} {}", replayed.verdict(), replayed.reason());
        assert!(replayed.took < Duration::from_secs(30), "{limit}: {:?}", replayed.took);
    }
}

/// By `system`, by `fork`, and by `fork` in new sessions.
#[test]
fn a_bomb_of_processes_ends_with_its_test() {
    for (kind, body) in [
        (
            "by-system",
            "  char line[256];
  snprintf(line, sizeof line, \"b() { b %s | b %s & }; b %s; sleep 61\", argv[1], argv[1], argv[1]);
  return system(line) != 0;",
        ),
        ("by-fork", "  for (;;) fork();"),
        ("by-session", "  for (;;) if (!fork()) setsid();"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mark = unique(&dir, kind);
        let replayed = replay(&dir, body, "0", &[], &[&mark]);
        assert!(replayed.took < Duration::from_secs(30), "{kind}: {:?}", replayed.took);
        // On a busy machine the time of the test may be up before there are as many.
        let limits = ["more than 128 processes", "does not end within"];
        let limited = limits.iter().any(|limit| replayed.reason().contains(limit));
        assert!(limited, "{kind}: {} {}", replayed.verdict(), replayed.reason());
        assert!(!runs(&mark), "{kind}: processes are left");
    }
}

/// In the background, and as a daemon that has left its session and its parent.
#[test]
fn no_process_outlives_its_test() {
    let dir = tempfile::tempdir().unwrap();
    let mark = unique(&dir, "outlives");
    let body = "  char line[512];
  signal(SIGTERM, SIG_IGN);
  snprintf(line, sizeof line, \"sh -c 'sleep 62; :' %s > /dev/null 2>&1 &\", argv[1]);
  if (system(line)) return 1;
  if (!fork()) {
    setsid();
    if (fork()) _exit(0);
    for (int fd = 0; fd < 100; fd++) close(fd);
    execlp(\"sh\", \"sh\", \"-c\", \"sleep 63; :\", argv[1], (char *)0);
    _exit(1);
  }
  poll(NULL, 0, 200);
  return 7;";
    for options in [&[][..], &["--timeout", "0.1"]] {
        let replayed = replay(&dir, body, "7", options, &[&mark]);
        let verdict = if options.is_empty() {
            "confirmed"
        } else {
            "not checkable"
        };
        assert_eq!(replayed.verdict(), verdict, "{}", replayed.reason());
        assert!(replayed.took < Duration::from_secs(20), "{:?}", replayed.took);
        assert!(!runs(&mark), "processes are left: {options:?}");
    }
}

/// If the replay itself is killed, its tests do not go on.
#[test]
fn no_process_outlives_the_replay() {
    let dir = tempfile::tempdir().unwrap();
    let mark = unique(&dir, "orphan");
    let (program, test) = (dir.path().join("p.c"), dir.path().join("t.ktest"));
    fs::write(
        &program,
        format!("{HEAD}int main(void) {{ setsid(); fork(); for (;;) pause(); }}\n"),
    )
    .unwrap();
    mneme_report::KTest::new("p").write(&test).unwrap();
    let mut replay = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["replay", "--timeout", "60"])
        .args([&test, &program])
        .args(["--", &mark])
        .env("TMPDIR", dir.path())
        .spawn()
        .expect("mneme runs");
    let tests = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        let part = [b"\0", mark.as_bytes(), b"\0"].concat();
        lines
            .filter(|line| line.windows(part.len()).any(|window| window == part))
            .count()
    };
    let wait = |what: &str, done: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !done() {
            assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    // The replay, its guard, and the test twice.
    wait("the test does not start", &|| tests() >= 4);
    replay.kill().unwrap();
    replay.wait().unwrap();
    wait("processes are left", &|| tests() == 0);
}

#[test]
fn there_is_no_network() {
    let dir = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let body = "  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int reached = connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to, sizeof to) == 0;
  to.sin_addr.s_addr = inet_addr(\"192.0.2.1\");
  int far = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (connect(far, (void *)&to, sizeof to) == 0 || errno == EINPROGRESS) reached |= 2;
  int datagram = socket(AF_INET, SOCK_DGRAM, 0);
  if (sendto(datagram, \"x\", 1, 0, (void *)&to, sizeof to) == 1) reached |= 4;
  return reached;";
    let replayed = replay(&dir, body, "0", &[], &[&port]);
    if replayed.is_unconfined("there_is_no_network") {
        return;
    }
    assert_eq!(
        (replayed.verdict(), replayed.reason()),
        ("confirmed", "it exits with 0")
    );
    assert!(listener.accept().is_err(), "the program connected");
}

/// What a program sees of itself is as it was explored: its name, its arguments, a user who is not root, an empty folder,
/// its own end.
#[test]
fn an_honest_program_notices_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let body =
        "  if (strcmp(argv[0], \"p\") || argc != 3 || strcmp(argv[1], \"-x\") || strcmp(argv[2], \"\")) return 1;
  if (getuid() != 1000 || geteuid() != 1000) return 2;
  if (system(\"test -z \\\"$(ls -A)\\\"\")) return 3;
  char where[64];
  snprintf(where, sizeof where, \"/proc/%d/stat\", (int)getpid());
  if (access(where, R_OK)) return 4;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return 5;
  raise(SIGUSR1);
  return 6;";
    let replayed = replay(&dir, body, "0", &[], &["-x", ""]);
    assert_eq!(replayed.verdict(), "unconfirmed", "{}", replayed.reason());
    assert!(
        replayed.reason().starts_with("it ends by signal 10"),
        "{}",
        replayed.reason()
    );
}

/// Nothing of a run's folder is seen by the next test.
#[test]
fn every_test_has_an_empty_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (program, tests) = (dir.path().join("p.c"), dir.path().join("tests"));
    fs::create_dir(&tests).unwrap();
    let body = "int main(void) { return mkdir(\"mine\", 0) ? 1 : 0; }\n";
    fs::write(&program, format!("{HEAD}{body}")).unwrap();
    for number in 1..=3 {
        let name = format!("test{number:06}.ktest");
        mneme_report::KTest::new("p")
            .write(&tests.join(Path::new(&name)))
            .unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .arg("replay")
        .args([&tests, &program])
        .output()
        .expect("mneme runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(shown.matches("it exits with 0").count(), 3, "{shown}");
}

/// Where the kernel allows no namespaces, the guard adopts what its test leaves behind and ends it.
#[test]
fn without_namespaces_no_process_is_left_either() {
    for (namespaces, script, record) in [
        ("none", "setsid sh -c 'sleep 64; :' MARK & exit 5", "exited 5\n"),
        ("network", "setsid sh -c 'sleep 64; :' MARK & exit 5", "exited 5\n"),
        (
            "none",
            "b() { setsid sh -c 'sleep 65; :' MARK & b; }; b",
            "limit it has more than 128 processes\n",
        ),
        ("none", "kill -USR1 $$", "signalled 10\n"),
        ("none", "setsid sleep 66 & sleep 66", "timed-out\n"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mark = unique(&dir, "adopted");
        let folder = dir.path().join("run");
        fs::create_dir(&folder).unwrap();
        let path = std::env::var("PATH").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
            .args(["confined-run", "run", namespaces])
            .args([&folder, &dir.path().join("record")])
            .args(["5000", "", "1", &format!("PATH={path}")])
            .args(["sh", "-c", &script.replace("MARK", &mark)])
            .output()
            .expect("mneme runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        if namespaces == "network" && !output.status.success() {
            println!("skipped: user namespaces are not allowed: {stderr}");
            continue;
        }
        assert_eq!(
            fs::read_to_string(dir.path().join("record")).unwrap(),
            record,
            "{script}: {stderr}"
        );
        assert!(!runs(&mark), "{script}: processes are left");
    }
}
