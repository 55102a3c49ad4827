#!/usr/bin/python3
"""A cluster gets a newer build and then the one of before again, by kubectl, while
jobs run: their pods are not touched. (By Helm: test_chart_on_cluster.py.)

    test_going_back.py [--troupe FILE] [--only PART]

$TROUPE_BEFORE is the program of another build, if there is one; else both builds
have the same, and differ by what is applied. The last case is how it is removed.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from checks import equal, main
from cluster import REPOSITORY, Cluster
from control_plane import accounts
from jobs.kinds import PYTORCH, TF
from jobs.namespace import Namespace, serial
from operators.operator_fixture import OperatorFixture
from operators.shipped_objects import ACCOUNT, DEPLOY, KUBECONFIG, NAMESPACE

DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{ACCOUNT}"
DEFINITION = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
              "tfjobs.kubeflow.org")
TAG = re.compile(r"newTag: (\S+)")


class TwoBuilds(OperatorFixture):
    """`before` and `now` are folders like deploy/; the cluster has the former."""

    def __init__(self, troupe, more):
        self.programs = {"before": os.environ.get("TROUPE_BEFORE", troupe),
                         "now": troupe}
        super().__init__(self.programs["before"], more, self.install, Plane(),
                         KUBECONFIG)

    def install(self, cluster):
        for name in self.programs:
            shutil.copytree(DEPLOY, cluster.path(name))
        make_older(cluster.path("before"))
        # Without webhooks: their Service leads nowhere here.
        for name in self.programs:
            path = cluster.path(name, "default", "kustomization.yaml")
            replace(path, r"  - \.\./webhook\n", "")
        cluster.kubectl("apply", "-k", cluster.path("before"))
        accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)

    def run_build(self, name):
        """As the Deployment's pods are replaced."""
        child = self.operator.child
        child.stop()
        child.args[0] = self.programs[name]
        self.operator.start()

    def installed(self):
        """(tag of the image, short names of TFJobs)"""
        container, = self.client.get(DEPLOYMENT)["spec"]["template"]["spec"][
            "containers"]
        return (container["image"].split(":")[1], self.client.get(DEFINITION)[
            "spec"]["names"].get("shortNames", []))


class Plane(Cluster):
    """Whose path() takes several names."""

    def path(self, *names):
        return os.path.join(self.folder, *names)


def replace(path, pattern, text):
    with open(path) as file:
        before = file.read()
    equal(bool(re.search(pattern, before)), True, f"{pattern} in {path}")
    with open(path, "w") as file:
        file.write(re.sub(pattern, text, before, count=1))


def make_older(folder):
    """Another tag, a definition with another field."""
    replace(os.path.join(folder, "manager", "kustomization.yaml"), TAG.pattern,
            "newTag: 0.0.9")
    replace(os.path.join(folder, "crds", "kubeflow.org_tfjobs.yaml"),
            "singular: tfjob", "singular: tfjob, shortNames: [older]")


def pods(ns):
    return {p["metadata"]["name"]: (p["metadata"]["uid"],
                                    p["metadata"]["resourceVersion"])
            for p in ns.client.get(ns.core("pods"))["items"]}


def there_and_back(fixture, apply):
    """`apply(name)` gives the cluster the objects of a build."""
    with open(os.path.join(DEPLOY, "manager", "kustomization.yaml")) as file:
        tag = TAG.search(file.read())[1]
    ns = Namespace(fixture)
    jobs = [(TF, "trains"), (PYTORCH, "learns")]
    for kind, job in jobs:
        ns.start(kind, job)
    before = pods(ns)
    for name, wanted in (("now", (tag, [])), ("before", ("0.0.9", ["older"]))):
        apply(name)
        fixture.run_build(name)
        equal(fixture.installed(), wanted, name)
        jobs.append((TF, "of-" + name))
        ns.start(*jobs[-1])
        equal({n: v for n, v in pods(ns).items() if n in before}, before, name)
    for kind, job in jobs:
        ns.succeed(kind, job)


# -- cases --------------------------------------------------------------------

@serial
def by_folder(fixture):
    """kubectl apply -k"""
    there_and_back(fixture, lambda name: fixture.kubectl(
        "apply", "-k", fixture.cluster.path(name)))


@serial
def by_file(fixture):
    """kubectl apply --server-side -f, as with install.yaml, after apply -k"""
    def apply(name):  # test_install_yaml.py: that file has the same objects.
        text = fixture.kubectl("kustomize", fixture.cluster.path(name)).stdout
        fixture.kubectl("apply", "--server-side", "--force-conflicts", "-f",
                        "-", stdin=text)
    there_and_back(fixture, apply)


@serial
def removed(fixture):
    """the commands of docs/migration.md remove the operator and leave jobs,
    their pods and the definitions"""
    with open(os.path.join(REPOSITORY, "docs", "migration.md")) as file:
        commands = file.read().partition("To remove what kubectl installed")[
            2].split("```")[1]
    ns = Namespace(fixture)
    ns.start(TF, "stays")
    fixture.operator.child.stop()
    before = pods(ns)
    subprocess.run(
        ["bash", "-euc", commands], check=True, stdout=subprocess.DEVNULL,
        env=dict(os.environ, KUBECONFIG=fixture.cluster.kubeconfig,
                 PATH=fixture.cluster.binaries + ":" + os.environ["PATH"]))
    left = [line for line in fixture.kubectl(
        "get", "-k", fixture.cluster.path("now"), "--ignore-not-found",
        "--output=name").stdout.split()
        if not line.startswith(("customresourcedefinition", "namespace/"))]
    equal(left, [])
    equal(fixture.client.get(DEFINITION)["kind"], "CustomResourceDefinition")
    equal(pods(ns), before)
    equal(ns.job(TF, "stays")["kind"], "TFJob")


CASES = [by_folder, by_file, removed]

if __name__ == "__main__":
    sys.exit(main(CASES, TwoBuilds, __doc__))
