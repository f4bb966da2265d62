#!/usr/bin/env python3
"""Feeds damaged and strange files to mneme: whatever it is given, it answers in time and in words.

  bitcode   bitcode of the C corpus with flipped bits, changed bytes and words, truncations, and pieces of other files
  ir        its textual IR with other opcodes, types, numbers, operands and attributes, assembled where LLVM accepts it:
            much of it is valid, and nobody would write it
  ktest     test cases, damaged like the bitcode; `mneme tests` reads directories of them and, where it fails, each by itself;
            `mneme replay` runs them

A file fails when mneme panics, dies of a signal or is still there after 10 seconds (it is told to explore for 2). Failing
files are kept in $XDG_CACHE_HOME/mneme/mutate (~/.cache/mneme/mutate), and the script ends with 1. The same seed makes the same files.
`make mutate N=10000` builds mneme and calls this.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
CLANG = "clang-19"
ASSEMBLER = "llvm-as-19"
MAX_TIME = 2
PATIENCE = 10
KINDS = ("bitcode", "ir", "ktest")
# How the files are explored, in turn.
VARIANTS = [
    [],
    ["--model", "planes-naive"],
    ["--check", "leaks,overflow"],
    ["--uninit", "any", "--malloc-may-fail", "--search", "dfs"],
]
# How many tests one `mneme tests` and one `mneme replay` get: starting a process and compiling a program take longer
# than reading them.
BATCH = 500
INTERESTING = [0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1]


# Bytes


def damage(rng, data, others):
    """One to four changes of bytes."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if not data:
            break
        at = rng.randrange(len(data))
        match rng.randrange(8):
            case 0 | 1:
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            case 3:
                word = rng.choice(INTERESTING) & 0xFFFFFFFF
                data[at : at + 4] = word.to_bytes(4, rng.choice(["little", "big"]))
            case 4:
                del data[at:]
            case 5:
                del data[at : at + rng.choice([1, 4, 16, 64, 256])]
            case 6:
                data[at:at] = data[at : at + rng.choice([1, 4, 16, 64, 256])]
            case 7:
                other = rng.choice(others)
                start = rng.randrange(len(other) or 1) & ~3
                length = rng.choice([4, 16, 64, 256, len(other)])
                data[at & ~3 : (at & ~3) + length] = other[start : start + length]
    return bytes(data)


# Textual IR

