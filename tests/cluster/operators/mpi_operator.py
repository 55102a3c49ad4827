"""The Kubeflow MPI operator itself, to compare with."""

import os

import yaml

import assets
import needs
from cluster import wait_for
from control_plane.client import ApiError
from jobs.mpi_ssh import MPI_SSH
from operators.shipped import Operator
from process import Child, free_port

NAMESPACE = "mpi-operator"
LEASE = ("/apis/coordination.k8s.io/v1/namespaces/"
         f"{NAMESPACE}/leases/mpi-operator")
DEFINITION = ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
              "mpijobs.kubeflow.org")
HEALTH = 8080  # Its program does not let one choose.
# From which docs/from-mpi-operator.md changes over; the last is what is compared with.
RELEASES = ("0.5.0", "0.6.0", "0.7.0", assets.MPI_OPERATOR_VERSION)
# As fast as it can be made. The first two have no limits of their own for their
# queue.
FAST_CALLS = ("--kube-api-qps=1000", "--kube-api-burst=1000")
FAST = (*FAST_CALLS, "--controller-queue-rate-limit=1000",
        "--controller-queue-burst=1000")


class MpiOperator(Operator):
    """Of one Cluster; `gang` is the gang scheduler's name; `more` are arguments,
    None: what makes it fast. Raises needs.Missing where it cannot be had.

    It is the cluster's administrator: its own role lacks a right.
    """

    def __init__(self, cluster, gang="", more=None, log=None,
                 release=RELEASES[-1]):
        needs.free_local_port(HEALTH)
        self.cluster, self.folder = cluster, assets.mpi_operator(release)
        if more is None:
            more = FAST_CALLS if release in RELEASES[:2] else FAST
        self.metrics_port = free_port()
        self.child = Child(
            [os.path.join(self.folder, "mpi-operator"),
             "--gang-scheduling", gang, "--lock-namespace", NAMESPACE,
             "--monitoring-port", self.metrics_port, *more],
            log or cluster.path("mpi-operator.log"),
            dict(os.environ, KUBECONFIG=cluster.kubeconfig))
        self.before = ""

    def install(self, *more):
        """Its definition; and what `prepare` makes."""
        path = os.path.join(self.folder, "manifests", "base",
                            "kubeflow.org_mpijobs.yaml")
        # Too large for what a plain `apply` remembers.
        self.cluster.kubectl("apply", "--server-side", *more, "-f", path)
        # `kubectl wait` fails where there are no conditions yet.
        wait_for("its definition to be served", self.is_served, 60)
        self.prepare()

    def is_served(self):
        status = self.cluster.client.get(DEFINITION).get("status", {})
        return any(c["type"] == "Established" and c["status"] == "True"
                   for c in status.get("conditions") or [])

    def prepare(self):
        """The namespace of its Lease, where a definition is there."""
        self.cluster.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(
            {"apiVersion": "v1", "kind": "Namespace",
             "metadata": {"name": NAMESPACE}}))

    def start(self, seconds=60):
        """Until it leads; a Lease that another one left has to run out."""
        self.before = self.holder()
        super().start(seconds)

    def ready(self):
        if not self.child.running():
            raise RuntimeError("the MPI operator ended:\n" + self.child.tail())
        return self.holder() not in ("", self.before)

    def await_work(self):
        """Waits until a job has its workers: whoever leads may still be
        learning what is there. The workers stay."""
        client, job = self.cluster.client, "trial"
        client.post(f"{MPI_SSH.group}/namespaces/default/mpijobs",
                    MPI_SSH.manifest(job, workers=1))
        selector = MPI_SSH.selector(job, "worker")
        wait_for("the MPI operator to work", lambda: client.get(
            f"/api/v1/namespaces/default/pods?labelSelector={selector}")[
                "items"], 60)
        client.delete(f"{MPI_SSH.group}/namespaces/default/mpijobs/{job}")

    def holder(self):
        """Who leads, or did."""
        try:
            lease = self.cluster.client.get(LEASE)
        except ApiError:
            return ""
        return lease["spec"].get("holderIdentity", "")

    def requests(self):
        """It does not count them."""
        return {}
