"""Statements over pointers that are not in records: arrays of them, pointers to them, lists, objects that die."""


def array(generator):
    """An array of pointers to blocks of several sizes, one of which is moved, exchanged or freed before one is used."""
    rng, name = generator.rng, generator.name("q")
    count, least = rng.randint(2, 5), rng.randint(1, 4)
    room = count + 1
    generator.emit(f"unsigned char *{name}[{room}] = {{0}};")
    with generator.block(f"for (int j = 0; j < {count}; j++)"):
        generator.emit(f"{name}[j] = calloc({least} + j, 1);")
        generator.emit(f"{name}[j][{rng.choice(['j', '0'])} % {least}] = j + {rng.randint(1, 9)};")
    for _ in range(rng.randint(0, 2)):
        change_array(generator, name, count, least)
    at = generator.index(count, 8, 30)
    offset = generator.far(1800) if generator.risky() else generator.natural(least + generator.risky())
    guard = f"if ({name}[{at}]) " if generator.chance(0.4) else ""
    generator.emit(f"{guard}{rng.choice(['r += {}[{}][{}];', '{}[{}][{}] = 3;']).format(name, at, offset)}")
    generator.emit(f"if ({name}[{rng.randrange(count)}])")
    generator.emit(f"  r ^= {name}[{rng.randrange(count)}] == {name}[{rng.randrange(count)}];")


def change_array(generator, name, count, least):
    rng, pick = generator.rng, generator.rng.random()
    at = generator.natural(count)
    if pick < 0.3:
        hole = generator.name("at")
        generator.emit(f"unsigned {hole} = {generator.natural(count + 1)};")
        generator.emit(f"memmove({name} + {hole} + 1, {name} + {hole}, ({count} - {hole}) * sizeof *{name});")
        generator.emit(f"{name}[{hole}] = calloc({least + rng.randint(0, 1)}, 1);")
    elif pick < 0.5:
        kept = generator.name("p")
        generator.emit(f"unsigned char *{kept} = {name}[{at}];")
        generator.emit(f"{name}[{at}] = {name}[{rng.randrange(count)}];")
        generator.emit(f"{name}[{rng.randrange(count)}] = {kept};")
    elif pick < 0.7 and generator.risky():
        generator.emit(f"free({name}[{at}]);")
        if generator.chance(0.5):
            generator.emit(f"{name}[{at}] = 0;")
    elif pick < 0.85:
        generator.emit(f"{name}[{at}] = {name}[{generator.natural(count)}];")
    else:
        generator.emit(f"{name}[{at}]++;")


def chosen(generator):
    """A pointer to one of two pointers, through which one is changed."""
    rng = generator.rng
    heaps = [block for block in generator.blocks if block.storage == "heap"]
    if not heaps:
        return False
    block, one, other, way = rng.choice(heaps), generator.name("p"), generator.name("p"), generator.name("w")
    generator.emit(f"{block.ctype} *{one} = {block.name}, *{other} = {block.name} + {rng.randint(0, block.count - 1)};")
    generator.emit(f"{block.ctype} **{way} = {generator.condition()} ? &{one} : &{other};")
    generator.emit(f"*{way} += {generator.natural(rng.randint(1, block.count) + generator.risky())};")
    if generator.chance(0.4):
        generator.emit(f"(*{way})--;")
    generator.emit(rng.choice([f"r += **{way};", f"**{way} = {generator.value(1)};", f"r += *{one};"]))
    generator.emit(rng.choice([f"r += {one} == {other};", f"r += {one} - {block.name};", f"r ^= (unsigned)(*{way} - {one});", f"r += {one} < {other};"]))


LIST = """struct node { unsigned char key; struct node *next; short more; };"""


def chain(generator):
    """A list whose length depends on inputs: built, searched, one node removed and freed."""
    rng, head, at = generator.rng, generator.name("l"), generator.name("n")
    if LIST not in generator.program.types:
        generator.program.types.append(LIST)
    generator.emit(f"struct node *{head} = 0;")
    with generator.block(f"for (unsigned j = 0; j < {rng.choice(['3', generator.natural(5), '4'])}; j++)"):
        generator.emit(f"struct node *made = calloc(1, sizeof *made);")
        generator.emit(f"made->key = {rng.choice(['j', 'j * 3', generator.leaf() + ' + j', generator.leaf()])};")
        generator.emit(f"made->more = {generator.leaf()};")
        generator.emit(f"made->next = {head};")
        generator.emit(f"{head} = made;")
    generator.emit(f"struct node **{at} = &{head};")
    with generator.block(f"while (*{at} && (*{at})->key != {generator.leaf()})"):
        generator.emit(f"{at} = &(*{at})->next;")
    if generator.chance(0.6):
        with generator.block("" if generator.risky() else f"if (*{at})"):
            generator.emit(f"struct node *gone = *{at};")
            generator.emit(f"*{at} = gone->next;")
            generator.emit("free(gone);")
            if generator.risky():
                generator.emit(rng.choice(["r += gone->key;", "free(gone);"]))
    with generator.block(f"for (struct node *one = {head}; one; one = one->next)"):
        generator.emit(f"r = r * {rng.choice([1, 3])} + one->key + one->more;")


