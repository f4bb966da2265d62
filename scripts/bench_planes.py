#!/usr/bin/env python3
"""The `planes` model: the papers' programs at several sizes, and Tables 1, 2 and 3 of "Symbolic Memory with Pointers" on SV-COMP's loops.

The first table runs programs whose sizes are symbolic, or whose pointers refer to many objects: paths and time should not depend on the
size. With `--programs DIR` (see svcomp.py) the 79 programs of sv13/loops are run with `planes` and `planes-naive`, with loops as they are
and summarised, for `--seconds` of processor time each. As in the paper, all variables live in memory, and the naive model has the solver
simplify one expression over all writes for each read (`--variables` and `--naive-reads` for other comparisons):

  Table 1  visited nodes. A node of the execution tree is an instruction executed on a path. Sums are the paper's measure; endless loops rule
           them, so that the geometric mean of the ratios of single programs stands beside, for those that time cut short with the naive model.
  Table 2  reads and writes by the structure that answers them: what stands at concrete offsets (boostMap), the list of symbolic writes
           (iteList). Times of the boostMap are those outside the fast loop.
  Table 3  questions about collisions, by whether the backend had to be asked, and backend calls per 1,000 operations.

and the verdicts. `make bench-planes` builds mneme and calls this. Slow machines make large numbers, never a failure.
"""

import argparse
import collections
import concurrent.futures
import math
import pathlib
import sys

import svcomp
from bench import ROOT, explore

# Programs, with their compiler flags. KLEE's paths are those of its memory model, for comparison.
ROWS = [
    ("sop_memset_symlen", ["-DCAPACITY=64"], "65"),
    ("sop_memset_symlen", ["-DCAPACITY=1024"], "84 of 1,025"),
    ("sop_memset_symlen", ["-DCAPACITY=1000000"], "-"),
    ("sop_multi_alloc", ["-DCAPACITY=4"], "30"),
    ("sop_multi_alloc", ["-DCAPACITY=16"], "34 of 1,496"),
    ("sop_multi_alloc", ["-DCAPACITY=1000"], "-"),
    ("sop_fig2_unsafe", [], "3 faults"),
    ("thesis_1_4_multi_resolution", ["-DROWS=64"], "65"),
    ("thesis_3_1_hash_tables", [], "11"),
]
LOOPS = ["classic", "compact"]
MODELS = ["planes-naive", "planes"]


def programs(options):
    print(f"The papers' programs with planes, at most {options.max_time} s each\n")
    print(f"{'program':30} {'options':20} {'seconds':>8} {'done':>6} {'faults':>6} {'backend':>7}  {'KLEE':12}")
    for program, words, klee in ROWS:
        stats = explore(options.mneme, ROOT / f"tests/c/papers/{program}.c", words, "planes", options.max_time)
        label = f"{program:30} {' '.join(words):20}"
        if stats is None:
            print(f"{label} {'failed':>8}")
            continue
        paths = stats["paths"]
        stopped = f"  {paths['stopped']} stopped" if paths["stopped"] else ""
        print(f"{label} {stats['time']['explore_s']:8.3f} {paths['completed']:6} {paths['faulted']:6} "
              f"{stats['queries']['backend']:7}  {klee:12}{stopped}", flush=True)


def sums(results):
    """The operations of all runs together, by their names in stats.json."""
    total = collections.Counter()
    for result in results:
        total.update(result.stats.get("operations", {}))
    return total


def share(part, whole):
    return f"{100 * part / whole:6.2f}" if whole else "     -"


def operations(name, total):
    """The lines of Table 2."""
    for kind in ("write", "read"):
        counts = [total[f"{structure}_{kind}s"] for structure in ("map", "list")]
        times = [total[f"{structure}_{kind}_ns"] / 1e9 for structure in ("map", "list")]
        multi = f"({total['multi_writes']})" if kind == "write" else ""
        cells = [f"{count:>10}{multi if at else '':6} {share(count, sum(counts))} {time:9.3f}"
                 for at, (count, time) in enumerate(zip(counts, times))]
        print(f"{name:8} {kind:6} {cells[0]}  {cells[1]}")


def questions(name, total):
    """The lines of Table 3."""
    done = sum(total[f"{structure}_{kind}"] for structure in ("map", "list") for kind in ("reads", "writes"))
    misses = 0
    for kind in ("write", "read"):
        hits, missed = total[f"{kind}_hits"], total[f"{kind}_misses"]
        misses += missed
        print(f"{name:8} {kind:6} {hits:9} {share(hits, hits + missed)} {total[f'{kind}_hit_ns'] / 1e9:9.3f} "
              f"{missed:9} {share(missed, hits + missed)} {total[f'{kind}_miss_ns'] / 1e9:9.3f}")
    rate = f"{1000 * misses / done:.3f}" if done else "-"
    print(f"{name:8} {misses} solver calls on {done} operations: {rate} per 1,000")


