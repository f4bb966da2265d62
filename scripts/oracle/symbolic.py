"""What mneme reports on a program: findings, exit codes, tests, and whether it has explored everything."""

import collections
import json
import pathlib
import struct
import subprocess

GRACE_SECONDS = 15

Finding = collections.namedtuple("Finding", "rule line")
# One test: the bytes of its inputs by name, and what is predicted for it, a `Finding` or an exit code.
Test = collections.namedtuple("Test", "name inputs predicted")


class Answer:
    """What one run says; `broken` says what is wrong with the run itself."""

    def __init__(self):
        self.broken = None
        self.findings = set()
        self.codes = set()
        self.tests = []
        self.exact = False
        self.reasons = []


def run(mneme, source, options, seconds, out):
    answer = Answer()
    command = [str(mneme), "run", source.name, "--out", str(out), "--max-time", str(seconds), "--format", "json", "--clang-flag=-w", *options]
    try:
        done = subprocess.run(command, cwd=source.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        answer.broken = "mneme does not end"
        return answer
    if "panicked at" in done.stderr or done.returncode not in (0, 1, 3):
        last = [line for line in done.stderr.strip().splitlines() if line.strip()] or [""]
        told = next((line for line in last if "panicked at" in line), last[-1])
        answer.broken = f"mneme ends with {done.returncode}: {told[:200]}"
        return answer
    document = json.loads(done.stdout)
    stats = document["stats"]
    answer.findings = {Finding(found["rule"], found["location"]["line"]) for found in document["findings"]}
    answer.codes = {int(code) for code in stats["exit_values"]}
    answer.exact, answer.reasons = stats["exact"], sorted(stats["exact_reasons"])
    answer.tests = list(tests(out))
    if done.returncode != (1 if answer.findings else 0 if answer.exact else 3):
        answer.broken = f"mneme ends with {done.returncode}, which does not fit what it found"
    return answer


def tests(out):
    """The tests of a run, and what is predicted for them; there is no file if no path has ended. Nothing is for a path that was left unfinished."""
    file = out / "tests.jsonl"
    for line in file.read_text().splitlines() if file.exists() else []:
        told = json.loads(line)
        if told.get("unfinished"):
            continue
        finding = told.get("finding")
        predicted = Finding(finding["rule"], finding["line"]) if finding else told.get("exit_code")
        yield Test(told["test"], ktest(pathlib.Path(out) / told["test"]), predicted)


def ktest(path):
    """The inputs of a test in KLEE's format, in their order."""
    data, at = path.read_bytes(), 0

    def number():
        nonlocal at
        at += 4
        return struct.unpack_from(">I", data, at - 4)[0]

    def text():
        nonlocal at
        length = number()
        at += length
        return data[at - length:at]

    at = 5
    version = number()
    for _ in range(number()):
        text()
    at += 8 if version >= 2 else 0
    return [(text().decode(), text()) for _ in range(number())]
