#!/usr/bin/env python3
"""Runs gcc.c-torture/execute concretely under mneme and compares with native runs.

A program counts when clang compiles it and it exits with 0 natively. Under mneme it is then

  right    explored completely: exit value 0 on every path, no finding
  stop     mneme says that it could not go on, and why, and the program is listed in scripts/torture-stops.txt
  known    a true finding: the program has undefined behaviour and is listed in scripts/torture-findings.txt
  new      a stop that is not listed
  wrong    anything else: a false finding, another exit value, an input error, a panic, a hang

The script ends with 1 if any program is wrong or new. `--opt` and `--m32` compile otherwise, natively and for mneme; the
tables speak of all settings. Sources, native results and the table of all programs (torture.tsv) are kept in
$XDG_CACHE_HOME/mneme (~/.cache/mneme). `make torture` and `make torture32` install what is needed, build mneme and call this.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

CLANG = "clang-19"
TARBALLS = "/usr/src/gcc-12/gcc-12*.tar.xz"
SUITE = "gcc/testsuite/gcc.c-torture/execute"
# Tried in this order. Old programs need old C (implicit functions and ints).
STANDARDS = [[], ["-std=gnu11"], ["-std=gnu89"]]
NATIVE_SECONDS = 10
MNEME_SECONDS = 30
GRACE_SECONDS = 60
HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Setting:
    """How programs are compiled: optimisation level and width."""

    opt: str
    m32: bool

    def native(self):
        return [self.opt or "-O0"] + ["-m32"] * self.m32

    def mneme(self):
        return ["--m32"] * self.m32 + ([f"--cflags={self.opt}"] if self.opt else [])

    def suffix(self):
        return self.opt + "-m32" * self.m32


def cache_dir():
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = pathlib.Path(root) / "mneme" / "torture"
    path.mkdir(parents=True, exist_ok=True)
    return path


def sources(cache):
    """The directory of the programs, extracted on first use."""
    target = cache / "execute"
    if target.is_dir():
        return target
    tarballs = sorted(glob.glob(TARBALLS))
    if not tarballs:
        sys.exit("torture: there is no source of gcc; install the package gcc-12-source (make torture does)")
    print(f"torture: extracting {os.path.basename(tarballs[-1])}", flush=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        command = ["tar", "-xJf", tarballs[-1], "-C", scratch, "--wildcards", f"*/{SUITE}/*"]
        if subprocess.run(command).returncode != 0:
            sys.exit("torture: the source of gcc cannot be extracted")
        found = glob.glob(f"{scratch}/*/{SUITE}")
        os.rename(found[0], target)
    return target


def dejagnu_flags(path):
    """Compiler flags that a program asks for in its comments or in the .x file beside it."""
    flags = []
    text = path.read_text(encoding="latin-1")
    for match in re.finditer(r'\{\s*dg-(?:additional-)?options\s+"([^"]*)"([^\n]*)', text):
        if "target" not in match[2] or re.search(r"x86_64|lp64|(?<![\w?])\*-\*-\*", match[2]):
            flags += shlex.split(match[1])
    script = path.with_suffix(".x")
    if script.exists():
        for match in re.finditer(r'set additional_flags "?([^"\n]*)"?', script.read_text(encoding="latin-1")):
            flags += [flag for flag in match[1].split() if flag.startswith("-")]
    return [flag for flag in flags if not re.match(r"-(O|g|m|W|w$|fdump|fgraphite|floop|ftree|-param)", flag)]


def run_native(path, scratch, setting):
    """The flags with which the program compiles and exits with 0, or the reason why there are none."""
    asked = dejagnu_flags(path)
    meaning = re.compile(r"-(D|std|ansi|fwrapv|ftrapv|fno-builtin|f(un)?signed-char|fno-strict|l|fgnu89|fms|fno-math|ff)")
    wishes = [asked, [flag for flag in asked if meaning.match(flag)], []]
    binary = scratch / f"{path.stem}.native"
    reason = "does not compile"
    for flags in [standard + wish for wish in wishes for standard in STANDARDS]:
        command = [CLANG, *setting.native(), "-w", *flags, str(path), "-o", str(binary), "-lm"]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            continue
        try:
            run = subprocess.run([str(binary)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, timeout=NATIVE_SECONDS, cwd=scratch)
        except subprocess.TimeoutExpired:
            reason = "does not end"
            continue
        finally:
            binary.unlink(missing_ok=True)
        if run.returncode == 0:
            return flags, None
        reason = f"exits with {run.returncode}"
    return None, reason


def native_results(programs, cache, jobs, setting):
    """Flags or reasons by program, kept between runs for the same compiler and setting."""
    version = subprocess.run([CLANG, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    store = cache / f"native{setting.suffix()}.json"
    known = json.loads(store.read_text()) if store.exists() else {}
    if known.get("clang") != version:
        known = {"clang": version, "programs": {}}
    missing = [path for path in programs if path.stem not in known["programs"]]
    if missing:
        print(f"torture: running {len(missing)} programs natively", flush=True)
        with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            results = pool.map(lambda path: run_native(path, pathlib.Path(scratch), setting), missing)
            for path, result in zip(missing, results):
                known["programs"][path.stem] = result
        store.write_text(json.dumps(known))
    return known["programs"]


def run_mneme(mneme, path, flags, setting, model):
    """Class and reason of one program."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        command = [str(mneme), "run", str(path), "--out", str(scratch / "out"), "--max-time", str(MNEME_SECONDS)]
        command += setting.mneme()
        command += [f"--clang-flag={flag}" for flag in flags if not flag.startswith("-l")]
        if model:
            command += ["--model", model]
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 timeout=MNEME_SECONDS + GRACE_SECONDS, cwd=scratch)
        except subprocess.TimeoutExpired:
            return "wrong", "mneme does not end"
        stderr = run.stderr.decode(errors="replace")
        panic = re.search(r"panicked at ([^\n]*)\n?([^\n]*)", stderr)
        if panic:
            return "wrong", f"panic at {panic[1]} {panic[2]}".strip()
        if run.returncode < 0:
            return "wrong", f"mneme died of signal {-run.returncode}"
        if run.returncode == 2:
            return "wrong", "input error: " + (stderr.strip().split("\n") or [""])[-1][:160]
        try:
            stats = json.loads((scratch / "out" / "stats.json").read_text())
            findings = json.loads((scratch / "out" / "findings.sarif").read_text())["runs"][0]["results"]
        except (OSError, ValueError, KeyError, IndexError) as error:
            return "wrong", f"no results: {error.__class__.__name__}"
        return classify(path.stem, setting, run.returncode, stats, findings)


