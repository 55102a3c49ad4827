#!/usr/bin/python3
"""The webhooks as deploy/ installs them: the API server finds the operator by
the Service, the operator only adds whom to trust.

    test_service_of_webhooks.py [--troupe FILE] [--only PART]
"""

import os
import shutil
import sys
import time
import urllib.parse

import needs
from checks import contains, equal, main
from cluster import Cluster, wait_for
from control_plane import accounts
from jobs.kinds import KINDS, TF
from operators import shipped_objects
from operators.operator_fixture import LIMIT, OperatorFixture
from operators.shipped_objects import ACCOUNT, NAMESPACE, built
from process import free_port
from test_conversion import GROUP as DI_GROUP
from test_conversion import DEFINITION, TEMPLATE, of_tasks, with_coordinator
from test_conversion import jobs as dijobs
from test_webhooks import LIVES, jobs

SERVICE = f"/api/v1/namespaces/{NAMESPACE}/services/{ACCOUNT}"


NAMESPACES = (*needs.USER_NAMESPACE, "--mount")
# Has the account's files where a pod has them: $0 is their folder.
AS_IN_POD = """
files=/run/secrets/kubernetes.io/serviceaccount
mount -t tmpfs tmpfs /run && mkdir -p $files && cp "$0"/* $files &&
exec setpriv --pdeathsig KILL "$@"
"""


class ServiceFixture(OperatorFixture):
    """The operator finds the API server as in a pod. There is no network of
    pods, so the Service leads to this machine by its name, and its port is that
    of the operator."""

    def __init__(self, troupe, more):
        needs.user_namespaces()
        needs.programs("setpriv")
        self.port = free_port()
        super().__init__(troupe, [
            "--webhook-server-port", str(self.port), *LIVES, *more],
            self.install, Cluster())

    def install(self, cluster):
        shipped_objects.apply(cluster)
        self.redirect_webhooks(cluster.client)
        self.start_as_in_pod(cluster)

    def start_as_in_pod(self, cluster):
        folder, child = cluster.path("account"), self.operator.child
        os.mkdir(folder)
        shutil.copy(cluster.path("ca.crt"), folder)
        for name, text in (("namespace", NAMESPACE), ("token", accounts.token(
                cluster, NAMESPACE, ACCOUNT))):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        start = child.args.index("--kubeconfig")
        del child.args[start:start + 2]
        child.args[:0] = [*NAMESPACES, "sh", "-c", AS_IN_POD, folder]
        server = urllib.parse.urlsplit(cluster.url)
        child.env = dict(os.environ, KUBERNETES_SERVICE_HOST=server.hostname,
                         KUBERNETES_SERVICE_PORT=str(server.port))

    def redirect_webhooks(self, client):
        client.delete(SERVICE)
        client.post(SERVICE.rpartition("/")[0], {
            "metadata": {"name": ACCOUNT},
            "spec": {"type": "ExternalName", "externalName": "localhost"}})
        self.configurations = [
            f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}s/{name}"
            for kind, name in sorted(built(self.cluster))
            if kind.endswith("WebhookConfiguration")]
        for path in (*self.configurations, DEFINITION):
            configuration = client.get(path)
            for entry in clients(configuration):
                entry["service"]["port"] = self.port
            client.call("PUT", path, configuration)

    def bundles(self):
        """What the entries have: one bundle for each that is different."""
        return {entry.get("caBundle")
                for path in (*self.configurations, DEFINITION)
                for entry in clients(self.client.get(path))}

    def await_bundle(self, before=None):
        """All entries have the same one, other than `before`; returns it."""
        def found():
            (bundle, *others) = self.bundles()
            return bundle if bundle not in (None, before) and not others \
                else None
        return wait_for("one bundle in all entries", found, LIMIT)

    def await_answers(self):
        """The API server reads a configuration a moment after its write."""
        def works():
            return all(self.client.text(
                "POST", path + "?dryRun=All", job)[0] == 201 for path, job in (
                    (jobs(TF), TF.manifest("awaited")),
                    (dijobs("v1alpha1"), with_coordinator("awaited")),
                    (dijobs("v2alpha1"), of_tasks("awaited"))))
        wait_for("answers of the webhooks", works, LIMIT)


def clients(configuration):
    """The clientConfig of each webhook, or of a definition's conversion."""
    if "webhooks" in configuration:
        return [entry["clientConfig"] for entry in configuration["webhooks"]]
    return [configuration["spec"]["conversion"]["webhook"]["clientConfig"]]


def trusted(fixture):
    """all entries get the same bundle, and lead to the Service as before"""
    fixture.await_bundle()
    for path in (*fixture.configurations, DEFINITION):
        for entry in clients(fixture.client.get(path)):
            equal((entry["service"]["name"], entry["service"]["namespace"],
                   "url" in entry), (ACCOUNT, NAMESPACE, False))


def reviewed(fixture):
    """jobs of every kind are admitted, and refused by the operator"""
    fixture.await_answers()
    for kind in KINDS:
        job = kind.manifest("usual", {"suspend": True})
        fixture.client.post(jobs(kind), job)
        name = kind.types[0][0]
        job["metadata"]["name"] = "no-image"
        job["spec"][kind.field][name]["template"]["spec"]["containers"][0][
            "image"] = ""
        status, text = fixture.client.text("POST", jobs(kind), job)
        equal(status, 403, f"{kind} without an image, which answers {text}")
        contains(text.decode(), "image: Required value: must be required")
    made = fixture.client.post(dijobs("v1alpha1"), {
        **with_coordinator("defaulted"),
        "spec": {"coordinator": {"template": TEMPLATE}}})
    equal(made["spec"]["cleanPodPolicy"], "Running")


def converted(fixture):
    """DIJobs read in the version that they were not made in"""
    fixture.await_answers()
    fixture.client.post(dijobs("v2alpha1"), of_tasks("converted"))
    view = fixture.client.get(dijobs("v1alpha1", "converted"))
    equal(view["apiVersion"], f"{DI_GROUP}/v1alpha1")


def renewed(fixture):
    """nothing fails while certificates and the bundle are renewed"""
    fixture.await_answers()
    fixture.client.post(dijobs("v2alpha1"), of_tasks("renewed"))
    before, end = fixture.await_bundle(), time.monotonic() + LIMIT
    asked = 0
    while fixture.bundles() == {before} or asked < 20:
        equal(time.monotonic() < end, True, "the bundle is not renewed")
        fixture.client.post(jobs(TF) + "?dryRun=All", TF.manifest("asked"))
        fixture.client.get(dijobs("v1alpha1", "renewed"))
        asked += 1
    fixture.await_bundle(before)


CASES = [trusted, reviewed, converted, renewed]

if __name__ == "__main__":
    sys.exit(main(CASES, ServiceFixture, __doc__))
