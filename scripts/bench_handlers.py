#!/usr/bin/env python3
"""Handlers (symMMU, section 5), in one run: `make bench-handlers` builds mneme and calls this.

dispatch   what an all-pass handler of concrete accesses costs on strcpy, with and without the TLB (5.2.2)
strings    every policy against the built-in resolution on 23 string functions: tests per CPU second, queries (Figure 9)
profiler   the benchmark of 5.5 as written, and with the handler `profile`: queries and CPU seconds against n
agreement  the same functions on pages of a few bytes, explored completely: what each policy finds beside the complete ones
faults     access faults with `fork-objects` and with the built-in resolution, flagged and confirmed, on programs of tests/c
           and on libraries of Debian, by the classes of Table 4 (`range-check` in front of it, as in the paper)
heap       the heap violations of 5.6: found by the checker and without it
juliet     a sample of the Juliet suite (--juliet DIR) under the heap checker: flagged and confirmed by kind (Table 5)
lines      lines of code of each part beside the paper's (Table 3)
"""

import argparse
import collections
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import bench_search
import juliet as suite
from bench import ROOT, explore

FUNCTIONS = ("index rindex stpcpy strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strfry strlen strncasecmp "
             "strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm").split()
COMPLETE = [None, "fork-address", "fork-objects"]
POLICIES = ["concretize", "fork-address", "prioritize", "fork-objects", "ite", "create-variable"]
VARIANTS = ["constant", "range-check", "fork-address:capped", "fork-address:min-max"]
CHECKER = ["--handler", "heap-check", "--concrete-handler", "heap-check"]
# Errors of an access, and those of the heap that the checker knows.
ACCESS = {"out-of-bounds-read", "out-of-bounds-write", "null-dereference", "wild-dereference", "use-after-free",
          "use-after-return", "use-after-scope", "write-to-constant"}
