"""Nodes that are drained, tainted and deleted, and pods that must give way:
jobs of every kind go on, and nothing of it counts as a failure."""

import time

from checks import equal
from cluster import wait_for
from components import NODES
from jobs.kinds import KINDS
from jobs.namespace import for_kinds, serial
from operators.operator_fixture import LIMIT

GONE = 180  # seconds: pod GC waits 40 before it looks, and looks every 20


def two_jobs(ns, kind):
    """One whose failed pods are final and one restarted by exit codes; both run
    on the namespace's node `a`. Returns their names and uids."""
    ns.add_node("a")
    jobs = {"final": dict(policy={"backoffLimit": 0}, restart="Never"),
            "codes": dict(restart="ExitCode")}
    for job, more in jobs.items():
        ns.post(kind, ns.pinned_manifest(kind, job, **more))
    uids = {job: ns.await_running(kind, job, node=ns.node("a"))
            for job in jobs}
    ns.add_node("b")
    return uids


# What the scheduler says of a pod while others come and go, and what tells of a
# lost one.
NO_FAILURES = ("Unschedulable", "SchedulerError", "NodeLost")


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def unharmed(ns, kind, job):
    """No failure was counted or recorded, and the job can still succeed."""
    status = ns.status(kind, job)
    found = {c["type"]: c["status"] for c in status["conditions"]}
    for condition in ("Failed", "Restarting"):
        equal(found.get(condition), None, f"{job}: {condition}")
    equal(status.get("restarts"), None, f"{job}: restarts")
    equal([c.get("failed") for c in status["replicaStatuses"].values()
           if c.get("failed")], [], f"{job}: failed")
    equal({reason: text for reason, text in ns.warnings(job).items()
           if reason not in NO_FAILURES}, {}, f"{job}: warnings")
    ns.succeed(kind, job)


def moved(ns, kind, uids, seconds=LIMIT):
    """All pods are replaced by others on node `b`."""
    wait_for("the pods to leave their node", lambda: not any(
        uid in uids[job] for job in uids
        for uid, _, _ in ns.phases(kind, job).values()), seconds)
    for job, before in uids.items():
        ns.await_running(kind, job, node=ns.node("b"), others_than=before)
    for job in uids:
        unharmed(ns, kind, job)


def drained(ns, kind):
    """its pods are evicted from a node that is drained"""
    uids = two_jobs(ns, kind)
    ns.fixture.kubectl("drain", ns.node("a"), "--timeout=60s",
                       "--delete-emptydir-data")
    moved(ns, kind, uids)


def tainted(ns, kind):
    """its pods are deleted from a node that gets a taint NoExecute"""
    uids = two_jobs(ns, kind)
    ns.fixture.kubectl("taint", "node", ns.node("a"),
                       "maintenance=now:NoExecute")
    moved(ns, kind, uids)


def deleted(ns, kind):
    """its node is deleted: pod GC lets its pods fail and removes them"""
    uids = two_jobs(ns, kind)
    ns.client.delete(f"{NODES}/{ns.node('a')}")
    moved(ns, kind, uids, GONE)


def preempted(ns, kind):
    """a pod of a higher priority takes the place of one of its pods"""
    ns.add_node("a", cpu=len(kind.pods("job")))
    job = ns.pinned_manifest(kind, "job", policy={"backoffLimit": 0},
                     restart="Never")
    one = {"requests": {"cpu": "1"}}
    for replica in job["spec"][kind.field].values():
        replica["template"]["spec"]["containers"][0]["resources"] = one
    ns.post(kind, job)
    before = ns.await_running(kind, "job")
    ns.client.post(ns.core("pods"), {
        "metadata": {"name": "urgent"},
        "spec": ns.pin_to_nodes({
            "priorityClassName": "high", "containers": [
                {"name": "main", "image": "image", "resources": one}]})})
    wait_for("the urgent pod to run", lambda: ns.client.get(
        ns.core("pods", "urgent"))["status"]["phase"] == "Running", LIMIT)
    wait_for("a pod in place of the preempted one", lambda: any(
        uid not in before for uid, _, _ in
        ns.phases(kind, "job").values()), LIMIT)
    ns.client.delete(ns.core("pods", "urgent"))
    after = ns.await_running(kind, "job")
    equal(len(after - before), 1, "pods that were replaced")
    unharmed(ns, kind, "job")


@serial
def cut_off(fixture):
    """a node that reports no more: jobs of every kind go on on another one

    Only with --lost-node-period. No kubelet confirms the end of a pod, as kwok
    is stopped; what the node lifecycle controller writes into pods of a node
    whose heartbeats it misses is written here, because it waits for long.
    """
    ns = fixture.namespace()
    ns.add_node("a")
    for kind in KINDS:
        ns.post(kind, ns.pinned_manifest(kind, kind.short_name, restart="Never",
                                         policy={"backoffLimit": 0}))
    before = {kind: ns.await_running(kind, kind.short_name, node=ns.node("a"))
              for kind in KINDS}
    ns.add_node("b")
    fixture.kubectl("cordon", ns.node("a"))
    with fixture.cluster.controllers.without_kubelets():
        ns.client.merge(f"{NODES}/{ns.node('a')}/status", {"status": {
            "conditions": [{"type": "Ready", "status": "Unknown"}]}})
        for pod in ns.client.get(ns.core("pods"))["items"]:
            ns.client.merge(
                ns.core("pods", pod["metadata"]["name"]) + "/status",
                {"status": {"conditions": [
                    {"type": "ContainersReady", "status": "True"},
                    {"type": "Ready", "status": "False",
                     "lastTransitionTime": now()}]}})
        lost = set().union(*before.values())
        wait_for("the pods of the lost node to go", lambda: not any(
            pod["metadata"]["uid"] in lost
            for pod in ns.client.get(ns.core("pods"))["items"]), LIMIT)
    for kind, uids in before.items():
        ns.await_running(kind, kind.short_name, node=ns.node("b"),
                         others_than=uids)
        unharmed(ns, kind, kind.short_name)


CASES = [case for scenario in (deleted, drained, tainted, preempted)
         for case in for_kinds(KINDS, scenario)]
