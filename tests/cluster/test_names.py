#!/usr/bin/python3
"""Two jobs of different kinds with one name: pods and services collide.

    test_names.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import equal, main
from cluster import wait_for
from kinds import JAX, PADDLE, PYTORCH, TF, XGBOOST
from room import Room, alone, for_kinds, in_room, quiet
from stage import LIMIT, Stage

WORKERS = ["job-worker-0", "job-worker-1"]
MASTERED = [PYTORCH, XGBOOST, PADDLE]


def both(room, kind, policy=None):
    """A TFJob of two workers, then another kind's job of that name.

    Returns the UIDs of the first one's pods and services.
    """
    room.make(TF, "job", policy, counts={"Worker": 2})
    room.await_pods(TF, "job", WORKERS)
    room.make(kind, "job")
    room.await_pods(kind, "job", ["job-master-0"])
    for what, noun in (("pods", "Pod"), ("services", "Service")):
        for name in WORKERS:
            event = room.await_event(
                "job", "FailedCreate" + noun,
                f'{what} "{name}" already exists; it belongs to TFJob job')
            equal((event["type"], event["involvedObject"]["kind"]),
                  ("Warning", kind.name))
    return all_of(room, TF)


def all_of(room, kind):
    return [room.uids(kind, "job", what) for what in ("pods", "services")]


def versions(room, kind):
    return {name: o["metadata"]["resourceVersion"]
            for name, o in room.owned(kind, "job", "pods").items()}


def side_by_side(room, kind):
    """what does not collide lives; the other goes on when the way is free"""
    first = both(room, kind)
    room.set_phase("job-master-0", "Running")
    room.await_condition(kind, "job", "Running")
    for pod in WORKERS:
        room.set_phase(pod, "Running")
    room.await_condition(TF, "job", "Running")
    equal(all_of(room, TF), first)
    counts = room.status(kind, "job")["replicaStatuses"]
    equal(counts.get("Worker", {}).get("active", 0), 0, "workers of its own")
    master = room.uids(kind, "job")
    room.client.delete(room.of(TF, "job"))
    room.collect(TF, "job")
    room.await_pods(kind, "job", ["job-master-0", *WORKERS])
    equal(room.uids(kind, "job")["job-master-0"], master["job-master-0"])
    room.run_all(kind, "job")
    room.succeed(kind, "job")


def cleaned(room):
    """the end of one, its clean-up and its suspension spare the other's"""
    first = both(room, PYTORCH, {"cleanPodPolicy": "All"})
    room.patch(PYTORCH, "job", {"runPolicy": {"suspend": True}})
    room.await_condition(PYTORCH, "job", "Suspended")
    room.await_pods(PYTORCH, "job", [])
    equal(all_of(room, TF), first)
    room.patch(PYTORCH, "job", {"runPolicy": {"suspend": False}})
    room.await_pods(PYTORCH, "job", ["job-master-0"])
    second = all_of(room, PYTORCH)
    for pod in WORKERS:
        room.set_phase(pod, "Running")
    room.set_phase("job-worker-0", "Succeeded")
    room.await_condition(TF, "job", "Succeeded")
    wait_for("the clean-up", lambda: all_of(room, TF) == [{}, {}], LIMIT)
    room.await_pods(PYTORCH, "job", ["job-master-0", *WORKERS])
    now = all_of(room, PYTORCH)
    for before, after in zip(second, now):
        equal(after["job-master-0"], before["job-master-0"])


def scaled(room):
    """scaling one down does not touch the other's surplus"""
    first = both(room, PYTORCH)
    room.scale(PYTORCH, "job", 1)
    # More of the first's are made after: it has been looked at by then.
    room.patch(TF, "job", {TF.field: {"Worker": {"replicas": 3}}})
    room.await_pods(TF, "job", WORKERS + ["job-worker-2"])
    for before, after in zip(first, all_of(room, TF)):
        equal({**after, **before}, after)
    before = versions(room, TF)
    equal(*quiet(lambda: versions(room, TF)))
    equal(versions(room, TF), before)


def without_clash(room):
    """no pod has the same name: both live, each by its own"""
    room.start(TF, "job", counts={"PS": 1, "Chief": 1})
    room.start(JAX, "job")
    room.succeed(JAX, "job")
    equal(room.condition(TF, "job", "Succeeded"), {})
    room.patch(JAX, "job", {"runPolicy": {"suspend": True}})
    room.set_phase("job-chief-0", "Succeeded")
    room.await_condition(TF, "job", "Succeeded")


@alone
def restarted(stage):
    """SIGKILL: the next one knows whose is whose"""
    room = Room(stage)
    first = both(room, PYTORCH)
    second = all_of(room, PYTORCH)
    stage.operator.kill()
    stage.operator.start()
    for pod in WORKERS + ["job-master-0"]:
        room.set_phase(pod, "Running")
    room.await_condition(TF, "job", "Running")
    room.await_condition(PYTORCH, "job", "Running")
    equal(all_of(room, TF), first)
    equal(all_of(room, PYTORCH), second)
    wait_for("the counts", lambda: room.status(TF, "job")[
        "replicaStatuses"]["Worker"].get("active") == 2, LIMIT)


CASES = for_kinds(MASTERED, side_by_side) + [in_room(case) for case in (
    cleaned, scaled, without_clash)] + [restarted]

if __name__ == "__main__":
    sys.exit(main(CASES, Stage, __doc__, at_once=6))
