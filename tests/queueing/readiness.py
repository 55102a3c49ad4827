"""Kueue waits for pods that are ready, for 8 s: what the operator tells it of
them, and what becomes of jobs whose pods are not."""

from queueing import FIRST, NEVER_READY, within

import queues
from checks import equal
from jobs.namespace import before_and_after, for_kinds

SECONDS = 8
SETTINGS = {"waitForPodsReady": {
    "timeout": f"{SECONDS}s", "recoveryTimeout": f"{SECONDS}s",
    "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": 1,
                          "backoffMaxSeconds": 2, "backoffLimitCount": 2}}}


@within(3)
def stays(ns, kind):
    """a job whose pods are all ready stays for longer than Kueue waits, and
    with workers that have ended, too"""
    ns.queue(kind, "job")
    pods = ns.runs(kind, "job")
    queues.await_condition(ns, "job", "PodsReady", reason="Started")
    ns.set_phase("job-worker-1", "Succeeded")
    before, after = before_and_after(
        lambda: queues.condition(queues.workload(ns, "job"), "Evicted"),
        SECONDS + 3)
    equal((before, after), ({}, {}), "its eviction")
    equal(set(ns.uids(kind, "job").values()) <= pods, True, "its pods")
    equal(queues.condition(queues.workload(ns, "job"), "PodsReady")["status"],
          "True")


@within(3)
def never_ready(ns, kind):
    """a job whose pods run and are never ready is evicted, tried twice more,
    and then stopped for good; nothing of it is a failure"""
    job = ns.queue(kind, "job", template={"annotations": {NEVER_READY: "yes"}})
    found = queues.await_condition(ns, "job", "Admitted")
    found = queues.await_condition(ns, "job", "PodsReady", "False")
    equal(queues.condition(found, "PodsReady")["reason"], "WaitForStart")
    queues.await_condition(ns, "job", "Evicted", reason="PodsReadyTimeout")
    found = queues.await_workload(ns, "job", "its deactivation",
                                  lambda w: w["spec"].get("active") is False)
    ns.waits(kind, "job")
    equal(ns.fixture.record.released_after_pods(ns, "job") >= 2, True,
          "times that its quota was given back")
    status = ns.status(kind, "job")
    equal([c["type"] for c in status["conditions"] if c["type"] == "Failed"],
          [], f"a failure of {job['metadata']['name']}")
    queues.await_used(ns, 0)


@within(3)
def recovers(ns, kind):
    """a pod that is lost is told, and that all are there again"""
    ns.queue(kind, "job", policy={"backoffLimit": 5}, restart="ExitCode")
    ns.runs(kind, "job")
    queues.await_condition(ns, "job", "PodsReady", reason="Started")
    ns.client.delete(ns.core("pods", "job-worker-0"))
    queues.await_condition(ns, "job", "PodsReady", "False",
                           reason="WaitForRecovery")
    queues.await_condition(ns, "job", "PodsReady", reason="Recovered")
    ns.runs(kind, "job")
    # What was told of a recovery does not shorten the next admission.
    ns.queue(kind, "high", priority="high")
    ns.runs(kind, "high")
    ns.waits(kind, "job")
    queues.await_condition(ns, "job", "PodsReady", "False",
                           reason="WaitForStart")
    ns.finish(kind, "high")
    ns.runs(kind, "job")
    queues.await_condition(ns, "job", "PodsReady", reason="Started")


BOTH = (stays, never_ready, recovers)
CASES = [case for one in BOTH for case in for_kinds(FIRST, one)]
