#!/usr/bin/python3
"""Gang scheduling with Volcano: its PodGroup, and pods that wait for it.

    test_volcano.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys
import time

from checks import contains, equal, main
from cluster import wait_for
from jobs.gangs import CASES, GangFixture, refuses, requesting, uses_its_rights
from jobs.kinds import KINDS, MPI, PYTORCH, TF
from jobs.namespace import (Namespace, before_and_after, for_kinds,
                            in_namespace, serial)
from jobs.pod_groups import Groups, volcano_definition
from operators import least_rights
from operators.operator_fixture import LIMIT

GROUPS = Groups("scheduling.volcano.sh/v1beta1", volcano_definition)
TOPOLOGY = "volcano.sh/network-topology-"
SUB_GROUPS = "training.kubeflow.org/sub-group-policy"
TYPE = "training.kubeflow.org/replica-type"
NUMBER = "volcano.sh/partition-id"


def admit(ns, job):
    GROUPS.await_one(ns, job)
    GROUPS.set_status(ns, job, phase="Inqueue")


def admitted(ns, kind):
    """pods are made when its group is admitted, not before"""
    ns.make(kind, "gang")
    group = GROUPS.await_one(ns, "gang")
    uid = ns.job(kind, "gang")["metadata"]["uid"]
    pods = kind.pods("gang")
    equal(group["spec"]["minMember"], len(pods))
    equal(group["spec"]["queue"], "default")
    (owner,) = group["metadata"]["ownerReferences"]
    equal((owner["kind"], owner["uid"]), (kind.name, uid))
    GROUPS.set_status(ns, "gang", phase="Pending")
    equal(*before_and_after(lambda: ns.owned(kind, "gang", "pods"), 1))
    equal(ns.owned(kind, "gang", "pods"), {})
    equal("startTime" in ns.status(kind, "gang"), False)
    GROUPS.set_status(ns, "gang", phase="Inqueue")
    ns.await_pods(kind, "gang", pods)
    for pod in ns.owned(kind, "gang", "pods").values():
        marks = pod["metadata"]["annotations"]
        equal(pod["spec"]["schedulerName"], "volcano")
        equal(marks["scheduling.k8s.io/group-name"], "gang")
        equal(marks["volcano.sh/task-spec"], pod["metadata"]["labels"][
            "training.kubeflow.org/replica-type"])
    ns.run_all(kind, "gang")
    ns.await_condition(kind, "gang", "Running")


def asked(ns):
    """schedulingPolicy says what is asked for"""
    job = requesting(TF, "asked", {"schedulingPolicy": {
        "minAvailable": 2, "queue": "first", "priorityClass": "high"}})
    ns.client.post(ns.of(TF), job)
    spec = GROUPS.await_one(ns, "asked")["spec"]
    # Of the two that are wanted at least, the chief and the server.
    equal(spec, {"minMember": 2, "queue": "first", "priorityClassName": "high",
                 "minResources": {"cpu": "1", "memory": "256Mi"}})
    amounts = {"cpu": "7"}  # And of the memory nothing more.
    ns.patch(TF, "asked", {"runPolicy": {"schedulingPolicy": {
        "minAvailable": 3, "minResources": amounts}}})
    wait_for("the new size", lambda: GROUPS.find(ns, "asked")["spec"] == {
        **spec, "minMember": 3, "minResources": amounts}, LIMIT)


def near(job, workers):
    """A PyTorchJob within tier 2, of two workers each within tier 1."""
    manifest = PYTORCH.manifest(job, counts=PYTORCH.with_workers(workers))
    manifest["metadata"]["annotations"] = {
        TOPOLOGY + "mode": "hard", TOPOLOGY + "highest-tier": "2",
        SUB_GROUPS: "Worker: {subGroupSize: 2, minSubGroups: 1, "
                    "networkTopology: {highestTierAllowed: 1}}"}
    return manifest


def sub_group(name, size, least, **labels):
    return {"name": name, "subGroupSize": size, "minSubGroups": least,
            "labelSelector": {"matchLabels": {TYPE: "worker", **labels}},
            "matchLabelKeys": [NUMBER],
            "networkTopology": {"mode": "hard", "highestTierAllowed": 1}}


def topology(ns):
    """annotations of the job say how near to each other its pods are placed"""
    ns.client.post(ns.of(PYTORCH), near("near", 3))
    group = GROUPS.await_one(ns, "near")
    equal(group["spec"]["networkTopology"],
          {"mode": "hard", "highestTierAllowed": 2})
    equal(group["spec"]["subGroupPolicy"], [
        sub_group("worker-rest", 1, 0, **{NUMBER: "1"}),
        sub_group("worker", 2, 1)])
    equal(SUB_GROUPS in group["metadata"]["annotations"], False)
    admit(ns, "near")
    ns.await_pods(PYTORCH, "near",
                  PYTORCH.pods("near", PYTORCH.with_workers(3)))
    equal({name: pod["metadata"]["labels"].get(NUMBER) for name, pod in
           ns.owned(PYTORCH, "near", "pods").items()},
          {"near-master-0": None, "near-worker-0": "0", "near-worker-1": "0",
           "near-worker-2": "1"})
    ns.scale(PYTORCH, "near", 4)
    wait_for("whole sub-groups", lambda: GROUPS.find(ns, "near")["spec"][
        "subGroupPolicy"] == [sub_group("worker", 2, 1)], LIMIT)


def wrong(ns):
    """a job whose annotation is wrong does not begin, and says why"""
    job = near("wrong", 2)
    job["metadata"]["annotations"][TOPOLOGY + "mode"] = "firm"
    ns.client.post(ns.of(PYTORCH), job)
    ns.await_condition(PYTORCH, "wrong", "Failed")
    (condition,) = [c for c in ns.status(PYTORCH, "wrong")["conditions"]
                    if c["type"] == "Failed"]
    contains(condition["message"], f"metadata.annotations[{TOPOLOGY}mode]: "
             'Unsupported value: "firm": supported values: "hard", "soft"')
    equal(GROUPS.find(ns, "wrong"), None)


def whole_pods(ns):
    """resources of whole pods are counted as the scheduler counts them"""
    job = requesting(TF, "whole", {"schedulingPolicy": {"minAvailable": 1}})
    for replica in job["spec"][TF.field].values():
        replica["template"]["spec"]["resources"] = {"requests": {"cpu": "3"}}
    ns.client.post(ns.of(TF), job)
    equal(GROUPS.await_one(ns, "whole")["spec"]["minResources"],
          {"cpu": "3", "memory": "128Mi"})


@serial
def near_over_kills(fixture):
    """SIGKILL: a group with topology is as it should be, and not written"""
    ns = Namespace(fixture)
    ns.client.post(ns.of(PYTORCH), near("near", 3))
    admit(ns, "near")
    ns.await_pods(PYTORCH, "near",
                  PYTORCH.pods("near", PYTORCH.with_workers(3)))
    before = GROUPS.version(ns, "near")
    fixture.operator.kill()
    fixture.operator.start()
    ns.make(TF, "after")  # Its group is made after the others were looked at.
    admit(ns, "after")
    ns.await_pods(TF, "after", TF.pods("after"))
    equal(GROUPS.version(ns, "near"), before)


@serial
def waits_over_kills(fixture):
    """SIGKILL while pods wait: they wait on, and are made when it is time"""
    ns = Namespace(fixture)
    ns.make(TF, "gang")
    ns.make(MPI, "mpi")
    GROUPS.await_one(ns, "gang")
    GROUPS.await_one(ns, "mpi")
    fixture.operator.kill()
    fixture.operator.start()
    before = [GROUPS.version(ns, job) for job in ("gang", "mpi")]
    admit(ns, "gang")
    ns.await_pods(TF, "gang", TF.pods("gang"))
    equal(ns.owned(MPI, "mpi", "pods"), {})
    equal(GROUPS.version(ns, "mpi"), before[1])
    fixture.operator.kill()
    GROUPS.set_status(ns, "mpi", phase="Running")
    fixture.operator.start()
    ns.await_pods(MPI, "mpi", MPI.pods("mpi"))


def foreign(ns):
    """a PodGroup of others is not changed; the job goes on when it is gone"""
    theirs = ns.client.post(GROUPS.path(ns), {
        "apiVersion": GROUPS.api_version, "kind": "PodGroup",
        "metadata": {"name": "gang"}, "spec": {"minMember": 9}})
    GROUPS.set_status(ns, "gang", phase="Inqueue")
    theirs = GROUPS.find(ns, "gang")
    ns.make(PYTORCH, "gang")
    ns.await_event("gang", "ErrResourceExists", '"gang"')
    equal(GROUPS.find(ns, "gang"), theirs)
    equal(ns.owned(PYTORCH, "gang", "pods"), {})
    ns.client.delete(GROUPS.path(ns, "gang"))
    wait_for("a group of its own", lambda: (GROUPS.find(ns, "gang") or
             theirs)["metadata"]["uid"] != theirs["metadata"]["uid"], LIMIT)
    admit(ns, "gang")
    ns.await_pods(PYTORCH, "gang", PYTORCH.pods("gang"))


def explained(ns):
    """why its group is not admitted is read from events on it, once"""
    ns.make(TF, "full")
    ns.make(TF, "empty")
    uid = GROUPS.await_one(ns, "full")["metadata"]["uid"]
    for job in ("full", "empty"):
        GROUPS.await_one(ns, job)
        GROUPS.set_status(ns, job, phase="Pending")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for n, message in enumerate((
            "0/0 tasks in gang unschedulable: pod group is not ready",
            "queue resource quota insufficient")):
        ns.client.post(ns.core("events"), {
            "metadata": {"name": f"full.{n}"}, "type": "Normal",
            "reason": "Unschedulable", "message": message,
            "firstTimestamp": now, "lastTimestamp": now, "count": 1,
            "source": {"component": "volcano"},
            "involvedObject": {
                "apiVersion": GROUPS.api_version, "kind": "PodGroup",
                "namespace": ns.name, "name": "full", "uid": uid}})

    def explanations(job):
        return [e for e in ns.events(job, "Unschedulable")
                if e["involvedObject"]["kind"] == "TFJob"]

    wait_for("the reason on the job", lambda: explanations("full"), LIMIT)
    (event,) = explanations("full")
    equal((event["type"], event["message"]),
          ("Warning", "PodGroup full: queue resource quota insufficient"))
    # There is no definition of queues here, so nothing is said of one.
    equal(explanations("empty"), [])
    equal(ns.owned(TF, "full", "pods"), {})


def no_definition(fixture):
    """it does not start where its scheduler's definitions are not"""
    refuses(fixture, "scheduler-plugins-scheduler",
            "the server has no podgroups of scheduling.x-k8s.io/v1alpha1")


VOLCANO = for_kinds(KINDS, admitted) + [
    *map(in_namespace, (asked, topology, wrong, whole_pods, foreign, explained)),
    no_definition, near_over_kills, waits_over_kills]

LEAST = uses_its_rights(lambda right: least_rights.of_gangs(right)
                        and right[1] not in least_rights.COSCHEDULING)

if __name__ == "__main__":
    sys.exit(main(
        VOLCANO + CASES + [LEAST],
        lambda troupe, more: GangFixture(
            troupe, more, "volcano", GROUPS, admit),
        __doc__, at_once=6))
