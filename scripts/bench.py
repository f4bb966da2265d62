#!/usr/bin/env python3
"""Speed of mneme: concrete code against native code, and the papers' programs.

The first table runs benches/throughput natively (clang -O0) and under mneme, both at ten times the usual size, so that
the clock can see the native run, and prints the seconds and their ratio. The second runs every RUN line of
tests/c/papers that is not pending and prints time, paths and the queries that reached the backend.
`make bench` builds mneme and calls this. Slow machines make large numbers, never a failure.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

CLANG = "clang-19"
ROOT = pathlib.Path(__file__).resolve().parent.parent
# The parameter that decides how long each program runs, with its value for about 50 million instructions.
SIZES = {
    "arith": ("OUTER", 1200),
    "list_churn": ("ROUNDS", 50000),
    "malloc_churn": ("ROUNDS", 500000),
    "sieve": ("ROUNDS", 16),
    "strcpy_4096": ("REPEAT", 1000),
}


def cpu_of(process):
    """CPU seconds that a running process has taken so far."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(process, seconds, cpu):
    """Waits for a process, and interrupts it once it has taken so many CPU seconds. Was it interrupted?"""
    deadline = time.monotonic() + seconds
    while True:
        try:
            process.wait(timeout=0.2 if cpu else seconds)
            return False
        except subprocess.TimeoutExpired:
            if cpu and cpu_of(process) > cpu:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=60)
                return True
            if time.monotonic() > deadline:
                raise


def explore(mneme, program, options, model, seconds, args=(), cpu=None):
    """The statistics of one run, with the CPU seconds of its process as `cpu_s`; None if there are none.

    With `cpu`, it is interrupted after so many CPU seconds, and `cut` says whether it was.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(mneme), "run", str(program), *options, "--out", f"{scratch}/out"]
        command += ["--model", model] if model else []
        command += [] if any(option.startswith("--max-time") for option in options) else ["--max-time", str(seconds)]
        command += ["--", *args] if args else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                try:
                    cut = wait_for(process, seconds + 60, cpu)
                except BaseException:
                    process.kill()
                    raise
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            stats = json.loads(pathlib.Path(scratch, "out", "stats.json").read_text())
            stats["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            stats["cut"] = cut
            return stats
        except (subprocess.TimeoutExpired, OSError, ValueError):
            return None


def native(program, define, runs):
    """Median seconds of the program compiled with clang -O0."""
    with tempfile.TemporaryDirectory() as scratch:
        binary = f"{scratch}/native"
        subprocess.run([CLANG, "-O0", "-w", define, str(program), "-o", binary], check=True)
        times = []
        for _ in range(runs):
            started = time.perf_counter()
            subprocess.run([binary], stdin=subprocess.DEVNULL)
            times.append(time.perf_counter() - started)
        return statistics.median(times)


def throughput(options):
    print(f"Concrete code at {options.scale} times the usual size: seconds\n")
    print(f"{'program':14} {'native':>9} {'mneme':>9} {'ratio':>8} {'instructions':>13} {'M instr/s':>10}")
    ratios = []
    for program in sorted((ROOT / "benches/throughput").glob("*.c")):
        if options.filter not in program.stem:
            continue
        macro, size = SIZES[program.stem]
        define = f"-D{macro}={size * options.scale}"
        base = native(program, define, options.runs)
        every = [explore(options.mneme, program, [define], options.model, 300) for _ in range(options.runs)]
        every = [stats for stats in every if stats and stats["paths"]["completed"] == 1]
        if not every:
            print(f"{program.stem:14} {base:9.4f} {'failed':>9}")
            continue
        seconds = statistics.median(stats["time"]["explore_s"] for stats in every)
        instructions = every[0]["instructions"]
        ratios.append(seconds / base)
        print(f"{program.stem:14} {base:9.4f} {seconds:9.3f} {seconds / base:7.0f}x {instructions:13} "
              f"{instructions / seconds / 1e6 if seconds else 0:10.1f}", flush=True)
    if ratios:
        print(f"\ngeometric mean of the ratios: {statistics.geometric_mean(ratios):.0f}x")


def runs_of(program):
    """Options and arguments of each RUN line, and whether its plain scope is pending."""
    text = program.read_text()
    pending = re.findall(r"// PENDING(?:\[([^\]]*)\])?:", text)
    for number, line in enumerate(re.findall(r"^// RUN:(.*)$", text, re.M) or [""], 1):
        words = shlex.split(line)
        tags = [word[1:] for word in words if word.startswith("#")] + [str(number)]
        words = [word for word in words if not word.startswith("#")]
        at = words.index("--") if "--" in words else len(words)
        waits = any(scope == "" or scope in tags for scope in pending)
        yield words[:at], words[at + 1:], waits


def papers(options):
    print(f"\nThe papers' programs, {options.model or 'default model'}, at most {options.max_time} s each\n")
    print(f"{'program':30} {'options':38} {'seconds':>8} {'done':>6} {'faults':>6} {'asked':>7} {'backend':>7}")
    for program in sorted((ROOT / "tests/c/papers").glob("*.c")):
        if options.filter not in program.stem:
            continue
        for words, args, waits in runs_of(program):
            if waits:
                continue
            stats = explore(options.mneme, program, words, options.model, options.max_time, args)
            label = f"{program.stem:30} {' '.join(words):38}"
            if stats is None:
                print(f"{label} {'failed':>8}")
                continue
            paths, queries = stats["paths"], stats["queries"]
            stopped = f"  {paths['stopped']} stopped" if paths["stopped"] else ""
            print(f"{label} {stats['time']['explore_s']:8.2f} {paths['completed']:6} {paths['faulted']:6} "
                  f"{queries['asked']:7} {queries['backend']:7}{stopped}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("--only", choices=["throughput", "papers"], help="one of the two tables")
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    parser.add_argument("--model", help="memory model, unless the default")
    parser.add_argument("--scale", type=int, default=10, help="size of the programs of the first table")
    parser.add_argument("--runs", type=int, default=3, help="repetitions of the first table (the median counts)")
    parser.add_argument("--max-time", type=int, default=60, help="seconds for each run of the second table")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"bench: there is no {options.mneme}; run make build")
    options.mneme = options.mneme.resolve()
    if options.only != "papers":
        throughput(options)
    if options.only != "throughput":
        papers(options)


if __name__ == "__main__":
    main()
