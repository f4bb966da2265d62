//! Native programs with sanitizers.
//!
//! Everything is compiled in one temporary folder, once for each [`Build`]. UndefinedBehaviorSanitizer continues after
//! a report: a program may rely on behaviour that Mneme does not count as a fault (overflow, say) before it reaches the
//! finding.

use crate::Source;
use crate::confine::Room;
use mneme_report::KTest;
use mneme_runtime::ALLOCATORS;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const CLANG: &str = "clang-19";

/// As lenient as `mneme run`.
const LENIENT: &[&str] = &[
    "-w",
    "-fno-color-diagnostics",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

const ALWAYS: &[&str] = &[
    "-g",
    "-O0",
    "-fno-omit-frame-pointer",
    "-fno-stack-protector",
    "-ffp-contract=off",
];

/// Functions of the C library as a confined program needs them.
const SHIM: (&str, &str) = ("confine_shim.c", include_str!("confine/shim.c"));

/// The tool that a test is run under.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Tool {
    Address,
    Leak,
    /// Uninitialised memory: MemorySanitizer, or else valgrind.
    Memory,
    Valgrind,
}

/// How a program is compiled.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Build {
    Address,
    Leak,
    Memory,
    Plain,
}

impl Build {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Build::Address => &[
                "-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero,implicit-integer-truncation,unsigned-integer-overflow",
                "-fsanitize-recover=all",
                "-fsanitize-address-use-after-return=always",
                "-fsanitize-address-use-after-scope",
            ],
            // The other checks keep copies of pointers on the stack, where a leaked block would be found again.
            Build::Leak => &["-fsanitize=address", "-fsanitize-address-use-after-return=never"],
            // Like Mneme, it lets undefined values be passed on until they decide something.
            Build::Memory => &[
                "-fsanitize=memory",
                "-fsanitize-recover=memory",
                "-fno-sanitize-memory-param-retval",
            ],
            // The version that valgrind can read.
            Build::Plain => &["-gdwarf-4"],
        }
    }

    /// The attribute that marks a function of foreign bitcode for the sanitizer.
    fn attribute(self) -> Option<&'static str> {
        match self {
            Build::Address | Build::Leak => Some("sanitize_address"),
            Build::Memory => Some("sanitize_memory"),
            Build::Plain => None,
        }
    }
}

/// What answers the program's calls of the file layer.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Calls {
    Real,
    /// The test says which fail, what connections send, and what is in files outside of the run's folder; those that
    /// the program makes outside are in the folder, too.
    AsTested,
}

impl Calls {
    pub fn of(test: &KTest) -> Calls {
        let elsewhere = |name: &str| {
            let file = name.strip_suffix("-data").or_else(|| name.strip_suffix("-there"));
            file.is_some_and(|file| file.starts_with('/') || file.contains(".."))
        };
        let decides = |name: &str| {
            let name = name
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .trim_end_matches('_');
            name == "connection" || name.ends_with("-fails") || elsewhere(name)
        };
        match test.objects.iter().any(|object| decides(&object.name)) {
            true => Calls::AsTested,
            false => Calls::Real,
        }
    }
}

/// What the sanitizers can see of a program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Instrumented {
    /// It was compiled from C.
    Source,
    /// Some of it was bitcode: memory is watched, undefined arithmetic is not.
    Bitcode,
}

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Binary {
    path: PathBuf,
    build: Build,
    pub instrumented: Instrumented,
}

impl Binary {
    /// Whether it is the program itself that is started, and not a tool that runs it.
    pub fn is_started_directly(&self) -> bool {
        self.build != Build::Plain
    }
}

/// Where programs are compiled, and the finished ones.
pub struct Workshop {
    source: Source,
    dir: TempDir,
    symbolizer: Option<PathBuf>,
    built: BTreeMap<(Build, Calls), Result<PathBuf, String>>,
}

