#!/usr/bin/env python3
"""`mneme check` beside `clang --analyze`: the same files, the same machine, the same number of processes.

    scripts/bench_check.py libraries [--only json-c,expat] [--mneme BIN]
    scripts/bench_check.py juliet --juliet DIR [--count 40] [--seed WORD] [--mneme BIN]

libraries: sources of Debian packages (fetched as bench_search.py does), and SQLite's amalgamation as the crate libsqlite3-sys
has it. The table says how long both take (wall clock and processor time), how many warnings each has, how many lines both warn
about, and how many warnings of each a native run confirms: Mneme's own with `--confirm`, clang's with `--confirm-sarif`.

juliet: pairs of the Juliet suite, drawn by a seed. A pair is right if the bad twin is reported by its right name and the good
twin is not; a report about a good twin by that name is a false alarm. Other weaknesses of the twins, of which Juliet says
nothing (many good twins never free their memory), do not count for either tool.
"""

import argparse
import concurrent.futures
import io
import json
import os
import pathlib
import plistlib
import resource
import subprocess
import tarfile
import tempfile
import time
import urllib.request

import bench_search
import juliet

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = "clang-19"
JOBS = os.cpu_count() or 1
# What else to compile than the drivers of bench_search say, and libraries that have no driver there.
LIBRARIES = ["json-c", "libyaml", "expat", "libosip2", "sqlite"]
# Where crates come from.
CRATE = "https://static.crates.io/crates/libsqlite3-sys/libsqlite3-sys-0.30.1.crate"
OTHERS = {
    "libosip2": {
        "PACKAGE": "libosip2",
        "SOURCES": "src/osipparser2/*.c",
        "FLAGS": "-Iinclude -DHAVE_STDARG_H -DHAVE_CTYPE_H -DHAVE_FCNTL_H -DHAVE_TIME_H -DHAVE_SYS_TIME_H -DHAVE_STRUCT_TIMEVAL",
    },
    "sqlite": {"CRATE": CRATE, "SOURCES": "sqlite3/sqlite3.c", "FLAGS": ""},
}
WEAKNESSES = [401, 415, 416, 457, 476]
# Words of clang's messages about each weakness.
NAMES = {
    401: ["leak"],
    415: ["free released memory", "double"],
    416: ["after it is freed", "free released memory"],
    457: ["uninitialized", "garbage", "undefined"],
    476: ["null pointer", "null"],
}


def analyze(file, flags, cwd, plist):
    """Clang's warnings about one file: (file, line, message)."""
    command = [CLANG, "--analyze", "-Xclang", "-analyzer-output=plist-multi-file", "-w", *flags, str(file), "-o", str(plist)]
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not plist.exists():
        return []
    report = plistlib.loads(plist.read_bytes())
    where = lambda one: os.path.normpath(os.path.join(cwd, report["files"][one["location"]["file"]]))
    return [(where(one), one["location"]["line"], one["description"]) for one in report["diagnostics"]]


def analyze_all(files, flags, cwd):
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        places = [pathlib.Path(scratch, f"{index}.plist") for index in range(len(files))]
        found = pool.map(lambda pair: analyze(pair[0], flags, cwd, pair[1]), zip(files, places))
        return sorted({warning for some in found for warning in some})


def check(mneme, files, flags, cwd, options=()):
    """Mneme's findings, and the whole document."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(mneme), "check", *map(str, files), *flags, "--format", "json", "--out", f"{scratch}/out", "--jobs", str(JOBS), *options]
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise SystemExit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")


def source_of(about):
    """The folder of a library's sources."""
    if "CRATE" not in about:
        return bench_search.fetch(about["PACKAGE"])
    name = about["CRATE"].rsplit("/", 1)[1].removesuffix(".crate")
    folder = bench_search.SOURCES / name
    if not folder.exists():
        bench_search.SOURCES.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(about["CRATE"]) as answer, tarfile.open(fileobj=io.BytesIO(answer.read())) as crate:
            crate.extractall(bench_search.SOURCES, filter="data")
    return folder


