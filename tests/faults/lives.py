"""The jobs whose lives are played: one row each."""

import json

from control_plane.definitions import define_dijobs_of_tasks
from jobs.kinds import DI, DI_TASKS, KINDS, MPI, PYTORCH, TF
from jobs.mpi_ssh import JOBS, MPI_SSH
from jobs.upstream_fields import define_without_own_fields

RBAC = "/apis/rbac.authorization.k8s.io/v1"
SCALING = "/apis/autoscaling/v2"
VOLCANO = "scheduling.volcano.sh/v1beta1"
COSCHEDULING = "scheduling.x-k8s.io/v1alpha1"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
GANG = "--gang-scheduler-name"


class Row:
    """`auxiliary`: (group, resource) of what the job has beside pods; `spec`
    goes beside runPolicy; `arguments` are the operator's."""

    define = None  # makes the cluster's definitions others than the shipped
    queueing = "off"  # --kueue

    def __init__(self, kind, auxiliary=(), spec=None, arguments=()):
        self.kind, self.auxiliary = kind, auxiliary
        self.spec, self.arguments = spec or {}, list(arguments)

    @property
    def waits_for_admission(self):
        """Whether pods are made when the scheduler has admitted the group."""
        return POD_GROUPS[0] in self.auxiliary

    @property
    def elects(self):
        """Whether the operator leads by a Lease."""
        return "--leader-elect" in self.arguments

    def manifest(self, job):
        return self.kind.manifest(job, {"cleanPodPolicy": "Running",
                                        "backoffLimit": 5}, restart="ExitCode",
                                  **self.spec)

    def read(self):
        """(group, resource) of all that is the job's."""
        core = [("/api/v1", "pods")]
        if self.kind.port:
            core.append(("/api/v1", "services"))
        return core + list(self.auxiliary)


class RestartedRow(Row):
    """Of a job that is restarted as a whole."""

    policy = {"restartScope": "Job", "maxRestarts": 3, "restartWindow": "6h"}

    def manifest(self, job):
        return self.kind.manifest(
            job, {"cleanPodPolicy": "Running", "failurePolicy": self.policy},
            restart="OnFailure")


class NotedRow(RestartedRow):
    """The same where definitions have no field for it: annotations say it."""

    define = staticmethod(define_without_own_fields)

    def manifest(self, job):
        result = self.kind.manifest(job, {"cleanPodPolicy": "Running"},
                                    restart="OnFailure")
        result["metadata"]["annotations"] = {
            "training.kubeflow.org/failure-policy": json.dumps(self.policy)}
        return result


class ReportedRow(Row):
    """Of a job whose program reports how far it is; `more` beside that."""

    def __init__(self, kind, more=None, restart="ExitCode"):
        super().__init__(kind, [("/api/v1", "configmaps")],
                         arguments=["--progress-url", PROGRESS_URL])
        self.policy = {"report": True, **(more or {})}
        self.restart = restart

    def manifest(self, job):
        return self.kind.manifest(
            job, {"cleanPodPolicy": "Running", "progress": self.policy},
            restart=self.restart)


class QueuedRow(Row):
    """Of a job that waits for a queue of Kueue's."""

    queueing = "own"

    def manifest(self, job):
        made = super().manifest(job)
        made["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "queue"}
        return made


class CoordinatorRow(Row):
    """`roles`: those that the job has templates for."""

    def __init__(self, *roles):
        super().__init__(DI)
        self.roles = roles

    def manifest(self, job):
        template = {"template": {"spec": {"containers": [
            {"name": "di-container", "image": "registry.example/ding:1"}]}}}
        return {"apiVersion": "diengine.opendilab.org/v1alpha1",
                "kind": "DIJob", "metadata": {"name": job},
                "spec": {"cleanPodPolicy": "Running",
                         **dict.fromkeys(self.roles, template)}}

    def read(self):
        return [("/api/v1", "pods"), ("/api/v1", "services")]


class TasksRow(Row):
    define = staticmethod(define_dijobs_of_tasks)

    def __init__(self):
        super().__init__(DI_TASKS)

    @staticmethod
    def spec_of(collectors):
        template = {"spec": {"containers": [
            {"name": "di-container", "image": "registry.example/ding:1"}]}}
        return {"tasks": [
            {"type": "learner", "replicas": 1, "template": template},
            {"type": "collector", "replicas": collectors,
             "template": template}]}

    def manifest(self, job):
        return {"apiVersion": "diengine.opendilab.org/v2alpha1",
                "kind": "DIJob", "metadata": {"name": job},
                "spec": self.spec_of(2)}

    def read(self):
        return [("/api/v1", "pods"), ("/api/v1", "services")]


class LauncherJobRow(Row):
    def __init__(self):
        super().__init__(MPI_SSH)

    def manifest(self, job):
        return MPI_SSH.manifest(job, {"cleanPodPolicy": "Running",
                                      "backoffLimit": 5})

    def read(self):
        return [(JOBS, "jobs"), *(("/api/v1", name) for name in (
            "pods", "services", "configmaps", "secrets"))]


OF_MPI = (("/api/v1", "configmaps"), ("/api/v1", "serviceaccounts"),
          (RBAC, "roles"), (RBAC, "rolebindings"))
POD_GROUPS = [(f"/apis/{version}", "podgroups")
              for version in (VOLCANO, COSCHEDULING)]
ELASTIC = {"elasticPolicy": {
    "minReplicas": 1, "maxReplicas": 3, "metrics": [{
        "type": "Resource", "resource": {
            "name": "cpu", "target": {"type": "Utilization",
                                      "averageUtilization": 80}}}]}}
# What pods are told; the life reports to the operator's port.
PROGRESS_URL = "https://reports.example/progress"
# Longer than a fault takes, so that nothing but silence is one; there is time for
# the first report.
SILENCE = {"stalledAfter": "15s", "startWithin": "10m",
           "onStalled": "RestartJob"}
# A Lease that is renewed often enough to meet a fault, not at every step.
ELECTION = ("--leader-elect", "--leader-election-lease-duration", "4s",
            "--leader-election-renew-deadline", "3s",
            "--leader-election-retry-period", "1s")

LIVES = {
    **{kind.name: Row(kind, OF_MPI if kind is MPI else ()) for kind in KINDS},
    "PyTorchJob-elastic": Row(
        PYTORCH, [(SCALING, "horizontalpodautoscalers")], ELASTIC),
    "TFJob-volcano": Row(TF, POD_GROUPS[:1], arguments=[GANG, "volcano"]),
    "PyTorchJob-coscheduling": Row(
        PYTORCH, POD_GROUPS[1:],
        arguments=[GANG, "scheduler-plugins-scheduler"]),
    "TFJob-elected": Row(TF, arguments=ELECTION),
    "PyTorchJob-restarted": RestartedRow(PYTORCH),
    "TFJob-queued": QueuedRow(TF, [(KUEUE, "workloads")]),
    "DIJob": CoordinatorRow("coordinator"),
    "DIJob-replicas": CoordinatorRow("coordinator", "collector", "learner"),
    "DIJob-tasks": TasksRow(),
    "MPIJob-ssh": LauncherJobRow(),
    "PyTorchJob-noted": NotedRow(PYTORCH),
    "PyTorchJob-reported": ReportedRow(PYTORCH),
    "PyTorchJob-stalled": ReportedRow(PYTORCH, SILENCE, "OnFailure"),
}
