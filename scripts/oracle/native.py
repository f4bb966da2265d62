"""What a program does natively on every one of its inputs.

The program is compiled with AddressSanitizer and the checks of UndefinedBehaviorSanitizer that a rule of mneme is about, and linked with
`server.c`, which runs it on each input in a process of its own. Reports are symbolised together, at the end.
"""

import atexit
import collections
import functools
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile

CLANG = "clang-19"
SYMBOLIZER = "llvm-symbolizer-19"
HERE = pathlib.Path(__file__).resolve().parent
HEADERS = HERE.parent.parent / "crates" / "runtime" / "include"
SECONDS = 120

# Checks that end a run, as what they find ends a path, and those after which it goes on.
ENDING = ["integer-divide-by-zero", "shift-exponent", "unreachable"]
GOING_ON = ["signed-integer-overflow", "array-bounds"]
FLAGS = [
    "-O0", "-g", "-Wno-everything", "-Werror=return-type", "-Werror=int-conversion", "-Werror=implicit-function-declaration",
    "-fno-omit-frame-pointer", f"-I{HEADERS}",
    f"-fsanitize=address,{','.join(ENDING + GOING_ON)}",
    f"-fno-sanitize-recover={','.join(ENDING)}",
    "-fsanitize-address-use-after-return=always",
]
# Blocks lie so far apart that whatever is less than 2,048 bytes outside of one is inside of none.
OPTIONS = "symbolize=0:detect_leaks=0:redzone=2048:print_legend=0:print_summary=0:allocator_may_return_null=1:detect_stack_use_after_return=1"

# What became of one input: `kind` is exit, excluded, hang, unknown, or that of a finding; `library`: it was seen in a function of the library;
# `freed`: the object nearest to it is no longer there.
Outcome = collections.namedtuple("Outcome", "kind code access line library freed overflows", defaults=(None, None, None, False, False, ()))

# Such a program may change what lies beside an array, pointers included, and no longer says what happens by the rules of C.
SUBOBJECT = "an index leaves its array, but no access its object"

FRAME = re.compile(r"\s+#\d+ 0x[0-9a-f]+ .*?\((.*)\+0x([0-9a-f]+)\)")
UNDEFINED = re.compile(r".*?:(\d+):\d+: runtime error: (.*)")


class Failed(Exception):
    """The program cannot be run natively."""


def compile_program(source, binary, m32):
    """Compiles and links a program with the server."""
    width = ["-m32"] * m32
    program = binary.with_suffix(".o")
    commands = [
        [CLANG, *width, *FLAGS, "-Dmain=program", "-c", str(source), "-o", str(program)],
        [CLANG, *width, "-O1", "-w", f"-I{HEADERS}", "-fsanitize=address,undefined", str(program), str(server(m32)),
         "-o", str(binary)],
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"clang: {done.stderr.strip()[:400]}")


@functools.cache
def server(m32):
    """The compiled server, made once. It is not instrumented: its memory is no concern of the program."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="differential-server-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = folder / "server.o"
    subprocess.run([CLANG, *["-m32"] * m32, "-O1", "-w", f"-I{HEADERS}", "-c", str(HERE / "server.c"), "-o", str(made)], check=True)
    return made


def run(source, inputs, folder, m32):
    """The outcome of every input, by the tuple of its values."""
    binary = folder / f"native{'32' if m32 else ''}"
    compile_program(source, binary, m32)
    words = [f"{least}:{greatest}" for least, greatest in inputs]
    try:
        done = subprocess.run([str(binary), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              cwd=folder, env={"ASAN_OPTIONS": OPTIONS, "PATH": "/usr/bin:/bin"}, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed("too slow") from None
    reports = split(done.stderr.decode(errors="replace"))
    values = list(itertools.product(*(range(least, greatest + 1) for least, greatest in inputs)))
    if len(reports) != len(values):
        raise Failed(f"the server ended early: {reports[-1:]}")
    lines = symbolize(binary, {offset for report, _ in reports for offset in offsets(report, binary)})
    return {value: outcome(report, status, binary, lines) for value, (report, status) in zip(values, reports)}


def split(text):
    """Each run's lines, with the line of the server that closes them."""
    runs, lines = [], []
    for line in text.splitlines():
        if line.startswith("@@ "):
            runs.append((lines, line[3:].split()))
            lines = []
        else:
            lines.append(line)
    return runs