def confirmed_of_clang(options, files, flags, cwd):
    """How many of clang's warnings a native run confirms, and how many are refuted within bounds."""
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        places = [f"{scratch}/{index}.sarif" for index in range(len(files))]
        ask = lambda file, place: subprocess.run([CLANG, "--analyze", "-Xclang", "-analyzer-output=sarif", "-w", *flags, str(file), "-o", place],
                                                 cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        list(pool.map(ask, files, places))
        warned = [f"--confirm-sarif={place}" for place in places if os.path.exists(place)]
        totals = check(options.mneme, files, flags, cwd, warned)["totals"]
        return totals["confirmed"], totals["refuted"]


def timed(work):
    """What it gives, and its wall clock and processor time."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    begin, before = time.perf_counter(), used()
    result = work()
    return result, time.perf_counter() - begin, used() - before


def place(finding, cwd):
    location = finding["location"]
    return os.path.normpath(os.path.join(cwd, location["file"] or "")), location["line"]


def libraries(options):
    print("| library | files | functions | clang: s (CPU) | mneme: s (CPU) | CPU ratio | clang's warnings | confirmed | refuted | mneme's | confirmed | on the same line | complete functions |")
    print("| --- |" + " ---: |" * 12)
    for name in LIBRARIES:
        if options.only and name not in options.only.split(","):
            continue
        driver = bench_search.DRIVERS / f"{name}.c"
        about = bench_search.directives(driver) if driver.exists() else OTHERS[name]
        try:
            source = source_of(about)
        except (subprocess.CalledProcessError, IndexError, OSError):
            print(f"| {name} | its sources cannot be fetched |")
            continue
        files = [path for pattern in about["SOURCES"].split() for path in sorted(source.glob(pattern))]
        flags = [*bench_search.flags(about)]
        theirs, clang_wall, clang_cpu = timed(lambda: analyze_all(files, flags, source))
        ours, wall, cpu = timed(lambda: check(options.mneme, files, flags, source))
        confirmed = check(options.mneme, files, flags, source, ["--confirm"])["confirmations"] or {}
        theirs_confirmed, refuted = confirmed_of_clang(options, files, flags, source) if theirs else (0, 0)
        lines = {(file, line) for file, line, _ in theirs}
        common = sum(place(finding, source) in lines for finding in ours["findings"])
        functions = ours["functions"]
        print(f"| {name} | {len(files)} | {len(functions)} | {clang_wall:.1f} ({clang_cpu:.1f}) | {wall:.1f} ({cpu:.1f}) "
              f"| {cpu / max(clang_cpu, 0.01):.1f} | {len(theirs)} | {theirs_confirmed} | {refuted} | {len(ours['findings'])} | {confirmed.get('confirmed', 0)} | {common} "
              f"| {sum(function['exact'] for function in functions)} |", flush=True)
        if options.verbose:
            for file, line, message in theirs:
                print(f"    clang: {os.path.relpath(file, source)}:{line}: {message}")
            for finding in ours["findings"]:
                location = finding["location"]
                print(f"    mneme: {location['file']}:{location['line']}: {finding['rule']}: {finding['message']} ({finding['assumption']})")


def twin(options, case, which):
    """Whether each tool reports the twin by its right name, and at all."""
    support = options.juliet / "testcasesupport"
    flags = [f"-I{support}", "-DINCLUDEMAIN", "-DOMITGOOD" if which == "bad" else "-DOMITBAD"]
    files = {os.path.realpath(file) for file in case.files}
    with tempfile.TemporaryDirectory() as scratch:
        theirs = [one for file in case.files for one in analyze(file, flags, ROOT, pathlib.Path(scratch, file.name))]
    ours = check(options.mneme, [*case.files, support / "io.c"], flags, ROOT, ["--jobs", "1"])
    # A finding in a function of the suite that the twin has called is the twin's.
    frames = lambda finding: [finding["location"], *(frame["location"] for frame in finding["stack"])]
    own = lambda location: location["file"] and os.path.realpath(os.path.join(ROOT, location["file"])) in files
    ours = [finding for finding in ours["findings"] if any(map(own, frames(finding)))]
    named = lambda message: any(word in message.lower() for word in NAMES[case.weakness])
    rules = juliet.WEAKNESSES[case.weakness][1]
    return {
        "clang": any(named(message) for *_, message in theirs),
        "mneme": any(finding["rule"] in rules for finding in ours),
        "which": (case, which),
    }


def pairs(options):
    every = [case for case in juliet.cases(options.juliet, "any") if case.weakness in WEAKNESSES]
    chosen = [case for case in juliet.sample(every, options.count, options.seed) if case.weakness in WEAKNESSES]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        seen = list(pool.map(lambda task: twin(options, *task), [(case, which) for case in chosen for which in ("bad", "good")]))
    print("| weakness | pairs | clang: right | bad found | false alarms | mneme: right | bad found | false alarms |")
    print("| --- |" + " ---: |" * 7)
    totals = [0] * 7
    for weakness in WEAKNESSES:
        of = [one for one in seen if one["which"][0].weakness == weakness]
        bad = [one for one in of if one["which"][1] == "bad"]
        good = [one for one in of if one["which"][1] == "good"]
        row = [len(bad)]
        for tool in ("clang", "mneme"):
            row.append(sum(b[tool] and not g[tool] for b, g in zip(bad, good)))
            row.append(sum(b[tool] for b in bad))
            row.append(sum(g[tool] for g in good))
        totals = [total + cell for total, cell in zip(totals, row)]
        print(f"| CWE {weakness} | " + " | ".join(map(str, row)) + " |")
        if options.verbose:
            for b, g in zip(bad, good):
                if not b["mneme"] or g["mneme"]:
                    print(f"    {b['which'][0].name}: mneme {b['mneme']} {g['mneme']}, clang {b['clang']} {g['clang']}")
    print("| all | " + " | ".join(map(str, totals)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["libraries", "juliet"])
    parser.add_argument("--only")
    parser.add_argument("--juliet", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", default="check")
    parser.add_argument("--mneme", type=pathlib.Path, default=ROOT / "target" / "release" / "mneme")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    libraries(options) if options.what == "libraries" else pairs(options)


if __name__ == "__main__":
    main()
