"""A job waits in its queue without a pod, and begins when it is admitted."""

import json

from queueing import (FIRST, LIMIT, LONG, OTHERS, queued, templates, within)

import kueue
import queues
from checks import contains, equal
from cluster import wait_for
from jobs.kinds import PYTORCH, TF
from jobs.namespace import before_and_after, for_kinds, in_namespace

JOB = "training.kubeflow.org/job-name"
PODSET = kueue.GROUP + "/podset"
LOCAL = kueue.GROUP + "/local-queue-name"
CLUSTER = kueue.GROUP + "/cluster-queue-name"
WORKLOAD = kueue.GROUP + "/workload"


def marked(ns, pod):
    """The pod has all that an admission to `queue` puts into it."""
    labels = pod["metadata"]["labels"]
    name = pod["metadata"]["name"]
    equal({key: labels.get(key) for key in (LOCAL, CLUSTER)},
          {LOCAL: "queue", CLUSTER: ns.name}, f"{name}: labels")
    podset = labels.get("training.kubeflow.org/replica-type") \
        or labels.get("training.kubeflow.org/job-role")
    equal(labels.get(PODSET), podset, f"{name}: its pod set")
    equal(pod["spec"].get("nodeSelector"), {"flavor": kueue.FLAVOR}, name)
    equal(kueue.TOLERATION in pod["spec"]["tolerations"], True,
          f"{name}: toleration")
    contains(pod["metadata"]["annotations"][WORKLOAD],
             labels["training.kubeflow.org/job-name"])


def ten_of(ns, kinds):
    jobs = {f"job-{i}": kinds[i % len(kinds)] for i in range(10)}
    for job, kind in jobs.items():
        ns.queue(kind, job, runs="1500ms")
    for kind in kinds:
        ns.ends(kind, *(job for job in jobs if jobs[job] is kind))
    queues.await_used(ns, 0)
    pods = ns.fixture.record.pods(ns)
    for pod in pods:
        marked(ns, pod)
    equal({pod["metadata"]["labels"][JOB] for pod in pods}, set(jobs),
          "jobs that had pods")
    equal({job: len(found) for job, found in queues.workloads(ns).items()},
          dict.fromkeys(jobs, 1), "Workloads of each")
    for job, kind in jobs.items():
        ns.client.delete(ns.of(kind, job))
    wait_for("the Workloads to go with their jobs",
             lambda: not queues.workloads(ns), LIMIT)


@within(9)
def ten(ns, kind):
    """ten jobs and places for three: all succeed, their pods have what the
    admission says, and nothing is left over"""
    ten_of(ns, [kind])


@in_namespace
@within(9)
def mixed(ns):
    """ten jobs of two kinds in one queue: the same"""
    ten_of(ns, FIRST)


def told(ns, kind, job):
    """How the admin endpoint says that it stands to its queue."""
    return json.loads(ns.report(kind, job)).get("queueing", {})


def is_told(ns, kind, job, **wanted):
    found = ns.await_text(f"{job} to be told", lambda: told(ns, kind, job))
    wanted.update(queue="queue")
    equal({key: found.get(key) for key in wanted}, wanted, f"what is told of {job}")


@within(3)
def waits(ns, kind):
    """a job that is resumed by hand while it waits gets no pod, and is held
    again; one that is suspended by hand while it is admitted runs again"""
    ns.queue(kind, "first")
    ns.runs(kind, "first")
    ns.queue(kind, "second")
    ns.waits(kind, "second")
    is_told(ns, kind, "first", state="admitted", clusterQueue=ns.name)
    is_told(ns, kind, "second", state="held", podsHeldBack=3)
    ns.await_text("the reason", lambda: "insufficient" in str(
        told(ns, kind, "second").get("why")))
    for _ in range(3):
        ns.patch(kind, "second", {"runPolicy": {"suspend": False}})
        ns.waits(kind, "second")
    equal(before_and_after(lambda: sorted(ns.owned(kind, "second", "pods"))),
          ([], []), "pods of the one that waits")
    ns.patch(kind, "first", {"runPolicy": {"suspend": True}})
    ns.await_text("first to be resumed",
                  lambda: not ns.suspended(kind, "first"))
    ns.runs(kind, "first")
    ns.finish(kind, "first")
    ns.runs(kind, "second")


