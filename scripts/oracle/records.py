"""Records and tables of them: how they are declared, filled and looked at.

Kinds of members: `number`; `bits`; `bytes`, an array of characters; `blob`, a pointer to bytes of its own, whose number differs from record to record;
`inside`, a pointer into a block that all share; `next`, to a record of the same table or null; `call`, to a function; `tagged`, a union of a
pointer and numbers with the member that says which it is; `pair`, a structure inside; `inner`, an array of structures; `row`, an array of pointers.
"""

from .program import Field, Record, Table

NUMBERS = {"signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned": 4, "long": 8, "long long": 8}
CALLS = ["static int add(int a) { return a + 3; }", "static int twice(int a) { return 2 * a; }", "static int minus(int a) { return 1 - a; }"]


def number(generator, name):
    ctype = generator.rng.choice(list(NUMBERS))
    return Field(name, "number", f"{ctype} {name};", size=NUMBERS[ctype], ctype=ctype)


def bits(generator, name):
    ctype, width = generator.rng.choice(["unsigned", "int", "unsigned char", "unsigned short"]), generator.rng.randint(1, 7)
    return Field(name, "bits", f"{ctype} {name} : {width};", size=4, ctype=ctype)


def array(generator, name):
    count = generator.rng.choice([1, 2, 3, 5, 7])
    return Field(name, "bytes", f"unsigned char {name}[{count}];", size=count, count=count)


def blob(generator, name):
    least, spread = generator.rng.randint(1, 5), generator.rng.randint(1, 4)
    return Field(name, "blob", f"unsigned char *{name};", size=8, least=least, spread=spread, hole=generator.chance(0.15))


def inside(generator, name):
    return Field(name, "inside", f"{generator.rng.choice(['short', 'int', 'unsigned char'])} *{name};", size=8)


def onward(_, name):
    return Field(name, "next", f"struct RECORD *{name};", size=8)


def call(_, name):
    return Field(name, "call", f"int (*{name})(int);", size=8)


def tagged(generator, name):
    least = generator.rng.randint(1, 4)
    return Field(name, "tagged", f"int {name}_tag; union {{ unsigned char *s; int n; short h; unsigned char c[3]; }} {name};", size=16, least=least)


def pair(_, name):
    return Field(name, "pair", f"struct {{ short a; unsigned char b; }} {name};", size=4)


def inner(generator, name):
    count = generator.rng.randint(2, 3)
    return Field(name, "inner", f"struct {{ unsigned char a; {generator.rng.choice(['short', 'unsigned char', 'int'])} b; }} {name}[{count}];", size=24, count=count)


def row(generator, name):
    count = generator.rng.randint(2, 3)
    return Field(name, "row", f"unsigned char *{name}[{count}];", size=8 * count, count=count, least=generator.rng.randint(1, 4))


MAKERS = [number, number, number, bits, array, blob, blob, blob, inside, onward, call, tagged, pair, inner, row]
# Pointers are then misaligned.
PACKED = " __attribute__((packed))"


def add_record(generator):
    fields = []
    for at in range(generator.rng.randint(1, 4)):
        maker = generator.rng.choice(MAKERS)
        fields.append(maker(generator, f"f{at}"))
        if maker is bits and generator.chance(0.7):
            fields.append(bits(generator, f"g{at}"))
    name = generator.name("rec")
    generator.program.types += [f"struct {name} {{", *(f"  {field.text.replace('RECORD', name)}" for field in fields),
                                f"}}{PACKED * generator.chance(0.15)};"]
    return Record(name, fields)