impl Workshop {
    pub fn new(source: Source) -> io::Result<Workshop> {
        let dir = tempfile::Builder::new().prefix("mneme-replay-").tempdir()?;
        for name in ["runtime", "include"] {
            std::fs::create_dir(dir.path().join(name))?;
        }
        mneme_runtime::write_native(&dir.path().join("runtime"))?;
        std::fs::write(dir.path().join("runtime").join(SHIM.0), SHIM.1)?;
        mneme_runtime::write_headers(&dir.path().join("include"))?;
        let mut source = source;
        if let Some(text) = source.fixture.take() {
            let file = dir.path().join("fixture.c");
            std::fs::write(&file, text)?;
            source.files.push(file);
        }
        let mut workshop = Workshop {
            source,
            dir,
            symbolizer: None,
            built: BTreeMap::new(),
        };
        workshop.symbolizer = workshop.program("llvm-symbolizer");
        Ok(workshop)
    }

    /// The program, instrumented for a tool; or a sentence that says why there is none.
    pub fn binary(&mut self, tool: Tool, calls: Calls) -> Result<Binary, String> {
        let build = match tool {
            Tool::Address => Build::Address,
            Tool::Leak => Build::Leak,
            Tool::Memory => Build::Memory,
            Tool::Valgrind if !valgrind_works() => return Err("install valgrind".into()),
            Tool::Valgrind => Build::Plain,
        };
        let (build, path) = match self.build(build, calls) {
            Ok(path) => (build, path),
            Err(_) if tool == Tool::Memory && valgrind_works() => (Build::Plain, self.build(Build::Plain, calls)?),
            Err(reason) => return Err(reason),
        };
        let instrumented = match self.source.files.iter().any(|file| is_module(file)) {
            true => Instrumented::Bitcode,
            false => Instrumented::Source,
        };
        Ok(Binary {
            path,
            build,
            instrumented,
        })
    }

    /// Where everything is.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// How to start a program in an empty folder and without the caller's environment.
    pub fn command(&self, binary: &Binary, room: &Room) -> Command {
        let mut command = match binary.build {
            Build::Plain => {
                let mut command = Command::new("valgrind");
                command.args(["-q", "--fullpath-after=", "--leak-check=no", "--vgdb=no"]);
                // Otherwise a call through an undefined pointer is reported at the line of the last jump before it.
                command.arg("--vex-guest-chase=no");
                command.arg(&binary.path);
                command
            }
            Build::Address | Build::Leak | Build::Memory => Command::new(&binary.path),
        };
        let symbolizer = self.symbolizer.as_ref().map_or(String::new(), |path| {
            format!(":external_symbolizer_path={}", path.display())
        });
        let common = format!(
            "abort_on_error=0:handle_abort=1:handle_sigill=1:allocator_may_return_null=1:hard_rss_limit_mb=4096{symbolizer}"
        );
        let leaks = u8::from(binary.build == Build::Leak);
        // Wide redzones on the heap, so that an access far outside an object is still detected.
        let asan = format!("{common}:detect_leaks={leaks}:detect_stack_use_after_return=1:redzone=512");
        command
            .current_dir(room.folder())
            .env_clear()
            .env("ASAN_OPTIONS", asan)
            .env("MSAN_OPTIONS", common)
            .env("UBSAN_OPTIONS", format!("print_stacktrace=1{symbolizer}"));
        if binary.build == Build::Plain {
            command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
            // Its own files, which it removes before the program starts, go where it may write.
            command.env("TMPDIR", room.folder());
        }
        command
    }

    fn build(&mut self, build: Build, calls: Calls) -> Result<PathBuf, String> {
        if let Some(known) = self.built.get(&(build, calls)) {
            return known.clone();
        }
        let result = self.compile(build, calls);
        self.built.insert((build, calls), result.clone());
        result
    }

