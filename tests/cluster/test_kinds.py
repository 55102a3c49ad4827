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
from jobs.kinds import KINDS, LABEL
from jobs.namespace import Namespace, serial, for_kinds, before_and_after
from operators.operator_fixture import LIMIT, OperatorFixture

SCALED = [kind for kind in KINDS if kind.scales]
SECOND = "%Y-%m-%dT%H:%M:%SZ"


def seconds_between(first, last):
    return (datetime.strptime(last, SECOND)
            - datetime.strptime(first, SECOND)).total_seconds()


# -- bodies -------------------------------------------------------------------

def made(ns, kind):
    """its pods and services are those of the documentation"""
    ns.make(kind, "made")
    ns.await_pods(kind, "made", kind.pods("made"))
    uid = ns.job(kind, "made")["metadata"]["uid"]
    masters = kind.named("made", kind.roles)
    pods = ns.owned(kind, "made", "pods")
    services = ns.owned(kind, "made", "services")
    for replica, count in kind.types:
        for index in range(count):
            name = kind.pod("made", replica, index)
            labels = check_pod(kind, pods[name], uid, replica, index,
                               name in masters)
            if kind.port:
                check_service(kind, services[name], uid, labels)
    equal(len(services), len(pods) if kind.port else 0, "services")
    ns.await_event("made", "SuccessfulCreatePod")


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
    (container,) = pod["spec"]["containers"]
    given = {e["name"]: e.get("value", "") for e in container.get("env", ())}
    for name, value in kind.environment("made", replica, index).items():
        equal(name in given, True, f"{name} in {given}")
        if value is not None:
            equal(given[name], value, name)
    ports = [(p["name"], p["containerPort"])
             for p in container.get("ports", ())]
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


# -- from creation to success -------------------------------------------------

def succeeded(ns, kind):
    """runs, succeeds with its leader, and keeps only pods that are done"""
    done = kind.named("job", kind.leads)
    ns.start(kind, "job", {"cleanPodPolicy": "Running"})
    wait_for("the counts", lambda: {
        replica: counts.get("active") for replica, counts in ns.status(
            kind, "job")["replicaStatuses"].items()} == dict(kind.types),
        LIMIT)
    for pod in done:
        ns.set_phase(pod, "Succeeded")
    ns.await_condition(kind, "job", "Succeeded")
    ns.await_pods(kind, "job", done, services=[])
    equal(ns.condition(kind, "job", "Running")["status"], "False")
    equal("completionTime" in ns.status(kind, "job"), True)
    ns.await_event("job", kind.name + "Succeeded")


def failed(ns, kind):
    """fails for good when a pod does that is not to be replaced"""
    ns.start(kind, "bad", {"cleanPodPolicy": "All"}, restart="Never")
    ns.set_phase("bad-worker-1", "Failed", 1)
    ns.await_condition(kind, "bad", "Failed")
    ns.await_pods(kind, "bad", [])
    contains(ns.condition(kind, "bad", "Failed")["message"],
             "is failed because 1 Worker replica(s) failed."
             if kind.name != "TFJob" else
             "has failed because 1 Worker replica(s) failed.")


def restarted(ns, kind):
    """replaces a pod that failed with a code above 127"""
    ns.start(kind, "back", restart="ExitCode")
    ns.replaced(kind, "back", "back-worker-0", 137)
    ns.await_event("back", kind.name + "Restarting",
                   "job back is restarting because Worker replica(s) failed.")
    ns.await_pods(kind, "back", kind.pods("back"))
    ns.run_all(kind, "back")
    ns.await_condition(kind, "back", "Running")
    equal(ns.condition(kind, "back", "Restarting"), {})


def suspended(ns, kind):
    """suspend removes its pods, resume brings them back"""
    ns.start(kind, "pause")
    ns.patch(kind, "pause", {"runPolicy": {"suspend": True}})
    ns.await_pods(kind, "pause", [])
    ns.await_condition(kind, "pause", "Suspended")
    equal(ns.condition(kind, "pause", "Running")["status"], "False")
    ns.patch(kind, "pause", {"runPolicy": {"suspend": False}})
    ns.await_pods(kind, "pause", kind.pods("pause"))
    ns.await_condition(kind, "pause", "Suspended", "False")
    # The printed state is the last condition.
    equal(ns.status(kind, "pause")["conditions"][-1]["type"], "Created")
    ns.run_all(kind, "pause")
    ns.await_condition(kind, "pause", "Running")
    for reason in ("Suspended", "Resumed"):
        ns.await_event("pause", kind.name + reason)


