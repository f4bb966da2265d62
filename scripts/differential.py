#!/usr/bin/env python3
"""Random programs: what mneme says of one must be what happens when it runs natively on every input.

    scripts/differential.py --mneme target/release/mneme --seed 1 --count 200
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import time

from oracle import compare, generate, native, settings, symbolic


class Result:
    """What came of one program."""

    def __init__(self, seed):
        self.seed = seed
        self.skipped = None
        self.inputs = 0
        # Of each run: the row of its settings, what is wrong, why it is incomplete.
        self.runs = []


def check(seed, args, folder):
    result = Result(seed)
    program = generate.program(seed)
    source = folder / "program.c"
    source.write_text(program.text())
    natives = {}
    for number, row in enumerate(settings.rows_of(seed, args.rows)):
        m32 = row["width"] == "32"
        try:
            if m32 not in natives:
                natives[m32] = native.run(source, program.domains(), folder, m32)
        except native.Failed as why:
            result.skipped = str(why)
            return result
        outcomes = {value: outcome for value, outcome in natives[m32].items() if outcome.kind != "excluded"}
        result.skipped = compare.unknown(outcomes)
        if result.skipped:
            return result
        result.inputs += len(outcomes)
        answer = symbolic.run(args.mneme, source, settings.options(row), args.limit, folder / f"out{number}")
        wrong = compare.differences(program, outcomes, answer)
        result.runs.append((row, wrong, [] if answer.exact else answer.reasons))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="programs")
    parser.add_argument("--rows", type=int, default=2, help="settings that a program is run with")
    parser.add_argument("--limit", type=int, default=10, help="seconds of one run of mneme")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="programs at a time")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("differential-wrong"))
    args = parser.parse_args()
    args.mneme = args.mneme.resolve()

    def one(seed):
        with tempfile.TemporaryDirectory() as scratch:
            result = check(seed, args, pathlib.Path(scratch))
            if any(wrong for _, wrong, _ in result.runs):
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"seed{seed}.c").write_text((pathlib.Path(scratch) / "program.c").read_text())
            return result

    started = time.time()
    counts = collections.Counter()
    reasons = collections.Counter()
    classes = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for result in pool.map(one, range(args.seed, args.seed + args.count)):
            counts["programs"] += 1
            counts["inputs"] += result.inputs
            if result.skipped:
                counts["skipped"] += 1
                print(f"skipped: seed {result.seed}: {result.skipped}", flush=True)
            for row, wrong, why in result.runs:
                counts["runs"] += 1
                if wrong:
                    counts["wrong"] += 1
                    for kind, text in wrong[:3]:
                        print(f"wrong: seed {result.seed} {' '.join(settings.options(row))}: {kind}: {text}", flush=True)
                    classes[wrong[0][0]] += 1
                if why:
                    counts["incomplete"] += 1
                    reasons.update(why)
    print(counts, reasons, classes, f"{time.time() - started:.0f} s", sep="\n")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
