#!/usr/bin/env python3
"""SV-COMP programs under mneme: is the verdict the right one?

scripts/svcomp.tsv names the programs with property, expected verdict and data model. They are not part of the project: `--programs`
is a directory with `sv20/c/memsafety*` (sv-benchmarks), `sv13/loops` (its tag svcomp13) and `cpalien` (test/programs of CPAchecker).
The answer of a run is

  false(P)   a finding that violates property P
  true       all paths were explored, and none ended in a finding that the property does not speak of
  unknown    anything else, with mneme's reasons

and the program is then right, wrong or unknown, or disputed if scripts/svcomp-disputed.txt lists it. It gets
`--seconds` of processor time, its compilation included, and is then interrupted. The script ends with 1 if any program is wrong. `make svcomp SVCOMP=DIR` builds mneme and calls this.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Tried in this order. Old programs need old C (implicit functions and ints).
STANDARDS = ["gnu11", "gnu89"]
DEREF = ["out-of-bounds-read", "out-of-bounds-write", "null-dereference", "wild-dereference", "use-after-free", "use-after-return",
         "use-after-scope", "write-to-constant"]
# The rules that violate a property, and what the competition calls the violated part of it.
VIOLATIONS = {
    "unreach-call": {"reach-error": "unreach-call"},
    "valid-memsafety": {**dict.fromkeys(DEREF, "valid-deref"), "double-free": "valid-free", "invalid-free": "valid-free",
                        "memory-leak": "valid-memtrack"},
}
# Findings that are a regular end of the program for a property they do not violate.
ENDS = {"abort", "assertion-failure", "reach-error", "stack-exhaustion"}
# Memory has an end. No property mentions it: a path on which the stack is exhausted ends there. As much as the largest object of
# symbolic size that mneme makes.
MEMORY = {"ILP32": str(2**27), "LP64": str(2**32 - 1)}
CHECKS = {"unreach-call": [], "valid-memsafety": ["--check", "leaks"]}
COLUMNS = ["set", "program", "expected", "class", "answer", "cpu_seconds", "paths", "instructions", "queries", "backend", "reasons"]
# Exit codes of a run with results: nothing found, findings, incomplete.
ENDED = {0, 1, 3}
# How long an interrupted run may take to write its results.
GRACE_SECONDS = 15


@dataclasses.dataclass(frozen=True)
class Task:
    """A line of svcomp.tsv."""

    set: str
    program: str
    property: str
    expected: str
    subproperty: str
    datamodel: str


@dataclasses.dataclass
class Result:
    task: Task
    kind: str
    answer: str
    reasons: list
    seconds: float
    paths: int = 0
    instructions: int = 0
    queries: int = 0
    backend: int = 0
    # The most memory that it or a solver needed, in KiB.
    memory: int = 0
    # All of stats.json.
    stats: dict = dataclasses.field(default_factory=dict)

    def row(self):
        return [self.task.set, self.task.program, self.task.expected, self.kind, self.answer, f"{self.seconds:.1f}", self.paths,
                self.instructions, self.queries, self.backend, "; ".join(self.reasons)]


def tasks(only, pattern):
    lines = (HERE / "svcomp.tsv").read_text().splitlines()[1:]
    listed = [Task(*line.split("\t")) for line in lines]
    return [task for task in listed if only in task.set and pattern in task.program]


def source(task, programs, scratch):
    """The program as mneme gets it. Where the property is the label ERROR (2013), a call behind the label makes it one that mneme knows."""
    path = programs / task.program
    text = path.read_text(encoding="latin-1")
    if task.property != "unreach-call" or re.search(r"\b(reach_error|__VERIFIER_error)\b", text):
        return path
    copy = scratch / path.name
    called = re.sub(r"\bERROR\s*:", r"\g<0> __VERIFIER_error();", text)
    copy.write_text(f'extern void __VERIFIER_error(void);\n# 1 "{path}"\n{called}', encoding="latin-1")
    return copy


def processor_seconds(pid):
    """For the process and those of its children that ended; None if it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def findings(out):
    try:
        return {result["ruleId"] for result in json.loads((out / "findings.sarif").read_text())["runs"][0]["results"]}
    except (OSError, ValueError, KeyError, IndexError):
        return set()


def watch(child, out, options, rules):
    """Interrupts the run when its time is over, or when it has its answer and nothing else is wanted. Returns whether time was over.

    The process is left to be waited for, so that its processor time can be had.
    """
    interrupted = None
    over = False
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.05)
        if interrupted is None:
            over = (processor_seconds(child.pid) or 0) >= options.seconds
            if over or options.first and findings(out) & rules:
                os.kill(child.pid, signal.SIGINT)
                interrupted = time.monotonic()
        elif time.monotonic() > interrupted + GRACE_SECONDS:
            os.kill(child.pid, signal.SIGKILL)
    return over