def uses_memory(result):
    """Does at least a hundredth of what a run executes read or write memory? Local variables without an address are elsewhere."""
    total = sums([result])
    return 100 * sum(total[f"{structure}_{kind}"] for structure in ("map", "list") for kind in ("reads", "writes")) >= result.instructions


def typical(options, pairs):
    """The geometric mean of the programs' ratios where the naive run timed out; otherwise both explore everything."""
    cut = [pair for pair in pairs if pair[0].seconds >= options.seconds and pair[0].instructions and pair[1].instructions]
    logarithms = [math.log(real.instructions / naive.instructions) for naive, real in cut]
    return f"{math.exp(sum(logarithms) / len(cut)):7.1f}x of {len(cut)}" if cut else "-"


def nodes(options, results, count):
    """Table 1: of all programs, and of those that use memory."""
    print(f"\nTable 1: visited nodes of {count} programs, {options.seconds:g} CPU s each (paper: 19.4x and 16.2x)\n")
    print(f"{'loops':8} {'programs':16} {'planes-naive':>14} {'planes':>14} {'ratio':>9}   mean of those cut short")
    for loops in LOOPS:
        pairs = list(zip(results[loops, "planes-naive"], results[loops, "planes"]))
        for name, part in [("all", pairs), ("using memory", [pair for pair in pairs if uses_memory(pair[1])])]:
            naive, real = (sum(pair[at].instructions for pair in part) for at in (0, 1))
            print(f"{loops:8} {f'{len(part)} {name}':16} {naive:14} {real:14} {real / naive if naive else 0:8.1f}x "
                  f"{typical(options, part):>16}")
    for loops in LOOPS:
        kinds = collections.Counter(result.kind for result in results[loops, "planes"])
        print(f"{loops:8} verdicts of planes: {kinds['right']} right, {kinds['unknown']} unknown, {kinds['disputed']} disputed, "
              f"{kinds['wrong']} wrong")
        for result in results[loops, "planes"]:
            if result.kind == "wrong":
                print(f"{'':8} wrong: {result.task.program}: {result.answer}")


def tables(options):
    tasks = svcomp.tasks("sv13/loops", options.filter)[:options.count]
    results = {}
    for loops in LOOPS:
        for model in MODELS:
            naive = ["--naive-reads", options.naive_reads] if model == "planes-naive" else []
            options.model, options.args = model, ["--merge", "none", "--loops", loops, "--variables", options.variables, *naive]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                results[loops, model] = list(pool.map(lambda task: svcomp.run(task, options), tasks))
    nodes(options, results, len(tasks))
    totals = {loops: sums(results[loops, "planes"]) for loops in LOOPS}
    print("\nTable 2: operations by structure; count (of these multi-writes), %, seconds\n")
    print(f"{'loops':8} {'':6} {'boostMap':>32}  {'iteList':>32}")
    for loops, total in totals.items():
        operations(loops, total)
    print("\nTable 3: questions about collisions; count, %, seconds\n")
    print(f"{'loops':8} {'':6} {'hits':>26} {'misses':>26}")
    for loops, total in totals.items():
        questions(loops, total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--programs", type=pathlib.Path, help="directory of SV-COMP's programs, for the three tables")
    parser.add_argument("--filter", default="", help="only programs of SV-COMP whose name contains this")
    parser.add_argument("--count", type=int, help="only so many programs of SV-COMP, from the first on")
    parser.add_argument("--seconds", type=float, default=20, help="processor time for each program of SV-COMP")
    parser.add_argument("--variables", default="memory", choices=["memory", "slots"], help="where local variables live")
    parser.add_argument("--naive-reads", default="solver", choices=["solver", "list"], help="how planes-naive reads")
    parser.add_argument("--max-time", type=int, default=60, help="seconds for each run of the first table")
    parser.add_argument("--jobs", type=int, default=1, help="programs of SV-COMP at a time")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"bench_planes: there is no {options.mneme}; run make build")
    options.mneme, options.first = options.mneme.resolve(), False
    programs(options)
    if options.programs:
        options.programs = options.programs.resolve()
        tables(options)


if __name__ == "__main__":
    main()
