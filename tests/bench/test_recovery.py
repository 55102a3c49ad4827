#!/usr/bin/python3
"""What `recovery.py` compares is the same: after a failure the bare client and the
operator have replaced all pods by pods of the same content."""

import argparse
import json
import subprocess
import sys

from bench import build_loadgen
from meter import Load
from recovery import RecoveryCluster, audited, nobody, operator_of, shares

from checks import equal, run  # of ../cluster
from operators.shipped import TROUPE

WORKERS = 3
OF_THE_CLUSTER = "nodeName", "tolerations", "volumes"
FLAGS = "-failures", "1", "-pause", "1s", "-limit", "90s", "-scope", "Job"


def content(pod):
    """What a client has sent."""
    meta, spec = pod["metadata"], pod["spec"]
    for container in spec["containers"]:
        container.pop("volumeMounts", None)
    for owner in meta["ownerReferences"]:
        owner.pop("uid")
    return (meta["labels"], meta.get("annotations"), meta["ownerReferences"],
            {key: value for key, value in spec.items()
             if key not in OF_THE_CLUSTER})


def recovered(start, *more):
    """(what the generator has measured, with shares; name -> content of a pod)"""
    with RecoveryCluster() as cluster, start(cluster):
        load = Load(build_loadgen(), cluster.kubeconfig, f"1x{WORKERS}:JAXJob")
        done = subprocess.run([*load.command, *FLAGS, *more, "recover"],
                              stdout=subprocess.PIPE, text=True, check=True,
                              env=load.environment)
        result = json.loads(done.stdout.splitlines()[1])
        shares(result, audited(cluster))
        items = cluster.client.get("/api/v1/namespaces/default/pods")["items"]
        return result, {item["metadata"]["name"]: content(item)
                        for item in items}


class Both:
    """A recovery by each."""

    def __init__(self, troupe):
        self.troupe = troupe

    def __enter__(self):
        self.bare = recovered(nobody, "-write", "4", "-protobuf")
        self.operator = recovered(operator_of(self.troupe))
        return self

    def __exit__(self, *_):
        pass


def same_pods(both):
    """the bare client's pods have the content of the operator's"""
    equal(both.bare[1], both.operator[1], "pods")


def all_replaced(both):
    """each pod was deleted and created once, and the log tells of it"""
    for result, _ in both.bare, both.operator:
        equal([result[what] for what in
               ("replaced", "deletions", "creations")], 3 * [WORKERS], "pods")
        equal(sorted({"write", "before", "after"} - result.keys()), [],
              "what is not known")


def saved_first(both):
    """the operator saves the attempt before it deletes"""
    equal(both.operator[0]["write"] > 0, True, "a status write came first")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--troupe", default=TROUPE)
    args = parser.parse_args()
    sys.exit(run([same_pods, all_replaced, saved_first],
                 lambda: Both(args.troupe)))
