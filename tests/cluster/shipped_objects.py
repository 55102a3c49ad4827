"""The objects of deploy/, as kubectl builds and applies them."""

import functools
import os

import yaml

from cluster import REPOSITORY

DEPLOY = os.path.join(REPOSITORY, "deploy")
NAMESPACE, ACCOUNT = "kubeflow", "training-operator"


@functools.lru_cache(maxsize=None)
def built(cluster, folder=""):
    """The objects of a folder of deploy/: (kind, name) -> object."""
    text = cluster.kubectl("kustomize", os.path.join(DEPLOY, folder)).stdout
    return {(o["kind"], o["metadata"]["name"]): o
            for o in yaml.load_all(
                text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))}


def apply(cluster):
    cluster.kubectl("apply", "-k", DEPLOY)


def roles(objects):
    """The manifests of the roles that the operator's account is bound to."""
    return [objects[b["roleRef"]["kind"], b["roleRef"]["name"]]
            for (kind, _), b in objects.items() if kind.endswith("Binding")
            and any((s["kind"], s["name"]) == ("ServiceAccount", ACCOUNT)
                    for s in b["subjects"])]
