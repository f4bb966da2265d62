"""Statements over tables of records."""


def table_of(generator, *kinds):
    """A table and a member of one of the kinds, if there is one."""
    found = [(table, field) for table in generator.tables for field in table.record.of(*kinds)]
    return generator.rng.choice(found) if found else (None, None)


def member(generator):
    """Stores or loads a number of a record."""
    table, field = table_of(generator, "number", "bits", "bytes", "pair", "inner")
    if table is None:
        return False
    place = f"{generator.record(table)}.{field.name}"
    if field.kind in ("bytes", "inner"):
        place += f"[{generator.natural(field.count + generator.program.leaves)}]"
    if field.kind in ("pair", "inner"):
        place += generator.rng.choice([".a", ".b"])
    if generator.chance(0.5):
        generator.emit(f"{place} = {generator.value()};")
    else:
        generator.emit(f"r += (unsigned){place};")


def offset(generator, field):
    """An offset for what a pointer of records leads to: inside for all of them, or not."""
    if field.kind == "inside":
        if not generator.risky():
            return "0"
        if generator.chance(0.4):
            return generator.far(400)
        return f"(int)({generator.natural(4)}) - {generator.rng.randint(0, 2)}"
    if field.kind == "tagged":
        return generator.index(field.least, 1, 1900)
    if generator.risky():
        if generator.chance(0.4):
            return generator.far(1800)
        return generator.natural(field.least + field.spread + generator.rng.randint(0, 2))
    return generator.natural(field.least)


def through(generator, pointer, at):
    """Uses a pointer: an element is read or written."""
    if generator.chance(0.5):
        generator.emit(f"{pointer}[{at}] = {generator.value(1)};")
    else:
        generator.emit(f"r += {pointer}[{at}];")


def follow(generator):
    """A pointer of a record at some index, used at some offset, in one of several ways."""
    table, field = table_of(generator, "blob", "inside", "blob")
    if table is None:
        return False
    ctype = "unsigned char" if field.kind == "blob" else field.ctype
    place, at, name = f"{generator.record(table)}.{field.name}", offset(generator, field), generator.name("p")
    pick = generator.rng.random()
    if pick < 0.3:
        through(generator, place, at)
    elif pick < 0.5:
        generator.emit(f"{ctype} *{name} = {place};")
        through(generator, name, at)
    elif pick < 0.65:
        generator.emit(f"{ctype} **{name} = &{place};")
        through(generator, f"(*{name})", at)
    elif pick < 0.8:
        generator.emit(f"struct {table.record.name} {name} = {generator.record(table)};")
        through(generator, f"{name}.{field.name}", at)
    elif pick < 0.9:
        generator.emit(f"{ctype} *{name} = {place} + {at};")
        generator.emit(f"r += *{name};")
    else:
        generator.emit(f"{ctype} *{name} = {generator.condition()} ? {place} : {generator.record(table)}.{field.name};")
        through(generator, name, at)


def onward(generator):
    """Follows pointers from record to record."""
    table, field = table_of(generator, "next")
    if table is None:
        return False
    name = generator.name("p")
    generator.emit(f"struct {table.record.name} *{name} = &{generator.record(table)};")
    pick = generator.rng.random()
    if pick < 0.5:
        with generator.block(f"for (int j = {generator.natural(4)}; j > 0 && {name}; j--)"):
            generator.emit(f"{name} = {name}->{field.name};")
        generator.emit(f"r += {name} ? {name} - {table.name} : 77;")
    elif pick < 0.75:
        if generator.risky():
            generator.emit(f"r += {name}->{field.name}->{field.name} == 0;")
        else:
            generator.emit(f"if ({name}->{field.name})")
            generator.emit(f"  r += {name}->{field.name} - {table.name};")
    else:
        generator.emit(f"{name}->{field.name} = {generator.rng.choice(['0', f'&{generator.record(table)}'])};")


def invoke(generator):
    table, field = table_of(generator, "call")
    if table is None:
        return False
    generator.emit(f"r += (unsigned){generator.record(table)}.{field.name}({generator.value(1)});")


