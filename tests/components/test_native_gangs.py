#!/usr/bin/python3
"""Kubernetes' own gangs beside a real control plane of 1.37.2 and kwok, with the
rights of deploy/overlays/native-gang.

    test_native_gangs.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import sys

from native_gangs import (DISRUPTION_MODE, GROUPS, TOPOLOGY, NativeGangs,
                          await_no_groups, await_reason, bound,
                          finalizers_off, gang, group, groups, min_count,
                          pods_name, remove_group, write_min_count)

import attempts
import native_launchers
import native_members
from checks import contains, equal, main
from cluster import wait_for
from jobs.kinds import KINDS, PYTORCH, TF
from jobs.mpi_ssh import MPI_SSH
from jobs.namespace import for_kinds, in_namespace, serial
from operators.operator_fixture import LIMIT

SOON = 5  # seconds for what nothing holds up


def number_of_pods(kind):
    return 3 if kind is MPI_SSH else len(kind.pods("gang"))


def runs(ns, kind, job="gang"):
    ns.await_condition(kind, job, "Running")


# -- placed together ----------------------------------------------------------

def waits(ns, kind):
    """a gang that does not fit waits wholly, is told, and runs when a node
    comes; its group goes after it"""
    count = number_of_pods(kind)
    ns.add_node("a", cpu=count - 1)
    ns.post(kind, gang(ns, kind, "gang"))
    message = await_reason(ns, kind, "gang", "Unschedulable")["message"]
    equal(min_count(ns, kind, "gang"), count, "minCount")
    equal(pods_name(ns, kind, "gang"),
          {group(ns, kind, "gang")["metadata"]["name"]}, "groups of pods")
    equal(bound(ns, kind, "gang"), [], "pods with a node")
    why = wait_for("the group in what is waited for", lambda: [
        line for line in ns.fixture.explain(ns, kind, "gang").splitlines()
        if line.startswith("Waiting for: its PodGroup ")], LIMIT)
    contains(why[0], " to be placed: Unschedulable: ")
    contains(why[0], "minCount (")
    contains(message, "minCount (")
    if kind is TF:  # It takes half a minute.
        event = ns.await_event("gang", "Unschedulable", "PodGroup ")
        contains(event["message"], "minCount (")
        equal(len([e for e in ns.events("gang", "Unschedulable")
                   if e["message"].startswith("PodGroup ")]), 1, "events")
    equal(bound(ns, kind, "gang"), [], "pods with a node")
    ns.add_node("b", cpu=1)
    runs(ns, kind)
    if kind is not MPI_SSH:
        ns.succeed(kind, "gang")
        await_no_groups(ns)


def turns(ns, kind):
    """of two gangs of which one fits, the other runs when that has ended"""
    ns.add_node("a", cpu=len(kind.pods("one")) + 1)
    jobs = ["one", "other"]
    for job in jobs:
        ns.post(kind, gang(ns, kind, job))
    wait_for("one gang to be placed", lambda: any(
        len(bound(ns, kind, job)) == len(kind.pods(job)) for job in jobs),
        LIMIT)
    jobs.sort(key=lambda job: len(bound(ns, kind, job)), reverse=True)
    runs(ns, kind, jobs[0])
    await_reason(ns, kind, jobs[1], "Unschedulable")
    equal(bound(ns, kind, jobs[1]), [], "pods with a node")
    ns.succeed(kind, jobs[0])
    runs(ns, kind, jobs[1])


@in_namespace
def few(ns):
    """of five pods of which three are enough, the four that fit run"""
    ns.add_node("a", cpu=4)
    ns.post(PYTORCH, gang(ns, PYTORCH, "gang", {
        "schedulingPolicy": {"minAvailable": 3}},
        counts=PYTORCH.with_workers(4)))
    wait_for("four pods", lambda: len(bound(ns, PYTORCH, "gang")) == 4, LIMIT)
    equal(min_count(ns, PYTORCH, "gang"), 3)
    equal(group(ns, PYTORCH, "gang")["spec"]["disruptionMode"],
          {"single": {}})


# -- minCount -----------------------------------------------------------------

def end_pod_that_kwok_forgets(ns, name, uid):
    """Of the pods that are deleted just when they have failed, kwok leaves about
    one of ten as it is."""
    def leaving():
        pod = ns.owned(TF, "gang", "pods").get(name)
        if not pod or pod["metadata"]["uid"] != uid:
            return "gone"
        return pod["metadata"].get("deletionTimestamp")

    if wait_for(f"{name} to be deleted", leaving, LIMIT) == "gone":
        return
    try:
        wait_for(f"kwok to end {name}", lambda: leaving() == "gone", SOON)
    except TimeoutError:
        ns.client.delete(ns.core("pods", name), {"gracePeriodSeconds": 0})


def done_and_replaced(ns, kill=None):
    ns.add_node("a", cpu=8)
    ns.post(TF, gang(ns, TF, "gang", restart="ExitCode",
                     counts={"Chief": 1, "Worker": 3}))
    ns.await_running(TF, "gang", {"Chief": 1, "Worker": 3})
    ns.set_phase("gang-worker-0", "Succeeded")
    before = ns.uids(TF, "gang")["gang-worker-1"]
    equal(min_count(ns, TF, "gang"), 4, "minCount before a replacement")
    attempts.fail(ns, "gang-worker-1", 130)
    if kill:
        wait_for("minCount to be lowered",
                 lambda: min_count(ns, TF, "gang") == 3, LIMIT, pause=0.01)
        kill()

    def replacement_runs():
        pod = ns.phases(TF, "gang").get("gang-worker-1")
        return pod and pod[0] != before and pod[1] == "Running"

    if kill:
        end_pod_that_kwok_forgets(ns, "gang-worker-1", before)
    wait_for("the replacement to run", replacement_runs,
             LIMIT if kill else SOON)
    equal(min_count(ns, TF, "gang"), 3, "minCount")


@in_namespace
def replaced(ns):
    """ended pods do not count: a replacement beside one runs at once"""
    done_and_replaced(ns)


@serial
def replaced_after_kill(fixture):
    """the same with an operator that is killed between the two writes"""
    def kill():
        fixture.operator.kill()
        fixture.operator.start()
    done_and_replaced(fixture.namespace(), kill)


@in_namespace
def by_hand(ns):
    """minCount that somebody changed is set right; a group that somebody
    removed is there again"""
    ns.add_node("a", cpu=3)
    ns.post(TF, gang(ns, TF, "gang"))
    await_reason(ns, TF, "gang", "Unschedulable")
    write_min_count(ns, TF, "gang", 9)
    wait_for("minCount to be right",
             lambda: min_count(ns, TF, "gang") == 4, LIMIT)
    # If the scheduler is faster, three have a node, and keep it.
    write_min_count(ns, TF, "gang", 1)
    wait_for("minCount to be right, or three to have a node",
             lambda: min_count(ns, TF, "gang") == 4
             or len(bound(ns, TF, "gang")) == 3, LIMIT)
    for pod in list(ns.phases(TF, "gang")):
        ns.client.delete(ns.core("pods", pod))
    ns.add_node("b", cpu=1)
    runs(ns, TF)
    wait_for("minCount of all", lambda: min_count(ns, TF, "gang") == 4, LIMIT)
    # While pods are in it, it stays, and counts; without, it is made again.
    before = group(ns, TF, "gang")["metadata"]
    remove_group(ns, TF, "gang")
    finalizers_off(ns, before["name"])
    wait_for("another group", lambda: (group(ns, TF, "gang") or {}).get(
        "metadata", before)["uid"] != before["uid"], LIMIT)
    equal(group(ns, TF, "gang")["metadata"]["name"], before["name"])


@in_namespace
def removed_while_waiting(ns):
    """a group that is removed under pods that wait is there again, and they
    run"""
    ns.add_node("a", cpu=3)
    ns.post(TF, gang(ns, TF, "gang"))
    await_reason(ns, TF, "gang", "Unschedulable")
    name = group(ns, TF, "gang")["metadata"]["name"]
    remove_group(ns, TF, "gang")
    ns.add_node("b", cpu=1)
    runs(ns, TF)
    for pod in list(ns.phases(TF, "gang")):
        ns.client.delete(ns.core("pods", pod))
    ns.await_running(TF, "gang")
    wait_for("the group without a deletion", lambda: (group(
        ns, TF, "gang") or ns.client.get(ns.at(GROUPS, "podgroups", name))),
        LIMIT)


# -- the life of a job --------------------------------------------------------

@in_namespace
def suspended(ns):
    """suspended it has no group, resumed it has one again"""
    ns.add_node("a", cpu=4)
    ns.post(TF, gang(ns, TF, "gang"))
    ns.await_running(TF, "gang")
    ns.patch(TF, "gang", {"runPolicy": {"suspend": True}})
    ns.await_condition(TF, "gang", "Suspended")
    await_no_groups(ns)
    ns.patch(TF, "gang", {"runPolicy": {"suspend": False}})
    ns.await_running(TF, "gang")
    equal(min_count(ns, TF, "gang"), 4)


def deleted(ns, policy):
    ns.add_node("a", cpu=4)
    ns.post(TF, gang(ns, TF, "gang"))
    ns.await_running(TF, "gang")
    ns.client.call("DELETE", ns.of(TF, "gang"), {
        "apiVersion": "v1", "kind": "DeleteOptions",
        "propagationPolicy": policy})
    wait_for("the job to go", lambda: not ns.find(ns.of(TF, "gang")), LIMIT)
    if policy == "Orphan":
        wait_for("the group to be released", lambda: [
            g for g in groups(ns)
            if not g["metadata"].get("ownerReferences")], LIMIT)
        equal(len(bound(ns, TF, "gang")), 4)
    else:
        await_no_groups(ns)
        # Those that have ended may still be there.
        equal([name for name, pod in ns.owned(TF, "gang", "pods").items()
               if pod["status"]["phase"] not in ("Succeeded", "Failed")], [])


@in_namespace
def deleted_in_background(ns):
    """a job that is deleted takes its group along"""
    deleted(ns, "Background")


@in_namespace
def deleted_in_foreground(ns):
    """so does one that is deleted in the foreground"""
    deleted(ns, "Foreground")


@in_namespace
def orphaned(ns):
    """without its job the group is left to its pods"""
    deleted(ns, "Orphan")


@in_namespace
def made_again(ns):
    """deleted and made again at once, a job runs"""
    ns.add_node("a", cpu=4)
    for _ in range(2):
        ns.post(TF, gang(ns, TF, "gang"))
        before = ns.await_running(TF, "gang")
        ns.client.delete(ns.of(TF, "gang"))
    ns.post(TF, gang(ns, TF, "gang"))
    ns.await_running(TF, "gang", others_than=before)
    equal(min_count(ns, TF, "gang"), 4)


# -- priorities, schedulers, a user's own ------------------------------------

@in_namespace
def of_one_priority(ns):
    """a group has the priority class of its pods"""
    ns.add_node("a", cpu=4)
    ns.post(TF, gang(ns, TF, "gang", {
        "schedulingPolicy": {"priorityClass": "high"}}, priority="high"))
    ns.await_running(TF, "gang")
    spec = group(ns, TF, "gang")["spec"]
    equal((spec["priorityClassName"], spec["priority"]), ("high", 1000))


@in_namespace
def of_unlike_priorities(ns):
    """pods of unlike priorities are no gang, and both are named"""
    ns.add_node("a", cpu=4)
    job = gang(ns, TF, "gang", {"schedulingPolicy": {"priorityClass": "high"}})
    ns.post(TF, job)
    event = ns.await_event("gang", "NoPodGroup")
    contains(event["message"], "priority class high")
    contains(event["message"], "no priority class")
    ns.await_running(TF, "gang")
    equal((groups(ns), pods_name(ns, TF, "gang")), ([], {None}))


@in_namespace
def of_its_user(ns):
    """a template that names a group itself is left alone"""
    ns.add_node("a", cpu=4)
    ns.client.post(ns.at(GROUPS, "podgroups"), {
        "metadata": {"name": "mine"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 4}}}})
    job = gang(ns, TF, "gang")
    for replica in job["spec"][TF.field].values():
        replica["template"]["spec"]["schedulingGroup"] = {
            "podGroupName": "mine"}
    ns.post(TF, job)
    ns.await_running(TF, "gang")
    equal(([g["metadata"]["name"] for g in groups(ns)],
           pods_name(ns, TF, "gang")), (["mine"], {"mine"}))


@in_namespace
def without_counterparts(ns):
    """fields that Kubernetes' gangs do not have are named once"""
    ns.add_node("a", cpu=4)
    ns.post(TF, gang(ns, TF, "gang", {"schedulingPolicy": {
        "queue": "q", "scheduleTimeoutSeconds": 9}}))
    ns.await_running(TF, "gang")
    contains(ns.await_event("gang", "SchedulingPolicyIgnored")["message"],
             "queue, scheduleTimeoutSeconds")
    equal(len(ns.events("gang", "SchedulingPolicyIgnored")), 1)


