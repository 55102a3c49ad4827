#!/usr/bin/python3
"""The container image runs as a cluster would run it, against a real API
server.

    test_image_on_cluster.py [--troupe FILE] [--only PART]

Needs what test_image.py needs, a cluster, and root: else it is skipped.
"""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.parse

from image import Image

import needs
from checks import contains, equal, main
from cluster import Cluster
from control_plane import accounts  # of ../cluster
from operators import shipped_objects
from operators.operator_fixture import OperatorFixture, tfjob
from operators.shipped_objects import ACCOUNT, NAMESPACE
from process import free_port

USER = 65532


class InItsRoot(OperatorFixture):
    """The operator runs in the image's root, as a pod of its Deployment does:
    read-only, as the user that the image names, with the account's token in the
    usual place; the API server finds its webhooks by its Service."""

    def __init__(self, troupe, more):
        check_isolation()
        # It asks EndpointSlices, as there is no kube-proxy here.
        cluster = Cluster(server_arguments=["--enable-aggregator-routing=true"])
        self.image = Image(troupe, cluster.folder)
        super().__init__(troupe, more, self.install, cluster)

    def install(self, cluster):
        shipped_objects.apply(cluster)
        write_account(cluster, self.image.root)
        os.chmod(cluster.folder, 0o755)
        port = free_port()
        lead_to_webhooks(cluster, port)
        config = self.image.archive.config["config"]
        container = shipped_objects.container(cluster)
        child = self.operator.child
        flags = child.args[child.args.index("--kubeconfig") + 2:]
        equal(container["command"], config["Entrypoint"])
        child.args = isolated(self.image.root, config["User"], [
            *config["Entrypoint"], *container["args"], *flags,
            "--webhook-server-port", str(port)])
        address = urllib.parse.urlparse(cluster.url)
        child.env = {**dict(e.split("=", 1) for e in config["Env"]),
                     "MY_POD_NAMESPACE": NAMESPACE, "MY_POD_NAME": "operator-0",
                     "KUBERNETES_SERVICE_HOST": address.hostname,
                     "KUBERNETES_SERVICE_PORT": str(address.port)}


def write_account(cluster, root):
    """What kubelets mount into pods."""
    folder = os.path.join(root, "var/run/secrets/kubernetes.io/serviceaccount")
    os.makedirs(folder)
    with open(cluster.path("ca.crt")) as file:
        authority = file.read()
    token = accounts.token(cluster, NAMESPACE, ACCOUNT)
    for name, text in (("token", token), ("ca.crt", authority),
                       ("namespace", NAMESPACE)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def lead_to_webhooks(cluster, port):
    """The Service leads to the webhooks' port of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # Sends nothing.
        address = probe.getsockname()[0]
    cluster.client.post(
        f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices", {
            "metadata": {"name": ACCOUNT, "labels": {
                "kubernetes.io/service-name": ACCOUNT}},
            "addressType": "IPv4", "endpoints": [{
                "addresses": [address], "conditions": {"ready": True}}],
            "ports": [{"name": "webhook-server", "port": port}]})


def isolated(root, user, command):
    """The command with nothing but `root`, which it cannot write."""
    script = ('mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && '
              'exec chroot --userspec="$1" --groups= "$0" "${@:2}"')
    return ["/usr/bin/unshare", "--mount", "/bin/bash", "-c",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin; " + script, root, user,
            *command]


def check_isolation():
    """Raises needs.Missing where nobody may do it."""
    done = subprocess.run(isolated("/", "0:0", ["/bin/true"]),
                          capture_output=True, text=True)
    if done.returncode:
        raise needs.Missing(f"no root of one's own ({done.stderr.strip()})",
                            "run this as root, not in a chroot")


# -- cases --------------------------------------------------------------------

def runs(fixture):
    """it gets ready as user 65532, on files that it cannot write"""
    child = fixture.operator.child
    with open(f"/proc/{child.pid}/status") as file:
        ids = re.search(r"^Uid:\s+(.*)$", file.read(), re.M)[1].split()
    equal(set(ids), {str(USER)})
    equal(os.readlink(f"/proc/{child.pid}/root"), fixture.image.root)
    equal(os.path.basename(os.readlink(f"/proc/{child.pid}/exe")), "troupe")
    with open(f"/proc/{child.pid}/mounts") as file:
        options = {line.split()[1]: line.split()[3].split(",")
                   for line in file}
    equal("ro" in options["/"], True, str(options))


def webhooks(fixture):
    """the API server reaches its webhooks by the Service, and trusts them"""
    good = tfjob("good", workers=1)
    bad = tfjob("bad", workers=1)
    bad["spec"]["runPolicy"]["managedBy"] = "nobody.example/nothing"
    refused = fixture.kubectl("apply", "-f", "-", stdin=json.dumps(bad),
                              check=False)
    contains(refused.stderr, 'admission webhook "validator.tfjob.'
             'training-operator.kubeflow.org" denied the request')
    fixture.apply(good)
    fixture.await_replicas("good", ["good-worker-0"])


CASES = [runs, webhooks]

if __name__ == "__main__":
    sys.exit(main(CASES, InItsRoot, __doc__))
