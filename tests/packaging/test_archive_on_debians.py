#!/usr/bin/python3
"""The archive on Debian 11, 12 and 13, where Python is installed and nothing
else, as root and as an ordinary user.

    test_archive_on_debians.py [--troupe FILE] [--only PART]

Needs root, and Debian's mirror the first time: else it is skipped.
"""

import json
import os
import shutil
import sys

import linux_root
from archive_folder import ArchiveFolder
from test_archive import in_root, job

from checks import contains, equal, main
from cluster import REPOSITORY
from control_plane.client import Client
from process import Child
sys.path.insert(0, os.path.join(REPOSITORY, "tests", "whole"))
from troupe import wait_until  # noqa: E402

SUITES = ("bullseye", "bookworm", "trixie")
SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
ISOLATIONS = ("namespaces", "preload")
# What a program sees of its libraries.
LOOK = """
import os, socket
print("C library:", os.confstr("CS_GNU_LIBC_VERSION"))
print("ours:", "/lib/troupe" in open("/proc/self/maps").read())
print("path:", os.environ.get("LD_LIBRARY_PATH"))
print("name:", socket.gethostname())
"""


class Debians(ArchiveFolder):
    def __init__(self, troupe):
        self.roots = {suite: linux_root.debian(suite) for suite in SUITES}
        super().__init__(troupe)
        shutil.copytree(SAMPLES, self.path("samples"))
        self.root("bookworm").check()

    def root(self, suite):
        return linux_root.Root(self.roots[suite], self.folder,
                               self.empty("mounts"))

    def succeeds(self, suite, *command, **more):
        code, said = self.root(suite).run(in_root(self), *command, **more)
        equal(code, 0, f"{suite}: {said}")
        return said


def on_each(check):
    """A case for each Debian."""
    def of(suite):
        def case(debians):
            check(debians, suite)

        case.__name__ = f"{check.__name__}_{suite}"
        case.__doc__ = f"{suite}: {check.__doc__}"
        return case

    return [of(suite) for suite in SUITES]


# -- cases --------------------------------------------------------------------

def samples(debians, suite):
    """parameter servers train, and an MPI launcher reaches its workers"""
    for name in ("tfjob-ps", "mpijob"):
        for isolation in ISOLATIONS:
            for user in (0, linux_root.USER):
                said = debians.succeeds(
                    suite, "run", "--isolation", isolation,
                    f"/shared/samples/{name}.yaml", user=user)
                contains(said, f"Isolation: {isolation}")
                contains(said, "succeeded")


def libraries(debians, suite):
    """programs have the machine's libraries, and their pod's name"""
    debians.write("look.yaml", job("look", "python3", "-c", LOOK))
    code, said = debians.root(suite).run(
        "python3", "-c", "import os; print(os.confstr('CS_GNU_LIBC_VERSION'))")
    equal(code, 0, said)
    for isolation in ISOLATIONS:
        seen = debians.succeeds(suite, "run", "--isolation", isolation,
                                "/shared/look.yaml",
                                env={"LD_LIBRARY_PATH": "/none"})
        for line in (f"C library: {said.strip()}", "ours: False",
                     "path: None", "name: look-worker-0"):
            contains(seen, f"[worker-0] {line}")


def serves(debians, suite):
    """`troupe up` runs a job that its API server is given"""
    for isolation in ISOLATIONS:
        config = debians.path("kubeconfig")
        if os.path.exists(config):
            os.remove(config)
        child = Child(debians.root(suite).command(
            in_root(debians), "up", "--isolation", isolation,
            "--kubeconfig-out", "/shared/kubeconfig",
            "--metrics-bind-address", "0", "--health-probe-bind-address", "0",
            "--admin-bind-address", "0", "--di-server-bind-address", "0",
            user=linux_root.USER), debians.path("up.log"))
        with Started(child):
            wait_until("a kubeconfig", lambda: os.path.exists(config)
                       or not child.running())
            equal(child.running(), True, child.tail())
            api = Client(config)
            jobs = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"
            api.post(jobs, json.loads(
                job("up", "python3", "-c", "print('here')")))
            wait_until("its success", lambda: any(
                c["type"] == "Succeeded" and c["status"] == "True"
                for c in api.get(f"{jobs}/up").get("status", {}).get(
                    "conditions") or ()))
            equal(api.call("GET", "/api/v1/namespaces/default/pods/up-worker-0"
                           "/log"), "here\n")


class Started:
    def __init__(self, child):
        self.child = child

    def __enter__(self):
        self.child.start()

    def __exit__(self, *_):
        self.child.kill()  # What enters the root passes no signals on.


CASES = [*on_each(samples), *on_each(libraries), *on_each(serves)]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, _: Debians(troupe), __doc__))
