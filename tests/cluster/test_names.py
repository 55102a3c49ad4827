#!/usr/bin/python3
"""Two jobs of different kinds with one name: pods and services collide.

    test_names.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import equal, main
from cluster import wait_for
from jobs.kinds import JAX, PADDLE, PYTORCH, TF, XGBOOST
from jobs.namespace import (Namespace, before_and_after, for_kinds,
                            in_namespace, serial)
from operators.operator_fixture import LIMIT, OperatorFixture

WORKERS = ["job-worker-0", "job-worker-1"]
MASTERED = [PYTORCH, XGBOOST, PADDLE]


def both(ns, kind, policy=None):
    """A TFJob of two workers, then another kind's job of that name.

    Returns the UIDs of the first one's pods and services.
    """
    ns.make(TF, "job", policy, counts={"Worker": 2})
    ns.await_pods(TF, "job", WORKERS)
    ns.make(kind, "job")
    ns.await_pods(kind, "job", ["job-master-0"])
    for what, noun in (("pods", "Pod"), ("services", "Service")):
        for name in WORKERS:
            event = ns.await_event(
                "job", "FailedCreate" + noun,
                f'{what} "{name}" already exists; it belongs to TFJob job')
            equal((event["type"], event["involvedObject"]["kind"]),
                  ("Warning", kind.name))
    return all_of(ns, TF)


def all_of(ns, kind):
    return [ns.uids(kind, "job", what) for what in ("pods", "services")]


def versions(ns, kind):
    return {name: o["metadata"]["resourceVersion"]
            for name, o in ns.owned(kind, "job", "pods").items()}


def side_by_side(ns, kind):
    """jobs without common names run; the others run when the names are free"""
    first = both(ns, kind)
    ns.set_phase("job-master-0", "Running")
    ns.await_condition(kind, "job", "Running")
    for pod in WORKERS:
        ns.set_phase(pod, "Running")
    ns.await_condition(TF, "job", "Running")
    equal(all_of(ns, TF), first)
    counts = ns.status(kind, "job")["replicaStatuses"]
    equal(counts.get("Worker", {}).get("active", 0), 0, "workers of its own")
    master = ns.uids(kind, "job")
    ns.client.delete(ns.of(TF, "job"))
    ns.collect(TF, "job")
    ns.await_pods(kind, "job", ["job-master-0", *WORKERS])
    equal(ns.uids(kind, "job")["job-master-0"], master["job-master-0"])
    ns.run_all(kind, "job")
    ns.succeed(kind, "job")


def cleaned(ns):
    """the end of one, its clean-up and its suspension spare the other's"""
    first = both(ns, PYTORCH, {"cleanPodPolicy": "All"})
    ns.patch(PYTORCH, "job", {"runPolicy": {"suspend": True}})
    ns.await_condition(PYTORCH, "job", "Suspended")
    ns.await_pods(PYTORCH, "job", [])
    equal(all_of(ns, TF), first)
    ns.patch(PYTORCH, "job", {"runPolicy": {"suspend": False}})
    ns.await_pods(PYTORCH, "job", ["job-master-0"])
    second = all_of(ns, PYTORCH)
    for pod in WORKERS:
        ns.set_phase(pod, "Running")
    ns.set_phase("job-worker-0", "Succeeded")
    ns.await_condition(TF, "job", "Succeeded")
    wait_for("the clean-up", lambda: all_of(ns, TF) == [{}, {}], LIMIT)
    ns.await_pods(PYTORCH, "job", ["job-master-0", *WORKERS])
    now = all_of(ns, PYTORCH)
    for before, after in zip(second, now):
        equal(after["job-master-0"], before["job-master-0"])


def scaled(ns):
    """scaling one down does not touch the other's surplus"""
    first = both(ns, PYTORCH)
    ns.scale(PYTORCH, "job", 1)
    # More of the first's are made after: it has been looked at by then.
    ns.patch(TF, "job", {TF.field: {"Worker": {"replicas": 3}}})
    ns.await_pods(TF, "job", WORKERS + ["job-worker-2"])
    for before, after in zip(first, all_of(ns, TF)):
        equal({**after, **before}, after)
    before = versions(ns, TF)
    equal(*before_and_after(lambda: versions(ns, TF)))
    equal(versions(ns, TF), before)


def without_clash(ns):
    """no pod has the same name: both live, each by its own"""
    ns.start(TF, "job", counts={"PS": 1, "Chief": 1})
    ns.start(JAX, "job")
    ns.succeed(JAX, "job")
    equal(ns.condition(TF, "job", "Succeeded"), {})
    ns.patch(JAX, "job", {"runPolicy": {"suspend": True}})
    ns.set_phase("job-chief-0", "Succeeded")
    ns.await_condition(TF, "job", "Succeeded")


@serial
def restarted(fixture):
    """SIGKILL: the next one knows whose is whose"""
    ns = Namespace(fixture)
    first = both(ns, PYTORCH)
    second = all_of(ns, PYTORCH)
    fixture.operator.kill()
    fixture.operator.start()
    for pod in WORKERS + ["job-master-0"]:
        ns.set_phase(pod, "Running")
    ns.await_condition(TF, "job", "Running")
    ns.await_condition(PYTORCH, "job", "Running")
    equal(all_of(ns, TF), first)
    equal(all_of(ns, PYTORCH), second)
    wait_for("the counts", lambda: ns.status(TF, "job")[
        "replicaStatuses"]["Worker"].get("active") == 2, LIMIT)


CASES = for_kinds(MASTERED, side_by_side) + [in_namespace(case) for case in (
    cleaned, scaled, without_clash)] + [restarted]

if __name__ == "__main__":
    sys.exit(main(CASES, OperatorFixture, __doc__, at_once=6))