# -- preemption, topology -----------------------------------------------------

def preempted(ns, mode, victims, policy=None):
    """Who gives way to one pod of a job of a higher priority."""
    ns.add_node("a", cpu=4)
    job = gang(ns, TF, "low", {"backoffLimit": 0, **(policy or {})},
               {DISRUPTION_MODE: mode} if mode else None, restart="ExitCode")
    ns.post(TF, job)
    before = ns.await_running(TF, "low")
    ns.post(TF, gang(ns, TF, "high", priority="high", counts={"Worker": 1}))
    ns.await_running(TF, "high", {"Worker": 1})
    wait_for("replacements", lambda: len(
        before - {uid for uid, _, _ in ns.phases(TF, "low").values()})
        == victims and len(ns.phases(TF, "low")) == 4, LIMIT)
    equal(len(bound(ns, TF, "low")), 4 - victims, "pods with a node")
    ns.set_phase("high-worker-0", "Succeeded")
    ns.await_condition(TF, "high", "Succeeded")
    after = ns.await_running(TF, "low")
    equal(len(before - after), victims, "pods that were replaced")
    status = ns.status(TF, "low")
    equal(status.get("restarts"), None, "restarts")
    equal([c["failed"] for c in status["replicaStatuses"].values()
           if c.get("failed")], [], "failed")
    return status


