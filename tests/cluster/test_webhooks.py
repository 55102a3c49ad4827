#!/usr/bin/python3
"""The validating webhooks: a real API server calls them.

    test_webhooks.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import base64
import contextlib
import json
import re
import socket
import ssl
import sys
import urllib.error

from checks import contains, equal, main
from cluster import wait_for
from control_plane.client import ApiError
from jobs.kinds import DI, GROUP, JAX, KINDS, MPI, PYTORCH, TF, XGBOOST
from jobs.review_flow import PATH, ReviewFlow
from network.load_balancer import LoadBalancer
from operators.operator_fixture import LIMIT, OperatorFixture
from operators.shipped import Operator
from process import free_port

CONFIGURATION = ("/apis/admissionregistration.k8s.io/v1/"
                 "validatingwebhookconfigurations/"
                 "validator.training-operator.kubeflow.org")
SECRETS = "/api/v1/namespaces/kubeflow/secrets"
SECRET = SECRETS + "/training-operator-webhook-cert"
# Short enough to see certificates renewed, long enough for a slow machine.
LIVES = ["--webhook-certificate-life", "15s", "--webhook-authority-life", "45s"]
RENEWALS = 3  # of each replica's certificate, while reviews are asked for
CERTIFICATE = re.compile("-----BEGIN.*?-----END CERTIFICATE-----\n", re.S)


def jobs(kind, name=""):
    path = f"{GROUP}/namespaces/default/{kind.plural}"
    return f"{path}/{name}" if name else path


def reviews(operator):
    """How many of TFJobs it has answered."""
    return sum(int(value) for labels, value in operator.metric(
        "controller_runtime_webhook_requests_total")
        if labels["webhook"] == PATH and labels["code"] == "200")


class WebhookFixture(OperatorFixture):
    def __init__(self, troupe, more):
        self.troupe = troupe
        self.balancer = LoadBalancer([free_port()])
        self.port = self.balancer.port
        super().__init__(troupe, [*self.arguments(self.balancer.ports[0]),
                                  *more], self.start_before_the_namespace)

    def __exit__(self, *failure):
        self.balancer.close()
        super().__exit__(*failure)

    def arguments(self, port):
        """All replicas have the URL of the balancer."""
        return [*LIVES, "--webhook-server-port", str(port), "--webhook-url",
                f"https://127.0.0.1:{self.port}"]

    @contextlib.contextmanager
    def second_replica(self):
        """Another operator, which the balancer knows when it is ready."""
        port = free_port()
        second = Operator(self.cluster.kubeconfig,
                          self.cluster.path("second.log"), self.troupe,
                          [*self.arguments(port), "--namespace", "kube-public"])
        with second:
            self.balancer.ports.append(port)
            try:
                yield second
            finally:
                self.balancer.ports.remove(port)

    def start_before_the_namespace(self, cluster):
        """The operator starts where its Secret cannot be created, and ends."""
        self.operator.child.start()
        self.not_ready = wait_for("an answer that the operator is not ready",
                                  self.refusal_of_readyz, LIMIT)
        self.operator.child.stop()
        cluster.kubectl("create", "namespace", "kubeflow")

    def refusal_of_readyz(self):
        try:
            self.operator.page(self.operator.health, "/readyz")
        except urllib.error.HTTPError as refusal:
            return refusal.read().decode()
        except OSError:
            return None
        raise AssertionError("the operator is ready without certificates")

    def bundle(self):
        """The CA bundle that all entries of the configuration have."""
        entries = self.client.get(CONFIGURATION)["webhooks"]
        (text,) = {e["clientConfig"]["caBundle"] for e in entries}
        return base64.b64decode(text).decode()

    def authority(self):
        """The newest one."""
        return CERTIFICATE.findall(self.bundle())[0]

    def is_trusted(self, authority, port):
        """Whether that one has signed what a replica shows."""
        try:
            self.connect(port, authority).close()
            return True
        except ssl.SSLCertVerificationError:
            return False

    def connect(self, port=None, authorities=None):
        """A connection to the webhooks that trusts the configuration."""
        trust = ssl.create_default_context(cadata=authorities or self.bundle())
        link = socket.create_connection(("127.0.0.1", port or self.port), 20)
        return trust.wrap_socket(link, server_hostname="127.0.0.1")

    def served(self, port=None):
        """The certificate that the webhooks show."""
        with self.connect(port) as link:
            return link.getpeercert(binary_form=True)

    def refused(self, method, path, body, kind="application/json"):
        """The status and the message of an answer that is an error."""
        try:
            self.client.call(method, path, body, kind)
        except ApiError as refusal:
            return refusal.status, refusal.message
        raise AssertionError(f"{method} {path} was not refused")


def denial(kind, text):
    webhook = f"validator.{kind.name.lower()}.training-operator.kubeflow.org"
    return 403, f'admission webhook "{webhook}" denied the request: {text}'


# -- what is refused ----------------------------------------------------------

def not_ready(fixture):
    """without certificates the operator is not ready"""
    equal(fixture.not_ready, "certificates are not ready")


def configured(fixture):
    """there is an entry for each kind, as the original's manifests have it"""
    entries = fixture.client.get(CONFIGURATION)["webhooks"]
    equal([(e["name"], e["clientConfig"]["url"], e["failurePolicy"],
            e["sideEffects"], e["rules"][0]["operations"],
            e["rules"][0]["resources"]) for e in entries
           if "v2beta1" not in e["name"]],
          [(f"validator.{k.name.lower()}.training-operator.kubeflow.org",
            f"https://127.0.0.1:{fixture.port}/validate-kubeflow-org-v1-"
            f"{k.name.lower()}", "Fail", "None", ["CREATE", "UPDATE"],
            [k.plural]) for k in KINDS])
    (other,) = (e for e in entries if "v2beta1" in e["name"])
    equal(other["clientConfig"]["url"], f"https://127.0.0.1:{fixture.port}"
          "/validate-kubeflow-org-v2beta1-mpijob")


