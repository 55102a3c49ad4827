#!/usr/bin/python3
"""Helm installs the chart over the Kubeflow training operator, whose jobs of
each kind are there in every state: they go on in the same pods.

    test_chart_takes_over.py [--troupe FILE] [--only PART]
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import training_operator
from checks import contains, equal, main
from cluster import Cluster
from control_plane import accounts
from helm import CHART, OWNER, RELEASE, Helm, without_marks
from jobs import original
from jobs.kinds import UPSTREAM_KINDS as KINDS
from jobs.namespace import Namespace
from operators import shipped_objects
from operators.operator_fixture import OperatorFixture
from operators.shipped_objects import ACCOUNT, NAMESPACE
from process import free_port
from test_migration import Swapped, objects, reduced, taken_over

DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{ACCOUNT}"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class TakenOver(Swapped):
    """The operator, with the account and the arguments that Helm installed, is
    started when that is done."""

    def __init__(self, troupe, more):
        port = free_port()
        OperatorFixture.__init__(self, troupe, [
            "--webhook-url", f"https://127.0.0.1:{port}",
            "--webhook-server-port", str(port), *more],
            self.leave, Cluster(), shipped_objects.KUBECONFIG)
        self.left, self.before = {}, {}
        self.helm = Helm(self.cluster.folder, self.cluster.kubeconfig)

    def leave(self, cluster):
        training_operator.install(cluster)
        self.client = cluster.client
        for kind in KINDS:
            ns = self.left[kind] = Namespace(self)
            for state in original.STATES:
                original.leave(ns, kind, state)
            self.before[kind] = objects(ns, kind)
        self.said = self.install(fails=True)
        self.untouched = cluster.client.get(DEPLOYMENT)
        cluster.kubectl("delete", "deployment", ACCOUNT, "--namespace",
                        NAMESPACE)
        self.install()
        for kind in KINDS:
            equal(objects(self.left[kind], kind), self.before[kind], "objects")
        accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)
        manager, child = cluster.path("manager"), self.operator.child
        os.symlink(os.path.abspath(child.args[0]), manager)
        spec = cluster.client.get(DEPLOYMENT)["spec"]["template"]["spec"]
        child.args[:2] = [manager, *spec["containers"][0]["args"]]
        child.env = dict(os.environ, MY_POD_NAMESPACE=NAMESPACE,
                         MY_POD_NAME=ACCOUNT + "-0")

    def install(self, **more):
        return self.helm("upgrade", "--install", "--take-ownership", RELEASE,
                         CHART, **more)


def ended_first(fixture):
    """while the other operator is there nothing is changed, and why is said"""
    contains(fixture.said, f"kubectl delete deployment {ACCOUNT} --namespace "
             f"{NAMESPACE}")
    image = training_operator.deployment()["spec"]["template"]["spec"][
        "containers"][0]["image"]
    spec = fixture.untouched["spec"]["template"]["spec"]
    equal(spec["containers"][0]["image"], image)
    equal(fixture.untouched["metadata"].get("annotations", {}).get(OWNER), None)


def definitions(fixture):
    """its definitions have become Troupe's, which Helm owns"""
    wanted = fixture.helm.render()
    found = {item["metadata"]["name"]: item
             for item in fixture.client.get(DEFINITIONS)["items"]}
    for (kind, _, name), definition in wanted.items():
        if kind != "CustomResourceDefinition":
            continue
        equal(found[name]["metadata"]["annotations"][OWNER], RELEASE)
        equal(found[name]["spec"]["versions"], definition["spec"]["versions"],
              name)


def of_kind(kind):
    """`taken_over` of the migration, for that kind."""
    def run(fixture):
        taken_over(fixture, kind)
    run.__name__ = f"taken_over_{kind.short_name}"
    run.__doc__ = f"{kind}: {taken_over.__doc__}"
    return run


def others(fixture):
    """its other objects, too: no rights and no containers are left over"""
    for key, wanted in fixture.helm.render().items():
        kind, _, name = key
        # The operator changes those, and definitions are compared elsewhere.
        if kind.endswith(("Configuration", "Definition")):
            continue
        found = json.loads(fixture.kubectl(
            "get", kind.lower(), name, "--namespace", NAMESPACE,
            "--output=json").stdout)
        equal(found["metadata"]["annotations"][OWNER], RELEASE, key)
        labels = without_marks(wanted)["metadata"].pop("labels")
        equal(labels.items() <= found["metadata"]["labels"].items(), True, key)
        equal(reduced(found, wanted), wanted, key)
        equal(found.get("rules"), wanted.get("rules"), key)
        if kind == "Deployment":
            pod = found["spec"]["template"]["spec"]
            equal(("volumes" in pod, len(pod["containers"])), (False, 1))


CASES = [ended_first, definitions, others, *map(of_kind, KINDS)]

if __name__ == "__main__":
    sys.exit(main(CASES, TakenOver, __doc__, at_once=4))