@in_namespace
def preempted_whole(ns):
    """a gang that is preempted as one is one disruption, counts as no failure
    and waits as a whole"""
    preempted(ns, None, 4)


@in_namespace
def preempted_single(ns):
    """of a gang with disruption mode Single only the pod in the way goes"""
    preempted(ns, "Single", 1)


@in_namespace
def preempted_and_restarted(ns):
    """restarted as a whole, a job whose gang was preempted is restarted
    once"""
    status = preempted(ns, "All", 4, {"failurePolicy": attempts.WHOLE})
    equal(status.get("restartAttempt"), 1)


@in_namespace
def in_one_rack(ns):
    """with a topology, all pods are in one rack"""
    for letter, rack in (("a", "1"), ("b", "1"), ("c", "2"), ("d", "2")):
        name = ns.add_node(letter, cpu=2 if rack == "2" else 1)
        ns.client.merge(f"/api/v1/nodes/{name}",
                        {"metadata": {"labels": {"rack": rack}}})
    ns.post(TF, gang(ns, TF, "gang", annotations={TOPOLOGY: "rack"}))
    ns.await_running(TF, "gang")
    equal({node for _, _, node in ns.phases(TF, "gang").values()},
          {ns.node("c"), ns.node("d")})
    equal(ns.events("gang", "TopologyIgnored"), [])


CASES = [*for_kinds([*KINDS, MPI_SSH], waits),
         *for_kinds([TF, PYTORCH], turns), few, replaced, by_hand,
         removed_while_waiting, suspended, deleted_in_background,
         deleted_in_foreground, orphaned, made_again, of_one_priority,
         of_unlike_priorities, of_its_user, without_counterparts,
         preempted_whole, preempted_single, preempted_and_restarted,
         in_one_rack, *native_launchers.CASES, *native_members.CASES,
         replaced_after_kill]

if __name__ == "__main__":
    sys.exit(main(CASES, NativeGangs, __doc__, at_once=6))
