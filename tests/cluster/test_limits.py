#!/usr/bin/python3
"""Limits on what a job may ask for, on a real API server: what is refused, and
what goes on that was there before, when the operator had none.

    test_limits.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys
import time

from checks import contains, equal, main
from cluster import wait_for
from jobs.kinds import MPI, MX, PYTORCH, TF
from operators.operator_fixture import CORE, LIMIT
from test_webhooks import WebhookFixture, denial, jobs

FINALIZER = "example.org/held"
LONG = "a" * 64


def odd_types(count, replicas=1):
    return {f"T{i}": replicas for i in range(count)}


def with_wrong_policy(name):
    job = TF.manifest(name, counts={"Worker": 2})
    job["metadata"]["annotations"] = {
        "training.kubeflow.org/failure-policy": "maxRestarts: ten"}
    return job


def earlier_jobs():
    """What was admitted before: (kind, manifest)."""
    sometimes = TF.manifest("sometimes", counts={"Worker": 2},
                            restart="Sometimes")
    many = MX.manifest("many", counts=odd_types(70))
    return [(TF, sometimes), (MX, many), (TF, with_wrong_policy("begun"))]


def unstarted_jobs():
    """The same, created while no operator ran."""
    return [(TF, TF.manifest("too-many", counts=odd_types(100, 100_000))),
            (MX, MX.manifest("huge", counts=odd_types(60, 100_000))),
            (TF, TF.manifest("unknown", restart="Sometimes")),
            (TF, with_wrong_policy("unbegun")),
            (MPI, MPI.manifest(LONG))]


class LimitsFixture(WebhookFixture):
    """Jobs are stored before the operator has webhooks; some have a status as
    the operator of before had left it."""

    def start_before_the_namespace(self, cluster):
        client = cluster.client
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        for kind, job in [*earlier_jobs(), *unstarted_jobs()]:
            job["metadata"]["finalizers"] = [FINALIZER]
            client.post(jobs(kind), job)
        for kind, job in earlier_jobs():
            path = jobs(kind, job["metadata"]["name"])
            client.call("PATCH", path + "/status", {"status": {
                "startTime": now, "conditions": [{
                    "type": "Created", "status": "True",
                    "reason": kind.name + "Created",
                    "message": "created before", "lastUpdateTime": now,
                    "lastTransitionTime": now}]}},
                "application/merge-patch+json")
        cluster.kubectl("create", "namespace", "kubeflow")


def conditions(fixture, kind, name):
    status = fixture.client.get(jobs(kind, name)).get("status", {})
    return {c["type"]: c for c in status.get("conditions", ())}


# -- cases --------------------------------------------------------------------

def runs_on(fixture):
    """a job that had begun gets its pods, is suspended and resumed"""
    wait_for("the services of a job whose policy none knows", lambda: sorted(
        fixture.owned("services", "sometimes")) == [
            "sometimes-worker-0", "sometimes-worker-1"], LIMIT)
    wait_for("the pods of a job with a wrong policy", lambda: sorted(
        fixture.owned("pods", "begun")) == [
            "begun-worker-0", "begun-worker-1"], LIMIT)
    wait_for("the pods of 70 types", lambda: len(
        fixture.owned("pods", "many")) == 70, LIMIT)
    for kind, name in ((TF, "sometimes"), (MX, "many")):
        for suspend, held in ((True, "True"), (False, "False")):
            fixture.client.merge(jobs(kind, name), {
                "spec": {"runPolicy": {"suspend": suspend}}})
            wait_for(f"Suspended={held}", lambda: conditions(
                fixture, kind, name).get("Suspended", {}).get(
                    "status") == held, LIMIT)
        equal("Failed" in conditions(fixture, kind, name), False)
    wait_for("the pods of 70 types again", lambda: len(
        fixture.owned("pods", "many")) == 70, LIMIT)


def failed(fixture):
    """one that had not begun fails in the first pass, and nothing is made"""
    for kind, name, text in (
            (TF, "too-many", "spec.tfReplicaSpecs: Too many: 100: must have"),
            (MX, "huge", "spec.mxReplicaSpecs: Invalid value: 6000000: the "
                         "replicas of all types together must be less than"),
            (TF, "unknown", "restartPolicy: Unsupported value: "
                            '"Sometimes": supported values: "Always"'),
            (TF, "unbegun", "metadata.annotations[training.kubeflow.org/"
                            "failure-policy]: maxRestarts: Invalid value: "
                            '"ten": must be a whole number from 0 to 1000'),
            (MPI, LONG, "must be no more than 63 characters")):
        wait_for(f"{name} to be Failed", lambda: "Failed" in conditions(
            fixture, kind, name), LIMIT)
        condition = conditions(fixture, kind, name)["Failed"]
        equal(condition["reason"], kind.name + "FailedValidation")
        contains(condition["message"], text)
    equal([n for n in fixture.owned("pods", "too-many")], [])
    names = [p["metadata"]["name"] for p in fixture.client.get(
        CORE + "/pods")["items"]]
    failed = ("huge", "unknown", "unbegun", LONG[:60])
    equal([n for n in names if n.startswith(failed)], [])


def let_through(fixture):
    """the removal of a finalizer, a label and a status are let through"""
    fixture.client.post(jobs(TF), TF.manifest("ready", {"suspend": True}))
    for kind, job in [*earlier_jobs(), *unstarted_jobs()]:
        name = job["metadata"]["name"]
        fixture.client.merge(jobs(kind, name), {
            "metadata": {"labels": {"new": "label"}}})
        fixture.client.call("PATCH", jobs(kind, name) + "/status", {
            "status": {"lastReconcileTime": "2026-01-01T00:00:00Z"}},
            "application/merge-patch+json")
        fixture.client.delete(jobs(kind, name))
        fixture.client.merge(jobs(kind, name), {
            "metadata": {"finalizers": None}})
        wait_for(f"{name} to be gone", lambda: fixture.client.text(
            "GET", jobs(kind, name))[0] == 404, LIMIT)


def refused(fixture):
    """what is new is refused, with the field and what to do"""
    many = MX.manifest("new", counts=odd_types(65))
    equal(fixture.refused("POST", jobs(MX), many), denial(
        MX, "spec.mxReplicaSpecs: Too many: 65: must have at most 64 items; "
            "make one of those that are alike"))
    equal(fixture.refused("POST", jobs(PYTORCH), PYTORCH.manifest(
        "new", counts={"Master": 1, "Worker": 100_000})), denial(
            PYTORCH, "spec.pytorchReplicaSpecs: Invalid value: 100001: the "
                     "replicas of all types together must be less than or "
                     "equal to 100000; ask for fewer, or make several jobs"))
    contains(fixture.refused("POST", jobs(TF), TF.manifest(
        "new", counts={"Worker": 100_000}))[1],
        "of the names of all 100000 replicas; the limit is 1310720")
    contains(fixture.refused("POST", jobs(TF), TF.manifest(
        "new", restart="Sometimes"))[1], 'Unsupported value: "Sometimes"')
    contains(fixture.refused("POST", jobs(MPI), MPI.manifest(LONG))[1],
             "must be no more than 63 characters")
    # What was within a limit may not be changed to exceed it.
    fixture.client.post(jobs(TF), TF.manifest("small", {"suspend": True}))
    contains(fixture.refused("PATCH", jobs(TF, "small"), {
        "spec": {TF.field: {"Worker": {"restartPolicy": "Now"}}}},
        "application/merge-patch+json")[1], 'Unsupported value: "Now"')


CASES = [runs_on, failed, refused, let_through]

if __name__ == "__main__":
    sys.exit(main(CASES, LimitsFixture, __doc__))