def add_table(generator):
    record = add_record(generator)
    count, name = generator.rng.choice([2, 3, 3, 4, 5, 5, 7, 9]), generator.name("t")
    storage = generator.rng.choice(["heap", "heap", "stack", "global"])
    if storage == "heap":
        generator.emit(f"struct {record.name} *{name} = calloc({count}, sizeof *{name});")
    elif storage == "stack":
        generator.emit(f"struct {record.name} {name}[{count}] = {{0}};")
    else:
        generator.program.globals.append(f"static struct {record.name} {name}[{count}];")
    table = Table(name, record, count, storage)
    for field in record.of("inside"):
        ctype = field.text.split(" *")[0]
        field.ctype, field.unit = ctype, {"short": 2, "int": 4}.get(ctype, 1)
        field.shared, field.length = generator.name("b"), count + generator.rng.randint(0, 3)
        generator.emit(f"{ctype} *{field.shared} = calloc({field.length}, sizeof *{field.shared});")
        generator.emit(f"for (int j = 0; j < {field.length}; j++)")
        generator.emit(f"  {field.shared}[j] = j + {generator.rng.randint(0, 9)};")
    with generator.block(f"for (int j = 0; j < {count}; j++)"):
        for field in record.fields:
            fill(generator, table, field)
    generator.tables.append(table)
    return table


def fill(generator, table, field):
    """Gives a member of record j its first value."""
    place, rng = f"{table.name}[j].{field.name}", generator.rng
    if field.kind in ("number", "bits"):
        generator.emit(f"{place} = j * {rng.randint(1, 5)} + {rng.randint(0, 9)};")
    elif field.kind == "bytes":
        generator.emit(f"{place}[j % {field.count}] = j + {rng.randint(1, 9)};")
    elif field.kind == "blob":
        size = f"{field.least} + j % {field.spread}"
        generator.emit(f"{place} = {f'j == 1 ? 0 : ' * field.hole}calloc({size}, 1);")
        generator.emit(f"{f'if ({place}) ' * field.hole}{place}[j % {field.least}] = j * {rng.randint(1, 9)} + 1;")
    elif field.kind == "inside":
        generator.emit(f"{place} = {field.shared} + j;")
    elif field.kind == "next":
        generator.emit(f"{place} = {rng.choice([f'j ? &{table.name}[j - 1] : 0', f'&{table.name}[(j + 1) % {table.count}]', f'&{table.name}[j / 2]'])};")
    elif field.kind == "call":
        for text in CALLS:
            if text not in generator.program.functions:
                generator.program.functions.append(text)
        generator.emit(f"{place} = {rng.choice(['j % 2 ? add : twice', 'j == 2 ? minus : add', 'j % 3 == 1 ? twice : minus'])};")
    elif field.kind == "tagged":
        generator.emit(f"{place}.s = calloc({field.least}, 1);")
        generator.emit(f"{place}_tag = 0;")
        with generator.block(f"if (j % {rng.randint(2, 3)} == 1)"):
            generator.emit(f"{place}_tag = 1;")
            generator.emit(f"{place}.n = j + 5;")
    elif field.kind == "pair":
        generator.emit(f"{place}.a = j * {rng.randint(1, 9)};")
        generator.emit(f"{place}.b = j;")
    elif field.kind == "inner":
        generator.emit(f"{place}[j % {field.count}].a = {place}[{rng.randrange(field.count)}].b = j + {rng.randint(0, 9)};")
    elif field.kind == "row":
        with generator.block(f"for (int k = 0; k < {field.count}; k++)"):
            generator.emit(f"{place}[k] = calloc({field.least} + k, 1);")
            generator.emit(f"{place}[k][0] = j + 4 * k;")


def observe(generator, table):
    """Makes the exit code depend on a record or two."""
    for _ in range(generator.rng.randint(1, 2)):
        at, field = generator.rng.randrange(table.count), generator.rng.choice(table.record.fields)
        place = f"{table.name}[{at}].{field.name}"
        if field.kind in ("number", "bits"):
            generator.emit(f"r += (unsigned){place};")
        elif field.kind == "bytes":
            generator.emit(f"r += {place}[{generator.rng.randrange(field.count)}];")
        elif field.kind == "pair":
            generator.emit(f"r += (unsigned){place}.a + {place}.b;")
        elif field.kind == "inner":
            generator.emit(f"r += (unsigned){place}[{generator.rng.randrange(field.count)}].b;")
        elif field.kind == "next":
            generator.emit(f"r += {place} == &{table.name}[{generator.rng.randrange(table.count)}];")
        elif field.kind == "inside":
            generator.emit(f"r += {place} ? {place} - {field.shared} : 77;")