def classify(name, setting, code, stats, findings):
    paths, values = stats["paths"], stats.get("exit_values", {})
    if findings:
        rules = sorted({finding["ruleId"] for finding in findings})
        known = table("torture-findings.txt").get(name)
        return ("known" if known and rules == [known] else "wrong"), "finding: " + ", ".join(rules)
    if any(value != "0" for value in values):
        return "wrong", "exit value " + ", ".join(values)
    # Inputs are meant to be concrete here.
    if code == 3 and all("stayed concrete" in reason for reason in stats.get("exact_reasons", {})):
        code = 0
    if code == 3:
        reasons = list(paths.get("stop_reasons", {})) or list(stats.get("exact_reasons", {})) or ["no reason given"]
        stops = table("torture-stops.txt")
        kind = "stop" if name in stops or name + setting.suffix() in stops else "new"
        return kind, "; ".join(sorted(reasons))
    # There are several paths if the program looks at the order of its objects.
    if code == 0 and set(values) == {"0"}:
        return "right", ""
    return "wrong", f"exit code {code}, {paths['completed']} completed paths"


@functools.cache
def table(file):
    """What is known about programs: their name, one word, and after `#` the reason."""
    rows = [line.split("#")[0].split() for line in (HERE / file).read_text().splitlines()]
    return {words[0]: words[1] for words in rows if words}


def general(reason):
    """A reason without the details of one program, for counting."""
    reason = re.sub(r"\s*\(?(at|on|in) \S+:\d+(:\d+)?\)?", "", reason)
    return re.sub(r"\b\d+\b", "N", reason)[:100]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="programs at a time")
    parser.add_argument("--model", help="memory model, unless the default")
    parser.add_argument("--opt", default="", choices=["O0", "O1", "O2", "O3", "Os"],
                        help="compile so instead of with mneme's own flags (and natively with -O0)")
    parser.add_argument("--m32", action="store_true", help="compile for 32 bits")
    parser.add_argument("--verbose", action="store_true", help="show every program that is not right")
    options = parser.parse_args()
    setting = Setting(opt=options.opt and f"-{options.opt}", m32=options.m32)
    if not shutil.which(CLANG):
        sys.exit(f"torture: there is no {CLANG}; run make deps")
    if not options.mneme.exists():
        sys.exit(f"torture: there is no {options.mneme}; run make build")
    cache = cache_dir()
    programs = sorted(path for path in sources(cache).glob("*.c") if options.filter in path.stem)
    native = native_results(programs, cache, options.jobs, setting)
    passing = [path for path in programs if native[path.stem][0] is not None]
    print(f"torture: {len(programs)} programs, {len(passing)} pass natively", flush=True)
    rows = []

    def one(path):
        started = time.monotonic()
        flags = native[path.stem][0]
        kind, reason = run_mneme(options.mneme.resolve(), path, flags, setting, options.model)
        return path.stem, kind, reason, " ".join(flags), time.monotonic() - started

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(one, passing):
            rows.append(row)
            if row[1] in ("wrong", "new") or options.verbose and row[1] != "right":
                print(f"{row[1]}: {row[0]}: {row[2]}", flush=True)
            elif len(rows) % 200 == 0:
                print(f"torture: {len(rows)} of {len(passing)}", flush=True)
    report(rows, passing, cache / f"torture{setting.suffix()}.tsv")
    return 1 if any(row[1] in ("wrong", "new") for row in rows) else 0


def report(rows, passing, table):
    with table.open("w") as out:
        out.write("program\tclass\treason\tflags\tseconds\n")
        for name, kind, reason, flags, seconds in rows:
            reason = re.sub(r"\s+", " ", reason)
            out.write(f"{name}\t{kind}\t{reason}\t{flags}\t{seconds:.2f}\n")
    print("\ncount  class  reason")
    counts = collections.Counter((kind, general(reason)) for _, kind, reason, _, _ in rows if kind != "right")
    for (kind, reason), count in sorted(counts.items(), key=lambda item: (item[0][0], -item[1])):
        print(f"{count:5}  {kind:5}  {reason}")
    total = max(len(passing), 1)
    kinds = collections.Counter(kind for _, kind, _, _, _ in rows)
    print(f"\n{kinds['right']} of {len(passing)} right ({100 * kinds['right'] / total:.1f} %), {kinds['stop'] + kinds['new']} stopped ({kinds['new']} not listed), "
          f"{kinds['known']} true findings, {kinds['wrong']} wrong; all in {table}")


if __name__ == "__main__":
    sys.exit(main())
