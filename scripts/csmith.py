#!/usr/bin/env python3
"""Runs random programs of csmith concretely under mneme and compares what they print with native runs.

Programs come from fixed seeds and csmith's default options. One that does not end natively within some seconds does not count.
Under mneme it is

  equal    it printed the same checksum and ended with the same exit value
  slow     it did not end in time
  stop     mneme says that it could not go on, and why
  differs  anything else: another checksum, a finding, a panic

The script ends with 1 if any program differs or stops, and with 1 if more than 2 % are slow. Programs are kept where they differ.
`make csmith N=500` installs csmith, builds mneme and calls this.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

CLANG = "clang-19"
INCLUDE = "/usr/include/csmith"
NATIVE_SECONDS = 5
MNEME_SECONDS = 60
GRACE_SECONDS = 30


def generate(seed, path):
    """Writes the program of a seed; false if csmith gives up on it."""
    try:
        run = subprocess.run(["csmith", "--seed", str(seed), "--output", str(path)], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, timeout=60, cwd=path.parent)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def run_native(path, flags):
    """Output and exit value, or None if it does not compile or does not end."""
    binary = path.with_suffix(".native")
    command = [CLANG, "-O0", "-w", f"-I{INCLUDE}", *flags, str(path), "-o", str(binary)]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        return None
    try:
        run = subprocess.run([str(binary)], stdin=subprocess.DEVNULL, capture_output=True, timeout=NATIVE_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return run.stdout, run.returncode


def run_mneme(mneme, path, flags, native):
    """Class and reason of one program."""
    out = path.with_suffix(".out")
    command = [str(mneme), "run", str(path), "-I", INCLUDE, "--out", str(out), "--max-time", str(MNEME_SECONDS),
               "--program-output", *flags]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=MNEME_SECONDS + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        return "slow", "mneme does not end"
    stdout, stderr = run.stdout, run.stderr.decode(errors="replace")
    if "panicked at" in stderr or run.returncode < 0 or run.returncode == 2:
        return "differs", stderr.strip().split("\n")[-1][:160]
    reason = stdout.decode(errors="replace").strip().split("\n")[-1]
    # Arguments are meant to be concrete here.
    concrete = run.returncode == 3 and all("stayed concrete" in one for one in reason.split("; "))
    if run.returncode == 3 and not concrete:
        return ("slow" if "time" in reason else "stop"), reason
    if (run.returncode == 0 or concrete) and native[1] == 0 and stdout.startswith(native[0]):
        return "equal", ""
    text = stdout.decode(errors="replace").strip().split("\n")
    findings = [line for line in text if line.startswith("error[")]
    return "differs", (findings or text or ["nothing printed"])[0][:160]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mneme", default="target/release/mneme", type=pathlib.Path, help="the binary")
    parser.add_argument("-n", type=int, default=500, help="programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--opt", choices=["O0", "O1", "O2", "O3", "Os"], help="compile so for mneme")
    parser.add_argument("--m32", action="store_true", help="compile for 32 bits")
    parser.add_argument("--model", help="memory model, unless the default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="programs at a time")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("csmith-differs"),
                        help="where programs go that differ")
    options = parser.parse_args()
    if not options.mneme.exists():
        sys.exit(f"csmith: there is no {options.mneme}; run make build")
    mneme = options.mneme.resolve()
    flags = ["--m32"] * options.m32 + ([f"--cflags=-{options.opt} -w"] if options.opt else ["--clang-flag=-w"])
    flags += ["--model", options.model] if options.model else []

    def one(seed):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / f"seed{seed}.c"
            native = run_native(path, ["-m32"] * options.m32) if generate(seed, path) else None
            if native is None:
                return seed, "skipped", ""
            kind, reason = run_mneme(mneme, path, flags, native)
            if kind == "differs":
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / path.name).write_bytes(path.read_bytes())
            return seed, kind, reason

    kinds = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, kind, reason in pool.map(one, range(options.seed, options.seed + options.n)):
            kinds[kind] += 1
            if kind not in ("equal", "skipped"):
                print(f"{kind}: seed {seed}: {reason}", flush=True)
            if sum(kinds.values()) % 100 == 0:
                print(f"csmith: {sum(kinds.values())} of {options.n}", flush=True)
    ran = sum(kinds.values()) - kinds["skipped"]
    print(f"\n{kinds['equal']} of {ran} equal ({100 * kinds['equal'] / max(ran, 1):.1f} %), {kinds['slow']} slow, "
          f"{kinds['stop']} stopped, {kinds['differs']} differ; {kinds['skipped']} do not end natively")
    return 1 if kinds["differs"] or kinds["stop"] or kinds["slow"] > ran * 0.02 else 0


if __name__ == "__main__":
    sys.exit(main())
