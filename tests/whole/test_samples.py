#!/usr/bin/python3
"""Every file of deploy/samples runs to its end on this machine."""

import os
import re
import sys

from troupe import Folder, REPOSITORY, finished
from mpi_objects import PROGRAMS, need_programs_of

from checks import contains, equal, run  # of ../cluster

SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
WORK = r"(?:epoch|step|round|points) .*(?:loss|error) +([\d.]+)"
MOST_LINES = 170  # A sample is read in one sitting.


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def kind_of(text):
    return re.search(r"^kind: (\w+)$", text, re.M)[1]


def known_kinds():
    """What the program runs, in its own words."""
    code, text = finished("operator", "--enable-scheme", "NoSuchJob")
    equal(code, 2, "exit code of\n" + text)
    return re.search(r"known: ([\w, ]+)", text)[1].split(", ")


def sample(name):
    def case(_):
        if name in PROGRAMS:
            need_programs_of(name)
        text = read(SAMPLES, name)
        if len(text.splitlines()) > MOST_LINES:
            raise AssertionError(f"more than {MOST_LINES} lines")
        contains(text, f"troupe run deploy/samples/{name}")
        contains(read(SAMPLES, "README.md"), f"`{name}`")
        code, out = finished("run", os.path.join(SAMPLES, name), seconds=180)
        equal(code, 0, "exit code of\n" + out)
        contains(out, " succeeded after ")
        # It has worked, and not only ended.
        found = [float(x) for x in re.findall(WORK, out)]
        if len(found) < 2 or not found[-1] < found[0] / 2:
            raise AssertionError(f"no falling loss or error: {found}\n{out}")

    case.__name__ = name
    case.__doc__ = f"{name} ends well, and its loss or error falls"
    return case


def complete(_):
    """every kind that is run has a sample"""
    kinds = {kind_of(read(SAMPLES, name)) for name in os.listdir(SAMPLES)
             if name.endswith(".yaml")}
    equal(sorted(set(known_kinds()) - kinds), [], "kinds without a sample")


def cases():
    known, result = known_kinds(), [complete]
    for name in sorted(os.listdir(SAMPLES)):
        if not name.endswith(".yaml"):
            continue
        if kind_of(read(SAMPLES, name)) in known:
            result.append(sample(name))
        else:
            print(f"LEFT OUT: {name} is of a kind that is not run yet")
    return result


if __name__ == "__main__":
    sys.exit(run(cases(), Folder, *sys.argv[1:2]))
