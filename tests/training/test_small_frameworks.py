#!/usr/bin/python3
"""Manifests as users have them, with JAX, XGBoost and Open MPI, on this
machine: those of the gallery, and some in which processes are lost.

    test_small_frameworks.py [PART OF A MANIFEST'S NAME]
"""

import gallery
import job_runs
import restarts
from isolations import usable_isolations  # of ../whole
from job_runs import prints

RANKS = range(2)


CASES = [
    gallery.trains("jax", members=3),
    restarts.of_all("jax-restart.yaml", "fit-worker-2", "fit-worker-0",
                    "fit-worker-1"),
    gallery.trains("xgboost", members=3),
    gallery.trains("mpi4py", members=4, programs=(
        "mpirun.openmpi", "/usr/sbin/sshd", "ssh")),
    prints("mpi-open-mpi.yaml",
           *(f"rank {i} of 2 on open-mpi-worker-{i} sum 3" for i in RANKS)),
]

if __name__ == "__main__":
    job_runs.main("small", CASES, usable_isolations)
