#!/usr/bin/python3
"""Logs that are followed for log rules, through a real API server: without the
right, cut in the middle, more of them than may be, and one that never ends.

    test_log_rules.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import os
import subprocess
import sys
import time

from tenants import LIMIT, equal, wait_for

from checks import contains, main
from network.played_log import PlayedLog
from network.stand_in_kubelet import OperatorAndKubelet
from operators import shipped_objects
from operators.operator_fixture import (CORE, JOBS, OperatorFixture, reported,
                                        tfjob)

OVERLAY = os.path.join(shipped_objects.DEPLOY, "overlays", "pod-logs")
STEPS = {"logRules": [{
    "name": "step",
    "pattern": r"step (?P<step>\d+)/(?P<total>\d+).*loss[ =](?P<loss>[\d.]+)"}]}
RULES = {"progress": STEPS}


class Logs(OperatorAndKubelet):
    """The operator with its account and two places for logs, and a node."""

    def __init__(self, troupe, more):
        self.troupe = troupe
        super().__init__(OperatorFixture(
            troupe, ["--log-streams", "2", *more],
            prepare=shipped_objects.install_account,
            account=shipped_objects.KUBECONFIG), PlayedLog)

    def run_job(self, name):
        """Its worker runs; returns the pod's name."""
        self.fixture.apply(tfjob(name, workers=1, **RULES))
        pod = f"{name}-worker-0"
        wait_for(pod, lambda: pod in self.fixture.owned("pods", name), LIMIT)
        self.client.post(f"{CORE}/pods/{pod}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
            "target": {"kind": "Node", "name": "node"}})
        self.phase(pod, "Running")
        return pod

    def phase(self, pod, phase):
        spec = self.client.get(f"{CORE}/pods/{pod}")["spec"]
        self.client.merge(f"{CORE}/pods/{pod}/status",
                          {"status": reported(spec["containers"], phase)})

    def end_job(self, name):
        self.phase(f"{name}-worker-0", "Succeeded")
        self.fixture.await_condition(name, "Succeeded")
        self.client.delete(f"{JOBS}/{name}")

    def progress(self, name):
        return self.client.get(f"{JOBS}/{name}").get("status", {}).get(
            "progress") or {}

    def await_percent(self, name, percent):
        wait_for(f"{percent}% of {name}", lambda: self.progress(name).get(
            "percent") == percent, LIMIT)

    def explained(self, name):
        return subprocess.run(
            [self.troupe, "explain", f"tfjob/{name}", "--admin",
             f"http://127.0.0.1:{self.fixture.operator.admin}"],
            check=True, capture_output=True, text=True).stdout

    def await_event(self, name, part):
        wait_for(f"an event with {part!r}", lambda: any(
            e["involvedObject"]["name"] == name and part in e["message"]
            for e in self.client.get(f"{CORE}/events")["items"]), LIMIT)

    def grant(self):
        self.fixture.kubectl("apply", "-k", OVERLAY)


def without_the_right(logs):
    """the shipped role reads no logs: event and explain say what grants it"""
    logs.run_job("quiet")
    logs.await_event("quiet", "kubectl apply -k deploy/overlays/pod-logs")
    contains(logs.explained("quiet"), "Its log rules are not applied to the "
             "log of quiet-worker-0: the operator may not read it")
    equal(logs.kubelet.requests, [], "what the kubelet was asked")
    logs.end_job("quiet")


def with_the_overlay(logs):
    """lines and bars reach the status; nothing twice after an interruption"""
    logs.grant()
    time.sleep(1)  # Until API servers know it.
    logs.kubelet.say("step 1/100, loss 0.9")
    pod = logs.run_job("loud")
    logs.await_percent("loud", 1)
    equal(logs.progress("loud")["source"], pod)
    equal(logs.kubelet.queries()[0], {
        "follow": "true", "tailLines": "1000", "timestamps": "true"})
    logs.kubelet.cut()
    wait_for("another request", lambda: len(logs.kubelet.requests) > 1, LIMIT)
    query = logs.kubelet.queries()[-1]
    equal(("sinceTime" in query, "tailLines" in query), (True, False), query)
    logs.kubelet.say("\rstep 7/100 loss=0.5\rstep 42/100 loss=0.25\r")
    logs.await_percent("loud", 42)
    equal(logs.progress("loud")["metrics"], [
        {"name": "step", "value": "42"}, {"name": "total", "value": "100"},
        {"name": "loss", "value": "0.25"}])
    contains(logs.explained("loud"),
             f"Its log rules read the log of {pod}, container tensorflow")
    logs.kubelet.say("step 100/100, loss 0.125")
    logs.kubelet.end()
    logs.phase(pod, "Succeeded")
    logs.await_percent("loud", 100)
    wait_for("the reader to leave", lambda: logs.kubelet.open == 0, LIMIT)
    logs.kubelet.ended = False
    logs.client.delete(f"{JOBS}/loud")


def more_jobs_than_places(logs):
    """the third of two waits, is told so, and is read when another ends"""
    logs.grant()
    logs.kubelet.say("step 5/10 loss 1")
    for name in ("a", "b", "c"):
        logs.run_job(name)
    logs.await_percent("a", 50)
    logs.await_percent("b", 50)
    logs.await_event("c", "as many logs are read as log-streams allows (2)")
    equal(logs.progress("c"), {})
    contains(logs.explained("c"), "it is read when another job has ended")
    logs.end_job("a")
    logs.await_percent("c", 50)
    logs.end_job("b")
    logs.end_job("c")


def an_endless_line(logs):
    """of a log as fast as it is read: memory is bounded, jobs get their pods"""
    logs.grant()
    logs.run_job("hog")
    wait_for("the log to be read", lambda: logs.kubelet.open > 0, LIMIT)
    before = logs.fixture.operator.memory()[0]
    logs.kubelet.flood = True
    with logs.kubelet.changed:
        logs.kubelet.changed.notify_all()
    begin, sent = time.monotonic(), logs.kubelet.sent
    slowest = 0
    for number in range(10):
        start = time.monotonic()
        name = f"beside-{number}"
        logs.fixture.apply(tfjob(name, workers=2))
        wait_for("its pods", lambda n=name: len(
            logs.fixture.owned("pods", n)) == 2, LIMIT)
        slowest = max(slowest, time.monotonic() - start)
        time.sleep(1.5)
    # It goes on at the end of the log, where there is a line at last.
    logs.kubelet.flood = False
    rate = (logs.kubelet.sent - sent) / (time.monotonic() - begin) / (1 << 20)
    now, _ = logs.fixture.operator.memory()
    print(f"     {rate:.1f} MiB/s of the log read, memory {before:.1f} to "
          f"{now:.1f} MiB, pods after {slowest:.1f} s", flush=True)
    equal(rate < 4, True, "the pace")
    equal(now - before < 30, True, "memory")
    equal(slowest < 5, True, "pods of other jobs")
    # What is said while the rest of the line is skipped is not read.
    wait_for("a line to be read", lambda: logs.kubelet.say(
        "", "step 3/4 loss 1") or logs.progress("hog").get("percent") == 75,
             LIMIT)


CASES = [without_the_right, with_the_overlay, more_jobs_than_places,
         an_endless_line]

if __name__ == "__main__":
    sys.exit(main(CASES, Logs, __doc__))