OPCODES = "add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split()
FLOATS = "fadd fsub fmul fdiv frem".split()
CASTS = "trunc zext sext bitcast ptrtoint inttoptr sitofp uitofp fptosi fptoui fptrunc fpext".split()
PREDICATES = "eq ne ugt uge ult ule sgt sge slt sle".split()
TYPES = "i1 i7 i8 i16 i24 i32 i33 i64 i65 i128 i256 float double half x86_fp80 fp128 ptr".split()
TYPES += ["<2 x i32>", "<4 x i8>", "<3 x ptr>", "<2 x i1>", "[3 x i16]", "{ i8, i64 }", "<{ i8, i32 }>", "[0 x i32]"]
LINKAGES = "private internal weak linkonce linkonce_odr common extern_weak available_externally external".split()
VALUES = "null undef poison zeroinitializer true false -1 0 1 @main".split()
WORDS = [OPCODES, FLOATS, CASTS, PREDICATES, LINKAGES]
STATEMENTS = [
    "  fence seq_cst",
    "  unreachable",
    "  ret void",
    "  %strange{n} = freeze i32 undef",
    "  %strange{n} = alloca i8, i64 -1",
    "  %strange{n} = alloca [1000000000 x i64]",
    "  %strange{n} = alloca i32, i32 0, align 4096",
    "  %strange{n} = load i32, ptr null",
    "  %strange{n} = load i129, ptr @main",
    "  %strange{n} = load volatile <4 x float>, ptr undef, align 1",
    "  store { i8, ptr } zeroinitializer, ptr @main",
    "  %strange{n} = select i1 poison, i32 1, i32 2",
    "  %strange{n} = sdiv i64 -9223372036854775808, -1",
    "  %strange{n} = shl i128 1, 128",
    "  %strange{n} = udiv <2 x i32> <i32 1, i32 2>, <i32 0, i32 1>",
    "  %strange{n} = extractelement <4 x i32> zeroinitializer, i64 9",
    "  %strange{n} = insertelement <4 x i32> undef, i32 7, i32 -1",
    "  %strange{n} = shufflevector <2 x i8> undef, <2 x i8> zeroinitializer, <4 x i32> <i32 0, i32 undef, i32 3, i32 2>",
    "  %strange{n} = extractvalue { i8, [2 x i16] } undef, 1, 1",
    "  %strange{n} = getelementptr inbounds [4 x i32], ptr null, i64 -1, i64 9223372036854775807",
    "  %strange{n} = getelementptr <{{ i8, i32 }}>, ptr @main, i32 0, i32 1",
    "  %strange{n} = atomicrmw nand ptr null, i8 1 seq_cst",
    "  %strange{n} = cmpxchg weak ptr @main, i64 0, i64 1 acquire monotonic",
    "  %strange{n} = call i32 @main()",
    "  %strange{n} = call { i8, i64 } null(i256 1, <3 x ptr> undef)",
    "  call void undef(ptr byval(i32) null)",
    "  %strange{n} = call i64 asm sideeffect \"nop\", \"=r\"()",
    "  %strange{n} = va_arg ptr null, i128",
    "  %strange{n} = fptosi double 0x7FF8000000000000 to i3",
    "  %strange{n} = uitofp i200 1 to fp128",
    "  %strange{n} = fcmp uno x86_fp80 undef, 0xK3FFF8000000000000000",
    "  %strange{n} = inttoptr i7 3 to ptr",
    "  %strange{n} = ptrtoint ptr @main to i3",
    "  %strange{n} = addrspacecast ptr null to ptr addrspace(3)",
    "  br i1 undef, label %0, label %0",
    "  switch i65 0, label %0 [ i65 1, label %0 i65 -1, label %0 ]",
    "  indirectbr ptr null, []",
    "  resume { ptr, i32 } undef",
]
GLOBALS = [
    "@strange{n} = global [1 x { i8, ptr }] [{ i8, ptr } { i8 3, ptr @strange{n} }]",
    "@strange{n} = external thread_local global i64",
    "@strange{n} = common global [100000000 x i8] zeroinitializer",
    "@strange{n} = constant i65 -1, align 1024",
    "@strange{n} = global <{{ i1, x86_fp80, half }}> undef, section \"odd\"",
    "@strange{n} = alias i8, getelementptr (i8, ptr @main, i64 -7)",
    "@strange{n} = ifunc i32 (), ptr @main",
    "@strange{n} = global i64 sub (i64 ptrtoint (ptr @main to i64), i64 ptrtoint (ptr @strange{n} to i64))",
    "@strange{n} = global ptr getelementptr inbounds ([2 x i8], ptr @strange{n}, i64 1000, i64 -1)",
    "@strange{n} = global i128 trunc (i256 -1 to i128)",
    "@strange{n} = addrspace(5) global i32 1",
    "@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 1, ptr @main, ptr null }}]",
    "@strange{n} = global ptr blockaddress(@main, %0)",
    "@strange{n} = global i32 undef, !dbg !0",
]


