#!/usr/bin/python3
"""Definitions without status.restarts, as upstream's are.

    test_dropped.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import sys

from checks import contains, equal, main
from cluster import wait_for
from stage import JOBS, LIMIT, Stage, tfjob

DEFINITION = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
              "tfjobs.kubeflow.org")
ANNOTATION = "training.kubeflow.org/restarts"


def without_restarts(cluster):
    """Takes the field out and waits until the server drops it."""
    client = cluster.client
    definition = client.get(DEFINITION)
    (version,) = definition["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]
    del schema["status"]["properties"]["restarts"]
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


def annotated(stage, name):
    """How many restarts the annotation has."""
    notes = stage.client.get(f"{JOBS}/{name}")["metadata"].get(
        "annotations", {})
    return sum(r["count"] for r in json.loads(notes.get(ANNOTATION, "[]")))


def replaced(stage, name, pod):
    before = stage.owned("pods", name)[pod]["metadata"]["uid"]
    stage.set_phase(pod, "Running")
    stage.set_phase(pod, "Failed", 137)

    def another():
        found = stage.owned("pods", name).get(pod)
        return found and found["metadata"]["uid"] != before

    # A pod that lived for seconds only may be held back for some more.
    wait_for(f"another {pod}", another, LIMIT)


def counted(stage):
    """the count of restarts is in an annotation and outlives the operator"""
    stage.apply(failing("counted", backoffLimit=2))
    stage.await_replicas("counted", ["counted-worker-0"])
    replaced(stage, "counted", "counted-worker-0")
    equal(annotated(stage, "counted"), 1)
    status = stage.client.get(JOBS + "/counted")["status"]
    equal("restarts" in status, False, status)
    stage.operator.kill()
    stage.operator.start()
    replaced(stage, "counted", "counted-worker-0")
    equal(annotated(stage, "counted"), 2)
    stage.operator.kill()
    stage.operator.start()
    stage.set_phase("counted-worker-0", "Failed", 137)
    stage.await_condition("counted", "Failed")
    (failed,) = [c for c in stage.client.get(JOBS + "/counted")["status"][
        "conditions"] if c["type"] == "Failed"]
    contains(failed["message"], "reached the specified backoff limit")
    contains(stage.operator.child.tail(), "apply deploy/crds")


def unlimited(stage):
    """a job without a limit needs no count, and gets no annotation"""
    stage.apply(failing("unlimited"))
    stage.await_replicas("unlimited", ["unlimited-worker-0"])
    replaced(stage, "unlimited", "unlimited-worker-0")
    equal(annotated(stage, "unlimited"), 0)


if __name__ == "__main__":
    sys.exit(main([counted, unlimited], lambda troupe, more: Stage(
        troupe, more, without_restarts), __doc__))