def outlive(generator):
    """A pointer to a variable whose block may have ended."""
    if not generator.risky():
        return False
    name = generator.name("p")
    generator.emit(f"int here{name} = 5, *{name} = &here{name};")
    with generator.block(f"if ({generator.condition()})"):
        generator.emit(f"int local = {generator.leaf()};")
        generator.emit(f"{name} = &local;")
        generator.emit(f"r += *{name};")
        if generator.chance(0.5):
            generator.emit(f"{name} = &here{name};")
    generator.emit(f"r += *{name};")


def grow(generator):
    """An array that grows as it is filled, the way most programs do it."""
    rng, name = generator.rng, generator.name("g")
    ctype = rng.choice(["short", "unsigned char", "int", "unsigned char *"])
    generator.emit(f"unsigned {name}_used = 0, {name}_room = {rng.randint(1, 2)};")
    generator.emit(f"{ctype} *{name} = calloc({name}_room, sizeof *{name});")
    with generator.block(f"for (unsigned j = 0; j < {generator.natural(6)}; j++)"):
        with generator.block(f"if ({name}_used == {name}_room)"):
            generator.emit(f"{name}_room *= 2;")
            generator.emit(f"{name} = realloc({name}, {name}_room * sizeof *{name});")
        value = generator.leaf()
        if "*" in ctype:
            generator.emit(f"{name}[{name}_used] = calloc(1 + j, 1);")
            generator.emit(f"{name}[{name}_used++][j] = {value};")
        else:
            generator.emit(f"{name}[{name}_used++] = {value};")
    at = generator.natural(5) if generator.risky() else f"{name}_used - 1"
    with generator.block("" if generator.risky() else f"if ({name}_used > {generator.rng.choice([0, 4])})"):
        generator.emit(f"unsigned at = {at};")
        # Only the part that was filled is read: the rest was never written.
        with generator.block(f"if (at < {name}_used || at >= {name}_room)"):
            generator.emit(f"r += {name}[at]{f'[0]' if '*' in ctype else ''};")
    if generator.chance(0.5):
        generator.emit(f"free({name});")


def walk(generator):
    """A pointer that walks through a block until something is found, or too far."""
    if not generator.blocks:
        return False
    rng, block, name = generator.rng, generator.rng.choice(generator.blocks), generator.name("p")
    last = block.count + (1 if generator.risky() and block.slack >= block.size else 0)
    generator.emit(f"{block.ctype} *{name} = {block.name} + {generator.natural(2)};")
    kind = rng.randrange(3)
    if kind == 0:
        generator.emit(f"while ({name} < {block.name} + {last} && *{name} != ({block.ctype})({generator.leaf()}))")
        generator.emit(f"  {name}++;")
    elif kind == 1:
        with generator.block("do"):
            generator.emit(f"r += *{name}++;")
        generator.emit(f"while ({name} - {block.name} < (int)({generator.natural(last + 1)}));")
    else:
        generator.emit(f"for ({block.ctype} *end = {block.name} + {generator.natural(last + 1)}; {name} < end; {name}++)")
        generator.emit(f"  *{name} ^= {rng.randint(1, 9)};")
    generator.emit(f"r += {name} - {block.name};")


def matrix(generator):
    """An array of arrays."""
    rng, name = generator.rng, generator.name("x")
    rows, columns = rng.randint(2, 4), rng.choice([2, 3, 5])
    ctype = rng.choice(["unsigned char", "short", "int"])
    generator.emit(f"{ctype} {name}[{rows}][{columns}] = {{{{{rng.randint(0, 9)}, {rng.randint(0, 9)}}}, {{{rng.randint(0, 9)}}}}};")
    row = generator.index(rows, columns * 4, 30)
    generator.emit(f"{name}[{row}][{generator.natural(columns)}] = {generator.value(1)};")
    line = generator.name("p")
    generator.emit(f"{ctype} *{line} = {name}[{generator.natural(rows)}];")
    generator.emit(f"r += {line}[{generator.natural(columns)}] + {name}[{generator.natural(rows)}][{rng.randrange(columns)}];")


def sort(generator):
    """The first elements of a block in their order."""
    if not generator.blocks:
        return False
    block, name = generator.rng.choice(generator.blocks), generator.name("k")
    generator.emit(f"{block.name}[{generator.natural(3)}] = {generator.leaf()};")
    with generator.block("for (int j = 1; j < 3; j++)"):
        with generator.block(f"for (int {name} = j; {name} > 0 && {block.name}[{name} - 1] > {block.name}[{name}]; {name}--)"):
            generator.emit(f"{block.ctype} kept = {block.name}[{name}];")
            generator.emit(f"{block.name}[{name}] = {block.name}[{name} - 1];")
            generator.emit(f"{block.name}[{name} - 1] = kept;")


KINDS = [array, array, chosen, chain, outlive, grow, walk, walk, matrix, sort]
