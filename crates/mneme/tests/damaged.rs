//! Damaged bitcode and damaged tests, two hundred of them, always the same: mneme answers in time and in words.
//! `make mutate` does so with thousands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Far more than any of these runs needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Numbers that look random and are the same everywhere (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % bound as u64) as usize
    }

    /// Flips a bit, changes a byte or a word, cuts, removes, or repeats a piece.
    fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let at = self.below(bytes.len());
        let end = (at + [1, 4, 16, 64][self.below(4)]).min(bytes.len());
        match self.below(6) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
            2 => bytes[at..end].fill(0xff),
            3 => bytes.truncate(at),
            4 => _ = bytes.drain(at..end),
            _ => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        bytes
    }
}

/// Runs mneme and sees to it that it ends by itself, with an exit code that is documented and a sentence where nothing
/// ran.
fn answers(args: &[&Path], log: &Path) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(log).unwrap())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begin.elapsed() < PATIENCE, "{args:?} does not end");
        std::thread::sleep(Duration::from_millis(2));
    };
    let said = String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned();
    assert!(matches!(status.code(), Some(0..=3)), "{args:?}: {status}: {said}");
    assert!(
        status.code() != Some(2) || said.starts_with("mneme: "),
        "{args:?}: {said}"
    );
}

/// The file is kept when the test fails, so that the failure can be repeated.
fn each(what: &str, count: usize, seeds: &[Vec<u8>], check: impl Fn(&Path, &Path)) {
    let mut random = Random(1);
    let dir = tempfile::tempdir().unwrap().keep();
    for index in 0..count {
        let seed = &seeds[random.below(seeds.len())];
        let path = dir.join(format!("{index}.{what}"));
        fs::write(&path, random.damage(seed)).unwrap();
        check(&path, &dir);
        fs::remove_file(&path).unwrap();
    }
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn damaged_bitcode_is_explored_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let seeds: Vec<Vec<u8>> = [
        "control/switch_ok.c",
        "pointers/list_reverse_ok.c",
        "memory/oob_read_bad.c",
    ]
    .iter()
    .map(|name| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let out = dir.path().join("seed.bc");
        let clang = Command::new("clang-19")
            .args(["-c", "-emit-llvm", "-w", "-O1", "-I"])
            .arg(root.join("crates/runtime/include"))
            .arg(root.join("tests/c").join(name))
            .arg("-o")
            .arg(&out)
            .status();
        assert!(clang.unwrap().success());
        fs::read(out).unwrap()
    })
    .collect();
    each("bc", 50, &seeds, |path, dir| {
        let out = dir.join("out");
        let limit: [PathBuf; 6] = ["run", "--max-time", "1", "--max-memory", "2000", "--out"].map(PathBuf::from);
        let args: Vec<&Path> = limit
            .iter()
            .map(PathBuf::as_path)
            .chain([out.as_path(), path])
            .collect();
        answers(&args, &dir.join("log"));
    });
}

#[test]
fn damaged_tests_are_listed_or_refused() {
    let mut test = mneme_report::KTest::new("prog.bc");
    test.args.push("-x".into());
    for (name, bytes) in [
        ("n", vec![1, 2, 3, 4]),
        ("text", b"hello, world".to_vec()),
        ("none", vec![]),
    ] {
        let name = name.into();
        test.objects.push(mneme_report::KTestObject { name, bytes });
    }
    each("ktest", 150, &[test.to_bytes().unwrap()], |path, dir| {
        answers(&[Path::new("tests"), path], &dir.join("log"));
    });
}
