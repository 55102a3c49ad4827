"""An operator with no more rights than a role beside real controllers, a real
scheduler and kwok's kubelets; and namespaces with nodes of their own."""

import os
import sys
import urllib.error

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from cluster import CRDS, REPOSITORY, Cluster, wait_for  # noqa: E402
from control_plane import accounts, controllers  # noqa: E402
from jobs.namespace import Namespace  # noqa: E402
from operators.operator_fixture import LIMIT, OperatorFixture  # noqa: E402

SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
NODES = "/api/v1/nodes"


def read(*path):
    with open(os.path.join(*path)) as file:
        return yaml.safe_load(file)


class Components(OperatorFixture):
    """`crds` is a folder of definitions; make_account(cluster) writes the
    operator's kubeconfig; `node_grace`: see Controllers."""

    NAMESPACE, ACCOUNT = accounts.NAMESPACE, "operator"

    def __init__(self, troupe, more, crds=CRDS, node_grace=None):
        self.crds = crds
        super().__init__(troupe, more, self.prepare_cluster,
                         Cluster(controllers=True, node_grace=node_grace),
                         self.ACCOUNT + ".kubeconfig")
        self.audit = accounts.Audit(self.cluster, self.NAMESPACE, self.ACCOUNT)

    def prepare_cluster(self, cluster):
        cluster.apply_crds(self.crds)
        self.make_account(cluster)
        for name in ("shared-1", "shared-2"):
            cluster.client.post(NODES, controllers.node(name))
        cluster.client.post("/apis/scheduling.k8s.io/v1/priorityclasses", {
            "metadata": {"name": "high"}, "value": 1000})

    def namespace(self, prefix="ns"):
        return ComponentsNamespace(self, prefix)


class ComponentsNamespace(Namespace):
    """Its nodes, if it has some, take only pods of `pinned_manifest`s."""

    def __init__(self, fixture, prefix="ns"):
        super().__init__(fixture, prefix)
        wait_for("the account of pods", lambda: self.find(
            self.core("serviceaccounts", "default")), LIMIT)

    def node(self, letter):
        return f"{self.name}-{letter}"

    def add_node(self, letter, **more):
        """The node's name."""
        name = self.node(letter)
        taint = {"key": "namespace", "value": self.name, "effect": "NoSchedule"}
        self.client.post(NODES, controllers.node(
            name, labels={"namespace": self.name}, taints=[taint], **more))
        # A new node has the taint `not-ready`.
        wait_for("the node to be ready", lambda: self.client.get(
            f"{NODES}/{name}")["spec"]["taints"] == [taint], LIMIT)
        return name

    def pin_to_nodes(self, spec):
        """Makes a pod's spec one for this namespace's nodes."""
        spec["nodeSelector"] = {"namespace": self.name}
        spec["tolerations"] = [{"key": "namespace", "value": self.name,
                                "effect": "NoSchedule"}]
        return spec

    def pinned_manifest(self, kind, job, *args, **more):
        """A job's manifest, for this namespace's nodes."""
        result = kind.manifest(job, *args, **more)
        for replica in result["spec"][kind.field].values():
            self.pin_to_nodes(replica["template"]["spec"])
        return result

    def post(self, kind, manifest):
        return self.client.post(self.of(kind), manifest)

    # -- reading -------------------------------------------------------------

    def phases(self, kind, job):
        """name -> (uid, phase, node) of the job's pods that are not being
        deleted."""
        return {name: (pod["metadata"]["uid"], pod["status"]["phase"],
                       pod["spec"].get("nodeName"))
                for name, pod in self.owned(kind, job, "pods").items()
                if "deletionTimestamp" not in pod["metadata"]}

    def await_running(self, kind, job, counts=None, node=None, others_than=()):
        """Waits until all pods run, on `node`, none of the uids
        `others_than`; returns their uids."""
        wanted = sorted(kind.pods(job, counts))

        def right():
            found = self.phases(kind, job)
            return sorted(found) == wanted and all(
                uid not in others_than and phase == "Running"
                and node in (None, at) for uid, phase, at in found.values())

        try:
            wait_for("running pods", right, LIMIT)
        except TimeoutError:
            raise AssertionError(
                f"{kind} {job}: wanted {wanted} to run, found "
                f"{self.phases(kind, job)}, conditions "
                f"{self.status(kind, job).get('conditions')}")
        self.await_condition(kind, job, "Running")
        return {uid for uid, _, _ in self.phases(kind, job).values()}

    def report(self, kind, job):
        """What the admin endpoint says of it, as text; "": it does not know it
        yet."""
        operator = self.fixture.operator
        try:
            return operator.page(operator.admin, f"/admin/v1/jobs/{self.name}/"
                                                 f"{kind.name}/{job}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return ""

    def warnings(self, job=None):
        """reason -> message of the warnings about a job; without one, of all
        that is here, see Namespace."""
        if job is None:
            return super().warnings()
        items = self.client.get(self.core("events"))["items"]
        return {e["reason"]: e["message"] for e in items
                if e["type"] == "Warning"
                and e["involvedObject"]["name"] == job
                and e["involvedObject"]["kind"].endswith("Job")}
