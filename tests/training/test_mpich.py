#!/usr/bin/python3
"""MPICH's own launcher and its ranks, on this machine.

MPICH of the Python registry: in Debian 12's, one rank's MPI_Finalize may wait
for the other's for ever (fixed in MPICH 4.2, pmodels/mpich#6596).
"""

import os
import subprocess

import job_runs
from isolations import usable_isolations  # of ../whole
from job_runs import prints


def allreduce(frameworks):
    """mpi-mpich.yaml succeeds on this machine"""
    compiler = os.path.join(frameworks.variables["VIRTUAL_ENV"], "bin", "mpicc")
    subprocess.run([compiler, "allreduce.c", "-o", "allreduce"], check=True)
    prints("mpi-mpich.yaml",
           *(f"rank {i} of 2 sum 3" for i in range(2)))(frameworks)


if __name__ == "__main__":
    job_runs.main("mpich", [allreduce], usable_isolations)