def born_suspended(ns, kind):
    """a job that is made suspended has nothing until it is resumed"""
    ns.make(kind, "later", {"suspend": True})
    ns.await_condition(kind, "later", "Suspended")
    equal(ns.owned(kind, "later", "pods"), {})
    equal(ns.owned(kind, "later", "services"), {})
    equal("startTime" in ns.status(kind, "later"), False)
    ns.patch(kind, "later", {"runPolicy": {"suspend": False}})
    ns.await_pods(kind, "later", kind.pods("later"))
    wait_for("its start", lambda: "startTime" in ns.status(kind, "later"),
             LIMIT)


def managed_elsewhere(ns, kind):
    """another manager's job is left serial"""
    ns.make(kind, "theirs", {"managedBy": "kueue.x-k8s.io/multikueue"})
    ns.make(kind, "ours", {"managedBy": "kubeflow.org/training-operator"})
    ns.start(kind, "after")  # The operator has got this far.
    ns.await_pods(kind, "ours", kind.pods("ours"))
    equal(ns.owned(kind, "theirs", "pods"), {})
    equal(ns.status(kind, "theirs"), {})


# -- sizes --------------------------------------------------------------------

def scaled_by_spec(ns, kind):
    """more workers in the spec are made, surplus ones removed"""
    ns.start(kind, "size")
    before = ns.uids(kind, "size")
    for count in (4, 1):
        counts = kind.with_workers(count)
        ns.patch(kind, "size",
                 {kind.field: {"Worker": {"replicas": count}}})
        ns.await_pods(kind, "size", kind.pods("size", counts))
    for name, uid in ns.uids(kind, "size").items():
        equal(uid, before[name], name)
    equal(ns.condition(kind, "size", "Failed"), {})


def scaled(ns, kind):
    """/scale sets its workers and says how many run"""
    ns.start(kind, "size")
    ns.scale(kind, "size", 4)
    ns.await_pods(kind, "size", kind.pods("size", kind.with_workers(4)))
    ns.run_all(kind, "size")
    path = ns.of(kind, "size") + "/scale"
    wait_for("the count in /scale", lambda: ns.client.get(
        path)["status"].get("replicas") == 4, LIMIT)
    selector = ns.client.get(path)["status"]["selector"]
    chosen = ns.client.get(ns.core("pods") + "?labelSelector="
                           + re.sub("[=,]", lambda m: f"%{ord(m[0]):02X}",
                                    selector))["items"]
    equal(sorted(p["metadata"]["name"] for p in chosen),
          [f"size-worker-{i}" for i in range(4)], "selected")
    ns.scale(kind, "size", 1)
    ns.await_pods(kind, "size", kind.pods("size", kind.with_workers(1)))
    equal(ns.condition(kind, "size", "Failed"), {})


def scaled_to_nothing(ns, kind):
    """/scale to 0 removes its workers and ends nothing"""
    ns.start(kind, "size")
    ns.scale(kind, "size", 0)
    rest = kind.with_workers(0)
    ns.await_pods(kind, "size", kind.pods("size", rest))
    for end in ("Succeeded", "Failed"):
        equal(ns.condition(kind, "size", end), {})
    ns.scale(kind, "size", 1)
    ns.await_pods(kind, "size", kind.pods("size", kind.with_workers(1)))


def no_workers(ns, kind):
    """no workers: none are made, and nothing has succeeded for that"""
    counts = kind.with_workers(0)
    ns.make(kind, "none", counts=counts)
    ns.await_condition(kind, "none", "Created")
    ns.await_pods(kind, "none", kind.pods("none", counts))

    def versions():
        return (ns.job(kind, "none")["metadata"]["resourceVersion"],
                ns.uids(kind, "none"), ns.uids(kind, "none", "services"))

    def unchanged():
        before, after = before_and_after(versions, 1)
        return before == after

    wait_for("no more writes", unchanged, LIMIT)
    equal(*before_and_after(versions))
    for end in ("Succeeded", "Failed"):
        equal(ns.condition(kind, "none", end), {})
    equal(ns.events("none", "SuccessfulDeletePod"), [])


