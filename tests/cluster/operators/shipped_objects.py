"""The objects of deploy/, as kubectl builds and applies them."""

import functools
import os

import yaml

from cluster import REPOSITORY
from control_plane import accounts

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


def container(cluster):
    """The operator's, in its Deployment."""
    spec = built(cluster)["Deployment", ACCOUNT]["spec"]["template"]["spec"]
    return spec["containers"][0]


def apply(cluster):
    cluster.kubectl("apply", "-k", DEPLOY)


def install_account(cluster):
    """The operator's account with its roles alone; writes KUBECONFIG."""
    apply_some(cluster, lambda o: o["kind"] in ("Namespace", "ServiceAccount")
               or o["apiVersion"].startswith("rbac."))
    accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)


def install_webhooks(cluster):
    """What is filled in by an operator with --webhook-url."""
    apply_some(cluster, lambda o: o["kind"] in (
        "Secret", "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration"))


def apply_some(cluster, chosen, folder=""):
    objects = [o for o in built(cluster, folder).values() if chosen(o)]
    cluster.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects))


def rights(cluster):
    """(verb, group, resource) of what the operator's account may do."""
    objects = built(cluster)
    return set().union(*(
        accounts.rights(objects[b["roleRef"]["kind"], b["roleRef"]["name"]])
        for (kind, _), b in objects.items() if kind.endswith("Binding")
        and any((s["kind"], s["name"]) == ("ServiceAccount", ACCOUNT)
                for s in b["subjects"])))
