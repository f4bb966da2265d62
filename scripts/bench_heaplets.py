#!/usr/bin/env python3
"""The `heaplets` model on the 49 programs of "Solver-based Analysis of Memory Safety using Separation Logic": what each allocation check costs.

The programs are memsafety-ext3 (18), memsafety-ext2 (10) and the 21 numbered ones of CPAlien (see svcomp.py for `--programs`). Each runs
with `--alloc-check sl`, `smt` and `model`, each with Z3 and with cvc5 as a process that answers all other questions, with the solvers that
are built in, and with the model `objects` in the place of the slides' SMGCPA. `sl` asks cvc5 in either case. Proofs are tried everywhere.

Columns: right verdicts, programs at the limit, questions of the allocation check and calls of the backend, seconds of processor time
(solvers included), and memory (the process or solver that needed most: mean and largest). `make bench-heaplets` builds mneme and calls this.
"""

import argparse
import concurrent.futures
import pathlib
import re
import sys

import svcomp

SETS = ["sv20/memsafety-ext3", "sv20/memsafety-ext2", "cpalien"]
SOLVERS = {"built in": [], "Z3": ["--solver", "z3 -in"], "cvc5": ["--solver", "cvc5"]}
ROWS = [("objects", None, "built in")] + [("heaplets", check, solver) for check in ("model", "smt", "sl") for solver in SOLVERS]


def programs(options):
    """The slides' 49."""
    listed = [task for name in SETS for task in svcomp.tasks(name, options.filter) if task.set == name]
    numbered = re.compile(r"cpalien/\d")
    return [task for task in listed if task.set != "cpalien" or numbered.match(task.program)]


def measure(options, tasks, model, check, solver):
    options.model = model
    options.args = ["--prove", *(["--alloc-check", check] if check else []), *SOLVERS[solver]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(lambda task: svcomp.run(task, options), tasks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="directory of SV-COMP's programs")
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    parser.add_argument("--seconds", type=float, default=90, help="processor time for each program")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"bench_heaplets: there is no {options.mneme}; run make build")
    options.mneme, options.programs, options.first = options.mneme.resolve(), options.programs.resolve(), True
    tasks = programs(options)
    print(f"{len(tasks)} programs, {options.seconds:g} CPU s each\n")
    print("| check | solver | right | wrong | at the limit | questions | backend calls | CPU s | MB mean | MB most |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    wrong = 0
    for model, check, solver in ROWS:
        results = measure(options, tasks, model, check, solver)
        count = lambda kind: sum(result.kind == kind for result in results)
        wrong += count("wrong")
        questions = sum(result.stats.get("resolution", {}).get("queries", 0) for result in results)
        limit = sum(result.seconds >= options.seconds for result in results)
        memory = [result.memory / 1024 for result in results]
        print(f"| {check or model} | {solver} | {count('right')} | {count('wrong')} | {limit} | {questions} "
              f"| {sum(result.backend for result in results)} | {sum(result.seconds for result in results):.1f} "
              f"| {sum(memory) / len(memory):.0f} | {max(memory):.0f} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
