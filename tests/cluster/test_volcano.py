#!/usr/bin/python3
"""Gang scheduling with Volcano: its PodGroup, and pods that wait for it.

    test_volcano.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys
import time

from checks import equal, main
from cluster import wait_for
from gangs import CASES, GangStage, refuses, requesting
from kinds import KINDS, MPI, PYTORCH, TF
from pod_groups import Groups
from room import Room, alone, for_kinds, in_room, quiet
from stage import LIMIT

GROUPS = Groups("scheduling.volcano.sh/v1beta1")


def admit(room, job):
    GROUPS.await_one(room, job)
    GROUPS.tell(room, job, phase="Inqueue")


def admitted(room, kind):
    """pods are made when its group is admitted, not before"""
    room.make(kind, "gang")
    group = GROUPS.await_one(room, "gang")
    uid = room.job(kind, "gang")["metadata"]["uid"]
    pods = kind.pods("gang")
    equal(group["spec"]["minMember"], len(pods))
    equal(group["spec"]["queue"], "default")
    (owner,) = group["metadata"]["ownerReferences"]
    equal((owner["kind"], owner["uid"]), (kind.name, uid))
    GROUPS.tell(room, "gang", phase="Pending")
    equal(*quiet(lambda: room.owned(kind, "gang", "pods"), 1))
    equal(room.owned(kind, "gang", "pods"), {})
    equal("startTime" in room.status(kind, "gang"), False)
    GROUPS.tell(room, "gang", phase="Inqueue")
    room.await_pods(kind, "gang", pods)
    for pod in room.owned(kind, "gang", "pods").values():
        marks = pod["metadata"]["annotations"]
        equal(pod["spec"]["schedulerName"], "volcano")
        equal(marks["scheduling.k8s.io/group-name"], "gang")
        equal(marks["volcano.sh/task-spec"], pod["metadata"]["labels"][
            "training.kubeflow.org/replica-type"])
    room.run_all(kind, "gang")
    room.await_condition(kind, "gang", "Running")


def asked(room):
    """schedulingPolicy says what is asked for"""
    job = requesting(TF, "asked", {"schedulingPolicy": {
        "minAvailable": 2, "queue": "first", "priorityClass": "high"}})
    room.client.post(room.of(TF), job)
    spec = GROUPS.await_one(room, "asked")["spec"]
    # Of the two that are wanted at least, the chief and the server.
    equal(spec, {"minMember": 2, "queue": "first", "priorityClassName": "high",
                 "minResources": {"cpu": "1", "memory": "256Mi"}})
    amounts = {"cpu": "7"}  # And of the memory nothing more.
    room.patch(TF, "asked", {"runPolicy": {"schedulingPolicy": {
        "minAvailable": 3, "minResources": amounts}}})
    wait_for("the new size", lambda: GROUPS.find(room, "asked")["spec"] == {
        **spec, "minMember": 3, "minResources": amounts}, LIMIT)


@alone
def waits_over_kills(stage):
    """SIGKILL while pods wait: they wait on, and are made when it is time"""
    room = Room(stage)
    room.make(TF, "gang")
    room.make(MPI, "mpi")
    GROUPS.await_one(room, "gang")
    GROUPS.await_one(room, "mpi")
    stage.operator.kill()
    stage.operator.start()
    before = [GROUPS.version(room, job) for job in ("gang", "mpi")]
    admit(room, "gang")
    room.await_pods(TF, "gang", TF.pods("gang"))
    equal(room.owned(MPI, "mpi", "pods"), {})
    equal(GROUPS.version(room, "mpi"), before[1])
    stage.operator.kill()
    GROUPS.tell(room, "mpi", phase="Running")
    stage.operator.start()
    room.await_pods(MPI, "mpi", MPI.pods("mpi"))


def foreign(room):
    """somebody's PodGroup is not touched; the job goes on when it is gone"""
    theirs = room.client.post(GROUPS.path(room), {
        "apiVersion": GROUPS.api_version, "kind": "PodGroup",
        "metadata": {"name": "gang"}, "spec": {"minMember": 9}})
    GROUPS.tell(room, "gang", phase="Inqueue")
    theirs = GROUPS.find(room, "gang")
    room.make(PYTORCH, "gang")
    room.await_event("gang", "ErrResourceExists", '"gang"')
    equal(GROUPS.find(room, "gang"), theirs)
    equal(room.owned(PYTORCH, "gang", "pods"), {})
    room.client.delete(GROUPS.path(room, "gang"))
    wait_for("a group of its own", lambda: (GROUPS.find(room, "gang") or
             theirs)["metadata"]["uid"] != theirs["metadata"]["uid"], LIMIT)
    admit(room, "gang")
    room.await_pods(PYTORCH, "gang", PYTORCH.pods("gang"))


def explained(room):
    """why its group is not admitted is read from events on it, once"""
    room.make(TF, "full")
    room.make(TF, "quiet")
    uid = GROUPS.await_one(room, "full")["metadata"]["uid"]
    for job in ("full", "quiet"):
        GROUPS.await_one(room, job)
        GROUPS.tell(room, job, phase="Pending")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for n, message in enumerate((
            "0/0 tasks in gang unschedulable: pod group is not ready",
            "queue resource quota insufficient")):
        room.client.post(room.core("events"), {
            "metadata": {"name": f"full.{n}"}, "type": "Normal",
            "reason": "Unschedulable", "message": message,
            "firstTimestamp": now, "lastTimestamp": now, "count": 1,
            "source": {"component": "volcano"},
            "involvedObject": {
                "apiVersion": GROUPS.api_version, "kind": "PodGroup",
                "namespace": room.name, "name": "full", "uid": uid}})

    def told(job):
        return [e for e in room.events(job, "Unschedulable")
                if e["involvedObject"]["kind"] == "TFJob"]

    wait_for("the reason on the job", lambda: told("full"), LIMIT)
    (event,) = told("full")
    equal((event["type"], event["message"]),
          ("Warning", "PodGroup full: queue resource quota insufficient"))
    # There is no definition of queues here, so nothing is said of one.
    equal(told("quiet"), [])
    equal(room.owned(TF, "full", "pods"), {})


def no_definition(stage):
    """it does not start where its scheduler's definitions are not"""
    refuses(stage, "scheduler-plugins-scheduler",
            "the server has no podgroups of scheduling.x-k8s.io/v1alpha1")


VOLCANO = for_kinds(KINDS, admitted) + [
    in_room(asked), in_room(foreign), in_room(explained), no_definition, waits_over_kills]

if __name__ == "__main__":
    sys.exit(main(
        VOLCANO + CASES,
        lambda troupe, more: GangStage(troupe, more, "volcano", GROUPS, admit),
        __doc__, at_once=6))
