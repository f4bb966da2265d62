#!/usr/bin/env python3
"""Merging by patterns against the other ways, as in Tables 6.3 to 6.8 of the thesis.

The rows are the functions of tests/c/parsers, and functions of libraries (benches/libraries): each driver says in
comments which package of Debian has the sources, what is compiled with it, and which functions it calls; the sources
are fetched and configured once. Each row is explored with each mode. The table says CPU seconds (of the process, the
compiler included), completed paths and `…` where the limit cut the run short, and for `patterns` the patterns found,
and how many quantified queries were asked and how many of them reached Z3 with their quantifiers. At the end, for
tests/c/parsers, for each library, and for all: the speed-up of `patterns` against `tree` and `none`, and how many more
instructions it covers, by the thesis' rule for which rows count (time where at least one of two modes ends, coverage
where one does not); the speed-up over rows on which `tree` takes a second or more, the time of `auto` divided by that
of the best of the others, and how many quantified queries were answered without Z3's quantifiers, by the step that did.

    scripts/bench_patterns.py [ROW...] [--capacity 12] [--seconds 20] [--modes none,tree,patterns,auto] [--options ...]
    scripts/bench_patterns.py --write FILE …; scripts/bench_patterns.py --read FILE    the rows of earlier runs
"""

import argparse
import json
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
        "covered": stats["coverage"]["instructions_covered"],
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


def groups(table):
    """The rows of tests/c/parsers, of each library, and all of them."""
    names = [row["name"].rpartition("/")[0] for row in table]
    for group in sorted(set(names)):
        yield group or "parsers", [row for row, name in zip(table, names) if name == group]
    yield "all", table


def compare(table, mode, other):
    """One line for each group, as in Tables 6.3 and 6.5."""
    print(f"\n{mode + ' against ' + other:24}{'time: rows':>12}{'average':>9}{'median':>8}{'coverage: rows':>16}{'average':>9}{'median':>8}")
    for name, rows in groups(table):
        both = [(row[mode], row[other]) for row in rows if row.get(mode) and row.get(other)]
        times = [two["seconds"] / one["seconds"] for one, two in both if one["ended"] or two["ended"]]
        more = [100 * (one["covered"] / two["covered"] - 1) for one, two in both if not (one["ended"] and two["ended"])]
        time = f"{statistics.mean(times):8.2f}x{statistics.median(times):7.2f}x" if times else f"{'-':>9}{'-':>8}"
        coverage = f"{statistics.mean(more):+8.1f}%{statistics.median(more):+7.1f}%" if more else f"{'-':>9}{'-':>8}"
        print(f"{name:24}{f'{len(times)}/{len(both)}':>12}{time}{f'{len(more)}/{len(both)}':>16}{coverage}")


def summary(table):
    for other in ["tree", "none"]:
        compare(table, "patterns", other)
    print()
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
        steps = sum((Counter(run["steps"]) for run in runs), Counter())
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
    parser.add_argument("--write", type=Path, help="append the rows to this file")
    parser.add_argument("--read", nargs="*", type=Path, help="no runs: summarise the rows of these files")
    args = parser.parse_args()
    if args.read:
        return summary([json.loads(line) for file in args.read for line in file.read_text().splitlines()])
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
        if args.write:
            with args.write.open("a") as out:
                print(json.dumps(table[-1]), file=out)
    summary(table)


if __name__ == "__main__":
    sys.exit(main())
