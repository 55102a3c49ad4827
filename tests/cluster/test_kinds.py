#!/usr/bin/python3
"""Jobs of every kind with the shipped binary on a real API server.

Each case has a namespace of its own, so that many run at once.

    test_kinds.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import re
import sys
from datetime import datetime

from checks import contains, equal, main
from cluster import wait_for
from kinds import KINDS, environment
from room import LABEL, Room, alone, for_kinds, quiet
from stage import LIMIT, Stage

SCALED = [kind for kind in KINDS if kind.scales]
SECOND = "%Y-%m-%dT%H:%M:%SZ"


def seconds_between(first, last):
    return (datetime.strptime(last, SECOND)
            - datetime.strptime(first, SECOND)).total_seconds()


# -- bodies -------------------------------------------------------------------

def made(room, kind):
    """its pods and services are those of the documentation"""
    room.make(kind, "made")
    room.await_pods(kind, "made", kind.pods("made"))
    uid = room.job(kind, "made")["metadata"]["uid"]
    masters = kind.named("made", kind.roles)
    pods = room.owned(kind, "made", "pods")
    services = room.owned(kind, "made", "services")
    for replica, count in kind.types:
        for index in range(count):
            name = kind.pod("made", replica, index)
            labels = check_pod(kind, pods[name], uid, replica, index,
                               name in masters)
            if kind.port:
                check_service(kind, services[name], uid, labels)
    equal(len(services), len(pods) if kind.port else 0, "services")
    room.await_event("made", "SuccessfulCreatePod")


def check_owner(kind, item, uid):
    (owner,) = item["metadata"]["ownerReferences"]
    equal((owner["apiVersion"], owner["kind"], owner["uid"],
           owner["controller"]), ("kubeflow.org/v1", kind.name, uid, True))


def check_pod(kind, pod, uid, replica, index, master):
    """Returns the labels that a service has of it."""
    check_owner(kind, pod, uid)
    labels = {LABEL + "operator-name": kind.controller,
              LABEL + "job-name": "made",
              LABEL + "replica-type": replica.lower()}
    if replica != "Launcher":
        labels[LABEL + "replica-index"] = str(index)
    role = {LABEL + "job-role": "master"} if master else {}
    equal(pod["metadata"]["labels"], {**labels, **role})
    (box,) = pod["spec"]["containers"]
    given = {e["name"]: e.get("value", "") for e in box.get("env", ())}
    for name, value in environment(kind, "made", replica, index).items():
        equal(name in given, True, f"{name} in {given}")
        if value is not None:
            equal(given[name], value, name)
    ports = [(p["name"], p["containerPort"]) for p in box.get("ports", ())]
    equal(ports, [kind.port] if kind.port else [], "ports")
    equal(pod["spec"]["restartPolicy"], kind.restarts or "Never")
    return labels


def check_service(kind, service, uid, labels):
    check_owner(kind, service, uid)
    equal(service["metadata"]["labels"], labels)
    equal(service["spec"]["clusterIP"], "None")
    equal(service["spec"]["selector"], labels)
    (port,) = service["spec"]["ports"]
    equal((port["name"], port["port"]), kind.port)


# -- life ---------------------------------------------------------------------

def succeeded(room, kind):
    """runs, succeeds with its leader, and keeps the pods that are done"""
    done = kind.named("life", kind.leads)
    room.start(kind, "life", {"cleanPodPolicy": "Running"})
    wait_for("the counts", lambda: {
        replica: counts.get("active") for replica, counts in room.status(
            kind, "life")["replicaStatuses"].items()} == dict(kind.types),
        LIMIT)
    for pod in done:
        room.set_phase(pod, "Succeeded")
    room.await_condition(kind, "life", "Succeeded")
    room.await_pods(kind, "life", done)
    equal(room.condition(kind, "life", "Running")["status"], "False")
    equal("completionTime" in room.status(kind, "life"), True)
    room.await_event("life", kind.name + "Succeeded")


def failed(room, kind):
    """fails for good when a pod does that is not to be replaced"""
    room.start(kind, "bad", {"cleanPodPolicy": "All"}, restart="Never")
    room.set_phase("bad-worker-1", "Failed", 1)
    room.await_condition(kind, "bad", "Failed")
    room.await_pods(kind, "bad", [])
    contains(room.condition(kind, "bad", "Failed")["message"],
             "is failed because 1 Worker replica(s) failed."
             if kind.name != "TFJob" else
             "has failed because 1 Worker replica(s) failed.")


def restarted(room, kind):
    """replaces a pod that failed with a code above 127"""
    room.start(kind, "back", restart="ExitCode")
    room.replaced(kind, "back", "back-worker-0", 137)
    room.await_event("back", kind.name + "Restarting",
                     "job back is restarting because Worker replica(s) failed.")
    room.await_pods(kind, "back", kind.pods("back"))
    room.run_all(kind, "back")
    room.await_condition(kind, "back", "Running")
    equal(room.condition(kind, "back", "Restarting"), {})


def suspended(room, kind):
    """suspend removes its pods, resume brings them back"""
    room.start(kind, "pause")
    room.patch(kind, "pause", {"runPolicy": {"suspend": True}})
    room.await_pods(kind, "pause", [])
    room.await_condition(kind, "pause", "Suspended")
    equal(room.condition(kind, "pause", "Running")["status"], "False")
    room.patch(kind, "pause", {"runPolicy": {"suspend": False}})
    room.await_pods(kind, "pause", kind.pods("pause"))
    room.await_condition(kind, "pause", "Suspended", "False")
    room.run_all(kind, "pause")
    room.await_condition(kind, "pause", "Running")
    for reason in ("Suspended", "Resumed"):
        room.await_event("pause", kind.name + reason)


def born_suspended(room, kind):
    """a job that is made suspended has nothing until it is resumed"""
    room.make(kind, "later", {"suspend": True})
    room.await_condition(kind, "later", "Suspended")
    equal(room.owned(kind, "later", "pods"), {})
    equal(room.owned(kind, "later", "services"), {})
    equal("startTime" in room.status(kind, "later"), False)
    room.patch(kind, "later", {"runPolicy": {"suspend": False}})
    room.await_pods(kind, "later", kind.pods("later"))
    wait_for("its start", lambda: "startTime" in room.status(kind, "later"),
             LIMIT)


def managed_elsewhere(room, kind):
    """another manager's job is left alone"""
    room.make(kind, "theirs", {"managedBy": "kueue.x-k8s.io/multikueue"})
    room.make(kind, "ours", {"managedBy": "kubeflow.org/training-operator"})
    room.start(kind, "after")  # The operator has got this far.
    room.await_pods(kind, "ours", kind.pods("ours"))
    equal(room.owned(kind, "theirs", "pods"), {})
    equal(room.status(kind, "theirs"), {})


