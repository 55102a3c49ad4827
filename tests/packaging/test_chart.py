#!/usr/bin/python3
"""The Helm chart: its objects are those of the Kustomization, and Helm installs,
upgrades, rolls back and removes them on a real API server while jobs run.

    test_chart.py [--troupe FILE] [--only PART]
"""

import json
import os
import shutil
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import assets
from checks import contains, equal, main
from cluster import Cluster
from control_plane import accounts
from jobs.kinds import TF
from jobs.namespace import Namespace
from operators import shipped_objects
from operators.operator_fixture import OperatorFixture
from operators.shipped_objects import ACCOUNT, DEPLOY, NAMESPACE

CHART = os.path.join(DEPLOY, "chart")
RELEASE = "training-operator"
# What Helm writes: who installed an object, and that definitions stay.
OF_HELM = ("meta.helm.sh/release-name", "meta.helm.sh/release-namespace",
           "helm.sh/resource-policy")


class Chart(OperatorFixture):
    """An installation by kubectl, with its operator, which Helm takes over."""

    def __init__(self, troupe, more):
        self.helm_program = assets.helm()
        super().__init__(troupe, more, self.install, Cluster(),
                         shipped_objects.KUBECONFIG)

    def install(self, cluster):
        shipped_objects.apply_some(cluster, lambda o: not o["kind"].endswith(
            "WebhookConfiguration"))
        accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)

    def helm(self, *arguments, fails=False):
        """What it prints; of a failure, what it says."""
        done = subprocess.run(
            [self.helm_program, *arguments, "--kubeconfig",
             self.cluster.kubeconfig, "--namespace", NAMESPACE],
            text=True, capture_output=True,
            env=dict(os.environ, HOME=self.cluster.folder))
        said = done.stdout + "".join(
            line + "\n" for line in done.stderr.splitlines()
            if "symbolic link" not in line)
        equal(bool(done.returncode), fails, said)
        return said if fails else done.stdout

    def render(self, *values):
        """(kind, namespace, name) -> object."""
        return by_name(self.helm("template", RELEASE, CHART, "--kube-version",
                                 assets.VERSION, *values))

    def upgrade(self, *values, chart=CHART):
        # Without webhooks: their Service leads nowhere here.
        self.helm("upgrade", "--install", "--take-ownership", RELEASE, chart,
                  "--set", "webhooks.enabled=false", *values)

    def deployment(self):
        return self.client.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/"
                               f"deployments/{ACCOUNT}")


def by_name(text):
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]):
            o for o in yaml.load_all(text, loader) if o}


def without_marks_of_helm(thing):
    notes = thing["metadata"].get("annotations", {})
    for name in OF_HELM:
        notes.pop(name, None)
    if not notes:
        thing["metadata"].pop("annotations", None)
    return thing


def same_objects(fixture):
    """the chart renders the objects of the Kustomization and its overlays"""
    for folder, values in (
            ("default", ()), ("overlays/kubeflow", ()),
            ("overlays/volcano", ("--set", "gangScheduler=volcano")),
            ("overlays/scheduler-plugins",
             ("--set", "gangScheduler=scheduler-plugins-scheduler")),
            ("overlays/standalone", ("--set", "userRoles.create=false")),
            ("overlays/di", ("--set", "diServer.originalAddress=true"))):
        wanted = by_name(fixture.kubectl(
            "kustomize", os.path.join(DEPLOY, folder)).stdout)
        # Helm makes it: --create-namespace.
        wanted.pop(("Namespace", None, NAMESPACE), None)
        got = fixture.render(*values)
        equal(set(got), set(wanted), folder)
        for key, thing in got.items():
            if "di-system" in key:  # The chart labels it as all others.
                continue
            equal(without_marks_of_helm(thing), wanted[key],
                  f"{folder}: {key}")


