#!/usr/bin/env python3
"""Functions of musl against glibc (symMMU, section 5.7): tests from musl's sources, replayed with both libraries.

musl's source package is fetched from Debian; `musl-gcc` (musl-tools) and `gcc` build the fixtures. Each function that
differs is listed with an input, both outputs and its fixture; the table at the end counts as Table 6 of the paper does.

    scripts/difftest.py [FUNCTION...] [--seconds 20] [--max-tests 60] [--mneme BIN] [--out DIR]
"""

import argparse
import json
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


def difftest(args, functions, flags, out):
    out.mkdir(parents=True, exist_ok=True)
    (out / "functions").write_text("".join(f"{name} {' '.join(map(str, files))}\n" for name, files in functions))
    command = [args.mneme, "difftest", "--functions", str(out / "functions"), "--from", " ".join(flags), "--out", str(out)]
    command += [word for header in HEADERS.split() for word in ("--header", header)]
    command += ["--max-time", str(args.seconds), "--max-tests", str(args.max_tests), "--format", "json"]
    command += ["gcc -D_GNU_SOURCE", "musl-gcc -D_GNU_SOURCE", "--", "--elements", str(args.elements)]
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
    parser.add_argument("--musl", type=Path, help="its source, if it is there already")
    parser.add_argument("--out", type=Path, default=ROOT / "target/difftest")
    args = parser.parse_args()
    musl = (args.musl or fetch("musl")).resolve()
    theirs, ours = lists(musl, args.functions)
    compared = []
    if theirs:
        compared += difftest(args, theirs, prepared(musl), args.out / "musl")
    if ours:
        compared += difftest(args, ours, [f"-I{RUNTIME}", "-ffreestanding"], args.out / "ours")
    for one in compared:
        if one["difference"]:
            difference = one["difference"]
            print(f"{one['function']}: {difference['tests']} of {one['tests']} tests; {'; '.join(difference['input'])}")
            for name, mine, others in (("glibc", "a", "b"), ("musl", "b", "a")):
                lines = [line for line in difference[mine] if line not in difference[others]]
                print(f"    {name}: {'; '.join(lines)}")
            print(f"    {difference['fixtures'][0]}")
        elif one["reason"]:
            print(f"{one['function']}: left out: {one['reason']}")
    count = lambda verdict: sum(one["verdict"] == verdict for one in compared)
    tested = count("same") + count("differs")
    tests = sum(one["tests"] for one in compared)
    print(f"{tested} functions on {tests} tests: {count('differs')} differ, {count('left-out')} left out")


if __name__ == "__main__":
    main()
