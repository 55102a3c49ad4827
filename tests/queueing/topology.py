"""Pods of a job go where Kueue's topology says: into one rack."""

from queueing import FIRST, within

import kueue
import queues
from checks import equal
from control_plane import controllers
from jobs.namespace import for_kinds
from kueue import GROUP, NODES
from queues import VERSION

REQUIRED = GROUP + "/podset-required-topology"
RACK = "test/rack"
HOST = "kubernetes.io/hostname"


def racks(ns):
    """A topology of the namespace's name: two racks of two nodes with two CPUs
    each; returns the flavor of its nodes."""
    ns.fixture.kueue.apply({
        "apiVersion": VERSION, "kind": "Topology",
        "metadata": {"name": ns.name},
        "spec": {"levels": [{"nodeLabel": RACK}, {"nodeLabel": HOST}]}})
    for rack in "ab":
        for index in range(2):
            name = f"{ns.name}-{rack}{index}"
            ns.client.post(NODES, controllers.node(name, cpu=2, labels={
                "pool": ns.name, RACK: f"{ns.name}-{rack}", HOST: name},
                taints=[kueue.TAINT]))
    queues.apply_flavor(ns, ns.name, {"pool": ns.name}, topologyName=ns.name)
    return ns.name


def placed(ns, kind, job):
    """Name of each worker's pod -> its rack."""
    nodes = {n["metadata"]["name"]: n["metadata"]["labels"].get(RACK)
             for n in ns.client.get(NODES)["items"]}
    return {name: nodes.get(pod["spec"].get("nodeName"))
            for name, pod in ns.owned(kind, job, "pods").items()
            if "-worker-" in name}


def in_one_rack(ns, kind):
    """workers are in one rack, also one that takes the place of another; what
    fits into no rack waits, and says so"""
    queues.make(ns, 100, flavor=racks(ns))
    job = ns.queue(kind, "job", policy={"backoffLimit": 3}, restart="ExitCode",
                   counts={kind.types[0][0]: 1,
                           "Worker": 3},
                   template={"annotations": {REQUIRED: RACK}})
    before = ns.runs(kind, "job", 4)
    where = placed(ns, kind, "job")
    equal(len(set(where.values())), 1, f"racks of {where}")
    pod = ns.client.get(ns.core("pods", "job-worker-1"))
    equal(pod["spec"].get("schedulingGates"), None, "its gates")
    ns.replaced(kind, "job", "job-worker-1", 137)
    after = ns.runs(kind, "job", 4)
    equal(len(before & after), 3, "pods that stayed")
    equal(placed(ns, kind, "job"), where, "racks")
    name = job["metadata"]["name"]
    ns.queue(kind, "wide", counts={"Worker": 5}, template={
        "annotations": {REQUIRED: RACK}})
    queues.await_workload(ns, "wide", f"a message beside {name}",
                          lambda w: "topology" in queues.condition(
                              w, "QuotaReserved").get("message", ""))
    ns.waits(kind, "wide")
    ns.await_text("the reason", lambda: "topology" in ns.report(kind, "wide"))
    ns.fixture.record.check([ns], 4)


@within(3)
def unknown_topology(ns, kind):
    """a template that asks for a topology where there is none waits, and says
    so"""
    ns.queue(kind, "job", template={"annotations": {REQUIRED: RACK}})
    ns.waits(kind, "job")
    ns.await_text("the reason", lambda: "opology" in ns.report(kind, "job"))


CASES = [case for one in (in_one_rack, unknown_topology)
         for case in for_kinds(FIRST, one)]
