#!/usr/bin/python3
"""The tour of docs/queueing.md, command by command as it stands there.

    test_tour.py [--troupe FILE] [--only PART] [-- ARGUMENTS]
"""

import os
import re
import subprocess
import sys

from queueing import LIMIT, Queueing

import queues
from checks import contains, equal, main
from cluster import REPOSITORY, wait_for
from jobs.kinds import PYTORCH
from jobs.namespace import Namespace

DOCUMENT = os.path.join(REPOSITORY, "docs", "queueing.md")
COMMAND_LIMIT = 60  # seconds
# What kwok's kubelets do of themselves, as its stage-fast.yaml.
ITS_OWN_STAGES = os.devnull


class Tour(Queueing):
    def __init__(self, troupe, more):
        super().__init__(troupe, more, stages=ITS_OWN_STAGES)
        self.troupe = troupe

    def run(self, text, seconds=COMMAND_LIMIT):
        """The output of a shell that has `kubectl` and `troupe`, the latter
        for this operator, which is in no pod."""
        programs = self.cluster.path("programs")
        os.makedirs(programs, exist_ok=True)
        for name, line in (
                ("kubectl", self.cluster.binary("kubectl") + ' "$@"'),
                ("troupe", f'env -u KUBECONFIG {os.path.abspath(self.troupe)}'
                 f' "$@" --admin http://127.0.0.1:{self.operator.admin}')):
            path = os.path.join(programs, name)
            with open(path, "w") as file:
                file.write(f"#!/bin/sh\nexec {line}\n")
            os.chmod(path, 0o755)
        done = subprocess.run(
            ["timeout", str(seconds), "bash", "-ec", text], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(os.environ, KUBECONFIG=self.cluster.kubeconfig,
                     HOME=self.cluster.folder,
                     PATH=programs + os.pathsep + os.environ["PATH"]))
        # What watches for ever is ended.
        if done.returncode not in (0, 124 if " -w" in text else 0):
            raise AssertionError(f"{text}\nexit {done.returncode}\n"
                                 + done.stdout)
        return done.stdout


class Default(Namespace):
    """The one in which the tour is."""

    def __init__(self, fixture):
        self.fixture, self.client, self.name = fixture, fixture.client, \
            "default"


def blocks():
    """The tour's blocks of commands."""
    with open(DOCUMENT) as file:
        tour = file.read().split("## A tour without nodes", 1)[1]
    return [block.strip("\n") for block in
            re.findall(r"^```\n(.*?)^```$", tour, re.S | re.M)]


def pods_of(ns, job):
    return sorted(name for name, pod in ns.owned(PYTORCH, job, "pods").items()
                  if pod["status"].get("phase") == "Running"
                  and "deletionTimestamp" not in pod["metadata"])


def runs(ns, job):
    """Waits for its pods; no other job has any."""
    def right():
        return {name: len(pods_of(ns, name)) for name in
                ("first", "second", "urgent")} == {
                    **dict.fromkeys(("first", "second", "urgent"), 0), job: 3}
    try:
        wait_for(f"{job} to run", right, LIMIT)
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{queues.summary(ns)}") from None


def row(output, job):
    """The words of the line about the job's Workload."""
    found = [line.split() for line in output.splitlines()
             if line.startswith(f"pytorchjob-{job}-")]
    equal(len(found), 1, f"lines about {job} in\n{output}")
    return found[0]


def tour(fixture):
    """each command does what the document says"""
    _, objects, story = blocks()
    ns = Default(fixture)
    fixture.run(objects)
    wait_for("the queue to be active", lambda: queues.is_true(
        ns.client.get(queues.cluster_queue("team-a")), "Active"), LIMIT)
    function, lines = story.split("\n}\n")
    lines = [line.partition("#")[0].strip() for line in lines.splitlines()]

    def play(command, **more):
        equal(lines.pop(0), command, "the next command")
        return fixture.run(f"{function}\n}}\n{command}", **more)

    play("job first; sleep 2; job second")
    runs(ns, "first")
    queues.await_condition(ns, "second", "QuotaReserved", "False")
    output = play("kubectl get workloads")
    equal(row(output, "first")[1:4], ["team-a", "team-a", "True"])
    equal("True" in row(output, "second"), False, output)
    output = play("kubectl get pods")
    equal([line.split()[0] for line in output.splitlines()[1:]],
          [f"first-worker-{i}" for i in range(3)], "pods")
    contains(play("troupe explain default/second"),
             "insufficient unused quota for cpu in flavor fake, 3 more needed")
    play("job urgent ', kueue.x-k8s.io/priority-class: high'")
    output = play("kubectl get pods -w", seconds=10)
    contains(output, "urgent-worker-0")
    runs(ns, "urgent")
    play("kubectl delete pytorchjob urgent")
    runs(ns, "first")
    play("kubectl delete pytorchjob first")
    runs(ns, "second")
    equal(lines, [], "commands that are left")


CASES = [tour]

if __name__ == "__main__":
    sys.exit(main(CASES, Tour, __doc__))