# -- sizes --------------------------------------------------------------------

def scaled_by_spec(room, kind):
    """more workers in the spec are made, surplus ones removed"""
    room.start(kind, "size")
    before = room.uids(kind, "size")
    for count in (4, 1):
        counts = kind.with_workers(count)
        room.patch(kind, "size",
                   {kind.field: {"Worker": {"replicas": count}}})
        room.await_pods(kind, "size", kind.pods("size", counts))
    for name, uid in room.uids(kind, "size").items():
        equal(uid, before[name], name)
    equal(room.condition(kind, "size", "Failed"), {})


def scaled(room, kind):
    """/scale sets its workers and tells how many run"""
    room.start(kind, "size")
    room.scale(kind, "size", 4)
    room.await_pods(kind, "size", kind.pods("size", kind.with_workers(4)))
    room.run_all(kind, "size")
    path = room.of(kind, "size") + "/scale"
    wait_for("the count in /scale", lambda: room.client.get(
        path)["status"].get("replicas") == 4, LIMIT)
    selector = room.client.get(path)["status"]["selector"]
    chosen = room.client.get(room.core("pods") + "?labelSelector="
                             + re.sub("[=,]", lambda m: f"%{ord(m[0]):02X}",
                                      selector))["items"]
    equal(sorted(p["metadata"]["name"] for p in chosen),
          [f"size-worker-{i}" for i in range(4)], "selected")
    room.scale(kind, "size", 1)
    room.await_pods(kind, "size", kind.pods("size", kind.with_workers(1)))
    equal(room.condition(kind, "size", "Failed"), {})


def scaled_to_nothing(room, kind):
    """/scale to 0 removes its workers and ends nothing"""
    room.start(kind, "size")
    room.scale(kind, "size", 0)
    rest = kind.with_workers(0)
    room.await_pods(kind, "size", kind.pods("size", rest))
    for end in ("Succeeded", "Failed"):
        equal(room.condition(kind, "size", end), {})
    room.scale(kind, "size", 1)
    room.await_pods(kind, "size", kind.pods("size", kind.with_workers(1)))


