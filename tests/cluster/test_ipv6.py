#!/usr/bin/python3
"""An API server that has an IPv6 address, and no other.

    test_ipv6.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

import needs
from checks import contains, main
from cluster import Cluster
from operators.operator_fixture import OperatorFixture, tfjob


def run_to_its_end(f):
    """a job runs: the operator's calls and watches have answers"""
    contains(f.cluster.url, "https://[::1]:")
    f.client.post("/apis/kubeflow.org/v1/namespaces/default/tfjobs",
                  tfjob("far", workers=2))
    f.await_replicas("far", ["far-worker-0", "far-worker-1"])
    f.run_all("far")
    f.await_condition("far", "Running")
    for pod in ("far-worker-0", "far-worker-1"):
        f.set_phase(pod, "Succeeded")
    f.await_condition("far", "Succeeded")


CASES = [run_to_its_end]


def make(troupe, more):
    needs.ipv6()
    return OperatorFixture(troupe, more,
                           cluster=Cluster(crds=True, address="::1"))


if __name__ == "__main__":
    sys.exit(main(CASES, make, __doc__))