# -- limits -------------------------------------------------------------------

def deadline(ns, kind):
    """activeDeadlineSeconds: fails on time, not before"""
    ns.start(kind, "slow", {"activeDeadlineSeconds": 4,
                            "cleanPodPolicy": "All"})
    ns.await_condition(kind, "slow", "Failed")
    status = ns.status(kind, "slow")
    took = seconds_between(status["startTime"], status["completionTime"])
    equal(4 <= took <= 6, True, f"{took} s between start and end")
    contains(ns.condition(kind, "slow", "Failed")["message"],
             "active longer than specified deadline")
    ns.await_pods(kind, "slow", [])


def removed(ns, kind):
    """ttlSecondsAfterFinished removes it, with an event"""
    ns.start(kind, "brief", {"ttlSecondsAfterFinished": 1})
    uid = ns.job(kind, "brief")["metadata"]["uid"]
    for pod in kind.named("brief", kind.leads):
        ns.set_phase(pod, "Succeeded")
    wait_for("its removal", lambda: not ns.find(ns.of(kind, "brief")),
             LIMIT)
    event = ns.await_event("brief", kind.removed, "Deleted job: brief")
    equal(event["involvedObject"]["uid"], uid)
    equal(event.get("count", 1), 1)


@serial
def limited(fixture):
    """every kind: backoffLimit counts replaced pods, over SIGKILLs too"""
    namespaces = {kind: Namespace(fixture) for kind in KINDS}
    for kind, ns in namespaces.items():
        ns.make(kind, "tries", {"backoffLimit": 2}, restart="ExitCode")
    for kind, ns in namespaces.items():
        ns.await_pods(kind, "tries", kind.pods("tries"))
        ns.run_all(kind, "tries")
        ns.replaced(kind, "tries", "tries-worker-0", 137)
    fixture.operator.kill()
    fixture.operator.start()
    for kind, ns in namespaces.items():
        ns.await_pods(kind, "tries", kind.pods("tries"))
        ns.replaced(kind, "tries", "tries-worker-1", 137)
        equal(ns.condition(kind, "tries", "Failed"), {})
    fixture.operator.kill()
    for kind, ns in namespaces.items():
        ns.set_phase("tries-worker-0", "Failed", 137)
    fixture.operator.start()
    for kind, ns in namespaces.items():
        ns.await_condition(kind, "tries", "Failed")
        contains(ns.condition(kind, "tries", "Failed")["message"],
                 "has reached the specified backoff limit")
        counts = [r["count"] for r in ns.status(kind, "tries")["restarts"]]
        equal(sum(counts), 2, f"{kind}: restarts on record")


@serial
def killed(fixture):
    """every kind: SIGKILL while pods are made, nothing is doubled or lost"""
    namespaces = {kind: Namespace(fixture) for kind in KINDS}
    for kind, ns in namespaces.items():
        ns.make(kind, "again")
    fixture.operator.kill()
    first = {kind: ns.uids(kind, "again") for kind, ns in namespaces.items()}
    fixture.operator.start()
    for kind, ns in namespaces.items():
        ns.await_pods(kind, "again", kind.pods("again"))
        now = ns.uids(kind, "again")
        for name, uid in first[kind].items():
            equal(now[name], uid, name)
    fixture.operator.kill()
    complete = {k: ns.uids(k, "again") for k, ns in namespaces.items()}
    for kind, ns in namespaces.items():
        ns.run_all(kind, "again")
    fixture.operator.start()
    for kind, ns in namespaces.items():
        ns.await_condition(kind, "again", "Running")
        ns.succeed(kind, "again")
        equal(ns.uids(kind, "again"), complete[kind], kind.name)


SCENARIOS = [deadline, removed, no_workers, made, succeeded, suspended,
             born_suspended, managed_elsewhere, scaled_by_spec, failed,
             restarted]
CASES = [case for scenario in SCENARIOS for case in for_kinds(KINDS, scenario)]
CASES += [case for scenario in (scaled, scaled_to_nothing)
          for case in for_kinds(SCALED, scenario)]
CASES += [limited, killed]

if __name__ == "__main__":
    sys.exit(main(CASES, OperatorFixture, __doc__, at_once=8))
