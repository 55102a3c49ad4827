"""What is run against one operator in one cluster: which scenarios, with which
operator beside what else."""

import contextlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from cluster import Cluster  # noqa: E402
from control_plane import accounts  # noqa: E402
from control_plane.job_controller import JobController  # noqa: E402
from jobs import pod_groups  # noqa: E402
from operators import least_rights, shipped_objects  # noqa: E402
from operators.mpi_operator import MpiOperator  # noqa: E402
from operators.replicas import Replicas  # noqa: E402
from operators.shipped import Operator  # noqa: E402
from operators.webhook_service import WebhookService  # noqa: E402
from process import free_port  # noqa: E402

# Jobs of this version have a Job for their launcher.
WITH_JOBS = "kubeflow.org/v2beta1"


def with_jobs(scenario):
    return any(step.get("apply", {}).get("apiVersion") == WITH_JOBS
               for step in scenario["steps"])


class Round:
    """`scenarios` and `golden` are of the folder of the records; `group` is the
    API version of the pod groups, if there are some."""

    own_differences = True

    def __init__(self, name, scenarios, golden, group="", scheduler=""):
        self.name, self.scenarios, self.golden = name, scenarios, golden
        self.group, self.scheduler = group, scheduler

    @contextlib.contextmanager
    def started(self, args, scenarios, out):
        """The cluster, the operator, and arguments of trace.py."""
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(self.cluster())
            service = stack.enter_context(WebhookService())
            self.prepare(cluster)
            if any(map(with_jobs, scenarios)):
                stack.enter_context(JobController(cluster))
            running = stack.enter_context(self.operator(
                args, cluster, service, os.path.join(out, "operator.log")))
            self.await_work(running)
            yield cluster, running, self.trace_arguments(service)

    def await_work(self, running):
        """A replica that is ready works."""

    def cluster(self):
        return Cluster(crds=True)

    def prepare(self, cluster):
        shipped_objects.apply(cluster)
        if self.group:
            pod_groups.install(cluster, self.group)

    def operator(self, args, cluster, service, log):
        """One, or replicas."""
        more = ["--gang-scheduler-name", self.scheduler] if self.group else []
        more = ["--leader-elect", "--leader-election-namespace",
                shipped_objects.NAMESPACE, "--di-server-access", "anybody",
                *more, "--webhook-url", service.url, *args.operator_argument]
        kubeconfig = accounts.write_kubeconfig(
            cluster, shipped_objects.NAMESPACE, shipped_objects.ACCOUNT)
        service.operators = [Operator(kubeconfig, log, args.troupe, more,
                                      webhooks=free_port())
                             for _ in range(args.replicas)]
        if args.replicas > 1:
            return Replicas(service.operators, args.seed, service)
        return service.operators[0]

    def trace_arguments(self, service):
        if self.group:
            return ["--gang-version", self.group]
        return ["--di-server",
                f"http://127.0.0.1:{service.operators[0].di_server}"]

    def forbidden(self, cluster):
        """Calls that the operator's roles do not grant."""
        return least_rights.granted_and_forbidden(cluster)[1]


class OriginalRound(Round):
    """The same with the MPI operator itself and its definition alone."""

    own_differences = False

    def cluster(self):
        return Cluster()

    def prepare(self, cluster):
        if self.group:
            pod_groups.install(cluster, self.group)

    def operator(self, args, cluster, _, log):
        original = MpiOperator(cluster, self.scheduler, log=log)
        original.install()
        return original

    def await_work(self, running):
        running.await_work()

    def trace_arguments(self, _):
        return ["--gang-version", self.group] if self.group else []

    def forbidden(self, _):
        return set()


SINGLE = ("scenarios/*.yaml", "scenarios-mpi2.yaml")
GANGS = ("scenarios-gang.yaml", "scenarios-gang-mpi2.yaml")
ROUNDS = (
    ("default", SINGLE, "golden-default"),
    ("volcano", GANGS, "gang-volcano",
     "scheduling.volcano.sh/v1beta1", "volcano"),
    ("scheduler-plugins", GANGS, "gang-scheduler-plugins",
     "scheduling.x-k8s.io/v1alpha1", "scheduler-plugins-scheduler"),
)
