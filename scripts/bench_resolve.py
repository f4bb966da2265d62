#!/usr/bin/env python3
"""What a pointer to several objects, and splitting, cost: every policy on every program, in one run.

For each program and each `--resolve` policy: completed paths, queries that reached the backend, CPU seconds of the whole
process (user and system, compiling included), the same less what a program that does nothing takes, and the largest segment. Then the
sweep of piece sizes as in Table 3.6 of the thesis, with and without table terms; and programs in which no pointer has several objects,
with `--addresses flat --cache plain` (no object ever moves, addresses are part of every remembered query) as the baseline:
machine instructions that valgrind counts, as the difference is less than the noise of a clock. Ratios are against what was
measured in the same run.
`make bench-resolve` builds mneme and calls this.
"""

import argparse
import itertools
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from bench import ROOT, explore

POLICIES = ["fork", "merge", "static-segments", "dynamic-segments", "auto"]
PROGRAMS = ROOT / "tests/c/papers"
OWN = ROOT / "benches/resolve"
ROWS = [
    (PROGRAMS / "thesis_1_4_multi_resolution.c", ["-DROWS=64"]),
    (PROGRAMS / "thesis_1_4_multi_resolution.c", ["-DROWS=512"]),
    (PROGRAMS / "thesis_1_4_multi_resolution.c", ["-DROWS=4096"]),
    (PROGRAMS / "thesis_3_2_matrix.c", ["-DN=512"]),
    (PROGRAMS / "thesis_3_1_hash_tables.c", []),
    (PROGRAMS / "thesis_3_1_hash_tables.c", ["-DEASYHASH", "-DENTRIES=40"]),
    (PROGRAMS / "thesis_4_1_address_cache.c", ["-DN=4", "-DBRANCHES=3"]),
    (OWN / "buckets.c", []),
    (OWN / "pool.c", []),
    (OWN / "few_forks.c", []),
]
# No pointer may refer to several objects.
SINGLE = [
    (PROGRAMS / "symmmu_fig12_inet_aton.c", []),
    (PROGRAMS / "region_7_lazy_binding.c", []),
    (PROGRAMS / "thesis_5_1_uri_headers.c", ["-DEAGER"]),
    (PROGRAMS / "thesis_6_1_memspn_ab.c", []),
    (ROOT / "benches/throughput/list_churn.c", ["-DROUNDS=5000"]),
    (ROOT / "benches/throughput/sieve.c", ["-DROUNDS=2"]),
]
SPLITS = [None, "512", "256", "128", "64", "32", "auto"]


def measure(options, program, words):
    """Of several runs, the one with the least CPU time, or None; `net_s` excludes start-up."""
    words = [*words, "--merge", "none"]
    every = [explore(options.mneme, program, words, None, options.max_time) for _ in range(options.runs)]
    best = min((stats for stats in every if stats), key=lambda stats: stats["cpu_s"], default=None)
    if best:
        best["net_s"] = max(best["cpu_s"] - options.start_up, 0.001)
    return best