def tagged(generator):
    """Reads the member that a tag selects, or gives it another value."""
    table, field = table_of(generator, "tagged")
    if table is None:
        return False
    name = generator.name("p")
    generator.emit(f"struct {table.record.name} *{name} = &{generator.record(table)};")
    place, pick = f"{name}->{field.name}", generator.rng.random()
    if pick < 0.6:
        with generator.block(f"if ({place}_tag == 0)"):
            through(generator, f"{place}.s", offset(generator, field))
        with generator.block("else"):
            generator.emit(f"r += {place}.{generator.rng.choice(['n', 'h', 'c[0]', 'c[2]'])};")
    elif pick < 0.8:
        generator.emit(f"{place}_tag = 1;")
        generator.emit(f"{place}.n = {generator.value(1)};")
    else:
        generator.emit(f"{place}_tag = 0;")
        generator.emit(f"{place}.s = calloc({field.least + generator.rng.randint(0, 2)}, 1);")


def copy(generator):
    """Whole records: copied, swapped, moved."""
    if not generator.tables:
        return False
    table = generator.rng.choice(generator.tables)
    name, kind = generator.name("c"), f"struct {table.record.name}"
    one, other = generator.record(table), generator.record(table)
    pick = generator.rng.random()
    if pick < 0.35:
        generator.emit(f"{one} = {other};")
    elif pick < 0.55:
        generator.emit(f"{kind} {name} = {one};")
        generator.emit(f"{one} = {other};")
        generator.emit(f"{other} = {name};")
    elif pick < 0.75:
        generator.emit(f"memmove(&{one}, &{other}, sizeof({kind}));")
    else:
        at = generator.natural(table.count)
        generator.emit(f"unsigned {name} = {at};")
        generator.emit(f"memmove({table.name} + {name}, {table.name} + {name} + 1, ({table.count - 1} - {name}) * sizeof({kind}));")


def release(generator):
    """Frees what a record points to; later statements may still use it, unless the pointer is cleared."""
    table, field = table_of(generator, "blob")
    if table is None or not generator.chance(0.2 + generator.risk):
        return False
    name = generator.name("p")
    generator.emit(f"struct {table.record.name} *{name} = &{generator.record(table)};")
    generator.emit(f"free({name}->{field.name});")
    if generator.chance(0.5):
        generator.emit(f"{name}->{field.name} = {generator.rng.choice(['0', f'calloc({field.least}, 1)', f'calloc({field.least + field.spread}, 1)'])};")


def resize(generator):
    """realloc of what a record points to, or of a whole table."""
    table, field = table_of(generator, "blob")
    if table is None:
        return False
    name, more = generator.name("p"), generator.rng.randint(1, 4)
    generator.emit(f"unsigned char **{name} = &{generator.record(table)}.{field.name};")
    size = f"{field.least + field.spread} + ({generator.natural(more)})"
    generator.emit(f"*{name} = realloc(*{name}, {size});")
    # All of it: how much of it is old is not known here.
    generator.emit(f"memset(*{name}, {generator.rng.randint(0, 9)}, {size});")


def row(generator):
    """A pointer from an array of pointers in a record."""
    table, field = table_of(generator, "row")
    if table is None:
        return False
    place = f"{generator.record(table)}.{field.name}[{generator.natural(field.count)}]"
    pick = generator.rng.random()
    if pick < 0.7:
        at = generator.far(1800) if generator.risky() and generator.chance(0.5) else generator.natural(field.least + generator.risky())
        through(generator, place, at)
    elif pick < 0.85:
        generator.emit(f"{place} = {generator.record(table)}.{field.name}[{generator.natural(field.count)}];")
    else:
        name = generator.name("p")
        generator.emit(f"unsigned char **{name} = {generator.record(table)}.{field.name} + {generator.natural(field.count)};")
        generator.emit(f"r += **{name};")