    fn compile(&self, build: Build, calls: Calls) -> Result<PathBuf, String> {
        let mut objects = self.runtime(build)?;
        let layered: &[&str] = match calls {
            Calls::AsTested => &mneme_runtime::LAYERED,
            Calls::Real => &[],
        };
        if calls == Calls::AsTested {
            objects.extend(self.runtime_part(build, &[mneme_runtime::NATIVE_LAYER], &[])?);
        }
        let files: Result<Vec<PathBuf>, String> = (0..)
            .zip(&self.source.files)
            .map(|(number, file)| self.marked(file, number, build))
            .collect();
        let binary = self.dir.path().join(format!("{build:?}-{calls:?}").to_lowercase());
        let mut clang = self.clang();
        clang
            .args(LENIENT)
            .args(meaningful(&self.source.flags))
            .args(ALWAYS)
            .args(self.target())
            .args(build.flags())
            .arg("-I")
            .arg(self.dir.path().join("include"))
            .args(files?)
            // A language that the flags name is that of the program's files.
            .args(["-x", "none"])
            .args(objects)
            .args(&self.source.link)
            // A program's own functions come first and override the runtime's.
            .args([
                "-lm",
                "-pthread",
                "-Wl,-z,muldefs",
                "-Wl,--wrap=main",
                "-Wl,--wrap=exit",
                "-Wl,--wrap=tmpfile",
            ])
            .args(
                ALLOCATORS
                    .iter()
                    .chain(layered)
                    .map(|name| format!("-Wl,--wrap={name}")),
            )
            .args(
                self.source
                    .entry
                    .iter()
                    .map(|name| format!("-Wl,--defsym=__mneme_entry={name}")),
            )
            .arg("-o")
            .arg(&binary);
        self.run(clang).map(|_| binary)
    }

    /// The objects of Mneme's runtime for native runs.
    fn runtime(&self, build: Build) -> Result<Vec<PathBuf>, String> {
        let mut objects = self.runtime_part(build, &mneme_runtime::NATIVE_SOURCES, &[])?;
        objects.extend(self.runtime_part(build, &[SHIM], &[])?);
        objects.extend(self.runtime_part(build, &mneme_runtime::NATIVE_LIBRARY, &["-DPUBLIC="])?);
        Ok(objects)
    }

    fn runtime_part(&self, build: Build, sources: &[(&str, &str)], flags: &[&str]) -> Result<Vec<PathBuf>, String> {
        let dir = self.dir.path().join("runtime");
        let mut clang = self.clang();
        clang
            .current_dir(&dir)
            .args(ALWAYS)
            .args(self.target())
            .args(build.flags())
            .args([
                "-w",
                "-ffreestanding",
                "-fno-sanitize=undefined,float-cast-overflow,float-divide-by-zero,implicit-integer-truncation,unsigned-integer-overflow",
            ])
            // Its own allocations are not the program's.
            .args(ALLOCATORS.map(|name| format!("-D{name}=__real_{name}")))
            .args(flags)
            .arg(format!("-ffile-prefix-map={}=mneme/runtime", dir.display()))
            .args(["-fdebug-compilation-dir=mneme/runtime", "-c"])
            .args(sources.iter().map(|(name, _)| name));
        self.run(clang)?;
        Ok(sources
            .iter()
            .map(|(name, _)| dir.join(name).with_extension("o"))
            .collect())
    }

    /// The object of a file that has flags of its own.
    fn with_flags(&self, file: &Path, flags: &[OsString], build: Build) -> Result<PathBuf, String> {
        let number = self.source.files.iter().position(|other| other == file);
        let object = self
            .dir
            .path()
            .join(format!("{}-{build:?}.o", number.unwrap_or_default()));
        let mut clang = self.clang();
        clang
            .args(LENIENT)
            .args(meaningful(&self.source.flags))
            .args(meaningful(flags))
            .args(ALWAYS)
            .args(self.target())
            .args(build.flags())
            .arg("-I")
            .arg(self.dir.path().join("include"))
            .arg("-c")
            .arg(file)
            .arg("-o")
            .arg(&object);
        self.run(clang).map(|_| object)
    }

