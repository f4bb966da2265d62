#!/usr/bin/env python3
"""Random programs with loops of any number of rounds: `mneme run --prove` must never prove one that fails when it is run.

Each program has a few numbers, an array, a pointer into it and a block on the heap, loops that go on as long as the inputs say, and one
assertion that may fail. Mneme tries to prove it; the same program is compiled with AddressSanitizer and run natively on many random
inputs. A proof of a program that fails natively is wrong.

    scripts/proofs.py --mneme target/release/mneme --count 200 --seed 1
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TYPES = ["int", "int", "unsigned", "signed char", "unsigned char", "short", "long"]

NATIVE = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long long seed;
static int asked;
static jmp_buf over;
static int small;
int __VERIFIER_nondet_int(void) {
  if (++asked > 120) longjmp(over, 1);
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  unsigned r = seed >> 33;
  if (small && (r >> 20 & 7)) return (r & 15) < 5 ? 0 : (int)(r & 15) - 3;
  return (r >> 8 & 3) ? (int)(r & 63) - 20 : (int)(r * 2654435761u);
}
void reach_error(void) { fprintf(stderr, "failed\n"); _Exit(77); }
int main(void) {
  for (int trial = 0; trial < TRIALS; trial++) {
    seed = trial * 7919ULL + 17, asked = 0, small = trial % 4;
    if (!setjmp(over)) program();
  }
  return 0;
}
"""


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.depth = 1
        self.numbers = [f"v{i}" for i in range(rng.randint(2, 4))]
        self.loops = 0
        self.asserted = False

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def number(self):
        return self.rng.choice(self.numbers)

    def small(self):
        return self.rng.choice([0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 10, -1, -2])

    def condition(self):
        v, w, n = self.number(), self.number(), self.small()
        return self.rng.choice([f"{v} < {n}", f"{v} <= {w}", f"{v} != {n}", f"{v} == {n}", f"{v} > {n}", f"{v} < {w}", f"{v} != {w}",
                                f"({v} & 1) == {n & 1}", f"{v} + {w} == {n}", f"{v} - {w} <= {n}", "in()", "in()"])

    def block(self, inside):
        self.depth += 1
        for _ in range(self.rng.randint(1, 3)):
            self.statement(inside)
        self.depth -= 1

    def statement(self, inside):
        pick = self.rng.random()
        v, w, n = self.number(), self.number(), self.small()
        if pick < 0.30:
            self.emit(self.rng.choice([f"{v} = {n};", f"{v} = {w};", f"{v} += {n};", f"{v}++;", f"{v}++;", f"{v}--;", f"{v} = {w} + {n};",
                                       f"{v} += {w};", f"{v} ^= 1;", f"{v} = -{v};", f"{v} *= 2;"]))
        elif pick < 0.36:
            self.emit(f"{v} = in();" if self.rng.random() < 0.5 else f"{v} = in() & {self.rng.choice([1, 3, 7])};")
        elif pick < 0.55 and self.depth < 5:
            self.emit(f"if ({self.condition()}) {{")
            self.block(inside)
            if self.rng.random() < 0.4:
                self.emit("} else {")
                self.block(inside)
            self.emit("}")
        elif pick < 0.68:
            self.memory(v, w)
        elif pick < 0.76 and self.depth < 4 and self.loops < 3:
            self.loop()
        elif pick < 0.82 and inside:
            self.emit(f"if ({self.condition()}) {self.rng.choice(['break', 'continue'])};")
        elif pick < 0.92:
            self.emit(f"if ({v} {self.rng.choice(['<', '<', '>='])} {self.rng.choice([n, 20])}) {v}{self.rng.choice(['++', '--', ' += 2'])};")
        elif not self.asserted:
            self.check()

    def memory(self, v, w):
        self.emit(self.rng.choice([
            f"t[{v} & 3] = {w};", f"{v} = t[{w} & 3];", f"if ({v} >= 0 && {v} < {self.rng.choice([4, 4, 4, 4, 5])}) t[{v}] = {w};",
            f"if (p < t + {self.rng.choice([3, 3, 3, 3, 4])}) p++;", "p = t;", f"*p = {v};", f"{v} = *p;", "if (p > t) p--;",
            f"if (!q) q = malloc(sizeof *q); *q = {v};", "free(q); q = 0;", f"if (q) {v} = *q;", "free(q); q = malloc(sizeof *q); *q = 1;",
            f"if (q) (*q)++;", f"g = {v};", "g++;", f"{v} = g;", f"swap(&{v}, &{w});" if v in self.plain and w in self.plain else "g = 0;",
        ]))

    def loop(self):
        self.loops += 1
        v, w, n = self.number(), self.number(), self.small()
        head = self.rng.choice(["while (in())", "while (in())", f"while ({v} < {w})", f"for ({v} = 0; {v} < {w}; {v}++)",
                                f"for ({v} = 0; {v} < {abs(n) + 2}; {v}++)", f"while ({v} != {n} && in())", f"while ({v} > {n} && in())",
                                "for (int i = 0; i < (in() & 7); i++)"])
        self.emit(head + " {")
        self.block(True)
        if "in()" not in head and "for" not in head:
            self.emit("  if (!in()) break;")
        self.emit("}")

    def check(self):
        self.asserted = True
        negated = self.rng.random() < 0.5
        condition = self.condition()
        while "in()" in condition:
            condition = self.condition()
        self.emit(f"if ({'!' if negated else ''}({condition})) reach_error();")

    def text(self):
        types = [self.rng.choice(TYPES) for _ in self.numbers]
        self.plain = {name for name, kind in zip(self.numbers, types) if kind == "int"}
        for name, kind in zip(self.numbers, types):
            start = self.rng.choice([0, 0, 0, 1, 2, 5])
            self.emit(f"{kind} {name} = {start};")
        self.emit("int t[4] = {0, 1, 2, 3}; int *p = t, *q = 0; g = 0;")
        for _ in range(self.rng.randint(0, 2)):
            self.statement(False)
        self.emit("while (in()) {")
        for _ in range(self.rng.randint(1, 2)):
            self.block(True)
        self.emit("}")
        for _ in range(self.rng.randint(0, 2)):
            self.statement(False)
        if not self.asserted:
            self.check()
        self.emit("return 0;")
        head = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
        head += "#define in() __VERIFIER_nondet_int()\nint g;\nstatic void swap(int *a, int *b) { int c = *a; *a = *b; *b = c; }\n"
        return head + "int MAIN(void) {\n" + "\n".join(self.lines) + "\n}\n"


