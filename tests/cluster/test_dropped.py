#!/usr/bin/python3
"""Definitions without status.restarts and our other fields, as upstream's are.

    test_dropped.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import sys

from checks import contains, equal, main
from cluster import wait_for
from jobs.upstream_fields import remove_own_fields
from operators.operator_fixture import JOBS, LIMIT, OperatorFixture, tfjob

DEFINITION = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
              "tfjobs.kubeflow.org")
ANNOTATION = "training.kubeflow.org/restarts"


def without_restarts(cluster):
    """Takes the fields out and waits until the server drops one."""
    client = cluster.client
    definition = client.get(DEFINITION)
    remove_own_fields(definition)
    client.call("PUT", DEFINITION, definition)
    # The storage of a definition that has just changed answers 503 for a while.
    wait_for("the changed definition to take a job", lambda: client.text(
        "POST", JOBS, tfjob("trial", suspend=True))[0] == 201, LIMIT)
    given = {"restarts": [{"pod": "p", "uid": "u", "count": 1}],
             "conditions": []}

    def dropped():
        status, text = client.text("PATCH", JOBS + "/trial/status",
                                   {"status": given},
                                   "application/merge-patch+json")
        return status == 200 and "restarts" not in json.loads(text)["status"]

    wait_for("the field to be dropped", dropped, LIMIT)
    client.delete(JOBS + "/trial")


def failing(name, **policy):
    job = tfjob(name, workers=1, **policy)
    job["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] = "ExitCode"
    return job


def annotated(fixture, name):
    """How many restarts the annotation has."""
    notes = fixture.client.get(f"{JOBS}/{name}")["metadata"].get(
        "annotations", {})
    return sum(r["count"] for r in json.loads(notes.get(ANNOTATION, "[]")))


def replaced(fixture, name, pod):
    before = fixture.owned("pods", name)[pod]["metadata"]["uid"]
    fixture.set_phase(pod, "Running")
    fixture.set_phase(pod, "Failed", 137)

    def another():
        found = fixture.owned("pods", name).get(pod)
        return found and found["metadata"]["uid"] != before

    # The pod failed early: its replacement may wait for a back-off.
    wait_for(f"another {pod}", another, LIMIT)


def counted(fixture):
    """the count of restarts is in an annotation and is there after a restart"""
    fixture.apply(failing("counted", backoffLimit=2))
    fixture.await_replicas("counted", ["counted-worker-0"])
    replaced(fixture, "counted", "counted-worker-0")
    equal(annotated(fixture, "counted"), 1)
    status = fixture.client.get(JOBS + "/counted")["status"]
    equal("restarts" in status, False, status)
    fixture.operator.kill()
    fixture.operator.start()
    replaced(fixture, "counted", "counted-worker-0")
    equal(annotated(fixture, "counted"), 2)
    fixture.operator.kill()
    fixture.operator.start()
    fixture.set_phase("counted-worker-0", "Failed", 137)
    fixture.await_condition("counted", "Failed")
    (failed,) = [c for c in fixture.client.get(JOBS + "/counted")["status"][
        "conditions"] if c["type"] == "Failed"]
    contains(failed["message"], "reached the specified backoff limit")
    contains(fixture.operator.child.tail(), "apply deploy/crds")


def unlimited(fixture):
    """a job without a limit needs no count, and gets no annotation"""
    fixture.apply(failing("unlimited"))
    fixture.await_replicas("unlimited", ["unlimited-worker-0"])
    replaced(fixture, "unlimited", "unlimited-worker-0")
    equal(annotated(fixture, "unlimited"), 0)


if __name__ == "__main__":
    sys.exit(main([counted, unlimited], lambda troupe, more: OperatorFixture(
        troupe, more, without_restarts), __doc__))
