"""Quota comes back when the last pod has gone: jobs that are stopped by hand,
deleted, or have run for as long as they may; and an operator that dies
meanwhile."""

from queueing import FIRST, LIMIT, within

import queues
from checks import equal
from cluster import wait_for
from control_plane.client import ApiError
from jobs.kinds import TF
from jobs.namespace import (before_and_after, for_kinds, in_namespace,
                            namespace_of, serial)
from kueue import API

@within(3)
def deactivated(ns, kind):
    """a Workload that is stopped by hand stops its job, which stays so until it
    is activated again; also one that waits"""
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    ns.queue(kind, "later")
    ns.waits(kind, "later")
    queues.activate(ns, "later", False)
    queues.await_condition(ns, "later", "Evicted", reason="Deactivated")
    queues.activate(ns, "job", False)
    ns.waits(kind, "job")
    queues.await_used(ns, 0)
    equal(before_and_after(lambda: ns.live()), ([], []), "pods")
    ns.await_text("the reason", lambda: "eactivated" in ns.report(kind, "job"))
    queues.activate(ns, "job", True)
    ns.runs(kind, "job")
    queues.activate(ns, "later", True)
    ns.waits(kind, "later")
    ns.finish(kind, "job")
    ns.runs(kind, "later")


@within(3)
def deleted(ns, kind):
    """the Workload of a job that is deleted stays until the last pod has gone,
    and the next job begins then; that of one that waits goes at once"""
    for job in ("job", "never", "next"):
        ns.queue(kind, job)
        if job == "job":
            ns.runs(kind, "job")
    ns.waits(kind, "never")
    ns.client.delete(ns.of(kind, "never"))
    wait_for("its Workload to go", lambda: "never" not in queues.workloads(ns),
             LIMIT)
    ns.client.delete(ns.of(kind, "job"))
    ns.runs(kind, "next")
    equal(ns.fixture.record.released_after_pods(ns, "job"), 1,
          "times that its quota was given back")
    equal(list(queues.workloads(ns)), ["next"], "jobs with Workloads")


@within(3)
def deleted_foreground(ns, kind):
    """a job that is deleted in the foreground goes, and its Workload with it"""
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    ns.client.delete(ns.of(kind, "job"), {"propagationPolicy": "Foreground"})
    wait_for("the job to go", lambda: not ns.find(ns.of(kind, "job")), LIMIT)
    wait_for("its Workload to go", lambda: not queues.workloads(ns), LIMIT)
    ns.queue(kind, "next")
    ns.runs(kind, "next")
    ns.fixture.record.released_after_pods(ns, "job")


@within(3)
def workload_deleted(ns, kind):
    """a Workload that is deleted by hand: the job is held, gets another one,
    and runs again"""
    ns.queue(kind, "job")
    before = ns.runs(kind, "job")
    first = queues.workload(ns, "job")
    ns.client.delete(ns.at(API, "workloads", first["metadata"]["name"]))
    ns.await_text("other pods", lambda: not before & set(
        ns.uids(kind, "job").values()))
    after = ns.runs(kind, "job")
    equal(before & after, set(), "pods of before")
    found = queues.workload(ns, "job")
    equal(found["metadata"]["uid"] != first["metadata"]["uid"], True,
          "another Workload")
    equal(ns.fixture.record.released_after_pods(ns, "job"), 1,
          "times that its quota was given back")


@within(3)
def longest(ns, kind):
    """a job may run for six seconds: then it is held, and its Workload is no
    longer active; also when they are of two admissions"""
    ns.queue(kind, "job", labels={queues.LONGEST: "6"})
    ns.runs(kind, "job")
    queues.await_workload(ns, "job", "its deactivation",
                          lambda w: w["spec"].get("active") is False)
    ns.waits(kind, "job")
    ns.client.delete(ns.of(kind, "job"))
    ns.queue(kind, "twice", labels={queues.LONGEST: "12"})
    ns.runs(kind, "twice")
    wait_for("seconds to pass that count",
             lambda: queues.age(ns, "twice", "Admitted") >= 4, LIMIT)
    ns.queue(kind, "high", priority="high")
    ns.runs(kind, "high")
    queues.await_workload(
        ns, "twice", "the seconds of the first admission", lambda w: w[
            "status"].get("accumulatedPastExecutionTimeSeconds", 0) >= 4)
    ns.finish(kind, "high")
    ns.runs(kind, "twice")
    queues.await_workload(ns, "twice", "its deactivation",
                          lambda w: w["spec"].get("active") is False)
    queues.await_used(ns, 0)


