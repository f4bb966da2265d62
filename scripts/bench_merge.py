#!/usr/bin/env python3
"""The modes of symbolic sizes side by side, as in Figures 5.5 to 5.10 of the thesis.

Runs every program of tests/c/papers with a symbolic size, or with a symbolic bound of its input, in every mode, with capacities of 8, 16
and 32 elements, and prints the CPU seconds of the process (compiler included), paths, the queries that reached the backend, and the instructions covered. At the end, for each
capacity: the time of all programs together, how many hit the time limit, on how many a mode was the fastest (within 10 % of the
best), and on how many it covered most; and how much smaller merged constraints and values are with `tree` than with `loops` (Figures
5.12 and 5.13: geometric mean over the programs in which both merge and come to the end). For `auto` it prints how many times the CPU
time of the better of `symbolic` and `tree` each program takes, at least 1 (a run that ends is better than one at the time limit). `make bench-merge` builds mneme and calls this.
"""

import argparse
import math
import pathlib
import sys

from bench import ROOT, explore

# Options of mneme for each mode.
MODES = {
    "max": ["--sizes", "max", "--merge", "none"],
    "eager": ["--sizes", "eager", "--merge", "none"],
    "symbolic": ["--sizes", "symbolic", "--merge", "none"],
    "loops": ["--sizes", "symbolic", "--merge", "loops"],
    "tree": ["--sizes", "symbolic", "--merge", "tree"],
    "patterns": ["--sizes", "symbolic", "--merge", "patterns"],
    "auto": ["--sizes", "symbolic", "--merge", "auto"],
}
# Programs, with the macros defined besides CAPACITY.
ROWS = [
    ("sop_fig2_index", []),
    ("sop_fig2_unsafe", []),
    ("sop_memset_vla", []),
    ("symmmu_fig11_cpio", []),
    ("thesis_1_2_ptrs_symsize", []),
    ("thesis_1_7_symsize_loop", []),
    ("thesis_1_8_strchr_chain", []),
    ("thesis_1_8_strchr_chain", ["-DCALLS=4"]),
    ("thesis_5_1_uri_headers", []),
    ("thesis_5_1_via_parse", []),
    ("thesis_5_3_symsize_loop", []),
    ("thesis_5_3_symsize_loop", ["-DOFFBYONE"]),
    ("thesis_6_1_memspn_a", []),
    ("thesis_6_1_memspn_ab", []),
    ("thesis_6_1_memspn_chain", []),
]


def measure(options, program, defines, mode):
    """The statistics of one run, and whether it ended by itself; None if there are none."""
    words = [*defines, "--search", "dfs", *MODES[mode]]
    stats = explore(options.mneme, ROOT / f"tests/c/papers/{program}.c", words, options.model, options.max_time)
    return stats and {
        "seconds": stats["cpu_s"],
        "ended": not any("time" in reason for reason in stats["paths"]["stop_reasons"]),
        "paths": stats["paths"]["completed"],
        "faults": stats["paths"]["faulted"],
        "queries": stats["queries"]["backend"],
        "covered": stats["coverage"]["instructions_covered"],
        "merging": stats.get("merging"),
    }


def table(options, capacity):
    """One line for each program and mode; the results by program."""
    print(f"\nCapacity {capacity}, {options.model or 'default model'}, at most {options.max_time} s each\n")
    print(f"{'program':38} {'mode':9} {'seconds':>8} {'done':>6} {'faults':>6} {'backend':>7} {'covered':>7}")
    results = []
    for program, extra in ROWS:
        label = " ".join([program, *extra])
        if options.filter not in label:
            continue
        row = {}
        for mode in options.modes:
            row[mode] = measure(options, program, [f"-DCAPACITY={capacity}", *extra], mode)
            if row[mode] is None:
                print(f"{label:38} {mode:9} {'failed':>8}", flush=True)
                continue
            limit = "" if row[mode]["ended"] else "  time limit"
            print(f"{label:38} {mode:9} {row[mode]['seconds']:8.2f} {row[mode]['paths']:6} {row[mode]['faults']:6} "
                  f"{row[mode]['queries']:7} {row[mode]['covered']:7}{limit}", flush=True)
        if ratio := against_the_better(row):
            print(f"{label:38} auto takes {ratio:.2f}x the time of the best of the others", flush=True)
        results.append({mode: figures for mode, figures in row.items() if figures})
    return results


def against_the_better(row):
    """The CPU time of `auto` relative to the best of the modes it chooses between; None if fewer than two ran."""
    others = [row[mode] for mode in ["symbolic", "tree", "patterns"] if row.get(mode)]
    if len(others) < 2 or row.get("auto") is None:
        return None
    better = min(others, key=lambda run: (not run["ended"], run["seconds"]))
    return max(1.0, row["auto"]["seconds"] / better["seconds"])


def each(row, figure):
    return [figures[figure] for figures in row.values()]


def summary(options, results):
    print(f"\n{'mode':9} {'seconds':>8} {'limits':>6} {'fastest':>7} {'most covered':>12} {'queries':>8}")
    for mode in options.modes:
        rows = [row for row in results if mode in row]
        fastest = sum(row[mode]["seconds"] <= 1.1 * min(each(row, "seconds")) for row in rows)
        most = sum(row[mode]["covered"] == max(each(row, "covered")) for row in rows)
        print(f"{mode:9} {sum(row[mode]['seconds'] for row in rows):8.2f} "
              f"{sum(not row[mode]['ended'] for row in rows):6} {fastest:7} {most:12} "
              f"{sum(row[mode]['queries'] for row in rows):8}", flush=True)
    ratios = [ratio for ratio in map(against_the_better, results) if ratio]
    if ratios:
        print(f"auto takes at most {max(ratios):.2f}x the time of the best of the others", flush=True)


def encoding(results):
    """How many times larger the encoding of `loops` is than that of `tree`."""
    both = [(row["loops"], row["tree"]) for row in results if "loops" in row and "tree" in row]
    both = [(a, b) for a, b in both if a["ended"] and b["ended"] and a["merging"] and b["merging"]]
    for figure in ["constraints", "values"]:
        sizes = [(a["merging"][figure], b["merging"][figure]) for a, b in both]
        ratios = [plain / tree for plain, tree in sizes if plain and tree]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"merged {figure}: tree is {mean:.1f}x smaller than loops (geometric mean of {len(ratios)} programs, "
                  f"{min(ratios):.1f}x to {max(ratios):.1f}x)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    parser.add_argument("--modes", default=",".join(MODES), help="these modes, separated by commas")
    parser.add_argument("--capacity", default="8,16,32", help="these capacities, separated by commas")
    parser.add_argument("--model", help="memory model, unless the default")
    parser.add_argument("--max-time", type=int, default=20, help="seconds for each run")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"bench_merge: there is no {options.mneme}; run make build")
    options.mneme = options.mneme.resolve()
    options.modes = options.modes.split(",")
    for unknown in set(options.modes) - set(MODES):
        sys.exit(f"bench_merge: there is no mode {unknown}; give some of {','.join(MODES)}")
    for capacity in options.capacity.split(","):
        results = table(options, int(capacity))
        summary(options, results)
        encoding(results)


if __name__ == "__main__":
    main()
