#!/usr/bin/python3
"""Jobs of all kinds in queues of Kueue's, whose Workloads the operator keeps
with the rights of deploy/rbac and deploy/overlays/kueue.

    test_queueing.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import sys

from queueing import Queueing

import admission
import admission_checks
import preemption
import release
import rights
import sizes
import topology
from checks import main

CASES = [*admission.CASES, *preemption.CASES, *release.CASES,
         *admission_checks.CASES, *sizes.CASES, *topology.CASES,
         *rights.CASES]

if __name__ == "__main__":
    sys.exit(main(CASES, Queueing, __doc__, at_once=6))
