#!/usr/bin/python3
"""Helm takes over what kubectl installed, upgrades, rolls back, uninstalls and
installs again, on a real API server, while jobs run.

    test_chart_on_cluster.py [--troupe FILE] [--only PART]
"""

import base64
import os
import shutil
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from checks import contains, equal, main
from control_plane import accounts
from helm import CHART, OWNER, RELEASE, VERSION, Helm, by_name
from jobs.kinds import TF
from jobs.namespace import Namespace
from operators.shipped_objects import ACCOUNT, DEPLOY, NAMESPACE
from registry import Registry
from test_conversion import jobs as dijobs
from test_conversion import of_tasks, with_coordinator
from test_service_of_webhooks import ServiceFixture

DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
DEPLOYMENT = f"{DEPLOYMENTS}/{ACCOUNT}"
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
CERTIFICATES = f"{SECRETS}/training-operator-webhook-cert"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TFJOBS = f"{DEFINITIONS}/tfjobs.kubeflow.org"
FIELD = "ofNewerRelease"  # Of a TFJob's spec, in another chart.
# No certificate is renewed meanwhile.
LASTING = ("--webhook-certificate-life=100h", "--webhook-authority-life=1000h")
# What a Secret may have at most.
LARGEST = 1 << 20


class Chart(ServiceFixture):
    """Installed by kubectl, with an operator that has the arguments of the
    Deployment and the account's rights, as in a pod."""

    def __init__(self, troupe, more):
        super().__init__(troupe, [*LASTING, *more])
        self.manager = os.path.abspath(troupe)
        self.helm = Helm(self.cluster.folder, self.cluster.kubeconfig)

    def start_as_in_pod(self, cluster):
        super().start_as_in_pod(cluster)
        link = cluster.path("manager")
        os.symlink(self.manager, link)
        args = self.operator.child.args
        start = args.index("operator")
        self.before_arguments = [*args[:start - 1], link]
        self.own_arguments = args[start + 1:]
        self.take_arguments(cluster)
        self.operator.child.env.update(MY_POD_NAMESPACE=NAMESPACE,
                                       MY_POD_NAME=ACCOUNT + "-0")

    def take_arguments(self, cluster):
        self.operator.child.args = [*self.before_arguments, *arguments(
            cluster.client), *self.own_arguments]

    def start_again(self):
        """As a rollout does: with the arguments and the token of now."""
        self.operator.child.stop()
        with open(self.cluster.path("account/token"), "w") as file:
            file.write(accounts.token(self.cluster, NAMESPACE, ACCOUNT))
        self.take_arguments(self.cluster)
        self.operator.start()

    def upgrade(self, *values, chart=CHART, **more):
        return self.helm("upgrade", "--install", "--take-ownership", RELEASE,
                         chart, *values, **more)

    def lead_webhooks_here(self):
        """As when kubectl had installed, what Helm has made anew."""
        self.redirect_webhooks(self.client)

    def newer_chart(self):
        """Whose TFJobs have a field more."""
        folder = self.cluster.path("newer")
        if os.path.isdir(folder):
            return folder
        shutil.copytree(CHART, folder)  # With what its links lead to.
        path = os.path.join(folder, "files/crds/kubeflow.org_tfjobs.yaml")
        with open(path) as file:
            definition = yaml.safe_load(file)
        schema = definition["spec"]["versions"][0]["schema"]
        schema["openAPIV3Schema"]["properties"]["spec"]["properties"][
            FIELD] = {"type": "integer"}
        with open(path, "w") as file:
            yaml.safe_dump(definition, file)
        return folder


def arguments(client):
    spec = client.get(DEPLOYMENT)["spec"]["template"]["spec"]
    return spec["containers"][0]["args"]


def has_newer_field(fixture):
    (version,) = fixture.client.get(TFJOBS)["spec"]["versions"]
    return FIELD in version["schema"]["openAPIV3Schema"]["properties"]["spec"][
        "properties"]


def pods(ns):
    """name -> (UID, version) of the namespace's pods."""
    return {p["metadata"]["name"]: (p["metadata"]["uid"],
                                    p["metadata"]["resourceVersion"])
            for p in ns.client.get(ns.core("pods"))["items"]}


def releases(fixture):
    """The sizes of what Helm keeps of each revision."""
    items = fixture.client.get(f"{SECRETS}?labelSelector=owner%3Dhelm")["items"]
    return [len(base64.b64decode(item["data"]["release"])) for item in items]


def life(fixture):
    """a job goes on through all that Helm does, in the same pods"""
    ns = Namespace(fixture)
    fixture.await_answers()
    ns.start(TF, "job")
    ns.run_all(TF, "job")
    ns.await_condition(TF, "job", "Running")
    fixture.client.post(dijobs("v2alpha1"), of_tasks("kept"))
    before = pods(ns)
    for step in (taken_over, upgraded, rolled_back, removed, stale_definition,
                 installed_again):
        step(fixture)
        equal(pods(ns), before, step.__name__)
    ns.succeed(TF, "job")