def start_up(options):
    """The least CPU seconds of several runs of a program that does nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, "nothing.c")
        program.write_text("int main(void) { return 0; }\n")
        every = [explore(options.mneme, program, [], None, options.max_time) for _ in range(2 * options.runs)]
        return min((stats["cpu_s"] for stats in every if stats), default=0.0)


def line(label, how, stats, best=None):
    if stats is None:
        print(f"{label:44} {how:22} {'failed':>7}", flush=True)
        return
    paths = stats["paths"]
    done = str(paths["completed"]) + ("" if stats["exact"] else "+")
    ratio = f"{stats['cpu_s'] / best['cpu_s']:7.2f}x {stats['net_s'] / best['net_s']:7.2f}x" if best else ""
    print(f"{label:44} {how:22} {done:>7} {stats['queries']['backend']:8} {stats['cpu_s']:8.2f} "
          f"{stats['net_s']:8.2f} {stats['resolution'].get('largest_segment', 0):8} {ratio}", flush=True)


def header(title):
    print(f"\n{title}\n")
    print(f"{'program':44} {'':22} {'paths':>7} {'backend':>8} {'CPU s':>8} {'net':>8} {'largest':>8} {'ratio':>8} {'of net':>8}")


def label(program, words):
    return f"{program.stem} {' '.join(words)}"


def policies(options):
    header("Policies; the ratio is to the best single one, in CPU time (a + after the paths: not all were explored)")
    for program, words in ROWS:
        if options.filter not in label(program, words):
            continue
        rows = {policy: measure(options, program, [*words, "--resolve", policy]) for policy in options.policies}
        single = [stats for policy, stats in rows.items() if stats and policy != "auto" and stats["exact"]]
        best = min(single, key=lambda stats: stats["cpu_s"], default=None)
        for policy, stats in rows.items():
            line(label(program, words), policy, stats, best)


def splitting(options):
    policies = [policy for policy in ["fork", "auto"] if policy in options.policies]
    for tables, policy in itertools.product(["off", "on"], policies):
        header(f"Splitting, --tables {tables} --resolve {policy}; the ratio is to no splitting")
        for name in ["buckets", "numbers"]:
            if options.filter not in name:
                continue
            whole = None
            for size in SPLITS:
                words = ["--tables", tables, "--resolve", policy, *(["--split", size] if size else [])]
                stats = measure(options, OWN / f"{name}.c", words)
                whole = whole or stats
                line(name, f"pieces of {size}" if size else "whole", stats, whole)


def instructions(options, program, words):
    """Machine instructions of a whole run without the compiler, or None."""
    with tempfile.TemporaryDirectory() as scratch:
        counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={scratch}/counts"]
        command = [*counting, str(options.mneme), "run", str(program), *words, "--out", f"{scratch}/out"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=20 * options.max_time)
        except (subprocess.TimeoutExpired, OSError):
            return None
        counted = re.search(r"I +refs: +([\d,]+)", done.stderr)
        return counted and int(counted.group(1).replace(",", ""))


def singles(options):
    print("\nNo pointer to several objects: relocatable and address-aware against flat and plain, millions of instructions\n")
    print(f"{'program':44} {'flat, plain':>12} {'default':>12} {'ratio':>8}")
    ratios = []
    for program, words in SINGLE:
        if options.filter not in label(program, words):
            continue
        plain = instructions(options, program, [*words, "--addresses", "flat", "--cache", "plain"])
        usual = instructions(options, program, words)
        if not plain or not usual:
            print(f"{label(program, words):44} {'failed':>12}", flush=True)
            continue
        ratios.append(usual / plain)
        print(f"{label(program, words):44} {plain / 1e6:12.0f} {usual / 1e6:12.0f} {ratios[-1]:7.3f}x", flush=True)
    if ratios:
        print(f"\nmean of the ratios: {statistics.mean(ratios):.3f}, largest {max(ratios):.3f}")


TABLES = {"policies": policies, "splitting": splitting, "singles": singles}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--only", choices=sorted(TABLES), help="one of the tables")
    parser.add_argument("--policies", nargs="+", default=POLICIES, choices=POLICIES, help="some of the policies")
    parser.add_argument("--filter", default="", help="only programs whose name and options contain this")
    parser.add_argument("--runs", type=int, default=3, help="repetitions (the fastest counts)")
    parser.add_argument("--max-time", type=int, default=60, help="seconds for each run")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"bench: there is no {options.mneme}; run make build")
    options.mneme = options.mneme.resolve()
    options.start_up = start_up(options)
    print(f"A program that does nothing takes {options.start_up:.2f} CPU seconds.")
    for name, table in TABLES.items():
        if options.only in (None, name):
            table(options)


if __name__ == "__main__":
    main()
