#!/usr/bin/python3
"""Logs of pods on the admin page: with the shipped role, and with the overlay.

    test_pod_logs.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import os
import sys

from checks import contains, equal, main
from cluster import wait_for
from network.event_stream import Stream
from network.log_keeper import LogKeeper
from network.stand_in_kubelet import OperatorAndKubelet
from operators import shipped_objects
from operators.operator_fixture import (CORE, LIMIT, OperatorFixture, reported,
                                        tfjob)

OVERLAY = os.path.join(shipped_objects.DEPLOY, "overlays", "pod-logs")


class Logs(OperatorAndKubelet):
    """The operator with its account, and a node that keeps logs."""

    def __init__(self, troupe, more):
        super().__init__(OperatorFixture(
            troupe, more, prepare=shipped_objects.install_account,
            account=shipped_objects.KUBECONFIG), LogKeeper)

    def run_pod(self, name, node="node"):
        """The first worker of a job, on this node."""
        self.fixture.apply(tfjob(name, workers=1))
        pod = f"{name}-worker-0"
        wait_for(pod, lambda: pod in self.fixture.owned("pods", name), LIMIT)
        self.client.post(f"{CORE}/pods/{pod}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
            "target": {"kind": "Node", "name": node}})
        spec = self.client.get(f"{CORE}/pods/{pod}")["spec"]
        self.client.merge(f"{CORE}/pods/{pod}/status",
                          {"status": reported(spec["containers"], "Running")})
        self.fixture.await_condition(name, "Running")
        return pod

    def log(self, job, pod, query=""):
        return Stream(self.fixture.operator.admin, query,
                      f"/admin/v1/jobs/default/TFJob/{job}/pods/{pod}/log")

    def is_served(self, job, pod):
        with self.log(job, pod) as log:
            return log.answer.status == 200

    def grant(self):
        self.fixture.kubectl("apply", "-k", OVERLAY)
        self.await_right("yes")

    def take_back(self):
        self.fixture.kubectl("delete", "-k", OVERLAY)
        self.await_right("no")

    def await_right(self, answer):
        account = (f"system:serviceaccount:{shipped_objects.NAMESPACE}:"
                   f"{shipped_objects.ACCOUNT}")
        wait_for(f"the right to be {answer}", lambda: self.client.post(
            "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SubjectAccessReview",
                "spec": {"user": account, "resourceAttributes": {
                    "namespace": "default", "verb": "get",
                    "resource": "pods", "subresource": "log"}}})[
                        "status"]["allowed"] == (answer == "yes"), LIMIT)


def without_the_right(logs):
    """the shipped role reads no logs; a sentence says what grants it"""
    pod = logs.run_pod("quiet")
    with logs.log("quiet", pod) as log:
        equal(log.event()[0], "pod", "the first event")
        name, data = log.event()
        equal((name, data["again"]), ("problem", False), "why")
        contains(data["why"], "deploy/overlays/pod-logs")
        contains(data["why"], 'cannot get resource "pods/log"')
    equal(logs.kubelet.requests, [], "what the kubelet was asked")


def with_the_overlay(logs):
    """last lines and what comes, of pods of jobs alone; until it is deleted"""
    pod = logs.run_pod("loud")
    logs.kubelet.say(b"step 1\n")
    logs.grant()
    with logs.log("loud", pod, "?lines=7") as log:
        log.await_text("step 1")
        logs.kubelet.say(b"step 2: caf\xc3")
        logs.kubelet.say(b"\xa9\n")
        log.await_text("caf\u00e9")
    path, _, query = logs.kubelet.requests[-1].partition("?")
    equal(path, f"/containerLogs/default/{pod}/tensorflow", "the log")
    equal(sorted(query.split("&")), ["follow=true", "tailLines=7"], "how")
    wait_for("the kubelet's reader to leave", lambda: logs.kubelet.left, LIMIT)
    asked = len(logs.kubelet.requests)
    stranger = logs.client.get(f"{CORE}/pods/{pod}")
    logs.client.post(f"{CORE}/pods", {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "stranger", "namespace": "default",
                     "labels": stranger["metadata"]["labels"]},
        "spec": {"nodeName": "node", "containers": [
            {"name": "tensorflow", "image": "i"}]}})
    with logs.log("loud", "stranger") as refused:
        equal(refused.answer.status, 404, "another pod")
    equal(len(logs.kubelet.requests), asked, "what the kubelet was asked")
    logs.take_back()
    with logs.log("loud", pod) as log:
        equal([log.event()[0], log.event()[0]], ["pod", "problem"], "events")


def without_a_kubelet(logs):
    """what the API server says of a log that cannot be had is shown"""
    logs.grant()
    logs.fixture.apply(tfjob("waits", workers=1))
    wait_for("the operator to know the pod",
             lambda: logs.is_served("waits", "waits-worker-0"), LIMIT)
    with logs.log("waits", "waits-worker-0") as log:
        equal(log.event()[0], "pod", "the first event")
        equal(log.event(), ("end", None), "the log of a pod without a node")
    node = logs.kubelet.node("away")
    node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"] = 1
    logs.make_node("away", node)
    pod = logs.run_pod("lost", "away")
    with logs.log("lost", pod) as log:
        equal(log.event()[0], "pod", "the first event")
        name, data = log.event()
        equal((name, data["again"]), ("problem", True), "the event")
        contains(data["why"], "connection refused")
    logs.take_back()


CASES = [without_the_right, with_the_overlay, without_a_kubelet]

if __name__ == "__main__":
    sys.exit(main(CASES, Logs, __doc__))
