"""Settings of mneme, as a covering array: any two values of two options occur together in one of its rows."""

import functools
import itertools
import platform
import random

# The value of an option that is left out, for example because it has no meaning for a model.
ABSENT = "-"

VALUES = {
    "model": ["objects", "planes", "planes-naive", "regions", "heaplets"],
    "resolve": ["auto", "fork", "merge", "static-segments", "dynamic-segments", ABSENT],
    "split": ["none", "8", "256", "auto", ABSENT],
    "sizes": ["symbolic", "eager", "max"],
    "merge": ["auto", "tree", "loops", "none", "patterns"],
    "loops": ["classic", "compact"],
    "tables": ["on", "off"],
    "check": [ABSENT, "overflow", "subobjects", "overflow,subobjects"],
    # Native runs of 32 bits need a machine that has them.
    "width": ["64", "32"] if platform.machine() == "x86_64" else ["64"],
}
NAMES = list(VALUES)
# Handlers that leave nothing out, or say so; most programs have none.
HANDLERS = {
    2: "--handler fork-objects", 5: "--handler fork-address", 8: "--handler constant,ite",
    9: "--handler range-check,fork-objects --concrete-handler pass", 11: "--handler heap-check --concrete-handler heap-check",
}
# How many candidates are made for the next row; the best is taken.
CANDIDATES = 60


def valid(row):
    """Only `objects` has policies and pieces."""
    objects = row["model"] == "objects"
    return (row["resolve"] != ABSENT) == objects and (row["split"] != ABSENT) == objects


def pairs(row):
    return set(itertools.combinations(row.items(), 2))


def wanted():
    """All pairs that some valid row has."""
    found = set()
    for one, other in itertools.combinations(NAMES, 2):
        for pair in itertools.product(VALUES[one], VALUES[other]):
            if any(valid(row) for row in completions({one: pair[0], other: pair[1]})):
                found.add(((one, pair[0]), (other, pair[1])))
    return found


def completions(part):
    """Rows with these values that differ in what decides validity."""
    plain = {name: values[0] for name, values in VALUES.items()}
    free = [name for name in ("model", "resolve", "split") if name not in part]
    for choice in itertools.product(*(VALUES[name] for name in free)):
        row = {**plain, **part, **dict(zip(free, choice))}
        yield {name: row[name] for name in NAMES}


@functools.cache
def covering():
    """The rows, grouped by width: chosen greedily and deterministically."""
    rng, missing, rows = random.Random(0), wanted(), []
    while missing:
        pair = min(missing)
        candidates = [candidate(rng, dict(pair)) for _ in range(CANDIDATES)]
        best = max(candidates, key=lambda row: len(pairs(row) & missing))
        missing -= pairs(best)
        rows.append(best)
    return sorted(rows, key=lambda row: row["width"], reverse=True)


def candidate(rng, part):
    while True:
        row = {name: part.get(name) or rng.choice(values) for name, values in VALUES.items()}
        if valid(row):
            return row


def options(row):
    """The words for the command line."""
    words = ["--model", row["model"], "--sizes", row["sizes"], "--merge", row["merge"], "--loops", row["loops"],
             "--tables", row["tables"]]
    if row["resolve"] != ABSENT:
        words += ["--resolve", row["resolve"]]
    if row["split"] == "8":
        # Small objects, too.
        words += ["--split", "8", "--split-above", "8"]
    elif row["split"] not in (ABSENT, "none"):
        words += ["--split", row["split"], "--split-above", "64"]
    if row["check"] != ABSENT:
        words += ["--check", row["check"]]
    words += ["--solve-sides", row["sides"]] if "sides" in row else []
    words += (row.get("handler") or "").split()
    return words + ["--m32"] * (row["width"] == "32")


def checks(row):
    """The additional checks that mneme is asked for."""
    return row["check"].split(",") if row["check"] != ABSENT else []


def with_subobjects(row):
    """The same settings, with a check for indices that leave a member."""
    return row if "subobjects" in row["check"] else {**row, "check": "subobjects"}


def rows_of(seed, count):
    """The rows of a program, all of one width, so that it is run natively only once. Over the seeds every row has its turn, and a larger
    number of rows includes those of a smaller one."""
    rows = covering()
    halves = [[row for row in rows if row["width"] == width] for width in VALUES["width"]]
    half = halves[seed % len(halves)]
    rows = [half[(seed // len(halves) + number * 5) % len(half)] for number in range(min(count, len(half)))]
    # Not part of the array: they must not matter.
    others = {"sides": "lazy" if seed // 2 % 3 == 1 else "mixed", "handler": HANDLERS.get(seed // 2 % 12)}
    return [{**row, **others} for row in rows]


def named(row):
    return " ".join(options(row))