def rewrite(rng, text):
    """A few changes of words and lines; half of them in the code rather than in the debug information."""
    lines = text.split("\n")
    code = [i for i, line in enumerate(lines) if line.startswith(("  ", "@", "define", "declare"))] or [0]
    for n in range(rng.choice([1, 1, 2, 3])):
        at = rng.choice(code) if rng.random() < 0.8 else rng.randrange(len(lines))
        at = min(at, len(lines) - 1)
        line = lines[at]
        match rng.randrange(12):
            case 0:
                lines[at] = other_word(rng, line, r"\b(" + "|".join(w for ws in WORDS for w in ws) + r")\b", same_family)
            case 1 | 2:
                lines[at] = other_word(rng, line, r"\b(i\d+|float|double|ptr)\b", lambda rng, _: rng.choice(TYPES))
            case 3 | 4:
                lines[at] = other_word(rng, line, r"(?<![\w%@!.])-?\d+\b", number)
            case 5:
                names = re.findall(r"[%@][\w.]+", rng.choice(lines)) or ["%0"]
                lines[at] = other_word(rng, line, r"[%@][\w.]+", lambda rng, _: rng.choice(names))
            case 6:
                lines[at] = other_word(rng, line, r"[%@][\w.]+|\b\d+\b", lambda rng, _: rng.choice(VALUES))
            case 7:
                lines[at] = other_word(rng, line, r"!\d+", lambda rng, _: f"!{rng.randrange(60)}")
            case 8:
                del lines[at]
            case 9:
                lines.insert(rng.choice(code), line)
            case 10:
                lines.insert(rng.choice(code), rng.choice(STATEMENTS).replace("{n}", str(n)))
            case 11:
                where = next((i for i, line in enumerate(lines) if line.startswith("define")), 0)
                lines.insert(where, rng.choice(GLOBALS).replace("{n}", str(n)).replace("{{", "{").replace("}}", "}"))
    return "\n".join(lines)


def other_word(rng, line, pattern, choose):
    found = list(re.finditer(pattern, line))
    if not found:
        return line
    match = rng.choice(found)
    return line[: match.start()] + choose(rng, match.group()) + line[match.end() :]


def same_family(rng, word):
    return rng.choice(next(words for words in WORDS if word in words))


def number(rng, word):
    value = rng.choice(INTERESTING + [int(word) + 1, int(word) - 1, int(word) * 2])
    return str(-value if rng.random() < 0.3 else value)


# Seeds


def compile_corpus(scratch):
    """Bitcode and textual IR of the corpus, with debug information and without, from clang's own passes and from -O2."""
    modules = []
    include = ROOT / "crates/runtime/include"
    sources = sorted((ROOT / "tests/c").glob("*/*.c"))
    for index, source in enumerate(sources):
        flags = [["-g", "-O1", "-Xclang", "-disable-llvm-passes"], ["-O0"], ["-O2"], ["-g", "-O2"]][index % 4]
        target = scratch / f"{index}.bc"
        command = [CLANG, "-c", "-emit-llvm", "-w", *flags, "-I", include, source, "-o", target]
        if subprocess.run(command, capture_output=True).returncode == 0:
            text = subprocess.run(["llvm-dis-19", target, "-o", "-"], capture_output=True, text=True).stdout
            modules.append((target.read_bytes(), text))
    if not modules:
        sys.exit("mutate: no program of the corpus could be compiled; install clang 19 (make deps)")
    return modules


def explore_corpus(mneme, scratch):
    """Test cases of a few programs."""
    tests = []
    for name in ["papers/sl_list.c", "library/strtol_ok.c", "harness/mneme_bad.c", "memory/memcpy_bad.c", "harness/verifier_ok.c"]:
        out = scratch / "seeds"
        subprocess.run([mneme, "run", ROOT / "tests/c" / name, "--out", out, "--max-time", "5"], capture_output=True)
        tests += [path.read_bytes() for path in sorted(out.glob("*.ktest"))[:20]]
    if not tests:
        sys.exit("mutate: mneme wrote no test cases to begin with")
    return tests


# Runs


def outcome(command, cwd, patience):
    """How one run ended: an exit code, or how it failed, with its last output."""
    try:
        run = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=patience)
    except subprocess.TimeoutExpired:
        return "hang", ""
    told = run.stderr.decode(errors="replace")
    words = told[-4000:]
    if "panicked at" in told or run.returncode == 101:
        return "panic", words
    if run.returncode < 0:
        return f"signal {-run.returncode}", words
    if run.returncode not in (0, 1, 2, 3):
        return f"undocumented exit code {run.returncode}", words
    if run.returncode == 2 and not told.startswith("mneme: "):
        return "exit 2 without a sentence", words
    return f"exit {run.returncode}", words


