#!/usr/bin/python3
"""Intel's MPI: the sample, whose launcher is its Hydra and whose ranks meet by
its library, on this machine.

The package of the release after 2021.18 asks for one that the Python registry
does not have.
"""

import os
import platform
import sys

import job_runs
from isolations import usable_isolations  # of ../whole
from test_samples import RUN_ELSEWHERE, SAMPLES, worked

import needs  # of ../cluster
from checks import contains


def sort(frameworks):
    """mpijob-v2beta1-intel.yaml succeeds on this machine"""
    needs.programs("/usr/sbin/sshd", "ssh")
    (name,) = RUN_ELSEWHERE
    text = frameworks.output(os.path.join(SAMPLES, name))
    worked(text)
    contains(text, "4 ranks of Intel MPI on sort-worker-0, sort-worker-1")


def of_this_machine():
    """Raises needs.Missing where there is no such library."""
    if platform.machine() != "x86_64":
        raise needs.Missing("no MPI of Intel for " + platform.machine(),
                            "run this on x86_64")


if __name__ == "__main__":
    if code := needs.exit_code(of_this_machine):
        sys.exit(code)
    job_runs.main("intel", [sort], usable_isolations)
