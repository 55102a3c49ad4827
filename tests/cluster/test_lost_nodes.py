#!/usr/bin/python3
"""What becomes of pods whose node is lost, with the shipped binary on a real
API server. The test does what kubelets and the node lifecycle controller do.

    test_lost_nodes.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import sys
import time

from checks import contains, equal, main
from cluster import wait_for
from control_plane import controllers
from control_plane.client import ApiError
from operators.operator_fixture import (CORE, JOBS, LIMIT, OperatorFixture,
                                        tfjob)

NODES = "/api/v1/nodes"
PERIOD = ("--lost-node-period", "2s")


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Nodes:
    """A job of two workers, each on a node of its own, where it runs."""

    def __init__(self, fixture, name, kept=(), **policy):
        """`kept`: finalizers of its pods."""
        self.fixture, self.client, self.name = fixture, fixture.client, name
        job = tfjob(name, **policy)
        worker = job["spec"]["tfReplicaSpecs"]["Worker"]
        worker["restartPolicy"] = "Never"
        worker["template"]["metadata"] = {"finalizers": list(kept)}
        fixture.apply(job)
        fixture.await_replicas(name, [self.pod(0), self.pod(1)])
        for i in (0, 1):
            self.client.post(NODES, controllers.node(self.node(i)))
            self.client.post(f"{self.path(i)}/binding", {
                "apiVersion": "v1", "kind": "Binding",
                "metadata": {"name": self.pod(i)},
                "target": {"kind": "Node", "name": self.node(i)}})
            self.run(i)
        fixture.await_condition(name, "Running")

    def pod(self, i):
        return f"{self.name}-worker-{i}"

    def node(self, i):
        return f"{self.name}-{i}"

    def path(self, i):
        return f"{CORE}/pods/{self.pod(i)}"

    def uid(self, i):
        """None: there is no such pod."""
        try:
            return self.client.get(self.path(i))["metadata"]["uid"]
        except ApiError:
            return None

    # -- kubelets and the node lifecycle controller --------------------------

    def run(self, i):
        self.fixture.set_phase(self.pod(i), "Running")
        self.set_ready(i, "True")

    def set_ready(self, i, status):
        """The node lifecycle controller changes nothing of a pod but this."""
        self.client.merge(self.path(i) + "/status", {"status": {"conditions": [
            {"type": "ContainersReady", "status": "True"},
            {"type": "Ready", "status": status,
             "lastTransitionTime": now()}]}})

    def set_node(self, i, ready):
        self.client.merge(f"{NODES}/{self.node(i)}/status", {
            "status": {"conditions": [{
                "type": "Ready", "status": ready, "reason": "NodeStatusUnknown",
                "message": "Kubelet stopped posting node status."}]}})

    def lose(self, i):
        self.set_node(i, "Unknown")
        self.set_ready(i, "False")

    # -- reading -------------------------------------------------------------

    def await_successor(self, i, uid):
        wait_for(f"another {self.pod(i)}",
                 lambda: self.uid(i) not in (None, uid), LIMIT)

    def report(self):
        return json.dumps(json.loads(self.fixture.operator.page(
            self.fixture.operator.admin,
            f"/admin/v1/jobs/default/TFJob/{self.name}")))

    def await_report(self, text):
        wait_for(f"the report to say {text}", lambda: text in self.report(),
                 LIMIT)

    def unharmed(self):
        """Nothing of it counts as a failure."""
        status = self.client.get(f"{JOBS}/{self.name}")["status"]
        equal([c["type"] for c in status["conditions"]], ["Created", "Running"])
        equal(status.get("restarts"), None)
        equal(status["replicaStatuses"]["Worker"].get("failed"), None)

    def event_subjects(self, reason):
        """Of the events of that reason about the job and its pods."""
        return {(e["involvedObject"]["kind"], e["involvedObject"]["name"])
                for e in self.client.get(f"{CORE}/events")["items"]
                if e["reason"] == reason and self.name in
                e["involvedObject"]["name"]}


def silent(fixture):
    """the pod of a node that does not report is replaced, others stay"""
    job = Nodes(fixture, "silent", backoffLimit=0)
    before = job.uid(0), job.uid(1)
    job.lose(0)
    job.await_successor(0, before[0])
    equal(job.uid(1), before[1])
    job.unharmed()
    wait_for("events on the job and on the pod",
             lambda: job.event_subjects("NodeLost")
             == {("TFJob", "silent"), ("Pod", job.pod(0))}, LIMIT)


def stuck(fixture):
    """a pod that nobody ends is removed after its grace period"""
    job = Nodes(fixture, "stuck")
    uid = job.uid(1)
    job.client.delete(job.path(1), {"gracePeriodSeconds": 1})
    equal(job.client.get(job.path(1))["metadata"]
          ["deletionGracePeriodSeconds"], 1)
    job.await_report("read node stuck-1")  # It reports.
    equal(job.uid(1), uid, "a pod whose node reports")
    job.client.delete(f"{NODES}/{job.node(1)}")
    job.await_successor(1, uid)
    job.unharmed()


def returned(fixture):
    """a node that reports again keeps its pod"""
    job = Nodes(fixture, "returned")
    uid = job.uid(0)
    job.set_ready(0, "False")
    job.await_report("read node returned-0")
    job.set_ready(0, "True")
    equal(job.uid(0), uid, "a pod whose node has come back")
    job.lose(0)
    job.await_successor(0, uid)


def tainted(fixture):
    """a node that is ready and has the taint out-of-service is lost"""
    job = Nodes(fixture, "tainted")
    uid = job.uid(0)
    job.client.merge(f"{NODES}/{job.node(0)}", {"spec": {"taints": [
        {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown",
         "effect": "NoExecute"}]}})
    job.client.delete(job.path(0), {"gracePeriodSeconds": 1})
    job.await_successor(0, uid)
    job.unharmed()


def suspended(fixture):
    """a suspended job gets rid of it, and counts it until then"""
    job = Nodes(fixture, "asleep")
    fixture.patch("asleep", {"runPolicy": {"suspend": True}})
    fixture.await_condition("asleep", "Suspended")
    job.await_report("stopping: 2 of 2 pods still run, the last may take until")
    status = job.client.get(f"{JOBS}/asleep")["status"]
    equal(status["replicaStatuses"]["Worker"]["active"], 2)
    job.lose(0)
    wait_for("its end", lambda: job.uid(0) is None, LIMIT)
    wait_for("one that is counted", lambda: job.client.get(f"{JOBS}/asleep")[
        "status"]["replicaStatuses"]["Worker"].get("active") == 1, LIMIT)
    job.client.delete(job.path(1), {"gracePeriodSeconds": 0})
    wait_for("none that is counted", lambda: job.client.get(f"{JOBS}/asleep")[
        "status"]["replicaStatuses"]["Worker"].get("active", 0) == 0, LIMIT)


def finalized(fixture):
    """a finalizer keeps a pod, and it is not deleted again and again"""
    job = Nodes(fixture, "held", kept=["example.org/keep"])
    uid = job.uid(0)
    job.lose(0)
    wait_for("the event", lambda: job.event_subjects("NodeLost"), LIMIT)
    pod = job.client.get(job.path(0))["metadata"]
    equal(pod["deletionGracePeriodSeconds"], 0)
    contains(job.report(), "delete pod held-worker-0")
    job.client.merge(job.path(0), {"metadata": {"finalizers": None}})
    job.await_successor(0, uid)
    equal(job.report().count("delete pod held-worker-0"), 1)


CASES = [silent, stuck, returned, tainted, suspended, finalized]

if __name__ == "__main__":
    sys.exit(main(CASES, lambda troupe, more: OperatorFixture(
        troupe, [*PERIOD, *more]), __doc__))
