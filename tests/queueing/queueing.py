"""The operator with the account of deploy/rbac and the rights of
deploy/overlays/kueue beside Kueue, real controllers and kwok."""

import functools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "components"))

from components import Components, ComponentsNamespace  # noqa: E402

import kueue  # noqa: E402
import queues  # noqa: E402
from cluster import wait_for  # noqa: E402
from jobs.kinds import JAX, MPI, MX, PADDLE, PYTORCH, TF, XGBOOST  # noqa: E402
from jobs.mpi_ssh import MPI_SSH  # noqa: E402
from operators import shipped_objects  # noqa: E402
from operators.operator_fixture import LIMIT  # noqa: E402
from process import free_port  # noqa: E402
from record import Record  # noqa: E402

STAGES = os.path.join(HERE, "kubelet.yaml")
OVERLAY = os.path.join(shipped_objects.DEPLOY, "overlays", "kueue")
RUNS, NEVER_READY = "test/runs", "test/never-ready"  # see kubelet.yaml
FIRST = (TF, PYTORCH)
OTHERS = (XGBOOST, PADDLE, MPI, MPI_SSH, JAX, MX)
# Jobs of three pods.
THREE = {TF: {"Chief": 1, "Worker": 2}, JAX: {"Worker": 3},
         MX: {"Scheduler": 1, "Server": 1, "Worker": 1}}
LONG = 240  # seconds for ten jobs, three at a time
SUSPENDED = "Suspended"


class Queueing(Components):
    """`options` are Kueue's; `overlay`: whether the operator may queue;
    `stages`: what kwok's kubelets do; `recorded`: whether there is a record."""

    NAMESPACE, ACCOUNT = shipped_objects.NAMESPACE, shipped_objects.ACCOUNT

    def __init__(self, troupe, more, overlay=True, stages=STAGES,
                 recorded=True, **options):
        port = free_port()
        super().__init__(troupe, [
            "--webhook-url", f"https://127.0.0.1:{port}",
            "--webhook-server-port", str(port), *more])
        self.cluster.controllers.stages = stages
        self.kueue, self.overlay = kueue.Kueue(self.cluster, **options), overlay
        self.recorded, self.record = recorded, None

    def make_account(self, cluster):
        shipped_objects.install_account(cluster)
        shipped_objects.install_webhooks(cluster)
        if self.overlay:
            cluster.kubectl("apply", "-k", OVERLAY)

    def prepare_cluster(self, cluster):
        super().prepare_cluster(cluster)
        self.kueue.start()
        if self.recorded:
            self.record = Record(cluster.client)

    def __exit__(self, *failure):
        if self.record:
            self.record.stop()
        self.kueue.stop()
        super().__exit__(*failure)

    def namespace(self, prefix="ns"):
        return QueueingNamespace(self, prefix)

    def report(self):
        return (super().report() + "\n-- Kueue's last lines:\n"
                + self.kueue.child.tail(10))


class QueueingNamespace(ComponentsNamespace):
    # -- jobs ----------------------------------------------------------------

    def queue(self, kind, job, **more):
        """Makes a job for `queue`, see `queued`."""
        return self.post(kind, queued(kind, job, **more))

    def live(self, job=None):
        """Names of the pods that have not ended."""
        return sorted(
            pod["metadata"]["name"]
            for pod in self.client.get(self.core("pods"))["items"]
            if pod["status"].get("phase") not in ("Succeeded", "Failed")
            and job in (None, pod["metadata"].get("labels", {}).get(
                "training.kubeflow.org/job-name")))

    def runs(self, kind, job, pods=3):
        """Waits until so many of its pods run and are ready, and the job says
        so; returns the UIDs of its pods."""
        def right():
            found = [p for p in self.owned(kind, job, "pods").values()
                     if "deletionTimestamp" not in p["metadata"]]
            return len(found) == pods and all(
                p["status"].get("phase") == "Running" for p in found) and {
                    p["metadata"]["uid"] for p in found}
        self.await_text(f"{job} to run with {pods} pods", right)
        self.await_text(f"{job} to say that it runs", lambda: self.condition(
            kind, job, "Running").get("status") == "True")
        return right()

    def waits(self, kind, job):
        """Waits until it is held and no pod of it is there."""
        self.await_text(f"{job} to be held", lambda: self.suspended(kind, job)
                        and not self.owned(kind, job, "pods"))

    def suspended(self, kind, job):
        return self.job(kind, job)["spec"]["runPolicy"].get("suspend", False)

    def ends(self, kind, *jobs, seconds=LONG):
        self.await_text(f"{', '.join(jobs)} to succeed", lambda: all(
            self.condition(kind, job, "Succeeded").get("status") == "True"
            for job in jobs), seconds)

    def finish(self, kind, job):
        """The pods succeed whose success is the job's."""
        for name, pod in self.owned(kind, job, "pods").items():
            role = pod["metadata"]["labels"].get(
                "training.kubeflow.org/job-role")
            if role == "launcher" if kind is MPI_SSH else \
                    kind is JAX or name in kind.named(job, kind.leads):
                self.set_phase(name, "Succeeded")
        self.ends(kind, job)

    def await_text(self, what, test, seconds=LIMIT):
        try:
            return wait_for(what, test, seconds)
        except TimeoutError as error:
            raise AssertionError(
                f"{error}\n{queues.summary(self)}") from None


def queued(kind, job, policy=None, priority=None, runs=None, notes=None,
           queue="queue", labels=None, template=None, counts=None, **more):
    """A job for a queue; its three pods, or so many as `counts` says, take a
    CPU each, and succeed after the time `runs`. When it has ended, all go.
    `notes` are annotations of the job, `labels` labels of it; `template` goes
    into each template's metadata."""
    if kind is not MPI_SSH:
        more["counts"] = counts or THREE.get(kind)
    result = kind.manifest(job, {"cleanPodPolicy": "All", **(policy or {})},
                           **more)
    result["metadata"]["labels"] = {
        **({queues.QUEUE: queue} if queue else {}),
        **({queues.PRIORITY: priority} if priority else {}), **(labels or {})}
    if notes:
        result["metadata"]["annotations"] = notes
    for replica in result["spec"][kind.field].values():
        pod = replica["template"]
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
        meta = pod.setdefault("metadata", {})
        for part, values in (template or {}).items():
            meta.setdefault(part, {}).update(values)
        if runs:
            meta.setdefault("annotations", {})[RUNS] = runs
    return result


def templates(job, kind):
    """Type -> template of a job's manifest."""
    return {name: replica["template"] for name, replica in
            job["spec"][kind.field].items()}


def within(cpus, **queue):
    """A case `case(ns)` or `case(ns, kind)` with a queue for so many CPUs: at
    no moment has it had more pods, nor one that no Workload allowed."""
    def of(case):
        @functools.wraps(case)
        def run(ns, *kind):
            queues.make(ns, cpus, **queue)
            case(ns, *kind)
            ns.fixture.record.check([ns], cpus)
        return run
    return of
