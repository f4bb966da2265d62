#!/usr/bin/env python3
"""Functions of musl and newlib against glibc (symMMU, section 5.7): tests from musl's sources, replayed with both libraries.

The source packages are fetched from Debian. `musl-gcc` (musl-tools) and `gcc` build the fixtures; Debian has newlib for
other machines only (libnewlib-dev), so what it needs of its source is compiled first. Each function that differs is
listed with an input, both outputs and its fixture; the line at the end counts as Table 6 of the paper does.
docs/difftest.md says who is right.

    scripts/difftest.py [FUNCTION...] [--against musl newlib] [--seconds 20] [--max-tests 60] [--mneme BIN] [--out DIR]
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from bench_search import fetch

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "crates/runtime/src"

# Functions by folder; a file that holds several is named before them. What parses numbers goes through a FILE in musl:
# its tests are made from Mneme's own library.
FUNCTIONS = {
    "string": """bcmp memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset stpcpy stpncpy strcasecmp
        strcasestr strcat strchr strchrnul strcmp strcpy strcspn strdup strlcat strlcpy strlen strncasecmp strncat
        strncmp strncpy strndup strnlen strpbrk strrchr strsep strspn strstr strtok_r strverscmp swab bcopy bzero index
        rindex wcscat wcschr wcscmp wcscpy wcscspn wcslen wcsncat wcsncmp wcsncpy wcsnlen wcspbrk wcsrchr wcsspn wcsstr
        wmemchr wmemcmp wmemcpy wmemset""",
    "stdlib": "abs atoi atol atoll labs llabs imaxabs",
    "ctype": """isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
        toascii tolower toupper""",
    "misc": "a64l:a64l a64l:l64a ffs ffsl ffsll basename dirname",
    "prng": "rand_r",
    "network": "inet_addr inet_aton inet_pton inet_ntop inet_legacy:inet_network htonl htons ntohl ntohs",
}
OURS = {"strtol.c": "strtol strtoul strtoll strtoull"}
NEWLIB_FILES = """errno/errno reent/impure misc/ffs unix/basename unix/dirname stdlib/abs stdlib/labs stdlib/llabs
    stdlib/imaxabs stdlib/atoi stdlib/atol stdlib/atoll stdlib/strtol stdlib/strtoul stdlib/strtoll stdlib/strtoull stdlib/rand_r
    stdlib/a64l stdlib/l64a stdlib/mbtowc_r stdlib/wctomb_r stdlib/mbrtowc stdlib/wcrtomb stdlib/btowc"""
HEADERS = "string.h strings.h stdlib.h inttypes.h ctype.h wchar.h arpa/inet.h libgen.h unistd.h"
# Each is needed by the source of another.
ALSO = {"strcspn": ["string/strchrnul"], "strpbrk": ["string/strcspn", "string/strchrnul"],
        "strtok_r": ["string/strspn", "string/strcspn", "string/strchrnul"],
        "strsep": ["string/strcspn", "string/strchrnul"], "strchr": ["string/strchrnul"],
        "index": ["string/strchr", "string/strchrnul"], "strcpy": ["string/stpcpy"], "strncpy": ["string/stpncpy"],
        "strcat": ["string/stpcpy"], "strrchr": ["string/memrchr"], "rindex": ["string/strrchr", "string/memrchr"],
        "inet_addr": ["network/inet_aton"],
        "inet_network": ["network/inet_addr", "network/inet_aton"]}


def prepared(musl):
    """The headers that musl's build makes."""
    if not (musl / "obj/include/bits/alltypes.h").exists():
        subprocess.run(["./configure"], cwd=musl, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        made = ["obj/include/bits/alltypes.h", "obj/include/bits/syscall.h"]
        subprocess.run(["make", *made], cwd=musl, check=True, stdout=subprocess.DEVNULL)
    folders = ["arch/x86_64", "arch/generic", "obj/src/internal", "src/include", "src/internal", "obj/include", "include"]
    # Without __GNUC__ it is plain C: byte by byte, where the other code reads words beyond the ends of objects.
    flags = ["-nostdinc", "-ffreestanding", "-std=c99", "-D_XOPEN_SOURCE=700", "-U__GNUC__"]
    return flags + [f"-I{musl / folder}" for folder in folders]


def lists(musl, wanted):
    """For each origin of tests, the functions with their files."""
    theirs, ours = [], []
    for folder, words in FUNCTIONS.items():
        for word in words.split():
            file, _, name = word.rpartition(":")
            also = [musl / "src" / f"{path}.c" for path in ALSO.get(name, [])]
            theirs.append((name, [musl / "src" / folder / f"{file or name}.c", *also]))
    for file, words in OURS.items():
        ours += [(name, [RUNTIME / file]) for name in words.split()]
    chosen = lambda functions: [one for one in functions if not wanted or one[0] in wanted]
    return chosen(theirs), chosen(ours)


def newlib_archive(newlib, work):
    """An archive of newlib's strings, characters and numbers, for this machine; and the functions that it has."""
    archive = work / "libnewlib.a"
    objects = work / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    # What its build makes.
    (objects / "newlib.h").write_text("")
    (objects / "_newlib_version.h").write_text('#define _NEWLIB_VERSION "3.3.0"\n#define __NEWLIB__ 3\n#define __NEWLIB_MINOR__ 3\n')
    # Blocks are the fixture's.
    (objects / "blocks.c").write_text("#include <stddef.h>\nvoid *malloc(size_t);\n"
                                      "void *_malloc_r(void *r, size_t size) { (void)r; return malloc(size); }\n")
    libc = newlib / "newlib/libc"
    files = [objects / "blocks.c", *libc.glob("string/*.c"), *libc.glob("ctype/*.c"), *libc.glob("locale/*.c")]
    files += [libc / f"{name}.c" for name in NEWLIB_FILES.split()]
    include = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    flags = ["-nostdinc", "-isystem", include, f"-I{objects}", f"-I{libc}/include", f"-I{libc}/stdlib", f"-I{libc}/locale"]
    flags += ["-w", "-O1", "-fno-builtin", "-D_COMPILING_NEWLIB", "-D_GNU_SOURCE"]
    made = []
    for file in files:
        made.append(objects / f"{file.parent.name}-{file.stem}.o")
        if subprocess.run(["gcc", "-c", *flags, file, "-o", made[-1]], stderr=subprocess.DEVNULL).returncode != 0:
            made.pop()
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", archive, *made], check=True)
    names = subprocess.run(["nm", "--defined-only", archive], capture_output=True, text=True, check=True).stdout
    return archive, {line.split()[2] for line in names.splitlines() if " T " in line}


def difftest(args, functions, flags, other, out):
    out.mkdir(parents=True, exist_ok=True)
    (out / "functions").write_text("".join(f"{name} {' '.join(map(str, files))}\n" for name, files in functions))
    command = [args.mneme, "difftest", "--functions", str(out / "functions"), "--from", " ".join(flags), "--out", str(out)]
    command += [word for header in HEADERS.split() for word in ("--header", header)]
    command += ["--max-time", str(args.seconds), "--max-tests", str(args.max_tests), "--format", "json"]
    command += ["gcc -D_GNU_SOURCE -D__NO_CTYPE", other, "--", "--elements", str(args.elements)]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode == 2:
        sys.exit("mneme difftest failed")
    return json.loads(done.stdout)["functions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--seconds", type=float, default=20, help="to make the tests of a function")
    parser.add_argument("--max-tests", type=int, default=60, help="of a function")
    parser.add_argument("--elements", type=int, default=8, help="of a buffer")
    parser.add_argument("--mneme", default=str(ROOT / "target/release/mneme"))
    parser.add_argument("--against", nargs="+", choices=["musl", "newlib"], default=["musl", "newlib"])
    parser.add_argument("--out", type=Path, default=ROOT / "target/difftest")
    args = parser.parse_args()
    args.out = Path(os.path.abspath(args.out))
    musl = fetch("musl").resolve()
    theirs, ours = lists(musl, args.functions)
    for library in args.against:
        out, other, known = args.out / library, "musl-gcc -D_GNU_SOURCE", None
        if library == "newlib":
            archive, known = newlib_archive(fetch("newlib").resolve(), out)
            other = f"gcc -D_GNU_SOURCE -D__NO_CTYPE {archive}"
        compared = []
        for name, functions, flags in (("musl", theirs, prepared(musl)), ("ours", ours, [f"-I{RUNTIME}", "-ffreestanding"])):
            functions = [one for one in functions if known is None or one[0] in known]
            if functions:
                compared += difftest(args, functions, flags, other, out / name)
        tell(library, compared)


def tell(library, compared):
    for one in compared:
        if one["difference"]:
            difference = one["difference"]
            print(f"{one['function']}: {difference['tests']} of {one['tests']} tests; {'; '.join(difference['input'])}")
            for name, mine, others in (("glibc", "a", "b"), (library, "b", "a")):
                lines = [line for line in difference[mine] if line not in difference[others]]
                print(f"    {name}: {'; '.join(lines)}")
            print(f"    {difference['fixtures'][0]}")
        elif one["reason"]:
            print(f"{one['function']}: left out: {one['reason']}")
    count = lambda verdict: sum(one["verdict"] == verdict for one in compared)
    tested = count("same") + count("differs")
    tests = sum(one["tests"] for one in compared)
    print(f"{library}: {tested} functions on {tests} tests: {count('differs')} differ, {count('left-out')} left out", flush=True)


if __name__ == "__main__":
    main()