@within(3)
def changed(ns, kind):
    """what is changed of a job that waits is changed in the same Workload"""
    queues.make(ns, 0, local="other", name=ns.name + "-other")
    ns.queue(kind, "first")
    ns.runs(kind, "first")
    ns.queue(kind, "job")
    before = queues.await_condition(ns, "job", "QuotaReserved", "False")

    def wanted(what, test):
        return queues.await_workload(ns, "job", what, test)

    ns.client.merge(ns.of(kind, "job"), {"metadata": {"labels": {
        queues.PRIORITY: "high"}}})
    # It matters more now, so the first one gives way; and has its place back
    # when the second one is changed to what never fits.
    wanted("its priority", lambda w: w["spec"].get("priority") == 1000)
    ns.runs(kind, "job")
    ns.client.delete(ns.of(kind, "job"))
    ns.runs(kind, "first")
    ns.queue(kind, "job")
    before = queues.await_condition(ns, "job", "QuotaReserved", "False")
    uid = before["metadata"]["uid"]
    spec = ns.job(kind, "job")["spec"][kind.field]
    spec["Worker"]["replicas"] = 4
    spec["Worker"]["template"]["spec"]["containers"][0]["resources"] = {
        "requests": {"cpu": "500m"}}
    ns.patch(kind, "job", {kind.field: spec})
    wanted("its size", lambda w: {
        p["name"]: p["count"] for p in w["spec"]["podSets"]}["worker"] == 4)
    found = wanted("its template", lambda w: [
        p["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]
        for p in w["spec"]["podSets"] if p["name"] == "worker"] == ["500m"])
    equal(found["metadata"]["uid"], uid, "its Workload")
    ns.client.merge(ns.of(kind, "job"), {"metadata": {"labels": {
        queues.QUEUE: "other"}}})
    found = wanted("its queue", lambda w: w["spec"]["queueName"] == "other")
    equal(found["metadata"]["uid"], uid, "its Workload")
    wanted("a message of the other queue", lambda w: "maximum" in
           queues.condition(w, "QuotaReserved").get("message", ""))
    equal(ns.live("job"), [], "pods of the one that waits")


@within(3)
def no_queue(ns, kind):
    """a job with a queue that does not exist waits, and says so; it begins when
    the queue is made"""
    ns.queue(kind, "job", queue="nope")
    queues.await_condition(ns, "job", "QuotaReserved", "False")
    ns.waits(kind, "job")
    ns.await_text("the reason", lambda: "nope doesn't exist"
                  in ns.report(kind, "job"))
    queues.make(ns, 3, local="nope", name=ns.name + "-late")
    ns.runs(kind, "job")


@within(3)
def too_large(ns, kind):
    """what is larger than the queue waits, and the reason that is told says by
    how much"""
    ns.queue(kind, "job", counts={**dict(kind.types), "Worker": 8})
    ns.waits(kind, "job")
    ns.await_text("the reason", lambda: "maximum capacity"
                  in ns.report(kind, "job"))


@within(3)
def contradicts(ns, kind):
    """a template with another value of a label that the admission gives does
    not start, says why, and nothing of it was there"""
    ns.queue(kind, "job", template={"labels": {PODSET: "mine"}})
    queues.await_workload(
        ns, "job", "Finished as FailedToStart", lambda w: queues.condition(
            w, "Finished").get("reason") == "FailedToStart")
    equal(ns.live(), [], "pods")
    ns.await_text("a warning", lambda: PODSET in str(ns.warnings("job")))
    ns.await_text("the reason", lambda: PODSET in ns.report(kind, "job"))
    queues.await_used(ns, 0)
    job = ns.job(kind, "job")["spec"][kind.field]
    for name in job:
        del job[name]["template"]["metadata"]["labels"][PODSET]
    found = ns.job(kind, "job")
    found["spec"][kind.field] = job
    ns.client.call("PUT", ns.of(kind, "job"), found)
    ns.runs(kind, "job")


@within(3)
def as_written(ns, kind):
    """a job shows what the admission has put into its templates, and gives it
    back when it is held"""
    made = ns.queue(kind, "job")
    ns.runs(kind, "job")
    for name, template in templates(ns.job(kind, "job"), kind).items():
        equal(template["spec"].get("nodeSelector"), {"flavor": kueue.FLAVOR},
              f"{name}: selector")
        equal(template["metadata"]["labels"].get(PODSET), name.lower(), name)
    queues.activate(ns, "job", False)
    ns.waits(kind, "job")
    equal(templates(ns.job(kind, "job"), kind), templates(made, kind),
          "templates")


@in_namespace
def left_alone(ns):
    """a job without the label of a queue runs at once, and has no Workload"""
    queues.make(ns, 1)
    for kind in FIRST:
        ns.queue(kind, kind.short_name, queue=None)
        ns.runs(kind, kind.short_name)
    equal(queues.workloads(ns), {}, "Workloads")


@in_namespace
def managed_by_others(ns):
    """a job that another controller looks after has no Workload of ours"""
    queues.make(ns, 3)
    ns.queue(TF, "job", policy={
        "managedBy": "kueue.x-k8s.io/multikueue"})
    ns.queue(PYTORCH, "mine")
    ns.runs(PYTORCH, "mine")
    equal(list(queues.workloads(ns)), ["mine"], "jobs with Workloads")
    equal(ns.live("job"), [], "pods")


@in_namespace
@within(9)
def in_order(ns):
    """jobs of one priority begin in the order in which they were made"""
    queues.stop(ns, "Hold")
    jobs = [f"job-{i}" for i in range(6)]
    for job in jobs:
        ns.queue(TF, job, runs="1s")
        # The order is one of whole seconds.
        wait_for("the next second", lambda: queues.workload(ns, job)
                 and later(ns, job), LIMIT)
    queues.stop(ns, "None")
    ns.ends(TF, *jobs, seconds=LONG)
    begun = {job: queues.condition(queues.workload(ns, job), "Admitted")[
        "lastTransitionTime"] for job in jobs}
    equal(sorted(jobs, key=lambda job: (begun[job], job)), jobs, "their order")


def later(ns, job):
    """Whether a Workload made now has a later time than the job's."""
    made = queues.workload(ns, job)["metadata"]["creationTimestamp"]
    probe = ns.client.post(ns.core("configmaps"), {
        "metadata": {"generateName": "clock-"}})
    return probe["metadata"]["creationTimestamp"] > made


@within(3)
def priorities(ns, kind):
    """a class of its pods, or of its scheduling policy, counts where the job
    names none of Kueue's; one that does not exist keeps it waiting, and says
    so"""
    queues.stop(ns, "Hold")
    by_pods = queued(kind, "by-pods")
    for replica in by_pods["spec"][kind.field].values():
        replica["template"]["spec"]["priorityClassName"] = "high"
    ns.post(kind, by_pods)
    ns.queue(kind, "by-policy", policy={
        "schedulingPolicy": {"priorityClass": "high"}})
    ns.queue(kind, "none")
    for job, wanted in (("by-pods", 1000), ("by-policy", 1000), ("none", 0)):
        found = queues.await_workload(ns, job, "a Workload", bool)
        equal(found["spec"].get("priority", 0), wanted, job)
        equal(found["spec"].get("priorityClassRef", {}).get("group"),
              "scheduling.k8s.io" if wanted else None, job)
    ns.queue(kind, "wrong", priority="nope")
    ns.await_text("the reason", lambda: "nope" in str(ns.warnings("wrong")))
    ns.waits(kind, "wrong")
    equal(queues.workload(ns, "wrong"), None, "its Workload")
    ns.fixture.kueue.apply({
        "apiVersion": queues.VERSION, "kind": "WorkloadPriorityClass",
        "value": 2000, "metadata": {"name": ns.name}, "description": ""})
    ns.client.merge(ns.of(kind, "wrong"), {"metadata": {"labels": {
        queues.PRIORITY: ns.name}}})
    queues.stop(ns, "None")
    ns.runs(kind, "wrong")


BOTH = (ten, waits, priorities, changed, no_queue, too_large, contradicts,
        as_written)
CASES = [case for one in BOTH for case in for_kinds(FIRST, one)] \
    + for_kinds(OTHERS, ten) + [mixed, left_alone, managed_by_others, in_order]
