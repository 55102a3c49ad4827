"""The objects of deploy/, as kubectl builds and applies them."""

import functools
import os

import yaml

import accounts
from cluster import REPOSITORY

DEPLOY = os.path.join(REPOSITORY, "deploy")
NAMESPACE, ACCOUNT = accounts.SHIPPED_NAMESPACE, "training-operator"
KUBECONFIG = ACCOUNT + ".kubeconfig"  # In a cluster's folder.


@functools.lru_cache(maxsize=None)
def built(cluster, folder=""):
    """The objects of a folder of deploy/: (kind, name) -> object."""
    text = cluster.kubectl("kustomize", os.path.join(DEPLOY, folder)).stdout
    return {(o["kind"], o["metadata"]["name"]): o
            for o in yaml.load_all(
                text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))}


def apply(cluster):
    cluster.kubectl("apply", "-k", DEPLOY)


def install_account(cluster):
    """The operator's account with its roles alone; writes KUBECONFIG."""
    objects = [o for (kind, _), o in built(cluster).items()
               if kind in ("Namespace", "ServiceAccount")
               or o["apiVersion"].startswith("rbac.")]
    cluster.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects))
    accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)


def rights(cluster):
    """(verb, group, resource) of what the operator's account may do."""
    objects = built(cluster)
    return set().union(*(
        accounts.rights(objects[b["roleRef"]["kind"], b["roleRef"]["name"]])
        for (kind, _), b in objects.items() if kind.endswith("Binding")
        and any((s["kind"], s["name"]) == ("ServiceAccount", ACCOUNT)
                for s in b["subjects"])))
