"""Statements that call functions of the program: recursive ones, with any number of arguments, by a table, with records by value."""

RECURSIVE = [
    "static unsigned down(unsigned n, unsigned a) { return n == 0 ? a : down(n - 1, a * 2 + n) + 1; }",
    "static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }",
    "static unsigned deep(const unsigned char *p, unsigned n) { return n == 0 ? 0 : *p + deep(p + 1, n - 1); }",
]
SUM = """static unsigned sum(int n, ...) {
  va_list list;
  unsigned all = 0;
  va_start(list, n);
  for (int j = 0; j < n; j++)
    all = all * 3 + va_arg(list, unsigned);
  va_end(list);
  return all;
}"""
MIXED = """static unsigned mixed(const char *kinds, ...) {
  va_list list;
  unsigned all = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++)
    all += *kinds == 'i' ? (unsigned)va_arg(list, int) : *kinds == 'l' ? (unsigned)va_arg(list, long long) : *va_arg(list, unsigned char *);
  va_end(list);
  return all;
}"""
TABLE = """static unsigned inc(unsigned a) { return a + 1; }
static unsigned half(unsigned a) { return a / 2; }
static unsigned same(unsigned a) { return a; }
static unsigned (*const calls[])(unsigned) = {inc, half, same};"""


def function(generator, text):
    if text not in generator.program.functions:
        generator.program.functions.append(text)


def recursive(generator):
    rng = generator.rng
    which = rng.randrange(3)
    function(generator, RECURSIVE[which])
    if which == 0:
        generator.emit(f"r += down({generator.natural(6)}, {generator.value(1)});")
    elif which == 1:
        generator.emit(f"r += fib({generator.natural(6)});")
    else:
        bytes_of = [block for block in generator.blocks if block.ctype == "unsigned char"]
        if not bytes_of:
            return False
        block = rng.choice(bytes_of)
        generator.emit(f"r += deep({block.name}, {generator.index(block.count + 1, 1, 4)});")


def many(generator):
    rng = generator.rng
    if generator.chance(0.6):
        function(generator, SUM)
        values = [f"(unsigned)({generator.value(1)})" for _ in range(rng.randint(1, 5))]
        count = generator.natural(len(values) + 1) if generator.chance(0.6) else str(len(values))
        generator.emit(f"r += sum({count}, {', '.join(values)});")
    else:
        function(generator, MIXED)
        kinds = "".join(rng.choice("ilp") for _ in range(rng.randint(1, 4)))
        byte = generator.name("u")
        generator.emit(f"unsigned char {byte} = {generator.leaf()};")
        words = {"i": f"(int)({generator.leaf()})", "l": f"(long long)({generator.leaf()})", "p": f"&{byte}"}
        generator.emit(f'r += mixed("{kinds}", {", ".join(words[kind] for kind in kinds)});')


def by_table(generator):
    function(generator, TABLE)
    generator.emit(f"r += calls[{generator.index(3, 8, 8)}]({generator.leaf()});")


def by_value(generator):
    """A function that takes a record and returns it changed."""
    if not generator.tables:
        return False
    rng, table, name = generator.rng, generator.rng.choice(generator.tables), generator.name("with")
    numbers = table.record.of("number", "bits")
    change = f"one.{rng.choice(numbers).name} += more; " if numbers else ""
    kind = f"struct {table.record.name}"
    function(generator, f"static {kind} {name}({kind} one, int more) {{ {change}return one; }}")
    generator.emit(f"{generator.record(table)} = {name}({generator.record(table)}, {generator.leaf()});")


def by_reference(generator):
    """A function that takes a table and returns a pointer to one of its records."""
    if not generator.tables:
        return False
    table, name = generator.rng.choice(generator.tables), generator.name("find")
    numbers = table.record.of("number", "bits")
    if not numbers:
        return False
    kind, field = f"struct {table.record.name}", generator.rng.choice(numbers).name
    function(generator, f"static {kind} *{name}({kind} *all, int n, int key) {{ for (int j = 0; j < n; j++) if (all[j].{field} == key) return &all[j]; return 0; }}")
    found = generator.name("p")
    generator.emit(f"{kind} *{found} = {name}({table.name}, {table.count}, {generator.value(1)});")
    if generator.risky():
        generator.emit(f"{found}->{field} = 3;")
    else:
        generator.emit(f"if ({found})")
        generator.emit(f"  {generator.rng.choice([f'r += {found} - {table.name};', f'r += (unsigned){found}->{field};'])}")


KEPT = """static int *kept(int a) {
  int local = a + 1;
  int *volatile p = &local;
  return p;
}"""


def stale(generator):
    """A pointer to a variable of a function that has returned."""
    if not generator.risky():
        return False
    function(generator, KEPT)
    name = generator.name("p")
    generator.emit(f"int own{name} = 4, *{name} = {generator.condition()} ? kept({generator.leaf()}) : &own{name};")
    generator.emit(f"r += *{name};")


COUNTED = """static unsigned total;
static unsigned counted(unsigned a) {
  static unsigned calls = 1;
  total += a * calls;
  return calls++;
}"""


def remember(generator):
    """A function that remembers what it was called with."""
    function(generator, COUNTED)
    generator.emit(f"r += counted({generator.leaf()});")
    generator.emit(f"if ({generator.condition()})")
    generator.emit(f"  counted({generator.rng.randint(1, 9)});")
    generator.emit("r ^= total;")


KINDS = [recursive, many, by_table, by_value, by_reference, stale, remember]
