"""The Kubeflow training operator itself, without webhooks."""

import base64
import os

import assets
from cluster import wait_for
from control_plane import accounts
from operators.operator_fixture import LIMIT
from operators.shipped_objects import ACCOUNT, NAMESPACE
from process import Child, free_port

SECRET = "training-operator-webhook-cert"
# Its program has the certificate of its webhooks in a folder of /tmp, so it has
# a /tmp of its own.
IN_OWN_TMP = ("unshare", "--map-root-user", "--mount", "sh", "-c",
              'mount --bind "$0" /tmp && exec "$@"')


def without_webhooks(cluster):
    """No Service leads to an operator here."""
    for kind in ("validating", "mutating"):
        cluster.kubectl("delete", kind + "webhookconfiguration", "--all")


class TrainingOperator:
    """Itself, installed as its documentation says, but without webhooks."""

    def __init__(self, cluster):
        self.cluster, self.folder = cluster, assets.training_operator()
        self.tmp = cluster.path("tmp")
        program = os.path.join(self.folder, "training-operator.v1")
        self.child = Child(
            [*IN_OWN_TMP, self.tmp, program, "--kubeconfig", "/tmp/kubeconfig",
             "--health-probe-bind-address", "0",
             "--metrics-bind-address", "0",
             "--webhook-server-port", str(free_port())],
            cluster.path("training-operator.log"),
            dict(os.environ, MY_POD_NAMESPACE=NAMESPACE, MY_POD_NAME="one"))

    def install(self, *more):
        self.cluster.kubectl(
            "apply", "--server-side", *more, "-k", os.path.join(
                self.folder, "manifests", "overlays", "standalone"))
        self.cluster.kubectl("wait", "--for=condition=Established", "crd",
                             "--all", "--timeout=60s")
        without_webhooks(self.cluster)
        os.makedirs(os.path.join(self.tmp, "k8s-webhook-server",
                                 "serving-certs"), exist_ok=True)
        os.replace(accounts.write_kubeconfig(self.cluster, NAMESPACE, ACCOUNT),
                   os.path.join(self.tmp, "kubeconfig"))

    def start(self):
        self.child.start()
        certificate = wait_for("its certificate", self.certificate, LIMIT)
        for name, text in certificate.items():
            path = os.path.join(self.tmp, "k8s-webhook-server",
                                "serving-certs", name)
            with open(path, "wb") as file:
                file.write(text)

    def certificate(self):
        """name -> content of the files that the kubelet would write."""
        if not self.child.running():
            raise RuntimeError("it ended:\n" + self.child.tail())
        secret = self.cluster.client.get(
            f"/api/v1/namespaces/{NAMESPACE}/secrets/{SECRET}")
        return {name: base64.b64decode(text)
                for name, text in secret.get("data", {}).items()}