def piecewise(generator):
    """A pointer or a record is copied as bytes: by memcpy, or one after the other."""
    if not generator.tables:
        return False
    table, rng = generator.rng.choice(generator.tables), generator.rng
    field, kind = rng.choice(table.record.fields), f"struct {table.record.name}"
    one, other, pick = generator.record(table), generator.record(table), rng.random()
    if pick < 0.4 and field.kind not in ("bits", "tagged"):
        generator.emit(f"memcpy(&{one}.{field.name}, &{table.name}[{rng.randrange(table.count)}].{field.name}, sizeof {one}.{field.name});"
                       if generator.chance(0.3) else f"memmove(&{one}.{field.name}, &{other}.{field.name}, sizeof {one}.{field.name});")
    elif pick < 0.6:
        target, source = generator.name("d"), generator.name("s")
        generator.emit(f"unsigned char *{target} = (unsigned char *)&{one}, *{source} = (unsigned char *)&{other};")
        generator.emit(f"for (unsigned j = 0; j < sizeof({kind}); j++)")
        generator.emit(f"  {target}[j] = {source}[j];")
    elif pick < 0.8 and field.kind in ("number", "blob", "inside", "next"):
        name = generator.name("p")
        generator.emit(f"char *{name} = (char *){table.name} + ({generator.natural(table.count)}) * sizeof({kind}) + offsetof({kind}, {field.name});")
        if field.kind == "number":
            generator.emit(f"r += (unsigned)*({field.ctype} *){name};")
        elif field.kind == "blob":
            generator.emit(f"if (*(unsigned char **){name})")
            generator.emit(f"  r += **(unsigned char **){name};")
        else:
            generator.emit(f"r += *(void **){name} == 0;")
    else:
        generator.emit(f"memset(&{one}, 0, sizeof({kind}));")


def enlarge(generator):
    """A table grows by a number of records that depends on inputs; the new ones are cleared."""
    tables = [table for table in generator.tables if table.storage == "heap" and not table.record.of("next")]
    if not tables or generator.nested:
        return False
    table, more = generator.rng.choice(tables), generator.name("more")
    kind = f"struct {table.record.name}"
    generator.emit(f"unsigned {more} = {generator.natural(4)};")
    generator.emit(f"{table.name} = realloc({table.name}, ({table.count} + {more}) * sizeof({kind}));")
    generator.emit(f"memset({table.name} + {table.count}, 0, {more} * sizeof({kind}));")
    numbers = table.record.of("number", "bits")
    if numbers:
        generator.emit(f"r += (unsigned){table.name}[{table.count} + {more} - {0 if generator.risky() else 1}].{generator.rng.choice(numbers).name};")


def measured(generator):
    """A table whose number of records depends on inputs."""
    rng = generator.rng
    records_known = [table.record for table in generator.tables if table.record.of("number")]
    if not records_known:
        return False
    record, name, count = rng.choice(records_known), generator.name("t"), generator.name("n")
    field = rng.choice(record.of("number")).name
    generator.emit(f"unsigned {count} = {generator.natural(5)} + 1;")
    generator.emit(f"struct {record.name} *{name} = calloc({count}, sizeof *{name});")
    generator.emit(f"{name}[{count} - 1].{field} = 9;")
    pointers = record.of("blob")
    if pointers:
        generator.emit(f"{name}[{count} / 2].{pointers[0].name} = calloc(2, 1);")
        generator.emit(f"if ({name}[{generator.natural(5)}{f' % {count}' * (not generator.risky())}].{pointers[0].name})")
        generator.emit("  r += 5;")
        generator.emit(f"{name}[{count} / 2].{pointers[0].name}[{generator.natural(2 + generator.risky())}] = 1;")
    generator.emit(f"r += (unsigned){name}[{generator.natural(6) if generator.risky() else f'{generator.natural(5)} % {count}'}].{field};")


KINDS = [member, member, follow, follow, follow, onward, invoke, tagged, copy, copy, release, resize, row, row, piecewise, piecewise, enlarge, measured]
