"""A job loses its place: to one that matters more, to the owner of quota that
it has borrowed, because its queue is stopped; and gives back what it does not
need."""

from queueing import FIRST, LIMIT, OTHERS, templates, within

import attempts  # of ../components
import queues
from checks import equal
from cluster import wait_for
from jobs.kinds import PYTORCH, TF
from jobs.namespace import for_kinds, in_namespace


def seconds_of(ns, kind, job):
    return ns.status(kind, job).get("startTime")


@within(3)
def preempted(ns, kind):
    """a job that matters more takes the places of one that runs when its pods
    have gone; that one is as it was written, runs again later, and nothing of
    it counts as a failure"""
    made = ns.queue(kind, "low", policy={"backoffLimit": 0})
    before = ns.runs(kind, "low")
    began = seconds_of(ns, kind, "low")
    ns.queue(kind, "high", priority="high")
    ns.runs(kind, "high")
    ns.waits(kind, "low")
    queues.await_condition(ns, "low", "Evicted", reason="Preempted")
    equal(ns.fixture.record.released_after_pods(ns, "low"), 1,
          "times that its quota was given back")
    equal(templates(ns.job(kind, "low"), kind), templates(made, kind),
          "its templates")
    ns.await_condition(kind, "low", "Suspended")
    ns.finish(kind, "high")
    after = ns.runs(kind, "low")
    equal(before & after, set(), "pods that were there before")
    status = ns.status(kind, "low")
    equal(status.get("restarts"), None, "restarts")
    equal({name: replica.get("failed") for name, replica in
           status.get("replicaStatuses", {}).items() if replica.get("failed")},
          {}, "failed replicas")
    if began:
        equal(seconds_of(ns, kind, "low") > began, True, "a new start time")
    ns.finish(kind, "low")


def reclaimed(ns, kind):
    """quota that is lent to another queue is taken back, and the borrower runs
    again when it may"""
    other = ns.fixture.namespace()
    for one in (ns, other):
        queues.make(one, 3, cohort=ns.name)
    ns.queue(kind, "own")
    ns.runs(kind, "own")
    ns.queue(kind, "borrower")
    ns.runs(kind, "borrower")
    other.queue(kind, "lender")
    other.runs(kind, "lender")
    evicted = [job for job in ("own", "borrower")
               if ns.suspended(kind, job)]
    equal(len(evicted), 1, "jobs that gave way")
    (job,) = evicted
    found = queues.await_condition(ns, job, "Preempted")
    equal(queues.condition(found, "Preempted")["reason"],
          "InCohortReclamation")
    ns.waits(kind, job)
    other.finish(kind, "lender")
    ns.runs(kind, job)
    ns.fixture.record.check([ns, other], 6)
    equal(ns.fixture.record.released_after_pods(ns, job), 1,
          "times that its quota was given back")


def await_reclaimable(ns, job, count):
    queues.await_workload(
        ns, job, "reclaimable pods", lambda w: w["status"].get(
            "reclaimablePods") == [{"name": "worker", "count": count}])


@within(3)
def reclaimable(ns, kind):
    """what workers that have ended no longer need is given back before the job
    has ended; when it begins again it asks for all"""
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    for index in range(2):
        ns.set_phase(kind.pod("job", "Worker", index), "Succeeded")
    await_reclaimable(ns, "job", 2)
    ns.queue(kind, "beside", counts={"Worker": 2} if kind is TF else
             {"Master": 1, "Worker": 1})
    ns.runs(kind, "beside", 2)
    ns.queue(kind, "high", priority="high")
    ns.runs(kind, "high")
    for job in ("job", "beside"):
        ns.waits(kind, job)
    found = queues.workload(ns, "job")
    equal(found["status"].get("reclaimablePods"), None, "reclaimable pods")
    ns.finish(kind, "high")
    ns.client.delete(ns.of(kind, "beside"))
    ns.runs(kind, "job")