def every_kind(fixture):
    """a usual job of every kind is admitted, one without an image is not"""
    for kind in KINDS:
        job = kind.manifest("usual", {"suspend": True})
        fixture.client.post(jobs(kind), job)
        name = kind.types[0][0]
        replica = job["spec"][kind.field][name]
        replica["template"]["spec"]["containers"][0]["image"] = ""
        job["metadata"]["name"] = "no-image"
        equal(fixture.refused("POST", jobs(kind), job),
              denial(kind, f"spec.{kind.field}[{name}].template.spec."
                           "containers[0].image: Required value: must be "
                           "required"))


def kubectl(fixture):
    """kubectl shows the original's text, several errors in brackets"""
    job = XGBOOST.manifest("1.job", counts={"Boss": 1})
    done = fixture.kubectl("create", "-f", "-", stdin=json.dumps(job),
                           check=False)
    equal(done.returncode, 1)
    contains(done.stderr, denial(XGBOOST, "[metadata.name: Invalid value: "
             '"1.job": should match: a DNS-1035 label must consist of lower '
             "case alphanumeric characters or '-', start with an alphabetic "
             "character, and end with an alphanumeric character (e.g. "
             "'my-name',  or 'abc-123', regex used for validation is "
             "'[a-z]([-a-z0-9]*[a-z0-9])?'), spec.xgbReplicaSpecs[Boss]: "
             'Unsupported value: "Boss": supported values: "Master", '
             '"Worker", spec.xgbReplicaSpecs[Master]: Required value: must be '
             "present]")[1])


def immutable(fixture):
    """who manages a job cannot be changed by an update"""
    for kind in (TF, PYTORCH, MPI, JAX):
        fixture.client.post(jobs(kind), kind.manifest("fixed", {
            "suspend": True, "managedBy": "kubeflow.org/training-operator"}))
        for value, shown in (("kueue.x-k8s.io/multikueue",) * 2,
                             (None, "null")):
            equal(fixture.refused(
                "PATCH", jobs(kind, "fixed"),
                {"spec": {"runPolicy": {"managedBy": value}}},
                "application/merge-patch+json"),
                denial(kind, "spec.runPolicy.managedBy: Invalid value: "
                             f'"{shown}": field is immutable'))
        fixture.client.merge(jobs(kind, "fixed"),
                             {"spec": {"runPolicy": {"backoffLimit": 3}}})


def warned(fixture):
    """a deprecated field is a warning of kubectl"""
    job = PYTORCH.manifest("warned", {"suspend": True},
                           elasticPolicy={"nProcPerNode": 2})
    done = fixture.kubectl("create", "-f", "-", stdin=json.dumps(job))
    contains(done.stderr, "Warning: spec.elasticPolicy.nProcPerNode is "
                          "deprecated, use spec.nprocPerNode instead")


