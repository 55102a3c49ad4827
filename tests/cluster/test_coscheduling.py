#!/usr/bin/python3
"""Gang scheduling with scheduler-plugins: its PodGroup, and pods that name it.

    test_coscheduling.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import equal, main
from cluster import wait_for
from gangs import CASES, GangStage, refuses, requesting
from kinds import KINDS, TF
from pod_groups import Groups
from room import for_kinds, in_room
from stage import LIMIT

GROUPS = Groups("scheduling.x-k8s.io/v1alpha1")
SCHEDULER = "scheduler-plugins-scheduler"


def admit(room, job):
    """Nobody waits for the scheduler's word here."""
    GROUPS.await_one(room, job)


def named(room, kind):
    """its pods name the group, which is there before them"""
    room.make(kind, "gang")
    room.await_pods(kind, "gang", kind.pods("gang"))
    group = GROUPS.find(room, "gang")
    equal(group["spec"]["minMember"], len(kind.pods("gang")))
    for pod in room.owned(kind, "gang", "pods").values():
        equal(pod["spec"]["schedulerName"], SCHEDULER)
        equal(pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"],
              "gang")


def asked(room):
    """schedulingPolicy says what is asked for"""
    job = requesting(TF, "asked", {"schedulingPolicy": {
        "scheduleTimeoutSeconds": 7, "queue": "none of its business"}})
    room.client.post(room.of(TF), job)
    spec = GROUPS.await_one(room, "asked")["spec"]
    equal(spec, {"minMember": 4, "scheduleTimeoutSeconds": 7,
                 "minResources": {"cpu": "2", "memory": "512Mi"}})


def own_scheduler(room):
    """a scheduler that a template names is kept, and remarked upon"""
    job = TF.manifest("mixed")
    job["spec"][TF.field]["PS"]["template"]["spec"]["schedulerName"] = "mine"
    room.client.post(room.of(TF), job)
    room.await_pods(TF, "mixed", TF.pods("mixed"))
    names = {name: pod["spec"]["schedulerName"] for name, pod in
             room.owned(TF, "mixed", "pods").items()}
    wanted = {name: SCHEDULER for name in TF.pods("mixed")}
    equal(names, {**wanted, "mixed-ps-0": "mine"})
    event = room.await_event("mixed", "SetPodTemplateSchedulerName")
    equal(event["type"], "Warning")


def foreign(room):
    """somebody's PodGroup is not touched; the job goes on when it is gone"""
    theirs = room.client.post(GROUPS.path(room), {
        "apiVersion": GROUPS.api_version, "kind": "PodGroup",
        "metadata": {"name": "gang"}, "spec": {"minMember": 9}})
    room.make(TF, "gang")
    room.await_event("gang", "ErrResourceExists", '"gang"')
    equal(GROUPS.find(room, "gang"), theirs)
    equal(room.owned(TF, "gang", "pods"), {})
    room.client.delete(GROUPS.path(room, "gang"))
    room.await_pods(TF, "gang", TF.pods("gang"))
    wait_for("a group of its own", lambda: GROUPS.find(room, "gang")["spec"][
        "minMember"] == 4, LIMIT)


def no_definition(stage):
    """it does not start where its scheduler's definitions are not"""
    refuses(stage, "volcano",
            "the server has no podgroups of scheduling.volcano.sh/v1beta1")


OWN = for_kinds(KINDS, named) + [in_room(case) for case in (
    asked, own_scheduler, foreign)] + [no_definition]

if __name__ == "__main__":
    sys.exit(main(
        OWN + CASES,
        lambda troupe, more: GangStage(troupe, more, SCHEDULER, GROUPS, admit),
        __doc__, at_once=6))
