#!/usr/bin/python3
"""An operator for some namespaces, with the rights that docs/security.md gives
it: it does its work there, and may do nothing elsewhere.

    test_some_namespaces.py [--troupe FILE] [--only PART]
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
sys.path.append(os.path.join(HERE, "..", "documents"))

from blocks import blocks  # noqa: E402  of ../documents
from checks import contains, equal, main  # noqa: E402
from cluster import wait_for  # noqa: E402
from control_plane import accounts  # noqa: E402
from jobs.kinds import MPI, PYTORCH, TF  # noqa: E402
from jobs.namespace import Namespace  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import LIMIT, OperatorFixture  # noqa: E402
from process import free_port  # noqa: E402

OWN, ELSEWHERE = ("team-a", "team-b"), "team-c"
# What nobody may get by it in another namespace.
STRONG = (("list", "", "secrets", ""), ("create", "", "pods", ""),
          ("create", "", "pods", "exec"), ("list", "kubeflow.org", "tfjobs", ""),
          ("create", "rbac.authorization.k8s.io", "roles", ""))


class Team(Namespace):
    """One that is there under this name."""

    def __init__(self, fixture, name):
        self.fixture, self.client, self.name = fixture, fixture.client, name


class Confined(OperatorFixture):
    """Installed as everywhere, then confined by the page's commands; its
    arguments are those of the Deployment."""

    def __init__(self, troupe, more):
        port = free_port()
        self.own = ["--webhook-url", f"https://127.0.0.1:{port}",
                    "--webhook-server-port", str(port),
                    "--leader-election-namespace", shipped_objects.NAMESPACE]
        super().__init__(troupe, more, self.confine,
                         account=shipped_objects.KUBECONFIG)

    def confine(self, cluster):
        self.client = cluster.client
        shipped_objects.apply(cluster)
        accounts.write_kubeconfig(cluster, shipped_objects.NAMESPACE,
                                  shipped_objects.ACCOUNT)
        for name in (*OWN, ELSEWHERE):
            cluster.kubectl("create", "namespace", name)
        os.symlink(cluster.binary("kubectl"), cluster.path("kubectl"))
        for block in blocks():
            if block.words[:1] == ["tests/components/test_some_namespaces.py"]:
                done = subprocess.run(
                    ["bash", "-euc", block.text], text=True,
                    stdin=subprocess.DEVNULL, capture_output=True, env={
                        **os.environ, "KUBECONFIG": cluster.kubeconfig,
                        "PATH": cluster.folder + ":" + os.environ["PATH"]})
                equal(done.returncode, 0, f"{block}: {done.stderr}")
        wait_for("its rights to be these", lambda: all(
            self.may(name, *STRONG[0]) == (name in OWN)
            for name in (*OWN, ELSEWHERE)), LIMIT)
        arguments = shipped_arguments(cluster)
        contains(arguments, "--namespace=" + ",".join(OWN))
        self.operator.child.args += [*arguments, *self.own]

    def may(self, namespace, verb, group, resource, subresource):
        return self.client.post(
            "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SubjectAccessReview", "spec": {
                    "user": f"system:serviceaccount:{shipped_objects.NAMESPACE}"
                            f":{shipped_objects.ACCOUNT}",
                    "resourceAttributes": {
                        "namespace": namespace, "verb": verb, "group": group,
                        "resource": resource, "subresource": subresource}}})[
                            "status"]["allowed"]


def shipped_arguments(cluster):
    """Of the operator's container in the cluster."""
    deployment = cluster.client.get(
        f"/apis/apps/v1/namespaces/{shipped_objects.NAMESPACE}/deployments/"
        + shipped_objects.ACCOUNT)
    container, = deployment["spec"]["template"]["spec"]["containers"]
    return container["args"]


# -- cases --------------------------------------------------------------------

def confined(fixture):
    """it may do in its namespaces what it has to, and elsewhere nothing strong"""
    for name in (*OWN, ELSEWHERE):
        for right in STRONG:
            equal(fixture.may(name, *right), name in OWN, f"{right} in {name}")


def works(fixture):
    """a job of each way of starting runs in each of its namespaces"""
    for name in OWN:
        ns = Team(fixture, name)
        for kind in (TF, PYTORCH, MPI):
            job = str(kind).lower()
            ns.make(kind, job)
            ns.await_pods(kind, job, kind.pods(job))
            ns.run_all(kind, job)
            ns.await_condition(kind, job, "Running")


def left_alone(fixture):
    """a job elsewhere has no pods and no status"""
    elsewhere, own = Team(fixture, ELSEWHERE), Team(fixture, OWN[0])
    elsewhere.make(TF, "elsewhere")
    own.make(TF, "later")
    own.await_pods(TF, "later", TF.pods("later"))
    equal("status" in elsewhere.job(TF, "elsewhere"), False)
    equal(elsewhere.owned(TF, "elsewhere", "pods"), {})


def nothing_refused(fixture):
    """the API server refuses none of its calls"""
    audit = accounts.Audit(fixture.cluster, shipped_objects.NAMESPACE,
                           shipped_objects.ACCOUNT)
    equal(audit.forbidden(), set(), "forbidden calls")
    granted = {call[:3] for call in audit.calls() if call[3]}
    equal(len(granted) > 10, True, f"only {granted}")


CASES = [confined, works, left_alone, nothing_refused]

if __name__ == "__main__":
    sys.exit(main(CASES, Confined, __doc__))
