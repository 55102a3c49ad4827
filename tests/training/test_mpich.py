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

import needs  # of ../cluster

SUMS = [f"rank {i} of 2 sum 3" for i in range(2)]


def compile_program(frameworks):
    compiler = os.path.join(frameworks.variables["VIRTUAL_ENV"], "bin", "mpicc")
    subprocess.run([compiler, "allreduce.c", "-o", "allreduce"], check=True)


def allreduce(frameworks):
    """mpi-mpich.yaml succeeds on this machine"""
    compile_program(frameworks)
    prints("mpi-mpich.yaml", *SUMS)(frameworks)


def allreduce_by_ssh(frameworks):
    """mpi-mpich-ssh.yaml succeeds on this machine"""
    needs.programs("/usr/sbin/sshd", "ssh")
    compile_program(frameworks)
    prints("mpi-mpich-ssh.yaml", *SUMS)(frameworks)


if __name__ == "__main__":
    job_runs.main("mpich", [allreduce, allreduce_by_ssh],
                  usable_isolations)
