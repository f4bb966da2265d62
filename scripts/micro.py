#!/usr/bin/env python3
"""Instructions per operation of each layer of mneme, counted by callgrind.

Runs every benchmark of benches/micro under valgrind and prints a table; --write FILE also keeps it. The counts do not
depend on how busy the machine is, so that the file in the repository (benches/micro/counts.txt) shows a regression as a diff.
They do depend on the compiler. `make micro` builds the benchmarks and calls this.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile


def count(binary, name):
    """Instructions of one operation."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "callgrind")
        run = subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=measured",
                              f"--callgrind-out-file={out}", binary, name],
                             check=True, capture_output=True, text=True)
        total = int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M).group(1))
        operations = int(re.search(r" (\d+) operations", run.stdout).group(1))
        size = re.search(r"and (\d+) bytes", run.stdout).group(1)
        return total / operations, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--micro", required=True, help="the binary of benches/micro")
    parser.add_argument("--write", type=pathlib.Path, help="keep the table here")
    options = parser.parse_args()
    names = subprocess.run([options.micro], check=True, capture_output=True, text=True).stdout.split()
    lines = [f"{'operation':26} {'instructions':>12} {'bytes':>8}"]
    for name in names:
        instructions, size = count(options.micro, name)
        lines.append(f"{name:26} {instructions:12.0f} {size:>8}")
        print(lines[-1], flush=True)
    if options.write:
        options.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
