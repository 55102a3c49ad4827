#!/usr/bin/python3
"""The container image: what is in it, and that it runs as a cluster would run
it, against a real API server.

    test_image.py [--troupe FILE] [--only PART]

Needs Debian's packages (apt-get) and, to run, root: else it is skipped.
"""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import accounts  # noqa: E402
import assets  # noqa: E402
import shipped_objects  # noqa: E402
from archive import Archive  # noqa: E402
from checks import contains, equal, main  # noqa: E402
from cluster import REPOSITORY, Cluster  # noqa: E402
from operator_fixture import OperatorFixture, tfjob  # noqa: E402
from process import free_port  # noqa: E402
from shipped_objects import ACCOUNT, NAMESPACE  # noqa: E402

BUILD = os.path.join(REPOSITORY, "deploy", "image", "build_image.py")
USER = 65532
LIMIT = 35 << 20  # bytes, unpacked


def build(troupe, output, *more):
    """The finished archive."""
    done = subprocess.run(
        [BUILD, "--program", troupe, "--output", output, *more],
        capture_output=True, text=True)
    if done.returncode == assets.SKIPPED:
        raise assets.Missing(done.stderr.strip())
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Archive(output)


class Image(OperatorFixture):
    """The operator runs in the image's root, as a pod of its Deployment does:
    read-only, as the user that the image names, with the account's token in the
    usual place; the API server finds its webhooks by its Service."""

    def __init__(self, troupe, more):
        check_isolation()
        # It asks EndpointSlices, as there is no kube-proxy here.
        cluster = Cluster(server_arguments=["--enable-aggregator-routing=true"])
        self.troupe, self.file = troupe, cluster.path("image.tar")
        self.root = cluster.path("root")
        try:
            self.archive = build(troupe, self.file)
        except BaseException:
            cluster.stop()
            raise
        super().__init__(troupe, more, self.install, cluster)

    def install(self, cluster):
        shipped_objects.apply(cluster)
        self.archive.unpack(self.root)
        write_account(cluster, self.root)
        os.chmod(cluster.folder, 0o755)
        port = free_port()
        lead_to_webhooks(cluster, port)
        config = self.archive.config["config"]
        container = shipped_objects.container(cluster)
        child = self.operator.child
        flags = child.args[child.args.index("--kubeconfig") + 2:]
        equal(container["command"], config["Entrypoint"])
        child.args = isolated(self.root, config["User"], [
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
    """Raises assets.Missing where nobody may do it."""
    done = subprocess.run(isolated("/", "0:0", ["/bin/true"]),
                          capture_output=True, text=True)
    if done.returncode:
        raise assets.Missing("no root of one's own: " + done.stderr.strip())


# -- cases --------------------------------------------------------------------

def runs(fixture):
    """it gets ready as user 65532, on files that it cannot write"""
    child = fixture.operator.child
    with open(f"/proc/{child.pid}/status") as file:
        ids = re.search(r"^Uid:\s+(.*)$", file.read(), re.M)[1].split()
    equal(set(ids), {str(USER)})
    equal(os.readlink(f"/proc/{child.pid}/root"), fixture.root)
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


def minimal(fixture):
    """no shell, nothing that may be written or has more rights, small"""
    members = [m for layer in fixture.archive.layers()
               for m in layer.getmembers()]
    equal([m.name for m in members if m.isfile() and m.mode & 0o111
           and not re.search(r"\.so[.\d]*$", m.name)], ["usr/bin/troupe"])
    equal([m.name for m in members if m.mode & 0o6000 or (
        not m.issym() and m.mode & 0o022 and m.name != "tmp")], [])
    equal({(m.uid, m.gid) for m in members}, {(0, 0)})
    size = sum(m.size for m in members)
    equal(size < LIMIT, True, f"{size} bytes")
    names = {m.name for m in members}
    for name in ("etc/ssl/certs/ca-certificates.crt", "etc/passwd",
                 "usr/share/zoneinfo/Europe/Berlin"):
        equal(name in names, True, name)


def authorities(fixture):
    """its certificates of authorities are those that Debian trusts"""
    path = os.path.join(fixture.root, "etc/ssl/certs/ca-certificates.crt")
    done = subprocess.run(
        ["openssl", "storeutl", "-noout", "-certs", path],
        capture_output=True, text=True, check=True)
    count = int(re.search(r"Total found: (\d+)", done.stdout)[1])
    equal(count > 100, True, f"{count} certificates")


def described(fixture):
    """labels say what it is; the list of parts names each package's version"""
    labels = fixture.archive.config["config"]["Labels"]
    found = {name.rpartition(".")[2]: value for name, value in labels.items()}
    commit = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    equal((found["licenses"], found.get("revision", "")),
          ("Apache-2.0", commit))
    equal(labels, fixture.archive.manifest["annotations"])
    with open(fixture.cluster.path("image.spdx.json")) as file:
        document = json.load(file)
    equal(document["spdxVersion"], "SPDX-2.3")
    listed = {part["name"]: part["versionInfo"]
              for part in document["packages"]}
    status = "var/lib/dpkg/status.d/"
    for layer in fixture.archive.layers():
        for member in layer.getmembers():
            if member.name.startswith(status) and member.isfile():
                text = layer.extractfile(member).read().decode()
                version = re.search(r"^Version: (.*)$", text, re.M)[1]
                equal(listed.get(member.name[len(status):]), version,
                      member.name)
    equal(listed["troupe"], found["version"])


def repeated(fixture):
    """made twice, it has the same digest; --root gives the same files"""
    root = fixture.cluster.path("again")
    again = build(fixture.troupe, root + ".tar", "--root", root)
    found = {os.path.relpath(os.path.join(where, name), root)
             for where, folders, files in os.walk(root)
             for name in folders + files}
    equal(found, {member.name for layer in again.layers()
                  for member in layer.getmembers()})
    equal(again.digest, fixture.archive.digest)
    with open(fixture.file, "rb") as one, open(
            root + ".tar", "rb") as other:
        equal(one.read() == other.read(), True, "the archives are equal")


CASES = [runs, webhooks, minimal, authorities, described, repeated]

if __name__ == "__main__":
    sys.exit(main(CASES, Image, __doc__))
