#!/usr/bin/python3
"""The kubectl plugin as krew installs it, from the manifest and the archive,
with no network: `kubectl troupe explain`, `top` and `run`.

    test_krew.py [PART]      cases with PART in their function's name
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "whole"),
                os.path.join(HERE, "..", "cluster")]

import assets
import needs
from checks import contains, equal, run
from cluster import REPOSITORY
from test_up import Up
from troupe import TROUPE, tfjob

DEPLOY = os.path.join(REPOSITORY, "deploy")
BUILD = os.path.join(DEPLOY, "archive", "build_archive.py")
LAUNCHER = os.path.join(DEPLOY, "archive", "launcher.c")
MANIFEST = os.path.join(DEPLOY, "krew", "write_manifest.py")
PACKAGES = os.path.join(REPOSITORY, "build", "debs")
URL = "https://releases.invalid/v0.1.0"


class Installed:
    """krew with the plugin, whose archive is that of the built program."""

    def __enter__(self):
        self.krew, kubectl = assets.krew(), assets.kubectl()
        needs.programs("strip")
        self.folder = tempfile.mkdtemp(prefix="troupe-krew-")
        try:
            self.archive = self.build_archive()
            # What is of another machine only has to be there.
            shutil.copy(self.archive, self.archive.replace("amd64", "arm64")
                        if "amd64" in self.archive else
                        self.archive.replace("arm64", "amd64"))
            self.manifest = self.path("troupe.yaml")
            subprocess.run([MANIFEST, "--archives", self.path("dist"), "--url",
                            URL, "--output", self.manifest], check=True)
            self.environment = dict(
                os.environ, KREW_ROOT=self.path("krew"), HOME=self.folder,
                KREW_NO_UPGRADE_CHECK="1", PATH=":".join((
                    self.path("krew/bin"), os.path.dirname(kubectl),
                    os.environ["PATH"])),
                # Nothing is fetched.
                HTTPS_PROXY="http://127.0.0.1:1", NO_PROXY="127.0.0.1")
            self.said = self.output(
                self.krew, "install", "--manifest", self.manifest, "--archive",
                self.archive)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def build_archive(self):
        launcher = os.path.join(os.path.dirname(TROUPE), "troupe_launcher")
        if not os.path.exists(launcher):
            needs.programs("gcc")
            launcher = self.path("launcher")
            subprocess.run(["gcc", "-Os", "-static", "-o", launcher, LAUNCHER],
                           check=True)
        # Two would download the same packages to the same place.
        with open(os.path.join(REPOSITORY, "build", "image.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = subprocess.run(
                [BUILD, "--program", TROUPE, "--launcher", launcher,
                 "--output", self.path("dist"), "--packages", PACKAGES],
                capture_output=True, text=True)
        if done.returncode == needs.SKIPPED:
            raise needs.Missing(
                f"no archive ({done.stderr.partition(': ')[2].strip()})",
                "run this on a Debian that apt-get serves")
        equal(done.returncode, 0, done.stderr)
        return done.stdout.split(": ")[0]

    def output(self, *command, code=0):
        done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=300,
                              stderr=subprocess.STDOUT, env=self.environment)
        equal(done.returncode, code, f"{command}:\n{done.stdout}")
        return done.stdout

    def kubectl(self, *command, **more):
        return self.output("kubectl", *command, **more)


def manifest(krew):
    """it has an archive for each machine, by its checksum"""
    with open(krew.manifest) as file:
        spec = yaml.safe_load(file)["spec"]
    equal([p["selector"]["matchLabels"] for p in spec["platforms"]],
          [{"os": "linux", "arch": arch} for arch in ("amd64", "arm64")])
    with open(krew.archive, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    equal({p["sha256"] for p in spec["platforms"]}, {checksum})
    equal([p["uri"].rpartition("/")[0] for p in spec["platforms"]], [URL, URL])


def installed(krew):
    """kubectl finds the plugin, which is whole and says its version"""
    contains(krew.said, "Installed plugin: troupe")
    contains(krew.kubectl("plugin", "list"), "kubectl-troupe")
    version = krew.output(TROUPE, "--version")
    equal(krew.kubectl("troupe", "--version"), version)
    place = os.path.realpath(krew.path("krew/bin/kubectl-troupe"))
    top = os.path.dirname(os.path.dirname(place))
    for name in ("LICENSE", "README.md", "lib/troupe", "share/doc"):
        equal(os.path.exists(os.path.join(top, name)), True, name)


def refused(krew):
    """an archive that is not the manifest's is not installed"""
    other = krew.path("other.tar.gz")
    with open(krew.archive, "rb") as file, open(other, "wb") as out:
        out.write(file.read()[:-1] + b"x")
    said = krew.output("env", "KREW_ROOT=" + krew.path("empty"), krew.krew,
                       "install", "--manifest", krew.manifest, "--archive",
                       other, code=1)
    contains(said, "checksum does not match")
    equal(os.listdir(krew.path("empty/bin")), [])


def asked(krew):
    """`kubectl troupe explain` and `top` say what the operator knows"""
    with Up("--no-node") as up:
        up.create(tfjob("here", "pass"))
        up.await_condition("here", "Created")
        more = ("--kubeconfig", up.kubeconfig)
        text = krew.kubectl("troupe", "explain", "tfjob/here", *more)
        contains(text, "TFJob default/here")
        contains(text, "here-worker-0 to be scheduled")
        contains(krew.kubectl("troupe", "top", "--once", *more),
                 "default/here")
        krew.environment["KUBECONFIG"] = up.kubeconfig
        contains(krew.kubectl("troupe", "explain", "here"), "default/here")
        contains(krew.kubectl("get", "tfjobs"), "here")
        text = krew.kubectl("troupe", "explain", "tfjob/nowhere", code=1)
        contains(text, "no job default/nowhere")
        del krew.environment["KUBECONFIG"]


def runs(krew):
    """`kubectl troupe run` runs a job on this machine"""
    path = krew.path("job.yaml")
    with open(path, "w") as file:
        file.write(tfjob("laptop", "print('here I am')"))
    text = krew.kubectl("troupe", "run", path)
    contains(text, "here I am")


CASES = [manifest, installed, refused, asked, runs]

if __name__ == "__main__":
    sys.exit(run(CASES, Installed, *sys.argv[1:2]))
