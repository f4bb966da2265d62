"""Compares what mneme reports on a program with what happens natively."""

from .symbolic import Finding

# Accesses after which everything depends on what lies there: outside its own object a pointer may hit anything.
INVALID = {"bounds", "stale", "stale-return", "stale-scope", "wild", "null"}
KINDS = {
    "out-of-bounds-read": INVALID | {"overlap"},
    "out-of-bounds-write": INVALID | {"overlap"},
    "overlapping-copy": {"overlap"},
    "null-dereference": {"null"},
    # There is no object before a null pointer, either.
    "wild-dereference": {"null", "wild"},
    "use-after-free": {"stale"},
    "use-after-return": {"stale-return"},
    "use-after-scope": {"stale-scope"},
    "double-free": {"double-free"},
    "invalid-free": {"invalid-free", "wild"},
    "write-to-constant": {"wild"},
    "division-by-zero": {"division"},
    "invalid-shift": {"shift"},
    "signed-overflow": {"overflow", "division"},
    "subobject-overrun": {"index"},
    "invalid-conversion": {"conversion"},
    "assertion-failure": {"assertion"},
    "invalid-call": {"null", "wild"},
    "stack-exhaustion": {"stack"},
    "unreachable": {"unreachable"},
}
SIDES = {"out-of-bounds-read": "read", "out-of-bounds-write": "write"}


def fits(finding, outcome):
    """Does mneme's finding describe this outcome of an input?"""
    if outcome.kind == "jump":
        return finding.rule == "invalid-call"
    if outcome.line != finding.line:
        return False
    if finding.rule == "use-after-free" and outcome.freed and outcome.kind == "bounds":
        # Both at once: the object is no longer there, and the access would be outside it.
        return True
    if outcome.kind not in KINDS.get(finding.rule, ()):
        return False
    side = SIDES.get(finding.rule)
    # A library function both reads and writes, and may be reported for either.
    return side is None or outcome.access in (side, None) or outcome.library


def covers(finding, outcome):
    """Does this finding account for an outcome? A pointer to a dead object that also leaves it may meet another block: the
    native run then reports that one."""
    beside = finding.rule.startswith("use-after-") and outcome.kind == "bounds" and outcome.line == finding.line
    return beside or fits(finding, outcome)


def is_finding(outcome):
    return outcome.kind != "exit"


def unknown(outcomes):
    """Why nothing can be compared, if so."""
    for outcome in outcomes.values():
        if outcome.kind in ("hang", "unknown") or outcome.kind not in ("exit", "excluded", "jump") and not outcome.line:
            return f"{outcome.kind}: {outcome.code}"
    return None


def told(outcome):
    return f"exit {outcome.code}" if outcome.kind == "exit" else f"{outcome.kind} on line {outcome.line} ({outcome.access or outcome.code})"


def named(finding):
    return f"{finding.rule} on line {finding.line}" if isinstance(finding, Finding) else f"exit {finding}"


def differences(program, outcomes, answer):
    """Everything that is wrong with an answer, each as a class and a sentence."""
    if answer.broken:
        return [("broken", answer.broken)]
    wrong = list(wrong_tests(program, outcomes, answer))
    ends = set(outcomes.values())
    for finding in sorted(answer.findings):
        if not any(fits(finding, outcome) for outcome in ends):
            wrong.append(("false " + finding.rule, f"no input shows {named(finding)}"))
    for code in sorted(answer.codes - {outcome.code for outcome in ends if outcome.kind == "exit"}):
        wrong.append(("false exit", f"no input ends with exit {code}"))
    if answer.exact:
        wrong += missed(program, ends, answer)
    return wrong


def wrong_tests(program, outcomes, answer):
    """Tests whose inputs do something other than predicted."""
    for test in answer.tests:
        values = program.values(test.inputs)
        real = outcomes.get(values)
        if real is None:
            yield "excluded test", f"{test.name} has inputs that the program excludes: {values}"
        elif isinstance(test.predicted, Finding):
            if not fits(test.predicted, real):
                yield f"{test.predicted.rule} for {real.kind}", f"{test.name} predicts {named(test.predicted)}, but {values} gives {told(real)}"
        elif (real.kind, real.code) != ("exit", test.predicted):
            yield f"exit for {real.kind}", f"{test.name} predicts {named(test.predicted)}, but {values} gives {told(real)}"


def missed(program, ends, answer):
    """What is missing from an answer that claims to be complete. Exit codes are compared by the classes that the program's last decisions distinguish."""
    for outcome in sorted(ends, key=str):
        if is_finding(outcome):
            if not any(covers(finding, outcome) for finding in answer.findings):
                yield f"missed {outcome.kind}", f"all paths are explored, but not {told(outcome)}"
    classes = {program.class_of(code) for code in answer.codes}
    lost = {program.class_of(outcome.code) for outcome in ends if outcome.kind == "exit"} - classes
    for one in sorted(lost):
        yield "missed exit", f"all paths are explored, but none ends with an exit code of class {one}"
