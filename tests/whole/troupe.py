"""The shipped binary, as a person meets it: started, watched, stopped."""

import contextlib
import copy
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from process import die_with_parent  # noqa: E402

REPOSITORY = os.path.dirname(os.path.dirname(HERE))
TROUPE = os.environ.get("TROUPE",
                        os.path.join(REPOSITORY, "build", "troupe"))
LIMIT = 60  # seconds, for anything that should happen soon


class Folder:
    """A temporary folder: the context of the cases, each of which has one of its
    own, unless what is in it is for all."""

    is_shared = False

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="troupe-whole-")
        os.environ["TMPDIR"] = self.path  # for what the program leaves
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    @contextlib.contextmanager
    def for_case(self):
        """The same with another path: what a case writes, no other one finds."""
        if self.is_shared:
            yield self
            return
        own = copy.copy(self)
        own.path = tempfile.mkdtemp(prefix="troupe-whole-")
        try:
            shutil.copymode(self.path, own.path)
            os.environ["TMPDIR"] = own.path
            yield own
        finally:
            os.environ["TMPDIR"] = self.path
            shutil.rmtree(own.path, ignore_errors=True)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "w") as file:
            file.write(text)
        return path


class Program:
    """`troupe ARGS` with its output read line by line; `program` is another
    command that starts it."""

    def __init__(self, *args, env=None, program=(TROUPE,)):
        self.lines, self.rest = [], b""
        self.child = subprocess.Popen(
            [*program, *map(str, args)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(env or {})}, preexec_fn=die_with_parent)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(20)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.child.stdout.close()

    def await_line(self, pattern, seconds=LIMIT):
        """The match in the first line that has one, old lines included."""
        read = 0
        until = time.monotonic() + seconds
        while True:
            while read < len(self.lines):
                if found := re.search(pattern, self.lines[read]):
                    return found
                read += 1
            left = until - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"no line with {pattern!r} in:\n"
                                     + self.text())

    def _read(self, seconds):
        """Some more output; False at the end or when time is up."""
        pipe = self.child.stdout.fileno()
        ready, _, _ = select.select([pipe], [], [], seconds)
        piece = os.read(pipe, 65536) if ready else b""
        *whole, self.rest = (self.rest + piece).split(b"\n")
        self.lines += [line.decode(errors="replace") for line in whole]
        return bool(piece)

    def signal(self, number):
        self.child.send_signal(number)

    def end(self, seconds=LIMIT):
        """Waits for its end; returns the exit code."""
        until = time.monotonic() + seconds
        while self._read(max(until - time.monotonic(), 0)):
            pass
        try:
            return self.child.wait(max(until - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"has not ended after {seconds} s:\n"
                                 + self.text()) from None

    def text(self):
        return "\n".join(self.lines)


def finished(*args, seconds=LIMIT, env=None):
    """Runs to the end; returns (exit code, all output)."""
    with Program(*args, env=env) as program:
        return program.end(seconds), program.text()


def interrupted(program):
    program.signal(signal.SIGINT)
    return program.end()


def processes_with(word):
    """PIDs of processes whose command line has `word` in it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read()
        except OSError:
            continue
        if word.encode() in line and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def wait_until(what, condition, seconds=LIMIT):
    until = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        if time.monotonic() > until:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)


def http(method, url, body=None, headers=None):
    """(status, decoded JSON or text)."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data, {"Content-Type": "application/json", **(headers or {})},
        method=method)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        status, text = refusal.code, refusal.read().decode()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


def tfjob(name, program, workers=1, ps=0, restart="Never", command=None,
          claim=None, **run_policy):
    """A TFJob as text; `program` is Python, and finds the volume of that claim
    at /here.

    Every worker has to succeed: with worker 0 alone deciding, as is the rule,
    the others may be cut short.
    """
    container = {"name": "tensorflow", "image": "none",
                 "command": command or [sys.executable, "-u", "-c", program]}
    template = {"spec": {"containers": [container]}}
    if claim:
        container["volumeMounts"] = [{"name": "here", "mountPath": "/here"}]
        template["spec"]["volumes"] = [{"name": "here", "persistentVolumeClaim": {
            "claimName": claim}}]
    replicas = {"Worker": {"replicas": workers, "restartPolicy": restart,
                           "template": template}}
    if ps:
        replicas["PS"] = {"replicas": ps, "restartPolicy": restart,
                          "template": template}
    # JSON is YAML.
    return json.dumps({
        "apiVersion": "kubeflow.org/v1", "kind": "TFJob",
        "metadata": {"name": name},
        "spec": {"runPolicy": run_policy, "successPolicy": "AllWorkers",
                 "tfReplicaSpecs": replicas}})
