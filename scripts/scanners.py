#!/usr/bin/env python3
"""Random programs that scan a string: merged paths must find what plain paths find.

Each program makes a string of symbolic length (or a buffer) symbolic, runs random loops over it (skipping, counting, copying, searching,
parsing numbers, backwards, calls of the library), and returns a number from 0 to 7 that depends on everything; a chain of tests makes
each number a path of its own. Every program is explored with `--merge none`, and then with random settings of merging and a random model:
compared are the findings (rule and line) and the set of exit values, where both runs are complete.

    scripts/scanners.py --mneme target/release/mneme --count 200 --seed 1
    scripts/scanners.py --seed 17 --count 1 --print
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

MODELS = ["objects", "objects", "objects", "planes", "planes-naive", "regions", "heaplets"]


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.depth = 1
        self.loops = 0

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, likely):
        return self.rng.random() < likely

    def character(self):
        return self.pick("'a'", "'b'", "':'", "' '", "'0'", "7", "0x80")

    def test(self, c):
        """A condition on a character."""
        return self.pick(
            f"{c} == {self.character()}",
            f"{c} != {self.character()}",
            f"({c} == {self.character()} || {c} == {self.character()})",
            f"{c} >= 'a' && {c} <= 'c'",
            f"(unsigned char){c} < {self.pick(10, 64, 128)}",
            f"({c} & {self.pick(1, 3, 0x20)})",
        )

    def work(self, place):
        """What a round does besides going on. `place` is the character at hand."""
        self.emit(self.pick(
            "acc++;", "acc += 3;", "acc -= 2;", "acc = acc * 2 + 1;", "flag ^= 1;", f"last = {place};", "last = acc;",
            "last = i * 2 + 1;", f"acc += {place};", f"number = number * 10 + ({place} - '0');", f"out[o++] = {place};",
            "out[o++ % sizeof out] = 'x';", "out[i % sizeof out]++;", f"if ({self.test(place)}) acc += 2;",
            f"if ({self.test(place)}) flag = 1;", "small++;", "small += 100;", f"if ({self.test(place)}) last = i;",
        ))

    def scan(self):
        """A loop whose rounds depend on the string."""
        self.loops += 1
        kind = self.rng.random()
        if kind < 0.55:
            end = self.pick("s[i] && ", "s[i] && ", "i < n && ", "i < n && ", "")
            test = self.test("s[i]") if end else f"s[i] && s[i] != {self.character()}"
            self.emit(f"while ({end}{test}) {{")
            self.body("s[i]", self.pick("i++;", "i++;", "i++;", "i += 2;"))
        elif kind < 0.7:
            self.emit(f"for (char *p = s{self.pick('', ' + i')}; *p && {self.test('*p')}; p++) {{")
            self.body("*p", self.pick("", "last = p - s;", "out[o++ % sizeof out] = *p;"))
        elif kind < 0.8:
            self.emit(f"while (i > 0 && {self.test('s[i - 1]')}) {{")
            self.body("s[i - 1]", "i--;")
        elif kind < 0.9:
            name = f"j{self.loops}"
            bound = self.pick("n", "i", "s[0] & 3", "acc & 7", "last")
            self.emit(f"for (int {name} = {self.pick('0', '1')}; {name} < (int)({bound}); {name}++) {{")
            self.body(f"s[{name} % size]", self.pick("", f"if (s[{name} % size] == {self.character()}) break;"))
        else:
            self.emit("for (;;) {")
            self.depth += 1
            self.emit(f"if (i >= n || {self.test('s[i]')}) break;")
            if self.chance(0.3):
                self.emit(f"if (s[i] == {self.character()}) {{ last = 9; {self.pick('break', 'goto out')}; }}")
            self.depth -= 1
            self.body("s[i]", "i++;")

    def body(self, place, step):
        self.depth += 1
        for _ in range(self.rng.randint(0, 2)):
            self.work(place)
        if self.chance(0.15):
            self.emit(f"if ({self.test(place)}) {'break' if step else self.pick('break', 'continue')};")
        if self.chance(0.1) and place == "s[i]":
            self.emit(self.pick("s[i] = 'z';", "if (s[i] == '\\\\' && s[i + 1]) i++;"))
        if step:
            self.emit(step)
        self.depth -= 1
        self.emit("}")

    def call(self):
        c = self.character()
        self.emit(self.pick(
            "last = strlen(s);", f"{{ char *at = strchr(s, {c}); last = at ? at - s : 5; }}", f"{{ char *at = strrchr(s, {c}); last = at ? at - s : 6; }}",
            'i += strspn(s + i, "ab");', 'i += strcspn(s + i, ":");', 'flag += strcmp(s, "ab") == 0;', f"flag += memchr(s, {c}, n) != 0;",
            'flag += strncmp(s, "a:b", 2) < 0;', "memcpy(out, s, n < sizeof out ? n : sizeof out);", "if (i < n) i++;", "i++;", "i = 0;",
            f"if (i <= n && s[i] == {c}) i++;", "if (acc == 3) klee_assert(flag == 0);", f"if (i < n) s[i] = {c};", "last = out[acc & 7];",
        ))

    def text(self):
        most = self.rng.randint(4, 6)
        self.emit("size_t n, i = 0, o = 0, size;")
        self.emit("int acc = 0, last = 0, flag = 0, number = 0;")
        self.emit("unsigned char small = 0;")
        self.emit(f"char out[{self.pick(4, 8, 8)}] = {{0}};")
        self.emit('klee_make_symbolic(&n, sizeof n, "n");')
        if self.chance(0.6):
            self.emit(f"klee_assume(n < {most});")
            self.emit("size = n + 1;")
            self.emit("char *s = malloc(size);")
        else:
            self.emit(f"klee_assume(n < {most});")
            self.emit(f"static char s[{most}];")
            self.emit("size = sizeof s;")
        self.emit('klee_make_symbolic(s, size, "s");')
        if self.chance(0.85):
            self.emit("s[n] = 0;")
        for _ in range(self.rng.randint(1, 3)):
            self.scan()
            if self.chance(0.5):
                self.call()
        self.lines.append("out:;")
        self.emit(f"unsigned r = acc + 3 * last + {self.pick(1, 5)} * (unsigned)i + 2 * flag + o + number + small + out[{self.pick('0', '1', 'acc & 3')}];")
        if self.chance(0.3):
            self.emit("if (i < size) r += s[i];")
        for result in range(7):
            self.emit(f"if ((r & 7) == {result}) return {result};")
        self.emit("return 7;")
        head = "#include <klee/klee.h>\n#include <stdlib.h>\n#include <string.h>\n\nint main(void) {\n"
        return head + "\n".join(self.lines) + "\n}\n"

    def settings(self):
        """Options for the merged run."""
        words = ["--merge", self.pick("patterns", "patterns", "patterns", "auto", "tree")]
        words += ["--model", self.pick(*MODELS)]
        if self.chance(0.2):
            words += ["--merge-incremental", "off"]
        if self.chance(0.2):
            words += ["--merge-loops", "all"]
        if self.chance(0.15):
            words += ["--paranoid"]
        if self.chance(0.1):
            words += ["--quantifier-procedure", "off"]
        return words + ["--search", self.pick("dfs", "default", "bfs")]


class Run(NamedTuple):
    findings: set
    exits: set
    exact: bool
    reasons: list
    patterns: int

    def __str__(self):
        return f"{sorted(self.findings)} {sorted(self.exits)}"


def explore(args, program, options, scratch):
    """Findings, exit values and why it is incomplete; None if it failed."""
    out = Path(scratch, "out")
    command = [str(args.mneme), "run", str(program), "--out", str(out), "--max-time", str(args.seconds), "--tests", "covering", *options]
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        stats = json.loads((out / "stats.json").read_text())
        report = json.loads((out / "findings.sarif").read_text())
    except (OSError, ValueError):
        return None, done.stdout + done.stderr
    findings = set()
    for result in report["runs"][0]["results"]:
        where = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        findings.add((result["ruleId"], where))
    reasons = list(stats["paths"]["stop_reasons"]) + list(stats["exact_reasons"])
    patterns = stats.get("merging", {}).get("patterns", 0)
    return Run(findings, set(stats["exit_values"]), stats["exact"], reasons, patterns), done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60, help="for each run")
    parser.add_argument("--print", action="store_true", help="print the programs and run nothing")
    parser.add_argument("--keep", type=Path, default=Path("scanners-different"))
    args = parser.parse_args()
    counts = Counter()
    for seed in range(args.seed, args.seed + args.count):
        made = Program(seed)
        text = made.text()
        options = made.settings()
        if args.print:
            print(f"// {' '.join(options)}\n{text}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            program = Path(scratch, "program.c")
            program.write_text(text)
            plain, told = explore(args, program, ["--merge", "none"], scratch)
            merged, more = explore(args, program, options, scratch)
        why = None
        if plain is None or merged is None:
            why = (told if plain is None else more).strip()[-300:]
        elif any("internal" in reason for reason in merged.reasons):
            why = str(merged.reasons)
        elif plain.exact and merged.exact:
            counts["compared"] += 1
            counts["with patterns"] += merged.patterns > 0
            if (plain.findings, plain.exits) != (merged.findings, merged.exits):
                why = f"plain {plain}, merged {merged}"
        else:
            counts["incomplete"] += 1
            for reason in (merged if plain.exact else plain).reasons or ["no reason"]:
                counts[f"incomplete {'merged' if plain.exact else 'plain'}: {reason}"] += 1
            # What an incomplete run has found must be right, too.
            if plain.exact and not (merged.findings <= plain.findings and merged.exits <= plain.exits):
                why = f"too much: plain {plain}, merged {merged}"
        if why:
            counts["different"] += 1
            args.keep.mkdir(exist_ok=True)
            (args.keep / f"seed{seed}.c").write_text(f"// {' '.join(options)}\n{text}")
            print(f"seed {seed} {' '.join(options)}: {why}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))
    return counts["different"] > 0


if __name__ == "__main__":
    sys.exit(main())
