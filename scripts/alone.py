#!/usr/bin/env python3
"""Functions of libraries, each run alone: how many findings their own fixtures confirm, how many lines the fixtures reach.

The libraries are those of benches/search and scripts/bench_check.py (fetched from Debian). Of each, functions are taken at equal distances; every
one is run alone for some seconds, its findings are replayed under the sanitizers, and its fixtures are compiled for
llvm-cov, which says which lines of the function they reach.

    scripts/alone.py [LIBRARY...] [--functions 35] [--seconds 5] [--mneme BIN]
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from bench_check import OTHERS
from bench_search import CLANG, COV, DRIVERS, PROFDATA, ROOT, directives, fetch

LIBRARIES = "json-c expat libyaml libosip2"
COUNTED = ["-w", "-g", "-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", "-runtime-counter-relocation"]


def objects(source, sources, flags, work):
    """The object file of each source."""
    made = {}
    for file in sources:
        made[file] = work / (file.replace("/", "_") + ".o")
        subprocess.run([CLANG, "-w", "-c", *flags, file, "-o", made[file]], cwd=source, check=True)
    return made


def functions(made):
    """What other files can call, with the file that defines it."""
    out = []
    for file, path in made.items():
        names = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        out += [(file, name) for name in re.findall(r"^[0-9a-f]+ T (\w+)$", names, re.M)]
    return out


def lines_reached(args, source, flags, made, file, name, out, work):
    """The share of the function's lines that native runs of its fixtures reach; None without any."""
    cases = work / "cases"
    for folder in (cases, work / "profile"):
        shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([args.mneme, "tests", out, "--as-c", cases], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    others = [path for other, path in made.items() if other != file]
    binary, built = None, work / "case"
    environment = dict(os.environ, LLVM_PROFILE_FILE=f"{work}/profile/%p%c.profraw")
    every = sorted(cases.glob("*.c"))
    for case in every[:: max(1, -(-len(every) // args.cases))]:
        command = [CLANG, *COUNTED, *flags, case, *others, "-lm", "-o", built]
        if subprocess.run(command, cwd=source, capture_output=True).returncode == 0:
            binary = built
            try:
                subprocess.run([built], cwd=work, env=environment, capture_output=True, timeout=5)
            except subprocess.TimeoutExpired:
                pass
    raw = list((work / "profile").glob("*.profraw"))
    if not binary or not raw:
        return None
    subprocess.run([PROFDATA, "merge", "-sparse", *raw, "-o", work / "profdata"], check=True, capture_output=True)
    command = [COV, "report", "-show-functions", binary, f"-instr-profile={work}/profdata", source / file]
    report = subprocess.run(command, cwd=source, capture_output=True, text=True).stdout
    # Name, regions (all, missed, share), lines (all, missed, share).
    row = re.search(rf"^{name} +\d+ +\d+ +[\d.]+% +(\d+) +(\d+)", report, re.M)
    return None if row is None or row[1] == "0" else 1 - int(row[2]) / int(row[1])


def run_library(args, library, rows):
    about = OTHERS.get(library) or directives(DRIVERS / f"{library}.c")
    source = fetch(about["PACKAGE"])
    flags = [*about["FLAGS"].split(), f"-I{DRIVERS / 'include'}"]
    sources = [str(file.relative_to(source)) for words in about["SOURCES"].split() for file in sorted(source.glob(words))]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        made = objects(source, sources, flags, work)
        every = functions(made)
        step = max(1, len(every) // args.functions)
        for file, name in every[::step][: args.functions]:
            out = work / "out"
            shutil.rmtree(out, ignore_errors=True)
            command = [args.mneme, "run", "--function", name, *sources, *flags, "-w", "--quiet", "--confirm", "--out", out]
            command += ["--max-time", str(args.seconds), "--max-memory", "3000", "--globals", args.globals]
            done = subprocess.run(command, cwd=source, capture_output=True, text=True)
            if done.returncode not in (0, 1, 3):
                print(f"{library} {name}: {done.stderr.strip().splitlines()[-1:]}")
                continue
            stats = json.loads((out / "stats.json").read_text())
            seen = stats.get("confirmations") or {"confirmed": 0, "unconfirmed": 0, "not_checkable": 0}
            share = lines_reached(args, source, flags, made, file, name, out, work)
            rows.append((seen, share))
            shown = "no fixture" if share is None else f"{100 * share:.0f} % of its lines"
            print(f"{library} {name}: {stats['paths']['completed']} paths, {seen['confirmed']} confirmed, "
                  f"{seen['unconfirmed']} unconfirmed, {seen['not_checkable']} not checkable, {shown}", flush=True)
            if args.verbose and seen["unconfirmed"]:
                print("\n".join(line for line in done.stdout.splitlines() if ": unconfirmed" in line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", default=LIBRARIES.split())
    parser.add_argument("--functions", type=int, default=35, help="of each library")
    parser.add_argument("--seconds", type=float, default=5, help="for loading and exploring each")
    parser.add_argument("--cases", type=int, default=40, help="most fixtures of a function that are compiled")
    parser.add_argument("--globals", default="any")
    parser.add_argument("--mneme", default=str(ROOT / "target/release/mneme"))
    parser.add_argument("--verbose", action="store_true", help="show what was not confirmed")
    args = parser.parse_args()
    rows = []
    for name in args.libraries:
        try:
            run_library(args, name, rows)
        except subprocess.CalledProcessError as error:
            print(f"{name}: `{error.cmd[0]}` failed: left out", flush=True)
    total = lambda verdict: sum(seen[verdict] for seen, _ in rows)
    confirmed, unconfirmed = total("confirmed"), total("unconfirmed")
    shares = [share for _, share in rows if share is not None]
    print(f"{len(rows)} functions: {confirmed} of {confirmed + unconfirmed} findings confirmed, {total('not_checkable')} not checkable")
    if shares:
        print(f"lines of a function that its fixtures reach: {100 * statistics.median(shares):.0f} % in the median of {len(shares)}")


if __name__ == "__main__":
    main()