HEAP = {415: "double-free", 416: "use-after-free", 457: "uninitialized-read", 122: None}
# The first five that can be fetched.
LIBRARIES = ["yajl", "libcsv", "expat", "cjson", "http-parser", "jansson", "utf8proc"]
PAPERS = ROOT / "tests/c/papers"
HANDLERS = ROOT / "crates/runtime/handlers"
# Table 3; the name of our file, what the paper calls it, and its lines.
LINES = [
    ("range-check", "Range Checking", 35), ("constant", "Constant Symbolic Resolution", 20),
    ("concretize", "Pointer Concretization", 19), ("fork-address", "Fork on Address", 17),
    ("prioritize", "Prioritized Concretization", 32), ("fork-objects", "Fork on Objects", 38),
    ("ite", "If-Then-Else Reads", 37), ("create-variable", "Create Variable", 26), ("profile", "Access Profiler", 71),
    ("heap-check", "Heap Checker", 371), ("watch", "Watchpoint", None), ("taint", "Taint", None),
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


def findings(options, words, seconds, folder=None):
    """The findings and statistics of one run; None if there are none."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(options.mneme), "run", *map(str, words), "--out", f"{scratch}/out", "--format", "json",
                   "--max-time", str(seconds)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds + 120,
                                  cwd=folder)
            return json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return None


def agreement(options):
    print(f"\nThe 23 functions on pages of {options.page} bytes: exit codes and errors of each policy\n")
    complete, wrong = 0, 0
    for number, name in enumerate(FUNCTIONS):
        if options.filter not in name:
            continue
        seen, exact = {}, {}
        for policy in [*COMPLETE, *POLICIES, *VARIANTS]:
            # A test of merged paths has one exit code of several.
            words = [ROOT / "benches/handlers/strings.c", f"-DFUNCTION={number}", f"-DPAGE={options.page}", "--merge", "none",
                     *(["--handler", policy] if policy else [])]
            if policy in seen or (run := findings(options, words, options.seconds)) is None:
                continue
            exits = {("exit", code) for code, times in run["stats"]["exit_values"].items() if times}
            errors = {(one["rule"], one["location"]["line"]) for one in run["findings"]}
            seen[policy], exact[policy] = exits | errors, run["stats"]["exact"]
        full = {policy: seen[policy] for policy in COMPLETE if exact.get(policy)}
        if not full:
            print(f"{name:12} not explored completely within {options.seconds} s", flush=True)
            continue
        complete += 1
        whole = set.union(*full.values())
        problems = [f"{policy or 'built-in'} misses {sorted(whole - its)}" for policy, its in full.items() if its != whole]
        problems += [f"{policy} alone has {sorted(its - whole)}" for policy, its in seen.items()
                     if policy not in full and policy != "create-variable" and its - whole]
        made_up = seen.get("create-variable", set()) - whole
        wrong += len(problems)
        said = "; ".join(problems) or f"{len(whole)} outcomes, complete with {', '.join(p or 'built-in' for p in full)}"
        print(f"{name:12} {said}" + (f"; create-variable makes up {sorted(made_up)}" if made_up else ""), flush=True)
    print(f"{complete} functions compared, {wrong} differences")
    options.wrong += wrong


def fault_class(finding):
    """The row of Table 4 that a finding belongs to; None if it is no access fault."""
    if "strays more than" in finding["message"]:
        return "Range Test"
    access = finding["access"]
    if finding["rule"] not in ACCESS or not access or access["kind"] not in ("read", "write"):
        return None
    return f"{'Symbolic' if access['symbolic'] else 'Concrete'} {'Load' if access['kind'] == 'read' else 'Store'}"


def plain_programs(count):
    """Programs of the corpus with an access fault that depends on inputs, and nothing special about their runs."""
    chosen = []
    for path in sorted((ROOT / "tests/c").rglob("*_bad.c")):
        text = path.read_text()
        faults = re.findall(r"// FAULT:\s*(.*)", text)
        if (any(rule in line for line in faults for rule in ACCESS) and not re.search(r"// (RUN|MODELS|EXIT|PENDING)", text)
                and re.search(r"klee_make_symbolic|mneme_(symbolic|u?(int|char|short|long)|size)\(", text)):
            chosen.append(path)
    return chosen[:count]


def libraries():
    """The libraries of Debian that can be fetched, the words by which mneme explores each, and the folder to do it in."""
    for name in LIBRARIES:
        driver = bench_search.DRIVERS / f"{name}.c"
        about = bench_search.directives(driver)
        try:
            yield name, bench_search.program(driver, about), bench_search.fetch(about["PACKAGE"])
        except subprocess.CalledProcessError as error:
            print(f"{name}: cannot be fetched, {error}", file=sys.stderr)


def faults(options):
    ways = {"built-in": [], "fork-objects": ["--handler", "range-check,fork-objects"]}
    inputs = [(path.stem, [path], None) for path in plain_programs(20)]
    inputs += itertools.islice(libraries(), options.libraries)
    table = {way: collections.Counter() for way in ways}
    queries = dict.fromkeys(ways, 0)
    for name, words, folder in inputs:
        for way, more in ways.items():
            run = findings(options, [*words, *more, "--confirm"], options.seconds, folder)
            if run is None:
                print(f"{name}: {way} failed")
                continue
            queries[way] += run["stats"]["queries"]["backend"]
            for one in run["findings"]:
                row = fault_class(one)
                if row is None:
                    continue
                table[way][row, "flagged"] += 1
                verdict = (one["confirmation"] or {}).get("verdict")
                table[way][row, verdict] += 1
                table[way][row, name] += 1
                if verdict != "confirmed":
                    print(f"{name}: {way}: {one['rule']} at line {one['location']['line']}: {one['confirmation']}")
    print(f"\nAccess faults on {len(inputs)} programs, {options.seconds} s each (Table 4)\n")
    print(f"{'':16} " + " ".join(f"{way:>30}" for way in ways))
    for row in ["Range Test", "Symbolic Load", "Symbolic Store", "Concrete Load", "Concrete Store"]:
        cells = []
        for way in ways:
            programs = sum((row, name) in table[way] for name, *_ in inputs)
            cells.append(f"{table[way][row, 'flagged']:4} flagged {table[way][row, 'confirmed']:4} confirmed {programs:2}".rjust(30))
        print(f"{row:16} " + " ".join(cells))
    for way in ways:
        flagged, confirmed = (sum(n for (_, what), n in table[way].items() if what == word) for word in ("flagged", "confirmed"))
        print(f"{way}: {confirmed} of {flagged} confirmed, {queries[way]} queries "
              f"(paper: {'1,751 of 2,252' if way == 'built-in' else '2,589 of 2,667, 2.1 times the queries'})")


def juliet(options):
    if options.juliet is None:
        print("\nJuliet: give the suite's folder with --juliet")
        return
    support = options.juliet / "testcasesupport"
    chosen = suite.sample([case for case in suite.cases(options.juliet, "any") if case.weakness in HEAP], options.count, "mneme")
    tests, sites, programs = (collections.defaultdict(collections.Counter) for _ in range(3))
    missed, alarms = [], []
    for case in chosen:
        for twin in ("bad", "good"):
            words = [*case.files, support / "io.c", "-I", support, "-DINCLUDEMAIN", "-DOMITGOOD" if twin == "bad" else "-DOMITBAD"]
            run = findings(options, [*words, *CHECKER, "--sym", "all", "--confirm"], 30)
            found = run["findings"] if run else []
            if (twin == "bad") != bool(found):
                (missed if twin == "bad" else alarms).append(case.name)
            for one in found:
                verdict = (one["confirmation"] or {}).get("verdict")
                tests[one["rule"]][verdict] += 1
                sites[one["rule"]][one["location"]["file"], one["location"]["line"]] += 1
                programs[one["rule"]][case.name] += 1
                if verdict != "confirmed":
                    print(f"{case.name} ({twin}): {one['rule']}: {one['confirmation']}", flush=True)
    print(f"\nHeap violations in {len(chosen)} programs of the Juliet suite, bad and good twins (Table 5)\n")
    print(f"{'':24} {'flagged':>8} {'confirmed':>10} {'sites':>6} {'programs':>9}")
    for rule in sorted(tests):
        print(f"{rule:24} {sum(tests[rule].values()):8} {tests[rule]['confirmed']:10} {len(sites[rule]):6} {len(programs[rule]):9}")
    flagged, confirmed = sum(map(collections.Counter.total, tests.values())), sum(one["confirmed"] for one in tests.values())
    print(f"{confirmed} of {flagged} confirmed (paper: 11.6 %); bad twins without a finding: {len(missed)}; "
          f"good twins with one: {len(alarms)}")
    for name in [*missed, *alarms]:
        print(f"    {name}")


def profiler(options):
    print("\nProfiler benchmark (5.5): CPU seconds, queries that were asked, and those that reached a backend\n")
    print(f"{'n':>5} {'as written':>24} {'--handler profile':>24}   paper: queries linear in n, 338 s at 1,024")
    for n in options.sizes:
        cells = []
        for words in ([], ["--handler", "profile"]):
            stats = explore(options.mneme, PAPERS / "symmmu_5_5_profiler.c", [f"-DN={n}", *words], None, options.profile_time)
            done = stats and stats["paths"]["completed"] == 1
            queries = stats["queries"] if done else None
            cells.append(f"{stats['cpu_s']:8.2f} s {queries['asked']:6} {queries['backend']:6}" if done else "not in time".rjust(24))
        print(f"{n:5} " + " ".join(cells), flush=True)


def heap(options):
    print("\nHeap violations (5.6): findings without and with the heap checker\n")
    for program in sorted(PAPERS.glob("symmmu_heap_*.c")) + [PAPERS / "symmmu_fig11_cpio.c"]:
        plain, checked = (explore(options.mneme, program, words, None, 60) for words in ([], CHECKER))
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
        print(f"{called:32} {code_lines(HANDLERS / f'{name}.c'):6} {paper or '-':>6}")
    shadow = code_lines(ROOT / "crates/runtime/include/mneme_shadow.h")
    print(f"{'Shadow Memory':32} {shadow:6} {390:6}")
    engine = sum(code_lines(path) for path in sorted((ROOT / "crates/engine/src/handlers").glob("*.rs")))
    print(f"{'Dispatch and primitives (engine)':32} {engine:6} {340:6}")


PARTS = [dispatch, strings, agreement, faults, profiler, heap, juliet, lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", required=True)
    parser.add_argument("--only", choices=[part.__name__ for part in PARTS], help="one part")
    parser.add_argument("--repeat", type=int, default=10000, help="times that strcpy runs (the paper: 10,000)")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10, help="for each string function and policy, and each program")
    parser.add_argument("--page", type=int, default=3, help="bytes of a page where functions are explored completely")
    parser.add_argument("--libraries", type=int, default=5, help="libraries of Debian, whose sources are fetched")
    parser.add_argument("--juliet", type=pathlib.Path, help="checkout of the Juliet suite")
    parser.add_argument("--count", type=int, default=12, help="Juliet cases of each weakness")
    parser.add_argument("--filter", default="", help="string functions whose names contain this")
    parser.add_argument("--sizes", type=int, nargs="*", default=[16, 32, 64, 128, 256])
    parser.add_argument("--profile-time", type=int, default=60)
    options = parser.parse_args()
    options.wrong = 0
    for part in PARTS:
        if options.only in (None, part.__name__):
            part(options)
    sys.exit(options.wrong > 0)


if __name__ == "__main__":
    main()
