#!/usr/bin/env python3
"""Juliet's bad and good twins under mneme: is what is wrong found, by its right name, and nothing else?

Takes test cases of fifteen weaknesses from a checkout of the Juliet 1.3 suite (https://github.com/arichardson/juliet-test-suite-c), in
C and for Unix, a sample spread over all functional and flow variants by a fixed seed. Each is run twice with --sym all, once with only
its bad function and once with only its good ones, with --confirm, and the table goes to docs/juliet.md.
`make juliet JULIET=path` builds mneme and calls this.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each weakness, the rules that name it, and the options it needs.
OVERRUN = {"out-of-bounds-read", "out-of-bounds-write"}
WEAKNESSES = {
    121: ("stack-based buffer overflow", OVERRUN, []),
    122: ("heap-based buffer overflow", OVERRUN, []),
    124: ("buffer underwrite", {"out-of-bounds-write"}, []),
    126: ("buffer over-read", {"out-of-bounds-read"}, []),
    127: ("buffer under-read", {"out-of-bounds-read"}, []),
    190: ("integer overflow", {"signed-overflow", "unsigned-overflow", "lossy-conversion"},
          ["--check", "overflow"]),
    369: ("division by zero", {"division-by-zero", "float-division-by-zero"}, ["--check", "float"]),
    401: ("memory leak", {"memory-leak"}, ["--check", "leaks", "--malloc-may-fail"]),
    415: ("double free", {"double-free"}, []),
    416: ("use after free", {"use-after-free"}, []),
    457: ("use of an uninitialised variable", {"uninitialized-read"}, []),
    476: ("null pointer dereference", {"null-dereference"}, []),
    590: ("free of memory not on the heap", {"invalid-free"}, []),
    761: ("free of a pointer not at the start", {"invalid-free"}, []),
    789: ("uncontrolled memory allocation", {"excessive-allocation"}, ["--check", "allocations"]),
}
# The type of what overflows in these is narrower than `int`: it happens when the result is converted back.
NARROW = re.compile("^(char|short)_")
# Only these are about unsigned arithmetic; the macros by which the others get random numbers wrap on purpose.
UNSIGNED = re.compile("^unsigned_")
# Functions by which a program gets input or a random number.
INPUT = re.compile(r"\b(fgets|fgetws|fscanf|scanf|recv|socket|listen|connect|rand|RAND32|RAND64|getenv|GETENV|fopen|open|read"
                   r"|globalReturnsTrueOrFalse)\s*\(")
NAME = re.compile(r"^(CWE(\d+)_.*?)__(.*)_(\d\d)([a-z]?)\.(c|cpp|h)$")

Case = collections.namedtuple("Case", "name weakness functional flow files")


def cases(root, inputs):
    """Every test case that is all C and for Unix, by name: with input from outside, without, or any."""
    groups = collections.defaultdict(list)
    for path in sorted(root.glob("testcases/CWE*/**/*")):
        match = NAME.match(path.name)
        if match and int(match[2]) in WEAKNESSES:
            groups[(int(match[2]), match[3], match[4])].append(path)
    for (weakness, functional, flow), files in sorted(groups.items()):
        if any(path.suffix == ".cpp" for path in files) or "w32" in functional:
            continue
        files = [path for path in files if path.suffix == ".c"]
        reads = any(INPUT.search(path.read_text(errors="replace")) for path in files)
        if files and inputs in ("any", "outside" if reads else "none"):
            name = re.sub(r"[a-z]?\.c$", "", files[0].name)
            yield Case(name, weakness, functional, flow, files)


def sample(all_cases, count, seed):
    """`count` cases of each weakness: functional variants and flows in turn, in an order that depends only on the seed."""
    def rank(*words):
        return hashlib.sha256(" ".join([seed, *words]).encode()).digest()

    chosen = []
    for weakness in WEAKNESSES:
        left = [case for case in all_cases if case.weakness == weakness]
        used = collections.Counter()
        while left and used["all"] < count:
            best = min(left, key=lambda case: (used[case.functional], used[case.flow], rank(case.name)))
            left.remove(best)
            used.update(["all", best.functional, best.flow])
            chosen.append(best)
    return chosen


def explore(options, case, twin):
    """What mneme reports on one twin: findings as (rule, confirmation), stops, seconds."""
    support = options.juliet / "testcasesupport"
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        command = [str(options.mneme), "run", "--sym", "all", *map(str, case.files), str(support / "io.c"), "-I", str(support), "-DINCLUDEMAIN",
                   "-DOMITGOOD" if twin == "bad" else "-DOMITBAD", "--max-time", str(options.max_time), "--out", str(out)]
        command += WEAKNESSES[case.weakness][2] + (["--confirm"] if options.confirm else [])
        if case.weakness == 190 and NARROW.match(case.functional):
            command += ["--check", "conversions"]
        if case.weakness == 190 and UNSIGNED.match(case.functional):
            command += ["--check", "unsigned"]
        command += ["--model", options.model] if options.model else []
        started = time.perf_counter()
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=options.max_time + 60)
            text = done.stdout.decode(errors="replace")
            code = done.returncode
        except subprocess.TimeoutExpired:
            text, code = "timed out", -1
        seconds = time.perf_counter() - started
        findings = []
        if (out / "findings.sarif").exists():
            for result in json.loads((out / "findings.sarif").read_text())["runs"][0]["results"]:
                confirmation = result.get("properties", {}).get("confirmation", {})
                verdict = confirmation.get("verdict") if isinstance(confirmation, dict) else confirmation
                findings.append((result["ruleId"], verdict or "not replayed"))
        return {"case": case, "twin": twin, "code": code, "findings": findings, "seconds": seconds, "text": text}


def judge(result):
    """`right`, `other`, `missed` or `stopped` for a bad twin; `clean`, `alarm` or `stopped` for a good one."""
    right = WEAKNESSES[result["case"].weakness][1]
    rules = {rule for rule, _ in result["findings"]}
    if result["twin"] == "good":
        return "alarm" if rules else ("clean" if result["code"] == 0 else "stopped")
    if rules & right:
        return "right"
    if rules:
        return "other"
    return "missed" if result["code"] == 0 else "stopped"


def table(options, results, population):
    rows = collections.defaultdict(collections.Counter)
    for result in results:
        row = rows[result["case"].weakness]
        row[f"{result['twin']} {judge(result)}"] += 1
        row[result["twin"]] += 1
        row["seconds"] += result["seconds"]
        for _, verdict in result["findings"]:
            row["findings"] += 1
            row[verdict] += 1
    total = sum(rows.values(), collections.Counter())
    lines = ["| weakness | of | bad | right kind | other kind | missed | stopped | good | alarms | stopped | findings | confirmed "
             "| seconds a run |", "| --- |" + " ---: |" * 12]

    def line(name, of, row):
        cells = [of, row["bad"], row["bad right"], row["bad other"], row["bad missed"], row["bad stopped"], row["good"],
                 row["good alarm"], row["good stopped"], row["findings"], row["confirmed"],
                 f"{row['seconds'] / max(1, row['bad'] + row['good']):.1f}"]
        lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")

    for weakness in WEAKNESSES:
        if rows[weakness]:
            line(f"CWE {weakness}, {WEAKNESSES[weakness][0]}", population[weakness], rows[weakness])
    line("all", sum(population.values()), total)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--juliet", required=True, type=pathlib.Path, help="checkout of the suite")
    parser.add_argument("--count", type=int, default=20, help="cases of each weakness; 0 is all")
    parser.add_argument("--seed", default="mneme", help="decides which")
    parser.add_argument("--cwe", type=int, action="append", help="only this weakness (may be repeated)")
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("--inputs", choices=["any", "outside", "none"], default="any", help="cases with input from outside, without, or both")
    parser.add_argument("--model", help="memory model, unless the default")
    parser.add_argument("--max-time", type=int, default=30, help="seconds for each run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once")
    parser.add_argument("--no-confirm", dest="confirm", action="store_false", help="without native replays")
    parser.add_argument("--write", type=pathlib.Path, help="file for the table, such as docs/juliet.md")
    parser.add_argument("--verbose", action="store_true", help="print each run that is not as it should be, with its output")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"juliet: there is no {options.mneme}; run make build")
    if not (options.juliet / "testcasesupport").is_dir():
        sys.exit(f"juliet: {options.juliet} is not a checkout of the suite; clone arichardson/juliet-test-suite-c")
    options.mneme, options.juliet = options.mneme.resolve(), options.juliet.resolve()

    wanted = [case for case in cases(options.juliet, options.inputs) if not options.cwe or case.weakness in options.cwe]
    population = collections.Counter(case.weakness for case in wanted)
    chosen = sample(wanted, options.count, options.seed) if options.count else wanted
    chosen = [case for case in chosen if options.filter in case.name]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(explore, options, case, twin) for case in chosen for twin in ("bad", "good")]
        for run in concurrent.futures.as_completed(runs):
            result = run.result()
            results.append(result)
            verdict = judge(result)
            unconfirmed = [finding for finding in result["findings"] if options.confirm and finding[1] != "confirmed"]
            if verdict not in ("right", "clean") or unconfirmed:
                print(f"{result['case'].name} {result['twin']}: {verdict} {result['findings']}", flush=True)
                if options.verbose:
                    print(result["text"])
    text = table(options, results, population)
    print(text)
    if options.write:
        head = options.write.read_text().split("<!-- table -->")[0] if options.write.exists() else ""
        options.write.write_text(f"{head}<!-- table -->\n\n{text}\n")


if __name__ == "__main__":
    main()
