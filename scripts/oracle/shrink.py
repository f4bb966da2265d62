"""Shrinks a program with a wrong answer, as long as the answer stays wrong in the same way.

Lines are removed first, many at a time, then few; then braces with what opens them; then expressions are replaced by parts of themselves.
"""

import re

from . import check, generate
from .program import Written

SECONDS = 10


class Shrinker:
    def __init__(self, text, row, kind, mneme, say):
        self.row, self.kind, self.mneme, self.say = row, kind, mneme, say
        self.lines = text.splitlines()
        self.inputs = inputs(self.lines)
        self.tried = set()

    def holds(self, lines):
        """Is the answer still wrong in the same way? A program that reads unwritten memory does not count."""
        text = "\n".join(lines) + "\n"
        if text in self.tried or inputs(lines) != self.inputs:
            return False
        self.tried.add(text)
        result = check.check(Written(text), [self.row], self.mneme, SECONDS, strict=True)
        if result.skipped or any(finding.rule == "uninitialized-read" for run in result.runs for finding in run.findings):
            return False
        return any(kind == self.kind for run in result.runs for kind, _ in run.wrong)

    def take(self, lines):
        if not self.holds(lines):
            return False
        self.lines = lines
        self.say(f"{len(lines)} lines")
        return True

    def without_lines(self):
        """Removes runs of lines, from long ones to single ones."""
        length = len(self.lines) // 2
        while length >= 1:
            at = 1
            while at < len(self.lines):
                if not self.take(self.lines[:at] + self.lines[at + length:]):
                    at += length
            length //= 2

    def without_braces(self):
        """Removes a line that ends with an opening brace, and the one that closes it."""
        at = 1
        while at < len(self.lines):
            close = closing(self.lines, at)
            inner = close and self.lines[at + 1:close]
            if close is None or not (self.take(self.lines[:at] + self.lines[close + 1:]) or self.take(self.lines[:at] + inner + self.lines[close + 1:])):
                at += 1

    def simpler_expressions(self):
        """Replaces what is in parentheses by an operand, or by a number."""
        at = 1
        while at < len(self.lines):
            if not any(self.take(self.lines[:at] + [line] + self.lines[at + 1:]) for line in simpler(self.lines[at])):
                at += 1

    def shrink(self):
        before = None
        while before != self.lines:
            before = self.lines
            self.without_lines()
            self.without_braces()
            self.simpler_expressions()
        return "\n".join(self.lines) + "\n"


def inputs(lines):
    """The declarations of inputs, which stay."""
    return [line.strip() for line in lines if "mneme" in line or "RESULT" in line]


def closing(lines, at):
    """The line that closes the brace at the end of a line, if there is one."""
    if not lines[at].rstrip().endswith("{"):
        return None
    depth = 0
    for number in range(at, len(lines)):
        depth += lines[number].count("{") - lines[number].count("}")
        if depth <= 0:
            return number if number > at else None
    return None


def simpler(line):
    """Lines in which one expression is replaced."""
    for found in re.finditer(r"\((?!\*)([^()]*)\)", line):
        before, inner, after = line[:found.start()], found[1], line[found.end():]
        if re.search(r"\w$", before) and not before.rstrip().endswith("return"):
            continue
        parts = re.split(r"\s(?:[-+*/%^&|?:]|<<|>>|[<>]=?|[!=]=|&&|\|\|)\s", inner)
        if inner.strip() in generate.TYPES:
            yield before + after
        for part in [*parts, "0", "1"] if len(parts) > 1 else [inner, "0", "1"]:
            if part.strip() != inner.strip() or not re.search(r"\w", inner) or len(parts) == 1:
                yield before + part.strip() + after
    for found in re.finditer(r"\s(?:[-+*/%^&|]|<<|>>)\s(\w+)", line):
        yield line[:found.start()] + line[found.end():]
    for found in re.finditer(r"\b(\w+) \* \d+ \+ ", line):
        yield line[:found.start()] + line[found.end():]
