#!/usr/bin/python3
"""DI-engine's own coordinator, collectors and learner, on this machine. The
packages take gigabytes.
"""

import job_runs
from checks import equal
from job_runs import with_shared_folder


def cartpole(frameworks):
    """di-engine-cartpole.yaml learns to balance the pole"""
    text = frameworks.output(with_shared_folder(
        frameworks, "di-engine-cartpole.yaml", "/srv/cartpole"))
    equal("Your RL agent is converged" in text, True, "it is learnt\n" + text)


if __name__ == "__main__":
    job_runs.main("di-engine", [cartpole])
