#!/usr/bin/env python3
"""Random programs with loops of any number of rounds: `mneme run --prove` must never prove one that fails when it is run.

Each program has a few numbers, an array, a pointer into it and a block on the heap, loops that go on as long as the inputs say, and one
assertion that may fail; with `--lists` it builds, changes, walks and frees lists, linked one way or both, and may forget a test, a link
or a block; with `--arrays` it fills, ends, scans and copies arrays of any size, and may miss their ends by one. Mneme tries to prove it; the same program is compiled with AddressSanitizer and run natively on many random inputs. A proof
of a program that fails natively, or loses memory, is wrong.

    scripts/proofs.py --mneme target/release/mneme --count 200 --seed 1
    scripts/proofs.py --lists --count 200 --seed 1
    scripts/proofs.py --arrays --count 200 --seed 1
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
#undef malloc
#undef free
static int blocks;
void *counted_malloc(size_t n) { blocks++; return malloc(n); }
void counted_free(void *p) { blocks -= !!p; free(p); }
int main(void) {
  for (int trial = 0; trial < TRIALS; trial++) {
    seed = trial * 7919ULL + 17, asked = 0, small = trial % 4, blocks = 0;
    if (setjmp(over)) continue;
    program();
    if (LEAKS && blocks) { fprintf(stderr, "lost memory\n"); _Exit(78); }
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


class Lists:
    """A program on two lists, which all paths free at the end, or forget to."""

    def __init__(self, rng):
        self.rng = rng
        self.both = rng.random() < 0.4
        self.ring = not self.both and rng.random() < 0.15
        self.inner = not self.both and rng.random() < 0.2
        self.tail = rng.random() < 0.4
        self.lines = []
        self.depth = 1
        self.faults = rng.random() < 0.6

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def fault(self, chance=0.12):
        return self.faults and self.rng.random() < chance

    def value(self):
        return self.rng.choice(["0", "1", "1", "2", "in()", "in() & 1", "k"])

    def build(self, head):
        rng = self.rng
        back = rng.random() < 0.6 or self.both
        node = f"n = malloc(sizeof *n); n->v = {self.value()};" if not self.fault(0.05) else "n = malloc(sizeof *n);"
        node += " n->in = 0;" if not self.inner else f" n->in = {rng.choice(['0', '0', 'malloc(sizeof *n)', 'fresh(in())'])};"
        if self.ring:
            self.emit(f"{node} n->next = {head} ? {head}->next : n; if ({head}) {head}->next = n; else {head} = n;")
        elif back:
            link = f" if ({head}) {head}->prev = n;" if self.both and not self.fault() else ""
            null = " n->prev = 0;" if self.both and not self.fault(0.05) else ""
            self.emit(f"{node} n->next = {head};{null}{link} {head} = n;" + (f" if (!n->next) t = n;" if self.tail and head == "a" else ""))
        else:
            self.emit(f"{node} n->next = 0; if (!{head}) {head} = n; else {{ for (p = {head}; p->next; p = p->next); p->next = n; }}")

    def walk(self, head):
        rng = self.rng
        end = f"p != {head}" if self.ring else "p"
        begin = f"{head} ? {head}->next : 0" if self.ring else head
        test = f"p && {end}" if self.ring else rng.choice(["p", "p", "p && in()", "p && p->next"])
        if self.fault():
            test = rng.choice(["p->next", "1", f"p != {self.other(head)}"])
        self.emit(f"for (p = {begin}; {test}; p = p->next) {{")
        self.depth += 1
        for _ in range(rng.randint(1, 2)):
            self.emit(rng.choice([f"p->v = {self.value()};", "k = p->v;", f"if (p->v == {rng.choice('012')}) break;", "k++;", "q = p;",
                                  "if (p->next) k = p->next->v;", "if (p->prev) k = p->prev->v;" if self.both else "k = 0;",
                                  "if (p->next && p->next->prev != p) reach_error();" if self.both else "k ^= 1;",
                                  f"if (p->v > {rng.choice('123')}) reach_error();" if rng.random() < 0.4 else "k = 1;"]))
        self.depth -= 1
        self.emit("}")

    def other(self, head):
        return "b" if head == "a" else "a"

    def change(self, head):
        rng = self.rng
        other = self.other(head)
        pick = rng.random()
        if self.ring:
            return self.walk(head)
        if pick < 0.2:
            fix = " if (p->prev) p->prev = p->prev;" if self.both else ""
            back = " if (b) b->prev = p;" if self.both else ""
            self.emit(f"while ({head}) {{ p = {head}; {head} = {head}->next;{fix} p->next = n2; n2 = p; }} {head} = n2; n2 = 0;" if not self.both
                      else f"for (p = {head}; p; p = n) {{ n = p->next; p->next = p->prev; p->prev = n; {head} = p; }}")
        elif pick < 0.45:
            unlink = f"{head} = {head}->next;" + (f" if ({head}) {head}->prev = 0;" if self.both and not self.fault() else "")
            guard = f"if ({head}) " if not self.fault() else ""
            inner = "free(p->in); " if self.inner and not self.fault() else ""
            free = f"{inner}free(p);" if not self.fault() else ""
            self.emit(f"{guard}{{ p = {head}; {unlink} {free} }}")
        elif pick < 0.7:
            where = f"for (p = {head}; p && p->next && in(); p = p->next);"
            link = " if (n->next) n->next->prev = p;" if self.both and not self.fault() else ""
            guard = "if (p && p->next)" if not self.fault() else "if (p)"
            inner = "free(n->in); " if self.inner and not self.fault() else ""
            self.emit(f"{where} {guard} {{ n = p->next; p->next = n->next;{link.replace('n->next', 'p->next')} {inner}free(n); }}")
        elif pick < 0.9:
            link = " n->prev = p; if (n->next) n->next->prev = n;" if self.both and not self.fault() else (" n->prev = 0;" if self.both else "")
            self.emit(f"for (p = {head}; p && in(); p = p->next); if (p) {{ n = malloc(sizeof *n); n->v = {self.value()}; n->in = 0; "
                      f"n->next = p->next; p->next = n;{link} }}")
        elif not self.both:
            self.emit(f"if ({other}) {{ for (p = {other}; p->next; p = p->next); p->next = {head}; }} else {other} = {head}; {head} = 0;")

    def release(self, head):
        inner = "free(p->in); " if self.inner and not self.fault(0.1) else ""
        if self.ring:
            self.emit(f"if ({head}) {{ q = {head}->next; {head}->next = 0; while (q) {{ p = q; q = q->next; {inner}free(p); }} {head} = 0; }}")
        elif not self.fault(0.08):
            after = "" if not self.fault(0.05) else f" k = p->v;"
            self.emit(f"while ({head}) {{ p = {head}; {head} = {head}->next; {inner}free(p);{after} }}")

    def text(self):
        rng = self.rng
        heads = ["a", "b"] if rng.random() < 0.5 else ["a"]
        for head in heads:
            self.emit("while (in()) {")
            self.depth += 1
            self.build(head)
            if rng.random() < 0.2:
                self.build(rng.choice(heads))
            self.depth -= 1
            self.emit("}")
        for _ in range(rng.randint(1, 3)):
            if rng.random() < 0.3:
                self.emit("while (in()) {")
                self.depth += 1
                rng.choice([self.change, self.build, self.walk])(rng.choice(heads))
                self.depth -= 1
                self.emit("}")
            else:
                rng.choice([self.walk, self.change])(rng.choice(heads))
        if self.tail and self.fault(0.3):
            self.emit("if (t) t->v = 1;")
        for head in heads:
            self.release(head)
        self.emit("return 0;")
        prev = " struct node *prev;" if self.both else ""
        head = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#define in() __VERIFIER_nondet_int()\n"
        head += "#ifdef COUNTED\nvoid *counted_malloc(size_t);\nvoid counted_free(void *);\n#define malloc counted_malloc\n#define free counted_free\n#endif\n"
        head += f"struct node {{ int v; struct node *next;{prev} struct node *in; }};\n"
        head += "static struct node *fresh(int yes) { if (!yes) return 0; struct node *f = malloc(sizeof *f); f->v = 7; return f; }\n"
        variables = "  struct node *a = 0, *b = 0, *n = 0, *n2 = 0, *p = 0, *q = 0, *t = 0; int k = 0; (void)fresh; (void)q; (void)t;\n"
        return head + "int MAIN(void) {\n" + variables + "\n".join(self.lines) + "\n}\n"


class Arrays:
    """A program on two arrays whose sizes the inputs say."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.faults = rng.random() < 0.6
        self.type = rng.choice(["char", "char", "unsigned char", "int", "short"])
        self.ended = rng.random() < 0.6

    def emit(self, text):
        self.lines.append("  " + text)

    def fault(self, chance=0.15):
        return self.faults and self.rng.random() < chance

    def less(self):
        return "<=" if self.fault() else "<"

    def fill(self, a, n):
        value = self.rng.choice(["in()", "in()", "in() & 7", "1", "i", "k"])
        least = " + 1" if self.ended and value != "1" and self.rng.random() < 0.3 else ""
        self.emit(self.rng.choice([
            f"for (i = 0; i {self.less()} {n}; i++) {a}[i] = {value}{least};",
            f"for (i = {n}{'' if self.fault() else ' - 1'}; i >= 0; i--) {a}[i] = {value};",
            f"for (p = {a}; p {self.less()} {a} + {n}; p++) *p = in();",
        ]))

    def end(self, a, n):
        if self.ended and not self.fault():
            self.emit(f"{a}[{n} - 1] = 0;")

    def scan(self, a, n):
        rng = self.rng
        check = f"if ({a}[i] {rng.choice(['>', '<', '=='])} {rng.choice(['0', '7', '100'])}) {rng.choice(['k++', 'break', 'k = i', f'{a}[i] = 0'])};"
        if rng.random() < 0.15:
            check = f"if ({a}[i] > {rng.choice(['7', '8', '200'])}) reach_error();"
        choices = [
            f"for (i = 0; i {self.less()} {n}; i++) {{ {check} }}",
            f"for (i = 0; i {self.less()} {n} - 1; i++) if ({a}[i] > {a}[i + 1]) {{ k = {a}[i]; {a}[i] = {a}[i + 1]; {a}[i + 1] = k; }}",
            f"for (i = 0, k = {n}{'' if self.fault() else ' - 1'}; i < k; i++, k--) {{ {self.type} t = {a}[i]; {a}[i] = {a}[k]; {a}[k] = t; }}",
            f"k = in(); if (k >= 0 && k {self.less()} {n}) {a}[k] = 1;",
        ]
        if self.ended:
            choices += [f"for (p = {a}; *p; p++) k++;", f"for (i = 0; {a}[i] != 0 && {a}[i] != (({self.type})k); i++);",
                        f"for (i = 0; {a}[i]; i++); if (i >= {n}) reach_error();"] * 2
        self.emit(rng.choice(choices))

    def copy(self):
        rng = self.rng
        need = "if (m >= n) " if not self.fault() else ""
        self.emit(need + rng.choice([f"for (i = 0; i {self.less()} n; i++) b[i] = a[i];", f"for (i = 0; i {self.less()} n; i++) b[n - 1 - i] = a[i];"]
                                    + (["{ p = b; q = a; while ((*p++ = *q++)); }"] * 2 if self.ended else [])))

    def text(self):
        rng = self.rng
        for a, n in [("a", "n"), ("b", "m")]:
            self.fill(a, n)
            self.end(a, n)
        for _ in range(rng.randint(1, 3)):
            rng.choice([lambda: self.scan("a", "n"), lambda: self.scan("b", "m"), self.copy])()
        self.emit("free(a); free(b); return 0;")
        head = "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#define in() __VERIFIER_nondet_int()\n"
        head += f"int MAIN(void) {{\n  int n = in(), m = in(), i = 0, k = 0; {self.type} *a, *b, *p = 0, *q = 0; (void)p; (void)q; (void)k;\n"
        head += f"  if (n < {rng.choice('112')} || n > 1000 || m < 1 || m > 1000) return 0;\n  a = malloc(n * sizeof *a); b = malloc(m * sizeof *b);\n"
        return head + "\n".join(self.lines) + "\n}\n"


