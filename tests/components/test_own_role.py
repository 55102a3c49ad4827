#!/usr/bin/python3
"""The operator with the account of deploy/rbac beside real components:
kube-controller-manager, kube-scheduler and kwok.

    test_own_role.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import contextlib
import http.client
import ssl
import sys

from components import Components

import autoscaling
import calls
import launchers
import limits
import nodes
import outage
import samples
from checks import equal, main
from jobs.kinds import KINDS, PYTORCH
from jobs.namespace import serial
from operators import least_rights, shipped_objects
from operators.operator_fixture import LIMIT
from process import free_port


class Installed(Components):
    NAMESPACE, ACCOUNT = shipped_objects.NAMESPACE, shipped_objects.ACCOUNT

    def __init__(self, troupe, more):
        self.port = free_port()
        super().__init__(troupe, [
            "--leader-elect", "--leader-election-namespace", self.NAMESPACE,
            "--webhook-url", f"https://127.0.0.1:{self.port}",
            "--webhook-server-port", str(self.port),
            "--lost-node-period", "2s", *more])

    def make_account(self, cluster):
        shipped_objects.install_account(cluster)
        shipped_objects.install_webhooks(cluster)


def token_of(fixture, ns, pod):
    """The one by which the pod reports, as its kubelet asks for it."""
    (volume,) = [v for v in pod["spec"]["volumes"]
                 if v["name"] == "kubeflow-trainer-token"]
    source = volume["projected"]["sources"][0]["serviceAccountToken"]
    return fixture.cluster.client.post(
        ns.core("serviceaccounts", "default") + "/token",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
         "spec": {"audiences": [source["audience"]],
                  "expirationSeconds": 3600, "boundObjectRef": {
                      "apiVersion": "v1", "kind": "Pod",
                      "name": pod["metadata"]["name"],
                      "uid": pod["metadata"]["uid"]}}})["status"]["token"]


def reviewed(fixture):
    """whose the token of a report is, the API server says"""
    ns = fixture.namespace()
    ns.post(PYTORCH, PYTORCH.manifest("job", {"progress": {"report": True}}))
    ns.await_running(PYTORCH, "job")
    pod = ns.owned(PYTORCH, "job", "pods")["job-master-0"]
    link = http.client.HTTPSConnection(
        "127.0.0.1", fixture.port, timeout=LIMIT,
        context=ssl._create_unverified_context())
    with contextlib.closing(link):
        link.request(
            "POST", f"/progress/namespaces/{ns.name}/pytorchjobs/job",
            '{"trainerStatus": {"progressPercentage": 1}}',
            {"Authorization": "Bearer " + token_of(fixture, ns, pod),
             "Content-Type": "application/json"})
        equal(link.getresponse().status, 200, "the pod's token")


@serial
def least(fixture):
    """its calls are those that its roles grant, no more and no less"""
    least_rights.check(fixture.cluster,
                       lambda right: not least_rights.of_gangs(right))


CASES = [*nodes.CASES, nodes.cut_off, *limits.CASES,
         *samples.cases(samples.TELL_WITH_LOGS), reviewed,
         *calls.cases(KINDS), calls.adopted, calls.ssh_objects,
         calls.taken_mpi, calls.taken_pytorch, *autoscaling.CASES,
         launchers.launcher_fails, *outage.CASES, least]

if __name__ == "__main__":
    sys.exit(main(CASES, Installed, __doc__, at_once=8))
