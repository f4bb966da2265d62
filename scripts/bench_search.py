#!/usr/bin/env python3
"""How soon the first test comes, and how far tests reach, on libraries of Debian.

For each driver of benches/search (a fuzz target, with its package, sources and flags in comments) the sources are
fetched from Debian, and Mneme explores it for some seconds in each of the given ways. The table says how many seconds
after the beginning of the exploration the first test was there, how many tests and findings there are at the end, and
how many branches of the library native runs of all tests take (llvm-cov counts both sides of each condition).

    scripts/bench_search.py [DRIVER...] [--seconds 10] [--ways eager,mixed,lazy] [--mneme BIN] [--against BIN]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRIVERS = ROOT / "benches" / "search"
SOURCES = ROOT / "target" / "search-sources"
CLANG, COV, PROFDATA = "clang-19", "llvm-cov-19", "llvm-profdata-19"

# Each input in a process of its own, which writes its counters even if the input is an error.
MAIN = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __llvm_profile_write_file(void);
static void end(int signal) { (void)signal; __llvm_profile_write_file(); _exit(1); }
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (fork()) { wait(NULL); continue; }
    int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    for (unsigned k = 0; k < sizeof signals / sizeof *signals; k++) signal(signals[k], end);
    alarm(5);
    FILE *file = fopen(argv[i], "rb");
    uint8_t *data = malloc(4096);
    size_t size = fread(data, 1, 4096, file);
    LLVMFuzzerTestOneInput(realloc(data, size ? size : 1), size);
    return 0;
  }
  return 0;
}
"""


def directives(driver):
    text = driver.read_text()
    return dict(re.findall(r"^// ([A-Z]+): (.*)$", text, re.M))


def fetch(package):
    """The sources of a Debian package, from a list of its own, so that the system's stays as it is."""
    SOURCES.mkdir(parents=True, exist_ok=True)
    found = [path for path in SOURCES.glob(f"{package}-[0-9]*") if path.is_dir()]
    if not found:
        apt = SOURCES / "apt"
        (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        # Sources come from where the system has its packages from.
        targets = ["apt-get", "indextargets", "--format", "deb-src $(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages", "Origin: Debian"]
        origins = sorted(set(subprocess.run(targets, check=True, capture_output=True, text=True).stdout.splitlines()))
        (apt / "sources.list").write_text("\n".join(origins) + "\n")
        options = [f"-oDir::Etc::sourcelist={apt}/sources.list", "-oDir::Etc::sourceparts=-", f"-oDir::State::lists={apt}/lists", f"-oDir::Cache={apt}"]
        if not any((apt / "lists").glob("*Sources*")):
            subprocess.run(["apt-get", *options, "-qq", "update"], check=True)
        subprocess.run(["apt-get", *options, "-qq", "source", package], check=True, cwd=SOURCES, stdout=subprocess.DEVNULL)
        found = [path for path in SOURCES.glob(f"{package}-[0-9]*") if path.is_dir()]
    return found[0]


def build(driver, about, source, work):
    """The native program that counts branches."""
    (work / "main.c").write_text(MAIN)
    command = [CLANG, "-w", "-g", "-fprofile-instr-generate", "-fcoverage-mapping", *flags(about), str(driver)]
    command += [*about["SOURCES"].split(), str(work / "main.c"), "-o", str(work / "native"), "-lm"]
    subprocess.run(command, check=True, cwd=source)


def flags(about):
    return [*about["FLAGS"].split(), f"-I{DRIVERS / 'include'}"]


def program(driver, about):
    """What mneme runs, in the folder of the sources."""
    return [str(driver), *about["SOURCES"].split(), *flags(about), "-w", "--max-len", about["INPUT"]]


def branches(work, corpus):
    """Branches that native runs of these inputs take."""
    inputs = sorted(str(path) for path in corpus.iterdir())
    profile = work / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    environment = dict(os.environ, LLVM_PROFILE_FILE=f"{profile}/%m.profraw")
    for begin in range(0, len(inputs), 500):
        subprocess.run([work / "native", *inputs[begin : begin + 500]], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    raw = list(profile.glob("*.profraw"))
    if not raw:
        return 0, 0
    subprocess.run([PROFDATA, "merge", "-sparse", *raw, "-o", work / "profdata"], check=True)
    ignored = ["-ignore-filename-regex", f"main.c|{re.escape(str(DRIVERS))}"]
    command = [COV, "export", "-summary-only", work / "native", "-instr-profile", work / "profdata", *ignored]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    totals = report["data"][0]["totals"]["branches"]
    return totals["covered"], totals["count"]


def explore(driver, about, source, work, way, args):
    binary, options = way
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    begin = time.time()
    command = [binary, "run", *program(driver, about), "--quiet", "--max-time", str(args.seconds), "--out", str(out), *options]
    subprocess.run(command, cwd=source, stdout=subprocess.DEVNULL, stderr=None if args.verbose else subprocess.DEVNULL)
    stats = json.loads((out / "stats.json").read_text())
    loading = stats["time"]["wall_s"] - stats["time"]["explore_s"]
    tests = list(out.glob("*.ktest"))
    first = min((path.stat().st_mtime for path in tests), default=None)
    corpus = work / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    subprocess.run([binary, "tests", str(out), "--as-corpus", str(corpus)], stdout=subprocess.DEVNULL)
    covered, count = branches(work, corpus) if corpus.exists() else (0, 0)
    return {
        "first": None if first is None else max(0.0, first - begin - loading),
        "tests": len(tests),
        "findings": len([path for path in tests if re.search(r"-(?!unfinished)", path.stem)]),
        "branches": covered,
        "of": count,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drivers", nargs="*")
    parser.add_argument("--seconds", type=float, default=10, help="for loading and exploring each")
    parser.add_argument("--ways", default="eager,mixed,lazy", help="values of --solve-sides")
    parser.add_argument("--mneme", default=str(ROOT / "target/release/mneme"))
    parser.add_argument("--against", help="an older binary, run without options")
    parser.add_argument("--options", default="", help="more options for every run")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    more = args.options.split()
    ways = {"before": (args.against, more)} if args.against else {}
    for way in filter(None, args.ways.split(",")):
        ways[way] = (args.mneme, ["--solve-sides", way, *more])
    drivers = sorted(path for path in DRIVERS.glob("*.c") if not args.drivers or path.stem in args.drivers)
    print(f"{'driver':14}{'way':>8}{'first test':>12}{'tests':>8}{'findings':>10}{'branches':>16}", flush=True)
    for driver in drivers:
        about = directives(driver)
        source = fetch(about["PACKAGE"])
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            build(driver, about, source, work)
            for name, way in ways.items():
                row = explore(driver, about, source, work, way, args)
                first = "-" if row["first"] is None else f"{row['first']:.3f} s"
                reached = f"{row['branches']} of {row['of']}"
                print(f"{driver.stem:14}{name:>8}{first:>12}{row['tests']:>8}{row['findings']:>10}{reached:>16}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
