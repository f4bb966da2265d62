#!/usr/bin/env python3
"""Handlers (symMMU, section 5), in one run: `make bench-handlers` builds mneme and calls this.

dispatch   what an all-pass handler of concrete accesses costs on strcpy, with and without the TLB (5.2.2)
strings    every policy against the built-in resolution on 23 string functions: tests per CPU second, queries (Figure 9)
profiler   the benchmark of 5.5 as written, and with the handler `profile`: queries and CPU seconds against n
heap       the heap violations of 5.6: found by the checker and without it
lines      lines of code of each part beside the paper's (Table 3)
"""

import argparse
import re
import statistics

from bench import ROOT, explore

FUNCTIONS = ("index rindex stpcpy strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strfry strlen strncasecmp "
             "strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm").split()
POLICIES = ["concretize", "fork-address", "prioritize", "fork-objects", "ite", "create-variable"]
PAPERS = ROOT / "tests/c/papers"
HANDLERS = ROOT / "crates/runtime/handlers"
# Table 3; the name of our file, what the paper calls it, and its lines.
LINES = [
    ("range-check", "Range Checking", 35), ("constant", "Constant Symbolic Resolution", 20),
    ("concretize", "Pointer Concretization", 19), ("fork-address", "Fork on Address", 17),
    ("prioritize", "Prioritized Concretization", 32), ("fork-objects", "Fork on Objects", 38),
    ("ite", "If-Then-Else Reads", 37), ("create-variable", "Create Variable", 26), ("profile", "Access Profiler", 71),
    ("heap-check", "Heap Checker", 371),
]


def dispatch(options):
    program = ROOT / "benches/throughput/strcpy_4096.c"
    ways = {
        "no handler": [],
        "all-pass, TLB": ["--concrete-handler", "pass:tlb"],
        "all-pass, no TLB": ["--concrete-handler", "pass"],
    }
    print(f"strcpy of 4,096 bytes, {options.repeat} times: least CPU seconds of {options.runs} runs, start-up included\n")
    print(f"{'':18} {'seconds':>8} {'ratio':>7} {'instructions':>13} {'ratio':>7}   paper (time, instructions)")
    paper = {"no handler": "", "all-pass, TLB": "1.1x 1.2x", "all-pass, no TLB": "1.5x 1.9x"}
    every = {way: [] for way in ways}
    for _ in range(options.runs):
        for way, words in ways.items():
            every[way].append(explore(options.mneme, program, [f"-DREPEAT={options.repeat}", *words], None, 600))
    base = None
    for way, stats in every.items():
        best = min((one for one in stats if one), key=lambda one: one["cpu_s"])
        base = base or best
        print(f"{way:18} {best['cpu_s']:8.2f} {best['cpu_s'] / base['cpu_s']:6.2f}x {best['instructions']:13} "
              f"{best['instructions'] / base['instructions']:6.2f}x   {paper[way]}", flush=True)


def strings(options):
    print(f"\n23 string functions, {options.seconds} s each: tests per CPU second over the built-in resolution's, and queries "
          "that reached the solver\n")
    print(f"{'':12} {'built-in':>15} " + " ".join(f"{policy:>16}" for policy in POLICIES))
    ratios = {policy: [] for policy in POLICIES}
    queries = {policy: [] for policy in POLICIES}
    for number, name in enumerate(FUNCTIONS):
        if options.filter not in name:
            continue
        cells = []
        rates = {}
        for policy in [None, *POLICIES]:
            words = [f"-DFUNCTION={number}", *(["--handler", policy] if policy else [])]
            stats = explore(options.mneme, ROOT / "benches/handlers/strings.c", words, None, options.seconds)
            if not stats:
                cells.append(f"{'failed':>16}")
                continue
            tests = stats["paths"]["completed"] + stats["paths"]["faulted"]
            rates[policy] = tests / stats["cpu_s"], stats["queries"]["backend"]
            if policy is None:
                cells.append(f"{rates[policy][0]:7.1f}/s {rates[policy][1]:5}")
                continue
            over = rates[policy][0] / rates[None][0] if None in rates and rates[None][0] else 0
            ratios[policy].append(over)
            queries[policy].append(rates[policy][1] / max(1, rates[None][1]) if None in rates else 0)
            cells.append(f"{over:9.2f}x {rates[policy][1]:5}")
        print(f"{name:12} " + " ".join(cells), flush=True)
    for policy in POLICIES:
        if ratios[policy]:
            more = sum(ratio > 1 for ratio in ratios[policy])
            print(f"{policy:16} median {statistics.median(ratios[policy]):6.2f}x the tests, more in {more} of "
                  f"{len(ratios[policy])}; median {statistics.median(queries[policy]):.2f}x the queries")


def profiler(options):
    print("\nProfiler benchmark (5.5): CPU seconds and queries\n")
    print(f"{'n':>5} {'as written':>20} {'--handler profile':>20}   paper: queries linear in n, 338 s at 1,024")
    for n in options.sizes:
        cells = []
        for words in ([], ["--handler", "profile"]):
            stats = explore(options.mneme, PAPERS / "symmmu_5_5_profiler.c", [f"-DN={n}", *words], None, options.profile_time)
            done = stats and stats["paths"]["completed"] == 1
            cells.append(f"{stats['cpu_s']:8.1f} s {stats['queries']['backend']:7} q" if done else "not in time".rjust(20))
        print(f"{n:5} " + " ".join(cells), flush=True)


def heap(options):
    print("\nHeap violations (5.6): findings without and with the heap checker\n")
    both = ["--handler", "heap-check", "--concrete-handler", "heap-check"]
    for program in sorted(PAPERS.glob("symmmu_heap_*.c")) + [PAPERS / "symmmu_fig11_cpio.c"]:
        plain, checked = (explore(options.mneme, program, words, None, 60) for words in ([], both))
        count = [str(stats["paths"]["faulted"]) if stats else "failed" for stats in (plain, checked)]
        print(f"{program.name:32} {count[0]:>7} {count[1]:>7}", flush=True)


def code_lines(path):
    """Lines with code, as SLOCcount counts them."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    text = text.split("#[cfg(test)]\nmod tests {")[0]
    return sum(bool(line.strip()) for line in text.splitlines())


def lines(_):
    print("\nLines of code (5.1)\n")
    print(f"{'':32} {'ours':>6} {'paper':>6}")
    for name, called, paper in LINES:
        print(f"{called:32} {code_lines(HANDLERS / f'{name}.c'):6} {paper:6}")
    shadow = code_lines(ROOT / "crates/runtime/include/mneme_shadow.h")
    print(f"{'Shadow Memory':32} {shadow:6} {390:6}")
    engine = sum(code_lines(path) for path in sorted((ROOT / "crates/engine/src/handlers").glob("*.rs")))
    print(f"{'Dispatch and primitives (engine)':32} {engine:6} {340:6}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", required=True)
    parser.add_argument("--only", help="one of dispatch, strings, profiler, heap, lines")
    parser.add_argument("--repeat", type=int, default=1000, help="times that strcpy runs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10, help="for each string function and policy")
    parser.add_argument("--filter", default="", help="string functions whose names contain this")
    parser.add_argument("--sizes", type=int, nargs="*", default=[16, 32, 64, 128, 256])
    parser.add_argument("--profile-time", type=int, default=60)
    options = parser.parse_args()
    for part in [dispatch, strings, profiler, heap, lines]:
        if options.only in (None, part.__name__):
            part(options)


if __name__ == "__main__":
    main()
