#!/usr/bin/python3
"""The fields of built-in resources in the embedded API server, and how
server-side apply merges them, beside those of a kube-apiserver.

They are those of the last of assets.VERSIONS; what an earlier one does not have
yet is in LATER, and all the rest is the same there, too.
"""

import os
import sys

import assets
from checks import equal, run
from cluster import REPOSITORY, Cluster

sys.path.insert(0, os.path.join(REPOSITORY, "tests", "whole"))
from test_up import Up  # noqa: E402
from troupe import Folder  # noqa: E402

# What the embedded API server does not look into.
OPAQUE = ("managedFields", "extra", "attestations")

# Version -> the last two names of the paths of fields that it does not have. A
# row that meets no path fails.
LATER = {"1.34.1": (
    # Of pods, and so of all templates.
    "clusterTrustBundle.user", "configMap.defaultUser",
    "downwardAPI.defaultUser", "emptyDir.mode", "grpc.mode",
    "httpGet.protocol", "items.user", "podCertificate.user",
    "podCertificate.userAnnotations", "projected.defaultUser",
    "secret.defaultUser", "serviceAccountToken.user",
    "spec.evictionResponders", "spec.schedulingGroup",
    "volumeMounts.bindMountOptions",
    # Of a pod's status.
    "resources.message", "status.allocatedResources",
    "status.nodeAllocatableResourceClaimStatuses", "status.resources",
    "status.volumeHealth", "volumeMounts.volumeStatus",
    # Of nodes, jobs, claims and autoscalers.
    "nodeInfo.runningInUserNamespace", "spec.podPreemptionPolicy",
    "status.declaredFeatures", "spec.scheduling", "status.healthStatus",
    "conditions.observedGeneration")}


class Servers:
    """A kube-apiserver, and `troupe up`."""

    def __enter__(self):
        self.cluster, self.folder = Cluster().__enter__(), Folder().__enter__()
        self.up = Up("--run-dir", os.path.join(self.folder.path, "run"),
                     "--no-node", "--no-operator").__enter__()
        return self

    def __exit__(self, *_):
        self.up.__exit__()
        self.folder.__exit__()
        self.cluster.__exit__()

    def documents(self, path):
        return self.up.get(path), self.cluster.client.get(path)


def resolved(schema, schemas):
    """The schema without references, and with how it is merged."""
    merged = schema.get("x-kubernetes-map-type")
    while True:
        of = schema.get("allOf", [schema])[0]
        if "$ref" not in of:
            return of, merged or of.get("x-kubernetes-map-type")
        schema = schemas[of["$ref"].rsplit("/", 1)[1]]
        merged = merged or schema.get("x-kubernetes-map-type")


def shape(schema, schemas):
    """What is compared: names of fields, lists, maps, and how they merge."""
    schema, merged = resolved(schema, schemas)
    if "properties" in schema:
        return (merged or "granular",
                {name: "opaque" if name in OPAQUE else shape(value, schemas)
                 for name, value in schema["properties"].items()})
    if "additionalProperties" in schema:
        return ("map", merged or "granular",
                shape(schema["additionalProperties"], schemas))
    if schema.get("type") == "array":
        return ("list", schema.get("x-kubernetes-list-type", "atomic"),
                schema.get("x-kubernetes-list-map-keys", []),
                shape(schema["items"], schemas))
    return "value"


def differences(ours, theirs, path):
    if isinstance(ours, tuple) and isinstance(theirs, tuple) \
            and len(ours) == len(theirs):
        return [d for pair in zip(ours, theirs)
                for d in differences(*pair, path)]
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return [d for name in {*ours, *theirs}
                for d in differences(ours.get(name, "missing"),
                                     theirs.get(name, "missing"),
                                     f"{path}.{name}")]
    return [] if ours == theirs else \
        [f"{path}: {str(ours)[:60]}, not {str(theirs)[:60]}"]


def unexplained(found):
    """Differences that are not in LATER, and rows of that which meet none."""
    rows = {name: False for name in LATER.get(assets.VERSION, ())}
    left = []
    for line in found:
        path = line.split(":")[0].split(" ")[-1]
        name = ".".join(path.split(".")[-2:])
        if name in rows and line.endswith(", not missing"):
            rows[name] = True
        else:
            left.append(line)
    return left + [f"{name} is there" for name, met in rows.items() if not met]


def schemas_by_kind(document):
    return {gvk["kind"]: schema
            for schema in document["components"]["schemas"].values()
            for gvk in schema.get("x-kubernetes-group-version-kind", ())}


def fields_are_those_of_kubernetes(servers):
    """each built-in resource has the fields that it has in Kubernetes"""
    found, compared = [], 0
    ours, theirs = servers.documents("/openapi/v3")
    for path in ours["paths"].keys() & theirs["paths"].keys():
        documents = servers.documents("/openapi/v3/" + path)
        ours, theirs = map(schemas_by_kind, documents)
        for kind in ours.keys() & theirs.keys():
            compared += 1
            shapes = [shape(by_kind[kind], document["components"]["schemas"])
                      for by_kind, document in zip((ours, theirs), documents)]
            found += differences(*shapes, f"{path} {kind}")
    equal(sorted(unexplained(found)), [], "differences")
    equal(compared > 30, True, f"enough kinds ({compared})")


if __name__ == "__main__":
    sys.exit(run([fields_are_those_of_kubernetes], Servers, *sys.argv[1:2]))