def run(task, options):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        out = scratch / "out"
        rules = VIOLATIONS[task.property]
        for standard in STANDARDS:
            command = [str(options.mneme), "run", str(source(task, options.programs, scratch)), f"--clang-flag=-std={standard}",
                       "--uninit", "any", "--max-stack", MEMORY[task.datamodel], "--capacity", MEMORY[task.datamodel],
                       "--quiet", "--out", str(out), *CHECKS[task.property]]
            command += ["--m32"] if task.datamodel == "ILP32" else []
            command += ["--model", options.model] if options.model else []
            with open(scratch / "log", "w") as log:
                child = subprocess.Popen(command + options.args, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                over = watch(child, out, options, rules.keys())
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = code = os.waitstatus_to_exitcode(status)
            if code != 2:
                break
        seconds = usage.ru_utime + usage.ru_stime
        if code not in ENDED:
            words = (scratch / "log").read_text(errors="replace").strip().splitlines()
            return Result(task, "wrong", f"exit code {code}", words[:1], seconds)
        stats = json.loads((out / "stats.json").read_text())
        answer, reasons = verdict(task, findings(out), stats, over)
        queries = stats["queries"]
        return Result(task, judge(task, answer), answer, reasons, seconds, stats["paths"]["completed"] + stats["paths"]["faulted"],
                      stats["instructions"], queries["asked"], queries["backend"],
                      usage.ru_maxrss, stats)


def verdict(task, rules, stats, over):
    """The answer, and a remark on it."""
    violations = VIOLATIONS[task.property]
    violated = {violations[rule] for rule in rules & violations.keys()}
    if violated:
        return f"false({', '.join(sorted(violated))})", sorted(rules)
    reasons = [f"other finding: {rule}" for rule in sorted(rules - violations.keys() - ENDS)]
    if not stats["exact"]:
        said = {**stats.get("exact_reasons", {}), **stats["paths"].get("stop_reasons", {})}
        reasons += ["processor time"] * over + [reason for reason in said if not over or "interrupt" not in reason]
    return ("unknown", reasons) if reasons or not stats["exact"] else ("true", [])


@functools.cache
def disputed():
    """Programs, one per line, and after `#` why their expected verdict does not hold."""
    rows = [line.split("#")[0].split() for line in (HERE / "svcomp-disputed.txt").read_text().splitlines()]
    return {words[0] for words in rows if words}


def judge(task, answer):
    if answer == "unknown":
        return "unknown"
    if task.program in disputed():
        return "disputed"
    if task.expected == "true":
        return "right" if answer == "true" else "wrong"
    part = task.property if task.subproperty == "-" else task.subproperty
    return "right" if part in answer else "wrong"


def general(reason):
    """A reason without the details of one program, for counting."""
    reason = re.sub(r"\s*\([^()]*:\d+(:\d+)?\)", "", reason)
    return re.sub(r"\b\d+\b", "N", reason)


def summary(results):
    """Counts by set and in total, then the reasons for unknown verdicts."""
    sets = collections.defaultdict(list)
    for result in results:
        sets[result.task.set].append(result)
    print(f"\n{'set':24} {'all':>5} {'right':>6} {'wrong':>6} {'unknown':>8} {'disputed':>9} {'CPU s':>8} {'paths':>10} {'instructions':>14} "
          f"{'queries':>9} {'backend':>8}")
    for name, part in [*sorted(sets.items()), ("total", results)]:
        kinds = collections.Counter(result.kind for result in part)
        print(f"{name:24} {len(part):5} {kinds['right']:6} {kinds['wrong']:6} {kinds['unknown']:8} {kinds['disputed']:9} "
              f"{sum(result.seconds for result in part):8.1f} {sum(result.paths for result in part):10} "
              f"{sum(result.instructions for result in part):14} {sum(result.queries for result in part):9} "
              f"{sum(result.backend for result in part):8}")
    reasons = collections.Counter(reason for result in results if result.kind == "unknown" for reason in
                                  {general(reason) for reason in result.reasons})
    if reasons:
        print("\nunknown because of (a program may have several reasons)")
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:5}  {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="directory of the programs")
    parser.add_argument("--set", default="", help="only sets whose name contains this, such as sv13/loops")
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    parser.add_argument("--model", help="memory model, unless the default")
    parser.add_argument("--seconds", type=float, default=20, help="processor time for each program")
    parser.add_argument("--first", action="store_true", help="end a program when its property is violated")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--write", type=pathlib.Path, help="file for all programs as a table (tab-separated)")
    parser.add_argument("args", nargs="*", metavar="ARG", help="more options of mneme run, after --")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"svcomp: there is no {options.mneme}; run make build")
    options.mneme, options.programs = options.mneme.resolve(), options.programs.resolve()
    chosen = tasks(options.set, options.filter)
    missing = [task.program for task in chosen if not (options.programs / task.program).exists()]
    if missing:
        sys.exit(f"svcomp: {options.programs} lacks {len(missing)} programs, such as {missing[0]}; --help says where they are from")
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda task: run(task, options), chosen):
            results.append(result)
            said = " | ".join(general(reason) for reason in result.reasons)
            print(f"{result.kind:8}  {result.task.program}: {result.answer}, {result.seconds:.1f} s, {result.paths} paths, "
                  f"{result.instructions} instructions, {result.queries} queries ({result.backend} to the backend)"
                  + (f": {said}" if said else ""), flush=True)
    summary(results)
    if options.write:
        rows = [COLUMNS, *(result.row() for result in results)]
        options.write.write_text("".join("\t".join(re.sub(r"\s+", " ", str(cell)) for cell in row) + "\n" for row in rows))
    return 1 if any(result.kind == "wrong" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
