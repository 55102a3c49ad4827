"""Fewer pods than were asked for, and another size while a job runs."""

from queueing import FIRST, LIMIT, within

import kueue
import queues
from checks import equal
from cluster import wait_for
from jobs.kinds import JAX, PADDLE, PYTORCH, TF
from jobs.namespace import before_and_after, for_kinds, in_namespace

ELASTIC = {kueue.GROUP + "/elastic-job": "true"}


def grants(ns, job):
    """How many pods the Workload of the job was granted."""
    return sum(a["count"] for a in queues.workload(ns, job)["status"].get(
        "admission", {}).get("podSetAssignments", ()))


@in_namespace
@within(3)
def partial(ns):
    """PyTorchJob: an elastic job that asks for six workers and takes two runs
    with the three that there is room for, ends; after a preemption it asks for
    six again"""
    policy = {"minReplicas": 2, "maxReplicas": 6}
    ns.queue(PYTORCH, "job", counts={"Worker": 6}, elasticPolicy=policy)
    ns.runs(PYTORCH, "job", 3)
    equal(grants(ns, "job"), 3, "pods that were granted")
    equal(before_and_after(lambda: len(ns.live("job"))), (3, 3), "pods")
    ns.queue(PYTORCH, "high", priority="high")
    ns.runs(PYTORCH, "high")
    ns.waits(PYTORCH, "job")
    (podset,) = queues.workload(ns, "job")["spec"]["podSets"]
    equal((podset["count"], podset["minCount"]), (6, 2), "what it asks for")
    ns.finish(PYTORCH, "high")
    ns.runs(PYTORCH, "job", 3)
    for index in range(3):
        ns.set_phase(f"job-worker-{index}", "Succeeded")
    ns.ends(PYTORCH, "job")
    queues.await_used(ns, 0)


@within(4)
def resized(ns, kind):
    """a job that is not elastic and is given another size while it runs is
    held, and queued again with it"""
    ns.queue(kind, "job")
    before = ns.runs(kind, "job")
    first = queues.workload(ns, "job")["metadata"]["uid"]
    ns.patch(kind, "job", {kind.field: {"Worker": {"replicas": 3}}})
    ns.await_text("other pods", lambda: not before & set(
        ns.uids(kind, "job").values()))
    ns.runs(kind, "job", 4)
    found = queues.workload(ns, "job")
    equal(found["metadata"]["uid"] != first, True, "another Workload")
    equal(grants(ns, "job"), 4, "pods that were granted")


def unfinished(ns, job):
    return [w for w in queues.workloads(ns).get(job, ())
            if not kueue.is_true(w, "Finished")]


def grows(ns, kind):
    """an elastic job grows without a stop where there is room: its first
    Workload gives way to the second one, and no pod is replaced; where there is
    none, it runs on as it is until there is"""
    queues.make(ns, 4)
    more = {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 6}} \
        if kind is PYTORCH else {}
    ns.queue(kind, "job", counts={"Worker": 2}, notes=ELASTIC, **more)
    before = ns.runs(kind, "job", 2)
    ns.patch(kind, "job", {kind.field: {"Worker": {"replicas": 3}}})
    after = ns.runs(kind, "job", 3)
    equal(before <= after, True, "the first pods run on")
    wait_for("one Workload that is not finished",
             lambda: len(unfinished(ns, "job")) == 1, LIMIT)
    (second,) = unfinished(ns, "job")
    reasons = [queues.condition(w, "Finished").get("reason")
               for w in queues.workloads(ns)["job"]
               if w["metadata"]["uid"] != second["metadata"]["uid"]]
    equal(set(reasons) <= {"WorkloadSliceReplaced"}, True, str(reasons))
    queues.await_used(ns, 3)
    ns.patch(kind, "job", {kind.field: {"Worker": {"replicas": 6}}})
    wait_for("another one that waits",
             lambda: len(unfinished(ns, "job")) == 2, LIMIT)
    equal(before_and_after(lambda: set(ns.uids(kind, "job").values())),
          (after, after), "pods of the one that cannot grow")
    equal(ns.suspended(kind, "job"), False, "it is held")
    queues.write_quota(ns, 6)
    now = ns.runs(kind, "job", 6)
    equal(after <= now, True, "the pods run on")
    ns.fixture.record.check([ns], 6)


@within(3)
def shrinks(ns, kind):
    """an elastic job that shrinks gives back what it no longer needs, and the
    other pods run on"""
    more = {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 6}} \
        if kind is PYTORCH else {}
    ns.queue(kind, "job", counts={"Worker": 3}, notes=ELASTIC, **more)
    before = ns.runs(kind, "job", 3)
    ns.patch(kind, "job", {kind.field: {"Worker": {"replicas": 2}}})
    after = ns.runs(kind, "job", 2)
    equal(after <= before, True, "the others run on")
    queues.await_used(ns, 2)
    ns.queue(kind, "beside", counts={"Worker": 1})
    ns.runs(kind, "beside", 1)
    ns.runs(kind, "job", 2)


@in_namespace
@within(3)
def shrinks_beside_ended(ns):
    """TFJob: one that shrinks by a worker that has ended, and has given its quota
    back, keeps that of the others"""
    ns.queue(TF, "job", counts={"Worker": 3})
    ns.runs(TF, "job")
    ns.set_phase("job-worker-2", "Succeeded")
    queues.await_used(ns, 2)
    ns.queue(TF, "beside", counts={"Worker": 1})
    ns.runs(TF, "beside", 1)
    ns.patch(TF, "job", {TF.field: {"Worker": {"replicas": 2}}})
    ns.await_text("its last worker to go", lambda: "job-worker-2" not in
                  ns.owned(TF, "job", "pods"))
    ns.queue(TF, "third", counts={"Worker": 1})
    ns.waits(TF, "third")
    queues.await_condition(ns, "third", "QuotaReserved", "False")
    queues.await_used(ns, 3)
    equal(before_and_after(lambda: queues.used(ns)), (3, 3), "quota in use")
    ns.set_phase("job-worker-1", "Succeeded")
    ns.runs(TF, "third", 1)
    ns.runs(TF, "beside", 1)


ELASTIC_KINDS = (PYTORCH, JAX, PADDLE)
CASES = [partial, shrinks_beside_ended, *for_kinds(FIRST, resized),
         *for_kinds(ELASTIC_KINDS, grows), *for_kinds(ELASTIC_KINDS, shrinks)]
