#!/usr/bin/python3
"""Every file of deploy/samples runs to its end on this machine."""

import os
import re
import sys

from troupe import Folder, REPOSITORY, finished
from mpi_objects import PROGRAMS, need_programs_of

from checks import contains, equal, run  # of ../cluster

SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
WORK = r"(?:epoch|step|round|points) .*(?:loss|error):? +([\d.]+)"
MOST_LINES = 170  # A sample is read in one sitting.
# What needs packages of the Python registry.
RUN_ELSEWHERE = {"mpijob-v2beta1-intel.yaml":
                 "../training/test_intel_mpi.py"}


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


def told(name):
    """Its first lines say how to run it, and the README what it is."""
    text = read(SAMPLES, name)
    if len(text.splitlines()) > MOST_LINES:
        raise AssertionError(f"more than {MOST_LINES} lines")
    contains(text, f"troupe run deploy/samples/{name}")
    contains(read(SAMPLES, "README.md"), f"`{name}`")


def worked(out):
    """It has worked, and not only ended, says all that it has printed."""
    contains(out, " succeeded after ")
    found = [float(x) for x in re.findall(WORK, out)]
    if len(found) < 2 or not found[-1] < found[0] / 2:
        raise AssertionError(f"no falling loss or error: {found}\n{out}")


def sample(name):
    def case(_):
        if name in PROGRAMS:
            need_programs_of(name)
        told(name)
        code, out = finished("run", os.path.join(SAMPLES, name), seconds=180)
        equal(code, 0, "exit code of\n" + out)
        worked(out)

    case.__name__ = name
    case.__doc__ = f"{name} ends well, and its loss or error falls"
    return case


def sample_run_elsewhere(name):
    def case(_):
        told(name)
        program = os.path.join(os.path.dirname(__file__), RUN_ELSEWHERE[name])
        equal(os.path.exists(program), True, program)

    case.__name__ = name
    case.__doc__ = f"{name} says how to run it, which {RUN_ELSEWHERE[name]} does"
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
        if name in RUN_ELSEWHERE:
            result.append(sample_run_elsewhere(name))
        elif kind_of(read(SAMPLES, name)) in known:
            result.append(sample(name))
        else:
            print(f"LEFT OUT: {name} is of a kind that is not run yet")
    return result


if __name__ == "__main__":
    sys.exit(run(cases(), Folder, *sys.argv[1:2]))
