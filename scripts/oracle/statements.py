"""Random statements over the objects of a program."""

from . import calls, pointers, strings, tables

# How deep control structures are nested.
DEEPEST = 2


def statement(generator):
    """One statement, or a few that belong together."""
    while True:
        kind = generator.rng.choice(THEMES[generator.theme])
        if kind in CONTROL and generator.nested >= DEEPEST:
            continue
        if kind(generator) is not False:
            return


def some(generator, least=1, most=2):
    for _ in range(generator.rng.randint(least, most)):
        statement(generator)


# ---- Numbers and blocks ----

def assign(generator):
    if not generator.scalars or generator.chance(0.4):
        generator.emit(f"r += (unsigned)({generator.value()});")
    else:
        operator = generator.rng.choice(["=", "=", "+=", "-=", "^=", "|="])
        generator.emit(f"{generator.rng.choice(generator.scalars).name} {operator} {generator.value()};")


def store(generator):
    if not generator.blocks:
        return False
    generator.emit(f"{generator.element(generator.rng.choice(generator.blocks))} = {generator.value()};")


def load(generator):
    if not generator.blocks:
        return False
    generator.emit(f"r += (unsigned){generator.element(generator.rng.choice(generator.blocks))};")


def move(generator):
    """memcpy, memmove and memset with a length that depends on inputs."""
    if not generator.blocks:
        return False
    one, other = generator.rng.choice(generator.blocks), generator.rng.choice(generator.blocks)
    room = min(one.count * one.size, other.count * other.size)
    slack = min(one.slack, other.slack)
    length = generator.index(room + 1, 1, slack // 2)
    pick = generator.rng.random()
    if pick < 0.35:
        generator.emit(f"memset({one.name}, {generator.rng.choice([0, 1, 255])}, {generator.index(one.count * one.size + 1, 1, one.slack // 2)});")
    elif one is not other and pick < 0.7:
        generator.emit(f"memcpy({one.name}, {other.name}, {length});")
    elif pick < 0.7 and generator.risky():
        # The ranges overlap where the length is more than the distance.
        shift = generator.rng.randint(1, one.count - 1)
        generator.emit(f"memcpy({one.name} + {shift}, {one.name}, {generator.natural((one.count - shift) * one.size + 1)});")
    else:
        shift = generator.rng.randint(0, 2)
        generator.emit(f"memmove({one.name} + {shift}, {other.name}, {generator.index(max(room - shift * one.size, 0) + 1, 1, slack // 2)});")


def sized(generator):
    """A block whose size depends on inputs."""
    name, most = generator.name("m"), generator.rng.choice([3, 5, 8, 16])
    size = f"({generator.natural(most)})"
    generator.emit(f"unsigned char *{name} = {generator.rng.choice([f'calloc({size} + 1, 1)', f'calloc(1, {size} + 1)'])};")
    generator.emit(f"{name}[{generator.rng.choice(['0', size])}] = {generator.value(1)};")
    with generator.block(""):
        at = generator.natural(most) if generator.risky() else size
        generator.emit(f"unsigned at = {at};")
        generator.emit(f"r += {name}[at];")
        if generator.chance(0.5):
            generator.emit(f"{name} = realloc({name}, {size} + 3);")
            generator.emit(f"{name}[{size} + {2 + generator.risky()}] = 7;")
            generator.emit(f"r ^= {name}[{size} + 2] + {name}[0];")
    if generator.chance(0.6):
        generator.emit(f"free({name});")


def real(generator):
    """Floating-point constants at some index, as integers: some do not fit."""
    rng, name = generator.rng, generator.name("d")
    kinds = ["1.5", "-3.25", "100.0", "0.0", "7e4"] + ["1e20", "3e9", "-1e10", "0.0 / 0.0"] * (generator.risk > 0)
    values = [rng.choice(kinds) for _ in range(rng.randint(2, 4))]
    generator.emit(f"static const {rng.choice(['double', 'float'])} {name}[] = {{{', '.join(values)}}};")
    ctype = rng.choice(["int", "unsigned", "signed char", "short", "long long"])
    generator.emit(f"r += (unsigned)({ctype}){name}[{generator.natural(len(values))}];")


# ---- Control ----

def branch(generator):
    with generator.block(f"if ({generator.condition()})"):
        some(generator)
    if generator.chance(0.4):
        with generator.block("else"):
            some(generator)


def switch(generator):
    below = generator.rng.randint(3, 5)
    with generator.block(f"switch ({generator.natural(below)})"):
        for case in range(below - 1):
            generator.emit(f"case {case}: {{")
            some(generator, most=1)
            generator.emit("}" + " break;" * generator.chance(0.7))
        generator.emit("default:")
        generator.emit(f"  r += {generator.rng.randint(1, 9)};")


def loop(generator):
    counter = generator.name("i")
    bound = generator.rng.choice([str(generator.rng.randint(2, 4)), generator.natural(5), f"1 + {generator.natural(4)}"])
    with generator.block(f"for (int {counter} = 0; {counter} < (int)({bound}); {counter}++)"):
        some(generator)
        if generator.chance(0.3):
            generator.emit(f"if ({generator.condition()})")
            generator.emit(f"  {generator.rng.choice(['break', 'continue'])};")
        generator.emit(f"r += {counter};")


def nested(generator):
    """Two loops, and a jump out of both."""
    one, other, out = generator.name("i"), generator.name("i"), generator.name("out")
    with generator.block(f"for (unsigned {one} = 0; {one} < {generator.rng.choice(['3', generator.natural(4)])}; {one}++)"):
        with generator.block(f"for (unsigned {other} = {generator.rng.choice(['0', one])}; {other} < {generator.rng.choice(['3', generator.natural(4)])}; {other}++)"):
            generator.emit(f"r += {one} * {other} + 1;")
            generator.emit(f"if ({one} + {other} == {generator.leaf()})")
            generator.emit(f"  goto {out};")
            if generator.chance(0.5):
                statement(generator)
    generator.emit("r += 1;")
    generator.program.emit(f"{out}:")
    generator.emit("r += 2;")


def again(generator):
    """A loop made of a label and a jump back."""
    counter, back = generator.name("n"), generator.name("back")
    generator.emit(f"unsigned {counter} = {generator.natural(4)};")
    generator.emit(f"{back}:;")
    with generator.block(""):
        some(generator, most=1)
    generator.emit(f"if ({counter}-- > 0)")
    generator.emit(f"  goto {back};")


def leave(generator):
    """The program ends early."""
    code = generator.rng.randrange(generator.CODES)
    generator.emit(f"if ({generator.condition()})")
    generator.emit(f"  {generator.rng.choice(['return ', 'exit'])}(RESULT({code}));")


CONTROL = {branch, switch, loop, nested, again}
OWN = [assign, assign, store, store, load, move, sized, real, branch, branch, switch, loop, nested, again, leave]
# What a program is mostly about; each has statements that are always possible.
THEMES = {
    "all": OWN + tables.KINDS + pointers.KINDS + strings.KINDS + calls.KINDS,
    "tables": [assign, branch, switch, loop] + 2 * tables.KINDS + calls.KINDS,
    "pointers": [assign, store, move, sized, branch, loop] + 2 * pointers.KINDS + tables.KINDS,
}
