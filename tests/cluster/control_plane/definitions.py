"""Definitions of resources other than the shipped ones."""

import json
import os

import yaml

from cluster import CRDS

DIJOBS = "dijobs.diengine.opendilab.org"


def dijobs_of_tasks():
    """As DI-orchestrator v1.1.3 has it: v2alpha1 alone, which is stored."""
    with open(os.path.join(CRDS, "diengine.opendilab.org_dijobs.yaml")) as file:
        crd = yaml.safe_load(file)
    crd["spec"]["versions"] = [
        dict(v, served=True, storage=True) for v in crd["spec"]["versions"]
        if v["name"] == "v2alpha1"]
    del crd["spec"]["conversion"]
    return crd


def define_dijobs_of_tasks(cluster):
    """In place of what the cluster has."""
    cluster.kubectl("delete", "crd", DIJOBS)
    cluster.kubectl("create", "-f", "-", stdin=json.dumps(dijobs_of_tasks()))
    cluster.kubectl("wait", "--for=condition=Established", f"crd/{DIJOBS}")