@within(3)
def ended(ns, kind):
    """a Workload is finished when its job has ended, and not made again"""
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    ns.finish(kind, "job")
    found = queues.await_condition(ns, "job", "Finished", reason="Succeeded")
    queues.await_used(ns, 0)
    queues.await_workload(ns, "job", "no finalizer",
                          lambda w: not w["metadata"].get("finalizers"))
    ns.client.delete(ns.at(API, "workloads", found["metadata"]["name"]))
    wait_for("it to go", lambda: not queues.workloads(ns), LIMIT)
    equal(before_and_after(lambda: queues.workloads(ns)), ({}, {}),
          "Workloads of a job that has ended")


@in_namespace
@within(3)
def failed(ns):
    """a job that fails ends its Workload so"""
    ns.queue(TF, "job", policy={"backoffLimit": 0},
             restart="Never")
    ns.runs(TF, "job")
    ns.set_phase("job-chief-0", "Failed", 1)
    queues.await_condition(ns, "job", "Finished", reason="Failed")
    queues.await_used(ns, 0)


@in_namespace
def orphaned(ns):
    """the pods of a job that is deleted without them run on outside of quota,
    as Kueue sees to it"""
    queues.make(ns, 3)
    ns.queue(TF, "job")
    ns.runs(TF, "job")
    ns.client.delete(ns.of(TF, "job"), {"propagationPolicy": "Orphan"})
    wait_for("its quota to be given back", lambda: queues.used(ns) == 0, LIMIT)
    equal(len(ns.live()), 3, "pods")


@serial
def dies(fixture):
    """an operator that is killed after a job was deleted gives its quota back
    when it runs again, and the next one begins"""
    ns = namespace_of(fixture)
    dying(ns, TF)


def dying(ns, kind):
    queues.make(ns, 3)
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    ns.queue(kind, "next")
    ns.waits(kind, "next")
    ns.fixture.operator.kill()
    try:
        ns.client.delete(ns.of(kind, "job"))
        wait_for("its pods to go", lambda: not ns.live("job"), LIMIT)
        equal(before_and_after(lambda: queues.used(ns)), (3, 3), "quota")
    finally:
        ns.fixture.operator.start()
    ns.runs(kind, "next")
    equal(list(queues.workloads(ns)), ["next"], "jobs with Workloads")
    ns.fixture.record.check([ns], 3)


@serial
def dies_in_preemption(fixture):
    """an operator that is killed again and again while jobs take each other's
    places forgets none"""
    ns = namespace_of(fixture)
    queues.make(ns, 3)
    ns.queue(TF, "low", runs="3s")
    ns.runs(TF, "low")
    for index in range(4):
        post_when_served(ns, f"high-{index}")
        for _ in range(2):
            fixture.operator.kill()
            fixture.operator.start()
    ns.ends(TF, "low", *(f"high-{i}" for i in range(4)))
    queues.await_used(ns, 0)
    ns.fixture.record.check([ns], 3)


def post_when_served(ns, job):
    """Webhooks of an operator that was started again are ready a moment
    later."""
    def posted():
        try:
            ns.queue(TF, job, runs="1s", priority="high")
        except ApiError as error:
            if error.status < 500:
                raise
            return False
        return True
    wait_for("the webhooks", posted, LIMIT)


BOTH = (deactivated, deleted, deleted_foreground, workload_deleted, longest,
        ended)
CASES = [case for one in BOTH for case in for_kinds(FIRST, one)] \
    + [failed, orphaned, dies, dies_in_preemption]
