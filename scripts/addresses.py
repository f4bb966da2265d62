#!/usr/bin/env python3
"""Random programs that look at addresses: what they assert holds wherever objects lie, and what they do natively, mneme knows.

Each program makes a few objects of all kinds and alignments and computes with the bits of their addresses, together with inputs: tags, hashes,
rounding, differences, pointers rebuilt from bits or bytes, which are used and freed. All its assertions hold, so that a finding is a false alarm. Its exit value
tells the way that it took; it runs natively many times, with random inputs and wherever the system puts its objects, and an exit value that mneme does
not have is a missed path, where mneme says that all were explored.

    scripts/addresses.py --mneme target/release/mneme --count 100 --seed 1
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HEAD = """#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
#include <sys/random.h>
static unsigned long given(void) {
  unsigned long value;
  if (getrandom(&value, sizeof value, 0) != sizeof value)
    exit(OUT);
  return value >> 61 ? value : value & 255;
}
#define mneme_uint(name) ((unsigned)given())
#define mneme_uchar(name) ((unsigned char)given())
#define mneme_ulong(name) given()
#define mneme_assume(condition) ((condition) ? (void)0 : exit(OUT))
#else
#include <mneme.h>
#endif
typedef uintptr_t U;
static __attribute__((noinline)) unsigned hash(const void *p) { return (unsigned)(((U)p ^ (U)p >> 9) >> 4); }
"""

# The exit value of a native run whose inputs are excluded.
EXCLUDED = 120

# In the templates, o is a pointer to an object of `size` bytes with the value `fill` and the alignment `align`, q one to another, p and r their addresses, x an
# input, n one of the numbers.

# Numbers that depend on an address.
BITS = [
    ("({p} >> {n} & 7)", range(8)),
    ("(({p} ^ {x}) & {n})", [1, 8, 16, 48, 64]),
    ("(hash({o}) % {n})", [2, 3, 4, 7, 8]),
    ("({p} / {n} % 5)", [3, 8, 16, 48]),
    ("(({p} + {x}) >> {n} & 1)", range(2, 7)),
    ("(({p} ^ {r}) >> {n} & 3)", range(3, 7)),
    ("(((unsigned char *)&{o})[0] / {n})", [16, 32]),
    ("({p} & {n})", [1, 15, 16, 31, 32, 63]),
]

# The pointer itself, written differently.
REBUILT = [
    ("(char *)(({p} ^ {x}) ^ {x})", [0]),
    ("(char *)(({p} & ~(U){n}) | ({p} & {n}))", [15, 255]),
    ("(char *)(({p} ^ {r}) ^ {r})", [0]),
    ("(char *)(({p} + {r}) - {r})", [0]),
    ("(char *)(({p} / {n}) * {n} + {p} % {n})", [3, 16]),
    ("(char *)(({p} >> {n} << {n}) | ({p} & (((U)1 << {n}) - 1)))", [8, 12, 20]),
    ("(char *)((({p} + {x} % {size}) ^ 0x5a5a ^ 0x5a5a) - {x} % {size})", [0]),
    ("from_bytes({o})", [0]),
]

USES = [
    "assert({c} == {o});",
    "{c}[{size} - 1] = 77; assert({o}[{size} - 1] == 77); {o}[{size} - 1] = {fill};",
    "assert({c}[{x} % {size}] == {fill});",
    "assert((U){c} == {p} && hash({c}) == hash({o}));",
]

# What is true wherever objects lie.
TRUE = [
    ("assert(({p} & ({align} - 1)) == 0);", [0]),
    ("assert({o} == {q} || {p} + {size} <= {r} || {r} + {q_size} <= {p});", [0]),
    ("assert(({o} < {q}) == ({p} / {n} < {r} / {n} || ({p} / {n} == {r} / {n} && {p} % {n} < {r} % {n})));", [2, 16]),
    ("if ({p} == {n}) assert(({p} >> 4 & 1) == 0 && {o} == (char *){n});", ["0x80000000", "0x10000000"]),
    ("assert(({p} < {n}) == ({o} < (char *){n}));", ["0x80000000", "0x7fff0000"]),
    ("if ({p} == {x}) assert(({p} >> 5 & 1) == ({x} >> 5 & 1) && *(char *){x} == {fill});", [0]),
    ("if ({x} < {p}) assert({x} / 16 <= {p} / 16); else assert({p} / 16 <= {x} / 16);", [0]),
    ("{{ char *up = (char *)(({p} + {n}) & ~(U){n}); assert(up >= {o} && up <= {o} + {n}); "
     "if ({size} > {n}) assert(*up == {fill}); }}", [1, 3, 7, 15, 31]),
    ("{{ char *down = (char *)({p} & ~(U){n}); assert(down <= {o} && down[{p} & {n}] == {fill}); }}", [1, 7, 15, 63]),
    ("if ({p} - {r} == {n}) assert({q} + {n} == {o}); else assert({q} + {n} != {o});", [16, 64, 4096]),
    ("{{ char *one = {x} & 1 ? {o} : {q}; assert(*one == ({x} & 1 ? {fill} : {q_fill}) && "
     "((U)one & {n}) == (({x} & 1 ? {p} : {r}) & {n})); }}", [8, 16, 32]),
    ("{{ char bytes[16] = {{0}}; U len = {p} >> 4 & {n}; memset(bytes, 1, len); "
     "for (unsigned i = 0; i < 16; i++) assert(bytes[i] == (i < len)); }}", [3, 7, 15]),
    ("{{ U len = ({p} >> 4 & {n}) + 1; char *made = malloc(len); made[len - 1] = 9; assert(made[{p} >> 4 & {n}] == 9); "
     "assert((U)made + len <= {p} || {p} + {size} <= (U)made); free(made); }}", [1, 3]),
    ("mneme_assume(({p} & {n}) == 0 || {x} != 5); if ({p} & {n}) assert({x} != 5);", [1, 8, 16, 32]),
    ("{{ U slots[4] = {{10, 11, 12, 13}}; unsigned i = {p} >> {n} & 3; assert(slots[i] == 10 + i); slots[i] = 5; "
     "assert(slots[{p} >> {n} & 3] == 5); }}", [3, 4]),
    ("{{ int ones = 0; for (int i = {n}; i < 7; i++) ones += {p} >> i & 1; "
     "assert(ones == __builtin_popcountl({p} >> {n} & ((1 << (7 - {n})) - 1))); }}", [3, 4]),
    ("assert((memcmp(&{o}, &{q}, sizeof {o}) == 0) == ({o} == {q}));", [0]),
]


class Object:
    def __init__(self, name, kind, size, align, fill):
        self.name, self.kind, self.size, self.align, self.fill = name, kind, size, align, fill


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.globals = []
        self.lines = []
        self.objects = []
        self.names = 0
        self.ways = 0

    def emit(self, text):
        self.lines.append("  " + text)

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def add_object(self):
        kind = self.rng.choice(["heap", "heap", "heap", "stack", "global", "member", "aligned"])
        size = self.rng.choice([1, 3, 8, 16, 24, 64, 100])
        align = self.rng.choice([1, 2, 4, 8, 16, 32, 64])
        name, fill = self.name(), self.names
        if kind == "heap":
            align, start = 16, f"malloc({size})"
        elif kind == "aligned":
            align = max(align, 32)
            size = -(-size // align) * align
            start = f"aligned_alloc({align}, {size})"
        elif kind == "member":
            align, start = 1, f"in_{name}.bytes"
            self.globals.append(f"static struct {{ char before[{self.rng.choice([1, 7, 8])}], bytes[{size}]; }} in_{name};")
        else:
            start = f"of_{name}"
            declaration = f"_Alignas({align}) {'static ' if kind == 'global' else ''}char of_{name}[{size}];"
            self.globals.append(declaration) if kind == "global" else self.emit(declaration)
        self.emit(f"char *{name} = {start};")
        self.emit(f"memset({name}, {fill}, {size});")
        self.objects.append(Object(name, kind, size, align, fill))

    def fill_in(self, template, one, **more):
        text, numbers = template
        other = self.rng.choice(self.objects)
        return text.format(
            o=one.name, p=f"(U){one.name}", size=one.size, align=one.align, fill=one.fill,
            q=other.name, r=f"(U){other.name}", q_size=other.size, q_fill=other.fill,
            x=self.rng.choice("xyz"), n=self.rng.choice(numbers), **more)

    def rebuild(self, one):
        name = self.name()
        self.emit(f"char *{name} = {self.fill_in(self.rng.choice(REBUILT), one)};")
        return name

    def step(self):
        one = self.rng.choice(self.objects)
        pick = self.rng.random()
        if pick < 0.2:
            rebuilt = self.rebuild(one)
            self.emit(self.fill_in((self.rng.choice(USES), [0]), one, c=rebuilt))
        elif pick < 0.55:
            self.emit(self.fill_in(self.rng.choice(TRUE), one))
        elif pick < 0.85 and self.ways < 7:
            bits, number = self.fill_in(self.rng.choice(BITS), one), self.rng.choice([0, 1, 2, 3, 16])
            self.emit(f"if ({bits} == {number})")
            self.emit(f"  way |= {1 << self.ways};")
            self.ways += 1
        elif pick < 0.92 and len(self.objects) < 6:
            self.add_object()
        elif one.kind in ("heap", "aligned") and len(self.objects) > 1:
            self.emit(f"free({self.rebuild(one)});")
            self.objects.remove(one)

    def text(self):
        for name in "xyz":
            kind = self.rng.choice(["uint", "uchar", "ulong"])
            self.emit(f'U {name} = mneme_{kind}("{name}");')
        for _ in range(self.rng.randint(1, 4)):
            self.add_object()
        for _ in range(self.rng.randint(3, 9)):
            self.step()
        from_bytes = """static char *from_bytes(char *p) {
  unsigned char bytes[sizeof p];
  U made = 0;
  memcpy(bytes, &p, sizeof p);
  for (unsigned i = 0; i < sizeof p; i++)
    made |= (U)bytes[i] << 8 * i;
  return (char *)made;
}
"""
        head = f"#define OUT {EXCLUDED}\n{HEAD}{from_bytes}"
        return "\n".join([head, *self.globals, "int main(void) {", "  unsigned way = 0;", *self.lines, "  return way;", "}", ""])


def native(source, scratch, runs):
    """The exit values of many runs, or None if an assertion does not hold."""
    binary = os.path.join(scratch, "native")
    subprocess.run(["clang-19", "-DNATIVE", "-w", source, "-o", binary], check=True)
    values = {subprocess.run([binary], capture_output=True).returncode for _ in range(runs)}
    return None if any(value < 0 for value in values) else values - {EXCLUDED}


def run(mneme, options, source, out):
    command = [mneme, "run", source, "--out", out, "--max-time", "20", "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        return {"crash": done.stderr.strip()[-300:]}
    with open(os.path.join(out, "stats.json")) as file:
        stats = json.load(file)
    with open(os.path.join(out, "findings.sarif")) as file:
        results = json.load(file)["runs"][0]["results"]
    shutil.rmtree(out)
    return {
        "exact": stats["exact"],
        "values": {int(value) for value in stats["exit_values"]},
        "findings": [result["message"]["text"] for result in results],
    }


def options(rng):
    model = rng.choice(["objects", "planes", "planes-naive"])
    merge = rng.choice(["none", "auto", "tree"])
    resolve = ["--resolve", rng.choice(["fork", "merge", "dynamic-segments", "auto"])] if model == "objects" else []
    return ["--model", model, "--merge", merge, *resolve]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=40, help="native runs of each program")
    parser.add_argument("--keep", help="directory for programs on which something is wrong")
    args = parser.parse_args()
    wrong = exact = compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.seed, args.seed + args.count):
            rng = random.Random(seed)
            source = os.path.join(scratch, f"addresses{seed}.c")
            with open(source, "w") as file:
                file.write(Program(rng).text())
            values = native(source, scratch, args.runs)
            if values is None:
                print(f"seed {seed}: an assertion fails natively", flush=True)
                continue
            for way in ([], options(rng)):
                one = run(args.mneme, way, source, os.path.join(scratch, "out"))
                compared += 1
                exact += one.get("exact", False)
                missed = values - one["values"] if one.get("exact") and not one["findings"] else set()
                what = one.get("crash") or one["findings"] or [f"no path to {value}" for value in sorted(missed)]
                if what:
                    wrong += 1
                    print(f"seed {seed} {' '.join(way)}: {what}", flush=True)
                    if args.keep:
                        shutil.copy(source, args.keep)
    print(f"{compared} runs, {exact} of them complete, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
