"""Attacks by objects that a tenant may create."""

import json
import sys
import time

sys.setrecursionlimit(20_000)  # for what is too deep

from tenants import (LIMIT, SETTLED, attack, equal, job_of, wait_for,
                     withdraw_jobs)

from checks import contains
from jobs.kinds import DI, DI_TASKS, KINDS, MX, TF
from operators.operator_fixture import reported

MANY_TYPES, MANY = 100, 100_000
MEBIBYTE = 1 << 20


def copied(item, namespace):
    """What a tenant makes of an object of another namespace."""
    metadata = item["metadata"]
    return {"metadata": {key: metadata[key] for key in (
        "name", "labels", "annotations", "ownerReferences")
        if key in metadata} | {"namespace": namespace},
        "spec": {key: value for key, value in item["spec"].items()
                 if key not in ("clusterIP", "clusterIPs", "ipFamilies")}}


def await_own_pods(ns):
    """What the operator was told before has arrived."""
    ns.make(TF, "mine")
    ns.await_pods(TF, "mine", TF.pods("mine"))
    time.sleep(SETTLED)


@attack
def foreign_children(fixture, ns):
    """pods and services that name another namespace's job as their owner"""
    innocent = fixture.innocent
    for phase, code in (("Succeeded", 0), ("Failed", 1)):
        for kind in KINDS:
            for what in ("services", "pods"):
                for item in innocent.owned(kind, job_of(kind), what).values():
                    ns.client.post(ns.core(what), copied(item, ns.name))
                    if what == "pods":
                        ns.set_status(item["metadata"]["name"], **reported(
                            item["spec"]["containers"], phase, code))
        if phase == "Succeeded":
            await_own_pods(ns)
            withdraw_jobs(ns.admin, ns)
    await_own_pods(ns)


@attack
def foreign_orphans(fixture, ns):
    """pods without an owner that have another namespace's job's labels"""
    for kind in KINDS:
        for item in fixture.innocent.owned(kind, job_of(kind),
                                           "pods").values():
            made = copied(item, ns.name)
            del made["metadata"]["ownerReferences"]
            ns.client.post(ns.core("pods"), made)
            ns.set_status(item["metadata"]["name"], **reported(
                item["spec"]["containers"], "Failed", 1))
    await_own_pods(ns)


def refused_or_taken(fixture, answer, *words):
    """With webhooks it is refused, and the reason names a field."""
    status, text = answer
    if fixture.with_webhooks:
        equal(400 <= status < 500, True, f"a refusal: {status} {text}")
        for word in words:
            contains(text, word)


@attack
def many_types(fixture, ns):
    """a TFJob of 100 types of 100,000 replicas each"""
    job = TF.manifest("wide", counts={f"Type{i}": MANY
                                      for i in range(MANY_TYPES)})
    refused_or_taken(fixture, ns.attempt(ns.of(TF), job), "tfReplicaSpecs")


@attack
def many_types_of_mxjob(fixture, ns):
    """an MXJob of 100 types of 100,000 replicas each"""
    job = MX.manifest("wide", counts={f"Type{i}": MANY
                                      for i in range(MANY_TYPES)})
    refused_or_taken(fixture, ns.attempt(ns.of(MX), job), "mxReplicaSpecs")


@attack
def many_tasks(fixture, ns):
    """a DIJob of 100 tasks of 100,000 replicas each"""
    container = {"name": "di-container", "image": "registry.example/di:1"}
    job = {"apiVersion": "diengine.opendilab.org/v2alpha1", "kind": "DIJob",
           "metadata": {"name": "wide"}, "spec": {"tasks": [
               {"type": "none", "name": f"task-{i}", "replicas": MANY,
                "template": {"spec": {"containers": [container]}}}
               for i in range(MANY_TYPES)]}}
    refused_or_taken(fixture, ns.attempt(ns.of(DI_TASKS), job), "tasks")


@attack
def many_members(fixture, ns):
    """a TFJob of 100,000 workers with the longest of names, each of which is
    told all others"""
    name = "n" * (63 - len("-worker-99999"))
    ns.attempt(ns.of(TF), TF.manifest(name, counts={"Worker": MANY}))


@attack
def large_templates(fixture, ns):
    """forty jobs with a megabyte of annotations in their templates"""
    for number in range(40):
        job = TF.manifest(f"large-{number}", counts={"Worker": 1},
                          policy={"suspend": True})
        job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["metadata"] = {
            "annotations": {"large": "x" * MEBIBYTE}}
        ns.attempt(ns.of(TF), job)


@attack
def many_jobs(fixture, ns):
    """three hundred jobs that come and go, each of which is told of in events
    """
    for number in range(300):
        ns.make(TF, f"job-{number}", counts={"Worker": 1})
    for number in range(300):
        ns.client.delete(ns.of(TF, f"job-{number}"))


def deep_job(name, depth):
    """A DIJob that is `depth` deep, with what its schema lets through."""
    value = "deep"
    # job, spec, coordinator, template, spec, containers, container: 7
    for _ in range(depth - 7):
        value = {"d": value}
    container = {"name": "di-container", "image": "registry.example/di:1",
                 "deep": value}
    template = {"template": {"spec": {"containers": [container]}}}
    return {"apiVersion": "diengine.opendilab.org/v1alpha1", "kind": "DIJob",
            "metadata": {"name": name}, "spec": {
                part: template if part == "coordinator" else {"template": {
                    "spec": {"containers": [dict(container, deep=1)]}}}
                for part in ("coordinator", "collector", "learner")}}


def await_readable(fixture):
    """Everybody can list DIJobs of all namespaces in both versions."""
    for version in ("v1alpha1", "v2alpha1") if fixture.with_webhooks else (
            "v1alpha1",):
        wait_for("conversions", lambda: fixture.client.text(
            "GET", f"/apis/diengine.opendilab.org/{version}/dijobs"
        )[0] == 200, LIMIT)


@attack
def deep_conversions(fixture, ns):
    """DIJobs about as deep as what is converted: others stay readable"""
    for depth in [*range(100, 230), 250, 500]:
        ns.attempt(ns.of(DI), deep_job(f"deep-{depth}", depth))
    await_readable(fixture)


@attack
def deep_lists(fixture, ns):
    """a DIJob deeper than what is read: the others of its kind are served, by
    an operator that starts, too"""
    ns.attempt(ns.of(DI), deep_job("deep", 1500))
    await_readable(fixture) if fixture.with_webhooks else None
    fixture.operator.child.stop()
    fixture.operator.start()
    fixture.client.post(fixture.innocent.of(DI), deep_job("flat", 10))
    try:
        wait_for("the pod of another DIJob", lambda: fixture.innocent.find(
            fixture.innocent.core("pods", "flat-coordinator")), LIMIT)
    finally:
        fixture.client.delete(fixture.innocent.of(DI, "flat"))
        fixture.innocent.collect(DI, "flat")


def sizes(_):
    """the attacks are as large as they say"""
    text = json.dumps(deep_job("deep", 198))
    depth = most = 0
    for letter in text:
        depth += (letter in "{[") - (letter in "}]")
        most = max(most, depth)
    equal(most, 198, "depth")


CASES = [sizes, foreign_children, foreign_orphans, many_types,
         many_types_of_mxjob, many_tasks, many_members, large_templates,
         many_jobs, deep_conversions, deep_lists]
