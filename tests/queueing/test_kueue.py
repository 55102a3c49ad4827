#!/usr/bin/python3
"""MPIJobs of v2beta1 in a queue of Kueue's, whose own integration `mpijob` is
on, beside real controllers and with the account of deploy/rbac.

    test_kueue.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import os
import sys
import time

from queueing import HERE, LIMIT, LONG, Queueing, queued

import attempts  # of ../components
import kueue
import queues
from checks import equal, main
from cluster import wait_for
from jobs.kinds import MPI
from jobs.mpi_ssh import MPI_SSH
from jobs.namespace import in_namespace

PAUSE = 0.1  # seconds between two looks at the queue
ENDED = ("Succeeded", "Failed")


def with_integration(troupe, more):
    return Queueing(troupe, more, stages=os.path.join(
        HERE, "..", "cluster", "control_plane", "kubelet.yaml"),
        frameworks=["batch/job", "kubeflow.org/mpijob"])


def ended(ns, kind, job):
    return any(ns.condition(kind, job, name).get("status") == "True"
               for name in ENDED)


def live(ns):
    """The pods that have not ended, of jobs that have not."""
    pods = ns.client.get(ns.core("pods"))["items"]
    unfinished = {
        job["metadata"]["name"] for job in
        ns.client.get(ns.of(MPI_SSH))["items"]
        if not any(kueue.is_true(job, name) for name in ENDED)}
    return [pod["metadata"]["name"] for pod in pods
            if pod["status"]["phase"] not in ENDED
            and pod["metadata"]["labels"].get(
                "training.kubeflow.org/job-name") in unfinished]


def watch(ns, most, over, seconds=LIMIT):
    """Until it is `over`; never more than `most` pods of unfinished jobs."""
    end = time.monotonic() + seconds
    while not over():
        found = live(ns)
        if len(found) > most:
            raise AssertionError(f"{len(found)} pods for {most} places: "
                                 + ", ".join(sorted(found)))
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s: {states(ns)}")
        time.sleep(PAUSE)


def states(ns):
    """Of each job what is True, and what its Workloads say."""
    workloads = queues.workloads(ns)
    return {job["metadata"]["name"]: (
        [c["type"] for c in job.get("status", {}).get("conditions", ())
         if c["status"] == "True"],
        [(c["type"], c["status"], c.get("message")) for workload in
         workloads.get(job["metadata"]["name"], ())
         for c in workload.get("status", {}).get("conditions", ())])
        for job in ns.client.get(ns.of(MPI_SSH))["items"]}


def jobs_end(ns, jobs, kind=MPI_SSH):
    def over():
        found = {job["metadata"]["name"]: job for job in
                 ns.client.get(ns.of(kind))["items"]}
        return all(kueue.is_true(found[job], "Succeeded") for job in jobs)
    return over


# -- cases --------------------------------------------------------------------

def twenty(fixture):
    """twenty jobs and places for three: all succeed, and none takes more"""
    ns = fixture.namespace("succeeding")
    queues.make(ns, 9)
    jobs = [f"job-{i:02}" for i in range(20)]
    for job in jobs:
        ns.post(MPI_SSH, queued(MPI_SSH, job, {"cleanPodPolicy": "All"}))
    watch(ns, 9, jobs_end(ns, jobs), LONG)
    equal({job: len(found) for job, found in
           queues.workloads(ns).items()}, dict.fromkeys(jobs, 1),
          "Workloads of each")
    wait_for("the queue to be empty",
             lambda: queues.used(ns) == 0, LIMIT)


@in_namespace
def preempted(ns):
    """a job that matters more takes the places of one that runs, when its pods
    have gone, and that one runs again when the other has ended"""
    queues.make(ns, 3)
    ns.post(MPI_SSH, queued(MPI_SSH, "low"))
    ns.await_condition(MPI_SSH, "low", "Running")
    first = ns.uids(MPI_SSH, "low")
    for pod in ns.owned(MPI_SSH, "low", "pods").values():
        equal(pod["spec"]["nodeSelector"], {"flavor": kueue.FLAVOR})
    ns.post(MPI_SSH, queued(MPI_SSH, "high", priority="high"))
    watch(ns, 3, lambda: ns.condition(
        MPI_SSH, "high", "Running").get("status") == "True")
    ns.await_condition(MPI_SSH, "low", "Suspended")
    equal(ns.owned(MPI_SSH, "low", "pods"), {}, "pods of the one that waits")
    for name, replica in ns.job(MPI_SSH, "low")["spec"][
            MPI_SSH.field].items():
        equal(replica["template"]["spec"].get("nodeSelector") or {}, {},
              f"what Kueue has put into the template of {name}")
    end_launcher(ns, "high")
    watch(ns, 3, lambda: ns.condition(
        MPI_SSH, "low", "Running").get("status") == "True")
    again = ns.uids(MPI_SSH, "low")
    equal(set(again.values()) & set(first.values()), set(), "pods of before")
    end_launcher(ns, "low")
    equal(ns.warnings("low"), {}, "warnings")


@in_namespace
def restarted(ns):
    """restarted as a whole, a job keeps what it was admitted for, and never
    takes more"""
    queues.make(ns, 3)
    ns.post(MPI_SSH, queued(MPI_SSH, "job", {
        "failurePolicy": attempts.WHOLE}))
    ns.await_condition(MPI_SSH, "job", "Running")
    equal(ns.job(MPI_SSH, "job")["spec"]["runPolicy"]["failurePolicy"],
          attempts.WHOLE, "the policy that Kueue has left")
    before = set(ns.uids(MPI_SSH, "job").values())
    ((workload,),) = queues.workloads(ns).values()
    # Another one waits for the places.
    ns.post(MPI_SSH, queued(MPI_SSH, "other"))
    attempts.fail(ns, "job-worker-0")

    def again():
        pods = ns.phases(MPI_SSH, "job")
        return len(pods) == 3 and all(
            phase == "Running" and uid not in before
            for uid, phase, _ in pods.values())

    watch(ns, 3, again)
    attempts.is_attempt(ns, MPI_SSH, "job", 1)
    attempts.never_meet(ns)
    equal(ns.owned(MPI_SSH, "other", "pods"), {}, "pods of the one that waits")
    (now,) = queues.workloads(ns)["job"]
    equal((now["metadata"]["uid"], kueue.is_true(now, "Admitted"),
           kueue.is_true(now, "Evicted")),
          (workload["metadata"]["uid"], True, False), "its Workload")
    for pod in ns.owned(MPI_SSH, "job", "pods").values():
        equal(pod["spec"]["nodeSelector"], {"flavor": kueue.FLAVOR})
    end_launcher(ns, "job")
    watch(ns, 3, lambda: ns.condition(
        MPI_SSH, "other", "Running").get("status") == "True")


def end_launcher(ns, job):
    for name in ns.client.get(ns.core("pods") + "?labelSelector="
                              + MPI_SSH.selector(job, "launcher"))["items"]:
        ns.set_phase(name["metadata"]["name"], "Succeeded")
    ns.await_condition(MPI_SSH, job, "Succeeded")


@in_namespace
def waits_for_workers(ns):
    """a launcher that waits for its workers does so under Kueue, too"""
    queues.make(ns, 3)
    ns.post(MPI_SSH, queued(MPI_SSH, "job",
                            launcherCreationPolicy="WaitForWorkersReady"))
    ns.await_condition(MPI_SSH, "job", "Running")
    pods = ns.owned(MPI_SSH, "job", "pods").values()
    made = {pod["metadata"]["labels"]["training.kubeflow.org/job-role"]:
            pod["metadata"]["creationTimestamp"] for pod in pods}
    ready = max(c["lastTransitionTime"] for pod in pods
                if "worker" in pod["metadata"]["name"]
                for c in pod["status"]["conditions"] if c["type"] == "Ready")
    if made["launcher"] < ready:
        raise AssertionError(f"made at {made['launcher']}, before {ready}, "
                             "when all workers were ready")


def other_version(fixture):
    """an MPIJob of v1 with the name of a queue is queued once, and loses no
    field"""
    ns = fixture.namespace("succeeding")
    queues.make(ns, 3)
    job = queued(MPI, "old", {"cleanPodPolicy": "None"},
                 mainContainer="mpi", slotsPerWorker=2)
    ns.post(MPI_SSH, queued(MPI_SSH, "new", {"cleanPodPolicy": "All"}))
    ns.post(MPI, job)
    watch(ns, 3, lambda: jobs_end(ns, ["old"], MPI)()
          and jobs_end(ns, ["new"])(), LONG)
    equal({name: len(found) for name, found in
           queues.workloads(ns).items()}, {"old": 1, "new": 1},
          "Workloads of each")
    spec = ns.job(MPI, "old")["spec"]
    for field in ("mainContainer", "slotsPerWorker"):
        equal(spec.get(field), job["spec"][field], field)
    equal(spec["runPolicy"].get("cleanPodPolicy"), "None")
    equal(sorted(ns.owned(MPI, "old", "pods")), sorted(MPI.pods("old")),
          "its pods")


CASES = [twenty, preempted, restarted, waits_for_workers, other_version]

if __name__ == "__main__":
    sys.exit(main(CASES, with_integration, __doc__, at_once=4))
