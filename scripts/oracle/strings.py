"""Statements over strings and the library functions for them."""


def text(generator):
    """A buffer with a string in it that depends on inputs; it ends inside the buffer unless at risk."""
    rng, name = generator.rng, generator.name("s")
    size = rng.randint(4, 9)
    storage = rng.choice(["heap", "stack"])
    if storage == "heap":
        generator.emit(f"char *{name} = calloc({size}, 1);")
    else:
        generator.emit(f"char {name}[{size}] = {{0}};")
    letters = rng.choice(["abc", "aab", "xyz", "0a1"])
    length = size - 1 + (generator.risky() and generator.chance(0.3))
    generator.emit(f"for (unsigned j = 0; j < {rng.choice([str(length), generator.natural(length + 1)])}; j++)")
    generator.emit(f'  {name}[j] = "{letters}"[(j + (unsigned){generator.leaf()}) % 3];')
    if generator.chance(0.5):
        generator.emit(f"{name}[{generator.natural(size)}] = {rng.choice(['0', repr(letters[0])])};")
    return name, size, letters


def look(generator):
    """Reads of a string."""
    name, size, letters = text(generator)
    rng, pick = generator.rng, generator.rng.random()
    letter = repr(rng.choice(letters + "q"))
    if pick < 0.2:
        generator.emit(f"r += strlen({name});")
    elif pick < 0.45:
        found, function = generator.name("f"), rng.choice(["strchr", "strrchr"])
        generator.emit(f"char *{found} = {function}({name}, {letter});")
        guard = "" if generator.risky() else f"if ({found}) "
        generator.emit(f"{guard}r += {found} - {name} + *{found};" if guard else f"r += *{found};")
    elif pick < 0.6:
        function, other = rng.choice(["strcmp({}, {})", "strncmp({}, {}, 2)"]), rng.choice([f'"{letters}"', f'"{letters[0]}"', '""', f'"{letters[1]}"'])
        generator.emit(f"r += {function.format(name, other)} {rng.choice(['== 0', '< 0', '> 0'])};")
    elif pick < 0.75:
        generator.emit(f"r += memcmp({name}, \"{letters * 3}\", {generator.natural(size + 1 + generator.risky())}) {rng.choice(['== 0', '< 0'])};")
    elif pick < 0.85:
        found = generator.name("f")
        generator.emit(f"char *{found} = memchr({name}, {letter}, {generator.natural(size + 1)});")
        generator.emit(f"r += {found} ? {found} - {name} : 9;")
    else:
        generator.emit(f"r += {rng.choice(['strspn', 'strcspn'])}({name}, \"{rng.choice([letters[:2], letters[1]])}\");")


def copied(generator):
    """Writes of a string into another buffer, which may be too small."""
    name, size, letters = text(generator)
    rng, target = generator.rng, generator.name("d")
    room = size + (-rng.randint(1, 3) if generator.risky() else rng.randint(0, 3))
    generator.emit(f"char *{target} = calloc({room}, 1);")
    pick = rng.random()
    if pick < 0.3:
        generator.emit(f"strcpy({target}, {name});")
    elif pick < 0.5:
        generator.emit(f"strncpy({target}, {name}, {generator.natural(room + 1 + generator.risky())});")
    elif pick < 0.65:
        generator.emit(f'strcpy({target}, "{letters[:min(room - 1, 1)]}");')
        if generator.chance(0.4):
            generator.emit(f"strncat({target}, {name}, {generator.natural(3)});")
        else:
            guard = "" if generator.risky() else f"if (strlen({name}) + 1 < {room}) "
            generator.emit(f"{guard}strcat({target}, {name});")
    elif pick < 0.8:
        duplicate = generator.name("d")
        generator.emit(f"char *{duplicate} = strdup({name});")
        generator.emit(f"r += {duplicate}[{generator.rng.choice(['0', f'strlen({duplicate})'])}];")
        generator.emit(f"r += strcmp({duplicate}, {name}) == 0;")
    elif pick < 0.9:
        generator.emit(f"memcpy({target}, {name}, {generator.natural(min(room, size) + 1 + generator.risky())});")
    else:
        # Onto itself: the ranges overlap unless the string is short.
        generator.emit(f"{rng.choice(['strcpy', 'strcat'])}({name}, {name} + {rng.randint(1, 2)});" if generator.risky() else f"strcpy({target}, {name} + 1);")
    generator.emit(f"r += {target}[{rng.randrange(room)}];")


COMMANDS = """static const struct command {
  const char *name;
  int arity;
  const char *help;
} commands[] = {{"inc", 1, "one more"}, {"dbl", 2, "twice"}, {"neg", 1, "minus"}, {"id", 3, ""}, {"nop", 0, 0}};"""


def command(generator):
    """A table of constants with strings in it: read at an index, or searched by name."""
    rng = generator.rng
    if COMMANDS not in generator.program.globals:
        generator.program.globals.append(COMMANDS)
    at = generator.index(5, 24, 24)
    pick = rng.random()
    if pick < 0.3:
        generator.emit(f"r += commands[{at}].arity;")
    elif pick < 0.5:
        generator.emit(f"r += commands[{at}].name[{generator.natural(rng.choice([1, 2, 3]) + generator.risky())}];")
    elif pick < 0.65:
        name = generator.name("h")
        generator.emit(f"const char *{name} = commands[{at}].help;")
        generator.emit(f"{f'if ({name}) ' * (not generator.risky())}r += strlen({name});")
    elif pick < 0.8:
        name = generator.name("k")
        generator.emit(f'char {name}[4] = "{rng.choice(["inc", "neg", "id", "dbl"])}";')
        generator.emit(f"{name}[{generator.natural(3)}] {rng.choice(['^= 1', '= 0', '+= ' + generator.natural(2)])};")
        with generator.block("for (int j = 0; j < 5; j++)"):
            generator.emit(f"if (!strcmp(commands[j].name, {name}))")
            generator.emit("  r += commands[j].arity + j;")
    else:
        generator.emit(f"if (commands[{at}].arity > commands[{generator.natural(5)}].arity)")
        generator.emit("  r += 4;")


def printed(generator):
    """Numbers as text, and back."""
    rng, name = generator.rng, generator.name("o")
    generator.emit(f"char {name}[16] = {{0}};")
    generator.emit(f'snprintf({name}, sizeof {name}, "{rng.choice(["%d", "%u", "%x", "%3d", "%-4d|", "<%02x>"])}", {rng.choice([generator.leaf(), f"(int){generator.leaf()}"])});')
    generator.emit(rng.choice([f"r += strlen({name}) + {name}[0];", f"r += (unsigned)atoi({name});", f"r ^= (unsigned)strtol({name}, 0, 16);"]))


KINDS = [look, look, copied, command, printed]
