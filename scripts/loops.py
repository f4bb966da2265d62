#!/usr/bin/env python3
"""Random programs with regular loops: `--loops compact` must find what `--loops classic` finds.

Each program makes a few small inputs symbolic, runs random loops over arrays and counters (with `--together`: all in one structure, in
any order; with `--blocks`: loops that allocate, use and free blocks), and returns a number from 0 to 15 that depends on everything; a chain of tests makes each number a path of its own. Compared
are the findings (rule and line) and the set of exit values, where both runs are complete. With `--confirm` the findings of the compact
run are also replayed natively, and one that is unconfirmed counts as different.

    scripts/loops.py --mneme target/release/mneme --count 200 --seed 1
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TYPES = ["int", "unsigned", "long", "unsigned long", "unsigned char", "signed char", "short"]


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.depth = 1
        self.counters = 0

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def value(self, counter):
        """An expression that is cheap to be right about."""
        pick = self.rng.random()
        if pick < 0.3:
            return str(self.rng.randint(-2, 9))
        if pick < 0.55:
            return f"({counter} * {self.rng.randint(1, 3)} + {self.rng.randint(0, 3)})"
        if pick < 0.7:
            return "n"
        if pick < 0.85:
            return f"in[({counter} + {self.rng.randint(0, 1)}) & 7]" if self.rng.random() < 0.5 else f"in[{counter}]"
        return "acc"

    def index(self, counter):
        pick = self.rng.random()
        if pick < 0.5:
            return counter
        if pick < 0.7:
            return f"{counter} + {self.rng.randint(0, 2)}"
        if pick < 0.85:
            return f"2 * {counter}"
        return f"{self.rng.randint(5, 7)} - {counter}"

    def body(self, counter):
        for _ in range(self.rng.randint(1, 3)):
            pick = self.rng.random()
            array = self.rng.choice(["a", "b", "w"])
            if pick < 0.35:
                self.emit(f"{array}[{self.index(counter)}] = {self.value(counter)};")
            elif pick < 0.5:
                self.emit(f"{array}[{self.index(counter)}] = {self.rng.choice(['a', 'b', 'in'])}[{self.index(counter)}];")
            elif pick < 0.7:
                self.emit(f"acc += {self.rng.choice(['1', '3', 'n', counter, '-2'])};")
            elif pick < 0.8:
                self.emit(f"last = {self.value(counter)};")
            elif pick < 0.9:
                self.emit(f"if ({self.rng.choice(['in', 'a'])}[{counter}] == {self.rng.randint(0, 3)}) break;")
            elif pick < 0.95:
                self.emit(f"if ({counter} == m) break;")
            else:
                self.emit("g += 2;")

    def counter(self):
        """A new counter, and its declaration with its first value."""
        self.counters += 1
        counter = f"i{self.counters}"
        return counter, f"{self.rng.choice(TYPES)} {counter}"

    def variables(self):
        self.emit("int acc = 0, last = 7;")
        self.emit("int a[8] = {1, 2, 3}; char b[8] = {5}; short w[16] = {0};")

    def loop(self):
        counter, declared = self.counter()
        step = self.rng.choice([1, 1, 1, 2, 3])
        bound = self.rng.choice(["n", "m", "n + 1", "6", "n + m"])
        start = self.rng.choice(["0", "0", "1", "m", "n"])
        kind = self.rng.random()
        if kind < 0.5:
            op = self.rng.choice(["<", "<", "<=", "!="])
            self.emit(f"for ({declared} = {start}; {counter} {op} {bound}; {counter} += {step}) {{")
        elif kind < 0.75:
            op = self.rng.choice([">", ">=", "!="])
            start = self.rng.choice(["n", "m", "7", "n + m"])
            bound = self.rng.choice(["0", "1", "m"])
            self.emit(f"for ({declared} = {start}; {counter} {op} {bound}; {counter} -= {step}) {{")
        elif kind < 0.9:
            self.emit(f"{declared} = {start};")
            self.emit("do {")
        else:
            self.emit(f"{declared} = {start};")
            self.emit(f"while ({counter}++ < {bound}) {{")
        self.depth += 1
        self.body(counter)
        self.depth -= 1
        if 0.75 <= kind < 0.9:
            self.emit(f"}} while (({counter} += {step}) < {bound});")
        else:
            self.emit("}")

    def text(self):
        self.emit("unsigned char x, y, k;")
        self.emit("signed char in[8];")
        for name in ["x", "y", "k", "in"]:
            amp = "" if name == "in" else "&"
            self.emit(f'klee_make_symbolic({amp}{name}, sizeof {name}, "{name}");')
        self.emit(f"klee_assume(x <= {self.rng.randint(3, 7)});")
        self.emit(f"klee_assume(y <= {self.rng.randint(1, 4)});")
        self.emit("klee_assume(k < 8);")
        for element in range(8):
            self.emit(f"klee_assume((in[{element}] >= 0) & (in[{element}] <= 1));" if element < 2 else f"in[{element}] = {element % 4};")
        self.emit("int n = x, m = y;")
        self.variables()
        for _ in range(self.rng.randint(1, 2)):
            self.loop()
        self.emit("unsigned r = acc + 3 * last + a[k] + 2 * b[k] + w[k] + w[k + 8] + g;")
        for result in range(15):
            self.emit(f"if ((r & 15) == {result}) return {result};")
        self.emit("return 15;")
        return "#include <klee/klee.h>\n\n" + self.globals() + "\n\nint main(void) {\n" + "\n".join(self.lines) + "\n}\n"

    def globals(self):
        return "int g;"


class Together(Program):
    """Arrays, counters and sums are in one structure: a store that leaves its array changes another member."""

    def __init__(self, rng):
        super().__init__(rng)
        self.members = ["int a[8]", "char b[8]", "short w[16]", "int acc", "int last", "int g"]

    def counter(self):
        self.counters += 1
        self.members.append(f"{self.rng.choice(TYPES)} i{self.counters}")
        return f"s.i{self.counters}", f"s.i{self.counters}"

    def variables(self):
        self.emit("last = 7, a[0] = 1, a[1] = 2, a[2] = 3, b[0] = 5;")

    def globals(self):
        self.rng.shuffle(self.members)
        names = "\n".join(f"#define {name} s.{name}" for name in ["a", "b", "w", "acc", "last", "g"])
        return "static struct {\n" + "".join(f"  {member};\n" for member in self.members) + "} s;\n" + names


class Blocks(Program):
    """Loops that allocate, write and free blocks whose addresses are in an array, and single operations on these between the loops."""

    def header(self, counter):
        """The head of a loop over the rows, mostly within bounds."""
        start = self.rng.choice(["0", "0", "0", "1", "m"])
        bound = self.rng.choice(["n", "n", "n", "m", "n + 1", "6"])
        step = self.rng.choice([1, 1, 1, 2, 3])
        if self.rng.random() < 0.75:
            self.emit(f"for ({self.rng.choice(TYPES)} {counter} = {start}; {counter} < {bound}; {counter} += {step}) {{")
        else:
            start, bound = self.rng.choice([("n", "0"), ("n", "m"), ("6", "0"), ("n + 1", "1")])
            self.emit(f"for (int {counter} = {start}; {counter} > {bound}; {counter} -= {step}) {{")

    def row(self, counter):
        return f"rows[{self.rng.choice([counter, counter, counter, f'{counter} + 1', f'7 - {counter}', f'{counter} - 1'])}]"

    def block(self):
        size = self.rng.choice(["2", "3", "4", "n + 1", "8"])
        return self.rng.choice([f"malloc({size})", f"calloc({size}, 1)", f"calloc({size}, 1)"])

    def place(self, row):
        offset = self.rng.choice(["0", "1", "1", "2", "k", "32", "-1"])
        return f"{row}[{offset}]"

    def loop(self):
        self.counters += 1
        counter = f"i{self.counters}"
        self.header(counter)
        self.depth += 1
        pick = self.rng.random()
        row = self.row(counter)
        if pick < 0.4:
            self.emit(f"{row} = {self.block()};")
            if self.rng.random() < 0.5:
                self.emit(f"{self.place(row)} = {self.value(counter)};")
        elif pick < 0.5:
            self.emit(f"char *p = {self.block()};")
            self.emit("p[0] = 1;")
            self.emit(self.rng.choice([f"{row} = p;", "free(p);", f"free({row}); {row} = p;"]))
        elif pick < 0.85:
            if self.rng.random() < 0.2:
                self.emit(f"if ({row} == 0) break;")
            self.emit(f"free({row});")
            after = self.rng.random()
            if after < 0.3:
                self.emit(f"{row} = 0;")
            elif after < 0.4:
                self.emit(f"{self.place(self.row(counter))} = 2;")
        else:
            self.emit(f"{self.place(row)} = {self.value(counter)};")
        self.depth -= 1
        self.emit("}")

    def between(self):
        row, other = self.rng.sample(["rows[k]", "rows[m]", "rows[n]", "rows[0]"], 2)
        self.emit(
            self.rng.choice(
                [
                    f"free({row});",
                    f"free({row}); {row} = 0;",
                    f"{row} = realloc({row}, {self.rng.choice(['1', '5', 'n + 1'])});",
                    f"{row} = {other};",
                    f"if ({row}) {self.place(row)} = 3;",
                    f"if ({row}) last += {self.place(row)};",
                    f"if ({row} == {other}) acc++;",
                ]
            )
        )

    def text(self):
        self.emit("unsigned char x, y, k;")
        self.emit("signed char in[8] = {0, 1, 2, 3};")
        for name in ["x", "y", "k"]:
            self.emit(f'klee_make_symbolic(&{name}, sizeof {name}, "{name}");')
        self.emit(f"klee_assume(x <= {self.rng.randint(3, 6)});")
        self.emit(f"klee_assume(y <= {self.rng.randint(1, 3)});")
        self.emit("klee_assume(k < 7);")
        self.emit("int n = x, m = y, acc = 0, last = 7;")
        self.emit("char *rows[8] = {0};")
        self.emit("for (int i = 0; i < n; i++)")
        self.emit(f"  rows[i] = {self.block()};")
        for _ in range(self.rng.randint(1, 3)):
            if self.rng.random() < 0.6:
                self.between()
            self.loop()
        self.between()
        self.emit("unsigned r = acc + 3 * last + (rows[k] != 0);")
        for result in range(7):
            self.emit(f"if ((r & 7) == {result}) return {result};")
        self.emit("return 7;")
        return "#include <klee/klee.h>\n#include <stdlib.h>\n\nint main(void) {\n" + "\n".join(self.lines) + "\n}\n"


def run(mneme, model, loops, source, out, options):
    command = [mneme, "run", source, "--model", model, "--loops", loops, "--out", out, "--max-time", "20", "--format", "json", "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        return {"crash": done.stderr[-2000:]}
    with open(os.path.join(out, "stats.json")) as file:
        stats = json.load(file)
    found = json.loads(done.stdout)["findings"]
    findings = {(f["rule"], f["location"]["line"]) for f in found}
    unconfirmed = [(f["rule"], f["location"]["line"]) for f in found if (f.get("confirmation") or {}).get("verdict") == "unconfirmed"]
    return {
        "findings": findings,
        "unconfirmed": unconfirmed,
        "values": set(stats["exit_values"]),
        "exact": stats["exact"],
        "paths": stats["paths"]["completed"],
        "summarised": stats["loops"]["summarised"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme")
    parser.add_argument("--model", default="planes")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--blocks", action="store_const", dest="kind", const=Blocks, help="programs that allocate and free in loops")
    kinds.add_argument("--together", action="store_const", dest="kind", const=Together, help="all variables in one structure")
    parser.set_defaults(kind=Program)
    parser.add_argument("--confirm", action="store_true", help="replay the findings natively")
    parser.add_argument("--keep", help="directory for programs on which the two differ")
    args = parser.parse_args()
    wrong = compared = summarised = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.seed, args.seed + args.count):
            source = os.path.join(scratch, f"loops{seed}.c")
            with open(source, "w") as file:
                file.write(args.kind(random.Random(seed)).text())
            ways = [("classic", []), ("compact", ["--confirm"] if args.confirm else [])]
            runs = [run(args.mneme, args.model, loops, source, os.path.join(scratch, loops), more) for loops, more in ways]
            shutil.rmtree(os.path.join(scratch, "classic"), ignore_errors=True)
            shutil.rmtree(os.path.join(scratch, "compact"), ignore_errors=True)
            if any("crash" in one for one in runs):
                different = "crash: " + str([one.get("crash") for one in runs])
            elif not all(one["exact"] for one in runs):
                continue
            else:
                compared += 1
                summarised += runs[1]["summarised"] > 0
                fields = [field for field in ("findings", "values") if runs[0][field] != runs[1][field]]
                different = ", ".join(f"{field}: {sorted(runs[0][field])} and {sorted(runs[1][field])}" for field in fields)
                if runs[1]["unconfirmed"]:
                    different += f" unconfirmed: {runs[1]['unconfirmed']}"
            if different:
                wrong += 1
                print(f"seed {seed}: {different}", flush=True)
                if args.keep:
                    shutil.copy(source, args.keep)
    print(f"{compared} programs compared, {summarised} with summarised loops, {wrong} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
