"""A cluster with the operator, and what users and kubelets do there."""

import json
import time

from cluster import Cluster, wait_for
from operators.shipped import TROUPE, Operator

LIMIT = 90  # seconds for anything to come about; all of it takes one or two
JOBS = "/apis/kubeflow.org/v1/namespaces/default/tfjobs"
CORE = "/api/v1/namespaces/default"
JOB_LABEL = "training.kubeflow.org/job-name"


def tfjob(name, workers=2, ps=0, **policy):
    """A TFJob's manifest; `policy` is its runPolicy."""
    container = {"name": "tensorflow", "image": "registry.example/train:1"}

    def replicas(count):
        return {"replicas": count, "restartPolicy": "OnFailure",
                "template": {"spec": {"containers": [dict(container)]}}}

    specs = {"PS": replicas(ps)} if ps else {}
    specs["Worker"] = replicas(workers)
    return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"runPolicy": policy, "tfReplicaSpecs": specs}}


def reported(containers, phase, code=0):
    """The status that a kubelet reports of a pod with these containers."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    if phase == "Running":
        state = {"running": {"startedAt": now}}
    else:
        state = {"terminated": {"exitCode": code, "startedAt": now,
                                "finishedAt": now}}
    return {"phase": phase, "startTime": now, "containerStatuses": [
        {"name": container["name"], "image": container["image"], "imageID": "",
         "ready": phase == "Running", "restartCount": 0, "state": state}
        for container in containers]}


class OperatorFixture:
    """What a case gets: a cluster with definitions, and a ready operator."""

    def __init__(self, troupe=TROUPE, more=(), prepare=None, cluster=None,
                 account="kubeconfig"):
        """`prepare(cluster)` is done before the operator starts; it may write
        the operator's kubeconfig, the file `account` of the cluster."""
        self.cluster = cluster or Cluster(crds=True)
        self.prepare = prepare
        self.operator = Operator(self.cluster.path(account),
                                 self.cluster.path("operator.log"), troupe,
                                 more)

    def __enter__(self):
        self.cluster.__enter__()
        try:
            if self.prepare:
                self.prepare(self.cluster)
            self.operator.start()
        except BaseException:
            self.cluster.stop()
            raise
        self.client = self.cluster.client
        return self

    def __exit__(self, *_):
        self.operator.child.stop()
        self.cluster.stop()

    def report(self):
        return "-- the operator's last lines:\n" + self.operator.child.tail()

    # -- users ---------------------------------------------------------------

    def kubectl(self, *args, **more):
        return self.cluster.kubectl(*args, **more)

    def apply(self, job):
        self.kubectl("apply", "-f", "-", stdin=json.dumps(job))

    def patch(self, name, spec):
        self.kubectl("patch", "tfjob", name, "--type=merge", "--patch",
                     json.dumps({"spec": spec}))

    # -- reading -------------------------------------------------------------

    def owned(self, what, name):
        """The job's pods or services: name -> object."""
        answer = self.client.get(
            f"{CORE}/{what}?labelSelector={JOB_LABEL}%3D{name}")
        return {o["metadata"]["name"]: o for o in answer["items"]}

    def uids(self, name):
        """Of all pods and services of the job: (kind, name) -> uid."""
        return {(what, n): o["metadata"]["uid"]
                for what in ("pods", "services")
                for n, o in self.owned(what, name).items()}

    def condition(self, name, kind):
        """The status of a condition: `True`, `False`, or None: absent."""
        job = self.client.get(f"{JOBS}/{name}")
        for condition in job.get("status", {}).get("conditions", ()):
            if condition["type"] == kind:
                return condition["status"]
        return None

    def await_condition(self, name, kind, status="True"):
        wait_for(f"{name} to be {kind}={status}",
                 lambda: self.condition(name, kind) == status, LIMIT)

    def await_replicas(self, name, names):
        """Waits until exactly these pods and services exist."""
        wanted = sorted(names)

        def there():
            return all(sorted(self.owned(what, name)) == wanted
                       for what in ("pods", "services"))

        try:
            wait_for("replicas", there, LIMIT)
        except TimeoutError:
            found = {w: sorted(self.owned(w, name)) for w in
                     ("pods", "services")}
            raise AssertionError(f"wanted {wanted}, there are {found}")

    # -- kubelets ------------------------------------------------------------

    def set_phase(self, pod, phase, code=0):
        path = f"{CORE}/pods/{pod}"
        containers = self.client.get(path)["spec"]["containers"]
        self.client.merge(path + "/status",
                          {"status": reported(containers, phase, code)})

    def run_all(self, name):
        for pod in self.owned("pods", name):
            self.set_phase(pod, "Running")

    # -- the garbage collector -----------------------------------------------

    def collect(self, name):
        for what in ("pods", "services"):
            for item in self.owned(what, name):
                self.client.delete(f"{CORE}/{what}/{item}",
                                   {"gracePeriodSeconds": 0})