def taken_over(fixture):
    deployment = fixture.client.get(DEPLOYMENT)
    bundle = fixture.await_bundle()
    keys = fixture.client.get(CERTIFICATES)["data"]
    refused = fixture.helm("install", RELEASE, CHART, fails=True)
    contains(refused, "exists and cannot be imported")
    fixture.upgrade()
    now = fixture.client.get(DEPLOYMENT)
    equal(now["metadata"]["annotations"][OWNER], RELEASE)
    # No pod of the operator is replaced.
    equal(now["spec"], deployment["spec"])
    equal((fixture.bundles(), fixture.client.get(CERTIFICATES)["data"]),
          ({bundle}, keys))
    for kind, _, name in by_name(fixture.helm("get", "manifest", RELEASE)):
        found = fixture.kubectl("get", kind.lower(), name, "--namespace",
                                NAMESPACE, "--output=yaml").stdout
        contains(found, f"{OWNER}: {RELEASE}")
    still_answers(fixture)


def still_answers(fixture):
    """Reviews and conversions, at once."""
    fixture.client.post(dijobs("v1alpha1") + "?dryRun=All",
                        with_coordinator("asked"))
    view = fixture.client.get(dijobs("v1alpha1", "kept"))
    contains(view["metadata"]["labels"],
             "diengine.opendilab.org/converted-from")


def upgraded(fixture):
    equal(has_newer_field(fixture), False)
    fixture.upgrade("--set", "args.log-level=debug",
                    chart=fixture.newer_chart())
    equal(has_newer_field(fixture), True)
    contains(arguments(fixture.client), "--log-level=debug")
    still_answers(fixture)
    fixture.start_again()
    contains(" ".join(fixture.operator.child.args), "--log-level=debug")
    still_answers(fixture)
    equal(max(releases(fixture)) < LARGEST // 2, True, releases(fixture))


def rolled_back(fixture):
    fixture.helm("rollback", RELEASE, "1")
    equal(has_newer_field(fixture), False)
    equal("--log-level=debug" in arguments(fixture.client), False)
    fixture.start_again()
    still_answers(fixture)


def removed(fixture):
    fixture.operator.child.stop()
    definitions = names(fixture, DEFINITIONS)
    fixture.helm("uninstall", RELEASE)
    equal(names(fixture, DEPLOYMENTS), [])
    equal(names(fixture, DEFINITIONS), definitions)
    for path in fixture.configurations:
        equal(Namespace(fixture).find(path), None, path)


def names(fixture, path):
    return [item["metadata"]["name"]
            for item in fixture.client.get(path)["items"]]


def stale_definition(fixture):
    """Helm would install a newer release beside the older definitions."""
    said = fixture.helm("install", RELEASE, fixture.newer_chart(), fails=True)
    contains(said, "tfjobs.kubeflow.org")
    contains(said, "--show-only templates/definitions.yaml | kubectl apply")
    written = fixture.helm("template", RELEASE, fixture.newer_chart(),
                           "--show-only", "templates/definitions.yaml",
                           "--kube-version", "1.34.1")
    fixture.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-",
                    stdin=written)
    fixture.helm("install", RELEASE, fixture.newer_chart())
    equal(has_newer_field(fixture), True)
    fixture.helm("uninstall", RELEASE)


def installed_again(fixture):
    """From a registry, over the definitions that a release has left."""
    fixture.kubectl("annotate", "crd", "--all", OWNER + "-")
    folder = fixture.cluster.path("chart")
    made = subprocess.run(
        [os.path.join(DEPLOY, "build_chart.py"), "--output", folder],
        check=True, text=True, capture_output=True).stdout.split()
    with Registry() as registry:
        registry.load(made[1], "charts/troupe")
        fixture.upgrade("--plain-http", "--version", VERSION,
                        chart=f"oci://{registry.address}/charts/troupe")
    equal(has_newer_field(fixture), False)
    fixture.lead_webhooks_here()
    fixture.start_again()
    fixture.await_answers()
    still_answers(fixture)


def second_release(fixture):
    """a second release is refused, and changes nothing"""
    fixture.upgrade()
    before = fixture.client.get(DEPLOYMENT)["metadata"]["resourceVersion"]
    for more in ((), ("--take-ownership",)):
        said = fixture.helm("install", "other", CHART, *more,
                            "--create-namespace", namespace="ml", fails=True)
        contains(said, f"is installed in the namespace {NAMESPACE}")
        said = fixture.helm("install", "other", CHART, *more, fails=True)
        contains(said, f"the operator is of the release {RELEASE}")
    equal(fixture.client.get(DEPLOYMENT)["metadata"]["resourceVersion"],
          before)


def unanswered_webhooks(fixture):
    """webhooks of another installation are not left without an operator"""
    fixture.kubectl("annotate", "validatingwebhookconfiguration", "--all",
                    OWNER + "-")
    said = fixture.upgrade("--set", "webhooks.enabled=false", fails=True)
    contains(said, "kubectl delete validatingwebhookconfiguration")


CASES = [life, second_release, unanswered_webhooks]

if __name__ == "__main__":
    sys.exit(main(CASES, Chart, __doc__))