def frames(report):
    """The first stack of a report, as pairs of file and offset."""
    stack = []
    for line in report:
        found = FRAME.match(line)
        if found:
            stack.append(found.groups())
        elif stack:
            break
    return stack


def offsets(report, binary):
    return {offset for file, offset in frames(report) if file == str(binary)}


def symbolize(binary, wanted):
    """File and line of each offset."""
    if not wanted:
        return {}
    order = sorted(wanted)
    done = subprocess.run([SYMBOLIZER, f"--obj={binary}", "--no-inlines", "--output-style=GNU", "--functions=none"], text=True,
                          input="".join(f"0x{offset}\n" for offset in order), capture_output=True, check=True)
    places = (re.match(r"(.*):(\d+)", line) for line in done.stdout.splitlines())
    return {offset: (place[1], int(place[2])) if place else ("", 0) for offset, place in zip(order, places)}


def outcome(report, status, binary, lines):
    """What a report and the way in which the process ended say together."""
    overflows, indices = [], set()
    for number, line in enumerate(report):
        if line == "@excluded":
            return Outcome("excluded")
        if found := UNDEFINED.match(line):
            kind = undefined(found[2])
            if kind == "overflow":
                overflows.append(int(found[1]))
            elif kind == "index":
                indices.add(int(found[1]))
            else:
                return Outcome("unknown", code=SUBOBJECT) if indices else Outcome(kind, line=int(found[1]), overflows=tuple(overflows))
        if "ERROR: AddressSanitizer: " in line:
            end = address(report[number:], binary, lines)
            return end._replace(overflows=tuple(overflows)) if indices <= {end.line} else Outcome("unknown", code=SUBOBJECT)
    if indices:
        return Outcome("unknown", code=SUBOBJECT)
    if status[0] == "exit":
        return Outcome("exit", code=int(status[1]), overflows=tuple(overflows))
    return Outcome("hang" if status[1] == "14" else "unknown", code=" ".join(status), overflows=tuple(overflows))


def undefined(text):
    words = {
        "out of bounds for type": "index",
        "division by zero": "division",
        "division of": "division",
        "shift exponent": "shift",
        "signed integer overflow": "overflow",
        "negation of": "overflow",
        "unreachable": "unreachable",
        "assertion fails": "assertion",
    }
    return next((kind for word, kind in words.items() if word in text), "unknown")


def address(report, binary, lines):
    """What AddressSanitizer says, at the innermost place that is in the program."""
    text = report[0].split("ERROR: AddressSanitizer: ")[1]
    accesses = [line for line in report[1:4] if line.startswith(("READ of size", "WRITE of size")) or "caused by a" in line]
    access = ("write" if "WRITE" in accesses[0] else "read") if accesses else None
    stack = [lines.get(offset, ("", 0)) if file == str(binary) else ("", 0) for file, offset in frames(report)]
    place = next((number for number, (file, _) in enumerate(stack) if file.endswith("program.c")), None)
    line = stack[place][1] if place is not None else None
    return Outcome(address_kind(text), code=text.split(" on ")[0], access=access, line=line, library=place != 0,
                   freed=any(line.startswith("freed by thread") for line in report))


def address_kind(text):
    name = re.split(r"[ :]", text)[0]
    if name.endswith(("-overflow", "-underflow")) and name != "stack-overflow" or name in ("negative-size-param", "unknown-crash"):
        return "bounds"
    if name == "SEGV":
        where = re.search(r"address 0x([0-9a-f]+)", text)
        # The first page, or the last: a field before a null pointer.
        near = where and (int(where[1], 16) < 4096 or int(where[1], 16) in range((1 << 32) - 4096, 1 << 32))
        return "null" if near else "wild"
    if text.startswith("attempting double-free"):
        return "double-free"
    if text.startswith("attempting free") or name in ("bad-free", "alloc-dealloc-mismatch"):
        return "invalid-free"
    known = {
        "heap-use-after-free": "stale", "stack-use-after-return": "stale-return", "stack-use-after-scope": "stale-scope",
        "stack-overflow": "stack", "FPE": "division", "memcpy-param-overlap": "overlap", "strcpy-param-overlap": "overlap",
        "strncpy-param-overlap": "overlap", "strcat-param-overlap": "overlap", "strncat-param-overlap": "overlap",
    }
    return known.get(name, "unknown")
