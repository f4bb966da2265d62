#!/usr/bin/env python3
"""Merging by patterns against the other ways, as in Tables 6.3 to 6.8 of the thesis.

The rows are the functions of tests/c/parsers, and functions of libraries (benches/libraries): each driver says in
comments which package of Debian has the sources, what is compiled with it, and which functions it calls; the sources
are fetched and configured once. Each row is explored with each mode. The table says CPU seconds (of the process, the
compiler included), completed paths and `…` where the limit cut the run short, and for `patterns` the patterns found,
and how many quantified queries were asked and how many of them reached Z3 with their quantifiers. At the end, by the
thesis' rule for which rows count (those where at least one of two modes ends): the speed-up of `patterns` against
`tree` and `none`, the same over rows on which `tree` takes a second or more, the time of `auto` divided by that of the
best of the others, and how many quantified queries were answered without Z3's quantifiers, by the step that did.

    scripts/bench_patterns.py [ROW...] [--capacity 12] [--seconds 20] [--modes none,tree,patterns,auto] [--options ...]
"""

import argparse
import re
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench import explore
from bench_search import DRIVERS, ROOT, fetch

PARSERS = ROOT / "tests" / "c" / "parsers"
LIBRARIES = ROOT / "benches" / "libraries"
MODES = ["none", "tree", "patterns", "auto"]
# Runs are cut by their CPU time; on the clock they may take so many times as long.
PATIENCE = 60


def rows():
    """Name, program and options of each row; what a library needs is fetched when it is its turn."""
    for program in sorted(PARSERS.glob("*.c")):
        safe = ["-DSAFE"] if "ifdef SAFE" in program.read_text() else []
        yield program.stem, lambda program=program, safe=safe: (program, safe)
    for driver in sorted(LIBRARIES.glob("*.c")):
        about = dict(re.findall(r"^// ([A-Z]+): (.*)$", driver.read_text(), re.M))
        for case in about["CASES"].split():
            yield f"{driver.stem}/{case}", lambda driver=driver, about=about, case=case: library(driver, about, case)


def library(driver, about, case):
    source = fetch(about["PACKAGE"])
    ready = source / ".prepared"
    if "PREPARE" in about and not ready.exists():
        subprocess.run(about["PREPARE"], shell=True, check=True, cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ready.touch()
    flags = []
    for flag in about["FLAGS"].split():
        flags.append(f"-I{source / flag[2:]}" if flag.startswith("-I") else flag)
    flags = [str(source / flag) if flag.endswith(".h") else flag for flag in flags]
    sources = [str(source / path) for path in about["SOURCES"].split()]
    return driver, [*sources, *flags, f"-I{DRIVERS / 'include'}", f"-I{PARSERS}", f"-DCASE={case}", "-w"]


def measure(program, words, mode, args):
    words = [*words, f"-DCAPACITY={args.capacity}", "--search", "dfs", "--merge", mode, "--max-memory", "3000", *args.options.split()]
    stats = explore(args.mneme, program, words, None, PATIENCE * args.seconds, cpu=args.seconds)
    if stats is None:
        return None
    stages = {stage["name"]: stage for stage in stats["queries"]["stages"]}
    return {
        "seconds": stats["cpu_s"],
        "ended": not stats["cut"] and not any("time" in reason or "memory" in reason for reason in stats["paths"]["stop_reasons"]),
        "paths": stats["paths"]["completed"],
        "patterns": stats.get("merging", {}).get("patterns", 0),
        "asked": stages["quantified"]["asked"],
        "quantified": stages["quantified"]["asked"] - stages["quantified"]["answered"] - stages["instances"]["answered"],
        "steps": Counter(stages["quantified"].get("details", {})) + Counter(instances=stages["instances"]["answered"]),
    }


def shown(run, mode):
    if run is None:
        return f"{'failed':>24}"
    text = f"{run['seconds']:.2f}{'' if run['ended'] else '…'} {run['paths']}"
    if mode == "patterns":
        text += f" ({run['patterns']}; {run['quantified']}/{run['asked']})"
    return f"{text:>{30 if mode == 'patterns' else 16}}"


def speed_up(table, mode, other, at_least=0.0):
    """How many times faster a mode is, on rows where one of both ends."""
    both = [(row[mode], row[other]) for row in table if row.get(mode) and row.get(other)]
    both = [(one, two) for one, two in both if (one["ended"] or two["ended"]) and two["seconds"] >= at_least]
    ratios = sorted(two["seconds"] / one["seconds"] for one, two in both)
    if ratios:
        where = f" where it takes {at_least:.0f} s" if at_least else ""
        print(f"{mode} against {other}{where}: {len(ratios)} rows, median {statistics.median(ratios):.2f}x, "
              f"average {statistics.mean(ratios):.2f}x, least {ratios[0]:.2f}x, most {ratios[-1]:.2f}x", flush=True)


def summary(table):
    print()
    for other in ["tree", "none"]:
        speed_up(table, "patterns", other)
    speed_up(table, "patterns", "tree", at_least=1.0)
    ratios = []
    for row in table:
        others = [row[mode] for mode in ["none", "tree", "patterns"] if row.get(mode)]
        if row.get("auto") and others:
            best = min(others, key=lambda run: (not run["ended"], run["seconds"]))
            if best["ended"]:
                ratios.append((row["auto"]["seconds"] / best["seconds"], row["name"]))
    if ratios:
        worst = ", ".join(f"{name} {ratio:.2f}x" for ratio, name in sorted(ratios, reverse=True)[:5])
        print(f"auto against the best that ends: median {statistics.median(ratio for ratio, _ in ratios):.2f}x; worst: {worst}")
    runs = [row["patterns"] for row in table if row.get("patterns")]
    asked, left = sum(run["asked"] for run in runs), sum(run["quantified"] for run in runs)
    if asked:
        steps = sum((run["steps"] for run in runs), Counter())
        print(f"quantified queries: {asked}, {100 * (asked - left) / asked:.1f} % without Z3's quantifiers: "
              + ", ".join(f"{step} {count}" for step, count in steps.most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--capacity", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=20, help="CPU time of each run")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--options", default="", help="more options for every run")
    parser.add_argument("--mneme", default=ROOT / "target/release/mneme", type=Path)
    args = parser.parse_args()
    args.mneme = args.mneme.resolve()
    modes = args.modes.split(",")
    print(f"capacity {args.capacity}, at most {args.seconds} CPU s: CPU seconds and paths; for patterns, how many, and queries\n"
          f"that reached Z3's quantifiers of those with quantifiers\n\n{'row':24}" + "".join(f"{mode:>{30 if mode == 'patterns' else 16}}" for mode in modes))
    table = []
    for name, prepare in rows():
        if args.rows and not any(part in name for part in args.rows):
            continue
        try:
            program, words = prepare()
        except (subprocess.CalledProcessError, IndexError, OSError) as why:
            print(f"{name:24} no sources: {why}", flush=True)
            continue
        row = {mode: measure(program, words, mode, args) for mode in modes}
        print(f"{name:24}" + "".join(shown(run, mode) for mode, run in row.items()), flush=True)
        table.append({"name": name, **row})
    summary(table)


if __name__ == "__main__":
    sys.exit(main())