def native(source, scratch, trials, leaks):
    """How the program fails on some input, if one was found."""
    driver = os.path.join(scratch, "driver.c")
    with open(driver, "w") as file:
        file.write(f'#define MAIN program\n#define TRIALS {trials}\n#define LEAKS {int(leaks)}\n#define COUNTED\n#include "{source}"\n{NATIVE}')
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
    parser.add_argument("--lists", action="store_true", help="programs on lists, for which leaks are checked, too")
    parser.add_argument("--arrays", action="store_true", help="programs on arrays of any size")
    parser.add_argument("--seconds", type=float, default=6, help="for each run")
    parser.add_argument("--trials", type=int, default=40000, help="native runs of a program that was proved")
    parser.add_argument("--keep", help="directory for wrong proofs")
    args = parser.parse_args()
    kind = Lists if args.lists else Arrays if args.arrays else Program
    found = complete = proved = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.seed, args.seed + args.count):
            source = os.path.join(scratch, f"p{seed}.c")
            with open(source, "w") as file:
                file.write(kind(random.Random(seed)).text())
            out = os.path.join(scratch, "out")
            command = [args.mneme, "run", source, "-DMAIN=main", "--prove", "--model", args.model, "--out", out, "--quiet",
                       "--max-time", str(args.seconds), "--max-memory", "2000", *(["--check", "leaks"] if args.lists else []),
                       # What was never written is no hole, but elements beside written ones are.
                       *(["--uninit", "any"] if args.arrays else [])]
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
                failure = native(source, scratch, args.trials, args.lists)
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
