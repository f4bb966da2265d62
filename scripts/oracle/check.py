"""One program, natively and under several settings of mneme."""

import pathlib
import shutil
import tempfile

from . import compare, native, reports, settings, symbolic


# The exit code of an input that has none: it is excluded, or an error comes first.
NONE = 255
# Lets mneme compare the exit codes of all inputs of a path, not only of the one that becomes its test.
EXPECTED = """static const unsigned char expected[] = {{{codes}}};
static int result(int code, unsigned input) {{
  mneme_assert(expected[input] == code);
  return code;
}}
#define RESULT(code) result(code, {number})
"""


class Run:
    """The result of one run of mneme: what is wrong with it, as pairs of a class and a sentence, and why it is incomplete."""

    def __init__(self, row, answer, wrong):
        self.row, self.wrong = row, wrong
        self.reasons = [] if answer.exact else answer.reasons
        self.findings = answer.findings

    def late(self):
        return any(reason.startswith("limit:") for reason in self.reasons)

    def asked_for(self):
        """Is it incomplete because its settings are? `--sizes max` explores one size only, and `--tables off` does not decide between few constants."""
        brought = {"a symbolic size was given its greatest value"} if self.row["sizes"] == "max" else set()
        brought |= {"a symbolic value or an address had to be one number"} if self.row["tables"] == "off" else set()
        return bool(self.reasons) and set(self.reasons) <= brought


class Result:
    """The result for one program; `skipped` says why it could not be compared."""

    def __init__(self, program):
        self.program = program
        self.skipped = None
        self.inputs = 0
        self.ends = set()
        self.runs = []

    def wrong(self):
        return [run for run in self.runs if run.wrong]


def expect(program, outcomes, path):
    """Writes the expected exit code of every input, for the program to assert."""
    codes = ", ".join(str(outcome.code if outcome.kind == "exit" else NONE) for outcome in outcomes.values())
    path.write_text(EXPECTED.format(codes=codes, number=program.number()))


class Checker:
    """A program in a folder of its own, with what it does natively for each width."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.source = folder / "program.c"
        self.source.write_text(program.text())
        self.known = {}

    def natively(self, width):
        """The outcome of every input."""
        if width not in self.known:
            self.known[width] = self.run_natively(width)
        return self.known[width]

    def run_natively(self, width):
        return native.run(self.source, self.program.domains(), self.folder, width == "32")

    def expected(self, row):
        """The outcomes that mneme should report, given what it is asked to check."""
        return {values: reports.seen(outcome, settings.checks(row)) for values, outcome in self.natively(row["width"]).items()}

    def run(self, row, mneme, seconds, strict):
        outcomes = self.expected(row)
        expect(self.program, outcomes, self.folder / "expected.h")
        included = ["-include", "mneme.h", "-include", "expected.h"]
        options = [*settings.options(row), *(f"--clang-flag={word}" for word in included)]
        answer = symbolic.run(mneme, self.source, options, seconds, self.folder / "out")
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        possible = {values: outcome for values, outcome in outcomes.items() if outcome.kind != "excluded"}
        run = Run(row, answer, compare.differences(self.program, possible, answer))
        if strict and not run.late() and not run.asked_for():
            run.wrong += [(f"incomplete: {reason}", "the answer is incomplete") for reason in run.reasons]
        return run


def check(program, rows, mneme, seconds, strict=False):
    """Runs a program natively once for each width that the rows have, and under mneme once for each row. If
    strict, answers that are incomplete without need count as wrong."""
    result = Result(program)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="differential-"))
    try:
        checker = Checker(program, folder)
        for row in rows:
            result.skipped = compare.unknown(checker.expected(row))
            if result.skipped:
                break
            run = checker.run(row, mneme, seconds, strict)
            # In another process objects lie elsewhere: what then differs cannot be an oracle.
            if run.wrong and checker.run_natively(row["width"]) != checker.natively(row["width"]):
                result.skipped = "two native runs differ"
                break
            result.runs.append(run)
        result.inputs = sum(map(len, checker.known.values()))
        result.ends = {outcome.kind for outcomes in checker.known.values() for outcome in outcomes.values()}
    except native.Failed as why:
        result.skipped = str(why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result