def scaled(fixture):
    """writes of the scale are not validated"""
    fixture.client.post(jobs(PYTORCH), PYTORCH.manifest("scaled"))
    fixture.kubectl("scale", "pytorchjob", "scaled", "--replicas=0")
    job = fixture.client.get(jobs(PYTORCH, "scaled"))
    equal(job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"], 0)


# -- who calls ----------------------------------------------------------------

def malformed(fixture):
    """a request that is no review is answered 400 with the reason"""
    with fixture.connect() as link:
        link.sendall(b"POST /validate-kubeflow-org-v1-tfjob HTTP/1.1\r\n"
                     b"Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
        answer = b"".join(iter(lambda: link.recv(65536), b"")).decode()
    contains(answer, "HTTP/1.1 400 ")
    contains(answer, "the body must have the kind AdmissionReview")


def slow_clients(fixture):
    """clients that never finish a request take nobody's place"""
    head = (b"POST /validate-kubeflow-org-v1-tfjob HTTP/1.1\r\n"
            b"Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{")
    links = []
    try:
        for i in range(60):
            if i % 2:
                links.append(fixture.connect())
                links[-1].sendall(head)
            else:
                links.append(socket.create_connection(
                    ("127.0.0.1", fixture.port), 20))
                links[-1].sendall(b"\x16\x03\x01")
        fixture.client.post(jobs(TF), TF.manifest("beside", {"suspend": True}))
    finally:
        for link in links:
            link.close()


# -- certificates -------------------------------------------------------------

def renewed(fixture):
    """no review of two replicas fails while certificates are renewed"""
    first = fixture.authority()
    with fixture.second_replica() as second:
        ports = fixture.balancer.ports
        wait_for("the same certificate", lambda: fixture.served(
            ports[0]) == fixture.served(ports[1]), LIMIT)

        def all_new():
            newest = fixture.authority()
            return newest != first and all(
                len(seen) > RENEWALS for seen in flow.certificates.values()
            ) and all(fixture.is_trusted(newest, port) for port in ports)

        with ReviewFlow(fixture.client, fixture.bundle, ports) as flow:
            wait_for("certificates of a new authority", all_new, LIMIT)
        asked = [reviews(operator) - flow.reviews[port] for operator, port in
                 zip((fixture.operator, second), ports)]
        print(f"     {flow.posted} through the API server, which asked "
              f"{' and '.join(map(str, asked))}; "
              f"{sum(flow.reviews.values())} to the replicas")
        equal(flow.failures[:5], [], f"{len(flow.failures)} that failed")
        equal(min(asked) > 0, True, "the API server asks both replicas")


def dijobs(fixture):
    """a DIJob's policy is set if it has none, and refused if it is unknown"""
    def job(name, **spec):
        container = {"name": "di-container", "image": "registry.example/d:1"}
        return {"apiVersion": "diengine.opendilab.org/v1alpha1",
                "kind": "DIJob", "metadata": {"name": name}, "spec": {
                    "coordinator": {"template": {"spec": {
                        "containers": [container]}}}, **spec}}
    path = f"{DI.group}/namespaces/default/{DI.plural}"
    made = fixture.client.post(path, job("plain"))
    equal(made["spec"]["cleanPodPolicy"], "Running")
    equal(fixture.refused("POST", path, job("odd", cleanPodPolicy="Most")), (
        403, 'admission webhook "vdijob.kb.io" denied the request: Invalid '
        "CleanPodPolicy Most, expected in [None, Running, All]"))
    fixture.client.post(path, job("all", cleanPodPolicy="ALL"))
    fixture.client.merge(path + "/plain", {"spec": {"cleanPodPolicy": "All"}})


def restored(fixture):
    """a Secret or a bundle that is lost is made again"""
    secret = fixture.client.get(SECRET)
    fixture.client.merge(SECRET, {"data": None})
    wait_for("new certificates", lambda: fixture.client.get(SECRET).get(
        "data", {}).get("ca.key") not in (None, secret["data"]["ca.key"]),
        LIMIT)
    entries = fixture.client.get(CONFIGURATION)["webhooks"]
    for entry in entries:
        del entry["clientConfig"]["caBundle"]
    fixture.client.merge(CONFIGURATION, {"webhooks": entries})

    def works():
        return fixture.client.text("POST", jobs(TF), TF.manifest(
            "restored", {"suspend": True}))[0] == 201

    wait_for("webhooks that can be called", works, LIMIT)


CASES = [not_ready, configured, every_kind, kubectl, immutable, warned, scaled,
         dijobs,
         malformed, slow_clients, renewed, restored]

if __name__ == "__main__":
    sys.exit(main(CASES, WebhookFixture, __doc__))
