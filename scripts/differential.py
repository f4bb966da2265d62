#!/usr/bin/env python3
"""Random programs: what mneme says of one must be what happens when it runs natively on every input.

A program has one to three symbolic bytes. It is run natively on each of their values, under AddressSanitizer and UndefinedBehaviorSanitizer, and
by mneme under some rows of a covering array of settings. An answer is wrong if

  - a finding (rule and line) or an exit code of it belongs to no input,
  - a test predicts what does not happen on its inputs, or
  - it says that all paths were explored, and lacks a finding or an exit code that some input has,

or if mneme crashes. Answers that are incomplete are counted by reason. Programs with wrong answers are kept, and with --shrink made smaller.

    scripts/differential.py --mneme target/release/mneme --seed 1 --count 200
    scripts/differential.py --seed 2021 --count 1 --shrink
    scripts/differential.py --program differential-wrong/seed2021.c --all-rows
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import sys
import time

from oracle import check, generate, settings, shrink
from oracle.program import Written

# How many sentences are printed about one wrong run.
TOLD = 2


class Case:
    """A program, identified by a seed or a file."""

    def __init__(self, name, make, again):
        self.name, self.make, self.again = name, make, again


def from_seed(seed):
    return Case(f"seed{seed}", lambda: generate.program(seed), f"--seed {seed} --count 1")


def from_file(path):
    return Case(path.stem, lambda: Written(path.read_text()), f"--program {path}")


def from_list(path):
    """Seeds that were wrong once, one per line, with a word on the cause."""
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return [from_seed(int(words[0])) for words in lines if words]


class Summary:
    def __init__(self):
        self.counts = collections.Counter()
        self.reasons, self.classes = collections.Counter(), collections.Counter()

    def add(self, case, result, args):
        self.counts["programs"] += 1
        self.counts["inputs"] += result.inputs
        if result.skipped:
            self.counts["skipped"] += 1
            print(f"skipped: {case.name}: {result.skipped}", flush=True)
        self.counts["with findings"] += bool(result.ends - {"exit", "excluded"})
        self.counts["wrong programs"] += bool(result.wrong())
        for run in result.runs:
            self.add_run(case, run, args)

    def add_run(self, case, run, args):
        self.counts["runs"] += 1
        if run.wrong:
            self.counts["wrong"] += 1
            self.classes[run.wrong[0][0]] += 1
            print(f"wrong: {case.name}: {settings.named(run.row)}", flush=True)
            for kind, text in run.wrong[:TOLD]:
                print(f"  {kind}: {text}", flush=True)
            print(f"  again: scripts/differential.py --mneme {args.mneme} {case.again} --rows {args.rows}", flush=True)
        if run.late():
            self.counts["late"] += 1
        elif run.asked_for():
            self.counts["asked for"] += 1
        elif run.reasons:
            self.counts["incomplete"] += 1
            self.reasons.update(run.reasons)
            if args.verbose:
                print(f"incomplete: {case.name}: {settings.named(run.row)}: {', '.join(run.reasons)}", flush=True)

    def print(self, seconds):
        counts, runs = self.counts, max(self.counts["runs"], 1)

        def share(count):
            return f"{count} ({100 * count / runs:.1f} %)"

        print(f"\n{counts['programs']} programs ({counts['with findings']} with errors, {counts['skipped']} skipped), {counts['inputs']} native runs, "
              f"{counts['runs']} runs of mneme, {seconds:.0f} s")
        print(f"wrong: {share(counts['wrong'])} {dict(self.classes) or ''}".rstrip())
        print(f"incomplete: {share(counts['incomplete'])}; out of time: {share(counts['late'])}; by --sizes max or --tables off: {share(counts['asked for'])}")
        for reason, count in self.reasons.most_common():
            print(f"  {share(count)}: {reason}")
        print(f"{counts['programs'] - counts['wrong programs']} passed, {counts['wrong programs']} failed")


def keep(case, result, args):
    args.keep.mkdir(parents=True, exist_ok=True)
    (args.keep / f"{case.name}.c").write_text(result.program.text())


def shrink_first(case, result, args):
    """Shrinks the program for the first wrong run."""
    run = result.wrong()[0]
    kind = run.wrong[0][0]
    print(f"shrinking {case.name}: {kind}", flush=True)
    say = (lambda text: print(f"  {text}", flush=True)) if args.verbose else lambda text: None
    text = shrink.Shrinker(result.program.text(), run.row, kind, args.mneme, say).shrink()
    small = args.keep / f"{case.name}.small.c"
    small.write_text(text)
    print(f"{small}: {kind} with {settings.named(run.row)}\n{text}", flush=True)


def cases(args):
    if args.program:
        return [from_file(path) for path in args.program]
    listed = from_list(args.seeds) if args.seeds else []
    return listed + [from_seed(seed) for seed in range(args.seed, args.seed + args.count)]


def rows(args, case, program):
    if args.all_rows or args.program:
        chosen = [row for row in settings.covering() if args.options in settings.named(row)]
    else:
        chosen = settings.rows_of(int(case.name.removeprefix("seed")), args.rows)
    if args.handler:
        chosen = [{**row, "handler": args.handler} for row in chosen]
    return [settings.with_subobjects(row) for row in chosen] if program.leaves else chosen


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="programs")
    parser.add_argument("--seeds", type=pathlib.Path, help="seeds to run before, one a line")
    parser.add_argument("--program", type=pathlib.Path, nargs="+", help="programs to run instead, with every row")
    parser.add_argument("--rows", type=int, default=3, help="rows of the covering array that a program is run with")
    parser.add_argument("--all-rows", action="store_true", help="run each program with every row")
    parser.add_argument("--options", default="", help="of all rows, only those whose options contain this")
    parser.add_argument("--handler", help="options that install handlers, for every run: '--handler fork-objects'")
    parser.add_argument("--limit", type=int, default=10, help="seconds of one run of mneme")
    parser.add_argument("--seconds", type=float, help="begin no further program after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="programs at a time")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("differential-wrong"), help="where programs go with wrong answers")
    parser.add_argument("--shrink", action="store_true", help="make programs with wrong answers smaller")
    parser.add_argument("--strict", action="store_true", help="answers that are incomplete without need are wrong")
    parser.add_argument("--print", action="store_true", help="print the programs and run nothing")
    parser.add_argument("--verbose", action="store_true", help="name programs that are incomplete, too")
    return parser.parse_args()


def main():
    args = arguments()
    if args.print:
        print("\n".join(case.make().text() for case in cases(args)))
        return 0
    if not args.mneme.exists():
        sys.exit(f"differential: there is no {args.mneme}; run make build")
    args.mneme = args.mneme.resolve()
    started = time.monotonic()

    def one(case):
        if args.seconds and time.monotonic() - started > args.seconds:
            return case, None
        program = case.make()
        return case, check.check(program, rows(args, case, program), args.mneme, args.limit, args.strict)

    summary = Summary()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case, result in pool.map(one, cases(args)):
            if result is None:
                continue
            summary.add(case, result, args)
            if result.wrong():
                keep(case, result, args)
                if args.shrink:
                    shrink_first(case, result, args)
    summary.print(time.monotonic() - started)
    return 1 if summary.counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
