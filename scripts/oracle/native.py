"""What a program does natively on every one of its inputs.

The program is compiled with AddressSanitizer and the checks of UndefinedBehaviorSanitizer that a rule of mneme is about, and linked with
`server.c`, which runs it on each input in a process of its own. Reports are symbolised together, at the end.
"""

import atexit
import functools
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import reports

CLANG = "clang-19"
SYMBOLIZER = "llvm-symbolizer-19"
HERE = pathlib.Path(__file__).resolve().parent
HEADERS = HERE.parent.parent / "crates" / "runtime" / "include"
SECONDS = 120

# Checks that end a run, since what they find ends a path, and those after which it continues.
ENDING = ["integer-divide-by-zero", "shift-exponent", "float-cast-overflow", "unreachable"]
GOING_ON = ["signed-integer-overflow", "shift-base", "array-bounds"]
FLAGS = [
    "-O0", "-g", "-Wno-everything", "-Werror=return-type", "-Werror=int-conversion", "-Werror=implicit-function-declaration",
    "-fno-omit-frame-pointer", f"-I{HEADERS}",
    f"-fsanitize=address,{','.join(ENDING + GOING_ON)}",
    f"-fno-sanitize-recover={','.join(ENDING)}",
    "-fsanitize-address-use-after-return=always",
]
# Blocks lie so far apart that nothing less than 2,048 bytes outside one is inside another.
OPTIONS = "symbolize=0:detect_leaks=0:redzone=2048:print_legend=0:print_summary=0:allocator_may_return_null=1:detect_stack_use_after_return=1"

# A place without a line.
NOWHERE = ("", 0)
FRAME = re.compile(r"\s+#\d+ 0x[0-9a-f]+ .*?\((.*)\+0x([0-9a-f]+)\)")


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
    """The compiled server, made once. It is not instrumented, since its memory does not concern the program."""
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
    told_by_run = split(done.stderr.decode(errors="replace"))
    values = list(itertools.product(*(range(least, greatest + 1) for least, greatest in inputs)))
    if len(told_by_run) != len(values):
        raise Failed(f"the server ended early: {told_by_run[-1:]}")
    places = symbolize(binary, {offset for told, _ in told_by_run for offset in offsets(told, binary)})

    def stack(told):
        return [places.get(offset, NOWHERE) if file == str(binary) else NOWHERE for file, offset in frames(told)]

    return {value: reports.outcome(told, status, stack) for value, (told, status) in zip(values, told_by_run)}


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
    return {offset: (place[1], int(place[2])) if place else NOWHERE for offset, place in zip(order, places)}
