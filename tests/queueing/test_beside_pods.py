#!/usr/bin/python3
"""Beside a Kueue that queues pods, too, in namespaces with a queue `default`.

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
            troupe, more, frameworks=["batch/job", "pod"],
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


def reads_owners(_):
    """the second overlay names Kueue's account as it is installed"""
    with open(os.path.join(PODS, "role.yaml")) as file:
        text = file.read()
    contains(text, "name: kueue-controller-manager\n    namespace: "
             "kueue-system")


CASES = [*for_kinds(LISTED, queued_once), not_listed, reads_owners]

if __name__ == "__main__":
    sys.exit(main(CASES, BesidePods, __doc__, at_once=4))
