#!/usr/bin/python3
"""DI-engine's own coordinator, collectors and learner, on this machine: the
gallery's. The packages take gigabytes.
"""

import gallery
import job_runs
from checks import contains


def converged(text):
    contains(text, "Your RL agent is converged")


if __name__ == "__main__":
    job_runs.main("di-engine", [gallery.trains(
        "di-engine", converged, keeps=False)])
