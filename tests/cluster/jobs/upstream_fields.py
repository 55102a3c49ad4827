"""Definitions of jobs with the fields of the training operator's: they do not
have what Troupe added."""

import json

from cluster import wait_for
from operators.operator_fixture import LIMIT

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OF_RUN_POLICY = ("failurePolicy", "progress", "successPolicy")
OF_STATUS = ("countedRestarts", "lastRestart", "progress", "restartAttempt",
             "restartTimes", "restarts")
OF_REPLICA_STATUS = ("completedIndexes", "restartAttempt")


def remove_own_fields(definition):
    """From all versions of a definition of kubeflow.org."""
    for version in definition["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]["properties"]
        status = schema["status"]["properties"]
        replicas = status["replicaStatuses"]["additionalProperties"]
        policy = schema["spec"]["properties"]["runPolicy"]
        for names, fields in ((OF_STATUS, status),
                              (OF_REPLICA_STATUS, replicas["properties"]),
                              (OF_RUN_POLICY, policy["properties"])):
            for name in names:
                del fields[name]


def define_without_own_fields(cluster):
    """All kinds as the training operator defines them, in place of what the
    cluster has."""
    names = cluster.kubectl("get", "crd", "-o", "name").stdout.split()
    for name in names:
        if not name.endswith("jobs.kubeflow.org"):
            continue
        crd = json.loads(cluster.kubectl("get", name, "-o", "json").stdout)
        remove_own_fields(crd)
        cluster.kubectl("delete", name)
        for part in ("resourceVersion", "uid", "creationTimestamp",
                     "managedFields"):
            crd["metadata"].pop(part, None)
        del crd["status"]
        cluster.kubectl("create", "-f", "-", stdin=json.dumps(crd))
        # `kubectl wait` fails where there is no status yet.
        path = f"{DEFINITIONS}/{crd['metadata']['name']}"
        wait_for("the definition", lambda: "Established" in [
            c["type"] for c in cluster.client.get(path).get("status", {}).get(
                "conditions") or () if c["status"] == "True"], LIMIT)
