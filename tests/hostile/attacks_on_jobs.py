"""Attacks by objects that a tenant may create."""

from tenants import attack, equal

from checks import contains
from kinds import DI_TASKS, MX, TF

MANY_TYPES, MANY = 100, 100_000
MEBIBYTE = 1 << 20


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


CASES = [many_types, many_types_of_mxjob, many_tasks, many_members,
         large_templates, many_jobs]