def native(source, scratch, trials):
    """How the program fails on some input, if one was found."""
    driver = os.path.join(scratch, "driver.c")
    with open(driver, "w") as file:
        file.write(f'#define MAIN program\n#define TRIALS {trials}\n#include "{source}"\n{NATIVE}')
    binary = os.path.join(scratch, "native")
    flags = ["-O1", "-w", "-fwrapv", "-fsanitize=address", "-fno-omit-frame-pointer"]
    subprocess.run(["clang-19", *flags, driver, "-o", binary], check=True, capture_output=True)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:quarantine_size_mb=1"}
    try:
        done = subprocess.run([binary], capture_output=True, text=True, errors="replace", timeout=20, env=environment)
    except subprocess.TimeoutExpired:
        return None
    return done.stderr[:300] if done.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme")
    parser.add_argument("--model", default="objects")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=6, help="for each run")
    parser.add_argument("--trials", type=int, default=40000, help="native runs of a program that was proved")
    parser.add_argument("--keep", help="directory for wrong proofs")
    args = parser.parse_args()
    found = complete = proved = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.seed, args.seed + args.count):
            source = os.path.join(scratch, f"p{seed}.c")
            with open(source, "w") as file:
                file.write(Program(random.Random(seed)).text())
            out = os.path.join(scratch, "out")
            command = [args.mneme, "run", source, "-DMAIN=main", "--prove", "--model", args.model, "--out", out, "--quiet",
                       "--max-time", str(args.seconds), "--max-memory", "2000"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode not in (0, 1, 3):
                wrong += 1
                print(f"seed {seed}: exit code {done.returncode}: {done.stderr[-500:]}", flush=True)
                continue
            with open(os.path.join(out, "stats.json")) as file:
                stats = json.load(file)
            shutil.rmtree(out)
            found += done.returncode == 1
            complete += stats["exact"] and "proof" not in stats
            if done.returncode == 0 and stats["exact"]:
                proved += "proof" in stats
                failure = native(source, scratch, args.trials)
                if failure:
                    wrong += 1
                    print(f"seed {seed}: {'proved' if 'proof' in stats else 'explored'}, but {failure}", flush=True)
                    if args.keep:
                        shutil.copy(source, args.keep)
            os.remove(source)
    print(f"{args.count} programs: {found} with findings, {complete} explored path by path, {proved} proved, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
