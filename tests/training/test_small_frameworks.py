#!/usr/bin/python3
"""Manifests as users have them, with JAX, XGBoost and Open MPI, on this machine.

    test_small_frameworks.py [PART OF A MANIFEST'S NAME]
"""

import job_runs
import restarts
from isolations import usable_isolations  # of ../whole
from job_runs import prints

RANKS = range(2)


CASES = [
    prints("jax-psum.yaml", *(f"process {i} of 2 sum 2" for i in RANKS)),
    restarts.of_all("jax-restart.yaml", "fit-worker-2", "fit-worker-0",
                    "fit-worker-1"),
    prints("xgboost-tracker.yaml",
           *(f"rank {i} of 3 falls True" for i in range(3))),
    prints("mpi-open-mpi.yaml",
           *(f"rank {i} of 2 on open-mpi-worker-{i} sum 3" for i in RANKS)),
]

if __name__ == "__main__":
    job_runs.main("small", CASES, usable_isolations)
