"""Random C programs over a few symbolic bytes.

A program makes inputs, numbers, blocks and tables of records, runs random statements over them (`statements.py`), and returns a number that depends
on them; its last decisions make paths of the lowest bits of that number. Nothing depends on where an object lies, no byte is read that
was not written, and an access that leaves its object lands where AddressSanitizer surely sees it: these three make native runs an oracle.
"""

import random

from . import records, statements
from .program import Block, Input, Program, Scalar

TYPES = {
    "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned": 4,
    "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8,
}
# Products of the ranges of all inputs, the rare ones last.
SPACES = [16, 24, 32, 48, 64, 64, 96, 128, 128, 192, 256, 256, 512, 1024]
HEAD = """#include <mneme.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef RESULT
#define RESULT(code) (code)
#endif"""


class Generator:
    """The program so far, and the objects that statements may use."""

    # Exit codes are less than this.
    CODES = 128

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.program = Program()
        self.program.head = HEAD.splitlines()
        self.scalars, self.blocks, self.tables = [], [], []
        self.names = 0
        self.theme = self.rng.choice(["all", "all", "tables", "tables", "pointers"])
        # How often an access may leave its object, a divisor be zero, and so on.
        self.risk = self.rng.choice([0, 0.1, 0.25, 0.5, 0.8])
        # Indices may leave an array in a record, but not the record: mneme then has to be asked to check that.
        self.program.leaves = self.chance(0.04)
        # How deep control structures are nested.
        self.nested = 0

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def emit(self, text):
        self.program.emit(text)

    def chance(self, likely):
        return self.rng.random() < likely

    def risky(self):
        return self.chance(self.risk)

    def block(self, head):
        """For `with`: puts braces around what is emitted inside."""
        return Braces(self, head)

    # ---- Declarations ----

    def add_inputs(self):
        space = self.rng.choice(SPACES)
        for number in range(self.rng.choice([1, 2, 2, 3])):
            width = min(space, self.rng.choice([3, 4, 5, 6, 8, 13, 16, 32, 64, 256]))
            space //= width
            if width > 1 or number == 0:
                self.add_input("xyz"[number], width)
        if len(self.program.inputs) > 1 and self.chance(0.15):
            one, other = (one.name for one in self.rng.sample(self.program.inputs, 2))
            relation = self.rng.choice(["{0} != {1}", "{0} + {1} < 20", "({0} ^ {1}) & 1", "{0} <= {1}", "!({0} & {1})"])
            self.emit(f"mneme_assume({relation.format(one, other)});")
        self.emit("unsigned r = 0;")

    def add_input(self, name, width):
        """An input with `width` values."""
        how, least = self.rng.choice(["uchar", "uchar", "between", "schar", "bytes"]), 0
        if how == "schar":
            least = self.rng.choice([0, -1, -(width // 2)])
        elif how == "between":
            least = self.rng.choice([0, 0, 0, -1, 1, -2])
        elif how == "bytes" and width >= 4:
            # Two bytes of one array.
            self.program.inputs += [Input(f"{name}[0]", how, 0, width // 2 - 1), Input(f"{name}[1]", how, 0, 1)]
            self.emit(f"unsigned char {name}[2];")
            self.emit(f'mneme_symbolic({name}, 2, "{name}");')
            self.emit(f"mneme_assume({name}[0] < {width // 2} && {name}[1] < 2);")
            return
        else:
            how = "uchar"
        greatest = least + width - 1
        if how == "schar":
            greatest = min(greatest, 127)
        self.program.inputs.append(Input(name, how, least, greatest))
        for line in self.program.inputs[-1].lines():
            self.emit(line)

    def add_scalar(self):
        ctype, name = self.rng.choice(list(TYPES)), self.name("v")
        self.emit(f"{ctype} {name} = {self.value(1)};")
        self.scalars.append(Scalar(name, ctype))

    def add_block(self):
        ctype = self.rng.choice(["unsigned char", "unsigned char", "char", "short", "int", "unsigned", "long long", "unsigned short"])
        size = {"char": 1}.get(ctype) or TYPES[ctype]
        count, name = self.rng.choice([3, 4, 5, 6, 7, 8, 12, 16]), self.name("a")
        storage = self.rng.choice(["heap", "heap", "stack", "global"])
        first = ", ".join(str(self.rng.randint(0, 99)) for _ in range(self.rng.randint(1, count)))
        if storage == "heap":
            self.emit(f"{ctype} *{name} = calloc({count}, sizeof({ctype}));")
            self.emit(f"for (int j = 0; j < {count}; j++)")
            self.emit(f"  {name}[j] = j * {self.rng.randint(1, 9)} + {self.rng.randint(0, 9)};")
        elif storage == "stack":
            self.emit(f"{ctype} {name}[{count}] = {{{first}}};")
        else:
            self.program.globals.append(f"static {ctype} {name}[{count}] = {{{first}}};")
        self.blocks.append(Block(name, ctype, size, count, storage))
        return self.blocks[-1]

    # ---- Expressions ----

    def leaf(self):
        pick = self.rng.random()
        if pick < 0.5:
            return self.rng.choice(self.program.inputs).name
        if pick < 0.75 and self.scalars:
            return self.rng.choice(self.scalars).name
        if pick < 0.85 and self.blocks:
            block = self.rng.choice(self.blocks)
            return f"{block.name}[{self.rng.randrange(block.count)}]"
        if pick < 0.9:
            return str(self.rng.choice([255, -1, 128, 127, 256, 65535, 32768, 1000, -7]))
        return str(self.rng.randint(0, 9))

    def value(self, depth=2):
        """Any number."""
        if depth == 0 or self.chance(0.15):
            return self.leaf()
        one = self.value(depth - 1)
        pick = self.rng.random()
        if pick < 0.3:
            return f"({one} {self.rng.choice(['+', '-', '^', '&', '|'])} {self.value(depth - 1)})"
        if pick < 0.42:
            return f"({one} * {self.rng.choice([2, 3, 5, 7, -1, 16])})"
        if pick < 0.55:
            return f"({self.rng.choice(list(TYPES))})({one})"
        if pick < 0.65:
            return f"({one} {self.rng.choice(['<', '<=', '==', '!=', '>', '>='])} {self.value(depth - 1)})"
        if pick < 0.72:
            return f"({one} ? {self.leaf()} : {self.leaf()})"
        if pick < 0.78:
            return f"{self.rng.choice(['-', '~', '!'])}({one})"
        if pick < 0.9:
            return self.shifted(one)
        return self.divided(one)

    def shifted(self, one):
        operator = self.rng.choice(["<<", ">>"])
        if self.risky():
            return f"({one} {operator} {self.rng.choice(self.program.inputs).name})"
        distance = self.rng.choice([str(self.rng.randint(0, 7)), f"({self.leaf()} & {self.rng.choice([3, 7])})"])
        return f"({one} {operator} {distance})"

    def divided(self, one):
        operator = self.rng.choice(["/", "%"])
        if self.risky():
            return f"({one} {operator} ({self.rng.choice(self.program.inputs).name} - {self.rng.randint(0, 5)}))"
        divisor = self.rng.choice([str(self.rng.choice([2, 3, 5, 7, 10, -3])), f"(({self.leaf()} & 7) + 1)"])
        return f"({one} {operator} {divisor})"

    def condition(self):
        pick = self.rng.random()
        if pick < 0.6:
            return f"{self.value(1)} {self.rng.choice(['<', '<=', '==', '!=', '>', '>='])} {self.rng.choice([self.leaf(), str(self.rng.randint(0, 9))])}"
        if pick < 0.8:
            return f"{self.value(1)} & {self.rng.choice([1, 2, 3, 4, 8])}"
        return f"({self.value(1)}) {self.rng.choice(['&&', '||'])} {self.leaf()} {self.rng.choice(['<', '!='])} {self.rng.randint(0, 6)}"

    def natural(self, below):
        """A number from 0 to `below` - 1."""
        fitting = [one.name for one in self.program.inputs if one.least >= 0 and one.greatest < below]
        if fitting and self.chance(0.7):
            return self.rng.choice(fitting)
        powers = [mask for mask in (1, 3, 7, 15, 31) if mask < below]
        if powers and self.chance(0.3):
            return f"({self.value(1)} & {powers[-1]})"
        return f"(unsigned)({self.value(1)}) % {below}"

    def index(self, count, size, slack, before=0):
        """An index into `count` elements of `size` bytes: inside, or at risk so that it is less than `slack` bytes outside."""
        past = slack // size
        if not self.risky() or past < 1:
            return self.natural(count)
        if before >= size and self.chance(0.2):
            return f"(int)({self.natural(count + 1)}) - 1"
        if past > 100 and self.chance(0.4):
            return self.far(past)
        near = [one.name for one in self.program.inputs if one.greatest < count + past and -one.least * size <= before]
        if near and self.chance(0.5):
            return self.rng.choice(near)
        return self.natural(count + min(past, self.rng.choice([1, 1, 2, 40])))

    def far(self, below):
        """A number from 0 to `below` - 1, most often a large one."""
        fitting = [one for one in self.program.inputs if one.least >= 0 and one.greatest < below // 4]
        if not fitting:
            return self.natural(below)
        one = self.rng.choice(fitting)
        stride = self.rng.choice([step for step in (1, 4, 7, 8, 16, 31) if one.greatest * step < below * 3 // 4])
        return f"{one.name} * {stride} + {self.rng.randint(0, min(below // 4, 70))}"

    def element(self, block):
        return f"{block.name}[{self.index(block.count, block.size, block.slack, block.before)}]"

    def record(self, table):
        """A record of a table, at some index."""
        return f"{table.name}[{self.index(table.count, table.record.size(), table.slack, table.before)}]"

    # ---- The whole ----

    def finish(self):
        """The exit code, and decisions that make paths of its lowest bits."""
        for scalar in self.scalars:
            self.emit(f"r = r * 3 + (unsigned){scalar.name};")
        for table in self.tables:
            records.observe(self, table)
        for block in self.blocks:
            if self.chance(0.7):
                self.emit(f"r ^= (unsigned){block.name}[{self.rng.randrange(block.count)}];")
        self.program.classes = self.rng.choice([1, 2, 4, 4, 8])
        for one in range(self.program.classes - 1):
            self.emit(f"if ((r & {self.program.classes - 1}) == {one})")
            self.emit(f"  return RESULT(r & {self.CODES - 1});")
        self.emit(f"return RESULT(r & {self.CODES - 1});")

    def make(self):
        self.add_inputs()
        for _ in range(self.rng.randint(1, 3)):
            self.add_scalar()
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            self.add_block()
        for _ in range(self.rng.choice([0, 1, 1, 1, 1, 1, 2]) or self.theme == "tables"):
            records.add_table(self)
        for _ in range(self.rng.randint(2, 8)):
            statements.statement(self)
        self.finish()
        return self.program


class Braces:
    def __init__(self, generator, head):
        self.generator, self.head = generator, head

    def __enter__(self):
        self.generator.emit(f"{self.head} {{".lstrip())
        self.generator.program.depth += 1
        self.generator.nested += 1

    def __exit__(self, *_):
        self.generator.program.depth -= 1
        self.generator.nested -= 1
        self.generator.emit("}")


def program(seed):
    return Generator(seed).make()
