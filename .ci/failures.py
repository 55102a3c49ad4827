"""What the failed programs of a stage said of their failures, and the command
that repeats only those: read from their output.

A program of Boost.Test names its failed cases itself. Others may print lines
`repeat it: COMMAND` (tests/cluster/checks.py does); one that does not is
repeated as a whole.
"""

import os
import re
import shlex
from typing import List, NamedTuple

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

MOST_LINES = 120  # of one program
MOST_AT_THE_END = 36  # of all programs together: the tail of a log shows them
WIDTH = 200
FAILURE = re.compile(r"^(FAIL|not ok)\b|\b(error|warning): |\*\*\*Failed"
                     r"|\bERROR: |was ended by signal \d")
NO_FAILURE = re.compile(r"^(ok|skip)\b|^LEFT OUT|^\d+ passed, "
                        r"|^\d{4}-\d\d-\d\dT\S+ (debug|info|warn|error) ")
# Of a failure, the lines that say what is wrong.
REASON = re.compile(r"^(FAIL|not ok)\b|\b(error|warning): |\bERROR: "
                    r"|^(\w+\.)*\w*(Error|Exception|Expired|Exit)\b"
                    r"|was ended by signal \d|timed out")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
REPEAT = re.compile(r"^\s*(?:repeat it|replay): +(.+)$", re.M)
# Of CTest: one program's result, behind which its output is, if it has failed.
RESULT = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) [.]*(.*)$")
BETWEEN = re.compile(r"^ +Start +\d+: |^\d+% tests passed")
BOOST_CASE = re.compile(r'\berror: in "([^"]+)"')


class Failure(NamedTuple):
    program: str
    lines: List[str]  # What it said of what failed.
    repeat: List[str]  # Commands.


def of_command(command, text, stage):
    """One for each program that has failed; `stage` is what repeats a command
    that is too long to be typed."""
    text = COLOURS.sub("", text).replace(TOP + os.sep, "")
    if command[-1:] == ["--no-tests=error"]:  # CTest
        folder = command[command.index("--test-dir") + 1]
        if found := [of_test(folder, name, result, lines)
                     for name, result, lines in failed_tests(text)]:
            return found
    lines = lines_of(text)
    words = command[1:] if command[0].endswith("python3") else command
    whole = shlex.join(words) if len(words) < 16 else \
        f"make stages STAGES={stage}"
    return [Failure(words[0], lines, REPEAT.findall("\n".join(lines))
                    or [whole])]


def failed_tests(text):
    """(name, result, output) of each that CTest says has failed."""
    found, output = [], None
    for line in text.splitlines():
        if result := RESULT.search(line):
            output = None
            if "Passed" not in result[2]:
                output = []
                found.append((result[1], result[2].strip("* "), output))
        elif BETWEEN.search(line):
            output = None
        elif output is not None:
            output.append(line)
    return found


def of_test(folder, name, result, output):
    text = "\n".join(output)
    cases = list(dict.fromkeys(BOOST_CASE.findall(text)))
    if of_its_own := REPEAT.findall(text):
        return Failure(name, [f"{name}: {result}", *lines_of(text)], of_its_own)
    if cases:
        repeat = f"{folder}/{name} --run_test=" + shlex.quote(":".join(cases))
    else:
        repeat = f"ctest --test-dir {folder} --output-on-failure -R '^{name}$'"
    return Failure(name, [f"{name}: {result}", *lines_of(text)], [repeat])


def lines_of(text):
    """The lines of what failed; the last ones of a text that names nothing."""
    lines = text.splitlines()
    found, is_failure = [], False
    for line in lines:
        is_failure = bool(FAILURE.search(line)) or \
            (is_failure and not NO_FAILURE.search(line))
        if is_failure:
            found.append(line)
    return found[:MOST_LINES] or lines[-20:]


def at_length(failures):
    """Lines for people: all that was kept."""
    return [line for stage, failure in failures
            for line in (f"-- {stage}: {failure.program}", *failure.lines)]


def in_short(failures):
    """Lines for the very end: each program, what it says first, and what repeats
    it."""
    each = max(2, MOST_AT_THE_END // max(1, len(failures)) - 2)
    lines = []
    for stage, failure in failures:
        reasons = [line for line in failure.lines if REASON.search(line)]
        lines.append(f"{stage}: {failure.program}")
        lines += [f"    {line.strip()[:WIDTH]}"
                  for line in (reasons or failure.lines[-each:])[:each]]
        lines += [f"  {command}" for command in failure.repeat[:each]]
    return lines
