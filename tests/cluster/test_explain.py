#!/usr/bin/python3
"""`troupe explain` and `troupe top` with nothing but a kubeconfig.

    test_explain.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import os
import subprocess
import sys

from checks import contains, equal, main
from cluster import wait_for
from control_plane.accounts import bind
from network.port_forwarder import PortForwarder
from network.stand_in_kubelet import OperatorAndKubelet
from operators.operator_fixture import OperatorFixture, tfjob
from process import free_port

NAMESPACE = "kubeflow"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
LABEL = {"control-plane": "kubeflow-training-operator"}
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "explainer"},
        "rules": [
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
            {"apiGroups": [""], "resources": ["pods/portforward"],
             "verbs": ["get", "create"]},
            {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
             "verbs": ["get"]}]}


class OperatorInPod(OperatorAndKubelet):
    """An operator that leads, and a pod and a node that pretend to be its."""

    def __init__(self, troupe, more):
        os.environ["MY_POD_NAME"] = "leader"
        super().__init__(OperatorFixture(troupe, [
            "--leader-elect", "--leader-election-namespace", NAMESPACE, *more],
            prepare=self.prepare), PortForwarder)
        self.troupe = troupe

    @staticmethod
    def prepare(cluster):
        cluster.kubectl("create", "namespace", NAMESPACE)

    def make_objects(self):
        for name in ("standby", "leader"):
            port = (self.fixture.operator.admin if name == "leader"
                    else free_port())
            self.client.post(PODS, {
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "labels": LABEL},
                "spec": {"nodeName": "node", "containers": [{
                    "name": "operator", "image": "troupe", "args": [
                        f"--admin-bind-address=127.0.0.1:{port}"]}]}})
            self.client.merge(f"{PODS}/{name}/status", {"status": {
                "phase": "Running", "conditions": [
                    {"type": "Ready", "status": "True"}]}})

    def run(self, *args, kubeconfig=None):
        """(exit code, text) of `troupe ARGS` with a kubeconfig."""
        done = subprocess.run(
            [self.troupe, *args, "--kubeconfig",
             kubeconfig or self.cluster.kubeconfig], text=True, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def await_text(self, text, *args, **more):
        found = []

        def there():
            found[:] = self.run(*args, **more)
            return text in found[1]

        try:
            wait_for(text, there, 60)
        except TimeoutError:
            raise AssertionError(f"no {text!r} in:\n{found[1]}")
        return found[1]


def leader(pod):
    """the pod that holds the Lease is asked, through its kubelet"""
    pod.fixture.apply(tfjob("asked", workers=1))
    text = pod.await_text("asked-worker-0", "explain", "tfjob/asked")
    contains(text, "TFJob default/asked: ")
    contains(text, "asked-worker-0 to be scheduled (whose move: the scheduler)")
    contains(text, "Waiting for: ")
    equal({path.split("?")[0] for path in pod.kubelet.requests},
          {f"/portForward/{NAMESPACE}/leader"}, "port-forwards")
    code, text = pod.run("top")
    equal(code, 0, "exit code of top\n" + text)
    contains(text, "default/asked")
    equal("Authorization" in "".join(pod.kubelet.forwarded), False,
          "the user's token reaches the pod")
    token = pod.cluster.path("token")
    with open(token, "w") as file:
        file.write("of-the-operator\n")
    code, text = pod.run("top", "--admin-token-file", token)
    equal(code, 0, "exit code of top with a token\n" + text)
    contains(pod.kubelet.forwarded[-1],
             "\r\nAuthorization: Bearer of-the-operator\r\n")
    code, text = pod.run("explain", "asked", "-o", "json")
    equal(json.loads(text)["name"], "asked", "as JSON")


def rights(pod):
    """no more rights are needed than the documentation says"""
    account = bind(pod.cluster, "explainer", ROLE)
    code, text = pod.run("top", kubeconfig=account)
    equal(code, 0, "exit code of top\n" + text)
    role = json.loads(json.dumps(ROLE))
    role["metadata"]["name"] = "onlooker"
    role["rules"] = [rule for rule in role["rules"]
                     if rule["resources"] != ["pods/portforward"]]
    code, text = pod.run("top", kubeconfig=bind(pod.cluster, "onlooker", role))
    equal(code, 1, "exit code without the right to forward ports\n" + text)
    contains(text, "pods/portforward")


def unscheduled(pod):
    """the scheduler's reason is told"""
    pod.fixture.apply(tfjob("large", workers=1))
    pod.await_text("large-worker-0", "explain", "large")
    pod.client.merge("/api/v1/namespaces/default/pods/large-worker-0/status", {
        "status": {"conditions": [{
            "type": "PodScheduled", "status": "False",
            "reason": "Unschedulable",
            "message": "0/3 nodes are available: 3 Insufficient gpu."}]}})
    pod.await_text(
        "Waiting for: large-worker-0 to be scheduled: Unschedulable: 0/3 nodes "
        "are available: 3 Insufficient gpu. (whose move: the scheduler;",
        "explain", "large")


def refused(pod):
    """pods that PodSecurity or a quota refuses, and who can do something"""
    for namespace in ("strict", "full"):
        pod.cluster.kubectl("create", "namespace", namespace)
    pod.cluster.kubectl("label", "namespace", "strict",
                        "pod-security.kubernetes.io/enforce=restricted")
    pod.cluster.kubectl("create", "quota", "none", "-n", "full",
                        "--hard=pods=0")
    # No controller of quotas is there.
    pod.client.merge("/api/v1/namespaces/full/resourcequotas/none/status",
                     {"status": {"hard": {"pods": "0"},
                                 "used": {"pods": "0"}}})
    for namespace, why, who in (
            ("strict", "violates PodSecurity",
             "a person, who changes the pod template"),
            ("full", "exceeded quota: none", "a person, who raises the quota")):
        job = tfjob("refused", workers=1)
        job["metadata"]["namespace"] = namespace
        pod.fixture.apply(job)
        text = pod.await_text(why, "explain", "refused", "-n", namespace)
        waiting, = (line for line in text.splitlines()
                    if line.startswith("Waiting for: "))
        contains(waiting, "the creation of pod worker-0, which has failed")
        contains(waiting, f"whose move: {who}")


def suspended(pod):
    """who wrote the spec of a suspended job"""
    pod.fixture.apply(tfjob("paused", workers=1, suspend=True))
    pod.await_text("the spec was last written by kubectl", "explain", "paused")


def missing(pod):
    """a job that is not there"""
    code, text = pod.run("explain", "tfjob/nobody", "-n", "team")
    equal(code, 1, "exit code")
    contains(text, "no job team/nobody of kind TFJob is known")


def nobody_listens(pod):
    """a pod whose admin endpoint does not answer is named"""
    pod.client.delete(f"{PODS}/leader", {"gracePeriodSeconds": 0})
    code, text = pod.run("top")
    equal(code, 1, "exit code")
    contains(text, f"pod {NAMESPACE}/standby of https://")
    contains(text, "error forwarding port")
    pod.client.delete(f"{PODS}/standby", {"gracePeriodSeconds": 0})


CASES = [leader, rights, unscheduled, refused, suspended, missing,
         nobody_listens]

if __name__ == "__main__":
    sys.exit(main(CASES, OperatorInPod, __doc__))