    /// A file as clang takes it. The functions of bitcode are marked for the sanitizer, which ignores unmarked ones.
    fn marked(&self, file: &Path, number: usize, build: Build) -> Result<PathBuf, String> {
        if !is_module(file) {
            return match self.source.flags_of.get(file) {
                None => Ok(file.to_owned()),
                Some(flags) => self.with_flags(file, flags, build),
            };
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        // Files of several folders may have the same name.
        let to = self.dir.path().join(format!("{name}-{number}-{build:?}.bc"));
        let opt = self
            .program("opt")
            .ok_or("bitcode cannot be instrumented without LLVM's `opt`: install llvm-19")?;
        let mut command = Command::new(opt);
        command.arg("-passes=forceattrs").arg(file).arg("-o").arg(&to);
        if let Some(attribute) = build.attribute() {
            command.arg(format!("-force-attribute={attribute}"));
        }
        self.run(command).map(|_| to)
    }

    fn target(&self) -> Option<&'static str> {
        self.source.target32.then_some("-m32")
    }

    fn clang(&self) -> Command {
        Command::new(self.source.clang.as_deref().unwrap_or(Path::new(CLANG)))
    }

    fn run(&self, mut command: Command) -> Result<Output, String> {
        tracing::debug!(?command, "native build");
        let program = command.get_program().to_string_lossy().into_owned();
        match command.output() {
            Ok(output) if output.status.success() => Ok(output),
            Ok(output) => Err(complaint(&String::from_utf8_lossy(&output.stderr))),
            Err(error) => Err(format!("{program} cannot be run ({error}): install clang 19")),
        }
    }

    /// A tool of the compiler's installation.
    fn program(&self, name: &str) -> Option<PathBuf> {
        let output = self.clang().arg(format!("-print-prog-name={name}")).output().ok()?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        path.is_absolute().then_some(path)
    }
}

/// The flags that affect the meaning of the program; optimisation and output are decided here.
fn meaningful(flags: &[OsString]) -> Vec<&OsString> {
    let foreign = |flag: &&OsString| {
        matches!(
            flag.to_str(),
            Some("-c" | "-emit-llvm" | "-Xclang" | "-disable-llvm-passes" | "-disable-O0-optnone")
        )
    };
    flags.iter().filter(|flag| !foreign(flag)).collect()
}

fn is_module(file: &Path) -> bool {
    !matches!(
        file.extension().and_then(|extension| extension.to_str()),
        Some("c" | "i")
    )
}

/// Why a program was not built, in a sentence.
fn complaint(message: &str) -> String {
    if message.contains("libclang_rt") {
        return "the sanitizers' libraries are missing: install libclang-rt-19-dev".into();
    }
    let lines = || message.lines().filter(|line| !line.contains("linker command failed"));
    let telling = lines().find(|line| line.contains("error: ") || line.contains("undefined reference"));
    let telling = telling.or(lines().next()).unwrap_or("no reason is given");
    format!("the program does not compile natively: {}", telling.trim())
}

fn valgrind_works() -> bool {
    let version = Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_one_sentence() {
        let missing =
            "/usr/bin/ld: cannot find /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan-x86_64.a: No such file";
        assert!(complaint(missing).ends_with("install libclang-rt-19-dev"));
        let undefined =
            "ld: a.o: in function `main':\na.c:1: undefined reference to `f'\nclang: error: linker command failed";
        let expected = "the program does not compile natively: a.c:1: undefined reference to `f'";
        assert_eq!(complaint(undefined), expected);
    }

    #[test]
    fn how_bitcode_is_made_does_not_concern_a_native_program() {
        let flags: Vec<OsString> = ["-fwrapv", "-Xclang", "-disable-llvm-passes", "-c"]
            .map(Into::into)
            .to_vec();
        assert_eq!(meaningful(&flags), [&OsString::from("-fwrapv")]);
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let source = Source {
            files: vec!["a.c".into()],
            clang: Some("/nowhere/clang".into()),
            ..Source::default()
        };
        let reason = Workshop::new(source)
            .unwrap()
            .binary(Tool::Address, Calls::Real)
            .unwrap_err();
        assert!(reason.starts_with("/nowhere/clang cannot be run"), "{reason}");
        assert!(reason.ends_with("install clang 19"), "{reason}");
    }
}
