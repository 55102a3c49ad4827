"""What of the tests was not run, and why: read from what their programs print,
summed up, and judged.

A program that ends with 77 prints a line `SKIPPED, NOTHING WAS TESTED: WHY`,
one that leaves a part out `LEFT OUT: WHAT: WHY` (tests/cluster/needs.py).
"""

import re
import textwrap

SKIPPED = 77
# What CI may skip: program -> why. All else it has to have.
ALLOWED = {
    "tests/conformance/run.py":
        "the records of the originals are not part of the project",
}
WHOLE = re.compile(r"^SKIPPED\b[^:\n]*: *(.+)$", re.M)
PART = re.compile(r"^ *LEFT OUT: *(.+)$", re.M)


def named(command):
    """The program of a command: its file, if Python runs it."""
    return next((word for word in command if word.endswith(".py")), command[0])


def of_program(command, code, text):
    """[(program, why)] of what one that has ended has not tested."""
    program = named(command)
    if code == SKIPPED:
        return [(program, (WHOLE.findall(text) or ["it does not say why"])[-1])]
    return [(program, why) for why in PART.findall(text)]


def forbidden(skips):
    """Those that make CI fail, as lines."""
    return [f"{program} has to run here: {why}" for program, why in skips
            if program not in ALLOWED]


def summary(skips):
    """Lines: each reason, and the programs that it kept from being run."""
    programs = {}
    for program, why in skips:
        programs.setdefault(why, {})[program] = True
    lines = []
    for why, names in programs.items():
        lines.append(f"* {why}")
        lines += textwrap.wrap(", ".join(names), 80, initial_indent="    ",
                               subsequent_indent="    ",
                               break_on_hyphens=False)
    return lines


def allowed():
    """Lines: the list."""
    return [f"* {program}: {why}" for program, why in ALLOWED.items()]