def no_workers(room, kind):
    """no workers: none are made, and nothing has succeeded for that"""
    counts = kind.with_workers(0)
    room.make(kind, "none", counts=counts)
    room.await_condition(kind, "none", "Created")
    room.await_pods(kind, "none", kind.pods("none", counts))

    def versions():
        return (room.job(kind, "none")["metadata"]["resourceVersion"],
                room.uids(kind, "none"), room.uids(kind, "none", "services"))

    wait_for("rest", lambda: len(set(map(str, quiet(versions, 1)))) == 1,
             LIMIT)
    equal(*quiet(versions))
    for end in ("Succeeded", "Failed"):
        equal(room.condition(kind, "none", end), {})
    equal(room.events("none", "SuccessfulDeletePod"), [])


# -- limits -------------------------------------------------------------------

def deadline(room, kind):
    """activeDeadlineSeconds: fails on time, not before"""
    room.start(kind, "slow", {"activeDeadlineSeconds": 4,
                              "cleanPodPolicy": "All"})
    room.await_condition(kind, "slow", "Failed")
    status = room.status(kind, "slow")
    took = seconds_between(status["startTime"], status["completionTime"])
    equal(4 <= took <= 6, True, f"{took} s between start and end")
    contains(room.condition(kind, "slow", "Failed")["message"],
             "active longer than specified deadline")
    room.await_pods(kind, "slow", [])


def removed(room, kind):
    """ttlSecondsAfterFinished removes it and tells so"""
    room.start(kind, "brief", {"ttlSecondsAfterFinished": 1})
    uid = room.job(kind, "brief")["metadata"]["uid"]
    for pod in kind.named("brief", kind.leads):
        room.set_phase(pod, "Succeeded")
    wait_for("its removal", lambda: not room.find(room.of(kind, "brief")),
             LIMIT)
    event = room.await_event("brief", kind.removed, "Deleted job: brief")
    equal(event["involvedObject"]["uid"], uid)
    equal(event.get("count", 1), 1)


@alone
def limited(stage):
    """every kind: backoffLimit counts replaced pods, over SIGKILLs too"""
    rooms = {kind: Room(stage) for kind in KINDS}
    for kind, room in rooms.items():
        room.make(kind, "tries", {"backoffLimit": 2}, restart="ExitCode")
    for kind, room in rooms.items():
        room.await_pods(kind, "tries", kind.pods("tries"))
        room.run_all(kind, "tries")
        room.replaced(kind, "tries", "tries-worker-0", 137)
    stage.operator.kill()
    stage.operator.start()
    for kind, room in rooms.items():
        room.await_pods(kind, "tries", kind.pods("tries"))
        room.replaced(kind, "tries", "tries-worker-1", 137)
        equal(room.condition(kind, "tries", "Failed"), {})
    stage.operator.kill()
    for kind, room in rooms.items():
        room.set_phase("tries-worker-0", "Failed", 137)
    stage.operator.start()
    for kind, room in rooms.items():
        room.await_condition(kind, "tries", "Failed")
        contains(room.condition(kind, "tries", "Failed")["message"],
                 "has reached the specified backoff limit")
        counts = [r["count"] for r in room.status(kind, "tries")["restarts"]]
        equal(sum(counts), 2, f"{kind}: restarts on record")


@alone
def killed(stage):
    """every kind: SIGKILL while pods are made, nothing is doubled or lost"""
    rooms = {kind: Room(stage) for kind in KINDS}
    for kind, room in rooms.items():
        room.make(kind, "again")
    stage.operator.kill()
    first = {kind: room.uids(kind, "again") for kind, room in rooms.items()}
    stage.operator.start()
    for kind, room in rooms.items():
        room.await_pods(kind, "again", kind.pods("again"))
        now = room.uids(kind, "again")
        for name, uid in first[kind].items():
            equal(now[name], uid, name)
    stage.operator.kill()
    complete = {k: room.uids(k, "again") for k, room in rooms.items()}
    for kind, room in rooms.items():
        room.run_all(kind, "again")
    stage.operator.start()
    for kind, room in rooms.items():
        room.await_condition(kind, "again", "Running")
        room.succeed(kind, "again")
        equal(room.uids(kind, "again"), complete[kind], kind.name)


SCENARIOS = [deadline, removed, no_workers, made, succeeded, suspended,
             born_suspended, managed_elsewhere, scaled_by_spec, failed,
             restarted]
CASES = [case for scenario in SCENARIOS for case in for_kinds(KINDS, scenario)]
CASES += [case for scenario in (scaled, scaled_to_nothing)
          for case in for_kinds(SCALED, scenario)]
CASES += [limited, killed]

if __name__ == "__main__":
    sys.exit(main(CASES, Stage, __doc__, at_once=8))
