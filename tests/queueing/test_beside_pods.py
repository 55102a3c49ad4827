#!/usr/bin/python3
"""Beside a Kueue that queues pods, too, in namespaces with a queue `default`;
and jobs that name no queue, which are told to wait.

    test_beside_pods.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import os
import sys

from queueing import FIRST, Queueing

import kueue
import queues
from checks import contains, equal, main
from jobs.kinds import MX, XGBOOST
from jobs.namespace import for_kinds, in_namespace
from operators import shipped_objects

LISTED = (*FIRST, MX)
PODS = os.path.join(shipped_objects.DEPLOY, "overlays", "kueue-pods")


class BesidePods(Queueing):
    def __init__(self, troupe, more):
        super().__init__(
            troupe, ["--kueue-jobs-without-queue", "*", *more],
            frameworks=["batch/job", "pod"],
            external=[f"{kind.name}.v1.kubeflow.org" for kind in LISTED])


def queued_once(ns, kind):
    """a kind that Kueue is told of has one Workload for a job, and its pods no
    gate of Kueue's"""
    queues.make(ns, 9, local="default")
    queues.make(ns, 3, name=ns.name + "-own")
    ns.queue(kind, "job")
    ns.runs(kind, "job")
    equal(len(ns.client.get(ns.at(kueue.API, "workloads"))["items"]), 1,
          "Workloads")
    for name, pod in ns.owned(kind, "job", "pods").items():
        equal(pod["spec"].get("schedulingGates"), None, f"{name}: gates")
        equal(pod["metadata"].get("finalizers"), None, f"{name}: finalizers")
    ns.finish(kind, "job")


@in_namespace
def not_listed(ns):
    """a kind that Kueue is not told of: `explain` names the setting"""
    queues.make(ns, 9, local="default")
    queues.make(ns, 3, name=ns.name + "-own")
    ns.queue(XGBOOST, "job")
    ns.await_text("the setting's name", lambda: "externalFrameworks"
                  in ns.report(XGBOOST, "job"))
    contains(ns.report(XGBOOST, "job"), "XGBoostJob.v1.kubeflow.org")


def unlabelled(ns, kind):
    """a job that names no queue waits for the one named `default`"""
    queues.make(ns, 3, local="default")
    for job in ("job-1", "job-2"):
        ns.queue(kind, job, queue=None, runs="1s")
    ns.ends(kind, "job-1", "job-2")
    ns.fixture.record.check([ns], 3)
    for job in ("job-1", "job-2"):
        equal(ns.job(kind, job)["metadata"]["labels"].get(kueue.QUEUE),
              "default", f"{job}: its queue")
        equal(queues.workload(ns, job)["spec"]["queueName"], "default",
              f"{job}: its Workload's")


def without_queue(ns, kind):
    """where there is none of that name it is held until somebody names one"""
    queues.make(ns, 3)
    ns.queue(kind, "job", queue=None)
    ns.waits(kind, "job")
    found = queues.await_workload(ns, "job", "a Workload", bool)
    equal(found["spec"].get("queueName"), None, "its Workload's queue")
    queues.await_condition(ns, "job", "QuotaReserved", "False")
    ns.await_text("why", lambda: "a person, who names a LocalQueue"
                  in ns.report(kind, "job"))
    ns.client.merge(ns.of(kind, "job"), {"metadata": {"labels": {
        kueue.QUEUE: "queue"}}})
    ns.runs(kind, "job")
    ns.finish(kind, "job")
    ns.fixture.record.check([ns], 3)


def reads_owners(_):
    """the second overlay names Kueue's account as it is installed"""
    with open(os.path.join(PODS, "role.yaml")) as file:
        text = file.read()
    contains(text, "name: kueue-controller-manager\n    namespace: "
             "kueue-system")


CASES = [*for_kinds(LISTED, queued_once), not_listed, reads_owners,
         *for_kinds(FIRST, unlabelled), *for_kinds(FIRST, without_queue)]

if __name__ == "__main__":
    sys.exit(main(CASES, BesidePods, __doc__, at_once=4))