@in_namespace
@within(3)
def given_back_before(ns):
    """a restart of the whole job by a policy that came after quota was given
    back waits for a new admission"""
    ns.queue(PYTORCH, "job")
    ns.runs(PYTORCH, "job")
    ns.set_phase("job-worker-1", "Succeeded")
    await_reclaimable(ns, "job", 1)
    first = queues.workload(ns, "job")["metadata"]["uid"]
    ns.queue(PYTORCH, "beside", counts={"Master": 1})
    ns.runs(PYTORCH, "beside", 1)
    ns.patch(PYTORCH, "job", {"runPolicy": {"failurePolicy": attempts.WHOLE}})
    attempts.fail(ns, "job-worker-0")
    ns.waits(PYTORCH, "job")
    queues.await_workload(ns, "job", "another Workload",
                          lambda w: w["metadata"]["uid"] != first)
    ns.finish(PYTORCH, "beside")
    ns.runs(PYTORCH, "job")


@in_namespace
@within(3)
def not_reclaimable(ns):
    """where a restart of the whole job may make workers again, nothing of it is
    given back before its end"""
    ns.queue(PYTORCH, "job", policy={
        "failurePolicy": attempts.WHOLE})
    before = ns.runs(PYTORCH, "job")
    ns.set_phase("job-worker-1", "Succeeded")
    ns.queue(PYTORCH, "other", counts={"Worker": 1})
    ns.waits(PYTORCH, "other")
    attempts.fail(ns, "job-worker-0")
    ns.await_text("another attempt", lambda: not before & set(
        ns.uids(PYTORCH, "job").values()))
    after = ns.runs(PYTORCH, "job")
    equal(len(after), 3, "pods of the next attempt")
    found = queues.workload(ns, "job")
    equal(found["status"].get("reclaimablePods"), None, "reclaimable pods")
    equal(ns.suspended(PYTORCH, "other"), True, "the one that waits is held")
    ns.finish(PYTORCH, "job")
    ns.runs(PYTORCH, "other", 1)


@within(3)
def stopped(ns, kind):
    """a queue that is held and drained, the one of the cluster or the one of
    the namespace, gives its jobs back when it is opened again; one that is held
    leaves those that run"""
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    for local, reason in ((None, "ClusterQueueStopped"),
                          ("queue", "LocalQueueStopped")):
        queues.stop(ns, "HoldAndDrain", local)
        ns.waits(kind, "job")
        queues.await_condition(ns, "job", "Evicted", reason=reason)
        queues.await_used(ns, 0)
        queues.stop(ns, "None", local)
        ns.runs(kind, "job")
    pods = ns.uids(kind, "job")
    queues.stop(ns, "Hold")
    ns.queue(kind, "later")
    ns.waits(kind, "later")
    equal(ns.uids(kind, "job"), pods, "pods of the one that runs")
    ns.finish(kind, "job")
    ns.waits(kind, "later")
    queues.stop(ns, "None")
    ns.runs(kind, "later")


@within(3)
def after_failures(ns, kind):
    """a pod that is replaced while the job is admitted gets what the others
    have, and the quota stays"""
    ns.queue(kind, "job", policy={"backoffLimit": 3}, restart="ExitCode")
    ns.runs(kind, "job")
    first = queues.workload(ns, "job")
    ns.replaced(kind, "job", "job-worker-0", 137)
    ns.runs(kind, "job")
    found = queues.workload(ns, "job")
    equal((found["metadata"]["uid"], queues.condition(found, "Admitted")),
          (first["metadata"]["uid"], queues.condition(first, "Admitted")),
          "its Workload")
    equal(ns.owned(kind, "job", "pods")["job-worker-0"]["spec"][
        "nodeSelector"], {"flavor": "reserved"})
    wait_for("the quota to stay", lambda: queues.used(ns) == 3, LIMIT)


BOTH = (preempted, reclaimed, reclaimable, stopped, after_failures)
CASES = [case for one in BOTH for case in for_kinds(FIRST, one)] \
    + for_kinds(OTHERS, preempted) + [given_back_before, not_reclaimable]
