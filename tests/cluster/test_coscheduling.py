#!/usr/bin/python3
"""Gang scheduling with scheduler-plugins: its PodGroup, and pods that name it.

    test_coscheduling.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys

from checks import equal, main
from cluster import wait_for
from jobs.gangs import CASES, GangFixture, refuses, requesting, uses_its_rights
from jobs.kinds import KINDS, TF
from jobs.namespace import for_kinds, in_namespace
from jobs.pod_groups import Groups
from operators import least_rights
from operators.operator_fixture import LIMIT

GROUPS = Groups("scheduling.x-k8s.io/v1alpha1")
SCHEDULER = "scheduler-plugins-scheduler"


def admit(ns, job):
    """This scheduler admits no group: pods are made at once."""
    GROUPS.await_one(ns, job)


def named(ns, kind):
    """its pods name the group, which is there before them"""
    ns.make(kind, "gang")
    ns.await_pods(kind, "gang", kind.pods("gang"))
    group = GROUPS.find(ns, "gang")
    equal(group["spec"]["minMember"], len(kind.pods("gang")))
    for pod in ns.owned(kind, "gang", "pods").values():
        equal(pod["spec"]["schedulerName"], SCHEDULER)
        equal(pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"],
              "gang")


def asked(ns):
    """schedulingPolicy says what is asked for"""
    job = requesting(TF, "asked", {"schedulingPolicy": {
        "scheduleTimeoutSeconds": 7, "queue": "none of its business"}})
    ns.client.post(ns.of(TF), job)
    spec = GROUPS.await_one(ns, "asked")["spec"]
    equal(spec, {"minMember": 4, "scheduleTimeoutSeconds": 7,
                 "minResources": {"cpu": "2", "memory": "512Mi"}})


def own_scheduler(ns):
    """a scheduler that a template names is kept, and remarked upon"""
    job = TF.manifest("mixed")
    job["spec"][TF.field]["PS"]["template"]["spec"]["schedulerName"] = "mine"
    ns.client.post(ns.of(TF), job)
    ns.await_pods(TF, "mixed", TF.pods("mixed"))
    names = {name: pod["spec"]["schedulerName"] for name, pod in
             ns.owned(TF, "mixed", "pods").items()}
    wanted = {name: SCHEDULER for name in TF.pods("mixed")}
    equal(names, {**wanted, "mixed-ps-0": "mine"})
    event = ns.await_event("mixed", "SetPodTemplateSchedulerName")
    equal(event["type"], "Warning")


def foreign(ns):
    """a PodGroup of others is not changed; the job goes on when it is gone"""
    theirs = ns.client.post(GROUPS.path(ns), {
        "apiVersion": GROUPS.api_version, "kind": "PodGroup",
        "metadata": {"name": "gang"}, "spec": {"minMember": 9}})
    ns.make(TF, "gang")
    ns.await_event("gang", "ErrResourceExists", '"gang"')
    equal(GROUPS.find(ns, "gang"), theirs)
    equal(ns.owned(TF, "gang", "pods"), {})
    ns.client.delete(GROUPS.path(ns, "gang"))
    ns.await_pods(TF, "gang", TF.pods("gang"))
    wait_for("a group of its own", lambda: GROUPS.find(ns, "gang")["spec"][
        "minMember"] == 4, LIMIT)


def no_definition(fixture):
    """it does not start where its scheduler's definitions are not"""
    refuses(fixture, "volcano",
            "the server has no podgroups of scheduling.volcano.sh/v1beta1")


OWN = for_kinds(KINDS, named) + [in_namespace(case) for case in (
    asked, own_scheduler, foreign)] + [no_definition]

LEAST = uses_its_rights(
    lambda right: right[1] in least_rights.COSCHEDULING)

if __name__ == "__main__":
    sys.exit(main(
        OWN + CASES + [LEAST],
        lambda troupe, more: GangFixture(
            troupe, more, SCHEDULER, GROUPS, admit),
        __doc__, at_once=6))
