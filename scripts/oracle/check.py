"""One program, natively and under several settings of mneme."""

import pathlib
import shutil
import tempfile

from . import compare, native, settings, symbolic


# The exit code of an input that has none: it is excluded, or an error comes first.
NONE = 255
# What lets mneme compare the exit codes of all inputs of a path, not only of the one that becomes its test.
EXPECTED = """static const unsigned char expected[] = {{{codes}}};
static int result(int code, unsigned input) {{
  mneme_assert(expected[input] == code);
  return code;
}}
#define RESULT(code) result(code, {number})
"""


class Run:
    """What one run of mneme came to: what is wrong with it, as pairs of a class and a sentence, and why it is incomplete."""

    def __init__(self, row, answer, wrong):
        self.row, self.wrong = row, wrong
        self.reasons = [] if answer.exact else answer.reasons
        self.findings = answer.findings

    def late(self):
        return any(reason.startswith("limit:") for reason in self.reasons)

    def asked_for(self):
        """Is it incomplete because `--sizes max` is?"""
        return self.row["sizes"] == "max" and self.reasons == ["a symbolic size was given its greatest value"]


class Result:
    """What came of one program; `skipped` says why it could not be compared."""

    def __init__(self, program):
        self.program = program
        self.skipped = None
        self.inputs = 0
        self.ends = set()
        self.runs = []

    def wrong(self):
        return [run for run in self.runs if run.wrong]


def header(width):
    return f"expected{width}.h"


def expect(program, outcomes, path):
    """Writes down how every input ends natively, for the program to assert."""
    codes = ", ".join(str(outcome.code if outcome.kind == "exit" else NONE) for outcome in outcomes.values())
    path.write_text(EXPECTED.format(codes=codes, number=program.number()))


def check(program, rows, mneme, seconds, strict=False):
    """Runs a program natively once for each width that the rows have, and under mneme once for each row. Who is strict calls answers wrong that
    are incomplete without need."""
    result = Result(program)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="differential-"))
    try:
        source = folder / "program.c"
        source.write_text(program.text())
        known = {}
        for row in rows:
            width = row["width"]
            if width not in known:
                known[width] = native.run(source, program.domains(), folder, width == "32")
                result.inputs += len(known[width])
                result.ends |= {outcome.kind for outcome in known[width].values()}
                result.skipped = compare.unknown(known[width])
                expect(program, known[width], folder / header(width))
            if result.skipped:
                break
            outcomes = {values: outcome for values, outcome in known[width].items() if outcome.kind != "excluded"}
            options = [*settings.options(row), "--clang-flag=-include", "--clang-flag=mneme.h", "--clang-flag=-include", f"--clang-flag={header(width)}"]
            answer = symbolic.run(mneme, source, options, seconds, folder / "out")
            result.runs.append(Run(row, answer, compare.differences(program, outcomes, answer)))
            if strict and not result.runs[-1].late() and not result.runs[-1].asked_for():
                result.runs[-1].wrong += [(f"incomplete: {reason}", "") for reason in result.runs[-1].reasons]
            shutil.rmtree(folder / "out", ignore_errors=True)
    except native.Failed as why:
        result.skipped = str(why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result