class Runner:
    def __init__(self, options, scratch):
        self.mneme = options.mneme.resolve()
        self.seed = options.seed
        self.kept = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "mneme/mutate"
        self.scratch = scratch
        self.modules = compile_corpus(scratch)
        self.bitcode = [data for data, _ in self.modules]
        self.tests = explore_corpus(self.mneme, scratch)

    def make(self, kind, index):
        rng = random.Random(f"{self.seed}/{kind}/{index}")
        match kind:
            case "bitcode":
                return "bc", damage(rng, rng.choice(self.bitcode), self.bitcode)
            case "ktest":
                return "ktest", damage(rng, rng.choice(self.tests), self.tests)
        # Textual IR that LLVM rejects does not test mneme: make a few attempts for one that it accepts.
        for _ in range(8):
            text = rewrite(rng, rng.choice(self.modules)[1])
            assembled = subprocess.run([ASSEMBLER, "-o", "-"], input=text.encode(), capture_output=True)
            if assembled.returncode == 0:
                return "bc", assembled.stdout
        return "ll", text.encode()

    def one(self, kind, index):
        ending, data = self.make(kind, index)
        folder = self.scratch / f"{kind}{index}"
        folder.mkdir()
        file = folder / f"{kind}{index}.{ending}"
        file.write_bytes(data)
        if kind == "ktest":
            command = [self.mneme, "tests", file]
        else:
            limits = ["--max-time", str(MAX_TIME), "--max-memory", "2000"]
            command = [self.mneme, "run", file, "--out", folder / "out", *limits, *VARIANTS[index % len(VARIANTS)]]
        what, words = outcome(command, folder, PATIENCE)
        return kind, what, words, self.done(what, file, words)

    def alone(self, kind, index):
        return [self.one(kind, index)]

    def read_and_run(self, indices):
        """Many damaged tests: read by one process, then each run by one native program."""
        folder = self.scratch / f"tests{indices[0]}"
        folder.mkdir()
        for index in indices:
            (folder / f"test{index:06}.ktest").write_bytes(self.make("ktest", index)[1])
        what, words = outcome([self.mneme, "tests", folder], self.scratch, PATIENCE)
        results = [("ktest", what, words, None)] * len(indices)
        if not re.fullmatch(r"exit \d", what):
            results = [self.one("ktest", index) for index in indices]
        program = ROOT / "tests/c/harness/mneme_bad.c"
        what, words = outcome([self.mneme, "replay", folder, program, "--timeout", "1"], self.scratch, PATIENCE + len(indices))
        shutil.rmtree(folder)
        return results + [(f"replay of {len(indices)} ktest", what, words, None)]

    def done(self, what, file, words):
        kept = None
        if not what.startswith("exit ") or "without" in what:
            self.kept.mkdir(parents=True, exist_ok=True)
            kept = self.kept / file.name
            shutil.copy(file, kept)
            kept.with_suffix(".txt").write_text(f"{what}\n{words}")
        shutil.rmtree(file.parent)
        return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mneme", type=pathlib.Path, required=True)
    parser.add_argument("-n", type=int, default=10000, help="files of each kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only these kinds")
    parser.add_argument("--seed", default="mneme")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"mutate: there is no {options.mneme}; run make build")
    kinds = options.kind or KINDS
    indices = range(options.first, options.first + options.n)
    table = collections.Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options, pathlib.Path(scratch))
        tasks = []
        if "ktest" in kinds:
            tasks += [pool.submit(runner.read_and_run, indices[at : at + BATCH]) for at in range(0, len(indices), BATCH)]
        tasks += [pool.submit(runner.alone, kind, index) for kind in kinds if kind != "ktest" for index in indices]
        for kind, what, words, kept in itertools.chain.from_iterable(task.result() for task in concurrent.futures.as_completed(tasks)):
            table[kind, what] += 1
            if not re.fullmatch(r"exit \d", what):
                failures += 1
                print(f"{what}: {kept or kind}: {' '.join(words.split())[:300]}", flush=True)
    for (kind, what), count in sorted(table.items()):
        print(f"{kind:24} {what:32} {count:6}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
