#!/usr/bin/python3
"""Each program of each stage where what it needs is missing: it ends with 0, or
with 77 and one line that says what to install.

    test_missing_tools.py PART     those with PART in their path
"""

import os
import re
import sys

from bare_machine import BareMachine, programs

from checks import equal, run  # of ../cluster
from needs import SKIPPED

# These can do nothing without a tool, a package or a control plane.
NEED_SOMETHING = re.compile(
    r"^(tests/(arm64|cluster|components|apiserver|bench|conformance|page|sdk"
    r"|training(?!/test_gallery_files\.)"
    r"|packaging(?!/test_(release|workflow)\.))/|\.ci/"
    r"|tests/faults/run|tests/hostile/test_(with|lists|log_rules|reports)"
    r"|tests/documents/test_site"
    r"|tests/whole/test_(apply|authorization|create|exec|kubectl)\.py$)")
ONE_LINE = re.compile(
    r"^SKIPPED, NOTHING WAS (TESTED|COMPARED|CHECKED): .+: "
    r"(install|let|give|run) ")


def of_program(program):
    def case(machine):
        code, lines = machine.run(program)
        text = "\n".join(lines)
        equal(code in (0, SKIPPED), True, f"exit code {code} of\n{text}")
        if NEED_SOMETHING.search(program):
            equal(code, SKIPPED, f"exit code of\n{text}")
        if code == SKIPPED:
            said = [line for line in lines if not line.startswith("LEFT OUT: ")]
            equal(len(said), 1, f"lines of\n{text}")
            equal(bool(ONE_LINE.search(said[0])), True, f"a remedy in\n{text}")

    case.__name__ = program
    case.__doc__ = f"{program} ends in order where nothing is there"
    return case


def found(_):
    """the programs of all folders are found"""
    folders = {os.path.basename(os.path.dirname(path)) for path in programs()}
    equal({"whole", "cluster", "components", "apiserver", "sdk", "training",
           "packaging", "faults", "fuzz", "page", "conformance", ".ci"}
          - folders, set(), "folders without programs")


CASES = [found, *map(of_program, programs())]

if __name__ == "__main__":
    sys.exit(run(CASES, BareMachine, *sys.argv[1:2], at_once=2))
