#!/usr/bin/python3
"""Kubernetes' own gangs of jobs that Kueue admits, on a control plane of 1.37.2:
what Kueue places by its topology is one gang, too.

    test_native_gangs.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import os
import sys

os.environ.setdefault("TROUPE_KUBERNETES", "1.37.2")

from queueing import FIRST, Queueing, queued  # noqa: E402

import native_gangs as gangs  # of ../components  # noqa: E402
import queues  # noqa: E402
from checks import equal, main  # noqa: E402
from cluster import wait_for  # noqa: E402
from control_plane import controllers  # noqa: E402
from jobs.gangs import FLAG  # noqa: E402
from jobs.mpi_ssh import MPI_SSH  # noqa: E402
from jobs.namespace import for_kinds, in_namespace  # noqa: E402
from kueue import NODES, TAINT  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import LIMIT  # noqa: E402
from topology import RACK, REQUIRED, placed, racks  # noqa: E402


class QueuedGangs(Queueing):
    def __init__(self, troupe, more):
        super().__init__(troupe, [FLAG + "kubernetes", *more])
        gangs.use_gates(self.cluster, (gangs.GATE, gangs.RACKS),
                        (gangs.GATE, gangs.RACKS))

    def make_account(self, cluster):
        super().make_account(cluster)
        shipped_objects.apply_some(
            cluster, lambda o: o["metadata"]["name"].endswith("native-gang"),
            "overlays/native-gang")


def in_rack(ns, kind, job, counts, **more):
    return queued(kind, job, counts=counts, template={
        "annotations": {REQUIRED: RACK}}, **more)


def both_hold(ns, kind):
    """pods begin when Kueue has admitted the job and its group is there; they
    are one gang, in the rack that Kueue has chosen; another waits for quota
    without a pod, and is placed when the first has ended"""
    queues.make(ns, 3, flavor=racks(ns))
    for job in ("one", "other"):
        ns.post(kind, in_rack(ns, kind, job, {"Worker": 3}))
        if job == "one":
            ns.runs(kind, job)
    gang = gangs.group(ns, kind, "one")
    equal(gang["spec"]["schedulingPolicy"]["gang"]["minCount"], 3, "minCount")
    equal(gangs.pods_name(ns, kind, "one"), {gang["metadata"]["name"]},
          "groups of pods")
    gangs.await_reason(ns, kind, "one", "Scheduled")
    where = placed(ns, kind, "one")
    equal((len(where), len(set(where.values()))), (3, 1), f"racks of {where}")
    for name, pod in ns.owned(kind, "one", "pods").items():
        equal(pod["spec"].get("schedulingGates"), None, f"{name}: gates")
    ns.waits(kind, "other")
    for worker in where:
        ns.set_phase(worker, "Succeeded")
    ns.ends(kind, "one")
    ns.runs(kind, "other")
    where = placed(ns, kind, "other")
    equal((len(where), len(set(where.values()))), (3, 1), f"racks of {where}")
    ns.fixture.record.check([ns], 3)


def no_room(ns, kind):
    """a job that has quota, and for which its nodes have no room, waits as a
    gang of which no pod has a node, and runs when there is room"""
    def add(letter, cpus):
        ns.client.post(NODES, controllers.node(
            f"{ns.name}-{letter}", cpu=cpus, labels={"pool": ns.name},
            taints=[TAINT]))

    add("a", 2)
    queues.apply_flavor(ns, ns.name, {"pool": ns.name})
    queues.make(ns, 3, flavor=ns.name)
    ns.post(kind, queued(kind, "job", counts={"Worker": 3}))
    queues.await_condition(ns, "job", "Admitted")
    gangs.await_reason(ns, kind, "job", "Unschedulable")
    equal(gangs.bound(ns, kind, "job"), [], "pods with a node")
    ns.await_text("the group in what is waited for",
                  lambda: "PodGroup" in ns.report(kind, "job"))
    add("b", 1)
    ns.runs(kind, "job")
    ns.fixture.record.check([ns], 3)


def evicted(ns, kind):
    """an eviction ends the gang, and the next admission makes it again"""
    queues.make(ns, 3, flavor=racks(ns))
    ns.post(kind, in_rack(ns, kind, "low", {"Worker": 3}))
    before = ns.runs(kind, "low")
    ns.post(kind, in_rack(ns, kind, "high", {"Worker": 3}, priority="high",
                          runs="2s"))
    ns.waits(kind, "low")
    ns.ends(kind, "high")
    equal(ns.runs(kind, "low") & before, set(), "pods of before")
    equal(gangs.min_count(ns, kind, "low"), 3, "minCount")
    wait_for("one group", lambda: len(gangs.groups(ns)) == 1, LIMIT)
    ns.fixture.record.check([ns], 3)


@in_namespace
def with_launcher(ns):
    """an MPIJob of v2beta1 that is held has a suspended launcher, which is in
    the gang when the job begins, also after an eviction"""
    def is_one_gang(job):
        ns.runs(MPI_SSH, job)
        equal(gangs.pods_name(ns, MPI_SSH, job),
              {gangs.group(ns, MPI_SSH, job)["metadata"]["name"]},
              "groups of pods")
        equal(gangs.min_count(ns, MPI_SSH, job), 3, "minCount")

    queues.make(ns, 3)
    ns.post(MPI_SSH, queued(MPI_SSH, "low"))
    is_one_gang("low")
    ns.post(MPI_SSH, queued(MPI_SSH, "high", priority="high"))
    ns.waits(MPI_SSH, "low")
    is_one_gang("high")
    ns.finish(MPI_SSH, "high")
    is_one_gang("low")
    ns.fixture.record.check([ns], 3)


CASES = [*(case for one in (both_hold, no_room, evicted)
           for case in for_kinds(FIRST, one)), with_launcher]

if __name__ == "__main__":
    sys.exit(main(CASES, QueuedGangs, __doc__, at_once=4))
