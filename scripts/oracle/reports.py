"""What the sanitizers report on one run.

A run ends with an exit code or with an error. Before that there may be *remarks*: undefined behaviour after which the machine continues,
and which mneme checks only if asked to.
"""

import collections
import re

# The outcome of one input: `kind` is exit, excluded, hang, unknown, or that of an error; `library`: it was seen in a library function;
# `freed`: the object nearest to it is no longer there; `remarks`: pairs of a kind and a line, in their order.
Outcome = collections.namedtuple("Outcome", "kind code access line library freed remarks", defaults=(None, None, None, False, False, ()))

UNDEFINED = re.compile(r".*?:(\d+):\d+: runtime error: (.*)")
# The messages of UndefinedBehaviorSanitizer, and their names here.
WORDS = {
    "out of bounds for type": "index",
    "division by zero": "division",
    "division of": "division",
    "shift exponent": "shift",
    "left shift of": "overflow",
    "signed integer overflow": "overflow",
    "negation of": "overflow",
    "is outside the range of representable values": "conversion",
    "unreachable": "unreachable",
    "assertion fails": "assertion",
}
# Which remarks are errors with which `--check`.
CHECKS = {"overflow": "overflow", "subobjects": "index"}
# Such a program may change what lies beside an array, pointers included: anything may happen then.
SUBOBJECT = "an index leaves its array, but no access its object"


def seen(outcome, checks):
    """The outcome if certain remarks are checked, too."""
    wanted = {CHECKS[check] for check in checks}
    for kind, line in outcome.remarks:
        if kind in wanted:
            return Outcome(kind, line=line)
    if any(kind == "index" and line != outcome.line for kind, line in outcome.remarks):
        return Outcome("unknown", code=SUBOBJECT)
    return outcome._replace(remarks=())


def outcome(told, status, stack):
    """The outcome, from the lines of a run and the way it ended. `stack` gives the places of the first stack in some lines."""
    remarks = []
    for number, line in enumerate(told):
        if line == "@excluded":
            return Outcome("excluded")
        if found := UNDEFINED.match(line):
            kind = next((kind for word, kind in WORDS.items() if word in found[2]), "unknown")
            if kind not in CHECKS.values():
                return Outcome(kind, code=found[2], line=int(found[1]), remarks=tuple(remarks))
            remarks.append((kind, int(found[1])))
        if "ERROR: AddressSanitizer: " in line:
            return address(told[number:], stack(told[number:]))._replace(remarks=tuple(remarks))
    if status[0] == "exit":
        return Outcome("exit", code=int(status[1]), remarks=tuple(remarks))
    return Outcome("hang" if status[1] == "14" else "unknown", code=" ".join(status), remarks=tuple(remarks))


def address(told, stack):
    """The report of AddressSanitizer, at the innermost place in the program."""
    if any("pc points to the zero page" in line for line in told):
        # The call that led there is not on the stack.
        return Outcome("jump", code="a call of null")
    text = told[0].split("ERROR: AddressSanitizer: ")[1]
    accesses = [line for line in told[1:4] if line.startswith(("READ of size", "WRITE of size")) or "caused by a" in line]
    access = ("write" if "WRITE" in accesses[0] else "read") if accesses else None
    place = next((number for number, (file, _) in enumerate(stack) if file.endswith("program.c")), None)
    line = stack[place][1] if place is not None else None
    return Outcome(address_kind(text), code=text.split(" on ")[0], access=access, line=line, library=place != 0,
                   freed=any(line.startswith("freed by thread") for line in told))


def address_kind(text):
    name = re.split(r"[ :]", text)[0]
    if name.endswith(("-overflow", "-underflow")) and name != "stack-overflow" or name in ("negative-size-param", "unknown-crash"):
        return "bounds"
    if name == "SEGV":
        where = re.search(r"address 0x([0-9a-f]+)", text)
        # The first page, or the last: a field before a null pointer.
        near = where and (int(where[1], 16) < 4096 or int(where[1], 16) in range((1 << 32) - 4096, 1 << 32))
        return "null" if near else "wild"
    if text.startswith("attempting double-free"):
        return "double-free"
    if text.startswith("attempting free") or name in ("bad-free", "alloc-dealloc-mismatch"):
        return "invalid-free"
    known = {
        "heap-use-after-free": "stale", "stack-use-after-return": "stale-return", "stack-use-after-scope": "stale-scope",
        "stack-overflow": "stack", "FPE": "division", "memcpy-param-overlap": "overlap", "strcpy-param-overlap": "overlap",
        "strncpy-param-overlap": "overlap", "strcat-param-overlap": "overlap", "strncat-param-overlap": "overlap",
    }
    return known.get(name, "unknown")
