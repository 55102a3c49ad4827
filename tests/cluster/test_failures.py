#!/usr/bin/python3
"""What becomes of failed pods, with the shipped binary on a real API server.

No case depends on time: each waits for what has to come about.

    test_failures.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import sys
import time

from checks import contains, equal, main
from cluster import wait_for
from control_plane.client import ApiError
from operators.operator_fixture import (CORE, JOBS, LIMIT, OperatorFixture,
                                        reported, tfjob)

NOTE = "training.kubeflow.org/early-failures"


def begun(fixture, name, restart, workers=2, **policy):
    """A job whose pods all run."""
    job = tfjob(name, workers=workers, **policy)
    job["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] = restart
    fixture.apply(job)
    fixture.await_replicas(name, [f"{name}-worker-{i}" for i in range(workers)])
    fixture.run_all(name)
    fixture.await_condition(name, "Running")


def end(fixture, pod, **more):
    """The pod's phase becomes Failed; returns its UID."""
    path = f"{CORE}/pods/{pod}"
    found = fixture.client.get(path)
    status = reported(found["spec"]["containers"], "Failed", 137)
    fixture.client.merge(path + "/status", {"status": {**status, **more}})
    return found["metadata"]["uid"]


def successor(fixture, pod, uid):
    """The pod of that name which is not that one, once it is there."""
    found = []

    def there():
        try:
            item = fixture.client.get(f"{CORE}/pods/{pod}")
        except ApiError:
            return False
        found[:] = [item]
        return item["metadata"]["uid"] != uid

    wait_for(f"another {pod}", there, LIMIT)
    return found[0]


def seconds(text):
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def disrupted(fixture):
    """a disrupted pod is replaced under Never, and counts nowhere"""
    begun(fixture, "drained", "Never", backoffLimit=0)
    for reason, deleted in (("DeletionByPodGC", True),
                            ("TerminationByKubelet", False)):
        uid = end(fixture, "drained-worker-1", conditions=[
            {"type": "DisruptionTarget", "status": "True", "reason": reason}])
        if deleted:
            try:
                fixture.client.delete(f"{CORE}/pods/drained-worker-1",
                                      {"preconditions": {"uid": uid}})
            except ApiError:
                pass  # The operator was faster.
        successor(fixture, "drained-worker-1", uid)
        fixture.set_phase("drained-worker-1", "Running")
    wait_for("two that run", lambda: fixture.client.get(f"{JOBS}/drained")[
        "status"]["replicaStatuses"]["Worker"] == {"active": 2}, LIMIT)
    status = fixture.client.get(f"{JOBS}/drained")["status"]
    equal([c["type"] for c in status["conditions"]], ["Created", "Running"])
    equal(status.get("restarts"), None)
    wait_for("the event", lambda: "PodDisrupted" in fixture.kubectl(
        "describe", "tfjob", "drained").stdout, LIMIT)


def early(fixture):
    """pods that fail at once wait, a killed operator forgets nothing of it"""
    begun(fixture, "hasty", "OnFailure")
    pod = "hasty-worker-1"
    first = end(fixture, pod)
    second = successor(fixture, pod, first)
    equal(NOTE in second["metadata"].get("annotations", {}), False)
    uid = end(fixture, pod)
    wait_for("the note on the pod that waits", lambda: fixture.client.get(
        f"{CORE}/pods/{pod}")["metadata"].get("annotations", {}).get(NOTE)
        == "1", LIMIT)
    fixture.operator.kill()
    fixture.operator.start()
    ended = fixture.client.get(f"{CORE}/pods/{pod}")
    equal(ended["metadata"]["uid"], uid, "the pod that waits")
    contains(fixture.operator.page(
        fixture.operator.admin, "/admin/v1/jobs/default/TFJob/hasty"),
        "2 times in a row; it is replaced at")
    third = successor(fixture, pod, uid)
    equal(third["metadata"]["annotations"][NOTE], "2")
    waited = (seconds(third["metadata"]["creationTimestamp"])
              - seconds(ended["status"]["startTime"]))
    equal(waited >= 10, True, f"at least 10 s instead of {waited}")


def no_retries(fixture):
    """backoffLimit 0: the first failure ends the job, under Never, too"""
    begun(fixture, "strict", "Never", backoffLimit=0, cleanPodPolicy="All")
    end(fixture, "strict-worker-1")
    fixture.await_condition("strict", "Failed")
    status = fixture.client.get(f"{JOBS}/strict")["status"]
    equal(status["conditions"][-1]["message"],
          "Job strict has failed because it has reached the specified backoff "
          "limit")
    equal(status["replicaStatuses"], {"Worker": {"failed": 1}})
    wait_for("no pods", lambda: not fixture.owned("pods", "strict"), LIMIT)


if __name__ == "__main__":
    sys.exit(main([disrupted, no_retries, early], OperatorFixture, __doc__))
