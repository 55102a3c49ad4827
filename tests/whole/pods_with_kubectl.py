"""Pods of `troupe up`, asked by a real kubectl."""

import contextlib
import functools
import os
import subprocess
import sys

from isolations import usable_isolations
from test_up import PODS, Up
from troupe import Folder, LIMIT, wait_until

import assets  # of ../cluster
import needs
from checks import equal, run
from process import die_with_parent

FILES = "import http.server as h; " \
    "s = h.ThreadingHTTPServer(('', 8000), h.SimpleHTTPRequestHandler); " \
    "print('listens', flush=True); s.serve_forever()"


class Cluster(Folder):
    """`troupe up` with two pods, and kubectl."""

    is_shared = True

    def __init__(self, isolation):
        self.isolation = isolation
        self.program = assets.kubectl()

    def __enter__(self):
        super().__enter__()
        self.stack = contextlib.ExitStack()
        self.up = self.stack.enter_context(Up(
            "--run-dir", os.path.join(self.path, "run"),
            "--isolation", self.isolation))
        os.mkdir(self.shared)
        self.pod("plain", {"name": "main", "command": ["sleep", "1000"]},
                 {"name": "side", "command": ["sleep", "1000"],
                  "env": [{"name": "ADDRESS", "valueFrom": {"fieldRef": {
                      "fieldPath": "status.podIP"}}}]})
        self.pod("server", {"name": "main", "workingDir": self.shared,
                            "command": [sys.executable, "-c", FILES]})
        wait_until("the server", lambda: "listens" in str(
            self.up.get(f"{PODS}/server/log")))
        return self

    def __exit__(self, *_):
        self.stack.close()
        super().__exit__()

    @property
    def shared(self):
        """A directory that pods have, too."""
        return os.path.join(self.path, "shared")

    def pod(self, name, *containers, phase="Running", **more):
        mount = {"name": "shared", "mountPath": self.shared}
        status, answer = self.up.ask("POST", PODS, {
            "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "containers": [
                {"image": "none", "volumeMounts": [mount], **c}
                for c in containers], "volumes": [
                    {"name": "shared", "hostPath": {"path": self.shared}}],
                **more}})
        equal(status, 201, f"creating {answer}")
        wait_until(f"{name} to be {phase}", lambda: self.up.get(
            f"{PODS}/{name}").get("status", {}).get("phase") == phase)

    def words(self, *args):
        return [self.program, "--kubeconfig", self.up.kubeconfig, *args]

    def kubectl(self, *args, **more):
        return subprocess.run(self.words(*args), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT * 3, **more)

    @contextlib.contextmanager
    def running(self, *args, **more):
        child = subprocess.Popen(self.words(*args), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT,
                                 preexec_fn=die_with_parent, **more)
        try:
            yield child
        finally:
            child.kill()
            child.wait()
            child.stdin.close()
            child.stdout.close()

    def ended(self, *args):
        """(exit code, output, errors)."""
        done = self.kubectl(*args)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_with_kubectl(cases):
    """With each isolation that this machine has; `cases(isolation)` are those
    for it. The exit code."""
    def run_all():
        assets.kubectl()  # What is missing is said once.
        return max(run(cases(isolation), functools.partial(Cluster, isolation),
                       only=sys.argv[1] if sys.argv[1:] else "")
                   for isolation in usable_isolations())
    return needs.exit_code(run_all)
