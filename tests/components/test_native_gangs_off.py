#!/usr/bin/python3
"""Kubernetes' own gangs where a part of them is switched off, on a real control
plane of 1.37.2.

    test_native_gangs_off.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import subprocess
import sys

from native_gangs import (GATE, TOPOLOGY, NativeGangs, condition, gang, group,
                          min_count)

from checks import contains, equal, main
from cluster import Cluster
from jobs.gangs import FLAG
from jobs.kinds import TF
from jobs.namespace import in_namespace


class Off(NativeGangs):
    """The API server has groups, but no topologies; the scheduler has
    neither."""

    GATES, SCHEDULER_GATES = (GATE,), ()


@in_namespace
def ignored(ns):
    """pods that the scheduler places one by one run, and one warning says
    so"""
    ns.add_node("a", cpu=4)
    ns.post(TF, gang(ns, TF, "gang"))
    ns.await_running(TF, "gang")
    event = ns.await_event("gang", "PodGroupsIgnored")
    contains(event["message"], "feature gate GenericWorkload")
    equal((condition(group(ns, TF, "gang")), min_count(ns, TF, "gang")),
          ({}, 4))
    equal(len(ns.events("gang", "PodGroupsIgnored")), 1)


@in_namespace
def without_racks(ns):
    """a topology that the API server drops is named"""
    ns.add_node("a", cpu=4)
    ns.post(TF, gang(ns, TF, "gang", annotations={TOPOLOGY: "rack"}))
    event = ns.await_event("gang", "TopologyIgnored")
    contains(event["message"], "TopologyAwareWorkloadScheduling is off")
    ns.await_running(TF, "gang")
    equal(len(ns.events("gang", "TopologyIgnored")), 1)


def unserved(fixture):
    """where the API server has no PodGroups, the operator does not start, and
    names both flags"""
    with Cluster() as cluster:
        done = subprocess.run(
            [fixture.troupe, "operator", "--kubeconfig", cluster.kubeconfig,
             "--health-probe-bind-address=0", "--metrics-bind-address=0",
             "--admin-bind-address=0", "--di-server-bind-address=0",
             FLAG + "kubernetes"],
            stderr=subprocess.PIPE, text=True, timeout=60)
    equal(done.returncode, 1, "exit code")
    for part in ("--feature-gates=GenericWorkload=true",
                 "--runtime-config=scheduling.k8s.io/v1beta1=true"):
        contains(done.stderr, part)


CASES = [ignored, without_racks, unserved]

if __name__ == "__main__":
    sys.exit(main(CASES, Off, __doc__))
