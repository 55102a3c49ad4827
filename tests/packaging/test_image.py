#!/usr/bin/python3
"""The container image: what is in it, and that it runs as a cluster would run
it, against a real API server.

    test_image.py [--troupe FILE] [--only PART]

Needs Debian's packages (apt-get) and, to run, root: else it is skipped.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import accounts  # noqa: E402
import assets  # noqa: E402
import shipped_objects  # noqa: E402
from archive import Archive  # noqa: E402
from checks import equal, main  # noqa: E402
from cluster import REPOSITORY, Cluster  # noqa: E402
from operator_fixture import OperatorFixture  # noqa: E402
from shipped_objects import ACCOUNT, NAMESPACE  # noqa: E402

BUILD = os.path.join(REPOSITORY, "deploy", "image", "build_image.py")
USER = 65532
LIMIT = 35 << 20  # bytes, unpacked


def build(troupe, output):
    """The finished archive."""
    done = subprocess.run([BUILD, "--program", troupe, "--output", output],
                          capture_output=True, text=True)
    if done.returncode == assets.SKIPPED:
        raise assets.Missing(done.stderr.strip())
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Archive(output)


class Image(OperatorFixture):
    """The operator runs in the image's root: read-only, without a shell, as
    the user that the image names."""

    def __init__(self, troupe, more):
        check_isolation()
        cluster = Cluster()
        self.troupe, self.file = troupe, cluster.path("image.tar")
        try:
            self.archive = build(troupe, self.file)
        except BaseException:
            cluster.stop()
            raise
        super().__init__(troupe, more, self.install, cluster,
                         shipped_objects.KUBECONFIG)

    def install(self, cluster):
        shipped_objects.apply(cluster)
        root = cluster.path("root")
        self.archive.unpack(root)
        kubeconfig = accounts.write_kubeconfig(cluster, NAMESPACE, ACCOUNT)
        inside = os.path.join(root, "kubeconfig")
        os.rename(kubeconfig, inside)
        os.chown(inside, USER, USER)
        os.chmod(cluster.folder, 0o755)
        child = self.operator.child
        flags = child.args[child.args.index("--kubeconfig"):]
        flags[1] = "/kubeconfig"
        config = self.archive.config["config"]
        child.args = isolated(root, config["User"],
                              [*config["Entrypoint"], *flags])
        child.env = dict(e.split("=", 1) for e in config["Env"])


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
    equal(os.readlink(f"/proc/{child.pid}/root"),
          fixture.cluster.path("root"))
    equal(os.path.basename(os.readlink(f"/proc/{child.pid}/exe")), "troupe")
    with open(f"/proc/{child.pid}/mounts") as file:
        options = {line.split()[1]: line.split()[3].split(",")
                   for line in file}
    equal("ro" in options["/"], True, str(options))


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
    path = fixture.cluster.path("root") + "/etc/ssl/certs/ca-certificates.crt"
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
    """made twice, it has the same digest"""
    again = build(fixture.troupe, fixture.cluster.path("again.tar"))
    equal(again.digest, fixture.archive.digest)
    with open(fixture.file, "rb") as one, open(
            fixture.cluster.path("again.tar"), "rb") as other:
        equal(one.read() == other.read(), True, "the archives are equal")


CASES = [runs, minimal, authorities, described, repeated]

if __name__ == "__main__":
    sys.exit(main(CASES, Image, __doc__))
