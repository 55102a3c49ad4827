#!/usr/bin/python3
"""The objects of deploy/ on a real API server, and the operator started as its
Deployment says.

    test_install.py [--troupe FILE] [--only PART]
"""

import copy
import json
import os
import re
import sys

import accounts
import shipped_objects
from checks import contains, equal, main
from cluster import REPOSITORY, Cluster
from kinds import TF
from namespace import Namespace
from operator_fixture import OperatorFixture
from shipped_objects import ACCOUNT, NAMESPACE, built

DEPLOYMENT = ("Deployment", ACCOUNT)
USERS = {("ClusterRole", f"kubeflow-training-{who}")
         for who in ("admin", "edit", "view")}


class Installed(OperatorFixture):
    """The operator is called `manager`, has the Deployment's arguments and the
    account's token."""

    def __init__(self, troupe, more):
        super().__init__(troupe, more, self.install, Cluster(),
                         shipped_objects.KUBECONFIG)

    def install(self, cluster):
        shipped_objects.apply(cluster)
        accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)
        child = self.operator.child
        manager = cluster.path("manager")
        os.symlink(os.path.abspath(child.args[0]), manager)
        spec = built(cluster)[DEPLOYMENT]["spec"]["template"]["spec"]
        shipped = spec["containers"][0]
        equal(shipped["command"], ["/manager"])
        child.args[:2] = [manager, *shipped["args"]]
        child.env = dict(os.environ, MY_POD_NAMESPACE=NAMESPACE,
                         MY_POD_NAME=ACCOUNT + "-0")


def works(fixture):
    """the Deployment's command with its account runs a job"""
    ns = Namespace(fixture)
    ns.start(TF, "job")
    ns.succeed(TF, "job")


def unchanged(fixture):
    """applied a second time, nothing changes"""
    def versions():
        items = json.loads(fixture.kubectl(
            "get", "-k", shipped_objects.DEPLOY, "--output=json").stdout)
        return {(o["kind"], o["metadata"]["name"]):
                o["metadata"]["resourceVersion"] for o in items["items"]}
    before = versions()
    equal(set(before), set(built(fixture.cluster)))
    shipped_objects.apply(fixture.cluster)
    equal(versions(), before)


def overlays(fixture):
    """every folder can be applied, and has what it is for"""
    cluster = fixture.cluster
    default = built(cluster)
    equal(USERS - set(default), set())
    equal(set(built(cluster, "overlays/standalone")), set(default) - USERS)
    equal(set(built(cluster, "overlays/kubeflow")),
          set(default) - {("Namespace", NAMESPACE)})
    for name, scheduler in (("volcano", "volcano"), (
            "scheduler-plugins", "scheduler-plugins-scheduler")):
        objects = built(cluster, f"overlays/{name}")
        changed = {key for key in objects if objects[key] != default[key]}
        equal(changed, {DEPLOYMENT}, name)
        spec = objects[DEPLOYMENT]["spec"]["template"]["spec"]
        contains(spec["containers"][0]["args"],
                 "--gang-scheduler-name=" + scheduler)
        cluster.kubectl("apply", "--dry-run=server", "-f", "-",
                        stdin=json.dumps(objects[DEPLOYMENT]))


def restricted(fixture):
    """its pods comply with the Pod Security Standard `restricted`"""
    ns = Namespace(fixture)
    fixture.client.merge(f"/api/v1/namespaces/{ns.name}", {"metadata": {
        "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
    template = built(fixture.cluster)[DEPLOYMENT]["spec"]["template"]
    pod = copy.deepcopy(template)
    pod["metadata"]["name"] = "operator"
    fixture.client.post(ns.core("pods"), pod)
    container = pod["spec"]["containers"][0]
    equal(container["securityContext"]["readOnlyRootFilesystem"], True)


def kept_selector(fixture):
    """what selects the training operator's pods selects these"""
    objects = built(fixture.cluster)
    selector = {"control-plane": "kubeflow-training-operator"}
    spec = objects[DEPLOYMENT]["spec"]
    # A Deployment's selector cannot change: it has to be the original's.
    equal(spec["selector"]["matchLabels"], selector)
    equal(objects["Service", ACCOUNT]["spec"]["selector"], selector)
    equal(objects["PodDisruptionBudget", ACCOUNT]["spec"]["selector"][
        "matchLabels"], selector)


def version(fixture):
    """the image's tag is the version of this source"""
    with open(os.path.join(REPOSITORY, "CMakeLists.txt")) as file:
        number = re.search(r"project\(troupe VERSION (\S+)", file.read())[1]
    spec = built(fixture.cluster)[DEPLOYMENT]["spec"]["template"]["spec"]
    equal(spec["containers"][0]["image"], "troupe:" + number)


CASES = [works, unchanged, overlays, restricted, kept_selector, version]

if __name__ == "__main__":
    sys.exit(main(CASES, Installed, __doc__))