def values(fixture):
    """values reach the objects they name, in whichever namespace"""
    text = fixture.helm(
        "template", RELEASE, CHART, "--kube-version", assets.VERSION,
        "--namespace", "ml", "--set", "replicas=3,kinds={TFJob,DIJob}",
        "--set", "args.log-level=debug,args.leader-elect=false",
        "--set", "args.list-page=100,image.repository=r.example/troupe",
        "--set", "imagePullSecrets[0].name=pull,nodeSelector.pool=cpu",
        "--set", "resources.limits.memory=2Gi,podAnnotations.a=b",
        "--set", "extraLabels.team=ml,monitoring.podMonitor=true",
        "--set", "monitoring.dashboard=true,podLogs.enabled=true")
    objects = by_name(text)
    spec = objects["Deployment", NAMESPACE, ACCOUNT]["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    equal(spec["replicas"], 3)
    equal(container["image"].split(":")[0], "r.example/troupe")
    equal(container["args"], [
        "--leader-elect=false", f"--server-address=di-server.{NAMESPACE}:8080",
        "--di-server-url=http://di-server."
        f"{NAMESPACE}.svc.cluster.local:8081", "--zap-encoder=json",
        "--enable-scheme=TFJob", "--enable-scheme=DIJob", "--list-page=100",
        "--log-level=debug"])
    equal(container["resources"]["limits"], {"memory": "2Gi"})
    equal(pod["imagePullSecrets"], [{"name": "pull"}])
    equal(pod["nodeSelector"], {"pool": "cpu"})
    equal(spec["template"]["metadata"]["annotations"]["a"], "b")
    equal({o["metadata"]["labels"].get("team") for o in objects.values()},
          {"ml"})
    for key in (("PodMonitor", NAMESPACE, ACCOUNT),
                ("ConfigMap", NAMESPACE, "training-operator-dashboard"),
                ("ClusterRole", None, "training-operator-pod-logs")):
        contains(objects, key)


def refused(fixture):
    """a value that the chart does not know is refused by its name"""
    for flag, word in (("imag.tag=x", "imag"), ("kinds={TFJbo}", "kinds/0"),
                       ("replicas=two", "replicas"),
                       ("args.Level=debug", "Level"),
                       ("monitoring.podmonitor=true", "podmonitor")):
        said = fixture.helm("template", RELEASE, CHART, "--set", flag,
                            fails=True)
        contains(said, word)


def life(fixture):
    """Helm takes over, upgrades, rolls back and uninstalls; jobs do not notice"""
    ns = Namespace(fixture)
    ns.start(TF, "job")
    before = pods(ns)
    fixture.upgrade()
    equal(fixture.deployment()["metadata"]["annotations"][OF_HELM[0]], RELEASE)
    changed = os.path.join(fixture.cluster.folder, "chart")
    shutil.copytree(CHART, changed)  # With what its links lead to.
    path = os.path.join(changed, "files", "crds", "kubeflow.org_tfjobs.yaml")
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace("    singular: tfjob\n",
                                "    singular: tfjob\n"
                                "    shortNames: [training]\n", 1))
    fixture.upgrade("--set", "args.log-level=debug", chart=changed)
    contains(arguments(fixture), "--log-level=debug")
    contains(names_of_tfjobs(fixture).get("shortNames", []), "training")
    fixture.helm("rollback", RELEASE, "1")
    equal("--log-level=debug" in arguments(fixture), False)
    equal("training" in names_of_tfjobs(fixture).get("shortNames", []), False)
    equal(pods(ns), before)
    fixture.helm("uninstall", RELEASE)
    equal([d["metadata"]["name"] for d in fixture.client.get(
        f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments")["items"]], [])
    equal(pods(ns), before)
    fixture.upgrade()
    equal(pods(ns), before)
    ns.succeed(TF, "job")


def pods(ns):
    """name -> (UID, version) of the namespace's pods."""
    return {p["metadata"]["name"]: (p["metadata"]["uid"],
                                    p["metadata"]["resourceVersion"])
            for p in ns.fixture.client.get(ns.core("pods"))["items"]}


def arguments(fixture):
    return fixture.deployment()["spec"]["template"]["spec"]["containers"][0][
        "args"]


def names_of_tfjobs(fixture):
    return fixture.client.get("/apis/apiextensions.k8s.io/v1/"
                              "customresourcedefinitions/tfjobs.kubeflow.org"
                              )["spec"]["names"]


def packed(fixture):
    """packed twice, the chart has the same files, and installs from the archive"""
    folder = fixture.cluster.folder
    said = fixture.helm("package", CHART, "--destination", folder)
    path = said.split()[-1]
    got = by_name(fixture.helm("template", RELEASE, path, "--kube-version",
                               assets.VERSION))
    equal(got, fixture.render())


if __name__ == "__main__":
    sys.exit(main(__doc__, Chart,
                  [same_objects, values, refused, packed, life]))
